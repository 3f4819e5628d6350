"""Interrupting a cell: while it runs, while it compiles, and when nothing runs."""

import time


def test_an_endless_loop_ends_and_the_kernel_lives(kernel):
    start = time.monotonic()
    code = 'println!("running"); let mut n = 0u64; loop { n = std::hint::black_box(n.wrapping_add(1)); }'
    result = kernel.run(code, on_message=kernel.interrupt_when("running"), seconds=60)
    assert result.error["ename"] == "Interrupted", result.error_text
    assert result.stdout == "running\n"
    assert time.monotonic() - start < 30
    assert kernel.check("1 + 1").value == "2"


def test_a_sleeping_cell_ends(kernel):
    code = 'println!("sleeping"); std::thread::sleep(std::time::Duration::from_secs(600));'
    result = kernel.run(code, on_message=kernel.interrupt_when("sleeping"), seconds=60)
    assert result.error["ename"] == "Interrupted"
    assert kernel.check("1 + 1").value == "2"


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
    deadline = time.monotonic() + 60
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
    first = kernel.collect(running, on_message=kernel.interrupt_when("running"), seconds=60)
    assert first.error["ename"] == "Interrupted"
    assert kernel.collect(queued).reply["status"] == "aborted"
    assert kernel.check("1 + 1").value == "2"
