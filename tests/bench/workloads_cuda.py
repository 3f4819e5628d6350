"""Times what users do with arrays, functions over arrays and kernels on a GPU against CuPy, PyTorch and JAX, in one run on one GPU.

    python3 tests/bench/workloads_cuda.py [--program PATH] [--output FILE] [--only PEER] [--rows WORD ...]

Ours are the rows of `prelude/examples/workloads.rs`. Each peer has the form that its users would type: compiled where it would be
(`torch.compile`, `jax.jit`, `cupyx.jit` or `RawKernel` for kernels). Each side runs in a process of its own, one after the other, on random
data that no cache holds. Device times are medians of event times around one call. JAX has no events: its figures are whole times of 10
calls in a row divided by 10, so time of the host is hidden behind that of the device. Before products of matrices all sides rest for a second. First all sides compute each row on the same small
data, and two sums of the results are compared: a row that differs from the others is named, and the script fails. Ratios are the best
peer's time over ours; above 1 ours is faster. --rows takes words: rows whose names contain one of them. --program names the built
example; beside this file in a package of tests/gpu/pack it is found.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import convolution_rows
import numpy as np

# Name, repetitions, and the call.
Row = tuple[str, int, Callable[[], object]]

STENCIL = r"""
extern "C" __global__ void five_points(const float* a, float* out, int rows, int columns) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, line = columns + 2;
    if (x < columns && y < rows) {
        const float* at = a + (y + 1) * line + x + 1;
        out[y * columns + x] = (at[0] + at[-line] + at[line] + at[-1] + at[1]) * 0.2f;
    }
}
"""
MANDELBROT = """
float x = 0, y = 0;
n = most;
for (int step = 0; step < most; step++) {
    const float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) { n = step; break; }
    y = 2 * x * y + im;
    x = xx - yy + re;
}
"""
CENTRES, COORDINATES = 64, 16


class Data:
    """Sizes and inputs: large and random, or small and the same on all sides."""

    def __init__(self, small: bool, uniform: Callable, integers: Callable, put: Callable):
        self.small, self.uniform, self.random_integers, self.put = small, uniform, integers, put

    def size(self, full: int, small: int) -> int:
        return small if self.small else full

    def floats(self, *shape: int, seed: int = 1):
        if not self.small:
            return self.uniform(shape)
        values = (np.arange(math.prod(shape)) * 7919 + seed * 104_729) % 10_007
        return self.put((values.astype(np.float32) / np.float32(10_007)).reshape(shape))

    def integers(self, size: int, end: int):
        if not self.small:
            return self.random_integers(size, end)
        return self.put((np.arange(size) * 7919 + 104_729) % 10_007 % end)


def cupy_rows(data: Data) -> Iterator[Row]:
    import cupy as cp
    from cupy._core import _routines_linalg

    side = data.size(8192, 64)
    a, b = data.floats(side, side), data.floats(side, side, seed=2)
    c, d = a.astype(cp.float16), b.astype(cp.float16)
    yield "matmul f16 8192", 20, lambda: c @ d
    del c, d
    # What CUPY_TF32=1 in the environment sets.
    _routines_linalg.set_compute_type(cp.float32, _routines_linalg.COMPUTE_TYPE_TF32)
    yield "matmul tf32 8192", 20, lambda: a @ b
    _routines_linalg.set_compute_type(cp.float32, _routines_linalg.COMPUTE_TYPE_DEFAULT)
    side = data.size(2048, 64)
    a, b, c = (data.floats(side, side, seed=seed) for seed in (1, 2, 3))
    yield "einsum ij,jk,kl->il f32 2048", 20, lambda: cp.einsum("ij,jk,kl->il", a, b, c, optimize=True)
    side = data.size(4096, 64)
    a, b, c = data.floats(side, side), data.floats(side, side, seed=2), data.floats(side, seed=3)
    yield "einsum ij,jk,k->i f32 4096", 20, lambda: cp.einsum("ij,jk,k->i", a, b, c, optimize=True)
    size = data.size(1 << 24, 1 << 12)
    z = data.floats(size) + cp.complex64(1j) * data.floats(size, seed=2)
    yield "fft c64 16M", 20, lambda: cp.fft.fft(z)
    rows = z.reshape(-1, data.size(4096, 64))
    yield "fft c64 4096 of 4096", 20, lambda: cp.fft.fft(rows)
    image = data.floats(data.size(2048, 32), data.size(2048, 32))
    yield "rfft2 f32 2048", 50, lambda: cp.fft.rfft2(image)
    side = data.size(10_000, 50)
    x = data.floats(side, side)

    def softmax():
        e = cp.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def layer_norm():
        centred = x - x.mean(axis=1, keepdims=True)
        return centred / cp.sqrt((centred * centred).mean(axis=1, keepdims=True) + np.float32(1e-5))

    yield "softmax f32 1e4x1e4", 10, softmax
    yield "layer norm f32 1e4x1e4", 10, layer_norm
    yield "softmax by formulas f32 1e4x1e4", 10, softmax
    x = data.floats(data.size(20_000_000, 1000))
    mask = x < 0.5
    yield "x[mask] f32 2e7", 20, lambda: x[mask]
    yield "where(mask, x, 0) f32 2e7", 20, lambda: cp.where(mask, x, np.float32(0))
    size = data.size(1 << 24, 5000)
    x = data.integers(size, 1_000_000)
    yield "unique i64 16M", 20, lambda: cp.unique(x)
    for bins, text in ((4, "4"), (1000, "1000"), (1_000_000, "1e6")):
        x = data.integers(size, bins)
        yield f"bincount i64 16M, {text} bins", 20, lambda: cp.bincount(x)
    x = data.floats(data.size(99_999_999, 999))
    yield "histogram f32 1e8, 100 bins", 20, lambda: cp.histogram(x, 100, (0.0, 1.0))[0]
    yield "median f32 1e8", 5, lambda: cp.median(x)
    yield "top 100 f32 1e8", 5, lambda: cp.sort(cp.partition(x, x.size - 100)[-100:])[::-1]
    x = data.floats(data.size(99_999_999, 999))
    yield "cumsum f32 1e8", 20, lambda: cp.cumsum(x)
    y = data.floats(data.size(50_000_000, 999)).astype(cp.float64)
    yield "exp f64 5e7", 20, lambda: cp.exp(y)
    size = data.size(20_000_000, 1000)
    x, places = data.floats(size), data.integers(size, size)
    yield "take f32 2e7 at random", 20, lambda: x[places]
    side = data.size(10_000, 50)
    x = data.floats(side, side)
    yield "sum over axis 0 f32 1e4x1e4", 20, lambda: x.sum(0)
    yield "copy transposed f32 1e4x1e4", 20, lambda: x.T.copy()
    x = data.floats(data.size(1 << 24, 5000))
    yield "sort f32 16M", 20, lambda: cp.sort(x)
    yield "argsort f32 16M", 20, lambda: cp.argsort(x)
    side = data.size(512, 32)
    x = data.floats(side, side).astype(cp.float64)
    matrix = x @ x.T + cp.eye(side) * side
    yield "cholesky f64 512", 20, lambda: cp.linalg.cholesky(matrix)
    side = data.size(8192, 48) + 2
    a = data.floats(side, side)

    def parts():
        return a[1:-1, 1:-1], a[:-2, 1:-1], a[2:, 1:-1], a[1:-1, :-2], a[1:-1, 2:]

    def eager():
        c, n, s, w, e = parts()
        return (c + n + s + w + e) * np.float32(0.2)

    @cp.fuse
    def mean(c, n, s, w, e):
        return (c + n + s + w + e) * np.float32(0.2)

    raw = cp.RawKernel(STENCIL, "five_points")

    def kernel():
        out = cp.empty((side - 2, side - 2), cp.float32)
        raw((-(-side // 32), -(-side // 8)), (32, 8), (a, out, np.int32(side - 2), np.int32(side - 2)))
        return out

    yield "stencil by slices f32 8192", 20, eager
    yield "stencil by slices, fused f32 8192", 20, lambda: mean(*parts())
    yield "stencil by a kernel f32 8192", 20, kernel
    points = data.floats(data.size(1 << 20, 1024), COORDINATES)
    centres = points[: data.size(CENTRES, 8)].copy()

    def kmeans():
        labels = ((centres * centres).sum(axis=1) - 2 * (points @ centres.T)).argmin(axis=1)
        chosen = (labels[:, None] == cp.arange(len(centres))).astype(cp.float32)
        return (chosen.T @ points) / cp.maximum(chosen.sum(axis=0), np.float32(1))[:, None]

    yield "k-means step f32 1M x 16, 64 centres", 20, kmeans
    count = data.size(16_384, 1024)
    bodies, velocities = data.floats(count, 4), data.floats(count, 3, seed=2)

    def gravity():
        places = bodies[:, :3]
        # Component by component: all pairs of vectors at once would take 3 GB more.
        apart = [places[None, :, k] - places[:, None, k] for k in range(3)]
        nearness = cp.power(apart[0] ** 2 + apart[1] ** 2 + apart[2] ** 2 + np.float32(0.01), np.float32(-1.5)) * bodies[None, :, 3]
        faster = velocities + np.float32(0.001) * cp.stack([(each * nearness).sum(axis=1) for each in apart], axis=1)
        return cp.concatenate([places + np.float32(0.001) * faster, bodies[:, 3:]], axis=1), faster

    yield "N-body step f32 16384", 3, gravity
    side = data.size(4096, 64)
    re = cp.linspace(-2, 0.5, side, dtype=cp.float32)
    im = cp.linspace(-1.25, 1.25, side, dtype=cp.float32)[:, None]
    escape = cp.ElementwiseKernel("float32 re, float32 im, int32 most", "int32 n", MANDELBROT, "mandelbrot")
    yield "Mandelbrot f32 4096, 200 steps", 10, lambda: escape(re, im, 200)
    yield from convolution_rows.of_cupy(data)


def torch_rows(data: Data) -> Iterator[Row]:
    import torch
    import torch.nn.functional as functional

    side = data.size(8192, 64)
    a, b = data.floats(side, side), data.floats(side, side, seed=2)
    for dtype, text in ((torch.float16, "f16"), (torch.bfloat16, "bf16")):
        c, d = a.to(dtype), b.to(dtype)
        yield f"matmul {text} 8192", 20, lambda: c @ d
    torch.backends.cuda.matmul.allow_tf32 = True
    yield "matmul tf32 8192", 20, lambda: a @ b
    torch.backends.cuda.matmul.allow_tf32 = False
    side = data.size(2048, 64)
    a, b, c = (data.floats(side, side, seed=seed) for seed in (1, 2, 3))
    yield "einsum ij,jk,kl->il f32 2048", 20, lambda: torch.einsum("ij,jk,kl->il", a, b, c)
    side = data.size(4096, 64)
    a, b, c = data.floats(side, side), data.floats(side, side, seed=2), data.floats(side, seed=3)
    yield "einsum ij,jk,k->i f32 4096", 20, lambda: torch.einsum("ij,jk,k->i", a, b, c)
    size = data.size(1 << 24, 1 << 12)
    z = torch.complex(data.floats(size), data.floats(size, seed=2))
    yield "fft c64 16M", 20, lambda: torch.fft.fft(z)
    rows = z.reshape(-1, data.size(4096, 64))
    yield "fft c64 4096 of 4096", 20, lambda: torch.fft.fft(rows)
    image = data.floats(data.size(2048, 32), data.size(2048, 32))
    yield "rfft2 f32 2048", 50, lambda: torch.fft.rfft2(image)
    side = data.size(10_000, 50)
    x = data.floats(side, side)
    softmax = torch.compile(lambda x: torch.softmax(x, 1))
    layer_norm = torch.compile(lambda x: functional.layer_norm(x, (side,)))
    yield "softmax f32 1e4x1e4", 20, lambda: softmax(x)
    yield "layer norm f32 1e4x1e4", 20, lambda: layer_norm(x)
    yield "softmax by formulas f32 1e4x1e4", 20, lambda: softmax(x)
    # Not compiled, the same have other kernels; the faster ones count.
    yield "softmax f32 1e4x1e4", 20, lambda: torch.softmax(x, 1)
    yield "layer norm f32 1e4x1e4", 20, lambda: functional.layer_norm(x, (side,))
    x = data.floats(data.size(20_000_000, 1000))
    mask = x < 0.5
    yield "x[mask] f32 2e7", 20, lambda: x[mask]
    yield "where(mask, x, 0) f32 2e7", 20, lambda: torch.where(mask, x, 0.0)
    size = data.size(1 << 24, 5000)
    x = data.integers(size, 1_000_000)
    yield "unique i64 16M", 20, lambda: torch.unique(x)
    for bins, text in ((4, "4"), (1000, "1000"), (1_000_000, "1e6")):
        x = data.integers(size, bins)
        yield f"bincount i64 16M, {text} bins", 20, lambda: torch.bincount(x)
    x = data.floats(data.size(99_999_999, 999))
    yield "histogram f32 1e8, 100 bins", 20, lambda: torch.histc(x, 100, 0.0, 1.0)
    yield "median f32 1e8", 10, lambda: torch.median(x)
    yield "top 100 f32 1e8", 10, lambda: torch.topk(x, 100).values
    x = data.floats(data.size(99_999_999, 999))
    yield "cumsum f32 1e8", 20, lambda: torch.cumsum(x, 0)
    y = data.floats(data.size(50_000_000, 999)).double()
    yield "exp f64 5e7", 20, lambda: torch.exp(y)
    size = data.size(20_000_000, 1000)
    x, places = data.floats(size), data.integers(size, size)
    yield "take f32 2e7 at random", 20, lambda: x[places]
    side = data.size(10_000, 50)
    x = data.floats(side, side)
    yield "sum over axis 0 f32 1e4x1e4", 20, lambda: x.sum(0)
    yield "copy transposed f32 1e4x1e4", 20, lambda: x.T.contiguous()
    x = data.floats(data.size(1 << 24, 5000))
    yield "sort f32 16M", 20, lambda: torch.sort(x).values
    yield "argsort f32 16M", 20, lambda: torch.argsort(x)
    side = data.size(512, 32)
    x = data.floats(side, side).double()
    matrix = x @ x.T + torch.eye(side, dtype=torch.float64, device=x.device) * side
    yield "cholesky f64 512", 20, lambda: torch.linalg.cholesky(matrix)
    side = data.size(8192, 48) + 2
    a = data.floats(side, side)

    def stencil(a):
        return (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) * 0.2

    compiled = torch.compile(stencil)
    yield "stencil by slices f32 8192", 20, lambda: stencil(a)
    yield "stencil by slices, fused f32 8192", 20, lambda: compiled(a)
    yield "stencil by a kernel f32 8192", 20, lambda: compiled(a)
    points = data.floats(data.size(1 << 20, 1024), COORDINATES)
    centres = points[: data.size(CENTRES, 8)].clone()

    @torch.compile
    def kmeans(points, centres):
        labels = ((centres * centres).sum(1) - 2 * (points @ centres.T)).argmin(1)
        sums = torch.zeros_like(centres).index_add_(0, labels, points)
        counts = torch.zeros_like(centres[:, 0]).index_add_(0, labels, torch.ones_like(points[:, 0]))
        return sums / counts.clamp(min=1)[:, None]

    yield "k-means step f32 1M x 16, 64 centres", 20, lambda: kmeans(points, centres)
    count = data.size(16_384, 1024)
    bodies, velocities = data.floats(count, 4), data.floats(count, 3, seed=2)

    @torch.compile
    def gravity(bodies, velocities):
        places, masses = bodies[:, :3], bodies[:, 3]
        apart = places[None, :, :] - places[:, None, :]
        nearness = torch.rsqrt((apart * apart).sum(2) + 0.01)
        pulls = masses[None, :] * nearness * nearness * nearness
        faster = velocities + 0.001 * (apart * pulls[:, :, None]).sum(1)
        return torch.cat([places + 0.001 * faster, bodies[:, 3:]], 1), faster

    yield "N-body step f32 16384", 5, lambda: gravity(bodies, velocities)
    side = data.size(4096, 64)
    re = torch.linspace(-2, 0.5, side, device="cuda")
    im = torch.linspace(-1.25, 1.25, side, device="cuda")[:, None]

    @torch.compile
    def ten_steps(x, y, re, im, n):
        for _ in range(10):
            xx, yy = x * x, y * y
            inside = xx + yy <= 4.0
            y = torch.where(inside, 2 * x * y + im, y)
            x = torch.where(inside, xx - yy + re, x)
            n = n + inside
        return x, y, n

    def mandelbrot():
        zeros = re * im * 0
        x, y, n = zeros, zeros, zeros.int()
        for _ in range(20):
            x, y, n = ten_steps(x, y, re, im, n)
        return n

    yield "Mandelbrot f32 4096, 200 steps", 5, mandelbrot
    yield from convolution_rows.of_torch(data)


def jax_rows(data: Data) -> Iterator[Row]:
    import jax
    import jax.numpy as jnp

    jit = jax.jit
    side = data.size(8192, 64)
    a, b = data.floats(side, side), data.floats(side, side, seed=2)
    product = jit(lambda a, b: a @ b)
    for dtype, text in ((jnp.float16, "f16"), (jnp.bfloat16, "bf16")):
        c, d = a.astype(dtype), b.astype(dtype)
        yield f"matmul {text} 8192", 20, lambda: product(c, d)
    rounded = jit(lambda a, b: jnp.matmul(a, b, precision="tensorfloat32"))
    yield "matmul tf32 8192", 20, lambda: rounded(a, b)
    side = data.size(2048, 64)
    a, b, c = (data.floats(side, side, seed=seed) for seed in (1, 2, 3))
    three = jit(lambda a, b, c: jnp.einsum("ij,jk,kl->il", a, b, c, precision="highest"))
    yield "einsum ij,jk,kl->il f32 2048", 20, lambda: three(a, b, c)
    side = data.size(4096, 64)
    a, b, c = data.floats(side, side), data.floats(side, side, seed=2), data.floats(side, seed=3)
    vector = jit(lambda a, b, c: jnp.einsum("ij,jk,k->i", a, b, c, precision="highest"))
    yield "einsum ij,jk,k->i f32 4096", 20, lambda: vector(a, b, c)
    size = data.size(1 << 24, 1 << 12)
    z = data.floats(size) + jnp.complex64(1j) * data.floats(size, seed=2)
    fft, rfft2 = jit(jnp.fft.fft), jit(jnp.fft.rfft2)
    yield "fft c64 16M", 20, lambda: fft(z)
    rows = z.reshape(-1, data.size(4096, 64))
    yield "fft c64 4096 of 4096", 20, lambda: fft(rows)
    image = data.floats(data.size(2048, 32), data.size(2048, 32))
    yield "rfft2 f32 2048", 50, lambda: rfft2(image)
    side = data.size(10_000, 50)
    x = data.floats(side, side)
    softmax = jit(lambda x: jax.nn.softmax(x, axis=1))
    layer_norm = jit(lambda x: (x - x.mean(1, keepdims=True)) / jnp.sqrt(x.var(1, keepdims=True) + 1e-5))
    yield "softmax f32 1e4x1e4", 20, lambda: softmax(x)
    yield "layer norm f32 1e4x1e4", 20, lambda: layer_norm(x)
    yield "softmax by formulas f32 1e4x1e4", 20, lambda: softmax(x)
    x = data.floats(data.size(20_000_000, 1000))
    mask = x < 0.5
    # The length of the result depends on the values, which `jit` does not allow.
    yield "x[mask] f32 2e7", 20, lambda: x[mask]
    where = jit(lambda mask, x: jnp.where(mask, x, 0))
    yield "where(mask, x, 0) f32 2e7", 20, lambda: where(mask, x)
    size = data.size(1 << 24, 5000)
    x = data.integers(size, 1_000_000)
    yield "unique i64 16M", 5, lambda: jnp.unique(x)
    for bins, text in ((4, "4"), (1000, "1000"), (1_000_000, "1e6")):
        x = data.integers(size, bins)
        length = int(x.max()) + 1
        count = jit(lambda x, length=length: jnp.bincount(x, length=length))
        yield f"bincount i64 16M, {text} bins", 10, lambda: count(x)
    x = data.floats(data.size(99_999_999, 999))
    histogram = jit(lambda x: jnp.histogram(x, 100, (0.0, 1.0))[0])
    yield "histogram f32 1e8, 100 bins", 5, lambda: histogram(x)
    median, top = jit(jnp.median), jit(lambda x: jax.lax.top_k(x, 100)[0])
    yield "median f32 1e8", 5, lambda: median(x)
    yield "top 100 f32 1e8", 5, lambda: top(x)
    x = data.floats(data.size(99_999_999, 999))
    cumsum, exp, take, over = jit(jnp.cumsum), jit(jnp.exp), jit(lambda x, places: x[places]), jit(lambda x: x.sum(0))
    turned, sort, argsort, cholesky = jit(lambda x: x.T.copy()), jit(jnp.sort), jit(jnp.argsort), jit(jnp.linalg.cholesky)
    yield "cumsum f32 1e8", 20, lambda: cumsum(x)
    y = data.floats(data.size(50_000_000, 999)).astype(jnp.float64)
    yield "exp f64 5e7", 20, lambda: exp(y)
    size = data.size(20_000_000, 1000)
    x, places = data.floats(size), data.integers(size, size)
    yield "take f32 2e7 at random", 20, lambda: take(x, places)
    side = data.size(10_000, 50)
    x = data.floats(side, side)
    yield "sum over axis 0 f32 1e4x1e4", 20, lambda: over(x)
    yield "copy transposed f32 1e4x1e4", 20, lambda: turned(x)
    x = data.floats(data.size(1 << 24, 5000))
    yield "sort f32 16M", 20, lambda: sort(x)
    yield "argsort f32 16M", 20, lambda: argsort(x)
    side = data.size(512, 32)
    x = data.floats(side, side).astype(jnp.float64)
    matrix = x @ x.T + jnp.eye(side) * side
    yield "cholesky f64 512", 20, lambda: cholesky(matrix)
    side = data.size(8192, 48) + 2
    a = data.floats(side, side)

    def stencil(a):
        return (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) * 0.2

    compiled = jit(stencil)
    yield "stencil by slices f32 8192", 20, lambda: stencil(a)
    yield "stencil by slices, fused f32 8192", 20, lambda: compiled(a)
    yield "stencil by a kernel f32 8192", 20, lambda: compiled(a)
    points = data.floats(data.size(1 << 20, 1024), COORDINATES)
    centres = points[: data.size(CENTRES, 8)].copy()

    @jit
    def kmeans(points, centres):
        labels = ((centres * centres).sum(1) - 2 * jnp.matmul(points, centres.T, precision="highest")).argmin(1)
        sums = jax.ops.segment_sum(points, labels, len(centres))
        counts = jax.ops.segment_sum(jnp.ones(len(points), jnp.float32), labels, len(centres))
        return sums / jnp.maximum(counts, 1)[:, None]

    yield "k-means step f32 1M x 16, 64 centres", 20, lambda: kmeans(points, centres)
    count = data.size(16_384, 1024)
    bodies, velocities = data.floats(count, 4), data.floats(count, 3, seed=2)

    @jit
    def gravity(bodies, velocities):
        places, masses = bodies[:, :3], bodies[:, 3]
        apart = places[None, :, :] - places[:, None, :]
        nearness = jax.lax.rsqrt((apart * apart).sum(2) + 0.01)
        pulls = masses[None, :] * nearness * nearness * nearness
        faster = velocities + 0.001 * (apart * pulls[:, :, None]).sum(1)
        return jnp.concatenate([places + 0.001 * faster, bodies[:, 3:]], 1), faster

    yield "N-body step f32 16384", 5, lambda: gravity(bodies, velocities)
    side = data.size(4096, 64)
    re = jnp.linspace(-2, 0.5, side, dtype=jnp.float32)
    im = jnp.linspace(-1.25, 1.25, side, dtype=jnp.float32)[:, None]

    @jit
    def mandelbrot(re, im):
        def step(_, state):
            x, y, n = state
            xx, yy = x * x, y * y
            inside = xx + yy <= 4.0
            return jnp.where(inside, xx - yy + re, x), jnp.where(inside, 2 * x * y + im, y), n + inside.astype(jnp.int32)

        zeros = jnp.zeros_like(re * im)
        return jax.lax.fori_loop(0, 200, step, (zeros, zeros, zeros.astype(jnp.int32)))[2]

    yield "Mandelbrot f32 4096, 200 steps", 5, lambda: mandelbrot(re, im)
    yield from convolution_rows.of_jax(data)


def cupy_peer(small: bool):
    import cupy as cp

    def record():
        event = cp.cuda.Event()
        event.record()
        return event

    def between(before, after) -> float:
        after.synchronize()
        return cp.cuda.get_elapsed_time(before, after) * 1e3

    data = Data(
        small,
        lambda shape: cp.random.random(shape, dtype=np.float32),
        lambda size, end: cp.random.randint(0, end, size, dtype=np.int64),
        cp.asarray,
    )
    return cupy_rows(data), record, between, cp.asnumpy, cp.get_default_memory_pool().free_all_blocks


def torch_peer(small: bool):
    import torch

    torch.set_float32_matmul_precision("highest")

    def record():
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def between(before, after) -> float:
        after.synchronize()
        return before.elapsed_time(after) * 1e3

    data = Data(
        small,
        lambda shape: torch.rand(shape, device="cuda"),
        lambda size, end: torch.randint(0, end, (size,), device="cuda"),
        lambda values: torch.from_numpy(values).cuda(),
    )

    def download(x) -> np.ndarray:
        return (x if x.is_complex() else x.double()).cpu().numpy()

    return torch_rows(data), record, between, download, torch.cuda.empty_cache


def jax_peer(small: bool):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    keys = iter(jax.random.split(jax.random.key(0), 100))
    data = Data(
        small,
        lambda shape: jax.block_until_ready(jax.random.uniform(next(keys), shape, jnp.float32)),
        lambda size, end: jax.block_until_ready(jax.random.randint(next(keys), (size,), 0, end, jnp.int64)),
        jnp.asarray,
    )
    return jax_rows(data), None, jax.block_until_ready, np.asarray, lambda: None


PACKAGES = ("cupy-cuda12x", "cupy-cuda13x", "torch", "jax")
PEERS = {"CuPy": cupy_peer, "PyTorch": torch_peer, "JAX": jax_peer}


def sums(result: object, download: Callable) -> list[float]:
    """Two sums of the sizes of a result's elements, as the example prints them."""
    if isinstance(result, tuple):
        pairs = [sums(part, download) for part in result]
        return [math.fsum(pair[0] for pair in pairs), math.fsum(pair[1] for pair in pairs)]
    values = np.abs(np.asarray(download(result))).ravel().astype(np.float64)
    return [float(values.sum()), float((values * (np.arange(values.size) % 97 / 97)).sum())]


