//! Instances of what device arrays offer, for all element types. The functions are thin, but a cell that calls ten of
//! them still compiles ten, at 1 to 8 ms each. So only functions that many notebooks call have a line here.

use super::{VariableStore, shown};
use crate::backend::functions::float_functions;
use crate::dtype::dtypes;
use crate::{Bitwise, Boundary, DeviceArray, Element, Float, Inexact, Mode, Number, Real};
use ndarray::{Array1, Array2, ArrayD, Ix1, Ix2};
use std::fmt::{Debug, Display, Formatter};
use std::hint::black_box;

/// Arrays of any element type.
fn element<T: Real + Debug>(store: &mut VariableStore, a: &mut DeviceArray<T>, formatter: &mut Formatter<'_>) {
    let value = T::default();
    black_box(Display::fmt(a, formatter)).ok();
    black_box((a.to_host(), a.to_host_as::<Ix1>(), a.to_host_as::<Ix2>(), a.item(), a.get(&[0])));
    black_box((a.slice(ndarray::s![1..2]), a.slice(ndarray::s![1..2, 1..2]), a.slice(ndarray::s![0, ..])));
    black_box((a.slice(ndarray::s![.., 0]), a.slice(ndarray::s![.., 1..2]), a.slice(ndarray::s![1..2, ..])));
    black_box((a.reshape((2, 2)), a.reshape([2, 2]), a.reshape(4), a.broadcast_to((2, 2)), a.ravel(), a.copy()));
    black_box((a.transpose(), a.t(), a.diagonal(), a.shape(), a.dtype(), a.device(), a.size(), a.strides()));
    black_box(a.to_device(crate::Device::Cpu));
    black_box((a.astype::<f32>(), a.astype::<f64>(), a.astype::<i32>(), a.astype::<i64>(), a.astype::<u8>()));
    black_box((crate::zeros::<T>(4), crate::zeros::<T>((2, 2)), crate::zeros::<T>([2, 2])));
    black_box((crate::full(4, value), crate::full((2, 2), value), crate::full([2, 2], value), crate::tile(a, 2)));
    black_box((crate::asarray(&Array1::<T>::default(2)), crate::asarray(&Array2::<T>::default((2, 2)))));
    black_box((
        crate::asarray(&ArrayD::<T>::default(vec![2])),
        crate::asarray(&vec![value]),
        crate::array(&[value; 2]),
    ));
    black_box(crate::asarray(&[value][..]));
    black_box((a.eq(&*a), a.eq(value), a.ne(&*a), a.ne(value), a.sum_axis(0), a.mean_axis(0)));
    black_box((crate::sort(a), crate::argsort(a), crate::unique(a), crate::searchsorted(a, &*a, crate::Side::Left)));
    black_box((crate::asarray(Array1::<T>::default(2)), crate::asarray(Array2::<T>::default((2, 2)))));
    black_box((crate::asarray(vec![value]), a.clone().into_host(), DeviceArray::from(vec![value])));
    black_box((
        crate::save("", a),
        crate::load::<T>(""),
        crate::host::save("", &a.to_host()),
        crate::host::load::<T>(""),
    ));
    black_box((crate::load_npz("").get::<T>(""), crate::load_npz("").get_host::<T>("")));
    black_box(a.sum());
    black_box(a.mean());
    black_box((a.prod(), a.argmax(), a.argmin(), a.argmax_axis(0), a.argmin_axis(0), a.cumsum(), a.cumsum_axis(0)));
    let mask = a.eq(value);
    let places = mask.flatnonzero();
    black_box((crate::where_(&mask, &*a, value), crate::where_(&mask, value, value), a.extract(&mask)));
    black_box((crate::where_(&mask, &*a, &*a), a.take(&places), a.take_axis(&places, 0)));
    a.putmask(&mask, value);
    a.put(&places, value);
    a.fill(value);
    a.assign(&a.copy());
    shown(store, a.clone(), formatter);
}

/// Arrays of numbers.
fn number<T: Number<Mean: Float>>(a: &DeviceArray<T>) {
    let value = T::default();
    macro_rules! each {
        ($($method:ident)*) => { black_box(($(a.$method(a), a.$method(value),)*)); };
    }
    each!(add subtract multiply divide remainder floor_divide modulo maximum minimum lt le gt ge);
    black_box((a.abs(), a.floor(), a.ceil(), a.round(), a.trunc(), a.sign(), a.negative(), a.square(), -a));
    black_box((a.clip(value, value), a.is_nan(), a.is_finite(), crate::diff(a, 1, 0), crate::linalg::norm(a)));
    macro_rules! operators {
        ($($sign:tt $assign:tt)*) => {$(
            black_box((a $sign a, a $sign a.clone(), a.clone() $sign a, a.clone() $sign a.clone()));
            black_box((a $sign value, a.clone() $sign value));
            let mut changed = a.clone();
            changed $assign a;
            changed $assign value;
        )*};
    }
    operators!(+ += - -= * *= / /=);
    black_box((a.min(), a.max(), a.min_axis(0), a.max_axis(0)));
    black_box((crate::ones::<T>(4), crate::ones::<T>((2, 2)), crate::ones::<T>([2, 2]), crate::eye::<T>(2)));
    black_box((crate::histogram(a, 10, ..), crate::bincount(a)));
    black_box(crate::median(a));
    black_box((crate::arange(value), crate::arange(value..value), crate::arange((value, value, value))));
    black_box(crate::convolve(a, a, Mode::Same));
    black_box((crate::dot(a, a), crate::matmul(a, a), crate::outer(a, a)));
    black_box((crate::linalg::det(a), crate::linalg::matrix_rank(a), crate::linalg::matrix_power(a, 2)));
    black_box((crate::convolve2d(a, a, Mode::Same), crate::convolve2d_with(a, a, Mode::Same, Boundary::Wrap)));
    black_box((crate::correlate(a, a, Mode::Same), crate::correlate2d(a, a, Mode::Same)));
    black_box((crate::allclose(a, a), crate::allclose(a, &a.to_host())));
}

