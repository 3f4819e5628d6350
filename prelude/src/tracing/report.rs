//! Why a launch is slow, line by line: counted from what the recorded blocks did, warp by warp.

use super::arithmetic::TraceArithmetic;
use super::contents::LANES;
use super::json::{list, string};
use super::run::TracedArray;
use crate::failures::Places;
use crate::timing::table::{Table, write_rich};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt::{self, Write};
use warpcell_threads::{Event, Memory, RecordedBlock, Recording, What};

/// Global memory is moved in pieces of so many bytes.
const SECTOR: i64 = 32;
/// Shared memory has so many banks, of four bytes each.
const BANKS: i64 = 32;

/// Of what a line of a report tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TraceFinding {
    /// Sectors of 32 bytes that a warp's access of global memory moves; ideal are as many as its elements fill.
    Sectors,
    /// Passes that a warp's access of shared memory takes, because lanes want different words of one bank; ideal is one.
    BankConflicts,
    /// Lanes that change one element atomically at once, one after another; ideal is one.
    Collisions,
    /// Lanes of a warp that execute the line; ideal are all that the warp has.
    ActiveLanes,
    /// Steps of the block between the first arrival at a barrier and the last.
    Waiting,
    /// Operations of arithmetic that a warp makes each time it executes the line, of all its lanes; there is no ideal.
    Arithmetic,
}

impl TraceFinding {
    fn name(self) -> &'static str {
        match self {
            TraceFinding::Sectors => "sectors",
            TraceFinding::BankConflicts => "bank conflicts",
            TraceFinding::Collisions => "atomic collisions",
            TraceFinding::ActiveLanes => "active lanes",
            TraceFinding::Waiting => "waiting",
            TraceFinding::Arithmetic => "arithmetic",
        }
    }
}

/// A row of a [`TraceReport`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct TraceRow {
    /// The line, as errors name it.
    pub line: usize,
    /// What is counted.
    pub finding: TraceFinding,
    /// Reads, writes or changes what; of arithmetic, which numbers, and how much it is for each byte that the line moves. Empty for what
    /// is not about memory.
    pub access: String,
    /// How often warps did it.
    pub count: usize,
    /// The average for a warp.
    pub value: f64,
    /// What it would be at best.
    pub ideal: f64,
    /// What to do, if there is something to do.
    pub advice: String,
}

/// What a launch does that takes time, line by line: [`Trace::report`](crate::Trace::report).
#[derive(Clone, PartialEq)]
pub struct TraceReport {
    rows: Vec<TraceRow>,
    summary: String,
    /// The line in which most is lost, and by what.
    worst: Option<(usize, TraceFinding)>,
    /// The text of each line that has a row.
    lines: BTreeMap<usize, String>,
    /// Of each line that computes or accesses global memory.
    arithmetic: BTreeMap<usize, TraceArithmetic>,
    /// The functions whose arithmetic is not counted; none if it is not known what is computed.
    uncounted: Option<Vec<String>>,
    /// Sectors of global memory, each counted once for each block.
    distinct: u64,
}

impl TraceReport {
    /// The rows, in the order of lines.
    pub fn rows(&self) -> &[TraceRow] {
        &self.rows
    }

    /// The row of a line for a finding, the worst if there are several.
    pub fn find(&self, line: usize, finding: TraceFinding) -> Option<&TraceRow> {
        let rows = self.rows.iter().filter(|row| (row.line, row.finding) == (line, finding));
        rows.max_by(|one, other| one.value.total_cmp(&other.value))
    }

