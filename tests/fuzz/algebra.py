"""Products, linear algebra, transforms, polynomials, windows, and arrays that are made."""

from __future__ import annotations

import numpy as np

from .arrays import LENGTHS, Array, Source, literal
from .calls import ANY, COMPLEX, FLOATS, INTEGERS, NUMBERS, REAL, Call, axis_of, epsilon, functions, if_empty, near, size_of

PRODUCTS = [*FLOATS, *COMPLEX]
FILLED = tuple(length for length in LENGTHS if length)
SMALL = (1, 2, 2, 3, 4, 5)


@functions("matmul", dtypes=[*ANY, "complex64"])
def _(s, dtype, name):
    rows, inner, columns = (s.choice((0, 1, 2, 3, 4, 5, 17)) for _ in range(3))
    stack = s.shape(0, 2, (0, 1, 2, 3), 12) if s.chance(0.5) else ()
    first, second = [*stack, rows, inner], [*(1 if s.chance(0.3) else n for n in stack), inner, columns]
    if s.chance(0.2):
        second = second[-2:]
    if s.chance(0.15):
        first = first[-1:]
    if s.chance(0.15):
        second = second[-2:-1]
    if s.chance(0.04):
        first[-1] += 1
    return Call("np.matmul(a0, a1)", [s.array(dtype, first, "exact"), s.array(dtype, second, "exact")], {}, {"any_zero": True})


@functions("dot", "vdot", "inner", "outer", "kron", dtypes=PRODUCTS)
def _(s, dtype, name):
    length = s.choice((0, 1, 2, 3, 8, 17))
    other = length if name not in ("outer", "kron") or s.chance(0.3) else s.choice((0, 1, 3))
    if s.chance(0.04):
        other += 1
    if name == "kron":
        return Call("np.kron(a0, a1)", [s.array(dtype, s.shape(1, 3, size=20), "exact"), s.array(dtype, s.shape(1, 3, size=12), "exact")], {}, {"any_zero": True})
    return Call(f"np.{name}(a0, a1)", [s.array(dtype, (length,), "exact"), s.array(dtype, (other,), "exact")], {}, {"any_zero": True})


@functions("dot", "inner", "outer", dtypes=INTEGERS)
def _(s, dtype, name):
    length = s.choice((0, 1, 2, 3, 8, 17))
    return Call(f"np.{name}(a0, a1)", [s.array(dtype, (length,)), s.array(dtype, (length,))])


@functions("tensordot", dtypes=PRODUCTS)
def _(s, dtype, name):
    shared = [s.choice(SMALL) for _ in range(s.integer(0, 2))]
    left, right = [*s.shape(0, 2, SMALL, 20), *shared], [*shared, *s.shape(0, 2, SMALL, 20)]
    if s.chance(0.5):
        return Call(f"np.tensordot(a0, a1, {len(shared)})", [s.array(dtype, left, "exact"), s.array(dtype, right, "exact")], {"axes": len(shared)}, {"any_zero": True})
    given = {"left": list(range(len(left) - len(shared), len(left))), "right": list(range(len(shared)))}
    return Call(f"np.tensordot(a0, a1, ({given['left']}, {given['right']}))", [s.array(dtype, left, "exact"), s.array(dtype, right, "exact")], given, {"any_zero": True})


@functions("einsum", dtypes=PRODUCTS)
def _(s, dtype, name):
    notation = s.choice(["ij,jk->ik", "ij->ji", "ii->i", "ii", "ij->", "i,i->", "i,j->ij", "ij,ij->ij", "bij,bjk->bik", "ij,j", "ijk->kj", "i,ij,j->"])
    lengths = {letter: s.choice(SMALL) for letter in "bijk"}
    arrays = [s.array(dtype, [lengths[letter] for letter in part], "exact") for part in notation.split("->")[0].split(",")]
    return Call(f"np.einsum('{notation}', {', '.join(f'a{at}' for at in range(len(arrays)))})", arrays, {"notation": notation}, {"any_zero": True})


@functions("trace", dtypes=[*PRODUCTS, "int64", "int32", "uint8"])
def _(s, dtype, name):
    return Call("np.trace(a0)", [s.array(dtype, s.shape(2, 2), "exact")], {}, {"any_zero": True})


@functions("cross", dtypes=PRODUCTS)
def _(s, dtype, name):
    shape = [*s.shape(0, 2, SMALL), 3]
    other = [*(1 if s.chance(0.2) else n for n in shape[:-1]), 3 if s.chance(0.96) else 4]
    return Call("np.cross(a0, a1)", [s.array(dtype, shape, "exact"), s.array(dtype, other, "exact")], {}, {"any_zero": True})


# Linear algebra.

