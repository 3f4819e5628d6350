"""`#[vectorize]` in a notebook: a function over arrays, redefined, after failures, and compiled once only."""

import os
import re
from pathlib import Path

import pytest
from e2e.session import Session

DOUBLE = "#[vectorize]\nfn change(x: f32) -> f32 {\n    2.0 * x\n}"
TRIPLE = DOUBLE.replace("2.0", "3.0")
BLOCK = b"__warpcell_block"


def mapped(kernel, function: str = "change") -> str:
    return kernel.check(f"gpu::map({function}, &gpu::array(&[1.0f32, 10.0])).to_host().into_raw_vec_and_offset().0").value


def libraries(kernel: Session) -> list[bytes]:
    """The compiled cells that the cell process has loaded, in the order of their numbers."""
    paths = set()
    for process in kernel.processes():
        try:
            maps = Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
        except OSError:
            continue  # A compiler that has ended meanwhile.
        paths |= {line.split(maxsplit=5)[5].strip() for line in maps.splitlines() if "code_" in line}
    paths = sorted((path for path in paths if path.endswith(".so")), key=lambda path: int(re.findall(r"code_(\d+)", path)[-1]))
    assert paths, "no compiled cell is loaded"
    return [open(path, "rb").read() for path in paths]


def test_define_call_map_and_redefine(kernel):
    kernel.check(DOUBLE)
    assert kernel.check("change(4.0)").value == "8.0"
    assert mapped(kernel) == "[2.0, 20.0]"
    kernel.check("let changed = gpu::map(change, &gpu::ones::<f32>((2, 3)));")
    assert kernel.check("changed.shape().to_vec()").value == "[2, 3]"
    kernel.check(TRIPLE)
    assert mapped(kernel) == "[3.0, 30.0]"
    kernel.check(DOUBLE)
    assert mapped(kernel) == "[2.0, 20.0]", "the older text again"
    assert kernel.check(f"{TRIPLE}\ngpu::map(change, &gpu::array(&[5.0f32])).item()").value == "15.0"


def test_arguments_of_several_kinds_infer(kernel):
    kernel.check("#[vectorize] fn mix(a: f32, b: f64, n: i32) -> f64 { (a as f64 + b) * n as f64 }")
    kernel.check("let left = gpu::array(&[1.0f32, 2.0]); let right = gpu::array(&[[0.5], [1.5]]);")
    kernel.check("let mixed = gpu::map(mix, (&left, &right, 2));")
    assert kernel.check("mixed.to_host().into_raw_vec_and_offset().0").value == "[3.0, 5.0, 5.0, 7.0]"


def test_what_a_function_calls_may_change(kernel):
    kernel.check("#[device] fn inner(x: f32) -> f32 { x + 1.0 }")
    kernel.check("#[vectorize] fn outer(x: f32) -> f32 { inner(x) }")
    assert mapped(kernel, "outer") == "[2.0, 11.0]"
    kernel.check("#[device] fn inner(x: f32) -> f32 { x - 1.0 }")
    assert mapped(kernel, "outer") == "[0.0, 9.0]"


def test_a_failing_cell_registers_nothing(kernel):
    kernel.check(DOUBLE)
    assert not kernel.run(f'{TRIPLE}\nlet wrong: i32 = "three";').ok
    assert mapped(kernel) == "[2.0, 20.0]", "as the function that the notebook has"
    assert kernel.check("change(1.0)").value == "2.0"
    result = kernel.run(f'{TRIPLE}\npanic!("after the definition");')
    assert result.error["ename"] == "Panic"
    host = kernel.check("change(10.0)").value
    assert mapped(kernel) == f"[{float(host) / 10}, {host}]", "host and array agree"


def test_errors_say_what_to_write(kernel):
    text = kernel.run("#[vectorize]\nfn bad(x: &f32) -> f32 { *x }").error_text
    assert "write the scalar type itself" in text and "&f32" in text, text
    kernel.check("fn unmarked(x: f32) -> f32 { x }")
    text = kernel.run("gpu::map(unmarked, &gpu::ones::<f32>(2))").error_text
    assert "`#[vectorize]` before" in text and "unmarked" in text, text
    kernel.check(DOUBLE)
    text = kernel.run("gpu::map(change, &gpu::ones::<f64>(2))").error_text
    assert "f64" in text and "f32" in text, text
    text = kernel.run("gpu::map(change, &ndarray::arr1(&[1.0f32]))").error_text
    assert "gpu::asarray" in text, text


def test_a_panic_in_the_function_is_one_of_the_cell(kernel):
    if kernel.check("gpu::device()").value != "Cpu":
        pytest.skip("integers wrap on CUDA devices")
    kernel.check("#[vectorize]\nfn next(x: i32) -> i32 {\n    x + 1\n}")
    kernel.check("let kept = 5; let big = gpu::full::<i32>(100_000, i32::MAX);")
    for array in ("big", "gpu::array(&[i32::MAX])"):
        error = kernel.run(f"gpu::map(next, &{array})").error_text
        assert error.startswith("Panic") and "overflow" in error and "x + 1" in error, error
    assert kernel.check("kept").value == "5"


def test_functions_come_back_after_clear_and_crash(fresh_kernel):
    session = fresh_kernel()
    session.check(DOUBLE)
    assert mapped(session) == "[2.0, 20.0]"
    assert session.run("std::process::abort();").error["ename"] == "CellProcessDied"
    assert mapped(session) == "[2.0, 20.0]"
    session.check(":clear")
    assert "change" in session.run("change(1.0)").error_text
    session.check(DOUBLE)
    assert mapped(session) == "[2.0, 20.0]"


def test_a_function_is_compiled_for_arrays_once(fresh_kernel):
    session = fresh_kernel()
    session.check(DOUBLE)
    session.check("#[vectorize] fn second(x: i64) -> bool { x > 3 }")
    assert session.check("gpu::map(second, &gpu::arange(6i64)).sum()").value == "2"
    defining, second, using = libraries(session)[-3:]
    # Names of functions are in the libraries' symbol tables.
    assert BLOCK in defining and BLOCK in second
    assert BLOCK not in using
    session.check(TRIPLE)
    session.check("1 + 1")
    changed, after = libraries(session)[-2:]
    assert BLOCK in changed and BLOCK not in after


def test_a_cell_with_a_registered_function_is_compiled_ahead_as_others_are(fresh_kernel):
    session = fresh_kernel()
    session.check(DOUBLE)
    session.check("#[device] #[derive(Clone, Copy)] struct Point { x: f32 }")
    session.check("1 + 1")
    assert BLOCK not in libraries(session)[-1]


def test_the_session_leaves_no_listing_to_the_cells(kernel):
    assert kernel.check('std::env::vars().filter(|(name, _)| name.contains("FUNCTIONS")).count()').value == "0"
    assert "WARPCELL_FUNCTIONS" not in os.environ
