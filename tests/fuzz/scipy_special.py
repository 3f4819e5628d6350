"""SciPy's `special`: functions of each element, and of all along axes."""

from __future__ import annotations

import numpy as np

from .arrays import Source
from .calls import FLOATS, Call, axis_of, epsilon, functions, shapes


def finite(s: Source) -> float:
    """Any number of usual size, with zeros, integers and halves."""
    return s.choice([
        s.choice([0.0, -0.0]), float(s.integer(-12, 12)), s.integer(-25, 25) / 2, s.choice([-1, 1]) * 10.0 ** s.integer(-20, -1),
        s.choice([-1, 1]) * 10.0 ** s.random.uniform(0, 2.5), s.random.gauss(0, 3), s.random.gauss(0, 3),
    ])


def wide(s: Source) -> float:
    return s.choice([np.nan, np.inf, -np.inf]) if s.chance(0.1) else finite(s)


def positive(s: Source) -> float:
    return s.choice([float(s.integer(1, 20)), s.integer(1, 40) / 2, 10.0 ** s.random.uniform(-6, 2.3), s.random.uniform(0.01, 5)])


def from_zero(s: Source) -> float:
    return s.choice([0.0, np.inf, np.nan]) if s.chance(0.1) else positive(s)


def share(s: Source) -> float:
    if s.chance(0.08):
        return s.choice([np.nan, -0.5, 1.5])
    return s.choice([0.0, 1.0, 0.5, s.random.uniform(0, 1), s.random.uniform(0, 1), 10.0 ** s.random.uniform(-12, -1), 1 - 2.0 ** -s.integer(1, 20)])


def signed_share(s: Source) -> float:
    return s.choice([-1, 1]) * share(s)


def count(s: Source) -> float:
    return float(s.integer(0, 12))


def degrees(s: Source) -> float:
    return s.choice([float(15 * s.integer(-48, 48)), s.random.uniform(-1000, 1000), s.integer(-4000, 4000) / 8])


def unit_like(s: Source) -> float:
    return s.random.uniform(-3, 3)


# The names, what the arguments are, and how many units in the last place of f64 the functions may differ by. Both sides have errors.
ONE = {
    "erf": (wide, 64), "erfc erfcx ndtr": (wide, 2048), "expit log_expit": (wide, 16), "log_ndtr": (wide, 2048),
    "gamma gammaln rgamma": (wide, 2048), "loggamma": (from_zero, 1024), "gammasgn": (finite, 1),
    "digamma psi": (wide, 4096), "i0e i1e k0e k1e": (wide, 64), "i0 i1 k0 k1": (wide, 1024),
    # Without infinity: SciPy has NaN there, and not the limit, which is 0.
    "j0 j1": (finite, 2**13), "y0 y1": (positive, 2**13),
    "exp1": (from_zero, 128), "entr": (from_zero, 16), "ellipkm1": (from_zero, 64), "exp10 exprel": (wide, 512), "cosm1": (finite, 2**13),
    "erfinv": (signed_share, 256), "erfcinv": (lambda s: 2 * share(s), 1024), "ndtri": (share, 1024), "logit": (share, 64),
    "ellipk": (lambda s: s.choice([share(s), finite(s)]), 64), "sindg cosdg tandg cotdg": (degrees, 2**14),
}
TWO = {
    "polygamma": (count, positive, 2**16), "zeta": (lambda s: s.choice([1.0, 1 + positive(s)]), positive, 2**12),
    "beta betaln": (positive, positive, 2**14), "binom": (positive, lambda s: s.choice([count(s), positive(s)]), 2**16),
    "poch": (positive, lambda s: s.choice([count(s), positive(s) / 10]), 2**16),
    "gammainc gammaincc": (positive, from_zero, 2**14), "chdtr chdtrc": (positive, from_zero, 2**14), "pdtr pdtrc": (count, positive, 2**14),
    "stdtr": (positive, finite, 2**20), "xlogy": (wide, from_zero, 64), "xlog1py": (wide, lambda s: s.choice([-1.0, positive(s)]), 64),
    "rel_entr kl_div": (wide, wide, 64), "huber pseudo_huber": (wide, wide, 64), "boxcox": (from_zero, unit_like, 2**12),
    "boxcox1p": (from_zero, unit_like, 2**12), "inv_boxcox inv_boxcox1p": (unit_like, unit_like, 2**12),
}
THREE = {
    "betainc betaincc": (positive, positive, share, 2**16), "bdtr bdtrc": (count, lambda s: 12.0 + count(s), share, 2**16),
    "fdtr fdtrc": (positive, positive, from_zero, 2**16), "gdtr gdtrc": (positive, positive, from_zero, 2**16), "radian": (degrees, degrees, degrees, 64),
}


def tolerance(dtype: str, units: float) -> dict:
    """Units of f64, and the rounding to the type."""
    tiny = float(np.finfo(dtype).smallest_subnormal)
    relative = units * epsilon("float64") + (0 if dtype == "float64" else epsilon(dtype))
    return {"relative": relative, "absolute": relative * 1e-3 if units > 2**12 else 4 * tiny}


def elementwise(names: str, kinds, units: float) -> None:
    @functions(*(f"special.{name}" for name in names.split()), dtypes=FLOATS)
    def _(s, dtype, name):
        arrays = [s.array(dtype, shape, kind) for kind, shape in zip(kinds, shapes(s, len(kinds)), strict=True)]
        # Ours of f32 are computed in f64 and rounded once.
        values = ", ".join(f"a{at}.astype('float64')" for at in range(len(arrays)))
        return Call(f"np.asarray(sp.{name}({values})).astype('{dtype}')", arrays, {}, {"any_zero": True, **tolerance(dtype, units)})


for table in (ONE, TWO, THREE):
    for words, (*kinds, units) in table.items():
        elementwise(words, kinds, units)


@functions("special.softmax", "special.log_softmax", "special.logsumexp", dtypes=FLOATS)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1), s.choice(["exact", "plain", "special"]))
    given = {"axis": axis_of(s, a)} if s.chance(0.8) else {}
    text = f"sp.{name}(a0, axis={given.get('axis')})"
    notes = {"relative": 64 * epsilon(dtype), "absolute": 64 * epsilon(dtype)}
    if a.view.size == 0:
        notes["differs" if name != "special.logsumexp" else "accepted"] = "of no elements"
        notes |= {"accepted": "of no elements", "refused": "of no elements"}
    return Call(text, [a], given, notes)
