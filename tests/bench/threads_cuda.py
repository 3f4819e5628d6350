"""Times thread kernels in Rust on a GPU against the same in CUDA C, in one run on one GPU.

    python3 tests/bench/threads_cuda.py [--program PATH] [--output FILE]

Ours are the kernels of `prelude/examples/threads.rs`: the two products of lesson S1, a matrix product over tiles, a sum and a
histogram with atomics in shared memory. The same are written here in CUDA C, and compiled by `nvcc -O3`. Both measure alike: the
median of event times around one launch. `unchecked` is `launch_unchecked`, to compare with CUDA C; `checked` is `launch`, and its
last column what the checks of indices cost. Ratios are CUDA C's times over ours; above 1 ours is faster. --program names the
built example; beside this file in a package of tests/gpu/pack it is found.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

CUDA_C = r"""
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#define TILE 16

__global__ void mul(const double *in, double *out, const int Z, const int Y, const int X) {
    int x = blockDim.x * blockIdx.x + threadIdx.x;
    int y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x < X && y < Y) {
        out[y * X + x] = 1.;
        for (int z = 0; z < Z; z++)
            out[y * X + x] = out[y * X + x] * in[z * Y * X + y * X + x];
    }
}

__global__ void mul_reg(const double *in, double *out, const int Z, const int Y, const int X) {
    int x = blockDim.x * blockIdx.x + threadIdx.x;
    int y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x < X && y < Y) {
        double tmp = 1.;
        for (int z = 0; z < Z; z++)
            tmp *= in[z * Y * X + y * X + x];
        out[y * X + x] = tmp;
    }
}

__global__ void matmul(const float *a, const float *b, float *out, int rows, int columns, int inner) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float sum = 0.0f;
    for (int tile = 0; tile < inner / TILE; tile++) {
        left[ty][tx] = a[y * inner + tile * TILE + tx];
        right[ty][tx] = b[(tile * TILE + ty) * columns + x];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += left[ty][k] * right[k][tx];
        __syncthreads();
    }
    out[y * columns + x] = sum;
}

__global__ void sum(const float *a, float *out, int n) {
    __shared__ float partial[256];
    int t = threadIdx.x;
    float own = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        own += a[i];
    partial[t] = own;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(out, partial[0]);
}

__global__ void histogram(const unsigned char *values, unsigned *bins, int n) {
    __shared__ unsigned own[256];
    int t = threadIdx.x;
    own[t] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&own[values[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[t], own[t]);
}

__global__ void fill(float *out, long long n, float low, float high, unsigned seed) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x) {
        unsigned h = (unsigned)i * 2654435761u ^ seed;
        h = (h ^ h >> 16) * 0x7feb352du;
        h = (h ^ h >> 15) * 0x846ca68bu;
        h ^= h >> 16;
        out[i] = low + (high - low) * ((h >> 8) * (1.0f / 16777216.0f));
    }
}

template <typename To> __global__ void convert(const float *in, To *out, long long n, float by) {
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x)
        out[i] = (To)(in[i] * by);
}

#define CHECK(call) do { cudaError_t status = (call); if (status != cudaSuccess) { \
    fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); return 1; } } while (0)

static double median(std::vector<double> &values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

template <typename Launch> static int timed(const char *name, Launch launch) {
    cudaEvent_t before, after;
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&after));
    for (int i = 0; i < 10; i++) launch();
    CHECK(cudaDeviceSynchronize());
    std::vector<double> device;
    for (int i = 0; i < 50; i++) {
        CHECK(cudaEventRecord(before));
        launch();
        CHECK(cudaEventRecord(after));
        CHECK(cudaEventSynchronize(after));
        float milliseconds;
        CHECK(cudaEventElapsedTime(&milliseconds, before, after));
        device.push_back(milliseconds * 1e3);
    }
    CHECK(cudaGetLastError());
    printf("{\"name\": \"%s\", \"gpu_us\": %.2f}\n", name, median(device));
    return 0;
}

