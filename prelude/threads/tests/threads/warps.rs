//! What the threads of a warp do together.

use super::{Array, both, checked, ignore, kind_of, plain};
use warpcell_threads::{
    Elsewhere, FailureKind, ViewMut, all_sync, any_sync, ballot_sync, global_idx, lane_id, shared_array,
    shfl_down_sync, shfl_sync, shfl_up_sync, shfl_xor_sync, sync_threads, sync_warp, thread_idx,
};

const ALL: u32 = u32::MAX;

#[test]
fn shuffles_follow_cudas_rules() {
    let kernel = || {
        let lane = lane_id();
        let own = lane as i32;
        for delta in 0..40 {
            assert_eq!(shfl_down_sync(ALL, own, delta), if lane + delta < 32 { (lane + delta) as i32 } else { own });
            assert_eq!(shfl_up_sync(ALL, own, delta), if lane >= delta { (lane - delta) as i32 } else { own });
            assert_eq!(shfl_sync(ALL, own, delta), (delta % 32) as i32);
        }
        for mask in 0..32 {
            assert_eq!(shfl_xor_sync(ALL, own, mask), own ^ mask);
        }
        assert_eq!(shfl_sync(ALL, own, -1), 31);
    };
    assert_eq!(plain(3, 96, &kernel), Ok(()));
    assert_eq!(checked(2, 64, &kernel), Ok(()));
}

#[test]
fn values_of_all_types_are_passed_on() {
    let kernel = || {
        let (lane, next) = (lane_id(), (lane_id() + 1) % 32);
        assert_eq!(shfl_sync(ALL, -(lane as i32), next), -(next as i32));
        assert_eq!(shfl_sync(ALL, u32::MAX - lane as u32, next), u32::MAX - next as u32);
        assert_eq!(shfl_sync(ALL, i64::MIN + lane as i64, next), i64::MIN + next as i64);
        assert_eq!(shfl_sync(ALL, u64::MAX - lane as u64, next), u64::MAX - next as u64);
        assert_eq!(shfl_sync(ALL, -0.5 * lane as f32, next), -0.5 * next as f32);
        assert_eq!(shfl_sync(ALL, 0.1 * lane as f64, next), 0.1 * next as f64);
    };
    assert_eq!(plain(1, 32, &kernel), Ok(()));
}

