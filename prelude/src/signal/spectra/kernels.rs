//! What threads do of spectra.

use warpcell_macros::kernel;
use warpcell_threads::{View, ViewMut, grid_stride};

/// The sums of segments that overlap, divided by those of the squares of the window where they are not about 0.
#[kernel]
pub(super) fn overlap_add(parts: View<f64>, squares: View<f64>, step: u64, mut out: ViewMut<f64>) {
    let (rows, length) = (out.shape()[0], out.shape()[1]);
    let (segments, count) = (parts.shape()[1], parts.shape()[2]);
    let step = step as usize;
    for at in grid_stride(rows * length) {
        let row = at / length;
        let place = at % length;
        let first = if place < count { 0 } else { (place - count) / step + 1 };
        let last = (place / step + 1).min(segments);
        let mut sum = 0.0;
        let mut norm = 0.0;
        for segment in first..last {
            sum += parts[[row, segment, place - segment * step]];
            norm += squares[place - segment * step];
        }
        out[[row, place]] = if norm > 1e-10 { sum / norm } else { sum };
    }
}

/// For each frequency the power of the wave that fits samples best.
#[kernel]
pub(super) fn fit_waves(
    x: View<f64>,
    y: View<f64>,
    weights: View<f64>,
    freqs: View<f64>,
    floating: i32,
    mut out: ViewMut<f64>,
) {
    let count = x.shape()[0];
    let tiny = 1.1102230246251565e-16;
    for at in grid_stride(out.shape()[0]) {
        let frequency = freqs[at];
        let mut cc = 0.0;
        let mut cs = 0.0;
        let mut c = 0.0;
        let mut s = 0.0;
        let mut mean = 0.0;
        for j in 0..count {
            let angle = frequency * x[j];
            let cosine = angle.cos();
            let sine = angle.sin();
            let weight = weights[j];
            cc += weight * cosine * cosine;
            cs += weight * cosine * sine;
            c += weight * cosine;
            s += weight * sine;
            mean += weight * y[j];
        }
        let mut ss = 1.0 - cc;
        if floating != 0 {
            cc -= c * c;
            ss -= s * s;
            cs -= c * s;
        }
        // The offset with which sines and cosines are orthogonal.
        let tau = 0.5 * (2.0 * cs).atan2(cc - ss);
        let mut yc = 0.0;
        let mut ys = 0.0;
        cc = 0.0;
        c = 0.0;
        s = 0.0;
        for j in 0..count {
            let angle = frequency * x[j] - tau;
            let cosine = angle.cos();
            let sine = angle.sin();
            let weight = weights[j];
            yc += weight * y[j] * cosine;
            ys += weight * y[j] * sine;
            cc += weight * cosine * cosine;
            c += weight * cosine;
            s += weight * sine;
        }
        ss = 1.0 - cc;
        if floating != 0 {
            yc -= mean * c;
            ys -= mean * s;
            cc -= c * c;
            ss -= s * s;
        }
        cc = cc.max(tiny);
        ss = ss.max(tiny);
        out[at] = 2.0 * (yc * yc / cc + ys * ys / ss);
    }
}
