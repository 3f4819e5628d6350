//! The table `prelude/NUMPY.md`: NumPy's expressions and ours. Both sides of each row are evaluated, and give the same.
// Long because: it is one table.

mod coverage;
mod scipy;

use crate::fixtures::{assert_same, cases, host};
use expect_test::expect_file;
use warpcell as gpu;
use warpcell::ndarray::{ArrayD, arr0};
use warpcell::prelude::*;
use warpcell::{Element, Pad, Scalar};

/// What an expression gives.
pub(crate) trait Outcome {
    /// As floats on the host.
    fn outcome(&self) -> ArrayD<f64>;
    /// As it is; an array shares its elements.
    fn kept(&self) -> Box<dyn Outcome>;
}

impl<T: Element> Outcome for DeviceArray<T> {
    fn outcome(&self) -> ArrayD<f64> {
        let host = self.to_host();
        if !T::DTYPE.is_complex() {
            return host.mapv(float);
        }
        let both: Vec<f64> = host.iter().flat_map(|&value| parts(value)).collect();
        ArrayD::from_shape_vec([host.shape(), &[2]].concat(), both).expect("two parts for each element")
    }
    fn kept(&self) -> Box<dyn Outcome> {
        Box::new(self.clone())
    }
}
/// Complex numbers have one more axis, for their parts.
impl Outcome for Complex<f64> {
    fn outcome(&self) -> ArrayD<f64> {
        ndarray::arr1(&[self.re, self.im]).into_dyn()
    }
    fn kept(&self) -> Box<dyn Outcome> {
        Box::new(*self)
    }
}
macro_rules! scalars {
    ($($type:ty)*) => {$(
        impl Outcome for $type {
            fn outcome(&self) -> ArrayD<f64> {
                arr0(float(*self)).into_dyn()
            }
            fn kept(&self) -> Box<dyn Outcome> {
                Box::new(*self)
            }
        }
    )*};
}
scalars!(bool u8 i32 u32 i64 u64 f32 f64);
/// Lengths.
impl Outcome for Vec<usize> {
    fn outcome(&self) -> ArrayD<f64> {
        self.iter().map(|&length| length as f64).collect::<Array1<f64>>().into_dyn()
    }
    fn kept(&self) -> Box<dyn Outcome> {
        Box::new(self.clone())
    }
}
/// A text: the codes of its characters.
impl Outcome for String {
    fn outcome(&self) -> ArrayD<f64> {
        self.chars().map(|character| f64::from(u32::from(character))).collect::<Array1<f64>>().into_dyn()
    }
    fn kept(&self) -> Box<dyn Outcome> {
        Box::new(self.clone())
    }
}
impl Outcome for usize {
    fn outcome(&self) -> ArrayD<f64> {
        arr0(*self as f64).into_dyn()
    }
    fn kept(&self) -> Box<dyn Outcome> {
        Box::new(*self)
    }
}

fn parts<T: Element>(value: T) -> [f64; 2] {
    match value.to_scalar() {
        Scalar::C64(value) => [value.re.into(), value.im.into()],
        Scalar::C128(value) => [value.re, value.im],
        other => unreachable!("{other:?} is not complex"),
    }
}

fn float<T: Element>(value: T) -> f64 {
    match value.to_scalar() {
        Scalar::Bool(value) => f64::from(u8::from(value)),
        Scalar::U8(value) => value.into(),
        Scalar::I32(value) => value.into(),
        Scalar::U32(value) => value.into(),
        Scalar::I64(value) => value as f64,
        Scalar::U64(value) => value as f64,
        Scalar::F32(value) => value.into(),
        Scalar::F64(value) => value,
        other => panic!("no row has {other:?}"),
    }
}

/// An expression of ours.
pub(crate) type Expression<T> = fn(&Data<T>) -> Box<dyn Outcome>;

pub(crate) struct Row {
    pub numpy: &'static str,
    pub ours: &'static str,
    pub value: Expression<f64>,
    /// The same expression of `f32`, for the topics that say `and f32`. Their rows are evaluated with other strides, too.
    pub narrow: Option<Expression<f32>>,
}

/// The arrays that the expressions speak of; the same as in tests/parity/generate.py.
pub(crate) struct Data<T: Element> {
    pub a: DeviceArray<T>,
    pub b: DeviceArray<T>,
    pub i: DeviceArray<i64>,
    pub mask: DeviceArray<bool>,
}

// The names of the arrays are handed in, since those that a macro itself declares cannot be seen by its arguments.
macro_rules! rows {
    ($names:tt $($topic:literal $(and $also:ident)?: $($numpy:literal => $ours:expr),* ;)*) => {
        pub(crate) const ROWS: &[(&str, &[Row])] = &[$(($topic, rows!(@topic $names [$($also)?] $($numpy => $ours),*))),*];
    };
    (@topic $names:tt $also:tt $($numpy:literal => $ours:expr),*) => {
        &[$(Row {
            numpy: $numpy,
            ours: stringify!($ours),
            value: rows!(@value $names f64 $ours),
            narrow: rows!(@narrow $names $also $ours),
        }),*]
    };
    (@narrow $names:tt [] $ours:expr) => { None };
    (@narrow $names:tt [$type:ident] $ours:expr) => { Some(rows!(@value $names $type $ours)) };
    (@value [$($name:ident)*] $type:ident $ours:expr) => {{
        #[allow(unused_variables, reason = "not every row uses all arrays")]
        fn value(Data { $($name),* }: &Data<$type>) -> Box<dyn Outcome> {
            Outcome::kept(&$ours)
        }
        value
    }};
}
pub(crate) use rows;

