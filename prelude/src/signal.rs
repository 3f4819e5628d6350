//! Signals: windows, filters and their design, spectra, and peaks; SciPy's `signal`.
//!
//! Filters are designed on the host: they are a few numbers. What is done with signals is done on the device of the signal, in
//! `f64`; a signal of `f32` gives `f32`, of integers `f64`.
//!
//! ```
//! use warpcell as gpu;
//! let time = gpu::arange(1000.0) / 1000.0;
//! let tone = |frequency: f64| (&time * (std::f64::consts::TAU * frequency)).sin();
//! let (b, a) = gpu::signal::butter!(4, 20.0, fs = 1000.0);
//! let smooth = gpu::signal::filtfilt(&b, &a, &(&tone(5.0) + &(tone(200.0) * 0.3)));
//! // The low tone is left.
//! let inner = ndarray::s![100..900];
//! assert!(gpu::allclose_with(&smooth.slice(inner), &tone(5.0).slice(inner), 0.0, 0.01, false));
//! ```

mod arguments;
mod coefficients;
mod convolutions;
mod design;
mod elliptic;
mod filtering;
mod peaks;
mod ranks;
mod roots;
mod smoothing;
mod spectra;
mod waveforms;
pub mod windows;

pub use arguments::{Band, Coefficients, Frequencies, PassZero};
pub use coefficients::{bilinear, sos2tf, tf2sos, tf2zpk, zpk2sos, zpk2tf};
pub use convolutions::{
    convolve, convolve_with, correlate, correlate_with, fftconvolve, fftconvolve_axes, fftconvolve_with, oaconvolve,
    oaconvolve_with,
};
pub use design::{
    butter, butter_sos, butter_with, butter_zpk, cheby1, cheby1_sos, cheby1_with, cheby1_zpk, cheby2, cheby2_sos,
    cheby2_with, cheby2_zpk, ellip, ellip_sos, ellip_with, ellip_zpk, firwin, firwin_with, firwin2, firwin2_with,
    freqz, freqz_with, sosfreqz, sosfreqz_with,
};
pub use filtering::{
    filtfilt, filtfilt_with, lfilter, lfilter_from, lfilter_with, lfilter_zi, sosfilt, sosfilt_from, sosfilt_with,
    sosfilt_zi, sosfiltfilt, sosfiltfilt_with,
};
pub use peaks::{
    Limits, PeakProperties, argrelextrema, argrelextrema_with, argrelmax, argrelmax_with, argrelmin, argrelmin_with,
    find_peaks, find_peaks_with, peak_prominences, peak_prominences_with, peak_widths, peak_widths_with,
};
pub use ranks::{medfilt, medfilt_with, medfilt2d, medfilt2d_with, order_filter};
pub use smoothing::{
    Sizes, decimate, decimate_with, detrend, detrend_with, hilbert, hilbert_with, resample, resample_poly,
    resample_poly_with, resample_with, savgol_coeffs, savgol_coeffs_with, savgol_filter, savgol_filter_with, upfirdn,
    upfirdn_with, wiener, wiener_with,
};
pub use spectra::{
    coherence, coherence_with, csd, csd_with, istft, istft_with, lombscargle, lombscargle_with, periodogram,
    periodogram_with, spectrogram, spectrogram_with, stft, stft_with, welch, welch_with,
};
pub use waveforms::{
    Place, chirp, chirp_with, correlation_lags, correlation_lags_with, deconvolve, gausspulse, gausspulse_with,
    max_len_seq, max_len_seq_with, sawtooth, sawtooth_with, square, square_with, sweep_poly, sweep_poly_with,
    unit_impulse, unit_impulse_with,
};
pub use windows::{Window, get_window, get_window_with};

// The macros for calls with keywords.
pub use {
    __signal_argrelextrema as argrelextrema, __signal_argrelmax as argrelmax, __signal_argrelmin as argrelmin,
    __signal_butter as butter, __signal_cheby1 as cheby1, __signal_cheby2 as cheby2, __signal_chirp as chirp,
    __signal_coherence as coherence, __signal_convolve as convolve, __signal_correlate as correlate,
    __signal_correlation_lags as correlation_lags, __signal_csd as csd, __signal_decimate as decimate,
    __signal_detrend as detrend, __signal_ellip as ellip, __signal_fftconvolve as fftconvolve,
    __signal_filtfilt as filtfilt, __signal_find_peaks as find_peaks, __signal_firwin as firwin,
    __signal_firwin2 as firwin2, __signal_freqz as freqz, __signal_gausspulse as gausspulse,
    __signal_hilbert as hilbert, __signal_istft as istft, __signal_lfilter as lfilter,
    __signal_lombscargle as lombscargle, __signal_max_len_seq as max_len_seq, __signal_medfilt as medfilt,
    __signal_medfilt2d as medfilt2d, __signal_oaconvolve as oaconvolve, __signal_peak_prominences as peak_prominences,
    __signal_peak_widths as peak_widths, __signal_periodogram as periodogram, __signal_resample as resample,
    __signal_resample_poly as resample_poly, __signal_savgol_coeffs as savgol_coeffs,
    __signal_savgol_filter as savgol_filter, __signal_sawtooth as sawtooth, __signal_sosfilt as sosfilt,
    __signal_sosfiltfilt as sosfiltfilt, __signal_sosfreqz as sosfreqz, __signal_spectrogram as spectrogram,
    __signal_square as square, __signal_stft as stft, __signal_sweep_poly as sweep_poly,
    __signal_unit_impulse as unit_impulse, __signal_upfirdn as upfirdn, __signal_welch as welch,
    __signal_wiener as wiener,
};
