"""No user of a JupyterHub gets at what is another's: connection files, temporary files, caches, processes, what cells print."""

from __future__ import annotations

import json
import select
import subprocess
from pathlib import Path

import psutil
import pytest

from hub.hub import Notebook, User
from hub.test_users import kernel_of

PEEK = (Path(__file__).parent / "peek.py").read_text()
SECRET = "the-secret-of-this-cell"
# A subscriber of iopub: prints what it gets until a message has the secret or nothing comes for long.
LISTEN = """
import sys, zmq
socket = zmq.Context().socket(zmq.SUB)
socket.setsockopt(zmq.SUBSCRIBE, b"")
socket.setsockopt(zmq.RCVTIMEO, int(sys.argv[2]))
socket.connect(sys.argv[1])
print("connected", flush=True)
try:
    while True:
        parts = socket.recv_multipart()
        print(any(sys.argv[3].encode() in part for part in parts), flush=True)
except zmq.Again:
    pass
"""


def peek(shared, looker: User, owner: User, processes=()) -> list[list[str]]:
    """What a user gets at of another's."""
    places = ["/tmp", "/var/tmp", "/dev/shm", "/run", owner.cache, owner.home / ".local", owner.temporary]
    command = [shared.python, "-c", PEEK, str(owner.uid), *places, "--pid", *(str(process.pid) for process in processes)]
    found = looker.run(command)
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)


@pytest.fixture
def at_work(notebooks) -> Notebook:
    """The first user's notebook, in the middle of a session: with crates, and a cell that runs."""
    notebook = notebooks[0]
    user = notebook.user
    crate = user.home / "private"
    if not crate.exists():
        made = f'mkdir -p {crate}/src && printf \'[package]\\nname = "private"\\nversion = "0.1.0"\\nedition = "2024"\\n\' > {crate}/Cargo.toml'
        assert user.run(["sh", "-c", f"{made} && echo 'pub const NUMBER: u32 = 4;' > {crate}/src/lib.rs"]).returncode == 0
    notebook.check(f':dep private = {{ path = "{crate}" }}\nlet password = "{SECRET}"; private::NUMBER')
    return notebook


def test_files_folders_and_sockets(at_work, notebooks, shared):
    owner = at_work.user
    kernel = kernel_of(at_work)
    session = Path(kernel_environment(at_work)["WARPCELL_SESSION"])
    own = {path for _, path in peek(shared, owner, owner)}
    assert str(at_work.connection_file) in own
    for folder in (session, owner.cache):
        assert any(path.startswith(str(folder)) for path in own), f"the search does not find {folder}"
    assert any(SECRET in Path(path).read_text(errors="replace") for path in own if path.endswith("lib.rs"))
    for other in notebooks[1:]:
        found = peek(shared, other.user, owner, [kernel, *kernel.children(recursive=True)])
        # The folder that Jupyter makes for itself may list what is in it; what is in it counts.
        found = [(what, path) for what, path in found if not (what == "list" and Path(path) in at_work.connection_file.parents)]
        assert not found, f"{other.user.name} gets at {found}"


def test_what_compilers_leave_meanwhile_is_in_the_sessions_folder(at_work):
    session = Path(kernel_environment(at_work)["WARPCELL_SESSION"])
    assert session.stat().st_mode & 0o077 == 0
    processes = kernel_of(at_work).children(recursive=True)
    compilers = [each for each in processes if "rustc" in each.name() and each.status() != psutil.STATUS_ZOMBIE]
    assert compilers, "one waits for the next cell"
    for compiler in compilers:
        assert Path(compiler.environ()["TMPDIR"]).is_relative_to(session)
    assert at_work.check('std::env::var("TMPDIR").unwrap()').value == '"/tmp"', "cells have the user's own"


def kernel_environment(notebook: Notebook) -> dict[str, str]:
    """The environment of what the kernel has started; that of the kernel itself is the one that it was started with."""
    return next(environment for process in kernel_of(notebook).children() if "WARPCELL_SOCKET" in (environment := process.environ()))


def test_nobody_else_hears_what_cells_print(at_work, notebooks, shared):
    connection = json.loads(at_work.connection_file.read_text())
    assert connection["transport"] == "tcp", "Jupyter's default; with files there is nothing to connect to"
    address = f"tcp://{connection['ip']}:{connection['iopub_port']}"
    owner, other = at_work.user, notebooks[1].user
    heard = {user.name: Listener(shared, user, address) for user in (owner, other)}
    # The owner's listener has been welcomed when it hears a first cell; the other one has had as long.
    while not heard[owner.name].hears(at_work):
        pass
    heard[owner.name].stop()
    heard[other.name].stop()
    assert "True" in heard[owner.name].lines
    assert heard[other.name].lines == [], "not one message"
    assert at_work.check("1 + 1").value == "2"


class Listener:
    """A subscriber of a kernel's iopub in a process of a user."""

    def __init__(self, shared, user: User, address: str):
        self.process = subprocess.Popen(
            [shared.python, "-c", LISTEN, address, "60000", SECRET],
            user=user.uid, group=user.gid, extra_groups=[], cwd="/", env={"HOME": str(user.home)},
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout.readline() == "connected\n"
        self.lines: list[str] = []

    def hears(self, notebook: Notebook) -> bool:
        """Lets the notebook print, and says whether anything has come here since the last time."""
        notebook.check(f'println!("{SECRET}");')
        ready, _, _ = select.select([self.process.stdout], [], [], 1)
        if ready:
            while (line := self.process.stdout.readline().strip()) != "True":
                self.lines.append(line)
            self.lines.append(line)
        return bool(ready)

    def stop(self) -> None:
        self.process.kill()
        self.lines += self.process.stdout.read().split()
        self.process.wait()
