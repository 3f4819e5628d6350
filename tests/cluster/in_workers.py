"""What runs in the workers of the tests: counts of what their process has done."""

from __future__ import annotations

import os
import sys
from pathlib import Path

#: The programs that this process has started to have a function compiled, or found in the cache.
asked: list[str] = []
_listens = False


def listen(*_: object) -> int:
    """From now on `asked` is written; gives the process."""
    global _listens
    if not _listens:
        _listens = True

        def hook(event: str, arguments: tuple) -> None:
            if event == "subprocess.Popen" and "function" in map(str, arguments[1]):
                asked.append(str(arguments[0]))

        sys.addaudithook(hook)
    return os.getpid()


def loaded(*_: object) -> tuple[int, int, int]:
    """This process, how often it has asked for a function, and how many libraries of functions it has loaded."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return os.getpid(), len(asked), len({line.split()[-1] for line in maps if "/functions/" in line})


def threads_of_rust() -> str:
    """How many threads Rust may use in this process."""
    return os.environ.get("RAYON_NUM_THREADS", "")
