"""`warpcell run` and `warpcell test`: notebooks executed without Python, as programs that are started and end."""

import json
import os
import signal
import subprocess
import xml.etree.ElementTree as xml

import nbformat
import pexpect
import pytest

FAILS = {"tags": ["raises-exception"]}
# Nobody else's Python or Jupyter is in the way.
ENV = {**os.environ, "PATH": "/usr/bin:/bin", "JUPYTER_PATH": "/nowhere", "WARPCELL_DEVICE": os.environ.get("WARPCELL_DEVICE", "cpu")}


@pytest.fixture
def write(tmp_path):
    """Writes a notebook of code cells: each is a text, or a text and its metadata."""

    def write(*cells, name="a.ipynb", **metadata):
        notebook = nbformat.v4.new_notebook(metadata=metadata)
        for number, cell in enumerate(cells):
            source, about = (cell, {}) if isinstance(cell, str) else cell
            notebook.cells.append(nbformat.v4.new_code_cell(source, id=f"c{number}", metadata=about))
        nbformat.write(notebook, tmp_path / name)
        return name

    return write


@pytest.fixture
def warpcell(prefix, tmp_path):
    """Runs the program in the folder of the notebooks; its exit status, and all that it said."""

    def run(*words, env=ENV):
        done = subprocess.run(
            [prefix / "bin/warpcell", *words], cwd=tmp_path, env=env, text=True, timeout=1200, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        return done.returncode, done.stdout

    return run


def executed(tmp_path, name="executed/a.ipynb"):
    notebook = nbformat.read(tmp_path / name, as_version=4)
    nbformat.validate(notebook)
    return notebook


def test_a_notebook_is_executed(write, warpcell, tmp_path):
    write(
        "let a = gpu::arange(3);\nprintln!(\"first\");\neprintln!(\"second\");",
        "a.sum()",
        ("missing", FAILS),
        "use std::io::Write;\nlet _ = std::fs::File::create(\"here\").unwrap().write_all(b\"x\");",
        "let mut line = String::new();\nstd::io::stdin().read_line(&mut line).is_ok()",
        "",
        "for _ in gpu::progress(0..3) {}",
    )  # fmt: skip
    status, said = warpcell("run", "a.ipynb")
    assert status == 0 and said.endswith("The result is in executed/a.ipynb\n") and "6/6  cell 7 " in said, said
    notebook = executed(tmp_path)
    outputs = [cell.outputs for cell in notebook.cells]
    assert [(output.name, output.text) for output in outputs[0]] == [("stdout", "first\n"), ("stderr", "second\n")]
    assert outputs[1][0].data["text/plain"] == "3" and outputs[1][0].execution_count == 2
    assert outputs[2][0].ename == "CompileError" and [cell.execution_count for cell in notebook.cells] == [1, 2, 3, 4, 5, None, 6]
    assert (tmp_path / "here").read_text() == "x", "cells run in the notebook's folder"
    (bar,) = outputs[6]
    assert "3/3" in bar.data["text/plain"], "the display that was updated"
    record = notebook.metadata["warpcell"]
    assert "CPU" in record["device"] and [cell["id"] for cell in record["cells"]] == ["c0", "c1", "c2", "c3", "c4", "c6"]


@pytest.mark.parametrize(
    "cells, says, last, limit",
    [
        (["let a = 1;", "let b: i32 = \"x\";", "a"], ["cell 2 (c1)", "mismatched types", "Failed after"], 1, None),
        (["panic!(\"here\")", "1"], ["cell 1 (c0)", "here"], 0, None),
        (["std::process::abort()", "1"], ["SIGABRT"], 0, None),
        ([("1 + 1", FAILS), "1"], ["tagged `raises-exception` but did not fail"], 0, None),
        (["std::thread::sleep(std::time::Duration::from_secs(600))", "1"], ["took longer than 3 s"], 0, "3"),
        (["loop {}", "1"], ["took longer than 3 s"], 0, "3"),
        ([("println!(\"1\")", {"warpcell": {"prints": ["2"]}}), "1"], ["cell 1 (c0): \"2\" is not in its output: 1", "not as their metadata say"], 1, None),
    ],
    ids=["compile-error", "panic", "abort", "does-not-fail", "sleeps", "loops", "prints"],
)  # fmt: skip
def test_what_fails_is_said(cells, says, last, limit, write, warpcell, tmp_path):
    write(*cells)
    status, said = warpcell("run", "a.ipynb", *(["--timeout", limit] if limit else []))
    assert status == 1 and all(text in said for text in says), said
    notebook = executed(tmp_path)
    ran = [number for number, cell in enumerate(notebook.cells) if cell.execution_count or cell.outputs]
    assert not ran or max(ran) <= last
    assert notebook.metadata["warpcell"]["failed"]


def test_ctrl_c_ends_it_and_keeps_what_ran(write, prefix, tmp_path):
    write("40 + 2", "loop {}", "1")
    child = pexpect.spawn(str(prefix / "bin/warpcell"), ["run", "a.ipynb"], cwd=str(tmp_path), env=ENV, encoding="utf-8", timeout=240)
    child.expect("2/3  cell 2 +…")
    child.sendintr()
    child.expect("it was interrupted")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    notebook = executed(tmp_path)
    assert notebook.cells[0].outputs[0].data["text/plain"] == "42" and notebook.cells[2].execution_count is None


def test_sigterm_keeps_what_ran(write, prefix, tmp_path):
    """Batch systems and containers end programs in this way."""
    write("6 * 7", "loop {}", "1")
    child = pexpect.spawn(str(prefix / "bin/warpcell"), ["run", "a.ipynb"], cwd=str(tmp_path), env=ENV, encoding="utf-8", timeout=240)
    child.expect("2/3  cell 2 +…")
    child.kill(signal.SIGTERM)
    child.expect("it was interrupted")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 143
    assert executed(tmp_path).cells[0].outputs[0].data["text/plain"] == "42"


def test_cells_that_are_not_executed(write, warpcell, tmp_path):
    write("let a = 1;", ("let a = 2;\npanic!()", {"tags": ["skip-execution"]}), "a")
    status, said = warpcell("run", "a.ipynb")
    assert status == 0 and "All 2 cells ran" in said, said
    cells = executed(tmp_path).cells
    assert cells[1].execution_count is None and cells[2].outputs[0].data["text/plain"] == "1"


def test_parameters(write, warpcell, tmp_path):
    defaults = "let n = 10;\nlet scale: f32 = 0.5;\nlet name = \"x\";"
    write((defaults, {"tags": ["parameters"]}), "format!(\"{} {name}\", n as f32 * scale)")
    status, said = warpcell("run", "a.ipynb", "-p", "n", "-4", "-p", "name", "a b", "-o", "out/b.ipynb")
    assert status == 0, said
    notebook = executed(tmp_path, "out/b.ipynb")
    assert notebook.cells[1].source == "// Parameters\nlet n = -4;\nlet name = \"a b\";"
    assert notebook.cells[2].outputs[0].data["text/plain"] == '"-2 a b"'
    for wrong, says in [(("m", "1"), "no parameter `m`; its parameters are: n, scale, name"), (("n", "many"), "not an integer")]:
        status, said = warpcell("run", "a.ipynb", "-p", *wrong)
        assert status == 1 and says in said and not (tmp_path / "executed").exists(), said


def test_what_cannot_be_run(write, warpcell, tmp_path):
    (tmp_path / "text.ipynb").write_text("# a text")
    write("print(1)", name="p.ipynb", kernelspec={"name": "python3", "display_name": "Python 3", "language": "python"})
    for name, says in [("none.ipynb", "cannot be read"), ("text.ipynb", "not a notebook"), ("p.ipynb", "is in python")]:
        status, said = warpcell("run", name)
        assert status == 1 and name in said and says in said, said
        status, said = warpcell("test", name)
        assert status == 1 and name in said and says in said and "1 failed" in said, said
    assert warpcell("run", "a.ipynb", "--timeout", "0")[0] == 1 and warpcell("run")[0] == 2 and warpcell("test")[0] == 2


def test_a_long_name_of_the_folder_for_temporary_files(write, warpcell, tmp_path):
    folder = tmp_path / ("long " * 30)
    folder.mkdir()
    write("1 + 1")
    status, said = warpcell("run", "a.ipynb", env={**ENV, "TMPDIR": str(folder)})
    assert status == 0, said
    assert list(folder.iterdir()) == [], "nothing is left"


def test_a_page(write, warpcell, tmp_path):
    write("println!(\"<b>seen</b>\")")
    assert warpcell("run", "a.ipynb", "--html")[0] == 0 and warpcell("run", "a.ipynb", "-o", "b.html")[0] == 0
    for path in (tmp_path / "executed/a.html", tmp_path / "b.html"):
        text = path.read_text()
        assert "&lt;b&gt;seen&lt;/b&gt;" in text and "<b>seen" not in text
    assert not (tmp_path / "b.ipynb").exists()


def test_pictures_of_the_text_go_with_an_executed_notebook(write, warpcell, tmp_path):
    write("1 + 1")
    notebook = nbformat.read(tmp_path / "a.ipynb", as_version=4)
    notebook.cells.append(nbformat.v4.new_markdown_cell("![A picture](figures/a.svg)", id="text"))
    nbformat.write(notebook, tmp_path / "a.ipynb")
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures/a.svg").write_text("<svg/>")
    for words, folder in ((["run", "a.ipynb"], "executed"), (["test", "a.ipynb", "--output", "out"], "out")):
        status, said = warpcell(*words)
        assert status == 0, said
        assert (tmp_path / folder / "figures/a.svg").read_text() == "<svg/>"


def test_several_side_by_side(write, warpcell, tmp_path):
    write(("println!(\"1\")", {"warpcell": {"prints": ["1"]}}), name="good.ipynb")
    write("let a = 1;", "let a: u8 = \"\";", "a", name="bad.ipynb")
    status, said = warpcell("test", "good.ipynb", "bad.ipynb", "--junit", "report.xml", "--output", "out", "--html")
    assert status == 1 and "ok      good.ipynb" in said and "FAILED  bad.ipynb" in said, said
    assert "cell 2 (c1): let a: u8" in said and "2 notebooks: 1 passed, 1 failed" in said, said
    suites = {suite.get("name"): suite for suite in xml.parse(tmp_path / "report.xml").getroot()}
    counts = {name: tuple(suite.get(word) for word in ("tests", "failures", "skipped")) for name, suite in suites.items()}
    assert counts == {"good.ipynb": ("1", "0", "0"), "bad.ipynb": ("3", "1", "1")}
    assert "mismatched types" in suites["bad.ipynb"].find(".//failure").get("message")
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "good.ipynb", "bad.ipynb", "good.html", "bad.html", "index.html", "times.md", "times.json",
    }  # fmt: skip
    assert [lesson["lesson"] for lesson in json.loads((tmp_path / "out/times.json").read_text())["lessons"]] == ["bad", "good"]


