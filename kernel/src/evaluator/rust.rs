//! Runs Rust cells by evcxr: the only module that drives its `CommandContext`.

use crate::build_step::{self, Diagnostics, Report, SOCKET_NAME, Types};
use crate::environment;
use crate::evaluator::assistant::Assistant;
use crate::evaluator::celltime::CellTime;
use crate::evaluator::diagnostics::compile_error;
use crate::evaluator::documentation::{self, Sources};
use crate::evaluator::failures::{
    Traced, build_output, failure_of, internal, interrupted, interrupted_late, locate, lost_values_text, moved_text,
    not_installed, place_of_panic, plain_error, process_died,
};
use crate::evaluator::interrupts::Interrupts;
use crate::evaluator::link::{Events, Link, Place};
use crate::evaluator::session::Session;
use crate::evaluator::setting_up::SettingUp;
use crate::evaluator::variables::{self, Replaced, Variables};
use crate::evaluator::{
    CellError, Completeness, Completions, Evaluator, InterruptHandle, Outcome, Output, OutputSink, StreamName,
};
use crate::evaluator::{actions, assistance, keeping};
use crate::installation::Installation;
use crate::magics::{self, Action, Expansion, Notebook};
use crate::memory;
use crate::nesting;
use anyhow::Result;
use evcxr::{CommandContext, Error, EvalContext, EvalOutputs};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What every session starts with; replayed after `:clear`.
pub const IMPORTS: &str = "use warpcell as gpu;\nuse gpu::prelude::*;";

/// Code that makes rust-analyzer read what notebooks use most, one part after the other: what it has read of the
/// libraries it knows for the rest of the session.
pub const WARM_UP: &[&str] = &[
    "let d = gpu::zeros::<f32>((2, 2)); let a = Array2::<f32>::zeros((2, 2)); let e = gpu::asarray(&a); a.",
    "let v: Vec<i32> = vec![1, 2].iter().map(|x| x * 2).collect(); let s = format!(\"{}\", v.len()); v.",
    "let d = gpu::zeros::<f32>((2, 2)); let e = &d + &d; let f = &d * 2.0; let m = e.sum(); e.",
    "let a = ndarray::array![[1.0, 2.0]]; let b = a.mapv(|x| x * 2.0) + &a; let s = b.sum_axis(ndarray::Axis(0)); s.",
    "let m = std::collections::HashMap::from([(\"a\".to_owned(), 1)]); let o = m.get(\"a\").copied(); let t = std::time::Instant::now(); m.",
];

/// How long a look at the installation that is being made may keep a cell waiting.
const LITTLE: Duration = Duration::from_millis(50);

/// The evaluator of Rust cells.
pub struct RustEvaluator {
    session: Session,
    link: Arc<Link>,
    interrupts: Arc<Interrupts>,
    context: std::result::Result<CommandContext, String>,
    variables: Variables,
    sources: Sources,
    last_time: Option<CellTime>,
    /// How many parts of [`WARM_UP`] are done.
    warm: usize,
    /// The device that cells compute on, in words.
    device: String,
    /// Helps to write cells while one runs.
    assistant: Arc<Assistant>,
    /// The installation that is being made.
    setting_up: Option<SettingUp>,
    /// What the first cell says of that.
    news: String,
}

impl RustEvaluator {
    /// Whether cells can run; if not, why.
    pub fn started(&self) -> Result<()> {
        self.context.as_ref().map(|_| ()).map_err(|problem| anyhow::anyhow!("{problem}"))
    }

    /// Starts evcxr and its first cell process; takes seconds.
    pub fn start(mut session: Session, assistant: Arc<Assistant>) -> Result<RustEvaluator> {
        let socket = session.path().join("supervisor.socket");
        let link = Link::listen(&socket)?;
        link.listen_to_builds(&session.path().join(SOCKET_NAME))?;
        build_step::keep_compiler(session.path())?;
        let interrupts = Arc::new(Interrupts::new(session.path().to_owned(), Arc::clone(&link))?);
        let setting_up = session.needed.take().map(|needed| SettingUp::start(&needed, session.path())).transpose()?;
        let (context, device) = match &setting_up {
            Some(_) => (Err("Warpcell is being set up".to_owned()), "the device is not known yet".to_owned()),
            None => open(&session),
        };
        Ok(RustEvaluator {
            session,
            link,
            interrupts,
            context,
            variables: Variables::default(),
            sources: Sources::default(),
            last_time: None,
            warm: 0,
            device,
            assistant,
            setting_up,
            news: String::new(),
        })
    }

