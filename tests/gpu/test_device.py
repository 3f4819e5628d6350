"""Cells on a CUDA device: what the end-to-end tests cannot see without one."""

from __future__ import annotations

import re
import time

import pytest

from e2e.session import Session

LOOPS = {
    "launches": "let a = gpu::ones::<f32>((4000, 4000)); loop { let _ = &a + &a; }",
    "convolutions": "let a = gpu::ones::<f32>((2048, 2048)); let k = gpu::ones::<f32>((15, 15)); "
    "loop { let _ = gpu::convolve2d(&a, &k, Mode::Same); }",
    "transfers": "let a = gpu::ones::<f32>((2048, 2048)); loop { let _ = a.to_host(); }",
}


@pytest.fixture(scope="module")
def device():
    session = Session()
    session.check("let kept = gpu::arange(10.0f32);")
    yield session
    session.close()


def rows(text: str) -> dict[str, str]:
    return {name: value.strip() for name, value in (line.split(":", 1) for line in text.splitlines())}


def test_the_device_is_the_gpu(device):
    assert device.check("gpu::device()").value == "Cuda(0)"


def test_gpuinfo_has_driver_memory_and_utilisation(device):
    text = device.check("%gpuinfo").stdout
    print(text)
    found = rows(text)
    assert re.search(r"\d+\.\d+", found["Driver"])
    assert re.search(r"\d+ %", found["Utilisation"])
    assert re.fullmatch(r"[\d.]+ [GM]iB used of [\d.]+ GiB \(\d+ %\)", found["Memory"])


def test_whos_names_the_device(device):
    text = device.check("%whos").stdout
    print(text)
    assert re.search(r"^kept .* 10: f32 on cuda:0, 40 bytes$", text, re.MULTILINE)


@pytest.mark.parametrize("code", LOOPS.values(), ids=LOOPS.keys())
def test_work_on_the_device_is_interrupted(device, code):
    asked = None

    def interrupt(message):
        nonlocal asked
        if message.kind == "stream" and asked is None:
            asked = time.monotonic()
            device.manager.interrupt_kernel()

    result = device.run(f'println!("running");\n{code}', on_message=interrupt, seconds=60)
    print(f"{1e3 * (time.monotonic() - asked):.0f} ms")
    assert result.error["ename"] == "Interrupted", result.error_text
    assert device.check("kept.sum()").value == "45.0"


ENDLESS = """
#[vectorize]
fn endless(start: i32) -> i32 {
    let mut n = start;
    while n != -1 {
        n = n.wrapping_add(2) & 0x7fff_fffe;
    }
    n
}
"""


def test_a_function_without_an_end_is_interrupted_and_the_device_goes_on(device):
    device.check(ENDLESS)
    for _ in range(2):
        test_work_on_the_device_is_interrupted(device, "gpu::map(endless, &gpu::arange(1000i32)).to_host();")


def test_a_failure_on_the_device_names_function_line_and_values(device):
    device.check("#[vectorize]\nfn quotient(a: i32, b: i32) -> i32 {\n    a / b\n}")
    result = device.run("gpu::map(quotient, (&gpu::arange(5i32), 0)).to_host();")
    print(result.error_text)
    assert re.search(r"`quotient` failed in line 3 on cuda:0 .*: [0-4] was divided by zero", result.error_text)
    assert device.check("gpu::map(quotient, (&gpu::arange(5i32), 2)).sum()").value == "4"
    assert device.check("kept.sum()").value == "45.0"


def test_an_index_out_of_range_ends_the_cell_at_the_line_of_its_take_and_costs_what_depends_on_it(device):
    """The device checks indices while it takes elements; the call does not wait for that."""
    device.check("let numbers = gpu::array(&[1.0, 2.0, 3.0]);")
    device.check("let mut total = gpu::zeros::<f64>(2); let mut other = gpu::ones::<f64>(3);")
    result = device.run(
        "let places = gpu::array(&[0i64, 7]);\n"
        "let taken = numbers.take(&places);\n"
        "total += &taken;\n"
        "other += &numbers;\n"
        "let late = &numbers * 2.0;"
    )
    text = result.error_text
    print(text)
    assert "take: the index 7 is out of range for an array of 3 elements; indices go from -3 to 2" in text
    assert "numbers.take(&places)" in text
    # What does not depend on it is there, the new variables too.
    assert device.check("other.tolist()").value == "[2.0, 3.0, 4.0]"
    assert device.check("late.tolist()").value == "[2.0, 4.0, 6.0]"
    for name in ("taken", "total"):
        again = device.run(f"{name}.tolist()")
        assert "this array was computed from the result of a call that failed" in again.error_text
    assert device.check("total = gpu::zeros::<f64>(2); total.tolist()").value == "[0.0, 0.0]"
    assert device.check("numbers.take(&gpu::array(&[2i64])).tolist()").value == "[3.0]"


def test_memory_that_is_not_there_is_an_error_and_no_more(device):
    result = device.run("let huge = gpu::zeros::<f64>((1 << 20, 1 << 20));")
    assert "memory" in result.error_text, result.error_text
    assert device.check("kept.sum()").value == "45.0"


def test_an_array_outlives_its_cell_and_its_memory_is_given_back(device):
    def used() -> float:
        """In MiB; interrupted cells have left arrays, too."""
        amount, unit = rows(device.check("%gpuinfo").stdout)["Arrays"].split(" in use")[0].split()
        return float(amount) * {"KiB": 2**-10, "MiB": 1, "GiB": 2**10}[unit]

    before = used()
    device.check("let large = gpu::zeros::<f32>((8192, 8192));")
    assert round(used() - before) == 256
    device.check("drop(large);")
    assert used() == before


FAULTS = {"an illegal address": "*(int*)8 = 1;", "a trap": "__trap();", "an assertion": "assert(out[0] == 1);"}


@pytest.mark.parametrize("statement", FAULTS.values(), ids=FAULTS.keys())
def test_a_lost_context_costs_the_arrays_of_the_device_and_nothing_else(statement):
    session = Session()
    try:
        session.check("let host = vec![1.0f32, 2.0, 3.0]; let lost = gpu::arange(3.0f32);")
        result = session.run(
            f'let fault = gpu::RawKernel::new(r#"extern "C" __global__ void fault(int* out) {{ {statement} }}"#, "fault");\n'
            "let mut out = gpu::zeros::<i32>(1);\nfault.launch(1, 1, (&mut out,));\nout.to_host()"
        )
        print(result.error_text)
        assert "the CUDA context is lost" in result.error_text
        assert "gpu::set_device(gpu::Device::Cpu);" in result.error_text
        # The host goes on, and says so of what is on the device.
        assert session.check("host.iter().sum::<f32>()").value == "6.0"
        for use in ("lost.sum()", "lost.to_host()", "gpu::zeros::<f32>(1 << 20).sum()"):
            assert "the CUDA context is lost" in session.run(use).error_text, use
        assert "the CUDA context is lost" in session.check("lost").value
        session.check("gpu::set_device(gpu::Device::Cpu);")
        assert session.check("gpu::asarray(&host).sum()").value == "6.0"
        assert session.check("gpu::arange(4.0).sum()").value == "6.0"
        assert "the CUDA context is lost" in session.run("lost.sum()").error_text
        # A new value takes the name of a lost one.
        session.check("let lost = gpu::arange(3.0f32);")
        assert session.check("lost.sum()").value == "3.0"
        assert "host" in session.check("%whos").stdout
    finally:
        session.close()
