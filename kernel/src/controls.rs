//! Interactions as the cell process describes them: closures that controls in the notebook call. Plain data, which the output
//! contract, the evaluator and the widgets share.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A closure in the cell process, and the controls that call it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interaction {
    /// Its identity, which no other one of the cell process has.
    pub id: String,
    /// The controls, row by row. Their values are numbered in this order.
    pub rows: Vec<Vec<Control>>,
}

impl Interaction {
    /// All controls in their order.
    pub fn controls(&self) -> impl Iterator<Item = &Control> {
        self.rows.iter().flatten()
    }
}

/// One control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// What stands beside it.
    pub name: String,
    /// What it is.
    #[serde(flatten)]
    pub kind: Kind,
}

/// The kinds of controls, with their values at first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
    /// A slider over integers.
    IntSlider {
        /// The ends, both included.
        min: i64,
        /// See `min`.
        max: i64,
        /// The distance of two values.
        step: i64,
        /// The first value.
        value: i64,
    },
    /// A slider over floats.
    FloatSlider {
        /// The ends, both included.
        min: f64,
        /// See `min`.
        max: f64,
        /// The distance of two values.
        step: f64,
        /// The first value.
        value: f64,
    },
    /// A box that is checked or not.
    Checkbox {
        /// At first.
        value: bool,
    },
    /// One of several values; the cell process knows them by their numbers.
    Dropdown {
        /// What is shown of them.
        labels: Vec<String>,
        /// The first one.
        value: usize,
    },
    /// A line of text.
    Text {
        /// The first one.
        value: String,
    },
    /// A button. Its value is whether it has been pressed since the call before.
    Button {
        /// What is written on it.
        label: String,
    },
    /// A button that counts, and a slider with it.
    Play {
        /// The ends, both included.
        min: i64,
        /// See `min`.
        max: i64,
        /// The distance of two values.
        step: i64,
        /// The first value.
        value: i64,
        /// Milliseconds from one value to the next.
        interval: u32,
    },
}

impl Kind {
    /// The value at first.
    pub fn first(&self) -> Value {
        match self {
            Self::IntSlider { value, .. } | Self::Play { value, .. } => Value::from(*value),
            Self::FloatSlider { value, .. } => Value::from(*value),
            Self::Checkbox { value } => Value::from(*value),
            Self::Dropdown { value, .. } => Value::from(*value),
            Self::Text { value } => Value::from(value.as_str()),
            Self::Button { .. } => Value::from(false),
        }
    }

    /// The value that a client gives, if it is one that the closure can take. Sliders of clients send whole numbers for floats, and
    /// numbers between two steps.
    pub fn accepted(&self, given: &Value) -> Option<Value> {
        match self {
            Self::IntSlider { min, max, .. } | Self::Play { min, max, .. } => {
                let whole = given.as_i64().or_else(|| given.as_f64().filter(|n| n.fract() == 0.0).map(|n| n as i64))?;
                (*min..=*max).contains(&whole).then(|| Value::from(whole))
            }
            Self::FloatSlider { min, max, .. } => {
                given.as_f64().filter(|number| (*min..=*max).contains(number)).map(Value::from)
            }
            Self::Checkbox { .. } => given.as_bool().map(Value::from),
            Self::Dropdown { labels, .. } => {
                given.as_u64().filter(|&index| index < labels.len() as u64).map(Value::from)
            }
            Self::Text { .. } => given.as_str().map(Value::from),
            Self::Button { .. } => None,
        }
    }
}

/// A call of an interaction's closure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The interaction.
    pub id: String,
    /// The values of its controls.
    pub values: Vec<Value>,
}

/// What the kernel tells the cell process between cells.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Call a closure.
    Call(Call),
    /// Drop the closure of the interaction with this identity.
    Forget(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_that_a_closure_cannot_take_are_refused() {
        let slider = Kind::IntSlider { min: 3, max: 30, step: 1, value: 16 };
        let accepted = [json!(3), json!(30), json!(4.0)].map(|value| slider.accepted(&value));
        assert_eq!(accepted, [Some(json!(3)), Some(json!(30)), Some(json!(4))]);
        for value in [json!(2), json!(31), json!(4.5), json!("4"), json!(null), json!(true), json!(1e300)] {
            assert_eq!(slider.accepted(&value), None, "{value}");
        }
        let float = Kind::FloatSlider { min: 0.5, max: 5.0, step: 0.1, value: 1.0 };
        assert_eq!((float.accepted(&json!(5)), float.accepted(&json!(5.1))), (Some(json!(5.0)), None));
        let dropdown = Kind::Dropdown { labels: vec!["a".into(), "b".into()], value: 0 };
        assert_eq!((dropdown.accepted(&json!(1)), dropdown.accepted(&json!(2))), (Some(json!(1)), None));
        assert_eq!((dropdown.accepted(&json!(-1)), dropdown.accepted(&json!(null))), (None, None));
        assert_eq!(Kind::Checkbox { value: true }.accepted(&json!(1)), None);
        assert_eq!(Kind::Text { value: String::new() }.accepted(&json!(1)), None);
    }

    #[test]
    fn the_prelude_describes_controls_so() {
        let text = r#"{"name":"sigma","kind":"float_slider","min":0.5,"max":5,"step":0.1,"value":1}"#;
        let control: Control = serde_json::from_str(text).unwrap();
        let kind = Kind::FloatSlider { min: 0.5, max: 5.0, step: 0.1, value: 1.0 };
        assert_eq!(control, Control { name: "sigma".into(), kind });
        let call = Order::Call(Call { id: "a".into(), values: vec![json!(1)] });
        assert_eq!(serde_json::to_string(&call).unwrap(), r#"{"call":{"id":"a","values":[1]}}"#);
    }
}