    /// Begins to work with the installation that was made for this session.
    fn use_made(&mut self, made: Result<Installation>) {
        self.session.place = made.as_ref().ok().and_then(Installation::place);
        self.session.installation = made.map_err(|error| format!("{error:#}"));
        (self.context, self.device) = open(&self.session);
    }

    /// Waits for the installation that is being made, and shows what there is to say of it.
    fn finish_setting_up(&mut self, sink: &OutputSink) {
        let mut show = |text: &str| {
            if !text.is_empty() {
                sink(Output::Stream { name: StreamName::Stdout, text: text.to_owned() });
            }
        };
        if let Some(mut setting_up) = self.setting_up.take() {
            let made = setting_up.finish(&mut show);
            self.use_made(made);
        }
        show(&std::mem::take(&mut self.news));
    }

    fn run(&mut self, number: u64, expansion: &Expansion, cell: &str, sink: &OutputSink) -> Result<Outcome, CellError> {
        let mut outcome = Outcome::default();
        for action in &expansion.before {
            self.act(action, &mut outcome, sink)?;
        }
        if !expansion.code.trim().is_empty() {
            let (began, start) = (build_step::now(), Instant::now());
            build_step::forget_compile_times(self.session.path());
            Report::forget(self.session.path());
            Diagnostics::forget(self.session.path());
            let result = self.run_code(number, expansion, cell, sink);
            let compilations = build_step::compile_times(self.session.path());
            let events = &self.link.state().events;
            self.last_time = Some(CellTime::of(began, start.elapsed(), &compilations, events));
            result?;
            self.sources.keep(cell);
        }
        for action in &expansion.after {
            self.act(action, &mut outcome, sink)?;
        }
        Ok(outcome)
    }

    /// Does what a magic asks of the kernel.
    fn act(&mut self, action: &Action, outcome: &mut Outcome, sink: &OutputSink) -> Result<(), CellError> {
        match action {
            Action::Print(text) => actions::print(text, sink),
            Action::Page(text) => {
                actions::page(Map::from_iter([("text/plain".to_owned(), Value::from(text.as_str()))]), outcome);
            }
            Action::Describe { name, source } => self.describe(name, *source, outcome, sink),
            Action::Load { path, part } => actions::load(path, part, &actions::directory(&self.link), outcome)?,
            Action::Write { path, text, append } => {
                actions::write(path, text, *append, &actions::directory(&self.link), sink)?;
            }
            Action::CellTime => match &self.last_time {
                Some(time) => actions::print(&time.to_string(), sink),
                None => actions::print("No cell with code has run yet.", sink),
            },
        }
        Ok(())
    }

    /// Opens the documentation of a name, or says that there is none.
    fn describe(&mut self, name: &str, source: bool, outcome: &mut Outcome, sink: &OutputSink) {
        let known = self.context.as_mut().ok().and_then(|context| documentation::of(name, context));
        // Of macros there is the source only.
        let is_macro = name.ends_with('!');
        let last = name.trim_end_matches('!').rsplit("::").next().unwrap_or(name);
        let source = (source || is_macro).then(|| self.sources.of(last)).flatten();
        let mut data = match (known, &source) {
            (Some(data), _) => data,
            (None, Some(_)) => Map::new(),
            (None, None) => {
                let mut text = format!(
                    "Nothing is known of `{name}`. `%who` lists the variables; a path such as `gpu::zeros` leads to items \
                     of crates."
                );
                if self.session.installation.as_ref().is_ok_and(|installation| !installation.has_sources()) {
                    text += " The standard library's sources are missing; `warpcell doctor` says how to get them.";
                }
                return actions::print(&text, sink);
            }
        };
        if let Some(source) = source {
            documentation::add_source(&mut data, &source);
        }
        actions::page(data, outcome);
    }

    /// What magics may know.
    fn notebook(&self) -> Notebook {
        let Ok(context) = &self.context else { return Notebook::default() };
        Notebook {
            variables: context.variables_and_types().map(|(name, ty)| (name.to_owned(), ty.to_owned())).collect(),
            items: context.defined_item_names().map(str::to_owned).collect(),
        }
    }

