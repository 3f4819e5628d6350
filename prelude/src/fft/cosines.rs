//! Cosine and sine transforms of the types 1 to 4, by Fourier transforms of as many points or twice as many.
//!
//! Type 2: J. Makhoul, "A fast cosine transform in one and two dimensions" (1980). Type 3 is the same backwards, type 1 the transform
//! of the numbers and their mirror image, type 4 a complex transform of half as many numbers. Sine transforms are cosine transforms
//! of the numbers in another order or with other signs.

use crate::array::axes::{axes_of, axis_of};
use crate::array::{DeviceArray, OnDevice, RawArray, assign, slice_axis};
use crate::backend::loops::{Loops, WaveKind};
use crate::backend::{BinaryOperation, UnaryOperation};
use crate::device::{Device, Handle};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result};
use crate::operations::composing::Composed;
use crate::operations::fourier::{Norm, Request, TransformKind, complex, fitted, transformed};
use crate::thin::thin;
use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

/// What is asked for.
struct Waves {
    operation: &'static str,
    is_sine: bool,
    is_inverse: bool,
    kind: usize,
    norm: Norm,
    orthogonalize: Option<bool>,
}

/// One function along an axis and one along several, each with its twin.
macro_rules! waves {
    ($(
        $(#[$doc:meta])* $name:ident $with:ident;
        $(#[$docs:meta])* $every:ident $every_with:ident ($sine:literal $inverse:literal);
    )*) => {
        thin! {$(
            $(#[$doc])*
            pub fn $name<A: OnDevice<Elem = T>, T: Element>(x: &A) -> DeviceArray<T::Mean> => {
                let waves = Waves::new(stringify!($name), [$sine, $inverse], 2, Norm::Backward, None);
                waves.along(x.raw(), T::Mean::DTYPE, None, -1)
            };

            #[doc = concat!("As [`", stringify!($name), "`](fn@", stringify!($name), "), of a type from 1 to 4, and with SciPy's other arguments.")]
            pub fn $with<A: OnDevice<Elem = T>, T: Element>(
                x: &A,
                kind: usize,
                n: impl Into<Option<usize>>,
                axis: isize,
                norm: Norm,
                orthogonalize: impl Into<Option<bool>>
            ) -> DeviceArray<T::Mean> => {
                let waves = Waves::new(stringify!($name), [$sine, $inverse], kind, norm, orthogonalize.into());
                waves.along(x.raw(), T::Mean::DTYPE, n.into(), axis)
            };

            $(#[$docs])*
            pub fn $every<A: OnDevice<Elem = T>, T: Element>(x: &A) -> DeviceArray<T::Mean> => {
                let waves = Waves::new(stringify!($every), [$sine, $inverse], 2, Norm::Backward, None);
                waves.along_all(x.raw(), T::Mean::DTYPE, None, None)
            };

            #[doc = concat!("As [`", stringify!($every), "`](fn@", stringify!($every), "), of a type from 1 to 4, and with SciPy's other arguments.")]
            pub fn $every_with<A: OnDevice<Elem = T>, T: Element>(
                x: &A,
                kind: usize,
                s: Option<Vec<usize>>,
                axes: Option<Vec<isize>>,
                norm: Norm,
                orthogonalize: impl Into<Option<bool>>
            ) -> DeviceArray<T::Mean> => {
                let waves = Waves::new(stringify!($every), [$sine, $inverse], kind, norm, orthogonalize.into());
                waves.along_all(x.raw(), T::Mean::DTYPE, s, axes)
            };
        )*}
    };
}
waves! {
    /// The cosine transform of type 2 along the last axis: `2 Σ x[n] cos(πk(2n + 1) / 2N)`. SciPy's `dct`: `gpu::fft::dct!(&x, type
    /// = 3, n = 16, axis = 0, norm = "ortho", orthogonalize = false)` has its keywords. Of complex numbers both parts are
    /// transformed.
    ///
    /// **Panics** if there is no such axis or no such type, or there are too few numbers along the axis: none, or one for type 1.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let x = gpu::array(&[1.0, 2.0, 3.0]);
    /// assert!(gpu::allclose(&gpu::fft::dct(&x), &[12.0, -2.0 * 3f64.sqrt(), 0.0]));
    /// assert!(gpu::allclose(&gpu::fft::dct!(&x, type = 1), &[8.0, -2.0, 0.0]));
    /// ```
    dct dct_with;
    /// As [`dct`](fn@dct), along all axes. SciPy's `dctn`: `gpu::fft::dctn!(&x, type = 2, s = (8, 8), axes = (0, 1), norm =
    /// "ortho")` has its keywords.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let image = gpu::fft::dctn(&gpu::ones::<f32>((4, 8)));
    /// assert!((image.get(&[0, 0]) - 128.0).abs() < 1e-4 && (image.sum() - 128.0).abs() < 1e-3);
    /// ```
    dctn dctn_with (false false);
    /// The inverse of [`dct`](fn@dct) along the last axis. SciPy's `idct`, with the same keywords: the inverse of type 2 is type 3
    /// divided by 2N.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let x = gpu::array(&[1.0, 2.0, 4.0, 3.0]);
    /// assert!(gpu::allclose(&gpu::fft::idct(&gpu::fft::dct(&x)), &x));
    /// ```
    idct idct_with;
    /// As [`idct`](fn@idct), along all axes. SciPy's `idctn`, with the keywords of [`dctn`](fn@dctn).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let image = gpu::ones::<f64>((4, 6));
    /// assert!(gpu::allclose(&gpu::fft::idctn(&gpu::fft::dctn(&image)), &image));
    /// ```
    idctn idctn_with (false true);
    /// The sine transform of type 2 along the last axis: `2 Σ x[n] sin(π(k + 1)(2n + 1) / 2N)`. SciPy's `dst`, with the keywords of
    /// [`dct`](fn@dct).
    ///
    /// **Panics** as [`dct`](fn@dct) does, but type 1 takes one number too.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let x = gpu::array(&[1.0, 2.0, 3.0]);
    /// assert!(gpu::allclose(&gpu::fft::dst(&x), &[8.0, -2.0 * 3f64.sqrt(), 4.0]));
    /// ```
    dst dst_with;
    /// As [`dst`](fn@dst), along all axes. SciPy's `dstn`, with the keywords of [`dctn`](fn@dctn).
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::fft::dstn!(&gpu::ones::<f64>((4, 6)), axes = 0).shape(), [4, 6]);
    /// ```
    dstn dstn_with (true false);
    /// The inverse of [`dst`](fn@dst) along the last axis. SciPy's `idst`, with the keywords of [`dct`](fn@dct).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let x = gpu::array(&[1.0, 2.0, 4.0, 3.0]);
    /// assert!(gpu::allclose(&gpu::fft::idst(&gpu::fft::dst(&x)), &x));
    /// ```
    idst idst_with;
    /// As [`idst`](fn@idst), along all axes. SciPy's `idstn`, with the keywords of [`dctn`](fn@dctn).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let image = gpu::ones::<f64>((4, 6));
    /// assert!(gpu::allclose(&gpu::fft::idstn(&gpu::fft::dstn(&image)), &image));
    /// ```
    idstn idstn_with (true true);
}

/// Some elements of the last axis.
fn part(x: &RawArray, start: usize, step: isize, count: usize) -> RawArray {
    slice_axis(x, x.shape().len() - 1, start, step, count)
}

/// The last axis in reverse.
fn reversed(x: &RawArray) -> RawArray {
    let count = x.shape()[x.shape().len() - 1];
    part(x, count.saturating_sub(1), -1, count)
}

impl Waves {
    fn new(
        operation: &'static str,
        [is_sine, is_inverse]: [bool; 2],
        kind: usize,
        norm: Norm,
        orthogonalize: Option<bool>,
    ) -> Waves {
        Waves { operation, is_sine, is_inverse, kind, norm, orthogonalize }
    }

    fn along(&self, x: &RawArray, dtype: DType, n: Option<usize>, axis: isize) -> Result<RawArray> {
        self.along_all(x, dtype, n.map(|n| vec![n]), Some(vec![axis]))
    }

    fn along_all(
        &self,
        x: &RawArray,
        dtype: DType,
        lengths: Option<Vec<usize>>,
        axes: Option<Vec<isize>>,
    ) -> Result<RawArray> {
        let operation = self.operation;
        let shape = x.shape().to_vec();
        if !(1..=4).contains(&self.kind) {
            return Err(Error::argument(operation, format!("`type` is {}; give 1, 2, 3 or 4", self.kind)));
        }
        let rank = shape.len() as isize;
        let axes = axes.unwrap_or_else(|| {
            let count = lengths.as_ref().map_or(rank, |lengths| (lengths.len() as isize).min(rank));
            (rank - count..rank).collect()
        });
        // That sees whether an axis is named twice.
        axes_of(operation, &shape, &axes)?;
        let axes = axes.iter().map(|axis| axis_of(operation, &shape, *axis)).collect::<Result<Vec<_>>>()?;
        let lengths = lengths.unwrap_or_else(|| axes.iter().map(|axis| shape[*axis]).collect());
        if lengths.len() != axes.len() {
            let (lengths, axes) = (lengths.len(), axes.len());
            let reason = format!(
                "is transformed along {axes} axes, but {lengths} lengths are given; give one length for each axis"
            );
            return Err(Error::shape(operation, shape, reason));
        }
        let least = if self.kind == 1 && !self.is_sine { 2 } else { 1 };
        if let Some(place) = lengths.iter().position(|length| *length < least) {
            let reason = format!(
                "gives {} points to transform along axis {}; type {} needs at least {least}",
                lengths[place], axes[place], self.kind
            );
            return Err(Error::shape(operation, shape, reason));
        }
        x.handle.backend.can_transform()?;
        // What is left out is not converted.
        let x = axes.iter().zip(&lengths).fold(x.clone(), |x, (&axis, &length)| {
            if length < x.shape()[axis] { slice_axis(&x, axis, 0, 1, length) } else { x }
        });
        let x = x.in_type(operation, dtype)?;
        // The parts of complex numbers have an axis at the end.
        let given = x.clone();
        let mut found = if dtype.is_complex() { x.parts() } else { x };
        let last = found.shape().len().saturating_sub(1);
        for (axis, length) in axes.into_iter().zip(lengths) {
            let mut fitting = found.shape().to_vec();
            fitting[axis] = length;
            let lines = fitted(operation, &found, &fitting)?;
            if let Some(by_loops) = self.by_loops(&lines, axis)? {
                found = by_loops;
                continue;
            }
            found = self.of_lines(&lines.moved(axis, last))?.moved(last, axis);
        }
        // Along no axes, what is found is what was given.
        let found = if found.shares_memory(&given) { found.copied(operation)? } else { found.contiguous(operation)? };
        Ok(if dtype.is_complex() { found.joined(dtype) } else { found })
    }

    /// What is computed of lines of `n` numbers.
    fn of_length(&self, n: usize) -> WaveKind {
        // The inverse of each type is a type, too.
        let number = match self.kind {
            2 if self.is_inverse => 3,
            3 if self.is_inverse => 2,
            kind => kind,
        };
        let points = match number {
            1 if self.is_sine => 2 * (n + 1),
            1 => 2 * (n - 1),
            _ => 2 * n,
        };
        let scale = self.norm.scale(points as f64, self.is_inverse);
        let is_orthogonal = self.orthogonalize.unwrap_or(self.norm == Norm::Ortho);
        WaveKind { number, is_sine: self.is_sine, is_orthogonal, scale }
    }

    /// The transform along an axis of a contiguous array, if the backend has loops for it.
    fn by_loops(&self, x: &RawArray, axis: usize) -> Result<Option<RawArray>> {
        if x.handle.device != Device::Cpu {
            return Ok(None);
        }
        let shape = x.shape();
        let around = [shape[..axis].iter().product(), shape[axis], shape[axis + 1..].iter().product()];
        let out = RawArray::uninitialised(self.operation, &x.handle, shape, x.dtype)?;
        let loops = Loops::Waves { x: x.view(), kind: self.of_length(shape[axis]), around, out: out.view() };
        Ok(x.handle.backend.by_loops(loops)?.then_some(out))
    }

    /// The transform along the last axis.
    fn of_lines(&self, x: &RawArray) -> Result<RawArray> {
        let n = x.shape()[x.shape().len() - 1];
        let WaveKind { number: kind, scale, is_orthogonal: orthogonal, .. } = self.of_length(n);
        let out = RawArray::uninitialised(self.operation, &x.handle, x.shape(), x.dtype)?;
        if out.size() > 0 {
            match kind {
                1 => self.of_mirrored(x, scale, orthogonal && !self.is_sine, &out)?,
                2 => self.of_shuffled(x, scale, orthogonal, &out)?,
                3 => self.to_shuffled(x, scale, orthogonal, &out)?,
                _ => self.of_halves(x, scale, &out)?,
            }
        }
        Ok(out)
    }

    fn new_lines(&self, like: &RawArray, length: usize, dtype: DType) -> Result<RawArray> {
        let mut shape = like.shape().to_vec();
        *shape.last_mut().expect("lines have an axis") = length;
        RawArray::uninitialised(self.operation, &like.handle, &shape, dtype)
    }

    /// A Fourier transform along the last axis.
    fn fourier(&self, x: &RawArray, kind: TransformKind, length: usize, norm: Norm) -> Result<RawArray> {
        let (operation, part) = (self.operation, x.dtype.part());
        transformed(&Request { operation, kind, lengths: Some(&[length]), axes: &[-1], norm, part }, x)
    }

    fn scale(&self, target: &RawArray, factor: f64) -> Result<()> {
        if factor == 1.0 {
            Ok(())
        } else {
            Composed(self.operation).with_into(BinaryOperation::Multiply, target, factor)
        }
    }

    fn turn(&self, target: &RawArray, count: usize, [first, step, scale]: [f64; 3]) -> Result<()> {
        let factors = turns(self.operation, &target.handle, count, [first, step, scale], target.dtype.part())?;
        Composed(self.operation).pair_into(BinaryOperation::Multiply, target, &factors)
    }

    /// What is negative in sine transforms.
    fn sign(&self) -> f64 {
        if self.is_sine { -1.0 } else { 1.0 }
    }

    /// Type 1.
    fn of_mirrored(&self, x: &RawArray, scale: f64, orthogonal: bool, out: &RawArray) -> Result<()> {
        let n = x.shape()[x.shape().len() - 1];
        if self.is_sine {
            // 0, x, 0, -x in reverse
            let both = self.new_lines(x, 2 * (n + 1), x.dtype)?;
            let zeros = part(&both, 0, n as isize + 1, 2);
            both.handle.backend.fill(Scalar::zero(x.dtype), zeros.view())?;
            assign(self.operation, &part(&both, 1, 1, n), x)?;
            let behind = part(&both, n + 2, 1, n);
            assign(self.operation, &behind, &reversed(x))?;
            self.scale(&behind, -1.0)?;
            let spectrum = self.fourier(&both, TransformKind::Half, 2 * (n + 1), Norm::Backward)?;
            assign(self.operation, out, &part(&spectrum.part(true), 1, 1, n))?;
            return self.scale(out, -scale);
        }
        let both = self.new_lines(x, 2 * (n - 1), x.dtype)?;
        let front = part(&both, 0, 1, n);
        assign(self.operation, &front, x)?;
        let behind = part(&both, n, 1, n - 2);
        if behind.size() > 0 {
            assign(self.operation, &behind, &part(x, n - 2, -1, n - 2))?;
        }
        let ends = |of: &RawArray| part(of, 0, n as isize - 1, 2);
        if orthogonal {
            self.scale(&ends(&front), SQRT_2)?;
        }
        let spectrum = self.fourier(&both, TransformKind::Half, 2 * (n - 1), Norm::Backward)?;
        assign(self.operation, out, &spectrum.part(false))?;
        if orthogonal {
            self.scale(&ends(out), FRAC_1_SQRT_2)?;
        }
        self.scale(out, scale)
    }

    /// Type 2.
    fn of_shuffled(&self, x: &RawArray, scale: f64, orthogonal: bool, out: &RawArray) -> Result<()> {
        let n = x.shape()[x.shape().len() - 1];
        let (even, odd) = (n.div_ceil(2), n / 2);
        // x0, x2, x4, …, x5, x3, x1
        let shuffled = self.new_lines(x, n, x.dtype)?;
        assign(self.operation, &part(&shuffled, 0, 1, even), &part(x, 0, 2, even))?;
        if odd > 0 {
            let behind = part(&shuffled, even, 1, odd);
            assign(self.operation, &behind, &reversed(&part(x, 1, 2, odd)))?;
            self.scale(&behind, self.sign())?;
        }
        let spectrum = self.fourier(&shuffled, TransformKind::Half, n, Norm::Backward)?;
        let count = n / 2 + 1;
        self.turn(&spectrum, count, [0.0, -PI / (2 * n) as f64, 2.0 * scale])?;
        if orthogonal {
            self.scale(&part(&spectrum, 0, 1, 1).parts(), FRAC_1_SQRT_2)?;
        }
        let out = if self.is_sine { reversed(out) } else { out.clone() };
        assign(self.operation, &part(&out, 0, 1, count), &spectrum.part(false))?;
        if n > count {
            let behind = part(&out, count, 1, n - count);
            assign(self.operation, &behind, &reversed(&part(&spectrum.part(true), 1, 1, n - count)))?;
            self.scale(&behind, -1.0)?;
        }
        Ok(())
    }

    /// Type 3.
    fn to_shuffled(&self, x: &RawArray, scale: f64, orthogonal: bool, out: &RawArray) -> Result<()> {
        let n = x.shape()[x.shape().len() - 1];
        let (even, odd, count) = (n.div_ceil(2), n / 2, n / 2 + 1);
        let x = if self.is_sine { reversed(x) } else { x.clone() };
        let spectrum = self.new_lines(&x, count, complex(x.dtype))?;
        let (real, imaginary) = (spectrum.part(false), spectrum.part(true));
        assign(self.operation, &real, &part(&x, 0, 1, count))?;
        let first = part(&imaginary, 0, 1, 1);
        first.handle.backend.fill(Scalar::zero(x.dtype), first.view())?;
        if odd > 0 {
            let others = part(&imaginary, 1, 1, odd);
            assign(self.operation, &others, &part(&x, n - 1, -1, odd))?;
            self.scale(&others, -1.0)?;
        }
        if orthogonal {
            self.scale(&part(&real, 0, 1, 1), SQRT_2)?;
        }
        self.turn(&spectrum, count, [0.0, PI / (2 * n) as f64, scale])?;
        let shuffled = self.fourier(&spectrum, TransformKind::Back, n, Norm::Forward)?;
        assign(self.operation, &part(out, 0, 2, even), &part(&shuffled, 0, 1, even))?;
        if odd > 0 {
            let between = part(out, 1, 2, odd);
            assign(self.operation, &between, &reversed(&part(&shuffled, even, 1, odd)))?;
            self.scale(&between, self.sign())?;
        }
        Ok(())
    }

    /// Type 4.
    fn of_halves(&self, x: &RawArray, scale: f64, out: &RawArray) -> Result<()> {
        let n = x.shape()[x.shape().len() - 1];
        let x = if self.is_sine { reversed(x) } else { x.clone() };
        let quarter = PI / (4 * n) as f64;
        if n.is_multiple_of(2) {
            let half = n / 2;
            let pairs = self.new_lines(&x, half, complex(x.dtype))?;
            assign(self.operation, &pairs.part(false), &part(&x, 0, 2, half))?;
            assign(self.operation, &pairs.part(true), &part(&x, n - 1, -2, half))?;
            self.turn(&pairs, half, [-quarter, -4.0 * quarter, 1.0])?;
            let spectrum = self.fourier(&pairs, TransformKind::Forward, half, Norm::Backward)?;
            self.turn(&spectrum, half, [0.0, -4.0 * quarter, 2.0 * scale])?;
            assign(self.operation, &part(out, 0, 2, half), &spectrum.part(false))?;
            let between = part(out, n - 1, -2, half);
            assign(self.operation, &between, &spectrum.part(true))?;
            return self.scale(&between, -self.sign());
        }
        let turned = x.converted(self.operation, complex(x.dtype))?;
        self.turn(&turned, n, [-quarter, -2.0 * quarter, 1.0])?;
        let spectrum = self.fourier(&turned, TransformKind::Forward, 2 * n, Norm::Backward)?;
        let front = part(&spectrum, 0, 1, n).copied(self.operation)?;
        self.turn(&front, n, [0.0, -2.0 * quarter, 2.0 * scale])?;
        assign(self.operation, out, &front.part(false))?;
        if self.is_sine && n > 1 { self.scale(&part(out, 1, 2, n / 2), -1.0) } else { Ok(()) }
    }
}

/// `scale` times numbers of absolute value 1 whose angles begin with `first` and differ by `step`.
fn turns(
    operation: &'static str,
    handle: &Handle,
    count: usize,
    [first, step, scale]: [f64; 3],
    part: DType,
) -> Result<RawArray> {
    // In `f64`: errors of angles are errors of the result.
    let angles = RawArray::written(operation, handle, &[count], DType::F64, |out| {
        handle.backend.arange(Scalar::F64(first), Scalar::F64(step), out.view())
    })?;
    let made = Composed(operation);
    RawArray::written(operation, handle, &[count], complex(part), |out| {
        for (is_imaginary, function) in [(false, UnaryOperation::Cos), (true, UnaryOperation::Sin)] {
            let values = made.each(function, &angles)?;
            made.with_into(BinaryOperation::Multiply, &values, scale)?;
            handle.backend.copy(values.view(), out.part(is_imaginary).view())?;
        }
        Ok(())
    })
}
