//! Least squares by iteration: LSQR (Paige and Saunders, 1982) and LSMR (Fong and Saunders, 2011), both by the bidiagonalisation of
//! Golub and Kahan.

use super::operator::{Operator, Ready};
use super::vectors::Vectors;
use crate::array::{DeviceArray, RawArray};
use crate::dtype::Float;
use crate::error::{Error, Result, check};

/// What `lsqr` and `lsmr` give.
#[derive(Clone, Debug)]
pub struct LeastSquares<T: Float> {
    /// The solution.
    pub x: DeviceArray<T>,
    /// Why it ended: 0, the solution is 0; 1, the equations are solved; 2, the squares are least; 3, the matrix is ill-conditioned; 7, there
    /// were not enough iterations.
    pub istop: usize,
    /// The iterations.
    pub itn: usize,
    /// The norm of `b - a x`.
    pub normr: f64,
    /// The norm of `aᵀ (b - a x) - damp² x`.
    pub normar: f64,
    /// An estimate of the norm of the matrix.
    pub norma: f64,
    /// An estimate of its condition number.
    pub conda: f64,
    /// The norm of the solution.
    pub normx: f64,
}

/// The same without the type.
struct Found {
    x: RawArray,
    istop: usize,
    itn: usize,
    normr: f64,
    normar: f64,
    norma: f64,
    conda: f64,
    normx: f64,
}

struct Request<'a> {
    operation: &'static str,
    a: Ready<'a>,
    back: Ready<'a>,
    b: RawArray,
    x0: Option<RawArray>,
    damp: f64,
    atol: f64,
    btol: f64,
    conlim: f64,
    limit: Option<usize>,
}

/// The vectors of the bidiagonalisation.
struct Bidiagonal {
    u: RawArray,
    v: RawArray,
    alpha: f64,
    beta: f64,
}

