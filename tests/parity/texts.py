"""Cases of texts of numbers and arrays, and of bits. Floats are given by their bits: readers of JSON may be off by one in the last."""

import itertools

import numpy as np

FLOATS = {"f16": "float16", "f32": "float32", "f64": "float64"}
INTEGERS = {"u8": "uint8", "i32": "int32", "i64": "int64", "u64": "uint64", "bool": "bool"}
COMPLEX = {"Complex<f32>": "complex64", "Complex<f64>": "complex128"}


def codes(value):
    """A text as the codes of its characters, complex numbers as their parts, along one more axis; other values as they are."""
    if isinstance(value, str):
        return list(map(ord, value))
    return np.stack([np.real(value), np.imag(value)], -1) if np.iscomplexobj(value) else value


def bits_of(a):
    """The elements of an array as unsigned integers; of complex numbers their parts."""
    parts = a.reshape(-1).view(a.real.dtype) if a.dtype.kind == "c" else a
    return [int(word) for word in parts.ravel().view(f"uint{8 * parts.itemsize}")]


def floats(dtype):
    values = [0.0, -0.0, 1.0, 0.1, -0.5, 2.5, 3.5, 1 / 3, 2 / 3, 0.0004, 0.0006, 0.0095, 1.9996, 1.0004, 9.996, 99.95, 1234.5, 0.125,
              0.375, 65504.0, 2048.0, 1e-4, 6e-8, np.pi, np.nan, np.inf, -np.inf]
    if dtype != "f16":
        values += [1e5, 123456.7, 1e6, 1e8, 1e15, 1e22, 1.23e24, 1e-10, 1e-38, 16777216.0, 8589934592.0]
    if dtype == "f64":
        values += [1e23, 1e16, 5e-324, 1.7976931348623157e308, 2.0**-44, 0.1 + 0.2, 9007199254740993.0]
    with np.errstate(over="ignore"):
        return np.array(values).astype(FLOATS[dtype])


def numbers():
    positional = [{}, {"sign": True}, {"pad_left": 6, "pad_right": 8}, {"trim": "-", "pad_right": 2}]
    positional += [{"trim": trim} for trim in ".0-"]
    for precision, trim in itertools.product([0, 2, 3, 20], "k.0-"):
        positional += [{"precision": precision, "trim": trim}, {"precision": precision, "trim": trim, "unique": False}]
        if precision > 0:
            positional += [{"precision": precision, "trim": trim, "fractional": False},
                           {"precision": precision, "trim": trim, "unique": False, "fractional": False}]
    positional += [{"min_digits": digits} for digits in [0, 1, 4, 25]]
    positional += [{"min_digits": digits, "fractional": False} for digits in [1, 4, 25]]
    positional += [{"min_digits": 3, "precision": 5}, {"min_digits": 3, "precision": 5, "trim": "."}]
    scientific = [{}, {"sign": True}, {"pad_left": 5}, {"exp_digits": 1}, {"exp_digits": 4}]
    for precision, trim in itertools.product([0, 2, 3, 20], "k.0-"):
        scientific += [{"precision": precision, "trim": trim}, {"precision": precision, "trim": trim, "unique": False}]
    scientific += [{"min_digits": digits} for digits in [0, 1, 4, 25]] + [{"min_digits": 3, "precision": 5}]
    for dtype in FLOATS:
        # The numbers of the cases that follow.
        yield {"name": "values", "dtype": dtype, "bits": bits_of(floats(dtype))}
        for name, each in {"positional": positional, "scientific": scientific}.items():
            function = getattr(np, f"format_float_{name}")
            for options in each:
                values = floats(dtype)
                yield {"name": name, "dtype": dtype, "options": options, "expected": [function(value, **options) for value in values]}


