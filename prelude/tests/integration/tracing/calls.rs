//! Functions with `#[device]` that a kernel calls: their statements, their variables, and in which order lanes execute them.

#![allow(clippy::let_and_return, reason = "each statement is a step")]

use super::replayed;
use serde_json::Value;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{Trace, TraceFinding};

#[device]
fn collatz(start: u32) -> u32 {
    let mut n = start;
    let mut x = 0;
    while n > 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
        x += 1;
    }
    x
}

#[device]
fn square(x: u32) -> u32 {
    x * x
}

#[device]
fn of_squares(x: u32, y: u32) -> u32 {
    let sum = square(x) + square(y);
    sum
}

#[kernel]
fn lengths(mut out: ViewMut<u32>) {
    let x = thread_idx().x;
    out[x] = collatz(x as u32 + 1);
    out[x] += 100;
}

#[kernel]
fn sums(a: View<u32>, mut out: ViewMut<u32>) {
    let x = thread_idx().x;
    if x < 3 {
        out[x] = of_squares(a[x], 1) + square(2);
    }
}

#[vectorize]
fn shifted(x: u32) -> u32 {
    let y = of_squares(x, 2);
    y + 1
}

/// What a film tells of its first block: the function, the line there, the lanes, and the variables that are set and end.
fn told(trace: &Trace) -> Vec<String> {
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    let text = |id: &Value| id.as_u64().map_or("", |id| json["texts"][id as usize].as_str().unwrap()).to_owned();
    let place = |line: u64| match (line / 1_000_000).checked_sub(1) {
        None => format!("{}", line - json["source"]["first"].as_u64().unwrap()),
        Some(number) => {
            let function = &json["functions"][number as usize];
            let name = function["name"].as_str().unwrap();
            format!("{name} {}", line % 1_000_000 - function["first"].as_u64().unwrap())
        }
    };
    let mut told = Vec::new();
    for step in json["blocks"][0]["steps"].as_array().unwrap() {
        let mut line = format!("{} {:b}", place(step[1].as_u64().unwrap()), step[2].as_u64().unwrap());
        for effect in &step.as_array().unwrap()[3..] {
            match effect[0].as_str().unwrap() {
                "L" => {
                    let values: Vec<String> = effect[2].as_array().unwrap().iter().map(&text).collect();
                    line += &format!(", {}={}", text(&effect[1]), values.join(" "));
                }
                "D" => line += &format!(", no {}", text(&effect[1])),
                kind @ ("R" | "W") => line += &format!(", {kind}"),
                _ => {}
            }
        }
        told.push(line);
    }
    told
}

#[test]
fn statements_of_functions_and_the_way_back() {
    let mut out = gpu::zeros::<u32>(3);
    let trace = gpu::launch_traced(lengths, 1, 3, &mut out);
    assert_eq!(out.to_host().into_raw_vec_and_offset().0, [100, 101, 107]);
    let told = told(&trace);
    let expected = [
        "0 111",
        "1 111, x=0 1 2",
        "2 111",
        "collatz 0 111, start=1 2 3",
        "collatz 1 111, n=1 2 3",
        "collatz 2 111, x=0 0 0",
        "collatz 3 111",
        "collatz 4 110",
    ];
    assert_eq!(told[..expected.len()], expected, "{told:#?}");
    // Lane 2 makes seven passes; then all return together, and `x` is the kernel's again.
    let back = told.iter().position(|line| line.starts_with("2 111, no")).expect("they come back");
    assert!(
        told[back].contains("no n") && told[back].contains("x=0 1 2") && told[back].ends_with(", W"),
        "{}",
        told[back]
    );
    assert_eq!(told[back - 1], "collatz 7 111", "{told:#?}");
    assert_eq!(told[back + 1], "3 111, R, W");
    assert_eq!(told.iter().filter(|line| line.starts_with("collatz 5 ")).count(), 7);
    let played = replayed(&trace);
    assert_eq!(played.array("out"), ["100", "101", "107"]);
    // What is counted is that of the kernel's lines.
    let report = trace.report();
    let lines: Vec<usize> = report.rows().iter().map(|row| row.line).collect();
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    let first = json["source"]["first"].as_u64().unwrap() as usize;
    assert!(lines.iter().all(|line| (first..first + 5).contains(line)), "{lines:?} of {first}");
    assert!(report.rows().iter().all(|row| row.finding != TraceFinding::ActiveLanes), "{report:?}");
}

#[test]
fn calls_within_calls() {
    let a = gpu::array(&[3u32, 4, 5]);
    let mut out = gpu::zeros::<u32>(3);
    let trace = gpu::launch_traced(sums, 1, 4, (&a, &mut out));
    assert_eq!(out.to_host().into_raw_vec_and_offset().0, [14, 21, 30]);
    let told = told(&trace);
    let begins = told.iter().position(|line| line.starts_with("of_squares 0")).unwrap();
    let expected = [
        "of_squares 0 111, x=3 4 5, y=1 1 1",
        "of_squares 1 111",
        "square 0 111, x=3 4 5",
        "square 1 111",
        "of_squares 1 111, no x, x=3 4 5",
        "square 0 111, x=1 1 1",
        "square 1 111",
        "of_squares 1 111, no x, x=3 4 5, sum=10 17 26",
        "of_squares 2 111",
    ];
    assert_eq!(told[begins..begins + expected.len()], expected, "{told:#?}");
    assert_eq!(replayed(&trace).array("out"), ["14", "21", "30"]);
}

#[test]
fn an_element_steps_into_calls() {
    let a = gpu::array(&[3u32, 4, 5]);
    let trace = gpu::trace_map(shifted, &a, 1);
    assert!(format!("{trace:?}").contains("It gives 21."), "{trace:?}");
    let told = told(&trace);
    assert!(
        told.contains(&"square 0 1, x=4".to_owned()) && told.contains(&"of_squares 1 1, no x, x=4".to_owned()),
        "{told:#?}"
    );
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    assert_eq!(json["functions"].as_array().unwrap().len(), 2);
    assert_eq!(json["functions"][0]["lines"][0], "fn of_squares(x: u32, y: u32) -> u32 {");
}
