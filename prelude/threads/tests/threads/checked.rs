//! Planted faults that the checker finds.

use super::{Array, array, checked, ignore, kind_of, launch, plain, traced};
use warpcell_threads::{
    Access, AccessKind, Elsewhere, Failure, FailureKind, Memory, Mode, View, ViewMut, block_dim, block_idx,
    dynamic_shared_array, global_idx, lane_id, run, shared_array, shfl_sync, sync_threads, sync_threads_count,
    sync_warp, thread_fence, thread_idx,
};

/// The two sides of a race, and what it is in.
#[track_caller]
fn race(result: Result<(), Failure>) -> (Memory, Vec<usize>, Access, Access) {
    let failure = result.expect_err("the launch should fail");
    let FailureKind::Race { memory, index, first, second } = failure.kind else { panic!("{:?}", failure.kind) };
    assert_eq!((failure.line, failure.thread, failure.block), (Some(second.line), second.thread, second.block));
    (memory, index, *first, *second)
}

fn side(kind: AccessKind, line: u32, thread: usize, block: usize) -> Access {
    Access { kind, line, thread: [thread, 0, 0], block: [block, 0, 0] }
}

use AccessKind::{Atomic, Read, Write};

#[test]
fn two_threads_that_write_one_element_race() {
    let mut output = Array::of(0, &[40]);
    let out = output.view_mut("out");
    let line = line!() + 1;
    let kernel = |mut out: ViewMut<i32>| out[thread_idx().x / 2] = thread_idx().x as i32;
    let found = race(checked(1, 32, &|| kernel(out)));
    assert_eq!(found, (array("out"), vec![0], side(Write, line, 0, 0), side(Write, line, 1, 0)));
}

#[test]
fn the_same_value_written_twice_is_a_race() {
    let mut output = Array::of(0, &[1]);
    let out = output.view_mut("flag");
    let kernel = |mut out: ViewMut<i32>| out[0] = 1;
    assert_eq!(race(checked(1, 2, &|| kernel(out))).0, array("flag"));
}

#[test]
fn a_sum_into_one_element_races() {
    let mut output = Array::of(0, &[1]);
    let out = output.view_mut("sum");
    let kernel = |mut out: ViewMut<i32>| out[0] += 1;
    let (memory, index, ..) = race(checked(1, 64, &|| kernel(out)));
    assert_eq!((memory, index), (array("sum"), vec![0]));
}

#[test]
fn a_read_after_a_write_without_a_barrier_races() {
    let mut output = Array::of(0, &[32]);
    let out = output.view_mut("out");
    let line = line!() + 3;
    let kernel = |mut out: ViewMut<i32>| {
        let t = thread_idx().x;
        out[t] = 1;
        let left = out[t.saturating_sub(1)];
        ignore(left);
    };
    let found = race(checked(1, 32, &|| kernel(out)));
    assert_eq!(found, (array("out"), vec![0], side(Write, line, 0, 0), side(Read, line + 1, 1, 0)));
}

#[test]
fn a_write_after_a_read_without_a_barrier_races() {
    // In shared memory; the barrier that is missing is the second one of a loop.
    let line = line!() + 8;
    let kernel = || {
        let mut tile = shared_array::<i32>(64);
        let t = thread_idx().x;
        tile[t] = t as i32;
        sync_threads();
        for _ in 0..2 {
            // The next round's write meets this read.
            let right = tile[(t + 1) % 64];
            tile[t] = right;
            sync_threads();
        }
    };
    let found = race(checked(1, 64, &kernel));
    let memory = Memory::Shared { line: line - 6 };
    assert_eq!(found, (memory, vec![1], side(Read, line, 0, 0), side(Write, line + 1, 1, 0)));
    assert_eq!(plain(1, 64, &kernel), Ok(()));
}