/// Arrays of floats.
fn float<T: Float>(a: &DeviceArray<T>) {
    let value = T::default();
    macro_rules! each {
        ($($variant:ident $method:ident $cuda:literal |$x:ident| $value:expr;)*) => { $(black_box(a.$method());)* };
    }
    float_functions!(each);
    black_box((
        a.reciprocal(),
        a.atan2(a),
        a.hypot(a),
        crate::fft::rfft(a),
        crate::fft::rfft2(a),
        crate::fft::rfftn(a),
    ));
    black_box((crate::linalg::qr(a), crate::linalg::inv(a), crate::linalg::solve(a, a), crate::linalg::cholesky(a)));
    black_box((crate::linalg::eigh(a), crate::linalg::svd(a), crate::linalg::lstsq(a, a), crate::linalg::pinv(a)));
    black_box((a.powf(value), a.powi(2), crate::linspace(value, value, 2), crate::fftconvolve(a, a, Mode::Same)));
    black_box((crate::random::uniform(value, value, 4), crate::random::uniform(value, value, (2, 2))));
    black_box((crate::random::normal(value, value, 4), crate::random::normal(value, value, (2, 2))));
    black_box((crate::host::random::uniform(value, value, 4), crate::host::random::uniform(value, value, (2, 2))));
    black_box((crate::host::random::normal(value, value, 4), crate::host::random::normal(value, value, (2, 2))));
}

/// Arrays of floats and of complex numbers.
fn inexact<T: Inexact>(a: &DeviceArray<T>) {
    use crate::fft::{self, Norm};
    black_box((fft::fft(a), fft::ifft(a), fft::irfft(a), fft::fft2(a), fft::ifft2(a), fft::irfft2(a)));
    black_box((fft::fft_with(a, None, 0, Norm::Backward), fft::ifft_with(a, None, 0, Norm::Backward)));
    black_box((fft::fftn(a), fft::ifftn(a), fft::irfftn(a), fft::fftshift(a), fft::ifftshift(a)));
}

/// Arrays of complex numbers.
fn complex<T: Inexact>(store: &mut VariableStore, a: &DeviceArray<T>, formatter: &mut Formatter<'_>) {
    let value = T::default();
    black_box(Display::fmt(a, formatter)).ok();
    black_box((a.to_host(), a.to_host_as::<Ix1>(), a.to_host_as::<Ix2>(), a.item(), a.get(&[0]), a.copy()));
    black_box((a.slice(ndarray::s![1..2]), a.slice(ndarray::s![1..2, 1..2]), a.reshape((2, 2)), a.t()));
    black_box((
        crate::zeros::<T>(4),
        crate::zeros::<T>((2, 2)),
        crate::array(&[value; 2]),
        crate::asarray(&vec![value]),
    ));
    black_box((crate::asarray(&Array1::<T>::default(2)), crate::asarray(&Array2::<T>::default((2, 2)))));
    black_box((a.eq(a), a.abs(), a.exp(), a.sqrt(), a.square(), -a, a.sum(), a.mean(), a.sum_axis(0)));
    let b = &a.clone();
    black_box((a + b, a - b, a * b, a / b, a + value, a - value, a * value, a / value));
    black_box((crate::allclose(a, a), crate::allclose(a, &a.to_host())));
    shown(store, a.clone(), formatter);
}

/// Arrays of integers and bools.
fn bits<T: Bitwise>(a: &DeviceArray<T>) {
    let b = &a.clone();
    black_box((a & b, a | b, a ^ b, !a));
}

/// Pictures.
fn picture<T: Element>(a: &DeviceArray<T>)
where
    DeviceArray<T>: crate::ImageSource,
    Array2<T>: crate::ImageSource,
{
    black_box((crate::imshow(a), crate::imshow(&a.to_host_as::<Ix2>())));
}

macro_rules! types {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => { $(types!(@$kind $use $tag $type);)* };
    (@$kind:ident storage $tag:ident $type:ty) => {};
    (@Bool computed $tag:ident $type:ty) => { types!(@real $tag $type: bits); };
    (@Float computed $tag:ident $type:ty) => {
        types!(@real $tag $type: number float inexact picture);
    };
    (@Complex computed $tag:ident $type:ty) => {
        /// Device arrays of complex numbers.
        #[allow(non_snake_case, reason = "the name is a tag")]
        pub fn $tag(store: &mut VariableStore, array: &DeviceArray<$type>, formatter: &mut Formatter<'_>) {
            complex(store, array, formatter);
            inexact(array);
        }
    };
    (@$integer:ident computed $tag:ident $type:ty) => {
        types!(@real $tag $type: number bits picture);
    };
    (@real $tag:ident $type:ty: $($of_kind:ident)*) => {
        /// Device arrays of one element type.
        #[allow(non_snake_case, reason = "the name is a tag")]
        pub fn $tag(store: &mut VariableStore, array: &mut DeviceArray<$type>, formatter: &mut Formatter<'_>) {
            element(store, array, formatter);
            $($of_kind(array);)*
        }
    };
}
dtypes!(types!());
