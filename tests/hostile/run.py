"""Does to a kernel what it must survive, and looks what is left: `python -m hostile.run [--count N] [--seed N] [--kernels N] [--verbose]`.

After each case the kernel's process must live, and have answered within 30 seconds; where an interrupt was needed for that, of the
first. The variables must be there as long as the process lives that holds them. A case's seed repeats it, by `--count 1 --seed SEED`;
if it needs what was before it, the seeds since the last `:clear` do, of which each report names the first.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from queue import Empty

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import psutil

from e2e.session import Result, Session, plain
from hostile.generate import KEPT, Case, Step, case_of
from seeds import parser, side_by_side

# After so many cases everything that they have defined is forgotten.
BATCH = 20
# A cell that takes longer is interrupted, and must then end within the limit.
PATIENCE, LIMIT = 4.0, 30.0
CHECK = "(kept.iter().sum::<i32>(), kept_text.len())"
RIGHT = "(6, 4)"


@dataclass
class Fault:
    """A case after which something is not as it should be."""

    case: Case
    first: int
    text: str

    def __str__(self) -> str:
        return f"{self.case}\n--- {self.text}\n(seeds since the last `:clear`: {self.first} to {self.case.seed})"


class Failed(Exception):
    """What a case has shown, in words."""


def shown(result: Result) -> str:
    """A cell's value, without the type that `:types` shows."""
    return re.sub(r"^: [^=]* = ", "", result.value or "")


class Victim:
    """A kernel, and what is known of it."""

    def __init__(self) -> None:
        self.session = Session()
        self.prepare()

    def prepare(self) -> None:
        self.session.check(KEPT)
        self.process = self.cell_process()

    def cell_process(self) -> str | None:
        result = self.run(Step("execute", "std::process::id()"))
        return shown(result) if result.ok else None

    def close(self) -> None:
        self.session.close()

    def alive(self) -> bool:
        try:
            return psutil.Process(self.session.pid).status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    def run(self, step: Step, is_stubborn: bool = False) -> Result:
        """Runs a cell. One that takes long is interrupted, once or, if it is known to need that, twice."""
        session = self.session
        # Waits for the answer, so that no later cell is meant.
        timer = threading.Timer(PATIENCE if step.interrupt is None else step.interrupt, session.interrupt)
        request = session.send(step.text)
        timer.start()
        again = threading.Timer(PATIENCE + 2, session.interrupt)
        if is_stubborn:
            again.start()
        try:
            return session.collect(request, PATIENCE + LIMIT)
        except AssertionError:
            raise Failed(f"no end {LIMIT:.0f} s after the interrupt") from None
        finally:
            timer.cancel()
            timer.join()
            again.cancel()
            if is_stubborn:
                again.join()

    def ask(self, step: Step) -> None:
        session = self.session
        content = {"code": step.text, "cursor_pos": step.cursor, "detail_level": 0}
        message = session.client.session.msg(f"{step.kind}_request", content)
        session.client.shell_channel.send(message)
        try:
            session.reply(message["header"]["msg_id"], time.monotonic() + LIMIT)
        except AssertionError:
            raise Failed(f"no reply to {step.kind}_request in {LIMIT:.0f} s") from None

    def send(self, step: Step) -> None:
        """Sends what need not be answered."""
        channel = self.session.client.shell_channel
        if step.kind == "frames":
            channel.socket.send_multipart(step.content)
            return
        try:
            channel.send(self.session.client.session.msg(step.kind, step.content))
        except (ValueError, TypeError, UnicodeError):
            # The client cannot write it as JSON.
            return

    def work(self, case: Case) -> None:
        """Does what the case says, and looks what is left."""
        has_ended = False
        for step in case.steps:
            if step.kind == "execute":
                result = self.run(step, case.is_stubborn)
                if result.reply.get("ename") == "KernelError":
                    raise Failed(f"the kernel has a bug:\n{result.error_text}")
                text = "\n".join([result.stderr, "" if result.ok else plain("\n".join(result.reply.get("traceback") or []))])
                has_ended |= "ended" in text or "are lost" in text or result.reply.get("ename") == "CellProcessDied"
            elif step.kind in ("complete", "inspect", "is_complete"):
                self.ask(step)
            else:
                self.send(step)
        if not self.alive():
            raise Failed("the kernel is dead")
        if any(":fmt" in step.text for step in case.steps):
            # Not every value has every format.
            self.run(Step("execute", ":fmt"))
        self.look(case, has_ended)

    def look(self, case: Case, has_ended: bool) -> None:
        result = self.run(Step("execute", CHECK))
        if not self.alive():
            raise Failed("the kernel is dead")
        if result.ok and shown(result) == RIGHT:
            return
        if result.ok and not case.may_need_clear:
            raise Failed(f"`{CHECK}` is {result.value}")
        said = result.summary() if result.ok else result.error_text
        process = self.cell_process()
        if process is not None and process != self.process:
            if not (case.may_end_process or has_ended):
                raise Failed(f"the process that runs the cells has ended, and nothing has said so; then:\n{said}")
        elif not case.may_need_clear:
            raise Failed(f"variables are lost, though the process lives:\n{said}")
        self.renew()

    def renew(self) -> None:
        """Forgets everything; from then on all is as at the start."""
        result = self.run(Step("execute", ":clear"))
        if not result.ok:
            raise Failed(f"`:clear` fails:\n{result.error_text}")
        result = self.run(Step("execute", KEPT))
        if not result.ok:
            raise Failed(f"nothing works after `:clear`:\n{result.error_text}")
        self.process = self.cell_process()


def torture(seeds: list[int], verbose: bool = False) -> tuple[list[Fault], Counter[str]]:
    """Cases of these seeds, one after the other, in one kernel."""
    victim = Victim()
    faults: list[Fault] = []
    kinds: Counter[str] = Counter()
    try:
        for number, seed in enumerate(seeds):
            case = case_of(seed)
            kinds[case.kind] += 1
            first = seeds[number - number % BATCH]
            start = time.monotonic()
            try:
                if number % BATCH == 0 and number:
                    victim.renew()
                victim.work(case)
            except (Failed, AssertionError, Empty) as error:
                faults.append(Fault(case, first, str(error)))
                victim.close()
                victim = Victim()
            if verbose:
                print(f"{time.monotonic() - start:6.1f} s  {seed} {case.kind}", flush=True)
    finally:
        victim.close()
    return faults, kinds


def torture_all(count: int, seed: int, kernels: int, verbose: bool = False) -> tuple[list[Fault], Counter[str]]:
    """The same in several kernels side by side."""
    results = side_by_side(count, seed, kernels, lambda seeds: torture(seeds, verbose))
    return [fault for faults, _ in results for fault in faults], sum((kinds for _, kinds in results), Counter())


def main() -> int:
    options_of = parser(__doc__, 600)
    options_of.add_argument("--verbose", action="store_true")
    options = options_of.parse_args()
    start = time.monotonic()
    faults, kinds = torture_all(options.count, options.seed, options.kernels, options.verbose)
    for fault in faults:
        print(fault)
    print(", ".join(f"{kind} {number}" for kind, number in sorted(kinds.items())))
    print(f"{options.count} hostile cases from seed {options.seed}: {len(faults)} faults ({time.monotonic() - start:.0f} s)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
