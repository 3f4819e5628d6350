#!/usr/bin/env python3
"""Writes sparse.json: what SciPy's scipy.sparse gives for the calls of prelude/tests/integration/sparse.rs.

A row has the name of a call and the numbers of the result, one after another; of a sparse matrix those of the dense one, in rows. The
matrices are `pattern(m, n, seed)`, which the tests make, too.
"""

import json
import pathlib
import warnings

import numpy as np
import scipy.sparse as sp
import scipy.sparse.csgraph as cg
import scipy.sparse.linalg as sl

warnings.simplefilter("ignore")


def pattern(m, n, seed):
    """A dense matrix of which about a third is not 0; the numbers are multiples of 1/8."""
    at = np.arange(m * n, dtype=np.int64)
    mixed = (at * 7919 + seed * 104729 + (at * at) % 101 * 31) % 1000
    values = np.where(mixed % 3 == 0, mixed % 37 / 8 - 2, 0.0)
    return values.reshape(m, n)


ROWS = {}


def row(name, *results):
    numbers = []
    for result in results:
        if sp.issparse(result):
            result = result.toarray()
        numbers += [float(x) for x in np.asarray(result, float).ravel()]
    assert name not in ROWS, name
    ROWS[name] = numbers


A, B, C = (sp.csr_matrix(pattern(*shape)) for shape in ((7, 5, 1), (7, 5, 2), (5, 6, 3)))
x, X = np.arange(5) / 4 - 0.5, np.arange(15).reshape(5, 3) / 8


def rows_of_matrices():
    row("csr_matrix parts", A.indptr, A.indices, A.data)
    csc = A.tocsc()
    row("csc_matrix parts", csc.indptr, csc.indices, csc.data)
    coo = A.tocoo()
    row("coo_matrix parts", coo.row, coo.col, coo.data)
    twice = sp.coo_matrix(([1.0, 2.0, 3.0, -3.0], ([2, 0, 2, 1], [1, 3, 1, 1])), shape=(3, 4))
    for name in ("csr_array", "csc_array", "coo_array"):
        row(name, getattr(sp, name)(pattern(7, 5, 1)))
    row("issparse", sp.issparse(A), sp.issparse(A.toarray()))
    row("isspmatrix", sp.isspmatrix(A))
    row("duplicates", twice.tocsr().indptr, twice.tocsr().indices, twice.tocsr().data)
    row("add", A + B)
    row("subtract", A - B)
    row("multiply", A.multiply(B))
    row("maximum", A.maximum(B))
    row("minimum", A.minimum(B))
    row("power", A.power(3))
    row("abs", abs(A))
    row("dot vector", A @ x)
    row("dot matrix", A @ X)
    row("dot sparse", A @ C)
    row("sum 0", A.sum(axis=0))
    row("sum 1", A.sum(axis=1))
    row("mean 0", A.mean(axis=0))
    row("mean 1", A.mean(axis=1))
    row("sum and mean", A.sum(), A.mean(), A.diagonal().sum())
    for k in (-8, -3, 0, 2, 4, 5):
        row(f"diagonal {k}", A.diagonal(k))
    row("rows", A[2:6])
    row("every other", A[::2, 1:4])
    row("backward", A[::-1, ::-2])
    row("taken", A[[5, 0, 5]], A[:, [4, -5]])
    for name in ("sqrt", "sin", "tan", "tanh", "expm1", "log1p", "sign", "floor", "ceil", "trunc"):
        row(name, getattr(abs(A), name)())


