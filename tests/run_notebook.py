"""Executes notebooks in fresh kernels and says how it went: ./install.sh --run, the lesson tests, the lessons' pages.

    run_notebook.py NOTEBOOK [--output FILE]   one notebook; FILE is a notebook or, if it ends with .html, a page
    run_notebook.py --html DIR NOTEBOOK...     each into DIR, with pages of all that is there, and tables of times
    run_notebook.py --convert DIR              pages and tables of notebooks that were executed into DIR, elsewhere too

A cell that fails ends the run, unless its tag `raises-exception` says that it is meant to fail; a cell with that tag
that does not fail is a failure too, and so is an output that is not what the cell's metadata say of it. The executed
notebook is written in any case. Pages need nbconvert, which comes with JupyterLab; where it is missing, --html leaves them
to --convert.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat
from jupyter_core.utils import run_sync
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

import notebook_pages


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
    """Runs all cells in place, top to bottom; `report(index, cell, seconds)` is called after each code cell. What
    `notebook_pages` tells of the run goes to the notebook's metadata."""
    client = NotebookClient(notebook, timeout=cell_seconds, resources={"metadata": {"path": str(folder)}})
    record = notebook.metadata["warpcell"] = nbformat.NotebookNode(device="", executed=time.strftime("%Y-%m-%d"), cells=[])
    failure = None
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
                failure = Failure(index, plain(str(error)))
                break
            seconds = time.monotonic() - start
            record.cells.append({"id": cell.get("id", ""), "seconds": round(seconds, 3)})
            report(index, cell, seconds)
            meant_to_fail = "raises-exception" in cell.metadata.get("tags", [])
            failed = errors(cell)
            if failed and not meant_to_fail:
                text = "\n".join(failed[0].traceback) or f"{failed[0].ename}: {failed[0].evalue}"
                failure = Failure(index, plain(text))
                break
            if meant_to_fail and not failed:
                failure = Failure(index, "this cell is tagged raises-exception but did not fail")
                break
        else:
            record.device = device(client)
    if failure:
        record.failed = notebook.cells[failure.cell].get("id", str(failure.cell))
    return failure


def device(client: NotebookClient) -> str:
    """What the notebook's kernel computes on; empty if it cannot say so, being another kernel."""
    said = []
    hook = lambda message: said.append(message["content"].get("text", ""))  # noqa: E731
    code = 'println!("{}", gpu::device_info());'
    reply = run_sync(client.kc.execute_interactive)(code, store_history=False, timeout=60, output_hook=hook)
    return "".join(said).strip() if reply["content"]["status"] == "ok" else ""


def surprises(notebook: nbformat.NotebookNode) -> list[str]:
    """Where the outputs of an executed notebook are not what the cells' metadata say of them (see lessons/README.md)."""
    found = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        promised = cell.metadata.get("warpcell", {})
        failed = errors(cell)
        shown = "".join(output.get("text", "") for output in cell.outputs)
        shown += "".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)
        if failed and not promised.get("error"):
            found.append(f"{cell.id}: a cell that is meant to fail says how in its metadata")
        if promised.get("error") and not failed:
            found.append(f"{cell.id}: it should fail")
        for text in promised.get("error", []) if failed else []:
            if text not in plain("\n".join(failed[0].traceback)):
                found.append(f"{cell.id}: {text!r} is not in the error: {plain(failed[0].evalue)[:1000]}")
        for text in promised.get("prints", []):
            if text not in shown:
                found.append(f"{cell.id}: {text!r} is not in its output: {shown[:1000]}")
        if promised.get("image") and not any("image/png" in output.get("data", {}) for output in cell.outputs):
            found.append(f"{cell.id}: it should show an image")
    return found


def run(path: Path, output: Path, cell_seconds: int) -> bool:
    """Executes a notebook, writes it, and prints how it went; whether it went well."""
    notebook = nbformat.read(path, as_version=4)
    total = sum(cell.cell_type == "code" for cell in notebook.cells)
    done = 0

    def report(_index: int, cell: nbformat.NotebookNode, seconds: float) -> None:
        nonlocal done
        done += 1
        lines = cell.source.strip().splitlines() or [""]
        print(f"  cell {done}/{total}  {seconds:6.2f} s  {lines[0][:60]}", flush=True)

    print(f"Running {path}", flush=True)
    start = time.monotonic()
    failure = execute(notebook, path.resolve().parent, cell_seconds, report)
    seconds = time.monotonic() - start
    notebook.metadata.warpcell.seconds = round(seconds, 1)
    unexpected = [] if failure else surprises(notebook)
    if unexpected:
        notebook.metadata.warpcell.failed = unexpected[0].split(":", 1)[0]
    output.parent.mkdir(parents=True, exist_ok=True)
    if output.suffix == ".html":
        output.write_text(notebook_pages.page(notebook, path.resolve().parent), encoding="utf-8")
    else:
        nbformat.write(notebook, output)
    if failure:
        print(f"\n{notebook.cells[failure.cell].source}\n\n{failure.text}\n", file=sys.stderr)
        print(f"Failed after {seconds:.1f} s. What ran until then is in {output}", file=sys.stderr)
        return False
    if unexpected:
        print("\n" + "\n".join(unexpected) + "\n", file=sys.stderr)
        print(f"All {total} cells ran in {seconds:.1f} s, but not as their metadata say. The result is in {output}", file=sys.stderr)
        return False
    print(f"All {total} cells ran in {seconds:.1f} s. The result is in {output}")
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", type=Path, nargs="*", metavar="NOTEBOOK")
    parser.add_argument("--output", type=Path, metavar="FILE", help="default: executed/NAME beside the notebook")
    parser.add_argument("--html", type=Path, metavar="DIR", help="where executed notebooks, pages and times go")
    parser.add_argument("--convert", type=Path, metavar="DIR", help="make the pages of the notebooks in this folder")
    parser.add_argument("--cell-seconds", type=int, default=600, help="limit for one cell (default: %(default)s)")
    arguments = parser.parse_args()
    notebooks, folder = arguments.notebooks, arguments.html or arguments.convert
    if arguments.convert and (notebooks or arguments.html or arguments.output):
        parser.error("--convert takes a folder of executed notebooks and nothing else")
    if not arguments.convert and not notebooks:
        parser.error("which notebook?")
    if arguments.html and arguments.output:
        parser.error("--html and --output exclude each other")
    if len(notebooks) > 1 and not arguments.html:
        parser.error("several notebooks need --html and a folder")
    missing = [str(path) for path in [*notebooks, *([arguments.convert] if arguments.convert else [])] if not path.exists()]
    if missing:
        parser.error(f"not there: {', '.join(missing)}")
    page_is_wanted = arguments.convert or (arguments.output and arguments.output.suffix == ".html")
    if page_is_wanted and not notebook_pages.possible():
        parser.error(f"a page needs nbconvert: {sys.executable} -m pip install nbconvert")

    if folder is None:
        (path,) = notebooks
        return 0 if run(path, arguments.output or path.parent / "executed" / path.name, arguments.cell_seconds) else 1
    well = [run(path, folder / path.name, arguments.cell_seconds) for path in notebooks]
    for written in notebook_pages.write(folder):
        print(f"Written: {written}")
    if not notebook_pages.possible():
        print(f"nbconvert is not installed, so there are no pages: run_notebook.py --convert {folder} makes them where it is.")
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
