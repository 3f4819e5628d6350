"""`#[kernel]` functions in a notebook: launched, defined anew, wrong, and interrupted, cell after cell."""

import pytest

SCALE = """#[kernel]
fn scale(a: View<f32>, by: f32, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < out.len() {
        out[i] = by * factor(a[i]);
    }
}"""
FACTOR = "#[device]\nfn factor(x: f32) -> f32 {\n    x + 1.0\n}"
ARRAYS = "let a = gpu::arange(100.0f32); let mut out = gpu::zeros::<f32>(100);"


def elements(kernel, array: str) -> str:
    return kernel.check(f"{array}.to_host().into_raw_vec_and_offset().0").value


def test_kernels_are_launched_and_defined_anew(kernel):
    kernel.check(FACTOR)
    kernel.check(SCALE)
    kernel.check(ARRAYS)
    kernel.check("gpu::launch(scale, 4, 32, (&a, 2.0, &mut out));")
    assert kernel.check("out.get(&[99])").value == "200.0"
    kernel.check("gpu::launch_for(scale, 100, (&a, 0.5, &mut out));")
    assert kernel.check("out.get(&[99])").value == "50.0"
    kernel.check(FACTOR.replace("+ 1.0", "- 1.0"))
    kernel.check("gpu::launch_for(scale, 100, (&a, 1.0, &mut out));")
    assert kernel.check("out.get(&[99])").value == "98.0", "the function that it calls"
    kernel.check(SCALE.replace("by *", "by * 10.0 *"))
    kernel.check("gpu::launch_for(scale, 100, (&a, 1.0, &mut out));")
    assert kernel.check("out.get(&[99])").value == "980.0", "the kernel"


