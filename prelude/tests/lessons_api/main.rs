//! The code cells of the five source lessons as Rust, compiled against the prelude: the acceptance of its interface.
//!
//! Where a cell reads worse than its Python, the interface is wrong.
//!
//! **How cells map.** Each lesson, S0 to S4, is a module; its functions hold its cells in the order in which they run, each
//! behind a comment with its id, as a student would type it.
//!
//! - A value at the end of a cell, which a notebook shows, ends with a semicolon here.
//! - Lines that are no Rust (`%timeit`, `:clear`) are comments; a timed statement follows as it is.
//! - A cell that shall not compile is a comment too, and `refused!` makes sure that it does not.
//! - A literal has the suffix that it needs within its cell. A notebook infers nothing across cells; the compiler would, here.
//! - What is wrong in the sources is put right, and `del` is left out where the scope ends anyway.
//!
//! What has no direct counterpart in Rust:
//!
//! | Python | here |
//! |---|---|
//! | `with timer("name"):` | `timer.time("name", \|\| …)`, whose value is the block's |
//! | `with device:`, `with stream:` | `device.with(\|\| …)`, `stream.with(\|\| …)` |
//! | `for xp in [np, cp]:` | `for device in [Device::Cpu, gpu::device()]`: the processor is a device, too |
//! | a device function called with host arrays | `gpu::map_host`, which says in its name that it copies |
//! | NumPy's functions on device arrays | functions of both sides, such as `gpu::convolve` |
//! | `uniform(…).astype(float32)` | `uniform(-1.0f32, 1.0, …)` |
//! | `try: … except:` | `if let Err(error) = a.try_add(&b)` |
//! | a value that is called | `kernel.call(…)`, `kernel.launch(…)`, `gpu::map(function, …)` |
//! | restarting the kernel from a cell | `:clear` |
//!
//! The prelude lacks nothing of it. The functions are compiled and not run, for most need a GPU and minutes (S0 alone is run).

// Cells show and time values that nothing uses, and repeat what an earlier cell has done.
#![allow(unused_assignments, unused_imports, unused_must_use, unused_variables, clippy::redundant_clone)]
#![deny(dead_code)]

/// Makes sure that a type does not implement a trait: if it did, the compiler could not tell which `some` is meant.
macro_rules! refused {
    ($type:ty: $trait:path) => {
        const _: fn() = || {
            trait Ambiguous<Way> {
                fn some() {}
            }
            struct Implemented;
            impl<T: ?Sized> Ambiguous<()> for T {}
            impl<T: ?Sized + $trait> Ambiguous<Implemented> for T {}
            <$type as Ambiguous<_>>::some();
        };
    };
}

mod s0;
mod s1;
mod s2;
mod s3;
mod s4;

/// What cells call `gpu`.
mod gpu {
    pub use warpcell::*;
}

const SOURCES: [&str; 5] =
    [include_str!("s0.rs"), include_str!("s1.rs"), include_str!("s2.rs"), include_str!("s3.rs"), include_str!("s4.rs")];

/// The ids of the sources' code cells: a contract with the lessons.
#[rustfmt::skip]
const CELLS: [&str; 105] = [
    "S0-01", "S0-02", "S0-03", "S0-04", "S0-05", "S0-06", "S0-07", "S0-08", "S0-09", "S0-10", "S0-11", "S0-12",
    "S1-01", "S1-02", "S1-03", "S1-04", "S1-05", "S1-06", "S1-07", "S1-08", "S1-09", "S1-10", "S1-11", "S1-12",
    "S1-13", "S1-14", "S1-15", "S1-16", "S1-17", "S1-18", "S1-19", "S1-20", "S1-21", "S1-22", "S1-23", "S1-24",
    "S1-25", "S1-26", "S1-27",
    "S2-01", "S2-02", "S2-03", "S2-04", "S2-05", "S2-06", "S2-07", "S2-08", "S2-09", "S2-10", "S2-11", "S2-12",
    "S2-13", "S2-14", "S2-15", "S2-16", "S2-17", "S2-18", "S2-19",
    "S3-01", "S3-02", "S3-03", "S3-04", "S3-05", "S3-06", "S3-07", "S3-08", "S3-09", "S3-10", "S3-11", "S3-12",
    "S3-13", "S3-14", "S3-15", "S3-16", "S3-17", "S3-18", "S3-19", "S3-20", "S3-21", "S3-22", "S3-23",
    "S4-01", "S4-02", "S4-03", "S4-04", "S4-05", "S4-06", "S4-07", "S4-08", "S4-09", "S4-10", "S4-11", "S4-12",
    "S4-13", "S4-14", "S4-15", "S4-16", "S4-17", "S4-18", "S4-19", "S4-20", "S4-21", "S4-22", "S4-23", "S4-24",
];

/// The cells of a module: their ids, and what stands below each.
fn cells(source: &str) -> Vec<(&str, String)> {
    let mut cells: Vec<(&str, String)> = Vec::new();
    for line in source.lines().map(str::trim) {
        let id = line.strip_prefix("// ").filter(|text| text.len() == 5 && text.starts_with('S') && &text[2..3] == "-");
        match (id, cells.last_mut()) {
            (Some(id), _) => cells.push((id, String::new())),
            (None, Some((_, text))) => text.extend([line, "\n"]),
            (None, None) => {}
        }
    }
    cells
}

#[test]
fn every_cell_of_the_sources_is_there_once() {
    let mut found: Vec<&str> = SOURCES.iter().flat_map(|source| cells(source)).map(|(id, _)| id).collect();
    found.sort_unstable();
    assert_eq!(found, CELLS);
}

#[test]
fn every_cell_has_code() {
    for (id, text) in SOURCES.iter().flat_map(|source| cells(source)) {
        let has_code = text.lines().any(|line| !line.is_empty() && !line.starts_with("//") && line != "}");
        // This one is a command to the kernel.
        assert!(has_code || (id == "S3-23" && text.contains("// :clear")), "{id} has no code");
    }
}

#[test]
fn timed_statements_follow_their_magic() {
    let close = |text: &str| text.split_whitespace().collect::<String>();
    let mut timed = 0;
    for (id, text) in SOURCES.iter().flat_map(|source| cells(source)) {
        for (at, magic) in text.match_indices("// %time") {
            let (line, below) = text[at + magic.len()..].split_once('\n').expect("a statement below the magic");
            // `-n 5`: a word with a dash, and its number.
            let words = line.trim_start_matches("it").split_whitespace();
            let statement: String =
                words.skip_while(|word| word.starts_with('-') || word.parse::<u32>().is_ok()).collect();
            assert!(close(below).starts_with(&format!("{statement};")), "{id}: {statement} does not follow");
            timed += 1;
        }
    }
    assert_eq!(timed, 23); // in the 21 cells that have `%timeit` in the sources
}
