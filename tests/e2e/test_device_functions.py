"""`#[device]` functions and structs, `fuse!`, tuples, and results in arrays that are there: in a notebook, cell after cell."""

import pytest

from e2e.test_dependencies import dep, write_crate

DISTANCE = """#[vectorize]
fn distance(x: f32, y: f32) -> f32 {
    let point = moved(Point { x, y });
    (point.x * point.x + point.y * point.y).sqrt() * SCALE
}"""
POINT = """#[device]
#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}"""
MOVED = """#[device]
fn moved(point: Point) -> Point {
    Point { x: point.x + ORIGIN.x, ..point }
}"""
HELPERS = (POINT, "const ORIGIN: Point = Point { x: 1.0, y: 0.0 };", "const SCALE: f32 = 2.0;", MOVED)


def elements(kernel, array: str) -> str:
    return kernel.check(f"{array}.to_host().into_raw_vec_and_offset().0").value


def distances(kernel) -> str:
    return elements(kernel, "gpu::map(distance, (&gpu::array(&[2.0f32, -1.0]), &gpu::array(&[4.0f32, 3.0])))")


def test_what_a_function_leads_to_may_be_redefined(kernel):
    for cell in (*HELPERS, DISTANCE):
        kernel.check(cell)
    assert distances(kernel) == "[10.0, 6.0]"
    kernel.check("const SCALE: f32 = 1.0;")
    assert distances(kernel) == "[5.0, 3.0]", "a constant"
    kernel.check("const ORIGIN: Point = Point { x: -2.0, y: 0.0 };")
    assert distances(kernel).startswith("[4.0, "), "a constant of a struct"
    kernel.check(MOVED.replace("..point }", "y: 0.0 }"))
    assert distances(kernel) == "[0.0, 3.0]", "a function"
    error = kernel.run(POINT.replace("y: f32,", "y: f32,\n    z: f32,")).error_text
    assert "missing field `z`" in error, error
    assert distances(kernel) == "[0.0, 3.0]", "the struct as it was"


def test_a_constant_of_a_registered_struct_is_a_value(kernel):
    kernel.check(POINT)
    kernel.check("1 + 1")
    kernel.check("const FAR: Point = Point { x: 100.0, y: 0.0 };")
    kernel.check("#[vectorize] fn to_far(x: f32) -> f32 { FAR.x - x }")
    assert elements(kernel, "gpu::map(to_far, &gpu::array(&[1.0f32]))") == "[99.0]"


def test_a_struct_needs_to_be_copied(kernel):
    error = kernel.run("#[device]\nstruct Point {\n    x: f32,\n}").error_text
    assert "Copy" in error and "derive_clone_copy" in error and "Point" in error, error


def test_results_may_be_a_tuple(kernel):
    kernel.check("#[vectorize] fn polar(x: f64, y: f64) -> (f64, bool) { ((x * x + y * y).sqrt(), y < 0.0) }")
    kernel.check("let (radius, below) = gpu::map(polar, (&gpu::array(&[3.0, 5.0]), -4.0));")
    assert elements(kernel, "radius") == f"[5.0, {41 ** 0.5}]"
    assert elements(kernel, "below") == "[true, true]"
    kernel.check("let both = gpu::map_host(polar, (&array![3.0], &array![4.0]));")
    assert kernel.check("(both.0[0], both.1[0])").value == "(5.0, false)"


def test_results_go_into_an_array_that_is_there(kernel):
    kernel.check("#[vectorize] fn half(x: f32) -> f32 { x / 2.0 }")
    kernel.check("let mut a = gpu::array(&[2.0f32, 4.0]); let same = a.clone();")
    kernel.check("gpu::map_into(half, &same, &mut a);")
    assert elements(kernel, "a") == "[1.0, 2.0]"
    error = kernel.run("gpu::map_into(half, &same, &mut gpu::zeros::<f32>(3));").error_text
    assert "map_into" in error and "[3]" in error and "[2]" in error, error
    error = kernel.run("gpu::map_into(half, &same, &mut gpu::zeros::<f64>(2));").error_text
    assert "f64" in error and "f32" in error, error
    assert elements(kernel, "a") == "[1.0, 2.0]"