    /// Runs a cell, beside which the variables of the names that it gives to items step back.
    fn run_code(&mut self, number: u64, expansion: &Expansion, cell: &str, sink: &OutputSink) -> Result<(), CellError> {
        let context = self.context.as_mut().map_err(|problem| not_installed(problem))?;
        if let Some(problem) = self.session.problem() {
            return Err(not_installed(&problem));
        }
        let replaced = Replaced::by(&expansion.code, context);
        let result = self.run_parts(number, expansion, cell, sink);
        if let Ok(context) = &mut self.context {
            let has_compiled = result.as_ref().map_or_else(|error| error.name != "CompileError", |()| true);
            replaced.settle(has_compiled, context);
        }
        result
    }

    fn run_parts(
        &mut self,
        number: u64,
        expansion: &Expansion,
        cell: &str,
        sink: &OutputSink,
    ) -> Result<(), CellError> {
        let none = BTreeSet::new();
        let context = self.context.as_mut().map_err(|problem| not_installed(problem))?;
        self.interrupts.begin(number, expansion.timed).map_err(|error| internal(&format!("{error:#}")))?;
        if self.interrupts.concern(number) {
            return Err(interrupted(&none));
        }
        // Without it messages have lines of functions in place of the cell's.
        let _ = std::fs::write(environment::cell_text(self.session.path()), &expansion.code);
        let types_before = variables::types(context);
        let before = variables::names(context);
        let has_sources = self.session.installation.as_ref().is_ok_and(Installation::has_sources);
        let parts = parts(&expansion.code);
        let mut rest = parts.iter().peekable();
        let (result, code) = loop {
            let Some(part) = rest.next() else { return Ok(()) };
            match execute(context, part, self.session.path(), has_sources) {
                Ok(outputs) if rest.peek().is_some() => {
                    show_command_output(outputs, sink);
                    if self.interrupts.concern(number) || self.link.settle().is_failure() {
                        break (Ok(EvalOutputs::default()), part);
                    }
                }
                result => break (result, part),
            }
        };
        // What follows is the session's own, and must come to its end.
        if let Err(error) = self.interrupts.end() {
            eprintln!("{error:#}");
        }
        let report = Report::read(self.session.path());
        let said = Diagnostics::read(self.session.path());
        let died = matches!(result, Err(Error::SubprocessTerminated(_)));
        let exit = if died { self.link.settle_exit() } else { None };
        let mut events = if died { Events::default() } else { self.link.settle() };
        if died || has_command(&expansion.code, ":restart") {
            self.variables.all_gone(&before);
        }
        if died || has_command(&expansion.code, ":clear") {
            // The imports are part of the session, not of what the user defined.
            if let Err(error) = context.execute(IMPORTS) {
                eprintln!("the imports of the prelude could not be restored: {error}");
            }
        }
        let was_interrupted = self.interrupts.concern(number);
        match result {
            Ok(outputs) => {
                show_command_output(outputs, sink);
                let has_run = self.link.state().has_run;
                let written = std::fs::read_to_string(self.session.written_source()).ok().filter(|_| has_run);
                self.assistant.learn_items(&expansion.code, written);
                let compiled = self.session.compiled_source();
                let failure = failure_of(&events, &compiled, &Traced { expansion, cell, code });
                if has_command(&expansion.code, ":clear") {
                    self.variables.clear();
                    self.sources.clear();
                    return failure.map_or(Ok(()), Err);
                }
                if failure.is_some() {
                    let unknown = variables::restore(&before, &report, &events.stored, context);
                    events.lost.extend(unknown);
                }
                let moved = self.variables.note(&types_before, &report, context);
                self.variables.note_without_value(&expansion.code, &report, context);
                let failure = failure.or_else(|| was_interrupted.then(interrupted_late));
                let Some(mut failure) = failure else { return Ok(()) };
                // What was moved before the statement that failed is where the cell has put it.
                let moved: Vec<String> =
                    moved.into_iter().filter(|name| !report.by_statements || events.lost.contains(name)).collect();
                if !moved.is_empty() {
                    failure.traceback.push(moved_text(&moved));
                }
                failure.traceback.extend(lost_values_text(&events.lost, &variables::names(context), &moved));
                Err(failure)
            }
            Err(_) if was_interrupted => Err(interrupted(if died { &before } else { &none })),
            Err(Error::SubprocessTerminated(message)) => {
                Err(process_died(exit.as_deref().unwrap_or(&message), &before))
            }
            Err(Error::CompilationErrors(errors)) => {
                let place = |line, column| locate(expansion, cell, line, column);
                Err(compile_error(&errors, said.as_ref(), cell, code, &place, &|name| self.variables.hint(name)))
            }
            Err(Error::TypeRedefinedVariablesLost(names)) => Err(CellError {
                name: "VariablesLost".to_owned(),
                value: format!(
                    "the types of these variables were redefined, so their values are lost: {}",
                    names.join(", ")
                ),
                traceback: vec!["Run the cell again; it will run without these variables.".to_owned()],
            }),
            Err(Error::Message(message)) => Err(keeping::error_for(&message).unwrap_or_else(|| {
                let problem = message.starts_with("Failed to load the project at");
                let problem = problem.then(|| build_step::problem_of_crates(self.session.path())).flatten();
                plain_error("EvaluationError", build_output(problem.as_deref().unwrap_or(&message)))
            })),
        }
    }
}

