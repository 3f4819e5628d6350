"""The Rust session of a Python notebook from its start to its end, whatever ends it."""

from __future__ import annotations

import os
import signal

import psutil

from e2e.session import Session, plain

from .notebook import PYTHONS, Notebook


def processes_of(pid: int) -> list[psutil.Process]:
    kernel = psutil.Process(pid)
    return [kernel, *kernel.children(recursive=True)]


def assert_gone(processes: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(processes, timeout=80)
    assert not alive, f"these processes are left: {alive}"


def test_restart_and_shutdown(fresh_notebook):
    assert "no Rust session" in fresh_notebook.check("%rust --status").stdout
    fresh_notebook.check_rust("let x = 1;")
    first = processes_of(fresh_notebook.rust_pid())
    assert "has run 1 cell." in fresh_notebook.check("%rust --status").stdout
    fresh_notebook.check("%rust --restart")
    assert_gone(first)
    assert "cannot find value `x`" in fresh_notebook.rust("x").error_text
    second = processes_of(fresh_notebook.rust_pid())
    assert fresh_notebook.check_rust("2", "--restart").value == "2"
    assert_gone(second)
    third = processes_of(fresh_notebook.rust_pid())
    fresh_notebook.check("%rust --shutdown")
    assert_gone(third)
    assert not fresh_notebook.leftovers()
    # And once more, as if nothing had been.
    assert fresh_notebook.check_rust("3").value == "3"


def test_a_kernel_that_dies(fresh_notebook):
    fresh_notebook.check_rust("let lost = 1;")
    pid = fresh_notebook.rust_pid()

    def kill(message):
        if message.kind == "stream" and "begun" in message.content["text"]:
            os.kill(pid, signal.SIGKILL)

    result = fresh_notebook.rust('println!("begun"); loop {}', on_message=kill)
    assert result.error["ename"] == "SessionError", result.summary()
    assert "ended while the cell ran (signal 9, SIGKILL)" in result.error_text and "lost" in result.error_text
    assert ".py" not in result.error_text
    result = fresh_notebook.check_rust("1 + 1")
    assert result.value == "2" and "What its 2 cells had defined is lost; a new session begins" in result.stderr


def test_a_crash_of_a_cell_is_no_end_of_the_session(fresh_notebook):
    result = fresh_notebook.rust("std::process::abort();")
    assert result.error["ename"] == "CellProcessDied", result.summary()
    assert fresh_notebook.check_rust("1").value == "1"


def test_a_second_interrupt_ends_what_does_not_listen(fresh_notebook):
    fresh_notebook.check_rust("let lost = 5;")
    code = 'println!("begun"); let (_sender, receiver) = std::sync::mpsc::channel::<u8>(); receiver.recv().unwrap();'

    def act(message):
        text = message.content.get("text", "") if message.kind == "stream" else ""
        if "begun" in text or "Interrupt once more" in text:
            fresh_notebook.manager.interrupt_kernel()

    result = fresh_notebook.rust(code, on_message=act)
    assert result.error["ename"] == "RustInterrupted" and "lost" in result.error_text, result.summary()
    assert fresh_notebook.check_rust("1").value == "1"


def test_it_ends_with_python(fresh_notebook):
    fresh_notebook.check_rust("let x = 1;")
    processes = processes_of(fresh_notebook.rust_pid())
    fresh_notebook.manager.shutdown_kernel()
    assert_gone(processes)
    assert not fresh_notebook.leftovers()


def test_it_ends_with_python_that_is_killed(fresh_notebook):
    fresh_notebook.check_rust('print!("x");')
    processes = processes_of(fresh_notebook.rust_pid())
    os.kill(fresh_notebook.pid, signal.SIGKILL)
    assert_gone(processes)


def test_a_child_of_python_does_not_end_it(fresh_notebook):
    fresh_notebook.check_rust("let kept = 1;")
    code = """
        import os, sys, warpcell
        child = os.fork()
        if child == 0:
            try:
                warpcell.session()._at_exit()
                status = warpcell.session().pid is None
            finally:
                os._exit(0 if status else 1)
        os.waitpid(child, 0)[1]"""
    assert fresh_notebook.check(code).value == "0"
    assert fresh_notebook.check_rust("kept").value == "1"


def test_over_tcp_and_with_settings(tmp_path):
    notebook = Notebook(PYTHONS["newest"], tmp_path)
    try:
        notebook.check("import warpcell\nother = warpcell.Session(transport='tcp', env={'GREETING': 'hello'}, cwd='/')")
        code = "other.run('format!(\"{} {}\", std::env::var(\"GREETING\").unwrap(), std::env::current_dir().unwrap().display())')"
        assert notebook.check(code).value == '"hello /"'
        # A long path leaves no room for a socket's address.
        deep = tmp_path / ("deep" * 30)
        deep.mkdir()
        notebook.check(f"import tempfile\ntempfile.tempdir = {str(deep)!r}\nthird = warpcell.Session()")
        assert notebook.check("third.run('1 + 1')").value == "2"
    finally:
        notebook.close()


def test_no_kernel_is_found(tmp_path):
    notebook = Notebook(PYTHONS["newest"], tmp_path, env={"WARPCELL_KERNEL": "no-such-kernel"})
    try:
        error = notebook.rust("1").error
        text = plain("\n".join(error["traceback"]))
        assert error["ename"] == "SessionError" and "no Jupyter kernel 'no-such-kernel'" in text, text
        assert "Install Warpcell" in text and "share/jupyter/kernels" in text and ".py" not in text
    finally:
        notebook.close()


def test_a_kernel_that_does_not_start(tmp_path):
    kernels = tmp_path / "share/kernels/broken"
    kernels.mkdir(parents=True)
    (kernels / "kernel.json").write_text('{"argv": ["sh", "-c", "echo no space >&2; exit 3"], "display_name": "x", "language": "x"}')
    env = {"WARPCELL_KERNEL": "broken", "JUPYTER_PATH": str(tmp_path / "share")}
    notebook = Notebook(PYTHONS["newest"], tmp_path, env=env)
    try:
        text = notebook.rust("1").error_text
        assert "ended as it started (exit status 3)" in text and "no space" in text
        assert not notebook.leftovers()
    finally:
        notebook.close()


def test_the_kernel_over_ipc_as_colab_starts_it(tmp_path):
    """`"transport": "ipc"` in the connection file: all channels, and a restart on the same addresses."""
    session = Session(transport="ipc", connection_file=str(tmp_path / "kernel.json"))
    try:
        assert '"transport": "ipc"' in (tmp_path / "kernel.json").read_text()
        session.check("let image = gpu::host::ones::<f64, _>((300, 300));")
        result = session.check('println!("text"); gpu::imshow(&image); "value"')
        assert result.stdout == "text\n" and result.value == '"value"' and "image/png" in result.displays[0]
        assert len(session.check('for _ in 0..20_000 { println!("{}", "x".repeat(90)); }').stdout) > 1_800_000
        assert "imshow" in [match.split("(")[0] for match in session.complete("gpu::imsh")["matches"]]
        request = session.send('gpu::input("Name: ")', allow_stdin=True)
        assert session.client.get_stdin_msg(timeout=240)["content"]["prompt"] == "Name: "
        session.client.input("Zoë")
        assert session.collect(request).value == '"Zoë"'
        result = session.run('println!("begun"); loop {}', on_message=session.interrupt_when("begun"))
        assert result.error["ename"] == "Interrupted"
        assert session.check("image.sum()").value == "90000.0"
        session.manager.restart_kernel(now=False)
        session.client.wait_for_ready(timeout=480)
        assert "cannot find value `image`" in session.run("image").error_text
        assert session.check("1").value == "1"
    finally:
        session.close()
    assert not list(tmp_path.glob("kernel-ipc*")), "sockets are left"
