//! Kernels that use all that threads have. They are compiled by Rust for `warpcell-threads`, and by the translator; the
//! attributes, which the macros would read, are those that mean nothing to the compiler.

// Long because: one kernel for each thing that kernels can do, all read by the tests as one text.

#![allow(dead_code, unused, clippy::all)]

use warpcell_threads as gpu;
use warpcell_threads::*;

pub const TILE: usize = 8;

#[derive(Clone, Copy)]
#[cfg_attr(any(), device)]
pub struct Pair {
    low: f32,
    high: f32,
}

#[cfg_attr(any(), kernel)]
pub fn saxpy(a: f32, x: View<f32>, mut y: ViewMut<f32>) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[cfg_attr(any(), kernel)]
pub fn outer_product(x: View<f64>, y: View<f64>, mut out: ViewMut<f64>) {
    let at = (global_idx().y, global_idx().x);
    if at.0 >= out.shape()[0] || at.1 >= out.shape()[1] {
        return;
    }
    out[at] = x[at.0] * y[at.1];
}

#[cfg_attr(any(), kernel)]
pub fn three_axes(input: View<i64>, mut out: ViewMut<i64>) {
    let at = gpu::global_idx();
    let shape = out.shape();
    if at.x < shape[2] && at.y < shape[1] && at.z < shape[0] {
        out[[at.z, at.y, at.x]] = input[[at.z, at.y, at.x]] * 3 + (at.z * 100 + at.y * 10 + at.x) as i64;
    }
}

#[cfg_attr(any(), kernel)]
pub fn four_axes(input: View<u32>, mut out: ViewMut<u32>) {
    let x = thread_idx().x;
    for c in 0..input.shape()[3] {
        out[[x % 2, x / 2 % 3, x / 6, c]] = input[[x % 2, x / 2 % 3, x / 6, c]] ^ c as u32;
    }
}

#[cfg_attr(any(), kernel)]
pub fn transposed(input: View<f32>, mut out: ViewMut<f32>) {
    let Dim3 { x, y, .. } = global_idx();
    if y < input.shape()[0] && x < input.shape()[1] {
        out[(x, y)] = input[(y, x)];
    }
}

#[cfg_attr(any(), kernel)]
pub fn counted_strides(n: usize, mut out: ViewMut<u64>) {
    let mut passes = 0u64;
    for mut i in gpu::grid_stride(n) {
        i += 1;
        passes += i as u64;
    }
    out[global_idx().x] = passes;
}

#[cfg_attr(any(), kernel)]
pub fn block_sums(input: View<f32>, mut out: ViewMut<f32>) {
    let mut part = shared_array::<f32>(64);
    let lane = thread_idx().x;
    let i = block_idx().x * block_dim().x + lane;
    part[lane] = if i < input.len() { input[i] } else { 0.0 };
    sync_threads();
    let mut half = block_dim().x / 2;
    while half > 0 {
        if lane < half {
            let other = part[lane + half];
            part[lane] += other;
        }
        sync_threads();
        half /= 2;
    }
    if lane == 0 {
        out[block_idx().x] = part[0];
    }
}

#[cfg_attr(any(), kernel)]
pub fn reversed_blocks(input: View<i32>, mut out: ViewMut<i32>) {
    let mut part = dynamic_shared_array::<i32>();
    let (t, first) = (thread_idx().x, block_idx().x * block_dim().x);
    part[t] = input[first + t];
    sync_threads();
    out[first + t] = part[part.len() - 1 - t];
}

#[cfg_attr(any(), kernel)]
pub fn tiled_product(a: View<f32>, b: View<f32>, mut c: ViewMut<f32>) {
    let mut left = shared_array::<f32>((TILE, TILE));
    let mut right = shared_array::<f32>([TILE, TILE]);
    let (ty, tx) = (thread_idx().y, thread_idx().x);
    let row = block_idx().y * TILE + ty;
    let column = block_idx().x * TILE + tx;
    let inner = a.shape()[1];
    let mut sum = 0.0f32;
    for tile in 0..inner.div_ceil(TILE) {
        let (x, y) = (tile * TILE + tx, tile * TILE + ty);
        left[(ty, tx)] = if row < a.shape()[0] && x < inner { a[[row, x]] } else { 0.0 };
        right[[ty, tx]] = if y < inner && column < b.shape()[1] { b[[y, column]] } else { 0.0 };
        sync_threads();
        for k in 0..TILE {
            sum += left[[ty, k]] * right[[k, tx]];
        }
        sync_threads();
    }
    if row < c.shape()[0] && column < c.shape()[1] {
        c[[row, column]] = sum;
    }
}

