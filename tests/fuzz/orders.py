"""Functions that use the order of elements."""

from __future__ import annotations

import numpy as np

from .arrays import Array, Source
from .calls import *


# Orders.

@functions("sort", "argsort", dtypes=REAL)
def _(s, dtype, name):
    a = s.array(dtype)
    axis = axis_of(s, a)
    return Call(f"np.{name}(a0, axis={axis}, kind='stable')", [a], {"axis": axis}, {"any_zero": name == "sort"})


@functions("sort_in_place", dtypes=REAL)
def _(s, dtype, name):
    return Call("a0.sort(kind='stable')", [s.array(dtype, s.shape(1))], {}, {"any_zero": True}, changes=0)


@functions("partition", "argpartition", dtypes=REAL)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1))
    axis = axis_of(s, a)
    length = a.view.shape[axis] if -a.view.ndim <= axis < a.view.ndim else 1
    kth = s.integer(0, max(length - 1, 0)) if s.chance(0.97) else length
    # Only the element at `kth` is the same for all, and which elements there are.
    text = f"(np.take(np.partition(a0, {kth}, axis={axis}), {kth}, axis={axis}), np.sort(np.partition(a0, {kth}, axis={axis}), axis={axis}))"
    return Call(text, [a], {"kth": kth, "axis": axis}, {"any_zero": True, **if_empty(a, "refused", "NumPy does not look at `kth` if there are no elements")})


@functions("unique", "unique_counts", "unique_inverse", "unique_all", dtypes=REAL)
def _(s, dtype, name):
    text = {"unique": "np.unique(a0)", "unique_counts": "np.unique(a0, return_counts=True)",
            "unique_inverse": "np.unique(a0, return_inverse=True)",
            "unique_all": "np.unique(a0, return_index=True, return_inverse=True, return_counts=True)"}[name]
    return Call(text, [s.array(dtype, style="special")], {}, {"any_zero": True})


@functions("searchsorted", dtypes=REAL)
def _(s, dtype, name):
    a, v = s.array(dtype, s.shape(1, 1), "special", view=False), s.array(dtype, style="special")
    a.base.sort()
    a.text = f"np.sort({a.text})"
    right = s.chance(0.5)
    return Call(f"np.searchsorted(a0, a1, side='{'right' if right else 'left'}')", [a, v], {"right": right})


@functions("digitize", dtypes=ORDERED)
def _(s, dtype, name):
    bins = s.array(dtype, s.shape(1, 1), "exact", view=False)
    bins.base[...] = np.sort(bins.base)
    bins.text = f"np.sort({bins.text})"
    right = s.chance(0.5)
    return Call(f"np.digitize(a0, a1, right={right})", [s.array(dtype, style="special"), bins], {"right": right})


@functions("lexsort", dtypes=REAL)
def _(s, dtype, name):
    shape = s.shape(1, 2)
    keys = [s.array(dtype, shape, "exact") for _ in range(s.integer(1, 3))]
    axis = s.integer(-len(shape), len(shape) - 1)
    return Call(f"np.lexsort(({''.join(f'a{at}, ' for at in range(len(keys)))}), axis={axis})", keys, {"axis": axis})


@functions("isin", dtypes=REAL)
def _(s, dtype, name):
    invert = s.chance(0.4)
    return Call(f"np.isin(a0, a1, invert={invert})", [s.array(dtype, style="special"), s.array(dtype, style="special")], {"invert": invert})


@functions("intersect1d", "setdiff1d", "setxor1d", "union1d", dtypes=REAL)
def _(s, dtype, name):
    return Call(f"np.{name}(a0, a1)", [s.array(dtype, style="special"), s.array(dtype, style="special")], {}, {"any_zero": True})


@functions("histogram", dtypes=NUMBERS)
def _(s, dtype, name):
    a = s.array(dtype, style="exact")
    given, arrays, text = {}, [a], "np.histogram(a0"
    if s.chance(0.3):
        edges = s.array("float64", (s.integer(2, 6),), "exact", view=False)
        edges.base[...] = np.sort(edges.base)
        edges.text = f"np.sort({edges.text})"
        arrays.append(edges)
        given["edges"] = 1
        text += ", a1"
    else:
        given["bins"] = s.choice([1, 2, 4, 8, 10])
        text += f", {given['bins']}"
        if s.chance(0.4):
            given |= {"low": s.choice([-4.0, 0.0]), "high": s.choice([2.0, 4.0])}
            text += f", range=({given['low']}, {given['high']})"
    if s.chance(0.3):
        given["density"] = True
        text += ", density=True"
    if s.chance(0.3):
        arrays.append(s.array("float64", a.view.shape, "exact"))
        given["weights"] = len(arrays) - 1
        text += f", weights=a{len(arrays) - 1}"
    # NumPy's edges are of the type of the elements; divided is by their distances, which may be a 40th of them.
    units = 64 if dtype == "float32" and "density" in given and "edges" not in given else 4
    return Call(text + ")", arrays, given, {"any_zero": True, "any_dtype": True, "relative": units * epsilon(dtype), "absolute": 4 * epsilon(dtype)})


@functions("histogram2d", dtypes=["float64", "int64"])
def _(s, dtype, name):
    shape, bins = s.shape(1, 1), s.choice([1, 2, 4])
    return Call(f"np.histogram2d(a0, a1, {bins})", [s.array(dtype, shape, "exact"), s.array(dtype, shape, "exact")], {"bins": bins},
                near(dtype, 4, 4))


# Without elements NumPy does not look at the weights.
@functions("bincount", dtypes=["int64", "int32", "uint8"], any_dtype=True)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 1), "positive" if s.chance(0.95) else "exact")
    given, arrays, text = {"minlength": s.choice([0, 0, 5, 20])}, [a], "np.bincount(a0"
    if s.chance(0.4):
        arrays.append(s.array("float64", a.view.shape, "exact"))
        given["weights"] = 1
        text += ", a1"
    return Call(f"{text}, minlength={given['minlength']})", arrays, given, {"any_zero": True})


for name, numpy in {"sort_complex": "np.sort_complex(a0)", "nonzero": "np.nonzero(a0)", "flatnonzero": "np.flatnonzero(a0)",
                    "argwhere": "np.argwhere(a0)"}.items():
    @functions(name, dtypes=ANY)
    def _(s, dtype, name, numpy=numpy):
        return Call(numpy, [s.array(dtype, None if name == "argwhere" else s.shape(1), "exact")])


@functions("interp", dtypes=FLOATS)
def _(s, dtype, name):
    count = s.integer(1, 7)
    places = s.array(dtype, (count,), "exact", view=False)
    places.base[...] = np.sort(places.base)
    places.text = f"np.sort({places.text})"
    values = s.array(dtype, (count,), "exact")
    return Call("np.interp(a0, a1, a2)", [s.array(dtype, style="exact"), places, values], {}, {"any_dtype": True, **near(dtype, 8, 8)})
