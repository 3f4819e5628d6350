#!/usr/bin/env python3
"""Runs the functions of the comparison on CUDA: `device.py FOLDER [NAME…]`. Needs CuPy and a GPU.

FOLDER is what `WARPCELL_DIFFERENTIAL=FOLDER cargo test --release --locked -p warpcell-translate` has left; the head of
`differential.rs` says what lies there. Compiled without contraction of products and sums, all results are those of the host, bit
for bit, but for functions that call the C library: of these it says by how many units in the last place single methods differ,
and how many results of larger functions do.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cupy
import numpy

WIDTHS = {"f32": 32, "f64": 64}


def functions(path: Path):
    """The functions of a file of expected results: kind, number, name, types of parameters and of results, calls."""
    current = None
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith(("function ", "library ")):
            if current:
                yield current
            head, results = line.split(" -> ")
            kind, number, name, *parameters = head.split()
            current = (kind, int(number), name, parameters, results.split(), [])
        else:
            inputs, outputs = line.split(" = ")
            current[5].append((inputs.split(), outputs))
    if current:
        yield current


def place(bits: int, width: int) -> int:
    """Floats as integers in their order, so that neighbours differ by one."""
    sign = 1 << (width - 1)
    return -(bits ^ sign) if bits & sign else bits


def distance(expected: int, found: int, of: str) -> float:
    """By how many units in the last place two values differ."""
    if expected == found:
        return 0
    if of not in WIDTHS:
        return float("inf")
    nan = {"f32": 0x7FC00000, "f64": 0x7FF8000000000000}[of]
    if nan in (expected, found):
        return float("inf")
    return abs(place(expected, WIDTHS[of]) - place(found, WIDTHS[of]))


def run(folder: Path, name: str) -> int:
    """Compares one file of functions; how many are wrong."""
    text = (folder / f"{name}.cu").read_text(encoding="ascii")
    module = cupy.RawModule(code=text, options=("--fmad=false",), backend="nvrtc")
    record = cupy.zeros(8, dtype=numpy.uint64)
    if "warpcell_record;" in text:
        pointer = module.get_global("warpcell_record")
        cupy.ndarray(1, dtype=numpy.uint64, memptr=pointer)[0] = record.data.ptr
    wrong, exact, units = 0, 0, {}
    for kind, number, function, parameters, results, calls in functions(folder / f"{name}.txt"):
        inputs = numpy.array([[int(word, 16) for word in words] for words, _ in calls], dtype=numpy.uint64)
        width = len(results) + 1
        outputs = cupy.zeros((len(calls), width), dtype=numpy.uint64)
        kernel = module.get_function(f"call_{number}")
        kernel(((len(calls) + 127) // 128,), (128,), (cupy.asarray(inputs), outputs, numpy.uint32(len(calls))))
        found = outputs.get()
        differences = []
        for (words, expected), (done, *values) in zip(calls, found.tolist(), strict=True):
            if expected == "any":
                continue
            if expected == "fails" or not done:
                if (expected == "fails") == bool(done):
                    differences.append((float("inf"), words, expected, values))
                continue
            wanted = [int(word, 16) for word in expected.split()]
            far = max(distance(*both) for both in zip(wanted, values, results, strict=True))
            if far:
                differences.append((far, words, expected, values))
        if not differences:
            exact += 1
        elif kind == "library":
            units[function] = (max(far for far, *_ in differences), len(differences), len(calls), differences[0])
        else:
            wrong += 1
            far, words, expected, values = differences[0]
            print(f"{name}: {function}({' '.join(words)}): expected {expected}, found {[f'{value:x}' for value in values]}, "
                  f"{len(differences)} of {len(calls)} calls")  # fmt: skip
    print(f"{name}: {exact} functions give the same bits, {wrong} do not, {len(units)} call the C library and differ")
    for function, (far, count, of, first) in sorted(units.items()):
        print(f"  {function}: by up to {far} units in the last place, {count} of {of} calls, such as {first[1:]}")
    return wrong


def main() -> int:
    folder = Path(sys.argv[1])
    names = sys.argv[2:] or sorted(path.stem for path in folder.glob("*.cu"))
    return int(sum(run(folder, name) for name in names) > 0)


if __name__ == "__main__":
    sys.exit(main())
