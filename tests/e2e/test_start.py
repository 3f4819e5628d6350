"""What a start takes: nothing of the toolchain, no network, nothing in the user's home."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from jupyter_client.connect import write_connection_file

from .session import Session

PREFIX = Path(os.environ["WARPCELL_TEST_PREFIX"])
# A second, and what a machine that does more than one thing takes for messages.
SOON = 3.0
CONNECTION = ["kernel", "--connection-file", "{connection_file}"]
WITHOUT_NETWORK = ["unshare", "--net"], ["unshare", "--user", "--map-root-user", "--net"]


def without_network() -> list[str]:
    """A command that runs another one in a network namespace of its own, which has not even loopback; where nobody may
    make one, a command that sends what asks for the network to a port that nobody listens on."""
    for command in WITHOUT_NETWORK:
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            return command
    return ["env", *(f"{name}=http://127.0.0.1:9" for name in ("http_proxy", "https_proxy", "ALL_PROXY"))]


def test_offline_with_a_fresh_home(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    env = {"HOME": str(home), "CARGO_HOME": str(home / "cargo"), "RUSTUP_HOME": str(home / "rustup")}
    command = [*without_network(), str(PREFIX / "bin" / "warpcell"), *CONNECTION]
    session = Session(env=env, command=command, transport="ipc", ip=str(tmp_path / "socket"))
    try:
        session.check("let v = vec![1, 2].iter().map(|x| x * 2).collect::<Vec<i32>>();")
        assert session.check("v").value == "[2, 4]"
        session.check("let names = std::collections::HashMap::from([(\"a\".to_owned(), 1u8)]);")
        session.check("let d = gpu::ones::<f32>((2, 3));")
        assert session.check("d.sum()").value == "6.0"
        assert "sum_axis" in [match.split("(")[0] for match in session.complete("d.su")["matches"]]
    finally:
        session.close()


@pytest.mark.parametrize("channel", ["shell", "iopub", "stdin", "control", "hb"])
def test_a_port_that_another_program_uses_is_named(tmp_path, channel):
    """Jupyter starts a kernel again and again with the same ports, and then calls it dead; the server's log has the reason."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        file, _ = write_connection_file(str(tmp_path / "kernel.json"), **{f"{channel}_port": port})
        command = [PREFIX / "bin/warpcell", "kernel", "--connection-file", file]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 1, ended
    name = {"hb": "heartbeat"}.get(channel, channel)
    assert f"another program uses the port {port}, which Jupyter has chosen for {name}" in ended.stderr
    assert ended.stderr.rstrip().endswith('c.KernelManager.transport = "ipc"'), ended.stderr


def test_the_macros_of_the_standard_library_are_expanded():
    home = PREFIX / "lib/warpcell"
    sources = json.loads((home / "installation.json").read_text())["sources"]
    if sources is None:
        pytest.skip("the installation has no sources of the standard library")
    for name in ("core", "alloc", "std"):
        crate = home / "sysroot/lib/rustlib/src/rust/library" / name / "src"
        text = (crate / "lib.rs").read_text()
        compiler = subprocess.run(["rustc", "-V"], capture_output=True, text=True, check=True).stdout
        # The compiler may refuse sources of another release; those are copied.
        if f" {sources['release']} " in compiler or len(os.listdir(crate)) == 1:
            assert os.listdir(crate) == ["lib.rs"] and "macro_rules! int_impl" not in text and len(text) > 500_000, name


def test_the_macros_of_the_preludes_crates_are_expanded():
    sources = PREFIX / "lib/warpcell/sources"
    for name in ("warpcell", "warpcell-base", "warpcell-threads", "ndarray", "half", "num-complex", "num-traits"):
        (crate,) = sources.glob(f"{name}-[0-9]*")
        assert os.listdir(crate / "src") == ["lib.rs"], name


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """A copy of the installation whose toolchain notes each of its calls; gives the binary and the notes."""
    root = tmp_path_factory.mktemp("watched")
    prefix, notes = root / "prefix", root / "calls"
    shutil.copytree(PREFIX, prefix, symlinks=True)
    record_file = prefix / "lib/warpcell/installation.json"
    record = json.loads(record_file.read_text())
    toolchain = root / "toolchain"
    (toolchain / "bin").mkdir(parents=True)
    for tool in ("cargo", "rustc"):
        script = toolchain / "bin" / tool
        real = Path(record["toolchain"]) / "bin" / tool
        script.write_text(f'#!/bin/sh\necho "{tool} $*" >>"{notes}"\nexec "{real}" "$@"\n')
        script.chmod(0o755)
    record["toolchain"] = str(toolchain)
    record_file.write_text(json.dumps(record))
    binary = prefix / "bin" / "warpcell"
    # What was recorded holds for the place of the installation.
    subprocess.run([binary, "record-start"], env={**os.environ, "WARPCELL_RECORD": "1"}, check=True)
    notes.unlink()
    return binary, notes


