"""`warpcell export NOTEBOOK --python NAME`: the functions of a notebook as a wheel, which pip installs into an environment without Warpcell."""

from __future__ import annotations

import ast
import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy
import pytest

from .test_export import notebook_of

ROOT = Path(os.environ.get("WARPCELL_TEST_ROOT", Path(__file__).parents[2]))
EXPORTED = {"metadata": {"tags": ["export"]}}
FAILED = {"outputs": [{"output_type": "error", "ename": "CompileError", "evalue": "no y", "traceback": []}]}
# Libraries that wheels may expect of each system.
ALLOWED = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2"}
CELLS = [
    "use ndarray::ArrayView1;\nlet a = 1;",
    "#[device]\nfn squared(x: f32) -> f32 { x * x }",
    (
        "/// The length of (x, y).\n///\n///     length(3.0, 4.0) == 5.0\n#[vectorize]\nfn length(x: f32, y: f32) -> f32 {\n"
        "    (squared(x) + squared(y)).sqrt()\n}\nlength(3.0, 4.0)",
        EXPORTED,
    ),
    ("fn scaled(a: &DeviceArray<f64>, by: f64) -> DeviceArray<f64> { a * by }", EXPORTED),
    (
        "fn places(a: &[f64]) -> Result<Vec<u64>, String> {\n    if a.is_empty() { return Err(\"no elements\".to_owned()); }\n"
        "    let mut places: Vec<u64> = (0..a.len() as u64).collect();\n"
        "    places.sort_by(|x, y| a[*x as usize].total_cmp(&a[*y as usize]));\n    Ok(places)\n}\n\n"
        "fn pick(a: ArrayView1<f64>, n: usize) -> f64 {\n    let elements = a.to_vec();\n    elements[n]\n}",
        EXPORTED,
    ),
    ("#[kernel]\nfn fill(mut out: ViewMut<f32>, value: f32) {\n    let i = global_idx().x;\n    if i < out.len() { out[i] = value; }\n}", EXPORTED),
    "fn unused() { no_such_function() }",
]
USE = '''
import inspect, json, multiprocessing, pickle, sys
import numpy
import my_functions as my

def raised(call):
    try:
        call()
    except Exception as error:
        return [type(error).__name__, isinstance(error, my.RustError), str(error), getattr(error, "line", None)]

def main():
    a = numpy.arange(6.0)[::-1].copy()
    out = numpy.zeros(5, "f4")
    before = str(inspect.signature(my.length)), my.length.__doc__
    my.fill.launch_for(5, out, 2.5)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        worker = pool.starmap(my.length, [(3.0, 4.0)])
    print(json.dumps({
        "length": my.length(numpy.float32([[3], [5]]), numpy.float32([4, 12])).tolist(),
        "number": my.length(3.0, y=4.0),
        "scaled": [my.scaled(a, 2.0).tolist(), str(my.scaled(a, 2.0).dtype)],
        "places": [my.places(a).tolist(), str(my.places(a).dtype)],
        "pick": my.pick(a, 2),
        "fill": out.tolist(),
        "worker": worker,
        "same": pickle.loads(pickle.dumps(my.scaled)) is my.scaled,
        "before": before,
        "errors": [
            raised(lambda: my.pick(a, 6)),
            raised(lambda: my.places(a[:0])),
            raised(lambda: my.scaled(numpy.float32([1]), 2.0)),
            raised(lambda: my.length(1.0)),
        ],
        "modules": [name for name in sys.modules if name.split(".")[0] == "warpcell"],
        "version": my.__version__,
        "all": my.__all__,
    }))

if __name__ == "__main__":
    main()
'''
TYPED = '''
import numpy
from numpy.typing import NDArray
import my_functions as my

a: NDArray[numpy.float64] = numpy.zeros(3)
b: NDArray[numpy.float32] = numpy.zeros(3, numpy.float32)
reveal_type(my.length(1.0, 2))
reveal_type(my.length(b, 2.0))
reveal_type(my.scaled(a, numpy.float64(2)))
reveal_type(my.places(a))
reveal_type(my.pick(a, 1))
reveal_type(my.fill.launch_for(3, b, 1.0))
my.pick("a", 1)
my.scaled(a)
my.no_such_function(a)
'''


def export(prefix: Path, folder: Path, cells: list, *arguments: str, language: str = "rust") -> subprocess.CompletedProcess:
    path = folder / "a notebook.ipynb"
    path.write_text(json.dumps(notebook_of(cells, language)))
    command = [prefix / "bin/warpcell", "export", path, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False, cwd=folder)


