//! Functions that tests run over arrays, with what `#[vectorize]` would register of them.

use crate::backend::tests::reference::values;
use crate::dtype::{DType, Element, Scalar, dtypes, if_dtype};
use crate::registry::{Captures, Function, FunctionParameter, References, Role, Text, register};
use half::{bf16, f16};

/// A function for devices, and the same on the host.
pub(super) struct Case {
    pub function: Function,
    pub host: fn(&[Scalar]) -> Vec<Scalar>,
    /// What results may be off, relatively.
    pub tolerance: f64,
    /// Random elements that the function takes.
    pub values: fn(DType, usize, u64) -> Vec<Scalar>,
}

/// A type of parameters and results.
pub(super) trait Plain: Element {
    fn of(value: Scalar) -> Self;
    fn scalar(self) -> Scalar;
}

macro_rules! plain {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
        $(if_dtype! { real $kind $use {
            impl Plain for $type {
                fn of(value: Scalar) -> $type {
                    <$type>::from_scalar(value).unwrap_or_else(|| unreachable!("{value:?} is of another type"))
                }
                fn scalar(self) -> Scalar {
                    self.to_scalar()
                }
            }
        } {} })*
    };
}
dtypes!(plain!());

/// What a function returns.
pub(super) trait Results {
    const DTYPES: &'static [DType];
    fn scalars(self) -> Vec<Scalar>;
}

impl<T: Plain> Results for T {
    const DTYPES: &'static [DType] = &[T::DTYPE];
    fn scalars(self) -> Vec<Scalar> {
        vec![self.scalar()]
    }
}

impl<A: Plain, B: Plain> Results for (A, B) {
    const DTYPES: &'static [DType] = &[A::DTYPE, B::DTYPE];
    fn scalars(self) -> Vec<Scalar> {
        vec![self.0.scalar(), self.1.scalar()]
    }
}

impl<A: Plain, B: Plain, C: Plain> Results for (A, B, C) {
    const DTYPES: &'static [DType] = &[A::DTYPE, B::DTYPE, C::DTYPE];
    fn scalars(self) -> Vec<Scalar> {
        vec![self.0.scalar(), self.1.scalar(), self.2.scalar()]
    }
}

/// Random elements with the edges of their types among them.
pub(super) fn any(dtype: DType, count: usize, seed: u64) -> Vec<Scalar> {
    values(dtype, count, seed, true)
}

/// Random elements of moderate size.
pub(super) fn moderate(dtype: DType, count: usize, seed: u64) -> Vec<Scalar> {
    values(dtype, count, seed, false)
}

/// Registers nothing: the function as `gpu::map` gets it.
pub(super) fn function(
    name: &'static str,
    text: &'static Text,
    parameters: &'static [FunctionParameter],
    results: &'static [DType],
) -> Function {
    Function {
        name,
        parameters,
        results,
        block: |_, _| unreachable!("runs on the device"),
        recorded: None,
        text,
        captures: Captures::none(),
        as_of: u64::MAX,
    }
}

/// A function of Rust, and a function of its name that gives it as a [`Case`].
macro_rules! case {
    ($values:ident, $tolerance:expr, $(calls $called:ident,)?
     fn $name:ident($($parameter:ident: $type:ident),*) -> $result:ty $body:block) => {{
        #[allow(clippy::too_many_arguments)]
        fn $name($($parameter: $type),*) -> $result $body
        static TEXT: $crate::registry::Text = $crate::registry::Text {
            role: $crate::registry::Role::Vectorize,
            source: stringify!(fn $name($($parameter: $type),*) -> $result $body),
            written: "",
            line: 1,
            references: |_references| {
                $(_references.function(stringify!($called), std::any::type_name_of_val(&$called));)?
            },
        };
        $crate::backend::tests::cuda::functions::Case {
            function: $crate::backend::tests::cuda::functions::function(
                stringify!($name),
                &TEXT,
                &[$($crate::registry::FunctionParameter::Element(<$type as $crate::Element>::DTYPE)),*],
                <$result as $crate::backend::tests::cuda::functions::Results>::DTYPES,
            ),
            host: |given| {
                let mut given = given.iter().copied();
                $(let $parameter = <$type as $crate::backend::tests::cuda::functions::Plain>::of(given.next().unwrap());)*
                $crate::backend::tests::cuda::functions::Results::scalars($name($($parameter),*))
            },
            tolerance: $tolerance,
            values: $crate::backend::tests::cuda::functions::$values,
        }
    }};
}
pub(super) use case;

/// What `polar` calls.
fn to_cartesian(radius: f32, angle: f32) -> (f32, f32) {
    (radius * angle.cos(), radius * angle.sin())
}

