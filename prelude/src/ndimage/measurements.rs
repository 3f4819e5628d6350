//! The cores of measurements: what the elements with each label have in common.

use super::kernels::{self, Given, run};
use crate::array::axes::axis_of;
use crate::array::conversions::conversions;
use crate::array::sides::AnyView;
use crate::array::transfer::bring;
use crate::array::{DeviceArray, RawArray, assign, grids, slice_axis};
use crate::backend::loops::Loops;
use crate::backend::{BinaryOperation, Layout, Operand, ScanOperation, UnaryOperation};
use crate::dtype::{DType, Scalar};
use crate::error::{Error, Result};
use crate::operations::elementwise::{binary, unary};
use crate::operations::scan::scan_axis;
use crate::operations::selection::choose;
use crate::operations::sorting::sorted_rows;
use std::ops::{Range, RangeInclusive};

mod sealed {
    pub trait Sealed {}
}

/// Which labels are measured: one, several as a list or a range such as `1..=count`, or `()` for all that are above 0, together.
/// Not an
/// extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name labels",
    label = "expected labels",
    note = "labels are one integer, a range such as `1..=count`, a list such as `[1, 3]`, or `()` for all above 0 together"
)]
pub trait IntoLabels: sealed::Sealed {
    /// The labels, and whether there is a result for each of them.
    fn into_labels(self) -> (Option<Vec<i64>>, bool);
}

fn list<T: TryInto<i64>>(labels: impl IntoIterator<Item = T>) -> (Option<Vec<i64>>, bool) {
    (Some(labels.into_iter().map(|label| label.try_into().unwrap_or(i64::MAX)).collect()), true)
}

conversions! {
    fn into_labels(self) -> (Option<Vec<i64>>, bool): IntoLabels, sealed::Sealed;
    () => (None, false);
    i32 => (Some(vec![self.into()]), false);
    i64 => (Some(vec![self]), false);
    usize => (list([self]).0, false);
    Range<i32> => list(self);
    Range<usize> => list(self);
    RangeInclusive<i32> => list(self);
    RangeInclusive<usize> => list(self);
    [i32; N] [const N: usize] => list(self);
    [i64; N] [const N: usize] => list(self);
    &[i32] => list(self.to_vec());
    &[i64] => list(self.to_vec());
    Vec<i32> => list(self);
    Vec<i64> => list(self);
    Vec<usize> => list(self);
    &DeviceArray<i32> => list(self.tolist());
    &DeviceArray<i64> => list(self.tolist());
}

/// The elements with labels that are measured.
pub(super) struct Groups {
    operation: &'static str,
    /// The elements in row-major order, as f64.
    x: RawArray,
    shape: Vec<usize>,
    /// For each element the number of its group; `count` if it is in none.
    slots: RawArray,
    count: usize,
    /// For each result the number of its group.
    order: Vec<i64>,
    is_list: bool,
}

/// The elements as f64 in row-major order.
fn line(operation: &'static str, x: &RawArray) -> Result<RawArray> {
    if x.dtype.is_complex() {
        return Err(Error::dtype(operation, x.dtype, "measure `a.real()` or `a.abs()`"));
    }
    let x = if x.dtype == DType::F64 { x.clone() } else { x.converted(operation, DType::F64)? };
    x.flat(operation)
}

