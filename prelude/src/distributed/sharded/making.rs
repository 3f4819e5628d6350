//! Arrays that are split as they are made: of a function, of rows, of an array, of files.

use super::{Sharded, sorting};
use crate::array::{DeviceArray, RawArray, bounds, slice_axis};
use crate::device;
use crate::distributed::Communicator;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::files::load_rows;
use std::ops::Range;
use std::path::Path;

impl Communicator {
    fallible! {
        /// What a function makes of the coordinates of all elements of a shape, split over the ranks: on each it is called once, with an
        /// array of `f64` for each axis, for its rows. As [`gpu::fromfunction`](crate::fromfunction); without communication.
        ///
        /// **Panics** if the function gives another number of rows ([`Error::InvalidShape`]), or there is not enough memory.
        ///
        /// ```
        /// use warpcell::distributed::Communicator;
        /// let parts = Communicator::local(2).run(|ranks| {
        ///     let x = ranks.fromfunction(|[i, j]| i * 10.0 + j, [3, 2]);
        ///     x.part().ravel().tolist()
        /// });
        /// assert_eq!(parts, [vec![0.0, 1.0, 10.0, 11.0], vec![20.0, 21.0]]);
        /// ```
        pub fn fromfunction, try_fromfunction<T: Element, const N: usize>(
            &self,
            function: impl FnOnce([DeviceArray<f64>; N]) -> DeviceArray<T>,
            shape: [usize; N]
        ) -> Result<Sharded<T>> {
            if N == 0 {
                return Err(Error::shape("fromfunction", shape, "has no axis to split; give one at least"));
            }
            let rows = self.own_rows(shape[0]);
            let mut own = shape;
            own[0] = rows.len();
            let from_first = |mut coordinates: [DeviceArray<f64>; N]| {
                coordinates[0] = &coordinates[0] + rows.start as f64;
                function(coordinates)
            };
            self.of_part("fromfunction", shape[0], crate::fromfunction(from_first, own))
        }

        /// What a function makes of the numbers of rows, split over the ranks: on each it is called once, for the rows that it is to
        /// have of so many. Without communication.
        ///
        /// **Panics** if the function gives another number of rows ([`Error::InvalidShape`]).
        ///
        /// ```
        /// use warpcell as gpu;
        /// # use gpu::distributed::Communicator;
        /// let parts = Communicator::local(2).run(|ranks| {
        ///     ranks.from_rows(5, |rows| gpu::arange((rows.start as i64, rows.end as i64))).part().tolist()
        /// });
        /// assert_eq!(parts, [vec![0, 1, 2], vec![3, 4]]);
        /// ```
        pub fn from_rows, try_from_rows<T: Element>(
            &self,
            length: usize,
            function: impl FnOnce(Range<usize>) -> DeviceArray<T>
        ) -> Result<Sharded<T>> {
            self.of_part("from_rows", length, function(self.own_rows(length)))
        }

        /// Splits an array that all ranks have: each keeps its rows. Without communication; the elements are copied only to another device.
        ///
        /// **Panics** if the array has no axis ([`Error::InvalidShape`]).
        ///
        /// ```
        /// use warpcell as gpu;
        /// # use gpu::distributed::Communicator;
        /// let parts = Communicator::local(2).run(|ranks| ranks.shard(&gpu::arange(4)).part().tolist());
        /// assert_eq!(parts, [[0, 1], [2, 3]]);
        /// ```
        pub fn shard, try_shard<T: Element>(&self, x: &DeviceArray<T>) -> Result<Sharded<T>> {
            let length = first_length("shard", &x.raw)?;
            let rows = self.own_rows(length);
            Sharded::of("shard", self, &slice_axis(&x.raw, 0, rows.start, 1, rows.len()), length)
        }

        /// Splits an array of one rank, `root`: each gets its rows. The other ranks give `None`. Waits for `root`.
        ///
        /// **Panics** if `root` gives no array, or one without axes or with more than 64, and as [`broadcast`](Self::broadcast) does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// # use gpu::distributed::Communicator;
        /// let parts = Communicator::local(2).run(|ranks| {
        ///     let x = (ranks.rank() == 0).then(|| gpu::arange(5i64));
        ///     ranks.scatter(x.as_ref(), 0).part().tolist()
        /// });
        /// assert_eq!(parts, [vec![0, 1, 2], vec![3, 4]]);
        /// ```
        pub fn scatter, try_scatter<T: Element>(&self, x: Option<&DeviceArray<T> >, root: usize) -> Result<Sharded<T>> {
            const NAME: &str = "scatter";
            self.member(NAME, root)?;
            let own = x.filter(|_| self.rank() == root);
            if self.rank() == root {
                let Some(x) = own else {
                    return Err(Error::argument(NAME, format!("rank {root} gives no array to scatter; give `Some(&x)` there")));
                };
                first_length(NAME, &x.raw)?;
                if x.ndim() > MOST_AXES {
                    return Err(Error::shape(NAME, x.shape(), "has more than 64 axes; reshape it first"));
                }
            }
            let handle = own.map_or_else(|| device::open(self.device()), |x| Ok(x.raw.handle.clone()))?;
            // The number of axes and their lengths.
            let mut header = vec![0i64; MOST_AXES + 1];
            if let Some(x) = own {
                header[0] = x.ndim() as i64;
                header[1..].iter_mut().zip(x.shape()).for_each(|(to, &length)| *to = length as i64);
            }
            let header = DeviceArray::<i64>::from_raw(RawArray::of_indices(NAME, &handle, &[header.len()], &header)?);
            let header = self.try_broadcast(&header, root)?.try_to_host()?;
            let mut shape: Vec<usize> = header.iter().skip(1).take(header[0] as usize).map(|&length| length as usize).collect();
            let length = shape[0];
            let bounds = bounds(length, self.size());
            let counts: Vec<usize> = bounds.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let nothing = vec![0; self.size()];
            let mut received = nothing.clone();
            received[root] = counts[self.rank()];
            let part = match own {
                Some(x) => self.exchange(&x.raw, &counts, &received)?,
                None => {
                    shape[0] = 0;
                    self.exchange(&RawArray::uninitialised(NAME, &handle, &shape, T::DTYPE)?, &nothing, &received)?
                }
            };
            Sharded::of(NAME, self, &part, length)
        }

        /// Reads a `.npy` file to an array that is split over the ranks: each reads its rows only. Without communication; all ranks see the file
        /// under the same name. A file in Fortran's order is read whole by each rank.
        ///
        /// **Panics** as [`gpu::load`](crate::load) does, and if the file's array has no axis ([`Error::InvalidShape`]).
        ///
        /// ```
        /// use warpcell as gpu;
        /// # use gpu::distributed::Communicator;
        /// # let folder = std::env::temp_dir().join(format!("warpcell-distributed-load-{}", std::process::id()));
        /// # std::fs::create_dir_all(&folder).unwrap();
        /// # let path = folder.join("a.npy");
        /// gpu::save(&path, &gpu::arange(5i64));
        /// let parts = Communicator::local(2).run(|ranks| ranks.load::<i64>(&path).part().tolist());
        /// assert_eq!(parts, [vec![0, 1, 2], vec![3, 4]]);
        /// # std::fs::remove_dir_all(&folder).unwrap();
        /// ```
        pub fn load, try_load<T: Element>(&self, path: impl AsRef<Path>) -> Result<Sharded<T>> {
            let mut length = 0;
            let part = load_rows::<T>("load", path.as_ref(), |whole| {
                length = whole;
                self.own_rows(whole)
            })?;
            Sharded::of("load", self, &part.raw, length)
        }

        /// Reads `.npy` files, whose arrays stand one behind the other along axis 0, to an array that is split over the ranks. Each rank reads
        /// some of the files, in their order; then the ranks exchange rows, so that all have as many.
        ///
        /// **Panics** as [`load`](Self::load) does, if there is no file ([`Error::InvalidArgument`]), or the other axes of the arrays differ.
        ///
        /// ```
        /// use warpcell as gpu;
        /// # use gpu::distributed::Communicator;
        /// # let folder = std::env::temp_dir().join(format!("warpcell-distributed-files-{}", std::process::id()));
        /// # std::fs::create_dir_all(&folder).unwrap();
        /// let paths = ["a.npy", "b.npy", "c.npy"].map(|name| folder.join(name));
        /// (0..3).for_each(|k| gpu::save(&paths[k], &gpu::full(k, k as i64))); // 0, 1 and 2 elements
        /// let parts = Communicator::local(2).run(|ranks| ranks.load_files::<i64>(&paths).part().tolist());
        /// assert_eq!(parts, [vec![1, 2], vec![2]]);
        /// # std::fs::remove_dir_all(&folder).unwrap();
        /// ```
        pub fn load_files, try_load_files<T: Element>(&self, paths: &[impl AsRef<Path>]) -> Result<Sharded<T>> {
            const NAME: &str = "load_files";
            let Some(first) = paths.first() else {
                return Err(Error::argument(NAME, "there is no file; give one at least"));
            };
            let parts = paths[self.own_rows(paths.len())].iter().map(|path| {
                load_rows::<T>(NAME, path.as_ref(), |length| 0..length).map(|part| part.raw.into_inner())
            });
            let parts = parts.collect::<Result<Vec<RawArray>>>()?;
            let part = match parts.is_empty() {
                // Rows like those of the others.
                true => load_rows::<T>(NAME, first.as_ref(), |_| 0..0)?.raw.into_inner(),
                false => crate::array::join(NAME, &parts, 0)?,
            };
            sorting::balanced(self, &part)
        }
    }

    /// The rows of this rank, of so many.
    fn own_rows(&self, length: usize) -> Range<usize> {
        let bounds = bounds(length, self.size());
        bounds[self.rank()]..bounds[self.rank() + 1]
    }

    fn of_part<T: Element>(&self, name: &'static str, length: usize, part: DeviceArray<T>) -> Result<Sharded<T>> {
        let rows = self.own_rows(length);
        if part.shape().first() != Some(&rows.len()) {
            let reason =
                format!("does not have {} rows, {rows:?} of {length}; let the function give as many", rows.len());
            return Err(Error::shape(name, part.shape(), reason));
        }
        Sharded::of(name, self, &part.raw, length)
    }
}

/// What NumPy's arrays have at most.
const MOST_AXES: usize = 64;

fn first_length(name: &'static str, raw: &RawArray) -> Result<usize> {
    raw.shape()
        .first()
        .copied()
        .ok_or_else(|| Error::shape(name, raw.shape(), "has no axis to split; give an array with one at least"))
}
