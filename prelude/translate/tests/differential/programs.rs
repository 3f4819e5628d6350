//! Two programs made of the same functions, one by the Rust compiler and one by the C++ compiler, and what they give.

use super::Scalar;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A function, by its name in both programs, and what it is called with.
pub struct Case {
    /// As a path of the Rust program.
    pub rust: String,
    /// As an expression of the C++ program.
    pub cpp: String,
    pub parameters: Vec<Scalar>,
    /// One for a scalar result, several for a tuple.
    pub results: Vec<Scalar>,
    /// The bits of the arguments, call by call.
    pub inputs: Vec<Vec<u64>>,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The bits of the results; those of NaN are always the same.
    Values(Vec<u64>),
    /// A panic, or the end of the thread.
    Failed,
    /// A panic of the host because an integer was too large, where kernels wrap.
    Overflowed,
}

/// Compiles both programs and calls all functions: the outcomes of Rust, then those of C++.
pub fn run(cases: &[Case], rust: &str, cpp: &str, folder: &Path) -> [Vec<Vec<Outcome>>; 2] {
    std::fs::create_dir_all(folder).expect("the folder can be made");
    let file = |name: &str| folder.join(name);
    std::fs::write(file("functions.rs"), rust_program(cases, rust)).expect("the Rust program can be written");
    std::fs::write(file("functions.cpp"), cpp_program(cases, cpp)).expect("the C++ program can be written");
    std::fs::write(file("host.h"), include_str!("host.h")).expect("the header can be written");
    let inputs: Vec<u8> =
        cases.iter().flat_map(|case| case.inputs.iter().flatten().flat_map(|bits| bits.to_le_bytes())).collect();
    std::fs::write(file("inputs"), inputs).expect("the inputs can be written");

    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut rustc = Command::new(compiler);
    rustc
        .args([
            "--edition=2024",
            "--crate-type=bin",
            "-Copt-level=1",
            "-Coverflow-checks=off",
            "-Cdebug-assertions=off",
        ])
        .args(["-Ccodegen-units=2", "--cap-lints=allow", "-o"])
        .arg(file("functions_of_rust"))
        .arg(file("functions.rs"));
    let mut compile_cpp = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "g++".into()));
    compile_cpp
        .args(["-std=c++17", "-O1", "-ffp-contract=off", "-w", "-o"])
        .arg(file("functions_of_cpp"))
        .arg(file("functions.cpp"));
    let compilers = [start(rustc), start(compile_cpp)];
    for compiler in compilers {
        let done = compiler.wait_with_output().expect("the compiler was started");
        assert!(done.status.success(), "in {}:\n{}", folder.display(), first_lines(&done.stderr));
    }
    let programs = ["functions_of_rust", "functions_of_cpp"].map(|program| {
        let mut command = Command::new(file(program));
        command.arg(file("inputs"));
        start(command)
    });
    programs.map(|program| outcomes(cases, program))
}

fn start(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap_or_else(|error| panic!("{command:?} cannot be started: {error}"))
}

fn first_lines(text: &[u8]) -> String {
    String::from_utf8_lossy(text).lines().take(60).collect::<Vec<_>>().join("\n")
}

fn outcomes(cases: &[Case], program: Child) -> Vec<Vec<Outcome>> {
    let done = program.wait_with_output().expect("the program was started");
    assert!(done.status.success(), "the program ended with {}:\n{}", done.status, first_lines(&done.stderr));
    let mut words = done.stdout.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")));
    let mut word = || words.next().expect("the program writes something for each call");
    cases
        .iter()
        .map(|case| {
            let mut outcome = || {
                let status = word();
                let values: Vec<u64> = case.results.iter().map(|_| word()).collect();
                match status {
                    0 => Outcome::Values(values),
                    1 => Outcome::Failed,
                    _ => Outcome::Overflowed,
                }
            };
            case.inputs.iter().map(|_| outcome()).collect()
        })
        .collect()
}

pub fn name_of(scalar: Scalar) -> String {
    format!("{scalar:?}").to_lowercase()
}

