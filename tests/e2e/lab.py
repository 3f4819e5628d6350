"""JupyterLab in a real browser: fixtures for the tests of what people see, and what such tests do with a page.

Needs Chromium: $WARPCELL_CHROMIUM, or `chromium` or `google-chrome` in PATH. WARPCELL_SCREENSHOTS names a folder that gets
pictures of what was tested.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil
import pytest
from playwright.sync_api import sync_playwright

from e2e.session import KERNEL

TOKEN = "test"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# The pictures in outputs and of widgets, and the charts that JupyterLab draws.
PICTURES = ".jp-RenderedImage img, .jp-RenderedVegaLite canvas, .jp-OutputArea-output img.widget-image"
# The open notebook's widget, in the page.
CURRENT = "window.jupyterapp.shell.currentWidget"


def write_notebook(path: Path, cells: list[str]) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    notebook.metadata["kernelspec"] = {"name": KERNEL, "display_name": "Rust GPU", "language": "rust"}
    nbformat.write(notebook, path)


@pytest.fixture(scope="module")
def browser():
    path = os.environ.get("WARPCELL_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    assert path, "Chromium is needed: install it, or name it in WARPCELL_CHROMIUM"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Lab:
    """A running JupyterLab: its address, and the folder whose notebooks it shows."""

    url: str
    folder: Path


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """JupyterLab on an empty folder, as if for its first user."""
    folder = tmp_path_factory.mktemp("notebooks")
    with jupyterlab(folder, write_settings(tmp_path_factory.mktemp("settings"))) as url:
        yield Lab(url, folder)


def write_settings(settings: Path) -> Path:
    """Settings of JupyterLab that tests need, in this folder."""
    # Without windowing every cell is in the page, so that a test can look at any of them.
    (settings / "@jupyterlab/notebook-extension").mkdir(parents=True)
    (settings / "@jupyterlab/notebook-extension/tracker.jupyterlab-settings").write_text('{"windowingMode": "none"}')
    (settings / "@jupyterlab/apputils-extension").mkdir(parents=True)
    (settings / "@jupyterlab/apputils-extension/notification.jupyterlab-settings").write_text(
        '{"fetchNews": "false", "checkForUpdates": false}'
    )
    (settings / "@jupyterlab/completer-extension").mkdir(parents=True)
    (settings / "@jupyterlab/completer-extension/manager.jupyterlab-settings").write_text('{"showDocumentationPanel": true}')
    return settings


@contextmanager
def jupyterlab(folder: Path, settings: Path, *options: str, **environment: str):
    """A JupyterLab server on a folder; gives its address."""
    runtime = Path(tempfile.mkdtemp(prefix="jupyter-"))
    log_file = settings / "lab.log"
    env = {
        **os.environ,
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(settings / "workspaces"),
        "JUPYTER_RUNTIME_DIR": str(runtime),
        "JUPYTER_CONFIG_DIR": str(settings / "config"),
        **environment,
    }
    with log_file.open("w") as log:
        server = subprocess.Popen(
            [
                sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--IdentityProvider.token={TOKEN}",
                "--ServerApp.port=0", "--ServerApp.ip=127.0.0.1", f"--ServerApp.root_dir={folder}",
                "--LabApp.expose_app_in_browser=True", *options,
            ],
            cwd=folder, env=env, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            yield wait_for_server(server, runtime, log_file)
        finally:
            end(server)
            shutil.rmtree(runtime, ignore_errors=True)


def end(server: subprocess.Popen) -> None:
    """Ends the server. Seldom it waits for its own sockets forever, if a kernel was shut down just before; its kernels must be gone then."""
    server.terminate()
    try:
        server.wait(timeout=240)
    except subprocess.TimeoutExpired:
        left = psutil.Process(server.pid).children(recursive=True)
        server.kill()
        server.wait()
        assert not left, f"JupyterLab did not end, and left {left}"


def wait_for_server(server: subprocess.Popen, runtime: Path, log: Path) -> str:
    deadline = time.monotonic() + 480
    while time.monotonic() < deadline and server.poll() is None:
        for file in runtime.glob("jpserver-*.json"):
            try:
                url = json.loads(file.read_text())["url"]
                urllib.request.urlopen(f"{url}api?token={TOKEN}", timeout=5)
                return url
            except (json.JSONDecodeError, urllib.error.URLError, OSError):
                pass
        time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()[-4000:]}")


def open_notebook(browser, url, name):
    """The page with this notebook of the server at this address, and an idle kernel."""
    page = browser.new_page(viewport={"width": 1100, "height": 900}, device_scale_factor=1)
    page.set_default_timeout(120_000)
    # Without what another test had open.
    page.goto(f"{url}lab/tree/{name}?reset&token={TOKEN}")
    page.wait_for_function("() => window.jupyterapp?.shell.currentWidget?.context?.isReady")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    page.wait_for_function(f"() => {CURRENT}.sessionContext.session?.kernel?.status === 'idle'", timeout=120_000)
    return page


def run_all(page):
    """Begins to run all cells as the menu does. The command's own promise ends with the first cell that fails, also one that
    is meant to, while the cells behind it still run."""
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells').catch(() => {}); }")


def wait_for_the_end(page, seconds):
    """Waits until all cells have run: each has its number, and the kernel is idle."""
    page.wait_for_function(
        f"""() => {{
            const cells = {CURRENT}.content.model.toJSON().cells;
            const due = cells.filter(cell => cell.cell_type === 'code' && [].concat(cell.source).join('').trim());
            return due.every(cell => cell.execution_count) && {CURRENT}.sessionContext.session?.kernel?.status === 'idle';
        }}""",
        timeout=seconds * 1000,
    )


def cells_of(page):
    """The cells of the page's notebook, with their outputs."""
    return page.evaluate(f"() => {CURRENT}.content.model.toJSON().cells")


def saved(page, lab):
    """The page's notebook as JupyterLab saves it."""
    page.evaluate(f"() => {CURRENT}.context.save()")
    path = lab.folder / page.evaluate(f"() => {CURRENT}.context.path")
    return nbformat.read(path, as_version=4)


def hide_the_sidebar(page):
    page.evaluate("() => window.jupyterapp.commands.execute('application:toggle-left-area')")


def close(page):
    """Ends the page's kernel and closes the page."""
    page.evaluate(f"() => {CURRENT}.sessionContext.shutdown()")
    page.close()


def screenshots(otherwise):
    """The folder for pictures, or else one that is given."""
    folder = Path(os.environ.get("WARPCELL_SCREENSHOTS") or otherwise)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