impl Groups {
    pub(super) fn new(
        operation: &'static str,
        x: &RawArray,
        labels: Option<&AnyView<'_>>,
        (index, is_list): (Option<Vec<i64>>, bool),
    ) -> Result<Groups> {
        let labels = match labels {
            Some(view) => bring(operation, view, &x.handle)?,
            None => {
                if index.is_some() {
                    let reason = "labels are chosen, but no labels are given; give an array of them";
                    return Err(Error::argument(operation, reason));
                }
                RawArray::filled(operation, &x.handle, x.shape(), Scalar::I64(1))?
            }
        };
        let is_together = index.is_none();
        if labels.dtype.is_float() || labels.dtype.is_complex() {
            return Err(Error::dtype(
                operation,
                labels.dtype,
                "convert the labels to integers, such as `labels.astype::<i32>()`",
            ));
        }
        let labels =
            crate::array::view::broadcast_to(operation, &labels, x.shape())?.converted(operation, DType::I64)?;
        let asked = index.unwrap_or_else(|| vec![1]);
        let mut values = asked.clone();
        values.sort_unstable();
        values.dedup();
        let form = if is_together {
            2
        } else if !values.is_empty() && values.windows(2).all(|pair| pair[1] - pair[0] == 1) {
            1
        } else {
            0
        };
        let order = asked.iter().map(|label| values.partition_point(|value| value < label) as i64).collect();
        let count = values.len();
        let slots = RawArray::uninitialised(operation, &x.handle, &[x.size()], DType::I64)?;
        let values = RawArray::of_indices(operation, &x.handle, &[count], &values)?;
        let loops = Loops::Slots { labels: labels.view(), values: values.view(), form, out: slots.view() };
        if !labels.layout.is_contiguous() || !x.handle.backend.by_loops(loops)? {
            let given = [Given::Read(&labels), Given::Read(&values), Given::Word(form), Given::Write(&slots)];
            run(operation, kernels::slots(), x.size(), &given)?;
        }
        Ok(Groups { operation, x: line(operation, x)?, shape: x.shape().to_vec(), slots, count, order, is_list })
    }

    /// How many elements each group has, or the sums of their weights.
    fn bins(&self, weights: Option<&RawArray>) -> Result<RawArray> {
        let dtype = if weights.is_some() { DType::F64 } else { DType::I64 };
        let handle = &self.x.handle;
        if self.x.size() == 0 {
            return RawArray::filled(self.operation, handle, &[self.count + 1], Scalar::zero(dtype));
        }
        RawArray::written(self.operation, handle, &[self.count + 1], dtype, |out| {
            handle.backend.bincount(self.slots.view(), weights.map(RawArray::view), out.view())
        })
    }

    /// The elements of `values` at indices: i64, contiguous, in range.
    fn taken(&self, values: &RawArray, indices: &RawArray) -> Result<RawArray> {
        RawArray::written(self.operation, &self.x.handle, &[indices.size()], values.dtype, |out| {
            self.x.handle.backend.gather(values.view(), 0, indices.view(), out.view())
        })
    }

    /// Results of groups in the order that was asked for; without an axis if there is one.
    fn arranged(&self, results: &RawArray) -> Result<RawArray> {
        let order = RawArray::of_indices(self.operation, &self.x.handle, &[self.order.len()], &self.order)?;
        let out = self.taken(results, &order)?;
        Ok(if self.is_list { out } else { out.with_layout(Layout::contiguous(&[])) })
    }

    fn pair(&self, operation: BinaryOperation, a: &RawArray, b: &RawArray) -> Result<RawArray> {
        binary(self.operation, operation, a, b)
    }

    fn counts(&self) -> Result<RawArray> {
        self.bins(None)?.converted(self.operation, DType::F64)
    }

    fn sums(&self) -> Result<RawArray> {
        self.bins(Some(&self.x))
    }

    fn means(&self) -> Result<RawArray> {
        self.pair(BinaryOperation::Divide, &self.sums()?, &self.counts()?)
    }

    fn variances(&self) -> Result<RawArray> {
        let means = self.means()?;
        let away = self.pair(BinaryOperation::Subtract, &self.x, &self.taken(&means, &self.slots)?)?;
        let squares = self.pair(BinaryOperation::Multiply, &away, &away)?;
        self.pair(BinaryOperation::Divide, &self.bins(Some(&squares))?, &self.counts()?)
    }

    pub(super) fn sum(&self) -> Result<RawArray> {
        self.arranged(&self.sums()?)
    }

