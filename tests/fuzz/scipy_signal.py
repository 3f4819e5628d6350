"""SciPy's `signal`: windows, designs of filters, filters, resampling, spectra, peaks, and convolutions."""

from __future__ import annotations

import numpy as np

from .arrays import Array, Source
from .calls import FLOATS, Call, axis_of, epsilon, functions, words

NUMBERS = ["float64", "float32", "int64"]


def near(dtype: str, size: float = 1.0, units: float = 2048) -> dict:
    """How near results are that are computed in f64, of an array whose elements are of a size."""
    scale = units * epsilon("float64") + (8 * epsilon(dtype) if dtype == "float32" else 0)
    return {"relative": scale, "absolute": scale * size, "any_zero": True, "any_dtype": True}


def signal(s: Source, dtype: str, least: int = 1, most: int = 60, rank: int | None = None, lengths=None) -> tuple[Array, int]:
    """Signals along an axis."""
    rank = s.choice([1, 1, 1, 2, 2, 3]) if rank is None else rank
    axis = s.integer(0, rank - 1)
    shape = [s.choice([1, 2, 3]) for _ in range(rank)]
    shape[axis] = s.choice(lengths) if lengths else s.integer(least, most)
    return s.array(dtype, shape, "exact"), axis - rank if s.chance(0.3) else axis


def wide(name: str = "a0") -> str:
    return f"{name}.astype('float64')"


# Windows.

PLAIN = ("barthann", "bartlett", "blackman", "blackmanharris", "bohman", "boxcar", "cosine", "flattop", "hamming", "hann", "lanczos", "nuttall", "parzen", "triang")
WITH = {
    "chebwin": lambda s: [s.choice([50.0, 60.0, 100.0])], "gaussian": lambda s: [s.choice([0.5, 1.5, 7.0])],
    "general_gaussian": lambda s: [s.choice([0.5, 1.5, 3.0]), s.choice([1.0, 2.5])], "general_hamming": lambda s: [s.choice([0.5, 0.75])],
    "kaiser": lambda s: [s.choice([0.0, 1.5, 8.5, 14.0])], "tukey": lambda s: [s.choice([0.0, 0.25, 0.5, 1.0, 1.5])],
    "taylor": lambda s: [s.integer(2, 6), s.choice([20, 30, 45]), s.chance(0.5)], "exponential": lambda s: [None, s.choice([0.5, 1.0, 3.0])],
}


@functions(*(f"signal.windows.{name}" for name in (*PLAIN, *WITH)), dtypes=["float64"])
def _(s, dtype, name):
    word = name.split(".")[2]
    given = {"M": s.choice([s.integer(0, 12), s.integer(1, 40)]), "sym": s.chance(0.5)}
    numbers = WITH[word](s) if word in WITH else []
    notes = {"relative": 1e-10, "absolute": 1e-12, "any_zero": True}
    return Call(f"sp.{name}({given['M']}{''.join(f', {number!r}' for number in numbers)}, sym={given['sym']})", [], {**given, "numbers": numbers}, notes)


# Designs.

def band(s: Source, kind: str):
    low = s.choice([0.125, 0.25, 0.0625])
    return low if kind in ("low", "high") else [low, low + s.choice([0.125, 0.25, 0.5])]


@functions("signal.butter", "signal.cheby1", "signal.cheby2", "signal.ellip", dtypes=["float64"])
def _(s, dtype, name):
    kind, word = s.choice(["low", "high", "bandpass", "bandstop"]), name.split(".")[1]
    given = {"N": s.integer(1, 6), "Wn": band(s, kind), "btype": kind, "output": s.choice(["ba", "sos"])}
    given["numbers"] = {"butter": [], "cheby1": [s.choice([0.5, 1.0, 3.0])], "cheby2": [s.choice([20.0, 40.0])], "ellip": [s.choice([0.5, 1.0]), s.choice([30.0, 50.0])]}[word]
    more = ""
    if s.chance(0.3):
        given["fs"] = s.choice([2.0, 100.0])
        given["Wn"] = (np.array(given["Wn"]) * given["fs"] / 2).tolist()
        more = f", fs={given['fs']}"
    elif s.chance(0.2) and given["output"] == "ba":
        given["analog"] = True
        more = ", analog=True"
    if s.chance(0.02):
        given["Wn"] = 3.0 * (given.get("fs", 2.0))
    numbers = "".join(f"{number}, " for number in given["numbers"])
    text = f"sp.{name}({given['N']}, {numbers}{given['Wn']}, '{kind}', output='{given['output']}'{more})"
    if given["output"] == "sos":
        # Which sections come first may depend on the last digit.
        text = f"sp.signal.sos2tf({text})"
    return Call(text, [], given, {"relative": 1e-7, "absolute": 1e-9, "any_zero": True})


