"""Reductions, running sums, and what is composed of them."""

from __future__ import annotations

import numpy as np

from .arrays import Array, Source
from .calls import *


# Reductions.

@functions("sum", "nansum", "prod", "nanprod", dtypes=ORDERED)
def _(s, dtype, name):
    a = s.array(dtype, style="special")
    given = axes(s, a)
    arrays = [a]
    text = mask(s, given, arrays, initial(s, given, arrays, f"np.{name}(a0{words(given)}", sums_of(dtype)))
    if "prod" not in name or "float" not in dtype:
        # Sums of small multiples of 1/8 are exact.
        return Call(text + ")", arrays, given, {"any_zero": True})
    notes = near(dtype, 64)
    if "initial" in given and arrays[given["initial"]].view == 0:
        notes["differs"] = "NumPy begins with `initial`, so that 0 stays 0; ours multiplies by it at last, and an infinite product becomes NaN"
    return Call(text + ")", arrays, given, {"any_zero": True, **notes})


@functions("sum", "mean", dtypes=["bool", *COMPLEX])
def _(s, dtype, name):
    a = s.array(dtype, style="exact")
    given = axes(s, a)
    arrays = [a]
    text = mask(s, given, arrays, f"np.{name}(a0{words(given)}")
    return Call(text + ")", arrays, given, {"any_zero": True, "any_dtype": dtype == "bool", **near(dtype, 4 if name == "mean" else 0)})


@functions("sum", dtypes=STORED)
def _(s, dtype, name):
    a = s.array(dtype, style="exact")
    given = axes(s, a)
    return Call(f"np.sum(a0{words(given)})", [a], given, {"any_zero": True, "any_dtype": dtype == "float16", **near(dtype, 1 if dtype == "float16" else 0)})


@functions("mean", "nanmean", dtypes=ORDERED)
def _(s, dtype, name):
    a = s.array(dtype, style="special")
    given = axes(s, a)
    arrays = [a]
    text = mask(s, given, arrays, f"np.{name}(a0{words(given)}")
    return Call(text + ")", arrays, given, {"any_zero": True, **near(dtype, 4)})


@functions("var", "std", "nanvar", "nanstd", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, style="special")
    given = axes(s, a)
    text = f"np.{name}(a0{words(given)}"
    given["ddof"] = s.choice([0, 0, 1, 2])
    arrays = [a]
    text = mask(s, given, arrays, text + f", ddof={given['ddof']}")
    size = float(np.sqrt(epsilon(dtype))) / epsilon(dtype) if name.endswith("std") else 100
    integers = "" if "float" in dtype or not given["ddof"] else "NumPy's nanvar of integers is var: infinity, not NaN, for too few elements"
    return Call(text + ")", arrays, given, {**near(dtype, 16, size), "differs": integers if name.startswith("nan") else ""})


@functions("max", "min", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype)
    given = axes(s, a)
    arrays = [a]
    text = initial(s, given, arrays, f"np.{name}(a0{words(given)}", dtype, 0.4)
    return Call((mask(s, given, arrays, text) if "initial" in given else text) + ")", arrays, given, {"any_zero": True, **without_elements(a)})


@functions("ptp", "nanmax", "nanmin", "argmax", "argmin", "count_nonzero", dtypes=ORDERED)
def _(s, dtype, name):
    a = s.array(dtype)
    given = axes(s, a)
    if name.startswith("arg") and isinstance(given.get("axis"), list):
        given["axis"] = given["axis"][0]
    return Call(f"np.{name}(a0{words(given)})", [a], given, {"any_zero": True, **(without_elements(a) if name != "count_nonzero" else {})})


@functions("argmax", "argmin", dtypes=["bool"])
def _(s, dtype, name):
    a = s.array(dtype)
    axis = axis_of(s, a)
    return Call(f"np.{name}(a0, axis={axis})", [a], {"axis": axis}, without_elements(a))


@functions("all", "any", dtypes=["bool"])
def _(s, dtype, name):
    a = s.array(dtype)
    given = axes(s, a)
    arrays = [a]
    return Call(mask(s, given, arrays, f"np.{name}(a0{words(given)}") + ")", arrays, given)


