"""A Jupyter front end for tests: runs cells in a real kernel and collects what came back, in order.

Every wait has a deadline and nothing sleeps: a kernel that hangs fails its test instead of stopping the suite.
"""

from __future__ import annotations

import errno
import os
import re
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty

import psutil
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

KERNEL = os.environ.get("WARPCELL_TEST_KERNEL", "warpcell")
START_SECONDS = 480
CELL_SECONDS = 480


def plain(text: str) -> str:
    """Text without terminal colours."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)


@dataclass
class Message:
    """One message of the iopub channel that belongs to a request, with the time at which it arrived."""

    kind: str
    content: dict
    at: float


@dataclass
class Result:
    """All that one executed cell caused."""

    reply: dict
    messages: list[Message] = field(default_factory=list)

    def of(self, *kinds: str) -> list[dict]:
        """The contents of all messages of these kinds."""
        return [message.content for message in self.messages if message.kind in kinds]

    def text(self, stream: str) -> str:
        return "".join(content["text"] for content in self.of("stream") if content["name"] == stream)

    @property
    def stdout(self) -> str:
        return self.text("stdout")

    @property
    def stderr(self) -> str:
        return self.text("stderr")

    @property
    def value(self) -> str | None:
        """The plain text of the cell's value, `None` if it has none."""
        values = [content["data"]["text/plain"] for content in self.of("execute_result")]
        assert len(values) <= 1, f"a cell has one value at most, but got {values}"
        return plain(values[0]) if values else None

    @property
    def displays(self) -> list[dict]:
        """The data of all displays, by MIME type."""
        return [content["data"] for content in self.of("display_data")]

    @property
    def ok(self) -> bool:
        return self.reply["status"] == "ok"

    @property
    def error(self) -> dict:
        """The one error message; the reply must tell the same."""
        errors = self.of("error")
        assert len(errors) == 1, f"expected one error message, got {len(errors)}; {self.summary()}"
        assert self.reply["status"] == "error", self.summary()
        for name in ("ename", "evalue", "traceback"):
            assert self.reply[name] == errors[0][name], f"reply and error message differ in {name}"
        assert errors[0]["ename"] and errors[0]["traceback"], "an error has a name and a traceback"
        return errors[0]

    @property
    def error_text(self) -> str:
        """All that the user reads of the error, without colours."""
        error = self.error
        return plain("\n".join([error["ename"], error["evalue"], *error["traceback"]]))

    def summary(self) -> str:
        """For failing assertions: the reply and the messages."""
        lines = [f"reply: {self.reply}"]
        lines += [f"{message.kind}: {str(message.content)[:2000]}" for message in self.messages]
        return "\n".join(lines)


def taken_ports(connection: dict) -> list[int]:
    """The ports of a kernel that has ended which another program has now. Jupyter chooses ports that are free, and does not
    hold them until the kernel has them: of all kernels that tests start, one meets this now and then."""
    if connection["transport"] != "tcp":
        return []
    taken = []
    for channel in ("shell", "iopub", "stdin", "control", "hb"):
        port = connection[f"{channel}_port"]
        try:
            socket.create_server((connection["ip"], port)).close()
        except OSError as error:
            assert error.errno == errno.EADDRINUSE, error
            taken.append(port)
    return taken


