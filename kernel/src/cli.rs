//! The command line.

use crate::installation::{self, bundle, cache, setup, user};
use crate::kernelspec::{self, SpecPlace};
use crate::language::{self, EvaluatorChoice};
use crate::lessons::book::{self, BookArguments};
use crate::lessons::{self, Edition, precompile};
use crate::notebook::commands::{self, RunArguments, TestArguments};
use crate::notebook::export::{self, ExportArguments};
use crate::printing::{errln, outln};
use crate::{cell_process, doctor, functions, server};
use clap::{Args, Parser, Subcommand};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::ExitCode;

/// Rust GPU notebooks for Jupyter.
#[derive(Parser)]
#[command(name = "warpcell", version)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the kernel; Jupyter does this.
    Kernel {
        /// The file that names ports and key.
        #[arg(long, value_name = "FILE")]
        connection_file: PathBuf,
        /// Which evaluator runs the cells.
        #[arg(long, value_enum, default_value_t, hide = true)]
        evaluator: EvaluatorChoice,
    },
    /// Install this program, the prelude and the entry for Jupyter; `install.sh` does this.
    Install {
        #[command(flatten)]
        place: PlaceArguments,
        /// Warpcell's source directory.
        #[arg(long, value_name = "DIR", default_value = ".")]
        source: PathBuf,
        /// The sources of the standard library, if the toolchain has none.
        #[arg(long, value_name = "DIR")]
        rust_src: Option<PathBuf>,
    },
    /// Set Warpcell up for the Rust compiler of this machine. The prelude is built if it was made for another one.
    Setup {
        /// The prefix. By default the prefix of this program if it is writable, or else this user's cache.
        #[arg(long, value_name = "DIR")]
        prefix: Option<PathBuf>,
        /// Into this user's cache.
        #[arg(long, conflicts_with = "prefix")]
        for_user: bool,
        /// The package. By default the one that came with this program.
        #[arg(long, value_name = "DIR", hide = true)]
        package: Option<PathBuf>,
        /// The sources of the standard library, if the toolchain has none.
        #[arg(long, value_name = "DIR")]
        rust_src: Option<PathBuf>,
    },
    /// Write a package: all of an installation that does not depend on its place, for wheels and archives.
    #[command(hide = true)]
    Package {
        /// Warpcell's source directory.
        #[arg(long, value_name = "DIR", default_value = ".")]
        source: PathBuf,
        /// Write an entry for Jupyter too, to this folder.
        #[arg(long, value_name = "DIR")]
        kernelspec: Option<PathBuf>,
        /// The package; it must not be there.
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    /// Pack everything for a machine without a network into one file. `install.sh --bundle FILE` installs it there.
    Bundle {
        /// The file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Pack the Rust toolchain too.
        #[arg(long)]
        toolchain: bool,
        /// One more crate for `:dep`, with features if they are wanted: NAME=VERSION,FEATURE.
        #[arg(long = "crate", value_name = "NAME=VERSION")]
        crates: Vec<String>,
        /// Pack only the crates that are named, without the usual ones.
        #[arg(long)]
        only: bool,
        /// Leave out the compiled cells of the lessons.
        #[arg(long)]
        no_lessons: bool,
    },
    /// Install from an unpacked bundle. The bundle's `install.sh` does this.
    #[command(hide = true)]
    InstallBundle {
        #[command(flatten)]
        place: PlaceArguments,
        /// The bundle's directory.
        #[arg(long, value_name = "DIR")]
        from: PathBuf,
    },
    /// Remove what `install` has put into a place.
    Uninstall {
        #[command(flatten)]
        place: PlaceArguments,
        /// Also remove the files that this user's kernels keep in the cache.
        #[arg(long)]
        purge: bool,
    },
    /// Say what is installed, what is missing, and what to do.
    Doctor,
    /// Start once without a client, so that the installation can record what that takes.
    #[command(hide = true)]
    RecordStart,
    /// Run the cells of standard input, a list in JSON, and print how many have failed.
    #[command(name = precompile::RUN_CELLS, hide = true)]
    RunCells,
    /// Load the prelude and print the device that cells compute on.
    Device {
        /// Do not open the device.
        #[arg(long)]
        unopened: bool,
    },
    /// Execute a notebook, without Jupyter. The exit status is 0 if those cells fail that have the tag `raises-exception`, and no others.
    Run(RunArguments),
    /// Execute notebooks side by side and check their outputs. The exit status is 0 if all are as their cells' metadata say.
    Test(TestArguments),
    /// Write a notebook as a Cargo project, which is built and run without Jupyter.
    Export(ExportArguments),
    /// Compile a function of standard input for Python; `warpcell.function` does this.
    #[command(hide = true)]
    Function {
        /// The function's name. By default the last one.
        #[arg(long)]
        name: Option<String>,
    },
    /// The lessons that come with the kernel.
    Lessons {
        #[command(subcommand)]
        command: LessonsCommand,
    },
}

#[derive(Subcommand)]
enum LessonsCommand {
    /// Write the lessons into a directory. Existing files are not changed.
    Export {
        #[command(flatten)]
        edition: EditionArguments,
        /// The directory; it is made if it is not there.
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    /// Execute the lessons and make a book for browsers of them, with the tables of names and notes for instructors. Needs
    /// Sphinx; this takes minutes
    Book(BookArguments),
    /// Run the cells of the lessons and keep what was compiled in the installation, so that they start no compiler for its
    /// users. This takes minutes
    Precompile {
        /// Other notebooks in place of the lessons that come with the kernel.
        #[arg(value_name = "NOTEBOOK")]
        notebooks: Vec<PathBuf>,
    },
}

/// For whom lessons are.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct EditionArguments {
    /// Without solutions.
    #[arg(long)]
    student: bool,
    /// With solutions, notes for instructors and the configuration of nbgrader.
    #[arg(long)]
    instructor: bool,
}