def rows_of_makers():
    row("diags", sp.diags([1.0, -2.0, 1.0], [-1, 0, 1], shape=(4, 6)))
    row("diags arrays", sp.diags([[1.0, 2.0, 3.0], [4.0, 5.0]], [-1, 2]))
    row("spdiags", sp.spdiags(pattern(3, 5, 4), [1, -2, 0], 4, 6))
    row("diags_array", sp.diags_array([[1.0, 2.0, 3.0]], offsets=[-1]))
    row("eye", sp.eye(4, 6, k=1), sp.eye(4, 6, k=-2))
    row("eye_array", sp.eye_array(3))
    row("identity", sp.identity(3))
    # How many elements there are.
    for name in ("rand", "random", "random_array"):
        size = ((20, 30),) if name == "random_array" else (20, 30)
        row(name, getattr(sp, name)(*size, density=0.1).nnz)
    row("kron", sp.kron(A, C))
    row("kronsum", sp.kronsum(sp.csr_matrix(pattern(3, 3, 5)), sp.csr_matrix(pattern(2, 2, 6))))
    row("hstack", sp.hstack([A, B]))
    row("vstack", sp.vstack([A, B]))
    row("block_diag", sp.block_diag([A, C]))
    row("bmat", sp.bmat([[A, None], [None, C]]))
    row("block_array", sp.block_array([[A, B], [None, B]]))
    for k in (-2, 0, 1):
        row(f"tril {k}", sp.tril(A, k))
        row(f"triu {k}", sp.triu(A, k))
    row("find", *sp.find(A))


def rows_of_equations():
    n = 30
    spd = sp.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(n, n)).tocsr()
    general = (sp.csr_matrix(pattern(n, n, 7)) / 8 + sp.diags([6.0], [0], shape=(n, n))).tocsr()
    b = np.sin(np.arange(n))
    row("spsolve", sl.spsolve(general.tocsc(), b))
    row("spsolve spd", sl.spsolve(spd.tocsc(), b))
    for name in ("cg", "minres"):
        row(name, sl.spsolve(spd.tocsc(), b))
    for name in ("cgs", "bicgstab", "gmres", "factorized"):
        row(name, sl.spsolve(general.tocsc(), b))
    row("splu transposed", sl.splu(general.tocsc()).solve(b, "T"))
    row("spsolve matrix", sl.spsolve(general.tocsc(), np.stack([b, b * b], 1)))
    row("spsolve_triangular", sl.spsolve_triangular(sp.tril(general).tocsr(), b),
        sl.spsolve_triangular(sp.triu(general).tocsr(), b, lower=False))
    tall = sp.csr_matrix(pattern(20, 8, 8))
    row("LinearOperator", tall @ np.arange(8.0), tall.T @ np.arange(20.0))
    row("aslinearoperator", sl.aslinearoperator(tall).matvec(np.arange(8.0)), sl.aslinearoperator(tall).rmatvec(np.arange(20.0)))
    damped = np.vstack([tall.toarray(), 0.5 * np.eye(8)])
    for name in ("lsqr", "lsmr"):
        row(name, np.linalg.lstsq(tall.toarray(), b[:20], rcond=None)[0])
        row(f"{name} damped", np.linalg.lstsq(damped, np.concatenate([b[:20], np.zeros(8)]), rcond=None)[0])
    w = np.linalg.eigvalsh(spd.toarray())
    row("eigsh", w[-4:], w[:4], w[:2], w[-2:])
    row("svds", np.linalg.svd(tall.toarray())[1][:3][::-1])
    row("norm", sl.norm(A), sl.norm(A, 1), sl.norm(A, np.inf), sl.norm(A, -1), sl.norm(A, -np.inf))
    row("norm axis", sl.norm(A, axis=0), sl.norm(A, axis=1))
    row("expm_multiply", sl.expm_multiply(general / 4, b))
    row("matrix_power", sp.csr_matrix(pattern(4, 4, 9)) ** 3)


def rows_of_graphs():
    graph = sp.csr_matrix(([1.0, 1.0, 1.0, 1.0], ([0, 2, 3, 6], [2, 4, 1, 6])), shape=(7, 7))
    row("connected_components", *cg.connected_components(graph, directed=False))
    weights = sp.csr_matrix(np.abs(pattern(6, 6, 10)))
    symmetric = weights + weights.T
    row("laplacian", cg.laplacian(symmetric), cg.laplacian(symmetric, normed=True))


rows_of_matrices()
rows_of_makers()
rows_of_equations()
rows_of_graphs()
target = pathlib.Path(__file__).with_name("sparse.json")
target.write_text(json.dumps(ROWS, indent=None, separators=(",", ":")).replace('],"', '],\n"') + "\n")
print(f"{len(ROWS)} rows")
