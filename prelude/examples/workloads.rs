//! Times what users do with arrays, functions over arrays and kernels on a CUDA device: lines of JSON.
//!
//! `workloads times [ROW...]` prints median times of calls on random data, of the rows whose names contain one of these words;
//! `workloads check` two sums of the results on small data, on any device. `tests/bench/workloads_cuda.py` compares both with those of
//! CuPy, PyTorch and JAX.

#![allow(
    clippy::needless_range_loop,
    clippy::reversed_empty_ranges,
    reason = "device code has no iterators over arrays, and negative bounds count from the end"
)]

use std::hint::black_box;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{Complex, DeviceArray};

#[path = "parts/kmeans.rs"]
mod kmeans;

/// Rows of a stencil that a thread computes. Of 2, 4, 8 and 16 these are the fastest.
const ROWS: usize = 8;

/// The mean of five neighbours for each inner element; there are a multiple of `ROWS` rows of them. All that a thread reads is under way
/// before it computes.
#[kernel]
fn five_points(a: View<f32>, mut out: ViewMut<f32>) {
    let x = block_idx().x * block_dim().x + thread_idx().x;
    let y = (block_idx().y * block_dim().y + thread_idx().y) * ROWS;
    if y < out.shape()[0] && x < out.shape()[1] {
        let mut column = [0.0f32; ROWS + 2];
        let mut beside = [0.0f32; ROWS];
        for k in 0..ROWS + 2 {
            column[k] = a[[y + k, x + 1]];
        }
        for k in 0..ROWS {
            beside[k] = a[[y + k + 1, x]] + a[[y + k + 1, x + 2]];
        }
        for k in 0..ROWS {
            out[[y + k, x]] = (column[k + 1] + column[k] + column[k + 2] + beside[k]) * 0.2;
        }
    }
}

/// Coordinates of a point, and how many centres there are at most.
const COORDINATES: usize = 16;
const CENTRES: usize = 64;

/// Bodies of a block, and how many threads share the others of each.
const BODIES: usize = 32;
const SHARES: usize = 16;

