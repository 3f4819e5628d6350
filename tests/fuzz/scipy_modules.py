"""SciPy's `linalg`, `fft`, `interpolate`, `spatial` and `stats`."""

from __future__ import annotations

import numpy as np

from .algebra import NORMS, PRODUCTS, loose, matrices
from .arrays import Array, Source, literal
from .calls import FLOATS, INTEGERS, Call, axis_of, epsilon, functions, words

NUMBERS = ["float64", "float32", "int64"]


def whole(values: np.ndarray) -> Array:
    return Array(values, values, literal(values))


def near(dtype: str, size: float = 1.0, units: float = 4096) -> dict:
    """How near results are that are computed in f64, of an array whose elements are of a size."""
    scale = units * epsilon("float64") + (16 * epsilon(dtype) if dtype == "float32" else 0)
    return {"relative": scale, "absolute": scale * size, "any_zero": True, "any_dtype": True}


def wide(name: str = "a0") -> str:
    return f"{name}.astype('float64')"


# Linear algebra.

@functions("linalg.toeplitz", "linalg.circulant", "linalg.hankel", "linalg.block_diag", "linalg.leslie", "linalg.convolution_matrix", dtypes=["float64", "int64", "complex128"])
def _(s, dtype, name):
    word, n = name.split(".")[1], s.integer(1, 6)
    a = s.array(dtype, (n,), "exact")
    if word == "circulant":
        return Call("sp.linalg.circulant(a0)", [a])
    if word == "block_diag":
        arrays = [s.array(dtype, (s.integer(1, 4), s.integer(1, 4)), "exact") for _ in range(s.integer(1, 3))]
        return Call(f"sp.linalg.block_diag({', '.join(f'a{at}' for at in range(len(arrays)))})", arrays)
    if word == "leslie":
        return Call("sp.linalg.leslie(a0, a1)", [s.array(dtype, (n + 1,), "exact"), s.array(dtype, (n,), "exact")])
    if word == "convolution_matrix":
        given = {"n": s.integer(1, 7), "mode": s.choice(["full", "same", "valid"])}
        return Call(f"sp.linalg.convolution_matrix(a0, {given['n']}, '{given['mode']}')", [a], given)
    return Call(f"sp.{name}(a0, a1)", [a, s.array(dtype, (s.integer(1, 6),), "exact")])


@functions("linalg.companion", "linalg.fiedler", dtypes=["float64"])
def _(s, dtype, name):
    return Call(f"sp.{name}(a0)", [s.array(dtype, (s.integer(2 if name.endswith("companion") else 1, 6),), "positive")], {}, near(dtype, 10))


@functions("linalg.solve_triangular", dtypes=PRODUCTS)
def _(s, dtype, name):
    n, given = s.integer(1, 6), {"lower": s.chance(0.5), "unit_diagonal": s.chance(0.3), "trans": s.integer(0, 2)}
    a = matrices(s, dtype, n, n)
    if given["unit_diagonal"]:
        a.base[...] /= 16 * n
        a.text = literal(a.base)
    b = s.array(dtype, (n,) if s.chance(0.5) else (n, s.integer(1, 3)), "exact")
    return Call(f"sp.linalg.solve_triangular(a0, a1{words(given)})", [a, b], given, loose(dtype, 4))


@functions("linalg.lu_solve", "linalg.cho_solve", dtypes=PRODUCTS)
def _(s, dtype, name):
    n = s.integer(1, 6)
    a = matrices(s, dtype, n, n, (), name.endswith("cho_solve"))
    b = s.array(dtype, (n,) if s.chance(0.5) else (n, s.integer(1, 3)), "exact")
    if name.endswith("cho_solve"):
        given = {"lower": s.chance(0.5)}
        return Call(f"sp.linalg.cho_solve(sp.linalg.cho_factor(a0, lower={given['lower']}), a1)", [a, b], given, loose(dtype, 4))
    given = {"trans": s.integer(0, 2)}
    return Call(f"sp.linalg.lu_solve(sp.linalg.lu_factor(a0), a1, trans={given['trans']})", [a, b], given, loose(dtype, 4))


@functions("linalg.lu", dtypes=PRODUCTS)
def _(s, dtype, name):
    return Call("sp.linalg.lu(a0)", [matrices(s, dtype, s.integer(1, 6), s.integer(1, 6))], {}, {**loose(dtype, 16), "any_dtype": True})


