//! Recursive filters along an axis, parallel within each signal.
//!
//! A filter of the order `m` has a state of `m` numbers (the transposed direct form II), and what it becomes is linear in what it
//! was and in the samples. So a signal is cut into chunks, and a thread finds for each the state at its end if it began with
//! zeros. The states between chunks follow from one another by one matrix, that of the filter to the power of a chunk's length; then
//! a thread filters each chunk from its state. This is the blocked scan of Blelloch, "Prefix sums and their applications" (1990),
//! section 1.4 on linear recurrences, with recomputation in place of the corrections. The matrix is found by filtering each unit
//! state, as the samples are, so the errors are those of the filter itself.
//!
//! Sections of second order are filtered by twos, whose states are in registers.

mod chunks;
mod filter;
mod kernels;

use filter::{Filter, steady_states};

use super::Coefficients;
use super::arguments::{polynomial, sections};
use super::design::cheby1_sections;
use crate::array::axes::axis_of;
use crate::array::create::of_values;
use crate::array::view::broadcast_to;
use crate::array::{DeviceArray, OnDevice, RawArray, assign, join, slice_axis};
use crate::backend::Layout;
use crate::backend::loops::{Between, Loops};
use crate::device::{Device, Handle};
use crate::dtype::{DType, Element, Number, Scalar};
use crate::error::{Error, Result, check};
use crate::launch::try_launch_unchecked;
use crate::thin::thin;
use kernels::{extend_ends, filter_finite, scale_states};

