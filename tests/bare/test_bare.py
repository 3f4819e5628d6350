"""The README's first command where the standard library's sources, Chromium, `.venv` and the user's caches are absent and rustup
reaches nothing: with the distribution's package at hand, and without. It runs in a tree laid over this machine's own.

What cargo has downloaded and what was built in `target` is taken, so that this takes minutes and not ten of them.
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import pytest

import readme
from e2e.session import plain
from tree import Root

ROOT = Path(os.environ["WARPCELL_TEST_ROOT"])
# The Python of the tests, which is below `target`.
PYTHON = os.environ.get("WARPCELL_TEST_PYTHON", sys.executable)
# Nothing listens there.
NOWHERE = "http://127.0.0.1:9"
# Tests of cells that must pass without the sources too: they ask most for types.
CELLS = ("test_variables.py",)
SECONDS = 1400
LACKING = "the standard library's sources"


@pytest.fixture
def bare():
    """The tree, with the environment of a shell in which nothing was set."""
    folder = Path(tempfile.mkdtemp(prefix="warpcell-bare-", dir="/var/tmp"))
    made = Root(folder)
    try:
        assert made.open(), "no file tree can be laid over that of the system here"
        home = Path.home()
        toolchain = Path(subprocess.check_output(["rustc", "--print", "sysroot"], cwd=ROOT, text=True).strip())
        toolchains = [toolchain, *toolchain.parent.glob("*")] if toolchain.parent.name == "toolchains" else [toolchain]
        absent = [
            *made.tree.glob("usr/src/rustc-*"),
            *(inside(made, Path("/usr/bin") / name) for name in ("chromium", "google-chrome")),
            *(inside(made, home / name) for name in (".cache", ".local", ".jupyter", ".ipython")),
            *(inside(made, ROOT / name) for name in (".venv", "lessons/executed")),
            *(inside(made, one / "lib/rustlib" / name) for one in toolchains for name in ("src", "manifest-rust-src")),
        ]
        # What is removed by hand the distribution takes for installed.
        purge = "command -v dpkg >/dev/null && dpkg --purge --force-depends rust-web-src rust-src"
        made.run(["/bin/sh", "-c"], purge, "0:0", dict(os.environ), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for path in absent:
            remove(path)
        for one in toolchains:
            # By these rustup knows what it has installed.
            components = inside(made, one / "lib/rustlib/components")
            if components.exists():
                components.write_text("".join(line for line in components.open() if line.strip() != "rust-src"))
            configuration = inside(made, one / "lib/rustlib/multirust-config.toml")
            if configuration.exists():
                head, *parts = configuration.read_text().split("[[components]]")
                parts = [part for part in parts if '"rust-src"' not in part]
                configuration.write_text("[[components]]".join([head, *parts]))
        # A build script of rust-analyzer's asks for CI: where it changes, all is built again.
        names = ("CI", "LANG", "HOME", "PATH", "RUSTUP_HOME", "CARGO_HOME")
        settings = {name: value for name, value in os.environ.items() if name in names or name.startswith(("PIP_", "CARGO_HTTP"))}
        yield made, {**settings, "RUSTUP_DIST_SERVER": NOWHERE, "RUSTUP_UPDATE_ROOT": NOWHERE, "WARPCELL_DEVICE": "cpu"}
    finally:
        made.close()
        shutil.rmtree(folder)


def inside(root: Root, path: Path) -> Path:
    """A path of this machine, in the tree. A link on the way, such as one toolchain's name for another, would lead out of it."""
    return root.tree / str(path.parent.resolve() / path.name).lstrip("/")


def remove(path: Path) -> None:
    """Removes what is there. Kernels of other tests may put files into the same folder of the machine meanwhile, which show through
    until the folder itself is gone: so the removal begins again where a folder is not empty."""
    if not path.is_dir() or path.is_symlink():
        path.unlink(missing_ok=True)
        return
    for attempt in range(100):
        try:
            shutil.rmtree(path)
            return
        except OSError as error:
            if attempt == 99 or error.errno not in (errno.ENOTEMPTY, errno.ENOENT):
                raise


def run(bare, command: str) -> str:
    """A command in the checkout; what it printed, if it ended well."""
    root, env = bare
    done = root.run(
        ["/bin/bash", "-c"], f"cd {str(ROOT)!r} && {command}", "0:0", env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS,
    )  # fmt: skip
    said = plain(done.stdout)
    assert done.returncode == 0, f"`{command}` ended with {done.returncode}:\n{said[-6000:]}"
    return said


def follow(bare) -> str:
    """The README's first command; the lesson ran to its end."""
    (command,) = readme.commands((ROOT / "README.md").read_text(encoding="utf-8"))
    said = run(bare, command)
    result = inside(bare[0], ROOT / "lessons/executed" / Path(readme.LESSON).name)
    readme.look_at(result)
    assert nbformat.read(result, as_version=4).metadata["kernelspec"]["name"] == "warpcell"
    return said


@pytest.mark.network
def test_with_the_distributions_package(bare):
    if not shutil.which("apt-get"):
        pytest.skip("this test knows apt-get only")
    said = follow(bare)
    assert "rustup component add rust-src" in said and "Installing with apt-get: rust-web-src" in said, said
    doctor = run(bare, ".venv/bin/warpcell doctor")
    (line,) = [line for line in doctor.splitlines() if "standard library sources" in line]
    assert "/usr/src/rustc-" in line and "Notebooks can run." in doctor, doctor
    # A second time nothing is got and nothing is built.
    assert "up to date" in run(bare, "./install.sh")


@pytest.mark.network
def test_without_any_sources(bare):
    # No package can be installed.
    for path in ("/etc/apt/sources.list", "/etc/apt/sources.list.d", "/var/lib/apt/lists"):
        remove(inside(bare[0], Path(path)))
    said = follow(bare)
    notes = [line for line in said.splitlines() if line.startswith("note: ") and LACKING in line]
    assert notes and "rustup component add rust-src" in notes[0], said
    doctor = run(bare, ".venv/bin/warpcell doctor")
    (line,) = [line for line in doctor.splitlines() if "standard library sources" in line]
    assert line.startswith("absent") and "Notebooks can run." in doctor, doctor
    tests = " ".join(f"tests/e2e/{name}" for name in CELLS)
    variables = f"JUPYTER_PATH=$PWD/.venv/share/jupyter WARPCELL_TEST_PREFIX=$PWD/.venv WARPCELL_TEST_ROOT=$PWD"
    run(bare, f"{variables} {PYTHON!r} -m pytest -q -c tests/pytest.ini -m 'not browser' {tests}")


def test_a_tree_is_taken_away_when_its_last_process_has_ended(tmp_path):
    root = Root(tmp_path)
    try:
        assert root.open(), "no file tree can be laid over that of the system here"
        # It goes on when the command has ended, and writes.
        root.run(["/bin/sh", "-c"], "(sleep 3; echo late >/tmp/late) &", "0:0", dict(os.environ))
        assert root.processes()
    finally:
        root.close()
    assert not root.processes()
    assert (tmp_path / "above/tmp/late").read_text() == "late\n"
