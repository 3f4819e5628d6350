"""Every kind of error: its name, a text that helps, and a kernel and variables that live on."""

import re
import subprocess
import time

import pytest


@pytest.fixture(scope="module", autouse=True)
def a_variable(kernel):
    """A variable that must be there after every error that leaves the cell process alive."""
    kernel.check("let survivor = 7; let host = gpu::host::zeros::<f64, _>((3, 4)); let device = gpu::asarray(&host);")


@pytest.fixture(autouse=True)
def the_variable_survives(kernel, a_variable):
    yield
    assert kernel.check("survivor").value == "7"


def failing(kernel, code: str, name: str) -> str:
    """Runs a cell that must fail with an error of this name; returns all its text."""
    result = kernel.run(code)
    assert not result.ok, f"the cell should fail:\n{code}"
    text = result.error_text
    assert result.error["ename"] == name, text
    return text


def test_a_syntax_error(kernel):
    text = failing(kernel, "let x = ;", "CompileError")
    assert "expected expression" in text


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("let = 3;", "expected pattern, found `=`"),
        ("let ;", "expected pattern, found `;`"),
        ('println!("a"); let = 5; println!("b");', "line 1, column 20"),
        ("%time let = 3;", "line 1, column 11"),
        ("%%prun\nlet = 3;", "line 2, column 5"),
        ("%%check\nlet = 3;", "line 2, column 5"),
        ("// first\n\nlet = nosuch;", "line 3, column 5"),
        ("let seconds = 24 * 60 * 60\nassert_eq!(seconds, 86_400);", "write `let seconds = 24 * 60 * 60;`"),
        ("use std::{fmt io};", "expected one of `,`"),
        ("use std::;", "expected identifier, found `;`"),
        ("fn fahrenheit(celsius: f64) -> f64:", "found `:`"),
        ('println!("{}", 1)\nprintln!("{}", 2);', "found `println`"),
        ("struct P { x: i32 y: i32 }", "write `struct P { x: i32, y: i32 }`"),
        ("}", "unexpected closing delimiter: `}`"),
        ("let a = 1;\n}\nnosuch(", "unexpected closing delimiter: `}`"),
    ],
)
def test_what_is_not_rust_by_its_form_is_refused_where_it_stands(kernel, code, says):
    text = failing(kernel, code, "CompileError")
    assert says in text
    for own in ("evcxr", "compile_error", "earlier cell", "the kernel has put"):
        assert own not in text


@pytest.mark.parametrize("code", ["use std::collections::HashMap", "let k = 7;\nk\n;;"])
def test_what_evcxr_ends_itself_runs(kernel, code):
    kernel.check(code)


@pytest.mark.parametrize(
    "code",
    [
        "%%html\n" + "<p>x</p>" * 12_000,
        "%%html\n" + "<tr><td>1</td></tr>\n" * 5000,
        "%%markdown\n" + "x " * 50_000,
        "%%bash\ntrue " + "a/b*c " * 16_000,
        "!true " + "a/b " * 20_000,
        "let list = [" + "1.5, " * 5000 + "];",
        'let text = "' + "a/b % " * 16_000 + '";',
        "// a/b % c\n" * 9000,
        "- " * 5000 + "x / 2",
    ],
    ids=lambda code: code[:12],
)
def test_a_long_cell_takes_no_longer_than_its_work(kernel, code):
    begun = time.monotonic()
    kernel.run(code)
    assert time.monotonic() - begun < 5


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("let c = vec![1.5, 2.5]\nlet d = 3", "let c = vec![1.5, 2.5];"),
        ("let y = 1.5; y > 1.0 ? 1 : 0", "let y = 1.5; if y > 1.0 { 1 } else { 0 }"),
        ("fn inc(x: f64) -> f64 { x += 1.0; x }", "fn inc(mut x: f64) -> f64 { x += 1.0; x }"),
        ("gpu::random::shuffle(&gpu_numbers);", "let mut gpu_numbers = gpu_numbers; gpu::random::shuffle(&mut gpu_numbers);"),
        ("let n = 3; println!(\"{}\", gpu_numbers[n]); // print it", "let n = 3; println!(\"{}\", gpu_numbers.get(&[n]));  // print it"),
        (
            "#[vectorize] fn f(x: f64) -> f64 { if x > 0.0 and x < 1.0 { x } else { 0.0 } }",
            "#[vectorize] fn f(x: f64) -> f64 { if x > 0.0 && x < 1.0 { x } else { 0.0 } }",
        ),
    ],
)
def test_a_corrected_line_ends_the_message(kernel, code, line):
    kernel.check("let gpu_numbers = gpu::arange(4.0);")
    text = failing(kernel, code, "CompileError")
    assert text.rstrip().endswith(f"in a notebook: write `{line}`"), text


