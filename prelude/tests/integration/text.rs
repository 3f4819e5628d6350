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
        expect![[r#""#]].assert_eq(&all.map(|error| error.to_string()).join("\n"));
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
        expect![[r#""#]].assert_eq(&all.map(|result| result.unwrap_err().to_string()).join("\n"));
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
    expect![[r#""#]].assert_eq(&all.map(|result| result.unwrap_err().to_string()).join("\n"));
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
        expect![[r#""#]].assert_eq(&all.map(|result| result.unwrap_err().to_string()).join("\n"));
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
    expect![[r#""#]].assert_eq(&all.join("\n"));
    assert_eq!(module.functions(), ["add", "scale<float>"]);
}
