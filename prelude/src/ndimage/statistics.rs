//! Measurements of the elements that have each label.

use super::arguments::MaybeArray;
use super::measurements::{Groups, IntoLabels};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::dtype::Real;
use crate::error::{Result, check};
use crate::floats::IntoFloat;
use crate::thin::thin;

/// The elements in groups.
fn groups(
    operation: &'static str,
    x: &RawArray,
    labels: &impl MaybeArray,
    index: (Option<Vec<i64>>, bool),
) -> Result<Groups> {
    Groups::new(operation, x, labels.view().as_ref(), index)
}

thin! {
    /// The sums of the elements with each label: a vector, or one number without axes where one label or `()` is given. On CUDA
    /// the order of the sums changes from call to call. SciPy's `sum_labels`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, labels) = (gpu::array(&[1.0, 5.0, 3.0, 8.0]), gpu::array(&[1, 1, 2, 1]));
    /// assert_eq!(gpu::ndimage::sum_labels(&x, &labels, [1, 2]).tolist(), [14.0, 3.0]);
    /// ```
    pub fn sum_labels<A, L>(input: &A, labels: L, index: impl IntoLabels) -> DeviceArray<f64>
    where A: OnDevice<Elem: Real>, L: MaybeArray
        => groups("sum_labels", input.raw(), &labels, index.into_labels()).and_then(|groups| groups.sum());

    /// The means of the elements with each label, as [`sum_labels`] gives sums; NaN for a label without elements. SciPy's `mean`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, labels) = (gpu::array(&[1.0, 5.0, 3.0, 8.0]), gpu::array(&[1, 1, 2, 1]));
    /// assert_eq!(gpu::ndimage::mean(&x, &labels, ()).item(), 4.25);
    /// ```
    pub fn mean<A, L>(input: &A, labels: L, index: impl IntoLabels) -> DeviceArray<f64>
    where A: OnDevice<Elem: Real>, L: MaybeArray
        => groups("mean", input.raw(), &labels, index.into_labels()).and_then(|groups| groups.mean());

    /// The variances of the elements with each label. SciPy's `variance`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, labels) = (gpu::array(&[1.0, 5.0, 3.0, 8.0]), gpu::array(&[1, 1, 2, 1]));
    /// assert!((gpu::ndimage::variance(&x, &labels, 1).item() - 8.2222).abs() < 1e-4);
    /// ```
    pub fn variance<A, L>(input: &A, labels: L, index: impl IntoLabels) -> DeviceArray<f64>
    where A: OnDevice<Elem: Real>, L: MaybeArray
        => groups("variance", input.raw(), &labels, index.into_labels()).and_then(|groups| groups.variance());

    /// The standard deviations of the elements with each label. SciPy's `standard_deviation`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, labels) = (gpu::array(&[1.0, 5.0, 3.0, 8.0]), gpu::array(&[1, 1, 2, 1]));
    /// assert!((gpu::ndimage::standard_deviation(&x, &labels, 1).item() - 2.8674).abs() < 1e-4);
    /// ```
    pub fn standard_deviation<A, L>(input: &A, labels: L, index: impl IntoLabels) -> DeviceArray<f64>
    where A: OnDevice<Elem: Real>, L: MaybeArray
        => groups("standard_deviation", input.raw(), &labels, index.into_labels()).and_then(|groups| groups.deviation());

    /// The least elements with each label; 0 for a label without elements. SciPy's `minimum`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, labels) = (gpu::array(&[1.0, 5.0, 3.0, 8.0]), gpu::array(&[1, 1, 2, 1]));
    /// assert_eq!(gpu::ndimage::minimum(&x, &labels, 1..=2).tolist(), [1.0, 3.0]);
    /// ```
    pub fn minimum<A, L>(input: &A, labels: L, index: impl IntoLabels) -> DeviceArray<f64>
    where A: OnDevice<Elem: Real>, L: MaybeArray
        => groups("minimum", input.raw(), &labels, index.into_labels()).and_then(|groups| groups.extreme(false).map(|found| found.0));

    /// The greatest elements with each label; 0 for a label without elements. SciPy's `maximum`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, labels) = (gpu::array(&[1.0, 5.0, 3.0, 8.0]), gpu::array(&[1, 1, 2, 1]));
    /// assert_eq!(gpu::ndimage::maximum(&x, &labels, 1..=2).tolist(), [8.0, 3.0]);
    /// ```
    pub fn maximum<A, L>(input: &A, labels: L, index: impl IntoLabels) -> DeviceArray<f64>
    where A: OnDevice<Elem: Real>, L: MaybeArray
        => groups("maximum", input.raw(), &labels, index.into_labels()).and_then(|groups| groups.extreme(true).map(|found| found.0));

    /// Where the least elements with each label are: an index along each axis, in the last axis of the result; the first of
    /// equal ones. SciPy's `minimum_position`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, labels) = (gpu::array(&[1.0, 5.0, 3.0, 8.0]), gpu::array(&[1, 1, 2, 1]));
    /// assert_eq!(gpu::ndimage::minimum_position(&x, &labels, 1..=2).shape(), [2, 1]);
    /// ```
    pub fn minimum_position<A, L>(input: &A, labels: L, index: impl IntoLabels) -> DeviceArray<i64>
    where A: OnDevice<Elem: Real>, L: MaybeArray
        => groups("minimum_position", input.raw(), &labels, index.into_labels()).and_then(|groups| groups.extreme(false).map(|found| found.1));

    /// Where the greatest elements with each label are: an index along each axis, in the last axis of the result; the last of
    /// equal ones if there is a list of labels, else the first. SciPy's `maximum_position`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, labels) = (gpu::array(&[1.0, 5.0, 3.0, 8.0]), gpu::array(&[1, 1, 2, 1]));
    /// assert_eq!(gpu::ndimage::maximum_position(&x, &labels, 1).tolist(), [3]);
    /// ```
    pub fn maximum_position<A, L>(input: &A, labels: L, index: impl IntoLabels) -> DeviceArray<i64>
    where A: OnDevice<Elem: Real>, L: MaybeArray
        => groups("maximum_position", input.raw(), &labels, index.into_labels()).and_then(|groups| groups.extreme(true).map(|found| found.1));

    /// The centres of mass of the elements with each label: a coordinate along each axis, in the last axis of the result.
    /// SciPy's `center_of_mass`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, labels) = (gpu::array(&[1.0, 5.0, 3.0, 8.0]), gpu::array(&[1, 1, 2, 1]));
    /// assert!((gpu::ndimage::center_of_mass(&x, &labels, 1).item() - 29.0 / 14.0).abs() < 1e-12);
    /// ```
    pub fn center_of_mass<A, L>(input: &A, labels: L, index: impl IntoLabels) -> DeviceArray<f64>
    where A: OnDevice<Elem: Real>, L: MaybeArray
        => groups("center_of_mass", input.raw(), &labels, index.into_labels()).and_then(|groups| groups.centre());

    /// The medians of the elements with each label; NaN for a label without elements. SciPy's `median`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, labels) = (gpu::array(&[1.0, 5.0, 3.0, 8.0]), gpu::array(&[1, 1, 2, 1]));
    /// assert_eq!(gpu::ndimage::median(&x, &labels, 1..=2).tolist(), [5.0, 3.0]);
    /// ```
    pub fn median<A, L>(input: &A, labels: L, index: impl IntoLabels) -> DeviceArray<f64>
    where A: OnDevice<Elem: Real>, L: MaybeArray
        => groups("median", input.raw(), &labels, index.into_labels()).and_then(|groups| groups.median());

    /// Histograms of the elements with each label: `bins` of one width from `min` to `max`, the last one with both of its ends.
    /// SciPy's `histogram`.
    ///
    /// **Panics** if there is no bin, or the range does not ascend.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (x, labels) = (gpu::array(&[1.0, 5.0, 3.0, 8.0]), gpu::array(&[1, 1, 2, 1]));
    /// assert_eq!(gpu::ndimage::histogram(&x, 0.0, 8.0, 2, &labels, 1).tolist(), [1, 2]);
    /// ```
    pub fn histogram<A, L>(input: &A, min: impl IntoFloat, max: impl IntoFloat, bins: usize, labels: L, index: impl IntoLabels) -> DeviceArray<i64>
    where A: OnDevice<Elem: Real>, L: MaybeArray
        => groups("histogram", input.raw(), &labels, index.into_labels()).and_then(|groups| groups.histogram(min.into_float(), max.into_float(), bins));
}

