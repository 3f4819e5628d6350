//! evcxr's context: how it is opened, and how it is given a cell.

use crate::build_step::{self, BuildAnswer, Diagnostics, Types};
use crate::environment;
use crate::evaluator::open_types::{NextAttempt, OpenTypes};
use crate::evaluator::session_directory::SessionDirectory;
use crate::evaluator::{advice, commands};
use crate::files;
use crate::magics;
use crate::memory;
use evcxr::{CommandContext, Error, EvalContext, EvalOutputs};
use std::path::Path;
use std::process::Command;

/// What every session starts with; replayed after `:clear`.
pub const IMPORTS: &str = "use warpcell as gpu;\nuse gpu::prelude::*;";

/// Code that makes rust-analyzer read what notebooks use most, part by part. rust-analyzer keeps what it has read for
/// the rest of the session.
pub const WARM_UP: &[&str] = &[
    "let d = gpu::zeros::<f32>((2, 2)); let a = Array2::<f32>::zeros((2, 2)); let e = gpu::asarray(&a); a.",
    "let v: Vec<i32> = vec![1, 2].iter().map(|x| x * 2).collect(); let s = format!(\"{}\", v.len()); v.",
    "let d = gpu::zeros::<f32>((2, 2)); let e = &d + &d; let f = &d * 2.0; let m = e.sum(); e.",
    "let a = ndarray::array![[1.0, 2.0]]; let b = a.mapv(|x| x * 2.0) + &a; let s = b.sum_axis(ndarray::Axis(0)); s.",
    "let m = std::collections::HashMap::from([(\"a\".to_owned(), 1)]); let o = m.get(\"a\").copied(); let t = std::time::Instant::now(); m.",
];

/// evcxr's level of optimisation, which it writes into the cell crate's manifest.
const LEVEL: &str = "2";
/// evcxr's settings, in the directory in which it starts.
const SETTINGS: &str = "evcxr.toml";

/// A context with the cell process of a session, and the imports of the prelude. rust-analyzer has read nothing but the
/// cell crate ([`read_crates`]).
pub fn start(session: &SessionDirectory, socket: &Path) -> std::result::Result<CommandContext, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(executable);
    memory::without_huge_pages(&mut command).env(environment::SOCKET, socket);
    let settings = session.path().join(SETTINGS);
    files::write(&settings, format!("[evcxr]\nopt_level = \"{LEVEL} {}\"\n", build_step::UNREAD))
        .map_err(|error| format!("{error:#}"))?;
    let context = open_context(session.path(), command);
    // The command `:load_config` would read it again. Else it does nothing.
    let _ = std::fs::remove_file(settings);
    let mut context = context?;
    context.execute(IMPORTS).map_err(|error| format!("the prelude cannot be imported: {error}"))?;
    Ok(context)
}

/// Lets rust-analyzer read the prelude and the standard library, when it is next asked. That takes most of a second.
pub fn read_crates(context: &mut CommandContext) -> Result<(), Error> {
    // The manifest changes by that, and rust-analyzer reads it again.
    context.set_opt_level(LEVEL)
}

/// A context of evcxr's, with `command` as its runtime.
pub fn open_context(session: &Path, mut command: Command) -> std::result::Result<CommandContext, String> {
    let directory = std::env::current_dir().map_err(|error| error.to_string())?;
    command.current_dir(&directory);
    // evcxr would read an `evcxr.toml` of the notebook's directory, which can change directories and linking.
    std::env::set_current_dir(session).map_err(|error| error.to_string())?;
    let created = EvalContext::with_subprocess_command(command);
    let returned = std::env::set_current_dir(&directory);
    let (context, outputs) = created
        .map_err(|error| format!("cells cannot be compiled here: {error}; `warpcell doctor` says what is missing"))?;
    returned.map_err(|error| format!("{}: {error}", directory.display()))?;
    // evcxr waits until somebody reads these. The output of users does not pass here: the supervisor takes it.
    for receiver in [outputs.stdout, outputs.stderr] {
        std::thread::spawn(move || receiver.iter().for_each(|line| eprintln!("{line}")));
    }
    Ok(CommandContext::with_eval_context(context))
}

/// Where the types of new variables come from.
#[derive(Clone, Copy)]
pub enum TypeSource<'a> {
    /// From rust-analyzer, and the compiler where it does not know them.
    Analysis,
    /// From the compiler: rust-analyzer has no sources of the standard library.
    Compiler,
    /// From an earlier run of the same cell.
    Remembered(&'a Types),
}

/// Runs a cell. If it fails because the types of numbers are open, it runs again with the types that Rust uses by
/// default.
pub fn execute(
    context: &mut CommandContext,
    code: &str,
    session: &Path,
    source: TypeSource<'_>,
) -> Result<EvalOutputs, Error> {
    let first = execute_typed(context, code, session, source);
    let Err(error) = &first else { return first };
    let answer = BuildAnswer::read(session);
    let Some(mut open) = OpenTypes::of(code, error, answer.diagnostics.as_ref()) else { return first };
    loop {
        let result = execute_typed(context, &open.text(), session, source);
        match &result {
            Err(error @ (Error::CompilationErrors(_) | Error::Message(_))) => {
                match open.learn(error, BuildAnswer::read(session).diagnostics.as_ref()) {
                    NextAttempt::Try => {}
                    NextAttempt::SayFirst => break,
                    NextAttempt::SayLast => return result,
                }
            }
            _ => return result,
        }
    }
    // The first error is about the code that the user wrote.
    match BuildAnswer::change(session, |last| *last = answer) {
        Ok(()) => first,
        Err(problem) => Err(Error::Message(format!("{problem:#}"))),
    }
}

