//! Parts with rows of their neighbours, for stencils and convolutions.

use super::{Sharded, sorting};
use crate::Boundary;
use crate::array::{DeviceArray, RawArray, bounds, join, slice_axis};
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::stream::Stream;

impl<T: Element> Sharded<T> {
    fallible! {
        /// This rank's part with so many rows of its neighbours before and behind it: what a stencil or a convolution needs. Waits for the
        /// ranks that have these rows.
        ///
        /// Before the first row and behind the last one of the whole array is what `boundary` says: a value, or the array again, or
        /// mirrored; see [`Boundary`]. Parts may have fewer rows than are asked for.
        ///
        /// **Panics** if the array has no rows to continue it by ([`Error::InvalidShape`]), and as [`Communicator::all_to_all`](crate::distributed::Communicator::all_to_all) does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// use gpu::prelude::*;
        /// # use gpu::distributed::Communicator;
        /// // A step of the heat equation in one dimension, on a ring.
        /// let heat = gpu::array(&[0.0, 0.0, 8.0, 0.0, 0.0, 0.0]);
        /// let after = Communicator::local(3).run(|ranks| {
        ///     let u = ranks.shard(&heat);
        ///     let wide = u.halo(1, Boundary::Wrap);
        ///     let [left, right] = [wide.slice(s![..-2]), wide.slice(s![2..])];
        ///     let u = u.map_parts(|u| u + (left - u * 2.0 + right) * 0.25);
        ///     u.gather().tolist()
        /// });
        /// assert_eq!(after[0], [0.0, 2.0, 4.0, 2.0, 0.0, 0.0]);
        /// ```
        pub fn halo, try_halo(&self, width: usize, boundary: Boundary<T>) -> Result<DeviceArray<T>> {
            let [before, behind] = self.edges("halo", width, boundary)?;
            join("halo", &[before, RawArray::clone(&self.part().raw), behind], 0).map(DeviceArray::from_raw)
        }

        /// The array that `work` makes of each part with so many rows of its neighbours before and behind it: a step of a stencil. `work` gets
        /// rows, and gives those without the first `width` and the last `width` ones; the other axes may change.
        ///
        /// As [`halo`](Self::halo) and [`map_parts`](Self::map_parts) together, but the rows of the neighbours come while `work` is at the rows that
        /// do not need them: `work` is called for those, and then for the `width` first and the `width` last rows of the part. So it must not
        /// depend on how many rows it gets. On CUDA devices this happens in two streams.
        ///
        /// **Panics** if `work` gives another number of rows ([`Error::InvalidShape`]), and as [`halo`](Self::halo) does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// use gpu::prelude::*;
        /// # use gpu::distributed::Communicator;
        /// let heat = gpu::array(&[0.0, 0.0, 8.0, 0.0, 0.0, 0.0]);
        /// let after = Communicator::local(2).run(|ranks| {
        ///     let u = ranks.shard(&heat).map_halo(1, Boundary::Wrap, |wide| {
        ///         let [left, middle, right] = [wide.slice(s![..-2]), wide.slice(s![1..-1]), wide.slice(s![2..])];
        ///         &middle + (left - &middle * 2.0 + right) * 0.25
        ///     });
        ///     u.gather().tolist()
        /// });
        /// assert_eq!(after[0], [0.0, 2.0, 4.0, 2.0, 0.0, 0.0]);
        /// ```
        pub fn map_halo, try_map_halo<U: Element>(
            &self,
            width: usize,
            boundary: Boundary<T>,
            work: impl FnMut(&DeviceArray<T>) -> DeviceArray<U>
        ) -> Result<Sharded<U>> {
            const NAME: &str = "map_halo";
            let mut work = work;
            let (part, rows) = (&self.part().raw, self.part().shape()[0]);
            if width == 0 || rows < 2 * width {
                let wide = DeviceArray::from_raw({
                    let [before, behind] = self.edges(NAME, width, boundary)?;
                    join(NAME, &[before, RawArray::clone(part), behind], 0)?
                });
                return self.with_part(NAME, work(&wide));
            }
            let beside = self.ranks().device().with(Stream::try_new)?;
            // What has to be sent is cut off first, and is there before the work begins.
            let [before, behind] = beside.with(|| self.edges(NAME, width, boundary))?;
            let mut made = |wide: RawArray| -> Result<RawArray> {
                let expected = wide.shape()[0] - 2 * width;
                let done = work(&DeviceArray::from_raw(wide));
                if done.shape().first() == Some(&expected) {
                    return Ok(done.raw.into_inner());
                }
                let reason = format!("does not have {expected} rows, {} less than what was given; leave out the first and the last {width}", 2 * width);
                Err(Error::shape(NAME, done.shape(), reason))
            };
            let slice = |from: usize, count: usize| slice_axis(part, 0, from, 1, count);
            let inner = if rows > 2 * width { Some(made(RawArray::clone(part))?) } else { None };
            let first = made(join(NAME, &[before, slice(0, 2 * width)], 0)?)?;
            let last = made(join(NAME, &[slice(rows - 2 * width, 2 * width), behind], 0)?)?;
            let all: Vec<RawArray> = [Some(first), inner, Some(last)].into_iter().flatten().collect();
            self.with_part(NAME, DeviceArray::from_raw(join(NAME, &all, 0)?))
        }
    }

