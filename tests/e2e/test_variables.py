"""Variables: what a cell that fails, is interrupted, redefines a type or moves a value leaves of them."""

import itertools
import re
import time

import pytest

STEPS = 60
PANIC = 'fn panics<T>() -> T { panic!("on purpose") }'


def failing(kernel, code: str, name: str, **options):
    """Runs a cell that must fail with an error of this name."""
    result = kernel.run(code, **options)
    assert not result.ok, f"the cell should fail:\n{code}"
    assert result.error["ename"] == name, result.error_text
    return result


@pytest.fixture(scope="module", autouse=True)
def functions(kernel):
    kernel.check(PANIC)
    kernel.check("fn fails() -> std::result::Result<i32, String> { Err(\"no luck\".into()) }")


def test_a_cell_that_returns_early_does_not_bring_the_others_down(kernel):
    # Before the first `?` of the session, after which a cell is a function with a result.
    kernel.check("let steady = vec![7]; let overwritten = vec![1];")
    kernel.check("let never = 1; let overwritten = vec![2]; if never == 1 { return; }")
    result = kernel.check("steady.len()")
    assert result.value == "1" and "`never`" in result.stderr and "return" in result.stderr
    assert kernel.check("overwritten").value == "[1]"


def test_a_panic_keeps_the_old_value(kernel):
    kernel.check("let mut numbers = vec![1, 2, 3];")
    failing(kernel, "let numbers: Vec<i32> = panics();", "Panic")
    kernel.check("numbers.push(4);")
    assert kernel.check("numbers.len()").value == "4"


def test_a_panic_keeps_the_old_value_beside_a_new_type(kernel):
    kernel.check("let mut changing: Vec<i32> = vec![1];")
    failing(kernel, "let changing: f64 = panics();", "Panic")
    kernel.check("changing.push(2);")
    assert kernel.check("changing").value == "[1, 2]"
    kernel.check("let changing = 2.5;")
    assert kernel.check("changing * 2.0").value == "5.0"


def test_what_ran_before_a_panic_stays_done(kernel):
    kernel.check("let first = String::from(\"one\"); let mut second = vec![2]; let third = 3;")
    result = failing(kernel, "let first = 1; second.push(22); panics::<()>(); let third = 33; let brand_new = 3;", "Panic")
    assert "lost" not in result.error_text
    assert kernel.check("(first, second.clone(), third)").value == "(1, [2, 22], 3)"
    assert "brand_new" in failing(kernel, "brand_new", "CompileError").error_text


def test_the_old_value_may_be_used_by_what_panics(kernel):
    kernel.check("let list = vec![1, 2];")
    failing(kernel, "let list: Vec<i32> = list.iter().map(|n| panics::<i32>() + n).collect();", "Panic")
    assert kernel.check("list.clone()").value == "[1, 2]"


def test_a_value_that_was_moved_before_the_panic_is_lost_and_the_error_says_so(kernel):
    kernel.check("let given = vec![1]; let kept = vec![2];")
    kernel.check("fn consume(list: Vec<i32>) -> Vec<i32> { drop(list); panics() }")
    result = failing(kernel, "let given = consume(given);", "Panic")
    assert "given" in result.error_text and "moved" in result.error_text
    result = failing(kernel, "given", "CompileError")
    assert "moved" in result.error_text and "make it again" in result.error_text
    kernel.check("let given = vec![3];")
    failing(kernel, "let other = given; let given: i32 = panics();", "Panic")
    failing(kernel, "given", "CompileError")
    assert kernel.check("kept").value == "[2]"


def test_moving_and_making_anew_in_one_cell_works(kernel):
    kernel.check("let turned = vec![1];")
    kernel.check("let mut turned = turned;")
    kernel.check("turned.push(2);")
    kernel.check("let turned = turned.into_iter().rev().collect::<Vec<_>>();")
    assert kernel.check("turned").value == "[2, 1]"


