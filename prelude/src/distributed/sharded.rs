//! [`Sharded`]: an array that is split over the ranks of a communicator along axis 0.
//!
//! A length is always split in the same way ([`bounds`]). So arrays of one length lie alike, and what is done to elements needs no
//! communication. What makes parts of other lengths ends with [`sorting::balanced`].

mod making;
mod neighbours;
mod ring;
mod sorting;

use super::communicator::Communicator;
use super::transport::Collective;
use crate::array::sides::AnyView;
use crate::array::{DeviceArray, RawArray, bounds, transfer, with_rank};
use crate::backend::ReduceOperation;
use crate::device;
use crate::dtype::{Arithmetic, DType, Element};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;
use crate::operations::products;
use crate::operations::reduce::{as_terms, reduce, sums_of_terms};
use std::fmt;
use std::ops::{Add, Div, Mul, Range, Sub};

/// An array that is split over the ranks of a [`Communicator`] along its first axis: each rank has a part, rows that follow one
/// another, on its device. PyTorch's `DTensor` with `Shard(0)`.
///
/// All ranks make the same calls. Elementwise work on parts needs no communication: the operators `+ - * /`, and
/// [`map_parts`](Self::map_parts) and [`zip_parts`](Self::zip_parts) for everything else, such as `gpu::map`. The parts are as equal as can
/// be; the first ones may have a row more.
///
/// Such an array is made by a method of the communicator: [`fromfunction`](Communicator::fromfunction),
/// [`from_rows`](Communicator::from_rows), [`shard`](Communicator::shard), [`scatter`](Communicator::scatter) or [`load`](Communicator::load).
///
/// ```
/// use warpcell as gpu;
/// use gpu::distributed::Communicator;
/// let results = Communicator::local(4).run(|ranks| {
///     let x = ranks.fromfunction(|[i]| i, [1000]); // 250 elements on each rank
///     let y = (&x * 2.0 + 1.0).map_parts(|part| part.sqrt());
///     (y.max(), y.part().size())
/// });
/// assert_eq!(results[0], (1999f64.sqrt(), 250));
/// assert_eq!(results[0], results[3]);
/// ```
#[derive(Clone)]
pub struct Sharded<T: Element> {
    ranks: Communicator,
    part: DeviceArray<T>,
    /// The length along axis 0.
    length: usize,
}

impl<T: Element> Sharded<T> {
    /// This rank's part.
    pub fn part(&self) -> &DeviceArray<T> {
        &self.part
    }

    /// The ranks over which the array is split.
    pub fn ranks(&self) -> &Communicator {
        &self.ranks
    }

    /// The lengths of the axes of the whole array.
    pub fn shape(&self) -> Vec<usize> {
        let mut shape = self.part.shape().to_vec();
        shape[0] = self.length;
        shape
    }

    /// The number of axes.
    pub fn ndim(&self) -> usize {
        self.part.ndim()
    }

    /// The number of elements of the whole array.
    pub fn size(&self) -> usize {
        self.shape().iter().product()
    }

    /// The rows that a rank has.
    ///
    /// **Panics** if there is no such rank.
    ///
    /// ```
    /// use warpcell::distributed::Communicator;
    /// let rows = Communicator::local(3).run(|ranks| ranks.fromfunction(|[i]| i, [7]).rows(1));
    /// assert_eq!(rows[0], 3..5);
    /// ```
    pub fn rows(&self, rank: usize) -> Range<usize> {
        let bounds = bounds(self.length, self.ranks.size());
        bounds[rank]..bounds[rank + 1]
    }

    /// How many rows each rank has.
    fn lengths(&self) -> Vec<usize> {
        (0..self.ranks.size()).map(|rank| self.rows(rank).len()).collect()
    }

