//! Texts of numbers and arrays, and bits: as NumPy's. Errors and further cases of bits.

use crate::fixtures::{Sample, assert_same, cases, device, host, message, with_dtype};
use serde_json::Value;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{Bitwise, Element, Scalar, TextFloat};

/// The options of a case.
struct Options<'a>(&'a Value);

impl<'a> Options<'a> {
    fn count(&self, name: &str) -> Option<usize> {
        self.0[name].as_u64().map(|count| count as usize)
    }
    fn signed(&self, name: &str) -> Option<isize> {
        self.0[name].as_i64().map(|count| count as isize)
    }
    fn truth(&self, name: &str) -> Option<bool> {
        self.0[name].as_bool()
    }
    fn word(&self, name: &str) -> Option<&'a str> {
        self.0[name].as_str()
    }
}

/// Numbers that are given by their bits.
fn values<T: Element>(case: &Value) -> Vec<T> {
    let words: Vec<u128> = case["bits"].as_array().unwrap().iter().map(|word| word.as_u64().unwrap().into()).collect();
    let parts = if T::DTYPE.is_complex() { 2 } else { 1 };
    let width = 8 * T::DTYPE.size() / parts;
    let value = |words: &[u128]| {
        let bits = words.iter().rev().fold(0, |bits, word| if parts == 2 { bits << width | word } else { *word });
        T::from_scalar(Scalar::from_bits(T::DTYPE, bits)).unwrap()
    };
    words.chunks(parts).map(value).collect()
}

#[test]
fn numbers_are_written_as_in_numpy() {
    fn check<T: Element + TextFloat>(case: &Value, numbers: &Value) {
        let options = Options(&case["options"]);
        let [precision, pad_left, min_digits] = ["precision", "pad_left", "min_digits"].map(|name| options.count(name));
        let (unique, sign, trim) = (options.truth("unique"), options.truth("sign"), options.word("trim"));
        let expected = case["expected"].as_array().unwrap();
        let numbers = values::<T>(numbers);
        assert_eq!(numbers.len(), expected.len());
        for (value, expected) in numbers.into_iter().zip(expected) {
            let text = match case["name"].as_str().unwrap() {
                "positional" => {
                    let (fractional, pad_right) = (options.truth("fractional"), options.count("pad_right"));
                    gpu::keywords::format_float_positional(
                        value, precision, unique, fractional, trim, sign, pad_left, pad_right, min_digits,
                    )
                }
                "scientific" => {
                    let exp_digits = options.count("exp_digits");
                    gpu::keywords::format_float_scientific(
                        value, precision, unique, trim, sign, pad_left, exp_digits, min_digits,
                    )
                }
                other => panic!("no test for {other}"),
            };
            assert_eq!(text, expected.as_str().unwrap(), "{value} {case}");
        }
    }
    let mut numbers = &Value::Null;
    for case in cases("texts").iter().filter(|case| !case["shape"].is_array()) {
        if case["name"] == "values" {
            numbers = case;
        } else {
            with_dtype!(case["dtype"], [f16 f32 f64], check(case, numbers));
        }
    }
}

