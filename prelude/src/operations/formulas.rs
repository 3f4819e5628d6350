//! Formulas of elements for functions that would take several passes if they were composed: one text for all types of a kind, in code
//! that runs on every device.
//!
//! Each is a `#[vectorize]` function like those of notebooks, so that a device computes it in one pass. [`apply`] runs the one for
//! the type of its operands.

use crate::array::RawArray;
use crate::dtype::DType;
use crate::error::Result;
use crate::operations::elementwise::RawOperand;
use crate::operations::map::registered_all;

/// The name of a formula for elements of a type that operations compute in.
pub(crate) type Formula = fn(DType) -> &'static str;

/// What a formula gives for operands of one type, that of the first one, and perhaps others of types that operations compute in.
/// Types for storage are computed in a wider one, and so are results of their type.
pub(crate) fn apply(operation: &'static str, formula: Formula, operands: &[RawOperand<'_>]) -> Result<Vec<RawArray>> {
    let dtype = operands[0].dtype();
    if !dtype.is_storage() {
        return registered_all(operation, formula(dtype), operands);
    }
    let computed = |operand: &RawOperand<'_>| match operand {
        RawOperand::Array(array) if array.dtype == dtype => array.to_compute_type(operation).map(Some),
        _ => Ok(None),
    };
    let arrays = operands.iter().map(computed).collect::<Result<Vec<Option<RawArray>>>>()?;
    let operands: Vec<RawOperand<'_>> = operands
        .iter()
        .zip(&arrays)
        .map(|(operand, array)| match (operand, array) {
            (_, Some(array)) => RawOperand::Array(array),
            (RawOperand::Scalar(value), None) if value.dtype() == dtype => RawOperand::Scalar(value.to_compute_type()),
            (other, None) => *other,
        })
        .collect();
    let results = registered_all(operation, formula(dtype.compute_type()), &operands)?;
    let stored = |result: RawArray| {
        if result.dtype == dtype.compute_type() { result.converted(operation, dtype) } else { Ok(result) }
    };
    results.into_iter().map(stored).collect()
}

/// Whether the formulas "of numbers" are there for a type.
pub(crate) fn has_numbers(dtype: DType) -> bool {
    !dtype.is_storage() && !dtype.is_complex() && dtype != DType::Bool
}

/// As [`apply`], of a formula with one result.
pub(crate) fn apply_one(operation: &'static str, formula: Formula, operands: &[RawOperand<'_>]) -> Result<RawArray> {
    Ok(apply(operation, formula, operands)?.swap_remove(0))
}

