"""The player of traces in Chromium: it plays, steps back to where it began, obeys keys, shows faults, and looks right in both themes.
WARPCELL_SCREENSHOTS names a folder that gets pictures. With UPDATE_EXPECT=1 the pictures beside this file are written again.
"""

import os
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbconvert import HTMLExporter
from PIL import Image
from playwright.sync_api import expect

from e2e.lab import TOKEN, hide_the_sidebar, jupyterlab, screenshots, write_settings
from player.simulate import KERNELS, PLAYER, alone, blend, layers, page, player, race_of_blocks, reduction, scatter

WIDTH = 1040


PICTURES = Path(__file__).parent / "pictures"
# So small that fonts hardly matter, and large enough for colours and places.
SMALL = 8


def resembles(picture, name):
    """Whether a picture is as the one beside this file, but for what fonts and browsers change."""
    image = Image.open(picture).convert("RGB")
    small = image.resize((image.width // SMALL, image.height // SMALL), Image.Resampling.BOX)
    kept = PICTURES / f"{name}.png"
    if os.environ.get("UPDATE_EXPECT") == "1":
        PICTURES.mkdir(exist_ok=True)
        small.save(kept, optimize=True)
    expected = Image.open(kept)
    assert abs(expected.width - small.width) <= 2 and abs(expected.height - small.height) <= 6, (small.size, expected.size)
    size = (min(expected.width, small.width), min(expected.height, small.height))
    one, other = (np.asarray(part.crop((0, 0, *size)), dtype=float) for part in (small, expected))
    difference = np.abs(one - other).max(axis=2)
    # Another font makes 1.2 and 0.002, and another moment of the film at least 3.6 and 0.019.
    return difference.mean() < 2.5 and (difference > 60).mean() < 0.01


@pytest.fixture(scope="module")
def traces():
    return {name: simulate() for name, simulate in KERNELS.items()}


def show(browser, content, width=WIDTH, **options):
    """A page with this content; errors of its scripts fail the test when the page is closed."""
    shown = browser.new_page(viewport={"width": width, "height": 900}, device_scale_factor=1, **options)
    shown.set_default_timeout(120_000)
    shown.problems = []
    shown.on("pageerror", lambda error: shown.problems.append(str(error)))
    shown.on("request", lambda request: request.url.startswith("http") and shown.problems.append(request.url))
    shown.set_content(content)
    return shown


def close(shown):
    assert not shown.problems
    shown.close()


def seen(shown):
    """All that the player shows of a state: its texts, its labels and the pixels of its pictures."""
    return shown.locator(".player").first.evaluate(
        """box => [
            ...Array.from(box.querySelectorAll('.says, .count, .source, table, .at'), one => one.textContent),
            ...Array.from(box.querySelectorAll('[aria-label]'), one => one.getAttribute('aria-label')),
            ...Array.from(box.querySelectorAll('.row.now .number'), one => one.textContent),
            ...Array.from(box.querySelectorAll('canvas'), one => one.toDataURL()),
        ]"""
    )


def press(shown, *keys):
    shown.locator(".player").first.focus()
    for key in keys:
        shown.keyboard.press(key)


def says(shown):
    return shown.locator(".says").first.inner_text()


def count(shown):
    return shown.locator(".count").first.inner_text()


@pytest.mark.parametrize("name", KERNELS)
def test_every_step_forwards_and_backwards_shows_the_same(browser, traces, name):
    shown = show(browser, page(player(traces[name], "p1")))
    shown.wait_for_selector(".player")
    steps = len(traces[name]["blocks"][0]["steps"])
    press(shown, "Home")
    states = [seen(shown)]
    for _ in range(steps):
        press(shown, "ArrowRight")
        states.append(seen(shown))
    assert count(shown) == f"step {steps} of {steps}"
    assert all(one != other for one, other in zip(states, states[1:], strict=False)), "each step is seen"
    for position in reversed(range(steps)):
        press(shown, "ArrowLeft")
        assert seen(shown) == states[position], position
    press(shown, "End")
    assert seen(shown) == states[-1]
    press(shown, "Home")
    assert seen(shown) == states[0]
    close(shown)


def test_it_plays_to_the_end_and_pauses(browser, traces):
    shown = show(browser, page(player(traces["reduction"], "p1")))
    shown.wait_for_selector(".player")
    start = seen(shown)
    shown.locator("[aria-label=Speed]").select_option("100")
    press(shown, " ")
    shown.locator(".count:text-is('step 66 of 66')").wait_for()
    assert shown.locator("[aria-label='Play (space)']").count() == 1, "it has stopped"
    assert says(shown) == "Warp 1, line 18: all 32 lanes have ended."
    for _ in range(66):
        shown.locator("[aria-label='Step back (left arrow)']").click()
    # The pointer is over a button, not over a thread or a cell.
    assert seen(shown) == start
    shown.locator("[aria-label=Speed]").select_option("1")
    press(shown, " ")
    assert shown.locator("[aria-label='Pause (space)']").count() == 1
    press(shown, " ")
    assert shown.locator("[aria-label='Play (space)']").count() == 1
    close(shown)


def test_the_final_values_are_those_of_the_kernel(browser, traces):
    shown = show(browser, page(player(traces["reduction"], "p1")))
    press(shown, "End")
    total = shown.locator("[aria-label='Array total']")
    total.locator("canvas").click(position={"x": 10, "y": 10})
    assert total.locator(".at").inner_text() == f"total[0] = {traces['reduction']['final']} · last written by thread 0"
    press(shown, "Home")
    assert total.locator(".at").inner_text() == "total[0] = 0"
    press(shown, "w")
    assert says(shown) == "Warp 0, line 16: 1 of 32 lanes runs, the others are masked off. Each reads part, does atomic_add on total."
    assert "thread 0 changes atomically it now" in total.locator(".at").inner_text()
    press(shown, "w")
    assert says(shown) == "Nothing writes to total[0] after this step."
    close(shown)


def test_barriers_and_warps(browser, traces):
    shown = show(browser, page(player(traces["transposition"], "p1")))
    press(shown, "b")
    assert says(shown) == "The barrier opens. All threads have reached line 17, and go on."
    assert "waits at a barrier" not in shown.locator(".grid").get_attribute("aria-label")
    press(shown, "ArrowLeft")
    assert shown.locator(".grid").get_attribute("aria-label") == "Threads: 256 waits at a barrier"
    press(shown, "b", "b")
    assert says(shown) == "No barrier opens after this step."
    press(shown, "Home")
    shown.locator("select[aria-label=Warp]").select_option("3")
    press(shown, "ArrowRight")
    assert says(shown).startswith("Warp 3, line 15: all 32 lanes run.")
    assert shown.locator(".row.now .number").inner_text() == "15"
    press(shown, "ArrowRight")
    assert says(shown).startswith("Warp 3, line 16:")
    # The variables of a thread that is clicked stay.
    shown.locator(".grid").click(position={"x": 5, "y": 5})
    assert "thread 0 (0, 0)" in shown.locator("table").inner_text()
    shown.mouse.move(2, 2)
    shown.locator("input[type=number]").fill("35")
    press(shown, "ArrowRight")
    assert "thread 35 (3, 2)" in shown.locator("table").inner_text()
    close(shown)


def test_masked_lanes(browser, traces):
    shown = show(browser, page(player(traces["map"], "p1")))
    press(shown, "End", "ArrowLeft", "ArrowLeft")
    assert says(shown) == "Warp 1, line 7: 8 of 16 lanes run, the others are masked off. Each writes out."
    assert shown.locator(".grid").get_attribute("aria-label") == "Threads: 8 runs, 8 masked off, 32 has ended"
    close(shown)


@pytest.mark.parametrize(("name", "threads"), [("race", [31, 32]), ("bounds", [31])])
def test_it_opens_at_the_fault(browser, traces, name, threads):
    shown = show(browser, page(player(traces[name], "p1")))
    fault = traces[name]["fault"]
    there = f"step {fault['step'] + 1} of {len(traces[name]['blocks'][0]['steps'])}"
    assert count(shown) == there
    assert shown.locator("[role=alert] p").inner_text() == fault["message"].replace("`", "")
    table = shown.locator("table").inner_text()
    assert all(f"thread {thread}" in table for thread in threads)
    assert f"{len(threads)} fault" in shown.locator(".grid").get_attribute("aria-label")
    press(shown, "ArrowLeft")
    assert "fault" not in shown.locator(".grid").get_attribute("aria-label")
    press(shown, "Home", "f")
    assert count(shown) == there
    press(shown, "Home")
    shown.get_by_role("button", name="First race" if name == "race" else "First fault").click()
    assert count(shown) == there
    close(shown)


def test_a_race_between_blocks_shows_both_sides(browser):
    shown = show(browser, page(player(race_of_blocks(), "p1")))
    assert shown.locator("select[aria-label=Block] option:checked").inner_text() == "(1)"
    assert count(shown) == "step 2 of 2" and "1 fault" in shown.locator(".grid").get_attribute("aria-label")
    shown.get_by_role("button", name="Show the other thread").click()
    assert shown.locator("select[aria-label=Block] option:checked").inner_text() == "(0)"
    assert count(shown) == "step 2 of 3" and "1 fault" in shown.locator(".grid").get_attribute("aria-label")
    assert says(shown) == "Warp 0, line 3: all 2 lanes run. Each writes out. This is the other access of the race."
    assert "thread 1" in shown.locator("table").inner_text()
    press(shown, "ArrowLeft")
    assert "fault" not in shown.locator(".grid").get_attribute("aria-label") and "other access" not in says(shown)
    shown.get_by_role("button", name="Show where").click()
    assert count(shown) == "step 2 of 2"
    close(shown)


def test_a_block_of_one_thread(browser):
    shown = show(browser, page(player(alone(), "p1")))
    press(shown, "ArrowRight")
    assert says(shown) == "Warp 0, line 2: the only lane runs. Each writes out."
    press(shown, "ArrowRight")
    assert says(shown) == "Warp 0, line 3: the only lane has ended."
    close(shown)


def test_layers_of_threads_and_arrays_stand_apart(browser):
    shown = show(browser, page(player(layers(), "p1")))
    press(shown, "End")
    # Six rows of threads, and of elements, with a gap in the middle.
    grid, cells = shown.locator(".grid"), shown.locator("[aria-label='Array out'] canvas")
    box = grid.bounding_box()
    side, gap = (box["width"] - 2) / 4, box["height"] - 2 - 6 * (box["width"] - 2) / 4
    assert 3 <= gap <= 8
    for thread, (x, y, z) in {0: (0, 0, 0), 11: (3, 2, 0), 12: (0, 0, 1), 23: (3, 2, 1)}.items():
        grid.hover(position={"x": (x + 0.5) * side, "y": (3 * z + y + 0.5) * side + z * gap})
        assert f"thread {thread} ({x}, {y}, {z})" in shown.locator("table").inner_text()
    grid.hover(position={"x": side / 2, "y": 1})
    tall = (cells.bounding_box()["height"] - 2 - 7) / 6
    for index, (row, layer) in {0: (0, 0), 8: (2, 0), 12: (0, 1), 20: (2, 1)}.items():
        cells.hover(position={"x": 8, "y": (3 * layer + row + 0.5) * tall + layer * 7})
        assert shown.locator("[aria-label='Array out'] .at").inner_text().startswith(f"out[{layer}, {row}, 0] = {100 + index} "), index
    close(shown)


def test_it_opens_at_the_first_wrong_element(browser, traces):
    steps = len(traces["map"]["blocks"][0]["steps"])
    message = "`out[3]` should be 9, and is 2.25."
    opens = {"block": 0, "position": steps, "message": message, "thread": None, "element": [1, 3]}
    shown = show(browser, page(player({**traces["map"], "opens": opens}, "p1")))
    assert count(shown) == f"step {steps} of {steps}"
    assert shown.locator("[role=alert] p").inner_text() == message.replace("`", "")
    assert shown.locator("[aria-label='Array out'] .at").inner_text() == "out[3] = 2.25 · last written by thread 3"
    press(shown, "Home")
    shown.get_by_role("button", name="Show its last write").click()
    assert says(shown).endswith("Each writes out.") and "thread 3 writes it now" in shown.locator("[aria-label='Array out'] .at").inner_text()
    there = count(shown)
    press(shown, "W")
    assert says(shown) == "Nothing writes to out[3] before this step." and count(shown) == there
    shown.get_by_role("button", name="Show where").click()
    assert count(shown) == f"step {steps} of {steps}"
    press(shown, "W")
    assert count(shown) == there
    close(shown)


def test_it_opens_where_a_thread_does_too_much(browser, traces):
    opens = {"block": 0, "position": 3, "message": "Here a thread reads an array once too often.", "thread": 5, "element": None}
    shown = show(browser, page(player({**traces["map"], "opens": opens}, "p1")))
    assert count(shown).startswith("step 3 of ") and "thread 5" in shown.locator("table").inner_text()
    assert shown.get_by_role("button", name="Show its last write").count() == 0
    close(shown)


def test_one_element_has_no_threads(browser):
    trace = blend()
    shown = show(browser, page(player(trace, "p1")))
    assert shown.locator(".size").inner_text() == "element [2, 1]"
    assert says(shown) == "Before the first step. Press play, or step with the arrow keys."
    said = []
    for _ in range(len(trace["blocks"][0]["steps"])):
        press(shown, "ArrowRight")
        said.append(says(shown))
    assert said == ["Line 2: reads x.", "Line 2: sets x.", "Line 3: sets y.", "Line 4: writes result.", "The end. The function has given its result."]
    assert shown.locator("table").inner_text().split() == ["x", "9", "y", "18"]
    for word in ("thread", "warp", "lane", "Block", "barrier opens"):
        assert word not in shown.locator(".player").inner_text().replace("shared memory: the thread that wrote last", ""), word
    shown.locator("[aria-label='Array result'] canvas").click(position={"x": 10, "y": 10})
    assert shown.locator("[aria-label='Array result'] .at").inner_text() == "result[0] = 36"
    close(shown)


def test_report_at_the_lines(browser, traces):
    shown = show(browser, page(player(traces["transposition"], "p1")))
    badges = shown.locator(".badge")
    assert badges.all_inner_texts() == ["4 sectors, ideal 4", "16 bank conflicts, ideal 1 +1"]
    advice = shown.locator(".advice").nth(1)
    assert not advice.is_visible()
    badges.nth(1).press("Enter")
    assert advice.is_visible() and "make its rows one element longer." in advice.inner_text()
    badges.nth(1).press(" ")
    assert not advice.is_visible() and count(shown).startswith("step 0 "), "the key was the button's"
    close(shown)


def test_two_players_in_a_page_and_one_of_them_twice(browser, traces):
    one, other = player(traces["map"], "p1"), player(traces["race"], "p2")
    shown = show(browser, page(one, other, one))
    shown.wait_for_function("() => document.querySelectorAll('[data-player]').length === 3")
    assert shown.locator(".player h1").all_inner_texts() == ["squares", "shift", "squares"]
    shown.locator(".player").nth(2).focus()
    shown.keyboard.press("ArrowRight")
    assert [text.split()[1] for text in shown.locator(".count").all_inner_texts()] == ["0", "5", "1"]
    names = shown.evaluate("() => Object.keys(window).filter(name => /player|film|trace|unpack/i.test(name) && !/^on/.test(name))")
    assert names == [], "nothing is added to `window`"
    close(shown)


def test_keys_of_the_page_are_left_alone(browser, traces):
    shown = show(browser, page("<input id='beside'>", player(traces["map"], "p1")))
    shown.wait_for_selector(".player")
    shown.evaluate("() => { window.heard = []; document.addEventListener('keydown', event => window.heard.push(event.key), true); }")
    shown.locator("#beside").focus()
    shown.keyboard.press("b")
    shown.keyboard.press("End")
    assert count(shown).startswith("step 0 ") and shown.evaluate("() => window.heard") == ["b", "End"]
    press(shown, "x", "d", "End", "Control+s")
    assert shown.evaluate("() => window.heard") == ["b", "End", "Control", "s"]
    close(shown)


def test_without_scripts_there_is_a_picture_and_a_text(browser, traces):
    context = browser.new_context(java_script_enabled=False)
    shown = context.new_page()
    shown.set_content(page(player(traces["transposition"], "p1")))
    assert shown.get_by_text("Trace of `transpose`.").is_visible() and shown.locator("img").is_visible()
    assert "shadow" not in shown.locator("body").inner_text() and "@" not in shown.locator("body").inner_text()
    context.close()
    shown = show(browser, page(player(traces["transposition"], "p1")))
    shown.wait_for_selector(".player")
    assert not shown.locator("img").is_visible()
    close(shown)


def test_a_damaged_trace_leaves_the_picture(browser, traces):
    content = page(player(traces["map"], "p1"))
    cut = content.index('octet-stream">') + 40
    shown = show(browser, content[:cut] + "AAAA" + content[cut + 4 :])
    shown.get_by_text("The player could not start in this browser").wait_for()
    assert shown.locator("img").is_visible() and shown.locator(".player").count() == 0
    close(shown)


def test_a_page_may_change_its_theme_by_an_attribute(browser, traces):
    """As Sphinx's themes do."""
    style = "<style>body { background: white } [data-theme=dark] body { background: #111111 }</style>"
    shown = show(browser, page(style + player(traces["reduction"], "p1")), color_scheme="light")
    shown.locator(".player:not(.dark)").wait_for()
    shown.evaluate("() => { document.documentElement.dataset.theme = 'dark'; }")
    shown.locator(".player.dark").wait_for()
    close(shown)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDTH, 600])
