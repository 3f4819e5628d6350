"""How far the special functions are from the exact values, in units in the last place: `tests/bench/accuracy.py`.

    python3 -m pip install mpmath gmpy2
    JUPYTER_PATH=PREFIX/share/jupyter python3 tests/bench/accuracy.py [--only NAME]… [--points N] [--seed N] [--at-most N]

Each function of `gpu::special` gets random arguments. mpmath has the exact values of f64's results to 40 digits, SciPy's in f64 are exact enough
for f32's. Shown are the largest error, and that which 99 of 100 results are within, of ours and of SciPy in f64, and of ours in f32. Where a
function has zeros, a unit is that of its amplitude there: it is said. `--at-most N` fails if an error is larger in f64.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mpmath
import numpy as np
import scipy
from mpmath import mp

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "kernel/python"))

mp.dps = 40


def uniform(low: float, high: float):
    return lambda random, count: random.uniform(low, high, count)


def logarithmic(low: float, high: float):
    return lambda random, count: np.exp(random.uniform(math.log(low), math.log(high), count))


def signed(low: float, high: float):
    """Of both signs and of all sizes."""
    return lambda random, count: logarithmic(low, high)(random, count) * random.choice([-1.0, 1.0], count)


def whole(low: int, high: int):
    return lambda random, count: random.integers(low, high, count, endpoint=True).astype(float)


def both(one, other):
    def draw(random, count):
        return np.where(random.random(count) < 0.5, one(random, count), other(random, count))
    return draw


def inverse_erfc(y):
    # As many digits more as 1 - y has nines or zeros.
    with mp.workdps(60 + int(max(0, -mpmath.log10(y)))):
        return mp.erfinv(1 - mp.mpf(y))


def near_one(p):
    # 1 - p has the digits of p behind those of 1.
    with mp.workdps(90):
        return mp.ellipk(1 - mp.mpf(p))


def amplitude(exact, x):
    """That of Bessel functions, and 1 at most: where they are small, so are the errors that their arguments allow."""
    return max(abs(exact), min(mp.mpf(1), mp.sqrt(2 / (mp.pi * abs(x)))) if x else 1)


def one_at_least(exact, *_):
    return max(abs(exact), mp.mpf(1))


@dataclass
class Function:
    arguments: list
    exact: Callable
    #: The number whose last place is the unit, if it is not the result.
    size: Callable | None = None


F = Function
CHANCE = both(uniform(1e-6, 1), logarithmic(1e-30, 0.1))
FUNCTIONS = {
    "erf": F([signed(1e-8, 6)], mp.erf),
    "erfc": F([both(signed(1e-8, 6), uniform(0, 25))], mp.erfc),
    "erfcx": F([both(signed(1e-8, 20), logarithmic(1, 1e8))], lambda x: mp.exp(x * x) * mp.erfc(x)),
    "erfinv": F([both(uniform(-1, 1), signed(1e-8, 0.999999))], mp.erfinv),
    "erfcinv": F([CHANCE], inverse_erfc),
    "ndtr": F([uniform(-30, 8)], lambda x: mp.erfc(-x / mp.sqrt(2)) / 2),
    "ndtri": F([CHANCE], lambda p: -mp.sqrt(2) * inverse_erfc(2 * p), one_at_least),
    "log_ndtr": F([both(uniform(-30, 8), uniform(-1000, 0))], lambda x: mp.log(mp.erfc(-x / mp.sqrt(2)) / 2)),
    "gamma": F([both(uniform(1e-3, 20), uniform(20, 170))], mp.gamma),
    "rgamma": F([both(uniform(1e-3, 20), uniform(20, 170))], mp.rgamma),
    "gammaln": F([both(uniform(1e-3, 20), logarithmic(1, 1e10))], lambda x: mp.log(abs(mp.gamma(x))) if x < 1e4 else mp.loggamma(x), one_at_least),
    "digamma": F([both(uniform(1e-3, 20), logarithmic(1, 1e10))], mp.digamma, one_at_least),
    "polygamma": F([whole(1, 4), logarithmic(0.05, 1e3)], lambda n, x: mp.polygamma(int(n), x)),
    "zeta": F([uniform(1.05, 30), uniform(0.1, 20)], mp.zeta),
    "beta": F([logarithmic(0.1, 50), logarithmic(0.1, 50)], mp.beta),
    "betaln": F([logarithmic(0.1, 1e3), logarithmic(0.1, 1e3)], lambda a, b: mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b), one_at_least),
    "binom": F([uniform(1, 50), uniform(0.1, 50)], mp.binomial, one_at_least),
    "poch": F([uniform(0.1, 30), uniform(0.1, 30)], mp.rf),
    "gammainc": F([logarithmic(0.1, 100), logarithmic(0.1, 100)], lambda a, x: mp.gammainc(a, 0, x, regularized=True)),
    "gammaincc": F([logarithmic(0.1, 100), logarithmic(0.1, 100)], lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True)),
    "betainc": F([logarithmic(0.2, 50), logarithmic(0.2, 50), uniform(0, 1)], lambda a, b, x: mp.betainc(a, b, 0, x, regularized=True)),
    "j0": F([both(uniform(0, 30), logarithmic(1, 1e4))], lambda x: mp.besselj(0, x), amplitude),
    "j1": F([both(uniform(0, 30), logarithmic(1, 1e4))], lambda x: mp.besselj(1, x), amplitude),
    "y0": F([both(uniform(0.01, 30), logarithmic(1, 1e4))], lambda x: mp.bessely(0, x), amplitude),
    "y1": F([both(uniform(0.01, 30), logarithmic(1, 1e4))], lambda x: mp.bessely(1, x), amplitude),
    "i0": F([uniform(-80, 80)], lambda x: mp.besseli(0, x)),
    "i0e": F([both(uniform(-80, 80), logarithmic(1, 1e6))], lambda x: mp.besseli(0, x) * mp.exp(-abs(x))),
    "i1": F([uniform(-80, 80)], lambda x: mp.besseli(1, x)),
    "i1e": F([both(uniform(-80, 80), logarithmic(1, 1e6))], lambda x: mp.besseli(1, x) * mp.exp(-abs(x))),
    "k0": F([uniform(0.01, 80)], lambda x: mp.besselk(0, x)),
    "k0e": F([both(uniform(0.01, 80), logarithmic(1, 1e6))], lambda x: mp.besselk(0, x) * mp.exp(x)),
    "k1": F([uniform(0.01, 80)], lambda x: mp.besselk(1, x)),
    "k1e": F([both(uniform(0.01, 80), logarithmic(1, 1e6))], lambda x: mp.besselk(1, x) * mp.exp(x)),
    "ellipk": F([uniform(-10, 0.9999)], mp.ellipk),
    "ellipkm1": F([logarithmic(1e-30, 1)], near_one),
    "exp1": F([both(uniform(0.01, 20), logarithmic(1e-10, 600))], mp.e1),
    "expit": F([uniform(-40, 40)], lambda x: 1 / (1 + mp.exp(-x))),
    "logit": F([CHANCE], lambda p: mp.log(p) - mp.log1p(-p), one_at_least),
    "log_expit": F([uniform(-40, 40)], lambda x: -mp.log1p(mp.exp(-x))),
    "exprel": F([signed(1e-10, 40)], lambda x: mp.expm1(x) / x),
    "exp10": F([uniform(-300, 300)], lambda x: mp.mpf(10) ** x),
    "cosm1": F([signed(1e-8, 10)], lambda x: -2 * mp.sin(x / 2) ** 2),
    "sindg": F([uniform(-720, 720)], lambda x: mp.sin(x * mp.pi / 180), one_at_least),
    "cosdg": F([uniform(-720, 720)], lambda x: mp.cos(x * mp.pi / 180), one_at_least),
    "entr": F([logarithmic(1e-20, 1e5)], lambda x: -x * mp.log(x)),
    "xlogy": F([logarithmic(1e-5, 1e5), logarithmic(1e-20, 1e20)], lambda x, y: x * mp.log(y)),
    "xlog1py": F([logarithmic(1e-5, 1e5), logarithmic(1e-20, 1e20)], lambda x, y: x * mp.log1p(y)),
    "rel_entr": F([logarithmic(1e-5, 1e5), logarithmic(1e-5, 1e5)], lambda x, y: x * mp.log(x / y), lambda exact, x, y: max(abs(exact), x)),
    "boxcox": F([logarithmic(1e-3, 1e3), signed(1e-3, 3)], lambda x, p: mp.expm1(p * mp.log(x)) / p),
    "boxcox1p": F([logarithmic(1e-6, 1e3), signed(1e-3, 3)], lambda x, p: mp.expm1(p * mp.log1p(x)) / p),
    "chdtr": F([uniform(0.5, 100), uniform(0.1, 200)], lambda v, x: mp.gammainc(v / 2, 0, x / 2, regularized=True)),
    "pdtr": F([whole(0, 50), uniform(0.1, 80)], lambda k, m: mp.gammainc(k + 1, m, mp.inf, regularized=True)),
    "bdtr": F([whole(0, 20), whole(21, 60), uniform(0.01, 0.99)], lambda k, n, p: mp.betainc(n - k, k + 1, 0, 1 - p, regularized=True)),
    "stdtr": F([uniform(1, 50), uniform(-8, 8)], lambda n, t: students(n, t)),
}


def students(n, t):
    tail = mp.betainc(n / 2, mp.mpf(1) / 2, 0, n / (n + t * t), regularized=True) / 2
    return tail if t < 0 else 1 - tail


def exact_values(task):
    """The exact values, and the unit in the last place for each, as pairs of floats: high and low part."""
    name, rows = task
    function = FUNCTIONS[name]
    found = []
    for row in rows:
        numbers = [mp.mpf(float(number)) for number in row]
        value = function.exact(*numbers)
        value = value.real if isinstance(value, mp.mpc) else value
        high = float(value)
        size = float(function.size(value, *numbers)) if function.size else abs(high)
        found.append((high, float(value - high), size))
    return found


def scipys(name: str) -> Callable:
    """SciPy's function; whole numbers are integers for it."""
    function = getattr(scipy.special, name)
    return (lambda k, n, p: function(k, n.astype(int), p)) if name == "bdtr" else function


