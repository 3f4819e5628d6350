"""A Rust session: one kernel that cells are run in, one after another, with its variables."""

from __future__ import annotations

import atexit
import os
import signal
import threading
import time
import uuid
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Optional

import zmq

from .errors import RustInterrupted, SessionError, error_of
from .outputs import Output, RustValue, output_for
from .process import KernelProcess

#: Between looking whether the kernel is alive, in milliseconds.
_TICK = 200
#: From the third interrupt on, if the first one was so many seconds ago, the kernel itself is ended.
_PATIENCE = 5.0


class Session:
    """A Rust session. It starts with the first cell, and again with the next cell if its kernel has ended.

    >>> session = warpcell.Session()          # doctest: +SKIP
    >>> session.run("let x = 21;")            # doctest: +SKIP
    >>> session.run("x * 2")                  # doctest: +SKIP
    42

    The kernel ends with the Python process, whatever ends that.
    """

    def __init__(
        self,
        kernel_name: Optional[str] = None,
        transport: str = "ipc",
        env: Optional[Dict[str, str]] = None,
        cwd: Optional[str] = None,
        start_seconds: float = 900,
    ) -> None:
        """`kernel_name` is the kernelspec (default: `WARPCELL_KERNEL`, or else `warpcell`), `transport` is `ipc` or `tcp`,
        `env` changes environment variables of the kernel and its cells, `cwd` is their directory at the start. A first start on
        a machine may have to build the prelude: `start_seconds` is how long it may take."""
        self.kernel_name = kernel_name or os.environ.get("WARPCELL_KERNEL") or "warpcell"
        self._transport = transport
        self._env = env
        self._cwd = cwd
        self._start_seconds = start_seconds
        self._kernel: Optional[KernelProcess] = None
        self._busy = threading.Lock()
        self._mark = ""
        self._cells = 0
        self._owner = os.getpid()
        atexit.register(self._at_exit)

    @property
    def alive(self) -> bool:
        """Whether the kernel runs."""
        return self._kernel is not None and self._kernel.alive

    @property
    def pid(self) -> Optional[int]:
        """The number of the kernel's process."""
        return self._kernel.pid if self._kernel and self._kernel.alive else None

    def status(self) -> str:
        """One line on the session for a person."""
        if self._kernel is None:
            return "There is no Rust session; the next %%rust cell begins one."
        if not self._kernel.alive:
            return f"The Rust session has ended ({self._kernel.ended_by}); the next %%rust cell begins a new one."
        return f"The Rust session is process {self._kernel.pid} and has run {_cells(self._cells)}."

    def run(self, code: str, output: Optional[Output] = None, store_history: bool = True) -> Optional[RustValue]:
        """Runs a cell to its end; shows what it shows, as it comes; gives its value.

        Raises `RustError` if the cell fails, `RustInterrupted` if it was interrupted (Ctrl-C, or the notebook's stop button), and
        `SessionError` if there is no kernel or it ended.
        """
        output = output or output_for(current_shell())
        with self._exclusively():
            kernel = self._started(output)
            if store_history:
                self._cells += 1
            return _Run(self, kernel, output).execute(code, store_history)

    def folder(self, output: Optional[Output] = None) -> str:
        """A private folder for files that go between Python and Rust. It is removed with the session."""
        with self._exclusively():
            return str(self._started(output or output_for(current_shell())).folder)

    def restart(self, output: Optional[Output] = None) -> None:
        """Ends the kernel and starts another one, with nothing of the old one."""
        with self._exclusively():
            self._end()
            self._started(output or output_for(current_shell()))

    def shutdown(self) -> None:
        """Ends the kernel with all that it had. The next cell begins a new session."""
        with self._exclusively():
            self._end()

    def _end(self) -> None:
        kernel, self._kernel = self._kernel, None
        self._cells = 0
        if kernel is not None:
            kernel.shut_down()

    def _at_exit(self) -> None:
        if os.getpid() == self._owner:
            self._end()

    @contextmanager
    def _exclusively(self) -> Iterator[None]:
        if os.getpid() != self._owner:
            raise SessionError("the Rust session belongs to the process that this one was forked from; begin another: warpcell.Session()")
        if not self._busy.acquire(blocking=False):
            raise SessionError("the Rust session is running another cell; wait for it, or begin a second one: warpcell.Session()")
        try:
            yield
        finally:
            self._busy.release()

    def _started(self, output: Output) -> KernelProcess:
        if self._kernel is not None and not self._kernel.alive:
            output.stream(
                "stderr",
                f"The Rust session had ended ({self._kernel.ended_by}). What its {_cells(self._cells)} had defined is lost; "
                "a new session begins.\n",
            )
            self._kernel.close(0)
            self._kernel = None
        if self._kernel is None:
            kernel = KernelProcess(self.kernel_name, self._transport, self._env, self._cwd)
            try:
                kernel.wait_until_ready(
                    self._start_seconds,
                    lambda: output.stream("stderr", "The Rust session is starting; the first time on a machine this may take minutes.\n"),
                )
            except BaseException as error:
                kernel.close(0)
                if isinstance(error, KeyboardInterrupt):
                    raise RustInterrupted("interrupted while the Rust session was starting: it has not begun", []) from None
                raise
            self._kernel, self._cells, self._mark = kernel, 0, uuid.uuid4().hex
        return self._kernel