class Session:
    """A kernel with its client."""

    def __init__(
        self,
        kernel_name: str = KERNEL,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        command: list[str] | None = None,
        waits: bool = True,
        **manager,
    ):
        """`command` starts the kernel instead of what its kernelspec says; `manager` are options of the manager. One that
        does not wait for the kernel's first answer may send cells before that, but misses their messages."""
        options = {"env": {**os.environ, **(env or {})}}
        if cwd:
            options["cwd"] = str(cwd)
        for remaining in (2, 1, 0):
            self.manager = KernelManager(kernel_name=kernel_name, **manager)
            if command:
                # The manager takes this for what it has read from disk.
                self.manager._kernel_spec = KernelSpec(argv=command, language="rust", display_name="under test")
            self.manager.start_kernel(**options)
            self.client = self.manager.client()
            self.client.start_channels()
            if not waits:
                return
            try:
                self.client.wait_for_ready(timeout=START_SECONDS)
                return
            except BaseException:
                taken = remaining and not self.manager.is_alive() and taken_ports(self.manager.get_connection_info())
                self.close()
                if not taken:
                    raise

    @property
    def pid(self) -> int:
        """The pid of the kernel process."""
        return self.manager.provisioner.process.pid

    def processes(self) -> list[psutil.Process]:
        """The kernel process and all its descendants."""
        kernel = psutil.Process(self.pid)
        return [kernel, *kernel.children(recursive=True)]

    def close(self) -> None:
        self.client.stop_channels()
        if self.manager.has_kernel:
            self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()

    def send(self, code: str, **options) -> str:
        """Sends a cell without waiting; returns the request's id."""
        options.setdefault("allow_stdin", False)
        return self.client.execute(code, **options)

    def send_cell(self, code: str, cell_id: str | None = "cell") -> str:
        """Sends a cell as front ends of notebooks do, with the cell's id."""
        metadata = {"cellId": cell_id} if cell_id else {}
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        message = self.client.session.msg("execute_request", content, metadata=metadata)
        self.client.shell_channel.send(message)
        return message["header"]["msg_id"]

    def run(self, code: str, seconds: float = CELL_SECONDS, on_message=None, **options) -> Result:
        """Runs a cell to its end."""
        return self.collect(self.send(code, **options), seconds, on_message)

    def check(self, code: str, seconds: float = CELL_SECONDS, **options) -> Result:
        """Runs a cell that must succeed."""
        result = self.run(code, seconds, **options)
        assert result.ok, f"the cell failed:\n{code}\n{plain(chr(10).join(result.reply.get('traceback', [])))}"
        assert not result.of("error"), result.summary()
        return result

    def collect(self, request: str, seconds: float = CELL_SECONDS, on_message=None) -> Result:
        """Gathers what belongs to a request until it is idle and replied to.

        `on_message(message)` is called as each message arrives, to act while the cell runs.
        """
        deadline = time.monotonic() + seconds
        messages: list[Message] = []
        while True:
            message = self.next_message(request, deadline, messages)
            if message.kind == "status" and message.content["execution_state"] == "idle":
                break
            messages.append(message)
            if on_message:
                on_message(message)
        return Result(self.reply(request, deadline), messages)

    def next_message(self, request: str, deadline: float, so_far: list[Message] = ()) -> Message:
        """The next iopub message of a request."""
        while True:
            try:
                raw = self.client.get_iopub_msg(timeout=max(deadline - time.monotonic(), 0.001))
            except Empty:
                seen = "\n".join(f"{message.kind}: {str(message.content)[:500]}" for message in so_far)
                raise AssertionError(f"the deadline passed before the cell was idle; so far:\n{seen}") from None
            if raw["parent_header"].get("msg_id") == request:
                return Message(raw["msg_type"], raw["content"], time.monotonic())

    def reply(self, request: str, deadline: float) -> dict:
        """The shell reply to a request."""
        while True:
            try:
                raw = self.client.get_shell_msg(timeout=max(deadline - time.monotonic(), 0.001))
            except Empty:
                raise AssertionError("the deadline passed before the reply came") from None
            if raw["parent_header"].get("msg_id") == request:
                return raw["content"]

    def ask(self, request: str, seconds: float = 240) -> dict:
        """The reply to a request that was sent by a method of the client, such as `client.complete(…)`."""
        return self.reply(request, time.monotonic() + seconds)

    def complete(self, code: str, cursor: int | None = None) -> dict:
        return self.ask(self.client.complete(code, len(code) if cursor is None else cursor))

    def completed(self, code: str) -> list[str]:
        """What completes the code, which something does. A question finds nothing while the assistant still starts; it is asked again then."""
        deadline = time.monotonic() + 240
        while not (matches := self.complete(code)["matches"]):
            assert time.monotonic() < deadline, f"nothing completes {code}"
        return matches

    def inspect(self, code: str, cursor: int | None = None) -> dict:
        return self.ask(self.client.inspect(code, len(code) if cursor is None else cursor))

    def is_complete(self, code: str) -> str:
        return self.ask(self.client.is_complete(code))["status"]

    def interrupt(self, seconds: float = 80) -> None:
        """Interrupts and waits for the answer: what is sent on another channel afterwards cannot come before it."""
        request = self.client.session.msg("interrupt_request", {})
        self.client.control_channel.send(request)
        deadline = time.monotonic() + seconds
        while True:
            reply = self.client.get_control_msg(timeout=max(deadline - time.monotonic(), 0.001))
            if reply["parent_header"].get("msg_id") == request["header"]["msg_id"]:
                return

    def interrupt_when(self, text: str):
        """For `on_message`: interrupts the kernel once this text was printed."""
        printed = ""
        done = False

        def act(message: Message) -> None:
            nonlocal printed, done
            if message.kind == "stream":
                printed += message.content["text"]
            if text in printed and not done:
                done = True
                self.manager.interrupt_kernel()

        return act


def cells_that_start_a_compiler(session: Session, cells: list[str]) -> list[str]:
    """Runs cells, and returns those for which the kernel's record says that a compiler ran."""
    compiled = []
    for cell in cells:
        session.run(cell)
        (line,) = re.findall(r"^  compiler .*$", session.check("%celltime").stdout, re.MULTILINE)
        if not line.endswith("not started") and not line.endswith(" 0.00 ms    0 %"):
            compiled.append(cell)
    return compiled
