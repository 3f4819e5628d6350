//! Axes as arguments.

use crate::array::conversions::conversions;
use crate::error::{Error, Result};

mod sealed {
    pub trait Sealed {}
}

/// What can be given as one axis or several: `0`, `-1` (the last), ndarray's `Axis(0)`, `(0, 2)`, `[0, 2]`, a slice or a `Vec`. Not an
/// extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an axis",
    label = "expected an axis",
    note = "axes are an integer such as `0` or `-1`, a tuple such as `(0, 2)`, or an array such as `[0, 2]`"
)]
pub trait IntoAxes: sealed::Sealed {
    /// The axes; negative ones count from the last, which is -1.
    fn into_axes(self) -> Vec<isize>;
}

conversions! {
    fn into_axes(self) -> Vec<isize>: IntoAxes, sealed::Sealed;
    i32 => vec![self as isize];
    isize => vec![self];
    usize => vec![isize::try_from(self).unwrap_or(isize::MAX)];
    ndarray::Axis => self.index().into_axes();
    (i32, i32) => vec![self.0 as isize, self.1 as isize];
    (i32, i32, i32) => vec![self.0 as isize, self.1 as isize, self.2 as isize];
    (usize, usize) => [self.0, self.1].into_axes();
    (usize, usize, usize) => [self.0, self.1, self.2].into_axes();
    [i32; N] [const N: usize] => self.map(|axis| axis as isize).to_vec();
    [isize; N] [const N: usize] => self.to_vec();
    [usize; N] [const N: usize] => self.as_slice().into_axes();
    &[usize] => self.iter().flat_map(|&axis| axis.into_axes()).collect();
    &[isize] => self.to_vec();
    &[i32] => self.iter().map(|&axis| axis as isize).collect();
    &[i32; N] [const N: usize] => self.as_slice().into_axes();
    &[isize; N] [const N: usize] => self.to_vec();
    &Vec<isize> => self.clone();
    Vec<usize> => self.as_slice().into_axes();
    Vec<isize> => self;
}

/// The axes of an array of `shape`, sorted; or what is wrong with them.
pub(crate) fn axes_of(operation: &'static str, shape: &[usize], axes: &[isize]) -> Result<Vec<usize>> {
    let mut found = axes.iter().map(|&axis| axis_of(operation, shape, axis)).collect::<Result<Vec<usize>>>()?;
    found.sort_unstable();
    match found.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            let reason = format!("cannot be used with axis {} twice in {axes:?}; name each axis once", pair[0]);
            Err(Error::shape(operation, shape, reason))
        }
        None => Ok(found),
    }
}

/// One axis of an array of `shape`.
pub(crate) fn axis_of(operation: &'static str, shape: &[usize], axis: isize) -> Result<usize> {
    let rank = shape.len();
    let counted = if axis < 0 { axis.checked_add_unsigned(rank) } else { Some(axis) };
    counted.and_then(|axis| usize::try_from(axis).ok()).filter(|&axis| axis < rank).ok_or_else(|| {
        let which = match rank {
            0 => "it has no axes".to_owned(),
            1 => "its only axis is 0, which is also -1".to_owned(),
            _ => format!("its axes are 0 to {}, or -{rank} to -1", rank - 1),
        };
        Error::shape(operation, shape, format!("has no axis {axis}; {which}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_count_from_both_ends() {
        let of = |axes: &[isize]| axes_of("sum_axis", &[2, 3, 4], axes).map_err(|error| error.to_string());
        assert_eq!(of(&[2, -3]), Ok(vec![0, 2]));
        assert_eq!(of(&[]), Ok(vec![]));
        let error = of(&[3]).unwrap_err();
        assert_eq!(error, "sum_axis: the shape [2, 3, 4] has no axis 3; its axes are 0 to 2, or -3 to -1");
        assert!(of(&[-4]).unwrap_err().contains("no axis -4"));
        assert!(of(&[1, -2]).unwrap_err().contains("axis 1 twice in [1, -2]"));
        assert!(axis_of("flip", &[], 0).unwrap_err().to_string().contains("it has no axes"));
        assert!(axis_of("flip", &[5], isize::MIN).is_err());
    }

    #[test]
    fn axes_come_in_many_forms() {
        assert_eq!((-1).into_axes(), [-1]);
        assert_eq!(2usize.into_axes(), [2]);
        assert_eq!((0, -1).into_axes(), [0, -1]);
        assert_eq!([1usize, 0].into_axes(), [1, 0]);
        assert_eq!(vec![0usize, 2].into_axes(), [0, 2]);
    }
}
