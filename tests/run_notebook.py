"""Executes a notebook in a fresh kernel and says how it went: ./install.sh --run, and the lesson tests.

A cell that fails ends the run, unless its tag `raises-exception` says that it is meant to fail; a cell with that tag
that does not fail is a failure too. The executed notebook is written in either case.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError


@dataclass
class Failure:
    """Why a run counts as failed: the cell's index and a text for a person."""

    cell: int
    text: str


def plain(text: str) -> str:
    """Text without terminal colours."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)


def errors(cell: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """The error outputs of a cell."""
    return [output for output in cell.get("outputs", []) if output.output_type == "error"]


def execute(notebook: nbformat.NotebookNode, folder: Path, cell_seconds: int, report=lambda *_: None) -> Failure | None:
    """Runs all cells in place, top to bottom; `report(index, cell, seconds)` is called after each code cell."""
    client = NotebookClient(notebook, timeout=cell_seconds, resources={"metadata": {"path": str(folder)}})
    with client.setup_kernel():
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type != "code":
                continue
            start = time.monotonic()
            try:
                client.execute_cell(cell, index)
            except CellExecutionError:
                pass  # judged below, from the cell's outputs
            except (CellTimeoutError, DeadKernelError) as error:
                return Failure(index, plain(str(error)))
            report(index, cell, time.monotonic() - start)
            meant_to_fail = "raises-exception" in cell.metadata.get("tags", [])
            failed = errors(cell)
            if failed and not meant_to_fail:
                text = "\n".join(failed[0].traceback) or f"{failed[0].ename}: {failed[0].evalue}"
                return Failure(index, plain(text))
            if meant_to_fail and not failed:
                return Failure(index, "this cell is tagged raises-exception but did not fail")
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebook", type=Path)
    parser.add_argument("--output", type=Path, help="default: executed/NAME beside the notebook")
    parser.add_argument("--cell-seconds", type=int, default=600, help="limit for one cell (default: %(default)s)")
    arguments = parser.parse_args()
    output = arguments.output or arguments.notebook.parent / "executed" / arguments.notebook.name

    notebook = nbformat.read(arguments.notebook, as_version=4)
    total = sum(cell.cell_type == "code" for cell in notebook.cells)
    done = 0

    def report(_index: int, cell: nbformat.NotebookNode, seconds: float) -> None:
        nonlocal done
        done += 1
        lines = cell.source.strip().splitlines() or [""]
        print(f"  cell {done}/{total}  {seconds:6.2f} s  {lines[0][:60]}", flush=True)

    print(f"Running {arguments.notebook}", flush=True)
    start = time.monotonic()
    failure = execute(notebook, arguments.notebook.resolve().parent, arguments.cell_seconds, report)
    output.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, output)
    seconds = time.monotonic() - start
    if failure:
        print(f"\n{notebook.cells[failure.cell].source}\n\n{failure.text}\n", file=sys.stderr)
        print(f"Failed after {seconds:.1f} s. What ran until then is in {output}", file=sys.stderr)
        return 1
    print(f"All {total} cells ran in {seconds:.1f} s. The result is in {output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