def test_a_question_mark_keeps_the_old_values(kernel):
    kernel.check("let mut answer: Vec<u8> = vec![42]; let untouched = 5;")
    result = failing(kernel, "let answer = fails()?; let untouched = 6;", "Error")
    assert "no luck" in result.error_text
    kernel.check("answer.push(43);")
    assert kernel.check("(answer.clone(), untouched)").value == "([42, 43], 5)"
    # The second cell is compiled with the question mark allowed from the start.
    failing(kernel, "let answer = fails()?;", "Error")
    assert kernel.check("answer").value == "[42, 43]"


def test_a_cell_that_does_not_compile_keeps_everything(kernel):
    kernel.check("let stays = vec![7];")
    failing(kernel, 'let stays: i32 = "seven";', "CompileError")
    failing(kernel, "struct Broken { x: Nothing } let stays = 1;", "CompileError")
    assert kernel.check("stays").value == "[7]"


def test_an_interrupted_compilation_keeps_the_old_value(kernel):
    kernel.check("let mut precious = vec![7];")
    code = """
    #[allow(long_running_const_eval)]
    const ENDLESS: u64 = { let mut n = 0u64; while n < u64::MAX { n += 1; } n };
    let precious = ENDLESS;
    """
    request = kernel.send(code)
    kernel.next_message(request, time.monotonic() + 240)
    start = time.monotonic()
    kernel.manager.interrupt_kernel()
    result = kernel.collect(request, seconds=240)
    assert result.error["ename"] == "Interrupted"
    assert time.monotonic() - start < 30
    kernel.check("precious.push(8);")
    assert kernel.check("precious").value == "[7, 8]"


def test_an_interrupt_while_types_are_found_is_answered_at_once_and_keeps_everything(fresh_kernel):
    kernel = fresh_kernel()
    kernel.check("let analysed = vec![7];")
    # Closures are slow to analyse, more than in proportion to their number.
    step = "    let list = list.iter().map(|n: &i32| n + 1).rev().collect::<Vec<i32>>();\n"
    request = kernel.send("let analysed = {\n    let list = vec![1i32];\n" + step * STEPS + "    list\n};")
    # The compiler begins when its text is there.
    deadline = time.monotonic() + 240
    while not any("list.iter()" in path.read_text() for path in kernel.temporary.glob("warpcell-*/context/build/types.rs")):
        assert time.monotonic() < deadline
    start = time.monotonic()
    kernel.manager.interrupt_kernel()
    result = kernel.collect(request, seconds=240)
    assert result.error["ename"] == "Interrupted"
    assert time.monotonic() - start < 30
    assert kernel.check("analysed").value == "[7]"


def test_a_struct_with_another_layout_loses_its_values_only(kernel):
    kernel.check("#[derive(Debug, Clone)] struct Point { x: u8 }")
    kernel.check("mod shapes { #[derive(Debug)] pub struct Shape { pub n: u8 } }")
    kernel.check(
        "let point = Point { x: 1 }; let points = vec![Point { x: 2 }]; let shape = shapes::Shape { n: 3 };"
        " let boxed: Option<Box<Point>> = None; let other = 4;"
    )
    kernel.check("#[derive(Debug, Clone)] struct Point { name: String, x: u8 }")
    result = kernel.check("other")
    for name in ("point", "points", "boxed"):
        assert f"`{name}` is lost" in result.stderr, result.summary()
    assert "`Vec<Point>`" in result.stderr
    assert "redefined" in failing(kernel, "point.x", "CompileError").error_text
    kernel.check('let point = Point { name: "a".into(), x: 5 };')
    assert kernel.check("(point.x, other, shape.n)").value == "(5, 4, 3)"
    kernel.check("mod shapes { #[derive(Debug)] pub struct Shape { pub n: u16 } }")
    assert "shape" in failing(kernel, "shape.n", "CompileError").error_text