def matrices(s: Source, dtype: str, rows: int, columns: int, stack=(), symmetric: bool = False) -> Array:
    """Matrices far from singular: the diagonal is large."""
    a = s.array(dtype, (*stack, rows, columns), "exact", view=False)
    diagonal = np.arange(min(rows, columns))
    a.base[..., diagonal, diagonal] += 4 * max(rows, columns)
    if symmetric:
        a.base[...] = (a.base + np.conj(np.swapaxes(a.base, -1, -2))) / 2
    a.text = literal(a.base)
    return a


def stack_of(s: Source):
    return s.shape(1, 2, (0, 1, 2, 3), 6) if s.chance(0.3) else ()


def loose(dtype: str, size: float = 1.0) -> dict:
    return {"relative": 4096 * epsilon(dtype), "absolute": 4096 * epsilon(dtype) * size}


@functions("det", "slogdet", "inv", "cholesky", "eigvalsh", "matrix_rank", "pinv", dtypes=PRODUCTS)
def _(s, dtype, name):
    n = s.integer(0 if name not in ("pinv", "matrix_rank") else 1, 6)
    a = matrices(s, dtype, n, n, stack_of(s), name in ("cholesky", "eigvalsh"))
    if s.chance(0.05):
        # A view can repeat rows: whether the determinant is then 0 exactly is a matter of rounding.
        a = s.array(dtype, s.shape(1, 3, SMALL), "exact", view=name != "slogdet")
    elif s.chance(0.05) and n and name != "slogdet":
        a.base[..., :] = 0
        a.text = literal(a.base)
    text = f"np.linalg.{name}(a0)"
    if name == "pinv":
        text = "np.linalg.pinv(a0, rtol=None)"
    notes = loose(dtype, float(np.max(np.abs(a.view), initial=1)) if name == "eigvalsh" else 1)
    if name == "matrix_rank" and a.view.ndim < 2:
        notes["refused"] = "factors are those of matrices; NumPy takes a vector for a matrix of rank 0 or 1"
    return Call(text, [a], {}, notes)


@functions("solve", dtypes=PRODUCTS)
def _(s, dtype, name):
    n, stack = s.integer(0, 6), stack_of(s)
    shape = [n] if not stack and s.chance(0.4) else [*stack, n, s.integer(0, 3)]
    if s.chance(0.03):
        shape[0] += 1
    arrays = [matrices(s, dtype, n, n, stack), s.array(dtype, shape, "exact")]
    none = if_empty(arrays[1], "accepted", "without right sides there is nothing to solve; NumPy factorises the matrix anyway")
    return Call("np.linalg.solve(a0, a1)", arrays, {}, {**loose(dtype), **none})


@functions("qr", "qr_r", "svd", "svdvals", dtypes=PRODUCTS)
def _(s, dtype, name):
    rows, columns, stack = s.integer(1, 6), s.integer(1, 6), stack_of(s)
    a = s.array(dtype, (*stack, rows, columns), "exact")
    # Factors have no certain sign; what they make has.
    text = {"qr": "a0 + 0", "qr_r": "abs(np.linalg.qr(a0, 'r'))", "svd": "a0 + 0", "svdvals": "np.linalg.svdvals(a0)"}[name]
    if name == "qr_r":
        a = matrices(s, dtype, rows, columns, stack)
    return Call(text, [a], {}, loose(dtype, 16))


@functions("matrix_power", dtypes=PRODUCTS)
def _(s, dtype, name):
    n = s.integer(1, 4)
    exponent = s.integer(-2, 4)
    return Call(f"np.linalg.matrix_power(a0, {exponent})", [matrices(s, dtype, n, n, stack_of(s))], {"n": exponent},
                loose(dtype, 1 if exponent < 1 else float(20 * n) ** exponent / 16))


@functions("lstsq", dtypes=PRODUCTS)
def _(s, dtype, name):
    columns = s.integer(1, 4)
    rows = columns + s.integer(0, 3)
    shape = [rows] if s.chance(0.5) else [rows, s.integer(1, 3)]
    return Call("np.linalg.lstsq(a0, a1)[0]", [matrices(s, dtype, rows, columns), s.array(dtype, shape, "exact")], {}, loose(dtype))


# Transforms.

NORMS = ["backward", "ortho", "forward"]


def spread(array: Array, dtype: str) -> dict:
    return {"relative": 64 * epsilon(dtype), "absolute": 64 * epsilon(dtype) * (1 + size_of(array))}


