//! One C++ program of all translations, with a grid of threads of the operating system behind each launch.

use super::cases::{Case, FAULTS, KERNELS, Outcome};
use crate::program::{self, Program};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use warpcell_translate::{KernelTranslation, Scalar, Value};

fn folder(name: &str) -> PathBuf {
    let folder = match std::env::var_os("WARPCELL_GRIDS") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name),
    };
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// The items of both files.
struct Known {
    kernels: Program,
    faults: Program,
}

fn known() -> Known {
    let tile = Value::Scalar(Scalar::Usize, super::kernels::TILE as u128);
    Known { kernels: program::program(KERNELS, &[("TILE", tile)]), faults: program::program(FAULTS, &[]) }
}

fn translation(known: &Known, case: &Case, checked: bool) -> KernelTranslation {
    let parameters: Vec<&str> = case.arguments.iter().map(|argument| &*argument.kind).collect();
    let program = if case.file == FAULTS { &known.faults } else { &known.kernels };
    program.kernel(case.name, &parameters, checked).unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

/// What differs between Rust's outcomes and those of the translations, with checks of indices and without.
pub fn differences(cases: &[Case]) -> Vec<String> {
    let known = known();
    let folder = folder("grids");
    let mut differences = Vec::new();
    for checked in [true, false] {
        let cases: Vec<&Case> =
            cases.iter().filter(|case| checked || matches!(case.outcome, Outcome::Wrote(_))).collect();
        let translations: Vec<KernelTranslation> =
            cases.iter().map(|case| translation(&known, case, checked)).collect();
        let name = if checked { "checked" } else { "unchecked" };
        let found = run(&cases, &translations, &folder, name);
        for (case, found) in cases.iter().zip(found) {
            if found != case.outcome {
                differences.push(format!(
                    "{} {name} {:?}: Rust {}, the translation {}",
                    case.name,
                    case.arguments.iter().map(|argument| &*argument.kind).collect::<Vec<_>>(),
                    shown(&case.outcome),
                    shown(&found)
                ));
            }
        }
    }
    differences
}

fn shown(outcome: &Outcome) -> String {
    let text = format!("{outcome:?}");
    text.chars().take(600).collect()
}

/// The C++ text of some launches: each translation in a namespace of its own, then `main`, which reads the arguments from
/// a file and writes what a record has and the arrays.
fn cpp(cases: &[&Case], translations: &[KernelTranslation], on_device: bool) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut sources = String::new();
    let mut main = String::from("int main(int, char **arguments) {\n    FILE *file = fopen(arguments[1], \"rb\");\n");
    for (number, (case, kernel)) in cases.iter().zip(translations).enumerate() {
        for part in kernel.support.split("\n\n").map(str::trim_end) {
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        writeln!(sources, "namespace case_{number} {{\n{}}}\n", kernel.source).expect("text");
        main += &launch_in_cpp(number, case, kernel);
    }
    let support = parts.join("\n\n");
    if on_device {
        // After the support text, whose names it uses.
        let (device, sources) = (include_str!("device.h"), sources.replace("extern \"C\" ", ""));
        return format!("{support}\n\n{device}\n{sources}\n{main}    return 0;\n}}\n");
    }
    let support = support
        .replace("asm volatile(\"exit;\");", "throw Failure{};")
        .replace("asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));", "lane = host_lane();")
        .replace("asm(\"mov.u32 %0, %%dynamic_smem_size;\" : \"=r\"(bytes));", "bytes = host_dynamic_bytes;")
        .replace("extern __shared__ __align__(16)", "alignas(16) static")
        .replace("warpcell_dynamic_memory[]", "warpcell_dynamic_memory[49152]");
    // Names that are known outside of namespaces would be those of other launches too.
    let sources = sources.replace("extern \"C\" __global__", "static");
    let (differential, host) = (include_str!("../differential/host.h"), include_str!("host.h"));
    // The host's own headers before the names that mean something else to them.
    let headers = ["array", "atomic", "condition_variable", "map", "memory", "mutex", "thread"];
    let headers: String = headers.iter().map(|name| format!("#include <{name}>\n")).collect();
    let words = "typedef unsigned long long u64;\n";
    format!("{headers}{differential}\n{words}{host}\n{support}\n\n{sources}\n{main}    return 0;\n}}\n")
}

fn launch_in_cpp(number: usize, case: &Case, kernel: &KernelTranslation) -> String {
    let mut text = String::from("    {\n        RECORD\n");
    let mut passed = Vec::new();
    let mut writes = String::new();
    for (at, argument) in case.arguments.iter().enumerate() {
        let of = argument.element;
        writeln!(text, "        Array<{of}> a{at}(file);").expect("text");
        if argument.shape.is_empty() {
            passed.push(format!("a{at}.value()"));
            continue;
        }
        writeln!(writes, "        a{at}.write();").expect("text");
        let rank = argument.shape.len();
        let list = |values: Vec<String>| values.join(", ");
        let access = argument.kind.split(char::is_numeric).next().expect("there is a name");
        writeln!(
            text,
            "        const case_{number}::rust::{access}{rank}_{of} v{at} = {{({of} *)a{at}.data() + {}, {{{}}}, {{{}}}}};",
            argument.offset,
            list(argument.shape.iter().map(ToString::to_string).collect()),
            list(argument.strides.iter().map(ToString::to_string).collect()),
        )
        .expect("text");
        passed.push(format!("v{at}"));
    }
    let place = |of: [usize; 3]| format!("(ThreadPlace {{{}u, {}u, {}u}})", of[0], of[1], of[2]);
    writeln!(
        text,
        "        LAUNCH({}, {}, {}, case_{number}::rust::{}, {});",
        place(case.grid),
        place(case.block),
        case.dynamic_shared_bytes,
        kernel.name,
        passed.join(", ")
    )
    .expect("text");
    text + "        TAKE_RECORD\n        fwrite(&record, sizeof record, 1, stdout);\n" + &writes + "    }\n"
}

/// What Rust has made of all cases, a line each: `NAME fails KIND LINE SIZE`, with the bytes of all its arrays, or `NAME writes`
/// and the bytes of each array in hexadecimal.
fn expected(cases: &[&Case]) -> String {
    let mut text = String::new();
    for case in cases {
        match &case.outcome {
            Outcome::Failed { kind, line, .. } => {
                let arrays = case.arguments.iter().filter(|argument| !argument.shape.is_empty());
                let bytes: usize = arrays.map(|argument| argument.bytes.len()).sum();
                writeln!(text, "{} fails {kind} {line} {bytes}", case.name).expect("text");
            }
            Outcome::Wrote(arrays) => {
                text += &format!("{} writes", case.name);
                for array in arrays {
                    text.push(' ');
                    array.iter().for_each(|byte| text += &format!("{byte:02x}"));
                }
                text.push('\n');
            }
        }
    }
    text
}

/// The arguments of all cases: how many bytes, then these.
fn inputs(cases: &[&Case]) -> Vec<u8> {
    let mut all = Vec::new();
    for argument in cases.iter().flat_map(|case| &case.arguments) {
        all.extend((argument.bytes.len() as u64).to_le_bytes());
        all.extend(&argument.bytes);
    }
    all
}

fn run(cases: &[&Case], translations: &[KernelTranslation], folder: &Path, name: &str) -> Vec<Outcome> {
    let file = |end: &str| folder.join(format!("{name}{end}"));
    std::fs::write(file(".cpp"), cpp(cases, translations, false)).expect("the program can be written");
    std::fs::write(file(".cu"), cpp(cases, translations, true)).expect("the program for devices can be written");
    std::fs::write(file(".expected"), expected(cases)).expect("what is expected can be written");
    std::fs::write(file(".inputs"), inputs(cases)).expect("the inputs can be written");
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "g++".into());
    let mut compile = Command::new(compiler);
    compile.args(["-std=c++20", "-O1", "-ffp-contract=off", "-fno-strict-aliasing", "-pthread", "-w", "-o"]);
    let compiled = compile.arg(file("")).arg(file(".cpp")).output().expect("the compiler can be started");
    assert!(compiled.status.success(), "{}", first_lines(&compiled.stderr));
    let done = Command::new(file("")).arg(file(".inputs")).stdin(Stdio::null()).output().expect("it can be started");
    assert!(done.status.success(), "{:?}: {}", done.status, first_lines(&done.stderr));
    let mut bytes = &done.stdout[..];
    let mut take = |count: usize| {
        let (taken, rest) = bytes.split_at(count);
        bytes = rest;
        taken.to_vec()
    };
    let mut outcomes = Vec::new();
    for (case, kernel) in cases.iter().zip(translations) {
        let record = take(64);
        let arrays = case.arguments.iter().filter(|argument| !argument.shape.is_empty());
        let wrote = arrays.map(|argument| take(argument.bytes.len())).collect();
        outcomes.push(failure(&record, kernel, case).unwrap_or(Outcome::Wrote(wrote)));
    }
    assert!(bytes.is_empty(), "{} bytes are left", bytes.len());
    outcomes
}

