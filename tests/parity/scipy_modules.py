#!/usr/bin/env python3
"""Writes scipy_modules.json: what SciPy gives for the calls of prelude/tests/integration/scipy/.

A row has the name of a call and the results one after another. The data are `wave(n)`, which the tests make, too, and what is made of
it here and there by the same arithmetic.
"""

import json
import math
import pathlib
import warnings

import numpy as np
from scipy import interpolate, optimize, spatial, special, stats
from scipy.spatial import distance

ROWS = {}


def row(name, *results):
    numbers = []
    for result in results:
        numbers += [float(x) for x in np.asarray(result, float).ravel()]
    assert name not in ROWS, name
    ROWS[name] = numbers


def wave(count):
    """A signal with several frequencies, and something like noise."""
    at = np.arange(count)
    return np.sin(0.05 * at) + 0.5 * np.sin(0.9 * at + 1) + 0.25 * ((at * 7919) % 101 / 50 - 1)


def places(count):
    """Places at uneven distances, in ascending order."""
    at = np.arange(count)
    return 0.5 * at + 0.2 * np.sin(2.0 * at)


def queries(first, last, count=23):
    """Points within, at both ends, and beyond them."""
    return first - 0.3 + (last - first + 0.6) * np.arange(count) / (count - 1.0)


