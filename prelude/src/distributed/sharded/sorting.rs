//! Sorting, and parts of any lengths that become parts of the usual ones.

use super::Sharded;
use crate::array::indices::RawIndices;
use crate::array::{RawArray, bounds, slice_axis, transfer};
use crate::distributed::Communicator;
use crate::dtype::Element;
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::operations::indexing::take_axis;
use crate::operations::sorting::{Side, search, sorted_rows};

const NAME: &str = "sort";

impl<T: Element> Sharded<T> {
    fallible! {
        /// The elements in ascending order, split over the ranks; as [`gpu::sort`](fn@crate::sort) of the whole array. Waits for all ranks.
        ///
        /// Each rank sorts its part and shows samples of it. The samples of all say which elements belong to which rank; the ranks exchange
        /// these and sort once more (Shi's and Schaeffer's parallel sorting by regular sampling). For a moment a rank may have twice its share,
        /// and more where many elements are equal.
        ///
        /// **Panics** if the array has more than one axis ([`Error::InvalidShape`]), and as [`Communicator::all_to_all`] does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// # use gpu::distributed::Communicator;
        /// let x = gpu::array(&[5, 2, 9, 1, 7]);
        /// let parts = Communicator::local(2).run(|ranks| ranks.shard(&x).sort().part().tolist());
        /// assert_eq!(parts, [vec![1, 2, 5], vec![7, 9]]);
        /// ```
        pub fn sort, try_sort(&self) -> Result<Sharded<T>> {
            if self.ndim() != 1 {
                let reason = "has more than one axis; rows are sorted without communication: `x.map_parts(|part| gpu::sort(part))`";
                return Err(Error::shape(NAME, self.shape(), reason));
            }
            let (ranks, size) = (self.ranks(), self.ranks().size());
            let sorted = sorted_rows(NAME, &self.part().raw, false)?;
            // As many of each part as there are ranks, at equal distances; of parts without elements none.
            let counts: Vec<usize> = self.lengths().iter().map(|rows| if *rows > 0 { size } else { 0 }).collect();
            let own = taken(&sorted, places(counts[ranks.rank()], sorted.size()))?;
            let samples = sorted_rows(NAME, &ranks.gather_parts(&own, &counts)?, false)?;
            let mut ends = match samples.size() {
                0 => vec![0; size - 1],
                count => {
                    let splitters = taken(&samples, places(size, count).split_off(1))?;
                    lengths_of(&search(NAME, &sorted, &splitters, Side::Left)?)?
                }
            };
            ends.insert(0, 0);
            ends.push(sorted.size());
            let sent: Vec<usize> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let each = vec![1; size];
            let received = lengths_of(&ranks.exchange(&numbers(&sorted, &sent)?, &each, &each)?)?;
            let mine = ranks.exchange(&sorted, &sent, &received)?;
            balanced(ranks, &sorted_rows(NAME, &mine, false)?)
        }
    }
}

/// So many places at equal distances in a length.
fn places(count: usize, length: usize) -> Vec<i64> {
    (0..count).map(|place| (place as u128 * length as u128 / count as u128) as i64).collect()
}

/// The rows at these places.
pub(super) fn taken(raw: &RawArray, places: Vec<i64>) -> Result<RawArray> {
    if places.is_empty() {
        return Ok(slice_axis(raw, 0, 0, 1, 0));
    }
    take_axis(raw, RawIndices::Host { shape: vec![places.len()], values: places }, 0)
}

/// Lengths as an array beside another one.
fn numbers(beside: &RawArray, lengths: &[usize]) -> Result<RawArray> {
    let lengths: Vec<i64> = lengths.iter().map(|&length| length as i64).collect();
    RawArray::of_indices(NAME, &beside.handle, &[lengths.len()], &lengths)
}

fn lengths_of(raw: &RawArray) -> Result<Vec<usize>> {
    Ok(transfer::download_vec::<i64>(raw)?.into_iter().map(|length| length as usize).collect())
}

/// The parts of all ranks, one behind the other, split as usual. The order of rows stays.
pub(super) fn balanced<T: Element>(ranks: &Communicator, part: &RawArray) -> Result<Sharded<T>> {
    let rows = part.shape()[0];
    let all = lengths_of(&ranks.gather_parts(&numbers(part, &[rows])?, &vec![1; ranks.size()])?)?;
    let ends: Vec<usize> = all
        .iter()
        .scan(0, |end, rows| {
            Some({
                *end += rows;
                *end
            })
        })
        .collect();
    let length = ends.last().copied().unwrap_or(0);
    let bounds = bounds(length, ranks.size());
    // How many of the rows that one has now belong to another.
    let common = |from: usize, to: usize| {
        let (start, end) = (ends[from] - all[from], ends[from]);
        end.min(bounds[to + 1]).saturating_sub(start.max(bounds[to]))
    };
    let sent: Vec<usize> = (0..ranks.size()).map(|to| common(ranks.rank(), to)).collect();
    let received: Vec<usize> = (0..ranks.size()).map(|from| common(from, ranks.rank())).collect();
    Sharded::of(NAME, ranks, &ranks.exchange(part, &sent, &received)?, length)
}
