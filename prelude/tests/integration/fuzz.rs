//! Random calls whose results NumPy or SciPy has computed: tests/fuzz writes the file of cases that `WARPCELL_FUZZ_CASES` names.
//!
//! `tests/run unit` and `tests/run fuzz` make such files. The cases run on the device that `WARPCELL_DEVICE` names.

mod arguments;
mod case;
mod compare;
mod families;
mod scipy;
mod table;

use case::Case;
use compare::{Host, difference};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::panic::{AssertUnwindSafe, catch_unwind};
use warpcell as gpu;

/// More failures than these are counted, not shown.
const SHOWN: usize = 20;

thread_local! {
    /// Whether a case is evaluated, whose panics are not printed.
    static EVALUATING: Cell<bool> = const { Cell::new(false) };
    /// Where the last panic was.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What a case ended with.
enum Verdict {
    Agrees,
    /// The table says why the case differs, and it does.
    Excused(String),
    Fails(String),
}

#[test]
#[ignore = "needs a file of cases, which `tests/run unit` makes"]
fn random_calls_agree() {
    let path = std::env::var("WARPCELL_FUZZ_CASES").expect("WARPCELL_FUZZ_CASES names a file of cases");
    let file = std::fs::File::open(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut lines = BufReader::new(file).lines();
    let mut next = || lines.next().map(|line| serde_json::from_str::<Value>(&line.expect("text")).expect("JSON"));
    let head = next().expect("the seed stands in the first line");
    let (seed, count) = (&head["seed"], head["count"].as_u64().expect("the number of cases"));

    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if EVALUATING.get() {
            PLACE.set(info.location().map(ToString::to_string).unwrap_or_default());
        } else {
            usual(info);
        }
    }));
    let (mut cases, mut failures) = (0, Vec::new());
    let (mut functions, mut excused) = (BTreeMap::<String, usize>::new(), BTreeMap::<String, usize>::new());
    while let Some(value) = next() {
        cases += 1;
        let name = value["function"].as_str().expect("a function").to_owned();
        match judge(&value) {
            Verdict::Agrees => {}
            Verdict::Excused(reason) => *excused.entry(format!("{name}: {reason}")).or_default() += 1,
            Verdict::Fails(text) => {
                failures.push((name.clone(), format!("seed {seed}, case {}: {text}", value["case"])))
            }
        }
        *functions.entry(name).or_default() += 1;
    }
    drop(std::panic::take_hook());
    println!("fuzz: seed {seed}, {cases} cases of {} functions, {} fail", functions.len(), failures.len());
    for (reason, count) in &excused {
        println!("fuzz: {count} differ: {reason}");
    }
    // One of each function first: a function that is wrong fails many times.
    let mut seen = BTreeMap::<&str, usize>::new();
    let mut order: Vec<(usize, &String)> = Vec::new();
    for (name, text) in &failures {
        let times = seen.entry(name).or_default();
        order.push((*times, text));
        *times += 1;
    }
    order.sort_by_key(|&(times, _)| times);
    for (_, text) in order.iter().take(SHOWN) {
        println!("{text}\n");
    }
    assert_eq!(cases, count, "{path} is cut off");
    assert!(failures.is_empty(), "{} of {cases} cases fail with the seed {seed}: {seen:?}", failures.len());
}

/// Evaluates a case and compares. What SciPy's modules compute by loops on the CPU is computed by kernels, too.
fn judge(value: &Value) -> Verdict {
    let verdict = judged(value, &table::evaluate);
    let is_scipys = value["function"].as_str().is_some_and(|name| name.contains('.'));
    if !is_scipys || matches!(verdict, Verdict::Fails(_)) {
        return verdict;
    }
    match judged(value, &|case| gpu::by_kernels(|| table::evaluate(case))) {
        Verdict::Fails(text) => Verdict::Fails(format!("by kernels: {text}")),
        _ => verdict,
    }
}

fn judged(value: &Value, evaluate: &dyn Fn(&Case) -> Vec<Host>) -> Verdict {
    let case = Case::read(value);
    let text = |key: &str| value[key].as_str();
    let peer = if case.function.contains('.') { "SciPy" } else { "NumPy" };
    EVALUATING.set(true);
    let result = catch_unwind(AssertUnwindSafe(|| evaluate(&case)));
    EVALUATING.set(false);
    let ours: Result<Vec<Host>, String> = result.map_err(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        message.or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned())).unwrap_or_default()
    });
    let expected: Option<Vec<Host>> =
        value["expected"].as_array().map(|arrays| arrays.iter().map(case::host_of).collect());
    let is_error = ours.as_ref().err().is_some_and(|message| is_error(message));
    // What is wrong, and the key of the reason why it may be.
    let wrong = match (&ours, &expected) {
        (Ok(ours), Some(expected)) => difference(ours, expected, value).map(|text| (text, "differs")),
        (Err(message), _) if !is_error => {
            Some((format!("panics inside, at {}: {message}", PLACE.with_borrow(Clone::clone)), ""))
        }
        (Err(_), None) => None,
        (Ok(_), None) => Some((format!("{peer} refuses, we do not"), "accepted")),
        (Err(_), Some(_)) => Some((format!("we refuse, {peer} does not"), "refused")),
    };
    let changed = case.changed(ours.is_ok().then(|| value["changes"].as_u64()).flatten());
    let changed = changed.map(|at| (format!("a{at} has other contents after the call"), ""));
    match changed.or(wrong) {
        None => Verdict::Agrees,
        Some((_, key)) if value[key].is_string() => Verdict::Excused(text(key).unwrap_or_default().to_owned()),
        Some((wrong, _)) => {
            let ours = match &ours {
                Ok(arrays) => arrays.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
                Err(message) => message.clone(),
            };
            let theirs = match expected {
                Some(arrays) => arrays.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
                None => text("error").unwrap_or_default().to_owned(),
            };
            let their_text = text("text").unwrap_or_default();
            Verdict::Fails(format!("{wrong}\n  {their_text}\n  {peer}: {theirs}\n  ours:  {ours}"))
        }
    }
}

/// Whether this is the text of an error of the library, which panics at the line of the caller: in the table.
fn is_error(message: &str) -> bool {
    PLACE.with_borrow(|place| place.contains("integration/fuzz/")) && !message.starts_with("fuzz:")
}
