//! The kernels whose results are compared.

use crate::prelude::*;

pub const TILE: usize = 16;

#[kernel]
pub fn places(mut out: ViewMut<i64>) {
    let (i, t, b, d, g) = (global_idx(), thread_idx(), block_idx(), block_dim(), grid_dim());
    if i.z < out.shape()[0] && i.y < out.shape()[1] && i.x < out.shape()[2] {
        let place = t.x + 7 * (t.y + 5 * (t.z + 11 * (b.x + 13 * (b.y + 17 * b.z))));
        out[[i.z, i.y, i.x]] = (place * 1000 + d.x + 2 * d.y + 3 * d.z + 4 * g.x + 5 * g.y + 6 * g.z) as i64;
    }
}

#[kernel]
pub fn scale(a: View<f32>, by: f32, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < out.len() {
        out[i] = by * a[i];
    }
}

#[kernel]
pub fn strided(a: View<f64>, mut out: ViewMut<f64>) {
    for i in grid_stride(a.len()) {
        out[i] = a[i] * 2.0 + 1.0;
    }
}

#[kernel]
pub fn transposed(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>([16, 17]);
    let (t, b) = (thread_idx(), block_idx());
    let (x, y) = (b.x * 16 + t.x, b.y * 16 + t.y);
    if y < a.shape()[0] && x < a.shape()[1] {
        tile[[t.y, t.x]] = a[[y, x]];
    }
    sync_threads();
    let (x, y) = (b.y * 16 + t.x, b.x * 16 + t.y);
    if y < out.shape()[0] && x < out.shape()[1] {
        out[[y, x]] = tile[[t.x, t.y]];
    }
}

#[kernel]
pub fn product(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let mut left = shared_array::<f32>([TILE, TILE]);
    let mut right = shared_array::<f32>([TILE, TILE]);
    let (t, i) = (thread_idx(), global_idx());
    let (rows, columns, inner) = (out.shape()[0], out.shape()[1], a.shape()[1]);
    let mut sum = 0.0;
    for tile in 0..inner.div_ceil(TILE) {
        let (x, y) = (tile * TILE + t.x, tile * TILE + t.y);
        left[[t.y, t.x]] = if i.y < rows && x < inner { a[[i.y, x]] } else { 0.0 };
        right[[t.y, t.x]] = if y < inner && i.x < columns { b[[y, i.x]] } else { 0.0 };
        sync_threads();
        for k in 0..TILE {
            sum += left[[t.y, k]] * right[[k, t.x]];
        }
        sync_threads();
    }
    if i.y < rows && i.x < columns {
        out[[i.y, i.x]] = sum;
    }
}

#[kernel]
pub fn reduced(a: View<i64>, out: ViewMut<i64>) {
    let mut partial = dynamic_shared_array::<i64>();
    let t = thread_idx().x;
    let mut own = 0;
    for i in grid_stride(a.len()) {
        own += a[i];
    }
    partial[t] = own;
    sync_threads();
    let mut half = block_dim().x / 2;
    while half > 0 {
        if t < half {
            partial[t] += partial[t + half];
        }
        sync_threads();
        half /= 2;
    }
    if t == 0 {
        out.atomic_add(0, partial[0]);
    }
}

#[kernel]
pub fn histogram(values: View<u8>, bins: ViewMut<u32>) {
    let mut own = shared_array::<u32>(256);
    let t = thread_idx().x;
    own[t] = 0;
    sync_threads();
    for i in grid_stride(values.len()) {
        own.atomic_add(values[i] as usize, 1);
    }
    sync_threads();
    bins.atomic_add(t, own[t]);
}

#[kernel]
pub fn narrow(a: View<i8>, b: View<u16>, by: i16, more: u16, mut out: ViewMut<i16>) {
    let mut tile = shared_array::<u16>(256);
    let (i, t) = (global_idx().x, thread_idx().x);
    if i < out.len() {
        tile[t] = b[i].wrapping_add(more);
        out[i] = by.wrapping_mul(a[i] as i16).wrapping_sub(tile[t] as i16);
    }
}

