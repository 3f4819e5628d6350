#!/usr/bin/env python3
"""Writes signal.json: what SciPy's scipy.signal gives for the calls of prelude/tests/integration/signal.rs.

A row has the name of a call and the results one after another: of complex arrays the real parts, then the imaginary ones. The
signals are `wave(n)`, which the tests make, too.
"""

import json
import pathlib

import numpy as np
from scipy import signal
from scipy.signal import windows


def wave(count):
    """A signal with several frequencies, and something like noise."""
    at = np.arange(count)
    return np.sin(0.05 * at) + 0.5 * np.sin(0.9 * at + 1) + 0.25 * ((at * 7919) % 101 / 50 - 1)


ROWS = {}


def row(name, *results):
    numbers = []
    for result in results:
        result = np.asarray(result)
        parts = [result.real, result.imag] if np.iscomplexobj(result) else [result]
        for part in parts:
            numbers += [float(x) for x in np.asarray(part, float).ravel()]
    assert name not in ROWS, name
    ROWS[name] = numbers


def rows_of_windows():
    for name in ("barthann bartlett blackman blackmanharris bohman boxcar cosine flattop hamming hann lanczos nuttall parzen "
                 "triang taylor tukey exponential").split():
        for count in (0, 1, 2, 7, 10):
            for sym in (True, False):
                # Of two weights SciPy's bohman and lanczos have no definite ends.
                row(f"{name}({count}, {str(sym).lower()})", getattr(windows, name)(count, sym=sym))
    for name, given in {
        "chebwin": [(60,), (100,)], "gaussian": [(1.5,)], "general_cosine": [([0.4, 0.4, 0.2],)], "general_gaussian": [(1.5, 2.5)],
        "general_hamming": [(0.7,)], "kaiser": [(0.0,), (8.6,)],
    }.items():
        for numbers in given:
            for count in (1, 7, 10):
                for sym in (True, False):
                    text = ", ".join(str(x) for x in numbers)
                    row(f"{name}({count}, {text}, {str(sym).lower()})", getattr(windows, name)(count, *numbers, sym=sym))
    row("kaiser_bessel_derived", windows.kaiser_bessel_derived(8, 4.0))
    row("exponential centre", windows.exponential(7, 1.0, 2.0, False))
    row("taylor plain", windows.taylor(9, 5, 40, False))
    row("tukey 0.2", windows.tukey(11, 0.2))
    row("get_window kaiser", signal.get_window(8.0, 9))
    row("get_window tukey", signal.get_window(("tukey", 0.3), 9))
    row("get_window hann", signal.get_window("hann", 9, fftbins=False))


def rows_of_designs():
    kinds = {"low": 0.3, "high": 0.3, "bandpass": [0.2, 0.5], "bandstop": [0.2, 0.5]}
    for kind, band in kinds.items():
        for order in (1, 2, 5):
            for name, parameters in {"butter": [], "cheby1": [1.0], "cheby2": [40.0]}.items():
                design = getattr(signal, name)
                row(f"{name}({order}, {kind}, ba)", *design(order, *parameters, band, kind))
                row(f"{name}({order}, {kind}, sos)", design(order, *parameters, band, kind, output="sos"))
    row("butter analog", *signal.butter(3, 5.0, "low", analog=True))
    z, p, k = signal.butter(3, 30.0, "high", output="zpk", fs=200.0)
    row("butter zpk", z + 0j, p, k)
    z, p, k = signal.tf2zpk([2.0, -3.0, 1.0], [1.0, 0.5, 0.06])
    row("tf2zpk", np.sort(z), np.sort(p), k)
    row("zpk2tf", *signal.zpk2tf(z, p, k))
    row("zpk2sos", signal.zpk2sos(z, p, k))
    row("tf2sos", signal.tf2sos([1.0, 2.0, 1.0, 0.5], [1.0, -0.5, 0.3, 0.1]))
    row("sos2tf", *signal.sos2tf(signal.butter(4, 0.2, output="sos")))
    row("bilinear", *signal.bilinear([1.0, 2.0], [1.0, 0.5, 3.0], 2.0))
    b, a = signal.butter(3, 0.3)
    row("freqz", *signal.freqz(b, a, 16))
    row("freqz whole", *signal.freqz(b, a, 16, whole=True, fs=100.0))
    row("freqz nyquist", *signal.freqz(b, a, 16, include_nyquist=True))
    row("freqz values", *signal.freqz(b, a, [0.1, 0.5, 3.0]))
    row("sosfreqz", *signal.sosfreqz(signal.butter(5, 0.3, output="sos"), 16))
    row("firwin", signal.firwin(15, 0.3))
    row("firwin band", signal.firwin(15, [0.2, 0.5], pass_zero=False, window="hann"))
    row("firwin stop", signal.firwin(15, [20, 50], pass_zero="bandstop", fs=200.0))
    row("firwin high", signal.firwin(15, 0.3, pass_zero="highpass", scale=False))
    row("firwin width", signal.firwin(16, 0.3, width=0.2))


