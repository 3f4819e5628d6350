//! Correct kernels whose threads work together as warps, or by atomic operations.

use super::{Correct, Mode};
use crate::kernels::arrays::{device, ramp, scattered, values, zeros};
use warpcell as gpu;
use warpcell::prelude::*;

#[kernel]
fn sum_by_shuffles(a: View<f32>, out: ViewMut<f32>) {
    let mut sum = a[global_idx().x];
    let mut step = 16;
    while step > 0 {
        sum += shfl_down_sync(u32::MAX, sum, step);
        step /= 2;
    }
    if lane_id() == 0 {
        out.atomic_add(0, sum);
    }
}

fn run_sum_by_shuffles(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(1);
    launch!(mode, sum_by_shuffles, 2, 64, (&ramp(128), &mut out))?;
    assert_eq!(out.item(), 8128.0);
    Ok(())
}

#[kernel]
fn sum_for_every_lane(a: View<i32>, mut out: ViewMut<i32>) {
    let i = global_idx().x;
    let mut sum = a[i];
    for bit in 0..5 {
        sum += shfl_xor_sync(u32::MAX, sum, 1 << bit);
    }
    out[i] = sum;
}

fn run_sum_for_every_lane(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<i32>(64);
    launch!(mode, sum_for_every_lane, 1, 64, (&device((0..64).collect()), &mut out))?;
    assert_eq!(values(&out), [[496; 32], [1520; 32]].concat());
    Ok(())
}

#[kernel]
fn prefix_sums_of_a_warp(a: View<i64>, mut out: ViewMut<i64>) {
    let lane = thread_idx().x;
    let mut sum = a[lane];
    let mut step = 1;
    while step < 32 {
        let left = shfl_up_sync(u32::MAX, sum, step);
        if lane >= step as usize {
            sum += left;
        }
        step *= 2;
    }
    out[lane] = sum;
}

fn run_prefix_sums_of_a_warp(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<i64>(32);
    launch!(mode, prefix_sums_of_a_warp, 1, 32, (&device((1..33).collect()), &mut out))?;
    assert_eq!(values(&out), (1..33).map(|i| i * (i + 1) / 2).collect::<Vec<i64>>());
    Ok(())
}

#[kernel]
fn value_of_lane_three(a: View<f64>, mut out: ViewMut<f64>) {
    let i = global_idx().x;
    out[i] = shfl_sync(u32::MAX, a[i], 3);
}

fn run_value_of_lane_three(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<f64>(64);
    launch!(mode, value_of_lane_three, 2, 32, (&device((0..64).map(f64::from).collect()), &mut out))?;
    assert_eq!(values(&out), [[3.0; 32], [35.0; 32]].concat());
    Ok(())
}

#[kernel]
fn votes(a: View<i32>, mut out: ViewMut<u32>) {
    let i = thread_idx().x;
    let odd = ballot_sync(u32::MAX, a[i] % 2 == 1);
    let all = all_sync(u32::MAX, a[i] >= 0);
    let any = any_sync(u32::MAX, a[i] > 31);
    if i == 0 {
        out[0] = odd;
        out[1] = all as u32;
        out[2] = any as u32;
    }
}

fn run_votes(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<u32>(3);
    launch!(mode, votes, 1, 32, (&device((0..32).collect()), &mut out))?;
    assert_eq!(values(&out), [0xaaaa_aaaa, 1, 0]);
    Ok(())
}

#[kernel]
fn shuffle_of_half_a_warp(a: View<f32>, mut out: ViewMut<f32>) {
    let t = thread_idx().x;
    if t < 16 {
        let mut sum = a[t];
        let mut step = 8;
        while step > 0 {
            sum += shfl_down_sync(0xffff, sum, step);
            step /= 2;
        }
        if t == 0 {
            out[0] = sum;
        }
    }
}

fn run_shuffle_of_half_a_warp(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(1);
    launch!(mode, shuffle_of_half_a_warp, 1, 32, (&ramp(32), &mut out))?;
    assert_eq!(out.item(), 120.0);
    Ok(())
}

#[kernel]
fn last_warp_with_its_barriers(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(64);
    let t = thread_idx().x;
    sums[t] = a[t];
    sync_threads();
    if t < 32 {
        let mut step = 32;
        while step > 0 {
            let right = if t < step { sums[t + step] } else { 0.0 };
            sync_warp();
            sums[t] += right;
            sync_warp();
            step /= 2;
        }
    }
    if t == 0 {
        out[0] = sums[0];
    }
}

fn run_last_warp_with_its_barriers(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(1);
    launch!(mode, last_warp_with_its_barriers, 1, 64, (&ramp(64), &mut out))?;
    assert_eq!(out.item(), 2016.0);
    Ok(())
}

