//! The table `prelude/NUMPY.md`: NumPy's expressions and ours. Both sides of each row are evaluated, and give the same.

use crate::fixtures::{assert_same, cases, host};
use expect_test::expect_file;
use warpcell as gpu;
use warpcell::ndarray::{ArrayD, arr0};
use warpcell::prelude::*;
use warpcell::{Element, Pad, Scalar};

/// What an expression gives, as floats.
trait Outcome {
    fn outcome(&self) -> ArrayD<f64>;
}

impl<T: Element> Outcome for DeviceArray<T> {
    fn outcome(&self) -> ArrayD<f64> {
        self.to_host().mapv(float)
    }
}
macro_rules! scalars {
    ($($type:ty)*) => {$(
        impl Outcome for $type {
            fn outcome(&self) -> ArrayD<f64> {
                arr0(float(*self)).into_dyn()
            }
        }
    )*};
}
scalars!(bool u8 i32 u32 i64 u64 f32 f64);
impl Outcome for usize {
    fn outcome(&self) -> ArrayD<f64> {
        arr0(*self as f64).into_dyn()
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
type Expression<T> = fn(&Data<T>) -> ArrayD<f64>;

struct Row {
    numpy: &'static str,
    ours: &'static str,
    outcome: Expression<f64>,
    /// The same expression of `f32`, for the topics that say `and f32`. Their rows are evaluated with other strides, too.
    narrow: Option<Expression<f32>>,
}

/// The arrays that the expressions speak of; the same as in tests/parity/generate.py.
struct Data<T: Element> {
    a: DeviceArray<T>,
    b: DeviceArray<T>,
    i: DeviceArray<i64>,
    mask: DeviceArray<bool>,
}

// The names of the arrays are handed in, since those that a macro itself declares cannot be seen by its arguments.
macro_rules! rows {
    ($names:tt $($topic:literal $(and $also:ident)?: $($numpy:literal => $ours:expr),* ;)*) => {
        const ROWS: &[(&str, &[Row])] = &[$(($topic, rows!(@topic $names [$($also)?] $($numpy => $ours),*))),*];
    };
    (@topic $names:tt $also:tt $($numpy:literal => $ours:expr),*) => {
        &[$(Row {
            numpy: $numpy,
            ours: stringify!($ours),
            outcome: rows!(@outcome $names f64 $ours),
            narrow: rows!(@narrow $names $also $ours),
        }),*]
    };
    (@narrow $names:tt [] $ours:expr) => { None };
    (@narrow $names:tt [$type:ident] $ours:expr) => { Some(rows!(@outcome $names $type $ours)) };
    (@outcome [$($name:ident)*] $type:ident $ours:expr) => {{
        #[allow(unused_variables, reason = "not every row uses all arrays")]
        fn outcome(Data { $($name),* }: &Data<$type>) -> ArrayD<f64> {
            Outcome::outcome(&$ours)
        }
        outcome
    }};
}
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
        "np.bincount(i)" => gpu::bincount(i);
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
        "np.linalg.svd(a)[1]" => gpu::linalg::svd(a).1,
        "np.linalg.svd(a, full_matrices=False)[2].shape[0]" => gpu::linalg::svd_with(a, false).2.shape()[0],
        "np.linalg.svdvals(a)" => gpu::linalg::svdvals(a),
        "np.linalg.matrix_rank(a)" => gpu::linalg::matrix_rank(a),
        "np.linalg.cond(a)" => gpu::linalg::cond(a);
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
        "np.random.permutation(4).sum()" => gpu::random::permutation(4).sum();
    "Products of vectors and matrices":
        "np.dot(b, b)" => gpu::dot(b, b),
        "a @ b" => gpu::matmul(a, b),
        "np.matmul(a, a.T)" => gpu::matmul(a, &a.t()),
        "np.vdot(a, a)" => gpu::vdot(a, a),
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
            page += &format!("| `{}` | `{}` |\n", row.numpy.replace('|', "\\|"), row.ours.replace('|', "\\|"));
        }
    }
    page += "\n";
    page += FILES;
    expect_file!["../../NUMPY.md"].assert_eq(&page);
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
";

const FILES: &str = "\
## Files and other libraries

What has no value to compare is tested elsewhere (`prelude/tests/integration/files.rs` and `interop.rs`, and tests/parity):

- `np.save('a.npy', a)`: `gpu::save(\"a.npy\", a)`; of a host array also `gpu::host::save(\"a.npy\", &h)`
- `np.load('a.npy')`: `gpu::load::<f64>(\"a.npy\")`, to the host `gpu::host::load::<f64>(\"a.npy\")`
- `np.savez('c.npz', a=a, i=i)`: `gpu::savez(\"c.npz\", [(\"a\", a), (\"i\", i)])`; `np.savez_compressed`: `gpu::savez_compressed`
- `np.load('c.npz')['a']`: `gpu::load_npz(\"c.npz\").get::<f64>(\"a\")`
- `np.loadtxt('a.csv', delimiter=',', skiprows=1)`: `gpu::loadtxt!(\"a.csv\", delimiter = \",\", skiprows = 1)`; with missing values `gpu::genfromtxt!`
- `np.savetxt('a.csv', a, fmt='%.3f', delimiter=',')`: `gpu::savetxt!(\"a.csv\", a, fmt = \"%.3f\", delimiter = \",\")`
- `d.set(h)` of CuPy: `d.set(&h)`
- `skimage.io.imread('p.png')`, `imsave`: `gpu::imread(\"p.png\")`, `gpu::imsave(\"p.png\", pixels)`
- `cp.asarray(h)`, `cp.asnumpy(a)`: `gpu::asarray(&h)`, `a.to_host()`; without a copy on the CPU: `gpu::asarray(h)`, `a.into_host()`
- `cp.from_dlpack(tensor)`, `a.toDlpack()`: `unsafe { DeviceArray::<f64>::from_dlpack(tensor) }`, `a.to_dlpack()`
- `a.__cuda_array_interface__`: `a.cuda_array_interface()`; `a.data.ptr`: `a.data_ptr()`
- `np.stack`, `np.concatenate` and `np.reshape` of host arrays: `gpu::host::stack`, `gpu::host::concatenate`, `gpu::host::reshape`

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
        assert_same(&(row.outcome)(&data), &expected, 1e-12, case);
        if let Some(narrow) = row.narrow {
            let largest = expected.iter().fold(0.0f64, |largest, value| largest.max(value.abs()));
            for (found, room) in
                [((row.outcome)(&turned()), 1e-12), (narrow(&self::data()), 1e-5), (narrow(&turned()), 1e-5)]
            {
                assert_eq!(found.shape(), expected.shape(), "{case}");
                let is_near = (&found - &expected).iter().all(|difference| difference.abs() <= room * largest);
                assert!(is_near, "{found} is not {expected}\n{case}");
            }
        }
    }
}
