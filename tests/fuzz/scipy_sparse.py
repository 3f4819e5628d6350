"""SciPy's `sparse`: conversions, slices, sums, products, operators, blocks, and solvers. Matrices are made of dense ones."""

from __future__ import annotations

import numpy as np

from .arrays import Array, Source
from .calls import FLOATS, Call, axis_of, epsilon, functions

FORMATS = ["csr", "csc", "coo"]


def dense(s: Source, dtype: str, shape=None) -> Array:
    shape = (s.integer(1, 9), s.integer(1, 9)) if shape is None else shape
    return s.array(dtype, shape, lambda s: s.integer(-16, 16) / 4 if s.chance(0.35) else 0.0)


def matrix(format: str, name: str = "a0") -> str:
    return f"sp.sparse.{format}_matrix({name})"


def near(dtype: str, size: float = 100.0) -> dict:
    return {"relative": 64 * epsilon(dtype), "absolute": 64 * epsilon(dtype) * size, "any_zero": True}


@functions("sparse.toarray", "sparse.transpose", "sparse.eliminate_zeros", dtypes=FLOATS)
def _(s, dtype, name):
    given = {"format": s.choice(FORMATS), "to": s.choice(FORMATS)}
    text = {"toarray": "", "transpose": ".T", "eliminate_zeros": ""}[name.split(".")[1]]
    return Call(f"{matrix(given['format'])}.asformat('{given['to']}'){text}.toarray()", [dense(s, dtype)], given, {"any_zero": True})


@functions("sparse.parts", dtypes=FLOATS)
def _(s, dtype, name):
    given = {"format": s.choice(["csr", "csc"])}
    text = f"(lambda m: [m.data, m.indices, m.indptr.astype('int32')])(sp.sparse.{given['format']}_matrix(a0))"
    return Call(text, [dense(s, dtype)], given)


@functions("sparse.from_coo", dtypes=FLOATS)
def _(s, dtype, name):
    # Elements of one place are added up.
    count, shape = s.integer(0, 20), (s.integer(1, 6), s.integer(1, 6))
    data = s.array(dtype, (count,), "exact")
    rows, columns = (s.array("int64", (count,), lambda s, length=length: s.integer(0, length - 1 + s.chance(0.003))) for length in shape)
    given = {"format": s.choice(FORMATS), "shape": list(shape)}
    return Call(f"sp.sparse.{given['format']}_matrix((a0, (a1, a2)), shape={shape}).toarray()", [data, rows, columns], given, near(dtype))


@functions("sparse.sum", "sparse.mean", "sparse.diagonal", "sparse.trace", "sparse.count_nonzero", dtypes=FLOATS)
def _(s, dtype, name):
    word, given = name.split(".")[1], {"format": s.choice(FORMATS)}
    a = dense(s, dtype)
    if word in ("sum", "mean"):
        given["axis"] = s.choice([None, 0, 1, -1, -2])
        text = f"np.asarray(sp.sparse.{given['format']}_array(a0).{word}(axis={given['axis']}))"
    elif word == "diagonal":
        given["k"] = s.integer(-4, 4)
        text = f"{matrix(given['format'])}.diagonal({given['k']})"
    elif word == "trace":
        text = f"np.asarray({matrix(given['format'])}.trace())"
    else:
        text = f"np.asarray({matrix(given['format'])}.count_nonzero())"
    return Call(text, [a], given, {**near(dtype), "any_dtype": True, "accepted": "a diagonal that is outside has no elements"} if word == "diagonal" else {**near(dtype), "any_dtype": True})


@functions("sparse.slice", dtypes=FLOATS)
def _(s, dtype, name):
    a = dense(s, dtype)
    given, parts = {"format": s.choice(FORMATS)}, []
    for axis, length in enumerate(a.view.shape):
        start, stop = sorted((s.integer(0, length), s.integer(0, length)))
        step = s.choice([1, 1, 2, -1])
        given[f"part{axis}"] = [start, stop, step]
        # As in Rust's ndarray: a negative step goes through the range from its end.
        parts.append(f"range({start}, {stop})[::{step}]")
    text = f"a0[np.ix_({parts[0]}, {parts[1]})]"
    return Call(text, [a], given, {"any_zero": True})


