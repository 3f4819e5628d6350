"""Kernels of CUDA C text in cells: results on a GPU, and on the CPU the error that says what to do instead."""

import pytest

SCALE = r'''let scale = gpu::RawKernel::new(r#"
extern "C" __global__
void scale(const float* x, float by, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = by * x[i];
}
"#, "scale");'''


@pytest.fixture(scope="module")
def on_gpu(kernel) -> bool:
    return kernel.check("gpu::device()").value != "Cpu"


def expect(kernel, on_gpu: bool, code: str, value: str) -> None:
    """The cell has this value on a GPU; on the CPU its error names the kernel's need and the alternative."""
    result = kernel.run(code)
    if on_gpu:
        assert result.value == value, result.summary()
    else:
        assert "cannot run on the CPU device" in result.error_text and "#[vectorize]" in result.error_text


def test_kernels_are_made_and_shown_everywhere(kernel):
    kernel.check('let square = gpu::ElementwiseKernel::new("T x", "T z", "z = x * x", "square");')
    assert kernel.check("square.clone()").value == "ElementwiseKernel square(T x) -> (T z)"
    kernel.check(SCALE)
    assert kernel.check("scale.clone()").value == "RawKernel scale(const float* x, float by, float* out, int n)"


def test_an_elementwise_kernel(kernel, on_gpu):
    expect(kernel, on_gpu, "square.call::<f64>(&gpu::array(&[1.0, 2.0, 3.0])).sum()", "14.0")
    expect(kernel, on_gpu, "let z: DeviceArray<i64> = square.call(&gpu::arange(5i64).reshape((5, 1))); z.sum()", "30")


def test_a_reduction(kernel, on_gpu):
    kernel.check('let norm = gpu::ReductionKernel::new("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm");')
    expect(kernel, on_gpu, "norm.call_axis::<f64>(&gpu::array(&[[3.0, 4.0], [6.0, 8.0]]), 1).sum()", "15.0")


def test_a_raw_kernel(kernel, on_gpu):
    kernel.check("let x = gpu::arange(1000.0f32); let mut out = gpu::zeros::<f32>(1000);")
    expect(kernel, on_gpu, "scale.launch(1000usize.div_ceil(256), 256, (&x, 2.0f32, &mut out, 1000)); out.get(&[999])", "1998.0")
    if on_gpu:
        assert "registers a thread" in kernel.check("scale.attributes()").value


def test_a_variable_is_reused_after_an_error(kernel, on_gpu):
    wrong = kernel.run("scale.launch(4, 256, (&x, 2.0, &mut out, 1000));")
    assert "`float by`, is of f32" in wrong.error_text and "write `2.0f32`" in wrong.error_text, wrong.error_text
    wrong = kernel.run("scale.launch(4, 256, (&x, 2.0f32, &mut out, 1000i64));")
    assert "write `1000i32`" in wrong.error_text, wrong.error_text
    expect(kernel, on_gpu, "scale.launch(4, 256, (&x, 3.0f32, &mut out, 1000)); out.get(&[1])", "3.0")


def test_what_is_no_argument_does_not_compile(kernel):
    wrong = kernel.run('scale.launch(4, 256, (vec![1.0f32], 2.0f32, &mut out, 1000));')
    assert wrong.error["ename"] == "CompileError" and "cannot hold `Vec<f32>`" in wrong.error_text, wrong.error_text


def test_a_text_that_does_not_compile_names_the_line(kernel, on_gpu):
    code = r'gpu::RawKernel::new("__global__ void k(float* x) {\n    x[0] = unknown;\n}", "k").compile()'
    result = kernel.run(code)
    wanted = ["k(2): error", '"unknown" is undefined', "x[0] = unknown;"] if on_gpu else ["cannot run on the CPU device"]
    assert all(text in result.error_text for text in wanted), result.error_text
