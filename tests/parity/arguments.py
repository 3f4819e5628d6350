"""Writes names/arguments.txt and names/scipy_arguments.txt for prelude/tests/integration: what functions take."""

import importlib
import inspect
import pathlib
import re

import numpy as np

FOLDER = pathlib.Path(__file__).parents[2] / "prelude/tests/integration/names"


def call(name, found):
    """A call of a function: `diff(a, n=, axis=, prepend=, append=)`; None if the function does not say what it takes."""
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return None
    # What every ufunc takes stands behind the operands.
    operands = [one for one in parameters if one.kind is one.POSITIONAL_ONLY]
    each = operands if isinstance(found, np.ufunc) else [one for one in parameters if one.kind is not one.VAR_KEYWORD]
    stars = {inspect.Parameter.VAR_POSITIONAL: "*"}
    words = [stars.get(one.kind, "") + one.name + ("" if one.default is one.empty else "=") for one in each]
    # SciPy's special functions have the names of the operands in the first line of their documentation.
    documented = re.match(rf"\s*{re.escape(name.split('.')[-1])}\(([^)]*)", found.__doc__ or "")
    if isinstance(found, np.ufunc) and name.startswith("scipy.") and documented:
        # `beta(x1, x2, /, out=None, *, where=True, …, signature])`
        listed = documented[1].replace(" ", "").split(",/")[0].split(",")
        words = [word for word in listed if word and "=" not in word and word != "*"]
    return f"{name}({', '.join(words)})\n"


def write():
    """The calls of NumPy's functions that CuPy has too, and of SciPy's functions that are here or that CuPy has."""
    names = {name for line in (FOLDER / "cupy.txt").read_text().splitlines() if line.startswith(" ") for name in line.split()}
    calls = []
    for name in sorted(names):
        found = np
        for word in name.split("."):
            found = getattr(found, word, None)
        calls.append(call(name, found))
    head = "# What NumPy's functions take; `=` is behind optional arguments. Ufuncs are without what all of them take, such as `out`.\n"
    source = "# tests/parity/generate.py writes this file, coverage.rs reads it.\n\n"
    (FOLDER / "arguments.txt").write_text(head + source + "".join(filter(None, calls)))
    write_scipy()


def write_scipy():
    modules = {}
    module = None
    for line in (FOLDER / "scipy.txt").read_text().splitlines():
        if line.endswith(":") and not line.startswith("#"):
            module = modules.setdefault(line[:-1], set())
        elif line.startswith(" "):
            module.update(line.split())
    # `"signal" at least 9 { "signal.json", gpu::signal => butter … }`
    for name, ours in re.findall(r'^    "([\w.]+)" at least \d+ \{[^}]*=>([^}]*)\}', (FOLDER / "scipy.rs").read_text(), re.M):
        modules.setdefault(name, set()).update(re.sub(r"\([^)]*\)", "", ours).split())
    calls = []
    for module, names in modules.items():
        of_scipy = importlib.import_module(f"scipy.{module}")
        calls += [call(f"scipy.{module}.{name}", getattr(of_scipy, name, None)) for name in sorted(names)]
    head = "# What SciPy's functions take; `=` is behind optional arguments. Ufuncs are without what all of them take, such as `out`.\n"
    source = "# tests/parity/generate.py writes this file, scipy.rs reads it.\n\n"
    (FOLDER / "scipy_arguments.txt").write_text(head + source + "".join(filter(None, calls)))
