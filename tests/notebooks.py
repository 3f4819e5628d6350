"""The canonical form of the notebooks, as a check, as a repair, and as git's filter: `tests/notebooks.py [--fix | --clean]`.

Canonical means: nbformat 4.5, keys sorted, one indent level per space, no outputs and no execution counts, cell ids
that are words and numbers chosen by hand, the kernelspec and language of Warpcell (of Python for Colab's and those of clusters), and of cell metadata
only `tags` and `warpcell`. So a diff of a lesson shows what a person changed and nothing else. `--clean` reads any notebook and
writes it without what a run leaves; .gitattributes names that filter, and CONTRIBUTING.md says how git is told of it. Needs
the standard library only.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LESSONS = ROOT / "lessons"
COLAB = ROOT / "assets/colab/warpcell.ipynb"


def lessons() -> list[Path]:
    """The lessons, the notebooks with solutions, and those on many ranks."""
    return [path for folder in (".", "solutions", "distributed") for path in sorted(LESSONS.glob(f"{folder}/*.ipynb"))]


def cluster() -> list[Path]:
    """The notebooks in Python for Dask, Ray and pools of processes."""
    return sorted(LESSONS.glob("cluster/*.ipynb"))


def paths() -> list[Path]:
    """All notebooks of the repository."""
    return [*lessons(), *cluster(), COLAB]


def course() -> list[Path]:
    """The numbered lessons."""
    return sorted(LESSONS.glob("[0-9]*.ipynb"))


METADATA = {
    "kernelspec": {"display_name": "Rust GPU", "language": "rust", "name": "warpcell"},
    "language_info": {
        "codemirror_mode": "rust",
        "file_extension": ".rs",
        "mimetype": "text/x-rustsrc",
        "name": "rust",
        "pygments_lexer": "rust",
    },
}

PYTHON_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

COLAB_METADATA = {"accelerator": "GPU", "colab": {"gpuType": "T4", "provenance": []}, **PYTHON_METADATA}


def canonical_cell(cell: dict) -> dict:
    """One cell without what a run or a client leaves behind."""
    source = cell["source"]
    text = source if isinstance(source, str) else "".join(source)
    result = {
        "cell_type": cell["cell_type"],
        "id": cell.get("id", ""),
        "metadata": {key: value for key, value in cell["metadata"].items() if key in ("tags", "warpcell") and value},
        "source": text.rstrip().splitlines(keepends=True),
    }
    if cell["cell_type"] == "code":
        result |= {"execution_count": None, "outputs": []}
    return result


def canonical(notebook: dict, metadata: dict = METADATA) -> str:
    """The canonical text of a notebook."""
    content = {
        "cells": [canonical_cell(cell) for cell in notebook["cells"]],
        "metadata": metadata,
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def clean(text: str) -> str:
    """A notebook's text without outputs; in canonical form if it is for Warpcell, with its own metadata if for another kernel."""
    notebook = json.loads(text)
    if notebook["metadata"].get("kernelspec", {}).get("name") == METADATA["kernelspec"]["name"]:
        return canonical(notebook)
    notebook["cells"] = [canonical_cell(cell) for cell in notebook["cells"]]
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def metadata_of(path: Path) -> dict:
    if path in cluster():
        return PYTHON_METADATA
    return COLAB_METADATA if path == COLAB else METADATA


def problems(path: Path) -> list[str]:
    """What keeps a notebook from being canonical; empty when nothing does."""
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    found = []
    if text != canonical(notebook, metadata_of(path)):
        found.append("is not in canonical form: tests/notebooks.py --fix mends it")
    ids = [cell.get("id", "") for cell in notebook["cells"]]
    found += [f"two cells have the id {cell_id}" for cell_id in sorted({i for i in ids if ids.count(i) > 1})]
    found += [f"the cell id {i!r} is not made of words" for i in ids if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", i)]
    return found


def errors(cell: dict) -> list[dict]:
    """The errors among the outputs of an executed cell."""
    return [output for output in cell.get("outputs", []) if output["output_type"] == "error"]


def main() -> int:
    if sys.argv[1:2] == ["--clean"]:
        sys.stdout.buffer.write(clean(sys.stdin.buffer.read().decode()).encode())
        return 0
    fix = sys.argv[1:] == ["--fix"]
    status = 0
    for path in paths():
        if fix:
            path.write_text(canonical(json.loads(path.read_text(encoding="utf-8")), metadata_of(path)), encoding="utf-8")
        for problem in problems(path):
            print(f"{path.relative_to(ROOT)}: {problem}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())


def spans(cell: str) -> list[str]:
    """The pieces of code in a table's cell; a `|` in code is escaped there."""
    return [span.replace(r"\|", "|") for span in re.findall(r"`([^`]+)`", cell)]
