"""Writes fixtures.json: inputs and the results that NumPy and SciPy give, for prelude/tests/integration.

Run with the versions that requirements.txt names; they are recorded in the fixtures. Inputs are multiples of 1/8, so
that sums and products are exact in every float type and results can be compared exactly.

    python3 -m venv .venv && .venv/bin/pip install -r tests/parity/requirements.txt
    .venv/bin/python tests/parity/generate.py
"""

import itertools
import json
import math
import pathlib
from fractions import Fraction

import arguments
import fourier
import linear_algebra
import numpy as np
import numpy_files
import products
import scipy
import texts
from scipy import signal, special

rng = np.random.default_rng(20240229)
DTYPES = {"u8": "uint8", "i32": "int32", "u32": "uint32", "i64": "int64", "u64": "uint64", "f32": "float32",
          "f64": "float64", "bool": "bool"}
# Types for storage; beside them is bf16, which NumPy has not.
STORED = {"i8": "int8", "u16": "uint16", "i16": "int16", "f16": "float16"}
NAMES = {value: key for key, value in {**DTYPES, **STORED, **fourier.COMPLEX}.items()}


def sample(shape, dtype="f64"):
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype.startswith("u"):
        return rng.integers(0, 12, shape).astype(DTYPES[dtype])
    integers = rng.integers(-16, 17, shape)
    return (integers / 8 if dtype.startswith("f") else integers).astype(DTYPES[dtype])


