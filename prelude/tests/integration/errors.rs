//! The whole message of every error that a caller can provoke, and the line it is reported at.

use expect_test::{Expect, expect};
use std::ops::AddAssign;
use std::panic::{AssertUnwindSafe, UnwindSafe, catch_unwind};
use warpcell as gpu;
use warpcell::prelude::*;

fn check<T>(result: gpu::Result<T>, expected: Expect) {
    let Err(error) = result else { panic!("no error") };
    expected.assert_eq(&error.to_string());
}

#[test]
fn shapes_that_do_not_broadcast() {
    let (a, b) = (gpu::zeros::<f64>((2, 3)), gpu::zeros::<f64>((2, 4)));
    check(
        a.try_add(&b),
        expect![
            "add: the shapes [2, 3] and [2, 4] do not broadcast; make each pair of trailing lengths equal, or one of them 1 (see `reshape`)"
        ],
    );
    check(
        a.try_lt(&b),
        expect![
            "lt: the shapes [2, 3] and [2, 4] do not broadcast; make each pair of trailing lengths equal, or one of them 1 (see `reshape`)"
        ],
    );
    check(
        gpu::zeros::<f64>((2, 3)).try_assign(&b),
        expect![
            "assign: the shapes [2, 4] and [2, 3] do not broadcast; make each pair of trailing lengths equal, or one of them 1 (see `reshape`)"
        ],
    );
    check(
        a.try_broadcast_to((3, 2)),
        expect![
            "broadcast_to: the shapes [2, 3] and [3, 2] do not broadcast; make each pair of trailing lengths equal, or one of them 1 (see `reshape`)"
        ],
    );
    check(
        gpu::try_allclose_with(&a, &b, 0.0, 0.0, false),
        expect![
            "allclose: the shapes [2, 3] and [2, 4] do not broadcast; make each pair of trailing lengths equal, or one of them 1 (see `reshape`)"
        ],
    );
}

#[test]
fn shapes_that_do_not_fit() {
    let a = gpu::zeros::<f64>((2, 3));
    check(
        a.try_reshape((4, 2)),
        expect!["reshape: the shape [2, 3] has 6 elements and cannot become [4, 2]; keep the number of elements"],
    );
    check(
        a.try_slice(s![0..3, ..]),
        expect![
            "slice: the shape [2, 3] has no 0..3;1 along axis 0 of length 2; keep each bound within the array's shape"
        ],
    );
    check(
        a.try_slice(s![.., 3]),
        expect![
            "slice: the shape [2, 3] has no index 3 along axis 1 of length 3; keep each bound within the array's shape"
        ],
    );
    check(
        a.try_slice(s![.., .., ..]),
        expect!["slice: the shape [2, 3] has 2 axes, but the slice names 3; keep each bound within the array's shape"],
    );
    check(
        a.try_item(),
        expect!["item: the shape [2, 3] has 6 elements, not one; use `to_host`, or `get` with an index"],
    );
    check(
        a.try_get(&[0, 3]),
        expect!["get: the shape [2, 3] has no element [0, 3]; give one index per axis, each below its length"],
    );
    check(
        a.try_to_host_as::<Ix1>(),
        expect!["to_host_as: the shape [2, 3] has rank 2, not 1; name the right one, or use `to_host`"],
    );
    check(
        gpu::zeros::<f64>(3).try_diagonal(),
        expect!["diagonal: the shape [3] has no diagonal; give an array with at least two axes"],
    );
    check(a.try_sum_axis(2), expect!["sum_axis: the shape [2, 3] has no axis 2; its axes are 0 to 1, or -2 to -1"]);
    check(
        gpu::zeros::<f64>((0, 3)).try_max(),
        expect!["max: the shape [0, 3] has no elements to compare; reduce arrays that have some"],
    );
    check(
        gpu::try_zeros::<f64>((1 << 40, 1 << 40)),
        expect![
            "zeros: the shape [1099511627776, 1099511627776] has more elements of f64 than memory can address; use a smaller one"
        ],
    );
    check(
        gpu::try_tile(&a, (1 << 62, 4)),
        expect![
            "tile: the shape [9223372036854775808, 12] has more elements of f64 than memory can address; use a smaller one"
        ],
    );
}

