"""Writes special.json: arguments of SciPy's special functions, and the results. Run it with SciPy 1.17."""

import json
import pathlib
import warnings

import numpy as np
from scipy import special

# By what the arguments are. The numbers are ones of `f32` too.
WIDE = [-1e3, -30.5, -5.0, -2.5, -1.0, -0.75, -0.125, -1e-6, 0.0, 1e-6, 0.125, 0.75, 1.0, 1.5, 2.0, 3.25, 7.75, 12.5, 30.0, 80.0, 500.0]
POSITIVE = [0.0, 1e-6, 0.015625, 0.25, 0.75, 1.0, 1.46875, 2.0, 2.5, 5.5, 8.0, 9.75, 20.0, 45.5, 150.0, 800.0, 1e5]
SHARES = [0.0, 1e-12, 1e-3, 0.125, 0.25, 0.3125, 0.5, 0.625, 0.75, 0.9375, 1.0]
SIGNED_SHARES = [-1.0, -0.9375, -0.5, -1e-3, 0.0, 1e-3, 0.25, 0.625, 0.75, 0.984375, 1.0]
SHAPES = [0.0625, 0.5, 1.0, 2.5, 10.0, 40.0, 150.0]
COUNTS = [0.0, 1.0, 2.0, 7.0, 25.0]
SMALL = [-3.0, -1.0, -0.25, 0.0, 0.5, 2.0, 5.0]
ANGLES = [-720.0, -405.0, -90.0, -30.0, 0.0, 1.5, 45.0, 60.0, 90.0, 120.0, 180.0, 210.0, 270.0, 1000.25]
ENDS = [np.nan, np.inf, -np.inf]

ONE = {
    "erf erfc erfcx ndtr log_ndtr gamma gammaln loggamma rgamma digamma psi i0 i0e i1 i1e k0 k0e k1 k1e": WIDE + POSITIVE + ENDS,
    # Without infinity: SciPy has NaN there, and not the limit, which is 0.
    "j0 j1 y0 y1": WIDE + POSITIVE + ENDS[:1],
    "exp1 entr ellipkm1": POSITIVE + ENDS,
    "expit log_expit exp10 exprel cosm1 gammasgn": WIDE,
    "riemann_zeta": [-30.5, -4.0, -2.5, -0.5, 0.0, 0.25, 0.75, 1.0, 1.0625, 2.0, 7.5, 60.0, np.inf],
    "erfinv": SIGNED_SHARES + [1.5],
    "erfcinv": [2 * share for share in SHARES] + [-0.5, 2.5],
    "ndtri logit": SHARES + [-0.5, 1.5],
    "ellipk": SHARES + [-3.0, -100.0, 1.5],
    "sindg cosdg tandg cotdg": ANGLES,
}
TWO = {
    "polygamma": (COUNTS[:4], POSITIVE[1:13]),
    "zeta": ([1.0, 1.5, 2.0, 8.0, 30.0], [0.25, 1.0, 3.5, 20.0, 1000.0]),
    "beta betaln": (SHAPES, SHAPES + [800.0]),
    "binom": ([0.5, 4.0, 7.5, 30.0, 200.0], [-1.5, 0.0, 1.0, 2.5, 15.0, 25.0]),
    "poch": ([0.5, 2.0, 10.5, 80.0], [-0.25, 0.0, 0.5, 3.0, 7.25]),
    "gammainc gammaincc": (SHAPES, [0.0, 1e-3, 0.5, 1.25, 8.0, 41.0, 160.0, np.inf]),
    "chdtr chdtrc": ([1.0, 3.0, 50.0], [0.0, 0.5, 4.0, 60.0]),
    "pdtr pdtrc": (COUNTS, [0.0, 0.5, 4.0, 30.0]),
    "stdtr": ([0.5, 1.0, 4.0, 60.0], [-30.0, -2.5, -0.125, 0.0, 0.5, 3.0]),
    "xlogy": ([-1.5, 0.0, 2.0], [0.0, 0.25, 3.0, np.nan]),
    "xlog1py": ([-1.5, 0.0, 2.0], [-1.0, 1e-6, 3.0, np.nan]),
    "rel_entr kl_div": ([-1.0, 0.0, 0.5, 3.0], [-1.0, 0.0, 0.25, 2.0]),
    "huber pseudo_huber": ([-1.0, 0.0, 0.5, 2.0], SMALL),
    "boxcox": ([0.0, 0.25, 1.0, 30.0], [-1.5, 0.0, 0.5, 2.0]),
    "boxcox1p": ([-0.5, 0.0, 1e-6, 3.0], [-1.5, 0.0, 0.5, 2.0]),
    "inv_boxcox inv_boxcox1p": ([-0.25, 0.0, 0.5, 3.0], [0.0, 0.5, 2.0]),
}
THREE = {
    "betainc betaincc": (SHAPES, SHAPES, [0.0, 1e-3, 0.25, 0.5, 0.875, 1.0]),
    "bdtr bdtrc": ([0.0, 1.0, 4.0, 9.0], [9.0, 30.0], [0.0, 0.125, 0.5, 1.0]),
    "fdtr fdtrc": ([1.0, 4.0, 30.0], [2.0, 15.0], [0.0, 0.5, 3.0]),
    "gdtr gdtrc": ([0.5, 2.0], [0.75, 4.0, 30.0], [0.0, 0.5, 7.0]),
    "radian": ([0.0, 90.0], [30.0], [0.0, 15.0]),
}
# What SciPy calls by the same name with other arguments.
OTHER = {"riemann_zeta": "zeta"}


def written(number):
    """The number for JSON, which has no infinities and no NaN."""
    number = float(number)
    return number if np.isfinite(number) else str(number).replace("nan", "NaN")


def main():
    warnings.simplefilter("ignore")
    table = {}
    groups = [(names, (values,)) for names, values in ONE.items()] + list(TWO.items()) + list(THREE.items())
    for names, axes in groups:
        # Those of `f32`, so that the results are the same for both types.
        axes = [np.asarray(values, dtype=np.float32).astype(float) for values in axes]
        columns = [column.ravel() for column in np.meshgrid(*axes, indexing="ij")]
        for name in names.split():
            with np.errstate(all="ignore"):
                results = getattr(special, OTHER.get(name, name))(*columns)
            table[name] = [[written(x) for x in column] for column in [*columns, results]]
    lines = [f"{json.dumps(name)}: {json.dumps(columns)}" for name, columns in sorted(table.items())]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (pathlib.Path(__file__).parent / "special.json").write_text(text)


if __name__ == "__main__":
    main()