def test_making_a_variable_anew_after_its_type_was_redefined_needs_no_second_attempt(kernel):
    kernel.check("#[derive(Debug)] struct Grid { n: u8 } let grid = Grid { n: 1 };")
    kernel.check("#[derive(Debug)] struct Grid { n: u64, m: u64 }")
    result = kernel.check("let grid = Grid { n: 2, m: 3 };\ngrid.n")
    assert result.value == "2" and result.stderr == ""
    assert kernel.check("grid.m").value == "3"
    # The old value cannot be kept if there is none of the type any more.
    kernel.check("#[derive(Debug)] struct Grid { n: String }")
    result = failing(kernel, "let grid: Grid = panics();", "Panic")
    assert "grid" in failing(kernel, "grid.n", "CompileError").error_text


def test_a_type_defined_again_in_the_same_way_keeps_its_values(kernel):
    kernel.check("#[derive(Debug)] struct Same { x: Inner } #[derive(Debug)] enum Inner { A, B(u8) }")
    kernel.check("let same = Same { x: Inner::B(9) };")
    kernel.check("#[derive(Debug)] struct Same { x: Inner } #[derive(Debug)] enum Inner { A, B(u8) }")
    kernel.check("#[derive(Debug, PartialEq)]\n/// Documented.\nenum Inner { A, B(u8) }")
    kernel.check("impl Same { fn get(&self) -> u64 { if let Inner::B(n) = self.x { n.into() } else { 0 } } }")
    assert kernel.check("same.get()").value == "9"
    result = kernel.run("#[derive(Debug)] enum Inner { A, B(u16) }\nsame.get()")
    assert "`same` is lost" in result.stderr, result.summary()


SPEAK = "trait Speak { fn speak(&self) -> String; }"
INTO = "impl From<Kind> for Other { fn from(kind: Kind) -> Other { Other(kind as i32) } }"
#: The items of a cell, those of a later one, and what is true then. The items may stand in any order.
AGAIN = {
    "struct": (
        ["struct Named { v: i32 }", SPEAK, "impl Speak for Named { fn speak(&self) -> String { format!(\"{}\", self.v) } }"],
        ["struct Named { w: i32 }", "impl Speak for Named { fn speak(&self) -> String { format!(\"new {}\", self.w) } }"],
        'Named { w: 1 }.speak() == "new 1"',
    ),
    "trait": (
        ["struct Named { v: i32 }", SPEAK, "impl Speak for Named { fn speak(&self) -> String { String::new() } }"],
        ["trait Speak { fn say(&self) -> i32; }", "impl Speak for Named { fn say(&self) -> i32 { self.v } }"],
        "Named { v: 2 }.say() == 2",
    ),
    "enum": (
        ["enum Kind { A }", "struct Other(i32);", INTO],
        ["enum Kind { A, B }", INTO.replace("kind as i32", "10 + kind as i32")],
        "Other::from(Kind::B).0 == 11",
    ),
    "generic": (
        [SPEAK, "struct Held<T> { v: T }", "impl<T: std::fmt::Debug> Speak for Held<T> { fn speak(&self) -> String { format!(\"{:?}\", self.v) } }"],
        ["struct Held<U> { w: U }", "impl<U: std::fmt::Display> Speak for Held<U> { fn speak(&self) -> String { format!(\"{}\", self.w) } }"],
        'Held { w: "a" }.speak() == "a"',
    ),
    "derive": (
        [SPEAK, "struct Plain { v: i32 }", "impl Clone for Plain { fn clone(&self) -> Plain { Plain { v: 0 } } }"],
        ["#[derive(Clone)] struct Plain { w: i32 }"],
        "Plain { w: 3 }.clone().w == 3",
    ),
}


@pytest.mark.parametrize("name", AGAIN)
def test_types_and_traits_are_defined_again_with_their_implementations_in_any_order(kernel, name):
    before, after, truth = AGAIN[name]
    for first in itertools.permutations(before):
        for second in itertools.permutations(after):
            kernel.check("\n".join(first))
            kernel.check("\n".join(second))
            assert kernel.check(truth).value == "true", (first, second)


