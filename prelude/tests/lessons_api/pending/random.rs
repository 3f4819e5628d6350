//! Random numbers on the current device, `cupy.random`, by the generator that belongs to it.
//!
//! The element type follows from the bounds (`-1.0f32`), so no cell has to convert; NumPy's functions give `f64` only.

use warpcell::{DeviceArray, Float, IntoShape};

/// Uniform numbers from 0 to below 1.
pub fn random<T: Float>(size: impl IntoShape) -> DeviceArray<T> {
    todo!()
}

/// Uniform numbers from `low` to below `high`.
pub fn uniform<T: Float>(low: T, high: T, size: impl IntoShape) -> DeviceArray<T> {
    todo!()
}

/// Normal numbers with mean `loc` and standard deviation `scale`.
pub fn normal<T: Float>(loc: T, scale: T, size: impl IntoShape) -> DeviceArray<T> {
    todo!()
}
