//! Kernels of CUDA C text on a GPU, by their public interface, against loops on the host.

use crate::array::{self, asarray, empty, flip, zeros};
use crate::backend::tests::check::Check;
use crate::dtype::{DType, Element};
use crate::error::Error;
use crate::{
    Device, DeviceArray, ElementwiseKernel, Graph, RawKernel, RawModule, ReductionKernel, Stream, bf16, f16,
    synchronize,
};
use ndarray::{ArrayD, IxDyn, SliceInfoElem, s};
use num_complex::Complex;
use std::time::Instant;

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_check_raw_kernels() {
    Check::on_gpu(raw_kernels);
}

fn raw_kernels(check: &mut Check) {
    Device::Cuda(0).with(|| {
        elementwise_types(check);
        elementwise_layouts(check);
        elementwise_forms(check);
        reductions(check);
        functions(check);
        modules(check);
        errors(check);
        host_times();
    });
}

fn values<T: Element>(shape: &[usize], of: impl Fn(usize) -> T) -> ArrayD<T> {
    let size = shape.iter().product();
    ArrayD::from_shape_vec(IxDyn(shape), (0..size).map(of).collect()).unwrap()
}

/// The elements of two host arrays, which broadcast to `shape`, put together.
fn zipped<T: Element, R: Element>(
    x: &ArrayD<T>,
    y: &ArrayD<T>,
    shape: &[usize],
    mut of: impl FnMut(T, T) -> R,
) -> ArrayD<R> {
    let (x, y) = (x.broadcast(IxDyn(shape)).unwrap(), y.broadcast(IxDyn(shape)).unwrap());
    let all = x.iter().zip(y.iter()).map(|(&x, &y)| of(x, y)).collect();
    ArrayD::from_shape_vec(IxDyn(shape), all).unwrap()
}

fn same<T: Element>(check: &mut Check, what: &str, found: &DeviceArray<T>, expected: &ArrayD<T>) {
    match found.try_to_host() {
        Ok(found) => {
            check.note(found == *expected, &|| format!("{what} of {}: {found} instead of {expected}", T::DTYPE))
        }
        Err(error) => check.note(false, &|| format!("{what} of {}: {error}", T::DTYPE)),
    }
}

/// Elements of every type are moved under a condition, and numbers are computed with.
fn elementwise_types(check: &mut Check) {
    fn of<T: Element>(check: &mut Check, kind: &str, value: impl Fn(usize) -> T) {
        let kernel = ElementwiseKernel::new("T x, T y", "T z", "z = y; if (i % 3 == 0) z = x", "choose");
        let fixed = ElementwiseKernel::new(
            &format!("raw {kind} x, {kind} y"),
            &format!("{kind} z"),
            "z = i % 2 ? x[i] : y",
            "fixed",
        );
        for size in [1, 255, 1000, 4099] {
            let (x, y) = (values(&[size], |i| value(i + 1)), values(&[size], |i| value(2 * i + 3)));
            let (a, b) = (asarray(&x), asarray(&y));
            let mut number = 0..;
            let expected = zipped(&x, &y, &[size], |x, y| if number.next().unwrap() % 3 == 0 { x } else { y });
            same(check, "choose", &kernel.call::<T>((&a, &b)), &expected);
            same(check, "choose, unaligned", &kernel.call((&a.slice(s![1..]), &b.slice(s![1..]))), &{
                let (x, y) = (x.clone().slice_move(s![1..]).into_dyn(), y.clone().slice_move(s![1..]).into_dyn());
                zipped(&x, &y, &[size - 1], {
                    let mut n = 0..;
                    move |x, y| if n.next().unwrap() % 3 == 0 { x } else { y }
                })
            });
            let expected = ArrayD::from_shape_fn(IxDyn(&[size]), |at| if at[0] % 2 == 1 { x[&at] } else { y[[0]] });
            same(
                check,
                "fixed",
                &{
                    let mut out = zeros::<T>(size);
                    fixed.call_into((&a, y[[0]]), &mut out);
                    out
                },
                &expected,
            );
        }
    }
    of(check, "bool", |i| i % 5 < 2);
    of(check, "uint8", |i| i as u8);
    of(check, "i8", |i| i as i8);
    of(check, "uint16", |i| (i * 77) as u16);
    of(check, "i16", |i| (i * 77) as i16);
    of(check, "int32", |i| (i * 1_000_003) as i32);
    of(check, "u32", |i| (i * 1_000_003) as u32);
    of(check, "int64", |i| (i as i64 - 7) << 33);
    of(check, "u64", |i| (i as u64) << 33);
    of(check, "float16", |i| f16::from_f32(i as f32 * 0.25));
    of(check, "bf16", |i| bf16::from_f32(i as f32 * 0.25));
    of(check, "float32", |i| i as f32 * 0.1);
    of(check, "f64", |i| i as f64 * 0.1);
    of(check, "complex64", |i| Complex::new(i as f32, -0.5));
    of(check, "complex128", |i| Complex::new(i as f64, -0.5));

    let fused = ElementwiseKernel::new("T x, T y, T s", "T z", "z = (x - y) * s", "fused");
    let (x, y) = (values(&[33, 65], |i| i as i32), values(&[65], |i| 3 * i as i32));
    let expected = zipped(&x, &y, &[33, 65], |x, y| (x - y) * 5);
    same(check, "fused", &fused.call((&asarray(&x), &asarray(&y), 5)), &expected);
    let (x, y) = (x.mapv(|x| f16::from_f32(x as f32)), y.mapv(|y| f16::from_f32(y as f32)));
    let expected = zipped(&x, &y, &[33, 65], |x, y| f16::from_f32((x.to_f32() - y.to_f32()) * 0.5));
    same(check, "fused", &fused.call((&asarray(&x), &asarray(&y), f16::from_f32(0.5))), &expected);
    let z = values(&[100], |i| Complex::new(i as f64, 1.0));
    let kernel = ElementwiseKernel::new(
        "complex128 x",
        "complex128 z, f64 n",
        "z = x * conj(x) / 2.0 + x - x; n = norm(x)",
        "complex_product",
    );
    let (halves, norms) = kernel.call_tuple::<(Complex<f64>, f64)>(&asarray(&z));
    same(check, "a complex product", &halves, &z.mapv(|z| Complex::new(z.norm_sqr() / 2.0, 0.0)));
    same(check, "norms", &norms, &z.mapv(|z| z.norm_sqr()));
}