def test_implementations_stand_beside_one_another_and_replace_others(kernel):
    kernel.check("struct Counted { n: i32 }")
    kernel.check("impl Counted { fn one(&self) -> i32 { 1 } fn two(&self) -> i32 { 2 } }")
    kernel.check("impl Counted { fn three(&self) -> i32 { 3 } }")
    values = "{ let c = Counted { n: 0 }; (c.one(), c.two(), c.three()) }"
    assert kernel.check(values).value == "(1, 2, 3)"
    first, second = (f"impl Counted {{ fn two(&self) -> i32 {{ {value} }} }}" for value in (20, 200))
    for code, expected in [(first, 20), (second, 200), (second, 200), (first, 20), (second, 200)]:
        kernel.check(code)
        assert kernel.check(values).value == f"(1, {expected}, 3)"
    # Two of one cell are an error, as in a program.
    assert "duplicate definitions" in failing(kernel, f"{first}\n{second}", "CompileError").error_text
    assert kernel.check(values).value == "(1, 200, 3)"
    # The items of a cell in which the process ends are forgotten.
    failing(kernel, f"{first.replace('20', '7')}\nstd::process::abort();", "CellProcessDied")
    assert kernel.check(values).value == "(1, 200, 3)"
    result = kernel.check("struct Counted { m: u8 }\nimpl Clone for Counted { fn clone(&self) -> Counted { Counted { m: self.m } } }")
    assert result.stderr == "", "nothing names `n`"
    kernel.check("impl Counted { fn get(&self) -> u8 { self.m } }")
    result = kernel.check("struct Counted { k: u8 }")
    assert "`impl Counted` of an earlier cell does not fit the new `Counted` and is left out: no field `m`" in result.stderr
    assert kernel.check("impl Counted { fn get(&self) -> u8 { self.k } }\nCounted { k: 4 }.get()").value == "4"


def test_values_of_the_old_layout_are_dropped_by_the_old_code(kernel):
    kernel.check("struct Noisy { text: String } impl Drop for Noisy { fn drop(&mut self) { println!(\"{}\", self.text); } }")
    kernel.check('let noisy = Noisy { text: "old".into() };')
    result = kernel.check(
        "struct Noisy { n: u8, text: String } impl Drop for Noisy { fn drop(&mut self) { println!(\"new\"); } } 1 + 1"
    )
    assert result.stdout == "old\n" and "`noisy` is lost" in result.stderr


def test_a_type_whose_name_means_something_else_does_not_block_the_session(kernel):
    kernel.check("#[derive(Debug)] struct Plain { x: u8 } let plain = Plain { x: 1 }; let aside = 6;")
    kernel.check("#[derive(Debug)] struct Plain<T> { x: T }")
    kernel.check("let plain = Plain { x: 2.5 };")
    assert kernel.check("(plain.x, aside)").value == "(2.5, 6)"


def test_a_moved_variable_is_gone_and_its_new_name_works(kernel):
    kernel.check("let old_name = vec![1, 2];")
    kernel.check("let new_name = old_name;")
    assert kernel.check("new_name.len()").value == "2"
    text = failing(kernel, "old_name.len()", "CompileError").error_text
    assert "cannot find value `old_name`" in text and "moved" in text and "old_name.clone()" in text


def test_patterns(kernel):
    kernel.check("let (left, mut right) = (1, vec![2]); let _ = 5; let (_, third) = (0, 'c');")
    kernel.check("right.push(3);")
    kernel.check("struct Pair { a: u8, b: u8 } let Pair { a: from_a, b } = Pair { a: 8, b: 9 }; let Some(inner) = Some(4) else { panic!() };")
    assert kernel.check("(left, right.clone(), third, from_a, b)").value == "(1, [2, 3], 'c', 8, 9)"
    kernel.check("let left = \"now text\";")
    assert kernel.check("left.len()").value == "8"


