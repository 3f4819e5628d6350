"""Cases of complex numbers and of Fourier transforms, for generate.py."""

import numpy as np

COMPLEX = {"Complex<f32>": "complex64", "Complex<f64>": "complex128"}


def families(rng, sample, array, dtypes):
    """The families, made of generate.py's generator, its functions and its table of real types."""

    def complex_sample(shape, dtype="Complex<f64>"):
        return (sample(shape) + 1j * sample(shape)).astype(COMPLEX[dtype])

    def complex_numbers():
        """Arithmetic, functions, sums and conversions of complex numbers."""
        def case(name, expected, **arguments):
            given = {key: array(value) if isinstance(value, (np.ndarray, np.generic)) else value
                     for key, value in arguments.items()}
            return {"name": name, **given, "expected": array(expected)}

        binary = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "eq": np.equal,
                  "ne": np.not_equal}
        unary = {"negative": np.negative, "abs": np.abs, "conj": np.conj, "angle": np.angle, "exp": np.exp, "sqrt": np.sqrt,
                 "square": np.square, "real": np.real, "imag": np.imag, "is_nan": np.isnan, "is_inf": np.isinf,
                 "is_finite": np.isfinite, "bool": lambda x: x.astype("bool")}
        special = np.array([complex(re, im) for re in [0.0, -2.0, np.inf, -np.inf, np.nan] for im in [0.0, 1.5, -np.inf, np.nan]])
        # Where C leaves signs open, or NumPy's functions differ between machines, special values are left out.
        exact = ["negative", "abs", "conj", "real", "imag", "is_nan", "is_inf", "is_finite", "bool", "angle"]
        for dtype in COMPLEX:
            for shape in [(), (5,), (3, 4), (0, 2)]:
                x = complex_sample(shape, dtype)
                for name, function in unary.items():
                    yield case(name, function(x).astype(x.real.dtype) if name == "angle" else function(x), x=x)
            for left, right in [((3, 4), (3, 4)), ((3, 1), (1, 4)), ((), (2, 2)), ((0, 3), (1, 3))]:
                for name, function in binary.items():
                    a, b = complex_sample(left, dtype), complex_sample(right, dtype)
                    with np.errstate(all="ignore"):
                        b = np.where(b == 0, 1, b).astype(b.dtype) if name == "divide" else b
                        yield case(name, function(a, b), a=a, b=b)
            for shape, axes in [((6,), [None, 0]), ((3, 4), [None, 0, 1]), ((2, 3, 4), [None, 0, 1, 2]), ((0, 2), [0, 1]),
                                ((), [None])]:
                x = complex_sample(shape, dtype)
                for axis in axes:
                    yield case("sum", np.asarray(np.sum(x, axis)), x=x, axis=axis)
                    if x.size > 0:
                        yield case("mean", np.asarray(np.mean(x, axis)).astype(x.dtype), x=x, axis=axis)
            x = special.astype(COMPLEX[dtype])
            for name in exact:
                with np.errstate(all="ignore"):
                    yield case(name, unary[name](x).astype(x.real.dtype) if name == "angle" else unary[name](x), x=x)
            wide = np.array([-4, -4 - 0j, 1e-3 + 1e3j, -1e3 - 1e-3j, 3 + 4j, 2j, 80 + 3j, -80 + 3j]).astype(COMPLEX[dtype])
            for name in ["sqrt", "exp", "abs", "angle"]:
                yield case(name, unary[name](wide).astype(wide.real.dtype) if name == "angle" else unary[name](wide), x=wide)
            for source in dtypes:
                x = (rng.random(5) < 0.5) if source == "bool" else rng.integers(0, 100, 5).astype(dtypes[source])
                yield case("astype", x.astype(COMPLEX[dtype]), x=x)
            yield case("astype", special.astype(COMPLEX[dtype]), x=special)

    def fourier():
        """Transforms along one axis, two, and several; NumPy's `fft`."""
        def case(name, x, result, **arguments):
            return {"name": name, **arguments, "x": array(x), "expected": array(result)}

        def line(name, x, n=None, axis=-1, norm="backward"):
            return case(name, x, getattr(np.fft, name)(x, n, axis, norm), n=n, axis=axis, norm=norm)

        def several(name, x, s=None, axes=None, norm="backward"):
            return case(name, x, getattr(np.fft, name)(x, s, axes, norm), s=s, axes=axes, norm=norm)

        norms = ["backward", "ortho", "forward"]
        of_real, of_complex = ["fft", "ifft", "rfft", "ihfft"], ["fft", "ifft", "irfft", "hfft"]
        for length in [1, 2, 3, 4, 5, 7, 8, 11, 12, 15, 16, 17, 31, 36]:
            for name in of_real:
                yield line(name, sample(length))
            for name in of_complex:
                if length > 1 or name in ("fft", "ifft"):
                    yield line(name, complex_sample(length))
        for norm in norms[1:]:
            for name in of_real:
                yield line(name, sample(9), norm=norm)
            for name in of_complex:
                yield line(name, complex_sample(6), norm=norm)
        for n in [1, 2, 3, 6, 7, 11, 13]:
            for name in of_real:
                yield line(name, sample((2, 7)), n, norm=norms[n % 3])
            for name in of_complex:
                yield line(name, complex_sample((2, 7)), n, norm=norms[n % 3])
        for axis in [0, 1, -1]:
            for name in of_real:
                yield line(name, sample((3, 4, 5)), None, axis)
                yield line(name, sample((3, 4, 5)), 4, axis)
            for name in of_complex:
                yield line(name, complex_sample((3, 4, 5)), None, axis)
                yield line(name, complex_sample((3, 4, 5)), 5, axis)
        for dtype in ["f32", "i32", "u8", "i64", "bool"]:
            for name in ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]:
                yield line(name, sample((2, 9), dtype))
        for name in of_complex:
            yield line(name, complex_sample((2, 10), "Complex<f32>"))
            # NumPy's `irfft` of no numbers is what was in memory.
            if name in ("fft", "ifft"):
                yield line(name, complex_sample((3, 0)), 4)
            yield line(name, complex_sample((0, 3)))
        for name in ["fft2", "ifft2", "rfft2"]:
            for shape in [(1, 1), (3, 4), (2, 5, 6)]:
                yield several(name, sample(shape), axes=[-2, -1])
            yield several(name, sample((4, 6)), [3, 8], [-2, -1], "ortho")
            yield several(name, sample((3, 4, 5)), None, [2, 0], "forward")
        for name in ["fft2", "ifft2", "irfft2"]:
            for shape in [(2, 2), (3, 4), (2, 5, 6)]:
                yield several(name, complex_sample(shape), axes=[-2, -1])
            yield several(name, complex_sample((4, 6)), [3, 7], [-2, -1], "ortho")
            yield several(name, complex_sample((3, 4, 5)), None, [2, 0], "forward")
        for name in ["fftn", "ifftn", "rfftn"]:
            for shape in [(6,), (3, 4), (2, 3, 4), (2, 3, 2, 3)]:
                yield several(name, sample(shape))
            yield several(name, sample((3, 4, 5)), [2, 7], [2, 1], "ortho")
            yield several(name, sample((2, 3, 2, 4)), None, [1, 3], "forward")
            yield several(name, sample((3, 4), "f32"))
        for name in ["fftn", "ifftn", "irfftn"]:
            for shape in [(6,), (3, 4), (2, 3, 4), (2, 3, 2, 3)]:
                yield several(name, complex_sample(shape))
            yield several(name, complex_sample((3, 4, 5)), [2, 7], [2, 1], "ortho")
            yield several(name, complex_sample((2, 3, 2, 4)), None, [1, 3], "forward")
            yield several(name, complex_sample((3, 4), "Complex<f32>"))
        for shape in [(1,), (4,), (5,), (3, 4), (2, 3, 4)]:
            for name in ["fftshift", "ifftshift"]:
                x = np.arange(np.prod(shape)).reshape(shape)
                yield {"name": name, "axes": None, "x": array(x), "expected": array(getattr(np.fft, name)(x))}
                yield {"name": name, "axes": [-1], "x": array(x), "expected": array(getattr(np.fft, name)(x, -1))}
        for n in [1, 2, 7, 8]:
            for name in ["fftfreq", "rfftfreq"]:
                yield {"name": name, "n": n, "d": 0.125, "expected": array(getattr(np.fft, name)(n, 0.125))}

    return [complex_numbers, fourier]
