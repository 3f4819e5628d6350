//! The product of two matrices that are both split: the parts of the second one go around.

use super::Sharded;
use crate::array::{DeviceArray, RawArray, bounds, slice_axis};
use crate::backend::BinaryOperation;
use crate::dtype::{Arithmetic, Scalar};
use crate::error::Error;
use crate::fallible::fallible;
use crate::operations::elementwise::binary_into;
use crate::operations::products;
use crate::stream::Stream;

const NAME: &str = "matmul_sharded";

impl<T: Arithmetic> Sharded<T> {
    fallible! {
        /// The product with a matrix that is split over the same ranks, split as this one. No rank ever has the whole of the other
        /// matrix: its parts go around in a ring, and while a rank multiplies by one it gets the next one. Waits for the neighbours.
        ///
        /// The products of the parts are added in an order that begins with the rank's own part. For floats, an element of the result
        /// differs from the exact one by at most `(k + n) · u · Σ|x·y|` and terms of `u²`, for `k` products on `n` ranks, with `u` as of
        /// [`Communicator`](crate::distributed::Communicator). For a matrix that all ranks have, [`matmul`](Self::matmul) needs no communication.
        ///
        /// **Panics** if one of them has not two axes or the lengths do not fit ([`Error::InvalidShape`]), if they are split over
        /// different ranks, and as [`all_to_all`](crate::distributed::Communicator::all_to_all) does.
        ///
        /// ```
        /// use warpcell as gpu;
        /// # use gpu::distributed::Communicator;
        /// let products = Communicator::local(2).run(|ranks| {
        ///     let x = ranks.shard(&gpu::array(&[[1, 2], [3, 4], [5, 6]]));
        ///     let y = ranks.shard(&gpu::array(&[[0, 1], [1, 1]]));
        ///     x.matmul_sharded(&y).part().ravel().tolist()
        /// });
        /// assert_eq!(products, [vec![2, 3, 4, 7], vec![6, 11]]);
        /// ```
        pub fn matmul_sharded, try_matmul_sharded(&self, other: &Sharded<T>) -> Result<Sharded<T>> {
            let (ranks, size) = (self.ranks(), self.ranks().size());
            if ranks.group.members != other.ranks().group.members {
                let reason = "the matrices are split over different ranks; make both with the same communicator";
                return Err(Error::argument(NAME, reason));
            }
            let (left, right) = (self.shape(), other.shape());
            if left.len() != 2 || right.len() != 2 || left[1] != right[0] {
                let reason = format!("cannot be multiplied by the shape {right:?}; both need two axes, and the second length must be the other's first");
                return Err(Error::shape(NAME, left, reason));
            }
            let (bounds, rank) = (bounds(right[0], size), ranks.rank());
            let rows = |owner: usize| bounds[owner + 1] - bounds[owner];
            let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
            let (mine, handle) = (&self.part().raw, &self.part().raw.handle);
            let total = RawArray::filled(NAME, handle, &[mine.shape()[0], right[1]], Scalar::zero(T::DTYPE))?;
            // What goes around goes beside the products.
            let beside = ranks.device().with(Stream::try_new)?;
            let mut held = RawArray::clone(&other.part().raw);
            for step in 0..size {
                let owner = (rank + step) % size;
                let mut coming = None;
                if step + 1 < size {
                    let (mut sent, mut received) = (vec![0; size], vec![0; size]);
                    sent[before] = rows(owner);
                    received[next] = rows((owner + 1) % size);
                    coming = Some(beside.with(|| ranks.exchange(&held, &sent, &received))?);
                }
                if rows(owner) > 0 && total.size() > 0 {
                    let columns = slice_axis(mine, 1, bounds[owner], 1, rows(owner));
                    let product = products::multiply(NAME, &columns, &held)?;
                    binary_into(NAME, BinaryOperation::Add, &total, &product)?;
                }
                held = coming.unwrap_or(held);
            }
            self.with_part(NAME, DeviceArray::from_raw(total))
        }
    }
}