rows! {
    [a b i mask]
    "Creation":
        "np.zeros((2, 3))" => gpu::zeros::<f64>((2, 3)),
        "np.ones(4)" => gpu::ones::<f64>(4),
        "np.full((2, 2), 7.0)" => gpu::full((2, 2), 7.0),
        "np.eye(3)" => gpu::eye::<f64>(3),
        "np.arange(5)" => gpu::arange(5),
        "np.arange(2, 10, 3)" => gpu::arange((2, 10, 3)),
        "np.linspace(0, 1, 5)" => gpu::linspace(0.0, 1.0, 5),
        "np.asarray(np.array([1, 2]))" => gpu::asarray(&ndarray::arr1(&[1, 2])),
        "np.meshgrid(b, b)[0]" => gpu::meshgrid(b, b).0,
        "a.astype('int64')" => a.astype::<i64>(),
        "a.copy()" => a.copy();
    "Shape":
        "a.reshape(3, 2)" => a.reshape((3, 2)),
        "a.ravel()" => a.ravel(),
        "a.T" => a.t(),
        "np.swapaxes(a, 0, 1)" => a.swapaxes(0, 1),
        "np.moveaxis(a, 0, -1)" => a.moveaxis(0, -1),
        "np.expand_dims(b, 0)" => b.expand_dims(0),
        "np.squeeze(a[:1])" => a.slice(s![..1, ..]).squeeze(),
        "np.broadcast_to(b, (2, 3))" => b.broadcast_to((2, 3)),
        "a.shape[0]" => a.shape()[0],
        "a.ndim" => a.ndim(),
        "a.size" => a.size(),
        "a.nbytes" => a.nbytes(),
        "np.diagonal(a)" => a.diagonal();
    "Functions and methods":
        "np.exp(b)" => gpu::exp(b),
        "np.sqrt(np.abs(a))" => gpu::sqrt(&gpu::abs(a)),
        "np.arctan2(a, b)" => gpu::atan2(a, b),
        "np.maximum(a, b)" => gpu::maximum(a, b),
        "np.clip(a, -1, 2)" => gpu::clip(a, -1.0, 2.0),
        "np.clip(a, min=-1, max=2)" => gpu::clip(a, -1.0, 2.0),
        "np.add(a, b)" => gpu::add(a, b),
        "np.less_equal(a, b)" => gpu::less_equal(a, b),
        "np.not_equal(a, b)" => gpu::not_equal(a, b),
        "np.logical_xor(mask, mask[:1])" => gpu::logical_xor(mask, mask.slice(s![..1, ..])),
        "np.sum(a)" => gpu::sum(a),
        "np.mean(a, 1)" => gpu::mean_axis(a, 1),
        "np.std(a)" => gpu::std(a),
        "np.argmax(a, 1)" => gpu::argmax_axis(a, 1),
        "np.any(mask)" => gpu::any(mask),
        "np.cumsum(a, 0)" => gpu::cumsum_axis(a, 0),
        "np.count_nonzero(i)" => gpu::count_nonzero(i),
        "np.reshape(a, (3, -1))" => gpu::reshape(a, (3, -1)),
        "a.reshape(-1)" => a.reshape(-1),
        "np.transpose(a, (1, 0))" => gpu::permute_dims(a, (1, 0)),
        "np.take(a, i)" => gpu::take(a, i),
        "len(a)" => a.len(),
        "i.argsort()" => i.argsort(),
        "b.dot(b)" => b.dot(b),
        "a @ a.T" => a.matmul(&a.t()),
        "a.trace()" => a.trace(),
        "b.repeat(2)" => b.repeat(2, 0),
        "a.flatten()" => a.flatten(),
        "sum(a)" => a.iter().sum::<DeviceArray<f64>>(),
        "np.array([row.max() for row in a])" => gpu::array(&a.iter().map(|row| row.max()).collect::<Vec<_>>());
    "Reading parts":
        "a[1, 2]" => a.get(&[1, 2]),
        "a[:, 1]" => a.slice(s![.., 1]),
        "a[1:, ::2]" => a.slice(s![1.., ..;2]),
        "a[:, ::-1]" => a.slice(s![.., ..;-1]),
        "a[mask]" => a.extract(mask),
        "np.take(a, i)" => a.take(i),
        "np.take(a, i[1:3], 1)" => a.take_axis(i.slice(s![1..3]), 1),
        "np.where(mask, a, 0.0)" => gpu::where_(mask, a, 0.0),
        "np.nonzero(mask)[1]" => mask.nonzero()[1],
        "np.flatnonzero(mask)" => mask.flatnonzero(),
        "np.argwhere(mask)" => mask.argwhere();
    "Joining and rearranging":
        "np.concatenate((a, a), 1)" => gpu::concatenate([a, a], 1),
        "np.stack((b, b))" => gpu::stack([b, b], 0),
        "np.vstack((b, b))" => gpu::vstack([b, b]),
        "np.hstack((b, b))" => gpu::hstack([b, b]),
        "np.split(a, 3, 1)[2]" => gpu::split(a, 3, 1)[2],
        "np.tile(b, (2, 2))" => gpu::tile(b, (2, 2)),
        "np.repeat(b, 2)" => gpu::repeat(b, 2, 0),
        "np.flip(a, 0)" => gpu::flip(a, 0),
        "np.roll(b, 1)" => gpu::roll(b, 1, 0),
        "np.pad(b, 1)" => gpu::pad(b, 1, Pad::Constant(0.0)),
        "np.pad(b, (2, 1), mode='reflect')" => gpu::pad(b, [(2, 1)], Pad::Reflect);
    "Arithmetic and functions of elements":
        "a + b" => a + b,
        "a - 1" => a - 1.0,
        "2 * a" => 2.0 * a,
        "a / b" => a / b,
        "a // b" => a.floor_divide(b),
        "a % b" => a.modulo(b),
        "np.fmod(a, b)" => a % b,
        "-a" => -a,
        "a ** 2" => a.powi(2),
        "abs(a)" => a.abs(),
        "np.sign(a)" => a.sign(),
        "np.floor(a)" => a.floor(),
        "np.ceil(a)" => a.ceil(),
        "np.trunc(a)" => a.trunc(),
        "np.round(a)" => a.round(),
        "np.sqrt(abs(a))" => a.abs().sqrt(),
        "np.cbrt(a)" => a.cbrt(),
        "np.square(a)" => a.square(),
        "np.reciprocal(a)" => a.reciprocal(),
        "np.exp(a)" => a.exp(),
        "np.exp2(a)" => a.exp2(),
        "np.expm1(a)" => a.expm1(),
        "np.log(abs(a))" => a.abs().log(),
        "np.log2(abs(a))" => a.abs().log2(),
        "np.log10(abs(a))" => a.abs().log10(),
        "np.log1p(abs(a))" => a.abs().log1p(),
        "np.sin(a)" => a.sin(),
        "np.cos(a)" => a.cos(),
        "np.tan(a)" => a.tan(),
        "np.asin(b / 2)" => (b / 2.0).asin(),
        "np.acos(b / 2)" => (b / 2.0).acos(),
        "np.atan(a)" => a.atan(),
        "np.atan2(a, b)" => a.atan2(b),
        "np.sinh(a)" => a.sinh(),
        "np.cosh(a)" => a.cosh(),
        "np.tanh(a)" => a.tanh(),
        "np.asinh(a)" => a.asinh(),
        "np.hypot(a, b)" => a.hypot(b),
        "np.copysign(a, b)" => a.copysign(b),
        "np.radians(a)" => a.radians(),
        "np.degrees(a)" => a.degrees(),
        "np.maximum(a, b)" => a.maximum(b),
        "np.minimum(a, 0)" => a.minimum(0.0),
        "np.clip(a, -1, 3)" => a.clip(-1.0, 3.0);
    "Comparison, logic and bits":
        "a == b" => a.eq(b),
        "a != b" => a.ne(b),
        "a < b" => a.lt(b),
        "a <= b" => a.le(b),
        "a > b" => a.gt(b),
        "a >= 0" => a.ge(0.0),
        "mask & (a > 3)" => mask & &a.gt(3.0),
        "mask | (a > 3)" => mask | &a.gt(3.0),
        "mask ^ (a > 3)" => mask ^ &a.gt(3.0),
        "~mask" => !mask,
        "i & 1" => i.bitwise_and(1),
        "i << 2" => i.left_shift(2),
        "~i" => !i,
        "np.isnan(a)" => a.is_nan(),
        "np.isinf(a)" => a.is_inf(),
        "np.isfinite(a)" => a.is_finite(),
        "np.allclose(a, a + 1e-9)" => gpu::allclose(a, &(a + 1e-9));
    "Reductions":
        "a.sum()" => a.sum(),
        "a.sum(axis=0)" => a.sum_axis(0),
        "a.sum(axis=(0, 1))" => a.sum_axis((0, 1)),
        "a.prod()" => a.prod(),
        "a.mean()" => a.mean(),
        "a.mean(axis=-1)" => a.mean_axis(-1),
        "a.var()" => a.var(),
        "a.std(axis=0)" => a.std_axis(0),
        "a.std(axis=0, ddof=1)" => a.std_with(0, 1.0),
        "a.min()" => a.min(),
        "a.max(axis=1)" => a.max_axis(1),
        "a.argmin()" => a.argmin(),
        "a.argmax(axis=1)" => a.argmax_axis(1),
        "mask.all()" => mask.all(),
        "mask.any(axis=0)" => mask.any_axis(0),
        "np.count_nonzero(a)" => a.count_nonzero(),
        "np.linalg.norm(a)" => gpu::linalg::norm(a),
        "np.median(a)" => gpu::median(a),
        "np.percentile(a, 25)" => gpu::percentile(a, 25.0),
        "np.quantile(a, 0.9)" => gpu::quantile(a, 0.9),
        "a.cumsum()" => a.cumsum(),
        "a.cumsum(axis=1)" => a.cumsum_axis(1),
        "a.cumprod(axis=0)" => a.cumprod_axis(0),
        "np.diff(a)" => gpu::diff(a, 1, -1);
    "Sorting, searching and counting":
        "np.sort(a)" => gpu::sort(a),
        "np.sort(a, axis=0)" => gpu::sort_axis(a, 0),
        "np.argsort(b)" => gpu::argsort(b),
        "np.unique(i)" => gpu::unique(i),
        "np.unique(i, return_counts=True)[1]" => gpu::unique_counts(i).1,
        "np.unique(i, return_inverse=True)[1]" => gpu::unique_inverse(i).1,
        "np.searchsorted(np.arange(5), i)" => gpu::searchsorted(&gpu::arange(5i64), i, gpu::Side::Left),
        "np.digitize(a, np.sort(b))" => gpu::digitize(a, &gpu::sort(b)),
        "np.histogram(a, 4)[0]" => gpu::histogram(a, 4, ..).0,
        "np.bincount(i)" => gpu::bincount(i),
        "np.histogram(b, 2, weights=[1, 2, 4])[0]" => gpu::histogram!(b, 2, weights = &gpu::array(&[1.0, 2.0, 4.0])).0,
        "np.histogram(a, bins=4, density=True)[0]" => gpu::histogram!(a, bins = 4, density = true).0,
        "np.histogram2d(b, b * b, 3)[0]" => gpu::histogram2d(b, &(b * b), 3, ..).0,
        "np.histogram2d(b, b * b, bins=[2, 3])[1]" => gpu::histogram2d!(b, &(b * b), bins = [2, 3]).1,
        "np.histogram2d(b, b * b, [[-1, 0, 2], [0, 1, 4]])[0]" => gpu::histogram2d(b, &(b * b), [[-1.0, 0.0, 2.0], [0.0, 1.0, 4.0]], ..).0,
        "np.histogram2d(b, b * b, 2, range=[[-1, 1], [0, 5]], density=True)[0]" => gpu::histogram2d!(b, &(b * b), 2, range = [[-1.0, 1.0], [0.0, 5.0]], density = true).0,
        "np.histogramdd(a.T, bins=(2, 3))[0]" => gpu::histogramdd!(&a.t(), bins = (2, 3)).0,
        "np.histogramdd((b, b, b), 2, weights=[1, 2, 4])[0]" => gpu::histogramdd!([b, b, b], 2, weights = &gpu::array(&[1.0, 2.0, 4.0])).0,
        "np.histogramdd(a.T, 4)[1][1]" => gpu::histogramdd(&a.t(), 4, ..).1[1];
    "Signals":
        "np.convolve(b, b)" => gpu::convolve(b, b, Mode::Full),
        "np.correlate(np.arange(5.0), b)" => gpu::correlate(&gpu::arange(5.0), b, Mode::Valid),
        "scipy.signal.convolve2d(a, a, 'same')" => gpu::convolve2d(a, a, Mode::Same),
        "scipy.signal.correlate2d(a, a)" => gpu::correlate2d(a, a, Mode::Full),
        "scipy.signal.fftconvolve(a, a)" => gpu::fftconvolve(a, a, Mode::Full),
        "scipy.special.erf(a)" => a.erf(),
        "scipy.special.erfc(a)" => a.erfc(),
        "scipy.special.erfinv(a / 8)" => (a / 8.0).erfinv(),
        "scipy.special.ndtr(a)" => a.ndtr();
    "Special functions":
        "scipy.special.exp2(b)" => gpu::special::exp2(b),
        "scipy.special.expm1(b)" => gpu::special::expm1(b),
        "scipy.special.cbrt(b)" => gpu::special::cbrt(b),
        "scipy.special.sinc(b)" => gpu::special::sinc(b),
        "scipy.special.log1p(b * b)" => gpu::special::log1p(b * b),
        "scipy.special.softmax(a)" => gpu::special::softmax(a),
        "scipy.special.softmax(a, axis=1)" => gpu::special::softmax!(a, axis = 1),
        "scipy.special.log_softmax(a, axis=1)" => gpu::special::log_softmax!(a, axis = 1),
        "scipy.special.logsumexp(a)" => gpu::special::logsumexp(a),
        "scipy.special.logsumexp(a, axis=0)" => gpu::special::logsumexp!(a, axis = 0);
    "Linear algebra" and f32:
        "np.linalg.qr(a)[0] @ np.linalg.qr(a)[1]" => gpu::matmul(&gpu::linalg::qr(a).0, &gpu::linalg::qr(a).1),
        "np.linalg.qr(a, 'complete')[1].shape[0]" => gpu::linalg::qr_complete(a).1.shape()[0],
        "abs(np.linalg.qr(a, 'r'))" => gpu::linalg::qr_r(a).abs(),
        "scipy.linalg.lu(a)[1]" => gpu::linalg::lu(a).1,
        "np.linalg.cholesky(a @ a.T)" => gpu::linalg::cholesky(&gpu::matmul(a, &a.t())),
        "np.linalg.det(a @ a.T)" => gpu::linalg::det(&gpu::matmul(a, &a.t())),
        "np.linalg.slogdet(a @ a.T)[1]" => gpu::linalg::slogdet(&gpu::matmul(a, &a.t())).1,
        "np.linalg.inv(a @ a.T)" => gpu::linalg::inv(&gpu::matmul(a, &a.t())),
        "np.linalg.solve(a @ a.T, b[:2])" => gpu::linalg::solve(&gpu::matmul(a, &a.t()), &b.slice(s![..2])),
        "np.linalg.lstsq(a.T, b)[0]" => gpu::linalg::lstsq(&a.t(), b).0,
        "np.linalg.lstsq(a.T, b, rcond=0.1)[2]" => gpu::linalg::lstsq_with(&a.t(), b, 0.1).2,
        "np.linalg.pinv(a, rtol=None)" => gpu::linalg::pinv(a),
        "np.linalg.pinv(a, rcond=0.9)" => gpu::linalg::pinv_with(a, 0.9),
        "np.linalg.matrix_power(a @ a.T, 3)" => gpu::linalg::matrix_power(&gpu::matmul(a, &a.t()), 3),
        "np.linalg.eigh(a @ a.T)[0]" => gpu::linalg::eigh(&gpu::matmul(a, &a.t())).0,
        "np.linalg.eigvalsh(a @ a.T)" => gpu::linalg::eigvalsh(&gpu::matmul(a, &a.t())),
        "np.sort(np.linalg.eig(a @ a.T)[0].real)" => gpu::sort(&gpu::linalg::eig(&gpu::matmul(a, &a.t())).0.real()),
        "np.sort(np.linalg.eigvals(a @ a.T).real)" => gpu::sort(&gpu::linalg::eigvals(&gpu::matmul(a, &a.t())).real()),
        "np.linalg.svd(a)[1]" => gpu::linalg::svd(a).1,
        "np.linalg.svd(a, full_matrices=False)[2].shape[0]" => gpu::linalg::svd_with(a, false).2.shape()[0],
        "np.linalg.svdvals(a)" => gpu::linalg::svdvals(a),
        "np.linalg.matrix_rank(a)" => gpu::linalg::matrix_rank(a),
        "np.linalg.cond(a)" => gpu::linalg::cond(a);
    "Linear algebra of complex numbers":
        "np.linalg.det(np.fft.fft(np.vander(b))).imag" => gpu::linalg::det(&gpu::fft::fft(&gpu::vander(b))).im,
        "np.linalg.slogdet(np.fft.fft(np.vander(b)))[0].imag" => gpu::linalg::slogdet(&gpu::fft::fft(&gpu::vander(b))).0.im,
        "np.linalg.slogdet(np.fft.fft(np.vander(b)))[1]" => gpu::linalg::slogdet(&gpu::fft::fft(&gpu::vander(b))).1,
        "abs(np.linalg.inv(np.fft.fft(np.vander(b))))" => gpu::linalg::inv(&gpu::fft::fft(&gpu::vander(b))).abs(),
        "abs(np.linalg.solve(np.fft.fft(np.vander(b)), np.fft.fft(b)))" => gpu::linalg::solve(&gpu::fft::fft(&gpu::vander(b)), &gpu::fft::fft(b)).abs(),
        "np.linalg.cholesky(np.fft.fft(np.eye(3)) + 4 * np.eye(3)).imag" => gpu::linalg::cholesky(&(gpu::fft::fft(&gpu::eye::<f64>(3)) + gpu::eye::<Complex<f64>>(3) * Complex::new(4.0, 0.0))).imag(),
        "abs(np.linalg.qr(np.fft.fft(np.vander(b)), 'r'))" => gpu::linalg::qr_r(&gpu::fft::fft(&gpu::vander(b))).abs(),
        "abs(np.linalg.qr(np.fft.fft(a.T), 'complete')[0]).shape[1]" => gpu::linalg::qr_complete(&gpu::fft::fft(&a.t())).0.shape()[1],
        "np.linalg.eigh(np.fft.fft(np.vander(b)))[0]" => gpu::linalg::eigh(&gpu::fft::fft(&gpu::vander(b))).0,
        "abs(np.linalg.eigh(np.fft.fft(np.vander(b)))[1])" => gpu::linalg::eigh(&gpu::fft::fft(&gpu::vander(b))).1.abs(),
        "np.linalg.eigvalsh(np.fft.fft(np.vander(b)))" => gpu::linalg::eigvalsh(&gpu::fft::fft(&gpu::vander(b))),
        "abs(np.linalg.eigh(np.fft.fft(np.vander(b)), UPLO='U')[1])" => gpu::linalg::eigh!(&gpu::fft::fft(&gpu::vander(b)), UPLO = "U").1.abs(),
        "np.sort(abs(np.linalg.eigvals(np.fft.fft(np.vander(b)))))" => gpu::sort(&gpu::linalg::eigvals(&gpu::fft::fft(&gpu::vander(b))).abs()),
        "np.linalg.svd(np.fft.fft(np.vander(b)))[1]" => gpu::linalg::svd(&gpu::fft::fft(&gpu::vander(b))).1,
        "np.linalg.svdvals(np.fft.fft(a))" => gpu::linalg::svdvals(&gpu::fft::fft(a)),
        "abs(np.linalg.pinv(np.fft.fft(a), rtol=None))" => gpu::linalg::pinv(&gpu::fft::fft(a)).abs(),
        "abs(np.linalg.lstsq(np.fft.fft(a).T, np.fft.fft(b))[0])" => gpu::linalg::lstsq(&gpu::fft::fft(a).t(), &gpu::fft::fft(b)).0.abs(),
        "np.linalg.lstsq(np.fft.fft(a).T, np.fft.fft(b))[1]" => gpu::linalg::lstsq(&gpu::fft::fft(a).t(), &gpu::fft::fft(b)).1,
        "np.linalg.matrix_rank(np.fft.fft(a))" => gpu::linalg::matrix_rank(&gpu::fft::fft(a)),
        "np.linalg.cond(np.fft.fft(np.vander(b)))" => gpu::linalg::cond(&gpu::fft::fft(&gpu::vander(b))),
        "np.linalg.norm(np.fft.fft(a))" => gpu::linalg::norm(&gpu::fft::fft(a)),
        "np.linalg.norm(np.fft.fft(a), ord='nuc')" => gpu::linalg::norm!(&gpu::fft::fft(a), ord = "nuc"),
        "np.linalg.norm(np.fft.fft(a), axis=0)" => gpu::linalg::norm!(&gpu::fft::fft(a), axis = 0),
        "np.linalg.norm(np.fft.fft(a), ord=1)" => gpu::linalg::norm!(&gpu::fft::fft(a), ord = 1),
        "abs(np.linalg.tensorinv(np.fft.fft(np.vander(b)), ind=1))" => gpu::linalg::tensorinv!(&gpu::fft::fft(&gpu::vander(b)), ind = 1).abs(),
        "abs(np.linalg.tensorsolve(np.fft.fft(np.vander(b)), np.fft.fft(b)))" => gpu::linalg::tensorsolve(&gpu::fft::fft(&gpu::vander(b)), &gpu::fft::fft(b)).abs();
    "Fourier transforms and complex numbers":
        "abs(np.fft.fft(b))" => gpu::fft::fft(b).abs(),
        "np.fft.rfft(b).imag" => gpu::fft::rfft(b).imag(),
        "abs(np.fft.ifft(a, 4, 0, 'ortho'))" => gpu::fft::ifft_with(a, 4, 0, gpu::fft::Norm::Ortho).abs(),
        "np.fft.irfft(np.fft.rfft(a), 3)" => gpu::fft::irfft_with(&gpu::fft::rfft(a), 3, -1, gpu::fft::Norm::Backward),
        "np.fft.hfft(b)" => gpu::fft::hfft(b),
        "abs(np.fft.fft2(a))" => gpu::fft::fft2(a).abs(),
        "abs(np.fft.fftn(a))" => gpu::fft::fftn(a).abs(),
        "abs(np.fft.rfftn(a))" => gpu::fft::rfftn(a).abs(),
        "np.fft.fftfreq(5, 0.1)" => gpu::fft::fftfreq(5, 0.1),
        "np.fft.rfftfreq(5, 0.1)" => gpu::fft::rfftfreq(5, 0.1),
        "np.fft.fftshift(i)" => gpu::fft::fftshift(i),
        "np.fft.ifftshift(a, axes=1)" => gpu::fft::ifftshift_with(a, 1),
        "a.astype('complex128').real" => a.astype::<gpu::Complex<f64>>().real(),
        "np.angle(np.fft.fft(b))" => gpu::fft::fft(b).angle(),
        "np.conj(np.fft.fft(b)).imag" => gpu::fft::fft(b).conj().imag();
    "Random numbers (other numbers than NumPy's, so sizes and sums are compared)":
        "np.random.random((2, 3)).size" => gpu::random::random((2, 3)).size(),
        "np.random.uniform(-1, 1, 4).size" => gpu::random::uniform(-1.0, 1.0, 4).size(),
        "np.random.normal(0, 1, 4).size" => gpu::random::normal(0.0, 1.0, 4).size(),
        "np.random.randint(0, 9, 4).size" => gpu::random::integers(0..9, 4).size(),
        "np.random.choice(b, 4).size" => gpu::random::choice(b, 4, true).size(),
        "np.random.permutation(4).sum()" => gpu::random::permutation(4).sum(),
        "np.random.exponential(0, 4)" => gpu::random::exponential(0.0, 4),
        "np.random.random_integers(3, 3, 4)" => gpu::random::random_integers(3, 3, 4),
        "(c := i.copy(), np.random.shuffle(c))[0].sum()" => { let mut c = i.copy(); gpu::random::shuffle(&mut c); c.sum() },
        "(np.random.seed(3), np.random.poisson(0, 4))[1]" => { gpu::random::seed(3); gpu::random::poisson(0.0, 4) },
        "np.random.RandomState(1).standard_normal((2, 3)).shape[1]" => gpu::random::RandomState::new(1).standard_normal((2, 3)).shape()[1],
        "np.random.Generator(np.random.Philox(1)).poisson(0, 4)" => gpu::random::Generator::from(gpu::random::Philox4x3210::new(1)).poisson(0.0, 4);
    "Products of vectors and matrices":
        "np.dot(b, b)" => gpu::dot(b, b),
        "a @ b" => gpu::matmul(a, b),
        "np.matmul(a, a.T)" => gpu::matmul(a, &a.t()),
        "np.vdot(a, a)" => gpu::vdot(a, a),
        "np.vdot(np.fft.fft(b), b + 1j).imag" => gpu::vdot(&gpu::fft::fft(b), &(b.astype() + gpu::Complex::new(0.0, 1.0))).im,
        "abs(np.fft.fft(a) @ np.fft.fft(b))" => gpu::matmul(&gpu::fft::fft(a), &gpu::fft::fft(b)).abs(),
        "np.inner(a, b)" => gpu::inner(a, b),
        "np.outer(b, i)" => gpu::outer(b, &i.astype::<f64>()),
        "np.tensordot(a, b, 1)" => gpu::tensordot(a, b, 1),
        "np.tensordot(a, a, ((0, 1), (0, 1)))" => gpu::tensordot(a, a, ((0, 1), (0, 1))),
        "np.kron(a, b)" => gpu::kron(a, b),
        "np.trace(a)" => gpu::trace(a),
        "np.einsum('ij,j->i', a, b)" => gpu::einsum("ij,j->i", [a, b]);
    "Optional arguments by name":
        "np.sum(a, axis=0, keepdims=True)" => gpu::sum!(a, axis = 0, keepdims = true),
        "np.sum(a, axis=(0, 1))" => gpu::sum!(a, axis = (0, 1)),
        "np.sum(a, 1, initial=10, where=mask)" => gpu::sum!(a, 1, initial = 10.0, where = mask),
        "np.sum(i, dtype='float32')" => gpu::sum!(i, dtype = f32),
        "np.prod(a, axis=0, where=mask)" => gpu::prod!(a, axis = 0, where = mask),
        "np.mean(a, axis=1, where=mask, keepdims=True)" => gpu::mean!(a, axis = 1, where = mask, keepdims = true),
        "np.var(a, axis=0, ddof=1)" => gpu::var!(a, axis = 0, ddof = 1),
        "np.std(a, axis=1, where=mask, ddof=0.5)" => gpu::std!(a, axis = 1, where = mask, ddof = 0.5),
        "np.max(a, axis=0, keepdims=True)" => gpu::max!(a, axis = 0, keepdims = true),
        "np.min(a, axis=1, initial=2, where=mask)" => gpu::min!(a, axis = 1, initial = 2.0, where = mask),
        "np.argmax(a, axis=0, keepdims=True)" => gpu::argmax!(a, axis = 0, keepdims = true),
        "np.all(mask, axis=0)" => gpu::all!(mask, axis = 0),
        "np.any(mask, axis=(0, 1), keepdims=True)" => gpu::any!(mask, axis = (0, 1), keepdims = true),
        "np.count_nonzero(mask, axis=1)" => gpu::count_nonzero!(mask, axis = 1),
        "np.median(a, axis=(0, 1), keepdims=True)" => gpu::median!(a, axis = (0, 1), keepdims = true),
        "np.quantile(a, 0.3, axis=0)" => gpu::quantile!(a, 0.3, axis = 0),
        "np.quantile(a, [0.25, 0.75], axis=1, keepdims=True)" => gpu::quantile!(a, [0.25, 0.75], axis = 1, keepdims = true),
        "np.percentile(a, [10, 90])" => gpu::percentile!(a, [10.0, 90.0]),
        "np.average(a, axis=1, weights=[1, 2, 5])" => gpu::average!(a, axis = 1, weights = &gpu::array(&[1.0, 2.0, 5.0])),
        "np.average(a, weights=a + 10)" => gpu::average!(a, weights = &(a + 10.0)),
        "np.linalg.norm(a, axis=1, keepdims=True)" => gpu::linalg::norm!(a, axis = 1, keepdims = true),
        "np.linalg.norm(a, ord=np.inf)" => gpu::norm!(a, ord = f64::INFINITY),
        "np.linalg.norm(a, ord='nuc')" => gpu::norm!(a, ord = "nuc"),
        "np.linalg.norm(a, ord=3, axis=0)" => gpu::norm!(a, ord = 3, axis = 0),
        "np.linalg.norm(a, ord=1, axis=(1, 0))" => gpu::norm!(a, ord = 1, axis = (1, 0)),
        "np.cumsum(i, dtype='float64')" => gpu::cumsum!(i, dtype = f64),
        "np.diff(a, n=1, axis=0)" => gpu::diff!(a, n = 1, axis = 0),
        "np.sort(a, axis=0)" => gpu::sort!(a, axis = 0),
        "np.argsort(a, axis=0)" => gpu::argsort!(a, axis = 0),
        "np.unique(i, return_inverse=True, return_counts=True)[2]" => gpu::unique!(i, return_inverse = true, return_counts = true).2,
        "np.searchsorted(np.arange(5), i, side='right')" => gpu::searchsorted!(&gpu::arange(5i64), i, side = "right"),
        "np.digitize(a, np.sort(b), right=True)" => gpu::digitize!(a, &gpu::sort(b), right = true),
        "np.histogram(a, bins=4, range=(-3.0, 3.0))[0]" => gpu::histogram!(a, bins = 4, range = (-3.0, 3.0)).0,
        "np.bincount(i, minlength=7)" => gpu::bincount!(i, minlength = 7),
        "np.zeros((2, 3), dtype='float32')" => gpu::zeros!((2, 3), dtype = f32),
        "np.full((2, 2), 7, dtype='float64')" => gpu::full!((2, 2), 7, dtype = f64),
        "np.arange(2, 10, 3, dtype='float32')" => gpu::arange!(2, 10, 3, dtype = f32),
        "np.linspace(0, 1, 5, endpoint=False)" => gpu::linspace!(0.0, 1.0, 5, endpoint = false),
        "np.array([1, 2], dtype='float32')" => gpu::array!([1, 2], dtype = f32),
        "np.concatenate((a, a), axis=1)" => gpu::concatenate!((a, a), axis = 1),
        "np.stack((b, b), axis=-1)" => gpu::stack!((b, b), axis = -1),
        "np.flip(a)" => gpu::flip!(a),
        "np.roll(a, 1)" => gpu::roll!(a, 1),
        "np.roll(a, (1, 2), axis=(0, 1))" => gpu::roll!(a, (1, 2), axis = (0, 1)),
        "np.repeat(a, 2)" => gpu::repeat!(a, 2),
        "np.repeat(b, [2, 0, 1])" => gpu::repeat!(b, &gpu::array(&[2, 0, 1])),
        "np.pad(b, 2, mode='reflect')" => gpu::pad!(b, 2, mode = "reflect"),
        "np.convolve(b, b, mode='same')" => gpu::convolve!(b, b, mode = "same"),
        "np.allclose(a, a * 1.01, rtol=0.1)" => gpu::allclose!(a, &(a * 1.01), rtol = 0.1),
        "np.fft.rfft(b, n=4, norm='ortho').real" => gpu::fft::rfft!(b, n = 4, norm = "ortho").real();
    "More optional arguments by name" and f32:
        "np.percentile(a, 25, method='lower')" => gpu::percentile!(a, 25.0, method = "lower"),
        "np.quantile(a, [0.1, 0.3], method='nearest', axis=1)" => gpu::quantile!(a, [0.1, 0.3], method = "nearest", axis = 1),
        "np.quantile(a, 0.3, method='higher', axis=0, keepdims=True)" => gpu::quantile!(a, 0.3, method = "higher", axis = 0, keepdims = true),
        "np.percentile(a, [0, 45, 100], method='midpoint')" => gpu::percentile!(a, [0, 45, 100], method = "midpoint"),
        "np.quantile(a, [0, 0.25, 0.5, 0.6, 0.75, 1], method='inverted_cdf')" => gpu::quantile!(a, [0.0, 0.25, 0.5, 0.6, 0.75, 1.0], method = "inverted_cdf"),
        "np.quantile(a, [0, 0.25, 0.5, 0.6, 0.75, 1], method='averaged_inverted_cdf')" => gpu::quantile!(a, [0.0, 0.25, 0.5, 0.6, 0.75, 1.0], method = "averaged_inverted_cdf"),
        "np.quantile(a, [0, 0.25, 0.5, 0.6, 0.75, 1], method='closest_observation')" => gpu::quantile!(a, [0.0, 0.25, 0.5, 0.6, 0.75, 1.0], method = "closest_observation"),
        "np.quantile(a, [0, 0.25, 0.5, 0.6, 0.75, 1], method='interpolated_inverted_cdf')" => gpu::quantile!(a, [0.0, 0.25, 0.5, 0.6, 0.75, 1.0], method = "interpolated_inverted_cdf"),
        "np.quantile(a, [0, 0.25, 0.5, 0.6, 0.75, 1], method='hazen')" => gpu::quantile!(a, [0.0, 0.25, 0.5, 0.6, 0.75, 1.0], method = "hazen"),
        "np.quantile(a, [0, 0.25, 0.5, 0.6, 0.75, 1], method='weibull')" => gpu::quantile!(a, [0.0, 0.25, 0.5, 0.6, 0.75, 1.0], method = "weibull"),
        "np.quantile(a, [0, 0.25, 0.5, 0.6, 0.75, 1], method='linear')" => gpu::quantile!(a, [0.0, 0.25, 0.5, 0.6, 0.75, 1.0], method = "linear"),
        "np.quantile(a, [0, 0.25, 0.5, 0.6, 0.75, 1], method='median_unbiased')" => gpu::quantile!(a, [0.0, 0.25, 0.5, 0.6, 0.75, 1.0], method = "median_unbiased"),
        "np.quantile(a, [0, 0.25, 0.5, 0.6, 0.75, 1], method='normal_unbiased')" => gpu::quantile!(a, [0.0, 0.25, 0.5, 0.6, 0.75, 1.0], method = "normal_unbiased"),
        "np.diff(b, prepend=0)" => gpu::diff!(b, prepend = 0.0),
        "np.diff(a, axis=0, prepend=[b], append=7)" => gpu::diff!(a, axis = 0, prepend = &b.expand_dims(0), append = 7.0),
        "np.diff(a, 2, append=a)" => gpu::diff!(a, 2, append = a),
        "np.interp(a, [0, 1, 3], b, left=-1, right=9)" => gpu::interp!(a, &gpu::array(&[0.0, 1.0, 3.0]), b, left = -1.0, right = 9.0),
        "np.interp(a, [3, 1, 0.5], b, period=4)" => gpu::interp!(a, &gpu::array(&[3.0, 1.0, 0.5]), b, period = 4.0),
        "np.unique(i, return_index=True)[1]" => gpu::unique!(i, return_index = true).1,
        "np.unique(i, return_index=True, return_inverse=True, return_counts=True)[3]" => gpu::unique!(i, return_index = true, return_inverse = true, return_counts = true).3,
        "np.unique(np.concatenate((a, a[::-1])), axis=0)" => gpu::unique!(&gpu::concatenate([a, &gpu::flip(a, 0)], 0), axis = 0),
        "np.unique(np.concatenate((a, a[::-1])), axis=0, return_index=True, return_inverse=True)[2]" => gpu::unique!(&gpu::concatenate([a, &gpu::flip(a, 0)], 0), axis = 0, return_index = true, return_inverse = true).2,
        "np.unique(np.concatenate((a, a[::-1])), axis=0, return_index=True)[1]" => gpu::unique!(&gpu::concatenate([a, &gpu::flip(a, 0)], 0), axis = 0, return_index = true).1,
        "np.unique(np.concatenate((a, a, a[:, :1]), 1), axis=1, return_counts=True)[1]" => gpu::unique!(&gpu::concatenate([a, a, &a.slice(s![.., ..1])], 1), axis = 1, return_counts = true).1,
        "np.unique(np.concatenate((a, a, a[:, :1]), 1), axis=1)" => gpu::unique!(&gpu::concatenate([a, a, &a.slice(s![.., ..1])], 1), axis = 1),
        "np.intersect1d(i, i[3:], return_indices=True)[1]" => gpu::intersect1d!(i, &i.slice(s![3..]), return_indices = true).1,
        "np.intersect1d(i, i[3:], return_indices=True)[2]" => gpu::intersect1d!(i, &i.slice(s![3..]), return_indices = true).2,
        "np.cov(a, bias=True)" => gpu::cov!(a, bias = true),
        "np.cov(b, b * b)" => gpu::cov!(b, &(b * b)),
        "np.cov(a, b, ddof=0)" => gpu::cov!(a, b, ddof = 0),
        "np.cov(a, rowvar=False, aweights=[1, 3])" => gpu::cov!(a, rowvar = false, aweights = &[1, 3]),
        "np.cov(a, fweights=[1, 2, 0])" => gpu::cov!(a, fweights = &gpu::array(&[1, 2, 0])),
        "np.cov(a, b, fweights=[1, 2, 2], aweights=[0.5, 1, 2])" => gpu::cov!(a, b, fweights = &[1, 2, 2], aweights = &[0.5, 1.0, 2.0]),
        "np.cov(a, fweights=[1, 2, 2], aweights=[0.5, 1, 2], ddof=0)" => gpu::cov!(a, fweights = &[1, 2, 2], aweights = &[0.5, 1.0, 2.0], ddof = 0),
        "np.corrcoef(b, b * b)" => gpu::corrcoef!(b, &(b * b)),
        "np.average(a, axis=0, weights=[1, 2], returned=True)[1]" => gpu::average!(a, axis = 0, weights = &[1, 2], returned = true).1,
        "np.average(a, returned=True)[1]" => gpu::average!(a, returned = true).1,
        "np.average(i, weights=[1, 1, 1, 1, 2])" => gpu::average!(i, weights = &gpu::array(&[1, 1, 1, 1, 2])),
        "np.std(a, axis=0, correction=1)" => gpu::std!(a, axis = 0, correction = 1),
        "np.nanvar(a, correction=2)" => gpu::nanvar!(a, correction = 2),
        "np.trace(a, offset=1)" => gpu::trace!(a, offset = 1),
        "np.trace(np.dstack((a, -a)), axis1=2, axis2=0)" => gpu::trace!(&gpu::dstack([a, &-a]), axis1 = 2, axis2 = 0),
        "np.diagonal(np.dstack((a, -a)), offset=-1, axis1=1, axis2=2)" => gpu::diagonal!(&gpu::dstack([a, &-a]), offset = -1, axis1 = 1, axis2 = 2),
        "np.diagonal(np.dstack((a, -a)))" => gpu::diagonal(&gpu::dstack([a, &-a])),
        "np.squeeze(a[:1, :1], axis=1)" => gpu::squeeze!(&a.slice(s![..1, ..1]), axis = 1),
        "np.angle(np.fft.fft(b), deg=True)" => gpu::angle!(&gpu::fft::fft(b), deg = true),
        "np.sort(a, axis=None)" => gpu::sort!(a, axis = None),
        "np.argsort(a, axis=None, kind='stable')" => gpu::argsort!(a, axis = None, kind = "stable"),
        "np.partition(a, 3, axis=None)[3]" => gpu::partition!(a, 3, axis = None).get(&[3]),
        "np.argpartition(a, 0, axis=None)[0]" => gpu::argpartition!(a, 0, axis = None).get(&[0]),
        "np.concatenate((a, a[:, :1]), axis=None)" => gpu::concatenate!((a, &a.slice(s![.., ..1])), axis = None),
        "np.searchsorted(i, [1, 2], sorter=np.argsort(i))" => gpu::searchsorted!(i, &gpu::array(&[1i64, 2]), sorter = &gpu::argsort(i)),
        "np.searchsorted(np.sort(b), 0.5, side='right')" => gpu::searchsorted!(&gpu::sort(b), 0.5, side = "right"),
        "np.take(i, [7, -9], mode='wrap')" => gpu::take!(i, [7, -9], mode = "wrap"),
        "np.take(a, [7, -9], axis=1, mode='clip')" => gpu::take!(a, [7, -9], axis = 1, mode = "clip"),
        "np.ravel_multi_index(([7, -1], [1, 4]), (2, 3), mode='wrap')" => gpu::ravel_multi_index!([[7, -1], [1, 4]], (2, 3), mode = "wrap"),
        "np.meshgrid(b, i, indexing='ij')[0]" => gpu::meshgrid!(b, &i.astype(), indexing = "ij").0,
        "np.meshgrid(b, i, sparse=True)[1]" => gpu::meshgrid!(b, &i.astype(), sparse = true).1,
        "np.meshgrid(b, i, indexing='ij', sparse=True)[1]" => gpu::meshgrid!(b, &i.astype(), indexing = "ij", sparse = true).1,
        "np.indices((2, 3), sparse=True)[1]" => gpu::indices!((2, 3), sparse = true)[1],
        "np.linspace(0, 1, 5, retstep=True)[1]" => gpu::linspace!(0.0, 1.0, 5, retstep = true).1,
        "np.linspace(0, 1, 5, endpoint=False, retstep=True)[1]" => gpu::linspace!(0.0, 1.0, 5, endpoint = false, retstep = true).1,
        "np.array([1, 2], ndmin=3)" => gpu::array!([1, 2], ndmin = 3),
        "np.full_like(i, 2.5, dtype=float)" => gpu::full_like!(i, 2.5, dtype = f64),
        "np.nanargmax(a, axis=1, keepdims=True)" => gpu::nanargmax!(a, axis = 1, keepdims = true),
        "np.nanargmin(a, keepdims=True)" => gpu::nanargmin!(a, keepdims = true),
        "np.ravel(a, order='F')" => gpu::ravel!(a, order = "F"),
        "np.reshape(a, (3, -1), order='F')" => gpu::reshape!(a, (3, -1), order = "F"),
        "np.moveaxis(np.dstack((a, -a)), [0, 1], [-1, -2])" => gpu::moveaxis(&gpu::dstack([a, &-a]), [0, 1], [-1, -2]),
        "np.pad(a, (1, 2))" => gpu::pad!(a, (1, 2)),
        "np.pad(a, ((0, 1), (2, 0)), mode='edge')" => gpu::pad!(a, ((0, 1), (2, 0)), mode = "edge"),
        "np.linalg.matrix_rank(a, tol=3)" => gpu::linalg::matrix_rank!(a, tol = 3),
        "np.linalg.matrix_rank(a, rtol=0.01)" => gpu::linalg::matrix_rank!(a, rtol = 0.01),
        "np.linalg.svd(a, compute_uv=False)" => gpu::linalg::svd!(a, compute_uv = false),
        "np.linalg.cholesky(a @ a.T, upper=True)" => gpu::linalg::cholesky!(&gpu::matmul(a, &a.t()), upper = true),
        "np.linalg.cond(a @ a.T, p=1)" => gpu::linalg::cond!(&gpu::matmul(a, &a.t()), p = 1),
        "np.linalg.cond(a, p=2)" => gpu::linalg::cond!(a, p = 2),
        "np.linalg.cond(a, p=-2)" => gpu::linalg::cond!(a, p = -2),
        "np.linalg.cond(a @ a.T, p='fro')" => gpu::linalg::cond!(&gpu::matmul(a, &a.t()), p = "fro");
    "Optional arguments about NaN":
        "np.array_equal(np.where(mask, a, np.nan), np.where(mask, a, np.nan), equal_nan=True)" => gpu::array_equal!(&gpu::where_(mask, a, f64::NAN), &gpu::where_(mask, a, f64::NAN), equal_nan = true);
    "More functions":
        "np.zeros_like(i)" => gpu::zeros_like(i),
        "np.ones_like(a, dtype='float32')" => gpu::ones_like!(a, dtype = f32),
        "np.full_like(b, 2.5)" => gpu::full_like(b, 2.5),
        "np.diag(b)" => gpu::diag(b),
        "np.diag(b, k=-1)" => gpu::diag!(b, k = -1),
        "np.diag(a, 1)" => gpu::diag!(a, 1),
        "np.triu(a)" => gpu::triu(a),
        "np.tril(a, k=1)" => gpu::tril!(a, k = 1),
        "np.isclose(a, a * 1.001, rtol=1e-2, atol=0)" => gpu::isclose!(a, &(a * 1.001), rtol = 1e-2, atol = 0.0),
        "np.array_equal(a, a)" => gpu::array_equal(a, a),
        "np.interp(a, np.sort(b), b)" => gpu::interp(a, &gpu::sort(b), b),
        "np.cov(a)" => gpu::cov(a),
        "np.cov(a, rowvar=False, ddof=0)" => gpu::cov!(a, rowvar = false, ddof = 0),
        "np.cov(b)" => gpu::cov(b),
        "np.corrcoef(a)" => gpu::corrcoef(a),
        "np.average(a)" => gpu::average(a),
        "np.partition(i, 2)[2]" => gpu::partition(i, 2).get(&[2]),
        "np.sort(i)[::-1][:2]" => gpu::topk(i, 2).0,
        "np.linalg.eigvalsh(a @ a.T, UPLO='U')" => gpu::linalg::eigvalsh!(&gpu::matmul(a, &a.t()), UPLO = "U");
    "Distributions (of parameters for which the numbers are not random, or of sizes)":
        "np.random.standard_normal((2, 3)).shape[1]" => gpu::random::standard_normal((2, 3)).shape()[1],
        "np.random.randn(2, 3).shape[1]" => gpu::random::randn((2, 3)).shape()[1],
        "np.random.rand(2, 3).shape[1]" => gpu::random::rand((2, 3)).shape()[1],
        "np.random.random_sample(4).size" => gpu::random::random_sample(4).size(),
        "np.random.ranf(4).size" => gpu::random::ranf(4).size(),
        "np.random.sample(4).size" => gpu::random::sample(4).size(),
        "np.random.randint(3, 4, 4)" => gpu::random::randint(3, 4, 4),
        "len(np.random.bytes(4))" => gpu::random::bytes(4).size(),
        "np.random.standard_exponential(4).size" => gpu::random::standard_exponential(4).size(),
        "np.random.standard_cauchy(4).size" => gpu::random::standard_cauchy(4).size(),
        "np.random.laplace(1, 0, 4)" => gpu::random::laplace(1.0, 0.0, 4),
        "np.random.logistic(1, 0, 4)" => gpu::random::logistic(1.0, 0.0, 4),
        "np.random.gumbel(1, 0, 4)" => gpu::random::gumbel(1.0, 0.0, 4),
        "np.random.lognormal(0, 0, 4)" => gpu::random::lognormal(0.0, 0.0, 4),
        "np.random.pareto(3, 4).size" => gpu::random::pareto(3.0, 4).size(),
        "np.random.power(3, 4).size" => gpu::random::power(3.0, 4).size(),
        "np.random.rayleigh(0, 4)" => gpu::random::rayleigh(0.0, 4),
        "np.random.triangular(0, 1, 2, 4).size" => gpu::random::triangular(0.0, 1.0, 2.0, 4).size(),
        "np.random.weibull(0, 4)" => gpu::random::weibull(0.0, 4),
        "np.random.wald(1, 2, 4).size" => gpu::random::wald(1.0, 2.0, 4).size(),
        "np.random.vonmises(0, 1, 4).size" => gpu::random::vonmises(0.0, 1.0, 4).size(),
        "np.random.standard_gamma(0, 4)" => gpu::random::standard_gamma(0.0, 4),
        "np.random.gamma(2, scale=0, size=4)" => gpu::random::gamma!(2.0, scale = 0.0, size = 4),
        "np.random.gamma(abs(b), 0)" => gpu::random::gamma(b.abs(), 0.0, ()),
        "np.random.chisquare(3, 4).size" => gpu::random::chisquare(3.0, 4).size(),
        "np.random.noncentral_chisquare(3, 1, 4).size" => gpu::random::noncentral_chisquare(3.0, 1.0, 4).size(),
        "np.random.f(3, 4, 5).size" => gpu::random::f(3.0, 4.0, 5).size(),
        "np.random.noncentral_f(3, 4, 1, 5).size" => gpu::random::noncentral_f(3.0, 4.0, 1.0, 5).size(),
        "np.random.beta(2, 3, 4).size" => gpu::random::beta(2.0, 3.0, 4).size(),
        "np.random.standard_t(3, 4).size" => gpu::random::standard_t(3.0, 4).size(),
        "np.random.dirichlet([2, 3], 4).shape[1]" => gpu::random::dirichlet(&gpu::array(&[2.0, 3.0]), 4).shape()[1],
        "np.random.poisson(0, 4)" => gpu::random::poisson(0.0, 4),
        "np.random.poisson(lam=0, size=(2, 3))" => gpu::random::poisson!(lam = 0.0, size = (2, 3)),
        "np.random.binomial(5, 1, 4)" => gpu::random::binomial(5, 1.0, 4),
        "np.random.binomial(i, 1)" => gpu::random::binomial(i, 1.0, ()),
        "np.random.negative_binomial(3, 1, 4)" => gpu::random::negative_binomial(3.0, 1.0, 4),
        "np.random.geometric(1, 4)" => gpu::random::geometric(1.0, 4),
        "np.random.logseries(0, 4)" => gpu::random::logseries(0.0, 4),
        "np.random.zipf(3, 4).size" => gpu::random::zipf(3.0, 4).size(),
        "np.random.hypergeometric(5, 0, 3, 4)" => gpu::random::hypergeometric(5, 0, 3, 4),
        "np.random.multinomial(9, [0, 1], 2)" => gpu::random::multinomial(9, &gpu::array(&[0.0, 1.0]), 2),
        "np.random.multivariate_normal([0, 0], np.eye(2), 4).shape[1]" => gpu::random::multivariate_normal(&gpu::zeros::<f64>(2), &gpu::eye::<f64>(2), 4).shape()[1],
        "np.random.multivariate_normal([1, 2], np.zeros((2, 2)), 4)" => gpu::random::multivariate_normal(&gpu::array(&[1.0, 2.0]), &gpu::zeros::<f64>((2, 2)), 4),
        "np.random.choice(i, 4, p=[0, 0, 1, 0, 0])" => gpu::random::choice!(i, 4, p = &gpu::array(&[0.0, 0.0, 1.0, 0.0, 0.0])),
        "np.random.default_rng(1).spawn(3)[2].poisson(0, 4)" => gpu::random::default_rng(1).spawn(3)[2].poisson(0.0, 4);
    "Second names of functions":
        "np.absolute(a)" => gpu::absolute(a),
        "np.fabs(a)" => gpu::fabs(a),
        "np.arcsin(b / 2)" => gpu::arcsin(&(b / 2.0)),
        "np.arccos(b / 2)" => gpu::arccos(&(b / 2.0)),
        "np.arctan(a)" => gpu::arctan(a),
        "np.arctan2(a, b)" => gpu::arctan2(a, b),
        "np.arcsinh(a)" => gpu::arcsinh(a),
        "np.arccosh(abs(a) + 1)" => gpu::arccosh(&(a.abs() + 1.0)),
        "np.arctanh(b / 4)" => gpu::arctanh(&(b / 4.0)),
        "np.amax(a)" => gpu::amax(a),
        "np.amin(a, axis=0)" => gpu::amin!(a, axis = 0),
        "np.around(a)" => gpu::around(a),
        "np.round(a / 7, decimals=2)" => gpu::round!(&(a / 7.0), decimals = 2),
        "np.around(a * 7, -1)" => gpu::around!(&(a * 7.0), -1),
        "np.around(i * 25, decimals=-1)" => gpu::around!(&(i * 25), decimals = -1),
        "np.conjugate(np.fft.fft(b)).imag" => gpu::conjugate(&gpu::fft::fft(b)).imag(),
        "np.deg2rad(a)" => gpu::deg2rad(a),
        "np.rad2deg(a)" => gpu::rad2deg(a),
        "np.isnan(a)" => gpu::isnan(a),
        "np.isinf(a)" => gpu::isinf(a),
        "np.isfinite(a)" => gpu::isfinite(a),
        "np.mod(a, b)" => gpu::modulo(a, b),
        "np.fmod(a, b)" => gpu::fmod(a, b),
        "np.power(abs(a), b)" => gpu::power(&a.abs(), b),
        "np.true_divide(i, 2)" => gpu::true_divide(i, 2),
        "np.positive(a)" => gpu::positive(a),
        "np.negative(a)" => gpu::negative(a),
        "np.rint(a / 4)" => gpu::rint(&(a / 4.0)),
        "np.fix(a / 4)" => gpu::fix(&(a / 4.0)),
        "np.subtract(a, b)" => gpu::subtract(a, b),
        "np.multiply(a, b)" => gpu::multiply(a, b),
        "np.divide(a, b)" => gpu::divide(a, b),
        "np.equal(a, b)" => gpu::equal(a, b),
        "np.less(a, b)" => gpu::less(a, b),
        "np.greater(a, b)" => gpu::greater(a, b),
        "np.greater_equal(a, 4)" => gpu::greater_equal(a, 4.0),
        "np.invert(i)" => gpu::invert(i),
        "np.bitwise_invert(mask)" => gpu::bitwise_invert(mask),
        "np.bitwise_left_shift(i, 2)" => gpu::bitwise_left_shift(i, 2),
        "np.bitwise_right_shift(i, 1)" => gpu::bitwise_right_shift(i, 1),
        "np.cumulative_sum(b)" => gpu::cumulative_sum(b),
        "np.cumulative_sum(a, axis=-2, include_initial=True)" => gpu::cumulative_sum!(a, axis = -2, include_initial = true),
        "np.cumulative_prod(i, dtype='float64', include_initial=True)" => gpu::cumulative_prod!(i, dtype = f64, include_initial = true);
    "More functions of elements":
        "np.float_power(i, 0.5)" => gpu::float_power(&i.astype::<f32>(), 0.5),
        "np.divmod(a, b)[0]" => gpu::divmod(a, b).0,
        "np.divmod(i, -2)[1]" => gpu::divmod(i, -2).1,
        "np.fmax(np.where(mask, a, np.nan), b)" => gpu::fmax(&gpu::where_(mask, a, f64::NAN), b),
        "np.fmin(np.where(mask, a, np.nan), -1)" => gpu::fmin(&gpu::where_(mask, a, f64::NAN), -1.0),
        "np.fmax(1, np.where(mask, np.nan, a))" => gpu::fmax(&gpu::where_(mask, f64::NAN, a), 1.0),
        "np.sinc(a / 4)" => gpu::sinc(&(a / 4.0)),
        "np.heaviside(a - 4, 0.25)" => gpu::heaviside(&(a - 4.0), 0.25),
        "np.heaviside(np.array([-1, 0, np.nan]), b)" => gpu::heaviside(&gpu::array(&[-1.0, 0.0, f64::NAN]), b),
        "np.logaddexp(a, b)" => gpu::logaddexp(a, b),
        "np.logaddexp(np.array([np.inf, -np.inf, 800]), np.array([[np.inf], [-np.inf], [800]]))" => gpu::logaddexp(&gpu::array(&[f64::INFINITY, -f64::INFINITY, 800.0]), &gpu::array(&[[f64::INFINITY], [-f64::INFINITY], [800.0]])),
        "np.logaddexp2(a, b)" => gpu::logaddexp2(a, b),
        "np.nan_to_num(b / np.zeros(3)) / 1e308" => gpu::nan_to_num(&(b / gpu::zeros::<f64>(3))) / 1e308,
        "np.nan_to_num(np.log(b), nan=3)" => gpu::nan_to_num!(&b.log(), nan = 3.0),
        "np.modf(a / 4)[0]" => gpu::modf(&(a / 4.0)).0,
        "np.modf(np.array([np.inf, -2.5, np.nan]))[0]" => gpu::modf(&gpu::array(&[f64::INFINITY, -2.5, f64::NAN])).0,
        "np.modf(np.array([np.inf, -2.5, np.nan]))[1]" => gpu::modf(&gpu::array(&[f64::INFINITY, -2.5, f64::NAN])).1,
        "np.nextafter(a, b)" => gpu::nextafter(a, b),
        "np.nextafter(np.array([0, -0.0, np.inf, np.nan, -1]), -np.inf)" => gpu::nextafter(&gpu::array(&[0.0, -0.0, f64::INFINITY, f64::NAN, -1.0]), -f64::INFINITY),
        "np.signbit(a * 0)" => gpu::signbit(&(a * 0.0)),
        "np.isposinf(1 / (b - 2))" => gpu::isposinf(&(1.0 / (b - 2.0))),
        "np.isneginf(np.log(b - 2 + abs(b - 2)))" => gpu::isneginf(&(b - 2.0 + (b - 2.0).abs()).log()),
        "np.isreal(np.fft.fft(b))" => gpu::isreal(&gpu::fft::fft(b)),
        "np.iscomplex(np.fft.fft(b))" => gpu::iscomplex(&gpu::fft::fft(b)),
        "np.iscomplex(a)" => gpu::iscomplex(a),
        "np.iscomplexobj(np.fft.fft(b))" => gpu::iscomplexobj(&gpu::fft::fft(b)),
        "np.iscomplexobj(2.5)" => gpu::iscomplexobj(&2.5),
        "np.isrealobj(a)" => gpu::isrealobj(a),
        "np.isrealobj(np.fft.fft(b))" => gpu::isrealobj(&gpu::fft::fft(b)),
        "np.isscalar(2.5)" => gpu::isscalar(&2.5),
        "np.isscalar('text')" => gpu::isscalar("text"),
        "np.isscalar(a)" => gpu::isscalar(a),
        "np.array_equiv(a, a[:1])" => gpu::array_equiv(a, &a.slice(s![..1, ..])),
        "np.array_equiv(b, np.stack((b, b)))" => gpu::array_equiv(b, &gpu::stack([b, b], 0)),
        "np.gcd(i * 4, 6)" => gpu::gcd(&(i * 4), 6),
        "np.gcd(np.array([12, -18, 0, 7]), np.array([[8], [0], [-21]]))" => gpu::gcd(&gpu::array(&[12, -18, 0, 7]), &gpu::array(&[[8], [0], [-21]])),
        "np.lcm(i, 4)" => gpu::lcm(i, 4),
        "np.i0(a * 8)" => gpu::i0(&(a * 8.0)),
        "np.frexp(a / 3)[0]" => gpu::frexp(&(a / 3.0)).0,
        "np.frexp(a / 3)[1]" => gpu::frexp(&(a / 3.0)).1,
        "np.frexp(np.array([0, np.inf, np.nan, -5e-324]))[0]" => gpu::frexp(&gpu::array(&[0.0, f64::INFINITY, f64::NAN, -5e-324])).0,
        "np.frexp(np.array([0, -5e-324, 1e-310]))[1]" => gpu::frexp(&gpu::array(&[0.0, -5e-324, 1e-310])).1,
        "np.ldexp(b, [3, -1, 0])" => gpu::ldexp(b, &gpu::array(&[3, -1, 0])),
        "np.ldexp(np.array([1.7e308, 5e-324, 1, 1.3, 1.3]), [-2097, 2097, 1024, -1060, -5000])" => gpu::ldexp(&gpu::array(&[1.7e308, 5e-324, 1.0, 1.3, 1.3]), &gpu::array(&[-2097, 2097, 1024, -1060, -5000])),
        "np.bitwise_count(i * 37 - 50)" => gpu::bitwise_count(&(i * 37 - 50)),
        "np.cross(a, b)" => gpu::cross(a, b),
        "np.cross(a.T, b, axisa=0, axisc=0)" => gpu::cross!(&a.t(), b, axisa = 0, axisc = 0),
        "np.ediff1d(a)" => gpu::ediff1d(a),
        "np.ediff1d(i, to_end=[7, 8], to_begin=9)" => gpu::ediff1d!(i, to_end = &gpu::array(&[7i64, 8]), to_begin = &gpu::array(&[9i64]));
    "Reductions without NaN":
        "np.nansum(np.where(mask, a, np.nan))" => gpu::nansum(&gpu::where_(mask, a, f64::NAN)),
        "np.nansum(np.where(mask, a, np.nan), axis=-1, keepdims=True)" => gpu::nansum!(&gpu::where_(mask, a, f64::NAN), axis = -1, keepdims = true),
        "np.nansum(a, 1, initial=10, where=mask)" => gpu::nansum!(a, 1, initial = 10.0, where = mask),
        "np.nansum(i)" => gpu::nansum(i),
        "np.nanprod(np.where(mask, a, np.nan))" => gpu::nanprod(&gpu::where_(mask, a, f64::NAN)),
        "np.nanprod(np.where(mask, a, np.nan), axis=0)" => gpu::nanprod!(&gpu::where_(mask, a, f64::NAN), axis = 0),
        "np.nanmax(np.where(mask, a, np.nan))" => gpu::nanmax(&gpu::where_(mask, a, f64::NAN)),
        "np.nanmax(np.where(mask, a, np.nan), axis=0)" => gpu::nanmax!(&gpu::where_(mask, a, f64::NAN), axis = 0),
        "np.nanmin(np.where(mask, a, np.nan), axis=(0, 1))" => gpu::nanmin!(&gpu::where_(mask, a, f64::NAN), axis = (0, 1)),
        "np.nanmin(np.where(a > 0, np.nan, a), axis=1)" => gpu::nanmin!(&gpu::where_(&a.gt(0.0), f64::NAN, a), axis = 1),
        "np.nanmin(i)" => gpu::nanmin(i),
        "np.nanmean(np.where(mask, a, np.nan))" => gpu::nanmean(&gpu::where_(mask, a, f64::NAN)),
        "np.nanmean(np.where(mask, np.nan, a), axis=0)" => gpu::nanmean!(&gpu::where_(mask, f64::NAN, a), axis = 0),
        "np.nanmean(a, axis=0, where=mask)" => gpu::nanmean!(a, axis = 0, where = mask),
        "np.nanmean(i)" => gpu::nanmean(i),
        "np.nanvar(np.where(mask, a, np.nan))" => gpu::nanvar(&gpu::where_(mask, a, f64::NAN)),
        "np.nanvar(np.where(mask, a, np.nan), axis=0, ddof=1)" => gpu::nanvar!(&gpu::where_(mask, a, f64::NAN), axis = 0, ddof = 1),
        "np.nanstd(np.where(mask, a, np.nan), axis=1, keepdims=True)" => gpu::nanstd!(&gpu::where_(mask, a, f64::NAN), axis = 1, keepdims = true),
        "np.nanstd(i)" => gpu::nanstd(i),
        "np.nanmedian(np.where(mask, a, np.nan))" => gpu::nanmedian(&gpu::where_(mask, a, f64::NAN)),
        "np.nanmedian(np.where(mask, a, np.nan), axis=0)" => gpu::nanmedian!(&gpu::where_(mask, a, f64::NAN), axis = 0),
        "np.nanmedian(np.where(mask, a, np.nan), axis=-1, keepdims=True)" => gpu::nanmedian!(&gpu::where_(mask, a, f64::NAN), axis = -1, keepdims = true),
        "np.nanmedian(i)" => gpu::nanmedian(i),
        "np.nancumsum(np.where(mask, a, np.nan))" => gpu::nancumsum(&gpu::where_(mask, a, f64::NAN)),
        "np.nancumsum(np.where(mask, a, np.nan), axis=0)" => gpu::nancumsum!(&gpu::where_(mask, a, f64::NAN), axis = 0),
        "np.nancumprod(np.where(mask, a, np.nan), axis=-1)" => gpu::nancumprod!(&gpu::where_(mask, a, f64::NAN), axis = -1),
        "np.ptp(a)" => gpu::ptp(a),
        "np.ptp(a, axis=0)" => gpu::ptp!(a, axis = 0),
        "np.ptp(i)" => gpu::ptp(i);
    "Derivatives, integrals, polynomials and windows":
        "np.gradient(b)" => gpu::gradient(b)[0],
        "np.gradient(a)[0]" => gpu::gradient(a)[0],
        "np.gradient(i, 0.5)" => gpu::gradient!(i, 0.5, axis = 0),
        "np.gradient(a, axis=-1, edge_order=2)" => gpu::gradient!(a, axis = -1, edge_order = 2),
        "np.gradient(a, np.array([0, 1, 3]), axis=1)" => gpu::gradient!(a, &gpu::array(&[0.0, 1.0, 3.0]), axis = 1),
        "np.gradient(i, np.array([0, 1, 3, 4, 8]), edge_order=2)" => gpu::gradient!(i, &gpu::array(&[0.0, 1.0, 3.0, 4.0, 8.0]), axis = 0, edge_order = 2),
        "np.gradient(a, 0.5, np.array([0, 1, 3]))[1]" => gpu::gradient!(a, (0.5, &gpu::array(&[0.0, 1.0, 3.0])))[1],
        "np.gradient(a, axis=(1, 0))[1]" => gpu::gradient!(a, axis = (1, 0))[1],
        "np.trapezoid(a)" => gpu::trapezoid(a),
        "np.trapezoid(a, dx=0.5, axis=0)" => gpu::trapezoid!(a, dx = 0.5, axis = 0),
        "np.trapezoid(a, np.array([0, 1, 3]))" => gpu::trapezoid!(a, &gpu::array(&[0.0, 1.0, 3.0])),
        "np.trapezoid(a, a * a, axis=0)" => gpu::trapezoid!(a, x = &(a * a), axis = 0),
        "np.trapezoid(i)" => gpu::trapezoid(i),
        "np.unwrap(a * 3)" => gpu::unwrap(&(a * 3.0)),
        "np.unwrap(a * 3, axis=0, period=5)" => gpu::unwrap!(&(a * 3.0), axis = 0, period = 5.0),
        "np.unwrap(a * 3, discont=7)" => gpu::unwrap!(&(a * 3.0), discont = 7.0),
        "np.apply_along_axis(np.sort, 0, a)" => gpu::apply_along_axis(|column| gpu::sort(&column), 0, a),
        "np.apply_along_axis(np.diag, -1, a)" => gpu::apply_along_axis(|row| gpu::diag(&row), -1, a),
        "np.apply_along_axis(np.sum, 1, a)" => gpu::apply_along_axis(|row| row.sum_axis(0), 1, a),
        "np.apply_over_axes(np.sum, a, (0, -1))" => gpu::apply_over_axes(|a, axis| a.sum_axis(axis), a, (0, -1)),
        "np.maximum.accumulate(a, 0)" => gpu::ufunc::accumulate(|x, y| x.maximum(y), a, 0),
        "np.minimum.accumulate(a, -1)" => gpu::ufunc::accumulate(|x, y| x.minimum(y), a, -1),
        "np.logical_xor.accumulate(mask, 1)" => gpu::ufunc::accumulate(|x, y| x ^ y, mask, 1),
        "np.bitwise_or.reduce(i)" => gpu::ufunc::reduce(|x, y| x | y, i, 0),
        "np.logical_xor.reduce(mask, 1)" => gpu::ufunc::reduce(|x, y| x ^ y, mask, 1),
        "np.hypot.reduce(a, 1)" => gpu::ufunc::reduce(|x, y| x.hypot(y), a, 1),
        "np.gcd.reduce(12 * i)" => gpu::ufunc::reduce(|x, y| gpu::gcd(x, y), &(i * 12), 0),
        "np.add.reduceat(a, [0, 2, 1], 1)" => gpu::ufunc::reduceat(|x, y| x + y, a, &[0, 2, 1], 1),
        "np.maximum.reduceat(b, [0, 1])" => gpu::ufunc::reduceat(|x, y| x.maximum(y), b, &[0, 1], 0),
        "np.subtract.outer(a, b)" => gpu::ufunc::outer(|x, y| x - y, a, b),
        "np.less_equal.outer(b, a)" => gpu::ufunc::outer(|x, y| x.le(y), b, a),
        "np.piecewise(a, [a < 0, a > 3], [lambda x: -x, lambda x: x * 10, 1])" => gpu::piecewise(a, &[&a.lt(0.0), &a.gt(3.0)], &[&|x| -x, &|x| x * 10.0, &|_| gpu::full((), 1.0)]),
        "np.poly(b)" => gpu::poly(b),
        "np.polyval(b, a)" => gpu::polyval(b, a),
        "np.polyval(i, 2 * i)" => gpu::polyval(i, &(i * 2)),
        "np.polyadd(b, a[0, :2])" => gpu::polyadd(b, &a.slice(s![0, ..2])),
        "np.polysub(a[0, :2], b)" => gpu::polysub(&a.slice(s![0, ..2]), b),
        "np.polymul(i - 3, b)" => gpu::polymul(&(i - 3).astype::<f64>(), b),
        "np.polyfit([0, 1, 2, 3, 4], i, 1)" => gpu::polyfit(&gpu::arange(5i64), i, 1),
        "np.polyfit(b, a.T, 1)" => gpu::polyfit(b, &a.t(), 1),
        "np.polyfit([0, 1, 2, 3, 4], i, 2, w=i + 1)" => gpu::polyfit!(&gpu::arange(5i64), i, 2, w = &(i + 1).astype::<f64>()),
        "np.poly([[1, 2], [3, 4]])" => gpu::poly(&gpu::array(&[[1.0, 2.0], [3.0, 4.0]])),
        "np.sort(np.roots([1, -6, 11, -6]).real)" => gpu::sort(&gpu::roots(&gpu::array(&[1.0, -6.0, 11.0, -6.0])).real()),
        "np.sort(np.roots([0, 2, 0, 8, 0]).imag)" => gpu::sort(&gpu::roots(&gpu::array(&[0, 2, 0, 8, 0])).imag()),
        "np.polydiv(i, b)[0]" => gpu::polydiv(&i.astype::<f64>(), b).0,
        "np.polydiv(i, b)[1]" => gpu::polydiv(&i.astype::<f64>(), b).1,
        "np.polyder(i)" => gpu::polyder(i),
        "np.polyder(b, m=2)" => gpu::polyder!(b, m = 2),
        "np.polyint(i)" => gpu::polyint(i),
        "np.polyint(b, m=2, k=[1, 2])" => gpu::polyint!(b, m = 2, k = [1.0, 2.0]),
        "np.poly1d([0, 0, 5, 1]).c" => gpu::poly1d(&gpu::array(&[0, 0, 5, 1])).c(),
        "np.poly1d(b).order" => gpu::poly1d(b).order(),
        "np.poly1d(b)(a)" => gpu::poly1d(b).eval(a),
        "np.poly1d(b)(2)" => gpu::poly1d(b).eval(2.0),
        "np.poly1d(b)[1]" => gpu::poly1d(b).get(1),
        "np.poly1d(b)(np.poly1d([1, 1])).c" => gpu::poly1d(b).eval(&gpu::poly1d(&gpu::array(&[1.0, 1.0]))).c(),
        "np.sort(np.poly1d([1, 0, -4]).r.real)" => gpu::sort(&gpu::poly1d(&gpu::array(&[1.0, 0.0, -4.0])).r().real()),
        "np.poly1d([1, 2], r=True).coeffs" => gpu::poly1d!(&gpu::array(&[1.0, 2.0]), r = true).coeffs(),
        "(np.poly1d(b) + np.poly1d([1, 2])).c" => (gpu::poly1d(b) + gpu::poly1d(&gpu::array(&[1.0, 2.0]))).c(),
        "(2 - np.poly1d(b) * np.poly1d([1, 2])).c" => (2.0 - gpu::poly1d(b) * gpu::poly1d(&gpu::array(&[1.0, 2.0]))).c(),
        "(np.poly1d(b) / np.poly1d([1, 2]))[1].c" => (gpu::poly1d(b) / gpu::poly1d(&gpu::array(&[1.0, 2.0]))).1.c(),
        "(np.poly1d(b) ** 3).c" => gpu::poly1d(b).powi(3).c(),
        "np.poly1d(b).deriv().c" => gpu::poly1d(b).deriv().c(),
        "np.poly1d(b).integ(k=3).c" => gpu::poly1d(b).integ_with(1, [3.0]).c(),
        "len(str(np.poly1d(b)))" => gpu::poly1d(b).to_string().len(),
        "np.polynomial.polyutils.as_series([b, [0, 0]])[1]" => gpu::as_series([b, &gpu::zeros(2)])[1],
        "np.polynomial.polyutils.as_series([i], trim=False)[0]" => gpu::as_series!([i], trim = false)[0],
        "np.polynomial.polynomial.polyvander(a, 3)" => gpu::polyvander(a, 3),
        "np.polynomial.polynomial.polyvalfromroots(a, b)" => gpu::polyvalfromroots(a, b),
        "np.polynomial.polynomial.polyvalfromroots(b, a)" => gpu::polyvalfromroots(b, a),
        "np.polynomial.polynomial.polycompanion([1, 2, 3, 4, 0])" => gpu::polycompanion(&gpu::array(&[1.0, 2.0, 3.0, 4.0, 0.0])),
        "np.polynomial.polyutils.trimcoef([0, 2, 0.01, -0.01], tol=0.1)" => gpu::trimcoef!(&gpu::array(&[0.0, 2.0, 0.01, -0.01]), tol = 0.1),
        "np.polynomial.polyutils.trimcoef([0, 0])" => gpu::trimcoef(&gpu::array(&[0.0, 0.0])),
        "np.polynomial.polyutils.trimseq([0, 2, 0, 0])" => gpu::trimseq(&gpu::array(&[0.0, 2.0, 0.0, 0.0])),
        "np.bartlett(7)" => gpu::bartlett(7),
        "np.blackman(8)[1:]" => gpu::blackman(8).slice(s![1..]),
        "np.hamming(7)" => gpu::hamming(7),
        "np.hanning(8)" => gpu::hanning(8),
        "np.hanning(1)" => gpu::hanning(1),
        "np.kaiser(12, 14)" => gpu::kaiser(12, 14.0),
        "np.linalg.tensorinv(np.kron(np.eye(3), [[1, 2], [3, 4]]).reshape(6, 2, 3), ind=1)" => gpu::linalg::tensorinv!(&gpu::kron(&gpu::eye(3), &gpu::array(&[[1.0, 2.0], [3.0, 4.0]])).reshape((6, 2, 3)), ind = 1),
        "np.linalg.tensorsolve(np.eye(6).reshape(2, 3, 6) + 1, a)" => gpu::linalg::tensorsolve(&(gpu::eye::<f64>(6).reshape((2, 3, 6)) + 1.0), a),
        "np.linalg.tensorsolve(np.eye(6).reshape(2, 3, 6) + 1, np.arange(6.0), axes=(0, 1))" => gpu::linalg::tensorsolve!(&(gpu::eye::<f64>(6).reshape((2, 3, 6)) + 1.0), &gpu::arange(6.0), axes = (0, 1));
    "More arrays":
        "np.identity(3)" => gpu::identity::<f64>(3),
        "np.eye(2, 3, k=1)" => gpu::eye!(2, 3, k = 1),
        "np.eye(3, k=-2, dtype='float32')" => gpu::eye!(3, k = -2, dtype = f32),
        "np.logspace(0, 2, 5)" => gpu::logspace(0.0, 2.0, 5),
        "np.logspace(0, 3, 4, endpoint=False, base=2)" => gpu::logspace!(0.0, 3.0, 4, endpoint = false, base = 2.0),
        "np.geomspace(1, 1000, 4)" => gpu::geomspace(1.0, 1000.0, 4),
        "np.geomspace(-1, -8, 3, endpoint=False)" => gpu::geomspace!(-1.0, -8.0, 3, endpoint = false),
        "np.tri(3)" => gpu::tri::<f64>(3),
        "np.tri(2, 4, k=-1)" => gpu::tri!(2, 4, k = -1),
        "np.vander(b)" => gpu::vander(b),
        "np.vander(i, 3, increasing=True)" => gpu::vander!(i, 3, increasing = true),
        "np.diagflat(a)" => gpu::diagflat(a),
        "np.diagflat(b, k=-1)" => gpu::diagflat!(b, k = -1),
        "np.indices((2, 3))" => gpu::indices((2, 3)),
        "np.mgrid[0:2, 0:3]" => gpu::mgrid([0..2, 0..3]),
        "np.mgrid[0:1:0.25, 2:1:-0.5]" => gpu::mgrid([(0.0, 1.0, 0.25), (2.0, 1.0, -0.5)]),
        "np.ogrid[0:2, 0:3][1]" => gpu::ogrid([0..2, 0..3])[1],
        "np.fromfunction(lambda i, j: 10 * i + j, (2, 3))" => gpu::fromfunction(|[i, j]| i * 10.0 + j, [2, 3]),
        "np.frombuffer(bytes([1, 2, 3]), dtype='uint8', offset=1)" => gpu::frombuffer!(&[1, 2, 3], dtype = u8, offset = 1),
        "np.fromstring('1.5, 2, -3', sep=',')" => gpu::fromstring::<f64>("1.5, 2, -3", ","),
        "np.fromstring('1 2 3', dtype=int, count=2, sep=' ')" => gpu::fromstring!("1 2 3", dtype = i64, count = 2, sep = " "),
        "np.ascontiguousarray(a.T)" => gpu::ascontiguousarray(&a.t()),
        "np.asfortranarray(a)" => gpu::asfortranarray(a);
    "Cutting and rearranging" and f32:
        "np.append(a, b)" => gpu::append(a, b),
        "np.append(b, 7)" => gpu::append(b, 7.0),
        "np.append(a, a, axis=1)" => gpu::append!(a, a, axis = 1),
        "np.concat((a, a))" => gpu::concat([a, a], 0),
        "np.concat((a, a), axis=1)" => gpu::concat([a, a], 1),
        "np.array_split(a, 2, axis=1)[0]" => gpu::array_split!(a, 2, axis = 1)[0],
        "np.array_split(b, 5)[4]" => gpu::array_split(b, 5)[4],
        "np.split(a, [1, -1], axis=1)[1]" => gpu::split(a, [1, -1], 1)[1],
        "np.split(b, [2, 9])[2]" => gpu::split!(b, [2, 9])[2],
        "np.hsplit(a, 3)[1]" => gpu::hsplit(a, 3)[1],
        "np.vsplit(a, 2)[1]" => gpu::vsplit(a, 2)[1],
        "np.dsplit(np.dstack((a, -a)), 2)[1]" => gpu::dsplit(&gpu::dstack([a, &-a]), 2)[1],
        "np.atleast_1d(b[0])" => gpu::atleast_1d(&b.slice(s![0])),
        "np.atleast_2d(b)" => gpu::atleast_2d(b),
        "np.atleast_3d(b)" => gpu::atleast_3d(b),
        "np.atleast_3d(a)" => gpu::atleast_3d(a),
        "np.broadcast_arrays(a, b)[1]" => gpu::broadcast_arrays([a, b])[1],
        "np.column_stack((b, a.T))" => gpu::column_stack([b, &a.t()]),
        "np.dstack((b, b))" => gpu::dstack([b, b]),
        "np.delete(a, 1)" => gpu::delete(a, 1),
        "np.delete(a, [0, -1, 0], axis=1)" => gpu::delete!(a, [0, -1, 0], axis = 1),
        "np.delete(a, i[1:2], axis=-1)" => gpu::delete!(a, &i.slice(s![1..2]), axis = -1),
        "np.insert(a, 1, 9)" => gpu::insert(a, 1, 9.0),
        "np.insert(a, 1, b[:2], axis=1)" => gpu::insert!(a, 1, &b.slice(s![..2]), axis = 1),
        "np.insert(a, [0, 3, 0], b, axis=1)" => gpu::insert!(a, [0, 3, 0], b, axis = 1),
        "np.insert(a, -1, b, axis=0)" => gpu::insert!(a, -1, b, axis = 0),
        "np.insert(a, [1], b[1:, None], axis=1)" => gpu::insert!(a, [1], &b.slice(s![1..]).expand_dims(1), axis = 1),
        "np.insert(b, i, 0)" => gpu::insert(b, i, 0.0),
        "np.fliplr(a)" => gpu::fliplr(a),
        "np.flipud(a)" => gpu::flipud(a),
        "np.rot90(a)" => gpu::rot90(a),
        "np.rot90(a, k=-1)" => gpu::rot90!(a, k = -1),
        "np.rot90(np.dstack((a, -a)), 2, (1, 2))" => gpu::rot90!(&gpu::dstack([a, &-a]), 2, (1, 2)),
        "np.resize(a, (2, 5))" => gpu::resize(a, (2, 5)),
        "np.resize(a, 4)" => gpu::resize(a, 4),
        "np.rollaxis(np.dstack((a, -a)), 2)" => gpu::rollaxis(&gpu::dstack([a, &-a]), 2),
        "np.rollaxis(np.dstack((a, -a)), 0, 2)" => gpu::rollaxis!(&gpu::dstack([a, &-a]), 0, 2),
        "np.rollaxis(np.dstack((a, -a)), -1, -2)" => gpu::rollaxis!(&gpu::dstack([a, &-a]), -1, start = -2),
        "np.matrix_transpose(np.dstack((a, -a)))" => gpu::matrix_transpose(&gpu::dstack([a, &-a])),
        "np.permute_dims(a, (1, 0))" => gpu::permute_dims(a, (1, 0)),
        "np.trim_zeros(np.append([0, 0], np.append(b, 0)))" => gpu::trim_zeros(&gpu::pad(b, [(2, 1)], Pad::Constant(0.0))),
        "np.trim_zeros(np.pad(b, 1), 'b')" => gpu::trim_zeros!(&gpu::pad!(b, 1), "b"),
        "np.trim_zeros(np.pad(a, 2))" => gpu::trim_zeros(&gpu::pad!(a, 2)),
        "np.lib.stride_tricks.sliding_window_view(b, 2)" => gpu::sliding_window_view(b, 2),
        "np.lib.stride_tricks.sliding_window_view(a, (2, 2))" => gpu::sliding_window_view(a, (2, 2)),
        "np.lib.stride_tricks.sliding_window_view(a, 2, axis=-1).sum(-1)" => gpu::sliding_window_view!(a, 2, axis = -1).sum_axis(-1);
    "Choosing and writing":
        "np.choose(i % 2, [i, -i])" => gpu::choose(&i.modulo(2), [i, &-i]),
        "np.choose(i[1:4] % 2, [b, 7])" => gpu::choose(&i.slice(s![1..4]).modulo(2), [b, &gpu::full((), 7.0)]),
        "np.choose(i - 1, [10, 20], mode='clip')" => gpu::choose!(&(i - 1), [10, 20], mode = "clip"),
        "np.choose(i - 1, [10, 20, 30], mode='wrap')" => gpu::choose!(&(i - 1), [10, 20, 30], mode = "wrap"),
        "np.select([a < 0, a > -3, a > 3], [-a, a * 10, a])" => gpu::select([&a.lt(0.0), &a.gt(-3.0), &a.gt(3.0)], [&-a, &(a * 10.0), a]),
        "np.select([a < 0], [b], default=7)" => gpu::select!([&a.lt(0.0)], [b], default = 7.0),
        "np.compress([False, True], a)" => gpu::compress(&gpu::array(&[false, true]), a),
        "np.compress([False, True], a, axis=1)" => gpu::compress!(&gpu::array(&[false, true]), a, axis = 1),
        "np.extract(mask, a)" => gpu::extract(mask, a),
        "np.diag_indices(3)[1]" => gpu::diag_indices(3)[1],
        "len(np.diag_indices(3, ndim=4))" => gpu::diag_indices!(3, ndim = 4).len(),
        "np.diag_indices_from(a @ a.T)[0]" => gpu::diag_indices_from(&gpu::matmul(a, &a.t()))[0],
        "np.tril_indices(3)[0]" => gpu::tril_indices(3)[0],
        "np.tril_indices(3, k=-1, m=4)[1]" => gpu::tril_indices!(3, k = -1, m = 4)[1],
        "np.triu_indices(3, 1)[1]" => gpu::triu_indices!(3, 1)[1],
        "np.triu_indices(3)[0]" => gpu::triu_indices(3)[0],
        "np.tril_indices_from(a)[1]" => gpu::tril_indices_from(a)[1],
        "np.triu_indices_from(a, k=1)[0]" => gpu::triu_indices_from!(a, k = 1)[0],
        "np.mask_indices(3, np.triu)[0]" => gpu::mask_indices(3, gpu::triu)[0],
        "np.mask_indices(3, np.tril, -1)[0]" => gpu::mask_indices(3, |m| gpu::tril!(m, k = -1))[0],
        "np.ix_(i, i[:2])[1]" => gpu::ix_([i, &i.slice(s![..2])])[1],
        "a[np.ix_([1, 0], [2, 0])]" => a.take(&gpu::ravel_multi_index(gpu::ix_([[1, 0], [2, 0]]), a.shape())),
        "np.ravel_multi_index(([0, 1], [2, 0]), (2, 3))" => gpu::ravel_multi_index([[0, 1], [2, 0]], (2, 3)),
        "np.unravel_index([5, 0], (2, 3))[0]" => gpu::unravel_index([5, 0], (2, 3))[0],
        "np.take_along_axis(a, np.argsort(a, axis=1), axis=1)" => gpu::take_along_axis(a, &gpu::argsort(a), 1),
        "(c := a.copy(), np.fill_diagonal(c, 7))[0]" => { let mut c = a.copy(); gpu::fill_diagonal(&mut c, 7.0); c },
        "(c := np.zeros((7, 2)), np.fill_diagonal(c, [1, 2, 3], wrap=True))[0]" => { let mut c = gpu::zeros((7, 2)); gpu::fill_diagonal!(&mut c, &gpu::array(&[1.0, 2.0, 3.0]), wrap = true); c },
        "(c := a.copy(), np.copyto(c, b))[0]" => { let mut c = a.copy(); gpu::copyto(&mut c, b); c },
        "(c := a.copy(), np.copyto(c, b, where=b > 0))[0]" => { let mut c = a.copy(); gpu::copyto!(&mut c, b, where = &b.gt(0.0)); c },
        "(c := a.copy(), np.put(c, [0, -1], [7, 8]))[0]" => { let mut c = a.copy(); gpu::put(&mut c, [0, -1], &gpu::array(&[7.0, 8.0])); c },
        "(c := a.copy(), np.put(c, [0, 1, 2], [7, 8]))[0]" => { let mut c = a.copy(); gpu::put(&mut c, [0, 1, 2], &gpu::array(&[7.0, 8.0])); c },
        "(c := a.copy(), np.put(c, [7, -9], [7, 8], mode='wrap'))[0]" => { let mut c = a.copy(); gpu::put!(&mut c, [7, -9], &gpu::array(&[7.0, 8.0]), mode = "wrap"); c },
        "(c := a.copy(), np.put(c, [7, -9], 9, mode='clip'))[0]" => { let mut c = a.copy(); gpu::put!(&mut c, [7, -9], 9.0, mode = "clip"); c },
        "(c := a.copy(), np.put_along_axis(c, np.array([[1], [0]]), 9, 1))[0]" => { let mut c = a.copy(); gpu::put_along_axis(&mut c, &gpu::array(&[[1], [0]]), 9.0, 1); c },
        "(c := a.copy(), np.putmask(c, mask, 0))[0]" => { let mut c = a.copy(); gpu::putmask(&mut c, mask, 0.0); c },
        "(c := a.copy(), np.putmask(c, mask, [7, 8]))[0]" => { let mut c = a.copy(); gpu::putmask(&mut c, mask, &gpu::array(&[7.0, 8.0])); c },
        "(c := a.copy(), np.place(c, a < 0, [7, 8]))[0]" => { let mut c = a.copy(); gpu::place(&mut c, &a.lt(0.0), &gpu::array(&[7.0, 8.0])); c },
        "(c := a.copy(), np.place(c, mask, [7, 8, 9]))[0]" => { let mut c = a.copy(); gpu::place(&mut c, mask, &gpu::array(&[7.0, 8.0, 9.0])); c };
    "Sets and orders":
        "np.isin(i, [1, 3])" => gpu::isin(i, &gpu::array(&[1i64, 3])),
        "np.isin(a, b * 2, invert=True)" => gpu::isin!(a, &(b * 2.0), invert = true),
        "np.isin([1, np.nan, 9], [np.nan, 1])" => gpu::isin(&gpu::array(&[1.0, f64::NAN, 9.0]), &gpu::array(&[f64::NAN, 1.0])),
        "np.isin(a.ravel(), [4.0])" => gpu::in1d(a, &gpu::array(&[4.0])),
        "np.intersect1d(i, [7, 1, 3])" => gpu::intersect1d(i, &gpu::array(&[7i64, 1, 3])),
        "np.setdiff1d(i, [7, 1])" => gpu::setdiff1d(i, &gpu::array(&[7i64, 1])),
        "np.setxor1d([1, np.nan, 2], [np.nan, 2, 3])" => gpu::setxor1d(&gpu::array(&[1.0, f64::NAN, 2.0]), &gpu::array(&[f64::NAN, 2.0, 3.0])),
        "np.union1d(a, b)" => gpu::union1d(a, b),
        "np.sort(np.unique_values(i))" => gpu::unique_values(i),
        "np.unique_counts(i).counts" => gpu::unique_counts(i).1,
        "np.unique_inverse(i).inverse_indices" => gpu::unique_inverse(i).1,
        "np.unique_all(i).indices" => gpu::unique_all(i).1,
        "np.unique_all(i).counts" => gpu::unique_all(i).3,
        "np.lexsort((a[1], a[0] > 0))" => gpu::lexsort([&a.slice(s![1, ..]), &a.slice(s![0, ..]).gt(0.0).astype()]),
        "np.lexsort((a, -a), axis=0)" => gpu::lexsort!((a, &-a), axis = 0),
        "np.sort(a, axis=0)" => gpu::msort(a),
        "np.nanargmax([np.nan, 1, 5, np.nan])" => gpu::nanargmax(&gpu::array(&[f64::NAN, 1.0, 5.0, f64::NAN])),
        "np.nanargmin(np.where(a > 5, np.nan, a), axis=-1)" => gpu::nanargmin!(&gpu::where_(&a.gt(5.0), f64::NAN, a), axis = -1),
        "np.sort_complex(b).real" => gpu::sort_complex(b).real(),
        "np.sort_complex([2 + 1j, 1 + 5j, 2 - 1j]).imag" => gpu::sort_complex(&gpu::array(&[Complex::new(2.0, 1.0), Complex::new(1.0, 5.0), Complex::new(2.0, -1.0)])).imag();
    "Logic, bits and checks":
        "np.logical_and(mask, a > 3)" => gpu::logical_and(mask, a.gt(3.0)),
        "np.logical_and(a - 1, b)" => gpu::logical_and(&(a - 1.0), b),
        "np.logical_or(a - 1, [0, np.nan, 0])" => gpu::logical_or(&(a - 1.0), &gpu::array(&[0.0, f64::NAN, 0.0])),
        "np.logical_not(a - 1)" => gpu::logical_not(&(a - 1.0)),
        "np.bitwise_and(i, 3)" => gpu::bitwise_and(i, 3),
        "np.bitwise_or(i, 4)" => gpu::bitwise_or(i, 4),
        "np.bitwise_xor(mask, mask[:1])" => gpu::bitwise_xor(mask, mask.slice(s![..1, ..])),
        "np.left_shift(i, 2)" => gpu::left_shift(i, 2),
        "np.right_shift(i * 8, i)" => gpu::right_shift(&(i * 8), i),
        "np.packbits(mask)" => gpu::packbits(mask),
        "np.packbits(i, bitorder='little')" => gpu::packbits!(i, bitorder = "little"),
        "np.packbits(mask, axis=-1)" => gpu::packbits!(mask, axis = -1),
        "np.unpackbits(np.array([5, 130], dtype='uint8'))" => gpu::unpackbits(&gpu::array(&[5u8, 130])),
        "np.unpackbits(np.array([[5], [130]], dtype='uint8'), axis=1, count=10, bitorder='little')" => gpu::unpackbits!(&gpu::array(&[[5u8], [130]]), axis = 1, count = 10, bitorder = "little"),
        "np.unpackbits(np.array([5], dtype='uint8'), count=-3)" => gpu::unpackbits!(&gpu::array(&[5u8]), count = -3),
        "np.isfortran(a.T)" => gpu::isfortran(&a.t()),
        "np.broadcast(a, b).shape" => gpu::broadcast_shapes([a.shape(), b.shape()]),
        "np.broadcast_shapes((6, 1), (1, 7))" => gpu::broadcast_shapes([[6, 1], [1, 7]]),
        "np.real_if_close(np.fft.ifft(np.fft.fft(b)))" => gpu::real_if_close(&gpu::fft::ifft(&gpu::fft::fft(b))).unwrap(),
        "np.real_if_close(b + 1e-9j, tol=1e-6)" => gpu::real_if_close!(&(b.astype::<Complex<f64>>() + Complex::new(0.0, 1e-9)), tol = 1e-6).unwrap();
    "Arrays from values, in one line, and as views":
        "np.empty((2, 3)).shape" => gpu::empty::<f64>((2, 3)).shape().to_vec(),
        "np.empty(4, dtype='float32').nbytes" => gpu::empty!(4, dtype = f32).nbytes(),
        "np.empty_like(i).shape" => gpu::empty_like(i).shape().to_vec(),
        "np.asarray_chkfinite([1, 2])" => gpu::asarray_chkfinite(&[1, 2]),
        "np.fromiter((n * n for n in range(5)), dtype='int64')" => gpu::fromiter((0..5i64).map(|n| n * n)),
        "np.fromiter(range(9), dtype='float32', count=3)" => gpu::fromiter!(0..9, dtype = f32, count = 3),
        "[10 * i + j for i, j in np.ndindex(2, 3)]" => gpu::fromiter(gpu::ndindex((2, 3)).map(|(i, j)| (10 * i + j) as i64)),
        "len(list(np.ndindex(a.shape)))" => gpu::ndindex(a.shape()).len(),
        "np.r_[b, 0, b]" => gpu::r_![b, 0.0, b],
        "np.r_[1:4, 0, 9:0:-3, [7, 8]]" => gpu::r_![1..4, 0, (9, 0, -3), [7, 8]],
        "np.r_['0,2', b, b]" => gpu::r_!["0,2", b, b],
        "np.r_['1,2,0', b, b]" => gpu::r_!["1,2,0", b, b],
        "np.r_['-1', a, a]" => gpu::r_!["-1", a, a],
        "np.c_[b, b]" => gpu::c_![b, b],
        "np.c_[a, a[:, :1]]" => gpu::c_![a, &a.slice(s![.., ..1])],
        "np.c_[1:4, b]" => gpu::c_![1.0..4.0, b],
        "np.lib.stride_tricks.as_strided(b, (2, 2), (8, 8))" => gpu::as_strided(b, (2, 2), (1, 1)),
        "np.lib.stride_tricks.as_strided(a[1, 2:], (2, 3), (-24, -8))" => gpu::as_strided(&a.slice(s![1, 2..]), (2, 3), (-3, -1)),
        "a.flat[4]" => a.ravel().get(&[4]),
        "np.argpartition(i, 0)[0]" => gpu::argpartition(i, 0).get(&[0]),
        "np.argpartition(a, 2, axis=1)[:, 2]" => gpu::argpartition!(a, 2, axis = 1).slice(s![.., 2]);
    "More functions, products and transforms" and f32:
        "np.acosh(abs(a) + 1)" => gpu::acosh(&(a.abs() + 1.0)),
        "np.atanh(b / 4)" => gpu::atanh(&(b / 4.0)),
        "np.floor_divide(a, b)" => gpu::floor_divide(a, b),
        "np.pow(abs(a), b)" => gpu::pow(&a.abs(), b),
        "np.remainder(a, b)" => gpu::modulo(a, b),
        "np.linalg.cross(a, b)" => gpu::linalg::cross(a, b),
        "np.linalg.matmul(a, a.T)" => gpu::linalg::matmul(a, &a.t()),
        "np.linalg.matrix_transpose(a)" => gpu::linalg::matrix_transpose(a),
        "abs(np.fft.ifft2(a))" => gpu::fft::ifft2(a).abs(),
        "abs(np.fft.ifftn(a))" => gpu::fft::ifftn(a).abs(),
        "np.fft.ihfft(b).imag" => gpu::fft::ihfft(b).imag(),
        "abs(np.fft.rfft2(a))" => gpu::fft::rfft2(a).abs(),
        "np.fft.irfft2(np.fft.rfft2(a), s=(2, 3))" => gpu::fft::irfft2!(&gpu::fft::rfft2(a), s = [2, 3]),
        "np.fft.irfftn(np.fft.rfftn(a), s=(2, 3), axes=(0, 1))" => gpu::fft::irfftn!(&gpu::fft::rfftn(a), s = (2, 3), axes = (0, 1)),
        "abs(np.fft.fftn(a, s=(4,), axes=(1,)))" => gpu::fft::fftn!(a, s = 4, axes = 1).abs(),
        "abs(np.fft.rfftn(a, s=(4, 5), axes=(0, 1), norm='ortho'))" => gpu::fft::rfftn!(a, s = (4, 5), norm = "ortho").abs();
    "Matrices of SciPy" and f32:
        "scipy.linalg.toeplitz(b)" => gpu::linalg::toeplitz(b),
        "scipy.linalg.toeplitz(b, a[1])" => gpu::linalg::toeplitz!(b, r = &a.slice(s![1, ..])),
        "scipy.linalg.toeplitz(b[:1], b)" => gpu::linalg::toeplitz!(&b.slice(s![..1]), r = b),
        "scipy.linalg.toeplitz(np.fft.ifft(b)).imag" => gpu::linalg::toeplitz(&gpu::fft::ifft(b)).imag(),
        "scipy.linalg.circulant(b)" => gpu::linalg::circulant(b),
        "scipy.linalg.circulant(i[:1])" => gpu::linalg::circulant(&i.slice(s![..1])),
        "scipy.linalg.hankel(b)" => gpu::linalg::hankel(b),
        "scipy.linalg.hankel(b, a.ravel())" => gpu::linalg::hankel!(b, r = &a.ravel()),
        "scipy.linalg.hadamard(8)" => gpu::linalg::hadamard(8),
        "scipy.linalg.hadamard(1, dtype='float32')" => gpu::linalg::hadamard!(1, dtype = f32),
        "scipy.linalg.hilbert(4)" => gpu::linalg::hilbert(4),
        "scipy.linalg.invhilbert(6)" => gpu::linalg::invhilbert(6),
        "scipy.linalg.companion(b)" => gpu::linalg::companion(b),
        "scipy.linalg.companion(i[:4])" => gpu::linalg::companion(&i.slice(s![..4])),
        "scipy.linalg.fiedler(b)" => gpu::linalg::fiedler(b),
        "scipy.linalg.fiedler_companion(b)" => gpu::linalg::fiedler_companion(b),
        "scipy.linalg.fiedler_companion(b[:2])" => gpu::linalg::fiedler_companion(&b.slice(s![..2])),
        "scipy.linalg.fiedler_companion(a.ravel())" => gpu::linalg::fiedler_companion(&a.ravel()),
        "scipy.linalg.fiedler_companion(a.ravel()[:5])" => gpu::linalg::fiedler_companion(&a.ravel().slice(s![..5])),
        "scipy.linalg.leslie(b, a[1, :2])" => gpu::linalg::leslie(b, &a.slice(s![1, ..2])),
        "scipy.linalg.helmert(5)" => gpu::linalg::helmert(5),
        "scipy.linalg.helmert(4, full=True)" => gpu::linalg::helmert!(4, full = true),
        "scipy.linalg.helmert(1).shape" => gpu::linalg::helmert(1).shape().to_vec(),
        "scipy.linalg.dft(5).imag" => gpu::linalg::dft(5).imag(),
        "scipy.linalg.dft(6, scale='sqrtn').real" => gpu::linalg::dft!(6, scale = "sqrtn").real(),
        "scipy.linalg.dft(3, 'n').imag" => gpu::linalg::dft!(3, "n").imag(),
        "scipy.linalg.block_diag(a, a.T, a[:1])" => gpu::linalg::block_diag([a, &a.t(), &a.slice(s![..1, ..])]),
        "scipy.linalg.block_diag(b, b)" => gpu::linalg::block_diag([b, b]),
        "scipy.linalg.convolution_matrix(b, 5)" => gpu::linalg::convolution_matrix(b, 5),
        "scipy.linalg.convolution_matrix(b, 2)" => gpu::linalg::convolution_matrix(b, 2),
        "scipy.linalg.convolution_matrix(b, 5, mode='same')" => gpu::linalg::convolution_matrix!(b, 5, mode = "same"),
        "scipy.linalg.convolution_matrix(a.ravel(), 3, 'same')" => gpu::linalg::convolution_matrix!(&a.ravel(), 3, "same"),
        "scipy.linalg.convolution_matrix(b, 5, mode='valid')" => gpu::linalg::convolution_matrix!(b, 5, mode = "valid"),
        "scipy.linalg.convolution_matrix(a.ravel(), 3, mode='valid')" => gpu::linalg::convolution_matrix!(&a.ravel(), 3, mode = "valid"),
        "scipy.linalg.khatri_rao(a, a * 2)" => gpu::linalg::khatri_rao(a, &(a * 2.0)),
        "scipy.linalg.bandwidth(np.diag(b, -2) + np.triu(np.ones((5, 5))))[0]" => gpu::linalg::bandwidth(&(gpu::diag!(b, k = -2) + gpu::triu(&gpu::ones((5, 5))))).0,
        "scipy.linalg.bandwidth(np.diag(b, 1))[1]" => gpu::linalg::bandwidth(&gpu::diag!(b, k = 1)).1,
        "scipy.linalg.bandwidth(np.fft.ifft(a[:, 1:] * 0))[0]" => gpu::linalg::bandwidth(&gpu::fft::ifft(&(a.slice(s![.., 1..]) * 0.0))).0,
        "scipy.linalg.expm(a @ a.T / 50)" => gpu::linalg::expm(&(gpu::matmul(a, &a.t()) / 50.0)),
        "scipy.linalg.expm(a.T @ a / 30)" => gpu::linalg::expm(&(gpu::matmul(&a.t(), a) / 30.0)),
        "scipy.linalg.expm(np.stack((np.diag(b), np.ones((3, 3)) * 0.01)))" => gpu::linalg::expm(&gpu::stack([&gpu::diag(b), &gpu::full((3, 3), 0.01)], 0)),
        "scipy.linalg.expm(np.fft.ifft(np.diag(b))).imag" => gpu::linalg::expm(&gpu::fft::ifft(&gpu::diag(b))).imag(),
        "scipy.linalg.solve_triangular(a @ a.T, b[:2])" => gpu::linalg::solve_triangular(&gpu::matmul(a, &a.t()), &b.slice(s![..2])),
        "scipy.linalg.solve_triangular(a @ a.T, a, lower=True)" => gpu::linalg::solve_triangular!(&gpu::matmul(a, &a.t()), a, lower = true),
        "scipy.linalg.solve_triangular(a @ a.T, a, trans='T')" => gpu::linalg::solve_triangular!(&gpu::matmul(a, &a.t()), a, trans = "T"),
        "scipy.linalg.solve_triangular(a @ a.T, a, trans=1, lower=True, unit_diagonal=True)" => gpu::linalg::solve_triangular!(&gpu::matmul(a, &a.t()), a, trans = 1, lower = true, unit_diagonal = true),
        "scipy.linalg.solve_triangular(np.fft.ifft(np.diag(b) + 1), b, trans='C').imag" => gpu::linalg::solve_triangular!(&gpu::fft::ifft(&(gpu::diag(b) + 1.0)), &b.astype(), trans = "C").imag(),
        "scipy.linalg.lu_factor(a)[0]" => gpu::linalg::lu_factor(a).0,
        "scipy.linalg.lu_factor(a.T)[1]" => gpu::linalg::lu_factor(&a.t()).1,
        "scipy.linalg.lu_solve(scipy.linalg.lu_factor(a @ a.T), a)" => gpu::linalg::lu_solve(&gpu::linalg::lu_factor(&gpu::matmul(a, &a.t())), a),
        "scipy.linalg.lu_solve(scipy.linalg.lu_factor(np.diag(b, 1) + a[1, 1]), [3, 1, 4, 2], trans=1)" => gpu::linalg::lu_solve!(&gpu::linalg::lu_factor(&(gpu::diag!(b, k = 1) + 5.5)), &gpu::array(&[3.0, 1.0, 4.0, 2.0]).astype(), trans = 1),
        "np.triu(scipy.linalg.cho_factor(a @ a.T)[0])" => gpu::linalg::cho_factor(&gpu::matmul(a, &a.t())).0,
        "np.tril(scipy.linalg.cho_factor(a @ a.T, lower=True)[0])" => gpu::linalg::cho_factor!(&gpu::matmul(a, &a.t()), lower = true).0,
        "scipy.linalg.cho_solve(scipy.linalg.cho_factor(a @ a.T), b[1:])" => gpu::linalg::cho_solve(&gpu::linalg::cho_factor(&gpu::matmul(a, &a.t())), &b.slice(s![1..])),
        "scipy.linalg.cho_solve(scipy.linalg.cho_factor(a @ a.T, True), a)" => gpu::linalg::cho_solve(&gpu::linalg::cho_factor!(&gpu::matmul(a, &a.t()), true), a);
    "Transforms of SciPy" and f32:
        "scipy.signal.fftconvolve(a, a[:, :2], axes=1)" => gpu::signal::fftconvolve!(a, &a.slice(s![.., ..2]), axes = 1),
        "scipy.signal.fftconvolve(a, a[:1, :2] * 2, 'same', axes=-1)" => gpu::signal::fftconvolve!(a, &(a.slice(s![..1, ..2]) * 2.0), "same", axes = -1),
        "scipy.signal.fftconvolve(a[:, :2], a, mode='valid', axes=1)" => gpu::signal::fftconvolve!(&a.slice(s![.., ..2]), a, mode = "valid", axes = 1),
        "scipy.signal.fftconvolve(np.dstack((a, a * a)), np.dstack((a, a)), axes=(0, 2))" => gpu::signal::fftconvolve!(&gpu::dstack([a, &(a * a)]), &gpu::dstack([a, a]), axes = (0, 2)),
        "scipy.signal.oaconvolve(a, a[:, :2], axes=1)" => gpu::signal::oaconvolve!(a, &a.slice(s![.., ..2]), axes = 1),
        "scipy.fft.dct(b * b, 1)" => gpu::fft::dct!(&(b * b), 1),
        "scipy.fft.dct(a, type=1, axis=0, norm='ortho')" => gpu::fft::dct!(a, type = 1, axis = 0, norm = "ortho"),
        "scipy.fft.idct(a.ravel(), 1)" => gpu::fft::idct!(&a.ravel(), 1),
        "scipy.fft.idct(b, type=1, norm='forward', orthogonalize=True)" => gpu::fft::idct!(b, type = 1, norm = "forward", orthogonalize = true),
        "scipy.fft.dct(b * b, 2)" => gpu::fft::dct!(&(b * b), 2),
        "scipy.fft.dct(a, type=2, axis=0, norm='ortho')" => gpu::fft::dct!(a, type = 2, axis = 0, norm = "ortho"),
        "scipy.fft.idct(a.ravel(), 2)" => gpu::fft::idct!(&a.ravel(), 2),
        "scipy.fft.idct(b, type=2, norm='forward', orthogonalize=True)" => gpu::fft::idct!(b, type = 2, norm = "forward", orthogonalize = true),
        "scipy.fft.dct(b, 3)" => gpu::fft::dct!(b, 3),
        "scipy.fft.dct(a, type=3, axis=0, norm='ortho')" => gpu::fft::dct!(a, type = 3, axis = 0, norm = "ortho"),
        "scipy.fft.idct(a.ravel(), 3)" => gpu::fft::idct!(&a.ravel(), 3),
        "scipy.fft.idct(b * b, type=3, norm='forward', orthogonalize=True)" => gpu::fft::idct!(&(b * b), type = 3, norm = "forward", orthogonalize = true),
        "scipy.fft.dct(b, 4)" => gpu::fft::dct!(b, 4),
        "scipy.fft.dct(a, type=4, axis=0, norm='ortho')" => gpu::fft::dct!(a, type = 4, axis = 0, norm = "ortho"),
        "scipy.fft.idct(a.ravel(), 4)" => gpu::fft::idct!(&a.ravel(), 4),
        "scipy.fft.idct(b, type=4, norm='forward', orthogonalize=True)" => gpu::fft::idct!(b, type = 4, norm = "forward", orthogonalize = true),
        "scipy.fft.dct(a.ravel(), n=4)" => gpu::fft::dct!(&a.ravel(), n = 4),
        "scipy.fft.dct(b[:1])" => gpu::fft::dct(&b.slice(s![..1])),
        "scipy.fft.idct(b[:1], 4)" => gpu::fft::idct!(&b.slice(s![..1]), 4),
        "scipy.fft.dct(i, 3, n=7, norm='ortho', orthogonalize=False)" => gpu::fft::dct!(i, 3, n = 7, norm = "ortho", orthogonalize = false),
        "abs(scipy.fft.dct(np.fft.fft(b)))" => gpu::fft::dct(&gpu::fft::fft(b)).abs(),
        "scipy.fft.dctn(a)" => gpu::fft::dctn(a),
        "scipy.fft.dctn(a, type=4, s=(4, 2), norm='ortho')" => gpu::fft::dctn!(a, type = 4, s = (4, 2), norm = "ortho"),
        "scipy.fft.idctn(a)" => gpu::fft::idctn(a),
        "scipy.fft.idctn(np.fft.fft(a), 3, axes=0).real" => gpu::fft::idctn!(&gpu::fft::fft(a), 3, axes = 0).real(),
        "scipy.fft.dctn(np.dstack((a, -a, a)), s=(5, 4))" => gpu::fft::dctn!(&gpu::dstack([a, &-a, a]), s = (5, 4)),
        "scipy.fft.dst(b, 1)" => gpu::fft::dst!(b, 1),
        "scipy.fft.dst(a, type=1, axis=0, norm='ortho')" => gpu::fft::dst!(a, type = 1, axis = 0, norm = "ortho"),
        "scipy.fft.idst(a.ravel(), 1)" => gpu::fft::idst!(&a.ravel(), 1),
        "scipy.fft.idst(b, type=1, norm='forward', orthogonalize=True)" => gpu::fft::idst!(b, type = 1, norm = "forward", orthogonalize = true),
        "scipy.fft.dst(b, 2)" => gpu::fft::dst!(b, 2),
        "scipy.fft.dst(a, type=2, axis=0, norm='ortho')" => gpu::fft::dst!(a, type = 2, axis = 0, norm = "ortho"),
        "scipy.fft.idst(a.ravel(), 2)" => gpu::fft::idst!(&a.ravel(), 2),
        "scipy.fft.idst(b, type=2, norm='forward', orthogonalize=True)" => gpu::fft::idst!(b, type = 2, norm = "forward", orthogonalize = true),
        "scipy.fft.dst(b, 3)" => gpu::fft::dst!(b, 3),
        "scipy.fft.dst(a, type=3, axis=0, norm='ortho')" => gpu::fft::dst!(a, type = 3, axis = 0, norm = "ortho"),
        "scipy.fft.idst(a.ravel(), 3)" => gpu::fft::idst!(&a.ravel(), 3),
        "scipy.fft.idst(b, type=3, norm='forward', orthogonalize=True)" => gpu::fft::idst!(b, type = 3, norm = "forward", orthogonalize = true),
        "scipy.fft.dst(b, 4)" => gpu::fft::dst!(b, 4),
        "scipy.fft.dst(a, type=4, axis=0, norm='ortho')" => gpu::fft::dst!(a, type = 4, axis = 0, norm = "ortho"),
        "scipy.fft.idst(a.ravel(), 4)" => gpu::fft::idst!(&a.ravel(), 4),
        "scipy.fft.idst(b, type=4, norm='forward', orthogonalize=True)" => gpu::fft::idst!(b, type = 4, norm = "forward", orthogonalize = true),
        "scipy.fft.dst(a.ravel(), n=4)" => gpu::fft::dst!(&a.ravel(), n = 4),
        "scipy.fft.dst(b[:1])" => gpu::fft::dst(&b.slice(s![..1])),
        "scipy.fft.idst(b[:1], 4)" => gpu::fft::idst!(&b.slice(s![..1]), 4),
        "scipy.fft.dst(i, 3, n=7, norm='ortho', orthogonalize=False)" => gpu::fft::dst!(i, 3, n = 7, norm = "ortho", orthogonalize = false),
        "scipy.fft.dst(np.fft.fft(b)).imag" => gpu::fft::dst(&gpu::fft::fft(b)).imag(),
        "scipy.fft.dstn(a)" => gpu::fft::dstn(a),
        "scipy.fft.dstn(a, type=4, s=(4, 2), norm='ortho')" => gpu::fft::dstn!(a, type = 4, s = (4, 2), norm = "ortho"),
        "scipy.fft.idstn(a)" => gpu::fft::idstn(a),
        "scipy.fft.idstn(np.fft.fft(a), 3, axes=0).real" => gpu::fft::idstn!(&gpu::fft::fft(a), 3, axes = 0).real(),
        "scipy.fft.dstn(np.dstack((a, -a, a)), s=(5, 4))" => gpu::fft::dstn!(&gpu::dstack([a, &-a, a]), s = (5, 4)),
        "scipy.fft.hfft2(np.fft.fft(a))" => gpu::fft::hfft2(&gpu::fft::fft(a)),
        "scipy.fft.hfft2(a, s=(3, 5), norm='ortho')" => gpu::fft::hfft2!(a, s = [3, 5], norm = "ortho"),
        "abs(scipy.fft.ihfft2(a))" => gpu::fft::ihfft2(a).abs(),
        "scipy.fft.ihfft2(a, axes=(1, 0)).real" => gpu::fft::ihfft2!(a, axes = (1, 0)).real(),
        "scipy.fft.hfftn(np.fft.fft(a), norm='forward')" => gpu::fft::hfftn!(&gpu::fft::fft(a), norm = "forward"),
        "abs(scipy.fft.ihfftn(np.dstack((a, b * a))))" => gpu::fft::ihfftn(&gpu::dstack([a, &(b * a)])).abs(),
        "scipy.fft.ihfftn(a, s=(3,), axes=(0,)).imag[1]" => gpu::fft::ihfftn!(a, s = 3, axes = 0).imag().slice(s![1]),
        "scipy.fft.fht(a.ravel(), 0.1, 1.0)" => gpu::fft::fht(&a.ravel(), 0.1, 1.0),
        "scipy.fft.fht(a, 0.2, 0.5, offset=0.3, bias=-0.5)" => gpu::fft::fht!(a, 0.2, 0.5, offset = 0.3, bias = -0.5),
        "scipy.fft.ifht(a, 0.2, 0.5, offset=0.3, bias=-0.5)" => gpu::fft::ifht!(a, 0.2, 0.5, offset = 0.3, bias = -0.5),
        "scipy.fft.ifht(b, 1.5, 2)" => gpu::fft::ifht(b, 1.5, 2.0),
        "scipy.fft.fhtoffset(0.1, 2.0, initial=0.5, bias=0.1)" => gpu::fft::fhtoffset!(0.1, 2.0, initial = 0.5, bias = 0.1),
        "scipy.fft.next_fast_len(1021)" => gpu::fft::next_fast_len(1021),
        "scipy.fft.next_fast_len(97, real=True)" => gpu::fft::next_fast_len!(97, real = true);
    "Numbers and arrays as text":
        "np.array2string(a)" => gpu::array2string(a),
        "np.array2string(a / 3, precision=2, separator=', ', floatmode='fixed')" => gpu::array2string!(&(a / 3.0), precision = 2, separator = ", ", floatmode = "fixed"),
        "np.array2string(np.arange(2000), threshold=9, edgeitems=2)" => gpu::array2string!(&gpu::arange(2000i64), threshold = 9, edgeitems = 2),
        "np.array_repr(a)" => gpu::array_repr(a),
        "np.array_repr(mask)" => gpu::array_repr(mask),
        "np.array_repr(b.astype('float32'), precision=1)" => gpu::array_repr!(&b.astype::<f32>(), precision = 1),
        "np.array_str(i)" => gpu::array_str(i),
        "np.array_str(b * 1e-9, suppress_small=True)" => gpu::array_str!(&(b * 1e-9), suppress_small = true),
        "np.base_repr(254, base=16)" => gpu::base_repr!(254, base = 16),
        "np.base_repr(-5)" => gpu::base_repr(-5),
        "np.binary_repr(5)" => gpu::binary_repr(5),
        "np.binary_repr(-3, width=5)" => gpu::binary_repr!(-3, width = 5),
        "np.format_float_positional(np.float32(16.1))" => gpu::format_float_positional(16.1f32),
        "np.format_float_positional(2 / 3, precision=3, sign=True)" => gpu::format_float_positional!(2.0 / 3.0, precision = 3, sign = true),
        "np.format_float_scientific(12345.678)" => gpu::format_float_scientific(12345.678),
        "np.format_float_scientific(12345.678, precision=2, exp_digits=3)" => gpu::format_float_scientific!(12345.678, precision = 2, exp_digits = 3);
    "Functions of complex numbers":
        "np.log(np.fft.fft(a / 8)).real" => gpu::log(&gpu::fft::fft(&(a / 8.0))).real(),
        "np.log2(np.fft.fft(a / 8)).imag" => gpu::log2(&gpu::fft::fft(&(a / 8.0))).imag(),
        "np.log10(np.fft.fft(a / 8)).real" => gpu::log10(&gpu::fft::fft(&(a / 8.0))).real(),
        "np.log1p(np.fft.fft(a / 8)).imag" => gpu::log1p(&gpu::fft::fft(&(a / 8.0))).imag(),
        "np.exp2(np.fft.fft(a / 8)).real" => gpu::exp2(&gpu::fft::fft(&(a / 8.0))).real(),
        "np.expm1(np.fft.fft(a / 8)).imag" => gpu::expm1(&gpu::fft::fft(&(a / 8.0))).imag(),
        "np.sin(np.fft.fft(a / 8)).real" => gpu::sin(&gpu::fft::fft(&(a / 8.0))).real(),
        "np.cos(np.fft.fft(a / 8)).imag" => gpu::cos(&gpu::fft::fft(&(a / 8.0))).imag(),
        "np.tan(np.fft.fft(a / 8)).real" => gpu::tan(&gpu::fft::fft(&(a / 8.0))).real(),
        "np.sinh(np.fft.fft(a / 8)).imag" => gpu::sinh(&gpu::fft::fft(&(a / 8.0))).imag(),
        "np.cosh(np.fft.fft(a / 8)).real" => gpu::cosh(&gpu::fft::fft(&(a / 8.0))).real(),
        "np.tanh(np.fft.fft(a / 8)).imag" => gpu::tanh(&gpu::fft::fft(&(a / 8.0))).imag(),
        "np.arcsin(np.fft.fft(a / 8)).real" => gpu::arcsin(&gpu::fft::fft(&(a / 8.0))).real(),
        "np.arccos(np.fft.fft(a / 8)).imag" => gpu::arccos(&gpu::fft::fft(&(a / 8.0))).imag(),
        "np.arctan(np.fft.fft(a / 8)).real" => gpu::arctan(&gpu::fft::fft(&(a / 8.0))).real(),
        "np.arcsinh(np.fft.fft(a / 8)).imag" => gpu::arcsinh(&gpu::fft::fft(&(a / 8.0))).imag(),
        "np.arccosh(np.fft.fft(a / 8)).real" => gpu::arccosh(&gpu::fft::fft(&(a / 8.0))).real(),
        "np.arctanh(np.fft.fft(a / 8)).imag" => gpu::arctanh(&gpu::fft::fft(&(a / 8.0))).imag(),
        "np.reciprocal(np.fft.fft(a / 8)).real" => gpu::reciprocal(&gpu::fft::fft(&(a / 8.0))).real(),
        "np.sign(np.fft.fft(a / 8)).imag" => gpu::sign(&gpu::fft::fft(&(a / 8.0))).imag(),
        "np.round(np.fft.fft(a / 8)).imag" => gpu::round(&gpu::fft::fft(&(a / 8.0))).imag(),
        "(np.fft.fft(a / 8) ** 3).imag" => gpu::fft::fft(&(a / 8.0)).powi(3).imag(),
        "np.power(np.fft.fft(a / 8), -2).real" => gpu::power(&gpu::fft::fft(&(a / 8.0)), Complex::new(-2.0, 0.0)).real(),
        "np.power(np.fft.fft(a / 8), 0.5 + 1j).imag" => gpu::power(&gpu::fft::fft(&(a / 8.0)), Complex::new(0.5, 1.0)).imag(),
        "np.power(np.fft.fft(a / 8), np.fft.fft(a / 8)).imag" => gpu::power(&gpu::fft::fft(&(a / 8.0)), &gpu::fft::fft(&(a / 8.0))).imag(),
        "np.isnan(np.fft.fft(a / 8) / np.where(mask, 1, np.nan))" => gpu::isnan(&(gpu::fft::fft(&(a / 8.0)) / gpu::where_(mask, 1.0, f64::NAN).astype::<Complex<f64>>())),
        "np.isfinite(np.fft.fft(a / 8))" => gpu::isfinite(&gpu::fft::fft(&(a / 8.0))),
        "np.prod(np.fft.fft(a / 8)).real" => gpu::prod(&gpu::fft::fft(&(a / 8.0))).re,
        "np.prod(np.fft.fft(a / 8), axis=0).real" => gpu::prod!(&gpu::fft::fft(&(a / 8.0)), axis = 0).real(),
        "np.cumsum(np.fft.fft(a / 8), axis=1).imag" => gpu::cumsum!(&gpu::fft::fft(&(a / 8.0)), axis = 1).imag(),
        "np.cumprod(np.fft.fft(a / 8)).real" => gpu::cumprod(&gpu::fft::fft(&(a / 8.0))).real(),
        "np.var(np.fft.fft(a / 8))" => gpu::var(&gpu::fft::fft(&(a / 8.0))),
        "np.std(np.fft.fft(a / 8), axis=0, ddof=1)" => gpu::std!(&gpu::fft::fft(&(a / 8.0)), axis = 0, ddof = 1),
        "np.std(np.fft.fft(a / 8), axis=1, where=mask)" => gpu::std!(&gpu::fft::fft(&(a / 8.0)), axis = 1, where = mask),
        "np.diff(np.fft.fft(a / 8), axis=0).imag" => gpu::diff!(&gpu::fft::fft(&(a / 8.0)), axis = 0).imag(),
        "np.count_nonzero(np.fft.fft(a / 8) - 0.125)" => gpu::count_nonzero(&(gpu::fft::fft(&(a / 8.0)) - 0.125)),
        "np.any(a)" => gpu::any(a),
        "np.all(i, axis=0)" => gpu::all!(i, axis = 0),
        "np.log(b + 1j)" => gpu::log(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.log2(b + 1j)" => gpu::log2(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.log10(b + 1j)" => gpu::log10(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.exp2(b + 1j)" => gpu::exp2(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.sin(b + 1j)" => gpu::sin(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.cos(b + 1j)" => gpu::cos(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.tan(b + 1j)" => gpu::tan(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.sinh(b + 1j)" => gpu::sinh(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.cosh(b + 1j)" => gpu::cosh(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.tanh(b + 1j)" => gpu::tanh(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.arcsin(b + 1j)" => gpu::arcsin(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.arccos(b + 1j)" => gpu::arccos(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.arctan(b + 1j)" => gpu::arctan(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.arcsinh(b + 1j)" => gpu::arcsinh(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.arccosh(b + 1j)" => gpu::arccosh(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.arctanh(b + 1j)" => gpu::arctanh(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.sign(b + 1j)" => gpu::sign(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.reciprocal(b + 1j)" => gpu::reciprocal(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.sinc(b + 1j)" => gpu::sinc(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.isnan(b + 1j)" => gpu::isnan(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.isinf(b + 1j)" => gpu::isinf(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.isfinite(b + 1j)" => gpu::isfinite(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.rint(b + 1j)" => gpu::rint(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.count_nonzero(b + 1j)" => gpu::count_nonzero(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.prod(b + 1j)" => gpu::prod(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.cumsum(b + 1j)" => gpu::cumsum(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.cumprod(b + 1j)" => gpu::cumprod(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.var(b + 1j)" => gpu::var(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.std(b + 1j)" => gpu::std(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.max(b + 1j)" => gpu::max(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.min(b + 1j)" => gpu::min(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.argmax(b + 1j)" => gpu::argmax(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.sort(b + 1j)" => gpu::sort(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.argsort(b + 1j)" => gpu::argsort(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.unique(b + 1j)" => gpu::unique(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.ptp(b + 1j)" => gpu::ptp(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.nansum(b + 1j)" => gpu::nansum(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.nanprod(b + 1j)" => gpu::nanprod(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.nanmean(b + 1j)" => gpu::nanmean(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.nanvar(b + 1j)" => gpu::nanvar(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.nancumprod(b + 1j)" => gpu::nancumprod(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.nanmax(b + 1j)" => gpu::nanmax(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.average(b + 1j)" => gpu::average(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.cov(b + 1j)" => gpu::cov(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.vander(b + 1j)" => gpu::vander(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.trapezoid(b + 1j)" => gpu::trapezoid(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.ediff1d(b + 1j)" => gpu::ediff1d(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.cumulative_prod(b + 1j)" => gpu::cumulative_prod(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.power(b + 1j, 3)" => gpu::power(&(b.astype::<Complex<f64>>() + Complex::i()), Complex::new(3.0, 0.0)),
        "(b + 1j) ** (0.5 - 2j)" => (b.astype::<Complex<f64>>() + Complex::i()).pow(Complex::new(0.5, -2.0)),
        "(b + 1j) ** -2" => (b.astype::<Complex<f64>>() + Complex::i()).powi(-2),
        "np.round(b + 0.25j, 1)" => gpu::round!(&(b.astype::<Complex<f64>>() + Complex::new(0.0, 0.25)), 1),
        "np.maximum(b + 1j, 0.5)" => gpu::maximum(&(b.astype::<Complex<f64>>() + Complex::i()), Complex::new(0.5, 0.0)),
        "np.fmin(b + 1j, 0.5)" => gpu::fmin(&(b.astype::<Complex<f64>>() + Complex::i()), Complex::new(0.5, 0.0)),
        "np.less(b + 1j, 0.5 + 2j)" => gpu::less(&(b.astype::<Complex<f64>>() + Complex::i()), Complex::new(0.5, 2.0)),
        "np.diff(b + 1j)" => gpu::diff(&(b.astype::<Complex<f64>>() + Complex::i()), 1, -1),
        "np.gradient(b + 1j)" => gpu::gradient!(&(b.astype::<Complex<f64>>() + Complex::i()), axis = 0),
        "np.convolve(b + 1j, b - 2j)" => gpu::convolve(&(b.astype::<Complex<f64>>() + Complex::i()), &(b.astype::<Complex<f64>>() - Complex::new(0.0, 2.0)), gpu::Mode::Full),
        "np.correlate(b + 1j, b - 2j, 'same')" => gpu::correlate(&(b.astype::<Complex<f64>>() + Complex::i()), &(b.astype::<Complex<f64>>() - Complex::new(0.0, 2.0)), gpu::Mode::Same),
        "abs(np.corrcoef(a + 1j * a[::-1]))" => gpu::corrcoef(&(a.astype::<Complex<f64>>() + a.slice(s![..;-1, ..]).astype::<Complex<f64>>() * Complex::i())).abs(),
        "np.isin(b + 1j, [2 + 1j, 2])" => gpu::isin(&(b.astype::<Complex<f64>>() + Complex::i()), &gpu::array(&[Complex::new(2.0, 1.0), Complex::new(2.0, 0.0)])),
        "np.union1d(b + 1j, b)" => gpu::union1d(&(b.astype::<Complex<f64>>() + Complex::i()), &b.astype::<Complex<f64>>()),
        "np.searchsorted(np.sort(b + 1j), b + 1j)" => gpu::searchsorted(&gpu::sort(&(b.astype::<Complex<f64>>() + Complex::i())), &(b.astype::<Complex<f64>>() + Complex::i()), gpu::Side::Left),
        "np.prod(a + 1j, axis=1)" => gpu::prod!(&(a.astype::<Complex<f64>>() + Complex::i()), axis = 1),
        "np.max(a + 1j, axis=0)" => gpu::max!(&(a.astype::<Complex<f64>>() + Complex::i()), axis = 0),
        "np.argmin(a + 1j, axis=1)" => gpu::argmin!(&(a.astype::<Complex<f64>>() + Complex::i()), axis = 1),
        "np.std(a + 1j, axis=0, ddof=1)" => gpu::std!(&(a.astype::<Complex<f64>>() + Complex::i()), axis = 0, ddof = 1),
        "np.cumprod(a + 1j, axis=1)" => gpu::cumprod_axis(&(a.astype::<Complex<f64>>() + Complex::i()), 1),
        "np.cov(b + 1j, b * 2j, aweights=[1, 3, 2])" => gpu::cov!(&(b.astype::<Complex<f64>>() + Complex::i()), &(b.astype::<Complex<f64>>() * Complex::new(0.0, 2.0)), aweights = &[1, 3, 2]),
        "np.cov(b + 1j * b * b, bias=True)" => gpu::cov!(&(b.astype::<Complex<f64>>() + (b * b).astype::<Complex<f64>>() * Complex::i()), bias = true),
        "abs(np.corrcoef(b + 1j, b * b * 1j))" => gpu::corrcoef!(&(b.astype::<Complex<f64>>() + Complex::i()), &((b * b).astype::<Complex<f64>>() * Complex::i())).abs(),
        "np.diff(b + 1j, prepend=2j)" => gpu::diff!(&(b.astype::<Complex<f64>>() + Complex::i()), prepend = Complex::new(0.0, 2.0)),
        "np.unique([1j, 2, 1j], return_index=True)[1]" => gpu::unique!(&gpu::array(&[Complex::new(0.0, 1.0), Complex::new(2.0, 0.0), Complex::new(0.0, 1.0)]), return_index = true).1,
        "np.unique(a + 1j * mask, axis=0)" => gpu::unique!(&(a.astype::<Complex<f64>>() + mask.astype::<Complex<f64>>() * Complex::i()), axis = 0),
        "np.intersect1d(b + 1j, [2 + 1j, 9], return_indices=True)[1]" => gpu::intersect1d!(&(b.astype::<Complex<f64>>() + Complex::i()), &gpu::array(&[Complex::new(2.0, 1.0), Complex::new(9.0, 0.0)]), return_indices = true).1,
        "np.sort(a + 1j, axis=None)" => gpu::sort!(&(a.astype::<Complex<f64>>() + Complex::i()), axis = None),
        "np.average(b + 1j, weights=[1, 2, 3])" => gpu::average!(&(b.astype::<Complex<f64>>() + Complex::i()), weights = &[1, 2, 3]);
    "Functions of bools":
        "np.max(mask)" => gpu::max(mask),
        "np.min(mask, axis=0)" => gpu::min!(mask, axis = 0),
        "np.maximum(mask, mask[:1])" => gpu::maximum(mask, mask.slice(s![..1, ..])),
        "np.minimum(mask, mask[:1])" => gpu::minimum(mask, mask.slice(s![..1, ..])),
        "np.diff(mask)" => gpu::diff(mask, 1, -1),
        "np.std(mask)" => gpu::std(mask),
        "np.var(mask, axis=0)" => gpu::var!(mask, axis = 0),
        "np.median(mask)" => gpu::median(mask),
        "np.average(mask)" => gpu::average(mask),
        "np.bincount(mask.ravel())" => gpu::bincount(&mask.ravel()),
        "np.nansum(mask)" => gpu::nansum(mask),
        "np.isnan(mask)" => gpu::isnan(mask),
        "np.isfinite(mask)" => gpu::isfinite(mask),
        "np.cov(mask)" => gpu::cov(mask),
        "np.nanmax(mask)" => gpu::nanmax(mask),
        "np.fmax(mask, mask[:1])" => gpu::fmax(mask, mask.slice(s![..1, ..])),
        "np.count_nonzero(mask)" => gpu::count_nonzero(mask),
        "np.diff(mask, prepend=True)" => gpu::diff!(mask, prepend = true);
    "Around an array, and more optional arguments" and f32:
        "np.pad(a, 1, constant_values=(7, 8))" => gpu::pad!(a, 1, constant_values = (7.0, 8.0)),
        "np.pad(a, ((1, 0), (2, 1)), constant_values=((1, 2), (3, 4)))" => gpu::pad!(a, ((1, 0), (2, 1)), constant_values = ((1.0, 2.0), (3.0, 4.0))),
        "np.pad(b, (2, 3), 'linear_ramp', end_values=(5, -4))" => gpu::pad!(b, (2, 3), "linear_ramp", end_values = (5.0, -4.0)),
        "np.pad(a, 2, mode='linear_ramp')" => gpu::pad!(a, 2, mode = "linear_ramp"),
        "np.pad(i, (3, 4), mode='linear_ramp', end_values=10)" => gpu::pad!(i, (3, 4), mode = "linear_ramp", end_values = 10),
        "np.pad(a, 2, mode='maximum')" => gpu::pad(a, 2, Pad::Maximum),
        "np.pad(a, 1, mode='minimum', stat_length=2)" => gpu::pad!(a, 1, mode = "minimum", stat_length = 2),
        "np.pad(a, ((1, 2), (0, 1)), mode='mean')" => gpu::pad!(a, ((1, 2), (0, 1)), mode = "mean"),
        "np.pad(i, 2, mode='mean', stat_length=(2, 4))" => gpu::pad!(i, 2, mode = "mean", stat_length = (2, 4)),
        "np.pad(a, 1, mode='median', stat_length=((1, 2), (3, 2)))" => gpu::pad!(a, 1, mode = "median", stat_length = ((1, 2), (3, 2))),
        "np.pad(i, 1, mode='median')" => gpu::pad!(i, 1, mode = "median"),
        "np.pad(b, (9, 7), mode='reflect', reflect_type='odd')" => gpu::pad!(b, (9, 7), mode = "reflect", reflect_type = "odd"),
        "np.pad(a, ((3, 4), (7, 1)), mode='reflect', reflect_type='odd')" => gpu::pad!(a, ((3, 4), (7, 1)), mode = "reflect", reflect_type = "odd"),
        "np.pad(a[:1], 2, mode='reflect', reflect_type='odd')" => gpu::pad!(&a.slice(s![..1, ..]), 2, mode = "reflect", reflect_type = "odd"),
        "np.pad(a, ((3, 5), (8, 4)), mode='symmetric', reflect_type='odd')" => gpu::pad!(a, ((3, 5), (8, 4)), mode = "symmetric", reflect_type = "odd"),
        "np.pad(i, 6, mode='symmetric', reflect_type='odd')" => gpu::pad!(i, 6, mode = "symmetric", reflect_type = "odd"),
        "np.pad(a, 1, mode='empty')[1:-1, 1:-1]" => gpu::pad!(a, 1, mode = "empty").slice(s![1..-1, 1..-1]),
        "np.quantile(b, [0, 0.4, 1], weights=[1, 3, 2], method='inverted_cdf')" => gpu::quantile!(b, [0.0, 0.4, 1.0], weights = &[1, 3, 2], method = "inverted_cdf"),
        "np.quantile(a, [0, 0.5, 1], axis=1, weights=[1, 0, 2], method='inverted_cdf')" => gpu::quantile!(a, [0.0, 0.5, 1.0], axis = 1, weights = &[1, 0, 2], method = "inverted_cdf"),
        "np.percentile(a, 40, axis=0, weights=[0, 3], method='inverted_cdf', keepdims=True)" => gpu::percentile!(a, 40.0, axis = 0, weights = &[0, 3], method = "inverted_cdf", keepdims = true),
        "np.percentile(a, 70, weights=a + 10, method='inverted_cdf')" => gpu::percentile!(a, 70.0, weights = &(a + 10.0), method = "inverted_cdf"),
        "np.nanpercentile(i, 40)" => gpu::nanpercentile(i, 40.0),
        "np.nanmin(a, axis=1, where=mask, initial=9)" => gpu::nanmin!(a, axis = 1, where = mask, initial = 9.0),
        "np.nanmax(i, initial=7)" => gpu::nanmax!(i, initial = 7),
        "np.trim_zeros(np.pad(a, 2), axis=1)" => gpu::trim_zeros!(&gpu::pad!(a, 2), axis = 1),
        "np.trim_zeros(np.pad(a, 1), 'f', axis=(0, 1))" => gpu::trim_zeros!(&gpu::pad!(a, 1), "f", axis = (0, 1)),
        "np.isin(a, b, assume_unique=True)" => gpu::isin!(a, b, assume_unique = true),
        "np.isin(i, [1, 7], invert=True, kind='table')" => gpu::isin!(i, &gpu::array(&[1i64, 7]), invert = true, kind = "table"),
        "np.setdiff1d([9, 5, 7], [5, 6], assume_unique=True)" => gpu::setdiff1d!(&gpu::array(&[9, 5, 7]), &gpu::array(&[5, 6]), assume_unique = true),
        "np.setxor1d([9, 5, 7], [5, 6], assume_unique=True)" => gpu::setxor1d!(&gpu::array(&[9, 5, 7]), &gpu::array(&[5, 6]), assume_unique = true),
        "np.meshgrid(b, a[0, :2], b)[1]" => gpu::meshgrid!(b, &a.slice(s![0, ..2]), b).1,
        "np.meshgrid(b, a[0, :2], b, indexing='ij', sparse=True)[2]" => gpu::meshgrid!(b, &a.slice(s![0, ..2]), b, indexing = "ij", sparse = true).2,
        "np.meshgrid(b, b, a[0, :2], b)[3]" => gpu::meshgrid!(b, b, &a.slice(s![0, ..2]), b).3,
        "np.linspace(b, 2 * b, 4)" => gpu::linspace(b, &(b * 2.0), 4),
        "np.linspace(b, 1, 3, endpoint=False, axis=1)" => gpu::linspace!(b, 1.0, 3, endpoint = false, axis = 1),
        "np.linspace(0, a, 3, axis=-1)" => gpu::linspace!(0.0, a, 3, axis = -1),
        "np.random.normal(b, 0)" => gpu::random::normal(b, 0.0, ()),
        "np.random.normal(b, 0, (2, 3))" => gpu::random::normal(b, 0.0, (2, 3)),
        "np.random.uniform(b, b)" => gpu::random::uniform(b, b, ()),
        "np.random.exponential([0, 0], (2, 2))" => gpu::random::exponential(&gpu::array(&[0.0, 0.0]), (2, 2)),
        "np.random.randint(i, i + 1)" => gpu::random::randint(i, &(i + 1), ()),
        "np.random.randint(3, [4, 4], (3, 2))" => gpu::random::randint(3, &gpu::array(&[4, 4]), (3, 2)),
        "np.random.randint(3, 4, 4, dtype='uint8')" => gpu::random::randint!(3, 4, 4, dtype = u8),
        "np.random.default_rng(1).integers(3, 3, 4, endpoint=True)" => gpu::random::integers!(3, 3, 4, endpoint = true),
        "np.zeros_like(a, shape=(2, 2))" => gpu::zeros_like!(a, shape = (2, 2)),
        "np.ones_like(i, shape=3)" => gpu::ones_like!(i, shape = 3),
        "np.empty_like(i, shape=(3, 4)).shape[1]" => gpu::empty_like!(i, shape = (3, 4)).shape()[1],
        "np.full_like(i, 7, shape=(2, 2))" => gpu::full_like!(i, 7, shape = (2, 2)),
        "np.unique(i, sorted=True)" => gpu::unique!(i, sorted = true),
        "np.linalg.pinv(a @ a.T, hermitian=True)" => gpu::linalg::pinv!(&gpu::matmul(a, &a.t()), hermitian = true),
        "np.linalg.pinv(a, rtol=0.9)" => gpu::linalg::pinv!(a, rtol = 0.9),
        "np.linalg.matrix_rank(a @ a.T, hermitian=True)" => gpu::linalg::matrix_rank!(&gpu::matmul(a, &a.t()), hermitian = true),
        "np.linalg.svd(a @ a.T, hermitian=True)[1]" => gpu::linalg::svd!(&gpu::matmul(a, &a.t()), hermitian = true).1;
    "Fits, complex numbers and types of results":
        "np.nanpercentile(np.where(mask, a, np.nan), 30)" => gpu::nanpercentile(&gpu::where_(mask, a, f64::NAN), 30.0),
        "np.nanquantile(np.where(mask, a, np.nan), 0.5)" => gpu::nanquantile(&gpu::where_(mask, a, f64::NAN), 0.5),
        "np.nanpercentile(np.where(mask, a, np.nan), [10, 50, 95], axis=0)" => gpu::nanpercentile!(&gpu::where_(mask, a, f64::NAN), [10, 50, 95], axis = 0),
        "np.nanpercentile(np.where(mask, np.nan, a), 75, axis=1, keepdims=True, method='hazen')" => gpu::nanpercentile!(&gpu::where_(mask, f64::NAN, a), 75.0, axis = 1, keepdims = true, method = "hazen"),
        "np.nanquantile(np.where(mask, a, np.nan), 0.9, axis=(0, 1))" => gpu::nanquantile!(&gpu::where_(mask, a, f64::NAN), 0.9, axis = (0, 1)),
        "np.nanquantile(np.where(mask, a, np.nan), 0.6, weights=a + 10, method='inverted_cdf')" => gpu::nanquantile!(&gpu::where_(mask, a, f64::NAN), 0.6, weights = &(a + 10.0), method = "inverted_cdf"),
        "np.nanmax(np.where(mask, a, np.nan), axis=0, initial=2)" => gpu::nanmax!(&gpu::where_(mask, a, f64::NAN), axis = 0, initial = 2.0),
        "np.polyfit(np.arange(5), i, 1, full=True)[0]" => gpu::polyfit!(&gpu::arange(5i64), i, 1, full = true).0,
        "np.polyfit(np.arange(5), i, 1, full=True)[1]" => gpu::polyfit!(&gpu::arange(5i64), i, 1, full = true).1,
        "np.polyfit(np.arange(5), i, 1, full=True)[2]" => gpu::polyfit!(&gpu::arange(5i64), i, 1, full = true).2,
        "np.polyfit(np.arange(5), i, 2, full=True)[3]" => gpu::polyfit!(&gpu::arange(5i64), i, 2, full = true).3,
        "np.polyfit(np.arange(5), i, 1, rcond=0.5, full=True)[4]" => gpu::polyfit!(&gpu::arange(5i64), i, 1, rcond = 0.5, full = true).4,
        "np.polyfit(np.arange(5), i, 1, cov=True)[1]" => gpu::polyfit!(&gpu::arange(5i64), i, 1, cov = true).1,
        "np.polyfit(np.arange(5), i, 2, w=i + 1, cov='unscaled')[1]" => gpu::polyfit!(&gpu::arange(5i64), i, 2, w = &(i + 1).astype::<f64>(), cov = "unscaled").1,
        "np.polyfit(b, a.T, 1, cov=True)[1]" => gpu::polyfit!(b, &a.t(), 1, cov = true).1,
        "np.interp(a, [0, 1, 3], b + 1j)" => gpu::interp_complex(a, &gpu::array(&[0.0, 1.0, 3.0]), &(b.astype::<Complex<f64>>() + Complex::i())),
        "np.linspace(0, 1 + 2j, 5)" => gpu::linspace(Complex::new(0.0, 0.0), Complex::new(1.0, 2.0), 5),
        "np.linspace(b + 1j, 2j, 3)" => gpu::linspace(&(b.astype::<Complex<f64>>() + Complex::i()), Complex::new(0.0, 2.0), 3),
        "np.median(b + 1j)" => gpu::median(&(b.astype::<Complex<f64>>() + Complex::i())),
        "np.median(a + 1j * mask, axis=0)" => gpu::median!(&(a.astype::<Complex<f64>>() + mask.astype::<Complex<f64>>() * Complex::i()), axis = 0),
        "np.pad(b + 1j, 2, mode='mean')" => gpu::pad!(&(b.astype::<Complex<f64>>() + Complex::i()), 2, mode = "mean"),
        "np.pad(b + 1j, 2, mode='linear_ramp', end_values=2j)" => gpu::pad!(&(b.astype::<Complex<f64>>() + Complex::i()), 2, mode = "linear_ramp", end_values = Complex::new(0.0, 2.0)),
        "np.concatenate((a, a), axis=1, dtype='float32')" => gpu::concatenate!((a, a), axis = 1, dtype = f32),
        "np.stack((i, i), axis=1, dtype='float32')" => gpu::stack!((i, i), axis = 1, dtype = f32),
        "np.vstack((i, i), dtype='float64')" => gpu::vstack!((i, i), dtype = f64),
        "np.hstack((i, i), dtype='float64')" => gpu::hstack!((i, i), dtype = f64),
        "np.cov(i, dtype='float64')" => gpu::cov!(i, dtype = f64),
        "np.corrcoef(a, dtype='float64')" => gpu::corrcoef!(a, dtype = f64),
        "np.trace(a, dtype='int64')" => gpu::trace!(a, dtype = i64),
        "np.ascontiguousarray(i, dtype='float32')" => gpu::ascontiguousarray!(i, dtype = f32),
        "np.asfortranarray(i, dtype='float32')" => gpu::asfortranarray!(i, dtype = f32),
        "np.asarray_chkfinite([1, 2], dtype='float32')" => gpu::asarray_chkfinite!(&[1, 2], dtype = f32),
        "scipy.special.comb(10, 3)" => gpu::special::comb(10.0, 3.0),
        "scipy.special.comb([5, 6, 0], 3, repetition=True)" => gpu::special::comb!(&gpu::array(&[5.0, 6.0, 0.0]), 3.0, repetition = true),
        "scipy.special.comb([5, 2, -1], [2, 3, 1])" => gpu::special::comb(&gpu::array(&[5.0, 2.0, -1.0]), &gpu::array(&[2.0, 3.0, 1.0])),
        "scipy.special.perm([5, 2, 30], [2, 3, 9])" => gpu::special::perm(&gpu::array(&[5.0, 2.0, 30.0]), &gpu::array(&[2.0, 3.0, 9.0])),
        "scipy.special.factorial(np.arange(12))" => gpu::special::factorial(&gpu::arange(12.0)),
        "scipy.special.factorial([-1, 0.5])" => gpu::special::factorial(&gpu::array(&[-1.0, 0.5]));
}

fn data<T: Element>() -> Data<T> {
    Data {
        a: gpu::array(&[[1.0, -2.0, 3.0], [4.0, 5.5, -6.0]]).astype(),
        b: gpu::array(&[2.0, 0.5, -1.0]).astype(),
        i: gpu::array(&[3i64, 1, 2, 1, 0]),
        mask: gpu::array(&[[true, false, true], [true, true, false]]),
    }
}

/// The same arrays, in memory in another order.
fn turned<T: Element>() -> Data<T> {
    let Data { a, b, i, mask } = data();
    let backwards = |a: DeviceArray<T>| gpu::flip(&gpu::flip(&a, 0).copy(), 0);
    Data { a: a.t().copy().t(), b: backwards(b), i, mask: mask.t().copy().t() }
}

/// `prelude/NUMPY.md` has these rows (`UPDATE_EXPECT=1 cargo test` rewrites it).
#[test]
fn the_table_is_up_to_date() {
    let mut page = String::from(INTRODUCTION);
    for (topic, rows) in ROWS {
        page += &format!("\n## {topic}\n\n| NumPy, CuPy (`cp` for `np`) | Warpcell |\n|---|---|\n");
        for row in *rows {
            // The compiler writes a long expression on several lines.
            let ours = row.ours.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(" )", ")");
            page += &format!("| `{}` | `{}` |\n", row.numpy.replace('|', "\\|"), ours.replace('|', "\\|"));
        }
    }
    page += "\n";
    page += FILES;
    page += "\n## Optional arguments\n\nBehind the values, in any order. Each may be left out; `…` is a value that has no default.\n\n```text\n";
    page += &calls_with_keywords(false).join("\n");
    page += "\n```\n";
    page += &coverage::sections();
    expect_file!["../../NUMPY.md"].assert_eq(&page);
}

/// What stands behind `gpu::` in a call with keywords: `signal::windows::hann`.
fn path_of(signature: &gpu::keywords::Signature) -> String {
    let Some(path) = signature.name.strip_prefix("__") else { return signature.name.to_owned() };
    // The modules of SciPy have modules in them.
    let modules = scipy::SECTIONS.iter().map(|section| section.name.replace('.', "_"));
    // `distance_matrix` is a function of `spatial`, not `matrix` one of `spatial.distance`.
    let is_in = |module: &String| path.starts_with(&format!("{module}_")) && path != "spatial_distance_matrix";
    let module = modules.filter(is_in).max_by_key(String::len);
    let nested = module.as_deref().is_some_and(|module| module.contains('_'));
    path.replacen('_', "::", if nested { 2 } else { 1 })
}

/// The calls with keywords, such as `gpu::diff!(a, n = 1, axis = -1)`: the functions of `gpu` first, then those of its modules.
/// Those in the modules of SciPy, or the others.
fn calls_with_keywords(of_scipy: bool) -> Vec<String> {
    let signatures = || gpu::keywords::SIGNATURES.iter().flat_map(|signatures| *signatures);
    let of_numpy = ["fft", "linalg", "random", "host"];
    let is_of_scipy = |path: &str| path.split_once("::").is_some_and(|(module, _)| !of_numpy.contains(&module));
    let mut calls: Vec<(bool, String)> = signatures()
        .map(|signature| (path_of(signature), signature))
        .filter(|(path, _)| is_of_scipy(path) == of_scipy)
        .map(|(path, signature)| {
            let needed = signature.needed.iter().map(|needed| (*needed).to_owned());
            let keywords = signature.keywords.iter().map(|(keyword, value)| format!("{keyword} = {}", default(value)));
            let arguments: Vec<String> = needed.chain(keywords).collect();
            (path.contains(':'), format!("gpu::{path}!({})", arguments.join(", ")))
        })
        .collect();
    calls.sort();
    calls.into_iter().map(|(_, call)| call).collect()
}

/// The default of a keyword as one types it.
fn default(value: &str) -> String {
    // What is negative, a tuple or a path is in brackets in the table.
    let inner = value.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).filter(|inner| !inner.is_empty());
    match inner.unwrap_or(value).replace("- ", "-") {
        value if value.is_empty() => "…".to_owned(),
        value if ["::None", "usize::MAX", "[0isize; 0]"].iter().any(|none| value.ends_with(none)) => "None".to_owned(),
        value if value.contains("Default") => "0".to_owned(),
        value if value == "f64" => value,
        value => value.trim_end_matches("f64").to_owned(),
    }
}

const INTRODUCTION: &str = "\
# NumPy's and CuPy's names, and ours

A test evaluates both sides of each row and compares them (`prelude/tests/integration/names.rs`). In the rows, with the types of
Rust's defaults (`f64`; `i` has `i64`, `mask` has `bool`):

```python
a = np.array([[1, -2, 3], [4, 5.5, -6]])
b = np.array([2, 0.5, -1])
i = np.array([3, 1, 2, 1, 0])
mask = a > 0
```

On the right, `a`, `b`, `i` and `mask` are references (`&a` in a cell), `gpu` is the prelude as in every cell, and `s!` comes from
`ndarray`. Optional arguments are keywords of a macro with the function's name; what is often
needed has a function with `_axis` or `_with` in its name too.

`gpu::lookup(\"np.percentile\")` in a cell shows the rows about a name, and `np.percentile?` shows them above the documentation.
";

const FILES: &str = "\
## Files and other libraries

What has no value to compare is tested elsewhere (`prelude/tests/integration/files.rs` and `interop.rs`, and tests/parity):

- `np.save('a.npy', a)`: `gpu::save(\"a.npy\", a)`; of a host array also `gpu::host::save(\"a.npy\", &h)`
- `np.load('a.npy')`: `gpu::load::<f64>(\"a.npy\")`, to the host `gpu::host::load::<f64>(\"a.npy\")`
- `np.savez('c.npz', a=a, i=i)`: `gpu::savez(\"c.npz\", [(\"a\", a), (\"i\", i)])`
- `np.savez_compressed('c.npz', a=a)`: `gpu::savez_compressed(\"c.npz\", [(\"a\", a)])`
- `np.load('c.npz')['a']`: `gpu::load_npz(\"c.npz\").get::<f64>(\"a\")`
- `np.loadtxt('a.csv', delimiter=',', skiprows=1)`: `gpu::loadtxt!(\"a.csv\", delimiter = \",\", skiprows = 1)`
- `np.loadtxt('a.txt', ndmin=2)`: `gpu::loadtxt!(\"a.txt\", ndmin = 2)`
- `np.genfromtxt('a.csv', delimiter=',')`, with missing values: `gpu::genfromtxt!(\"a.csv\", delimiter = \",\")`
- `np.genfromtxt('a.csv', delimiter=',', names=True)['x']`: `gpu::genfromtxt!(\"a.csv\", delimiter = \",\", names = true)[\"x\"]`
- `np.savetxt('a.csv', a, fmt='%.3f', delimiter=',')`: `gpu::savetxt!(\"a.csv\", a, fmt = \"%.3f\", delimiter = \",\")`
- `np.savetxt('a.txt', a, fmt=['%d', '%.2f', '%g'])`: `gpu::savetxt!(\"a.txt\", a, fmt = [\"%d\", \"%.2f\", \"%g\"])`
- `a.tofile('a.bin')`: `a.tofile(\"a.bin\")`
- `np.fromfile('a.bin', dtype='float32', count=9, offset=8)`: `gpu::fromfile!(\"a.bin\", dtype = f32, count = 9, offset = 8)`
- `d.set(h)` of CuPy: `d.set(&h)`
- `skimage.io.imread('p.png')`, `imsave`: `gpu::imread(\"p.png\")`, `gpu::imsave(\"p.png\", pixels)`
- `cp.asarray(h)`, `cp.asnumpy(a)`: `gpu::asarray(&h)`, `a.to_host()`; without a copy on the CPU: `gpu::asarray(h)`, `a.into_host()`
- `cp.from_dlpack(tensor)`, `a.toDlpack()`: `unsafe { DeviceArray::<f64>::from_dlpack(tensor) }`, `a.to_dlpack()`
- `a.__cuda_array_interface__`: `a.cuda_array_interface()`; `a.data.ptr`: `a.data_ptr()`
- `np.stack`, `np.concatenate` and `np.reshape` of host arrays: `gpu::host::stack`, `gpu::host::concatenate`, `gpu::host::reshape`

## Constants and types

- `np.pi`: `std::f64::consts::PI`
- `np.e`: `std::f64::consts::E`
- `np.inf`: `f64::INFINITY`
- `np.nan`: `f64::NAN`
- `np.newaxis`: `NewAxis` within `s![…]`, or `a.expand_dims(0)`
- `np.ndarray`: `gpu::DeviceArray<f64>`, on the host `ndarray::ArrayD<f64>`
- `np.dtype`: `gpu::DType` at run time, or the element type
- `np.bool_`, `np.bool`: `bool`
- `np.int8`, `np.int16`, `np.int32`, `np.int64`: `i8`, `i16`, `i32`, `i64`
- `np.uint8`, `np.uint16`, `np.uint32`, `np.uint64`: `u8`, `u16`, `u32`, `u64`
- `np.float16`, `np.float32`, `np.float64`: `gpu::f16`, `f32`, `f64`
- `np.complex64`, `np.complex128`: `gpu::Complex<f32>`, `gpu::Complex<f64>`

## Names that NumPy 2 no longer has

CuPy has them. Their rows are above, under the names that NumPy has:

- `cp.in1d(a, b)`, now `np.isin(a.ravel(), b)`: `gpu::in1d(a, b)`
- `cp.msort(a)`, now `np.sort(a, axis=0)`: `gpu::msort(a)`

## The state of random numbers

Tested in `prelude/tests/integration/random.rs`; all generators here are Philox generators:

- `cp.random.get_random_state()`, `np.random.get_state()`: `gpu::random::get_random_state()`, a copy of the default generator
- `cp.random.set_random_state(state)`, `np.random.set_state(state)`: `gpu::random::set_random_state(&state)`
- `cp.random.Philox4x3210(7)`, `np.random.Philox(7)`: `gpu::random::Philox4x3210::new(7)`, for `gpu::random::Generator::from`
- `generator.bit_generator.state`: `generator.bit_generator().state()`, four numbers that a file can keep; back with
  `gpu::random::Philox4x3210::from_state(state)`

## Functions of your own

Tested in `prelude/tests/integration/map.rs` and `fuse.rs`:

- `np.vectorize(f)(a, b)`, Numba's `@vectorize`: `#[vectorize]` before `fn f(x: f64, y: f64) -> f64 { … }`, then `gpu::map(f, (&a, &b))`; a
  function that returns a tuple gives a tuple of arrays
- Numba's `@cuda.jit(device=True)`: `#[device]` before the `fn` that others call, or before the struct that they use
- `f(a, b, out=c)`: `gpu::map_into(f, (&a, &b), &mut c)`
- `f(h)` of a host array, with transfers: `gpu::map_host(f, &h)`; without, on the host: `gpu::host::map(f, &h)`
- `cp.fuse()`: `gpu::fuse!(|x: f64, y: f64| (x - y) * (x - y))`, with variables that are numbers captured by value
- `np.sum(f(a, b))` in one pass, Thrust's `transform_reduce`: `gpu::map_reduce(f, gpu::reduction::Sum, (&a, &b))`, or
  `gpu::fuse!(|x: f64, y: f64| sum((x - y) * (x - y)))`
";

#[test]
fn both_sides_of_each_row_give_the_same() {
    let fixtures = cases("names");
    let rows: Vec<&Row> = ROWS.iter().flat_map(|(_, rows)| *rows).collect();
    assert_eq!(fixtures.len(), rows.len(), "run tests/parity/generate.py after a change of the table");
    let data = data();
    for (case, row) in fixtures.iter().zip(rows) {
        assert_eq!(case["numpy"], row.numpy, "run tests/parity/generate.py after a change of the table");
        println!("{} = {}", row.numpy, row.ours);
        let expected = host(case, "expected");
        assert_same(&(row.value)(&data).outcome(), &expected, 1e-12, case);
        if let Some(narrow) = row.narrow {
            let largest = expected.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
            for (found, room) in
                [((row.value)(&turned()), 1e-12), (narrow(&self::data()), 1e-5), (narrow(&turned()), 1e-5)]
            {
                let found = found.outcome();
                assert_eq!(found.shape(), expected.shape(), "{case}");
                let is_near = (&found - &expected).iter().all(|difference| difference.abs() <= room * largest);
                assert!(is_near, "{found} is not {expected}\n{case}");
            }
        }
    }
}
