//! Choosing elements by bools and by indices, against the references.

use super::check::{Array, Check, UNTOUCHED};
use super::reference::*;
use crate::backend::{Layout, Operand, View};
use crate::dtype::{DType, Scalar};

/// The exact comparison of `Check::expect`.
const EXACT: (f64, &[f64]) = (0.0, &[]);

impl Check {
    pub(super) fn selects(&mut self) {
        for dtype in DType::ALL {
            for shape in [vec![], vec![0], vec![1], vec![1003], vec![33, 65], vec![2; 10], vec![3, 1, 4, 5]] {
                for number in 0..5 {
                    let pick = |of: usize| layouts(&shape).swap_remove(of % 5);
                    let (c, x, y) = (pick(number * 2 + 1), pick(number), pick(number * 3));
                    let condition = self.array(DType::Bool, c.0, c.1, 71, false);
                    let (a, b) = (self.array(dtype, x.0, x.1, 72, true), self.array(dtype, y.0, y.1, 73, true));
                    let one = values(dtype, 1, 74, false)[0];
                    let chosen = |a: &dyn Fn(usize) -> Scalar, b: &dyn Fn(usize) -> Scalar| -> Vec<Scalar> {
                        let flags = condition.elements().into_iter().enumerate();
                        flags.map(|(at, flag)| if flag == Scalar::Bool(true) { a(at) } else { b(at) }).collect()
                    };
                    let (of_a, of_b) = (a.elements(), b.elements());
                    let both = chosen(&|at| of_a[at], &|at| of_b[at]);
                    self.expect("select", dtype, pick(number + 2), &both, EXACT, |backend, out| {
                        backend.where_(condition.view(), Operand::Array(a.view()), Operand::Array(b.view()), out)
                    });
                    let left = chosen(&|at| of_a[at], &|_| one);
                    self.expect("select", dtype, pick(number), &left, EXACT, |backend, out| {
                        backend.where_(condition.view(), Operand::Array(a.view()), Operand::Scalar(one), out)
                    });
                    let right = chosen(&|_| one, &|at| of_b[at]);
                    self.expect("select", dtype, pick(number + 1), &right, EXACT, |backend, out| {
                        backend.where_(condition.view(), Operand::Scalar(one), Operand::Array(b.view()), out)
                    });
                    // Into an operand.
                    let into = self.array(dtype, pick(number).0, pick(number).1, 72, true);
                    let backend = self.backend.clone();
                    backend
                        .where_(condition.view(), Operand::Scalar(one), Operand::Array(into.view()), into.view())
                        .unwrap();
                    let found = self.elements_now(&into);
                    let expected = chosen(&|_| one, &|at| of_a[at]);
                    let same = found.iter().zip(&expected).all(|(&found, &expected)| agree(found, expected, 0.0, 0.0));
                    self.note(same, &|| format!("select into an operand {dtype} {shape:?} {number}"));
                }
            }
        }
        // Packs.
        for dtype in [DType::U8, DType::F32, DType::F64] {
            let dense = || (Layout::contiguous(&[1 << 20]), 1 << 20);
            let condition = self.array(DType::Bool, dense().0, 1 << 20, 75, false);
            let a = self.array(dtype, dense().0, 1 << 20, 76, false);
            let zero = convert(Scalar::U8(0), dtype);
            let flags = condition.elements().into_iter().zip(a.elements());
            let expected: Vec<Scalar> =
                flags.map(|(flag, a)| if flag == Scalar::Bool(true) { a } else { zero }).collect();
            self.expect("select", dtype, dense(), &expected, EXACT, |backend, out| {
                backend.where_(condition.view(), Operand::Array(a.view()), Operand::Scalar(zero), out)
            });
        }
    }

    /// What is on the device.
    fn elements_now(&self, array: &Array) -> Vec<Scalar> {
        let size = array.dtype.size();
        let mut bytes = vec![0; array.values.len() * size];
        self.backend.download(&array.allocation, 0, &mut bytes).unwrap();
        positions(&array.layout).into_iter().map(|at| from_bytes(array.dtype, &bytes[at * size..])).collect()
    }

