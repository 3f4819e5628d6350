//! `gpu::signal`.

use super::super::case::Case;
use super::super::compare::{Host, Outcome};
use super::super::families::{Call, functions};
use warpcell as gpu;
use warpcell::signal::{self, windows};
use warpcell::{Complex, DeviceArray, Mode, Real};

fn mode(c: &Case) -> Mode {
    match c.text("mode") {
        "full" => Mode::Full,
        "same" => Mode::Same,
        _ => Mode::Valid,
    }
}

/// How spectra are scaled, unless the case does not say.
fn scaling<'a>(c: &'a Case) -> &'a str {
    c.opt_text("scaling").unwrap_or("density")
}

functions! { filters(c) {
    samples:
        "signal.lfilter" => match c.has("zi") {
            false => signal::lfilter_with(c.floats("b"), c.floats("a"), &c.a::<T>(0), c.int("axis")).hosts(),
            true => signal::lfilter_from(c.floats("b"), c.floats("a"), &c.a::<T>(0), c.int("axis"), &c.a(1)).hosts(),
        },
        "signal.filtfilt" => signal::filtfilt_with(
            c.floats("b"), c.floats("a"), &c.a::<T>(0), c.int("axis"), c.text("padtype"), c.opt_size("padlen")
        ),
        "signal.sosfilt" => signal::sosfilt_with(&c.a::<f64>(1), &c.a::<T>(0), c.int("axis")),
        "signal.sosfiltfilt" => signal::sosfiltfilt_with(&c.a::<f64>(1), &c.a::<T>(0), c.int("axis"), "odd", None),
        "signal.detrend" => match c.has("bp") {
            false => signal::detrend_with(&c.a::<T>(0), c.int("axis"), c.text("type"), 0),
            true => signal::detrend_with(&c.a::<T>(0), c.int("axis"), c.text("type"), &c.lengths("bp")),
        },
        "signal.hilbert" => signal::hilbert_with(&c.a::<T>(0), c.opt_size("N"), c.int("axis")),
        "signal.resample" => signal::resample_with(&c.a::<T>(0), c.size("num"), c.int("axis")),
        "signal.upfirdn" => signal::upfirdn_with(c.floats("h"), &c.a::<T>(0), c.size("up"), c.size("down"), c.int("axis")),
        "signal.resample_poly" => signal::resample_poly_with(
            &c.a::<T>(0), c.size("up"), c.size("down"), c.int("axis"), ("kaiser", 5.0), c.text("padtype")
        ),
        "signal.savgol_filter" => signal::savgol_filter_with(
            &c.a::<T>(0), c.size("window_length"), c.size("polyorder"), c.size("deriv"), c.float("delta"), c.int("axis"), c.text("mode"),
            c.float("cval")
        ),
        "signal.welch" => signal::welch_with(
            &c.a::<T>(0), c.float("fs"), c.text("window"), c.opt_size("nperseg"), c.opt_size("noverlap"), c.opt_size("nfft"),
            c.text("detrend"), c.flag("return_onesided"), scaling(c), c.int("axis"), c.text("average")
        ),
        "signal.csd" => signal::csd_with(
            &c.a::<T>(0), &c.a::<T>(1), c.float("fs"), c.text("window"), c.opt_size("nperseg"), c.opt_size("noverlap"), c.opt_size("nfft"),
            c.text("detrend"), c.flag("return_onesided"), scaling(c), c.int("axis"), c.text("average")
        ),
        "signal.coherence" => signal::coherence_with(
            &c.a::<T>(0), &c.a::<T>(1), c.float("fs"), c.text("window"), c.opt_size("nperseg"), c.opt_size("noverlap"), c.opt_size("nfft"),
            c.text("detrend"), c.int("axis")
        ),
        "signal.periodogram" => signal::periodogram_with(
            &c.a::<T>(0), c.float("fs"), c.text("window"), c.opt_size("nfft"), c.text("detrend"), c.flag("return_onesided"), scaling(c),
            c.int("axis")
        ),
        "signal.spectrogram" => signal::spectrogram_with(
            &c.a::<T>(0), c.float("fs"), c.text("window"), c.opt_size("nperseg"), c.opt_size("noverlap"), c.opt_size("nfft"),
            c.text("detrend"), c.flag("return_onesided"), scaling(c), c.int("axis"), c.text("mode")
        ),
        "signal.stft" => signal::stft_with(
            &c.a::<T>(0), c.float("fs"), c.text("window"), c.opt_size("nperseg"), c.opt_size("noverlap"), c.opt_size("nfft"),
            c.text("detrend"), true, c.text("boundary"), c.flag("padded"), c.int("axis"), scaling(c)
        ),
        "signal.find_peaks" => peaks(c, &c.a::<T>(0)),
        "signal.peak_prominences" => signal::peak_prominences_with(&c.a::<T>(0), &c.a::<i64>(1), c.opt_size("wlen")),
        "signal.peak_widths" => signal::peak_widths_with(&c.a::<T>(0), &c.a::<i64>(1), c.float("rel_height"), c.opt_size("wlen")),
        "signal.argrelmax" => signal::argrelmax_with(&c.a::<T>(0), c.int("axis"), c.size("order"), c.text("mode")),
        "signal.argrelmin" => signal::argrelmin_with(&c.a::<T>(0), c.int("axis"), c.size("order"), c.text("mode"));
    floats:
        "signal.decimate" => signal::decimate_with(&c.a::<T>(0), c.size("q"), None, c.text("ftype"), c.int("axis"), c.flag("zero_phase")),
        "signal.medfilt" => signal::medfilt_with(&c.a::<T>(0), &c.lengths("size")),
        "signal.wiener" => signal::wiener_with(&c.a::<T>(0), &c.lengths("size"), None),
        "signal.convolve" => signal::convolve_with(&c.a::<T>(0), &c.a::<T>(1), mode(c)),
        "signal.correlate" => signal::correlate_with(&c.a::<T>(0), &c.a::<T>(1), mode(c)),
        "signal.fftconvolve" => signal::fftconvolve_with(&c.a::<T>(0), &c.a::<T>(1), mode(c)),
        "signal.oaconvolve" => signal::oaconvolve_with(&c.a::<T>(0), &c.a::<T>(1), mode(c)),
        "signal.sawtooth" => signal::sawtooth_with(&c.a::<T>(0), c.float("x")),
        "signal.square" => signal::square_with(&c.a::<T>(0), c.float("x")),
        "signal.gausspulse" => signal::gausspulse_with(&c.a::<T>(0), c.float("fc"), c.float("bw"), c.float("bwr")),
        "signal.sweep_poly" => signal::sweep_poly_with(&c.a::<T>(0), c.floats("poly"), c.float("phi")),
        "signal.chirp" => signal::chirp_with(
            &c.a::<T>(0), c.float("f0"), c.float("t1"), c.float("f1"), c.text("method"), c.float("phi"), c.flag("vertex_zero")
        );
    complex:
        "signal.istft" => signal::istft_with(
            &c.a::<T>(0), c.float("fs"), c.text("window"), c.opt_size("nperseg"), c.opt_size("noverlap"), None, true, true, -1, -2, "spectrum"
        );
} }

