"""What a cell may show is limited: a flood neither stops the kernel nor grows it, and a note says what was dropped."""

import re
import time

import psutil
import pytest


def memory(session) -> int:
    """Of the kernel process and the supervisor, in bytes; the cell process is the user's."""
    return sum(process.memory_info().rss for process in session.processes()[:2])


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_hundred_megabytes_of_text_are_cut(kernel, stream):
    kernel.check("let line = \"x\".repeat(99);")
    name = {"stdout": "println", "stderr": "eprintln"}[stream]
    code = f'for _ in 0..1_000_000 {{ {name}!("{{line}}"); }} {name}!("the very end");'
    # The first time, rust-analyzer's reading of a new cell grows the kernel too.
    kernel.run(code)
    before = memory(kernel)
    peak = before
    start = time.monotonic()

    def look(_message):
        nonlocal peak
        peak = max(peak, memory(kernel))

    result = kernel.run(code, on_message=look)
    assert result.ok and time.monotonic() - start < 30
    text = result.stdout + result.stderr
    assert 2_000_000 <= len(text) < 2_010_000
    assert text.count("[This cell has printed 2 MB: what follows is not shown.]") == 1
    note = re.search(r"\[(\d+) MB of text dropped: a cell shows 2 MB\. (.*)", text)
    assert 95 <= int(note[1]) <= 100
    assert "gpu::set_output_limit(20000000);" in note[2] and "WARPCELL_OUTPUT_LIMIT=20MB" in note[2]
    assert "x\nthe very end\n" in text[text.index("The end of the text:") :], "the end is what one wants to see"
    assert max(peak, memory(kernel)) - before < 40_000_000
    assert kernel.check('println!("next");').stdout == "next\n", "the next cell has a limit of its own"


def test_many_small_prints_are_few_messages(kernel):
    result = kernel.check('for i in 0..10_000 { println!("{i}"); }')
    assert result.stdout == "".join(f"{i}\n" for i in range(10_000))
    assert len(result.of("stream")) < 200


def test_too_many_displays_are_dropped(kernel):
    result = kernel.run('for i in 0..1500 { gpu::display(&gpu::Html(format!("<b>{i}</b>"))); } println!("end");')
    assert result.ok and len(result.displays) == 1000
    assert "500 displays of " in result.stderr and "a cell shows 1000, or 50 MB" in result.stderr
    assert result.stdout.startswith("end\n")


def test_a_display_that_is_too_large_is_dropped(kernel):
    result = kernel.run('gpu::display(&gpu::Html("x".repeat(60_000_000))); gpu::display(&1);')
    assert result.ok and result.displays == [{"text/plain": "1"}]
    assert "1 display of 60 MB dropped" in result.stderr


def test_a_value_that_is_too_long_is_cut(kernel):
    start = time.monotonic()
    result = kernel.check("vec![0u8; 100_000_000]", seconds=240)
    assert time.monotonic() - start < 20
    assert result.value.startswith("[0, 0, ") and result.value.endswith("[only the first MB of this value is shown]")
    assert len(result.value) < 1_100_000


def test_updates_are_not_limited_in_number_but_in_rate(kernel):
    start = time.monotonic()
    result = kernel.run("let h = gpu::display(&0); for i in 1..=20_000 { h.update(&i); }")
    seconds = time.monotonic() - start
    updates = result.of("update_display_data")
    assert result.ok and not result.stderr
    assert updates[-1]["data"]["text/plain"] == "20000", "the last one always arrives"
    assert len(updates) < 60 * seconds + 10, f"{len(updates)} in {seconds} s"


def test_a_live_display_by_clearing_is_not_limited_in_all(kernel):
    code = 'for i in 0..3000 { gpu::clear_output(true); println!("{}{i}", "x".repeat(1000)); }'
    result = kernel.run(code)
    assert result.ok and result.stderr == "" and result.stdout.endswith("x2999\n")
    assert len(result.of("clear_output")) < 1000


def test_the_limit_can_be_set(kernel, fresh_kernel):
    result = kernel.run('gpu::set_output_limit(1000); print!("{}", "x".repeat(5000));')
    assert result.ok and result.stdout.startswith("x" * 1000) and "4 kB of text dropped" in result.stderr
    result = kernel.run('gpu::set_output_limit(5_000_000); for _ in 0..40_000 { println!("{}", "x".repeat(99)); }')
    assert result.ok and len(result.stdout) == 4_000_000 and result.stderr == ""
    kernel.check("gpu::set_output_limit(2_000_000);")
    session = fresh_kernel(env={"WARPCELL_OUTPUT_LIMIT": "1 kB"})
    assert "4 kB of text dropped: a cell shows 1 kB" in session.run('print!("{}", "x".repeat(5000));').stderr


def test_output_of_threads_after_the_cell_is_limited_too(kernel):
    kernel.check(
        """
        let thread = std::thread::spawn(|| {
            for _ in 0..100_000 { println!("{}", "y".repeat(99)); }
        });
        """
    )
    result = kernel.run("thread.join().unwrap(); println!(\"joined\");")
    assert result.ok and result.stdout.endswith("joined\n") and psutil.pid_exists(kernel.pid)
