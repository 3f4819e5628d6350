//! Discrete Fourier transforms of arrays on their device, NumPy's `fft`, and the cosine, sine and Hankel transforms of SciPy's `fft`.
//!
//! The transform of `n` numbers `x` is `X[k] = Σ x[j]·e^(−2πi·jk/n)`; the inverse has the opposite sign in the exponent and is
//! divided by `n`. [`Norm`] says otherwise. Any number of points is transformed in `n log n` steps; fastest are those whose
//! prime factors are 2, 3, 5 and 7.
//!
//! Real arrays, integers and bools included, and complex ones are transformed. `f32`, `f16`, `bf16` and `Complex<f32>` give
//! `Complex<f32>` ([`Spectrum`]) or, where the result is real, `f32` ([`Signal`]); all others `Complex<f64>` or `f64`. Errors are
//! about `1e-16` (`f32`: `1e-7`) times the root of the sum of squares of all points and the logarithm of their number, on
//! each device others.
//!
//! Each function has a twin with `_with` in its name that takes all of NumPy's arguments: how many points to transform along
//! each axis, the axes, and the norm. Where an array has more elements than that, those at the end are left out; where it has
//! fewer, zeros follow.
//!
//! The functions **panic** if there is no such axis, one is named twice, or nothing to transform
//! ([`Error::InvalidShape`](crate::Error::InvalidShape)), and on CUDA devices without cuFFT
//! ([`Error::LibraryMissing`](crate::Error::LibraryMissing)).
//!
//! ```
//! use warpcell as gpu;
//! let time = gpu::linspace(0.0, 1.0, 101).slice(ndarray::s![..100]);
//! let signal = (&time * (std::f64::consts::TAU * 12.0)).sin();
//! let strongest = gpu::fft::rfft(&signal).abs().argmax();
//! assert_eq!(gpu::fft::rfftfreq(100, 0.01).get(&[strongest]), 12.0);
//! ```

mod cosines;
mod hankel;

pub use cosines::*;
pub use hankel::*;

use crate::array::{DeviceArray, IntoAxes, OnDevice, RawArray};
use crate::dtype::{Element, Real, Signal, Spectrum};
use crate::error::check;
use crate::floats::IntoFloat;

use crate::operations::fourier::{Request, TransformKind, all_axes, frequencies, shifted, transformed};
use crate::thin::thin;

// The macros for calls with keywords.
pub use {
    __fft_dct as dct, __fft_dctn as dctn, __fft_dst as dst, __fft_dstn as dstn, __fft_fft as fft, __fft_fft2 as fft2,
    __fft_fftfreq as fftfreq, __fft_fftn as fftn, __fft_fftshift as fftshift, __fft_fht as fht,
    __fft_fhtoffset as fhtoffset, __fft_hfft as hfft, __fft_hfft2 as hfft2, __fft_hfftn as hfftn, __fft_idct as idct,
    __fft_idctn as idctn, __fft_idst as idst, __fft_idstn as idstn, __fft_ifft as ifft, __fft_ifft2 as ifft2,
    __fft_ifftn as ifftn, __fft_ifftshift as ifftshift, __fft_ifht as ifht, __fft_ihfft as ihfft,
    __fft_ihfft2 as ihfft2, __fft_ihfftn as ihfftn, __fft_irfft as irfft, __fft_irfft2 as irfft2,
    __fft_irfftn as irfftn, __fft_next_fast_len as next_fast_len, __fft_rfft as rfft, __fft_rfft2 as rfft2,
    __fft_rfftfreq as rfftfreq, __fft_rfftn as rfftn,
};

pub use crate::operations::fourier::Norm;

/// A transform of an array whose elements are `T`.
#[track_caller]
fn run<T: Element, R: Element>(
    operation: &'static str,
    kind: TransformKind,
    x: &RawArray,
    lengths: Option<&[usize]>,
    axes: &[isize],
    norm: Norm,
) -> DeviceArray<R> {
    let part = T::Mean::DTYPE.part();
    let request = Request { operation, kind, lengths, axes, norm, part };
    DeviceArray::from_raw(check(transformed(&request, x)))
}

