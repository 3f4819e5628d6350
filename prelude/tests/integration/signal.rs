//! `gpu::signal` against SciPy, whose results are in tests/parity/signal.json (by scipy_signal.py), for f64 and f32.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::signal::{self, windows};
use warpcell::{Complex, Element, Scalar};

/// SciPy's results, of which each is to be asked for.
struct Table {
    rows: BTreeMap<String, Vec<Option<f64>>>,
    asked: RefCell<BTreeSet<String>>,
    faults: RefCell<Vec<String>>,
}

impl Table {
    /// The rows whose names begin with one of these words.
    fn of(words: &[&str]) -> Table {
        let text = include_str!("../../../tests/parity/signal.json");
        let mut rows: BTreeMap<String, Vec<Option<f64>>> = serde_json::from_str(text).expect("a table");
        rows.retain(|name, _| words.contains(&name.split([' ', '(']).next().unwrap()));
        Table { rows, asked: RefCell::default(), faults: RefCell::default() }
    }

    fn near(&self, name: &str, found: &[f64], tolerance: f64) {
        let Some(wanted) = self.rows.get(name) else { panic!("there is no row {name:?}") };
        self.asked.borrow_mut().insert(name.to_string());
        let largest = wanted.iter().flatten().fold(0.0f64, |most, x| most.max(x.abs()));
        if wanted.len() != found.len() {
            self.faults.borrow_mut().push(format!("{name}: {} numbers, not {}", found.len(), wanted.len()));
            return;
        }
        for (place, (wanted, found)) in wanted.iter().zip(found).enumerate() {
            let is_near = match wanted {
                Some(wanted) => (wanted - found).abs() <= tolerance * largest.max(1e-300),
                None => found.is_nan(),
            };
            if !is_near {
                self.faults.borrow_mut().push(format!("{name}[{place}]: {found}, not {wanted:?}"));
                return;
            }
        }
    }

    #[track_caller]
    fn finish(&self) {
        let faults = self.faults.borrow();
        assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
        let asked = self.asked.borrow();
        let left: Vec<_> = self.rows.keys().filter(|name| !asked.contains(*name)).collect();
        assert!(left.is_empty(), "rows that no test asks for: {left:?}");
    }
}

fn floats<T: Element>(a: &DeviceArray<T>) -> Vec<f64> {
    let float = |value: T| match value.to_scalar() {
        Scalar::I64(value) => value as f64,
        other => other.float().expect("a number"),
    };
    a.to_host().iter().map(|&value| float(value)).collect()
}

fn complexes(a: &DeviceArray<Complex<f64>>) -> Vec<f64> {
    [floats(&a.real()), floats(&a.imag())].concat()
}

/// The signal of scipy_signal.py.
fn samples(count: usize) -> Vec<f64> {
    let sample = |at: usize| {
        let noise = (at * 7919 % 101) as f64 / 50.0 - 1.0;
        let at = at as f64;
        (0.05 * at).sin() + 0.5 * (0.9 * at + 1.0).sin() + 0.25 * noise
    };
    (0..count).map(sample).collect()
}

fn wave(count: usize) -> DeviceArray<f64> {
    gpu::array(&samples(count))
}

/// Some of a long result: those that scipy_signal.py has, along the last axis.
fn some(numbers: &[f64], rows: usize) -> Vec<f64> {
    let length = numbers.len() / rows;
    let places: BTreeSet<usize> =
        (0..40).map(|at| (at as f64 * ((length - 1) as f64 / 39.0)) as usize).chain([length - 1]).collect();
    (0..rows).flat_map(|row| places.iter().map(move |at| numbers[row * length + at]).collect::<Vec<_>>()).collect()
}

