"""What the benchmarks against NumPy share: running our side, which is an example of the prelude, and timing NumPy's.

It does not import NumPy: a benchmark may first say how many threads NumPy's libraries take.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def output_of(example: str, program: list[str], arguments: list[str]) -> str:
    """What our side prints on the CPU: the program, or if there is none the example as cargo runs it."""
    program = program or [
        "cargo", "--config", "prelude/dylib.toml", "run", "--release", "--locked", "--quiet", "-p", "warpcell",
        "--example", example, "--",
    ]  # fmt: skip
    environment = {**os.environ, "WARPCELL_DEVICE": "cpu", "RUSTC_BOOTSTRAP": "1"}
    return subprocess.check_output([*program, *arguments], text=True, cwd=ROOT, env=environment)


def median(work: Callable[[], object], runs: int) -> float:
    """In milliseconds, after one run more."""
    work()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3