def some(array, count=40):
    """Some of a long result, at even distances, the last one too."""
    array = np.asarray(array)
    return array[..., np.unique(np.linspace(0, array.shape[-1] - 1, count).astype(int))]


def rows_of_filters():
    designs = {
        "iir": signal.butter(5, 0.2), "first": signal.butter(1, 0.2), "second": signal.cheby1(2, 1.0, 0.4, "high"),
        "fir": (signal.firwin(21, 0.3), [1.0]), "scaled": ([2.0, 1.0], [4.0, -1.0, 0.5]), "number": ([3.0], [2.0]),
    }
    for name, (b, a) in designs.items():
        row(f"lfilter {name}", signal.lfilter(b, a, wave(50)))
        row(f"lfilter {name} long", some(signal.lfilter(b, a, wave(20000))))
        row(f"lfilter {name} axis 0", signal.lfilter(b, a, wave(60).reshape(20, 3), axis=0))
        zi = 0.5 + np.arange(max(len(a), len(b)) - 1)
        row(f"lfilter {name} zi", *signal.lfilter(b, a, wave(50), zi=zi))
        y, zf = signal.lfilter(b, a, wave(6000).reshape(3000, 2), axis=0, zi=np.stack([zi, -zi], 1))
        row(f"lfilter {name} zi axis 0", some(y.T), zf)
        if name == "number":
            continue  # SciPy's companion matrix needs an order of 1.
        row(f"lfilter_zi {name}", signal.lfilter_zi(b, a))
        row(f"filtfilt {name}", some(signal.filtfilt(b, a, wave(3000))))
        for padtype in ("even", "constant", None):
            row(f"filtfilt {name} {padtype}", signal.filtfilt(b, a, wave(40), padtype=padtype, padlen=None if padtype is None else 9))
    for order, kind in ((5, "low"), (4, "bandpass")):
        sos = signal.butter(order, 0.1 if kind == "low" else [0.1, 0.3], kind, output="sos")
        row(f"sosfilt {kind}", signal.sosfilt(sos, wave(50)))
        row(f"sosfilt {kind} long", some(signal.sosfilt(sos, wave(20000))))
        row(f"sosfilt {kind} axis 0", signal.sosfilt(sos, wave(60).reshape(20, 3), axis=0))
        row(f"sosfilt_zi {kind}", signal.sosfilt_zi(sos))
        row(f"sosfilt {kind} zi", *signal.sosfilt(sos, wave(50), zi=signal.sosfilt_zi(sos)))
        row(f"sosfiltfilt {kind}", some(signal.sosfiltfilt(sos, wave(3000))))
        row(f"sosfiltfilt {kind} even", signal.sosfiltfilt(sos, wave(60).reshape(2, 30), padtype="even", padlen=8))


