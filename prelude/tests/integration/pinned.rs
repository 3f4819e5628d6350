//! Host arrays in pinned memory, and copies into host arrays that are there.

use expect_test::expect;
use ndarray::{Array2, s};
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{PinnedArray, Stream};

/// Several transfers' worth of elements.
const MANY: usize = 3 << 20;

#[test]
fn copies_have_what_was_there_when_they_were_queued() {
    let mut p = gpu::zeros_pinned::<f32>(MANY);
    let mut copies = Vec::new();
    for step in 0..6 {
        p.view_mut().fill(step as f32);
        copies.push(gpu::asarray(&p));
        p[step] = -1.0;
    }
    for (step, copy) in copies.iter().enumerate() {
        let expected = (step as f32, step as f32);
        assert_eq!((copy.min(), copy.max()), expected, "copy {step}");
    }
}

#[test]
fn what_a_view_is_copied_from_may_be_written_to_at_once() {
    let mut p = gpu::zeros_pinned::<f32>(MANY);
    let mut copies = Vec::new();
    let mut view = p.view_mut();
    for step in 0..4 {
        view.fill(step as f32);
        copies.push(gpu::asarray(&view));
    }
    for (step, copy) in copies.iter().enumerate() {
        assert_eq!((copy.min(), copy.max()), (step as f32, step as f32));
    }
}

#[test]
fn threads_copy_from_one_array() {
    for step in 0..4i64 {
        let mut p = gpu::zeros_pinned::<i64>(MANY);
        p.view_mut().fill(step);
        let copy = || Stream::new().with(|| gpu::asarray(&p));
        let copies: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(copy)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        p.view_mut().fill(-1);
        for copy in copies {
            assert_eq!((copy.min(), copy.max()), (step, step));
        }
    }
}

#[test]
fn memory_that_cannot_be_had_is_an_error() {
    let error = gpu::try_zeros_pinned::<u8>(1 << 50).unwrap_err();
    assert!(matches!(error, gpu::Error::OutOfMemory { requested, .. } if requested == 1 << 50), "{error}");
}

#[test]
fn streams_share_the_memory() {
    let mut p = gpu::zeros_pinned::<i64>(MANY);
    let streams = [Stream::new(), Stream::new()];
    for step in 0..4i64 {
        p.view_mut().fill(step);
        let copies: Vec<_> = streams.iter().map(|stream| stream.with(|| gpu::asarray(&p) * 2)).collect();
        // In flight in both of them.
        p.view_mut().fill(-100);
        for copy in copies {
            assert_eq!((copy.min(), copy.max()), (2 * step, 2 * step));
        }
    }
}

#[test]
fn memory_that_goes_away_was_read_before() {
    let made = |value: f64| {
        let mut p = gpu::empty_pinned::<f64>(MANY);
        p.view_mut().fill(value);
        gpu::asarray(&p)
    };
    for (step, copy) in [made(1.0), made(2.0), made(3.0)].iter().enumerate() {
        assert_eq!((copy.min(), copy.max()), (step as f64 + 1.0, step as f64 + 1.0));
    }
}

#[test]
fn parts_and_other_orders_are_copied_too() {
    let mut p = gpu::zeros_pinned::<i32>((40, 50));
    p.view_mut().indexed_iter_mut().for_each(|(index, value)| *value = (index[0] * 50 + index[1]) as i32);
    for (device, host) in [
        (gpu::asarray(&p.slice(s![3..7, ..])), p.slice(s![3..7, ..]).to_owned().into_dyn()),
        (gpu::asarray(&p.t()), p.t().to_owned().into_dyn()),
        (gpu::asarray(&p.slice(s![..;2, 1..;3])), p.slice(s![..;2, 1..;3]).to_owned().into_dyn()),
    ] {
        assert_eq!(device.to_host(), host);
    }
    let mut a = gpu::zeros::<i32>((40, 50));
    a.set(&p);
    assert!(gpu::allclose(&a, &*p));
    assert_eq!(format!("{p:?}").lines().count(), format!("{:?}", &*p).lines().count());
}

#[test]
fn results_go_into_arrays_that_are_there() {
    let a = gpu::arange(12.0f64).reshape((3, 4));
    let mut pinned: PinnedArray<f64> = gpu::zeros_like_pinned(&a);
    let address = pinned.as_ptr();
    (&a * 2.0).to_host_into(&mut pinned);
    assert_eq!((pinned[[2, 3]], pinned.as_ptr()), (22.0, address));
    // The transposed array is not contiguous, and neither is the target.
    let mut host = Array2::<f64>::zeros((4, 6));
    a.t().to_host_into(&mut host.slice_mut(s![.., ..;2]));
    assert_eq!(host.slice(s![.., ..;2]), a.to_host_as::<Ix2>().t());
    assert_eq!(host.slice(s![.., 1..;2]).sum(), 0.0);
    let mut flat = vec![0.0; 4];
    a.slice(s![1, ..]).to_host_into(&mut flat);
    assert_eq!(flat, [4.0, 5.0, 6.0, 7.0]);
    let mut truth = vec![true; 3];
    gpu::greater(&a.slice(s![.., 0]), 3.0).to_host_into(&mut truth);
    assert_eq!(truth, [false, true, true]);
    expect!["to_host_into: the shape [3, 4] is not the shape of the host array, [4]; give one of the same shape, or reshape it"]
        .assert_eq(&a.try_to_host_into(&mut flat).unwrap_err().to_string());
}

#[test]
fn arrays_without_elements_are_fine() {
    let mut p = gpu::zeros_pinned::<f32>((0, 5));
    assert!(!p.is_pinned());
    let a = gpu::asarray(&p);
    a.to_host_into(&mut p);
    assert_eq!((a.shape(), p.view_mut().len()), (&[0, 5][..], 0));
    assert!(gpu::try_zeros_pinned::<f64>((usize::MAX / 4, 8)).is_err());
}