thin! {
    /// The signal `x` through the filter with the coefficients `b` and `a`, along the last axis (`f64` for integers). SciPy's
    /// `lfilter`: `gpu::signal::lfilter!(&b, &a, &x, axis = 0)` filters along another axis, and with the state `zi` to begin
    /// from gives `(y, zf)`.
    ///
    /// **Panics** if the coefficients are not 1-D or empty, or the signal has no axes ([`Error::InvalidShape`]), or if `a[0]` is
    /// 0 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let x = gpu::array(&[1.0, 0.0, 0.0, 0.0]);
    /// assert_eq!(gpu::signal::lfilter(1.0, &[1.0, -0.5], &x).tolist(), [1.0, 0.5, 0.25, 0.125]);
    /// let (y, zf) = gpu::signal::lfilter!(1.0, &[1.0, -0.5], &x, zi = &gpu::array(&[1.0]));
    /// assert_eq!((y.get(&[0]), zf.tolist()), (2.0, vec![0.125]));
    /// ```
    pub fn lfilter<X: OnDevice<Elem = T>, T: Number>(
        b: impl Coefficients,
        a: impl Coefficients,
        x: &X,
    ) -> DeviceArray<T::Mean> => plain("lfilter", &b, &a, x.raw(), -1, T::Mean::DTYPE);

    /// As [`lfilter`](fn@lfilter), along an axis.
    pub fn lfilter_with<X: OnDevice<Elem = T>, T: Number>(
        b: impl Coefficients,
        a: impl Coefficients,
        x: &X,
        axis: isize,
    ) -> DeviceArray<T::Mean> => plain("lfilter", &b, &a, x.raw(), axis, T::Mean::DTYPE);

    /// The signal `x` through second-order sections, along the last axis (`f64` for integers). SciPy's `sosfilt`:
    /// `gpu::signal::sosfilt!(&sos, &x, axis = 0)` filters along another axis, and with the states `zi` to begin from gives
    /// `(y, zf)`.
    ///
    /// **Panics** if `sos` is not a matrix of 6 columns, or the signal has no axes ([`Error::InvalidShape`]), or if `sos[i, 3]` is
    /// not 1 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let x = gpu::array(&[1.0, 0.0, 0.0, 0.0]);
    /// let y = gpu::signal::sosfilt(&[[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]], &x);
    /// assert_eq!(y.tolist(), [1.0, 0.5, 0.25, 0.125]);
    /// ```
    pub fn sosfilt<X: OnDevice<Elem = T>, T: Number>(sos: impl Coefficients, x: &X) -> DeviceArray<T::Mean> =>
        plain_sections("sosfilt", &sos, x.raw(), -1, T::Mean::DTYPE);

    /// As [`sosfilt`](fn@sosfilt), along an axis.
    pub fn sosfilt_with<X: OnDevice<Elem = T>, T: Number>(
        sos: impl Coefficients,
        x: &X,
        axis: isize,
    ) -> DeviceArray<T::Mean> => plain_sections("sosfilt", &sos, x.raw(), axis, T::Mean::DTYPE);

    /// The signal `x` through the filter forward and then backward, along the last axis (`f64` for integers): no phase is
    /// shifted. Both ends are extended by three times as many samples as there are coefficients, turned about the end. SciPy's
    /// `filtfilt`: `gpu::signal::filtfilt!(&b, &a, &x, axis = 0, padtype = "even", padlen = 10)` has its keywords; `padtype` is
    /// "odd", "even", "constant" or "none".
    ///
    /// **Panics** if the signal is not longer than the extension ([`Error::InvalidShape`]), and as [`lfilter`](fn@lfilter) does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (b, a) = gpu::signal::butter(2, 0.2);
    /// let y = gpu::signal::filtfilt(&b, &a, &gpu::ones::<f64>(50));
    /// // A low pass leaves a constant signal as it is, also at its ends.
    /// assert!(gpu::allclose(&y, &gpu::ones::<f64>(50)));
    /// ```
    pub fn filtfilt<X: OnDevice<Elem = T>, T: Number>(
        b: impl Coefficients,
        a: impl Coefficients,
        x: &X,
    ) -> DeviceArray<T::Mean> => both_ways("filtfilt", &b, &a, x.raw(), -1, "odd", None, T::Mean::DTYPE);

    /// As [`filtfilt`](fn@filtfilt), with SciPy's other arguments.
    pub fn filtfilt_with<X: OnDevice<Elem = T>, T: Number>(
        b: impl Coefficients,
        a: impl Coefficients,
        x: &X,
        axis: isize,
        padtype: &str,
        padlen: impl Into<Option<usize>>,
    ) -> DeviceArray<T::Mean> => both_ways("filtfilt", &b, &a, x.raw(), axis, padtype, padlen.into(), T::Mean::DTYPE);

    /// The signal `x` through second-order sections forward and then backward, along the last axis; see
    /// [`filtfilt`](fn@filtfilt). SciPy's `sosfiltfilt`.
    ///
    /// **Panics** if the signal is not longer than the extension ([`Error::InvalidShape`]), and as [`sosfilt`](fn@sosfilt) does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let sos = gpu::signal::butter!(4, 0.2, output = "sos");
    /// let y = gpu::signal::sosfiltfilt(&sos, &gpu::ones::<f64>(50));
    /// assert!(gpu::allclose(&y, &gpu::ones::<f64>(50)));
    /// ```
    pub fn sosfiltfilt<X: OnDevice<Elem = T>, T: Number>(sos: impl Coefficients, x: &X) -> DeviceArray<T::Mean> =>
        sections_both_ways("sosfiltfilt", &sos, x.raw(), -1, "odd", None, T::Mean::DTYPE);

    /// As [`sosfiltfilt`](fn@sosfiltfilt), with SciPy's other arguments.
    pub fn sosfiltfilt_with<X: OnDevice<Elem = T>, T: Number>(
        sos: impl Coefficients,
        x: &X,
        axis: isize,
        padtype: &str,
        padlen: impl Into<Option<usize>>,
    ) -> DeviceArray<T::Mean> => sections_both_ways("sosfiltfilt", &sos, x.raw(), axis, padtype, padlen.into(), T::Mean::DTYPE);
}

/// As [`lfilter`](fn@lfilter), from the state `zi`, which has the shape of the signal with the order of the filter in place of the
/// length along the axis: the filtered signal, and the state at its end.
#[track_caller]
pub fn lfilter_from<X: OnDevice<Elem = T>, Z: OnDevice<Elem = T::Mean>, T: Number>(
    b: impl Coefficients,
    a: impl Coefficients,
    x: &X,
    axis: isize,
    zi: &Z,
) -> (DeviceArray<T::Mean>, DeviceArray<T::Mean>) {
    let found = from_state("lfilter", &b, &a, x.raw(), axis, zi.raw(), T::Mean::DTYPE);
    let (y, zf) = check(found);
    (DeviceArray::from_raw(y), DeviceArray::from_raw(zf))
}