impl Evaluator for RustEvaluator {
    fn interrupt_handle(&self) -> Arc<dyn InterruptHandle> {
        Arc::clone(&self.interrupts) as Arc<dyn InterruptHandle>
    }

    fn execute(&mut self, cell: u64, code: &str, sink: &OutputSink) -> Result<Outcome, CellError> {
        self.finish_setting_up(sink);
        let mut expansion =
            magics::expand(code, &self.notebook()).map_err(|error| plain_error("UsageError", &error.to_string()))?;
        if let Some(place) = nesting::too_deep(&expansion.code, nesting::CELLS) {
            let at = expansion.original_offset(place.offset).min(code.len());
            let line = code[..code.floor_char_boundary(at)].matches('\n').count() + 1;
            let message = format!("line {line}: {}; divide it into parts, such as variables of their own", place.what);
            return Err(plain_error("CompileError", &message));
        }
        let declarations = self.variables.declarations_for(&expansion.code);
        if !declarations.is_empty() {
            expansion.precede(&declarations);
        }
        let place = place_in(self.session.compiled_source(), expansion.clone(), code.to_owned());
        self.link.begin(Arc::clone(sink), place);
        let result = self.run(cell, &expansion, code, sink);
        if let Ok(context) = &self.context {
            self.assistant.learn_variables(context.variables_and_types());
            self.assistant.learn_directory(actions::directory(&self.link));
        }
        result
    }

    fn warm_up(&mut self) -> bool {
        if let Some(setting_up) = &mut self.setting_up {
            if let Some(made) = setting_up.wait(LITTLE) {
                self.news = setting_up.take_news();
                self.setting_up = None;
                self.use_made(made);
            }
            return true;
        }
        let (Some(code), Ok(context)) = (WARM_UP.get(self.warm), &mut self.context) else { return false };
        // From here on time is less dear than memory.
        memory::allow_huge_pages(false);
        self.warm += 1;
        // Only what rust-analyzer learns by it counts.
        let _ = context.completions(code, code.len());
        self.warm < WARM_UP.len()
    }

    fn rest(&mut self) {
        memory::give_back();
        self.assistant.start();
    }

    fn retire(&mut self) {
        self.assistant.retire();
        if let Err(error) = build_step::retire_compiler(self.session.path()) {
            eprintln!("the compiler that waits for the next cell could not be ended: {error:#}");
        }
        memory::give_back();
    }

    fn complete(&mut self, code: &str, cursor: usize) -> Completions {
        let notebook = self.notebook();
        let directory = || actions::directory(&self.link);
        if let Some(completions) = assistance::words(code, cursor, &notebook, &directory) {
            return completions;
        }
        match &mut self.context {
            Ok(context) => assistance::complete(context, &notebook, "", code, cursor),
            Err(_) => assistance::nothing(cursor),
        }
    }

    fn inspect(&mut self, code: &str, cursor: usize) -> Option<Map<String, Value>> {
        if let Some(help) = assistance::help_on_magic(code, cursor) {
            return help;
        }
        assistance::inspect(self.context.as_mut().ok()?, "", code, cursor)
    }

    fn is_complete(&self, code: &str) -> Completeness {
        assistance::is_complete(code, &self.notebook())
    }

    fn banner(&self) -> String {
        let compiler = match &self.session.installation {
            Ok(installation) => installation.record.compiler.clone(),
            Err(problem) => problem.clone(),
        };
        format!("Warpcell {}: GPU notebooks in Rust\n{compiler}\n{}", env!("CARGO_PKG_VERSION"), self.device)
    }
}

/// Finds places of the compiled crate in a cell.
fn place_in(compiled: PathBuf, expansion: Expansion, cell: String) -> Place {
    Box::new(move |location| {
        let traced = Traced { expansion: &expansion, cell: &cell, code: &expansion.code };
        place_of_panic(location, &compiled, &traced)
    })
}