    pub(super) fn mean(&self) -> Result<RawArray> {
        self.arranged(&self.means()?)
    }

    pub(super) fn variance(&self) -> Result<RawArray> {
        self.arranged(&self.variances()?)
    }

    pub(super) fn deviation(&self) -> Result<RawArray> {
        self.arranged(&unary(self.operation, UnaryOperation::Sqrt, &self.variances()?)?)
    }

    /// The positions of the elements in ascending order, and their groups.
    fn sorted(&self) -> Result<(RawArray, RawArray)> {
        let order = sorted_rows(self.operation, &self.x, true)?;
        let slots = self.taken(&self.slots, &order)?;
        Ok((order, slots))
    }

    /// As `sorted`, with the last one of equal elements first.
    fn sorted_backwards(&self) -> Result<(RawArray, RawArray)> {
        let turn = |raw: &RawArray| {
            slice_axis(raw, 0, raw.size().saturating_sub(1), -1, raw.size()).contiguous(self.operation)
        };
        let places = grids::numbers(self.operation, &self.x.handle, self.x.size())?;
        let order = sorted_rows(self.operation, &turn(&self.x)?, true)?;
        let order = self.taken(&turn(&places)?, &order)?;
        let slots = self.taken(&self.slots, &order)?;
        Ok((order, slots))
    }

    /// For each group its last one of `values`, or its first one; 0 for a group without elements.
    fn last_of(&self, values: &RawArray, slots: &RawArray, is_first: bool) -> Result<RawArray> {
        let zero = Scalar::zero(values.dtype);
        let out = RawArray::filled(self.operation, &self.x.handle, &[self.count + 1], zero)?;
        if values.size() == 0 {
            return Ok(out);
        }
        let turn = |raw: &RawArray| {
            if is_first {
                slice_axis(raw, 0, raw.size() - 1, -1, raw.size()).contiguous(self.operation)
            } else {
                Ok(raw.clone())
            }
        };
        let (values, slots) = (turn(values)?, turn(slots)?);
        self.x.handle.backend.scatter(Operand::Array(values.view()), 0, slots.view(), out.view())?;
        Ok(out)
    }

    /// The least or the greatest elements, and their positions: an index along each axis.
    pub(super) fn extreme(&self, is_maximum: bool) -> Result<(RawArray, RawArray)> {
        let (order, slots) = if is_maximum && !self.is_list { self.sorted_backwards()? } else { self.sorted()? };
        let values = self.taken(&self.x, &order)?;
        let found = self.arranged(&self.last_of(&values, &slots, !is_maximum)?)?;
        let places = self.arranged(&self.last_of(&order, &slots, !is_maximum)?)?;
        Ok((found, self.unravelled(&places)?))
    }

    fn unravelled(&self, places: &RawArray) -> Result<RawArray> {
        let rank = self.shape.len();
        let shape = [places.shape(), &[rank]].concat();
        let lengths: Vec<i64> = self.shape.iter().map(|&length| length as i64).collect();
        let lengths = RawArray::of_indices(self.operation, &self.x.handle, &[rank], &lengths)?;
        let out = RawArray::uninitialised(self.operation, &self.x.handle, &shape, DType::I64)?;
        let given = [Given::Read(places), Given::Read(&lengths), Given::Flag(false), Given::Write(&out)];
        if rank > 0 {
            run(self.operation, kernels::unravelled(), places.size(), &given)?;
        }
        Ok(out)
    }