class _Run:
    """One cell that runs."""

    def __init__(self, session: Session, kernel: KernelProcess, output: Output) -> None:
        self._session = session
        self._kernel = kernel
        self._output = output
        self._value: Optional[RustValue] = None
        self._error: Optional[BaseException] = None
        self._interrupts = 0
        self._first_interrupt = 0.0
        # An interrupt raises where nothing can be lost by it: while this waits, and while the user is asked.
        self._may_raise = False
        self._pending = False

    def execute(self, code: str, store_history: bool) -> Optional[RustValue]:
        kernel = self._kernel
        content = {
            "code": code,
            "silent": False,
            "store_history": store_history,
            "user_expressions": {},
            "allow_stdin": self._output.takes_input,
            "stop_on_error": True,
        }
        with self._interrupts_noted():
            # The kernel tells notebooks from terminals by this: in a notebook progress is a bar, updated in place.
            metadata = {"cellId": "warpcell"} if self._output.is_notebook else {}
            request = kernel.send(kernel.shell, "execute_request", content, metadata)
            self._follow(request)
        if self._error is not None:
            raise self._error
        if self._interrupts or self._pending:
            raise RustInterrupted("the cell had come to its end when it was interrupted", [])
        return self._value

    def _follow(self, request: str) -> None:
        """Shows what comes until the kernel has answered and is idle."""
        kernel = self._kernel
        poller = zmq.Poller()
        for socket in (kernel.iopub, kernel.stdin, kernel.shell, kernel.control):
            poller.register(socket, zmq.POLLIN)
        replied = idle = False
        while not (replied and idle):
            ready = self._wait(poller)
            while True:
                message = kernel.receive(kernel.iopub)
                if message is None:
                    break
                own = message["parent_header"].get("msg_id") == request
                idle = self._show(message["header"]["msg_type"], message["content"], own) or idle
            if kernel.shell in ready:
                message = kernel.receive(kernel.shell)
                if message and message["parent_header"].get("msg_id") == request:
                    replied = True
                    if message["content"].get("status") == "error" and self._error is None:
                        self._error = error_of(message["content"])
            if kernel.control in ready:
                kernel.receive(kernel.control)
            if kernel.stdin in ready:
                message = kernel.receive(kernel.stdin)
                if message and message["header"]["msg_type"] == "input_request":
                    self._ask(message["content"])
            if not ready and not kernel.alive:
                self._error = SessionError(
                    f"the Rust kernel ended while the cell ran ({kernel.ended_by}). What the cells of this session had defined is "
                    f"lost; the next %%rust cell begins a new session.{kernel.last_words}"
                )
                return

    def _wait(self, poller: zmq.Poller) -> Dict[Any, int]:
        """What is ready; an interrupt is passed on to the kernel."""
        ready: Dict[Any, int] = {}
        try:
            self._may_raise = True
            if self._pending:
                raise KeyboardInterrupt
            ready = dict(poller.poll(_TICK))
            self._may_raise = False
        except KeyboardInterrupt:
            self._may_raise = False
            self._interrupt()
        return ready

    def _interrupt(self) -> None:
        self._pending = False
        self._interrupts += 1
        now = time.monotonic()
        if self._interrupts == 1:
            self._first_interrupt = now
        if self._interrupts >= 3 and now - self._first_interrupt > _PATIENCE:
            self._kernel.process.kill()
        else:
            self._kernel.send(self._kernel.control, "interrupt_request", {})

    def _ask(self, content: Dict[str, Any]) -> None:
        """Asks the user. Who gives no answer interrupts the cell: the protocol has no other refusal."""
        try:
            self._may_raise = True
            answer = self._output.input(str(content.get("prompt", "")), bool(content.get("password")))
            self._may_raise = False
        except (KeyboardInterrupt, EOFError):
            self._may_raise = False
            self._interrupt()
        except Exception as error:  # a client that takes no input after all
            self._may_raise = False
            self._output.stream("stderr", f"The question was not asked: {error}\n")
            self._interrupt()
        else:
            self._kernel.send(self._kernel.stdin, "input_reply", {"value": answer})

    def _show(self, kind: str, content: Dict[str, Any], own: bool) -> bool:
        """Shows a message; says whether the cell has come to its end. What threads of earlier cells print is shown too."""
        if kind == "stream":
            self._output.stream(content["name"], content["text"])
        elif kind in ("display_data", "update_display_data"):
            name = (content.get("transient") or {}).get("display_id")
            # Another session, before or after this one, uses the same names.
            name = f"{self._session._mark}-{name}" if name else None
            self._output.display(content["data"], content.get("metadata") or {}, name, kind == "update_display_data")
        elif kind == "clear_output":
            self._output.clear(bool(content.get("wait")))
        elif own and kind == "execute_result":
            self._value = RustValue(content["data"], content.get("metadata"))
        elif own and kind == "error":
            self._error = error_of(content)
        return own and kind == "status" and content.get("execution_state") == "idle"

    @contextmanager
    def _interrupts_noted(self) -> Iterator[None]:
        """Within this, SIGINT raises where it may and is remembered elsewhere."""
        if threading.current_thread() is not threading.main_thread():
            yield  # Python interrupts its main thread only
            return

        def note(_number: int, _frame: Any) -> None:
            if self._may_raise:
                raise KeyboardInterrupt
            self._pending = True

        before = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before if before is not None else signal.default_int_handler)


_default: Optional[Session] = None


def session() -> Session:
    """The session of `%%rust`, made when it is first asked for."""
    global _default
    if _default is None or _default._owner != os.getpid():
        _default = Session()
    return _default


def current_shell() -> Any:
    """The running IPython, if there is one."""
    try:
        from IPython import get_ipython  # type: ignore[attr-defined]
    except ImportError:
        return None
    return get_ipython()


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"