#[test]
fn arrays_are_written_as_in_numpy() {
    fn check<T: Element>(case: &Value) {
        let options = Options(&case["options"]);
        let shape: Vec<usize> =
            case["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect();
        let a = gpu::asarray(values::<T>(case)).reshape(&shape);
        let [width, precision] = ["max_line_width", "precision"].map(|name| options.count(name));
        let suppress = options.truth("suppress_small");
        // The text does not depend on how the elements lie in memory.
        let backwards = (0..shape.len()).fold(a.clone(), |a, axis| gpu::flip(&gpu::flip(&a, axis).copy(), axis));
        for a in [a, backwards] {
            let text = match case["name"].as_str().unwrap() {
                "array_repr" => gpu::keywords::array_repr(&a, width, precision, suppress),
                "array_str" => gpu::keywords::array_str(&a, width, precision, suppress),
                _ => gpu::keywords::array2string(
                    &a,
                    width,
                    precision,
                    suppress,
                    options.word("separator"),
                    options.word("prefix"),
                    options.count("threshold"),
                    options.count("edgeitems"),
                    options.word("sign"),
                    options.word("floatmode"),
                    options.word("suffix"),
                ),
            };
            assert_eq!(text, case["expected"].as_str().unwrap(), "{case}");
        }
    }
    for case in cases("texts").iter().filter(|case| case["shape"].is_array()) {
        match case["dtype"].as_str().unwrap() {
            "Complex<f32>" => check::<Complex<f32>>(case),
            "Complex<f64>" => check::<Complex<f64>>(case),
            _ => with_dtype!(case["dtype"], [bool u8 i32 i64 u64 f16 f32 f64], check(case)),
        }
    }
}

#[test]
fn other_types_are_written_as_the_others() {
    assert_eq!(gpu::array_repr(&gpu::array(&[1.5, -2.0]).astype::<bf16>()), "array([ 1.5, -2. ], dtype=bfloat16)");
    assert_eq!(gpu::array_repr(&gpu::array(&[1i8, -2])), "array([ 1, -2], dtype=int8)");
    assert_eq!(gpu::array_repr(&gpu::zeros::<u16>((0, 2))), "array([], shape=(0, 2), dtype=uint16)");
    assert_eq!(gpu::format_float_positional(bf16::from_f32(0.1)), "0.1");
    // Without a width, a row is one line; NumPy's own width is 75.
    let row = gpu::array2string(&gpu::arange(100));
    assert!(!row.contains('\n') && row.len() > 75);
}

#[test]
fn options_that_make_no_text_are_refused() {
    let said = |text: &str, expected: &str| assert_eq!(text, expected);
    said(
        &message(|| gpu::format_float_positional!(1.0, unique = false)),
        "format_float_positional: with unique = false, give a precision, such as precision = 8",
    );
    said(
        &message(|| gpu::format_float_positional!(1.0, precision = 2, min_digits = 3)),
        "format_float_positional: min_digits is 3, more than the precision 2; give a smaller number",
    );
    said(
        &message(|| gpu::format_float_positional!(1.0, precision = 0, fractional = false)),
        "format_float_positional: with fractional = false, a number has at least one digit; give a precision from 1 on",
    );
    said(
        &message(|| gpu::format_float_scientific!(1.0, trim = "z")),
        "format_float_scientific: trim is \"z\"; write \"k\", \".\", \"0\" or \"-\"",
    );
    said(
        &message(|| gpu::format_float_scientific!(1.0, pad_left = usize::MAX)),
        &format!("format_float_scientific: pad_left is {}; give at most 16000", usize::MAX),
    );
    said(
        &message(|| gpu::array2string!(&gpu::ones::<f64>(2), floatmode = "short")),
        "array2string: floatmode is \"short\"; write \"maxprec\", \"maxprec_equal\", \"fixed\" or \"unique\"",
    );
}

#[test]
fn bits_are_packed_and_unpacked_as_in_numpy() {
    fn check<T: Sample + Bitwise>(case: &Value) {
        let options = Options(&case["options"]);
        let (axis, order) = (options.signed("axis"), options.word("bitorder"));
        let x = device::<T>(case, "x");
        let backwards = (0..x.ndim()).fold(x.clone(), |x, axis| gpu::flip(&gpu::flip(&x, axis).copy(), axis));
        for x in [x, backwards] {
            let bytes = match case["name"].as_str().unwrap() {
                "packbits" => gpu::keywords::packbits(&x, axis, order),
                _ => gpu::keywords::unpackbits(&x.astype::<u8>(), axis, options.signed("count"), order),
            };
            assert_same(&bytes.to_host(), &host(case, "expected"), 0.0, case);
        }
    }
    for case in cases("bits") {
        with_dtype!(case["x"]["dtype"], [bool u8 i8 u16 i16 i32 u32 i64 u64], check(case));
    }
}

#[test]
fn bits_go_there_and_back() {
    let a = (gpu::arange(3 * 50 * 7) * 37).modulo(11).lt(5).reshape((3, 50, 7));
    let packed = gpu::packbits!(&a, axis = 1);
    assert_eq!(packed.shape(), [3, 7, 7]);
    assert!(gpu::unpackbits!(&packed, axis = 1, count = 50).astype::<bool>().eq(&a).all());
    assert_eq!(gpu::unpackbits!(&gpu::zeros::<u8>(0), count = 3).tolist(), [0, 0, 0]);
    assert_eq!(gpu::unpackbits!(&gpu::zeros::<u8>((2, 0)), axis = 1, count = 2).shape(), [2, 2]);
    // A view that repeats its elements is read like any other.
    let wide = gpu::array(&[1, 0]).broadcast_to((9, 2));
    assert_eq!(gpu::packbits!(&wide, axis = 0).ravel().tolist(), [255, 0, 128, 0]);
}

#[test]
fn wrong_arguments_of_bits_are_refused() {
    let bytes = gpu::array(&[1u8, 2]);
    let said = |text: String, expected: &str| assert_eq!(text, expected);
    said(
        message(|| gpu::packbits!(&bytes, bitorder = "small")),
        "packbits: bitorder is \"small\"; write \"big\" or \"little\"",
    );
    said(
        message(|| gpu::unpackbits!(&bytes, count = -17)),
        "unpackbits: the count -17 leaves out more than the 16 bits that there are; give one from -16 on",
    );
    assert!(message(|| gpu::packbits!(&bytes, axis = 1)).contains("has no axis 1"));
    assert!(message(|| gpu::unpackbits!(&bytes, count = isize::MAX)).contains("memory"));
}
