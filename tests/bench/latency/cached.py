"""Cells that were compiled before: run again, after a restart, and in another session of the user."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable

from cells import CELLS, SETUP

WHEN = ("compiled", "run again", "after a restart", "another session")


def cached(start: Callable, sessions: int) -> int:
    """Prints the median times of each kind of cell, with a cache that is empty at first."""
    times: dict[str, list[list[float]]] = {when: [[] for _ in CELLS] for when in WHEN}

    def run(kernel, again: bool, when: str) -> None:
        for code in SETUP:
            kernel.must(code)
        for number, (_, code) in enumerate(CELLS):
            times[when][number].append(kernel.run(code)[1])
            if again:
                # The second time some cells have a variable more, which the first run has made.
                kernel.run(code)
                times["run again"][number].append(kernel.run(code)[1])

    for _ in range(sessions):
        with tempfile.TemporaryDirectory(prefix="cells-") as cache:
            kernel = start({"WARPCELL_CACHE_DIR": cache})
            run(kernel, True, "compiled")
            kernel.close()
            # A session without the second and third runs, which makes the entries for the next ones.
            kernel = start({"WARPCELL_CACHE_DIR": cache})
            for code in (*SETUP, *(code for _, code in CELLS)):
                kernel.run(code)
            kernel.restart()
            run(kernel, False, "after a restart")
            kernel.close()
            kernel = start({"WARPCELL_CACHE_DIR": cache})
            run(kernel, False, "another session")
            kernel.close()
    print(f"| kind | {' | '.join(WHEN)} | shares |\n|---|{'---|' * (len(WHEN) + 1)}")
    for kind in [*dict.fromkeys(kind for kind, _ in CELLS), "all"]:
        medians = []
        for when in WHEN:
            of_kind = [seconds for (its, _), cell in zip(CELLS, times[when], strict=True) if kind in (its, "all") for seconds in cell]
            medians.append(statistics.median(of_kind) * 1e3)
        shares = ", ".join(f"{median / medians[0]:.2f}" for median in medians[1:])
        print(f"| {kind} | {' | '.join(f'{median:.0f} ms' for median in medians)} | {shares} |", flush=True)
    return 0
