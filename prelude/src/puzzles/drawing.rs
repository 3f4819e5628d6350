//! The drawing of a launch: what went wrong, and who has accessed what between one barrier and the next.

use super::case::PuzzleArray;
use super::cell_table::{CELL, CellTable, Look, value, values_of};
use super::examine::{Examined, Problem, counts, is_array, writers};
use super::fault;
use super::svg::{Anchor, GREY, INK, LINE, Point, RED, Svg, WORDS};
use std::collections::{BTreeMap, BTreeSet};
use warpcell_threads::{AccessKind, FailureKind, Memory, RecordedAccess};

/// A thread: its block, and its place there.
pub(super) type Thread = ([usize; 3], [usize; 3]);

const GAP: f64 = 26.0;
const RADIUS: f64 = 11.0;
/// Room for arrows between arrays and threads.
const ARROWS: f64 = 46.0;
/// More arrows than these are not to be told apart.
const MOST_ARROWS: usize = 56;
/// More panels than these are not drawn.
const MOST_PHASES: usize = 8;
/// Up to so many threads, all blocks are drawn.
const ALL_THREADS: usize = 16;

/// Colours of threads, all readable under dark words.
const COLOURS: [&str; 12] = [
    "#4e9bd6", "#f28e2b", "#59a14f", "#b07aa1", "#edc948", "#e07b91", "#76b7b2", "#9c755f", "#8cd17d", "#7a8fd1",
    "#d4a6c8", "#c2b04a",
];

/// The drawing of what a launch did, as SVG.
pub(super) fn draw(examined: &Examined) -> String {
    let mut svg = Svg::default();
    let mut y = 0.0;
    match &examined.problem {
        Some(Problem::Failed { failure, .. }) => y = fault::draw(&mut svg, y, examined, failure),
        Some(Problem::Limit { reads, block, thread, .. }) => {
            y = draw_counts(&mut svg, y, examined, (*block, *thread), *reads);
        }
        Some(Problem::Wrong { elements }) => y = draw_result(&mut svg, y, examined, elements),
        None => y = draw_result(&mut svg, y, examined, &[]),
    }
    let focus = focus(examined);
    let blocks = shown_blocks(examined, &focus);
    for (number, panel) in panels(examined, &blocks).into_iter().enumerate() {
        y = draw_panel(&mut svg, y + if number == 0 { 10.0 } else { 22.0 }, examined, &panel, &focus);
    }
    svg.finish()
}

/// The arrays of a puzzle with what is expected, for who has not tried it yet.
pub(super) fn draw_task(case: &super::case::Case) -> String {
    let mut svg = Svg::default();
    let mut place = (0.0, 0.0);
    for input in &case.inputs {
        place.0 += draw_array(&mut svg, place, input, input.name, values_of(input)).0 + GAP;
    }
    let y = case.inputs.iter().map(|input| CellTable::new(place, &input.shape).size().1).fold(0.0, f64::max);
    draw_array(
        &mut svg,
        (0.0, y + 10.0),
        &case.out,
        &format!("{}, as it should be", case.out.name),
        values_of(&case.out),
    );
    svg.finish()
}

fn draw_array(svg: &mut Svg, place: Point, array: &PuzzleArray, title: &str, look: impl FnMut(usize) -> Look) -> Point {
    let table = CellTable::new(place, &array.shape);
    table.draw(svg, title, look);
    let size = table.size();
    // A long name may be wider than its array.
    (size.0.max(title.chars().count() as f64 * 7.0), size.1)
}

