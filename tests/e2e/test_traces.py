"""Films of launches, of cells with `%%trace`, of puzzles and of single elements, in a notebook; and what is said where they cannot be."""

import base64
import json
import re
import zlib

KERNELS = """\
#[kernel]
fn double(mut a: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.len() {
        a[i] *= 2.0;
    }
}

#[kernel]
fn beyond(mut a: ViewMut<f32>) {
    let i = global_idx().x;
    a[i + 1] = 1.0;
}

#[kernel]
fn endless(mut a: ViewMut<f32>) {
    let i = global_idx().x;
    let mut step = 0u64;
    while step < u64::MAX {
        step += 1;
        a[i] = step as f32;
    }
}

#[vectorize]
fn hypotenuse(x: f32, y: f32) -> f32 {
    let square = x * x + y * y;
    square.sqrt()
}
let mut a = gpu::ones::<f32>(64);
"""


def film(html):
    """What the player in an output plays."""
    packed = re.search(r'<script type="application/octet-stream">([^<]*)</script>', html).group(1)
    return json.loads(zlib.decompress(base64.b64decode(packed), -15))


def films(result):
    return [film(data["text/html"]) for data in result.displays if "application/octet-stream" in data.get("text/html", "")]


def html(result):
    (shown,) = result.of("execute_result")
    return shown["data"]["text/html"]


def test_a_cell_with_trace_shows_its_launches(kernel):
    kernel.check(KERNELS)
    result = kernel.check("%%trace\nlet mut b = gpu::ones::<f32>(64);\ngpu::launch(double, 2, 32, &mut b);\nb.sum()")
    (shown,) = films(result)
    assert (shown["kernel"], result.value, result.stderr) == ("double", "128.0", "")
    assert "i" in shown["texts"] and [block["index"][0] for block in shown["blocks"]] == [0, 1]
    assert kernel.check("b.sum()").value == "128.0", "its variables stay"
    assert not films(kernel.check("gpu::launch(double, 2, 32, &mut b);\nb.sum()")), "the next cell is as any other"
    # Each of its launches, up to four.
    result = kernel.check("%%trace\nfor _ in 0..6 {\n    gpu::launch_for(double, 64, &mut b);\n}")
    assert [shown["kernel"] for shown in films(result)] == ["double"] * 4
    assert "4 of 6 launches were recorded" in result.stderr
    assert kernel.check("b.sum()").value == str(64.0 * 2**8)
    assert "Nothing was launched in this cell." in kernel.check("%%trace\nb.sum()").stderr


def test_a_launch_that_fails_there_is_shown(kernel):
    kernel.check(KERNELS)
    result = kernel.run("%%trace\nlet c = 3;\ngpu::launch(beyond, 2, 32, &mut a);\nprintln!(\"never\");")
    (shown,) = films(result)
    assert shown["fault"]["kind"] == "out of bounds"
    assert "used the index 64 along axis 0 of `a`" in result.error_text and result.stdout == ""
    assert kernel.check("(c, gpu::launch(double, 2, 32, &mut a)).0").value == "3"
    assert not films(kernel.check("gpu::launch(double, 2, 32, &mut a);")), "what failed has not left anything behind"


def test_what_is_said_of_the_magic(kernel):
    assert "there is nothing to trace; write a launch below" in kernel.run("%%trace").error_text
    error = kernel.run("%%trace double").error_text
    assert "nothing may follow it on its line, but got `double`; write the statements below" in error
    assert "there is no `%trace`; write `%%trace`" in kernel.run("%trace x").error_text
    assert "must be on the first line" in kernel.run("let x = 1;\n%%trace").error_text
    assert "%%trace" in kernel.complete("%%tr")["matches"]
    assert "recorded as by gpu::launch_traced" in str(kernel.inspect("%%trace")["data"]["text/plain"])


def test_the_check_of_a_puzzle_shows_a_film(kernel):
    kernel.check(
        "#[kernel]\nfn zip(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {\n    let i = thread_idx().x;\n"
        "    let (x, y) = (a[i], b[i]);\n    out[i] = x - y;\n}"
    )
    result = kernel.check("gpu::puzzles::zip().check(zip)")
    page = html(result)
    assert page.startswith("<p>zip: not solved yet.") and "Who accesses what" in page and len(page) < 300_000
    shown = film(page)
    assert {"i", "x", "y"} <= set(shown["texts"]), "the kernel of an earlier cell tells its statements, too"
    assert shown["opens"]["element"][0] == 2 and "should be" in shown["opens"]["message"]
    kernel.check(
        "#[kernel]\nfn zip(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {\n    let i = thread_idx().x;\n"
        "    out[i] = a[i].max(b[i]);\n}"
    )
    solved = kernel.check("let report = gpu::puzzles::zip().check(zip);\nreport.clone()")
    assert "solved" in solved.value and "octet-stream" not in html(solved)
    shown = film(html(kernel.check("report.trace()")))
    assert shown["opens"] is None and shown["fault"] is None


