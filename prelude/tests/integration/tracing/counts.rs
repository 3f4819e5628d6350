//! What is counted line by line, of kernels of which it is known.

use super::profiler::{counted_transpose_padded as padded, counted_transpose_tiled as tiled};
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{DeviceArray, Trace, TraceFinding};

#[kernel]
fn naive(a: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (global_idx().x, global_idx().y);
    out[[x, y]] = a[[y, x]];
}

#[kernel]
fn padded_doubles(a: View<f64>, mut out: ViewMut<f64>) {
    let mut tile = shared_array::<f64>([32, 33]);
    let (t, b) = (thread_idx(), block_idx());
    tile[[t.y, t.x]] = a[[b.y * 32 + t.y, b.x * 32 + t.x]];
    sync_threads();
    out[[b.x * 32 + t.y, b.y * 32 + t.x]] = tile[[t.x, t.y]];
}

/// How often, how much and how much at best a trace has of a finding, for what was accessed.
#[track_caller]
fn of(trace: &Trace, finding: TraceFinding, access: &str) -> (usize, f64, f64) {
    let report = trace.report();
    let row = report.rows().iter().find(|row| row.finding == finding && row.access == access);
    let row = row.unwrap_or_else(|| panic!("no {finding:?} of {access} in\n{report:?}"));
    (row.count, row.value, row.ideal)
}

fn square() -> (DeviceArray<f32>, DeviceArray<f32>) {
    (gpu::arange(4096.0f32).reshape((64, 64)), gpu::zeros((64, 64)))
}

#[test]
fn a_transposition_in_three_versions() {
    use TraceFinding::{BankConflicts, Sectors};
    let (a, mut out) = square();
    let trace = gpu::launch_traced(naive, (2, 2), (32, 32), (&a, &mut out));
    assert!(gpu::array_equal(&out, &a.t()));
    // Three of the four blocks, with 32 warps each.
    assert_eq!(trace.recorded_blocks(), [0, 2, 3]);
    assert_eq!(of(&trace, Sectors, "reads `a`"), (96, 4.0, 4.0));
    assert_eq!(of(&trace, Sectors, "writes `out`"), (96, 32.0, 4.0));
    let report = trace.report();
    let advice = &report.rows().iter().find(|row| row.access == "writes `out`").unwrap().advice;
    assert!(
        advice.contains("neighbouring threads are 256 bytes apart; let `thread_idx().x` run over the last"),
        "{advice}"
    );
    assert!(report.summary().starts_with("Most is lost in line"), "{}", report.summary());

    let (a, mut out) = square();
    let trace = gpu::launch_traced(tiled, (2, 2), (32, 32), (&a, &mut out));
    assert!(gpu::array_equal(&out, &a.t()));
    assert_eq!(of(&trace, Sectors, "writes `out`"), (96, 4.0, 4.0));
    assert_eq!(of(&trace, BankConflicts, "writes `tile`"), (96, 1.0, 1.0));
    assert_eq!(of(&trace, BankConflicts, "reads `tile`"), (96, 32.0, 1.0));

    let (a, mut out) = square();
    let trace = gpu::launch_traced(padded, (2, 2), (32, 32), (&a, &mut out));
    assert!(gpu::array_equal(&out, &a.t()));
    assert_eq!(of(&trace, BankConflicts, "reads `tile`"), (96, 1.0, 1.0));
    assert!(trace.report().rows().iter().all(|row| row.advice.is_empty()), "{:?}", trace.report());

    let (a, mut out) = (gpu::arange(4096.0f64).reshape((64, 64)), gpu::zeros::<f64>((64, 64)));
    let trace = gpu::launch_traced(padded_doubles, (2, 2), (32, 32), (&a, &mut out));
    assert_eq!(of(&trace, Sectors, "reads `a`"), (96, 8.0, 8.0));
    assert_eq!(of(&trace, BankConflicts, "reads `tile`"), (96, 2.0, 2.0));
}

#[test]
fn addresses_are_those_of_the_array_that_was_given() {
    // The transposed view is read along its rows, which are columns in memory.
    let (a, mut out) = square();
    let view = a.t();
    let trace = gpu::launch_traced(naive, (2, 2), (32, 32), (&view, &mut out));
    assert!(gpu::array_equal(&out, &a));
    assert_eq!(of(&trace, TraceFinding::Sectors, "reads `a`"), (96, 32.0, 4.0));
}

#[kernel]
fn halves(mut out: ViewMut<u32>) {
    let i = thread_idx().x;
    if i < 8 {
        out[i] = 1;
    } else {
        out[i] = 2;
    }
}

#[kernel]
fn count_all(counts: ViewMut<u32>) {
    let i = thread_idx().x;
    counts.atomic_add(i % 4, 1);
}

#[test]
fn divergence_and_collisions() {
    let mut out = gpu::zeros::<u32>(32);
    let trace = gpu::launch_traced(halves, 1, 32, &mut out);
    let report = trace.report();
    let active: Vec<f64> =
        report.rows().iter().filter(|row| row.finding == TraceFinding::ActiveLanes).map(|row| row.value).collect();
    assert_eq!(active, [8.0, 24.0]);

    let mut counts = gpu::zeros::<u32>(4);
    let trace = gpu::launch_traced(count_all, 1, 64, &mut counts);
    assert_eq!(of(&trace, TraceFinding::Collisions, "changes `counts`"), (2, 8.0, 1.0));
    assert_eq!(counts.to_host().into_raw_vec_and_offset().0, [16; 4]);
}

#[test]
fn reports_are_tables() {
    let (a, mut out) = square();
    let trace = gpu::launch_traced(naive, (2, 2), (32, 32), (&a, &mut out));
    let text = format!("{:?}", trace.report());
    assert!(text.contains("sectors: writes `out`") && text.contains("out[[x, y]] = a[[y, x]];"), "{text}");
    let shown = format!("{trace:?}");
    assert!(shown.starts_with("Trace of `naive`, (2, 2) blocks of (32, 32) threads:"), "{shown}");
    assert!(shown.contains("3 of 4 blocks were recorded"), "{shown}");
}