def test_shadowed_imports_and_prelude_names(kernel):
    kernel.check("let before = gpu::zeros::<f64>([2]);")
    kernel.check("use std::fmt::Result;")
    kernel.check("fn done() -> Result { Ok(()) } let outcome = done();")
    assert kernel.check("outcome").value == "Ok(())"
    result = kernel.check("#[derive(Debug)] enum Result { Good } fn done() -> Result { Result::Good } let outcome = done();")
    assert kernel.check("outcome").value == "Good", result.summary()
    kernel.check("fn zeros() -> u8 { 7 }")
    assert kernel.check("zeros()").value == "7"
    kernel.check("#[derive(Debug)] struct Array2 { n: u8 } let own = Array2 { n: 1 };")
    assert kernel.check("own.n").value == "1"
    kernel.check("use std::collections::BTreeMap as Map; let mut ordered: Map<u8, u8> = Map::new();")
    kernel.check("use std::collections::HashMap as Map; let hashed: Map<u8, u8> = Map::new();")
    # As in plain evcxr: a variable keeps the type that was written for it, and this name means another one now.
    text = failing(kernel, "ordered.insert(1, 2); ordered.len()", "CompileError").error_text
    assert "`ordered` is lost because its type was redefined" in text
    assert kernel.check("hashed.len()").value == "0"
    assert kernel.check("before.size()").value == "2"


#: An item of an earlier cell, and a cell that gives its name to a variable, with the variable's value.
NAMES_OF_ITEMS = [
    ("const SIZE: usize = 5;", "let SIZE = 2.5;", "2.5"),
    ("const SIZE: usize = 5;", "let (SIZE, _) = (1, 2);", "1"),
    ("const SIZE: usize = 5;", "let mut SIZE: i64 = 7;\nSIZE += 1;", "8"),
    ("const SIZE: usize = 5;", "for _ in 0..2 {}\nlet SIZE = vec![0; 2];", "[0, 0]"),
    ("static SIZE: u8 = 5;", "let SIZE = 'c';", "'c'"),
    ("#[derive(Debug)]\nstruct SIZE;", "let SIZE = 3;", "3"),
    ("struct SIZE(i32);", "let SIZE = 4;", "4"),
    ("use std::f32::consts::{LN_2 as SIZE, PI};", "let SIZE = 0.5;", "0.5"),
]


@pytest.mark.parametrize(("item", "cell", "value"), NAMES_OF_ITEMS)
def test_a_variable_takes_the_name_of_a_constant_and_gives_it_back(kernel, item, cell, value):
    for _ in range(2):
        kernel.check(item)
        kernel.check(cell)
        assert kernel.check("SIZE").value == value
        kernel.check(cell)
    kernel.check("const SIZE: i8 = -1;")
    assert kernel.check("SIZE").value == "-1"


def test_a_constant_that_is_used_keeps_its_name(kernel):
    kernel.check("const LENGTH: usize = 5;\nfn of_that_length() -> [u8; LENGTH] { [1; LENGTH] }")
    for cell in ("let LENGTH = 3;", "let mut LENGTH = 3;", "for LENGTH in 0..3 {}", "let (LENGTH, x) = (1, 2);", "let twice = |LENGTH: u8| ();"):
        text = failing(kernel, cell, "CompileError").error_text
        assert "`LENGTH` is an item of an earlier cell" in text and text.rstrip().endswith("such as `length`"), text
    failing(kernel, "let LENGTH = 3; nothing_of_that_name", "CompileError")
    assert kernel.check("of_that_length().len() + LENGTH").value == "10"
    # What does not compile takes nothing.
    kernel.check("const FREE: i32 = 6;")
    failing(kernel, "let FREE = 3; nothing_of_that_name", "CompileError")
    assert kernel.check("FREE").value == "6"