def number(value):
    if isinstance(value, (complex, np.complexfloating)):
        return [number(value.real), number(value.imag)]
    if isinstance(value, (bool, np.bool_)):
        return int(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    value = float(value)
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    if value == 0 and np.signbit(value):
        return -0.0
    # The largest floats as integers are more than readers of JSON take.
    return int(value) if value == int(value) and abs(value) < 1e308 else value


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


def dtypes():
    """Conversions between all pairs of element types, as bit patterns of elements; comparisons, sums and means of those for
    storage. What NumPy converts must equal the rules that are spelled out here."""
    # Bits of the fraction and of the exponent; the least and the largest integer.
    floats = {"f16": (10, 5), "bf16": (7, 8), "f32": (23, 8), "f64": (52, 11)}
    integers = {f"{kind}{bits}": (low, low + 2**bits - 1) for bits in (8, 16, 32, 64)
                for kind, low in (("u", 0), ("i", -(2 ** (bits - 1))))}
    names = ["bool", "u8", "i8", "u16", "i16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64"]
    in_numpy = {**DTYPES, **STORED}

    def float_bits(value, fraction, exponent):
        """The nearest float, ties to even."""
        infinity, bias = (2**exponent - 1) << fraction, 2 ** (exponent - 1) - 1
        if value != value:
            return "nan"
        sign = int(math.copysign(1, value) < 0) << (fraction + exponent)
        if isinstance(value, float) and math.isinf(value):
            return sign | infinity
        exact = abs(Fraction(value))
        if exact == 0:
            return sign
        top = exact.numerator.bit_length() - exact.denominator.bit_length()
        top = max(top if Fraction(2) ** top <= exact else top - 1, 1 - bias)
        units = round(exact / Fraction(2) ** (top - fraction))
        return sign | min(infinity, ((top + bias - 1) << fraction) + units)

    def converted(value, to):
        """Rust's `as`: floats to integers saturate, NaN becomes 0, integers wrap; to bool: not zero."""
        if to == "bool":
            return int(value != 0)
        if to in floats:
            return float_bits(value, *floats[to])
        low, high = integers[to]
        if isinstance(value, float):
            value = 0 if value != value else low if value <= low else high if value >= high else int(value)
        return value % (high - low + 1)

    def values_of(bits, name):
        """Python numbers, which all elements are exactly."""
        if name == "bf16":
            return (np.array(bits, "uint32") << 16).view("float32").astype("float64").tolist()
        size = 1 if name == "bool" else int(name.lstrip("bfiu")) // 8
        return np.array(bits, f"uint{8 * size}").view(in_numpy[name]).tolist()

    one = Fraction(1)
    exact = {0, 1, 2, 3, 10, 65504, 65519, 65520, 65521, 65535, 65536, 65537}
    exact |= {2**n + d for n in (7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64) for d in (-129, -128, -2, -1, 0, 1, 2, 128, 129)}
    # Ties of bf16 in large integers, and what a rounding to 24 or 53 bits would make a tie.
    exact |= {2**n + m * 2 ** (n - 8) + d for n in (12, 30, 31, 62, 63) for m in (1, 3) for d in (-1, 0, 1)}
    exact |= {Fraction(n, 10) for n in (1, 5, 9, 15, 25, 1279, 1281, 1289, 2555, 3007, 327675, 655355)}
    # Ties of f16 and bf16, of normal and subnormal numbers, and their neighbours in f32 and f64.
    ties = [one + one / 2**11, one + 3 * one / 2**11, one + one / 2**8, one + 3 * one / 2**8, one / 2**25, 3 * one / 2**25,
            one / 2**134, 3 * one / 2**134, 2**14 * (one + one / 2**11), Fraction(2) ** 128 * (1 - one / 2**9)]
    exact |= {tie * (1 + d) for tie in ties for d in (0, one / 2**23, -one / 2**24, one / 2**40, -one / 2**40, one / 2**52)}
    exact |= {Fraction(2) ** n for n in (-1074, -1022, -150, -149, -133, -126, -24, -14, 120, 127)}
    doubles = sorted(float(value) for value in exact)
    doubles += [1.7976931348623157e308, 3.4028234663852886e38, 3.3895313892515355e38, 1e300, 1e-300, math.inf]
    doubles = [*doubles, *(-value for value in doubles), math.nan]
    whole = sorted({int(value) for value in exact if value == int(value)})

    for name in names:
        if name == "bool":
            bits = [0, 1]
        elif name in floats:
            fraction, exponent = floats[name]
            bits = [float_bits(value, fraction, exponent) for value in doubles]
            quiet = ((2**exponent - 1) << fraction) | 1 << (fraction - 1)
            bits = list(dict.fromkeys(quiet if one_of == "nan" else one_of for one_of in bits))
        else:
            low, high = integers[name]
            inside = [value for value in [*whole, *(-value for value in whole), low, low + 1, high] if low <= value <= high]
            bits = list(dict.fromkeys(value % (high - low + 1) for value in inside))
        values = values_of(bits, name)
        results = {to: [converted(value, to) for value in values] for to in names}
        for to in set(floats) & set(in_numpy):
            if name in in_numpy:
                with np.errstate(all="ignore"):
                    theirs = np.array(values, in_numpy[name]).astype(in_numpy[to])
                unsigned = theirs.view(f"uint{8 * theirs.itemsize}").tolist()
                for ours, bits_of_one, value in zip(results[to], unsigned, theirs):
                    assert np.isnan(value) if ours == "nan" else ours == bits_of_one, (name, to, ours, value)
        yield {"name": "convert", "from": name, "x": bits, "to": results}

    draw = np.random.default_rng(20250301)
    for name, dtype in STORED.items():
        low, high = integers.get(name, (-64, 64))
        x, y = (draw.integers(low, high, (3, 5), endpoint=True).astype("float64") for _ in range(2))
        y[1] = x[1]
        if name == "f16":
            x, y = x / 8, y / 8
            x[2, 3] = np.nan
        x, y = x.astype(dtype), y.astype(dtype)
        for axis in [None, 0, 1]:
            # In f32, as for the sum that NumPy rounds to f16.
            wide = x.astype("float32") if name == "f16" else x
            for function in ["sum", "mean"]:
                out = getattr(np, function)(wide, axis=axis)
                yield {"name": function, "axis": axis, "x": array(x), "expected": array(out)}
        functions = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
                     "ge": np.greater_equal}
        for function, of in functions.items():
            yield {"name": function, "x": array(x), "y": array(y), "expected": array(of(x, y))}