def test_an_element_of_a_function_over_arrays(kernel):
    kernel.check(KERNELS)
    result = kernel.check("let x = gpu::arange(4.0f32);\ngpu::trace_map(hypotenuse, (&x, 4.0f32), 3)")
    assert result.value.splitlines()[0].startswith("Trace of `hypotenuse` for the element [3]: ")
    assert "It gives 5." in result.value
    shown = film(html(result))
    assert shown["element"] == "[3]" and {"square", "25", "5"} <= set(shown["texts"])
    error = kernel.run("gpu::trace_map(hypotenuse, (&x, 4.0f32), 4)").error_text
    assert "has the shape [4], and so no element [4]" in error


def test_a_kernel_that_does_not_end_is_shown_after_an_interrupt(kernel):
    kernel.check(KERNELS)
    for launch, kept in (
        ("let trace = gpu::launch_traced(endless, 1, 32, &mut a);", "one"),
        ("%%trace\ngpu::launch(endless, 1, 32, &mut a);", "two"),
    ):
        magic, code = launch.split("\n") if "\n" in launch else ("", launch)
        cell = f'let {kept} = 7;\nprintln!("begins");\n{code}'
        cell = f"{magic}\n{cell}" if magic else cell
        result = kernel.run(cell, on_message=kernel.interrupt_when("begins"))
        assert "interrupt" in result.error_text.lower(), result.summary()
        (shown,) = films(result)
        assert shown["blocks"][0]["steps"], "what was recorded is there"
        assert any("interrupted" in note for note in shown["notes"])
        assert kernel.check(f"{kept} + a.len() as i32").value == "71", "nothing is lost"


def test_a_hundred_million_threads(kernel):
    kernel.check(KERNELS)
    result = kernel.check("let trace = gpu::launch_traced(double, 100_000, 1_000, &mut a);\ntrace.recorded_blocks()", seconds=1200)
    assert result.value == "[0, 50000, 99999]"
    assert "3 of 100000 blocks were recorded" in kernel.check("trace").value
    error = kernel.run("gpu::launch_traced(double, 1, 100_000_000, &mut a);").error_text
    assert "at most 1024 threads" in error or "1024" in error, error


def test_arguments_of_the_wrong_kind(kernel):
    kernel.check(KERNELS + "fn plain(mut a: ViewMut<f32>) {\n    a[0] = 1.0;\n}\nlet whole = gpu::arange(4i32);")
    assert "write `#[kernel]`" in kernel.run("gpu::launch_traced(plain, 1, 32, &mut a);").error_text
    assert "f32" in kernel.run("gpu::launch_traced(double, 1, 32, &mut whole);").error_text
    assert "write `gpu::launch_traced(double, 1, 32, &mut a);`" in kernel.run("gpu::launch_traced(double, 1, 32, &a);").error_text
    assert "`#[vectorize]`" in kernel.run("gpu::trace_map(plain, &a, 0);").error_text
    assert "f32" in kernel.run("gpu::trace_map(hypotenuse, (&whole, 1.0f32), 0);").error_text
    assert kernel.check("a.len()").value == "64"


def test_names_that_one_may_guess(kernel):
    """`gpu::trace` is NumPy's, and `blocks` has a longer name."""
    kernel.check(KERNELS)
    chosen = "gpu::launch_traced_with(gpu::LaunchConfig::new(2, 32).trace_blocks([1]), double, &mut a)"
    for typed, written in (
        ("gpu::trace(double, 2, 32, &mut a)", "gpu::launch_traced(double, 2, 32, &mut a)"),
        ("gpu::launch_traced(double, 2, 32, &mut a).blocks([1])", chosen),
        ("gpu::launch_traced_with(gpu::LaunchConfig::new(2, 32).blocks([1]), double, &mut a)", chosen),
    ):
        assert f"write `{written}`" in kernel.run(typed).error_text, typed
        assert kernel.check(written).value.startswith("Trace of `double`, 2 blocks of 32 threads: ")


def test_a_struct_is_shown_as_a_variable(kernel):
    kernel.check(
        "#[device]\n#[derive(Clone, Copy)]\nstruct Particle { x: f32, v: f32 }\n#[kernel]\nfn moves(mut x: ViewMut<f32>) {\n"
        "    let i = thread_idx().x;\n    let mut p = Particle { x: x[i], v: 0.5 };\n    p.x += p.v;\n    x[i] = p.x;\n}\n"
        "let mut x = gpu::ones::<f32>(32);"
    )
    shown = film(html(kernel.check("gpu::launch_traced(moves, 1, 32, &mut x)")))
    assert {"p", "Particle { x: 1, v: 0.5 }", "Particle { x: 1.5, v: 0.5 }"} <= set(shown["texts"])


def test_lines_are_those_of_the_cell_that_defined_the_kernel(kernel):
    """A later cell that traces a kernel compiles it again."""
    kernel.check(
        "let before = 1;\n#[kernel]\nfn past(mut out: ViewMut<f32>) {\n    let i = thread_idx().x;\n    // past the end\n"
        "    out[i + 1] = 1.0;\n}"
    )
    kernel.check("let mut short = gpu::zeros::<f32>(2);")
    result = kernel.check("let trace = gpu::launch_traced(past, 1, 2, &mut short); println!(\"{trace:?}\");")
    assert "In line 6, thread (1, 0, 0)" in result.stdout, result.stdout