#[test]
fn windows_are_those_of_scipy() {
    let table = Table::of(&[
        "barthann",
        "bartlett",
        "blackman",
        "blackmanharris",
        "bohman",
        "boxcar",
        "cosine",
        "flattop",
        "hamming",
        "hann",
        "lanczos",
        "nuttall",
        "parzen",
        "triang",
        "taylor",
        "tukey",
        "exponential",
        "chebwin",
        "gaussian",
        "general_cosine",
        "general_gaussian",
        "general_hamming",
        "kaiser",
        "kaiser_bessel_derived",
        "get_window",
    ]);
    type Plain = fn(usize, bool) -> DeviceArray<f64>;
    let plain: [(&str, Plain); 17] = [
        ("barthann", |count, sym| windows::barthann!(count, sym = sym)),
        ("bartlett", |count, sym| windows::bartlett!(count, sym = sym)),
        ("blackman", |count, sym| windows::blackman!(count, sym = sym)),
        ("blackmanharris", |count, sym| windows::blackmanharris!(count, sym = sym)),
        ("bohman", |count, sym| windows::bohman!(count, sym = sym)),
        ("boxcar", |count, sym| windows::boxcar!(count, sym = sym)),
        ("cosine", |count, sym| windows::cosine!(count, sym = sym)),
        ("flattop", |count, sym| windows::flattop!(count, sym = sym)),
        ("hamming", |count, sym| windows::hamming!(count, sym = sym)),
        ("hann", |count, sym| windows::hann!(count, sym = sym)),
        ("lanczos", |count, sym| windows::lanczos!(count, sym = sym)),
        ("nuttall", |count, sym| windows::nuttall!(count, sym = sym)),
        ("parzen", |count, sym| windows::parzen!(count, sym = sym)),
        ("triang", |count, sym| windows::triang!(count, sym = sym)),
        ("taylor", |count, sym| windows::taylor!(count, sym = sym)),
        ("tukey", |count, sym| windows::tukey!(count, sym = sym)),
        ("exponential", |count, sym| windows::exponential!(count, sym = sym)),
    ];
    for (name, window) in plain {
        for count in [0, 1, 2, 7, 10] {
            for sym in [true, false] {
                table.near(&format!("{name}({count}, {sym})"), &floats(&window(count, sym)), 1e-13);
            }
        }
    }
    let shaped: [(&str, Plain); 8] = [
        ("60", |n, sym| windows::chebwin_with(n, 60.0, sym)),
        ("100", |n, sym| windows::chebwin_with(n, 100.0, sym)),
        ("1.5", |n, sym| windows::gaussian_with(n, 1.5, sym)),
        ("[0.4, 0.4, 0.2]", |n, sym| windows::general_cosine_with(n, &[0.4, 0.4, 0.2], sym)),
        ("1.5, 2.5", |n, sym| windows::general_gaussian_with(n, 1.5, 2.5, sym)),
        ("0.7", |n, sym| windows::general_hamming_with(n, 0.7, sym)),
        ("0.0", |n, sym| windows::kaiser_with(n, 0.0, sym)),
        ("8.6", |n, sym| windows::kaiser_with(n, 8.6, sym)),
    ];
    let names =
        ["chebwin", "chebwin", "gaussian", "general_cosine", "general_gaussian", "general_hamming", "kaiser", "kaiser"];
    for (name, (numbers, window)) in names.iter().zip(shaped) {
        for count in [1, 7, 10] {
            for sym in [true, false] {
                table.near(&format!("{name}({count}, {numbers}, {sym})"), &floats(&window(count, sym)), 1e-12);
            }
        }
    }
    table.near("kaiser_bessel_derived", &floats(&windows::kaiser_bessel_derived(8, 4.0)), 1e-13);
    let off_centre = windows::exponential!(7, center = 1.0, tau = 2.0, sym = false);
    table.near("exponential centre", &floats(&off_centre), 1e-14);
    table.near("taylor plain", &floats(&windows::taylor!(9, nbar = 5, sll = 40.0, norm = false)), 1e-13);
    table.near("tukey 0.2", &floats(&windows::tukey!(11, alpha = 0.2)), 1e-13);
    table.near("get_window kaiser", &floats(&signal::get_window(8.0, 9)), 1e-13);
    table.near("get_window tukey", &floats(&signal::get_window(("tukey", 0.3), 9)), 1e-13);
    table.near("get_window hann", &floats(&signal::get_window!("hann", 9, fftbins = false)), 1e-13);
    table.finish();
}