#[cfg_attr(any(), kernel)]
pub fn plain_product(a: View<f64>, b: View<f64>, mut c: ViewMut<f64>, inner: usize) {
    let row = global_idx().y;
    let column = global_idx().x;
    if row < c.shape()[0] && column < c.shape()[1] {
        let mut sum = 0.0;
        for k in 0..inner {
            sum += a[[row, k]] * b[[k, column]];
        }
        c[[row, column]] = sum;
    }
}

#[cfg_attr(any(), kernel)]
pub fn histogram(input: View<u8>, mut counts: ViewMut<u32>) {
    let mut own = shared_array::<u32>(32);
    let t = thread_idx().x;
    for bin in (t..32).step_by(block_dim().x) {
        own[bin] = 0;
    }
    sync_threads();
    for i in grid_stride(input.len()) {
        own.atomic_add((input[i] / 8) as usize, 1);
    }
    sync_threads();
    for bin in (t..32).step_by(block_dim().x) {
        counts.atomic_add(bin, own[bin]);
    }
}

#[cfg_attr(any(), kernel)]
pub fn warp_sums(input: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    let mut sum = input[i];
    for step in [16, 8, 4, 2, 1] {
        sum += shfl_down_sync(u32::MAX, sum, step);
    }
    if lane_id() == 0 {
        out[i / warp_size()] = sum;
    }
}

#[cfg_attr(any(), kernel)]
pub fn butterflies(mut a: ViewMut<i32>, mut b: ViewMut<u32>, mut c: ViewMut<i64>, mut d: ViewMut<u64>) {
    let t = thread_idx().x;
    a[t] = shfl_xor_sync(u32::MAX, a[t], 1);
    b[t] = shfl_xor_sync(u32::MAX, b[t], 2u32);
    c[t] = shfl_xor_sync(u32::MAX, c[t], 4i32);
    d[t] = shfl_xor_sync(u32::MAX, d[t], 8usize);
}

#[cfg_attr(any(), kernel)]
pub fn warp_scan(input: View<f64>, mut out: ViewMut<f64>) {
    let t = thread_idx().x;
    let mut sum = input[t];
    let mut step = 1usize;
    while step < 32 {
        let before = shfl_up_sync(u32::MAX, sum, step);
        if lane_id() >= step {
            sum += before;
        }
        step *= 2;
    }
    out[t] = sum;
}

#[cfg_attr(any(), kernel)]
pub fn from_one_lane(input: View<f32>, mut out: ViewMut<f32>, lane: u32) {
    let t = thread_idx().x;
    let own = input[t];
    out[t] = shfl_sync(u32::MAX, own, lane) + shfl_sync(u32::MAX, 1.5, 3) * own;
}

#[cfg_attr(any(), kernel)]
pub fn votes(input: View<i32>, mut ballots: ViewMut<u32>, mut all: ViewMut<bool>, mut any: ViewMut<bool>) {
    let t = thread_idx().x;
    let x = input[t];
    ballots[t] = ballot_sync(u32::MAX, x % 3 == 0);
    all[t] = all_sync(u32::MAX, x >= 0);
    any[t] = !any_sync(u32::MAX, x == 17) && x > 2;
    if lane_id() < 8 {
        ballots[t] += ballot_sync(0xff, x > 4).count_ones() * 1000;
    }
}

#[cfg_attr(any(), kernel)]
pub fn votes_of_blocks(input: View<i32>, mut out: ViewMut<u32>) {
    let i = global_idx().x;
    let x = input[i];
    let mut value = sync_threads_count(x > 50);
    if sync_threads_and(x < 1000) {
        value += 1000;
    }
    if sync_threads_or(x == 3) {
        value += 10_000;
    }
    out[i] = value;
}

