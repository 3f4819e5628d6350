"""A library that lets go wrong what `faults.c` lists, for LD_PRELOAD."""

import subprocess
from pathlib import Path


def build(folder: Path) -> Path:
    """Makes the library in a folder."""
    library = folder / "faults.so"
    source = Path(__file__).with_name("faults.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source, "-ldl"], check=True)
    return library
