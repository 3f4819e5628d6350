//! Arrays cut into parts along an axis, which are views.

use crate::array::axes::axis_of;
use crate::array::conversions::conversions;
use crate::array::view::slice_axis;
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::thin::thin;

/// How an array is cut.
#[derive(Debug)]
pub enum Sections {
    /// Into so many parts.
    Parts(usize),
    /// Before each of these places along the axis; negative ones count from the end.
    Before(Vec<isize>),
}

mod sealed {
    pub trait Sealed {}
}

/// How an array is cut: a number of parts such as `3`, or the places where all parts but the first begin, such as `[2, 5]`. Not
/// an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say where an array is cut",
    label = "expected a number of parts, or places",
    note = "give a number of equal parts such as `3`, or the places where all parts but the first begin, such as `[2, 5]`"
)]
pub trait IntoSections: sealed::Sealed {
    /// The number, or the places.
    fn into_sections(self) -> Sections;
}

conversions! {
    fn into_sections(self) -> Sections: IntoSections, sealed::Sealed;
    usize => Sections::Parts(self);
    // None of a negative number, which is an error.
    i32 => Sections::Parts(usize::try_from(self).unwrap_or(0));
    [i32; N] [const N: usize] => Sections::Before(self.map(|place| place as isize).to_vec());
    [isize; N] [const N: usize] => Sections::Before(self.to_vec());
    [usize; N] [const N: usize] => self.as_slice().into_sections();
    &[isize] => Sections::Before(self.to_vec());
    &[usize] => Sections::Before(self.iter().map(|&place| isize::try_from(place).unwrap_or(isize::MAX)).collect());
    Vec<isize> => Sections::Before(self);
    Vec<usize> => self.as_slice().into_sections();
}

thin! {
    /// The array cut into parts along the first axis, as [`split`](fn@crate::split) does, but the first parts are longer by one
    /// element where the parts cannot be equal; views. NumPy's `array_split`; another axis is `gpu::array_split!(&a, 3, axis = 1)`.
    ///
    /// **Panics** if the array has no axes, or there shall be no part ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let parts = gpu::array_split(&gpu::arange(5), 3);
    /// assert_eq!(parts.iter().map(|part| part.tolist()).collect::<Vec<_>>(), [vec![0, 1], vec![2, 3], vec![4]]);
    /// ```
    pub fn array_split<A: OnDevice<Elem = T>, T: Element>(a: &A, sections: impl IntoSections) -> Vec<DeviceArray<T>> =>
        cut("array_split", a.raw(), &sections.into_sections(), 0, false);

    /// The array cut along its second axis, a 1-D array along its only one; views. NumPy's `hsplit`.
    ///
    /// **Panics** if the array has no axes, or cannot be cut into so many equal parts ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[[1, 2, 3], [4, 5, 6]]);
    /// assert_eq!(gpu::hsplit(&a, [1])[1].ravel().tolist(), [2, 3, 5, 6]);
    /// ```
    pub fn hsplit<A: OnDevice<Elem = T>, T: Element>(a: &A, sections: impl IntoSections) -> Vec<DeviceArray<T>> => {
        let axis = usize::from(a.raw().shape().len() > 1);
        cut_at("hsplit", a.raw(), &sections.into_sections(), axis, 1)
    };

    /// The array cut along its first axis, into groups of rows; views. NumPy's `vsplit`.
    ///
    /// **Panics** if the array has less than two axes, or cannot be cut into so many equal parts ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::array(&[[1, 2], [3, 4]]);
    /// assert_eq!(gpu::vsplit(&a, 2)[1].ravel().tolist(), [3, 4]);
    /// ```
    pub fn vsplit<A: OnDevice<Elem = T>, T: Element>(a: &A, sections: impl IntoSections) -> Vec<DeviceArray<T>> =>
        cut_at("vsplit", a.raw(), &sections.into_sections(), 0, 2);

    /// The array cut along its third axis; views. NumPy's `dsplit`.
    ///
    /// **Panics** if the array has less than three axes, or cannot be cut into so many equal parts ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::dsplit(&gpu::zeros::<f64>((2, 3, 4)), 2)[0].shape(), [2, 3, 2]);
    /// ```
    pub fn dsplit<A: OnDevice<Elem = T>, T: Element>(a: &A, sections: impl IntoSections) -> Vec<DeviceArray<T>> =>
        cut_at("dsplit", a.raw(), &sections.into_sections(), 2, 3);
}

fn cut_at(
    operation: &'static str,
    raw: &RawArray,
    sections: &Sections,
    axis: usize,
    least_rank: usize,
) -> Result<Vec<RawArray>> {
    let rank = raw.shape().len();
    if rank < least_rank {
        let reason =
            format!("has {rank} axes, but at least {least_rank} are needed; use `split` along an axis that there is");
        return Err(Error::shape(operation, raw.shape(), reason));
    }
    cut(operation, raw, sections, axis as isize, true)
}

/// The parts; of a number of them, all of one length if they must be.
pub(crate) fn cut(
    operation: &'static str,
    raw: &RawArray,
    sections: &Sections,
    axis: isize,
    must_be_equal: bool,
) -> Result<Vec<RawArray>> {
    let axis = axis_of(operation, raw.shape(), axis)?;
    let length = raw.shape()[axis];
    let part = |start: usize, end: usize| slice_axis(raw, axis, start, 1, end.saturating_sub(start));
    let parts = match sections {
        Sections::Before(places) => {
            let place = |place: isize| match usize::try_from(place) {
                Ok(place) => place.min(length),
                Err(_) => length.saturating_sub(place.unsigned_abs()),
            };
            let starts = std::iter::once(0).chain(places.iter().map(|&at| place(at)));
            let ends = places.iter().map(|&at| place(at)).chain([length]);
            return Ok(starts.zip(ends).map(|(start, end)| part(start, end)).collect());
        }
        Sections::Parts(parts) => *parts,
    };
    let invalid = |reason: String| Error::shape(operation, raw.shape(), reason);
    if parts == 0 || (must_be_equal && !length.is_multiple_of(parts)) {
        return Err(invalid(if must_be_equal {
            format!(
                "has {length} elements along axis {axis}, which cannot be divided into {parts} equal parts; use `array_split` for parts of nearly one length"
            )
        } else {
            "cannot be cut into no parts; give a number of at least 1".into()
        }));
    }
    Ok(bounds(length, parts).windows(2).map(|ends| part(ends[0], ends[1])).collect())
}

/// Where the parts of a length begin and end, as equal as can be: the first ones are longer by one.
pub(crate) fn bounds(length: usize, parts: usize) -> Vec<usize> {
    let (least, longer) = (length / parts, length % parts);
    (0..=parts).map(|at| at * least + at.min(longer)).collect()
}
