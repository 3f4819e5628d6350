"""Functions in Rust in the Python process: `warpcell.function` on NumPy's arrays, and `%%rust --export`."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy as np
import psutil
import pytest

from .notebook import PACKAGE, PREFIX

import warpcell
from warpcell.errors import without_colours

# This process asks the program of the prefix under test.
os.environ.setdefault("JUPYTER_PATH", str(PREFIX / "share/jupyter"))

HYPOT = "#[vectorize]\nfn hypot_of(x: f32, y: f32) -> f32 {\n    x.hypot(y)\n}"
PARTS = "#[vectorize] fn parts(x: f64, n: i32) -> (f64, i32, bool) { (x.fract(), x as i32 + n, x > 1.0) }"
SCALE = """
/// `by` times `a`.
fn scale(a: &DeviceArray<f64>, by: f64) -> DeviceArray<f64> {
    a * by
}
"""
IN_PLACE = "fn add_one(a: &mut DeviceArray<i32>) { *a += 1; }"
TRANSPOSED = "fn transposed(a: &DeviceArray<f64>) -> DeviceArray<f64> { a.t() }"
HOST = """
fn host(a: ArrayView2<f32>, weights: &[f32], mut out: ArrayViewMut1<f32>) -> (Vec<u64>, f32) {
    out.assign(&a.dot(&ndarray::aview1(weights)));
    (a.shape().iter().map(|&length| length as u64).collect(), out.sum())
}
"""
KERNEL = """
#[device]
fn weight(x: f32, by: f32) -> f32 { by * x }