/// Opens evcxr's context, and asks for the device.
fn open(session: &Session) -> (std::result::Result<CommandContext, String>, String) {
    // Asked in a process of its own (this one never touches CUDA), while evcxr starts.
    let device = std::thread::spawn(crate::doctor::device);
    let context = match &session.installation {
        Err(problem) => Err(problem.clone()),
        Ok(_) => start_context(session, &session.path().join("supervisor.socket")),
    };
    let device = device.join().unwrap_or_else(|_| Err("unknown".to_owned())).unwrap_or_else(|error| error);
    (context, device)
}

fn start_context(session: &Session, socket: &Path) -> std::result::Result<CommandContext, String> {
    let executable = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(executable);
    memory::without_huge_pages(&mut command).env(environment::SOCKET, socket);
    let mut context = open_context(session.path(), command)?;
    context.execute(IMPORTS).map_err(|error| format!("the prelude cannot be imported: {error}"))?;
    Ok(context)
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
        .map_err(|error| format!("cells cannot be compiled here: {error}; `warpcell doctor` tells what is missing"))?;
    returned.map_err(|error| format!("{}: {error}", directory.display()))?;
    // evcxr waits for these to be read. What users print does not pass here: the supervisor takes it.
    for receiver in [outputs.stdout, outputs.stderr] {
        std::thread::spawn(move || receiver.iter().for_each(|line| eprintln!("{line}")));
    }
    Ok(CommandContext::with_eval_context(context))
}

/// Runs a cell. Where rust-analyzer cannot tell the types of variables, the compiler says them.
fn execute(context: &mut CommandContext, code: &str, session: &Path, has_sources: bool) -> Result<EvalOutputs, Error> {
    if !has_sources {
        return with_types_of_compiler(context, code, build_step::with_no_types(code), session, false);
    }
    let result = with_types_of_compiler(context, code, code.to_owned(), session, true);
    // rust-analyzer's names for types leave out paths that the compiler wants.
    if result.is_err()
        && Diagnostics::read(session).is_some_and(|said| said.unknown_types)
        && let Ok(hidden) = build_step::with_hidden_types(code, session)
    {
        return with_types_of_compiler(context, code, hidden, session, false);
    }
    result
}

/// Runs a cell, which is `typed` at first. Where a type is missing, the compiler's word is taken: for this variable, or for all if
/// rust-analyzer's is not `trusted`.
fn with_types_of_compiler(
    context: &mut CommandContext,
    code: &str,
    mut typed: String,
    session: &Path,
    trusted: bool,
) -> Result<EvalOutputs, Error> {
    // The compiler's answer, and what of it is written into the cell.
    let mut known: Option<Types> = None;
    let mut written = Types::new();
    loop {
        let result = context.execute(&typed);
        // Such an error says that the code is right otherwise, and that nothing has run.
        let Err(Error::Message(message)) = &result else { return result };
        let Some(name) = keeping::without_type(message) else { return result };
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

/// Whether a cell has a command of evcxr's in it, such as `:clear`, which forgets the imports.
fn has_command(code: &str, command: &str) -> bool {
    code.lines().any(|line| line.trim() == command)
}

/// A cell in the parts that evcxr gets one after the other. Shell lines above `:commands` it would run itself, in this
/// process, without a limit to their output and without a way to stop them; they become code, like all others, each on its line.
fn parts(code: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let (mut lines_above, mut leads, mut in_shell, mut begun) = (0, true, false, false);
    for line in code.split_inclusive('\n') {
        let is_shell = leads && line.starts_with('!');
        let is_command = line.trim_start_matches(' ').starts_with(':');
        let is_blank = line.trim().is_empty() || line.starts_with("//");
        leads &= is_shell || is_command || is_blank;
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

/// The text that evcxr's own commands give.
fn show_command_output(outputs: EvalOutputs, sink: &OutputSink) {
    let mut data: Map<String, Value> =
        outputs.content_by_mime_type.into_iter().map(|(mime_type, text)| (mime_type, Value::from(text))).collect();
    if let Some(duration) = outputs.timing {
        sink(Output::Stream { name: StreamName::Stdout, text: format!("Took {} ms\n", duration.as_millis()) });
    }
    if data.is_empty() {
        return;
    }
    if !data.contains_key("text/plain") {
        data.insert("text/plain".to_owned(), Value::from(""));
    }
    sink(Output::Result { data, metadata: Map::new() });
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
