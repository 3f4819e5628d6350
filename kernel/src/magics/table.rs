//! The one list of magics. Dispatch, `%lsmagic`, `%name?` and completion read it, and tests walk it.

use super::expand::{Action, CellCall, LineCall};
use super::rewrite::Edit;
use super::timing;

/// A magic: how it is written, what it does, and who expands it.
pub(super) struct Magic {
    /// The word after `%` or `%%`.
    pub name: &'static str,
    /// One line, without a full stop.
    pub summary: &'static str,
    /// Each form on a line.
    pub usage: &'static str,
    /// What a user wants to know beyond the summary.
    pub details: &'static str,
    /// Whole cells that work.
    pub examples: &'static [&'static str],
    /// Expands `%name`, if there is such a form.
    pub line: Option<LineHandler>,
    /// Expands `%%name`, if there is such a form.
    pub cell: Option<CellHandler>,
}

/// Who expands a line magic.
#[derive(Clone, Copy)]
pub(super) enum LineHandler {
    /// The arguments contain a Rust statement, which may go on to further lines while a bracket is open.
    Rust(fn(&LineCall<'_>) -> Result<Wrap, String>),
    /// The arguments are words on the line; the result is Rust code.
    Words(fn(&str) -> Result<String, String>),
    /// The kernel itself does it, before the cell runs.
    Kernel(fn(&str) -> Result<Action, String>),
}

/// Code around and within the arguments of a line magic.
pub(super) struct Wrap {
    /// Code in place of the magic's word.
    pub before: String,
    /// Edits of the arguments.
    pub edits: Vec<Edit>,
    /// Code after the arguments.
    pub after: String,
}

/// Expands a cell magic: gives the edits of the cell.
pub(super) type CellHandler = fn(&CellCall<'_>) -> Result<Vec<Edit>, String>;

/// All magics, by name.
pub(super) const MAGICS: &[Magic] = &[
    Magic {
        name: "gpusync",
        summary: "Wait for the device and say how long that took",
        usage: "%gpusync [on|off]\n%%gpusync",
        details: "\
Work on a GPU is queued: a call returns before its result is there. %gpusync waits until the device has done all
queued work and prints how long that took.

  on | off   whether %timeit, %time and their %% forms wait for the device and report its time (default: on)

%%gpusync runs the cell, waits for the device, and reports the host's and the device's time apart.",
        examples: &["%gpusync", "%gpusync off", "%%gpusync\nlet y = x + 1;\ny"],
        line: Some(LineHandler::Words(timing::gpusync)),
        cell: Some(timing::gpusync_cell),
    },
    Magic {
        name: "lsmagic",
        summary: "List the magics",
        usage: "%lsmagic",
        details: "Lists every magic of this kernel with one line on what it does. %name? shows the details of one.",
        examples: &["%lsmagic"],
        line: Some(LineHandler::Kernel(list)),
        cell: None,
    },
    Magic {
        name: "time",
        summary: "Time one run of a statement, or of the cell",
        usage: "%time statement\n%%time",
        details: "\
Runs the statement (or, as %%time, the cell) once and prints the CPU times of the process and the wall time. Variables
that it defines stay defined, and the value of a last expression is shown as usual. The cell is compiled with full
optimisation and without overflow checks; the time to compile is not counted.

If the device is still busy when the statement returns, its time is printed too (see %gpusync).",
        examples: &["%time let total: u64 = (0..1000).sum();", "%%time\nlet n = 10;\nn * 2"],
        line: Some(LineHandler::Rust(timing::time)),
        cell: Some(timing::time_cell),
    },
    Magic {
        name: "timeit",
        summary: "Time many runs of a statement, or of the cell, with mean and deviation",
        usage: "\
%timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] statement
%%timeit [-n N] [-r R] [-t|-c] [-p P] [-q] [-o] [-v VAR] [setup]",
        details: "\
Runs the statement in loops and prints the mean and the standard deviation per loop. As %%timeit it times the cell;
the rest of the first line is set-up, which is run once and not timed.

  -n N     calls per loop (default: 1, 10, 100, … until one loop takes at least 0.2 s)
  -r R     number of loops (default: 7)
  -t       measure wall time (default)
  -c       measure the CPU time of the process
  -p P     significant digits of the printed times (default: 3)
  -q       print nothing
  -o       give the result as the value of the cell: a TimeitResult with average, stdev, best, worst, loops, repeat
  -v VAR   store that result in the variable VAR
  --       end of the options, for a statement that starts with a minus

The cell is compiled with full optimisation and without overflow checks; the time to compile is not counted. The value
of the statement is kept from being optimised away. Each loop ends with one wait for the device; if the host was done
before the device, both times are shown (see %gpusync).",
        examples: &[
            "%timeit (0..1000u64).sum::<u64>()",
            "%timeit -n 10 -r 3 vec![0u8; 1 << 20]",
            "%timeit -q -v result (0..10).max()",
            "%%timeit let v = vec![1.0; 1000];\nv.iter().sum::<f64>()",
        ],
        line: Some(LineHandler::Rust(timing::timeit)),
        cell: Some(timing::timeit_cell),
    },
];

/// A completion of a magic's word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The word with its percent signs, spelled as the prefix was (`//%` too).
    pub text: String,
    /// What the magic does, in one line.
    pub summary: &'static str,
}

/// The magics whose word starts with `prefix`: `%ti`, `%%ti` or `//%ti`; a bare `%` gives both forms.
pub fn complete(prefix: &str) -> Vec<Candidate> {
    let (slashes, word) = match prefix.strip_prefix("//") {
        Some(word) => ("//", word),
        None => ("", prefix),
    };
    forms()
        .map(|(percent, magic)| (format!("{percent}{}", magic.name), magic.summary))
        .filter(|(text, _)| text.starts_with(word))
        .map(|(text, summary)| Candidate { text: format!("{slashes}{text}"), summary })
        .collect()
}

/// What `%name?` shows; `name` may be written with or without percent signs and question mark.
pub fn help(name: &str) -> Option<String> {
    let name = name.trim().trim_start_matches("//").trim_start_matches('%').trim_end_matches('?');
    let magic = find(name)?;
    let mut text = format!("{}.\n\nUsage:\n", magic.summary);
    for line in magic.usage.lines() {
        text += &format!("  {line}\n");
    }
    text += &format!("\n{}\n\nExamples:\n", magic.details);
    for (index, example) in magic.examples.iter().enumerate() {
        if index > 0 && (example.contains('\n') || magic.examples[index - 1].contains('\n')) {
            text.push('\n');
        }
        for line in example.lines() {
            text += &format!("  {line}\n");
        }
    }
    Some(text)
}

/// What `%lsmagic` prints.
pub fn lsmagic() -> String {
    let width = forms().map(|(percent, magic)| percent.len() + magic.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (form, title) in [("%", "Line magics"), ("%%", "Cell magics, on the first line of a cell")] {
        text += &format!("{title}:\n");
        for (_, magic) in forms().filter(|(percent, _)| *percent == form) {
            text += &format!("  {:width$}  {}\n", format!("{form}{}", magic.name), magic.summary);
        }
        text.push('\n');
    }
    text + "%name? shows the details of one.\n"
}

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

fn list(arguments: &str) -> Result<Action, String> {
    match arguments {
        "" => Ok(Action::Print(lsmagic())),
        other => Err(format!("takes no arguments, but got `{other}`")),
    }
}
