//! Runs Rust cells by evcxr: the only module that drives its `CommandContext`.

use crate::build_step::implementations;
use crate::build_step::{self, BuildAnswer, BuildRequest, KnownTypes, SOCKET_NAME};
use crate::controls::Call;
use crate::environment;
use crate::evaluator::actions;
use crate::evaluator::assistant::{Assistant, RustAssistant};
use crate::evaluator::celltime::CellTime;
use crate::evaluator::commands::{self, Settings};
use crate::evaluator::context;
use crate::evaluator::corrections::{self, Axes};
use crate::evaluator::devices;
use crate::evaluator::documentation::DefinitionSources;
use crate::evaluator::ended::{Before, Ended};
use crate::evaluator::failures::{
    PROCESS_DIED, Traced, failure_of, internal, interrupted, interrupted_late, not_installed, place_of_panic,
    plain_error,
};
use crate::evaluator::interrupts::Interrupts;
use crate::evaluator::session_directory::SessionDirectory;
use crate::evaluator::setting_up::SettingUp;
use crate::evaluator::supervisor_link::{Events, LocatePanic, SupervisorLink};
use crate::evaluator::variable_history::{self, ReplacedByItems, VariableHistory};
use crate::evaluator::{
    Called, CellError, Completeness, Completions, Evaluator, InterruptHandle, Outcome, Output, OutputSink, StreamName,
};
use crate::installation::Installation;
use crate::magics::{self, Action, Expansion, Notebook};
use crate::memory;
use crate::nesting;
use crate::printing::errln;
use crate::syntax::line_and_column;
use anyhow::Result;
use evcxr::{CommandContext, Error, EvalOutputs};
use serde_json::{Map, Value, json};
use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a look at the installation that is being made may keep a cell waiting.
const LITTLE: Duration = Duration::from_millis(50);

/// What is done with the text of a cell.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    /// The number of the cell.
    pub number: u64,
    pub sink: &'a OutputSink,
    /// Whether the text is only checked: all that a run does before the code begins.
    pub checks: bool,
}

/// A cell that runs, or is checked.
#[derive(Clone, Copy)]
struct Run<'a> {
    task: Task<'a>,
    expansion: &'a Expansion,
    /// Its text.
    cell: &'a str,
}

/// What evcxr has made of a cell.
struct Executed<'a> {
    /// The result of the last part that ran.
    result: Result<EvalOutputs, Error>,
    /// Its code.
    code: &'a str,
}

/// The evaluator of Rust cells.
pub struct RustEvaluator {
    pub(super) session: SessionDirectory,
    pub(super) link: Arc<SupervisorLink>,
    pub(super) interrupts: Arc<Interrupts>,
    pub(super) context: std::result::Result<CommandContext, String>,
    variables: VariableHistory,
    pub(super) sources: DefinitionSources,
    /// How many axes variables have, as far as the cells show it.
    axes: Axes,
    pub(super) last_time: Option<CellTime>,
    /// The types of the variables that evcxr knows names for.
    pub(super) types: KnownTypes,
    /// What `:commands` have set.
    settings: Settings,
    /// The device that cells compute on, in words.
    device: String,
    /// Helps to write cells.
    pub(super) assistant: Arc<Assistant>,
    /// The installation that is being made.
    setting_up: Option<SettingUp>,
    /// The messages about that installation, for the first cell.
    news: String,
    /// The texts of the numbered cells.
    pub(super) inputs: Vec<String>,
    /// How many files that `%run` runs are open.
    pub(super) nested: usize,
}

impl RustEvaluator {
    /// Whether cells can run; if not, why.
    pub fn started(&self) -> Result<()> {
        self.context.as_ref().map(|_| ()).map_err(|problem| anyhow::anyhow!("{problem}"))
    }