def functions():
    """Elementwise functions of floats and of integers, beside those of `unary` and `binary`."""
    floats = {"exp2": np.exp2, "expm1": np.expm1, "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "cbrt": np.cbrt,
              "sinh": np.sinh, "cosh": np.cosh, "asin": np.asin, "acos": np.acos, "atan": np.atan, "asinh": np.asinh,
              "acosh": np.acosh, "atanh": np.atanh, "erf": special.erf, "erfc": special.erfc, "erfinv": special.erfinv,
              "ndtr": special.ndtr, "round": np.round, "trunc": np.trunc, "reciprocal": np.reciprocal,
              "is_inf": np.isinf, "is_finite": np.isfinite, "radians": np.radians, "degrees": np.degrees}
    x = np.concatenate([np.linspace(-3, 3, 25), [np.nan, np.inf, -np.inf, -0.0, 1e-7, 1 + 2.0**-20, 1 - 2.0**-20, 2.5, 1e9]])
    more = [700.0, 1e-300, 1e300, 1e-20, 1 + 2.0**-50, 4503599627370497.5]
    for name, dtype in itertools.product(floats, ["f64", "f32"]):
        values = np.concatenate([x, more]) if dtype == "f64" else x.astype("float32")
        # In f64, since NumPy's own f32 functions round less well than ours may.
        with np.errstate(all="ignore"):
            out = floats[name](values.astype("float64"))
            out = out if out.dtype == bool else out.astype(values.dtype)
        yield {"name": name, "x": array(values), "expected": array(out)}
    for dtype in ["i32", "u32", "i64", "u8"]:
        values = np.concatenate([sample(6, dtype), [np.iinfo(DTYPES[dtype]).min, np.iinfo(DTYPES[dtype]).max]]).astype(DTYPES[dtype])
        for name in ["round", "trunc", "is_inf", "is_finite"]:
            yield {"name": name, "x": array(values), "expected": array(floats[name](values).astype(
                bool if name.startswith("is_") else values.dtype))}
        yield {"name": "bitwise_not", "x": array(values), "expected": array(np.bitwise_invert(values))}
    values = sample(5, "bool")
    yield {"name": "bitwise_not", "x": array(values), "expected": array(np.bitwise_invert(values))}

    edge = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.0, 0.1, 7.5, -7.5, 1e300])
    for name, function in {"atan2": np.atan2, "hypot": np.hypot, "copysign": np.copysign, "floor_divide": np.floor_divide,
                           "modulo": np.mod}.items():
        for dtype in ["f64", "f32"]:
            values = (edge if dtype == "f64" else edge[:-1]).astype(DTYPES[dtype])
            a, b = values[:, None], values[None, :]
            with np.errstate(all="ignore"):
                yield {"name": name, "x": array(a), "y": array(b), "expected": array(function(a, b))}
                a, b = sample((4, 1), dtype), sample((3,), dtype)
                yield {"name": name, "x": array(a), "y": array(b), "expected": array(function(a, b))}
    whole = {"floor_divide": np.floor_divide, "modulo": np.mod, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
             "bitwise_xor": np.bitwise_xor, "left_shift": np.left_shift, "right_shift": np.right_shift}
    for dtype in ["u8", "i32", "u32", "i64", "u64"]:
        least, most = np.iinfo(DTYPES[dtype]).min, np.iinfo(DTYPES[dtype]).max
        bits = np.iinfo(DTYPES[dtype]).bits
        numbers = [0, 1, 2, 7, 12, bits - 1, bits, bits + 1, least, most, *([-1, -2, -7, -13] if least < 0 else [])]
        values = np.array(numbers, DTYPES[dtype])
        for name, function in whole.items():
            with np.errstate(all="ignore"):
                out = function(values[:, None], values[None, :])
            yield {"name": name, "x": array(values[:, None]), "y": array(values[None, :]), "expected": array(out)}
    truth = np.array([True, False])
    for name in ["bitwise_and", "bitwise_or", "bitwise_xor", "logical_xor"]:
        out = getattr(np, name)(truth[:, None], truth[None, :])
        yield {"name": name, "x": array(truth[:, None]), "y": array(truth[None, :]), "expected": array(out)}
    for dtype in ["f64", "i32", "u8"]:
        values, low, high = sample((3, 4), dtype), sample((4,), dtype), sample((3, 1), dtype)
        if dtype == "f64":
            values[0, 0], low[2], high[1] = np.nan, np.nan, np.inf
        yield {"name": "clip", "x": array(values), "y": array(low), "z": array(high), "expected": array(np.clip(values, low, high))}


