"""Two installations of Warpcell side by side: what a change has done to starts and cells."""

from __future__ import annotations

import statistics
from collections.abc import Callable

from cells import CELLS, SETUP


def against(starts: dict[str, Callable], first_result: Callable, count: int, sessions: int) -> int:
    """Prints medians of both and their ratios; each start and each cell is done in turns."""
    names = list(starts)
    figures = {name: [] for name in names}
    for turn in range(count):
        for name in names if turn % 2 == 0 else reversed(names):
            figures[name].append(first_result(starts[name], []))
    print("| | " + " | ".join(names) + " | ratio |\n|---|---|---|---|")
    for index, (what, unit) in enumerate([("kernel_info", "s"), ("first device array", "s"), ("memory before the first cell", "MiB")]):
        show(what, [statistics.median(values[index] for values in figures[name]) for name in names], unit)
    times = {name: [[] for _ in CELLS] for name in names}
    for turn in range(sessions):
        kernels = {name: starts[name]() for name in names}
        for code in SETUP:
            for kernel in kernels.values():
                kernel.must(code)
        for number, (_, code) in enumerate(CELLS):
            for name in names if (number + turn) % 2 == 0 else reversed(names):
                times[name][number].append(kernels[name].run(code)[1])
        for kernel in kernels.values():
            kernel.close()
    for kind in [*dict.fromkeys(kind for kind, _ in CELLS), "all"]:
        medians = []
        for name in names:
            of_kind = [seconds for (its, _), cell in zip(CELLS, times[name], strict=True) if kind in (its, "all") for seconds in cell]
            medians.append(statistics.median(of_kind) * 1e3)
        show(f"cells: {kind}, median", medians, "ms")
    return 0


def show(what: str, values: list[float], unit: str) -> None:
    ours, theirs = values
    digits = 2 if unit == "s" else 0
    print(f"| {what} | {ours:.{digits}f} {unit} | {theirs:.{digits}f} {unit} | {ours / theirs:.3f} |", flush=True)
