"""Interrupting a cell: while it runs, while it compiles, and when nothing runs."""

import os
import time

import pytest

ENDLESS = {
    "a loop": "loop { n = std::hint::black_box(n.wrapping_add(1)); }",
    "a loop on one line with others": "for _ in 0..3 { n += 1; } while n > 0 { n = std::hint::black_box(n | 1); }",
    "a loop that continues": "loop { if n < u64::MAX { continue; } n += 1; }",
    "a loop in a value": "println!(\"{}\", { loop { if n == u64::MAX { break n; } n = std::hint::black_box(n | 1); } });",
    "a sleep": "std::thread::sleep(std::time::Duration::from_secs(600)); n += 1;",
    "a function": "spin(&mut n);",
    "a cell that has moved a variable": "let mine = spare; loop { std::hint::black_box(&mine); }",
    "recursion": "n += fib(80);",
    "recursion by way of others": "n += even(80) as u64;",
    "recursion of a method": "n += Tree { n }.grown(80);",
    "an iterator without an end": "std::iter::repeat(1).for_each(|x| { std::hint::black_box(x); }); n += 1;",
    "an iterator without an end and without a closure": "n += (0u64..).map(|x| std::hint::black_box(x) & 1).max().unwrap();",
    "an iterator in a variable": "{ let it = std::iter::successors(Some(1u64), |x| Some(x ^ 1)); it.for_each(|x| drop(std::hint::black_box(x))); } n += 1;",
    "an iterator of the notebook": "n += Endless(n).count() as u64;",
    "a macro's loop": "forever!(n = std::hint::black_box(n + 1));",
    "a loop in what a macro is given": "twice! { while n > 0 { n = std::hint::black_box(n | 1); } };",
    "a loop in `Drop`": "drop(Stays(n)); n += 1;",
    "work in `Drop` on the way out": "let works = Works; loop { std::hint::black_box((&works, n)); }",
    "a wait for a future": "std::future::pending::<()>().await; n += 1;",
    "device functions in a circle": "n += there(1.0) as u64;",
    "threads": "std::thread::scope(|s| { s.spawn(|| loop { std::hint::spin_loop() }); s.spawn(|| loop {}); }); n += 1;",
    "rayon's threads": "use rayon::prelude::*; let s: u64 = (0..1000u64).into_par_iter().map(|x| "
    "{ let mut y = x; for _ in 0..1_000_000_000 { y ^= std::hint::black_box(y) << 1; } y & 1 }).sum(); n += s;",
    "a wait for another rank": "gpu::distributed::Communicator::local(2).run(|ranks| if ranks.rank() == 0 { ranks.barrier() } "
    "else { drop(ranks.receive::<f32>(0, 1)) }); n += 1;",
    "operations": "let a = gpu::ones::<f32>((1000, 1000)); (0..).for_each(|_| { let _ = &a + &a; }); n += 1;",
    "a long operation": "let a = gpu::ones::<f64>((6000, 6000)); let k = gpu::ones::<f64>((201, 201)); "
    "n += gpu::convolve2d(&a, &k, Mode::Full).size() as u64;",
    "a thread that is parked": "std::thread::park(); n += 1;",
    "a process that is stopped": 'unsafe extern "C" { fn raise(signal: i32) -> i32; }\nunsafe { raise(20); } loop { n += 1; }',
    "a command that is stopped": '!kill -STOP $$',
    "a wait for a program": 'std::process::Command::new("sleep").arg("600").status().unwrap(); n += 1;',
}