/// Floats of 16 bits as elements, as an argument, in shared memory and as a constant.
#[kernel]
pub fn halves(a: View<f16>, by: f16, mut out: ViewMut<f16>, mut sums: ViewMut<bf16>) {
    const LIMIT: f16 = f16::from_f32_const(2.5);
    let mut tile = shared_array::<f16>(256);
    let (i, t) = (global_idx().x, thread_idx().x);
    if i < a.len() {
        tile[t] = if a[i] > LIMIT { LIMIT } else { a[i] * by };
    }
    sync_threads();
    if i < a.len() {
        out[i] = tile[t] - f16::from_f32(a[i].to_f32().abs().sqrt());
    }
    if t == 0 {
        let mut sum = bf16::ZERO;
        for k in 0..256 {
            if i + k < a.len() {
                sum += bf16::from_f32(tile[k].to_f32());
            }
        }
        sums[block_idx().x] = sum;
    }
}

const TURN: Complex64 = Complex64::new(0.6, 0.8);

/// Complex numbers as elements, as an argument, in shared memory and as constants, in both precisions.
#[kernel]
pub fn complex_numbers(
    z: View<Complex<f64>>,
    by: Complex<f64>,
    mut out: ViewMut<Complex64>,
    mut small: ViewMut<Complex32>,
) {
    const SHIFT: Complex64 = Complex64::new(0.25, -1.5);
    let mut tile = shared_array::<Complex<f64>>(128);
    let (i, t) = (global_idx().x, thread_idx().x);
    tile[t] = if i < z.len() { z[i] * by - SHIFT } else { Complex::ZERO };
    sync_threads();
    if i < z.len() {
        let mut w = tile[127 - t] / (tile[t] + 2.0);
        w += 1.0;
        out[i] = w.conj() * w * TURN;
        out[i].im -= w.norm_sqr();
        let Complex { re, im } = 0.5 * tile[t].powi(3);
        small[i] = Complex::new(re as f32, -im as f32) / 3.0;
    }
}

#[device]
#[derive(Clone, Copy)]
pub struct Turn {
    pub mirrored: bool,
    pub factor: Complex<f32>,
}

#[device]
#[derive(Clone, Copy)]
pub struct Motion {
    pub small: i8,
    pub turns: [Turn; 2],
    pub range: (usize, f64),
    pub weights: [f64; 3],
}

/// A struct with another one, an array, a tuple and a complex number in it, as an argument; and a tuple struct.
#[kernel]
pub fn structs(motion: Motion, x: View<f64>, shift: Shift, mut out: ViewMut<f64>) {
    let i = global_idx().x;
    if i < out.len() {
        let turn = motion.turns[i % 2];
        let (least, scale) = motion.range;
        let sign = if turn.mirrored { -1.0 } else { 1.0 };
        let weight = motion.weights[i % 3] + (turn.factor.re * turn.factor.im) as f64;
        out[i] = sign * weight * x[i.max(least)] * scale + motion.small as f64 + shift.1 as f64 / shift.0;
    }
}

#[device]
#[derive(Clone, Copy)]
pub struct Shift(pub f64, pub u16);

#[device]
fn warp_sum(value: i32) -> i32 {
    let mut sum = value;
    let mut offset = 16;
    while offset > 0 {
        sum += shfl_down_sync(u32::MAX, sum, offset);
        offset /= 2;
    }
    sum
}

#[kernel]
pub fn warps(a: View<i32>, mut out: ViewMut<i32>) {
    let i = global_idx().x;
    let value = a[i];
    let sum = shfl_sync(u32::MAX, warp_sum(value), 0);
    let below = shfl_up_sync(u32::MAX, value, 1);
    let partner = shfl_xor_sync(u32::MAX, value, 3);
    out[[0, i]] = sum;
    out[[1, i]] = below;
    out[[2, i]] = partner + lane_id() as i32 + warp_size() as i32;
}

#[kernel]
pub fn shuffled(mut f: ViewMut<f64>, mut u: ViewMut<u64>, mut s: ViewMut<f32>) {
    let t = thread_idx().x;
    f[t] = shfl_xor_sync(u32::MAX, f[t], 5);
    u[t] = shfl_down_sync(u32::MAX, u[t], 3);
    s[t] = shfl_sync(u32::MAX, s[t], 9);
}

#[device]
fn bit(flag: bool, place: u32) -> u32 {
    if flag { 1u32 << place } else { 0 }
}

#[kernel]
pub fn votes(a: View<i32>, mut out: ViewMut<u32>) {
    let i = global_idx().x;
    let odd = a[i] % 2 != 0;
    let ballot = ballot_sync(u32::MAX, odd);
    let (all, any) = (all_sync(u32::MAX, odd), any_sync(u32::MAX, odd));
    let count = sync_threads_count(odd);
    let (both, either) = (sync_threads_and(odd), sync_threads_or(odd));
    sync_warp();
    out[[0, i]] = ballot;
    out[[1, i]] = count;
    out[[2, i]] = bit(all, 0) | bit(any, 1) | bit(both, 2) | bit(either, 3);
}