/// Views of all kinds, for inputs and outputs.
fn elementwise_layouts(check: &mut Check) {
    let kernel = ElementwiseKernel::new("float32 x, float32 y", "float32 z", "z = 2 * x + y", "mixed");
    let of = |x: f32, y: f32| 2.0 * x + y;
    let whole = asarray(&values(&[40, 36], |i| i as f32));
    let views = [
        whole.slice(s![..12, ..12]),
        whole.slice(s![3..27;2, 5..29;2]),
        whole.t().slice(s![7..19, ..12]),
        flip(&whole.slice(s![..12, ..12]), (0, 1)),
        whole.slice(s![5, ..12]),
        whole.slice(s![..12, 4..5]),
        whole.slice(s![2..3, 3..4]),
    ];
    for x in &views {
        for y in &views {
            let (hx, hy) = (x.to_host(), y.to_host());
            let rank = hx.ndim().max(hy.ndim());
            let shape: Vec<usize> = (0..rank)
                .map(|axis| {
                    let length =
                        |a: &ArrayD<f32>| (axis + a.ndim()).checked_sub(rank).map_or(1, |axis| a.shape()[axis]);
                    length(&hx).max(length(&hy))
                })
                .collect();
            let expected = zipped(&hx, &hy, &shape, of);
            same(check, "mixed", &kernel.call((x, y)), &expected);
            if shape.len() == 2 {
                let mut room = zeros::<f32>((shape[1] + 1, 2 * shape[0]));
                let mut out = room.t().slice(s![..;2, 1..]);
                kernel.call_into((x, y), &mut out);
                same(check, "mixed, into a view", &out, &expected);
                let untouched = room.slice(s![0, ..]).sum();
                check.note(untouched == 0.0, &|| "what is beside a view stays".into());
                room.fill(0.0);
            }
        }
    }
    let many = asarray(&values(&[2; 12], |i| i as f32));
    let twisted = many.t().slice(s![..;-1, .., ..;-1, .., .., .., .., .., .., .., .., ..]);
    let expected = zipped(&twisted.to_host(), &many.to_host(), &[2; 12], of);
    same(check, "twelve axes", &kernel.call((&twisted, &many)), &expected);
    let empty_one = kernel.call::<f32>((&zeros::<f32>((0, 3)), &zeros::<f32>((1, 3))));
    check.note(empty_one.shape() == [0, 3], &|| "no elements".into());
    // In place, and shifted within one array.
    let mut x = asarray(&values(&[2000], |i| i as f32));
    let again = x.clone();
    kernel.call_into((&again, &again), &mut x);
    same(check, "in place", &x, &values(&[2000], |i| 3.0 * i as f32));
    let mut x = asarray(&values(&[2000], |i| i as f32));
    let (left, mut right) = (x.slice(s![..1999]), x.slice(s![1..]));
    kernel.call_into((&left, &left), &mut right);
    same(check, "shifted", &x, &values(&[2000], |i| 3.0 * i.saturating_sub(1) as f32));
    x.fill(0.0);
}

