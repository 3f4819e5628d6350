"""Functions that choose and write parts of arrays, and make indices."""

from __future__ import annotations

import numpy as np

from .arrays import Array, Source, literal
from .calls import ANY, NUMBERS, Call, axis_of, functions, if_empty, shapes


def places(s: Source, length: int, shape, wrong: float = 0.03, dtype: str = "int64") -> Array:
    """Indices from -length to length - 1, rarely others."""
    indices = s.array(dtype, shape, "exact")
    low, high = (-length, length - 1) if length else (0, 0)
    flat = indices.base.reshape(-1)
    for at in range(flat.size):
        flat[at] = s.integer(low, high) if not s.chance(wrong / max(1, flat.size)) else high + 1
    return retold(indices)


def retold(array: Array) -> Array:
    """The array after its elements were set."""
    from .arrays import apply

    array.view, array.text = array.base, literal(array.base)
    for step in array.steps:
        array.view, array.text = apply(array.view, step, array.text)
    return array


@functions("take", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype)
    return Call("np.take(a0, a1)", [a, places(s, a.view.size, s.shape(size=60) if a.view.size else (0,))])


UNSEEN = "NumPy does not look at the indices if there are no elements"


@functions("take_axis", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3, size=100))
    axis = axis_of(s, a)
    length = a.view.shape[axis] if -a.view.ndim <= axis < a.view.ndim else 1
    indices = places(s, length, s.shape(0, 2, size=20) if length else (0,))
    return Call(f"np.take(a0, a1, axis={axis})", [a, indices], {"axis": axis}, if_empty(a, "refused", UNSEEN))


@functions("take_along_axis", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3))
    axis = s.integer(-a.view.ndim, a.view.ndim - 1)
    shape = [1 if s.chance(0.15) else length for length in a.view.shape]
    shape[axis] = s.integer(0, 4) if a.view.shape[axis] else 0
    return Call(f"np.take_along_axis(a0, a1, {axis})", [a, places(s, a.view.shape[axis], shape)], {"axis": axis})


@functions("extract_mask", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1))
    shape = a.view.shape if s.chance(0.97) else (*a.view.shape[:-1], a.view.shape[-1] + 1)
    return Call("a0[a1]", [a, s.array("bool", shape)])


@functions("extract", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype)
    return Call("np.extract(a1, a0)", [a, s.array("bool", a.view.shape)])


@functions("compress", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3))
    axis = axis_of(s, a) if s.chance(0.7) else None
    length = a.view.size if axis is None else a.view.shape[axis] if -a.view.ndim <= axis < a.view.ndim else 1
    return Call(f"np.compress(a1, a0, axis={axis})", [a, s.array("bool", (s.integer(0, length),))], {"axis": axis})


@functions("get", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype)
    index = [s.integer(0, max(0, length - 1)) for length in a.view.shape]
    return Call(f"a0[{', '.join(map(str, index)) or '()'}]", [a], {"index": index})


@functions("select", dtypes=ANY)
def _(s, dtype, name):
    first, second, third, fourth = shapes(s, 4)
    arrays = [s.array(dtype, (), view=False), s.array("bool", first), s.array("bool", second), s.array(dtype, third), s.array(dtype, fourth)]
    return Call("np.select([a1, a2], [a3, a4], default=a0)", arrays)


@functions("choose", dtypes=ANY)
def _(s, dtype, name):
    first, *others = shapes(s, s.integer(2, 4))
    mode = s.choice(["raise", "wrap", "clip"])
    a = s.array("int64", first, "exact")
    if mode == "raise" and s.chance(0.95):
        a.base[...] = abs(a.base) % len(others)
        retold(a)
    arrays = [a, *(s.array(dtype, shape) for shape in others)]
    # The result has no elements if one of the arrays has none.
    least = min(arrays, key=lambda array: array.view.size)
    notes = if_empty(least, "refused", UNSEEN) if mode == "raise" else {}
    return Call(f"np.choose(a0, [{', '.join(f'a{at}' for at in range(1, len(arrays)))}], mode='{mode}')", arrays, {"mode": mode}, notes)


@functions("put", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype)
    mode = s.choice(["raise", "wrap", "clip"])
    wrong = 0.05 if mode == "raise" else 0.9
    indices = places(s, a.view.size, (s.integer(0, 5) if a.view.size else 0,), wrong)
    return Call(f"np.put(a0, a1, a2, mode='{mode}')", [a, indices, s.array(dtype, s.shape(0, 1, (1, 1, 2, 3, 5)))], {"mode": mode}, changes=0)


@functions("put_along_axis", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3), view=s.chance(0.5))
    axis = s.integer(-a.view.ndim, a.view.ndim - 1)
    shape = list(a.view.shape)
    shape[axis] = 1 if a.view.shape[axis] else 0
    return Call(f"np.put_along_axis(a0, a1, a2, {axis})", [a, places(s, a.view.shape[axis], shape), s.array(dtype, () if s.chance(0.4) else shape)],
                {"axis": axis}, changes=0)