#[test]
fn shared_memory_without_a_barrier_races() {
    let line = line!() + 4;
    let kernel = || {
        let mut tile = shared_array::<f32>([8, 8]);
        let t = thread_idx().x;
        tile[[t / 8, t % 8]] = 1.0;
        if t > 0 {
            ignore(tile[[(t - 1) / 8, (t - 1) % 8]]);
        }
    };
    let found = race(checked(3, 64, &kernel));
    let memory = Memory::Shared { line: line - 2 };
    assert_eq!(found, (memory, vec![0, 0], side(Write, line, 0, 0), side(Read, line + 2, 1, 0)));
}

#[test]
fn blocks_race_whatever_barriers_there_are() {
    let mut output = Array::of(0, &[1]);
    let out = output.view_mut("out");
    let line = line!() + 4;
    let kernel = |mut out: ViewMut<i32>| {
        sync_threads();
        if thread_idx().x == 3 {
            out[0] = 1;
        }
        sync_threads();
        thread_fence();
    };
    let found = race(checked(2, 32, &|| kernel(out)));
    assert_eq!(found, (array("out"), vec![0], side(Write, line, 3, 0), side(Write, line, 3, 1)));
    // A read by one, a write by the other, in both orders.
    let first_reads = |mut out: ViewMut<i32>| {
        if block_idx().x == 0 { ignore(out[0]) } else { out[0] = 1 }
    };
    let (_, _, first, second) = race(checked(3, 1, &|| first_reads(out)));
    assert_eq!((first.kind, first.block[0], second.kind, second.block[0]), (Read, 0, Write, 1));
    let last_reads = |mut out: ViewMut<i32>| {
        if block_idx().x == 2 {
            ignore(out[0])
        } else if block_idx().x == 1 {
            out[0] = 1
        }
    };
    let (_, _, first, second) = race(checked(3, 1, &|| last_reads(out)));
    assert_eq!((first.kind, first.block[0], second.kind, second.block[0]), (Write, 1, Read, 2));
}

#[test]
fn reads_of_many_blocks_are_remembered() {
    // All read in several phases; the last block alone writes.
    let mut output = Array::of(0, &[4]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        ignore(out[1]);
        sync_threads();
        ignore(out[1]);
        if block_idx().x == 4 {
            sync_threads();
            out[1] = 1;
        }
    };
    let (_, index, first, second) = race(checked(5, 64, &|| kernel(out)));
    assert_eq!((index, first.kind, second.kind, second.block[0]), (vec![1], Read, Write, 4));
    assert!(first.block[0] < 4);
    // The same by one block is none.
    let kernel = |mut out: ViewMut<i32>| {
        ignore(out[1]);
        sync_threads();
        if thread_idx().x == 50 {
            out[1] = 1;
        }
        sync_threads();
        ignore(out[1]);
    };
    assert_eq!(checked(1, 64, &|| kernel(out)), Ok(()));
}

#[test]
fn atomic_and_plain_accesses_race() {
    let mut output = Array::of(0, &[1]);
    let out = output.view_mut("count");
    let line = line!() + 3;
    let writes = |mut out: ViewMut<i32>| {
        if thread_idx().x == 0 {
            out[0] = 0;
        }
        out.atomic_add(0, 1);
    };
    let found = race(checked(1, 32, &|| writes(out)));
    assert_eq!(found, (array("count"), vec![0], side(Write, line, 0, 0), side(Atomic, line + 2, 1, 0)));
    let reads = |out: ViewMut<i32>| {
        out.atomic_add(0, 1);
        ignore(out[0]);
    };
    let (_, _, first, second) = race(checked(1, 32, &|| reads(out)));
    assert_eq!((first.kind, second.kind, second.thread[0]), (Read, Atomic, 1));
    let late = |mut out: ViewMut<i32>| {
        if block_idx().x == 0 {
            out.atomic_max(0, thread_idx().x as i32);
        } else {
            out[0] = 1;
        }
    };
    let (_, _, first, second) = race(checked(2, 32, &|| late(out)));
    assert_eq!((first.kind, second.kind, second.block[0]), (Atomic, Write, 1));
}