#[test]
fn convolutions_that_are_none() {
    let a = gpu::zeros::<f64>((4, 5));
    check(
        gpu::try_convolve2d(&a, &gpu::zeros(3), Mode::Full),
        expect![
            "convolve2d: the shape [3] is not 2-D; reshape the array to two axes, or use `convolve` for 1-D arrays"
        ],
    );
    check(
        gpu::try_convolve2d(&gpu::zeros((0, 5)), &a, Mode::Full),
        expect!["convolve2d: the shape [0, 5] has no elements; convolve arrays that have some"],
    );
    check(
        gpu::try_convolve2d(&a, &gpu::zeros((5, 3)), Mode::Valid),
        expect![
            "convolve2d: in Mode::Valid, one array must be at least as large as the other along both axes, but the shapes are [4, 5] and [5, 3]; use Mode::Full or Mode::Same, or a smaller kernel"
        ],
    );
    let bools = gpu::zeros::<bool>((2, 2));
    check(
        gpu::try_convolve2d(&bools, &bools, Mode::Same),
        expect!["convolve2d: arrays of bool are not supported; convert them first, such as with `a.astype::<f32>()`"],
    );
    let halves = gpu::zeros::<gpu::f16>((2, 2));
    check(
        gpu::try_convolve2d(&halves, &halves, Mode::Same),
        expect!["convolve2d: arrays of f16 are not supported; convert them first, such as with `a.astype::<f32>()`"],
    );
    check(
        gpu::try_convolve(&a, &a, Mode::Full),
        expect![
            "convolve: the shape [4, 5] is not 1-D; flatten the array first with `ravel`, or use `convolve2d` for 2-D arrays"
        ],
    );
    check(
        gpu::try_convolve(&gpu::zeros::<f64>(0), &gpu::zeros(1), Mode::Full),
        expect!["convolve: the shape [0] has no elements; convolve arrays that have some"],
    );
}

#[test]
fn arguments_out_of_range() {
    check(
        gpu::try_arange((0.0, 1.0, 0.0)),
        expect!["arange: a range from 0 to 1 with step 0 is not possible; give finite bounds and a step that is not 0"],
    );
    check(
        gpu::zeros::<f64>((1, 3)).broadcast_to((2, 3)).try_fill(1.0),
        expect!["fill: the target is a broadcast view, whose elements repeat; write to a `copy()` of it"],
    );
}

#[test]
fn memory_that_is_not_there() {
    if gpu::device() != gpu::Device::Cpu {
        return;
    }
    let Err(gpu::Error::OutOfMemory { device, requested, .. }) = gpu::try_zeros::<u8>(1 << 50) else {
        panic!("a petabyte was granted");
    };
    assert_eq!((device.as_str(), requested), ("cpu", 1 << 50));
    let error = gpu::Error::OutOfMemory { device, requested, free: 1000, pooled: 10, limit: None };
    check::<()>(
        Err(error),
        expect![
            "out of memory on cpu: 1125899906842624 bytes were asked for, 1000 are free and the pool holds 10; drop arrays that are no longer needed, or use smaller ones"
        ],
    );
}

