//! Counts samples by functions, and writes the table of `%prun`.

use super::flame;
use super::names::{self, Origin};
use crate::files;
use crate::profile::{Frame, Limit, Profile, Sort};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

/// With fewer samples shares say nothing.
const FEWEST: u64 = 20;
/// How many rows the table has if no limit is given.
const ROWS: usize = 15;
/// The most characters of a name in the table, and of a line of the cell.
const NAME: usize = 40;
const LINE: usize = 48;

/// What is shown of a profile.
#[derive(Debug, Default, PartialEq)]
pub struct Shown {
    /// What is printed.
    pub text: String,
    /// What is printed as an error.
    pub warning: String,
    /// The flame graph, as SVG.
    pub picture: Option<String>,
}

/// A function in a stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its name without types. Functions with the same one are one.
    pub plain: String,
    /// Its name as it is shown.
    pub short: String,
    /// Its whole name.
    pub full: String,
    pub origin: Origin,
    /// Where it was, in the compiled source.
    location: Option<String>,
}

impl Step {
    /// A function by its plain name and its whole name, without a place.
    pub fn new(plain: &str, full: &str, origin: Origin) -> Step {
        Step { plain: plain.to_owned(), short: names::short(plain), full: full.to_owned(), origin, location: None }
    }
}

/// Samples with the same stack, from the outermost function on.
pub struct Steps {
    pub steps: Vec<Step>,
    pub samples: u64,
}

/// What is shown of a profile. `place` translates places in the compiled source into lines of the cell, with their texts.
pub fn shown(profile: &Profile, place: &dyn Fn(&str) -> String) -> Shown {
    let mut shown = Shown::default();
    if let Some(problem) = &profile.problem {
        shown.warning = format!("%prun: nothing could be sampled: {problem}\n");
        return shown;
    }
    let options = &profile.options;
    let stacks = simplified(profile);
    let samples: u64 = stacks.iter().map(|stack| stack.samples).sum();
    let mut text = heading(profile, samples);
    if samples > 0 {
        text.push_str(&table(profile, &stacks, place));
        shown.picture = Some(flame::drawn(&stacks, profile.processor_seconds));
    }
    if let Some(note) = note(profile, samples) {
        shown.warning = note;
    }
    let mut write = |path: Option<&std::path::Path>, contents: &str, what: &str| {
        let Some(path) = path else { return };
        match files::write(path, contents) {
            Ok(()) if options.quiet => {}
            Ok(()) => {
                let _ = writeln!(shown.text, "The {what} is in {}", path.display());
            }
            Err(error) => {
                let _ = writeln!(shown.warning, "%prun: {error:#}");
            }
        }
    };
    write(options.text.as_deref(), &text, "table");
    match (&shown.picture, &options.picture) {
        (Some(picture), path) => write(path.as_deref(), picture, "flame graph"),
        (None, Some(path)) => {
            let _ = writeln!(
                shown.warning,
                "%prun: there is no flame graph without samples, so {} was not written",
                path.display()
            );
        }
        (None, None) => {}
    }
    if !options.quiet {
        shown.text.insert_str(0, &text);
    }
    shown
}

/// The first line.
fn heading(profile: &Profile, samples: u64) -> String {
    let number = if samples == 1 { "1 sample".to_owned() } else { format!("{samples} samples") };
    format!("{number}: {} of processor time in {}\n", seconds(profile.processor_seconds), seconds(profile.wall_seconds))
}

/// A time with its unit.
pub fn seconds(time: f64) -> String {
    if time < 1.0 { format!("{:.0} ms", time * 1e3) } else { format!("{time:.2} s") }
}