@functions("signal.firwin", dtypes=["float64"])
def _(s, dtype, name):
    given = {"numtaps": s.integer(1, 31), "cutoff": band(s, s.choice(["low", "bandpass"])), "pass_zero": s.chance(0.5), "scale": s.chance(0.7),
             "window": s.choice(["hamming", "hann", "boxcar", "blackman"])}
    text = f"sp.signal.firwin({given['numtaps']}, {given['cutoff']}, window='{given['window']}', pass_zero={given['pass_zero']}, scale={given['scale']})"
    return Call(text, [], given, {"relative": 1e-9, "absolute": 1e-12, "any_zero": True})


@functions("signal.firwin2", dtypes=["float64"])
def _(s, dtype, name):
    given = {"numtaps": s.integer(3, 31), "freq": [0.0, 0.25, 0.5, 1.0], "gain": [float(s.integer(0, 2)) for _ in range(3)] + [0.0], "antisymmetric": False}
    return Call(f"sp.signal.firwin2({given['numtaps']}, {given['freq']}, {given['gain']})", [], given, {"relative": 1e-9, "absolute": 1e-12, "any_zero": True})


def coefficients(s: Source) -> dict:
    b = [s.integer(-8, 8) / 4 for _ in range(s.integer(1, 6))]
    b[0] = b[0] or 1.0
    # Poles far within the unit circle.
    poles = [s.random.uniform(-0.7, 0.7) for _ in range(s.integer(0, 4))]
    a = np.poly(poles) * s.choice([1.0, 2.0, -0.5]) if poles else np.array([s.choice([1.0, 2.0])])
    return {"b": b, "a": a.tolist()}


@functions("signal.freqz", dtypes=["float64"])
def _(s, dtype, name):
    given = {**coefficients(s), "worN": s.integer(1, 40), "whole": s.chance(0.5), "include_nyquist": s.chance(0.3)}
    text = f"sp.signal.freqz({given['b']}, {given['a']}, {given['worN']}, whole={given['whole']}, include_nyquist={given['include_nyquist']})"
    return Call(text, [], given, {"relative": 1e-9, "absolute": 1e-10, "any_zero": True})


@functions("signal.bilinear", "signal.tf2sos", "signal.tf2zpk", dtypes=["float64"])
def _(s, dtype, name):
    given = coefficients(s)
    notes = {"relative": 1e-6, "absolute": 1e-8, "any_zero": True}
    if name.endswith("bilinear"):
        given["fs"] = s.choice([0.5, 2.0])
        return Call(f"sp.signal.bilinear({given['b']}, {given['a']}, {given['fs']})", [], given, notes)
    # Factors have no certain order; their product does.
    if name.endswith("sos"):
        return Call(f"sp.signal.sos2tf(sp.signal.tf2sos({given['b']}, {given['a']}))", [], given, notes)
    return Call(f"(lambda z, p, k: sp.signal.zpk2tf(z, p, k))(*sp.signal.tf2zpk({given['b']}, {given['a']}))", [], given, notes)


# Filters.

def size_of(array: Array) -> float:
    return float(np.abs(array.view.astype(float)).max(initial=1))


@functions("signal.lfilter", "signal.filtfilt", dtypes=NUMBERS)
def _(s, dtype, name):
    given = coefficients(s)
    taps = max(len(given["a"]), len(given["b"]))
    a, axis = signal(s, dtype, 1, 60) if name.endswith("lfilter") else signal(s, dtype, 3 * taps + 1 if s.chance(0.9) else 1, 60)
    given["axis"] = axis
    more = f", axis={axis}"
    arrays = [a]
    if name.endswith("filtfilt"):
        given["padtype"] = s.choice(["odd", "even", "constant"])
        more += f", padtype='{given['padtype']}'"
        if s.chance(0.4):
            given["padlen"] = s.integer(0, min(8, a.view.shape[axis] - 1))
            more += f", padlen={given['padlen']}"
        if taps == 1:
            more, arrays = more, arrays
    elif s.chance(0.3) and taps > 1:
        shape = list(a.view.shape)
        shape[axis] = taps - 1
        arrays.append(s.array("float32" if dtype == "float32" else "float64", shape, "exact"))
        given["zi"] = 1
        more += f", zi={wide('a1')}"
    return Call(f"sp.{name}({given['b']}, {given['a']}, {wide()}{more})", arrays, given, near(dtype, 1e3 * size_of(a)))