/// The threads of which a drawing shows more than of others.
fn focus(examined: &Examined) -> Vec<Thread> {
    match &examined.problem {
        Some(Problem::Failed { failure, .. }) => match &failure.kind {
            FailureKind::Race { first, second, .. } => {
                vec![(first.block, first.thread), (second.block, second.thread)]
            }
            _ => vec![(failure.block, failure.thread)],
        },
        Some(Problem::Limit { block, thread, .. }) => vec![(*block, *thread)],
        Some(Problem::Wrong { elements }) => {
            let written = elements.iter().find_map(|&element| {
                let writer = writers(&examined.accesses, examined.case.out.name, element).last()?;
                Some((writer.block, writer.thread))
            });
            vec![written.unwrap_or(([0; 3], [0; 3]))]
        }
        None => vec![([0; 3], [0; 3])],
    }
}

/// All blocks, if they are small, or else those of the focus.
fn shown_blocks(examined: &Examined, focus: &[Thread]) -> BTreeSet<[usize; 3]> {
    let case = &examined.case;
    let all = case.grid.iter().chain(&case.block).product::<usize>() <= ALL_THREADS;
    examined
        .accesses
        .iter()
        .map(|access| access.block)
        .chain(focus.iter().map(|&(block, _)| block))
        .filter(|block| all || focus.iter().any(|(shown, _)| shown == block))
        .collect()
}

/// What happened between two barriers.
struct Panel<'a> {
    phase: usize,
    reads: Vec<&'a RecordedAccess>,
    /// Atomic operations among them.
    writes: Vec<&'a RecordedAccess>,
    blocks: Vec<[usize; 3]>,
}

fn panels<'a>(examined: &'a Examined, blocks: &BTreeSet<[usize; 3]>) -> Vec<Panel<'a>> {
    let mut phases: BTreeMap<usize, Panel<'_>> = BTreeMap::new();
    for access in examined.accesses.iter().filter(|access| blocks.contains(&access.block)) {
        let panel = phases.entry(access.phase).or_insert_with(|| Panel {
            phase: access.phase,
            reads: Vec::new(),
            writes: Vec::new(),
            blocks: blocks.iter().copied().collect(),
        });
        match access.kind {
            AccessKind::Read => panel.reads.push(access),
            AccessKind::Write | AccessKind::Atomic => panel.writes.push(access),
        }
    }
    let mut panels: Vec<Panel<'_>> = phases.into_values().collect();
    if panels.len() > MOST_PHASES {
        // What came last is what led to a failure.
        let last = panels.split_off(panels.len() - MOST_PHASES / 2);
        panels.truncate(MOST_PHASES / 2);
        panels.extend(last);
    }
    panels
}

/// The colour of a thread, the same in all blocks.
pub(super) fn colour(examined: &Examined, thread: [usize; 3]) -> &'static str {
    let [columns, rows, _] = examined.case.block;
    COLOURS[(thread[0] + columns * (thread[1] + rows * thread[2])) % COLOURS.len()]
}

/// The name of a thread within its block, as short as can be.
pub(super) fn short_name(block_shape: [usize; 3], [x, y, z]: [usize; 3]) -> String {
    match block_shape {
        [_, 1, 1] => x.to_string(),
        [_, _, 1] => format!("{x},{y}"),
        _ => format!("{x},{y},{z}"),
    }
}

pub(super) fn block_name([grid_x, grid_y, grid_z]: [usize; 3], [x, y, z]: [usize; 3]) -> String {
    match [grid_x, grid_y, grid_z] {
        [_, 1, 1] => format!("block {x}"),
        [_, _, 1] => format!("block ({x}, {y})"),
        _ => format!("block ({x}, {y}, {z})"),
    }
}

/// The shape of an array: that of the argument, or what the trace knows of a shared one.
pub(super) fn shape_of(examined: &Examined, memory: &Memory) -> Vec<usize> {
    if let Memory::Array { name } = memory
        && let Some(array) = examined.case.arrays().find(|array| array.name == *name)
    {
        return array.shape.clone();
    }
    let known = examined.shapes.iter().find(|(known, _)| known == memory);
    known.map_or(Vec::new(), |(_, shape)| shape.clone())
}