/// What a record says. Of the index of several axes it has the one that is out of bounds: Rust's others are taken for true.
fn failure(record: &[u8], kernel: &KernelTranslation, case: &Case) -> Option<Outcome> {
    let word = |at: usize| u32::from_le_bytes(record[at..at + 4].try_into().expect("four bytes"));
    let place = |at: usize| [word(at) as usize, word(at + 4) as usize, word(at + 8) as usize];
    let kind = word(0);
    if kind == 0 {
        return None;
    }
    let value = i64::from_le_bytes(record[16..24].try_into().expect("eight bytes"));
    let (mut array, mut index) = (None, Vec::new());
    if let (Some(number), Outcome::Failed { index: wanted, array: named, .. }) =
        ((word(32) as usize).checked_sub(1), &case.outcome)
    {
        let name = kernel.arrays[number].clone();
        // Shared arrays have no names where Rust runs them.
        array = named.as_ref().map(|_| name);
        index = wanted.clone();
        index[word(36) as usize] = value as usize;
    }
    Some(Outcome::Failed { kind, line: word(8), array, index, thread: place(40), block: place(52) })
}

fn first_lines(text: &[u8]) -> String {
    String::from_utf8_lossy(text).lines().take(60).collect::<Vec<_>>().join("\n")
}

/// Compiles all translations by CUDA's compiler.
pub fn compile_as_cuda(cases: &[Case], library: &OsStr) {
    let known = known();
    let folder = folder("grids-cuda");
    let compiler = folder.join("compile");
    std::fs::write(folder.join("compile.cpp"), include_str!("nvrtc.cpp.txt")).expect("the program can be written");
    let mut compile = Command::new(std::env::var_os("CXX").unwrap_or_else(|| "g++".into()));
    compile.args(["-std=c++17", "-w", "-o"]).arg(&compiler).arg(folder.join("compile.cpp")).arg("-ldl");
    let compiled = compile.output().expect("the compiler can be started");
    assert!(compiled.status.success(), "{}", first_lines(&compiled.stderr));
    let mut compile = Command::new(&compiler);
    compile.arg(library);
    for (number, case) in cases.iter().enumerate() {
        for checked in [true, false] {
            let kernel = translation(&known, case, checked);
            let name = if checked { "checked" } else { "unchecked" };
            let file = folder.join(format!("{number}_{}_{name}.cu", case.name));
            std::fs::write(&file, format!("{}\n{}", kernel.support, kernel.source)).expect("it can be written");
            compile.arg(file);
        }
    }
    let done = compile.output().expect("it can be started");
    assert!(done.status.success(), "{}", first_lines(&done.stdout));
}
