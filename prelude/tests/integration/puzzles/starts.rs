//! The kernels that the notebook of puzzles begins with: each compiles, and none solves its puzzle.

use warpcell::prelude::*;

#[kernel]
pub fn map(a: View<f32>, mut out: ViewMut<f32>) {
    let i = thread_idx().x;
    out[i] = a[i]; // ← complete this line
}

#[kernel]
pub fn zip(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let i = thread_idx().x;
    let (x, y) = (a[i], b[i]);
    out[i] = x - y; // ← the larger one of `x` and `y`
}

#[kernel]
pub fn guard(a: View<f32>, mut out: ViewMut<f32>) {
    let i = thread_idx().x;
    // ← not every thread has an element
    out[i] = a[i] / 2.0;
}

#[kernel]
pub fn map_2d(image: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (thread_idx().x, thread_idx().y);
    let (rows, columns) = (image.shape()[0], image.shape()[1]);
    // ← which index comes first, and who has a pixel at all?
    if x < rows && y < columns {
        out[[y, x]] = image[[y, x]]; // ← and which pixel comes here?
    }
}

#[kernel]
pub fn broadcast(column: View<f32>, row: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (thread_idx().x, thread_idx().y);
    if y < out.shape()[0] && x < out.shape()[1] {
        out[[y, x]] = column[x] * row[y]; // ← something is mixed up here
    }
}

#[kernel]
pub fn blocks(a: View<f32>, mut out: ViewMut<f32>) {
    let i = thread_idx().x; // ← which element is this thread's, in this block?
    if i < a.len() {
        out[i] = a[i] * a[i];
    }
}

#[kernel]
pub fn blocks_2d(image: View<f32>, mut out: ViewMut<f32>) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = thread_idx().y; // ← complete this line
    if y < image.shape()[0] && x < image.shape()[1] {
        out[[y, x]] = (image[[y, x]] + 5.0).min(9.0);
    }
}

#[kernel]
pub fn shared(a: View<f32>, mut out: ViewMut<f32>) {
    let first = block_idx().x * 8;
    let mut sum = 0.0;
    for k in 0..8 {
        sum += a[first + k]; // ← every thread reads all 8: let them share
    }
    out[first + thread_idx().x] = sum;
}

#[kernel]
pub fn pooling(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(8);
    let i = thread_idx().x;
    tile[i] = a[i];
    // ← are the others as far as this thread?
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
    let i = thread_idx().x;
    let product = a[i] * b[i];
    out[0] += product; // ← all threads at once?
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
    // ← the last threads need two elements more
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
        // ← who reads, and who writes, at the same time?
        if i >= step {
            let left = sums[i - step];
            sums[i] += left;
        }
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
            sync_threads(); // ← who comes to this barrier?
        }
        step /= 2;
    }
    if x == 0 {
        out[y] = sums[0];
    }
}

#[kernel]
pub fn matmul(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (global_idx().x, global_idx().y);
    if y < out.shape()[0] && x < out.shape()[1] {
        let mut sum = 0.0;
        for k in 0..a.shape()[1] {
            sum += a[[y, k]] * b[[k, x]]; // ← right, but how often is each element read?
        }
        out[[y, x]] = sum;
    }
}

#[kernel]
pub fn histogram(a: View<u32>, mut counts: ViewMut<u32>) {
    let i = global_idx().x;
    if i < a.len() {
        counts[a[i] as usize] += 1; // ← another thread may count here too
    }
}
