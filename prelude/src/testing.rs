//! Assertions that say where arrays differ and by how much; `numpy.testing`, `cupy.testing`.
//!
//! They take arrays on the host and on the device in any mix. The names are NumPy's: `actual` is what was computed,
//! `desired` what it should be.
//!
//! ```
//! use warpcell as gpu; // in a notebook, this is done already
//!
//! let x = gpu::linspace(0.0, 1.0, 100);
//! gpu::testing::assert_allclose(&x.sin(), &x.to_host().mapv(f64::sin));
//! ```

use crate::array::sides::{AnyView, sealed::Any};
use crate::array::{AnyArray, transfer};
use crate::device;
use crate::dtype::{DType, Kind};
use crate::error::{Error, Result, check};
use crate::number::general;
use crate::operations::allclose::compare;

/// Panics unless `|actual − desired| ≤ 1e-8 + 1e-5·|desired|` for all elements, with the number of mismatches and the worst
/// of them. The tolerances are those of [`allclose`](crate::allclose()).
///
/// The shapes must be equal, or `desired` must have no axes; element types may differ, and are compared as `f64`. Equal
/// infinities are close, and NaN is close to NaN, as in NumPy's assertions (but not in `allclose`). Waits for the device.
///
/// **Panics** also if the shapes differ.
///
/// ```should_panic
/// // assert_allclose: 1 of 3 elements (33.3 %) differs by more than 1e-08 + 1e-05·|desired|
/// //   largest absolute difference: 0.5 at [2]: actual 3.5, desired 3.0
/// //   largest relative difference: 0.167 at [2]: actual 3.5, desired 3.0
/// warpcell::testing::assert_allclose(&warpcell::array(&[1.0, 2.0, 3.5]), &[1.0, 2.0, 3.0]);
/// ```
#[track_caller]
pub fn assert_allclose<X: AnyArray + ?Sized, Y: AnyArray + ?Sized>(actual: &X, desired: &Y) {
    assert_within("assert_allclose", &Any::any_view(actual), &Any::any_view(desired), Some((1e-5, 1e-8)));
}

/// As [`assert_allclose`], with tolerances: `|actual − desired| ≤ absolute + relative·|desired|`.
///
/// **Panics** also if a tolerance is negative or NaN.
///
/// ```
/// warpcell::testing::assert_allclose_with(&[1.0, f64::NAN], &[1.01, f64::NAN], 0.1, 0.0);
/// ```
#[track_caller]
pub fn assert_allclose_with<X, Y>(actual: &X, desired: &Y, relative: f64, absolute: f64)
where
    X: AnyArray + ?Sized,
    Y: AnyArray + ?Sized,
{
    let tolerances = Some((relative, absolute));
    assert_within("assert_allclose_with", &Any::any_view(actual), &Any::any_view(desired), tolerances);
}

/// Panics unless all elements are equal, with the number of mismatches, the first and the worst of them.
///
/// The shapes must be equal, or `desired` must have no axes; element types may differ: values are compared, integers
/// exactly. NaN is equal to NaN. Waits for the device.
///
/// **Panics** also if the shapes differ.
///
/// ```
/// let x = warpcell::arange(5);
/// warpcell::testing::assert_array_equal(&x, &[0, 1, 2, 3, 4]);
/// ```
#[track_caller]
pub fn assert_array_equal<X: AnyArray + ?Sized, Y: AnyArray + ?Sized>(actual: &X, desired: &Y) {
    assert_within("assert_array_equal", &Any::any_view(actual), &Any::any_view(desired), None);
}

/// Panics unless the arrays agree within the tolerances, relative and absolute; without any, unless they are equal.
#[track_caller]
fn assert_within(operation: &'static str, actual: &AnyView<'_>, desired: &AnyView<'_>, tolerances: Option<(f64, f64)>) {
    if let Err(message) = check(agree(operation, actual, desired, tolerances)) {
        panic!("{operation}: {message}");
    }
}

