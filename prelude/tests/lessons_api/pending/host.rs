//! Host functions under the names of the device's, where `ndarray` has none or one that is slower (`dot` on one core).

use super::map_host::HostArguments;
use ndarray::{Array2, ArrayBase, ArrayD, Data, Ix1, Ix2};
use warpcell::{Function, Number};

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