/// The look of an array before anything is coloured: values of what the kernel only reads, indices otherwise.
pub(super) fn plain_look<'a>(
    examined: &'a Examined,
    memory: &Memory,
    shape: &'a [usize],
) -> impl Fn(usize) -> Look + use<'a> {
    let input = examined.case.inputs.iter().find(|input| is_array(memory, input.name));
    move |element| match input {
        Some(input) => Look::plain(input.values.get(element).copied().map_or(String::new(), value)),
        None => Look::indexed(element, shape),
    }
}

fn draw_panel(svg: &mut Svg, y: f64, examined: &Examined, panel: &Panel<'_>, focus: &[Thread]) -> f64 {
    let caption = match panel.phase {
        0 if examined.accesses.iter().all(|access| access.phase == 0) => "Who accesses what".to_owned(),
        0 => "Before the first barrier".to_owned(),
        1 => "After the first barrier".to_owned(),
        phase => format!("After barrier {phase}"),
    };
    let accesses = panel.reads.len() + panel.writes.len();
    let all = accesses <= MOST_ARROWS;
    let whose = match (all, focus) {
        (true, _) => String::new(),
        (false, [(_, thread)]) => format!(" (arrows of thread {} only)", short_name(examined.case.block, *thread)),
        (false, _) => " (arrows of two threads only)".to_owned(),
    };
    svg.text((0.0, y + 12.0), Anchor::Start, 13.0, WORDS, &format!("{caption}{whose}"));
    let y = y + 22.0;
    let has_arrow = |access: &RecordedAccess| all || focus.contains(&(access.block, access.thread));

    let (read, height) = place_arrays(svg, (0.0, y), examined, &panel.reads, &has_arrow);
    let threads_y = y + height + if panel.reads.is_empty() { RADIUS + 6.0 } else { ARROWS };
    let crowd = place_threads(examined, &panel.blocks, threads_y);
    let below = crowd.bottom + if panel.writes.is_empty() { 0.0 } else { ARROWS - 12.0 };
    let (written, height) = place_arrays(svg, (0.0, below), examined, &panel.writes, &has_arrow);

    let mut drawn = BTreeSet::new();
    for access in panel.reads.iter().chain(&panel.writes).filter(|access| has_arrow(access)) {
        let is_read = access.kind == AccessKind::Read;
        let tables = if is_read { &read } else { &written };
        let Some(cell) = tables.get(examined.name(&access.memory)).and_then(|table| table.edge(access.index, is_read))
        else {
            continue;
        };
        let Some(&(x, y)) = crowd.places.get(&(access.block, access.thread)) else { continue };
        if !drawn.insert((examined.name(&access.memory).to_owned(), access.index, access.block, access.thread, is_read))
        {
            continue;
        }
        let colour = colour(examined, access.thread);
        let style = if access.kind == AccessKind::Atomic {
            r#"stroke-width="1.8" stroke-dasharray="2 2""#
        } else {
            r#"stroke-width="1.8" stroke-opacity="0.8""#
        };
        if is_read {
            svg.arrow(cell, (x, y - RADIUS), colour, style);
        } else {
            svg.arrow((x, y + RADIUS), cell, colour, style);
        }
    }
    draw_threads(svg, examined, &crowd, focus);
    below + height
}

