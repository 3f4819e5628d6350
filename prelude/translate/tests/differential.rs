//! The same functions as Rust and as the CUDA C that the translator makes of them: on the host both give the same bits.
//!
//! The functions are those of `differential/functions.rs`, and generated ones. Rust's compiler makes one program of them and
//! the C++ compiler another one, of the generated CUDA C behind `differential/host.h`; both run over the edges of the types and
//! random values. Integers wrap, so the Rust side is compiled without checks for overflow; what panics on one side ends the thread
//! on the other. All results are compared bit for bit (but NaN with NaN): both sides call one C library.
//!
//! For other devices the same goes into a folder, if `WARPCELL_DIFFERENTIAL` names one:
//! - `functions.rs`: the functions, with `#[vectorize]` and `#[device]` before them, and constants;
//! - `functions.cu`: their translations; a kernel `call_N(const unsigned long long *inputs, unsigned long long *outputs,
//!   unsigned int calls)` for the Nth function, whose arguments and results are 64-bit words, a call after the other; and the
//!   variable `warpcell_record` of the support text, a pointer to the record of failures, to be set before;
//! - `expected.txt`: for each function a line `function N NAME PARAMETERS -> RESULTS`, the types with blanks between them, then a
//!   line for each call: the words of the arguments in hexadecimal, `=`, and either the words of the results, or `fails`, or
//!   `any` (an overflow at which only the host panics). Results that are NaN stand there as `nan`. Functions of the C library
//!   differ by some ulps elsewhere: lines of functions that use them begin with `library` instead of `function`.

mod differential {
    pub mod generator;
    pub mod inputs;
    pub mod items;
    pub mod programs;

    use warpcell_translate::Scalar;
}

use differential::generator;
use differential::inputs::{self, Random};
use differential::items::Program;
use differential::programs::{self, Case};
use std::path::PathBuf;

/// Compares all functions of a text.
fn compare(name: &str, text: &str, calls: usize) -> usize {
    let program = Program::of(text);
    let mut cases = Vec::new();
    let mut cuda = String::new();
    for function in &program.vectorized {
        let translation = match program.translate(function) {
            Ok(translation) => translation,
            Err(error) => panic!("{error}\n{}", program.source(function)),
        };
        let space = format!("{function}_alone");
        program.join(&translation, &space, &mut cuda);
        let seed = cases.len() as u64;
        cases.push(Case {
            rust: function.clone(),
            cpp: format!("{space}::{}", translation.name),
            inputs: inputs::calls(&translation.parameters, calls, cases.len() % 2 == 0, &mut Random(seed)),
            parameters: translation.parameters,
            results: translation.results,
        });
    }
    let cpp = program.whole(&cuda);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("differential-{name}"));
    let [rust, translated] = programs::run(&cases, &program.plain_rust(), &cpp, &folder);
    let differences = programs::differences(&cases, &rust, &translated);
    assert!(differences.is_empty(), "{} functions differ:\n{}", differences.len(), differences.join("\n"));
    cases.len()
}

#[test]
fn written_functions_are_those_of_rust() {
    let text = include_str!("differential/functions.rs");
    assert!(compare("written", text, 600) >= 90);
}

#[test]
fn generated_functions_are_those_of_rust() {
    assert_eq!(compare("generated", &generator::functions(320, 7), 300), 320);
}
