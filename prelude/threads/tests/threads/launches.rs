//! Indices of threads, blocks over all processors, interrupts, nesting.

use super::{Array, kind_of, launch, plain};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use warpcell_threads::{
    Dim3, FailureKind, Mode, ViewMut, block_dim, block_idx, global_idx, grid_dim, grid_stride, in_kernel, lane_id, run,
    sync_threads, thread_idx, warp_size,
};

#[test]
fn every_thread_of_a_grid_in_three_dimensions_runs_once() {
    for mode in [Mode::Plain, Mode::Checked] {
        let (grid, block) = ([3, 4, 2], [5, 2, 3]);
        let mut seen = Array::of(0u32, &[2 * 3, 4 * 2, 3 * 5]);
        let out = seen.view_mut("out");
        let kernel = |mut out: ViewMut<u32>| {
            let Dim3 { x, y, z } = global_idx();
            assert_eq!((block_dim(), grid_dim()), (Dim3 { x: 5, y: 2, z: 3 }, Dim3 { x: 3, y: 4, z: 2 }));
            assert_eq!(x, block_idx().x * 5 + thread_idx().x);
            assert_eq!(y, block_idx().y * 2 + thread_idx().y);
            assert_eq!(z, block_idx().z * 3 + thread_idx().z);
            let lane = (thread_idx().z * 2 + thread_idx().y) * 5 + thread_idx().x;
            assert_eq!((lane_id(), warp_size()), (lane % 32, 32));
            out[[z, y, x]] += 1;
        };
        // SAFETY: each thread has an element of its own.
        let result = unsafe { run(&launch(grid, block, mode), &|| kernel(out)) };
        assert_eq!(result, Ok(()), "{mode:?}");
        assert!(seen.elements.iter().all(|&count| count == 1));
    }
}

#[test]
fn lanes_are_numbered_along_x_then_y_then_z() {
    let mut lanes = Array::of(0usize as u64, &[2, 5, 7]);
    let out = lanes.view_mut("out");
    let kernel = |mut out: ViewMut<u64>| {
        let Dim3 { x, y, z } = thread_idx();
        out[(z, y, x)] = lane_id() as u64;
    };
    // SAFETY: each thread has an element of its own.
    let result = unsafe { run(&launch([1, 1, 1], [7, 5, 2], Mode::Plain), &|| kernel(out)) };
    assert_eq!(result, Ok(()));
    assert!(lanes.elements.iter().enumerate().all(|(number, &lane)| lane == number as u64 % 32));
}

#[test]
fn a_grid_shares_out_any_number_of_elements() {
    for n in [0, 1, 63, 64, 65, 1000] {
        let mut counts = Array::of(0, &[n]);
        let out = counts.view_mut("out");
        let kernel = |mut out: ViewMut<i32>| {
            for i in grid_stride(out.len()) {
                out[i] += 1 + i as i32;
            }
        };
        assert_eq!(plain(4, 16, &|| kernel(out)), Ok(()));
        assert!(counts.elements.iter().enumerate().all(|(i, &count)| count == 1 + i as i32), "{n}");
    }
}

#[test]
fn a_grid_without_blocks_or_threads_does_nothing() {
    for mode in [Mode::Plain, Mode::Checked] {
        for (grid, block) in [([0, 1, 1], [32, 1, 1]), ([4, 0, 2], [32, 1, 1]), ([1, 1, 1], [8, 0, 1])] {
            // SAFETY: no thread runs.
            let result = unsafe { run(&launch(grid, block, mode), &|| panic!("a thread of nothing")) };
            assert_eq!(result, Ok(()));
        }
    }
}

#[test]
fn functions_of_threads_mean_nothing_elsewhere() {
    assert!(!in_kernel());
    let message = std::panic::catch_unwind(thread_idx).expect_err("there is no thread");
    let text = message.downcast_ref::<String>().expect("a text");
    assert!(text.starts_with("`thread_idx` was called outside of a kernel"), "{text}");
    assert!(std::panic::catch_unwind(sync_threads).is_err());
    assert_eq!(plain(1, 1, &|| assert!(in_kernel())), Ok(()));
    assert!(!in_kernel());
}

