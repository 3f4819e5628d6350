"""`%prun`: which functions take the time of a statement or a cell, as a table and as a flame graph."""

import re
import xml.etree.ElementTree as tree

FUNCTIONS = """\
fn quick(n: u64) -> f64 {
    let mut sum = 1.0;
    for i in 0..n { sum = (i as f64 + sum).sqrt(); }
    sum
}
fn slow(n: u64) -> f64 {
    let mut sum = 2.0;
    for i in 0..3 * n {
        sum = (2.0 * sum + i as f64).sqrt();
    }
    sum
}
"""
# Iterations of these loops that take a few tenths of a second.
N = 50_000_000


def rows(text):
    """The rows of the table: share, own and total milliseconds, name, line."""
    pattern = re.compile(r"^ *([\d.]+)% +([\d.]+) +([\d.]+)  (\S.*?)(?:  +(.*))?$", re.M)
    return [(float(share), float(own), float(total), name, line) for share, own, total, name, line in pattern.findall(text)]


def names(text):
    return [row[3] for row in rows(text)]


def graph(result):
    """The titles in the flame graph, which is well-formed."""
    (shown,) = [data for data in result.displays if "image/svg+xml" in data]
    assert shown["text/plain"], "clients without pictures show a text"
    root = tree.fromstring(shown["image/svg+xml"])
    assert root.tag.endswith("svg")
    return [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]


def test_functions_are_in_the_order_of_their_times(kernel):
    kernel.check(FUNCTIONS)
    result = kernel.check(f"%%prun\nlet a = quick({N});\nlet b = slow({N});\n(a > 0.0, b > 0.0)")
    assert result.value == "(true, true)"
    table = {row[3]: row for row in rows(result.stdout)}
    assert "run_user_code" not in result.stdout and "catch_unwind" not in result.stdout, result.stdout
    assert table["slow"][0] > table["quick"][0] > 5.0, result.stdout
    assert names(result.stdout)[0] == "slow", result.stdout
    assert re.search(r"sqrt|for i in 0\.\.3 \* n \{$", table["slow"][4]), "the line of an earlier cell, as it was written"
    assert table["cell"][2] >= table["slow"][2] + table["quick"][2] - 1.0, "all of it is the cell's"
    titles = graph(result)
    assert any("slow" in title for title in titles) and any(title.startswith("cell: ") for title in titles), titles
    assert not result.stderr, result.stderr
    assert kernel.check("a > 0.0 && b > 0.0").value == "true", "variables stay"


def test_a_line_is_sampled_and_nothing_else(kernel):
    kernel.check(FUNCTIONS)
    result = kernel.check(f"let before = quick({N});\n%prun let inside = slow({N});\nlet after = quick({N});\n(before > 0.0, inside > 0.0)")
    assert "slow" in names(result.stdout) and "quick" not in names(result.stdout), result.stdout
    assert result.value == "(true, true)" and kernel.check("after > 0.0").value == "true"
    result = kernel.check(f"%prun slow({N}) > 0.0")
    assert result.value == "true" and names(result.stdout)[0] == "slow", result.summary()


def test_lines_of_the_cell_are_named(kernel):
    cell = f"%%prun\nlet mut sum = 0.0;\nfor i in 0..{4 * N}u64 {{\n    sum = (i as f64 + sum).sqrt();\n}}\nsum > 0.0"
    result = kernel.check(cell)
    (row,) = [row for row in rows(result.stdout) if row[3] == "cell"]
    assert re.match(r"[34]: (for|sum)", row[4]), result.stdout
    own = kernel.check(f"%%prun\nfn here(n: u64) -> f64 {{\n    (0..n).fold(1.0, |sum, i| (i as f64 + sum).sqrt())\n}}\nhere({4 * N}) > 0.0")
    (row, *_) = rows(own.stdout)
    assert row[3].startswith("here") and row[4].startswith("3: "), own.stdout


