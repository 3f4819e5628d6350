"""What all users of a machine share, as an administrator installs it: under one folder outside any home, owned by root, written
by nobody afterwards.

    BASE/rust      the toolchain, where it is not at a place that everybody can read already
    BASE/prefix    the kernel, by ./install.sh --prefix
    BASE/python    Python with JupyterHub and JupyterLab
    BASE/proxy     configurable-http-proxy
    BASE/home      the users' homes
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(os.environ["WARPCELL_TEST_ROOT"])
# Where tests/run has put JupyterHub and its proxy: `venv` and `node_modules`.
TOOLS = Path(os.environ["WARPCELL_TEST_HUB"])
# Places that every user can enter.
PLACES = ("/opt", "/srv", "/var/tmp")


@dataclass
class Shared:
    """The installation that users share."""

    base: Path

    @property
    def prefix(self) -> Path:
        return self.base / "prefix"

    @property
    def python(self) -> Path:
        return self.base / "python/bin/python"

    @property
    def proxy(self) -> Path:
        return self.base / "proxy/node_modules/configurable-http-proxy/bin/configurable-http-proxy"

    @property
    def homes(self) -> Path:
        return self.base / "home"

    @property
    def read_only(self) -> list[Path]:
        return [folder for folder in (self.base / "rust", self.prefix, self.base / "python") if folder.exists()]


def everybody_can_read(path: Path) -> bool:
    """Whether other users can get to a folder and list it."""
    others = all(folder.stat().st_mode & stat.S_IXOTH for folder in (path, *path.parents))
    return others and bool(path.stat().st_mode & stat.S_IROTH)


def copy(source: Path, target: Path) -> None:
    """Copies a folder; by links, if both are on one disk."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if subprocess.run(["cp", "-al", source, target], stderr=subprocess.DEVNULL).returncode != 0:
        shutil.rmtree(target, ignore_errors=True)
        subprocess.run(["cp", "-a", source, target], check=True)


def make() -> Shared:
    """Installs everything; takes seconds where Warpcell has been built."""
    place = next(Path(name) for name in PLACES if os.access(name, os.W_OK) and everybody_can_read(Path(name)))
    shared = Shared(Path(tempfile.mkdtemp(prefix="warpcell-hub-", dir=place)))
    shared.base.chmod(0o755)
    shared.homes.mkdir()
    copy(TOOLS / "venv", shared.base / "python")
    copy(TOOLS / "node_modules", shared.base / "proxy/node_modules")
    ready = os.environ.get("WARPCELL_TEST_SHARED")
    if ready:  # an installation of another time, to save some seconds while working on the tests
        (shared.base / "prefix").symlink_to(Path(ready) / "prefix")
        return shared
    toolchain = Path(subprocess.check_output(["rustc", "--print", "sysroot"], cwd=ROOT, text=True).strip()).resolve()
    if not everybody_can_read(toolchain):
        for part in ("bin", "lib"):
            copy(toolchain / part, shared.base / "rust" / part)
        toolchain = shared.base / "rust"
    subprocess.run(
        [ROOT / "install.sh", "--prefix", shared.prefix],
        env={**os.environ, "PATH": f"{toolchain}/bin:{os.environ['PATH']}"},
        check=True,
    )
    return shared