#[test]
fn messages_of_errors_that_need_a_gpu() {
    use gpu::Error;
    let text = |text: &str| text.to_owned();
    check::<()>(
        Err(Error::DeviceMismatch { operation: "add", left: text("cpu"), right: text("cuda:0") }),
        expect![
            "add: one array is on cpu, but the other is on cuda:0; copy one of them with `to_device`, so that both are \
             on the same device"
        ],
    );
    check::<()>(
        Err(Error::DeviceUnavailable { device: text("cuda:9"), reason: text("there are 2 devices") }),
        expect!["cuda:9 cannot be used: there are 2 devices"],
    );
    check::<()>(
        Err(Error::LibraryMissing { library: text("libnvrtc.so"), reason: text("install the CUDA toolkit") }),
        expect!["libnvrtc.so was not found: install the CUDA toolkit"],
    );
    check::<()>(
        Err(Error::Cuda { operation: text("convolve2d"), status: text("CUDA_ERROR_INVALID_VALUE") }),
        expect![
            "CUDA reported CUDA_ERROR_INVALID_VALUE during convolve2d; if this repeats, restart the kernel to get a new context"
        ],
    );
    check::<()>(
        Err(Error::ContextLost { operation: text("cuMemcpyDtoH"), status: text("CUDA_ERROR_ILLEGAL_ADDRESS") }),
        expect![
            "the CUDA context is lost: CUDA_ERROR_ILLEGAL_ADDRESS, noticed during cuMemcpyDtoH; a kernel that was started before has failed, and all arrays on the device are lost; CUDA cannot make a new context in this process: restart the notebook's kernel, or keep the host variables and continue on the CPU: `gpu::set_device(gpu::Device::Cpu);`"
        ],
    );
    check::<()>(
        Err(Error::KernelCompilation { kernel: text("f"), log: text("f.cu(1): error") }),
        expect![[r#"
        the CUDA kernel `f` does not compile; the compiler says:
        f.cu(1): error"#]],
    );
}

/// The file and line of a panic.
fn panic_line(work: impl FnOnce() + UnwindSafe) -> (String, u32) {
    use std::sync::{Arc, Mutex};
    let seen = Arc::new(Mutex::new(None));
    let hook = std::panic::take_hook();
    let thread = std::thread::current().id();
    let writer = seen.clone();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == thread {
            *writer.lock().unwrap() = info.location().map(|place| (place.file().to_owned(), place.line()));
        }
    }));
    let result = catch_unwind(work);
    std::panic::set_hook(hook);
    assert!(result.is_err());
    let place = seen.lock().unwrap().take();
    place.expect("the panic has a place")
}

#[test]
fn panics_name_the_callers_line() {
    let (a, b) = (gpu::zeros::<f64>(2), gpu::zeros::<f64>(3));
    type Case<'a> = Box<dyn FnOnce() + UnwindSafe + 'a>;
    let cases: Vec<(u32, Case<'_>)> = vec![
        (line!(), Box::new(|| drop(&a + &b))),
        (line!(), Box::new(|| drop(a.clone() * b.clone()))),
        (line!(), Box::new(|| a.clone().assign(&b))),
        (line!(), Box::new(|| a.clone().add_assign(&b))),
        (line!(), Box::new(|| drop(a.slice(s![5..])))),
        (line!(), Box::new(|| assert!(a.item() > 0.0))),
        (line!(), Box::new(|| drop(a.sum_axis(1)))),
        (line!(), Box::new(|| drop(gpu::convolve2d(&a, &b, Mode::Full)))),
        (line!(), Box::new(|| drop(gpu::convolve(&a.reshape((1, 2)), &b, Mode::Full)))),
        (line!(), Box::new(|| drop(gpu::host::convolve2d(&[1.0], &[1.0], Mode::Full)))),
        (line!(), Box::new(|| drop(gpu::zeros::<f64>((1 << 60, 16))))),
        (line!(), Box::new(|| drop(gpu::host::tile(&Array2::<f64>::ones((2, 2)), (1 << 62, 4))))),
        (line!(), Box::new(|| drop(gpu::host::tile(&ArrayD::<f64>::ones(vec![2, 2]), vec![3])))),
        (line!(), Box::new(|| assert!(gpu::allclose(&a, &b)))),
    ];
    for (line, case) in cases {
        assert_eq!(panic_line(AssertUnwindSafe(case)), (file!().to_owned(), line));
    }
}