def test_both_themes_and_a_narrow_page(browser, traces, tmp_path, theme, width):
    shown = show(browser, page(player(traces["reduction"], "p1")), width=width, color_scheme=theme)
    press(shown, *["ArrowRight"] * 22)
    back, ink = shown.locator(".player").evaluate(
        "box => [getComputedStyle(box).backgroundColor, getComputedStyle(box).color].map(one => one.match(/\\d+/g).map(Number))"
    )
    assert (sum(back) < 150 < 600 < sum(ink)) if theme == "dark" else (sum(ink) < 150 < 600 < sum(back))
    assert shown.evaluate("() => document.documentElement.scrollWidth") <= width, "nothing is cut off"
    columns = shown.locator(".main").evaluate("main => getComputedStyle(main).gridTemplateColumns.split(' ').length")
    assert columns == (2 if width == WIDTH else 1)
    target = screenshots(tmp_path) / f"player-{theme}-{width}.png"
    shown.locator(".player").screenshot(path=str(target))
    assert resembles(target, f"{theme}-{width}")
    # It is a comparison: another moment is not the same.
    press(shown, "Home")
    shown.locator(".player").screenshot(path=str(tmp_path / "beginning.png"))
    assert os.environ.get("UPDATE_EXPECT") == "1" or not resembles(tmp_path / "beginning.png", f"{theme}-{width}")
    close(shown)


