"""`warpcell export`: notebooks as Cargo projects. They are built by plain cargo, into one folder, so that the array library is built once,
and print what the notebooks' cells print."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import notebooks

ROOT = Path(os.environ.get("WARPCELL_TEST_ROOT", Path(__file__).parents[2]))
# Where all programs are built. It stays, as the other folders of builds do.
TARGET = ROOT / "target/tests/exported"
# For the array library, on two cores that have other things to do.
BUILD_SECONDS = 1500
# The puzzles of students are not solved, and their messages name lines of cells: the solutions print the same in a program.
NOTEBOOKS = [path for path in notebooks.lessons() if path != notebooks.LESSONS / "puzzles.ipynb"]
# What `prints` says of cells that print it only in a notebook.
ONLY_IN_NOTEBOOKS: dict[str, list[str]] = {}


@pytest.fixture
def export(prefix, tmp_path):
    """Exports a notebook, a path or cells, into a new folder: gives the folder and how the command ended."""

    def run(notebook, *arguments: str) -> tuple[Path, subprocess.CompletedProcess]:
        if not isinstance(notebook, Path):
            (tmp_path / "a notebook.ipynb").write_text(json.dumps(notebook_of(notebook)))
            notebook = tmp_path / "a notebook.ipynb"
        folder = tmp_path / "a project"
        command = [prefix / "bin/warpcell", "export", notebook, "--to", folder, *arguments]
        return folder, subprocess.run(command, capture_output=True, text=True, timeout=480, check=False)

    return run


def notebook_of(cells: list, language: str = "rust") -> dict:
    """A notebook of code cells: each a text, or a pair of a text and more fields."""
    made = []
    for index, cell in enumerate(cells):
        text, more = (cell, {}) if isinstance(cell, str) else cell
        made.append(
            {"cell_type": "code", "id": f"c-{index}", "source": text, "metadata": {}, "outputs": [], "execution_count": None, **more}
        )
    kernel = {"name": "warpcell", "display_name": "Rust GPU", "language": language}
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": made}


def cargo(folder: Path, *arguments: str, seconds: int = BUILD_SECONDS) -> subprocess.CompletedProcess:
    """Runs cargo in a project, without the settings of the kernel's own builds."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("RUST", "CARGO_ENCODED", "CARGO_BUILD"))}
    env |= {"CARGO_TARGET_DIR": str(TARGET), "WARPCELL_DEVICE": os.environ.get("WARPCELL_DEVICE", "cpu")}
    command = ["cargo", *arguments, "--release", "--locked", "--quiet"]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=seconds, check=False)


def output_of(folder: Path, *arguments: str) -> str:
    """What a project's program prints."""
    ended = cargo(folder, "run", *arguments)
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-6000:]
    return ended.stdout + ended.stderr


def written(ended: subprocess.CompletedProcess) -> None:
    assert ended.returncode == 0, ended.stderr


def surprises(notebook: dict, folder: Path, output: str) -> list[str]:
    """Where a program's output is not what the metadata of its notebook's cells say."""
    found, begin = [], 0
    for index, cell in enumerate(notebook["cells"]):
        promised = cell["metadata"].get("warpcell", {})
        if "raises-exception" in cell["metadata"].get("tags", []):
            continue
        places = []
        for text in promised.get("prints", []):
            if text in ONLY_IN_NOTEBOOKS.get(cell["id"], []):
                continue
            place = output.find(text, begin)
            places.append(place)
            if place < 0:
                found.append(f"{cell['id']}: {text!r} is not in the output: {output[begin:begin + 600]}")
        begin = max([begin, min([place for place in places if place >= 0], default=begin)])
        if promised.get("image") and not (folder / f"output/{index + 1}-{cell['id']}.png").exists():
            found.append(f"{cell['id']}: it should write a picture")
    return found


def check_lesson(export, path: Path) -> None:
    folder, ended = export(path)
    written(ended)
    shutil.copytree(notebooks.LESSONS / "data", folder / "data")
    output = output_of(folder)
    assert not surprises(json.loads(path.read_text()), folder, output)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_lessons_become_programs_that_the_compiler_accepts(export, path):
    folder, ended = export(path)
    written(ended)
    text = (folder / "src/main.rs").read_text()
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    failing = [cell["id"] for cell in cells if "raises-exception" in cell["metadata"].get("tags", [])]
    assert re.findall(r"// Cell \d+-(\S+) is left out", text) == failing
    assert text.count("    gpu::program::cell(") >= len(cells) / 2
    assert str(ROOT) not in text


