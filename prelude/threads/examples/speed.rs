//! How long launches take on this machine: threads without a barrier, and a tiled matrix product.

use std::time::Instant;
use warpcell_threads::{
    Launch, Mode, View, ViewMut, block_dim, block_idx, global_idx, run, shared_array, sync_threads, thread_idx,
};

/// `out += a * x`, one element a thread.
fn axpy(a: f32, x: View<f32>, mut out: ViewMut<f32>) {
    let i = block_idx().x * block_dim().x + thread_idx().x;
    if i < out.len() {
        out[i] += a * x[i];
    }
}

const TILE: usize = 16;

/// The product of two matrices whose sides are multiples of 16.
fn product(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let mut of_a = shared_array::<f32>([TILE, TILE]);
    let mut of_b = shared_array::<f32>([TILE, TILE]);
    let (x, y) = (thread_idx().x, thread_idx().y);
    let (column, row) = (global_idx().x, global_idx().y);
    let mut sum = 0.0;
    for tile in 0..a.shape()[1] / TILE {
        of_a[[y, x]] = a[[row, tile * TILE + x]];
        of_b[[y, x]] = b[[tile * TILE + y, column]];
        sync_threads();
        for k in 0..TILE {
            sum += of_a[[y, k]] * of_b[[k, x]];
        }
        sync_threads();
    }
    out[[row, column]] = sum;
}

/// How long all threads of this process have computed, in seconds; to a hundredth, and on Linux only.
fn processor_time() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / 100.0)
}

/// Times a launch three times, unless the words on the command line name others.
fn timed(what: &str, grid: [usize; 3], block: [usize; 3], mode: Mode, thread: &(dyn Fn() + Sync)) {
    if std::env::args().len() > 1 && !std::env::args().any(|word| what.contains(&word)) {
        return;
    }
    let launch = Launch { function: what, grid, block, dynamic_shared_bytes: 0, mode, interrupted: &|| false };
    for _ in 0..3 {
        let (start, computed) = (Instant::now(), processor_time());
        // SAFETY: the views are of vectors that live longer, and no two threads write one element.
        let result = unsafe { run(&launch, thread) };
        let seconds = start.elapsed().as_secs_f64();
        let computed = processor_time().zip(computed).map_or(f64::NAN, |(after, before)| after - before);
        println!("{what}: {seconds:.3} s, {computed:.2} s of processors, {result:?}");
    }
}

fn main() {
    const N: usize = 10_000_000;
    let x = vec![1.0f32; N];
    let mut y = vec![2.0f32; N];
    // SAFETY: the vectors are used by the launches alone while these run.
    let (x, out) =
        unsafe { (View::from_raw(x.as_ptr(), &[N], &[1], "x"), ViewMut::from_raw(y.as_mut_ptr(), &[N], &[1], "out")) };
    timed("10 million threads, blocks of 256", [N.div_ceil(256), 1, 1], [256, 1, 1], Mode::Plain, &|| {
        axpy(0.5, x, out)
    });
    timed("10 million blocks of one thread", [N, 1, 1], [1, 1, 1], Mode::Plain, &|| axpy(0.5, x, out));

    const SIDE: usize = 512;
    let [a, b] = [1, 2].map(|seed| (0..SIDE * SIDE).map(|i| (i * seed % 7) as f32).collect::<Vec<f32>>());
    let mut c = vec![0.0f32; SIDE * SIDE];
    let (shape, strides) = (&[SIDE, SIDE], &[SIDE as isize, 1]);
    // SAFETY: as above.
    let (a, b, out) = unsafe {
        let (a, b) = (View::from_raw(a.as_ptr(), shape, strides, "a"), View::from_raw(b.as_ptr(), shape, strides, "b"));
        (a, b, ViewMut::from_raw(c.as_mut_ptr(), shape, strides, "out"))
    };
    let (grid, block) = ([SIDE / TILE, SIDE / TILE, 1], [TILE, TILE, 1]);
    timed("product of 512 x 512 matrices in tiles of 16 x 16", grid, block, Mode::Plain, &|| product(a, b, out));
    timed("the same in checked mode, 128 x 128", [8, 8, 1], block, Mode::Checked, &|| product(a, b, out));
}
