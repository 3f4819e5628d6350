"""Each lesson in JupyterLab, as a learner runs it: "Run All Cells" to the end, nothing fails but what should, each cell shows what its
metadata say, and its pictures can be seen.

WARPCELL_SCREENSHOTS names a folder for the pictures, of the lessons as a whole and of each plot.
"""

import io
import shutil
import subprocess

import nbformat
import numpy
import pytest
from PIL import Image

import lesson_table
import notebooks
from e2e.lab import PICTURES, close, hide_the_sidebar, open_notebook, run_all, saved, screenshots, wait_for_the_end

LESSONS = notebooks.course()

# For one lesson, on two cores that have other things to do.
LESSON_SECONDS = 1200

# The figures of the texts: there is one at least, and each is decoded.
FIGURES_ARE_SHOWN = """() => {
    const figures = [...document.querySelectorAll(".jp-RenderedMarkdown img")];
    return figures.length > 0 && figures.every(figure => figure.complete && figure.naturalWidth > 100);
}"""


def pixels(png: bytes) -> numpy.ndarray:
    """The pixels of a picture, rows by columns by red, green and blue."""
    return numpy.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


def blankness(image: numpy.ndarray) -> str | None:
    """Why a picture shows nothing, `None` if it shows something."""
    colours, counts = numpy.unique(image.reshape(-1, 3), axis=0, return_counts=True)
    commonest = counts.max() / counts.sum()
    if len(colours) < 8:
        return f"it has {len(colours)} colours only"
    if commonest > 0.995:
        return f"{100 * commonest:.1f} % of it are of one colour"
    if image.std() < 5:
        return f"its pixels differ by {image.std():.1f} only"
    return None


def test_blank_pictures_are_found():
    white = numpy.full((100, 200, 3), 255, dtype=numpy.uint8)
    assert "1 colours" in blankness(white)
    noise = numpy.random.default_rng(1).integers(0, 256, white.shape, dtype=numpy.uint8)
    assert blankness(noise) is None
    speck = white.copy()
    speck[:5, :5] = noise[:5, :5]
    assert "of one colour" in blankness(speck)
    assert "differ by" in blankness(white - noise // 64)


def test_the_course_has_the_lessons_of_all_sources():
    missing = {source["lesson"] for source in lesson_table.SOURCES.values()} - {path.stem for path in LESSONS}
    assert not missing


@pytest.mark.timeout(LESSON_SECONDS + 100)
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_runs_in_jupyterlab(lesson, browser, lab, prefix, tmp_path):
    folder = screenshots(tmp_path)
    shutil.copy(lesson, lab.folder)
    for beside in ("data", "figures"):
        shutil.copytree(notebooks.LESSONS / beside, lab.folder / beside, dirs_exist_ok=True)
    page = open_notebook(browser, lab.url, lesson.name)
    run_all(page)
    wait_for_the_end(page, LESSON_SECONDS)

    notebook = saved(page, lab)
    failed = [cell for cell in notebook.cells if notebooks.errors(cell)]
    for cell in failed:
        assert "raises-exception" in cell.metadata.get("tags", []), f"{cell.id} failed:\n{notebooks.errors(cell)}"
    kept = tmp_path / lesson.name
    nbformat.write(notebook, kept)
    checked = subprocess.run([prefix / "bin/warpcell", "test", "--stored", kept], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout

    # What a person sees: the pictures, and the errors that are meant to be.
    hide_the_sidebar(page)
    shown = page.locator(".jp-Notebook .jp-Cell")
    assert shown.count() == len(notebook.cells)
    assert [cell for cell in notebook.cells if cell.metadata.get("warpcell", {}).get("image")], "no cell shows a picture"
    for index, cell in enumerate(notebook.cells):
        if cell.metadata.get("warpcell", {}).get("image"):
            look_at_pictures(page, shown.nth(index), folder / f"{lesson.stem}-{cell.id}.png")
        if cell in failed:
            shown.nth(index).locator(".jp-OutputArea-output[data-mime-type$='.error'], [data-mime-type$='.stderr']").first.wait_for()
    assert page.locator(PICTURES).count() == sum(
        "image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])
    )
    page.wait_for_function(FIGURES_ARE_SHOWN)
    page.locator(PICTURES).last.scroll_into_view_if_needed()
    page.locator(".jp-Notebook").first.screenshot(path=str(folder / f"{lesson.stem}.png"))
    close(page)


def look_at_pictures(page, cell, file):
    """All pictures of a cell were decoded, have a size, and are not blank; `file` gets the last one."""
    pictures = cell.locator(PICTURES)
    assert pictures.count(), f"{file.stem} shows no picture"
    for index in range(pictures.count()):
        picture = pictures.nth(index)
        picture.scroll_into_view_if_needed()
        page.wait_for_function(
            "image => image.complete !== false && image.clientWidth > 100 && image.clientHeight > 100", arg=picture.element_handle()
        )
        image = pixels(picture.screenshot(path=str(file)))
        assert min(image.shape[:2]) > 100, f"{file.stem} is shown {image.shape[1]} x {image.shape[0]} pixels large"
        assert blankness(image) is None, f"{file.stem} shows nothing: {blankness(image)}"