@pytest.mark.named
@pytest.mark.timeout(BUILD_SECONDS + 300)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_lessons_print_what_they_should(export, path):
    check_lesson(export, path)


HARD = [
    ":dep itoa\nuse std::fmt::Write as _;",
    "%cd -q .\n%env GREETING=hello\nlet x = 2.0;\nlet n = 3;",
    # Types that the kernel has found.
    "println!(\"{} {} {}\", x.powi(n), n.pow(2), std::env::var(\"GREETING\")?);",
    "!echo from a shell",
    "%%writefile words.txt\nfirst \"line\"\nsecond",
    "%%bash\nwc -l < words.txt",
    # Definitions that later cells replace.
    "#[derive(Debug)]\nstruct Point { x: i32 }\nimpl Point { fn new() -> Point { Point { x: 1 } } }\nfn area(p: &Point) -> i32 { p.x }",
    "let old = Point::new();\narea(&old)",
    "#[derive(Debug)]\nstruct Point { x: i32, y: i32 }\nimpl Point { fn new() -> Point { Point { x: 2, y: 5 } } }\n"
    "fn area(p: &Point) -> i32 { p.x * p.y }",
    "println!(\"{old:?} {}\", area(&Point::new()));",
    "#[kernel]\nfn fill(mut out: ViewMut<f32>) {\n    out[thread_idx().x] = 1.0;\n}\nlet mut out = gpu::zeros::<f32>(4);\n"
    "gpu::launch(fill, 1, 4, &mut out);\nout.sum()",
    "#[kernel]\nfn fill(mut out: ViewMut<f32>) {\n    out[thread_idx().x] = 2.0;\n}",
    "gpu::launch(fill, 1, 4, &mut out);\nprintln!(\"{}\", out.sum());",
    # Arrays in formulas stay.
    "let m = gpu::ones::<f64>(3);\nlet e = gpu::exp(m) * 0.0;",
    "(m + e).sum()",
    "fn main() { println!(\"the notebook's main\"); }",
    "main();",
    ("let failed: i32 = \"x\".parse()?;", {"metadata": {"tags": ["raises-exception"]}}),
    ("assert_eq!(n, 3);", {"metadata": {"tags": ["test"]}}),
    ("assert_eq!(1 + 1, 2);", {"metadata": {"tags": ["test"]}}),
    "let plot = gpu::plot(&gpu::arange(5).square());\nplot",
    "%timeit -n 1 -r 2 x.sqrt()",
    "for _ in gpu::progress(0..3) {}",
    ":clear\nlet x = \"after all\";\nx",
]


