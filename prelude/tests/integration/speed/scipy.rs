//! The rows of SciPy's functions, for `tests/bench/names.py`. Both sides have what the functions here make, once for each size.

use super::super::names::{Data, Outcome, Row, rows};
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use warpcell as gpu;
use warpcell::interpolate::{CubicSpline, PchipInterpolator, RegularGridInterpolator};
use warpcell::prelude::*;
use warpcell::sparse::SparseMatrix;
use warpcell::spatial::KDTree;
use warpcell::{fft, linalg, ndimage, signal, sparse, spatial, special, stats};

rows! {
    [a b i mask]
    "SciPy: special":
        "scipy.special.gammaln(a)" => special::gammaln(a),
        "scipy.special.gamma(a)" => special::gamma(a),
        "scipy.special.digamma(a)" => special::digamma(a),
        "scipy.special.j0(a)" => special::j0(a),
        "scipy.special.i0e(a)" => special::i0e(a),
        "scipy.special.ndtr(a)" => special::ndtr(a),
        "scipy.special.erfcx(a)" => special::erfcx(a),
        "scipy.special.expit(a)" => special::expit(a),
        "scipy.special.gammainc(2.0, abs(a))" => special::gammainc(2.0, &a.abs()),
        "scipy.special.betainc(2.0, 3.0, scipy.special.expit(a))" => special::betainc(2.0, 3.0, &special::expit(a)),
        "scipy.special.ndtri(scipy.special.expit(a))" => special::ndtri(&special::expit(a)),
        "scipy.special.zeta(abs(a) + 2, 1.5)" => special::zeta(&(a.abs() + 2.0), 1.5),
        "scipy.special.logsumexp(a, axis=1)" => special::logsumexp!(a, axis = 1),
        "scipy.special.softmax(a, axis=1)" => special::softmax!(a, axis = 1);
    "SciPy: signal":
        "scipy.signal.sosfilt(sections(), a)" => signal::sosfilt(&*sections(), a),
        "scipy.signal.sosfilt(sections(), a.ravel())" => signal::sosfilt(&*sections(), &a.ravel()),
        "scipy.signal.lfilter(np.array([0.1]), np.array([1.0, -0.9]), a.ravel())" => signal::lfilter(&[0.1], &[1.0, -0.9], &a.ravel()),
        "scipy.signal.lfilter(b[:31], np.array([1.0]), a)" => signal::lfilter(&b.slice(s![..31]), 1.0, a),
        "scipy.signal.sosfiltfilt(sections(), a)" => signal::sosfiltfilt(&*sections(), a),
        "scipy.signal.find_peaks(a.ravel())[0]" => signal::find_peaks(&a.ravel()).0,
        "scipy.signal.welch(a.ravel(), nperseg=1024)[1]" => signal::welch!(&a.ravel(), nperseg = 1024).1,
        "abs(scipy.signal.stft(a.ravel(), nperseg=1024)[2])" => signal::stft!(&a.ravel(), nperseg = 1024).2.abs(),
        "scipy.signal.spectrogram(a.ravel(), nperseg=1024)[2]" => signal::spectrogram!(&a.ravel(), nperseg = 1024).2,
        "scipy.signal.periodogram(a)[1]" => signal::periodogram(a).1,
        "scipy.signal.resample(a, len(a) // 2, axis=1)" => signal::resample!(a, a.len() / 2, axis = 1),
        "scipy.signal.resample_poly(a.ravel(), 3, 2)" => signal::resample_poly(&a.ravel(), 3, 2),
        "scipy.signal.decimate(a, 4)" => signal::decimate(a, 4),
        "scipy.signal.upfirdn(b[:31], a.ravel(), down=2)" => signal::upfirdn!(&b.slice(s![..31]), &a.ravel(), down = 2),
        "abs(scipy.signal.hilbert(a))" => signal::hilbert(a).abs(),
        "scipy.signal.detrend(a)" => signal::detrend(a),
        "scipy.signal.savgol_filter(a, 11, 3)" => signal::savgol_filter(a, 11, 3),
        "scipy.signal.medfilt2d(a, 3)" => signal::medfilt2d(a),
        "scipy.signal.wiener(a, 5)" => signal::wiener!(a, mysize = 5),
        "scipy.signal.oaconvolve(a.ravel(), b[:500])" => signal::oaconvolve(&a.ravel(), &b.slice(s![..500]));
    "SciPy: ndimage":
        "scipy.ndimage.gaussian_filter(a, 2)" => ndimage::gaussian_filter(a, 2.0),
        "scipy.ndimage.uniform_filter(a, 5)" => ndimage::uniform_filter(a, 5),
        "scipy.ndimage.median_filter(a, 3)" => ndimage::median_filter(a, 3),
        "scipy.ndimage.median_filter(a, 5)" => ndimage::median_filter(a, 5),
        "scipy.ndimage.percentile_filter(a, 30, 3)" => ndimage::percentile_filter(a, 30.0, 3),
        "scipy.ndimage.sobel(a)" => ndimage::sobel(a),
        "scipy.ndimage.laplace(a)" => ndimage::laplace(a),
        "scipy.ndimage.convolve(a, a[:5, :5])" => ndimage::convolve(a, &a.slice(s![..5, ..5])),
        "scipy.ndimage.correlate1d(a, b[:9])" => ndimage::correlate1d(a, &b.slice(s![..9])),
        "scipy.ndimage.maximum_filter(a, 5)" => ndimage::maximum_filter(a, 5),
        "scipy.ndimage.grey_opening(a, 5)" => ndimage::grey_opening(a, 5),
        "scipy.ndimage.label(mask)[0]" => ndimage::label(mask).0,
        "scipy.ndimage.sum_labels(a, i.reshape(a.shape), np.arange(len(a)))" => ndimage::sum_labels(a, &i.reshape(a.shape()), 0..a.len()),
        "scipy.ndimage.binary_erosion(mask)" => ndimage::binary_erosion(mask, ()),
        "scipy.ndimage.binary_opening(mask, iterations=2)" => ndimage::binary_opening!(mask, (), iterations = 2),
        "scipy.ndimage.distance_transform_edt(mask)" => ndimage::distance_transform_edt(mask),
        "scipy.ndimage.zoom(a, 1.5, order=1)" => ndimage::zoom!(a, 1.5, order = 1),
        "scipy.ndimage.zoom(a, 0.5)" => ndimage::zoom(a, 0.5),
        "scipy.ndimage.rotate(a, 30, order=1)" => ndimage::rotate!(a, 30.0, order = 1),
        "scipy.ndimage.shift(a, (1.5, 2.5))" => ndimage::shift(a, (1.5, 2.5)),
        "scipy.ndimage.map_coordinates(a, np.stack([i, i[::-1]]), order=1)" => ndimage::map_coordinates!(a, &gpu::stack([i, &i.slice(s![..;-1])], 0), order = 1),
        "scipy.ndimage.spline_filter(a)" => ndimage::spline_filter(a);
    "SciPy: sparse":
        "poisson(len(a)) @ a.ravel()" => poisson(a.len()).dot(&a.ravel()),
        "scattered(a) @ b" => scattered(a).dot(b),
        "scattered(a) @ a" => scattered(a).dot(a),
        "(poisson(1000) @ poisson(1000)).data" => poisson(1000).dot(&*poisson(1000)).data(),
        "(poisson(1000) + poisson(1000)).data" => (&*poisson(1000) + &*poisson(1000)).data(),
        "scattered(a).tocsc().data" => scattered(a).tocsc().data(),
        "poisson(1000).tocoo().tocsr().data" => poisson(1000).tocoo().tocsr().data(),
        "scipy.sparse.csr_matrix(a * (a > 2)).data" => sparse::csr_matrix(&(a * &a.gt(2.0).astype::<f64>())).data(),
        "scattered(a).toarray()" => scattered(a).toarray(),
        "np.asarray(poisson(len(a)).sum(axis=0)).ravel()" => poisson(a.len()).sum_axis(0),
        "scipy.sparse.linalg.cg(poisson(len(a)), a.ravel(), maxiter=20)[0]" => sparse::linalg::cg!(&*poisson(a.len()), &a.ravel(), maxiter = 20).0,
        "scipy.sparse.linalg.spsolve(poisson(30), b[:900])" => sparse::linalg::spsolve(&*poisson(30), &b.slice(s![..900])),
        "scipy.sparse.linalg.eigsh(poisson(30), 4, return_eigenvectors=False)" => sparse::linalg::eigsh!(&*poisson(30), k = 4, return_eigenvectors = false);
    "SciPy: Fourier transforms":
        "scipy.fft.dct(a)" => fft::dct(a),
        "scipy.fft.dct(a, type=4)" => fft::dct!(a, type = 4),
        "scipy.fft.dctn(a)" => fft::dctn(a),
        "scipy.fft.dst(a, axis=0)" => fft::dst!(a, axis = 0);
    "SciPy: interpolate, spatial, stats":
        "scipy.interpolate.CubicSpline(np.arange(len(b)) * 1.0, b)(i * 1.0)" => CubicSpline::new(&gpu::arange(b.len() as f64), b).eval(&i.astype::<f64>()),
        "scipy.interpolate.PchipInterpolator(np.arange(len(b)) * 1.0, b)(i * 1.0)" => PchipInterpolator::new(&gpu::arange(b.len() as f64), b).eval(&i.astype::<f64>()),
        "scipy.interpolate.RegularGridInterpolator((np.arange(len(b)) * 1.0, np.arange(len(b)) * 1.0), a)(i.reshape(-1, 2) * 0.9)" =>
            RegularGridInterpolator::new((&gpu::arange(b.len() as f64), &gpu::arange(b.len() as f64)), a).eval(&(i.astype::<f64>().reshape((-1, 2)) * 0.9)),
        "scipy.spatial.distance.cdist(a[:, :16], a[:, :16])" => spatial::distance::cdist(&a.slice(s![.., ..16]), &a.slice(s![.., ..16])),
        "scipy.spatial.distance.cdist(a[:, :16], a[:, :16], 'cityblock')" => spatial::distance::cdist!(&a.slice(s![.., ..16]), &a.slice(s![.., ..16]), "cityblock"),
        "scipy.spatial.KDTree(a[:, :3]).query(a[::-1, :3], 4)[0]" => KDTree::new(&a.slice(s![.., ..3])).query(&a.slice(s![..;-1, ..3]), 4).0,
        "scipy.stats.zscore(a, axis=1)" => stats::zscore!(a, axis = 1),
        "scipy.stats.entropy(abs(a))" => stats::entropy(&a.abs()),
        "scipy.stats.trim_mean(a, 0.1)" => stats::trim_mean(a, 0.1),
        "scipy.stats.gaussian_kde(b)(a[0])" => stats::gaussian_kde::new(b).evaluate(&a.slice(s![0, ..])),
        "scipy.stats.rankdata(a)" => stats::rankdata(a);
    "Linear algebra":
        "scipy.linalg.lu_factor(a)[0]" => linalg::lu_factor(a).0,
        "scipy.linalg.solve_triangular(a, b)" => linalg::solve_triangular(a, b),
        "scipy.linalg.expm(a / len(a))" => linalg::expm(&(a / a.len() as f64)),
        "scipy.linalg.toeplitz(b)" => linalg::toeplitz(b);
}

