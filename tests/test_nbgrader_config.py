"""The configuration for nbgrader, read as nbgrader reads it, with a stand-in for nbgrader itself."""

import sys
from types import ModuleType, SimpleNamespace

import nbformat
import pytest

import notebooks

FILE = notebooks.LESSONS.parent / "assets/nbgrader_config.py"


class Config(SimpleNamespace):
    """Sections and options appear when they are named; lists can be appended to."""

    def __getattr__(self, name):
        value = [] if name == "preprocessors" else Config()
        setattr(self, name, value)
        return value


@pytest.fixture
def config(monkeypatch):
    preprocessors = ModuleType("nbgrader.preprocessors")
    preprocessors.NbGraderPreprocessor = object
    monkeypatch.setitem(sys.modules, "nbgrader", ModuleType("nbgrader"))
    monkeypatch.setitem(sys.modules, "nbgrader.preprocessors", preprocessors)
    made = Config()
    exec(compile(FILE.read_text(encoding="utf-8"), FILE, "exec"), {"get_config": lambda: made})
    return made


def test_cells_get_the_time_that_lessons_need(config):
    assert config.Execute.timeout >= 300


@pytest.mark.parametrize("name", ["A hint", "<b>Answer</b>"])
def test_solutions_that_are_text_go_and_hints_and_answers_stay(config, name):
    (clear,) = config.GenerateAssignment.preprocessors
    hint = f"<details>\n<summary>{name}</summary>\n\nLook.\n\n</details>"
    answer = "<details>\n<summary><b>Solution</b></summary>\n\nSo, without a hint.\n\n</details>"
    cells = [nbformat.v4.new_markdown_cell(text) for text in (f"Try.\n\n{hint}\n\n{answer}\n\nOn.", answer, "Text.")]
    cells.append(nbformat.v4.new_code_cell(f"// {answer}"))
    notebook, _ = clear().preprocess(nbformat.v4.new_notebook(cells=cells), {})
    assert [cell.source for cell in notebook.cells] == [f"Try.\n\n{hint}\n\nOn.", "Text.", f"// {answer}"]


def test_no_lesson_keeps_a_solution(config):
    (clear,) = config.GenerateAssignment.preprocessors
    for path in notebooks.course():
        before = nbformat.read(path, as_version=4)
        assert any("<details>" in cell.source for cell in before.cells), path
        after, _ = clear().preprocess(before, {})
        assert not any("<summary><b>Solution" in cell.source for cell in after.cells), path
