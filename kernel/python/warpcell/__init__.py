"""Rust in the cells of a Python notebook: `%load_ext warpcell`, then `%%rust`.

All `%%rust` cells of a notebook run in one Rust session, a "Rust GPU" kernel beside the Python one, which keeps its variables. Output
appears as it comes: text, images, progress bars, the value of the last expression. The stop button interrupts the Rust cell and keeps
the variables; an error of Rust is the cell's error. `%rust --help` lists the rest.

In programs:

- `function(source)` is a function in Rust that runs in the Python process, on its arrays; `%%rust --export NAME` does the same.
- `session()` is the session of the magics, `Session` makes others; `session().run(code)` runs a cell and gives its value.
- `run_notebook(path)` shows a Rust notebook and runs its cells.
- `RustError`, with `CompileError` and `Panic`, `RustInterrupted` and `SessionError` are what may go wrong.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from .calls import RustFunction, synchronize
from .errors import CompileError, Panic, RustError, RustInterrupted, SessionError
from .functions import function
from .notebooks import run_notebook
from .outputs import RustValue
from .session import Session, session

__all__ = [
    "CompileError",
    "Panic",
    "RustError",
    "RustFunction",
    "RustInterrupted",
    "RustValue",
    "Session",
    "SessionError",
    "function",
    "load_ipython_extension",
    "run_notebook",
    "session",
    "synchronize",
    "unload_ipython_extension",
]

try:
    __version__ = version("warpcell")
except PackageNotFoundError:  # run from a checkout
    __version__ = "0"


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext warpcell` calls: adds `%%rust` and `%rust`."""
    from .magic import RustMagics

    shell.register_magics(RustMagics)


def unload_ipython_extension(shell: Any) -> None:
    """What `%unload_ext warpcell` calls: ends the session and removes the magics."""
    session().shutdown()
    for kind in ("line", "cell"):
        shell.magics_manager.magics[kind].pop("rust", None)
