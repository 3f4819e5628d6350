"""Which libraries of CUDA the rows of the tables of names load on a GPU: `libraries.py PROGRAM --output FILE`.

PROGRAM is the prelude's program `integration`, which evaluates one row after another, as for tests/bench/names.py. After each row the libraries that its
process has loaded are read. When there is a new one it belongs to that row, and the next row has a new process. Rows are evaluated over
small and over larger arrays, as what is called may depend on the size. FILE gets a line for each row that loads one, `LIBRARIES<tab>EXPRESSION`:
it is kernel/src/notebook/export/libraries.txt, which the unit test of the list in an exported program reads. Needs NumPy.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from names import Side, write_arrays

# The beginnings of the files' names, by the names of the libraries in an exported project's page.
LIBRARIES = {
    "NVRTC": "libnvrtc.so", "cuBLAS": "libcublas.so", "cuSOLVER": "libcusolver.so", "cuFFT": "libcufft.so", "NCCL": "libnccl.so", "CUPTI": "libcupti.so"
}  # fmt: skip
SIDES = (64, 600)
HEAD = (
    "# Which libraries of CUDA the rows of the tables of names load on a GPU, one row a line: what tests/gpu/libraries.py has written on an H200."
)
PROCESSES = 14


def among(files: set[str]) -> set[str]:
    """The libraries that are among files of these names."""
    return {name for name, start in LIBRARIES.items() if any(file.startswith(start) for file in files)}


def loaded(process: int) -> set[str]:
    """The libraries that a process has loaded, but for NVRTC, which all load."""
    return among(set(re.findall(r"/([^/\n]+)$", Path(f"/proc/{process}/maps").read_text(encoding="utf-8"), re.M))) - {"NVRTC"}


def walk(command: list[str], environment: dict[str, str], part: int) -> tuple[dict[int, set[str]], dict[int, str], list[dict]]:
    """Every so many rows from `part` on: their libraries, why others were not evaluated, and what the rows are."""
    found: dict[int, set[str]] = {}
    refused: dict[int, str] = {}
    with Side(command, environment, None) as side:
        rows = side.hello["rows"]
        for number in range(part, len(rows), PROCESSES):
            for size in SIDES:
                before = side.process.pid
                answer = side.ask({"row": number, "side": size, "seconds": 0.0, "check": False}, 120)
                if "error" in answer:
                    refused[number] = answer["error"]
                if side.process.pid == before and (new := loaded(before)):
                    found.setdefault(number, set()).update(new)
                    side.stop()
                    side.start()
    return found, refused, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="warpcell-libraries-") as folder:
        write_arrays(Path(folder), set(SIDES))
        environment = {"WARPCELL_DEVICE": "cuda:0", **os.environ, "WARPCELL_MEASURE": folder}
        command = [str(options.program), "--ignored", "--exact", "speed::measure_rows", "--nocapture", "--test-threads", "1"]
        with ThreadPoolExecutor(PROCESSES) as pool:
            parts = list(pool.map(lambda part: walk(command, environment, part), range(PROCESSES)))
    rows = parts[0][2]
    found = {number: libraries for part in parts for number, libraries in part[0].items()}
    refused = {number: reason for part in parts for number, reason in part[1].items()}
    lines = {f"{' '.join(sorted(found[number]))}\t{' '.join(rows[number]['ours'].split())}" for number in found}
    options.output.write_text("".join(f"{line}\n" for line in [HEAD, *sorted(lines)]), encoding="utf-8")
    for number, reason in sorted(refused.items()):
        print(f"not evaluated at each size: {rows[number]['ours']}: {reason[:150]}")
    print(f"{len(rows)} rows, {len(found)} load a library, {len(refused)} were not evaluated at each size")
    # What is evaluated at one size at least is most of them.
    sys.exit(len(refused) > len(rows) // 5)


if __name__ == "__main__":
    main()
