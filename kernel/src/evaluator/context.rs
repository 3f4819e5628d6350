//! evcxr's context: how it is opened, and how it is given a cell.

use crate::build_step::{self, BuildAnswer, CheckVerdict, CompilerMessage, Diagnostics};
use crate::environment;
use crate::evaluator::diagnostics::{ONLY_A_BLOCK, unbalanced};
use crate::evaluator::open_types::{NextAttempt, OpenTypes};
use crate::evaluator::session_directory::SessionDirectory;
use crate::evaluator::{advice, commands};
use crate::memory;
use crate::printing::errln;
use crate::syntax::has_form;
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

/// A context with the cell process of a session, and the imports of the prelude.
pub fn start(session: &SessionDirectory, socket: &Path) -> std::result::Result<CommandContext, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(executable);
    memory::without_huge_pages(&mut command).env(environment::SOCKET, socket);
    let mut context = open_context(session.path(), command)?;
    begin(&mut context).map_err(|error| format!("the prelude cannot be imported: {error}"))?;
    Ok(context)
}

/// What precedes the user's cells, also after `:clear`.
pub fn begin(context: &mut CommandContext) -> Result<EvalOutputs, Error> {
    context.execute(&format!("{}\n{IMPORTS}", build_step::UNANALYSED))
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
        std::thread::spawn(move || receiver.iter().for_each(|line| errln!("{line}")));
    }
    Ok(CommandContext::with_eval_context(context))
}

/// Runs a cell. If it fails because the types of numbers are open, it runs again with the types that Rust uses by
/// default.
pub fn execute(context: &mut CommandContext, code: &str, session: &Path) -> Result<EvalOutputs, Error> {
    let first = execute_once(context, code, session);
    let Err(error) = &first else { return first };
    let answer = BuildAnswer::read(session);
    let Some(open) = OpenTypes::of(code, error, answer.diagnostics.as_ref()) else { return first };
    let cell = std::fs::read_to_string(environment::cell_text(session)).unwrap_or_default();
    let typed = execute_with_types(context, open, session);
    let _ = std::fs::write(environment::cell_text(session), cell);
    if let Some(result) = typed {
        return result;
    }
    // The first error is about the code that the user wrote.
    match BuildAnswer::change(session, |last| *last = answer) {
        Ok(()) => first,
        Err(problem) => Err(Error::Message(format!("{problem:#}"))),
    }
}

/// Runs a cell with types until the compiler has nothing more to say of them. `None` if the open types are the fault.
fn execute_with_types(
    context: &mut CommandContext,
    mut open: OpenTypes,
    session: &Path,
) -> Option<Result<EvalOutputs, Error>> {
    loop {
        let text = open.text();
        // The build step looks there for what the cell defines.
        let _ = std::fs::write(environment::cell_text(session), &text);
        let result = execute_once(context, &text, session);
        match &result {
            Err(error @ (Error::CompilationErrors(_) | Error::Message(_))) => {
                match open.learn(error, BuildAnswer::read(session).diagnostics.as_ref()) {
                    NextAttempt::Try => {}
                    NextAttempt::SayFirst => return None,
                    NextAttempt::SayLast => return Some(result),
                }
            }
            _ => return Some(result),
        }
    }
}

/// What the compiler says of code that is not run. Types of numbers that are open are written as for a cell that runs.
pub fn check(context: &mut CommandContext, code: &str, session: &Path) -> Option<Diagnostics> {
    let mut said_of = |text: &str| {
        BuildAnswer::change(session, |answer| answer.diagnostics = None).ok()?;
        context.check(&as_block(text).unwrap_or_else(|| text.to_owned())).ok()?;
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

/// Code that is not Rust by its form, as one block, so that the compiler sees it as it was typed. evcxr takes code apart: it leaves out
/// a `let` without a pattern and all that follows a `}` too many, writes a `use` anew, and moves functions before statements; and
/// between statements the build step writes semicolons. The block never compiles. `None` if the form is that of Rust.
fn as_block(code: &str) -> Option<String> {
    let above: usize = code.split_inclusive('\n').take_while(|line| commands::is_above_code(line)).map(str::len).sum();
    let (above, code) = code.split_at(above);
    // Without quotes: they would end a text that nothing closes.
    let fails = format!("::core::compile_error!(::core::stringify!({ONLY_A_BLOCK}))");
    let end = if above.is_empty() || above.ends_with('\n') { "" } else { "\n" };
    match unbalanced(code) {
        Some((message, _)) if message.ends_with("closing delimiter: `}`") => {
            Some(format!("{above}{end}{{ {fails} }};"))
        }
        // It would not be one block.
        Some(_) => None,
        None if has_form(code) => None,
        None => Some(format!("{above}{end}{{\n{code}\n;{fails}}};")),
    }
}

/// Whether the compiler has refused such a block of this code only because it is one.
fn is_only_a_block(code: &str, session: &Path) -> bool {
    let answer = BuildAnswer::read(session);
    unbalanced(code).is_none()
        && answer.diagnostics.is_some_and(|said| {
            let mut errors = CompilerMessage::own_errors(&said.messages).peekable();
            errors.peek().is_some() && errors.all(|message| message.text() == ONLY_A_BLOCK)
        })
}

/// Runs a cell, or checks it, as the build step has been asked to. The compiler finds the types of its variables.
fn execute_once(context: &mut CommandContext, code: &str, session: &Path) -> Result<EvalOutputs, Error> {
    if let Some(block) = as_block(code) {
        let result = context.execute(&block);
        if result.is_ok() || !is_only_a_block(code, session) {
            return result;
        }
    }
    let mut result = context.execute(&build_step::with_names(code, false));
    if let Err(Error::Message(message)) = &result
        && advice::without_type(message).is_some()
    {
        result = context.execute(&build_step::with_names(code, true));
    }
    // evcxr only knows that nothing was compiled.
    result.or_else(|error| {
        let BuildAnswer { not_kept, verdict, .. } = BuildAnswer::read(session);
        if verdict.is_some() {
            BuildAnswer::change(session, |answer| answer.verdict = None)
                .map_err(|error| Error::Message(format!("{error:#}")))?;
        }
        match (verdict, not_kept) {
            (Some(CheckVerdict::Compiles), _) => Ok(EvalOutputs::default()),
            (_, Some(message)) => Err(Error::Message(message)),
            (_, None) => Err(error),
        }
    })
}

/// The parts of a cell that evcxr gets one after another. evcxr would run shell lines above `:commands` in this
/// process, without a limit to their output and without a way to stop them. So they become code, like all other shell
/// lines, each on its line: `shell` writes it.
pub fn parts(code: &str, shell: impl Fn(&str) -> String) -> Vec<String> {
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
            part.push_str(&shell(line.trim_end_matches(['\n', '\r'])));
            part.push_str(if line.ends_with('\n') { "\n" } else { "" });
        } else {
            part.push_str(line);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use crate::magics;

    fn parts(code: &str) -> Vec<String> {
        super::parts(code, |line| magics::shell_line(line, &magics::Notebook::default()))
    }

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
