"""JupyterLab in a real browser: rich output (a progress bar moves, a plot shows, a flood of text does not stop the page), and
the completion list. The lessons are in test_course.py.
"""

import time

from playwright.sync_api import TimeoutError

from e2e.lab import PICTURES, close, hide_the_sidebar, open_notebook, run_all, cells_of, screenshots, wait_for_the_end, write_notebook

RICH_CELLS = [
    # The loop ends when the test has seen the bar move.
    """for _ in gpu::progress(0..500).label("training") {
    if std::path::Path::new("go-on").exists() { continue; }
    std::thread::sleep(std::time::Duration::from_millis(20));
}""",
    """let x = gpu::linspace(0.0, 6.3, 200);
gpu::plot((&x, &x.sin())).label("sin").plot((&x, &x.cos())).label("cos").linestyle("--").title("Waves").xlabel("x").grid(true)""",
    'gpu::display(&gpu::Markdown("**bold** and $x^2$")); gpu::Html("<em id=\'shown\'>emphasis</em>")',
    'for line in 0..1_000_000 { println!("line {line} {}", "x".repeat(90)); }',
    '"the last cell"',
]


def test_rich_output_in_jupyterlab(browser, lab, tmp_path):
    write_notebook(lab.folder / "rich.ipynb", RICH_CELLS)
    page = open_notebook(browser, lab.url, "rich.ipynb")
    folder = screenshots(tmp_path)
    run_all(page)
    page.wait_for_selector(".jp-OutputArea-output progress")
    bar = page.locator(".jp-OutputArea-output progress")
    values = []
    deadline = time.monotonic() + 240
    while len(values) < 3 and time.monotonic() < deadline:
        value = float(bar.first.get_attribute("value"))
        if value > max(values, default=0):
            values.append(value)
    assert len(values) == 3 and values[-1] < 1, f"the bar did not move: {values}"
    page.locator(".jp-CodeCell").first.screenshot(path=str(folder / "progress.png"))
    path = page.evaluate("() => window.jupyterapp.shell.currentWidget.context.path")
    assert path == "rich.ipynb"
    page.evaluate("() => window.jupyterapp.serviceManager.contents.save('go-on', {type: 'file', format: 'text', content: ''})")
    page.wait_for_function("() => document.querySelector('.jp-OutputArea-output progress')?.value === 1")
    assert bar.count() == 1, "one bar, updated in place"

    wait_for_the_end(page, 120)
    cells = cells_of(page)
    assert not [output for cell in cells for output in cell["outputs"] if output["output_type"] == "error"]
    plot = page.locator(PICTURES)
    assert plot.count() == 1
    page.wait_for_function("chart => chart.clientWidth > 500", arg=plot.first.element_handle())
    assert page.locator("#shown").inner_text() == "emphasis"
    assert page.locator(".jp-RenderedMarkdown strong").inner_text() == "bold"
    # A hundred megabytes were printed: the page lives, and has the note and what came after.
    text = "".join("".join(output.get("text", "")) for output in cells[3]["outputs"])
    assert 2_000_000 <= len(text) < 2_020_000 and "MB of text dropped: a cell shows 2 MB" in text
    assert "line 999999 " in text and "data rate exceeded" not in text
    assert cells[4]["outputs"][0]["data"]["text/plain"] == '"the last cell"'

    hide_the_sidebar(page)
    for theme, name in (("JupyterLab Light", "light"), ("JupyterLab Dark", "dark")):
        page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
        page.wait_for_function(
            "light => document.body.dataset.jpThemeLight === light", arg="true" if name == "light" else "false"
        )
        plot.first.scroll_into_view_if_needed()
        target = folder / f"plot-{name}.png"
        page.locator(".jp-CodeCell").nth(1).screenshot(path=str(target))
        assert target.stat().st_size > 10_000
    close(page)


def test_completion_in_jupyterlab(browser, lab, tmp_path):
    write_notebook(lab.folder / "completion.ipynb", ["let image = gpu::ones::<f64>((64, 64));", ""])
    page = open_notebook(browser, lab.url, "completion.ipynb")
    folder = screenshots(tmp_path)
    hide_the_sidebar(page)
    page.locator(".jp-CodeCell .cm-content").nth(0).click()
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(
        "() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells[0].execution_count === 1"
    )
    page.locator(".jp-CodeCell .cm-content").nth(1).click()
    page.keyboard.type("let blurred = gpu::conv")
    shown = page.locator(".jp-Completer:not(.lm-mod-hidden) .jp-Completer-item")
    deadline = time.monotonic() + 240
    # JupyterLab waits a second for candidates; the first ones of a session may take longer.
    while not shown.count() and time.monotonic() < deadline:
        page.keyboard.press("Tab")
        try:
            shown.first.wait_for(state="visible", timeout=3000)
        except TimeoutError:
            pass
    names = shown.locator(".jp-Completer-match").all_inner_texts()
    assert {"convolve", "convolve2d", "convolve2d_with"} <= set(names), names
    assert set(shown.locator(".jp-Completer-typeExtended").all_inner_texts()) == {"function"}
    # The documentation of the candidate that is chosen, signature first. The first one is chosen already.
    for _ in range(names.index("convolve2d")):
        page.keyboard.press("ArrowDown")
    documentation = page.locator(".jp-Completer-docpanel")
    documentation.get_by_text("fn convolve2d").first.wait_for(state="visible")
    target = folder / "completion.png"
    page.screenshot(path=str(target), clip={"x": 0, "y": 0, "width": 1100, "height": 600})
    assert target.stat().st_size > 10_000
    page.keyboard.press("Enter")
    page.wait_for_function(
        """() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells[1].source
            === 'let blurred = gpu::convolve2d'"""
    )
    close(page)