fn elementwise_forms(check: &mut Check) {
    let scalars = ElementwiseKernel::new("f64 x, i32 n", "f64 z", "z = x * n", "scalars");
    check.note(scalars.call::<f64>((1.5, 4)).item() == 6.0, &|| "scalars alone".into());
    let sized = ElementwiseKernel::new("raw f64 x", "raw f64 z", "z[_ind.size() - 1 - i] = x[i] + x.size()", "sized");
    let (x, mut z) = (asarray(&values(&[500], |i| i as f64)), zeros::<f64>(500));
    sized.size(500).call_into(&x, &mut z);
    same(check, "raw arrays", &z, &values(&[500], |i| (499 - i) as f64 + 500.0));
    let with = ElementwiseKernel::new("T x", "T z", "z = twice(x) + OFFSET", "with_preamble")
        .preamble("template <typename V> __device__ V twice(V x) { return x + x; }")
        .options(["-DOFFSET=7"]);
    check.note(with.call::<i64>(&asarray(&[3i64])).item() == 13, &|| "preamble and options".into());
    let ends = ElementwiseKernel::new("i32 x", "i32 z", "z = 1; if (x > 2) return; if (x > 1) continue; z = 2", "ends");
    same(check, "return and continue", &ends.call(&asarray(&[1, 2, 3])), &ndarray::arr1(&[2, 1, 1]).into_dyn());
    let mut x = asarray(&values(&[1000], |i| i as f32));
    let add = ElementwiseKernel::new("float32 y", "float32 x", "x += y", "add_to");
    let graph = Graph::capture(|| add.call_into((1.0f32,), &mut x));
    graph.launch();
    graph.launch();
    same(check, "in a graph", &x, &values(&[1000], |i| i as f32 + 2.0));
    // A function whose operations on elements are noted launches a kernel between them.
    let add = ElementwiseKernel::new("float64 y", "float64 x", "x += y", "add_between");
    let join = |x: &DeviceArray<f64>, y: &DeviceArray<f64>| {
        let mut sum = x.copy();
        add.call_into(y, &mut sum);
        sum + 1.0
    };
    let found = crate::ufunc::reduce(join, &asarray(&values(&[100], |i| i as f64)), 0).item();
    check.note(found == 4950.0 + 99.0, &|| format!("in a function of two arrays: {found}"));
}

