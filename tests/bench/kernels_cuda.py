"""Times Rust functions over arrays on a GPU against CUDA C, CuPy and Numba, in one run on one GPU.

    python3 tests/bench/kernels_cuda.py [--program PATH] [--output FILE] [--only PEER]

Ours are the functions of `prelude/examples/kernels.rs`. The same are written here in CUDA C, compiled by `nvcc -O3`; as
CuPy's `fuse` and `ElementwiseKernel`; and as Numba's `@vectorize(target='cuda')`. 5e7 random elements, which no cache holds;
`check_prime` takes the numbers below 1e6. All measure alike: the median of event times around one call (`device`), and the
median time until the call returns (`host`). A first call is timed in a new process, until its result is there: with an empty
cache on disk (`first`), and once more in another process (`cached`). Ratios are theirs over ours; above 1 ours is faster.
A peer that is not installed is left out. --program names the built example; beside this file in a package of tests/gpu/pack it
is found.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

ELEMENTS, NUMBERS, SMALL = 50_000_000, 1_000_000, 10_000
MEASURES = {"gpu_us": "device", "host_us": "host", "first_ms": "first", "cached_ms": "cached"}

CUDA_C = r"""
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#define ELEMENTS %(elements)dll
#define NUMBERS %(numbers)d
#define SMALL %(small)d

__global__ void squared_diff(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (x[i] - y[i]) * (x[i] - y[i]);
}

__global__ void gaussian_pdf(const float *__restrict__ x, float mean, float sigma, float *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float scaled = (x[i] - mean) / sigma;
        out[i] = expf(-0.5f * (scaled * scaled)) / (sigma * 2.5066283f);
    }
}

__device__ void polar_to_cartesian(float rho, float theta, float &x, float &y) {
    x = rho * cosf(theta);
    y = rho * sinf(theta);
}

__global__ void polar_distance(const float *__restrict__ rho1, const float *__restrict__ theta1,
                               const float *__restrict__ rho2, const float *__restrict__ theta2, float *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x1, y1, x2, y2;
        polar_to_cartesian(rho1[i], theta1[i], x1, y1);
        polar_to_cartesian(rho2[i], theta2[i], x2, y2);
        out[i] = sqrtf((x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2));
    }
}

__device__ int prime_or_zero(int number) {
    if (number < 2) return 0;
    for (int j = 2; j < number / 2 + 1; j++) {
        if (number %% j == 0) return 0;
    }
    return number;
}

__global__ void check_prime(const int *__restrict__ numbers, int *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = prime_or_zero(numbers[i]);
}

__global__ void fill(float *out, long long n, float low, float high, unsigned seed) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = (unsigned)i * 2654435761u ^ seed;
    h = (h ^ h >> 16) * 0x7feb352du;
    h = (h ^ h >> 15) * 0x846ca68bu;
    h ^= h >> 16;
    out[i] = low + (high - low) * ((h >> 8) * (1.0f / 16777216.0f));
}

__global__ void count(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}

