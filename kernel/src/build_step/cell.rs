//! A cell crate, and the compiler's call for it.

use super::compile_ahead::{CompileGoal, Compiled, CompilerCall, CompilerTask};
use super::messages::BuildRequest;
use super::names::items_before_runtime;
use super::{cell_cache, compile_ahead, dependencies, flags, functions, types};
use crate::environment::SESSION;
use crate::files;
use crate::installation::Installation;
use crate::syntax::{blank, declared_name, parse, range_of, words};
use anyhow::{Context, Result, bail};
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file of a session with the items whose cells the toolchain's linker links.
const LINKED_BY_LINKER: &str = "linked-by-linker";

/// The notebook's items that a source uses, and the foreign functions among them.
fn items_used_in(source: &str) -> Vec<String> {
    let items: Vec<ast::Item> = parse(items_before_runtime(source)).tree().items().collect();
    let mut text = source.to_owned();
    let mut names = Vec::new();
    for item in &items {
        match item {
            // It is in each cell, and so says nothing of this one.
            ast::Item::ExternBlock(block) => {
                let foreign = block.extern_item_list().into_iter().flat_map(|list| list.extern_items());
                names.extend(foreign.filter_map(|item| declared_name(item.syntax())));
                let range = range_of(block.syntax());
                text.replace_range(range.clone(), &blank(&source[range]));
            }
            item => names.extend(declared_name(item.syntax())),
        }
    }
    let used: HashSet<&str> = words(&text).collect();
    names.into_iter().filter(|name| used.contains(name.as_str())).collect()
}

/// The compiler's surroundings of a cell.
pub struct CellCrate<'a> {
    pub installation: &'a Installation,
    pub context: &'a Path,
    pub session: PathBuf,
    opt_level: String,
    pub dependencies: dependencies::BuiltCrates,
}

