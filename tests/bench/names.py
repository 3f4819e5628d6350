"""The table of NumPy's names, and functions of SciPy, against NumPy and SciPy on the CPU, or against CuPy on one GPU, in one run:
`tests/bench/names.py [--device cuda:0]`.

Walks the rows of prelude/tests/integration/names.rs, those of prelude/tests/integration/speed.rs for functions whose rows in the
table make small arrays of their own, and those of prelude/tests/integration/speed/scipy.rs (`--only "SciPy: "`). Both sides evaluate
their expression of a row over the same large arrays, in turns: `a` has 1,000 rows and as many columns (`--side`), `b` is one row, `i`
has as many integers as `a` has elements, `mask` is `a > 0`. For linear algebra `a` may be smaller (`--matrix`). A row is measured if the peer evaluates it in the time and the memory
that it is given, and both results have one shape and one sum. Ratios are our time over the peer's: the median of single calls on the
CPU, of batches between two events on a GPU. What is beyond the limit is measured again, longer, and the better ratio counts.

Fails if a row is beyond the limit that KNOWN does not name, or if a row that KNOWN names is measured and within it.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import functools
import json
import os
import platform
import re
import resource
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What is done to matrices of another size: it takes the third power of their rows.
OF_MATRICES = "Linear algebra"
# How much slower than the peer a row may be, and the microseconds that the host needs for a call in any case: a view takes no time
# on the one side and none on the other.
LIMITS = {"cpu": (1.0, 10.0), "cuda": (1.5, 10.0)}
# Rows of these topics are to be at least as fast as the peer on each device.
SCIPY = "SciPy: "
# Rows with functions of their own are compiled as cells are. The tests are not optimised.
OPTIMISED = "profile.release.package.warpcell-tests.opt-level=2"
# What timing alone changes.
NOISE = 1.05
# A row that KNOWN names is within the limit if it is so by this factor: else it would come and go.
MARGIN = 1.2
# Rows that are slower, by device and NumPy's expression, and why.
LAPACK = "`faer` against LAPACK"
# The order of complex numbers.
OF_PARTS = "several operations on real and imaginary parts"
# What comes and goes by some hundredths from run to run.
NEAR = "1.0 to 1.1 times"
KNOWN: dict[str, dict[str, str]] = {
    "cpu": {
        "scattered(a).toarray()": "0.26 ms for few elements among many zeros: 2.3 to 2.5 times",
        "(poisson(1000) + poisson(1000)).data": "rows are gone through twice, to count and to write: 1.5 to 2.5 times",
        "(poisson(1000) @ poisson(1000)).data": "new memory of 100 MB: 1.2 to 2.0 times",
        "poisson(1000).tocoo().tocsr().data": "new memory of 100 MB: 1.2 to 1.5 times",
        "scipy.sparse.linalg.spsolve(poisson(30), b[:900])": "factors by `faer` against SuperLU: 1.4 times",
        "np.intersect1d(b + 1j, [2 + 1j, 9], return_indices=True)[1]": f"{OF_PARTS}: 95 µs, 2.1 times",
        "scipy.ndimage.rotate(a, 30, order=1)": f"reads at random places: {NEAR}",
    },
    "cuda": {
        "np.asarray(poisson(len(a)).sum(axis=0)).ravel()": "in one order, with the same bits each time; CuPy adds by atomics: 6.8 times",
        "scipy.ndimage.map_coordinates(a, np.stack([i, i[::-1]]), order=1)": "reads at random places, after a copy of the coordinates: 1.65 times",
        "scipy.ndimage.zoom(a, 1.5, order=1)": "tables of weights are made first: 1.26 times",
        "scipy.special.j0(a)": "two polynomials and a phase for large arguments: 1.07 to 1.10 times",
        "np.stack((i, i), axis=1, dtype='float32')": "joined, then converted: 2.1 times",
        "np.random.uniform(b, b)": "four launches for 3,200 numbers, 71 µs: 1.9 times",
        "np.poly1d(b)[1]": "a number, for which it waits; CuPy's is an array: 3.0 times, 18 µs, at the limit",
    },
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu, or cuda:0 (default: %(default)s)")
    parser.add_argument("--side", type=int, help="rows and columns of `a` (default: 1000 on the CPU, 3200 on a GPU)")
    parser.add_argument("--matrix", type=int, default=1000, help="the same for linear algebra (default: %(default)s)")
    parser.add_argument("--only", action="append", default=[], help="a part of NumPy's expression or of a topic; may be repeated")
    parser.add_argument("--part", default="1/1", help="which part of the rows: 2/3 is the second third")
    parser.add_argument("--seconds", type=float, default=0.1, help="for a row on each side in each of three turns (default: %(default)s)")
    parser.add_argument("--longest", type=float, default=2, help="seconds that a call of the peer may take (default: %(default)s)")
    parser.add_argument("--memory", type=float, default=4, help="GiB that each side may have on the CPU (default: %(default)s)")
    parser.add_argument("--worst", type=int, default=20, help="rows in the table (default: %(default)s)")
    parser.add_argument("--output", type=Path, help="writes all figures to this file, as JSON")
    parser.add_argument("--program", type=Path, help="the prelude's program `integration`, if cargo is not to build it")
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.peer:
        serve(arguments.peer, Path(os.environ["WARPCELL_MEASURE"]))
        return 0
    return Run(arguments).walk()


class Run:
    def __init__(self, arguments: argparse.Namespace):
        self.arguments = arguments
        self.kind = arguments.device.split(":")[0]
        self.limit, self.allowance = LIMITS[self.kind]
        self.side = arguments.side or (1000 if self.kind == "cpu" else 3200)
        # By the row's number: the figures, or why there are none.
        self.measured: dict[int, dict] = {}
        self.left_out: dict[int, str] = {}

    def walk(self) -> int:
        arguments = self.arguments
        program = arguments.program or built()
        with tempfile.TemporaryDirectory(prefix="warpcell-names-") as folder, contextlib.ExitStack() as processes:
            write_arrays(Path(folder), {self.side, arguments.matrix})
            environment = {**os.environ, "WARPCELL_MEASURE": folder, "WARPCELL_DEVICE": arguments.device}
            room = int(arguments.memory * 2**30) if self.kind == "cpu" else None
            command = [str(program), "--ignored", "--exact", "speed::measure_rows", "--nocapture", "--test-threads", "1"]
            ours = processes.enter_context(Side(command, environment, room))
            peer_module = "numpy" if self.kind == "cpu" else "cupy"
            theirs = processes.enter_context(Side([sys.executable, __file__, "--peer", peer_module], environment, room))
            rows = ours.hello["rows"]
            chosen = self.chosen(rows)
            print(f"{theirs.hello['name']} and {ours.hello['device']}; {platform.platform()}, {os.cpu_count()} processors")
            for position, number in enumerate(chosen):
                self.measure(number, rows[number], ours, theirs, turns=3, seconds=arguments.seconds)
                self.show(rows[number], number)
                if (position + 1) % 50 == 0:
                    print(f"{position + 1} of {len(chosen)} rows", file=sys.stderr, flush=True)
                    self.write(rows, theirs.hello["name"], ours.hello["device"])
            again = [number for number, row in self.measured.items() if self.is_slow(row)]
            for number in again:
                self.measure(number, rows[number], ours, theirs, turns=7, seconds=2 * arguments.seconds)
                self.show(rows[number], number)
            name, device = theirs.hello["name"], ours.hello["device"]
        return self.report(rows, chosen, name, device)

    def chosen(self, rows: list[dict]) -> list[int]:
        part, parts = (int(text) for text in self.arguments.part.split("/"))
        only = self.arguments.only
        numbers = [
            number for number, row in enumerate(rows) if not only or any(text in row["numpy"] or text in row["topic"] for text in only)
        ]
        # Not neighbours: those of one topic take equally long.
        return numbers[part - 1 :: parts]

    def measure(self, number: int, row: dict, ours: Side, theirs: Side, turns: int, seconds: float) -> None:
        text = row["numpy"]
        if row["is_name"] and not re.search(r"\b(a|b|i|mask)\b", re.sub(r"'[^']*'", "", text)):
            self.left_out[number] = "makes small arrays of its own"
            return
        side = self.arguments.matrix if row["topic"] == OF_MATRICES else self.side
        request = {"side": side, "seconds": seconds}
        longest = self.arguments.longest
        found = theirs.ask({**request, "text": text, "check": True, "longest": longest}, 3 * longest + 30)
        if "error" in found:
            self.left_out[number] = f"the peer: {found['error']}"
            return
        mine = ours.ask({**request, "row": number, "check": True}, 60)
        if "error" in mine:
            self.left_out[number] = f"ours: {mine['error']}"
            return
        if mine["shape"] != found["shape"]:
            self.left_out[number] = f"the shapes {mine['shape']} and {found['shape']} differ"
            return
        rounds = [(median(mine), median(found))]
        for _ in range(turns - 1 if median(found) < 5e5 else 0):
            their_time = theirs.ask({**request, "text": text, "check": False, "longest": longest}, 60)
            our_time = ours.ask({**request, "row": number, "check": False}, 60)
            if "error" in our_time or "error" in their_time:
                self.left_out[number] = our_time.get("error") or their_time["error"]
                return
            rounds.append((median(our_time), median(their_time)))
        figures = {
            **row,
            "side": side,
            "ours_us": statistics.median(our_time for our_time, _ in rounds),
            "theirs_us": statistics.median(their_time for _, their_time in rounds),
            "ratio": statistics.median(our_time / their_time for our_time, their_time in rounds),
            "ours_bytes": mine["extra"],
            "theirs_bytes": found["extra"],
            "same": same_total(mine["total"], found["total"]) or "random" in text,
        }
        before = self.measured.get(number)
        if before is None or figures["ratio"] < before["ratio"]:
            self.measured[number] = figures

    def show(self, row: dict, number: int) -> None:
        """One line about a row that was measured, or why it was not: what is seen if the time runs out."""
        if number in self.left_out:
            print(f"{self.left_out[number][:60]:60}  {row['numpy']}", flush=True)
            return
        figures = self.measured[number]
        mark = "beyond the limit" if self.is_slow(figures) else ""
        print(f"{figures['ratio']:8.2f} {figures['ours_us']:10.1f} {figures['theirs_us']:10.1f} µs  {row['numpy']}  {mark}", flush=True)

    def write(self, rows: list[dict], peer: str, device: str) -> None:
        """All figures so far to the file of `--output`."""
        if self.arguments.output:
            ranked = sorted(self.measured.values(), key=lambda figures: -figures["ratio"])
            left_out = [{**rows[number], "reason": reason} for number, reason in self.left_out.items()]
            text = json.dumps({"peer": peer, "device": device, "side": self.side, "measured": ranked, "left_out": left_out}, indent=1)
            self.arguments.output.write_text(text, encoding="utf-8")

    def is_slow(self, figures: dict, factor: float = 1.0) -> bool:
        limit = 1.0 if figures["topic"].startswith(SCIPY) else self.limit
        return factor * figures["ours_us"] > NOISE * limit * figures["theirs_us"] + self.allowance

    def report(self, rows: list[dict], chosen: list[int], peer: str, device: str) -> int:
        known = KNOWN[self.kind]
        ranked = sorted(self.measured.values(), key=lambda figures: -figures["ratio"])
        slow = [figures for figures in ranked if self.is_slow(figures)]
        bad = [figures for figures in slow if figures["numpy"] not in known]
        mended = [figures for figures in ranked if figures["numpy"] in known and not self.is_slow(figures, MARGIN)]
        short = [figures for figures in ranked if max(figures["ours_us"], figures["theirs_us"]) <= self.allowance]
        different = [figures for figures in ranked if not figures["same"]]
        self.write(rows, peer, device)
        print("\nNot measured:")
        for number, reason in self.left_out.items():
            print(f"  {rows[number]['numpy']}: {reason[:150]}")
        for figures in different:
            print(f"  sums differ, times count: {figures['numpy']}")
        shown = [figures for figures in ranked if figures not in short]
        slower = sum(figures["ratio"] > 1 for figures in shown)
        print(f"\n{datetime.date.today()}, {device}, {peer}, `a` of {self.side} × {self.side}, command: {' '.join(sys.argv)}")
        print(
            f"\n{len(chosen)} rows; {len(ranked)} measured ({len(short)} of them take at most {self.allowance:g} µs on both sides), "
            f"{len(self.left_out)} not; {slower} slower than the peer, {len(slow)} beyond the limit of {self.limit:g} times and "
            f"{self.allowance:g} µs, {len(slow) - len(bad)} of which are known."
        )
        if shown:
            print(f"Median ratio {statistics.median(figures['ratio'] for figures in shown):.2f}.")
        if ratios := [figures["ratio"] for figures in ranked if figures["topic"].startswith(SCIPY)]:
            faster = 1 / statistics.geometric_mean(ratios)
            print(f"{len(ratios)} rows of SciPy's functions: {faster:.2f} times as fast as the peer, by the geometric mean.")
        print("\n| NumPy | ours, µs | peer, µs | ours over peer | |\n|---|---|---|---|---|")
        for figures in shown[: max(self.arguments.worst, len(slow))]:
            remark = known.get(figures["numpy"], "**beyond the limit**") if self.is_slow(figures) else ""
            text = figures["numpy"].replace("|", "\\|")
            print(f"| `{text}` | {figures['ours_us']:.1f} | {figures['theirs_us']:.1f} | {figures['ratio']:.2f} | {remark} |")
        for figures in mended:
            print(f"\n{figures['numpy']} is within the limit: leave it out of KNOWN")
        return 1 if bad or mended or not ranked else 0


def median(answer: dict) -> float:
    return statistics.median(answer["us"])


def same_total(mine: list[float], theirs: list[float]) -> bool:
    """Whether the sums of elements, and of their absolute values, are the same up to rounding. Sums that are too large for a number are
    the same; JSON of one side has no number for them."""
    finite = [[total for total in totals if total is not None and abs(total) < float("inf")] for totals in (mine, theirs)]
    if min(map(len, finite)) < 2:
        return len(finite[0]) == len(finite[1])
    room = 1e-6 * (abs(mine[1]) + abs(theirs[1])) + 1e-300
    return all(abs(one - other) <= room for one, other in zip(mine, theirs))


def write_arrays(folder: Path, sides: set[int]) -> None:
    import numpy as np

    for side in sides:
        numbers = np.random.default_rng(side)
        arrays = {
            "a": numbers.standard_normal((side, side)),
            "b": numbers.standard_normal(side),
            "i": numbers.integers(0, side, side * side),
        }
        for name, array in arrays.items():
            np.save(folder / f"{side}-{name}.npy", array)


def built() -> Path:
    """The program `integration`, as cargo builds it."""
    command = [
        "bash", "-c", 'root=$PWD; . assets/cargo.sh; cargo_prelude "$@"', "built", "test", "--release", "--locked", "-p", "warpcell-tests",
        "--test", "integration", "--no-run", "--config", OPTIMISED, "--message-format", "json-render-diagnostics",
    ]  # fmt: skip
    text = subprocess.check_output(command, text=True, cwd=ROOT)
    messages = (json.loads(line) for line in text.splitlines())
    return next(Path(message["executable"]) for message in messages if message.get("executable"))


class Side:
    """A process that evaluates rows. It answers each line with a line, and is started again when it took too long or is gone."""

    def __init__(self, command: list[str], environment: dict[str, str], room: int | None):
        self.command, self.environment, self.room = command, environment, room
        self.start()

    def __enter__(self) -> Side:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        def limited() -> None:
            if self.room:
                resource.setrlimit(resource.RLIMIT_AS, (self.room, self.room))

        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment, preexec_fn=limited
        )
        self.rest = b""
        self.hello = self.answer(60)
        if "error" in self.hello:
            sys.exit(f"{' '.join(self.command)} did not start: {self.hello['error']}")

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()

    def ask(self, request: dict, seconds: float) -> dict:
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
            answer = self.answer(seconds)
        except BrokenPipeError:
            answer = {"error": "the process is gone"}
        # It may have lost its device.
        if "error" in answer and not answer.get("goes_on"):
            self.stop()
            self.start()
        self.come_to_rest()
        return answer

    def come_to_rest(self) -> None:
        """Waits until no thread of the process runs: those of OpenBLAS look for work for some 20 ms after a call, and would take a
        processor from the other side's turn."""
        tasks, end = Path(f"/proc/{self.process.pid}/task"), time.monotonic() + 1
        while time.monotonic() < end and self.process.poll() is None:
            # A thread may have just ended.
            with contextlib.suppress(OSError):
                if all((task / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "R" for task in tasks.iterdir()):
                    return
            time.sleep(0.001)

    def answer(self, seconds: float) -> dict:
        """The next line that is JSON. A test program says other things, too."""
        end = time.monotonic() + seconds
        while True:
            while b"\n" in self.rest:
                line, self.rest = self.rest.split(b"\n", 1)
                if b'{"' in line:
                    return json.loads(line[line.index(b'{"') :])
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return {"error": f"no answer in {seconds:g} s"}
            found = os.read(self.process.stdout.fileno(), 1 << 20)
            if not found:
                return {"error": "the process ended"}
            self.rest += found


def serve(module: str, folder: Path) -> None:
    """Evaluates and times NumPy's or CuPy's expressions."""
    import warnings

    import numpy

    peer = Cupy() if module == "cupy" else Numpy()
    warnings.simplefilter("ignore")
    print(json.dumps({"name": peer.name}), flush=True)
    known: dict[int, dict] = {}
    for line in sys.stdin:
        request = json.loads(line)
        side = request["side"]
        try:
            if side not in known:
                arrays = {name: peer.array(numpy.load(folder / f"{side}-{name}.npy")) for name in ("a", "b", "i")}
                known[side] = {**peer.modules, **made(peer.modules, arrays["a"]), **arrays, "mask": arrays["a"] > 0}
            call = eval(f"lambda: ({request['text']})", known[side])
            answer = answered(peer, call, request)
        except BaseException as error:
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0], "goes_on": True}
        print(json.dumps(answer), flush=True)


