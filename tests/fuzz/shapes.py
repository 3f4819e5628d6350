"""Functions that rearrange, join and cut arrays."""

from __future__ import annotations

import numpy as np

from .arrays import Source
from .calls import ANY, Call, axis_of, functions


@functions("copy", "ravel", "transpose", "squeeze", "diagonal", "atleast_1d", "atleast_2d", "atleast_3d", "fliplr", "flipud", "matrix_transpose", dtypes=ANY)
def _(s, dtype, name):
    text = {"copy": "a0.copy()", "ravel": "a0.ravel()", "transpose": "a0.transpose()"}.get(name, f"np.{name}(a0)")
    if name == "diagonal":
        # Ours is that of a matrix.
        return Call(text, [s.array(dtype, s.shape(2, 2))])
    return Call(text, [s.array(dtype)])


@functions("reshape", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype)
    rest, shape = a.view.size, []
    while rest > 1 and len(shape) < 4:
        length = s.choice([n for n in range(1, rest + 1) if rest % n == 0])
        shape.append(length)
        rest //= length
    shape.append(rest)
    if s.chance(0.3):
        shape[s.integer(0, len(shape) - 1)] = -1
    if s.chance(0.04):
        shape[-1] = 11
    return Call(f"a0.reshape({tuple(shape)})", [a], {"shape": shape})


@functions("permute_dims", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype)
    axes = list(range(a.view.ndim))
    s.random.shuffle(axes)
    axes = [axis - a.view.ndim if s.chance(0.2) else axis for axis in axes]
    if s.chance(0.04):
        axes = axes[1:]
    # Without axes NumPy reverses all.
    return Call(f"np.transpose(a0, {axes})", [a], {"axes": axes})


@functions("swapaxes", "moveaxis", "rollaxis", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype)
    one, other = axis_of(s, a), axis_of(s, a)
    names = {"swapaxes": ("one", "other"), "moveaxis": ("from", "to"), "rollaxis": ("axis", "start")}[name]
    return Call(f"np.{name}(a0, {one}, {other})", [a], dict(zip(names, (one, other), strict=True)))


@functions("expand_dims", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(0, 3))
    axis = s.integer(-a.view.ndim - 2, a.view.ndim + 1)
    return Call(f"np.expand_dims(a0, {axis})", [a], {"axis": axis})


@functions("broadcast_to", dtypes=ANY)
def _(s, dtype, name):
    shape = list(s.shape())
    own = [1 if s.chance(0.4) else length for length in shape]
    a = s.array(dtype, own[s.integer(0, len(own)) if own else 0 :])
    if s.chance(0.05) and shape:
        shape[-1] += 1
    return Call(f"np.broadcast_to(a0, {tuple(shape)})", [a], {"shape": shape})


@functions("broadcast_arrays", dtypes=ANY)
def _(s, dtype, name):
    from .calls import shapes

    arrays = [s.array(dtype, shape) for shape in shapes(s, s.integer(1, 3))]
    return Call(f"np.broadcast_arrays({', '.join(f'a{at}' for at in range(len(arrays)))})", arrays)


@functions("concatenate", "stack", dtypes=ANY)
def _(s, dtype, name):
    shape = list(s.shape(0 if name == "stack" else 1, 3))
    axis = s.integer(-len(shape) - (name == "stack"), len(shape) - (name != "stack")) if s.chance(0.97) else 7
    arrays = []
    for _ in range(s.integer(1, 3)):
        own = list(shape)
        if name == "concatenate" and -len(shape) <= axis < len(shape):
            own[axis] = s.integer(0, 4)
        if s.chance(0.02) and own:
            own[0] += 1
        arrays.append(s.array(dtype, own))
    return Call(f"np.{name}(({''.join(f'a{at}, ' for at in range(len(arrays)))}), axis={axis})", arrays, {"axis": axis})


@functions("vstack", "hstack", "dstack", "column_stack", dtypes=ANY)
def _(s, dtype, name):
    shape = s.shape(0, 3)
    along = {"vstack": 0, "dstack": 2}.get(name, 1)
    arrays = []
    for _ in range(s.integer(1, 3)):
        own = list(shape)
        axis = 0 if name == "hstack" and len(own) == 1 else along
        if axis < len(own) and (len(own) > 1 or name == "hstack"):
            own[axis] = s.integer(0, 3)
        if s.chance(0.02) and own:
            own[0] += 1
        arrays.append(s.array(dtype, own))
    return Call(f"np.{name}(({''.join(f'a{at}, ' for at in range(len(arrays)))}))", arrays)