def transformed(*names, dtypes):
    @functions(*names, dtypes=dtypes)
    def _(s, dtype, name):
        # What NumPy makes real numbers of no elements of is memory that it has not set.
        a = s.array(dtype, s.shape(1, 3, FILLED if name in ("irfft", "hfft", "irfftn") else LENGTHS), "exact")
        given = {"n": s.integer(0 if s.chance(0.05) else 1, 9) if s.chance(0.5) else None, "axis": axis_of(s, a), "norm": s.choice(NORMS)}
        return Call(f"np.fft.{name}(a0, **{given})", [a], given, spread(a, dtype))


transformed("fft", "ifft", "irfft", "hfft", dtypes=ANY)
transformed("fft", dtypes=COMPLEX)
transformed("rfft", "ihfft", dtypes=REAL)


def transformed_axes(*names, dtypes):
    @functions(*names, dtypes=dtypes)
    def _(s, dtype, name):
        # What NumPy makes real numbers of no elements of is memory that it has not set.
        a = s.array(dtype, s.shape(1, 3, FILLED if name in ("irfft", "hfft", "irfftn") else LENGTHS), "exact")
        given = {"axes": s.random.sample(range(a.view.ndim), s.integer(1, a.view.ndim)), "norm": s.choice(NORMS)}
        if s.chance(0.4):
            given["s"] = [s.integer(1, 6) for _ in given["axes"]]
        return Call(f"np.fft.{name}(a0, **{given})", [a], given, spread(a, dtype))


transformed_axes("fftn", "ifftn", "irfftn", dtypes=ANY)
transformed_axes("rfftn", dtypes=REAL)


@functions("convolve", "correlate", dtypes=NUMBERS)
def _(s, dtype, name):
    mode = s.choice(["full", "same", "valid"])
    a, v = s.array(dtype, s.shape(1, 1), "exact"), s.array(dtype, s.shape(1, 1), "exact")
    return Call(f"np.{name}(a0, a1, '{mode}')", [a, v], {"mode": mode}, {"any_zero": True})


# Polynomials.

@functions("polyval", dtypes=NUMBERS)
def _(s, dtype, name):
    return Call("np.polyval(a0, a1)", [s.array(dtype, (s.integer(0, 4),), "exact"), s.array(dtype, None, "exact")], {}, {"any_zero": True, **near(dtype, 64, 64)})


@functions("polyadd", "polysub", "polymul", dtypes=NUMBERS)
def _(s, dtype, name):
    return Call(f"np.{name}(a0, a1)", [s.array(dtype, (s.integer(1, 5),), "exact"), s.array(dtype, (s.integer(1, 5),), "exact")], {}, {"any_zero": True})


@functions("polydiv", dtypes=NUMBERS)
def _(s, dtype, name):
    # Exact, since the number of coefficients that a remainder has depends on its rounding.
    a, b = (s.array(dtype, (s.integer(1, 5),), "positive", view=False) for _ in range(2))
    a.base[...], b.base[...] = np.floor(a.base), np.floor(b.base)
    b.base[0] = 1
    a.text, b.text = literal(a.base), literal(b.base)
    return Call("np.polydiv(a0, a1)", [a, b], {}, {"any_zero": True, **near(dtype, 4096, 4096)})


# NumPy multiplies by integers of 64 bits, so results of f32 are f64; and without a step the array itself is the result.
@functions("polyder", "polyint", dtypes=NUMBERS, any_dtype=True)
def _(s, dtype, name):
    m = s.integer(0, 3)
    return Call(f"np.{name}(a0, {m})", [s.array(dtype, (s.integer(1, 5),), "exact")], {"m": m}, {"any_zero": True, **near(dtype, 8)})


@functions("trimseq", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, (s.integer(0, 6),), "exact", view=False)
    if s.chance(0.6):
        a.base[s.integer(0, 3) :] = 0
        a.text = literal(a.base)
    return Call("np.polynomial.polyutils.trimseq(a0)", [a])


# NumPy gives f64 for f32.
@functions("vander", dtypes=NUMBERS, any_dtype=True)
def _(s, dtype, name):
    given = {"n": s.integer(0, 5), "increasing": s.chance(0.5)}
    return Call(f"np.vander(a0, {given['n']}, {given['increasing']})", [s.array(dtype, s.shape(1, 1), "exact")], given, near(dtype, 8) if "float" in dtype else {})


@functions("polyvander", dtypes=FLOATS)
def _(s, dtype, name):
    deg = s.integer(0, 4)
    return Call(f"np.polynomial.polynomial.polyvander(a0, {deg})", [s.array(dtype, None, "exact")], {"deg": deg}, near(dtype, 8))


@functions("polyvalfromroots", dtypes=FLOATS)
def _(s, dtype, name):
    return Call("np.polynomial.polynomial.polyvalfromroots(a0, a1)", [s.array(dtype, s.shape(0, 2), "exact"), s.array(dtype, (s.integer(1, 4),), "exact")], {},
                {"any_zero": True, **near(dtype, 32)})


