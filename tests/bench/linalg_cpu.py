"""Linear algebra on the CPU against NumPy's, on this machine in one run: `tests/bench/linalg_cpu.py`.

One row an operation, element type and size, NumPy's time over ours; both use all cores (`--threads N` says how many). Ours are
timed by the example `prelude/examples/linalg_cpu.rs`, which prints one line `NAME TYPE SIZE DEVICE MILLISECONDS ms` each; what
NumPy does for the same name is in the table `THEIRS`. `--at-least N` fails if a ratio is below N; `--only NAME` leaves out the
others.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
from collections.abc import Callable

TYPES = {"f32": "float32", "f64": "float64", "i32": "int32", "complex64": "complex64", "complex128": "complex128"}


def threads_of(arguments: list[str]) -> str:
    """What `--threads` says: NumPy's libraries read it from the environment when they are imported."""
    return next((arguments[at + 1] for at, text in enumerate(arguments[:-1]) if text == "--threads"), "")


if threads_of(sys.argv):
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = threads_of(sys.argv)

import numpy as np  # noqa: E402
from numpy_peer import median, output_of  # noqa: E402


def random(dtype: str, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    """Floats and parts of complex numbers from -1 to 1, integers from -1000 to 999."""
    numbers = np.random.default_rng(1)
    scale = 1000 if dtype.startswith("i") else 1
    turned = 1j if dtype.startswith("complex") else 0

    def parts(shape: tuple[int, ...]) -> np.ndarray:
        return (numbers.random(shape) * 2 - 1) * scale

    return [(parts(shape) + turned * parts(shape) if turned else parts(shape)).astype(TYPES[dtype]) for shape in shapes]


# By name: the shapes of NumPy's arguments for a size, and the function.
THEIRS: dict[str, tuple[Callable[[int], list[tuple[int, ...]]], Callable[..., object]]] = {
    "matmul": (lambda n: [(n, n), (n, n)], np.matmul),
    "matmul_transposed": (lambda n: [(n, n), (n, n)], lambda a, b: a.T @ b),
    "matmul_many": (lambda n: [(10_000, n, n), (10_000, n, n)], np.matmul),
    "matmul_vector": (lambda n: [(n, n), (n,)], np.matmul),
    "matmul_thin": (lambda n: [(n, 32), (32, n)], np.matmul),
    "dot": (lambda n: [(n,), (n,)], np.dot),
    "qr": (lambda n: [(n, n)], np.linalg.qr),
    "inv": (lambda n: [(n, n)], np.linalg.inv),
    "det": (lambda n: [(n, n)], np.linalg.det),
    "cholesky": (lambda n: [(n, n)], lambda a: np.linalg.cholesky(definite(a))),
    "solve": (lambda n: [(n, n), (n,)], np.linalg.solve),
    "eigh": (lambda n: [(n, n)], lambda a: np.linalg.eigh(definite(a))),
    "eigvalsh": (lambda n: [(n, n)], lambda a: np.linalg.eigvalsh(definite(a))),
    "eig": (lambda n: [(n, n)], np.linalg.eig),
    "eigvals": (lambda n: [(n, n)], np.linalg.eigvals),
    "pinv": (lambda n: [(n, n)], np.linalg.pinv),
    "svd": (lambda n: [(n, n)], np.linalg.svd),
    "svdvals": (lambda n: [(n, n)], np.linalg.svdvals),
    "inv_many": (lambda n: [(10_000, n, n)], np.linalg.inv),
    "qr_many": (lambda n: [(10_000, n, n)], np.linalg.qr),
}


DEFINITE: dict[int, tuple[np.ndarray, np.ndarray]] = {}


def definite(a: np.ndarray) -> np.ndarray:
    """A symmetric or Hermitian positive definite matrix, made once for each matrix, which is kept with it."""
    if id(a) not in DEFINITE:
        DEFINITE.clear()
        DEFINITE[id(a)] = (a, a @ a.T.conj() + np.eye(len(a), dtype=a.dtype))
    return DEFINITE[id(a)][1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at-least", type=float, default=0, help="smallest ratio that passes")
    parser.add_argument("--only", action="append", help="the name of an operation, or a type; may be repeated")
    parser.add_argument("--runs", type=int, default=7, help="runs of NumPy (default: %(default)s)")
    parser.add_argument("--threads", help="threads of both (default: all)")
    parser.add_argument("program", nargs="*", help="our program, if not the example as cargo runs it")
    arguments = parser.parse_args()
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}, NumPy {np.__version__}")
    text = output_of("linalg_cpu", arguments.program, arguments.only or [])
    status = 0
    print(f"{'operation':20}{'type':6}{'size':>9}{'NumPy, ms':>12}{'cpu, ms':>12}{'ratio':>8}")
    for name, dtype, size, ours in re.findall(r"^(\w+) (\w+) (\d+) \S+ ([\d.]+) ms$", text, re.MULTILINE):
        shapes, work = THEIRS[name]
        inputs = random(dtype, *shapes(int(size)))
        theirs = median(lambda: work(*inputs), arguments.runs)  # noqa: B023
        ratio = theirs / float(ours)
        print(f"{name:20}{dtype:6}{size:>9}{theirs:12.3f}{float(ours):12.3f}{ratio:8.2f}", flush=True)
        if ratio < arguments.at_least:
            print(f"{name} {dtype} {size}: below {arguments.at_least:g} times")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