@functions("signal.sosfilt", "signal.sosfiltfilt", dtypes=NUMBERS)
def _(s, dtype, name):
    order, kind = s.integer(1, 5), s.choice(["low", "high", "bandpass"])
    sos = f"sp.signal.butter({order}, {band(s, kind)}, '{kind}', output='sos')"
    import scipy

    values = np.asarray(eval(sos, {"sp": scipy}))  # noqa: S307: a text of ours
    a, axis = signal(s, dtype, 40 if name.endswith("filtfilt") else 1, 60)
    rows = s.array("float64", values.shape, "exact", view=False)
    rows.base[...] = values
    from .arrays import literal

    rows.text = literal(values)
    return Call(f"sp.{name}(a1, {wide()}, axis={axis})", [a, rows], {"axis": axis}, near(dtype, 1e4 * size_of(a)))


@functions("signal.lfilter_zi", dtypes=["float64"])
def _(s, dtype, name):
    given = coefficients(s)
    if max(len(given["b"]), len(given["a"])) < 2:
        given["b"] = [1.0, 0.5]
    return Call(f"sp.signal.lfilter_zi({given['b']}, {given['a']})", [], given, {"relative": 1e-9, "absolute": 1e-9, "any_zero": True})


@functions("signal.detrend", dtypes=NUMBERS)
def _(s, dtype, name):
    a, axis = signal(s, dtype, 1)
    given = {"axis": axis, "type": s.choice(["linear", "constant"])}
    if s.chance(0.3) and given["type"] == "linear":
        given["bp"] = [s.integer(0, a.view.shape[axis] - 1)]
    more = f", bp={given['bp']}" if "bp" in given else ""
    return Call(f"sp.signal.detrend({wide()}, axis={axis}, type='{given['type']}'{more})", [a], given, near(dtype, 10 * size_of(a)))


@functions("signal.hilbert", dtypes=NUMBERS)
def _(s, dtype, name):
    a, axis = signal(s, dtype, 1)
    given = {"axis": axis}
    if s.chance(0.4):
        given["N"] = s.integer(1, 70)
    return Call(f"sp.signal.hilbert({wide()}, N={given.get('N')}, axis={axis})", [a], given, near(dtype, 10 * size_of(a)))


@functions("signal.resample", dtypes=NUMBERS)
def _(s, dtype, name):
    a, axis = signal(s, dtype, 1)
    given = {"num": s.integer(1, 70), "axis": axis}
    return Call(f"sp.signal.resample({wide()}, {given['num']}, axis={axis})", [a], given, near(dtype, 10 * size_of(a)))


@functions("signal.upfirdn", dtypes=NUMBERS)
def _(s, dtype, name):
    a, axis = signal(s, dtype, 1)
    given = {"h": [s.integer(-8, 8) / 4 for _ in range(s.integer(1, 9))], "up": s.integer(1, 4), "down": s.integer(1, 4), "axis": axis}
    return Call(f"sp.signal.upfirdn({given['h']}, {wide()}, {given['up']}, {given['down']}, axis={axis})", [a], given, near(dtype, 20 * size_of(a)))


@functions("signal.resample_poly", dtypes=NUMBERS)
def _(s, dtype, name):
    a, axis = signal(s, dtype, 1)
    given = {"up": s.integer(1, 6), "down": s.integer(1, 6), "axis": axis, "padtype": s.choice(["constant", "line", "mean", "median", "minimum", "maximum"])}
    text = f"sp.signal.resample_poly({wide()}, {given['up']}, {given['down']}, axis={axis}, padtype='{given['padtype']}')"
    return Call(text, [a], given, near(dtype, 100 * size_of(a)))


