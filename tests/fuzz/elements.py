"""Functions of elements, of one array and of two."""

from __future__ import annotations

import numpy as np

from .arrays import Array, Source
from .calls import *


# Functions of elements.

def one(numpy: str, style="wild", units=0.0):
    def maker(s, dtype):
        a = s.array(dtype, style=style)
        return Call(numpy.format("a0"), [a], {}, near(dtype, units) if units else {})
    return maker


for name in "exp log log2 log10 log1p exp2 expm1 sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh cbrt".split():
    style = "unit" if name in ("asin", "acos", "atanh") else "wild"
    function(name, FLOATS, one(f"np.{name}({{}})", style, 16))
function("exp", ["complex128"], one("np.exp({})", "plain", 32))
for name in "log log2 log10 sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh exp2 sinc".split():
    function(name, ["complex128"], one(f"np.{name}({{}})", "plain", 64))
function("sqrt", FLOATS, one("np.sqrt({})"))
function("sqrt", ["complex128"], one("np.sqrt({})", "plain", 32))
for name in "radians degrees reciprocal".split():
    function(name, FLOATS, one(f"np.{name}({{}})", "wild", 4))
function("sinc", FLOATS, one("np.sinc({})", "exact", 64))
function("i0", FLOATS, one("np.i0({})", "exact", 64))
for name in "modf frexp".split():
    function(name, FLOATS, one(f"np.{name}({{}})"))
for name in "fabs rint".split():
    function(name, FLOATS, one(f"np.{name}({{}})"))
for name in "floor ceil trunc sign square negative positive isnan isinf isfinite signbit isposinf isneginf".split():
    function(name, NUMBERS, one(f"np.{name}({{}})"))
for name in "floor sign square negative".split():
    function(name, STORED, one(f"np.{name}({{}})"))
function("abs", NUMBERS, one("np.abs({})"))
function("abs", STORED, one("np.abs({})"))
function("abs", COMPLEX, one("np.abs({})", "wild", 4))
for name in "square negative".split():
    function(name, COMPLEX, one(f"np.{name}({{}})", "exact"), any_zero=True)
for name in "real imag conj isnan isinf isfinite".split():
    function(name, COMPLEX, one(f"np.{name}({{}})"))
function("angle", COMPLEX, one("np.angle({})", "wild", 16))
for name in "isreal iscomplex logical_not".split():
    function(name, ANY, one(f"np.{name}({{}})"))
function("bitwise_count", INTEGERS, one("np.bitwise_count({})"))
function("invert", BITS, one("np.invert({})"))


@functions("nan_to_num", dtypes=INEXACT)
def _(s, dtype, name):
    a = s.array(dtype)
    given = {key: s.value("float64", "exact") for key in ("nan", "posinf", "neginf") if s.chance(0.4)}
    return Call(f"np.nan_to_num(a0, {', '.join(f'{key}={value}' for key, value in given.items())})", [a], given)


@functions("round", dtypes=NUMBERS)
def _(s, dtype, name):
    decimals = s.choice([0, 0, 1, 2, -1, -2])
    return Call(f"np.round(a0, {decimals})", [s.array(dtype, style="special")], {"decimals": decimals})


@functions("powi", dtypes=FLOATS)
def _(s, dtype, name):
    exponent = s.integer(-4, 5)
    return Call(f"np.power(a0, {float(exponent)})", [s.array(dtype, style="special")], {"exponent": exponent}, near(dtype, 16))


@functions("packbits", dtypes=BITS)
def _(s, dtype, name):
    a, order = s.array(dtype), s.choice(["big", "little"])
    axis = axis_of(s, a) if s.chance(0.6) else None
    return Call(f"np.packbits(a0, axis={axis}, bitorder='{order}')", [a], {"axis": axis, "bitorder": order})


@functions("unpackbits", dtypes=["uint8"])
def _(s, dtype, name):
    a, order = s.array(dtype), s.choice(["big", "little"])
    axis = axis_of(s, a) if s.chance(0.6) else None
    # What NumPy gives for none of the bytes, it does not set.
    count = s.integer(-9, 20) if s.chance(0.5) and a.view.size else None
    return Call(f"np.unpackbits(a0, axis={axis}, count={count}, bitorder='{order}')", [a], {"axis": axis, "count": count, "bitorder": order})


# Two arrays, whose shapes are broadcast.

def two(numpy: str, style="wild", units=0.0, second=None, other=None, size=0.0):
    def maker(s, dtype):
        first, last = shapes(s)
        a, b = s.array(dtype, first, style), s.array(other or dtype, last, second or style)
        return Call(numpy, [a, b], {}, near(dtype, units, size) if units else {})
    return maker


for name in "add subtract multiply maximum minimum fmax fmin".split():
    function(name, NUMBERS, two(f"np.{name}(a0, a1)"), any_zero=name in ("maximum", "minimum", "fmax", "fmin"))
for name in "add subtract multiply maximum minimum floor_divide".split():
    function(name, STORED, two(f"np.{name}(a0, a1)"), any_zero=name in ("maximum", "minimum"))
function("modulo", STORED, two("np.mod(a0, a1)"))
for name in "add subtract multiply".split():
    function(name, COMPLEX, two(f"np.{name}(a0, a1)", "exact"), any_zero=True)
