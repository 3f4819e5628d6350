//! Compiles a cell: one `rustc` call against the installed prelude.

use super::borrows::{self, Borrows};
use super::cell::CellCrate;
use super::cell_cache::{self, CachedCell};
use super::compile_ahead::{self, CompileGoal, Compiled, CompilerTask};
use super::compiler_message::with_objects;
use super::diagnostics::{self, Diagnostics};
use super::functions::{Functions, with_marks};
use super::implementations::Implementations;
use super::messages::{BuildAnswer, BuildRequest, CheckVerdict, Types};
use super::repeated::without_repeated;
use super::rewrite::{self, RewriteOptions, Rewritten};
use super::source_order::OrderedSource;
use super::statements::{KnownMoves, Split, SplitVerdict};
use super::statics::Statics;
use super::stored_variables::{CATCHES, CompilerFindings, Crates, VariablePlan, definitions_in};
use super::tools::lead_group;
use super::types::{FoundType, KnownTypes};
use super::unanalysed::without_attribute;
use super::{checks, link, recorded_answers, statements, times, types, unused_items};
use crate::files;
use crate::installation::Installation;
use crate::printing::err;
use anyhow::{Context, Result, bail};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

/// How often a cell is compiled until it is in a form that the compiler takes, or its errors are the user's.
const ATTEMPTS: usize = 10;

/// `cargo build` of the cell crate. A cell that is only checked fails when it has compiled, because evcxr runs what does not fail.
pub fn build(installation: &Installation, context: &Path) -> Result<i32> {
    let cell = CellCrate::prepare(installation, context)?;
    let source = files::read(&context.join("src").join("lib.rs"))?;
    let request = BuildRequest::read(&cell.session);
    let status = build_cell(&cell, &source, request)?;
    if !request.checked {
        return Ok(status);
    }
    BuildAnswer::change(&cell.session, |answer| {
        // After an error evcxr has the cell compiled once more without catching panics, for other messages only.
        let is_for_messages =
            answer.verdict == Some(CheckVerdict::Refused) && !source.lines().any(|line| line == CATCHES);
        let compiles = status == 0 && !is_for_messages;
        answer.verdict = Some(if compiles { CheckVerdict::Compiles } else { CheckVerdict::Refused });
    })?;
    Ok(status.max(1))
}

/// Compiles the source that evcxr has written of a cell.
fn build_cell(cell: &CellCrate<'_>, source: &str, request: BuildRequest) -> Result<i32> {
    let mut implementations = Implementations::of(&cell.session);
    loop {
        if let Some(status) = build_with(cell, source, request, &mut implementations)? {
            return Ok(status);
        }
    }
}

