//! Elements put around an array: NumPy's `pad`.

use crate::array::conversions::conversions;
use crate::array::sides::OnDevice;
use crate::array::view::{assign, broadcast_to, fill, slice_axis};
use crate::array::{DeviceArray, RawArray};
use crate::backend::{BinaryOperation, Layout, ReduceOperation, UnaryOperation};
use crate::dtype::{DType, Element, Scalar};
use crate::error::{Error, Result, check};
use crate::operations::composing::Composed;
use crate::operations::quantiles::{Rank, of_rows};
use crate::operations::reduce::{mean_along, reduce};
use crate::operations::statistics::with_axes;

const NAME: &str = "pad";

/// What [`pad`] puts around an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pad<T> {
    /// This value.
    Constant(T),
    /// The element at the edge.
    Edge,
    /// Elements that are not specified.
    Empty,
    /// From this value, which is outermost, in equal steps to the element at the edge.
    LinearRamp(T),
    /// The largest element along the axis.
    Maximum,
    /// The mean along the axis; of integers, rounded.
    Mean,
    /// The median along the axis; of integers, rounded.
    Median,
    /// The smallest element along the axis.
    Minimum,
    /// The array mirrored at its edge elements, which are not doubled.
    Reflect,
    /// The array mirrored behind its edge elements, which are doubled.
    Symmetric,
    /// The array itself, as if repeated.
    Wrap,
}

/// How many elements are put before and behind an array: `2` on all sides, a pair `(before, behind)` for all axes, or one pair an axis, in
/// an array or in a tuple.
pub trait IntoPadding: sealed::Sealed {
    /// A pair for each of `rank` axes; none if there are not as many pairs.
    fn into_padding(self, rank: usize) -> Option<Vec<(usize, usize)>>;
}

mod sealed {
    pub trait Sealed {}
}

conversions! {
    fn into_padding(self, rank: usize) -> Option<Vec<(usize, usize)>>: IntoPadding, sealed::Sealed;
    usize => Some(vec![(self, self); rank]);
    (usize, usize) => Some(vec![self; rank]);
    [(usize, usize); N] [const N: usize] => self.as_slice().into_padding(rank);
    &[(usize, usize)] => for_axes(self, rank);
    ((usize, usize),) => [self.0].into_padding(rank);
    ((usize, usize), (usize, usize)) => [self.0, self.1].into_padding(rank);
    ((usize, usize), (usize, usize), (usize, usize)) => [self.0, self.1, self.2].into_padding(rank);
}

/// The values before and behind an array of `T`: one for all sides, a pair for all axes, or one pair an axis, in an array or in a tuple.
/// Not an extension point.
#[diagnostic::on_unimplemented(
    message = "cannot combine an array of `{T}` with `{Self}`",
    label = "expected a `{T}`, or a pair such as `(before, behind)` of them",
    note = "write the numbers with the type of the elements, such as `1.0` for `f64`"
)]
pub trait IntoPadValues<T: Element> {
    /// A pair for each of `rank` axes; none if there are not as many pairs.
    fn into_pad_values(self, rank: usize) -> Option<Vec<(T, T)>>;
}

conversions! {
    fn into_pad_values(self, rank: usize) -> Option<Vec<(T, T)>>: IntoPadValues<T>;
    T [T: Element] => Some(vec![(self, self); rank]);
    (T, T) [T: Element] => Some(vec![self; rank]);
    [(T, T); N] [T: Element, const N: usize] => for_axes(&self, rank);
    ((T, T),) [T: Element] => for_axes(&[self.0], rank);
    ((T, T), (T, T)) [T: Element] => for_axes(&[self.0, self.1], rank);
    ((T, T), (T, T), (T, T)) [T: Element] => for_axes(&[self.0, self.1, self.2], rank);
}

/// One pair for all axes, or one for each.
fn for_axes<T: Copy>(pairs: &[(T, T)], rank: usize) -> Option<Vec<(T, T)>> {
    match pairs {
        &[one] => Some(vec![one; rank]),
        pairs => (pairs.len() == rank).then(|| pairs.to_vec()),
    }
}