@functions("putmask", "place", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype)
    values = s.array(dtype, (s.integer(0 if s.chance(0.1) else 1, 4),))
    return Call(f"np.{name}(a0, a1, a2)", [a, s.array("bool", a.view.shape), values], changes=0)


@functions("copyto", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype)
    shape = [1 if s.chance(0.2) else length for length in a.view.shape]
    arrays = [a, s.array(dtype, shape[s.integer(0, len(shape)) if shape and s.chance(0.3) else 0 :])]
    if s.chance(0.5):
        arrays.append(s.array("bool", a.view.shape))
        return Call("np.copyto(a0, a1, where=a2)", arrays, {"where": 2}, changes=0)
    return Call("np.copyto(a0, a1)", arrays, changes=0)


@functions("fill_diagonal", dtypes=ANY)
def _(s, dtype, name):
    length = s.integer(1, 4)
    a = s.array(dtype, s.shape(2, 2) if s.chance(0.7) else (length,) * 3)
    wrap = s.chance(0.4)
    return Call(f"np.fill_diagonal(a0, a1, wrap={wrap})", [a, s.array(dtype, s.shape(0, 1, (1, 2, 3)))], {"wrap": wrap}, changes=0)


def written(*names: str, dtypes: list[str], **notes) -> None:
    @functions(*names, dtypes=dtypes, **notes)
    def _(s, dtype, name):
        a = s.array(dtype)
        shape = [1 if s.chance(0.2) else length for length in a.view.shape]
        if s.chance(0.03):
            shape = [*shape, 3]
        b = s.array(dtype, shape[s.integer(0, len(shape)) if shape and s.chance(0.3) else 0 :])
        text = {"assign": "a0.__setitem__(..., a1)", "add_assign": "np.add(a0, a1, out=a0)", "multiply_assign": "np.multiply(a0, a1, out=a0)"}[name]
        front = name == "assign" and b.view.ndim > a.view.ndim
        return Call(text, [a, b], {}, {"refused": "NumPy drops axes of length 1 in front of what is assigned"} if front else {}, changes=0)


written("assign", dtypes=ANY)
written("add_assign", "multiply_assign", dtypes=NUMBERS)


@functions("fill", dtypes=ANY)
def _(s, dtype, name):
    return Call("a0.fill(a1[()])", [s.array(dtype), s.array(dtype, (), view=False)], changes=0)


@functions("set_axis", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3))
    axis = s.integer(0, a.view.ndim - 1)
    # NumPy leaves open which value a place gets that is named twice.
    order = list(range(a.view.shape[axis]))
    s.random.shuffle(order)
    chosen = np.array(order[: s.integer(0, len(order))], "int64")
    indices = Array(chosen, chosen, literal(chosen))
    shape = list(a.view.shape)
    shape[axis] = chosen.size
    return Call(f"a0.__setitem__({'(slice(None),) * ' + str(axis)} + (a1,), a2)", [a, indices, s.array(dtype, () if s.chance(0.4) else shape)],
                {"axis": axis}, changes=0)


@functions("ravel_multi_index", dtypes=["int64"])
def _(s, dtype, name):
    dims = list(s.shape(1, 3, (1, 2, 3, 5)))
    shape = s.shape(1, 2)
    arrays = [s.array(dtype, shape, "positive") for _ in dims]
    for array, length in zip(arrays, dims, strict=True):
        array.base[...] %= length + (s.chance(0.02))
        retold(array)
    return Call(f"np.ravel_multi_index(({''.join(f'a{at}, ' for at in range(len(arrays)))}), {tuple(dims)})", arrays, {"dims": dims})


@functions("unravel_index", dtypes=["int64"])
def _(s, dtype, name):
    shape = list(s.shape(1, 3, (1, 2, 3, 5)))
    a = s.array(dtype, None, "positive")
    a.base[...] %= int(np.prod(shape)) + s.chance(0.05)
    retold(a)
    return Call(f"np.unravel_index(a0, {tuple(shape)})", [a], {"shape": shape})


@functions("ix_", dtypes=["int64"])
def _(s, dtype, name):
    arrays = [s.array(dtype, s.shape(1, 1)) for _ in range(s.integer(1, 3))]
    return Call(f"np.ix_({', '.join(f'a{at}' for at in range(len(arrays)))})", arrays)


@functions("diag_indices", "tril_indices", "triu_indices", "indices", dtypes=["int64"])
def _(s, dtype, name):
    given = {"n": s.integer(0, 5)}
    if name == "diag_indices":
        given["ndim"] = s.integer(1, 3)
        return Call(f"np.diag_indices({given['n']}, {given['ndim']})", [], given)
    if name == "indices":
        dimensions = list(s.shape(0, 3))
        return Call(f"np.indices({tuple(dimensions)})", [], {"dimensions": dimensions})
    given |= {"k": s.integer(-3, 3), "m": s.integer(0, 5)}
    return Call(f"np.{name}(**{given})", [], given)