fn agree(
    operation: &'static str,
    actual: &AnyView<'_>,
    desired: &AnyView<'_>,
    tolerances: Option<(f64, f64)>,
) -> Result<std::result::Result<(), String>> {
    let (relative, absolute) = tolerances.unwrap_or((0.0, 0.0));
    if !(relative >= 0.0 && absolute >= 0.0) {
        let reason = format!("the tolerances {relative} (relative) and {absolute} (absolute) must be 0 or more");
        return Err(Error::argument(operation, reason));
    }
    let types = [dtype_of(actual), dtype_of(desired)];
    let [actual_shape, desired_shape] = [shape_of(actual), shape_of(desired)];
    if actual_shape != desired_shape && !desired_shape.is_empty() {
        let mut message = format!("the shapes differ: actual has {actual_shape:?}, desired has {desired_shape:?}");
        message += &of_types(types);
        return Ok(Err(message));
    }
    // As f64 all types but integers of 64 bits are exact.
    let is_exact = types.iter().all(|dtype| !dtype.is_integer() || dtype.size() < 8);
    if (tolerances.is_some() || is_exact) && compare(actual, desired, relative, absolute, true)? {
        return Ok(Ok(()));
    }
    let elements = [elements(operation, actual)?, elements(operation, desired)?];
    let found = Differences::find(&elements, tolerances);
    Ok(if found.count == 0 { Ok(()) } else { Err(found.describe(actual_shape, &elements, tolerances, types)) })
}

fn shape_of<'a>(view: &'a AnyView<'_>) -> &'a [usize] {
    match view {
        AnyView::Host(host) => &host.shape,
        AnyView::Device(raw) => raw.shape(),
    }
}

fn dtype_of(view: &AnyView<'_>) -> DType {
    match view {
        AnyView::Host(host) => host.dtype,
        AnyView::Device(raw) => raw.dtype,
    }
}

/// Both types, if they differ.
fn of_types([actual, desired]: [DType; 2]) -> String {
    if actual == desired { String::new() } else { format!("\n  actual is of {actual}, desired of {desired}") }
}

/// The elements of an array on the host, with their exact values.
struct Elements {
    values: Values,
    dtype: DType,
}

enum Values {
    Floats(Vec<f64>),
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
}

/// One of them.
#[derive(Clone, Copy)]
enum Value {
    Float(f64),
    Integer(i128),
}

fn elements(operation: &'static str, view: &AnyView<'_>) -> Result<Elements> {
    let raw = transfer::bring(operation, view, &device::host())?;
    let dtype = raw.dtype;
    let values = match dtype.kind() {
        Kind::Narrow | Kind::Float => Values::Floats(transfer::download_vec(&raw.converted(operation, DType::F64)?)?),
        Kind::Signed => Values::Signed(transfer::download_vec(&raw.converted(operation, DType::I64)?)?),
        Kind::Bool | Kind::Unsigned => {
            Values::Unsigned(transfer::download_vec(&raw.converted(operation, DType::U64)?)?)
        }
        Kind::Complex => {
            let advice = "compare their parts one by one";
            return Err(Error::dtype(operation, dtype, advice));
        }
    };
    Ok(Elements { values, dtype })
}

impl Elements {
    fn len(&self) -> usize {
        match &self.values {
            Values::Floats(values) => values.len(),
            Values::Signed(values) => values.len(),
            Values::Unsigned(values) => values.len(),
        }
    }

    /// The element of this number; the only one, if there is one.
    fn get(&self, index: usize) -> Value {
        let index = if self.len() == 1 { 0 } else { index };
        match &self.values {
            Values::Floats(values) => Value::Float(values[index]),
            Values::Signed(values) => Value::Integer(values[index].into()),
            Values::Unsigned(values) => Value::Integer(values[index].into()),
        }
    }

    /// The element as Rust writes it.
    fn text(&self, index: usize) -> String {
        match (self.get(index), self.dtype) {
            (Value::Integer(value), DType::Bool) => (value != 0).to_string(),
            (Value::Integer(value), _) => value.to_string(),
            (Value::Float(value), DType::F64) => format!("{value:?}"),
            (Value::Float(value), _) => format!("{:?}", value as f32),
        }
    }
}

impl Value {
    fn number(self) -> f64 {
        match self {
            Value::Float(value) => value,
            Value::Integer(value) => value as f64,
        }
    }