#[test]
fn a_warp_that_does_not_meet_races() {
    let line = line!() + 5;
    let kernel = |meets: bool| {
        let mut values = shared_array::<i32>(64);
        let t = thread_idx().x;
        values[t] = 1;
        if meets {
            sync_warp();
        }
        ignore(values[t ^ 1]);
    };
    assert_eq!(checked(1, 64, &|| kernel(true)), Ok(()));
    let (_, index, first, second) = race(checked(1, 64, &|| kernel(false)));
    assert_eq!((index, first, second), (vec![1], side(Read, line + 3, 0, 0), side(Write, line - 1, 1, 0)));
}

#[test]
fn a_warps_meeting_orders_no_other_warp() {
    let kernel = |distance: usize| {
        let mut values = shared_array::<i32>(64);
        let t = thread_idx().x;
        values[t] = 1;
        sync_warp();
        shfl_sync(u32::MAX, 1, 0);
        ignore(values[t ^ distance]);
    };
    assert_eq!(checked(1, 64, &|| kernel(16)), Ok(()));
    let (_, index, first, second) = race(checked(1, 64, &|| kernel(32)));
    assert_eq!((index, first.thread, second.thread), (vec![32], [0; 3], [32, 0, 0]));
}

#[test]
fn lanes_that_a_mask_leaves_out_are_not_ordered() {
    // Lane 0 writes, then meets lane 1; lane 2 meets lane 3 and reads.
    let kernel = |mask_of_one: u32| {
        let mut value = shared_array::<i32>(1);
        let lane = lane_id();
        if lane == 0 {
            value[0] = 1;
        }
        shfl_sync(if lane < 2 { mask_of_one } else { !mask_of_one }, 1, 0);
        if lane == 2 {
            ignore(value[0]);
        }
    };
    let (_, _, first, second) = race(checked(1, 4, &|| kernel(0b0011)));
    assert_eq!((first.thread[0], second.thread[0]), (0, 2));
    // By way of a third lane it is ordered.
    let kernel = || {
        let mut value = shared_array::<i32>(1);
        let lane = lane_id();
        if lane == 0 {
            value[0] = 1;
        }
        if lane < 2 {
            shfl_sync(0b0011, 1, 0);
        }
        if lane == 1 || lane == 2 {
            shfl_sync(0b0110, 1, 0);
        }
        if lane == 2 {
            value[0] += 1;
        }
    };
    assert_eq!(checked(1, 4, &kernel), Ok(()));
}

#[test]
fn dynamic_memory_is_checked_by_bytes() {
    let kernel = || {
        let mut words = dynamic_shared_array::<u32>();
        let mut bytes = dynamic_shared_array::<u8>();
        if thread_idx().x == 0 {
            words[1] = 7;
        } else {
            bytes[6] = 1;
        }
    };
    let mut launch = launch([1, 1, 1], [2, 1, 1], Mode::Checked);
    launch.dynamic_shared_bytes = 64;
    // SAFETY: the launch uses no memory but its own.
    let (memory, index, first, second) = race(unsafe { run(&launch, &kernel) });
    assert_eq!((memory, index), (Memory::DynamicShared, vec![6]));
    assert_eq!((first.thread[0], second.thread[0]), (0, 1));
}

#[test]
fn views_of_the_same_memory_are_one_memory() {
    let mut output = Array::of(0, &[64]);
    let (a, out) = (output.view("a"), output.view_mut("out"));
    let kernel = |a: View<i32>, mut out: ViewMut<i32>| {
        let i = global_idx().x;
        out[i] = a[(i + 1) % 64];
    };
    let (memory, index, first, second) = race(checked(2, 32, &|| kernel(a, out)));
    assert_eq!((memory, index, first.kind, second.kind), (array("out"), vec![1], Read, Write));
}

#[test]
fn shared_memory_that_nobody_wrote_is_not_read() {
    let line = line!() + 4;
    let kernel = || {
        let mut tile = shared_array::<f32>([4, 16]);
        let t = thread_idx().x;
        if t != 17 {
            tile[[t / 16, t % 16]] = 1.0
        }
        sync_threads();
        ignore(tile[[(63 - t) / 16, (63 - t) % 16]]);
    };
    let failure = checked(2, 64, &kernel).unwrap_err();
    let memory = Memory::Shared { line: line - 2 };
    assert_eq!(failure.kind, FailureKind::Uninitialised { memory, index: vec![1, 1] });
    assert_eq!((failure.line, failure.thread), (Some(line + 4), [46, 0, 0]));
}

