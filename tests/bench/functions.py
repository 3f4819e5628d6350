"""Functions in Rust that Python calls, against Numba's `@vectorize` on the CPU and CuPy's `ElementwiseKernel` on a GPU: `tests/bench/functions.py`.

    JUPYTER_PATH=PREFIX/share/jupyter python3 tests/bench/functions.py [--output FILE] [--at-most MICROSECONDS]

Both have the same functions, of random f32 elements. `compile` is the time from the source to the first result in a new process with an empty
cache; `cached` is the same in a second process (Numba with `cache=True`; CuPy keeps cubins). `host` is the time of a call on 16 elements (on
a GPU until the call returns), `work` that on 5e6 elements with one thread (on a GPU 5e7, by events). Medians, in ms and µs. Ratios are theirs
over ours: above 1 ours is faster. A peer that is not installed is left out. `--at-most N` fails if the host time of a call is above N.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: In a package of tests/gpu/pack the Python package is beside this file.
PACKAGE = HERE / "python" if (HERE / "python").is_dir() else HERE.parents[1] / "kernel/python"
#: Of each function: its arguments, and its text in Rust, in Python for Numba, and in CUDA C.
FUNCTIONS = {
    "squared_diff": ("xy", "(x - y) * (x - y)", "(x - y) * (x - y)", "z = (x - y) * (x - y)"),
    "gaussian_pdf": (
        "xms",
        "{ let t = (x - m) / s; (-0.5 * t * t).exp() / (s * 2.5066283) }",
        "math.exp(np.float32(-0.5) * ((x - m) / s) ** 2) / (s * np.float32(2.5066283))",
        "float t = (x - m) / s; z = expf(-0.5f * t * t) / (s * 2.5066283f)",
    ),
}


def rust(name: str) -> str:
    names, text, *_ = FUNCTIONS[name]
    return f"#[vectorize] fn {name}({', '.join(f'{n}: f32' for n in names)}) -> f32 {{ {text} }}"


def ours(name: str) -> Callable:
    sys.path.insert(0, str(PACKAGE))
    import warpcell

    return warpcell.function(rust(name))


def numbas(name: str) -> Callable:
    # Numba keeps what it compiles beside the file that the function is in.
    folder = Path(os.environ["NUMBA_CACHE_DIR"])
    names, _, text, _ = FUNCTIONS[name]
    signature = f"float32({', '.join('float32' for _ in names)})"
    file = folder / f"{name}_numba.py"
    file.write_text(
        f"import math\nimport numpy as np\nfrom numba import vectorize\n\n@vectorize(['{signature}'], target='cpu', cache=True)\n"
        f"def {name}({', '.join(names)}):\n    return {text}\n"
    )
    sys.path.insert(0, str(folder))
    return getattr(__import__(file.stem), name)


def cupys(name: str) -> Callable:
    import cupy

    names, *_, text = FUNCTIONS[name]
    return cupy.ElementwiseKernel(", ".join(f"float32 {n}" for n in names), "float32 z", text, name)


PEERS = {"ours": ours, "numba": numbas, "cupy": cupys, "ours-gpu": ours}


def arrays(peer: str, name: str, size: int) -> list:
    import numpy

    names = FUNCTIONS[name][0]
    made = [numpy.random.default_rng(1).random(size, numpy.float32) + numpy.float32(0.5) for _ in names]
    if peer in ("cupy", "ours-gpu"):
        import cupy

        made = [cupy.asarray(array) for array in made]
    return made


def first(peer: str, name: str) -> float:
    """Milliseconds from the source to the first result; for a process of its own, whose libraries are loaded before."""
    small = arrays(peer, name, 16)
    if peer == "numba":
        import numba  # noqa: F401
    if peer.startswith("ours"):
        sys.path.insert(0, str(PACKAGE))
        import warpcell  # noqa: F401
    start = time.perf_counter()
    result = PEERS[peer](name)(*small)
    float(result[0])
    return (time.perf_counter() - start) * 1e3


def median(call: Callable[[], object], calls: int, rounds: int = 30) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - start) / calls)
    return statistics.median(times) * 1e6


def measured(peer: str, name: str) -> dict[str, float]:
    function = PEERS[peer](name)
    small = arrays(peer, name, 16)
    result = {"host": median(lambda: function(*small), 100)}
    on_gpu = peer in ("cupy", "ours-gpu")
    large = arrays(peer, name, 50_000_000 if on_gpu else 5_000_000)
    if not on_gpu:
        result["work"] = median(lambda: function(*large), 1, 15)
        return result
    import cupy

    times = []
    for _ in range(30):
        events = cupy.cuda.Event(), cupy.cuda.Event()
        events[0].record()
        function(*large)
        events[1].record()
        events[1].synchronize()
        times.append(cupy.cuda.get_elapsed_time(*events) * 1e3)
    result["work"] = statistics.median(times)
    return result


def in_process(command: str, peer: str, name: str, folder: str) -> object:
    environment = {
        **os.environ, "RAYON_NUM_THREADS": "1", "NUMBA_CACHE_DIR": folder, "CUPY_CACHE_DIR": folder, "WARPCELL_CACHE_DIR": folder,
    }  # fmt: skip
    line = [sys.executable, __file__, "--run", command, peer, name]
    return json.loads(subprocess.run(line, capture_output=True, text=True, check=True, env=environment).stdout.splitlines()[-1])


def has(module: str) -> bool:
    return subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output")
    parser.add_argument("--at-most", type=float)
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        command, peer, name = options.run
        print(json.dumps({"first": first, "measured": measured}[command](peer, name)))
        return 0
    pairs = [("ours", "numba")] if has("numba") else []
    if has("cupy"):
        pairs.append(("ours-gpu", "cupy"))
    rows = []
    for name in FUNCTIONS:
        for pair in pairs or [("ours",)]:
            found = {}
            for peer in pair:
                with tempfile.TemporaryDirectory() as folder:
                    found[peer] = {"compile": in_process("first", peer, name, folder), "cached": in_process("first", peer, name, folder)}
                    found[peer].update(in_process("measured", peer, name, folder))  # type: ignore[arg-type]
            rows.append({"function": name, **found})
            for measure in ("compile", "cached", "host", "work"):
                unit = "ms" if measure in ("compile", "cached") else "µs"
                values = "  ".join(f"{peer} {found[peer][measure]:10.1f} {unit}" for peer in pair)
                ratio = f"  ×{found[pair[1]][measure] / found[pair[0]][measure]:.2f}" if len(pair) > 1 else ""
                print(f"{name:14} {measure:8} {values}{ratio}", flush=True)
    if options.output:
        Path(options.output).write_text(json.dumps(rows, indent=1))
    slowest = max(row[peer]["host"] for row in rows for peer in row if peer.startswith("ours"))
    if options.at_most is not None and slowest > options.at_most:
        print(f"a call takes {slowest:.1f} µs, more than {options.at_most}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