/// What there is to say about the samples.
fn note(profile: &Profile, samples: u64) -> Option<String> {
    let mut notes = String::new();
    let Profile { processor_seconds, wall_seconds, dropped, .. } = profile;
    if *dropped > 0 {
        let _ = writeln!(notes, "%prun: {dropped} samples at the end had no room: profile a shorter run.");
    }
    if samples >= FEWEST {
        return Some(notes).filter(|notes| !notes.is_empty());
    }
    if *wall_seconds > 0.2 && processor_seconds * 4.0 < *wall_seconds {
        notes.push_str(
            "%prun: the processors have hardly worked. Most of the time was spent in waiting: for the device, a file, a lock or a \
             `sleep`. `gpu::timing::profile` lists what the device does.\n",
        );
    } else {
        notes.push_str(
            "%prun: too few samples for shares: this ran too short. Run it longer, such as in a loop \
             `for _ in 0..1000 { … }`; `%timeit` measures short statements.\n",
        );
    }
    Some(notes)
}

/// The stacks as users know them, below the cell or a thread.
fn simplified(profile: &Profile) -> Vec<Steps> {
    let plain: Vec<String> = profile.frames.iter().map(|frame| names::plain(&frame.name)).collect();
    let mut all = Vec::new();
    for stack in &profile.stacks {
        let frames: Vec<(&Frame, &str)> = stack
            .frames
            .iter()
            .filter_map(|&number| Some((profile.frames.get(number)?, plain.get(number)?.as_str())))
            .collect();
        if frames.iter().any(|(_, plain)| names::is_of_profile(plain)) {
            continue;
        }
        let entry = frames.iter().position(|(_, plain)| names::is_entry(plain));
        let frames = &frames[entry.map_or(0, |entry| entry + 1)..];
        // What calls the closure around the statements is not the user's.
        let own = frames.iter().position(|(_, plain)| names::origin(plain) == Origin::Notebook);
        let own = own.filter(|&own| entry.is_some() && names::is_closure_of_cell(frames[own].1));
        let frames = &frames[own.unwrap_or(0)..];
        let mut steps = vec![root(stack.thread.as_deref())];
        for (index, (frame, plain)) in frames.iter().enumerate() {
            let is_small = frame.inlined && names::is_standard(plain);
            // A caller without a name says nothing.
            let is_unknown = names::is_unknown(plain) && index + 1 < frames.len();
            let is_first = steps.len() == 1;
            if is_small || is_unknown || names::is_plumbing(plain) {
                continue;
            }
            let Some(last) = steps.last_mut() else { continue };
            // The closures around the statements are not the user's; and a function that calls itself is one.
            if (is_first && stack.thread.is_none() && names::is_closure_of_cell(plain)) || last.plain == *plain {
                last.location = frame.location.clone().or_else(|| last.location.take());
                continue;
            }
            let step = Step::new(plain, &frame.name, names::origin(plain));
            steps.push(Step { location: frame.location.clone(), ..step });
        }
        all.push(Steps { steps, samples: stack.samples });
    }
    all
}

/// What a stack stands on.
fn root(thread: Option<&str>) -> Step {
    match thread {
        None => Step::new("cell", "cell", Origin::Notebook),
        Some(thread) => {
            let name = format!("threads {thread}");
            Step::new(name.trim_end(), name.trim_end(), Origin::System)
        }
    }
}

/// A row of the table.
struct Row<'a> {
    step: &'a Step,
    /// Samples of the function itself, and with what it has called.
    own: u64,
    total: u64,
    /// The samples of its own by places in the compiled source.
    places: HashMap<&'a str, u64>,
}

fn rows(stacks: &[Steps]) -> Vec<Row<'_>> {
    let mut rows: BTreeMap<&str, Row<'_>> = BTreeMap::new();
    for Steps { steps, samples } in stacks {
        let mut counted = BTreeSet::new();
        for step in steps {
            let new = || Row { step, own: 0, total: 0, places: HashMap::new() };
            let row = rows.entry(&step.plain).or_insert_with(new);
            if counted.insert(&step.plain) {
                row.total += samples;
            }
        }
        let Some(row) = steps.last().and_then(|last| rows.get_mut(last.plain.as_str())) else { continue };
        row.own += samples;
        // A function of a library has the line of the notebook that has called it.
        if let Some(location) = steps.iter().rev().find_map(|step| step.location.as_deref()) {
            *row.places.entry(location).or_default() += samples;
        }
    }
    rows.into_values().collect()
}

