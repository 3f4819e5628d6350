//! Correct kernels of the usual kinds: right results, and nothing for the checker to say.

use super::{Array, both};
use warpcell_threads::{
    FailureKind, Launch, Mode, SharedArray, View, ViewMut, block_dim, block_idx, dynamic_shared_array, global_idx,
    grid_dim, grid_stride, lane_id, run, shared_array, shfl_down_sync, shfl_up_sync, sync_threads, sync_warp,
    thread_fence, thread_idx,
};

/// Whole numbers that floats hold exactly.
fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 7 % 11) as f32 - 3.0).collect()
}

#[test]
fn a_tiled_product() {
    const TILE: usize = 8;
    const SIDES: [usize; 3] = [20, 30, 25];
    fn product(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
        let mut of_a = shared_array::<f32>([TILE, TILE]);
        let mut of_b = shared_array::<f32>([TILE, TILE]);
        let (x, y) = (thread_idx().x, thread_idx().y);
        let (column, row) = (global_idx().x, global_idx().y);
        let inner = a.shape()[1];
        let mut sum = 0.0;
        for tile in 0..inner.div_ceil(TILE) {
            let (k, l) = (tile * TILE + x, tile * TILE + y);
            of_a[[y, x]] = if row < a.shape()[0] && k < inner { a[[row, k]] } else { 0.0 };
            of_b[[y, x]] = if l < inner && column < b.shape()[1] { b[[l, column]] } else { 0.0 };
            sync_threads();
            for k in 0..TILE {
                sum += of_a[[y, k]] * of_b[[k, x]];
            }
            sync_threads();
        }
        if row < out.shape()[0] && column < out.shape()[1] {
            out[[row, column]] = sum;
        }
    }
    let [n, k, m] = SIDES;
    let a = Array::new(numbers(n * k)).shaped(&[n, k]);
    let b = Array::new(numbers(k * m)).shaped(&[k, m]);
    let mut c = Array::of(0.0, &[n, m]);
    let (left, right, out) = (a.view("a"), b.view("b"), c.view_mut("out"));
    both([4, 3, 1], [TILE, TILE, 1], &|| product(left, right, out), || (), || ());
    for row in 0..n {
        for column in 0..m {
            let expected: f32 = (0..k).map(|l| a.elements[row * k + l] * b.elements[l * m + column]).sum();
            assert_eq!(c.elements[row * m + column], expected);
        }
    }
}

#[test]
fn a_block_reduction_in_shared_memory() {
    fn reduce(input: View<f32>, out: ViewMut<f32>) {
        let mut partial = shared_array::<f32>(128);
        let t = thread_idx().x;
        let mut sum = 0.0;
        for i in grid_stride(input.len()) {
            sum += input[i];
        }
        partial[t] = sum;
        let mut half = block_dim().x / 2;
        while half > 0 {
            sync_threads();
            if t < half {
                partial[t] += partial[t + half];
            }
            half /= 2;
        }
        if t == 0 {
            out.atomic_add(0, partial[0]);
        }
    }
    let a = Array::new(numbers(5000));
    let mut total = Array::of(0.0, &[1]);
    let (input, out) = (a.view("input"), total.view_mut("out"));
    both([6, 1, 1], [128, 1, 1], &|| reduce(input, out), || (), || ());
    assert_eq!(total.elements[0], 2.0 * a.elements.iter().sum::<f32>());
}

#[test]
fn a_block_reduction_by_warps() {
    fn of_warp(mut sum: f32) -> f32 {
        let mut offset = 16;
        while offset > 0 {
            sum += shfl_down_sync(u32::MAX, sum, offset);
            offset /= 2;
        }
        sum
    }
    fn reduce(input: View<f32>, mut out: ViewMut<f32>) {
        let mut partial = shared_array::<f32>(32);
        let (t, lane) = (thread_idx().x, lane_id());
        let i = global_idx().x;
        let sum = of_warp(if i < input.len() { input[i] } else { 0.0 });
        if lane == 0 {
            partial[t / 32] = sum;
        }
        sync_threads();
        if t < 32 {
            let sum = of_warp(if t < block_dim().x / 32 { partial[t] } else { 0.0 });
            if t == 0 {
                out[block_idx().x] = sum;
            }
        }
    }
    let a = Array::new(numbers(1000));
    let mut sums = Array::of(0.0, &[4]);
    let (input, out) = (a.view("input"), sums.view_mut("out"));
    both([4, 1, 1], [256, 1, 1], &|| reduce(input, out), || (), || ());
    for (sum, part) in sums.elements.iter().zip(a.elements.chunks(256)) {
        assert_eq!(*sum, part.iter().sum::<f32>());
    }
}