    /// An array of this length whose part on this rank is this one, which is copied if it is on another device than that of the rank.
    fn of(name: &'static str, ranks: &Communicator, part: &RawArray, length: usize) -> Result<Sharded<T>> {
        let part = transfer::bring(name, &AnyView::Device(part), &device::open(ranks.device())?)?;
        Ok(Sharded { ranks: ranks.clone(), part: DeviceArray::from_raw(part), length })
    }

    /// The same rows with other elements.
    fn with_part<U: Element>(&self, operation: &'static str, part: DeviceArray<U>) -> Result<Sharded<U>> {
        let rows = self.part.shape()[0];
        if part.shape().first() == Some(&rows) {
            return Ok(Sharded { ranks: self.ranks.clone(), part, length: self.length });
        }
        let reason = format!("does not have the {rows} rows of the part that was given; keep the length of axis 0");
        Err(Error::shape(operation, part.shape(), reason))
    }

    /// The error for an array that does not lie as this one.
    fn aligned<U: Element>(&self, operation: &'static str, other: &Sharded<U>) -> Result<()> {
        if self.ranks.group.members != other.ranks.group.members {
            let reason = "the arrays are split over different ranks; make both with the same communicator";
            return Err(Error::argument(operation, reason));
        }
        if self.length != other.length {
            let reason =
                format!("is not split as the shape {:?}; give both the same length along axis 0", self.shape());
            return Err(Error::shape(operation, other.shape(), reason));
        }
        Ok(())
    }

