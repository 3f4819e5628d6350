"""The cheat sheet of the lessons: its form, and that every Rust line on it runs, from top to bottom in one notebook."""

import ast
import re
from dataclasses import dataclass

import pytest

import notebooks

PAGE = notebooks.LESSONS / "cheat-sheet.md"
TEXT = PAGE.read_text(encoding="utf-8")

# Lines of this section must not compile, those of that one run on a GPU only.
REFUSED, CUDA_ONLY = "Found before it runs", "CUDA C"

# What begins like this is for the notebook or the shell, and no Python by itself.
NOT_PYTHON = ("%", "!", "CUDA_VISIBLE_DEVICES", "@")


@dataclass
class Row:
    section: str
    theirs: list[str]
    ours: str


def rows() -> list[Row]:
    """The rows of all tables."""
    found, section = [], ""
    for line in TEXT.splitlines():
        if line.startswith("## "):
            section = line[3:]
        if line.startswith("| `"):
            theirs, ours = re.split(r"(?<!\\)\|", line)[1:-1]
            (rust,) = notebooks.spans(ours)
            found.append(Row(section, notebooks.spans(theirs), rust))
    return found


def set_up() -> str:
    """The lines that come before the tables."""
    (code,) = re.findall(r"```rust\n(.*?)```", TEXT, re.DOTALL)
    return code


ROWS = rows()


def test_every_table_has_two_columns_of_code():
    tables = [line for line in TEXT.splitlines() if line.startswith("|")]
    assert len(ROWS) > 100
    assert all(len(re.split(r"(?<!\\)\|", line)) == 4 for line in tables)
    heads = [tables[index - 1] for index, line in enumerate(tables) if line == "|---|---|"]
    assert all(head.endswith("| Warpcell |") for head in heads)
    assert len(tables) == len(ROWS) + 2 * len(heads), "a row does not begin with code"
    assert all(row.theirs for row in ROWS)


def test_the_sections_that_are_special_exist():
    assert {REFUSED, CUDA_ONLY} <= {row.section for row in ROWS}


def test_no_line_is_there_twice():
    ours = [row.ours for row in ROWS if row.section != REFUSED]
    assert {line for line in ours if ours.count(line) > 1} <= {"a.sum()"}, "the same line stands in two rows"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.theirs[0])
def test_their_line_is_python(row):
    for line in row.theirs:
        if not line.startswith(NOT_PYTHON):
            ast.parse(line)


@pytest.fixture(scope="module")
def notebook(kernel, tmp_path_factory):
    """A notebook in a folder of its own, after the lines of the page's beginning."""
    kernel.check(f"%cd -q {tmp_path_factory.mktemp('cheat-sheet')}")
    kernel.check(set_up())
    kernel.on_gpu = kernel.check("gpu::device() != gpu::Device::Cpu").value == "true"
    return kernel


# In the order of the page: what one row defines the next may use.
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.ours[:80])
def test_our_line(notebook, row):
    result = notebook.run(row.ours)
    if row.section == REFUSED:
        assert not result.ok, f"{row.ours} is meant not to compile, but did"
        assert result.error["ename"] == "CompileError", result.error_text
    elif row.section == CUDA_ONLY and not notebook.on_gpu:
        assert not result.ok and "CPU" in result.error_text, result.summary()
    else:
        assert result.ok, result.error_text
