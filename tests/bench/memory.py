"""What kernels cost in memory, in use and idle: `python tests/bench/memory.py [--kernels N]`.

Each kernel runs two cells of a usual kind, completes a name and is then left alone: first until everything is warm and the assistant is there, then
until it has given up what an idle kernel gives up. Counted is PSS (a page that several processes share counts in parts) of all
processes of each kernel, from `/proc/PID/smaps_rollup`. Afterwards comes what it takes to be back: the time of a cell, and the time
until a completion while a cell runs.

Needs an installed Warpcell: `--prefix`, by default the one that `tests/run install` makes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

CELLS = [
    "let a = gpu::ones::<f32>((64, 64)); a.sum()",
    "let v: Vec<i32> = (0..10).collect(); v.iter().sum::<i32>()",
]
ROLES = ["kernel", "watcher", "supervisor", "cell process", "compiler", "assistant", "its runtime"]


def role(process: psutil.Process) -> str:
    environment = process.environ()
    if "rustc" in process.name():
        return "compiler"
    if "WARPCELL_WATCHER" in environment:
        return "watcher"
    if "WARPCELL_CELL_PROCESS" in environment:
        return "cell process"
    is_runtime = "EVCXR_IS_RUNTIME" in environment
    if "WARPCELL_ASSISTANT" in environment:
        return "its runtime" if is_runtime else "assistant"
    return "supervisor" if is_runtime else "kernel"


def pss(process: psutil.Process) -> int:
    lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def measure(sessions: list) -> Counter:
    """PSS by role, of a kernel in the mean."""
    total: Counter = Counter()
    for session in sessions:
        for process in alive(session):
            total[role(process)] += pss(process) / len(sessions)
    return total


def alive(session) -> list[psutil.Process]:
    """The processes of a kernel that have not ended."""
    return [process for process in session.processes() if process.status() != psutil.STATUS_ZOMBIE]


def helpers(session) -> list[psutil.Process]:
    return [process for process in alive(session) if role(process) in ("compiler", "assistant")]


def wait_until_warm(sessions: list) -> None:
    """Until nothing takes processor time any more, for some seconds."""

    def used() -> float:
        return sum(sum(process.cpu_times()[:2]) for session in sessions for process in alive(session))

    before, since = used(), time.monotonic()
    while time.monotonic() - since < 4:
        psutil.wait_procs([psutil.Process()], timeout=0.5)
        if used() - before > 0.05:
            before, since = used(), time.monotonic()


def back(session, folder: Path) -> tuple[float, float]:
    """Seconds of the first cell after a rest, and until something completes while it runs."""
    pipe = folder / f"pipe-{session.pid}"
    os.mkfifo(pipe)
    start = time.monotonic()
    session.check("v.len()")
    cell = time.monotonic() - start
    request = session.send(f'println!("running"); println!("{{}}", std::fs::read_to_string("{pipe}").unwrap());')
    deadline = time.monotonic() + 60
    while session.next_message(request, deadline).kind != "stream":
        pass
    start = time.monotonic()
    while not session.complete("gpu::convol")["matches"] and time.monotonic() < deadline:
        pass
    completion = time.monotonic() - start
    pipe.write_text("end")
    session.collect(request)
    return cell, completion


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--prefix", type=Path, default=ROOT / "target/tests/a prefix")
    parser.add_argument("--kernels", type=int, default=10)
    parser.add_argument("--idle-seconds", type=float, default=0, help="0: as long as kernels wait by themselves")
    arguments = parser.parse_args()
    os.environ["JUPYTER_PATH"] = str(arguments.prefix / "share/jupyter")
    if arguments.idle_seconds:
        os.environ["WARPCELL_IDLE_SECONDS"] = str(arguments.idle_seconds)

    from e2e.session import Session

    sessions = [Session() for _ in range(arguments.kernels)]
    try:
        for session in sessions:
            for cell in CELLS:
                session.check(cell)
            session.complete("v.is_em")
        wait_until_warm(sessions)
        in_use = measure(sessions)
        ending = [process for session in sessions for process in helpers(session)]
        psutil.wait_procs(ending, timeout=(arguments.idle_seconds or 300) + 60)
        idle = measure(sessions)
        with tempfile.TemporaryDirectory() as folder:
            times = [back(session, Path(folder)) for session in sessions]
    finally:
        for session in sessions:
            session.close()
    print(f"{arguments.kernels} kernels, MiB of PSS each\n\n| process | in use | idle |\n|---|---|---|")
    for name in ROLES:
        print(f"| {name} | {in_use[name] / 2**20:.1f} | {idle[name] / 2**20:.1f} |")
    print(f"| together | {in_use.total() / 2**20:.0f} | {idle.total() / 2**20:.0f} |\n")
    cell, completion = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"Afterwards: {cell * 1e3:.0f} ms for a cell, {completion:.1f} s until a completion while a cell runs.")


if __name__ == "__main__":
    main()
