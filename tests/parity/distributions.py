#!/usr/bin/env python3
"""Writes distributions.json: for distributions of gpu::random the edges of bins, and SciPy's probabilities of the bins.

A bin is what is greater than one edge and at most the next. `limit` is what a chi-square statistic of a right sample exceeds
once in 1e8 times. prelude/tests/integration/distributions.rs has the samples, under the same names.
"""

import json
import pathlib

import numpy as np
from scipy import stats

BINS = 40

CONTINUOUS = {
    "standard_exponential": stats.expon(),
    "standard_cauchy": stats.cauchy(),
    "laplace(1, 2)": stats.laplace(1, 2),
    "logistic(1, 0.5)": stats.logistic(1, 0.5),
    "gumbel(-1, 2)": stats.gumbel_r(-1, 2),
    "lognormal(0.25, 0.5)": stats.lognorm(0.5, scale=np.exp(0.25)),
    "pareto(3)": stats.lomax(3),
    "pareto(0.25)": stats.lomax(0.25),
    "power(2.5)": stats.powerlaw(2.5),
    "power(0.25)": stats.powerlaw(0.25),
    "rayleigh(2)": stats.rayleigh(scale=2),
    "triangular(0, 1, 5)": stats.triang(0.2, 0, 5),
    "triangular(-1, -1, 1)": stats.triang(0, -1, 2),
    "triangular(-1, 1, 1)": stats.triang(1, -1, 2),
    "weibull(1.5)": stats.weibull_min(1.5),
    "weibull(0.25)": stats.weibull_min(0.25),
    "wald(3, 2)": stats.invgauss(1.5, scale=2),
    "wald(100, 0.5)": stats.invgauss(200, scale=0.5),
    "vonmises(0, 0)": stats.uniform(-np.pi, 2 * np.pi),
    "vonmises(0, 0.5)": stats.vonmises(0.5),
    "vonmises(0, 4)": stats.vonmises(4),
    "vonmises(0, 200)": stats.vonmises(200),
    "gamma(0.0625, 2)": stats.gamma(0.0625, scale=2),
    "gamma(0.75, 1)": stats.gamma(0.75),
    "gamma(1, 3)": stats.gamma(1, scale=3),
    "gamma(2.5, 0.5)": stats.gamma(2.5, scale=0.5),
    "gamma(1000, 1)": stats.gamma(1000),
    "standard_gamma(0.5)": stats.gamma(0.5),
    "chisquare(3)": stats.chi2(3),
    "chisquare(0.5)": stats.chi2(0.5),
    "noncentral_chisquare(3, 2)": stats.ncx2(3, 2),
    "noncentral_chisquare(0.5, 4)": stats.ncx2(0.5, 4),
    "noncentral_chisquare(1, 50)": stats.ncx2(1, 50),
    "f(5, 20)": stats.f(5, 20),
    "f(0.5, 0.75)": stats.f(0.5, 0.75),
    "noncentral_f(5, 20, 3)": stats.ncf(5, 20, 3),
    "beta(2, 6)": stats.beta(2, 6),
    "beta(0.25, 0.5)": stats.beta(0.25, 0.5),
    "beta(100, 0.5)": stats.beta(100, 0.5),
    "standard_t(1)": stats.t(1),
    "standard_t(3.5)": stats.t(3.5),
    "standard_t(100)": stats.t(100),
}

DISCRETE = {
    "poisson(0.5)": stats.poisson(0.5),
    "poisson(9.5)": stats.poisson(9.5),
    "poisson(10)": stats.poisson(10),
    "poisson(30)": stats.poisson(30),
    "poisson(1e6)": stats.poisson(1e6),
    "poisson(1e9)": stats.poisson(1e9),
    "binomial(10, 0.5)": stats.binom(10, 0.5),
    "binomial(25, 0.4)": stats.binom(25, 0.4),
    "binomial(100, 0.0625)": stats.binom(100, 0.0625),
    "binomial(100, 0.9375)": stats.binom(100, 0.9375),
    "binomial(1000, 0.375)": stats.binom(1000, 0.375),
    "binomial(1000, 0.75)": stats.binom(1000, 0.75),
    "binomial(1e9, 0.3)": stats.binom(10**9, 0.3),
    "negative_binomial(3, 0.25)": stats.nbinom(3, 0.25),
    "negative_binomial(0.5, 0.015625)": stats.nbinom(0.5, 0.015625),
    "negative_binomial(50, 0.5)": stats.nbinom(50, 0.5),
    "geometric(0.25)": stats.geom(0.25),
    "geometric(0.001)": stats.geom(0.001),
    "logseries(0.5)": stats.logser(0.5),
    "logseries(0.99)": stats.logser(0.99),
    "zipf(1.25)": stats.zipf(1.25),
    "zipf(2)": stats.zipf(2),
    "zipf(4)": stats.zipf(4),
    "hypergeometric(20, 30, 10)": stats.hypergeom(50, 20, 10),
    "hypergeometric(20, 30, 45)": stats.hypergeom(50, 20, 45),
    "hypergeometric(30, 20, 22)": stats.hypergeom(50, 30, 22),
    "hypergeometric(500, 200, 300)": stats.hypergeom(700, 500, 300),
    "hypergeometric(200, 500, 600)": stats.hypergeom(700, 200, 600),
    "hypergeometric(3000, 100, 1500)": stats.hypergeom(3100, 3000, 1500),
    "hypergeometric(1000000, 2000000, 50000)": stats.hypergeom(3000000, 1000000, 50000),
}


def discrete_edges(name, distribution):
    """Integers that make bins of about equal probability, as far as there are any."""
    if name.startswith("zipf"):
        # SciPy's quantiles of such long tails take for ever.
        edges = sorted({int(edge) for edge in np.geomspace(1, 1e6, BINS)})
        functions = np.cumsum(distribution.pmf(np.arange(1, edges[-1] + 1)))
        pairs = [(edge, functions[edge - 1]) for edge in edges]
    else:
        edges = sorted({int(distribution.ppf(k / BINS)) for k in range(1, BINS)})
        pairs = [(edge, distribution.cdf(edge)) for edge in edges]
    kept, last = [], 0.0
    for edge, function in pairs:
        if function - last >= 0.001 and 1 - function >= 0.001:
            kept.append((edge, function))
            last = function
    return [edge for edge, _ in kept], [function for _, function in kept]


def row(edges, functions):
    probabilities = np.diff([0.0, *functions, 1.0])
    assert (probabilities > 0).all(), edges
    limit = stats.chi2.isf(1e-8, len(edges))
    return {"edges": [float(e) for e in edges], "probabilities": probabilities.tolist(), "limit": float(limit)}


def main():
    rows = {}
    for name, distribution in CONTINUOUS.items():
        edges = distribution.ppf(np.arange(1, BINS) / BINS)
        assert np.isfinite(edges).all() and (np.diff(edges) > 0).all(), name
        rows[name] = row(edges, distribution.cdf(edges))
    for name, distribution in DISCRETE.items():
        rows[name] = row(*discrete_edges(name, distribution))
    lines = [f"{json.dumps(name)}: {json.dumps(found)}" for name, found in rows.items()]
    path = pathlib.Path(__file__).with_name("distributions.json")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
