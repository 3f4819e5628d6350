//! In which order the threads of a recorded block execute statements: those of a warp in lockstep, as on a GPU.
//!
//! A thread pauses before each statement. When all threads have paused, wait or have ended, one warp after another executes a
//! statement: of its paused lanes, those that are earliest in the program. A place in the program is the number of the statement,
//! behind the numbers of the loops around it, each with the number of its pass; the first difference decides. So the lanes that
//! leave a loop wait behind it for those that do not, the two sides of an `if` follow one another, and all go on together behind
//! it: the earliest place that the control flow allows. A function that a statement calls is like a loop there: its statements are
//! behind the number of the calling one, and which call of that it is. A lane that has been passed over very often goes first once, as on GPUs
//! whose lanes have program counters of their own: without that, a lane that waits for a lock would keep its holder waiting.

use crate::waits::{LANES, each};
use std::cmp::Ordering;

/// How often a lane is passed over, until a warp is known to have lanes that wait for one another, and from then on.
const PATIENCE: [u64; 2] = [4096, 16];

/// Where a thread is.
#[derive(Clone, Default)]
struct Place {
    /// The loops around the statement: their numbers, and which pass it is.
    loops: Vec<(u32, u64)>,
    position: u32,
}

impl Place {
    fn compare(&self, other: &Place) -> Ordering {
        for (mine, others) in self.loops.iter().zip(&other.loops) {
            match mine.cmp(others) {
                Ordering::Equal => {}
                different => return different,
            }
        }
        let at = |place: &Place, depth: usize| place.loops.get(depth).map_or(place.position, |&(number, _)| number);
        let depth = self.loops.len().min(other.loops.len());
        at(self, depth).cmp(&at(other, depth)).then(self.loops.len().cmp(&other.loops.len()))
    }
}

#[derive(Clone, Copy, Default)]
struct Statement {
    position: u32,
    /// How many loops and calls there are around it.
    depth: usize,
    line: u32,
    changes: bool,
}

/// The position behind all statements of a function that is called, where it returns.
const RETURN: u32 = u32::MAX;

#[derive(Clone, Default)]
struct Thread {
    place: Place,
    /// The statement that it executes, in the function that it is in.
    at: Statement,
    /// How many loops and calls there are around that function.
    base: usize,
    /// The calling statements, each with the base of its function.
    calls: Vec<(Statement, usize)>,
    slot: usize,
    /// The choice of its warp after which it has paused.
    since: u64,
}

#[derive(Clone, Default)]
struct Warp {
    paused: u32,
    choices: u64,
    /// Whether its lanes wait for one another outside of barriers.
    is_fair: bool,
}

/// Lanes that execute a statement together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) warp: u32,
    pub(crate) lanes: u32,
    pub(crate) line: u32,
    pub(crate) position: u32,
    /// Whether the statement is `a[i] += x` or the like.
    pub(crate) changes: bool,
    /// How many calls lead to the statement.
    pub(crate) calls: u32,
    /// Whether they come back to it from a call.
    pub(crate) returns: bool,
}

pub(crate) struct Lockstep {
    threads: Vec<Thread>,
    warps: Vec<Warp>,
    paused: usize,
    /// The warp whose turn it was.
    turn: usize,
    /// Those that are chosen and have not gone on.
    chosen: (usize, u32),
}

impl Lockstep {
    pub(crate) fn new(threads: usize) -> Lockstep {
        Lockstep {
            threads: vec![Thread::default(); threads],
            warps: vec![Warp::default(); threads.div_ceil(LANES)],
            paused: 0,
            turn: 0,
            chosen: (0, 0),
        }
    }

    /// Begins a block.
    pub(crate) fn begin(&mut self) {
        for thread in &mut self.threads {
            thread.place.loops.clear();
            thread.calls.clear();
            thread.base = 0;
        }
        self.warps.iter_mut().for_each(|warp| *warp = Warp::default());
        (self.paused, self.turn, self.chosen) = (0, self.warps.len() - 1, (0, 0));
    }

    /// How many threads pause.
    pub(crate) fn waiting(&self) -> usize {
        self.paused
    }

    /// A thread begins a pass of a loop with `depth` others around it.
    pub(crate) fn pass(&mut self, thread: usize, number: u32, depth: usize) {
        let thread = &mut self.threads[thread];
        again(&mut thread.place.loops, number, thread.base + depth);
    }

