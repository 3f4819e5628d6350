//! A trace in a notebook: the player, with a picture and a text for where no scripts run.

use super::contents::Contents;
use super::film::{Effect, LINES, Step};
use super::json;
use super::report::TraceFinding;
use crate::rich::{escaped, new_id};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::fmt::Write as _;
use std::io::Write as _;

/// The player. It reads what `json.rs` writes.
const PLAYER: &str = include_str!("player.html");

/// More bytes than these are not put into a notebook.
pub(super) const MOST_BYTES: usize = 16 << 20;

/// What is seen where no scripts run: a picture of the most telling moment, and a text.
pub(super) fn fallback(contents: &Contents) -> String {
    let text = escaped(&contents.text()).replace('\n', "<br>");
    let picture = STANDARD.encode(picture(contents));
    format!(
        r#"<img alt="The threads of a block at one moment of the launch" style="max-width:100%" src="data:image/svg+xml;base64,{picture}"/><pre style="white-space:pre-wrap">{text}</pre>"#
    )
}

/// The player with the trace in it, and with what is seen where no scripts run.
pub(super) fn html(contents: &mut Contents, fallback: &str) -> String {
    let json = json::write(contents);
    let data = STANDARD.encode(deflated(json.as_bytes()));
    if data.len() > MOST_BYTES {
        let note = format!(
            "The trace would take {} MB of the notebook, so it is not played here; record fewer blocks \
             (`gpu::LaunchConfig::trace_blocks`) or events (`trace_events`).",
            data.len() >> 20
        );
        return format!("<div>{note}</div>{fallback}");
    }
    let id = format!("warpcell-trace-{}", new_id());
    let player = match PLAYER.split_once("-->") {
        Some((head, rest)) if head.trim_start().starts_with("<!--") => rest,
        _ => PLAYER,
    };
    player.trim().replace("@ID@", &id).replace("@FALLBACK@", fallback).replace("@DATA@", &data)
}

/// Bytes as deflate has them, without a header.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("memory takes what is written to it")
}

const CELL: usize = 22;
/// Of more threads the picture has no numbers.
const MOST_NUMBERED: usize = 256;
const STATES: [&str; 5] = ["runs", "waits for its turn", "waits at a barrier", "has ended", "fault"];

/// The most telling moment, by the number of the block among those recorded and that of its step: the fault, or where the player opens, or
/// a step of the line in which most is lost: that of the most lanes, or of the fewest if lanes are what it lacks.
fn moment(contents: &Contents) -> Option<(usize, usize)> {
    let fault = contents.fault.as_ref().map(|fault| (fault.block, fault.step));
    let opens = contents.opens.as_ref().and_then(|opens| Some((opens.block, opens.position.checked_sub(1)?)));
    fault.or(opens).or_else(|| {
        let steps = &contents.blocks.first()?.steps;
        let does = |step: &&(usize, &Step)| step.1.warp >= 0 && !step.1.effects.is_empty();
        let lanes = |step: &(usize, &Step)| step.1.mask.count_ones();
        let worst = contents.report.worst();
        let is_there = |step: &&(usize, &Step)| worst.is_some_and(|(line, _)| step.1.line % LINES == line);
        let numbered: Vec<(usize, &Step)> = steps.iter().enumerate().collect();
        let there = numbered.iter().filter(does).filter(is_there);
        let found = match worst {
            Some((_, TraceFinding::ActiveLanes)) => there.min_by_key(|step| lanes(step)),
            _ => there.rev().max_by_key(|step| lanes(step)),
        };
        found.or_else(|| numbered.iter().filter(does).min_by_key(|step| lanes(step))).map(|step| (0, step.0))
    })
}

