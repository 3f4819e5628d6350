//! Minima, roots and fits; SciPy's `optimize`.
//!
//! Functions are closures. What they get is what the search starts from: an array of numbers such as `[1.3, 0.7]`, a `Vec`, or an array
//! on the device. The few numbers of the search itself are on the host; vectors on a device stay there.
//!
//! ```
//! use warpcell as gpu;
//! use gpu::optimize;
//! // Rosenbrock's valley.
//! let best = optimize::minimize(|x| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2), &[-1.2, 1.0]);
//! assert!(best.success && (best.x[0] - 1.0).abs() < 1e-3);
//!
//! // On the device, with the gradient.
//! let target = gpu::linspace(0.0, 1.0, 1000);
//! let best = optimize::minimize!(
//!     |x| (x - &target).square().sum(),
//!     &gpu::zeros::<f64>(1000),
//!     jac = |x| (x - &target) * 2.0,
//! );
//! assert!(gpu::allclose(&best.x, &target));
//!
//! let time = gpu::linspace(0.0, 4.0, 50);
//! let measured = (&time * -1.3).exp() * 2.5;
//! let (p, covariance) = optimize::curve_fit(|t, p| (t * -p[1]).exp() * p[0], &time, &measured, &[1.0, 1.0]);
//! assert!((p[0] - 2.5).abs() < 1e-6 && (p[1] - 1.3).abs() < 1e-6 && covariance.shape() == [2, 2]);
//! ```

mod fit;
mod minimum;
mod scalar;
mod simplex;
mod systems;
mod variables;

pub use fit::{LeastSquaresResult, curve_fit, curve_fit_with, least_squares, least_squares_with};
pub use minimum::{OptimizeResult, minimize, minimize_with, minimize_with_jac};
pub use scalar::{
    RootResults, ScalarResult, bisect, bisect_with, brentq, brentq_with, minimize_scalar, minimize_scalar_bounded,
    minimize_scalar_with, newton, newton_with, newton_with_fprime, ridder, ridder_with, root_scalar, root_scalar_with,
};
pub use systems::{root, root_with};
pub use variables::{Parameters, Residuals, Variables};

// The macros for calls with keywords.
pub use {
    __optimize_bisect as bisect, __optimize_brentq as brentq, __optimize_curve_fit as curve_fit,
    __optimize_least_squares as least_squares, __optimize_minimize as minimize,
    __optimize_minimize_scalar as minimize_scalar, __optimize_newton as newton, __optimize_ridder as ridder,
    __optimize_root as root, __optimize_root_scalar as root_scalar,
};