@pytest.mark.network
def test_waiting_for_futures(kernel):
    kernel.check("async fn later(n: u8) -> u8 { n * 2 }")
    kernel.check("let awaited = later(21).await;", seconds=1200)
    assert kernel.check("awaited").value == "42"
    failing(kernel, "let awaited: u8 = { later(1).await; panics() };", "Panic")
    assert kernel.check("awaited").value == "42"
    # The runtime of the earlier build is another one.
    kernel.check(':dep tokio = { version = "1", features = ["full"] }', seconds=1200)
    kernel.check("tokio::time::sleep(std::time::Duration::from_millis(1)).await; let again = later(4).await;")
    assert kernel.check("(awaited, again)").value == "(42, 8)"


FORMULAS = [
    "m * 2.0",
    "2.0 * m",
    "m * m",
    "-m",
    "m - m.min()",
    "(m - m.mean()) / m.std()",
    "gpu::exp(m)",
    "gpu::linalg::norm(m)",
    "gpu::matmul(m, m.t())",
    "m.matmul(m.t())",
    "gpu::maximum(m, m * 3.0)",
    "{ let mut d = gpu::zeros((2, 3)); d += m; d }",
    "(0..3).map(|_| (m * 2.0).sum()).sum::<f64>()",
    "format!(\"{}\", m * 2.0)",
    "host * 2.0",
    "pair[1] * 2.0",
]


def test_arrays_in_formulas_stay(kernel):
    kernel.check("let m = gpu::ones((2, 3)); let host = ndarray::arr1(&[1.0, 2.0]); let pair = [gpu::ones(2), gpu::ones(2)];")
    # A function of the notebook that uses its argument twice, in later cells too.
    kernel.check("fn own(x: impl Into<DeviceArray<f64>>) -> f64 { let x = x.into(); let y = x * 2.0; (y + x).sum() }")
    for formula in FORMULAS:
        kernel.check(f"let result = {formula};")
    assert kernel.check("m.sum() + host.sum() + pair[1].sum()").value == "11.0"
    assert kernel.check("own(m.clone())").value == "18.0"
    for wrong in ("m * gpu::ones((3, 4))", "let m = m + gpu::ones(5);", "gpu::matmul(m, gpu::ones((5, 5)))"):
        result = kernel.run(wrong)
        assert result.error["ename"] == "Panic" and "lost" not in result.error_text, result.error_text
        assert kernel.check("m.sum()").value == "6.0", wrong
    # What takes an array away still does.
    kernel.check("let other = m;")
    error = kernel.run("m.sum()").error_text
    assert "moved the value of `m` away" in error and "similar name" not in error, error
    assert kernel.check("other.sum()").value == "6.0"


def test_places_in_messages_are_right_behind_an_array_that_stays(kernel):
    kernel.check("let m = gpu::ones(3);")
    error = kernel.run("let d = m * 2.0; let n: usize = [1][m.size()]; n").error_text
    assert "line 1, column 33" in error, error
    error = kernel.run("let d = m * 2.0; let n: i32 = m.size();").error_text
    assert "^" in error and "column 31" in error, error
    # An operator of another type, on a line that had a reference.
    kernel.check("let m = String::from(\"a\"); let d = m + \"b\";")
    assert kernel.check("d").value == '"ab"'


def test_a_thousand_variables_do_not_make_the_analysis_of_cells_long(fresh_kernel):
    kernel = fresh_kernel()
    kernel.check("\n".join(f"let v{number} = {number};" for number in range(1000)), seconds=600)
    kernel.check("let sum = v0 + v999;\nlet NAMES = vec![\"a\"]; let (LEFT, right) = (1, 2.5);")
    (line,) = re.findall(r"^  analysis .* (\d+) %$", kernel.check("%celltime").stdout, re.MULTILINE)
    # It was 92 %, seconds.
    assert int(line) < 50
    assert kernel.check("sum + LEFT + NAMES.len() as i32 + right as i32").value == "1003"
