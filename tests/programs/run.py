"""Runs random programs in a kernel, once as one block and once in cells, and compares what they print.

    python -m programs.run [--count N] [--seed N] [--kernels N] [--failures]

With `--failures` some cells fail between two of their statements, and go on in the next cell with those that have not run: what ran
before a failure stays done. A program's seed repeats it: `--count 1 --seed SEED`.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from e2e.session import Session, plain
from programs.generate import Program, program
from seeds import parser, side_by_side

# So many programs are one cell when they run as blocks, and share one session.
BATCH = 10
SECONDS = 120


@dataclass
class Difference:
    """A program that does something else in cells."""

    seed: int
    cells: list[str]
    text: str

    def __str__(self) -> str:
        cells = "\n".join(f"// {number}\n{cell}" for number, cell in enumerate(self.cells, 1))
        return f"=== seed {self.seed}\n{cells}\n--- {self.text}"


def blocks(session: Session, programs: list[Program]) -> list[str]:
    """What each program prints as one block."""
    mark = "=== next"
    code = "\n".join(f'{each.block()}\nprintln!("{mark}");' for each in programs)
    result = session.run(code, SECONDS)
    assert result.ok, f"the generator made a program that does not run as one block:\n{result.error_text}\n{code}"
    return result.stdout.split(f"{mark}\n")[:-1]


def in_cells(session: Session, made: Program, expected: str, failures: bool) -> Difference | None:
    """Runs a program in cells; the difference, if there is one."""
    source = random.Random(made.seed)
    cells, said = [], ""
    waiting = made.cells(source)
    while waiting:
        statements = waiting.pop(0)
        fails = failures and source.random() < 0.3
        if fails:
            at = source.randint(0, len(statements))
            if at < len(statements):
                waiting.insert(0, statements[at:])
            failure = source.choice(('panic!("injected");', 'Err::<(), &str>("injected")?;', "let _ = [1][std::hint::black_box(7)];"))
            statements = [*statements[:at], failure, *statements[at:]]
        cell = "\n".join(statements)
        cells.append(cell)
        result = session.run(cell, SECONDS)
        said += result.stdout
        where = f"cell {len(cells)}"
        if fails and (result.ok or result.reply["ename"] not in ("Panic", "Error")):
            return Difference(made.seed, cells, f"{where} should fail:\n{result.summary()}")
        if fails and "lost" in result.error_text:
            return Difference(made.seed, cells, f"{where} loses a value:\n{result.error_text}")
        if not fails and not result.ok:
            return Difference(made.seed, cells, f"{where} fails:\n{result.error_text}")
        if result.stderr:
            return Difference(made.seed, cells, f"{where} says:\n{plain(result.stderr)}")
    return Difference(made.seed, cells, f"expected:\n{expected}\nprinted:\n{said}") if said != expected else None


def compare(session: Session, seeds: Iterable[int], failures: bool = False) -> list[Difference]:
    """The programs of these seeds that do something else in cells than in one block."""
    programs = [program(seed) for seed in seeds]
    differences = []
    for start in range(0, len(programs), BATCH):
        batch = programs[start : start + BATCH]
        outputs = blocks(session, batch)
        found = [in_cells(session, made, expected, failures) for made, expected in zip(batch, outputs, strict=True)]
        differences += [difference for difference in found if difference]
        # Items of earlier programs are compiled again in each cell.
        session.check(":clear")
    return differences


def compare_all(count: int, seed: int, kernels: int, failures: bool = False) -> list[Difference]:
    """The same in several kernels side by side."""

    def work(seeds: list[int]) -> list[Difference]:
        session = Session()
        try:
            return compare(session, seeds, failures)
        finally:
            session.close()

    return [difference for found in side_by_side(count, seed, kernels, work) for difference in found]


def main() -> int:
    options_of = parser(__doc__, 300)
    options_of.add_argument("--failures", action="store_true")
    options = options_of.parse_args()
    start = time.monotonic()
    differences = compare_all(options.count, options.seed, options.kernels, options.failures)
    for difference in differences:
        print(difference)
    took = time.monotonic() - start
    print(f"{options.count} programs from seed {options.seed}{' with failures' if options.failures else ''}: {len(differences)} differ ({took:.0f} s)")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
