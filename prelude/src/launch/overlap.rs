//! Whether arrays have elements in common.

use crate::array::RawArray;
use crate::backend::Layout;

/// Whether two arrays may have an element in common. Exact for arrays of two allocations, for parts that lie behind one another, and
/// for such as lie between one another by their strides, such as two columns; else it may say so where they have none.
pub(super) fn may_overlap(one: &RawArray, other: &RawArray) -> bool {
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
    if step == 0 { distance == 0 } else { distance.is_multiple_of(step) }
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
}