/// The least and the greatest elements with each label, and their positions: [`minimum`], [`maximum`], [`minimum_position`] and
/// [`maximum_position`]. SciPy's `extrema`.
///
/// ```
/// use warpcell as gpu;
/// let (x, labels) = (gpu::array(&[1.0, 5.0, 3.0, 8.0]), gpu::array(&[1, 1, 2, 1]));
/// let (least, greatest, _, at) = gpu::ndimage::extrema(&x, &labels, 1);
/// assert_eq!((least.item(), greatest.item(), at.item()), (1.0, 8.0, 3));
/// ```
#[track_caller]
#[allow(clippy::type_complexity)]
pub fn extrema<A: OnDevice<Elem = T>, T: Real>(
    input: &A,
    labels: impl MaybeArray,
    index: impl IntoLabels,
) -> (DeviceArray<f64>, DeviceArray<f64>, DeviceArray<i64>, DeviceArray<i64>) {
    let groups = check(groups("extrema", input.raw(), &labels, index.into_labels()));
    let ((least, at), (greatest, to)) = (check(groups.extreme(false)), check(groups.extreme(true)));
    (
        DeviceArray::from_raw(least),
        DeviceArray::from_raw(greatest),
        DeviceArray::from_raw(at),
        DeviceArray::from_raw(to),
    )
}
