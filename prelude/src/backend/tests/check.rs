//! Every operation of a backend against the references, on the CPU and on a GPU.

use super::reference::*;
use crate::backend::{Allocation, Backend, BinaryOperation, Layout, Operand, Padding, UnaryOperation, View};
use crate::backend::{cpu, cuda};
use crate::dtype::{DType, Scalar};
use std::sync::Arc;

/// Families of operations: each is a test on the CPU, and one on a GPU.
macro_rules! families {
    ($($family:ident)*) => {
        mod cpu_check {
            $(
                #[test]
                fn $family() {
                    let mut check = super::Check::on_cpu();
                    check.$family();
                    check.finish();
                }
            )*
        }

        mod gpu_check {
            $(
                #[test]
                #[ignore = "needs a CUDA device"]
                fn $family() {
                    super::Check::on_gpu(super::Check::$family);
                }
            )*
        }
    };
}
families! {
    transfers fill_and_arange copies conversions complex_numbers unary binary binary_layouts reductions scans convolutions_1d
    convolutions_2d selects compressions gathers scatters threads
}

/// The byte that fills outputs before an operation: what an operation must not touch keeps it.
pub(super) const UNTOUCHED: u8 = 0x5a;

pub(super) struct Check {
    pub backend: Arc<dyn Backend>,
    /// The most elements of an array.
    most: usize,
    passed: usize,
    failed: usize,
}

/// An array on the device, with its values here: `values[p]` is at position `p` of the allocation.
pub(super) struct Array {
    pub allocation: Arc<dyn Allocation>,
    pub layout: Layout,
    pub dtype: DType,
    pub values: Vec<Scalar>,
}

impl Array {
    pub fn view(&self) -> View<'_> {
        View { allocation: &self.allocation, layout: &self.layout, dtype: self.dtype }
    }

    /// The elements in row-major order.
    pub fn elements(&self) -> Vec<Scalar> {
        positions(&self.layout).into_iter().map(|position| self.values[position]).collect()
    }
}

impl Check {
    pub fn on_first_device() -> Check {
        cuda::probe().unwrap_or_else(|reason| panic!("no CUDA device: {reason}"));
        let check = Check::of(cuda::open(0).unwrap());
        println!("device: {}", check.backend.name());
        check
    }

    /// Runs a family of checks on the first device.
    pub fn on_gpu(family: impl FnOnce(&mut Check)) {
        let mut check = Check::on_first_device();
        family(&mut check);
        check.finish();
    }

    /// With few elements: in the unit tests the references are not optimised.
    pub fn on_cpu() -> Check {
        Check { most: 2000, ..Check::of(cpu::backend()) }
    }

    /// Nothing yet, on a device.
    pub fn of(backend: Arc<dyn Backend>) -> Check {
        Check { backend, most: usize::MAX, passed: 0, failed: 0 }
    }

    /// Whether arrays of so many elements are checked.
    pub fn takes(&self, elements: usize) -> bool {
        elements <= self.most
    }

    /// Whether the backend reduces f32 in f32; GPUs do so in f64.
    pub fn sums_in_f32(&self) -> bool {
        self.most < usize::MAX
    }

    /// Adds what another thread has found.
    pub fn add(&mut self, other: &Check) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    pub fn finish(&self) {
        self.backend.synchronize().unwrap();
        println!("{} passed, {} failed", self.passed, self.failed);
        assert_eq!(self.failed, 0);
    }

    pub fn array(&self, dtype: DType, layout: Layout, elements: usize, seed: u64, special: bool) -> Array {
        let values = values(dtype, elements, seed, special);
        self.array_of(dtype, layout, values)
    }

    pub fn array_of(&self, dtype: DType, layout: Layout, values: Vec<Scalar>) -> Array {
        let allocation = self.backend.allocate(values.len() * dtype.size()).unwrap();
        self.backend.upload(&to_bytes(&values), &allocation).unwrap();
        Array { allocation, layout, dtype, values }
    }

