//! Linear algebra, `cupy.linalg`.
//!
//! Results of one number are scalars, as those of `sum`: they wait for the device. Of integers they are `f64`.

use warpcell::{DeviceArray, Float, Number, OnDevice};

/// The determinant of a square matrix.
pub fn det<A: OnDevice<Elem = T>, T: Number>(a: &A) -> T::Mean {
    todo!()
}

/// The inverse of a square matrix.
pub fn inv<A: OnDevice<Elem = T>, T: Float>(a: &A) -> DeviceArray<T> {
    todo!()
}

/// The reduced QR decomposition `(q, r)` of a matrix.
pub fn qr<A: OnDevice<Elem = T>, T: Float>(a: &A) -> (DeviceArray<T>, DeviceArray<T>) {
    todo!()
}
