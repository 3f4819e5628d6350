"""Where the outputs of Rust cells go: the notebook's cell that runs, or a terminal."""

from __future__ import annotations

import getpass
import sys
from typing import Any, Dict, Optional

from .errors import without_colours


class RustValue:
    """The value of a cell's last expression, as it is shown: its representations by MIME type. The value itself is in the Rust session."""

    def __init__(self, data: Dict[str, Any], metadata: Optional[Dict[str, Any]] = None) -> None:
        #: MIME type to content; there is always `text/plain`.
        self.data = dict(data)
        self.metadata = dict(metadata or {})

    def __str__(self) -> str:
        return without_colours(str(self.data.get("text/plain", "")))

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        return self.data, self.metadata


class Output:
    """Shows what a cell does in a Python program without IPython: text, and the text of displays."""

    #: Whether somebody can be asked for a line.
    takes_input = True
    #: Whether displays can be updated in place; terminals have lines only.
    is_notebook = False

    def stream(self, name: str, text: str) -> None:
        """Text of the stream `stdout` or `stderr`, as it comes."""
        target = sys.stderr if name == "stderr" else sys.stdout
        target.write(text)
        target.flush()

    def display(self, data: Dict[str, Any], metadata: Dict[str, Any], display_id: Optional[str], update: bool) -> None:
        """A display, or with `update` the new content of the display with that id."""
        if not update:
            self.stream("stdout", f"{data.get('text/plain', '')}\n")

    def clear(self, wait: bool) -> None:
        """Removes what the cell has shown, with `wait` when the next output comes."""

    def input(self, prompt: str, password: bool) -> str:
        """Asks the user for a line."""
        return getpass.getpass(prompt) if password else input(prompt)


class NotebookOutput(Output):
    """Shows what a cell does in the cell of IPython that runs."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    @property
    def takes_input(self) -> bool:  # type: ignore[override]
        # ipykernel notes here what the client that runs the cell has said of itself. In a terminal there is no kernel.
        return bool(getattr(getattr(self._shell, "kernel", None), "_allow_stdin", True))

    @property
    def is_notebook(self) -> bool:  # type: ignore[override]
        return getattr(self._shell, "kernel", None) is not None

    def display(self, data: Dict[str, Any], metadata: Dict[str, Any], display_id: Optional[str], update: bool) -> None:
        transient = {"display_id": display_id} if display_id else {}
        # `publish_display_data` of IPython drops `update` where there is no `transient`, and warns in some versions.
        self._shell.display_pub.publish(data=data, metadata=metadata, transient=transient, update=update)

    def clear(self, wait: bool) -> None:
        self._shell.display_pub.clear_output(wait)


def output_for(shell: Any) -> Output:
    """The output of this IPython shell, or without one the program's own."""
    return Output() if shell is None else NotebookOutput(shell)