    pub(super) fn compressions(&mut self) {
        let sizes = [0usize, 1, 15, 16, 17, 4095, 4096, 4097, 16_384, 16_385, 100_003, (1 << 24) + 5];
        for size in sizes.into_iter().filter(|&size| self.takes(size)).collect::<Vec<_>>() {
            for (density, offset) in [(0u64, 0), (1, 0), (1, 1), (50, 0), (50, 3), (100, 0)] {
                let mut random = Random::new(size as u64 + density);
                let flags = (0..size + offset).map(|_| Scalar::Bool(random.next() % 100 < density)).collect();
                let mask = self.array_of(DType::Bool, Layout { offset, ..Layout::contiguous(&[size]) }, flags);
                let wanted: Vec<usize> =
                    (0..size).filter(|at| mask.values[at + offset] == Scalar::Bool(true)).collect();
                let what = format!("compress {size}, {density} %, from {offset}");
                let expected: Vec<Scalar> = wanted.iter().map(|&at| Scalar::I64(at as i64)).collect();
                self.compression(&what, &mask, None, DType::I64, &expected);
                if size > 1 << 20 {
                    continue;
                }
                for dtype in [DType::Bool, DType::U8, DType::F32, DType::I64] {
                    let shifted = Layout { offset: 1, ..Layout::contiguous(&[size]) };
                    let source = self.array(dtype, shifted, size + 1, 77, false);
                    let expected: Vec<Scalar> = wanted.iter().map(|&at| source.values[at + 1]).collect();
                    self.compression(&what, &mask, Some(source.view()), dtype, &expected);
                }
            }
        }
    }

    fn compression(&mut self, what: &str, mask: &Array, source: Option<View<'_>>, dtype: DType, expected: &[Scalar]) {
        let (allocation, count) = match self.backend.compress(mask.view(), source) {
            Ok(found) => found,
            Err(error) => return self.note(false, &|| format!("{what} of {dtype}: {error}")),
        };
        let mut bytes = vec![0; count * dtype.size()];
        self.backend.download(&allocation, 0, &mut bytes).unwrap();
        let same = count == expected.len() && bytes == to_bytes(expected);
        self.note(same, &|| format!("{what} of {dtype}: {count} instead of {}, or others", expected.len()));
    }

    /// Indices of a shape; with `shared`, along `axis` only.
    fn indices(&self, dtype: DType, shape: &[usize], axis: usize, length: usize, shared: bool) -> Array {
        let mut random = Random::new(78);
        let mut layout = Layout::contiguous(shape);
        if shared {
            layout.strides.fill(0);
            layout.strides[axis] = 1;
        }
        let count = if shared { shape[axis] } else { layout.size() };
        let is_signed = matches!(dtype, DType::I32 | DType::I64);
        let values = (0..count)
            .map(|_| {
                let place = (random.next() % length as u64) as i64;
                let from_the_end = is_signed && random.next().is_multiple_of(2);
                convert(Scalar::I64(if from_the_end { place - length as i64 } else { place }), dtype)
            })
            .collect();
        self.array_of(dtype, layout, values)
    }