#[cfg_attr(any(), kernel)]
pub fn atomics_of_i32(input: View<i32>, mut out: ViewMut<i32>) {
    let x = input[global_idx().x];
    out.atomic_add(0, x);
    out.atomic_sub(1, x);
    out.atomic_max(2, x);
    out.atomic_min(3, x);
    out.atomic_and(4, x | 0xff00);
    out.atomic_or(5, x & 0xff);
    out.atomic_xor(6, x);
}

#[cfg_attr(any(), kernel)]
pub fn atomics_of_u64(input: View<u64>, mut out: ViewMut<u64>) {
    let mut best = shared_array::<u64>([2, 2]);
    if thread_idx().x == 0 {
        best[[1, 0]] = 5;
        best[[1, 1]] = u64::MAX;
    }
    sync_threads();
    let x = input[global_idx().x];
    best.atomic_max([1, 0], x);
    best.atomic_min([1, 1], x);
    out.atomic_add(0, x);
    out.atomic_xor(1, x << 40);
    sync_threads();
    if thread_idx().x == 0 {
        out.atomic_max(2, best[[1, 0]]);
        out.atomic_min(3, best[[1, 1]]);
    }
}

#[cfg_attr(any(), kernel)]
pub fn atomics_of_i64(input: View<i64>, mut out: ViewMut<i64>) {
    let x = input[global_idx().x];
    out.atomic_add(0, x);
    out.atomic_sub(1, x);
    out.atomic_max(2, x);
    out.atomic_min(3, x);
    out.atomic_and(4, x | 1);
    out.atomic_or(5, x);
}

#[cfg_attr(any(), kernel)]
pub fn atomics_of_floats(input: View<f32>, mut out: ViewMut<f32>, mut wide: ViewMut<f64>) {
    let x = input[global_idx().x];
    out.atomic_add(0, x.trunc());
    out.atomic_sub(1, x.trunc());
    out.atomic_max(2, x);
    out.atomic_min(3, x);
    wide.atomic_add([0, 1], x.trunc() as f64);
    wide.atomic_sub([1, 1], x.trunc() as f64);
    wide.atomic_max([0, 0], x as f64);
    wide.atomic_min([1, 0], x as f64);
}

#[cfg_attr(any(), kernel)]
pub fn exchanges(mut out: ViewMut<u32>, mut floats: ViewMut<f32>, mut seen: ViewMut<u32>) {
    let i = global_idx().x as u32;
    let old = out.atomic_exchange(0, i + 1);
    seen.atomic_add(old as usize, 1);
    let before = floats.atomic_exchange(0, i as f32);
    seen.atomic_add(200 + before as usize, 1);
    seen.atomic_add(100 + out.atomic_load(0) as usize, 1);
    seen.atomic_add(110 + floats.atomic_load(0) as usize, 1);
    out.atomic_compare_exchange(1, 7, 8);
    out.atomic_compare_exchange(2, 6, 8);
}

#[cfg_attr(any(), kernel)]
pub fn added_by_comparing(mut floats: ViewMut<f32>, mut wide: ViewMut<i64>) {
    let mut found = floats.atomic_add(0, 0.0);
    loop {
        let old = floats.atomic_compare_exchange(0, found, found + 2.0);
        if old.to_bits() == found.to_bits() {
            break;
        }
        found = old;
    }
    let mut seen = wide.atomic_or(0, 0);
    while wide.atomic_compare_exchange(0, seen, seen + 3) != seen {
        seen = wide.atomic_or(0, 0);
    }
}

#[cfg_attr(any(), device)]
fn weight(x: f32) -> f32 {
    x * 0.5
}

#[cfg_attr(any(), device)]
fn row_sum(matrix: View<f32>, row: usize) -> f32 {
    let mut sum = 0.0;
    for column in 0..matrix.shape()[1] {
        sum += matrix[[row, column]];
    }
    sum
}

#[cfg_attr(any(), kernel)]
pub fn row_sums(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let row = global_idx().x;
    if row < out.len() {
        out[row] = row_sum(a, row) + weight(row_sum(b, row));
    }
}

