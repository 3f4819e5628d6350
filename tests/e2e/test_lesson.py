"""The lessons: complete and in canonical form; and those notebooks beside the course that run from top to bottom."""

import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import lesson_table
import notebooks

LESSONS = notebooks.LESSONS
PATHS = notebooks.lessons()
SOURCES = {source: entry["lesson"] for source, entry in lesson_table.SOURCES.items()}


def name(path: Path) -> str:
    """A notebook's path as test ids have it."""
    return str(path.relative_to(LESSONS).with_suffix(""))


@pytest.fixture(scope="module", params=PATHS, ids=name)
def lesson(request):
    return request.param


def cells(path: Path) -> list[dict]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def texts(path: Path) -> list[str]:
    """The texts of a notebook."""
    return ["".join(cell["source"]) for cell in cells(path) if cell["cell_type"] == "markdown"]


def sources_of(cell: dict) -> list[str]:
    return cell["metadata"].get("warpcell", {}).get("source", [])


def test_there_are_lessons():
    assert PATHS and SOURCES


def test_canonical_form(lesson):
    assert notebooks.problems(lesson) == []


@pytest.mark.parametrize("source", SOURCES)
def test_every_cell_of_the_source_lessons_has_its_equivalent(source):
    lesson = SOURCES[source]
    found = [cell for cell in cells(LESSONS / f"{lesson}.ipynb") if source in sources_of(cell)]
    assert found, f"no cell of {lesson} stands for {source}"
    assert any(cell["cell_type"] == "code" for cell in found), f"{source} needs a code cell"


def test_no_cell_names_an_unknown_source(lesson):
    for cell in cells(lesson):
        for source in sources_of(cell):
            assert SOURCES.get(source) == lesson.stem, f"{source} is not listed for this lesson in sources.json"


def test_the_gallery_and_the_table_of_the_readme_are_up_to_date():
    readme = (LESSONS / "README.md").read_text(encoding="utf-8")
    assert lesson_table.written(readme) == readme, "tests/lesson_table.py --fix mends it"


@pytest.mark.parametrize("lesson", [path for path in PATHS if path.parent == LESSONS], ids=name)
def test_a_learner_finds_questions_objectives_time_and_credit(lesson):
    text = "\n".join("".join(cell["source"]) for cell in cells(lesson) if cell["cell_type"] == "markdown")
    for part in ("Questions", "Objectives", "Time", "Key points", "Credit", "licen"):
        assert part in text, f"nothing about {part}"


@pytest.mark.parametrize("lesson", notebooks.course(), ids=name)
def test_a_learner_finds_what_comes_before_and_where_to_try(lesson):
    text = ["".join(cell["source"]) for cell in cells(lesson)]
    assert "**Prerequisites.**" in text[0]
    marked = sum(part.count("// BEGIN SOLUTION") for part in text)
    points = [cell for cell in cells(lesson) if cell["metadata"].get("warpcell", {}).get("points")]
    assert marked and points, "a challenge has a solution that students do not get, and a cell that checks the answer"


@pytest.mark.parametrize("lesson", notebooks.course(), ids=name)
def test_a_learner_does_something_within_five_cells(lesson):
    first = ["".join(cell["source"]) for cell in cells(lesson)[:5]]
    assert any("// BEGIN SOLUTION" in text for text in first), "the first exercise comes late"


@pytest.mark.parametrize("lesson", notebooks.course(), ids=name)
def test_three_questions_have_choices_and_folded_answers(lesson):
    (text,) = [text for text in texts(lesson) if "## Three questions" in text]
    questions = re.split(r"^\*\*\d\.\*\* ", text.split("## Three questions")[1], flags=re.MULTILINE)[1:]
    assert len(questions) == 3
    for question in questions:
        choices = re.findall(r"^- ([a-c])\) \S", question, re.MULTILINE)
        answer = re.search(r"<details>\n<summary><b>Answer</b></summary>\n\n([a-c])\) \S", question)
        assert choices == ["a", "b", "c"] and answer, question


