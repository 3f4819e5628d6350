//! Kernels of elements that have labels.

use crate::prelude::*;
use warpcell_macros::kernel;

/// Where each label is in `values`, which are ascending; how many there are if it is none of them. With `form` 1 they are
/// successive integers, with 2 every label above 0 is the only value.
#[kernel]
pub fn slots(labels: View<i64>, values: View<i64>, form: i32, mut out: ViewMut<i64>, per: usize) {
    let start = global_idx().x * per;
    let end = (start + per).min(out.len());
    let count = values.len() as i64;
    for i in start..end {
        let label = labels[i];
        let mut slot = count;
        if form == 2 {
            slot = if label > 0 { 0 } else { 1 };
        } else if form == 1 {
            let first = values[0];
            if label >= first && label < first + count {
                slot = label - first;
            }
        } else {
            let mut low: i64 = 0;
            let mut high = count;
            while low < high {
                let middle = (low + high) / 2;
                if values[middle as usize] < label {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            if low < count && values[low as usize] == label {
                slot = low;
            }
        }
        out[i] = slot;
    }
}

/// The number of the bin of each element among those of all labels; how many bins there are if it is in none. As NumPy's
/// `histogram`, the last bin has both of its ends.
#[kernel]
#[allow(clippy::too_many_arguments)]
pub fn bins(x: View<f64>, slots: View<i64>, edges: View<f64>, labels: i64, mut out: ViewMut<i64>, per: usize) {
    let start = global_idx().x * per;
    let end = (start + per).min(out.len());
    let count = edges.len() as i64 - 1;
    for i in start..end {
        let value = x[i];
        let mut bin = labels * count;
        if slots[i] < labels && value >= edges[0] && value <= edges[count as usize] {
            let mut low: i64 = 0;
            let mut high = count;
            while low + 1 < high {
                let middle = (low + high) / 2;
                if edges[middle as usize] <= value {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            bin = slots[i] * count + low;
        }
        out[i] = bin;
    }
}

/// The index along an axis of each element.
#[kernel]
pub fn coordinate(inner: usize, length: usize, mut out: ViewMut<f64>, per: usize) {
    let start = global_idx().x * per;
    let end = (start + per).min(out.len());
    for i in start..end {
        out[i] = (i / inner % length) as f64;
    }
}

/// The indices along all axes of positions in row-major order: a row for each, or a column with `is_transposed`.
#[kernel]
pub fn unravelled(positions: View<i64>, lengths: View<i64>, is_transposed: bool, mut out: ViewMut<i64>, per: usize) {
    let start = global_idx().x * per;
    let end = (start + per).min(positions.len());
    let rank = lengths.len();
    for i in start..end {
        let mut rest = positions[i];
        for axis in (0..rank).rev() {
            let place = if is_transposed { axis * positions.len() + i } else { i * rank + axis };
            out[place] = rest % lengths[axis];
            rest /= lengths[axis];
        }
    }
}

/// The first and the last index along each of four axes of what has each label from 1 to `count`.
#[kernel]
pub fn boxes(labels: View<i64>, meta: View<i64>, count: i64, low: ViewMut<i64>, high: ViewMut<i64>, per: usize) {
    let start = global_idx().x * per;
    let end = (start + per).min(labels.len());
    for i in start..end {
        let label = labels[i];
        if label > 0 && label <= count {
            let mut rest = i as i64;
            let mut step: usize = 1;
            for back in 0..4usize {
                let axis = 3 - back;
                let n = meta[axis];
                let c = rest % n;
                rest /= n;
                let slot = (label - 1) as usize * 4 + axis;
                // Only the ends of runs can be ends of boxes.
                if c == 0 || labels[i - step] != label {
                    low.atomic_min(slot, c);
                }
                if c == n - 1 || labels[i + step] != label {
                    high.atomic_max(slot, c);
                }
                step *= n as usize;
            }
        }
    }
}