/// Things by their name and size.
type Made = HashMap<(&'static str, usize), Rc<dyn Any>>;

thread_local! {
    static MADE: RefCell<Made> = RefCell::default();
}

/// What `make` gives, which is made once for a name and a size.
fn made<T: 'static>(name: &'static str, size: usize, make: impl FnOnce() -> T) -> Rc<T> {
    let known = MADE.with_borrow(|made| made.get(&(name, size)).cloned());
    let known = known.unwrap_or_else(|| {
        let value: Rc<dyn Any> = Rc::new(make());
        MADE.with_borrow_mut(|made| made.insert((name, size), value.clone()));
        value
    });
    known.downcast().expect("a name has one type")
}

/// The matrix of Poisson's equation on a square grid of `side` points in each direction.
fn poisson(side: usize) -> Rc<SparseMatrix<f64>> {
    made("poisson", side, || {
        let (ones, inner) = (vec![1.0; side], vec![1.0; side - 1]);
        let twos: Vec<f64> = ones.iter().map(|one| 2.0 * one).collect();
        let below: Vec<f64> = inner.iter().map(|one| -one).collect();
        let line = sparse::diags(&[&below, &twos, &below], &[-1, 0, 1]);
        sparse::kronsum(&line, &line).tocsr()
    })
}

/// The elements of `a` above 2, some 2 of 100.
fn scattered(a: &DeviceArray<f64>) -> Rc<SparseMatrix<f64>> {
    made("scattered", a.len(), || sparse::csr_matrix(&(a * &a.gt(2.0).astype::<f64>())))
}

/// The second-order sections of a filter.
fn sections() -> Rc<DeviceArray<f64>> {
    made("sections", 0, || signal::butter!(4, 0.2, output = "sos"))
}
