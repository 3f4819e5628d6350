//! The controls of interactions, as the kernel is told of them, and their values.

use crate::error::{Error, fail};
use serde_json::{Value, json};
use std::fmt::Display;
use std::marker::PhantomData;

/// The values of the controls, in their order.
pub struct Values(Vec<Value>);

impl Values {
    /// Those that the kernel sends.
    pub(super) fn new(values: Vec<Value>) -> Values {
        Values(values)
    }

    /// Those that the controls have at first.
    pub(super) fn first(rows: &[Vec<Value>]) -> Values {
        let first = |control: &Value| match &control["value"] {
            // A button.
            Value::Null => Value::from(false),
            value => value.clone(),
        };
        Values(rows.iter().flatten().map(first).collect())
    }

    fn get(&self, control: usize) -> &Value {
        self.0.get(control).unwrap_or(&Value::Null)
    }

    /// Of a slider.
    pub fn number<T: SliderNumber>(&self, control: usize) -> T {
        T::of(self.get(control))
    }

    /// Of a checkbox, or a button.
    pub fn boolean(&self, control: usize) -> bool {
        self.get(control).as_bool().unwrap_or_default()
    }

    /// Of a line of text.
    pub fn text(&self, control: usize) -> &str {
        self.get(control).as_str().unwrap_or_default()
    }

    /// The same.
    pub fn string(&self, control: usize) -> String {
        self.text(control).to_owned()
    }

    /// The number of what is chosen from a list.
    pub fn index(&self, control: usize) -> usize {
        self.get(control).as_u64().map_or(0, |index| index as usize)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// The types that sliders have: integers of 8 to 64 bits, `f32` and `f64`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "a slider cannot have the type `{Self}`",
    label = "not an integer, `f32` or `f64`",
    note = "write a list to choose from: `mode: &str in [\"a\", \"b\"]`"
)]
pub trait SliderNumber: Copy + PartialOrd + Display + sealed::Sealed {
    #[doc(hidden)]
    fn of(value: &Value) -> Self;
    /// Both ends, the step and the first value, as the kernel is told of them.
    #[doc(hidden)]
    fn described(slider: Slider<Self>) -> Result<Value, String>;
}

/// What stands for the name of the control in the reason of an error.
const NAME: &str = "NAME";

/// A slider as it is written.
#[doc(hidden)]
pub struct Slider<T> {
    start: T,
    end: T,
    is_closed: bool,
    step: Option<T>,
    first: Option<T>,
}

impl<T: SliderNumber> Slider<T> {
    /// The first value, if it lies between the ends.
    fn first_within(&self, least: T, largest: T) -> Result<Option<T>, String> {
        match self.first {
            Some(first) if !(least <= first && first <= largest) => {
                let kind = std::any::type_name::<T>();
                Err(format!(
                    "begins with {first}, which is not one from {least} to {largest}: `{NAME}: {kind} = {least} in …`"
                ))
            }
            first => Ok(first),
        }
    }
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl sealed::Sealed for $integer {}

        impl SliderNumber for $integer {
            fn of(value: &Value) -> $integer {
                value.as_i64().and_then(|value| <$integer>::try_from(value).ok()).unwrap_or_default()
            }