/// Compiles it without the implementations that are left out. `None` if there are more of these.
fn build_with(
    cell: &CellCrate<'_>,
    source: &str,
    request: BuildRequest,
    implementations: &mut Implementations<'_>,
) -> Result<Option<i32>> {
    let context = cell.context;
    let source = &without_attribute(source);
    let ordered = OrderedSource::of(&types::without_added_lets(source));
    let rewritten = cell.text_for("lib.rs");
    std::fs::create_dir_all(context.join("build"))?;
    let library = cell.library();
    library.parent().map(std::fs::create_dir_all).transpose()?;
    if let Some(file) = std::env::var_os("EVCXR_EXECUTION_SO_PATH") {
        std::fs::write(file, library.as_os_str().as_encoded_bytes())?;
    }
    let Functions { source: text, registers, marks, .. } = Functions::prepare(&ordered.text, &cell.session)?;
    let crates = cell.dependencies.identities();
    let text = without_repeated(&text);
    let text = implementations.without(&text);
    let statics = Statics::prepare(&text, &cell.session, &crates);
    let (base, registers) = (&*statics.source, registers || statics.defines());
    let is_timed = request.timed;
    let own_display = cell.dependencies.own_display || request.shown_by_evcxr;
    let mut findings = CompilerFindings::default();
    let mut types = SessionTypes::of(&cell.session, base, &crates);
    let mut borrows = Borrows::of(&cell.session, base);
    // Separate closures for statements are not used in timed cells, because the closures would be measured too.
    let (mut may_split, mut wants_split) = (!is_timed, false);
    let items = unused_items::KnownItems::of(&cell.session, base, &cell.dependencies.arguments);
    let mut may_omit = items.have_compiled;
    for is_last in (0..ATTEMPTS).map(|attempt| attempt + 1 == ATTEMPTS) {
        let borrowing = borrows.write(base);
        let options =
            RewriteOptions { crates: &crates, own_display, types: Some(&types.known), findings: Some(&findings) };
        let Rewritten { text: planned, plan } = rewrite::rewrite(&borrowing, options);
        let layout = plan.layout().filter(|_| may_split && !is_last);
        let mut known =
            layout.map(|layout| KnownMoves::read(&cell.session, &Split::code(&planned, layout))).unwrap_or_default();
        let split = layout.and_then(|layout| Split::new(&planned, layout, &known, wants_split));
        let text = types.known.put_into(split.as_ref().map_or(&planned, |split| &split.text));
        let open = types::open_in(&text);
        let (text, must_be_known) = (types::without_names(&text), types::must_be_known(&text));
        let finished = |text: &str| {
            let marked = with_marks(text, &marks);
            // Profiled cells run for long, and so can be interrupted.
            let is_checked = !is_timed || request.profiled;
            if is_checked { checks::with_checks(&marked).into_owned() } else { marked.into_owned() }
        };
        let shorter = if may_omit { unused_items::without(&text) } else { None };
        let shorter = shorter.map(|text| finished(&text));
        let text = finished(&text);
        let whole =
            Compilation { cell, source: &rewritten, text: &text, is_timed, registers, open: &open, library: &library };
        let compilation = Compilation { text: shorter.as_deref().unwrap_or(&text), ..whole };
        if let Some(status) = compilation.replay()? {
            return Ok(Some(status));
        }
        let mut compiled = compilation.run()?;
        if compiled.status != 0 && shorter.is_some() && unused_items::concerns_all(&compiled.stderr) {
            may_omit = false;
            compiled = whole.run()?;
        }
        let found_types = types.found(&open, &compiled.types);
        if compiled.status == 0 {
            if !request.checked {
                items.keep()?;
            }
            if let Some(message) = found_types.not_kept {
                BuildAnswer::change(&cell.session, |answer| answer.not_kept = Some(message))?;
                return Ok(Some(1));
            }
            if !open.is_empty() {
                types.known = found_types.known;
                types.known.write(&cell.session)?;
            }
            if !is_last && (found_types.must_be_written || must_be_known) {
                continue;
            }
            let mut report = plan.report();
            split.iter().for_each(|split| split.add_to(&mut report));
            if request.checked {
                return Ok(Some(0));
            }
            report.notes.append(&mut implementations.notes);
            BuildAnswer::change(&cell.session, |answer| answer.report = report)?;
            implementations.keep()?;
            statics.write(&cell.session)?;
            borrows.keep(&cell.session, base)?;
            err!("{}", compiled.stderr);
            return Ok(Some(0));
        }
        if implementations.learn(&compiled.stderr, base) {
            return Ok(None);
        }
        let mut messages = checks::correct_columns(&compiled.stderr, &rewritten, &text);
        let in_lines_of_evcxr = || split.as_ref().map(|split| split.in_lines_of_evcxr(&messages));
        if !is_last && borrows.learn(in_lines_of_evcxr().as_deref().unwrap_or(&messages), base) {
            continue;
        }
        if let (Some(split), Some(layout)) = (&split, layout) {
            if let SplitVerdict::Consumes(consumed, gone) = split.verdict(&messages) {
                known.add(&consumed);
                statements::puts_of(&planned, layout, &mut known, &consumed);
                known.write(&cell.session)?;
                match gone {
                    // evcxr forgets these variables, and asks once more.
                    Some(gone) => {
                        return tell(cell, &plan, &found_types.known, &ordered, &gone, compiled.status).map(Some);
                    }
                    None => continue,
                }
            }
            messages = split.in_lines_of_evcxr(&messages);
        }
        // If there are several statements, a variable survives those before the one that moves it away.
        if split.is_none() && may_split && !wants_split && plan.only_moves_away(&messages) {
            wants_split = layout.is_some_and(|layout| Split::new(&planned, layout, &known, true).is_some());
            if wants_split {
                continue;
            }
        }
        let mut found = plan.findings(&messages).filter(|_| plan.may_fail() && !is_last);
        if split.is_some() {
            // Such findings are for the other form. Here closures return these variables.
            found = found.map(|found| CompilerFindings { replaced: Vec::new(), ..found });
            found = found.filter(|found| *found != CompilerFindings::default());
        }
        match found {
            Some(found) if split.is_none() => {
                if let Some(messages) = plan.about_gone(&messages, &found.replaced) {
                    return tell(cell, &plan, &found_types.known, &ordered, &messages, compiled.status).map(Some);
                }
                findings.add(found);
            }
            Some(found) => findings.add(found),
            None if split.as_ref().is_some_and(|split| split.may_have_caused(&messages)) => may_split = false,
            None => {
                let for_evcxr = plan.for_evcxr(&messages);
                let said = Diagnostics { source: ordered.text.clone(), messages };
                BuildAnswer::change(&cell.session, |answer| {
                    answer.diagnostics = Some(said);
                    answer.not_kept = None;
                })?;
                return tell(cell, &plan, &found_types.known, &ordered, &for_evcxr, compiled.status).map(Some);
            }
        }
    }
    unreachable!("the last attempt ends the loop")
}