def test_host_arrays_go_to_the_device_and_back_or_stay(kernel):
    kernel.check("#[vectorize] fn add(x: i64, y: i64) -> i64 { x + y }")
    kernel.check("let column = array![[1], [2]]; let sums = gpu::map_host(add, (&column, &array![10, 20]));")
    assert kernel.check("sums.shape().to_vec()").value == "[2, 2]"
    kernel.check("let on_host = gpu::host::map(add, (&column, 1));")
    assert kernel.check("on_host.into_raw_vec_and_offset().0").value == "[2, 3]"
    error = kernel.run("gpu::map_host(add, (&gpu::arange(3i64), 1))").error_text
    assert "gpu::map" in error, error


def test_a_formula_captures_numbers_and_keeps_them(kernel):
    kernel.check("#[device] fn twice(x: f32) -> f32 { 2.0 * x }")
    kernel.check("let mut scale = 10.0f32; let shift = 3usize;")
    kernel.check("let g = fuse!(|x: f32, y: f32| twice(x - y) * scale + shift as f32);")
    kernel.check("let arrays = (gpu::array(&[2.0f32, 3.0]), gpu::array(&[1.0f32, 1.0]));")
    assert elements(kernel, "gpu::map(g, (&arrays.0, &arrays.1))") == "[23.0, 43.0]"
    kernel.check("scale = 0.0;")
    assert elements(kernel, "gpu::map(g, (&arrays.0, &arrays.1))") == "[23.0, 43.0]", "by value"
    assert kernel.check("g").value == "fuse!(|x: f32, y: f32| twice(x - y) * scale + shift as f32)"
    kernel.check("let total = fuse!(|x: f32| sum(x * x));")
    assert kernel.check("gpu::map(total, &arrays.0).item()").value == "13.0"
    kernel.check("let least = gpu::map_reduce(g, gpu::reduction::Min, (&arrays.0, 1.0));")
    assert kernel.check("least.item()").value == "23.0"


ERRORS = [
    ("fn plain(x: f32) -> f32 { x }", "#[vectorize]\nfn f(x: f32) -> f32 {\n    plain(x)\n}", "plain(x)", "write `#[device]`"),
    ("fn plain(x: f32) -> f32 { x }", "let g = fuse!(|x: f32| plain(x));", "plain(x)", "write `#[device]`"),
    ("", '#[vectorize]\nfn f(x: f32) -> f32 {\n    println!("{x}");\n    x\n}', "println", "println"),
    ("", "#[device]\nfn f(x: f32) -> f32 {\n    let v = vec![x];\n    v[0]\n}", "vec", "vec"),
    ("let a = gpu::arange(3.0);", "let g = fuse!(|x: f64| x + a);", "a", "captures numbers"),
    ("", "let g = fuse!(|x, y: f64| x + y);", "x", "write the type of the parameter"),
    ("", "#[vectorize]\nfn f(n: i32) -> i32 {\n    if n < 1 { 0 } else { f(n - 1) }\n}", "f(n - 1)", "itself"),
]


def test_what_a_formula_gives_needs_no_type(kernel):
    kernel.check("let doubled = fuse!(|x: f32| x * 2.0); let total = fuse!(|x: f32| sum(x)); let a = gpu::arange(3.0f32);")
    kernel.check("let result = gpu::map(doubled, &a); let sum = gpu::map(&total, &a);")
    kernel.check("let on_host = gpu::map_host(doubled, &a.to_host());")
    assert elements(kernel, "result") == "[0.0, 2.0, 4.0]"
    assert kernel.check("(sum.item(), on_host.sum())").value == "(3.0, 6.0)"


@pytest.mark.parametrize(("before", "cell", "place", "advice"), ERRORS)
def test_what_cannot_be_translated_is_an_error_at_its_place(kernel, before, cell, place, advice):
    if before:
        kernel.check(before)
    error = kernel.run(cell).error_text
    assert advice in error, error
    line = next(line for line in cell.split("\n") if place in line)
    assert line.strip() in error, f"the line is not shown: {error}"


