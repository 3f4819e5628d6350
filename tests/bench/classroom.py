"""A class that runs a notebook at the same time on one host: `python tests/bench/classroom.py STUDENTS [NOTEBOOK]`.

Each student has a kernel and an empty cache of cells, runs the code cells of the notebook (by default of the first lesson) one after
another, and waits `--think` seconds between them, in the mean. Printed are the times from a request to its reply but for the first, the time from
the start of a kernel to the end of its first cell, the processor time of the whole host meanwhile, and its memory for each kernel.
Run it before and after `warpcell lessons precompile` to see what compiled cells in the installation save.

Needs an installed Warpcell in JUPYTER_PATH. Measure on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import threading
import time
from pathlib import Path

import psutil
from jupyter_client.manager import KernelManager

LESSON = Path(__file__).resolve().parents[2] / "lessons/01-convolution.ipynb"
SECONDS = 600


def code_cells(notebook: Path) -> list[tuple[str, bool]]:
    """The code cells, and whether an error is meant."""
    found = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
            found.append((source, "raises-exception" in cell["metadata"].get("tags", [])))
    return found


class Student(threading.Thread):
    def __init__(self, number: int, cells: list[tuple[str, bool]], folder: Path, options: argparse.Namespace, done: threading.Barrier):
        super().__init__()
        self.random, self.cells, self.options, self.done = random.Random(number), cells, options, done
        self.cache = folder / str(number)
        self.times: list[float] = []
        self.first = 0.0
        self.unexpected: list[str] = []

    def run(self) -> None:
        began = time.monotonic()
        manager = KernelManager(kernel_name=self.options.kernel)
        environment = {**os.environ, "WARPCELL_CACHE_DIR": str(self.cache)}
        manager.start_kernel(env=environment, cwd=str(self.options.notebook.resolve().parent))
        client = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=SECONDS)
            for source, is_error in self.cells:
                start = time.monotonic()
                reply = client.execute_interactive(source, output_hook=lambda _: None, timeout=SECONDS, stop_on_error=False)
                self.times.append(time.monotonic() - start)
                if not self.first:
                    self.first = time.monotonic() - began
                    self.times.clear()
                if (reply["content"]["status"] == "error") != is_error:
                    self.unexpected.append(source.splitlines()[0])
                time.sleep(self.random.expovariate(1 / self.options.think) if self.options.think else 0)
        finally:
            # Memory is read while all kernels are there.
            self.done.wait()
            self.done.wait()
            client.stop_channels()
            manager.shutdown_kernel(now=True)


def processor_seconds() -> float:
    times = psutil.cpu_times()
    return times.user + times.nice + times.system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("students", type=int)
    parser.add_argument("notebook", type=Path, nargs="?", default=LESSON)
    parser.add_argument("--think", type=float, default=0.0)
    parser.add_argument("--kernel", default="warpcell")
    options = parser.parse_args()
    cells = code_cells(options.notebook)
    done = threading.Barrier(options.students + 1)
    with tempfile.TemporaryDirectory() as folder:
        students = [Student(number, cells, Path(folder), options, done) for number in range(options.students)]
        memory, processor, began = psutil.virtual_memory().available, processor_seconds(), time.monotonic()
        for student in students:
            student.start()
        done.wait()
        processor, seconds = processor_seconds() - processor, time.monotonic() - began
        memory -= psutil.virtual_memory().available
        done.wait()
        for student in students:
            student.join()
    times = sorted(time for student in students for time in student.times)
    unexpected = [line for student in students for line in student.unexpected]
    print(
        f"{options.students} students, {len(times)} cells, {seconds:.0f} s: median {statistics.median(times) * 1e3:.0f} ms, "
        f"95 of 100 within {times[int(0.95 * len(times))] * 1e3:.0f} ms, longest {times[-1]:.1f} s; "
        f"first cell after {max(student.first for student in students):.1f} s; "
        f"{processor / options.students:.1f} processor seconds and {memory / options.students / 2**20:.0f} MiB for each kernel; "
        f"unexpected {len(unexpected)} {unexpected[:3]}"
    )
    if unexpected:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
