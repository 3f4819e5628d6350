//! Windows: weights that are large in the middle and small at the ends, for filters and spectra; SciPy's `signal.windows`.
//!
//! Each function takes how many weights there are. Its twin with `_with` in its name, or the macro of the same name, also says
//! whether the window is symmetric (`sym`, the default), as filters need it, or one period of a periodic one, as spectra do.
//! They are computed on the host and lie on the current device, in `f64`. A window of one weight is 1.
//!
//! ```
//! use warpcell::signal::windows;
//! assert!(warpcell::allclose(&windows::hann(5), &[0.0, 0.5, 1.0, 0.5, 0.0]));
//! assert!(warpcell::allclose(&windows::hann!(4, sym = false), &[0.0, 0.5, 1.0, 0.5]));
//! ```

use super::arguments::sealed::Numbers;
use crate::array::DeviceArray;
use crate::array::create::of_values;
use crate::dtype::Float;
use crate::error::{Error, Result, check};
use crate::floats::{IntoFloat, MaybeFloat};
use crate::operations::per_element::bessel;
use std::f64::consts::PI;

// The macros for calls with keywords.
pub use {
    __signal_get_window as get_window, __signal_windows_barthann as barthann, __signal_windows_bartlett as bartlett,
    __signal_windows_blackman as blackman, __signal_windows_blackmanharris as blackmanharris,
    __signal_windows_bohman as bohman, __signal_windows_boxcar as boxcar, __signal_windows_chebwin as chebwin,
    __signal_windows_cosine as cosine, __signal_windows_exponential as exponential,
    __signal_windows_flattop as flattop, __signal_windows_gaussian as gaussian,
    __signal_windows_general_cosine as general_cosine, __signal_windows_general_gaussian as general_gaussian,
    __signal_windows_general_hamming as general_hamming, __signal_windows_hamming as hamming,
    __signal_windows_hann as hann, __signal_windows_kaiser as kaiser,
    __signal_windows_kaiser_bessel_derived as kaiser_bessel_derived, __signal_windows_lanczos as lanczos,
    __signal_windows_nuttall as nuttall, __signal_windows_parzen as parzen, __signal_windows_taylor as taylor,
    __signal_windows_triang as triang, __signal_windows_tukey as tukey,
};

