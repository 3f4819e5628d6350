"""What can go wrong with Rust in a Python notebook, as exceptions that IPython shows without a Python traceback."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Tuple, Type


class _Shown:
    """Takes the place of the traceback: IPython asks an exception for it by this method."""

    traceback: List[str] = []

    def _render_traceback_(self) -> List[str]:
        return list(self.traceback)


class RustError(_Shown, Exception):
    """A cell that failed: it does not compile, has panicked, was ended by `?`, or its process died.

    `except warpcell.RustError` catches all of them; the class itself is named as the kernel names the error, such as
    `CompileError` or `Panic`.
    """

    def __init__(self, ename: str, evalue: str, traceback: List[str]) -> None:
        super().__init__(evalue)
        #: The kernel's name for the error, such as `"CompileError"`.
        self.ename = ename
        #: One line that says what was wrong.
        self.evalue = evalue
        #: What a person reads, with terminal colours.
        self.traceback = list(traceback) or [f"{ename}: {evalue}"]

    def __reduce__(self) -> Tuple[Any, ...]:
        # The class was made for the name. Errors of workers come to where their results are wanted.
        return _restored, ({"ename": self.ename, "evalue": self.evalue, "traceback": self.traceback}, self.args, vars(self))


class RustInterrupted(_Shown, KeyboardInterrupt):
    """A cell was interrupted. The session is alive, and so are its variables unless the text says otherwise."""

    def __init__(self, evalue: str, traceback: List[str]) -> None:
        super().__init__(evalue)
        self.ename = "Interrupted"
        self.evalue = evalue
        self.traceback = list(traceback) or [evalue]

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, ({"ename": self.ename, "evalue": self.evalue, "traceback": self.traceback}, self.args, vars(self))


class SessionError(_Shown, RuntimeError):
    """There is no session to run a cell in: the kernel was not found, did not start, or ended while a cell ran."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.traceback = [f"\x1b[31mSessionError\x1b[39m: {text}"]


class CompileError(RustError):
    """A cell that the compiler refuses."""


class Panic(RustError):
    """A cell or a function that has panicked."""


_CLASSES: Dict[str, Type[RustError]] = {"CompileError": CompileError, "Panic": Panic}
for _class in _CLASSES.values():
    _class.__module__ = __name__.split(".", 1)[0]


def error_of(content: Dict[str, Any]) -> BaseException:
    """The exception for the content of a message `error`, of a class that has the error's name."""
    name = str(content.get("ename") or "RustError")
    value = str(content.get("evalue") or "")
    traceback = [str(line) for line in content.get("traceback") or []]
    if name == "Interrupted":
        return RustInterrupted(value, traceback)
    if name not in _CLASSES:
        # Clients show the name of an exception's class.
        identifier = name if name.isidentifier() else "RustError"
        _CLASSES[name] = type(identifier, (RustError,), {"__module__": __name__.split(".", 1)[0], "__doc__": RustError.__doc__})
    return _CLASSES[name](name, value, traceback)


def _restored(content: Dict[str, Any], arguments: Tuple[Any, ...], fields: Dict[str, Any]) -> BaseException:
    """An exception that was pickled."""
    error = error_of(content)
    error.args = arguments
    vars(error).update(fields)
    return error


def without_colours(text: str) -> str:
    """Text without the escape sequences that colour it in terminals."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
