//! Random numbers on the host: the functions of [`gpu::random`](crate::random) that give `ndarray` arrays.
//!
//! From the same seed they give the same numbers. The default generator is another one, with a [`seed`] of its own: arrays
//! here do not change what arrays on the device get.

use super::vec_of;
use crate::backend::{Distribution, cpu};
use crate::dtype::{Element, Float, Scalar};
use crate::error::{Result, check};
use crate::operations::random::{
    IntegerRange, any_index, blocks_of, choices, different, exponential_of, integers_of, normal_of, order, size_of,
    uniform_of, without_axes,
};
use crate::philox::Stream;
use ndarray::{Array, Array1, ArrayBase, Axis, Data, DataMut, Dimension, IntoDimension, Ix1, RemoveAxis};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// A generator of random numbers for host arrays; as [`gpu::random::Generator`](crate::random::Generator), from which it
/// differs in what its arrays are.
///
/// ```
/// use warpcell as gpu;
/// let on_host = gpu::host::random::Generator::new(1).normal(0.0, 1.0, (2, 3));
/// let on_device = gpu::random::Generator::new(1).normal(0.0, 1.0, (2, 3));
/// assert_eq!(on_device.to_host(), on_host.into_dyn());
/// ```
#[derive(Clone, Debug)]
pub struct Generator {
    stream: Stream,
}

impl Generator {
    /// A generator that is determined by its seed.
    pub fn new(seed: u64) -> Generator {
        Generator { stream: Stream::new(seed) }
    }

    /// A generator that is seeded from the system's entropy.
    pub fn from_entropy() -> Generator {
        Generator { stream: Stream::from_entropy() }
    }

    /// `count` generators whose numbers are independent of this one's and of one another's, determined by the seed.
    pub fn spawn(&mut self, count: usize) -> Vec<Generator> {
        (0..count).map(|_| Generator { stream: self.stream.spawn() }).collect()
    }

    /// As [`random::random`](random()), from this generator.
    #[track_caller]
    pub fn random<S: IntoDimension>(&mut self, size: S) -> Array<f64, S::Dim> {
        array(check(uniform_of(Scalar::F64(0.0), Scalar::F64(1.0))), "random", &mut self.stream, size)
    }

    /// As [`random::uniform`](uniform), from this generator.
    #[track_caller]
    pub fn uniform<T: Float, S: IntoDimension>(&mut self, low: T, high: T, size: S) -> Array<T, S::Dim> {
        array(check(uniform_of(low.to_scalar(), high.to_scalar())), "uniform", &mut self.stream, size)
    }

    /// As [`random::normal`](normal), from this generator.
    #[track_caller]
    pub fn normal<T: Float, S: IntoDimension>(&mut self, loc: T, scale: T, size: S) -> Array<T, S::Dim> {
        array(check(normal_of(loc.to_scalar(), scale.to_scalar())), "normal", &mut self.stream, size)
    }

    /// As [`random::exponential`](exponential), from this generator.
    #[track_caller]
    pub fn exponential<T: Float, S: IntoDimension>(&mut self, scale: T, size: S) -> Array<T, S::Dim> {
        array(check(exponential_of(scale.to_scalar())), "exponential", &mut self.stream, size)
    }

    /// As [`random::integers`](integers), from this generator.
    #[track_caller]
    pub fn integers<R: IntegerRange, S: IntoDimension>(&mut self, range: R, size: S) -> Array<R::Elem, S::Dim> {
        array(check(integers_of(range.bounds())), "integers", &mut self.stream, size)
    }

    /// As [`random::permutation`](permutation), from this generator.
    #[track_caller]
    pub fn permutation(&mut self, n: usize) -> Array1<i64> {
        check(order("permutation", &mut self.stream, n)).into()
    }

    /// As [`random::shuffle`](shuffle), from this generator.
    #[track_caller]
    pub fn shuffle<T: Element, S: DataMut<Elem = T>, D: RemoveAxis>(&mut self, a: &mut ArrayBase<S, D>) {
        let order = match a.ndim() {
            0 => Err(without_axes("shuffle")),
            _ => order("shuffle", &mut self.stream, a.len_of(Axis(0))),
        };
        let order: Vec<usize> = check(order).into_iter().map(|index| index as usize).collect();
        let shuffled = a.select(Axis(0), &order);
        a.assign(&shuffled);
    }

    /// As [`random::choice`](choice), from this generator.
    #[track_caller]
    pub fn choice<T, S, N>(&mut self, a: &ArrayBase<S, Ix1>, size: N, replace: bool) -> Array<T, N::Dim>
    where
        T: Element,
        S: Data<Elem = T>,
        N: IntoDimension,
    {
        let size = size.into_dimension();
        let indices = check(chosen(&mut self.stream, a.len(), size.slice(), replace));
        let values = indices.into_iter().map(|index| a[index as usize]).collect();
        Array::from_shape_vec(size, values).expect("as many as were asked for")
    }
}

/// Seeds the default generator, from which the functions of this module draw.
///
/// ```
/// use warpcell as gpu;
/// gpu::host::random::seed(7);
/// gpu::random::seed(7);
/// assert_eq!(gpu::random::random(5).to_host(), gpu::host::random::random(5).into_dyn());
/// ```
pub fn seed(seed: u64) {
    *default() = Generator::new(seed);
}