fn reductions(check: &mut Check) {
    let sum = ReductionKernel::new("T x", "T y", "x", "a + b", "y = a", "0", "sum_of");
    let squares = ReductionKernel::new("float32 x", "float64 y", "(double)x * x", "a + b", "y = sqrt(a)", "0", "norm");
    let largest = ReductionKernel::new("T x", "T y", "x", "a > b ? a : b", "y = a", "", "largest");
    let place = ReductionKernel::new("T x", "int64 y", "found(x, _J)", "better(a, b)", "y = a.at", "", "place")
        .reduce_type("found")
        .preamble(
            "struct found { double value; long long at; __device__ found(double value, long long at) : value(value), at(at) {}\n\
             found() = default; };\n\
             __device__ found better(found a, found b) \n\
             { return a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b; }",
        );
    for shape in
        [vec![1], vec![7], vec![1000], vec![300, 257], vec![5, 40, 33], vec![2, 3000], vec![3000, 2], vec![70_000, 3]]
    {
        let host = values(&shape, |i| (i * 7919 % 1009) as i64);
        let x = asarray(&host);
        same(check, "sum_of", &sum.call(&x), &ndarray::arr0(host.sum()).into_dyn());
        same(check, "largest", &largest.call(&x), &ndarray::arr0(*host.iter().max().unwrap()).into_dyn());
        for axis in 0..shape.len() {
            for (x, host) in [(x.clone(), host.clone()), (x.t(), host.clone().reversed_axes())] {
                let expected = host.sum_axis(ndarray::Axis(axis));
                same(check, "sum_of, an axis", &sum.call_axis(&x, axis), &expected);
                let room = empty::<i64>(expected.shape().iter().map(|length| 2 * length).collect::<Vec<_>>());
                let every_other = SliceInfoElem::Slice { start: 0, end: None, step: 2 };
                let mut out = room.slice(vec![every_other; expected.ndim()]);
                sum.call_into(&x, axis, &mut out);
                same(check, "sum_of, into a view", &out, &expected);
                let expected = host.map_axis(ndarray::Axis(axis), |lane| {
                    let most = lane.iter().max().unwrap();
                    lane.iter().position(|value| value == most).unwrap() as i64
                });
                same(check, "place", &place.call_axis(&x, axis as i32), &expected);
            }
        }
    }
    let long = crate::ones::<f32>(5_000_011);
    let found = squares.call::<f64>(&long).item();
    check.note(found == 5_000_011f64.sqrt(), &|| format!("norm: {found}"));
    let (x, y) = (asarray(&values(&[40, 50], |i| i as f64)), asarray(&values(&[50], |i| i as f64 * 0.5)));
    let dot = ReductionKernel::new(
        "T x, T y, T s",
        "T z, int32 n",
        "x * y * s",
        "a + b",
        "z = a; n = (int)s",
        "T(0)",
        "scaled_dot",
    );
    let (sums, n) = dot.call_axis_tuple::<(f64, i32)>((&x, &y, 2.0), 1);
    let expected = values(&[40], |i| (0..50).map(|j| (i * 50 + j) as f64 * j as f64).sum::<f64>());
    same(check, "scaled_dot", &sums, &expected);
    check.note(n.sum() == 80, &|| "a second output".into());
    let nothing = zeros::<f64>((3, 0));
    same(check, "of nothing", &sum.call_axis(&nothing, 1), &values(&[3], |_| 0.0));
    check.note(largest.try_call_axis::<f64>(&nothing, 1).is_err(), &|| "nothing and no identity".into());
    check.note(largest.call_axis::<f64>(&nothing, 0).size() == 0, &|| "no outputs".into());
}

const LESSON: &str = r#"
extern "C" __global__
void mul(const double* in, double* out, const int Z, const int Y, const int X) {
    int x = blockDim.x * blockIdx.x + threadIdx.x;
    int y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x < X && y < Y) {
        out[y*X+x] = 1.;
        for (int z = 0; z < Z; z++)
            out[y*X+x] = out[y*X+x] * in[z*Y*X+y*X+x];
    }
}"#;

const REVERSE: &str = "__global__ void reverse(float* x) {
    extern __shared__ float room[];
    for (int i = threadIdx.x; i < ROOM; i += blockDim.x) room[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < ROOM; i += blockDim.x) x[i] = room[ROOM - 1 - i];
}";

