//! Arrays in shared memory, fixed and dynamic.

use super::{Array, both, checked, kind_of, launch, plain};
use warpcell_threads::{
    FailureKind, Launch, Memory, Mode, SHARED_MEMORY_LIMIT, SharedArray, ViewElement, ViewMut, block_idx,
    dynamic_shared_array, global_idx, run, shared_array, sync_threads, thread_idx,
};

fn with_dynamic(bytes: usize, mode: Mode) -> Launch<'static> {
    Launch { dynamic_shared_bytes: bytes, ..launch([2, 1, 1], [32, 1, 1], mode) }
}

#[test]
fn one_place_makes_one_array_for_each_block() {
    // Three arrays: in a loop, in a function that is called from two places, and by itself.
    fn of_function() -> SharedArray<i32> {
        shared_array::<i32>([2, 32])
    }
    let mut output = Array::of(0, &[3, 4 * 32]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        let t = thread_idx().x;
        let other = 31 - t;
        for round in 0..3 {
            let mut looped = shared_array::<i32>(32);
            if round == 0 {
                looped[t] = t as i32;
            }
            sync_threads();
            out[[0, global_idx().x]] += looped[other];
            sync_threads();
        }
        let mut first = of_function();
        first[[1, t]] = 10 * t as i32 + block_idx().x as i32;
        sync_threads();
        let second = of_function();
        out[[1, global_idx().x]] = second[[1, other]];
        out[[2, global_idx().x]] = second.shape()[0] as i32 + second.len() as i32;
    };
    both([4, 1, 1], [32, 1, 1], &|| kernel(out), || (), || ());
    for (i, (&second, &third)) in output.elements[128..].iter().zip(&output.elements[256..]).enumerate() {
        assert_eq!((second as usize, third), (10 * (31 - i % 32) + i / 32, 66));
    }
    // Two modes, three rounds each.
    assert!(output.elements[..128].iter().enumerate().all(|(i, &e)| e as usize == 6 * (31 - i % 32)));
}

#[test]
fn elements_of_all_types_are_shared() {
    fn exchanged<T: ViewElement>(of: impl Fn(usize) -> T + Sync) {
        let kernel = || {
            let mut array = shared_array::<T>([4, 2, 2, 2]);
            let t = thread_idx().x;
            array[[t / 8, t / 4 % 2, t / 2 % 2, t % 2]] = of(t);
            sync_threads();
            let other = 31 - t;
            assert!(array[[other / 8, other / 4 % 2, other / 2 % 2, other % 2]] == of(other));
        };
        assert_eq!(plain(3, 32, &kernel), Ok(()));
        assert_eq!(checked(3, 32, &kernel), Ok(()));
    }
    exchanged(|t| t % 3 == 0);
    exchanged(|t| t as u8);
    exchanged(|t| -(t as i32));
    exchanged(|t| t as u32);
    exchanged(|t| -(t as i64));
    exchanged(|t| t as u64);
    exchanged(|t| t as f32 / 7.0);
    exchanged(|t| t as f64 / 7.0);
}