#[test]
fn a_missing_barrier_is_a_race_though_memory_is_read_first() {
    let line = line!() + 4;
    let reverse = || {
        let mut tile = shared_array::<i32>(64);
        let t = thread_idx().x;
        tile[t] = 1;
        ignore(tile[63 - t]);
    };
    let (memory, index, first, second) = race(checked(1, 64, &reverse));
    assert_eq!((memory, index), (Memory::Shared { line: line - 2 }, vec![32]));
    assert_eq!((first, second), (side(Read, line + 1, 31, 0), side(Write, line, 32, 0)));
    // Bins that are set to zero and counted in without a barrier, by atomic operations or not.
    let histogram = |atomic: bool| {
        let mut bins = shared_array::<i32>(8);
        let t = thread_idx().x;
        if t < 8 {
            bins[t] = 0;
        }
        if atomic {
            bins.atomic_add(7 - t % 8, 1);
        } else {
            bins[7 - t % 8] += 1;
        }
    };
    let (_, index, first, second) = race(checked(1, 32, &|| histogram(true)));
    assert_eq!((index, first.kind, first.thread[0], second.kind, second.thread[0]), (vec![4], Atomic, 3, Write, 4));
    let (_, index, first, second) = race(checked(1, 32, &|| histogram(false)));
    assert_eq!((index, first.kind, first.thread[0], second.kind, second.thread[0]), (vec![4], Write, 3, Write, 4));
}

#[test]
fn each_block_begins_with_nothing_in_shared_memory() {
    let kernel = || {
        let mut count = shared_array::<i32>(1);
        if block_idx().x == 0 {
            count[0] = 0;
        }
        count.atomic_add(0, 1);
    };
    let failure = checked(2, 1, &kernel).unwrap_err();
    assert!(matches!(failure.kind, FailureKind::Uninitialised { .. }));
    assert_eq!(failure.block, [1, 0, 0]);
    // An exchange asks for nothing to be there.
    let exchange = || {
        let count = shared_array::<i32>(1);
        count.atomic_exchange(0, 1);
        count.atomic_add(0, 1);
    };
    assert_eq!(checked(2, 8, &exchange), Ok(()));
}

#[test]
fn a_sum_that_begins_with_nothing_is_found() {
    macro_rules! check {
        ($($type:ty)*) => {$({
            let line = line!() + 3;
            let kernel = || {
                let mut sums = shared_array::<$type>(32);
                sums[thread_idx().x] += 1 as $type;
                ignore(thread_idx());
            };
            let failure = checked(1, 32, &kernel).unwrap_err();
            assert!(matches!(failure.kind, FailureKind::Uninitialised { .. }), "{failure:?}");
            assert_eq!((failure.line.is_some_and(|found| found.abs_diff(line) < 20), failure.thread), (true, [0; 3]));
            // Before a barrier, and before another access.
            let barrier = || {
                let mut sums = shared_array::<$type>(32);
                sums[thread_idx().x] -= 3 as $type;
                sync_threads();
            };
            assert!(matches!(kind_of(checked(1, 32, &barrier)), FailureKind::Uninitialised { .. }));
            let access = || {
                let mut sums = shared_array::<$type>(32);
                sums[thread_idx().x] += 3 as $type;
                sums[thread_idx().x] = 0 as $type;
            };
            assert!(matches!(kind_of(checked(1, 32, &access)), FailureKind::Uninitialised { .. }));
            // What is only written is fine, whatever it is.
            let plain_writes = || {
                let mut sums = shared_array::<$type>(32);
                for value in [0 as $type, 1 as $type, <$type>::MAX, <$type>::MIN] {
                    sums[thread_idx().x] = value;
                    sums[thread_idx().x] += 0 as $type;
                }
            };
            assert_eq!(checked(2, 32, &plain_writes), Ok(()));
        })*};
    }
    check!(i32 u32 i64 u64 f32 f64);
}