    /// So many rows before the part, and behind it.
    fn edges(&self, name: &'static str, width: usize, boundary: Boundary<T>) -> Result<[RawArray; 2]> {
        let fill = match boundary {
            Boundary::Fill(value) => Some(value.to_scalar()),
            Boundary::Wrap | Boundary::Symmetric if self.length == 0 && width > 0 => {
                let reason = "has no rows to continue it by; use `Boundary::Fill(value)`";
                return Err(Error::shape(name, self.shape(), reason));
            }
            Boundary::Wrap | Boundary::Symmetric => None,
        };
        let length = self.length as i128;
        // The row of the array that stands at a place, which may be outside of it.
        let row = |place: i128| match boundary {
            _ if (0..length).contains(&place) => Some(place as usize),
            Boundary::Fill(_) => None,
            Boundary::Wrap => Some(place.rem_euclid(length) as usize),
            Boundary::Symmetric => Some(place.rem_euclid(2 * length)).map(|at| at.min(2 * length - 1 - at) as usize),
        };
        let (ranks, part) = (self.ranks(), &self.part().raw);
        let bounds = bounds(self.length, ranks.size());
        let wanted = |rank: usize| -> Vec<Option<usize>> {
            let (start, end, width) = (bounds[rank] as i128, bounds[rank + 1] as i128, width as i128);
            (start - width..start).chain(end..end + width).map(row).collect()
        };
        // Those of them that a rank has.
        let from = |wanted: &[Option<usize>], rank: usize| -> Vec<usize> {
            let rows = bounds[rank]..bounds[rank + 1];
            wanted.iter().flatten().copied().filter(|row| rows.contains(row)).collect()
        };
        let first = bounds[ranks.rank()];
        let sent: Vec<Vec<usize>> = (0..ranks.size()).map(|to| from(&wanted(to), ranks.rank())).collect();
        let counts: Vec<usize> = sent.iter().map(Vec::len).collect();
        let given = taken(name, part, &sent.concat().iter().map(|row| (row - first) as i64).collect::<Vec<_>>())?;
        let own = wanted(ranks.rank());
        let received: Vec<usize> = (0..ranks.size()).map(|rank| from(&own, rank).len()).collect();
        let mut rows = ranks.exchange(&given, &counts, &received)?;
        // They have come by rank, and now stand in their places.
        let mut next: Vec<usize> = received
            .iter()
            .scan(0, |end, count| {
                Some({
                    *end += count;
                    *end - count
                })
            })
            .collect();
        let owner = |row: usize| bounds.partition_point(|&bound| bound <= row) - 1;
        let outside = rows.shape()[0];
        let places: Vec<i64> = own
            .iter()
            .map(|row| {
                row.map_or(outside, |row| {
                    let place = &mut next[owner(row)];
                    *place += 1;
                    *place - 1
                }) as i64
            })
            .collect();
        if let Some(value) = fill.filter(|_| own.contains(&None)) {
            let mut shape = part.shape().to_vec();
            shape[0] = 1;
            let outside = RawArray::filled(name, &part.handle, &shape, value)?;
            rows = join(name, &[rows, outside], 0)?;
        }
        let (before, behind) = places.split_at(width);
        Ok([taken(name, &rows, before)?, taken(name, &rows, behind)?])
    }
}

/// The rows at these places. A few runs of rows that follow one another are cut out; for others their places must go to the device.
fn taken(name: &'static str, rows: &RawArray, places: &[i64]) -> Result<RawArray> {
    const MOST: usize = 4;
    let runs: Vec<&[i64]> = places.chunk_by(|a, b| a + 1 == *b).collect();
    let run = |run: &&[i64]| slice_axis(rows, 0, run[0] as usize, 1, run.len());
    match runs.len() {
        1 => Ok(run(&runs[0])),
        2..=MOST => join(name, &runs.iter().map(run).collect::<Vec<_>>(), 0),
        _ => sorting::taken(rows, places.to_vec()),
    }
}
