"""Linear algebra, transforms, devices and streams in a notebook: what cells show, and that errors leave the variables alone."""

import pytest

CELLS = [
    ("gpu::matmul(&a, &a).sum()", "54.0"),
    ("gpu::dot(&v, &v)", "14.0"),
    ("(gpu::linalg::det(&gpu::array(&[[1i32, 2], [3, 4]])) + 2.0).abs() < 1e-12", "true"),
    ("gpu::allclose(&gpu::matmul(&a, &gpu::linalg::inv(&a)), &gpu::eye::<f64>(2))", "true"),
    ("let (q, r) = gpu::linalg::qr(&a); gpu::allclose(&gpu::matmul(&q, &r), &a)", "true"),
    ("gpu::linalg::solve(&a, &gpu::array(&[3.0, 7.0])).shape().to_vec()", "[2]"),
    ("let (q, r) = gpu::host::linalg::qr(&a.to_host_as::<Ix2>()); gpu::allclose(&q.dot(&r), &a)", "true"),
    ("gpu::fft::rfft(&v).size()", "2"),
    ("gpu::fft::fft(&v).abs().max()", "6.0"),
    ("gpu::devices().len() > 0", "true"),
    ("gpu::Device::Cpu.with(|| gpu::zeros::<f64>(2).device())", "Cpu"),
    ("let stream = gpu::Stream::new(); stream.with(|| &a * 2.0).max()", "8.0"),
    ("let graph = gpu::Graph::capture(|| &a + 1.0); graph.launch().max()", "5.0"),
    ("gpu::type_of(&array![1, 2])", "Array1<i32>"),
    ("gpu::einsum(\"ij->j\", [&a]).max()", "6.0"),
]


@pytest.fixture(scope="module")
def matrices(kernel):
    kernel.check("let a = gpu::array(&[[1.0, 2.0], [3.0, 4.0]]); let v = gpu::array(&[1.0, 2.0, 3.0]);")
    return kernel


@pytest.mark.parametrize(("code", "value"), CELLS)
def test_values(matrices, code, value):
    assert matrices.check(code).value.strip('"') == value


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("gpu::matmul(&a, &gpu::ones::<f64>((3, 2)))", ["matmul", "[2, 2]", "[3, 2]"]),
        ("gpu::linalg::inv(&gpu::ones::<f64>((2, 2)))", ["singular", "pinv"]),
        ("gpu::linalg::cholesky(&-&a)", ["not positive definite", "eigvalsh"]),
        ("gpu::linalg::det(&gpu::ones::<f64>((2, 3)))", ["det", "[2, 3]"]),
        ("gpu::set_device(gpu::Device::Cuda(99))", ["cuda:99"]),
        ("gpu::Graph::capture(|| a.sum())", ["sum cannot be captured in a graph"]),
        ("gpu::Event::new().synchronize()", ["record"]),
    ],
)
def test_errors(matrices, code, parts):
    result = matrices.run(code)
    for part in parts:
        assert part in result.error_text, result.error_text
    assert matrices.check("a.shape().to_vec()").value == "[2, 2]"
