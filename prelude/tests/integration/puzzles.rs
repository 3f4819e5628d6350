//! The puzzles: each start fails with an explanation, each solution passes, and the notebooks have the same kernels.

mod solutions;
mod starts;

use serde_json::Value;
use warpcell as gpu;
use warpcell::puzzles::Report;

/// The reports about all kernels of a module, by the puzzles' names.
macro_rules! reports {
    ($module:ident) => {
        reports!($module: map zip guard map_2d broadcast blocks blocks_2d shared pooling dot convolution prefix_sum axis_sum
            matmul histogram)
    };
    ($module:ident: $($name:ident)*) => {
        vec![$((stringify!($name), gpu::puzzles::$name().check($module::$name))),*]
    };
}

/// What is said of each start, in this order.
const EXPLAINED: &[(&str, &[&str])] = &[
    (
        "map",
        &["All 6 elements of `out` are wrong:", "out[0] should be 7, and is 2, written by thread 0 of block 0 in line"],
    ),
    ("zip", &["of 6 elements of `out` are wrong:", "Hint: Numbers have the method `max`"]),
    (
        "guard",
        &[
            "thread (5, 0, 0) of block (0, 0, 0) used the index 5 along axis 0 of `a`",
            "Hint: A thread without an element",
        ],
    ),
    ("map_2d", &["used the index 3 along axis 0 of `image`", "Hint: The row comes first"]),
    ("broadcast", &["used the index 3 along axis 0 of `column`", "Hint: `column` has an element for each row"]),
    ("blocks", &["two threads race for `out[0]`", "Hint: Each block has a thread 0."]),
    ("blocks_2d", &["two threads race for `out[[0, 0]]`", "Hint: The grid has two axes too"]),
    (
        "shared",
        &[
            "The result is right, but thread 0 of block 0 reads arrays 8 times",
            "1 is allowed",
            "Hint: Let each thread read",
        ],
    ),
    ("pooling", &["two threads race for `tile[0]`", "Hint: A thread reads what its neighbours write"]),
    ("dot", &["two threads race for `out[0]`", "Hint: `out[0] += x` reads, adds and writes"]),
    ("convolution", &["read `tile[6]`, where no thread of its block has written yet", "Hint: The last two threads"]),
    ("prefix_sum", &["two threads race for `sums[", "Hint: In one step an element is read by one thread"]),
    (
        "axis_sum",
        &["waits at `sync_threads`, but thread (4, 0, 0) of the same block has ended", "Hint: A barrier is for all"],
    ),
    ("matmul", &["The result is right, but thread 0,0 of block 0 reads arrays 16 times", "4 are allowed"]),
    ("histogram", &["two threads race for `counts[", "Hint: Threads count at the same place"]),
];

#[test]
fn starts_fail_with_an_explanation() {
    let reports: Vec<(&str, Report)> = reports!(starts);
    assert_eq!(reports.len(), EXPLAINED.len());
    let mut missing = Vec::new();
    for ((name, report), (expected, parts)) in reports.iter().zip(EXPLAINED) {
        assert_eq!(name, expected);
        let text = report.to_string();
        assert!(text.starts_with(&format!("{name}: not solved yet. ")), "{text}");
        missing.extend(
            parts.iter().filter(|part| !text.contains(**part)).map(|part| format!("{part:?} is not in:\n{text}")),
        );
        assert!(!report.is_solved() && report.svg().contains("#e53935"), "{name}: nothing is red");
    }
    assert!(missing.is_empty(), "{}", missing.join("\n\n"));
}

#[test]
fn solutions_pass() {
    for (name, report) in reports!(solutions) {
        assert!(report.is_solved(), "{report}");
        assert!(report.to_string().starts_with(&format!("{name}: solved. ")), "{report}");
        assert!(report.svg().starts_with("<svg "), "{name}");
    }
}

/// As many bytes the film of a puzzle takes at most.
const MOST_BYTES: usize = 300_000;

