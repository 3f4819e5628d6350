"""Running a Rust notebook's cells in the session, inside a Python notebook: for clients that cannot select another kernel."""

from __future__ import annotations

import base64
import json
import os
import re
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional, Union

from .errors import RustError
from .outputs import Output, output_for
from .session import Session, current_shell, session

# The kinds of pictures that are put into a text, by the ends of their names.
_PICTURES = {
    ".gif": "gif",
    ".jpeg": "jpeg",
    ".jpg": "jpeg",
    ".png": "png",
    ".svg": "svg+xml",
}


def run_notebook(path: Union[str, "os.PathLike[str]"], rust: Optional[Session] = None, text: bool = True) -> None:
    """Shows a Rust notebook here and runs its cells in the session, from the first to the last.

    Its texts, its code and all outputs appear in the cell that calls this; `text=False` leaves out the texts. The Rust cells are
    those that the notebook has, so its variables can be used in `%%rust` cells afterwards. They run in the notebook's folder, as in
    Jupyter, and find files that lie there. A cell with the tag `raises-exception` is meant to fail, and an exercise whose `todo!()`
    nobody has replaced may; any other that fails ends the run with its error, as a `RustError`.

    >>> warpcell.run_notebook("lessons/01-convolution.ipynb")          # doctest: +SKIP
    """
    path = os.fspath(path)
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    rust = rust or session()
    output = output_for(current_shell())
    folder = os.path.dirname(os.path.abspath(path))
    with _in_folder(rust, output, folder):
        for cell in notebook["cells"]:
            source = _text(cell["source"])
            if not source.strip():
                continue
            if cell["cell_type"] == "markdown" and text:
                _show_markdown(output, with_pictures(source, cell.get("attachments") or {}, folder))
            elif cell["cell_type"] == "code":
                _show_markdown(output, fenced(source))
                _run_cell(rust, output, source, "raises-exception" in cell.get("metadata", {}).get("tags", []))


@contextmanager
def _in_folder(rust: Session, output: Output, folder: str) -> Iterator[None]:
    """Changes the session's directory, and changes it back if the session is still there."""
    rust.run(f"%cd -q {folder}", output, store_history=False)
    try:
        yield
    finally:
        if rust.alive:
            rust.run("%cd -q -", output, store_history=False)


def _run_cell(rust: Session, output: Output, source: str, meant_to_fail: bool) -> None:
    try:
        value = rust.run(source, output)
    except RustError as error:
        # What Rust's `todo!()` says.
        is_open = error.ename == "Panic" and error.evalue.startswith("not yet implemented")
        if not meant_to_fail and not is_open:
            raise
        output.stream("stderr", "This exercise is still open.\n" if is_open else "\n".join(error.traceback) + "\n")
        return
    if value is not None:
        output.display(value.data, value.metadata, None, False)
    if meant_to_fail:
        raise RustError("NotFailed", "this cell is tagged raises-exception but did not fail", [])


def fenced(source: str) -> str:
    """Code as a block of Markdown."""
    fence = "```"
    while fence in source:
        fence += "`"
    return f"{fence}rust\n{source.rstrip()}\n{fence}"


def with_pictures(source: str, attachments: Dict[str, Any], folder: str) -> str:
    """Markdown with the pictures in it that it names: attached ones, and files beside the notebook."""

    def replaced(found: "re.Match[str]") -> str:
        name = found["name"]
        if name.startswith("attachment:"):
            for kind, content in (attachments.get(name[len("attachment:") :]) or {}).items():
                return f"{found['before']}data:{kind};base64,{_text(content).strip()})"
        file = os.path.join(folder, name)
        kind = _PICTURES.get(os.path.splitext(name)[1].lower())
        if kind and os.path.isfile(file):
            with open(file, "rb") as picture:
                return f"{found['before']}data:image/{kind};base64,{base64.b64encode(picture.read()).decode()})"
        return found[0]

    return re.sub(r"(?P<before>!\[[^\]]*\]\()(?P<name>[^)\s]+)\)", replaced, source)


def _show_markdown(output: Output, source: str) -> None:
    output.display({"text/markdown": source, "text/plain": source}, {}, None, False)


def _text(source: Union[str, List[str]]) -> str:
    return source if isinstance(source, str) else "".join(source)