macro_rules! of_floats {
    ($($module:ident $float:ident)*) => {$(
        mod $module {
            use warpcell_macros::vectorize;

            #[vectorize]
            pub fn larger(x: $float, y: $float) -> $float {
                if x < y || x.is_nan() { y } else { x }
            }

            #[vectorize]
            pub fn smaller(x: $float, y: $float) -> $float {
                if x > y || x.is_nan() { y } else { x }
            }

            #[vectorize]
            pub fn sinc(x: $float) -> $float {
                let angle = x * std::$float::consts::PI;
                if angle == 0.0 { 1.0 } else { angle.sin() / angle }
            }

            #[vectorize]
            pub fn step(x: $float, at_zero: $float) -> $float {
                if x < 0.0 {
                    0.0
                } else if x > 0.0 {
                    1.0
                } else if x == 0.0 {
                    at_zero
                } else {
                    x
                }
            }

            #[vectorize]
            pub fn log_of_sum(x: $float, y: $float) -> $float {
                // Equal infinities have no difference.
                if x == y {
                    return x + std::$float::consts::LN_2;
                }
                let distance = x - y;
                let larger = if distance > 0.0 { x } else { y };
                if distance.is_nan() { distance } else { larger + (-distance.abs()).exp().ln_1p() }
            }

            #[vectorize]
            pub fn log2_of_sum(x: $float, y: $float) -> $float {
                if x == y {
                    return x + 1.0;
                }
                let distance = x - y;
                let larger = if distance > 0.0 { x } else { y };
                let more = std::$float::consts::LOG2_E * (-distance.abs()).exp2().ln_1p();
                if distance.is_nan() { distance } else { larger + more }
            }

            #[vectorize]
            pub fn fraction_and_whole(x: $float) -> ($float, $float) {
                let whole = x.trunc();
                // An infinity less itself is NaN.
                let fraction = if x.is_infinite() { 0.0 } else { x - whole };
                (fraction.copysign(x), whole)
            }

            #[vectorize]
            pub fn next_towards(x: $float, y: $float) -> $float {
                if x.is_nan() || y.is_nan() {
                    x + y
                } else if x < y {
                    x.next_up()
                } else if x > y {
                    x.next_down()
                } else {
                    y
                }
            }

            #[vectorize]
            pub fn number_for(x: $float, nan: $float, above: $float, below: $float) -> $float {
                if x.is_nan() {
                    nan
                } else if x == $float::INFINITY {
                    above
                } else if x == $float::NEG_INFINITY {
                    below
                } else {
                    x
                }
            }

            #[vectorize]
            pub fn quotient_and_rest(x: $float, y: $float) -> ($float, $float) {
                // What a whole quotient leaves is rounded once, as below. If the rounded quotient has come up to a whole number that the
                // exact one is below, what is left is exact, and of the other sign.
                let down = (x / y).floor();
                if down.abs() < 0.25 / $float::EPSILON && y.is_finite() {
                    let left = (-down).mul_add(y, x);
                    if left != 0.0 && (left < 0.0) != (y < 0.0) {
                        return (down - 1.0, left + y);
                    }
                    let modulo = if left == 0.0 { (0.0 as $float).copysign(y) } else { left };
                    return (if down == 0.0 { (0.0 as $float).copysign(x / y) } else { down }, modulo);
                }
                let rest = x % y;
                let is_past = rest != 0.0 && (rest < 0.0) != (y < 0.0);
                let modulo = if rest == 0.0 {
                    (0.0 as $float).copysign(y)
                } else if is_past {
                    rest + y
                } else {
                    rest
                };
                if y == 0.0 {
                    return (x / y, modulo);
                }
                // A whole number, but for rounding.
                let quotient = (x - rest) / y - if is_past { 1.0 } else { 0.0 };
                if quotient == 0.0 {
                    return ((0.0 as $float).copysign(x / y), modulo);
                }
                let whole = quotient.floor();
                (if quotient - whole > 0.5 { whole + 1.0 } else { whole }, modulo)
            }

            /// What a step is to be changed by, so that it is at most half a period in one direction or the other.
            #[vectorize]
            pub fn turn(later: $float, earlier: $float, period: $float, least: $float) -> $float {
                let step = later - earlier;
                if step.abs() < least {
                    return 0.0;
                }
                let half = period / 2.0;
                let rest = (step + half) % period;
                let modulo = if rest != 0.0 && (rest < 0.0) != (period < 0.0) { rest + period } else { rest };
                let reduced = modulo - half;
                if reduced == -half && step > 0.0 { half - step } else { reduced - step }
            }

            /// The sum of `a + b cos(πx) + c cos(2πx)` at `x = (row + column) / span`.
            #[vectorize]
            pub fn cosines(row: $float, column: $float, span: $float, a: $float, b: $float, c: $float) -> $float {
                let angle = std::$float::consts::PI * (row + column) / span;
                let sum = a + b * angle.cos();
                if c == 0.0 { sum } else { sum + c * (2.0 * angle).cos() }
            }

            /// From 0 to 1 and back to 0 while `row + column` goes from `-span` to `span`.
            #[vectorize]
            pub fn triangle(row: $float, column: $float, span: $float) -> $float {
                1.0 - ((row + column) / span).abs()
            }

            /// The number rounded to a multiple of `1 / factor`, or of `factor` where it is not `behind_point`.
            #[vectorize]
            pub fn rounded(x: $float, factor: $float, behind_point: bool) -> $float {
                if behind_point {
                    (x * factor).round_ties_even() / factor
                } else {
                    (x / factor).round_ties_even() * factor
                }
            }

            #[vectorize]
            pub fn is_close(x: $float, y: $float, relative: f64, absolute: f64, equal_nan: bool) -> bool {
                let (one, other) = (x as f64, y as f64);
                // An infinity has an infinite tolerance, within which every number would lie.
                let is_within = other.is_finite() && (one - other).abs() <= absolute + relative * other.abs();
                is_within || one == other || equal_nan && one.is_nan() && other.is_nan()
            }

            #[vectorize]
            pub fn limited(x: $float, low: $float, high: $float) -> $float {
                // NaN stays, and a limit that is NaN gives NaN. Each is a choice between two values, which vectors make without branches.
                let raised = if x >= low { x } else { low };
                let raised = if x.is_nan() { x } else { raised };
                let limited = if raised <= high { raised } else { high };
                if raised.is_nan() { raised } else { limited }
            }

            #[vectorize]
            pub fn power(x: $float, y: $float) -> f64 {
                (x as f64).powf(y as f64)
            }

            #[vectorize]
            pub fn horner_step(sum: $float, x: $float, coefficient: $float) -> $float {
                sum * x + coefficient
            }
        }
    )*};
}
of_floats!(single f32 double f64);