#[kernel]
pub fn atomics(a: View<i32>, out: ViewMut<i32>, mut f: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.len() {
        out.atomic_add(0, a[i]);
        out.atomic_sub(1, a[i]);
        out.atomic_max(2, a[i]);
        out.atomic_min(3, a[i]);
        out.atomic_and(4, a[i] | 0x0f);
        out.atomic_or(5, a[i] & 0xff);
        out.atomic_xor(6, a[i]);
        f.atomic_max(0, a[i] as f32);
        f.atomic_min(1, a[i] as f32);
        // One thread alone finds what was there.
        if out.atomic_compare_exchange(7, 0, 1) == 0 {
            out.atomic_add(8, 1);
        }
        if i == 0 {
            f[2] = f.atomic_exchange(3, 5.0);
        }
    }
}

#[kernel]
pub fn wide_atomics(a: View<i64>, u: ViewMut<u64>, s: ViewMut<i64>, d: ViewMut<f64>) {
    let i = global_idx().x;
    if i < a.len() {
        u.atomic_add(0, a[i] as u64);
        u.atomic_max(1, a[i] as u64);
        s.atomic_min(0, a[i]);
        s.atomic_sub(1, a[i]);
        d.atomic_add(0, a[i] as f64);
        d.atomic_min(1, a[i] as f64);
    }
}

#[device]
fn row_most(a: View<f32>, row: usize) -> f32 {
    let mut most = a[[row, 0]];
    for column in 1..a.shape()[1] {
        most = most.max(a[[row, column]]);
    }
    most
}

#[device]
fn put(out: &mut ViewMut<f32>, i: usize, value: f32) {
    out[i] = value;
}

#[kernel]
pub fn rows(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    if i < a.shape()[0] {
        put(&mut out, i, row_most(a, i));
    }
}

#[kernel]
#[allow(clippy::too_many_arguments)]
pub fn scalars(
    flag: bool,
    small: u8,
    n: i32,
    u: u32,
    l: i64,
    k: u64,
    s: usize,
    d: isize,
    x: f32,
    y: f64,
    mut out: ViewMut<f64>,
) {
    let i = thread_idx().x;
    let whole = small as i64 + n as i64 + u as i64 + l + k as i64 + s as i64 + d as i64;
    out[i] = if flag { whole as f64 + x as f64 * y } else { -1.0 };
}

#[kernel]
pub fn four_axes(a: View<i32>, mut out: ViewMut<i32>) {
    let i = global_idx();
    for w in 0..a.shape()[0] {
        if i.z < a.shape()[1] && i.y < a.shape()[2] && i.x < a.shape()[3] {
            out[[w, i.z, i.y, i.x]] = a[[w, i.z, i.y, i.x]] * 3;
        }
    }
}

#[kernel]
pub fn bools(a: View<bool>, mut out: ViewMut<bool>) {
    let i = global_idx().x;
    if i < a.len() {
        out[i] = !a[i];
    }
}

#[kernel]
pub fn bytes(a: View<u8>, mut out: ViewMut<u8>) {
    let i = global_idx().x;
    if i < a.len() {
        out[i] = a[i].wrapping_mul(3);
    }
}

#[kernel]
pub fn scanned(mut a: ViewMut<i32>) {
    let mut room = shared_array::<i32>(256);
    let t = thread_idx().x;
    room[t] = a[t];
    sync_threads();
    let mut step = 1;
    while step < 256 {
        let before = if t >= step { room[t - step] } else { 0 };
        sync_threads();
        room[t] += before;
        sync_threads();
        step *= 2;
    }
    a[t] = room[t];
}

#[kernel]
pub fn blurred(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx();
    let (rows, columns) = (a.shape()[0], a.shape()[1]);
    if i.y >= rows || i.x >= columns {
        return;
    }
    let mut sum = 0.0;
    let mut count = 0;
    for y in i.y.saturating_sub(1)..(i.y + 2).min(rows) {
        for x in i.x.saturating_sub(1)..(i.x + 2).min(columns) {
            sum += a[[y, x]];
            count += 1;
        }
    }
    out[[i.y, i.x]] = sum / count as f32;
}

#[kernel]
pub fn primes(number: i32, mut result: ViewMut<i32>) {
    result[0] = 0;
    for j in 2..number / 2 + 1 {
        if number % j == 0 {
            return;
        }
    }
    result[0] = number;
}