#[test]
fn designs_are_those_of_scipy() {
    let table = Table::of(&[
        "butter",
        "cheby1",
        "cheby2",
        "tf2zpk",
        "zpk2tf",
        "zpk2sos",
        "tf2sos",
        "sos2tf",
        "bilinear",
        "freqz",
        "sosfreqz",
        "firwin",
        "ellip",
        "firwin2",
        "max_len_seq",
    ]);
    let both = |(b, a): (DeviceArray<f64>, DeviceArray<f64>)| [floats(&b), floats(&a)].concat();
    let response = |(w, h): (DeviceArray<f64>, DeviceArray<Complex<f64>>)| [floats(&w), complexes(&h)].concat();
    let kinds = [("low", vec![0.3]), ("high", vec![0.3]), ("bandpass", vec![0.2, 0.5]), ("bandstop", vec![0.2, 0.5])];
    for (kind, band) in kinds {
        for order in [1, 2, 5] {
            let name = |design: &str, form: &str| format!("{design}({order}, {kind}, {form})");
            table.near(&name("butter", "ba"), &both(signal::butter!(order, &band, btype = kind)), 1e-10);
            table.near(&name("cheby1", "ba"), &both(signal::cheby1!(order, 1.0, &band, kind)), 1e-10);
            table.near(&name("cheby2", "ba"), &both(signal::cheby2!(order, 40.0, &band, kind)), 1e-10);
            let sos = signal::butter!(order, &band, btype = kind, output = "sos");
            table.near(&name("butter", "sos"), &floats(&sos), 1e-7);
            let sos = signal::cheby1!(order, 1.0, &band, btype = kind, output = "sos");
            table.near(&name("cheby1", "sos"), &floats(&sos), 1e-7);
            let sos = signal::cheby2!(order, 40.0, &band, btype = kind, output = "sos");
            table.near(&name("cheby2", "sos"), &floats(&sos), 1e-7);
        }
    }
    table.near("butter analog", &both(signal::butter!(3, 5.0, analog = true)), 1e-12);
    let (z, p, k) = signal::butter!(3, 30.0, btype = "high", output = "zpk", fs = 200.0);
    table.near("butter zpk", &[complexes(&z), complexes(&p), vec![k]].concat(), 1e-12);
    let (z, p, k) = signal::tf2zpk(&[2.0, -3.0, 1.0], &[1.0, 0.5, 0.06]);
    let sorted = |roots: &DeviceArray<Complex<f64>>| {
        let mut real = floats(&roots.real());
        real.sort_by(f64::total_cmp);
        real
    };
    table.near("tf2zpk", &[sorted(&z), sorted(&p), vec![k]].concat(), 1e-12);
    let (b, a) = signal::zpk2tf(&z, &p, k);
    table.near("zpk2tf", &[floats(&b), floats(&a)].concat(), 1e-12);
    table.near("zpk2sos", &floats(&signal::zpk2sos(&z, &p, k)), 1e-12);
    let sos = signal::tf2sos(&[1.0, 2.0, 1.0, 0.5], &[1.0, -0.5, 0.3, 0.1]);
    table.near("tf2sos", &floats(&sos), 1e-12);
    table.near("sos2tf", &both(signal::sos2tf(&signal::butter!(4, 0.2, output = "sos"))), 1e-10);
    table.near("bilinear", &both(signal::bilinear(&[1.0, 2.0], &[1.0, 0.5, 3.0], 2.0)), 1e-12);
    let (b, a) = signal::butter(3, 0.3);
    table.near("freqz", &response(signal::freqz!(&b, &a, 16)), 1e-12);
    table.near("freqz whole", &response(signal::freqz!(&b, &a, worN = 16, whole = true, fs = 100.0)), 1e-12);
    table.near("freqz nyquist", &response(signal::freqz!(&b, &a, worN = 16, include_nyquist = true)), 1e-12);
    table.near("freqz values", &response(signal::freqz!(&b, &a, worN = &[0.1, 0.5, 3.0])), 1e-12);
    let sos = signal::butter!(5, 0.3, output = "sos");
    table.near("sosfreqz", &response(signal::sosfreqz!(&sos, worN = 16)), 1e-10);
    table.near("firwin", &floats(&signal::firwin(15, 0.3)), 1e-12);
    let taps = signal::firwin!(15, (0.2, 0.5), pass_zero = false, window = "hann");
    table.near("firwin band", &floats(&taps), 1e-12);
    let taps = signal::firwin!(15, (20.0, 50.0), pass_zero = "bandstop", fs = 200.0);
    table.near("firwin stop", &floats(&taps), 1e-12);
    let taps = signal::firwin!(15, 0.3, pass_zero = "highpass", scale = false);
    table.near("firwin high", &floats(&taps), 1e-12);
    table.near("firwin width", &floats(&signal::firwin!(16, 0.3, width = 0.2)), 1e-12);
    for (kind, band) in
        [("low", vec![0.3]), ("high", vec![0.3]), ("bandpass", vec![0.2, 0.5]), ("bandstop", vec![0.2, 0.5])]
    {
        for order in [1, 2, 3, 6] {
            let found = both(signal::ellip!(order, 1.0, 40.0, &band, btype = kind));
            table.near(&format!("ellip({order}, {kind}, ba)"), &found, 1e-10);
            let found = floats(&signal::ellip!(order, 0.1, 60.0, &band, btype = kind, output = "sos"));
            table.near(&format!("ellip({order}, {kind}, sos)"), &found, 1e-7);
        }
    }
    table.near("ellip analog", &both(signal::ellip!(4, 3.0, 80.0, 5.0, analog = true)), 1e-11);
    let taps = signal::firwin2(15, &[0.0, 0.3, 0.6, 1.0], &[1.0, 2.0, 0.5, 0.0]);
    table.near("firwin2", &floats(&taps), 1e-12);
    let taps = signal::firwin2!(16, &[0.0, 0.4, 0.4, 1.0], &[1.0, 1.0, 0.0, 0.0], window = "boxcar");
    table.near("firwin2 step", &floats(&taps), 1e-12);
    let (freq, gain) = (&[0.0, 20.0, 50.0], &[0.0, 1.0, 0.0]);
    let taps = signal::firwin2!(9, freq, gain, nfreqs = 33, window = "hann", antisymmetric = true, fs = 100.0);
    table.near("firwin2 other", &floats(&taps), 1e-12);
    let taps = signal::firwin2!(10, freq, &[0.0, 1.0, 1.0], antisymmetric = true, fs = 100.0);
    table.near("firwin2 odd", &floats(&taps), 1e-12);
    let bits = |(found, state): (DeviceArray<i8>, DeviceArray<i8>)| {
        [floats(&found.astype::<f64>()), floats(&state.astype::<f64>())].concat()
    };
    for count in [2, 5, 8] {
        table.near(&format!("max_len_seq({count})"), &bits(signal::max_len_seq(count)), 0.0);
    }
    let other = signal::max_len_seq!(5, state = &[0, 1, 1, 0, 1], length = 40, taps = &[4, 2, 1]);
    table.near("max_len_seq other", &bits(other), 0.0);
    table.finish();
}

#[test]
fn filters_are_those_of_scipy() {
    check_filters();
    // In as many chunks as on a GPU.
    gpu::by_kernels(check_filters);
}

