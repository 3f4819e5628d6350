"""A notebook is a program: its cells do what the same lines do in `fn main`, and what ran before a failure stays done."""

import os

import pytest

from e2e.session import Session
from programs.run import compare_all

# The longer runs are `tests/run programs`.
COUNT = int(os.environ.get("WARPCELL_TEST_PROGRAMS", "60"))
SEED = int(os.environ.get("WARPCELL_TEST_SEED", "1"))
WITH_FULL_CACHE = 10


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("failures", [False, True], ids=["whole", "with failures"])
def test_random_programs_do_in_cells_what_they_do_in_one_block(failures, tmp_path, monkeypatch):
    # With an empty cache of cells, and some of them again with what the first run has put there.
    monkeypatch.setenv("WARPCELL_CACHE_DIR", str(tmp_path / "cache"))
    for state, count in (("empty", COUNT if not failures else COUNT // 2), ("full", WITH_FULL_CACHE)):
        differences = compare_all(count, SEED, 2, failures)
        print(f"{count} programs from seed {SEED}, the cache {state}: {len(differences)} differ")
        assert not differences, "\n".join(map(str, differences[:3]))


@pytest.mark.parametrize(
    ("cells", "value", "expected"),
    [
        (["let mut a = gpu::arange::<f64>(5.0);", "a = a + 1.0;"], "a.sum()", "15.0"),
        (['let mut s = String::from("x");', 's = s + "y";'], "s", '"xy"'),
        (["let mut v = vec![1, 2];", "v = v.into_iter().map(|x| x + 1).collect();"], "v", "[2, 3]"),
        (['let mut u = vec!["u"]; let mut w = vec!["w"];', "(u, w) = (w, u);"], "(u[0], w[0])", '("w", "u")'),
        (["let mut b = gpu::ones::<f64>(2);", "for _ in 0..3 { b = b * 2.0; }"], "b.sum()", "16.0"),
        (['let mut o = Some(String::from("o"));', 'o = o.map(|x| x + "p");'], "o", 'Some("op")'),
        (["let mut x = vec![1]; let mut y = vec![2]; let z = vec![3];", "x = y; y = z;"], "(x, y)", "([2], [3])"),
        (["let mut k = vec![1];", "drop(k);", "k = vec![4];"], "k", "[4]"),
        (["let mut l = vec![1];", "drop(l); l = vec![2]; let n = l.len(); drop(l); l = vec![5];"], "l", "[5]"),
        (["let late: i32;", "late = 5;"], "late", "5"),
        (["use std::sync::atomic::{AtomicUsize, Ordering}; static N: AtomicUsize = AtomicUsize::new(0);",
          "N.fetch_add(1, Ordering::Relaxed);", "N.fetch_add(1, Ordering::Relaxed);"], "N.load(Ordering::Relaxed)", "2"),
        (["fn count() -> u8 { static mut C: u8 = 0; unsafe { C += 1; C } }", "count();", "count();"], "count()", "3"),
        (["let f = 1;", "fn f() -> i32 { 7 }"], "f()", "7"),
        (["fn g() -> i32 { 7 }", "let g = 1;"], "g", "1"),
        (["unsafe extern \"C\" { fn abs(x: i32) -> i32; }"] * 2, "unsafe { abs(-3) }", "3"),
        (["let r = std::panic::catch_unwind(|| 1);"], "r.is_ok()", "true"),
        # Types with `!`, which stable code cannot write.
        (["let t = std::thread::spawn(|| loop { std::thread::park(); });"], "t.is_finished()", "false"),
        (["fn ends() -> ! { std::process::exit(0) }", "let f: Option<fn() -> !> = Some(ends);"], "f.is_some()", "true"),
        (["let joined = std::thread::spawn(|| 1).join();"], "joined.unwrap()", "1"),
    ],
)  # fmt: skip
def test_cells_do_what_the_same_lines_do_in_a_program(kernel, cells, value, expected):
    for cell in cells:
        result = kernel.check(cell)
        assert not result.stdout and not result.stderr, result.summary()
    assert kernel.check(value).value == expected


@pytest.mark.parametrize(
    ("before", "cell", "name", "value", "expected"),
    [
        ("let q = 1;", "let q = 2; fails();", "Panic", "q", "2"),
        ("let mut list = vec![1];", "list.push(1); fails();", "Panic", "list", "[1, 1]"),
        ("", 'let made = 5; let parsed = "x".parse::<i32>()?;', "Error", "made", "5"),
        ("let mut text = String::new();", 'text = text + "a"; fails(); text = text + "b";', "Panic", "text", '"a"'),
        ("let given = vec![1];", "fails(); let taken = given;", "Panic", "given", "[1]"),
        ("let moved = vec![1];", "let there = moved; fails();", "Panic", "there", "[1]"),
        ("", "let mut total = 0; for i in 0..5 { total += i; if i == 3 { fails() } }", "Panic", "total", "6"),
        # A name with several types, or several values, in one cell.
        ("let w = 0.5;", "let w = vec![1]; fails(); let w = w.len();", "Panic", "w", "[1]"),
        ("let m = 1;", "let m = BTreeMap::from([(1, 2)]); fails(); let m = m.len();", "Panic", "m", "{1: 2}"),
        ("let y = Some(5);", "let s = (1, 2); let s = y; fails(); let e = 1;", "Panic", "s", "Some(5)"),
        ("let x = vec![\"a\", \"b\"];", "fails(); let x = x.join(\"-\");", "Panic", "x.len()", "2"),
        ("let mut z = vec![1];", "fails(); let mut z = (move || { let mut z = z; z.push(2); z })();", "Panic", "z", "[1]"),
        ("let mut b = Some(String::new());", "let mut b = b.unwrap_or_default(); b = b + \"9\"; fails(); let k = 1;", "Panic", "b", '"9"'),
        ("#[derive(Debug)] struct P { n: u8 } let mut d = P { n: 1 };", "{ let taken = d; d = P { n: taken.n + 1 }; } fails(); let mut d = 1;",
         "Panic", "d", "P { n: 2 }"),
        ("let mut again = vec![1];", "drop(again); again = vec![2]; fails(); again.push(3);", "Panic", "again", "[2]"),
        ("mod shapes { #[derive(Debug)] pub struct Pair<T>(pub T); }", "let s = vec![shapes::Pair(1)]; fails(); let s = 2;", "Panic", "s", "[Pair(1)]"),
        ("let p = 1;", "#[derive(Debug)] struct New(u8); let p = New(2); fails(); let p = p.0;", "Panic", "p", "New(2)"),
        ("let mut twice = vec![1];", "fails(); drop(twice); twice = vec![2];", "Panic", "twice", "[1]"),
        ("let z = vec![1];", "fails(); let z = z.len(); let given = vec![z]; drop(z);", "Panic", "z", "[1]"),
        ("let g = vec![1];", "fails(); let g = vec![g.len()]; let given = g;", "Panic", "g", "[1]"),
        ('let mut u = "1".repeat(2);', "let mut u = u + \"a\"; fails(); let u = vec![u]; drop(u);", "Panic", "u", '"11a"'),
        ("let h = vec![1]; let mut i = vec![2];", "fails(); let k = h; if k.len() > 0 { drop(i); }", "Panic", "(h, i)", "([1], [2])"),
        # The compiler names what a moved box points to.
        ("let mut j = vec![1]; let mut o = Box::new(4);", "fails(); drop(j); if *o > 0 { drop(o); }", "Panic", "(j, *o)", "([1], 4)"),
        ("", 'let mut fresh = "a".repeat(2); fails(); if fresh.len() > 1 { drop(fresh); }', "Panic", "fresh", '"aa"'),
        ("let from = Box::new(5);", "let mut to = from; fails(); drop(to); to = Box::new(9); to = { let inner = *to; Box::new(inner % 9) };",
         "Panic", "to", "5"),
    ],
)
def test_what_ran_before_a_failure_stays_done(kernel, before, cell, name, value, expected):
    kernel.check('use std::collections::BTreeMap; fn fails() { panic!("on purpose") }')
    kernel.check(before)
    result = kernel.run(cell)
    assert not result.ok and result.error["ename"] == name, result.summary()
    assert "lost" not in result.error_text, result.error_text
    assert kernel.check(value).value == expected


@pytest.mark.parametrize(
    ("before", "assigning", "value"),
    [
        ("let mut w = vec![1]; drop(w);", "w = vec![3]; w", "[3]"),
        ("let mut w = vec![1];\nprintln!(\"{w:?}\");\ndrop(w);", "w = vec![3]; w", "[3]"),
        ("let mut w = vec![1]; { let taken = w; } 1", "w = vec![3]; w", "[3]"),
        ("let (mut w, n) = (vec![1], 2); let pair = (w, n);", "w = vec![pair.1]; w", "[2]"),
        ("let mut w = vec![1]; drop(w); \"4\".parse::<i32>()?;", "w = Vec::new(); w", "[]"),
        ("let mut w = vec![1]; drop(w); w = vec![2]; drop(w);", "if w_is_wanted() { w = vec![5]; } else { w = vec![6]; } w", "[5]"),
    ],
)
def test_a_variable_that_its_own_cell_moves_away_gets_a_value_later(kernel, before, assigning, value):
    kernel.check("fn w_is_wanted() -> bool { true }")
    kernel.check(before)
    assert kernel.check(assigning).value == value


@pytest.mark.parametrize(
    ("cell", "assigning", "value"),
    [
        # The cell fails before it comes to the new variable of the name, and behind it.
        ("fails(); w = vec![7]; let w = w.len();", "w = vec![3]; w", "[3]"),
        ("w = vec![7]; let w = String::from(\"b\"); drop(w); fails();", "w = String::from(\"c\"); w", '"c"'),
        ("w = vec![7]; let w = w.len(); drop(w.to_string()); let mut w = vec![\"a\"]; drop(w); fails(); w = vec![\"b\"];", "w = vec![\"c\"]; w", '["c"]'),
        ("fails(); w = vec![7]; let w: String; w = String::new(); drop(w);", "w = vec![3]; w", "[3]"),
    ],
)
def test_a_variable_without_a_value_gets_one_behind_a_failure(kernel, cell, assigning, value):
    kernel.check('fn fails() { panic!("on purpose") }')
    kernel.check("let mut w = vec![1]; drop(w);")
    assert not kernel.run(cell).ok
    assert kernel.check(assigning).value == value


def test_a_new_value_that_is_lost_is_named(kernel):
    kernel.check("fn eats(list: Vec<i32>) -> Vec<i32> { drop(list); panic!(\"on purpose\") }")
    kernel.check("let mut meal = vec![1];")
    result = kernel.run("let mut meal = vec![2]; meal = eats(meal);")
    assert "The new value of `meal` is lost; `meal` has the value from before this cell." in result.error_text
    assert kernel.check("meal").value == "[1]"


@pytest.mark.parametrize("old", ["", "let late = 1;"])
def test_a_variable_gets_its_value_after_the_cell_that_failed_before_it(kernel, old):
    """Neither the type of the name's old variable counts, nor its value."""
    kernel.check(old)
    assert not kernel.run('let mut late = vec![1]; drop(late); panic!("on purpose"); late = vec![2];').ok
    assert "cannot find value `late`" in kernel.run("late").error_text
    assert kernel.check("late = vec![3]; late").value == "[3]"
    kernel.check("drop(late);")


def test_an_old_value_does_not_come_back_behind_a_new_one(kernel):
    kernel.check("struct Told(u8); impl Drop for Told { fn drop(&mut self) { println!(\"drop {}\", self.0); } }")
    kernel.check("let told = Told(1);")
    # It is dropped as the cell ends, though nothing of the name is stored.
    result = kernel.check("let first = told.0; let told = Told(first + 1); drop(told);")
    assert result.stdout.splitlines() == ["drop 2", "drop 1"], result.summary()
    kernel.check("let told = Told(3);")
    result = kernel.run('let next = told.0; let told = Told(next + 1); drop(told); panic!("on purpose"); println!("{first}");')
    assert result.stdout.splitlines() == ["drop 4", "drop 3"], result.summary()
    assert "make it again" in kernel.run("told").error_text


def test_a_value_whose_type_has_no_name_outside_is_named(kernel):
    kernel.check("let inside = 1;")
    result = kernel.run('let inside = { #[derive(Debug)] struct Inside; Some(Inside) }; panic!("on purpose"); let inside = inside.is_some();')
    assert "`inside`" in result.error_text and "lost" in result.error_text, result.error_text
    assert kernel.check("let inside = 3; inside").value == "3"


def test_an_old_value_that_was_moved_away_is_named_though_other_statements_follow(kernel):
    kernel.check("fn eats(list: Vec<i32>) -> Vec<i32> { drop(list); panic!(\"on purpose\") }")
    kernel.check("let given = vec![1];")
    assert "lost, because the cell had moved their values away: given" in kernel.run("let given = eats(given); let x = 1;").error_text
    assert "make it again" in kernel.run("given").error_text


def test_a_panic_that_is_caught_is_no_error(kernel):
    result = kernel.check('let caught = std::panic::catch_unwind(|| { if true { panic!("caught here") } 1 });')
    assert "caught here" in result.stderr and "line 1, column" in result.stderr
    result = kernel.check('let thread = std::thread::spawn(|| { if true { panic!("in a thread") } });\nthread.join().is_err()')
    assert result.value == "true" and "line 1, column" in result.stderr and "in a thread" in result.stderr
    # What returns only a panic has the type `!`, which stable code cannot write.
    for code in ('std::panic::catch_unwind(|| panic!("caught here"))', 'std::thread::spawn(|| panic!("caught here")).join()'):
        assert "caught here" in kernel.check(f"let never = {code};").stderr
        assert kernel.check("never.is_err()").value == "true"
    # Without a message, or with the user's own hook, it is an error all the same.
    assert "without a message" in kernel.run("std::panic::resume_unwind(Box::new(1));").error_text


@pytest.mark.parametrize(
    ("cell", "headline", "place"),
    [
        ("max(1, 2)", "error[E0425]: cannot find function `max`", "line 1, column 1"),
        ("1;\nHashMap::<i32, i32>::new()", "error[E0433]: ", "line 2, column 1"),
        ("plain(1)", "error[E0308]: mismatched types", "line 1, column 7"),
        ("twice(&array)", "error[E0308]: mismatched types", "line 1, column 7"),
        ("gpu::random((3, 3))", "error[E0423]: expected function, found module", "line 1, column 1"),
        ("kernel_function(1)", "error[E", "line 1, column 1"),
        ("let a = 1;\n  nothing(a)", "error[E0425]: cannot find function `nothing`", "line 2, column 3"),
        ("let s = String::new();\nlet t = s;\ns.len()", "error[E0382]: borrow of moved value: `s`", "line 3, column 1"),
        ("{", "error: this file contains an unclosed delimiter", "line 1, column 1"),
        ("let x = (1 + 2;", "error: this file contains an unclosed delimiter", "line 1, column 9"),
        ('let s = "abc;', "error[E0765]: unterminated double quote string", "line 1, column 9"),
        ("1 +", "error: expected expression, found the end of the cell", "line 1, column 3"),
        ("struct P { x: i32 }\nlet p = P { y: 1 };", "error[E0560]: struct `P` has no field named `y`", "line 2, column 13"),
    ],
)
def test_compile_errors_have_their_headline_and_place(kernel, cell, headline, place):
    kernel.check("fn plain(x: f64) -> f64 { x } #[vectorize] fn twice(x: f32) -> f32 { x * 2.0 }")
    kernel.check("#[kernel] fn kernel_function(mut out: ViewMut<f32>) { out[0] = 1.0; }")
    kernel.check("let array = gpu::ones::<f32>(3);")
    text = kernel.run(cell).error_text
    first = next(line for line in text.splitlines() if line.startswith("error"))
    assert first.startswith(headline), text
    assert place in text, text
    for word in ("evcxr", "VariableStore", "ctx::", " _::", "`_::", "run_user_code", "/tmp/", "lib.rs"):
        assert word not in text, text


def test_lint_warnings_are_no_errors(kernel):
    kernel.check("let A = 3.0; let thread = std::thread::spawn(|| 1).join();")
    kernel.check("fn CamelCase() -> f64 { 1.0 }")
    assert kernel.check("let b = A + CamelCase(); b").value == "4.0"


@pytest.mark.parametrize(
    "cell", ["{" * 10_000, "(" * 10_000 + "1" + ")" * 10_000, "!" * 10_000 + "true", "1" + "+1" * 100_000, '"' + "x" * 1_000_000 + '".len()']
)
def test_no_text_is_too_much(kernel, cell):
    kernel.check("let kept = 7;")
    kernel.run(cell, seconds=240)
    kernel.ask(kernel.client.is_complete(cell))
    kernel.ask(kernel.client.complete(cell[:2000], 1600), seconds=120)
    assert kernel.check("kept").value == "7"


@pytest.mark.parametrize(
    "cell",
    [
        'println!("EVCXR_BEGIN_CONTENT text/html");',
        "unsafe extern \"C\" { safe fn close(descriptor: i32) -> i32; }\nclose(1);",
        "use std::os::fd::AsRawFd; let file = std::fs::File::create(\"/dev/null\").unwrap();\n"
        "unsafe extern \"C\" { safe fn dup2(old: i32, new: i32) -> i32; }\ndup2(file.as_raw_fd(), 1);",
        "unsafe extern \"C\" { safe fn fork() -> i32; }\nif fork() == 0 { panic!(\"in the child\") }",
        "unsafe extern \"C\" { safe fn fork() -> i32; }\nfork();",
    ],
)  # fmt: skip
def test_a_cell_comes_to_its_end_whatever_it_does_to_the_process(cell):
    session = Session()
    try:
        session.check("let kept = 7;")
        session.check(cell, seconds=120)
        assert session.check("kept + 1", seconds=120).value == "8"
    finally:
        session.close()


def test_half_a_character_stays_in_its_cell(kernel):
    kernel.check("use std::io::Write; std::io::stdout().write_all(b\"a\\xc3\").unwrap();")
    assert kernel.check('print!("\\u{e4}");').stdout == "ä"


@pytest.mark.parametrize(
    "cell",
    [
        "let big: Vec<u8> = Vec::with_capacity(1 << 46);",
        "gpu::linspace(0.0, 1.0, 1 << 40).size()",
        "gpu::host::linspace(0.0, 1.0, 1 << 42).len()",
        "gpu::ones::<f64>(1).broadcast_to(1usize << 42).to_host().len()",
        "gpu::random::permutation(1 << 42).size()",
    ],
)
def test_out_of_memory_is_an_error(kernel, cell):
    kernel.check("let kept = 7;")
    result = kernel.run(cell)
    assert not result.ok and result.error["ename"] == "Panic", result.summary()
    assert "out of memory" in result.error_text and "bytes were asked for" in result.error_text, result.error_text
    assert kernel.check("kept").value == "7"