@functions("split", "array_split", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3))
    axis = axis_of(s, a)
    if s.chance(0.5):
        places = sorted(s.integer(-4, 6) for _ in range(s.integer(0, 3)))
        return Call(f"np.{name}(a0, {places}, axis={axis})", [a], {"places": places, "axis": axis})
    sections = s.integer(0, 4)
    return Call(f"np.{name}(a0, {sections}, axis={axis})", [a], {"sections": sections, "axis": axis})


@functions("hsplit", "vsplit", "dsplit", dtypes=ANY)
def _(s, dtype, name):
    a, sections = s.array(dtype, s.shape(lengths=(0, 1, 2, 4, 6))), s.choice([1, 2, 2, 3])
    return Call(f"np.{name}(a0, {sections})", [a], {"sections": sections})


@functions("flip", "fftshift", "ifftshift", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype)
    key = "axis" if name == "flip" else "axes"
    function = f"np.{name}" if name == "flip" else f"np.fft.{name}"
    if s.chance(0.3) or not a.view.ndim:
        fails = name != "flip" and not a.view.ndim
        return Call(f"{function}(a0)", [a], {}, {"accepted": "NumPy fails for an array without axes"} if fails else {})
    axes = s.random.sample(range(a.view.ndim), s.integer(1, a.view.ndim)) if s.chance(0.97) else [a.view.ndim]
    return Call(f"{function}(a0, {key}={tuple(axes)})", [a], {key: axes})


@functions("rot90", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 4))
    axes = s.random.sample(range(a.view.ndim), 2) if a.view.ndim > 1 and s.chance(0.97) else [0, 0]
    k = s.integer(-5, 6)
    return Call(f"np.rot90(a0, {k}, {tuple(axes)})", [a], {"k": k, "axes": axes})


@functions("roll", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype)
    if s.chance(0.3) or not a.view.ndim:
        shift = s.integer(-9, 9)
        return Call(f"np.roll(a0, {shift})", [a], {"shift": shift})
    axes = s.random.sample(range(a.view.ndim), s.integer(1, a.view.ndim))
    shift = [s.integer(-9, 9) for _ in axes] if s.chance(0.7) else [s.integer(-9, 9)]
    return Call(f"np.roll(a0, {tuple(shift) if len(shift) > 1 else shift[0]}, axis={tuple(axes)})", [a], {"shift": shift, "axis": axes})


@functions("pad", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3, size=100))
    mode = s.choice(["constant", "edge", "reflect", "symmetric", "wrap"])
    width = [[s.choice([0, 0, 1, 2, 5]), s.choice([0, 0, 1, 2, 7])] for _ in range(a.view.ndim)]
    value = s.array(dtype, (), view=False)
    more = ", constant_values=a1" if mode == "constant" else ""
    return Call(f"np.pad(a0, {width}, mode='{mode}'{more})", [a, value], {"mode": mode, "width": width})


@functions("repeat", "repeat_each", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype)
    axis = axis_of(s, a) if s.chance(0.7) and a.view.ndim else None
    if name == "repeat":
        count = s.integer(0, 3)
        return Call(f"np.repeat(a0, {count}, axis={axis})", [a], {"repeats": count, "axis": axis})
    length = a.view.size if axis is None else a.view.shape[axis] if -a.view.ndim <= axis < a.view.ndim else 2
    if s.chance(0.03):
        length += 2
    counts = s.array("int64", (length,), "exact")
    counts.base[...] = abs(counts.base) % 4
    counts.text = f"abs({counts.text}) % 4"
    return Call(f"np.repeat(a0, a1, axis={axis})", [a, counts], {"axis": axis})


@functions("tile", dtypes=ANY)
def _(s, dtype, name):
    reps = [s.integer(0, 3) for _ in range(s.integer(0, 3))]
    return Call(f"np.tile(a0, {tuple(reps)})", [s.array(dtype, s.shape(0, 3, size=100))], {"reps": reps})