#[test]
fn a_barrier_that_some_never_reach_is_found() {
    let line = line!() + 4;
    let returned = || {
        let t = thread_idx().x;
        if t < 40 {
            sync_threads();
        }
    };
    let failure = checked(2, 64, &returned).unwrap_err();
    assert_eq!((failure.line, failure.thread, failure.block), (Some(line), [0; 3], [0; 3]));
    let other = Elsewhere::Ended { thread: [40, 0, 0] };
    assert_eq!(failure.kind, FailureKind::DivergentBarrier { operation: "sync_threads", other });

    let line = line!() + 3;
    let elsewhere = || {
        if thread_idx().x % 2 == 0 {
            sync_threads();
        } else {
            sync_threads_count(true);
        }
    };
    let failure = checked(1, 64, &elsewhere).unwrap_err();
    assert_eq!((failure.line, failure.thread), (Some(line), [0; 3]));
    let other = Elsewhere::Waits { thread: [1, 0, 0], operation: "sync_threads_count", line: line + 2 };
    assert_eq!(failure.kind, FailureKind::DivergentBarrier { operation: "sync_threads", other });
    assert_eq!(plain(1, 64, &elsewhere), Ok(()));

    let loops = || {
        for _ in 0..thread_idx().x / 32 + 1 {
            sync_threads();
        }
    };
    let failure = checked(1, 64, &loops).unwrap_err();
    let other = Elsewhere::Ended { thread: [0; 3] };
    assert_eq!(failure.kind, FailureKind::DivergentBarrier { operation: "sync_threads", other });
    assert_eq!(failure.thread, [32, 0, 0]);
}

#[test]
fn a_guard_before_a_barrier_is_found_in_the_last_block() {
    let n = 100;
    let kernel = || {
        if block_idx().x * block_dim().x + thread_idx().x >= n {
            return;
        }
        sync_threads();
    };
    let failure = checked(4, 32, &kernel).unwrap_err();
    assert_eq!((failure.thread, failure.block), ([0; 3], [3, 0, 0]));
    let other = Elsewhere::Ended { thread: [4, 0, 0] };
    assert_eq!(failure.kind, FailureKind::DivergentBarrier { operation: "sync_threads", other });
}

#[test]
fn bounds_and_panics_are_found_as_ever() {
    let input = Array::of(0, &[10]);
    let a = input.view("a");
    assert!(matches!(kind_of(checked(1, 32, &|| ignore(a[thread_idx().x]))), FailureKind::OutOfBounds { .. }));
    assert!(matches!(kind_of(checked(1, 32, &|| assert!(thread_idx().x != 9))), FailureKind::Panic { .. }));
}

#[test]
fn a_trace_holds_what_was_done_until_a_failure() {
    let mut output = Array::of(0, &[2, 4]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        let t = thread_idx().x;
        out[[1, t]] = 1;
        out.atomic_add([0, 3], 1);
        out[[0, t + 2]] = 1;
    };
    let (result, accesses, _) = traced(1, 4, 1000, &|| kernel(out));
    assert!(matches!(kind_of(result), FailureKind::Race { .. } | FailureKind::OutOfBounds { .. }));
    let first: Vec<_> = accesses.iter().take(3).map(|a| (a.index, a.kind, a.thread[0])).collect();
    assert_eq!(first, [(4, Write, 0), (3, Atomic, 0), (2, Write, 0)]);
    assert_eq!(accesses[0].memory, array("out"));
}

#[test]
fn a_trace_has_an_end() {
    let mut output = Array::of(0u8, &[64]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<u8>| {
        for _ in 0..100 {
            out[thread_idx().x] = 1;
        }
    };
    let (result, accesses, left_out) = traced(1, 64, 1000, &|| kernel(out));
    // An access is an event, and a line that a thread executes is a step, which counts too.
    assert_eq!((result, left_out), (Ok(()), 6400 - accesses.len() as u64));
    assert!((900..1000).contains(&accesses.len()), "{}", accesses.len());
}
