"""What a NumPy user types first: numbers whose type nothing in the cell says."""

from __future__ import annotations

import re

import pytest

import notebooks
from e2e.session import Session

PAGE = (notebooks.LESSONS / "first-lines.md").read_text(encoding="utf-8")
SETUP = re.search(r"```rust\n(.*?)```", PAGE, re.DOTALL)[1]
WORKING, CORRECTED = (
    [notebooks.spans(line) for line in part.splitlines() if line.startswith("| `")]
    for part in PAGE.split("## Parts of arrays")
)
CELLS = re.findall(r"```python\n(.*?)\n```\n\n```rust\n(.*?)\n```", PAGE, re.DOTALL)

WORK = [
    ("let x = gpu::linspace(0.0, 1.0, 5); let y = (2.0 * &x).sqrt();", "y.sum() > 4.3", "true"),
    ("let x = gpu::array(&[1.0, 4.0]); let y = (1.0 - &x).abs();", "y.sum()", "3.0"),
    ("let x = gpu::full((2, 2), 1.5); let y = (&x + 0.1 * &x).floor();", "y.sum()", "4.0"),
    ("let x = gpu::arange(5); let y = (2 * &x).sum();", "y", "20"),
    ("let x = gpu::arange(5.); let y = (2. * &x).sqrt();", "y.size()", "5"),
    ("let x = gpu::random::normal(0.0, 1.0, (3,)); let y = (&x * 2.0).abs().max();", "y > 0.0", "true"),
    ("let x = gpu::zeros((2, 3));", "x.dtype()", "f64"),
    ("let x = gpu::ones(3); let y = gpu::empty((2, 2)); let z = gpu::host::zeros(2);", "x.sum() + z.sum()", "3.0"),
    ("fn f() -> f64 { let a = gpu::array(&[8.0]); (2.0 * &a).sqrt().sum() }", "f()", "4.0"),
    ("let y = 2.25.sqrt();", "y", "1.5"),
    # An integer among floats is one.
    ("let x = gpu::linspace(0.0, 1.0, 5); let y = 2 * &x + 1; let z = (2 * &x).sqrt();", "y.sum() + z.get(&[0])", "10.0"),
    ("let x = gpu::ones::<f32>(3); let y = (&x - 1) / 2; let z = x.gt(0);", "(y.dtype(), z.all())", "(f32, true)"),
    ("let x = 1.5; let y = 2 * x;", "y", "3.0"),
    # What has another type keeps it.
    (
        "let f: DeviceArray<f32> = gpu::linspace(0.0, 1.0, 3); let q = gpu::linspace(0.0, 1.0, 3);"
        " let y = (0.5 * &q).sum(); let z = 2.0 * &f;",
        "(y, z.dtype())",
        "(0.75, f32)",
    ),
    ("let f = gpu::zeros::<f32>(3); let x = gpu::arange(3.0); let y = (x * 0.5).sqrt(); let z = &f + 1.0;", "z.dtype()", "f32"),
    (
        "let n = 3; let x = gpu::zeros((n, n)); let f: DeviceArray<f32> = gpu::ones(n); let y = 0.5 * &f;",
        "(x.dtype(), y.dtype())",
        "(f64, f32)",
    ),
]


@pytest.mark.parametrize(("cell", "question", "answer"), WORK)
def test_open_numbers_are_those_that_rust_would_take(kernel, cell, question, answer):
    kernel.check(cell)
    assert kernel.check(question).value == answer


def test_a_panic_has_the_users_line_and_column(kernel):
    cell = "let x = gpu::arange(5.); let y = (2. * &x).sqrt(); panic!();"
    column = cell.index("panic!") + 1
    assert f"line 1, column {column}: let x" in kernel.run(cell).error_text


def test_another_fault_is_said_at_its_place(kernel):
    cell = "let x = gpu::arange(5.); let y = (2. * &x).sqrt();\nlet n: usize = 3;\ny.sum() + n"
    error = kernel.run(cell).error_text
    assert "cannot add `usize` to `f64`" in error
    assert "line 3, column 9" in error
    assert "_f64" not in error


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("let mut v = Vec::new();", "type annotations needed for `Vec<_>`"),
        ('let m = "5".parse().unwrap();', "type annotations needed"),
        ('let m = "5".parse().unwrap(); let n = 2.0;', "type annotations needed"),
    ],
)
def test_what_no_number_can_settle_is_said_as_before(kernel, cell, said):
    kernel.check("let kept = 7;")
    error = kernel.run(cell).error_text
    assert said in error
    assert "_f64" not in error and "_i32" not in error
    assert kernel.check("kept").value == "7"


