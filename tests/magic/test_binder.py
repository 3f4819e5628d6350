"""What Binder runs, as the ordinary user that it runs as: .binder/postBuild in a scratch home, then a kernel by .binder/start.

A root user's folders, with the toolchain in them, are closed to others. So as root this makes a namespace of its own in which they are
open as far as their names; there the steps run as somebody without rights. Binder's builder, its base image and its limits on memory
are not here, nor is rustup's server: a script stands in for that.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from .notebook import PREFIX, ROOT
from .wheel import KERNEL, environment, program, wheel

USER = 61234
CLIENT = """
import os, sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read("lessons/01-convolution.ipynb", 4)
notebook.cells = notebook.cells[: 1 + [cell.id for cell in notebook.cells].index("show-deltas")]
NotebookClient(notebook, timeout=1200, resources={"metadata": {"path": "lessons"}}).execute()
print("images", sum("image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])))
import warpcell
print("value", warpcell.session().run("6 * 7"), "user", os.getuid())
"""


def closed_folders(paths: list[Path]) -> list[Path]:
    """The folders above these that only their owners may enter."""
    above = {folder for path in paths for folder in path.parents}
    return sorted(folder for folder in above if not folder.stat().st_mode & 0o001)


def as_user(paths: list[Path], keep: Path) -> list[str]:
    """What to put in front of a command so that it runs as an ordinary user who can read these paths."""
    if os.geteuid() != 0:
        return []
    lines = ["set -e"]
    for number, folder in enumerate(closed_folders(paths)):
        kept = keep / str(number)
        kept.mkdir(parents=True)
        lines.append(f"mount --rbind {shlex.quote(str(folder))} {kept}")
        lines.append(f"mount -t tmpfs -o mode=755 tmpfs {shlex.quote(str(folder))}")
        # Of what is in it only the way to these paths.
        for child in sorted({folder / path.relative_to(folder).parts[0] for path in paths if folder in path.parents}):
            name = shlex.quote(str(child))
            lines.append(f"mkdir {name}; mount --rbind {kept}/{shlex.quote(child.name)} {name}")
    lines.append(f'exec setpriv --reuid {USER} --regid {USER} --clear-groups --inh-caps=-all --bounding-set=-all "$@"')
    return ["unshare", "--mount", "sh", "-c", "\n".join(lines), "as-user"]


class Binder:
    """A scratch home with the clone in it, and Binder's environment."""

    def __init__(self, scratch: Path):
        scratch.chmod(0o755)
        self.home = scratch / "home"
        self.prefix = scratch / "environment"
        self.tools = scratch / "tools"
        self.tools.mkdir()
        toolchain = Path(json.loads((PREFIX / "lib/warpcell/installation.json").read_text())["toolchain"])
        self.rustc = toolchain / "bin/rustc"
        listed = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, text=True)
        for name in filter(None, listed.split("\0")):
            if not name.startswith(("prelude/", "kernel/src/", "tests/")) and (ROOT / name).is_file():
                (self.home / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.home / name)
        python = environment(sys.executable, self.prefix)
        self.wheel = wheel(scratch)
        # Binder's environment is its user's; what is beside the home is not.
        needed = [Path(sys.executable), python.resolve(), Path(sys.prefix), PREFIX, toolchain, toolchain.resolve(), scratch / "home"]
        self.front = as_user(needed, scratch / "keep")
        self.scratch = scratch

    def run(self, *command: str, rust: bool = True, **env: str) -> subprocess.CompletedProcess:
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", f"{USER}:{USER}", self.home, self.prefix], check=True)
        path = [str(self.tools), str(self.prefix / "bin"), *([str(self.rustc.parent)] if rust else []), "/usr/bin", "/bin"]
        environment = {
            "HOME": str(self.home), "USER": "jovyan", "PATH": ":".join(path), "NB_PYTHON_PREFIX": str(self.prefix),
            "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "TMPDIR": "/tmp", "LANG": "C.UTF-8", **env,
        }  # fmt: skip
        return subprocess.run(
            [*self.front, *command], cwd=self.home, env=environment, capture_output=True, text=True, timeout=1200, check=False
        )

    def post_build(self, **options) -> str:
        done = self.run(".binder/postBuild", **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def first_cells(self, **options) -> str:
        """What the beginning of lesson 1 shows, in a server's environment."""
        done = self.run(".binder/start", str(self.prefix / "bin/python"), "-c", CLIENT, **options)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def binder():
    scratch = Path(tempfile.mkdtemp(prefix="binder-", dir="/tmp"))
    yield Binder(scratch)
    shutil.rmtree(scratch)


def test_with_the_wheel(binder):
    said = binder.post_build(WARPCELL_WHEEL=str(binder.wheel))
    assert "Rust 1." in said and "is there." in said and "Notebooks can run." in said
    shown = binder.first_cells()
    user = USER if os.geteuid() == 0 else os.getuid()
    assert f"images 1\nvalue 42 user {user}\n" in shown


def test_from_the_clone_and_without_rust(binder):
    # What takes many minutes or a network has stand-ins that note how they are called.
    (binder.home / "install.sh").write_text(f"""#!/bin/sh
echo "install.sh $*" >>"$HOME/calls"; mkdir -p target
mkdir -p "$2/share/jupyter/kernels/warpcell"
cp {shlex.quote(str(binder.scratch))}/kernel.json "$2/share/jupyter/kernels/warpcell/"
cp {shlex.quote(str(binder.scratch))}/program "$2/bin/warpcell"
""")
    (binder.scratch / "kernel.json").write_text(json.dumps(KERNEL))
    (binder.scratch / "program").write_text(program())
    (binder.scratch / "program").chmod(0o755)
    curl = binder.tools / "curl"
    curl.write_text(f"""#!/bin/sh
cat <<'END'
echo "rustup $*" >>"$HOME/calls"
mkdir -p "$HOME/.cargo/bin" "$HOME/.cargo/registry"
ln -s {shlex.quote(str(binder.rustc))} "$HOME/.cargo/bin/rustc"
END
""")
    curl.chmod(0o755)
    said = binder.post_build(rust=False)
    assert "Installing Rust 1." in said and "Building Warpcell" in said
    rustup, install = (binder.home / "calls").read_text().splitlines()
    assert rustup.startswith("rustup -y ") and "--default-toolchain 1." in rustup and "rust-src" in rustup
    assert install == f"install.sh --prefix {binder.prefix}"
    assert not (binder.home / "target").exists() and not (binder.home / ".cargo/registry").exists()
    assert "images 1\nvalue 42" in binder.first_cells(rust=False)
