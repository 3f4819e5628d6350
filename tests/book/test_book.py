"""The book of lessons, made once: its pages and their titles, its links, its search, both themes in Chromium, and that it needs no network.
WARPCELL_SCREENSHOTS names a folder that gets pictures.
"""

from __future__ import annotations

import functools
import http.server
import json
import os
import re
import subprocess
import threading
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from e2e.lab import browser, screenshots  # noqa: F401

ROOT = Path(os.environ["WARPCELL_TEST_ROOT"])
PREFIX = Path(os.environ["WARPCELL_TEST_PREFIX"])
# The folder of a Python that has Sphinx.
TOOLS = os.environ["WARPCELL_TEST_BOOK"]
LESSONS = [*sorted(path.name for path in (ROOT / "lessons").glob("0*.ipynb")), "puzzles.ipynb"]
ON_RANKS = [f"distributed/{path.name}" for path in sorted((ROOT / "lessons/distributed").glob("*.ipynb"))]
IN_PYTHON = [f"cluster/{path.name}" for path in sorted((ROOT / "lessons/cluster").glob("*.ipynb"))]
REPOSITORY = "https://github.com/owner/name"
SOLUTION = re.compile(r"// BEGIN SOLUTION\n(.*?)// END SOLUTION", re.DOTALL)


def make(directory: Path, *options: str, path: str | None = None) -> subprocess.CompletedProcess:
    command = [PREFIX / "bin/warpcell", "lessons", "book", directory, *options]
    env = os.environ | {"PATH": path or f"{TOOLS}:{os.environ['PATH']}"}
    return subprocess.run(command, env=env, text=True, capture_output=True, timeout=1200)