def arrays():
    def case(name, key, a, **options):
        text = getattr(np, name)(a, **options)
        return {"name": name, "dtype": key, "shape": list(a.shape), "bits": bits_of(a), "options": options, "expected": text}

    draw = np.random.default_rng(20250302)
    # NumPy's own width of lines; ours has none until it is set.
    width = {"max_line_width": 75}
    for key, dtype in FLOATS.items():
        special = [np.nan, np.inf, 1.5, -0.0]
        lists = [[1.0, 2.5, -3.0], [0.1, 1 / 3, 100.0], [1e-5, 1.0], [0.001, 5.0], [999.0, 0.5], [1e3, 1.0], [1e4, 3.0], special, [np.nan],
                 [np.inf], [-np.inf, 1e-7], [0.0], [-0.0, 0.0], [np.nan, 1e-5, 1.0], [1 / 3, 2e-4, -0.7]]
        if key != "f16":
            lists += [[1e6, 1.0], [999999.0, 1e3], [1e7, 1e4], [1e8, 1e8], [99999999.0, 1e6], [1e-30, 1e30]]
        if key == "f64":
            lists += [[1e100, 1.0], [1e-300, 2.0], [123456.789, 0.001]]
        modes = [{"floatmode": mode} for mode in ["maxprec", "maxprec_equal", "fixed", "unique"]]
        styles = [{}, *modes, {"suppress_small": True}, {"precision": 2}, {"precision": 0}, {"precision": 20}, {"sign": "+"}, {"sign": " "},
                  {"precision": 3, "floatmode": "fixed", "sign": " "}, {"precision": 2, "floatmode": "maxprec_equal", "suppress_small": True}]
        for values, style in itertools.product(lists, styles):
            yield case("array2string", key, np.array(values).astype(dtype), **width, **style)
        matrix = (draw.integers(-80, 80, (5, 12)) / 8).astype(dtype)
        for style in [{}, {"separator": ", "}, {"separator": ",", "max_line_width": 30}, {"max_line_width": 20, "prefix": "a = ", "suffix": ";"},
                      {"threshold": 10}, {"threshold": 10, "edgeitems": 1, "separator": " | "}, {"max_line_width": 3}]:
            yield case("array2string", key, matrix, **{**width, **style})
        for a in [matrix, matrix[:2, :3], matrix.reshape(5, 3, 2, 2), matrix[:0], matrix[:, :0], matrix[0, :0], matrix[0, 0:1].reshape(())]:
            for name in ["array2string", "array_repr", "array_str"]:
                yield case(name, key, np.ascontiguousarray(a).reshape(a.shape), **width)
        for value in floats(key):
            yield case("array_str", key, np.array(value))
        yield case("array_repr", key, np.arange(1100).astype(dtype), **width)
        yield case("array_repr", key, matrix[0], max_line_width=40, precision=1)
        yield case("array_repr", key, matrix[0, :5], max_line_width=60)
    for key, dtype in INTEGERS.items():
        a = draw.integers(0, 2 if key == "bool" else 100, (4, 9)).astype(dtype)
        if key in ("i32", "i64"):
            a[1, 2] = -123
        for b in [a, a[0], a[:0], a[0, 0:1].reshape(()), a[0, :1]]:
            for name in ["array2string", "array_repr", "array_str"]:
                yield case(name, key, np.ascontiguousarray(b).reshape(b.shape), **width)
        for style in [{"sign": "+"}, {"sign": " "}, {"separator": ", ", "max_line_width": 25}, {"threshold": 5, "edgeitems": 2}]:
            yield case("array2string", key, a, **{**width, **style})
    for key, dtype in COMPLEX.items():
        a = (draw.integers(-16, 17, (3, 4)) / 8 + 1j * draw.integers(-16, 17, (3, 4)) / 4).astype(dtype)
        for b in [a, a[0], a[:0], np.array([1 + 2j, np.nan, complex(np.inf, -np.inf)], dtype), np.array([1e-7, 1e9j], dtype)]:
            for name in ["array2string", "array_repr", "array_str"]:
                yield case(name, key, b, **width)
        for style in [{"sign": "+"}, {"sign": " "}, {"precision": 1}, {"floatmode": "fixed", "precision": 3}, {"separator": ", "}]:
            yield case("array2string", key, a, **width, **style)
        for value in [0, 1 + 2j, 2j, -2j, complex(-0.0, 1), complex(np.nan, np.nan), complex(np.inf, 1e20), 1e-5 - 0.1j]:
            yield case("array_str", key, np.array(value, dtype))


def cases():
    yield from numbers()
    yield from arrays()


def bits(array, dtypes):
    """Elements packed into bits, and bits of bytes."""
    draw = np.random.default_rng(20250303)

    def case(name, x, out, **options):
        return {"name": name, "x": array(x), "options": options, "expected": array(out)}

    shapes = [(0,), (1,), (8,), (19,), (3, 10), (2, 17, 3), (0, 9), (9, 0), ()]
    whole = [key for key, dtype in dtypes.items() if np.dtype(dtype).kind in "iub"]
    for shape, key, order in itertools.product(shapes, whole, ["big", "little"]):
        x = np.asarray(draw.integers(0, 2, shape) * draw.integers(1, 100, shape)).astype(dtypes[key])
        for axis in [None, *range(len(shape)), *([-1] if shape else [])]:
            yield case("packbits", x, np.packbits(x, axis=axis, bitorder=order), axis=axis, bitorder=order)
    for shape, order in itertools.product([(0,), (1,), (5,), (2, 3), (2, 0), ()], ["big", "little"]):
        x = np.asarray(draw.integers(0, 256, shape)).astype("uint8")
        for axis, count in itertools.product([None, *range(len(shape))], [None, 0, 3, 8, 11, 50, -1, -5]):
            length = 8 * (x.size if axis is None else shape[axis])
            # NumPy 2.4 does not write what it adds to arrays without elements.
            if count is not None and (count < -length or (x.size == 0 and count > 0)):
                continue
            out = np.unpackbits(x, axis=axis, count=count, bitorder=order)
            yield case("unpackbits", x, out, axis=axis, count=count, bitorder=order)