@pytest.fixture(scope="module")
def foreign(kernel, tmp_path_factory):
    """A crate of the notebook, which knows nothing of devices."""
    crate = write_crate(tmp_path_factory.mktemp("crates"), "foreign", "pub fn twice(x: f32) -> f32 { 2.0 * x }\n")
    kernel.check(dep(crate), seconds=1200)
    return kernel


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("#[vectorize]\nfn f(x: f32) -> f32 {\n    foreign::twice(x)\n}", "foreign::twice"),
        ("use foreign::twice;\n#[vectorize]\nfn f(x: f32) -> f32 {\n    twice(x) + 1.0\n}", "twice"),
        ("#[device]\nfn f(x: f32) -> f32 {\n    foreign::twice(x)\n}", "foreign::twice"),
        ("#[kernel]\nfn f(mut out: ViewMut<f32>) {\n    out[0] = foreign::twice(1.0);\n}", "foreign::twice"),
        ("let f = fuse!(|x: f32| foreign::twice(x));", "foreign::twice"),
    ],
    ids=["vectorize", "use", "device", "kernel", "fuse"],
)
def test_a_function_of_another_crate_is_an_error_of_the_cell_that_calls_it(foreign, cell, name):
    error = foreign.run(cell).error_text
    assert f"`{name}` can be called only on the host" in error or f"`foreign::{name}` can be called only on the host" in error, error
    assert "`#[device]` before `fn twice`" in error and "E0573" not in error and "not a type" not in error, error
    line = next(line for line in cell.split("\n") if "twice(" in line)
    assert line.strip() in error, error


def test_functions_of_earlier_cells_and_of_modules_are_called(kernel):
    kernel.check("#[device]\nfn of_an_earlier_cell(x: f32) -> f32 { x + 1.0 }")
    kernel.check("mod own { use warpcell::prelude::*; #[device] pub fn inner(x: f32) -> f32 { 3.0 * x } }")
    kernel.check("#[vectorize]\nfn calls_both(x: f32) -> f32 { own::inner(of_an_earlier_cell(x)) }")
    kernel.check("use own::inner; let formula = fuse!(|x: f32| calls_both(x) - inner(of_an_earlier_cell(x)));")
    assert elements(kernel, "gpu::map(calls_both, &gpu::arange(3.0f32))") == "[3.0, 6.0, 9.0]"
    assert elements(kernel, "gpu::map(formula, &gpu::arange(3.0f32))") == "[0.0, 0.0, 0.0]"
    error = kernel.run("#[vectorize]\nfn g(x: f32) -> f32 {\n    not_there(x)\n}").error_text
    assert error.count("not_there(x)") == 1 and "cannot find type" not in error, error


def test_floats_of_16_bits(kernel):
    kernel.check("let x = gpu::array(&[1.0f32, -2.5, 70000.0]).astype::<f16>();")
    kernel.check("#[vectorize]\nfn halve(x: f16, by: f16) -> f16 { if x < f16::ZERO { -x } else { x * by } }")
    assert elements(kernel, "gpu::map(halve, (&x, f16::from_f32(0.5))).astype::<f32>()") == "[0.5, 2.5, inf]"
    kernel.check("#[kernel]\nfn add(a: View<f16>, mut out: ViewMut<bf16>) {\n    let i = global_idx().x;\n"
                 "    if i < a.len() { out[i] += bf16::from_f32(a[i].to_f32()); }\n}")
    kernel.check("let mut out = gpu::ones::<bf16>(3); gpu::launch(add, 1, 3, (&x, &mut out));")
    assert elements(kernel, "out.astype::<f32>()") == "[2.0, -1.5, inf]"
    error = kernel.run("#[vectorize]\nfn root(x: f16) -> f16 {\n    x.sqrt()\n}").error_text
    assert "`f16::from_f32(x.to_f32().sqrt())`" in error, error