    pub fn note(&mut self, ok: bool, what: &dyn Fn() -> String) {
        if ok {
            self.passed += 1;
        } else {
            self.failed += 1;
            if self.failed <= 40 {
                println!("FAILED {}", what());
            }
        }
    }

    /// Runs `work` on a fresh output and compares all its bytes, also those that must stay.
    pub fn expect(
        &mut self,
        what: &str,
        dtype: DType,
        (layout, elements): (Layout, usize),
        expected: &[Scalar],
        (tolerance, scales): (f64, &[f64]),
        work: impl FnOnce(&dyn Backend, View<'_>) -> crate::error::Result<()>,
    ) {
        let size = dtype.size();
        let allocation = self.backend.allocate(elements * size).unwrap();
        self.backend.upload(&vec![UNTOUCHED; elements * size], &allocation).unwrap();
        let backend = self.backend.clone();
        let result = work(&*backend, View { allocation: &allocation, layout: &layout, dtype });
        let mut bytes = vec![0; elements * size];
        let result = result.and_then(|()| backend.download(&allocation, 0, &mut bytes));
        if let Err(error) = result {
            return self.note(false, &|| format!("{what} {dtype} {layout:?}: {error}"));
        }
        let mut written = vec![false; elements];
        let mut wrong = None;
        for (number, position) in positions(&layout).into_iter().enumerate() {
            written[position] = true;
            let found = from_bytes(dtype, &bytes[position * size..]);
            let scale = scales.get(number).copied().unwrap_or(0.0);
            if !agree(found, expected[number], tolerance, scale) && wrong.is_none() {
                wrong = Some(format!("element {number}: {found:?} instead of {:?}", expected[number]));
            }
        }
        for (position, written) in written.into_iter().enumerate() {
            if !written && bytes[position * size..(position + 1) * size].iter().any(|&byte| byte != UNTOUCHED) {
                wrong.get_or_insert_with(|| format!("position {position} is not of the output, but written"));
            }
        }
        self.note(wrong.is_none(), &|| format!("{what} {dtype} {layout:?}: {}", wrong.clone().unwrap_or_default()));
    }

    pub(super) fn transfers(&mut self) {
        for bytes in [0usize, 1, 513, 65_537, (2 << 20) - 1, 2 << 20, (2 << 20) + 1, 5 << 20, (40 << 20) + 3] {
            let mut random = Random::new(bytes as u64 + 1);
            let data: Vec<u8> = (0..bytes).map(|_| random.next() as u8).collect();
            let allocation = self.backend.allocate(bytes).unwrap();
            self.backend.upload(&data, &allocation).unwrap();
            for offset in [0, bytes / 3] {
                let mut back = vec![0; bytes - offset];
                self.backend.download(&allocation, offset, &mut back).unwrap();
                self.note(back == data[offset..], &|| format!("transfer of {bytes} bytes from {offset}"));
            }
        }
    }

    fn fill_and_arange(&mut self) {
        for dtype in DType::ALL {
            let value = values(dtype, 1, 7, false)[0];
            for shape in [vec![], vec![0], vec![1], vec![1003], vec![33, 65], vec![3, 0, 2], vec![2; 10]] {
                for layout in layouts(&shape) {
                    let expected = vec![value; layout.0.size()];
                    self.expect("fill", dtype, layout, &expected, (0.0, &[]), |backend, out| backend.fill(value, out));
                }
            }
            if dtype == DType::Bool || dtype.is_storage() || dtype.is_complex() {
                continue;
            }
            let of = |number: f64| convert(Scalar::F64(number), dtype);
            for (start, step) in [(0.0, 1.0), (5.0, 3.0), (0.1, 0.1), (-3.0, -2.0)] {
                let (start, step) = (of(start), of(step));
                for layout in layouts(&[1003]) {
                    let expected: Vec<Scalar> = (0..1003i64)
                        .map(|i| match dtype {
                            DType::F32 | DType::F64 => of(float(start) + i as f64 * float(step)),
                            _ => convert(Scalar::I64(integer(start) as i64 + i * integer(step) as i64), dtype),
                        })
                        .collect();
                    self.expect("arange", dtype, layout, &expected, (0.0, &[]), |backend, out| {
                        backend.arange(start, step, out)
                    });
                }
            }
        }
    }

    fn copies(&mut self) {
        for from in DType::ALL {
            for to in DType::ALL.into_iter().filter(|&to| to == from || !(to.is_complex() || from.is_complex())) {
                for shape in [vec![0], vec![1], vec![1003], vec![33, 65]] {
                    for (number, source) in layouts(&shape).into_iter().enumerate() {
                        let x = self.array(from, source.0, source.1, 11, true);
                        let expected: Vec<Scalar> = x.elements().into_iter().map(|value| convert(value, to)).collect();
                        for (other, layout) in layouts(&shape).into_iter().enumerate() {
                            if shape.len() == 2 || number == 0 || other == 0 {
                                self.expect(
                                    &format!("copy of {from}"),
                                    to,
                                    layout,
                                    &expected,
                                    (0.0, &[]),
                                    |backend, out| backend.copy(x.view(), out),
                                );
                            }
                        }
                    }
                }
            }
        }
        for shape in [vec![2; 10], vec![3, 1, 4, 1, 5, 9], vec![1 << 20]] {
            if !self.takes(shape.iter().product()) {
                continue;
            }
            for source in layouts(&shape) {
                let x = self.array(DType::F32, source.0, source.1, 12, true);
                let expected = x.elements();
                for layout in layouts(&shape) {
                    self.expect("copy", DType::F32, layout, &expected, (0.0, &[]), |backend, out| {
                        backend.copy(x.view(), out)
                    });
                }
            }
        }
    }

    fn conversions(&mut self) {
        super::convert::conversions(self);
    }

    fn complex_numbers(&mut self) {
        super::complex::complex_numbers(self);
    }

    fn unary(&mut self) {
        for operation in UnaryOperation::ALL {
            for dtype in DType::COMPUTED {
                if !operation.takes(dtype) {
                    continue;
                }
                let result = operation.output(dtype);
                let tolerance = if operation.is_float_function() { loose(dtype) } else { 0.0 };
                for shape in [vec![1003], vec![13, 17]] {
                    for (source, target) in layouts(&shape).into_iter().zip(layouts(&shape).into_iter().rev()) {
                        let x = self.array(dtype, source.0, source.1, 13, true);
                        let expected: Vec<Scalar> =
                            x.elements().into_iter().map(|value| unary(operation, value)).collect();
                        let what = format!("{operation:?}");
                        self.expect(&what, result, target, &expected, (tolerance, &[]), |backend, out| {
                            backend.unary(operation, x.view(), out)
                        });
                    }
                    let x = self.array(dtype, Layout::contiguous(&[1003]), 1003, 14, true);
                    let expected: Vec<Scalar> = x.elements().into_iter().map(|value| unary(operation, value)).collect();
                    let dense = (Layout::contiguous(&[1003]), 1003);
                    self.expect(
                        &format!("{operation:?}"),
                        result,
                        dense,
                        &expected,
                        (tolerance, &[]),
                        |backend, out| backend.unary(operation, x.view(), out),
                    );
                }
            }
        }
    }

    fn binary(&mut self) {
        for operation in BinaryOperation::ALL {
            for dtype in DType::COMPUTED {
                if !operation.takes(dtype) {
                    continue;
                }
                let result = operation.output(dtype);
                let tolerance = match operation {
                    BinaryOperation::Copysign => 0.0,
                    BinaryOperation::Power => loose(dtype),
                    _ if operation.is_float_function() => loose(dtype),
                    _ => 0.0,
                };
                let what = format!("{operation:?}");
                let dense = || (Layout::contiguous(&[1003]), 1003);
                let a = self.array(dtype, dense().0, 1003, 21, true);
                let b = self.array(dtype, dense().0, 1003, 22, true);
                let pairs = |a: Vec<Scalar>, b: Vec<Scalar>| -> Vec<Scalar> {
                    a.into_iter().zip(b).map(|(a, b)| binary(operation, a, b)).collect()
                };
                let expected = pairs(a.elements(), b.elements());
                self.expect(&what, result, dense(), &expected, (tolerance, &[]), |backend, out| {
                    backend.binary(operation, Operand::Array(a.view()), Operand::Array(b.view()), out)
                });
                let one = b.values[500];
                let expected = pairs(a.elements(), vec![one; 1003]);
                self.expect(&what, result, dense(), &expected, (tolerance, &[]), |backend, out| {
                    backend.binary(operation, Operand::Array(a.view()), Operand::Scalar(one), out)
                });
                let expected = pairs(vec![one; 1003], a.elements());
                self.expect(&what, result, dense(), &expected, (tolerance, &[]), |backend, out| {
                    backend.binary(operation, Operand::Scalar(one), Operand::Array(a.view()), out)
                });
                let expected = pairs(vec![one; 1003], vec![one; 1003]);
                self.expect(&what, result, dense(), &expected, (tolerance, &[]), |backend, out| {
                    backend.binary(operation, Operand::Scalar(one), Operand::Scalar(one), out)
                });
                let (columns, elements) = layouts(&[13, 17]).swap_remove(2);
                let mut row = Layout::contiguous(&[13, 17]);
                row.strides = vec![0, 1];
                let a = self.array(dtype, columns, elements, 23, true);
                let b = self.array(dtype, row, 17, 24, true);
                let expected = pairs(a.elements(), b.elements());
                self.expect(
                    &what,
                    result,
                    layouts(&[13, 17]).swap_remove(4),
                    &expected,
                    (tolerance, &[]),
                    |backend, out| backend.binary(operation, Operand::Array(a.view()), Operand::Array(b.view()), out),
                );
            }
        }
    }

    fn binary_layouts(&mut self) {
        for dtype in [DType::U8, DType::F32, DType::F64] {
            for shape in
                [vec![], vec![0], vec![1], vec![33, 65], vec![2, 3, 4, 5], vec![2; 10], vec![3, 1, 1, 7], vec![1 << 20]]
            {
                if !self.takes(shape.iter().product()) {
                    continue;
                }
                for (x, y, z) in
                    (0..5).map(|number| (number, (number + 2) % 5, (number * 3 + 1) % 5)).chain([(0, 0, 0)])
                {
                    let pick = |number: usize| layouts(&shape).swap_remove(number);
                    let (a, b) = (pick(x), pick(y));
                    let (a, b) = (self.array(dtype, a.0, a.1, 25, false), self.array(dtype, b.0, b.1, 26, false));
                    let sum = |(a, b): (Scalar, Scalar)| binary(BinaryOperation::Add, a, b);
                    let expected: Vec<Scalar> = a.elements().into_iter().zip(b.elements()).map(sum).collect();
                    self.expect("Add", dtype, pick(z), &expected, (0.0, &[]), |backend, out| {
                        backend.binary(BinaryOperation::Add, Operand::Array(a.view()), Operand::Array(b.view()), out)
                    });
                }
            }
            // Into an operand.
            let a = self.array(dtype, Layout::contiguous(&[1003]), 1003, 27, false);
            let two = convert(Scalar::U8(2), dtype);
            self.backend
                .binary(BinaryOperation::Multiply, Operand::Array(a.view()), Operand::Scalar(two), a.view())
                .unwrap();
            let mut bytes = vec![0; 1003 * dtype.size()];
            self.backend.download(&a.allocation, 0, &mut bytes).unwrap();
            let doubled: Vec<Scalar> =
                a.values.iter().map(|&value| binary(BinaryOperation::Multiply, value, two)).collect();
            self.note(bytes == to_bytes(&doubled), &|| format!("in place {dtype}"));
        }
    }

    fn convolutions_1d(&mut self) {
        for dtype in [DType::U8, DType::I32, DType::U32, DType::I64, DType::U64, DType::F32, DType::F64] {
            for (n, m) in [(1, 1), (7, 3), (3, 7), (1000, 15), (1025, 16), (5000, 1500), (3, 1000), (2048, 1024)] {
                if !self.takes(n * m / 10) {
                    continue;
                }
                let signal = self.array(dtype, Layout::contiguous(&[n]), n, 41, false);
                let kernel = self.array(dtype, Layout::contiguous(&[m]), m, 42, false);
                for (origin, size) in [(0, n + m - 1), ((m - 1) / 2, n), (m - 1, n.saturating_sub(m - 1))] {
                    // Results without elements never reach a backend; GPUs leave them alone.
                    if size == 0 && !self.takes(usize::MAX) {
                        continue;
                    }
                    let (expected, scales): (Vec<Scalar>, Vec<f64>) = (0..size)
                        .map(|i| {
                            let at = |p: usize| (i + origin).checked_sub(p).filter(|&index| index < n);
                            let terms = (0..m).filter_map(|p| at(p).map(|j| (signal.values[j], kernel.values[p])));
                            products(dtype, terms)
                        })
                        .unzip();
                    for layout in layouts(&[size]).into_iter().take(2) {
                        let what = format!("convolve {n} with {m} from {origin}");
                        self.expect(&what, dtype, layout, &expected, (close(dtype), &scales), |backend, out| {
                            backend.convolve(signal.view(), kernel.view(), origin, out)
                        });
                    }
                }
            }
        }
    }

    fn convolutions_2d(&mut self) {
        let sizes = [
            ([1, 1], [1, 1]),
            ([5, 7], [2, 2]),
            ([33, 40], [3, 3]),
            ([70, 150], [15, 15]),
            ([3, 4], [33, 35]),
            ([50, 45], [40, 3]),
            ([40, 70], [4, 7]),
        ];
        let large = [
            ([420, 300], [3, 3]),
            ([530, 512], [2, 2]),
            ([300, 190], [1, 20]),
            ([200, 210], [32, 1]),
            ([1030, 1030], [1, 1]),
        ];
        for dtype in [DType::U8, DType::I32, DType::U32, DType::I64, DType::U64, DType::F32, DType::F64] {
            let more = if dtype.is_float() { &large[..] } else { &[] };
            for &(image, kernel) in sizes.iter().chain(more) {
                if !self.takes(image[0] * image[1] * kernel[0] * kernel[1] / 10) {
                    continue;
                }
                let x = self.array(dtype, Layout::contiguous(&image), image[0] * image[1], 51, false);
                let k = self.array(dtype, Layout::contiguous(&kernel), kernel[0] * kernel[1], 52, false);
                for padding in [Padding::Fill(values(dtype, 1, 53, false)[0]), Padding::Wrap, Padding::Symmetric] {
                    let full = [image[0] + kernel[0] - 1, image[1] + kernel[1] - 1];
                    for (origin, shape) in [((0, 0), full), (((kernel[0] - 1) / 2, (kernel[1] - 1) / 2), image)] {
                        self.convolution_2d(&x, &k, origin, padding, shape);
                    }
                }
            }
        }
    }

    fn convolution_2d(&mut self, x: &Array, k: &Array, origin: (usize, usize), padding: Padding, shape: [usize; 2]) {
        let (rows, columns) = (x.layout.shape[0] as i64, x.layout.shape[1] as i64);
        let (down, across) = (k.layout.shape[0] as i64, k.layout.shape[1] as i64);
        let inside = |index: i64, length: i64| match padding {
            Padding::Fill(_) => (0..length).contains(&index).then_some(index),
            Padding::Wrap => Some(index.rem_euclid(length)),
            Padding::Symmetric => {
                let at = index.rem_euclid(2 * length);
                Some(at.min(2 * length - 1 - at))
            }
        };
        let at = |i: i64, j: i64| match (inside(i, rows), inside(j, columns), padding) {
            (Some(i), Some(j), _) => x.values[(i * columns + j) as usize],
            (.., Padding::Fill(value)) => value,
            _ => unreachable!(),
        };
        let mut expected = Vec::with_capacity(shape[0] * shape[1]);
        let mut scales = Vec::with_capacity(shape[0] * shape[1]);
        for i in 0..shape[0] as i64 {
            for j in 0..shape[1] as i64 {
                let terms = (0..down).flat_map(|p| (0..across).map(move |q| (p, q))).map(|(p, q)| {
                    (at(i + origin.0 as i64 - p, j + origin.1 as i64 - q), k.values[(p * across + q) as usize])
                });
                let (value, scale) = products(x.dtype, terms);
                expected.push(value);
                scales.push(scale);
            }
        }
        let what = format!("convolve2d {:?} with {:?} from {origin:?}, {padding:?}", x.layout.shape, k.layout.shape);
        let out = (Layout::contiguous(&shape), shape[0] * shape[1]);
        self.expect(&what, x.dtype, out, &expected, (close(x.dtype), &scales), |backend, out| {
            backend.convolve2d(x.view(), k.view(), origin, padding, out)?;
            // The program for this size, if there is one.
            crate::backend::cuda::driver::background::wait();
            backend.convolve2d(x.view(), k.view(), origin, padding, out)
        });
    }

    fn threads(&mut self) {
        let backend = &self.backend;
        let sums: Vec<bool> = std::thread::scope(|scope| {
            let running: Vec<_> = (0..8u8)
                .map(|thread| {
                    scope.spawn(move || {
                        let layout = Layout::contiguous(&[10_007]);
                        (0..200).all(|_| {
                            let (a, b) = (backend.allocate(10_007 * 8).unwrap(), backend.allocate(10_007 * 8).unwrap());
                            let view = |allocation| View { allocation, layout: &layout, dtype: DType::F64 };
                            backend.fill(Scalar::F64(thread.into()), view(&a)).unwrap();
                            let one = Operand::Scalar(Scalar::F64(1.0));
                            backend.binary(BinaryOperation::Add, Operand::Array(view(&a)), one, view(&b)).unwrap();
                            let mut bytes = vec![0; 10_007 * 8];
                            backend.download(&b, 0, &mut bytes).unwrap();
                            bytes.chunks(8).all(|chunk| chunk == (f64::from(thread) + 1.0).to_le_bytes())
                        })
                    })
                })
                .collect();
            running.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        self.note(sums.iter().all(|&ok| ok), &|| format!("8 threads at once: {sums:?}"));
    }
}

/// What CUDA's functions may be off, relative: a few units in the last place.
fn loose(dtype: DType) -> f64 {
    if dtype == DType::F32 { 6e-7 } else { 2e-15 }
}

/// What a sum of products may be off, relative to the sum of their absolute values.
pub(super) fn close(dtype: DType) -> f64 {
    if dtype == DType::F32 { 2e-6 } else { 4e-15 }
}

/// A sum of products, and for floats the sum of their absolute values.
fn products(dtype: DType, terms: impl Iterator<Item = (Scalar, Scalar)>) -> (Scalar, f64) {
    if dtype.is_float() {
        let (sum, scale) = terms.fold((0.0, 0.0), |(sum, scale), (a, b)| {
            let product = float(a) * float(b);
            (sum + product, scale + product.abs())
        });
        return (convert(Scalar::F64(sum), dtype), scale);
    }
    let zero = convert(Scalar::U8(0), dtype);
    let add = |sum, (a, b)| binary(BinaryOperation::Add, sum, binary(BinaryOperation::Multiply, a, b));
    (terms.fold(zero, add), 0.0)
}