#[cfg_attr(any(), device)]
fn deposit(out: &mut ViewMut<i32>, at: usize, value: i32) -> bool {
    if at < out.len() {
        out[at] += value;
        return true;
    }
    false
}

#[cfg_attr(any(), device)]
fn amount(at: usize) -> i32 {
    [5, 6, 7][at]
}

#[cfg_attr(any(), kernel)]
pub fn deposits(mut out: ViewMut<i32>, mut done: ViewMut<bool>) {
    let i = global_idx().x;
    let first = deposit(&mut out, i, amount(i % 3));
    done[i] = first && deposit(&mut out, i + 40, 7);
}

#[cfg_attr(any(), device)]
fn sum_of_block(mut part: SharedArray<i32>, value: i32) -> i32 {
    let t = thread_idx().x;
    part[t] = value;
    sync_threads();
    let mut half = block_dim().x / 2;
    while half > 0 {
        if t < half {
            part[t] = part[t] + part[t + half];
        }
        sync_threads();
        half /= 2;
    }
    let sum = part[0];
    sync_threads();
    sum
}

#[cfg_attr(any(), kernel)]
pub fn sums_by_function(input: View<i32>, mut out: ViewMut<i32>) {
    let part = shared_array::<i32>(32);
    let rest = dynamic_shared_array::<i32>();
    let i = global_idx().x;
    let once = sum_of_block(part, input[i]);
    let twice = sum_of_block(rest, once + 1);
    out[i] = once * 2 + twice;
}

#[cfg_attr(any(), device)]
fn clamped(input: &View<f32>, y: i32, x: i32) -> f32 {
    let row = y.clamp(0, input.shape()[0] as i32 - 1) as usize;
    let column = x.clamp(0, input.shape()[1] as i32 - 1) as usize;
    input[[row, column]]
}

#[cfg_attr(any(), device)]
fn blurred(input: View<f32>, y: i32, x: i32) -> f32 {
    let mut sum = 0.0;
    for dy in -1..=1 {
        for dx in -1..=1 {
            sum += clamped(&input, y + dy, x + dx);
        }
    }
    sum / 9.0
}

#[cfg_attr(any(), kernel)]
pub fn blur(input: View<f32>, mut out: ViewMut<f32>) {
    let at = global_idx();
    if at.y < out.shape()[0] && at.x < out.shape()[1] {
        out[[at.y, at.x]] = blurred(input, at.y as i32, at.x as i32);
    }
}

#[cfg_attr(any(), kernel)]
pub fn long_range(n: usize, start: u64, mut out: ViewMut<u64>) {
    let mut sum = 0u64;
    for i in 0..n {
        if i % 3 == 1 {
            continue;
        }
        sum = sum.wrapping_mul(31).wrapping_add(i as u64);
    }
    'outer: for i in start..start + n as u64 {
        for j in 0..n {
            if i as usize + j > n {
                continue 'outer;
            }
            if sum % 1009 == 5 {
                break 'outer;
            }
            sum += 1;
        }
        if i > start + 70_000 {
            break;
        }
    }
    out[0] = sum;
}

#[cfg_attr(any(), kernel)]
pub fn check_prime(number: i32, mut result: gpu::ViewMut<i32>) {
    result[0] = 0;
    for j in 2..number / 2 + 1 {
        if number % j == 0 {
            return;
        }
    }
    result[0] = number;
}

#[cfg_attr(any(), kernel)]
pub fn pooling(input: View<f32>, mut out: ViewMut<f32>) {
    let mut part = shared_array::<f32>(32);
    let (t, i) = (thread_idx().x, global_idx().x);
    if i < input.len() {
        part[t] = input[i];
    }
    sync_threads();
    if i < out.len() {
        let mut sum = 0.0;
        for back in 0..3 {
            if back <= t {
                sum += part[t - back];
            } else if back <= i {
                sum += input[i - back];
            }
        }
        out[i] = sum;
    }
}

