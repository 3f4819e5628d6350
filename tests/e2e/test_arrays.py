"""The array library in a notebook: what cells show of it, and that errors leave the variables alone."""

import pytest

CELLS = [
    ("gpu::sort(&x).slice(s![.., 0]).to_host().into_raw_vec_and_offset().0", "[-2.0, -6.0]"),
    ("x.extract(&x.gt(0.0)).size()", "4"),
    ("let mut y = x.copy(); y.putmask(&x.lt(0.0), 0.0); y.sum()", "13.5"),
    ("gpu::where_(&x.gt(0.0), &x, -1.0).sum()", "11.5"),
    ("x.take_axis([0, -1], 1).shape().to_vec()", "[2, 2]"),
    ("x.cumsum().max()", "11.5"),
    ("x.argmax()", "4"),
    ("gpu::median(&x)", "2.0"),
    ("gpu::unique(&gpu::array(&[3, 1, 3])).size()", "2"),
    ("gpu::fftconvolve(&x, &x, Mode::Full).shape().to_vec()", "[3, 5]"),
    ("x.astype::<gpu::f16>().nbytes()", "12"),
    ("(gpu::arange(10) << 2).max()", "36"),
    ("gpu::random::Generator::new(7).integers(0..9, 1000).max()", "8"),
    ("gpu::linalg::norm(&gpu::array(&[3.0, 4.0]))", "5.0"),
    ("gpu::memory_pool().used_bytes() > 0", "true"),
]


@pytest.fixture(scope="module")
def arrays(kernel):
    kernel.check("let x = gpu::array(&[[1.0, -2.0, 3.0], [4.0, 5.5, -6.0]]);")
    return kernel


@pytest.mark.parametrize(("code", "value"), CELLS)
def test_values(arrays, code, value):
    assert arrays.check(code).value == value


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("x.take(&gpu::array(&[99i64]))", ["index 99 is out of range for an array of 6 elements"]),
        ("x.extract(&gpu::array(&[true, false, true]))", ["extract", "[3]"]),
        ("gpu::random::integers(5..5, 3)", ["integers", "5"]),
        ("x.sum_axis(2)", ["[2, 3] has no axis 2"]),
        ("x.gt(1.0) + x.gt(2.0)", ["&a | &b", "a.astype::<i64>()"]),
        ("gpu::sort(&x.to_host())", ["on the device", "gpu::asarray(&a)"]),
    ],
)
def test_errors(arrays, code, parts):
    result = arrays.run(code)
    for part in parts:
        assert part in result.error_text, result.error_text
    assert arrays.check("x.shape().to_vec()").value == "[2, 3]"