/// The threads of the block at the most telling moment.
fn picture(contents: &Contents) -> String {
    let mut svg = String::new();
    let Some((block, at)) = moment(contents) else {
        return r#"<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>"#.to_owned();
    };
    let axes = contents.grid.iter().rposition(|&length| length > 1).map_or(1, |last| last + 1);
    let threads: usize = contents.block.iter().product();
    let mut states = vec!["waits for its turn"; threads];
    for step in &contents.blocks[block].steps[..=at] {
        apply(step, &mut states);
    }
    let step = &contents.blocks[block].steps[at];
    for lane in 0..32usize {
        let thread = step.warp.max(0) as usize * 32 + lane;
        if step.mask >> lane & 1 == 1 && thread < threads {
            states[thread] = "runs";
        }
    }
    if let Some(fault) = &contents.fault {
        fault.threads.iter().filter(|&&thread| thread < threads).for_each(|&thread| states[thread] = "fault");
    }
    let (rows, height) = (threads.div_ceil(32), contents.lines.len() * 17 + 12);
    let top = 28;
    let width = 40 + 32 * CELL;
    let all = top + rows * CELL + 40 + height;
    let _ = write!(
        svg,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{all}" viewBox="0 0 {width} {all}" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#ffffff"/><text x="8" y="18" fill="#202020">{}, block ({}), line {}</text>"##,
        escaped(contents.kernel),
        contents.blocks[block].index[..axes].iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        step.line % LINES
    );
    let place = |thread: usize| (8 + thread % 32 * CELL, top + thread / 32 * CELL);
    for kind in STATES {
        let squares: String = (0..threads)
            .filter(|&thread| states[thread] == kind)
            .map(place)
            .map(|(x, y)| format!("M{x} {y}h20v20h-20z"))
            .collect();
        let _ = write!(svg, r##"<path d="{squares}" fill="{}" stroke="#808080"/>"##, colour(kind));
    }
    if threads <= MOST_NUMBERED {
        svg.push_str(r##"<g font-size="8" text-anchor="middle" fill="#202020">"##);
        for (x, y, thread) in (0..threads).map(|thread| (place(thread).0, place(thread).1, thread)) {
            let _ = write!(svg, r#"<text x="{}" y="{}">{thread}</text>"#, x + 10, y + 13);
        }
        svg.push_str("</g>");
    }
    let mut x = 8;
    for state in STATES {
        let y = top + rows * CELL + 8;
        let _ = write!(
            svg,
            r##"<rect x="{x}" y="{y}" width="12" height="12" fill="{}" stroke="#808080"/><text x="{}" y="{}" fill="#202020">{state}</text>"##,
            colour(state),
            x + 16,
            y + 11
        );
        x += 30 + state.len() * 7;
    }
    for (number, line) in contents.lines.iter().enumerate() {
        let y = top + rows * CELL + 40 + number * 17;
        let line_number = contents.first + number;
        if line_number == step.line {
            let _ = write!(svg, r##"<rect x="4" y="{y}" width="{}" height="17" fill="#ffe9a8"/>"##, width - 8);
        }
        let _ = write!(
            svg,
            r##"<text x="8" y="{}" font-family="monospace" xml:space="preserve" fill="#202020">{line_number:>3}  {}</text>"##,
            y + 13,
            escaped(line)
        );
    }
    svg.push_str("</svg>");
    svg
}

fn apply(step: &Step, states: &mut [&'static str]) {
    let count = states.len();
    let lanes = (0..32usize).filter(|lane| step.mask >> lane & 1 == 1);
    let threads = lanes.map(|lane| step.warp.max(0) as usize * 32 + lane).filter(|&thread| thread < count);
    let threads: Vec<usize> = threads.collect();
    for effect in &step.effects {
        let state = match effect {
            Effect::Waits => "waits at a barrier",
            Effect::Ends => "has ended",
            Effect::Opens => {
                let waiting = states.iter_mut().filter(|state| **state == "waits at a barrier");
                waiting.for_each(|state| *state = "waits for its turn");
                continue;
            }
            _ => continue,
        };
        threads.iter().for_each(|&thread| states[thread] = state);
    }
}

fn colour(state: &str) -> &'static str {
    match state {
        "runs" => "#8cd17d",
        "waits at a barrier" => "#f7c873",
        "has ended" => "#d0d0d0",
        "fault" => "#f28b82",
        _ => "#ffffff",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deflate_without_a_header() {
        let text = "all work and no play ".repeat(1000);
        let packed = deflated(text.as_bytes());
        assert!(packed.len() < 1000, "{}", packed.len());
        // Type and final bit of the first block, and no magic number of an archive.
        assert_ne!(&packed[..2], b"PK");
        assert!(matches!(packed[0] >> 1 & 3, 1 | 2));
    }
}
