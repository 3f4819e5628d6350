//! Discrete Fourier transforms: what [`fft`](crate::fft) is made of, over arrays without types.
//!
//! Lengths are brought to what is wanted here, by cutting or by zeros at the end; backends transform arrays as they are.

use crate::array::axes::{axes_of, axis_of};
use crate::array::{RawArray, assign, slice_axis};
use crate::backend::{BinaryOperation, Operand, UnaryOperation};
use crate::device;
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::operations::elementwise::unary;

/// What a transform is multiplied by; NumPy's `norm`. `n` is the number of points along the transformed axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Norm {
    /// Forward transforms are sums as they are, inverse ones are divided by `n`.
    #[default]
    Backward,
    /// Both are divided by the root of `n`, so that they keep the sum of squares.
    Ortho,
    /// Forward transforms are divided by `n`, inverse ones are sums as they are.
    Forward,
}

impl Norm {
    pub(crate) fn scale(self, points: f64, is_inverse: bool) -> f64 {
        match (self, is_inverse) {
            (Norm::Ortho, _) => 1.0 / points.sqrt(),
            (Norm::Backward, true) | (Norm::Forward, false) => 1.0 / points,
            _ => 1.0,
        }
    }

    /// The one with which forward and inverse transforms have exchanged their factors.
    fn exchanged(self) -> Norm {
        match self {
            Norm::Backward => Norm::Forward,
            Norm::Ortho => Norm::Ortho,
            Norm::Forward => Norm::Backward,
        }
    }
}

/// Which numbers become which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransformKind {
    /// All numbers of a spectrum.
    Forward,
    /// What they are a spectrum of.
    Inverse,
    /// Real numbers to the first half of their spectrum.
    Half,
    /// Such a half to the real numbers.
    Back,
    /// As `Back`, of the conjugates, with forward transforms: the real spectrum of what is its own conjugate in reverse.
    HermitianBack,
    /// As `Half`, conjugated, with inverse transforms.
    HermitianHalf,
}

/// What is asked for.
pub(crate) struct Request<'a> {
    pub operation: &'static str,
    pub kind: TransformKind,
    /// One for each axis; without, those that follow from the array.
    pub lengths: Option<&'a [usize]>,
    /// Negative ones count from the last, -1. Of [`TransformKind::Half`] and [`TransformKind::Back`], the last one is halved.
    pub axes: &'a [isize],
    pub norm: Norm,
    /// The type of the parts, `f32` or `f64`.
    pub part: DType,
}

/// All axes of an array.
pub(crate) fn all_axes(array: &RawArray) -> Vec<isize> {
    (0..array.shape().len() as isize).collect()
}

/// The transform of an array on its device.
pub(crate) fn transformed(request: &Request<'_>, x: &RawArray) -> Result<RawArray> {
    let &Request { operation, kind, part, .. } = request;
    match kind {
        TransformKind::HermitianBack => {
            let complex = complex_of(operation, x, part)?;
            let conjugates = unary(operation, UnaryOperation::Conjugate, &complex)?;
            let request = Request { kind: TransformKind::Back, norm: request.norm.exchanged(), ..*request };
            transformed(&request, &conjugates)
        }
        TransformKind::HermitianHalf => {
            let half = Request { kind: TransformKind::Half, norm: request.norm.exchanged(), ..*request };
            unary(operation, UnaryOperation::Conjugate, &transformed(&half, x)?)
        }
        _ => by_backend(request, x),
    }
}

fn by_backend(request: &Request<'_>, x: &RawArray) -> Result<RawArray> {
    let &Request { operation, kind, norm, part, .. } = request;
    let axes = axes_in_order(operation, x.shape(), request.axes)?;
    let lengths = lengths_of(request, x.shape(), &axes)?;
    x.handle.backend.can_transform()?;
    let is_inverse = matches!(kind, TransformKind::Inverse | TransformKind::Back);
    // Real numbers stay so where the backend takes them.
    let x = match kind {
        TransformKind::Forward if !x.dtype.is_complex() => x.in_type(operation, part)?,
        TransformKind::Half => x.in_type(operation, part)?,
        _ => complex_of(operation, x, part)?,
    };
    let (mut needed, mut shape) = (x.shape().to_vec(), x.shape().to_vec());
    for (place, (&axis, &length)) in axes.iter().zip(&lengths).enumerate() {
        let is_halved = place + 1 == axes.len();
        needed[axis] = if kind == TransformKind::Back && is_halved { length / 2 + 1 } else { length };
        shape[axis] = if kind == TransformKind::Half && is_halved { length / 2 + 1 } else { length };
    }
    let x = fitted(operation, &x, &needed)?;
    let dtype = if kind == TransformKind::Back { part } else { complex(part) };
    RawArray::written(operation, &x.handle, &shape, dtype, |out| {
        let scale = norm.scale(lengths.iter().map(|&length| length as f64).product(), is_inverse);
        x.handle.backend.transform(&axes, is_inverse, scale, false, x.view(), out.view())
    })
}