    /// Starts evcxr and its first cell process; takes seconds.
    pub fn start(mut session: SessionDirectory, assistant: Arc<Assistant>) -> Result<RustEvaluator> {
        let link = Arc::<SupervisorLink>::default();
        listen(&session, &link)?;
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
            variables: VariableHistory::default(),
            sources: DefinitionSources::default(),
            axes: Axes::default(),
            last_time: None,
            types: KnownTypes::default(),
            settings: Settings::default(),
            device,
            assistant,
            setting_up,
            news: String::new(),
            inputs: Vec::new(),
            nested: 0,
        })
    }

    /// Begins to work with the installation that was made for this session.
    fn use_made(&mut self, made: Result<Installation>) {
        self.session.place = made.as_ref().ok().and_then(Installation::place);
        self.session.installation = made.map_err(|error| format!("{error:#}"));
        (self.context, self.device) = open(&self.session);
    }

    /// Waits for the installation that is being made, and shows its messages.
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

    fn run(&mut self, run: Run<'_>) -> Result<Outcome, CellError> {
        let Run { expansion, cell, task } = run;
        let sink = task.sink;
        let mut outcome = Outcome::default();
        self.act(&expansion.before, &mut outcome, task)?;
        if !expansion.code.trim().is_empty() {
            // The actions may have run other code.
            let place = place_in(self.session.compiled_source(), expansion.clone(), cell.to_owned());
            self.link.begin(Arc::clone(sink), place);
            let (began, start) = (build_step::now(), Instant::now());
            build_step::forget_compile_times(self.session.path());
            BuildAnswer::forget(self.session.path());
            let result = self.run_code(run);
            if task.checks {
                return result.map(|()| outcome);
            }
            let compilations = build_step::compile_times(self.session.path());
            let profiles = {
                let state = &mut *self.link.state();
                self.last_time = Some(CellTime::of(began, start.elapsed(), &compilations, &state.events));
                let shown = std::mem::take(&mut state.events.interactions);
                state.origins.keep(shown, &self.session.compiled_source(), expansion, cell);
                state.events.profiles
            };
            if expansion.profiled && profiles == 0 && result.as_ref().is_err_and(|error| error.name == PROCESS_DIED) {
                let text = "%prun: nothing can be shown: the samples have ended with the process\n".to_owned();
                sink(Output::Stream { name: StreamName::Stderr, text });
            }
            result?;
            self.sources.keep(cell);
            // Few cells ask for them.
            let types = LazyCell::new(|| {
                let types = self.context.as_ref().map(|context| variable_history::types(context, &self.types));
                types.unwrap_or_default()
            });
            self.axes.learn(cell, &|name| Some(build_step::in_scope(types.get(name)?)));
        }
        self.act(&expansion.after, &mut outcome, task)?;
        Ok(outcome)
    }

    /// The facts about the notebook that magics may use.
    pub(super) fn notebook(&self) -> Notebook {
        let Ok(context) = &self.context else { return Notebook::default() };
        Notebook {
            variables: variable_history::types(context, &self.types).into_iter().collect(),
            items: context.defined_item_names().map(str::to_owned).collect(),
            ..Notebook::default()
        }
    }

    /// Creates the session's files again, for a new cell process.
    fn renew_session(&mut self) -> Result<()> {
        self.session.make_files()?;
        self.types.write(self.session.path())?;
        listen(&self.session, &self.link)?;
        self.interrupts.renew()
    }

    /// Runs a cell. If the cell defines items with the names of variables, these variables are renamed first.
    fn run_code(&mut self, run: Run<'_>) -> Result<(), CellError> {
        let code = &run.expansion.code;
        if let Some(problem) = self.context.as_ref().err().cloned().or_else(|| self.session.problem()) {
            return Err(not_installed(&problem));
        }
        if let Some(missing) = self.session.missing() {
            if !commands::has(code, ":restart") {
                return Err(plain_error("SessionError", &missing));
            }
            self.renew_session().map_err(|error| internal(&format!("{error:#}")))?;
        }
        let context = self.context.as_mut().map_err(|problem| not_installed(problem))?;
        let replaced = ReplacedByItems::by(code, context, &self.types);
        let result = self.run_parts(run);
        if let Ok(context) = &mut self.context {
            let has_compiled = result.as_ref().map_or_else(|error| error.name != "CompileError", |()| true);
            replaced.settle(has_compiled && !run.task.checks, context);
            self.types = KnownTypes::read(self.session.path());
            if self.types.keep(context.variables_and_types().map(|(_, type_name)| type_name))
                && let Err(error) = self.types.write(self.session.path())
            {
                errln!("types that no variable has are kept: {error:#}");
            }
        }
        result
    }

    /// Runs a cell, and does the work that follows it in every case.
    fn run_parts(&mut self, run: Run<'_>) -> Result<(), CellError> {
        let Run { task: Task { number, sink, checks }, expansion, cell } = run;
        let Some(before) = self.begin(run)? else { return Err(interrupted(&BTreeSet::new())) };
        let parts = context::parts(&expansion.code, |line| magics::shell_line(line, &self.notebook()));
        let Executed { result, code } = self.execute_parts(number, &parts, sink)?;
        let ended = self.end(run, &result, before);
        let traced = Traced { expansion, cell, code };
        match result {
            Ok(_) if checks => match ended.was_interrupted {
                true => Err(interrupted(&BTreeSet::new())),
                false => Ok(()),
            },
            Ok(outputs) => {
                show_command_output(outputs, &self.types, code, sink);
                for note in &ended.answer.report.notes {
                    sink(Output::Stream { name: StreamName::Stderr, text: format!("{note}\n") });
                }
                self.settings.learn(&expansion.code);
                if let Some(failure) = self.has_run(&traced, ended) {
                    return Err(failure);
                }
                Ok(())
            }
            Err(error) => {
                if let Ok(context) = &self.context {
                    self.variables.note_redefined(&ended.before.types, context);
                }
                let (context, session) = (&mut self.context, self.session.path());
                let mut check = |code: &str| context::check(context.as_mut().ok()?, code, session);
                let missed = |name: &str| self.variables.hint(name);
                Err(ended.error_of(error, &traced, &missed, (&self.axes, &self.sources), &mut check))
            }
        }
    }

    /// The variables before a cell. `None` if the cell must not begin.
    fn begin(&mut self, Run { task, expansion, .. }: Run<'_>) -> Result<Option<Before>, CellError> {
        let Task { number, checks: checked, .. } = task;
        let context = self.context.as_mut().map_err(|problem| not_installed(problem))?;
        let Expansion { timed, profiled, .. } = *expansion;
        let shown_by_evcxr = self.settings.show_by_evcxr();
        let request = BuildRequest { timed, profiled, shown_by_evcxr, checked, interrupted: false };
        self.interrupts.begin(number, request).map_err(|error| internal(&format!("{error:#}")))?;
        if self.interrupts.is_interrupted(number) {
            return Ok(None);
        }
        self.link.prepare_device(!checked && devices::is_used_by(&expansion.code));
        // Without it messages have lines of functions in place of the cell's.
        let _ = std::fs::write(environment::cell_text(self.session.path()), &expansion.code);
        Ok(Some(Before {
            types: variable_history::types(context, &self.types),
            names: variable_history::names(context),
            replaced: implementations::replaced(self.session.path()),
        }))
    }

    /// Gives the parts of a cell to evcxr until one fails.
    fn execute_parts<'a>(
        &mut self,
        number: u64,
        parts: &'a [String],
        sink: &OutputSink,
    ) -> Result<Executed<'a>, CellError> {
        let context = self.context.as_mut().map_err(|problem| not_installed(problem))?;
        let mut last = (Ok(EvalOutputs::default()), "");
        for (index, part) in parts.iter().enumerate() {
            last = (context::execute(context, part, self.session.path()), part);
            let is_last = index + 1 == parts.len();
            if is_last || last.0.is_err() {
                break;
            }
            if let Ok(outputs) = std::mem::replace(&mut last.0, Ok(EvalOutputs::default())) {
                show_command_output(outputs, &self.types, part, sink);
            }
            if self.interrupts.is_interrupted(number) || self.link.settle().is_failure() {
                break;
            }
        }
        let (result, code) = last;
        Ok(Executed { result, code })
    }

    /// The work that follows a cell in every case.
    fn end(&mut self, run: Run<'_>, result: &Result<EvalOutputs, Error>, before: Before) -> Ended {
        let Run { task: Task { number, .. }, expansion, .. } = run;
        // The following work belongs to the session and must be finished.
        if let Err(error) = self.interrupts.end() {
            errln!("{error:#}");
        }
        let has_died = matches!(result, Err(Error::SubprocessTerminated(_)));
        let exit = if has_died { self.link.settle_exit() } else { None };
        let events = if has_died { Events::default() } else { self.link.settle() };
        let is_new_process = has_died || commands::has(&expansion.code, ":restart");
        if is_new_process {
            self.variables.all_gone(&before.names);
        }
        // evcxr forgets the items of a cell in which the process ends.
        if has_died && let Err(error) = implementations::put_back(self.session.path(), before.replaced.as_deref()) {
            errln!("{error:#}");
        }
        if let Ok(context) = &mut self.context {
            // The imports belong to the session, not to the user's definitions.
            if (has_died || commands::has(&expansion.code, ":clear"))
                && let Err(error) = context::begin(context)
            {
                errln!("the imports of the prelude could not be restored: {error}");
            }
            // After `:restart` evcxr still knows the variables. A cell that runs tells evcxr that they are gone.
            if is_new_process && let Err(error) = context.execute("{}") {
                errln!("the new process runs no cell: {error}");
            }
        }
        let was_interrupted = self.interrupts.is_interrupted(number);
        Ended { before, answer: BuildAnswer::read(self.session.path()), has_died, exit, events, was_interrupted }
    }

    /// Has evcxr learn that the process has ended in which a closure was called, and begin with another one.
    pub(super) fn replace_process(&mut self) {
        let Ok(context) = &mut self.context else { return };
        let names = variable_history::names(context);
        // The first one finds no process, and so evcxr starts one.
        let empty: fn(&mut CommandContext) -> Result<EvalOutputs, Error> = |context| context.execute("{}");
        for run in [empty, context::begin, empty] {
            match run(context) {
                Ok(_) | Err(Error::SubprocessTerminated(_)) => {}
                Err(error) => errln!("the new process is not ready: {error}"),
            }
        }
        self.variables.all_gone(&names);
    }

    /// The work after a cell that evcxr considers successful. Returns the error if the cell has failed.
    fn has_run(&mut self, traced: &Traced<'_>, mut ended: Ended) -> Option<CellError> {
        let has_run = self.link.state().has_run;
        let written = std::fs::read_to_string(self.session.written_source()).ok().filter(|_| has_run);
        let written = written.map(|source| build_step::without_attribute(&source).into_owned());
        let cell = &traced.expansion.code;
        self.assistant.learn_items(cell, written);
        let type_of = |name: &str| ended.before.types.get(name).map(|its_type| build_step::in_scope(its_type));
        let failure = failure_of(&ended.events, &self.session.compiled_source(), traced, &type_of);
        if commands::has(cell, ":clear") {
            self.variables.clear();
            self.sources.clear();
            self.axes.clear();
            return failure;
        }
        let context = self.context.as_mut().ok()?;
        let report = &ended.answer.report;
        if failure.is_some() {
            let unknown = variable_history::restore(&ended.before.names, report, &ended.events.stored, context);
            ended.events.lost.extend(unknown);
        }
        let moved = self.variables.note(&ended.before.types, report, context);
        self.variables.note_without_value(cell, failure.is_some(), &ended.answer.gone, context);
        let failure = failure.or_else(|| ended.was_interrupted.then(interrupted_late))?;
        Some(ended.with_lost(failure, &moved, &variable_history::names(context)))
    }

    /// Runs the text of a cell, or checks it: its magics and its code, in the order of the lines.
    pub(super) fn execute_text(&mut self, task: Task<'_>, code: &str) -> Result<Outcome, CellError> {
        // evcxr would end this process at once, without an answer.
        let quits = commands::commands(code).find(|(_, name, _)| *name == ":quit").map(|(place, _, _)| place.start);
        let quits = quits.filter(|_| !task.checks);
        let code = &code[..quits.unwrap_or(code.len())];
        let parts =
            magics::in_order(code, &self.notebook()).map_err(|error| plain_error("UsageError", &error.to_string()))?;
        // A magic that is used wrongly is an error before anything runs.
        let mut expansions = parts.iter().map(|part| self.expanded(part)).collect::<Result<Vec<_>, CellError>>()?;
        if task.checks {
            return self.check(task, code, &expansions);
        }
        let last_with_code = expansions.iter().rposition(|part| !part.code.trim().is_empty());
        let mut outcome = Outcome::default();
        for (index, cell) in parts.iter().enumerate() {
            if index > 0 {
                // The parts above it have changed what there is.
                expansions[index] = self.expanded(cell)?;
            }
            // The value of the cell is that of its last expression.
            let sink = match last_with_code.is_some_and(|last| index < last) {
                true => actions::without_value(task.sink),
                false => Arc::clone(task.sink),
            };
            let run = Run { task: Task { sink: &sink, ..task }, expansion: &expansions[index], cell };
            outcome.add(self.run(run)?);
            if outcome.quits {
                return Ok(outcome);
            }
        }
        if quits.is_some() {
            outcome.quits = true;
            outcome.payload.push(json!({ "source": "ask_exit", "keepkernel": false }));
        }
        Ok(outcome)
    }

    /// Checks the text of a cell with these parts.
    fn check(&mut self, task: Task<'_>, cell: &str, parts: &[Expansion]) -> Result<Outcome, CellError> {
        let refused = |text: &str| Err(plain_error("UsageError", text));
        if parts.iter().any(|part| commands::has_any(&part.code)) {
            return refused("commands such as `:dep` can only be run; check the code below them");
        }
        // What the parts define is only known together.
        let expansion = self.expanded(cell)?;
        if expansion.before.iter().any(|action| action.defines) && !expansion.code.trim().is_empty() {
            return refused(actions::KNOWN_WHEN_IT_RUNS);
        }
        self.run(Run { task, expansion: &expansion, cell })
    }

    /// The code of a cell with all that it needs, and the actions around it.
    fn expanded(&self, code: &str) -> Result<Expansion, CellError> {
        let notebook = self.notebook();
        let mut expansion =
            magics::expand(code, &notebook).map_err(|error| plain_error("UsageError", &error.to_string()))?;
        if let Some(place) = nesting::too_deep(&expansion.code, nesting::CELLS) {
            let (line, _) = line_and_column(code, expansion.original_offset(place.offset).min(code.len()));
            let message = format!("line {line}: {}; divide it into parts, such as variables of their own", place.what);
            return Err(plain_error("CompileError", &message));
        }
        let notes = commands::prepare(&mut expansion).map_err(|problem| plain_error("UsageError", &problem))?;
        expansion.before.extend(notes.into_iter().map(|note| Action::print(note).also_checked()));
        let type_of = |name: &str| {
            let (_, its_type) = notebook.variables.iter().find(|(known, _)| known == name)?;
            Some(build_step::in_scope(its_type))
        };
        expansion
            .after
            .extend(corrections::notes(&magics::without_text(code), &type_of).into_iter().map(Action::print));
        if let Some(name) = build_step::own_name_in(&expansion.code) {
            let message = format!("the name `{name}` is one of the kernel's own: choose another, such as `my_{name}`");
            return Err(plain_error("CompileError", &message));
        }
        let declarations = self.variables.declarations_for(&expansion.code);
        let knows = |name: &str| notebook.items.contains(name);
        let room = build_step::ended_items(&expansion.code, knows, self.sources.cells(), &notebook.variables);
        if !declarations.is_empty() || !room.is_empty() {
            expansion.precede(&(room + &declarations));
        }
        Ok(expansion)
    }
}