    /// The centres of mass: a row for each label.
    pub(super) fn centre(&self) -> Result<RawArray> {
        let rank = self.shape.len();
        let total = self.sums()?;
        let results = self.order.len();
        let shape: &[usize] = if self.is_list { &[results, rank] } else { &[rank] };
        let out = RawArray::uninitialised(self.operation, &self.x.handle, shape, DType::F64)?;
        for axis in 0..rank {
            let inner: usize = self.shape[axis + 1..].iter().product();
            let places = RawArray::uninitialised(self.operation, &self.x.handle, &[self.x.size()], DType::F64)?;
            let given = [Given::Length(inner), Given::Length(self.shape[axis]), Given::Write(&places)];
            run(self.operation, kernels::coordinate(), places.size(), &given)?;
            let moments = self.bins(Some(&self.pair(BinaryOperation::Multiply, &self.x, &places)?))?;
            let found = self.arranged(&self.pair(BinaryOperation::Divide, &moments, &total)?)?;
            let last = out.shape().len() - 1;
            let column = slice_axis(&out, last, axis, 1, 1);
            let found = found.with_layout(Layout { offset: found.layout.offset, ..Layout::contiguous(column.shape()) });
            assign(self.operation, &column, &found)?;
        }
        Ok(out)
    }

    /// The medians: of an even number of elements the mean of those in the middle.
    pub(super) fn median(&self) -> Result<RawArray> {
        let (order, slots) = self.sorted()?;
        // Stable, so that the elements of a group stay in order.
        let by_group = sorted_rows(self.operation, &slots, true)?;
        let values = self.taken(&self.x, &self.taken(&order, &by_group)?)?;
        let counts = self.bins(None)?;
        let ends = scan_axis(self.operation, ScanOperation::Sum, &counts, 0)?;
        let starts = self.pair(BinaryOperation::Subtract, &ends, &counts)?;
        let middle = |less: i64| {
            let half = binary(self.operation, BinaryOperation::Subtract, &counts, Scalar::I64(less))?;
            let half = binary(self.operation, BinaryOperation::Divide, &half, Scalar::I64(2))?;
            let place = self.pair(BinaryOperation::Add, &starts, &half)?;
            let most = Scalar::I64((values.size() as i64 - 1).max(0));
            let place = binary(self.operation, BinaryOperation::Minimum, &place, most)?;
            self.taken(&values, &place)
        };
        if values.size() == 0 {
            return self.arranged(&RawArray::filled(
                self.operation,
                &self.x.handle,
                &[self.count + 1],
                Scalar::F64(f64::NAN),
            )?);
        }
        let both = self.pair(BinaryOperation::Add, &middle(1)?, &middle(0)?)?;
        let found = binary(self.operation, BinaryOperation::Multiply, &both, Scalar::F64(0.5))?;
        let is_empty = binary(self.operation, BinaryOperation::Equal, &counts, Scalar::I64(0))?;
        self.arranged(&choose(&is_empty, Scalar::F64(f64::NAN), &found)?)
    }

    /// Histograms of the elements: a row for each label.
    pub(super) fn histogram(&self, low: f64, high: f64, bins: usize) -> Result<RawArray> {
        if bins == 0 || low.is_nan() || high.is_nan() || low >= high {
            let reason = format!(
                "{bins} bins from {low} to {high} are asked for; give at least one bin, and a range that ascends"
            );
            return Err(Error::argument(self.operation, reason));
        }
        let edges = (0..=bins).map(|k| if k == bins { high } else { low + k as f64 * ((high - low) / bins as f64) });
        let handle = &self.x.handle;
        let edges = RawArray::of_floats(self.operation, handle, &[bins + 1], edges, DType::F64)?;
        let places = RawArray::uninitialised(self.operation, handle, &[self.x.size()], DType::I64)?;
        let given = [
            Given::Read(&self.x),
            Given::Read(&self.slots),
            Given::Read(&edges),
            Given::Signed(self.count as i64),
            Given::Write(&places),
        ];
        run(self.operation, kernels::bins(), places.size(), &given)?;
        let size = self.count * bins + 1;
        let counts = if places.size() == 0 {
            RawArray::filled(self.operation, handle, &[size], Scalar::I64(0))?
        } else {
            RawArray::written(self.operation, handle, &[size], DType::I64, |out| {
                handle.backend.bincount(places.view(), None, out.view())
            })?
        };
        let order: Vec<i64> =
            self.order.iter().flat_map(|&slot| (0..bins as i64).map(move |bin| slot * bins as i64 + bin)).collect();
        let order = RawArray::of_indices(self.operation, handle, &[order.len()], &order)?;
        let out = self.taken(&counts, &order)?;
        let shape: &[usize] = if self.is_list { &[self.order.len(), bins] } else { &[bins] };
        Ok(out.with_layout(Layout::contiguous(shape)))
    }
}

