"""Writes complex_functions.json: what NumPy's functions give for complex numbers, for prelude/tests/integration.

    python tests/parity/complex_functions.py

A column of real parts and a column of imaginary parts for each argument, and for the result.
"""

import json
import pathlib

import numpy as np

np.seterr(all="ignore")
source = np.random.default_rng(25)
inf, nan = np.inf, np.nan
parts = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 30.0, inf, -inf, nan]
special = [complex(x, y) for x in parts for y in parts]


def random(count, size):
    return list(size * (source.normal(size=count) + 1j * source.normal(size=count)))


angles = source.uniform(-np.pi, np.pi, 20)
numbers = np.array(special + random(40, 1.0) + random(20, 20.0) + random(20, 1e-3) + random(10, 300.0)
                   + list(np.exp(1j * angles) * (1 + 1e-9 * source.normal(size=20))))
finite = [complex(x, y) for x in (0.0, 1.0, -2.0, 0.5) for y in (0.0, -0.0, 1.5)]
exponents = [complex(x, y) for x in (0.0, 1.0, 2.0, -1.0, -3.0, 0.5, 7.0) for y in (0.0, 1.5)]
pairs = [(a, b) for a in finite for b in exponents] + list(zip(random(60, 2.0), random(60, 1.5)))
compared = [complex(x, y) for x in (0.0, -0.0, 1.0, nan) for y in (0.0, -1.0, nan)]

unary = ("log log2 log10 log1p exp2 expm1 sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh sqrt exp "
         "sign reciprocal sinc").split()
binary = {}
for name in "maximum minimum fmax fmin less less_equal greater greater_equal".split():
    binary[name] = [(a, b) for a in compared for b in compared]


# Numbers that `Complex<f32>` has too.
numbers = numbers.astype("complex64").astype("complex128")
binary["power"] = [(complex(np.complex64(a)), complex(np.complex64(b))) for a, b in pairs]


def column(values):
    return list(map(repr, map(float, values)))


def columns(*arrays):
    return [column(part) for array in arrays for part in (np.real(array), np.imag(array))]


table = {}
for name in unary:
    # NumPy's `log1p` and `expm1` lose the digits of small results.
    table[name] = columns(numbers, getattr(np, name)(numbers))
for name, of in binary.items():
    a, b = (np.array(side, dtype=complex) for side in zip(*of))
    table[name] = columns(a, b, getattr(np, name)(a, b))
lines = [f"{json.dumps(name)}: {json.dumps(found, separators=(',', ':'))}" for name, found in table.items()]
pathlib.Path(__file__).with_name("complex_functions.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
