//! Where the film of a launch opens: at the first wrong element, or where a thread accesses arrays once too often.

use super::case::Case;
use super::cell_table::value;
use super::examine::{Problem, writers};
use crate::tracing::{Opening, TracedArray};
use std::time::Duration;
use warpcell_threads::{AccessKind, Failure, Memory, RecordedAccess, Recording};

/// What a film is made of.
pub(super) struct Film {
    pub grid: [usize; 3],
    pub block: [usize; 3],
    pub most_events: usize,
    pub arrays: Vec<TracedArray>,
    pub recording: Recording,
    pub failure: Option<Failure>,
    pub opens: Option<Opening>,
    pub took: Duration,
}

/// What the player opens with. A failure has its own place.
pub(super) fn opening(
    case: &Case,
    accesses: &[RecordedAccess],
    found: &[f64],
    recording: &Recording,
    problem: Option<&Problem>,
) -> Option<Opening> {
    match problem? {
        Problem::Failed { .. } => None,
        Problem::Wrong { elements } => {
            let &element = elements.first()?;
            let writer = writers(accesses, case.out.name, element).last();
            let block = writer.map_or(0, |writer| writer.step.0);
            let expected = value(case.out.values[element]);
            let is = match writer {
                Some(_) => format!("is {}", value(found[element])),
                None => "was never written".to_owned(),
            };
            Some(Opening {
                block,
                position: recording.blocks.get(block)?.steps.len(),
                message: format!("`{}` should be {expected}, and {is}.", case.out.element(element)),
                thread: None,
                element: Some((case.inputs.len(), element)),
            })
        }
        Problem::Limit { reads, most, block, thread, .. } => {
            let mut counted = accesses.iter().filter(|access| {
                (access.block, access.thread) == (*block, *thread)
                    && matches!(access.memory, Memory::Array { .. })
                    && (access.kind == AccessKind::Read) == *reads
            });
            let beyond = counted.nth(*most)?;
            let [x, y, _] = case.block;
            let verb = if *reads { "reads" } else { "writes to" };
            let times = if *most == 1 { "1 is allowed".to_owned() } else { format!("{most} are allowed") };
            Some(Opening {
                block: beyond.step.0,
                position: beyond.step.1 + 1,
                message: format!("Here a thread {verb} an array once too often: {times}, shared ones not counted."),
                thread: Some(thread[0] + x * (thread[1] + y * thread[2])),
                element: None,
            })
        }
    }
}
