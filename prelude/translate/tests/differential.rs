//! The same functions as Rust and as the CUDA C that the translator makes of them: on the host both give the same bits.
//!
//! The functions are those of `differential/functions.rs.txt`, and generated ones. Rust's compiler makes one program of them and
//! the C++ compiler another one, of the generated CUDA C behind `differential/host.h`; both run over the edges of the types and
//! random values. Integers wrap, so the Rust side is compiled without checks for overflow; what panics on one side ends the thread
//! on the other. All results are compared bit for bit (but NaN with NaN): both sides call one C library.
//!
//! For other devices the same goes into a folder, if `WARPCELL_DIFFERENTIAL` names one, as three files each of the functions
//! as they are written, of the generated ones, and of the methods of scalars one by one (from the tests within the crate):
//! - `NAME.rs`: the functions, with `#[vectorize]` and `#[device]` before them, structs and constants;
//! - `NAME.cu`: their translations, and a kernel `call_N(const u64 *inputs, u64 *outputs, u32 calls)` for the Nth function.
//!   Arguments are 64-bit words, one call's behind the other's; so are the outputs of a call: a word that becomes 1 when the call
//!   does not fail, then the results, those of NaN all the same. The variable `warpcell_record` must point to a record;
//! - `NAME.txt`: for each function a line `function N NAME PARAMETERS -> RESULTS`, the types with blanks between them, and a line
//!   for each call: the words of the arguments in hexadecimal, `=`, and the words of the results, or `fails`, or `any` (only the
//!   host's compiler lets it panic, as an integer was too large). It is a line `library N …` if functions of the C library are
//!   called, whose last bits are others elsewhere.
//!
//! The CUDA backend's own tests run these files.

mod differential {
    pub mod generator;
    pub mod inputs;
    pub mod items;
    pub mod programs;

    use warpcell_translate::Scalar;
}

use differential::generator;
use differential::inputs::{self, Random};
use differential::items::{Joined, Program};
use differential::programs::{self, Case};
use std::path::PathBuf;

/// Compares all functions of a text.
fn compare(name: &str, text: &str, calls: usize) -> usize {
    let program = Program::of(text);
    let mut cases = Vec::new();
    let mut joined = Joined::default();
    let mut refused = Vec::new();
    for function in &program.vectorized {
        let translation = match program.translate(function) {
            Ok(translation) => translation,
            Err(error) => {
                refused.push(error.to_string());
                continue;
            }
        };
        let space = format!("{function}_alone");
        joined.add(&translation, &space);
        let seed = cases.len() as u64;
        let parameters: Vec<_> = translation.scalars().collect();
        cases.push(Case {
            rust: function.clone(),
            cpp: format!("{space}::{}", translation.name),
            inputs: inputs::calls(&parameters, calls, cases.len() % 2 == 0, &mut Random(seed)),
            parameters,
            results: translation.results,
            library: programs::calls_library(&translation.support),
        });
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("differential-{name}"));
    let [rust, translated] = programs::run(&cases, &program.plain_rust(), &joined.text(), &folder);
    programs::write_for_devices(name, &cases, text, &joined.text(), &rust);
    let differences = programs::differences(&cases, &rust, &translated);
    let wrong: Vec<String> = refused.into_iter().chain(differences).collect();
    assert!(wrong.is_empty(), "{} functions:\n{}", wrong.len(), wrong.join("\n"));
    cases.len()
}

#[test]
fn written_functions_are_those_of_rust() {
    let text = include_str!("differential/functions.rs.txt");
    assert!(compare("written", text, 600) >= 90);
}

#[test]
fn generated_functions_are_those_of_rust() {
    assert_eq!(compare("generated", &generator::functions(260, 7), 300), 260);
}
