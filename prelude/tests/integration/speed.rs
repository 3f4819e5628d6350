//! The rows of `names.rs` over large arrays, for `tests/bench/names.py`, which times NumPy's or CuPy's expressions beside them.

mod scipy;

use crate::names::{Data, Outcome, ROWS as NAMES, Row, rows};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashMap;
use std::hint::black_box;
use std::io::BufRead;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;
use warpcell as gpu;
use warpcell::Pad;
use warpcell::prelude::*;

// Functions whose rows in `names.rs` make small arrays of their own, or do not fit large ones.
rows! {
    [a b i mask]
    "Creation":
        "np.zeros(a.size)" => gpu::zeros::<f64>(a.size()),
        "np.ones(a.size)" => gpu::ones::<f64>(a.size()),
        "np.full(a.size, 7.0)" => gpu::full(a.size(), 7.0),
        "np.eye(len(a))" => gpu::eye::<f64>(a.len()),
        "np.identity(len(a))" => gpu::identity::<f64>(a.len()),
        "np.tri(len(a))" => gpu::tri::<f64>(a.len()),
        "np.arange(a.size)" => gpu::arange(a.size() as i64),
        "np.arange(float(a.size))" => gpu::arange(a.size() as f64),
        "np.linspace(0, 1, a.size)" => gpu::linspace(0.0, 1.0, a.size()),
        "np.logspace(0, 2, a.size)" => gpu::logspace(0.0, 2.0, a.size()),
        "np.geomspace(1, 1000, a.size)" => gpu::geomspace(1.0, 1000.0, a.size()),
        "np.indices(a.shape)" => gpu::indices(a.shape()),
        "np.mgrid[0:len(a), 0:len(a)]" => gpu::mgrid([0..a.len() as i64, 0..a.len() as i64]),
        "np.fromfunction(lambda i, j: 10 * i + j, a.shape)" => gpu::fromfunction(|[i, j]| i * 10.0 + j, [a.len(), a.len()]),
        "np.vander(a.ravel(), 4)" => gpu::vander!(&a.ravel(), 4),
        "np.fft.fftfreq(a.size, 0.1)" => gpu::fft::fftfreq(a.size(), 0.1),
        "np.fft.rfftfreq(a.size, 0.1)" => gpu::fft::rfftfreq(a.size(), 0.1),
        "np.bartlett(a.size)" => gpu::bartlett(a.size()),
        "np.blackman(a.size)" => gpu::blackman(a.size()),
        "np.hamming(a.size)" => gpu::hamming(a.size()),
        "np.hanning(a.size)" => gpu::hanning(a.size()),
        "np.kaiser(a.size, 14)" => gpu::kaiser(a.size(), 14.0),
        "np.tril_indices(len(a))[0]" => gpu::tril_indices(a.len())[0];
    "Random numbers":
        "np.random.random(a.size)" => gpu::random::random(a.size()),
        "np.random.uniform(-1, 1, a.size)" => gpu::random::uniform(-1.0, 1.0, a.size()),
        "np.random.normal(0, 1, a.size)" => gpu::random::normal(0.0, 1.0, a.size()),
        "np.random.randint(0, 9, a.size)" => gpu::random::integers(0..9i64, a.size()),
        "np.random.choice(b, a.size)" => gpu::random::choice(b, a.size(), true),
        "np.random.permutation(a.size)" => gpu::random::permutation(a.size()),
        "np.random.standard_exponential(a.size)" => gpu::random::standard_exponential(a.size()),
        "np.random.standard_cauchy(a.size)" => gpu::random::standard_cauchy(a.size()),
        "np.random.laplace(1, 2, a.size)" => gpu::random::laplace(1.0, 2.0, a.size()),
        "np.random.logistic(1, 2, a.size)" => gpu::random::logistic(1.0, 2.0, a.size()),
        "np.random.gumbel(1, 2, a.size)" => gpu::random::gumbel(1.0, 2.0, a.size()),
        "np.random.lognormal(0, 1, a.size)" => gpu::random::lognormal(0.0, 1.0, a.size()),
        "np.random.pareto(3, a.size)" => gpu::random::pareto(3.0, a.size()),
        "np.random.power(3, a.size)" => gpu::random::power(3.0, a.size()),
        "np.random.rayleigh(1, a.size)" => gpu::random::rayleigh(1.0, a.size()),
        "np.random.triangular(0, 1, 2, a.size)" => gpu::random::triangular(0.0, 1.0, 2.0, a.size()),
        "np.random.weibull(2, a.size)" => gpu::random::weibull(2.0, a.size()),
        "np.random.wald(1, 2, a.size)" => gpu::random::wald(1.0, 2.0, a.size()),
        "np.random.vonmises(0, 1, a.size)" => gpu::random::vonmises(0.0, 1.0, a.size()),
        "np.random.gamma(2, 1, a.size)" => gpu::random::gamma(2.0, 1.0, a.size()),
        "np.random.chisquare(3, a.size)" => gpu::random::chisquare(3.0, a.size()),
        "np.random.beta(2, 3, a.size)" => gpu::random::beta(2.0, 3.0, a.size()),
        "np.random.f(3, 4, a.size)" => gpu::random::f(3.0, 4.0, a.size()),
        "np.random.standard_t(3, a.size)" => gpu::random::standard_t(3.0, a.size()),
        "np.random.poisson(4, a.size)" => gpu::random::poisson(4.0, a.size()),
        "np.random.binomial(20, 0.3, a.size)" => gpu::random::binomial(20, 0.3, a.size()),
        "np.random.negative_binomial(3, 0.4, a.size)" => gpu::random::negative_binomial(3.0, 0.4, a.size()),
        "np.random.geometric(0.3, a.size)" => gpu::random::geometric(0.3, a.size()),
        "np.random.logseries(0.5, a.size)" => gpu::random::logseries(0.5, a.size()),
        "np.random.zipf(3, a.size)" => gpu::random::zipf(3.0, a.size()),
        "np.random.hypergeometric(50, 40, 30, a.size)" => gpu::random::hypergeometric(50, 40, 30, a.size()),
        "np.random.multinomial(9, [0.5, 0.5], a.size)" => gpu::random::multinomial(9, &gpu::array(&[0.5, 0.5]), a.size()),
        "np.random.dirichlet([2, 3], a.size)" => gpu::random::dirichlet(&gpu::array(&[2.0, 3.0]), a.size());
    "Parts, joining and rearranging":
        "a.T.copy()" => a.t().copy(),
        "a.T + a" => a.t() + a,
        "a[:, ::-1] + b" => &a.slice(s![.., ..;-1]) + b,
        "a[::2, ::2].copy()" => a.slice(s![..;2, ..;2]).copy(),
        "a.reshape(-1, 8).sum(axis=1)" => a.reshape((-1, 8)).sum_axis(1),
        "np.take(a, i * len(a) + i[::-1])" => a.take(i * a.len() as i64 + i.slice(s![..;-1])),
        "np.take_along_axis(a, i.reshape(a.shape), axis=1)" => gpu::take_along_axis(a, &i.reshape(a.shape()), 1),
        "(c := a.copy(), np.put(c, i, 7.0))[0]" => { let mut c = a.copy(); gpu::put(&mut c, i, 7.0); c },
        "(c := a.copy(), np.put_along_axis(c, i.reshape(a.shape), 9, 1))[0]" => { let mut c = a.copy(); gpu::put_along_axis(&mut c, &i.reshape(a.shape()), 9.0, 1); c },
        "np.compress(b > 0, a, axis=0)" => gpu::compress!(&b.gt(0.0), a, axis = 0),
        "np.ravel_multi_index((i, i), a.shape)" => gpu::ravel_multi_index([i, i], a.shape()),
        "np.unravel_index(i, a.shape)[0]" => gpu::unravel_index(i, a.shape())[0],
        "np.pad(a, 3)" => gpu::pad(a, 3, Pad::Constant(0.0)),
        "np.pad(a, 3, mode='reflect')" => gpu::pad(a, 3, Pad::Reflect),
        "np.pad(a, 3, mode='edge')" => gpu::pad!(a, 3, mode = "edge"),
        "np.roll(a, (1, 2), axis=(0, 1))" => gpu::roll!(a, (1, 2), axis = (0, 1)),
        "np.repeat(a, 2, axis=1)" => gpu::repeat(a, 2, 1),
        "np.repeat(b, i[:len(b)])" => gpu::repeat!(b, &i.slice(s![..b.len()])),
        "np.tile(a, (2, 2))" => gpu::tile(a, (2, 2)),
        "np.delete(a, [3, 5, 7], axis=1)" => gpu::delete!(a, [3, 5, 7], axis = 1),
        "np.insert(a, 3, b, axis=1)" => gpu::insert!(a, 3, b, axis = 1),
        "np.append(a, b[None], axis=0)" => gpu::append!(a, &b.expand_dims(0), axis = 0),
        "np.column_stack((b, a))" => gpu::column_stack([&b.expand_dims(1), a]),
        "np.resize(a, (len(a), 2 * len(a)))" => gpu::resize(a, (a.len(), 2 * a.len())),
        "np.trim_zeros(np.pad(a.ravel(), 9))" => gpu::trim_zeros(&gpu::pad!(&a.ravel(), 9)),
        "np.lib.stride_tricks.sliding_window_view(a, 5, axis=-1).sum(-1)" => gpu::sliding_window_view!(a, 5, axis = -1).sum_axis(-1);
    "Functions of elements":
        "np.ldexp(a.ravel(), i % 8)" => a.ravel().ldexp(&i.modulo(8).astype::<i32>()),
        "np.nextafter(a, 1)" => gpu::nextafter(a, 1.0),
        "np.cross(a.ravel()[:a.size // 3 * 3].reshape(-1, 3), b[:3])" => gpu::cross(&a.ravel().slice(s![..a.size() / 3 * 3]).reshape((-1, 3)), &b.slice(s![..3])),
        "np.float_power(abs(a), 2.5)" => gpu::float_power(&a.abs(), 2.5),
        "abs(a) ** 2.5" => a.abs().powf(2.5),
        "a ** 3" => a.powi(3),
        "i ** 3" => i.pow(3),
        "i // 7" => i.floor_divide(7),
        "i % 7" => i.modulo(7),
        "i + i" => i + i,
        "i * i" => i * i,
        "i == 3" => i.eq(3),
        "i.astype('float64')" => i.astype::<f64>(),
        "i.astype('int8')" => i.astype::<i8>(),
        "mask.astype('float64')" => mask.astype::<f64>(),
        "np.fft.fft(a) * np.fft.fft(a)" => gpu::fft::fft(a) * gpu::fft::fft(a),
        "np.exp(a.astype('complex128'))" => a.astype::<gpu::Complex<f64>>().exp(),
        "np.sqrt(a.astype('complex128'))" => a.astype::<gpu::Complex<f64>>().sqrt(),
        "np.interp(a, np.arange(float(len(b))) / 100 - 5, b)" => gpu::interp(a, &(gpu::arange(b.len() as f64) / 100.0 - 5.0), b),
        "np.polyval(b[:5], a)" => gpu::polyval(&b.slice(s![..5]), a),
        "np.piecewise(a, [a < 0, a > 1], [lambda x: -x, lambda x: x * 10, 1])" => gpu::piecewise(a, &[&a.lt(0.0), &a.gt(1.0)], &[&|x| -x, &|x| x * 10.0, &|_| gpu::full((), 1.0)]);
    "Reductions and calculus":
        "a.sum(axis=1)" => a.sum_axis(1),
        "a.min(axis=0)" => a.min_axis(0),
        "a.max(axis=0)" => a.max_axis(0),
        "a.argmax(axis=0)" => a.argmax_axis(0),
        "a.prod(axis=1)" => a.prod_axis(1),
        "a.std(axis=1)" => a.std_axis(1),
        "a.T.sum(axis=0)" => a.t().sum_axis(0),
        "i.sum()" => i.sum(),
        "i.max()" => i.max(),
        "i.mean()" => i.mean(),
        "i.std()" => i.std(),
        "mask.sum()" => mask.sum(),
        "a.cumsum(axis=0)" => a.cumsum_axis(0),
        "i.cumsum()" => i.cumsum(),
        "np.median(a, axis=0)" => gpu::median!(a, axis = 0),
        "np.median(a, axis=1)" => gpu::median!(a, axis = 1),
        "np.average(a, axis=1, weights=abs(b))" => gpu::average!(a, axis = 1, weights = &b.abs()),
        "np.gradient(a, np.arange(float(len(b))), axis=1)" => gpu::gradient!(a, &gpu::arange(b.len() as f64), axis = 1),
        "np.trapezoid(a, np.arange(float(len(b))))" => gpu::trapezoid!(a, &gpu::arange(b.len() as f64)),
        "np.ediff1d(a, to_end=b)" => gpu::ediff1d!(a, to_end = b);
    "Sorting, searching and counting":
        "np.sort(a.ravel())" => gpu::sort(&a.ravel()),
        "np.argsort(a.ravel())" => gpu::argsort(&a.ravel()),
        "np.argsort(a.ravel(), kind='stable')" => gpu::argsort(&a.ravel()),
        "np.sort(i)" => gpu::sort(i),
        "np.argsort(i)" => gpu::argsort(i),
        "np.partition(a.ravel(), a.size // 2)[a.size // 2]" => gpu::partition(&a.ravel(), a.size() / 2).get(&[a.size() / 2]),
        "np.unique(a)" => gpu::unique(a),
        "np.unique(a, return_counts=True)[1]" => gpu::unique_counts(a).1,
        "np.searchsorted(np.sort(a.ravel()), a.ravel())" => gpu::searchsorted(&gpu::sort(&a.ravel()), &a.ravel(), gpu::Side::Left),
        "np.bincount(i, weights=a.ravel())" => gpu::bincount!(i, weights = &a.ravel()),
        "np.histogram(a, 100, (-3, 3))[0]" => gpu::histogram(a, 100, (-3.0, 3.0)).0,
        "np.isin(a, a[:5])" => gpu::isin(a, &a.slice(s![..5, ..])),
        "np.intersect1d(a, a[:500])" => gpu::intersect1d(a, &a.slice(s![..500, ..])),
        "np.setdiff1d(a, a[:500])" => gpu::setdiff1d(a, &a.slice(s![..500, ..])),
        "np.lexsort((a.ravel(), i))" => gpu::lexsort([&a.ravel(), &i.astype::<f64>()]);
    "Signals and products":
        "np.convolve(a.ravel(), b[:15])" => gpu::convolve(&a.ravel(), &b.slice(s![..15]), Mode::Full),
        "np.correlate(a.ravel(), b[:15], 'same')" => gpu::correlate(&a.ravel(), &b.slice(s![..15]), Mode::Same),
        "scipy.signal.convolve2d(a, a[:5, :5], 'same')" => gpu::convolve2d(a, &a.slice(s![..5, ..5]), Mode::Same),
        "scipy.signal.fftconvolve(a.ravel(), a[0], 'same')" => gpu::fftconvolve(&a.ravel(), &a.slice(s![0, ..]), Mode::Same),
        "np.fft.fft(a)" => gpu::fft::fft(a),
        "np.fft.fft(a.ravel())" => gpu::fft::fft(&a.ravel()),
        "np.fft.rfft(a)" => gpu::fft::rfft(a),
        "np.fft.irfft(np.fft.rfft(a))" => gpu::fft::irfft(&gpu::fft::rfft(a)),
        "np.fft.ifft2(np.fft.fft2(a))" => gpu::fft::ifft2(&gpu::fft::fft2(a)),
        "np.outer(b, b)" => gpu::outer(b, b),
        "np.einsum('ij,ij->i', a, a)" => gpu::einsum("ij,ij->i", [a, a]),
        "np.einsum('ij,ij->', a, a)" => gpu::einsum("ij,ij->", [a, a]),
        "np.inner(a.ravel(), a.ravel())" => gpu::inner(&a.ravel(), &a.ravel());
    "Linear algebra":
        "np.linalg.solve(a @ a.T, b)" => gpu::linalg::solve(&gpu::matmul(a, &a.t()), b),
        "np.linalg.solve(a, a.T)" => gpu::linalg::solve(a, &a.t()),
        "np.linalg.inv(a)" => gpu::linalg::inv(a),
        "np.linalg.det(a)" => gpu::linalg::det(a),
        "np.linalg.lstsq(a[:, :9], b)[0]" => gpu::linalg::lstsq(&a.slice(s![.., ..9]), b).0,
        "np.linalg.qr(a, 'r')" => gpu::linalg::qr_r(a),
        "np.polyfit(a.ravel(), i, 2)" => gpu::polyfit(&a.ravel(), &i.astype::<f64>(), 2),
        "np.kron(a[:50, :50], b[:400])" => gpu::kron(&a.slice(s![..50, ..50]), &b.slice(s![..400]));
}