def rows_of_smoothing():
    x, two = wave(90), wave(120).reshape(40, 3)
    for kind in ("linear", "constant"):
        row(f"detrend {kind}", signal.detrend(x, type=kind))
        row(f"detrend {kind} axis 0", signal.detrend(two, axis=0, type=kind))
    for count in (90, 89, 1):
        row(f"hilbert {count}", signal.hilbert(wave(count)))
    row("hilbert longer", signal.hilbert(two, N=50, axis=0))
    for length in (20, 21):
        for num in (1, 8, 9, 20, 21, 30, 41, 42):
            row(f"resample {length} {num}", signal.resample(wave(length), num))
    row("resample axis", signal.resample(wave(40).reshape(2, 20), 15, axis=1))
    h = [0.25, 1.0, 0.5, -0.25, 0.1]
    for up, down in ((1, 1), (3, 1), (1, 3), (3, 2), (7, 4)):
        row(f"upfirdn {up} {down}", signal.upfirdn(h, x[:20], up, down))
    row("upfirdn axis", signal.upfirdn(h, two, 3, 2, axis=0))
    for up, down in ((3, 2), (2, 3), (4, 6), (1, 5), (5, 1), (2, 2)):
        row(f"resample_poly {up} {down}", signal.resample_poly(x[:31], up, down))
    row("resample_poly axis", signal.resample_poly(two.T, 3, 2, axis=1, window=("kaiser", 8.0)))
    row("resample_poly taps", signal.resample_poly(x[:31], 3, 2, window=np.array(h)))
    row("decimate", signal.decimate(x, 3))
    row("decimate phase", signal.decimate(x, 3, n=5, zero_phase=False))
    row("decimate fir", signal.decimate(x, 4, ftype="fir"))
    row("decimate fir phase", signal.decimate(two, 4, n=21, ftype="fir", axis=0, zero_phase=False))
    for count, degree, deriv in ((5, 2, 0), (7, 3, 1), (11, 4, 2), (4, 2, 0), (5, 1, 2), (21, 5, 0)):
        row(f"savgol_coeffs {count} {degree} {deriv}", signal.savgol_coeffs(count, degree, deriv, 0.5))
    row("savgol_coeffs pos", signal.savgol_coeffs(7, 3, 1, pos=6, use="dot"))
    for mode in ("interp", "mirror", "nearest", "wrap", "constant"):
        row(f"savgol_filter {mode}", signal.savgol_filter(x, 7, 3, mode=mode, cval=0.5))
        row(f"savgol_filter {mode} deriv", signal.savgol_filter(two, 9, 3, deriv=1, delta=0.1, axis=0, mode=mode))
    row("medfilt", signal.medfilt(x))
    row("medfilt 7", signal.medfilt(x, 7))
    row("medfilt 2-D", signal.medfilt(two, [5, 3]))
    row("wiener", signal.wiener(x))
    row("wiener 4", signal.wiener(x, 4))
    row("wiener 2-D", signal.wiener(two, [5, 3], 0.1))