#[kernel]
fn sum_of_warps(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(4);
    let t = thread_idx().x;
    let mut sum = a[global_idx().x];
    let mut step = 16;
    while step > 0 {
        sum += shfl_down_sync(u32::MAX, sum, step);
        step /= 2;
    }
    if lane_id() == 0 {
        sums[t / warp_size()] = sum;
    }
    sync_threads();
    if t == 0 {
        out[block_idx().x] = sums[0] + sums[1] + sums[2] + sums[3];
    }
}

fn run_sum_of_warps(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(2);
    launch!(mode, sum_of_warps, 2, 128, (&ramp(256), &mut out))?;
    assert_eq!(values(&out), [8128.0, 24512.0]);
    Ok(())
}

#[kernel]
fn neighbours_through_a_warp(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(32);
    let t = thread_idx().x;
    tile[t] = a[t];
    sync_warp();
    out[t] = tile[31 - t];
}

fn run_neighbours_through_a_warp(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(32);
    launch!(mode, neighbours_through_a_warp, 1, 32, (&ramp(32), &mut out))?;
    assert_eq!(values(&out), (0..32).rev().map(|i| i as f32).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn histogram(values: View<i32>, bins: ViewMut<u32>) {
    let i = global_idx().x;
    if i < values.len() {
        bins.atomic_add(values[i] as usize, 1);
    }
}

fn counted(numbers: &[i32], bins: usize) -> Vec<u32> {
    let mut expected = vec![0; bins];
    numbers.iter().for_each(|&value| expected[value as usize] += 1);
    expected
}

fn run_histogram(mode: Mode) -> gpu::Result<()> {
    let numbers = scattered(1000, 8);
    let mut bins = gpu::zeros::<u32>(8);
    launch!(mode, histogram, 8, 128, (&device(numbers.clone()), &mut bins))?;
    assert_eq!(values(&bins), counted(&numbers, 8));
    Ok(())
}

#[kernel]
fn histogram_of_a_block(values: View<i32>, out: ViewMut<u32>) {
    let mut bins = shared_array::<u32>(16);
    let t = thread_idx().x;
    if t < 16 {
        bins[t] = 0;
    }
    sync_threads();
    for i in grid_stride(values.len()) {
        bins.atomic_add(values[i] as usize, 1);
    }
    sync_threads();
    if t < 16 {
        out.atomic_add(t, bins[t]);
    }
}

fn run_histogram_of_a_block(mode: Mode) -> gpu::Result<()> {
    let numbers = scattered(2000, 16);
    let mut bins = gpu::zeros::<u32>(16);
    launch!(mode, histogram_of_a_block, 3, 64, (&device(numbers.clone()), &mut bins))?;
    assert_eq!(values(&bins), counted(&numbers, 16));
    Ok(())
}

#[kernel]
fn extremes(a: View<i32>, least: ViewMut<i32>, most: ViewMut<i32>) {
    let i = global_idx().x;
    if i < a.len() {
        least.atomic_min(0, a[i]);
        most.atomic_max(0, a[i]);
    }
}

fn run_extremes(mode: Mode) -> gpu::Result<()> {
    let numbers = scattered(300, 10000);
    let (mut least, mut most) = (device(vec![i32::MAX]), device(vec![i32::MIN]));
    launch!(mode, extremes, 3, 128, (&device(numbers.clone()), &mut least, &mut most))?;
    assert_eq!((least.item(), most.item()), (*numbers.iter().min().unwrap(), *numbers.iter().max().unwrap()));
    Ok(())
}

#[kernel]
fn place_of_the_largest(a: View<i32>, place: ViewMut<i32>) {
    let i = global_idx().x;
    if i >= a.len() {
        return;
    }
    let mut current = place.atomic_add(0, 0);
    while current < 0 || a[i] > a[current as usize] {
        let found = place.atomic_compare_exchange(0, current, i as i32);
        if found == current {
            break;
        }
        current = found;
    }
}

fn run_place_of_the_largest(mode: Mode) -> gpu::Result<()> {
    let mut numbers = scattered(100, 1000);
    numbers[57] = 5000;
    let mut place = device(vec![-1]);
    launch!(mode, place_of_the_largest, 4, 32, (&device(numbers), &mut place))?;
    assert_eq!(place.item(), 57);
    Ok(())
}

#[kernel]
fn sieve(composite: ViewMut<u32>, limit: u32) {
    let n = global_idx().x as u32 + 2;
    if n * n < limit {
        let mut multiple = n * n;
        while multiple < limit {
            composite.atomic_or((multiple / 32) as usize, 1 << (multiple % 32));
            multiple += n;
        }
    }
}

fn run_sieve(mode: Mode) -> gpu::Result<()> {
    let mut composite = gpu::zeros::<u32>(32);
    launch!(mode, sieve, 1, 32, (&mut composite, 1024))?;
    let zeros: u32 = values(&composite).iter().map(|word| word.count_zeros()).sum();
    // 0 and 1 are not marked.
    assert_eq!(zeros - 2, 172);
    Ok(())
}

#[kernel]
fn bits_taken_and_turned(words: ViewMut<u32>) {
    let t = thread_idx().x;
    words.atomic_and(0, !(1 << t));
    words.atomic_xor(1, 1 << t);
    words.atomic_sub(2, 2);
}

fn run_bits_taken_and_turned(mode: Mode) -> gpu::Result<()> {
    let mut words = device(vec![u32::MAX, 0x0f, 100]);
    launch!(mode, bits_taken_and_turned, 1, 8, (&mut words,))?;
    assert_eq!(values(&words), [0xffff_ff00, 0xf0, 84]);
    Ok(())
}

#[kernel]
fn selected(a: View<i32>, mut out: ViewMut<i32>, count: ViewMut<u32>) {
    let i = global_idx().x;
    if i < a.len() && a[i] % 3 == 0 {
        let place = count.atomic_add(0, 1);
        out[place as usize] = a[i];
    }
}

fn run_selected(mode: Mode) -> gpu::Result<()> {
    let numbers = scattered(200, 100);
    let (mut out, mut count) = (gpu::zeros::<i32>(200), gpu::zeros::<u32>(1));
    launch!(mode, selected, 4, 64, (&device(numbers.clone()), &mut out, &mut count))?;
    let mut expected: Vec<i32> = numbers.into_iter().filter(|number| number % 3 == 0).collect();
    let mut found = values(&out)[..count.item() as usize].to_vec();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    Ok(())
}

#[kernel]
fn counted_by_barriers(a: View<f32>, mut out: ViewMut<u32>) {
    let (i, t) = (global_idx().x, thread_idx().x);
    let above = sync_threads_count(a[i] > 20.0);
    let any = sync_threads_or(a[i] == 5.0);
    let all = sync_threads_and(a[i] < 60.0);
    if t == 0 {
        out[[block_idx().x, 0]] = above;
        out[[block_idx().x, 1]] = any as u32;
        out[[block_idx().x, 2]] = all as u32;
    }
}

fn run_counted_by_barriers(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<u32>((2, 3));
    launch!(mode, counted_by_barriers, 2, 32, (&ramp(64), &mut out))?;
    assert_eq!(values(&out), [11, 1, 1, 32, 0, 0]);
    Ok(())
}

#[kernel]
fn exchanged(slot: ViewMut<i32>, mut out: ViewMut<i32>) {
    let i = global_idx().x;
    out[i] = slot.atomic_exchange(0, i as i32);
}

fn run_exchanged(mode: Mode) -> gpu::Result<()> {
    let (mut slot, mut out) = (device(vec![-1]), gpu::zeros::<i32>(64));
    launch!(mode, exchanged, 2, 32, (&mut slot, &mut out))?;
    let mut seen = values(&out);
    seen.push(slot.item());
    seen.sort();
    assert_eq!(seen, (-1..64).collect::<Vec<_>>());
    Ok(())
}

pub const CORRECT: &[Correct] = &[
    Correct { kernel: "sum_by_shuffles", run: run_sum_by_shuffles },
    Correct { kernel: "sum_for_every_lane", run: run_sum_for_every_lane },
    Correct { kernel: "prefix_sums_of_a_warp", run: run_prefix_sums_of_a_warp },
    Correct { kernel: "value_of_lane_three", run: run_value_of_lane_three },
    Correct { kernel: "votes", run: run_votes },
    Correct { kernel: "shuffle_of_half_a_warp", run: run_shuffle_of_half_a_warp },
    Correct { kernel: "last_warp_with_its_barriers", run: run_last_warp_with_its_barriers },
    Correct { kernel: "sum_of_warps", run: run_sum_of_warps },
    Correct { kernel: "neighbours_through_a_warp", run: run_neighbours_through_a_warp },
    Correct { kernel: "histogram", run: run_histogram },
    Correct { kernel: "histogram_of_a_block", run: run_histogram_of_a_block },
    Correct { kernel: "extremes", run: run_extremes },
    Correct { kernel: "place_of_the_largest", run: run_place_of_the_largest },
    Correct { kernel: "sieve", run: run_sieve },
    Correct { kernel: "bits_taken_and_turned", run: run_bits_taken_and_turned },
    Correct { kernel: "selected", run: run_selected },
    Correct { kernel: "counted_by_barriers", run: run_counted_by_barriers },
    Correct { kernel: "exchanged", run: run_exchanged },
];