fn check_filters() {
    let table = Table::of(&["lfilter", "lfilter_zi", "filtfilt", "sosfilt", "sosfilt_zi", "sosfiltfilt"]);
    let list = |(b, a): (DeviceArray<f64>, DeviceArray<f64>)| (floats(&b), floats(&a));
    let designs = [
        ("iir", list(signal::butter(5, 0.2))),
        ("first", list(signal::butter(1, 0.2))),
        ("second", list(signal::cheby1!(2, 1.0, 0.4, btype = "high"))),
        ("fir", (floats(&signal::firwin(21, 0.3)), vec![1.0])),
        ("scaled", (vec![2.0, 1.0], vec![4.0, -1.0, 0.5])),
        ("number", (vec![3.0], vec![2.0])),
    ];
    for (name, (b, a)) in &designs {
        table.near(&format!("lfilter {name}"), &floats(&signal::lfilter(b, a, &wave(50))), 1e-12);
        // The same within the precision of f32.
        table.near(&format!("lfilter {name}"), &floats(&signal::lfilter(b, a, &wave(50).astype::<f32>())), 1e-6);
        let long = floats(&signal::lfilter(b, a, &wave(20000)));
        table.near(&format!("lfilter {name} long"), &some(&long, 1), 1e-10);
        let columns = signal::lfilter!(b, a, &wave(60).reshape((20, 3)), axis = 0);
        table.near(&format!("lfilter {name} axis 0"), &floats(&columns), 1e-12);
        let order = b.len().max(a.len()) - 1;
        let zi: Vec<f64> = (0..order).map(|k| 0.5 + k as f64).collect();
        let (y, zf) = signal::lfilter!(b, a, &wave(50), zi = &gpu::array(&zi));
        table.near(&format!("lfilter {name} zi"), &[floats(&y), floats(&zf)].concat(), 1e-12);
        let zi = gpu::array(&zi);
        let zi = gpu::stack([&zi, &-&zi], 1);
        let (y, zf) = signal::lfilter!(b, a, &wave(6000).reshape((3000, 2)), axis = 0, zi = &zi);
        let y = some(&floats(&y.t()), 2);
        table.near(&format!("lfilter {name} zi axis 0"), &[y, floats(&zf)].concat(), 1e-10);
        if *name == "number" {
            continue;
        }
        table.near(&format!("lfilter_zi {name}"), &floats(&signal::lfilter_zi(b, a)), 1e-10);
        let y = floats(&signal::filtfilt(b, a, &wave(3000)));
        table.near(&format!("filtfilt {name}"), &some(&y, 1), 1e-9);
        for (word, padtype) in [("even", "even"), ("constant", "constant"), ("None", "none")] {
            let y = signal::filtfilt!(b, a, &wave(40), padtype = padtype, padlen = 9);
            table.near(&format!("filtfilt {name} {word}"), &floats(&y), 1e-10);
        }
    }
    for kind in ["low", "bandpass"] {
        let sos = if kind == "low" {
            signal::butter!(5, 0.1, output = "sos")
        } else {
            signal::butter!(4, (0.1, 0.3), btype = "bandpass", output = "sos")
        };
        table.near(&format!("sosfilt {kind}"), &floats(&signal::sosfilt(&sos, &wave(50))), 1e-10);
        table.near(&format!("sosfilt {kind}"), &floats(&signal::sosfilt(&sos, &wave(50).astype::<f32>())), 1e-6);
        let long = floats(&signal::sosfilt(&sos, &wave(20000)));
        table.near(&format!("sosfilt {kind} long"), &some(&long, 1), 1e-10);
        let columns = signal::sosfilt!(&sos, &wave(60).reshape((20, 3)), axis = 0);
        table.near(&format!("sosfilt {kind} axis 0"), &floats(&columns), 1e-10);
        let zi = signal::sosfilt_zi(&sos);
        table.near(&format!("sosfilt_zi {kind}"), &floats(&zi), 1e-7);
        let (y, zf) = signal::sosfilt!(&sos, &wave(50), zi = &zi);
        table.near(&format!("sosfilt {kind} zi"), &[floats(&y), floats(&zf)].concat(), 1e-7);
        let y = floats(&signal::sosfiltfilt(&sos, &wave(3000)));
        table.near(&format!("sosfiltfilt {kind}"), &some(&y, 1), 1e-8);
        let y = signal::sosfiltfilt!(&sos, &wave(60).reshape((2, 30)), padtype = "even", padlen = 8);
        table.near(&format!("sosfiltfilt {kind} even"), &floats(&y), 1e-8);
    }
    table.finish();
}

/// A signal in one piece and in two, with the state between them, whatever the chunks are.
#[test]
fn states_go_on() {
    let (b, a) = signal::butter(4, 0.05);
    let x = wave(9001);
    let whole = signal::lfilter(&b, &a, &x);
    let zi = gpu::zeros::<f64>(4);
    let (first, state) = signal::lfilter!(&b, &a, &x.slice(ndarray::s![..3333]), zi = &zi);
    let (second, _) = signal::lfilter!(&b, &a, &x.slice(ndarray::s![3333..]), zi = &state);
    assert!(gpu::allclose_with(&gpu::concatenate([&first, &second], 0), &whole, 0.0, 1e-10, false));
}

#[test]
fn empty_signals_stay_empty() {
    assert_eq!(signal::lfilter(1.0, &[1.0, -0.5], &gpu::zeros::<f32>((0, 3))).shape(), [0, 3]);
    assert_eq!(signal::lfilter(&[1.0, 2.0], 1.0, &gpu::zeros::<f64>((3, 0))).shape(), [3, 0]);
    assert_eq!(signal::sosfilt(&[[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]], &gpu::zeros::<f64>(0)).shape(), [0]);
}

