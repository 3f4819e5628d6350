//! Shapes of bools: their morphology, labels of their parts, and distances to them.

use super::arguments::{MaybeArray, MaybeNumbers};
use super::{measurements, morphology, with};
use crate::array::sides::sealed::Host;
use crate::array::transfer::upload;
use crate::array::{DeviceArray, OnDevice};
use crate::backend::Layout;
use crate::device;
use crate::dtype::{Integer, Real};
use crate::error::{Error, check, fail};
use crate::thin::thin;
use std::ops::Range;

/// Whether all elements around an element are not 0, where `structure` is true: an array of bools, or the nearest neighbours
/// along the axes. SciPy's `binary_erosion`. Keywords of its macro: `iterations` (below 1: until nothing changes, for which it
/// waits), `mask` (other elements stay as they are), `border_value` (what lies outside), `origin`.
///
/// ```
/// use warpcell as gpu;
/// let mut x = gpu::zeros::<bool>((5, 5));
/// x.slice(ndarray::s![1..4, 1..4]).fill(true);
/// assert_eq!(gpu::ndimage::binary_erosion(&x, ()).count_nonzero(), 1);
/// ```
#[track_caller]
pub fn binary_erosion<A: OnDevice<Elem = T>, T: Real>(input: &A, structure: impl MaybeArray) -> DeviceArray<bool> {
    with::binary_erosion(input, structure, 1, (), false, 0)
}

/// Whether any element around an element is not 0, where `structure` is true: an array of bools, or the nearest neighbours along
/// the axes. SciPy's `binary_dilation`. Keywords of its macro: `iterations` (below 1: until nothing changes, for which it
/// waits), `mask` (other elements stay as they are), `border_value` (what lies outside), `origin`.
///
/// ```
/// use warpcell as gpu;
/// let mut x = gpu::zeros::<bool>((5, 5));
/// x.slice(ndarray::s![1..4, 1..4]).fill(true);
/// assert_eq!(gpu::ndimage::binary_dilation(&x, ()).count_nonzero(), 21);
/// ```
#[track_caller]
pub fn binary_dilation<A: OnDevice<Elem = T>, T: Real>(input: &A, structure: impl MaybeArray) -> DeviceArray<bool> {
    with::binary_dilation(input, structure, 1, (), false, 0)
}

/// An erosion and then a dilation, which removes small parts; SciPy's `binary_opening`. `structure` and the keywords of its
/// macro are those of [`binary_erosion`](fn@binary_erosion).
///
/// ```
/// use warpcell as gpu;
/// let mut x = gpu::zeros::<bool>((5, 5));
/// x.slice(ndarray::s![1..4, 1..4]).fill(true);
/// assert_eq!(gpu::ndimage::binary_opening(&x, &gpu::full((3, 3), true)).count_nonzero(), 9);
/// ```
#[track_caller]
pub fn binary_opening<A: OnDevice<Elem = T>, T: Real>(input: &A, structure: impl MaybeArray) -> DeviceArray<bool> {
    with::binary_opening(input, structure, 1, 0, (), false)
}

/// A dilation and then an erosion, which closes small gaps; SciPy's `binary_closing`. `structure` and the keywords of its macro
/// are those of [`binary_erosion`](fn@binary_erosion).
///
/// ```
/// use warpcell as gpu;
/// let mut x = gpu::zeros::<bool>((5, 5));
/// x.slice(ndarray::s![1..4, 1..4]).fill(true);
/// assert_eq!(gpu::ndimage::binary_closing(&x, &gpu::full((3, 3), true)).count_nonzero(), 9);
/// ```
#[track_caller]
pub fn binary_closing<A: OnDevice<Elem = T>, T: Real>(input: &A, structure: impl MaybeArray) -> DeviceArray<bool> {
    with::binary_closing(input, structure, 1, 0, (), false)
}

/// What grows from the elements that are not 0: all of `mask` that is joined with them by neighbours. SciPy's
/// `binary_propagation`; by the sets of neighbours of the mask, without iterations. Waits. Keywords of its macro: `mask`,
/// `border_value`, `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[false, true, false]);
/// assert_eq!(gpu::ndimage::binary_propagation(&x, ()).tolist(), [true, true, true]);
/// ```
#[track_caller]
pub fn binary_propagation<A: OnDevice<Elem = T>, T: Real>(input: &A, structure: impl MaybeArray) -> DeviceArray<bool> {
    with::binary_propagation(input, structure, (), false, 0)
}

/// The array with its holes filled: what is 0 and is not joined with the outside by neighbours. SciPy's `binary_fill_holes`.
/// Waits. Keyword of its macro: `origin`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[[1, 1, 1], [1, 0, 1], [1, 1, 1]]);
/// assert!(gpu::ndimage::binary_fill_holes(&x, ()).all());
/// ```
#[track_caller]
pub fn binary_fill_holes<A: OnDevice<Elem = T>, T: Real>(input: &A, structure: impl MaybeArray) -> DeviceArray<bool> {
    with::binary_fill_holes(input, structure, 0)
}

/// Where a pattern is: all elements are not 0 where `structure1` is true, and 0 where `structure2` is, the opposite of
/// `structure1` unless it is given. SciPy's `binary_hit_or_miss`. Keywords of its macro: `structure2`, `origin1`, `origin2`.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[1, 1, 0, 1]);
/// assert_eq!(gpu::ndimage::binary_hit_or_miss(&x, &[false, true, true]).tolist(), [true, false, false, false]);
/// ```
#[track_caller]
pub fn binary_hit_or_miss<A: OnDevice<Elem = T>, T: Real>(input: &A, structure1: impl MaybeArray) -> DeviceArray<bool> {
    with::binary_hit_or_miss(input, structure1, (), 0, ())
}