def errors(found, high, low, size, dtype) -> np.ndarray:
    info = np.finfo(dtype)
    with np.errstate(all="ignore"):
        unit = np.maximum(np.spacing(size.astype(dtype)).astype(float), float(info.smallest_subnormal))
        away = np.abs((found.astype(float) - high) - low) / unit
    return np.where(np.isfinite(high) & (np.abs(high) < float(info.max)), away, 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=20261129)
    parser.add_argument("--at-most", type=float)
    options = parser.parse_args()
    import warpcell

    print(f"seed {options.seed}, {options.points} points, mpmath {mpmath.__version__}, SciPy {scipy.__version__}\n")
    print("| function | f64, largest | 99 % | SciPy, largest | 99 % | f32, largest | 99 % | unit of |\n|---|---|---|---|---|---|---|---|")
    beyond = []
    with multiprocessing.Pool() as pool:
        for name in options.only or FUNCTIONS:
            function = FUNCTIONS[name]
            random = np.random.default_rng([options.seed, *name.encode()])
            points = [draw(random, options.points) for draw in function.arguments]
            rows = list(zip(*points, strict=True))
            tasks = [(name, rows[at : at + 100]) for at in range(0, len(rows), 100)]
            high, low, size = (np.array(column) for column in zip(*(row for part in pool.map(exact_values, tasks) for row in part), strict=True))
            kept = "xyz"[: len(points)]
            peer = scipys(name)
            columns = []
            for dtype, rust in ((np.float64, "f64"), (np.float32, "f32")):
                given = ", ".join(f"{letter}: &DeviceArray<{rust}>" for letter in kept)
                ours = warpcell.function(f"fn f({given}) -> DeviceArray<{rust}> {{ gpu::special::{name}({', '.join(kept)}) }}")
                arrays = [point.astype(dtype) for point in points]
                if dtype is np.float64:
                    columns.append(errors(ours(*arrays), high, low, size, dtype))
                    columns.append(errors(peer(*arrays), high, low, size, dtype))
                    continue
                with np.errstate(all="ignore"):
                    double = peer(*(array.astype(float) for array in arrays))
                of = np.where(size == np.abs(high), np.abs(double), np.maximum(size, np.abs(double)))
                columns.append(errors(ours(*arrays), double, 0.0, of, dtype))
            unit = "the result" if function.size is None else {amplitude: "the amplitude", one_at_least: "1 at least"}.get(function.size, "the first argument at least")
            cells = [f"{number:.1f}" for column in columns for number in (column.max(), np.quantile(column, 0.99))]
            print(f"| `{name}` | {' | '.join(cells)} | {unit} |", flush=True)
            worst = int(np.argmax(columns[0]))
            if options.at_most is not None and columns[0].max() > options.at_most:
                beyond.append(f"{name}({', '.join(repr(float(point[worst])) for point in points)}): {columns[0].max():.1f}")
    if beyond:
        sys.exit("beyond the limit: " + "; ".join(beyond))


if __name__ == "__main__":
    main()