#[test]
fn what_nobody_wrote_is_nothing_that_a_kernel_computes() {
    let mut output = Array::of(0.0, &[3]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<f64>| {
        // Not of an earlier block either.
        let mut array = shared_array::<f64>(1);
        out[block_idx().x] = array[0] + 1.0;
        array[0] = 5.0;
    };
    assert_eq!(plain(3, 1, &|| kernel(out)), Ok(()));
    assert!(output.elements.iter().all(|element| element.is_nan()));
}

#[test]
fn dynamic_memory_is_as_long_as_the_launch_says() {
    for mode in [Mode::Plain, Mode::Checked] {
        let mut output = Array::of(0.0, &[64]);
        let out = output.view_mut("out");
        let kernel = |mut out: ViewMut<f32>| {
            let mut rest = dynamic_shared_array::<f32>();
            assert_eq!(
                (rest.len(), dynamic_shared_array::<f64>().len(), dynamic_shared_array::<u8>().len()),
                (33, 16, 134)
            );
            let t = thread_idx().x;
            rest[t] = t as f32;
            sync_threads();
            // The same memory, by another call.
            out[global_idx().x] = dynamic_shared_array::<f32>()[31 - t];
        };
        // SAFETY: each thread writes elements of its own.
        let result = unsafe { run(&with_dynamic(134, mode), &|| kernel(out)) };
        assert_eq!(result, Ok(()));
        assert!(output.elements.iter().enumerate().all(|(i, &e)| e as usize == 31 - i % 32));
        assert_eq!(plain(1, 1, &|| assert!(dynamic_shared_array::<i64>().is_empty())), Ok(()));
    }
}

#[test]
fn dynamic_memory_may_hold_several_types() {
    let kernel = || {
        let mut words = dynamic_shared_array::<u32>();
        let mut bytes = dynamic_shared_array::<u8>();
        let mut longs = dynamic_shared_array::<u64>();
        let t = thread_idx().x;
        words[t] = 0x0403_0201;
        sync_threads();
        assert_eq!(bytes[4 * t + 2], 3);
        bytes[128 + t] = t as u8;
        sync_threads();
        assert_eq!(longs[t / 2], 0x0403_0201_0403_0201);
        assert_eq!(longs[16] & 0xffff, 0x0100);
        if t == 0 {
            longs[19] = 1 << 40;
        }
        sync_threads();
        assert_eq!(words[39], 256);
    };
    for mode in [Mode::Plain, Mode::Checked] {
        // SAFETY: the launch uses no memory but its own.
        assert_eq!(unsafe { run(&with_dynamic(160, mode), &kernel) }, Ok(()));
    }
    let mixed = || assert!(dynamic_shared_array::<bool>().len() == dynamic_shared_array::<u8>().len());
    // SAFETY: as above.
    let failure = unsafe { run(&with_dynamic(64, Mode::Plain), &mixed) };
    assert!(matches!(kind_of(failure), FailureKind::Misuse { operation: "dynamic_shared_array", .. }));
}

#[test]
fn bounds_of_shared_arrays_are_checked() {
    for run in [plain, checked] {
        let line = line!() + 2;
        let failure = run(2, 32, &|| {
            let mut tile = shared_array::<f32>([4, 8]);
            let t = thread_idx().x;
            tile[[t / 8, t % 8 + t / 31]] = 1.0;
        });
        let failure = failure.unwrap_err();
        let kind = FailureKind::OutOfBounds { memory: Memory::Shared { line }, index: vec![3, 8], shape: vec![4, 8] };
        assert_eq!((failure.kind, failure.line, failure.thread), (kind, Some(line + 2), [31, 0, 0]));
    }
    let rest = || dynamic_shared_array::<u8>()[64] = 1;
    // SAFETY: the launch uses no memory but its own.
    let failure = unsafe { run(&with_dynamic(64, Mode::Plain), &rest) };
    let kind = FailureKind::OutOfBounds { memory: Memory::DynamicShared, index: vec![64], shape: vec![64] };
    assert_eq!(kind_of(failure), kind);
    assert!(matches!(
        kind_of(plain(1, 1, &|| shared_array::<i32>([4, 4])[3] = 1)),
        FailureKind::WrongAxes { memory: Memory::Shared { .. }, .. }
    ));
}

#[test]
fn a_block_has_48_kib() {
    assert_eq!(plain(1, 1, &|| assert_eq!(shared_array::<f64>(6144).len(), 6144)), Ok(()));
    let limit = SHARED_MEMORY_LIMIT;
    let kind = kind_of(plain(1, 64, &|| assert!(shared_array::<f32>([64, 200]).len() > 0)));
    assert_eq!(kind, FailureKind::SharedMemoryTooLarge { bytes: 51_200, limit });
    let two = || assert!(shared_array::<u8>(40_000).len() + shared_array::<u8>(9_153).len() > 0);
    assert_eq!(kind_of(plain(1, 1, &two)), FailureKind::SharedMemoryTooLarge { bytes: 49_153, limit });
    let with_rest = || assert!(shared_array::<u8>(1).len() + dynamic_shared_array::<u8>().len() > 0);
    // SAFETY: the launch uses no memory but its own.
    let result = unsafe { run(&with_dynamic(limit, Mode::Plain), &with_rest) };
    assert_eq!(kind_of(result), FailureKind::SharedMemoryTooLarge { bytes: limit + 1, limit });
    let huge = || assert!(shared_array::<u8>([usize::MAX, 3]).len() > 0);
    assert!(matches!(kind_of(plain(1, 1, &huge)), FailureKind::SharedMemoryTooLarge { .. }));
}

#[test]
fn a_shape_that_changes_is_refused() {
    let result = plain(1, 8, &|| assert!(shared_array::<i32>(thread_idx().x + 1).len() > 0));
    let reason =
        "a shared array must have the same shape in all threads of a launch, but here it is [2] after [1]".to_owned();
    assert_eq!(kind_of(result), FailureKind::Misuse { operation: "shared_array", reason });
    assert_eq!(plain(1, 8, &|| assert!(shared_array::<i32>(0).is_empty())), Ok(()));
}
