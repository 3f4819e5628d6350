"""Rows of convolutions of images for workloads_cuda.py: `convolutions` of `prelude/examples/workloads.rs` in the forms of the peers.

An image of N × N by a kernel of K × K, all of the result. Frameworks for neural networks compute correlations: the kernel is turned before.
"""

from __future__ import annotations

from collections.abc import Iterator

# Sides of images and of kernels.
SIZES = [(256, 3), (256, 31), (1024, 5), (2048, 3), (2048, 5), (2048, 15), (2048, 31), (2048, 63), (8192, 3), (8192, 15), (4096, 63)]
OF_F64 = [(2048, 5), (2048, 15), (2048, 31), (2048, 63)]


def arrays(data) -> Iterator[tuple]:
    """The end of a row's name, the image and the kernel, of f32 and of f64."""
    for text, sizes in (("f32", SIZES), ("f64", OF_F64)):
        for side, width in sizes:
            n, k = data.size(side, 24), data.size(width, min(width, 9))
            yield f"{text} {side} by {width}", data.floats(n, n), data.floats(k, k, seed=2), text == "f64"


def of_cupy(data):
    from cupyx.scipy import signal

    for name, image, kernel, is_double in arrays(data):
        if is_double:
            image, kernel = image.astype("float64"), kernel.astype("float64")
        yield f"convolve2d {name}", 5, lambda: signal.convolve2d(image, kernel)
        yield f"fftconvolve {name}", 5, lambda: signal.fftconvolve(image, kernel)


def of_torch(data):
    from torch.nn.functional import conv2d

    for name, image, kernel, is_double in arrays(data):
        if is_double:
            image, kernel = image.double(), kernel.double()
        image, turned, around = image[None, None], kernel.flip(0, 1)[None, None], len(kernel) - 1
        yield f"convolve2d {name}", 5, lambda: conv2d(image, turned, padding=around)


def of_jax(data):
    import jax
    from jax.scipy import signal

    direct = jax.jit(lambda image, kernel: signal.convolve2d(image, kernel, precision="highest"))
    by_transforms = jax.jit(signal.fftconvolve)
    for name, image, kernel, is_double in arrays(data):
        if is_double:
            image, kernel = image.astype("float64"), kernel.astype("float64")
        yield f"convolve2d {name}", 5, lambda: direct(image, kernel)
        yield f"fftconvolve {name}", 5, lambda: by_transforms(image, kernel)
