//! What calls of special functions with keywords need.

use crate::array::axes::IntoAxes;
use crate::array::{DeviceArray, OnDevice};
use crate::dtype::Float;
use crate::operations::elementwise::Operand;
use crate::special::{log_of_sum, normalised, with_repetition};
use crate::thin::thin;

thin! {
    /// `gpu::special::softmax` along axes.
    pub fn softmax<A: OnDevice<Elem = T>, T: Float>(x: &A, axes: impl IntoAxes) -> DeviceArray<T> =>
        normalised("softmax", x.raw(), Some(axes.into_axes()), false);

    /// `gpu::special::log_softmax` along axes.
    pub fn log_softmax<A: OnDevice<Elem = T>, T: Float>(x: &A, axes: impl IntoAxes) -> DeviceArray<T> =>
        normalised("log_softmax", x.raw(), Some(axes.into_axes()), true);

    /// `gpu::special::comb` of things that may be taken again.
    pub fn comb_again<T: Float>(n: impl Operand<T>, k: impl Operand<T>) -> DeviceArray<T> =>
        with_repetition(n.raw_operand(), k.raw_operand());

    /// `gpu::special::logsumexp` along axes.
    pub fn logsumexp<A: OnDevice<Elem = T>, T: Float>(a: &A, axes: impl IntoAxes) -> DeviceArray<T> =>
        log_of_sum(a.raw(), Some(axes.into_axes()));
}