def test_generic_names_are_short(kernel):
    cell = "%%prun\nlet mut v: Vec<u64> = (0..3_000_000u64).map(|i| i.wrapping_mul(0x9E3779B97F4A7C15)).collect();\nv.sort();\nv.len()"
    result = kernel.check(cell)
    assert result.value == "3000000"
    for name in names(result.stdout):
        assert len(name) <= 40 and "<" not in name and "17h" not in name, result.stdout


def test_the_work_of_all_threads_counts(kernel):
    kernel.check(FUNCTIONS)
    cell = (
        "%%prun\nuse std::thread;\n"
        f"let sums: Vec<f64> = thread::scope(|s| {{\n    let all: Vec<_> = (0..3).map(|_| s.spawn(|| slow({N}))).collect();\n"
        "    all.into_iter().map(|one| one.join().unwrap()).collect()\n});\nsums.len()"
    )
    result = kernel.check(cell)
    assert result.value == "3"
    assert names(result.stdout)[0] == "slow" and any(name.startswith("threads") for name in names(result.stdout)), result.stdout


def test_the_prelude_has_names(kernel):
    cell = "%%prun\nlet a = gpu::ones::<f64>((1000, 1000));\nlet mut total = 0.0;\nfor _ in 0..300 { total += a.sin().sum(); }\ntotal > 0.0"
    result = kernel.check(cell)
    assert result.value == "true"
    assert rows(result.stdout), result.summary()


def test_a_panic_shows_what_was_sampled(kernel):
    kernel.check(FUNCTIONS + "let kept = 5;")
    result = kernel.run(f"%%prun\nlet new = slow({N});\nlet v: Vec<u8> = Vec::new();\nv[new as usize]")
    assert result.error["ename"] == "Panic", result.error_text
    assert "line 4" in result.error_text, result.error_text
    assert names(result.stdout)[0] == "slow", result.summary()
    assert graph(result)
    assert kernel.check("kept").value == "5"
    # What begins after it is not its continuation.
    again = kernel.check(f"%prun quick({2 * N}) > 0.0")
    assert "slow" not in names(again.stdout), again.stdout


def test_an_interrupt_shows_what_was_sampled(kernel):
    kernel.check(FUNCTIONS + "let kept = 6;")
    # One round, so that something is sampled before the interrupt.
    cell = f'%%prun\nlet mut sum = slow({N});\nprintln!("ready");\nloop {{\n    sum += slow({N});\n}}'
    result = kernel.run(cell, on_message=kernel.interrupt_when("ready"))
    assert result.error["ename"] == "Interrupted", result.error_text
    assert names(result.stdout)[0] == "slow", result.summary()
    assert kernel.check("kept").value == "6"


def test_an_endless_loop_is_interrupted(kernel):
    """A last expression without a value of its own is written into `format!`, where loops had no checks."""
    kernel.check('let kept = 6; let moved = String::from("m"); let mut changed = 1;')
    cell = '%%prun\nlet new = 4;\nlet mine = moved;\nchanged = 7;\nprintln!("ready {}", mine.len() + new);\nloop {}'
    result = kernel.run(cell, on_message=kernel.interrupt_when("ready"), seconds=120)
    assert result.error["ename"] == "Interrupted", result.error_text
    assert kernel.check("(kept, changed)").value == "(6, 7)"
    assert "moved" in kernel.run("moved").error_text and not kernel.run("new").ok


def test_a_crash_is_no_profile(kernel):
    kernel.check(FUNCTIONS)
    result = kernel.run(f"%%prun\nslow({N});\nstd::process::abort();")
    assert result.error["ename"] == "CellProcessDied"
    assert "%prun" in result.stderr and not result.displays, result.summary()
    assert kernel.check("1 + 1").value == "2"


def test_a_crash_after_a_profile_says_nothing_of_it(kernel):
    kernel.check(FUNCTIONS)
    result = kernel.run(f"%prun slow({N});\nstd::process::abort();")
    assert result.error["ename"] == "CellProcessDied" and names(result.stdout)[0] == "slow" and "%prun" not in result.stderr