def places():
    """Products, norms, and where the extremes are."""
    shapes = [(5,), (3, 4), (2, 3, 4), (1, 5), ()]
    for dtype, shape in itertools.product(DTYPES, shapes):
        x = sample(shape, dtype)
        for axis in [None, *range(len(shape))]:
            yield {"name": "prod", "axis": axis, "x": array(x), "expected": array(np.prod(x, axis=axis).astype(
                {"b": "uint64", "u": "uint64", "i": "int64"}.get(x.dtype.kind, x.dtype.name)))}
            for name in ["argmax", "argmin"]:
                yield {"name": name, "axis": axis, "x": array(x), "expected": array(getattr(np, name)(x, axis=axis))}
        if dtype != "bool":
            out = np.linalg.norm(x.astype("float64").ravel())
            yield {"name": "norm", "axis": None, "x": array(x), "expected": array(out.astype("float32" if dtype == "f32" else "float64"))}
    for dtype in ["f32", "f64"]:
        x = sample((4, 5), dtype)
        x[1, 2] = x[3, 1] = np.nan
        x[2, 4], x[0, 0], x[0, 3] = np.inf, -np.inf, -np.inf
        for name, axis in itertools.product(["argmax", "argmin"], [None, 0, 1]):
            yield {"name": name, "axis": axis, "x": array(x), "expected": array(getattr(np, name)(x, axis=axis))}
    for shape, axis in [((0, 3), None), ((0, 3), 0), ((0, 3), 1), ((0,), None)]:
        x = np.zeros(shape)
        yield {"name": "prod", "axis": axis, "x": array(x), "expected": array(np.prod(x, axis=axis))}
        if axis == 1:
            yield {"name": "argmax", "axis": axis, "x": array(x), "expected": array(np.argmax(x, axis=axis))}


def scans():
    """Running sums and products, and differences."""
    shapes = [(1,), (9,), (40,), (3, 4), (2, 3, 4), (0,), (2, 0, 3), ()]
    for dtype, shape in itertools.product(DTYPES, shapes):
        x = sample(shape, dtype)
        wide = {"b": "uint64", "u": "uint64", "i": "int64"}.get(x.dtype.kind, x.dtype.name)
        for name, axis in itertools.product(["cumsum", "cumprod"], [None, *range(len(shape))]):
            # Exact in f64; rounded once to f32.
            inputs = x.astype("float64") if dtype == "f32" else x
            out = getattr(np, name)(inputs, axis=axis, **({} if dtype == "f32" else {"dtype": wide}))
            yield {"name": name, "axis": axis, "x": array(x), "expected": array(out.astype(wide))}
    for dtype in ["f32", "f64"]:
        x = sample((6,), dtype)
        x[2], x[4] = np.inf, np.nan
        yield {"name": "cumsum", "axis": 0, "x": array(x), "expected": array(np.cumsum(x))}
    for dtype, shape in itertools.product(["f64", "i32", "u8"], [(1,), (7,), (3, 4), (2, 3, 4), (0, 2)]):
        x = sample(shape, dtype)
        for n, axis in itertools.product([0, 1, 2, 3], [*range(len(shape)), -1]):
            yield {"name": "diff", "n": n, "axis": axis, "x": array(x), "expected": array(np.diff(x, n, axis))}