/// Uniform numbers from 0 to below 1: multiples of 2^-53.
///
/// **Panics** if the size is too large to address or the memory cannot be had, as all functions here.
///
/// ```
/// let a = warpcell::host::random::random((3, 4));
/// assert!(a.iter().all(|x| (0.0..1.0).contains(x)));
/// ```
#[track_caller]
pub fn random<S: IntoDimension>(size: S) -> Array<f64, S::Dim> {
    default().random(size)
}

/// Uniform numbers from `low` to below `high`, of 53 random bits (`f32`: of 24).
///
/// **Panics** unless both are finite, `low` is less than `high`, and so is their distance.
///
/// ```
/// let a = warpcell::host::random::uniform(-1.0f32, 1.0, 1000);
/// assert!(a.iter().all(|x| (-1.0..1.0).contains(x)));
/// ```
#[track_caller]
pub fn uniform<T: Float, S: IntoDimension>(low: T, high: T, size: S) -> Array<T, S::Dim> {
    default().uniform(low, high, size)
}

/// Normal numbers with mean `loc` and standard deviation `scale`, by the method of Box and Muller.
///
/// **Panics** unless both are finite and `scale` is not negative.
///
/// ```
/// let a = warpcell::host::random::normal(5.0f64, 2.0, 10_000);
/// assert!((a.mean().unwrap() - 5.0).abs() < 0.2);
/// ```
#[track_caller]
pub fn normal<T: Float, S: IntoDimension>(loc: T, scale: T, size: S) -> Array<T, S::Dim> {
    default().normal(loc, scale, size)
}

/// Exponential numbers of mean `scale`.
///
/// **Panics** unless `scale` is finite and not negative.
///
/// ```
/// let a = warpcell::host::random::exponential(3.0f64, 10_000);
/// assert!((a.mean().unwrap() - 3.0).abs() < 0.2);
/// ```
#[track_caller]
pub fn exponential<T: Float, S: IntoDimension>(scale: T, size: S) -> Array<T, S::Dim> {
    default().exponential(scale, size)
}

/// Integers of a range, `0..10` or `0..=9`, all equally likely, and of the type of its bounds.
///
/// **Panics** if the range is empty.
///
/// ```
/// let dice = warpcell::host::random::integers(1..=6, 100);
/// assert!(dice.iter().all(|x| (1..=6).contains(x)));
/// ```
#[track_caller]
pub fn integers<R: IntegerRange, S: IntoDimension>(range: R, size: S) -> Array<R::Elem, S::Dim> {
    default().integers(range, size)
}

/// The numbers from 0 to below `n` in random order, all orders equally likely.
///
/// ```
/// assert_eq!(warpcell::host::random::permutation(100).sum(), 99 * 100 / 2);
/// ```
#[track_caller]
pub fn permutation(n: usize) -> Array1<i64> {
    default().permutation(n)
}

/// Puts the elements of an array, or its parts along the first axis, in random order.
///
/// **Panics** if the array has no axis.
///
/// ```
/// let mut deck = warpcell::host::arange(52);
/// warpcell::host::random::shuffle(&mut deck);
/// assert_eq!(deck.sum(), 51 * 52 / 2);
/// ```
#[track_caller]
pub fn shuffle<T: Element, S: DataMut<Elem = T>, D: RemoveAxis>(a: &mut ArrayBase<S, D>) {
    default().shuffle(a);
}

/// Elements of an array chosen at random, all equally likely; with `replace`, any number of times each, else at most once.
///
/// **Panics** if the array has too few elements.
///
/// ```
/// let colours = ndarray::array![10, 20, 30];
/// assert_eq!(warpcell::host::random::choice(&colours, (4, 5), true).shape(), [4, 5]);
/// assert_eq!(warpcell::host::random::choice(&colours, 3, false).sum(), 60);
/// ```
#[track_caller]
pub fn choice<T, S, N>(a: &ArrayBase<S, Ix1>, size: N, replace: bool) -> Array<T, N::Dim>
where
    T: Element,
    S: Data<Elem = T>,
    N: IntoDimension,
{
    default().choice(a, size, replace)
}

/// The generator of the functions above.
fn default() -> MutexGuard<'static, Generator> {
    static DEFAULT: OnceLock<Mutex<Generator>> = OnceLock::new();
    let generator = DEFAULT.get_or_init(|| Mutex::new(Generator::from_entropy()));
    // A panic of another holder leaves a generator that is as good.
    generator.lock().unwrap_or_else(PoisonError::into_inner)
}

#[track_caller]
fn array<T: Element, S: IntoDimension>(
    distribution: Distribution,
    operation: &'static str,
    stream: &mut Stream,
    size: S,
) -> Array<T, S::Dim> {
    let size = size.into_dimension();
    let values = check(drawn(distribution, operation, stream, size.slice()));
    Array::from_shape_vec(size, values).expect("as many as the shape has")
}

fn drawn<T: Element>(
    distribution: Distribution,
    operation: &'static str,
    stream: &mut Stream,
    shape: &[usize],
) -> Result<Vec<T>> {
    let size = size_of(operation, shape, T::DTYPE)?;
    let blocks = stream.take(blocks_of(distribution, T::DTYPE, size));
    let mut done = Ok(());
    let values = vec_of(operation, shape, |out| {
        // SAFETY: `out` has room for the shape's elements.
        done = unsafe { cpu::random::fill_host(blocks, distribution, T::DTYPE, out, size) };
    })?;
    done.map(|()| values)
}

fn chosen(stream: &mut Stream, length: usize, size: &[usize], replace: bool) -> Result<Vec<i64>> {
    let count = choices(&[length], size, replace)?;
    if replace { drawn(any_index(length), "choice", stream, &[count]) } else { different(stream, length, count) }
}
