"""The notebooks in lessons/cluster/ on two workers: each cell succeeds and prints what its metadata says. They compare with NumPy themselves."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import notebooks

ROOT = Path(os.environ.get("WARPCELL_TEST_ROOT", Path(__file__).parents[2]))
#: For a notebook; on two processors each takes half a minute.
SECONDS = 400


def printed(cell: dict) -> str:
    return "".join(output["text"] for output in cell["outputs"] if output["output_type"] == "stream")


@pytest.mark.timeout(SECONDS + 60)
@pytest.mark.parametrize("path", notebooks.cluster(), ids=lambda path: path.stem)
def test_a_notebook_on_two_workers(path, tmp_path, environment):
    notebook = nbformat.read(path, 4)
    NotebookClient(notebook, timeout=SECONDS, resources={"metadata": {"path": str(tmp_path)}}).execute(env=environment)
    missing = [
        f"{cell['id']}: {text!r} is not in {printed(cell)!r}"
        for cell in notebook["cells"]
        for text in cell["metadata"].get("warpcell", {}).get("prints", [])
        if text not in printed(cell)
    ]
    assert not missing
    assert any(cell["metadata"].get("warpcell", {}).get("prints") for cell in notebook["cells"])
