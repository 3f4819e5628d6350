//! Distributions of several numbers at once, and elements chosen with probabilities.

use super::draws::{draws_of, exp, log};
use super::formulas::gamma_parts;
use super::generator::generator;
use super::sampling::{Domain, Formula, OfOne, Parameter, Recipe, Source, parameter};
use super::{Generator, choices, counts, default, fill, gathered, normal_of, size_of, unit};
use crate::array::view::slice_axis;
use crate::array::{DeviceArray, IntoShape, OnDevice, RawArray, assign, transfer};
use crate::backend::{BinaryOperation, Distribution, Layout, ReduceOperation, ScanOperation};
use crate::dtype::{DType, Element, Float, Scalar};
use crate::error::{Error, Result, check};
use crate::launch::try_launch_unchecked;
use crate::linalg::factors::cholesky_of;
use crate::linalg::spectra::eigh_of;
use crate::linalg::stacks::epsilon;
use crate::operations::elementwise::{RawOperand, binary};
use crate::operations::products::multiply;
use crate::operations::reduce::reduce_all;
use crate::operations::scan::cumulative;
use crate::operations::sorting::{Side, argsort, search};
use crate::philox::Stream;
use warpcell_macros::kernel;
use warpcell_threads::{View, ViewMut, grid_stride};

generator! {
    impl Generator;

    /// Points of the Dirichlet distribution: parts of a whole. The result has the shape `size` and one more axis, along which the
    /// sum is 1; its length is that of `alpha`. Waits, to look at `alpha`.
    ///
    /// Parts of gamma numbers are computed from logarithms, so that small `alpha` do not make them 0 together.
    ///
    /// **Panics** if `alpha` is not 1-D ([`Error::InvalidShape`]), or unless all its elements are finite and greater than 0
    /// ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let parts = gpu::random::dirichlet(&gpu::array(&[2.0, 3.0, 5.0]), 1000);
    /// assert_eq!(parts.shape(), [1000, 3]);
    /// assert!(gpu::allclose(&parts.sum_axis(1), &gpu::ones::<f64>(1000)));
    /// ```
    pub fn dirichlet<A: OnDevice<Elem = T>, T: Float>(stream, alpha: &A, size: impl IntoShape) -> DeviceArray<T> {
        DeviceArray::from_raw(check(parts_of_a_whole(stream, alpha.raw(), size.into_shape(), T::DTYPE)))
    }

    /// How often each of several results occurs in `n` trials, in which they have the probabilities `pvals`. The result is of
    /// i64, of the shape `size` and one more axis, along which the sum is `n`. Of the last probability only the axis' length is
    /// used: it is what the others leave. Waits, to copy `pvals` to the host.
    ///
    /// **Panics** if `n` is negative, `pvals` is not 1-D or has no elements ([`Error::InvalidShape`]), one is not from 0 to 1, or
    /// all but the last are more than 1 together ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let counts = gpu::random::multinomial(20, &gpu::array(&[0.25, 0.25, 0.5]), 100);
    /// assert_eq!(counts.shape(), [100, 3]);
    /// assert!(counts.sum_axis(1).eq(20).all());
    /// ```
    pub fn multinomial<A: OnDevice<Elem = f64>>(stream, n: i64, pvals: &A, size: impl IntoShape) -> DeviceArray<i64> {
        DeviceArray::from_raw(check(occurrences(stream, n, pvals.raw(), size.into_shape())))
    }

    /// Vectors of normal numbers with these means and covariances. The result has the shape `size` and one more axis, whose length
    /// is that of `mean`. The factor of `cov`, of which only the lower triangle is read, is computed by Cholesky's method; of a
    /// matrix that is positive semidefinite only, such as that of numbers which depend on one another, it is the symmetric square
    /// root, by the eigenvalues. Waits, to see whether there is one. The last bits may differ between devices.
    ///
    /// **Panics** if `cov` has a negative eigenvalue, apart from rounding errors ([`Error::InvalidArgument`]; NumPy warns), or elements that
    /// are NaN or infinite ([`Error::NotFinite`]), `mean` not 1-D, or `cov` not a square matrix of its length
    /// ([`Error::InvalidShape`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (mean, cov) = (gpu::array(&[1.0, -1.0]), gpu::array(&[[2.0, 0.5], [0.5, 1.0]]));
    /// let a = gpu::random::multivariate_normal(&mean, &cov, 10_000);
    /// assert_eq!(a.shape(), [10_000, 2]);
    /// assert!((a.mean_axis(0) - &mean).abs().max() < 0.1);
    /// ```
    pub fn multivariate_normal<M: OnDevice<Elem = T>, C: OnDevice<Elem = T>, T: Float>(
        stream,
        mean: &M,
        cov: &C,
        size: impl IntoShape,
    ) -> DeviceArray<T> {
        check(means_and_covariances(mean.raw(), cov.raw()));
        let factor = check(factor_of(cov.raw()));
        DeviceArray::from_raw(check(correlated(stream, mean.raw(), &factor, size.into_shape())))
    }

    /// As [`choice`](super::choice()), but the elements have the probabilities `p`; `gpu::random::choice!(&a, size = 5, p = &p)`
    /// calls it. Without `replace`, each choice is made among the elements that are left, with their probabilities in proportion.
    /// Waits, to look at `p`.
    ///
    /// **Panics** as [`choice`](super::choice()) does; if `p` is not 1-D or has another length than the first axis of `a`
    /// ([`Error::InvalidShape`]); if a probability is not from 0 to 1, their sum is not 1, or without `replace` too few are
    /// greater than 0 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (a, p) = (gpu::array(&[10, 20, 30]), gpu::array(&[0.5, 0.0, 0.5]));
    /// assert!(gpu::random::choice_with(&a, 100, true, &p).ne(20).all());
    /// assert_eq!(gpu::random::choice!(&a, size = 2, replace = false, p = &p).sum(), 40i64);
    /// ```
    pub fn choice_with<A: OnDevice<Elem = T>, T: Element, P: OnDevice<Elem = f64>>(
        stream,
        a: &A,
        size: impl IntoShape,
        replace: bool,
        p: &P,
    ) -> DeviceArray<T> {
        DeviceArray::from_raw(check(weighted_choice(stream, a.raw(), &size.into_shape(), replace, p.raw())))
    }
}