def test_complex_numbers(kernel):
    kernel.check("""#[vectorize]
fn mandelbrot(c: Complex<f64>, most: i32) -> i32 {
    let mut z = Complex::new(0.0, 0.0);
    for i in 0..most {
        if z.norm() > 2.0 {
            return i;
        }
        z = z * z + c;
    }
    most
}""")
    kernel.check("let x = gpu::array(&[0.0, 0.25, 2.0]); let c = gpu::map(fuse!(|x: f64| Complex::new(x, 1.0 - x)), &x);")
    assert elements(kernel, "gpu::map(mandelbrot, (&c, 30))") == "[30, 5, 1]"
    assert elements(kernel, "gpu::map(fuse!(|z: Complex<f64>| 2.0 * z.conj() + Complex::I), &c).imag()") == "[-1.0, -0.5, 3.0]"
    kernel.check("#[kernel]\nfn turn(z: View<Complex32>, by: Complex<f32>, mut out: ViewMut<Complex<f32>>) {\n"
                 "    let i = global_idx().x;\n    if i < out.len() { out[i] = z[i] * by; out[i].re += 1.0; }\n}")
    kernel.check("let z = c.astype::<Complex<f32>>(); let mut out = gpu::zeros::<Complex<f32>>(3);")
    kernel.check("gpu::launch_for(turn, 3, (&z, Complex::new(0.0, 1.0), &mut out));")
    assert elements(kernel, "out.real()") == "[0.0, 0.25, 2.0]"
    kernel.check("const SHIFT: Complex<f64> = Complex::new(1.0, 0.5);\n#[device]\nfn shifted(x: f64) -> Complex<f64> { SHIFT * x }")
    kernel.check("let w = Complex::new(0.0, 2.0);")
    assert elements(kernel, "gpu::map(fuse!(|x: f64| (w * (shifted(x) * 2.0)).norm_sqr()), &x)") == "[0.0, 1.25, 80.0]"
    error = kernel.run("#[vectorize]\nfn root(z: Complex<f64>) -> f64 {\n    z.abs()\n}").error_text
    assert "norm" in error, error


def test_structs_are_arguments_of_kernels(kernel):
    kernel.check("#[device]\n#[derive(Clone, Copy, Debug)]\nstruct Physics {\n    dt: f32,\n    gravity: [f32; 2],\n}")
    kernel.check("#[kernel]\nfn fall(p: Physics, mut v: ViewMut<f32>) {\n    let i = global_idx().x;\n"
                 "    if i < v.len() { v[i] += p.dt * p.gravity[i % 2]; }\n}")
    kernel.check("let physics = Physics { dt: 0.5, gravity: [0.0, -10.0] }; let mut v = gpu::zeros::<f32>(4);")
    kernel.check("gpu::launch_for(fall, 4, (physics, &mut v));")
    kernel.check("gpu::launch_for(fall, 4, (Physics { dt: 1.0, ..physics }, &mut v));")
    assert elements(kernel, "v") == "[0.0, -15.0, 0.0, -15.0]"
    # Defined anew with another field, in another cell than the kernel.
    kernel.check("#[device]\n#[derive(Clone, Copy, Debug)]\nstruct Physics {\n    drag: u8,\n    dt: f32,\n    gravity: [f32; 2],\n}")
    kernel.check("gpu::launch_for(fall, 4, (Physics { drag: 1, dt: -0.5, gravity: [2.0, -10.0] }, &mut v));")
    assert elements(kernel, "v") == "[-1.0, -10.0, -1.0, -10.0]"
    kernel.check("#[derive(Clone, Copy)]\nstruct Plain {\n    x: f32,\n}")
    error = kernel.run("#[kernel]\nfn f(p: Plain, mut out: ViewMut<f32>) {\n    out[0] = p.x;\n}").error_text
    assert "`#[device]`" in error and "p: Plain" in error, error
    error = kernel.run("type Real = f32;\n#[kernel]\nfn g(by: Real, mut out: ViewMut<f32>) {\n    out[0] = by;\n}").error_text
    assert "write the scalar's own name" in error, error


