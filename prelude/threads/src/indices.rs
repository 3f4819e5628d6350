//! Which thread this is: `thread_idx()` and its kin.

use crate::worker::here;
use std::fmt;

/// Three lengths or indices, along `x`, `y` and `z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim3 {
    /// Along `x`.
    pub x: usize,
    /// Along `y`.
    pub y: usize,
    /// Along `z`.
    pub z: usize,
}

impl fmt::Display for Dim3 {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "({}, {}, {})", self.x, self.y, self.z)
    }
}

impl From<[usize; 3]> for Dim3 {
    fn from([x, y, z]: [usize; 3]) -> Dim3 {
        Dim3 { x, y, z }
    }
}

impl From<Dim3> for [usize; 3] {
    fn from(Dim3 { x, y, z }: Dim3) -> [usize; 3] {
        [x, y, z]
    }
}

/// As many lanes a warp has.
const WARP: usize = 32;

/// Which thread of its block this is; CUDA's `threadIdx`.
///
/// # Panics
///
/// Outside of a kernel, as all functions of threads.
#[track_caller]
pub fn thread_idx() -> Dim3 {
    here("thread_idx").thread_idx().into()
}

/// Which block of the grid this is; CUDA's `blockIdx`.
///
/// # Panics
///
/// Outside of a kernel.
#[track_caller]
pub fn block_idx() -> Dim3 {
    here("block_idx").block_idx().into()
}

/// How many threads a block has along each axis; CUDA's `blockDim`.
///
/// # Panics
///
/// Outside of a kernel.
#[track_caller]
pub fn block_dim() -> Dim3 {
    here("block_dim").block_dim().into()
}

/// How many blocks the grid has along each axis; CUDA's `gridDim`.
///
/// # Panics
///
/// Outside of a kernel.
#[track_caller]
pub fn grid_dim() -> Dim3 {
    here("grid_dim").grid_dim().into()
}

/// Which thread of the whole grid this is, along each axis: `block_idx().x * block_dim().x + thread_idx().x`, and so on.
///
/// # Panics
///
/// Outside of a kernel.
#[track_caller]
pub fn global_idx() -> Dim3 {
    let worker = here("global_idx");
    let (thread, block, threads) = (worker.thread_idx(), worker.block_idx(), worker.block_dim());
    Dim3 {
        x: block[0] * threads[0] + thread[0],
        y: block[1] * threads[1] + thread[1],
        z: block[2] * threads[2] + thread[2],
    }
}

/// Which lane of its warp this thread is. Threads are numbered along `x`, then `y`, then `z`.
///
/// # Panics
///
/// Outside of a kernel.
#[track_caller]
pub fn lane_id() -> usize {
    here("lane_id").number() % WARP
}

/// How many threads a warp has: 32.
pub fn warp_size() -> usize {
    WARP
}

/// The indices below `n` that are this thread's, if a grid along `x` of any size shares them out: `global_idx().x`, and on in
/// steps of the grid's number of threads.
///
/// # Panics
///
/// Outside of a kernel.
#[track_caller]
pub fn grid_stride(n: usize) -> impl Iterator<Item = usize> + Clone {
    let worker = here("grid_stride");
    let first = worker.block_idx()[0] * worker.block_dim()[0] + worker.thread_idx()[0];
    (first..n).step_by(worker.grid_dim()[0] * worker.block_dim()[0])
}