def selection():
    """Choosing elements by bools."""
    def sample(shape, dtype):
        return np.array(globals()["sample"](shape, dtype))

    dtypes = ["f64", "f32", "i32", "i64", "u8", "bool"]
    shapes = [((3, 4), (3, 4), (3, 4)), ((4,), (3, 1), ()), ((), (2, 3), (3,)), ((2, 1, 3), (4, 1), (1, 3)),
              ((0, 3), (1, 3), (3,)), ((600,), (600,), ())]
    for (c, x, y), dtype in itertools.product(shapes, dtypes):
        if c == (600,) and dtype != "u8":
            continue
        condition, a, b = sample(c, "bool"), sample(x, dtype), sample(y, dtype)
        yield {"name": "where", "condition": array(condition), "x": array(a), "y": array(b),
               "expected": array(np.where(condition, a, b))}
    for shape, dtype in itertools.product([(7,), (3, 4), (2, 2, 3), (0, 3), (), (1100,)], dtypes):
        if shape == (1100,) and dtype != "u8":
            continue
        x = sample(shape, dtype)
        for kind in ["some", "all", "none"]:
            mask = {"some": sample(shape, "bool"), "all": np.ones(shape, bool), "none": np.zeros(shape, bool)}[kind]
            yield {"name": "extract", "x": array(x), "mask": array(mask), "expected": array(x[mask])}
            if kind == "some":
                y, out = sample(shape[1:], dtype), x.copy()
                np.copyto(out, y, where=mask)
                yield {"name": "putmask", "x": array(x), "mask": array(mask), "y": array(y), "expected": array(out)}
                y, out = sample(int(mask.sum()), dtype), x.copy()
                out[mask] = y
                yield {"name": "place", "x": array(x), "mask": array(mask), "y": array(y), "expected": array(out)}
        for leading in range(1, len(shape)):
            mask = sample(shape[:leading], "bool")
            yield {"name": "extract", "x": array(x), "mask": array(mask), "expected": array(x[mask])}
            y, out = sample((), dtype), x.copy()
            out[mask] = y
            yield {"name": "putmask", "x": array(x), "mask": array(mask), "y": array(y), "expected": array(out)}
        places = [array(place) for place in x.nonzero()] if shape else []
        yield {"name": "nonzero", "x": array(x), "places": places, "y": array(np.argwhere(x)),
               "expected": array(np.flatnonzero(x))}
    x = np.array([[0.0, np.nan], [-0.0, np.inf]])
    yield {"name": "nonzero", "x": array(x), "places": [array(place) for place in x.nonzero()], "y": array(np.argwhere(x)),
           "expected": array(np.flatnonzero(x))}


