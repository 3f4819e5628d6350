//! Reductions and scans, against the references.

use super::check::{Array, Check};
use super::reference::*;
use crate::backend::{BinaryOperation, Layout, ReduceOperation, ScanOperation, UnaryOperation};
use crate::dtype::{DType, Scalar};

impl Check {
    pub fn reductions(&mut self) {
        use ReduceOperation::{
            All, Any, ArgMax, ArgMin, BitwiseAnd, BitwiseOr, BitwiseXor, CountNonzero, CountNumbers, Max, MaxNumbers,
            Min, MinNumbers,
        };
        use ReduceOperation::{Product, ProductNumbers, SquaredDeviations, Sum, SumNumbers, SumSquares};
        const OF_FLOATS: [ReduceOperation; 8] = [
            SumSquares,
            SquaredDeviations,
            SumNumbers,
            ProductNumbers,
            MaxNumbers,
            MinNumbers,
            CountNumbers,
            CountNonzero,
        ];
        for dtype in DType::COMPUTED {
            let more: &[ReduceOperation] = match dtype {
                DType::Bool => &[All, Any, BitwiseXor],
                DType::F32 | DType::F64 => &OF_FLOATS,
                _ => &[BitwiseAnd, BitwiseOr, BitwiseXor, CountNonzero],
            };
            for &operation in [Sum, Max, Min, Product, ArgMax, ArgMin].iter().chain(more) {
                // Of bools these are any and all.
                if dtype == DType::Bool && matches!(operation, Max | Min) {
                    continue;
                }
                let adds = matches!(operation, Sum | SumSquares | SquaredDeviations | SumNumbers);
                let places = matches!(operation, ArgMax | ArgMin);
                for size in [0usize, 1, 31, 1003, (1 << 20) + 3] {
                    if !self.takes(size) || size == 0 && operation.needs_elements() {
                        continue;
                    }
                    for (layout, elements) in layouts(&[size]) {
                        // In f32, a product of large numbers may be infinite on the way, and not at the end.
                        let may_overflow = self.sums_in_f32() && operation == Product && dtype.is_float();
                        let special = size < 2000 && !adds && !may_overflow;
                        let x = self.array(dtype, layout, elements, 31 + size as u64, special);
                        self.reduction(operation, &x, &[0]);
                    }
                }
                for shape in [vec![5, 7, 9], vec![2, 0, 3]] {
                    for axes in [&[][..], &[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]] {
                        if shape[1] == 0 && (operation.needs_elements() || axes.is_empty()) || places && axes.len() != 1
                        {
                            continue;
                        }
                        for (layout, elements) in layouts(&shape) {
                            let x = self.array(dtype, layout, elements, 32, false);
                            self.reduction(operation, &x, axes);
                        }
                    }
                }
            }
        }
        for dtype in [DType::F32, DType::F64, DType::I32] {
            for shape in [[4097, 33], [33, 4097], [2, 100_000], [100_000, 2], [50_000, 20], [20, 50_000]] {
                let size = shape[0] * shape[1];
                if !self.takes(size / 30) {
                    continue;
                }
                for axis in [0, 1] {
                    let x = self.array(dtype, Layout::contiguous(&shape), size, 33, false);
                    for operation in [Sum, Max, Product, ArgMax, ArgMin] {
                        self.reduction(operation, &x, &[axis]);
                    }
                }
            }
            let x = self.array(dtype, Layout::contiguous(&[6, 50, 7, 40]), 84_000, 34, false);
            for axes in [&[0, 2][..], &[1, 3], &[0, 1, 3]] {
                self.reduction(Sum, &x, axes);
            }
        }
        // Elements that are converted while they are read: to the types that sums and means compute in.
        let converted =
            DType::ALL.into_iter().filter(|dtype| !dtype.is_complex() && !matches!(dtype, DType::F32 | DType::F64));
        let backend = self.backend.clone();
        for dtype in converted.filter(|_| backend.converts_terms()) {
            let of_sums = dtype.compute_type();
            let of_means = if of_sums.is_float() { of_sums } else { DType::F64 };
            let shapes = [&[0][..], &[1], &[17], &[1003], &[100_003], &[5, 7, 9], &[4097, 33], &[33, 4097]];
            for shape in shapes.into_iter().chain([&[3, 20_000][..], &[20_000, 3]]) {
                for (layout, elements) in layouts(shape) {
                    let special = shape == [1003] && !dtype.is_float();
                    let x = self.array(dtype, layout, elements, 40, special);
                    let mut ends = vec![0, shape.len() - 1];
                    ends.dedup();
                    for axis in ends {
                        self.reduction_of(Sum, &x, of_sums, &[axis]);
                        self.reduction_of(Sum, &x, of_means, &[axis]);
                        self.reduction_of(SquaredDeviations, &x, of_means, &[axis]);
                        if shape[0] > 0 {
                            self.squared_distances_of(&x, of_means, &[axis], false);
                        }
                    }
                }
            }
        }
        // NaN and infinities.
        for dtype in [DType::F32, DType::F64] {
            for special in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut values = values(dtype, 5000, 35, false);
                values[4321] = convert(Scalar::F64(special), dtype);
                let x = self.array_of(dtype, Layout::contiguous(&[5000]), values.clone());
                let y = self.array_of(dtype, Layout::contiguous(&[50, 100]), values);
                for operation in [Sum, Max, Min, ArgMax, ArgMin].into_iter().chain(OF_FLOATS) {
                    // The product of so many is 0 in one order and not in another, and then no number or infinite.
                    if operation != ProductNumbers {
                        self.reduction(operation, &x, &[0]);
                    }
                    self.reduction(operation, &y, &[0]);
                    self.reduction(operation, &y, &[1]);
                }
            }
            // Nothing but NaN in a row and in a column.
            let nan = convert(Scalar::F64(f64::NAN), dtype);
            let mut values = values(dtype, 5000, 37, false);
            values[700..800].fill(nan);
            (0..50).for_each(|row| values[row * 100 + 41] = nan);
            let x = self.array_of(dtype, Layout::contiguous(&[50, 100]), values);
            for operation in OF_FLOATS {
                self.reduction(operation, &x, &[0]);
                self.reduction(operation, &x, &[1]);
            }
            for skips_nan in [false, true] {
                for axes in [&[0][..], &[1], &[0, 1]] {
                    self.squared_distances(&x, axes, skips_nan);
                }
                for (layout, elements) in layouts(&[5, 7, 9]) {
                    let x = self.array(dtype, layout, elements, 38, false);
                    for axes in [&[0][..], &[1], &[2], &[0, 2], &[0, 1, 2]] {
                        self.squared_distances(&x, axes, skips_nan);
                    }
                }
                for shape in [[4097, 33], [33, 4097]] {
                    if !self.takes(shape[0] * shape[1] / 30) {
                        continue;
                    }
                    let x = self.array(dtype, Layout::contiguous(&shape), shape[0] * shape[1], 39, false);
                    for axes in [&[0][..], &[1], &[0, 1]] {
                        self.squared_distances(&x, axes, skips_nan);
                    }
                }
            }
        }
        // Far from 0, and with one element far from the others: the first one, and another one. Means in f32 would be too coarse.
        for dtype in [DType::F32, DType::F64] {
            for at in [0, 777] {
                if dtype == DType::F32 && self.sums_in_f32() {
                    continue;
                }
                let mut random = Random::new(41);
                let mut values: Vec<Scalar> =
                    (0..40_000).map(|_| convert(Scalar::F64(1e4 + random.unit()), dtype)).collect();
                values[at] = convert(Scalar::F64(3e4), dtype);
                let whole = self.array_of(dtype, Layout::contiguous(&[40_000]), values.clone());
                self.reduction(SquaredDeviations, &whole, &[0]);
                let matrix = self.array_of(dtype, Layout::contiguous(&[100, 400]), values);
                self.reduction(SquaredDeviations, &matrix, &[0]);
                self.reduction(SquaredDeviations, &matrix, &[1]);
            }
        }
        // The first of many equals, and of several NaNs.
        for dtype in DType::COMPUTED {
            if !self.takes(1 << 20) {
                continue;
            }
            let one = convert(Scalar::U8(1), dtype);
            let mut values = vec![convert(Scalar::U8(0), dtype); 1 << 20];
            let none = self.array_of(dtype, Layout::contiguous(&[1 << 20]), values.clone());
            (values[700_001], values[700_002], values[1_000_000]) = (one, one, one);
            let some = self.array_of(dtype, Layout::contiguous(&[1 << 20]), values.clone());
            let square = Array {
                layout: Layout::contiguous(&[1024, 1024]),
                ..self.array_of(dtype, none.layout.clone(), values)
            };
            for operation in [ArgMax, ArgMin] {
                for x in [&none, &some] {
                    self.reduction(operation, x, &[0]);
                }
                self.reduction(operation, &square, &[0]);
                self.reduction(operation, &square, &[1]);
            }
        }
        for dtype in [DType::F32, DType::F64] {
            if !self.takes(1 << 18) {
                continue;
            }
            let mut values = values(dtype, 1 << 18, 36, false);
            for place in [200_000, 77_777, 77_778] {
                values[place] = convert(Scalar::F64(f64::NAN), dtype);
            }
            let x = self.array_of(dtype, Layout::contiguous(&[1 << 18]), values);
            self.reduction(ArgMax, &x, &[0]);
            self.reduction(ArgMin, &x, &[0]);
        }
        // Sums that lose everything without care: f32 in f32, and f64 without compensation.
        let many = if self.takes(1 << 23) { 1 << 23 } else { 1 << 17 };
        let ones = self.array_of(DType::F32, Layout::contiguous(&[many]), vec![Scalar::F32(0.1); many]);
        self.reduction(Sum, &ones, &[0]);
    }

    /// The shape of what is reduced over axes, and for each output its elements, converted.
    fn groups(x: &Array, terms: DType, axes: &[usize]) -> (Vec<usize>, Vec<Vec<Scalar>>) {
        let kept: Vec<usize> = (0..x.layout.shape.len()).filter(|axis| !axes.contains(axis)).collect();
        let shape: Vec<usize> = kept.iter().map(|&axis| x.layout.shape[axis]).collect();
        let outputs: usize = shape.iter().product();
        // The output's number of each element, in the order of `elements`.
        let numbers = positions(&Layout {
            shape: x.layout.shape.clone(),
            strides: {
                let dense = Layout::contiguous(&shape).strides;
                (0..x.layout.shape.len())
                    .map(|axis| kept.iter().position(|&k| k == axis).map_or(0, |at| dense[at]))
                    .collect()
            },
            offset: 0,
        });
        let mut groups: Vec<Vec<Scalar>> = vec![Vec::new(); outputs];
        for (number, value) in numbers.into_iter().zip(x.elements()) {
            groups[number].push(convert(value, terms));
        }
        (shape, groups)
    }

    fn squared_distances(&mut self, x: &Array, axes: &[usize], skips_nan: bool) {
        self.squared_distances_of(x, x.dtype, axes, skips_nan);
    }

    /// The centre of each output is one of its elements, if there is one.
    fn squared_distances_of(&mut self, x: &Array, terms: DType, axes: &[usize], skips_nan: bool) {
        let (shape, groups) = Self::groups(x, terms, axes);
        let is_nan = |value: Scalar| unary(UnaryOperation::IsNan, value) == Scalar::Bool(true);
        let centre = |group: &Vec<Scalar>| {
            let number = group.iter().copied().find(|&value| !is_nan(value));
            number.unwrap_or_else(|| convert(Scalar::F64(0.5), terms))
        };
        let centres: Vec<Scalar> = groups.iter().map(centre).collect();
        let distances = |(group, &centre): (&Vec<Scalar>, &Scalar)| {
            let counted = group.iter().copied().filter(|&value| !(skips_nan && is_nan(value)));
            let each: Vec<Scalar> = counted.map(|value| binary(BinaryOperation::Subtract, value, centre)).collect();
            reduced(ReduceOperation::SumSquares, terms, &each)
        };
        let (expected, scales): (Vec<Scalar>, Vec<f64>) = groups.iter().zip(&centres).map(distances).unzip();
        let tolerance = match terms {
            DType::F32 if self.sums_in_f32() => 6e-6,
            DType::F32 => 3e-7,
            _ => 1e-15,
        };
        let what = format!("squared distances of {} as {terms} {:?} over {axes:?}", x.dtype, x.layout);
        let centres = self.array_of(terms, Layout::contiguous(&shape), centres);
        let out = (Layout::contiguous(&shape), groups.len());
        self.expect(&what, terms, out, &expected, (tolerance, &scales), |backend, out| {
            backend.squared_distances(x.view(), axes, centres.view(), skips_nan, out)
        });
    }

    fn reduction(&mut self, operation: ReduceOperation, x: &Array, axes: &[usize]) {
        self.reduction_of(operation, x, x.dtype, axes);
    }

    fn reduction_of(&mut self, operation: ReduceOperation, x: &Array, terms: DType, axes: &[usize]) {
        let (shape, groups) = Self::groups(x, terms, axes);
        let outputs = groups.len();
        let result = operation.output(terms);
        let (expected, scales): (Vec<Scalar>, Vec<f64>) =
            groups.iter().map(|group| reduced(operation, terms, group)).unzip();
        let tolerance = match (operation, terms) {
            // Distances are rounded before they are squared, and their squares cancel where the first element is far from the others.
            (ReduceOperation::SquaredDeviations, DType::F64) => 8e-15,
            (ReduceOperation::SquaredDeviations, DType::F32) if !self.sums_in_f32() => 6e-7,
            // Some hundred are added or multiplied one after the other.
            (_, DType::F32) if self.sums_in_f32() => 6e-6,
            (_, DType::F32) => 3e-7,
            // Each factor may add a rounding.
            (ReduceOperation::Product | ReduceOperation::ProductNumbers, _) => {
                1e-15 + 2.3e-16 * (x.layout.size() / outputs.max(1)) as f64
            }
            _ => 1e-15,
        };
        let what = format!("{operation:?} of {} as {terms} {:?} over {axes:?}", x.dtype, x.layout);
        let out = (Layout::contiguous(&shape), outputs);
        self.expect(&what, result, out, &expected, (tolerance, &scales), |backend, out| {
            backend.reduce(operation, x.view(), axes, out)
        });
    }

    pub fn scans(&mut self) {
        let mut shapes: Vec<Vec<usize>> = [0, 1, 2, 7, 16, 17, 31, 33, 500, 513, 2048, 2049, 10_007, (1 << 20) + 3]
            .map(|length| vec![length])
            .to_vec();
        shapes.extend([vec![5, 7, 9], vec![2, 0, 3], vec![40, 600], vec![3, 9000], vec![3, 100_000], vec![100_000, 3]]);
        shapes.extend([vec![4097, 33], vec![70_000, 2], vec![2, 70_000, 3], vec![300, 5, 40], vec![20_000, 17]]);
        for dtype in DType::COMPUTED {
            for shape in &shapes {
                let size = shape.iter().product::<usize>();
                // Arrays without elements never reach a backend; GPUs leave them alone.
                if !self.takes(size / 10) || (size == 0 && !self.takes(usize::MAX)) {
                    continue;
                }
                for (offset, special) in [(0, false), (3, size < 3000)] {
                    let layout = Layout { offset, ..Layout::contiguous(shape) };
                    let x = self.array(dtype, layout, size + offset, 71 + size as u64, special);
                    for axis in 0..shape.len() {
                        self.scan(ScanOperation::Sum, &x, axis);
                        self.scan(ScanOperation::Product, &x, axis);
                    }
                }
            }
        }
        // Of factors near 1, so that products stay finite over all parts of a long line.
        for dtype in [DType::F32, DType::F64] {
            let mut random = Random::new(72);
            let rows = if self.takes(1 << 20) { 1 << 18 } else { 1 << 12 };
            let factors: Vec<Scalar> =
                (0..4 * rows).map(|_| convert(Scalar::F64(1.0 + (random.unit() - 0.5) * 1e-3), dtype)).collect();
            let x = self.array_of(dtype, Layout::contiguous(&[4 * rows]), factors.clone());
            self.scan(ScanOperation::Product, &x, 0);
            let x = self.array_of(dtype, Layout::contiguous(&[rows, 4]), factors);
            self.scan(ScanOperation::Product, &x, 0);
        }
    }

    fn scan(&mut self, operation: ScanOperation, x: &Array, axis: usize) {
        let [outer, length, inner] = x.layout.around(axis);
        let (elements, result) = (x.elements(), x.dtype.sum());
        let mut expected = elements.clone();
        let mut scales = vec![0.0; elements.len()];
        for line in 0..outer * inner {
            let start = line / inner * length * inner + line % inner;
            // Floats in f64, with the error of each sum kept apart; integers modulo 2^64.
            let (mut total, mut lost, mut scale) = (0.0, 0.0, 0.0);
            let mut whole = 0i64;
            if operation == ScanOperation::Product {
                (total, whole) = (1.0, 1);
            }
            for at in (0..length).map(|index| start + index * inner) {
                expected[at] = if x.dtype.is_float() {
                    let value = float(elements[at]);
                    match operation {
                        ScanOperation::Sum => {
                            let next: f64 = total + value;
                            lost += if total.abs() >= value.abs() {
                                (total - next) + value
                            } else {
                                (value - next) + total
                            };
                            (total, scale) = (next, scale + value.abs());
                        }
                        // Each factor may add a rounding.
                        ScanOperation::Product => {
                            total *= value;
                            scale = total.abs() * (1.0 + (at - start) as f64 / inner as f64 / 16.0);
                        }
                    }
                    convert(Scalar::F64(if total.is_finite() { total + lost } else { total }), x.dtype)
                } else {
                    let value = integer(elements[at]) as i64;
                    whole = match operation {
                        ScanOperation::Sum => whole.wrapping_add(value),
                        ScanOperation::Product => whole.wrapping_mul(value),
                    };
                    wrapped(whole.into(), x.dtype)
                };
                scales[at] = scale;
            }
        }
        let tolerance = if x.dtype == DType::F32 { 1.2e-7 } else { 1e-14 };
        let what = format!("{operation:?} up to each of {} {:?} along {axis}", x.dtype, x.layout);
        let out = (Layout::contiguous(&x.layout.shape), elements.len());
        self.expect(&what, result, out, &expected, (tolerance, &scales), |backend, out| {
            backend.scan(operation, x.view(), axis, out)
        });
    }
}

