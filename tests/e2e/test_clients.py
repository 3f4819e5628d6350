"""Real clients other than JupyterLab: nbclient, papermill, `jupyter console`, the server of Notebook 7; and a notebook that
was made for evcxr's own kernel."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
import pexpect
import pytest
import websocket
from nbclient import NotebookClient

from .session import KERNEL, plain

# A pixel, as crates for images print it.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

# Each cell with what must be in its outputs: by MIME type, or `stream` and `error`.
EVCXR_NOTEBOOK = [
    ('println!("Hello world");\neprintln!("Hello error");', {"stream": "Hello world"}),
    (':dep rand = "0.9"\n:dep either', {}),
    ("use rand::Rng;\nlet mut rng = rand::rng();\nlet number: u32 = rng.random_range(1..2);\nnumber", {"text/plain": "1"}),
    ("use std::fmt::Debug;\npub struct Matrix<T> { pub values: Vec<T>, pub row_size: usize }", {}),
    (
        """
        impl<T: Debug> Matrix<T> {
            pub fn evcxr_display(&self) {
                let mut html = String::from("<table>");
                for row in self.values.chunks(self.row_size) {
                    html.push_str("<tr>");
                    for value in row { html.push_str(&format!("<td>{:?}</td>", value)); }
                    html.push_str("</tr>");
                }
                html.push_str("</table>");
                println!("EVCXR_BEGIN_CONTENT text/html\\n{}\\nEVCXR_END_CONTENT", html);
            }
        }
        let m = Matrix { values: vec![1, 2, 3, 4], row_size: 2 };
        m
        """,
        {"text/html": "<tr><td>3</td><td>4</td></tr>"},
    ),
    (
        f"""
        struct Image;
        impl Image {{
            fn evcxr_display(&self) {{ println!("EVCXR_BEGIN_CONTENT image/png\\n{PNG}\\nEVCXR_END_CONTENT"); }}
        }}
        let image = Image;
        image
        """,
        {"image/png": PNG},
    ),
    ('println!("EVCXR_BEGIN_CONTENT text/markdown\\n**bold**\\nEVCXR_END_CONTENT");', {"text/markdown": "**bold**"}),
    ('let mut message = "Hello ".to_owned();', {}),
    ('message.push_str("world!");\nmessage', {"text/plain": '"Hello world!"'}),
    (":vars", {"text": "message"}),
    (":types", {}),
    ("2 + 3", {"text/plain": "5"}),
    (":types", {}),
    (":help", {"text": ":dep"}),
    ("let i: i32 = message;", {"error": "mismatched types"}),
    ("let handle = std::thread::spawn(|| 40 + 2);\nhandle.join().unwrap()", {"text/plain": "42"}),
    ('std::fs::read_to_string("/nonexistent")?;', {"error": "No such file"}),
    ("message.len()", {"text/plain": "12"}),
]


def notebook(cells: list[str], failing: tuple[int, ...] = ()) -> nbformat.NotebookNode:
    book = nbformat.v4.new_notebook()
    book.metadata.kernelspec = {"name": KERNEL, "display_name": "Rust GPU", "language": "rust"}
    book.metadata.language_info = {"name": "rust"}
    for number, cell in enumerate(cells):
        metadata = {"tags": ["raises-exception"]} if number in failing else {}
        book.cells.append(nbformat.v4.new_code_cell(cell, metadata=metadata))
    return book


def found(outputs: list, kind: str) -> str:
    """All the text of outputs of a kind."""
    texts = []
    for output in outputs:
        if output.output_type == "stream" and kind in ("stream", "text"):
            texts.append(output.text)
        elif output.output_type == "error" and kind == "error":
            texts.append(plain("\n".join([output.evalue, *output.traceback])))
        elif output.output_type in ("display_data", "execute_result"):
            texts += [text for mime, text in output.data.items() if mime == kind or kind == "text"]
    return "\n".join(map(str, texts))


def test_a_notebook_made_for_evcxr_runs_unchanged(tmp_path):
    failing = tuple(number for number, (_, expected) in enumerate(EVCXR_NOTEBOOK) if "error" in expected)
    book = notebook([code for code, _ in EVCXR_NOTEBOOK], failing)
    NotebookClient(book, timeout=480, kernel_name=KERNEL, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell, (code, expected) in zip(book.cells, EVCXR_NOTEBOOK, strict=True):
        if "error" not in expected:
            assert not found(cell.outputs, "error"), f"{code}\n{found(cell.outputs, 'error')}"
        for kind, text in expected.items():
            assert text in found(cell.outputs, kind), f"{code}\n{cell.outputs}"


def test_papermill(tmp_path):
    source, result = tmp_path / "in.ipynb", tmp_path / "out.ipynb"
    nbformat.write(notebook(["let seven = 7;", 'println!("{}", 6 * seven);', "seven"]), source)
    command = [sys.executable, "-m", "papermill", "--no-progress-bar", source, result]
    subprocess.run(command, check=True, timeout=720, cwd=tmp_path)
    book = nbformat.read(result, as_version=4)
    assert found(book.cells[1].outputs, "stream") == "42\n"
    assert found(book.cells[2].outputs, "text/plain") == "7"
    assert all(cell.metadata.papermill.status == "completed" for cell in book.cells)


def test_papermill_stops_at_an_error(tmp_path):
    source, result = tmp_path / "in.ipynb", tmp_path / "out.ipynb"
    nbformat.write(notebook(['panic!("here");', 'println!("never");']), source)
    command = [sys.executable, "-m", "papermill", "--no-progress-bar", source, result]
    ended = subprocess.run(command, timeout=720, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode != 0 and "here" in ended.stderr
    assert not any("never" in found(cell.get("outputs", []), "stream") for cell in nbformat.read(result, as_version=4).cells)


def test_jupyter_console(tmp_path):
    env = {**os.environ, "TERM": "dumb", "IPYTHONDIR": str(tmp_path), "JUPYTER_CONFIG_DIR": str(tmp_path)}
    command = ["-m", "jupyter_console", "--kernel", KERNEL, "--simple-prompt"]
    console = pexpect.spawn(sys.executable, command, env=env, timeout=240, encoding="utf-8", dimensions=(40, 200))
    try:
        console.expect(r"In \[1\]:")
        console.sendline("let six = 6;")
        console.expect(r"In \[2\]:")
        console.sendline("six * 7")
        console.expect(r"Out\[2\]: 42")
        console.expect(r"In \[3\]:")
        console.sendline('let name = gpu::input("Your name? "); println!("Hello, {name}!");')
        console.expect(r"Your name\? ")
        console.sendline("Zoe")
        console.expect("Hello, Zoe!")
        console.expect(r"In \[4\]:")
        console.sendline("missing")
        console.expect("cannot find value")
        console.expect(r"In \[5\]:")
        console.sendline("six + 1")
        console.expect(r"Out\[5\]: 7")
        console.expect(r"In \[6\]:")
        console.sendeof()
        console.expect("really want to exit")
        console.sendline("y")
        console.expect(pexpect.EOF)
    finally:
        console.close(force=True)


class Server:
    """The server of Notebook 7, by its interface for programs."""

    TOKEN = "test"

    def __init__(self, address: str):
        self.address = address

    def ask(self, path: str, method: str = "GET", body: dict | None = None):
        data = json.dumps(body).encode() if body is not None else None
        headers = {"Authorization": f"token {self.TOKEN}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.address}{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=480) as response:
            text = response.read().decode()
        return text if "text/html" in response.headers.get("Content-Type", "") else json.loads(text or "null")

    def connect(self, kernel: str) -> websocket.WebSocket:
        address = self.address.replace("http", "ws")
        return websocket.create_connection(f"{address}api/kernels/{kernel}/channels?token={self.TOKEN}", timeout=480)


def run(connection: websocket.WebSocket, code: str, on_stream=None) -> list[dict]:
    """Runs a cell over a websocket; gives the messages up to idle and reply."""
    identity = f"{time.monotonic_ns()}"
    header = {"msg_id": identity, "username": "u", "session": "s", "msg_type": "execute_request", "version": "5.4"}
    header["date"] = "2026-01-01T00:00:00Z"
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": True}
    message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
    connection.send(json.dumps({**message, "buffers": []}))
    messages, kinds = [], set()
    while not {"idle", "execute_reply"} <= kinds:
        message = json.loads(connection.recv())
        if message["parent_header"].get("msg_id") != identity:
            continue
        messages.append(message)
        kinds.add(message["content"].get("execution_state", message["msg_type"]))
        if on_stream and message["msg_type"] == "stream":
            on_stream()
    return messages


def of(messages: list[dict], kind: str) -> list[dict]:
    return [message["content"] for message in messages if message["msg_type"] == kind]


@pytest.fixture
def server(tmp_path):
    env = {**os.environ, "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"), "JUPYTER_CONFIG_DIR": str(tmp_path / "config")}
    command = [
        sys.executable, "-m", "notebook", "--no-browser", "--allow-root", f"--IdentityProvider.token={Server.TOKEN}",
        "--ServerApp.port=0", "--ServerApp.ip=127.0.0.1", f"--ServerApp.root_dir={tmp_path}",
    ]  # fmt: skip
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(command, cwd=tmp_path, env=env, stdout=log, stderr=log)
        try:
            yield Server(address_of(process, tmp_path))
        finally:
            process.terminate()
            process.wait(timeout=240)


def address_of(process: subprocess.Popen, folder: Path) -> str:
    deadline = time.monotonic() + 240
    while True:
        for file in (folder / "runtime").glob("jpserver-*.json"):
            try:
                address = json.loads(file.read_text())["url"]
                urllib.request.urlopen(f"{address}api", timeout=40).close()
                return address
            except (ValueError, urllib.error.URLError):
                pass  # the file is being written, or the server does not listen yet
        assert process.poll() is None and time.monotonic() < deadline, (folder / "log").read_text()


def test_notebook_7(server):
    assert "Jupyter Notebook" in server.ask("tree")
    assert server.ask("api/kernelspecs")["kernelspecs"][KERNEL]["spec"]["display_name"] == "Rust GPU"
    kernel = server.ask("api/kernels", "POST", {"name": KERNEL})["id"]
    connection = server.connect(kernel)
    assert of(run(connection, "let six = 6; six * 7"), "execute_result")[0]["data"]["text/plain"] == "42"

    def interrupt():
        server.ask(f"api/kernels/{kernel}/interrupt", "POST")

    messages = run(connection, 'println!("running"); loop { std::thread::yield_now() }', interrupt)
    assert of(messages, "error")[0]["ename"] == "Interrupted"
    server.ask(f"api/kernels/{kernel}/restart", "POST")
    connection.close()
    connection = server.connect(kernel)
    assert of(run(connection, "six"), "error"), "a restart forgets variables"
    assert of(run(connection, "1 + 1"), "execute_result")[0]["data"]["text/plain"] == "2"
    connection.close()
    server.ask(f"api/kernels/{kernel}", "DELETE")
    assert server.ask("api/kernels") == []