/// The numbers of the parts that are joined by neighbours, from 1 on in the order of their first elements, 0 where the array is
/// 0; and how many parts there are. SciPy's `label`. Waits for the number. Keyword of its macro: `structure`, the neighbours of
/// an element: 3 along each axis and symmetric; those along the axes unless it is given. By sets that are united with atomic
/// operations, from the runs of each line (Playne and Hawick, "A new algorithm for parallel connected-component labelling on
/// GPUs", 2018).
///
/// **Panics** if the structure is not of this form, or if there are more than four axes.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[[1, 0, 0], [0, 1, 1]]);
/// let (labels, count) = gpu::ndimage::label(&x);
/// assert_eq!(count, 2);
/// assert_eq!(labels.ravel().tolist(), [1, 0, 0, 0, 2, 2]);
/// ```
#[track_caller]
pub fn label<A: OnDevice<Elem = T>, T: Real>(input: &A) -> (DeviceArray<i32>, usize) {
    with::label(input, ())
}

/// The boxes around the parts with the labels 1, 2, …: a range along each axis, or `None` for a label that is missing. SciPy's
/// `find_objects`. Waits. Keyword of its macro: `max_label`, the last label, 0 for the greatest one.
///
/// ```
/// use warpcell as gpu;
/// let labels = gpu::array(&[[0, 1, 1], [3, 3, 0]]);
/// let boxes = gpu::ndimage::find_objects(&labels);
/// assert_eq!(boxes, [Some(vec![0..1, 1..3]), None, Some(vec![1..2, 0..2])]);
/// ```
#[track_caller]
pub fn find_objects<A: OnDevice<Elem = T>, T: Integer>(input: &A) -> Vec<Option<Vec<Range<usize>>>> {
    with::find_objects(input, 0)
}

/// The distance of each element that is not 0 to the nearest one that is; SciPy's `distance_transform_edt`. It is infinite if
/// there is no 0. Keyword of its macro: `sampling`, the distance of neighbours along the axes. Exact, along one axis after the
/// other, in time that is linear in the number of elements (Felzenszwalb and Huttenlocher, "Distance transforms of sampled
/// functions", 2012). On a GPU lines are divided in halves, as what is nearest never goes back along a line.
///
/// **Panics** if a sampling is not positive.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::array(&[0, 1, 1, 1, 0]);
/// assert_eq!(gpu::ndimage::distance_transform_edt(&x).tolist(), [0.0, 1.0, 2.0, 1.0, 0.0]);
/// ```
#[track_caller]
pub fn distance_transform_edt<A: OnDevice<Elem = T>, T: Real>(input: &A) -> DeviceArray<f64> {
    with::distance_transform_edt(input, ())
}

/// As [`distance_transform_edt`](fn@distance_transform_edt), with the indices of the nearest elements that are 0: an array with
/// one
/// more axis before the others, for an index along each. SciPy's `distance_transform_edt` with `return_indices`.
///
/// **Panics** as [`distance_transform_edt`](fn@distance_transform_edt) does.
///
/// ```
/// use warpcell as gpu;
/// let (distances, indices) = gpu::ndimage::distance_transform_edt_indices(&gpu::array(&[1, 1, 0]), ());
/// assert_eq!((distances.tolist(), indices.ravel().tolist()), (vec![2.0, 1.0, 0.0], vec![2, 2, 2]));
/// ```
#[track_caller]
pub fn distance_transform_edt_indices<A: OnDevice<Elem = T>, T: Real>(
    input: &A,
    sampling: impl MaybeNumbers,
) -> (DeviceArray<f64>, DeviceArray<i64>) {
    const NAME: &str = "distance_transform_edt_indices";
    let (distances, nearest) = check(morphology::distances(NAME, input.raw(), sampling.given(), true));
    let nearest = nearest.expect("it is wanted");
    (DeviceArray::from_raw(distances), DeviceArray::from_raw(check(measurements::indices(NAME, &nearest))))
}

/// The neighbours of an element along `rank` axes, itself included: those that differ in at most `connectivity` indices. SciPy's
/// `generate_binary_structure`.
///
/// **Panics** if there are more than 12 axes.
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::ndimage::generate_binary_structure(2, 1).count_nonzero(), 5);
/// assert_eq!(gpu::ndimage::generate_binary_structure(3, 2).count_nonzero(), 19);
/// ```
#[track_caller]
pub fn generate_binary_structure(rank: usize, connectivity: usize) -> DeviceArray<bool> {
    const NAME: &str = "generate_binary_structure";
    if rank > 12 {
        fail(Error::argument(NAME, format!("`rank` is {rank}; it can be at most 12")));
    }
    let handle = check(device::current());
    let flat = check(upload(NAME, &morphology::ball(rank, connectivity).host_view(), &handle));
    DeviceArray::from_raw(flat.with_layout(Layout::contiguous(&vec![3; rank])))
}

thin! {
    /// A structure dilated by itself, `iterations` times less one: the elements that are that many steps away. SciPy's
    /// `iterate_structure`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let cross = gpu::ndimage::generate_binary_structure(2, 1);
    /// let diamond = gpu::ndimage::iterate_structure(&cross, 2);
    /// assert_eq!((diamond.shape(), diamond.count_nonzero()), (&[5, 5][..], 13));
    /// ```
    pub fn iterate_structure<A: OnDevice<Elem = T>, T: Real>(structure: &A, iterations: usize) -> DeviceArray<bool> =>
        morphology::iterated("iterate_structure", structure.raw(), iterations);
}