thread_local! {
    /// By the number of rows of `a`.
    static LARGE: RefCell<HashMap<u64, Rc<Data<f64>>>> = RefCell::default();
}

/// The arrays that the script wrote to a folder.
fn large(folder: &Path, side: u64) -> Rc<Data<f64>> {
    let read = || {
        let file = |name: &str| folder.join(format!("{side}-{name}.npy"));
        let a: DeviceArray<f64> = gpu::load(file("a"));
        let mask = a.gt(0.0);
        Rc::new(Data { a, b: gpu::load(file("b")), i: gpu::load(file("i")), mask })
    };
    LARGE.with_borrow_mut(|known| known.entry(side).or_insert_with(read).clone())
}

/// Times rows on the device that `WARPCELL_DEVICE` names: prints what the rows are, then answers each line of the input with a
/// line. A request has the index of a `row`, the `side` of the square `a`, about how many `seconds` to spend, and whether to
/// `check` the value: then the answer has its shape and the sum of its elements and of their absolute values.
///
/// Times are microseconds of a call, with what it takes to drop its result: of the wall on the CPU, and on a CUDA device between
/// events around several calls, so with the gaps between kernels. `extra` is the memory that one call takes at most.
#[test]
#[ignore = "tests/bench/names.py talks to it"]
fn measure_rows() {
    let Ok(folder) = std::env::var("WARPCELL_MEASURE") else {
        println!("nothing to measure: tests/bench/names.py says in WARPCELL_MEASURE where the arrays are");
        return;
    };
    let rows: Vec<(&str, &Row, bool)> = [(NAMES, true), (ROWS, false), (scipy::ROWS, false)]
        .into_iter()
        .flat_map(|(table, is_name)| table.iter().map(move |&(topic, rows)| (topic, rows, is_name)))
        .flat_map(|(topic, rows, is_name)| rows.iter().map(move |row| (topic, row, is_name)))
        .collect();
    let listed: Vec<Value> = rows
        .iter()
        .map(|(topic, row, is_name)| json!({"topic": topic, "numpy": row.numpy, "ours": row.ours, "is_name": is_name}))
        .collect();
    println!("{}", json!({"device": gpu::device_info(), "rows": listed}));
    std::panic::set_hook(Box::new(|_| {}));
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("requests are lines of text");
        let request: Value = serde_json::from_str(&line).expect("requests are JSON");
        let row = rows[request["row"].as_u64().expect("a number") as usize].1;
        let answer = catch_unwind(AssertUnwindSafe(|| answer(row, Path::new(&folder), &request)));
        let answer = answer.unwrap_or_else(|panicked| {
            let text = panicked.downcast_ref::<String>().map_or("a panic", String::as_str);
            json!({"error": text})
        });
        println!("{answer}");
    }
    let _ = std::panic::take_hook();
}