/// The array with elements put around it: `width` on all sides, or pairs of widths before and behind, one for all axes or one an axis. NumPy's
/// `pad`; `gpu::pad!(&a, 2, mode = "mean", stat_length = 3)` has its other arguments.
///
/// **Panics** if there are not as many pairs as axes, or if an empty axis shall be continued by its elements
/// ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell as gpu;
/// use gpu::Pad;
/// let a = gpu::array(&[1, 2, 3]);
/// assert_eq!(gpu::pad(&a, 1, Pad::Constant(0)).to_host(), ndarray::arr1(&[0, 1, 2, 3, 0]).into_dyn());
/// assert_eq!(gpu::pad(&a, [(2, 0)], Pad::Reflect).to_host(), ndarray::arr1(&[3, 2, 1, 2, 3]).into_dyn());
/// assert_eq!(gpu::pad(&a, (0, 3), Pad::LinearRamp(0)).tolist(), [1, 2, 3, 2, 1, 0]);
/// ```
#[track_caller]
pub fn pad<A: OnDevice<Elem = T>, T: Element>(a: &A, width: impl IntoPadding, mode: Pad<T>) -> DeviceArray<T> {
    let raw = a.raw();
    let rank = raw.shape().len();
    let pairs = |value: T| vec![(value.to_scalar(), value.to_scalar()); rank];
    let around = match mode {
        Pad::Constant(value) => Around::Values(pairs(value)),
        Pad::LinearRamp(value) => Around::Ramps(pairs(value)),
        Pad::Empty => Around::Nothing,
        Pad::Edge => Around::Places(Places::Edge),
        Pad::Reflect => Around::Places(Places::Reflect),
        Pad::Symmetric => Around::Places(Places::Symmetric),
        Pad::Wrap => Around::Places(Places::Wrap),
        Pad::Maximum => Around::Statistic(Statistic::Maximum, None),
        Pad::Mean => Around::Statistic(Statistic::Mean, None),
        Pad::Median => Around::Statistic(Statistic::Median, None),
        Pad::Minimum => Around::Statistic(Statistic::Minimum, None),
    };
    DeviceArray::from_raw(check(padded(raw, width.into_padding(rank), &around)))
}

/// What is put around an array, before and behind it along each axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Around {
    Values(Vec<(Scalar, Scalar)>),
    /// In equal steps from these values to the elements at the edges.
    Ramps(Vec<(Scalar, Scalar)>),
    Places(Places),
    /// Mirrored at points: what is added or taken away on the one side of an edge is so on the other. The edge itself may be there
    /// twice.
    Turned {
        doubles_edges: bool,
    },
    /// Of so many elements at each end; of all along the axis, if it is not said.
    Statistic(Statistic, Option<Vec<(usize, usize)>>),
    Nothing,
}

/// Which elements of the array are put around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Places {
    Edge,
    Reflect,
    Symmetric,
    Wrap,
}

/// What is computed of elements along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// The largest one.
    Maximum,
    /// Their mean; of integers, rounded.
    Mean,
    /// Their median; of integers, rounded.
    Median,
    /// The smallest one.
    Minimum,
}

/// Why an argument with a pair for each axis does not fit.
fn not_for_each(raw: &RawArray, what: &str) -> Error {
    let rank = raw.shape().len();
    Error::shape(NAME, raw.shape(), format!("has {rank} axes; give one pair of {what} for each, or one {what} for all"))
}

/// Values for the sides of an array, as [`Around`] has them.
pub(crate) fn sides<T: Element>(raw: &RawArray, values: impl IntoPadValues<T>) -> Result<Vec<(Scalar, Scalar)>> {
    let pairs = values.into_pad_values(raw.shape().len()).ok_or_else(|| not_for_each(raw, "values"))?;
    Ok(pairs.into_iter().map(|(before, behind)| (before.to_scalar(), behind.to_scalar())).collect())
}

/// Lengths for the sides of an array, as [`Around`] has them.
pub(crate) fn lengths(raw: &RawArray, lengths: impl IntoPadding) -> Result<Vec<(usize, usize)>> {
    let pairs = lengths.into_padding(raw.shape().len()).ok_or_else(|| not_for_each(raw, "lengths"))?;
    if pairs.iter().any(|&(before, behind)| before == 0 || behind == 0) {
        let reason = "`stat_length` is 0, and no elements have no statistic; give at least 1".to_owned();
        return Err(Error::argument(NAME, reason));
    }
    Ok(pairs)
}

