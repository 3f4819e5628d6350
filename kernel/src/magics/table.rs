//! The only list of magics. Dispatch, `%lsmagic`, `%name?`, completion and the reference page read it. Tests check
//! every entry.

use super::magic::{CellHandler, LineHandler, Magic, Takes, flag, option};
use super::{display, files, inputs, kernel, profiling, session_state, shell, timing, tracing, whole_cell};

/// All magics, by name.
pub(super) const MAGICS: &[Magic] = &[
    Magic {
        name: "bash",
        summary: "Run the cell as a script of bash",
        usage: "%%bash [--no-raise-error]",
        details: "\
The script runs in the environment and the directory of the process that runs the cells. Its
output is shown while it runs; its standard input is empty. A script that fails makes the cell
fail.",
        options: &[flag("--no-raise-error", "a script that fails does not make the cell fail")],
        takes: Takes::Words,
        examples: &["%%bash\nfor i in 1 2 3; do\n    echo \"line $i\"\ndone"],
        line: None,
        cell: Some(CellHandler::Text(shell::bash)),
    },
    Magic {
        name: "capture",
        summary: "Run the cell and keep what it shows",
        usage: "%%capture [--no-stdout] [--no-stderr] [--no-display] [NAME]",
        details: "\
Nothing of what the cell prints and draws is shown. The variable NAME has it, if it is given:
`NAME.stdout` and `NAME.stderr` are texts, `NAME.show()` shows all of it. If the cell fails, it is
shown, with the error. What a cell shows is limited: if not all of it could be kept, a line says how
much is missing, and how to raise the limit.",
        options: whole_cell::CAPTURE_OPTIONS,
        takes: Takes::Words,
        examples: &["%%capture output\nprintln!(\"not seen\");\n2 + 2"],
        line: None,
        cell: Some(CellHandler::Whole(whole_cell::capture)),
    },
    Magic {
        name: "cd",
        summary: "Change the current directory",
        usage: "%cd [-q] [DIRECTORY | -]",
        details: "\
Changes the directory of the process that runs the cells and prints it. %load, %%writefile,
%%bash, !command and the completion of paths use this directory. Without an argument it goes to
the home directory, with - to the directory before; ~ is the home directory. A path may contain
blanks and may be quoted; {name} and $NAME in it are values, as in %env. A new process starts in the directory where the kernel was started.",
        options: &[flag("-q", "print nothing")],
        takes: Takes::Directory,
        examples: &["%cd /tmp", "%cd -q -"],
        line: Some(LineHandler::Line(session_state::cd)),
        cell: None,
    },
    Magic {
        name: "celltime",
        summary: "Show where the time of the last cell went",
        usage: "%celltime",
        details: "\
Shows how long the last cell took, and its parts: the analysis of its code (types of
variables), the compiler (including the linker), the loading of the compiled code, and the run.
The rest is the kernel's own work. All times are measured. A cell without code, such as a cell
with only this line, does not count.",
        options: &[],
        takes: Takes::Words,
        examples: &["%celltime"],
        line: Some(LineHandler::Action(kernel::celltime)),
        cell: None,
    },
    Magic {
        name: "check",
        summary: "Compile the cell, and do not run it",
        usage: "%%check",
        details: "\
Shows the errors that a run of the cell would show before its code begins, in the same order, with
the lines of the cell and the corrected line. Nothing is defined and nothing is changed. `%check` means
the same. Below it may stand %%capture and other magics; of %run the file is checked, if it is all that
the cell does. Commands such as `:dep` can only be run.",
        options: &[],
        takes: Takes::Words,
        examples: &["%%check\nlet total: u64 = (0..10).sum();\ntotal"],
        line: None,
        cell: Some(CellHandler::Whole(whole_cell::check)),
    },
    Magic {
        name: "env",
        summary: "List, show, set or remove environment variables",
        usage: "%env\n%env NAME\n%env NAME=VALUE\n%env -u NAME",
        details: "\
The variables are those of the process that runs the cells, so std::env::var and the programs
that cells start see them. In a value, $NAME and ${NAME} are other variables of the environment,
and {name} and $name variables of the notebook, as in shell lines; in single quotes nothing is
replaced. The list hides the values of names that contain key, token, secret
or passw. WARPCELL_DEVICE must be set before the first array is made. A new process has the
environment that the kernel was started with.",
        options: &[flag("-u", "remove the variable")],
        takes: Takes::Words,
        examples: &["%env", "%env HOME", "%env RUST_BACKTRACE=1", "%env PATH=$PATH:/opt/bin", "%env -u RUST_BACKTRACE"],
        line: Some(LineHandler::Line(session_state::env)),
        cell: None,
    },
    Magic {
        name: "gpuinfo",
        summary: "Show the device, its driver, its memory and how busy it is",
        usage: "%gpuinfo",
        details: "\
Shows the device that arrays are made on and why it was chosen. For a GPU: its driver, the CUDA
version that the driver supports, the compiler of kernels, used and total memory, and
utilisation if the driver's monitor (NVML) reports it. For the CPU: processor, threads and
memory, and why no GPU is used.",
        options: &[],
        takes: Takes::Words,
        examples: &["%gpuinfo"],
        line: Some(LineHandler::Line(session_state::gpuinfo)),
        cell: None,
    },
    Magic {
        name: "gpusync",
        summary: "Wait for the device and say how long that took",
        usage: "%gpusync [on|off]\n%%gpusync",
        details: "\
Work on a GPU is queued: a call returns before its result is ready. %gpusync waits until the
device has done all queued work and prints how long that took.

%%gpusync runs the cell, waits for the device, and reports the host's and the device's time
separately.",
        options: &[
            flag("on", "%timeit, %time and their %% forms wait for the device (default)"),
            flag("off", "they time only the host"),
        ],
        takes: Takes::Words,
        examples: &["%gpusync", "%gpusync off", "%%gpusync\nlet y = x + 1;\ny"],
        line: Some(LineHandler::Line(timing::gpusync)),
        cell: Some(CellHandler::Timed(timing::gpusync_cell)),
    },
    Magic {
        name: "history",
        summary: "Show the cells that have run in this session",
        usage: "%history [-n] [-l COUNT] [-g TEXT] [-f FILE] [-u] [-r] [RANGE …]",
        details: "\
Shows the texts of the cells before this one, oldest first. A range is a number of a cell, or the
first and the last one, such as 2-5 or 4-. Options may also stand behind the ranges, and a value
with blanks in quotes. {name} and $NAME in FILE are values, as in %cd. Outputs and the cells of
earlier sessions are not kept.",
        options: inputs::OPTIONS,
        takes: Takes::Words,
        examples: &["%history", "%history -n 1-2", "%history -l 3 -f cells.rs", "%history -g \"let mut\""],
        line: Some(LineHandler::Action(inputs::history)),
        cell: None,
    },
    Magic {
        name: "html",
        summary: "Show the cell as HTML",
        usage: "%%html",
        details: "\
The front end draws the text. Scripts run only where it allows them.",
        options: &[],
        takes: Takes::Words,
        examples: &["%%html\n<b>bold</b> and <i>italic</i>"],
        line: None,
        cell: Some(CellHandler::Text(display::html)),
    },
    Magic {
        name: "javascript",
        summary: "Run the cell as JavaScript in the front end",
        usage: "%%javascript",
        details: "\
The front end runs the text, if it allows scripts. JupyterLab and VS Code do; pages do not.",
        options: &[],
        takes: Takes::Words,
        examples: &["%%javascript\nelement.textContent = 6 * 7;"],
        line: None,
        cell: Some(CellHandler::Text(display::javascript)),
    },
    Magic {
        name: "latex",
        summary: "Show the cell as LaTeX",
        usage: "%%latex",
        details: "\
The front end sets the formulas, which stand between dollar signs.",
        options: &[],
        takes: Takes::Words,
        examples: &["%%latex\n$$E = mc^2$$"],
        line: None,
        cell: Some(CellHandler::Text(display::latex)),
    },
    Magic {
        name: "load",
        summary: "Make the text of a file the next input",
        usage: "%load [-r LINES] [-s NAMES] FILE",
        details: "\
Replaces the text of the cell with the text of the file, or a part of it, so that you can edit
and run it. Other lines of the cell run as usual, in their order. A relative path starts at the
current directory (see %cd); ~ is the home directory. {name} and $NAME in the path are values, as in
%cd.",
        options: &[
            option("-r", "LINES", "only these lines, such as 5, 5-10, 5- or 1-3,7"),
            option("-s", "NAMES", "only these items (functions, types, …), separated by commas"),
        ],
        takes: Takes::File,
        examples: &["%load src/lib.rs", "%load -r 1-10,20- src/lib.rs", "%load -s main,Options src/main.rs"],
        line: Some(LineHandler::Action(files::load)),
        cell: None,
    },
    Magic {
        name: "lsmagic",
        summary: "List the magics",
        usage: "%lsmagic",
        details: "Lists every magic of this kernel with one line about it. %name? shows the details of one.",
        options: &[],
        takes: Takes::Words,
        examples: &["%lsmagic"],
        line: Some(LineHandler::Action(kernel::lsmagic)),
        cell: None,
    },
    Magic {
        name: "markdown",
        summary: "Show the cell as Markdown",
        usage: "%%markdown",
        details: "\
The front end draws the text as it draws cells of text.",
        options: &[],
        takes: Takes::Words,
        examples: &["%%markdown\n# A title\nSome *text* with $x^2$."],
        line: None,
        cell: Some(CellHandler::Text(display::markdown)),
    },
    Magic {
        name: "prun",
        summary: "Show which functions take the time: a table and a flame graph",
        usage: "\
%prun [-q] [-l LIMIT] [-s KEY] [-T FILE] [-o FILE] statement
%%prun [-q] [-l LIMIT] [-s KEY] [-T FILE] [-o FILE]",
        details: "\
Runs the statement once (as %%prun, the cell) and looks several hundred times a second which
functions the processors are in. Variables that it defines stay defined, and the value of a last
expression is shown as usual. The cell is compiled as for %time, with checks for interrupts.

The table has for each function its share of the time, the milliseconds in the function itself
(own) and with all that it has called (total), and the line of the cell where most of it was
spent. Times are those of processors: work of several threads adds up, and waiting does not count.
In the flame graph a box is as wide as the time of its function, and stands on the function that
has called it: orange for the notebook, blue for crates, grey for the system. What the compiler
has built into a function of the notebook counts as that function, if it is of the standard
library.

It shows the time of the host. Of work on a GPU it shows only that the host launches and waits:
gpu::timing::profile lists what the device does, and %%trace shows kernels step by step. A kernel
that runs on the CPU counts for the call that launches it. If it says that there are too few samples,
repeat the statement in a loop, or measure it with %timeit.",
        options: &[
            flag("-q", "print no table"),
            option("-l", "LIMIT", "rows of the table: a number (default: 15), a part such as 0.5, or a text in names"),
            option("-s", "KEY", "order of the rows: tottime (own time, default), cumulative (total time) or name"),
            option("-T", "FILE", "write the table to this file, too"),
            option("-o", "FILE", "write the flame graph to this file, too (SVG)"),
            flag("--", "end of the options, for a statement that starts with a minus"),
        ],
        takes: Takes::Code,
        examples: &[
            "%prun (0..3_000_000u64).map(|i| (i as f64).sqrt()).sum::<f64>()",
            "%prun -l 5 -s cumulative let v: Vec<f64> = (0..1_000_000).map(|i| f64::from(i).sin()).collect();",
            "%%prun -o flames.svg\nlet mut v: Vec<u64> = (0..1_000_000).rev().collect();\nv.sort();",
        ],
        line: Some(LineHandler::Profiled(profiling::prun)),
        cell: Some(CellHandler::Profiled(profiling::prun_cell)),
    },
    Magic {
        name: "run",
        summary: "Run a file of Rust, or the code cells of a notebook, as cells",
        usage: "%run FILE",
        details: "\
The file is what a cell may be: statements, items and magics, no `main`. What it defines is the
notebook's. A relative path starts in the current directory of the cells, ~ is the home directory.
Lines above it run before the file, and lines below it after it. Of a notebook the code cells run one
after another. An error names the file and the line in it. {name} and $NAME in the name of the file
are values, as in %cd.",
        options: &[],
        takes: Takes::File,
        examples: &["%run helpers.rs", "%run ~/notebooks/first.ipynb", "%run {folder}/helpers.rs"],
        line: Some(LineHandler::Action(files::run)),
        cell: None,
    },
    Magic {
        name: "rustfmt",
        summary: "Format the cell, and do not run it",
        usage: "%%rustfmt",
        details: "\
The cell is replaced by its text in the form that rustfmt gives it, without this line. Lines with
magics, for the shell and for evcxr stay as they are. A rustfmt.toml of the current directory counts.
`%rustfmt` means the same. It needs rustfmt: `rustup component add rustfmt`.",
        options: &[],
        takes: Takes::Words,
        examples: &["%%rustfmt\nlet v=vec![1,2,3];\nfor x in &v{println!(\"{x}\");}"],
        line: None,
        cell: Some(CellHandler::Whole(whole_cell::rustfmt)),
    },
    Magic {
        name: "svg",
        summary: "Show the cell as a picture in SVG",
        usage: "%%svg",
        details: "\
The front end draws the text, which is a whole `<svg>` element.",
        options: &[],
        takes: Takes::Words,
        examples: &[
            "%%svg\n<svg width=\"80\" height=\"40\" xmlns=\"http://www.w3.org/2000/svg\"><circle cx=\"20\" cy=\"20\" r=\"18\" fill=\"teal\"/></svg>",
        ],
        line: None,
        cell: Some(CellHandler::Text(display::svg)),
    },
    Magic {
        name: "time",
        summary: "Time one run of a statement, or of the cell",
        usage: "%time statement\n%%time",
        details: "\
Runs the statement once (as %%time, the cell) and prints the CPU times of the process and the
wall time. Variables that it defines stay defined, and the value of a last expression is shown
as usual. The cell is compiled with full optimisation and without overflow checks; compile time
is not counted.

If the device is still busy when the statement returns, its time is printed too (see %gpusync).",
        options: &[],
        takes: Takes::Code,
        examples: &["%time let total: u64 = (0..1000).sum();", "%%time\nlet n = 10;\nn * 2"],
        line: Some(LineHandler::Rust(timing::time)),
        cell: Some(CellHandler::Timed(timing::time_cell)),
    },
    Magic {
        name: "timeit",
        summary: "Time many runs of a statement, or of the cell, with mean and deviation",
        usage: "\
%timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] statement
%%timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] [setup]",
        details: "\
Runs the statement in loops and prints the mean and the standard deviation per loop. %%timeit
times the cell; the rest of the first line is set-up code, which runs once and is not timed.