fn answer(row: &Row, folder: &Path, request: &Value) -> Value {
    let data = large(folder, request["side"].as_u64().expect("a number"));
    let seconds = request["seconds"].as_f64().expect("a number");
    let pool = gpu::memory_pool();
    pool.free_all_blocks();
    let before = pool.used_bytes();
    let first = (row.value)(&data);
    gpu::synchronize();
    let extra = pool.total_bytes().saturating_sub(before);
    let mut answer = json!({"extra": extra});
    if request["check"] == true {
        let value = first.outcome();
        let (mut total, mut size) = (0.0, 0.0);
        for element in value.iter().filter(|element| element.is_finite()) {
            total += element;
            size += element.abs();
        }
        answer["shape"] = json!(value.shape());
        answer["total"] = json!([total, size]);
    }
    drop(first);
    let call = || drop(black_box((row.value)(black_box(&data))));
    answer["us"] =
        json!(if gpu::device() == gpu::Device::Cpu { on_host(call, seconds) } else { on_device(call, seconds) });
    answer
}

/// How often to call what takes so long.
fn count(one: f64, seconds: f64) -> usize {
    ((seconds / one.max(1e-7)) as usize).clamp(1, 1000)
}

/// The times of single calls.
fn on_host(call: impl Fn(), seconds: f64) -> Vec<f64> {
    let timed = || {
        let start = Instant::now();
        call();
        start.elapsed().as_secs_f64()
    };
    let count = count(timed(), seconds);
    (0..count).map(|_| timed() * 1e6).collect()
}

/// The mean times of five batches of calls.
fn on_device(call: impl Fn(), seconds: f64) -> Vec<f64> {
    let stream = gpu::current_stream();
    let batch = |calls: usize| {
        let start = stream.record();
        (0..calls).for_each(|_| call());
        stream.record().elapsed_since(&start) / calls as f64
    };
    batch(2);
    let calls = count(batch(1), seconds).div_ceil(5);
    (0..5).map(|_| batch(calls) * 1e6).collect()
}