/// The complex type of a precision.
pub(crate) fn complex(part: DType) -> DType {
    if part == DType::F32 { DType::C64 } else { DType::C128 }
}

pub(crate) fn complex_of(operation: &'static str, x: &RawArray, part: DType) -> Result<RawArray> {
    x.in_type(operation, complex(part))
}

/// The axes as they were given, which must be some.
fn axes_in_order(operation: &'static str, shape: &[usize], axes: &[isize]) -> Result<Vec<usize>> {
    if axes.is_empty() {
        let reason = "cannot be transformed along no axis; give an array with at least one axis, and name at least one \
                     axis";
        return Err(Error::shape(operation, shape, reason));
    }
    // That also sees whether an axis is named twice.
    axes_of(operation, shape, axes)?;
    axes.iter().map(|&axis| axis_of(operation, shape, axis)).collect()
}

/// The number of points along each axis, of the side that has all of them.
fn lengths_of(request: &Request<'_>, shape: &[usize], axes: &[usize]) -> Result<Vec<usize>> {
    let invalid = |reason: String| Err(Error::shape(request.operation, shape, reason));
    let lengths: Vec<usize> = match request.lengths {
        Some(lengths) if lengths.len() != axes.len() => {
            return invalid(format!(
                "is transformed along {} axes, but {} lengths are given; give one length for each axis",
                axes.len(),
                lengths.len()
            ));
        }
        Some(lengths) => lengths.to_vec(),
        None => axes
            .iter()
            .enumerate()
            .map(|(place, &axis)| match shape[axis] {
                length if request.kind == TransformKind::Back && place + 1 == axes.len() => {
                    2 * length.saturating_sub(1)
                }
                length => length,
            })
            .collect(),
    };
    match lengths.iter().position(|&length| length == 0) {
        Some(place) if request.kind == TransformKind::Back && request.lengths.is_none() && place + 1 == axes.len() => {
            invalid(format!(
                "has too few elements along axis {}: the transform of n real numbers has n/2 + 1 elements, so the \
                 length {} means n = 0; give n, such as 1",
                axes[place], shape[axes[place]]
            ))
        }
        Some(place) => {
            invalid(format!("gives 0 points to transform along axis {}; there must be at least one", axes[place]))
        }
        None => Ok(lengths),
    }
}

/// The array contiguous and in this shape: what is longer is cut, what is shorter gets zeros at the end.
pub(crate) fn fitted(operation: &'static str, x: &RawArray, shape: &[usize]) -> Result<RawArray> {
    let cut = |array: &RawArray, to: &[usize]| {
        (0..to.len()).fold(array.clone(), |array, axis| {
            let length = array.shape()[axis].min(to[axis]);
            if length == array.shape()[axis] { array } else { slice_axis(&array, axis, 0, 1, length) }
        })
    };
    let kept = cut(x, shape);
    if kept.shape() == shape {
        return kept.contiguous(operation);
    }
    RawArray::written(operation, &x.handle, shape, x.dtype, |padded| {
        padded.handle.backend.fill(Scalar::of_float(0.0, x.dtype), padded.view())?;
        assign(operation, &cut(padded, kept.shape()), &kept)
    })
}

