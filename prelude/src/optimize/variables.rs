//! The variables of a search: on the host, or on a device.

use crate::array::DeviceArray;
use crate::array::{RawArray, transfer};
use crate::dtype::DType;
use crate::error::Result;

/// What a function of several variables gets: an array of numbers, a `Vec` of them, or an array on the device. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not variables of a function",
    label = "expected `&[1.0, 2.0]`, a `&Vec<f64>`, or a `&DeviceArray<f64>`"
)]
pub trait Variables: sealed::Point + Clone {}

/// The parameters of a fit: an array of numbers, or a `Vec` of them. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not parameters of a fit",
    label = "expected `&[1.0, 2.0]`, or a `&Vec<f64>`"
)]
pub trait Parameters: Variables + AsRef<[f64]> {}

/// The residuals of a fit: an array of numbers, a `Vec` of them, or an array on the device. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not residuals",
    label = "expected an array or a `Vec` of numbers, or a `DeviceArray<f64>`"
)]
pub trait Residuals: sealed::Point {}

pub(crate) mod sealed {
    use super::Vector;

    pub trait Point: Sized {
        fn vector(&self) -> Vector;
        fn of(vector: &Vector) -> Self;
    }
}
use sealed::Point;

/// A vector of variables.
#[derive(Clone)]
pub enum Vector {
    Host(Vec<f64>),
    Device(DeviceArray<f64>),
}

impl Point for DeviceArray<f64> {
    fn vector(&self) -> Vector {
        Vector::Device(self.clone())
    }
    fn of(vector: &Vector) -> Self {
        match vector {
            Vector::Device(array) => array.clone(),
            Vector::Host(values) => crate::array(values),
        }
    }
}
impl Point for Vec<f64> {
    fn vector(&self) -> Vector {
        Vector::Host(self.clone())
    }
    fn of(vector: &Vector) -> Self {
        vector.to_host()
    }
}
impl<const N: usize> Point for [f64; N] {
    fn vector(&self) -> Vector {
        Vector::Host(self.to_vec())
    }
    fn of(vector: &Vector) -> Self {
        vector.to_host().try_into().expect("as many variables as there were")
    }
}
impl<V: Point + Clone> Variables for V {}
impl<V: Variables + AsRef<[f64]>> Parameters for V {}
impl<V: Point> Residuals for V {}

impl Vector {
    pub fn len(&self) -> usize {
        match self {
            Vector::Host(values) => values.len(),
            Vector::Device(array) => array.size(),
        }
    }

    pub fn to_host(&self) -> Vec<f64> {
        match self {
            Vector::Host(values) => values.clone(),
            Vector::Device(array) => array.tolist(),
        }
    }

    /// The numbers of the host in the place of this one, as an array of its shape on its device if it is one.
    pub fn like(&self, values: Vec<f64>) -> Result<Vector> {
        Ok(match self {
            Vector::Host(_) => Vector::Host(values),
            Vector::Device(array) => {
                let raw =
                    RawArray::of_floats("minimize", &array.raw.handle, array.shape(), values.into_iter(), DType::F64)?;
                Vector::Device(DeviceArray::from_raw(raw))
            }
        })
    }

    pub fn dot(&self, other: &Vector) -> f64 {
        match (self, other) {
            (Vector::Host(a), Vector::Host(b)) => a.iter().zip(b).map(|(a, b)| a * b).sum(),
            (Vector::Device(a), Vector::Device(b)) => (a * b).sum(),
            _ => unreachable!("vectors of one search are on one side"),
        }
    }

    /// `self + factor · other`.
    pub fn plus(&self, factor: f64, other: &Vector) -> Vector {
        match (self, other) {
            (Vector::Host(a), Vector::Host(b)) => Vector::Host(a.iter().zip(b).map(|(a, b)| a + factor * b).collect()),
            (Vector::Device(a), Vector::Device(b)) => Vector::Device(a + &(b * factor)),
            _ => unreachable!("vectors of one search are on one side"),
        }
    }

    pub fn times(&self, factor: f64) -> Vector {
        match self {
            Vector::Host(a) => Vector::Host(a.iter().map(|a| a * factor).collect()),
            Vector::Device(a) => Vector::Device(a * factor),
        }
    }

    /// The largest absolute value; NaN if there is one.
    pub fn largest(&self) -> f64 {
        match self {
            Vector::Host(a) => a
                .iter()
                .fold(0.0, |most: f64, a| if a.is_nan() || most.is_nan() { f64::NAN } else { most.max(a.abs()) }),
            Vector::Device(a) if a.size() == 0 => 0.0,
            Vector::Device(a) => a.abs().max(),
        }
    }

    /// The numbers of several vectors of one length, on the host.
    pub fn gram(columns: &[Vector], last: &Vector) -> Result<(Vec<f64>, Vec<f64>)> {
        let count = columns.len();
        if let Vector::Device(last) = last {
            let flat = |of: &Vector| match of {
                Vector::Device(array) => array.ravel(),
                Vector::Host(_) => unreachable!("vectors of one search are on one side"),
            };
            let all: Vec<DeviceArray<f64>> = columns.iter().map(flat).chain([last.ravel()]).collect();
            let matrix = crate::stack(&all, 0);
            let products: Vec<f64> = transfer::download_vec(&matrix.matmul(&matrix.swapaxes(0, 1)).raw)?;
            let row = |at: usize| &products[at * (count + 1)..][..count];
            return Ok(((0..count).flat_map(row).copied().collect(), row(count).to_vec()));
        }
        let squares = columns.iter().flat_map(|a| columns.iter().map(|b| a.dot(b))).collect();
        Ok((squares, columns.iter().map(|a| a.dot(last)).collect()))
    }
}

/// Solves a small dense system on the host, by elimination with exchanges of rows; nothing if it is singular.
pub(super) fn solve(mut matrix: Vec<f64>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let n = right.len();
    for pivot in 0..n {
        let best = (pivot..n).max_by(|&a, &b| matrix[a * n + pivot].abs().total_cmp(&matrix[b * n + pivot].abs()))?;
        let diagonal = matrix[best * n + pivot];
        if diagonal == 0.0 || !diagonal.is_finite() {
            return None;
        }
        if best != pivot {
            (0..n).for_each(|column| matrix.swap(best * n + column, pivot * n + column));
            right.swap(best, pivot);
        }
        for row in pivot + 1..n {
            let factor = matrix[row * n + pivot] / diagonal;
            if factor != 0.0 {
                (pivot..n).for_each(|column| matrix[row * n + column] -= factor * matrix[pivot * n + column]);
                right[row] -= factor * right[pivot];
            }
        }
    }
    for row in (0..n).rev() {
        let sum: f64 = (row + 1..n).map(|column| matrix[row * n + column] * right[column]).sum();
        right[row] = (right[row] - sum) / matrix[row * n + row];
    }
    Some(right)
}