macro_rules! lines {
    ($($(#[$doc:meta])* $name:ident $with:ident $bound:ident $result:ident $kind:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<A: OnDevice<Elem = T>, T: $bound>(a: &A) -> DeviceArray<$result<T>> {
            run::<T, _>(stringify!($name), TransformKind::$kind, a.raw(), None, &[-1], Norm::Backward)
        }

        #[doc = concat!("As [`", stringify!($name), "`](fn@", stringify!($name), "), of `n` points (or as many as follow from the array) along an axis.")]
        #[track_caller]
        pub fn $with<A: OnDevice<Elem = T>, T: $bound>(
            a: &A,
            n: impl Into<Option<usize>>,
            axis: isize,
            norm: Norm,
        ) -> DeviceArray<$result<T>> {
            let n = n.into();
            run::<T, _>(stringify!($with), TransformKind::$kind, a.raw(), n.as_ref().map(std::slice::from_ref), &[axis], norm)
        }
    )*};
}
lines! {
    /// The transform along the last axis.
    ///
    /// ```
    /// use warpcell::{Complex, array, fft::{Norm, fft, fft_with}};
    /// let spectrum = fft(&array(&[1.0, 2.0, 3.0]));
    /// assert_eq!(spectrum.get(&[0]), Complex::new(6.0, 0.0));
    /// assert_eq!(fft_with(&array(&[[1.0f32], [3.0]]), 4, 0, Norm::Ortho).get(&[0, 0]), Complex::new(2.0, 0.0));
    /// ```
    fft fft_with Element Spectrum Forward;
    /// The inverse of [`fft`](fn@fft), along the last axis.
    ///
    /// ```
    /// use warpcell::{allclose, array, fft::{fft, ifft}};
    /// let a = array(&[1.0, 2.0, 3.0]);
    /// assert!(allclose(&ifft(&fft(&a)), &a));
    /// ```
    ifft ifft_with Element Spectrum Inverse;
    /// The transform of real numbers along the last axis: the first `n / 2 + 1` numbers of the spectrum, of which the others
    /// are the conjugates. Takes half the time of [`fft`](fn@fft).
    ///
    /// ```
    /// use warpcell::{array, fft::{Norm, rfft, rfft_with}};
    /// let a = array(&[1, 2, 3, 4]);
    /// assert_eq!(rfft(&a).real().to_host(), ndarray::arr1(&[10.0, -2.0, -2.0]).into_dyn());
    /// assert_eq!(rfft_with(&a, 2, -1, Norm::Forward).real().to_host(), ndarray::arr1(&[1.5, -0.5]).into_dyn());
    /// ```
    rfft rfft_with Real Spectrum Half;
    /// The inverse of [`rfft`](fn@rfft), along the last axis: real numbers, twice as many less two. How many there were does
    /// not follow from the spectrum if they were odd: then say so, by `irfft_with`. Imaginary parts where a spectrum of real
    /// numbers has none are not looked at.
    ///
    /// ```
    /// use warpcell::{allclose, array, fft::{Norm, irfft, irfft_with, rfft}};
    /// let a = array(&[1.0, 2.0, 4.0, 3.0]);
    /// assert!(allclose(&irfft(&rfft(&a)), &a));
    /// let odd = array(&[1.0, 2.0, 4.0]);
    /// assert!(allclose(&irfft_with(&rfft(&odd), 3, -1, Norm::Backward), &odd));
    /// ```
    irfft irfft_with Element Signal Back;
    /// The real spectrum of what is its own conjugate in reverse, given by its first half, along the last axis: the opposite of
    /// [`ihfft`](fn@ihfft).
    ///
    /// ```
    /// use warpcell::{Complex, array, fft::hfft};
    /// let half = array(&[Complex::new(1.0, 0.0), Complex::new(0.0, -1.0), Complex::new(2.0, 0.0)]);
    /// assert_eq!(hfft(&half).to_host(), ndarray::arr1(&[3.0, -3.0, 3.0, 1.0]).into_dyn());
    /// ```
    hfft hfft_with Element Signal HermitianBack;
    /// The inverse transform of a real spectrum along the last axis: the first half of it, of which the other half are the
    /// conjugates.
    ///
    /// ```
    /// use warpcell::{allclose, array, fft::{hfft, ihfft}};
    /// let a = array(&[1.0, 2.0, 4.0, 3.0]);
    /// assert!(allclose(&hfft(&ihfft(&a)), &a));
    /// ```
    ihfft ihfft_with Real Spectrum HermitianHalf;
}