def test_a_variable_that_a_function_takes_is_moved_away_by_the_value_of_a_cell_too(kernel):
    kernel.check("fn total(q: Vec<f64>) -> f64 { q.iter().sum::<f64>() }\nlet taken = vec![1.0, 2.0]; let other = 3;")
    assert kernel.check("total(taken) + 1.0").value == "4.0"
    assert "moved the value of `taken` away" in failing(kernel, "taken", "CompileError")
    assert kernel.check("other").value == "3"


def test_sparse_matrices_and_polynomials_stay(kernel):
    kernel.check("let sparse = gpu::sparse::csr_matrix(&gpu::eye(4)); let line = gpu::poly1d(&gpu::array([1.0, 2.0]));")
    assert kernel.check("(2.0 * sparse + sparse).nnz()").value == "4"
    assert kernel.check("-line * line").value == "poly1d([-1.0, -4.0, -4.0])"
    assert kernel.check("(sparse.nnz(), line.order())").ok


def test_a_type_error_shows_the_line_and_the_compilers_help(kernel):
    text = failing(kernel, 'let first = 1;\nlet second: i32 = "text";', "CompileError")
    assert "mismatched types" in text and 'let second: i32 = "text";' in text
    assert "expected `i32`, found `&str`" in text


def test_a_misspelt_name_gets_a_suggestion(kernel):
    text = failing(kernel, "let list = Vec::<i32>::nwe();", "CompileError")
    assert "nwe" in text and "new" in text


def test_several_errors_are_one_error_message(kernel):
    text = failing(kernel, 'let a: i32 = "one";\nlet b: i32 = "two";', "CompileError")
    assert '"one"' in text and '"two"' in text


def test_the_borrow_checker_speaks(kernel):
    text = failing(kernel, "let v = vec![1]; let w = v; println!(\"{v:?}\");", "CompileError")
    assert "borrow of moved value" in text


def test_a_moved_value_is_named_with_what_to_do(kernel):
    text = failing(kernel, "let list = vec![1]; let other = list; list.len()", "CompileError")
    assert "the value was moved away; use `&list` where you pass it, or `list.clone()`" in text
    assert "write `let list = vec![1]; let other = list.clone(); list.len()`" in text


def test_a_borrowed_value_is_named_with_what_to_do(kernel):
    text = failing(kernel, "let mut list = vec![1]; let first = &list[0]; list.push(2); *first", "CompileError")
    assert "E0502" in text and "in braces" in text
    text = failing(kernel, "let list = vec![1]; { let first = &list; drop(list); first.len() }", "CompileError")
    assert "`list.clone()`" in text and "in braces" in text
    text = failing(kernel, "let list = vec![1]; std::thread::spawn(|| println!(\"{list:?}\"));", "CompileError")
    assert "move ||" in text and "std::thread::scope" in text


@pytest.mark.parametrize(
    ("code", "reason", "remedy"),
    [
        ("let kept = |x: i32| x + 1;", "`kept` is a closure", "let kept: Box<dyn Fn(i32) -> i32> = Box::new("),
        ("let list = vec![1];\nlet kept = &list;", "`kept` holds a reference", ".clone()"),
        ("let list = vec![1];\nlet kept = list.iter();", "`kept` holds a reference", ".collect::<Vec<_>>()"),
        ("let kept = (0..3).map(|x| x + 1);", "`kept` has the type", "Box<dyn Iterator<Item = i32>>"),
    ],
)
def test_a_variable_that_cannot_be_kept(kernel, code, reason, remedy):
    text = failing(kernel, code, "CompileError")
    assert reason in text and remedy in text and "in braces" in text, text
    assert "evcxr" not in text and "persist" not in text, text


def test_what_is_advised_for_closures_and_iterators_works(kernel):
    kernel.check("let kept: Box<dyn Fn(i32) -> i32> = Box::new(move |x| x + 1);")
    assert kernel.check("kept(2)").value == "3"
    kernel.check("let mut boxed: Box<dyn Iterator<Item = i32>> = Box::new((0..3).map(|x| x + 1));")
    assert kernel.check("boxed.next()").value == "Some(1)"


def test_explain_is_offered_where_it_works(kernel):
    text = failing(kernel, 'let a: i32 = "one"; let list = vec![1]; let other = list; list.len()', "CompileError")
    assert text.count(":explain") == 1 and "E0308" in text.splitlines()[-1]
    assert "Expected type did not match" in kernel.check(":explain").value
    text = failing(kernel, "let x = ;", "CompileError")
    assert ":explain" not in text and not kernel.run(":explain").ok