    fallible! {
        /// The array that `work` makes of each part, split in the same way; without communication. The result of `work` has as many rows
        /// as the part that it gets; the other axes may change.
        ///
        /// **Panics** if it has another number of rows ([`Error::InvalidShape`]), or `work` panics.
        ///
        /// ```
        /// use warpcell as gpu;
        /// use gpu::prelude::*;
        /// # use gpu::distributed::Communicator;
        /// #[vectorize]
        /// fn cube(x: f64) -> f64 {
        ///     x * x * x
        /// }
        /// let sums = Communicator::local(2).run(|ranks| {
        ///     let x = ranks.fromfunction(|[i, j]| i + j, [3, 2]);
        ///     x.map_parts(|part| gpu::map(cube, part)).map_parts(|part| part.sum_axis(1)).sum()
        /// });
        /// assert_eq!(sums, [45.0, 45.0]);
        /// ```
        pub fn map_parts, try_map_parts<U: Element>(&self, work: impl FnOnce(&DeviceArray<T>) -> DeviceArray<U>) -> Result<Sharded<U>> {
            self.with_part("map_parts", work(&self.part))
        }

        /// As [`map_parts`](Self::map_parts), of two arrays of one length.
        ///
        /// **Panics** if the lengths differ ([`Error::InvalidShape`]), and as that does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// # use gpu::distributed::Communicator;
        /// let sums = Communicator::local(2).run(|ranks| {
        ///     let (x, y) = (ranks.fromfunction(|[i]| i, [4]), ranks.fromfunction(|[i]| 3.0 - i, [4]));
        ///     x.zip_parts(&y, |x, y| gpu::maximum(x, y)).sum()
        /// });
        /// assert_eq!(sums, [10.0, 10.0]);
        /// ```
        pub fn zip_parts, try_zip_parts<U: Element, V: Element>(
            &self,
            other: &Sharded<U>,
            work: impl FnOnce(&DeviceArray<T>, &DeviceArray<U>) -> DeviceArray<V>
        ) -> Result<Sharded<V>> {
            self.aligned("zip_parts", other)?;
            self.with_part("zip_parts", work(&self.part, &other.part))
        }

        /// The product of each row, or matrix of the last two axes, with a matrix that all ranks have; without communication. See
        /// [`matmul`](fn@crate::matmul).
        ///
        /// **Panics** as that does, and for arrays of one axis ([`Error::InvalidShape`]).
        ///
        /// ```
        /// use warpcell as gpu;
        /// # use gpu::distributed::Communicator;
        /// let products = Communicator::local(2).run(|ranks| {
        ///     let x = ranks.fromfunction(|[i, j]| i + 0.0 * j, [3, 4]);
        ///     let y = x.matmul(&gpu::ones::<f64>((4, 2)));
        ///     (y.shape(), y.sum())
        /// });
        /// assert_eq!(products[1], (vec![3, 2], 24.0));
        /// ```
        pub fn matmul, try_matmul(&self, matrix: &DeviceArray<T>) -> Result<Sharded<T>> {
            if self.ndim() < 2 {
                let reason = "has one axis, and that is split; multiply and sum: `(&x * &y).sum()`";
                return Err(Error::shape("matmul", self.shape(), reason));
            }
            let product = products::multiply("matmul", &self.part.raw, &matrix.raw)?;
            self.with_part("matmul", DeviceArray::from_raw(product))
        }

        /// The whole array, on all ranks. Waits for them.
        ///
        /// **Panics** as [`Communicator::all_gather`] does.
        ///
        /// ```
        /// use warpcell::distributed::Communicator;
        /// let all = Communicator::local(3).run(|ranks| ranks.fromfunction(|[i]| i, [4]).gather().tolist());
        /// assert_eq!(all[2], [0.0, 1.0, 2.0, 3.0]);
        /// ```
        pub fn gather, try_gather(&self) -> Result<DeviceArray<T>> {
            self.ranks.gather_parts(&self.part.raw, &self.lengths()).map(DeviceArray::from_raw)
        }

        /// The sum of all elements, on all ranks; see [`DeviceArray::sum`]. Each rank adds up its part, and all add up these sums in the
        /// order of ranks. Waits for all ranks.
        ///
        /// **Panics** as [`Communicator::all_gather`] does.
        ///
        /// ```
        /// use warpcell::distributed::Communicator;
        /// let sums = Communicator::local(3).run(|ranks| ranks.fromfunction(|[i]| i, [10]).sum());
        /// assert_eq!(sums, [45.0; 3]);
        /// ```
        pub fn sum, try_sum(&self) -> Result<T::Sum> {
            self.total("sum", ReduceOperation::Sum).map(transfer::typed_scalar)
        }

        /// The product of all elements, on all ranks; as [`sum`](Self::sum).
        pub fn prod, try_prod(&self) -> Result<T::Sum> {
            self.total("prod", ReduceOperation::Product).map(transfer::typed_scalar)
        }

        /// The mean of all elements, on all ranks; as [`sum`](Self::sum).
        ///
        /// ```
        /// use warpcell::distributed::Communicator;
        /// let means = Communicator::local(2).run(|ranks| ranks.fromfunction(|[i]| i, [5]).mean());
        /// assert_eq!(means, [2.0, 2.0]);
        /// ```
        pub fn mean, try_mean(&self) -> Result<T::Mean> {
            let dtype = T::Mean::DTYPE;
            let sum = self.reduced("mean", ReduceOperation::Sum, dtype, |part, axes| {
                sums_of_terms("mean", &as_terms("mean", part, dtype)?, axes, dtype)
            })?;
            Ok(transfer::typed_scalar(sum.divided(self.size() as f64)))
        }

        /// The largest element, on all ranks; see [`DeviceArray::max`]. Waits for all ranks.
        ///
        /// **Panics** if there are no elements ([`Error::InvalidShape`]), and as [`sum`](Self::sum) does.
        pub fn max, try_max(&self) -> Result<T> {
            self.total("max", ReduceOperation::Max).map(transfer::typed_scalar)
        }

        /// The smallest element, on all ranks; as [`max`](Self::max).
        pub fn min, try_min(&self) -> Result<T> {
            self.total("min", ReduceOperation::Min).map(transfer::typed_scalar)
        }
    }

    fn total(&self, name: &'static str, reduction: ReduceOperation) -> Result<crate::dtype::Scalar> {
        self.reduced(name, reduction, reduction.output(T::DTYPE), |part, axes| reduce(name, reduction, part, axes))
    }

