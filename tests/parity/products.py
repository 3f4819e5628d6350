"""Products of vectors, matrices and arrays of more axes by NumPy, for generate.py: exact for the inputs that it makes."""

import itertools

import numpy as np

COMPLEX = ["Complex<f64>", "Complex<f32>"]
DTYPES = ["f64", "f32", "i32", "i64", "u8", "u32", "u64", "bool"]


def complex_cases(sample, array):
    """The same products of complex numbers, of which `vdot` conjugates the first; powers of matrices, inverses and solutions."""
    def numbers(shape, dtype):
        part, kind = ("f64", "complex128") if dtype == "Complex<f64>" else ("f32", "complex64")
        return np.asarray(sample(shape, part) + 1j * sample(shape, part)).astype(kind)

    yield from cases(numbers, array, COMPLEX, COMPLEX)
    for shape, dtype in itertools.product([(1, 1), (3, 3), (2, 4, 4), (0, 0), (0, 2, 2)], COMPLEX):
        a = numbers(shape, dtype)
        a[..., range(shape[-1]), range(shape[-1])] += 8j
        for exponent in [0, 1, 3]:
            out = np.linalg.matrix_power(a, exponent)
            yield {"name": "matrix_power", "a": array(a), "exponent": exponent, "relative": 8, "expected": array(out)}
        for name, out in [("inv", np.linalg.inv(a)), ("matrix_power", np.linalg.matrix_power(a, -2))]:
            yield {"name": name, "a": array(a), "exponent": -2, "relative": 64, "expected": array(out)}
        for b in [numbers((*shape[:-1], 3), dtype), numbers(shape[-1:], dtype)]:
            yield {"name": "solve", "a": array(a), "b": array(b), "relative": 64, "expected": array(np.linalg.solve(a, b))}


def special_cases(case):
    """NaN, infinities, and integers that wrap."""
    nan, inf = float("nan"), float("inf")
    special = np.array([[nan, 1.0, 0.0], [inf, -1.0, 2.0], [0.5, -inf, 0.0], [1.0, 0.0, 3.0]])
    for dtype in ["float64", "float32"]:
        a = special.astype(dtype)
        with np.errstate(all="ignore"):
            yield case("matmul", a, a.T, np.matmul(a, a.T))
            yield case("matmul", a, a[0], np.matmul(a, a[0]))
            yield case("dot", a[1], a[2], np.dot(a[1], a[2]))
    wide = np.array([[2**31 - 1, -(2**31)], [65536, -65537]], "int32")
    yield case("matmul", wide, wide, np.matmul(wide, wide))
    wide = np.array([[2**63 - 1, -(2**63)], [2**32 + 1, -(2**33)]], "int64")
    yield case("matmul", wide, wide, np.matmul(wide, wide))


