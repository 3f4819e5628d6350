//! Signals in chunks, each filtered by a thread.

use super::filter::{Filter, power, transition};
use super::kernels::{
    filter_chunks, filter_chunks_of_first_order, filter_chunks_of_second_order, filter_chunks_of_two_sections,
    join_chunks, join_long_states,
};
use super::{Signals, THREADS};
use crate::array::{DeviceArray, RawArray, slice_axis};
use crate::backend::Layout;
use crate::backend::loops::{Loops, only_kernels};
use crate::device::Device;
use crate::dtype::Scalar;
use crate::error::Result;
use crate::launch::try_launch_unchecked;

/// All signals together are cut into about so many chunks, none of which has fewer samples. A device with many threads needs more of them,
/// unless the states of chunks are long.
const CHUNKS: usize = 4096;
const SHORTEST: usize = 512;
const MORE_CHUNKS: usize = 65536;
const SHORTEST_OF_MORE: usize = 128;

/// The most numbers of a state that a thread keeps.
const MOST_KEPT: usize = 4;

/// The states of more chunks than this are found in groups of so many.
const FEW: usize = 64;
const GROUP: usize = 32;

impl Signals {
    /// Filters from states `[order, rows]`, or from zeros, by one filter, or by two of second order one after the other; gives the states
    /// at the end.
    pub(super) fn filter(&mut self, filters: &[Filter], from: Option<RawArray>, backward: bool) -> Result<RawArray> {
        // Without a state there is nothing to recur: one that stays 0 serves.
        let own = filters[0].order().max(1);
        let order = own * filters.len();
        let (rows, length) = (self.rows, self.length);
        let from = match from {
            Some(from) if from.shape()[0] == order => from,
            _ => RawArray::filled(self.operation, self.handle(), &[order, rows], Scalar::F64(0.0))?,
        };
        if self.is_empty() {
            return Ok(from);
        }
        let coefficients: Vec<f64> = filters.iter().flat_map(|filter| filter.padded(own)).collect();
        let has_many_threads = self.handle().device != Device::Cpu || only_kernels();
        let (most, shortest) = if has_many_threads && order <= MOST_KEPT {
            (MORE_CHUNKS, SHORTEST_OF_MORE)
        } else {
            (CHUNKS, SHORTEST.max(8 * order))
        };
        let mut chunk = length.div_ceil(most.div_ceil(rows)).max(shortest).min(length);
        let mut matrix = Vec::new();
        if chunk < length {
            matrix = transition(&coefficients, own, chunk);
            // What grows without limits is filtered as a whole.
            if matrix.iter().any(|value| !value.is_finite()) {
                chunk = length;
            }
        }
        let chunks = length.div_ceil(chunk);
        let tasks = rows * chunks;
        let data = DeviceArray::<f64>::from_raw(self.data.clone());
        let mut filtered = DeviceArray::<f64>::from_raw(self.scratch(&[rows, length])?);
        let mut on_device = None;
        let mut run = |states: &mut DeviceArray<f64>, writes: bool| {
            let (of_states, of_data, out) = (states.raw.view(), data.raw.view(), filtered.raw.view());
            let loops = Loops::Recursive {
                coefficients: &coefficients,
                order: own,
                chunk,
                backward,
                writes,
                states: of_states,
                data: of_data,
                out,
            };
            if self.handle().backend.by_loops(loops)? {
                return Ok(());
            }
            if on_device.is_none() {
                let numbers = self.numbers(&coefficients, &[2 * filters.len(), own + 1])?;
                on_device = Some(DeviceArray::<f64>::from_raw(numbers));
            }
            let on_device = on_device.as_ref().expect("the coefficients are there");
            let arguments = (on_device, &data, chunk as u64, backward, writes, states, &mut filtered);
            let blocks = tasks.div_ceil(32);
            // SAFETY: a thread takes a chunk and its state.
            unsafe {
                match (filters.len(), order) {
                    (2, _) => try_launch_unchecked(filter_chunks_of_two_sections, blocks, 32, arguments),
                    (_, 1) => try_launch_unchecked(filter_chunks_of_first_order, blocks, 32, arguments),
                    (_, 2) => try_launch_unchecked(filter_chunks_of_second_order, blocks, 32, arguments),
                    _ => try_launch_unchecked(filter_chunks, blocks, 32, arguments),
                }
            }
        };
        let starts = if chunks == 1 {
            from.copied(self.operation)?
        } else {
            let ends = RawArray::filled(self.operation, self.handle(), &[order, tasks], Scalar::F64(0.0))?;
            let mut ends = DeviceArray::<f64>::from_raw(ends);
            run(&mut ends, false)?;
            self.joined(order, &matrix, from, &ends, chunks)?
        };
        let mut states = DeviceArray::<f64>::from_raw(starts);
        run(&mut states, true)?;
        self.data = (*filtered.raw).clone();
        let states = states.raw.with_layout(Layout::contiguous(&[order, rows, chunks]));
        let last = slice_axis(&states, 2, chunks - 1, 1, 1).copied(self.operation)?;
        Ok(last.with_layout(Layout::contiguous(&[order, rows])))
    }

    /// The states from which chunks begin, from those of the rows, and those at the ends of chunks that began with zeros. Many are found in
    /// groups: first the states at the ends of groups that begin with zeros, then those from which groups begin, then those within.
    fn joined(
        &self,
        order: usize,
        matrix: &[f64],
        from: RawArray,
        ends: &DeviceArray<f64>,
        chunks: usize,
    ) -> Result<RawArray> {
        let of_device = |values: &[f64]| self.numbers(values, &[order, order]).map(DeviceArray::<f64>::from_raw);
        let scratch = |count: usize| self.scratch(&[order, self.rows * count]).map(DeviceArray::<f64>::from_raw);
        let mut starts = scratch(chunks)?;
        let factors = of_device(matrix)?;
        if order > MOST_KEPT {
            let from = DeviceArray::from_raw(from);
            let arguments = (&factors, &from, ends, chunks as u64, &mut starts);
            // SAFETY: a thread takes the states of one row.
            unsafe { try_launch_unchecked(join_long_states, self.rows.div_ceil(32), 32, arguments)? };
            return Ok((*starts.raw).clone());
        }
        let of_group = if chunks > FEW { power(matrix, order, GROUP) } else { Vec::new() };
        let is_grouped = chunks > FEW && of_group.iter().all(|value| value.is_finite());
        let group = if is_grouped { GROUP } else { chunks };
        let groups = chunks.div_ceil(group);
        let launch = |from: &DeviceArray<f64>, writes: bool, to: &mut DeviceArray<f64>| {
            let arguments = (&factors, from, ends, chunks as u64, group as u64, writes, to);
            // SAFETY: a thread takes the states of one group.
            unsafe { try_launch_unchecked(join_chunks, (self.rows * groups).div_ceil(THREADS), THREADS, arguments) }
        };
        let from = if is_grouped {
            let mut ends_of_groups = scratch(groups)?;
            launch(ends, false, &mut ends_of_groups)?;
            self.joined(order, &of_group, from, &ends_of_groups, groups)?
        } else {
            from
        };
        launch(&DeviceArray::from_raw(from), true, &mut starts)?;
        Ok((*starts.raw).clone())
    }
}