/// The places of peaks, and the properties that the conditions ask for.
fn peaks<T: Real>(c: &Case, x: &DeviceArray<T>) -> Vec<Host> {
    let limits = |key: &str| c.has(key).then(|| (c.floats(key)[0], c.floats(key)[1]));
    let (peaks, found) = signal::find_peaks_with(
        x,
        limits("height"),
        limits("threshold"),
        c.opt_float("distance"),
        limits("prominence"),
        limits("width"),
        c.opt_size("wlen"),
        c.float("rel_height"),
        limits("plateau_size"),
    );
    let mut hosts = peaks.hosts();
    if c.has("height") {
        hosts.extend(found.peak_heights.hosts());
    }
    if c.has("prominence") || c.has("width") {
        hosts.extend((found.prominences, found.left_bases, found.right_bases).hosts());
    }
    if c.has("width") {
        hosts.extend((found.widths, found.width_heights, found.left_ips, found.right_ips).hosts());
    }
    if c.has("threshold") {
        hosts.extend((found.left_thresholds, found.right_thresholds).hosts());
    }
    if c.has("plateau_size") {
        hosts.extend((found.plateau_sizes, found.left_edges, found.right_edges).hosts());
    }
    hosts
}

/// A design: coefficients, or sections.
macro_rules! design {
    ($c:ident $with:ident $sos:ident [$($at:literal)*]) => {{
        let numbers = $c.floats("numbers");
        let (n, band, fs) = ($c.size("N"), $c.floats("Wn"), $c.opt_float("fs"));
        let _ = &numbers;
        match $c.text("output") {
            "sos" => signal::sos2tf(&signal::$sos(n, $(numbers[$at],)* band, $c.text("btype"), false, fs)).hosts(),
            _ => signal::$with(n, $(numbers[$at],)* band, $c.text("btype"), $c.flag("analog"), fs).hosts(),
        }
    }};
}