macro_rules! planes {
    ($($(#[$doc:meta])* $name:ident $with:ident $bound:ident $result:ident $kind:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<A: OnDevice<Elem = T>, T: $bound>(a: &A) -> DeviceArray<$result<T>> {
            run::<T, _>(stringify!($name), TransformKind::$kind, a.raw(), None, &[-2, -1], Norm::Backward)
        }

        #[doc = concat!("As [`", stringify!($name), "`](fn@", stringify!($name), "), of so many points along two axes.")]
        #[track_caller]
        pub fn $with<A: OnDevice<Elem = T>, T: $bound>(
            a: &A,
            lengths: impl Into<Option<[usize; 2]>>,
            axes: (isize, isize),
            norm: Norm,
        ) -> DeviceArray<$result<T>> {
            let lengths = lengths.into();
            let lengths = lengths.as_ref().map(<[usize; 2]>::as_slice);
            run::<T, _>(stringify!($with), TransformKind::$kind, a.raw(), lengths, &[axes.0, axes.1], norm)
        }
    )*};
}
planes! {
    /// The transform along the last two axes.
    ///
    /// ```
    /// use warpcell::{Complex, fft::{Norm, fft2, fft2_with}, ones};
    /// let image = ones::<f32>((4, 6));
    /// assert_eq!(fft2(&image).get(&[0, 0]), Complex::new(24.0, 0.0));
    /// assert_eq!(fft2_with(&image, [2, 3], (1, 0), Norm::Forward).shape(), [3, 2]);
    /// ```
    fft2 fft2_with Element Spectrum Forward;
    /// The inverse of [`fft2`](fn@fft2), along the last two axes.
    ///
    /// ```
    /// use warpcell::{allclose, fft::{fft2, ifft2}, ones};
    /// let image = ones::<f64>((4, 6));
    /// assert!(allclose(&ifft2(&fft2(&image)), &image));
    /// ```
    ifft2 ifft2_with Element Spectrum Inverse;
    /// The transform of real numbers along the last two axes, the last one as by [`rfft`](fn@rfft).
    ///
    /// ```
    /// assert_eq!(warpcell::fft::rfft2(&warpcell::ones::<f64>((4, 6))).shape(), [4, 4]);
    /// ```
    rfft2 rfft2_with Real Spectrum Half;
    /// The inverse of [`rfft2`](fn@rfft2), along the last two axes, the last one as by [`irfft`](fn@irfft).
    ///
    /// ```
    /// use warpcell::{allclose, fft::{irfft2, rfft2}, ones};
    /// let image = ones::<f64>((4, 6));
    /// assert!(allclose(&irfft2(&rfft2(&image)), &image));
    /// ```
    irfft2 irfft2_with Element Signal Back;
    /// The real spectrum of what is its own conjugate in reverse, along the last two axes, the last one as by [`hfft`](fn@hfft).
    /// SciPy's `hfft2`.
    ///
    /// ```
    /// use warpcell::{allclose, fft::{hfft2, ihfft2}, ones};
    /// let image = ones::<f64>((4, 6));
    /// assert!(allclose(&hfft2(&ihfft2(&image)), &image));
    /// ```
    hfft2 hfft2_with Element Signal HermitianBack;
    /// The inverse of [`hfft2`](fn@hfft2), along the last two axes, the last one as by [`ihfft`](fn@ihfft). SciPy's `ihfft2`.
    ///
    /// ```
    /// assert_eq!(warpcell::fft::ihfft2(&warpcell::ones::<f64>((4, 6))).shape(), [4, 4]);
    /// ```
    ihfft2 ihfft2_with Real Spectrum HermitianHalf;
}

