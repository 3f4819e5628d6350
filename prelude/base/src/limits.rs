//! Whether a device can launch a kernel in a given size, and which size suits a number of threads.

use crate::backend::launch::LaunchSize;
use crate::backend::text::Limits;
use crate::error::{Error, Result};

/// Fails if no kernel can be launched with a grid and a block of these lengths.
pub fn launch_size(
    operation: &'static str,
    kernel: &str,
    grid: [i64; 3],
    block: [i64; 3],
    shared: usize,
) -> Result<LaunchSize> {
    for (lengths, what, advice) in [
        (
            grid,
            "grid",
            "; `n.div_ceil(threads)` blocks have a thread for each of n elements; with n = 0 there is nothing to \
             launch (`launch_for` takes 0 too)",
        ),
        (block, "block", ", and blocks are often of 128 or 256 threads"),
    ] {
        if lengths.iter().any(|&length| length < 1) {
            let reason = format!(
                "`{kernel}` cannot be launched with a {what} of {}: every length must be at least 1{advice}",
                times(lengths)
            );
            return Err(Error::argument(operation, reason));
        }
    }
    // What is longer is too long for every device.
    let number = |length: i64| u32::try_from(length).unwrap_or(u32::MAX);
    let shared = u32::try_from(shared).unwrap_or(u32::MAX);
    Ok(LaunchSize { grid: grid.map(number), block: block.map(number), shared })
}

/// Fails if a device cannot launch any kernel in this size.
pub fn within(operation: &'static str, kernel: &str, device: &str, size: LaunchSize, limits: &Limits) -> Result<()> {
    let fits =
        |lengths: [u32; 3], most: [usize; 3]| lengths.iter().zip(most).all(|(&length, most)| length as usize <= most);
    let is_within = threads_of(size) <= limits.threads
        && fits(size.block, limits.block)
        && fits(size.grid, limits.grid)
        && size.shared as usize <= limits.shared_bytes;
    if is_within { Ok(()) } else { Err(beyond(operation, kernel, device, size, limits)) }
}

/// The threads of a block.
pub fn threads_of(size: LaunchSize) -> usize {
    size.block.iter().fold(1usize, |product, &length| product.saturating_mul(length as usize))
}

#[cold]
fn beyond(operation: &'static str, kernel: &str, device: &str, size: LaunchSize, limits: &Limits) -> Error {
    let (grid, block) = (times(size.grid), times(size.block));
    let threads = threads_of(size);
    let is_too_long =
        |lengths: [u32; 3], most: [usize; 3]| lengths.iter().zip(most).any(|(&length, most)| length as usize > most);
    let reason = if threads > limits.threads {
        format!(
            "a block of {block} has {threads} threads, but {device} allows at most {}; launch more blocks with fewer \
             threads",
            limits.threads
        )
    } else if is_too_long(size.block, limits.block) {
        format!(
            "a block of {block} is too long along an axis: {device} allows at most {}; put the longest axis along x",
            times(limits.block)
        )
    } else if is_too_long(size.grid, limits.grid) {
        format!(
            "a grid of {grid} is too long along an axis: {device} allows at most {}; put the longest axis along x, or \
             launch fewer blocks whose threads loop: `for i in grid_stride(n)`",
            times(limits.grid)
        )
    } else {
        return too_much_shared_memory(operation, kernel, device, [0, size.shared as usize], limits.shared_bytes);
    };
    refused(operation, kernel, &reason)
}

/// The error for a kernel whose blocks need more shared memory than there is: bytes that it declares, and that the launch asks for.
#[cold]
pub fn too_much_shared_memory(
    operation: &'static str,
    kernel: &str,
    device: &str,
    [declared, asked]: [usize; 2],
    most: usize,
) -> Error {
    let needed = declared.saturating_add(asked);
    let parts = match (declared, asked) {
        (0, _) | (_, 0) => String::new(),
        _ => format!(" ({declared} for its `shared_array`s, and {asked} that the launch asks for)"),
    };
    let reason = format!(
        "a block needs {needed} bytes of shared memory{parts}, but {device} has at most {most}; use smaller tiles, or \
         keep less in a tile"
    );
    refused(operation, kernel, &reason)
}

/// The error for a kernel whose `shared_array`s are larger than a program may declare.
#[cold]
pub fn too_large_shared_arrays(operation: &'static str, kernel: &str, declared: usize, most: usize) -> Error {
    let reason = format!(
        "its `shared_array`s take {declared} bytes per block, but those of fixed size can take at most {most}; make \
         the largest one a `dynamic_shared_array`, and set its size with `LaunchConfig::dynamic_shared_bytes`"
    );
    refused(operation, kernel, &reason)
}

/// The error for a block whose threads need more registers than there are.
#[cold]
pub fn too_many_registers(
    operation: &'static str,
    kernel: &str,
    size: LaunchSize,
    registers: usize,
    most: usize,
) -> Error {
    let reason = format!(
        "a block of {} has {} threads, but each thread of this kernel uses {registers} registers, so a block can have \
         at most {most}; launch more blocks with fewer threads",
        times(size.block),
        threads_of(size)
    );
    refused(operation, kernel, &reason)
}

fn refused(operation: &'static str, kernel: &str, reason: &str) -> Error {
    Error::argument(operation, format!("`{kernel}` cannot be launched: {reason}"))
}

/// Lengths as one writes them, such as `32 × 8 × 1`.
pub fn times<T: ToString>(lengths: [T; 3]) -> String {
    lengths.map(|length| length.to_string()).join(" × ")
}

