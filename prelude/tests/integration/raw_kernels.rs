//! Kernels of CUDA C text through the public interface: what is checked before anything is compiled, and the error on a device
//! without CUDA. Results are checked on GPUs, by the tests of the CUDA backend.

use expect_test::expect;
use ndarray::s;
use warpcell as gpu;
use warpcell::{ElementwiseKernel, RawKernel, RawModule, ReductionKernel, ndarray};

const ADD: &str = "extern \"C\" __global__ void add(const float* x, float* y, int n) {\n\
    if (threadIdx.x < n) y[threadIdx.x] += x[threadIdx.x]; }";

fn on_cpu<R>(work: impl FnOnce() -> R) -> R {
    gpu::Device::Cpu.with(work)
}

#[test]
fn the_cpu_says_what_to_do_instead() {
    on_cpu(|| {
        let (x, mut y) = (gpu::zeros::<f32>(4), gpu::zeros::<f32>(4));
        let module = RawModule::new(ADD);
        let all = [
            ElementwiseKernel::new("T x", "T z", "z = x", "same").try_call::<f32>(&x).unwrap_err(),
            ReductionKernel::new("T x", "T y", "x", "a + b", "y = a", "0", "total").try_call::<f32>(&x).unwrap_err(),
            RawKernel::new(ADD, "add").try_compile().unwrap_err(),
            module.get_function("add").try_launch(1, 32, (&x, &mut y, 4)).unwrap_err(),
            module.get_function("add").try_attributes().unwrap_err(),
        ];
        expect![[r#"
            a kernel of CUDA C text: `same` cannot run on the CPU device, as CUDA C needs an NVIDIA GPU; write it in Rust, which runs on both: a function of single elements with `#[vectorize]` before it, for `gpu::map`, or one of threads with `#[kernel]`, for `gpu::launch`
            a kernel of CUDA C text: `total` cannot run on the CPU device, as CUDA C needs an NVIDIA GPU; write it in Rust, which runs on both: a function of single elements with `#[vectorize]` before it, for `gpu::map`, or one of threads with `#[kernel]`, for `gpu::launch`
            a kernel of CUDA C text: `add` cannot run on the CPU device, as CUDA C needs an NVIDIA GPU; write it in Rust, which runs on both: a function of single elements with `#[vectorize]` before it, for `gpu::map`, or one of threads with `#[kernel]`, for `gpu::launch`
            a kernel of CUDA C text: `add` cannot run on the CPU device, as CUDA C needs an NVIDIA GPU; write it in Rust, which runs on both: a function of single elements with `#[vectorize]` before it, for `gpu::map`, or one of threads with `#[kernel]`, for `gpu::launch`
            a kernel of CUDA C text: `add` cannot run on the CPU device, as CUDA C needs an NVIDIA GPU; write it in Rust, which runs on both: a function of single elements with `#[vectorize]` before it, for `gpu::map`, or one of threads with `#[kernel]`, for `gpu::launch`"#]]
.assert_eq(&all.map(|error| error.to_string()).join("\n"));
    });
}

#[test]
fn arguments_of_expressions_are_checked() {
    on_cpu(|| {
        let (x, y) = (gpu::zeros::<f64>((2, 3)), gpu::zeros::<f32>(3));
        let add = ElementwiseKernel::new("T x, T y, float32 s", "T z", "z = x + y * s", "add");
        let fixed = ElementwiseKernel::new("float64 x", "float64 z, int32 n", "z = x; n = i", "fixed");
        let raw = ElementwiseKernel::new("raw T x", "raw T z", "z[i] = x[i]", "raw");
        let one = ElementwiseKernel::new("raw T x", "T z", "z = x[i]", "one");
        let sum = ReductionKernel::new("T x", "T y", "x", "a + b", "y = a", "", "total");
        let mut short = gpu::zeros::<f64>(3);
        let mut counts = gpu::zeros::<i32>((2, 3));
        let all = [
            add.try_call::<f64>((&x, &x)).map(|_| ()),
            add.try_call::<f64>((&x, &y, 1.0f32)).map(|_| ()),
            add.try_call::<f64>((&x, &x, 0.5)).map(|_| ()),
            add.try_call::<f64>((&x, 1.0f32, 1.0f32)).map(|_| ()),
            add.try_call::<f64>((&x, &x, gpu::Complex::new(1.0, 2.0))).map(|_| ()),
            add.try_call::<f32>((&x, &x, 1.0f32)).map(|_| ()),
            add.try_call::<f64>((&x, &gpu::zeros::<f64>(4), 1.0f32)).map(|_| ()),
            fixed.try_call::<f64>(&x).map(|_| ()),
            fixed.try_call_into(&x, (&mut short, &mut counts)),
            raw.try_call::<f64>(&x).map(|_| ()),
            one.try_call::<f64>(&x).map(|_| ()),
            fixed.size(6).try_call_into(&x, (&mut x.copy(), &mut counts)),
            one.try_call_into(&x, &mut short.broadcast_to((2, 3))),
            sum.try_call_axis::<f64>(&x, 2).map(|_| ()),
            sum.try_call::<f64>(&gpu::zeros::<f64>((2, 0))).map(|_| ()),
            sum.try_call::<f64>((1.0,)).map(|_| ()),
        ];
        expect![[r#"
            ElementwiseKernel: `add`: it takes 3 inputs (T x, T y, f32 s), but was given 2
            ElementwiseKernel: `add`: `T y` has the type of `x`, f64, but the argument is an array of f32; convert it with `.astype::<f64>()`, or change the type in the text
            ElementwiseKernel: `add`: `f32 s` is of f32, but the argument is 0.5, a value of f64; write `0.5f32`, or convert a variable with `as f32`
            ElementwiseKernel: `add`: `T y` has the type of `x`, f64, but the argument is 1.0, a value of f32; write `1.0f64`, or convert a variable with `as f64`
            ElementwiseKernel: `add`: `f32 s` is of f32, but the argument is 1+2i, a value of Complex<f64>; give it as f32
            ElementwiseKernel: `add`: `T z` has the type of `x`, f64, but f32 was asked for; use `call::<f64>(…)`, or an output of f64
            ElementwiseKernel: the shapes [2, 3] and [4] do not broadcast; make each pair of trailing lengths equal, or one of them 1 (see `reshape`)
            ElementwiseKernel: `fixed`: it has 2 outputs (f64 z, i32 n), but 1 was asked for; use `call` for one, `call_tuple` for several, or `call_into` with as many arrays
            ElementwiseKernel: `fixed`: the output `f64 z` has the shape [3], but the arrays broadcast to the shape [2, 3]; give an output of that shape
            ElementwiseKernel: `raw`: the output `raw T z` is raw, so its shape is not known; make the array first and use `call_into`
            ElementwiseKernel: `one`: all arrays are raw, so the number of elements is unknown; set it with `.size(n)`
            ElementwiseKernel: `fixed`: `size` is only for kernels whose arrays are all raw; here the arrays give the number of elements
            ElementwiseKernel: the target is a broadcast view, whose elements repeat; write to a `copy()` of it
            ReductionKernel: the shape [2, 3] has no axis 2; its axes are 0 to 1, or -2 to -1
            ReductionKernel: `total`: the shape [2, 0] has no elements to reduce, and the kernel has no identity; give the kernel an identity
            ReductionKernel: `total`: there is nothing to reduce: no input is an array that is not raw; give one"#]]
.assert_eq(&all.map(|result| result.unwrap_err().to_string()).join("\n"));
    });
}

#[test]
fn texts_are_checked_when_kernels_are_made() {
    let all = [
        ElementwiseKernel::try_new("float x", "f64 z", "z = x", "k").map(|_| ()),
        ReductionKernel::try_new("T x", "raw T y", ["x", "a + b", "y = a"], "0", "k").map(|_| ()),
        ReductionKernel::try_new("T a", "T y", ["a", "a + b", "y = a"], "0", "k").map(|_| ()),
        ReductionKernel::try_new("T x", "T y", ["x", " ", "y = a"], "0", "k").map(|_| ()),
        RawKernel::try_new("template <typename T> __global__ void k(T* x) {}", "k").map(|_| ()),
        RawModule::new(ADD).try_get_function("sub").map(|_| ()),
        RawModule::new("int x;").try_get_function("k").map(|_| ()),
        RawModule::new("template <int N> __global__ void k() {}").try_get_function("k<3>").map(|_| ()),
    ];
    expect![[r#"
        ElementwiseKernel: `k`: in the inputs, the type of the parameter `float x`: `float` is a type of 32 bits in C and of 64 in NumPy; write float32 or float64
        ReductionKernel: `k`: the output `raw T y` is raw, but a reduction cannot have raw outputs; remove `raw`
        ReductionKernel: `k`: `a` has another meaning in the kernel's code; give the parameter another name
        ReductionKernel: `k`: the reduce expression is empty; see the example of `ReductionKernel`
        RawKernel: `k` is a template; name an instance of it, such as `k<float>`
        RawKernel: there is no kernel `sub` in the text; it has `add`
        RawKernel: there is no kernel `k` in the text; it has no `__global__` function
        RawKernel: there is no kernel `k<3>` in the text; it has `k<…>`; name an instance of a template with its arguments (in a `RawModule` with `name_expressions`)"#]]
.assert_eq(&all.map(|result| result.unwrap_err().to_string()).join("\n"));
}

#[test]
fn arguments_of_raw_kernels_are_checked_before_anything_is_compiled() {
    on_cpu(|| {
        let add = RawKernel::new(ADD, "add");
        let (x, mut y) = (gpu::zeros::<f32>(8), gpu::zeros::<f32>(8));
        let all = [
            add.try_launch(1, 32, (&x, &mut y)),
            add.try_launch(1, 32, (&x, &mut y, 4i64)),
            add.try_launch(1, 32, (&x, &mut y, y_len(&x))),
            add.try_launch(1, 32, (&x, &y, 4)),
            add.try_launch(1, 32, (&x.slice(s![..;2]), &mut y, 4)),
            add.try_launch(1, 32, (&x.astype::<f64>(), &mut y, 4)),
            add.try_launch(0, 32, (&x, &mut y, 4)),
            add.try_launch((1, 2), (32, 0, 1), (&x, &mut y, 4)),
        ];
        expect![[r#"
            RawKernel: `add` takes 3 arguments (const float* x, float* y, int n), but was given 2
            RawKernel: parameter 3 of `add`, `int n`, is of i32, but the argument is 4, a value of i64; write `4i32`, or convert a variable with `as i32`
            RawKernel: parameter 3 of `add`, `int n`, is of i32, but the argument is 8, a value of usize; write `8i32`, or convert a variable with `as i32`
            RawKernel: parameter 2 of `add`, `float* y`, may be written to; give the array as `&mut`, or declare the parameter as `const float* y` if the kernel only reads it
            RawKernel: parameter 1 of `add`, `const float* x`, gets only the address of the first element, but the array of shape [4] is a view with the strides [2], which is not contiguous; give a contiguous copy, `&a.copy()`
            RawKernel: parameter 1 of `add`, `const float* x`, needs an array of f32, but the argument is an array of f64; convert it with `.astype::<f32>()`, or change the type in the text
            RawKernel: `add` cannot be launched with a grid of 0 × 1 × 1: every length must be at least 1; `n.div_ceil(threads)` blocks have a thread for each of n elements; with n = 0 there is nothing to launch
            RawKernel: `add` cannot be launched with a block of 32 × 0 × 1: every length must be at least 1, and blocks are often of 128 or 256 threads"#]]
.assert_eq(&all.map(|result| result.unwrap_err().to_string()).join("\n"));
    });
}

fn y_len(x: &gpu::DeviceArray<f32>) -> usize {
    x.size()
}

#[test]
fn kernels_show_what_they_take() {
    let module = RawModule::new(ADD).name_expressions(["scale<float>"]);
    let all = [
        format!("{:?}", ElementwiseKernel::new("float64 x, raw T y", "T z", "z = x * y[i]", "k")),
        format!("{:?}", ReductionKernel::new("T x", "T y", "x", "a + b", "y = a", "0", "total")),
        format!("{:?}", RawKernel::new(ADD, "add")),
        format!("{:?}", RawKernel::new("", "absent")),
        format!("{module:?}"),
    ];
    expect![[r#"
        ElementwiseKernel k(f64 x, raw T y) -> (T z)
        ReductionKernel total(T x) -> (T y)
        RawKernel add(const float* x, float* y, int n)
        RawKernel absent(…)
        RawModule of `add` and `scale<float>`"#]]
    .assert_eq(&all.join("\n"));
    assert_eq!(module.functions(), ["add", "scale<float>"]);
}
