//! Products of vectors and matrices on the host. `ndarray`'s own use one core, and for integers no vector instructions.

use super::{Packed, vec_of};
use crate::array::sides::{HostView, sealed::Host};
use crate::backend::{Layout, cpu};
use crate::dtype::{Element, Number};
use crate::error::{Result, check};
use crate::operations::products::agree;
use ndarray::{Array2, ArrayBase, Data, Ix1, Ix2};

/// The sum of the products of two vectors' elements, on all cores; NumPy's `dot`.
///
/// As [`gpu::dot`](crate::dot()), but for host arrays and always on the CPU: integers wrap, sums of floats lose no more with the
/// length.
///
/// **Panics** if the vectors differ in length.
///
/// ```
/// assert_eq!(warpcell::host::dot(&ndarray::array![1.0, 2.0], &ndarray::array![3.0, 4.0]), 11.0);
/// ```
#[track_caller]
pub fn dot<T: Number, R: Data<Elem = T>, S: Data<Elem = T>>(a: &ArrayBase<R, Ix1>, b: &ArrayBase<S, Ix1>) -> T {
    check(dot_of(&a.host_view(), &b.host_view()))
}

/// The product of two matrices, on all cores; NumPy's `matmul`.
///
/// As [`gpu::matmul`](crate::matmul()), but for host arrays and always on the CPU.
///
/// **Panics** if the left matrix has not as many columns as the right one has rows.
///
/// ```
/// let (a, b) = (ndarray::array![[1, 2], [3, 4]], ndarray::array![[0, 1], [1, 0]]);
/// assert_eq!(warpcell::host::matmul(&a, &b), ndarray::array![[2, 1], [4, 3]]);
/// ```
#[track_caller]
pub fn matmul<T, R, S>(a: &ArrayBase<R, Ix2>, b: &ArrayBase<S, Ix2>) -> Array2<T>
where
    T: Number,
    R: Data<Elem = T>,
    S: Data<Elem = T>,
{
    let values = check(matmul_of(&a.host_view(), &b.host_view()));
    Array2::from_shape_vec((a.nrows(), b.ncols()), values).expect("as many elements as the shape has")
}

fn dot_of<T: Element>(a: &HostView<'_>, b: &HostView<'_>) -> Result<T> {
    agree("dot", &a.shape, &b.shape, (0, 0))?;
    let mut sum = T::default();
    // What an interrupt of an earlier operation has left out is not this one's.
    let _ = cpu::completed();
    if a.shape[0] > 0 {
        let vector = |view: &HostView<'_>| (view.pointer, view.strides[0]);
        // SAFETY: the views' elements are borrowed; `sum` is one element of their type.
        unsafe { cpu::dot::dot(a.dtype, vector(a), vector(b), a.shape[0], false, (&raw mut sum).cast()) };
        cpu::completed()?;
    }
    Ok(sum)
}

fn matmul_of<T: Element>(a: &HostView<'_>, b: &HostView<'_>) -> Result<Vec<T>> {
    agree("matmul", &a.shape, &b.shape, (1, 0))?;
    let lengths = [a.shape[0], a.shape[1], b.shape[1]];
    let shape = [lengths[0], lengths[2]];
    if lengths.contains(&0) {
        return Ok(vec![T::default(); shape.iter().product()]);
    }
    // What an interrupt of an earlier operation has left out is not this one's.
    let mut completed = cpu::completed();
    let values = vec_of("matmul", &shape, |out| {
        let (a, b) = (Matrix::new(a), Matrix::new(b));
        let products = cpu::matmul::Products { lengths, a: a.factor(), b: b.factor(), pairs: &[[0, 0]], out };
        // SAFETY: the views' elements are borrowed; `out` has room for the product.
        unsafe { cpu::matmul::matmul(a.packed.host.dtype, &products) };
        completed = cpu::completed();
    })?;
    completed.map(|()| values)
}

/// A matrix whose rows or columns are neighbours in memory: the host array itself, or a copy.
struct Matrix<'a> {
    packed: Packed<'a>,
    strides: [isize; 2],
}

impl<'a> Matrix<'a> {
    fn new(host: &'a HostView<'a>) -> Self {
        let layout = Layout { shape: host.shape.clone(), strides: host.strides.clone(), offset: 0 };
        if layout.leading_dimension().is_some() {
            return Matrix { packed: Packed { host, copy: None }, strides: [host.strides[0], host.strides[1]] };
        }
        Matrix { packed: Packed::new(host), strides: [host.shape[1] as isize, 1] }
    }

    fn factor(&self) -> cpu::matmul::Factor {
        cpu::matmul::Factor { start: self.packed.pointer(), strides: self.strides }
    }
}
