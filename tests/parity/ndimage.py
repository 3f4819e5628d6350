#!/usr/bin/env python3
"""Evaluates SciPy's side of prelude/tests/integration/ndimage.rs, and writes it to ndimage.json."""

import json
import re
from pathlib import Path

import numpy as np
import scipy.ndimage as nd

HERE = Path(__file__).resolve().parent
ROWS = HERE.parents[1] / "prelude/tests/integration/ndimage.rs"


def ramp(count):
    i = np.arange(count)
    return (i * 37 + 11) % 101 / 8.0


def bits(count, limit):
    i = np.arange(count)
    return (i * i * 7 + i * 3 + i // 5) % 11 < limit


def arrays():
    """The arrays of the rows, as in the test."""
    x = ramp(63).reshape(7, 9)
    i = np.arange(63, dtype=np.int32)
    return {
        "np": np,
        "nd": nd,
        "x": x,
        "y": x.astype(np.float32),
        "v": ramp(23),
        "c": ramp(120).reshape(4, 5, 6),
        "k": (ramp(42).reshape(6, 7) * 8).astype(np.int32),
        "b": bits(99, 7).reshape(9, 11),
        "s": bits(120, 4).reshape(4, 5, 6),
        "m": bits(99, 9).reshape(9, 11),
        "l": ((i * i + i // 3) % 5).reshape(7, 9),
        "CROSS": np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool),
        "CORNER": np.array([[1, 1, 0], [0, 1, 1]], bool),
        "HEIGHTS": np.array([[0, 1, 0], [1, 2.5, 1], [0, 1.5, 0]]),
        "WEIGHTS": np.array([[0.5, 1, 0], [1, -2.5, 1], [0.25, 1.5, 0], [1, 3, -1]]),
    }


def flat(result):
    """The shape and the elements of a result."""
    if isinstance(result, list) and result and isinstance(result[0], (tuple, type(None))):
        if any(isinstance(end, slice) for box in result if box for end in box):
            result = [value for box in result if box for end in box for value in (end.start, end.stop)]
    if isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], int) and np.ndim(result[0]) > 0:
        result = np.append(result[0], result[1])
    array = np.asarray(result, dtype=np.float64)
    return {"shape": list(array.shape), "values": [None if np.isnan(value) else float(f"{value:.12g}") for value in array.ravel()]}


def main():
    names = re.findall(r'^    "((?:nd|np)\..*)" =>', ROWS.read_text(), re.MULTILINE)
    found = {name: flat(eval(name, arrays())) for name in names}
    rows = ",\n".join(f" {json.dumps(name)}: {json.dumps(row, separators=(',', ':'))}" for name, row in found.items())
    (HERE / "ndimage.json").write_text("{\n" + rows + "\n}\n")


main()
