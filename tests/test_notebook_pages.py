"""Pages and tables of executed notebooks, made of notebooks written here: no kernel runs."""

import base64
import json
import re
import sys

import nbformat
import pytest

import notebook_pages
import run_notebook

# One white pixel.
PNG = base64.b64encode(
    bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
        "0000000a49444154789c63f80f00010101001bb6ee560000000049454e44ae426082"
    )
).decode()


def code(cell_id, source, outputs=(), **metadata):
    cell = nbformat.v4.new_code_cell(source, id=cell_id, metadata=metadata, outputs=list(outputs))
    cell.execution_count = 1
    return cell


def stream(text):
    return nbformat.v4.new_output("stream", name="stdout", text=text)


def image():
    return nbformat.v4.new_output("display_data", data={"image/png": PNG, "text/plain": "picture"})


def error(text):
    return nbformat.v4.new_output("error", ename="CompileError", evalue=text, traceback=[f"\x1b[31m{text}\x1b[0m"])


def executed(*cells, **record):
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("# A lesson\n\nWith $\\frac{1}{\\sigma}$, and [another](other.ipynb).", id="title"), *cells]
    )
    notebook.metadata["language_info"] = {"name": "rust", "pygments_lexer": "rust"}
    notebook.metadata["warpcell"] = {
        "device": "CPU: <two> threads", "executed": "2026-11-22", "seconds": 4.5,
        "cells": [{"id": name, "seconds": seconds} for name, seconds in (("a", 1), ("b", 3), ("c", 0.25), ("d", 0.2))],
    } | record  # fmt: skip
    return notebook


@pytest.fixture
def folder(tmp_path):
    for name in ("lesson", "other"):
        nbformat.write(executed(code("show", "gpu::imshow(&a);", [image(), stream("printed")])), tmp_path / f"{name}.ipynb")
    return tmp_path


def test_a_page_needs_no_network(folder):
    text = notebook_pages.page(nbformat.read(folder / "lesson.ipynb", as_version=4), folder)
    assert not re.search(r'<(script|link|img|iframe)[^>]*(src|href)="(https?:)?//', text)
    assert "<title>A lesson</title>" in text and "printed" in text
    assert "<mfrac>" in text and "MathJax" not in text, "the formula is not MathML"
    assert f"data:image/png;base64,{PNG[:20]}" in text and 'alt="Picture of the cell show"' in text
    assert 'href="other.html"' in text, "a lesson that is a page too is not linked as one"


def test_without_latex2mathml_formulas_stay_tex_and_a_script_sets_them(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "latex2mathml", None)
    text = notebook_pages.page(nbformat.read(folder / "lesson.ipynb", as_version=4), folder)
    assert "$\\frac{1}{\\sigma}$" in text and "MathJax" in text


def test_a_folder_gets_pages_an_index_and_tables(folder):
    nbformat.write(executed(failed="b", device=""), folder / "third.ipynb")
    nbformat.write(nbformat.v4.new_notebook(), folder / "never-run.ipynb")
    names = {path.name for path in notebook_pages.write(folder)}
    assert names == {"times.json", "times.md", "index.html", "lesson.html", "other.html", "third.html", "never-run.html"}
    index = (folder / "index.html").read_text()
    assert '<a href="lesson.html">A lesson</a>' in index and "CPU: &lt;two&gt; threads" in index and "failed at b" in index
    lines = (folder / "times.md").read_text().splitlines()
    assert lines[2] == "| A lesson | CPU: <two> threads | 2026-11-22 | 4.5 | `b` 3.0, `a` 1.0, `c` 0.2 |"
    assert lines[4].startswith("| A lesson | unknown | 2026-11-22 | failed at b |") and len(lines) == 5
    lessons = json.loads((folder / "times.json").read_text())["lessons"]
    assert [lesson["lesson"] for lesson in lessons] == ["lesson", "other", "third"]
    assert lessons[0]["seconds"] == 4.5 and lessons[0]["cells"][1] == {"id": "b", "seconds": 3}


def test_without_nbconvert_there_are_the_tables(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "nbconvert", None)
    assert {path.name for path in notebook_pages.write(folder)} == {"times.json", "times.md"}
    monkeypatch.setattr(sys, "argv", ["run_notebook.py", "--convert", str(folder)])
    with pytest.raises(SystemExit):
        run_notebook.main()


def test_converting_is_possible_afterwards(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["run_notebook.py", "--convert", str(folder)])
    assert run_notebook.main() == 0
    assert (folder / "lesson.html").is_file() and "index.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments, says",
    [
        ([], "which notebook?"),
        (["a.ipynb", "b.ipynb"], "need --html"),
        (["missing.ipynb"], "not there: missing.ipynb"),
        (["--convert", "nowhere"], "not there: nowhere"),
        (["--convert", ".", "a.ipynb"], "nothing else"),
        (["--html", "d", "--output", "f", "a.ipynb"], "exclude each other"),
    ],
)
def test_wrong_arguments_are_said(arguments, says, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["run_notebook.py", *arguments])
    with pytest.raises(SystemExit) as stopped:
        run_notebook.main()
    assert stopped.value.code == 2 and says in capsys.readouterr().err


@pytest.mark.parametrize(
    "cell, found",
    [
        (code("a", "x", [stream("one two")], warpcell={"prints": ["two"]}), None),
        (code("a", "x", [stream("one two")], warpcell={"prints": ["three"]}), "a: 'three' is not in its output"),
        (code("a", "x", [image()], warpcell={"image": True}), None),
        (code("a", "x", [stream("text")], warpcell={"image": True}), "a: it should show an image"),
        (code("a", "x", [error("needs arrays")], warpcell={"error": ["needs arrays"]}), None),
        (code("a", "x", [error("cannot add")], warpcell={"error": ["needs arrays"]}), "a: 'needs arrays' is not in the error"),
        (code("a", "x", [error("cannot add")], tags=["raises-exception"]), "a: a cell that is meant to fail says how"),
        (code("a", "x", [], warpcell={"error": ["needs arrays"]}), "a: it should fail"),
    ],
)
def test_surprises(cell, found):
    surprises = run_notebook.surprises(executed(cell))
    assert (surprises == []) if found is None else (len(surprises) == 1 and surprises[0].startswith(found)), surprises
