//! Spectra of samples that are not at equal distances.

use super::kernels::fit_waves;
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::dtype::{DType, Number};
use crate::error::{Error, Result, check};

/// The periodogram of Lomb and Scargle: for each angular frequency in `freqs` the power of the sine that fits the samples `y` at the
/// times `x` best, in the squared units of `y` times a fourth of the number of samples. SciPy's `lombscargle`:
/// `gpu::signal::lombscargle!(&x, &y, &freqs, normalize = true, weights = &w, floating_mean = true)` has its keywords: with
/// `normalize` powers are shares of the whole, and with `floating_mean` the mean of `y` is fitted too. SciPy's `normalize =
/// "amplitude"` is not here. The result is `f64`.
///
/// One thread for each frequency sums over the samples, without tables of frequencies and times. M. Zechmeister and M. Kürster, "The
/// generalised Lomb-Scargle periodogram" (2009).
///
/// **Panics** if the arrays are not vectors, or are empty, or `x`, `y` and `weights` do not have the same length
/// ([`Error::InvalidShape`]), a weight is negative or all are 0 ([`Error::InvalidArgument`]), or the arrays are on different devices.
///
/// ```
/// use warpcell as gpu;
/// let x = gpu::arange(200.0) * 0.37 + gpu::arange(200.0).sin() * 0.1;
/// let y = (&x * 1.5).sin();
/// let freqs = gpu::linspace(0.1, 3.0, 30);
/// let power = gpu::signal::lombscargle(&x, &y, &freqs);
/// assert_eq!(power.argmax(), 14);
/// ```
#[track_caller]
pub fn lombscargle<X, Y, F>(x: &X, y: &Y, freqs: &F) -> DeviceArray<f64>
where
    X: OnDevice<Elem: Number>,
    Y: OnDevice<Elem: Number>,
    F: OnDevice<Elem: Number>,
{
    lombscargle_with(x, y, freqs, None, None, None)
}

/// As [`lombscargle`](fn@lombscargle), with SciPy's other arguments.
#[track_caller]
pub fn lombscargle_with<X, Y, F>(
    x: &X,
    y: &Y,
    freqs: &F,
    normalize: impl Into<Option<bool>>,
    weights: Option<&DeviceArray<f64>>,
    floating_mean: impl Into<Option<bool>>,
) -> DeviceArray<f64>
where
    X: OnDevice<Elem: Number>,
    Y: OnDevice<Elem: Number>,
    F: OnDevice<Elem: Number>,
{
    let weights = weights.map(|weights| &*weights.raw);
    let (normalize, floating) = (normalize.into().unwrap_or(false), floating_mean.into().unwrap_or(false));
    check(powers([x.raw(), y.raw(), freqs.raw()], weights, normalize, floating))
}

fn powers(
    [x, y, freqs]: [&RawArray; 3],
    weights: Option<&RawArray>,
    normalize: bool,
    floating: bool,
) -> Result<DeviceArray<f64>> {
    const NAME: &str = "lombscargle";
    let vectors = [("x", Some(x)), ("y", Some(y)), ("freqs", Some(freqs)), ("weights", weights)];
    for (name, vector) in vectors.into_iter().filter_map(|(name, vector)| Some((name, vector?))) {
        x.same_device(NAME, vector)?;
        let wanted = if name == "freqs" { vector.size() } else { x.size() };
        if vector.shape() != [wanted] || wanted == 0 {
            let reason = format!(
                "is the shape of `{name}`; give vectors that are not empty, `x`, `y` and `weights` of the same length"
            );
            return Err(Error::shape(NAME, vector.shape(), reason));
        }
    }
    let floats = |of: &RawArray| of.converted(NAME, DType::F64).map(DeviceArray::<f64>::from_raw);
    let (x, y, freqs) = (floats(x)?, floats(y)?, floats(freqs)?);
    let count = x.size() as f64;
    let weights = match weights {
        None => {
            DeviceArray::from_raw(RawArray::filled(NAME, &x.raw.handle, x.shape(), crate::Scalar::F64(1.0 / count))?)
        }
        Some(weights) => {
            let weights = floats(weights)?;
            let (least, sum) = (weights.min(), weights.sum());
            if !(least >= 0.0 && sum > 0.0) {
                let reason =
                    format!("the least of `weights` is {least}, their sum {sum}; give weights that are not negative");
                return Err(Error::argument(NAME, reason));
            }
            weights / sum
        }
    };
    let mut found =
        DeviceArray::<f64>::from_raw(RawArray::uninitialised(NAME, &x.raw.handle, freqs.shape(), DType::F64)?);
    let arguments = (&x, &y, &weights, &freqs, i32::from(floating), &mut found);
    // SAFETY: a thread takes the frequencies that there are.
    unsafe { crate::launch::try_launch_unchecked(fit_waves, freqs.size().div_ceil(128), 128, arguments)? };
    let scale = if normalize {
        let weighted = &weights * &y;
        let mean = if floating { weighted.sum() } else { 0.0 };
        0.5 / ((&weighted * &y).sum() - mean * mean)
    } else {
        count / 4.0
    };
    Ok(found * scale)
}
