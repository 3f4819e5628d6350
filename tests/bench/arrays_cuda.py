"""Times the prelude's array operations against CuPy's on one GPU, in one run.

    python3 tests/bench/arrays_cuda.py [--program PATH] [--output FILE]

Runs the prelude's test `gpu_timing` (prelude/src/backend/tests/cuda/timing.rs), then the same operations under the same names
on CuPy, and prints a table of the ratios CuPy over ours (above 1: ours is faster). Both measure alike: the median of event times
around one call (`device`), the median time until the call returns (`host`), the median share of a call in the whole time of
twenty (`queued`; JAX, which has no events, can be timed only so), and for transfers the median of whole calls (`whole`). --program names the prelude's unit test program; beside this file in a package of tests/gpu/pack it is found.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

import cupy as cp
import numpy as np
from cupyx.scipy.signal import convolve2d

MEASURES = {"gpu_us": "device", "host_us": "host", "queued_us": "queued", "wall_us": "whole"}
# Calls in a row.
QUEUED = 20


def timed(rows, name, count, run):
    for _ in range(5):
        run()
    cp.cuda.Device().synchronize()
    device, host = [], []
    for _ in range(count):
        before, after = cp.cuda.Event(), cp.cuda.Event()
        before.record()
        start = time.perf_counter()
        result = run()
        host.append((time.perf_counter() - start) * 1e6)
        after.record()
        after.synchronize()
        del result
        device.append(cp.cuda.get_elapsed_time(before, after) * 1e3)
    queued = []
    for _ in range(5 if statistics.median(device) < 5e4 else 1):
        cp.cuda.Device().synchronize()
        start = time.perf_counter()
        for _ in range(QUEUED):
            run()
        cp.cuda.Device().synchronize()
        queued.append((time.perf_counter() - start) * 1e6 / QUEUED)
    rows[name] = {
        "gpu_us": statistics.median(device), "gpu_min_us": min(device), "host_us": statistics.median(host), "queued_us": statistics.median(queued)
    }  # fmt: skip


def wall(rows, name, count, run):
    times = []
    for _ in range(count + 1):
        start = time.perf_counter()
        run()
        cp.cuda.Device().synchronize()
        times.append((time.perf_counter() - start) * 1e6)
    rows[name] = {"wall_us": statistics.median(times[1:]), "first_us": times[0]}


def uniform(n, dtype):
    return cp.random.random(n, dtype=dtype)


def measure():
    rows = {}
    for dtype, short in ((np.float32, "f32"), (np.float64, "f64")):
        image, kernel = uniform((2048, 2048), dtype), uniform((15, 15), dtype)
        timed(rows, f"convolve2d 2048 15 full {short}", 30, lambda: convolve2d(image, kernel))
    host, kernel = np.random.default_rng(0).random((2048, 2048)), np.random.default_rng(1).random((15, 15))
    both_ways = "convolve2d f64 with transfers both ways"
    wall(rows, both_ways, 10, lambda: cp.asnumpy(convolve2d(cp.asarray(host), cp.asarray(kernel))))
    signal, weights = uniform(1 << 22, np.float64), uniform(15, np.float64)
    timed(rows, "convolve 4M 15 f64", 50, lambda: cp.convolve(signal, weights))

    n = 50_000_000
    a, b = uniform(n, np.float64), uniform(n, np.float64)
    timed(rows, "copy f64 5e7", 50, lambda: a.copy())
    timed(rows, "a + b f64 5e7", 50, lambda: a + b)
    timed(rows, "a *= 3 f64 5e7", 50, lambda: a.__imul__(3.0))
    timed(rows, "exp f64 5e7", 50, lambda: cp.exp(b))
    del a, b
    x = uniform((10_000, 10_000), np.float32)
    timed(rows, "copy f32 1e4x1e4 transposed", 50, lambda: x.T.copy())
    a, b = uniform(16, np.float32), uniform(16, np.float32)
    timed(rows, "a + b f32 16", 2000, lambda: a + b)

    def chain():
        total = a + b
        for _ in range(99):
            total = total + b
        return total

    timed(rows, "100 chained a + b f32 16", 50, chain)

    x = uniform(100_000_000, np.float32)
    timed(rows, "sum f32 1e8", 50, lambda: x.sum())
    timed(rows, "max f32 1e8", 50, lambda: x.max())
    timed(rows, "argmax f32 1e8", 50, lambda: x.argmax())
    timed(rows, "cumsum f32 1e8", 50, lambda: x.cumsum())
    timed(rows, "std f32 1e8", 20, lambda: x.std())
    square = x.reshape(10_000, 10_000)
    for axis in (0, 1):
        timed(rows, f"sum f32 1e4x1e4 axis {axis}", 50, lambda: square.sum(axis=axis))
        timed(rows, f"std f32 1e4x1e4 axis {axis}", 5, lambda: square.std(axis=axis))
    del x, square
    x = uniform(50_000_000, np.float64)
    timed(rows, "std f64 5e7", 5, lambda: x.std())
    del x

    n = 20_000_000
    x, indices = uniform(n, np.float32), cp.random.randint(0, n, n, dtype=np.int64)
    mask = x < 0.5
    timed(rows, "take f32 2e7 at random", 20, lambda: x.take(indices))
    timed(rows, "x[mask] f32 2e7", 20, lambda: x[mask])
    timed(rows, "where f32 2e7", 20, lambda: cp.where(mask, x, np.float32(0)))

    x = uniform(1 << 24, np.float32)
    timed(rows, "sort f32 16M", 20, lambda: cp.sort(x))
    timed(rows, "argsort f32 16M", 20, lambda: cp.argsort(x))
    x = uniform(1 << 24, np.float64)
    timed(rows, "sort f64 16M", 20, lambda: cp.sort(x))
    timed(rows, "argsort f64 16M", 20, lambda: cp.argsort(x))
    counts = cp.random.randint(0, 1000, 1 << 24, dtype=np.int64)
    timed(rows, "bincount i64 16M", 20, lambda: cp.bincount(counts))

    n = 50_000_000
    timed(rows, "random uniform f64 5e7", 50, lambda: cp.random.random(n, dtype=np.float64))
    timed(rows, "random normal f64 5e7", 50, lambda: cp.random.normal(0.0, 1.0, n))
    del x, counts, indices, mask
    cp.get_default_memory_pool().free_all_blocks()
    source = np.sqrt(np.arange(50_000_000.0))
    wall(rows, "upload 400 MB", 5, lambda: cp.asarray(source))
    target = cp.asarray(source)
    wall(rows, "download 400 MB, fresh memory", 5, lambda: cp.asnumpy(target))
    del target
    products(rows)

    a = uniform((512, 512), np.float64)
    timed(rows, "qr f64 512", 30, lambda: cp.linalg.qr(a))
    small = uniform((64, 64), np.float32)
    timed(rows, "qr f32 64", 200, lambda: cp.linalg.qr(small))
    single = a.astype(np.float32)
    timed(rows, "det f32 512", 30, lambda: float(cp.linalg.det(single)))
    definite = a @ a.T + cp.eye(512)
    timed(rows, "cholesky f64 512", 30, lambda: cp.linalg.cholesky(definite))
    timed(rows, "eigh f64 512", 10, lambda: cp.linalg.eigh(definite))
    b = uniform((256, 256), np.float64)
    timed(rows, "svd f64 256", 5, lambda: cp.linalg.svd(b))
    many = uniform((4096, 8, 8), np.float32)
    timed(rows, "inv f32 4096 of 8", 30, lambda: cp.linalg.inv(many))
    right = uniform((4096, 8, 1), np.float32)
    timed(rows, "solve f32 4096 of 8", 30, lambda: cp.linalg.solve(many, right))
    timed(rows, "det f32 4096 of 8", 30, lambda: cp.linalg.det(many))
    pairs = many @ many.transpose(0, 2, 1) + cp.eye(8, dtype=np.float32)
    timed(rows, "cholesky f32 4096 of 8", 30, lambda: cp.linalg.cholesky(pairs))
    large = uniform((6000, 6000), np.float32)
    timed(rows, "inv f32 6000", 3, lambda: cp.linalg.inv(large))
    return rows


def products(rows):
    x, y = uniform(100_000_000, np.float32), uniform(100_000_000, np.float32)
    timed(rows, "dot f32 1e8", 50, lambda: x.dot(y))
    del x, y

    def square(size, dtype, short, count):
        a, b = uniform((size, size), dtype), uniform((size, size), dtype)
        timed(rows, f"matmul {short} {size}", count, lambda: a @ b)

    square(4096, np.float32, "f32", 30)
    square(4096, np.float64, "f64", 30)
    square(64, np.float32, "f32", 500)
    a, b = uniform((4096, 64, 64), np.float32), uniform((4096, 64, 64), np.float32)
    timed(rows, "matmul f32 4096 of 64", 50, lambda: a @ b)
    matrix, vector = uniform((8192, 8192), np.float32), uniform(8192, np.float32)
    timed(rows, "matmul f32 8192, by a vector", 50, lambda: matrix @ vector)
    a, b = (cp.random.randint(0, 1000, (2048, 2048), dtype=np.int32) for _ in range(2))
    timed(rows, "matmul i32 2048", 20, lambda: a @ b)


def ours(program):
    command = [program, "gpu_timing", "--ignored", "--nocapture", "--test-threads", "1"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = {}
    for line in text.splitlines():
        # The test harness may have put text of its own before the line.
        if '{"name"' in line:
            row = json.loads(line[line.index('{"name"') :])
            rows[row.pop("name")] = row
    if not rows:
        sys.exit(f"{program} has timed nothing:\n{text}")
    return rows


def main():
    beside = pathlib.Path(__file__).with_name("programs") / "unit_tests"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(beside), help="the prelude's unit test program")
    parser.add_argument("--output", help="writes all figures to this file, as JSON")
    arguments = parser.parse_args()
    mine, theirs = ours(arguments.program), measure()
    gpu = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(f"{gpu}, CuPy {cp.__version__}, CUDA {cp.cuda.runtime.runtimeGetVersion()}; microseconds")
    for name, row in mine.items():
        if name not in theirs:
            print(f"{name}: {row}")
    print(f"\n{'operation':42} {'measure':8} {'CuPy':>12} {'Warpcell':>12} {'ratio':>8}")
    for name, row in theirs.items():
        for key, kind in MEASURES.items():
            if key in row:
                of_theirs, of_mine = row[key], mine[name][key]
                print(f"{name:42} {kind:8} {of_theirs:12.2f} {of_mine:12.2f} {of_theirs / of_mine:8.2f}")
    if arguments.output:
        pathlib.Path(arguments.output).write_text(json.dumps({"warpcell": mine, "cupy": theirs}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
