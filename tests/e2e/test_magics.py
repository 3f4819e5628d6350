"""Magics as a user types them: what they print and what they leave behind."""

import re

import pytest

UNIT = r"(?:ns|μs|ms|s)"
# IPython's: 999.7 ns in three digits is "1e+03 ns".
TIME = rf"\d[\d.]*(?:e[+-]\d+)? {UNIT}"
TIMEIT_LINE = re.compile(
    rf"^(?:\w+ time: +)?{TIME} ± {TIME} per loop "
    r"\(mean ± std\. dev\. of (\d+) runs?, ([\d,]+) loops? each\)$",
    re.MULTILINE,
)


def test_timeit_prints_ipythons_line(kernel):
    result = kernel.check("%timeit (0..1000u64).map(std::hint::black_box).sum::<u64>()")
    match = TIMEIT_LINE.search(result.stdout)
    assert match and match.group(1) == "7", result.stdout
    assert int(match.group(2).replace(",", "")) >= 1000
    assert result.value is None


def test_timeit_takes_counts(kernel):
    result = kernel.check("let mut calls = 0;\n%timeit -n 3 -r 2 calls += 1")
    assert "of 2 runs, 3 loops each" in result.stdout
    assert kernel.check("%timeit -n1 -r1 1 + 1").stdout.strip().endswith("(mean ± std. dev. of 1 run, 1 loop each)")
    assert int(kernel.check("calls").value) >= 6


def test_timeit_sees_the_variables_of_the_notebook(kernel):
    kernel.check("let table = vec![1.0f64; 1000];")
    assert TIMEIT_LINE.search(kernel.check("%timeit -n 10 table.iter().sum::<f64>()").stdout)


def test_timeit_can_be_quiet_and_keep_its_result(kernel):
    result = kernel.check("%timeit -q -n 10 -r 3 -v measured std::hint::black_box(1) + 1")
    assert result.stdout == ""
    assert kernel.check("measured.loops == 10 && measured.repeat == 3 && measured.best <= measured.worst").value == "true"
    assert kernel.check("%timeit -q -o -n 1 -r 1 1 + 1").value


def test_timeit_of_a_cell_does_not_time_its_first_line(kernel):
    code = "%%timeit -n 2 -r 2 let pause = std::time::Duration::from_millis(300); std::thread::sleep(pause);\n" \
        "std::hint::black_box(1 + 1)"
    result = kernel.check(code)
    assert "of 2 runs, 2 loops each" in result.stdout
    assert "ms" not in result.stdout.split("±")[0], "the set-up was timed"


def test_timeit_says_when_the_slowest_run_was_far_slower(kernel):
    code = """
    let mut first = true;
    %timeit -n 1 -r 5 if std::mem::take(&mut first) { std::thread::sleep(std::time::Duration::from_millis(50)) }
    """
    result = kernel.check(code)
    assert "The slowest run took" in result.stdout and "longer than the fastest" in result.stdout


def test_timeit_waits_for_the_device(kernel):
    kernel.check("let a = gpu::ones::<f32>((512, 512));")
    assert TIMEIT_LINE.search(kernel.check("%timeit -n 5 &a + &a").stdout)


def test_time_prints_cpu_and_wall_times_and_keeps_variables(kernel):
    result = kernel.check("%time let timed = 5;")
    assert re.search(rf"^CPU times: user {TIME}, sys: {TIME}, total: {TIME}$", result.stdout, re.MULTILINE)
    assert re.search(rf"^Wall time: {TIME}$", result.stdout, re.MULTILINE)
    assert kernel.check("timed").value == "5"




def test_time_of_a_cell(kernel):
    result = kernel.check("%%time\nlet inside = 20;\ninside + 1")
    assert "Wall time:" in result.stdout and result.value == "21"


def test_gpusync(kernel):
    assert re.search(TIME, kernel.check("%gpusync").stdout)
    result = kernel.check("%%gpusync\nlet b = gpu::ones::<f32>((64, 64));\nlet c = &b + &b;")
    assert "host" in result.stdout.lower() and "device" in result.stdout.lower()
    assert kernel.check("c.sum()").value.startswith("8192")
    try:
        assert kernel.check("%gpusync off").ok
    finally:
        assert kernel.check("%gpusync on").ok


def test_lsmagic_lists_them_all(kernel):
    listed = kernel.check("%lsmagic").stdout
    for form in ("%timeit", "%%timeit", "%time", "%%time", "%gpusync", "%%gpusync", "%lsmagic"):
        assert re.search(rf"^ *{form} ", listed, re.MULTILINE), form


def test_the_comment_spelling_works(kernel):
    assert "%timeit" in kernel.check("//%lsmagic").stdout


def test_percent_signs_elsewhere_are_rust(kernel):
    assert kernel.check("17\n % 5").value == "2"
    assert kernel.check('"\n%timeit 1\n".len()').value == "11"
    assert kernel.check("// %nosuchmagic\n1").value == "1"


@pytest.mark.parametrize("code", ["%timeit -n x 1", "%timeit", "%gpusync maybe", "%lsmagic all"])
def test_wrong_use_says_what_is_wrong(kernel, code):
    result = kernel.run(code)
    assert result.error["ename"] == "UsageError" and code.split()[0] in result.error_text
    assert result.stdout == ""


def test_an_error_below_a_magic_names_the_right_line(kernel):
    result = kernel.run('let a = 1;\n%time let b = 2;\nlet c: i32 = "three";')
    assert '"three"' in result.error_text and "mismatched types" in result.error_text
