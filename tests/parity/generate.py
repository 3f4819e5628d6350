"""Writes fixtures.json: inputs and the results that NumPy and SciPy give, for prelude/tests/integration.

Run with the versions that requirements.txt names; they are recorded in the fixtures. Inputs are multiples of 1/8, so
that sums and products are exact in every float type and results can be compared exactly.

    python3 -m venv .venv && .venv/bin/pip install -r tests/parity/requirements.txt
    .venv/bin/python tests/parity/generate.py
"""

import itertools
import json
import pathlib

import numpy as np
import scipy
from scipy import signal

rng = np.random.default_rng(20240229)
DTYPES = {"u8": "uint8", "i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64", "f32": "float32",
          "f64": "float64", "bool": "bool"}
NAMES = {value: key for key, value in DTYPES.items()}


def sample(shape, dtype="f64"):
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype.startswith("u"):
        return rng.integers(0, 12, shape).astype(DTYPES[dtype])
    integers = rng.integers(-16, 17, shape)
    return (integers / 8 if dtype.startswith("f") else integers).astype(DTYPES[dtype])


def number(value):
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    value = float(value)
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return int(value) if value == int(value) else value


def array(a):
    a = np.asarray(a)
    return {"dtype": NAMES[a.dtype.name], "shape": list(a.shape), "data": [number(x) for x in a.ravel()]}


def convolve2d():
    def case(a, k, mode, boundary, fill=0):
        out = signal.convolve2d(a, k, mode, {"symmetric": "symm"}.get(boundary, boundary), fill)
        return {"image": array(a), "kernel": array(k), "mode": mode, "boundary": boundary, "fill": number(fill),
                "expected": array(out)}

    modes = ["full", "same", "valid"]
    boundaries = [("fill", 0), ("fill", 1.5), ("wrap", 0), ("symmetric", 0)]
    for kernel in [(1, 1), (3, 3), (4, 4), (2, 5), (5, 2), (6, 1)]:
        for mode, (boundary, fill) in itertools.product(modes, boundaries):
            yield case(sample((6, 7)), sample(kernel), mode, boundary, fill)
    # A kernel larger than the image, several times along one axis.
    for kernel in [(5, 5), (7, 3), (2, 11)]:
        for mode, (boundary, fill) in itertools.product(modes[:2], boundaries):
            yield case(sample((2, 3)), sample(kernel), mode, boundary, fill)
    for boundary, fill in boundaries:
        yield case(sample((2, 3)), sample((4, 5)), "valid", boundary, fill)
    for dtype in ["f32", "i32", "i64", "u8", "u32", "u64"]:
        for mode, boundary in itertools.product(modes, ["fill", "wrap", "symmetric"]):
            yield case(sample((4, 5), dtype), sample((3, 2), dtype), mode, boundary)
    special = sample((6, 6))
    special[2, 3], special[5, 0] = np.nan, np.inf
    for mode, boundary in itertools.product(modes, ["fill", "wrap", "symmetric"]):
        yield case(special, sample((3, 3)), mode, boundary)
    yield case(sample((1, 1)), sample((1, 1)), "valid", "fill")


def convolve():
    lengths = [(1, 1), (9, 1), (9, 3), (9, 4), (3, 9), (4, 9), (5, 5), (40, 7)]
    for (n, k), mode in itertools.product(lengths, ["full", "same", "valid"]):
        a, v = sample(n), sample(k)
        yield {"a": array(a), "v": array(v), "mode": mode, "expected": array(np.convolve(a, v, mode))}
    for dtype in ["f32", "i32", "i64", "u8", "u64"]:
        a, v = sample(8, dtype), sample(3, dtype)
        yield {"a": array(a), "v": array(v), "mode": "full", "expected": array(np.convolve(a, v))}


def reduce():
    shapes = [(5,), (3, 4), (2, 3, 4), (1, 5), (0, 3), ()]
    for dtype, shape in itertools.product(DTYPES, shapes):
        x = sample(shape, dtype)
        for name in ["sum", "max", "min", "mean", "all", "any"]:
            if (name in ("all", "any")) != (dtype == "bool") and name not in ("sum", "mean"):
                continue
            for axis in [None, *range(len(shape))]:
                if x.shape and name in ("max", "min", "mean") and (x.size == 0):
                    continue
                out = np.asarray(getattr(np, name)(x, axis=axis))
                if name == "mean" and dtype == "f32":
                    out = out.astype("float32")
                yield {"name": name, "axis": axis, "x": array(x), "expected": array(out)}
    for dtype in ["f32", "f64"]:
        x = sample((3, 4), dtype)
        x[1, 2] = np.nan
        for name, axis in itertools.product(["sum", "max", "min", "mean"], [None, 0, 1]):
            yield {"name": name, "axis": axis, "x": array(x), "expected": array(getattr(np, name)(x, axis=axis))}