    /// What the recorded blocks computed, and the bytes of global memory that they moved for it.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[kernel]
    /// fn axpy(a: f32, x: View<f32>, mut y: ViewMut<f32>) {
    ///     let i = global_idx().x;
    ///     y[i] += a * x[i];
    /// }
    ///
    /// let (x, mut y) = (gpu::ones::<f32>(256), gpu::zeros::<f32>(256));
    /// let arithmetic = gpu::launch_traced(axpy, 1, 256, (2.0, &x, &mut y)).report().arithmetic();
    /// // A product and a sum for three numbers of four bytes.
    /// assert_eq!((arithmetic.single, arithmetic.bytes), (2 * 256, 3 * 4 * 256));
    /// assert_eq!(arithmetic.per_byte(), 1.0 / 6.0);
    /// ```
    pub fn arithmetic(&self) -> TraceArithmetic {
        let mut all = TraceArithmetic::default();
        self.arithmetic.values().for_each(|&of_line| all += of_line);
        all
    }

    /// The same of one line.
    pub fn arithmetic_of(&self, line: usize) -> TraceArithmetic {
        self.arithmetic.get(&line).copied().unwrap_or_default()
    }

    /// Whether it is known what is computed.
    pub(super) fn counts_arithmetic(&self) -> bool {
        self.uncounted.is_some()
    }

    /// The bytes of sectors, each counted once for each block.
    pub(super) fn distinct_bytes(&self) -> u64 {
        self.distinct * SECTOR as u64
    }

    /// What is said of functions whose arithmetic is not counted, if there are some.
    pub(super) fn said_of_uncounted(&self) -> Option<String> {
        let names = self.uncounted.as_ref().filter(|names| !names.is_empty())?;
        Some(format!("What {} computes is not counted.", names.join(" and ")))
    }

    /// What is said of the arithmetic of the launch, if it is known.
    pub(super) fn said_of_arithmetic(&self) -> Option<String> {
        self.uncounted.as_ref()?;
        let said = format!("Arithmetic: {}.", self.arithmetic().text());
        Some(self.said_of_uncounted().map_or_else(|| said.clone(), |more| format!("{said} {more}")))
    }

    /// The line in which most is lost, and by what.
    pub(super) fn worst(&self) -> Option<(usize, TraceFinding)> {
        self.worst
    }

    /// What matters most, in a sentence.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    pub(super) fn write_json(&self, json: &mut String) {
        json.push_str("{\"lines\":");
        let lines: Vec<usize> = self.rows.iter().map(|row| row.line).collect::<BTreeSet<_>>().into_iter().collect();
        list(json, &lines, |json, &line| {
            let _ = write!(json, "{{\"line\":{line}");
            if self.rows.iter().any(|row| (row.line, row.finding) == (line, TraceFinding::Arithmetic)) {
                json.push_str(",\"arithmetic\":");
                string(json, &self.arithmetic_of(line).text());
            }
            json.push_str(",\"rows\":");
            let rows = self.rows.iter().filter(|row| row.line == line && row.finding != TraceFinding::Arithmetic);
            let rows: Vec<&TraceRow> = rows.collect();
            list(json, &rows, |json, row| {
                let TraceRow { finding, value, ideal, access, advice, .. } = row;
                json.push_str("{\"what\":");
                let what =
                    if access.is_empty() { finding.name().to_owned() } else { format!("{}, {access}", finding.name()) };
                string(json, &what);
                let _ = write!(json, ",\"value\":{value:.2},\"ideal\":{ideal:.2},\"advice\":");
                string(json, advice);
                json.push('}');
            });
            json.push('}');
        });
        json.push_str(",\"summary\":");
        string(json, &self.summary);
        if let Some(said) = self.said_of_arithmetic() {
            json.push_str(",\"arithmetic\":");
            string(json, &said);
        }
        json.push('}');
    }
}

#[cfg(test)]
impl TraceReport {
    /// A report of a line that computes, as kernels of the prelude's own tests have none.
    pub fn of_line(arithmetic: TraceArithmetic, distinct: u64) -> TraceReport {
        TraceReport {
            rows: Vec::new(),
            summary: "Nothing was recorded that could be slow.".to_owned(),
            worst: None,
            lines: BTreeMap::new(),
            arithmetic: BTreeMap::from([(1, arithmetic)]),
            uncounted: Some(Vec::new()),
            distinct,
        }
    }
}