#[test]
fn films_open_where_something_is_wrong() {
    for (name, report) in reports!(starts) {
        let trace = report.trace();
        let json: Value = serde_json::from_str(&trace.json()).expect("a film is JSON");
        let (fault, opens) = (&json["fault"], &json["opens"]);
        assert_ne!(fault.is_null(), opens.is_null(), "{name}: one of both");
        let at = if fault.is_null() { opens } else { fault };
        let steps = json["blocks"][at["block"].as_u64().unwrap() as usize]["steps"].as_array().expect("steps").len();
        if fault.is_null() {
            assert!((1..=steps).contains(&(opens["position"].as_u64().unwrap() as usize)), "{name}: {opens}");
            assert!(opens["element"].is_array() || opens["thread"].is_u64(), "{name}: {opens}");
            assert!(format!("{trace:?}").contains(opens["message"].as_str().unwrap()), "{name}");
        } else {
            assert!((fault["step"].as_u64().unwrap() as usize) < steps, "{name}: {fault}");
        }
        assert!(trace.html().len() < MOST_BYTES, "{name}: {} bytes", trace.html().len());
    }
    // Statements and variables are there, and not only accesses.
    let opens = |json: Value| (json["opens"]["element"].clone(), json["opens"]["message"].clone());
    let map: Value = serde_json::from_str(&gpu::puzzles::map().check(starts::map).trace().json()).unwrap();
    assert_eq!(opens(map.clone()), (serde_json::json!([1, 0]), "`out[0]` should be 7, and is 2.".into()));
    assert!(map["texts"].as_array().unwrap().contains(&"i".into()), "{map}");
    // The thread that reads too often is marked where it does.
    let shared: Value = serde_json::from_str(&gpu::puzzles::shared().check(starts::shared).trace().json()).unwrap();
    let position = shared["opens"]["position"].as_u64().unwrap() as usize;
    let step = &shared["blocks"][0]["steps"][position - 1];
    assert_eq!((&shared["opens"]["thread"], &step[3][0]), (&Value::from(0), &Value::from("R")), "{step}");
}

#[test]
fn films_of_solutions_are_executions() {
    let mut largest = (0, "");
    for (name, report) in reports!(solutions) {
        let trace = report.trace();
        let played = crate::tracing::replayed(trace);
        assert!(!played.locals.is_empty(), "{name}");
        played.has_final_arrays(trace);
        largest = largest.max((trace.html().len(), name));
    }
    assert!(largest.0 < MOST_BYTES, "{largest:?}");
}

/// Writes the drawings of all kernels to the folder that a variable names, to be looked at.
#[test]
fn drawings() {
    let Some(folder) = std::env::var_os("WARPCELL_TEST_DRAWINGS").map(std::path::PathBuf::from) else { return };
    for (kind, reports) in [("start", reports!(starts)), ("solution", reports!(solutions))] {
        for (name, report) in reports {
            std::fs::write(folder.join(format!("{name}-{kind}.svg")), report.svg()).expect("the folder is there");
            std::fs::write(folder.join(format!("{name}-{kind}.html")), report.trace().html())
                .expect("the folder is there");
            std::fs::write(folder.join(format!("{name}-{kind}.txt")), report.to_string()).expect("the folder is there");
        }
    }
}

/// The kernels of a file: their texts.
fn kernels(text: &str) -> Vec<String> {
    let parts = text.split("\n\n").filter(|part| part.starts_with("#[kernel]"));
    parts.map(|part| part.trim_end().replace("\npub fn", "\nfn")).collect()
}

#[test]
fn notebooks_have_these_kernels() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lessons");
    for (notebook, text) in [
        ("puzzles.ipynb", include_str!("puzzles/starts.rs")),
        ("solutions/puzzles.ipynb", include_str!("puzzles/solutions.rs")),
    ] {
        // Where the program runs without the repository around it there is nothing to compare.
        let Ok(content) = std::fs::read_to_string(format!("{folder}/{notebook}")) else { continue };
        let content: Value = serde_json::from_str(&content).expect("a notebook is JSON");
        let cells: Vec<String> = content["cells"]
            .as_array()
            .expect("a notebook has cells")
            .iter()
            .map(|cell| cell["source"].as_array().expect("lines").iter().filter_map(Value::as_str).collect())
            .collect();
        let kernels = kernels(text);
        assert_eq!(kernels.len(), EXPLAINED.len());
        for kernel in kernels {
            assert!(cells.contains(&kernel), "{notebook} has no cell with\n{kernel}");
        }
    }
}
