//! Fourier transforms along any axes on CUDA, put together from those that cuFFT computes: of the last axes of a contiguous
//! array, or of an axis whose lines lie side by side.

use super::{CudaBackend, address_of, source_of};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use warpcell_base::backend::{Allocation, Backend, BinaryOperation, Layout, Operand, UnaryOperation, View};
use warpcell_base::dtype::{DType, Scalar};
use warpcell_base::error::Result;
use warpcell_driver::cufft::{Kind, Plan, Shape};

/// Axes of one transform of cuFFT.
const MOST_AXES: usize = 3;
/// Up to as many blocks of lines are transformed one after the other where they lie; more are brought together first.
const FEW: usize = 8;

/// More plans than this are not kept: each holds some memory of the device.
const MOST_PLANS: usize = 64;

/// Plans of cuFFT, made at their first use.
pub(super) type Plans = Mutex<HashMap<Shape, Plan>>;

/// An array between two steps.
struct Between {
    allocation: Arc<dyn Allocation>,
    layout: Layout,
    dtype: DType,
}

impl Between {
    fn view(&self) -> View<'_> {
        View { allocation: &self.allocation, layout: &self.layout, dtype: self.dtype }
    }
}

/// A contiguous layout as one of three axes: what lies before an axis, what lies behind it, and the axis.
fn at_end(layout: &Layout, axis: usize) -> Layout {
    let [before, length, inner] = layout.around(axis);
    let strides = [length * inner, 1, inner].map(|stride| stride as isize);
    Layout { shape: vec![before, inner, length], strides: strides.to_vec(), offset: layout.offset }
}

/// One of the parts of an array of complex numbers.
fn part(layout: &Layout, is_imaginary: bool) -> Layout {
    let mut part = layout.parts();
    part.shape.pop();
    part.strides.pop();
    part.offset += usize::from(is_imaginary);
    part
}

/// The parts of a whole spectrum of real numbers and where they are in its first half along the last of `axes`: the first part as it is,
/// the others as conjugates. Each number is the conjugate of the one at the opposite place of all axes.
fn halves(half: &Layout, whole: &Layout, axes: &[usize]) -> Vec<(Layout, Layout)> {
    let (&last, others) = axes.split_last().expect("an axis");
    let (length, kept) = (whole.shape[last], half.shape[last]);
    // The elements at `start`, `start + 1`, …, or backwards.
    let part = |layout: &Layout, axis: usize, start: usize, count: usize, backwards: bool| {
        let mut part = layout.clone();
        part.offset = part.offset.wrapping_add_signed(start as isize * part.strides[axis]);
        part.shape[axis] = count;
        if backwards {
            part.strides[axis] = -part.strides[axis];
        }
        part
    };
    let rest = length - kept;
    let mut mirrored = vec![(part(half, last, rest, rest, true), part(whole, last, kept, rest, false))];
    for &axis in others {
        let count = whole.shape[axis];
        let both = mirrored.iter().flat_map(|(from, to)| {
            let zero = (part(from, axis, 0, 1, false), part(to, axis, 0, 1, false));
            let more = (count > 1)
                .then(|| (part(from, axis, count - 1, count - 1, true), part(to, axis, 1, count - 1, false)));
            std::iter::once(zero).chain(more)
        });
        mirrored = both.collect();
    }
    let first = (half.clone(), part(whole, last, 0, kept, false));
    std::iter::once(first).chain(mirrored).collect()
}

/// How many of the last axes are among `axes`, as far as one transform of cuFFT takes them.
fn trailing(rank: usize, axes: &[usize]) -> usize {
    (0..rank.min(MOST_AXES)).take_while(|behind| axes.contains(&(rank - 1 - behind))).count()
}