@pytest.mark.named
@pytest.mark.timeout(BUILD_SECONDS + 300)
def test_a_program_does_what_the_cells_do(export):
    # The crate of `:dep` would be had from the network: the first cell without it, so that the compiler checks the program.
    folder, ended = export([HARD[0].split("\n")[1], *HARD[1:]])
    written(ended)
    assert "Left out: 18." in ended.stdout
    output = output_of(folder)
    lines = [
        "8 9 hello",
        "from a shell",
        "Writing words.txt",
        "2",
        "1",
        "Point { x: 1 } 10",
        "4.0",
        "8",
        "3.0",
        "the notebook's main",
        "output/21.png",
        "per loop (mean",
        "3/3",
        "\"after all\"",
    ]
    begin = 0
    for line in lines[:-2]:
        assert line in output[begin:], (line, output)
        begin = output.index(line, begin)
    assert all(line in output for line in lines[-2:]), output
    assert (folder / "output/21.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "words.txt").read_text() == 'first "line"\nsecond\n'
    ended = cargo(folder, "test")
    assert ended.returncode == 0 and "2 passed" in ended.stdout, ended.stdout + ended.stderr
    main = (folder / "src/main.rs").read_text()
    assert str(ROOT) not in main and str(Path.home()) not in main


#: Cells in which the kernel writes something: types of numbers that are open, integers beside floats, `&` before arrays. Each line is a notebook
#: of its own: open and typed numbers, arrays of each kind of elements, both sides of operators, functions, closures, variables that are not used,
#: that later cells use, and that later ones replace.
# fmt: off
FORMS = [
    ["let a = gpu::linspace(0.0, 1.0, 5);\nlet b = a * 2.0 + 1;", "println!(\"{b}\");", "a.sum()"],
    ["let a = gpu::linspace(0.0, 1.0, 5);", "let scale = 2.0;", "let b = a * scale + 1;\nb"],
    ["let a = gpu::linspace(0.0, 1.0, 5);", "(a + 1) / 2", "1 - a", "a"],
    ["let o = gpu::ones((2, 2));", "o * 3", "let v = o * 3;\nv / 2", "v"],
    ["let z = gpu::zeros(3);", "let y = z + 1;", "y / 2"],
    ["let x = 2.0;", "x.sqrt()", "x.powi(3)"],
    ["let n = 3;", "n.pow(2)", "n / 2"],
    ["let x = 2.0;\nx.sqrt()"],
    ["let x = 2.0;\nlet n = 3;", "println!(\"{} {}\", x.powi(n), n.pow(2));"],
    ["let t = (1, 2.5);", "println!(\"{} {}\", t.0.pow(2), t.1.sqrt());"],
    ["let (k, s) = (3, 0.5);", "println!(\"{} {}\", k.pow(2), s.sqrt());"],
    ["let v = vec![1.0, 2.0, 3.0];", "v.iter().map(|x| x.sqrt()).sum::<f64>()"],
    ["let v = vec![1, 2, 3];", "v.iter().map(|x| x.pow(2)).sum::<i32>()"],
    ["let p = [1.5, 2.5];", "p[0].sqrt() + p[1]"],
    ["let a = gpu::arange(5);", "a + 1", "a * 2", "a.sum() + 1"],
    ["let a = gpu::arange(5);\nlet total = a.sum();", "assert_eq!(total, 10);", "total + 1"],
    ["let a = gpu::arange(5).astype::<f32>();", "a + 1", "2 * a", "1 - a / 2"],
    ["let a = gpu::zeros::<f32>(3);", "a + 1.5", "let b = 2.0 * a + 1;\nb", "b.mean()"],
    ["let a = gpu::ones::<i64>(4);", "a + 1", "a * 2", "let s = a.sum() + 1;\ns"],
    ["let a = gpu::ones::<u8>(4);", "a + 1", "a"],
    ["let a = gpu::arange(4);\nlet m = a.gt(1);", "m", "a.lt(2).sum()"],
    ["let x = gpu::linspace(0.0, 1.0, 3);", "let y = x.gt(0) ;\ny", "x.maximum(0)"],
    ["let x = gpu::linspace(0.0, 1.0, 3);", "let y = (-2) * x.abs();\ny"],
    ["fn half(a: &DeviceArray<f64>) -> DeviceArray<f64> { a / 2 + 1 }", "let a = gpu::ones(3);", "half(&a)", "half(a)"],
    ["fn norm(x: f64, y: f64) -> f64 { (x * x + y * y).sqrt() }", "let x = 3.0;\nlet y = 4.0;", "norm(x, y) + 1.0"],
    ["fn constant() -> f64 { let x = 2.0; x.sqrt() }\nconstant()"],
    ["let a = gpu::linspace(0.0, 1.0, 4);", "let d = gpu::exp(a) * 2.0;", "(a + d).sum()"],
    ["let a = gpu::linspace(0.0, 1.0, 4);", "let f = { let b = a; b.sum() };\nf"],
    ["let m = gpu::linspace(0.0, 1.0, 4).reshape((2, 2));", "m.t() * 2 + m", "m.matmul(&m) - 1"],
    ["let m = gpu::eye(3);", "m * 2 - 1", "gpu::linalg::inv(&(m + m))"],
    ["let h = gpu::host::ones(3);", "&h + 1.0", "h.sum()"],
    ["let h = ndarray::array![[1.0, 2.0], [3.0, 4.0]];", "h.mapv(|x| x.sqrt())", "&h * 2.0"],
    ["let h = ndarray::array![1.0, 2.0];", "h.iter().map(|x| x.powi(2)).sum::<f64>()", "let g = h * 2.0;\ng", "h"],
    ["let r = (1..4).map(|i| i as f64 * 0.5).collect::<Vec<_>>();", "r.iter().map(|v| v.sqrt()).sum::<f64>()"],
    ["let mut total = 0;", "for i in 0..5 { total += i; }", "total.pow(2)"],
    ["let mut total = 0.0;", "for i in 0..5 { total += 0.5 * i as f64; }", "total.sqrt()"],
    ["let mut acc = gpu::zeros(3);", "acc += 1;", "acc = acc * 2 + 1;\nacc", "acc"],
    ["let mut acc = gpu::zeros(3);", "let g = gpu::ones(3);", "acc += g * 2;\nacc", "g"],
    ["let c = gpu::linspace(0.0, 1.0, 3);\nlet z = gpu::fft::fft(&c);", "z * 2.0", "z.abs() + 1"],
    ["let z = gpu::zeros::<Complex<f64>>(3);", "z + Complex::new(1.0, 2.0)", "z"],
    ["let x = 1.5;", "let x = x * 2.0;\nx.floor()", "let x = x as i32;\nx.pow(2)"],
    ["let x = 1;", "let x = gpu::ones(3) * x;", "x + 1"],
    ["let a = gpu::ones(3);", "let a = a + 1;", "let a = a * 2;\na"],
    ["let a = gpu::ones(3);\nlet unused = a * 2;", "a"],
    ["let unused = 1.0;\nlet unused_too = gpu::zeros(2);", "unused_too.shape()"],
    ["let o = Some(2.5);", "o.unwrap().sqrt()"],
    ["let o = Some(gpu::ones(2));", "o.unwrap() + 1"],
    ["let a = gpu::linspace(0.0, 1.0, 3);", "let w = a.sum() * 2;\nw", "w + 1"],
    ["let a = gpu::ones(3);", "-a", "-(a + 1) * a"],
    ["fn total(a: &DeviceArray<f64>) -> f64 { a.sum() }", "let a = gpu::ones(3);", "total(a)", "total(a * 2)", "total(a + 1)"],
    ["let x = 5;\nlet y = x / 2;", "y.pow(3) + x"],
    ["let big = 3_000_000_000_i64;", "big + 1", "let k = 7;\nbig * k"],
    ["let n: usize = 3;", "n + 1", "let a = gpu::arange(n as i32);\na + 1"],
    ["let s = \"2.5\".parse::<f64>()?;", "s.sqrt() * 2.0", "gpu::ones(2) * s + 1"],
    ["#[vectorize]\nfn f(x: f32) -> f32 { 2.0 * x + 1.0 }", "let a = gpu::ones::<f32>(3);", "gpu::map(f, &a)", "a + 1"],
    ["let a = gpu::linspace(0.0, 1.0, 3);", "a * a + 1"],
    ["let o = gpu::ones((2, 2));\nlet p = o * 3;", "p", "o"],
    ["let e = gpu::empty(0);", "e.len()"],
    ["let a = gpu::linspace(0.0, 1.0, 3);\n{ let b = a + 1; println!(\"{b}\"); }", "a"],
    ["let w = 1e3;", "w.log10()", "w / 2.0"],
    ["let m = std::collections::BTreeMap::from([(\"a\", 1.5)]);", "m[\"a\"].sqrt()"],
    ["let o = gpu::ones(2);", "let (p, q) = (o * 2, o + 1);\np + q", "o"],
    ["let x = gpu::linspace(0.0, 1.0, 3);", "println!(\"{}\", &x + 1.0);", "let n = gpu::ones(2);", "n * 2", "n"],
]
# fmt: on


def forms() -> list[str]:
    """The cells of all forms, each behind a `:clear`."""
    return [cell for form in FORMS for cell in (":clear", *form)]


@pytest.mark.timeout(900)
def test_what_the_kernel_writes_into_cells_is_in_the_program(export, prefix, tmp_path):
    folder, ended = export(forms())
    written(ended)
    assert "Left out" not in ended.stdout and len(FORMS) >= 40
    main = (folder / "src/main.rs").read_text()
    for line in (
        "let b = &a * 2.0 + 1_f64;",
        "let o = gpu::ones::<f64>((2, 2));",
        "gpu::program::show(&(&o * 3_f64));",
        "gpu::program::show(&(1_f64 - &a));",
        "let v: Vec<f64> = vec![1.0, 2.0, 3.0];",
        "{ a / 2_f64 + 1_f64 }",
    ):
        assert line in main, (line, main)
    # The kernel runs them.
    command = [prefix / "bin/warpcell", "run", tmp_path / "a notebook.ipynb", "--output", tmp_path / "executed.ipynb"]
    subprocess.run(command, check=True, capture_output=True, timeout=480)


@pytest.mark.named
@pytest.mark.timeout(BUILD_SECONDS + 600)
def test_what_the_kernel_writes_into_cells_does_the_same_in_the_program(export, prefix, tmp_path):
    folder, ended = export(forms())
    written(ended)
    executed = tmp_path / "executed.ipynb"
    command = [prefix / "bin/warpcell", "run", tmp_path / "a notebook.ipynb", "--output", executed]
    subprocess.run(command, check=True, capture_output=True, timeout=480)
    outputs = [output for cell in json.loads(executed.read_text())["cells"] for output in cell["outputs"]]
    shown = ["".join(output["text"] if "text" in output else output["data"]["text/plain"]) for output in outputs]
    assert output_of(folder).split() == "\n".join(shown).split()


def test_what_the_kernel_writes_into_functions_is_in_the_package(prefix, tmp_path):
    tags = {"metadata": {"tags": ["export"]}}
    cells = [("fn root(n: f64) -> f64 { let two = 2.0; two.powf(n) }", tags), ("fn scaled(a: &DeviceArray<f64>) -> DeviceArray<f64> { let b = a * 2; &b + 1 }", tags)]  # fmt: skip
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook_of(cells)))
    command = [prefix / "bin/warpcell", "export", tmp_path / "a.ipynb", "--python", "written", "--to", tmp_path]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=480, check=False)
    assert ended.returncode == 0 and "Wrote 2 functions" in ended.stdout, ended.stdout + ended.stderr