fn functions(check: &mut Check) {
    let kernel = RawKernel::new(LESSON, "mul");
    kernel.compile();
    let host = values(&[16, 50, 60], |i| 0.9 + (i % 7) as f64 * 0.03);
    let (input, mut out) = (asarray(&host), empty::<f64>((50, 60)));
    kernel.launch((60usize.div_ceil(32), 50usize.div_ceil(32)), (32, 32), (&input, &mut out, 16, 50, 60));
    let expected = host.fold_axis(ndarray::Axis(0), 1.0, |product, value| product * value);
    same(check, "the lesson's kernel", &out, &expected);

    // 16 KiB, and more than needs no asking.
    for room in [4096usize, 20_000] {
        let reverse = RawKernel::new(REVERSE, "reverse").options([format!("-DROOM={room}")]).shared_mem(4 * room);
        let mut x = asarray(&values(&[room], |i| i as f32));
        reverse.launch(1, 1024, &mut x);
        same(check, "dynamic shared memory", &x, &values(&[room], |i| (room - 1 - i) as f32));
    }

    let scale = RawKernel::new(
        "namespace space { template <typename T, int N> __global__ void scale(T* x, const T by, size_t n) {
             size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = x[i] * by + N; } }",
        "space::scale<double, 3>",
    );
    let mut x = asarray(&values(&[1000], |i| i as f64));
    scale.launch(1000usize.div_ceil(128), 128, (&mut x, 2.0, 1000usize));
    same(check, "a template", &x, &values(&[1000], |i| 2.0 * i as f64 + 3.0));

    // Work in two streams on one array comes one after the other.
    let mut y = asarray(&values(&[1 << 20], |i| i as f64));
    let grid = (1usize << 20).div_ceil(128);
    let other = Stream::new();
    for _ in 0..10 {
        let n = y.size();
        scale.launch(grid, 128, (&mut y, 1.0, n));
        other.with(|| scale.launch(grid, 128, (&mut y, 1.0, n)));
    }
    same(check, "two streams", &y, &values(&[1 << 20], |i| i as f64 + 60.0));

    let attributes = kernel.attributes();
    println!("{attributes:?}");
    let largest = attributes.occupancy.iter().map(|occupancy| occupancy.fraction).fold(0.0, f64::max);
    let is_right =
        attributes.registers > 0 && attributes.max_threads_per_block >= 256 && (0.1..=1.0).contains(&largest);
    check.note(is_right, &|| format!("attributes: {attributes:?}"));
    let half = RawKernel::new(REVERSE, "reverse").options(["-DROOM=1"]).shared_mem(100 << 10).occupancy(32);
    check.note(half.blocks <= 2, &|| format!("shared memory limits occupancy: {half:?}"));

    // Types that only the driver knows.
    let point = "struct Pair { float x, y; }; __global__ void put(Pair p, float* out) { out[0] = p.x; out[1] = p.y; }";
    let put = RawKernel::new(point, "put");
    let mut out = zeros::<f32>(2);
    put.launch(1, 1, (Complex::new(3.0f32, 4.0), &mut out));
    same(check, "a value of the text's own type", &out, &ndarray::arr1(&[3.0f32, 4.0]).into_dyn());
    let error = put.try_launch(1, 1, (1.0f32, &mut out)).unwrap_err().to_string();
    check.note(error.contains("has 8 bytes"), &|| error.clone());
    // A signature in a macro.
    let hidden = "#define KERNEL(name) extern \"C\" __global__ void name(float* x, int n)\n\
                  KERNEL(fill) { for (int i = 0; i < n; i++) x[i] = n; }";
    let fill = RawKernel::new(hidden, "fill");
    fill.launch(1, 1, (&mut out, 2));
    check.note(out.sum() == 4.0, &|| "a kernel that a macro declares".into());
    check.note(fill.try_launch(1, 1, (&mut out, 2i64)).is_err(), &|| "its sizes are checked all the same".into());
}

fn modules(check: &mut Check) {
    let module = RawModule::new(
        "__device__ int counter; __constant__ float weights[3] = {1, 2, 3};
         __global__ void count() { atomicAdd(&counter, 1); }
         __global__ void weigh(float* x) { x[threadIdx.x] *= weights[threadIdx.x]; }
         template <int N> __global__ void add(float* x) { x[threadIdx.x] += N; }
         #ifdef NEVER
         __global__ void never() {}
         #endif",
    )
    .name_expressions(["add<4>", "add < 5 >"]);
    module.get_function("count").launch(3, 64, ());
    module.get_function("count").launch((2, 2), 16, ());
    check.note(module.get_global::<i32>("counter").item() == 256, &|| "a variable of the module".into());
    let mut x = crate::ones::<f32>(3);
    module.get_function("weigh").launch(1, 3, &mut x);
    module.get_function("add<4>").launch(1, 3, &mut x);
    module.get_function("add<5>").launch(1, 3, &mut x);
    same(check, "several functions", &x, &ndarray::arr1(&[10.0f32, 11.0, 12.0]).into_dyn());
    let mut weights = module.get_global::<f32>("weights");
    same(check, "constants", &weights, &ndarray::arr1(&[1.0f32, 2.0, 3.0]).into_dyn());
    weights.assign(&asarray(&[0.0f32, 1.0, 10.0]));
    module.get_function("weigh").launch(1, 3, &mut x);
    same(check, "constants that were set", &x, &ndarray::arr1(&[0.0f32, 11.0, 120.0]).into_dyn());
    let error = module.get_function("never").try_launch(1, 1, ()).unwrap_err().to_string();
    check.note(error.contains("there is no kernel `never`"), &|| error.clone());
}