/// An integer's low 64 bits as the type of sums.
fn wrapped(total: i128, dtype: DType) -> Scalar {
    if dtype.sum() == DType::I64 { Scalar::I64(total as i64) } else { Scalar::U64(total as u64) }
}

/// The reduction of a group, and for sums of floats the sum of their absolute values.
pub(super) fn reduced(operation: ReduceOperation, dtype: DType, group: &[Scalar]) -> (Scalar, f64) {
    let numbers = || -> Vec<Scalar> {
        group.iter().copied().filter(|&value| unary(UnaryOperation::IsNan, value) == Scalar::Bool(false)).collect()
    };
    let extreme = |operation: ReduceOperation| match &numbers()[..] {
        [] => (convert(Scalar::F64(f64::NAN), dtype), 0.0),
        numbers => reduced(operation, dtype, numbers),
    };
    match operation {
        ReduceOperation::SumNumbers => reduced(ReduceOperation::Sum, dtype, &numbers()),
        ReduceOperation::ProductNumbers => reduced(ReduceOperation::Product, dtype, &numbers()),
        ReduceOperation::MaxNumbers => extreme(ReduceOperation::Max),
        ReduceOperation::MinNumbers => extreme(ReduceOperation::Min),
        ReduceOperation::CountNumbers => (Scalar::I64(numbers().len() as i64), 0.0),
        ReduceOperation::CountNonzero => {
            let count = group.iter().filter(|&&value| value != convert(Scalar::I64(0), dtype)).count();
            (Scalar::I64(count as i64), 0.0)
        }
        ReduceOperation::SquaredDeviations => {
            let values: Vec<f64> = group.iter().map(|&value| float(value)).collect();
            // By distances from one of them, which are added exactly enough.
            let origin = values.first().copied().unwrap_or(0.0);
            let distances: Vec<Scalar> = values.iter().map(|value| Scalar::F64(value - origin)).collect();
            let (sum, _) = reduced(ReduceOperation::Sum, DType::F64, &distances);
            let mean = float(sum) / values.len().max(1) as f64;
            let from_mean: Vec<Scalar> = distances.iter().map(|&value| Scalar::F64(float(value) - mean)).collect();
            let (squares, scale) = reduced(ReduceOperation::SumSquares, DType::F64, &from_mean);
            (convert(squares, dtype), scale)
        }
        ReduceOperation::Sum | ReduceOperation::SumSquares if dtype.is_float() => {
            // Neumaier's compensated sum.
            let (mut sum, mut lost, mut scale) = (0f64, 0f64, 0f64);
            let square = |value: f64| if operation == ReduceOperation::Sum { value } else { value * value };
            for value in group.iter().map(|&value| square(float(value))) {
                let next = sum + value;
                lost += if sum.abs() >= value.abs() { (sum - next) + value } else { (value - next) + sum };
                sum = next;
                scale += value.abs();
            }
            (convert(Scalar::F64(if sum.is_finite() { sum + lost } else { sum }), dtype), scale)
        }
        ReduceOperation::Product if dtype.is_float() => {
            let product = group.iter().fold(1.0, |product, &value| product * float(value));
            (convert(Scalar::F64(product), dtype), 0.0)
        }
        ReduceOperation::Sum | ReduceOperation::SumSquares | ReduceOperation::Product => {
            let first = i128::from(operation == ReduceOperation::Product);
            let total = group.iter().fold(first, |total, &value| match operation {
                ReduceOperation::Product => (total as i64).wrapping_mul(integer(value) as i64).into(),
                _ => total + integer(value),
            });
            (wrapped(total, dtype), 0.0)
        }
        ReduceOperation::ArgMax | ReduceOperation::ArgMin => {
            let is_nan = |value: Scalar| unary(UnaryOperation::IsNan, value) == Scalar::Bool(true);
            let beyond =
                if operation == ReduceOperation::ArgMax { BinaryOperation::Greater } else { BinaryOperation::Less };
            let wins =
                |x: Scalar, best: Scalar| !is_nan(best) && (is_nan(x) || binary(beyond, x, best) == Scalar::Bool(true));
            let best =
                (1..group.len()).fold(0, |best, place| if wins(group[place], group[best]) { place } else { best });
            (Scalar::I64(best as i64), 0.0)
        }
        ReduceOperation::Max | ReduceOperation::Min => {
            let pick =
                if operation == ReduceOperation::Max { BinaryOperation::Maximum } else { BinaryOperation::Minimum };
            (group.iter().copied().reduce(|a, b| binary(pick, a, b)).unwrap(), 0.0)
        }
        ReduceOperation::BitwiseAnd | ReduceOperation::BitwiseOr | ReduceOperation::BitwiseXor => {
            let join = match operation {
                ReduceOperation::BitwiseAnd => BinaryOperation::BitwiseAnd,
                ReduceOperation::BitwiseOr => BinaryOperation::BitwiseOr,
                _ => BinaryOperation::BitwiseXor,
            };
            let total = group.iter().copied().reduce(|a, b| binary(join, a, b));
            (total.unwrap_or_else(|| Scalar::zero(dtype)), 0.0)
        }
        ReduceOperation::All => (Scalar::Bool(group.iter().all(|&value| value == Scalar::Bool(true))), 0.0),
        ReduceOperation::Any => (Scalar::Bool(group.contains(&Scalar::Bool(true))), 0.0),
    }
}
