"""How cells are compiled: what they take from the prelude, what they compile themselves, how they are linked."""

import json
import math
import os

import psutil
import pytest

LIBRARY_OF = r"""
fn library_of(address: usize) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let holds = |line: &&str| {
        let (start, end) = line.split(' ').next().unwrap().split_once('-').unwrap();
        (usize::from_str_radix(start, 16).unwrap()..usize::from_str_radix(end, 16).unwrap()).contains(&address)
    };
    maps.lines().find(holds).unwrap().rsplit('/').next().unwrap().to_owned()
}
"""
SUM = """
{ let sum: fn(&ndarray::ArrayRef2<f64>) -> f64 = ndarray::ArrayRef2::sum; println!("{}", library_of(sum as usize)); }
"""


@pytest.fixture(scope="module")
def session(kernel):
    kernel.check(LIBRARY_OF)
    return kernel


@pytest.mark.parametrize("level", ["2", "0"])
def test_generics_of_usual_types_come_from_the_prelude(session, level):
    session.check(f":opt {level}")
    assert session.check(SUM).stdout.strip() == "libwarpcell.so"
    session.check(":opt 2")


def test_cells_that_measure_time_compile_their_own_generics(session):
    assert "libcode_" in session.check("%%time\n" + SUM).stdout


def test_a_panic_in_a_shared_generic_unwinds_into_the_cell(session):
    session.check("let kept = vec![1, 2, 3];")
    failed = session.run("Array2::<f64>::zeros((2, 2)) + &Array2::<f64>::zeros((3, 3))")
    assert failed.error["ename"] == "Panic"
    assert session.check("kept.len()").value == "3"


def test_generics_of_own_types_are_compiled_in_the_cell(session):
    session.check("#[derive(Clone, Debug, Default, PartialEq)]\nstruct Own { x: f64 }")
    session.check("let owned = Array1::from_elem(2, Own { x: 1.5 });")
    assert "1.5" in session.check("owned.map(|own| own.x)").value


def test_system_libraries_can_be_linked(session):
    result = session.check(
        '#[link(name = "m")]\nunsafe extern "C" { fn hypot(x: f64, y: f64) -> f64; }\n'
        "unsafe { hypot(3.0, 4.0) }"
    )
    assert result.value == "5.0"


def test_the_users_code_gets_no_unstable_features(session):
    result = session.run("#![feature(never_type)]\nlet f: fn() -> ! = || panic!();")
    assert not result.ok
    assert "never_type" in result.error_text


def waiting_compilers(session) -> list[psutil.Process]:
    # A process that one of them has forked for a cell may still end.
    return [process for process in psutil.Process(session.pid).children() if process.name() == "rustc"]


def test_one_compiler_serves_all_cells_and_one_finds_types(session):
    session.check("let before = 1;")
    waiting = waiting_compilers(session)
    assert len(waiting) == 2
    cells = ["fn next(x: i32) -> i32 { x + 1 }", "let after = next(before);", "after + missing", "after", "struct S;"]
    values = [session.run(cell).value for cell in cells]
    assert values == [None, None, None, "2", None]
    assert waiting_compilers(session) == waiting


def test_cells_work_together_whoever_links_them(fresh_kernel):
    session = fresh_kernel()
    session.check("use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};\nstatic COUNT: AtomicUsize = AtomicUsize::new(5);")
    session.check("let kept = vec![1, 2];")
    assert session.check("COUNT.fetch_add(1, Relaxed)").value == "5"
    # A function of the C library needs a linker, in each cell that calls it.
    session.check('unsafe extern "C" { safe fn getpagesize() -> i32; }')
    for count in ("6", "7"):
        assert session.check("getpagesize() as usize + kept.len()").value == str(os.sysconf("SC_PAGESIZE") + 2)
        assert session.check("COUNT.fetch_add(1, Relaxed)").value == count
        assert "on purpose" in session.run('panic!("on purpose")').error_text
    assert session.check("kept").value == "[1, 2]"


