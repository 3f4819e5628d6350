"""The kernel's process: starting it from its kernelspec, its sockets, and its end.

Nothing here is asynchronous, though clients of jupyter_client are: a cell of a Python notebook runs inside the event loop of its
kernel, and a second loop within that would have to change the user's asyncio. What is used of jupyter_client is there in all versions
from 6 on.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import string
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

import zmq
from jupyter_client.connect import write_connection_file
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager, NoSuchKernel
from jupyter_client.launcher import launch_kernel
from jupyter_client.session import Session as Messages

from .errors import SessionError

#: A socket's address holds 107 bytes on Linux; the folder's path needs room for the name of the socket behind it.
_LONGEST_SOCKET_FOLDER = 90
#: Folders of processes that were killed are found by this.
_FOLDER = "warpcell-python-"
_LOG_LINES = 20


class KernelProcess:
    """A running kernel with the sockets of its one client."""

    def __init__(self, kernel_name: str, transport: str, env: Optional[Dict[str, str]], cwd: Optional[str]) -> None:
        if transport not in ("ipc", "tcp"):
            raise ValueError(f"transport is 'ipc' or 'tcp', not {transport!r}")
        spec = find_kernel(kernel_name)
        _remove_leftovers()
        #: Readable by this user alone: the connection file, the sockets, the log, arrays on their way.
        self.folder = Path(tempfile.mkdtemp(prefix=_FOLDER))
        self._owner = os.getpid()
        self._lock = _hold(self.folder)
        self._context = zmq.Context()
        self._sockets: List[zmq.Socket] = []
        try:
            if len(os.fsencode(str(self.folder))) > _LONGEST_SOCKET_FOLDER:
                transport = "tcp"
            file, connection = write_connection_file(
                str(self.folder / "connection.json"),
                ip=str(self.folder / "socket") if transport == "ipc" else "127.0.0.1",
                transport=transport,
                key=os.urandom(32).hex().encode(),
                kernel_name=kernel_name,
            )
            self._connection = connection
            self.messages = Messages(key=_bytes(connection["key"]), signature_scheme=connection["signature_scheme"])
            self.process = self._launch(spec, file, env, cwd)
            identity = self.messages.bsession
            self.shell = self._connect("shell", zmq.DEALER, identity)
            self.control = self._connect("control", zmq.DEALER, identity)
            self.stdin = self._connect("stdin", zmq.DEALER, identity)
            self.iopub = self._connect("iopub", zmq.SUB)
            self.iopub.setsockopt(zmq.SUBSCRIBE, b"")
        except BaseException:
            self.close(0)
            raise

    def _launch(self, spec: KernelSpec, file: str, env: Optional[Dict[str, str]], cwd: Optional[str]) -> subprocess.Popen:
        names = {"connection_file": file, "resource_dir": spec.resource_dir, "prefix": sys.prefix}
        command = [_filled_in(argument, names) for argument in spec.argv]
        environment = dict(os.environ)
        environment.update({key: string.Template(text).safe_substitute(environment) for key, text in (spec.env or {}).items()})
        environment.update(env or {})
        # Not the cell's output: ipykernel shows what its children write.
        with (self.folder / "log").open("wb") as log:
            try:
                return launch_kernel(command, env=environment, cwd=cwd, stdout=log, stderr=log)
            except OSError as error:
                raise SessionError(
                    f"the kernel's program {command[0]} cannot be started: {error.strerror or error}. "
                    "Install Warpcell again; `warpcell doctor` says what is missing."
                ) from error

    def _connect(self, channel: str, kind: int, identity: Optional[bytes] = None) -> zmq.Socket:
        socket = self._context.socket(kind)
        self._sockets.append(socket)
        socket.linger = 1000
        if identity is not None:
            socket.setsockopt(zmq.IDENTITY, identity)
        separator = "-" if self._connection["transport"] == "ipc" else ":"
        port = self._connection[f"{channel}_port"]
        socket.connect(f"{self._connection['transport']}://{self._connection['ip']}{separator}{port}")
        return socket

    @property
    def pid(self) -> int:
        return int(self.process.pid)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    @property
    def ended_by(self) -> str:
        """How the process ended, in words."""
        code = self.process.poll()
        if code is None:
            return "it is running"
        if code >= 0:
            return f"exit status {code}"
        try:
            return f"signal {-code}, {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"

    @property
    def last_words(self) -> str:
        """The last lines of what the kernel has written to its log, as the end of an error's text."""
        try:
            lines = (self.folder / "log").read_text(errors="replace").rstrip().splitlines()
        except OSError:
            lines = []
        return "".join([" Its last words:", *(f"\n  {line}" for line in lines[-_LOG_LINES:])]) if lines else ""

    def send(self, socket: zmq.Socket, kind: str, content: Dict[str, Any], metadata: Optional[Dict[str, Any]] = None) -> str:
        """Sends a message; gives its id."""
        return str(self.messages.send(socket, kind, content, metadata=metadata)["header"]["msg_id"])

    def receive(self, socket: zmq.Socket) -> Optional[Dict[str, Any]]:
        """The next message that has arrived, if there is one."""
        try:
            _, message = self.messages.recv(socket, mode=zmq.NOBLOCK)
        except ValueError:
            return None  # not signed by our kernel
        return message

    def wait_until_ready(self, seconds: float, slow: Callable[[], None]) -> None:
        """Returns when the kernel answers and its output arrives. `slow()` is called once if that takes some time."""
        begun = time.monotonic()
        request = self.send(self.shell, "kernel_info_request", {})
        answered = heard = told = False
        poller = zmq.Poller()
        poller.register(self.shell, zmq.POLLIN)
        poller.register(self.iopub, zmq.POLLIN)
        while not (answered and heard):
            poller.poll(100)
            reply = self.receive(self.shell)
            if reply and reply["parent_header"].get("msg_id") == request:
                answered = True
            if self.receive(self.iopub):
                heard = True
            elif answered and not reply:
                # What was published before the subscription arrived is lost: ask for something to publish.
                self.send(self.shell, "kernel_info_request", {})
            passed = time.monotonic() - begun
            if not self.alive:
                raise SessionError(f"the kernel ended as it started ({self.ended_by}).{self.last_words}")
            if passed > seconds:
                raise SessionError(f"the kernel did not answer within {seconds:.0f} s.{self.last_words}")
            if passed > 5 and not told:
                told = True
                slow()

    def shut_down(self, seconds: float = 5) -> None:
        """Asks the kernel to end, ends it if it does not, and removes what it had."""
        if self.alive and not self._context.closed:
            try:
                self.send(self.control, "shutdown_request", {"restart": False})
            except zmq.ZMQError:
                pass
        self.close(seconds)

    def close(self, seconds: float) -> None:
        """Waits for the end of the process for a while, then ends it; removes the folder."""
        process = getattr(self, "process", None)
        if os.getpid() != self._owner:
            return  # a fork of the process that the kernel belongs to
        for patience, end in ((seconds, "terminate"), (2.0, "kill"), (5.0, None)):
            if process is None:
                break
            try:
                process.wait(patience)
                break
            except subprocess.TimeoutExpired:
                if end:
                    getattr(process, end)()
        for socket in self._sockets:
            socket.close(linger=0)
        self._context.term()
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)