def test_cells_before_a_failure_are_checked_too(write, warpcell, tmp_path):
    write(("println!(\"41\")", {"warpcell": {"prints": ["42"]}}), "panic!()", ("1", {"warpcell": {"prints": ["2"]}}))
    status, said = warpcell("test", "a.ipynb", "--junit", "report.xml")
    assert status == 1 and "cell 1 (c0)" in said and "cell 2 (c1)" in said and "cell 3" not in said, said
    (suite,) = xml.parse(tmp_path / "report.xml").getroot()
    assert [suite.get(word) for word in ("tests", "failures", "skipped")] == ["3", "2", "1"]
    status, said = warpcell("run", "a.ipynb")
    assert status == 1 and 'cell 1 (c0): "42" is not in its output' in said and "Failed after" in said, said
    assert executed(tmp_path).metadata["warpcell"]["failed"] == "c1"


def test_what_is_wrong_with_a_notebook_is_in_the_report(write, warpcell, tmp_path):
    (tmp_path / "text.ipynb").write_text("# a text")
    write("1")
    status, said = warpcell("test", "text.ipynb", "a.ipynb", "--compare", "--junit", "report.xml")
    assert status == 1 and "  the notebook: " in said, said
    errors = [suite.get("errors") for suite in xml.parse(tmp_path / "report.xml").getroot()]
    assert errors == ["1", "1"]


