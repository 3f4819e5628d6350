//! Correct kernels: a checked launch has nothing to say of them, and they compute what they should however they are launched.

#![allow(clippy::manual_is_multiple_of)] // kernels are written as by somebody who knows CUDA C

/// Launches a kernel, checked or not: `launch!(mode, kernel, grid, block, arguments)`, or with a `LaunchConfig`.
macro_rules! launch {
    ($mode:expr, $kernel:expr, $grid:expr, $block:expr, $arguments:expr) => {
        launch!($mode, $kernel, warpcell::LaunchConfig::new($grid, $block), $arguments)
    };
    ($mode:expr, $kernel:expr, $config:expr, $arguments:expr) => {{
        match $mode {
            Mode::Checked => warpcell::try_launch_with($config.checked(), $kernel, $arguments),
            Mode::Plain => warpcell::try_launch_with($config, $kernel, $arguments),
            Mode::Traced => warpcell::try_launch_traced_with($config.trace_blocks(0..1 << 16), $kernel, $arguments)
                .map(|trace| {
                    assert!(trace.error().is_none(), "{:?}", trace.error());
                    let played = crate::tracing::replayed(&trace);
                    assert!(!played.locals.is_empty());
                    played.has_final_arrays(&trace);
                }),
        }
    }};
}

mod elements;
mod shared;
mod warps;

use warpcell as gpu;

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Plain,
    Checked,
    Traced,
}

struct Correct {
    kernel: &'static str,
    /// Launches the kernel, and asserts what it has computed.
    run: fn(Mode) -> gpu::Result<()>,
}

fn table() -> impl Iterator<Item = &'static Correct> {
    [elements::CORRECT, shared::CORRECT, warps::CORRECT].into_iter().flatten()
}

fn run_all(mode: Mode) {
    let failed: Vec<String> = table()
        .filter_map(|correct| (correct.run)(mode).err().map(|error| format!("{}: {error}", correct.kernel)))
        .collect();
    assert!(failed.is_empty(), "{mode:?}:\n{}", failed.join("\n"));
}

#[test]
fn correct_kernels_compute_what_they_should() {
    run_all(Mode::Plain);
    assert!(table().count() >= 40);
}

#[test]
fn checked_launches_say_nothing_of_correct_kernels() {
    if gpu::device() == gpu::Device::Cpu {
        run_all(Mode::Checked);
    }
}

#[test]
fn traces_of_correct_kernels_are_executions() {
    run_all(Mode::Traced);
}