@functions("polycompanion", dtypes=FLOATS)
def _(s, dtype, name):
    return Call("np.polynomial.polynomial.polycompanion(a0)", [s.array(dtype, (s.integer(1, 6),), "positive")], {}, {"any_zero": True, **near(dtype, 4)})


@functions("polyfit", dtypes=FLOATS)
def _(s, dtype, name):
    deg, count = s.integer(0, 3), s.integer(4, 8)
    x = np.arange(count).astype(dtype)
    # NumPy computes in f64.
    return Call(f"np.polyfit(a0, a1, {deg})", [Array(x, x, literal(x)), s.array(dtype, (count,), "exact")], {"deg": deg}, {"any_dtype": True, **loose(dtype, 64)})


@functions("poly", dtypes=["float64"])
def _(s, dtype, name):
    return Call("np.poly(a0)", [s.array(dtype, (s.integer(1, 5),), "exact")], {}, {"any_zero": True, **near(dtype, 64, 1024)})


@functions("roots", dtypes=["float64"])
def _(s, dtype, name):
    a = s.array(dtype, (s.integer(1, 5),), "exact")
    return Call("np.sort(abs(np.roots(a0)))", [a], {}, {"relative": 1e-5, "absolute": 1e-5})


# Windows, and arrays that are made.

@functions("bartlett", "blackman", "hamming", "hanning", "kaiser", dtypes=["float64"])
def _(s, dtype, name):
    given = {"n": s.integer(0, 20)}
    more = ""
    if name == "kaiser":
        given["beta"] = s.choice([0.0, 1.5, 14.0])
        more = f", {given['beta']}"
    return Call(f"np.{name}({given['n']}{more})", [], given, near(dtype, 64, 1))


@functions("fftfreq", "rfftfreq", dtypes=["float64"])
def _(s, dtype, name):
    given = {"n": s.integer(0, 12), "d": s.choice([1.0, 0.1, -2.0])}
    return Call(f"np.fft.{name}({given['n']}, {given['d']})", [], given, near(dtype, 2))


@functions("arange", dtypes=NUMBERS)
def _(s, dtype, name):
    if s.chance(0.3):
        return Call("np.arange(a0[()], dtype=a0.dtype)", [s.array(dtype, (), "exact", view=False)])
    arrays = [s.array(dtype, (), "exact", view=False) for _ in range(3)]
    if dtype == "uint8" and arrays[0].base[()] > arrays[1].base[()]:
        # NumPy's length is that of a difference that wraps.
        arrays[:2] = arrays[1::-1]
    if arrays[2].base[()] == 0 and s.chance(0.8):
        arrays[2] = s.array(dtype, (), "positive", view=False)
    return Call("np.arange(a0[()], a1[()], a2[()], dtype=a0.dtype)", arrays, {"b": True}, near(dtype, 16, 8) if "float" in dtype else {})


@functions("full", dtypes=NUMBERS)
def _(s, dtype, name):
    shape = list(s.shape())
    return Call(f"np.full({tuple(shape)}, a0[()])", [s.array(dtype, (), view=False)], {"shape": shape})


@functions("full_like", "zeros_like", "ones_like", dtypes=NUMBERS)
def _(s, dtype, name):
    return Call(f"np.{name}(a0{', a1[()]' if name == 'full_like' else ''})", [s.array(dtype), s.array(dtype, (), view=False)])


@functions("eye", "tri", dtypes=NUMBERS)
def _(s, dtype, name):
    given = {"n": s.integer(0, 5), "m": s.integer(0, 5), "k": s.integer(-6, 6)}
    return Call(f"np.{name}({given['n']}, {given['m']}, {given['k']}, dtype='{dtype}')", [], given)


@functions("zeros", "ones", dtypes=NUMBERS)
def _(s, dtype, name):
    shape = list(s.shape())
    return Call(f"np.{name}({tuple(shape)}, '{dtype}')", [], {"shape": shape})


@functions("linspace", "logspace", "geomspace", dtypes=FLOATS)
def _(s, dtype, name):
    style = "positive" if name == "geomspace" else "exact"
    arrays = [s.array(dtype, (), style, view=False) for _ in range(2)]
    given = {"num": s.integer(0, 12), "endpoint": s.chance(0.6)}
    more = ""
    if name == "logspace":
        arrays.append(s.array(dtype, (), "positive", view=False))
        more = ", base=a2[()]"
    return Call(f"np.{name}(a0[()], a1[()], num={given['num']}, endpoint={given['endpoint']}{more}, dtype=a0.dtype)", arrays, given,
                near(dtype, 64 if name == "linspace" else 256, 0.5))