#[test]
fn a_kernel_launches_no_other() {
    let refused = AtomicUsize::new(0);
    let result = plain(2, 2, &|| {
        let inner = plain(1, 1, &|| ());
        if matches!(kind_of(inner), FailureKind::Misuse { operation: "launch", .. }) {
            refused.fetch_add(1, Ordering::Relaxed);
        }
    });
    assert_eq!((result, refused.into_inner()), (Ok(()), 4));
}

#[test]
fn a_launch_is_interrupted_between_threads() {
    for mode in [Mode::Plain, Mode::Checked] {
        let (stop, begun) = (AtomicBool::new(false), AtomicUsize::new(0));
        let thread = || {
            if begun.fetch_add(1, Ordering::Relaxed) == 1000 {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let interrupted = || stop.load(Ordering::Relaxed);
        let mut launch = launch([1 << 20, 1, 1], [64, 1, 1], mode);
        launch.interrupted = &interrupted;
        // SAFETY: the thread uses no memory.
        let result = unsafe { run(&launch, &thread) };
        assert_eq!(kind_of(result), FailureKind::Interrupted);
        assert!(begun.into_inner() < 100_000);
    }
}

#[test]
fn a_launch_is_interrupted_at_barriers_and_in_loops() {
    let (stop, rounds) = (AtomicBool::new(false), AtomicUsize::new(0));
    let interrupted = || stop.load(Ordering::Relaxed);
    let endless = || {
        loop {
            if rounds.fetch_add(1, Ordering::Relaxed) == 10_000 {
                stop.store(true, Ordering::Relaxed);
            }
            sync_threads();
        }
    };
    let mut launch = launch([4, 1, 1], [100, 1, 1], Mode::Plain);
    launch.interrupted = &interrupted;
    // SAFETY: the thread uses no memory.
    assert_eq!(kind_of(unsafe { run(&launch, &endless) }), FailureKind::Interrupted);

    // What a cell's own check of an interrupt does: it unwinds with what it likes.
    stop.store(false, Ordering::Relaxed);
    let own_check = || {
        stop.store(true, Ordering::Relaxed);
        std::panic::resume_unwind(Box::new(17));
    };
    // SAFETY: as above.
    assert_eq!(kind_of(unsafe { run(&launch, &own_check) }), FailureKind::Interrupted);
}

#[test]
fn launches_from_several_threads_at_once_do_not_meet() {
    std::thread::scope(|scope| {
        for caller in 0..4 {
            scope.spawn(move || {
                for round in 0..20 {
                    let mut sums = Array::of(0i32, &[64]);
                    let out = sums.view_mut("out");
                    let kernel = |mut out: ViewMut<i32>| {
                        let i = global_idx().x;
                        out[i] = caller;
                        sync_threads();
                        out[i] += round;
                    };
                    let mode = if (caller + round) % 3 == 0 { Mode::Checked } else { Mode::Plain };
                    // SAFETY: each thread has an element of its own.
                    let result = unsafe { run(&launch([4, 1, 1], [16, 1, 1], mode), &|| kernel(out)) };
                    assert_eq!(result, Ok(()));
                    assert!(sums.elements.iter().all(|&sum| sum == caller + round));
                }
            });
        }
    });
}

#[test]
fn a_launch_from_within_the_pool_runs() {
    let sums: Vec<i32> = rayon::iter::ParallelIterator::collect(rayon::iter::ParallelIterator::map(
        rayon::iter::IntoParallelIterator::into_par_iter(0..32),
        |start| {
            let mut counts = Array::of(start, &[256]);
            let out = counts.view_mut("out");
            let kernel = |mut out: ViewMut<i32>| {
                sync_threads();
                let i = global_idx().x;
                out[i] += 1;
            };
            assert_eq!(plain(8, 32, &|| kernel(out)), Ok(()));
            counts.elements.iter().sum()
        },
    ));
    assert!(sums.iter().enumerate().all(|(start, &sum)| sum == 256 * (start as i32 + 1)));
}