@functions("linalg.expm", dtypes=PRODUCTS)
def _(s, dtype, name):
    n = s.integer(1, 5)
    a = s.array(dtype, (n, n), lambda s: s.value(dtype, "unit") if "complex" not in dtype else complex(s.value("float64", "unit"), s.value("float64", "unit")))
    return Call("sp.linalg.expm(a0)", [a], {}, loose(dtype, 64))


# Transforms.

@functions("fft.dct", "fft.idct", "fft.dst", "fft.idst", dtypes=FLOATS)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3, (2, 3, 4, 5, 7, 8, 17)), "exact")
    given = {"type": s.integer(1, 4), "axis": axis_of(s, a), "norm": s.choice(NORMS)}
    if s.chance(0.4):
        given["n"] = s.integer(2, 9)
    if s.chance(0.2):
        given["orthogonalize"] = s.chance(0.5)
    size = float(np.abs(a.view).sum())
    return Call(f"sp.{name}(a0{words(given)})", [a], given, {"relative": 64 * epsilon(dtype), "absolute": 64 * epsilon(dtype) * (1 + size), "any_zero": True})


@functions("fft.dctn", "fft.idctn", "fft.dstn", "fft.idstn", dtypes=FLOATS)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3, (2, 3, 4, 5, 7)), "exact")
    given = {"type": s.integer(1, 4), "norm": s.choice(NORMS), "axes": s.random.sample(range(a.view.ndim), s.integer(1, a.view.ndim))}
    if s.chance(0.4):
        given["s"] = [s.integer(2, 7) for _ in given["axes"]]
    size = float(np.abs(a.view).sum())
    return Call(f"sp.{name}(a0{words(given)})", [a], given, {"relative": 64 * epsilon(dtype), "absolute": 256 * epsilon(dtype) * (1 + size), "any_zero": True})


@functions("fft.next_fast_len", dtypes=["int64"])
def _(s, dtype, name):
    given = {"target": s.integer(1, 10000), "real": s.chance(0.5)}
    import scipy

    has_11 = scipy.fft.next_fast_len(given["target"], given["real"]) % 11 == 0
    notes = {"differs": "as CuPy's, ours has no factor 11"} if has_11 else {}
    return Call(f"np.asarray(sp.fft.next_fast_len({given['target']}, {given['real']}))", [], given, notes)


@functions("fft.fht", "fft.ifht", dtypes=["float64"])
def _(s, dtype, name):
    given = {"dln": s.choice([0.05, 0.1]), "mu": s.choice([0.0, 0.5, 1.0, 2.0]), "offset": s.choice([0.0, 0.25]), "bias": s.choice([0.0, 0.25])}
    a = s.array(dtype, (*s.shape(0, 1, (1, 2)), s.integer(2, 20)), "exact")
    return Call(f"sp.{name}(a0{words(given)})", [a], given, near(dtype, 100))


# Interpolation.

def points(s: Source, count: int) -> np.ndarray:
    """Ascending ones."""
    return np.cumsum([s.integer(1, 8) / 4 for _ in range(count)]) - 4.0


def inside(s: Source, x: np.ndarray, beyond: float = 0.0, share: float = 0.3):
    low, high = x[0] - beyond, x[-1] + beyond
    return lambda s: float(s.choice(list(x))) if s.chance(share) else s.random.uniform(low, high)


SPLINES = ("CubicSpline", "PchipInterpolator", "Akima1DInterpolator")


@functions(*(f"interpolate.{name}" for name in SPLINES), dtypes=["float64"])
def _(s, dtype, name):
    word = name.split(".")[1]
    count = s.integer(4 if word.startswith("Akima") else 2, 10)
    x = points(s, count)
    axis, shape = 0, [count]
    if s.chance(0.4):
        axis = s.integer(0, 1)
        shape = [count, 2] if axis == 0 else [2, count]
    y = s.array(dtype, shape, "exact")
    given, more = {"axis": axis, "nu": s.choice([0, 0, 1, 2])}, ""
    if word == "CubicSpline":
        given["bc_type"] = s.choice(["not-a-knot", "natural", "clamped", "periodic"])
        more = f", bc_type='{given['bc_type']}'"
        if given["bc_type"] == "periodic" and s.chance(0.95):
            y = whole(np.array(y.view))
            last = np.take(y.base, 0, axis)
            (y.base if axis == 0 else y.base.T)[-1] = last
            y.text = literal(y.base)
    elif word.startswith("Akima"):
        given["method"] = s.choice(["akima", "makima"])
        more = f", method='{given['method']}'"
    xi = s.array(dtype, s.shape(0, 2, (1, 2, 5)), inside(s, x, 2.0 if not word.startswith("Akima") else 0.0))
    # At a knot a derivative of Akima's curve has two values.
    return Call(f"sp.{name}(a0, a1, axis={axis}{more})(a2, {given['nu']})", [whole(x), y, xi], given, near(dtype, 1e4, 2**16))


