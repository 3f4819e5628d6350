"""A real JupyterHub on loopback, with real users of the system, and what they do: kernels and cells through the hub's proxy.

Every wait has a deadline and nothing sleeps.
"""

from __future__ import annotations

import json
import os
import pwd
import queue
import secrets
import socket
import subprocess
import threading
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path

import requests
import websocket

from e2e.session import Message, Result, taken_ports
from hub.shared import Shared

START_SECONDS = 480
CELL_SECONDS = 720
# Homes that others may look into, as on many machines: what is private must be so by itself.
HOME_MODE = 0o755

CONFIG = """
c.JupyterHub.bind_url = {url!r}
c.JupyterHub.hub_bind_url = "http://127.0.0.1:{hub_port}"
c.JupyterHub.db_url = "sqlite:///{state}/hub.sqlite"
c.JupyterHub.cookie_secret_file = "{state}/cookie_secret"
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{proxy_port}"
c.ConfigurableHTTPProxy.command = ["node", {proxy!r}]
c.ConfigurableHTTPProxy.pid_file = "{state}/proxy.pid"
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.cmd = [{python!r}, "-m", "jupyterhub.singleuser"]
c.Spawner.default_url = "/lab"
c.Spawner.start_timeout = c.Spawner.http_timeout = {seconds}
c.Spawner.env_keep = []
c.Spawner.environment = {{
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "JUPYTER_PATH": {jupyter_path!r},
    # So that a user's disk can be full without that of the others being it.
    "TMPDIR": lambda spawner: {temporary!r}.get(spawner.user.name, "/tmp"),
}}
c.JupyterHub.services = [{{"name": "tests", "api_token": {token!r}}}]
c.JupyterHub.load_roles = [{{
    "name": "tests",
    "services": ["tests"],
    "scopes": ["admin:users", "admin:servers", "access:servers"],
}}]
"""


def free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@dataclass
class User:
    """A user of the system."""

    name: str
    uid: int
    gid: int
    home: Path
    temporary: Path

    @property
    def cache(self) -> Path:
        return self.home / ".cache/warpcell"

    @property
    def runtime(self) -> Path:
        """Where Jupyter keeps connection files."""
        return self.home / ".local/share/jupyter/runtime"

    def run(self, command: list, **options) -> subprocess.CompletedProcess:
        """Runs a command as this user."""
        options = {"cwd": "/", "capture_output": True, "text": True, "timeout": 60, **options}
        env = {"HOME": str(self.home), "PATH": "/usr/local/bin:/usr/bin:/bin"}
        return subprocess.run(command, user=self.uid, group=self.gid, extra_groups=[], env=env, **options)


def make_user(name: str, shared: Shared, private_temporary: bool) -> User:
    home = shared.homes / name
    subprocess.run(["useradd", "--create-home", "--home-dir", home, "--user-group", "--shell", "/bin/bash", name], check=True)
    home.chmod(HOME_MODE)
    entry = pwd.getpwnam(name)
    temporary = Path("/tmp")
    if private_temporary:
        temporary = home / "disk"
        temporary.mkdir()
        os.chown(temporary, entry.pw_uid, entry.pw_gid)
    return User(name, entry.pw_uid, entry.pw_gid, home, temporary)


def remove_user(user: User) -> None:
    subprocess.run(["pkill", "-KILL", "-u", user.name])
    subprocess.run(["userdel", "--force", user.name], check=True, stderr=subprocess.DEVNULL)


