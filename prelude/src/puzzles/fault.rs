//! The drawing of a failure alone: the one or two threads, and the element that it is about.

use super::case::indexed;
use super::cell_table::{CellTable, Look};
use super::drawing::{block_name, colour, draw_thread, plain_look, shape_of, short_name};
use super::examine::Examined;
use super::svg::{Anchor, Point, RED, Svg, WORDS};
use warpcell_threads::{Access, AccessKind, Elsewhere, Failure, FailureKind, Memory};

/// Draws what has failed from `y` on; gives where it ends.
pub(super) fn draw(svg: &mut Svg, y: f64, examined: &Examined, failure: &Failure) -> f64 {
    match &failure.kind {
        FailureKind::OutOfBounds { memory, index, shape } => {
            out_of_bounds(svg, y, examined, failure, (memory, index, shape))
        }
        FailureKind::Race { memory, index, first, second } => race(svg, y, examined, (memory, index), [first, second]),
        FailureKind::Uninitialised { memory, index } => uninitialised(svg, y, examined, failure, (memory, index)),
        FailureKind::DivergentBarrier { operation, other } => barrier(svg, y, examined, failure, operation, other),
        // These have nothing to do with one element, or with where threads are.
        _ => y,
    }
}

const BETWEEN: f64 = 52.0;

fn thread_and_line(
    examined: &Examined,
    block: [usize; 3],
    thread: [usize; 3],
    line: Option<u32>,
    verb: &str,
) -> String {
    let thread = short_name(examined.case.block, thread);
    let line = line.map_or(String::new(), |line| format!(" in line {line}"));
    format!("thread {thread} of {}{verb}{line}", block_name(examined.case.grid, block))
}

/// An element's number in C order.
fn flat(index: &[usize], shape: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |flat, (index, length)| flat * length + index)
}