/// The place of an installation. By default it is for this user.
#[derive(Args)]
#[group(multiple = false)]
struct PlaceArguments {
    /// For this user.
    #[arg(long)]
    user: bool,
    /// For the active Python environment.
    #[arg(long)]
    sys_prefix: bool,
    /// In bin, lib and share below DIR.
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
}

/// Runs the command.
pub fn main() -> ExitCode {
    run(CommandLine::parse().command).unwrap_or_else(|error| {
        errln!("warpcell: {error:#}");
        if let Some(advice) = advice(&error) {
            errln!("{advice}");
        }
        ExitCode::FAILURE
    })
}

/// Advice for errors of the system.
fn advice(error: &anyhow::Error) -> Option<&'static str> {
    let refused = error.chain().find_map(|error| error.downcast_ref::<std::io::Error>())?;
    match refused.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some(
            "The disk is full. An installation takes 0.4 GB, or 1 GB with a toolchain from a bundle; --prefix DIR \
             installs on another disk. Nothing was changed.",
        ),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Some(
            "This user cannot write there. --prefix DIR installs in another directory, --user in your home. Nothing was \
             changed.",
        ),
        _ => None,
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Kernel { connection_file, evaluator } => {
            let served = server::serve(&connection_file, language::language(evaluator)?);
            language::clean_up();
            served?;
        }
        Command::Install { place, source, rust_src } => {
            let place = place.place();
            let prefix = place.prefix()?;
            let directory = place.directory()?;
            let note = setup::install(&setup::InstallRequest {
                source: &source,
                prefix: &prefix,
                standard_library: rust_src.as_deref(),
                entry: &directory,
            })?;
            outln!("Installed the kernel \"Rust GPU\" in {}", directory.display());
            if let Some(note) = note {
                outln!("{note}");
            }
        }
        Command::Setup { prefix, for_user, package, rust_src } => {
            let is_for_user = for_user || (prefix.is_none() && package.is_none() && setup::own_prefix_is_closed()?);
            let home = if is_for_user {
                user::set_up()?
            } else {
                setup::set_up_here(prefix.as_deref(), package.as_deref(), rust_src.as_deref())?
            };
            outln!("Warpcell is set up in {}", home.display());
        }
        Command::Package { source, kernelspec, directory } => {
            setup::package(&source, &directory)?;
            if let Some(entry) = kernelspec {
                kernelspec::write_relocatable(&entry)?;
            }
        }
        Command::Bundle { file, toolchain, crates, only, no_lessons } => {
            bundle::make(&bundle::BundleRequest {
                file: &file,
                toolchain,
                crates: &crates,
                only,
                lessons: !no_lessons,
            })?;
        }
        Command::InstallBundle { place, from } => {
            let place = place.place();
            let directory = place.directory()?;
            bundle::install(&from, &place.prefix()?, &directory)?;
            outln!("Installed the kernel \"Rust GPU\" in {}", directory.display());
        }
        Command::Uninstall { place, purge } => {
            let place = place.place();
            let directory = place.directory()?;
            if installation::has_package(&place.prefix()?) {
                outln!("The program came by pip: `pip uninstall warpcell` removes it.");
            } else if kernelspec::uninstall(&directory)? {
                outln!("Removed {}", directory.display());
            } else {
                outln!("Nothing to remove in {}", directory.display());
            }
            setup::uninstall(&place.prefix()?)?;
            if purge && let Some(folder) = cache::purge()? {
                outln!("Removed {}", folder.display());
            }
        }
        Command::Doctor => match doctor::run(&mut std::io::stdout()) {
            Ok(true) => {}
            Ok(false) => return Ok(ExitCode::FAILURE),
            // The reader has seen enough.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            Err(error) => return Err(error.into()),
        },
        Command::RecordStart => {
            let started = language::start_once();
            language::clean_up();
            started?;
        }
        Command::RunCells => {
            let cells: Vec<String> = serde_json::from_reader(std::io::stdin())?;
            let failed = language::run_cells(&cells);
            language::clean_up();
            outln!("{}", failed?);
        }
        Command::Run(arguments) => return commands::run(&arguments),
        Command::Test(arguments) => return commands::test(&arguments),
        Command::Device { unopened } => outln!("{}", cell_process::device(!unopened)?),
        Command::Export(arguments) => return export::export(&arguments),
        Command::Function { name } => return functions::run(name.as_deref()),
        Command::Lessons { command: LessonsCommand::Export { edition, directory } } => {
            let edition = if edition.student { Edition::Student } else { Edition::Instructor };
            let count = lessons::export(edition, &directory)?;
            outln!("Wrote {count} files to {}", directory.display());
        }
        Command::Lessons { command: LessonsCommand::Book(arguments) } => book::make(&arguments)?,
        Command::Lessons { command: LessonsCommand::Precompile { notebooks } } => {
            precompile::precompile(&notebooks, &|line| outln!("{line}"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl PlaceArguments {
    fn place(self) -> SpecPlace {
        match self.prefix {
            Some(prefix) => SpecPlace::Prefix(prefix),
            None if self.sys_prefix => SpecPlace::SysPrefix,
            None => SpecPlace::User,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        CommandLine::command().debug_assert();
        let both = ["warpcell", "install", "--user", "--sys-prefix"];
        assert!(CommandLine::try_parse_from(both).is_err());
        assert!(CommandLine::try_parse_from(["warpcell", "lessons", "export", "course"]).is_err());
        assert!(CommandLine::try_parse_from(["warpcell", "lessons", "export", "--student", "course"]).is_ok());
    }
}
