"""`gpu::interact!` in JupyterLab in a real browser: sliders are moved by hand, frames are counted, and a page that is loaded again
shows what was there. WARPCELL_FRAMES names a file that gets the frames per second.
"""

import json
import os
import time
from pathlib import Path

from e2e.lab import close, hide_the_sidebar, open_notebook, run_all, cells_of, screenshots, wait_for_the_end, write_notebook

CELLS = [
    "let image = gpu::random::default_rng(7).random((512, 512));",
    """gpu::interact!(sigma: f64 in 0.5..5.0 step 0.01, [invert: bool, mode: &str in ["reflect", "wrap"]] => {
    let blurred = gpu::ndimage::gaussian_filter!(&image, sigma, mode = mode);
    gpu::imshow(&if invert { -&blurred } else { blurred }).colorbar(false)
})""",
    """gpu::interact!(n: usize = 1 in 0..=9, again: Button => {
    assert!(n < 8, "{n} is too much");
    println!("n is {n}");
})""",
]
# Counts the pictures that an element shows, from now on.
COUNT = """([image, name]) => {
    window[name] = 0;
    image.addEventListener('load', () => { window[name] += 1; });
}"""
WIDGETS = ".jp-OutputArea-output .widget-interact"


def drag(page, slider, seconds: float) -> None:
    """Moves a slider's handle to and fro over its whole range for a time, as a hand does: each step is another value."""
    handle, track = slider.locator(".noUi-handle"), slider.locator(".noUi-base").bounding_box()
    assert track["width"] > 80, track
    y, left, width = track["y"] + track["height"] / 2, track["x"], track["width"]
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    begun, step = time.monotonic(), 0
    while time.monotonic() - begun < seconds:
        share = abs((step % 80) - 40) / 40
        page.mouse.move(left + share * width, y)
        step += 1
    page.mouse.up()


def test_sliders_in_jupyterlab(browser, lab, tmp_path):
    write_notebook(lab.folder / "interact.ipynb", CELLS)
    page = open_notebook(browser, lab.url, "interact.ipynb")
    folder = screenshots(tmp_path)
    hide_the_sidebar(page)
    run_all(page)
    wait_for_the_end(page, 120)
    assert not [output for cell in cells_of(page) for output in cell["outputs"] if output["output_type"] == "error"]
    first, second = page.locator(WIDGETS).nth(0), page.locator(WIDGETS).nth(1)
    picture = first.locator("img")
    picture.wait_for(state="visible")
    page.wait_for_function("image => image.complete && image.naturalWidth > 400", arg=picture.element_handle())
    assert picture.evaluate("image => image.clientWidth === image.naturalWidth"), "a picture is as large as it is in a cell"

    page.evaluate(COUNT, [picture.element_handle(), "pictures"])
    seconds = 4
    drag(page, first.locator(".noUi-target").first, seconds)
    frames = page.evaluate("() => window.pictures")
    if os.environ.get("WARPCELL_FRAMES"):
        Path(os.environ["WARPCELL_FRAMES"]).write_text(json.dumps({"frames": frames, "seconds": seconds}))
    # How many come a second is measured (BENCHMARKS.md) on a machine that does nothing else.
    page.wait_for_function("() => window.pictures >= 2")

    # What is moved last is what is shown.
    before = picture.get_attribute("src")
    first.locator("input[type=checkbox]").click()
    page.wait_for_function("([image, before]) => image.src !== before", arg=[picture.element_handle(), before])
    first.locator("select").select_option("wrap")

    # An error stands below the controls, and goes with the next value.
    second.get_by_text("n is 1").wait_for()
    second.locator(".noUi-handle").focus()
    page.keyboard.press("End")
    second.get_by_text("9 is too much").first.wait_for()
    for theme, name in (("JupyterLab Light", "light"), ("JupyterLab Dark", "dark")):
        page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
        page.wait_for_function(
            "light => document.body.dataset.jpThemeLight === light", arg="true" if name == "light" else "false"
        )
        first.scroll_into_view_if_needed()
        target = folder / f"interact-{name}.png"
        page.screenshot(path=str(target))
        assert target.stat().st_size > 10_000
    page.keyboard.press("Home")
    second.get_by_text("n is 0").wait_for()

    # A page that is loaded again has the widgets in their last state.
    page.evaluate("() => window.jupyterapp.shell.currentWidget.context.save()")
    page.reload()
    page.locator(WIDGETS).nth(1).get_by_text("n is 0").wait_for()
    picture = page.locator(WIDGETS).nth(0).locator("img")
    page.wait_for_function("image => image.complete && image.naturalWidth > 400", arg=picture.element_handle())
    assert page.locator(WIDGETS).nth(0).locator("select").input_value() == "wrap"
    page.locator(WIDGETS).nth(1).locator(".noUi-handle").focus()
    page.keyboard.press("ArrowRight")
    page.locator(WIDGETS).nth(1).get_by_text("n is 1").wait_for()
    close(page)