#define CHECK(call) do { cudaError_t status = (call); if (status != cudaSuccess) { \
    fprintf(stderr, "%%s: %%s\n", #call, cudaGetErrorString(status)); return 1; } } while (0)

static double median(std::vector<double> &values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

template <typename Launch> static int timed(const char *name, int repetitions, Launch launch) {
    cudaEvent_t before, after;
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    for (int i = 0; i < 10; i++) launch();
    CHECK(cudaDeviceSynchronize());
    std::vector<double> device, host;
    for (int i = 0; i < repetitions; i++) {
        CHECK(cudaEventRecord(before));
        auto start = std::chrono::steady_clock::now();
        launch();
        host.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
        CHECK(cudaEventRecord(after));
        CHECK(cudaEventSynchronize(after));
        float milliseconds;
        CHECK(cudaEventElapsedTime(&milliseconds, before, after));
        device.push_back(milliseconds * 1e3);
    }
    CHECK(cudaGetLastError());
    double least = *std::min_element(device.begin(), device.end());
    printf("{\"name\": \"%%s\", \"gpu_us\": %%.2f, \"gpu_min_us\": %%.2f, \"host_us\": %%.2f}\n", name, median(device), least, median(host));
    return 0;
}

int main() {
    float *x[5];
    int *numbers, *primes;
    for (int k = 0; k < 5; k++) CHECK(cudaMalloc(&x[k], ELEMENTS * sizeof(float)));
    CHECK(cudaMalloc(&numbers, NUMBERS * sizeof(int)));
    CHECK(cudaMalloc(&primes, NUMBERS * sizeof(int)));
    const int n = ELEMENTS, blocks = (n + 255) / 256;
    auto uniform = [&](int k, float low, float high) { fill<<<blocks, 256>>>(x[k], ELEMENTS, low, high, 77u * k + 1u); };
    uniform(0, 0.0f, 1.0f);
    uniform(1, 0.0f, 1.0f);
    if (timed("squared_diff f32", 50, [&] { squared_diff<<<blocks, 256>>>(x[0], x[1], x[4], n); })) return 1;
    uniform(0, -3.0f, 3.0f);
    if (timed("gaussian_pdf f32", 50, [&] { gaussian_pdf<<<blocks, 256>>>(x[0], 0.0f, 1.0f, x[4], n); })) return 1;
    for (int k = 0; k < 4; k++) uniform(k, k %% 2 ? -3.14159265f : 0.5f, k %% 2 ? 3.14159265f : 1.5f);
    if (timed("polar_distance f32", 50, [&] { polar_distance<<<blocks, 256>>>(x[0], x[1], x[2], x[3], x[4], n); })) return 1;
    const int few = (NUMBERS + 255) / 256;
    count<<<few, 256>>>(numbers, NUMBERS);
    if (timed("check_prime i32", 20, [&] { check_prime<<<few, 256>>>(numbers, primes, NUMBERS); })) return 1;
    const int small = (SMALL + 255) / 256;
    return timed("squared_diff f32, 10,000", 2000, [&] { squared_diff<<<small, 256>>>(x[0], x[1], x[4], SMALL); });
}
"""


def lines(text: str) -> dict[str, dict[str, float]]:
    rows = {}
    for line in text.splitlines():
        if line.startswith('{"name"'):
            row = json.loads(line)
            rows[row.pop("name")] = row
    return rows


def add(rows: dict[str, dict[str, float]], more: dict[str, dict[str, float]]) -> None:
    for name, row in more.items():
        rows.setdefault(name, {}).update(row)


def firsts(command: list[str], variable: str) -> dict[str, dict[str, float]]:
    """First calls in new processes: with an empty cache on disk, then with what the first process has left there."""
    rows: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as cache:
        for key in ("first_ms", "cached_ms"):
            text = subprocess.check_output(command, text=True, env={**os.environ, variable: cache})
            add(rows, {name: {key: row["first_ms"]} for name, row in lines(text).items()})
    return rows


def ours(program: str) -> dict[str, dict[str, float]]:
    rows = lines(subprocess.check_output([program, "times", str(ELEMENTS), str(NUMBERS)], text=True))
    add(rows, firsts([program, "first"], "WARPCELL_CACHE_DIR"))
    return rows


def cuda_c() -> dict[str, dict[str, float]]:
    nvcc = shutil.which("nvcc") or next(iter(pathlib.Path("/usr/local").glob("cuda*/bin/nvcc")), None)
    if nvcc is None:
        raise ImportError("there is no nvcc")
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "kernels.cu"), pathlib.Path(folder, "kernels")
        source.write_text(CUDA_C % {"elements": ELEMENTS, "numbers": NUMBERS, "small": SMALL}, encoding="utf-8")
        subprocess.run([str(nvcc), "-O3", "-arch=native", "-o", str(program), str(source)], check=True)
        return lines(subprocess.check_output([str(program)], text=True))


# A call of each function on arrays of a size: what both peers in Python are timed by.
Calls = dict[str, tuple[int, Callable[[], object]]]


def cupy_calls(size: int, numbers: int) -> Calls:
    import cupy as cp

    @cp.fuse()
    def squared_diff(x, y):
        return (x - y) * (x - y)

    @cp.fuse()
    def summed(x, y):
        return cp.sum((x - y) * (x - y))

    gaussian_pdf = cp.ElementwiseKernel(
        "float32 x, float32 mean, float32 sigma",
        "float32 out",
        "float scaled = (x - mean) / sigma; out = expf(-0.5f * (scaled * scaled)) / (sigma * 2.5066283f)",
        "gaussian_pdf",
    )
    polar_distance = cp.ElementwiseKernel(
        "float32 rho1, float32 theta1, float32 rho2, float32 theta2",
        "float32 out",
        """
        float x = rho1 * cosf(theta1) - rho2 * cosf(theta2), y = rho1 * sinf(theta1) - rho2 * sinf(theta2);
        out = sqrtf(x * x + y * y)
        """,
        "polar_distance",
    )
    check_prime = cp.ElementwiseKernel(
        "int32 number",
        "int32 out",
        """
        out = number < 2 ? 0 : number;
        for (int j = 2; j < number / 2 + 1; j++) {
            if (number % j == 0) { out = 0; break; }
        }
        """,
        "check_prime",
    )
    rng = cp.random.default_rng(1)
    x, y, z, w = (rng.random(size, dtype=cp.float32) for _ in range(4))
    whole = cp.arange(numbers, dtype=cp.int32)
    a, b = x[:SMALL].copy(), y[:SMALL].copy()
    mean, sigma = cp.float32(0), cp.float32(1)
    return {
        "squared_diff f32": (50, lambda: squared_diff(x, y)),
        "sum of squared_diff f32": (50, lambda: summed(x, y)),
        "gaussian_pdf f32": (50, lambda: gaussian_pdf(x, mean, sigma)),
        "polar_distance f32": (50, lambda: polar_distance(x, y, z, w)),
        "check_prime i32": (20, lambda: check_prime(whole)),
        "squared_diff f32, 10,000": (2000, lambda: squared_diff(a, b)),
    }


def numba_calls(size: int, numbers: int) -> Calls:
    import math

    import numpy as np
    from numba import cuda, vectorize

    root = np.float32(math.sqrt(2 * math.pi))

    @cuda.jit(device=True)
    def polar_to_cartesian(rho, theta):
        return rho * math.cos(theta), rho * math.sin(theta)

    @vectorize(["float32(float32, float32)"], target="cuda")
    def squared_diff(x, y):
        return (x - y) * (x - y)

    @vectorize(["float32(float32, float32, float32)"], target="cuda")
    def gaussian_pdf(x, mean, sigma):
        return math.exp(-np.float32(0.5) * ((x - mean) / sigma) ** 2) / (sigma * root)

    @vectorize(["float32(float32, float32, float32, float32)"], target="cuda")
    def polar_distance(rho1, theta1, rho2, theta2):
        x1, y1 = polar_to_cartesian(rho1, theta1)
        x2, y2 = polar_to_cartesian(rho2, theta2)
        return ((x1 - x2) ** 2 + (y1 - y2) ** 2) ** np.float32(0.5)

    @vectorize(["int32(int32)"], target="cuda")
    def check_prime(number):
        if number < 2:
            return 0
        for j in range(2, number // 2 + 1):
            if number % j == 0:
                return 0
        return number

    rng = np.random.default_rng(1)
    x, y, z, w = (cuda.to_device(rng.random(size, dtype=np.float32)) for _ in range(4))
    whole = cuda.to_device(np.arange(numbers, dtype=np.int32))
    a, b = (cuda.to_device(rng.random(SMALL, dtype=np.float32)) for _ in range(2))
    mean, sigma = np.float32(0), np.float32(1)
    return {
        "squared_diff f32": (50, lambda: squared_diff(x, y)),
        "gaussian_pdf f32": (50, lambda: gaussian_pdf(x, mean, sigma)),
        "polar_distance f32": (50, lambda: polar_distance(x, y, z, w)),
        "check_prime i32": (20, lambda: check_prime(whole)),
        "squared_diff f32, 10,000": (2000, lambda: squared_diff(a, b)),
    }


PEERS = {"CuPy": (cupy_calls, "CUPY_CACHE_DIR"), "Numba": (numba_calls, "NUMBA_CACHE_DIR")}


def events(peer: str) -> tuple[Callable[[], object], Callable[[object, object], float]]:
    """What records an event in the peer's stream, and the microseconds between two, for the second of which it waits."""
    if peer == "CuPy":
        import cupy as cp

        def record() -> object:
            event = cp.cuda.Event()
            event.record()
            return event

        def between(before, after) -> float:
            after.synchronize()
            return cp.cuda.get_elapsed_time(before, after) * 1e3

    else:
        from numba import cuda

        def record() -> object:
            event = cuda.event()
            event.record()
            return event

        def between(before, after) -> float:
            after.synchronize()
            return before.elapsed_time(after) * 1e3

    return record, between


def measure_peer(peer: str) -> None:
    """Prints the peer's times of later calls as lines of JSON; in a process of its own, so that each has the GPU's memory."""
    calls = PEERS[peer][0](ELEMENTS, NUMBERS)
    record, between = events(peer)
    for name, (repetitions, call) in calls.items():
        for _ in range(10):
            call()
        device, host = [], []
        for _ in range(repetitions):
            before, start = record(), time.perf_counter()
            result = call()
            host.append((time.perf_counter() - start) * 1e6)
            device.append(between(before, record()))
            del result
        row = {"name": name, "gpu_us": statistics.median(device), "gpu_min_us": min(device), "host_us": statistics.median(host)}
        print(json.dumps(row), flush=True)


def first_calls_of_peer(peer: str) -> None:
    """Prints the time of the first call of each function, compiling included. Numba compiles where a function is defined."""
    start = time.perf_counter()
    calls = PEERS[peer][0](SMALL, 1000)
    defined = (time.perf_counter() - start) * 1e3
    record, between = events(peer)
    between(record(), record())
    for name, (_, call) in calls.items():
        start = time.perf_counter()
        call()
        between(record(), record())
        first = (time.perf_counter() - start) * 1e3
        print(json.dumps({"name": name, "first_ms": first, "definitions_ms": defined}), flush=True)


def of_peer(peer: str) -> dict[str, dict[str, float]]:
    command = [sys.executable, __file__, "--peer", peer]
    rows = lines(subprocess.check_output([*command, "times"], text=True))
    add(rows, firsts([*command, "first"], PEERS[peer][1]))
    return rows


def main() -> int:
    beside = pathlib.Path(__file__).with_name("programs") / "kernels"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(beside), help="the prelude's example `kernels`")
    parser.add_argument("--output", help="writes all figures to this file, as JSON")
    parser.add_argument("--only", action="append", help="a peer: CUDA C, CuPy or Numba; may be repeated")
    parser.add_argument("--peer", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        peer, what = arguments.peer
        (first_calls_of_peer if what == "first" else measure_peer)(peer)
        return 0
    everything = {"Warpcell": ours(arguments.program)}
    for peer, measure in {"CUDA C": cuda_c, **{peer: lambda peer=peer: of_peer(peer) for peer in PEERS}}.items():
        if arguments.only and peer not in arguments.only:
            continue
        try:
            everything[peer] = measure()
        except (ImportError, subprocess.CalledProcessError) as error:
            print(f"{peer} is left out: {error}")
    mine = everything.pop("Warpcell")
    print(f"\n{'function':26} {'measure':8} {'Warpcell':>10}" + "".join(f" {peer:>10} {'ratio':>7}" for peer in everything))
    for name, row in mine.items():
        for key, measure in MEASURES.items():
            if key not in row:
                continue
            line = f"{name:26} {measure:8} {row[key]:10.2f}"
            for theirs in everything.values():
                other = theirs.get(name, {}).get(key)
                line += " " * 19 if other is None else f" {other:10.2f} {other / row[key]:7.2f}"
            print(line.rstrip())
    print("device and host in microseconds, first and cached in milliseconds; ratios above 1: Warpcell is faster")
    if arguments.output:
        figures = json.dumps({"Warpcell": mine, **everything}, indent=1)
        pathlib.Path(arguments.output).write_text(figures, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