#[test]
fn mistakes_are_said() {
    let text = |call: &dyn Fn()| {
        let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).expect_err("a mistake");
        payload.downcast_ref::<String>().expect("a text").clone()
    };
    let x = wave(20);
    let mistakes: [(&dyn Fn(), &str); 25] = [
        (&|| drop(signal::butter(3, 1.5)), "`Wn` has 1.5"),
        (&|| drop(signal::butter!(3, (0.2, 0.3), btype = "low")), "needs one"),
        (&|| drop(signal::butter!(3, 0.2, btype = "flat")), "\"flat\""),
        (&|| drop(signal::lfilter(1.0, &[0.0, 1.0], &x)), "`a[0]` is 0"),
        (&|| drop(signal::lfilter!(1.0, &[1.0, 0.5], &x, axis = 1)), "axis"),
        (&|| drop(signal::lfilter!(1.0, &[1.0, 0.5], &x, zi = &gpu::zeros::<f64>(2))), "[1]"),
        (&|| drop(signal::filtfilt(1.0, &[1.0, 0.5, 0.1, 0.1, 0.1, 0.1, 0.1], &x)), "`padlen`, 21"),
        (&|| drop(signal::sosfilt(&[1.0, 2.0], &x)), "second-order sections"),
        (&|| drop(signal::get_window("round", 5)), "\"round\""),
        (&|| drop(signal::ellip(3, 40.0, 1.0, 0.2)), "no filter has this `rp` and `rs`"),
        (&|| drop(signal::firwin2(9, &[0.0, 0.5], &[1.0, 0.0])), "`freq` is from 0 to 0.5"),
        (&|| drop(signal::firwin2(8, &[0.0, 1.0], &[1.0, 1.0])), "`gain` is 1 at 0 and 1 at 1"),
        (&|| drop(signal::firwin2!(40, &[0.0, 1.0], &[1.0, 0.0], nfreqs = 33)), "less than `nfreqs`, 33"),
        (&|| drop(signal::max_len_seq(1)), "`nbits` is 1"),
        (&|| drop(signal::max_len_seq!(3, state = &[0, 0, 0])), "`state` is [0, 0, 0]"),
        (&|| drop(signal::detrend!(&x, bp = 30)), "`bp` has 30, but there are 20 samples"),
        (&|| drop(signal::resample_poly!(&x, 3, 2, padtype = "edge")), "`padtype` is \"edge\""),
        (&|| drop(signal::fftconvolve!(&x, &x, axes = 1)), "no axis 1"),
        (&|| drop(signal::fftconvolve!(&x, &x.expand_dims(0), axes = 0)), "give 1 axes"),
        (&|| drop(signal::fftconvolve!(&x, &x.slice(s![..0]), axes = 0)), "nothing along axis 0"),
        (&|| drop(signal::medfilt2d(&x)), "[20]"),
        (&|| drop(signal::order_filter(&x, &gpu::ones::<f64>(4), 0)), "[4]"),
        (&|| drop(signal::order_filter(&x, &gpu::ones::<f64>(3), 3)), "`rank` is 3, but `domain` has 3"),
        (&|| drop(signal::lombscargle(&x, &x, &gpu::zeros::<f64>(0))), "`freqs`"),
        (&|| drop(signal::lombscargle!(&x, &x, &x, weights = &-&gpu::ones::<f64>(20))), "the least of `weights` is -1"),
    ];
    for (call, part) in mistakes {
        let text = text(call);
        assert!(text.contains(part), "{text:?} lacks {part:?}");
    }
}

