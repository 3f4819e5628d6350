"""The notebook for Colab in JupyterLab, in a Python environment with Colab's versions, all kernels over ipc as Colab starts them: it
installs the wheel, checks, and runs lesson 1 by `%%rust`; then the Rust kernel itself is selected.

What only Colab has is not here: its own interface, its choice of the kernels that it lists, a GPU. Rust is found, so that it need
not be fetched. WARPCELL_SCREENSHOTS is a folder for pictures.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import TimeoutError

from e2e.lab import browser, jupyterlab, open_notebook, write_notebook, write_settings  # noqa: F401 - fixtures

from .notebook import COLAB, ROOT
from .wheel import environment, wheel

MAGIC_CELLS = [
    "%pip install --quiet warpcell-*.whl",
    "%load_ext warpcell\n![ -e lessons ] || warpcell lessons export --instructor lessons",
    "%%rust\nlet kept = 42;",
    '%%rust\nfor _ in gpu::progress(0..3).label("before") {}\nprintln!("begun");\nloop {}',
    "%%rust\nkept",
    "%rust --shutdown",
]


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """A machine like Colab's with JupyterLab: the folder of its notebooks, and the server's address."""
    if not COLAB:
        pytest.fail("WARPCELL_TEST_COLAB names no Python with Colab's packages; tests/run magic makes one")
    folder = tmp_path_factory.mktemp("colab")
    content = folder / "content"
    content.mkdir()
    shutil.copy(ROOT / "assets/colab/warpcell.ipynb", content)
    write_python_notebook(content / "magic.ipynb", MAGIC_CELLS)
    wheel(content)
    python = environment(COLAB, folder / "environment")
    kernel = folder / "jupyter/kernels/python3"
    kernel.mkdir(parents=True)
    specification = {
        "argv": [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"],
        "display_name": "Python 3",
        "language": "python",
        # pip finds in this environment what the wheel needs. What it installs is looked for there by Python and the shell alike.
        "env": {"PATH": f"{python.parent}:{os.environ['PATH']}", "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    }
    (kernel / "kernel.json").write_text(json.dumps(specification))
    kernels = f"{folder / 'jupyter'}:{folder / 'environment/share/jupyter'}"
    with jupyterlab(content, write_settings(folder / "settings"), "--KernelManager.transport=ipc", JUPYTER_PATH=kernels) as address:
        yield content, address


def write_python_notebook(path: Path, cells: list[str]) -> None:
    write_notebook(path, cells)
    notebook = json.loads(path.read_text())
    notebook["metadata"]["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path.write_text(json.dumps(notebook))


def run_all(page, milliseconds: int = 400_000) -> list[dict]:
    """Runs all cells as the menu does; gives them with their outputs."""
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells').catch(() => {}); }")
    wait_for_all(page, milliseconds)
    return cells_of(page)


def wait_for_all(page, milliseconds: int) -> None:
    wait(
        page,
        """() => {
            const current = window.jupyterapp.shell.currentWidget;
            const cells = current.content.model.toJSON().cells.filter(cell => cell.cell_type === 'code');
            return (cells.every(cell => cell.execution_count) || cells.some(cell => cell.outputs.some(output => output.ename)))
                && current.sessionContext.session?.kernel?.status === 'idle';
        }""",
        milliseconds,
    )


def wait(page, condition: str, milliseconds: int) -> None:
    """Waits for a condition; says what the cells show if it does not come."""
    try:
        page.wait_for_function(condition, timeout=milliseconds)
    except TimeoutError:
        shown = [(cell["source"], cell.get("outputs")) for cell in cells_of(page)]
        raise AssertionError(f"not within {milliseconds / 1000} s; the cells are {str(shown)[:4000]}") from None


def cells_of(page) -> list[dict]:
    return page.evaluate("() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells")


def errors(cells: list[dict]) -> list[str]:
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return ["\n".join(output["traceback"]) for output in outputs if output["output_type"] == "error"]


def text_of(cell: dict) -> str:
    return "".join("".join(output.get("text", "")) for output in cell["outputs"])


def close(page) -> None:
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.close()


def test_the_notebook_for_colab(browser, machine, tmp_path):  # noqa: F811
    content, address = machine
    pictures = Path(os.environ.get("WARPCELL_SCREENSHOTS") or tmp_path)

    page = open_notebook(browser, address, "warpcell.ipynb")
    cells = {cell["id"]: cell for cell in run_all(page)}
    assert not errors(list(cells.values())), "\n".join(errors(list(cells.values())))
    assert "rustc 1." in text_of(cells["rust"])
    assert "Notebooks can run." in text_of(cells["check"])
    # The lesson: its texts, its pictures, what it prints, and the errors that it means.
    outputs = cells["lesson"]["outputs"]
    shown = ["".join(output["data"].get("text/markdown", "")) for output in outputs if output["output_type"] == "display_data"]
    assert shown[0].startswith("# Lesson 1") and "```rust\n" in "".join(shown)
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= 3
    assert "per loop" in text_of(cells["lesson"]) and "needs arrays on the device" in text_of(cells["lesson"])
    assert any("image/png" in output.get("data", {}) for output in cells["own"]["outputs"])
    assert any("image/png" in output.get("data", {}) for output in cells["blur"]["outputs"])
    assert "".join(cells["mean"]["outputs"][0]["data"]["text/plain"]) == "((128, 128), 0.5)"
    # What a person sees.
    images = page.locator(".jp-OutputArea-output img")
    for index in range(images.count()):
        images.nth(index).scroll_into_view_if_needed()
        page.wait_for_function("image => image.complete && image.naturalWidth > 100", arg=images.nth(index).element_handle())
    page.locator(".jp-Notebook").first.screenshot(path=str(pictures / "colab.png"))
    close(page)


def test_an_interrupt_and_then_the_kernel_itself(browser, machine):  # noqa: F811
    content, address = machine
    page = open_notebook(browser, address, "magic.ipynb")
    page.evaluate("() => { window.jupyterapp.commands.execute('notebook:run-all-cells').catch(() => {}); }")
    # One bar, updated in place, and the loop behind it runs.
    wait(
        page,
        """() => {
            const bars = document.querySelectorAll('.jp-OutputArea-output progress');
            const printed = [...document.querySelectorAll('.jp-OutputArea-output pre')].some(text => text.innerText.includes('begun'));
            return printed && bars.length === 1 && bars[0].value === 1;
        }""",
        120_000,
    )
    page.evaluate("() => window.jupyterapp.commands.execute('notebook:interrupt-kernel')")
    wait(page, "() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells[3].outputs.some(output => output.ename)", 120_000)
    [error] = errors(cells_of(page))
    assert "interrupted at line 3" in error and ".py" not in error, error
    # The cells behind it were given up, as after any error; the variable is there.
    page.evaluate(
        """async () => {
            const notebook = window.jupyterapp.shell.currentWidget.content;
            notebook.activeCellIndex = 4;
            await window.jupyterapp.commands.execute('notebook:run-cell');
        }"""
    )
    assert "".join(cells_of(page)[4]["outputs"][0]["data"]["text/plain"]) == "42"
    close(page)

    # The wheel has made "Rust GPU" appear, and a lesson names it.
    lesson = json.loads((content / "lessons/01-convolution.ipynb").read_text())
    first_picture = [cell["id"] for cell in lesson["cells"]].index("show-deltas")
    lesson["cells"] = lesson["cells"][: 1 + first_picture]
    (content / "lessons/beginning.ipynb").write_text(json.dumps(lesson))
    page = open_notebook(browser, address, "lessons/beginning.ipynb")
    assert page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.kernelDisplayName") == "Rust GPU"
    cells = run_all(page)
    assert not errors(cells) and any("image/png" in output.get("data", {}) for output in cells[-1]["outputs"]), cells[-1]
    close(page)