def test_threads_meet_in_shared_memory(kernel):
    kernel.check(
        """#[kernel]
        fn sum(a: View<i32>, out: ViewMut<i32>) {
            let mut room = shared_array::<i32>(64);
            let t = gpu::thread_idx().x;
            room[t] = a[gpu::global_idx().x];
            sync_threads();
            let mut half = 32;
            while half > 0 {
                if t < half {
                    room[t] += room[t + half];
                }
                sync_threads();
                half /= 2;
            }
            if t == 0 {
                out.atomic_add(0, room[0]);
            }
        }"""
    )
    kernel.check("let a = gpu::arange(640i32); let mut total = gpu::zeros::<i32>(1);")
    kernel.check("gpu::launch(sum, 10, 64, (&a, &mut total));")
    assert kernel.check("total.item()").value == str(640 * 639 // 2)
    assert "__shared__" in kernel.check("gpu::cuda_source(sum).to_string()").value


OUT_OF_BOUNDS = """#[kernel]
fn shifted(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;

    // One too far.
    out[i] = a[i + 1];
}"""


def test_an_index_out_of_bounds_names_the_line_of_the_cell(kernel):
    kernel.check(ARRAYS + " let kept = 5;")
    kernel.check(OUT_OF_BOUNDS)
    error = kernel.run("gpu::launch(shifted, 1, 100, (&a, &mut out)); out.sum()").error_text
    for part in ("`shifted` failed in line 6", "thread (99, 0, 0) of block (0, 0, 0)", "the index 100", "`a`", "length 100"):
        assert part in error, f"{part} is not in {error}"
    assert kernel.check("kept").value == "5"
    kernel.check("gpu::launch(shifted, 1, 99, (&a, &mut out));")
    assert kernel.check("out.get(&[98])").value == "99.0"


def test_a_line_of_a_function_of_an_earlier_cell(kernel):
    kernel.check("// Its second line is the function's first.\n#[device]\nfn behind(a: View<f32>) -> f32 {\n    let n = a.len();\n    a[n]\n}")
    kernel.check(ARRAYS)
    kernel.check("#[kernel]\nfn last(a: View<f32>, mut out: ViewMut<f32>) {\n    out[0] = behind(a);\n}")
    error = kernel.run("gpu::launch(last, 1, 1, (&a, &mut out)); out.sum()").error_text
    assert "the function `behind` failed in line 5" in error, error


RACE = """#[kernel]
fn racing_total(a: View<i32>, mut out: ViewMut<i32>) {
    out[0] += a[thread_idx().x];
}"""


def test_a_race_is_reported_with_both_threads(kernel):
    kernel.check(RACE)
    kernel.check("let a = gpu::ones::<i32>(32).to_device(gpu::Device::Cpu);")
    kernel.check("let mut out = gpu::zeros::<i32>(1).to_device(gpu::Device::Cpu);")
    error = kernel.run("gpu::launch_checked(racing_total, 1, 32, (&a, &mut out));").error_text
    for part in ("two threads race for `out[0]`", "thread (0, 0, 0)", "thread (1, 0, 0)", "line 3", "atomic_add"):
        assert part in error, f"{part} is not in {error}"
    kernel.check("gpu::launch_checked(racing_total, 1, 1, (&a, &mut out));")


ENDLESS = [
    "#[kernel]\nfn forever(mut out: ViewMut<i64>) {\n    let mut n = global_idx().x as i64;\n"
    "    while n >= 0 {\n        n = (n + 1) % 1000;\n    }\n    out[0] = n;\n}",
    "#[kernel]\nfn forever(mut out: ViewMut<i64>) {\n    let mut n = 0i64;\n"
    "    loop {\n        sync_threads();\n        n = (n + 1) % 1000;\n        if n < 0 {\n            break;\n        }\n    }\n    out[0] = n;\n}",
]


@pytest.mark.parametrize("cell", ENDLESS)
def test_an_endless_kernel_is_interrupted_and_variables_live(kernel, cell):
    kernel.check("let mut out = gpu::zeros::<i64>(1); let kept = 5;")
    kernel.check(cell)
    result = kernel.run(
        'println!("begun"); gpu::launch(forever, 4, 64, &mut out); gpu::synchronize();',
        on_message=kernel.interrupt_when("begun"),
        seconds=240,
    )
    assert result.error["ename"] == "Interrupted", result.error_text
    assert kernel.check("kept").value == "5"
    assert kernel.check("out.shape().to_vec()").value == "[1]"


ERRORS = [
    ("#[kernel]\nfn f(a: &[f32]) {\n}", "&[f32]", "write `View<f32>`"),
    ("#[kernel]\nfn f(mut out: ViewMut<f32>) -> f32 {\n    1.0\n}", "-> f32", "cannot return a value"),
    ("#[kernel]\nfn f(mut out: ViewMut<f32>) {\n    let v = vec![1.0f32];\n    out[0] = v[0];\n}", "vec", "vec"),
    ("fn plain(x: f32) -> f32 { x }\n#[kernel]\nfn f(mut out: ViewMut<f32>) {\n    out[0] = plain(1.0);\n}", "plain(1.0)", "write `#[device]`"),
    ("#[vectorize]\nfn f(x: f32) -> f32 {\n    x + thread_idx().x as f32\n}", "thread_idx", "kernel"),
]


@pytest.mark.parametrize(("cell", "place", "advice"), ERRORS)
def test_what_cannot_be_a_kernel_is_an_error_at_its_place(kernel, cell, place, advice):
    error = kernel.run(cell).error_text
    assert advice in error, error
    line = next(line for line in cell.split("\n") if place in line)
    assert line.strip() in error, f"the line is not shown: {error}"


def test_wrong_launches_say_what_is_wrong(kernel):
    kernel.check(FACTOR)
    kernel.check(SCALE)
    kernel.check(ARRAYS + " let d = gpu::zeros::<f64>(100);")
    error = kernel.run("gpu::launch(scale, 1, 100, (&a, 2.0, &out));").error_text
    assert "this parameter of the kernel is `" in error and "ViewMut<f32>" in error, error
    error = kernel.run("gpu::launch(scale, 1, 100, (&d, 2.0, &mut out));").error_text
    assert "View<f32>" in error and "f64" in error, error
    error = kernel.run("gpu::launch(scale, 1, 100, (&a, &mut out));").error_text
    assert "one argument for each parameter" in error, error
    error = kernel.run("gpu::launch(factor, 1, 100, (&a, &mut out));").error_text
    assert "cannot be launched" in error, error
    error = kernel.run("gpu::launch(scale, 1, 2000, (&a, 2.0, &mut out));").error_text
    assert "2000 threads" in error and "1024" in error, error
    error = kernel.run("gpu::launch(scale, 0, 32, (&a, 2.0, &mut out));").error_text
    assert "0 × 1 × 1" in error, error
