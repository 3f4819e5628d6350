"""The CPU backend's convolve2d against SciPy's, on this machine in one run: `tests/bench/convolve2d_cpu.py`.

2048x2048 by 15x15, full mode, zeros outside, f32 and f64, random data. Ours is timed by the example
`prelude/examples/convolve2d_cpu.rs`, which prints one line `TYPE host MILLISECONDS ms, cpu MILLISECONDS ms` per element
type: host arrays, and arrays on the CPU backend. `--at-least N` fails below a ratio of N.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy
from scipy.signal import convolve2d

ROOT = Path(__file__).resolve().parents[2]


def scipys(dtype: str, runs: int) -> float:
    """Median time in milliseconds."""
    numbers = np.random.default_rng(1)
    image, kernel = numbers.random((2048, 2048)).astype(dtype), numbers.random((15, 15)).astype(dtype)
    convolve2d(image, kernel)
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        convolve2d(image, kernel)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def ours(program: list[str]) -> dict[str, tuple[float, float]]:
    """Median times of host and device arrays in milliseconds by element type, as our program prints them."""
    text = subprocess.check_output(program, text=True, cwd=ROOT, env={**os.environ, "WARPCELL_DEVICE": "cpu", "RUSTC_BOOTSTRAP": "1"})
    rows = re.findall(r"^(f\d+) host ([\d.]+) ms, cpu ([\d.]+) ms$", text, re.MULTILINE)
    return {dtype: (float(host), float(device)) for dtype, host, device in rows}


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
    print("type   SciPy, ms    host, ms     cpu, ms   ratio")
    for dtype in ("f32", "f64"):
        theirs = scipys({"f32": "f4", "f64": "f8"}[dtype], arguments.runs)
        host, device = measured[dtype]
        ratio = theirs / max(host, device)
        print(f"{dtype}  {theirs:10.1f}  {host:10.2f}  {device:10.2f}  {ratio:6.1f}")
        if ratio < arguments.at_least:
            print(f"{dtype}: below {arguments.at_least:g} times")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