/// As [`sosfilt`](fn@sosfilt), from the states `zi`: those of each section along a new first axis, each with two numbers in place of
/// the length along the axis. Gives the filtered signal, and the states at its end.
#[track_caller]
pub fn sosfilt_from<X: OnDevice<Elem = T>, Z: OnDevice<Elem = T::Mean>, T: Number>(
    sos: impl Coefficients,
    x: &X,
    axis: isize,
    zi: &Z,
) -> (DeviceArray<T::Mean>, DeviceArray<T::Mean>) {
    let (y, zf) = check(sections_from_state("sosfilt", &sos, x.raw(), axis, zi.raw(), T::Mean::DTYPE));
    (DeviceArray::from_raw(y), DeviceArray::from_raw(zf))
}

/// The state of a filter after many ones, from which a signal that begins with 1 is filtered without a jump. SciPy's `lfilter_zi`.
/// On the host.
///
/// **Panics** if an array is not 1-D or empty ([`Error::InvalidShape`]), or all of `a` are 0 ([`Error::InvalidArgument`]).
///
/// ```
/// assert_eq!(warpcell::signal::lfilter_zi(&[0.5], &[1.0, -0.5]).tolist(), [0.5]);
/// ```
#[track_caller]
pub fn lfilter_zi(b: impl Coefficients, a: impl Coefficients) -> DeviceArray<f64> {
    const NAME: &str = "lfilter_zi";
    let state = || {
        let (b, mut a) = (polynomial(NAME, "b", &b)?, polynomial(NAME, "a", &a)?);
        let zeros = a.iter().take_while(|c| **c == 0.0).count();
        a.drain(..zeros);
        if a.is_empty() {
            return Err(Error::argument(NAME, "all of `a` are 0"));
        }
        of_values(Filter::new(NAME, &b, &a)?.steady_state())
    };
    check(state())
}

/// The states of second-order sections after many ones, a row for each; see [`lfilter_zi`]. SciPy's `sosfilt_zi`. On the host.
///
/// **Panics** if it is not a matrix of 6 columns ([`Error::InvalidShape`]) whose fourth one is 1 ([`Error::InvalidArgument`]).
///
/// ```
/// assert_eq!(warpcell::signal::sosfilt_zi(&[[0.5, 0.0, 0.0, 1.0, -0.5, 0.0]]).ravel().tolist(), [0.5, 0.0]);
/// ```
#[track_caller]
pub fn sosfilt_zi(sos: impl Coefficients) -> DeviceArray<f64> {
    const NAME: &str = "sosfilt_zi";
    let states = || {
        let states = steady_states(&filters(NAME, &sections(NAME, &sos)?)?).concat();
        let count = states.len() / 2;
        Ok(DeviceArray::from_raw(of_values(states)?.raw.with_layout(Layout::contiguous(&[count, 2]))))
    };
    check(states())
}

/// The filters of second-order sections.
fn filters(operation: &'static str, sections: &[[f64; 6]]) -> Result<Vec<Filter>> {
    sections.iter().map(|row| Filter::new(operation, &row[..3], &row[3..])).collect()
}

/// Signals in the rows of a matrix of `f64`, and how they came there. At first they may be the elements of the array that was given: nothing
/// is written there.
pub(super) struct Signals {
    pub operation: &'static str,
    given: RawArray,
    pub data: RawArray,
    pub rows: usize,
    pub length: usize,
    /// The shape with the axis at the end, and where it was.
    pub moved: Vec<usize>,
    pub axis: usize,
}

impl Signals {
    pub fn new(operation: &'static str, x: &RawArray, axis: isize) -> Result<Signals> {
        let axis = axis_of(operation, x.shape(), axis)?;
        let moved = x.moved(axis, x.shape().len() - 1);
        let shape = moved.shape().to_vec();
        let data = if moved.dtype == DType::F64 && moved.layout.is_contiguous() {
            moved
        } else {
            moved.converted(operation, DType::F64)?
        };
        let length = *shape.last().expect("there is an axis");
        let rows = shape[..shape.len() - 1].iter().product();
        let offset = data.layout.offset;
        let data = data.with_layout(Layout { offset, ..Layout::contiguous(&[rows, length]) });
        Ok(Signals { operation, given: x.clone(), data, rows, length, moved: shape, axis })
    }

