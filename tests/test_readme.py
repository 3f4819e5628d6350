"""The script that follows the README, on repositories made here, whose install.sh writes a notebook and builds nothing."""

import subprocess
from pathlib import Path

import nbformat
import pytest

import readme

README = """# A product

## Try it

First

```console
$ ./install.sh --run lessons/01-convolution.ipynb   # some minutes
```

says where the result is, and

```console
$ ./tests/run
```

runs all tests.

## Go on

```console
$ false
```
"""

INSTALL = """#!/usr/bin/env bash
set -e
[ "$1 $2" = "--run lessons/01-convolution.ipynb" ] && [ -z "${VIRTUAL_ENV:-}" ]
mkdir -p lessons/executed
cp executed.json lessons/executed/01-convolution.ipynb
echo "The result is in lessons/executed/01-convolution.ipynb"
"""


def executed(count: int | None = 1, tags=(), failed: bool = False) -> nbformat.NotebookNode:
    outputs = [nbformat.v4.new_output("stream", name="stdout", text="CPU")]
    if failed:
        outputs.append(nbformat.v4.new_output("error", ename="Panic", evalue="it broke", traceback=["it broke"]))
    cell = nbformat.v4.new_code_cell("gpu::device()", id="device", outputs=outputs, execution_count=count)
    cell.metadata = {"tags": list(tags)}
    return nbformat.v4.new_notebook(cells=[cell])


def repository(folder: Path, notebook=None, text: str = README, install: str = INSTALL) -> Path:
    """A repository with this README, install.sh, and what that gives as the executed lesson."""
    folder.mkdir()
    (folder / "README.md").write_text(text)
    (folder / "install.sh").write_text(install)
    (folder / "install.sh").chmod(0o755)
    (folder / ".gitignore").write_text("executed/\n")
    nbformat.write(notebook or executed(), folder / "executed.json")
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-qm", "All"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


def follow(origin: Path, tmp_path: Path) -> int:
    return readme.main(["--repository", str(origin), "--keep", str(tmp_path)])


def test_it_follows_the_readme(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("VIRTUAL_ENV", "/somewhere")
    assert follow(repository(tmp_path / "origin"), tmp_path) == 0
    assert (tmp_path / "a fresh clone/lessons/executed/01-convolution.ipynb").is_file()
    said = capfd.readouterr().out
    assert said.count("$ ") == 1 and "to the end of the first lesson" in said


def test_a_cell_that_is_meant_to_fail_may(tmp_path):
    assert follow(repository(tmp_path / "origin", executed(tags=["raises-exception"], failed=True)), tmp_path) == 0


@pytest.mark.parametrize(
    "made, says",
    [
        ({"install": INSTALL.replace("mkdir", "false; mkdir")}, "ended with 1"),
        ({"install": "#!/bin/sh\nexec false\n"}, "ended with 1"),
        ({"install": INSTALL.replace("cp executed.json", ": ")}, "there is no 01-convolution.ipynb"),
        ({"install": INSTALL.replace("echo", ": ")}, "does not say that the result is in"),
        ({"install": INSTALL + "touch new\n"}, "has changed the clone:\n?? new"),
        ({"notebook": executed(failed=True)}, "the cell device failed"),
        ({"notebook": executed(count=None)}, "the cell device did not run"),
        ({"text": "# A product\n"}, 'no section "Try it"'),
        ({"text": README.replace("01-convolution", "02-arrays")}, "runs lessons/01-convolution.ipynb"),
        ({"text": README.replace("```console", "```")}, "there are: []"),
    ],
)
def test_what_does_not_hold_is_said(made, says, tmp_path, capfd):
    assert follow(repository(tmp_path / "origin", **made), tmp_path) == 1
    assert says in capfd.readouterr().err


def test_a_repository_that_is_not_there(tmp_path, capfd):
    assert follow(tmp_path / "nowhere", tmp_path) == 1
    assert "cannot be cloned" in capfd.readouterr().err


def test_the_readme_of_this_repository():
    text = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    assert readme.commands(text)[0] == "./install.sh --run lessons/01-convolution.ipynb"