def test_the_answers_of_a_course_are_not_all_the_same():
    course = "\n".join(text for lesson in notebooks.course() for text in texts(lesson))
    answers = re.findall(r"<summary><b>Answer</b></summary>\n\n([a-c])\)", course)
    assert all(answers.count(letter) >= len(answers) // 6 for letter in "abc"), answers


# What fits into a cell of JupyterLab in a window of 1280 pixels.
WIDEST = 100


def test_code_fits_a_cell(lesson):
    code = "\n".join("".join(cell["source"]) for cell in cells(lesson) if cell["cell_type"] == "code")
    assert [line for line in code.splitlines() if len(line) > WIDEST] == []


FIGURES = {path for lesson in PATHS for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", "\n".join(texts(lesson)))}


def test_figures_are_drawn(lesson):
    for text in texts(lesson):
        boxes = re.findall("[\u2500-\u257f\u25b2\u25ba\u25bc\u25c4]", text)
        assert not boxes, f"a figure is made of characters: {text}"
    described = re.findall(r"!\[([^\]]*)\]\(figures/", "\n".join(texts(lesson)))
    assert all(len(words.split()) > 5 for words in described), "say what a figure shows, for those who do not see it"
    assert described or lesson not in notebooks.course(), "no figure"


def test_the_notebooks_show_all_figures_and_no_other_pictures():
    assert FIGURES == {str(path.relative_to(LESSONS)) for path in LESSONS.glob("figures/*")}


@pytest.mark.parametrize("figure", sorted(FIGURES))
def test_a_figure_can_be_read_in_both_themes(figure):
    root = ElementTree.parse(LESSONS / figure).getroot()
    svg = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{svg}svg" and root.find(f"{svg}title").text
    width, height = float(root.get("width")), float(root.get("height"))
    assert width <= 760, "it would be wider than the text"
    ground = root.find(f"{svg}rect")
    assert ground.get("fill") == "#ffffff", "it has no ground of its own"
    assert (float(ground.get("width")), float(ground.get("height"))) == (width - 1, height - 1)


GLOSSARY = (LESSONS / "glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^### (.+)$", GLOSSARY, re.MULTILINE)


def test_the_glossary_is_in_order_and_names_lessons():
    assert sorted(TERMS, key=str.lower) == TERMS
    numbers = {str(int(path.stem[:2])) for path in notebooks.course()}
    for entry in GLOSSARY.split("### ")[1:]:
        named = re.findall(r"\((\d)\)", entry)
        assert named and set(named) <= numbers, entry


@pytest.mark.parametrize("lesson", [path for path in PATHS if path.parent == LESSONS], ids=name)
def test_terms_lead_to_the_glossary(lesson):
    assert "[glossary](glossary.md)" in texts(lesson)[0]
    anchors = {term.lower().replace(" ", "-") for term in TERMS}
    linked = set(re.findall(r"\(glossary\.md#([^)]+)\)", "\n".join(texts(lesson))))
    assert linked <= anchors
    assert linked or lesson not in notebooks.course()


def test_files_that_notebooks_read_say_where_they_are_from():
    sources = "\n".join("".join(cell["source"]) for lesson in PATHS for cell in cells(lesson))
    read = set(re.findall(r'"(data/[^"]+)"', sources))
    assert read and read == {str(path.relative_to(LESSONS)) for path in LESSONS.glob("data/*")}
    for path in read:
        lines = (LESSONS / path).read_text(encoding="utf-8").splitlines()
        head = "\n".join(line for line in lines if line.startswith("#"))
        assert re.search(r"public domain|CC0|CC BY", head), f"{path} names no licence"


# The lessons of the course are run by test_course.py, in a browser, with the same checks and some more.
@pytest.mark.parametrize("lesson", [path for path in PATHS if path not in notebooks.course()], ids=name)
def test_it_runs_and_only_what_should_fail_does(lesson, prefix, tmp_path):
    command = [prefix / "bin/warpcell", "run", lesson, "--output", tmp_path / "executed.ipynb", "--timeout", "300"]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout)
    assert done.returncode == 0


def test_a_cell_that_is_meant_to_fail_says_how(lesson):
    for cell in cells(lesson):
        is_meant_to = "raises-exception" in cell["metadata"].get("tags", [])
        assert is_meant_to == bool(cell["metadata"].get("warpcell", {}).get("error")), cell["id"]