def test_structs_are_arguments_of_functions_over_arrays(kernel):
    kernel.check("#[device]\n#[derive(Clone, Copy, Debug)]\nstruct Line {\n    slope: f64,\n    offset: f64,\n}")
    kernel.check("#[vectorize]\nfn on_line(x: f64, line: Line) -> f64 {\n    line.slope * x + line.offset\n}")
    kernel.check("let x = gpu::arange(3.0); let line = Line { slope: 2.0, offset: 1.0 };")
    assert elements(kernel, "gpu::map(on_line, (&x, line))") == "[1.0, 3.0, 5.0]"
    assert kernel.check("gpu::map_host(on_line, (&[1.0, 4.0], line))[1]").value == "9.0"
    # Defined anew with another field, in another cell than the function.
    kernel.check("#[device]\n#[derive(Clone, Copy, Debug)]\nstruct Line {\n    slope: f64,\n    name: u8,\n    offset: f64,\n}")
    kernel.check("let line = Line { slope: -1.0, name: 7, offset: 10.0 };")
    assert elements(kernel, "gpu::map(on_line, (&x, line))") == "[10.0, 9.0, 8.0]"
    error = kernel.run("gpu::map(on_line, (&x, 2.0))").error_text
    assert "Line" in error and "f64" in error or "float" in error, error
    error = kernel.run("#[derive(Clone, Copy)]\nstruct Point {\n    x: f64,\n}\n#[vectorize]\nfn f(x: f64, p: Point) -> f64 {\n    x + p.x\n}").error_text
    assert "`#[device]`" in error and "p: Point" in error, error
    error = kernel.run("type Real = f64;\n#[vectorize]\nfn g(x: Real) -> f64 {\n    x\n}").error_text
    assert "write the scalar's own name" in error, error


def test_wrong_arguments_say_which(kernel):
    kernel.check("#[vectorize] fn add(x: f32, y: f32) -> f32 { x + y }")
    kernel.check("let a = gpu::ones::<f32>(3);")
    error = kernel.run("gpu::map(add, &a)").error_text
    assert "one argument for each" in error, error
    error = kernel.run("gpu::map(add, (&a, &a, &a))").error_text
    assert "one argument for each" in error, error
    error = kernel.run("gpu::map(add, (&a, &gpu::ones::<f32>(4)))").error_text
    assert "[3]" in error and "[4]" in error and "broadcast" in error, error


def test_a_division_by_zero_is_an_error_of_the_cell(kernel):
    kernel.check("#[vectorize]\nfn divide(x: i32, y: i32) -> i32 {\n    x / y\n}")
    kernel.check("let kept = 5; let many = gpu::arange(100_000);")
    error = kernel.run("gpu::map(divide, (1, &many)).to_host()").error_text
    assert "divi" in error and "zero" in error, error
    assert kernel.check("kept").value == "5"
    assert elements(kernel, "gpu::map(divide, (8, &gpu::array(&[2, 4])))") == "[4, 2]"


LOOPS = [
    "#[vectorize]\nfn forever(x: i64) -> i64 {\n    let mut n = x;\n    while n >= 0 {\n        n = (n + 1) % 1000;\n    }\n    n\n}",
    "let forever = fuse!(|x: i64| { let mut n = x; loop { n = (n * 3 + 1) % 1000; if n < 0 { break; } } n });",
]


@pytest.mark.parametrize("cell", LOOPS)
def test_an_endless_loop_is_interrupted_and_variables_live(kernel, cell):
    kernel.check("let kept = 5; let n = gpu::arange(10_000i64);")
    kernel.check(cell)
    result = kernel.run(
        'println!("begun"); gpu::map(forever, &n).sum()', on_message=kernel.interrupt_when("begun"), seconds=240
    )
    assert result.error["ename"] == "Interrupted", result.error_text
    assert kernel.check("kept").value == "5"
    assert kernel.check("n.sum()").value == str(10_000 * 9_999 // 2)