def indexing():
    """Reading and writing elements by arrays of indices; `dtype` is that of the indices on the device."""
    dtypes = ["f64", "f32", "i32", "u8", "bool"]

    def indices(shape, length, dtype):
        return rng.integers(0 if dtype.startswith("u") else -length, length, shape)

    def case(name, x, index, dtype, out, **arguments):
        return {"name": name, "x": array(x), "indices": array(index), "dtype": dtype, **arguments, "expected": array(out)}

    def changed(x, change):
        out = x.copy()
        change(out)
        return out

    shapes = [(6,), (3, 4), (2, 2, 3), (1,), (2, 40)]
    for number, (shape, dtype) in enumerate(itertools.product(shapes, dtypes)):
        if shape == (2, 40) and dtype != "f32":
            continue
        x, size = sample(shape, dtype), int(np.prod(shape))
        of = ["i64", "i32", "u32", "u64"][number % 4]
        for many in [(5,), (2, 3), (), (0,)]:
            index = indices(many, size, of)
            yield case("take", x, index, of, np.take(x, index))
            for axis in [*range(len(shape)), -1]:
                index = indices(many, shape[axis], of)
                yield case("take_axis", x, index, of, np.take(x, index, axis), axis=axis)
        # Distinct places, for NumPy does not say which of repeated ones wins.
        index = rng.permutation(size)[:5] - (0 if of.startswith("u") else size)
        y = sample(index.shape, dtype)
        yield case("put", x, index, of, changed(x, lambda out: np.put(out, index, y)), y=array(y))
        for axis in [*range(len(shape)), -1]:
            index = rng.permutation(shape[axis])[:2]
            y = sample(np.take(x, index, axis).shape, dtype)

            def change(out):
                np.moveaxis(out, axis, 0)[index] = np.moveaxis(y, axis, 0)

            yield case("put_axis", x, index, of, changed(x, change), y=array(y), axis=axis)
        for axis in [*range(len(shape)), -1]:
            for count in [1, 3, 0]:
                other = list(shape)
                other[axis] = count
                index = indices(other, shape[axis], of)
                yield case("take_along_axis", x, index, of, np.take_along_axis(x, index, axis), axis=axis)
            index = np.argsort(rng.random(shape), axis)
            y = sample(shape, dtype)
            out = changed(x, lambda out: np.put_along_axis(out, index, y, axis))
            yield case("put_along_axis", x, index, of, out, y=array(y), axis=axis)
        index = indices((3, 2), size, "u64")
        places = np.unravel_index(index, shape)
        out = np.ravel_multi_index(places, shape)
        yield case("unravel_index", x, index, of, out, places=[array(place) for place in places])
    x = sample((3, 4, 2), "f64")
    index = np.array([[1], [0], [3]])
    yield case("take_along_axis", x, index[None], "i64", np.take_along_axis(x, index[None], 1), axis=1)
    index = np.array([[[0, 1]], [[2, 1]], [[1, 0]]])
    yield case("take_along_axis", x[:, :, :1], index, "i32", np.take_along_axis(x[:, :, :1], index, 1), axis=1)