#[test]
fn a_warp_adds_up_without_shared_memory() {
    let mut output = Array::of(0.0, &[8 * 4]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<f32>| {
        let i = global_idx().x;
        let mut sum = i as f32;
        let mut offset = 16;
        while offset > 0 {
            sum += shfl_down_sync(ALL, sum, offset);
            offset /= 2;
        }
        if lane_id() == 0 {
            out[i / 32] = sum;
        }
    };
    both([8, 1, 1], [128, 1, 1], &|| kernel(out), || (), || ());
    assert!(output.elements.iter().enumerate().all(|(warp, &sum)| sum == (warp * 1024 + 496) as f32));
}

#[test]
fn votes_count_the_lanes_of_the_mask() {
    let kernel = || {
        let lane = lane_id();
        assert_eq!(ballot_sync(ALL, lane % 2 == 0), 0x5555_5555);
        assert!(all_sync(ALL, lane < 32) && !all_sync(ALL, lane < 31));
        assert!(any_sync(ALL, lane == 31) && !any_sync(ALL, lane == 32));
        // Each half by itself, at once.
        let half = if lane < 16 { 0x0000_ffff } else { 0xffff_0000 };
        assert_eq!(ballot_sync(half, true), half);
        assert_eq!(all_sync(half, lane < 16), lane < 16);
        assert_eq!(any_sync(half, lane == 3), lane < 16);
        let other = shfl_xor_sync(half, lane as i32, 1);
        assert_eq!(other, lane as i32 ^ 1);
        // A lane of the other half takes no part.
        assert_eq!(shfl_xor_sync(half, lane as i32, 16), lane as i32);
    };
    assert_eq!(plain(2, 64, &kernel), Ok(()));
    assert_eq!(checked(2, 64, &kernel), Ok(()));
}

#[test]
fn a_branch_may_use_the_lanes_that_are_in_it() {
    let mut output = Array::of(0, &[32]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        let lane = lane_id();
        if lane < 8 {
            let mut sum = lane as i32;
            sum += shfl_down_sync(0xff, sum, 4);
            sum += shfl_down_sync(0xff, sum, 2);
            sum += shfl_down_sync(0xff, sum, 1);
            out[lane] = shfl_sync(0xff, sum, 0);
        } else {
            out[lane] = ballot_sync(!0xff, true) as i32;
        }
        sync_warp();
        sync_threads();
    };
    both([1, 1, 1], [32, 1, 1], &|| kernel(out), || (), || ());
    assert!(output.elements.iter().enumerate().all(|(lane, &e)| e == if lane < 8 { 28 } else { !0xff }));
}

#[test]
fn partial_warps_do_not_wait_for_lanes_that_they_lack() {
    let mut output = Array::of(0, &[45]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        let t = thread_idx().x;
        let votes = ballot_sync(ALL, true);
        assert_eq!(votes, if t < 32 { ALL } else { 0x1fff });
        sync_warp();
        // Lane 13 and on are not there: the own value.
        out[t] = shfl_down_sync(ALL, t as i32, 1);
    };
    both([1, 1, 1], [45, 1, 1], &|| kernel(out), || (), || ());
    for (t, &e) in output.elements.iter().enumerate() {
        assert_eq!(e as usize, if t % 32 == 31 || t == 44 { t } else { t + 1 });
    }
}

#[test]
fn lanes_that_have_returned_are_not_waited_for() {
    let mut output = Array::of(0, &[32]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        let lane = lane_id();
        // Some before the others wait, some after.
        if lane % 8 == 7 || lane == 0 {
            return;
        }
        out[lane] = ballot_sync(ALL, true) as i32;
    };
    both([1, 1, 1], [32, 1, 1], &|| kernel(out), || (), || ());
    assert_eq!(output.elements[1], 0x7f7f_7f7e);
}

#[test]
fn warps_go_on_while_others_wait_for_the_block() {
    let mut output = Array::of(0, &[2, 64]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        let t = thread_idx().x;
        if t < 32 {
            for round in 0..t / 32 + 5 {
                out[[0, t]] += shfl_sync(ALL, round as i32, round);
            }
        }
        sync_threads();
        out[[1, t]] = out[[0, 63 - t]];
    };
    both([1, 1, 1], [64, 1, 1], &|| kernel(out), || (), || ());
}

#[test]
fn sync_warp_lets_lanes_see_what_others_wrote() {
    let mut output = Array::of(0, &[64]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        let mut values = shared_array::<i32>(64);
        let (t, lane) = (thread_idx().x, lane_id());
        values[t] = t as i32;
        sync_warp();
        let mut offset = 1;
        // An inclusive prefix sum of each warp.
        while offset < 32 {
            let other = if lane >= offset { values[t - offset] } else { 0 };
            sync_warp();
            values[t] += other;
            sync_warp();
            offset *= 2;
        }
        out[t] = values[t];
    };
    let reset = || ();
    both([1, 1, 1], [64, 1, 1], &|| kernel(out), reset, || ());
    for (t, &sum) in output.elements.iter().enumerate() {
        assert_eq!(sum as usize, (t / 32 * 32..=t).sum::<usize>());
    }
}

#[test]
fn a_mask_names_the_lane_that_calls() {
    for run in [plain, checked] {
        let failure = run(1, 32, &|| ignore(shfl_sync(0xffff, 1, 0))).unwrap_err();
        let reason = "the mask 0x0000ffff leaves out lane 16, which makes the call".to_owned();
        assert_eq!(failure.kind, FailureKind::Misuse { operation: "shfl_sync", reason });
        assert_eq!(failure.thread, [16, 0, 0]);
    }
}

#[test]
fn lanes_that_never_meet_are_found() {
    // Half of the warp waits for all of it, the other half for the block.
    for run in [plain, checked] {
        let first = line!() + 3;
        let failure = run(1, 64, &|| {
            if lane_id() < 16 {
                shfl_down_sync(ALL, 1.0, 8);
            } else {
                sync_threads();
            }
        })
        .unwrap_err();
        let other = Elsewhere::Waits { thread: [16, 0, 0], operation: "sync_threads", line: first + 2 };
        assert_eq!(failure.kind, FailureKind::DivergentBarrier { operation: "shfl_down_sync", other });
        assert_eq!((failure.line, failure.thread), (Some(first), [0, 0, 0]));
    }
    // Two masks that each name lanes of the other.
    let masks = || ignore(ballot_sync(if lane_id() < 16 { ALL } else { 0xffff_0001 }, true));
    assert!(matches!(kind_of(plain(1, 32, &masks)), FailureKind::DivergentBarrier { operation: "ballot_sync", .. }));
    // Two functions, and two types.
    let functions = || ignore(if lane_id() < 16 { any_sync(ALL, true) } else { all_sync(ALL, true) });
    assert!(matches!(kind_of(plain(1, 32, &functions)), FailureKind::DivergentBarrier { .. }));
    let types = || {
        if lane_id() < 16 {
            shfl_sync(ALL, 1i32, 0);
        } else {
            shfl_sync(ALL, 1u32, 0);
        }
    };
    assert!(matches!(kind_of(plain(1, 32, &types)), FailureKind::DivergentBarrier { operation: "shfl_sync", .. }));
}

#[test]
fn the_checker_wants_one_line_of_shuffles() {
    let kernel = || {
        if lane_id() % 2 == 0 {
            shfl_xor_sync(ALL, 1, 1);
        } else {
            shfl_xor_sync(ALL, 2, 1);
        }
    };
    assert_eq!(plain(1, 32, &kernel), Ok(()));
    let line = line!() - 6;
    let failure = checked(1, 32, &kernel).unwrap_err();
    assert_eq!((failure.thread, failure.line), ([0, 0, 0], Some(line)));
    let other = Elsewhere::Waits { thread: [1, 0, 0], operation: "shfl_xor_sync", line: line + 2 };
    assert_eq!(failure.kind, FailureKind::DivergentBarrier { operation: "shfl_xor_sync", other });
}
