//! Bits of bytes: numbers that are zero or not, eight of them packed into one byte, and the bits of bytes as numbers.

use crate::array::axes::axis_of;
use crate::array::{DeviceArray, OnDevice, RawArray, assign, slice_axis};
use crate::backend::{BinaryOperation, Layout};
use crate::dtype::{Bitwise, DType, Scalar};
use crate::error::{Error, Result};
use crate::operations::composing::Composed;
use crate::operations::elementwise::RawOperand;
use crate::operations::formulas::{self, apply_one};
use crate::thin::thin;

thin! {
    /// Whether elements are not zero, as bits: eight elements make one byte, the first one its highest bit. NumPy's `packbits`.
    ///
    /// The array has integers or bools, and any shape. Without an axis, its elements are taken in row-major order, and the
    /// result is 1-D. `gpu::packbits!(&a, axis = 0, bitorder = "little")` packs along an axis, and makes the first element
    /// the lowest bit. Zeros fill the last byte. Queued.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::packbits(&gpu::array(&[1, 0, 1, 0, 0, 0, 0, 1, 1])).tolist(), [0b1010_0001, 0b1000_0000]);
    /// ```
    pub fn packbits<A: OnDevice<Elem: Bitwise>>(a: &A) -> DeviceArray<u8> => packed(a.raw(), None, "big");

    /// The bits of bytes as numbers 0 and 1, the highest bit of each byte first; NumPy's `unpackbits`.
    ///
    /// The array has bytes (`u8`) and any shape. Without an axis, they are taken in row-major order, and the result is 1-D.
    /// `gpu::unpackbits!(&a, axis = 0, count = 10, bitorder = "little")` takes the bits along an axis, so many of them, and
    /// the lowest bit first. A `count` beyond the bits adds zeros; a negative one leaves out so many bits at the end. Queued.
    ///
    /// **Panics** if there is no such axis ([`Error::InvalidShape`]), or if there are fewer bits than shall be left out
    /// ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::unpackbits(&gpu::array(&[5u8])).tolist(), [0, 0, 0, 0, 0, 1, 0, 1]);
    /// ```
    pub fn unpackbits<A: OnDevice<Elem = u8>>(a: &A) -> DeviceArray<u8> => unpacked(a.raw(), None, None, "big");
}

/// Whether the first bit is the lowest one.
fn is_little(operation: &'static str, bitorder: &str) -> Result<bool> {
    match bitorder {
        "big" => Ok(false),
        "little" => Ok(true),
        other => {
            let reason = format!("bitorder is {other:?}; write \"big\" or \"little\"");
            Err(Error::argument(operation, reason))
        }
    }
}

/// The array and the axis that is meant: without one, the elements in row-major order. As in NumPy, an array without axes has
/// one for this.
fn along(operation: &'static str, x: &RawArray, axis: Option<isize>) -> Result<(RawArray, usize)> {
    let x = if axis.is_none() || x.shape().is_empty() { x.flat(operation)? } else { x.clone() };
    let axis = axis_of(operation, x.shape(), axis.unwrap_or(0))?;
    Ok((x, axis))
}

/// `packbits` with all arguments.
pub(crate) fn packed(x: &RawArray, axis: Option<isize>, bitorder: &str) -> Result<RawArray> {
    let calc = Composed("packbits");
    let is_little = is_little(calc.0, bitorder)?;
    let (x, axis) = along(calc.0, x, axis)?;
    let length = x.shape()[axis];
    let mut shape = x.shape().to_vec();
    shape[axis] = length.div_ceil(8);
    let truths = if x.dtype == DType::Bool { x } else { x.converted(calc.0, DType::Bool)? };
    if length > 0 && length % 8 == 0 && axis + 1 == shape.len() {
        return packed_words(calc.0, &truths, &shape, is_little);
    }
    let bits = truths.converted(calc.0, DType::U8)?;
    let bytes = RawArray::filled(calc.0, &bits.handle, &shape, Scalar::U8(0))?;
    for place in 0..length.min(8) {
        let count = (length - place).div_ceil(8);
        let shift = if is_little { place } else { 7 - place };
        let moved = calc.with(BinaryOperation::LeftShift, &slice_axis(&bits, axis, place, 8, count), shift as f64)?;
        calc.pair_into(BinaryOperation::BitwiseOr, &slice_axis(&bytes, axis, 0, 1, count), &moved)?;
    }
    Ok(bytes)
}

/// Bools packed along the last axis, of which eight follow one another, in one pass: they are bytes of 0 and 1, and eight of them are
/// a word.
fn packed_words(name: &'static str, bools: &RawArray, shape: &[usize], is_little: bool) -> Result<RawArray> {
    let address = bools.handle.backend.address(&bools.allocation) + bools.layout.offset;
    let are_words = bools.layout.is_contiguous() && address.is_multiple_of(8) && bools.layout.offset.is_multiple_of(8);
    let bools = if are_words { bools.clone() } else { bools.copied(name)? };
    let offset = bools.layout.offset / 8;
    let mut words = bools.with_layout(Layout { offset, ..Layout::contiguous(shape) });
    words.dtype = DType::U64;
    let formula = if is_little { formulas::packed_bits_little } else { formulas::packed_bits };
    apply_one(name, formula, &[RawOperand::Array(&words)])
}

/// `unpackbits` with all arguments.
pub(crate) fn unpacked(x: &RawArray, axis: Option<isize>, count: Option<isize>, bitorder: &str) -> Result<RawArray> {
    let calc = Composed("unpackbits");
    let is_little = is_little(calc.0, bitorder)?;
    let (x, axis) = along(calc.0, x, axis)?;
    // More than memory has are refused where the result is made.
    let bits = x.shape()[axis].saturating_mul(8);
    let wanted = match count {
        None => bits,
        Some(count) if count >= 0 => count.unsigned_abs(),
        Some(count) => bits.checked_sub(count.unsigned_abs()).ok_or_else(|| {
            let reason = format!(
                "the count {count} leaves out more than the {bits} bits that there are; give one from -{bits} on"
            );
            Error::argument(calc.0, reason)
        })?,
    };
    let mut shape = x.shape().to_vec();
    shape[axis] = wanted;
    let out = if wanted > bits {
        RawArray::filled(calc.0, &x.handle, &shape, Scalar::U8(0))?
    } else {
        RawArray::uninitialised(calc.0, &x.handle, &shape, DType::U8)?
    };
    let present = wanted.min(bits);
    for place in 0..present.min(8) {
        let count = (present - place).div_ceil(8);
        let shift = if is_little { place } else { 7 - place };
        let moved = calc.with(BinaryOperation::RightShift, &slice_axis(&x, axis, 0, 1, count), shift as f64)?;
        let bit = calc.with(BinaryOperation::BitwiseAnd, &moved, 1.0)?;
        assign(calc.0, &slice_axis(&out, axis, place, 8, count), &bit)?;
    }
    Ok(out)
}