def test_functions_of_numbers_are_those_of_the_c_library(session):
    session.check("let x = std::hint::black_box(0.7f64);")
    code = "vec![x.exp(), x.ln(), x.powf(1.5), x.sin(), x.atan2(2.0), x.hypot(2.0), x.tanh(), x.exp_m1(), x.cbrt(), x % 0.3]"
    value = session.check(code).value
    expected = [
        math.exp(0.7), math.log(0.7), math.pow(0.7, 1.5), math.sin(0.7), math.atan2(0.7, 2.0), math.hypot(0.7, 2.0),
        math.tanh(0.7), math.expm1(0.7), math.cbrt(0.7), math.fmod(0.7, 0.3),
    ]  # fmt: skip
    assert json.loads(value) == pytest.approx(expected, rel=1e-15)
    assert float(session.check("(x as f32).exp()").value) == pytest.approx(math.exp(0.7), rel=1e-6)


def test_a_source_sees_the_users_environment(fresh_kernel):
    session = fresh_kernel(env={"LD_PRELOAD": "libm.so.6"})
    for _ in range(2):
        value = session.check('(option_env!("LD_PRELOAD"), option_env!("WARPCELL_FORK_REQUESTS"))').value
        assert value == '(Some("libm.so.6"), None)'


def test_what_the_compiler_refuses_before_the_source_it_refuses_each_time(session):
    for _ in range(2):
        assert "never_type" in session.run("#![feature(never_type)]\n1 + 1").error_text


def test_a_compiler_that_waits_and_is_killed_is_replaced(session):
    session.check("let kept = 7;")
    for compiler in waiting_compilers(session):
        compiler.kill()
    assert session.check("kept").value == "7"


@pytest.mark.parametrize(
    "definition, use, value",
    [
        ("extern crate ndarray as arrays;", "arrays::array![1, 2].len()", "2"),
        ("#[macro_export]\nmacro_rules! exported { () => { 11 } }", "crate::exported!()", "11"),
        ("macro_rules! vec { ($x:expr) => { $x + 1 } }", "vec!(1)", "2"),
        ("mod serde { pub fn own() -> u8 { 3 } }\nuse serde::own;", "own()", "3"),
        ("mod inner { #![allow(dead_code)] pub const X: u8 = 5; }", "inner::X", "5"),
        ("struct Option2;\nuse std::option::Option as Maybe;", "Maybe::Some(4).unwrap()", "4"),
    ],
)
def test_items_mean_what_they_mean_in_the_root_of_a_crate(fresh_kernel, definition, use, value):
    session = fresh_kernel()
    session.check(definition)
    assert session.check(use).value == value
    assert session.check("1 + 1").value == "2"


def test_errors_are_found_in_their_lines_by_a_compiler_that_waited(session):
    session.check("let kept = 7;")
    failed = session.run("let a = 1;\nlet b: String = kept;\na")
    assert "2 |" in failed.error_text and "String" in failed.error_text, failed.error_text


def test_items_that_a_cell_does_not_name_are_left_out_and_are_there(session):
    session.check(
        "#[derive(Debug, Clone)]\nstruct Disc { radius: f64 }\n"
        "impl Disc { fn doubled(&self) -> Disc { Disc { radius: self.radius * 2.0 } } }\n"
        "fn area(disc: &Disc) -> f64 { disc.radius * 3.0 }\n"
        "#[derive(Debug)] struct Unit;\nconst SIDE: usize = 4;\n"
    )
    assert session.check("1 + 1").value == "2"
    session.check("let disc = Disc { radius: 2.0 };")
    # The variable's type is not named here, nor is the function.
    assert session.check("SIDE * 2").value == "8"
    assert session.check("area(&disc.doubled())").value == "12.0"
    # Names in texts, and in what others name.
    assert session.check('println!("{SIDE} {Unit:?}");').stdout == "4 Unit\n"
    # A message may name what was left out.
    assert "`area`" in session.run("aera(1.0)").error_text
    assert "borrow of moved value" in session.run("let away = disc; disc.radius").error_text
    assert session.check("disc.radius").value == "2.0"


def test_items_that_were_left_out_are_looked_at_when_another_one_changes(session):
    session.check("struct Inner { x: f64 }\nfn reads(inner: &Inner) -> f64 { inner.x }")
    session.check("1 + 1")
    # Nothing in this cell names the function, which does not compile any more.
    failed = session.run("struct Inner { y: f64 }")
    assert "no field `x`" in failed.error_text
    assert session.check("reads(&Inner { x: 1.5 })").value == "1.5"
    session.check("struct Inner { x: f32 }\nfn reads(inner: &Inner) -> f64 { f64::from(inner.x) * 2.0 }")
    assert session.check("2 + 2").value == "4"
    assert session.check("reads(&Inner { x: 1.5 })").value == "3.0"