/// Defines `name` with what a window needs and `name_with` with all.
macro_rules! windows {
    ($(
        $(#[$doc:meta])*
        $name:ident $with:ident ($($needed:ident: $type:ty),*) [$($optional:ident: $kind:ty = $default:expr),*] => $weights:expr;
    )*) => {$(
        $(#[$doc])*
        #[track_caller]
        #[allow(non_snake_case, reason = "SciPy's name")]
        pub fn $name(M: usize $(, $needed: impl Argument<$type>)*) -> DeviceArray<f64> {
            $with(M $(, $needed)* $(, $default)*, true)
        }

        #[doc = concat!("As [`", stringify!($name), "`](fn@", stringify!($name), "), symmetric or periodic.")]
        #[track_caller]
        #[allow(non_snake_case, reason = "SciPy's name")]
        pub fn $with(M: usize $(, $needed: impl Argument<$type>)* $(, $optional: impl Argument<$kind>)*, sym: bool) -> DeviceArray<f64> {
            let weights: fn(usize $(, $type)* $(, $kind)*, bool) -> Result<Vec<f64>> = $weights;
            check(weights(M $(, $needed.argument())* $(, $optional.argument())*, sym).and_then(of_values))
        }
    )*};
}
windows! {
    /// Equal weights.
    ///
    /// ```
    /// assert_eq!(warpcell::signal::windows::boxcar(3).tolist(), [1.0, 1.0, 1.0]);
    /// ```
    boxcar boxcar_with () [] => |count, _| Ok(vec![1.0; count]);
    /// A triangle whose ends are not 0.
    ///
    /// ```
    /// assert_eq!(warpcell::signal::windows::triang(3).tolist(), [0.5, 1.0, 0.5]);
    /// ```
    triang triang_with () [] => |count, sym| Ok(extended(count, sym, triangle));
    /// The window of Parzen, of cubic pieces.
    ///
    /// ```
    /// assert_eq!(warpcell::signal::windows::parzen(5).get(&[2]), 1.0);
    /// ```
    parzen parzen_with () [] => |count, sym| Ok(extended(count, sym, cubic));
    /// The window of Bohman.
    ///
    /// ```
    /// assert_eq!(warpcell::signal::windows::bohman(5).get(&[2]), 1.0);
    /// ```
    bohman bohman_with () [] => |count, sym| Ok(extended(count, sym, lobes));
    /// The window of Blackman, of three cosines.
    ///
    /// ```
    /// assert!(warpcell::allclose(&warpcell::signal::windows::blackman(3), &[0.0, 1.0, 0.0]));
    /// ```
    blackman blackman_with () [] => |count, sym| Ok(cosines(count, &BLACKMAN, sym));
    /// The window of Nuttall, of four cosines, with the smallest side lobes.
    ///
    /// ```
    /// assert!((warpcell::signal::windows::nuttall(5).get(&[2]) - 1.0).abs() < 1e-12);
    /// ```
    nuttall nuttall_with () [] => |count, sym| Ok(cosines(count, &NUTTALL, sym));
    /// The window of Blackman and Harris, of four cosines.
    ///
    /// ```
    /// assert!((warpcell::signal::windows::blackmanharris(5).get(&[2]) - 1.0).abs() < 1e-12);
    /// ```
    blackmanharris blackmanharris_with () [] => |count, sym| Ok(cosines(count, &BLACKMAN_HARRIS, sym));
    /// A window of five cosines, whose spectrum is flat at its top: for amplitudes.
    ///
    /// ```
    /// assert!((warpcell::signal::windows::flattop(5).get(&[2]) - 1.0).abs() < 1e-8);
    /// ```
    flattop flattop_with () [] =>
        |count, sym| Ok(cosines(count, &FLAT_TOP, sym));
    /// The window of Bartlett, a triangle whose ends are 0.
    ///
    /// ```
    /// assert_eq!(warpcell::signal::windows::bartlett(5).tolist(), [0.0, 0.5, 1.0, 0.5, 0.0]);
    /// ```
    bartlett bartlett_with () [] => |count, sym| Ok(extended(count, sym, ramps));
    /// The window of Hann, one wave of a cosine.
    ///
    /// ```
    /// assert!(warpcell::allclose(&warpcell::signal::windows::hann(3), &[0.0, 1.0, 0.0]));
    /// ```
    hann hann_with () [] => |count, sym| Ok(cosines(count, &on_base(0.5), sym));
    /// The window of Hamming, a cosine on a base of 0.08.
    ///
    /// ```
    /// assert!(warpcell::allclose(&warpcell::signal::windows::hamming(3), &[0.08, 1.0, 0.08]));
    /// ```
    hamming hamming_with () [] => |count, sym| Ok(cosines(count, &on_base(0.54), sym));
    /// A cosine on a base: with `alpha` 0.5 the window of Hann, with 0.54 that of Hamming.
    ///
    /// ```
    /// assert!(warpcell::allclose(&warpcell::signal::windows::general_hamming(3, 0.6), &[0.2, 1.0, 0.2]));
    /// ```
    general_hamming general_hamming_with (alpha: f64) [] => |count, alpha, sym| Ok(cosines(count, &on_base(alpha), sym));
    /// A sum of cosines with these weights, that of the constant first.
    ///
    /// ```
    /// assert!(warpcell::allclose(&warpcell::signal::windows::general_cosine(3, &[0.5, 0.5]), &[0.0, 1.0, 0.0]));
    /// ```
    general_cosine general_cosine_with (a: Vec<f64>) [] => |count, a, sym| Ok(cosines(count, &a, sym));
    /// The window of Tukey: flat, with cosines at both ends that are a part `alpha` of it (0.5 unless it is said).
    ///
    /// ```
    /// assert!(warpcell::allclose(&warpcell::signal::windows::tukey(5), &[0.0, 1.0, 1.0, 1.0, 0.0]));
    /// ```
    tukey tukey_with () [alpha: f64 = 0.5] => |count, alpha, sym| Ok(tapered(count, alpha, sym));
    /// The window of Bartlett and Hann, a triangle and a cosine.
    ///
    /// ```
    /// assert!(warpcell::allclose(&warpcell::signal::windows::barthann(3), &[0.0, 1.0, 0.0]));
    /// ```
    barthann barthann_with () [] => |count, sym| Ok(extended(count, sym, ramps_and_wave));
    /// The window of Kaiser with the shape `beta`: 0 gives equal weights, 14 a narrow window.
    ///
    /// ```
    /// assert_eq!(warpcell::signal::windows::kaiser(3, 0.0).tolist(), [1.0, 1.0, 1.0]);
    /// ```
    kaiser kaiser_with (beta: f64) [] => |count, beta, sym| Ok(bessels(count, beta, sym));
    /// The window that is derived from Kaiser's, for transforms of lapped blocks; of an even number of weights, and symmetric.
    ///
    /// **Panics** if `M` is odd, or `sym` is false ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// let w = warpcell::signal::windows::kaiser_bessel_derived(4, 4.0);
    /// // The squares of both halves are 1 together.
    /// assert!((w.get(&[0]).powi(2) + w.get(&[2]).powi(2) - 1.0).abs() < 1e-12);
    /// ```
    kaiser_bessel_derived kaiser_bessel_derived_with (beta: f64) [] => derived;
    /// The bell of Gauss with this standard deviation.
    ///
    /// ```
    /// assert!((warpcell::signal::windows::gaussian(3, 1.0).get(&[0]) - (-0.5f64).exp()).abs() < 1e-12);
    /// ```
    gaussian gaussian_with (std: f64) [] => |count, std, sym| Ok(extended(count, sym, |n| bell(n, std)));
    /// A bell whose shape is `p`, 1 for that of Gauss, and which is `sig` wide.
    ///
    /// ```
    /// assert!((warpcell::signal::windows::general_gaussian(3, 1.0, 1.0).get(&[0]) - (-0.5f64).exp()).abs() < 1e-12);
    /// ```
    general_gaussian general_gaussian_with (p: f64, sig: f64) [] => |count, p, sig, sym| Ok(extended(count, sym, |n| general_bell(n, p, sig)));
    /// The window of Dolph and Chebyshev, whose side lobes are all `at` decibels below the main one.
    ///
    /// ```
    /// assert_eq!(warpcell::signal::windows::chebwin(7, 100.0).get(&[3]), 1.0);
    /// ```
    chebwin chebwin_with (at: f64) [] => |count, at, sym| Ok(extended(count, sym, |n| equal_lobes(n, at)));
    /// Half a wave of a sine.
    ///
    /// ```
    /// assert!((warpcell::signal::windows::cosine(3).get(&[1]) - 1.0).abs() < 1e-12);
    /// ```
    cosine cosine_with () [] => |count, sym| Ok(extended(count, sym, half_wave));
    /// The window of Taylor: about `nbar` side lobes beside the main one are `sll` decibels below it (4 and 30 unless it is said).
    /// With `norm` the middle of a window of odd length is 1.
    ///
    /// ```
    /// assert!((warpcell::signal::windows::taylor(5).get(&[2]) - 1.0).abs() < 1e-12);
    /// ```
    taylor taylor_with () [nbar: usize = 4, sll: f64 = 30.0, norm: bool = true] =>
        |count, nbar, sll, norm, sym| Ok(extended(count, sym, |n| decreasing_lobes(n, nbar, sll, norm)));
    /// The window of Lanczos, the main lobe of a sinc.
    ///
    /// ```
    /// assert!(warpcell::allclose(&warpcell::signal::windows::lanczos(3), &[0.0, 1.0, 0.0]));
    /// ```
    lanczos lanczos_with () [] => |count, sym| Ok(extended(count, sym, main_lobe));
}

/// A window that decays on both sides of `center`, the middle unless it is said, by a factor of e in `tau` weights.
///
/// **Panics** if a centre is given for a symmetric window ([`Error::InvalidArgument`]).
///
/// ```
/// assert!((warpcell::signal::windows::exponential(3).get(&[0]) - (-1.0f64).exp()).abs() < 1e-12);
/// ```
#[track_caller]
#[allow(non_snake_case, reason = "SciPy's name")]
pub fn exponential(M: usize) -> DeviceArray<f64> {
    exponential_with(M, None, 1.0, true)
}

/// As [`exponential`](fn@exponential), with all of SciPy's arguments.
#[track_caller]
#[allow(non_snake_case, reason = "SciPy's name")]
pub fn exponential_with(M: usize, center: impl MaybeFloat, tau: impl IntoFloat, sym: bool) -> DeviceArray<f64> {
    let tau = tau.into_float();
    let center = center.maybe_float();
    check(decaying(M, center, tau, sym).and_then(of_values))
}

/// A window: its name, such as `"hann"`, or its name with numbers, such as `("kaiser", 8.0)`; a number alone is the `beta` of
/// Kaiser's. Where spectra are computed also its weights. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a window",
    label = "expected a window",
    note = "a window is a name such as `\"hann\"`, a name with its numbers such as `(\"tukey\", 0.25)`, or an array of weights"
)]
pub trait Window: sealed::Specified {}

