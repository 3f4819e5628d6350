"""Writes names/arguments.txt for prelude/tests/integration: what NumPy's functions take."""

import inspect
import pathlib

import numpy as np


def write():
    """The calls of NumPy's functions that CuPy has too: `diff(a, n=, axis=, prepend=, append=)`."""
    folder = pathlib.Path(__file__).parents[2] / "prelude/tests/integration/names"
    names = {name for line in (folder / "cupy.txt").read_text().splitlines() if line.startswith(" ") for name in line.split()}
    calls = []
    for name in sorted(names):
        found = np
        for word in name.split("."):
            found = getattr(found, word, None)
        try:
            parameters = inspect.signature(found).parameters.values()
        except (TypeError, ValueError):
            continue
        # What every ufunc takes stands behind the operands.
        operands = [one for one in parameters if one.kind is one.POSITIONAL_ONLY]
        each = operands if isinstance(found, np.ufunc) else [one for one in parameters if one.kind is not one.VAR_KEYWORD]
        stars = {inspect.Parameter.VAR_POSITIONAL: "*"}
        words = [stars.get(one.kind, "") + one.name + ("" if one.default is one.empty else "=") for one in each]
        calls.append(f"{name}({', '.join(words)})\n")
    head = "# What NumPy's functions take; `=` is behind optional arguments. Ufuncs are without what all of them take, such as `out`.\n"
    (folder / "arguments.txt").write_text(head + "# tests/parity/generate.py writes this file, coverage.rs reads it.\n\n" + "".join(calls))
