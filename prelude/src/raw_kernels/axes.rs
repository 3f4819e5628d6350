//! The axes of arrays that a generated kernel walks over, joined where their strides allow it, as it is given them.

use crate::backend::Layout;

/// Axes that a kernel takes, after joining.
pub(super) const MOST: usize = 8;

/// An axis, and the stride of each array along it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub length: usize,
    pub strides: Vec<isize>,
}

/// The axes `numbers` of layouts of one shape, from the innermost outwards, without those of length 1, and with neighbours
/// joined where all layouts allow it.
pub(super) fn joined(layouts: &[&Layout], numbers: impl DoubleEndedIterator<Item = usize>) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
    let Some(first) = layouts.first() else { return axes };
    for number in numbers.rev() {
        let length = first.shape[number];
        if length == 1 {
            continue;
        }
        let strides: Vec<isize> = layouts.iter().map(|layout| layout.strides[number]).collect();
        match axes.last_mut() {
            Some(inner)
                if strides
                    .iter()
                    .zip(&inner.strides)
                    .all(|(&outer, &within)| outer == within * inner.length as isize) =>
            {
                inner.length *= length;
            }
            _ => axes.push(Axis { length, strides }),
        }
    }
    axes
}

/// `warpcell_axes` in generated programs: the rank, the lengths, and the strides of each of `arrays` arrays.
pub(super) fn passed(axes: &[Axis], arrays: usize) -> Vec<i64> {
    let mut words = vec![0; 1 + MOST * (1 + arrays)];
    words[0] = axes.len() as i64;
    for (number, axis) in axes.iter().enumerate() {
        words[1 + number] = axis.length as i64;
        for (array, &stride) in axis.strides.iter().enumerate() {
            words[1 + MOST * (1 + array) + number] = stride as i64;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(shape: &[usize], strides: &[isize]) -> Layout {
        Layout { shape: shape.to_vec(), strides: strides.to_vec(), offset: 3 }
    }

    #[test]
    fn axes_are_joined_where_all_arrays_allow_it() {
        let (whole, row) = (Layout::contiguous(&[4, 1, 5, 6]), layout(&[4, 1, 5, 6], &[0, 0, 6, 1]));
        assert_eq!(joined(&[&whole], 0..4), [Axis { length: 120, strides: vec![1] }]);
        let both = joined(&[&whole, &row], 0..4);
        assert_eq!(both, [Axis { length: 30, strides: vec![1, 1] }, Axis { length: 4, strides: vec![30, 0] }]);
        assert_eq!(joined(&[&whole], [0, 3].into_iter()).len(), 2, "some of the axes");
        assert!(joined(&[&Layout::contiguous(&[])], 0..0).is_empty());
        let words = passed(&both, 2);
        assert_eq!(
            (words.len(), words[0], &words[1..3], &words[9..11], &words[17..19]),
            (25, 2, &[30, 4][..], &[1, 30][..], &[1, 0][..])
        );
    }
}
