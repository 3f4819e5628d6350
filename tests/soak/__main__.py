"""A long session: `python tests/soak [--cells N] --prefix PREFIX`.

Cells as people run them all day, the same ones again and again: definitions, arrays, plots, text, errors, panics,
completions while a cell runs, interrupts of running code and of the compiler. Prints a table of resident memory, and fails
if a cell does not do what it should, or if memory at the end is more than 10 % above that after the first fifth.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from e2e.session import Session, plain

GROWTH = 1.10

# Code, and what must be in the value, the text or the error.
ROUND = [
    ("let host = Array2::<f32>::from_shape_fn((96, 128), |(i, j)| ((i * 7 + j * 3) % 11) as f32);", ""),
    ("let image = gpu::asarray(&host);", ""),
    ("fn area(width: f64, height: f64) -> f64 {\n    width * height\n}", ""),
    ("area(3.0, 4.5)", "13.5"),
    ("(&image * 2.0f32).max()", "20.0"),
    ("let wrong: i32 = image;", "mismatched types"),
    ("gpu::imshow(&image);", "image/png"),
    ('for i in 0..1000 { println!("line {i}"); }', "line 999"),
    ("#[derive(Debug, Clone)]\nstruct Point { x: f64, y: f64 }\nlet points = vec![Point { x: 1.0, y: 2.0 }; 100];", ""),
    ("points.len()", "100"),
    ('panic!("on purpose");', "on purpose"),
    ("let sums: Vec<f32> = host.rows().into_iter().map(|row| row.sum()).collect();", ""),
    ("sums.len()", "96"),
    ("gpu::convolve2d(&image, &image, Mode::Same).shape().to_vec()", "[96, 128]"),
    ('std::fs::read_to_string("/nonexistent")?;', "No such file"),
    ("%timeit -n 10 -r 3 host.sum()", "per loop"),
    ("image.mean()", ""),
    (":vars", ""),
    ("let text = String::from(\"a\").repeat(1000); text.len()", "1000"),
]
RUNNING = 'println!("running"); let mut n = 0u64; loop { n = std::hint::black_box(n.wrapping_add(1)); }'
COMPILING = """#[allow(long_running_const_eval)]
const ENDLESS: u64 = { let mut n = 0u64; while n < u64::MAX { n += 1; } n };
println!("{ENDLESS}");"""


def seen(result) -> str:
    """All that a cell has shown."""
    shown = [result.stdout, result.stderr, result.value or "", *(" ".join(data) for data in result.displays)]
    if not result.ok:
        shown.append(plain("\n".join([result.reply["evalue"], *result.reply["traceback"]])))
    return "\n".join(shown)


def interrupt_running(session: Session) -> None:
    """Interrupts code that runs, after a completion meanwhile."""
    completed = []

    def act(message) -> None:
        if message.kind == "stream" and not completed:
            completed.append([])
            deadline = time.monotonic() + 60
            # While the assistant starts, there is nothing.
            while not completed[0] and time.monotonic() < deadline:
                completed[0] = session.complete("gpu::convol")["matches"]
            session.manager.interrupt_kernel()

    result = session.run(RUNNING, on_message=act)
    assert result.error["ename"] == "Interrupted", result.summary()
    assert completed[0], "no completions while the cell ran"


def interrupt_compiling(session: Session) -> None:
    """Interrupts until the compiler has ended: an interrupt may come before it has started."""
    request = session.send(COMPILING)
    for _ in range(60):
        session.manager.interrupt_kernel()
        try:
            result = session.collect(request, seconds=2)
        except AssertionError:
            continue
        assert result.reply["status"] == "error" and result.reply["ename"] == "Interrupted", result.summary()
        return
    raise AssertionError("the compiler was not ended")


def memory(session: Session) -> dict[str, float]:
    """MiB of each process of the kernel's own; compilers come and go."""
    marks = {"WARPCELL_ASSISTANT": "assistant", "WARPCELL_CELL_PROCESS": "cells", "WARPCELL_WATCHER": "watcher"}
    found = dict.fromkeys(("kernel", "supervisor", "cells", "assistant", "watcher"), 0.0)
    for process in session.processes():
        try:
            if process.name() != "warpcell":
                continue
            environment = process.environ()
            other = next((name for mark, name in marks.items() if mark in environment), "supervisor")
            name = "kernel" if process.pid == session.pid else other
            found[name] += process.memory_info().rss / 2**20
        except psutil.NoSuchProcess:
            pass
    return {**found, "total": sum(found.values())}


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--cells", type=int, default=500)
    arguments.add_argument("--prefix", type=Path, required=True)
    options = arguments.parse_args()
    os.environ["JUPYTER_PATH"] = str(options.prefix / "share" / "jupyter")
    first = options.cells // 5
    rows: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        session = Session(env={"TMPDIR": folder}, cwd=Path(folder))
        start = time.monotonic()
        counts = {"interrupts": 0, "errors": 0, "plots": 0}
        try:
            interrupt_running(session)  # so that the process that helps while a cell runs is there from the first row on
            for cell in range(1, options.cells + 1):
                # Not where memory is measured: an interrupt may start a new process for the cells.
                if cell % 25 == 10:
                    (interrupt_running if cell % 50 == 10 else interrupt_compiling)(session)
                    counts["interrupts"] += 1
                else:
                    code, expected = ROUND[cell % len(ROUND)]
                    result = session.run(code)
                    shown = seen(result)
                    # An interrupt may have cost the variables that a cell names.
                    lost = not result.ok and "cannot find value" in shown
                    assert lost or expected in shown, f"cell {cell}: {code}\n{result.summary()}"
                    counts["errors"] += not result.ok
                    counts["plots"] += any("image/png" in data for data in result.displays)
                if cell % (options.cells // 10) == 0:
                    rows[cell] = {"s": time.monotonic() - start, **memory(session)}
        finally:
            session.close()
    print("  ".join(f"{name:>10}" for name in ("cell", *next(iter(rows.values())))))
    for cell, row in rows.items():
        print("  ".join([f"{cell:>10}", *(f"{value:10.0f}" for value in row.values())]))
    growth = rows[options.cells]["total"] / rows[first]["total"]
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    print(f"memory after cell {options.cells} against cell {first}: {growth:.3f} (at most {GROWTH})")
    return 0 if growth <= GROWTH else 1


if __name__ == "__main__":
    sys.exit(main())
