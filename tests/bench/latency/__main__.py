"""The wait after Shift-Enter, against evcxr_jupyter: `python tests/bench/latency`.

One scripted session (`cells.py`) runs in both kernels on this machine, cell by cell in turns, several times. evcxr_jupyter
is built from this project's lock file (`cargo build --release --locked -p warpcell-peer`) and
gets the same prelude by `:dep`, in a target directory that is ready before the clock starts. A cell's time goes from
sending its request to the kernel's `idle`, as the client sees it. Each cell is compiled; `--cached` measures cells that were compiled
before.

Needs an installed Warpcell: `--prefix`, by default the one that `tests/run install` makes. Measure on a quiet machine.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

from against import against
from cached import cached
from cells import CELLS, SETUP
from growth import growth
from lesson import lesson

ROOT = Path(__file__).resolve().parents[3]
DEPENDENCIES = f':dep warpcell = {{ path = "{ROOT / "prelude"}", default-features = false }}\n:dep ndarray = "0.17"'
IMPORTS = "use warpcell as gpu;\nuse gpu::prelude::*;"
FIRST = ["let a = Array2::<f32>::ones((256, 256));", "let d = gpu::asarray(&a);"]
# Ratios that the kernel is to reach: the largest share of the peer's time, by kind and over all cells.
GOALS = {"error": 1 / 2, "all": 0.15}
GOAL_OF_OTHERS = 1 / 3


class Kernel:
    """A kernel of either kind, and what a client sees of it."""

    def __init__(self, argv: list[str], env: dict[str, str], cwd: str):
        self.manager = KernelManager()
        # There is no kernelspec on disk for these: the manager takes what it would have read from one.
        self.manager._kernel_spec = KernelSpec(argv=argv, language="rust", display_name=argv[0])
        self.started = time.perf_counter()
        self.manager.start_kernel(env={**os.environ, **env}, cwd=cwd)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=300)
        self.ready_after = time.perf_counter() - self.started

    def messages(self, request: str) -> Iterator[dict]:
        """What the kernel publishes about a request, up to its `idle`."""
        while True:
            message = self.client.get_iopub_msg(timeout=600)
            if message["parent_header"].get("msg_id") != request:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return
            yield message

    def reply(self, request: str) -> dict:
        while True:
            reply = self.client.get_shell_msg(timeout=600)
            if reply["parent_header"].get("msg_id") == request:
                return reply["content"]

    def run(self, code: str) -> tuple[dict, float]:
        """The reply, and the seconds to `idle`."""
        start = time.perf_counter()
        request = self.client.execute(code, allow_stdin=False)
        for _ in self.messages(request):
            pass
        seconds = time.perf_counter() - start
        return self.reply(request), seconds

    def printed(self, code: str) -> str:
        """What a cell writes to its standard output."""
        request = self.client.execute(code, allow_stdin=False)
        text = "".join(message["content"]["text"] for message in self.messages(request) if message["msg_type"] == "stream")
        self.reply(request)
        return text

    def must(self, code: str) -> float:
        reply, seconds = self.run(code)
        if reply["status"] != "ok":
            raise SystemExit("\n".join(["a cell failed that must not:", code, *reply["traceback"]]))
        return seconds

    def memory(self) -> float:
        """Resident MiB of the kernel and all its processes, once they have come to rest."""
        kernel = psutil.Process(self.manager.provisioner.process.pid)
        before, still = -1.0, 0
        while still < 4:
            processes = [kernel, *kernel.children(recursive=True)]
            try:
                spent = sum(sum(process.cpu_times()[:2]) for process in processes)
            except psutil.NoSuchProcess:
                # One of them has ended since.
                continue
            still = still + 1 if spent - before < 0.02 else 0
            before = spent
            time.sleep(0.25)
        return sum(process.memory_info().rss for process in processes) / 2**20

    def restart(self) -> None:
        self.manager.restart_kernel(now=False)
        self.client.wait_for_ready(timeout=300)

    def close(self) -> None:
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()


class Sides:
    """How the two kernels are started."""

    def __init__(self, prefix: Path, peer: Path, target: Path, cwd: str):
        self.prefix, self.peer, self.target, self.cwd = prefix, peer, target, cwd

    def ours(self, env: dict[str, str] | None = None) -> Kernel:
        argv = [str(self.prefix / "bin" / "warpcell"), "kernel", "--connection-file", "{connection_file}"]
        # Without a word about the cache, each cell is compiled.
        return Kernel(argv, {"WARPCELL_DEVICE": "cpu", **(env or {"WARPCELL_CELL_CACHE": "0"})}, self.cwd)

    def theirs(self) -> Kernel:
        # Its own settings file would change what is measured; its target directory is kept from session to session.
        env = {"WARPCELL_DEVICE": "cpu", "EVCXR_TMPDIR": str(self.target), "EVCXR_CONFIG_DIR": str(self.target / "none")}
        return Kernel([str(self.peer), "--control_file", "{connection_file}"], env, self.cwd)


def first_result(start, before: list[str]) -> tuple[float, float, float]:
    """Seconds from the process's start to its first answer and to the first device array; MiB before the first cell."""
    kernel = start()
    try:
        for code in [*before, *FIRST]:
            kernel.must(code)
        first = time.perf_counter() - kernel.started
    finally:
        kernel.close()
    kernel = start()
    try:
        # evcxr_jupyter has the prelude only after the cell that names it.
        for code in before:
            kernel.must(code)
        return kernel.ready_after, first, kernel.memory()
    finally:
        kernel.close()