def program() -> Tuple[str, Dict[str, str]]:
    """The kernel's program, and the environment in which it is started."""
    spec = find_kernel(os.environ.get("WARPCELL_KERNEL") or "warpcell")
    path = _filled_in(spec.argv[0], {"resource_dir": spec.resource_dir, "prefix": sys.prefix})
    environment = dict(os.environ)
    environment.update({key: string.Template(text).safe_substitute(environment) for key, text in (spec.env or {}).items()})
    return path, environment


def find_kernel(name: str) -> KernelSpec:
    """The kernelspec of this name, or an error that says where it was looked for."""
    manager = KernelSpecManager()
    try:
        return manager.get_kernel_spec(name)
    except NoSuchKernel:
        places = "".join(f"\n  {place}" for place in manager.kernel_dirs)
        raise SessionError(
            f"there is no Jupyter kernel {name!r}. It was looked for in:{places}\n"
            "Install Warpcell into this environment, or name the folder that it is in before Python starts: "
            "JUPYTER_PATH=PREFIX/share/jupyter"
        ) from None


def _hold(folder: Path) -> int:
    """Marks a folder as in use for as long as this process lives; gives the descriptor that does it."""
    descriptor = os.open(folder / "locking", os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    # A folder without a file of this name is left alone by others, one with it is in use until the lock is gone.
    os.rename(folder / "locking", folder / "lock")
    return descriptor


def _remove_leftovers() -> None:
    """Removes folders of processes that were killed, and so could not do it."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        try:
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            descriptor = os.open(folder / "lock", os.O_RDWR)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass  # in use
        finally:
            os.close(descriptor)


def _filled_in(argument: str, names: Dict[str, str]) -> str:
    for name, value in names.items():
        argument = argument.replace("{" + name + "}", value)
    return argument


def _bytes(key: Any) -> bytes:
    return key if isinstance(key, bytes) else str(key).encode()

