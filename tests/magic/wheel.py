"""The wheel that tests install: the real one if WARPCELL_TEST_WHEEL names it, or else one with the Python package that starts the
kernel from the prefix under test. What is in it lies where it lies in the real one."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shlex
import subprocess
import zipfile
from pathlib import Path

from .notebook import PACKAGE, PREFIX

NAME = "warpcell-0.0.0"

PROGRAM = """#!/bin/sh
# The prefix under test is set up already.
[ "$1" != setup ] || {{ echo "Warpcell is set up"; exit; }}
exec {program} "$@"
"""

KERNEL = {
    "argv": [str(PREFIX / "bin/warpcell"), "kernel", "--connection-file", "{connection_file}"],
    "display_name": "Rust GPU",
    "interrupt_mode": "message",
    "language": "rust",
}


def program() -> str:
    """A script that is `warpcell` of the prefix under test."""
    return PROGRAM.format(program=shlex.quote(str(PREFIX / "bin/warpcell")))


def wheel(folder: Path) -> Path:
    """A wheel in this folder."""
    if os.environ.get("WARPCELL_TEST_WHEEL"):
        given = Path(os.environ["WARPCELL_TEST_WHEEL"])
        (folder / given.name).write_bytes(given.read_bytes())
        return folder / given.name
    files = {f"warpcell/{file.name}": file.read_text() for file in PACKAGE.glob("warpcell/*") if file.is_file()}
    files |= {
        f"{NAME}.data/scripts/warpcell": program(),
        f"{NAME}.data/data/share/jupyter/kernels/warpcell/kernel.json": json.dumps(KERNEL),
        f"{NAME}.dist-info/METADATA": "Metadata-Version: 2.1\nName: warpcell\nVersion: 0.0.0\nRequires-Python: >=3.9\n"
        "Requires-Dist: ipykernel\nRequires-Dist: ipython\nRequires-Dist: jupyter_client\n",
        f"{NAME}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = f"{NAME}.dist-info/RECORD"
    lines = []
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        lines.append(f"{name},sha256={digest},{len(text.encode())}\n")
    path = folder / f"{NAME}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in [*files.items(), (record, "".join(lines) + f"{record},,\n")]:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            archive.writestr(entry, text)
    return path


def environment(python: str, folder: Path) -> Path:
    """A fresh virtual environment that sees the packages of another one, pip included; gives its Python."""
    subprocess.run([python, "-m", "venv", "--without-pip", str(folder)], check=True)
    places = "import sysconfig; print(sysconfig.get_path('purelib'))"
    seen, own = (
        subprocess.run([executable, "-c", places], check=True, capture_output=True, text=True).stdout.strip()
        for executable in (python, folder / "bin/python")
    )
    Path(own, "packages-of-another.pth").write_text(seen + "\n")
    return folder / "bin/python"