    pub fn handle(&self) -> &Handle {
        &self.data.handle
    }

    pub fn is_empty(&self) -> bool {
        self.rows * self.length == 0
    }

    /// A matrix of f64 with undefined elements.
    pub fn scratch(&self, shape: &[usize]) -> Result<RawArray> {
        RawArray::uninitialised(self.operation, self.handle(), shape, DType::F64)
    }

    /// Numbers of the host on the device of the signals.
    pub fn numbers(&self, values: &[f64], shape: &[usize]) -> Result<RawArray> {
        RawArray::of_floats(self.operation, self.handle(), shape, values.iter().copied(), DType::F64)
    }

    /// The signals as the caller had them, with another length along the axis.
    pub fn into_result(self, dtype: DType) -> Result<RawArray> {
        self.into_result_of(DType::F64, dtype)
    }

    /// As [`into_result`](Self::into_result), of elements of a type.
    pub fn into_result_of(self, now: DType, dtype: DType) -> Result<RawArray> {
        let mut shape = self.moved.clone();
        let last = shape.len() - 1;
        shape[last] = self.length;
        let data = self.data.contiguous(self.operation)?;
        // What was not changed is not given back as it is, but as a copy.
        let is_done = dtype == now && !data.shares_memory(&self.given);
        let data = if is_done { data } else { data.converted(self.operation, dtype)? };
        let data = data.with_layout(Layout { offset: data.layout.offset, ..Layout::contiguous(&shape) });
        Ok(data.moved(last, self.axis))
    }

    /// The states `[order, rows]` of an array with the order along the axis.
    fn states_of(&self, zi: &RawArray, order: usize) -> Result<RawArray> {
        let mut wanted = self.moved.clone();
        wanted.pop();
        wanted.insert(self.axis, order);
        if zi.shape().len() != wanted.len() || zi.shape()[self.axis] != order {
            let reason = format!("is not that of the state of the filter, which is {wanted:?}");
            return Err(Error::shape(self.operation, zi.shape(), reason));
        }
        let zi = broadcast_to(self.operation, zi, &wanted)?.moved(self.axis, 0);
        let zi = zi.converted(self.operation, DType::F64)?;
        Ok(zi.with_layout(Layout::contiguous(&[order, self.rows])))
    }

    /// States `[order, rows]` as an array with the order along the axis.
    fn states_as(&self, states: &RawArray, dtype: DType) -> Result<RawArray> {
        let mut shape = self.moved.clone();
        shape.pop();
        shape.insert(0, states.shape()[0]);
        let states = states.converted(self.operation, dtype)?;
        Ok(states.with_layout(Layout::contiguous(&shape)).moved(0, self.axis))
    }

    /// States `[order, rows]`: this one times the first sample that is filtered, of each signal.
    fn scaled_state(&self, state: &[f64], backward: bool) -> Result<RawArray> {
        let mut states = DeviceArray::from_raw(self.scratch(&[state.len(), self.rows])?);
        let state = DeviceArray::from_raw(self.numbers(state, &[state.len()])?);
        let data = DeviceArray::from_raw(self.data.clone());
        let first = if backward { self.length - 1 } else { 0 };
        let count = state.size() * self.rows;
        let arguments = (&data, &state, first as u64, self.rows as u64, &mut states);
        // SAFETY: the kernel takes the states that there are.
        unsafe { try_launch_unchecked(scale_states, count.div_ceil(THREADS), THREADS, arguments)? };
        Ok((*states.raw).clone())
    }

