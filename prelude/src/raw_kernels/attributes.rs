//! The attributes of a compiled kernel, [`KernelAttributes`], and how much of a device it fills, [`Occupancy`].

use crate::backend::text::{FunctionAttributes, Limits};
use crate::timing::table::{self, Table};
use std::fmt;

/// The attributes of a compiled kernel, and how much of the device it can fill. They are shown as a table. See
/// [`RawKernel::attributes`](crate::RawKernel::attributes) and [`kernel_attributes`](crate::kernel_attributes).
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct KernelAttributes {
    /// The kernel's name.
    pub name: String,
    /// Registers of each thread.
    pub registers: usize,
    /// Bytes of shared memory of each block that the text declares. A launch may ask for more.
    pub shared_bytes: usize,
    /// Bytes of local memory of each thread: values for which there are no registers, and arrays with computed indices.
    pub local_bytes: usize,
    /// Bytes of constant memory.
    pub constant_bytes: usize,
    /// The most threads of a block that the kernel's registers allow.
    pub max_threads_per_block: usize,
    /// The architecture that the machine code is for, such as (9, 0).
    pub binary_version: (usize, usize),
    /// How much of the device is filled by blocks of common sizes.
    pub occupancy: Vec<Occupancy>,
}

/// How many blocks of a size a multiprocessor runs at once.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Occupancy {
    /// The threads of a block.
    pub threads: usize,
    /// The number of blocks that a multiprocessor runs at once; 0 if it cannot run one.
    pub blocks: usize,
    /// The threads of these blocks, divided by the threads that a multiprocessor can run at once; at most 1.
    pub fraction: f64,
}

impl Occupancy {
    pub(crate) fn new(threads: usize, blocks: usize, limits: &Limits) -> Occupancy {
        Occupancy { threads, blocks, fraction: (threads * blocks) as f64 / limits.resident_threads.max(1) as f64 }
    }
}

impl KernelAttributes {
    pub(crate) fn new(name: &str, of_function: FunctionAttributes, occupancy: Vec<Occupancy>) -> KernelAttributes {
        KernelAttributes {
            name: name.to_owned(),
            registers: of_function.registers,
            shared_bytes: of_function.shared_bytes,
            local_bytes: of_function.local_bytes,
            constant_bytes: of_function.constant_bytes,
            max_threads_per_block: of_function.max_threads,
            binary_version: of_function.binary_version,
            occupancy,
        }
    }

    fn summary(&self) -> String {
        let (major, minor) = self.binary_version;
        let spilled =
            if self.local_bytes > 0 { format!(", {} bytes of local memory", self.local_bytes) } else { String::new() };
        format!(
            "{}: {} registers a thread{spilled}, {} bytes of shared memory a block, {} bytes of constant memory, blocks of up to \
             {} threads, code for {major}.{minor}",
            self.name, self.registers, self.shared_bytes, self.constant_bytes, self.max_threads_per_block
        )
    }

    fn table(&self) -> Table {
        let mut table = Table::new(0, &["threads a block", "blocks a multiprocessor", "occupancy"]);
        for Occupancy { threads, blocks, fraction } in &self.occupancy {
            table.row(vec![threads.to_string(), blocks.to_string(), format!("{:.0} %", 100.0 * fraction)]);
        }
        table
    }
}

impl fmt::Display for KernelAttributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}", self.summary(), self.table().text())
    }
}

impl fmt::Debug for KernelAttributes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        table::write_rich(f, &self.to_string(), [&self.summary(), ""], &self.table(), String::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn attributes_are_shown_as_a_table() {
        let of_function = FunctionAttributes {
            registers: 40,
            shared_bytes: 2048,
            local_bytes: 16,
            constant_bytes: 0,
            max_threads: 1024,
            binary_version: (9, 0),
        };
        let limits = Limits {
            threads: 1024,
            block: [1024, 1024, 64],
            grid: [2_147_483_647, 65_535, 65_535],
            shared_bytes: 232_448,
            resident_threads: 2048,
            multiprocessors: 132,
        };
        let occupancy =
            [(64, 24), (256, 6), (1024, 1)].map(|(threads, blocks)| Occupancy::new(threads, blocks, &limits));
        let attributes = KernelAttributes::new("mul", of_function, occupancy.to_vec());
        expect![[r#"
            mul: 40 registers a thread, 16 bytes of local memory, 2048 bytes of shared memory a block, 0 bytes of constant memory, blocks of up to 1024 threads, code for 9.0
            threads a block   blocks a multiprocessor   occupancy
                         64                        24        75 %
                        256                         6        75 %
                       1024                         1        50 %"#]]
        .assert_eq(&format!("{attributes:?}"));
    }
}