/// A window of so many weights.
macro_rules! window {
    ($c:ident $with:ident [$($at:literal)*]) => {{
        let numbers = $c.opt_floats("numbers");
        let _ = &numbers;
        windows::$with($c.size("M"), $(numbers[$at].expect("a number"),)* $c.flag("sym"))
    }};
}

functions! { designs(c) {
    double:
        "signal.windows.barthann" => window!(c barthann_with []),
        "signal.windows.bartlett" => window!(c bartlett_with []),
        "signal.windows.blackman" => window!(c blackman_with []),
        "signal.windows.blackmanharris" => window!(c blackmanharris_with []),
        "signal.windows.bohman" => window!(c bohman_with []),
        "signal.windows.boxcar" => window!(c boxcar_with []),
        "signal.windows.cosine" => window!(c cosine_with []),
        "signal.windows.flattop" => window!(c flattop_with []),
        "signal.windows.hamming" => window!(c hamming_with []),
        "signal.windows.hann" => window!(c hann_with []),
        "signal.windows.lanczos" => window!(c lanczos_with []),
        "signal.windows.nuttall" => window!(c nuttall_with []),
        "signal.windows.parzen" => window!(c parzen_with []),
        "signal.windows.triang" => window!(c triang_with []),
        "signal.windows.chebwin" => window!(c chebwin_with [0]),
        "signal.windows.gaussian" => window!(c gaussian_with [0]),
        "signal.windows.general_gaussian" => window!(c general_gaussian_with [0 1]),
        "signal.windows.general_hamming" => window!(c general_hamming_with [0]),
        "signal.windows.kaiser" => window!(c kaiser_with [0]),
        "signal.windows.tukey" => window!(c tukey_with [0]),
        "signal.windows.taylor" => {
            let numbers = c.opt_floats("numbers");
            let [nbar, sll] = [numbers[0], numbers[1]].map(|number| number.expect("a number"));
            windows::taylor_with(c.size("M"), nbar as usize, sll, numbers[2] == Some(1.0), c.flag("sym"))
        },
        "signal.windows.exponential" => {
            let numbers = c.opt_floats("numbers");
            windows::exponential_with(c.size("M"), numbers[0], numbers[1].expect("a number"), c.flag("sym"))
        },
        "signal.butter" => design!(c butter_with butter_sos []),
        "signal.cheby1" => design!(c cheby1_with cheby1_sos [0]),
        "signal.cheby2" => design!(c cheby2_with cheby2_sos [0]),
        "signal.ellip" => design!(c ellip_with ellip_sos [0 1]),
        "signal.firwin" => signal::firwin_with(
            c.size("numtaps"), c.floats("cutoff"), None, c.text("window"), c.flag("pass_zero"), c.flag("scale"), None
        ),
        "signal.firwin2" => signal::firwin2(c.size("numtaps"), c.floats("freq"), c.floats("gain")),
        "signal.freqz" => signal::freqz_with(
            c.floats("b"), c.floats("a"), c.size("worN"), c.flag("whole"), std::f64::consts::TAU, c.flag("include_nyquist")
        ),
        "signal.bilinear" => signal::bilinear(c.floats("b"), c.floats("a"), c.float("fs")),
        "signal.tf2sos" => signal::sos2tf(&signal::tf2sos(c.floats("b"), c.floats("a"))),
        "signal.tf2zpk" => {
            let (z, p, k) = signal::tf2zpk(c.floats("b"), c.floats("a"));
            signal::zpk2tf(&z, &p, k)
        },
        "signal.lfilter_zi" => signal::lfilter_zi(c.floats("b"), c.floats("a")),
        "signal.savgol_coeffs" => signal::savgol_coeffs_with(
            c.size("window_length"), c.size("polyorder"), c.size("deriv"), c.float("delta"), None, c.text("use")
        ),
        "signal.lombscargle" => gpu::signal::lombscargle(&c.a::<T>(0), &c.a::<T>(1), &c.a::<T>(2));
    long:
        "signal.correlation_lags" => signal::correlation_lags_with(c.size("in1_len"), c.size("in2_len"), mode(c));
} }