/// The table, with its head.
fn table(profile: &Profile, stacks: &[Steps], place: &dyn Fn(&str) -> String) -> String {
    let samples: u64 = stacks.iter().map(|stack| stack.samples).sum();
    let mut rows = rows(stacks);
    match profile.options.sort {
        Sort::Own => rows.sort_by_key(|row| (Reverse(row.own), Reverse(row.total))),
        // Of two that take the same time, who calls comes before what is called.
        Sort::Total => rows.sort_by_key(|row| (Reverse(row.total), row.own)),
        Sort::Name => rows.sort_by(|a, b| a.step.short.cmp(&b.step.short)),
    }
    let all = rows.len();
    let limits = &profile.options.limits;
    if limits.is_empty() {
        rows.truncate(ROWS);
    }
    for limit in limits {
        match limit {
            Limit::Rows(number) => rows.truncate(*number),
            Limit::Share(share) => rows.truncate((rows.len() as f64 * share).ceil() as usize),
            Limit::Name(name) => rows.retain(|row| row.step.short.contains(name) || row.step.full.contains(name)),
        }
    }
    let milliseconds = |number: u64| number as f64 / samples as f64 * profile.processor_seconds * 1e3;
    let lines: Vec<(String, String)> =
        rows.iter().map(|row| (shortened(&row.step.short, NAME), line_of(row, place))).collect();
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max("function".len());
    let mut text = format!("\n{:>6}  {:>9}  {:>9}  {:width$}  line\n", "own", "own ms", "total ms", "function");
    for (row, (name, line)) in rows.iter().zip(&lines) {
        let share = row.own as f64 / samples as f64 * 100.0;
        let numbers = format!("{share:>5.1}%  {:>9.1}  {:>9.1}", milliseconds(row.own), milliseconds(row.total));
        let _ = writeln!(text, "{}", format!("{numbers}  {name:width$}  {line}").trim_end());
    }
    if rows.len() < all {
        let _ = writeln!(text, "{} of {all} functions; `-l {all}` shows them all", rows.len());
    }
    text
}

/// The line of a cell in which a function was most of the time.
fn line_of(row: &Row<'_>, place: &dyn Fn(&str) -> String) -> String {
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for (location, samples) in &row.places {
        *lines.entry(without_column(&place(location))).or_default() += samples;
    }
    let most = lines.into_iter().max_by_key(|(_, samples)| *samples);
    most.map(|(line, _)| shortened(&line, LINE)).unwrap_or_default()
}

/// `line 3, column 5: x + 1` is `3: x + 1`.
fn without_column(place: &str) -> String {
    if let Some((number, text)) = place.strip_prefix("line ").and_then(|rest| rest.split_once(", column "))
        && let Some((_, text)) = text.split_once(": ")
    {
        return format!("{number}: {text}");
    }
    place.strip_prefix("code of an ").unwrap_or(place).to_owned()
}

