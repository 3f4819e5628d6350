"""Charts that one can enter: a specification in Vega-Lite beside the PNG, valid by its schema, and what a person sees of it in JupyterLab.

WARPCELL_SCREENSHOTS names a folder for the pictures.
"""

import functools
import io
import json
import time
from pathlib import Path

import altair
import jsonschema
import numpy
import pytest
from PIL import Image

from e2e import test_cheat_sheet
from e2e.lab import cells_of, close, hide_the_sidebar, open_notebook, run_all, screenshots, wait_for_the_end, write_notebook

MIME = "application/vnd.vegalite.v5+json"
LINES = [row.ours for row in test_cheat_sheet.ROWS if row.section == "Plots"]


@functools.cache
def schema() -> jsonschema.Draft7Validator:
    path = Path(altair.__file__).parent / "vegalite/v5/schema/vega-lite-schema.json"
    return jsonschema.Draft7Validator(json.loads(path.read_text(encoding="utf-8")))


@pytest.fixture(scope="module", autouse=True)
def set_up(kernel):
    kernel.check(test_cheat_sheet.set_up())


def test_specifications_are_valid_and_beside_the_picture(kernel):
    """Of all plots of the cheat sheet."""
    found = 0
    for line in LINES:
        (value,) = kernel.check(line).of("execute_result")
        assert "image/png" in value["data"], line
        problem = next(schema().iter_errors(value["data"][MIME]), None)
        assert problem is None, f"{line}: {problem.message[:400]}"
        found += 1
    assert found > 8


def test_large_plots_can_be_entered(kernel):
    """What is too much for a client is a picture in the specification, which is valid and small, too."""
    kernel.check("let long: Vec<f64> = (0..1_000_000).map(|i| (f64::from(i) * 1e-4).sin() + f64::from(i % 97) * 1e-3).collect();")
    kernel.check("let at: Vec<f64> = (0..1_000_000).map(f64::from).collect();")
    kernel.check("let noise = gpu::random::default_rng(1).random((300, 300));")
    for line, has_picture in [
        ("gpu::plot(&long)", False),
        ("gpu::plot((&long, &at))", True),
        ("gpu::scatter(&long, &long)", True),
        ("gpu::errorbar(&at, &long).yerr(0.2)", True),
        ("gpu::fill_between(&at, &long, 0.0).plot((&at, &long))", True),
        ("gpu::contour(&noise)", True),
        ("gpu::pcolormesh(&noise)", True),
    ]:
        (chart,) = kernel.check(f"{line};").displays
        spec = chart[MIME]
        problem = next(schema().iter_errors(spec), None)
        assert problem is None, f"{line}: {problem.message[:400]}"
        assert len(json.dumps(spec)) < 1_000_000 and "image/png" in chart, line
        assert any(layer["mark"]["type"] == "image" for layer in spec["layer"]) == has_picture, line


@pytest.mark.parametrize(
    "call",
    [
        "gpu::errorbar(&[1, 2], &[1, 2]).yerr(&[-1.0, 1.0])",
        "gpu::errorbar(&[1, 2], &[1, 2]).xerr(&[1.0])",
        "gpu::scatter(&[1, 2], &[1, 2]).c(&[1.0])",
        "gpu::contour(&gpu::ones::<f64>((3, 3))).levels(&gpu::ones::<f64>((2, 2)))",
        "gpu::plot(&[1, 2]).yerr(0.5)",
        "gpu::plot(&[1, 2]).cmap(\"gray\")",
        "gpu::bar(&[1, 2], &[1, 2]).marker(\"o\")",
        "gpu::hist(&[1, 2]).linestyle(\"--\")",
        "gpu::imshow(&gpu::ones::<f64>((3, 3))).color(\"red\")",
    ],
)
def test_errors_are_about_the_line_of_the_cell(kernel, call):
    text = kernel.run(f"let before = 1;\nlet wrong = {call};").error_text
    assert f"let wrong = {call}" in text and "prelude/src" not in text, text


def test_frames_are_pictures(kernel):
    kernel.check("let frame = gpu::display(&gpu::plot(&[1, 2]));")
    (update,) = kernel.check("frame.update(&gpu::plot(&[2, 1]));").of("update_display_data")
    assert "image/png" in update["data"] and MIME not in update["data"]


CELLS = [
    'let x = gpu::host::linspace(0.0, 10.0, 11); gpu::plot((&x, &(&x * &x))).label("squares").marker("o").xlabel("step").ylabel("loss").title("A curve")',
    'gpu::bar(&["host", "device"], &[120.0, 3.5]).ylabel("ms")',
    'gpu::imshow(&Array2::from_shape_fn((4, 8), |(i, j)| (10 * i + j) as f64)).colorbar_label("counts")',
    'let square = Array2::from_shape_fn((4, 4), |(i, j)| (10 * i + j) as f64);\n'
    'gpu::subplots((1, 2), [gpu::imshow(&square), gpu::plot(&[1.0, 4.0, 9.0]).label("roots")]).suptitle("Two")',
]


def pixels(canvas) -> numpy.ndarray:
    return numpy.asarray(Image.open(io.BytesIO(canvas.screenshot())).convert("RGB")).astype(int)