def rows_of_spectra():
    x, y, two = wave(300), np.cos(0.3 * np.arange(300)) + 0.2 * wave(300), wave(600).reshape(200, 3)
    row("welch", *signal.welch(x))
    row("welch keywords", *signal.welch(x, 50.0, "hamming", 64, 16, 100, "linear", scaling="spectrum"))
    row("welch median", *signal.welch(x, nperseg=50, average="median", detrend=False))
    row("welch both sides", *signal.welch(x, nperseg=50, return_onesided=False))
    row("welch odd", *signal.welch(x, nperseg=51, window=("tukey", 0.25)))
    row("welch axis", *signal.welch(two, nperseg=32, axis=0))
    row("periodogram", *signal.periodogram(x))
    row("periodogram keywords", *signal.periodogram(two, 10.0, "hann", 256, "linear", scaling="spectrum", axis=0))
    row("csd", *signal.csd(x, y, nperseg=64))
    row("csd keywords", *signal.csd(x, y, 2.0, "blackman", 50, 10, return_onesided=False, average="median"))
    row("coherence", *signal.coherence(x, y, 2.0, nperseg=32))
    row("spectrogram", *signal.spectrogram(x, nperseg=64))
    for mode in ("magnitude", "angle", "phase"):
        row(f"spectrogram {mode}", *signal.spectrogram(x[:120], 2.0, "hann", 32, 16, mode=mode, scaling="spectrum"))
    row("spectrogram axis", *signal.spectrogram(two[:64], nperseg=16, axis=0))
    row("stft", *signal.stft(x[:100], 2.0, nperseg=32))
    row("stft odd", *signal.stft(x[:60], nperseg=15, noverlap=11, boundary="even", scaling="psd"))
    row("stft plain", *signal.stft(x[:60], nperseg=16, nfft=20, boundary=None, padded=False, detrend="constant"))
    row("stft axis", *signal.stft(two[:40], nperseg=16, axis=0, return_onesided=False))
    z = signal.stft(x[:100], 2.0, nperseg=32)[2]
    row("istft", *signal.istft(z, 2.0, nperseg=32))
    z = np.exp(1j * wave(9 * 5 * 2)).reshape(2, 9, 5)
    # Of several signals SciPy's times are too few.
    row("istft of any", signal.istft(z, window="hamming", nperseg=16, noverlap=10, scaling="psd", boundary=False)[1])
    row("istft axes", *signal.istft(np.moveaxis(z, 0, 2), time_axis=1, freq_axis=0))


def rows_of_peaks():
    x = wave(200)
    flat = np.round(x * 2)
    peaks, _ = signal.find_peaks(x)
    row("find_peaks", peaks)
    found, of = signal.find_peaks(flat, plateau_size=(1, 3))
    row("find_peaks plateaus", np.concatenate([found, of["plateau_sizes"], of["left_edges"], of["right_edges"]]))
    found, of = signal.find_peaks(x, height=0.5, threshold=(0.05, 1.0))
    row("find_peaks heights", np.concatenate([found, of["peak_heights"], of["left_thresholds"], of["right_thresholds"]]))
    row("find_peaks distance", signal.find_peaks(x, distance=9.5)[0])
    found, of = signal.find_peaks(x, prominence=(0.3, 2.0), width=1.5, wlen=31, rel_height=0.7)
    names = "prominences left_bases right_bases widths width_heights left_ips right_ips".split()
    row("find_peaks widths", np.concatenate([found] + [of[name] for name in names]))
    row("peak_prominences", *signal.peak_prominences(x, peaks))
    row("peak_widths", *signal.peak_widths(x, peaks))
    two = flat.reshape(20, 10)
    row("argrelmax", *signal.argrelmax(x))
    row("argrelmax wrap", *signal.argrelmax(two, axis=1, order=2, mode="wrap"))
    row("argrelmin", *signal.argrelmin(two, axis=0))
    row("argrelextrema", *signal.argrelextrema(flat, np.greater_equal, order=3))


def rows_of_waves():
    t = np.linspace(-7.0, 9.0, 41)
    row("sawtooth", signal.sawtooth(t))
    row("sawtooth 0.3", signal.sawtooth(t, 0.3))
    row("square", signal.square(t))
    row("square 0.3", signal.square(t, 0.3))
    t = np.linspace(0.0, 3.0, 40)
    for method in ("linear", "quadratic", "logarithmic", "hyperbolic"):
        row(f"chirp {method}", signal.chirp(t, 1.0, 2.0, 5.0, method, 30.0))
    row("chirp vertex", signal.chirp(t, 1.0, 2.0, 5.0, "quadratic", vertex_zero=False))
    row("sweep_poly", signal.sweep_poly(t, [0.5, -1.0, 2.0], 45.0))
    row("gausspulse", signal.gausspulse(t - 1.5, 5.0, 0.4, -8.0))
    row("unit_impulse", signal.unit_impulse((3, 4), "mid"))
    for mode in ("full", "same", "valid"):
        row(f"correlation_lags {mode}", signal.correlation_lags(5, 8, mode))
    row("correlation_lags same 8", signal.correlation_lags(8, 5, "same"))
    row("deconvolve", *signal.deconvolve(wave(12), [2.0, 0.5, -1.0]))
    one, other = wave(30), np.cos(wave(7))
    for mode in ("full", "same", "valid"):
        row(f"convolve {mode}", signal.convolve(one, other, mode))
        row(f"correlate {mode}", signal.correlate(one, other, mode))
    long, short = wave(60).reshape(20, 3), wave(6).reshape(3, 2)
    row("correlate 2-D", signal.correlate(long, short))
    row("oaconvolve", signal.oaconvolve(long, short, "same"))