/// The array with each half of some axes in the place of the other: by half the length, rounded down, towards the end, or
/// back.
pub(crate) fn shifted(operation: &'static str, x: &RawArray, axes: &[isize], is_back: bool) -> Result<RawArray> {
    let axes = axes_of(operation, x.shape(), axes)?;
    let out = RawArray::uninitialised(operation, &x.handle, x.shape(), x.dtype)?;
    // The array in as many corners as there are combinations of halves.
    for corner in 0..1u64 << axes.len() {
        let (mut from, mut to) = (x.clone(), out.clone());
        for (bit, &axis) in axes.iter().enumerate() {
            let length = x.shape()[axis];
            let tail = if is_back { length - length / 2 } else { length / 2 };
            let head = length - tail;
            if corner >> bit & 1 == 0 {
                (from, to) = (slice_axis(&from, axis, 0, 1, head), slice_axis(&to, axis, tail, 1, head));
            } else {
                (from, to) = (slice_axis(&from, axis, head, 1, tail), slice_axis(&to, axis, 0, 1, tail));
            }
        }
        assign(operation, &to, &from)?;
    }
    Ok(out)
}

/// The frequencies of the numbers in a spectrum of `n` points: of all, or of the first half.
pub(crate) fn frequencies(operation: &'static str, n: usize, spacing: f64, half: bool) -> Result<RawArray> {
    if n == 0 {
        let reason = "there are no frequencies of 0 points; give the number of points that were transformed";
        return Err(Error::argument(operation, reason));
    }
    let unit = 1.0 / (n as f64 * spacing);
    let count = if half { n / 2 + 1 } else { n };
    let negative_from = if half { count } else { n.div_ceil(2) };
    let out = RawArray::uninitialised(operation, &device::current()?, &[count], DType::F64)?;
    let backend = &out.handle.backend;
    backend.arange(Scalar::F64(0.0), Scalar::F64(unit), slice_axis(&out, 0, 0, 1, negative_from).view())?;
    if count > negative_from {
        let negative = slice_axis(&out, 0, negative_from, 1, count - negative_from);
        backend.arange(Scalar::F64(negative_from as f64 - n as f64), Scalar::F64(1.0), negative.view())?;
        let (numbers, unit) = (Operand::Array(negative.view()), Operand::Scalar(Scalar::F64(unit)));
        backend.binary(BinaryOperation::Multiply, numbers, unit, negative.view())?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request<'a>(kind: TransformKind, lengths: Option<&'a [usize]>, axes: &'a [isize]) -> Request<'a> {
        Request { operation: "fftn", kind, lengths, axes, norm: Norm::Backward, part: DType::F64 }
    }

    #[test]
    fn errors_say_what_is_wrong_with_lengths_and_axes() {
        let a = crate::zeros::<f64>((3, 1));
        let text = |kind, lengths: Option<&[usize]>, axes: &[isize]| {
            transformed(&request(kind, lengths, axes), &a.raw).err().unwrap().to_string()
        };
        assert!(text(TransformKind::Forward, None, &[2]).contains("no axis 2"));
        assert!(text(TransformKind::Forward, None, &[0, -2]).contains("axis 0 twice"));
        assert!(text(TransformKind::Forward, None, &[]).contains("along no axis"));
        assert!(text(TransformKind::Forward, Some(&[4]), &[0, 1]).contains("2 axes, but 1 lengths"));
        assert!(text(TransformKind::Half, Some(&[0]), &[0]).contains("0 points to transform along axis 0"));
        assert!(
            text(TransformKind::Back, None, &[1]).contains("the length 1 means n = 0"),
            "{}",
            text(TransformKind::Back, None, &[1])
        );
        let empty = crate::zeros::<f32>((2, 0));
        assert!(transformed(&request(TransformKind::Forward, None, &[1]), &empty.raw).is_err());
        assert_eq!(transformed(&request(TransformKind::Forward, None, &[0]), &empty.raw).unwrap().shape(), [2, 0]);
        assert_eq!(
            transformed(&request(TransformKind::Forward, Some(&[4]), &[1]), &empty.raw).unwrap().shape(),
            [2, 4]
        );
        assert!(frequencies("fftfreq", 0, 1.0, false).is_err());
    }

    #[test]
    fn norms_are_factors() {
        assert_eq!(Norm::Backward.scale(4.0, true), 0.25);
        assert_eq!(Norm::Backward.scale(4.0, false), 1.0);
        assert_eq!(Norm::Forward.scale(4.0, false), 0.25);
        assert_eq!(Norm::Ortho.scale(4.0, true), 0.5);
        assert_eq!(Norm::Ortho.exchanged(), Norm::Ortho);
    }
}