@pytest.fixture(scope="module")
def page(browser, lab):
    """A page with the charts, drawn."""
    write_notebook(lab.folder / "charts.ipynb", CELLS)
    page = open_notebook(browser, lab.url, "charts.ipynb")
    hide_the_sidebar(page)
    run_all(page)
    wait_for_the_end(page, 120)
    page.wait_for_function(f"() => document.querySelectorAll('.jp-RenderedVegaLite canvas').length === {len(CELLS)}")
    yield page
    close(page)


def chart(page, index):
    canvas = page.locator(".jp-RenderedVegaLite canvas").nth(index)
    canvas.scroll_into_view_if_needed()
    return canvas


def tooltip(page, canvas, across: float, down: float) -> dict[str, str]:
    """What is shown with the pointer at this part of the canvas."""
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 1, box["y"] + 1)
    left, top = box["x"] + across * box["width"], box["y"] + down * box["height"]
    page.mouse.move(left, top, steps=4)
    # While the page draws, an event may find nothing below the pointer. A hand is never still.
    deadline = time.monotonic() + 120
    while not page.locator("#vg-tooltip-element.visible").count():
        assert time.monotonic() < deadline, "no numbers are shown"
        page.mouse.move(left + 1, top)
        page.mouse.move(left, top)
    rows = page.locator("#vg-tooltip-element tr")
    texts = [rows.nth(index).locator("td").all_inner_texts() for index in range(rows.count())]
    return {key.removesuffix(":"): value for key, value in texts}


@pytest.mark.browser
def test_numbers_are_seen_under_the_pointer(page):
    shown = tooltip(page, chart(page, 0), 0.5, 0.5)
    assert shown["series"] == "squares" and float(shown["loss"]) == float(shown["step"]) ** 2 and 3 <= float(shown["step"]) <= 7, shown
    shown = tooltip(page, chart(page, 1), 0.35, 0.6)
    assert shown == {"x": "host", "ms": "120"}
    shown = tooltip(page, chart(page, 2), 0.4, 0.5)
    assert float(shown["counts"]) == 10 * float(shown["y"]) + float(shown["x"]), shown
    shown = tooltip(page, chart(page, 3), 0.2, 0.5)
    assert float(shown["value"]) == 10 * float(shown["y"]) + float(shown["x"]), shown
    shown = tooltip(page, chart(page, 3), 0.8, 0.5)
    assert shown["series"] == "roots" and float(shown["y"]) == (float(shown["x"]) + 1) ** 2, shown


@pytest.mark.browser
@pytest.mark.parametrize("index", range(len(CELLS)))
def test_one_can_zoom_move_and_come_back(page, index):
    canvas = chart(page, index)
    box = canvas.bounding_box()
    middle = (box["x"] + 0.3 * box["width"], box["y"] + 0.5 * box["height"])

    def now() -> numpy.ndarray:
        # The pointer is outside, so that no number is shown.
        page.mouse.move(2, 2)
        page.wait_for_timeout(300)
        return pixels(canvas)

    def difference(one, other) -> float:
        return float((abs(one - other).max(axis=2) > 30).mean())

    first = now()
    page.mouse.move(*middle)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    zoomed = now()
    assert difference(first, zoomed) > 0.005
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 60, middle[1] + 30, steps=5)
    page.mouse.up()
    moved = now()
    assert difference(zoomed, moved) > 0.005
    page.mouse.dblclick(*middle)
    assert difference(first, now()) < 0.001


@pytest.mark.browser
def test_the_wheel_alone_scrolls_the_notebook(page):
    canvas = chart(page, 0)
    before = pixels(canvas)
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.wheel(0, 120)
    page.wait_for_function("y => document.querySelector('.jp-RenderedVegaLite canvas').getBoundingClientRect().y !== y", arg=box["y"])
    page.mouse.move(2, 2)
    page.wait_for_timeout(300)
    assert (abs(before - pixels(chart(page, 0))).max(axis=2) > 30).mean() < 0.001


@pytest.mark.browser
def test_charts_have_the_ground_of_the_theme(page, tmp_path):
    folder = screenshots(tmp_path)
    pictures = [cell["outputs"][0]["data"]["image/png"] for cell in cells_of(page)]
    assert len(pictures) == len(CELLS)
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
        page.wait_for_function("light => document.body.dataset.jpThemeLight === light", arg="true" if "Light" in theme else "false")
        # A chart has the theme of the time when it was drawn.
        page.evaluate("() => document.querySelectorAll('.jp-RenderedVegaLite canvas').forEach(canvas => canvas.classList.add('old'))")
        run_all(page)
        page.wait_for_function(f"() => document.querySelectorAll('.jp-RenderedVegaLite canvas:not(.old)').length === {len(CELLS)}")
        for index in range(len(CELLS)):
            canvas = chart(page, index)
            canvas.screenshot(path=folder / f"chart-{index}-{theme.split()[1].lower()}.png")
            shown = pixels(canvas)
            # The ground, text on it, and a width near that of the picture.
            light, dark = (shown.min(axis=2) > 230).mean(), (shown.max(axis=2) < 90).mean()
            ground, text = (light, dark) if "Light" in theme else (dark, light)
            assert ground > 0.1 and text > 0.001, (theme, index, light, dark)
            assert abs(shown.shape[1] - {0: 640, 1: 640, 2: 528, 3: 880}[index]) < 120, shown.shape
