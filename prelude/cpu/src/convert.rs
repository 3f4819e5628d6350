//! Conversions between dtypes, as by `as`.
//!
//! Narrow floats are converted by way of a block of `f32`, which takes on all their values: what is narrowed is rounded
//! to odd on the way (see `dtype/rounding.rs`), so that it is rounded to nearest once.

use super::copy;
use super::elementwise::{Input, blocks, fill, map};
use super::numeric::{Bytes, Cast, Native, for_set, native};
use half::slice::HalfFloatSliceExt;
use num_complex::Complex;
use warpcell_base::backend::Layout;
use warpcell_base::dtype::{DType, Kind, Scalar, dtypes, if_dtype, rounding};

/// As many elements are converted at a time.
const BLOCK: usize = 512;

/// Copies elements from one layout to another of the same shape, converting them as `as` does.
///
/// # Safety
///
/// Both must describe memory that nothing else accesses, of these dtypes, without overlap.
pub(super) unsafe fn convert(
    from: DType,
    source: *const u8,
    source_layout: &Layout,
    to: DType,
    out: *mut u8,
    out_layout: &Layout,
) {
    if from == to {
        // SAFETY: the caller's promise.
        return unsafe { copy::copy(from, source, source_layout, out, out_layout) };
    }
    if to.is_complex() {
        let part = to.part();
        if from == part {
            macro_rules! join {
                ($T:ty) => {
                    // SAFETY: the caller's promise.
                    unsafe {
                        blocks::<$T, Complex<$T>, 1>(
                            [Input::Array(source, source_layout)],
                            out,
                            out_layout,
                            &|[x], out| map(x, out, |re: $T| Complex { re, im: 0.0 }),
                        )
                    }
                };
            }
            return if part == DType::F32 { join!(f32) } else { join!(f64) };
        }
        let strides = out_layout.strides.iter().map(|stride| 2 * stride).collect();
        let parts = Layout { shape: out_layout.shape.clone(), strides, offset: 0 };
        // SAFETY: the caller's promise; the real parts, and the imaginary ones behind them.
        return unsafe {
            convert(from, source, source_layout, part, out, &parts);
            fill(Scalar::zero(part), out.add(part.size()), &parts);
        };
    }
    let places = Places { source, source_layout, out, out_layout };
    macro_rules! run {
        ($T:ty, $U:ty, $kernel:expr) => {
            // SAFETY: the caller's promise.
            unsafe { places.run::<$T, $U>($kernel) }
        };
    }
    match (from.kind(), to.kind()) {
        (Kind::Narrow, Kind::Narrow) => for_set!(narrow from, T => for_set!(narrow to, U => {
            run!(T, U, &|x, out| through_f32(x, out, T::widen, U::narrow))
        })),
        (Kind::Narrow, _) => for_set!(narrow from, T => for_wide!(to, U => {
            run!(T, U, &|x, out| through_f32(x, out, T::widen, cast::<f32, U>))
        })),
        (_, Kind::Narrow) => for_wide!(from, T => for_set!(narrow to, U => {
            run!(T, U, &|x, out| through_f32(x, out, to_odd::<T>, U::narrow))
        })),
        _ => for_wide!(from, T => for_wide!(to, U => run!(T, U, &cast::<T, U>))),
    }
}

/// Evaluates an expression with `$T` standing for the type of a dtype other than those of narrow floats. Complex numbers stay what they
/// are.
macro_rules! for_wide {
    ($dtype:expr, $T:ident => $body:expr) => { for_set!(primitive $dtype, $T => $body) };
}
use for_wide;

/// From where to where.
struct Places<'a> {
    source: *const u8,
    source_layout: &'a Layout,
    out: *mut u8,
    out_layout: &'a Layout,
}