@functions("resize", dtypes=ANY)
def _(s, dtype, name):
    shape = list(s.shape(0, 3))
    return Call(f"np.resize(a0, {tuple(shape)})", [s.array(dtype)], {"shape": shape})


@functions("sliding_window_view", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3))
    given = {}
    if s.chance(0.5):
        given["window"] = [s.integer(1, 3) for _ in range(a.view.ndim)]
    else:
        given["axis"] = s.random.sample(range(a.view.ndim), s.integer(1, a.view.ndim))
        given["window"] = [s.integer(0, 3) for _ in given["axis"]]
    text = f", axis={tuple(given['axis'])}" if "axis" in given else ""
    return Call(f"np.lib.stride_tricks.sliding_window_view(a0, {tuple(given['window'])}{text})", [a], given)


@functions("meshgrid", dtypes=ANY)
def _(s, dtype, name):
    return Call("np.meshgrid(a0, a1)", [s.array(dtype, s.shape(1, 1)), s.array(dtype, s.shape(1, 1))])


@functions("append", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(0, 3))
    if s.chance(0.4) or not a.view.ndim:
        return Call("np.append(a0, a1)", [a, s.array(dtype)])
    axis, shape = s.integer(-a.view.ndim, a.view.ndim - 1), list(a.view.shape)
    shape[axis] = s.integer(0, 3)
    return Call(f"np.append(a0, a1, axis={axis})", [a, s.array(dtype, shape)], {"axis": axis})


@functions("delete", "delete_one", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3))
    axis = axis_of(s, a) if s.chance(0.7) else None
    length = a.view.size if axis is None else a.view.shape[axis] if -a.view.ndim <= axis < a.view.ndim else 1
    places = [s.integer(-length, length - 1) if length else 0 for _ in range(s.integer(0 if length else 0, 3 if length else 0))]
    if s.chance(0.03):
        places = [length]
    obj = places if name == "delete" else (places[0] if places else 0)
    return Call(f"np.delete(a0, {obj if obj != [] else 'np.zeros(0, int)'}, axis={axis})", [a], {"obj": obj, "axis": axis})


@functions("insert", "insert_one", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3))
    axis = axis_of(s, a) if s.chance(0.7) else None
    known = axis is not None and -a.view.ndim <= axis < a.view.ndim
    length = a.view.size if axis is None else a.view.shape[axis] if known else 1
    places = [s.integer(-length, length) for _ in range(s.integer(1, 3))]
    if s.chance(0.03):
        places[0] = length + 1
    obj = places if name == "insert" else places[0]
    shape = list(a.view.shape) if known else []
    if known and s.chance(0.6):
        shape[axis] = len(places) if name == "insert" else s.integer(1, 3)
        if name == "insert_one":
            # An integer inserts values as if they had the axis in front.
            shape = [shape[axis]] + shape[:axis % a.view.ndim] + shape[axis % a.view.ndim + 1 :] if s.chance(0.5) else shape
    else:
        shape = []
    return Call(f"np.insert(a0, {obj}, a1, axis={axis})", [a, s.array(dtype, shape)], {"obj": obj, "axis": axis})


@functions("trim_zeros", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 2), "exact", view=False)
    for axis in range(a.base.ndim):
        if s.chance(0.7):
            a.base[(slice(None),) * axis + (slice(0, s.integer(0, 2)),)] = 0
            a.base[(slice(None),) * axis + (slice(max(0, a.base.shape[axis] - s.integer(0, 2)), None),)] = 0
    from .arrays import literal

    a.text = literal(a.base)
    trim = s.choice(["fb", "f", "b"])
    return Call(f"np.trim_zeros(a0, '{trim}')", [a], {"trim": trim})


@functions("diag", "diagflat", "tril", "triu", dtypes=ANY)
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 2 if name.startswith("diag") else 4, size=40 if name == "diagflat" else 300))
    k = s.integer(-3, 3)
    is_vector = name in ("tril", "triu") and a.view.ndim == 1
    return Call(f"np.{name}(a0, {k})", [a], {"k": k}, {"refused": "triangles are those of matrices; NumPy repeats a 1-D array as rows"} if is_vector else {})