pub(crate) mod sealed {
    use super::*;

    pub enum Spec {
        Named(String, Vec<f64>),
        Weights(Vec<f64>),
    }
    /// What is given for an argument of a type: any number for a float.
    pub trait Argument<T> {
        fn argument(self) -> T;
    }
    impl<F: IntoFloat> Argument<f64> for F {
        fn argument(self) -> f64 {
            self.into_float()
        }
    }
    impl<F: IntoFloat> Argument<Vec<f64>> for &[F] {
        fn argument(self) -> Vec<f64> {
            self.iter().map(|number| number.into_float()).collect()
        }
    }
    impl<F: IntoFloat, const N: usize> Argument<Vec<f64>> for &[F; N] {
        fn argument(self) -> Vec<f64> {
            self.as_slice().argument()
        }
    }
    impl<F: IntoFloat> Argument<Vec<f64>> for &Vec<F> {
        fn argument(self) -> Vec<f64> {
            self.as_slice().argument()
        }
    }
    impl Argument<usize> for usize {
        fn argument(self) -> usize {
            self
        }
    }
    impl Argument<bool> for bool {
        fn argument(self) -> bool {
            self
        }
    }
    pub trait Specified {
        fn spec(&self, operation: &'static str) -> Result<Spec>;
    }
}
pub(crate) use sealed::Spec;
use sealed::{Argument, Specified};

impl Specified for &str {
    fn spec(&self, _operation: &'static str) -> Result<Spec> {
        Ok(Spec::Named(self.to_string(), Vec::new()))
    }
}
impl<F: IntoFloat> Specified for F {
    fn spec(&self, _operation: &'static str) -> Result<Spec> {
        Ok(Spec::Named("kaiser".to_string(), vec![self.into_float()]))
    }
}
impl<F: IntoFloat> Specified for (&str, F) {
    fn spec(&self, _operation: &'static str) -> Result<Spec> {
        Ok(Spec::Named(self.0.to_string(), vec![self.1.into_float()]))
    }
}
impl<A: IntoFloat, B: IntoFloat> Specified for (&str, A, B) {
    fn spec(&self, _operation: &'static str) -> Result<Spec> {
        Ok(Spec::Named(self.0.to_string(), vec![self.1.into_float(), self.2.into_float()]))
    }
}
impl<T: Float> Specified for &DeviceArray<T> {
    fn spec(&self, operation: &'static str) -> Result<Spec> {
        weights_of(operation, *self)
    }
}
impl<const N: usize> Specified for &[f64; N] {
    fn spec(&self, operation: &'static str) -> Result<Spec> {
        weights_of(operation, *self)
    }
}
impl Specified for &Vec<f64> {
    fn spec(&self, operation: &'static str) -> Result<Spec> {
        weights_of(operation, *self)
    }
}
impl<W: Specified> Window for W {}

fn weights_of(operation: &'static str, of: &dyn Numbers) -> Result<Spec> {
    let (shape, weights) = of.numbers(operation)?;
    if shape.len() != 1 {
        return Err(Error::shape(operation, shape, "is not 1-D; give the weights of a window as a 1-D array"));
    }
    Ok(Spec::Weights(weights))
}

/// A window of `Nx` weights by its name: periodic, as spectra need it. SciPy's `get_window`. `gpu::signal::get_window!("hann", 64,
/// fftbins = false)` is symmetric.
///
/// **Panics** if there is no such window, or its numbers are not those that it needs ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell::{allclose, signal::get_window};
/// assert!(allclose(&get_window("hann", 4), &[0.0, 0.5, 1.0, 0.5]));
/// assert_eq!(get_window(("tukey", 0.0), 2).tolist(), [1.0, 1.0]);
/// ```
#[track_caller]
#[allow(non_snake_case, reason = "SciPy's name")]
pub fn get_window(window: impl Window, Nx: usize) -> DeviceArray<f64> {
    get_window_with(window, Nx, true)
}

/// As [`get_window`](fn@get_window), periodic or symmetric.
#[track_caller]
#[allow(non_snake_case, reason = "SciPy's name")]
pub fn get_window_with(window: impl Window, Nx: usize, fftbins: bool) -> DeviceArray<f64> {
    check(weights("get_window", &window, Nx, !fftbins).and_then(of_values))
}

/// The weights of a window. Those that are given are as many as they are.
pub(super) fn weights(operation: &'static str, window: &dyn Specified, count: usize, sym: bool) -> Result<Vec<f64>> {
    match window.spec(operation)? {
        Spec::Weights(weights) if weights.len() == count => Ok(weights),
        Spec::Weights(weights) => {
            let reason = format!("the window has {} weights, but {count} are needed", weights.len());
            Err(Error::argument(operation, reason))
        }
        Spec::Named(name, numbers) => named(operation, &name, &numbers, count, sym),
    }
}

fn named(operation: &'static str, name: &str, numbers: &[f64], count: usize, sym: bool) -> Result<Vec<f64>> {
    let given = numbers.len();
    let of = |f: fn(usize) -> Vec<f64>| Ok(extended(count, sym, f));
    match (name, numbers) {
        ("boxcar" | "box" | "ones" | "rect" | "rectangular", []) => Ok(vec![1.0; count]),
        ("triang" | "triangle" | "tri", []) => of(triangle),
        ("parzen" | "parz" | "par", []) => of(cubic),
        ("bohman" | "bman" | "bmn", []) => of(lobes),
        ("blackman" | "black" | "blk", []) => Ok(cosines(count, &BLACKMAN, sym)),
        ("nuttall" | "nutl" | "nut", []) => Ok(cosines(count, &NUTTALL, sym)),
        ("blackmanharris" | "blackharr" | "bkh", []) => Ok(cosines(count, &BLACKMAN_HARRIS, sym)),
        ("flattop" | "flat" | "flt", []) => Ok(cosines(count, &FLAT_TOP, sym)),
        ("bartlett" | "bart" | "brt", []) => of(ramps),
        ("hann" | "han", []) => Ok(cosines(count, &on_base(0.5), sym)),
        ("hamming" | "hamm" | "ham", []) => Ok(cosines(count, &on_base(0.54), sym)),
        ("general_hamming", &[alpha]) => Ok(cosines(count, &on_base(alpha), sym)),
        ("general_cosine", [_, ..]) => Ok(cosines(count, numbers, sym)),
        ("tukey" | "tuk", []) => Ok(tapered(count, 0.5, sym)),
        ("tukey" | "tuk", &[alpha]) => Ok(tapered(count, alpha, sym)),
        ("barthann" | "brthan" | "bth", []) => of(ramps_and_wave),
        ("kaiser" | "ksr", &[beta]) => Ok(bessels(count, beta, sym)),
        ("kaiser_bessel_derived" | "kbd", &[beta]) => derived(count, beta, sym),
        ("gaussian" | "gauss" | "gss", &[std]) => Ok(extended(count, sym, |n| bell(n, std))),
        ("general_gaussian" | "general gaussian" | "general gauss" | "general_gauss" | "ggs", &[p, sig]) => {
            Ok(extended(count, sym, |n| general_bell(n, p, sig)))
        }
        ("chebwin" | "cheb", &[at]) => Ok(extended(count, sym, |n| equal_lobes(n, at))),
        ("cosine" | "halfcosine", []) => of(half_wave),
        ("exponential" | "poisson", []) => decaying(count, None, 1.0, sym),
        ("exponential" | "poisson", &[center]) => decaying(count, Some(center), 1.0, sym),
        ("exponential" | "poisson", &[center, tau]) => decaying(count, Some(center), tau, sym),
        ("taylor" | "taylorwin", []) => Ok(extended(count, sym, |n| decreasing_lobes(n, 4, 30.0, true))),
        ("taylor" | "taylorwin", &[nbar]) => {
            Ok(extended(count, sym, |n| decreasing_lobes(n, nbar as usize, 30.0, true)))
        }
        ("taylor" | "taylorwin", &[nbar, sll]) => {
            Ok(extended(count, sym, |n| decreasing_lobes(n, nbar as usize, sll, true)))
        }
        ("lanczos" | "sinc", []) => of(main_lobe),
        _ => {
            let reason = format!(
                "there is no window {name:?} with {given} numbers; such are \"hann\", \"hamming\", \"blackman\", \"boxcar\", \
                 (\"kaiser\", beta), (\"gaussian\", std), (\"tukey\", alpha)"
            );
            Err(Error::argument(operation, reason))
        }
    }
}

/// A window of `count` weights: of a periodic one, the symmetric one with one more at the end, without that.
fn extended(count: usize, sym: bool, weights: impl FnOnce(usize) -> Vec<f64>) -> Vec<f64> {
    if count <= 1 {
        return vec![1.0; count];
    }
    let mut found = weights(count + usize::from(!sym));
    found.truncate(count);
    found
}

fn places(n: usize) -> impl Iterator<Item = f64> {
    (0..n).map(|at| at as f64)
}

/// The places from the middle.
fn centred(n: usize) -> impl Iterator<Item = f64> {
    places(n).map(move |at| at - (n - 1) as f64 / 2.0)
}

/// The weights of windows that are sums of cosines.
const BLACKMAN: [f64; 3] = [0.42, 0.5, 0.08];
const NUTTALL: [f64; 4] = [0.3635819, 0.4891775, 0.1365995, 0.0106411];
const BLACKMAN_HARRIS: [f64; 4] = [0.35875, 0.48829, 0.14128, 0.01168];
const FLAT_TOP: [f64; 5] = [0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368];

/// Those of one cosine on a base.
fn on_base(alpha: f64) -> [f64; 2] {
    [alpha, 1.0 - alpha]
}

fn ramps(n: usize) -> Vec<f64> {
    let span = (n - 1) as f64;
    places(n).map(|at| if at <= span / 2.0 { 2.0 * at / span } else { 2.0 - 2.0 * at / span }).collect()
}

fn ramps_and_wave(n: usize) -> Vec<f64> {
    let from_middle = |at: f64| (at / (n - 1) as f64 - 0.5).abs();
    places(n).map(from_middle).map(|far| 0.62 - 0.48 * far + 0.38 * (2.0 * PI * far).cos()).collect()
}

fn bell(n: usize, std: f64) -> Vec<f64> {
    centred(n).map(|at| (-at * at / (2.0 * std * std)).exp()).collect()
}

fn general_bell(n: usize, p: f64, sig: f64) -> Vec<f64> {
    centred(n).map(|at| (-0.5 * (at / sig).abs().powf(2.0 * p)).exp()).collect()
}

fn half_wave(n: usize) -> Vec<f64> {
    places(n).map(|at| (PI / n as f64 * (at + 0.5)).sin()).collect()
}

fn main_lobe(n: usize) -> Vec<f64> {
    let span = (n - 1) as f64;
    (0..n).map(|at| sinc(2.0 * at.max(n - 1 - at) as f64 / span - 1.0)).collect()
}

pub(super) fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) }
}