def rows_of_interpolate():
    x, y = places(11), wave(11)
    ym = wave(33).reshape(11, 3)
    at = np.concatenate([queries(x[0], x[-1]), x])
    inside = np.clip(at, x[0], x[-1])
    closed = y.copy()
    closed[-1] = closed[0]
    for name, bc in {
        "not-a-knot": "not-a-knot", "natural": "natural", "clamped": "clamped", "mixed": ((1, 0.5), (2, -1.0)),
        "words": ("natural", "clamped"), "half": ("not-a-knot", "natural"),
    }.items():
        for count in (2, 3, 4, 11):
            cs = interpolate.CubicSpline(x[:count], y[:count], bc_type=bc)
            row(f"CubicSpline {name} {count}", cs(at), cs(at, 1), cs(at, 2), cs(at, 4))
    for count in (3, 4, 11):
        values = y[:count].copy()
        values[-1] = values[0]
        cs = interpolate.CubicSpline(x[:count], values, bc_type="periodic")
        row(f"CubicSpline periodic {count}", cs(at), cs(at, 1), cs.integrate(0.3, 9.7))
    cs = interpolate.CubicSpline(x, ym)
    row("CubicSpline columns", cs(at), cs.derivative()(at), cs.antiderivative(2)(at), cs.integrate(0.1, 4.0), cs.c, cs.x)
    cs = interpolate.CubicSpline(x, ym.T, axis=1, extrapolate=False)
    row("CubicSpline axis 1", cs(at.reshape(2, 17)), cs.integrate(4.0, 0.1), cs.integrate(0.1, 40.0))
    cs = interpolate.CubicSpline(x, y)
    # SciPy's are in ascending order of the pieces only.
    row("CubicSpline roots", *[np.sort(roots) for roots in (cs.roots(), cs.solve(0.3), cs.derivative().roots(extrapolate=False))])
    for name, make in {
        "PchipInterpolator": interpolate.PchipInterpolator, "Akima1DInterpolator": interpolate.Akima1DInterpolator,
        "makima": lambda x, y, axis=0: interpolate.Akima1DInterpolator(x, y, axis, method="makima"),
    }.items():
        for count in (2, 3, 11):
            f = make(x[:count], y[:count])
            row(f"{name} {count}", f(at), f(at, 1))
        flat = np.array([0.0, 0, 0, 1, 1, 2, 2, 2, 0, 0, 0])
        row(f"{name} flat", make(x, flat)(at))
        row(f"{name} axis 1", make(x, ym.T, axis=1)(at))
    f = interpolate.CubicHermiteSpline(x, y, wave(20)[9:])
    row("CubicHermiteSpline", f(at))
    row("pchip_interpolate", interpolate.pchip_interpolate(x, y, inside))
    c = wave(24).reshape(4, 3, 2)
    breaks = np.array([0.0, 1.0, 2.5, 3.0])
    p = interpolate.PPoly(c, breaks)
    row("PPoly", p(at), p(at, 2), p.derivative(2)(at), p.antiderivative()(at), p.integrate(-1, 4))
    row("PPoly periodic", p(at, extrapolate="periodic"), p(at, extrapolate=False))
    b = interpolate.BPoly(c, breaks)
    row("BPoly", b(at), b(at, 1))
    knots = np.array([0.0, 0, 0, 0, 1, 2, 2, 3.5, 5, 5, 5, 5])
    s = interpolate.BSpline(knots, wave(8), 3)
    row("BSpline", s(at), s(at, 1), s.derivative(2)(at), s.antiderivative()(at), s.integrate(0.5, 4.0), s.derivative().c[:7],
        s.antiderivative().t)
    s = interpolate.BSpline(np.arange(9.0), wave(10).reshape(5, 2), 3, extrapolate=False)
    row("BSpline columns", s(at))
    row("BSpline periodic", interpolate.BSpline(np.arange(9.0), wave(5), 3, extrapolate="periodic")(at))
    for k in (0, 1, 2, 3, 4, 5):
        s = interpolate.make_interp_spline(x, y, k)
        row(f"make_interp_spline {k}", s(inside if k == 0 else at), s.t, s.c)
    s = interpolate.make_interp_spline(x, ym, 3, bc_type="natural")
    row("make_interp_spline natural", s(at), s.c)
    row("make_interp_spline clamped", interpolate.make_interp_spline(x, y, 3, bc_type="clamped")(at))
    row("splder", interpolate.splder(interpolate.make_interp_spline(x, y, 3), 2)(at))
    row("splantider", interpolate.splantider(interpolate.make_interp_spline(x, y, 3), 2)(at))
    for kind in ("linear", "nearest", "nearest-up", "zero", "slinear", "quadratic", "cubic", "previous", "next"):
        middle = np.concatenate([inside, 0.5 * (x[1:] + x[:-1])])
        row(f"interp1d {kind}", interpolate.interp1d(x, y, kind)(middle))
        f = interpolate.interp1d(x, ym, kind, axis=0, bounds_error=False)
        row(f"interp1d {kind} axis 0", f(at))
        f = interpolate.interp1d(x, ym.T, kind, fill_value=(-1.0, -2.0), bounds_error=False)
        row(f"interp1d {kind} fill", f(at))
        row(f"interp1d {kind} extrapolate", interpolate.interp1d(x, y, kind, fill_value="extrapolate")(at))
    order = (np.arange(11) * 7) % 11
    row("interp1d unsorted", interpolate.interp1d(x[order], y[order])(inside))
    row("BarycentricInterpolator+barycentric_interpolate", interpolate.BarycentricInterpolator(x, y)(at), interpolate.barycentric_interpolate(x, ym, at))
    nodes = np.cos(np.pi * np.arange(200) / 199)
    row("BarycentricInterpolator+barycentric_interpolate Chebyshev", interpolate.BarycentricInterpolator(nodes, np.exp(nodes))(queries(-0.7, 0.7)))
    k = interpolate.KroghInterpolator(x, ym)
    row("KroghInterpolator+krogh_interpolate", k(at), k.derivative(at, 2), k.derivatives(at, 3), interpolate.krogh_interpolate(x, y, at))
    row("KroghInterpolator+krogh_interpolate hermite", interpolate.KroghInterpolator([0.0, 0.0, 0.0, 1.0, 2.0, 2.0], wave(6))(at))
    grid = (places(5), places(4), np.array([3.0, 1.0, -0.5]))
    values = wave(120).reshape(5, 4, 3, 2)
    n = np.arange(40)
    xi = np.stack([1.0 + 1.5 * np.sin(n), 0.8 + 0.9 * np.cos(1.7 * n), 1.2 + 1.9 * np.sin(0.7 * n)], -1)
    for method in ("linear", "nearest"):
        row(f"RegularGridInterpolator {method}", interpolate.RegularGridInterpolator(grid, values, method, False)(xi.reshape(8, 5, 3)))
        row(f"RegularGridInterpolator {method} fill", interpolate.RegularGridInterpolator(grid, values, method, False, -9.0)(xi))
        row(f"RegularGridInterpolator {method} extrapolate", interpolate.RegularGridInterpolator(grid, values, method, False, None)(xi))
        row(f"interpn {method}", interpolate.interpn(grid[:2], values[..., 0, 0], xi[:, :2] * 0.5 + 0.3, method, False, None))
    points = np.stack([wave(30), wave(60)[30:] * 2], -1)
    there = np.stack([wave(12) * 0.5, wave(24)[12:]], -1)
    for kernel in ("linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "inverse_multiquadric", "inverse_quadratic",
                   "gaussian"):
        f = interpolate.RBFInterpolator(points, wave(60).reshape(30, 2), kernel=kernel, epsilon=2.5)
        row(f"RBFInterpolator {kernel}", f(there))
    f = interpolate.RBFInterpolator(points, wave(30), smoothing=0.5, degree=2)
    row("RBFInterpolator smooth", f(there))
    row("NearestNDInterpolator", interpolate.NearestNDInterpolator(points, wave(60).reshape(30, 2))(there.reshape(3, 4, 2)))


