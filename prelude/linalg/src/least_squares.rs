//! Least squares.

use crate::reduction::{Reduction, workspace};
use crate::{Factorise, Field, Job, Routine, Shapes, Wide, WorkspaceSize, number};
use faer::Par;
use faer::reborrow::{Reborrow, ReborrowMut};

/// Of a matrix with at least as many rows as columns, and right sides: the descending singular values, in a column; x, that which
/// leaves the least squares, the shortest if there are several; and the sums of these squares, in a row, without a meaning unless the
/// rank is full.
///
/// The matrix becomes bidiagonal, as for singular values alone, and equations with a bidiagonal matrix are quickly solved. If
/// the rank is not full, rotations make it diagonal, which are applied to the right sides: so no singular vectors are needed. With
/// many right sides they would be quicker.
pub static LEAST_SQUARES: Routine = Routine::new(&LeastSquares);

struct LeastSquares;

impl<T: Field> Factorise<T> for LeastSquares {
    fn work(&self, shapes: &Shapes) -> usize {
        let [(m, n), (_, k)] = shapes.inputs;
        m.saturating_mul(n).saturating_mul(n.saturating_mul(4).saturating_add(k))
    }

    fn workspace_size(&self, shapes: &Shapes, par: Par) -> WorkspaceSize {
        let [shape, right] = shapes.inputs;
        let ([matrix, blocks], rest) = workspace::<T>(shape, right.1, par);
        WorkspaceSize { matrices: [matrix, blocks, right], rest }
    }

    fn run(&self, job: Job<'_, T>) -> Option<usize> {
        let Job {
            inputs: [source, b], out: mut values, more: [x, squares], matrices, par, rest, copy, together, ..
        } = job;
        let [matrix, blocks, mut right] = matrices;
        copy(b, right.rb_mut(), par);
        let mut reduction = Reduction::of(source, [matrix, blocks], copy, together, par);
        reduction.reduce(Some(right.rb_mut()), par, rest);
        if !reduction.singular_values(values.rb_mut()) {
            return Some(0);
        }
        let (mut above, below) = right.split_at_row_mut(source.ncols());
        if let Some(mut squares) = squares {
            for column in 0..squares.ncols() {
                let sum = (0..below.nrows()).map(|row| below[(row, column)].wide().length().powi(2)).sum();
                squares[(0, column)] = number(sum);
            }
        }
        if let Some(x) = x {
            let limit = job.fraction * values[(0, 0)].wide().length();
            let rank = (0..values.nrows()).filter(|&row| values[(row, 0)].wide().length() > limit).count();
            if !reduction.solve(rank, above.rb_mut(), par, rest) {
                return Some(0);
            }
            copy(above.rb(), x, par);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::LEAST_SQUARES;
    use crate::{EIGH, Field, Job, Routine, SVD, Shapes, Wide, number};
    use faer::dyn_stack::{MemBuffer, MemStack};
    use faer::linalg::matmul::matmul;
    use faer::traits::math_utils::eps;
    use faer::{Accum, Mat, MatMut, MatRef, Par};

    /// Numbers without an order.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self) -> f64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        fn matrix<T: Field>(&mut self, (rows, columns): (usize, usize), imaginary: T) -> Mat<T> {
            Mat::from_fn(rows, columns, |_, _| {
                let (re, im) = (number::<T>(self.next()), number::<T>(self.next()));
                re - im * imaginary
            })
        }
    }

    fn copy<T: Field>(from: MatRef<'_, T>, mut to: MatMut<'_, T>, _par: Par) {
        to.copy_from(from);
    }