fn cosines(count: usize, weights: &[f64], sym: bool) -> Vec<f64> {
    extended(count, sym, |n| {
        // As NumPy's linspace does it.
        let step = 2.0 * PI / (n - 1) as f64;
        let angle = |at: usize| if at == n - 1 { PI } else { at as f64 * step - PI };
        let weight = |angle: f64| weights.iter().enumerate().map(|(k, a)| a * (k as f64 * angle).cos()).sum();
        (0..n).map(|at| weight(angle(at))).collect()
    })
}

fn triangle(n: usize) -> Vec<f64> {
    let weight = |at: usize| {
        let from_end = (at.min(n - 1 - at) + 1) as f64;
        if n.is_multiple_of(2) { (2.0 * from_end - 1.0) / n as f64 } else { 2.0 * from_end / (n as f64 + 1.0) }
    };
    (0..n).map(weight).collect()
}

fn cubic(n: usize) -> Vec<f64> {
    let weight = |at: f64| {
        let share = at.abs() / (n as f64 / 2.0);
        if at.abs() <= (n - 1) as f64 / 4.0 {
            1.0 - 6.0 * share.powi(2) + 6.0 * share.powi(3)
        } else {
            2.0 * (1.0 - share).powi(3)
        }
    };
    centred(n).map(weight).collect()
}