/// The types of a session's variables, and what is needed to learn more of them.
struct SessionTypes<'a> {
    source: &'a str,
    crates: &'a Crates,
    known: KnownTypes,
}

/// What came of types that were open.
struct FoundTypes {
    /// The types of the session, with those that were found.
    known: KnownTypes,
    /// Whether a variable has its type only if the code says it.
    must_be_written: bool,
    /// evcxr's message about a variable that cannot be kept.
    not_kept: Option<String>,
}

impl<'a> SessionTypes<'a> {
    fn of(session: &'a Path, source: &'a str, crates: &'a Crates) -> SessionTypes<'a> {
        SessionTypes { source, crates, known: KnownTypes::read(session) }
    }

    /// What the types that the compiler has found for variables mean for the names of types that were `open`.
    fn found(&self, open: &BTreeMap<String, String>, found: &Types) -> FoundTypes {
        let mut result = FoundTypes { known: self.known.clone(), must_be_written: false, not_kept: None };
        let definitions = if open.is_empty() { None } else { definitions_in(self.source, self.crates) };
        for (variable, name) in open {
            let said = found.get(variable);
            match said.and_then(|said| FoundType::of(said)) {
                Some(FoundType { code, must_be_written }) => {
                    result.known.learn(name, &code, definitions.as_ref().map_or(0, |known| known.hash(&code)));
                    result.must_be_written |= must_be_written;
                }
                None => result.not_kept = Some(types::not_kept(variable, said.map(String::as_str))),
            }
        }
        result
    }
}

/// Ends the call with messages for evcxr. It forgets the variables that these say to be moved away.
fn tell(
    cell: &CellCrate<'_>,
    plan: &VariablePlan,
    types: &KnownTypes,
    ordered: &OrderedSource,
    messages: &str,
    status: i32,
) -> Result<i32> {
    let gone = plan.new_that_are_moved_away(messages);
    if !gone.is_empty() {
        let known = |name: String| {
            let known = types.put_into(&name);
            (*types::without_names(&known) == *known).then(|| known.into_owned())
        };
        let gone = gone.into_iter().map(|(variable, its_type)| (variable, known(its_type)));
        BuildAnswer::change(&cell.session, |answer| answer.gone.extend(gone))?;
    }
    err!("{}", without_places_of_functions(&ordered.in_lines_of_evcxr(messages)));
    Ok(status)
}

/// The messages without the notes about moved values. A note names the function that takes the value. evcxr would take this for an error in
/// the function, and would keep the variable.
fn without_places_of_functions(messages: &str) -> Cow<'_, str> {
    if !messages.contains("\"E0382\"") {
        return Cow::Borrowed(messages);
    }
    Cow::Owned(with_objects(messages, |fields| {
        if fields.get("code").is_some_and(|code| code["code"] == "E0382") {
            fields.insert("children".to_owned(), serde_json::json!([]));
        }
    }))
}