impl Evaluator for RustEvaluator {
    fn interrupt_handle(&self) -> Arc<dyn InterruptHandle> {
        Arc::clone(&self.interrupts) as Arc<dyn InterruptHandle>
    }

    fn execute(&mut self, cell: u64, code: &str, sink: &OutputSink) -> Result<Outcome, CellError> {
        self.finish_setting_up(sink);
        let result = self.execute_text(Task { number: cell, sink, checks: false }, code);
        if self.context.is_ok() {
            self.assistant.learn_notebook(self.notebook());
            self.assistant.learn_directory(actions::directory(&self.link));
        }
        result
    }

    fn call(&mut self, number: u64, call: &Call, sink: &OutputSink) -> Called {
        self.call_closure(number, call, sink)
    }

    fn keep_input(&mut self, code: &str) {
        self.inputs.push(code.to_owned());
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
        // From here on time is less dear than memory.
        memory::allow_huge_pages(false);
        false
    }

    fn rest(&mut self) {
        memory::give_back();
        self.assistant.start_ahead();
    }

    fn free_memory(&mut self, idle: Duration) -> bool {
        let is_free = self.assistant.free_memory(idle);
        if let Err(error) = build_step::end_waiting_compiler(self.session.path()) {
            errln!("the compiler that waits for the next cell could not be ended: {error:#}");
        }
        memory::give_back();
        is_free
    }