    /// A thread calls a function.
    pub(crate) fn enter(&mut self, thread: usize) {
        let thread = &mut self.threads[thread];
        let at = thread.at;
        again(&mut thread.place.loops, at.position, at.depth);
        thread.calls.push((at, thread.base));
        thread.base = at.depth + 1;
    }

    /// It comes back.
    pub(crate) fn come_back(&mut self, thread: usize) {
        let thread = &mut self.threads[thread];
        if let Some((at, base)) = thread.calls.pop() {
            (thread.at, thread.base) = (at, base);
        }
    }

    /// A thread pauses where it has come back.
    pub(crate) fn pause_behind(&mut self, thread: usize, slot: usize) {
        let paused = &mut self.threads[thread];
        paused.place.loops.truncate(paused.at.depth + 1);
        paused.place.position = RETURN;
        self.wait(thread, slot);
    }

    /// A thread pauses before a statement with `depth` loops around it.
    pub(crate) fn pause(&mut self, thread: usize, slot: usize, position: u32, depth: usize, line: u32, changes: bool) {
        let paused = &mut self.threads[thread];
        let depth = paused.base + depth;
        paused.place.loops.truncate(depth);
        paused.place.position = position;
        paused.at = Statement { position, depth, line, changes };
        self.wait(thread, slot);
    }

    fn wait(&mut self, thread: usize, slot: usize) {
        let warp = &mut self.warps[thread / LANES];
        warp.paused |= 1 << (thread % LANES);
        self.paused += 1;
        (self.threads[thread].slot, self.threads[thread].since) = (slot, warp.choices);
    }

    /// The coroutine of the next thread that goes on, and with the first of a group the group.
    pub(crate) fn next(&mut self) -> Option<(usize, Option<Group>)> {
        let mut group = None;
        if self.chosen.1 == 0 {
            group = Some(self.choose()?);
        }
        let (warp, lanes) = self.chosen;
        let lane = lanes.trailing_zeros() as usize;
        self.chosen.1 &= lanes - 1;
        Some((self.leave(warp * LANES + lane), group))
    }

    /// The coroutine of any thread that pauses, to end it.
    pub(crate) fn evict(&mut self) -> Option<usize> {
        let warp = self.warps.iter().position(|warp| warp.paused != 0)?;
        let lane = self.warps[warp].paused.trailing_zeros() as usize;
        self.chosen.1 = 0;
        Some(self.leave(warp * LANES + lane))
    }

    fn leave(&mut self, thread: usize) -> usize {
        self.warps[thread / LANES].paused &= !(1 << (thread % LANES));
        self.paused -= 1;
        self.threads[thread].slot
    }

    fn choose(&mut self) -> Option<Group> {
        let count = self.warps.len();
        let warp = (1..=count).map(|step| (self.turn + step) % count).find(|&warp| self.warps[warp].paused != 0)?;
        self.turn = warp;
        let first = warp * LANES;
        let threads = &self.threads[first..];
        let mut paused = each(self.warps[warp].paused);
        let mut leader = paused.next()?;
        let (mut oldest, mut lanes) = (leader, 1 << leader);
        for lane in paused {
            match threads[lane].place.compare(&threads[leader].place) {
                Ordering::Less => (leader, lanes) = (lane, 1 << lane),
                Ordering::Equal => lanes |= 1 << lane,
                Ordering::Greater => {}
            }
            if threads[lane].since < threads[oldest].since {
                oldest = lane;
            }
        }
        let state = &mut self.warps[warp];
        state.choices += 1;
        let passed_over = state.choices - threads[oldest].since;
        if passed_over > PATIENCE[usize::from(state.is_fair)] {
            state.is_fair = true;
            leader = oldest;
            let same = |lane: &usize| threads[*lane].place.compare(&threads[leader].place) == Ordering::Equal;
            lanes = each(state.paused).filter(same).fold(0, |lanes, lane| lanes | 1 << lane);
        }
        self.chosen = (warp, lanes);
        let Thread { at: Statement { position, line, changes, .. }, ref place, ref calls, .. } = threads[leader];
        let (calls, returns) = (calls.len() as u32, place.position == RETURN);
        Some(Group { warp: warp as u32, lanes, line, position, changes, calls, returns })
    }
}