def rows_of_stats():
    x, y = wave(50), wave(120)[70:] + 0.5 * wave(50)
    m = np.abs(wave(60).reshape(12, 5)) + 0.1
    ties = np.round(wave(60).reshape(20, 3) * 2)
    for axis in (0, 1):
        for ddof in (0, 1):
            row(f"zscore {axis} {ddof}", stats.zscore(m, axis, ddof))
        row(f"gzscore {axis}", stats.gzscore(m, axis=axis))
        row(f"trim_mean {axis}", stats.trim_mean(m, 0.2, axis))
        row(f"moments {axis}", *[stats.moment(m, k, axis) for k in range(6)], stats.moment(m, 3, axis, center=0.5))
        row(f"skew {axis}", stats.skew(m, axis), stats.skew(m, axis, bias=False))
        row(f"kurtosis {axis}", stats.kurtosis(m, axis), stats.kurtosis(m, axis, fisher=False, bias=False))
        row(f"sem {axis}", stats.sem(m, axis), stats.sem(m, axis, 0))
        row(f"variation {axis}", stats.variation(m, axis), stats.variation(m, axis, ddof=1))
        row(f"mad {axis}", stats.median_abs_deviation(m, axis), stats.median_abs_deviation(m, axis, scale=0.5))
        row(f"means {axis}", stats.gmean(m, axis), stats.hmean(m, axis), stats.pmean(m, 3, axis=axis))
        row(f"entropy {axis}", stats.entropy(m, axis=axis), stats.entropy(m, base=2, axis=axis),
            stats.entropy(m, np.flip(m), axis=axis))
        row(f"mode {axis}", *stats.mode(ties, axis))
        d = stats.describe(m, axis)
        row(f"describe {axis}", d.nobs, *d.minmax, d.mean, d.variance, d.skewness, d.kurtosis)
        limits = {"limits": (0.2, 0.9), "axis": axis}
        row(f"limits {axis}", stats.tvar(m, **limits), stats.tstd(m, inclusive=(False, True), **limits), stats.tsem(m, **limits),
            stats.tmin(m, 0.3, axis), stats.tmax(m, 0.9, axis, inclusive=False), stats.tvar(m, axis=axis, ddof=0))
    row("zscore constant", stats.zscore(np.array([[1.0, 0.1], [2.0, 0.1], [4.0, 0.1]])))
    row("zmap", stats.zmap(m[:3], m, 0, 1))
    row("tmean", stats.tmean(m), stats.tmean(m, (0.2, 0.9)), stats.tmean(m, (None, 0.9), (True, False)))
    row("iqr", stats.iqr(m), stats.iqr(m, rng=(10, 80), scale=2.0))
    row("boxcox_llf", *[stats.boxcox_llf(lmb, m) for lmb in (-1.5, 0.0, 0.5, 2.0)])
    for method in ("average", "min", "max", "dense", "ordinal"):
        row(f"rankdata {method}", stats.rankdata(ties, method))
    r = stats.linregress(x, y)
    row("linregress", r.slope, r.intercept, r.rvalue, r.pvalue, r.stderr, r.intercept_stderr)
    row("pearsonr", *stats.pearsonr(x, y), *stats.pearsonr(x[:3], y[:3]), *stats.pearsonr(x[:2], y[:2]))
    row("spearmanr", *stats.spearmanr(x, y), *stats.spearmanr(ties[:, 0], ties[:, 1]))
    for alternative in ("two-sided", "less", "greater"):
        for method in ("exact", "asymp"):
            for name, (a, b) in {"equal": (x, y), "unequal": (x[:36], y[:24]), "prime": (x[:23], y[:31])}.items():
                r = stats.ks_2samp(a, b, alternative, method)
                row(f"ks_2samp {alternative} {method} {name}", r.statistic, r.pvalue, r.statistic_location, r.statistic_sign)
    big = stats.ks_2samp(wave(12000), wave(11000) + 0.02)
    row("ks_2samp auto", big.statistic, big.pvalue)
    r = stats.ttest_1samp(m, 0.5)
    row("ttest_1samp", r.statistic, r.pvalue, r.df)
    r = stats.ttest_rel(m[:, :2], m[:, 2:4])
    row("ttest_rel", r.statistic, r.pvalue, r.df)
    for equal in (True, False):
        r = stats.ttest_ind(m, m[:7] * 1.3, equal_var=equal)
        row(f"ttest_ind {equal}", r.statistic, r.pvalue, np.broadcast_to(r.df, r.statistic.shape))
    row("chisquare", *stats.chisquare([16, 18, 16, 14, 12, 12]), *stats.chisquare([16, 18, 16, 14], [15, 20, 14, 15], 1))
    row("jarque_bera", *stats.jarque_bera(x))
    points = queries(-2, 2)
    for name, width in {"scott": None, "silverman": "silverman", "number": 0.3}.items():
        kde = stats.gaussian_kde(x, width)
        row(f"gaussian_kde {name}", kde(points), kde.factor, kde.covariance, kde.integrate_box_1d(-0.5, 1.0))
    weights = np.abs(wave(50)) + 0.1
    kde = stats.gaussian_kde(np.stack([x, y]), weights=weights)
    row("gaussian_kde weights", kde(np.stack([points, points[::-1] * 0.5])), kde.covariance, kde.neff, kde.logpdf([0.3, 0.2]))