#[kernel]
fn weighted(a: View<f32>, by: f32, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.len() {
        out[i] = weight(a[i], by);
    }
}
"""
FAILING = """
fn failing(a: &[f64], i: usize) -> Result<f64, String> {
    if a.is_empty() {
        return Err("there are no numbers".to_string());
    }
    Ok(a[i])
}
"""
DIVIDED = "#[vectorize]\nfn divided(x: i64, y: i64) -> i64 {\n    x / y\n}"
ALL = {"hypot_of": HYPOT, "parts": PARTS, "scale": SCALE, "add_one": IN_PLACE, "transposed": TRANSPOSED, "host": HOST, "weighted": KERNEL,
       "failing": FAILING, "divided": DIVIDED}  # fmt: skip


def made(name: str) -> warpcell.RustFunction:
    return warpcell.function(ALL[name])


def test_elements_of_arrays_that_broadcast():
    f = made("hypot_of")
    x, y = np.arange(12, dtype=np.float32).reshape(3, 4), np.float32([1, 2, 3, 4])
    result = f(x, y)
    assert result.dtype == np.float32 and result.shape == (3, 4) and result.flags.writeable
    np.testing.assert_allclose(result, np.hypot(x, y), rtol=1e-6)
    np.testing.assert_allclose(f(x.T[::-1], 3), np.hypot(x.T[::-1], 3), rtol=1e-6)
    np.testing.assert_allclose(f(y=y, x=2.0), np.hypot(2, y), rtol=1e-6)
    assert f(3, 4) == 5.0 and type(f(3, 4)) is float
    assert f(np.float32(3), np.int64(4)) == 5.0
    assert f(np.array(3, np.float32), 4).shape == () and f(np.empty((0, 2), np.float32), 1).shape == (0, 2)
    assert f(np.broadcast_to(np.float32(3), (2, 2)), 4).tolist() == [[5, 5], [5, 5]]


def test_several_results_and_other_types():
    fraction, whole, large = made("parts")(np.array([0.25, 2.5]), 1)
    assert (fraction.tolist(), whole.tolist(), large.tolist()) == ([0.25, 0.5], [1, 3], [False, True])
    assert whole.dtype == np.int32 and large.dtype == bool
    assert made("parts")(2.5, -1) == (0.5, 1, True)
    for dtype, rust in {"uint8": "u8", "int16": "i16", "uint64": "u64", "float16": "f16", "complex64": "Complex<f32>", "bool": "bool"}.items():
        same = warpcell.function(f"#[vectorize] fn same(x: {rust}) -> {rust} {{ x }}")
        values = np.array([0, 1, 1, 0]).astype(dtype)
        assert same(values).dtype == dtype and (same(values) == values).all(), dtype
    assert warpcell.function("fn most(x: u64) -> u64 { x }")(2**64 - 1) == 2**64 - 1


def test_whole_arrays_are_shared():
    scale, add_one, transposed = made("scale"), made("add_one"), made("transposed")
    a = np.arange(6.0).reshape(2, 3)
    assert scale(a, 2).tolist() == (2 * a).tolist() and scale(a[:, ::-2], -1.0).tolist() == (-a[:, ::-2]).tolist()
    assert "`by` times `a`." in scale.__doc__ and scale.__name__ == "scale" and "by: f64" in repr(scale)
    b = np.arange(5, dtype=np.int32)
    assert add_one(b) is None and add_one(b[::2]) is None
    assert b.tolist() == [2, 2, 4, 4, 6]
    turned = transposed(a)
    assert np.shares_memory(turned, a) and turned.shape == (3, 2)
    turned[0, 1] = 70
    assert a[1, 0] == 70
    reference = weakref.ref(a)
    del a
    gc.collect()
    assert reference() is not None and turned.sum() == 82, "the result has the elements of the argument"
    del turned
    gc.collect()
    assert reference() is None
    readonly = np.arange(3.0)
    readonly.flags.writeable = False
    assert scale(readonly, 2).tolist() == [0, 2, 4]
    turned = transposed(readonly.reshape(1, 3))
    assert not np.shares_memory(turned, readonly), "Rust could write to it"


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.1.0", reason="this NumPy has no read-only tensors")
def test_arrays_at_odd_addresses_are_read():
    # As in a message between processes.
    a = np.frombuffer(b"." + np.arange(4.0).tobytes(), dtype=np.uint8)[1:].view(np.float64)
    b = np.frombuffer(bytearray(b".") + np.float32([1, 2]).tobytes(), dtype=np.float32, offset=1)
    assert not a.flags.aligned and not b.flags.aligned
    assert made("scale")(a, 2).tolist() == [0, 2, 4, 6] and made("scale")(a[::-2], 2).tolist() == [6, 2]
    assert made("hypot_of")(b, 0).tolist() == [1, 2]
    assert made("host")(b.reshape(1, 2), b, np.zeros(1, np.float32))[1] == 5
    with pytest.raises(ValueError, match=r"host: out is read-only or not aligned, .*give a copy: out.copy\(\)"):
        made("host")(np.ones((2, 1), np.float32), np.ones(1, np.float32), b)


def test_arrays_of_the_host():
    a, weights, out = np.float32([[1, 2], [3, 4]]), np.float32([10, 1]), np.zeros(4, np.float32)
    shape, total = made("host")(a.T, weights, out[::-2])
    assert shape.tolist() == [2, 2] and shape.dtype == np.uint64 and total == 37.0
    assert out.tolist() == [0, 24, 0, 13]


def test_kernels_are_launched():
    f = made("weighted")
    a, out = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    f.launch_for(1000, a, 0.5, out)
    assert (out == 0.5 * a).all()
    f.launch((4,), (250, 1, 1), a, 2, out)
    assert (out == 2 * a).all()
    f.launch_for(1000, out, 2.0, out)
    assert (out == 4 * a).all(), "what is read was copied first"
    with pytest.raises(TypeError, match=r"weighted is a kernel; write weighted.launch_for\(n, a, by, out\)"):
        f(a, 1.0, out)
    with pytest.raises(ValueError, match="weighted: out is read-only or not aligned, .*give a copy: out.copy()"):
        f.launch_for(3, a, 1.0, np.broadcast_to(np.float32(1), 3))
    with pytest.raises(ValueError, match="1024"):
        f.launch(1, 2048, a, 1.0, out)
    with pytest.raises(TypeError, match="grid is 'x'"):
        f.launch("x", 1, a, 1.0, out)
    with pytest.raises(TypeError, match=r"scale is no kernel; write scale\(a, by\)"):
        made("scale").launch_for(3, a)
    with pytest.raises(warpcell.RustError, match=r"used the index 3 along axis 0 of `out`.*\(in `past`, line 4: out\[i\] = 1.0;\)") as caught:
        warpcell.function("\n#[kernel] fn past(mut out: ViewMut<f32>) {\n    let i = global_idx().x;\n    out[i] = 1.0;\n}").launch(1, 8, out[:3])
    assert type(caught.value).__name__ == "Panic" and caught.value.line == 4


@pytest.mark.parametrize("name, arguments, error, text", [
    ("hypot_of", [np.zeros(3), 1], TypeError, r'hypot_of: x has elements of float64, but the function takes float32; write x.astype\("float32"\)'),
    ("hypot_of", [np.zeros(3, "f4"), np.zeros(2, "f4")], ValueError, r"3.*2"),
    ("hypot_of", [np.zeros(3, ">f4"), 1], TypeError, r'hypot_of: x has the other byte order; write x.astype\(x.dtype.newbyteorder\("="\)\)'),
    ("hypot_of", [np.zeros(3, "M8[s]"), 1], TypeError, r'hypot_of: x has elements of datetime64\[s\], .*write x.astype\("float64"\)'),
    ("hypot_of", [2**2000, 1], OverflowError, "hypot_of: x is an integer that no float holds; write math.inf"),
    ("hypot_of", [np.array(["a"]), 1], TypeError, "hypot_of: x has elements of <U1, which Rust functions do not take"),
    ("hypot_of", [[1.0], 1], TypeError, r"hypot_of: x is a list, which Rust functions do not take; give a number, or an array such as numpy.array\(x\)"),
    ("hypot_of", [1j, 1], TypeError, "hypot_of: x is a complex number, but the function takes float32; write x.real"),
    ("hypot_of", [True, 1], TypeError, r"hypot_of: x is a bool, but the function takes float32; write float\(x\)"),
    ("hypot_of", [1.0], TypeError, r"hypot_of takes 2 arguments \(x, y\), but was given 1"),
    ("parts", [1.0, 2**40], ValueError, "parts: n is 1099511627776, but the function takes int32: -2147483648 to 2147483647"),
    ("parts", [1.0, 0.5], TypeError, r"parts: n is 0.5, a float, but the function takes int32; write int\(n\)"),
    ("parts", [1.0, 2**70], OverflowError, "no integer of 64 bits"),
    ("scale", [1.0, 1.0], TypeError, "scale: a is a number, but the function takes an array of float64"),
    ("scale", [np.zeros(2), np.zeros(2)], TypeError, r"scale: by is an array, but the function takes a number \(float64\); give one element: by.item\(\)"),
    ("add_one", [np.broadcast_to(np.int32(1), 3)], ValueError, "add_one: a is read-only"),
    ("add_one", [np.lib.stride_tricks.as_strided(np.arange(4, dtype="i4"), (3, 2), (4, 4))], ValueError, "several indices share"),
    ("host", [np.zeros((2, 2), "f4"), np.zeros(4, "f4")[::2], np.zeros(2, "f4")], ValueError, r"weights has elements that do not follow .* numpy.ascontiguousarray\(weights\)"),
    ("host", [np.zeros(2, "f4"), np.zeros(2, "f4"), np.zeros(2, "f4")], ValueError, "host: a has 1 axis, but the function takes arrays with 2"),
])  # fmt: skip
def test_bad_arguments(name, arguments, error, text):
    with pytest.raises(error, match=text):
        made(name)(*arguments)
    with pytest.raises(error):
        made(name)(*arguments)


def test_arguments_with_elements_in_common():
    a = np.ones((2, 2), np.float32)
    with pytest.raises(ValueError, match=r"host: a and out have elements in common, and the function writes to out; give a copy: a.copy\(\)"):
        made("host")(a, np.ones(2, np.float32), a[0])
    assert made("hypot_of")(a, a).shape == (2, 2)


def test_panics_and_errors_of_rust():
    f = made("failing")
    assert f(np.arange(3.0), 2) == 2.0
    with pytest.raises(warpcell.RustError, match="index out of bounds: the len is 3 but the index is 3 .in `failing`, line 6: Ok") as caught:
        f(np.arange(3.0), 3)
    assert type(caught.value).__name__ == "Panic" and caught.value.line == 6
    assert any("line 6" in line for line in caught.value._render_traceback_())
    with pytest.raises(warpcell.RustError, match="there are no numbers") as caught:
        f(np.zeros(0), 0)
    assert type(caught.value).__name__ == "Error"
    # In whatever thread of the library.
    for size in (3, 3_000_000):
        with pytest.raises(warpcell.RustError, match="attempt to divide by zero .in `divided`, line 3: x / y"):
            made("divided")(np.ones(size, np.int64), 0)
    assert made("divided")(np.int64([7]), 2).tolist() == [3]


def test_errors_are_pickled():
    # Those of workers come to the process that wants their results.
    with pytest.raises(warpcell.RustError) as caught:
        made("failing")(np.arange(3.0), 3)
    with pytest.raises(warpcell.RustError) as refused:
        warpcell.function("fn f(x: f64) -> f64 { y }")
    for error in (caught.value, refused.value, warpcell.RustInterrupted("ended", ["ended"]), warpcell.SessionError("there is none")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and vars(again) == vars(error) and again.args == error.args


@pytest.mark.parametrize("source, text", [
    ("#[vectorize]\nfn f(x: f32) -> f32 {\n    x * 2\n}", "x \\* 2.0"),
    ("fn f(x: f64) -> f64 {\n    y\n}", "cannot find value `y`"),
    ("fn f(x: &str) -> f64 { 1.0 }", "a function for Python cannot take `str`"),
    ("fn f(x: f64) -> Box<f64> { Box::new(x) }", "a function for Python cannot return `Box<f64>`"),
    ("fn f(x: f64) -> f64 { x", "never closed|delimiter"),
    ("fn f<T>(x: T) -> T { x }", "`f` has type parameters"),
    ("let x = 1;", "expected"),
    ("const N: u8 = 1;", "the source has no function"),
])  # fmt: skip
def test_sources_that_do_not_compile(source, text):
    with pytest.raises(warpcell.RustError) as caught:
        warpcell.function(source)
    shown = without_colours("\n".join([str(caught.value), *caught.value.traceback]))
    assert re.search(text, shown), shown
    assert "/lib.rs" not in shown and "warpcell::python" not in shown and "explain" not in shown, shown


def test_the_named_function_is_taken():
    source = "fn one() -> i32 { 1 }\nfn two() -> i32 { one() + 1 }"
    assert warpcell.function(source)() == 2 and warpcell.function(source, "one")() == 1
    with pytest.raises(warpcell.RustError, match="no function `three`, but `one`, `two`"):
        warpcell.function(source, "three")
    assert warpcell.function(source) is warpcell.function(source)


def test_output_goes_to_the_process(capfd):
    warpcell.function('fn tell(n: i32) { println!("{n} is told"); }')(3)
    assert capfd.readouterr().out == "3 is told\n"


def test_calls_from_several_threads():
    slow = warpcell.function("fn slow(x: f64) -> f64 { std::thread::sleep(std::time::Duration::from_millis(1500)); x }")
    f, failing = made("hypot_of"), made("failing")
    start = time.monotonic()
    threads = [threading.Thread(target=slow, args=(1.0,)) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert time.monotonic() - start < 4, "the GIL is released"
    wrong = []

    def work(number):
        a = np.full(1000, number, np.float32)
        for _ in range(200):
            if not np.allclose(f(a, 0.0), number):
                wrong.append(number)
            try:
                failing(np.zeros(number + 1), number + 1)
            except warpcell.RustError as error:
                if f"the len is {number + 1} " not in str(error):
                    wrong.append(str(error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong


def test_nothing_is_left_of_ten_thousand_calls():
    f, failing, transposed = made("hypot_of"), made("failing"), made("transposed")
    a, wrong, numbers, matrix = np.ones(1000, np.float32), np.ones(1000), np.ones(100_000), np.ones((100, 1000))

    def calls(count):
        for _ in range(count):
            f(a, a)
            transposed(matrix)
            for call, arguments in [(f, (wrong, 1)), (f, (a, "x")), (failing, (numbers, 100_000))]:
                with pytest.raises((TypeError, warpcell.RustError)):
                    call(*arguments)

    calls(500)
    gc.collect()
    references = [sys.getrefcount(array) for array in (a, wrong, numbers, matrix)]
    before = psutil.Process().memory_info().rss
    calls(10_000)
    gc.collect()
    assert [sys.getrefcount(array) for array in (a, wrong, numbers, matrix)] == references
    assert psutil.Process().memory_info().rss - before < 20 << 20


def test_a_call_takes_20_microseconds_at_most():
    f, scale, a = made("hypot_of"), made("scale"), np.ones(4, np.float32)
    for call in (lambda: f(a, a), lambda: f(a, 1.0), lambda: scale(wide, 2.0)):
        wide = np.ones(4)
        times = []
        for _ in range(50):
            start = time.perf_counter()
            for _ in range(100):
                call()
            times.append((time.perf_counter() - start) / 100)
        # The best of them: others use the processor too.
        assert min(times) < 20e-6, f"{min(times) * 1e6:.1f} µs"


def run(code: str, timeout: float = 120, **environment: str) -> subprocess.CompletedProcess:
    """Runs Python code in a process of its own."""
    env = {**os.environ, "PYTHONPATH": str(PACKAGE), **environment}
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=env, timeout=timeout, check=False)


def call(function, *arguments):
    return function(*arguments)


def test_a_worker_loads_it_from_the_cache():
    f = made("scale")
    again = pickle.loads(pickle.dumps(f))
    assert again is f
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        results = pool.starmap(call, [(f, np.full(3, float(number)), 2.0) for number in range(6)])
    assert [result.tolist() for result in results] == [[2.0 * number] * 3 for number in range(6)]


def test_a_forked_child_gets_an_error():
    f = made("scale")
    with multiprocessing.get_context("fork").Pool(1) as pool:
        for function in (f, pickle.loads(pickle.dumps(f))):
            with pytest.raises(RuntimeError, match="scale: the process that this one was forked from has loaded Rust functions"):
                pool.apply_async(call, (function, np.ones(3), 2.0)).get(timeout=240)
    child = os.fork()
    if child == 0:
        try:
            warpcell.function("fn other() -> i32 { 1 }")
        except RuntimeError:
            os._exit(7)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert f(np.ones(1), 3.0) == 3.0, "the parent goes on"
    # Who forks first may call afterwards.
    code = f"""
        import multiprocessing, warpcell, warpcell.functions as functions
        source = {SCALE!r}
        f = functions._named(source, None)
        def work(_):
            import numpy
            return f(numpy.ones(2), 4.0).tolist()
        print(multiprocessing.get_context("fork").Pool(2).map(work, range(2)))
    """
    done = run(code)
    assert done.stdout == "[[4.0, 4.0], [4.0, 4.0]]\n", done


def test_the_cache(tmp_path):
    code = """
        import sys, warpcell
        print(warpcell.function("fn cached(x: f64) -> f64 { x + %s }")(1.0))
    """
    environment = {"WARPCELL_CACHE_DIR": str(tmp_path / "cache")}
    # Of several that want it at once one compiles it.
    processes = [threading.Thread(target=lambda: results.append(run(code % "1.0", **environment))) for _ in range(3)]
    results: list = []
    [process.start() for process in processes]
    [process.join() for process in processes]
    assert [(result.returncode, result.stdout) for result in results] == [(0, "2.0\n")] * 3, results
    (library,) = (tmp_path / "cache").glob("crates/*/functions/*")
    assert library.suffix == ".so" and library.stat().st_mode & 0o077 == 0
    written = library.stat().st_ino
    # Without a place for the compiler's files nothing can be compiled.
    closed = {**environment, "TMPDIR": "/nonexistent"}
    assert run(code % "1.0", **closed).stdout == "2.0\n" and library.stat().st_ino == written
    done = run(code % "2.0", **closed)
    assert done.returncode != 0 and "a folder for the compiler cannot be made" in done.stderr
    # What others can write to is not loaded.
    library.chmod(0o666)
    assert run(code % "1.0", **environment).stdout == "2.0\n" and library.stat().st_ino != written


def test_exports_of_a_notebook(notebook):
    notebook.check("import numpy as np")
    notebook.check_rust(HYPOT, "--export hypot_of")
    assert notebook.check("hypot_of(np.float32([3, 5]), np.float32([4, 12]))").value == "array([ 5., 13.], dtype=float32)"
    assert "no Rust session" in notebook.check("%rust --status").stdout
    notebook.check_rust("fn one() -> i32 { 1 }\n\nfn two() -> Vec<i32> { vec![one(); 2] }", "--export one,two")
    assert notebook.check("one(), two().tolist(), two().flags.writeable").value == "(1, [1, 1], True)"
    result = notebook.rust("fn f(x: f64) -> f64 {\n    x * two\n}", "--export f")
    assert result.error["ename"] == "CompileError" and "x * two" in result.error_text and ".py" not in result.error_text
    result = notebook.rust("fn g() {}", "--export f")
    assert "no function `f`, but `g`" in result.error_text
    assert "leave the other options out" in notebook.rust("fn g() {}", "--export g -i x").stderr
    notebook.check_rust("fn past(i: usize) -> i32 {\n    [1, 2][i]\n}", "--export past")
    result = notebook.run("past(2)")
    assert result.error["ename"] == "Panic" and "line 2: [1, 2][i]" in result.error_text and ".py" not in result.error_text


def test_an_array_that_a_function_replaces_is_the_callers():
    for body in ("*a = &*a * 2.0;", "let twice = &*a * 2.0; *a = twice;", "let mut b = &*a * 2.0; std::mem::swap(a, &mut b);"):
        x = np.arange(3.0)
        warpcell.function(f"fn f(a: &mut DeviceArray<f64>) {{ {body} }}")(x)
        assert x.tolist() == [0, 2, 4], body
    turned = np.arange(4.0).reshape(2, 2)
    warpcell.function("fn f(a: &mut DeviceArray<f64>) { *a = a.t(); }")(turned)
    assert turned.tolist() == [[0, 2], [1, 3]]
    with pytest.raises(warpcell.RustError, match=r"an array of shape \[7\] in the place of one of shape \[3\].*return the new array"):
        warpcell.function("fn f(a: &mut DeviceArray<f64>) { *a = gpu::zeros(7); }")(np.zeros(3))


def test_what_would_be_lost_is_refused():
    with pytest.raises(warpcell.RustError, match="changes the number `x: &mut f64`.*return the new number"):
        warpcell.function("fn f(x: &mut f64) { *x += 1.0; }")(1.0)
    with pytest.raises(TypeError, match="x cannot be passed on by numpy: it is masked.*filled"):
        warpcell.function("fn f(x: &DeviceArray<f64>) -> f64 { x.sum() }")(np.ma.array([1.0, 2.0], mask=[0, 1]))


def test_long_integers_are_rounded_as_floats_are():
    assert made("hypot_of")(2**70, 0) == 2.0**70
    assert made("parts")(2**64 + 1, 0)[0] == 0.0


def test_a_slice_that_is_written_to_is_not_copied_on_advice():
    double = warpcell.function("fn double(a: &mut [f64]) { a.iter_mut().for_each(|x| *x *= 2.0); }")
    with pytest.raises(ValueError, match="a has elements that do not follow one another; let the function take an `ArrayViewMut`"):
        double(np.ones(6)[::2])


def test_kinds_of_errors_have_names():
    broken = warpcell.function("fn broken() { panic!(\"no\"); }")
    with pytest.raises(warpcell.Panic, match="no"):
        broken()
    with pytest.raises(warpcell.CompileError):
        warpcell.function("fn wrong() -> i32 { 1.5 }")()