/// What the compiler says of code that is not run. Types of numbers that are open are written as for a cell that runs.
pub fn check(context: &mut CommandContext, code: &str, session: &Path) -> Option<Diagnostics> {
    let mut said_of = |text: &str| {
        BuildAnswer::change(session, |answer| answer.diagnostics = None).ok()?;
        context.check(text).ok()?;
        BuildAnswer::read(session).diagnostics
    };
    let first = said_of(code)?;
    let failed = Error::CompilationErrors(Vec::new());
    let Some(mut open) = OpenTypes::of(code, &failed, Some(&first)) else { return Some(first) };
    loop {
        let said = said_of(&open.text())?;
        if said.messages.is_empty() {
            return Some(said);
        }
        match open.learn(&failed, Some(&said)) {
            NextAttempt::Try => {}
            NextAttempt::SayFirst => return Some(first),
            NextAttempt::SayLast => return Some(said),
        }
    }
}

/// Runs a cell. If rust-analyzer cannot find the types of variables, the compiler is asked.
fn execute_typed(
    context: &mut CommandContext,
    code: &str,
    session: &Path,
    source: TypeSource<'_>,
) -> Result<EvalOutputs, Error> {
    match source {
        TypeSource::Remembered(types) => return context.execute(&build_step::with_remembered_types(code, types)),
        TypeSource::Compiler => {
            return with_types_of_compiler(context, code, build_step::with_no_types(code), session, false);
        }
        TypeSource::Analysis => {}
    }
    let result = with_types_of_compiler(context, code, code.to_owned(), session, true);
    // rust-analyzer's names for types leave out paths that the compiler wants.
    if result.is_err()
        && BuildAnswer::read(session).diagnostics.is_some_and(|said| said.unknown_types)
        && let Ok(hidden) = build_step::with_hidden_types(code, session)
    {
        return with_types_of_compiler(context, code, hidden, session, false);
    }
    result
}

/// Runs a cell, first as `typed`. If a type is missing, it is taken from the compiler: for this variable, or for all
/// variables if rust-analyzer is not `trusted`.
fn with_types_of_compiler(
    context: &mut CommandContext,
    code: &str,
    mut typed: String,
    session: &Path,
    trusted: bool,
) -> Result<EvalOutputs, Error> {
    // The compiler's answer, and the part of it that is written into the cell.
    let mut known: Option<Types> = None;
    let mut written = Types::new();
    loop {
        let result = context.execute(&typed);
        // Such an error says that the code is right otherwise, and that nothing has run.
        let Err(Error::Message(message)) = &result else { return result };
        let Some(name) = advice::without_type(message) else { return result };
        let known = known.get_or_insert_with(|| build_step::types_of(code, session));
        let Some(type_name) = known.get(name) else {
            // Why not, as of a closure, rust-analyzer tells if it may.
            return if trusted { result } else { context.execute(code) };
        };
        if written.insert(name.to_owned(), type_name.clone()).is_some() {
            return result;
        }
        if !trusted {
            // What rust-analyzer says of the others is not better.
            written.clone_from(known);
        }
        typed = build_step::with_types(code, &written);
    }
}

/// The parts of a cell that evcxr gets one after another. evcxr would run shell lines above `:commands` in this
/// process, without a limit to their output and without a way to stop them. So they become code, like all other shell
/// lines, each on its line.
pub fn parts(code: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut lines_above, mut leads, mut in_shell, mut begun) = (0, true, false, false);
    for line in code.split_inclusive('\n') {
        let is_shell = leads && line.starts_with('!');
        let is_blank = commands::is_blank(line);
        leads &= commands::is_above_code(line);
        if !leads || !is_blank {
            if begun && is_shell != in_shell {
                parts.push("\n".repeat(lines_above));
            }
            (in_shell, begun) = (is_shell, true);
        }
        lines_above += 1;
        let Some(part) = parts.last_mut() else { continue };
        if is_shell {
            part.push_str(&magics::shell_line(line.trim_end_matches(['\n', '\r'])));
            part.push_str(if line.ends_with('\n') { "\n" } else { "" });
        } else {
            part.push_str(line);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_lines_above_commands_become_parts_of_their_own() {
        let code = "// a\n!ls 'b'\n!pwd\n\n:dep c\nlet x = 1;\n!y";
        assert_eq!(
            parts(code),
            [
                "// a\nwarpcell::session::shell(\"ls 'b'\");\nwarpcell::session::shell(\"pwd\");\n\n",
                "\n\n\n\n:dep c\nlet x = 1;\n!y",
            ]
        );
        assert_eq!(parts(":dep a\n!ls\n:vars").len(), 3);
        for whole in ["", "1 + 1", ":dep a\n\n// b\nlet x = !y;\n!z"] {
            assert_eq!(parts(whole), [whole]);
        }
    }
}