            fn described(slider: Slider<$integer>) -> Result<Value, String> {
                let Slider { start, end, is_closed, step, .. } = slider;
                let last = if is_closed { Some(end) } else { end.checked_sub(1) };
                let last = last.filter(|last| start <= *last).ok_or_else(|| {
                    let (dots, more) = if is_closed { ("..=", 0) } else { ("..", 1) };
                    let other = start.saturating_add(10 + more);
                    let kind = stringify!($integer);
                    format!("the range {start}{dots}{end} has no values: `{NAME}: {kind} in {start}{dots}{other}`")
                })?;
                let first = slider.first_within(start, last)?;
                let step = step.unwrap_or(1);
                if step < 1 {
                    let (dots, kind) = (if is_closed { "..=" } else { ".." }, stringify!($integer));
                    return Err(format!("the step {step} is not positive: `{NAME}: {kind} in {start}{dots}{end} step 1`"));
                }
                let far = |number: $integer| {
                    i64::try_from(number).map_err(|_| format!("the end {number} is too large for a slider; use one up to {}", i64::MAX))
                };
                let (min, max, step) = (far(start)?, far(last)?, far(step)?);
                let middle = (i128::from(min) + i128::from(max)).div_euclid(2);
                let value = first.map(far).transpose()?.unwrap_or(middle as i64);
                Ok(json!({ "min": min, "max": max, "step": step, "value": value }))
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! floats {
    ($($float:ty)*) => {$(
        impl sealed::Sealed for $float {}

        impl SliderNumber for $float {
            fn of(value: &Value) -> $float {
                value.as_f64().unwrap_or_default() as $float
            }

            fn described(slider: Slider<$float>) -> Result<Value, String> {
                let Slider { start, end, step, .. } = slider;
                if !(start < end && start.is_finite() && end.is_finite()) {
                    return Err(format!("{start:?}..{end:?} is not a range of a slider, which has two finite numbers, the smaller one first: `{NAME}: {} in 0.0..1.0`", stringify!($float)));
                }
                let first = slider.first_within(start, end)?;
                if step.is_some_and(|step| !(step > 0.0 && step.is_finite())) {
                    let (wrong, kind) = (step.unwrap_or_default(), stringify!($float));
                    let right = step_for(f64::from(end - start));
                    return Err(format!("the step {wrong:?} is not positive: `{NAME}: {kind} in {start:?}..{end:?} step {right:?}`"));
                }
                // By their shortest text, in which 0.1 is 0.1 for both types.
                let exact = |number: $float| number.to_string().parse::<f64>().unwrap_or(number.into());
                let (min, max) = (exact(start), exact(end));
                let step = step.map_or_else(|| step_for(max - min), exact);
                let value = first.map_or_else(|| min + ((max - min) / 2.0 / step).round() * step, exact);
                Ok(json!({ "min": min, "max": max, "step": step, "value": rounded(value).clamp(min, max) }))
            }
        }
    )*};
}

floats!(f32 f64);

/// About a hundredth of a range: 1, 2 or 5 and a power of ten.
fn step_for(length: f64) -> f64 {
    let hundredth = length / 100.0;
    let power = 10f64.powf(hundredth.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().rev().find(|step| step * power <= hundredth * 1.0001).unwrap_or(1.0);
    rounded(step * power)
}

/// Without the last digits, which are those of rounding.
fn rounded(number: f64) -> f64 {
    format!("{number:.12e}").parse().unwrap_or(number)
}

/// A control's description. An error is one at the macro.
#[track_caller]
fn control(name: &str, kind: &str, described: Result<Value, String>) -> Value {
    match described {
        Ok(mut control) => {
            control["name"] = json!(name);
            control["kind"] = json!(kind);
            control
        }
        Err(reason) => {
            // The text beside a control has blanks where its name has none.
            let name = name.replace(' ', "_");
            fail(Error::argument("interact!", format!("`{name}`: {}", reason.replace(NAME, &name))))
        }
    }
}

/// A slider.
#[track_caller]
pub fn slider<T: SliderNumber>(
    name: &str,
    first: Option<T>,
    _: PhantomData<T>,
    start: T,
    end: T,
    is_closed: bool,
    step: Option<T>,
) -> Value {
    let described = T::described(Slider { start, end, is_closed, step, first });
    // Whole numbers have no point.
    let is_float = described.as_ref().is_ok_and(|control| control["value"].is_f64());
    control(name, if is_float { "float_slider" } else { "int_slider" }, described)
}

/// A button that counts.
#[track_caller]
#[expect(clippy::too_many_arguments, reason = "the macro writes them in the order in which the user does")]
pub fn play<T: SliderNumber>(
    name: &str,
    first: Option<T>,
    _: PhantomData<T>,
    start: T,
    end: T,
    is_closed: bool,
    step: Option<T>,
    every: Option<u32>,
) -> Value {
    // It begins where the range does.
    let described = T::described(Slider { start, end, is_closed, step, first: first.or(Some(start)) });
    let described = described.and_then(|mut control| {
        if control["value"].is_f64() {
            return Err(format!("what plays has whole numbers, which `usize` has: `{NAME}: usize play 0..100`"));
        }
        control["interval"] = json!(every.unwrap_or(100));
        Ok(control)
    });
    control(name, "play", described)
}

/// The values of a list to choose from.
pub fn choices<T, L: IntoIterator<Item = T>>(list: L) -> Vec<T> {
    list.into_iter().collect()
}

/// A list to choose from.
#[track_caller]
pub fn dropdown<T: Display + PartialEq>(name: &str, first: Option<T>, choices: &[T]) -> Value {
    let labels: Vec<String> = choices.iter().map(ToString::to_string).collect();
    let described = match first {
        _ if labels.is_empty() => Err(format!("the list to choose from is empty: `{NAME}: &str in [\"a\", \"b\"]`")),
        None => Ok(0),
        Some(first) => choices.iter().position(|choice| *choice == first).ok_or_else(|| {
            let list = labels.join(", ");
            let kind = std::any::type_name::<T>();
            let first_of_list = if kind == "&str" { format!("{:?}", labels[0]) } else { labels[0].clone() };
            format!("begins with {first}, which is not in the list ({list}): `{NAME}: {kind} = {first_of_list} in …`")
        }),
    };
    control(name, "dropdown", described.map(|index| json!({ "labels": labels, "value": index })))
}

/// A checkbox.
pub fn checkbox(name: &str, first: Option<bool>) -> Value {
    control(name, "checkbox", Ok(json!({ "value": first.unwrap_or_default() })))
}

/// A line of text.
pub fn text(name: &str, first: Option<&str>) -> Value {
    control(name, "text", Ok(json!({ "value": first.unwrap_or_default() })))
}

/// A button, with what is written on it.
pub fn button(name: &str, label: Option<&str>) -> Value {
    control(name, "button", Ok(json!({ "label": label.unwrap_or(name) })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described<T: SliderNumber>(start: T, end: T, is_closed: bool, step: Option<T>, first: Option<T>) -> Value {
        let control = slider("x", first, PhantomData, start, end, is_closed, step);
        json!([control["kind"], control["min"], control["max"], control["step"], control["value"]])
    }

    #[test]
    fn sliders_of_integers_end_before_the_end_and_begin_in_the_middle() {
        assert_eq!(described(3usize, 31, false, None, None), json!(["int_slider", 3, 30, 1, 16]));
        assert_eq!(described(-4i8, 4, true, Some(2), Some(-2)), json!(["int_slider", -4, 4, 2, -2]));
        assert_eq!(described(i64::MIN, i64::MAX, true, None, None)[4], -1);
        assert_eq!(Values::new(vec![json!(300)]).number::<u8>(0), 0, "what does not fit never comes");
    }

    #[test]
    fn sliders_of_floats_have_about_a_hundred_steps() {
        assert_eq!(described(0.5, 5.0, false, None, None), json!(["float_slider", 0.5, 5.0, 0.02, 2.76]));
        assert_eq!(described(0.1f32, 1.1, false, None, Some(0.3)), json!(["float_slider", 0.1, 1.1, 0.01, 0.3]));
        assert_eq!(described(0.0, 1e-3, false, None, None)[3], 1e-5);
        assert_eq!(described(-1e6, 1e6, true, Some(0.5), None), json!(["float_slider", -1e6, 1e6, 0.5, 0.0]));
    }

    #[test]
    fn what_cannot_be_a_control_is_refused_with_the_values() {
        let message = |control: &dyn Fn() -> Value| {
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(control)).unwrap_err();
            caught.downcast_ref::<String>().cloned().unwrap_or_default()
        };
        for (control, expected) in [
            (
                &(|| described(3, 3, false, None, None)) as &dyn Fn() -> Value,
                "interact!: `x`: the range 3..3 has no values: `x: i32 in 3..14`",
            ),
            (&|| described(0u8, 0, false, None, None), "0..0 has no values: `x: u8 in 0..11`"),
            (&|| described(5, 3, true, None, None), "5..=3 has no values: `x: i32 in 5..=15`"),
            (&|| described(0, 9, true, Some(0), None), "the step 0 is not positive: `x: i32 in 0..=9 step 1`"),
            (
                &|| slider("edge width", Some(10), PhantomData, 0, 9, true, None),
                "`edge_width`: begins with 10, which is not one from 0 to 9: `edge_width: i32 = 0 in …`",
            ),
            (&|| described(0, u64::MAX, true, None, None), "too large for a slider"),
            (&|| described(1.0, 1.0, true, None, None), "1.0..1.0 is not a range"),
            (&|| described(0.0, f64::NAN, true, None, None), "is not a range"),
            (
                &|| described(0.0, 1.0, true, Some(-0.1), None),
                "the step -0.1 is not positive: `x: f64 in 0.0..1.0 step 0.01`",
            ),
            (&|| play("x", None, PhantomData, 0.0, 1.0, true, None, None), "whole numbers"),
            (&|| dropdown::<&str>("x", None, &[]), "is empty"),
            (
                &|| dropdown("x", Some("c"), &["a", "b"]),
                "begins with c, which is not in the list (a, b): `x: &str = \"a\" in …`",
            ),
        ] {
            let message = message(control);
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn first_values_are_those_of_the_controls() {
        let rows = vec![
            vec![checkbox("a", Some(true)), button("b", None)],
            vec![dropdown("c", Some(8), &choices::<usize, _>([4usize, 8])), text("d", Some("x"))],
        ];
        let values = Values::first(&rows);
        assert!(values.boolean(0) && !values.boolean(1));
        assert_eq!((values.index(2), values.text(3)), (1, "x"));
        assert_eq!(rows[0][1], json!({"name": "b", "kind": "button", "label": "b"}));
    }
}
