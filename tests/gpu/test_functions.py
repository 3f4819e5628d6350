"""Functions in Rust on arrays of CuPy and PyTorch on a CUDA device: `warpcell.function`."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import warpcell

cupy = pytest.importorskip("cupy")

HYPOT = "#[vectorize]\nfn hypot_of(x: f32, y: f32) -> f32 {\n    x.hypot(y)\n}"
SCALE = "fn scale(a: &DeviceArray<f64>, by: f64) -> DeviceArray<f64> { a * by }"
SLOW = "#[vectorize]\nfn slow(x: f64, n: i32) -> f64 {\n    let mut y = x;\n    for _ in 0..n { y += 1.0; }\n    y\n}"
IN_PLACE = "fn add_one(a: &mut DeviceArray<f32>) { *a += 1.0f32; }"
KERNEL = """
#[kernel]
fn weighted(a: View<f32>, by: f32, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.len() {
        out[i] = by * a[i];
    }
}
"""


def test_arrays_of_cupy():
    f = warpcell.function(HYPOT)
    x, y = cupy.arange(12, dtype=cupy.float32).reshape(3, 4), cupy.ones(4, cupy.float32)
    result = f(x, y)
    assert isinstance(result, cupy.ndarray) and result.device == x.device
    cupy.testing.assert_allclose(result, cupy.hypot(x, y), rtol=1e-6)
    cupy.testing.assert_allclose(f(x.T[::-1], 3), cupy.hypot(x.T[::-1], 3), rtol=1e-6)
    a = cupy.arange(6.0).reshape(2, 3)
    assert warpcell.function(SCALE)(a[:, ::-2], 2.0).get().tolist() == (2 * a[:, ::-2]).get().tolist()
    b = cupy.zeros(5, cupy.float32)
    warpcell.function(IN_PLACE)(b[::2])
    assert b.get().tolist() == [1, 0, 1, 0, 1]
    out = cupy.zeros(1000, cupy.float32)
    source = cupy.arange(1000, dtype=cupy.float32)
    kernel = warpcell.function(KERNEL)
    kernel.launch_for(1000, source, 0.5, out)
    kernel.launch(4, 250, out, 2.0, out)
    assert (out == source).all()


def test_arrays_of_torch():
    torch = pytest.importorskip("torch")
    f, add_one = warpcell.function(HYPOT), warpcell.function(IN_PLACE)
    for device in ("cpu", "cuda"):
        x = torch.arange(12, dtype=torch.float32, device=device).reshape(3, 4)
        result = f(x, 3.0)
        assert isinstance(result, torch.Tensor) and result.device == x.device
        torch.testing.assert_close(result, torch.hypot(x, torch.tensor(3.0, device=device)))
        add_one(x[:, 1])
        assert x[:, 1].tolist() == [2, 6, 10]
    with pytest.raises(TypeError, match=r"hypot_of: x has elements of float64, .* write x.to\(torch.float32\)"):
        f(torch.zeros(3, dtype=torch.float64), 1.0)
    with pytest.raises(ValueError, match="hypot_of: x is on (cpu|cuda:0), but y is on (cuda:0|cpu)"):
        f(torch.zeros(3), torch.zeros(3, device="cuda"))
    with pytest.raises((TypeError, ValueError), match="hypot_of: x cannot be passed on by torch: .*gradient"):
        f(torch.zeros(3, requires_grad=True), 1.0)
    with pytest.raises(TypeError, match="x is an array of torch, but y is one of cupy"):
        f(torch.zeros(3, device="cuda"), cupy.zeros(3, cupy.float32))


def test_work_is_queued_on_the_callers_stream():
    """What is queued in front of a call, the call, and what follows are in order, without the host waiting."""
    slow = warpcell.function(SLOW)

    def queue(turns):
        a = cupy.zeros(1_000_000)
        b = slow(a + 2.0, turns)
        c = slow(b * 2.0, turns)
        return c - (3 * turns + 4)

    # Each kernel is loaded before times are taken: the driver may wait for the device then.
    assert float(cupy.abs(queue(10)).max()) == 0.0
    for stream in (cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream()):
        with stream:
            stream.synchronize()
            start = time.perf_counter()
            difference = queue(40_000)
            queued = time.perf_counter() - start
            stream.synchronize()
            total = time.perf_counter() - start
            assert float(cupy.abs(difference).max()) == 0.0
            assert queued < total / 2, f"the host waited: {queued:.4f} of {total:.4f} s"


def test_memory_of_results_is_used_again_in_order():
    """Each result is dropped while the device still reads it."""
    slow = warpcell.function(SLOW)
    for stream in (cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True)):
        with stream:
            total = cupy.zeros(100_000)
            expected = np.zeros(100_000)
            for number in range(50):
                total += slow(cupy.full(100_000, float(number)), 2_000) * 1.0
                expected += number + 2_000
            assert (total.get() == expected).all()


def test_nothing_is_left_of_ten_thousand_calls():
    f = warpcell.function(HYPOT)
    a, wrong = cupy.ones(1000, cupy.float32), cupy.ones(1000)

    def calls(count):
        for _ in range(count):
            f(a, a)
            with pytest.raises(TypeError):
                f(wrong, 1.0)

    calls(100)
    cupy.cuda.Device().synchronize()
    gc.collect()
    free = cupy.cuda.Device().mem_info[0]
    calls(10_000)
    cupy.cuda.Device().synchronize()
    gc.collect()
    assert free - cupy.cuda.Device().mem_info[0] < 8 << 20


def test_failures_on_the_device():
    past = warpcell.function("#[kernel] fn past(mut out: ViewMut<f32>) {\n    let i = global_idx().x;\n    out[i] = 1.0;\n}")
    with pytest.raises(warpcell.RustError, match="index") as caught:
        past.launch(1, 8, cupy.zeros(3, cupy.float32))
        warpcell.synchronize()
    print(caught.value)
    with pytest.raises(ValueError, match="host: a is on cuda:0, but the function takes an array on the host"):
        warpcell.function("fn host(a: &[f32]) -> f32 { a[0] }")(cupy.zeros(3, cupy.float32))
    assert warpcell.function(HYPOT)(cupy.full(1, 3, cupy.float32), 4.0).get().tolist() == [5]


PACKAGED = """
import cupy, packaged, sys
x, y = cupy.arange(12, dtype=cupy.float32).reshape(3, 4), cupy.ones(4, cupy.float32)
result = packaged.hypot_of(x, y)
assert isinstance(result, cupy.ndarray) and result.device == x.device
cupy.testing.assert_allclose(result, cupy.hypot(x, y), rtol=1e-6)
out = cupy.zeros(1000, cupy.float32)
packaged.weighted.launch_for(1000, cupy.ones(1000, cupy.float32), 0.5, out)
packaged.synchronize()
assert (out == 0.5).all()
assert not [name for name in sys.modules if name.split(".")[0] == "warpcell"]
print("well")
"""


def test_an_exported_package_takes_arrays_of_cupy(tmp_path):
    program = Path(os.environ["JUPYTER_PATH"]).parents[1] / "bin/warpcell"
    fields = {"cell_type": "code", "metadata": {"tags": ["export"]}, "outputs": [], "execution_count": None}
    cells = [{**fields, "id": f"c{number}", "source": text} for number, text in enumerate([HYPOT, KERNEL])]
    kernel = {"name": "warpcell", "display_name": "Rust GPU", "language": "rust"}
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells}
    (tmp_path / "a.ipynb").write_text(json.dumps(notebook))
    subprocess.run([program, "export", tmp_path / "a.ipynb", "--python", "packaged", "--to", tmp_path], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "unpacked")}
    ended = subprocess.run([sys.executable, "-c", PACKAGED], env=env, capture_output=True, text=True, check=False)
    assert ended.stdout == "well\n", ended.stderr
