//! Parts with rows of their neighbours, for stencils and convolutions.

use super::{Sharded, sorting};
use crate::Boundary;
use crate::array::{DeviceArray, RawArray, bounds, join};
use crate::dtype::Element;
use crate::error::Error;
use crate::fallible::fallible;

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
            let fill = match boundary {
                Boundary::Fill(value) => Some(value.to_scalar()),
                Boundary::Wrap | Boundary::Symmetric if self.length == 0 && width > 0 => {
                    let reason = "has no rows to continue it by; use `Boundary::Fill(value)`";
                    return Err(Error::shape("halo", self.shape(), reason));
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
            let given = sorting::taken(part, sent.concat().iter().map(|row| (row - first) as i64).collect())?;
            let own = wanted(ranks.rank());
            let received: Vec<usize> = (0..ranks.size()).map(|rank| from(&own, rank).len()).collect();
            let mut rows = ranks.exchange(&given, &counts, &received)?;
            // They have come by rank, and now stand in their places.
            let mut next: Vec<usize> = received.iter().scan(0, |end, count| Some({ *end += count; *end - count })).collect();
            let owner = |row: usize| bounds.partition_point(|&bound| bound <= row) - 1;
            let outside = rows.shape()[0];
            let places: Vec<i64> = own.iter().map(|row| row.map_or(outside, |row| {
                let place = &mut next[owner(row)];
                *place += 1;
                *place - 1
            }) as i64).collect();
            if let Some(value) = fill.filter(|_| own.contains(&None)) {
                let mut shape = part.shape().to_vec();
                shape[0] = 1;
                let outside = RawArray::filled("halo", &part.handle, &shape, value)?;
                rows = join("halo", &[rows, outside], 0)?;
            }
            let (before, behind) = places.split_at(width);
            let [before, behind] = [before, behind].map(|places| sorting::taken(&rows, places.to_vec()));
            join("halo", &[before?, RawArray::clone(part), behind?], 0).map(DeviceArray::from_raw)
        }
    }
}