def test_several_profiles_macros_and_profiles_within_profiles(kernel, tmp_path):
    kernel.check(FUNCTIONS + "macro_rules! twice { ($x:expr) => { let first = $x; let _second = first; } }")
    result = kernel.check(f"%prun quick({2 * N}) > 0.0;\n%prun slow({N}) > 0.0;\n%prun twice!(slow({N}));")
    tables = result.stdout.split("samples:")[1:]
    assert [names(table)[0] for table in tables] == ["quick", "slow", "slow"], result.stdout


def test_kernels_with_barriers_on_the_cpu_can_be_profiled(kernel):
    kernel.check(
        "#[kernel] fn turned(x: View<f32>, mut out: ViewMut<f32>) {\n    let mut tile = shared_array::<f32>(256);\n"
        "    let (i, start) = (thread_idx().x, block_idx().x * 256);\n    tile[i] = x[start + i];\n    sync_threads();\n"
        "    out[start + i] = tile[255 - i];\n}"
    )
    result = kernel.check(
        "%%prun\nlet x = gpu::ones::<f32>(1 << 18);\nlet mut out = gpu::zeros::<f32>(1 << 18);\n"
        "for _ in 0..20 { gpu::launch(turned, 1 << 10, 256, (&x, &mut out)); }\nout.sum()"
    )
    assert result.value == "262144.0" and rows(result.stdout), result.summary()


def test_short_and_waiting_cells_are_explained(kernel):
    short = kernel.check("%prun 1 + 1")
    assert short.value == "2" and "too short" in short.stderr and "%timeit" in short.stderr, short.summary()
    waits = kernel.check("%prun std::thread::sleep(std::time::Duration::from_millis(600));")
    assert "waiting" in waits.stderr, waits.summary()


def test_sleeps_and_signals_are_as_before(kernel):
    cell = (
        "%%prun\nuse std::time::{Duration, Instant};\n"
        "let busy = std::thread::spawn(|| { let began = Instant::now(); let mut n = 0u64; "
        "while began.elapsed() < Duration::from_millis(700) { n = std::hint::black_box(n + 1); } n });\n"
        "let began = Instant::now();\nstd::thread::sleep(Duration::from_millis(500));\nlet slept = began.elapsed();\n"
        'let said = std::process::Command::new("sh").args(["-c", "sleep 0.1; echo said"]).output().unwrap();\n'
        "busy.join().unwrap();\n(slept >= Duration::from_millis(500), String::from_utf8(said.stdout).unwrap())"
    )
    assert kernel.check(cell).value == '(true, "said\\n")'
    # The signal has its usual effect again, and no timer goes on.
    text = (
        '{ let status = std::fs::read_to_string("/proc/self/status").unwrap();\n'
        'let line = status.lines().find(|line| line.starts_with("SigCgt")).unwrap();\n'
        "u64::from_str_radix(line.split_whitespace().nth(1).unwrap(), 16).unwrap() >> 26 & 1 }"
    )
    assert kernel.check(text).value == "0", "SIGPROF has no handler after the cell"


def test_options_choose_rows_order_and_files(kernel, tmp_path):
    kernel.check(FUNCTIONS)
    result = kernel.check(f"%cd -q {tmp_path}\n%prun -l 1 -s cumulative slow({N});")
    assert names(result.stdout) == ["cell"], result.stdout
    result = kernel.check(f"%prun -l slo slow({N});")
    assert names(result.stdout) == ["slow"], result.stdout
    result = kernel.check(f"%%prun -q -T table.txt -o graph.svg\nslow({N});")
    assert not result.stdout and graph(result), result.summary()
    assert names((tmp_path / "table.txt").read_text())[0] == "slow"
    assert tree.parse(tmp_path / "graph.svg").getroot().tag.endswith("svg")
    failed = kernel.check(f"%prun -T none/table.txt slow({N});")
    assert "none/table.txt" in failed.stderr, failed.summary()


def test_ordinary_cells_are_compiled_as_before(kernel):
    kernel.check(FUNCTIONS)
    kernel.check("%prun quick(10)")
    assert kernel.run("let n = u8::MAX; n + std::hint::black_box(1)").error["ename"] == "Panic", "overflow is found"