/// A grid and a block that have a thread for each index below `lengths`; none of these is negative.
pub fn for_threads(lengths: [i64; 3]) -> [[i64; 3]; 2] {
    // Whole warps; along x, where neighbours in memory are, as many threads as read whole lines.
    let most = match lengths {
        [_, 1, 1] => [256, 1, 1],
        [_, _, 1] => [32, 8, 1],
        _ => [16, 4, 4],
    };
    let mut block = [1; 3];
    for axis in 0..3 {
        let wanted =
            if axis == 0 && lengths[1] == 1 && lengths[2] == 1 { (lengths[0] + 31) / 32 * 32 } else { lengths[axis] };
        block[axis] = wanted.clamp(1, most[axis]);
    }
    let grid = [0, 1, 2].map(|axis| (lengths[axis] + block[axis] - 1) / block[axis]);
    [grid, block]
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn launches_are_within_limits() {
        let limits = Limits {
            threads: 1024,
            block: [1024, 1024, 64],
            grid: [2_147_483_647, 65_535, 65_535],
            shared_bytes: 232_448,
            resident_threads: 2048,
            multiprocessors: 132,
        };
        let launch = |grid, block, shared| {
            let size = launch_size("launch", "blur", grid, block, shared);
            let result = size.and_then(|size| within("launch", "blur", "cuda:0", size, &limits));
            result.err().map_or("is within".into(), |error| error.to_string())
        };
        assert_eq!(launch([65_536, 1, 1], [32, 32, 1], 232_448), "is within");
        let all = [
            launch([0, 1, 1], [32, 1, 1], 0),
            launch([1, 1, 1], [32, -1, 1], 0),
            launch([1, 1, 1], [32, 64, 1], 0),
            launch([1, 1, 1], [1, 1, 128], 0),
            launch([1, 65_536, 1], [1, 1, 1], 0),
            launch([i64::MAX, 1, 1], [i64::MAX, 1, 1], 0),
            launch([i64::MAX, 1, 1], [1, 1, 1], 0),
            launch([1, 1, 1], [1, 1, 1], 232_449),
            too_much_shared_memory("launch", "blur", "cpu", [40_000, 10_000], 49_152).to_string(),
            too_large_shared_arrays("launch", "blur", 65_536, 49_152).to_string(),
            too_many_registers("launch", "blur", LaunchSize { grid: [1; 3], block: [32, 32, 1], shared: 0 }, 100, 640)
                .to_string(),
        ];
        expect![[r#"
            launch: `blur` cannot be launched with a grid of 0 × 1 × 1: every length must be at least 1; `n.div_ceil(threads)` blocks have a thread for each of n elements; with n = 0 there is nothing to launch (`launch_for` takes 0 too)
            launch: `blur` cannot be launched with a block of 32 × -1 × 1: every length must be at least 1, and blocks are often of 128 or 256 threads
            launch: `blur` cannot be launched: a block of 32 × 64 × 1 has 2048 threads, but cuda:0 allows at most 1024; launch more blocks with fewer threads
            launch: `blur` cannot be launched: a block of 1 × 1 × 128 is too long along an axis: cuda:0 allows at most 1024 × 1024 × 64; put the longest axis along x
            launch: `blur` cannot be launched: a grid of 1 × 65536 × 1 is too long along an axis: cuda:0 allows at most 2147483647 × 65535 × 65535; put the longest axis along x, or launch fewer blocks whose threads loop: `for i in grid_stride(n)`
            launch: `blur` cannot be launched: a block of 4294967295 × 1 × 1 has 4294967295 threads, but cuda:0 allows at most 1024; launch more blocks with fewer threads
            launch: `blur` cannot be launched: a grid of 4294967295 × 1 × 1 is too long along an axis: cuda:0 allows at most 2147483647 × 65535 × 65535; put the longest axis along x, or launch fewer blocks whose threads loop: `for i in grid_stride(n)`
            launch: `blur` cannot be launched: a block needs 232449 bytes of shared memory, but cuda:0 has at most 232448; use smaller tiles, or keep less in a tile
            launch: `blur` cannot be launched: a block needs 50000 bytes of shared memory (40000 for its `shared_array`s, and 10000 that the launch asks for), but cpu has at most 49152; use smaller tiles, or keep less in a tile
            launch: `blur` cannot be launched: its `shared_array`s take 65536 bytes per block, but those of fixed size can take at most 49152; make the largest one a `dynamic_shared_array`, and set its size with `LaunchConfig::dynamic_shared_bytes`
            launch: `blur` cannot be launched: a block of 32 × 32 × 1 has 1024 threads, but each thread of this kernel uses 100 registers, so a block can have at most 640; launch more blocks with fewer threads"#]].assert_eq(&all.join("\n"));
    }

    #[test]
    fn sizes_for_numbers_of_threads() {
        assert_eq!(for_threads([1000, 1, 1]), [[4, 1, 1], [256, 1, 1]]);
        assert_eq!(for_threads([1, 1, 1]), [[1, 1, 1], [32, 1, 1]]);
        assert_eq!(for_threads([100, 1, 1]), [[1, 1, 1], [128, 1, 1]]);
        assert_eq!(for_threads([512, 100, 1]), [[16, 13, 1], [32, 8, 1]]);
        assert_eq!(for_threads([3, 100, 1]), [[1, 13, 1], [3, 8, 1]]);
        assert_eq!(for_threads([64, 64, 64]), [[4, 16, 16], [16, 4, 4]]);
        assert_eq!(for_threads([1, 1, 64]), [[1, 1, 16], [1, 1, 4]]);
    }
}