fn lobes(n: usize) -> Vec<f64> {
    let weight = |at: f64| {
        let far = (2.0 * at / (n - 1) as f64 - 1.0).abs();
        (1.0 - far) * (PI * far).cos() + (PI * far).sin() / PI
    };
    let mut found: Vec<f64> = places(n).map(weight).collect();
    (found[0], found[n - 1]) = (0.0, 0.0);
    found
}

fn tapered(count: usize, alpha: f64, sym: bool) -> Vec<f64> {
    if alpha <= 0.0 {
        return vec![1.0; count];
    }
    if alpha >= 1.0 {
        return cosines(count, &on_base(0.5), sym);
    }
    extended(count, sym, |n| {
        let span = (n - 1) as f64;
        let width = (alpha * span / 2.0).floor() as usize;
        let weight = |at: usize| {
            let place = 2.0 * at as f64 / alpha / span;
            if at <= width {
                0.5 * (1.0 + (PI * (-1.0 + place)).cos())
            } else if at < n - width - 1 {
                1.0
            } else {
                0.5 * (1.0 + (PI * (-2.0 / alpha + 1.0 + place)).cos())
            }
        };
        (0..n).map(weight).collect()
    })
}

fn bessels(count: usize, beta: f64, sym: bool) -> Vec<f64> {
    extended(count, sym, |n| {
        let middle = (n - 1) as f64 / 2.0;
        let largest = bessel(beta);
        let share = |at: f64| (at - middle) / middle;
        places(n).map(|at| bessel(beta * (1.0 - share(at).powi(2)).max(0.0).sqrt()) / largest).collect()
    })
}