@dataclass
class Hub:
    """A running hub."""

    shared: Shared
    users: list[User]
    log: list[str] = field(default_factory=list)

    def start(self) -> None:
        port, hub_port, proxy_port = free_ports(3)
        self.token = secrets.token_hex(16)
        self.url = f"http://127.0.0.1:{port}"
        state = self.shared.base / "hub"
        state.mkdir(mode=0o700)
        config = state / "jupyterhub_config.py"
        config.write_text(
            CONFIG.format(
                url=self.url, hub_port=hub_port, proxy_port=proxy_port, state=state, token=self.token,
                proxy=str(self.shared.proxy), python=str(self.shared.python), seconds=START_SECONDS,
                jupyter_path=str(self.shared.prefix / "share/jupyter"),
                temporary={user.name: str(user.temporary) for user in self.users},
            )
        )  # fmt: skip
        self.process = subprocess.Popen(
            [self.shared.python, "-m", "jupyterhub", "--config", config],
            cwd=state, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        lines: queue.Queue[str | None] = queue.Queue()

        def read() -> None:
            for line in self.process.stdout:
                self.log.append(line)
                lines.put(line)
            lines.put(None)

        threading.Thread(target=read, daemon=True).start()
        deadline = time.monotonic() + START_SECONDS
        while "JupyterHub is now running" not in (line := self._next(lines, deadline)):
            assert line, f"the hub has ended:\n{''.join(self.log)}"

    def _next(self, lines: queue.Queue[str | None], deadline: float) -> str:
        try:
            return lines.get(timeout=max(deadline - time.monotonic(), 0.001)) or ""
        except queue.Empty:
            raise AssertionError(f"the hub does not start:\n{''.join(self.log)}") from None

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def ask(self, method: str, path: str, **options) -> requests.Response:
        options.setdefault("timeout", START_SECONDS)
        reply = requests.request(method, self.url + path, headers=self.headers, **options)
        assert reply.ok, f"{method} {path}: {reply.status_code} {reply.text}\n{''.join(self.log[-40:])}"
        return reply

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"token {self.token}"}

    def start_server(self, user: User) -> None:
        """Starts a user's server, and waits until it answers."""
        self.ask("POST", f"/hub/api/users/{user.name}")
        self.ask("POST", f"/hub/api/users/{user.name}/server")
        progress = self.ask("GET", f"/hub/api/users/{user.name}/server/progress", stream=True)
        for line in progress.iter_lines(decode_unicode=True):
            if line.startswith("data:"):
                event = json.loads(line.removeprefix("data:"))
                assert not event.get("failed"), f"{event}\n{''.join(self.log[-40:])}"
                if event.get("ready"):
                    return
        raise AssertionError(f"the server of {user.name} is not ready:\n{''.join(self.log[-40:])}")


class Notebook:
    """A kernel of a user, started and used through the hub."""

    def __init__(self, hub: Hub, user: User):
        self.hub, self.user = hub, user
        self.session = uuid.uuid4().hex
        for _ in range(3):  # as a user does whose kernel met a port that another program has
            self.id = hub.ask("POST", f"/user/{user.name}/api/kernels", json={"name": "warpcell"}).json()["id"]
            connection = json.loads(self.connection_file.read_text())
            try:
                self.connect()
                self.end(self.send("kernel_info_request", {}), START_SECONDS)
                return
            except websocket.WebSocketException as error:
                # The server has given the kernel up: it restarts one five times, and always with the same ports.
                why = f"no kernel for {user.name}: {error}\n{''.join(hub.log[-40:])}"
                assert taken_ports(connection), why
        raise AssertionError(why)

    def connect(self) -> None:
        path = f"/user/{self.user.name}/api/kernels/{self.id}/channels?session_id={self.session}"
        self.socket = websocket.create_connection(
            self.hub.url.replace("http", "ws", 1) + path, timeout=START_SECONDS, header=self.hub.headers
        )

    @property
    def connection_file(self) -> Path:
        return self.user.runtime / f"kernel-{self.id}.json"

    def send(self, kind: str, content: dict) -> str:
        header = {
            "msg_id": uuid.uuid4().hex, "msg_type": kind, "session": self.session, "username": self.user.name,
            "date": "2026-01-01T00:00:00Z", "version": "5.3",
        }  # fmt: skip
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        self.socket.send(json.dumps({**message, "buffers": []}))
        return header["msg_id"]

    def begin(self, code: str) -> str:
        """Sends a cell without waiting."""
        options = {"silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False, "stop_on_error": True}
        return self.send("execute_request", {"code": code, **options})

    def end(self, request: str, seconds: float = CELL_SECONDS, until=None) -> Result:
        """What the cell has caused when it is over, or when `until` is true of a message."""
        deadline = time.monotonic() + seconds
        messages, reply, idle = [], None, False
        while reply is None or not idle:
            self.socket.settimeout(max(deadline - time.monotonic(), 0.001))
            raw = json.loads(self.socket.recv())
            if raw["parent_header"].get("msg_id") != request:
                continue
            if raw["channel"] == "shell":
                reply = raw["content"]
            elif raw["msg_type"] == "status":
                idle = raw["content"]["execution_state"] == "idle"
            else:
                messages.append(Message(raw["msg_type"], raw["content"], time.monotonic()))
                if until and until(messages[-1]):
                    break
        return Result(reply or {}, messages)

    def run(self, code: str, seconds: float = CELL_SECONDS) -> Result:
        return self.end(self.begin(code), seconds)

    def check(self, code: str, seconds: float = CELL_SECONDS) -> Result:
        result = self.run(code, seconds)
        assert result.ok, f"{self.user.name}: {code}\n{result.summary()}"
        return result

    def close(self) -> None:
        self.socket.close()
        self.hub.ask("DELETE", f"/user/{self.user.name}/api/kernels/{self.id}")
