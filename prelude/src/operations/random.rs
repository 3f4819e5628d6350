//! Random numbers on the current device, as NumPy's `Generator` and `cupy.random` have them.
//!
//! The functions here draw from one default generator, which is seeded from the system's entropy at the start and by
//! [`seed`]; a [`Generator`] is one of its own. The numbers come from Philox4x32-10, a counter-based generator: which ones an
//! array gets depends on the seed and on the calls before it alone, not on the device. Everything here is the same to the last
//! bit on the CPU and on CUDA devices, and in [`gpu::host::random`](crate::host::random).
//!
//! The element type follows from the bounds: `gpu::random::uniform(0.0f32, 1.0, 1000)` is an array of `f32`.
//!
//! The parameters of the distributions from [`beta()`] to [`zipf()`] are numbers or arrays, which broadcast to the size; with the size
//! `()` the result has the shape of the parameters. With arrays a call waits for the device, to look whether the distribution
//! exists. These distributions are computed in `f64` and rounded to the element type; discrete ones are of `i64`. Each element
//! has blocks of its own, so that it may reject numbers without changing those of others. (Of numbers, `uniform`, `normal`,
//! `exponential` and `randint` are drawn in the element type itself.)
//!
//! ```
//! use warpcell as gpu;
//! gpu::random::seed(42);
//! let dice = gpu::random::integers(1..=6, 1000);
//! let noise = gpu::random::normal(0.0, 0.5, (16, 16));
//! assert!(dice.min() == 1 && dice.max() == 6 && noise.shape() == [16, 16]);
//! ```

mod bits;
mod counts;
mod discrete;
mod distributions;
mod draws;
mod formulas;
pub(crate) mod generator;
mod sampling;
mod vectors;

use crate::array::{DeviceArray, IntoShape, OnDevice, RawArray, assign, byte_count, slice_axis, writable};
use crate::backend::{Distribution, Layout};
use crate::device::{self, Handle};
use crate::dtype::{DType, Element, Number, Scalar, dtypes, if_dtype};
use crate::error::{Error, Result, check};
use crate::operations::elementwise::RawOperand;
use crate::operations::map::registered;
use crate::operations::per_element::divisor_of;
use crate::operations::sorting::sorted_rows;
use crate::philox::Stream;
use generator::generator;
use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use warpcell_macros::vectorize;

pub use bits::Philox4x3210;
pub use discrete::{
    binomial, bytes, geometric, hypergeometric, logseries, negative_binomial, poisson, randint, random_integers, zipf,
};
pub use distributions::{
    beta, chisquare, exponential, f, gamma, gumbel, laplace, logistic, lognormal, noncentral_chisquare, noncentral_f,
    normal, pareto, power, rand, randn, random_sample, ranf, rayleigh, sample, standard_cauchy, standard_exponential,
    standard_gamma, standard_normal, standard_t, triangular, uniform, vonmises, wald, weibull,
};
pub use vectors::{choice_with, dirichlet, multinomial, multivariate_normal};

// The macros for calls with keywords.
pub use {
    __random_beta as beta, __random_binomial as binomial, __random_chisquare as chisquare, __random_choice as choice,
    __random_dirichlet as dirichlet, __random_exponential as exponential, __random_f as f, __random_gamma as gamma,
    __random_geometric as geometric, __random_gumbel as gumbel, __random_hypergeometric as hypergeometric,
    __random_integers as integers, __random_laplace as laplace, __random_logistic as logistic,
    __random_lognormal as lognormal, __random_logseries as logseries, __random_multinomial as multinomial,
    __random_multivariate_normal as multivariate_normal, __random_negative_binomial as negative_binomial,
    __random_noncentral_chisquare as noncentral_chisquare, __random_noncentral_f as noncentral_f,
    __random_normal as normal, __random_pareto as pareto, __random_poisson as poisson, __random_power as power,
    __random_randint as randint, __random_random as random, __random_random_sample as random_sample,
    __random_ranf as ranf, __random_rayleigh as rayleigh, __random_sample as sample,
    __random_standard_cauchy as standard_cauchy, __random_standard_exponential as standard_exponential,
    __random_standard_gamma as standard_gamma, __random_standard_normal as standard_normal,
    __random_standard_t as standard_t, __random_triangular as triangular, __random_uniform as uniform,
    __random_vonmises as vonmises, __random_wald as wald, __random_weibull as weibull, __random_zipf as zipf,
};

