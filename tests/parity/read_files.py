"""Reads with NumPy what the prelude's tests have saved: `read_files.py DIR`, the folder that WARPCELL_TEST_FILES named."""

import io
import pathlib
import sys

import numpy as np

DTYPES = {"bool": "bool", "u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16", "i32": "int32", "u32": "uint32",
          "i64": "int64", "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64"}


def layouts(dtype):
    a = np.arange(24).reshape(2, 3, 4).astype(dtype)
    return {"rows": a, "columns": np.asfortranarray(a), "strided": a[:, ::-1, ::2], "scalar": a[1, 1, 1], "empty": a[:, 0:0],
            "offset": a[1], "repeated": np.broadcast_to(a[1, 2], (2, 4))}


def same(found, expected, where):
    assert found.dtype == expected.dtype, f"{where}: {found.dtype} is not {expected.dtype}"
    assert found.shape == expected.shape, f"{where}: {found.shape} is not {expected.shape}"
    assert np.array_equal(found, expected), f"{where}: {found} is not {expected}"


folder = pathlib.Path(sys.argv[1])
count = 0
for name, dtype in DTYPES.items():
    archives = [np.load(folder / f"{name}-{kind}.npz") for kind in ("stored", "compressed")]
    for layout, expected in layouts(dtype).items():
        for path in (folder / f"{name}-{layout}.npy", folder / f"{name}-{layout}-host.npy"):
            found = np.load(path)
            same(found, expected, path.name)
        assert np.load(folder / f"{name}-{layout}.npy").flags.fnc == (layout == "columns"), f"{name}-{layout}"
        for archive in archives:
            same(archive[f"{name}-{layout}"], expected, f"{name}-{layout} in an archive")
        count += 4
same(np.load(folder / "large.npy"), np.arange(3000001.0), "large.npy")
same(np.load(folder / "large.npz")["large"], np.arange(3000001.0)[::-1], "large.npz")
table = np.arange(12.0).reshape(4, 3) / 7 - 0.5
texts = {
    "table.txt": (table, {}),
    "columns.txt": (table.T, {}),
    "integers.txt": (np.array([[1 << 62, -3], [0, 7]]), {}),
    "fixed.csv": (table, {"fmt": "%.3f", "delimiter": ",", "header": "a,b\nc", "footer": "end"}),
    "wide.csv": (table, {"fmt": "%10.2e", "delimiter": ",", "header": "a,b\nc", "footer": "end", "comments": ""}),
    "short.csv": (table, {"fmt": "%g", "delimiter": ",", "header": "a,b\nc", "footer": "end"}),
    "whole.csv": (np.array([[1, 200], [3, 4]], "u1"), {"fmt": "%d", "delimiter": ",", "header": "a,b\nc", "footer": "end"}),
}
for name, (array, keywords) in texts.items():
    stream = io.BytesIO()
    np.savetxt(stream, array, **keywords)
    found, expected = (folder / name).read_bytes(), stream.getvalue()
    assert found == expected, f"{name}: {found!r} is not {expected!r}"
assert not list(folder.glob("*.part")), "a temporary file was left"
print(f"{count + 2} arrays and {len(texts)} texts are as they were saved")
