"""Calls with the arguments that few callers give."""

from __future__ import annotations

import numpy as np

from .calls import ANY, COMPLEX, FLOATS, NUMBERS, ORDERED, REAL, Call, axes, axis_of, function, functions, if_empty, initial, mask, near, shapes, without_elements, words
from .reductions import levels, no_levels


def widths(s, array):
    return [[s.choice([0, 0, 1, 2, 5]), s.choice([0, 0, 1, 2, 7])] for _ in range(array.view.ndim)]


@functions("pad_constants", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3, size=100))
    width = widths(s, a)
    return Call(f"np.pad(a0, {width}, constant_values=a1)", [a, s.array(dtype, (a.view.ndim, 2), view=False)], {"width": width})


@functions("pad_ramps", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3, size=100), "exact")
    width = widths(s, a)
    ends = s.array(dtype, (a.view.ndim, 2), "exact", view=False)
    return Call(f"np.pad(a0, {width}, 'linear_ramp', end_values=a1)", [a, ends], {"width": width}, {"any_zero": True, **(near(dtype, 8, 8) if np.dtype(dtype).kind == "f" else {})})


@functions("pad_statistic", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3, size=100), "exact")
    width, mode = widths(s, a), s.choice(["maximum", "mean", "median", "minimum"])
    given = {"width": width, "mode": mode}
    text = ""
    if s.chance(0.6):
        given["lengths"] = [[s.choice([1, 2, 3, 9]), s.choice([1, 2, 4, 9])] for _ in width]
        text = f", stat_length={given['lengths']}"
    return Call(f"np.pad(a0, {width}, '{mode}'{text})", [a], given, {"any_zero": True, **(near(dtype, 8, 8) if np.dtype(dtype).kind == "f" else {})})


@functions("pad_turned", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3, size=100), "exact")
    width, mode = widths(s, a), s.choice(["reflect", "symmetric"])
    return Call(f"np.pad(a0, {width}, '{mode}', reflect_type='odd')", [a], {"width": width, "mode": mode}, {"any_zero": True})


@functions("meshgrid_of_three", dtypes=ANY)
def _(s, dtype, name):
    given = {"indexing": s.choice(["xy", "ij"]), "sparse": s.chance(0.4)}
    arrays = [s.array(dtype, s.shape(0 if s.chance(0.1) else 1, 1, size=7)) for _ in range(3)]
    return Call(f"np.meshgrid(a0, a1, a2{words(given)})", arrays, given)


@functions("trim_zeros", "trim_zeros_along", dtypes=ANY)
def _(s, dtype, name):
    zeros = s.choice([0.3, 0.7])
    a = s.array(dtype, s.shape(1, 3, size=100), lambda s: 0 if s.chance(zeros) else s.integer(0, 3))
    given = {"trim": s.choice(["fb", "f", "b", "bf", "FB"])}
    if name == "trim_zeros_along":
        rank = a.view.ndim
        given["axis"] = s.random.sample(range(-rank, 0), s.integer(1, rank)) if s.chance(0.95) else [rank]
    # Texts of Python's words, since NumPy's second argument has another name in each version.
    axis = f", axis={tuple(given['axis'])}" if "axis" in given else ""
    return Call(f"np.trim_zeros(a0, '{given['trim']}'{axis})", [a], given)


@functions("traces", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(2, 4), "exact")
    one, other = s.random.sample(range(a.view.ndim), 2) if s.chance(0.97) else [0, 0]
    given = {"offset": s.integer(-3, 3), "axis1": one, "axis2": other - a.view.ndim}
    return Call(f"np.trace(a0, {given['offset']}, {one}, {given['axis2']})", [a], given, {"any_zero": True, "any_dtype": True})


@functions("unique_along", dtypes=REAL)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3, size=120), lambda s: s.integer(0, 2))
    axis = axis_of(s, a)
    return Call(f"np.unique(a0, axis={axis}, return_index=True, return_inverse=True, return_counts=True)", [a], {"axis": axis})


@functions("setdiff1d_of_unique", dtypes=ORDERED)
def _(s, dtype, name):
    def different():
        values = iter(s.random.sample(range(200), 200))
        return s.array(dtype, s.shape(1, 3, size=60), lambda s: next(values), view=False)
    return Call("np.setdiff1d(a0, a1, assume_unique=True)", [different(), different()])


@functions("median", dtypes=COMPLEX)
def _(s, dtype, name):
    a = s.array(dtype, style="exact")
    given = axes(s, a)
    return Call(f"np.median(a0{words(given)})", [a], given, {"any_zero": True, **near(dtype, 4), **without_elements(a)})