@functions("interpolate.interp1d", dtypes=FLOATS)
def _(s, dtype, name):
    kind = s.choice(["linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic"])
    count = s.integer(4, 10)
    x = points(s, count)
    order = list(range(count))
    if s.chance(0.3):
        s.random.shuffle(order)
    axis = s.choice([-1, 0])
    rank = s.choice([1, 1, 2])
    shape = [count] if rank == 1 else ([2, count] if axis == -1 else [count, 2])
    y = s.array(dtype, shape, "exact")
    given = {"kind": kind, "axis": axis}
    outside = s.choice(["error", "fill", "extrapolate"])
    more = ""
    if outside == "fill":
        given |= {"fill_value": s.choice([-1.0, 0.0])}
        more = f", bounds_error=False, fill_value={given['fill_value']}"
    elif outside == "extrapolate":
        given["extrapolate"] = True
        more = ", fill_value='extrapolate'"
    xi = s.array("float64", s.shape(0, 2, (1, 2, 5)), inside(s, x, 0.0 if outside == "error" and s.chance(0.9) else 1.0))
    return Call(f"sp.interpolate.interp1d(a0, {wide('a1')}, kind='{kind}', axis={axis}{more})(a2)", [whole(x[order]), y, xi], given, near(dtype, 1e4, 2**16))


@functions("interpolate.make_interp_spline", dtypes=["float64"])
def _(s, dtype, name):
    k = s.choice([1, 2, 3, 3, 5])
    count = s.integer(k + 1, 12)
    x = points(s, count)
    y = s.array(dtype, (count,) if s.chance(0.6) else (count, 2), "exact")
    xi = s.array(dtype, s.shape(0, 2, (1, 2, 5)), inside(s, x))
    given = {"k": k, "nu": s.choice([0, 0, 1])}
    return Call(f"sp.interpolate.make_interp_spline(a0, a1, k={k})(a2, {given['nu']})", [whole(x), y, xi], given, near(dtype, 1e4, 2**20))


@functions("interpolate.barycentric_interpolate", "interpolate.krogh_interpolate", "interpolate.pchip_interpolate", dtypes=["float64"])
def _(s, dtype, name):
    count = s.integer(2, 6)
    x = points(s, count)
    y = s.array(dtype, (count,) if s.chance(0.6) else (count, 2), "exact")
    xi = s.array(dtype, s.shape(0, 1, (1, 2, 5)), inside(s, x))
    return Call(f"sp.{name}(a0, a1, a2)", [whole(x), y, xi], {}, near(dtype, 1e4, 2**16))


@functions("interpolate.RegularGridInterpolator", dtypes=FLOATS)
def _(s, dtype, name):
    rank = s.choice([1, 2, 2, 3])
    axes = [points(s, s.integer(2, 5)) for _ in range(rank)]
    values = s.array(dtype, [len(x) for x in axes], "exact")
    beyond = s.choice([0.0, 0.0, 1.0])
    count = s.integer(1, 6)
    xi = np.array([[inside(s, x, beyond)(s) for x in axes] for _ in range(count)])
    given = {"method": s.choice(["linear", "nearest"]), "bounds_error": s.chance(0.2), "fill_value": s.choice([-1.0, 0.0]), "rank": rank}
    names = ", ".join(f"a{2 + at}" for at in range(rank))
    text = f"sp.interpolate.RegularGridInterpolator(({names},), {wide('a0')}, method='{given['method']}', bounds_error={given['bounds_error']}, fill_value={given['fill_value']})(a1)"
    return Call(text, [values, whole(xi), *map(whole, axes)], given, near(dtype, 1e3))