@functions("sparse.take_rows", "sparse.take_columns", "sparse.getrow", "sparse.getcol", "sparse.get", dtypes=FLOATS)
def _(s, dtype, name):
    a, given, word = dense(s, dtype), {"format": s.choice(FORMATS)}, name.split(".")[1]
    along = 0 if "row" in word else 1
    length = a.view.shape[along]
    if word.startswith("take"):
        given["indices"] = [s.integer(-length, length - 1) if s.chance(0.99) else length for _ in range(s.integer(0, 5))]
        text = f"sp.sparse.csr_matrix(a0)[{given['indices']}].toarray()" if along == 0 else f"sp.sparse.csr_matrix(a0)[:, {given['indices']}].toarray()"
    elif word == "get":
        given["index"] = [s.integer(0, n - 1) for n in a.view.shape]
        text = f"{matrix('csr')}[{given['index'][0]}, {given['index'][1]}]"
    else:
        given["i"] = s.integer(-length, length - 1) if s.chance(0.97) else length
        text = f"{matrix(given['format'])}.{word}({given['i']}).toarray()"
    return Call(text, [a], given, {"any_zero": True})


@functions("sparse.matvec", "sparse.matmat", "sparse.times_dense", dtypes=FLOATS)
def _(s, dtype, name):
    a, given, word = dense(s, dtype), {"format": s.choice(FORMATS), "other": s.choice(FORMATS)}, name.split(".")[1]
    inner = a.view.shape[1] + (1 if s.chance(0.03) else 0)
    if word == "matmat":
        b = dense(s, dtype, (inner, s.integer(1, 9)))
        return Call(f"({matrix(given['format'])} @ {matrix(given['other'], 'a1')}).toarray()", [a, b], given, near(dtype))
    b = s.array(dtype, (inner,) if word == "matvec" else (inner, s.integer(1, 5)), "exact")
    return Call(f"{matrix(given['format'])} @ a1", [a, b], given, near(dtype))


@functions("sparse.add", "sparse.subtract", "sparse.multiply", "sparse.maximum", "sparse.minimum", dtypes=FLOATS)
def _(s, dtype, name):
    a, given, word = dense(s, dtype), {"format": s.choice(FORMATS), "other": s.choice(FORMATS)}, name.split(".")[1]
    shape = list(a.view.shape)
    shape[0] += 1 if s.chance(0.03) and shape[0] > 1 else 0
    b = dense(s, dtype, shape)
    one, two = matrix("csr"), matrix("csr", "a1")
    text = {"add": f"({one} + {two})", "subtract": f"({one} - {two})"}.get(word, f"{one}.{word}({two})")
    return Call(f"{text}.toarray()", [a, b], given, near(dtype))


@functions("sparse.scale", "sparse.negative", "sparse.abs", "sparse.sqrt", "sparse.sin", "sparse.expm1", "sparse.power", dtypes=FLOATS)
def _(s, dtype, name):
    a, given, word = dense(s, dtype), {"format": s.choice(FORMATS), "factor": s.choice([2.0, -0.5, 0.0])}, name.split(".")[1]
    m = matrix(given["format"])
    text = {"scale": f"({m} * {given['factor']})", "negative": f"(-{m})", "abs": f"abs({m})", "power": f"{m}.power(2)"}.get(word, f"{m}.{word}()")
    return Call(f"{text}.toarray()", [a], given, near(dtype, 1))


@functions("sparse.vstack", "sparse.hstack", "sparse.block_diag", "sparse.kron", "sparse.kronsum", dtypes=FLOATS)
def _(s, dtype, name):
    word, given = name.split(".")[1], {"format": s.choice(FORMATS), "other": s.choice(FORMATS)}
    a = dense(s, dtype, (s.integer(1, 5),) * 2 if word == "kronsum" else (s.integer(1, 5), s.integer(1, 5)))
    shape = {"vstack": (s.integer(1, 5), a.view.shape[1]), "hstack": (a.view.shape[0], s.integer(1, 5)), "kronsum": (s.integer(1, 4),) * 2}.get(word, (s.integer(1, 4), s.integer(1, 4)))
    if s.chance(0.03) and word in ("vstack", "hstack"):
        shape = (shape[0] + 1, shape[1] + 1)
    b = dense(s, dtype, shape)
    one, two = matrix(given["format"]), matrix(given["other"], "a1")
    both = f"{one}, {two}" if word.startswith("kron") else f"[{one}, {two}]"
    # SciPy's kron of nothing is f64.
    return Call(f"sp.sparse.{word}({both}).toarray()", [a, b], given, {**near(dtype), "any_dtype": word.startswith("kron")})


@functions("sparse.tril", "sparse.triu", dtypes=FLOATS)
def _(s, dtype, name):
    given = {"format": s.choice(FORMATS), "k": s.integer(-4, 4)}
    return Call(f"sp.{name}({matrix(given['format'])}, {given['k']}).toarray()", [dense(s, dtype)], given, {"any_zero": True})