#[cfg_attr(any(), kernel)]
pub fn convolution(input: View<f32>, kernel: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(40);
    let (t, i) = (thread_idx().x, global_idx().x);
    tile[t] = if i < input.len() { input[i] } else { 0.0 };
    if t < 8 {
        let next = i + block_dim().x;
        tile[t + block_dim().x] = if next < input.len() { input[next] } else { 0.0 };
    }
    sync_threads();
    if i < out.len() {
        let mut sum = 0.0;
        for k in 0..kernel.len() {
            sum += tile[t + k] * kernel[k];
        }
        out[i] = sum;
    }
}

#[cfg_attr(any(), kernel)]
pub fn prefix_sums(input: View<i32>, mut out: ViewMut<i32>) {
    let mut rows = shared_array::<i32>([2, 64]);
    let t = thread_idx().x;
    let mut from = 0;
    rows[[from, t]] = input[t];
    sync_threads();
    let mut step = 1;
    while step < block_dim().x {
        let to = 1 - from;
        rows[[to, t]] = if t >= step { rows[[from, t]] + rows[[from, t - step]] } else { rows[[from, t]] };
        sync_threads();
        from = to;
        step *= 2;
    }
    out[t] = rows[[from, t]];
}

#[cfg_attr(any(), kernel)]
pub fn axis_sums(input: View<f64>, mut out: ViewMut<f64>) {
    let mut cache = shared_array::<f64>([32]);
    let t = thread_idx().x;
    let row = block_idx().y;
    cache[t] = if t < input.shape()[1] { input[[row, t]] } else { 0.0 };
    sync_threads();
    let mut p = 2;
    while p <= 32 {
        if t % p == 0 && t + p / 2 < 32 {
            cache[t] += cache[t + p / 2];
        }
        sync_threads();
        p *= 2;
    }
    if t == 0 {
        out[row] = cache[0];
    }
}

#[cfg_attr(any(), device)]
fn range_of(input: View<f32>) -> Pair {
    let mut pair = Pair { low: f32::INFINITY, high: f32::NEG_INFINITY };
    for i in 0..input.len() {
        pair.low = pair.low.min(input[i]);
        pair.high = pair.high.max(input[i]);
    }
    pair
}

#[cfg_attr(any(), kernel)]
pub fn normalised(input: View<f32>, mut out: ViewMut<f32>) {
    let Pair { low, high } = range_of(input);
    let i = global_idx().x;
    match (input[i] - low) / (high - low) {
        x if x > 0.75 => out[i] = 1.0,
        x if x < 0.25 => out[i] = x,
        x => {
            out[i] = -x;
        }
    }
}

#[cfg_attr(any(), kernel)]
pub fn index_of_array(input: View<i32>, mut out: ViewMut<i32>) {
    let at = [global_idx().y, global_idx().x];
    let mirrored = [at[1], at[0]];
    out[at] = input[mirrored] + input[[at[1], 0]];
    out[at] *= 2;
}

#[cfg_attr(any(), kernel)]
pub fn flags(input: View<bool>, bytes: View<u8>, mut out: ViewMut<bool>, mut counts: ViewMut<u8>) {
    let i = global_idx().x;
    out[i] = input[i] ^ (bytes[i] > 100);
    out[i] &= i % 5 != 0;
    counts[i] = bytes[i].wrapping_add(200) / 3;
    counts[i] = counts[i].wrapping_mul(3);
}

#[cfg_attr(any(), kernel)]
pub fn other_names(input: View<u64>, mut out: ViewMut<u64>) {
    let mut tile = shared_array::<u64>([4, 8]);
    let mut same = tile;
    let source = &input;
    let shape = source.shape();
    let t = thread_idx();
    same[[t.y, t.x]] = source[[t.y, t.x]];
    sync_threads();
    let mut sum = 0;
    for axis in 0..source.ndim() {
        sum += shape[axis] as u64 * 10;
    }
    if !source.is_empty() {
        sum += (source.len() + tile.len() + tile.shape()[1] + tile.shape().len()) as u64;
    }
    let (_, out) = (t, &mut out);
    out[[t.y, t.x]] = tile[[3 - t.y, 7 - t.x]] * 1000 + sum;
}

#[cfg_attr(any(), kernel)]
pub fn exchanged(mut out: ViewMut<f32>) {
    let i = thread_idx().x;
    let j = out.len() - 1 - i;
    (out[i], out[j]) = (out[j], out[i] * 2.0);
}

