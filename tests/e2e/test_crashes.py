"""Cells that end or hang their process: the kernel says what happened and what was lost, and goes on."""

import re
import shutil
import signal
from pathlib import Path

import psutil
import pytest

CRASHES = {
    "exit": ("std::process::exit(3);", r"3"),
    "abort": ("std::process::abort();", r"SIGABRT|abort"),
    "null pointer": ("unsafe { std::ptr::null_mut::<i32>().write_volatile(1) };", r"SIGSEGV|segmentation|memory|null"),
    "stack overflow": (
        "fn deep(n: u64) -> u64 { let a = std::hint::black_box([n; 512]); if n == 0 { 0 } else { a[1] + deep(n + 1) } }\n"
        "deep(1)",
        r"SIGABRT|SIGSEGV|stack",
    ),
}


@pytest.mark.parametrize("crash", CRASHES, ids=str)
def test_a_crash_loses_variables_but_neither_output_nor_kernel(kernel, crash):
    code, said = CRASHES[crash]
    kernel.check("let lost = 5;")
    result = kernel.run(f'println!("a whole line"); print!("an unfinished one"); \n{code}')
    error = result.error_text
    assert result.error["ename"] == "CellProcessDied", error
    assert re.search(said, error, re.IGNORECASE), error
    assert "lost" in error, "the message says that variables were lost"
    assert result.stdout.startswith("a whole line\n"), "output before the crash was lost"
    assert kernel.check("1 + 1").value == "2"
    assert not kernel.run("lost").ok, "the variable is gone, and the kernel knows it"
    assert kernel.check("let lost = 6; lost").value == "6"


def test_unfinished_text_before_a_crash_arrives(kernel):
    code = 'use std::io::Write; print!("unfinished"); std::io::stdout().flush().unwrap(); std::process::abort();'
    assert kernel.run(code).stdout == "unfinished"


def test_imports_and_functions_survive_a_crash(kernel):
    kernel.check("use std::collections::BTreeMap; fn triple(x: i32) -> i32 { 3 * x }")
    assert not kernel.run("std::process::abort()").ok
    assert kernel.check("let map = BTreeMap::from([(1, triple(2))]); map").value == "{1: 6}"
    assert kernel.check("gpu::zeros::<f32>([2]).sum()").ok, "the prelude is there again"


def test_a_killed_cell_process_is_reported(kernel):
    pid = int(kernel.check("std::process::id()").value)

    def kill(message):
        if message.kind == "stream" and "ready" in message.content["text"]:
            psutil.Process(pid).send_signal(signal.SIGKILL)

    result = kernel.run('println!("ready"); loop { std::hint::spin_loop() }', on_message=kill, seconds=240)
    assert result.error["ename"] == "CellProcessDied"
    assert kernel.check("1 + 1").value == "2"

CLOSE = 'unsafe extern "C" { fn close(fd: i32) -> i32; fn dup2(from: i32, to: i32) -> i32; }\n'


@pytest.mark.parametrize(
    "harm",
    ["for fd in 4..64 { close(fd); }", "close(1);", "for fd in 4..64 { dup2(0, fd); }"],
)
def test_a_cell_that_closes_the_processs_descriptors_loses_nothing(fresh_kernel, harm):
    session = fresh_kernel()
    session.check("let beside = vec![7];")
    session.check(f"{CLOSE}unsafe {{ {harm} }}")
    assert session.check("beside").value == "[7]"
    assert session.check("beside.len()").value == "1"


def test_a_process_that_cannot_reach_the_kernel_ends_and_says_why(fresh_kernel):
    session = fresh_kernel()
    session.check("let beside = vec![7];")
    result = session.run(f"{CLOSE}unsafe {{ close(1); for fd in 4..64 {{ close(fd); }} }}")
    assert result.error["ename"] == "CellProcessDied" and "beside" in result.error_text, result.error_text
    assert "has closed the file descriptors" in result.stderr
    assert session.check("1 + 1").value == "2"


def test_removed_files_of_the_session_are_told_and_made_anew_by_restart(fresh_kernel, tmp_path):
    session = fresh_kernel()
    session.check("let before = 5; fn twice(x: i32) -> i32 { 2 * x }")
    listing = session.check('println!("{}", std::fs::read_link("/proc/self/fd/5").unwrap().display())').stdout
    directory = Path(listing.strip()).parent
    assert directory.name.startswith("warpcell-")
    # At once: meanwhile the compiler may write into it.
    removed = directory.rename(tmp_path / directory.name)
    shutil.rmtree(removed, ignore_errors=True)
    for _ in range(2):
        result = session.run("1 + 1")
        assert result.error["ename"] == "SessionError" and "`:restart` makes them again" in result.error_text
    session.check(":restart")
    result = session.check("twice(4)")
    assert result.value == "8" and not result.stderr
    session.check("let after = 1; let array = gpu::arange(3.0);")
    assert session.check("array.sum() + after as f64").value == "4.0"
    # The files by which it is interrupted are new ones, too.
    result = session.run('println!("runs"); loop {}', on_message=session.interrupt_when("runs"), seconds=120)
    assert result.error["ename"] == "Interrupted"
    assert session.check("after").value == "1"
    assert session.complete("after.")["matches"]


def test_a_thread_panics_while_the_cell_has_locked_standard_output_for_good(fresh_kernel):
    session = fresh_kernel()
    session.check('std::mem::forget(std::io::stdout().lock()); println!("the cell still prints");')
    result = session.check('let joined = std::thread::spawn(|| { if true { panic!("in a thread") } }).join();', seconds=120)
    assert "in a thread" in result.stderr
    result = session.run('println!("runs"); std::thread::park(); loop {}', on_message=session.interrupt_when("runs"), seconds=120)
    assert result.error["ename"] == "Interrupted"
    assert session.check("joined.is_err()").value == "true"