def test_large_arrays_are_pictures(browser):
    shown = show(browser, page(player(scatter(), "p1")))
    press(shown, "ArrowRight")
    for name in ("out", "long"):
        box = shown.locator(f"[aria-label='Array {name}'] canvas").bounding_box()
        assert 60 < box["width"] <= WIDTH and 60 < box["height"] < 330, (name, box)
    out = shown.locator("[aria-label='Array out']")
    assert out.locator(".at").inner_text() == "32 lanes write"
    assert "3,000 × 3,000" in out.inner_text()
    out.locator("canvas").click(position={"x": 2, "y": 2})
    assert out.locator(".at").inner_text().startswith("out[")
    before = seen(shown)
    press(shown, "End", "Home", "ArrowRight")
    assert seen(shown) == before
    close(shown)


def calls_of(shown, name, act):
    """How often the functions of this name are called while something is done."""
    profiler = shown.context.new_cdp_session(shown)
    profiler.send("Profiler.enable")
    profiler.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": False})
    act()
    scripts = profiler.send("Profiler.takePreciseCoverage")["result"]
    profiler.detach()
    return sum(function["ranges"][0]["count"] for script in scripts for function in script["functions"] if function["functionName"] == name)


def test_a_step_back_in_a_long_film_starts_at_a_key_frame(browser):
    trace = reduction(threads=256, rounds=1_300)
    steps = len(trace["blocks"][0]["steps"])
    assert steps > 200_000
    shown = show(browser, page(player(trace, "p1")))
    shown.wait_for_selector(".player", timeout=60_000)
    press(shown, "End")
    assert count(shown) == f"step {steps:,} of {steps:,}"
    backs = 20

    def step_back():
        for _ in range(backs):
            press(shown, "ArrowLeft")

    # A step back starts at a key frame, of which there are 400 at most, and `apply` executes the steps after it.
    applied = calls_of(shown, "apply", step_back)
    assert count(shown) == f"step {steps - backs:,} of {steps:,}"
    assert backs <= applied <= (backs + 1) * (steps // 400 + 1)
    close(shown)


@pytest.mark.browser
def test_sizes(traces):
    assert len(PLAYER.read_bytes()) <= 64 << 10
    for name, trace in traces.items():
        assert len(player(trace, "p1")) < 300_000, name


@pytest.fixture(scope="module")
def notebooks(tmp_path_factory, traces):
    """JupyterLab on notebooks that have traces as outputs."""
    folder = tmp_path_factory.mktemp("notebooks")
    settings = tmp_path_factory.mktemp("settings")
    with jupyterlab(folder, write_settings(settings), "--JupyterNotebookApp.expose_app_in_browser=True") as url:
        yield folder, url


def write(path, html):
    cell = nbformat.v4.new_code_cell("trace", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("execute_result", {"text/html": html, "text/plain": "Trace"}, execution_count=1)]
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)


