"""Times CuPy on the operations of `gpu_timing` (prelude/src/backend/cuda/tests/timing.rs), under the same names.

    python3 cupy_compare.py [OURS]

Prints one line of JSON for each operation. With OURS, a file with the lines that `gpu_timing` printed on the same GPU,
a table of ratios (CuPy over Warpcell; above 1 Warpcell is faster) follows. Both measure alike: the median of event
times around one call, and the median time until the call returns.
"""

import json
import statistics
import sys
import time

import cupy as cp
import numpy as np
from cupyx.scipy.signal import convolve2d

ROWS = {}


def emit(name, **values):
    ROWS[name] = values
    print(json.dumps({"name": name, **{key: round(value, 2) for key, value in values.items()}}), flush=True)


def timed(name, count, run):
    for _ in range(5):
        run()
    cp.cuda.Device().synchronize()
    device, host = [], []
    for _ in range(count):
        before, after = cp.cuda.Event(), cp.cuda.Event()
        before.record()
        start = time.perf_counter()
        run()
        host.append((time.perf_counter() - start) * 1e6)
        after.record()
        after.synchronize()
        device.append(cp.cuda.get_elapsed_time(before, after) * 1e3)
    emit(name, gpu_us=statistics.median(device), gpu_min_us=min(device), host_us=statistics.median(host))


def wall(name, count, run):
    times = []
    for _ in range(count + 1):
        start = time.perf_counter()
        run()
        cp.cuda.Device().synchronize()
        times.append((time.perf_counter() - start) * 1e6)
    emit(name, wall_us=statistics.median(times[1:]), first_us=times[0])


def measure():
    random = np.random.default_rng(0)
    for dtype, short in ((np.float32, "f32"), (np.float64, "f64")):
        image = cp.asarray(random.random((2048, 2048)).astype(dtype))
        kernel = cp.asarray(random.random((15, 15)).astype(dtype))
        timed(f"convolve2d 2048 15 full {short}", 30, lambda: convolve2d(image, kernel))
    signal, weights = cp.asarray(random.random(1 << 22)), cp.asarray(random.random(15))
    timed("convolve 4M 15 f64", 50, lambda: cp.convolve(signal, weights))
    a, b = cp.asarray(random.random(50_000_000)), cp.asarray(random.random(50_000_000))
    out = cp.empty_like(a)
    timed("copy f64 5e7", 50, lambda: cp.copyto(out, a))
    timed("add f64 5e7", 50, lambda: cp.add(a, b, out=out))
    del a, b, out
    a, b = cp.asarray(random.random(16, dtype=np.float32)), cp.asarray(random.random(16, dtype=np.float32))
    timed("a+b f32 16", 2000, lambda: a + b)

    def chain():
        total = a + b
        for _ in range(99):
            total = total + b

    timed("100 chained a+b f32 16", 50, chain)
    timed("allocate and drop 64 bytes", 2000, lambda: cp.cuda.alloc(64))
    x = cp.asarray(random.random(100_000_000, dtype=np.float32))
    timed("sum f32 1e8", 50, lambda: x.sum())
    square = x.reshape(10_000, 10_000)
    for axis in (0, 1):
        timed(f"sum f32 1e4x1e4 axis {axis}", 50, lambda: square.sum(axis=axis))
    out = cp.empty_like(square)
    timed("copy f32 1e4x1e4 transposed", 50, lambda: cp.copyto(out, square.T))
    del x, square, out
    source = random.random(50_000_000)
    wall("upload 400 MB", 5, lambda: cp.asarray(source))
    target = cp.asarray(source)
    wall("download 400 MB, fresh memory", 5, lambda: cp.asnumpy(target))


def compare(path):
    ours = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            # The test harness may have put text of its own before the line.
            if '{"name"' in line:
                row = json.loads(line[line.index('{"name"') :])
                ours[row["name"]] = row
    print(f"\n{'operation':34} {'measure':8} {'CuPy':>12} {'Warpcell':>12} {'ratio':>8}")
    for name, row in ROWS.items():
        for measure in ("gpu_us", "host_us", "wall_us"):
            if measure in row and measure in ours.get(name, {}):
                theirs, mine = row[measure], ours[name][measure]
                print(f"{name:34} {measure:8} {theirs:12.2f} {mine:12.2f} {theirs / mine:8.2f}")


if __name__ == "__main__":
    device = cp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    print(json.dumps({"cupy": cp.__version__, "cuda": cp.cuda.runtime.runtimeGetVersion(), "gpu": device}))
    measure()
    if len(sys.argv) > 1:
        compare(sys.argv[1])