def rows_of_spatial():
    a, b = wave(40).reshape(8, 5), wave(70)[40:].reshape(6, 5)
    p, q = np.abs(a) + 0.1, np.abs(b) + 0.1
    signs, others = np.where(a > 0.3, 1.0, 0.0), np.where(b > 0.3, 1.0, 0.0)
    for metric in ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "canberra", "braycurtis", "cosine", "correlation"):
        row(f"cdist+pdist {metric}", distance.cdist(a, b, metric), distance.pdist(a, metric))
    row("cdist+pdist minkowski", distance.cdist(a, b, "minkowski", p=3.5), distance.pdist(a, "minkowski", p=1))
    row("cdist+pdist jensenshannon", distance.cdist(p, q, "jensenshannon"), distance.pdist(p, "jensenshannon"))
    # CuPy's.
    row("cdist kl_divergence", special.rel_entr(p[:, None], q[None]).sum(-1))
    row("cdist hellinger", np.sqrt(((np.sqrt(p[:, None]) - np.sqrt(q[None])) ** 2).sum(-1) / 2))
    for metric in ("hamming", "jaccard", "russellrao", "dice", "rogerstanimoto", "sokalsneath", "yule"):
        booleans = metric not in ("hamming",)
        kind = bool if booleans else float
        row(f"cdist+pdist {metric}", distance.cdist(signs.astype(kind), others.astype(kind), metric),
            distance.pdist(signs.astype(kind), metric))
    row("distance_matrix", *[spatial.distance_matrix(a, b, p) for p in (1, 2, 3, np.inf)])
    row("euclidean+sqeuclidean+cityblock+chebyshev+canberra+braycurtis+jensenshannon+cosine+correlation+minkowski+hamming+russellrao+hellinger+kl_divergence", *[getattr(distance, name)(p[0], p[1]) for name in (
        "euclidean", "sqeuclidean", "cityblock", "chebyshev", "canberra", "braycurtis", "jensenshannon", "cosine", "correlation")],
        distance.minkowski(p[0], p[1], 3), distance.hamming(signs[0], signs[1]),
        distance.russellrao(signs[0].astype(bool), signs[1].astype(bool)),
        # CuPy's.
        np.sqrt(((np.sqrt(p[0]) - np.sqrt(p[1])) ** 2).sum() / 2), special.rel_entr(p[0], p[1]).sum())
    row("squareform", distance.squareform(distance.pdist(a)))
    points = np.stack([wave(300), 3 * wave(600)[300:], wave(900)[600:]], -1)
    there = np.stack([wave(40), wave(80)[40:], wave(120)[80:] * 2], -1)
    tree = spatial.KDTree(points)
    for p in (1, 2, 3, np.inf):
        row(f"KDTree query {p}", *tree.query(there, 4, p=p))
        lists = tree.query_ball_point(there, 0.7, p=p)
        row(f"KDTree ball {p}", [len(found) for found in lists], np.concatenate([np.sort(found) for found in lists]))
    row("KDTree one", *tree.query(there.reshape(4, 10, 3)))
    d, i = tree.query(there, 5, distance_upper_bound=0.5)
    row("KDTree bound", np.where(np.isinf(d), -1, d), i)
    row("KDTree pairs", sorted(tree.query_pairs(0.3)))