def cases(sample, array, dtypes=DTYPES, fewer=["f64", "f32", "i32", "u8", "bool"]):
    def case(name, a, b, out, **arguments):
        return {"name": name, "a": array(a), "b": array(b), **arguments, "expected": array(out)}

    pairs = [((2, 3), (3, 4)), ((1, 1), (1, 1)), ((5,), (5,)), ((0,), (0,)), ((3,), (3, 4)), ((2, 3), (3,)), ((0, 3), (3, 2)),
             ((2, 0), (0, 3)), ((2, 3), (3, 0)), ((1, 7), (7, 1)), ((7, 1), (1, 7)), ((4, 2, 3), (3, 5)), ((4, 2, 3), (4, 3, 5)),
             ((2, 1, 2, 3), (4, 3, 2)), ((2, 1, 2, 3), (2, 4, 3, 1)), ((3,), (4, 3, 2)), ((4, 2, 3), (3,)), ((2, 3), (4, 3, 2)),
             ((0, 2, 3), (3, 4)), ((2, 2, 0), (0, 3)), ((17, 33), (33, 9)), ((1, 2, 3), (5, 3, 2))]  # fmt: skip
    for (left, right), dtype in itertools.product(pairs, dtypes):
        a, b = sample(left, dtype), sample(right, dtype)
        yield case("matmul", a, b, np.matmul(a, b))
    if dtypes == DTYPES:
        yield from special_cases(case)
    for length, dtype in itertools.product([0, 1, 2, 15, 16, 17, 600, *([3000] if dtypes == DTYPES else [])], dtypes):
        a, b = sample((length,), dtype), sample((length,), dtype)
        yield case("dot", a, b, np.dot(a, b))
    for shapes, dtype in itertools.product([((2, 3), (2, 3)), ((2, 3), (6,)), ((), ()), ((0, 2), (0,))], dtypes):
        a, b = (sample(shape, dtype) for shape in shapes)
        yield case("vdot", a, b, np.vdot(a, b))
    for shapes, dtype in itertools.product([((4,), (4,)), ((2, 4), (4,)), ((2, 4), (3, 4)), ((2, 3, 4), (5, 4)), ((), (2, 3)),
                                            ((2, 0), (3, 0))], dtypes):  # fmt: skip
        a, b = (np.asarray(sample(shape, dtype)) for shape in shapes)
        yield case("inner", a, b, np.inner(a, b))
    for shapes, dtype in itertools.product([((4,), (3,)), ((2, 3), (2,)), ((), (5,)), ((0,), (3,))], dtypes):
        a, b = (np.asarray(sample(shape, dtype)) for shape in shapes)
        yield case("outer", a, b, np.outer(a, b))
    for shapes, dtype in itertools.product([((2,), (3,)), ((2, 3), (4, 2)), ((2, 3), (4,)), ((3,), (2, 1, 2)), ((), (2, 2)),
                                            ((0, 2), (3, 1))], dtypes):  # fmt: skip
        a, b = (np.asarray(sample(shape, dtype)) for shape in shapes)
        if dtype != "bool" or a.ndim * b.ndim:
            yield case("kron", a, b, np.kron(a, b))
    contractions = [((2, 3), (3, 4), 1), ((2, 3), (2, 3), 2), ((2, 3), (4,), 0), ((2, 3, 4), (4, 3, 5), [[1, 2], [1, 0]]),
                    ((2, 3, 4), (3, 2, 4), [[-1, 0], [-1, 1]]), ((3, 2, 3), (3, 3, 2), [[0, 2], [1, 0]]),
                    ((2, 3), (4, 2), [[0], [1]]), ((2, 0), (0, 3), 1), ((2, 3, 4), (5, 3, 2), [[1], [1]]),
                    ((2, 2), (2, 2), [[], []])]  # fmt: skip
    for (left, right, axes), dtype in itertools.product(contractions, fewer):
        a, b = sample(left, dtype), sample(right, dtype)
        yield case("tensordot", a, b, np.tensordot(a, b, axes), axes=axes)
    for shape, dtype in itertools.product([(3, 3), (2, 4), (4, 2), (0, 3), (1, 1)], dtypes):
        a = sample(shape, dtype)
        yield {"name": "trace", "a": array(a), "expected": array(np.trace(a))}
    notations = [("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ij,kj->ki", (2, 3), (4, 3)),
                 ("ij,ij->", (2, 3), (2, 3)), ("ij,ij->i", (2, 3), (2, 3)), ("ij,ij->ij", (2, 3), (2, 3)), ("i,j->ji", (2,), (3,)),
                 ("ij,j", (2, 3), (3,)), ("ii", (3, 3)), ("ii->i", (3, 3)), ("ij->ji", (2, 3)), ("ba", (2, 3)),
                 ("ijk->k", (2, 3, 4)), ("ijj->ij", (2, 3, 3)), ("ij->", (2, 3)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 2)),
                 ("bij,bjk->kbi", (2, 3, 4), (2, 4, 2)), ("...ij,jk->...ik", (2, 2, 3, 4), (4, 2)),
                 ("...ij,...jk", (2, 1, 3, 4), (3, 4, 2)), ("...i->...", (2, 3)), ("i...->...i", (2, 3, 4)),
                 ("ij,jk,kl->il", (2, 3), (3, 2), (2, 4)), ("ij,jk,ki->", (2, 3), (3, 2), (2, 2)),
                 ("a,b,c->cab", (2,), (3,), (2,)), ("ij,j,i->", (2, 3), (3,), (2,)), ("ijk,kl->ijl", (2, 3, 4), (4, 2)),
                 ("ijk,ilk->jl", (2, 3, 4), (2, 2, 4)), ("ij,jk->ik", (2, 1), (3, 4)), ("ij,ij->ij", (1, 3), (2, 1)),
                 (",i->i", (), (3,)), ("ij,jk->k", (2, 3), (3, 4)), ("ij,jk->ik", (2, 0), (0, 4)), ("ij,kl->ik", (2, 3), (4, 2)),
                 ("ii,ij->j", (3, 3), (3, 2)), ("abcd,cdab->ca", (2, 3, 2, 2), (2, 2, 2, 3)), ("i , j -> i j", (2,), (3,))]  # fmt: skip
    for (notation, *shapes), dtype in itertools.product(notations, fewer):
        arrays = [np.asarray(sample(shape, dtype)) for shape in shapes]
        names = dict(zip("abc", map(array, arrays)))
        yield {"name": "einsum", "notation": notation, **names, "expected": array(np.einsum(notation, *arrays))}
