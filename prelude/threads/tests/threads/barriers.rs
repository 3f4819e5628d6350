//! Barriers in any pattern that is allowed, and more.

use super::{Array, both, checked, launch, plain, traced};
use std::sync::atomic::{AtomicUsize, Ordering};
use warpcell_threads::{
    Mode, SharedArray, View, ViewMut, block_idx, global_idx, run, shared_array, sync_threads, sync_threads_and,
    sync_threads_count, sync_threads_or, thread_fence, thread_idx,
};

/// Reverses each block of 64.
fn reverse(input: View<i32>, mut out: ViewMut<i32>) {
    let mut tile = shared_array::<i32>(64);
    let t = thread_idx().x;
    tile[t] = input[global_idx().x];
    sync_threads();
    out[global_idx().x] = tile[63 - t];
}

#[test]
fn threads_see_what_others_wrote_before_a_barrier() {
    let input = Array::new((0..640).collect());
    let mut output = Array::of(-1, &[640]);
    let (a, out) = (input.view("input"), output.view_mut("out"));
    both([10, 1, 1], [64, 1, 1], &|| reverse(a, out), || (), || ());
    assert!(output.elements.iter().enumerate().all(|(i, &e)| e as usize == i / 64 * 64 + 63 - i % 64));
}

#[test]
fn barriers_in_loops_keep_all_threads_in_step() {
    // A wave that takes one step a round: each thread reads its neighbour's value of the round before.
    let mut output = Array::of(0, &[3, 50]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>, rounds: usize| {
        let mut state = shared_array::<i32>([2, 50]);
        let t = thread_idx().x;
        state[[0, t]] = i32::from(t == 0);
        for round in 0..rounds {
            sync_threads();
            let (old, new) = (round % 2, (round + 1) % 2);
            state[[new, t]] = state[[old, (t + 49) % 50]];
        }
        sync_threads();
        out[[block_idx().x, t]] = state[[rounds % 2, t]];
    };
    both([3, 1, 1], [50, 1, 1], &|| kernel(out, 17), || (), || ());
    for row in output.elements.chunks(50) {
        assert!(row.iter().enumerate().all(|(t, &here)| here == i32::from(t == 17)));
    }
}

#[test]
fn a_barrier_in_a_device_function_is_one_for_all() {
    fn total(values: &mut SharedArray<u32>, value: u32) -> u32 {
        let t = thread_idx().x;
        values[t] = value;
        sync_threads();
        let mut sum = 0;
        for i in 0..values.len() {
            sum += values[i];
        }
        sync_threads();
        sum
    }
    let mut output = Array::of(0u32, &[2 * 40]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<u32>| {
        let mut values = shared_array::<u32>(40);
        let mut sum = total(&mut values, thread_idx().x as u32);
        for _ in 0..3 {
            sum = total(&mut values, sum / 40);
        }
        out[global_idx().x] = sum;
    };
    both([2, 1, 1], [40, 1, 1], &|| kernel(out), || (), || ());
    // 780 at first; then 40 times a fortieth of it, rounded down.
    assert!(output.elements.iter().all(|&sum| sum == 760));
}

#[test]
fn threads_that_have_returned_are_not_waited_for() {
    // Devices let such a barrier pass; the checker does not.
    let mut output = Array::of(0, &[32]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        let mut tile = shared_array::<i32>(32);
        let t = thread_idx().x;
        tile[t] = t as i32;
        if t >= 20 {
            return;
        }
        sync_threads();
        out[t] = tile[19 - t];
    };
    assert_eq!(plain(1, 32, &|| kernel(out)), Ok(()));
    assert!(output.elements.iter().enumerate().all(|(t, &e)| e == if t < 20 { 19 - t as i32 } else { 0 }));
}

#[test]
fn different_numbers_of_barriers_come_to_an_end() {
    // Thread t waits t times: whoever is left goes on with who is left.
    let mut output = Array::of(0, &[100]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        let t = thread_idx().x;
        for _ in 0..t {
            sync_threads();
            out[t] += 1;
        }
    };
    assert_eq!(plain(1, 100, &|| kernel(out)), Ok(()));
    assert!(output.elements.iter().enumerate().all(|(t, &e)| e == t as i32));
    assert!(checked(1, 100, &|| kernel(out)).is_err());
}

#[test]
fn barriers_tell_how_many_are_called_with_true() {
    let mut output = Array::of(0, &[70]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        let t = thread_idx().x;
        assert_eq!(sync_threads_count(t % 3 == 0), 24);
        assert!(sync_threads_and(t < 70) && !sync_threads_and(t != 69));
        assert!(sync_threads_or(t == 69) && !sync_threads_or(t == 70));
        sync_threads();
        out[t] = sync_threads_count(true) as i32;
    };
    both([1, 1, 1], [70, 1, 1], &|| kernel(out), || (), || ());
    assert!(output.elements.iter().all(|&count| count == 70));
}

#[test]
fn blocks_of_1024_threads_wait_often() {
    let mut output = Array::of(0, &[4 * 1024]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        let mut shifted = shared_array::<i32>([2, 1024]);
        let t = thread_idx().x;
        shifted[[0, t]] = t as i32;
        for round in 0..20 {
            sync_threads();
            shifted[[(round + 1) % 2, t]] = shifted[[round % 2, (t + 1) % 1024]];
        }
        sync_threads();
        out[global_idx().x] = shifted[[0, t]];
    };
    for _ in 0..3 {
        assert_eq!(plain(4, 1024, &|| kernel(out)), Ok(()));
        assert!(output.elements.iter().enumerate().all(|(i, &e)| e as usize == (i + 20) % 1024));
    }
}

#[test]
fn barriers_work_in_blocks_of_three_dimensions() {
    let mut output = Array::of(0, &[4, 3, 5]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        let mut cube = shared_array::<i32>([4, 3, 5]);
        let t = thread_idx();
        cube[[t.z, t.y, t.x]] = (t.z * 100 + t.y * 10 + t.x) as i32;
        sync_threads();
        out[[t.z, t.y, t.x]] = cube[[3 - t.z, 2 - t.y, 4 - t.x]];
    };
    // SAFETY: each thread writes an element of its own.
    let result = unsafe { run(&launch([1, 1, 1], [5, 3, 4], Mode::Plain), &|| kernel(out)) };
    assert_eq!((result, output.elements[0], output.elements[59]), (Ok(()), 324, 0));
}

#[test]
fn locals_survive_a_barrier() {
    // More than fits registers, and a frame that is deep in the stack.
    fn deep(depth: usize, values: [f64; 16]) -> f64 {
        if depth == 0 {
            sync_threads();
            return values.iter().sum();
        }
        let inner = deep(depth - 1, values.map(|value| value + 1.0));
        sync_threads();
        inner + values[depth % 16]
    }
    let mut output = Array::of(0.0, &[64]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<f64>| {
        let t = thread_idx().x;
        out[t] = deep(10, [t as f64; 16]);
    };
    assert_eq!(plain(1, 64, &|| kernel(out)), Ok(()));
    let expected = |t: f64| 16.0 * (t + 10.0) + (1..=10).map(|depth| t + f64::from(10 - depth)).sum::<f64>();
    assert!(output.elements.iter().enumerate().all(|(t, &sum)| sum == expected(t as f64)));
}

#[test]
fn threads_of_a_block_take_turns_at_barriers_only() {
    let (turns, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let result = plain(1, 8, &|| {
        let t = thread_idx().x;
        let first = turns.fetch_add(1, Ordering::Relaxed);
        thread_fence();
        sync_threads();
        let second = turns.fetch_add(1, Ordering::Relaxed);
        wrong.fetch_add(usize::from((first, second) != (t, t + 8)), Ordering::Relaxed);
    });
    assert_eq!((result, wrong.into_inner()), (Ok(()), 0));
}

#[test]
fn a_trace_counts_barriers() {
    let mut output = Array::of(0, &[2, 4]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        let t = thread_idx().x;
        out[[0, t]] = 1;
        sync_threads();
        out[[1, t]] = out[[0, 3 - t]];
    };
    let (result, accesses, left_out) = traced(1, 4, 1000, &|| kernel(out));
    assert_eq!((result, left_out), (Ok(()), 0));
    let seen: Vec<_> = accesses.iter().map(|a| (a.thread[0], a.index, a.phase, a.kind)).collect();
    use warpcell_threads::AccessKind::{Read, Write};
    let first = (0..4).map(|t| (t, t, 0, Write));
    let then = (0..4).flat_map(|t| [(t, 3 - t, 1, Read), (t, 4 + t, 1, Write)]);
    assert_eq!(seen, first.chain(then).collect::<Vec<_>>());
}

#[test]
fn threads_may_have_long_local_arrays() {
    let kernel = || {
        let t = thread_idx().x;
        let mut values = [t as f64; 40_000];
        sync_threads();
        values[t] += 1.0;
        sync_threads();
        assert_eq!(std::hint::black_box(values).iter().sum::<f64>(), 40_000.0 * t as f64 + 1.0);
    };
    assert_eq!(plain(2, 40, &kernel), Ok(()));
}