#[test]
fn smoothing_is_that_of_scipy() {
    let table = Table::of(&[
        "detrend",
        "medfilt2d",
        "order_filter",
        "hilbert",
        "resample",
        "upfirdn",
        "resample_poly",
        "decimate",
        "savgol_coeffs",
        "savgol_filter",
        "medfilt",
        "wiener",
    ]);
    let (x, two) = (wave(90), wave(120).reshape((40, 3)));
    let single = x.astype::<f32>();
    let part = |count: usize| x.slice(ndarray::s![..count]);
    for kind in ["linear", "constant"] {
        table.near(&format!("detrend {kind}"), &floats(&signal::detrend!(&x, type = kind)), 1e-13);
        table.near(&format!("detrend {kind}"), &floats(&signal::detrend!(&single, type = kind)), 1e-6);
        table.near(&format!("detrend {kind} axis 0"), &floats(&signal::detrend!(&two, axis = 0, type = kind)), 1e-13);
    }
    for count in [90, 89, 1] {
        table.near(&format!("hilbert {count}"), &complexes(&signal::hilbert(&wave(count))), 1e-13);
    }
    table.near("hilbert longer", &complexes(&signal::hilbert!(&two, N = 50, axis = 0)), 1e-13);
    for length in [20, 21] {
        for num in [1, 8, 9, 20, 21, 30, 41, 42] {
            table.near(&format!("resample {length} {num}"), &floats(&signal::resample(&wave(length), num)), 1e-13);
        }
    }
    let rows = wave(40).reshape((2, 20));
    table.near("resample axis", &floats(&signal::resample!(&rows, 15, axis = 1)), 1e-13);
    let h = [0.25, 1.0, 0.5, -0.25, 0.1];
    for (up, down) in [(1, 1), (3, 1), (1, 3), (3, 2), (7, 4)] {
        let y = signal::upfirdn!(&h, &part(20), up = up, down = down);
        table.near(&format!("upfirdn {up} {down}"), &floats(&y), 1e-14);
    }
    table.near("upfirdn axis", &floats(&signal::upfirdn!(&h, &two, 3, 2, axis = 0)), 1e-14);
    for (up, down) in [(3, 2), (2, 3), (4, 6), (1, 5), (5, 1), (2, 2)] {
        let name = format!("resample_poly {up} {down}");
        table.near(&name, &floats(&signal::resample_poly(&part(31), up, down)), 1e-12);
        table.near(&name, &floats(&signal::resample_poly(&part(31).astype::<f32>(), up, down)), 1e-6);
    }
    let y = signal::resample_poly!(&two.t(), 3, 2, axis = 1, window = ("kaiser", 8.0));
    table.near("resample_poly axis", &floats(&y), 1e-12);
    table.near("resample_poly taps", &floats(&signal::resample_poly!(&part(31), 3, 2, window = &h)), 1e-12);
    table.near("decimate", &floats(&signal::decimate(&x, 3)), 1e-8);
    table.near("decimate phase", &floats(&signal::decimate!(&x, 3, n = 5, zero_phase = false)), 1e-10);
    table.near("decimate fir", &floats(&signal::decimate!(&x, 4, ftype = "fir")), 1e-12);
    let y = signal::decimate!(&two, 4, n = 21, ftype = "fir", axis = 0, zero_phase = false);
    table.near("decimate fir phase", &floats(&y), 1e-12);
    for (count, degree, deriv) in [(5, 2, 0), (7, 3, 1), (11, 4, 2), (4, 2, 0), (5, 1, 2), (21, 5, 0)] {
        let c = signal::savgol_coeffs!(count, degree, deriv = deriv, delta = 0.5);
        table.near(&format!("savgol_coeffs {count} {degree} {deriv}"), &floats(&c), 1e-10);
    }
    let c = signal::savgol_coeffs!(7, 3, deriv = 1, pos = 6.0, use = "dot");
    table.near("savgol_coeffs pos", &floats(&c), 1e-10);
    for mode in ["interp", "mirror", "nearest", "wrap", "constant"] {
        let y = signal::savgol_filter!(&x, 7, 3, mode = mode, cval = 0.5);
        table.near(&format!("savgol_filter {mode}"), &floats(&y), 1e-11);
        let y = signal::savgol_filter!(&two, 9, 3, deriv = 1, delta = 0.1, axis = 0, mode = mode);
        table.near(&format!("savgol_filter {mode} deriv"), &floats(&y), 1e-11);
    }
    table.near("medfilt", &floats(&signal::medfilt(&x)), 1e-14);
    table.near("medfilt", &floats(&signal::medfilt(&single)), 1e-6);
    table.near("medfilt 7", &floats(&signal::medfilt!(&x, 7)), 1e-14);
    table.near("medfilt 2-D", &floats(&signal::medfilt!(&two, kernel_size = [5, 3])), 1e-14);
    table.near("wiener", &floats(&signal::wiener(&x)), 1e-11);
    table.near("wiener 4", &floats(&signal::wiener!(&x, 4)), 1e-11);
    table.near("wiener 2-D", &floats(&signal::wiener!(&two, [5, 3], noise = 0.1)), 1e-11);
    let two = wave(60).reshape((12, 5));
    let narrow = two.astype::<f32>();
    table.near("medfilt2d", &floats(&signal::medfilt2d(&two)), 1e-13);
    table.near("medfilt2d", &floats(&signal::medfilt2d(&narrow)), 1e-7);
    table.near("medfilt2d sizes", &floats(&signal::medfilt2d!(&two, kernel_size = [5, 1])), 1e-13);
    let domain = gpu::array(&[[1, 0, 1], [0, 1, 1], [0, 0, 1]]);
    table.near("order_filter", &floats(&signal::order_filter(&two, &domain, 3)), 1e-13);
    table.near("order_filter", &floats(&signal::order_filter(&two.t().copy().t(), &domain, 3)), 1e-13);
    table.near("order_filter", &floats(&signal::order_filter(&narrow, &domain, 3)), 1e-7);
    table.near("order_filter all", &floats(&signal::order_filter(&wave(20), &gpu::ones::<f64>(5), 0)), 1e-13);
    for padtype in ["mean", "median", "minimum", "maximum"] {
        let name = format!("resample_poly {padtype}");
        table.near(&name, &floats(&signal::resample_poly!(&(&two + 3.0), 3, 2, padtype = padtype)), 1e-13);
        let narrow = signal::resample_poly!(&(&narrow + 3.0), 3, 2, axis = -2, padtype = padtype);
        table.near(&name, &floats(&narrow), 1e-6);
    }
    table.near("detrend breaks", &floats(&signal::detrend!(&wave(60), bp = [10, 11, 40])), 1e-13);
    table.near("detrend break axis 0", &floats(&signal::detrend!(&two, axis = 0, bp = 7)), 1e-13);
    table.near("detrend break axis 0", &floats(&signal::detrend!(&narrow, axis = 0, bp = 7)), 1e-6);
    table.finish();
}