impl CudaBackend {
    pub(super) fn run_transform(
        &self,
        axes: &[usize],
        is_inverse: bool,
        scale: f64,
        destroys: bool,
        x: View<'_>,
        out: View<'_>,
    ) -> Result<()> {
        self.can_transform()?;
        let last = axes[axes.len() - 1];
        let (length, numbers) = (x.layout.shape[last], out.layout.shape[last]);
        match (x.dtype.is_complex(), out.dtype.is_complex()) {
            (true, true) => self.complex(x, out, axes, is_inverse)?,
            // Of two real numbers and less, the first half of the spectrum is all of it.
            (_, true) if length == numbers && length > 2 => {
                let mut half = Layout { shape: out.layout.shape.clone(), strides: Vec::new(), offset: 0 };
                half.shape[last] = length / 2 + 1;
                let half = self.between(&half, out.dtype)?;
                self.real_to_half(x, half.view(), axes)?;
                let [(first, to), others @ ..] = &halves(&half.layout, out.layout, axes)[..] else {
                    unreachable!("there is a first half")
                };
                self.elementwise.copy(View { layout: first, ..half.view() }, View { layout: to, ..out })?;
                for (from, to) in others {
                    let (from, to) = (View { layout: from, ..half.view() }, View { layout: to, ..out });
                    self.elementwise.unary(UnaryOperation::Conjugate, from, to)?;
                }
            }
            (_, true) => self.real_to_half(x, out, axes)?,
            _ => self.half_to_real(x, out, axes, destroys)?,
        }
        if scale == 1.0 {
            return Ok(());
        }
        let parts = if out.dtype.is_complex() { out.layout.parts() } else { out.layout.clone() };
        let out = View { layout: &parts, dtype: out.dtype.part(), ..out };
        let scale = Operand::Scalar(Scalar::of_float(scale, out.dtype));
        self.elementwise.binary(BinaryOperation::Multiply, Operand::Array(out), scale, out)
    }

    fn between(&self, layout: &Layout, dtype: DType) -> Result<Between> {
        let layout = Layout::contiguous(&layout.shape);
        Ok(Between { allocation: self.allocate(layout.size() * dtype.size())?, layout, dtype })
    }

    /// A contiguous copy of an array.
    fn dense(&self, x: View<'_>) -> Result<Between> {
        let dense = self.between(x.layout, x.dtype)?;
        self.elementwise.copy(x, dense.view())?;
        Ok(dense)
    }

    /// A transform of complex numbers; `out` may be `x`.
    fn complex(&self, x: View<'_>, out: View<'_>, axes: &[usize], is_inverse: bool) -> Result<()> {
        let shape = &x.layout.shape;
        let together = shape.len() - trailing(shape.len(), axes);
        let mut from = x;
        if together < shape.len() {
            let lengths = shape[together..].to_vec();
            self.transform_rows(Kind::Complex, lengths, (from, out), is_inverse)?;
            from = out;
        }
        for &axis in axes.iter().filter(|&&axis| axis < together) {
            self.complex_axis(from, out, axis, is_inverse)?;
            from = out;
        }
        Ok(())
    }

    /// A transform of complex numbers along an axis; `out` may be `x`.
    fn complex_axis(&self, x: View<'_>, out: View<'_>, axis: usize, is_inverse: bool) -> Result<()> {
        let [before, length, inner] = x.layout.around(axis);
        if before <= FEW {
            let shape = Shape {
                kind: Kind::Complex,
                is_double: x.dtype == DType::C128,
                lengths: vec![length],
                count: inner,
                distances: [1, 1],
                stride: inner,
            };
            let bytes = (length * inner * x.dtype.size()) as u64;
            for block in 0..before as u64 {
                let (from, to) = (source_of(x)? + block * bytes, address_of(out)? + block * bytes);
                self.run_plan(shape.clone(), from, to, is_inverse)?;
            }
            return Ok(());
        }
        let rows = self.dense(View { layout: &at_end(x.layout, axis), ..x })?;
        self.transform_rows(Kind::Complex, vec![length], (rows.view(), rows.view()), is_inverse)?;
        self.elementwise.copy(rows.view(), View { layout: &at_end(out.layout, axis), ..out })
    }