impl Places<'_> {
    /// Converts by `kernel`, a block at a time.
    ///
    /// # Safety
    ///
    /// The places must be as for [`convert`], for elements of `T` and `U`.
    unsafe fn run<T: Stored, U: Stored>(&self, kernel: &(dyn Fn(&[T], &mut [U]) + Sync)) {
        let input = Input::Array(self.source, self.source_layout);
        // Moved by the size of the elements, so that not all pairs of types need a loop of their own for that.
        // SAFETY: the caller's promise.
        unsafe {
            blocks::<T::Bits, U::Bits, 1>([input], self.out, self.out_layout, &|[x], out| {
                // SAFETY: `Stored` says that both types have one size and that all bits are values of both.
                let x = std::slice::from_raw_parts(x.as_ptr().cast::<T>(), x.len());
                // SAFETY: as above.
                let out = std::slice::from_raw_parts_mut(out.as_mut_ptr().cast::<U>(), out.len());
                kernel(x, out);
            });
        }
    }
}

/// An element type as it lies in memory.
///
/// # Safety
///
/// Size and alignment must be those of `Bits`, and all bits must be a value.
unsafe trait Stored: Copy + Default {
    type Bits: Native;
}

macro_rules! stored {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        $(if_dtype! { real $kind $use {
            // SAFETY: an integer of as many bytes; all bits are a value of an integer or a float, and of `Bit`.
            unsafe impl Stored for native!($kind $type) {
                type Bits = <[(); size_of::<$type>()] as Bytes>::Word;
            }
        } {} })*
    };
}
dtypes!(stored!());

fn cast<T: Copy + Cast<U>, U>(x: &[T], out: &mut [U]) {
    map(x, out, |x: T| Cast::<U>::cast(x));
}

fn to_odd<T: Odd>(x: &[T], out: &mut [f32]) {
    map(x, out, |x: T| x.to_odd());
}

/// Converts to `f32`, and on.
fn through_f32<T, U>(x: &[T], out: &mut [U], first: impl Fn(&[T], &mut [f32]), second: impl Fn(&[f32], &mut [U])) {
    let mut buffer = [0f32; BLOCK];
    for (x, out) in x.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
        let single = &mut buffer[..x.len()];
        first(x, single);
        second(single, out);
    }
}

/// What can be narrowed to a float of less than 32 bits.
trait Odd: Copy {
    /// The `f32` that rounds on to fewer bits as the value itself would.
    fn to_odd(self) -> f32;
}

macro_rules! odd {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        $(if_dtype! { primitive $kind $use {
            impl Odd for native!($kind $type) {
                #[inline(always)]
                fn to_odd(self) -> f32 {
                    odd!(@$kind self, $type)
                }
            }
        } {} })*
    };
    (@Bool $value:ident, $type:ty) => { f32::from(u8::from($value.is_true())) };
    (@Signed $value:ident, $type:ty) => { odd!(@integer $value, $type, rounding::odd_from_i64) };
    (@Unsigned $value:ident, $type:ty) => { odd!(@integer $value, $type, rounding::odd_from_u64) };
    (@Float $value:ident, $type:ty) => {
        if size_of::<$type>() == 4 { $value as f32 } else { rounding::odd_from_f64($value as f64) }
    };
    (@integer $value:ident, $type:ty, $from_64_bits:expr) => {
        match size_of::<$type>() {
            // An `f32` has all of these values.
            1 | 2 => $value as f32,
            4 => rounding::odd_from_f64($value as f64),
            _ => $from_64_bits($value.into()),
        }
    };
}
dtypes!(odd!());

/// A narrow float.
trait Narrow: Sized {
    fn widen(x: &[Self], out: &mut [f32]);
    fn narrow(x: &[f32], out: &mut [Self]);
}