for name in "sum mean max min argmax all any".split():
    @functions(f"{name}_all", dtypes=["bool"] if name in ("all", "any") else ORDERED)
    def _(s, dtype, name):
        a = s.array(dtype, style="special")
        return Call(f"np.{name[:-4]}(a0)", [a], {}, {"any_zero": True, **(near(dtype, 4) if name == "mean_all" else {})})


@functions("median", "nanmedian", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, style="nan")
    given = axes(s, a)
    return Call(f"np.{name}(a0{words(given)})", [a], given, {"any_zero": True, **near(dtype, 4), **without_elements(a)})


METHODS = [
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "linear",
    "median_unbiased", "normal_unbiased", "lower", "higher", "midpoint", "nearest",
]


def levels(s, share):
    return [s.choice([0.0, 1.0, 0.5, s.integer(0, 64) / 64]) * share for _ in range(s.integer(1, 3))]


def no_levels(array):
    return if_empty(array, "differs", "NumPy's nanquantile of no elements has one result for all levels; ours has one for each")


@functions("quantile", "percentile", "nanquantile", "nanpercentile", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, style="nan")
    given = axes(s, a)
    text = words(given)
    has_levels, skips = name.endswith("quantile"), name.startswith("nan")
    q = levels(s, 1 if has_levels else 100)
    if s.chance(0.03):
        q[0] = -0.5
    given["q"] = q if has_levels else q[0]
    if has_levels:
        given["method"] = s.choice(METHODS) if s.chance(0.5) else "linear"
        text += f", method={given['method']!r}"
    # Several levels are an array of f64, and NumPy gives their type; or that of integers, with methods that choose an element.
    any_dtype = has_levels and (dtype == "float32" or np.dtype(dtype).kind != "f")
    notes = {"any_zero": True, "any_dtype": any_dtype, **near(dtype, 16, 4), **without_elements(a), **(no_levels(a) if skips else {})}
    return Call(f"np.{name}(a0, {given['q']}{text})", [a], given, notes)


@functions("average", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, style="exact")
    given = axes(s, a)
    text = words(given)
    arrays = [a]
    if s.chance(0.6):
        along = given.get("axis")
        shape = (a.view.shape[along],) if isinstance(along, int) and -a.view.ndim <= along < a.view.ndim and s.chance(0.5) else a.view.shape
        arrays.append(s.array("float32" if dtype == "float32" else "float64", shape, "positive"))
        given["weights"] = 1
        text += ", weights=a1"
    # Positive weights add up to zero only if there are none.
    zero = if_empty(a, "accepted", "NumPy looks whether weights add up to zero; ours does not wait, and gives NaN")
    none = zero if "weights" in given else without_elements(a)
    return Call(f"np.average(a0{text})", arrays, given, {"any_zero": True, **near(dtype, 16, 4), **none})


@functions("cumsum", "cumprod", "nancumsum", "nancumprod", dtypes=ORDERED)
def _(s, dtype, name):
    a = s.array(dtype, style="special")
    axis = axis_of(s, a) if s.chance(0.7) else None
    return Call(f"np.{name}(a0, axis={axis})", [a], {"axis": axis}, {"any_zero": True, **(near(dtype, 64) if "prod" in name and "float" in dtype else {})})


@functions("cumulative_sum", "cumulative_prod", dtypes=ORDERED)
def _(s, dtype, name):
    a = s.array(dtype, style="exact")
    axis = axis_of(s, a) if a.view.ndim != 1 or s.chance(0.7) else None
    given = {"axis": axis, "include_initial": s.chance(0.4)}
    return Call(f"np.{name}(a0, **{given})", [a], given, {"any_zero": True, **(near(dtype, 64) if "prod" in name and "float" in dtype else {})})


@functions("nanargmax", "nanargmin", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, style="special")
    axis = axis_of(s, a) if s.chance(0.7) else None
    return Call(f"np.{name}(a0, axis={axis})", [a], {"axis": axis}, without_elements(a))