def test_a_value_that_cannot_be_shown(kernel):
    text = failing(kernel, "struct Opaque; Opaque", "CompileError")
    assert "Debug" in text


def test_a_panic(kernel):
    result = kernel.run('println!("before"); panic!("the reason");')
    text = result.error_text
    assert result.error["ename"] == "Panic" and "the reason" in result.error["evalue"], text
    assert result.stdout == "before\n"


def test_a_panic_after_an_unfinished_line(kernel):
    result = kernel.run('print!("unfinished"); panic!("the reason");')
    assert result.stdout == "unfinished" and "the reason" in result.error["evalue"]


def test_an_index_out_of_bounds(kernel):
    text = failing(kernel, "let v = vec![1, 2]; let index = v.len() + 3; v[index]", "Panic")
    assert "index out of bounds" in text and "5" in text


def test_an_overflow_is_noticed(kernel):
    text = failing(kernel, "let big = std::hint::black_box(i32::MAX); big + 1", "Panic")
    assert "overflow" in text


def test_a_question_mark_ends_the_cell(kernel):
    result = kernel.run('let number: i32 = "seven".parse()?;')
    assert not result.ok and "invalid digit" in result.error_text


def test_wrong_shapes_name_the_operation_and_both_shapes(kernel):
    text = failing(kernel, "let wide = gpu::zeros::<f64>([3, 5]); &device + &wide", "Panic")
    assert "[3, 4]" in text and "[3, 5]" in text and "broadcast" in text


def test_a_shape_error_points_at_the_users_line(kernel):
    result = kernel.run("let wide = gpu::zeros::<f64>([3, 5]);\nlet sum = &device + &wide;")
    assert "prelude/src" not in result.error_text, "the place of a panic is the caller's line"


def test_a_panic_of_the_last_expression_points_at_its_line(kernel):
    text = failing(kernel, "let empty = gpu::zeros::<f64>([0]);\nlet size = empty.size(); empty.max()", "Panic")
    assert "line 2" in text and "earlier cell" not in text
    text = failing(kernel, "gpu::convolve2d(&device, &gpu::ones::<f64>([0, 3]), Mode::Full)", "Panic")
    assert "line 1, column 1" in text


def test_convolving_a_vector_as_an_image(kernel):
    text = failing(kernel, "gpu::convolve2d(&gpu::zeros::<f64>([9]), &device, gpu::Mode::Full)", "Panic")
    assert "convolve2d" in text and "[9]" in text


def test_empty_arrays(kernel):
    text = failing(kernel, "gpu::zeros::<f64>([0]).max()", "Panic")
    assert "max" in text and "[0]" in text
    assert kernel.check("gpu::zeros::<f64>([0]).sum()").ok
    failing(kernel, "gpu::convolve2d(&gpu::zeros::<f64>([0, 4]), &device, gpu::Mode::Full)", "Panic")


def test_nan_passes_through_and_is_seen(kernel):
    kernel.check("let nan = gpu::full([2, 2], f64::NAN);")
    assert "NaN" in kernel.check("nan.max()").value
    assert kernel.check("gpu::allclose(&nan, &nan)").value == "false"


def test_a_kernel_larger_than_the_image(kernel):
    kernel.check("let small = gpu::ones::<f64>([2, 2]); let large = gpu::ones::<f64>([5, 5]);")
    assert "[6, 6]" in kernel.check("gpu::convolve2d(&small, &large, gpu::Mode::Full).shape().to_vec()").value
    host = kernel.check(
        "gpu::allclose(&gpu::convolve2d(&small, &large, gpu::Mode::Valid), "
        "&gpu::host::convolve2d(&small.to_host(), &large.to_host(), gpu::Mode::Valid))"
    )
    assert host.value == "true"


def test_a_host_array_for_a_device_function_is_a_compile_error_with_advice(kernel):
    text = failing(kernel, "gpu::convolve2d(&host, &host, gpu::Mode::Full)", "CompileError")
    assert "gpu::asarray" in text and "device" in text


def test_what_narrow_types_and_bools_lack_is_a_compile_error_with_advice(kernel):
    kernel.check("let halves = gpu::ones::<gpu::f16>(3); let truths = gpu::array(&[true, false, true]);")
    assert kernel.check("(&halves + &halves).max()").value == "2.0"
    assert "astype::<f64>()" in failing(kernel, "halves.exp()", "CompileError")
    text = failing(kernel, "&truths + &truths", "CompileError")
    assert "write `truths.astype::<i64>() + truths.astype::<i64>()`" in text
    assert kernel.check("(&truths | &truths).sum()").value == "2"


