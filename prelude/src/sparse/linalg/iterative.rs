//! Equations by iteration: a product and a few vectors in each step.
//!
//! Sources: Barrett and others, "Templates for the Solution of Linear Systems" (1994), for CG, CGS and BiCGSTAB; Saad and Schultz (1986)
//! for GMRES, with orthogonalisation done twice; Paige and Saunders (1975, 1982) for MINRES and LSQR; Fong and Saunders (2011) for LSMR.

use super::operator::{Operator, Ready};
use super::vectors::Vectors;
use crate::array::assign;
use crate::array::{DeviceArray, RawArray, slice_axis};
use crate::backend::Layout;
use crate::dtype::Float;
use crate::error::{Error, Result, check};
use crate::operations::products::multiply;

/// What solvers have beside the matrix.
pub(super) struct Request<'a> {
    operation: &'static str,
    a: Ready<'a>,
    preconditioner: Option<Ready<'a>>,
    b: RawArray,
    x0: Option<RawArray>,
    rtol: f64,
    atol: f64,
    maxiter: Option<usize>,
}

/// What a solver begins with.
struct Start {
    vectors: Vectors,
    b: RawArray,
    x: RawArray,
    /// The right side minus the product with `x`.
    r: RawArray,
    /// The norm of a residual that is small enough.
    enough: f64,
    maxiter: usize,
}

/// The solution, and 0, or how many iterations were not enough, or a negative number for a breakdown.
type Solved = (RawArray, i64);