    /// Filters with each of the filters from a state of its own, or from zeros. Two sections of second order are filtered at once.
    fn filter_by_all(&mut self, filters: &[Filter], from: Option<&[RawArray]>, backward: bool) -> Result<()> {
        if self.rows >= ENOUGH_ROWS && self.filter_rows(filters, from, backward)? {
            return Ok(());
        }
        let mut at = 0;
        while at < filters.len() {
            let count =
                if filters[at..].iter().take(2).filter(|filter| filter.order() == 2).count() == 2 { 2 } else { 1 };
            let states = match from {
                Some(from) if count == 2 => Some(join(self.operation, &from[at..at + 2], 0)?),
                Some(from) => Some(from[at].clone()),
                None => None,
            };
            self.filter(&filters[at..at + count], states, backward)?;
            at += count;
        }
        Ok(())
    }

    /// Filters whole signals with all filters in one pass; `false`, and nothing is done, if the backend has no loops for it.
    fn filter_rows(&mut self, filters: &[Filter], from: Option<&[RawArray]>, backward: bool) -> Result<bool> {
        let order = filters.iter().map(Filter::order).max().unwrap_or(0);
        if self.handle().device != Device::Cpu || order == 0 || self.is_empty() {
            return Ok(false);
        }
        let coefficients: Vec<f64> = filters.iter().flat_map(|filter| filter.padded(order)).collect();
        let states =
            RawArray::filled(self.operation, self.handle(), &[filters.len() * order, self.rows], Scalar::F64(0.0))?;
        for (at, from) in from.unwrap_or_default().iter().enumerate() {
            let target = slice_axis(&states, 0, at * order, 1, from.shape()[0]);
            assign(self.operation, &target, from)?;
        }
        let filtered = self.scratch(&[self.rows, self.length])?;
        let (coefficients, chunk) = (&coefficients[..], self.length);
        let (states, data, out) = (states.view(), self.data.view(), filtered.view());
        let loops = Loops::Recursive { coefficients, order, chunk, backward, writes: true, states, data, out };
        let is_done = self.handle().backend.by_loops(loops)?;
        if is_done {
            self.data = filtered;
        }
        Ok(is_done)
    }

    /// Puts signals of another length in the place of these. `write` makes them, if they have samples.
    pub fn replace(
        &mut self,
        length: usize,
        write: impl FnOnce(&DeviceArray<f64>, &mut DeviceArray<f64>) -> Result<()>,
    ) -> Result<()> {
        let data = DeviceArray::from_raw(self.data.clone());
        let mut out = DeviceArray::from_raw(self.scratch(&[self.rows, length])?);
        if out.size() > 0 {
            write(&data, &mut out)?;
        }
        self.data = (*out.raw).clone();
        self.length = length;
        Ok(())
    }

    /// Filters in place without recursion, forward and from a state of zeros.
    fn filter_finite(&mut self, b: &[f64]) -> Result<()> {
        let taps = DeviceArray::<f64>::from_raw(self.numbers(b, &[b.len()])?);
        self.replace(self.length, |data, out| {
            if filter_by_loops(data, &taps, Between { up: 1, down: 1, first: 0, newest_first: true }, out)? {
                return Ok(());
            }
            let blocks = out.size().div_ceil(THREADS * 8);
            // SAFETY: a thread takes the samples that there are.
            unsafe { try_launch_unchecked(filter_finite, blocks, THREADS, (data, &taps, out)) }
        })
    }

    /// Extends both ends of each signal by `edge` samples.
    pub fn extend(&mut self, edge: usize, kind: i32) -> Result<()> {
        self.replace(self.length + 2 * edge, |data, out| {
            let (x, target) = (data.raw.view(), out.raw.view());
            if data.size() > 0 && out.raw.handle.backend.by_loops(Loops::Extend { data: x, edge, kind, out: target })? {
                return Ok(());
            }
            let blocks = out.size().div_ceil(THREADS * 8);
            // SAFETY: a thread takes the samples that there are.
            unsafe { try_launch_unchecked(extend_ends, blocks, THREADS, (data, edge as u64, kind, out)) }
        })
    }

    /// Appends zeros to each signal.
    pub fn append_zeros(&mut self, count: usize) -> Result<()> {
        if count > 0 {
            let zeros = RawArray::filled(self.operation, self.handle(), &[self.rows, count], Scalar::F64(0.0))?;
            self.data = join(self.operation, &[self.data.clone(), zeros], 1)?;
            self.length += count;
        }
        Ok(())
    }