fn invalid<T>(operation: &'static str, reason: String) -> Result<T> {
    Err(Error::argument(operation, reason))
}

fn wrong_shape<T>(operation: &'static str, array: &RawArray, reason: &str) -> Result<T> {
    Err(Error::shape(operation, array.shape(), reason))
}

fn with_more(mut size: Vec<usize>, length: usize) -> Vec<usize> {
    size.push(length);
    size
}

fn parts_of_a_whole(stream: &mut Stream, alpha: &RawArray, size: Vec<usize>, dtype: DType) -> Result<RawArray> {
    let operation = "dirichlet";
    let &[length] = alpha.shape() else {
        return wrong_shape(operation, alpha, "is not 1-D; give one number for each part");
    };
    let alpha = alpha.converted(operation, DType::F64)?;
    let numbers: Vec<f64> = transfer::download_vec(&alpha)?;
    let parameter = Parameter { name: "alpha", value: RawOperand::Array(&alpha), domain: Domain::POSITIVE };
    parameter.check_elements(operation, &numbers)?;
    if length == 0 || size.contains(&0) {
        return RawArray::uninitialised(operation, &alpha.handle, &with_more(size, length), dtype);
    }
    // The parts lie along the first axis, because it may be short.
    let shape = [&[length], &size[..]].concat();
    let count = size_of(operation, &shape, DType::F64)?;
    let points = count / length;
    let blocks = stream.take(count as u64);
    let out = RawArray::uninitialised(operation, &alpha.handle, &[length, points], DType::F64)?;
    let (alpha, mut parts) = (DeviceArray::from_raw(alpha), DeviceArray::from_raw(out));
    let is_small = numbers.iter().any(|&number| number < 1.0);
    let arguments = (&alpha, blocks.key, blocks.stream, blocks.first, is_small, &mut parts);
    // A thread takes up to 16 points, of many: to begin one takes as long as a point on the CPU.
    let threads = points.div_ceil((points >> 17).clamp(1, 16));
    // SAFETY: the kernel takes the points and parts that there are.
    unsafe { try_launch_unchecked(parts_of_points, threads.div_ceil(THREADS), THREADS, arguments)? };
    let parts = parts.raw.with_layout(Layout::contiguous(&shape)).moved(0, size.len());
    if dtype == DType::F64 { Ok(parts) } else { parts.converted(operation, dtype) }
}

/// The threads of a block of [`parts_of_points`].
const THREADS: usize = 256;

