//! Walking several layouts of one shape at once, in runs along one axis.

use std::ops::Range;
use warpcell_base::backend::Layout;

/// The common shape of some operands with as few axes as possible, and their strides.
pub(super) struct Runs {
    /// Lengths of the outer axes.
    outer: Vec<usize>,
    /// Per operand: strides of the outer axes.
    outer_strides: Vec<Vec<isize>>,
    /// The length of the innermost axis.
    pub inner: usize,
    /// Per operand: the stride along the innermost axis.
    pub inner_strides: Vec<isize>,
}

impl Runs {
    /// Plans for layouts of one shape. The first one's strides decide the order of the axes, so that it is walked as
    /// it lies in memory; indices are visited in that order, not always in row-major order.
    pub fn new(layouts: &[&Layout]) -> Runs {
        let shape = &layouts[0].shape;
        let mut order: Vec<usize> = (0..shape.len()).filter(|&axis| shape[axis] != 1).collect();
        order.sort_by_key(|&axis| std::cmp::Reverse(layouts[0].strides[axis].unsigned_abs()));
        Runs::in_order(layouts, &order)
    }

    /// Plans for layouts of one shape, with the axes in row-major order.
    pub fn row_major(layouts: &[&Layout]) -> Runs {
        let shape = &layouts[0].shape;
        let order: Vec<usize> = (0..shape.len()).filter(|&axis| shape[axis] != 1).collect();
        Runs::in_order(layouts, &order)
    }

    fn in_order(layouts: &[&Layout], order: &[usize]) -> Runs {
        // Merge each axis with the one outside it where all operands step from the end of one row to the next.
        let mut lengths: Vec<usize> = Vec::new();
        let mut strides: Vec<Vec<isize>> = vec![Vec::new(); layouts.len()];
        for &axis in order {
            let length = layouts[0].shape[axis];
            let merges = !lengths.is_empty()
                && layouts.iter().zip(&strides).all(|(layout, strides)| {
                    strides.last().is_some_and(|&outer| outer == layout.strides[axis] * length as isize)
                });
            if merges {
                *lengths.last_mut().expect("not empty") *= length;
                for (layout, strides) in layouts.iter().zip(&mut strides) {
                    *strides.last_mut().expect("not empty") = layout.strides[axis];
                }
            } else {
                lengths.push(length);
                for (layout, strides) in layouts.iter().zip(&mut strides) {
                    strides.push(layout.strides[axis]);
                }
            }
        }
        let inner = lengths.pop().unwrap_or(1);
        let inner_strides = strides.iter_mut().map(|strides| strides.pop().unwrap_or(1)).collect();
        Runs { outer: lengths, outer_strides: strides, inner, inner_strides }
    }

    /// Makes one run of the two inner axes where runs are short and the first operand's elements follow one another along both: a
    /// run costs as much as some ten elements. The other operands' strides along them, and the length of the inner one.
    ///
    /// Of the other operands, `visit` then gives the distance of the first element along both axes.
    pub fn join_short(&mut self) -> Option<(usize, Vec<[isize; 2]>)> {
        const SHORT: usize = 32;
        let columns = self.inner;
        let is_dense = self.outer_strides[0].last() == Some(&(columns as isize)) && self.inner_strides[0] == 1;
        if columns >= SHORT || !is_dense {
            return None;
        }
        self.inner *= self.outer.pop()?;
        let outer = self.outer_strides.iter_mut().map(|strides| strides.pop().expect("as many as outer axes"));
        let steps = outer.zip(&mut self.inner_strides).map(|(outer, inner)| [outer, std::mem::take(inner)]).collect();
        self.inner_strides[0] = 1;
        Some((columns, steps))
    }

    /// The number of indices.
    pub fn total(&self) -> usize {
        self.outer.iter().product::<usize>() * self.inner
    }

    /// Calls `each` for each index in `range` (counted in the order of visits), with its number and the first operand's distance from
    /// its element of index zero.
    pub fn each(&self, range: Range<usize>, mut each: impl FnMut(usize, isize)) {
        let mut number = range.start;
        self.visit(range, &mut |offsets, length| {
            for index in 0..length as isize {
                each(number, offsets[0] + index * self.inner_strides[0]);
                number += 1;
            }
        });
    }

    /// Calls `visit` for each run that the indices in `range` (counted in the order of visits) consist of, with each
    /// operand's distance from its element of index zero, and the length.
    pub fn visit(&self, range: Range<usize>, visit: &mut dyn FnMut(&[isize], usize)) {
        let mut position = range.start;
        let mut row = position / self.inner;
        let mut column = position % self.inner;
        let mut index = vec![0usize; self.outer.len()];
        for (index, &length) in index.iter_mut().zip(&self.outer).rev() {
            *index = row % length;
            row /= length;
        }
        let mut bases: Vec<isize> = self
            .outer_strides
            .iter()
            .map(|strides| strides.iter().zip(&index).map(|(&stride, &index)| stride * index as isize).sum())
            .collect();
        let mut offsets = bases.clone();
        while position < range.end {
            let length = (self.inner - column).min(range.end - position);
            for ((offset, &base), &stride) in offsets.iter_mut().zip(&bases).zip(&self.inner_strides) {
                *offset = base + stride * column as isize;
            }
            visit(&offsets, length);
            position += length;
            column = 0;
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                let wraps = index[axis] == self.outer[axis];
                let steps = if wraps { 1 - self.outer[axis] as isize } else { 1 };
                for (base, strides) in bases.iter_mut().zip(&self.outer_strides) {
                    *base += steps * strides[axis];
                }
                if !wraps {
                    break;
                }
                index[axis] = 0;
            }
        }
    }
}