@functions("signal.decimate", dtypes=["float64", "float32"])
def _(s, dtype, name):
    a, axis = signal(s, dtype, 40, 90)
    given = {"q": s.integer(2, 6), "axis": axis, "ftype": s.choice(["iir", "fir"]), "zero_phase": s.chance(0.5)}
    text = f"sp.signal.decimate({wide()}, {given['q']}, ftype='{given['ftype']}', axis={axis}, zero_phase={given['zero_phase']})"
    return Call(text, [a], given, near(dtype, 1e6 * size_of(a)))


@functions("signal.savgol_filter", dtypes=NUMBERS)
def _(s, dtype, name):
    a, axis = signal(s, dtype, 1)
    given = {"window_length": s.integer(1, 13), "axis": axis, "deriv": s.choice([0, 0, 1, 2]), "delta": s.choice([1.0, 0.5]),
             "mode": s.choice(["interp", "mirror", "constant", "nearest", "wrap"]), "cval": s.choice([0.0, 2.0])}
    given["polyorder"] = s.integer(0, max(0, given["window_length"] - 1)) if s.chance(0.97) else given["window_length"]
    text = f"sp.signal.savgol_filter({wide()}, {given['window_length']}, {given['polyorder']}{words({k: given[k] for k in ('deriv', 'delta', 'axis', 'mode', 'cval')})})"
    return Call(text, [a], given, near(dtype, 1e6 * size_of(a)))


@functions("signal.savgol_coeffs", dtypes=["float64"])
def _(s, dtype, name):
    given = {"window_length": s.integer(1, 13), "deriv": s.choice([0, 0, 1, 2]), "delta": s.choice([1.0, 0.5]), "use": s.choice(["conv", "dot"])}
    given["polyorder"] = s.integer(0, max(0, given["window_length"] - 1))
    text = f"sp.signal.savgol_coeffs({given['window_length']}, {given['polyorder']}{words({k: given[k] for k in ('deriv', 'delta', 'use')})})"
    return Call(text, [], given, {"relative": 1e-6, "absolute": 1e-8, "any_zero": True})


@functions("signal.medfilt", "signal.wiener", dtypes=["float64", "float32"])
def _(s, dtype, name):
    a = s.array(dtype, s.shape(1, 3, (1, 2, 3, 4, 5, 7)), "exact")
    given = {"size": [s.choice([1, 3, 5]) for _ in a.view.shape]}
    if name.endswith("wiener"):
        return Call(f"sp.{name}({wide()}, {given['size']})", [a], given, near(dtype, 1e3 * size_of(a)))
    return Call(f"sp.{name}(a0, {given['size']})", [a], given)


@functions("signal.convolve", "signal.correlate", "signal.fftconvolve", "signal.oaconvolve", dtypes=FLOATS)
def _(s, dtype, name):
    rank = s.choice([1, 1, 2, 3])
    most = {1: 30, 2: 8, 3: 4}[rank]
    given = {"mode": s.choice(["full", "same", "valid"])}
    one, two = ([s.integer(1, most) for _ in range(rank)] for _ in range(2))
    if given["mode"] == "valid" and s.chance(0.8):
        two = [min(pair) for pair in zip(one, two, strict=True)]
    a, v = s.array(dtype, one, "exact"), s.array(dtype, two, "exact")
    notes = near(dtype, 64 * size_of(a) * size_of(v))
    if given["mode"] == "valid" and not (all(np.greater_equal(one, two)) or all(np.less_equal(one, two))):
        notes["refused"] = "SciPy repeats an axis of one element, although its documentation asks for one array that is larger"
    return Call(f"sp.{name}({wide()}, {wide('a1')}, '{given['mode']}')", [a, v], given, notes)


@functions("signal.correlation_lags", dtypes=["int64"])
def _(s, dtype, name):
    given = {"in1_len": s.integer(1, 9), "in2_len": s.integer(1, 9), "mode": s.choice(["full", "same", "valid"])}
    return Call(f"sp.signal.correlation_lags({given['in1_len']}, {given['in2_len']}, '{given['mode']}')", [], given)


# Spectra.

WINDOWS = ["hann", "hamming", "boxcar", "blackman", "flattop"]


def segments(s: Source, length: int) -> dict:
    given = {"fs": s.choice([1.0, 8.0, 1000.0]), "window": s.choice(WINDOWS), "scaling": s.choice(["density", "spectrum"]), "detrend": s.choice(["constant", "linear", "none"])}
    if s.chance(0.8):
        given["nperseg"] = s.integer(2, length + (3 if s.chance(0.05) else 0))
        if s.chance(0.5):
            given["noverlap"] = s.integer(0, min(given["nperseg"], length) - 1)
        if s.chance(0.4):
            given["nfft"] = given["nperseg"] + s.integer(0, 9)
    return given