The cell is compiled with full optimisation and without overflow checks; compile time is not
counted. The compiler cannot optimise the value of the statement away. Each loop ends with one
wait for the device; if the host was done before the device, both times are shown (see
%gpusync).

A TimeitResult has the fields average, stdev, best, worst, all_runs, loops, repeat,
compile_time and, where a device took part, device; times are in seconds. Display writes the
line that is printed.",
        options: &[
            option("-n", "N", "calls per loop (default: 1, 2, 5, 10, … until one loop takes at least 0.2 s)"),
            option("-r", "R", "number of loops (default: 7)"),
            flag("-t", "measure wall time (default)"),
            flag("-c", "measure the CPU time of the process"),
            option("-p", "P", "significant digits of the printed times (default: 3)"),
            flag("-q", "print nothing"),
            flag("-o", "give the result, a TimeitResult, as the value of the cell"),
            option("-v", "VAR", "store that result in the variable VAR"),
            flag("--", "end of the options, for a statement that starts with a minus"),
        ],
        takes: Takes::Code,
        examples: &[
            "%timeit (0..1000u64).sum::<u64>()",
            "%timeit -n 10 -r 3 vec![0u8; 1 << 20]",
            "%timeit -q -v result (0..10).max()",
            "%%timeit let v = vec![1.0; 1000];\nv.iter().sum::<f64>()",
        ],
        line: Some(LineHandler::Rust(timing::timeit)),
        cell: Some(CellHandler::Timed(timing::timeit_cell)),
    },
    Magic {
        name: "trace",
        summary: "Show the launches of the cell as films",
        usage: "%%trace",
        details: "\
Runs the cell. Each gpu::launch, gpu::launch_for, gpu::launch_with or gpu::launch_checked in it is
recorded as by gpu::launch_traced: below the cell a film of it plays forwards and backwards,
statement by statement, with the values of variables, what is read and written, and what is slow.
The arrays get the same results. The launches run on the CPU; arrays on a GPU are copied there and
back, so choose small ones.

The first four launches are recorded, and others run as usual. A race, an index out of bounds or a
barrier that not all threads reach makes the cell fail; its film opens there. For one element of
gpu::map there is gpu::trace_map.",
        options: &[],
        takes: Takes::Code,
        examples: &["%%trace\ngpu::launch(add, 1, 32, (&a, &b, &mut out));"],
        line: None,
        cell: Some(CellHandler::Rust(tracing::trace_cell)),
    },
    Magic {
        name: "who",
        summary: "List the names of the variables",
        usage: "%who [TYPE …]",
        details: "\
Lists the variables of earlier cells, and of the lines above it. With arguments, only variables whose
type contains one of these words.",
        options: &[],
        takes: Takes::Words,
        examples: &["%who", "%who f64 DeviceArray"],
        line: Some(LineHandler::Action(session_state::who)),
        cell: None,
    },
    Magic {
        name: "whos",
        summary: "List the variables with their types and contents",
        usage: "%whos [TYPE …]",
        details: "\
Lists the variables of earlier cells, and of the lines above it: for arrays the shape, element type,
device and size in bytes, for other values the beginning of their Debug text. With arguments, only
variables whose type contains one of these words.",
        options: &[],
        takes: Takes::Words,
        examples: &["%whos", "%whos DeviceArray"],
        line: Some(LineHandler::Variables(session_state::whos)),
        cell: None,
    },
    Magic {
        name: "writefile",
        summary: "Write the cell to a file",
        usage: "%%writefile [-a] FILE",
        details: "\
Writes the text below the line to the file, unchanged and without running it. A relative path
starts at the current directory (see %cd); ~ is the home directory. {name} and $NAME in the path are
values, as in %cd.",
        options: &[flag("-a", "append to the file")],
        takes: Takes::File,
        examples: &["%%writefile hello.txt\nHello!", "%%writefile -a hello.txt\nHello again!"],
        line: None,
        cell: Some(CellHandler::Text(files::writefile)),
    },
];

/// The magic of that name.
pub(super) fn find(name: &str) -> Option<&'static Magic> {
    MAGICS.iter().find(|magic| magic.name == name)
}

/// Every form of every magic: first the line magics.
pub(super) fn forms() -> impl Iterator<Item = (&'static str, &'static Magic)> {
    let line = MAGICS.iter().filter(|magic| magic.line.is_some()).map(|magic| ("%", magic));
    let cell = MAGICS.iter().filter(|magic| magic.cell.is_some()).map(|magic| ("%%", magic));
    line.chain(cell)
}