/// A step of gravity: each thread adds up the accelerations of one body by a share of the others. Of a body there are the place and the mass;
/// there are a multiple of `BODIES * SHARES` bodies.
#[kernel]
fn attract(bodies: View<f32>, velocities: View<f32>, mut moved: ViewMut<f32>, mut faster: ViewMut<f32>, time: f32) {
    let mut others = shared_array::<f32>([SHARES, BODIES, 4]);
    let mut sums = shared_array::<f32>([SHARES, BODIES, 3]);
    let t = thread_idx();
    let i = block_idx().x * BODIES + t.x;
    let (x, y, z) = (bodies[[i, 0]], bodies[[i, 1]], bodies[[i, 2]]);
    let (mut ax, mut ay, mut az) = (0.0, 0.0, 0.0);
    let mut first = t.y * BODIES + t.x;
    while first < bodies.shape()[0] {
        for k in 0..4 {
            others[[t.y, t.x, k]] = bodies[[first, k]];
        }
        sync_threads();
        for j in 0..BODIES {
            let dx = others[[t.y, j, 0]] - x;
            let dy = others[[t.y, j, 1]] - y;
            let dz = others[[t.y, j, 2]] - z;
            let nearness = (dx * dx + dy * dy + dz * dz + 0.01).sqrt().recip();
            let pull = others[[t.y, j, 3]] * nearness * nearness * nearness;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        sync_threads();
        first += SHARES * BODIES;
    }
    sums[[t.y, t.x, 0]] = ax;
    sums[[t.y, t.x, 1]] = ay;
    sums[[t.y, t.x, 2]] = az;
    sync_threads();
    if t.y < 3 {
        let mut sum = 0.0;
        for share in 0..SHARES {
            sum += sums[[share, t.x, t.y]];
        }
        let speed = velocities[[i, t.y]] + time * sum;
        faster[[i, t.y]] = speed;
        moved[[i, t.y]] = bodies[[i, t.y]] + time * speed;
    } else if t.y == 3 {
        moved[[i, 3]] = bodies[[i, 3]];
    }
}

fn gravity_step(bodies: &DeviceArray<f32>, velocities: &DeviceArray<f32>) -> (DeviceArray<f32>, DeviceArray<f32>) {
    let (mut moved, mut faster) = (gpu::empty_like(bodies), gpu::empty_like(velocities));
    let blocks = bodies.shape()[0] / BODIES;
    gpu::launch(attract, blocks, (BODIES, SHARES), (bodies, velocities, &mut moved, &mut faster, 0.001f32));
    (moved, faster)
}

/// How many steps it takes until a number leaves the circle.
#[vectorize]
fn mandelbrot(re: f32, im: f32, most: i32) -> i32 {
    let (mut x, mut y) = (0.0f32, 0.0f32);
    for step in 0..most {
        let (xx, yy) = (x * x, y * y);
        if xx + yy > 4.0 {
            return step;
        }
        y = 2.0 * x * y + im;
        x = xx - yy + re;
    }
    most
}

/// Two sums of the sizes of a result's elements, by which results are compared.
trait Sums {
    fn sums(&self) -> [f64; 2];
}
fn weighted(values: &[f64]) -> [f64; 2] {
    let weight = |index: usize| (index % 97) as f64 / 97.0;
    [
        values.iter().map(|value| value.abs()).sum(),
        values.iter().enumerate().map(|(index, value)| value.abs() * weight(index)).sum(),
    ]
}
macro_rules! real_sums {
    ($($type:ty)*) => {$(
        impl Sums for DeviceArray<$type> {
            fn sums(&self) -> [f64; 2] {
                weighted(&self.astype::<f64>().ravel().to_host().iter().copied().collect::<Vec<_>>())
            }
        }
    )*};
}
real_sums!(f16 bf16 f32 f64 i32 i64);
impl Sums for DeviceArray<Complex<f32>> {
    fn sums(&self) -> [f64; 2] {
        self.abs().sums()
    }
}
impl Sums for f32 {
    fn sums(&self) -> [f64; 2] {
        weighted(&[f64::from(*self)])
    }
}
impl<A: Sums, B: Sums> Sums for (A, B) {
    fn sums(&self) -> [f64; 2] {
        let ([a, b], [c, d]) = (self.0.sums(), self.1.sums());
        [a + c, b + d]
    }
}

/// What is asked for: times on large random data, or sums of results on small data that are the same everywhere.
struct Rows {
    is_small: bool,
    words: Vec<String>,
}

impl Rows {
    fn wants(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| name.contains(word.as_str()))
    }

    fn length(&self, full: usize, small: usize) -> usize {
        if self.is_small { small } else { full }
    }

    fn small(shape: &[usize], seed: usize) -> Vec<f32> {
        let size: usize = shape.iter().product();
        (0..size).map(|i| ((i * 7919 + seed * 104_729) % 10_007) as f32 / 10_007.0).collect()
    }

    /// Numbers from 0 to below 1.
    fn floats(&self, shape: &[usize], seed: usize) -> DeviceArray<f32> {
        if self.is_small {
            gpu::asarray(&Self::small(shape, seed)).reshape(shape)
        } else {
            gpu::random::uniform(0.0f32, 1.0, shape)
        }
    }

    fn complex(&self, shape: &[usize]) -> DeviceArray<Complex<f32>> {
        let imaginary = self.floats(shape, 2).astype::<Complex<f32>>() * Complex::new(0.0f32, 1.0);
        self.floats(shape, 1).astype::<Complex<f32>>() + imaginary
    }

    /// Numbers from 0 to below `end`.
    fn integers(&self, size: usize, end: i64) -> DeviceArray<i64> {
        if self.is_small {
            let values: Vec<i64> = (0..size as i64).map(|i| (i * 7919 + 104_729) % 10_007 % end).collect();
            gpu::asarray(&values)
        } else {
            gpu::random::integers(0..end, size)
        }
    }

    fn row<R: Sums>(&self, name: &str, count: usize, mut call: impl FnMut() -> R) {
        if !self.wants(name) {
            return;
        }
        if self.is_small {
            let [sum, weighted] = call().sums();
            println!(r#"{{"name": "{name}", "sums": [{sum:e}, {weighted:e}]}}"#);
            return;
        }
        if name.starts_with("matmul") || name.starts_with("einsum") {
            // As before the peers' products: the GPU rests from the last ones.
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
        let times = gpu::benchmark(count, || black_box(call()));
        let device = times.device.as_ref().expect("on a CUDA device there are events");
        let (device, least, host) = (device.median * 1e6, device.min * 1e6, times.host.median * 1e6);
        println!(r#"{{"name": "{name}", "gpu_us": {device:.2}, "gpu_min_us": {least:.2}, "host_us": {host:.2}}}"#);
    }

    fn products(&self) {
        if self.wants("matmul") {
            let side = self.length(8192, 64);
            let [a, b] = [1, 2].map(|seed| self.floats(&[side, side], seed));
            let (c, d) = (a.astype::<f16>(), b.astype::<f16>());
            self.row("matmul f16 8192", 20, || gpu::matmul(&c, &d));
            let (c, d) = (a.astype::<bf16>(), b.astype::<bf16>());
            self.row("matmul bf16 8192", 20, || gpu::matmul(&c, &d));
            self.row("matmul tf32 8192", 20, || gpu::matmul!(&a, &b, tf32 = true));
        }
        if self.wants("einsum") {
            let side = self.length(2048, 64);
            let [a, b, c] = [1, 2, 3].map(|seed| self.floats(&[side, side], seed));
            self.row("einsum ij,jk,kl->il f32 2048", 20, || gpu::einsum("ij,jk,kl->il", [&a, &b, &c]));
            let side = self.length(4096, 64);
            let [a, b] = [1, 2].map(|seed| self.floats(&[side, side], seed));
            let c = self.floats(&[side], 3);
            self.row("einsum ij,jk,k->i f32 4096", 20, || gpu::einsum("ij,jk,k->i", [&a, &b, &c]));
        }
    }

    fn transforms(&self) {
        if self.wants("fft") {
            let size = self.length(1 << 24, 1 << 12);
            let z = self.complex(&[size]);
            self.row("fft c64 16M", 20, || gpu::fft::fft(&z));
            let rows = z.reshape((size / 64, 64));
            let rows = if self.is_small { rows } else { rows.reshape((4096, 4096)) };
            self.row("fft c64 4096 of 4096", 20, || gpu::fft::fft(&rows));
            let side = self.length(2048, 32);
            let image = self.floats(&[side, side], 1);
            self.row("rfft2 f32 2048", 50, || gpu::fft::rfft2(&image));
        }
    }

    fn rows_of_matrices(&self) {
        if self.wants("softmax") || self.wants("layer norm") {
            let side = self.length(10_000, 50);
            let x = self.floats(&[side, side], 1);
            self.row("softmax f32 1e4x1e4", 20, || gpu::special::softmax!(&x, axis = 1));
            let count = side as f32;
            let layer_norm = (
                fuse!(|x: f32| sum(x)),
                fuse!(|x: f32, total: f32| sum((x - total / count) * (x - total / count))),
                fuse!(|x: f32, total: f32, squares: f32| (x - total / count) / (squares / count + 1e-5).sqrt()),
            );
            self.row("layer norm f32 1e4x1e4", 20, || gpu::map_along(layer_norm, &x, 1));
            let softmax = (
                fuse!(|x: f32| max(x)),
                fuse!(|x: f32, largest: f32| sum((x - largest).exp())),
                fuse!(|x: f32, largest: f32, total: f32| (x - largest).exp() / total),
            );
            self.row("softmax by formulas f32 1e4x1e4", 20, || gpu::map_along(softmax, &x, 1));
        }
    }

    fn selections(&self) {
        if self.wants("mask") || self.wants("where") {
            let x = self.floats(&[self.length(20_000_000, 1000)], 1);
            let mask = x.lt(0.5);
            self.row("x[mask] f32 2e7", 20, || x.extract(&mask));
            self.row("where(mask, x, 0) f32 2e7", 20, || gpu::where_(&mask, &x, 0.0));
        }
        if self.wants("unique") {
            let x = self.integers(self.length(1 << 24, 5000), 1_000_000);
            self.row("unique i64 16M", 20, || gpu::unique(&x));
        }
        if self.wants("bincount") {
            let size = self.length(1 << 24, 5000);
            for (bins, text) in [(4, "4"), (1000, "1000"), (1_000_000, "1e6")] {
                let x = self.integers(size, bins);
                self.row(&format!("bincount i64 16M, {text} bins"), 20, || gpu::bincount(&x));
            }
        }
        if self.wants("histogram") || self.wants("median") || self.wants("top 100") {
            let x = self.floats(&[self.length(99_999_999, 999)], 1);
            self.row("histogram f32 1e8, 100 bins", 20, || gpu::histogram(&x, 100, 0.0..=1.0).0);
            self.row("median f32 1e8", 10, || gpu::median(&x));
            self.row("top 100 f32 1e8", 10, || gpu::topk(&x, 100).0);
        }
    }

    /// Rows of `arrays_cuda.py` in which the peers are near.
    fn near(&self) {
        let x = || self.floats(&[self.length(99_999_999, 999)], 1);
        if self.wants("cumsum") {
            let x = x();
            self.row("cumsum f32 1e8", 20, || gpu::cumsum(&x));
        }
        if self.wants("exp") {
            let x = self.floats(&[self.length(50_000_000, 999)], 1).astype::<f64>();
            self.row("exp f64 5e7", 20, || gpu::exp(&x));
        }
        if self.wants("take") {
            let size = self.length(20_000_000, 1000);
            let (x, places) = (self.floats(&[size], 1), self.integers(size, size as i64));
            self.row("take f32 2e7 at random", 20, || x.take(&places));
        }
        if self.wants("over axis 0") || self.wants("transposed") {
            let side = self.length(10_000, 50);
            let x = self.floats(&[side, side], 1);
            self.row("sum over axis 0 f32 1e4x1e4", 20, || gpu::sum!(&x, axis = 0));
            self.row("copy transposed f32 1e4x1e4", 20, || x.t().copy());
        }
        if self.wants("sort") {
            let x = self.floats(&[self.length(1 << 24, 5000)], 1);
            self.row("sort f32 16M", 20, || gpu::sort(&x));
            self.row("argsort f32 16M", 20, || gpu::argsort(&x));
        }
        if self.wants("cholesky") {
            let side = self.length(512, 32);
            let x = self.floats(&[side, side], 1).astype::<f64>();
            let matrix = gpu::matmul(&x, &x.t()) + gpu::eye::<f64>(side) * side as f64;
            self.row("cholesky f64 512", 20, || gpu::linalg::cholesky(&matrix));
        }
    }

    fn programs(&self) {
        if self.wants("stencil") {
            let side = self.length(8192, 48) + 2;
            let a = self.floats(&[side, side], 1);
            let parts = || {
                let (n, s) = (a.slice(s![..-2, 1..-1]), a.slice(s![2.., 1..-1]));
                let (w, e) = (a.slice(s![1..-1, ..-2]), a.slice(s![1..-1, 2..]));
                (a.slice(s![1..-1, 1..-1]), n, s, w, e)
            };
            self.row("stencil by slices f32 8192", 20, || {
                let (c, n, s, w, e) = parts();
                (c + n + s + w + e) * 0.2f32
            });
            let mean = fuse!(|c: f32, n: f32, s: f32, w: f32, e: f32| (c + n + s + w + e) * 0.2);
            self.row("stencil by slices, fused f32 8192", 20, || {
                let (c, n, s, w, e) = parts();
                gpu::map(mean, (&c, &n, &s, &w, &e))
            });
            self.row("stencil by a kernel f32 8192", 20, || {
                let mut out = gpu::empty::<f32>((side - 2, side - 2));
                gpu::launch(five_points, (side.div_ceil(128), side.div_ceil(ROWS)), 128, (&a, &mut out));
                out
            });
        }
        if self.wants("k-means") {
            let points = self.floats(&[self.length(1 << 20, 1024), COORDINATES], 1);
            let centres = points.slice(s![..self.length(CENTRES, 8), ..]).copy();
            self.row("k-means step f32 1M x 16, 64 centres", 20, || kmeans::means(&kmeans::sums(&points, &centres)));
        }
        if self.wants("N-body") {
            let count = self.length(16_384, 1024);
            let (bodies, velocities) = (self.floats(&[count, 4], 1), self.floats(&[count, 3], 2));
            self.row("N-body step f32 16384", 10, || gravity_step(&bodies, &velocities));
        }
        if self.wants("Mandelbrot") {
            let side = self.length(4096, 64);
            let re = gpu::linspace(-2.0f32, 0.5, side);
            let im = gpu::linspace(-1.25f32, 1.25, side).reshape((side, 1));
            self.row("Mandelbrot f32 4096, 200 steps", 10, || gpu::map(mandelbrot, (&re, &im, 200)));
        }
    }

    /// The sizes are those of `tests/bench/convolution_rows.py`.
    fn convolutions(&self) {
        if !self.wants("convolve2d") {
            return;
        }
        let of_f32 = [
            (256, 3),
            (256, 31),
            (1024, 5),
            (2048, 3),
            (2048, 5),
            (2048, 15),
            (2048, 31),
            (2048, 63),
            (8192, 3),
            (8192, 15),
            (4096, 63),
        ];
        let arrays = |side: usize, width: usize| {
            let (side, width) = (self.length(side, 24), self.length(width, width.min(9)));
            (self.floats(&[side, side], 1), self.floats(&[width, width], 2))
        };
        for (side, width) in of_f32 {
            let (image, kernel) = arrays(side, width);
            self.convolution(&format!("f32 {side} by {width}"), &image, &kernel);
        }
        for (side, width) in [(2048, 5), (2048, 15), (2048, 31), (2048, 63)] {
            let (image, kernel) = arrays(side, width);
            self.convolution(&format!("f64 {side} by {width}"), &image.astype::<f64>(), &kernel.astype::<f64>());
        }
    }

    fn convolution<T: gpu::Float>(&self, name: &str, image: &DeviceArray<T>, kernel: &DeviceArray<T>)
    where
        DeviceArray<T>: Sums,
    {
        if !self.is_small {
            // The program for the size of the kernel is compiled beside the first calls.
            gpu::convolve2d(image, kernel, Mode::Full);
            std::thread::sleep(std::time::Duration::from_secs(1));
        }
        self.row(&format!("convolve2d {name}"), 10, || gpu::convolve2d(image, kernel, Mode::Full));
        self.row(&format!("fftconvolve {name}"), 10, || gpu::fftconvolve(image, kernel, Mode::Full));
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let is_small = match arguments.next().as_deref() {
        Some("times") => false,
        Some("check") => true,
        _ => {
            eprintln!("usage: workloads times [ROW...] | workloads check [ROW...]");
            std::process::exit(2);
        }
    };
    let rows = Rows { is_small, words: arguments.collect() };
    rows.products();
    rows.transforms();
    rows.near();
    rows.rows_of_matrices();
    rows.selections();
    rows.programs();
    rows.convolutions();
}