def rows_of_optimize():
    def valley(x):
        return 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2
    row("minimize", optimize.minimize(valley, [-1.2, 1.0], tol=1e-12, jac=optimize.rosen_der).x)
    row("minimize many", optimize.minimize(optimize.rosen, np.full(8, 1.3), jac=optimize.rosen_der, tol=1e-12).x)
    f = lambda x: (x - 2) * x * (x + 2) ** 2
    row("minimize_scalar", optimize.minimize_scalar(f).x, optimize.minimize_scalar(f, bounds=(-3, -1)).x)
    g = lambda x: math.cos(x) - x ** 3
    row("brentq", optimize.brentq(g, 0, 2), optimize.bisect(g, 0, 2), optimize.ridder(g, 0, 2), optimize.newton(g, 0.5),
        optimize.root_scalar(g, bracket=(0, 2)).iterations, optimize.root_scalar(g, bracket=(0, 2)).function_calls)
    system = lambda x: [x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1, 0.5 * (x[1] - x[0]) ** 3 + x[1]]
    row("root", optimize.root(system, [0, 0]).x)
    powell = lambda x: [1e4 * x[0] * x[1] - 1, math.exp(-x[0]) + math.exp(-x[1]) - 1.0001]
    row("root badly scaled", optimize.root(powell, [0, 1]).x)
    x = np.linspace(0, 4, 50)
    y = 2.5 * np.exp(-1.3 * x) + 0.5 + 0.05 * wave(50)
    model = lambda x, a, b, c: a * np.exp(-b * x) + c
    row("curve_fit", *optimize.curve_fit(model, x, y, xtol=1e-12, ftol=1e-12))
    sigma = 0.1 + 0.05 * np.abs(wave(50))
    row("curve_fit sigma", *optimize.curve_fit(model, x, y, sigma=sigma, absolute_sigma=True, xtol=1e-12, ftol=1e-12))
    row("curve_fit relative", *optimize.curve_fit(model, x, y, sigma=sigma, xtol=1e-12, ftol=1e-12))
    r = optimize.least_squares(lambda p: [10 * (p[1] - p[0] ** 2), 1 - p[0], 0.5 * p[1]], [-1.2, 1.0], xtol=1e-14, ftol=1e-14)
    row("least_squares", r.x, r.cost)


def main():
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    rows_of_interpolate()
    rows_of_stats()
    rows_of_spatial()
    rows_of_optimize()
    lines = []
    for name, numbers in ROWS.items():
        text = ", ".join("null" if math.isnan(x) else repr(float(f"{x:.13g}")) for x in numbers)
        lines.append(f"{json.dumps(name)}: [{text}]")
    target = pathlib.Path(__file__).with_name("scipy_modules.json")
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