def test_notebooks_are_not_overwritten_by_accident(write, warpcell, tmp_path):
    write("1 + 1", "panic!()")
    before = (tmp_path / "a.ipynb").read_bytes()
    status, said = warpcell("test", "a.ipynb", "--output", ".")
    assert status == 1 and "would be overwritten" in said and (tmp_path / "a.ipynb").read_bytes() == before, said
    # A folder gets a file of the same name.
    (tmp_path / "out").mkdir()
    assert warpcell("run", "a.ipynb", "-o", "out")[0] == 1 and executed(tmp_path, "out/a.ipynb").cells[0].outputs
    # A place that cannot be written is said before the cells run.
    (tmp_path / "out/a.ipynb").unlink()
    (tmp_path / "out/a.ipynb").mkdir()
    status, said = warpcell("run", "a.ipynb", "-o", "out/a.ipynb/../a.ipynb")
    assert "out/a.ipynb" in said


def test_stored_outputs_are_compared(write, warpcell, tmp_path):
    often = "for _ in gpu::progress(0..3) { std::thread::sleep(std::time::Duration::from_millis(u64::from(std::process::id()) % 400)); }"
    write("println!(\"took {} ms\", std::process::id());", often, "%%writefile words.txt\na", "%time gpu::ones((300, 300)).sum()")
    assert warpcell("run", "a.ipynb", "-o", "a.ipynb")[0] == 0
    status, said = warpcell("test", "a.ipynb", "--compare")
    assert status == 0, said
    write("println!(\"took {} ms\", std::process::id());", "let x = std::fs::read_to_string(\"x\").unwrap();\nx", "gpu::plot(&[1.0, 2.0])")
    (tmp_path / "x").write_text("one")
    status, said = warpcell("test", "a.ipynb", "--compare")
    assert status == 1 and "no stored outputs" in said, said
    assert warpcell("run", "a.ipynb", "-o", "a.ipynb")[0] == 0
    status, said = warpcell("test", "a.ipynb", "--compare")
    assert status == 0, said
    (tmp_path / "x").write_text("two")
    status, said = warpcell("test", "a.ipynb", "--compare")
    assert status == 1 and 'line 1 of its output is `"two"`, but `"one"` is stored' in said, said
    assert warpcell("test", "a.ipynb", "--compare", "--ignore", '"(one|two)"')[0] == 0
    assert warpcell("test", "a.ipynb", "--ignore", "x")[0] == 2, "without --compare"


def test_outputs_that_are_there_are_checked(write, warpcell, tmp_path):
    write(("println!(\"{}\", 6 * 7);", {"warpcell": {"prints": ["42"]}}))
    status, said = warpcell("test", "--stored", "a.ipynb")
    assert status == 1 and '"42" is not in its output' in said, said
    assert warpcell("run", "a.ipynb", "-o", "a.ipynb")[0] == 0
    status, said = warpcell("test", "--stored", "a.ipynb")
    assert status == 0 and "1 passed" in said, said