fn derived(count: usize, beta: f64, sym: bool) -> Result<Vec<f64>> {
    const NAME: &str = "kaiser_bessel_derived";
    if !sym {
        return Err(Error::argument(NAME, "`sym` is false, but this window is symmetric only"));
    }
    if !count.is_multiple_of(2) {
        return Err(Error::argument(NAME, format!("`M` is {count}, but this window has an even number of weights")));
    }
    if count == 0 {
        return Ok(Vec::new());
    }
    let mut sum = 0.0;
    let sums: Vec<f64> = bessels(count / 2 + 1, beta, true)
        .into_iter()
        .map(|weight| {
            sum += weight;
            sum
        })
        .collect();
    let half: Vec<f64> = sums[..count / 2].iter().map(|part| (part / sum).sqrt()).collect();
    Ok(half.iter().chain(half.iter().rev()).copied().collect())
}

fn decaying(count: usize, center: Option<f64>, tau: f64, sym: bool) -> Result<Vec<f64>> {
    if let (true, Some(center)) = (sym, center) {
        let reason = format!("`center` is {center}, but a symmetric window has it in the middle; give `sym = false`");
        return Err(Error::argument("exponential", reason));
    }
    Ok(extended(count, sym, |n| {
        let center = center.unwrap_or((n - 1) as f64 / 2.0);
        places(n).map(|at| (-(at - center).abs() / tau).exp()).collect()
    }))
}