    /// Equal values; NaN is equal to NaN.
    fn is(self, other: Value) -> bool {
        match (self, other) {
            (Value::Integer(a), Value::Integer(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
            // Below 2^127 a float without fraction is an integer of 128 bits.
            (Value::Integer(a), Value::Float(b)) | (Value::Float(b), Value::Integer(a)) => {
                b.fract() == 0.0 && b.abs() < 1e38 && a == b as i128
            }
        }
    }

    fn distance(self, other: Value) -> f64 {
        match (self, other) {
            (Value::Integer(a), Value::Integer(b)) => a.abs_diff(b) as f64,
            _ => (self.number() - other.number()).abs(),
        }
    }
}

/// Where two arrays differ.
#[derive(Default)]
struct Differences {
    count: usize,
    /// How many are NaN in one array alone.
    not_a_number: usize,
    /// The first element that differs.
    first: usize,
    /// The largest difference, and of which element it is.
    absolute: Option<(f64, usize)>,
    /// The same as a share of what is desired, where that is not 0.
    relative: Option<(f64, usize)>,
}

impl Differences {
    fn find([actual, desired]: &[Elements; 2], tolerances: Option<(f64, f64)>) -> Differences {
        let mut found = Differences::default();
        for index in 0..actual.len() {
            let (a, d) = (actual.get(index), desired.get(index));
            let close = tolerances.is_some_and(|(relative, absolute)| {
                let size = d.number().abs();
                size.is_finite() && (a.number() - d.number()).abs() <= absolute + relative * size
            });
            if close || a.is(d) {
                continue;
            }
            if found.count == 0 {
                found.first = index;
            }
            found.count += 1;
            if a.number().is_nan() || d.number().is_nan() {
                found.not_a_number += 1;
                continue;
            }
            let distance = a.distance(d);
            let larger = |worst: Option<(f64, usize)>, found: f64| worst.is_none_or(|(value, _)| found > value);
            if larger(found.absolute, distance) {
                found.absolute = Some((distance, index));
            }
            let share = distance / d.number().abs();
            if d.number() != 0.0 && !share.is_nan() && larger(found.relative, share) {
                found.relative = Some((share, index));
            }
        }
        found
    }

    fn describe(
        &self,
        shape: &[usize],
        [actual, desired]: &[Elements; 2],
        tolerances: Option<(f64, f64)>,
        types: [DType; 2],
    ) -> String {
        let size: usize = shape.iter().product();
        let share = general(100.0 * self.count as f64 / size as f64, 3);
        let (plural, verb) =
            (if size == 1 { "element" } else { "elements" }, if self.count == 1 { "differs" } else { "differ" });
        let mut text = format!("{} of {size} {plural} ({share} %) {verb}", self.count);
        if let Some((relative, absolute)) = tolerances {
            text += &format!(" by more than {} + {}·|desired|", general(absolute, 6), general(relative, 6));
        }
        let at = |index| {
            let (actual, desired) = (actual.text(index), desired.text(index));
            format!("at {:?}: actual {actual}, desired {desired}", place(shape, index))
        };
        if tolerances.is_none() || self.absolute.is_none() {
            text += &format!("\n  the first is {}", at(self.first));
        }
        for (kind, worst) in [("absolute", self.absolute), ("relative", self.relative)] {
            if let Some((difference, index)) = worst {
                text += &format!("\n  largest {kind} difference: {} {}", general(difference, 3), at(index));
            }
        }
        if self.not_a_number > 0 {
            text += &format!("\n  {} of them: NaN in one of the arrays alone", self.not_a_number);
        }
        text + &of_types(types)
    }
}

/// The index along each axis of an element in row-major order.
fn place(shape: &[usize], index: usize) -> Vec<usize> {
    let mut rest = index;
    let mut place: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&length| {
            let along = rest % length;
            rest /= length;
            along
        })
        .collect();
    place.reverse();
    place
}

/// The message with which something panics.
#[cfg(test)]
pub(crate) fn panic_message(work: impl FnOnce()) -> String {
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).expect_err("it should have panicked");
    payload.downcast_ref::<String>().expect("a message").clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use ndarray::{arr0, array};

    fn refused(assertion: impl FnOnce(), expected: &Expect) {
        expected.assert_eq(&panic_message(assertion));
    }

