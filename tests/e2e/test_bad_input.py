"""What should never happen and does: after each, the kernel answers the next cell and says what was lost."""

from __future__ import annotations

import os
import signal
import time

import psutil
import pytest

from .session import Session


def still_works(session, lost: bool = False) -> None:
    assert session.check("1 + 1").value == "2"
    if not lost:
        assert session.check("kept").value == "[1, 2, 3]"


@pytest.fixture(scope="module")
def session(kernel):
    kernel.check("let kept = vec![1, 2, 3];")
    return kernel


@pytest.fixture
def with_variable(session):
    if not session.run("kept.len()").ok:
        session.check("let kept = vec![1, 2, 3];")
    return session


def frames(session: Session, code: str) -> tuple[str, list[bytes]]:
    """The identity of a signed request, and its frames."""
    content = {"code": code, "silent": False, "store_history": False, "user_expressions": {}, "allow_stdin": False}
    message = session.client.session.msg("execute_request", content)
    return message["header"]["msg_id"], session.client.session.serialize(message)


def test_a_replayed_message_runs_once(with_variable):
    session = with_variable
    session.check("let mut runs = 0;")
    request, parts = frames(session, "runs += 1;")
    socket = session.client.shell_channel.socket
    socket.send_multipart(parts)
    assert session.collect(request).ok
    socket.send_multipart(parts)
    assert session.check("runs").value == "1"


def test_forged_and_malformed_messages_change_nothing(with_variable):
    session = with_variable
    socket = session.client.shell_channel.socket
    _, parts = frames(session, "let kept = 0;")
    at = parts.index(b"<IDS|MSG>") + 1
    for change in (
        lambda p: p[:at] + [b"0" * 64] + p[at + 1 :],
        lambda p: p[:at] + [b""] + p[at + 1 :],
        lambda p: p[:-1] + [p[-1].replace(b"kept", b"kepT")],
        lambda p: p[:-1],
        lambda p: p[:at],
        lambda p: [b"\xff" * 1000],
    ):
        socket.send_multipart(change(list(parts)))
    still_works(session)


def test_bytes_that_are_no_text(with_variable):
    code = r'use std::io::Write; std::io::stdout().write_all(b"before \xff\xfe\n").unwrap(); println!("after");'
    result = with_variable.check(code)
    assert result.stdout.startswith("before ") and result.stdout.endswith("after\n"), result.stdout
    still_works(with_variable)


def test_a_cell_of_a_megabyte(with_variable):
    text = "x" * (1 << 20)
    assert with_variable.check(f'let long = "{text}"; long.len()').value == str(1 << 20)
    assert with_variable.check("// " + text + "\n1 + 1").value == "2"
    still_works(with_variable)


def test_output_after_the_cells_end_is_not_lost(with_variable, tmp_path):
    session = with_variable
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    request = session.send(
        f'std::thread::spawn(|| println!("late {{}}", std::fs::read_to_string("{pipe}").unwrap()));', store_history=False
    )
    assert session.collect(request).ok
    pipe.write_text("text")
    message = session.next_message(request, time.monotonic() + 80)
    assert (message.kind, message.content["text"]) == ("stream", "late text\n")
    still_works(session)


CRASHES = {
    "out of memory": ("let v = Vec::<u8>::with_capacity(1 << 62); v.len()", "memory|SIGABRT|capacity"),
    "all memory": (
        "let layout = std::alloc::Layout::from_size_align(64, 8).unwrap();\nstd::alloc::handle_alloc_error(layout)",
        "SIGABRT",
    ),
    "a double panic": (
        "struct Bad; impl Drop for Bad { fn drop(&mut self) { panic!(\"again\") } }\n{ let _bad = Bad; panic!(\"once\"); }",
        "SIGABRT",
    ),
    "an illegal instruction": ('unsafe { std::arch::asm!("ud2") };', "SIGILL"),
}


@pytest.mark.parametrize("crash", CRASHES)
def test_a_crash_names_what_was_lost(with_variable, crash):
    session = with_variable
    code, said = CRASHES[crash]
    result = session.run(code)
    assert any(word in result.error_text for word in said.split("|")), result.error_text
    if result.error["ename"] == "CellProcessDied":
        assert "kept" in result.error_text
        assert session.check("1 + 1").value == "2"
        assert not session.run("kept").ok
    else:
        still_works(session)


def test_a_grandchild_that_keeps_the_streams_open(with_variable):
    session = with_variable
    start = time.monotonic()
    result = session.check('let child = std::process::Command::new("sleep").arg("600").spawn().unwrap().id(); child')
    grandchild = psutil.Process(int(result.value))
    result = session.run("std::process::exit(3)", seconds=120)
    assert result.error["ename"] == "CellProcessDied" and "kept" in result.error_text
    assert session.check("1 + 1").value == "2"
    assert time.monotonic() - start < 30
    if grandchild.is_running():
        grandchild.kill()


def test_kernels_side_by_side_do_not_meet(fresh_kernel):
    sessions = [fresh_kernel() for _ in range(3)]
    requests = [
        session.send(f'let mine = {number}; println!("running"); loop {{ std::thread::yield_now() }}')
        for number, session in enumerate(sessions)
    ]
    for number, (session, request) in enumerate(zip(sessions, requests, strict=True)):
        deadline = time.monotonic() + 240
        while session.next_message(request, deadline).kind != "stream":
            pass
        session.manager.interrupt_kernel()
        assert session.collect(request).error["ename"] == "Interrupted"
        session.check(f"let mine = {number};")
    assert [session.check("mine").value for session in sessions] == ["0", "1", "2"]


@pytest.mark.parametrize("ended", ["the kernel", "its group"])
def test_a_killed_kernel_leaves_nothing(fresh_kernel, ended):
    session = fresh_kernel()
    session.check("let a = gpu::ones::<f32>((2, 2));")
    request = session.send('println!("running"); loop { std::hint::spin_loop() }')
    deadline = time.monotonic() + 240
    while session.next_message(request, deadline).kind != "stream":
        pass
    session.client.complete("gpu::conv", 9)  # starts the process that helps while a cell runs
    processes = session.processes()
    assert list(session.temporary.iterdir())
    if ended == "the kernel":
        os.kill(session.pid, signal.SIGKILL)
    else:
        os.killpg(os.getpgid(session.pid), signal.SIGKILL)
    _, alive = psutil.wait_procs(processes, timeout=80)
    assert not alive, f"still alive: {alive}"
    # The watcher was among them, and removes the files before it ends.
    assert list(session.temporary.iterdir()) == []


def test_a_kernel_killed_while_it_starts_leaves_nothing(tmp_path):
    from jupyter_client.manager import KernelManager

    from .session import KERNEL

    manager = KernelManager(kernel_name=KERNEL)
    manager.start_kernel(env={**os.environ, "TMPDIR": str(tmp_path)})
    kernel = psutil.Process(manager.provisioner.process.pid)
    deadline = time.monotonic() + 80
    while not list(tmp_path.glob("warpcell-*")):
        assert time.monotonic() < deadline
    processes = [kernel, *kernel.children(recursive=True)]
    kernel.kill()
    manager.cleanup_resources()
    psutil.wait_procs(processes, timeout=80)
    while list(tmp_path.iterdir()):
        assert time.monotonic() < deadline, list(tmp_path.iterdir())