/// The window of Dolph and Chebyshev, by the transform of Chebyshev's polynomial.
fn equal_lobes(n: usize, at: f64) -> Vec<f64> {
    let order = (n - 1) as f64;
    let beta = ((10f64.powf(at.abs() / 20.0)).acosh() / order).cosh();
    let spectrum = |k: usize| {
        let x = beta * (PI * k as f64 / n as f64).cos();
        if x > 1.0 {
            (order * x.acosh()).cosh()
        } else if x < -1.0 {
            (if n.is_multiple_of(2) { -1.0 } else { 1.0 }) * (order * (-x).acosh()).cosh()
        } else {
            (order * x.acos()).cos()
        }
    };
    let spectrum: Vec<f64> = (0..n).map(spectrum).collect();
    let turns: Vec<f64> = (0..2 * n).map(|at| (PI * at as f64 / n as f64).cos()).collect();
    let is_even = n.is_multiple_of(2);
    // The transform at a place, for an even number between two places.
    let value = |place: usize| -> f64 {
        let turn = if is_even { (2 * place + 2 * n - 1) % (2 * n) } else { 2 * place };
        spectrum.iter().enumerate().map(|(k, p)| p * turns[(k * turn) % (2 * n)]).sum()
    };
    let half: Vec<f64> =
        if is_even { (1..=n / 2).map(value).collect() } else { (0..n.div_ceil(2)).map(value).collect() };
    let second = if is_even { &half[..] } else { &half[1..] };
    let mut found: Vec<f64> = second.iter().rev().copied().chain(half.iter().copied()).collect();
    let largest = found.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    found.iter_mut().for_each(|weight| *weight /= largest);
    found
}