impl fmt::Debug for TraceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(2, &["line", "what", "times", "per warp", "ideal", "source"]);
        for row in &self.rows {
            let what = if row.access.is_empty() { String::new() } else { format!(": {}", row.access) };
            table.row(vec![
                row.line.to_string(),
                format!("{}{what}", row.finding.name()),
                row.count.to_string(),
                format!("{:.1}", row.value),
                if row.finding == TraceFinding::Arithmetic { String::new() } else { format!("{:.1}", row.ideal) },
                self.lines.get(&row.line).map_or_else(String::new, |text| text.trim().chars().take(60).collect()),
            ]);
        }
        let advice: Vec<String> = self
            .rows
            .iter()
            .filter(|row| !row.advice.is_empty())
            .map(|row| format!("Line {}: {}", row.line, row.advice))
            .collect();
        let behind = advice.join("\n");
        let mut before = self.summary.clone();
        if let Some(said) = self.said_of_arithmetic() {
            before = format!("{before}\n{said}");
        }
        let text = [before.clone(), table.text(), behind.clone()].join("\n");
        write_rich(f, text.trim_end(), [&before, &behind], &table, String::new)
    }
}

/// What is counted of an access in the program.
#[derive(Default)]
struct Counts {
    requests: usize,
    value: usize,
    ideal: usize,
    /// Distances in bytes between neighbouring lanes.
    strides: BTreeMap<i64, usize>,
    /// The most that one warp had.
    most: usize,
}

/// The access: its line, its place there, the array, and how.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    line: usize,
    column: u32,
    array: u32,
    kind: u8,
}

/// What the lanes of a step access at one place of the program: its line, its column, the array, and how.
struct Accesses {
    place: (u32, u32, u32, u8),
    /// How often each lane has accessed it so far.
    times: [usize; LANES],
    requests: Vec<Vec<(u8, u32)>>,
}

impl Accesses {
    fn add(&mut self, lane: u8, index: u32) {
        let time = &mut self.times[usize::from(lane)];
        if *time == self.requests.len() {
            self.requests.push(Vec::with_capacity(LANES));
        }
        self.requests[*time].push((lane, index));
        *time += 1;
    }
}

#[derive(Default)]
struct Line {
    steps: usize,
    active: usize,
    all: usize,
    partial: usize,
}

/// Makes reports.
pub(super) struct Counter<'a> {
    recording: &'a Recording,
    places: &'a Places,
    given: &'a [TracedArray],
    threads: usize,
    sectors: BTreeMap<Key, Counts>,
    passes: BTreeMap<Key, Counts>,
    collisions: BTreeMap<Key, Counts>,
    lines: BTreeMap<usize, Line>,
    waiting: BTreeMap<usize, Counts>,
    /// The sectors of the block that is counted, by their arrays.
    touched: HashSet<(u32, i64)>,
    /// Those of the blocks before.
    distinct: u64,
}