/// The parts of each point, which are in a column: numbers of the gamma distribution, divided by their sum. Where a shape `is_small`, all
/// of them may be too small for a float, and are computed from their logarithms, less the largest one.
#[kernel]
fn parts_of_points(alpha: View<f64>, key: u64, stream: u64, first: u64, is_small: bool, mut out: ViewMut<f64>) {
    let (parts, points) = (out.shape()[0], out.shape()[1]);
    for point in grid_stride(points) {
        let (mut whole, mut largest) = (0.0, f64::NEG_INFINITY);
        for part in 0..parts {
            let mut draws = draws_of((part * points + point) as i64, key, stream, first);
            let (value, logarithm) = gamma_parts(&mut draws, alpha[part]);
            let number = if is_small { log(value) + logarithm } else { value };
            whole += number;
            largest = largest.max(number);
            out[[part, point]] = number;
        }
        if is_small {
            whole = 0.0;
            for part in 0..parts {
                let number = exp(out[[part, point]] - largest);
                whole += number;
                out[[part, point]] = number;
            }
        }
        for part in 0..parts {
            out[[part, point]] /= whole;
        }
    }
}

fn occurrences(stream: &mut Stream, n: i64, pvals: &RawArray, size: Vec<usize>) -> Result<RawArray> {
    let operation = "multinomial";
    parameter("n", &n, Domain::COUNT).check(operation)?;
    let &[length @ 1..=usize::MAX] = pvals.shape() else {
        return wrong_shape(operation, pvals, "is not 1-D with elements; give a probability for each result");
    };
    Parameter { name: "pvals", value: RawOperand::Array(pvals), domain: Domain::PROBABILITY }.check(operation)?;
    let pvals: Vec<f64> = transfer::download_vec(&pvals.contiguous(operation)?)?;
    let sum: f64 = pvals[..length - 1].iter().sum();
    if sum > 1.0 + 1e-12 {
        return invalid(
            operation,
            format!("the probabilities before the last one are {sum} together; give some with a sum of at most 1"),
        );
    }
    let handle = crate::device::current()?;
    let out = RawArray::uninitialised(operation, &handle, &with_more(size.clone(), length), DType::I64)?;
    // How many are left at each place: all of them at first.
    let mut left: Option<RawArray> = None;
    let mut rest = 1.0;
    let column = |index| {
        let column = slice_axis(&out, size.len(), index, 1, 1);
        let mut layout = column.layout.clone();
        layout.shape.pop();
        layout.strides.pop();
        column.with_layout(layout)
    };
    for (index, &p) in pvals[..length - 1].iter().enumerate() {
        // Of those that are left, as many as have this result and none of those before.
        let p = if p < rest { p / rest } else { f64::from(u8::from(p > 0.0)) };
        rest -= pvals[index];
        let all = match &left {
            Some(left) => RawOperand::Array(left),
            None => RawOperand::Scalar(Scalar::I64(n)),
        };
        let parameters = &[
            Parameter { name: "n", value: all, domain: Domain::COUNT },
            Parameter { name: "p", value: RawOperand::Scalar(Scalar::F64(p)), domain: Domain::PROBABILITY },
        ];
        let formula = Formula::of(&counts::binomial);
        let of_one = Some(counts::one_binomial as OfOne);
        let recipe =
            Recipe { operation, source: Source::Blocks, formula, parameters, of_one, of_values: None, relations: &[] };
        let found = recipe.drawn(stream, &size, DType::I64)?;
        assign(operation, &column(index), &found)?;
        left = Some(binary(operation, BinaryOperation::Subtract, all, &found)?);
    }
    let last = column(length - 1);
    match left {
        Some(left) => assign(operation, &last, &left)?,
        None => assign(operation, &last, &RawArray::filled(operation, &handle, &size, Scalar::I64(n))?)?,
    }
    Ok(out)
}

fn means_and_covariances(mean: &RawArray, cov: &RawArray) -> Result<()> {
    let operation = "multivariate_normal";
    mean.same_device(operation, cov)?;
    let &[length] = mean.shape() else {
        return wrong_shape(operation, mean, "is not 1-D; give one mean for each number");
    };
    if *cov.shape() == [length, length] {
        return Ok(());
    }
    let reason =
        format!("is not that of the covariances of {length} numbers; give a matrix of shape [{length}, {length}]");
    wrong_shape(operation, cov, &reason)
}

/// A matrix that makes rows of independent numbers rows of numbers with these covariances.
fn factor_of(cov: &RawArray) -> Result<RawArray> {
    match cholesky_of(cov, None) {
        Ok([lower]) => Ok(lower.moved(1, 0)),
        Err(Error::NotPositiveDefinite { .. }) => square_root(cov),
        Err(error) => Err(error),
    }
}