    /// The transform of real numbers to the first half of their spectrum along the last of `axes`.
    fn real_to_half(&self, x: View<'_>, out: View<'_>, axes: &[usize]) -> Result<()> {
        let (&last, others) = axes.split_last().expect("an axis");
        let rank = x.layout.shape.len();
        // cuFFT wants all addresses aligned to complex numbers.
        let aligned;
        let x = if source_of(x)?.is_multiple_of(2 * x.dtype.size() as u64) {
            x
        } else {
            aligned = self.dense(x)?;
            aligned.view()
        };
        let mut together = last;
        if last == rank - 1 {
            together = rank - trailing(rank, axes);
            self.transform_rows(Kind::RealToComplex, x.layout.shape[together..].to_vec(), (x, out), false)?;
        } else {
            let length = x.layout.shape[last];
            let rows = self.dense(View { layout: &at_end(x.layout, last), ..x })?;
            let spectra = self.between(&at_end(out.layout, last), out.dtype)?;
            self.transform_rows(Kind::RealToComplex, vec![length], (rows.view(), spectra.view()), false)?;
            self.elementwise.copy(spectra.view(), View { layout: &at_end(out.layout, last), ..out })?;
        }
        for &axis in others {
            if last != rank - 1 || axis < together {
                self.complex_axis(out, out, axis, false)?;
            }
        }
        Ok(())
    }

    /// The opposite, by inverse transforms.
    fn half_to_real(&self, x: View<'_>, out: View<'_>, axes: &[usize], destroys: bool) -> Result<()> {
        let (&last, others) = axes.split_last().expect("an axis");
        // cuFFT may overwrite what it transforms to real numbers.
        let copy = if destroys { None } else { Some(self.between(x.layout, x.dtype)?) };
        let spectra = copy.as_ref().map_or(x, Between::view);
        if !others.is_empty() {
            self.complex(x, spectra, others, true)?;
        } else if !destroys {
            self.elementwise.copy(x, spectra)?;
        }
        let length = out.layout.shape[last];
        if last == x.layout.shape.len() - 1 {
            self.make_ends_real(spectra, length)?;
            return self.transform_rows(Kind::ComplexToReal, vec![length], (spectra, out), true);
        }
        let rows = self.dense(View { layout: &at_end(spectra.layout, last), ..spectra })?;
        self.make_ends_real(rows.view(), length)?;
        let place = at_end(out.layout, last);
        let real = self.between(&place, out.dtype)?;
        self.transform_rows(Kind::ComplexToReal, vec![length], (rows.view(), real.view()), true)?;
        self.elementwise.copy(real.view(), View { layout: &place, ..out })
    }

    /// Makes those numbers of each row real that are so in the spectrum of `length` real numbers: the first, and the last if the
    /// length is even.
    fn make_ends_real(&self, spectra: View<'_>, length: usize) -> Result<()> {
        let last = spectra.layout.shape.len() - 1;
        let mut imaginary = part(spectra.layout, true);
        imaginary.shape[last] = 1;
        let dtype = spectra.dtype.part();
        let zero = Scalar::of_float(0.0, dtype);
        self.elementwise.fill(zero, View { layout: &imaginary, dtype, ..spectra })?;
        if length.is_multiple_of(2) {
            imaginary.offset += length;
            self.elementwise.fill(zero, View { layout: &imaginary, dtype, ..spectra })?;
        }
        Ok(())
    }

