"""SciPy's `ndimage`: filters, morphology, measurements, and interpolation."""

from __future__ import annotations

import numpy as np

from .arrays import Array, Source
from .calls import Call, epsilon, functions

IMAGES = ["float64", "float32", "int32", "uint8"]
FLOATS = ["float64", "float32"]
MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap"]


def image(s: Source, dtype: str, few: bool | None = None) -> Array:
    """An image of few values or many."""
    rank = s.choice([1, 1, 2, 2, 2, 3])
    limit = {1: 24, 2: 8, 3: 4}[rank]
    shape = [s.choice([1, 2, 3, s.integer(1, limit), s.integer(2, limit)]) for _ in range(rank)]
    if s.chance(0.02):
        shape[s.integer(0, rank - 1)] = 0
    few = s.chance(0.4) if few is None else few

    def value(s: Source):
        if few or dtype == "bool":
            return s.integer(0, 3)
        return {"uint8": s.integer(0, 255), "int32": s.integer(-10000, 10000)}.get(dtype, s.integer(-1000, 1000) / 64)

    return s.array(dtype, shape, value)


def edges(s: Source, axes: int = 1) -> dict:
    return {"mode": [s.choice(MODES) for _ in range(axes)], "cval": s.choice([0.0, 1.0, 2.0, -3.0, 100.0, 2.5])}