fn out_of_bounds(
    svg: &mut Svg,
    y: f64,
    examined: &Examined,
    failure: &Failure,
    (memory, index, shape): (&Memory, &[usize], &[usize]),
) -> f64 {
    // Room on the left and above for indices below zero.
    let before = |axis: usize| index.len() > axis && (index[index.len() - 1 - axis] as isize) < 0;
    let place = (if before(0) { 54.0 } else { 0.0 }, y + if before(1) { 40.0 } else { 0.0 });
    let table = CellTable::new(place, shape);
    table.draw(svg, examined.name(memory), plain_look(examined, memory, shape));
    let missing = table.draw_missing(svg, index);
    let bottom = (place.1 + table.size().1).max(missing.1);
    let thread = (missing.0, bottom + BETWEEN - 10.0);
    svg.line((thread.0, thread.1 - 11.0), missing, RED, r#"stroke-width="2.5" stroke-dasharray="5 3""#);
    draw_thread(svg, examined, failure.thread, thread, true);
    let words = format!(
        "{}: {}",
        thread_and_line(examined, failure.block, failure.thread, failure.line, ""),
        indexed(examined.name(memory), index)
    );
    svg.text((thread.0 + 18.0, thread.1 + 4.0), Anchor::Start, 11.0, RED, &words);
    thread.1 + 20.0
}

/// An array of which one element is red; gives the table, and that element's number.
fn with_element(
    svg: &mut Svg,
    y: f64,
    examined: &Examined,
    memory: &Memory,
    index: &[usize],
    words: Option<&str>,
) -> (CellTable, usize) {
    let mut shape = shape_of(examined, memory);
    if shape.is_empty() {
        // Nobody has accessed it before: a shape that has the element will do.
        shape = index.iter().map(|index| index + 1).collect();
    }
    let element = flat(index, &shape);
    let table = CellTable::new((0.0, y), &shape);
    let look = plain_look(examined, memory, &shape);
    table.draw(svg, examined.name(memory), |number| {
        let look = look(number);
        if number != element {
            return look;
        }
        let words = words.map_or(look.words.clone(), str::to_owned);
        Look { fill: "#ffebee".to_owned(), stroke: RED, ink: RED, words, ..look }
    });
    (table, element)
}

fn race(svg: &mut Svg, y: f64, examined: &Examined, (memory, index): (&Memory, &[usize]), sides: [&Access; 2]) -> f64 {
    let (table, element) = with_element(svg, y, examined, memory, index, None);
    let bottom = y + table.size().1;
    let cell = table.edge(element, true).unwrap_or((20.0, bottom));
    let left = (cell.0 - 40.0).max(14.0);
    for (number, side) in sides.into_iter().enumerate() {
        let place = (left + 60.0 * number as f64, bottom + BETWEEN - 8.0 + 34.0 * number as f64);
        arrow(svg, cell, place, side.kind == AccessKind::Read);
        draw_thread(svg, examined, side.thread, place, true);
        let verb = match side.kind {
            AccessKind::Read => " reads it",
            AccessKind::Write => " writes it",
            AccessKind::Atomic => " changes it with an atomic operation",
        };
        // Both behind the second thread, where no arrow is.
        let words = thread_and_line(examined, side.block, side.thread, Some(side.line), verb);
        svg.text((left + 78.0, place.1 + 4.0), Anchor::Start, 11.0, RED, &words);
    }
    let end = bottom + BETWEEN + 34.0 + 22.0;
    svg.text((0.0, end), Anchor::Start, 10.0, WORDS, "Nothing says which of the two comes first.");
    end + 8.0
}

/// An arrow in red, from a cell to the thread below it or back.
fn arrow(svg: &mut Svg, cell: Point, (x, y): Point, reads: bool) {
    let thread = (x, y - 11.0);
    let (from, to) = if reads { (cell, thread) } else { (thread, cell) };
    svg.arrow(from, to, RED, r#"stroke-width="2.5""#);
}

fn uninitialised(
    svg: &mut Svg,
    y: f64,
    examined: &Examined,
    failure: &Failure,
    (memory, index): (&Memory, &[usize]),
) -> f64 {
    let (table, element) = with_element(svg, y, examined, memory, index, Some("?"));
    let bottom = y + table.size().1;
    let cell = table.edge(element, true).unwrap_or((20.0, bottom));
    let thread = (cell.0, bottom + BETWEEN - 8.0);
    arrow(svg, cell, thread, true);
    draw_thread(svg, examined, failure.thread, thread, true);
    let words = thread_and_line(examined, failure.block, failure.thread, failure.line, " reads it");
    svg.text(
        (thread.0 + 18.0, thread.1 + 4.0),
        Anchor::Start,
        11.0,
        RED,
        &format!("{words}; nobody has written there"),
    );
    thread.1 + 20.0
}

fn barrier(svg: &mut Svg, y: f64, examined: &Examined, failure: &Failure, operation: &str, other: &Elsewhere) -> f64 {
    let line = failure.line.map_or(String::new(), |line| format!(", line {line}"));
    let (thread, words) = match other {
        Elsewhere::Ended { thread } => (*thread, "has ended, and will never come".to_owned()),
        Elsewhere::Waits { thread, operation, line } => {
            (*thread, format!("waits at another place: {operation}, line {line}"))
        }
    };
    let sides = [(failure.thread, format!("waits at {operation}{line}"), true), (thread, words, false)];
    for (number, (thread, words, waits)) in sides.into_iter().enumerate() {
        let lane = y + 20.0 + 34.0 * number as f64;
        svg.line(
            (30.0, lane),
            (if waits { 140.0 } else { 250.0 }, lane),
            colour(examined, thread),
            r#"stroke-width="3""#,
        );
        draw_thread(svg, examined, thread, (14.0, lane), true);
        if waits {
            svg.line((140.0, lane - 13.0), (140.0, lane + 13.0), RED, r#"stroke-width="4""#);
        }
        let name = format!("thread {} {words}", short_name(examined.case.block, thread));
        svg.text((262.0, lane + 4.0), Anchor::Start, 11.0, if waits { RED } else { WORDS }, &name);
    }
    y + 80.0
}