@pytest.fixture(scope="module")
def stateful(kernel):
    kernel.check(":dep rayon")
    kernel.check("let kept = vec![1, 2, 3]; let moved = String::from(\"here\"); let spare = moved.clone();")
    kernel.check("fn spin(n: &mut u64) {\n    while *n < u64::MAX {\n        *n = std::hint::black_box(*n) | 1;\n    }\n}")
    kernel.check("fn fib(n: u64) -> u64 { if n < 2 { n } else { fib(n - 1) + fib(n - 2) } }")
    kernel.check(
        "fn even(n: u64) -> bool { n == 0 || odd(n - 1) & odd(n - 1) }\nfn odd(n: u64) -> bool { n != 0 && even(n - 1) | even(n - 1) }"
    )
    kernel.check(
        "struct Tree { n: u64 }\n"
        "impl Tree { fn grown(&self, n: u64) -> u64 { if n < 2 { self.n } else { self.grown(n - 1) + self.grown(n - 2) } } }"
    )
    kernel.check(
        "struct Endless(u64);\nimpl Iterator for Endless {\n    type Item = u64;\n"
        "    fn next(&mut self) -> Option<u64> { self.0 = std::hint::black_box(self.0 | 1); Some(self.0) }\n}"
    )
    kernel.check("macro_rules! forever { ($work:expr) => { loop { $work; } } }\nmacro_rules! twice { ($($t:tt)*) => { { $($t)* } { $($t)* } } }")
    kernel.check(
        "struct Stays(u64);\nimpl Drop for Stays { fn drop(&mut self) { loop { self.0 = std::hint::black_box(self.0 | 1); } } }\n"
        "struct Works;\nimpl Drop for Works { fn drop(&mut self) { gpu::ones::<f32>((1000, 1000)).sum(); } }"
    )
    kernel.check(
        "#[gpu::device] fn there(x: f32) -> f32 { if x > 0.0 { back(x) } else { x } }\n"
        "#[gpu::device] fn back(x: f32) -> f32 { there(x) }"
    )
    return kernel


if os.environ.get("WARPCELL_DEVICE", "").startswith("cuda"):
    # A GPU has done it before the interrupt comes.
    del ENDLESS["a long operation"]


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_running_cell_stops_and_keeps_every_variable(stateful, code):
    asked = None

    def interrupt(message):
        nonlocal asked
        if message.kind == "stream" and asked is None:
            asked = time.monotonic()
            stateful.manager.interrupt_kernel()

    result = stateful.run(f'let mut n = kept[0] as u64;\nprintln!("running");\n{code}', on_message=interrupt, seconds=240)
    took = time.monotonic() - asked
    assert result.error["ename"] == "Interrupted", result.error_text
    assert took < 5, f"the cell stopped {took:.1f} s after the interrupt"
    assert stateful.check("(kept.len(), moved.as_str())").value == '(3, "here")'


def test_the_place_is_named(stateful):
    code = 'println!("running");\nlet mut x = 1u64;\nloop {\n    x = std::hint::black_box(x);\n}'
    result = stateful.run(code, on_message=stateful.interrupt_when("running"), seconds=240)
    assert "line 3" in result.error_text, result.error_text


def test_timeit_stops(stateful):
    code = '%timeit -r 1000000 std::hint::black_box(kept.len())'
    request = stateful.send('println!("before");')
    stateful.collect(request)
    request = stateful.send(f"println!(\"running\");\n{code}")
    result = stateful.collect(request, on_message=stateful.interrupt_when("running"), seconds=240)
    assert result.error["ename"] == "Interrupted", result.error_text
    assert stateful.check("kept.len()").value == "3"


def test_a_thread_of_an_earlier_cell_goes_on(stateful):
    stateful.check(
        "use std::sync::{Arc, atomic::{AtomicU64, Ordering}};\nlet beats = Arc::new(AtomicU64::new(0));\n"
        "let beating = beats.clone();\n"
        "std::thread::spawn(move || loop { beating.fetch_add(1, Ordering::Relaxed); std::thread::yield_now(); });"
    )
    result = stateful.run(
        'println!("running"); loop { std::thread::yield_now() }', on_message=stateful.interrupt_when("running"), seconds=240
    )
    assert result.error["ename"] == "Interrupted"
    counting = "let before = beats.load(Ordering::Relaxed);\nwhile beats.load(Ordering::Relaxed) == before {}\ntrue"
    assert stateful.check(counting).value == "true"


