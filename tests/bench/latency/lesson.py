"""A lesson from its first cell to its last: compiled, after "Restart and run all", and for another student."""

from __future__ import annotations

import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from classroom import LESSON, code_cells  # noqa: E402

WHEN = ("compiled", "after a restart", "another student")
# What marks the process that runs the cells (kernel/src/environment.rs).
CELL_PROCESS = "WARPCELL_CELL_PROCESS"
SECONDS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}


def lesson(start: Callable, sessions: int) -> int:
    """Prints the medians of the whole lesson's seconds, of those outside of running cells, and of the
    processor's seconds for all but running cells."""
    cells = code_cells(LESSON)
    rows: dict[str, list[tuple[float, float, float]]] = {when: [] for when in WHEN}
    for _ in range(sessions):
        with tempfile.TemporaryDirectory(prefix="cells-") as cache:
            rows["compiled"].append(run_all(start({"WARPCELL_CELL_CACHE": "0"}), cells))
            # Makes the entries.
            kernel = start({"WARPCELL_CACHE_DIR": cache})
            run_all(kernel, cells, close=False)
            begin = time.perf_counter()
            kernel.restart()
            rows["after a restart"].append(run_all(kernel, cells, begin))
            rows["another student"].append(run_all(start({"WARPCELL_CACHE_DIR": cache}), cells))
    print("| lesson 1 | all | without running cells | processor time without running cells |\n|---|---|---|---|")
    first = [statistics.median(column) for column in zip(*rows["compiled"], strict=True)]
    for when in WHEN:
        medians = [statistics.median(column) for column in zip(*rows[when], strict=True)]
        figures = [f"{seconds:.2f} s ({seconds / whole:.2f})" for seconds, whole in zip(medians, first, strict=True)]
        print(f"| {when} | {' | '.join(figures)} |", flush=True)
    return 0


def run_all(kernel, cells: list[tuple[str, bool]], begin: float | None = None, close: bool = True) -> tuple[float, float, float]:
    """Seconds from the kernel's start to the last cell's end, those without the running of cells, and the processor's without it."""
    running, asking = 0.0, 0.0
    for code, fails in cells:
        kernel.run(code) if fails else kernel.must(code)
        asked = time.perf_counter()
        running += seconds_of(kernel.printed("%celltime"), "run")
        asking += time.perf_counter() - asked
    whole = time.perf_counter() - (begin or kernel.started) - asking
    spent = processor_time(kernel)
    if close:
        kernel.close()
    return whole, whole - running, spent


def seconds_of(table: str, part: str) -> float:
    """The time of one part in what `%celltime` prints; 0 where a cell of magics alone has none."""
    found = re.search(rf"^\s*{part}\s+([\d.]+) (\S+)", table, re.MULTILINE)
    return float(found[1]) * SECONDS[found[2]] if found else 0.0


def processor_time(kernel) -> float:
    """Seconds that the kernel and all processes that it started have spent, also those that have ended, but for the cell process."""
    parent = psutil.Process(kernel.manager.provisioner.process.pid)
    processes = [parent, *parent.children(recursive=True)]
    return sum(sum(process.cpu_times()[:4]) for process in processes if CELL_PROCESS not in process.environ())