/// An array with what is put around it.
pub(crate) fn padded(raw: &RawArray, widths: Option<Vec<(usize, usize)>>, around: &Around) -> Result<RawArray> {
    let invalid = |reason: String| Error::shape(NAME, raw.shape(), reason);
    let widths = widths.ok_or_else(|| not_for_each(raw, "widths"))?;
    let needs_elements = !matches!(around, Around::Values(_) | Around::Nothing);
    let mut shape = raw.shape().to_vec();
    for (axis, &(before, behind)) in widths.iter().enumerate() {
        let length = raw.shape()[axis];
        let total = length.checked_add(before).and_then(|sum| sum.checked_add(behind));
        if total.is_none_or(|total| total > isize::MAX as usize) {
            return Err(invalid(format!(
                "cannot be padded by {before} and {behind}: the result is larger than memory can address"
            )));
        }
        if length == 0 && before + behind > 0 && needs_elements {
            return Err(invalid(format!("has no elements along axis {axis} to continue; pad it with a constant")));
        }
        shape[axis] = length + before + behind;
    }
    let out = RawArray::uninitialised(NAME, &raw.handle, &shape, raw.dtype)?;
    if out.size() == 0 {
        return Ok(out);
    }
    // The middle, and then along one axis after the other what is around it.
    let mut whole = out.clone();
    for (axis, &(before, _)) in widths.iter().enumerate() {
        whole = slice_axis(&whole, axis, before, 1, raw.shape()[axis]);
    }
    assign(NAME, &whole, raw)?;
    for (axis, &(before, behind)) in widths.iter().enumerate().filter(|(_, width)| **width != (0, 0)) {
        // Padded along the axes up to this one, and not along those behind it.
        whole = (0..widths.len()).fold(out.clone(), |part, other| {
            if other <= axis { part } else { slice_axis(&part, other, widths[other].0, 1, raw.shape()[other]) }
        });
        let line = Line { whole: &whole, axis, before, length: raw.shape()[axis], behind };
        match around {
            Around::Values(values) => line.fill(values[axis])?,
            Around::Ramps(ends) => line.ramp(ends[axis])?,
            Around::Places(places) => line.continue_by(*places)?,
            Around::Turned { doubles_edges } => line.turn(*doubles_edges)?,
            Around::Statistic(statistic, lengths) => {
                line.put(*statistic, lengths.as_ref().map(|lengths| lengths[axis]))?
            }
            Around::Nothing => {}
        }
    }
    Ok(out)
}

/// An array that is padded along one axis, where the middle is there already.
struct Line<'a> {
    whole: &'a RawArray,
    axis: usize,
    before: usize,
    length: usize,
    behind: usize,
}