def spectral_text(given: dict) -> str:
    return words({**given, "detrend": False} if given.get("detrend") == "none" else given)


@functions("signal.welch", "signal.csd", "signal.coherence", "signal.periodogram", "signal.spectrogram", dtypes=NUMBERS)
def _(s, dtype, name):
    a, axis = signal(s, dtype, 4, 60)
    given, arrays = {**segments(s, a.view.shape[axis]), "axis": axis}, [a]
    word = name.split(".")[1]
    if word in ("csd", "coherence"):
        arrays.append(s.array(dtype, a.view.shape, "exact"))
    if word == "coherence":
        given.pop("scaling")
        # Where there is no power, the result is a quotient of rounding errors.
        given["detrend"] = "none"
        noise = lambda s: s.random.gauss(0, 3) if dtype != "int64" else s.integer(-10**9, 10**9)  # noqa: E731
        arrays = [s.array(dtype, a.view.shape, noise, view=False) for _ in range(2)]
    if word in ("welch", "csd"):
        given |= {"average": s.choice(["mean", "median"]), "return_onesided": s.chance(0.7)}
    elif word != "coherence":
        given["return_onesided"] = s.chance(0.7)
    if word == "periodogram":
        for key in ("nperseg", "noverlap"):
            given.pop(key, None)
    if word == "spectrogram":
        given["mode"] = s.choice(["psd", "magnitude", "complex", "angle"])
        if given["mode"] == "complex":
            given["mode"] = "psd"
    both = ", ".join(wide(f"a{at}") for at in range(len(arrays)))
    notes = near(dtype, 1e3 * size_of(a) ** 2)
    if word == "coherence":
        # A quotient of numbers that may both be nearly 0.
        notes |= {"relative": 1e-3, "absolute": 1e-3}
    if given.get("mode") == "angle":
        notes |= {"relative": 1e-3, "absolute": 7}
    return Call(f"sp.{name}({both}{spectral_text(given)})", arrays, given, notes)


@functions("signal.stft", dtypes=NUMBERS)
def _(s, dtype, name):
    a, axis = signal(s, dtype, 4, 60)
    given = {**segments(s, a.view.shape[axis]), "axis": axis, "boundary": s.choice(["zeros", "even", "odd", "constant"]), "padded": s.chance(0.7)}
    given.setdefault("nperseg", min(16, a.view.shape[axis]))
    given["scaling"] = s.choice(["spectrum", "psd"])
    return Call(f"sp.signal.stft({wide()}{spectral_text(given)})", [a], given, near(dtype, 1e3 * size_of(a)))