/// The next pass of a loop, or the next call of a statement, with `depth` others around it.
fn again(loops: &mut Vec<(u32, u64)>, number: u32, depth: usize) {
    loops.truncate(depth + 1);
    match loops.get_mut(depth) {
        Some((known, pass)) if *known == number => *pass += 1,
        Some(other) => *other = (number, 0),
        None => loops.push((number, 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paused(places: &[(&[(u32, usize)], u32)]) -> Lockstep {
        let mut lockstep = Lockstep::new(places.len());
        lockstep.begin();
        for (thread, (loops, position)) in places.iter().enumerate() {
            for (depth, &(number, passes)) in loops.iter().enumerate() {
                (0..=passes).for_each(|_| lockstep.pass(thread, number, depth));
            }
            lockstep.pause(thread, thread, *position, loops.len(), *position, false);
        }
        lockstep
    }

    fn groups(mut lockstep: Lockstep) -> Vec<(u32, u32)> {
        let mut groups = Vec::new();
        while let Some((_, group)) = lockstep.next() {
            groups.extend(group.map(|group| (group.position, group.lanes)));
        }
        groups
    }

    #[test]
    fn the_earliest_lanes_go_first() {
        // Two lanes in a loop of statement 2, one pass apart; one behind the loop; one before it.
        let lockstep = paused(&[(&[(2, 1)], 3), (&[(2, 0)], 4), (&[], 5), (&[], 1), (&[(2, 1)], 3)]);
        assert_eq!(groups(lockstep), [(1, 0b1000), (4, 0b10), (3, 0b10001), (5, 0b100)]);
    }

    #[test]
    fn inner_passes_count_anew() {
        // A lane in the second pass of the outer loop is behind one that has made many passes of the inner loop in the first.
        let lockstep = paused(&[(&[(1, 1)], 2), (&[(1, 0), (2, 9)], 3)]);
        assert_eq!(groups(lockstep), [(3, 0b10), (2, 0b1)]);
    }

    #[test]
    fn calls_are_like_loops() {
        let mut lockstep = Lockstep::new(4);
        lockstep.begin();
        // All come to statement 3, which calls a function. Lane 3 has not called it yet, lane 2 calls it twice.
        for thread in 0..4 {
            lockstep.pause(thread, thread, 3, 0, 30, false);
        }
        for _ in 0..4 {
            lockstep.next();
        }
        lockstep.pause(3, 3, 3, 0, 30, false);
        for thread in 0..3 {
            lockstep.enter(thread);
            lockstep.pause(thread, thread, 1 + thread as u32 % 2, 0, 7, false);
        }
        let mut order = Vec::new();
        while let Some((slot, group)) = lockstep.next() {
            order.extend(group.map(|group| (group.line, group.position, group.lanes, group.calls, group.returns)));
            if slot < 3 && order.len() < 4 {
                lockstep.come_back(slot);
                if slot == 2 {
                    lockstep.enter(slot);
                    lockstep.pause(slot, slot, 1, 0, 7, false);
                } else {
                    lockstep.pause_behind(slot, slot);
                }
            }
        }
        let expected = [
            (30, 3, 0b1000, 0, false),
            (7, 1, 0b101, 1, false),
            (7, 2, 0b10, 1, false),
            (30, 3, 0b11, 0, true),
            (7, 1, 0b100, 1, false),
        ];
        assert_eq!(order, expected);
    }

    #[test]
    fn warps_take_turns() {
        let mut lockstep = Lockstep::new(64);
        lockstep.begin();
        (0..64).for_each(|thread| lockstep.pause(thread, thread, 1, 0, 1, false));
        let mut turns = Vec::new();
        for _ in 0..4 * 32 {
            let (slot, group) = lockstep.next().unwrap();
            turns.extend(group.map(|group| (group.warp, group.lanes == u32::MAX)));
            lockstep.pause(slot, slot, 2, 0, 2, false);
        }
        assert_eq!(turns, [(0, true), (1, true), (0, true), (1, true)]);
    }

    #[test]
    fn a_lane_that_others_wait_for_goes_on() {
        // Lane 0 holds what lane 1 asks for in a loop without end.
        let mut lockstep = Lockstep::new(2);
        lockstep.begin();
        lockstep.pause(0, 0, 9, 0, 9, false);
        for turn in 0.. {
            lockstep.pass(1, 1, 0);
            lockstep.pause(1, 1, 2, 1, 2, false);
            let (slot, group) = lockstep.next().unwrap();
            if slot == 0 {
                assert_eq!((group.unwrap().lanes, turn), (0b1, 4096));
                break;
            }
        }
    }
}