/// The window of Taylor.
fn decreasing_lobes(n: usize, nbar: usize, sll: f64, norm: bool) -> Vec<f64> {
    let ratio = 10f64.powf(sll / 20.0).acosh() / PI;
    let bar = nbar as f64;
    let s2 = bar * bar / (ratio * ratio + (bar - 0.5).powi(2));
    let count = nbar.saturating_sub(1);
    let factor = |index: usize| {
        let m2 = ((index + 1) * (index + 1)) as f64;
        let sign = if index.is_multiple_of(2) { 1.0 } else { -1.0 };
        let above: f64 =
            (1..=count).map(|other| 1.0 - m2 / s2 / (ratio * ratio + (other as f64 - 0.5).powi(2))).product();
        let below: f64 =
            (1..=count).filter(|&other| other != index + 1).map(|other| 1.0 - m2 / (other * other) as f64).product();
        sign * above / (2.0 * below)
    };
    let factors: Vec<f64> = (0..count).map(factor).collect();
    let weight = |at: f64| {
        let angle = 2.0 * PI * (at - n as f64 / 2.0 + 0.5) / n as f64;
        2.0 * factors.iter().enumerate().map(|(k, f)| f * ((k + 1) as f64 * angle).cos()).sum::<f64>() + 1.0
    };
    let scale = if norm { 1.0 / weight((n - 1) as f64 / 2.0) } else { 1.0 };
    places(n).map(|at| weight(at) * scale).collect()
}
