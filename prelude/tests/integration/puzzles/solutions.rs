//! The kernels of the notebook with the solutions.

use warpcell::prelude::*;

#[kernel]
pub fn map(a: View<f32>, mut out: ViewMut<f32>) {
    let i = thread_idx().x;
    out[i] = 3.0 * a[i] + 1.0;
}

#[kernel]
pub fn zip(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let i = thread_idx().x;
    let (x, y) = (a[i], b[i]);
    out[i] = x.max(y);
}

#[kernel]
pub fn guard(a: View<f32>, mut out: ViewMut<f32>) {
    let i = thread_idx().x;
    if i < a.len() {
        out[i] = a[i] / 2.0;
    }
}

#[kernel]
pub fn map_2d(image: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (thread_idx().x, thread_idx().y);
    let (rows, columns) = (image.shape()[0], image.shape()[1]);
    if y < rows && x < columns {
        out[[y, x]] = image[[y, columns - 1 - x]];
    }
}

#[kernel]
pub fn broadcast(column: View<f32>, row: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (thread_idx().x, thread_idx().y);
    if y < out.shape()[0] && x < out.shape()[1] {
        out[[y, x]] = column[y] * row[x];
    }
}

#[kernel]
pub fn blocks(a: View<f32>, mut out: ViewMut<f32>) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i < a.len() {
        out[i] = a[i] * a[i];
    }
}

#[kernel]
pub fn blocks_2d(image: View<f32>, mut out: ViewMut<f32>) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = block_idx().y * block_dim().y + thread_idx().y;
    if y < image.shape()[0] && x < image.shape()[1] {
        out[[y, x]] = (image[[y, x]] + 5.0).min(9.0);
    }
}

#[kernel]
pub fn shared(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let t = thread_idx().x;
    let i = global_idx().x;
    tile[t] = a[i];
    sync_threads();
    let mut sum = 0.0;
    for k in 0..8 {
        sum += tile[k];
    }
    out[i] = sum;
}

#[kernel]
pub fn pooling(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let i = thread_idx().x;
    tile[i] = a[i];
    sync_threads();
    let mut sum = tile[i];
    if i >= 1 {
        sum += tile[i - 1];
    }
    if i >= 2 {
        sum += tile[i - 2];
    }
    out[i] = sum;
}

#[kernel]
pub fn dot(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let mut products = shared_array::<f32>(8);
    let i = thread_idx().x;
    products[i] = a[i] * b[i];
    sync_threads();
    if i == 0 {
        let mut sum = 0.0;
        for k in 0..8 {
            sum += products[k];
        }
        out[0] = sum;
    }
}

#[kernel]
pub fn convolution(a: View<f32>, weights: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let mut w = shared_array::<f32>(3);
    let t = thread_idx().x;
    let i = global_idx().x;
    tile[t] = if i < a.len() { a[i] } else { 0.0 };
    if t < 3 {
        w[t] = weights[t];
    }
    if t < 2 {
        tile[t + 6] = if i + 6 < a.len() { a[i + 6] } else { 0.0 };
    }
    sync_threads();
    if i < out.len() {
        out[i] = w[0] * tile[t] + w[1] * tile[t + 1] + w[2] * tile[t + 2];
    }
}

#[kernel]
pub fn prefix_sum(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(8);
    let i = thread_idx().x;
    sums[i] = a[i];
    sync_threads();
    let mut step = 1;
    while step < 8 {
        let left = if i >= step { sums[i - step] } else { 0.0 };
        sync_threads();
        sums[i] += left;
        sync_threads();
        step *= 2;
    }
    out[i] = sums[i];
}

#[kernel]
pub fn axis_sum(a: View<f32>, mut out: ViewMut<f32>) {
    let mut sums = shared_array::<f32>(8);
    let (x, y) = (thread_idx().x, block_idx().x);
    sums[x] = if x < a.shape()[1] { a[[y, x]] } else { 0.0 };
    sync_threads();
    let mut step = 4;
    while step > 0 {
        if x < step {
            sums[x] += sums[x + step];
        }
        sync_threads();
        step /= 2;
    }
    if x == 0 {
        out[y] = sums[0];
    }
}

#[kernel]
pub fn matmul(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let mut rows = shared_array::<f32>([4, 4]);
    let mut columns = shared_array::<f32>([4, 4]);
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (x, y) = (global_idx().x, global_idx().y);
    let inner = a.shape()[1];
    let mut sum = 0.0;
    for tile in 0..inner.div_ceil(4) {
        let (k, l) = (4 * tile + tx, 4 * tile + ty);
        rows[[ty, tx]] = if y < a.shape()[0] && k < inner { a[[y, k]] } else { 0.0 };
        columns[[ty, tx]] = if l < inner && x < b.shape()[1] { b[[l, x]] } else { 0.0 };
        sync_threads();
        for m in 0..4 {
            sum += rows[[ty, m]] * columns[[m, tx]];
        }
        sync_threads();
    }
    if y < out.shape()[0] && x < out.shape()[1] {
        out[[y, x]] = sum;
    }
}

#[kernel]
pub fn histogram(a: View<u32>, counts: ViewMut<u32>) {
    let i = global_idx().x;
    if i < a.len() {
        counts.atomic_add(a[i] as usize, 1);
    }
}
