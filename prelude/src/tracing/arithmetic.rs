//! Arithmetic per byte: what the recorded threads computed, beside the bytes of global memory that their accesses move.

use crate::number::general;
use crate::registry::{Kernel, items_of_kernel};
use crate::timing::format::{bytes, thousands};
use std::ops::AddAssign;
use warpcell_threads::Operations;

/// The `#[device]` functions of a kernel, whose arithmetic is not counted; none if it is not known what the kernel computes.
pub(super) fn uncounted(kernel: &Kernel) -> Option<Vec<String>> {
    kernel.threads.recorded?;
    let items = items_of_kernel(kernel);
    let functions = items.texts().filter(|(name, text)| *name != kernel.name && text.source.contains("fn "));
    let mut names: Vec<String> =
        functions.map(|(name, _)| format!("`{}`", name.rsplit("::").next().unwrap_or(name))).collect();
    names.sort();
    Some(names)
}

/// What threads computed, and the bytes that they moved for it: of a line ([`TraceReport::arithmetic_of`](crate::TraceReport::arithmetic_of))
/// or of all recorded blocks ([`TraceReport::arithmetic`](crate::TraceReport::arithmetic)).
///
/// Operations are counted as the kernel's text has them, by the types of their values: `+`, `-`, `*`, `/`, `%`, operators of bits, and
/// methods such as `sqrt` and `max` are one each, `mul_add` is two. So a product and a sum are two, also where a GPU computes both by one
/// fused instruction. Of complex numbers, a sum is two, a product six, and a quotient eleven. Comparisons, signs, casts and atomic
/// operations do not count, nor does what `#[device]` functions compute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TraceArithmetic {
    /// Operations of `f16` and `bf16`.
    pub half: u64,
    /// Operations of `f32`.
    pub single: u64,
    /// Operations of `f64`.
    pub double: u64,
    /// Operations of integers, such as indices that are computed.
    pub integer: u64,
    /// Bytes of global memory that warps ask for, 32 for each sector of each access.
    pub bytes: u64,
}

impl TraceArithmetic {
    pub(super) fn computes(&mut self, operations: &Operations) {
        self.half += operations.half;
        self.single += operations.single;
        self.double += operations.double;
        self.integer += operations.integer;
    }

    /// Operations of floating-point numbers.
    pub fn floating(&self) -> u64 {
        self.half + self.single + self.double
    }

    /// Operations of floating-point numbers, or of integers if there are no others, for each byte; infinite if no bytes are moved, and 0
    /// if nothing is computed.
    pub fn per_byte(&self) -> f64 {
        match (self.main(), self.bytes) {
            (0, _) => 0.0,
            (operations, bytes) => operations as f64 / bytes as f64,
        }
    }

    /// The operations that count for [`per_byte`](Self::per_byte).
    pub(super) fn main(&self) -> u64 {
        if self.floating() > 0 { self.floating() } else { self.integer }
    }

    /// What the main operations are of.
    pub(super) fn of(&self) -> &'static str {
        match (self.half > 0, self.single > 0, self.double > 0) {
            (false, true, false) => "f32",
            (false, false, true) => "f64",
            (true, false, false) => "f16",
            (false, false, false) => "integers",
            _ => "floats",
        }
    }

    /// The counts of operations in words.
    pub(super) fn counts_text(&self) -> String {
        let counted = |count: u64, what: &str| {
            let s = if count == 1 { "" } else { "s" };
            format!("{} {what} operation{s}", thousands(count))
        };
        match (self.floating(), self.integer) {
            (0, integer) => counted(integer, "integer"),
            (floating, 0) => counted(floating, "floating-point"),
            (floating, integer) => {
                format!("{} and {}", counted(floating, "floating-point"), counted(integer, "integer"))
            }
        }
    }

    /// Operations and bytes in words.
    pub(super) fn text(&self) -> String {
        let said = self.counts_text();
        match (self.bytes, self.main()) {
            (0, _) => format!("{said}, and no bytes of global memory"),
            (moved, 0) => format!("{said}, {} of global memory", bytes(moved)),
            (moved, _) => format!("{said}, {} of global memory: {}", bytes(moved), self.per_byte_text()),
        }
    }

    /// The quotient in words.
    pub(super) fn per_byte_text(&self) -> String {
        format!("{} a byte", general(self.per_byte(), 3))
    }
}

impl AddAssign for TraceArithmetic {
    fn add_assign(&mut self, other: TraceArithmetic) {
        self.half += other.half;
        self.single += other.single;
        self.double += other.double;
        self.integer += other.integer;
        self.bytes += other.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_counts() {
        let some = TraceArithmetic { single: 2048, integer: 1, bytes: 8192, ..TraceArithmetic::default() };
        assert_eq!(
            some.text(),
            "2,048 floating-point operations and 1 integer operation, 8.192 kB of global memory: 0.25 a byte"
        );
        let none = TraceArithmetic { bytes: 64, ..TraceArithmetic::default() };
        assert_eq!((none.text(), none.per_byte()), ("0 integer operations, 64 bytes of global memory".to_owned(), 0.0));
        let integers = TraceArithmetic { integer: 3, ..TraceArithmetic::default() };
        assert_eq!(integers.text(), "3 integer operations, and no bytes of global memory");
    }
}