def measure_peer(peer: str, what: str, words: list[str]) -> None:
    """Prints a peer's rows as lines of JSON; in a process of its own, so that each has the GPU's memory."""
    rows, record, between, download, release = PEERS[peer](what == "check")
    for name, repetitions, call in rows:
        if words and not any(word in name for word in words):
            continue
        try:
            if what == "check":
                print(json.dumps({"name": name, "sums": sums(call(), download)}), flush=True)
                continue
            if name.startswith(("matmul", "einsum")):
                # A GPU that has just multiplied large matrices is at its limit of power, and slower. So it rests before the next.
                time.sleep(1)
            for _ in range(5):
                result = call()
            device, host = [], []
            if record is None:
                wait, inner = between, 10
                wait(result)
                for _ in range(max(3, repetitions // 4)):
                    start = time.perf_counter()
                    for _ in range(inner):
                        before = time.perf_counter()
                        result = call()
                        host.append((time.perf_counter() - before) * 1e6)
                    wait(result)
                    device.append((time.perf_counter() - start) * 1e6 / inner)
            else:
                between(record(), record())
                for _ in range(repetitions):
                    before, start = record(), time.perf_counter()
                    result = call()
                    host.append((time.perf_counter() - start) * 1e6)
                    device.append(between(before, record()))
                    result = None
            row = {"name": name, "gpu_us": statistics.median(device), "gpu_min_us": min(device), "host_us": statistics.median(host)}
            print(json.dumps(row), flush=True)
        except Exception as error:  # a peer that lacks something has no figure
            print(json.dumps({"name": name, "error": f"{type(error).__name__}: {error}"[:200]}), flush=True)
        result = None
        release()


def lines(text: str) -> dict[str, dict]:
    """The rows by their names; of two with one name the faster one."""
    rows: dict[str, dict] = {}
    for line in text.splitlines():
        if not line.startswith('{"name"'):
            continue
        row = json.loads(line)
        name = row.pop("name")
        if name not in rows or row.get("gpu_us", math.inf) < rows[name].get("gpu_us", math.inf):
            rows[name] = row
    return rows


def output(command: list[str]) -> dict[str, dict]:
    """What a process has printed until its end; an end by an error is told."""
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if ended.returncode:
        print(f"{' '.join(command)} ended with {ended.returncode}")
    return lines(ended.stdout)


def machine() -> str:
    """The GPU, its driver, and the versions of the peers."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    try:
        gpu = subprocess.run(query, stdout=subprocess.PIPE, text=True, check=False).stdout.strip().replace("\n", "; ")
    except OSError:
        gpu = "a GPU"
    installed = {each.metadata["Name"]: each.version for each in importlib.metadata.distributions()}
    found = [f"{name} {installed[name]}" for name in PACKAGES if name in installed]
    return ", ".join([gpu, *found])


def disagreements(checks: dict[str, dict[str, dict]]) -> list[str]:
    """Rows whose sums differ between two sides by more than their types and the order of their terms explain."""
    wrong = []
    for name in checks["Warpcell"]:
        tolerance = 2e-2 if any(word in name for word in ("16", "tf32", "Mandelbrot", "k-means")) and "16M" not in name else 1e-3
        found = {side: rows[name]["sums"] for side, rows in checks.items() if "sums" in rows.get(name, {})}
        for index in (0, 1):
            values = [pair[index] for pair in found.values()]
            if max(values) - min(values) > tolerance * max(map(abs, values)):
                wrong.append(f"{name}: {found}")
                break
    return wrong


def main() -> int:
    beside = pathlib.Path(__file__).with_name("programs") / "workloads"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(beside), help="the prelude's example `workloads`")
    parser.add_argument("--output", help="writes all figures to this file, as JSON")
    parser.add_argument("--only", action="append", choices=PEERS, help="a peer; may be repeated")
    parser.add_argument("--rows", nargs="*", default=[], help="words; rows whose names contain one of them")
    parser.add_argument("--peer", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        measure_peer(*arguments.peer, arguments.rows)
        return 0
    everything: dict[str, dict[str, dict[str, dict]]] = {}
    for what in ("check", "times"):
        everything[what] = {"Warpcell": output([arguments.program, what, *arguments.rows])}
        for peer in arguments.only or PEERS:
            everything[what][peer] = output([sys.executable, __file__, "--peer", peer, what, "--rows", *arguments.rows])
    wrong = disagreements(everything["check"])
    for text in wrong:
        print(f"results differ: {text}")
    times = everything["times"]
    print(machine())
    mine = times["Warpcell"]
    others = [peer for peer in times if peer != "Warpcell"]
    print(f"\n{'row':38} {'Warpcell':>10}" + "".join(f" {peer:>10}" for peer in others) + "   ratio")
    ratios = []
    for name, row in mine.items():
        figures = {peer: times[peer].get(name, {}).get("gpu_us") for peer in others}
        known = [figure for figure in figures.values() if figure is not None]
        line = f"{name:38} {row['gpu_us']:10.1f}"
        line += "".join(f" {'-' if figure is None else format(figure, '.1f'):>10}" for figure in figures.values())
        if known:
            ratios.append(min(known) / row["gpu_us"])
            line += f" {ratios[-1]:7.2f}"
        print(line)
    for peer in others:
        for name, row in times[peer].items():
            if "error" in row:
                print(f"{peer} has no figure for {name}: {row['error']}")
    if ratios:
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"device times in microseconds; ratio: the best peer over ours, {mean:.2f} in the geometric mean of {len(ratios)} rows")
    if arguments.output:
        pathlib.Path(arguments.output).write_text(json.dumps(everything, indent=1), encoding="utf-8")
    return 1 if wrong or not mine else 0


if __name__ == "__main__":
    sys.exit(main())