impl Line<'_> {
    /// A part along the axis.
    fn part(&self, start: usize, count: usize) -> RawArray {
        slice_axis(self.whole, self.axis, start, 1, count)
    }

    /// The parts before and behind the middle.
    fn sides(&self) -> [RawArray; 2] {
        [self.part(0, self.before), self.part(self.before + self.length, self.behind)]
    }

    /// The elements at both edges of the middle, with length 1 along the axis.
    fn edges(&self) -> [RawArray; 2] {
        [self.part(self.before, 1), self.part(self.before + self.length - 1, 1)]
    }

    fn fill(&self, (before, behind): (Scalar, Scalar)) -> Result<()> {
        let [first, last] = self.sides();
        fill(&first, before)?;
        fill(&last, behind)
    }

    fn continue_by(&self, places: Places) -> Result<()> {
        let mut place = 0;
        for (start, step, count) in runs(places, self.length, self.before, self.behind) {
            if place != self.before {
                let source = slice_axis(self.whole, self.axis, self.before + start, step, count);
                assign(NAME, &self.part(place, count), &source)?;
            }
            place += count;
        }
        Ok(())
    }

    fn ramp(&self, (before, behind): (Scalar, Scalar)) -> Result<()> {
        let ([first, last], [edge, other_edge]) = (self.sides(), self.edges());
        self.ramp_to(&first, &edge, before, false)?;
        self.ramp_to(&last, &other_edge, behind, true)
    }

    /// NumPy's `linspace` from a value to the edge, which is not part of it; of integers rounded down.
    fn ramp_to(&self, target: &RawArray, edge: &RawArray, end: Scalar, is_turned: bool) -> Result<()> {
        let count = target.shape()[self.axis];
        if count == 0 {
            return Ok(());
        }
        let calc = Composed(NAME);
        let dtype = computed_in(edge.dtype);
        let line = RawArray::written(NAME, &edge.handle, &[count], DType::F64, |out| {
            out.handle.backend.arange(Scalar::F64(0.0), Scalar::F64(1.0), out.view())
        })?;
        let mut layout = Layout { shape: vec![1; edge.shape().len()], strides: vec![0; edge.shape().len()], offset: 0 };
        (layout.shape[self.axis], layout.strides[self.axis]) = (count, 1);
        let numbers = line.converted(NAME, dtype)?.with_layout(layout);
        let end = RawArray::filled(NAME, &edge.handle, &[], end)?.converted(NAME, dtype)?;
        let distance = calc.pair(BinaryOperation::Subtract, &edge.converted(NAME, dtype)?, &end)?;
        let step = calc.with(BinaryOperation::Divide, &distance, count as f64)?;
        let ramp = calc.pair(BinaryOperation::Add, &calc.pair(BinaryOperation::Multiply, &step, &numbers)?, &end)?;
        let ramp = if edge.dtype.is_integer() { calc.each(UnaryOperation::Floor, &ramp)? } else { ramp };
        let ramp = ramp.converted(NAME, edge.dtype)?;
        let ramp = if is_turned { slice_axis(&ramp, self.axis, count - 1, -1, count) } else { ramp };
        assign(NAME, target, &ramp)
    }

    fn put(&self, statistic: Statistic, lengths: Option<(usize, usize)>) -> Result<()> {
        let length = |given: Option<usize>| given.map_or(self.length, |given| given.min(self.length));
        let [of_first, of_last] = [length(lengths.map(|pair| pair.0)), length(lengths.map(|pair| pair.1))];
        let [first, last] = self.sides();
        let start = self.before + self.length - of_last;
        for (side, start, count) in [(first, self.before, of_first), (last, start, of_last)] {
            if side.shape()[self.axis] > 0 {
                let value = self.computed(statistic, &self.part(start, count))?;
                assign(NAME, &side, &broadcast_to(NAME, &value, side.shape())?)?;
            }
        }
        Ok(())
    }

    /// A statistic of some elements along the axis, which has length 1 then.
    fn computed(&self, statistic: Statistic, part: &RawArray) -> Result<RawArray> {
        let dtype = computed_in(part.dtype);
        let value = match statistic {
            Statistic::Maximum => reduce(NAME, ReduceOperation::Max, part, &[self.axis])?,
            Statistic::Minimum => reduce(NAME, ReduceOperation::Min, part, &[self.axis])?,
            Statistic::Mean => mean_along(NAME, part, &[self.axis], dtype)?,
            Statistic::Median => of_rows(NAME, &part.moved(self.axis, part.shape().len() - 1), Rank::Middle, dtype)?,
        };
        let is_rounded = part.dtype.is_integer() && value.dtype != part.dtype;
        let value = if is_rounded { Composed(NAME).each(UnaryOperation::Round, &value)? } else { value };
        Ok(with_axes(&value.converted(NAME, part.dtype)?, &[self.axis]))
    }

    /// Between two edges the values are those of the array or, in every second part, turned about a point; from one such pair of parts to
    /// the next they grow by twice the distance of the edges.
    fn turn(&self, doubles_edges: bool) -> Result<()> {
        let period = if doubles_edges { self.length } else { self.length - 1 };
        if period == 0 {
            return self.continue_by(Places::Edge);
        }
        let calc = Composed(NAME);
        let [first, last] = self.edges();
        let distance = calc.pair(BinaryOperation::Subtract, &last, &first)?;
        let period = period as isize;
        let end = (self.length + self.behind) as isize;
        let mut place = -(self.before as isize);
        while place < end {
            if place == 0 {
                place = self.length as isize;
                continue;
            }
            let (turn, within) = (place.div_euclid(period), place.rem_euclid(period));
            let until = if place < 0 { 0 } else { end };
            let count = (period - within).min(until - place) as usize;
            let is_turned = turn.rem_euclid(2) == 1;
            let source = if is_turned {
                slice_axis(self.whole, self.axis, self.before + self.length - 1 - within as usize, -1, count)
            } else {
                self.part(self.before + within as usize, count)
            };
            let grown = calc.with(BinaryOperation::Multiply, &distance, (turn + isize::from(is_turned)) as f64)?;
            let value = if is_turned {
                let twice = calc.pair(BinaryOperation::Add, &first, &first)?;
                let centre = calc.pair(BinaryOperation::Add, &twice, &grown)?;
                calc.pair(BinaryOperation::Subtract, &centre, &source)?
            } else {
                calc.pair(BinaryOperation::Add, &source, &grown)?
            };
            let at = (place + self.before as isize) as usize;
            assign(NAME, &self.part(at, count), &value.converted(NAME, self.whole.dtype)?)?;
            place += count as isize;
        }
        Ok(())
    }
}

