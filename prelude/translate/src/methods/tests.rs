//! Every function of the tables, every operator and every cast: as the Rust compiler has it, and as the support texts do.

use super::{MethodResult, Parameter, Scalar, associated_constant, path_constant, suggestion, tables};
use crate::program::Value;
use crate::scalars::{ALL, integer_bits, is_float, is_integer, is_signed, is_struct, name_of};
use crate::support;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

#[path = "../../tests/differential/inputs.rs"]
mod inputs;
#[path = "../../tests/differential/programs.rs"]
mod programs;

mod complex;
mod halves;

use programs::Case;

/// Functions of Rust and of C++ with the same name, and calls of them.
#[derive(Default)]
struct Functions {
    rust: String,
    cpp: String,
    used: BTreeSet<String>,
    tuples: BTreeSet<String>,
    cases: Vec<Case>,
}

impl Functions {
    /// A function of arguments `a`, `b` …, as an expression in each language.
    fn add(&mut self, parameters: &[Scalar], results: &[Scalar], rust: &str, function: &str, cpp: &str) {
        let name = format!("{}_{}", if function.is_empty() { "cast" } else { function }, self.cases.len());
        let names: Vec<String> = parameters.iter().map(|of| name_of(*of).to_owned()).collect();
        let listed = |write: &dyn Fn(&str, char) -> String| {
            let all: Vec<String> = names.iter().zip('a'..).map(|(of, name)| write(of, name)).collect();
            all.join(", ")
        };
        let in_rust = listed(&|of, name| format!("{name}: {of}"));
        let in_cpp = listed(&|of, name| format!("{of} {name}"));
        let result: Vec<String> = results.iter().map(|of| name_of(*of).to_owned()).collect();
        let [of_rust, of_cpp] = match &result[..] {
            [one] => [one.clone(), one.clone()],
            several => [format!("({})", several.join(", ")), self.tuple(several)],
        };
        writeln!(self.rust, "// {function}\nfn {name}({in_rust}) -> {of_rust} {{ {rust} }}").expect("text");
        writeln!(self.cpp, "__device__ {of_cpp} {name}({in_cpp}) {{ return {cpp}; }}").expect("text");
        self.used.insert(function.to_owned());
        let count = if parameters.len() == 1 { 200 } else { 400 };
        let inputs = inputs::calls(parameters, count, true, &mut inputs::Random(self.cases.len() as u64));
        let (parameters, results) = (parameters.to_vec(), results.to_vec());
        let library = programs::calls_library(&support::text(&BTreeSet::from([function.to_owned()]), ""));
        self.cases.push(Case { rust: name.clone(), cpp: name, parameters, results, inputs, library });
    }

    /// A struct for several results.
    fn tuple(&mut self, parts: &[String]) -> String {
        let name = format!("Tuple{}_{}", parts.len(), parts.join("_"));
        let members: Vec<String> = parts.iter().enumerate().map(|(at, of)| format!("{of} _{at};")).collect();
        self.tuples.insert(format!("struct {name} {{ {} }};\n", members.join(" ")));
        name
    }

    /// What Rust and the support text make of the same arguments.
    fn differences(&self, name: &str) -> Vec<String> {
        let tuples: String = self.tuples.iter().map(String::as_str).collect();
        let cpp = format!("{}{tuples}{}", support::text(&self.used, ""), self.cpp);
        let folder = std::env::temp_dir().join(format!("warpcell-{name}-{}", std::process::id()));
        let [rust, other] = programs::run(&self.cases, &self.rust, &cpp, &folder);
        programs::write_for_devices(name, &self.cases, &self.rust, &cpp, &rust);
        std::fs::remove_dir_all(&folder).expect("the folder can be removed");
        programs::differences(&self.cases, &rust, &other)
    }
}

/// The types that are Rust's own: floats of 16 bits and complex numbers have tests of their own.
fn scalars_of_rust() -> impl Iterator<Item = Scalar> {
    ALL.into_iter().filter(|&scalar| !is_struct(scalar))
}