def binary():
    functions = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum,
                 "minimum": np.minimum, "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
                 "gt": np.greater, "ge": np.greater_equal}
    shapes = [((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((), (2, 2)), ((2, 1, 3), (4, 1)), ((0, 3), (1, 3))]
    for (name, function), (left, right) in itertools.product(functions.items(), shapes):
        for dtype in ["f64", "i32", "u8"] if left == (3, 1) else ["f64"]:
            a, b = sample(left, dtype), sample(right, dtype)
            with np.errstate(all="ignore"):
                yield {"name": name, "a": array(a), "b": array(b), "expected": array(function(a, b))}
    # What NumPy defines and Rust's operators do not, or differently.
    edge = np.array([np.nan, np.inf, -np.inf, 0.0, 1.0, -2.0])
    for name, function in {**functions, "divide": np.divide, "remainder": np.fmod}.items():
        with np.errstate(all="ignore"):
            out = function(edge[:, None], edge[None, :])
        yield {"name": name, "a": array(edge[:, None]), "b": array(edge[None, :]), "expected": array(out)}
    a, b = np.array([7, -7, 5, 0], "int32"), np.array([2, 2, 0, 3], "int32")
    with np.errstate(all="ignore"):
        yield {"name": "remainder", "a": array(a), "b": array(b), "expected": array(np.fmod(a, b))}
    a, b = np.array([200, 3, 255], "uint8"), np.array([100, 5, 255], "uint8")
    for name in ["add", "subtract", "multiply"]:
        yield {"name": name, "a": array(a), "b": array(b), "expected": array(functions[name](a, b))}
    a = np.array([2, -3, 7, 10, 0], "int64")
    for exponent in [0, 1, 2, 13, 40]:
        b = np.full_like(a, exponent)
        yield {"name": "pow", "a": array(a), "b": array(b), "expected": array(np.power(a, b))}


def unary():
    functions = {"exp": np.exp, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan,
                 "tanh": np.tanh, "abs": np.abs, "floor": np.floor, "ceil": np.ceil, "sign": np.sign,
                 "negative": np.negative, "square": np.square, "is_nan": np.isnan}
    x = np.concatenate([np.linspace(-3, 3, 13), [np.nan, np.inf, -np.inf, 0.0, 700.0, 1e-300]])
    for (name, function), dtype in itertools.product(functions.items(), ["f64", "f32"]):
        values = x[:-2].astype(DTYPES[dtype]) if dtype == "f32" else x
        with np.errstate(all="ignore"):
            yield {"name": name, "x": array(values), "expected": array(function(values))}
    for dtype in ["i32", "i64", "u8"]:
        values = sample(6, dtype)
        for name in ["abs", "sign", "negative", "square"]:
            yield {"name": name, "x": array(values), "expected": array(functions[name](values))}


def slices():
    """A range with a negative step is cut first and reversed then, as in ndarray: a[start:end][::step]."""
    a = sample((6, 7), "i32")
    parts = [(0, None, 1), (1, 5, 1), (0, None, 2), (0, None, -1), (1, 5, -2), (-3, None, 1), (-4, -1, -3), (2, 2, 1),
             (0, None, 7)]
    for rows, columns in itertools.product(parts, parts):
        out = a[rows[0]:rows[1]][::rows[2]][:, columns[0]:columns[1]][:, ::columns[2]]
        yield {"x": array(a), "rows": rows, "columns": columns, "expected": array(out)}


def allclose():
    nan, inf = float("nan"), float("inf")
    pairs = [([1.0], [1.0]), ([1.0], [1.00001]), ([1.0], [1.0001]), ([0.0], [1e-9]), ([0.0], [1e-7]), ([inf], [inf]),
             ([inf], [-inf]), ([1.0], [inf]), ([inf], [1.0]), ([nan], [nan]), ([nan], [1.0]), ([1.0, 2.0], [1.0, 2.1]),
             ([], [])]
    for (x, y), equal_nan in itertools.product(pairs, [False, True]):
        yield {"x": array(np.array(x)), "y": array(np.array(y)), "equal_nan": equal_nan,
               "expected": bool(np.allclose(x, y, equal_nan=equal_nan))}


def axes():
    """Reductions over several axes, counted from either end."""
    shapes = {(2, 3, 4): [(0, 1), (0, 2), (1, 2), (0, 1, 2), (-1,), (-3, -1), (2, 0), ()], (3, 1, 2): [(0, 1), (1,), (-2, -1)],
              (0, 3, 2): [(0, 2), (1, 2)], (2, 2, 3, 2): [(0, 3), (1, 2), (0, 1, 3)]}
    for (shape, lists), dtype in itertools.product(shapes.items(), ["f64", "f32", "i32", "u8", "bool"]):
        x = sample(shape, dtype)
        for name, axis in itertools.product(["sum", "mean", "max", "min", "all", "any"], lists):
            if (name in ("all", "any")) != (dtype == "bool") and name not in ("sum", "mean"):
                continue
            if x.size == 0 and name in ("mean", "max", "min"):
                continue
            out = np.asarray(getattr(np, name)(x, axis=axis))
            if name == "sum" and axis == () and out.dtype == x.dtype:
                out = out.astype({"bool": "uint64", "uint8": "uint64", "int32": "int64"}.get(x.dtype.name, x.dtype.name))
            if name == "mean" and dtype == "f32":
                out = out.astype("float32")
            yield {"name": name, "axes": axis, "x": array(x), "expected": array(out)}


def manipulate():
    dtypes = ["f64", "i32", "u8", "bool", "f32"]

    def case(name, x, out, **arguments):
        return {"name": name, "x": array(x), **arguments, "expected": array(out)}

    shapes = [(5,), (1,), (0,), (3, 4), (1, 3), (0, 2), (2, 3, 4)]
    for shape, dtype in itertools.product(shapes, dtypes):
        x = sample(shape, dtype)
        for axis in [*range(len(shape)), -1]:
            yield case("flip", x, np.flip(x, axis), axes=[axis])
            for shift in [0, 1, -2, 7]:
                yield case("roll", x, np.roll(x, shift, axis), shift=shift, axis=axis)
            for count in [0, 1, 3]:
                yield case("repeat", x, np.repeat(x, count, axis), count=count, axis=axis)
            yield case("expand_dims", x, np.expand_dims(x, axis), axis=axis)
            other = list(shape)
            other[axis] = 2
            y = sample(other, dtype)
            yield case("concatenate", x, np.concatenate([x, y, x], axis), y=array(y), axis=axis)
            y = sample(shape, dtype)
            yield case("stack", x, np.stack([x, y], axis), y=array(y), axis=axis)
        yield case("flip", x, np.flip(x), axes=list(range(len(shape))))
        yield case("expand_dims", x, np.expand_dims(x, len(shape)), axis=len(shape))
        yield case("squeeze", x, np.squeeze(x))
        y = sample(shape, dtype)
        yield case("vstack", x, np.vstack([x, y]), y=array(y))
        yield case("hstack", x, np.hstack([x, y]), y=array(y))
    for shape, widths in [((4,), [(2, 1)]), ((3, 4), [(1, 2), (0, 3)]), ((2, 3), [(3, 5), (7, 4)]), ((1, 2), [(2, 2), (1, 0)]),
                          ((2, 1, 3), [(1, 0), (0, 2), (4, 1)]), ((3, 2), [(0, 0), (0, 0)])]:
        for dtype, mode in itertools.product(dtypes, ["constant", "edge", "reflect", "symmetric", "wrap"]):
            x = sample(shape, dtype)
            value = {"constant_values": 1} if mode == "constant" else {}
            yield case("pad", x, np.pad(x, widths, mode, **value), widths=widths, mode=mode)
    x = sample((2, 3, 4), "i32")
    for one, other in itertools.product([0, 1, -1], [0, 2, -2]):
        yield case("swapaxes", x, np.swapaxes(x, one, other), one=one, other=other)
        yield case("moveaxis", x, np.moveaxis(x, one, other), one=one, other=other)
    for parts, axis in [(2, 0), (3, 1), (4, -1), (1, 0)]:
        for index, out in enumerate(np.split(x, parts, axis)):
            yield case("split", x, out, parts=parts, axis=axis, index=index)


def statistics():
    lists = {(7,): [None, 0], (3, 4): [None, 0, 1, -1, (0, 1)], (2, 3, 4): [None, (0, 2), 1, (-1, -2)], (1, 3): [0, 1]}
    for (shape, axes), dtype in itertools.product(lists.items(), ["f64", "f32", "i32", "u8"]):
        x = sample(shape, dtype)
        yield {"name": "count_nonzero", "x": array(x), "axes": None, "ddof": 0, "expected": array(np.count_nonzero(x))}
        for name, axis, ddof in itertools.product(["var", "std"], axes, [0, 1]):
            with np.errstate(all="ignore"):
                out = np.asarray(getattr(np, name)(x.astype("float64"), axis=axis, ddof=0 if axis is None else ddof))
            out = out.astype("float32" if dtype == "f32" else "float64")
            axis = axis if axis is None or isinstance(axis, tuple) else (axis,)
            if axis is not None or ddof == 0:
                yield {"name": name, "x": array(x), "axes": axis, "ddof": ddof, "expected": array(out)}


def correlate():
    lengths = [(1, 1), (9, 1), (9, 3), (9, 4), (3, 9), (4, 9), (4, 10), (5, 5), (40, 7)]
    for (n, k), mode in itertools.product(lengths, ["full", "same", "valid"]):
        a, v = sample(n), sample(k)
        yield {"a": array(a), "v": array(v), "mode": mode, "expected": array(np.correlate(a, v, mode))}
    for dtype, mode in itertools.product(["f32", "i32", "i64", "u8", "u64"], ["full", "same"]):
        a, v = sample(8, dtype), sample(3, dtype)
        yield {"a": array(a), "v": array(v), "mode": mode, "expected": array(np.correlate(a, v, mode))}


def correlate2d():
    def case(a, k, mode, boundary, fill=0):
        out = signal.correlate2d(a, k, mode, {"symmetric": "symm"}.get(boundary, boundary), fill)
        return {"image": array(a), "kernel": array(k), "mode": mode, "boundary": boundary, "fill": number(fill),
                "expected": array(out)}

    modes = ["full", "same", "valid"]
    boundaries = [("fill", 0), ("fill", 1.5), ("wrap", 0), ("symmetric", 0)]
    for kernel in [(1, 1), (3, 3), (4, 4), (2, 5), (6, 1)]:
        for mode, (boundary, fill) in itertools.product(modes, boundaries):
            yield case(sample((6, 7)), sample(kernel), mode, boundary, fill)
    for mode, (boundary, fill) in itertools.product(modes[:2], boundaries):
        yield case(sample((2, 3)), sample((5, 4)), mode, boundary, fill)
    yield case(sample((2, 3)), sample((4, 5)), "valid", "fill")
    for dtype, mode in itertools.product(["f32", "i32", "i64", "u8", "u64"], modes):
        yield case(sample((4, 5), dtype), sample((3, 2), dtype), mode, "fill")


def fftconvolve():
    """Of two arrays with the same axes; by the sum itself, which is exact."""
    shapes = [((1,), (1,)), ((9,), (4,)), ((4,), (9,)), ((100,), (37,)), ((6, 7), (3, 4)), ((3, 3), (5, 6)), ((1, 40), (7, 2)),
              ((30, 20), (17, 20)), ((4, 5, 6), (2, 3, 2)), ((3, 1, 4), (1, 3, 4)), ((2, 3, 2, 3), (2, 2, 3, 1))]
    for (a, k), mode in itertools.product(shapes, ["full", "same", "valid"]):
        wide = all(x >= y for x, y in zip(a, k)) or all(x <= y for x, y in zip(a, k))
        if mode != "valid" or wide:
            a_, k_ = sample(a), sample(k)
            yield {"a": array(a_), "k": array(k_), "mode": mode, "expected": array(signal.convolve(a_, k_, mode, "direct"))}
    for dtype, mode in itertools.product(["f32", "i32", "u8", "u64"], ["full", "same", "valid"]):
        a_, k_ = sample((7, 9), dtype), sample((3, 4), dtype)
        yield {"a": array(a_), "k": array(k_), "mode": mode, "expected": array(signal.convolve(a_, k_, mode, "direct"))}


families = [convolve2d, convolve, reduce, binary, unary, slices, allclose, axes, manipulate, statistics]
families += [correlate, correlate2d, fftconvolve]
fixtures = {"numpy": np.__version__, "scipy": scipy.__version__}
fixtures.update({family.__name__: list(family()) for family in families})
path = pathlib.Path(__file__).with_name("fixtures.json")
lines = ["{", f'"numpy": "{np.__version__}", "scipy": "{scipy.__version__}",']
for family in families:
    cases = ",\n".join(json.dumps(case, separators=(",", ":")) for case in fixtures[family.__name__])
    lines.append(f'"{family.__name__}": [\n{cases}\n]' + ("," if family is not families[-1] else ""))
path.write_text("\n".join([*lines, "}", ""]))
print({family.__name__: len(fixtures[family.__name__]) for family in families}, path.stat().st_size, "bytes")
