//! Results on the host, and whether two of them are the same.

use serde_json::Value;
use std::fmt;
use warpcell::{Complex, DType, DeviceArray, Element, Scalar};

/// An array on the host, of any type.
#[derive(PartialEq)]
pub struct Host {
    dtype: DType,
    shape: Vec<usize>,
    values: Vec<Number>,
}

/// An element: an integer, or the parts of a complex number as bits.
#[derive(Clone, Copy, PartialEq)]
enum Number {
    Integer(i128),
    Float(u64, u64),
}

impl Number {
    fn of(scalar: Scalar) -> Number {
        let float = |value: f64| Number::Float(bits(value), bits(0.0));
        match scalar {
            Scalar::Bool(value) => Number::Integer(value.into()),
            Scalar::U8(value) => Number::Integer(value.into()),
            Scalar::I8(value) => Number::Integer(value.into()),
            Scalar::U16(value) => Number::Integer(value.into()),
            Scalar::I16(value) => Number::Integer(value.into()),
            Scalar::U32(value) => Number::Integer(value.into()),
            Scalar::I32(value) => Number::Integer(value.into()),
            Scalar::U64(value) => Number::Integer(value.into()),
            Scalar::I64(value) => Number::Integer(value.into()),
            Scalar::F16(value) => float(value.to_f64()),
            Scalar::BF16(value) => float(value.to_f64()),
            Scalar::F32(value) => float(value.into()),
            Scalar::F64(value) => float(value),
            Scalar::C64(value) => Number::Float(bits(value.re.into()), bits(value.im.into())),
            Scalar::C128(value) => Number::Float(bits(value.re), bits(value.im)),
        }
    }
}

/// All NaN are the same.
fn bits(value: f64) -> u64 {
    if value.is_nan() { f64::NAN.to_bits() } else { value.to_bits() }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Number::Integer(value) => write!(f, "{value}"),
            Number::Float(re, 0) => write!(f, "{:?}", f64::from_bits(re)),
            Number::Float(re, im) => write!(f, "{:?}{:+?}j", f64::from_bits(re), f64::from_bits(im)),
        }
    }
}

impl Host {
    pub fn of<T: Element>(array: &DeviceArray<T>) -> Host {
        let host = array.to_host();
        let values = host.iter().map(|&value| Number::of(value.to_scalar())).collect();
        Host { dtype: T::DTYPE, shape: array.shape().to_vec(), values }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:?}[", self.dtype.numpy_name(), self.shape)?;
        for (at, value) in self.values.iter().enumerate().take(40) {
            write!(f, "{}{value}", if at == 0 { "" } else { " " })?;
        }
        write!(f, "{}]", if self.values.len() > 40 { " …" } else { "" })
    }
}

/// What a call gives.
pub trait Outcome {
    fn hosts(self) -> Vec<Host>;
}
impl<T: Element> Outcome for DeviceArray<T> {
    fn hosts(self) -> Vec<Host> {
        vec![Host::of(&self)]
    }
}
impl<T: Element> Outcome for Vec<DeviceArray<T>> {
    fn hosts(self) -> Vec<Host> {
        self.iter().map(Host::of).collect()
    }
}
impl Outcome for Vec<Host> {
    fn hosts(self) -> Vec<Host> {
        self
    }
}
macro_rules! tuples {
    ($(($($name:ident)*))*) => {$(
        impl<$($name: Outcome),*> Outcome for ($($name,)*) {
            #[allow(non_snake_case, reason = "the names of the types are those of the values")]
            fn hosts(self) -> Vec<Host> {
                let ($($name,)*) = self;
                [$($name.hosts()),*].into_iter().flatten().collect()
            }
        }
    )*};
}
tuples! { (A B) (A B C) (A B C D) }
macro_rules! scalars {
    ($($type:ty => $as:ty),*) => {$(
        impl Outcome for $type {
            fn hosts(self) -> Vec<Host> {
                vec![Host { dtype: <$as>::DTYPE, shape: vec![], values: vec![Number::of((self as $as).to_scalar())] }]
            }
        }
    )*};
}
scalars! { bool => bool, u8 => u8, i8 => i8, i32 => i32, i64 => i64, u64 => u64, f32 => f32, f64 => f64, usize => i64 }
scalars! { Complex<f32> => Complex<f32>, Complex<f64> => Complex<f64> }

/// What is wrong with our results, if anything.
pub fn difference(ours: &[Host], expected: &[Host], case: &Value) -> Option<String> {
    if ours.len() != expected.len() {
        return Some(format!("{} results, not {}", ours.len(), expected.len()));
    }
    let number = |key: &str| case[key].as_f64().unwrap_or(0.0);
    let tolerances = (number("relative"), number("absolute"));
    let dtypes = !case["any_dtype"].as_bool().unwrap_or(false);
    let zeros = case["any_zero"].as_bool().unwrap_or(false);
    ours.iter().zip(expected).find_map(|(ours, expected)| {
        if dtypes && ours.dtype != expected.dtype {
            return Some(format!("the dtype is {}, not {}", ours.dtype.numpy_name(), expected.dtype.numpy_name()));
        }
        if ours.shape != expected.shape {
            return Some(format!("the shape is {:?}, not {:?}", ours.shape, expected.shape));
        }
        let at = (0..ours.values.len()).find(|&at| !same(ours.values[at], expected.values[at], tolerances, zeros))?;
        Some(format!("element {at} is {}, not {}", ours.values[at], expected.values[at]))
    })
}

fn same(ours: Number, expected: Number, tolerances: (f64, f64), zeros: bool) -> bool {
    match (ours, expected) {
        _ if ours == expected => true,
        (Number::Float(re, im), Number::Float(expected_re, expected_im)) => {
            let ours = [re, im].map(f64::from_bits);
            let expected = [expected_re, expected_im].map(f64::from_bits);
            // Parts of a complex number are as exact as the number.
            let size = expected[0].abs().max(expected[1].abs());
            (0..2).all(|part| near(ours[part], expected[part], size, tolerances, zeros))
        }
        (Number::Integer(ours), Number::Integer(expected)) => (ours - expected).unsigned_abs() as f64 <= tolerances.1,
        // Where the element type is not compared.
        (Number::Integer(ours), Number::Float(expected, 0)) => ours as f64 == f64::from_bits(expected),
        (Number::Float(ours, 0), Number::Integer(expected)) => f64::from_bits(ours) == expected as f64,
        _ => false,
    }
}

fn near(ours: f64, expected: f64, size: f64, (relative, absolute): (f64, f64), zeros: bool) -> bool {
    if ours.to_bits() == expected.to_bits() || (zeros && ours == expected) {
        return true;
    }
    let inexact = relative > 0.0 || absolute > 0.0;
    // A last digit too much makes the largest number infinite.
    let overflows = ours.is_infinite() && ours == expected * (1.0 + relative);
    inexact && size.is_finite() && (overflows || (ours - expected).abs() <= absolute + relative * size)
}