#[test]
fn a_warp_reduction_in_shared_memory() {
    fn reduce(input: View<i32>, mut out: ViewMut<i32>) {
        let mut values = shared_array::<i32>(64);
        let (t, lane) = (thread_idx().x, lane_id());
        values[t] = input[global_idx().x];
        sync_warp();
        let mut half = 16;
        while half > 0 {
            let sum = if lane < half { values[t] + values[t + half] } else { 0 };
            sync_warp();
            if lane < half {
                values[t] = sum;
            }
            sync_warp();
            half /= 2;
        }
        if lane == 0 {
            out[global_idx().x / 32] = values[t];
        }
    }
    let a = Array::new((0..256).collect::<Vec<i32>>());
    let mut sums = Array::of(0, &[8]);
    let (input, out) = (a.view("input"), sums.view_mut("out"));
    both([4, 1, 1], [64, 1, 1], &|| reduce(input, out), || (), || ());
    for (sum, part) in sums.elements.iter().zip(a.elements.chunks(32)) {
        assert_eq!(*sum, part.iter().sum::<i32>());
    }
}

#[test]
fn prefix_sums() {
    // Hillis and Steele's in two buffers, and Blelloch's up and down a tree.
    fn by_steps(input: View<i32>, mut out: ViewMut<i32>) {
        let mut sums = shared_array::<i32>([2, 64]);
        let (t, i) = (thread_idx().x, global_idx().x);
        sums[[0, t]] = input[i];
        sync_threads();
        let (mut from, mut offset) = (0, 1);
        while offset < 64 {
            sums[[1 - from, t]] = sums[[from, t]] + if t >= offset { sums[[from, t - offset]] } else { 0 };
            sync_threads();
            from = 1 - from;
            offset *= 2;
        }
        out[i] = sums[[from, t]];
    }
    fn by_a_tree(input: View<i32>, mut out: ViewMut<i32>) {
        let mut sums = dynamic_shared_array::<i32>();
        let (t, n) = (thread_idx().x, sums.len());
        let first = block_idx().x * n;
        sums[2 * t] = input[first + 2 * t];
        sums[2 * t + 1] = input[first + 2 * t + 1];
        let (mut offset, mut active) = (1, n / 2);
        while active > 0 {
            sync_threads();
            if t < active {
                let (a, b) = (offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1);
                sums[b] += sums[a];
            }
            offset *= 2;
            active /= 2;
        }
        if t == 0 {
            sums[n - 1] = 0;
        }
        active = 1;
        while active < n {
            offset /= 2;
            sync_threads();
            if t < active {
                let (a, b) = (offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1);
                let left = sums[a];
                sums[a] = sums[b];
                sums[b] += left;
            }
            active *= 2;
        }
        sync_threads();
        out[first + 2 * t] = sums[2 * t] + input[first + 2 * t];
        out[first + 2 * t + 1] = sums[2 * t + 1] + input[first + 2 * t + 1];
    }
    fn by_shuffles(input: View<i32>, mut out: ViewMut<i32>) {
        let mut of_warps = shared_array::<i32>(2);
        let (t, i, lane) = (thread_idx().x, global_idx().x, lane_id());
        let mut sum = input[i];
        let mut offset = 1;
        while offset < 32 {
            let other = shfl_up_sync(u32::MAX, sum, offset);
            if lane >= offset {
                sum += other;
            }
            offset *= 2;
        }
        if lane == 31 {
            of_warps[t / 32] = sum;
        }
        sync_threads();
        out[i] = if t >= 32 { sum + of_warps[0] } else { sum };
    }
    let a = Array::new((0..192).map(|i| i * i % 13).collect::<Vec<i32>>());
    let mut sums = Array::of(0, &[192]);
    let (input, out) = (a.view("input"), sums.view_mut("out"));
    let expected: Vec<i32> = a
        .elements
        .chunks(64)
        .flat_map(|part| {
            part.iter().scan(0, |sum, &value| {
                *sum += value;
                Some(*sum)
            })
        })
        .collect();
    both([3, 1, 1], [64, 1, 1], &|| by_steps(input, out), || (), || ());
    assert_eq!(sums.elements, expected);
    for mode in [Mode::Plain, Mode::Checked] {
        sums.elements.fill(0);
        let launch = Launch {
            function: "by_a_tree",
            grid: [3, 1, 1],
            block: [32, 1, 1],
            dynamic_shared_bytes: 256,
            mode,
            interrupted: &|| false,
        };
        // SAFETY: each thread writes elements of its own.
        assert_eq!(unsafe { run(&launch, &|| by_a_tree(input, out)) }, Ok(()));
        assert_eq!(sums.elements, expected);
    }
    sums.elements.fill(0);
    both([3, 1, 1], [64, 1, 1], &|| by_shuffles(input, out), || (), || ());
    assert_eq!(sums.elements, expected);
}