@dataclass
class Page(HTMLParser):
    """What the tests read of a page."""

    path: Path
    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    # What a browser gets by itself.
    loaded: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    text: str = ""
    # The text without the outputs of cells.
    written: str = ""

    def __post_init__(self):
        super().__init__()
        self.inside: list[str] = []
        # How many elements `div` are around the place, and which of them is that of outputs.
        self.depth, self.outputs = 0, None
        self.feed(self.path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        self.ids |= {known[name] for name in ("id", "name") if known.get(name)}
        if tag == "a" and known.get("href"):
            self.links.append(known["href"])
        if tag in ("img", "script", "iframe", "source", "video") and known.get("src"):
            self.loaded.append(known["src"])
        if tag == "link" and {"stylesheet", "preload", "icon"} & set(known.get("rel", "").split()):
            self.loaded.append(known["href"])
        if tag == "h1":
            self.headings.append("")
        if tag == "div":
            self.depth += 1
            if self.outputs is None and "cell_output" in known.get("class", "").split():
                self.outputs = self.depth
        if tag in ("h1", "script", "style", "a"):
            self.inside.append(tag)

    def handle_endtag(self, tag):
        if self.inside and self.inside[-1] == tag:
            self.inside.pop()
        if tag == "div":
            if self.outputs == self.depth:
                self.outputs = None
            self.depth -= 1

    def handle_data(self, text):
        if not {"script", "style"} & set(self.inside):
            self.text += text
            if self.outputs is None:
                self.written += text
        # The sign beside a heading is a link.
        if "h1" in self.inside and "a" not in self.inside:
            self.headings[-1] += text


@dataclass
class Book:
    html: Path
    said: str
    pages: dict[str, Page]

    def page(self, name: str) -> Page:
        return self.pages[f"{name.removesuffix('.ipynb')}.html"]


@pytest.fixture(scope="module")
def book(tmp_path_factory) -> Book:
    folder = tmp_path_factory.mktemp("book")
    api = folder / "doc"
    (api / "warpcell").mkdir(parents=True)
    (api / "warpcell/index.html").write_text("<title>warpcell</title><h1>warpcell</h1>")
    made = make(folder / "book", "--jobs", "2", "--repository", REPOSITORY, "--api", str(api))
    assert made.returncode == 0, made.stdout + made.stderr
    assert "WARNING" not in made.stderr, made.stderr
    html = folder / "book/html"
    assert sorted(path.name for path in html.parent.iterdir()) == ["html", "source"]
    # What is in `_static` is the theme's.
    paths = [path for path in sorted(html.rglob("*.html")) if "_static" not in path.parts]
    pages = {str(path.relative_to(html)): Page(path) for path in paths}
    return Book(html, made.stdout, pages)


def notebook(name: str) -> list[dict]:
    cells = json.loads((ROOT / "lessons" / name).read_text(encoding="utf-8"))["cells"]
    return [cell | {"source": "".join(cell["source"])} for cell in cells]


@pytest.mark.parametrize("name", [*LESSONS, *ON_RANKS])
def test_each_lesson_is_a_page_with_its_title_outputs_and_times(book, name):
    page = book.page(f"lessons/{name}")
    title = notebook(name)[0]["source"].split("\n")[0].removeprefix("# ")
    assert set(page.headings) == {title}
    assert "The outputs of this page were measured in this run" in page.text
    assert f"{name}: " in book.said
    pictures = [address for address in page.loaded if "_images/" in address or address.startswith("data:image/")]
    drawings = page.path.read_text(encoding="utf-8").count("<svg")
    assert name in ON_RANKS or len(pictures) + drawings > 1, "neither figures nor plots"
    assert any(address.startswith("https://mybinder.org/v2/gh/owner/name/main?") for address in page.links)
    assert any(address.startswith("https://colab.research.google.com/github/owner/name/") for address in page.links)
    assert downloads(page) == [Path(name).name]


def downloads(page: Page) -> list[str]:
    return [Path(address).name for address in page.links if "_downloads/" in address]


@pytest.mark.parametrize("name", IN_PYTHON)
def test_notebooks_in_python_are_pages_that_say_that_they_were_not_executed(book, name):
    page = book.page(f"lessons/{name}")
    assert set(page.headings) == {notebook(name)[0]["source"].split("\n")[0].removeprefix("# ")}
    assert "It was not executed for this page." in page.text and "## Times" not in page.text
    assert downloads(page) == [Path(name).name]


def test_stored_figures_stand_beside_those_of_this_run(book):
    text = book.page("lessons/01-convolution").text
    assert re.search(r"time-host\n?%timeit.*\n*\s*[\d.]+ [mμ]?s ± ", text), text[-3000:]
    assert "They were not measured for this page." in text and "one H200" in text


def test_students_pages_have_no_solutions(book):
    """No line that only a solution has, neither on pages nor in downloads. An error that is meant to be may say the line to write."""
    texts = {name: "\n".join(cell["source"] for cell in notebook(name)) for name in LESSONS}
    open_text = "".join(SOLUTION.sub("", text) for text in texts.values())
    solved = {line.strip() for text in texts.values() for part in SOLUTION.findall(text) for line in part.split("\n")}
    solved = {line for line in solved if len(line) > 25 and line not in open_text}
    assert len(solved) > 20
    for name, page in book.pages.items():
        if "instructors/" not in name and "solutions/" not in name:
            assert page.written and not [line for line in solved if line in page.written], name
    offered = list((book.html / "_downloads").rglob("*.ipynb"))
    assert len(offered) == len(LESSONS + ON_RANKS + IN_PYTHON)
    for path in offered:
        code = "\n".join("".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"])
        assert not [line for line in solved if line in code], path


def test_tables_terms_notes_and_the_library_have_pages(book):
    for name in ("lessons/cheat-sheet", "lessons/first-lines", "lessons/glossary", "prelude/NUMPY", "prelude/SCIPY", "kernel/MAGICS", "prelude/DISTRIBUTED", "api"):
        assert len(set(book.page(name).headings)) == 1, name
    for path in (ROOT / "lessons/instructors").glob("*.md"):
        assert len(set(book.page(f"lessons/instructors/{path.stem}").headings)) == 1, path
    assert "api/warpcell/index.html" in book.page("api").links
    contents = book.page("index").links
    for name in book.pages:
        if name.startswith(("lessons/", "prelude/", "kernel/")):
            assert name in contents, f"{name} is not in the table of contents"


def test_links_lead_somewhere(book):
    checked = 0
    for name, page in book.pages.items():
        for address in page.links + page.loaded:
            parts = urlsplit(address)
            if address.startswith(REPOSITORY + "/blob/main/"):
                path = parts.path.split("/blob/main/")[1]
                assert (ROOT / path).exists() and "solutions" not in path and "instructors" not in path, f"{name}: {address}"
            if parts.scheme or parts.netloc:
                continue
            target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
            assert target.is_file(), f"{name}: {address}"
            found = book.pages.get(str(target.relative_to(book.html.resolve())))
            if parts.fragment and found:
                assert unquote(parts.fragment) in found.ids | {"", "_"}, f"{name}: {address}"
            checked += 1
    assert checked > 1000


def test_nothing_is_loaded_from_elsewhere(book):
    for name, page in book.pages.items():
        elsewhere = [address for address in page.loaded if urlsplit(address).netloc]
        assert not elsewhere, f"{name}: {elsewhere}"
    for style in (book.html / "_static").rglob("*.css"):
        assert not re.search(r"(url\(|@import )[\"']?(https?:)?//", style.read_text(encoding="utf-8")), style


@pytest.fixture(scope="module")
def address(book):
    """The book's address on a server, as it would be published."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=book.html))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture
def opened(browser, address):  # noqa: F811
    """A page in a browser. What it loads from elsewhere and errors of its scripts fail the test."""
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page.set_default_timeout(120_000)
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: request.url.startswith(("http", "ws")) and not request.url.startswith(address) and problems.append(request.url))
    yield page
    page.close()
    assert not problems


def lightness(page, selector: str, what: str) -> float:
    """How light a colour of an element is, from 0 to 255."""
    colour = page.eval_on_selector(selector, f"element => getComputedStyle(element).{what}")
    return sum(float(part) for part in re.findall(r"[\d.]+", colour)[:3]) / 3


@pytest.mark.parametrize("name", ["01-convolution", "puzzles"])
def test_both_themes(opened, address, name, tmp_path):
    opened.goto(f"{address}/lessons/{name}.html")
    code = "div.cell_input pre"
    seen = {}
    for theme in ("light", "dark"):
        opened.locator("button.theme-switch-button").locator("visible=true").first.click()
        opened.locator(f"button.theme-change-button[data-mode={theme}]").locator("visible=true").first.click()
        assert opened.get_attribute("html", "data-theme") == theme
        # The menu closes.
        opened.keyboard.press("Escape")
        seen[theme] = lightness(opened, "body", "backgroundColor"), lightness(opened, "article p", "color"), lightness(opened, code, "backgroundColor")
        folder = screenshots(tmp_path)
        opened.screenshot(path=folder / f"book-{name}-{theme}.png")
        opened.locator("article h2", has_text="Times").last.scroll_into_view_if_needed()
        opened.screenshot(path=folder / f"book-{name}-{theme}-times.png")
        opened.locator("article h1").first.scroll_into_view_if_needed()
    page, text, source = seen["light"]
    assert page > 240 and text < 80 and source > 220, seen
    page, text, source = seen["dark"]
    assert page < 60 and text > 170 and source < 80, seen
    # What outputs say can be read, too.
    outputs = opened.locator("div.cell_output .text_html").count()
    assert outputs or name != "puzzles"
    if outputs:
        assert lightness(opened, "div.cell_output .text_html", "color") > 170
    opened.set_viewport_size({"width": 400, "height": 800})
    opened.screenshot(path=folder / f"book-{name}-phone.png")
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth"), "a phone shows a part of the page's width only"


def test_search_finds_lessons(opened, address):
    opened.goto(f"{address}/search.html?q=bottleneck")
    result = opened.locator("#search-results li a", has_text="Convolution").first
    result.click()
    assert opened.title().startswith("Lesson 1: Convolution")


def test_without_sphinx_the_line_for_pip_is_said(tmp_path):
    made = make(tmp_path / "book", path="/nowhere")
    pins = (ROOT / "assets/requirements-book.txt").read_text().split()
    assert made.returncode == 1 and made.stderr.strip().endswith(f"pip install {' '.join(pins)}"), made.stderr
    assert not (tmp_path / "book").exists()