/// The Rust program: the functions, a wrapper for each of them, and the loop over all calls.
fn rust_program(cases: &[Case], functions: &str) -> String {
    let mut text = format!("{functions}\n{}", include_str!("main.rs.txt"));
    for (number, case) in cases.iter().enumerate() {
        let arguments: Vec<String> = (0..case.parameters.len()).map(|at| format!("Bits::get(inputs[{at}])")).collect();
        let call = format!("{}({})", case.rust, arguments.join(", "));
        let results = match case.results.len() {
            1 => format!("outputs.push({call}.bits());"),
            count => {
                let parts: Vec<String> = (0..count).map(|at| format!("outputs.push(all.{at}.bits());")).collect();
                format!("let all = {call}; {}", parts.join(" "))
            }
        };
        writeln!(text, "fn call_{number}(inputs: &[u64], outputs: &mut Vec<u64>) {{ {results} }}").expect("text");
    }
    text.push_str("static CALLS: &[Call] = &[\n");
    for (number, case) in cases.iter().enumerate() {
        writeln!(text, "    {}", numbers(case, &format!("function: call_{number}"), ":")).expect("text");
    }
    text.push_str("];\n");
    text
}

fn numbers(case: &Case, function: &str, colon: &str) -> String {
    let (parameters, results, calls) = (case.parameters.len(), case.results.len(), case.inputs.len());
    if colon.is_empty() {
        format!("{{{function}, {parameters}, {results}, {calls}}},")
    } else {
        format!("Call {{ {function}, parameters: {parameters}, results: {results}, calls: {calls} }},")
    }
}

/// The C++ program, likewise.
fn cpp_program(cases: &[Case], functions: &str) -> String {
    let functions = functions
        .replace("asm volatile(\"exit;\");", "throw Failure{};")
        .replace("(a / b)", "(quotient_of(a, b))")
        .replace("(a % b)", "(remainder_of(a, b))");
    let mut text = format!("#include \"host.h\"\n{functions}\n{}", include_str!("main.cpp.txt"));
    for (number, case) in cases.iter().enumerate() {
        let arguments: Vec<String> =
            case.parameters.iter().enumerate().map(|(at, of)| format!("get<{}>(inputs[{at}])", name_of(*of))).collect();
        let call = format!("{}({})", case.cpp, arguments.join(", "));
        let results = match case.results.len() {
            1 => format!("outputs[0] = bits<{}>({call});", name_of(case.results[0])),
            count => {
                let parts: Vec<String> = (0..count).map(|at| format!("outputs[{at}] = bits(all._{at});")).collect();
                format!("const auto all = {call}; {}", parts.join(" "))
            }
        };
        writeln!(text, "static void call_{number}(const u64 *inputs, u64 *outputs) {{ {results} }}").expect("text");
    }
    text.push_str("static const Call CALLS[] = {\n");
    for (number, case) in cases.iter().enumerate() {
        writeln!(text, "    {}", numbers(case, &format!("call_{number}"), "")).expect("text");
    }
    text.push_str(
        "};\nint main(int, char **arguments) { return run(arguments[1], CALLS, sizeof CALLS / sizeof *CALLS); }\n",
    );
    text
}

/// Where the outcomes differ: one line for each function, with the first call that differs.
pub fn differences(cases: &[Case], rust: &[Vec<Outcome>], other: &[Vec<Outcome>]) -> Vec<String> {
    let mut lines = Vec::new();
    for (case, (rust, other)) in cases.iter().zip(rust.iter().zip(other)) {
        let differ = |at: &usize| rust[*at] != Outcome::Overflowed && rust[*at] != other[*at];
        let places: Vec<usize> = (0..case.inputs.len()).filter(differ).collect();
        if let Some(first) = places.first() {
            let arguments: Vec<String> =
                case.parameters.iter().zip(&case.inputs[*first]).map(|(of, bits)| shown(*of, *bits)).collect();
            let result = |outcome: &Outcome| match outcome {
                Outcome::Values(values) => {
                    let parts: Vec<String> =
                        case.results.iter().zip(values).map(|(of, bits)| shown(*of, *bits)).collect();
                    parts.join(", ")
                }
                failed => format!("{failed:?}"),
            };
            lines.push(format!(
                "{}({}): Rust gives {}, the translation {} ({} of {} calls differ)",
                case.rust,
                arguments.join(", "),
                result(&rust[*first]),
                result(&other[*first]),
                places.len(),
                case.inputs.len()
            ));
        }
    }
    lines
}

/// A value, and the bits of a float.
fn shown(of: Scalar, bits: u64) -> String {
    match of {
        Scalar::Bool => (bits != 0).to_string(),
        Scalar::F32 => format!("{:e}_f32 ({bits:#010x})", f32::from_bits(bits as u32)),
        Scalar::F64 => format!("{:e} ({bits:#018x})", f64::from_bits(bits)),
        Scalar::I8 => (bits as i8).to_string(),
        Scalar::I16 => (bits as i16).to_string(),
        Scalar::I32 => (bits as i32).to_string(),
        Scalar::I64 | Scalar::Isize => (bits as i64).to_string(),
        _ => bits.to_string(),
    }
}