    /// Leaves out `edge` samples at both ends.
    pub fn cut(&mut self, edge: usize) {
        self.length -= 2 * edge;
        self.data = slice_axis(&self.data, 1, edge, 1, self.length);
    }
}

/// The threads of a block.
const THREADS: usize = 128;

/// So many signals are filtered side by side where a processor has vectors in place of many threads; none of them is cut.
const ENOUGH_ROWS: usize = 16;

/// Filters without recursion, if the backend has loops for it.
pub(super) fn filter_by_loops(
    data: &DeviceArray<f64>,
    taps: &DeviceArray<f64>,
    between: Between,
    out: &DeviceArray<f64>,
) -> Result<bool> {
    let (data, taps, target) = (data.raw.view(), taps.raw.view(), out.raw.view());
    out.raw.handle.backend.by_loops(Loops::Between { data, taps, between, out: target })
}

fn filter_of(operation: &'static str, b: &impl Coefficients, a: &impl Coefficients) -> Result<Filter> {
    Filter::new(operation, &polynomial(operation, "b", b)?, &polynomial(operation, "a", a)?)
}

fn plain(
    operation: &'static str,
    b: &impl Coefficients,
    a: &impl Coefficients,
    x: &RawArray,
    axis: isize,
    dtype: DType,
) -> Result<RawArray> {
    filtered(operation, &filter_of(operation, b, a)?, x, axis, dtype)
}

fn filtered(operation: &'static str, filter: &Filter, x: &RawArray, axis: isize, dtype: DType) -> Result<RawArray> {
    let mut signals = Signals::new(operation, x, axis)?;
    if filter.is_finite_response() {
        signals.filter_finite(&filter.b)?;
    } else {
        signals.filter_by_all(std::slice::from_ref(filter), None, false)?;
    }
    signals.into_result(dtype)
}

fn from_state(
    operation: &'static str,
    b: &impl Coefficients,
    a: &impl Coefficients,
    x: &RawArray,
    axis: isize,
    zi: &RawArray,
    dtype: DType,
) -> Result<(RawArray, RawArray)> {
    let filter = filter_of(operation, b, a)?;
    let mut signals = Signals::new(operation, x, axis)?;
    x.same_device(operation, zi)?;
    let order = filter.order();
    let from = signals.states_of(zi, order)?;
    let ends = signals.filter(std::slice::from_ref(&filter), Some(from), false)?;
    let ends = signals.states_as(&slice_axis(&ends, 0, 0, 1, order), dtype)?;
    Ok((signals.into_result(dtype)?, ends))
}

fn plain_sections(
    operation: &'static str,
    sos: &impl Coefficients,
    x: &RawArray,
    axis: isize,
    dtype: DType,
) -> Result<RawArray> {
    let filters = filters(operation, &sections(operation, sos)?)?;
    let mut signals = Signals::new(operation, x, axis)?;
    signals.filter_by_all(&filters, None, false)?;
    signals.into_result(dtype)
}

fn sections_from_state(
    operation: &'static str,
    sos: &impl Coefficients,
    x: &RawArray,
    axis: isize,
    zi: &RawArray,
    dtype: DType,
) -> Result<(RawArray, RawArray)> {
    let filters = filters(operation, &sections(operation, sos)?)?;
    let mut signals = Signals::new(operation, x, axis)?;
    x.same_device(operation, zi)?;
    let mut wanted = vec![filters.len()];
    wanted.extend(&signals.moved[..signals.moved.len() - 1]);
    wanted.insert(1 + signals.axis, 2);
    if zi.shape() != wanted {
        let reason = format!("is not that of the states of the sections, which is {wanted:?}");
        return Err(Error::shape(operation, zi.shape(), reason));
    }
    let out = RawArray::uninitialised(operation, &x.handle, &wanted, dtype)?;
    // One section of an array with an axis for them in front.
    let part = |of: &RawArray, section: usize| {
        let mut layout = slice_axis(of, 0, section, 1, 1).layout;
        layout.shape.remove(0);
        layout.strides.remove(0);
        of.with_layout(layout)
    };
    for (section, filter) in filters.iter().enumerate() {
        let from = signals.states_of(&part(zi, section), 2)?;
        let ends = signals.filter(std::slice::from_ref(filter), Some(from), false)?;
        assign(operation, &part(&out, section), &signals.states_as(&ends, dtype)?)?;
    }
    Ok((signals.into_result(dtype)?, out))
}