#[test]
fn spectra_are_those_of_scipy() {
    let table = Table::of(&["lombscargle", "welch", "periodogram", "csd", "coherence", "spectrogram", "stft", "istft"]);
    let (x, two) = (wave(300), wave(600).reshape((200, 3)));
    let y = &(gpu::arange(300.0) * 0.3).cos() + &(&x * 0.2);
    let part = |count: usize| x.slice(ndarray::s![..count]);
    type Powers = (DeviceArray<f64>, DeviceArray<f64>);
    type Transforms = (DeviceArray<f64>, DeviceArray<f64>, DeviceArray<Complex<f64>>);
    let pair = |(f, p): Powers| [floats(&f), floats(&p)].concat();
    let transforms = |(f, t, z): Transforms| [floats(&f), floats(&t), complexes(&z)].concat();
    table.near("welch", &pair(signal::welch(&x)), 1e-12);
    let (f, single) = signal::welch(&x.astype::<f32>());
    table.near("welch", &[floats(&f), floats(&single)].concat(), 1e-6);
    let found = signal::welch!(
        &x,
        fs = 50.0,
        window = "hamming",
        nperseg = 64,
        noverlap = 16,
        nfft = 100,
        detrend = "linear",
        scaling = "spectrum"
    );
    table.near("welch keywords", &pair(found), 1e-12);
    table.near("welch median", &pair(signal::welch!(&x, nperseg = 50, average = "median", detrend = "none")), 1e-12);
    table.near("welch both sides", &pair(signal::welch!(&x, nperseg = 50, return_onesided = false)), 1e-12);
    table.near("welch odd", &pair(signal::welch!(&x, nperseg = 51, window = ("tukey", 0.25))), 1e-12);
    table.near("welch axis", &pair(signal::welch!(&two, nperseg = 32, axis = 0)), 1e-12);
    table.near("periodogram", &pair(signal::periodogram(&x)), 1e-12);
    let found = signal::periodogram!(
        &two,
        fs = 10.0,
        window = "hann",
        nfft = 256,
        detrend = "linear",
        scaling = "spectrum",
        axis = 0
    );
    table.near("periodogram keywords", &pair(found), 1e-12);
    let (f, p) = signal::csd!(&x, &y, nperseg = 64);
    table.near("csd", &[floats(&f), complexes(&p)].concat(), 1e-12);
    let (f, p) = signal::csd!(
        &x,
        &y,
        fs = 2.0,
        window = "blackman",
        nperseg = 50,
        noverlap = 10,
        return_onesided = false,
        average = "median"
    );
    table.near("csd keywords", &[floats(&f), complexes(&p)].concat(), 1e-12);
    table.near("coherence", &pair(signal::coherence!(&x, &y, fs = 2.0, nperseg = 32)), 1e-11);
    let three = |(f, t, p): (DeviceArray<f64>, DeviceArray<f64>, DeviceArray<f64>)| {
        [floats(&f), floats(&t), floats(&p)].concat()
    };
    table.near("spectrogram", &three(signal::spectrogram!(&x, nperseg = 64)), 1e-12);
    for mode in ["magnitude", "angle", "phase"] {
        let found = signal::spectrogram!(
            &part(120),
            fs = 2.0,
            window = "hann",
            nperseg = 32,
            noverlap = 16,
            mode = mode,
            scaling = "spectrum"
        );
        table.near(&format!("spectrogram {mode}"), &three(found), 1e-10);
    }
    let found = signal::spectrogram!(&two.slice(ndarray::s![..64, ..]), nperseg = 16, axis = 0);
    table.near("spectrogram axis", &three(found), 1e-12);
    table.near("stft", &transforms(signal::stft!(&part(100), fs = 2.0, nperseg = 32)), 1e-12);
    let found = signal::stft!(&part(60), nperseg = 15, noverlap = 11, boundary = "even", scaling = "psd");
    table.near("stft odd", &transforms(found), 1e-12);
    let found =
        signal::stft!(&part(60), nperseg = 16, nfft = 20, boundary = "none", padded = false, detrend = "constant");
    table.near("stft plain", &transforms(found), 1e-12);
    let found = signal::stft!(&two.slice(ndarray::s![..40, ..]), nperseg = 16, axis = 0, return_onesided = false);
    table.near("stft axis", &transforms(found), 1e-12);
    let (_, _, z) = signal::stft!(&part(100), fs = 2.0, nperseg = 32);
    table.near("istft", &pair(signal::istft!(&z, fs = 2.0, nperseg = 32)), 1e-12);
    let numbers: Vec<Complex<f64>> = samples(90).iter().map(|&angle| Complex::from_polar(1.0, angle)).collect();
    let z = gpu::array(&numbers).reshape((2, 9, 5));
    let found = signal::istft!(&z, window = "hamming", nperseg = 16, noverlap = 10, scaling = "psd", boundary = false);
    assert_eq!(found.0.size(), 40);
    table.near("istft of any", &floats(&found.1), 1e-12);
    table.near("istft axes", &pair(signal::istft!(&z.moveaxis(0, 2), time_axis = 1, freq_axis = 0)), 1e-12);
    let at = gpu::arange(80.0);
    let (times, y) = (&at * 0.4 + (&at * 1.3).sin() * 0.1, wave(80) + 0.3);
    let (freqs, weights) = (gpu::linspace(0.05, 4.0, 25), at.cos() + 1.5);
    table.near("lombscargle", &floats(&signal::lombscargle(&times, &y, &freqs)), 1e-12);
    let narrow = signal::lombscargle(&times, &y.astype::<f32>(), &freqs);
    table.near("lombscargle", &floats(&narrow), 1e-6);
    let found = signal::lombscargle!(&times, &y, &freqs, normalize = true);
    table.near("lombscargle normalize", &floats(&found), 1e-12);
    let found = signal::lombscargle!(&times, &y, &freqs, weights = &weights);
    table.near("lombscargle weights", &floats(&found), 1e-12);
    let found = signal::lombscargle!(&times, &y, &freqs, normalize = true, weights = &weights, floating_mean = true);
    table.near("lombscargle mean", &floats(&found), 1e-12);
    table.finish();
}

