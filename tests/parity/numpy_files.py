"""Files as NumPy writes them: those that can be read, and those that cannot, with a part of what is said of them."""

import base64
import io

import numpy as np


def cases(array, dtypes):
    """A case for each file; `array` describes an array, `dtypes` are the element types by our names."""
    def npy(name, a, version=None, text=None):
        stream = io.BytesIO()
        np.lib.format.write_array(stream, a, version=version)
        content = base64.b64encode(stream.getvalue()).decode()
        kind = {"refused": text} if text else {"array": array(a), "fortran": bool(a.flags.fnc)}
        return {"name": name, "bytes": content, **kind}

    def npz(name, save, **arrays):
        stream = io.BytesIO()
        save(stream, **arrays)
        content = base64.b64encode(stream.getvalue()).decode()
        return {"name": name, "bytes": content, "arrays": {key: array(value) for key, value in arrays.items()}}

    for dtype, named in dtypes.items():
        yield npy(f"{dtype}", np.arange(6).reshape(2, 3).astype(named))
        yield npy(f"{dtype} big-endian", np.arange(6).reshape(2, 3).astype(np.dtype(named).newbyteorder(">")))
    for dtype in ["float64", "int16", "bool", ">u4"]:
        yield npy(f"{dtype} fortran", np.asfortranarray(np.arange(24).reshape(2, 3, 4).astype(dtype)))
        yield npy(f"{dtype} 0-d", np.array(3, dtype))
        yield npy(f"{dtype} empty", np.zeros((3, 0, 2), dtype))
    yield npy("extremes", np.array([np.nan, np.inf, -np.inf, -0.0]))
    yield npy("strided", np.arange(24).reshape(4, 6)[::-2, 1::2])
    yield npy("version 2", np.arange(3), version=(2, 0))
    yield npy("version 3", np.arange(3), version=(3, 0))
    yield npz("stored", np.savez, steps=np.arange(5), losses=np.float32([0.5, 0.25]), done=np.array([[True], [False]]),
              **{"a name/with parts": np.asfortranarray(np.ones((2, 3))), "größe": np.array(7, "int8")})
    yield npz("compressed", np.savez_compressed, zeros=np.zeros((100, 100)), places=np.arange(300).reshape(3, 100))
    yield npz("nothing", np.savez)
    refused = [
        ("objects", np.array([{}, None], dtype=object), "Python's objects"),
        ("text", np.array(["one", "three"]), "holds text"),
        ("bytes", np.array([b"one"]), "holds text"),
        ("times", np.array(["2024-02-29"], "datetime64[D]"), "holds times"),
        ("records", np.zeros(2, [("x", "f4"), ("y", "i4", (2,))]), "holds records"),
        ("long floats", np.zeros(2, "longdouble"), "`<f16`"),
    ]
    for name, a, text in refused:
        yield npy(name, a, text=text)