/// The type in which means and ramps of elements are computed.
fn computed_in(dtype: DType) -> DType {
    if dtype.is_float() || dtype.is_complex() { dtype.compute_type() } else { DType::F64 }
}

/// The indices of a padded axis as runs of neighbours: start, step and count.
fn runs(places: Places, length: usize, before: usize, behind: usize) -> Vec<(usize, isize, usize)> {
    let index = |place: isize| {
        let (length, last) = (length as isize, length as isize - 1);
        match places {
            Places::Edge => place.clamp(0, last),
            Places::Wrap => place.rem_euclid(length),
            Places::Symmetric => {
                let place = place.rem_euclid(2 * length);
                if place < length { place } else { 2 * length - 1 - place }
            }
            Places::Reflect if last == 0 => 0,
            Places::Reflect => {
                let place = place.rem_euclid(2 * last);
                if place <= last { place } else { 2 * last - place }
            }
        }
    };
    let mut runs: Vec<(usize, isize, usize)> = Vec::new();
    for place in -(before as isize)..0 {
        add_place(&mut runs, index(place));
    }
    runs.push((0, 1, length));
    let mut following = Vec::new();
    for place in length as isize..(length + behind) as isize {
        add_place(&mut following, index(place));
    }
    runs.append(&mut following);
    runs
}

/// Makes the last run longer by the next place, or begins another.
fn add_place(runs: &mut Vec<(usize, isize, usize)>, next: isize) {
    if let Some((start, step, count)) = runs.last_mut() {
        let distance = next - *start as isize;
        if *count == 1 && distance.abs() <= 1 {
            (*step, *count) = (distance, 2);
            return;
        }
        if *count > 1 && distance == *step * *count as isize {
            *count += 1;
            return;
        }
    }
    runs.push((next as usize, 1, 1));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_say_the_places_of_a_padded_axis() {
        let places = |places, length, before, behind| -> Vec<isize> {
            let runs = runs(places, length, before, behind);
            runs.iter()
                .flat_map(|&(start, step, count)| (0..count as isize).map(move |i| start as isize + i * step))
                .collect()
        };
        assert_eq!(places(Places::Edge, 3, 2, 1), [0, 0, 0, 1, 2, 2]);
        assert_eq!(places(Places::Wrap, 3, 4, 1), [2, 0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(places(Places::Reflect, 3, 5, 2), [1, 0, 1, 2, 1, 0, 1, 2, 1, 0]);
        assert_eq!(places(Places::Symmetric, 2, 3, 3), [1, 1, 0, 0, 1, 1, 0, 0]);
        assert_eq!(places(Places::Reflect, 1, 2, 2), [0; 5]);
        assert_eq!(runs(Places::Reflect, 100, 5, 5), [(5, -1, 5), (0, 1, 100), (98, -1, 5)]);
    }

    #[test]
    fn errors_say_what_does_not_fit() {
        let a = crate::zeros::<f32>((2, 3));
        let edge = Around::Places(Places::Edge);
        assert!(padded(&a.raw, 1usize.into_padding(2), &edge).is_ok());
        let text = |found: Result<RawArray>| found.err().unwrap().to_string();
        assert!(text(padded(&a.raw, [(1, 1); 3].into_padding(2), &edge)).contains("2 axes"));
        let empty = crate::zeros::<f32>(0);
        for around in [Around::Places(Places::Wrap), Around::Statistic(Statistic::Mean, None)] {
            assert!(text(padded(&empty.raw, 1usize.into_padding(1), &around)).contains("no elements along axis 0"));
        }
        assert!(padded(&empty.raw, 1usize.into_padding(1), &Around::Nothing).is_ok());
        assert!(sides(&a.raw, [(1.0f32, 2.0); 3]).err().unwrap().to_string().contains("one pair of values"));
        assert!(lengths(&a.raw, 0).err().unwrap().to_string().contains("at least 1"));
    }
}
