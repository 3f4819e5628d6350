"""The first cell of each lesson where it cannot go on: with another kernel, without the prelude, with too little memory. What a
learner sees then says what to do.
"""

import os
import re
import resource
import shutil
import subprocess

import nbformat
import psutil
import pytest
from nbclient import NotebookClient

import notebooks
from e2e.session import plain

LESSONS = notebooks.course()
# What a first line says to those who run it elsewhere.
ADVICE = 'Choose the kernel "Rust GPU", or see README.md.'


def first_cell(lesson) -> str:
    notebook = nbformat.read(lesson, as_version=4)
    return next(cell.source for cell in notebook.cells if cell.cell_type == "code")


@pytest.fixture(params=LESSONS, ids=lambda path: path.stem)
def cell(request):
    return first_cell(request.param)


@pytest.fixture(scope="module")
def python_kernel():
    """The kernel that a notebook most often gets by mistake, as a function from code to what it shows."""
    client = NotebookClient(nbformat.v4.new_notebook(), kernel_name="python3", allow_errors=True, timeout=480)
    with client.setup_kernel():

        def run(source):
            cell = nbformat.v4.new_code_cell(source)
            client.nb.cells.append(cell)
            client.execute_cell(cell, len(client.nb.cells) - 1)
            return cell

        yield run


def test_in_a_python_notebook(cell, python_kernel):
    (error,) = notebooks.errors(python_kernel(cell))
    shown = plain("\n".join(error.traceback))
    assert error.ename == "SyntaxError" and ADVICE in shown, shown


def test_in_a_rust_notebook_without_gpu(cell, tmp_path):
    """Other Rust kernels show the compiler's messages, with the lines that they are about."""
    source = tmp_path / "cell.rs"
    source.write_text(f"fn main() {{\n{cell}\n}}\n", encoding="utf-8")
    compiled = subprocess.run(["rustc", "--edition", "2024", source], cwd=tmp_path, capture_output=True, text=True, timeout=480)
    assert compiled.returncode != 0 and "`gpu`" in compiled.stderr and ADVICE in compiled.stderr, compiled.stderr


def test_without_the_prelude(fresh_kernel, prefix, tmp_path):
    """An installation that has lost its prelude."""
    broken = tmp_path / "broken"
    shutil.copytree(prefix / "lib/warpcell", broken / "lib/warpcell", symlinks=True)
    (broken / "bin").mkdir()
    shutil.copy2(prefix / "bin/warpcell", broken / "bin")
    for library in (broken / "lib/warpcell/prelude").glob("libwarpcell*"):
        library.unlink()
    session = fresh_kernel(command=[str(broken / "bin/warpcell"), "kernel", "--connection-file", "{connection_file}"])
    for lesson in LESSONS:
        result = session.run(first_cell(lesson))
        assert not result.ok and "install.sh" in result.error_text, result.summary()


@pytest.fixture(scope="module")
def small_kernel(kernel):
    """A kernel whose cells may take three hundred megabytes of address space more than they have; a thread's heap reserves 64."""
    kernel.check("println!(\"{}\", gpu::device_info());")
    process = psutil.Process(int(kernel.check("std::process::id()").value))
    _, most = resource.prlimit(process.pid, resource.RLIMIT_AS)
    resource.prlimit(process.pid, resource.RLIMIT_AS, (process.memory_info().vms + 300_000_000, most))
    return kernel


def test_with_too_little_memory(cell, small_kernel):
    result = small_kernel.run(cell)
    assert not result.ok and result.error["ename"] == "Panic", result.summary()
    assert re.search(r"memory.*(close other notebooks|make `\w+` \d+ in this cell)", result.error["evalue"]), result.error["evalue"]