macro_rules! axes {
    ($($(#[$doc:meta])* $name:ident $with:ident $bound:ident $result:ident $kind:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<A: OnDevice<Elem = T>, T: $bound>(a: &A) -> DeviceArray<$result<T>> {
            run::<T, _>(stringify!($name), TransformKind::$kind, a.raw(), None, &all_axes(a.raw()), Norm::Backward)
        }

        #[doc = concat!("As [`", stringify!($name), "`](fn@", stringify!($name), "), of so many points (one for each axis) along some axes.")]
        #[track_caller]
        pub fn $with<A: OnDevice<Elem = T>, T: $bound>(
            a: &A,
            lengths: Option<&[usize]>,
            axes: impl IntoAxes,
            norm: Norm,
        ) -> DeviceArray<$result<T>> {
            run::<T, _>(stringify!($with), TransformKind::$kind, a.raw(), lengths, &axes.into_axes(), norm)
        }
    )*};
}
axes! {
    /// The transform along all axes.
    ///
    /// ```
    /// use warpcell::{Complex, fft::{Norm, fftn, fftn_with}, ones};
    /// let a = ones::<f64>((2, 3, 4));
    /// assert_eq!(fftn(&a).get(&[0, 0, 0]), Complex::new(24.0, 0.0));
    /// assert_eq!(fftn_with(&a, Some(&[5, 5]), (0, 2), Norm::Backward).shape(), [5, 3, 5]);
    /// ```
    fftn fftn_with Element Spectrum Forward;
    /// The inverse of [`fftn`](fn@fftn), along all axes.
    ///
    /// ```
    /// use warpcell::{allclose, fft::{fftn, ifftn}, ones};
    /// let a = ones::<f32>((2, 3, 4));
    /// assert!(allclose(&ifftn(&fftn(&a)), &a));
    /// ```
    ifftn ifftn_with Element Spectrum Inverse;
    /// The transform of real numbers along all axes, the last one as by [`rfft`](fn@rfft). Of the axes that are given to
    /// `rfftn_with` that is the last one given.
    ///
    /// ```
    /// assert_eq!(warpcell::fft::rfftn(&warpcell::ones::<f64>((2, 3, 4))).shape(), [2, 3, 3]);
    /// ```
    rfftn rfftn_with Real Spectrum Half;
    /// The inverse of [`rfftn`](fn@rfftn), along all axes, the last one as by [`irfft`](fn@irfft).
    ///
    /// ```
    /// use warpcell::{allclose, fft::{irfftn, rfftn}, ones};
    /// let a = ones::<f64>((2, 3, 4));
    /// assert!(allclose(&irfftn(&rfftn(&a)), &a));
    /// ```
    irfftn irfftn_with Element Signal Back;
    /// The real spectrum of what is its own conjugate in reverse, along all axes, the last one as by [`hfft`](fn@hfft). SciPy's
    /// `hfftn`.
    ///
    /// ```
    /// use warpcell::{allclose, fft::{hfftn, ihfftn}, ones};
    /// let a = ones::<f64>((2, 3, 4));
    /// assert!(allclose(&hfftn(&ihfftn(&a)), &a));
    /// ```
    hfftn hfftn_with Element Signal HermitianBack;
    /// The inverse of [`hfftn`](fn@hfftn), along all axes, the last one as by [`ihfft`](fn@ihfft). SciPy's `ihfftn`.
    ///
    /// ```
    /// assert_eq!(warpcell::fft::ihfftn(&warpcell::ones::<f64>((2, 3, 4))).shape(), [2, 3, 3]);
    /// ```
    ihfftn ihfftn_with Real Spectrum HermitianHalf;
}

/// The smallest number of points from `target` on that is transformed fast: one without other prime factors than 2, 3, 5 and 7.
/// CuPy's `next_fast_len`; SciPy's allows the factor 11, too. `gpu::fft::next_fast_len!(1001, real = true)` is for transforms of
/// real numbers, without the factor 7, as SciPy's is.
///
/// ```
/// assert_eq!(warpcell::fft::next_fast_len(1009), 1024);
/// assert_eq!(warpcell::fft::next_fast_len!(1009, real = true), 1024);
/// ```
pub fn next_fast_len(target: usize) -> usize {
    next_fast_len_with(target, false)
}