def made(modules: dict, a: object) -> dict:
    """What rows of SciPy's functions share, as prelude/tests/integration/speed/scipy.rs has it: made once for each size."""
    np, scipy = modules["np"], modules["scipy"]

    @functools.cache
    def poisson(side: int) -> object:
        line = scipy.sparse.diags([-np.ones(side - 1), 2 * np.ones(side), -np.ones(side - 1)], [-1, 0, 1])
        return scipy.sparse.kronsum(line, line, format="csr")

    # Arrays cannot be looked up.
    scattered = functools.cache(lambda: scipy.sparse.csr_matrix(a * (a > 2)))
    sections = functools.cache(lambda: scipy.signal.butter(4, 0.2, output="sos"))
    return {"poisson": poisson, "scattered": lambda _: scattered(), "sections": sections}


def answered(peer: Numpy | Cupy, call: object, request: dict) -> dict:
    def timed() -> tuple[object, float]:
        start = time.perf_counter()
        value = call()
        peer.wait()
        return value, time.perf_counter() - start

    peer.begin_memory()
    first, took = timed()
    answer: dict = {"extra": peer.most_memory()}
    # The first call of CuPy may compile.
    if took > request["longest"] and peer.compiles:
        first, took = timed()
    if took > request["longest"]:
        return {"error": f"a call takes {took:.1f} s", "goes_on": True}
    if request["check"]:
        value = peer.on_host(first).astype("float64")
        numbers = value[abs(value) < float("inf")]
        answer |= {"shape": list(value.shape), "total": [float(numbers.sum()), float(abs(numbers).sum())]}
    del first
    answer["us"] = peer.times(call, request["seconds"])
    return answer