    #[test]
    fn what_agrees_passes() {
        let x = array![[1.0, f64::NAN], [f64::INFINITY, -2.5]];
        assert_allclose(&x, &x);
        assert_allclose(&crate::asarray(&x), &x);
        assert_allclose(&crate::asarray(&x).t(), &x.t());
        assert_allclose(&crate::asarray(&x.mapv(|x| x as f32)), &crate::asarray(&x));
        assert_allclose(&[1.0, 1.0], &arr0(1.0));
        assert_allclose_with(&[100.0], &[109.0], 0.1, 0.0);
        assert_array_equal(&x, &crate::asarray(&x));
        assert_array_equal(&[1u8, 0], &[true, false]);
        assert_array_equal(&[i64::MAX, i64::MIN], &crate::array(&[i64::MAX, i64::MIN]));
        assert_array_equal(&[3, 4], &[3.0, 4.0]);
        let empty: [f32; 0] = [];
        assert_array_equal(&empty, &empty);
        assert_allclose(&crate::zeros::<f32>((0, 3)), &crate::zeros::<f64>((0, 3)));
    }

    #[test]
    fn the_worst_differences_are_named() {
        let desired = array![[1.0, 2.0, 100.0], [0.0, -4.0, 5.0]];
        let actual = array![[1.5, 2.0, 103.0], [0.25, -4.0, 5.0]];
        refused(
            || assert_allclose(&crate::asarray(&actual), &desired),
            &expect![[r#"
                assert_allclose: 3 of 6 elements (50 %) differ by more than 1e-08 + 1e-05·|desired|
                  largest absolute difference: 3 at [0, 2]: actual 103.0, desired 100.0
                  largest relative difference: 0.5 at [0, 0]: actual 1.5, desired 1.0"#]],
        );
        refused(
            || assert_allclose_with(&[0.1f32], &[0.3], 0.0, 0.1),
            &expect![[r#"
                assert_allclose_with: 1 of 1 element (100 %) differs by more than 0.1 + 0·|desired|
                  largest absolute difference: 0.2 at [0]: actual 0.1, desired 0.3
                  largest relative difference: 0.667 at [0]: actual 0.1, desired 0.3
                  actual is of f32, desired of f64"#]],
        );
    }

    #[test]
    fn not_numbers_and_infinities_are_told_apart() {
        let (nan, infinity) = (f64::NAN, f64::INFINITY);
        refused(
            || assert_allclose(&[1.0, nan, infinity, 4.0], &[1.0, 2.0, -infinity, nan]),
            &expect![[r#"
                assert_allclose: 3 of 4 elements (75 %) differ by more than 1e-08 + 1e-05·|desired|
                  largest absolute difference: inf at [2]: actual inf, desired -inf
                  2 of them: NaN in one of the arrays alone"#]],
        );
        refused(
            || assert_allclose(&[nan], &[2.0]),
            &expect![[r#"
                assert_allclose: 1 of 1 element (100 %) differs by more than 1e-08 + 1e-05·|desired|
                  the first is at [0]: actual NaN, desired 2.0
                  1 of them: NaN in one of the arrays alone"#]],
        );
    }

    #[test]
    fn integers_are_compared_exactly() {
        refused(
            || assert_array_equal(&crate::array(&[i64::MAX, 7, 8]), &[i64::MAX - 1, 7, 10]),
            &expect![[r#"
                assert_array_equal: 2 of 3 elements (66.7 %) differ
                  the first is at [0]: actual 9223372036854775807, desired 9223372036854775806
                  largest absolute difference: 2 at [2]: actual 8, desired 10
                  largest relative difference: 0.2 at [2]: actual 8, desired 10"#]],
        );
        refused(
            || assert_array_equal(&[true, true], &[true, false]),
            &expect![[r#"
                assert_array_equal: 1 of 2 elements (50 %) differs
                  the first is at [1]: actual true, desired false
                  largest absolute difference: 1 at [1]: actual true, desired false"#]],
        );
    }

    #[test]
    fn shapes_and_tolerances_are_checked() {
        refused(
            || assert_allclose(&crate::zeros::<f32>((2, 3)), &crate::zeros::<f64>(3)),
            &expect![[r#"
                assert_allclose: the shapes differ: actual has [2, 3], desired has [3]
                  actual is of f32, desired of f64"#]],
        );
        refused(
            || assert_array_equal(&[1, 2], &[1, 2, 3]),
            &expect!["assert_array_equal: the shapes differ: actual has [2], desired has [3]"],
        );
        refused(
            || assert_allclose_with(&[1.0], &[1.0], -1.0, 0.0),
            &expect!["assert_allclose_with: the tolerances -1 (relative) and 0 (absolute) must be 0 or more"],
        );
    }
}
