"""The CPU backend's array operations against NumPy's, on this machine in one run: `tests/bench/arrays_cpu.py`.

10,000,000 random elements, one row an operation and element type, NumPy's time over ours. Ours are timed by the example
`prelude/examples/arrays_cpu.rs`, which prints one line `NAME TYPE DEVICE MILLISECONDS ms` each; what NumPy does for the same
name is in the table `THEIRS`. `--at-least N` fails if a ratio is below N; `--only NAME` leaves out the others.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy_peer import median, output_of

FILE = Path(tempfile.gettempdir(), f"numpy-arrays-{os.getpid()}.npy")
TYPES = {"f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64"}

# By name: NumPy's function of two arrays of 10,000,000 elements (floats from 0 to below 1, i32 over most of its range, i64 from 0
# to 999) and of the first one sorted.
THEIRS: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], object]] = {
    "sum": lambda a, b, s: a.sum(),
    "add": lambda a, b, s: a + b,
    "exp": lambda a, b, s: np.exp(a),
    "sort": lambda a, b, s: np.sort(a),
    "argsort": lambda a, b, s: np.argsort(a, stable=True),
    "histogram": lambda a, b, s: np.histogram(a, 100, (0, 1)),
    "bincount": lambda a, b, s: np.bincount(a),
    "unique": lambda a, b, s: np.unique(a),
    "searchsorted": lambda a, b, s: np.searchsorted(s, b),
    "uniform": lambda a, b, s: np.random.default_rng(1).random(a.size, a.dtype),
    "normal": lambda a, b, s: np.random.default_rng(1).standard_normal(a.size, a.dtype),
    "fft": lambda a, b, s: np.fft.fft(a),
    "rfft": lambda a, b, s: np.fft.rfft(a),
    "fft_rows": lambda a, b, s: np.fft.fft(matrix(a, 1000)),
    "fft_columns": lambda a, b, s: np.fft.fft(matrix(a, 1000), axis=0),
    "fft2": lambda a, b, s: np.fft.fft2(matrix(a, 4000)),
    "fft_complex": lambda a, b, s: np.fft.fft(spectra(matrix(a, 1000))),
    "multiply_complex": lambda a, b, s: spectra(matrix(a, 1000)) * spectra(matrix(a, 1000)),
    "load": lambda a, b, s: np.load(FILE),
}


def matrix(a: np.ndarray, columns: int) -> np.ndarray:
    """As many elements as fill rows of a length; a view."""
    return a[: a.size // columns * columns].reshape(-1, columns)


SPECTRA: dict[str, np.ndarray] = {}


def spectra(rows: np.ndarray) -> np.ndarray:
    """The transform of each row, kept."""
    name = f"{rows.dtype} {rows.shape}"
    if name not in SPECTRA:
        SPECTRA.clear()
        SPECTRA[name] = np.fft.fft(rows)
    return SPECTRA[name]


def arrays(dtype: str, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    numbers = np.random.default_rng(1)
    a, b = numbers.random(size), numbers.random(size)
    if dtype == "i32":
        a, b = (a - 0.5) * 4e9, (b - 0.5) * 4e9
    if dtype == "i64":
        a, b = a * 1000, b * 1000
    a, b = a.astype(TYPES[dtype]), b.astype(TYPES[dtype])
    return a, b, np.sort(a)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-least", type=float, default=0, help="smallest ratio that passes")
    parser.add_argument("--only", action="append", help="the name of an operation; may be repeated")
    parser.add_argument("--runs", type=int, default=5, help="runs of NumPy (default: %(default)s)")
    parser.add_argument("--size", type=int, default=10_000_000, help="elements (default: %(default)s)")
    parser.add_argument("program", nargs="*", help="our program, if not the example as cargo runs it")
    arguments = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}")
    text = output_of("arrays_cpu", arguments.program, [str(arguments.size)])
    rows = re.findall(r"^(\w+) (\w+) \S+ ([\d.]+) ms$", text, re.MULTILINE)
    made: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
    status = 0
    print(f"{'operation':14}{'type':6}{'NumPy, ms':>12}{'cpu, ms':>12}{'ratio':>8}")
    for name, dtype, ours in rows:
        if arguments.only and name not in arguments.only:
            continue
        if dtype not in made:
            made = {dtype: arrays(dtype, arguments.size)}
        if name == "load":
            np.save(FILE, made[dtype][0])
        theirs = median(lambda: THEIRS[name](*made[dtype]), arguments.runs)  # noqa: B023
        ratio = theirs / float(ours)
        print(f"{name:14}{dtype:6}{theirs:12.2f}{float(ours):12.2f}{ratio:8.1f}", flush=True)
        if ratio < arguments.at_least:
            print(f"{name} {dtype}: below {arguments.at_least:g} times")
            status = 1
    FILE.unlink(missing_ok=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