def test_own_names_of_the_program_are_free(export):
    cells = ["fn run_cells() -> i32 { 1 }\nfn cell_2() -> i32 { 2 }\nlet run_test = 3;", "let n: i32 = \"4\".parse()?;",
             ("assert_eq!(n + run_test + run_cells() + cell_2(), 10);", {"metadata": {"tags": ["test"]}}), ":clear\nrun_cells()"]  # fmt: skip
    folder, ended = export(cells)
    written(ended)
    assert "fn program_run_cells_1(program_run_test: &str)" in (folder / "src/main.rs").read_text()


def test_files_that_cells_name_are_copied(export, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.txt").write_text("1 2\n3 4\n")
    folder, ended = export(['let a = gpu::loadtxt("data/a.txt");\na.sum()'])
    written(ended)
    assert (folder / "data/a.txt").exists() and "Copied files that the cells name: data/a.txt." in ended.stdout, ended


#: Names that cells define again, each line with what the cell sees.
AGAIN = [
    "#[derive(Debug, Clone, Copy)]\nenum Color { Red, Green }\nuse Color::*;\nprintln!(\"a {:?} {}\", Green, Red as i32);",
    "#[derive(Debug, Clone, Copy)]\nenum Color { Red = 5, Blue }\nprintln!(\"b {:?} {}\", Blue, Red as i32);",
    "use std::sync::atomic::*;\nstatic N: AtomicUsize = AtomicUsize::new(0);\nN.fetch_add(1, Ordering::SeqCst);\n"
    "println!(\"c {}\", N.load(Ordering::SeqCst));",
    "macro_rules! m { () => { 1 } }\nprintln!(\"d {}\", m!());",
    "macro_rules! m { () => { 2 } }\nprintln!(\"e {}\", m!());",
    "fn f() -> i32 { 1 }\nprintln!(\"f {}\", { let g = |f: i32| f + 1; g(f()) });",
    "let f: Box<dyn Fn() -> i32> = Box::new(|| 3);\nprintln!(\"g {}\", f());",
    "fn f() -> i32 { 4 }\nprintln!(\"h {}\", f());",
    "let h = f() + 1;\nprintln!(\"i {} {h}\", f());",
    "//! About the cell.\n#![allow(unused)]\nprintln!(\"j\");",
    ":clear\nuse std::sync::atomic::*;\nstatic N: AtomicUsize = AtomicUsize::new(0);\nprintln!(\"k {}\", N.load(Ordering::SeqCst));",
    # Macros are known behind their definition only, and mean what their names mean where they are used.
    "macro_rules! m { () => { 1 } }\nfn all() -> i32 { m!() }\nprintln!(\"l {}\", all());",
    "macro_rules! m { (in) => { 2 }; () => { m!(in) } }\nprintln!(\"m {} {}\", m!(), all());",
    "macro_rules! m { () => { f(3) } }\nfn f(x: i32) -> i32 { x }\nprintln!(\"n {} {}\", m!(), all());",
    "fn f(x: i32) -> i32 { 10 * x }\nprintln!(\"o {} {}\", m!(), all());",
    "macro_rules! m { () => { 4 } }\nprintln!(\"p {} {}\", m!(), all());",
    # A variable that is replaced is dropped at the end of the cell.
    "struct Loud(i32);\nimpl Drop for Loud {\n    fn drop(&mut self) { print!(\" {} \", self.0); }\n}\nlet x = Loud(1);\nlet y = Loud(2);\nprintln!(\"q\");",
    'println!("r {}", f(1));\nlet y = Loud(3);\nlet x = Loud(4);\nprint!("s");',
    'println!();\nlet x = 5;\nlet y = 6;\nprint!("t");',
    # Implementations.
    "struct A { v: i32 }\ntrait Say { fn say(&self) -> i32; }\nimpl Say for A { fn say(&self) -> i32 { self.v } }\n"
    "impl A { fn one(&self) -> i32 { 1 } fn two(&self) -> i32 { 2 } }\nprintln!(\"\\nu {}\", A { v: 1 }.say());",
    'impl A { fn three(&self) -> i32 { 3 } }\n{ let a = A { v: 1 }; println!("v {} {} {}", a.one(), a.two(), a.three()); }',
    'impl A { fn two(&self) -> i32 { 22 } }\n{ let a = A { v: 1 }; println!("w {} {} {}", a.one(), a.two(), a.three()); }',
    'impl Say for A { fn say(&self) -> i32 { 5 } }\nprintln!("x {}", A { v: 1 }.say());',
    'struct A { w: i32 }\nimpl Say for A { fn say(&self) -> i32 { self.w } }\nprintln!("y {}", A { w: 7 }.say());',
    # A variable with the name of a constant.
    'const LIMIT: i32 = 5;\nprintln!("z {}", LIMIT + 1);',
    'let (LIMIT, rest) = (2.5, 1);\nprintln!("A {LIMIT} {rest}");',
    'println!("B {}", LIMIT * 2.0);',
]


@pytest.mark.named
@pytest.mark.timeout(BUILD_SECONDS + 300)
def test_names_mean_in_a_program_what_they_mean_in_the_cells(export, prefix, tmp_path):
    folder, ended = export(AGAIN)
    written(ended)
    executed = tmp_path / "executed.ipynb"
    command = [prefix / "bin/warpcell", "run", tmp_path / "a notebook.ipynb", "--output", executed]
    subprocess.run(command, check=True, capture_output=True, timeout=480)
    outputs = [output for cell in json.loads(executed.read_text())["cells"] for output in cell["outputs"]]
    printed = "".join("".join(output["text"]) for output in outputs if output["output_type"] == "stream")
    assert [line.split()[0] for line in printed.splitlines()] == list("abcdefghijklmnopqrstuvwxyzAB"), printed
    assert output_of(folder) == printed


@pytest.mark.named
@pytest.mark.timeout(BUILD_SECONDS + 300)
def test_each_test_has_the_directory_for_itself(export):
    tagged = {"metadata": {"tags": ["test"]}}
    moves = 'let here = std::env::current_dir()?;\nstd::env::set_current_dir("/")?;\nassert!(here.join("Cargo.toml").exists() && n == 1);'
    folder, ended = export(["let n = 1;", *[(moves, tagged)] * 4])
    written(ended)
    ended = cargo(folder, "test")
    assert ended.returncode == 0 and "4 passed" in ended.stdout, ended.stdout + ended.stderr


def test_a_program_with_the_library_names_no_place(export, prefix):
    folder, ended = export(["use ndarray::arr1;\nlet a = arr1(&[1.0, 2.0]);\na.sum()"], "--vendor")
    written(ended)
    for path in [*folder.glob("*.toml"), *folder.glob("*.lock"), *folder.glob("*.md"), *folder.glob("src/*.rs")]:
        assert str(prefix) not in path.read_text() and str(ROOT) not in path.read_text(), path
    manifest = (folder / "Cargo.toml").read_text()
    assert "On a GPU it needs NVRTC beside the driver." in ended.stdout
    assert "`nvidia-cuda-nvrtc`" in (folder / "README.md").read_text()
    assert 'path = "warpcell/prelude"' in manifest and re.search(r'^ndarray = \{.*version = "0\.\d+\.\d+"', manifest, re.M), manifest
    checked = subprocess.run(
        ["cargo", "metadata", "--locked", "--offline", "--format-version", "1", "--quiet"], cwd=folder, capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr


def test_crates_that_are_here_are_checked_and_others_are_said_not_to_be(export, prefix, tmp_path, monkeypatch):
    monkeypatch.setenv("WARPCELL_CACHE_DIR", str(tmp_path / "cache"))
    cells = [":dep ndarray\nlet x = 2.0;\nlet n = 3;", "println!(\"{} {}\", x.powi(n), n.pow(2));", "let m = gpu::ones::<f64>(3);\nlet e = gpu::exp(m) * 0.0;", "(m + e).sum()"]
    folder, ended = export(cells)
    written(ended)
    main = (folder / "src/main.rs").read_text()
    assert "let x: f64 = 2.0;" in main and "gpu::exp(&m)" in main and "not checked" not in ended.stdout, main
    assert re.search(r"^\[profile.release.package.a-notebook\]\noverflow-checks = true\ndebug-assertions = true$", (folder / "Cargo.toml").read_text(), re.M)
    folder.rename(folder.with_name("first"))
    cells = [":dep itoa", "let mut buffer = itoa::Buffer::new();\nlet x = gpu::ones(3);\nbuffer.format(7).len()", "x * 3", "x"]
    folder, ended = export(cells)
    written(ended)
    assert "The compiler has not checked it" in ended.stdout and "are not written out" in ended.stdout
    # The kernel builds the crates.
    command = [prefix / "bin/warpcell", "run", tmp_path / "a notebook.ipynb", "--output", tmp_path / "executed.ipynb"]
    subprocess.run(command, check=True, capture_output=True, timeout=480)
    folder.rename(folder.with_name("second"))
    folder, ended = export(cells)
    written(ended)
    main = (folder / "src/main.rs").read_text()
    assert "not checked" not in ended.stdout and "gpu::ones::<f64>(3)" in main and "show(&(&x * 3_f64));" in main, main


def test_names_of_the_program_are_not_those_of_the_notebook(export):
    cells = ["type Result<T> = std::result::Result<T, String>;\nfn run() -> i32 { 1 }\nfn part_1() -> i32 { 2 }", "let test = 3;\nlet n: i32 = \"4\".parse()?;",
             ("assert_eq!(test + n + run() + part_1(), 10);", {"metadata": {"tags": ["test"]}}), ":clear\nlet n: i32 = \"4\".parse()?;"]  # fmt: skip
    _, ended = export(cells)
    written(ended)


def test_a_project_may_be_written_to_the_folder_below_the_shell(prefix, tmp_path):
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook_of(["1 + 1"])))
    (tmp_path / "here").mkdir()
    inode = (tmp_path / "here").stat().st_ino
    subprocess.run([prefix / "bin/warpcell", "export", "../a.ipynb", "--to", "."], cwd=tmp_path / "here", check=True)
    assert (tmp_path / "here").stat().st_ino == inode and (tmp_path / "here/Cargo.toml").exists()