/// How many samples both ends are extended by, and how.
fn extension(
    operation: &'static str,
    signals: &Signals,
    padtype: &str,
    padlen: Option<usize>,
    taps: usize,
) -> Result<(usize, i32)> {
    let kind = match padtype {
        "odd" => 0,
        "even" => 1,
        "constant" => 2,
        "none" => return Ok((0, 0)),
        _ => {
            let reason = format!("`padtype` is {padtype:?}; give \"odd\", \"even\", \"constant\" or \"none\"");
            return Err(Error::argument(operation, reason));
        }
    };
    let edge = padlen.unwrap_or(3 * taps);
    if signals.length <= edge {
        let reason =
            format!("has {} samples along the axis, but there must be more than `padlen`, {edge}", signals.length);
        return Err(Error::shape(operation, signals.moved.clone(), reason));
    }
    Ok((edge, kind))
}

/// Filters with each of the filters forward, then with each backward.
fn forward_and_backward(mut signals: Signals, filters: &[Filter], (edge, kind): (usize, i32)) -> Result<Signals> {
    if signals.is_empty() {
        return Ok(signals);
    }
    if edge > 0 {
        signals.extend(edge, kind)?;
    }
    let states = steady_states(filters);
    for backward in [false, true] {
        // All states are parts of the sample that comes first, before any of the filters.
        let from: Vec<RawArray> =
            states.iter().map(|state| signals.scaled_state(state, backward)).collect::<Result<_>>()?;
        signals.filter_by_all(filters, Some(&from), backward)?;
    }
    signals.cut(edge);
    Ok(signals)
}

/// Every `q`th sample after a low pass of Chebyshev's first type.
pub(super) fn down_sampled(
    operation: &'static str,
    mut signals: Signals,
    q: usize,
    order: usize,
    zero_phase: bool,
) -> Result<Signals> {
    let filters = filters(operation, &cheby1_sections(operation, order, 0.05, 0.8 / q as f64)?)?;
    if zero_phase {
        let extension = extension(operation, &signals, "odd", None, taps_of(&filters))?;
        signals = forward_and_backward(signals, &filters, extension)?;
    } else {
        signals.filter_by_all(&filters, None, false)?;
    }
    let count = signals.length.div_ceil(q);
    signals.data = slice_axis(&signals.data, 1, 0, q as isize, count);
    signals.length = count;
    Ok(signals)
}

/// How many coefficients both polynomials of all sections together have, without those that are 0 in all.
fn taps_of(filters: &[Filter]) -> usize {
    let without = |of: fn(&Filter) -> f64| filters.iter().filter(|filter| of(filter) == 0.0).count();
    2 * filters.len() + 1 - without(|filter| filter.b[2]).min(without(|filter| filter.a[2]))
}

#[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
fn both_ways(
    operation: &'static str,
    b: &impl Coefficients,
    a: &impl Coefficients,
    x: &RawArray,
    axis: isize,
    padtype: &str,
    padlen: Option<usize>,
    dtype: DType,
) -> Result<RawArray> {
    let filter = filter_of(operation, b, a)?;
    let signals = Signals::new(operation, x, axis)?;
    let extension = extension(operation, &signals, padtype, padlen, filter.b.len())?;
    forward_and_backward(signals, &[filter], extension)?.into_result(dtype)
}

fn sections_both_ways(
    operation: &'static str,
    sos: &impl Coefficients,
    x: &RawArray,
    axis: isize,
    padtype: &str,
    padlen: Option<usize>,
    dtype: DType,
) -> Result<RawArray> {
    let filters = filters(operation, &sections(operation, sos)?)?;
    let signals = Signals::new(operation, x, axis)?;
    let extension = extension(operation, &signals, padtype, padlen, taps_of(&filters))?;
    forward_and_backward(signals, &filters, extension)?.into_result(dtype)
}