generator! {
    /// A generator of random numbers, with its own seed. Its arrays are made on the device that is current at each
    /// call.
    ///
    /// Calls that draw the same numbers in the same order after the same seed give the same arrays. Every call begins
    /// at a new block of the generator, so an array of eight is not two arrays of four.
    ///
    /// ```
    /// let mut first = warpcell::random::Generator::new(1);
    /// let mut second = warpcell::random::Generator::new(1);
    /// assert!(first.random(100).eq(&second.random(100)).all());
    /// ```
    ///
    /// ```
    /// use warpcell::random::Generator;
    /// assert!(Generator::from_entropy().random(4).ne(&Generator::from_entropy().random(4)).any());
    /// let arrays: Vec<_> = Generator::new(1).spawn(3).iter_mut().map(|child| child.random(10)).collect();
    /// assert!(arrays[0].ne(&arrays[1]).all());
    /// ```
    pub struct Generator;

    /// Uniform numbers from 0 to below 1: multiples of 2^-53.
    ///
    /// **Panics** if the size is too large to address, or if there is not enough memory, as all functions here.
    ///
    /// ```
    /// let a = warpcell::random::random((3, 4));
    /// assert!(a.ge(0.0).all() && a.lt(1.0).all());
    /// ```
    pub fn random(stream, size: impl IntoShape) -> DeviceArray<f64> {
        array(check(unit()), "random", stream, size)
    }

    /// Integers of a range, `0..10` or `0..=9`, all equally likely, and of the type of its bounds.
    ///
    /// **Panics** if the range is empty ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let dice = warpcell::random::integers(1..=6, 100);
    /// assert!(dice.min() >= 1 && dice.max() <= 6);
    /// let bytes = warpcell::random::integers(0..=u8::MAX, (2, 8));
    /// assert_eq!(bytes.nbytes(), 16);
    /// ```
    pub fn integers<R: IntegerRange>(stream, range: R, size: impl IntoShape) -> DeviceArray<R::Elem> {
        array(check(integers_of(range.bounds())), "integers", stream, size)
    }

    /// The numbers from 0 to below `n` in random order, all orders equally likely.
    ///
    /// It is the order that sorts as many random integers.
    ///
    /// ```
    /// let order = warpcell::random::permutation(100);
    /// assert_eq!(order.sum(), 99 * 100 / 2);
    /// ```
    pub fn permutation(stream, n: usize) -> DeviceArray<i64> {
        DeviceArray::from_raw(check(permutation_raw(stream, n)))
    }

    /// Puts the elements of an array, or its parts along the first axis, in random order, also in the array of which it
    /// is a view.
    ///
    /// **Panics** if the array has no axis ([`Error::InvalidShape`]), or is a view made by
    /// [`broadcast_to`](DeviceArray::broadcast_to) ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let mut deck = warpcell::arange(52);
    /// warpcell::random::shuffle(&mut deck);
    /// assert_eq!(deck.sum(), 51 * 52 / 2i64);
    /// ```
    pub fn shuffle<T: Element>(stream, a: &mut DeviceArray<T>) {
        check(shuffle_raw(stream, &a.raw));
    }

    /// Elements of an array, or parts of it along the first axis, chosen at random, all equally likely; with `replace`,
    /// any number of times each, else at most once.
    ///
    /// The shape of the result is `size`, and the array's other axes.
    ///
    /// **Panics** if the array has no axis ([`Error::InvalidShape`]), or too few elements ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let colours = gpu::array(&[10, 20, 30]);
    /// let many = gpu::random::choice(&colours, (4, 5), true);
    /// assert!(many.shape() == [4, 5] && many.min() >= 10);
    /// let all = gpu::random::choice(&colours, 3, false);
    /// assert_eq!(all.sum(), 60i64);
    /// ```
    pub fn choice<A: OnDevice<Elem = T>, T: Element>(
        stream,
        a: &A,
        size: impl IntoShape,
        replace: bool,
    ) -> DeviceArray<T> {
        DeviceArray::from_raw(check(choice_raw(stream, a.raw(), &size.into_shape(), replace)))
    }
}