/// One attempt to compile a cell.
#[derive(Clone, Copy)]
struct Compilation<'a> {
    cell: &'a CellCrate<'a>,
    /// The file for the source.
    source: &'a Path,
    text: &'a str,
    /// Whether the cell measures time.
    is_timed: bool,
    /// Whether items register themselves when the cell is loaded.
    registers: bool,
    /// The variables whose types must be found.
    open: &'a BTreeMap<String, String>,
    library: &'a Path,
}

impl Compilation<'_> {
    /// The compiler's call for a source file.
    fn command(&self, source: &Path) -> Command {
        self.cell.builder(source, BuildRequest::read(&self.cell.session), "link")
    }

    /// Makes the library of the object. False if that needs a linker.
    fn link(&self) -> Result<bool> {
        let object = std::fs::read(self.cell.object()).context("the compiler has written no object")?;
        let Some(library) = link::shared_library(&object) else { return Ok(false) };
        std::fs::write(self.library, library)?;
        Ok(true)
    }

    /// Takes the library from the installation, if it has recorded this cell.
    fn replay(&self) -> Result<Option<i32>> {
        std::fs::write(self.source, self.text)?;
        let mut command = self.command(self.source);
        let status = recorded_answers::own_cell(
            self.cell.installation,
            self.text,
            &mut command,
            self.cell.context,
            self.library,
        )?;
        if status.is_some()
            && !recorded_answers::is_recording()
            && let Some((attributes, _)) = compile_ahead::split(self.text)
        {
            let session = &self.cell.session;
            compile_ahead::prepare(session, CompilerTask::Cells, self.cell.ahead(&attributes)?)?;
            compile_ahead::prepare(session, CompilerTask::Types, self.cell.types_ahead(&attributes)?)?;
        }
        Ok(status)
    }

    /// Takes the library from the cache, or compiles.
    fn run(&self) -> Result<Compiled> {
        let text = cell_cache::with_common_entry(self.text);
        // There is nothing to run, and so nothing to generate and to link: an empty library says that.
        let goal = if only_defines(&text) && !self.registers { CompileGoal::Checked } else { CompileGoal::Linked };
        if goal == CompileGoal::Checked {
            std::fs::write(self.library, "")?;
        }
        lead_group(&self.cell.session)?;
        // Timed cells use their own compiler.
        let split = if self.is_timed { None } else { compile_ahead::split(&text) };
        std::fs::write(self.source, split.as_ref().map_or(&*text, |(_, rest)| rest))?;
        let cached = CachedCell::of(self.cell, &self.command(self.source), &text, goal);
        if let Some(compiled) = cached.as_ref().and_then(|cached| cached.take(Some(self.library))) {
            return Ok(compiled);
        }
        let began = SystemTime::now();
        let compiled = self.compile_with_types(&text, split, goal)?;
        if let Some(cached) = cached {
            cached.keep(self.cell, Some(self.library), &compiled, began);
        }
        Ok(compiled)
    }

    /// Compiles `text`, and finds the types that are open in it, both at the same time.
    fn compile_with_types(&self, text: &str, split: Option<(String, String)>, goal: CompileGoal) -> Result<Compiled> {
        std::thread::scope(|scope| {
            let finding = (!self.open.is_empty()).then(|| scope.spawn(|| self.find_types(text)));
            let compiled = self.compile(text, split, goal);
            let found = finding.map(|finding| finding.join().unwrap_or_else(|_| bail!("the types cannot be found")));
            Ok(Compiled { types: found.transpose()?.unwrap_or_default(), ..compiled? })
        })
    }

    /// The types of the new variables.
    fn find_types(&self, text: &str) -> Result<Types> {
        let folder = self.cell.written_types();
        let _ = std::fs::remove_dir_all(&folder);
        files::create_folder(&folder)?;
        let source = self.cell.text_for("types.rs");
        let compiled = self.cell.checked(CompilerTask::Types, self.cell.types_finder(&source), text, &source)?;
        Ok(types::found_in(&folder, self.open.keys(), compiled.status == 0))
    }

    /// Compiles `text`, which `split` has in two parts if it can be compiled ahead.
    fn compile(&self, text: &str, split: Option<(String, String)>, goal: CompileGoal) -> Result<Compiled> {
        times::count_run();
        cell_cache::forget_inputs(self.cell.context);
        let links_here = self.cell.links_here();
        if let Some((attributes, _)) = split {
            let call = self.cell.ahead(&attributes)?;
            if !(links_here && self.cell.needs_linker(text))
                && let Some(compiled) =
                    compile_ahead::compile(&self.cell.session, CompilerTask::Cells, call, self.source, goal)?
            {
                if compiled.status != 0 || goal == CompileGoal::Checked || !links_here || self.link()? {
                    return Ok(compiled);
                }
                self.cell.leave_to_linker(text)?;
            }
            std::fs::write(self.source, text)?;
        }
        let mut command = match goal {
            CompileGoal::Checked => self.cell.checker(self.source),
            CompileGoal::Linked => self.command(self.source),
        };
        let output = command.output().with_context(|| self.cell.cannot_run())?;
        std::io::stdout().write_all(&output.stdout)?;
        Ok(Compiled::by(&output))
    }
}