@functions("interpolate.RBFInterpolator", dtypes=["float64"])
def _(s, dtype, name):
    count, rank = s.integer(6, 12), s.integer(1, 2)
    y = s.array(dtype, (count, rank), lambda s: s.random.uniform(-3, 3))
    d = s.array(dtype, (count,) if s.chance(0.6) else (count, 2), "exact")
    xi = s.array(dtype, (s.integer(1, 5), rank), lambda s: s.random.uniform(-3, 3))
    given = {"kernel": s.choice(["linear", "thin_plate_spline", "cubic", "quintic", "gaussian", "multiquadric", "inverse_multiquadric", "inverse_quadratic"]),
             "smoothing": s.choice([0.0, 0.5, 2.0])}
    more = ""
    if given["kernel"] in ("gaussian", "multiquadric", "inverse_multiquadric", "inverse_quadratic"):
        given["epsilon"] = s.choice([1.0, 2.0])
        more = f", epsilon={given['epsilon']}"
    text = f"sp.interpolate.RBFInterpolator(a0, a1, kernel='{given['kernel']}', smoothing={given['smoothing']}{more})(a2)"
    return Call(text, [y, d, xi], given, near(dtype, 1e4, 2**27))


# Distances.

METRICS = ["euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "canberra", "braycurtis", "cosine", "correlation", "hamming", "jensenshannon"]


def samples(s: Source, dtype: str, rows: int, columns: int, metric: str) -> Array:
    style = "positive" if metric in ("jensenshannon", "cosine", "correlation", "braycurtis") else "exact"
    return s.array(dtype, (rows, columns), (lambda s: float(s.integer(0, 2))) if metric == "hamming" else style)


@functions("spatial.cdist", "spatial.pdist", dtypes=NUMBERS)
def _(s, dtype, name):
    metric, columns = s.choice(METRICS), s.integer(2, 6)
    given, more = {"metric": metric, "p": s.choice([1.0, 2.0, 3.0, 1.5])}, ""
    if metric == "minkowski":
        more = f", p={given['p']}"
    notes = near(dtype, 10)
    if metric in ("cosine", "correlation", "jensenshannon"):
        # 1 less a number that may be nearly 1, or its root.
        notes["absolute"] = 1e-6 if dtype != "float32" else 1e-3
    first = samples(s, dtype, s.integer(1, 6), columns, metric)
    if name.endswith("pdist"):
        return Call(f"sp.spatial.distance.pdist({wide()}, '{metric}'{more})", [first], given, notes)
    second = samples(s, dtype, s.integer(1, 6), columns + (1 if s.chance(0.03) else 0), metric)
    return Call(f"sp.spatial.distance.cdist({wide()}, {wide('a1')}, '{metric}'{more})", [first, second], given, notes)


@functions("spatial.distance_matrix", "spatial.squareform", dtypes=NUMBERS)
def _(s, dtype, name):
    if name.endswith("squareform"):
        n = s.integer(2, 6)
        return Call("sp.spatial.distance.squareform(a0)", [s.array(dtype, (n * (n - 1) // 2,), "exact")], {}, {"any_dtype": True})
    columns, given = s.integer(1, 4), {"p": s.choice([1.0, 2.0, 3.0])}
    arrays = [s.array(dtype, (s.integer(1, 6), columns), "exact") for _ in range(2)]
    return Call(f"sp.spatial.distance_matrix({wide()}, {wide('a1')}, p={given['p']})", arrays, given, near(dtype, 10))


PAIRS = ("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean", "hamming", "sqeuclidean", "minkowski", "jensenshannon")


@functions(*(f"spatial.distance.{name}" for name in PAIRS), dtypes=["float64"])
def _(s, dtype, name):
    n = s.integer(2, 8)
    style = "positive" if name.endswith(("shannon", "cosine", "correlation")) else "exact"
    arrays = [s.array(dtype, (n,), style) for _ in range(2)]
    given = {"p": 3.0} if name.endswith("minkowski") else {}
    notes = {**near(dtype, 10), **({"absolute": 1e-6} if style == "positive" else {})}
    return Call(f"sp.{name}(a0, a1{words(given)})", arrays, given, notes)


@functions("spatial.KDTree", dtypes=FLOATS)
def _(s, dtype, name):
    rank, count = s.integer(1, 3), s.integer(1, 30)
    # No two distances are the same.
    data = s.array(dtype, (count, rank), lambda s: s.random.uniform(-5, 5), view=False)
    x = s.array(dtype, (s.integer(1, 6), rank), lambda s: s.random.uniform(-6, 6))
    given = {"k": s.integer(1, 4), "p": s.choice([1.0, 2.0, 2.0, float("inf")]), "bound": s.choice([float("inf"), 3.0])}
    text = f"sp.spatial.KDTree({wide()}).query({wide('a1')}, {given['k']}, p={given['p'] if np.isfinite(given['p']) else 'np.inf'}, distance_upper_bound={given['bound'] if np.isfinite(given['bound']) else 'np.inf'})"
    given = {key: str(value) if key != "k" else value for key, value in given.items()}
    return Call(text, [data, x], given, near(dtype, 1))


# Statistics.

def sample(s: Source, dtype: str, style="plain", least: int = 1) -> Array:
    return s.array(dtype, s.shape(1, 3, (2, 3, 4, 5, 7, 8) if least > 1 else (1, 2, 3, 4, 5, 7)), style, view=True)


@functions(*(f"stats.{name}" for name in ("zscore", "gzscore", "sem", "variation", "skew", "kurtosis", "gmean", "hmean", "pmean", "moment", "median_abs_deviation", "trim_mean")),
           dtypes=NUMBERS)
def _(s, dtype, name):
    word = name.split(".")[1]
    a = sample(s, dtype, "positive" if word in ("gzscore", "gmean", "hmean", "pmean", "variation") else "plain", 2)
    given, first = {"axis": s.integer(-a.view.ndim, a.view.ndim - 1)}, ""
    if word in ("zscore", "gzscore", "sem", "variation"):
        given["ddof"] = s.choice([0, 1])
    elif word in ("skew", "kurtosis"):
        given["bias"] = s.chance(0.6)
        if word == "kurtosis":
            given["fisher"] = s.chance(0.5)
    elif word == "pmean":
        given["p"] = s.choice([1.0, 2.0, -1.0, 0.5])
        first = f", {given['p']}"
    elif word == "moment":
        given["order"] = s.integer(0, 4)
    elif word == "trim_mean":
        given["proportiontocut"] = s.choice([0.0, 0.1, 0.25, 0.4])
        first = f", {given['proportiontocut']}"
    text = f"sp.{name}({wide()}{first}{words({k: v for k, v in given.items() if k not in ('p', 'proportiontocut')})})"
    notes = near(dtype, 100, 2**16)
    along = np.moveaxis(a.view, given["axis"], -1)
    if word in ("zscore", "gzscore", "skew", "kurtosis", "variation", "sem") and (along == along[..., :1]).all(-1).any():
        notes["differs"] = "rows that repeat one number have rounding errors for a deviation"
    if word in ("skew", "kurtosis") and not given["bias"]:
        # Quotients by a deviation that may be nearly 0.
        notes |= {"relative": 1e-8 if dtype != "float32" else 1e-3}
    if word in ("skew", "kurtosis") and dtype == "float32":
        notes |= {"relative": 1e-4, "absolute": 1e-4}
    return Call(text, [a], given, notes)


@functions(*(f"stats.{name}" for name in ("tmean", "tvar", "tstd", "tsem", "tmin", "tmax")), dtypes=["float64", "int64"])
def _(s, dtype, name):
    word = name.split(".")[1]
    a = s.array(dtype, s.shape(1, 2, (5, 7, 8, 17)), "exact")
    given = {}
    if word in ("tmin", "tmax"):
        given = {"axis": s.integer(0, a.view.ndim - 1), "limit": s.choice([-1.5, 0.0, 2.0]), "inclusive": s.chance(0.5)}
        text = f"sp.{name}(a0, {given['limit']}, axis={given['axis']}, inclusive={given['inclusive']})"
    else:
        given = {"low": s.choice([-3.0, -1.0]), "high": s.choice([1.0, 3.0]), "inclusive": [s.chance(0.5), s.chance(0.5)]}
        limits = f"({given['low']}, {given['high']}), {tuple(given['inclusive'])}"
        text = f"sp.{name}(a0, {limits}, axis=None)" if word != "tmean" else f"sp.{name}(a0, {limits})"
        if word != "tmean":
            text = f"sp.{name}(a0, {limits}, axis=0)"
    notes, low, high = near(dtype, 10), given.get("low", given.get("limit")), given.get("high", given.get("limit"))
    below, above = word != "tmax", word != "tmin"
    if not ((a.view > low if below else True) & (a.view < high if above else True)).any():
        notes["accepted"] = "SciPy refuses limits without any element; ours gives NaN, as of an axis without one"
    return Call(text, [a], given, notes)


@functions("stats.entropy", "stats.relative_entropy", dtypes=FLOATS)
def _(s, dtype, name):
    a = sample(s, dtype, "positive")
    given, arrays = {"axis": s.integer(0, a.view.ndim - 1)}, [a]
    if s.chance(0.4):
        given["base"] = s.choice([2.0, 10.0])
    if name.endswith("relative_entropy"):
        arrays.append(s.array(dtype, a.view.shape, "positive"))
        return Call(f"sp.stats.entropy({wide()}, {wide('a1')}{words(given)})", arrays, given, near(dtype, 10))
    return Call(f"sp.stats.entropy({wide()}{words(given)})", arrays, given, near(dtype, 10))


@functions("stats.iqr", "stats.rankdata", "stats.mode", "stats.describe", dtypes=NUMBERS)
def _(s, dtype, name):
    word = name.split(".")[1]
    a = sample(s, dtype, (lambda s: s.integer(-2, 2)) if word in ("mode", "rankdata") else "exact", 2)
    if word == "iqr":
        return Call(f"sp.stats.iqr({wide()})", [a], {}, near(dtype, 10))
    if word == "rankdata":
        given = {"method": s.choice(["average", "min", "max", "dense", "ordinal"])}
        return Call(f"sp.stats.rankdata(a0, '{given['method']}')", [a], given, {"any_dtype": True})
    given = {"axis": s.integer(0, a.view.ndim - 1)}
    if word == "mode":
        return Call(f"list(sp.stats.mode(a0, axis={given['axis']}))", [a], given, {"any_zero": True, "any_dtype": True})
    return Call(f"(lambda d: [d.minmax[0], d.minmax[1], d.mean, d.variance])(sp.stats.describe({wide()}, axis={given['axis']}))", [a], given, near(dtype, 100))


@functions("stats.linregress", "stats.pearsonr", "stats.spearmanr", dtypes=["float64", "int64"])
def _(s, dtype, name):
    n = s.integer(4, 20)
    arrays = [s.array(dtype, (n,), "plain") for _ in range(2)]
    part = {"linregress": "[d.slope, d.intercept, d.rvalue, d.pvalue, d.stderr]"}.get(name.split(".")[1], "[d.statistic, d.pvalue]")
    notes = near(dtype, 10, 2**16)
    if any(len(np.unique(array.view)) < 3 for array in arrays):
        notes |= {key: "of nearly constant samples" for key in ("differs", "accepted", "refused")}
    return Call(f"(lambda d: {part})(sp.{name}({wide()}, {wide('a1')}))", arrays, {}, notes)


@functions("stats.ks_2samp", dtypes=["float64", "int64"])
def _(s, dtype, name):
    arrays = [s.array(dtype, (s.integer(1, 25),), "exact") for _ in range(2)]
    given = {"alternative": s.choice(["two-sided", "less", "greater"]), "method": s.choice(["auto", "exact", "asymp"])}
    return Call(f"(lambda d: [d.statistic, d.pvalue])(sp.stats.ks_2samp(a0, a1{words(given)}))", arrays, given, near(dtype, 1, 2**16))


@functions("stats.ttest_1samp", "stats.ttest_ind", "stats.ttest_rel", "stats.jarque_bera", "stats.chisquare", dtypes=["float64"])
def _(s, dtype, name):
    word, n = name.split(".")[1], s.integer(4, 20)
    a = s.array(dtype, (n,), "positive" if word == "chisquare" else "plain")
    notes = near(dtype, 1, 2**24)
    if len(np.unique(a.view)) < 3:
        notes |= {"differs": "of nearly constant samples"}
    part = "(lambda d: [d.statistic, d.pvalue])"
    if word in ("ttest_ind", "ttest_rel"):
        b = s.array(dtype, (n if word == "ttest_rel" else s.integer(4, 20),), "plain")
        given = {"equal_var": s.chance(0.5)} if word == "ttest_ind" else {}
        return Call(f"{part}(sp.{name}(a0, a1{words(given)}))", [a, b], given, notes)
    if word == "ttest_1samp":
        given = {"popmean": s.choice([0.0, 1.5])}
        return Call(f"{part}(sp.{name}(a0, {given['popmean']}))", [a], given, notes)
    return Call(f"{part}(sp.{name}(a0))", [a], {}, notes)


@functions("stats.gaussian_kde", dtypes=["float64"])
def _(s, dtype, name):
    a = s.array(dtype, (s.integer(4, 20),), lambda s: s.random.uniform(-3, 3), view=False)
    x = s.array(dtype, (s.integer(1, 6),), lambda s: s.random.uniform(-4, 4))
    return Call("sp.stats.gaussian_kde(a0)(a1)", [a, x], {}, near(dtype, 1, 2**16))