@pytest.fixture(scope="module")
def wheel(prefix, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    ended = export(prefix, folder, CELLS, "--python", "my_functions", "--package-version", "1.2")
    assert ended.returncode == 0, ended.stderr
    (found,) = folder.glob("*.whl")
    assert f"Wrote 5 functions to ./{found.name}" in ended.stdout, ended.stdout
    return found


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory) -> Path:
    """The Python of a fresh environment with the package and what it asks for."""
    environment = tmp_path_factory.mktemp("ein Ort für Räder") / "venv"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    python = environment / "bin/python"
    # Any NumPy will do; this one pip has in its cache.
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, f"numpy=={numpy.__version__}"]
    ended = subprocess.run(pip, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return python


def umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def symbols(library: Path) -> tuple[int, set[str]]:
    """The least version of the C library that a library needs, 2 and this, and the libraries that it names."""
    read = subprocess.run(["readelf", "--version-info", "--dynamic", "--wide", library], check=True, capture_output=True, text=True).stdout
    versions = [int(minor) for minor in re.findall(r"Name: GLIBC_2\.(\d+)", read)]
    return max(versions), set(re.findall(r"\(NEEDED\).*\[(.*)\]", read))


def test_the_wheel_says_where_it_runs(wheel, tmp_path):
    tag = re.fullmatch(r"my_functions-1\.2-py3-none-manylinux_2_(\d+)_x86_64\.whl", wheel.name)
    assert tag, wheel.name
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    libraries = list((tmp_path / "my_functions").glob("*.so"))
    own = {library.name for library in libraries}
    assert "libwarpcell.so" not in own and "_functions.so" in own, own
    needs = {library.name: symbols(library) for library in libraries}
    assert max(17, *(version for version, _ in needs.values())) == int(tag[1]), needs
    for name, (_, named) in needs.items():
        assert named <= ALLOWED | own, (name, named)
    information = tmp_path / "my_functions-1.2.dist-info"
    assert f"Tag: py3-none-manylinux_2_{tag[1]}_x86_64" in (information / "WHEEL").read_text()
    metadata = (information / "METADATA").read_text()
    assert "Requires-Dist: numpy" in metadata and "The length of (x, y)." in metadata
    listed = [line.rsplit(",", 2) for line in (information / "RECORD").read_text().splitlines()]
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {name for name, *_ in listed} == files
    for name, digest, size in listed:
        contents = (tmp_path / name).read_bytes()
        expected = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
        assert name.endswith("/RECORD") or (digest, size) == (f"sha256={expected}", str(len(contents))), name


def test_the_wheel_names_no_place_of_this_machine(wheel, prefix):
    homes = [Path.home(), *(Path(os.environ[name]) for name in ("CARGO_HOME", "RUSTUP_HOME") if name in os.environ)]
    places = [f"{place}/".encode() for place in [ROOT, prefix, wheel.parent, *homes]]
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            contents = archive.read(name)
            assert not [place for place in places if place in contents], name


@pytest.mark.network
def test_functions_are_called_in_an_environment_without_warpcell(python, tmp_path):
    script = tmp_path / "use.py"
    script.write_text(USE)
    # Nothing of this machine's Rust and Jupyter is to be found.
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "WARPCELL_DEVICE": "cpu", "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run([python, script], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=480, check=False)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    errors = found.pop("errors")
    signature, documentation = found.pop("before")
    assert found == {
        "length": [[5.0, float(numpy.float32(153**0.5))], [float(numpy.float32(41**0.5)), 13.0]],
        "number": 5.0,
        "scaled": [[10.0, 8.0, 6.0, 4.0, 2.0, 0.0], "float64"],
        "places": [[5, 4, 3, 2, 1, 0], "uint64"],
        "pick": 3.0,
        "fill": [2.5] * 5,
        "worker": [5.0],
        "same": True,
        "modules": [],
        "version": "1.2",
        "all": ["length", "scaled", "places", "pick", "fill", "RustError", "synchronize"],
    }
    assert signature == "(x, y)"
    assert documentation == "The length of (x, y).\n\n    length(3.0, 4.0) == 5.0\n\nfn length(x: f32, y: f32) -> f32"
    panic, error, dtype, count = errors
    source = (python.parent.parent / "lib").glob("python3*/site-packages/my_functions/functions.rs")
    lines = next(source).read_text().splitlines()
    assert panic[:2] == ["Panic", True] and lines[panic[3] - 1].strip() == "elements[n]" and "`pick`, line" in panic[2], panic
    assert error[:2] == ["Error", True] and "no elements" in error[2], error
    assert dtype[0] == "TypeError" and "a.astype(" in dtype[2], dtype
    assert count[0] == "TypeError" and count[2] == "length takes 2 arguments (x, y), but was given 1", count
    assert not any("no_such_function" in line for line in lines), "what functions do not need is left out"


@pytest.mark.network
def test_type_checkers_read_the_stubs(wheel, python, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        stubs = archive.read("my_functions/__init__.pyi").decode()
        assert "my_functions/py.typed" in archive.namelist()
    defined = [node for node in ast.parse(stubs).body if isinstance(node, ast.FunctionDef) and node.name == "length"]
    assert [ast.get_docstring(node, clean=False) for node in defined][0].startswith("The length of (x, y).\n\n    length(3.0, 4.0)")
    (tmp_path / "use.py").write_text(TYPED)
    (tmp_path / "stubs.pyi").write_text(stubs)
    command = [sys.executable, "-m", "mypy", "--no-color-output", "--no-error-summary", "--no-incremental", "--strict", "--python-executable", python]
    ended = subprocess.run([*command, "use.py", "stubs.pyi"], cwd=tmp_path, capture_output=True, text=True, timeout=480, check=False)
    said = ended.stdout.splitlines()
    notes = [re.search(r'Revealed type is "(.*)"', line)[1] for line in said if "Revealed" in line]
    kinds = ["float", r"ndarray.*(float32|floating.*_32Bit)", r"ndarray.*(float64|floating.*_64Bit)", "ndarray.*(uint64|unsignedinteger.*_64Bit)", "float", "None"]
    assert len(notes) == len(kinds) and all(re.search(kind, note) for kind, note in zip(kinds, notes)), ended.stdout
    wrong = [line for line in said if "error:" in line]
    assert [line.split(":")[:2] for line in wrong if "[arg-type]" in line or "[call-" in line or "[attr-defined]" in line] == [
        ["use.py", "14"],
        ["use.py", "15"],
        ["use.py", "16"],
    ], ended.stdout
    assert len(wrong) == 3 and not ended.stderr, ended.stdout + ended.stderr


def test_cells_of_a_python_notebook_become_a_package(prefix, tmp_path, wheel):
    cells = ["import numpy", "%%rust --export twice\n#[vectorize]\nfn twice(x: f64) -> f64 { 2.0 * x }\nfn other() {}", "%%rust\nlet x = 1;"]
    ended = export(prefix, tmp_path, cells, "--python", "small", "--to", "made here", language="python")
    assert ended.returncode == 0, ended.stderr
    (small,) = (tmp_path / "made here").glob("small-0.1.0-*.whl")
    assert small.stat().st_mode & 0o777 == 0o666 & ~umask(), "others may read it, as other files of the user's"
    run = "import numpy, small, my_functions as my; a = numpy.arange(3.0); print(small.twice(a), my.scaled(a, 3.0), small.__all__)"
    # The folder of a package is all that it takes, and a process may use several.
    for path in (small, wheel):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(tmp_path / "unpacked")
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "unpacked"), "WARPCELL_DEVICE": "cpu"}
    shown = subprocess.run([sys.executable, "-c", run], env=env, capture_output=True, text=True, timeout=480, check=False)
    assert shown.stdout == "[0. 2. 4.] [0. 3. 6.] ['twice', 'RustError', 'synchronize']\n", shown.stderr