def count(one: float, seconds: float) -> int:
    """How often to call what takes so long."""
    return min(max(int(seconds / max(one, 1e-7)), 1), 1000)


class Numpy:
    compiles = False

    def __init__(self) -> None:
        import numpy
        import scipy.fft
        import scipy.interpolate
        import scipy.linalg
        import scipy.ndimage
        import scipy.signal
        import scipy.sparse.linalg
        import scipy.spatial
        import scipy.special
        import scipy.stats

        self.modules = {"np": numpy, "scipy": scipy}
        self.name = f"NumPy {numpy.__version__}, Python {platform.python_version()}"

    def array(self, array: object) -> object:
        return array

    def wait(self) -> None:
        pass

    def begin_memory(self) -> None:
        import tracemalloc

        tracemalloc.start()

    def most_memory(self) -> int:
        import tracemalloc

        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    def on_host(self, value: object) -> object:
        import numpy

        return numpy.asarray(value)

    def times(self, call, seconds: float) -> list[float]:
        def timed() -> float:
            start = time.perf_counter()
            call()
            return time.perf_counter() - start

        return [timed() * 1e6 for _ in range(count(timed(), seconds))]


class Cupy:
    compiles = True

    def __init__(self) -> None:
        import cupy
        import cupyx.scipy.fft
        import cupyx.scipy.interpolate
        import cupyx.scipy.linalg
        import cupyx.scipy.ndimage
        import cupyx.scipy.signal
        import cupyx.scipy.sparse.linalg
        import cupyx.scipy.spatial.distance
        import cupyx.scipy.special
        import cupyx.scipy.stats

        self.cupy = cupy
        self.modules = {"np": cupy, "scipy": cupyx.scipy}
        gpu = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        self.name = f"CuPy {cupy.__version__}, CUDA {cupy.cuda.runtime.runtimeGetVersion()}, {gpu}"

    def array(self, array: object) -> object:
        return self.cupy.asarray(array)

    def wait(self) -> None:
        self.cupy.cuda.Device().synchronize()

    def begin_memory(self) -> None:
        pool = self.cupy.get_default_memory_pool()
        pool.free_all_blocks()
        self.before = pool.used_bytes()

    def most_memory(self) -> int:
        return self.cupy.get_default_memory_pool().total_bytes() - self.before

    def on_host(self, value: object) -> object:
        import numpy

        if isinstance(value, (tuple, list)):
            return numpy.asarray([self.on_host(part) for part in value])
        return self.cupy.asnumpy(value)

    def times(self, call, seconds: float) -> list[float]:
        def batch(calls: int) -> float:
            before, after = self.cupy.cuda.Event(), self.cupy.cuda.Event()
            before.record()
            for _ in range(calls):
                call()
            after.record()
            after.synchronize()
            return self.cupy.cuda.get_elapsed_time(before, after) / 1e3 / calls

        batch(2)
        calls = -(-count(batch(1), seconds) // 5)
        return [batch(calls) * 1e6 for _ in range(5)]


if __name__ == "__main__":
    sys.exit(main())