impl<'a> Request<'a> {
    #[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
    fn new<T: Float>(
        operation: &'static str,
        a: &'a dyn Operator<T>,
        b: &DeviceArray<T>,
        x0: Option<&DeviceArray<T>>,
        rtol: Option<f64>,
        atol: Option<f64>,
        maxiter: Option<usize>,
        preconditioner: Option<&'a dyn Operator<T>>,
    ) -> Result<Request<'a>> {
        let a = a.ready(operation)?;
        let preconditioner = preconditioner.map(|of| of.ready(operation)).transpose()?;
        let (b, x0) = ((*b.raw).clone(), x0.map(|x| (*x.raw).clone()));
        Ok(Request {
            operation,
            a,
            preconditioner,
            b,
            x0,
            rtol: rtol.unwrap_or(1e-5),
            atol: atol.unwrap_or(0.0),
            maxiter,
        })
    }

    fn start(&self) -> Result<Start> {
        let [rows, columns] = self.a.shape;
        let square = |shape: [usize; 2]| Err(Error::shape(self.operation, shape, "is not that of a square matrix"));
        if rows != columns {
            return square(self.a.shape);
        }
        if let Some(of) = &self.preconditioner
            && of.shape != self.a.shape
        {
            let reason = format!("of the preconditioner `M` is not that of the matrix, [{rows}, {columns}]");
            return Err(Error::shape(self.operation, of.shape, reason));
        }
        for (name, value) in [("rtol", self.rtol), ("atol", self.atol)] {
            if value.is_nan() || value < 0.0 {
                return Err(Error::argument(self.operation, format!("`{name}` is {value}; give a number from 0 on")));
            }
        }
        let vectors = Vectors::of(self.operation, &self.b)?;
        let b = vectors.right_side(&self.b, rows)?;
        let (x, r) = match &self.x0 {
            None => (vectors.zeros(rows)?, b.copied(self.operation)?),
            Some(x0) => {
                b.same_device(self.operation, x0)?;
                let x = vectors.right_side(x0, rows)?.copied(self.operation)?;
                let r = vectors.plus(&b, -1.0, &(self.a.product)(&x)?)?;
                (x, r)
            }
        };
        let enough = self.atol.max(self.rtol * vectors.norm(&b)?);
        Ok(Start { vectors, b, x, r, enough, maxiter: self.maxiter.unwrap_or(10 * rows) })
    }

    fn a(&self, x: &RawArray) -> Result<RawArray> {
        (self.a.product)(x)
    }

    /// The product with the preconditioner.
    fn m(&self, x: &RawArray) -> Result<RawArray> {
        match &self.preconditioner {
            Some(of) => (of.product)(x),
            None => Ok(x.clone()),
        }
    }

    fn cg(&self) -> Result<Solved> {
        let Start { vectors: v, x, r, enough, maxiter, .. } = self.start()?;
        let mut norm = v.norm(&r)?;
        let mut p = None;
        let mut before = 0.0;
        for _ in 0..maxiter {
            if norm <= enough {
                return Ok((x, 0));
            }
            let z = self.m(&r)?;
            let rho = if self.preconditioner.is_some() { v.dot(&r, &z)? } else { norm * norm };
            let direction = match p {
                None => z.copied(self.operation)?,
                Some(p) => v.plus(&z, rho / before, &p)?,
            };
            let q = self.a(&direction)?;
            let alpha = rho / v.dot(&direction, &q)?;
            v.add(&x, alpha, &direction)?;
            v.add(&r, -alpha, &q)?;
            norm = v.norm(&r)?;
            before = rho;
            p = Some(direction);
        }
        Ok((x, if norm <= enough { 0 } else { maxiter as i64 }))
    }

    fn cgs(&self) -> Result<Solved> {
        let Start { vectors: v, b, x, mut r, enough, maxiter, .. } = self.start()?;
        let shadow = r.copied(self.operation)?;
        let mut before = 1.0;
        let mut last: Option<(RawArray, RawArray)> = None;
        for _ in 0..maxiter {
            if v.norm(&r)? <= enough {
                return Ok((x, 0));
            }
            let rho = v.dot(&shadow, &r)?;
            if rho == 0.0 || !rho.is_finite() {
                return Ok((x, -10));
            }
            let (u, p) = match &last {
                None => (r.clone(), r.clone()),
                Some((p, q)) => {
                    let beta = rho / before;
                    let u = v.plus(&r, beta, q)?;
                    let p = v.plus(&u, beta, &v.plus(q, beta, p)?)?;
                    (u, p)
                }
            };
            let product = self.a(&self.m(&p)?)?;
            let divisor = v.dot(&shadow, &product)?;
            if divisor == 0.0 {
                return Ok((x, -11));
            }
            let alpha = rho / divisor;
            let q = v.plus(&u, -alpha, &product)?;
            let step = self.m(&v.plus(&u, 1.0, &q)?)?;
            v.add(&x, alpha, &step)?;
            // The residual itself: what is only added up drifts away from it.
            r = v.plus(&b, -1.0, &self.a(&x)?)?;
            before = rho;
            last = Some((p, q));
        }
        let solved = v.norm(&r)? <= enough;
        Ok((x, if solved { 0 } else { maxiter as i64 }))
    }

    fn bicgstab(&self) -> Result<Solved> {
        let Start { vectors: v, x, r, enough, maxiter, .. } = self.start()?;
        let shadow = r.copied(self.operation)?;
        let (mut before, mut alpha, mut omega) = (1.0, 1.0, 1.0);
        let mut last: Option<(RawArray, RawArray)> = None;
        for _ in 0..maxiter {
            if v.norm(&r)? <= enough {
                return Ok((x, 0));
            }
            let rho = v.dot(&shadow, &r)?;
            if rho == 0.0 || !rho.is_finite() {
                return Ok((x, -10));
            }
            let p = match &last {
                None => r.copied(self.operation)?,
                Some((p, product)) => {
                    if omega == 0.0 {
                        return Ok((x, -11));
                    }
                    let beta = rho / before * (alpha / omega);
                    v.plus(&r, beta, &v.plus(p, -omega, product)?)?
                }
            };
            let direction = self.m(&p)?;
            let product = self.a(&direction)?;
            let divisor = v.dot(&shadow, &product)?;
            if divisor == 0.0 {
                return Ok((x, -11));
            }
            alpha = rho / divisor;
            v.add(&r, -alpha, &product)?;
            v.add(&x, alpha, &direction)?;
            if v.norm(&r)? <= enough {
                return Ok((x, 0));
            }
            let step = self.m(&r)?;
            let t = self.a(&step)?;
            omega = v.dot(&t, &r)? / v.dot(&t, &t)?;
            v.add(&x, omega, &step)?;
            v.add(&r, -omega, &t)?;
            before = rho;
            last = Some((p, product));
        }
        let solved = v.norm(&r)? <= enough;
        Ok((x, if solved { 0 } else { maxiter as i64 }))
    }

    /// With the preconditioner on the right, so that the residual is that of the equations themselves.
    fn gmres(&self, restart: Option<usize>) -> Result<Solved> {
        let Start { vectors: v, b, x, mut r, enough, maxiter, .. } = self.start()?;
        let n = b.size();
        let restart = restart.unwrap_or(20).min(n);
        if restart == 0 && n > 0 {
            return Err(Error::argument(self.operation, "`restart` is 0; give a number from 1 on"));
        }
        let mut norm = v.norm(&r)?;
        let basis = RawArray::uninitialised(self.operation, &v.handle, &[restart + 1, n], v.dtype)?;
        let row = |at: usize| {
            let layout = Layout { offset: basis.layout.offset + at * n, ..Layout::contiguous(&[n]) };
            basis.with_layout(layout)
        };
        for _ in 0..maxiter {
            if norm <= enough || n == 0 {
                return Ok((x, 0));
            }
            assign(self.operation, &row(0), &v.scaled(1.0 / norm, &r)?)?;
            // The triangle, the rotations that made it, and the right side.
            let mut columns: Vec<Vec<f64>> = Vec::new();
            let mut rotations: Vec<(f64, f64)> = Vec::new();
            let mut right = vec![norm];
            for k in 0..restart {
                let product = self.a(&self.m(&row(k))?)?;
                let known = slice_axis(&basis, 0, 0, 1, k + 1);
                let (next, mut column, length) = orthogonal(&v, product, &known)?;
                column.push(length);
                for (at, &(c, s)) in rotations.iter().enumerate() {
                    let (one, other) = (column[at], column[at + 1]);
                    column[at] = c * one + s * other;
                    column[at + 1] = c * other - s * one;
                }
                let hypotenuse = column[k].hypot(column[k + 1]);
                let (c, s) =
                    if hypotenuse == 0.0 { (1.0, 0.0) } else { (column[k] / hypotenuse, column[k + 1] / hypotenuse) };
                column[k] = hypotenuse;
                column.truncate(k + 1);
                right.push(-s * right[k]);
                right[k] *= c;
                rotations.push((c, s));
                columns.push(column);
                // A vector of the length 0 ends the space: the solution is in it.
                if right[k + 1].abs() <= enough || length <= f64::EPSILON * norm * 1e-3 || length == 0.0 {
                    break;
                }
                assign(self.operation, &row(k + 1), &v.scaled(1.0 / length, &next)?)?;
            }
            let count = columns.len();
            let mut y = vec![0.0; count];
            for at in (0..count).rev() {
                let known: f64 = (at + 1..count).map(|other| columns[other][at] * y[other]).sum();
                y[at] = if columns[at][at] == 0.0 { 0.0 } else { (right[at] - known) / columns[at][at] };
            }
            let y = v.numbers(&y, &[count])?;
            let step = multiply(self.operation, &y, &slice_axis(&basis, 0, 0, 1, count))?;
            v.add(&x, 1.0, &self.m(&step)?)?;
            r = v.plus(&b, -1.0, &self.a(&x)?)?;
            let now = v.norm(&r)?;
            if now >= norm && now > enough {
                return Ok((x, maxiter as i64));
            }
            norm = now;
        }
        Ok((x, if norm <= enough { 0 } else { maxiter as i64 }))
    }

    /// For symmetric matrices, which need not be definite.
    fn minres(&self, shift: f64) -> Result<Solved> {
        let Start { vectors: v, x, r, enough, maxiter, .. } = self.start()?;
        if shift != 0.0 {
            v.add(&r, shift, &x)?;
        }
        // Lanczos vectors, and those with the preconditioner.
        let mut r1 = r.copied(self.operation)?;
        let mut r2 = r;
        let mut y = self.m(&r2)?;
        let mut beta = v.dot(&r2, &y)?;
        if beta < 0.0 {
            return Err(Error::argument(self.operation, "the preconditioner `M` is not positive definite"));
        }
        beta = beta.sqrt();
        let (mut old_beta, mut delta_bar, mut epsilon) = (0.0, 0.0, 0.0);
        let (mut c, mut s, mut rest) = (-1.0, 0.0, beta);
        let mut w = v.zeros(x.size())?;
        let mut w2 = w.clone();
        for iteration in 0..maxiter {
            if rest <= enough || beta == 0.0 {
                return Ok((x, 0));
            }
            let direction = v.scaled(1.0 / beta, &y)?;
            let mut product = self.a(&direction)?;
            if shift != 0.0 {
                product = v.plus(&product, -shift, &direction)?;
            }
            if iteration > 0 {
                product = v.plus(&product, -beta / old_beta, &r1)?;
            }
            let alpha = v.dot(&direction, &product)?;
            product = v.plus(&product, -alpha / beta, &r2)?;
            r1 = r2;
            r2 = product;
            y = self.m(&r2)?;
            old_beta = beta;
            beta = v.dot(&r2, &y)?.max(0.0).sqrt();
            let old_epsilon = epsilon;
            let delta = c * delta_bar + s * alpha;
            let gamma_bar = s * delta_bar - c * alpha;
            epsilon = s * beta;
            delta_bar = -c * beta;
            let gamma = gamma_bar.hypot(beta).max(f64::MIN_POSITIVE);
            c = gamma_bar / gamma;
            s = beta / gamma;
            let step = c * rest;
            rest *= s.abs();
            let w1 = w2;
            w2 = w;
            let sum = v.combined(-old_epsilon / gamma, &w1, -delta / gamma, &w2)?;
            w = v.plus(&sum, 1.0 / gamma, &direction)?;
            v.add(&x, step, &w)?;
        }
        Ok((x, if rest <= enough { 0 } else { maxiter as i64 }))
    }
}