    fn complete(&mut self, code: &str, cursor: usize) -> Completions {
        RustAssistant(Arc::clone(&self.assistant)).complete(code, cursor)
    }

    fn inspect(&mut self, code: &str, cursor: usize, detail: u8) -> Option<Map<String, Value>> {
        RustAssistant(Arc::clone(&self.assistant)).inspect(code, cursor, detail)
    }

    fn is_complete(&self, code: &str) -> Completeness {
        RustAssistant(Arc::clone(&self.assistant)).is_complete(code)
    }

    fn banner(&self) -> String {
        let compiler = match &self.session.installation {
            Ok(installation) => installation.record.prelude.compiler.clone(),
            Err(problem) => problem.clone(),
        };
        format!("Warpcell {}: GPU notebooks in Rust\n{compiler}\n{}", env!("CARGO_PKG_VERSION"), self.device)
    }
}

/// Listens to supervisors and build steps.
fn listen(session: &SessionDirectory, link: &Arc<SupervisorLink>) -> Result<()> {
    link.listen(&session.supervisor_socket())?;
    link.listen_to_builds(&session.path().join(SOCKET_NAME))?;
    build_step::serve_compilations(session.path())
}

/// Finds places of the compiled crate in a cell.
fn place_in(compiled: PathBuf, expansion: Expansion, cell: String) -> LocatePanic {
    Box::new(move |location| {
        let traced = Traced { expansion: &expansion, cell: &cell, code: &expansion.code };
        place_of_panic(location, &compiled, &traced)
    })
}

