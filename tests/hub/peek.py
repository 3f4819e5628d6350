"""What one user can get at of another one's: run as the one, with the other's uid, places to look at and processes.

`peek.py UID [PLACE...] [--pid PID...]` prints a JSON list of [what, path]: files that open, folders that list, sockets that connect,
and the insides of processes.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import sys


# How deep folders of others are searched: as deep as where the system has folders for each user.
DEPTH = 2


def look(path: str, owner: int, found: list, depth: int = 0) -> None:
    """Adds what can be got at, at a path or below it, of that owner's."""
    try:
        status = os.lstat(path)
    except OSError:
        return
    kind = stat.S_IFMT(status.st_mode)
    own = status.st_uid == owner
    if kind == stat.S_IFDIR:
        try:
            entries = os.listdir(path)
        except OSError:
            entries = []
        else:
            if own:
                found.append(["list", path])
        if os.access(path, os.W_OK) and own:
            found.append(["write", path])
        for entry in entries if own or depth < DEPTH else []:
            look(os.path.join(path, entry), owner, found, depth + 1)
    elif own and kind == stat.S_IFREG:
        try:
            with open(path, "rb") as file:
                file.read(1)
            found.append(["read", path])
        except OSError:
            pass
    elif own and kind == stat.S_IFSOCK:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            try:
                client.connect(path)
                found.append(["connect", path])
            except OSError:
                pass


def look_into(process: str, found: list) -> None:
    """Adds what a process shows beside its command line, which everybody sees."""
    for name in ("environ", "maps", "mem", "fd", "cwd", "exe"):
        path = f"/proc/{process}/{name}"
        try:
            if name == "fd":
                os.listdir(path)
            elif name in ("cwd", "exe"):
                os.readlink(path)
            else:
                with open(path, "rb") as file:
                    if name == "environ":
                        file.read(1)
            found.append(["process", path])
        except OSError:
            pass


def main() -> None:
    owner = int(sys.argv[1])
    rest = sys.argv[2:]
    split = rest.index("--pid") if "--pid" in rest else len(rest)
    found: list = []
    for place in rest[:split]:
        look(place, owner, found)
    for process in rest[split + 1 :]:
        look_into(process, found)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