@functions("signal.istft", dtypes=["complex128"])
def _(s, dtype, name):
    nperseg = s.choice([8, 16])
    given = {"nperseg": nperseg, "noverlap": nperseg // 2, "window": "hann", "fs": s.choice([1.0, 10.0])}
    a = s.array(dtype, (nperseg // 2 + 1, s.integer(3, 7)), "exact")
    return Call(f"sp.signal.istft(a0{words(given)})", [a], given, near("float64", 1e3))


@functions("signal.lombscargle", dtypes=["float64"])
def _(s, dtype, name):
    count = s.integer(5, 30)
    x = s.array("float64", (count,), lambda s: s.random.uniform(0, 20))
    y = s.array("float64", (count,), "plain")
    # SciPy's result of one frequency has no axes.
    freqs = s.array("float64", (s.integer(2, 9),), lambda s: s.random.uniform(0.1, 5))
    return Call("sp.signal.lombscargle(a0, a1, a2)", [x, y, freqs], {}, {"relative": 1e-6, "absolute": 1e-6})


# Peaks.

@functions("signal.find_peaks", dtypes=["float64", "float32", "int64"])
def _(s, dtype, name):
    a = s.array(dtype, (s.integer(0, 60),), "exact" if s.chance(0.5) else lambda s: s.integer(0, 3))
    given, text = {}, ""
    for key in ("height", "threshold", "prominence", "width", "plateau_size"):
        if s.chance(0.3):
            low = s.choice([0.0, 0.5, 1.0, 2.0])
            given[key] = [low, low + s.choice([0.5, 2.0, 5.0])] if s.chance(0.3) else [low, float("inf")]
            text += f", {key}=({low}, {given[key][1] if np.isfinite(given[key][1]) else None})"
            given[key] = [str(number) for number in given[key]]
    for key, value in {"distance": s.choice([1.0, 2.0, 3.5, 9.0]), "wlen": s.integer(3, 20)}.items():
        if s.chance(0.3):
            given[key] = value
            text += f", {key}={value}"
    given["rel_height"] = s.choice([0.5, 0.25, 1.0])
    ours = ["peak_heights", "prominences", "left_bases", "right_bases", "widths", "width_heights", "left_ips", "right_ips", "left_thresholds", "right_thresholds", "plateau_sizes", "left_edges", "right_edges"]
    text = f"(lambda p, d: [p, *(d[key] for key in {ours} if key in d)])(*sp.signal.find_peaks({wide()}{text}, rel_height={given['rel_height']}))"
    notes = {"relative": 1e-12, "absolute": 1e-12, "any_dtype": True}
    if "distance" in given and len(np.unique(a.view)) < a.view.size:
        notes["differs"] = "which of equal peaks stays is for SciPy's sort to say, which is not stable"
    return Call(text, [a], given, notes)


@functions("signal.peak_prominences", "signal.peak_widths", dtypes=["float64", "int64"])
def _(s, dtype, name):
    a = s.array(dtype, (s.integer(1, 40),), "exact")
    import scipy

    found = scipy.signal.find_peaks(a.view.astype(float))[0]
    peaks = s.array("int64", (len(found),), "exact", view=False)
    peaks.base[...] = found
    from .arrays import literal

    peaks.text = literal(peaks.base)
    given = {"wlen": s.integer(3, 20)} if s.chance(0.4) else {}
    more = words(given)
    if name.endswith("widths"):
        given["rel_height"] = s.choice([0.5, 0.25, 1.0])
        more += f", rel_height={given['rel_height']}"
    return Call(f"sp.{name}({wide()}, a1{more})", [a, peaks], given, {"relative": 1e-12, "absolute": 1e-12, "any_dtype": True})


@functions("signal.argrelmax", "signal.argrelmin", dtypes=["float64", "int64"])
def _(s, dtype, name):
    a, axis = signal(s, dtype, 1, 30)
    given = {"axis": axis, "order": s.integer(1, 4), "mode": s.choice(["clip", "wrap"])}
    return Call(f"sp.{name}(a0{words(given)})", [a], given)


# Waves.

@functions("signal.sawtooth", "signal.square", "signal.gausspulse", "signal.sweep_poly", "signal.chirp", dtypes=FLOATS)
def _(s, dtype, name):
    a = s.array(dtype, None, lambda s: s.random.uniform(-20, 20))
    word = name.split(".")[1]
    given = {"x": s.choice([0.0, 0.25, 0.5, 1.0])}
    text = f"{wide()}, {given['x']}"
    if word == "gausspulse":
        given = {"fc": s.choice([0.5, 2.0]), "bw": s.choice([0.5, 0.25]), "bwr": s.choice([-6.0, -3.0])}
        text = f"{wide()}, {given['fc']}, {given['bw']}, {given['bwr']}"
    elif word == "sweep_poly":
        given = {"poly": [s.integer(-4, 4) / 8 for _ in range(s.integer(1, 3))], "phi": s.choice([0.0, 30.0])}
        text = f"{wide()}, {given['poly']}, {given['phi']}"
    elif word == "chirp":
        given = {"f0": s.choice([1.0, 2.0]), "t1": s.choice([5.0, 10.0]), "f1": s.choice([0.5, 4.0]), "method": s.choice(["linear", "quadratic", "logarithmic", "hyperbolic"]),
                 "phi": s.choice([0.0, 30.0]), "vertex_zero": s.chance(0.5)}
        text = f"{wide()}, {given['f0']}, {given['t1']}, {given['f1']}, method='{given['method']}', phi={given['phi']}, vertex_zero={given['vertex_zero']}"
    # A phase of many periods; values near a jump differ by their last bit.
    notes = near(dtype, 1e5 if dtype == "float64" else 1e3)
    return Call(f"sp.{name}({text})", [a], given, notes)