/// Opens evcxr's context, and asks for the device.
fn open(session: &SessionDirectory) -> (std::result::Result<CommandContext, String>, String) {
    // A separate process asks while evcxr starts. This process never uses CUDA.
    let device = std::thread::spawn(crate::doctor::unopened_device);
    let context = match &session.installation {
        Err(problem) => Err(problem.clone()),
        Ok(_) => context::start(session, &session.supervisor_socket()),
    };
    let device = device.join().unwrap_or_else(|_| Err("unknown".to_owned())).unwrap_or_else(|error| error);
    (context, device)
}

/// Shows the text of evcxr's own commands. If code follows them, the text may also be the value of the cell.
fn show_command_output(outputs: EvalOutputs, types: &KnownTypes, code: &str, sink: &OutputSink) {
    let shown = outputs.content_by_mime_type.into_iter();
    let mut data: Map<String, Value> =
        shown.map(|(mime_type, text)| (mime_type, Value::from(&*types.put_into(&text)))).collect();
    if let Some(duration) = outputs.timing {
        sink(Output::Stream { name: StreamName::Stdout, text: format!("Took {} ms\n", duration.as_millis()) });
    }
    if data.is_empty() {
        return;
    }
    if let (true, Some(Value::String(text))) = (commands::has_code(code), data.get("text/plain")) {
        return sink(Output::Stream { name: StreamName::Stdout, text: text.clone() });
    }
    if !data.contains_key("text/plain") {
        data.insert("text/plain".to_owned(), Value::from(""));
    }
    sink(Output::Result { data, metadata: Map::new() });
}