/// Draws the arrays that are accessed side by side, and gives them by their names, with the greatest height.
fn place_arrays(
    svg: &mut Svg,
    (mut x, y): Point,
    examined: &Examined,
    accesses: &[&RecordedAccess],
    has_arrow: &dyn Fn(&RecordedAccess) -> bool,
) -> (BTreeMap<String, CellTable>, f64) {
    let mut tables = BTreeMap::new();
    let mut height = 0.0f64;
    for access in accesses {
        let name = examined.name(&access.memory).to_owned();
        if tables.contains_key(&name) {
            continue;
        }
        let shape = shape_of(examined, &access.memory);
        let table = if access.kind == AccessKind::Read {
            CellTable::new((x, y), &shape)
        } else {
            CellTable::below((x, y), &shape)
        };
        let plain = plain_look(examined, &access.memory, &shape);
        let mut users: BTreeMap<usize, BTreeSet<(bool, Thread)>> = BTreeMap::new();
        for user in accesses.iter().filter(|user| user.memory == access.memory) {
            users.entry(user.index).or_default().insert((has_arrow(user), (user.block, user.thread)));
        }
        table.draw(svg, &name, |element| {
            let mut look = plain(element);
            let Some(users) = users.get(&element) else { return look };
            // Where only some threads have arrows, theirs are the colours.
            let coloured: Vec<&Thread> = users.iter().filter(|(arrow, _)| *arrow).map(|(_, thread)| thread).collect();
            look.fill = match coloured[..] {
                [(_, thread)] => format!("{}66", colour(examined, *thread)),
                [] => "#eeeeee".to_owned(),
                _ => "#d5d5d5".to_owned(),
            };
            if users.len() > 1 {
                look.note = format!("×{}", users.len());
            }
            look
        });
        let size = table.size();
        x += size.0.max(name.chars().count() as f64 * 7.0) + GAP;
        height = height.max(size.1);
        tables.insert(name, table);
    }
    (tables, height)
}

/// Where the threads of some blocks stand, with a frame around each block.
struct Crowd {
    places: BTreeMap<Thread, Point>,
    /// The blocks with the corners and the sizes of their frames.
    frames: Vec<([usize; 3], Point, Point)>,
    /// Where the lowest thread ends.
    bottom: f64,
}

/// Room between the threads at the edge of a block and its frame.
const PADDING: f64 = 5.0;
/// How far rows of threads are apart.
const ROW: f64 = 26.0;

fn place_threads(examined: &Examined, blocks: &[[usize; 3]], y: f64) -> Crowd {
    let [columns, rows, layers] = examined.case.block;
    let mut crowd =
        Crowd { places: BTreeMap::new(), frames: Vec::new(), bottom: y + ROW * (rows * layers - 1) as f64 + RADIUS };
    let mut x = RADIUS + PADDING;
    for &block in blocks {
        for number in 0..columns * rows * layers {
            let thread = [number % columns, number / columns % rows, number / (columns * rows)];
            let place = (x + CELL.0 * (number % columns) as f64, y + ROW * (number / columns) as f64);
            crowd.places.insert((block, thread), place);
        }
        let width = CELL.0 * (columns - 1) as f64 + 2.0 * (RADIUS + PADDING);
        let height = crowd.bottom - y + RADIUS + 2.0 * PADDING - 2.0;
        crowd.frames.push((block, (x - RADIUS - PADDING, y - RADIUS - PADDING + 1.0), (width, height)));
        // The name of the block stands behind it.
        x += width + 8.0 + 5.2 * block_name(examined.case.grid, block).chars().count() as f64;
    }
    crowd
}

