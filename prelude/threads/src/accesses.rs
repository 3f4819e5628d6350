//! What threads have accessed, read out of a recording.

use crate::checker::place_of;
use crate::failure::{AccessKind, Memory};
use crate::recording::{Event, RecordedBlock, Recording, What};
use crate::waits::LANES;

/// One access of one thread.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedAccess {
    /// What was accessed.
    pub memory: Memory,
    /// The element's number in C order.
    pub index: usize,
    /// How.
    pub kind: AccessKind,
    /// `thread_idx()` of the thread.
    pub thread: [usize; 3],
    /// `block_idx()` of its block.
    pub block: [usize; 3],
    /// The line of the compiled file.
    pub line: u32,
    /// How many barriers of its block the thread had passed.
    pub phase: usize,
    /// The step of the recording: the block's place among those recorded, and the step's there.
    pub step: (usize, usize),
}

impl Recording {
    /// The accesses of a launch of `grid` blocks of `block` threads, in the order in which they were made. `a[i] += v` and its like are
    /// one access, a write.
    pub fn accesses(&self, grid: [usize; 3], block: [usize; 3]) -> Vec<RecordedAccess> {
        let of = |(number, recorded): (usize, &RecordedBlock)| self.accesses_of(number, recorded, grid, block);
        self.blocks.iter().enumerate().flat_map(of).collect()
    }

    fn accesses_of(
        &self,
        number: usize,
        recorded: &RecordedBlock,
        grid: [usize; 3],
        block: [usize; 3],
    ) -> Vec<RecordedAccess> {
        let mut accesses = Vec::new();
        for (at, step) in recorded.steps.iter().enumerate() {
            let events = recorded.events_of(at);
            for (event, next) in events.iter().zip(events.iter().skip(1).map(Some).chain([None])) {
                let Some((array, index, kind)) = access(event, next) else { continue };
                let thread = step.warp.unwrap_or(0) as usize * LANES + usize::from(event.lane);
                accesses.push(RecordedAccess {
                    memory: self.arrays[array as usize].memory.clone(),
                    index: index as usize,
                    kind,
                    thread: place_of(thread, block),
                    block: place_of(recorded.number, grid),
                    line: event.place.map_or(step.line, |place| place.line()),
                    phase: step.phase as usize,
                    step: (number, at),
                });
            }
        }
        accesses
    }
}

/// The array, the element and the kind of an access, but not of a read that is a part of the next event, a write.
fn access(event: &Event, next: Option<&Event>) -> Option<(u32, u32, AccessKind)> {
    match event.what {
        What::Read { array, index, .. } => {
            let goes_on = next.is_some_and(|next| {
                let same = (next.lane, next.place) == (event.lane, event.place);
                same && matches!(next.what, What::Write { array: to, index: at, .. } if (to, at) == (array, index))
            });
            (!goes_on).then_some((array, index, AccessKind::Read))
        }
        What::Write { array, index, .. } => Some((array, index, AccessKind::Write)),
        What::Atomic { array, index, .. } => Some((array, index, AccessKind::Atomic)),
        _ => None,
    }
}