/// A vector without its parts along orthonormal rows, what they were, and the length that is left. Done twice, it is orthogonal to
/// working accuracy.
pub(super) fn orthogonal(v: &Vectors, vector: RawArray, rows: &RawArray) -> Result<(RawArray, Vec<f64>, f64)> {
    let mut vector = vector;
    let mut parts = vec![0.0; rows.shape()[0]];
    for _ in 0..2 {
        let along = multiply(v.operation, rows, &vector)?;
        vector = v.plus(&vector, -1.0, &multiply(v.operation, &along, rows)?)?;
        for (part, more) in parts.iter_mut().zip(v.downloaded(&along)?) {
            *part += more;
        }
    }
    let length = v.norm(&vector)?;
    Ok((vector, parts, length))
}

/// A solver of square equations: the function, and the one with SciPy's other arguments.
macro_rules! solvers {
    ($($(#[$doc:meta])* $name:ident, $with:ident($($extra:ident: $type:ty),*);)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Float>(a: &dyn Operator<T>, b: &DeviceArray<T>) -> (DeviceArray<T>, i64) {
            $with(a, b, None, None, None, $(none::<$type>(stringify!($extra)),)* None, None)
        }

        #[doc = concat!("As [`", stringify!($name), "`](fn@", stringify!($name), "), with SciPy's other arguments.")]
        #[allow(clippy::too_many_arguments, reason = "SciPy's arguments")]
        #[allow(non_snake_case, reason = "SciPy's names")]
        #[track_caller]
        pub fn $with<T: Float>(
            a: &dyn Operator<T>,
            b: &DeviceArray<T>,
            x0: Option<&DeviceArray<T>>,
            rtol: Option<f64>,
            atol: Option<f64>,
            $($extra: $type,)*
            maxiter: Option<usize>,
            M: Option<&dyn Operator<T>>,
        ) -> (DeviceArray<T>, i64) {
            let solved = || Request::new(stringify!($name), a, b, x0, rtol, atol, maxiter, M)?.$name($($extra),*);
            let (x, info) = check(solved());
            (DeviceArray::from_raw(x), info)
        }
    )*};
}
/// No value for an argument.
fn none<O: Default>(_name: &str) -> O {
    O::default()
}
solvers! {
    /// Solves equations of a symmetric, positive definite matrix by conjugate gradients: the solution, and 0, or the number of
    /// iterations if they were not enough. It ends when the residual is at most `rtol` (1e-5) times the right side, or `atol` (0). SciPy's
    /// `cg`: `gpu::sparse::linalg::cg!(&a, &b, x0 = &x, rtol = 1e-8, maxiter = 100, M = &m)` has its keywords. Waits for the device in
    /// each iteration.
    ///
    /// **Panics** if the matrix is not square, or `b` has another length ([`Error::InvalidShape`]), or devices differ.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::sparse::diags_with(&[-1.0, 2.0, -1.0], &[-1, 0, 1], (50, 50));
    /// let b = gpu::ones::<f64>(50);
    /// let (x, info) = gpu::sparse::linalg::cg(&a, &b);
    /// assert!(info == 0 && gpu::allclose(&a.dot(&x), &b));
    /// ```
    cg, cg_with();

    /// Solves equations of a square matrix by conjugate gradients squared; see [`cg`](fn@cg). -10 and -11 are breakdowns. SciPy's `cgs`.
    ///
    /// **Panics** as [`cg`](fn@cg) does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::sparse::diags_with(&[-1.0, 3.0, -1.5], &[-1, 0, 1], (50, 50));
    /// let (x, info) = gpu::sparse::linalg::cgs(&a, &gpu::ones::<f64>(50));
    /// assert!(info == 0 && gpu::allclose_with(&a.dot(&x), &gpu::ones::<f64>(50), 1e-4, 1e-4, false));
    /// ```
    cgs, cgs_with();

    /// Solves equations of a square matrix by stabilised biconjugate gradients; see [`cg`](fn@cg). -10 and -11 are breakdowns. SciPy's
    /// `bicgstab`.
    ///
    /// **Panics** as [`cg`](fn@cg) does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::sparse::diags_with(&[-1.0, 3.0, -1.5], &[-1, 0, 1], (50, 50));
    /// let (x, info) = gpu::sparse::linalg::bicgstab(&a, &gpu::ones::<f64>(50));
    /// assert!(info == 0 && gpu::allclose_with(&a.dot(&x), &gpu::ones::<f64>(50), 1e-4, 1e-4, false));
    /// ```
    bicgstab, bicgstab_with();

    /// Solves equations of a square matrix by generalised minimal residuals, from the best solution of `restart` (20) iterations on again;
    /// `maxiter` is the number of such rounds. See [`cg`](fn@cg). SciPy's `gmres`.
    ///
    /// **Panics** as [`cg`](fn@cg) does, and if `restart` is 0 ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::sparse::diags_with(&[-1.0, 3.0, -1.5], &[-1, 0, 1], (50, 50));
    /// let (x, info) = gpu::sparse::linalg::gmres(&a, &gpu::ones::<f64>(50));
    /// assert!(info == 0 && gpu::allclose_with(&a.dot(&x), &gpu::ones::<f64>(50), 1e-4, 1e-4, false));
    /// ```
    gmres, gmres_with(restart: Option<usize>);
}