function("divide", FLOATS, two("np.divide(a0, a1)"))
function("divide", COMPLEX, two("np.divide(a0, a1)", "positive", 16))
function("true_divide", NUMBERS, two("np.true_divide(a0, a1)"))
function("floor_divide", NUMBERS, two("np.floor_divide(a0, a1)"))
function("modulo", NUMBERS, two("np.mod(a0, a1)"))
function("fmod", NUMBERS, two("np.fmod(a0, a1)"))
function("divmod", NUMBERS, two("np.divmod(a0, a1)"))
function("power", FLOATS, two("np.power(a0, a1)", "wild", 64, "exact"))
function("power", ["int64", "int32", "uint8"], two("np.power(a0, a1)", "wild", 0, "positive"))
function("float_power", NUMBERS, two("np.float_power(a0, a1)", "exact", 64, "exact"))
for name in "atan2 hypot".split():
    function(name, FLOATS, two(f"np.{name}(a0, a1)", "wild", 16))
for name in "logaddexp logaddexp2".split():
    # Near 0 the result is the difference of two numbers near 1.
    function(name, FLOATS, two(f"np.{name}(a0, a1)", "special", 64, size=1.0))
for name in "nextafter copysign heaviside".split():
    function(name, FLOATS, two(f"np.{name}(a0, a1)"))
function("ldexp", FLOATS, two("np.ldexp(a0, a1)", other="int32", second="exact"))
for name in "gcd lcm".split():
    function(name, INTEGERS, two(f"np.{name}(a0, a1)", "exact" if name == "lcm" else "wild"))
for name in "left_shift right_shift".split():
    function(name, INTEGERS, two(f"np.{name}(a0, a1)", second="positive"))
for name in "bitwise_and bitwise_or bitwise_xor".split():
    function(name, BITS, two(f"np.{name}(a0, a1)"))
for name in "logical_and logical_or logical_xor equal not_equal".split():
    function(name, ANY, two(f"np.{name}(a0, a1)"))
for name in "less less_equal greater greater_equal".split():
    function(name, REAL, two(f"np.{name}(a0, a1)"))
for name in "array_equal array_equiv".split():
    @functions(name, dtypes=ANY)
    def _(s, dtype, name):
        a, b = two(f"np.{name}(a0, a1)", "special")(s, dtype).arrays
        return Call(f"np.{name}(a0, a1)", [a, a] if s.chance(0.4) else [a, b])


@functions("isclose", "allclose", dtypes=["float64"])
def _(s, dtype, name):
    given = {"rtol": s.choice([1e-5, 0.1]), "atol": s.choice([1e-8, 0.25]), "equal_nan": s.chance(0.5)}
    first, last = shapes(s)
    a, b = s.array(dtype, first, "special"), s.array(dtype, last, "special")
    return Call(f"np.{name}(a0, a1, **{given})", [a, b], given)


def scalar(numpy: str, style="wild", units=0.0, second=None):
    def maker(s, dtype):
        a, b = s.array(dtype, style=style), s.array(dtype, (), second or style, view=False)
        # Element types are those of the array: `b` is of the same one, as it is in ours.
        root = numpy.startswith("np.power") and b.base[()] == 0.5
        reason = "NumPy takes the square root for the exponent 0.5, which has no -inf" if root else ""
        return Call(numpy, [a, b], {}, {**(near(dtype, units) if units else {}), "differs": reason})
    return maker


for name, numpy in {"add_scalar": "a0 + a1", "scalar_subtract": "a1 - a0", "multiply_scalar": "a0 * a1", "modulo_scalar": "a0 % a1",
                    "floor_divide_scalar": "a0 // a1"}.items():
    function(name, NUMBERS, scalar(numpy))
function("maximum_scalar", NUMBERS, scalar("np.maximum(a0, a1)"), any_zero=True)
function("power_scalar", FLOATS, scalar("np.power(a0, a1)", "wild", 64, "exact"))
function("power_scalar", ["int64", "int32", "uint8"], scalar("np.power(a0, a1)", "wild", 0, "positive"))
function("divide_scalar", FLOATS, scalar("a0 / a1"))
function("scalar_divide", FLOATS, scalar("a1 / a0"))
function("less_scalar", REAL, scalar("a0 < a1"))


@functions("clip", dtypes=NUMBERS)
def _(s, dtype, name):
    return Call("np.clip(a0, a1, a2)", [s.array(dtype, shape) for shape in shapes(s, 3)], {}, {"any_zero": True})


@functions("clip_scalars", dtypes=NUMBERS)
def _(s, dtype, name):
    return Call("np.clip(a0, a1, a2)", [s.array(dtype), s.array(dtype, ()), s.array(dtype, ())], {}, {"any_zero": True})


@functions("where", dtypes=ANY)
def _(s, dtype, name):
    first, second, third = shapes(s, 3)
    return Call("np.where(a1, a0, a2)", [s.array(dtype, first), s.array("bool", second), s.array(dtype, third)])


@functions("where_scalar", dtypes=ANY)
def _(s, dtype, name):
    first, second = shapes(s)
    return Call("np.where(a1, a0, a2)", [s.array(dtype, first), s.array("bool", second), s.array(dtype, (), view=False)])


TYPES = "bool uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 float32 float64 complex64 complex128".split()


@functions("astype", dtypes=sorted({*ANY, *STORED, *INTEGERS}))
def _(s, dtype, name):
    to = s.choice(TYPES)
    # Floats that do not fit an integer are undefined in C.
    narrow = np.dtype(dtype).kind in "fc" and np.dtype(to).kind in "iu"
    return Call(f"a0.astype('{to}')", [s.array(dtype, style="positive" if narrow else "wild")], {"to": to},
                {"refused": "complex numbers become real ones by a.real(), a.imag() or a.abs()"} if np.dtype(dtype).kind == "c" and np.dtype(to).kind not in "cb" else {})
