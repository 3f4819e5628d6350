//! Reading tests/parity/fixtures.json, which NumPy and SciPy computed (see generate.py beside it), and the messages of panics.

use expect_test::Expect;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use warpcell::ndarray::{ArrayD, IxDyn};
use warpcell::{DeviceArray, Element, Mode, Real, Scalar, f16};

/// The cases of one family.
pub fn cases(family: &str) -> &'static [Value] {
    static FIXTURES: OnceLock<Value> = OnceLock::new();
    let fixtures = FIXTURES.get_or_init(|| {
        // Where the program runs without the repository around it, a variable says where they are.
        let path = std::env::var("WARPCELL_TEST_FIXTURES")
            .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/parity/fixtures.json").to_owned());
        let text = std::fs::read_to_string(path).expect("the fixtures are in the repository");
        serde_json::from_str(&text).expect("the fixtures are JSON")
    });
    let cases = fixtures[family].as_array().expect("a family of cases");
    assert!(!cases.is_empty());
    cases
}

/// An element type that fixtures hold.
pub trait Sample: Real {
    fn read(value: &Value) -> Self;
}

macro_rules! integers {
    ($($type:ident)*) => {$(
        impl Sample for $type {
            fn read(value: &Value) -> Self {
                let wide = value.as_i64().map(i128::from).or(value.as_u64().map(i128::from));
                wide.and_then(|value| $type::try_from(value).ok()).unwrap_or_else(|| panic!("{value} is no integer"))
            }
        }
    )*};
}
integers!(u8 i8 u16 i16 i32 u32 i64 u64);

impl Sample for bool {
    fn read(value: &Value) -> Self {
        value.as_i64().expect("0 or 1") == 1
    }
}
impl Sample for f64 {
    fn read(value: &Value) -> Self {
        match value.as_str() {
            Some("nan") => f64::NAN,
            Some("inf") => f64::INFINITY,
            Some("-inf") => f64::NEG_INFINITY,
            _ => value.as_f64().expect("a number"),
        }
    }
}
impl Sample for f32 {
    fn read(value: &Value) -> Self {
        f64::read(value) as f32
    }
}
impl Sample for f16 {
    fn read(value: &Value) -> Self {
        f16::from_f32(f32::read(value))
    }
}

/// The host array that a case holds under a name.
pub fn host<T: Sample>(case: &Value, name: &str) -> ArrayD<T> {
    let array = &case[name];
    assert_eq!(array["dtype"], T::DTYPE.name(), "{name} of {case}");
    let shape: Vec<usize> = array["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
    let data = array["data"].as_array().unwrap().iter().map(T::read).collect();
    ArrayD::from_shape_vec(IxDyn(&shape), data).expect("the shape has as many elements")
}

/// The same on the device.
pub fn device<T: Sample>(case: &Value, name: &str) -> DeviceArray<T> {
    warpcell::asarray(&host::<T>(case, name))
}

/// The mode of a case of convolution or correlation.
pub fn mode(case: &Value) -> Mode {
    match case["mode"].as_str() {
        Some("full") => Mode::Full,
        Some("same") => Mode::Same,
        Some("valid") => Mode::Valid,
        _ => panic!("{case}"),
    }
}

/// Compares element by element to a relative tolerance; NaN equals NaN, and 0 demands the very number.
#[track_caller]
pub fn assert_same<T: Element>(actual: &ArrayD<T>, expected: &ArrayD<T>, tolerance: f64, case: &Value) {
    assert_eq!(actual.shape(), expected.shape(), "{case}");
    for (&actual_one, &expected_one) in actual.iter().zip(expected) {
        let same = match (float(actual_one), float(expected_one)) {
            (Some(a), Some(e)) if a.is_nan() && e.is_nan() => true,
            (Some(a), Some(e)) => a == e || (a - e).abs() <= tolerance * e.abs(),
            _ => actual_one == expected_one,
        };
        assert!(same, "{actual_one} is not {expected_one}\n{actual}\n{case}");
    }
}

fn float<T: Element>(value: T) -> Option<f64> {
    match value.to_scalar() {
        Scalar::F32(value) => Some(value.into()),
        Scalar::F64(value) => Some(value),
        _ => None,
    }
}

/// Calls a generic function with the type that a dtype's name stands for.
macro_rules! with_dtype {
    ($dtype:expr, [$($type:ident)*], $function:ident $arguments:tt) => {
        match $dtype.as_str().expect("a dtype") {
            $(stringify!($type) => $function::<$type> $arguments,)*
            other => panic!("no test for {other}"),
        }
    };
}
pub(crate) use with_dtype;

/// The message of the panic that a call ends with.
#[track_caller]
pub fn message<R>(work: impl FnOnce() -> R) -> String {
    let panicked = catch_unwind(AssertUnwindSafe(work)).err().expect("a panic");
    *panicked.downcast::<String>().expect("a message")
}

/// Checks the message of a panic.
#[track_caller]
pub fn check(work: impl FnOnce(), expected: Expect) {
    expected.assert_eq(&message(work));
}