/// Solves equations of a symmetric matrix, which need not be definite, by minimal residuals; see [`cg`](fn@cg). SciPy's `minres`.
///
/// **Panics** as [`cg`](fn@cg) does.
///
/// ```
/// use warpcell as gpu;
/// let a = gpu::sparse::diags_with(&[1.0, 0.5, 1.0], &[-1, 0, 1], (40, 40));
/// let (x, info) = gpu::sparse::linalg::minres(&a, &gpu::ones::<f64>(40));
/// assert!(info == 0 && gpu::allclose_with(&a.dot(&x), &gpu::ones::<f64>(40), 1e-4, 1e-4, false));
/// ```
#[track_caller]
pub fn minres<T: Float>(a: &dyn Operator<T>, b: &DeviceArray<T>) -> (DeviceArray<T>, i64) {
    minres_with(a, b, None, None, None, None, None)
}

/// As [`minres`], with SciPy's other arguments: `shift` is taken off the diagonal.
#[allow(non_snake_case, reason = "SciPy's names")]
#[track_caller]
pub fn minres_with<T: Float>(
    a: &dyn Operator<T>,
    b: &DeviceArray<T>,
    x0: Option<&DeviceArray<T>>,
    rtol: Option<f64>,
    shift: Option<f64>,
    maxiter: Option<usize>,
    M: Option<&dyn Operator<T>>,
) -> (DeviceArray<T>, i64) {
    let solved = || {
        let shift = shift.unwrap_or(0.0);
        Request::new("minres", a, b, x0, rtol, None, maxiter.or(Some(5 * b.size())), M)?.minres(shift)
    };
    let (x, info) = check(solved());
    (DeviceArray::from_raw(x), info)
}
