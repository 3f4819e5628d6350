"""Functions in Rust that are compiled for this process: `warpcell.function`, and `%%rust --export`.

The program `warpcell function` compiles the source into a library, or finds it in the user's cache. How it is called stands in `calls.py`.
"""

from __future__ import annotations

import json
import subprocess
from typing import Any, Dict, Optional, Tuple

from . import calls
from .calls import Opened, RustFunction
from .errors import SessionError, error_of, without_colours
from .process import program

_functions: Dict[Tuple[str, Optional[str]], RustFunction] = {}


def function(source: str, name: Optional[str] = None) -> "RustFunction":
    """The function of this name in Rust source text, or the last one, for calls from Python.

    >>> f = warpcell.function("#[vectorize] fn f(x: f32, y: f32) -> f32 { x.hypot(y) }")          # doctest: +SKIP
    >>> f(numpy.float32([3, 5]), numpy.float32([4, 12]))                                          # doctest: +SKIP
    array([ 5., 13.], dtype=float32)

    - With `#[vectorize]` before it, it runs over the elements of arrays, which broadcast.
    - With `#[kernel]`, it is launched: `f.launch(grid, block, a, out)`, or `f.launch_for(n, a, out)` for at least `n` threads.
    - An ordinary function takes whole arrays: `&DeviceArray<f32>`, `&mut DeviceArray<f32>`, and on the host also `ArrayView2<f32>`,
      `ArrayViewMut2<f32>`, `&[f32]` and `&mut [f32]`; and numbers. It returns arrays, numbers, tuples of such, or a `Result`.

    Arguments are not copied: Rust reads and writes the elements of the caller's arrays, on their device and in the caller's current stream.
    Results are arrays of the library whose arrays came in; NumPy's if there are only numbers.

    The source is compiled at once, unless this or another process has done so: libraries are kept in the user's cache. Raises `RustError`
    with the compiler's message if it does not compile. The function can be pickled; a worker loads it when it calls it first.
    """
    made = _named(source, name)
    made._load()
    return made


def _named(source: str, name: Optional[str]) -> "RustFunction":
    """The one function of this source and name. It is not loaded here: of a worker that is handed one, pickle must not fail."""
    with calls.lock:
        known = _functions.get((source, name))
        if known is None:
            known = _functions[source, name] = CompiledFunction(source, name)
        return known


class CompiledFunction(RustFunction):
    """A function whose source is here."""

    def __init__(self, source: str, name: Optional[str]) -> None:
        super().__init__(name or "function")
        self._source = source
        self._wanted = name

    def __reduce__(self) -> Tuple[Any, ...]:
        return _named, (self._source, self._wanted)

    @property
    def source(self) -> str:
        return self._source

    def _opened(self) -> Opened:
        answer = _compiled(self._source, self._wanted)
        return Opened(answer["library"], 0, answer["name"], answer["signature"], answer["documentation"])


def _compiled(source: str, name: Optional[str]) -> Dict[str, Any]:
    """What the program says of a source: the library's path, and how the function is shown. It compiles what is not in the cache."""
    path, environment = program()
    command = [path, "function"] + ([] if name is None else ["--name", name])
    try:
        done = subprocess.run(command, input=source.encode(), stdout=subprocess.PIPE, env=environment, check=False)
    except OSError as error:
        raise SessionError(f"{path} cannot be started: {error.strerror or error}. Install Warpcell again") from None
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise SessionError(f"{path} has ended with the status {done.returncode} and no answer; `warpcell doctor` says what is missing") from None
    if "ename" in answer:
        error = error_of(answer)
        # What Python prints of an exception, where there is no notebook to show the traceback.
        error.args = (without_colours("\n".join(error.traceback)),)  # type: ignore[attr-defined]
        raise error
    return dict(answer)
