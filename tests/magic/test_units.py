"""The parts of the Python package that need no kernel."""

from __future__ import annotations

import os
import re
import tempfile

import numpy
import pytest
from IPython.core.error import UsageError

from .notebook import PACKAGE, ROOT  # noqa: F401 - the package is found by what this says

import warpcell
from warpcell import arrays, calls, errors, libraries, magic, notebooks, process


@pytest.mark.parametrize("value, text", [
    (True, ": bool = true"),
    (-3, ": i64 = -3"),
    (2.5, ": f64 = 2.5"),
    (1e300, ": f64 = 1e+300"),
    (float("nan"), ": f64 = f64::NAN"),
    (float("-inf"), ": f64 = f64::NEG_INFINITY"),
    ("a", ': String = r#"a"#.to_string()'),
    ('"##', ': String = r###""##"###.to_string()'),
    (1 - 2j, ": gpu::Complex<f64> = gpu::Complex::new(1.0, -2.0)"),
    (numpy.float64(2.5), ": f64 = 2.5"),
    (numpy.float32("inf"), ": f32 = f32::INFINITY"),
    (numpy.float16(0.5), ": gpu::f16 = gpu::f16::from_f64(0.5)"),
    (numpy.uint8(200), ": u8 = 200"),
    (numpy.arange(5).sum(), ": i64 = 10"),
    (numpy.bool_(False), ": bool = false"),
    (numpy.complex64(1j), ": gpu::Complex<f32> = gpu::Complex::new(0.0, 1.0)"),
    ([1], ""),
    (None, ""),
])  # fmt: skip
def test_plain_values(value, text):
    assert arrays.literal(value) == text


def test_integers_that_do_not_fit():
    with pytest.raises(ValueError, match="9223372036854775808 does not fit into an i64"):
        arrays.literal(2**63)


def test_types_of_arrays():
    assert arrays.array_type("float32", 2) == ("f32", "Array2<f32>")
    assert arrays.array_type("complex128", 0) == ("gpu::Complex<f64>", "ndarray::Array0<gpu::Complex<f64>>")
    assert arrays.array_type("uint8", 7) == ("u8", "ArrayD<u8>")
    with pytest.raises(ValueError, match="arrays of str96 have no counterpart"):
        arrays.array_type("str96", 1)


def test_options():
    assert magic.options("") == ([], [], [], False)
    assert magic.options("-i a,b -o c --input d --restart") == (["a", "b", "d"], ["c"], [], True)
    assert magic.options("--export f,g --export h") == ([], [], ["f", "g", "h"], False)
    for line in ("-o", "-x", "--export", "-i 'a b'", "-i a,,b", "-i 'unclosed"):
        with pytest.raises(UsageError, match="--help lists the options"):
            magic.options(line)


def test_sizes_of_launches():
    assert calls._sizes("grid", 3) == (3, 1, 1) and calls._sizes("grid", (2, 3)) == (2, 3, 1)
    for wrong in ((), (1, 2, 3, 4), (1.5,), "ab"):
        with pytest.raises(TypeError, match="block is .*; give a number, or a tuple of two or three, such as"):
            calls._sizes("block", wrong)


def test_libraries_of_arrays():
    class Array:
        def __dlpack__(self): ...

    class Derived(numpy.ndarray): ...

    assert libraries.library_of(int) is None and libraries.library_of(numpy.float32) is None
    assert libraries.library_of(numpy.ndarray) is libraries.library_of(Derived) is libraries.named("numpy")
    assert libraries.library_of(Array).name == __name__.split(".")[0]
    assert libraries.is_scalar_of_numpy(numpy.int8(1)) and not libraries.is_scalar_of_numpy(1)


def test_errors_are_of_a_class_with_their_name():
    first = errors.error_of({"ename": "Panic", "evalue": "no", "traceback": ["\x1b[31mPanic\x1b[0m: no"]})
    second = errors.error_of({"ename": "Panic", "evalue": "again", "traceback": []})
    assert type(first) is type(second) and type(first).__name__ == "Panic" and isinstance(first, warpcell.RustError)
    assert first._render_traceback_() == ["\x1b[31mPanic\x1b[0m: no"] and second._render_traceback_() == ["Panic: again"]
    assert isinstance(errors.error_of({"ename": "Interrupted", "evalue": ""}), KeyboardInterrupt)
    assert type(errors.error_of({"ename": "not a name", "evalue": ""})).__name__ == "RustError"


def test_values_show_what_the_kernel_has_sent():
    value = warpcell.RustValue({"text/plain": "\x1b[1m1\x1b[0m", "text/html": "<b>1</b>"})
    assert repr(value) == str(value) == "1"
    assert value._repr_mimebundle_()[0]["text/html"] == "<b>1</b>"


def test_code_as_markdown():
    assert notebooks.fenced("let x = 1;\n") == "```rust\nlet x = 1;\n```"
    assert notebooks.fenced("// ```") == "````rust\n// ```\n````"


def test_pictures_of_a_notebook(tmp_path):
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures/e.svg").write_text("<svg/>")
    source = "![a](a.png) ![e](figures/e.svg) ![b](attachment:b.png) ![c](https://example.org/c.png) ![d](missing.png) [a](a.png)"
    shown = notebooks.with_pictures(source, {"b.png": {"image/png": "AAAA"}}, str(tmp_path))
    assert shown == (
        "![a](data:image/png;base64,iVBORw==) ![e](data:image/svg+xml;base64,PHN2Zy8+) ![b](data:image/png;base64,AAAA) ![c](https://example.org/c.png) "
        "![d](missing.png) [a](a.png)"
    )


def test_folders_of_killed_processes_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    used, left, fresh = (tmp_path / f"warpcell-python-{name}" for name in ("used", "left", "fresh"))
    for folder in (used, left, fresh):
        folder.mkdir()
    held = process._hold(used)
    os.close(process._hold(left))
    process._remove_leftovers()
    assert used.exists() and fresh.exists() and not left.exists()
    os.close(held)


def test_placeholders_of_kernelspecs():
    names = {"connection_file": "/a b/c.json", "resource_dir": "/p/share/jupyter/kernels/warpcell"}
    assert process._filled_in("{resource_dir}/../../../../bin/warpcell", names).endswith("kernels/warpcell/../../../../bin/warpcell")
    assert process._filled_in("{connection_file}", names) == "/a b/c.json"
    assert process._filled_in("{other}", names) == "{other}"


def test_sessions_say_where_kernels_are_looked_for():
    with pytest.raises(warpcell.SessionError, match="no Jupyter kernel 'none'(.|\n)*JUPYTER_PATH="):
        warpcell.Session("none").run("1")
    with pytest.raises(ValueError, match="not 'udp'"):
        warpcell.Session(transport="udp").run("1")


def test_the_compiler_that_colab_installs_is_the_pinned_one():
    channel = re.search(r'channel = "(.*)"', (ROOT / "rust-toolchain.toml").read_text())[1]
    assert f"--default-toolchain {channel}" in (ROOT / "assets/colab/warpcell.ipynb").read_text()
