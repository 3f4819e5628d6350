//! Random numbers on the current device, `cupy.random`, by the generator that belongs to it.
//!
//! The element type follows from the bounds (`-1.0f32`), so no cell has to convert as with NumPy's functions, which give `f64`.

use warpcell::{DeviceArray, Float, IntoShape};

/// Uniform numbers from 0 to below 1, of `f64` as in NumPy: a type parameter would be `::<f64, _>` in most calls on the host.
pub fn random(size: impl IntoShape) -> DeviceArray<f64> {
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
