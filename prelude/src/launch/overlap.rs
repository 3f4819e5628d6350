//! Whether arrays have elements in common.

use crate::array::RawArray;
use crate::backend::Layout;

/// Whether two arrays may have an element in common. Exact for arrays of two allocations, for parts that lie behind one another, for such as
/// lie between one another by their strides, such as two columns, and for blocks of one array; else it may say so where they have none.
pub(crate) fn may_overlap(one: &RawArray, other: &RawArray) -> bool {
    one.shares_memory(other) && layouts_may_overlap(&one.layout, &other.layout)
}

fn layouts_may_overlap(one: &Layout, other: &Layout) -> bool {
    let (Some(first), Some(second)) = (range(one), range(other)) else { return false };
    if first.1 < second.0 || second.1 < first.0 {
        return false;
    }
    // All elements of both are multiples of this apart, but for the distance of their beginnings.
    let steps = [one, other].into_iter().flat_map(|layout| {
        let long = layout.shape.iter().zip(&layout.strides).filter(|(length, _)| **length > 1);
        long.map(|(_, stride)| stride.unsigned_abs())
    });
    let step = steps.fold(0, divisor);
    let distance = one.offset.abs_diff(other.offset);
    let may = if step == 0 { distance == 0 } else { distance.is_multiple_of(step) };
    may && !are_blocks_apart(one, other, first.0.min(second.0))
}

/// Whether both are blocks of one array that has all their strides, such as some of its rows or columns, and have no index in common. `origin`
/// is the first place of both.
fn are_blocks_apart(one: &Layout, other: &Layout, origin: isize) -> bool {
    let blocks = [one, other].map(|layout| {
        let start = range(layout).map_or(origin, |(first, _)| first);
        let axes = layout.shape.iter().zip(&layout.strides).filter(|(length, stride)| **length > 1 && **stride != 0);
        let axes: Vec<(usize, usize)> = axes.map(|(&length, stride)| (stride.unsigned_abs(), length)).collect();
        ((start - origin).unsigned_abs(), axes)
    });
    let mut strides: Vec<usize> = blocks.iter().flat_map(|(_, axes)| axes.iter().map(|(stride, _)| *stride)).collect();
    strides.sort_unstable();
    strides.dedup();
    let (mut starts, mut is_apart) = (blocks.each_ref().map(|(start, _)| *start), false);
    // How far the indices along the axis are from the first one, from the longest stride on; and then what is left of the places.
    let mut ends = Vec::with_capacity(strides.len());
    for &stride in strides.iter().rev() {
        let firsts = starts.map(|start| start / stride);
        starts = starts.map(|start| start % stride);
        let mut lasts = firsts;
        for (last, (_, axes)) in lasts.iter_mut().zip(&blocks) {
            let mut along = axes.iter().filter(|(own, _)| *own == stride);
            *last += along.next().map_or(0, |(_, length)| length - 1);
            if along.next().is_some() {
                return false;
            }
        }
        is_apart |= lasts[0] < firsts[1] || lasts[1] < firsts[0];
        ends.push(lasts[0].max(lasts[1]));
    }
    // Places have one index each if shorter strides do not reach the next index of a longer one.
    let mut reach = starts[0].max(starts[1]);
    let is_one = strides.iter().zip(ends.iter().rev()).all(|(&stride, &end)| {
        let is_within = reach < stride;
        reach += end * stride;
        is_within
    });
    is_one && (is_apart || starts[0] != starts[1])
}

/// The first and the last place in memory; none without elements.
fn range(layout: &Layout) -> Option<(isize, isize)> {
    let (mut first, mut last) = (layout.offset as isize, layout.offset as isize);
    for (&length, &stride) in layout.shape.iter().zip(&layout.strides) {
        let reach = stride * (length.checked_sub(1)? as isize);
        if reach < 0 { first += reach } else { last += reach }
    }
    Some((first, last))
}

/// The greatest common divisor.
fn divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(offset: usize, shape: &[usize], strides: &[isize]) -> Layout {
        Layout { shape: shape.to_vec(), strides: strides.to_vec(), offset }
    }

    #[test]
    fn parts_of_an_allocation() {
        let overlap = |one: &Layout, other: &Layout| {
            assert_eq!(layouts_may_overlap(one, other), layouts_may_overlap(other, one));
            layouts_may_overlap(one, other)
        };
        let (low, high, middle) = (layout(0, &[5], &[1]), layout(5, &[5], &[1]), layout(3, &[4], &[1]));
        assert!(!overlap(&low, &high) && overlap(&low, &middle) && overlap(&middle, &high) && overlap(&low, &low));
        let (even, odd) = (layout(0, &[5], &[2]), layout(1, &[5], &[2]));
        assert!(!overlap(&even, &odd) && overlap(&even, &even));
        let (rows, column) = (layout(0, &[2, 3], &[3, 1]), layout(1, &[2], &[3]));
        assert!(overlap(&rows, &column) && !overlap(&layout(0, &[2], &[3]), &column));
        assert!(!overlap(&layout(0, &[0], &[1]), &low));
        assert!(overlap(&layout(4, &[5], &[-1]), &low) && !overlap(&layout(9, &[5], &[-1]), &low));
        assert!(
            overlap(&layout(2, &[1], &[7]), &layout(2, &[], &[]))
                && !overlap(&layout(2, &[], &[]), &layout(3, &[], &[]))
        );
    }

    #[test]
    fn blocks_of_an_array() {
        let (left, right) = (layout(0, &[4, 3], &[6, 1]), layout(3, &[4, 3], &[6, 1]));
        assert!(!layouts_may_overlap(&left, &right) && layouts_may_overlap(&left, &layout(2, &[4, 3], &[6, 1])));
        assert!(!layouts_may_overlap(&layout(5, &[4, 3], &[6, -1]), &left));
        assert!(layouts_may_overlap(&left, &layout(0, &[4, 4], &[5, 1])));
    }

    #[test]
    fn arrays_that_are_said_to_be_apart_are() {
        let places = |layout: &Layout| -> Vec<isize> {
            let axes = layout.shape.iter().zip(&layout.strides);
            axes.fold(vec![layout.offset as isize], |places, (&length, &stride)| {
                places.iter().flat_map(|place| (0..length as isize).map(move |index| place + index * stride)).collect()
            })
        };
        let mut state = 20_261_130_u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        let mut apart = 0;
        for _ in 0..200_000 {
            let [one, other] = [0, 1].map(|_| {
                let shape: Vec<usize> = (0..next(4)).map(|_| 1 + next(4) as usize).collect();
                let strides: Vec<isize> =
                    shape.iter().map(|_| [1, 2, 3, 4, 6, 12, -1, -6, 0, 5][next(10) as usize]).collect();
                layout(60 + next(20) as usize, &shape, &strides)
            });
            let has_common = places(&one).iter().any(|place| places(&other).contains(place));
            let may = layouts_may_overlap(&one, &other);
            assert!(may || !has_common, "{one:?} {other:?}");
            apart += usize::from(!may);
        }
        assert!(apart > 50_000, "only {apart}");
    }
}
