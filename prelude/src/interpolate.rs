//! Functions through points: splines, polynomials, and values between those of grids and of scattered points; SciPy's `interpolate`.
//!
//! The coefficients are computed on the host: the points are copied to it (this waits), because the systems of equations are narrow
//! bands that are solved from one end to the other. What is evaluated is evaluated on the device of the points, in `f64`, by one
//! kernel; for points of `f32` the result is `f32`.
//!
//! SciPy calls an interpolator as a function, `cs(x)`. Here it is `cs.eval(&x)`, and `cs.eval_nu(&x, 1)` is its derivative.
//!
//! ```
//! use warpcell as gpu;
//! use gpu::interpolate::CubicSpline;
//!
//! let x = gpu::linspace(0.0, std::f64::consts::TAU, 20);
//! let spline = CubicSpline::new(&x, &x.sin());
//! let between = gpu::linspace(0.0, 6.0, 100);
//! assert!(gpu::allclose_with(&spline.eval(&between), &between.sin(), 0.0, 1e-3, false));
//! assert!(gpu::allclose_with(&spline.derivative(1).eval(&between), &between.cos(), 0.0, 1e-2, false));
//! let natural = gpu::interpolate::CubicSpline!(&x, &x.sin(), bc_type = "natural");
//! assert!(natural.eval_nu(&x, 2).get(&[0]).abs() < 1e-12);
//! ```

mod arguments;
mod banded;
mod bspline;
mod cubic;
mod grids;
mod kernels;
mod line;
mod pieces;
mod polynomials;
mod scattered;

pub use arguments::{Boundaries, BoundaryValues, Extrapolate, Extrapolation, FillValue, Points};
pub use bspline::{BSpline, make_interp_spline, make_interp_spline_with, splantider, splder};
pub use cubic::{Akima1DInterpolator, CubicHermiteSpline, CubicSpline, PchipInterpolator, pchip_interpolate};
pub use grids::{RegularGridInterpolator, interpn, interpn_with};
pub use line::{Interp1d, interp1d, interp1d_with};
pub use pieces::{BPoly, PPoly};
pub use polynomials::{BarycentricInterpolator, KroghInterpolator, barycentric_interpolate, krogh_interpolate};
pub use scattered::{NearestNDInterpolator, RBFInterpolator};

// The macros for calls with keywords.
pub use {
    __interpolate_Akima1DInterpolator as Akima1DInterpolator, __interpolate_CubicSpline as CubicSpline,
    __interpolate_PchipInterpolator as PchipInterpolator, __interpolate_RBFInterpolator as RBFInterpolator,
    __interpolate_RegularGridInterpolator as RegularGridInterpolator, __interpolate_interp1d as interp1d,
    __interpolate_interpn as interpn, __interpolate_make_interp_spline as make_interp_spline,
};