impl Request<'_> {
    fn begin(&self) -> Result<(Vectors, RawArray, Bidiagonal, f64)> {
        let [rows, columns] = self.a.shape;
        if self.back.shape != [columns, rows] {
            return Err(Error::shape(self.operation, self.back.shape, "of the transposed operator is another one"));
        }
        let vectors = Vectors::of(self.operation, &self.b)?;
        let b = vectors.right_side(&self.b, rows)?;
        let (x, r) = match &self.x0 {
            None => (vectors.zeros(columns)?, b.copied(self.operation)?),
            Some(x0) => {
                b.same_device(self.operation, x0)?;
                let x = vectors.right_side(x0, columns)?.copied(self.operation)?;
                let r = vectors.plus(&b, -1.0, &(self.a.product)(&x)?)?;
                (x, r)
            }
        };
        let norm = vectors.norm(&b)?;
        let beta = vectors.norm(&r)?;
        let u = if beta > 0.0 { vectors.scaled(1.0 / beta, &r)? } else { r };
        let v = if beta > 0.0 { (self.back.product)(&u)? } else { vectors.zeros(columns)? };
        let alpha = vectors.norm(&v)?;
        let v = if alpha > 0.0 { vectors.scaled(1.0 / alpha, &v)? } else { v };
        Ok((vectors, x, Bidiagonal { u, v, alpha, beta }, norm))
    }

    fn step(&self, vectors: &Vectors, of: &mut Bidiagonal) -> Result<()> {
        of.u = vectors.plus(&(self.a.product)(&of.v)?, -of.alpha, &of.u)?;
        of.beta = vectors.norm(&of.u)?;
        if of.beta > 0.0 {
            of.u = vectors.scaled(1.0 / of.beta, &of.u)?;
            of.v = vectors.plus(&(self.back.product)(&of.u)?, -of.beta, &of.v)?;
            of.alpha = vectors.norm(&of.v)?;
            if of.alpha > 0.0 {
                of.v = vectors.scaled(1.0 / of.alpha, &of.v)?;
            }
        }
        Ok(())
    }

    /// Why to end, if it is to end.
    fn ends(&self, found: &Found, normb: f64) -> Option<usize> {
        let test1 = found.normr / normb;
        let test2 = found.normar / (found.norma * found.normr + f64::EPSILON);
        let rtol = self.btol + self.atol * found.norma * found.normx / normb;
        if test1 <= rtol || 1.0 + test1 / (1.0 + found.norma * found.normx / normb) <= 1.0 {
            Some(1)
        } else if test2 <= self.atol || 1.0 + test2 <= 1.0 {
            Some(2)
        } else if self.conlim > 0.0 && found.conda >= self.conlim || 1.0 + 1.0 / found.conda <= 1.0 {
            Some(3)
        } else {
            None
        }
    }

    fn trivial(x: RawArray, normr: f64) -> Found {
        Found { x, istop: 0, itn: 0, normr, normar: 0.0, norma: 0.0, conda: 0.0, normx: 0.0 }
    }

    fn lsqr(&self) -> Result<Found> {
        let (vectors, x, mut of, normb) = self.begin()?;
        let limit = self.limit.unwrap_or(2 * self.a.shape[1]);
        if of.alpha * of.beta == 0.0 {
            return Ok(Self::trivial(x, of.beta));
        }
        let mut w = of.v.clone();
        let (mut rhobar, mut phibar) = (of.alpha, of.beta);
        let (mut squares, mut directions, mut damped) = (0.0, 0.0, 0.0);
        let (mut cs2, mut sn2, mut z, mut xxnorm) = (-1.0, 0.0, 0.0, 0.0);
        let mut found = Self::trivial(x, of.beta);
        found.istop = 7;
        while found.itn < limit {
            found.itn += 1;
            let alpha = of.alpha;
            self.step(&vectors, &mut of)?;
            squares += alpha * alpha + of.beta * of.beta + self.damp * self.damp;
            found.norma = f64::sqrt(squares);
            // The damping, and then the lower diagonal, are rotated away.
            let rhobar1 = rhobar.hypot(self.damp);
            let psi = self.damp / rhobar1 * phibar;
            phibar *= rhobar / rhobar1;
            let rho = rhobar1.hypot(of.beta);
            let (cs, sn) = (rhobar1 / rho, of.beta / rho);
            let theta = sn * of.alpha;
            rhobar = -cs * of.alpha;
            let phi = cs * phibar;
            phibar *= sn;
            let tau = sn * phi;
            directions += (vectors.norm(&w)? / rho).powi(2);
            vectors.add(&found.x, phi / rho, &w)?;
            w = vectors.plus(&of.v, -theta / rho, &w)?;
            let (delta, gambar) = (sn2 * rho, -cs2 * rho);
            let right = phi - delta * z;
            found.normx = (xxnorm + (right / gambar).powi(2)).sqrt();
            let gamma = gambar.hypot(theta);
            cs2 = gambar / gamma;
            sn2 = theta / gamma;
            z = right / gamma;
            xxnorm += z * z;
            found.conda = found.norma * f64::sqrt(directions);
            damped += psi * psi;
            let norm2 = (phibar * phibar + damped).sqrt();
            found.normar = of.alpha * tau.abs();
            let plain = norm2 * norm2 - (self.damp * found.normx).powi(2);
            found.normr = if self.damp == 0.0 { norm2 } else { plain.abs().sqrt() };
            if let Some(why) = self.ends(&Found { normr: norm2, x: found.x.clone(), ..found }, normb) {
                found.istop = why;
                break;
            }
        }
        Ok(found)
    }

    fn lsmr(&self) -> Result<Found> {
        let (vectors, x, mut of, normb) = self.begin()?;
        let limit = self.limit.unwrap_or(self.a.shape[0].min(self.a.shape[1]));
        if of.alpha * of.beta == 0.0 {
            return Ok(Self::trivial(x, of.beta));
        }
        let (mut zetabar, mut alphabar) = (of.alpha * of.beta, of.alpha);
        let (mut rho, mut rhobar, mut cbar, mut sbar) = (1.0, 1.0, 1.0, 0.0);
        let mut h = of.v.clone();
        let mut hbar = vectors.zeros(self.a.shape[1])?;
        let (mut betadd, mut betad, mut rhodold, mut tautildeold, mut thetatilde, mut zeta, mut d) =
            (of.beta, 0.0, 1.0f64, 0.0, 0.0, 0.0, 0.0);
        let (mut squares, mut maxrbar, mut minrbar) = (of.alpha * of.alpha, 0.0f64, 1e100f64);
        let mut found = Self::trivial(x, of.beta);
        found.istop = 7;
        while found.itn < limit {
            found.itn += 1;
            self.step(&vectors, &mut of)?;
            let alphahat = alphabar.hypot(self.damp);
            let (chat, shat) = (alphabar / alphahat, self.damp / alphahat);
            let rhoold = rho;
            rho = alphahat.hypot(of.beta);
            let (c, s) = (alphahat / rho, of.beta / rho);
            let thetanew = s * of.alpha;
            alphabar = c * of.alpha;
            let (rhobarold, zetaold) = (rhobar, zeta);
            let thetabar = sbar * rho;
            let rhotemp = cbar * rho;
            rhobar = rhotemp.hypot(thetanew);
            cbar = rhotemp / rhobar;
            sbar = thetanew / rhobar;
            zeta = cbar * zetabar;
            zetabar *= -sbar;
            hbar = vectors.plus(&h, -(thetabar * rho / (rhoold * rhobarold)), &hbar)?;
            vectors.add(&found.x, zeta / (rho * rhobar), &hbar)?;
            h = vectors.plus(&of.v, -(thetanew / rho), &h)?;
            // The norm of the residual.
            let betaacute = chat * betadd;
            let betacheck = -shat * betadd;
            let betahat = c * betaacute;
            betadd = -s * betaacute;
            let thetatildeold = thetatilde;
            let rhotildeold = rhodold.hypot(thetabar);
            let (ctildeold, stildeold) = (rhodold / rhotildeold, thetabar / rhotildeold);
            thetatilde = stildeold * rhobar;
            rhodold = ctildeold * rhobar;
            betad = -stildeold * betad + ctildeold * betahat;
            tautildeold = (zetaold - thetatildeold * tautildeold) / rhotildeold;
            let taud = (zeta - thetatilde * tautildeold) / rhodold;
            d += betacheck * betacheck;
            found.normr = (d + (betad - taud).powi(2) + betadd * betadd).sqrt();
            squares += of.beta * of.beta;
            found.norma = f64::sqrt(squares);
            squares += of.alpha * of.alpha;
            maxrbar = maxrbar.max(rhobarold);
            if found.itn > 1 {
                minrbar = minrbar.min(rhobarold);
            }
            found.conda = maxrbar.max(rhotemp) / minrbar.min(rhotemp);
            found.normar = f64::abs(zetabar);
            found.normx = vectors.norm(&found.x)?;
            if let Some(why) = self.ends(&found, normb) {
                found.istop = why;
                break;
            }
        }
        Ok(found)
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident, $with:ident($limit:ident);)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Float>(a: &dyn Operator<T>, b: &DeviceArray<T>) -> LeastSquares<T> {
            $with(a, b, None, None, None, None, None, None)
        }

        #[doc = concat!("As [`", stringify!($name), "`](fn@", stringify!($name), "), with SciPy's other arguments.")]
        #[expect(clippy::too_many_arguments, reason = "SciPy's arguments")]
        #[track_caller]
        pub fn $with<T: Float>(
            a: &dyn Operator<T>,
            b: &DeviceArray<T>,
            damp: Option<f64>,
            atol: Option<f64>,
            btol: Option<f64>,
            conlim: Option<f64>,
            $limit: Option<usize>,
            x0: Option<&DeviceArray<T>>,
        ) -> LeastSquares<T> {
            let operation = stringify!($name);
            let found = || {
                let (a, back) = (a.ready(operation)?, a.transposed(operation)?);
                let (b, x0) = ((*b.raw).clone(), x0.map(|x| (*x.raw).clone()));
                let (damp, conlim, limit) = (damp.unwrap_or(0.0), conlim.unwrap_or(1e8), $limit);
                let (atol, btol) = (atol.unwrap_or(1e-6), btol.unwrap_or(1e-6));
                Request { operation, a, back, b, x0, damp, atol, btol, conlim, limit }.$name()
            };
            let Found { x, istop, itn, normr, normar, norma, conda, normx } = check(found());
            LeastSquares { x: DeviceArray::from_raw(x), istop, itn, normr, normar, norma, conda, normx }
        }
    )*};
}
functions! {
    /// The least squares `|b - a x|² + damp² |x|²` of a matrix of any shape, by LSQR. SciPy's `lsqr`:
    /// `gpu::sparse::linalg::lsqr!(&a, &b, damp = 0.1, atol = 1e-8, btol = 1e-8)` has its keywords. Waits for the device in each
    /// iteration.
    ///
    /// **Panics** if `b` has another length than the columns ([`Error::InvalidShape`]), or devices differ.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::sparse::csr_matrix(&gpu::array(&[[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]));
    /// let found = gpu::sparse::linalg::lsqr(&a, &gpu::array(&[1.0, 0.0, -1.0]));
    /// assert!(gpu::allclose(&found.x, &[1.0, -1.0]) && found.istop == 1);
    /// ```
    lsqr, lsqr_with(iter_lim);

    /// The least squares as of [`lsqr`](fn@lsqr), by LSMR, whose residuals of the normal equations never grow. SciPy's `lsmr`.
    ///
    /// **Panics** as [`lsqr`](fn@lsqr) does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let a = gpu::sparse::csr_matrix(&gpu::array(&[[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]));
    /// let found = gpu::sparse::linalg::lsmr(&a, &gpu::array(&[1.0, 0.0, -1.0]));
    /// assert!(gpu::allclose(&found.x, &[1.0, -1.0]));
    /// ```
    lsmr, lsmr_with(maxiter);
}
