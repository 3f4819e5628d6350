"""Follows the README in a fresh clone to the end of the first lesson: `tests/readme.py [--repository DIR] [--keep DIR]`.

The commands are those of the `console` blocks in the README's section "Try it", read from the clone itself, so that what is
written there cannot rot; only `./tests/run`, which would come back here, is left out. The clone is in a folder with a space in
its name, and is of what is committed. Building in it takes some ten minutes.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

import notebooks

SECTION, LESSON = "Try it", "lessons/01-convolution.ipynb"

# What a person's shell may have set must not decide what is tested.
UNSET = ("VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH", "PYTHONHOME", "RUSTFLAGS", "CARGO_TARGET_DIR", "JUPYTER_PATH")


class Wrong(Exception):
    """What does not hold, as a text for a person."""


def commands(text: str) -> list[str]:
    """The commands of the section's `console` blocks, without those that run the tests."""
    section = re.search(rf"^## {SECTION}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not section:
        raise Wrong(f'README.md has no section "{SECTION}"')
    blocks = re.findall(r"^```console\n(.*?)^```", section[1], re.MULTILINE | re.DOTALL)
    found = [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    found = [re.sub(r"\s+# .*", "", command) for command in found]
    found = [command for command in found if not command.startswith("./tests/run")]
    if not any(LESSON in command for command in found):
        raise Wrong(f'no command of the section "{SECTION}" of README.md runs {LESSON}; there are: {found}')
    return found


def clone(repository: Path, parent: Path) -> Path:
    """A fresh clone of a repository."""
    folder = parent / "a fresh clone"
    done = subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", repository, folder], capture_output=True, text=True)
    if done.returncode:
        raise Wrong(f"{repository} cannot be cloned: {done.stderr.strip()}")
    return folder


def follow(folder: Path) -> None:
    """Executes the commands one after another and looks at what the last section promises."""
    env = {name: value for name, value in os.environ.items() if name not in UNSET}
    for command in commands((folder / "README.md").read_text(encoding="utf-8")):
        print(f"$ {command}", flush=True)
        shell = subprocess.Popen(
            ["bash", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        printed = []
        for line in shell.stdout:
            printed.append(line)
            print(f"  {line}", end="", flush=True)
        if shell.wait():
            raise Wrong(f"`{command}` ended with {shell.returncode}")
        words = shlex.split(command)
        if "--run" in words:
            notebook = Path(words[words.index("--run") + 1])
            result = notebook.parent / "executed" / notebook.name
            if str(result) not in "".join(printed):
                raise Wrong(f"`{command}` does not say that the result is in {result}")
            look_at(folder / result)
    changed = subprocess.check_output(["git", "status", "--porcelain"], cwd=folder, text=True)
    if changed:
        raise Wrong(f"following the README has changed the clone:\n{changed}")


def look_at(path: Path) -> None:
    """Whether a notebook was run to its end. What its cells show `warpcell run` has checked."""
    if not path.is_file():
        raise Wrong(f"there is no {path.name} in {path.parent}")
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if cell.source.strip() and not cell.execution_count:
            raise Wrong(f"{path.name}: the cell {cell.id} did not run")
        if notebooks.errors(cell) and "raises-exception" not in cell.metadata.get("tags", []):
            raise Wrong(f"{path.name}: the cell {cell.id} failed")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repository", type=Path, default=Path(__file__).resolve().parent.parent, help="what is cloned")
    parser.add_argument("--keep", type=Path, help="the folder in which the clone is made and stays")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="warpcell-readme-") as temporary:
        try:
            follow(clone(options.repository, options.keep or Path(temporary)))
        except Wrong as wrong:
            print(f"tests/readme.py: {wrong}", file=sys.stderr)
            return 1
    print("The README leads to the end of the first lesson.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
