//! Correct kernels whose threads do not meet: each has elements of its own.

use super::{Correct, Mode};
use crate::kernels::arrays::{device, ramp, scattered, values, zeros};
use warpcell as gpu;
use warpcell::prelude::*;

#[kernel]
fn one_thread_each(a: View<f32>, mut out: ViewMut<f32>) {
    let i = thread_idx().x;
    out[i] = a[i] * a[i];
}

fn run_one_thread_each(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(16);
    launch!(mode, one_thread_each, 1, 16, (&ramp(16), &mut out))?;
    assert_eq!(values(&out), (0..16).map(|i| (i * i) as f32).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn guarded(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>, factor: f32) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i < out.len() {
        out[i] = factor * a[i] + b[i];
    }
}

fn run_guarded(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(1000);
    launch!(mode, guarded, 8, 128, (&ramp(1000), &ramp(1000), &mut out, 2.0))?;
    assert_eq!(values(&out), (0..1000).map(|i| 3.0 * i as f32).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn early_return(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i >= a.len() {
        return;
    }
    out[i] = -a[i];
}

fn run_early_return(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(33);
    launch!(mode, early_return, 2, 32, (&ramp(33), &mut out))?;
    assert_eq!(values(&out), (0..33).map(|i| -(i as f32)).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn strides(a: View<f32>, mut out: ViewMut<f32>) {
    for i in grid_stride(a.len()) {
        out[i] = a[i] + 1.0;
    }
}

fn run_strides(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(777);
    launch!(mode, strides, 3, 32, (&ramp(777), &mut out))?;
    assert_eq!(values(&out), (1..778).map(|i| i as f32).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn in_place(mut a: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.len() {
        let x = a[i];
        a[i] = x + 1.0;
        a[i] *= 2.0;
    }
}

fn run_in_place(mode: Mode) -> gpu::Result<()> {
    let mut a = ramp(50);
    launch!(mode, in_place, 2, 32, (&mut a,))?;
    assert_eq!(values(&a), (0..50).map(|i| 2.0 * (i as f32 + 1.0)).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn two_axes(image: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (global_idx().x, global_idx().y);
    if y < image.shape()[0] && x < image.shape()[1] {
        out[[y, x]] = image[[y, x]] + 100.0 * y as f32;
    }
}

fn run_two_axes(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<f32>((9, 20));
    launch!(mode, two_axes, (2, 2), (16, 8), (&ramp(180).reshape((9, 20)), &mut out))?;
    assert_eq!(values(&out), (0..180).map(|i| (i + 100 * (i / 20)) as f32).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn three_axes(mut out: ViewMut<i32>) {
    let i = global_idx();
    let shape = out.shape();
    if i.z < shape[0] && i.y < shape[1] && i.x < shape[2] {
        out[[i.z, i.y, i.x]] = (100 * i.z + 10 * i.y + i.x) as i32;
    }
}

fn run_three_axes(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<i32>((3, 4, 5));
    launch!(mode, three_axes, (2, 1, 3), (4, 4, 1), (&mut out,))?;
    let expected: Vec<i32> = (0..60).map(|i| 100 * (i / 20) + 10 * (i / 5 % 4) + i % 5).collect();
    assert_eq!(values(&out), expected);
    Ok(())
}

#[kernel]
fn outer_sum(rows: View<f32>, columns: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (thread_idx().x, thread_idx().y);
    out[[y, x]] = rows[y] + columns[x];
}

fn run_outer_sum(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<f32>((3, 4));
    launch!(mode, outer_sum, 1, (4, 3), (&ramp(3), &ramp(4), &mut out))?;
    assert_eq!(values(&out), (0..12).map(|i| (i / 4 + i % 4) as f32).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn all_read_one(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    out[i] = a[0] + a[i % 3];
}

fn run_all_read_one(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(64);
    launch!(mode, all_read_one, 2, 32, (&ramp(3), &mut out))?;
    assert_eq!(values(&out), (0..64).map(|i| (i % 3) as f32).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn gathered(a: View<f32>, index: View<i32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < index.len() {
        out[i] = a[index[i] as usize];
    }
}

fn run_gathered(mode: Mode) -> gpu::Result<()> {
    let index = scattered(100, 10);
    let mut out = zeros(100);
    launch!(mode, gathered, 4, 32, (&ramp(10), &device(index.clone()), &mut out))?;
    assert_eq!(values(&out), index.iter().map(|&i| i as f32).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn scattered_to_places_of_their_own(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.len() {
        out[7 * i % a.len()] = a[i];
    }
}

fn run_scattered(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(100);
    launch!(mode, scattered_to_places_of_their_own, 4, 32, (&ramp(100), &mut out))?;
    let mut expected = vec![0.0; 100];
    (0..100).for_each(|i| expected[7 * i % 100] = i as f32);
    assert_eq!(values(&out), expected);
    Ok(())
}

#[kernel]
fn differences(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i + 1 < a.len() {
        out[i] = a[i + 1] - a[i];
    }
}

fn run_differences(mode: Mode) -> gpu::Result<()> {
    let mut out = zeros(9);
    launch!(mode, differences, 2, 8, (&ramp(10), &mut out))?;
    assert_eq!(values(&out), vec![1.0; 9]);
    Ok(())
}

#[kernel]
fn every_second_element(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.len() {
        out[i] = a[i];
    }
}

fn run_every_second_element(mode: Mode) -> gpu::Result<()> {
    let whole = zeros(20);
    let mut out = whole.slice(s![1..;2]);
    launch!(mode, every_second_element, 1, 32, (&ramp(20).slice(s![..;2]), &mut out))?;
    assert_eq!(values(&out), (0..10).map(|i| 2.0 * i as f32).collect::<Vec<_>>());
    assert_eq!(values(&whole)[..4], [0.0, 0.0, 0.0, 2.0]);
    Ok(())
}

#[kernel]
fn transposed_view(a: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (thread_idx().x, thread_idx().y);
    out[[y, x]] = a[[y, x]];
}

fn run_transposed_view(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<f32>((4, 3));
    launch!(mode, transposed_view, 1, (3, 4), (&ramp(12).reshape((3, 4)).t(), &mut out))?;
    assert_eq!(values(&out), (0..12).map(|i| (i % 3 * 4 + i / 3) as f32).collect::<Vec<_>>());
    Ok(())
}

#[kernel]
fn primes(mut out: ViewMut<bool>) {
    let n = global_idx().x;
    if n < out.len() {
        let mut prime = n >= 2;
        let mut divisor = 2;
        while prime && divisor * divisor <= n {
            prime = n % divisor != 0;
            divisor += 1;
        }
        out[n] = prime;
    }
}

fn run_primes(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<bool>(1000);
    launch!(mode, primes, 8, 128, (&mut out,))?;
    assert_eq!(values(&out).iter().filter(|&&prime| prime).count(), 168);
    Ok(())
}

#[kernel]
fn steps_to_one(mut out: ViewMut<u64>) {
    let i = global_idx().x;
    if i < out.len() {
        let mut n = i as u64 + 1;
        let mut steps = 0u64;
        while n != 1 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        out[i] = steps;
    }
}

fn run_steps_to_one(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<u64>(27);
    launch!(mode, steps_to_one, 1, 32, (&mut out,))?;
    assert_eq!((values(&out)[0], values(&out)[6], values(&out)[26]), (0, 16, 111));
    Ok(())
}

#[device]
fn escapes_after(re: f64, im: f64, most: u8) -> u8 {
    let (mut x, mut y) = (0.0, 0.0);
    for step in 0..most {
        if x * x + y * y > 4.0 {
            return step;
        }
        (x, y) = (x * x - y * y + re, 2.0 * x * y + im);
    }
    most
}

#[kernel]
fn mandelbrot(mut out: ViewMut<u8>) {
    let (x, y) = (global_idx().x, global_idx().y);
    if y < out.shape()[0] && x < out.shape()[1] {
        out[[y, x]] = escapes_after(-2.0 + 0.25 * x as f64, -1.0 + 0.25 * y as f64, 50);
    }
}

fn run_mandelbrot(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<u8>((9, 11));
    launch!(mode, mandelbrot, (2, 2), (8, 8), (&mut out,))?;
    let found = values(&out);
    // The middle row is real: all from -2 to 1/4 stay.
    assert_eq!(found[44..55], [50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 5]);
    assert_eq!(found[0], 1);
    Ok(())
}

#[kernel]
fn next_generation(cells: View<u8>, mut out: ViewMut<u8>) {
    let (x, y) = (global_idx().x, global_idx().y);
    let (rows, columns) = (cells.shape()[0], cells.shape()[1]);
    if y < rows && x < columns {
        let mut neighbours = 0;
        for dy in 0..3 {
            for dx in 0..3 {
                if dy != 1 || dx != 1 {
                    neighbours += cells[[(y + rows + dy - 1) % rows, (x + columns + dx - 1) % columns]];
                }
            }
        }
        let lives = neighbours == 3 || (neighbours == 2 && cells[[y, x]] == 1);
        out[[y, x]] = if lives { 1 } else { 0 };
    }
}

fn run_next_generation(mode: Mode) -> gpu::Result<()> {
    let blinker =
        device(vec![0u8, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]).reshape((5, 5));
    let mut out = gpu::zeros::<u8>((5, 5));
    launch!(mode, next_generation, 1, (8, 8), (&blinker, &mut out))?;
    assert!(out.eq(&blinker.t()).all());
    Ok(())
}

#[kernel]
fn averaged(volume: View<f64>, mut out: ViewMut<f64>) {
    let i = global_idx();
    let shape = volume.shape();
    let inside = i.x > 0 && i.y > 0 && i.z > 0;
    if inside && i.x + 1 < shape[2] && i.y + 1 < shape[1] && i.z + 1 < shape[0] {
        let x = volume[[i.z, i.y, i.x - 1]] + volume[[i.z, i.y, i.x + 1]];
        let y = volume[[i.z, i.y - 1, i.x]] + volume[[i.z, i.y + 1, i.x]];
        let z = volume[[i.z - 1, i.y, i.x]] + volume[[i.z + 1, i.y, i.x]];
        out[[i.z, i.y, i.x]] = (x + y + z) / 6.0;
    }
}

fn run_averaged(mode: Mode) -> gpu::Result<()> {
    let volume = device((0..64).map(f64::from).collect()).reshape((4, 4, 4));
    let mut out = gpu::zeros::<f64>((4, 4, 4));
    launch!(mode, averaged, 1, (4, 4, 4), (&volume, &mut out))?;
    let found = values(&out);
    assert_eq!((found[21], found[42], found[0]), (21.0, 42.0, 0.0));
    Ok(())
}

#[kernel]
fn rank_sort(a: View<i32>, mut out: ViewMut<i32>) {
    let i = global_idx().x;
    if i < a.len() {
        let mut rank = 0;
        for j in 0..a.len() {
            if a[j] < a[i] || (a[j] == a[i] && j < i) {
                rank += 1;
            }
        }
        out[rank] = a[i];
    }
}

fn run_rank_sort(mode: Mode) -> gpu::Result<()> {
    let mut expected = scattered(200, 50);
    let mut out = gpu::zeros::<i32>(200);
    launch!(mode, rank_sort, 4, 64, (&device(expected.clone()), &mut out))?;
    expected.sort();
    assert_eq!(values(&out), expected);
    Ok(())
}

#[kernel]
fn scalars_of_each_type(mut out: ViewMut<i64>, a: bool, b: u8, c: u32, d: i64, e: usize, f: f64) {
    if a && global_idx().x == 0 {
        out[0] = b as i64 + c as i64 + d + e as i64 + f as i64;
    }
}

fn run_scalars_of_each_type(mode: Mode) -> gpu::Result<()> {
    let mut out = gpu::zeros::<i64>(1);
    launch!(mode, scalars_of_each_type, 1, 32, (&mut out, true, 1, 20, -300, 4000, 50000.5))?;
    assert_eq!(out.item(), 53721);
    Ok(())
}

pub const CORRECT: &[Correct] = &[
    Correct { kernel: "one_thread_each", run: run_one_thread_each },
    Correct { kernel: "guarded", run: run_guarded },
    Correct { kernel: "early_return", run: run_early_return },
    Correct { kernel: "strides", run: run_strides },
    Correct { kernel: "in_place", run: run_in_place },
    Correct { kernel: "two_axes", run: run_two_axes },
    Correct { kernel: "three_axes", run: run_three_axes },
    Correct { kernel: "outer_sum", run: run_outer_sum },
    Correct { kernel: "all_read_one", run: run_all_read_one },
    Correct { kernel: "gathered", run: run_gathered },
    Correct { kernel: "scattered_to_places_of_their_own", run: run_scattered },
    Correct { kernel: "differences", run: run_differences },
    Correct { kernel: "every_second_element", run: run_every_second_element },
    Correct { kernel: "transposed_view", run: run_transposed_view },
    Correct { kernel: "primes", run: run_primes },
    Correct { kernel: "steps_to_one", run: run_steps_to_one },
    Correct { kernel: "mandelbrot", run: run_mandelbrot },
    Correct { kernel: "next_generation", run: run_next_generation },
    Correct { kernel: "averaged", run: run_averaged },
    Correct { kernel: "rank_sort", run: run_rank_sort },
    Correct { kernel: "scalars_of_each_type", run: run_scalars_of_each_type },
];