/// The beginning of a text that is too long.
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let start: String = text.chars().take(most - 1).collect();
    format!("{}…", start.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{ProfileOptions, Stack};
    use expect_test::expect;

    fn frame(name: &str, line: usize, inlined: bool) -> Frame {
        let location = (line > 0).then(|| format!("/cell/lib.rs:{line}:5"));
        Frame { name: name.to_owned(), location, inlined }
    }

    fn profile(options: ProfileOptions) -> Profile {
        let frames = vec![
            frame("warpcell::main", 0, false),
            frame("run_user_code_", 9, false),
            frame("[libwarpcell.so]", 0, true),
            frame("ctx::run_user_code_::{closure#0}", 12, true),
            frame("ctx::slow::<f64>", 3, false),
            frame("ctx::quick", 7, false),
            frame("core::iter::range::next", 0, true),
            frame("exp", 0, false),
            frame("warpcell::session::prun_end", 0, false),
            frame("rayon_core::join::join_context::<A>", 0, false),
        ];
        let stack = |thread: Option<&str>, frames: &[usize], samples| Stack {
            thread: thread.map(str::to_owned),
            frames: frames.to_vec(),
            samples,
        };
        let stacks = vec![
            stack(None, &[0, 1, 2, 3, 4, 6], 40),
            stack(None, &[0, 1, 2, 3, 4, 4, 7], 20),
            stack(None, &[0, 1, 2, 3, 5], 20),
            stack(None, &[0, 1, 2, 3, 8], 7),
            stack(None, &[0, 1, 2, 3], 10),
            stack(Some("rayon"), &[9, 5], 10),
        ];
        Profile { options, processor_seconds: 2.0, wall_seconds: 1.5, frames, stacks, ..Profile::default() }
    }

    fn place(location: &str) -> String {
        let line: usize = location.split(':').nth(1).unwrap().parse().unwrap();
        if line == 7 {
            "code of an earlier cell: x + 1".to_owned()
        } else {
            format!("line {line}, column 5: text {line}")
        }
    }

    #[test]
    fn the_table_has_functions_by_their_own_time() {
        let shown = shown(&profile(ProfileOptions::default()), &place);
        expect![[r"
            100 samples: 2.00 s of processor time in 1.50 s

               own     own ms   total ms  function       line
             40.0%      800.0     1200.0  slow           3: text 3
             30.0%      600.0      600.0  quick          earlier cell: x + 1
             20.0%      400.0      400.0  exp            3: text 3
             10.0%      200.0     1800.0  cell           12: text 12
              0.0%        0.0      200.0  threads rayon
        "]]
        .assert_eq(&shown.text);
        assert_eq!(shown.warning, "");
        assert!(shown.picture.is_some());
    }

    #[test]
    fn options_choose_the_rows_and_their_order() {
        let names = |limits: Vec<Limit>, sort| {
            let options = ProfileOptions { limits, sort, ..ProfileOptions::default() };
            let text = shown(&profile(options), &place).text;
            let row = |line: &str| {
                line.contains('%')
                    .then(|| line.split("  ").filter(|part| !part.is_empty()).nth(3).unwrap().trim().to_owned())
            };
            text.lines().filter_map(row).collect::<Vec<_>>()
        };
        assert_eq!(names(vec![Limit::Rows(2)], Sort::Total), ["cell", "slow"]);
        assert_eq!(names(vec![Limit::Name("low".into())], Sort::Own), ["slow"]);
        assert_eq!(names(vec![Limit::Share(0.5)], Sort::Name), ["cell", "exp", "quick"]);
        assert_eq!(names(vec![], Sort::Own).len(), 5);
    }

    #[test]
    fn files_are_written_and_quiet_prints_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let options = ProfileOptions {
            quiet: true,
            text: Some(folder.path().join("table.txt")),
            picture: Some(folder.path().join("graph.svg")),
            ..ProfileOptions::default()
        };
        let quiet = shown(&profile(options.clone()), &place);
        assert_eq!((quiet.text.as_str(), quiet.warning.as_str()), ("", ""));
        assert!(std::fs::read_to_string(folder.path().join("table.txt")).unwrap().contains("slow"));
        assert_eq!(std::fs::read_to_string(folder.path().join("graph.svg")).ok(), quiet.picture);
        let failing = ProfileOptions { text: Some(folder.path().join("none/table.txt")), quiet: false, ..options };
        let failed = shown(&profile(failing), &place);
        assert!(
            failed.warning.contains("none/table.txt") && failed.text.contains("The flame graph is in "),
            "{failed:?}"
        );
    }

    #[test]
    fn few_samples_are_explained() {
        let few = |processor_seconds, wall_seconds, stacks| {
            let profile = Profile { processor_seconds, wall_seconds, stacks, ..profile(ProfileOptions::default()) };
            shown(&profile, &place)
        };
        let one = Stack { thread: None, frames: vec![1, 4], samples: 1 };
        let short = few(0.004, 0.004, vec![one]);
        assert!(short.warning.contains("too short") && short.text.starts_with("1 sample: 4 ms"), "{short:?}");
        let waits = few(0.004, 3.0, Vec::new());
        assert!(waits.warning.contains("waiting") && waits.picture.is_none(), "{waits:?}");
        let problem = Profile { problem: Some("no memory".to_owned()), ..Profile::default() };
        assert_eq!(shown(&problem, &place).warning, "%prun: nothing could be sampled: no memory\n");
    }
}
