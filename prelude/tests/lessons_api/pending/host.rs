//! Host functions under the names of the device's, where `ndarray` has none.

use super::map_host::HostArguments;
use ndarray::ArrayD;
use warpcell::Function;

/// `gpu::map` for host arrays, on the host's cores: no transfer.
pub fn map<T, F: Function<T>, A: HostArguments<T>>(function: F, arguments: A) -> ArrayD<F::Output> {
    todo!()
}