def open_page(browser, url, path):
    shown = browser.new_page(viewport={"width": 1200, "height": 1100}, device_scale_factor=1)
    shown.goto(f"{url}{path}{'&' if '?' in path else '?'}token={TOKEN}")
    shown.wait_for_selector(".jp-OutputArea-output")
    # Outputs are looked at; nothing runs.
    shown.locator(".jp-Dialog").get_by_role("button", name="No Kernel").click()
    return shown


def trust(shown):
    shown.evaluate(
        """() => {
            const { content, context } = window.jupyterapp.shell.currentWidget;
            for (const cell of content.model.cells) cell.trusted = true;
        }"""
    )


def test_jupyterlab(browser, notebooks, traces, tmp_path):
    folder, url = notebooks
    write(folder / "trace.ipynb", player(traces["transposition"], "p1"))
    shown = open_page(browser, url, "lab/tree/trace.ipynb?reset")
    # As it comes from somebody else, the notebook is not trusted.
    shown.get_by_text("Trace of `transpose`.").wait_for()
    assert shown.locator(".jp-OutputArea-output img").is_visible() and shown.locator(".player").count() == 0
    assert shown.locator(".jp-OutputArea-output").inner_text().strip().startswith("Trace of `transpose`.")
    hide_the_sidebar(shown)
    shown.locator(".jp-OutputArea").screenshot(path=str(screenshots(tmp_path) / "player-untrusted.png"))
    trust(shown)
    shown.locator(".player").wait_for()
    assert not shown.locator(".jp-OutputArea-output img").is_visible()
    # Keys are the player's while it has the focus: `b` and `x` do nothing to the cell.
    shown.locator(".player h1").click()
    for key in ("b", "x", "d", "d", "ArrowRight"):
        shown.keyboard.press(key)
    assert count(shown) == "step 26 of 41"
    assert shown.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.cells.length") == 1
    for theme, name in (("JupyterLab Dark", "dark"), ("JupyterLab Light", "light")):
        shown.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
        shown.wait_for_function("light => document.body.dataset.jpThemeLight === light", arg="true" if name == "light" else "false")
        expect(shown.locator(".player.dark")).to_have_count(1 if name == "dark" else 0)
        shown.screenshot(path=str(screenshots(tmp_path) / f"player-lab-{name}.png"))
    shown.close()


