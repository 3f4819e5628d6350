//! A step of Lloyd's k-means on a device, for the examples that time it.

use super::{CENTRES, COORDINATES};
use warpcell as gpu;
use warpcell::DeviceArray;
use warpcell::prelude::*;

/// Adds each point, and 1 behind its coordinates, to what its nearest centre has.
#[kernel]
fn assign(points: View<f32>, centres: View<f32>, sums: ViewMut<f32>) {
    let mut near = shared_array::<f32>([CENTRES, COORDINATES]);
    let mut own = shared_array::<f32>([CENTRES, COORDINATES + 1]);
    let count = centres.shape()[0];
    let mut i = thread_idx().x;
    while i < count * COORDINATES {
        near[[i / COORDINATES, i % COORDINATES]] = centres[[i / COORDINATES, i % COORDINATES]];
        i += block_dim().x;
    }
    i = thread_idx().x;
    while i < count * (COORDINATES + 1) {
        own[[i / (COORDINATES + 1), i % (COORDINATES + 1)]] = 0.0;
        i += block_dim().x;
    }
    sync_threads();
    for p in grid_stride(points.shape()[0]) {
        let mut point = [0.0f32; COORDINATES];
        for k in 0..COORDINATES {
            point[k] = points[[p, k]];
        }
        let mut nearest = 0;
        let mut least = f32::INFINITY;
        for c in 0..count {
            let mut distance = 0.0;
            for k in 0..COORDINATES {
                let d = point[k] - near[[c, k]];
                distance += d * d;
            }
            if distance < least {
                least = distance;
                nearest = c;
            }
        }
        for k in 0..COORDINATES {
            own.atomic_add([nearest, k], point[k]);
        }
        own.atomic_add([nearest, COORDINATES], 1.0);
    }
    sync_threads();
    i = thread_idx().x;
    while i < count * (COORDINATES + 1) {
        sums.atomic_add(
            [i / (COORDINATES + 1), i % (COORDINATES + 1)],
            own[[i / (COORDINATES + 1), i % (COORDINATES + 1)]],
        );
        i += block_dim().x;
    }
}

/// For each centre the sums of the coordinates of the points that are nearest to it, and how many these are.
pub fn sums(points: &DeviceArray<f32>, centres: &DeviceArray<f32>) -> DeviceArray<f32> {
    let mut sums = gpu::zeros::<f32>((centres.shape()[0], COORDINATES + 1));
    gpu::launch(assign, 264, 256, (points, centres, &mut sums));
    sums
}

/// The centres of what was added.
pub fn means(sums: &DeviceArray<f32>) -> DeviceArray<f32> {
    let counts = sums.slice(s![.., COORDINATES..]).maximum(1.0f32);
    sums.slice(s![.., ..COORDINATES]) / counts
}
