"""The CPU backend's convolve2d against SciPy's, on this machine in one run: `tests/bench/convolve2d_cpu.py`.

2048x2048 by 15x15, full mode, zeros outside, f32 and f64. Ours is timed by `prelude/examples/convolve2d_cpu.rs`, which
prints one line `TYPE MEDIAN_MICROSECONDS CHECKSUM` per element type. `--at-least N` fails below a ratio of N.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy
from scipy.signal import convolve2d

ROOT = Path(__file__).resolve().parents[2]


def inputs(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """The image and the kernel of lesson 1."""
    unit = np.zeros((16, 16), dtype)
    unit[8, 8] = 1
    x, y = np.meshgrid(np.linspace(-2, 2, 15), np.linspace(-2, 2, 15))
    return np.tile(unit, (128, 128)), np.exp(-(x * x + y * y) / 2).astype(dtype)


def scipys(dtype: str, runs: int) -> tuple[float, float]:
    """Median time in microseconds, and the sum of the result."""
    image, kernel = inputs(dtype)
    result = convolve2d(image, kernel)
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        convolve2d(image, kernel)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6, float(result.sum(dtype="f8"))


def ours(program: list[str]) -> dict[str, tuple[float, float]]:
    """Median times and sums by element type, as our program prints them."""
    text = subprocess.check_output(program, text=True, cwd=ROOT, env={**os.environ, "WARPCELL_DEVICE": "cpu"})
    rows = [line.split() for line in text.splitlines() if line.startswith(("f32 ", "f64 "))]
    return {row[0]: (float(row[1]), float(row[2])) for row in rows}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-least", type=float, default=0, help="smallest ratio that passes")
    parser.add_argument("--runs", type=int, default=5, help="runs of SciPy (default: %(default)s)")
    parser.add_argument("program", nargs="*", help="our program, if not the example as cargo runs it")
    arguments = parser.parse_args()
    program = arguments.program or [
        "cargo", "--config", "prelude/dylib.toml", "run", "--release", "--locked", "--quiet", "-p", "warpcell",
        "--example", "convolve2d_cpu",
    ]  # fmt: skip

    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}, SciPy {scipy.__version__}")
    measured = ours(program)
    status = 0
    print("type   SciPy, ms    ours, ms   ratio")
    for dtype in ("f32", "f64"):
        theirs, their_sum = scipys({"f32": "f4", "f64": "f8"}[dtype], arguments.runs)
        mine, my_sum = measured[dtype]
        ratio = theirs / mine
        print(f"{dtype}  {theirs / 1e3:10.1f}  {mine / 1e3:10.2f}  {ratio:6.1f}")
        if not np.isclose(their_sum, my_sum, rtol=1e-5):
            print(f"{dtype}: the results differ: their sum is {their_sum}, ours {my_sum}")
            status = 1
        if ratio < arguments.at_least:
            print(f"{dtype}: below {arguments.at_least:g} times")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