#[test]
fn peaks_are_those_of_scipy() {
    let table =
        Table::of(&["find_peaks", "peak_prominences", "peak_widths", "argrelmax", "argrelmin", "argrelextrema"]);
    let x = wave(200);
    let flat = (&x * 2.0).round();
    let lists = |parts: &[Vec<f64>]| parts.concat();
    let (peaks, _) = signal::find_peaks(&x);
    table.near("find_peaks", &floats(&peaks), 0.0);
    table.near("find_peaks", &floats(&signal::find_peaks(&x.astype::<f32>()).0), 0.0);
    let (found, of) = signal::find_peaks!(&flat, plateau_size = (1.0, 3.0));
    let sizes = [floats(&found), floats(&of.plateau_sizes), floats(&of.left_edges), floats(&of.right_edges)];
    table.near("find_peaks plateaus", &lists(&sizes), 0.0);
    let (found, of) = signal::find_peaks!(&x, height = 0.5, threshold = (0.05, 1.0));
    let heights = [floats(&found), floats(&of.peak_heights), floats(&of.left_thresholds), floats(&of.right_thresholds)];
    table.near("find_peaks heights", &lists(&heights), 1e-13);
    table.near("find_peaks distance", &floats(&signal::find_peaks!(&x, distance = 9.5).0), 0.0);
    let (found, of) = signal::find_peaks!(&x, prominence = (0.3, 2.0), width = 1.5, wlen = 31, rel_height = 0.7);
    let all = [
        floats(&found),
        floats(&of.prominences),
        floats(&of.left_bases),
        floats(&of.right_bases),
        floats(&of.widths),
        floats(&of.width_heights),
        floats(&of.left_ips),
        floats(&of.right_ips),
    ];
    table.near("find_peaks widths", &lists(&all), 1e-12);
    let (prominences, left, right) = signal::peak_prominences(&x, &peaks);
    table.near("peak_prominences", &lists(&[floats(&prominences), floats(&left), floats(&right)]), 1e-13);
    let (widths, heights, left, right) = signal::peak_widths(&x, &peaks);
    table.near("peak_widths", &lists(&[floats(&widths), floats(&heights), floats(&left), floats(&right)]), 1e-13);
    let two = flat.reshape((20, 10));
    let places = |found: Vec<DeviceArray<i64>>| found.iter().flat_map(floats).collect::<Vec<f64>>();
    table.near("argrelmax", &places(signal::argrelmax(&x)), 0.0);
    table.near("argrelmax wrap", &places(signal::argrelmax!(&two, axis = 1, order = 2, mode = "wrap")), 0.0);
    table.near("argrelmin", &places(signal::argrelmin!(&two, axis = 0)), 0.0);
    table.near("argrelextrema", &places(signal::argrelextrema!(&flat, "greater_equal", order = 3)), 0.0);
    table.finish();
    assert_eq!(signal::find_peaks(&gpu::zeros::<f64>(0)).0.size(), 0);
}

#[test]
fn waves_and_convolutions_are_those_of_scipy() {
    let table = Table::of(&[
        "sawtooth",
        "square",
        "chirp",
        "sweep_poly",
        "gausspulse",
        "unit_impulse",
        "correlation_lags",
        "deconvolve",
        "convolve",
        "correlate",
        "oaconvolve",
    ]);
    let t = gpu::linspace(-7.0, 9.0, 41);
    table.near("sawtooth", &floats(&signal::sawtooth(&t)), 1e-13);
    table.near("sawtooth 0.3", &floats(&signal::sawtooth!(&t, width = 0.3)), 1e-13);
    table.near("square", &floats(&signal::square(&t)), 0.0);
    table.near("square 0.3", &floats(&signal::square!(&t, duty = 0.3)), 0.0);
    let t = gpu::linspace(0.0, 3.0, 40);
    for method in ["linear", "quadratic", "logarithmic", "hyperbolic"] {
        let y = signal::chirp!(&t, 1.0, 2.0, 5.0, method = method, phi = 30.0);
        table.near(&format!("chirp {method}"), &floats(&y), 1e-11);
    }
    let y = signal::chirp!(&t, 1.0, 2.0, 5.0, method = "quadratic", vertex_zero = false);
    table.near("chirp vertex", &floats(&y), 1e-11);
    table.near("chirp linear", &floats(&signal::chirp!(&t.astype::<f32>(), 1.0, 2.0, 5.0, phi = 30.0)), 1e-5);
    table.near("sweep_poly", &floats(&signal::sweep_poly!(&t, &[0.5, -1.0, 2.0], phi = 45.0)), 1e-11);
    table.near("gausspulse", &floats(&signal::gausspulse!(&(&t - 1.5), fc = 5.0, bw = 0.4, bwr = -8.0)), 1e-12);
    table.near("unit_impulse", &floats(&signal::unit_impulse!((3, 4), idx = "mid")), 0.0);
    for (mode, lags) in [
        ("full", signal::correlation_lags(5, 8)),
        ("same", signal::correlation_lags!(5, 8, mode = "same")),
        ("valid", signal::correlation_lags!(5, 8, mode = "valid")),
        ("same 8", signal::correlation_lags!(8, 5, mode = "same")),
    ] {
        table.near(&format!("correlation_lags {mode}"), &floats(&lags), 0.0);
    }
    let (q, r) = signal::deconvolve(&wave(12), &[2.0, 0.5, -1.0]);
    table.near("deconvolve", &[floats(&q), floats(&r)].concat(), 1e-12);
    let (one, other) = (wave(30), gpu::cos(&wave(7)));
    for (mode, convolved, correlated) in [
        ("full", signal::convolve(&one, &other), signal::correlate(&one, &other)),
        ("same", signal::convolve!(&one, &other, mode = "same"), signal::correlate!(&one, &other, mode = "same")),
        ("valid", signal::convolve!(&one, &other, mode = "valid"), signal::correlate!(&one, &other, mode = "valid")),
    ] {
        table.near(&format!("convolve {mode}"), &floats(&convolved), 1e-13);
        table.near(&format!("correlate {mode}"), &floats(&correlated), 1e-13);
    }
    let (long, short) = (wave(60).reshape((20, 3)), wave(6).reshape((3, 2)));
    table.near("correlate 2-D", &floats(&signal::correlate(&long, &short)), 1e-13);
    table.near("oaconvolve", &floats(&signal::oaconvolve!(&long, &short, mode = "same")), 1e-13);
    table.finish();
}