def sorting():
    """Orders, searches, distinct elements, counts and quantiles."""
    nan, inf = float("nan"), float("inf")
    special = np.array([nan, 1.0, -inf, 0.0, inf, -0.0, nan, 1.0, -2.5, inf])

    def case(name, x, out, **arguments):
        return {"name": name, "x": array(x), **arguments, "expected": array(out)}

    def positions(a):
        return np.asarray(a).astype("int64")

    shapes = [(7,), (1,), (0,), (3, 4), (2, 0), (2, 3, 5)]
    samples = [(sample(shape, dtype), dtype) for shape, dtype in itertools.product(shapes, DTYPES)]
    samples += [(special.astype(DTYPES[dtype]), dtype) for dtype in ["f32", "f64"]]
    for x, dtype in samples:
        for axis in [*range(x.ndim), -1]:
            yield case("sort", x, np.sort(x, axis=axis), axis=axis)
            yield case("argsort", x, positions(np.argsort(x, axis=axis, stable=True)), axis=axis)
        values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)
        yield case("unique", x, values, counts=array(positions(counts)), inverse=array(positions(inverse.reshape(x.shape))))
        ordered = np.sort(sample((9,), dtype))
        for side in ["left", "right"]:
            yield case("searchsorted", x, positions(np.searchsorted(ordered, x, side)), sorted=array(ordered), side=side)
            if dtype != "bool":
                for bins in [ordered, ordered[::-1]]:
                    out = np.digitize(x.ravel(), bins, right=side == "right").reshape(x.shape)
                    yield case("digitize", x, positions(out), bins=array(bins), side=side)
    for dtype, shape in itertools.product([dtype for dtype in DTYPES if dtype != "bool"], [(9,), (1,), (0,), (4, 5)]):
        x = sample(shape, dtype).clip(0)
        if x.ndim == 1 and not dtype.startswith("f"):
            weights = sample(shape, "f32")
            # NumPy refuses u64, which is not to be cast safely.
            for minlength in [0, 20]:
                out = np.bincount(x.astype("int64"), minlength=minlength)
                yield case("bincount", x, positions(out), minlength=minlength)
                out = np.bincount(x.astype("int64"), weights, minlength)
                yield case("bincount_weighted", x, out.astype("float64"), weights=array(weights), minlength=minlength)
        for bins, span in [(1, None), (4, None), (10, (0, 2)), (3, (1, 1)), (5, (-1.5, 8.25)), ([0, 1, 1, 2.5], None), ([1, 1], None),
                           ([-inf, 1, inf], None)]:
            out, edges = np.histogram(x.astype("float64"), bins, span)
            yield case("histogram", x, positions(out), bins=bins if isinstance(bins, int) else array(np.array(bins, "float64")),
                       range=span, edges=array(edges.astype("float64")))
    for x, span in [(special, (-3, 3)), (np.arange(2, 12) / 8, (0.25, 1.375)), (np.arange(3, 40) / 8, None)]:
        for bins in [3, 7, 30]:
            out, edges = np.histogram(x, bins, span)
            yield case("histogram", x, positions(out), bins=bins, range=span, edges=array(edges))
    for x, dtype in samples:
        if dtype == "bool" or x.size == 0 or not np.isfinite(x).all():
            continue
        result = "float32" if dtype == "f32" else "float64"
        for axis in [None, *range(x.ndim), -1]:
            yield case("median", x, np.median(x, axis).astype(result), axis=axis)
            for share in [0, 0.25, 0.5, 0.9, 1]:
                yield case("quantile", x, np.quantile(x, share, axis).astype(result), axis=axis, share=share)
            yield case("percentile", x, np.percentile(x, 30, axis).astype(result), axis=axis, share=30)
    for axis in [None, 0]:
        yield case("median", special, np.median(special, axis), axis=axis)


def names():
    """The first column of prelude/NUMPY.md, evaluated."""
    a, b = np.array([[1, -2, 3], [4, 5.5, -6]]), np.array([2, 0.5, -1])
    variables = {"np": np, "scipy": scipy, "a": a, "b": b, "i": np.array([3, 1, 2, 1, 0]), "mask": a > 0}
    for line in (pathlib.Path(__file__).parents[2] / "prelude/NUMPY.md").read_text().splitlines():
        if line.startswith("| `"):
            text = line.split("` | `")[0][3:].replace("\\|", "|")
            yield {"numpy": text, "expected": array(np.asarray(texts.codes(eval(text, variables)), dtype="float64"))}


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


families = {family.__name__: family() for family in (
    convolve2d, convolve, reduce, binary, unary, slices, allclose, axes, manipulate, statistics, dtypes, functions, places, scans,
    selection, indexing, sorting, correlate, correlate2d, fftconvolve, names,
    *fourier.families(rng, sample, array, {**DTYPES, **STORED}))}  # fmt: skip
families["products"] = products.cases(sample, array)
families["linear_algebra"] = linear_algebra.cases(sample, array)
families |= {"bits": texts.bits(array, {**DTYPES, **STORED}), "texts": texts.cases()}
families |= {"files": numpy_files.cases(array, {**DTYPES, **STORED}), "complex_products": products.complex_cases(sample, array)}
arguments.write()
fixtures = {family: list(cases) for family, cases in families.items()}
path = pathlib.Path(__file__).with_name("fixtures.json")
lines = [f'"numpy": "{np.__version__}", "scipy": "{scipy.__version__}"']
for family, cases in fixtures.items():
    each = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    lines.append(f'"{family}": [\n{each}\n]')
path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
print({family: len(cases) for family, cases in fixtures.items()}, path.stat().st_size, "bytes")
