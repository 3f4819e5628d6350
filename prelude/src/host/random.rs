//! Random numbers on the host: the functions of [`gpu::random`](crate::random) that give `ndarray` arrays.
//!
//! From the same seed they give the same numbers. The default generator is another one, with a [`seed`] of its own: arrays
//! here do not change what arrays on the device get.

use super::vec_of;
use crate::backend::{Distribution, cpu};
use crate::dtype::{DType, Element, Float, Scalar};
use crate::error::{Result, check};
use crate::operations::random::generator::generator;
use crate::operations::random::{
    IntegerRange, Shuffle, any_index, blocks_of, choices, exponential_of, few_different, integers_of, normal_of,
    shuffled, size_of, uniform_of, without_axes,
};
use crate::philox::Stream;
use ndarray::{Array, Array1, ArrayBase, Axis, Data, DataMut, Dimension, IntoDimension, Ix1, RemoveAxis};

generator! {
    /// A generator of random numbers for host arrays; as [`gpu::random::Generator`](crate::random::Generator), from
    /// which it differs in what its arrays are.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let on_host = gpu::host::random::Generator::new(1).normal(0.0, 1.0, (2, 3));
    /// let on_device = gpu::random::Generator::new(1).normal(0.0, 1.0, (2, 3));
    /// assert_eq!(on_device.to_host(), on_host.into_dyn());
    /// ```
    pub struct Generator;

    /// Uniform numbers from 0 to below 1: multiples of 2^-53.
    ///
    /// **Panics** if the size is too large to address, or if there is not enough memory, as all functions here.
    ///
    /// ```
    /// let a = warpcell::host::random::random((3, 4));
    /// assert!(a.iter().all(|x| (0.0..1.0).contains(x)));
    /// ```
    pub fn random<S: IntoDimension>(stream, size: S) -> Array<f64, S::Dim> {
        array(check(uniform_of(Scalar::F64(0.0), Scalar::F64(1.0))), "random", stream, size)
    }

    /// Uniform numbers from `low` to below `high`, of 53 random bits (`f32`: of 24).
    ///
    /// **Panics** unless both are finite, `low` is less than `high`, and so is their distance.
    ///
    /// ```
    /// let a = warpcell::host::random::uniform(-1.0f32, 1.0, 1000);
    /// assert!(a.iter().all(|x| (-1.0..1.0).contains(x)));
    /// ```
    pub fn uniform<T: Float, S: IntoDimension>(stream, low: T, high: T, size: S) -> Array<T, S::Dim> {
        array(check(uniform_of(low.to_scalar(), high.to_scalar())), "uniform", stream, size)
    }

    /// Normal numbers with mean `loc` and standard deviation `scale`, by the method of Box and Muller.
    ///
    /// **Panics** unless both are finite and `scale` is not negative.
    ///
    /// ```
    /// let a = warpcell::host::random::normal(5.0f64, 2.0, 10_000);
    /// assert!((a.mean().unwrap() - 5.0).abs() < 0.2);
    /// ```
    pub fn normal<T: Float, S: IntoDimension>(stream, loc: T, scale: T, size: S) -> Array<T, S::Dim> {
        array(check(normal_of(loc.to_scalar(), scale.to_scalar())), "normal", stream, size)
    }

    /// Exponential numbers of mean `scale`.
    ///
    /// **Panics** unless `scale` is finite and not negative.
    ///
    /// ```
    /// let a = warpcell::host::random::exponential(3.0f64, 10_000);
    /// assert!((a.mean().unwrap() - 3.0).abs() < 0.2);
    /// ```
    pub fn exponential<T: Float, S: IntoDimension>(stream, scale: T, size: S) -> Array<T, S::Dim> {
        array(check(exponential_of(scale.to_scalar())), "exponential", stream, size)
    }

    /// Integers of a range, `0..10` or `0..=9`, all equally likely, and of the type of its bounds.
    ///
    /// **Panics** if the range is empty.
    ///
    /// ```
    /// let dice = warpcell::host::random::integers(1..=6, 100);
    /// assert!(dice.iter().all(|x| (1..=6).contains(x)));
    /// ```
    pub fn integers<R: IntegerRange, S: IntoDimension>(stream, range: R, size: S) -> Array<R::Elem, S::Dim> {
        array(check(integers_of(range.bounds())), "integers", stream, size)
    }

    /// The numbers from 0 to below `n` in random order, all orders equally likely.
    ///
    /// ```
    /// assert_eq!(warpcell::host::random::permutation(100).sum(), 99 * 100 / 2);
    /// ```
    pub fn permutation(stream, n: usize) -> Array1<i64> {
        check(order("permutation", stream, n)).into()
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
    pub fn shuffle<T: Element, S: DataMut<Elem = T>, D: RemoveAxis>(stream, a: &mut ArrayBase<S, D>) {
        let order = match a.ndim() {
            0 => Err(without_axes("shuffle")),
            _ => order("shuffle", stream, a.len_of(Axis(0))),
        };
        let order: Vec<usize> = check(order).into_iter().map(|index| index as usize).collect();
        let shuffled = a.select(Axis(0), &order);
        a.assign(&shuffled);
    }

    /// Elements of an array chosen at random, all equally likely; with `replace`, any number of times each, else at
    /// most once.
    ///
    /// **Panics** if the array has too few elements.
    ///
    /// ```
    /// let colours = ndarray::array![10, 20, 30];
    /// assert_eq!(warpcell::host::random::choice(&colours, (4, 5), true).shape(), [4, 5]);
    /// assert_eq!(warpcell::host::random::choice(&colours, 3, false).sum(), 60);
    /// ```
    pub fn choice<T: Element, S: Data<Elem = T>, N: IntoDimension>(
        stream,
        a: &ArrayBase<S, Ix1>,
        size: N,
        replace: bool,
    ) -> Array<T, N::Dim> {
        let size = size.into_dimension();
        let indices = check(chosen(stream, a.len(), size.slice(), replace));
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

/// A generator that is determined by its seed: NumPy's name for [`Generator::new`].
///
/// ```
/// let mut generator = warpcell::host::random::default_rng(7);
/// assert_eq!(generator.spawn(4)[3].normal(0.0, 1.0, (2, 3)).dim(), (2, 3));
/// ```
pub fn default_rng(seed: u64) -> Generator {
    Generator::new(seed)
}

/// A copy of the default generator as it is now, for [`set_random_state`].
///
/// ```
/// use warpcell::host::random;
/// let state = random::get_random_state();
/// let first = random::random(5);
/// random::set_random_state(&state);
/// assert_eq!(random::random(5), first);
/// ```
pub fn get_random_state() -> Generator {
    default().clone()
}

/// Makes a copy of this generator the default one, from which the functions of this module draw. A generator of
/// [`gpu::random`](crate::random) goes on here in the same state: `(&generator.bit_generator().into())`.
///
/// ```
/// use warpcell::host::random;
/// let on_device = warpcell::random::Generator::new(3);
/// random::set_random_state(&on_device.bit_generator().into());
/// assert_eq!(random::random(5), random::default_rng(3).random(5));
/// ```
pub fn set_random_state(state: &Generator) {
    *default() = state.clone();
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
    if replace {
        return drawn(any_index(length), "choice", stream, &[count]);
    }
    match few_different(stream, length, count) {
        Some(indices) => Ok(indices),
        None => order("choice", stream, length).map(|mut indices| {
            indices.truncate(count);
            indices
        }),
    }
}

/// A random order of `n` indices, the same as on a device.
fn order(operation: &'static str, stream: &mut Stream, n: usize) -> Result<Vec<i64>> {
    let shuffle = Shuffle::of(stream, n);
    let (dtype, distribution) = shuffle.keys();
    let order = match dtype {
        DType::U32 => sorting_order::<u32>(operation, drawn(distribution, operation, stream, &[n])?),
        _ => sorting_order::<u64>(operation, drawn(distribution, operation, stream, &[n])?),
    };
    let Some([factor, first, n]) = shuffle.places() else { return order };
    order.map(|order| order.into_iter().map(|place| shuffled(place, factor, first, n)).collect())
}

/// The positions of the keys in ascending order.
fn sorting_order<K: Element>(operation: &'static str, keys: Vec<K>) -> Result<Vec<i64>> {
    let mut done = Ok(());
    let order = vec_of(operation, &[keys.len()], |out| {
        if !keys.is_empty() {
            // SAFETY: the keys, and room for as many positions.
            done = unsafe { cpu::sort::argsort(K::DTYPE, keys.as_ptr().cast(), out.cast(), 1, keys.len()) };
        }
    })?;
    done.map(|()| order)
}