@functions("norm", dtypes=[*NUMBERS, *COMPLEX])
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1), "exact")
    given = {"keepdims": True} if s.chance(0.3) else {}
    rank = a.view.ndim
    if s.chance(0.7):
        given["axis"] = s.random.sample(range(rank), 2) if rank > 1 and s.chance(0.4) else s.integer(-rank, rank - 1)
    matrix = isinstance(given.get("axis"), list) or ("axis" not in given and rank == 2)
    text = words(given)
    order = s.choice([None, None, 1, 2, "inf", "-inf", -1, *(["fro"] if matrix else [0, 3, -2])])
    if "axis" not in given and rank > 2:
        order = None
    if order == "fro":
        given["word"] = order
        text += ", ord='fro'"
    elif order is not None:
        given["ord"] = order if isinstance(order, str) else float(order)
        text += f", ord={order if isinstance(order, int) else f'float({order!r})'}"
    return Call(f"np.linalg.norm(a0{text})", [a], given, {**near(dtype, 32, 8), **without_elements(a)})


@functions("cov", "corrcoef", dtypes=NUMBERS)
def _(s, dtype, name):
    # Rows that repeat one number have rounding errors for a variance.
    a = s.array(dtype, s.shape(1, 2, (2, 3, 4, 5, 7)), "plain", view=False)
    given = {"rowvar": s.chance(0.7)}
    text = f"np.{name}(a0, rowvar={given['rowvar']}"
    if name == "cov":
        given["ddof"] = s.choice([0, 1])
        text += f", ddof={given['ddof']}"
    # NumPy computes in f64.
    return Call(f"{text})", [a], given, {"any_dtype": True, **near(dtype, 256, 64 if name == "cov" else 1)})


@functions("diff", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, style="special")
    given = {"n": s.choice([1, 1, 2, 0]), "axis": axis_of(s, a)}
    none = {} if given["n"] else {"refused": "NumPy does not look at the axis if there are no differences to take"}
    arrays, text = [a], f"np.diff(a0, **{given}"
    for end in ["prepend", "append"]:
        if s.chance(0.2):
            shape = list(a.view.shape)
            if shape and -len(shape) <= given["axis"] < len(shape):
                shape[given["axis"]] = s.integer(0, 3)
            given[end] = len(arrays)
            text += f", {end}=a{len(arrays)}"
            arrays.append(s.array(dtype, () if s.chance(0.5) else tuple(shape), "special"))
    return Call(f"{text})", arrays, given, none)


@functions("ediff1d", dtypes=NUMBERS)
def _(s, dtype, name):
    arrays, given = [s.array(dtype, style="special")], {}
    for key in ("to_end", "to_begin"):
        if s.chance(0.4):
            given[key] = len(arrays)
            arrays.append(s.array(dtype, s.shape(1, 1)))
    return Call(f"np.ediff1d(a0{''.join(f', {key}=a{at}' for key, at in given.items())})", arrays, given)


@functions("trapezoid", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1), "exact")
    axis = axis_of(s, a)
    given, arrays = {"axis": axis}, [a]
    text = f"np.trapezoid(a0, axis={axis}"
    if s.chance(0.4) and -a.view.ndim <= axis < a.view.ndim:
        arrays.append(s.array("float32" if dtype == "float32" else "float64", (a.view.shape[axis],), "exact"))
        given["x"] = 1
        text += ", x=a1"
    elif s.chance(0.5):
        given["dx"] = 0.5
        text += ", dx=0.5"
    return Call(text + ")", arrays, given, {"any_zero": True})


@functions("unwrap", dtypes=FLOATS)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1), "exact")
    given = {"axis": axis_of(s, a)}
    if s.chance(0.3):
        given["period"] = 5.0
    if s.chance(0.3):
        given["discont"] = 4.0
    return Call(f"np.unwrap(a0{words(given)})", [a], given, near(dtype, 64, 64))


@functions("gradient", dtypes=FLOATS)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, lengths=(1, 2, 3, 4, 5, 7)), "exact")
    given = {"spacing": s.choice([1.0, 0.5, 2.0]), "edge_order": s.choice([1, 1, 2])}
    text = f"np.gradient(a0, {given['spacing']}, edge_order={given['edge_order']}"
    if s.chance(0.5):
        given["axis"] = s.random.sample(range(a.view.ndim), s.integer(1, a.view.ndim))
        text += f", axis={tuple(given['axis'])}"
    return Call(text + ")", [a], given, {"any_zero": True, **near(dtype, 8, 8)})
