//! A case as it is in the file: arrays, views of them, and arguments.

use super::compare::Host;
use serde_json::Value;
use std::any::Any;
use warpcell as gpu;
use warpcell::keywords::{self, Axes};
use warpcell::ndarray::SliceInfoElem;
use warpcell::{Arithmetic, Complex, DeviceArray, Element, Signal, f16};

/// Calls a generic function with the type that NumPy calls so.
macro_rules! with_type {
    ($dtype:expr, $function:ident $arguments:tt) => {
        match $dtype {
            "bool" => $function::<bool> $arguments,
            "uint8" => $function::<u8> $arguments,
            "int8" => $function::<i8> $arguments,
            "uint16" => $function::<u16> $arguments,
            "int16" => $function::<i16> $arguments,
            "uint32" => $function::<u32> $arguments,
            "int32" => $function::<i32> $arguments,
            "uint64" => $function::<u64> $arguments,
            "int64" => $function::<i64> $arguments,
            "float16" => $function::<f16> $arguments,
            "float32" => $function::<f32> $arguments,
            "float64" => $function::<f64> $arguments,
            "complex64" => $function::<Complex<f32>> $arguments,
            "complex128" => $function::<Complex<f64>> $arguments,
            other => panic!("fuzz: no type {other}"),
        }
    };
}

pub struct Case<'a> {
    /// The function's name, in the table.
    pub function: &'a str,
    /// The element type of the first array, or of the result.
    pub dtype: &'a str,
    arrays: Vec<Box<dyn Input>>,
    arguments: &'a Value,
}

trait Input {
    fn as_any(&self) -> &dyn Any;
    fn is_changed(&self) -> bool;
}

struct Typed<T: Element> {
    base: DeviceArray<T>,
    view: DeviceArray<T>,
    before: Vec<u8>,
}

impl<T: Element> Input for Typed<T> {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn is_changed(&self) -> bool {
        Host::of(&elements::<T>(&self.before, self.base.shape())) != Host::of(&self.base)
    }
}

fn elements<T: Element>(bytes: &[u8], shape: &[usize]) -> DeviceArray<T> {
    gpu::frombuffer::<T>(bytes).reshape(shape)
}

/// Bytes as hexadecimal digits, again from the first where there are more elements.
fn bytes_of(array: &Value, width: usize) -> Vec<u8> {
    let digits = array["data"].as_str().expect("digits").as_bytes();
    let digit = |byte: u8| (byte as char).to_digit(16).expect("a digit") as u8;
    let bytes = digits.chunks(2).map(|pair| digit(pair[0]) * 16 + digit(pair[1]));
    let count: usize = shape_of(array).iter().product();
    let bytes: Vec<u8> = bytes.collect();
    bytes.into_iter().cycle().take(count * width).collect()
}

fn shape_of(array: &Value) -> Vec<usize> {
    numbers(&array["shape"]).into_iter().map(|length| length as usize).collect()
}

fn numbers(value: &Value) -> Vec<isize> {
    value.as_array().expect("a list").iter().map(|number| number.as_i64().expect("an integer") as isize).collect()
}

/// An array of NumPy's result.
pub fn host_of(array: &Value) -> Host {
    fn read<T: Element>(array: &Value) -> Host {
        Host::of(&elements::<T>(&bytes_of(array, size_of::<T>()), &shape_of(array)))
    }
    with_type!(array["dtype"].as_str().expect("a dtype"), read(array))
}

fn viewed<T: Element>(base: &DeviceArray<T>, steps: &Value) -> DeviceArray<T> {
    let mut view = base.clone();
    for step in steps.as_array().into_iter().flatten() {
        let what = &step[1];
        view = match step[0].as_str() {
            Some("slice") => {
                let parts = what.as_array().expect("parts").iter().map(|part| match part {
                    Value::Null => SliceInfoElem::NewAxis,
                    Value::Number(at) => SliceInfoElem::Index(at.as_i64().expect("an index") as isize),
                    _ => {
                        let bound = |at: usize| part[at].as_i64().map(|bound| bound as isize);
                        SliceInfoElem::Slice {
                            start: bound(0).unwrap_or(0),
                            end: bound(1),
                            step: bound(2).unwrap_or(1),
                        }
                    }
                });
                view.slice(parts.collect::<Vec<_>>())
            }
            Some("transpose") => view.permute_dims(numbers(what)),
            Some("broadcast") => view.broadcast_to(numbers(what).iter().map(|&n| n as usize).collect::<Vec<_>>()),
            Some("reshape") => view.reshape(numbers(what)),
            other => panic!("fuzz: no step {other:?}"),
        };
    }
    view
}