@functions("quantile_weighted", "nanquantile_weighted", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3), style="nan" if name.startswith("nan") else "exact")
    given = axes(s, a)
    text = words(given)
    along = given.get("axis")
    one = isinstance(along, int) and -a.view.ndim <= along < a.view.ndim and s.chance(0.5)
    # Weights are whole: their sums are exact.
    weights = s.array("float64", (a.view.shape[along],) if one else a.view.shape, lambda s: s.integer(0, 3) if s.chance(0.3) else s.integer(1, 4))
    given |= {"q": levels(s, 1), "weights": 1}
    text = f"np.{name.removesuffix('_weighted')}(a0, {given['q']}, weights=a1, method='inverted_cdf'{text})"
    notes = without_elements(a) | (no_levels(a) if name.startswith("nan") else {})
    if not weights.view.all():
        notes |= {"accepted": "NumPy looks whether weights add up to zero; ours does not wait, and gives NaN"}
    if one and a.view.ndim > 1 and name.startswith("nan"):
        notes |= {"accepted": "NumPy's nanquantile reads weights of one axis outside of them"}
    return Call(text, [a, weights], given, {"any_zero": True, "any_dtype": True, **notes})


@functions("nanmax_of_some", "nanmin_of_some", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, style="nan")
    given, arrays = axes(s, a), [a]
    text = f"np.{name.removesuffix('_of_some')}(a0{words(given)}"
    text = initial(s, given, arrays, text, dtype, chance=1)
    return Call(mask(s, given, arrays, text) + ")", arrays, given, {"any_zero": True})


@functions("cov_weighted", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 2), "exact")
    given = {"rowvar": s.chance(0.6)}
    count = a.view.shape[-1] if given["rowvar"] or a.view.ndim == 1 else a.view.shape[0]
    arrays = [a]
    text = f"np.cov(a0{words(given)}"
    for key, kind, style in (("fweights", "int64", lambda s: s.integer(0, 3)), ("aweights", "float64", "positive")):
        if s.chance(0.6):
            arrays.append(s.array(kind, (count + (2 if s.chance(0.02) else 0),), style))
            given[key] = len(arrays) - 1
            text += f", {key}=a{len(arrays) - 1}"
    extra = {}
    if s.chance(0.3):
        extra["bias"] = s.chance(0.5)
    if s.chance(0.3):
        extra["ddof"] = s.integer(0, 2)
    total = 1.0
    for array in arrays[1:]:
        total = total * array.view if array.view.shape == np.shape(total) or np.ndim(total) == 0 else np.ones(1)
    zero = {} if np.sum(total) else {"accepted": "NumPy looks whether weights add up to zero; ours does not wait, and gives NaN"}
    return Call(f"{text}{words(extra)})", arrays, given | extra, {"any_zero": True, "any_dtype": True, **near(dtype, 64, 64), **zero, **if_empty(a, "accepted", "NumPy fails where there are no observations; ours gives NaN, or no elements"), **if_empty(a, "refused", "NumPy does not look at weights where there are no numbers")})


def interp(s, dtype, is_complex):
    count = s.integer(1, 7)
    given = {}
    if not is_complex:
        given = {key: s.integer(-16, 16) / 4 for key in ("left", "right") if s.chance(0.6)}
        if s.chance(0.4):
            given["period"] = s.choice([1.0, 2.5, 4.0, -3.0, 0.0])
    places = s.array(dtype, (count,), "exact", view=False)
    # NumPy's sort may exchange places that are the same, and those of one period are put into the order there.
    period = abs(given.get("period", 0.0))
    if period and len(set(np.mod(places.base, period))) < count:
        del given["period"]
    places.base[...] = np.sort(places.base)
    places.text = f"np.sort({places.text})"
    arrays = [s.array(dtype, style="exact"), places, s.array("complex128" if is_complex else dtype, (count,), "exact")]
    return Call(f"np.interp(a0, a1, a2{words(given)})", arrays, given, {"any_zero": True, "any_dtype": True, **near(dtype, 16, 16)})


function("interp_outside", FLOATS, lambda s, dtype: interp(s, dtype, False))
function("interp_complex", ["float64"], lambda s, dtype: interp(s, dtype, True))


@functions("linspace_of_arrays", dtypes=FLOATS)
def _(s, dtype, name):
    one, other = shapes(s)
    rank = max(len(one), len(other))
    given = {"num": s.integer(0, 6), "endpoint": s.chance(0.7), "axis": s.integer(-rank - 1, rank)}
    arrays = [s.array(dtype, one, "exact"), s.array(dtype, other, "exact")]
    text = f"np.linspace(a0, a1, {given['num']}, endpoint={given['endpoint']}, axis={given['axis']})"
    return Call(text, arrays, given, {"any_zero": True, "any_dtype": True, **near(dtype, 8, 8)})


@functions("polyfit_covariance", dtypes=["float64"])
def _(s, dtype, name):
    count, deg = s.integer(4, 9), s.integer(0, 2)
    x = s.array(dtype, (count,), view=False, style=lambda s: s.random.uniform(-2, 2))
    y = s.array(dtype, (count,) if s.chance(0.7) else (count, 2), "exact")
    arrays, given = [x, y], {"deg": deg}
    text = f"np.polyfit(a0, a1, {deg}"
    if s.chance(0.4):
        arrays.append(s.array(dtype, (count,), "positive"))
        given["weights"] = 2
        text += ", w=a2"
    given["scaled"] = s.chance(0.6)
    text += f", cov={True if given['scaled'] else 'unscaled'!r})"
    return Call(text, arrays, given, {"any_zero": True, **near(dtype, 2**24, 2**8)})
