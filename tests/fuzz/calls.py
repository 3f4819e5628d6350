"""The functions that are called at random: element types, arrays, arguments, NumPy's text, and how exact results are.

A function here has a line in prelude/tests/integration/fuzz/table.rs, which calls ours. Notes of a case:

- `relative`, `absolute`: how far results may be from NumPy's; without them they are the same, bit for bit.
- `any_dtype`, `any_zero`: the element type, or the sign of zeros, is not compared.
- `refused`: why we may refuse what NumPy takes; `accepted`: why we may take what NumPy refuses; `differs`: why results may differ.
  What does is counted, and shown with its reason. These are notes of one call, and not of a function: only the elements, types or
  arguments for which the reason holds are excused. The functions under "Excuses" say that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .arrays import Array, Source

FLOATS = ["float64", "float32"]
COMPLEX = ["complex128", "complex64"]
INEXACT = ["float64", "float32", "complex128"]
NUMBERS = ["float64", "float32", "int64", "int32", "uint8"]
INTEGERS = ["int64", "int32", "uint8", "uint64"]
STORED = ["int8", "uint16", "float16"]
BITS = ["int64", "uint8", "bool"]
ORDERED = ["float64", "float32", "int64", "uint8"]
REAL = ["float64", "float32", "int64", "uint8", "bool"]
ANY = ["float64", "int32", "bool", "complex128"]


@dataclass
class Call:
    """A call: NumPy's text, in which the arrays are a0, a1, …, the arguments by the names in table.rs, and notes on the result."""

    text: str
    arrays: list[Array]
    arguments: dict = field(default_factory=dict)
    notes: dict = field(default_factory=dict)
    changes: int | None = None


FUNCTIONS: list[tuple[str, list[str], Callable[[Source, str], Call], dict]] = []


EXCUSES = ("refused", "accepted", "differs")


def function(name: str, dtypes: list[str], maker: Callable[[Source, str], Call], **notes) -> None:
    assert not set(notes) & set(EXCUSES), f"{name}: an excuse is a note of one call, not of the function"
    FUNCTIONS.append((name, dtypes, maker, notes))


def functions(*names: str, dtypes: list[str], **notes):
    """The functions that are called in the same way: the maker gets the name, too."""

    def add(maker):
        for name in names:
            function(name, dtypes, lambda s, dtype, name=name: maker(s, dtype, name), **notes)
        return maker

    return add


# Excuses.

def if_empty(array: Array, key: str, reason: str) -> dict:
    """The excuse of a call whose array has no elements."""
    return {} if array.view.size else {key: reason}


def without_elements(array: Array) -> dict:
    return if_empty(array, "accepted", "NumPy fails where there are no elements, even if the result has none; ours gives NaN, or no elements")


def epsilon(dtype: str) -> float:
    """The distance from 1 to the next number of this type, or of the floats that are computed from it."""
    return float(np.finfo(dtype if np.dtype(dtype).kind in "fc" else "float64").eps)


def near(dtype: str, units: float = 8, size: float = 0.0) -> dict:
    """Results that differ in the last few digits; `size` is that of what is added up."""
    info = np.finfo(dtype if np.dtype(dtype).kind in "fc" else "float64")
    tiny = 4 * float(info.smallest_subnormal)
    return {"relative": units * float(info.eps), "absolute": units * float(info.eps) * size + tiny}


def size_of(array: Array) -> float:
    """The sum of the absolute values."""
    with np.errstate(all="ignore"):
        total = float(np.abs(array.view[np.isfinite(array.view)].astype("complex128")).sum())
    return total if np.isfinite(total) else 0.0


def axis_of(s: Source, array: Array, wrong: float = 0.02) -> int:
    rank = array.view.ndim
    if rank == 0 or s.chance(wrong):
        return s.choice([rank, -rank - 1])
    return s.integer(-rank, rank - 1)


def shapes(s: Source, count: int = 2) -> list[tuple[int, ...]]:
    """Shapes that fit together, nearly always."""
    whole = s.shape()
    found = []
    for _ in range(count):
        shape = [1 if s.chance(0.25) else length for length in whole]
        found.append(tuple(shape[s.integer(0, len(shape)) if s.chance(0.3) else 0 :]))
    if s.chance(0.03):
        found[-1] = (*found[-1][:-1], 6) if found[-1] else (6, 5)
    return found


def axes(s: Source, array: Array) -> dict:
    rank = array.view.ndim
    given = {}
    if s.chance(0.75):
        if rank > 1 and s.chance(0.3):
            several = [axis - rank if s.chance(0.3) else axis for axis in s.random.sample(range(rank), s.integer(1, rank))]
            given["axis"] = several if not s.chance(0.02) else [0, 0]
        elif rank:
            given["axis"] = axis_of(s, array)
    if s.chance(0.3):
        given["keepdims"] = True
    return given


def words(given: dict) -> str:
    def text(value):
        return repr(tuple(value) if isinstance(value, list) else value)
    return "".join(f", {key}={text(value)}" for key, value in given.items())


def mask(s: Source, given: dict, arrays: list[Array], text: str) -> str:
    if s.chance(0.25):
        shape = [1 if s.chance(0.2) else length for length in arrays[0].view.shape]
        arrays.append(s.array("bool", shape))
        given["where"] = len(arrays) - 1
        text += f", where=a{len(arrays) - 1}"
    return text


def initial(s: Source, given: dict, arrays: list[Array], text: str, dtype: str, chance=0.2) -> str:
    if s.chance(chance):
        arrays.append(s.array(dtype, (), "exact", view=False))
        given["initial"] = len(arrays) - 1
        text += f", initial=a{len(arrays) - 1}[()]"
    return text


def sums_of(dtype: str) -> str:
    return {"bool": "uint64", "uint8": "uint64", "int32": "int64", "int8": "int64", "uint16": "uint64", "float16": "float32"}.get(dtype, dtype)