/// NumPy's older name of a generator: `RandomState::new(7)` is [`Generator::new`]`(7)`.
///
/// ```
/// let mut state = warpcell::random::RandomState::new(7);
/// assert_eq!(state.randn((2, 3)).shape(), [2, 3]);
/// ```
pub type RandomState = Generator;

/// Seeds the default generator, from which the functions of this module draw.
///
/// ```
/// use warpcell as gpu;
/// gpu::random::seed(7);
/// let first = gpu::random::random(5);
/// gpu::random::seed(7);
/// assert!(gpu::random::random(5).eq(&first).all());
/// ```
pub fn seed(seed: u64) {
    *default() = Generator::new(seed);
}

/// A generator that is determined by its seed: NumPy's name for [`Generator::new`].
///
/// ```
/// let mut generator = warpcell::random::default_rng(7);
/// assert_eq!(generator.poisson(3.0, (2, 3)).shape(), [2, 3]);
/// assert_eq!(generator.spawn(4).len(), 4);
/// ```
pub fn default_rng(seed: u64) -> Generator {
    Generator::new(seed)
}

/// A copy of the default generator as it is now, for [`set_random_state`]. Its state as numbers, for a file, is
/// [`get_random_state().bit_generator().state()`](Philox4x3210::state).
///
/// ```
/// use warpcell as gpu;
/// let state = gpu::random::get_random_state();
/// let first = gpu::random::random(5);
/// gpu::random::set_random_state(&state);
/// assert!(gpu::random::random(5).eq(&first).all());
/// ```
pub fn get_random_state() -> Generator {
    default().clone()
}

/// Makes a copy of this generator the default one, from which the functions of this module draw.
///
/// ```
/// use warpcell as gpu;
/// gpu::random::set_random_state(&gpu::random::default_rng(3));
/// assert!(gpu::random::random(5).eq(&gpu::random::default_rng(3).random(5)).all());
/// ```
pub fn set_random_state(state: &Generator) {
    *default() = state.clone();
}

mod sealed {
    use super::Scalar;

    pub trait Sealed {}
    pub trait Bounds {
        /// The first integer, the end, and whether the end belongs to the range.
        fn bounds(self) -> (Scalar, Scalar, bool);
    }
}

/// The integers among the element types: `u8 i32 u32 i64 u64`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "random integers need bounds of an integer type, but these are `{Self}`",
    label = "not an integer that arrays can hold",
    note = "the integer types are u8, i32, u32, i64 and u64; for floats use `random::uniform(low, high, size)`"
)]
pub trait Integer: Number + sealed::Sealed {}

macro_rules! integers {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {$(
        if_dtype! { integers $kind $use {
            impl sealed::Sealed for $type {}
            impl Integer for $type {}
        } {} }
    )*};
}
dtypes!(integers!());

/// A range of integers: `low..high` or `low..=last`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a range of integers",
    label = "expected a range such as `0..10` or `1..=6`",
    note = "the integer types are u8, i32, u32, i64 and u64; for floats use `random::uniform(low, high, size)`"
)]
pub trait IntegerRange: sealed::Bounds {
    /// The type of the integers.
    type Elem: Integer;
}