@pytest.mark.parametrize(
    "cells, arguments, said, last",
    [
        (["fn f() {}"], ["--python", "mine"], "no cell of the notebook has a function for Python", "begin these cells with `%%rust --export NAME`"),
        (CELLS, ["--python", "my-functions"], "`my-functions` is no name for a package", "write --python my_functions"),
        (CELLS, ["--python", "lambda"], "`lambda` is a word of Python's", "write --python functions_lambda"),
        (CELLS, ["--python", "mine", "--package-version", "one"], "`one` is no version", "write --package-version 0.1.0"),
        (
            [("fn f(x: f64) -> f64 { x }", EXPORTED), ("fn all<T>(x: T) {}", EXPORTED)],
            ["--python", "mine"],
            "cell 2 (c-1): `all` has type parameters, so Python cannot call it; write one function for each type, such as `f32`",
            "Nothing was written. Correct these cells.",
        ),
        (
            [("struct Mine;", {}), ("fn f(x: f64) -> f64 { x }", EXPORTED), ("fn g(x: &Mine) -> f64 { 1.0 }", EXPORTED)],
            ["--python", "mine"],
            "cell 3 (c-2): the compiler refuses it in the package: a function for Python cannot take `Mine`\nerror[E0277]: a function for Python cannot take `Mine`",
            "Nothing was written. Correct these cells.",
        ),
        (
            [("use std::collections::BTreeMap;\nlet x: u8 = y;", FAILED), ("fn f(n: i64) -> i64 { BTreeMap::from([(n, n)])[&n] }", EXPORTED)],
            ["--python", "mine"],
            "cell 1 (c-0): it has failed (CompileError: no y); correct it",
            "Nothing was written. Correct these cells.",
        ),
        (
            [":dep itoa", ("fn f(n: i32) -> usize { itoa::Buffer::new().format(n).len() }", EXPORTED)],
            ["--python", "mine"],
            "cell 2 (c-1): it uses the crate `itoa` of `:dep`, which a package does not have",
            "Nothing was written. Correct these cells.",
        ),
    ],
    ids=["no function", "no identifier", "a keyword", "no version", "type parameters", "a type", "a failed cell", "a crate"],
)
def test_what_is_no_package_is_said(prefix, tmp_path, cells, arguments, said, last):
    ended = export(prefix, tmp_path, cells, *arguments)
    assert ended.returncode == 1 and not list(tmp_path.glob("*.whl")), ended
    assert said in ended.stderr, ended.stderr
    assert ended.stderr.rstrip().endswith(last), ended.stderr