impl<'a> Counter<'a> {
    pub fn new(recording: &'a Recording, places: &'a Places, given: &'a [TracedArray], threads: usize) -> Counter<'a> {
        Counter {
            recording,
            places,
            given,
            threads,
            sectors: BTreeMap::new(),
            passes: BTreeMap::new(),
            collisions: BTreeMap::new(),
            lines: BTreeMap::new(),
            waiting: BTreeMap::new(),
            touched: HashSet::new(),
            distinct: 0,
        }
    }

    pub fn count(&mut self, block: &RecordedBlock) {
        let lanes: Vec<u32> = (0..self.threads.div_ceil(32))
            .map(|warp| match self.threads - warp * 32 {
                lanes @ ..32 => (1 << lanes) - 1,
                _ => u32::MAX,
            })
            .collect();
        let mut first_arrival = None;
        for (number, step) in block.steps.iter().enumerate() {
            let events = block.events_of(number);
            let line = self.places.find(Some(step.line)).1;
            match events.first().map(|event| event.what) {
                Some(What::Opens) => {
                    if let Some(first) = first_arrival.take() {
                        let counts = self.waiting.entry(line).or_default();
                        counts.requests += 1;
                        counts.value += number - first - 1;
                        counts.most = counts.most.max(number - first - 1);
                    }
                    continue;
                }
                Some(What::Ends) => continue,
                _ => {}
            }
            if events.iter().any(|event| event.what == What::Waits) {
                first_arrival.get_or_insert(number);
            }
            if let (Some(warp), true) = (step.warp, step.position > 0) {
                let lanes = lanes[warp as usize];
                let counts = self.lines.entry(line).or_default();
                counts.steps += 1;
                counts.active += step.mask.count_ones() as usize;
                counts.all += lanes.count_ones() as usize;
                counts.partial += usize::from(step.mask != lanes);
            }
            self.requests(events);
        }
        self.distinct += self.touched.len() as u64;
        self.touched.clear();
    }

    /// The accesses of a step: the first of each lane at a place are one request, and so on.
    fn requests(&mut self, events: &[Event]) {
        let mut accesses: Vec<Accesses> = Vec::new();
        for event in events {
            let (array, index, kind) = match event.what {
                What::Read { array, index, .. } => (array, index, 0),
                What::Write { array, index, .. } => (array, index, 1),
                What::Atomic { array, index, .. } => (array, index, 2),
                _ => continue,
            };
            let (line, column) = event.place.map_or((0, 0), |place| (place.line(), place.column()));
            let place = (line, column, array, kind);
            let known = accesses.iter().position(|known| known.place == place).unwrap_or_else(|| {
                accesses.push(Accesses { place, times: [0; LANES], requests: Vec::new() });
                accesses.len() - 1
            });
            accesses[known].add(event.lane, index);
        }
        for Accesses { place: (line, column, array, kind), requests, .. } in accesses {
            let key = Key { line: self.places.find(Some(line)).1, column, array, kind };
            requests.iter().for_each(|lanes| self.request(key, lanes));
        }
    }

    fn request(&mut self, key: Key, lanes: &[(u8, u32)]) {
        let array = &self.recording.arrays[key.array as usize];
        let size = array.size as i64;
        let given = match array.memory {
            Memory::Array { name } => self.given.iter().find(|given| given.name == name),
            _ => None,
        };
        let addresses: Vec<(u8, i64)> = lanes
            .iter()
            .map(|&(lane, index)| {
                let element = given.map_or(i64::from(index), |given| offset(given, index as usize));
                (lane, element * size)
            })
            .collect();
        if key.kind == 2 {
            let mut same: BTreeMap<i64, usize> = BTreeMap::new();
            addresses.iter().for_each(|&(_, address)| *same.entry(address).or_default() += 1);
            let most = same.values().copied().max().unwrap_or(0);
            self.collisions.entry(key).or_default().add(most, 1);
        }
        if given.is_some() {
            let touched = sectors(&addresses, size);
            let counts = self.sectors.entry(key).or_default();
            counts.add(touched.len(), ideal_sectors(&addresses, size));
            self.touched.extend(touched.into_iter().map(|sector| (key.array, sector)));
            for pair in addresses.windows(2).filter(|pair| pair[1].0 == pair[0].0 + 1) {
                *counts.strides.entry(pair[1].1 - pair[0].1).or_default() += 1;
            }
        } else if key.kind != 2 {
            let (passes, ideal) = passes(&addresses, size);
            let counts = self.passes.entry(key).or_default();
            counts.add(passes, ideal);
            for pair in addresses.windows(2).filter(|pair| pair[1].0 == pair[0].0 + 1) {
                *counts.strides.entry(pair[1].1 - pair[0].1).or_default() += 1;
            }
        }
    }

    /// The report of what was counted.
    pub fn report(self, source: &[&str], first: usize, uncounted: Option<Vec<String>>) -> TraceReport {
        let mut rows = Vec::new();
        let arithmetic = self.arithmetic();
        if uncounted.is_some() {
            rows.extend(self.rows_of_arithmetic(&arithmetic));
        }
        for (key, counts) in &self.sectors {
            let access = self.access(key);
            let advice = self.advice_on_sectors(key, counts, &access);
            rows.push(counts.row(key.line, TraceFinding::Sectors, access, advice));
        }
        for (key, counts) in &self.passes {
            let access = self.access(key);
            let axes = self.recording.arrays[key.array as usize].shape.len();
            let advice = advice_on_banks(counts, &access, axes);
            rows.push(counts.row(key.line, TraceFinding::BankConflicts, access, advice));
        }
        for (key, counts) in &self.collisions {
            let access = self.access(key);
            let advice = match counts.value > counts.requests {
                true => format!(
                    "up to {} lanes of a warp change {} at the same index, one after another; add up in the warp first \
                     (`shfl_down_sync`) or in a shared array, and let one thread of each block change it",
                    counts.most,
                    access.trim_start_matches("changes ")
                ),
                false => String::new(),
            };
            rows.push(counts.row(key.line, TraceFinding::Collisions, access, advice));
        }
        for (&line, counts) in self.lines.iter().filter(|(_, counts)| counts.partial > 0) {
            let (steps, idle) = (counts.steps, counts.all - counts.active);
            let advice = match idle * 4 > counts.all {
                true => format!(
                    "{} of 100 lanes are masked off here; let neighbouring threads take the same way, so that whole \
                     warps leave the branch or the loop together",
                    idle * 100 / counts.all.max(1)
                ),
                false => String::new(),
            };
            let (value, ideal) = (counts.active as f64 / steps as f64, counts.all as f64 / steps as f64);
            let finding = TraceFinding::ActiveLanes;
            rows.push(TraceRow { line, finding, access: String::new(), count: steps, value, ideal, advice });
        }
        for (&line, counts) in &self.waiting {
            // Warps take turns: each of the others makes one step meanwhile.
            let usual = self.threads.div_ceil(32);
            let advice = match counts.most > 4 * usual {
                true => format!(
                    "the first warp waits here for up to {} steps of the others; share the work before the barrier \
                     evenly among the warps",
                    counts.most
                ),
                false => String::new(),
            };
            rows.push(counts.row(line, TraceFinding::Waiting, String::new(), advice));
        }
        rows.sort_by_key(|row| (row.line, row.finding));
        let worst =
            rows.iter().filter(|row| !row.advice.is_empty()).max_by(|one, other| loss(one).total_cmp(&loss(other)));
        let summary = match worst {
            Some(row) => format!("Most is lost in line {}: {}.", row.line, row.advice.split(';').next().unwrap_or("")),
            None if rows.is_empty() => "Nothing was recorded that could be slow.".to_owned(),
            None => "Accesses are coalesced, and warps stay together.".to_owned(),
        };
        let worst = worst.map(|row| (row.line, row.finding));
        let mut lines = BTreeMap::new();
        for row in &rows {
            let text = row.line.checked_sub(first).and_then(|at| source.get(at));
            lines.extend(text.map(|text| (row.line, (*text).to_owned())));
        }
        TraceReport { rows, summary, worst, lines, arithmetic, uncounted, distinct: self.distinct }
    }

    /// What each line computes, and the bytes that it moves.
    fn arithmetic(&self) -> BTreeMap<usize, TraceArithmetic> {
        let mut lines: BTreeMap<usize, TraceArithmetic> = BTreeMap::new();
        for (&line, operations) in &self.recording.operations {
            lines.entry(self.places.find(Some(line)).1).or_default().computes(operations);
        }
        for (key, counts) in &self.sectors {
            lines.entry(key.line).or_default().bytes += counts.value as u64 * SECTOR as u64;
        }
        lines
    }

    /// Of lines that compute with floating-point numbers; of a kernel without these, with integers.
    fn rows_of_arithmetic(&self, arithmetic: &BTreeMap<usize, TraceArithmetic>) -> Vec<TraceRow> {
        let has_floats = arithmetic.values().any(|of_line| of_line.floating() > 0);
        let counted = |of_line: &TraceArithmetic| if has_floats { of_line.floating() } else { of_line.integer };
        let computing = arithmetic.iter().filter(|(_, of_line)| counted(of_line) > 0);
        let rows = computing.map(|(&line, of_line)| {
            let count = self.lines.get(&line).map_or(0, |known| known.steps);
            let value = counted(of_line) as f64 / count.max(1) as f64;
            let access = match of_line.bytes {
                0 => of_line.of().to_owned(),
                _ => format!("{}, {}", of_line.of(), of_line.per_byte_text()),
            };
            TraceRow {
                line,
                finding: TraceFinding::Arithmetic,
                access,
                count,
                value,
                ideal: value,
                advice: String::new(),
            }
        });
        rows.collect()
    }

    fn access(&self, key: &Key) -> String {
        let array = &self.recording.arrays[key.array as usize];
        let verb = ["reads", "writes", "changes"][usize::from(key.kind)];
        format!("{verb} `{}`", self.places.memory(&array.memory))
    }

    fn advice_on_sectors(&self, key: &Key, counts: &Counts, access: &str) -> String {
        if counts.value * 4 <= counts.ideal * 5 {
            return String::new();
        }
        let average = counts.value as f64 / counts.requests as f64;
        let ideal = counts.ideal as f64 / counts.requests as f64;
        let begin = format!("each warp {access} in {average:.1} sectors of 32 bytes, where {ideal:.1} would do");
        let Some((&stride, _)) = counts.strides.iter().max_by_key(|(_, count)| **count) else { return begin };
        let array = &self.recording.arrays[key.array as usize];
        if stride.unsigned_abs() as usize <= array.size {
            return format!("{begin}; let a warp's first thread begin at a multiple of 32 bytes");
        }
        let advice = match array.shape.len() {
            1 => "let neighbouring threads take neighbouring elements".to_owned(),
            _ => "let `thread_idx().x` run over the last axis".to_owned(),
        };
        format!("{begin}: neighbouring threads are {} bytes apart; {advice}", stride.abs())
    }
}

impl Counts {
    fn add(&mut self, value: usize, ideal: usize) {
        self.requests += 1;
        self.value += value;
        self.ideal += ideal;
        self.most = self.most.max(value);
    }