#[cfg_attr(any(), kernel)]
pub fn assignments(mut a: ViewMut<i32>, mut b: ViewMut<f32>, mut c: ViewMut<u8>) {
    let i = global_idx().x;
    a[i] -= 7;
    a[i] <<= 2;
    a[i] |= 1;
    a[i] /= 3;
    b[i] *= 1.5;
    b[i] %= 4.0;
    b[i] -= 0.25;
    c[i] >>= 1;
    c[i] ^= 0x55;
    b[i] += a[i] as f32 + c[i] as f32;
}

#[cfg_attr(any(), device)]
fn next(counter: &mut usize) -> usize {
    *counter += 1;
    *counter - 1
}

#[cfg_attr(any(), kernel)]
pub fn order(mut out: ViewMut<i32>) {
    let mut k = thread_idx().x * 4;
    out[next(&mut k)] = next(&mut k) as i32;
    out[next(&mut k)] = out[k] + out[next(&mut k)] * 100;
}

#[cfg_attr(any(), device)]
fn bump(x: &mut i32, by: i32) -> i32 {
    *x += by;
    *x
}

#[cfg_attr(any(), kernel)]
pub fn references(mut out: ViewMut<i32>, mut sums: ViewMut<i32>) {
    let mut own = shared_array::<i32>(16);
    let t = thread_idx().x;
    own[t] = 3;
    let a = bump(&mut own[t], 4);
    let b = bump(&mut out[t], a);
    sums[t] = own[t] * 100 + b;
}

#[cfg_attr(any(), kernel)]
pub fn fences(input: View<f32>, mut out: ViewMut<f32>) {
    let mut part = shared_array::<f32>(32);
    let t = thread_idx().x;
    part[t] = input[t] + 1.0;
    sync_warp();
    let neighbour = part[(t + 1) % 32];
    thread_fence();
    out[t] = neighbour;
}

#[cfg_attr(any(), kernel)]
pub fn scalars(a: i64, b: usize, c: isize, d: u8, e: bool, f: f64, mut out: ViewMut<f64>) {
    out[0] = a as f64;
    out[1] = b as f64;
    out[2] = c as f64;
    out[3] = if e { d as f64 } else { 0.0 };
    out[4] = f;
    out[(c + 7) as usize] = (a + 1) as f64;
}

#[cfg_attr(any(), kernel)]
pub fn local_arrays(input: View<f32>, mut out: ViewMut<f32>) {
    const N: usize = 3;
    let mut window = [0.0f32; N];
    let i = global_idx().x;
    for k in 0..N {
        window[k] = input[(i + k) % input.len()];
    }
    let mut swapped = true;
    while swapped {
        swapped = false;
        for k in 0..N - 1 {
            if window[k] > window[k + 1] {
                (window[k], window[k + 1]) = (window[k + 1], window[k]);
                swapped = true;
            }
        }
    }
    out[i] = window[N / 2];
}

#[cfg_attr(any(), kernel)]
pub fn grids(mut out: ViewMut<u64>) {
    let (b, g, d, t) = (block_idx(), grid_dim(), block_dim(), gpu::thread_idx());
    let block = (b.z * g.y + b.y) * g.x + b.x;
    let thread = (t.z * d.y + t.y) * d.x + t.x;
    let i = block * d.x * d.y * d.z + thread;
    out[i] = (global_idx().z * 10_000 + global_idx().y * 100 + global_idx().x) as u64;
}

#[cfg_attr(any(), kernel)]
pub fn found(input: View<i32>, mut out: ViewMut<i32>, wanted: i32) {
    let i = global_idx().x;
    let place = loop {
        let mut k = 0;
        let found = 'search: {
            while k < input.len() {
                if input[k] == wanted + i as i32 {
                    break 'search true;
                }
                k += 1;
            }
            false
        };
        break if found { k as i32 } else { -1 };
    };
    out[i] = place;
}

#[cfg_attr(any(), kernel)]
pub fn unused(input: View<f32>, n: i32, at: usize, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<bool>(8);
    let mut rest = dynamic_shared_array::<f64>();
    out[at] = 1.0;
}
