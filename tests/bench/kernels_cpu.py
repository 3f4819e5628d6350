"""Rust functions over arrays on the CPU against Numba's `@vectorize`, on this machine in one run: `tests/bench/kernels_cpu.py`.

Ours are the functions of `prelude/examples/kernels.rs`, Numba's the same with `target="cpu"` on one core, and with
`target="parallel"` on all. 5e6 random elements; `check_prime` takes the numbers below 1e5. Both are timed with one thread, then with
as many as there are cores. A ratio is Numba's time over ours: above 1 ours is faster. `--at-least N` fails if one is below N.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import sys

import numba
import numpy as np
from numba import njit, vectorize
from numpy_peer import median, output_of

ROOT_2PI = np.float32(math.sqrt(2 * math.pi))


@njit
def polar_to_cartesian(rho, theta):
    return rho * math.cos(theta), rho * math.sin(theta)


def functions(target: str) -> dict[str, object]:
    """By our names."""

    @vectorize(["float32(float32, float32)"], target=target)
    def squared_diff(x, y):
        return (x - y) * (x - y)

    @vectorize(["float32(float32, float32, float32)"], target=target)
    def gaussian_pdf(x, mean, sigma):
        return math.exp(-np.float32(0.5) * ((x - mean) / sigma) ** 2) / (sigma * ROOT_2PI)

    @vectorize(["float32(float32, float32, float32, float32)"], target=target)
    def polar_distance(rho1, theta1, rho2, theta2):
        x1, y1 = polar_to_cartesian(rho1, theta1)
        x2, y2 = polar_to_cartesian(rho2, theta2)
        return math.sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2)

    @vectorize(["int32(int32)"], target=target)
    def check_prime(number):
        if number < 2:
            return 0
        for j in range(2, number // 2 + 1):
            if number % j == 0:
                return 0
        return number

    return {
        "squared_diff f32": squared_diff,
        "gaussian_pdf f32": gaussian_pdf,
        "polar_distance f32": polar_distance,
        "check_prime i32": check_prime,
    }


def arguments_of(size: int, count: int) -> dict[str, tuple[object, ...]]:
    rng = np.random.default_rng(1)

    def uniform(low: float, high: float) -> np.ndarray:
        return (low + (high - low) * rng.random(size)).astype(np.float32)

    return {
        "squared_diff f32": (uniform(0, 1), uniform(0, 1)),
        "gaussian_pdf f32": (uniform(-3, 3), np.float32(0), np.float32(1)),
        "polar_distance f32": (uniform(0.5, 1.5), uniform(-math.pi, math.pi), uniform(0.5, 1.5), uniform(-math.pi, math.pi)),
        "check_prime i32": (np.arange(count, dtype=np.int32),),
    }


def ours(program: list[str], size: int, count: int, threads: int) -> dict[str, float]:
    """In milliseconds."""
    os.environ["RAYON_NUM_THREADS"] = str(threads)
    text = output_of("kernels", program, ["times", str(size), str(count)])
    rows = [json.loads(line) for line in text.splitlines() if line.startswith('{"name"')]
    return {row["name"]: row["host_us"] / 1e3 for row in rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-least", type=float, default=0, help="smallest ratio that passes")
    parser.add_argument("--size", type=int, default=5_000_000, help="elements (default: %(default)s)")
    parser.add_argument("--numbers", type=int, default=100_000, help="numbers tested for being prime (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=7, help="runs of Numba (default: %(default)s)")
    parser.add_argument("program", nargs="*", help="our program, if not the example as cargo runs it")
    options = parser.parse_args()
    cores = os.cpu_count() or 1
    print(f"{platform.platform()}, {cores} cores, Python {platform.python_version()}, Numba {numba.__version__}")
    given, status = arguments_of(options.size, options.numbers), 0
    print(f"{'function':22}{'threads':>8}{'Numba, ms':>12}{'cpu, ms':>12}{'ratio':>8}")
    for threads in dict.fromkeys([1, cores]):
        mine = ours(options.program, options.size, options.numbers, threads)
        for name, function in functions("cpu" if threads == 1 else "parallel").items():
            # Both make a new array for the result.
            theirs = median(lambda: function(*given[name]), options.runs)  # noqa: B023
            ratio = theirs / mine[name]
            print(f"{name:22}{threads:8}{theirs:12.2f}{mine[name]:12.2f}{ratio:8.2f}", flush=True)
            if ratio < options.at_least:
                print(f"{name} with {threads} threads: below {options.at_least:g} times")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