def rows_of_ranks():
    two = wave(60).reshape(12, 5)
    row("medfilt2d", signal.medfilt2d(two))
    row("medfilt2d sizes", signal.medfilt2d(two, [5, 1]))
    row("order_filter", signal.order_filter(two, np.array([[1, 0, 1], [0, 1, 1], [0, 0, 1]]), 3))
    row("order_filter all", signal.order_filter(wave(20), np.ones(5), 0))
    for padtype in ("mean", "median", "minimum", "maximum"):
        row(f"resample_poly {padtype}", signal.resample_poly(two + 3, 3, 2, padtype=padtype))
    row("detrend breaks", signal.detrend(wave(60), bp=[10, 11, 40]))
    row("detrend break axis 0", signal.detrend(two, axis=0, bp=7))


def rows_of_ellip():
    for kind, band in {"low": 0.3, "high": 0.3, "bandpass": [0.2, 0.5], "bandstop": [0.2, 0.5]}.items():
        for order in (1, 2, 3, 6):
            row(f"ellip({order}, {kind}, ba)", *signal.ellip(order, 1.0, 40.0, band, kind))
            row(f"ellip({order}, {kind}, sos)", signal.ellip(order, 0.1, 60.0, band, kind, output="sos"))
    row("ellip analog", *signal.ellip(4, 3.0, 80.0, 5.0, analog=True))
    row("firwin2", signal.firwin2(15, [0.0, 0.3, 0.6, 1.0], [1.0, 2.0, 0.5, 0.0]))
    row("firwin2 step", signal.firwin2(16, [0.0, 0.4, 0.4, 1.0], [1.0, 1.0, 0.0, 0.0], window=None))
    row("firwin2 other", signal.firwin2(9, [0, 20, 50], [0, 1, 0], nfreqs=33, window="hann", antisymmetric=True, fs=100))
    row("firwin2 odd", signal.firwin2(10, [0, 20, 50], [0, 1, 1], antisymmetric=True, fs=100))
    for bits in (2, 5, 8):
        row(f"max_len_seq({bits})", *signal.max_len_seq(bits))
    row("max_len_seq other", *signal.max_len_seq(5, [0, 1, 1, 0, 1], 40, [4, 2, 1]))


def rows_of_lombscargle():
    x = np.arange(80) * 0.4 + 0.1 * np.sin(np.arange(80) * 1.3)
    y, freqs, w = wave(80) + 0.3, np.linspace(0.05, 4.0, 25), 1.5 + np.cos(np.arange(80))
    row("lombscargle", signal.lombscargle(x, y, freqs))
    row("lombscargle normalize", signal.lombscargle(x, y, freqs, normalize=True))
    row("lombscargle weights", signal.lombscargle(x, y, freqs, weights=w))
    row("lombscargle mean", signal.lombscargle(x, y, freqs, normalize=True, weights=w, floating_mean=True))


if __name__ == "__main__":
    np.seterr(all="ignore")
    rows_of_windows()
    rows_of_designs()
    rows_of_filters()
    rows_of_smoothing()
    rows_of_spectra()
    rows_of_peaks()
    rows_of_waves()
    rows_of_ranks()
    rows_of_ellip()
    rows_of_lombscargle()
    path = pathlib.Path(__file__).with_name("signal.json")
    lines = (f"{json.dumps(name)}: {json.dumps([x if x == x else None for x in numbers])}" for name, numbers in ROWS.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
