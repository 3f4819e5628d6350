//! Sorting, searching and counting, against the standard library and obvious loops.

use super::check::{Array, Check};
use super::reference::{Random, agree, convert, float, from_bytes, integer, values};
use crate::backend::{Allocation, Backend, Layout, Span, View};
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use std::cmp::Ordering;
use std::sync::Arc;

#[test]
fn cpu_check_sorting() {
    every_order(Check::on_cpu());
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_check_sorting() {
    every_order(Check::on_first_device());
}

fn every_order(mut check: Check) {
    check.rows();
    check.keys_with_equal_digits();
    check.searches();
    check.runs();
    check.bins();
    check.finish();
}

#[test]
fn cpu_check_long_sorts() {
    let mut check = Check::on_cpu();
    check.keys_with_equal_highest_digits();
    check.finish();
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_check_long_sorts() {
    let mut check = Check::on_first_device();
    check.keys_with_equal_highest_digits();
    check.finish();
}

/// Each kernel of the sorts with every element type, on little: race checkers take minutes for what `gpu_check_sorting` does.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_races_of_sorting() {
    let mut check = Check::on_first_device();
    for dtype in DType::COMPUTED {
        for (rows, length) in [(3, 100), (2, 2048), (2, 2049), (1, 20_000)] {
            check.sorted(dtype, rows, &values(dtype, rows * length, length as u64, true), "random");
        }
    }
    check.finish();
}

/// NumPy's order: NaN last.
fn order(a: &Scalar, b: &Scalar) -> Ordering {
    match (*a, *b) {
        (Scalar::F32(_) | Scalar::F64(_), _) => {
            let (a, b) = (float(*a), float(*b));
            a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        }
        (a, b) => integer(a).cmp(&integer(b)),
    }
}

impl Check {
    /// A contiguous array, one element into its allocation.
    fn shifted(&self, dtype: DType, shape: &[usize], values: &[Scalar]) -> Array {
        let values = [&values[..values.len().min(1)], values].concat();
        let padding = if values.is_empty() { vec![Scalar::zero(dtype)] } else { Vec::new() };
        self.array_of(dtype, Layout { offset: 1, ..Layout::contiguous(shape) }, [values, padding].concat())
    }

    /// Compares what `work` writes to an array of this shape, and whether it leaves alone what is before and behind.
    fn exactly(
        &mut self,
        what: &str,
        dtype: DType,
        shape: &[usize],
        expected: &[Scalar],
        work: impl FnOnce(&dyn Backend, View<'_>) -> Result<()>,
    ) {
        let out = (Layout { offset: 1, ..Layout::contiguous(shape) }, expected.len() + 2);
        self.expect(what, dtype, out, expected, (0.0, &[]), work);
    }

    fn sorted(&mut self, dtype: DType, rows: usize, values: &[Scalar], what: &str) {
        let length = values.len() / rows;
        let shape = [rows, length];
        let x = self.shifted(dtype, &shape, values);
        let (mut elements, mut positions) = (Vec::new(), Vec::new());
        for row in values.chunks(length) {
            let mut order: Vec<usize> = (0..length).collect();
            order.sort_by(|&i, &j| self::order(&row[i], &row[j]));
            elements.extend(order.iter().map(|&position| row[position]));
            positions.extend(order.iter().map(|&position| Scalar::I64(position as i64)));
        }
        let what = format!("sort of {rows} rows of {length} {dtype}, {what}");
        self.exactly(&what, dtype, &shape, &elements, |backend, out| backend.sort(x.view(), None, out));
        if self.backend.selects(rows, length) {
            let places = [length / 3, length / 3 + 1, length - 1];
            let selected: Vec<Scalar> =
                elements.chunks(length).flat_map(|row| places.map(|place| row[place])).collect();
            let what = format!("places of the {what}");
            self.exactly(&what, dtype, &[rows, 3], &selected, |backend, out| backend.select(x.view(), places, out));
        }
        let what = format!("arg{what}");
        self.exactly(&what, DType::I64, &shape, &positions, |backend, out| backend.argsort(x.view(), out));
    }

    fn rows(&mut self) {
        let shapes = [
            (1, 1),
            (5000, 1),
            (1, 2),
            (1000, 3),
            (777, 31),
            (64, 32),
            (64, 33),
            (50, 1000),
            (7, 2047),
            (7, 2048),
            (7, 2049),
            (1, 4096),
            (1, 4097),
            (1, 8191),
            (1, 8192),
            (3, 8193),
            (300, 5000),
            (20, 20_000),
            (1, 100_003),
            (2, 300_001),
            (1, (1 << 21) + 5),
        ];
        for dtype in DType::COMPUTED {
            for (rows, length) in
                shapes.into_iter().filter(|(rows, length)| self.takes(rows * length / 2)).collect::<Vec<_>>()
            {
                let values = values(dtype, rows * length, (rows * 31 + length) as u64, true);
                self.sorted(dtype, rows, &values, "random");
            }
        }
    }

    fn keys_with_equal_digits(&mut self) {
        let mut random = Random::new(41);
        for length in [2000, 100_000, 1_000_000] {
            if !self.takes(length / 20) {
                continue;
            }
            self.sorted(DType::I32, 1, &vec![Scalar::I32(-7); length], "one value");
            self.sorted(DType::F64, 1, &vec![Scalar::F64(f64::NAN); length], "NaN");
            let ascending: Vec<Scalar> = (0..length as u32).map(Scalar::U32).collect();
            self.sorted(DType::U32, 1, &ascending, "ascending");
            let descending: Vec<Scalar> = (0..length as u64).rev().map(Scalar::U64).collect();
            self.sorted(DType::U64, 1, &descending, "descending");
            for shift in [0, 8, 16, 24] {
                let few: Vec<Scalar> = (0..length).map(|_| Scalar::U32((random.next() as u32 % 5) << shift)).collect();
                self.sorted(DType::U32, 1, &few, "five values");
            }
            let uniform: Vec<Scalar> = (0..length).map(|_| Scalar::F32(random.unit() as f32)).collect();
            self.sorted(DType::F32, 1, &uniform, "uniform");
        }
    }

    /// Long rows of keys of eight bytes are sorted by their highest digits at first: of keys that agree in those there are few, many, or as
    /// many as are put right one by one, or one more.
    fn keys_with_equal_highest_digits(&mut self) {
        let length = if self.takes(1 << 20) { (1 << 20) + 7 } else { 20_007 };
        let mut random = Random::new(43);
        let mut real = |number: &mut dyn FnMut(&mut Random, usize) -> f64| -> Vec<Scalar> {
            (0..length).map(|i| Scalar::F64(number(&mut random, i))).collect()
        };
        let uniform = real(&mut |random, _| random.unit());
        let clustered =
            real(&mut |random, i| random.unit() * if i % 2 == 0 { 1.0 } else { 1e-6 } + (i % 2) as f64 * 1e6);
        let few = real(&mut |random, _| (random.next() % 1000) as f64 / 7.0);
        let negative = real(&mut |random, i| if i % 3 == 0 { -0.0 } else { -random.unit().powi(9) });
        self.sorted(DType::F64, 1, &uniform, "uniform");
        self.sorted(DType::F64, 1, &clustered, "in two clusters");
        self.sorted(DType::F64, 4, &[&uniform[..], &clustered, &few, &negative].concat(), "some in clusters");
        for run in [2, 15, 16, 17, 18, 500] {
            // Runs of as many keys that have the high half in common, at places far from one another.
            let halves: Vec<u64> = (0..length / run + 1).map(|_| random.next() >> 32 << 32).collect();
            let of_runs = |low: &mut dyn FnMut(usize) -> u64| -> Vec<Scalar> {
                (0..length).map(|i| Scalar::U64(halves[i % halves.len()] | low(i))).collect()
            };
            let descending = of_runs(&mut |i| (length - i) as u64);
            let at_random = of_runs(&mut |_| random.next() >> 32);
            self.sorted(DType::U64, 1, &descending, &format!("runs of {run} that descend"));
            self.sorted(DType::U64, 1, &at_random, &format!("runs of {run}"));
        }
        // Runs whose keys are all equal need nothing, however long they are.
        let equal: Vec<Scalar> =
            (0..length).map(|i| Scalar::I64(((i as i64 % 3 - 1) << 40) | (i as i64 % 3))).collect();
        self.sorted(DType::I64, 1, &equal, "three values");
    }

    fn searches(&mut self) {
        for dtype in DType::COMPUTED {
            for (length, count) in [(0, 3), (1, 300), (2, 1), (1000, 5000), (100_003, 70_001)] {
                if !self.takes(length) {
                    continue;
                }
                let mut sorted = values(dtype, length, 51, true);
                sorted.sort_by(order);
                let wanted = values(dtype, count, 52, true);
                let (a, b) = (self.shifted(dtype, &[length], &sorted), self.shifted(dtype, &[count], &wanted));
                for right in [false, true] {
                    let position = |value: &Scalar| {
                        let found = sorted.partition_point(|element| {
                            let order = order(element, value);
                            order.is_lt() || (right && order.is_eq())
                        });
                        Scalar::I64(found as i64)
                    };
                    let expected: Vec<Scalar> = wanted.iter().map(position).collect();
                    let what = format!("{count} {dtype} among {length}, right: {right}");
                    self.exactly(&what, DType::I64, &[count], &expected, |backend, out| {
                        backend.search_sorted(a.view(), b.view(), right, out)
                    });
                    let is_there = |value: &Scalar| {
                        let place = sorted.partition_point(|element| order(element, value).is_lt());
                        let found = sorted.get(place).is_some_and(|element| element == value);
                        Scalar::Bool(found != right)
                    };
                    let expected: Vec<Scalar> = wanted.iter().map(is_there).collect();
                    let what = format!("which of {count} {dtype} are among {length}, inverted: {right}");
                    self.exactly(&what, DType::Bool, &[count], &expected, |backend, out| {
                        backend.contains(a.view(), b.view(), right, out)
                    });
                }
            }
        }
    }

    fn runs(&mut self) {
        for dtype in DType::COMPUTED {
            for length in [1, 2, 255, 4095, 4096, 4097, 300_001] {
                if !self.takes(length) {
                    continue;
                }
                for distinct in [1, 3, 100_000] {
                    let mut random = Random::new(length as u64 + distinct);
                    let one = |_| match random.next() % distinct {
                        2 if dtype.is_float() => convert(Scalar::F64(f64::NAN), dtype),
                        number => convert(Scalar::U64(number), dtype),
                    };
                    let mut sorted: Vec<Scalar> = (0..length).map(one).collect();
                    sorted.sort_by(order);
                    let begins = |&index: &usize| index == 0 || order(&sorted[index - 1], &sorted[index]).is_ne();
                    let mut starts: Vec<usize> = (0..length).filter(begins).collect();
                    let elements: Vec<Scalar> = starts.iter().map(|&start| sorted[start]).collect();
                    starts.push(length);
                    let x = self.shifted(dtype, &[length], &sorted);
                    let found = self.backend.unique(x.view()).unwrap();
                    let read = |allocation: &Arc<dyn Allocation>, dtype: DType, count: usize| -> Vec<Scalar> {
                        let mut bytes = vec![0; count * dtype.size()];
                        self.backend.download(allocation, 0, &mut bytes).unwrap();
                        bytes.chunks(dtype.size()).map(|bytes| from_bytes(dtype, bytes)).collect()
                    };
                    let ok = found.count == elements.len() && {
                        let values = read(&found.elements, dtype, found.count);
                        let places = read(&found.starts, DType::I64, found.count + 1);
                        values.iter().zip(&elements).all(|(&a, &b)| agree(a, b, 0.0, 0.0))
                            && places.iter().zip(&starts).all(|(&a, &b)| a == Scalar::I64(b as i64))
                    };
                    let count = found.count;
                    self.note(ok, &|| format!("runs of {length} {dtype}: {count} instead of {}", elements.len()));
                }
            }
        }
    }

    fn bins(&mut self) {
        for (size, bins) in
            [(1, 1), (1000, 3), (300_000, 7), (300_000, 1000), (300_000, 5000), (300_000, 50_000), (1_100_000, 20_000)]
        {
            if !self.takes(size) {
                continue;
            }
            let mut random = Random::new(bins as u64);
            for dtype in [DType::Bool, DType::U8, DType::I32, DType::U32, DType::I64, DType::U64] {
                let most = match dtype {
                    DType::Bool => bins.min(2),
                    DType::U8 => bins.min(256),
                    _ => bins,
                };
                let numbers: Vec<usize> = (0..size).map(|_| random.next() as usize % most).collect();
                let values: Vec<Scalar> = numbers.iter().map(|&n| convert(Scalar::U64(n as u64), dtype)).collect();
                let weights: Vec<f64> = (0..size).map(|_| (random.next() % 64) as f64 / 8.0).collect();
                let (mut counts, mut sums) = (vec![0i64; bins], vec![0.0; bins]);
                for (&number, weight) in numbers.iter().zip(&weights) {
                    counts[number] += 1;
                    sums[number] += weight;
                }
                let x = self.shifted(dtype, &[size], &values);
                let of_weights: Vec<Scalar> = weights.into_iter().map(Scalar::F64).collect();
                let weights = self.shifted(DType::F64, &[size], &of_weights);
                let expected: Vec<Scalar> = counts.into_iter().map(Scalar::I64).collect();
                self.exactly(
                    &format!("{size} {dtype} in {bins} bins"),
                    DType::I64,
                    &[bins],
                    &expected,
                    |backend, out| backend.bincount(x.view(), None, out),
                );
                let expected: Vec<Scalar> = sums.into_iter().map(Scalar::F64).collect();
                let what = format!("{size} weights of {dtype} in {bins} bins");
                self.exactly(&what, DType::F64, &[bins], &expected, |backend, out| {
                    backend.bincount(x.view(), Some(weights.view()), out)
                });
            }
            for dtype in DType::COMPUTED {
                let (first, last) = (-1.1, 7.3);
                let mut edges: Vec<f64> =
                    (0..bins).map(|bin| first + bin as f64 * ((last - first) / bins as f64)).collect();
                edges.push(last);
                let mut values = values(dtype, size, 61, true);
                if dtype == DType::F64 {
                    // On edges and beside them.
                    for (value, number) in values.iter_mut().zip(0..) {
                        let edge = edges[random.next() as usize % edges.len()];
                        *value = match number % 4 {
                            0 => Scalar::F64(edge),
                            1 => Scalar::F64(edge.next_down()),
                            2 => Scalar::F64(edge.next_up()),
                            _ => *value,
                        };
                    }
                }
                let mut counts = vec![0i64; bins];
                for value in values.iter().map(|&value| convert(value, DType::F64)).map(float) {
                    if value >= first && value <= last {
                        counts[(edges.partition_point(|&edge| edge <= value) - 1).min(bins - 1)] += 1;
                    }
                }
                let expected: Vec<Scalar> = counts.into_iter().map(Scalar::I64).collect();
                let of_edges: Vec<Scalar> = edges.iter().map(|&edge| Scalar::F64(edge)).collect();
                let x = self.shifted(dtype, &[size], &values);
                let edges = self.shifted(DType::F64, &[bins + 1], &of_edges);
                for scale in [None, Some(bins as f64 / (last - first))] {
                    let span = Span { first, last, scale };
                    let what = format!("{size} {dtype} between {bins} edges, {scale:?}");
                    self.exactly(&what, DType::I64, &[bins], &expected, |backend, out| {
                        backend.histogram(x.view(), edges.view(), span, out)
                    });
                }
            }
        }
    }
}