#[test]
fn a_transpose_through_a_tile() {
    fn transpose(input: View<i64>, mut out: ViewMut<i64>) {
        let mut tile = shared_array::<i64>([8, 9]);
        let (x, y) = (thread_idx().x, thread_idx().y);
        let (column, row) = (block_idx().x * 8 + x, block_idx().y * 8 + y);
        if row < input.shape()[0] && column < input.shape()[1] {
            tile[[y, x]] = input[[row, column]];
        }
        sync_threads();
        let (column, row) = (block_idx().y * 8 + x, block_idx().x * 8 + y);
        if row < out.shape()[0] && column < out.shape()[1] {
            out[[row, column]] = tile[[x, y]];
        }
    }
    let a = Array::new((0..20 * 13).collect::<Vec<i64>>()).shaped(&[20, 13]);
    let mut b = Array::of(0, &[13, 20]);
    let (input, out) = (a.view("input"), b.view_mut("out"));
    both([2, 3, 1], [8, 8, 1], &|| transpose(input, out), || (), || ());
    assert!((0..20).all(|y| (0..13).all(|x| b.elements[x * 20 + y] == a.elements[y * 13 + x])));
}

#[test]
fn a_stencil_with_edges() {
    fn blur(input: View<f64>, mut out: ViewMut<f64>) {
        let mut tile = shared_array::<f64>(34);
        let (t, i) = (thread_idx().x, global_idx().x);
        let at = |i: isize| if i >= 0 && (i as usize) < input.len() { input[i as usize] } else { 0.0 };
        tile[t + 1] = at(i as isize);
        if t == 0 {
            tile[0] = at(i as isize - 1);
        }
        if t == block_dim().x - 1 {
            tile[t + 2] = at(i as isize + 1);
        }
        sync_threads();
        if i < out.len() {
            out[i] = tile[t] + tile[t + 1] + tile[t + 2];
        }
    }
    let a = Array::new((0..70).map(f64::from).collect::<Vec<f64>>());
    let mut b = Array::of(0.0, &[70]);
    let (input, out) = (a.view("input"), b.view_mut("out"));
    both([3, 1, 1], [32, 1, 1], &|| blur(input, out), || (), || ());
    assert_eq!((b.elements[0], b.elements[1], b.elements[69]), (1.0, 3.0, 137.0));
}

#[test]
fn a_game_of_life_in_device_functions() {
    fn neighbours(world: &SharedArray<bool>, y: usize, x: usize) -> usize {
        let (height, width) = (world.shape()[0], world.shape()[1]);
        let mut count = 0;
        for dy in [height - 1, 0, 1] {
            for dx in [width - 1, 0, 1] {
                count += usize::from((dy, dx) != (0, 0) && world[[(y + dy) % height, (x + dx) % width]]);
            }
        }
        count
    }
    fn step(world: &mut SharedArray<bool>, y: usize, x: usize) {
        let count = neighbours(world, y, x);
        let lives = count == 3 || (count == 2 && world[[y, x]]);
        sync_threads();
        world[[y, x]] = lives;
        sync_threads();
    }
    let kernel = |mut out: ViewMut<bool>| {
        let mut world = shared_array::<bool>([6, 6]);
        let (x, y) = (thread_idx().x, thread_idx().y);
        // A glider.
        world[[y, x]] = matches!((y, x), (0, 1) | (1, 2) | (2, 0..=2));
        sync_threads();
        for _ in 0..4 {
            step(&mut world, y, x);
        }
        out[[y, x]] = world[[y, x]];
    };
    let mut world = Array::of(false, &[6, 6]);
    let out = world.view_mut("out");
    both([1, 1, 1], [6, 6, 1], &|| kernel(out), || (), || ());
    let alive: Vec<usize> = (0..36).filter(|&i| world.elements[i]).collect();
    assert_eq!(alive, [8, 15, 19, 20, 21]);
}