    /// The reduction of what each part is reduced to, in `dtype`. One call tells all ranks of it.
    fn reduced(
        &self,
        name: &'static str,
        reduction: ReduceOperation,
        dtype: DType,
        of_part: impl FnOnce(&RawArray, &[usize]) -> Result<RawArray>,
    ) -> Result<crate::dtype::Scalar> {
        if reduction.needs_elements() && self.size() == 0 {
            return Err(Error::shape(name, self.shape(), "has no elements to compare; reduce arrays that have some"));
        }
        // Parts without elements have no largest one.
        let counts: Vec<usize> = self.lengths().iter().map(|rows| usize::from(*rows > 0)).collect();
        let part = &self.part.raw;
        let own = match counts[self.ranks.rank()] {
            0 => RawArray::uninitialised(name, &part.handle, &[0], dtype)?,
            _ => with_rank(name, &of_part(part, &(0..self.ndim()).collect::<Vec<_>>())?, 1)?,
        };
        let all = self.ranks.gather_parts(&own, &counts)?;
        transfer::item(&reduce(name, reduction, &all, &[0])?)
    }
}

impl Communicator {
    /// The arrays of all ranks along axis 0, of which each has so many; a length that all know.
    fn gather_parts(&self, part: &RawArray, counts: &[usize]) -> Result<RawArray> {
        let raw = self.transport.execute(Collective::AllGather(part, counts))?;
        Ok(raw.expect("each rank gets an array"))
    }

    /// Sends parts along axis 0 of these lengths, and gets parts of those lengths.
    fn exchange(&self, parts: &RawArray, sent: &[usize], received: &[usize]) -> Result<RawArray> {
        let raw = self.transport.execute(Collective::AllToAll(parts, sent, received))?;
        Ok(raw.expect("each rank gets an array"))
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident)*) => {$(
        operators!(@arrays $trait $method [Sharded<T>] [Sharded<T>]);
        operators!(@arrays $trait $method [&Sharded<T>] [Sharded<T>]);
        operators!(@arrays $trait $method [Sharded<T>] [&Sharded<T>]);
        operators!(@arrays $trait $method [&Sharded<T>] [&Sharded<T>]);
        operators!(@numbers $trait $method [Sharded<T>]);
        operators!(@numbers $trait $method [&Sharded<T>]);
    )*};
    (@arrays $trait:ident $method:ident [$left:ty] [$right:ty]) => {
        /// Of the elements; without communication. The lengths along axis 0 are equal, and other axes broadcast.
        impl<T: Arithmetic> $trait<$right> for $left {
            type Output = Sharded<T>;
            #[track_caller]
            fn $method(self, other: $right) -> Sharded<T> {
                check(self.aligned(stringify!($method), &other));
                check(self.with_part(stringify!($method), $trait::$method(&self.part, &other.part)))
            }
        }
    };
    (@numbers $trait:ident $method:ident [$left:ty]) => {
        /// Of each element and a number; without communication.
        impl<T: Arithmetic> $trait<T> for $left {
            type Output = Sharded<T>;
            #[track_caller]
            fn $method(self, number: T) -> Sharded<T> {
                check(self.with_part(stringify!($method), $trait::$method(&self.part, number)))
            }
        }
    };
}
operators! { Add add Sub sub Mul mul Div div }

/// The shape, and which rows are where. This rank's part is an array of its own, [`part`](Sharded::part).
impl<T: Element> fmt::Debug for Sharded<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sharded<{}> of shape {:?} over {} ranks", T::DTYPE, self.shape(), self.ranks.size())?;
        for rank in 0..self.ranks.size() {
            write!(f, "\n  rank {rank}: rows {:?}, {}", self.rows(rank), self.ranks.place(rank))?;
            match self.part.device().to_string() {
                _ if rank != self.ranks.rank() => {}
                device if device == self.ranks.place(rank) => f.write_str(" (this rank)")?,
                device => write!(f, " (this rank, {device})")?,
            }
        }
        Ok(())
    }
}
