//! Host functions under the names of the device's, where `ndarray` has none or one that is slower (`dot` on one core).

use super::map_host::HostArguments;
use ndarray::{Array, Array2, ArrayBase, ArrayD, Data, Dimension, IntoDimension, Ix1, Ix2};
use warpcell::{Element, Function, Number};

/// The arrays along a new axis; `numpy.stack`. Takes the lists that `gpu::vstack` takes.
pub fn stack<'a, T, S, D>(arrays: impl IntoIterator<Item = &'a ArrayBase<S, D>>, axis: usize) -> Array<T, D::Larger>
where
    T: Element,
    S: Data<Elem = T> + 'a,
    D: Dimension + 'a,
{
    todo!()
}

/// The elements in row-major order in another shape; a copy. `ndarray`'s own returns a `Result` and a `CowArray`.
pub fn reshape<T, S, D, E>(a: &ArrayBase<S, D>, shape: E) -> Array<T, E::Dim>
where
    T: Element,
    S: Data<Elem = T>,
    D: Dimension,
    E: IntoDimension,
{
    todo!()
}

/// The dot product of two vectors, on all cores.
pub fn dot<T: Number, R: Data<Elem = T>, S: Data<Elem = T>>(a: &ArrayBase<R, Ix1>, b: &ArrayBase<S, Ix1>) -> T {
    todo!()
}

/// The product of two matrices, on all cores.
pub fn matmul<T, R, S>(a: &ArrayBase<R, Ix2>, b: &ArrayBase<S, Ix2>) -> Array2<T>
where
    T: Number,
    R: Data<Elem = T>,
    S: Data<Elem = T>,
{
    todo!()
}

/// `gpu::map` for host arrays, on the host's cores: no transfer.
pub fn map<T, F: Function<T>, A: HostArguments<T>>(function: F, arguments: A) -> ArrayD<F::Output> {
    todo!()
}

/// Linear algebra on the host.
pub mod linalg {
    use ndarray::{Array2, ArrayBase, Data, Ix2};
    use warpcell::Float;

    /// The reduced QR decomposition `(q, r)` of a matrix.
    pub fn qr<T: Float, S: Data<Elem = T>>(a: &ArrayBase<S, Ix2>) -> (Array2<T>, Array2<T>) {
        todo!()
    }
}