def test_notebook_7(browser, notebooks, traces, tmp_path):
    pytest.importorskip("notebook")
    folder, url = notebooks
    write(folder / "seven.ipynb", player(traces["race"], "p7"))
    shown = open_page(browser, url, "notebooks/seven.ipynb")
    shown.get_by_text("Trace of `shift`.").wait_for()
    trust(shown)
    shown.locator(".player").wait_for()
    shown.locator(".player h1").click()
    shown.keyboard.press("ArrowLeft")
    assert count(shown) == "step 4 of 5"
    shown.screenshot(path=str(screenshots(tmp_path) / "player-notebook-7.png"))
    shown.close()


def test_a_page_by_nbconvert(browser, traces, tmp_path):
    write(tmp_path / "page.ipynb", player(traces["bounds"], "p1"))
    body, _ = HTMLExporter(template_name="lab").from_filename(str(tmp_path / "page.ipynb"))
    (tmp_path / "page.html").write_text(body)
    shown = browser.new_page(viewport={"width": 1100, "height": 900}, device_scale_factor=1)
    shown.goto(f"file://{tmp_path}/page.html")
    shown.locator(".player").wait_for()
    shown.locator(".player").focus()
    shown.keyboard.press("Home")
    assert count(shown) == "step 0 of 3"
    shown.screenshot(path=str(screenshots(tmp_path) / "player-nbconvert.png"))
    shown.close()