def origin(s: Source, length: int) -> int:
    return s.choice([0, s.integer(-(length // 2), (length - 1) // 2)])


def axes(s: Source, rank: int) -> list[int]:
    found = s.random.sample(range(rank), s.integer(1, rank))
    return [axis - rank if s.chance(0.3) else axis for axis in found]


def window(s: Source, dtype: str, lengths: list[int], style) -> Array:
    return s.array(dtype, lengths, style)


def given_text(given: dict, *left: str) -> str:
    """The arguments as Python's; one mode stands for all axes."""
    def text(key, value):
        value = value[0] if key == "mode" and isinstance(value, list) and len(value) == 1 else value
        return f"{key}=a{value}" if key in ("footprint", "structure", "mask", "weights") else f"{key}={value!r}"
    return "".join(", " + text(key, value) for key, value in given.items() if key not in left)


def close(dtype: str, array: Array, weight: float = 1.0) -> dict:
    if dtype not in FLOATS:
        return {}
    size = float(np.abs(array.view.astype(float)).max(initial=1)) * weight
    scale = 1e-10 if dtype == "float64" else 256 * epsilon(dtype)
    return {"relative": scale, "absolute": scale * max(size, 100.0 * weight), "any_zero": True}


def one_weight(s: Source) -> float:
    return s.choice([0.0, 1.0, -1.0, 0.5, 0.125, s.random.uniform(-2, 2)])


@functions(*(f"ndimage.{name}" for name in ("correlate1d", "convolve1d", "uniform_filter1d", "minimum_filter1d", "maximum_filter1d")), dtypes=FLOATS + ["uint8", "int32"])
def _(s, dtype, name):
    a = image(s, dtype)
    size = s.choice([s.integer(1, 7), s.integer(1, 7), s.integer(1, 30)])
    given = {**edges(s), "axis": s.integer(-a.view.ndim, a.view.ndim - 1), "origin": origin(s, size) if s.chance(0.97) else size}
    if name.endswith(("late1d", "volve1d")):
        weights = [one_weight(s) for _ in range(size)]
        if s.chance(0.5):
            sign = s.choice([1, -1])
            weights = [weights[min(k, size - 1 - k)] * (sign if k > size // 2 else 1) for k in range(size)]
            if sign < 0 and size % 2:
                weights[size // 2] = 0.0
        return Call(f"sp.{name}(a0, {weights}{given_text(given)})", [a], {**given, "taps": weights}, close(dtype, a, 1 + sum(map(abs, weights))))
    return Call(f"sp.{name}(a0, {size}{given_text(given)})", [a], {**given, "size": [size]}, close(dtype, a))


@functions("ndimage.correlate", "ndimage.convolve", dtypes=IMAGES)
def _(s, dtype, name):
    a = image(s, dtype)
    lengths = [s.integer(1, 4) for _ in a.view.shape]
    weights = window(s, "float64", lengths, one_weight)
    given = {"weights": 1, **edges(s), "origin": [origin(s, length) for length in lengths]}
    return Call(f"sp.{name}(a0, a1{given_text(given, 'weights')})", [a, weights], given, close(dtype, a, 1 + float(np.abs(weights.view).sum())))


@functions(*(f"ndimage.{name}" for name in ("gaussian_filter", "gaussian_filter1d", "gaussian_laplace", "gaussian_gradient_magnitude")), dtypes=IMAGES)
def _(s, dtype, name):
    # Where squares do not fit into a type, nothing is meant.
    a = image(s, dtype, few=True if name.endswith("magnitude") else None)
    rank = a.view.ndim
    given = {"cval": edges(s)["cval"], "truncate": s.choice([4.0, 2.0, 3.25])}
    if name.endswith("1d"):
        given |= {"axis": s.integer(-rank, rank - 1), "order": s.choice([0, 0, 1, 2, 3]), "mode": edges(s)["mode"]}
        sigma = s.choice([0.5, 1.0, 2.25])
        return Call(f"sp.{name}(a0, {sigma}{given_text(given)})", [a], {**given, "sigma": [sigma]}, close(dtype, a, 8))
    along = axes(s, rank)
    if name.endswith("laplace"):
        # SciPy's mixes up sigmas and axes otherwise.
        along.sort(key=lambda axis: axis % rank)
    given |= {"axes": along, "mode": [s.choice(MODES) for _ in along]}
    sigma = [s.choice([0.0, 0.5, 1.0, 1.75, 3.0]) for _ in along]
    if name.endswith("filter"):
        given["order"] = [s.choice([0, 0, 1, 2, 3]) if one else 0 for one in sigma]
    if name.endswith("magnitude"):
        sigma = sigma[:1]
    return Call(f"sp.{name}(a0, {sigma if len(sigma) > 1 else sigma[0]}{given_text(given)})", [a], {**given, "sigma": sigma}, close(dtype, a, 64))


@functions("ndimage.sobel", "ndimage.prewitt", "ndimage.laplace", dtypes=IMAGES)
def _(s, dtype, name):
    a = image(s, dtype)
    rank = a.view.ndim
    given = edges(s, rank)
    if name.endswith("laplace"):
        given["axes"] = axes(s, rank)
        given["mode"] = given["mode"][: len(given["axes"])]
    else:
        given["axis"] = s.integer(-rank, rank - 1)
    return Call(f"sp.{name}(a0{given_text(given)})", [a], given, close(dtype, a, 16))


@functions("ndimage.uniform_filter", dtypes=IMAGES)
def _(s, dtype, name):
    a = image(s, dtype)
    along = axes(s, a.view.ndim)
    size = [s.choice([s.integer(1, 5), s.integer(1, 21)]) for _ in along]
    given = {"axes": along, **edges(s, len(along)), "origin": [origin(s, length) for length in size]}
    return Call(f"sp.{name}(a0, {size}{given_text(given)})", [a], {**given, "size": size}, close(dtype, a, 4))


def one_axis(rank: int, given: dict) -> bool:
    """SciPy has another way along one axis, which reads elsewhere where a window is longer than the array."""
    return rank == 1 and given["mode"][0] != "constant"


@functions(*(f"ndimage.{name}" for name in ("minimum_filter", "maximum_filter", "median_filter", "percentile_filter", "rank_filter")), dtypes=IMAGES)
def _(s, dtype, name):
    a = image(s, dtype)
    rank = a.view.ndim
    lengths = [s.integer(1, 4) for _ in a.view.shape]
    given, arrays = {**edges(s), "origin": [origin(s, length) for length in lengths]}, [a]
    if s.chance(0.5):
        arrays.append(window(s, "bool", lengths, lambda s: s.chance(0.6)))
        given["footprint"] = 1
    else:
        given["size"] = lengths
    more = ""
    if name.endswith("rank_filter"):
        given["rank"] = s.integer(-3, 3)
        more = f", {given['rank']}"
    elif name.endswith("percentile_filter"):
        given["percentile"] = s.choice([0.0, 100.0, 50.0, 20.0, -10.0, s.random.uniform(0, 100)])
        more = f", {given['percentile']}"
    text = f"sp.{name}(a0{more}{given_text(given, 'rank', 'percentile')})"
    if one_axis(rank, given):
        wide = {**given, "origin": [0, *given["origin"]]}
        if "size" in wide:
            wide["size"] = [1, *wide["size"]]
        text = f"sp.{name}(a0[None]{more}{given_text(wide, 'rank', 'percentile', 'footprint')}{', footprint=a1[None]' if 'footprint' in given else ''})[0]"
    return Call(text, arrays, given, {"any_zero": True})


GREY = ("grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient", "morphological_laplace", "white_tophat", "black_tophat")


@functions(*(f"ndimage.{name}" for name in GREY), dtypes=IMAGES)
def _(s, dtype, name):
    form = s.choice(["size", "footprint", "structure"])
    a = image(s, dtype, few=True if form == "structure" and dtype == "uint8" else None)
    lengths = [s.integer(1, 4) for _ in a.view.shape]
    given, arrays = {**edges(s), "origin": [origin(s, length) for length in lengths]}, [a]
    if form == "size":
        given["size"] = lengths if len(lengths) > 1 else lengths[0]
    elif form == "footprint":
        arrays.append(window(s, "bool", lengths, lambda s: s.chance(0.7)))
        given["footprint"] = 1
    else:
        arrays.append(window(s, "float64", lengths, lambda s: s.choice([0.0, 1.0, 2.0, -1.0])))
        given["structure"] = 1
    return Call(f"sp.{name}(a0{given_text(given)})", arrays, given, {"any_zero": True})


@functions(*(f"ndimage.binary_{name}" for name in ("erosion", "dilation", "opening", "closing", "hit_or_miss", "fill_holes", "propagation")), dtypes=["bool", "uint8"])
def _(s, dtype, name):
    a = image(s, dtype, few=True)
    rank = a.view.ndim
    lengths = [3] * rank if s.chance(0.5) else [s.integer(1, 4) for _ in range(rank)]
    structure = window(s, "bool", lengths, lambda s: s.chance(0.6))
    given, arrays = {"structure": 1}, [a, structure]
    centre = tuple(length // 2 for length in lengths)
    if name.endswith("hit_or_miss"):
        given["origin1"] = [origin(s, length) for length in lengths]
        return Call(f"sp.{name}(a0, a1, origin1={given['origin1']})", arrays, given)
    if name.endswith("fill_holes"):
        return Call(f"sp.{name}(a0, a1)", arrays, given)
    if s.chance(0.3):
        arrays.append(s.array("bool", a.view.shape))
        given["mask"] = 2
    given["border_value"] = s.chance(0.3)
    border = f", border_value={int(given['border_value'])}"
    if name.endswith("propagation"):
        if not structure.view[centre]:
            arrays[1] = window(s, "bool", lengths, lambda s: True)
        return Call(f"sp.{name}(a0, a1{', mask=a2' if 'mask' in given else ''}{border})", arrays, given)
    # Otherwise two shapes can follow each other for ever.
    repeats = structure.view[centre] and s.chance(0.2)
    given["iterations"] = 0 if repeats else s.choice([1, 1, 2, 3])
    given["origin"] = [0] * rank if repeats else [origin(s, length) for length in lengths]
    # SciPy's other way of repeating, by lists of places, loses some with windows that are not around their place.
    return Call(f"sp.{name}(a0, a1{given_text(given, 'structure', 'border_value')}{border}, brute_force=True)", arrays, given)


@functions("ndimage.label", "ndimage.find_objects", dtypes=["bool", "int32", "float64"])
def _(s, dtype, name):
    a = image(s, dtype, few=True)
    rank = a.view.ndim
    given = {"connectivity": s.integer(1, rank)}
    text = f"sp.ndimage.label(a0, sp.ndimage.generate_binary_structure({rank}, {given['connectivity']}))"
    if name.endswith("objects"):
        text = f"np.array([e for box in sp.ndimage.find_objects({text}[0]) for part in box for e in (part.start, part.stop)], 'int64')"
    none = {} if a.view.size else {"accepted": "SciPy's find_objects fails where there are no elements"}
    return Call(text, [a], given, {"any_dtype": True, **none})


@functions("ndimage.distance_transform_edt", dtypes=["bool", "int32", "float64"])
def _(s, dtype, name):
    a = image(s, dtype, few=True)
    given = {"sampling": [s.choice([1.0, 1.0, 0.5, 2.0, 1.75]) for _ in a.view.shape]}
    notes = {"relative": 1e-12, "absolute": 1e-12}
    if not (a.view == 0).any():
        notes |= {"differs": "SciPy's result means nothing without zeros"}
    return Call(f"sp.{name}(a0, sampling={given['sampling']})", [a], given, notes)


def spline(s: Source) -> dict:
    return {"order": s.integer(0, 5), "mode": s.choice(MODES), "cval": edges(s)["cval"], "prefilter": s.chance(0.8)}


SPLINES = ("zoom", "shift", "rotate", "affine_transform", "map_coordinates", "spline_filter", "spline_filter1d")


@functions(*(f"ndimage.{name}" for name in SPLINES), dtypes=FLOATS)
def _(s, dtype, name):
    a = image(s, dtype)
    rank, given, arrays = a.view.ndim, spline(s), [a]
    word = name.split(".")[1]
    if word.startswith("spline"):
        given = {"order": given["order"], "mode": given["mode"]}
        notes = close(dtype, a, 1024)
        if word.endswith("1d"):
            given["axis"] = s.integer(-rank, rank - 1)
        elif given["order"] < 2:
            notes["accepted"] = "the coefficients of these orders are the elements, as SciPy's spline_filter1d says"
        return Call(f"sp.{name}(a0{given_text(given)})", arrays, given, notes)
    first = None
    if word == "zoom":
        first = [s.choice([1.0, 0.5, 2.0, 1.5, s.random.uniform(0.3, 2.5)]) for _ in range(rank)]
        given["grid_mode"] = given["order"] > 0 and s.chance(0.4)
    elif word == "shift":
        first = [s.choice([0.0, 1.0, -2.0, 0.5, s.random.uniform(-9, 9)]) for _ in range(rank)]
    elif word == "rotate":
        first = s.choice([90.0, 180.0, s.random.uniform(-180, 180)])
        given |= {"reshape": s.chance(0.5), "axes": s.random.sample(range(rank), 2) if rank > 1 else [0, 0]}
    elif word == "affine_transform":
        arrays.append(s.array("float64", (rank, rank), lambda s: s.choice([0.0, 1.0, 0.5, s.random.uniform(-1.5, 1.5)])))
        given["offset"] = [s.random.uniform(-2, 4) for _ in range(rank)]
    else:
        arrays.append(s.array("float64", (rank, *s.shape(1, 2, (1, 2, 3, 5))), lambda s: s.choice([s.random.uniform(-12, 20), float(s.integer(-12, 20)), s.random.uniform(0, 3)])))
    notes = close(dtype, a, 1024)
    if a.view.size == 0:
        notes |= {key: "SciPy reads memory that is none" for key in ("refused", "differs")}
    return Call(f"sp.{name}(a0, {'a1' if first is None else first}{given_text(given)})", arrays, {**given, word: first}, notes)


LABELLED = ("sum_labels", "mean", "variance", "standard_deviation", "minimum", "maximum", "minimum_position", "maximum_position", "median", "center_of_mass", "histogram")


@functions(*(f"ndimage.{name}" for name in LABELLED), dtypes=["float64", "int32", "uint8"])
def _(s, dtype, name):
    # Which of equal elements is found is for SciPy's sort to say.
    a = image(s, dtype, few=None if "position" not in name else False)
    count = s.integer(1, 5)
    labels = s.array("int32", a.view.shape, lambda s: s.integer(0, count - 1))
    given = {"index": s.choice([None, 1, 2, [1, 2, 3], [3, 1, 1], [2, 7]])}
    if name.endswith("histogram") and given["index"] is not None and not np.isin(given["index"], labels.view).all():
        # SciPy's result has no type then.
        given["index"] = None
    first = "-10, 10, 4, " if name.endswith("histogram") else ""
    text = f"sp.{name}(a0, {first}a1, {given['index']})"
    notes = {"any_dtype": True, "relative": 1e-10, "absolute": 1e-8}
    chosen = [] if given["index"] is None else np.ravel(given["index"])
    if not (labels.view > 0).any() or not all((labels.view == label).any() for label in chosen):
        reason = "SciPy's results mean nothing without elements"
        notes |= {"differs": reason, "accepted": reason, "refused": reason}
    if "position" in name and len(np.unique(a.view)) < a.view.size:
        notes |= {"differs": "which of equal elements is found is for SciPy's sort to say"}
    if name.endswith("histogram"):
        text = f"np.array(list({text}))" if isinstance(given["index"], list) else text
    elif name.endswith(("position", "mass")):
        text = f"np.array({text})"
    return Call(text, [a, labels], given, notes)
