//! Host functions under the names of the device's, where `ndarray` has none.

use super::map_host::HostArguments;
use ndarray::{Array, ArrayBase, ArrayD, Data, Dimension, IntoDimension};
use warpcell::{Element, Function};

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

/// `gpu::map` for host arrays, on the host's cores: no transfer.
pub fn map<T, F: Function<T>, A: HostArguments<T>>(function: F, arguments: A) -> ArrayD<F::Output> {
    todo!()
}