    /// Singular values, x and sums of squares; by several threads, too.
    fn run<T: Field + 'static>(routine: &Routine, a: MatRef<'_, T>, b: MatRef<'_, T>, is_shared: bool) -> [Mat<T>; 3] {
        run_with(routine, a, b, 0.0, is_shared)
    }

    fn run_with<T: Field + 'static>(
        routine: &Routine,
        a: MatRef<'_, T>,
        b: MatRef<'_, T>,
        fraction: f64,
        is_shared: bool,
    ) -> [Mat<T>; 3] {
        let routine = T::routine(routine);
        let (n, k) = (a.nrows().min(a.ncols()), b.ncols());
        let (par, has_x) = (if is_shared { Par::rayon(0) } else { Par::Seq }, k > 0);
        let more = if has_x { [Some((n, k)), Some((1, k))] } else { [None, None] };
        let shapes = Shapes { inputs: [a.shape(), b.shape()], more };
        let size = routine.workspace_size(&shapes, par);
        // Columns begin at multiples of 64 bytes, with any numbers in them.
        let mut memory = size.matrices.map(|(rows, columns)| {
            let apart = (rows * size_of::<T>()).next_multiple_of(64) / size_of::<T>();
            vec![number::<T>(1e30); apart * columns + 64]
        });
        let mut memory = memory.iter_mut();
        let matrices = size.matrices.map(|(rows, columns)| {
            let memory = memory.next().expect("as many as matrices");
            let apart = (rows * size_of::<T>()).next_multiple_of(64) / size_of::<T>();
            let first = memory.as_ptr().align_offset(64);
            let memory = &mut memory[first..first + apart * columns];
            MatMut::from_column_major_slice_with_stride_mut(memory, rows, columns, apart)
        });
        let mut buffer = MemBuffer::new(size.rest);
        let mut outputs = [Mat::zeros(n, 1), Mat::zeros(n, k), Mat::zeros(1, k)];
        let [values, x, squares] = outputs.each_mut().map(|output| output.as_mut());
        let threads = |work: &(dyn Fn() + Sync)| {
            std::thread::scope(|scope| {
                (0..3).for_each(|_| drop(scope.spawn(work)));
                work();
            });
        };
        let job = Job {
            inputs: [a, b],
            out: values,
            more: if has_x { [Some(x), Some(squares)] } else { [None, None] },
            matrices,
            order: &mut [],
            fraction,
            par,
            rest: MemStack::new(&mut buffer),
            together: if is_shared { &threads } else { &|work| work() },
            copy,
        };
        assert_eq!(routine.run(job), None);
        outputs
    }

    fn largest<T: Field>(matrix: MatRef<'_, T>) -> f64 {
        let size = |(row, column): (usize, usize)| matrix[(row, column)].wide().length();
        let places = (0..matrix.nrows()).flat_map(|row| (0..matrix.ncols()).map(move |column| (row, column)));
        places.map(size).fold(0.0, f64::max)
    }

    fn check<T: Field<Real: Into<f64>> + 'static>(shape: (usize, usize), right: usize, scale: f64, imaginary: T) {
        let mut numbers = Numbers(88_172_645_463_325_252 + shape.0 as u64);
        let a = numbers.matrix(shape, imaginary);
        let b = numbers.matrix((shape.0, right), imaginary);
        let scaled = Mat::from_fn(shape.0, shape.1, |row, column| a[(row, column)] * number::<T>(scale));
        let [values, x, squares] = run(&LEAST_SQUARES, scaled.as_ref(), b.as_ref(), false);
        let epsilon: f64 = eps::<T::Part>().into();
        let room = 20.0 * epsilon * (shape.0 * shape.1) as f64;
        // As `faer` finds them.
        let expected = a.singular_values().expect("they converge");
        for (row, expected) in expected.into_iter().enumerate() {
            let (found, expected): (f64, f64) = (values[(row, 0)].wide().length() / scale, expected.into());
            assert!((found - expected).abs() < room, "{shape:?} {scale}: {found}, not {expected}");
        }
        // What is left is orthogonal to all columns, and as large as was said.
        let mut rest = b.clone();
        matmul(rest.as_mut(), Accum::Add, scaled.as_ref(), x.as_ref(), number(-1.0), Par::Seq);
        let mut product = Mat::zeros(shape.1, right);
        matmul(product.as_mut(), Accum::Replace, a.as_ref().adjoint(), rest.as_ref(), number(1.0), Par::Seq);
        let condition = values[(0, 0)].wide().length() / values[(shape.1 - 1, 0)].wide().length();
        assert!(largest(product.as_ref()) < room * condition, "{shape:?} {scale}: {}", largest(product.as_ref()));
        for column in 0..right {
            let sum: f64 = (0..shape.0).map(|row| rest[(row, column)].wide().length().powi(2)).sum();
            let found = squares[(0, column)].wide().length();
            assert!((found - sum).abs() < room * condition, "{shape:?} {scale}: {found}, not {sum}");
        }
        // Several threads find the same, and so does who asks for the values alone, of the transposed matrix, too.
        let [again, also, _] = run(&LEAST_SQUARES, scaled.as_ref(), b.as_ref(), true);
        // `faer` makes tall ones triangular.
        assert!(again == values || shape.0 > shape.1 + shape.1 / 2, "{shape:?} {scale}");
        assert!(largest((x - also).as_ref()) * scale < room * condition, "{shape:?} {scale}");
        let none = Mat::zeros(0, 0);
        for matrix in [scaled.as_ref(), scaled.transpose()] {
            let [alone, ..] = run(&SVD, matrix, none.as_ref(), true);
            for row in 0..shape.1 {
                let (found, expected) = (alone[(row, 0)].wide().length(), values[(row, 0)].wide().length());
                assert!((found - expected).abs() < room * scale, "{shape:?} {scale}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn least_squares_of_all_shapes_and_types() {
        for shape in [(1, 1), (2, 1), (3, 3), (17, 16), (40, 9), (33, 31), (100, 64), (150, 149), (400, 30)] {
            for right in [1, 3] {
                check(shape, right, 1.0, 0.0f64);
                check(shape, right, 1.0, 0.0f32);
                check(shape, right, 1.0, faer::c64::new(0.0, 1.0));
                check(shape, right, 1.0, faer::c32::new(0.0, 1.0));
            }
        }
    }

    /// A matrix with these singular values, which may be out of order, and what its pseudoinverse without the least gives.
    fn check_rank<T: Field<Real: Into<f64>> + 'static>(
        (rows, columns): (usize, usize),
        right: usize,
        values: &[f64],
        rank: usize,
        imaginary: T,
    ) {
        let mut numbers = Numbers(88_172_645_463_325_252 + (rows * columns + rank) as u64);
        let orthogonal = |numbers: &mut Numbers, shape| numbers.matrix(shape, imaginary).qr().compute_thin_Q();
        let (u, v) = (orthogonal(&mut numbers, (rows, columns)), orthogonal(&mut numbers, (columns, columns)));
        let scaled = Mat::from_fn(rows, columns, |row, column| u[(row, column)] * number::<T>(values[column]));
        let a = &scaled * v.adjoint();
        let b = numbers.matrix((rows, right), imaginary);
        let mut sorted = values.to_vec();
        sorted.sort_by(|one, other| other.total_cmp(one));
        // In the middle between a value that counts and one that does not.
        let next = sorted.get(rank).copied().unwrap_or(0.0);
        let limit = (sorted[rank - 1] + next) / 2.0;
        let product = u.adjoint() * &b;
        let divided = Mat::from_fn(columns, right, |row, column| {
            product[(row, column)] * number::<T>(if values[row] > limit { 1.0 / values[row] } else { 0.0 })
        });
        let expected = &v * divided;
        let epsilon: f64 = eps::<T::Part>().into();
        for is_shared in [false, true] {
            let [found, x, _] = run_with(&LEAST_SQUARES, a.as_ref(), b.as_ref(), limit / sorted[0], is_shared);
            let room = 20.0 * epsilon * (rows * columns) as f64;
            for (row, value) in sorted.iter().enumerate() {
                assert!((found[(row, 0)].wide().length() - value).abs() < room * sorted[0], "{row}: not {value}");
            }
            let room = room * sorted[0] / sorted[rank - 1] * sorted[0] / (sorted[rank - 1] - next);
            let off = largest((x - &expected).as_ref());
            assert!(off < room / sorted[rank - 1], "{rows} × {columns} of rank {rank}: {off}");
        }
    }

    #[test]
    fn least_squares_of_matrices_without_full_rank() {
        let (mut numbers, imaginary) = (Numbers(0x9E37_79B9_7F4A_7C15), faer::c64::new(0.0, 1.0));
        for (shape, right) in
            [((2, 1), 1), ((3, 3), 2), ((17, 16), 1), ((40, 9), 3), ((64, 64), 1), ((90, 31), 5), ((130, 120), 1)]
        {
            let n = shape.1;
            let random: Vec<f64> = (0..n).map(|_| 1.5 + numbers.next()).collect();
            let graded: Vec<f64> = (0..n).map(|at| 0.5f64.powi((at % 12) as i32)).collect();
            let reversed: Vec<f64> = graded.iter().rev().copied().collect();
            let equal: Vec<f64> = (0..n).map(|at| if at % 3 == 0 { 1.0 } else { 0.0 }).collect();
            for rank in [1, n / 2, n - 1, n] {
                for values in [&random, &graded, &reversed] {
                    let mut sorted = values.clone();
                    sorted.sort_by(|one, other| other.total_cmp(one));
                    let is_between = rank > 0 && sorted.get(rank).is_none_or(|next| sorted[rank - 1] > 1.001 * next);
                    if is_between {
                        check_rank(shape, right, values, rank, 0.0f64);
                        check_rank(shape, right, values, rank, imaginary);
                    }
                }
            }
            check_rank(shape, right, &equal, n.div_ceil(3), 0.0f64);
            check_rank(shape, right, &equal, n.div_ceil(3), 0.0f32);
            check_rank(shape, right, &equal, n.div_ceil(3), imaginary);
        }
        // Nothing counts in a matrix of zeros.
        let (zeros, b) = (Mat::<f64>::zeros(7, 5), Mat::<f64>::full(7, 2, 1.0));
        let [values, x, _] = run(&LEAST_SQUARES, zeros.as_ref(), b.as_ref(), false);
        assert!(values == Mat::zeros(5, 1) && x == Mat::zeros(5, 2));
    }

    #[test]
    fn threads_share_large_matrices() {
        check((300, 280), 2, 1.0, 0.0f64);
        check((300, 300), 1, 1.0, 0.0f32);
        check((170, 165), 2, 1.0, faer::c64::new(0.0, 1.0));
        check((150, 150), 1, 1.0, faer::c32::new(0.0, 1.0));
    }

    #[test]
    fn matrices_of_very_large_and_small_numbers() {
        for scale in [1e200, 1e-200, 1e300, 1e-290] {
            check((20, 12), 1, scale, 0.0f64);
            check((20, 12), 1, scale, faer::c64::new(0.0, 1.0));
        }
        for scale in [1e25, 1e-25] {
            check((20, 12), 1, scale, 0.0f32);
        }
    }

    fn check_symmetric<T: Field<Real: Into<f64>> + 'static>(size: usize, scale: f64, imaginary: T) {
        let mut numbers = Numbers(88_172_645_463_325_252 + size as u64);
        let half = numbers.matrix((size, size), imaginary);
        let whole = &half + half.adjoint();
        let expected = whole.self_adjoint_eigenvalues(faer::Side::Lower).expect("they converge");
        // What is above the diagonal is not read.
        let lower = Mat::from_fn(size, size, |row, column| {
            if row >= column { whole[(row, column)] * number::<T>(scale) } else { number(1e30) }
        });
        let none = Mat::zeros(0, 0);
        let [values, ..] = run(&EIGH, lower.as_ref(), none.as_ref(), false);
        let [again, ..] = run(&EIGH, lower.as_ref(), none.as_ref(), true);
        assert!(values == again || !T::IS_REAL, "{size}");
        let epsilon: f64 = eps::<T::Part>().into();
        for (row, expected) in expected.into_iter().enumerate() {
            let (found, expected): (f64, f64) = (values[(row, 0)].re().into() / scale, expected.into());
            assert!((found - expected).abs() < 40.0 * epsilon * size as f64, "{size} {scale}: {found}, not {expected}");
        }
    }

    #[test]
    fn eigenvalues_of_all_sizes_and_types() {
        for size in [1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 64, 100, 181, 250, 400] {
            check_symmetric(size, 1.0, 0.0f64);
            check_symmetric(size, 1e-20, 0.0f32);
            check_symmetric(size, 1e250, 0.0f64);
            if size < 70 {
                check_symmetric(size, 1.0, faer::c64::new(0.0, 1.0));
                check_symmetric(size, 1.0, faer::c32::new(0.0, 1.0));
            }
        }
    }

    #[test]
    fn singular_matrices_have_their_singular_values() {
        let none = Mat::<f64>::zeros(0, 0);
        for size in [1, 2, 5, 40, 200] {
            let zeros = Mat::<f64>::zeros(size, size);
            assert!(run(&SVD, zeros.as_ref(), none.as_ref(), false)[0] == Mat::zeros(size, 1));
            let ones = Mat::<f64>::full(size, size, 1.0);
            let [values, ..] = run(&SVD, ones.as_ref(), none.as_ref(), true);
            assert!((values[(0, 0)] - size as f64).abs() < 1e-12 * size as f64, "{values:?}");
            assert!((1..size).all(|row| values[(row, 0)].abs() < 1e-12), "{values:?}");
            let [values, ..] = run(&SVD, Mat::<f64>::identity(size, size).as_ref(), none.as_ref(), true);
            assert!((0..size).all(|row| (values[(row, 0)] - 1.0).abs() < 1e-15), "{values:?}");
        }
    }
}