def test_libraries_of_cuda_are_listed(export):
    folder, ended = export(["let a = gpu::eye::<f64>(3);\nlet b = gpu::linalg::inv(&a);", "gpu::fft::rfft(&b).shape()"])
    written(ended)
    assert "On a GPU it needs NVRTC, cuBLAS, cuSOLVER and cuFFT beside the driver." in ended.stdout, ended.stdout
    text = (folder / "README.md").read_text()
    assert "| cuSOLVER | factorisations of matrices | `linalg` | `nvidia-cusolver` |" in text
    assert "| cuFFT | Fourier transforms, and filters by them | `fft` | `nvidia-cufft` |" in text


def test_cells_that_cannot_be_exported_are_named(export):
    error = {"output_type": "error", "ename": "Panic", "evalue": "division by zero", "traceback": []}
    cells = [
        "let a = 1;",
        ("1 / (a - a)", {"outputs": [error]}),
        ":dep mine = { path = \"../mine\" }",
        ("let b = 2;", {"execution_count": 7}),
        ("let c = 3;", {"execution_count": 4}),
        "fn main() {}",
        "fn main() { }\n1;",
        "%matplotlib inline",
        "a + b",
    ]
    folder, ended = export(cells)
    assert ended.returncode == 1 and not folder.exists(), ended
    places = [line.split(":")[0] for line in ended.stderr.splitlines() if line.startswith("cell ")]
    assert places == [f"cell {number} (c-{number - 1})" for number in (2, 3, 5, 7, 8)], ended.stderr
    for text in ("division by zero", "(`path`)", "number 4, before cell 4", "defines `main`", "no magic `%matplotlib`"):
        assert text in ended.stderr, ended.stderr
    folder, ended = export(cells, "--force")
    written(ended)
    main = (folder / "src/main.rs").read_text()
    assert "// Cell 2 is left out: it has failed" in main and "    //     1 / (a - a)" in main
    assert "gpu::program::show(&(a + b));" in main
    again = export(["1"])[1]
    assert again.returncode == 1 and "is there already" in again.stderr