    fn row(&self, line: usize, finding: TraceFinding, access: String, advice: String) -> TraceRow {
        let average = |sum: usize| sum as f64 / self.requests.max(1) as f64;
        let count = self.requests;
        TraceRow { line, finding, access, count, value: average(self.value), ideal: average(self.ideal), advice }
    }
}

/// What is done beyond what would do: steps of a warp, or sectors, passes and turns, which take about as long.
fn loss(row: &TraceRow) -> f64 {
    let each = match row.finding {
        TraceFinding::ActiveLanes => 1.0 - row.value / row.ideal.max(1.0),
        _ => row.value - row.ideal,
    };
    each * row.count as f64
}

fn advice_on_banks(counts: &Counts, access: &str, axes: usize) -> String {
    if counts.value <= counts.ideal {
        return String::new();
    }
    let (average, ideal) = (counts.value as f64 / counts.requests as f64, counts.ideal as f64 / counts.requests as f64);
    let begin = format!(
        "each warp {access} in {average:.1} passes instead of {ideal:.1}, as lanes want different words of a bank"
    );
    let stride = counts.strides.iter().max_by_key(|(_, count)| **count).map_or(0, |(stride, _)| stride.abs());
    match stride {
        0..=4 => format!("{begin}; let neighbouring threads take neighbouring elements"),
        _ if axes == 1 => format!(
            "{begin}: neighbouring threads are {stride} bytes apart; let neighbouring threads take neighbouring elements"
        ),
        _ => format!(
            "{begin}: neighbouring threads are {stride} bytes apart; make the last axis one element longer, such as \
             `shared_array::<f32>([32, 33])`"
        ),
    }
}

/// Where an element is, in elements from the first.
fn offset(array: &TracedArray, index: usize) -> i64 {
    let mut rest = index;
    let mut offset = 0;
    for (&length, &stride) in array.shape.iter().zip(&array.strides).rev() {
        offset += (rest % length.max(1)) as i64 * stride as i64;
        rest /= length.max(1);
    }
    offset
}

/// The sectors that the elements at these addresses touch. Arrays begin at a multiple of 256 bytes.
fn sectors(addresses: &[(u8, i64)], size: i64) -> BTreeSet<i64> {
    let touched = addresses.iter().flat_map(|&(_, at)| at.div_euclid(SECTOR)..=(at + size - 1).div_euclid(SECTOR));
    touched.collect()
}

/// How many they would fill, side by side.
fn ideal_sectors(addresses: &[(u8, i64)], size: i64) -> usize {
    let elements: BTreeSet<i64> = addresses.iter().map(|&(_, at)| at).collect();
    (elements.len() as i64 * size).div_euclid(SECTOR) as usize
        + usize::from((elements.len() as i64 * size).rem_euclid(SECTOR) != 0)
}

/// In how many passes shared memory serves these addresses, and in how many at best. Lanes that want the same word are served
/// together; elements of eight bytes are served for half a warp at once, and of sixteen for a quarter.
fn passes(addresses: &[(u8, i64)], size: i64) -> (usize, usize) {
    let lanes_at_once = (128 / size.max(4)).clamp(1, 32);
    let mut parts: BTreeMap<i64, BTreeMap<i64, BTreeSet<i64>>> = BTreeMap::new();
    for &(lane, at) in addresses {
        let banks = parts.entry(i64::from(lane) / lanes_at_once).or_default();
        for word in at.div_euclid(4)..=(at + size - 1).div_euclid(4) {
            banks.entry(word.rem_euclid(BANKS)).or_default().insert(word);
        }
    }
    let passes = parts.values().map(|banks| banks.values().map(BTreeSet::len).max().unwrap_or(0)).sum();
    (passes, parts.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(address: impl Fn(i64) -> i64) -> Vec<(u8, i64)> {
        (0..32).map(|lane| (lane as u8, address(lane))).collect()
    }

    #[test]
    fn sectors_of_a_warp() {
        assert_eq!(sectors(&lanes(|lane| 4 * lane), 4).len(), 4);
        assert_eq!(sectors(&lanes(|lane| 4 + 4 * lane), 4).len(), 5);
        assert_eq!(sectors(&lanes(|lane| 8 * lane), 8).len(), 8);
        assert_eq!(sectors(&lanes(|lane| 4096 * lane), 4).len(), 32);
        assert_eq!(sectors(&lanes(|_| 12), 4).len(), 1);
        assert_eq!(sectors(&lanes(|lane| 1020 - 4 * lane), 4).len(), 4);
        assert_eq!((ideal_sectors(&lanes(|lane| 4096 * lane), 4), ideal_sectors(&lanes(|_| 12), 4)), (4, 1));
    }

    #[test]
    fn passes_of_a_warp() {
        assert_eq!(passes(&lanes(|lane| 4 * lane), 4), (1, 1));
        assert_eq!(passes(&lanes(|lane| 128 * lane), 4), (32, 1));
        assert_eq!(passes(&lanes(|lane| 132 * lane), 4), (1, 1));
        assert_eq!(passes(&lanes(|lane| 8 * lane), 4), (2, 1));
        assert_eq!(passes(&lanes(|_| 64), 4), (1, 1));
        assert_eq!(passes(&lanes(|lane| 8 * lane), 8), (2, 2));
        assert_eq!(passes(&lanes(|lane| 256 * lane), 8), (32, 2));
        assert_eq!(passes(&lanes(|lane| lane), 1), (1, 1));
    }
}