    pub(super) fn gathers(&mut self) {
        let shapes: [&[usize]; 8] = [&[1], &[1003], &[7, 64], &[64, 7], &[5, 6, 16], &[5, 6, 3], &[2; 10], &[3000, 33]];
        for (shape, axis) in shapes.into_iter().flat_map(|shape| (0..shape.len()).map(move |axis| (shape, axis))) {
            for (number, dtype) in DType::ALL.into_iter().enumerate() {
                let index = [DType::I32, DType::U32, DType::I64, DType::U64][number % 4];
                for (count, shared) in [(1, true), (4, true), (1500, true), (5, false)] {
                    if shape.len() > 3 && count > 5 {
                        continue;
                    }
                    let mut wide = shape.to_vec();
                    wide[axis] = count;
                    if !self.takes(wide.iter().product()) {
                        continue;
                    }
                    let indices = self.indices(index, &wide, axis, shape[axis], shared);
                    for (layout, elements) in layouts(shape) {
                        let source = self.array(dtype, layout, elements, 79, true);
                        let expected: Vec<Scalar> = places(&wide, axis, &source.layout, &indices.elements())
                            .into_iter()
                            .map(|at| source.values[at])
                            .collect();
                        let out = (Layout::contiguous(&wide), wide.iter().product());
                        let what = format!("gather {shape:?} along {axis} by {count} {index}, shared: {shared}");
                        self.expect(&what, dtype, out.clone(), &expected, EXACT, |backend, out| {
                            backend.gather(source.view(), axis, indices.view(), out)
                        });
                        if index != DType::U64 {
                            self.expect(&what, dtype, out, &expected, EXACT, |backend, out| {
                                let are_in = backend.gather_checked(source.view(), axis, indices.view(), out)?;
                                assert_eq!(are_in, Some(true));
                                Ok(())
                            });
                        }
                    }
                }
            }
        }
    }

    pub(super) fn scatters(&mut self) {
        let shapes: [&[usize]; 8] = [&[1], &[1003], &[7, 64], &[64, 7], &[5, 6, 16], &[5, 6, 3], &[2; 10], &[100_000]];
        for (shape, axis) in shapes.into_iter().flat_map(|shape| (0..shape.len()).map(move |axis| (shape, axis))) {
            for (number, dtype) in DType::ALL.into_iter().enumerate() {
                let index = [DType::I32, DType::U32, DType::I64, DType::U64][number % 4];
                for (count, shared) in [(1, true), (4, true), (1500, true), (70_000, true), (5, false)] {
                    if (shape.len() > 3 && count > 5) || (shape.len() > 1 && count > 2000) {
                        continue;
                    }
                    let mut wide = shape.to_vec();
                    wide[axis] = count;
                    if !self.takes(wide.iter().product::<usize>().max(shape.iter().product())) {
                        continue;
                    }
                    let indices = self.indices(index, &wide, axis, shape[axis], shared);
                    for (turn, (layout, elements)) in layouts(shape).into_iter().enumerate() {
                        let (value_layout, value_elements) = layouts(&wide).swap_remove((turn + 2) % 5);
                        let source = self.array(dtype, value_layout, value_elements, 80, true);
                        let one = values(dtype, 1, 81, false)[0];
                        // What is not written keeps what `expect` has put there; of repeated indices the last stays.
                        let dense = Layout::contiguous(shape);
                        let (mut all, mut same) = (vec![from_bytes(dtype, &[UNTOUCHED; 16]); dense.size()], Vec::new());
                        same.clone_from(&all);
                        let at = places(&wide, axis, &dense, &indices.elements());
                        for (at, value) in at.into_iter().zip(source.elements()) {
                            (all[at], same[at]) = (value, one);
                        }
                        let what = format!("scatter {shape:?} along {axis} by {count} {index}, shared: {shared}");
                        self.expect(&what, dtype, (layout.clone(), elements), &all, EXACT, |backend, out| {
                            backend.scatter(Operand::Array(source.view()), axis, indices.view(), out)
                        });
                        self.expect(&what, dtype, (layout, elements), &same, EXACT, |backend, out| {
                            backend.scatter(Operand::Scalar(one), axis, indices.view(), out)
                        });
                    }
                }
            }
        }
    }
}

/// The positions in an allocation to which indices of a shape along an axis lead, in row-major order.
fn places(shape: &[usize], axis: usize, layout: &Layout, indices: &[Scalar]) -> Vec<usize> {
    let mut base = Layout { shape: shape.to_vec(), ..layout.clone() };
    let (length, step) = (layout.shape[axis] as i128, base.strides[axis]);
    base.strides[axis] = 0;
    let starts = positions(&base).into_iter().zip(indices);
    starts
        .map(|(start, &index)| start.checked_add_signed(integer(index).rem_euclid(length) as isize * step).unwrap())
        .collect()
}