impl<T: Integer> sealed::Bounds for Range<T> {
    fn bounds(self) -> (Scalar, Scalar, bool) {
        (self.start.to_scalar(), self.end.to_scalar(), false)
    }
}
impl<T: Integer> IntegerRange for Range<T> {
    type Elem = T;
}
impl<T: Integer> sealed::Bounds for RangeInclusive<T> {
    fn bounds(self) -> (Scalar, Scalar, bool) {
        (self.start().to_scalar(), self.end().to_scalar(), true)
    }
}
impl<T: Integer> IntegerRange for RangeInclusive<T> {
    type Elem = T;
}

#[track_caller]
fn array<T: Element>(
    distribution: Distribution,
    operation: &'static str,
    stream: &mut Stream,
    size: impl IntoShape,
) -> DeviceArray<T> {
    DeviceArray::from_raw(check(drawn(distribution, operation, stream, &size.into_shape(), T::DTYPE)))
}

/// How many elements a shape has, if memory can address them.
pub(crate) fn size_of(operation: &'static str, shape: &[usize], dtype: DType) -> Result<usize> {
    byte_count(operation, shape, dtype).map(|bytes| bytes / dtype.size())
}

/// How many blocks an array takes.
pub(crate) fn blocks_of(distribution: Distribution, dtype: DType, size: usize) -> u64 {
    size.div_ceil(distribution.elements_of_a_block(dtype)) as u64
}

fn drawn(
    distribution: Distribution,
    operation: &'static str,
    stream: &mut Stream,
    shape: &[usize],
    dtype: DType,
) -> Result<RawArray> {
    fill(RawArray::uninitialised(operation, &device::current()?, shape, dtype)?, distribution, stream)
}

fn fill(out: RawArray, distribution: Distribution, stream: &mut Stream) -> Result<RawArray> {
    let dtype = out.dtype;
    let blocks = stream.take(blocks_of(distribution, dtype, out.size()));
    if out.size() > 0 {
        out.handle.backend.random(blocks, distribution, out.view())?;
    }
    Ok(out)
}

fn float(value: Scalar) -> f64 {
    value.float().expect("a float")
}

/// Numbers from 0 to below 1.
fn unit() -> Result<Distribution> {
    uniform_of(Scalar::F64(0.0), Scalar::F64(1.0))
}

pub(crate) fn uniform_of(low: Scalar, high: Scalar) -> Result<Distribution> {
    let invalid = |reason: String| Err(Error::argument("uniform", reason));
    if !(float(low).is_finite() && float(high).is_finite() && float(low) < float(high)) {
        return invalid(format!(
            "there are no numbers from {low} to below {high}; give finite bounds, with the lower one first"
        ));
    }
    let (span, last) = match (low, high) {
        (Scalar::F32(low), Scalar::F32(high)) => (Scalar::F32(high - low), Scalar::F32(high.next_down())),
        _ => (Scalar::F64(float(high) - float(low)), Scalar::F64(float(high).next_down())),
    };
    if !float(span).is_finite() {
        return invalid(format!(
            "the range from {low} to {high} is too large for {}; draw from a smaller range, and scale the numbers",
            low.dtype()
        ));
    }
    Ok(Distribution::Uniform { low, span, last })
}

pub(crate) fn normal_of(mean: Scalar, deviation: Scalar) -> Result<Distribution> {
    if !(float(mean).is_finite() && float(deviation).is_finite() && float(deviation) >= 0.0) {
        let reason = format!(
            "there is no distribution with mean {mean} and standard deviation {deviation}; give finite numbers; \
                 the standard deviation must not be negative"
        );
        return Err(Error::argument("normal", reason));
    }
    Ok(Distribution::Normal { mean, deviation })
}

pub(crate) fn exponential_of(scale: Scalar) -> Result<Distribution> {
    if !(float(scale).is_finite() && float(scale) >= 0.0) {
        let reason = format!("there is no distribution with mean {scale}; give a finite number that is not negative");
        return Err(Error::argument("exponential", reason));
    }
    Ok(Distribution::Exponential { scale })
}

fn uniform_of_values(values: &[Scalar]) -> Result<Distribution> {
    let &[low, high] = values else { unreachable!("two parameters") };
    uniform_of(low, high)
}