static HELPER: Text = Text {
    role: Role::Device,
    source: "fn to_cartesian(radius: f32, angle: f32) -> (f32, f32) { (radius * angle.cos(), radius * angle.sin()) }",
    written: "",
    line: 1,
    references: no_references,
};

fn no_references(_: &mut References) {}

/// Registers what the cases call.
pub(super) fn register_helpers() {
    register(std::any::type_name_of_val(&to_cartesian), "", &HELPER, None);
}

/// Functions of all element types, of one parameter and several, with one result and several.
pub(super) fn cases() -> Vec<Case> {
    vec![
        case!(
            any,
            0.0,
            fn squared_difference(x: f32, y: f32) -> f32 {
                (x - y) * (x - y)
            }
        ),
        case!(
            any,
            0.0,
            fn both(x: f64, n: i32) -> (f64, bool) {
                (x * 0.5 - 1.0, n > 3)
            }
        ),
        case!(
            any,
            0.0,
            fn negative_abs(a: i64, b: i32) -> bool {
                a.wrapping_abs() < 0 || b.wrapping_abs() < 0
            }
        ),
        case!(
            any,
            0.0,
            fn truth(a: bool, b: bool) -> bool {
                a && !b
            }
        ),
        case!(
            any,
            0.0,
            fn mixed_bytes(a: u8, b: bool, c: u8) -> u8 {
                if b { a.wrapping_add(c) } else { a ^ c }
            }
        ),
        case!(
            any,
            0.0,
            fn narrow(a: i8, b: u16, c: i16) -> (i8, u16, i16) {
                (a.wrapping_mul(3), b / 2, c.saturating_sub(a as i16))
            }
        ),
        case!(
            moderate,
            // What the exponent, up to some tens, is rounded by.
            1e-5,
            fn gauss(x: f32, mean: f32, sigma: f32) -> f32 {
                let scaled = (x - mean) / (sigma * sigma + 0.5);
                (-0.5 * scaled * scaled).exp()
            }
        ),
        case!(
            moderate,
            0.0,
            fn steps(n: i32) -> i32 {
                let mut left = n.wrapping_abs() % 1000 + 1;
                let mut count = 0;
                while left != 1 {
                    left = if left % 2 == 0 { left / 2 } else { 3 * left + 1 };
                    count += 1;
                }
                count
            }
        ),
        case!(
            any,
            0.0,
            fn three(a: i64, b: u32, c: f64) -> (u32, f64, i64) {
                (b.rotate_left(7), c + 1.0, a.wrapping_mul(3))
            }
        ),
        case!(
            any,
            0.0,
            fn unsigned(a: u64, b: u32) -> u64 {
                a.wrapping_add(b as u64) >> (b % 64)
            }
        ),
        case!(
            any,
            0.0,
            fn signed(a: i64) -> i64 {
                a.wrapping_mul(a).wrapping_sub(7)
            }
        ),
        case!(
            any,
            0.0,
            fn small(a: u32) -> u32 {
                a.count_ones() + a.leading_zeros()
            }
        ),
        case!(
            any,
            0.0,
            fn narrow(a: f64) -> i32 {
                a as i32
            }
        ),
        case!(
            any,
            0.0,
            fn wide(a: f64, b: f64) -> f64 {
                a.max(b) - 0.25
            }
        ),
        case!(
            any,
            0.0,
            fn many(a: bool, b: u8, c: i32, d: u32, e: i64, f: u64, g: f32, h: f64) -> f64 {
                let whole =
                    (b as i64).wrapping_add(c as i64).wrapping_add(d as i64).wrapping_add(e).wrapping_add(f as i64);
                if a { whole as f64 } else { g as f64 - h }
            }
        ),
        case!(
            any,
            0.0,
            fn halves(a: f16, b: f16, c: f32) -> (f16, bool) {
                let mut sum = a * b - f16::from_f32(c);
                sum += f16::ONE;
                (if sum.is_nan() { f16::ZERO } else { -sum }, a < b)
            }
        ),
        case!(
            moderate,
            0.0,
            fn brains(a: bf16, b: bf16) -> (bf16, bool) {
                ((a + b) / (b.max(a) * b + bf16::from_f32(a.to_f32().abs() + 1.0)), a == b)
            }
        ),
        case!(moderate, 2e-5, calls to_cartesian, fn polar(r: f32, a: f32, s: f32, b: f32) -> f32 {
            let (x, y) = to_cartesian(r, a);
            let (z, w) = to_cartesian(s, b);
            ((x - z) * (x - z) + (y - w) * (y - w)).sqrt()
        }),
    ]
}
