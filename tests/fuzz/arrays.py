"""Random arrays: values of all kinds, and views with any strides of them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

LENGTHS = (0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 17)
SPECIAL = {
    "float64": [np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324, -5e-324, 2.2e-308, 1e-310, 1.7976931348623157e308, -1e308, 1.5, -2.5, 0.5, 2**53 + 2.0],
    "float32": [np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-45, -1e-45, 1.2e-38, 3.4028235e38, -3e38, 1.5, -2.5, 0.5, 16777218.0],
    "float16": [np.nan, np.inf, -np.inf, -0.0, 0.0, 6e-8, 65504.0, -65504.0, 1.5, -2.5, 0.5],
}


@dataclass
class Array:
    """An array, as a view of another: the steps from there to here, and NumPy's text."""

    base: np.ndarray
    view: np.ndarray
    text: str
    steps: list = field(default_factory=list)

    def json(self) -> dict:
        return {**plain(self.base), "steps": self.steps}


def plain(a) -> dict:
    """An array as JSON: its bytes as hexadecimal digits, which are exact."""
    a = np.asarray(a)
    return {"dtype": a.dtype.name, "shape": list(a.shape), "data": np.ascontiguousarray(a).tobytes().hex()}


def number(value) -> str:
    """A number as Python's text."""
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text.replace("nan", "np.nan").replace("inf", "np.inf")


def literal(a: np.ndarray) -> str:
    """An array as NumPy's text."""
    if a.dtype.kind == "c":
        part = "float64" if a.dtype.itemsize == 16 else "float32"
        return f"{literal(np.ascontiguousarray(a).reshape(-1).view(part))}.view('{a.dtype.name}').reshape({a.shape})"
    if a.size == 0:
        return f"np.zeros({a.shape}, '{a.dtype.name}')"
    return f"np.array({number(a.tolist())}, '{a.dtype.name}')"


