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
    /// Whether functions of the C library are called.
    pub library: bool,
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

/// Functions of the C library whose last bits differ between libraries, by their names for `double`.
pub const LIBRARY: [&str; 21] = [
    "sin", "cos", "sincos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2", "expm1",
    "log", "log1p", "log2", "log10", "pow", "cbrt", "hypot",
];

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
        .args(["-std=c++17", "-O1", "-ffp-contract=off", "-w"])
        // Called as they are for constants too, whose values the compiler else computes more precisely than the library.
        .args(LIBRARY.iter().flat_map(|name| [format!("-fno-builtin-{name}"), format!("-fno-builtin-{name}f")]))
        .arg("-o")
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
    let words = include_str!("words.txt");
    let mut text = format!("#include \"host.h\"\n{functions}\n{words}{}", include_str!("main.cpp.txt"));
    for (number, case) in cases.iter().enumerate() {
        let body = call_in_cpp(case, 0);
        writeln!(text, "static void call_{number}(const u64 *inputs, u64 *outputs) {{ {body} }}").expect("text");
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

/// A call with words as arguments, whose results become words from the `first` on.
fn call_in_cpp(case: &Case, first: usize) -> String {
    let parameters = case.parameters.iter().enumerate();
    let arguments: Vec<String> = parameters.map(|(at, of)| format!("get<{}>(inputs[{at}])", name_of(*of))).collect();
    let call = format!("{}({})", case.cpp, arguments.join(", "));
    match case.results.len() {
        1 => format!("outputs[{first}] = bits<{}>({call});", name_of(case.results[0])),
        count => {
            let parts: Vec<String> =
                (0..count).map(|at| format!("outputs[{}] = bits(all._{at});", first + at)).collect();
            format!("const auto all = {call}; {}", parts.join(" "))
        }
    }
}

/// Writes what a test on another device needs: `differential.rs` says what these files are.
pub fn write_for_devices(name: &str, cases: &[Case], rust: &str, cuda: &str, outcomes: &[Vec<Outcome>]) {
    let Some(folder) = std::env::var_os("WARPCELL_DIFFERENTIAL") else { return };
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder).expect("the folder can be made");
    let mut kernels = format!("{cuda}\n{}", include_str!("words.txt"));
    let mut expected = String::new();
    for (number, (case, outcomes)) in cases.iter().zip(outcomes).enumerate() {
        let (parameters, results) = (case.parameters.len(), case.results.len() + 1);
        let body = call_in_cpp(case, 1);
        writeln!(
            kernels,
            "extern \"C\" __global__ void call_{number}(const u64 *inputs, u64 *outputs, u32 calls) {{\n    \
             const u32 call = blockIdx.x * blockDim.x + threadIdx.x;\n    if (call >= calls) return;\n    \
             inputs += call * {parameters}u;\n    outputs += call * {results}u;\n    {body}\n    outputs[0] = 1;\n}}"
        )
        .expect("text");
        let types = |of: &[Scalar]| of.iter().map(|of| name_of(*of)).collect::<Vec<_>>().join(" ");
        let kind = if case.library { "library" } else { "function" };
        let (parameters, results) = (types(&case.parameters), types(&case.results));
        writeln!(expected, "{kind} {number} {} {parameters} -> {results}", case.rust).expect("text");
        for (inputs, outcome) in case.inputs.iter().zip(outcomes) {
            let words = |words: &[u64]| words.iter().map(|word| format!("{word:x}")).collect::<Vec<_>>().join(" ");
            let outcome = match outcome {
                Outcome::Values(values) => words(values),
                Outcome::Failed => "fails".to_owned(),
                Outcome::Overflowed => "any".to_owned(),
            };
            writeln!(expected, "{} = {outcome}", words(inputs)).expect("text");
        }
    }
    for (kind, text) in [("rs", rust), ("cu", &kernels), ("txt", &expected)] {
        std::fs::write(folder.join(format!("{name}.{kind}")), text).expect("the file can be written");
    }
}

/// Whether a text calls functions of the C library, which differ from one to the next.
pub fn calls_library(text: &str) -> bool {
    let mut names = text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    names.any(|name| LIBRARY.contains(&name) || name.strip_suffix('f').is_some_and(|name| LIBRARY.contains(&name)))
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