/// evcxr's function for a cell without code of the user.
const NOTHING_TO_RUN: &str = "mut x: *mut std::os::raw::c_void) -> *mut std::os::raw::c_void {x}";
/// What items may contain that has an effect, or may be in error, only when the cell is linked or loaded.
const LINKED: [&str; 3] = ["link", "global_asm", "ctor"];

/// Whether a cell consists of items only, which the compiler need but check.
fn only_defines(source: &str) -> bool {
    source.lines().any(|line| line == NOTHING_TO_RUN)
        && source.matches("no_mangle").count() == 1
        && !LINKED.iter().any(|word| source.contains(word))
}

/// `cargo check` of the cell crate.
pub fn check(installation: &Installation, context: &Path) -> Result<i32> {
    let cell = CellCrate::prepare(installation, context)?;
    std::fs::create_dir_all(context.join("target"))?;
    lead_group(&cell.session)?;
    let source = files::read(&context.join("src").join("lib.rs"))?;
    let source = without_attribute(&source);
    let known = KnownTypes::read(&cell.session);
    let ordered = OrderedSource::of(&known.put_into(&types::without_added_lets(&source)));
    let text = &ordered.text;
    let rewritten = cell.text_for("lib.rs");
    std::fs::create_dir_all(context.join("build"))?;
    let Functions { source: text, marks, .. } = Functions::prepare(text, &cell.session)?;
    let text = with_marks(&text, &marks);
    let text = without_repeated(&text);
    let mut implementations = Implementations::of(&cell.session);
    let text = implementations.without(&text);
    let text = types::for_analysis(&text);
    let displayed = rewrite::with_display(&text);
    let (messages, status) = borrows::checked(&cell, &displayed, &rewritten)?;
    let messages = diagnostics::errors_in(&messages);
    err!("{}", ordered.in_lines_of_evcxr(&messages));
    BuildAnswer::change(&cell.session, |answer| {
        answer.diagnostics = Some(Diagnostics { source: text.into_owned(), messages })
    })?;
    Ok(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_items_only_are_told_apart() {
        let cell = |items: &str| {
            format!("{items}\n#[unsafe(no_mangle)]\npub extern \"C\" fn run_user_code_3(\n{NOTHING_TO_RUN}\n")
        };
        assert!(only_defines(&cell("fn f() -> u8 { 1 }")));
        assert!(!only_defines(
            "fn f() {}\npub extern \"C\" fn run_user_code_3(\nevcxr_variable_store: *mut u8) -> *mut u8 {\n"
        ));
        for items in [
            "#[link(name = \"m\")] unsafe extern \"C\" { fn sin(x: f64) -> f64; }",
            "#[unsafe(no_mangle)] pub fn f() {}",
            "#[unsafe(link_section = \".init_array\")] static F: fn() = f;",
        ] {
            assert!(!only_defines(&cell(items)), "{items}");
        }
    }
}
