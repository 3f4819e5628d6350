"""Tables that a click sorts, and videos, as people see them in JupyterLab."""

import base64
import io

import pytest
from PIL import Image

from e2e.lab import CURRENT, close, hide_the_sidebar, open_notebook, run_all, screenshots, wait_for_the_end, write_notebook

TABLE = (
    'gpu::table(&[("host", Some(120.25)), ("device", Some(3.5)), ("none", None), ("both", Some(12.0))])\n'
    '    .columns(["where", "ms"])'
)
VIDEO = "gpu::video(&ndarray::Array3::from_shape_fn((3, 4, 4), |(t, i, j)| (t + i + j) as f32)).fps(2.0)"


def test_a_table_is_text_and_html(kernel):
    (value,) = kernel.check(TABLE).of("execute_result")
    assert value["data"]["text/plain"] == "where        ms\nhost     120.25\ndevice      3.5\nnone\nboth         12"
    assert value["data"]["text/html"].count("<tr>") == 5


def test_a_video_is_an_animated_png(kernel):
    (value,) = kernel.check(VIDEO).of("execute_result")
    assert value["data"]["text/plain"] == "Video: 3 frames of 256×256 pixels, 2 a second"
    with Image.open(io.BytesIO(base64.b64decode(value["data"]["image/png"]))) as picture:
        assert picture.n_frames == 3 and picture.info["loop"] == 0 and picture.info["duration"] == 500
        frames = []
        for index in range(3):
            picture.seek(index)
            frames.append(picture.convert("RGB").getpixel((200, 200)))
    assert len(set(frames)) == 3, frames


def test_a_video_is_shown_once_where_its_cell_makes_it(kernel):
    assert [list(shown) for shown in kernel.check(f"let kept = {VIDEO}; {VIDEO};").displays] == [["image/png", "text/plain"]]
    assert "image/png" in kernel.check("kept").of("execute_result")[0]["data"]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("gpu::table(&[1, 2]).column(\"ms\", &[1.0])", 'the column "ms" has 1 values, but the table has 2 rows'),
        ("gpu::video(&gpu::zeros::<f32>((3, 4)))", "is that of one image; show it by `gpu::imshow(&x)`"),
        ("gpu::video(Vec::<gpu::Plot>::new())", "there are no frames"),
    ],
)
def test_what_is_no_table_or_video_is_refused(kernel, code, message):
    result = kernel.run(code)
    assert not result.ok and message in result.error_text, result.summary()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("gpu::table(5)", "has no rows for a table"),
        ("gpu::table(&[vec![vec![1]]])", "cannot stand in a cell of a table"),
        ("gpu::video(5)", "is not made of frames"),
        ("gpu::video(vec![5])", "`{integer}` cannot be shown as an image"),
    ],
)
def test_what_has_no_rows_or_frames_is_named(kernel, code, message):
    result = kernel.run(code)
    assert not result.ok and message in result.error_text, result.summary()


@pytest.mark.browser
def test_a_click_sorts_a_table_and_a_video_is_seen(browser, lab, tmp_path):
    write_notebook(lab.folder / "tables.ipynb", [TABLE, VIDEO])
    page = open_notebook(browser, lab.url, "tables.ipynb")
    hide_the_sidebar(page)
    run_all(page)
    wait_for_the_end(page, 240)

    def column(index: int) -> list[str]:
        return page.locator(f".jp-RenderedHTML tbody td:nth-child({index})").all_inner_texts()

    def click(name: str) -> None:
        page.locator(".jp-RenderedHTML th button", has_text=name).click()

    first = ["host", "device", "none", "both"]
    assert column(1) == first
    # Numbers by their size, and what is missing last, both ways.
    click("ms")
    assert column(1) == ["device", "both", "host", "none"] and column(2) == ["3.5", "12", "120.25", ""]
    assert page.locator(".jp-RenderedHTML th").nth(1).get_attribute("aria-sort") == "ascending"
    click("ms")
    assert column(1) == ["host", "both", "device", "none"]
    click("ms")
    assert column(1) == first
    click("where")
    assert column(1) == sorted(first)
    page.wait_for_function("() => [...document.querySelectorAll('.jp-RenderedImage img')].some(image => image.naturalWidth === 256)")
    page.screenshot(path=screenshots(tmp_path) / "tables.png")
    # A second view of the output sorts by itself.
    notebook = page.evaluate(f"() => {CURRENT}.id")
    page.locator(".jp-RenderedHTML").first.click(button="right")
    page.get_by_role("menuitem", name="Create New View for Cell Output").click()
    views = page.locator(".jp-LinkedOutputView .jp-RenderedHTML")
    views.locator("th button", has_text="ms").click()
    assert views.locator("tbody td:nth-child(1)").all_inner_texts() == ["device", "both", "host", "none"]
    page.evaluate("id => window.jupyterapp.shell.activateById(id)", notebook)
    page.wait_for_function(f"id => {CURRENT}.id === id", arg=notebook)
    close(page)