/// What a program in C++ prints, whose argument is a file with this input.
fn printed_by(name: &str, program: &str, input: &[u8]) -> Vec<u8> {
    let folder = std::env::temp_dir().join(format!("warpcell-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let file = |name: &str| folder.join(name);
    std::fs::write(file("main.cpp"), program).expect("the program can be written");
    std::fs::write(file("host.h"), include_str!("../../tests/differential/host.h")).expect("the header can be written");
    std::fs::write(file("input"), input).expect("the input can be written");
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "g++".into());
    let built = Command::new(compiler)
        .args(["-std=c++17", "-O1", "-ffp-contract=off", "-w", "-o"])
        .args([file("program"), file("main.cpp")])
        .output()
        .expect("the compiler starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let done = Command::new(file("program")).arg(file("input")).output().expect("the program starts");
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    done.stdout
}

/// Whether Rust has `to::from(x)` for `x` of the type `from`. To Rust, sizes have 16 bits or more.
fn is_lossless(from: Scalar, to: Scalar) -> bool {
    let is_size = |scalar| matches!(scalar, Scalar::Isize | Scalar::Usize);
    let bits = match to {
        Scalar::F32 => 24,
        Scalar::F64 => 53,
        size if is_size(size) => 16,
        integer => integer_bits(integer),
    };
    if from == to || from == Scalar::Bool {
        true
    } else if is_float(from) || is_size(from) {
        (from, to) == (Scalar::F32, Scalar::F64)
    } else if is_signed(from) {
        (is_float(to) || is_signed(to)) && integer_bits(from) <= bits
    } else {
        integer_bits(from) + u32::from(is_signed(to)) <= bits
    }
}

#[test]
fn methods_are_those_of_rust() {
    let mut functions = Functions::default();
    for of in scalars_of_rust() {
        for (name, method) in tables(of).iter().flat_map(|table| table.iter()) {
            let result = |result: &MethodResult| match result {
                MethodResult::Scalar(scalar) => *scalar,
                _ => of,
            };
            let results: Vec<Scalar> = match method.result {
                MethodResult::Tuple(parts) => parts.iter().map(result).collect(),
                ref whole => vec![result(whole)],
            };
            // A function of several types is one for each of them.
            let several: Vec<Scalar> = match method.parameters {
                [Parameter::Lossless] => scalars_of_rust().filter(|&from| is_lossless(from, of)).collect(),
                _ => vec![Scalar::Bool],
            };
            for any in several {
                let mut parameters = if method.takes_self { vec![of] } else { Vec::new() };
                parameters.extend(method.parameters.iter().map(|parameter| match parameter {
                    Parameter::Same => of,
                    Parameter::Scalar(scalar) => *scalar,
                    Parameter::Part | Parameter::Lossless => any,
                }));
                let mut arguments: Vec<String> =
                    parameters.iter().zip('a'..).map(|(_, name)| name.to_string()).collect();
                let rust = match method.takes_self {
                    true => format!("a.{name}({})", arguments[1..].join(", ")),
                    false => format!("{}::{name}(a)", name_of(of)),
                };
                if method.may_fail {
                    arguments.extend(["0".to_owned(), "0".to_owned()]);
                }
                let tuple = match method.result {
                    MethodResult::Tuple(_) => {
                        let names: Vec<String> = results.iter().map(|of| name_of(*of).to_owned()).collect();
                        format!("<{}>", functions.tuple(&names))
                    }
                    _ => String::new(),
                };
                let cpp = format!("{}{tuple}({})", method.c_name, arguments.join(", "));
                functions.add(&parameters, &results, &rust, method.c_name, &cpp);
            }
        }
    }
    assert!(functions.cases.len() > 850, "{} functions", functions.cases.len());
    let differences = functions.differences("methods");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn operators_and_casts_are_those_of_rust() {
    let mut functions = Functions::default();
    for of in scalars_of_rust() {
        let own = name_of(of);
        let mut add = |parameters: &[Scalar], rust: &str, name: &str, arguments: &str| {
            let function = format!("{own}_{name}");
            functions.add(parameters, &[of], rust, &function, &format!("{function}({arguments})"));
        };
        if is_float(of) {
            add(&[of, of], "a % b", "rem", "a, b");
        }
        if is_integer(of) {
            add(&[of, of], "a + b", "add", "a, b");
            add(&[of, of], "a - b", "sub", "a, b");
            add(&[of, of], "a * b", "mul", "a, b");
            add(&[of, of], "a / b", "div", "a, b, 0, 0");
            add(&[of, of], "a % b", "rem", "a, b, 0, 0");
            add(&[of], "!a", "not", "a");
            add(&[of], if is_signed(of) { "-a" } else { "a.wrapping_neg()" }, "neg", "a");
            for count in scalars_of_rust().filter(|count| is_integer(*count)) {
                add(&[of, count], "a << b", "shl", "a, b");
                add(&[of, count], "a >> b", "shr", "a, b");
            }
        }
        for to in scalars_of_rust().filter(|to| *to != Scalar::Bool) {
            let rust = format!("a as {}", name_of(to));
            if is_float(of) && is_integer(to) {
                let function = format!("{}_from_{own}", name_of(to));
                functions.add(&[of], &[to], &rust, &function, &format!("{function}(a)"));
            } else if of != Scalar::Bool || is_integer(to) {
                // C has this cast as Rust does.
                functions.add(&[of], &[to], &rust, "", &format!("{}(a)", name_of(to)));
            }
        }
    }
    let differences = functions.differences("operators");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn constants_are_those_of_rust() {
    let scalar = |of, bits: u64| Some(Value::Scalar(of, bits.into()));
    assert_eq!(associated_constant(Scalar::F32, "MAX"), scalar(Scalar::F32, u64::from(f32::MAX.to_bits())));
    assert_eq!(associated_constant(Scalar::F64, "NEG_INFINITY"), scalar(Scalar::F64, f64::NEG_INFINITY.to_bits()));
    assert_eq!(associated_constant(Scalar::I8, "MIN"), scalar(Scalar::I8, 0x80));
    assert_eq!(associated_constant(Scalar::I32, "MIN"), scalar(Scalar::I32, 0x8000_0000));
    assert_eq!(associated_constant(Scalar::Usize, "MAX"), scalar(Scalar::Usize, u64::MAX));
    assert_eq!(associated_constant(Scalar::U16, "BITS"), scalar(Scalar::U32, 16));
    assert_eq!(associated_constant(Scalar::F32, "MIN_EXP"), scalar(Scalar::I32, u64::from(-125i32 as u32)));
    assert_eq!(associated_constant(Scalar::F32, "PI"), None);
    let pi = scalar(Scalar::F32, u64::from(std::f32::consts::PI.to_bits()));
    for path in ["std::f32::consts::PI", "core::f32::consts::PI", "::std::f32::consts::PI", "f32::consts::PI"] {
        assert_eq!(path_constant(path), pi, "{path}");
    }
    assert_eq!(path_constant("std::i32::MAX"), scalar(Scalar::I32, 0x7fff_ffff));
    for path in ["consts::PI", "std::f32::consts::PIE", "std::f32::consts", "f32::MAX", "std::f32::consts::PI::PI", ""]
    {
        assert_eq!(path_constant(path), None, "{path}");
    }
}

#[test]
fn what_is_missing_has_a_substitute() {
    let cases = [
        (
            Scalar::I32,
            "checked_add",
            "kernels have no `Option`: use `wrapping_add`, `saturating_add` or `overflowing_add`",
        ),
        (
            Scalar::U8,
            "checked_rem",
            "kernels have no `Option`: compare the divisor with 0 first, or use `wrapping_rem` or `overflowing_rem`",
        ),
        (Scalar::U8, "checked_ilog2", "kernels have no `Option`: use `ilog2`"),
        (
            Scalar::I64,
            "strict_mul",
            "kernels do not panic on overflow: use `wrapping_mul`, `saturating_mul` or `overflowing_mul`",
        ),
        (Scalar::F32, "total_cmp", "compare with `<`, `==` and `>`: kernels have no `Ordering`"),
        (Scalar::F32, "sqr", "write `x * x`"),
        (Scalar::F32, "sqrtt", "write `sqrt`"),
        (Scalar::F32, "pow", "write `x.powi(2)` or `x.powf(0.5)`"),
        (Scalar::I32, "powi", "write `x.pow(2)`"),
        (Scalar::F32, "fabsf", "write `x.abs()`"),
        (Scalar::F64, "isinf", "write `x.is_infinite()`"),
        (Scalar::U32, "abs", "signed integers have it: write `(x as i32).abs(…)`"),
        (Scalar::Usize, "unsigned_abs", "signed integers have it: write `(x as isize).unsigned_abs(…)`"),
        (Scalar::I16, "next_power_of_two", "unsigned integers have it: write `(x as u16).next_power_of_two(…)`"),
        (Scalar::I32, "sqrt", "write `isqrt`"),
        (Scalar::I32, "hypot", "floats have it: write `(x as f32).hypot(…)`"),
        (Scalar::F32, "count_ones", "integers have it: write `(x as i32).count_ones(…)` or `x.to_bits()`"),
        (Scalar::U32, "is_ascii_digit", "`u8` has it: write `(x as u8).is_ascii_digit(…)`"),
        (Scalar::Bool, "then_some", "kernels have no `Option`: write `if … { … } else { … }`"),
        (Scalar::Bool, "max", "numbers have it: write `i32::from(x).max(…)` or `f32::from(x).max(…)`"),
        (Scalar::F16, "sqrt", "compute it in `f32`: `f16::from_f32(x.to_f32().sqrt())`"),
        (Scalar::BF16, "powf", "compute it in `f32`: `bf16::from_f32(x.to_f32().powf(…))`"),
        (Scalar::F32, "bessel", "write it out in arithmetic, or as a function with `#[device]` before it"),
    ];
    for (of, name, advice) in cases {
        assert_eq!(suggestion(of, name), advice, "{name} of {of:?}");
    }
}