macro_rules! of_integers {
    ($(($module:ident $integer:ident $($absolute:ident)?))*) => {$(
        mod $module {
            use warpcell_macros::vectorize;

            #[vectorize]
            pub fn limited(x: $integer, low: $integer, high: $integer) -> $integer {
                x.max(low).min(high)
            }

            #[vectorize]
            pub fn quotient(x: $integer, y: $integer) -> f64 {
                x as f64 / y as f64
            }

            #[vectorize]
            #[allow(unused_comparisons, reason = "of unsigned integers")]
            pub fn quotient_and_rest(x: $integer, y: $integer) -> ($integer, $integer) {
                if y == 0 {
                    return (0, 0);
                }
                let quotient = x.wrapping_div(y);
                let rest = x.wrapping_sub(quotient.wrapping_mul(y));
                if rest != 0 && (rest < 0) != (y < 0) {
                    return (quotient.wrapping_sub(1), rest.wrapping_add(y));
                }
                (quotient, rest)
            }

            #[vectorize]
            pub fn power(x: $integer, y: $integer) -> f64 {
                (x as f64).powf(y as f64)
            }

            #[vectorize]
            pub fn horner_step(sum: $integer, x: $integer, coefficient: $integer) -> $integer {
                sum.wrapping_mul(x).wrapping_add(coefficient)
            }

            /// The index with its sign taken away: of an axis that is longer than this, it is one.
            #[vectorize]
            pub fn unsigned_index(index: $integer) -> u64 {
                let size = index$(.$absolute())? as u64;
                // -1 is the last one, as 0 is the first. What a signed integer cannot hold is out of range in any case.
                if (index as i64) < 0 { size - 1 } else { size }
            }

            /// The index counted from the start.
            #[vectorize]
            pub fn from_start(index: $integer, length: i64) -> i64 {
                let place = index as i64;
                if place < 0 { place + length } else { place }
            }

            /// The integer rounded to a multiple of the factor.
            #[vectorize]
            pub fn rounded_integer(x: $integer, factor: f64) -> $integer {
                ((x as f64 / factor).round_ties_even() * factor) as $integer
            }

            #[vectorize]
            pub fn ones(x: $integer) -> u8 {
                x$(.$absolute())?.count_ones() as u8
            }
        }
    )*};
}
of_integers!((bytes u8) (integers i32 unsigned_abs) (naturals u32) (long_integers i64 unsigned_abs) (long_naturals u64));

mod words {
    use warpcell_macros::vectorize;

    /// Eight bytes of 0 or 1 as the bits of one byte, the first one the highest. With each step, twice as many bits are neighbours in
    /// the highest byte.
    #[vectorize]
    pub fn packed_bits(bytes: u64) -> u8 {
        let pairs = bytes | bytes << 9;
        let fours = pairs | pairs << 18;
        ((fours | fours << 36) >> 56) as u8
    }

    /// The same, the first one the lowest.
    #[vectorize]
    pub fn packed_bits_little(bytes: u64) -> u8 {
        let pairs = bytes | bytes >> 7;
        let fours = pairs | pairs >> 14;
        (fours | fours >> 28) as u8
    }
}

macro_rules! named {
    ($($(#[$doc:meta])* $name:ident of $types:ident;)*) => {$(named! { @of $types [$(#[$doc])* $name] })*};
    (@of words $name:tt) => { named! { @by $name U64 words } };
    (@of floats $name:tt) => { named! { @by $name F32 single F64 double } };
    (@of integers $name:tt) => {
        named! { @by $name U8 bytes I32 integers U32 naturals I64 long_integers U64 long_naturals }
    };
    (@of numbers $name:tt) => {
        named! {
            @by $name F32 single F64 double U8 bytes I32 integers U32 naturals I64 long_integers U64 long_naturals
        }
    };
    (@by [$(#[$doc:meta])* $name:ident] $($tag:ident $module:ident)*) => {
        $(#[$doc])*
        pub(crate) fn $name(dtype: DType) -> &'static str {
            match dtype {
                $(DType::$tag => std::any::type_name_of_val(&$module::$name),)*
                _ => unreachable!("operations reject arrays of {dtype}"),
            }
        }
    };
}
named! {
    /// The larger of two numbers, of which one may be NaN.
    larger of floats;
    /// The smaller of two numbers, of which one may be NaN.
    smaller of floats;
    /// `sin(πx) / (πx)`.
    sinc of floats;
    /// 0 below 0, 1 above 0, and the second argument at 0.
    step of floats;
    /// `log(exp(x) + exp(y))`.
    log_of_sum of floats;
    /// `log2(2**x + 2**y)`.
    log2_of_sum of floats;
    /// Two results: the fraction and the whole number, both with the sign.
    fraction_and_whole of floats;
    /// The neighbour in the direction of another number.
    next_towards of floats;
    /// The number in place of NaN, of infinity and of negative infinity.
    number_for of floats;
    /// Two results: the quotient rounded down, and what it leaves.
    quotient_and_rest of numbers;
    /// What to add to the later one of two angles so that it is near the earlier one.
    turn of floats;
    /// The weights of a window.
    cosines of floats;
    /// The weights of a triangular window.
    triangle of floats;
    /// The number rounded to a power of ten.
    rounded of floats;
    /// Whether two numbers are equal up to a tolerance.
    is_close of floats;
    /// The number, but not less than the one limit and not more than the other.
    limited of numbers;
    /// The power, as `f64`.
    power of numbers;
    /// A step of Horner's scheme.
    horner_step of numbers;
    /// Eight bytes of 0 or 1 as the bits of one byte, the first one the highest.
    packed_bits of words;
    /// The same, the first one the lowest.
    packed_bits_little of words;
    /// The quotient, as `f64`.
    quotient of integers;
    /// The index without its sign.
    unsigned_index of integers;
    /// The index, counted from the start also where it is negative.
    from_start of integers;
    /// The integer rounded to a power of ten.
    rounded_integer of integers;
    /// How many bits of the absolute value are 1.
    ones of integers;
}