@pytest.mark.parametrize(
    ("cell", "corrected"),
    [
        ("let hits = gpu::arange(4); let n = 100.0;\n4.0 * hits.sum() / n", "write `4.0 * hits.sum() as f64 / n`"),
        ("let a = gpu::arange(4);\na * 0.5", "write `a.astype::<f64>() * 0.5`"),
        ("let a = gpu::ones::<f32>(2); let b = gpu::ones::<f64>(2);\n&a + &b", "write `a.astype::<f64>() + &b`"),
        ("let x = 2.5; let n = 3usize;\nx / n", "write `x / n as f64`"),
    ],
)
def test_numbers_of_two_types_get_the_corrected_line(kernel, cell, corrected):
    error = kernel.run(cell).error_text
    assert corrected in error
    assert "implement trait" not in error
    first, _ = cell.split("\n")
    kernel.check(f"{first}\n{corrected.removeprefix('write `').removesuffix('`')}")


@pytest.fixture(scope="module")
def variables(tmp_path_factory):
    # Some lines write files.
    session = Session(cwd=tmp_path_factory.mktemp("notebook"))
    session.check(SETUP)
    yield session
    session.close()


@pytest.mark.parametrize(("typed", "value"), WORKING)
def test_the_line_works_as_typed(variables, typed, value):
    assert variables.check(typed).value.split("\nshape")[0] == value


@pytest.mark.parametrize(("typed", "corrected"), CORRECTED)
def test_the_error_says_what_to_write(variables, typed, corrected):
    error = variables.run(typed).error_text
    assert f"write `{corrected}`" in error, error
    assert "help: remove" not in error and "similar name" not in error, error
    # The line may open a block. A block of its own keeps its names from the other lines.
    end = "}" if corrected.endswith("{") else ""
    given_away = "let v = v.clone(); " if corrected == "drop(v);" else ""
    variables.check(f"{{ {given_away}{corrected}\n{end} }}")


@pytest.mark.parametrize(("typed", "corrected"), CELLS)
def test_a_cell_is_corrected_as_a_whole(variables, typed, corrected):
    error = variables.run(typed).error_text
    assert error.endswith(f"write\n\n{corrected}"), error
    variables.check(corrected)


def test_a_line_that_cannot_be_translated_is_named(variables):
    error = variables.run("loss = ((a - b) ** 2).mean()\nloss.backward()\nprint(loss)").error_text
    cell = 'let loss = ((&a - &b).powi(2)).mean();\nloss.backward();\nprintln!("{loss}")'
    why = "line 2, `loss.backward();`: no method named `backward` found for type `f64` in the current scope"
    assert error.endswith(f"write\n\n{cell}\n\nwhere this is still at fault:\n{why}"), error


def test_no_half_of_a_cell_is_offered(variables):
    error = variables.run("try:\n    y = 1 / 0\nexcept ZeroDivisionError:\n    print(\"no\")").error_text
    assert "write" not in error and "Rust has no exceptions" in error, error


@pytest.mark.parametrize(
    ("cell", "note"),
    [
        ("i / i.sum()", "note: line 1: a quotient of integers is an integer in Rust; for what NumPy gives, write `i.astype::<f64>() / i.sum() as f64`"),
        ("-i % 3", "note: line 1: what `%` gives has the sign of the first number in Rust; for what NumPy gives, write `gpu::modulo(&(-&i), 3)`"),
        ("&i / 2", None),
        ("a / 2", None),
    ],
)
def test_where_rust_computes_otherwise_a_note_says_so(variables, cell, note):
    result = variables.check(f"{{ {cell} }}" if note is None else cell)
    assert result.stdout.strip() == (note or ""), result.stdout
    if note:
        variables.check(note.rsplit("`", 2)[1])