fn normal_of_values(values: &[Scalar]) -> Result<Distribution> {
    let &[mean, deviation] = values else { unreachable!("two parameters") };
    normal_of(mean, deviation)
}

fn exponential_of_values(values: &[Scalar]) -> Result<Distribution> {
    let &[scale] = values else { unreachable!("one parameter") };
    exponential_of(scale)
}

pub(crate) fn integers_of((low, end, with_end): (Scalar, Scalar, bool)) -> Result<Distribution> {
    let count = integer(end) - integer(low) + i128::from(with_end);
    if count <= 0 {
        let sign = if with_end { "=" } else { "" };
        let reason = format!("the range {low}..{sign}{end} is empty; give the lower bound first");
        return Err(Error::argument("integers", reason));
    }
    // All integers of 64 bits are 2^64, which is 0.
    Ok(Distribution::Integers { low, count: count as u64 })
}

fn integer(value: Scalar) -> i128 {
    value.integer().expect("an integer")
}

/// Random indices below `length` with repetitions.
pub(crate) fn any_index(length: usize) -> Distribution {
    Distribution::Integers { low: Scalar::I64(0), count: length as u64 }
}

/// How a random order of `n` indices is drawn: the one that sorts as many random keys. Equal keys keep the order of what they belong
/// to, and with keys of 32 bits, which are sorted in half of the time of longer ones, some are equal. So that nobody notices, they
/// do not belong to 0, 1, 2, … but to `(factor · k + first) mod n`.
pub(crate) struct Shuffle {
    keys: DType,
    factor: i64,
    first: i64,
    n: i64,
}

impl Shuffle {
    /// Up to so many keys of 32 bits are different but for once in 8,000 times.
    const FEW: usize = 1 << 10;
    /// Up to so many have 32 bits.
    const MOST: usize = 1 << 26;

    pub fn of(stream: &mut Stream, n: usize) -> Shuffle {
        let keys = if n <= Shuffle::MOST { DType::U32 } else { DType::U64 };
        let mut shuffle = Shuffle { keys, factor: 1, first: 0, n: n as i64 };
        if (Shuffle::FEW + 1..=Shuffle::MOST).contains(&n) {
            let blocks = stream.take(1);
            let below_n = |place: u64| (blocks.word(place) % n as u64) as i64;
            // Without a common divisor with `n`, no two indices become one. There is one below `n`: `n - 1`.
            let is_fit = |factor: &i64| divisor_of(*factor as u64, n as u64) == 1;
            shuffle.factor = (below_n(0)..n as i64).find(is_fit).unwrap_or(1);
            shuffle.first = below_n(1);
        }
        shuffle
    }

    /// The type of the keys, all of which are equally likely.
    pub fn keys(&self) -> (DType, Distribution) {
        // All integers of 64 bits are 2^64, which is 0.
        let (low, count) = if self.keys == DType::U32 { (Scalar::U32(0), 1 << 32) } else { (Scalar::U64(0), 0) };
        (self.keys, Distribution::Integers { low, count })
    }

    /// What the places in the order stand for, unless they stand for themselves: the arguments of [`shuffled`] behind the place.
    pub fn places(&self) -> Option<[i64; 3]> {
        (self.factor != 1 || self.first != 0).then_some([self.factor, self.first, self.n])
    }
}

#[vectorize]
pub(crate) fn shuffled(place: i64, factor: i64, first: i64, n: i64) -> i64 {
    (factor * place + first) % n
}

/// A random order of `n` indices.
fn order(operation: &'static str, handle: &Handle, stream: &mut Stream, n: usize) -> Result<RawArray> {
    let shuffle = Shuffle::of(stream, n);
    let (dtype, distribution) = shuffle.keys();
    let keys = fill(RawArray::uninitialised(operation, handle, &[n], dtype)?, distribution, stream)?;
    let order = sorted_rows(operation, &keys, true)?;
    let Some(places) = shuffle.places() else { return Ok(order) };
    let [factor, first, n] = places.map(|number| RawOperand::Scalar(Scalar::I64(number)));
    registered(operation, std::any::type_name_of_val(&shuffled), &[RawOperand::Array(&order), factor, first, n])
}

