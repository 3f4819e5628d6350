"""Linear algebra by NumPy, for generate.py.

Results are compared within `tolerance` times the largest of the expected numbers: some times the type's epsilon, the size of the
matrix, and its condition number where the error of the result grows with that.
"""

import itertools

import numpy as np

FLOATS = ["f64", "f32"]
ROOM = 8


def cases(sample, array):
    def regular(shape, dtype):
        """Not too close to a singular matrix."""
        while True:
            a = sample(shape, dtype)
            if a.size == 0 or np.max(np.linalg.cond(a.astype("f8"))) < 1e3:
                return a

    def symmetric(shape, dtype):
        a = sample(shape, dtype)
        return (a + np.swapaxes(a, -1, -2)) / a.dtype.type(2)

    def tolerance(a, with_condition=True):
        epsilon = np.finfo(a.dtype if a.dtype.kind == "f" else "f8").eps
        condition = np.max(np.linalg.cond(a.astype("f8"))) if with_condition and a.size else 1
        return float(ROOM * epsilon * max([1, *a.shape[-2:]]) * condition)

    def case(name, a, out, room=None, **others):
        room = tolerance(a) if room is None else room
        outs = [array(x) for x in out] if isinstance(out, (list, tuple)) else [array(out)]
        return {"name": name, "a": array(a), **others, "expected": outs, "tolerance": room}

    for n, dtype in itertools.product([0, 1, 2, 3, 5, 8, 17], [*FLOATS, "i32"]):
        a = regular((n, n), dtype)
        yield case("det", a, np.linalg.det(a))
        yield case("slogdet", a, np.linalg.slogdet(a))
        if n and dtype != "i32":
            yield case("inv", a, np.linalg.inv(a))
    for shape, dtype in itertools.product([(3, 2, 2), (2, 3, 4, 4), (0, 3, 3), (4, 0, 0)], FLOATS):
        a = regular(shape, dtype)
        yield case("det_each", a, np.linalg.det(a))
        yield case("slogdet_each", a, np.linalg.slogdet(a))
        yield case("inv", a, np.linalg.inv(a))
    # Singular ones, whose determinant is 0 in any arithmetic; and some whose determinant is larger or smaller than any float.
    rows = np.tile(np.arange(1, 6), (5, 1))
    for a in [rows, rows.astype("f8"), np.zeros((3, 3)), np.ones((4, 4), "f4"), np.array([[1, 2], [2, 4]])]:
        a = a.astype("int32") if a.dtype.kind == "i" else a
        yield case("det", a, np.zeros((), "f4" if a.dtype == "f4" else "f8"), 0.0)
        yield case("slogdet", a, [x.astype("f4" if a.dtype == "f4" else "f8") for x in np.linalg.slogdet(a)], 0.0)
        yield case("matrix_rank", a, np.linalg.matrix_rank(a), 0.0)
        yield case("cond_is_large", a, np.zeros(()), 0.0)
    for scale, dtype in itertools.product([64.0, 1 / 64], FLOATS):
        a = (np.diag([scale, -scale] * 100) + np.diag([scale] * 199, 1)).astype("float64" if dtype == "f64" else "float32")
        yield case("slogdet", a, np.linalg.slogdet(a), tolerance(a, with_condition=False))
        with np.errstate(all="ignore"):
            yield case("det", a, np.linalg.det(a), tolerance(a, with_condition=False) * 100)
    nan = np.array([[1.0, np.nan], [2.0, 3.0]])
    yield case("det", nan, np.linalg.det(nan), 0.0)

    systems = [((3, 3), (3,)), ((3, 3), (3, 2)), ((1, 1), (1,)), ((9, 9), (9, 4)), ((4, 2, 2), (2,)), ((4, 3, 3), (3, 2)),
               ((3, 3), (4, 3, 1)), ((2, 1, 3, 3), (4, 3, 2)), ((5, 4, 4), (5, 4, 3)), ((0, 3, 3), (3,)), ((3, 3), (3, 0)),
               ((0, 0), (0,))]  # fmt: skip
    for (left, right), dtype in itertools.product(systems, FLOATS):
        a, b = regular(left, dtype), sample(right, dtype)
        yield case("solve", a, np.linalg.solve(a, b), b=array(b))

    for shape, dtype in itertools.product([(1, 1), (2, 2), (6, 6), (25, 25), (3, 4, 4), (0, 0), (2, 0, 3, 3)], FLOATS):
        a = symmetric(shape, dtype)
        room = tolerance(a, with_condition=False)
        yield case("eigvalsh", a, np.linalg.eigvalsh(a), room)
        # What is above the diagonal does not count.
        yield case("eigvalsh", a + np.triu(sample(shape, dtype), 1), np.linalg.eigvalsh(a), room)
        n = shape[-1]
        definite = a @ np.swapaxes(a, -1, -2) + np.eye(n, dtype=a.dtype)
        yield case("cholesky", definite, np.linalg.cholesky(definite))
        yield case("cholesky", definite + np.triu(sample(shape, dtype), 1), np.linalg.cholesky(definite), tolerance(definite))

    shapes = [(1, 1), (3, 3), (5, 2), (2, 5), (12, 12), (20, 7), (1, 4), (4, 1), (3, 4, 2), (2, 2, 3, 3), (0, 2, 2)]
    for shape, dtype in itertools.product(shapes, [*FLOATS, "i32"]):
        a = sample(shape, dtype)
        if dtype != "i32":
            values = np.linalg.svdvals(a)
            yield case("svdvals", a, values, tolerance(a, with_condition=False))
            yield case("svdvals", a[..., ::-1, :] * 0, values * 0, 0.0)
        single = len(shape) == 2
        yield case("matrix_rank" if single else "matrix_rank_each", a, np.linalg.matrix_rank(a), 0.0)
        if a.size and np.max(np.linalg.cond(a.astype("f8"))) < 1e4:
            yield case("cond" if single else "cond_each", a, np.linalg.cond(a))
    for (m, n, rank), dtype in itertools.product([(5, 5, 2), (7, 4, 3), (4, 7, 1)], FLOATS):
        a = sample((m, rank), dtype) @ sample((rank, n), dtype)
        yield case("matrix_rank", a, np.linalg.matrix_rank(a), 0.0)
        cut = max(m, n) * np.finfo(a.dtype).eps
        values = np.linalg.svdvals(a)
        room = float(ROOM * cut * values[0] / values[np.linalg.matrix_rank(a) - 1])
        yield case("pinv", a, np.linalg.pinv(a, rcond=cut), room)
        b = sample((m, 2), dtype)
        yield case("lstsq", a, np.linalg.lstsq(a, b, rcond=cut)[0], room * 4, b=array(b))

    for shape, dtype in itertools.product([(3, 3), (5, 2), (2, 5), (6, 6), (1, 3), (2, 4, 3), (0, 3), (3, 0)], FLOATS):
        a = regular(shape, dtype)
        yield case("pinv", a, np.linalg.pinv(a, rcond=max(shape[-2:]) * np.finfo(a.dtype).eps))
        if len(shape) == 2:
            for b in [sample(shape[0], dtype), sample((shape[0], 3), dtype)]:
                x, squares, rank, values = np.linalg.lstsq(a, b)
                yield case("lstsq", a, [x, squares, values], tolerance(a) * 4, b=array(b), rank=int(rank))
        if a.size:
            r = np.linalg.qr(a, "r")
            signs = np.where(np.diagonal(r, axis1=-2, axis2=-1) < 0, -1, 1).astype(a.dtype)
            yield case("qr", a, r * signs[..., None])

    for n, exponent, dtype in itertools.product([1, 2, 4], [-3, -1, 0, 1, 2, 3, 6], [*FLOATS, "i32", "i64", "u8"]):
        if dtype in FLOATS:
            a = regular((n, n), dtype)
            room = tolerance(a) * 8 * (np.linalg.cond(a) ** 2 if exponent < 0 else 1)
            yield case("matrix_power", a, np.linalg.matrix_power(a, exponent), float(room), exponent=exponent)
        elif exponent >= 0:
            a = sample((2, n, n), dtype)
            yield case("matrix_power", a, np.linalg.matrix_power(a, exponent), 0.0, exponent=exponent)