impl CellCrate<'_> {
    /// The crate in evcxr's directory, with its `:dep` crates built.
    pub fn prepare<'a>(installation: &'a Installation, context: &'a Path) -> Result<CellCrate<'a>> {
        let session = std::env::var_os(SESSION).map(PathBuf::from).context("the session has no directory")?;
        if let Some(problem) = installation.problem() {
            bail!(problem);
        }
        let manifest = dependencies::CellManifest::read(context)?;
        let cell = CellCrate {
            installation,
            context,
            opt_level: manifest.opt_level.clone(),
            dependencies: dependencies::build(installation, &manifest)?,
            session,
        };
        Ok(cell)
    }

    /// The session's directory.
    pub fn session(&self) -> &Path {
        &self.session
    }

    /// The compiler call without its outputs.
    pub fn compiler(&self, source: &Path) -> Command {
        self.compiler_for(source, BuildRequest::read(&self.session))
    }

    /// The same, for a cell of this kind.
    pub fn compiler_for(&self, source: &Path, request: BuildRequest) -> Command {
        let prelude = self.installation.prelude();
        let mut command = Command::new(self.installation.real_tool("rustc"));
        command
            .current_dir(self.context)
            .args(["--crate-name", "ctx", "--edition", "2024"])
            .arg(source)
            .args(["--error-format", "json", "--json", "diagnostic-rendered-ansi"])
            .args(["-C", "prefer-dynamic"])
            .args(flags::tables(request))
            .arg("-L")
            .arg(format!("dependency={}", prelude.display()))
            .args(&self.dependencies.arguments);
        flags::generate_code(&mut command, request, &self.opt_level);
        flags::link(&mut command, &self.installation.home, &prelude, self.dependencies.externs.is_empty());
        for (name, file) in &self.installation.record.prelude.externs {
            if !self.dependencies.externs.contains(name) {
                command.arg("--extern").arg(format!("{name}={}", prelude.join(file).display()));
            }
        }
        command.env_remove("LD_LIBRARY_PATH").env_remove("RUSTFLAGS").env_remove("RUSTC");
        command.env(functions::NOTEBOOK, functions::notebook_file(&self.session));
        command
    }

    /// The call for a source that is only checked.
    pub fn checker(&self, source: &Path) -> Command {
        let mut command = self.compiler(source);
        let metadata = self.context.join("target/libctx.rmeta");
        command.args(["--crate-type", "lib", "--emit"]).arg(format!("metadata={}", metadata.display()));
        cell_cache::add_arguments(&mut command, source, self.context);
        command
    }

    /// The call for a library, or for the object that it is linked of.
    pub fn builder(&self, source: &Path, request: BuildRequest, kind: &str) -> Command {
        let mut command = self.compiler_for(source, request);
        command.args(["--crate-type", "cdylib"]);
        let file = if kind == "link" { self.library() } else { self.object() };
        command.arg("--emit").arg(format!("{kind}={}", file.display()));
        cell_cache::add_arguments(&mut command, &self.text_for("lib.rs"), self.context);
        command
    }

    /// The same, started ahead. It also checks sources.
    pub fn ahead(&self, attributes: &str) -> Result<CompilerCall> {
        let root = self.text_for("root.rs");
        let mut command = self.builder(&root, BuildRequest::default(), if self.links_here() { "obj" } else { "link" });
        command.arg("--emit").arg(format!("metadata={}", self.library().with_extension("rmeta").display()));
        let crates = self.carried().map(|name| (name.as_str(), "_".to_owned()));
        self.call_ahead(command, root, attributes, crates)
    }

    /// Has the waiting compiler for a task check a source, which is written to a file; or starts one by a command for that file.
    pub fn checked(&self, task: CompilerTask, mut command: Command, source: &str, file: &Path) -> Result<Compiled> {
        if let Some((attributes, rest)) = compile_ahead::split(source) {
            files::write(file, rest)?;
            let call = match task {
                CompilerTask::Cells => self.ahead(&attributes)?,
                CompilerTask::Types => self.types_ahead(&attributes)?,
            };
            if let Some(compiled) = compile_ahead::compile(&self.session, task, call, file, CompileGoal::Checked)? {
                return Ok(compiled);
            }
        }
        files::write(file, source)?;
        Ok(Compiled::by(&command.output().with_context(|| self.cannot_run())?))
    }

    /// The call of the compiler that finds the types of variables in a source.
    pub fn types_finder(&self, source: &Path) -> Command {
        let mut command = self.compiler_for(source, BuildRequest::default());
        let folder = self.written_types();
        command.args(["--crate-type", "cdylib", "--emit"]);
        command.arg(format!("metadata={}", folder.with_extension("rmeta").display()));
        command.args(types::WRITES_DOWN).arg(format!("-Zdump-mir-dir={}", folder.display()));
        command
    }

    /// The same, started ahead.
    pub fn types_ahead(&self, attributes: &str) -> Result<CompilerCall> {
        let root = self.text_for("types-root.rs");
        // The user's crates may have other names here than they have themselves.
        let arguments = &self.dependencies.arguments;
        let added =
            arguments.windows(2).filter(|pair| pair[0] == "--extern").filter_map(|pair| pair[1].split('=').next());
        let crates: BTreeSet<&str> = self.carried().map(String::as_str).chain(added).collect();
        let crates = crates.into_iter().map(|name| (name, format!("{}{name}", types::CRATE)));
        self.call_ahead(self.types_finder(&root), root, attributes, crates)
    }

    /// The crates of the prelude that cells can name, but for those that the user has added.
    fn carried(&self) -> impl Iterator<Item = &String> {
        let carried = self.installation.record.prelude.externs.iter().map(|(name, _)| name);
        carried.filter(|name| !self.dependencies.externs.contains(name))
    }

    fn call_ahead<'b>(
        &self,
        mut command: Command,
        root: PathBuf,
        attributes: &str,
        crates: impl Iterator<Item = (&'b str, String)>,
    ) -> Result<CompilerCall> {
        command.args(["--json", "artifacts"]);
        CompilerCall::new(&command, root, attributes, crates)
    }

    /// The file of a source that is made of evcxr's.
    pub fn text_for(&self, name: &str) -> PathBuf {
        self.context.join("build").join(name)
    }

    /// Where the compiler writes down how it understands the function of the cell.
    pub fn written_types(&self) -> PathBuf {
        self.text_for("types")
    }

    /// The file for the library.
    pub fn library(&self) -> PathBuf {
        let target = self.context.join("target").join(&self.installation.record.prelude.target);
        target.join("debug").join("deps").join("libctx.so")
    }

    /// The file for the object that it is made of.
    pub fn object(&self) -> PathBuf {
        self.library().with_extension("o")
    }

    /// Whether cells are linked by this process.
    pub fn links_here(&self) -> bool {
        flags::is_linked_directly(&self.installation.home, self.dependencies.externs.is_empty())
    }

    /// Whether a source uses items that have needed more than this process can link. Such a cell is left to the linker.
    pub fn needs_linker(&self, source: &str) -> bool {
        let Ok(known) = std::fs::read_to_string(self.session.join(LINKED_BY_LINKER)) else { return false };
        items_used_in(source).iter().any(|item| known.lines().any(|line| line == item))
    }

    /// Notes the items of a source that needs more than this process can link.
    pub fn leave_to_linker(&self, source: &str) -> Result<()> {
        let file = self.session.join(LINKED_BY_LINKER);
        let known = std::fs::read_to_string(&file).unwrap_or_default();
        let more: String = items_used_in(source).iter().map(|item| format!("{item}\n")).collect();
        files::write(&file, known + &more)
    }

    /// The message if the compiler does not start.
    pub fn cannot_run(&self) -> String {
        compile_ahead::cannot_run(&self.installation.real_tool("rustc"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_items_that_a_cell_uses_are_found() {
        let used = |code: &str| {
            items_used_in(&format!(
                "fn twice(x: i64) -> i64 {{ 2 * x }}\nunsafe extern \"C\" {{ safe fn labs(x: i64) -> i64; }}\n\
                 mod evcxr_internal_runtime {{ pub use ::warpcell::cell::*; }}\nfn run_user_code_() {{\n{code}\n}}\n"
            ))
        };
        assert_eq!(used("labs(-3) + twice(1)"), ["twice", "labs"]);
        assert_eq!(
            used("1 + 1"),
            ["twice"],
            "what a cell does not use is left out of its source, but for foreign functions"
        );
    }
}