impl<'a> Case<'a> {
    pub fn read(value: &'a Value) -> Case<'a> {
        fn input<T: Element>(array: &Value) -> Box<dyn Input> {
            let before = bytes_of(array, size_of::<T>());
            let base = elements::<T>(&before, &shape_of(array));
            let view = viewed(&base, &array["steps"]);
            Box::new(Typed { base, view, before })
        }
        let arrays = value["arrays"].as_array().expect("arrays");
        Case {
            function: value["function"].as_str().expect("a function"),
            dtype: value["dtype"].as_str().expect("a dtype"),
            arrays: arrays
                .iter()
                .map(|array| with_type!(array["dtype"].as_str().expect("a dtype"), input(array)))
                .collect(),
            arguments: &value["arguments"],
        }
    }

    /// The first array, of those that may not change, that has.
    pub fn changed(&self, but: Option<u64>) -> Option<usize> {
        (0..self.arrays.len()).find(|&at| Some(at as u64) != but && self.arrays[at].is_changed())
    }

    fn typed<T: Element>(&self, at: usize) -> &Typed<T> {
        self.arrays
            .get(at)
            .and_then(|array| array.as_any().downcast_ref())
            .unwrap_or_else(|| panic!("fuzz: array {at} of {} is not of {}", self.function, T::DTYPE.numpy_name()))
    }

    /// An array.
    pub fn a<T: Element>(&self, at: usize) -> DeviceArray<T> {
        self.typed(at).view.clone()
    }

    /// What an array is a view of.
    pub fn base<T: Element>(&self, at: usize) -> DeviceArray<T> {
        self.typed(at).base.clone()
    }

    /// The only element of an array.
    pub fn one<T: Element>(&self, at: usize) -> T {
        self.a(at).item()
    }

    /// The arrays from this one on.
    pub fn rest<T: Element>(&self, from: usize) -> Vec<DeviceArray<T>> {
        (from..self.arrays.len()).map(|at| self.a(at)).collect()
    }

    pub fn has(&self, key: &str) -> bool {
        !self.arguments[key].is_null()
    }
    pub fn opt(&self, key: &str) -> Option<isize> {
        self.arguments[key].as_i64().map(|number| number as isize)
    }
    pub fn int(&self, key: &str) -> isize {
        self.opt(key).unwrap_or_else(|| panic!("fuzz: {} has no {key}", self.function))
    }
    pub fn size(&self, key: &str) -> usize {
        self.int(key) as usize
    }
    pub fn list(&self, key: &str) -> Vec<isize> {
        match &self.arguments[key] {
            Value::Number(number) => vec![number.as_i64().expect("an integer") as isize],
            list => numbers(list),
        }
    }
    pub fn lengths(&self, key: &str) -> Vec<usize> {
        self.list(key).into_iter().map(|length| length as usize).collect()
    }
    pub fn opt_float(&self, key: &str) -> Option<f64> {
        match &self.arguments[key] {
            Value::String(text) => Some(text.parse().expect("a float")),
            value => value.as_f64(),
        }
    }
    pub fn float(&self, key: &str) -> f64 {
        self.opt_float(key).unwrap_or_else(|| panic!("fuzz: {} has no {key}", self.function))
    }
    pub fn floats(&self, key: &str) -> Vec<f64> {
        let float = |number: &Value| match number {
            Value::String(text) => text.parse().expect("a float"),
            value => value.as_f64().unwrap_or_else(|| panic!("fuzz: {} has no {key}", self.function)),
        };
        match &self.arguments[key] {
            Value::Array(numbers) => numbers.iter().map(float).collect(),
            number => vec![float(number)],
        }
    }
    /// Numbers that may be absent; a bool is 1 or 0.
    pub fn opt_floats(&self, key: &str) -> Vec<Option<f64>> {
        let numbers = self.arguments[key].as_array().expect("a list");
        numbers.iter().map(|number| number.as_bool().map(f64::from).or_else(|| number.as_f64())).collect()
    }
    pub fn flags(&self, key: &str) -> Vec<bool> {
        self.arguments[key].as_array().expect("a list").iter().map(|flag| flag.as_bool().expect("a bool")).collect()
    }
    pub fn flag(&self, key: &str) -> bool {
        self.arguments[key].as_bool().unwrap_or(false)
    }
    pub fn text(&self, key: &str) -> &str {
        self.arguments[key].as_str().unwrap_or_else(|| panic!("fuzz: {} has no {key}", self.function))
    }
    pub fn opt_text(&self, key: &str) -> Option<&str> {
        self.arguments[key].as_str()
    }
    /// Words, such as modes.
    pub fn words(&self, key: &str) -> Vec<&str> {
        let words = self.arguments[key].as_array().unwrap_or_else(|| panic!("fuzz: {} has no {key}", self.function));
        words.iter().map(|word| word.as_str().expect("a word")).collect()
    }
    pub fn opt_size(&self, key: &str) -> Option<usize> {
        self.opt(key).map(|number| number as usize)
    }
    pub fn opt_flag(&self, key: &str) -> Option<bool> {
        self.arguments[key].as_bool()
    }
    /// Pairs, such as widths.
    pub fn pairs(&self, key: &str) -> Vec<(usize, usize)> {
        let pairs = self.arguments[key].as_array().expect("pairs").iter().map(numbers);
        pairs.map(|pair| (pair[0] as usize, pair[1] as usize)).collect()
    }
    /// The axes of a reduction: `axis` and `keepdims`.
    pub fn axes(&self) -> Axes {
        match self.has("axis") {
            true => keywords::axes(self.list("axis"), self.flag("keepdims")),
            false => keywords::every_axis(self.flag("keepdims")),
        }
    }
    /// The norm of the first array, of the order that is given.
    pub fn norm<T: Arithmetic>(&self) -> DeviceArray<Signal<T>> {
        match (self.opt_float("ord"), self.has("word")) {
            (Some(order), _) => keywords::norm(&self.a::<T>(0), self.axes(), order),
            (None, true) => keywords::norm(&self.a::<T>(0), self.axes(), self.text("word")),
            (None, false) => keywords::norm(&self.a::<T>(0), self.axes(), ()),
        }
    }
    /// The array whose number is the argument, such as `where`.
    pub fn named<T: Element>(&self, key: &str) -> Option<DeviceArray<T>> {
        self.opt(key).map(|at| self.a(at as usize))
    }
}