/// Errors that only a device can find.
fn errors(check: &mut Check) {
    let mut expect = |what: &str, error: Option<Error>, wanted: &[&str]| {
        let text = error.map_or("no error".into(), |error| error.to_string());
        println!("{text}");
        check.note(wanted.iter().all(|wanted| text.contains(wanted)), &|| format!("{what}: {text}"));
    };
    let broken = RawKernel::new("\n__global__ void k(float* x) {\n    x[0] = unknown + 1;\n}", "k");
    expect(
        "a compile error",
        broken.try_compile().err(),
        &["k(3): error", "\"unknown\" is undefined", "x[0] = unknown + 1;"],
    );
    let broken = ElementwiseKernel::new("f32 x", "f32 z", "float y = x;\nz = y + w", "k");
    let error = broken.try_call::<f32>(&zeros::<f32>(3)).err();
    expect("an expression", error, &["`k` does not compile", "k(2): error", "\"w\" is undefined", "z = y + w"]);
    let broken = ReductionKernel::new("f32 x", "f32 z", "x", "a + c", "z = a", "0", "k");
    expect(
        "a reduction",
        broken.try_call::<f32>(&zeros::<f32>(3)).err(),
        &["k, reduce(1): error", "\"c\" is undefined"],
    );
    let text = "__global__ void a(float* x) {} __global__ void b() {} __global__ void c() {} __global__ void c(int) {}";
    expect("a missing kernel", RawKernel::new(text, "d").try_compile().err(), &["no kernel `d`", "`a`, `b` and `c`"]);
    expect("two kernels", RawKernel::new(text, "c").try_compile().err(), &["several functions with the name `c`"]);
    let a = RawKernel::new(text, "a");
    let mut x = zeros::<f32>(3);
    expect(
        "a large block",
        a.try_launch(1, (64, 32), &mut x).err(),
        &["64 × 32 × 1 has 2048 threads", "cuda:0 allows at most 1024"],
    );
    expect("a large grid", a.try_launch((1, 70_000), 32, &mut x).err(), &["1 × 70000 × 1", "65535"]);
    expect("much shared memory", a.shared_mem(1 << 20).try_launch(1, 32, &mut x).err(), &["1048576", "shared memory"]);
    expect("a device", a.try_launch(1, 1, &mut array::zeros::<f32>(3).to_device(Device::Cpu)).err(), &["CPU device"]);
    let host = Device::Cpu.with(|| zeros::<f32>(3));
    let two = RawKernel::new("__global__ void two(const float* x, float* y) {}", "two");
    expect("two devices", two.try_launch(1, 1, (&host, &mut x)).err(), &["cpu", "cuda:0", "to_device"]);
    let includes = RawKernel::new("#include \"not_there.h\"\n__global__ void k() {}", "k");
    expect("a header", includes.try_compile().err(), &["not_there.h", "-I/path"]);
    let option = a.options(["--no-such-option"]);
    expect("an option", option.try_compile().err(), &["--no-such-option"]);
    check.note(crate::try_synchronize().is_ok() && DType::F32.size() == 4, &|| "the device goes on".into());
}

/// Host times of launches, for reading.
fn host_times() {
    let empty_kernel = RawKernel::new("extern \"C\" __global__ void e() {}", "e");
    let raw = RawKernel::new("extern \"C\" __global__ void k(const float* x, float* y, int n) {}", "k");
    let add = ElementwiseKernel::new("T x, T y", "T z", "z = x + y", "add");
    let sum = ReductionKernel::new("T x", "T y", "x", "a + b", "y = a", "0", "sum_of");
    let (x, mut y) = (zeros::<f32>(16), zeros::<f32>(16));
    let time = |what: &str, work: &mut dyn FnMut()| {
        (0..100).for_each(|_| work());
        synchronize();
        let start = Instant::now();
        (0..2000).for_each(|_| work());
        let each = start.elapsed().as_secs_f64() / 2000.0;
        synchronize();
        println!("host time of {what}: {:.2} us", 1e6 * each);
    };
    time("an empty kernel", &mut || empty_kernel.launch(1, 1, ()));
    time("a raw kernel", &mut || raw.launch(1, 32, (&x, &mut y, 16)));
    time("an elementwise kernel", &mut || drop(add.call::<f32>((&x, &x))));
    time("an elementwise kernel into an array", &mut || add.call_into((&x, &x), &mut x.clone()));
    time("a reduction", &mut || drop(sum.call::<f32>(&x)));
}