def test_a_device_array_for_a_host_function_is_a_compile_error_with_advice(kernel):
    text = failing(kernel, "gpu::host::convolve2d(&device, &device, gpu::Mode::Full)", "CompileError")
    assert "to_host" in text


def test_an_unknown_magic(kernel):
    text = failing(kernel, "%nosuchmagic 1 + 1", "UsageError")
    assert "%nosuchmagic" in text and "%lsmagic" in text


def test_a_bad_option_of_timeit(kernel):
    text = failing(kernel, "%timeit -x 1 + 1", "UsageError")
    assert "-x" in text and "%timeit" in text
    failing(kernel, "%timeit -n many 1 + 1", "UsageError")


def test_an_error_in_a_timed_statement(kernel):
    text = failing(kernel, "%timeit nosuchname + 1", "CompileError")
    assert "nosuchname" in text


def test_cells_that_were_queued_behind_an_error_are_aborted(kernel):
    failing_request = kernel.send("nosuchname", stop_on_error=True)
    queued_request = kernel.send('println!("must not run")')
    assert kernel.collect(failing_request).reply["status"] == "error"
    queued = kernel.collect(queued_request)
    assert queued.reply["status"] == "aborted" and queued.stdout == ""
    assert kernel.check("1 + 1").value == "2"


@pytest.mark.parametrize(
    "line",
    [
        "let x = v[i];",
        "let x = a[i];",
        "for j in 0..10 { let x = v[j]; }",
        "for j in 0..10 { while i > 0 { let x = a[j + i] + v[j]; } }",
        "for x in v.iter() { let y: i32 = Some(*x).filter(|x| *x > 9).unwrap(); }",
    ],
)
def test_panics_have_the_columns_that_the_compiler_gives(kernel, line, tmp_path):
    lines = f"let v = vec![1, 2, 3]; let a = [1, 2, 3]; let i = std::hint::black_box(7);\n{line}"
    (tmp_path / "program.rs").write_text(f"fn main() {{\n{lines}\n}}\n")
    subprocess.run(["rustc", "--cap-lints=allow", "program.rs"], cwd=tmp_path, check=True)
    said = subprocess.run(["./program"], cwd=tmp_path, capture_output=True, text=True).stderr
    column = re.search(r"program\.rs:3:(\d+)", said)[1]
    text = kernel.run(lines).error_text
    assert f"line 2, column {column}:" in text, f"{said}\n{text}"


def test_the_place_of_an_error_comes_before_what_earlier_cells_have_to_do_with_it(kernel):
    kernel.check("static COUNTED: u8 = 1;")
    text = kernel.run("COUNTEE").error_text
    assert text.index("--> line 1, column 1") < text.index("--> code of an earlier cell: static COUNTED"), text


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("gpu::interact!(step: i32 in 0..9 => { count += step; count })", "`*count.borrow_mut() += 1`"),
        ("gpu::interact!(step: i32 in 0..9 => list.push(step))", "let list = std::rc::Rc::new(std::cell::RefCell::new(list));"),
        ("gpu::interact!(step: i32 in 0..9 => drop((step, list)))", "write `&list`, or `list.clone()`"),
    ],
)
def test_what_the_code_of_interact_cannot_do_is_named_with_what_to_do(kernel, code, says):
    kernel.check("let mut count = 0; let mut list = vec![1];")
    text = failing(kernel, code, "CompileError")
    assert says in text and "mut count" not in text and "&Fn" not in text


def test_the_advice_for_interact_works(kernel):
    kernel.check("let mut count = 0;")
    kernel.check("let count = std::rc::Rc::new(std::cell::RefCell::new(count));")
    kernel.check("gpu::interact!(step: i32 in 0..9 => { *count.borrow_mut() += step; *count.borrow() })")


def test_a_part_of_an_array_of_the_host_is_kept(kernel):
    text = failing(kernel, "let corner = host[:2, 2:];", "CompileError")
    assert "write `let corner = host.slice(s![..2, 2..]).to_owned();`" in text
    kernel.check("let corner = host.slice(s![..2, 2..]).to_owned();")


def test_a_wrong_number_of_arguments_gets_no_half_corrected_line(kernel):
    kernel.check("fn fahrenheit(celsius: f64) -> f64 { celsius * 1.8 + 32.0 }")
    text = failing(kernel, "fahrenheit(10, 20)", "CompileError")
    assert "takes 1 argument" in text and "/*" not in text and "write `" not in text