def test_a_call_that_cannot_be_stopped_is_said_and_a_second_interrupt_ends_it(fresh_kernel):
    kernel = fresh_kernel()
    kernel.check("let lost = 5;")
    code = """
    println!("running");
    let (sender, receiver) = std::sync::mpsc::channel::<u8>();
    receiver.recv().unwrap();
    drop(sender);
    """
    said = ""

    def act(message):
        nonlocal said
        if message.kind != "stream":
            return
        said += message.content["text"]
        if message.content["text"].startswith("running") or "Interrupt once more" in message.content["text"]:
            kernel.manager.interrupt_kernel()

    result = kernel.run(code, on_message=act, seconds=240)
    assert "cannot be stopped" in said
    assert result.error["ename"] == "Interrupted"
    assert "lost" in result.error_text
    assert kernel.check("1 + 1").value == "2"


def test_a_cell_that_ends_before_it_can_stop_says_so(fresh_kernel):
    kernel = fresh_kernel()
    code = 'println!("running"); let (_s, r) = std::sync::mpsc::channel::<u8>(); let late = r.recv_timeout(LONG).is_err();'
    kernel.check("const LONG: std::time::Duration = std::time::Duration::from_secs(3);")
    result = kernel.run(code, on_message=kernel.interrupt_when("running"), seconds=240)
    assert result.error["ename"] == "Interrupted"
    assert "ran to its end" in result.error_text
    assert kernel.check("late").value == "true"


def test_errors_behind_a_loop_on_its_line_have_their_columns(kernel):
    line = "for i in 0..3 { let s: String = i; }"
    text = kernel.run(line).error_text
    assert f"column {line.index('i; }') + 1}" in text, text
    line = "for i in 0..3 { let v = i; panic!(\"{v}\"); }"
    text = kernel.run(line).error_text
    assert f"column {line.index('panic!') + 1}" in text, text


def test_a_cell_that_compiles_ends_and_loses_nothing(kernel):
    kernel.check("let kept = 13;")
    # Constant evaluation keeps the compiler busy for far longer than the deadline.
    code = """
    #[allow(long_running_const_eval)]
    const ENDLESS: u64 = { let mut n = 0u64; while n < u64::MAX { n += 1; } n };
    println!("{ENDLESS}");
    """
    start = time.monotonic()

    # An interrupt may come before the compiler has started, so it is repeated until the cell has ended.
    request = kernel.send(code)
    result = None
    deadline = time.monotonic() + 240
    while result is None:
        kernel.manager.interrupt_kernel()
        try:
            result = kernel.collect(request, seconds=3)
        except AssertionError:
            assert time.monotonic() < deadline, "the compiler was not ended"
    assert result.reply["status"] == "error" and result.reply["ename"] == "Interrupted"
    assert time.monotonic() - start < 60
    assert kernel.check("kept").value == "13"


def test_an_interrupt_without_a_cell_does_no_harm(kernel):
    kernel.check("let kept = 17;")
    kernel.interrupt()
    assert kernel.check("kept").value == "17"


def test_queued_cells_are_aborted(kernel):
    running = kernel.send('println!("running"); loop { std::thread::yield_now() }')
    queued = kernel.send('println!("must not run")')
    first = kernel.collect(running, on_message=kernel.interrupt_when("running"), seconds=240)
    assert first.error["ename"] == "Interrupted"
    assert kernel.collect(queued).reply["status"] == "aborted"
    assert kernel.check("1 + 1").value == "2"


def test_the_line_of_an_earlier_cell_is_shown_as_it_was_written(fresh_kernel):
    session = fresh_kernel()
    session.check("fn forever(n: u64) -> u64 {\n    let mut sum = 0;\n    for i in 0..n { sum = std::hint::black_box(sum ^ i); }\n    sum\n}")
    result = session.run('println!("ready"); forever(u64::MAX)', on_message=session.interrupt_when("ready"))
    assert result.error["ename"] == "Interrupted", result.error_text
    assert "code of an earlier cell: for i in 0..n { sum = std::hint::black_box(sum ^ i); }" in result.error_text, result.error_text