/// The indices of positions in row-major order, an axis for each before those of the positions.
pub(super) fn indices(operation: &'static str, places: &RawArray) -> Result<RawArray> {
    let shape = [&[places.shape().len()], places.shape()].concat();
    let lengths: Vec<i64> = places.shape().iter().map(|&length| length as i64).collect();
    let lengths = RawArray::of_indices(operation, &places.handle, &[lengths.len()], &lengths)?;
    let out = RawArray::uninitialised(operation, &places.handle, &shape, DType::I64)?;
    let given = [Given::Read(places), Given::Read(&lengths), Given::Flag(true), Given::Write(&out)];
    run(operation, kernels::unravelled(), places.size(), &given)?;
    Ok(out)
}

/// The factors along one axis of a filter in the frequency domain, and what they are multiplied with.
pub(super) enum Frequency {
    Gaussian(f64),
    Uniform(f64),
    Shift(f64),
}

/// `fourier_gaussian`, `fourier_uniform` and `fourier_shift`: a factor for each index along each axis.
pub(super) fn in_frequency(
    operation: &'static str,
    x: &RawArray,
    values: &[f64],
    of: fn(f64) -> Frequency,
    n: isize,
    axis: isize,
) -> Result<RawArray> {
    let rank = x.shape().len();
    let values = super::arguments::each(operation, "the argument", values, rank)?;
    let axis = if n < 0 { usize::MAX } else { axis_of(operation, x.shape(), axis)? };
    let (is_wide, is_complex) = (!matches!(x.dtype, DType::F32 | DType::C64), x.dtype.is_complex());
    let needs_complex = is_complex || values.first().is_some_and(|&value| matches!(of(value), Frequency::Shift(_)));
    let real = if is_wide { DType::F64 } else { DType::F32 };
    let complex = crate::operations::fourier::complex(real);
    let mut found = x.converted(operation, if needs_complex { complex } else { real })?;
    for (place, &value) in values.iter().enumerate() {
        let length = x.shape()[place];
        let points = if place == axis { n as usize } else { length };
        let frequency = |k: usize| {
            let is_low = place == axis || k < points.div_ceil(2);
            if is_low { k as f64 } else { k as f64 - points as f64 }
        };
        let tau = std::f64::consts::TAU;
        let factor = |k: usize| {
            let at = frequency(k) / points as f64;
            match of(value) {
                Frequency::Gaussian(sigma) => ((-0.5 * (tau * sigma * at).powi(2)).exp(), 0.0),
                Frequency::Uniform(size) => {
                    let angle = tau / 2.0 * size * at;
                    (if angle == 0.0 { 1.0 } else { angle.sin() / angle }, 0.0)
                }
                Frequency::Shift(by) => ((tau * by * at).cos(), -(tau * by * at).sin()),
            }
        };
        let factors = if needs_complex {
            let parts = (0..length).flat_map(|k| <[f64; 2]>::from(factor(k)));
            RawArray::of_floats(operation, &x.handle, &[length, 2], parts, real)?.joined(complex)
        } else {
            RawArray::of_floats(operation, &x.handle, &[length], (0..length).map(|k| factor(k).0), real)?
        };
        found = binary(operation, BinaryOperation::Multiply, &found, &grids::on_axis(&factors, place, rank))?;
    }
    Ok(found)
}