fn draw_threads(svg: &mut Svg, examined: &Examined, crowd: &Crowd, focus: &[Thread]) {
    for &(block, corner, size) in &crowd.frames {
        svg.rectangle(corner, size, "none", GREY, r#"rx="8" stroke-dasharray="5 3""#);
        let name = block_name(examined.case.grid, block);
        svg.text((corner.0 + size.0 + 3.0, corner.1 + size.1 / 2.0 + 3.0), Anchor::Start, 9.0, WORDS, &name);
    }
    let failed = matches!(examined.problem, Some(Problem::Failed { .. }));
    for (&(block, thread), &place) in &crowd.places {
        let marked = failed && focus.contains(&(block, thread));
        draw_thread(svg, examined, thread, place, marked);
    }
}

pub(super) fn draw_thread(svg: &mut Svg, examined: &Examined, thread: [usize; 3], place: Point, marked: bool) {
    let (stroke, style) = if marked { (RED, r#"stroke-width="3""#) } else { (LINE, "") };
    svg.circle(place, RADIUS, colour(examined, thread), stroke, style);
    let name = short_name(examined.case.block, thread);
    let size = if name.len() > 4 { 7.0 } else { 9.0 };
    svg.text((place.0, place.1 + 3.5), Anchor::Middle, size, INK, &name);
}

/// What was found beside what is expected; elements that are wrong are red.
fn draw_result(svg: &mut Svg, y: f64, examined: &Examined, wrong: &[usize]) -> f64 {
    let out = &examined.case.out;
    let mut x = 0.0;
    let mut height = 0.0f64;
    let one_axis = out.shape.len() == 1;
    let titles = [format!("{}, as it should be", out.name), format!("{}, as it is", out.name)];
    let mut place = (0.0, y);
    for (which, title) in titles.iter().enumerate() {
        if which == 0 && wrong.is_empty() {
            continue;
        }
        let size = draw_array(svg, place, out, title, |element| {
            let values = if which == 0 { &out.values } else { &examined.found };
            let mut look = Look::plain(values.get(element).copied().map_or(String::new(), value));
            if which == 1 && wrong.contains(&element) {
                (look.stroke, look.ink, look.fill) = (RED, RED, "#ffebee".to_owned());
                if writers(&examined.accesses, out.name, element).next().is_none() {
                    look.words = "–".to_owned();
                }
            }
            look
        });
        // Rows stand one below the other, images side by side.
        if one_axis {
            place.1 += size.1 + 4.0;
            height = place.1 - y;
        } else {
            x += size.0 + GAP;
            place.0 = x;
            height = height.max(size.1);
        }
    }
    y + height + 6.0
}

/// How often each thread accesses arrays other than shared ones, as bars.
fn draw_counts(svg: &mut Svg, y: f64, examined: &Examined, (block, thread): Thread, reads: bool) -> f64 {
    let counts = counts(&examined.accesses);
    let limits = examined.case.limits;
    let most = if reads { limits.reads } else { limits.writes }.unwrap_or(0);
    let what = if reads { "Reads" } else { "Writes" };
    svg.text(
        (0.0, y + 12.0),
        Anchor::Start,
        13.0,
        WORDS,
        &format!("{what} of arrays other than shared ones, by thread of {}", block_name(examined.case.grid, block)),
    );
    let of_block: Vec<([usize; 3], usize)> = counts
        .iter()
        .map(|(&([bz, by, bx], [z, y, x]), count)| ([bx, by, bz], [x, y, z], count[usize::from(!reads)]))
        .filter(|&(of, _, _)| of == block)
        .map(|(_, thread, count)| (thread, count))
        .collect();
    let worst = of_block.iter().map(|&(_, count)| count).max().unwrap_or(1).max(1);
    let height = 70.0;
    let scale = height / worst as f64;
    let bottom = y + 26.0 + height;
    let mut x = RADIUS + 6.0;
    for (of, count) in &of_block {
        let bar = *count as f64 * scale;
        svg.rectangle((x - 9.0, bottom - bar), (18.0, bar), &format!("{}99", colour(examined, *of)), LINE, "");
        svg.text(
            (x, bottom - bar - 3.0),
            Anchor::Middle,
            9.0,
            if *count > most { RED } else { WORDS },
            &count.to_string(),
        );
        draw_thread(svg, examined, *of, (x, bottom + RADIUS + 5.0), *of == thread);
        x += 34.0;
    }
    let limit = bottom - most as f64 * scale;
    svg.line((0.0, limit), (x - 10.0, limit), RED, r#"stroke-width="1.5" stroke-dasharray="5 3""#);
    svg.text((x - 6.0, limit + 4.0), Anchor::Start, 9.0, RED, &format!("at most {most}"));
    bottom + 2.0 * RADIUS + 14.0
}