    /// Transforms along the last axes of two arrays, contiguous but for overlapping rows of `x`; `lengths` are those of real
    /// numbers, if there are some.
    fn transform_rows(
        &self,
        kind: Kind,
        lengths: Vec<usize>,
        (x, out): (View<'_>, View<'_>),
        is_inverse: bool,
    ) -> Result<()> {
        let first = x.layout.shape.len() - lengths.len();
        let each = |view: View<'_>| match (first, &view.layout.shape[..]) {
            (1, &[count, _]) if count > 1 => view.layout.strides[0].unsigned_abs(),
            (_, shape) => shape[first..].iter().product(),
        };
        let shape = Shape {
            kind,
            is_double: x.dtype.part() == DType::F64,
            lengths,
            count: x.layout.shape[..first].iter().product(),
            distances: [each(x), each(out)],
            stride: 1,
        };
        self.run_plan(shape, source_of(x)?, address_of(out)?, is_inverse)
    }

    /// The addresses are those of views as the backend's contract says.
    fn run_plan(&self, shape: Shape, from: u64, to: u64, is_inverse: bool) -> Result<()> {
        let mut plans = self.transforms.lock().unwrap_or_else(PoisonError::into_inner);
        if !plans.contains_key(&shape) {
            if plans.len() >= MOST_PLANS {
                plans.clear();
            }
            plans.insert(shape.clone(), Plan::new(&self.device, shape.clone())?);
        }
        let Some(plan) = plans.get_mut(&shape) else { unreachable!("was just inserted") };
        // SAFETY: the views are as the backend's contract says, and lie in live allocations.
        unsafe { plan.run(from, to, is_inverse) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_at_the_end_are_transformed_together() {
        assert_eq!(trailing(3, &[2]), 1);
        assert_eq!(trailing(3, &[0, 2]), 1);
        assert_eq!(trailing(3, &[2, 0, 1]), 3);
        assert_eq!(trailing(4, &[0, 1, 2, 3]), 3);
        assert_eq!(trailing(2, &[0]), 0);
    }

    #[test]
    fn a_spectrum_is_all_of_its_first_half_and_conjugates() {
        fn indices(mut at: usize, shape: &[usize]) -> Vec<usize> {
            let mut indices: Vec<usize> = shape.iter().rev().map(|&length| (at % length, at /= length).0).collect();
            indices.reverse();
            indices
        }
        fn places(layout: &Layout) -> impl Iterator<Item = usize> {
            (0..layout.size()).map(|at| {
                let steps = indices(at, &layout.shape).into_iter().zip(&layout.strides);
                layout.offset.wrapping_add_signed(steps.map(|(index, stride)| index as isize * stride).sum())
            })
        }
        for (shape, axes) in
            [(vec![5], vec![0]), (vec![6, 4], vec![0, 1]), (vec![3, 1, 7], vec![0, 1, 2]), (vec![4, 6, 3], vec![2, 1])]
        {
            let &last = axes.last().expect("an axis");
            let whole = Layout::contiguous(&shape);
            let mut shorter = shape.clone();
            shorter[last] = shape[last] / 2 + 1;
            let half = Layout::contiguous(&shorter);
            let mut found = vec![None; whole.size()];
            for (number, (from, to)) in halves(&half, &whole, &axes).into_iter().enumerate() {
                assert_eq!(from.shape, to.shape);
                for (from, to) in places(&from).zip(places(&to)) {
                    assert_eq!(found[to].replace((from, number > 0)), None, "element {to} is written twice");
                }
            }
            for (at, found) in found.into_iter().enumerate() {
                let (from, is_conjugate) = found.expect("all are written");
                let mut expected = indices(at, &shape);
                assert_eq!(is_conjugate, expected[last] >= shorter[last]);
                for &axis in axes.iter().filter(|_| is_conjugate) {
                    expected[axis] = (shape[axis] - expected[axis]) % shape[axis];
                }
                assert_eq!(indices(from, &shorter), expected);
            }
        }
    }

    #[test]
    fn layouts_of_lines_and_of_parts() {
        let layout = Layout { offset: 5, ..Layout::contiguous(&[2, 3, 4, 5]) };
        let moved = Layout { shape: vec![2, 20, 3], strides: vec![60, 1, 20], offset: 5 };
        assert_eq!(at_end(&layout, 1), moved);
        assert_eq!(at_end(&layout, 3).strides, [5, 1, 1]);
        let imaginary = Layout { shape: vec![3, 2], strides: vec![4, 2], offset: 11 };
        assert_eq!(part(&Layout { offset: 5, ..Layout::contiguous(&[3, 2]) }, true), imaginary);
    }
}