/// Up to one index in so many is chosen without an order of all of them.
const SPARSE: usize = 16;

/// `count` different indices below `n`, in random order, if they are few.
pub(crate) fn few_different(stream: &mut Stream, n: usize, count: usize) -> Option<Vec<i64>> {
    if count >= n / SPARSE {
        return None;
    }
    // The first swaps of a shuffle, of which only the numbers that are not in their places are kept.
    let blocks = stream.take(count.div_ceil(2) as u64);
    let mut moved: HashMap<usize, usize> = HashMap::new();
    let indices = (0..count).map(|place| {
        let other = place + blocks.below(blocks.word(place as u64), place as u64, (n - place) as u64) as usize;
        let here = moved.get(&place).copied().unwrap_or(place);
        moved.insert(other, here).unwrap_or(other) as i64
    });
    Some(indices.collect())
}

/// How many indices are wanted, or why an array of this shape cannot give them.
pub(crate) fn choices(shape: &[usize], size: &[usize], replace: bool) -> Result<usize> {
    let Some(&length) = shape.first() else { return Err(without_axes("choice")) };
    let count = size_of("choice", size, DType::I64)?;
    let lacking = if replace { length == 0 && count > 0 } else { count > length };
    if lacking {
        let advice = if replace { "give one that has some" } else { "choose fewer, or with replacement" };
        let reason = format!("{count} elements cannot be chosen from an axis of length {length}; {advice}");
        return Err(Error::argument("choice", reason));
    }
    Ok(count)
}

pub(crate) fn without_axes(operation: &'static str) -> Error {
    let reason = "has no axis to choose along; give an array with at least one axis";
    Error::shape(operation, Vec::new(), reason)
}

fn permutation_raw(stream: &mut Stream, n: usize) -> Result<RawArray> {
    order("permutation", &device::current()?, stream, n)
}

fn shuffle_raw(stream: &mut Stream, a: &RawArray) -> Result<()> {
    let Some(&length) = a.shape().first() else { return Err(without_axes("shuffle")) };
    writable("shuffle", a)?;
    let order = order("shuffle", &a.handle, stream, length)?;
    assign("shuffle", a, &gathered("shuffle", a, &order, &[length])?)
}

fn choice_raw(stream: &mut Stream, a: &RawArray, size: &[usize], replace: bool) -> Result<RawArray> {
    let count = choices(a.shape(), size, replace)?;
    let indices = if replace {
        let indices = RawArray::uninitialised("choice", &a.handle, &[count], DType::I64)?;
        fill(indices, any_index(a.shape()[0]), stream)?
    } else if let Some(indices) = few_different(stream, a.shape()[0], count) {
        RawArray::of_indices("choice", &a.handle, &[count], &indices)?
    } else {
        slice_axis(&order("choice", &a.handle, stream, a.shape()[0])?, 0, 0, 1, count)
    };
    gathered("choice", a, &indices, size)
}

/// The parts of `a` along its first axis with these indices, which are within it, as axes of `size`.
fn gathered(operation: &'static str, a: &RawArray, indices: &RawArray, size: &[usize]) -> Result<RawArray> {
    let shape = [size, &a.shape()[1..]].concat();
    RawArray::written(operation, &a.handle, &shape, a.dtype, |out| {
        let shape = [&[indices.size()], &a.shape()[1..]].concat();
        let mut strides = vec![0; shape.len()];
        strides[0] = 1;
        let indices = indices.with_layout(Layout { shape: shape.clone(), strides, offset: indices.layout.offset });
        let target = out.with_layout(Layout::contiguous(&shape));
        out.handle.backend.gather(a.view(), 0, indices.view(), target.view())
    })
}
