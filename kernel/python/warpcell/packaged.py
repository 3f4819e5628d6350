"""Functions in Rust that a package brings: what `warpcell export NOTEBOOK --python NAME` has compiled. This file is in the package."""

from __future__ import annotations

from pathlib import Path
from typing import List

from .calls import Opened, RustFunction

#: The folder of the package.
_FOLDER = Path(__file__).resolve().parent.parent


class PackagedFunction(RustFunction):
    """A function of the package's library."""

    def __init__(self, package: str, number: int, name: str, signature: str, documentation: str, parameters: List[str]) -> None:
        super().__init__(name)
        self.__qualname__ = name
        self.__module__ = package
        self._place = number
        self._documentation = documentation
        self.signature = signature
        self.__doc__ = "\n\n".join(part for part in (documentation, signature) if part)
        self._name_parameters(parameters)

    def __reduce__(self) -> str:
        # The name by which it is found in the package.
        return self.__name__

    @property
    def source(self) -> str:
        return (_FOLDER / "functions.rs").read_text(encoding="utf-8")

    def _opened(self) -> Opened:
        return Opened(str(_FOLDER / "_functions.so"), self._place, self.__name__, self.signature, self._documentation)

    def _advice(self) -> str:
        return "Install the package again"
