"""Five small kernels, executed here in lockstep and written down as traces that the player reads: a map, a tiled transposition with
barriers, a reduction with divergence, a race, and an index out of bounds. The format is what `prelude/src/tracing/json.rs` writes.
"""

import base64
import html
import json
import zlib
from pathlib import Path

PLAYER = Path(__file__).resolve().parents[2] / "prelude/src/tracing/player.html"
LANES = 32


class Recorder:
    """The trace of a launch of one block, as it grows."""

    def __init__(self, kernel, block, source, first=1):
        self.threads = block[0] * block[1] * block[2]
        self.texts, self.numbers = [], {}
        self.arrays, self.memory = [], []
        self.steps = []
        self.trace = {
            "version": 1, "kernel": kernel, "grid": [1, 1, 1], "block": list(block), "warp": LANES,
            "source": {"first": first, "lines": source.strip("\n").splitlines()}, "texts": self.texts, "arrays": self.arrays,
            "total_blocks": 1, "left_out_events": 0, "blocks": [{"index": [0, 0, 0], "steps": self.steps}], "fault": None,
            "report": {"lines": [], "summary": ""}, "notes": [],
        }  # fmt: skip

    def number(self, value):
        """The number of a value's text."""
        text = str(value)
        if text not in self.numbers:
            self.numbers[text] = len(self.texts)
            self.texts.append(text)
        return self.numbers[text]

    def array(self, name, shape, values=None, memory="global", dtype="f32"):
        size = 1
        for length in shape:
            size *= length
        known = values is not None and size <= 65_536
        initial = [self.number(value) for value in values] if known else None
        self.arrays.append(
            {"name": name, "dtype": dtype, "shape": list(shape), "memory": memory, "initial": initial, "shown": size}
        )
        self.memory.append(list(values) if values is not None else [None] * size)
        return len(self.arrays) - 1

    def warps(self):
        """The threads of each warp."""
        for first in range(0, self.threads, LANES):
            yield range(first, min(first + LANES, self.threads))

    def step(self, line, threads, *effects):
        threads = sorted(threads)
        if threads:
            mask = sum(1 << thread % LANES for thread in threads)
            self.steps.append([threads[0] // LANES, line, mask, *effects])

    def local(self, line, name, values):
        """A variable of these threads: thread to value."""
        threads = sorted(values)
        self.step(line, threads, ["L", self.number(name), [self.number(values[thread]) for thread in threads]])

    def read(self, array, indices):
        """The effect of reading: thread to index."""
        threads = sorted(indices)
        values = [self.number(self.memory[array][indices[thread]]) for thread in threads]
        return ["R", array, [indices[thread] for thread in threads], values]

    def write(self, array, indices, values):
        threads = sorted(indices)
        for thread in threads:
            self.memory[array][indices[thread]] = values[thread]
        return [
            "W", array, [indices[thread] for thread in threads], [self.number(values[thread]) for thread in threads]
        ]  # fmt: skip

    def barrier(self, line):
        for warp in self.warps():
            self.step(line, warp, ["B"])
        self.steps.append([-1, line, 0, ["O"]])

    def end(self, line):
        for warp in self.warps():
            self.step(line, warp, ["E"])

    def fault(self, line, threads, kind, message):
        self.trace["fault"] = {"block": 0, "step": len(self.steps), "threads": threads, "kind": kind, "message": message}
        self.step(line, threads[:1], ["F"])

    def finding(self, line, what, value, ideal, advice=""):
        lines = self.trace["report"]["lines"]
        found = next((one for one in lines if one["line"] == line), None)
        if found is None:
            found = {"line": line, "rows": []}
            lines.append(found)
        found["rows"].append({"what": what, "value": value, "ideal": ideal, "advice": advice})


def squares():
    """A map: one warp and a half, the last threads have no element."""
    source = """
#[kernel]
fn squares(x: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < x.len() {
        // Each thread has an element of its own.
        let value = x[i];
        out[i] = value * value;
    }
}
"""
    count = 40
    trace = Recorder("squares", (48, 1, 1), source)
    x = trace.array("x", [count], [round(0.5 * i, 1) for i in range(count)])
    out = trace.array("out", [count], [0.0] * count)
    for warp in trace.warps():
        trace.local(3, "i", {thread: thread for thread in warp})
        inside = [thread for thread in warp if thread < count]
        trace.step(4, warp)
        values = {thread: trace.memory[x][thread] for thread in inside}
        numbers = [trace.number(values[thread]) for thread in inside]
        own = {thread: thread for thread in inside}
        trace.step(6, inside, trace.read(x, own), ["L", trace.number("value"), numbers])
        trace.step(7, inside, trace.write(out, own, {thread: values[thread] ** 2 for thread in inside}))
        trace.step(7, inside, ["D", trace.number("value")])
        trace.step(9, warp, ["E"])
    trace.finding(6, "sectors, reads `x`", 4, 4)
    trace.finding(7, "sectors, writes `out`", 4, 4)
    trace.finding(4, "active lanes", 24, 32)
    return trace.trace


def transposition(side=16):
    """A transposition by a tile in shared memory, eight warps."""
    source = """
#[kernel]
fn transpose(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared::<f32, 16, 16>();
    let (x, y) = (thread_idx().x, thread_idx().y);
    tile[[y, x]] = a[[y, x]];
    sync_threads();
    out[[y, x]] = tile[[x, y]];
}
"""
    trace = Recorder("transpose", (side, side, 1), source, first=12)
    a = trace.array("a", [side, side], list(range(side * side)))
    out = trace.array("out", [side, side], [0] * side**2)
    tile = trace.array("tile", [side, side], memory="shared")
    for warp in trace.warps():
        xs = [trace.number(thread % side) for thread in warp]
        ys = [trace.number(thread // side) for thread in warp]
        trace.step(15, warp, ["L", trace.number("x"), xs], ["L", trace.number("y"), ys])
    for warp in trace.warps():
        own = {thread: thread for thread in warp}
        values = {thread: trace.memory[a][thread] for thread in warp}
        trace.step(16, warp, trace.read(a, own), trace.write(tile, own, values))
    trace.barrier(17)
    for warp in trace.warps():
        across = {thread: thread % side * side + thread // side for thread in warp}
        values = {thread: trace.memory[tile][across[thread]] for thread in warp}
        read = trace.read(tile, across)
        trace.step(18, warp, read, trace.write(out, {thread: thread for thread in warp}, values))
    trace.end(19)
    trace.finding(16, "sectors, reads `a`", 4, 4)
    trace.finding(18, "sectors, writes `out`", 4, 4)
    trace.finding(
        18, "bank conflicts, reads `tile`", 16, 1,
        "each warp reads `tile` in 16 passes instead of 1, as lanes want different words of a bank; make its rows one element longer",
    )  # fmt: skip
    trace.trace["report"]["summary"] = "Most is lost in line 18: each warp reads `tile` in 16 passes instead of 1."
    return trace.trace


def reduction(threads=64, rounds=1):
    """A sum in shared memory, where the threads that still add are not neighbours. Several rounds make a long film."""
    source = """
#[kernel]
fn sum(x: View<f32>, mut total: ViewMut<f32>) {
    let mut part = shared::<f32, 64>();
    let i = thread_idx().x;
    part[i] = x[i];
    sync_threads();
    let mut step = 1;
    while step < block_dim().x {
        if i % (2 * step) == 0 {
            part[i] += part[i + step];
        }
        sync_threads();
        step *= 2;
    }
    if i == 0 {
        atomic_add(&mut total[0], part[0]);
    }
}
"""
    trace = Recorder("sum", (threads, 1, 1), source)
    x = trace.array("x", [threads], [i % 7 for i in range(threads)])
    total = trace.array("total", [1], [0])
    part = trace.array("part", [threads], memory="shared")
    for warp in trace.warps():
        trace.local(4, "i", {thread: thread for thread in warp})
    for _ in range(rounds):
        reduce_once(trace, x, part, threads)
    trace.step(15, range(min(threads, LANES)))
    value = trace.memory[part][0]
    old, new = trace.number(0), trace.number(value)
    trace.memory[total][0] = value
    trace.step(16, [0], trace.read(part, {0: 0}), ["A", total, [0], [old], [new], trace.number("atomic_add")])
    trace.end(18)
    trace.finding(
        10, "active lanes", 6.2, 32,
        "on average 6.2 of 32 lanes of a warp execute this line; let threads with neighbouring numbers take the same way",
    )  # fmt: skip
    trace.finding(12, "waiting", 1.5, 1)
    trace.trace["final"] = value
    return trace.trace


def reduce_once(trace, x, part, threads):
    for warp in trace.warps():
        own = {thread: thread for thread in warp}
        trace.step(5, warp, trace.read(x, own), trace.write(part, own, {thread: trace.memory[x][thread] for thread in warp}))
    trace.barrier(6)
    stride = 1
    for warp in trace.warps():
        trace.local(7, "step", dict.fromkeys(warp, stride))
    while stride < threads:
        for warp in trace.warps():
            trace.step(9, warp)
            adds = [thread for thread in warp if thread % (2 * stride) == 0]
            if adds:
                reads = [
                    trace.read(part, {thread: thread + stride for thread in adds}),
                    trace.read(part, {thread: thread for thread in adds}),
                ]
                sums = {thread: trace.memory[part][thread] + trace.memory[part][thread + stride] for thread in adds}
                trace.step(10, adds, *reads, trace.write(part, {thread: thread for thread in adds}, sums))
        trace.barrier(12)
        stride *= 2
        for warp in trace.warps():
            trace.local(13, "step", dict.fromkeys(warp, stride))


def race():
    """Neighbours read what another thread writes, without a barrier."""
    source = """
#[kernel]
fn shift(mut x: ViewMut<i32>) {
    let mut row = shared::<i32, 64>();
    let i = thread_idx().x;
    row[i] = x[i];
    // Here a barrier is missing.
    x[i] = row[(i + 1) % 64];
}
"""
    trace = Recorder("shift", (64, 1, 1), source)
    x = trace.array("x", [64], [i * i for i in range(64)], dtype="i32")
    row = trace.array("row", [64], memory="shared", dtype="i32")
    for warp in trace.warps():
        trace.local(4, "i", {thread: thread for thread in warp})
        own = {thread: thread for thread in warp}
        trace.step(5, warp, trace.read(x, own), trace.write(row, own, {thread: trace.memory[x][thread] for thread in warp}))
    trace.fault(
        7, [31, 32], "race",
        "In line 7, a race: thread 31 of block 0 reads `row[32]`, which thread 32 writes without a barrier between them.",
    )  # fmt: skip
    return trace.trace


def out_of_bounds():
    """The last threads of a difference look beyond the array."""
    source = """
#[kernel]
fn difference(x: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    let next = i + 1;
    out[i] = x[next] - x[i];
}
"""
    trace = Recorder("difference", (32, 1, 1), source)
    trace.array("x", [32], [round(0.1 * i, 1) for i in range(32)])
    trace.array("out", [32], [0.0] * 32)
    trace.local(3, "i", {thread: thread for thread in range(32)})
    trace.local(4, "next", {thread: thread + 1 for thread in range(32)})
    trace.fault(
        5, [31], "out of bounds", "In line 5, index 32 is out of bounds: `x` has 32 elements. Thread 31 of block 0 wanted it."
    )
    return trace.trace


def scatter():
    """Two large arrays whose values are not known, and a block with three axes."""
    trace = Recorder("scatter", (4, 3, 5), "fn scatter() {\n    out[k] = t;\n    long[m] = t;\n}")
    out = trace.array("out", [3000, 3000])
    long = trace.array("long", [10_000_000], dtype="i64")
    for warp in trace.warps():
        values = {thread: thread for thread in warp}
        trace.step(2, warp, trace.write(out, {thread: thread * 90_001 % 9_000_000 for thread in warp}, values))
        trace.step(3, warp, trace.write(long, {thread: thread * 160_000 for thread in warp}, values))
    trace.end(4)
    return trace.trace


def blend():
    """One element of a function over arrays."""
    trace = Recorder("blend", (1, 1, 1), "#[vectorize]\nfn blend(x: f32) -> f32 {\n    let y = 2.0 * x;\n    2.0 * y\n}")
    x = trace.array("x", [4], [0, 3, 6, 9])
    result = trace.array("result", [4])
    trace.step(2, [0], trace.read(x, {0: 3}))
    trace.local(2, "x", {0: 9})
    trace.local(3, "y", {0: 18})
    trace.step(4, [0], trace.write(result, {0: 0}, {0: 36}))
    trace.end(5)
    return {**trace.trace, "element": "[2, 1]", "report": None}


def alone():
    """A block of one thread."""
    trace = Recorder("alone", (1, 1, 1), "fn alone(mut out: ViewMut<i32>) {\n    out[0] = 7;\n}")
    out = trace.array("out", [1], [0], dtype="i32")
    trace.step(2, [0], trace.write(out, {0: 0}, {0: 7}))
    trace.end(3)
    return trace.trace


def layers():
    """A block and an array with three axes."""
    trace = Recorder("layers", (4, 3, 2), "fn layers(mut out: ViewMut<i32>) {\n    out[[t.z, t.y, t.x]] = n;\n}")
    out = trace.array("out", [2, 3, 4], [0] * 24, dtype="i32")
    trace.local(2, "n", {thread: 100 + thread for thread in range(24)})
    trace.step(2, range(24), trace.write(out, {thread: thread for thread in range(24)}, {thread: 100 + thread for thread in range(24)}))
    trace.end(3)
    return trace.trace


def race_of_blocks():
    """Two blocks that write to one element."""
    trace = Recorder("both", (2, 1, 1), "fn both(mut out: ViewMut<i32>) {\n    out[i] = 1;\n    out[i + 1] = 2;\n}")
    out = trace.array("out", [4], [0] * 4, dtype="i32")
    trace.step(2, [0, 1], trace.write(out, {0: 0, 1: 1}, {0: 1, 1: 1}))
    trace.step(3, [0, 1], trace.write(out, {0: 1, 1: 2}, {0: 2, 1: 2}))
    trace.end(4)
    second = [[0, 2, 3, ["W", out, [2, -1], [trace.number(1), -1]]], [0, 2, 1, ["F"]]]
    fault = {
        "block": 1, "step": 1, "threads": [0], "kind": "race", "message": "In line 2, two threads race for `out[2]`.",
        "other": {"block": 0, "position": 2, "thread": 1},
    }  # fmt: skip
    blocks = [*trace.trace["blocks"], {"index": [1, 0, 0], "steps": second}]
    return {**trace.trace, "grid": [2, 1, 1], "total_blocks": 2, "blocks": blocks, "fault": fault}


KERNELS = {
    "map": squares, "transposition": transposition, "reduction": reduction, "race": race, "bounds": out_of_bounds
}  # fmt: skip


def player(trace, name):
    """The player's HTML with a trace in it, as a cell shows it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(json.dumps(trace, separators=(",", ":")).encode()) + packer.flush()
    picture = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40"><rect width="200" height="40" fill="#8cd17d"/></svg>'
    )
    picture = base64.b64encode(picture.encode()).decode()
    text = html.escape(f"Trace of `{trace['kernel']}`.\n{trace['report'] and trace['report']['summary']}").replace("\n", "<br>")
    page = PLAYER.read_text().split("-->", 1)[1].strip()
    parts = {
        "@ID@": name, "@FALLBACK@": f'<img src="data:image/svg+xml;base64,{picture}"/><pre>{text}</pre>',
        "@DATA@": base64.b64encode(packed).decode(),
    }  # fmt: skip
    for place, part in parts.items():
        page = page.replace(place, part)
    return page


def page(*players, style="", body=""):
    return f'<!DOCTYPE html><meta charset="utf-8"><title>Traces</title><style>{style}</style><body {body}>{"<hr>".join(players)}'