int main() {
    const int layer = 512, layers = 1024, side = 2048, elements = 50000000, blocks = 1024;
    const long long all = (long long)layers * layer * layer;
    float *random, *a, *b, *out;
    double *in, *product;
    unsigned char *bytes;
    unsigned *bins;
    CHECK(cudaMalloc(&random, all * sizeof(float)));
    CHECK(cudaMalloc(&in, all * sizeof(double)));
    CHECK(cudaMalloc(&product, (size_t)layer * layer * sizeof(double)));
    fill<<<4096, 256>>>(random, all, 0.999f, 1.001f, 1u);
    convert<<<4096, 256>>>(random, in, all, 1.0f);
    dim3 threads(32, 32), grid(layer / 32, layer / 32);
    if (timed("mul f64", [&] { mul<<<grid, threads>>>(in, product, layers, layer, layer); })) return 1;
    if (timed("mul_reg f64", [&] { mul_reg<<<grid, threads>>>(in, product, layers, layer, layer); })) return 1;
    CHECK(cudaFree(in));
    CHECK(cudaMalloc(&a, (size_t)side * side * sizeof(float)));
    CHECK(cudaMalloc(&b, (size_t)side * side * sizeof(float)));
    CHECK(cudaMalloc(&out, (size_t)side * side * sizeof(float)));
    fill<<<4096, 256>>>(a, (long long)side * side, -1.0f, 1.0f, 2u);
    fill<<<4096, 256>>>(b, (long long)side * side, -1.0f, 1.0f, 3u);
    dim3 tile(TILE, TILE), tiles(side / TILE, side / TILE);
    if (timed("matmul f32", [&] { matmul<<<tiles, tile>>>(a, b, out, side, side, side); })) return 1;
    fill<<<4096, 256>>>(random, elements, 0.0f, 1.0f, 4u);
    if (timed("sum f32", [&] { sum<<<blocks, 256>>>(random, out, elements); })) return 1;
    CHECK(cudaMalloc(&bytes, elements));
    CHECK(cudaMalloc(&bins, 256 * sizeof(unsigned)));
    CHECK(cudaMemset(bins, 0, 256 * sizeof(unsigned)));
    convert<<<4096, 256>>>(random, bytes, elements, 256.0f);
    return timed("histogram u8", [&] { histogram<<<blocks, 256>>>(bytes, bins, elements); });
}
"""


def lines(text: str) -> dict[str, dict[str, float]]:
    rows = {}
    for line in text.splitlines():
        if line.startswith('{"name"'):
            row = json.loads(line)
            rows[row.pop("name")] = row
    return rows


def cuda_c() -> dict[str, dict[str, float]]:
    nvcc = shutil.which("nvcc") or next(iter(pathlib.Path("/usr/local").glob("cuda*/bin/nvcc")), None)
    if nvcc is None:
        print("there is no nvcc: CUDA C is left out")
        return {}
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "threads.cu"), pathlib.Path(folder, "threads")
        source.write_text(CUDA_C, encoding="utf-8")
        subprocess.run([str(nvcc), "-O3", "-arch=native", "-o", str(program), str(source)], check=True)
        return lines(subprocess.check_output([str(program)], text=True))


def main() -> int:
    beside = pathlib.Path(__file__).with_name("programs") / "threads"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(beside), help="the prelude's example `threads`")
    parser.add_argument("--output", help="writes all figures to this file, as JSON")
    arguments = parser.parse_args()
    ours = lines(subprocess.check_output([arguments.program], text=True))
    theirs = cuda_c()
    print(f"\n{'kernel':16} {'unchecked':>10} {'CUDA C':>10} {'ratio':>7} {'checked':>10} {'checks':>8}")
    for name, row in ours.items():
        other = theirs.get(name, {}).get("gpu_us")
        peer = " " * 18 if other is None else f"{other:10.2f} {other / row['gpu_us']:7.3f}"
        cost = 100 * (row["checked_us"] / row["gpu_us"] - 1)
        print(f"{name:16} {row['gpu_us']:10.2f} {peer} {row['checked_us']:10.2f} {cost:+7.1f} %")
    print("device times in microseconds; ratios above 1: Warpcell is faster")
    if arguments.output:
        figures = json.dumps({"Warpcell": ours, "CUDA C": theirs}, indent=1)
        pathlib.Path(arguments.output).write_text(figures, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