def session(sides: Sides) -> list[tuple[str, float, float]]:
    """One session in both kernels: kind and both times of each cell."""
    ours, theirs = sides.ours(), sides.theirs()
    try:
        theirs.must(DEPENDENCIES)
        theirs.must(IMPORTS)
        for code in SETUP:
            ours.must(code)
            theirs.must(code)
        rows = []
        for number, (kind, code) in enumerate(CELLS):
            turns = [ours, theirs] if number % 2 == 0 else [theirs, ours]
            seen = {kernel: kernel.run(code) for kernel in turns}
            for kernel, (reply, _) in seen.items():
                # evcxr_jupyter calls a cell that panicked successful.
                if (reply["status"] == "error") != (kind == "error") and not (kernel is theirs and "panic!" in code):
                    name = "Warpcell" if kernel is ours else "evcxr_jupyter"
                    text = "\n".join(reply.get("traceback", []))
                    raise SystemExit(f"{name}: status {reply['status']} of\n{code}\n{text}")
            rows.append((kind, seen[ours][1], seen[theirs][1]))
        return rows
    finally:
        ours.close()
        theirs.close()


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def table(rows: list[tuple[str, float, float]]) -> tuple[list[str], bool]:
    """The table's lines, and whether all goals are met."""
    lines = [
        "| kind | cells | p50 | p90 | evcxr_jupyter p50 | p90 | ratio of p50 | at most |",
        "|---|---|---|---|---|---|---|---|",
    ]
    met = True
    kinds = [*dict.fromkeys(kind for kind, *_ in CELLS), "all"]
    for kind in kinds:
        ours = [mine for of, mine, _ in rows if kind in (of, "all")]
        theirs = [their for of, _, their in rows if kind in (of, "all")]
        ratio, goal = statistics.median(ours) / statistics.median(theirs), GOALS.get(kind, GOAL_OF_OTHERS)
        met &= ratio <= goal
        figures = [statistics.median(ours), percentile(ours, 0.9), statistics.median(theirs), percentile(theirs, 0.9)]
        cells = " | ".join(f"{seconds * 1e3:.0f} ms" for seconds in figures)
        lines.append(f"| {kind} | {len(ours)} | {cells} | {ratio:.2f} | {goal:.2f} |")
    return lines, met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", type=Path, default=ROOT / "target/tests/a prefix", help="where Warpcell is installed")
    parser.add_argument("--peer", type=Path, default=ROOT / "target/release/evcxr_jupyter")
    parser.add_argument("--sessions", type=int, default=3, help="sessions of each kernel (default: %(default)s)")
    parser.add_argument("--starts", type=int, default=3, help="starts of each kernel (default: %(default)s)")
    parser.add_argument("--cells", action="store_true", help="print every cell's times too")
    parser.add_argument("--ours", action="store_true", help="run no peer: our times only")
    parser.add_argument("--against", type=Path, help="instead: side by side with the Warpcell in this prefix (against.py)")
    parser.add_argument("--cached", action="store_true", help="instead: cells that were compiled before (cached.py)")
    parser.add_argument("--lesson", action="store_true", help="instead: lesson 1, compiled, after a restart, another student (lesson.py)")
    parser.add_argument("--growth", action="store_true", help="instead: whether cells get slower with use (growth.py)")
    options = parser.parse_args()
    for name in ("RUSTFLAGS", "CARGO_TARGET_DIR"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory(prefix="latency-") as cwd:
        # Not below the checkout, whose workspace its crate would be taken to belong to.
        target = Path(cwd) / "evcxr_jupyter"
        sides = Sides(options.prefix, options.peer, target, cwd)
        if options.growth:
            return growth(sides.ours)
        if options.cached:
            return cached(sides.ours, options.sessions)
        if options.lesson:
            return lesson(sides.ours, options.sessions)
        if options.against:
            other = Sides(options.against, options.peer, target, cwd)
            return against({"this": sides.ours, "other": other.ours}, first_result, options.starts, options.sessions)
        if options.ours:
            return only_ours(sides, options.sessions)
        target.mkdir()
        shutil.copy(ROOT / "Cargo.lock", target / "Cargo.lock")
        print(f"{platform.machine()}, {os.cpu_count()} processors; {compiler()}", flush=True)
        print("| | kernel_info | first device array | memory with the prelude, before other cells |\n|---|---|---|---|")
        before = [DEPENDENCIES, IMPORTS]
        ready, first, memory = first_result(sides.theirs, before)
        print(f"| evcxr_jupyter, nothing built yet | {ready:.2f} s | {first:.1f} s | {memory:.0f} MiB |", flush=True)
        for name, start, cells in [("evcxr_jupyter", sides.theirs, before), ("Warpcell", sides.ours, [])]:
            starts = [first_result(start, cells) for _ in range(options.starts)]
            ready, first, memory = (statistics.median(column) for column in zip(*starts, strict=True))
            print(f"| {name} | {ready:.2f} s | {first:.2f} s | {memory:.0f} MiB |", flush=True)
        sessions = [session(sides) for _ in range(options.sessions)]
    rows = [row for rows in sessions for row in rows]
    lines, met = table(rows)
    print("\n" + "\n".join(lines))
    if options.cells:
        for index, (kind, code) in enumerate(CELLS):
            ours, theirs = (statistics.median(rows[index][side] for rows in sessions) for side in (1, 2))
            print(f"{ours * 1e3:6.0f} {theirs * 1e3:6.0f} ms  {kind:10}  {code.splitlines()[0]}")
    print("\nAll goals are met." if met else "\nNot all goals are met.")
    return 0 if met else 1


def only_ours(sides: Sides, sessions: int) -> int:
    """For work on the kernel: each cell's median time, without the peer."""
    print("kernel_info {:.2f} s, first device array {:.2f} s, {:.0f} MiB".format(*first_result(sides.ours, [])))
    times: list[list[float]] = [[] for _ in CELLS]
    for _ in range(sessions):
        kernel = sides.ours()
        for code in SETUP:
            kernel.must(code)
        for cell, (_, code) in zip(times, CELLS, strict=True):
            cell.append(kernel.run(code)[1])
        kernel.close()
    for (kind, code), seconds in zip(CELLS, times, strict=True):
        print(f"{statistics.median(seconds) * 1e3:6.0f} ms  {kind:10}  {code.splitlines()[0]}")
    for kind in dict.fromkeys(kind for kind, _ in CELLS):
        of_kind = [second for (its, _), seconds in zip(CELLS, times, strict=True) if its == kind for second in seconds]
        print(f"{statistics.median(of_kind) * 1e3:6.0f} ms  median of {kind}")
    return 0


def compiler() -> str:
    return subprocess.check_output(["rustc", "-V"], text=True, cwd=ROOT).strip()


if __name__ == "__main__":
    sys.exit(main())