/// The symmetric square root of a positive semidefinite matrix. Unlike other factors of it, it is the same whatever eigenvectors a
/// device finds.
fn square_root(cov: &RawArray) -> Result<RawArray> {
    let operation = "multivariate_normal";
    let (values, vectors) = eigh_of(operation, cov, true, None)?;
    let vectors = vectors.expect("they were asked for");
    let values: Vec<f64> = transfer::download_vec(&values.converted(operation, DType::F64)?)?;
    let largest = values.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
    // NumPy's tolerance, and what rounding errors of the type come to.
    let tolerance = f64::max(1e-8, 10.0 * values.len() as f64 * epsilon(cov.dtype));
    if let Some(negative) = values.iter().find(|&&value| value < -tolerance * largest) {
        return invalid(
            operation,
            format!(
                "the covariances have a negative eigenvalue, {negative}; make sure that the matrix is symmetric, and that it has the \
                 variances on its diagonal"
            ),
        );
    }
    let roots = values.into_iter().map(|value| value.max(0.0).sqrt());
    let roots = RawArray::of_floats(operation, &cov.handle, &[vectors.shape()[0]], roots, cov.dtype)?;
    let scaled = binary(operation, BinaryOperation::Multiply, &vectors, &roots)?;
    multiply(operation, &scaled, &vectors.moved(1, 0))
}

/// `factor` makes the covariances of independent numbers.
fn correlated(stream: &mut Stream, mean: &RawArray, factor: &RawArray, size: Vec<usize>) -> Result<RawArray> {
    let operation = "multivariate_normal";
    let dtype = mean.dtype;
    let size = with_more(size, mean.size());
    let normal = normal_of(Scalar::zero(dtype), Scalar::one(dtype))?;
    let independent = fill(RawArray::uninitialised(operation, &mean.handle, &size, dtype)?, normal, stream)?;
    if independent.size() == 0 {
        return Ok(independent);
    }
    // As one matrix, of which each row is a vector.
    let rows = independent.with_layout(Layout::contiguous(&[independent.size() / mean.size(), mean.size()]));
    let rows = multiply(operation, &rows, factor)?;
    let out = binary(operation, BinaryOperation::Add, &rows, mean)?;
    Ok(out.with_layout(Layout::contiguous(&size)))
}

fn weighted_choice(stream: &mut Stream, a: &RawArray, size: &[usize], replace: bool, p: &RawArray) -> Result<RawArray> {
    let operation = "choice_with";
    let count = choices(a.shape(), size, replace)?;
    a.same_device(operation, p)?;
    let length = a.shape()[0];
    if *p.shape() != [length] {
        let reason = format!("is not that of the probabilities of {length} elements; give one for each element");
        return wrong_shape(operation, p, &reason);
    }
    if count == 0 {
        return gathered(operation, a, &RawArray::of_indices(operation, &a.handle, &[0], &[])?, size);
    }
    Parameter { name: "p", value: RawOperand::Array(p), domain: Domain::PROBABILITY }.check(operation)?;
    let sum = reduce_all(operation, ReduceOperation::Sum, p)?.float().unwrap_or(f64::NAN);
    if (sum - 1.0).abs() > 1e-8 {
        return invalid(operation, format!("the sum of the probabilities is {sum}, not 1; divide them by their sum"));
    }
    let numbers = |of: Distribution, count: usize, stream: &mut Stream| {
        fill(RawArray::uninitialised(operation, &a.handle, &[count], DType::F64)?, of, stream)
    };
    if replace {
        // Where uniform numbers fall among the running sums.
        let sums = cumulative(operation, ScanOperation::Sum, p, None, false)?;
        let all = slice_axis(&sums, 0, length - 1, 1, 1);
        let sums = binary(operation, BinaryOperation::Divide, &sums, &all)?;
        let indices = search(operation, &sums, &numbers(unit()?, count, stream)?, Side::Right)?;
        return gathered(operation, a, &indices, size);
    }
    let possible = DeviceArray::<f64>::from_raw(p.clone()).count_nonzero();
    if possible < count {
        return invalid(
            operation,
            format!("{count} elements are to be chosen, but only {possible} have a probability above 0; choose fewer"),
        );
    }
    // The order in which events happen whose rates are the probabilities.
    let times = numbers(Distribution::Exponential { scale: Scalar::F64(1.0) }, length, stream)?;
    let times = binary(operation, BinaryOperation::Divide, &times, p)?;
    let order = argsort(&DeviceArray::<f64>::from_raw(times));
    gathered(operation, a, &slice_axis(&order.raw, 0, 0, 1, count), size)
}