class Source:
    """Random choices of one case. The seed and the number of the case give the same ones each time."""

    def __init__(self, seed: int, case: int):
        self.random = random.Random(f"{seed} {case}")
        self.choice = self.random.choice
        self.integer = self.random.randint
        self.index = 0

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def shape(self, least: int = 0, most: int = 4, lengths=LENGTHS, size: int = 300) -> tuple[int, ...]:
        """Lengths of so many axes."""
        rank = self.choice([rank for rank in (0, 1, 1, 1, 2, 2, 2, 3, 3, 4) if least <= rank <= most] or [least])
        while True:
            shape = tuple(self.choice(lengths) for _ in range(rank))
            if int(np.prod(shape)) <= size:
                return shape

    def value(self, dtype: str, style):
        """One number. A style is a function that gives it, or a word: `wild` with all special values, `exact` small multiples of 1/8, `special` these and NaN and infinities,
        `nan` these and NaN, `plain` floats of usual size, `positive`, `unit` from -1 to 1."""
        if callable(style):
            return style(self)
        kind = np.dtype(dtype).kind
        if kind == "b":
            return self.chance(0.5)
        if kind == "c":
            part = "float64" if dtype == "complex128" else "float32"
            return complex(self.value(part, style), self.value(part, style))
        if kind in "iu":
            if style == "wild" and self.chance(0.2):
                info = np.iinfo(dtype)
                return self.choice([info.min, info.max, info.max - 1, info.min + 1, 0, info.max // 2])
            if style == "wild" and self.chance(0.2):
                info = np.iinfo(dtype)
                return self.integer(info.min, info.max)
            low = 0 if kind == "u" or style == "positive" else -9
            return self.integer(max(low, 1 if style == "positive" else low), 9)
        if style == "wild":
            if self.chance(0.3):
                return self.choice(SPECIAL[dtype])
            if self.chance(0.2):
                return self.random.gauss(0, 1) * 10.0 ** self.integer(-30, 30)
            style = self.choice(["exact", "plain"])
        if style in ("special", "nan"):
            if self.chance(0.08):
                return np.nan
            if style == "special" and self.chance(0.06):
                return self.choice([np.inf, -np.inf, -0.0])
            style = "exact"
        if style == "exact":
            return self.integer(-32, 32) / 8
        if style == "positive":
            return self.integer(1, 64) / 8
        if style == "unit":
            return self.choice([-1.0, 1.0, 0.0, self.random.uniform(-1, 1), self.random.uniform(-1, 1)])
        return self.random.gauss(0, 3)

    def values(self, dtype: str, shape, style) -> np.ndarray:
        count = int(np.prod(shape))
        # Long arrays repeat: what stands behind a boundary is then known to differ.
        with np.errstate(all="ignore"):
            return np.array([self.value(dtype, style) for _ in range(count)]).astype(dtype).reshape(shape)

    def array(self, dtype: str, shape=None, style="wild", view: bool = True) -> Array:
        """An array of a shape, often a view with other strides."""
        shape = tuple(self.shape() if shape is None else shape)
        needed, steps = shape, []
        for _ in range(self.choice([0, 0, 1, 1, 2]) if view else 0):
            needed, step = self.step_to(needed)
            steps.insert(0, step)
            if int(np.prod(needed)) > 1500:
                return self.array(dtype, shape, style, view)
        base = self.values(dtype, needed, style)
        seen, text = base, literal(base)
        for step in steps:
            seen, text = apply(seen, step, text)
        assert seen.shape == shape, (seen.shape, shape, steps)
        return Array(base, seen, text, steps)

    def step_to(self, shape: tuple[int, ...]) -> tuple[tuple[int, ...], list]:
        """A step that gives a view of a shape, and the shape from which it leads there."""
        what = self.choice(["slice", "slice", "slice", "transpose", "broadcast", "reshape"])
        if what == "transpose" and len(shape) > 1:
            axes = list(range(len(shape)))
            self.random.shuffle(axes)
            before = [0] * len(shape)
            for at, axis in enumerate(axes):
                before[axis] = shape[at]
            return tuple(before), ["transpose", axes]
        if what == "broadcast" and shape:
            before = [1 if self.chance(0.4) else length for length in shape]
            while before and before[0] == 1 and self.chance(0.3):
                before.pop(0)
            return tuple(before), ["broadcast", list(shape)]
        if what == "reshape" and int(np.prod(shape)):
            return (int(np.prod(shape)),), ["reshape", list(shape)]
        before, parts = [], []
        for length in shape:
            if length == 1 and self.chance(0.2):
                parts.append(None)
                continue
            if self.chance(0.15):
                extra = self.integer(1, 3)
                before.append(extra)
                parts.append(self.integer(-extra, extra - 1))
            step = self.choice([1, 1, 2, 3, -1, -1, -2])
            start = self.choice([0, 0, 1, 2])
            span = 0 if length == 0 else (length - 1) * abs(step) + 1
            end = start + span
            total = end + self.choice([0, 0, 1])
            before.append(total)
            parts.append([start, None if end == total and self.chance(0.5) else end, step])
        return tuple(before), ["slice", parts]


def apply(a: np.ndarray, step: list, text: str) -> tuple[np.ndarray, str]:
    """What a step gives, and its text. A negative step goes through the range from its end, as in Rust's ndarray."""
    what, how = step
    if what == "transpose":
        return a.transpose(how), f"{text}.transpose({how})"
    if what == "reshape":
        return a.reshape(how), f"{text}.reshape({tuple(how)})"
    if what == "broadcast":
        return np.broadcast_to(a, how), f"np.broadcast_to({text}, {tuple(how)})"
    index, axis = [], 0
    for part in how:
        if isinstance(part, list):
            start, end, by = part
            end = a.shape[axis] if end is None else end
            if by > 0:
                index.append(slice(start, end, by))
            else:
                index.append(slice(end - 1, start - 1 if start else None, by) if end > start else slice(0, 0, 1))
        else:
            index.append(part)
        axis += part is not None
    if not index:
        return a, text
    parts = (f"{i.start}:{'' if i.stop is None else i.stop}:{i.step}" if isinstance(i, slice) else repr(i) for i in index)
    return a[tuple(index)], f"{text}[{', '.join(parts)}]"