def test_what_the_compiler_refuses_is_named(export):
    folder, ended = export(["let a = 1;", "a.no_such_method();"])
    assert ended.returncode == 1 and not folder.exists()
    assert "cell 2 (c-1): the compiler refuses it in the program: no method named `no_such_method`" in ended.stderr, ended.stderr
    folder, ended = export(["let a = 1;", "a.no_such_method();", "a"], "--force")
    written(ended)
    assert "Left out: 2." in ended.stdout and "gpu::program::show(&a);" in (folder / "src/main.rs").read_text()


def test_a_format_text_that_means_an_earlier_definition_is_named(export):
    # The program would print the later one.
    cells = ["const N: i32 = 1;\nprintln!(\"{N}\");", "const N: i32 = 2;"]
    folder, ended = export(cells)
    assert ended.returncode == 1 and not folder.exists()
    assert "cell 1 (c-0): a later cell defines `N` again" in ended.stderr, ended.stderr
    folder, ended = export([cells[0].replace("{N}\"", "{}\", N"), cells[1]])
    written(ended)
    assert "println!(\"{}\", until_cell_1::N)" in (folder / "src/main.rs").read_text()


def test_the_project_is_written_if_nobody_reads_what_is_said(prefix, tmp_path):
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps(notebook_of(["1 + 1"])))
    reader, writer = os.pipe()
    os.close(reader)
    command = [prefix / "bin/warpcell", "export", path, "--to", tmp_path / "to"]
    ended = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=480, check=False)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (0, "") and (tmp_path / "to/src/main.rs").exists()


def test_a_notebook_of_python_is_refused(prefix, tmp_path):
    path = tmp_path / "python.ipynb"
    path.write_text(json.dumps(notebook_of(["import numpy", "%%rust\nlet x = 1;"], "python")))
    command = [prefix / "bin/warpcell", "export", path, "--to", tmp_path / "to"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=480, check=False)
    assert ended.returncode == 1 and "cell 1 (c-0): it is a cell of Python" in ended.stderr and "cell 2" not in ended.stderr