def test_a_start_runs_nothing_of_the_toolchain(watched):
    binary, notes = watched
    session = Session(command=[str(binary), *CONNECTION])
    try:
        assert session.check("1 + 1").value == "2"
        session.check("let d = gpu::zeros::<f64>((2, 2));")
        # Two calls of the compiler serve all cells that hold no crates of the user.
        calls = notes.read_text().splitlines()
        kinds = ["--emit obj=" in call for call in calls]
        assert sorted(kinds) == [False, True], f"one compiles the cells, one finds types:\n{chr(10).join(calls)}"
        assert all("--crate-name ctx" in call for call in calls), calls
    finally:
        session.close()


def test_the_first_cell_says_within_a_second_that_it_waits_for_the_compiler(watched):
    binary, notes = watched
    compiler = notes.parent / "toolchain/bin/rustc"
    script = compiler.read_text()
    released = notes.parent / "released"
    compiler.write_text(script.replace("exec", f'until [ -e "{released}" ]; do sleep 0.05; done\nexec'))
    session = Session(command=[str(binary), *CONNECTION])
    try:
        began = time.monotonic()

        def release(message):
            if message.kind == "stream":
                released.touch()

        # A cell that was compiled before would not wait.
        result = session.collect(session.send_cell(f"{time.time_ns()}_u64 / 0xffff_ffff_ffff_ffff"), on_message=release)
        assert result.value == "0"
        assert [message.kind for message in result.messages] == ["status", "execute_input", "stream", "clear_output", "execute_result"]
        notice = result.messages[2]
        assert notice.content["text"] == "Waiting for the compiler. The first cell of a session takes longer than those after it.\n"
        assert notice.at - began < SOON
        # Later cells do not say so.
        later = session.collect(session.send_cell(f"{time.time_ns()}_u64 > 0"))
        assert [message.kind for message in later.messages] == ["status", "execute_input", "execute_result"]
    finally:
        session.close()
        compiler.write_text(script)


# What rust-analyzer knows of the standard library and the prelude takes more than this.
MEMORY = 120 << 20


def test_cells_do_not_wait_for_crates_to_be_read(fresh_kernel):
    cells = [
        "fn twice(x: i32) -> i32 { x * 2 }\n{ let y = twice(21); assert_eq!(y, 42); }",
        'let names = std::collections::HashMap::from([("a".to_owned(), twice(1))]); let d = gpu::ones::<f32>((2, 3));',
        "let (total, shape) = (d.sum(), d.shape().to_vec());",
        'assert_eq!((names["a"], total, shape), (2, 6.0f32, vec![2, 3]));',
    ]
    session = fresh_kernel(waits=False)
    requests = [session.send(cell) for cell in cells]
    for cell, request in zip(cells, requests, strict=True):
        reply = session.ask(request)
        assert reply["status"] == "ok", f"{cell}\n{reply}"
    assert psutil.Process(session.pid).memory_info().rss < MEMORY, "the process that runs the cells has read them"
    assert "sum_axis" in [match.split("(")[0] for match in session.complete("d.su")["matches"]]


def test_help_comes_before_the_first_cell(fresh_kernel):
    session = fresh_kernel(waits=False)
    requests = [session.client.complete("gpu::zero"), session.client.inspect("gpu::zeros", 10)]
    candidates, documentation = (session.ask(request) for request in requests)
    assert "zeros" in [match.split("(")[0] for match in candidates["matches"]]
    assert documentation["found"] and "zeros" in documentation["data"]["text/plain"]


def test_an_installation_and_its_toolchain_may_be_moved(tmp_path):
    prefix, toolchain = tmp_path / "elsewhere", tmp_path / "toolchain"
    shutil.copytree(PREFIX, prefix, symlinks=True)
    record_file = prefix / "lib/warpcell/installation.json"
    record = json.loads(record_file.read_text())
    toolchain.symlink_to(record["toolchain"])
    record_file.write_text(json.dumps({**record, "toolchain": str(toolchain)}))
    # What is recorded must not lead back to where the toolchain was.
    for answer in (prefix / "lib/warpcell/recorded").glob("*.json"):
        text = json.loads(answer.read_text())
        assert record["toolchain"] not in text["answer"], text
    session = Session(command=[str(prefix / "bin" / "warpcell"), *CONNECTION])
    try:
        assert session.check("let d = gpu::ones::<f32>((2, 2)); d.sum()").value == "4.0"
    finally:
        session.close()


def test_a_toolchain_that_was_exchanged_is_named(watched, tmp_path):
    binary, _ = watched
    prefix = tmp_path / "prefix"
    shutil.copytree(binary.parents[1], prefix, symlinks=True)
    library = next((prefix / "lib/warpcell/prelude").glob("libstd-*.so"))
    library.unlink()
    library.symlink_to(tmp_path / "gone.so")
    session = Session(command=[str(prefix / "bin" / "warpcell"), *CONNECTION])
    try:
        error = session.run("1 + 1").error_text
        assert "rustc 1." in error and "./install.sh" in error, error
    finally:
        session.close()
