#!/usr/bin/env python3
"""Looks at a crate of ours with clippy and rustdoc in place of compiling it: `tests/run lint` makes it cargo's RUSTC_WORKSPACE_WRAPPER.

`cargo clippy` and `cargo doc` read the crates that ours depend on from files of their own, so that all of them are compiled once more.
`cargo build` under this wrapper reads those that are built anyway. Of our own crates it makes no code but that of macros and build
scripts, which run during the build. So target/ has the same programs afterwards as before.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


# What the macros call. It runs during the build, as they do.
BELOW_MACROS = {"warpcell_translate"}


def main() -> int:
    rustc, *arguments = sys.argv[1:]
    name = value_of("--crate-name", arguments)
    # Cargo asks the compiler for what it can do.
    if name in (None, "___") or name.startswith("build_script"):
        os.execvp(rustc, [rustc, *arguments])
    compiler = Path(shutil.which(rustc) or rustc)
    runs = name in BELOW_MACROS or value_of("--crate-type", arguments) == "proc-macro"
    arguments = [for_metadata(argument, runs) for argument in arguments]
    # They take part in cargo's protocol for compilers that run side by side, which needs its files.
    status = subprocess.call([compiler.with_name("clippy-driver"), rustc, *arguments, "-D", "warnings"], close_fds=False)
    output = Path(value_of("--out-dir", arguments) or ".")
    if status == 0 and "--test" not in arguments and output.name != "examples":
        arguments = for_rustdoc(arguments, output / f"doc-of-{name}")
        status = subprocess.call([compiler.with_name("rustdoc"), *arguments], close_fds=False)
    return status


def value_of(option: str, arguments: list[str]) -> str | None:
    return arguments[arguments.index(option) + 1] if option in arguments else None


def for_metadata(argument: str, runs: bool) -> str:
    """An argument, with metadata in place of code: as the output, and of our own crates, which have no code."""
    if argument.startswith("--emit=") and not runs:
        return "--emit=dep-info,metadata"
    name, _, file = argument.partition("=")
    if file.endswith((".rlib", ".so")) and not Path(file).exists():
        return f"{name}={Path(file).with_suffix('.rmeta')}"
    return argument


def for_rustdoc(arguments: list[str], output: Path) -> list[str]:
    """The compiler's arguments as rustdoc's."""
    kept = [argument for argument in arguments if not argument.startswith("--emit=")]
    kept[kept.index("--out-dir") + 1] = str(output)
    return [*kept, "--document-private-items", "-D", "warnings"]


if __name__ == "__main__":
    sys.exit(main())
