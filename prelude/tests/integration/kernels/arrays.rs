//! Small arrays on the device, and what is in them afterwards.

use warpcell as gpu;
use warpcell::{DeviceArray, Element};

/// 0, 1, 2 …
pub fn ramp(length: usize) -> DeviceArray<f32> {
    device((0..length).map(|i| i as f32).collect())
}

pub fn zeros(length: usize) -> DeviceArray<f32> {
    gpu::zeros(length)
}

pub fn device<T: Element>(values: Vec<T>) -> DeviceArray<T> {
    gpu::asarray(values)
}

/// The elements, in C order.
pub fn values<T: Element>(array: &DeviceArray<T>) -> Vec<T> {
    array.to_host().iter().copied().collect()
}

/// Numbers that look like chance, each below `limit`.
pub fn scattered(length: usize, limit: u32) -> Vec<i32> {
    let mut state = 12345u32;
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 8) % limit) as i32
    };
    std::iter::repeat_with(next).take(length).collect()
}
