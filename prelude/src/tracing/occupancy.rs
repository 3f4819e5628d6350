//! How much of a multiprocessor a launch can use, and what limits that.

use crate::backend::launch::{Residency, Room};

/// Threads of a warp.
const WARP: usize = 32;
/// Registers are given to warps in pieces, to each part of a multiprocessor by itself; shared memory is given to blocks in pieces of
/// bytes. So it is on all GPUs that are supported.
const REGISTERS_AT_ONCE: usize = 256;
const PARTS: usize = 4;
const BYTES_AT_ONCE: usize = 128;

/// How many blocks and warps of a launch a multiprocessor runs at once, what a block needs, and what limits it: see
/// [`Roofline::occupancy`](crate::Roofline::occupancy).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LaunchOccupancy {
    /// Registers of each thread.
    pub registers: usize,
    /// Bytes of shared memory of each block, dynamic shared memory among them.
    pub shared_bytes: usize,
    /// Bytes of local memory of each thread: values for which there are no registers.
    pub local_bytes: usize,
    /// The blocks that a multiprocessor runs at once.
    pub blocks: usize,
    /// Their warps.
    pub warps: usize,
    /// As many warps there is room for.
    pub most_warps: usize,
    /// What there is no room for in one more block: `registers`, `shared memory`, `threads` or `blocks`; several if they end together.
    pub limits: Vec<&'static str>,
}

impl LaunchOccupancy {
    pub(super) fn of(residency: &Residency, threads: usize, dynamic: usize) -> LaunchOccupancy {
        let Residency { attributes, blocks, room } = residency;
        let shared_bytes = attributes.shared_bytes + dynamic;
        let warps = threads.div_ceil(WARP);
        let most = most_blocks(attributes.registers, shared_bytes, warps, room);
        // The driver knows best how many there are; what would allow no more is the reason.
        let least = most.iter().map(|&(_, most)| most).min().unwrap_or(0).max(*blocks);
        LaunchOccupancy {
            registers: attributes.registers,
            shared_bytes,
            local_bytes: attributes.local_bytes,
            blocks: *blocks,
            warps: blocks * warps,
            most_warps: room.threads / WARP,
            limits: most.iter().filter(|&&(_, most)| most <= least).map(|&(what, _)| what).collect(),
        }
    }

    /// The warps that run at once, divided by those that there is room for.
    pub fn fraction(&self) -> f64 {
        self.warps as f64 / self.most_warps.max(1) as f64
    }

    /// In a sentence.
    pub(super) fn text(&self) -> String {
        let spilled = match self.local_bytes {
            0 => String::new(),
            bytes => format!(", {bytes} bytes of local memory"),
        };
        let s = |count: usize| if count == 1 { "" } else { "s" };
        format!(
            "{:.0} %: {} block{} at once on a multiprocessor, {} of {} warps; limited by {} ({} registers a thread{spilled}, {} bytes of \
             shared memory a block)",
            100.0 * self.fraction(),
            self.blocks,
            s(self.blocks),
            self.warps,
            self.most_warps,
            if self.limits.is_empty() { "nothing".to_owned() } else { self.limits.join(" and ") },
            self.registers,
            self.shared_bytes,
        )
    }
}

/// How many blocks there is room for, by each of the things that they need.
fn most_blocks(registers: usize, shared_bytes: usize, warps: usize, room: &Room) -> [(&'static str, usize); 4] {
    let of_warp = (registers * WARP).next_multiple_of(REGISTERS_AT_ONCE).max(1);
    // Each part has its own registers, and warps cannot share parts.
    let by_registers = (room.registers / PARTS / of_warp) * PARTS / warps.max(1);
    let of_block = (shared_bytes + room.reserved_bytes).next_multiple_of(BYTES_AT_ONCE).max(1);
    [
        ("registers", if registers == 0 { usize::MAX } else { by_registers }),
        ("shared memory", if shared_bytes == 0 { usize::MAX } else { room.shared_bytes / of_block }),
        ("threads", room.threads / WARP / warps.max(1)),
        ("blocks", room.blocks),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::text::FunctionAttributes;

    /// A multiprocessor of an H100.
    const ROOM: Room =
        Room { threads: 2048, blocks: 32, registers: 65_536, shared_bytes: 233_472, reserved_bytes: 1024 };

    fn occupancy(registers: usize, shared_bytes: usize, threads: usize, blocks: usize) -> LaunchOccupancy {
        let attributes = FunctionAttributes {
            registers,
            shared_bytes,
            local_bytes: 0,
            constant_bytes: 0,
            max_threads: 1024,
            binary_version: (9, 0),
        };
        LaunchOccupancy::of(&Residency { attributes, blocks, room: ROOM }, threads, 0)
    }

    #[test]
    fn what_limits_a_launch() {
        let tile = occupancy(24, 4224, 1024, 2);
        // A third block would find neither registers nor room for its threads.
        assert_eq!((tile.limits.as_slice(), tile.warps, tile.fraction()), (&["registers", "threads"][..], 64, 1.0));
        let small = occupancy(16, 0, 32, 32);
        assert_eq!((small.limits.as_slice(), small.fraction()), (&["blocks"][..], 0.5));
        let many = occupancy(128, 0, 256, 2);
        assert_eq!((many.limits.as_slice(), many.fraction()), (&["registers"][..], 0.25));
        let shared = occupancy(32, 40_000, 256, 5);
        assert_eq!((shared.limits.as_slice(), shared.fraction()), (&["shared memory"][..], 0.625));
        assert_eq!(
            shared.text(),
            "62 %: 5 blocks at once on a multiprocessor, 40 of 64 warps; limited by shared memory (32 registers a thread, 40000 bytes \
             of shared memory a block)"
        );
        // 40 registers for each of 256 threads: 1280 of a warp, 12 warps in each of four parts.
        assert_eq!(most_blocks(40, 0, 8, &ROOM)[0], ("registers", 6));
    }
}