#[test]
fn a_grid_that_strides_in_two_dimensions() {
    let kernel = |input: View<u8>, mut out: ViewMut<u8>| {
        let start = global_idx();
        let mut y = start.y;
        while y < out.shape()[0] {
            let mut x = start.x;
            while x < out.shape()[1] {
                out[[y, x]] = 255 - input[[y, x]];
                x += grid_dim().x * block_dim().x;
            }
            y += grid_dim().y * block_dim().y;
        }
    };
    let a = Array::new((0..50 * 40).map(|i| i as u8).collect::<Vec<u8>>()).shaped(&[50, 40]);
    let mut b = Array::of(0, &[50, 40]);
    let (input, out) = (a.view("input"), b.view_mut("out"));
    both([2, 2, 1], [8, 4, 1], &|| kernel(input, out), || (), || ());
    assert!(a.elements.iter().zip(&b.elements).all(|(a, b)| a + b == 255));
}

#[test]
fn one_thread_that_writes_for_all() {
    let kernel = |mut out: ViewMut<i32>| {
        let mut chosen = shared_array::<i32>(1);
        for round in 0..4 {
            if thread_idx().x == round {
                chosen[0] = round as i32;
            }
            sync_threads();
            out[global_idx().x] = chosen[0];
            sync_threads();
        }
    };
    let mut output = Array::of(0, &[96]);
    let out = output.view_mut("out");
    both([3, 1, 1], [32, 1, 1], &|| kernel(out), || (), || ());
    assert!(output.elements.iter().all(|&e| e == 3));
}

#[test]
fn the_last_block_adds_up_what_all_have_left() {
    fn total(
        input: View<f32>,
        mut partial: ViewMut<f32>,
        mut count: ViewMut<u32>,
        mut out: ViewMut<f32>,
        fenced: bool,
    ) {
        let mut sums = shared_array::<f32>(32);
        let mut is_last = shared_array::<bool>(1);
        let t = thread_idx().x;
        sums[t] = input[global_idx().x];
        sync_threads();
        if t == 0 {
            let mut sum = 0.0;
            for i in 0..32 {
                sum += sums[i];
            }
            partial[block_idx().x] = sum;
            if fenced {
                thread_fence();
            }
            is_last[0] = count.atomic_add(0, 1) == grid_dim().x as u32 - 1;
        }
        sync_threads();
        if is_last[0] {
            sums[t] = 0.0;
            let mut i = t;
            while i < partial.len() {
                sums[t] += partial[i];
                i += 32;
            }
            sync_threads();
            if t == 0 {
                let mut sum = 0.0;
                for i in 0..32 {
                    sum += sums[i];
                }
                out[0] = sum;
                count[0] = 0;
            }
        }
    }
    let a = Array::new(numbers(40 * 32));
    let (mut partial, mut count, mut sum) = (Array::of(0.0, &[40]), Array::of(0, &[1]), Array::of(0.0, &[1]));
    let (input, left) = (a.view("input"), partial.view_mut("partial"));
    let (count, out) = (count.view_mut("count"), sum.view_mut("out"));
    both([40, 1, 1], [32, 1, 1], &|| total(input, left, count, out, true), || (), || ());
    assert_eq!(sum.elements[0], a.elements.iter().sum::<f32>());
    // Without the fence, nothing says that the others' sums are there.
    let result = super::checked(40, 32, &|| total(input, left, count, out, false));
    assert!(matches!(super::kind_of(result), FailureKind::Race { memory, .. } if memory == super::array("partial")));
}
