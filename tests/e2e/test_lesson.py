"""The lessons: complete and in canonical form; and those notebooks beside the course that run from top to bottom."""

import json
import subprocess
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