macro_rules! narrow {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        $(if_dtype! { narrow $kind $use {
            impl Narrow for $type {
                fn widen(x: &[$type], out: &mut [f32]) {
                    narrow!(@widen $tag $type, x, out);
                }
                fn narrow(x: &[f32], out: &mut [$type]) {
                    narrow!(@narrow $tag $type, x, out);
                }
            }
        } {} })*
    };
    // By the processor's instructions for it, where it has them.
    (@widen F16 $type:ty, $x:ident, $out:ident) => { $x.convert_to_f32_slice($out) };
    (@narrow F16 $type:ty, $x:ident, $out:ident) => { $out.convert_from_f32_slice($x) };
    (@widen $tag:ident $type:ty, $x:ident, $out:ident) => { map($x, $out, |x: $type| x.to_f32()) };
    (@narrow $tag:ident $type:ty, $x:ident, $out:ident) => { map($x, $out, <$type>::from_f32) };
}
dtypes!(narrow!());

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    fn converted<T: Stored, U: Stored>(from: DType, to: DType, values: &[T]) -> Vec<U> {
        let layout = Layout::contiguous(&[values.len()]);
        let mut out = vec![U::default(); values.len()];
        // SAFETY: the vectors have as many elements as the layout, of these dtypes.
        unsafe { convert(from, values.as_ptr().cast(), &layout, to, out.as_mut_ptr().cast(), &layout) };
        out
    }

    /// All values of a 16-bit type.
    fn all() -> impl Iterator<Item = u16> {
        0..=u16::MAX
    }

    #[test]
    fn every_16_bit_float_widens_to_its_value_and_comes_back() {
        let f16s: Vec<f16> = all().map(f16::from_bits).collect();
        let bf16s: Vec<bf16> = all().map(bf16::from_bits).collect();
        let wide: Vec<f32> = converted(DType::F16, DType::F32, &f16s);
        let double: Vec<f64> = converted(DType::F16, DType::F64, &f16s);
        let back: Vec<f16> = converted(DType::F64, DType::F16, &double);
        for (index, &value) in f16s.iter().enumerate() {
            if value.is_nan() {
                assert!(wide[index].is_nan() && double[index].is_nan() && back[index].is_nan());
                continue;
            }
            // The value by definition: sign, exponent, significand.
            let bits = value.to_bits();
            let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
            let magnitude = match exponent {
                0 => fraction * 2f64.powi(-24),
                31 => f64::INFINITY,
                _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
            };
            let exact = if bits >> 15 == 1 { -magnitude } else { magnitude };
            assert_eq!(double[index].to_bits(), exact.to_bits());
            assert_eq!(f64::from(wide[index]).to_bits(), exact.to_bits());
            assert_eq!(back[index].to_bits(), bits);
        }
        let wide: Vec<f32> = converted(DType::BF16, DType::F32, &bf16s);
        let back: Vec<bf16> = converted(DType::F32, DType::BF16, &wide);
        for ((value, wide), back) in bf16s.iter().zip(wide).zip(back) {
            if value.is_nan() {
                assert!(wide.is_nan() && back.is_nan());
            } else {
                assert_eq!((wide.to_bits(), back.to_bits()), (u32::from(value.to_bits()) << 16, value.to_bits()));
            }
        }
    }

    #[test]
    fn blocks_and_rests_are_converted() {
        for length in [0, 1, 3, 4, 7, 8, 511, 512, 513, 5000] {
            let values: Vec<f64> = (0..length).map(f64::from).collect();
            let narrow: Vec<f16> = converted(DType::F64, DType::F16, &values);
            assert!(narrow.iter().zip(&values).all(|(&narrow, &value)| narrow == f16::from_f32(value as f32)));
            let other: Vec<bf16> = converted(DType::F16, DType::BF16, &narrow);
            assert!(other.iter().zip(&narrow).all(|(&other, &narrow)| other == bf16::from_f32(narrow.to_f32())));
            let integers: Vec<i16> = converted(DType::F16, DType::I16, &narrow);
            assert!(integers.iter().zip(&narrow).all(|(&integer, narrow)| integer == narrow.to_f32() as i16));
        }
    }
}
