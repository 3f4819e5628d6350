"""A copy of this machine's file tree that costs nothing (an overlay), in which commands run as in a container, and which is
thrown away afterwards. Only root can make one.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

# As long as that, a process may go on in a tree whose commands have ended.
SECONDS = 60


@dataclass
class Root:
    """A file tree of its own, in which commands run as in a container."""

    folder: Path
    mounted: list[Path] = field(default_factory=list)

    @property
    def tree(self) -> Path:
        return self.folder / "tree"

    def mount(self, *arguments: str | Path) -> bool:
        done = subprocess.run(["mount", *arguments], capture_output=True).returncode == 0
        if done:
            self.mounted.append(Path(arguments[-1]))
        return done

    def overlay(self, lower: Path, upper: Path, work: Path, place: Path) -> bool:
        """Lays `upper` over `lower`."""
        layers = f"lowerdir={lower},upperdir={upper},workdir={work}"
        # What is thrown away need not reach the disk. Without `volatile` the end waits until all that was written on that disk
        # has reached it. Old systems do not know the word.
        return any(self.mount("-t", "overlay", "overlay", "-o", options, place) for options in (f"{layers},volatile", layers))

    def open(self) -> bool:
        """Makes the tree; `False` if the system does not allow it."""
        for name in ("above", "work", "tree"):
            (self.folder / name).mkdir(parents=True)
        return (
            self.overlay(Path("/"), self.folder / "above", self.folder / "work", self.tree)
            and self.mount("-t", "proc", "proc", self.tree / "proc")
            and self.mount("--rbind", "/dev", self.tree / "dev")
            and self.mount("--make-rslave", self.tree / "dev")
        )

    def processes(self) -> list[Path]:
        """The folders below `/proc` of the processes that run in the tree."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                root = Path(os.readlink(process / "root"))
            except OSError:
                # It has ended, or ends.
                continue
            if root == self.tree:
                found.append(process)
        return found

    def wait(self) -> None:
        """Waits until no process runs in the tree. A kernel whose client has ended ends by itself, and may write a file before."""
        end = time.monotonic() + SECONDS
        while running := self.processes():
            for process in running:
                try:
                    descriptor = os.pidfd_open(int(process.name))
                except ProcessLookupError:
                    continue
                try:
                    ended, _, _ = select.select([descriptor], [], [], max(0, end - time.monotonic()))
                finally:
                    os.close(descriptor)
                assert ended, f"this still runs after {SECONDS} s: {(process / 'cmdline').read_bytes()!r}"

    def close(self) -> None:
        """Takes the tree away, when nothing runs in it any longer."""
        try:
            self.wait()
        finally:
            self.unmount()

    def unmount(self) -> None:
        for place in reversed(self.mounted):
            subprocess.run(["umount", "--recursive", "--lazy", place], stderr=subprocess.DEVNULL)

    def run(self, shell: list[str], command: str, user: str, env: dict[str, str], **options) -> subprocess.CompletedProcess:
        """Runs a command in the tree."""
        return subprocess.run(["chroot", f"--userspec={user}", self.tree, *shell, command], env=env, **options)