@functions("sparse.eye", dtypes=FLOATS)
def _(s, dtype, name):
    given = {"m": s.integer(0 if s.chance(0.05) else 1, 6), "n": s.integer(1, 6), "k": s.integer(-3, 3), "format": s.choice(FORMATS)}
    outside = not -given["m"] < given["k"] < given["n"]
    notes = {"accepted": "NumPy's eye is zero where the diagonal is outside; SciPy's refuses it"} if outside else {}
    return Call(f"sp.sparse.eye({given['m']}, {given['n']}, {given['k']}, dtype='{dtype}').toarray()", [], given, notes)


@functions("sparse.diags", dtypes=FLOATS)
def _(s, dtype, name):
    n = s.integer(2, 7)
    offsets = s.random.sample(range(1 - n, n), s.integer(1, min(3, n)))
    arrays = [s.array(dtype, (n - abs(offset),), "exact") for offset in offsets]
    given = {"offsets": offsets, "shape": [n, n]}
    return Call(f"sp.sparse.diags([{', '.join(f'a{at}' for at in range(len(arrays)))}], {offsets}, shape=({n}, {n})).toarray()", arrays, given, {"any_zero": True})


@functions("sparse.norm", dtypes=FLOATS)
def _(s, dtype, name):
    given = {"format": s.choice(FORMATS), "ord": s.choice([None, 1.0, float("inf"), -1.0])}
    order = {None: "'fro'", 1.0: "1", -1.0: "-1"}.get(given["ord"], "np.inf")
    given["ord"] = None if given["ord"] is None else str(given["ord"])
    return Call(f"sp.sparse.linalg.norm({matrix(given['format'])}, {order})", [dense(s, dtype)], given, {**near(dtype), "any_dtype": True})


def regular(s: Source, dtype: str, symmetric: bool = False) -> Array:
    n = s.integer(1, 9)
    a = dense(s, dtype, (n, n))
    values = np.array(a.view)
    if symmetric:
        values = (values + values.T) / 2
    values[np.arange(n), np.arange(n)] = 40 + np.arange(n)
    from .arrays import literal

    return Array(values, values, literal(values))


@functions("sparse.spsolve", "sparse.cg", "sparse.gmres", "sparse.bicgstab", "sparse.minres", "sparse.lsqr", "sparse.splu", dtypes=FLOATS)
def _(s, dtype, name):
    word = name.split(".")[1]
    a = regular(s, dtype, word in ("cg", "minres"))
    given = {"format": s.choice(["csr", "csc"])}
    b = s.array(dtype, (a.view.shape[0],), "exact")
    scale = 1e-10 if dtype == "float64" else 1e-4
    return Call("np.linalg.solve(a0, a1)", [a, b], given, {"relative": scale, "absolute": scale})


@functions("sparse.spsolve_triangular", dtypes=FLOATS)
def _(s, dtype, name):
    a = regular(s, dtype)
    given = {"lower": s.chance(0.5)}
    values = np.tril(a.view) if given["lower"] else np.triu(a.view)
    from .arrays import literal

    b = s.array(dtype, (values.shape[0],), "exact")
    scale = 1e-10 if dtype == "float64" else 1e-4
    return Call("np.linalg.solve(a0, a1)", [Array(values, values, literal(values)), b], given, {"relative": scale, "absolute": scale})


@functions("sparse.expm_multiply", "sparse.matrix_power", dtypes=["float64"])
def _(s, dtype, name):
    n = s.integer(1, 6)
    a = dense(s, dtype, (n, n))
    if name.endswith("power"):
        given = {"power": s.integer(0, 4)}
        return Call(f"np.linalg.matrix_power(a0, {given['power']})", [a], given, near(dtype, 1e6))
    b = s.array(dtype, (n,), "exact")
    return Call("sp.linalg.expm(a0) @ a1", [a, b], {}, {"relative": 1e-8, "absolute": 1e-5})


@functions("sparse.connected_components", dtypes=FLOATS)
def _(s, dtype, name):
    n = s.integer(1, 12)
    a = s.array(dtype, (n, n), lambda s: 1.0 if s.chance(0.08) else 0.0)
    return Call("sp.sparse.csgraph.connected_components(sp.sparse.csr_matrix(a0), directed=False)", [a], {}, {"any_dtype": True})


@functions("sparse.laplacian", dtypes=FLOATS)
def _(s, dtype, name):
    n = s.integer(1, 8)
    a = s.array(dtype, (n, n), lambda s: float(s.integer(1, 3)) if s.chance(0.4) else 0.0)
    values = np.array(a.view)
    values = np.maximum(values, values.T)
    from .arrays import literal

    given = {"normed": s.chance(0.5)}
    return Call(f"sp.sparse.csgraph.laplacian(sp.sparse.csr_matrix(a0), normed={given['normed']}).toarray()", [Array(values, values, literal(values))], given, near(dtype))
