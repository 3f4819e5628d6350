//! The build tools that evcxr and rust-analyzer call: our `cargo`, `rustc` and `rustup`, in front of the real ones.
//!
//! This table says which calls are answered here and which are passed to the real tools:
//!
//! | call | answer |
//! |---|---|
//! | `cargo build` of a cell | the library from the user's cache ([`cell_cache`]), or one direct `rustc` call against the prelude ([`compile`]) |
//! | `cargo check` of a cell | the same, metadata only |
//! | `cargo clean` | nothing to do: cells leave no files |
//! | `cargo metadata` of the cell crate or of the standard library | a recorded answer ([`metadata`]) |
//! | crates of `:dep` | the real cargo once per set, in a shared cache; then a record ([`dependencies`]) |
//! | `rustc --print sysroot` | the private sysroot, or an empty one ([`metadata`]) |
//! | other questions that every start asks | as recorded at installation ([`recorded_answers`]) |
//! | `cargo config` | nothing: settings of the user's cargo do not apply to cells |
//! | `rustup` | fails, so that evcxr looks for the tools in PATH |
//! | everything else | the real tool |

mod borrows;
mod cell;
mod cell_cache;
pub mod checks;
mod compile;
mod compile_ahead;
mod compiler_message;
mod definitions;
mod dependencies;
mod diagnostics;
mod flags;
mod fork_server;
mod functions;
pub mod implementations;
pub mod library;
mod link;
mod messages;
mod metadata;
mod names;
mod recorded_answers;
mod repeated;
mod replaced_items;
mod report;
mod rewrite;
mod source_order;
mod statements;
pub mod statics;
mod store_calls;
mod stored_variables;
mod times;
mod tools;
mod types;
mod unanalysed;
mod unused_items;

use crate::choices;
use crate::environment;
use crate::installation::Installation;
use crate::memory;
use crate::printing::{errln, out, outln};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use tools::{finish, real_cargo, replace_by};

pub use borrows::Borrows;
pub use cell_cache::{CELL_CACHE, COMPILED_SOURCE, ENTRY};
pub use compile_ahead::{end_waiting as end_waiting_compiler, serve as serve_compilations};
pub use compiler_message::{CompilerMessage, is_cell_source, with_objects};
pub use dependencies::dep_compiler::run as dep_compiler;
pub use dependencies::{BuiltCrates, SOCKET_NAME, built_before as crates_built_before};
pub use diagnostics::Diagnostics;
pub use flags::Linker;
pub use library::Library;
pub use messages::{BuildAnswer, BuildRequest, CheckVerdict, Types};
pub use names::{Binding, assigned_in, bindings, defined_in, in_scope, items_in, own_name_in, type_as_code};
pub use replaced_items::{ended_items, is_meant_by_patterns};
pub use report::{StoredVariable, VariableReport};
pub use times::{CompileTime, forget as forget_compile_times, now, read as compile_times};
pub use tools::stop_compiler;
pub use types::{KnownTypes, with_names};
pub use unanalysed::{UNANALYSED, without_attribute};

/// The role `rustup`.
pub fn rustup() -> i32 {
    errln!("the kernel uses the toolchain that was recorded at installation, not rustup's default");
    1
}

/// The role `rustc`.
pub fn rustc() -> i32 {
    memory::allow_huge_pages(true);
    environment::restore_path();
    finish(choices::installation().and_then(|installation| {
        let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
        if arguments == ["--print", "sysroot"] {
            let context = std::env::var_os(environment::CONTEXT_DIRECTORY).map(PathBuf::from);
            outln!("{}", metadata::sysroot(&installation, context.as_deref()).display());
            return Ok(0);
        }
        let compiler = || Command::new(installation.real_tool("rustc"));
        if let Some(text) = recorded_answers::answer(&installation, "rustc", &arguments, None, compiler)? {
            out!("{text}");
            return Ok(0);
        }
        replace_by(&mut compiler(), &arguments)
    }))
}

/// The role `cargo`.
pub fn cargo() -> i32 {
    memory::allow_huge_pages(true);
    environment::restore_path();
    let answered = choices::installation().and_then(|installation| answer_cargo(&installation));
    // evcxr makes an error of a cell of this text, and calls it one itself.
    answered.unwrap_or_else(|error| {
        errln!("{error:#}");
        1
    })
}

fn answer_cargo(installation: &Installation) -> Result<i32> {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let words: Vec<&str> = arguments.iter().filter_map(|argument| argument.to_str()).collect();
    let subcommand = words.iter().find(|word| ["build", "check", "clean", "metadata"].contains(word));
    let context = std::env::var_os("EVCXR_TMPDIR").map(PathBuf::from);
    let directory = std::env::current_dir().context("the current directory is gone")?;
    match (subcommand.copied(), context) {
        (Some("build"), Some(context)) if directory == context => {
            times::measured(|| compile::build(installation, &context))
        }
        (Some("check"), Some(context)) if directory == context => {
            times::measured(|| compile::check(installation, &context))
        }
        (Some("clean"), Some(context)) if directory == context => Ok(0),
        (Some("metadata"), Some(context)) => metadata::answer(installation, &context, &directory, &arguments),
        (None, Some(_)) if words.contains(&"config") => Ok(0),
        (_, context) => {
            let cargo = || real_cargo(installation);
            if let Some(text) = recorded_answers::answer(installation, "cargo", &arguments, context.as_deref(), cargo)?
            {
                out!("{text}");
                return Ok(0);
            }
            replace_by(&mut cargo(), &arguments)
        }
    }
}