/// As [`next_fast_len`](fn@next_fast_len), for real numbers or complex ones.
pub fn next_fast_len_with(target: usize, real: bool) -> usize {
    let factors: &[usize] = if real { &[2, 3, 5] } else { &[2, 3, 5, 7] };
    let is_fast = |length: &usize| {
        let left = factors.iter().fold(*length, |mut left, factor| {
            while left % factor == 0 {
                left /= factor;
            }
            left
        });
        left == 1
    };
    // A power of 2 follows before twice the number.
    (target.max(1)..).find(is_fast).expect("a power of 2")
}

thin! {
    /// The frequencies of the numbers that [`fft`](fn@fft) gives of `n` points which lie `d` apart: from 0 on, then the
    /// negative ones.
    ///
    /// **Panics** if `n` is 0 ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// let frequencies = warpcell::fft::fftfreq(4, 0.5);
    /// assert_eq!(frequencies.to_host(), ndarray::arr1(&[0.0, 0.5, -1.0, -0.5]).into_dyn());
    /// ```
    pub fn fftfreq(n: usize, d: impl IntoFloat) -> DeviceArray<f64> => frequencies("fftfreq", n, d.into_float(), false);

    /// The frequencies of the numbers that [`rfft`](fn@rfft) gives of `n` points which lie `d` apart.
    ///
    /// **Panics** if `n` is 0 ([`Error::InvalidArgument`](crate::Error::InvalidArgument)).
    ///
    /// ```
    /// assert_eq!(warpcell::fft::rfftfreq(4, 0.5).to_host(), ndarray::arr1(&[0.0, 0.5, 1.0]).into_dyn());
    /// ```
    pub fn rfftfreq(n: usize, d: impl IntoFloat) -> DeviceArray<f64> => frequencies("rfftfreq", n, d.into_float(), true);

    /// The array with the frequency 0 of a spectrum in the middle of each axis, where it was the first; of any element type.
    ///
    /// ```
    /// use warpcell::fft::{fftfreq, fftshift};
    /// assert_eq!(fftshift(&fftfreq(4, 0.25)).to_host(), ndarray::arr1(&[-2.0, -1.0, 0.0, 1.0]).into_dyn());
    /// ```
    pub fn fftshift<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T> =>
        shifted("fftshift", a.raw(), &all_axes(a.raw()), false);

    /// As [`fftshift`](fn@fftshift), along some axes only.
    ///
    /// ```
    /// use warpcell::{array, fft::fftshift_with};
    /// let shifted = fftshift_with(&array(&[[1, 2, 3], [4, 5, 6]]), 1);
    /// assert_eq!(shifted.to_host(), ndarray::arr2(&[[3, 1, 2], [6, 4, 5]]).into_dyn());
    /// ```
    pub fn fftshift_with<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: impl IntoAxes) -> DeviceArray<T> =>
        shifted("fftshift_with", a.raw(), &axes.into_axes(), false);

    /// The opposite of [`fftshift`](fn@fftshift): the frequency 0 first along each axis, where it was in the middle.
    ///
    /// ```
    /// use warpcell::{arange, fft::{fftshift, ifftshift}};
    /// assert!(ifftshift(&fftshift(&arange(5))).eq(arange(5)).all());
    /// ```
    pub fn ifftshift<A: OnDevice<Elem = T>, T: Element>(a: &A) -> DeviceArray<T> =>
        shifted("ifftshift", a.raw(), &all_axes(a.raw()), true);

    /// As [`ifftshift`](fn@ifftshift), along some axes only.
    ///
    /// ```
    /// use warpcell::{array, fft::ifftshift_with};
    /// assert_eq!(ifftshift_with(&array(&[3, 1, 2]), 0).to_host(), ndarray::arr1(&[1, 2, 3]).into_dyn());
    /// ```
    pub fn ifftshift_with<A: OnDevice<Elem = T>, T: Element>(a: &A, axes: impl IntoAxes) -> DeviceArray<T> =>
        shifted("ifftshift_with", a.raw(), &axes.into_axes(), true);
}
