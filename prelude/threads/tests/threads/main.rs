//! Kernels on the CPU, as users write them.

// Kernels are written as by users, and a failure is what most of these tests ask for.
#![allow(clippy::manual_is_multiple_of, clippy::len_zero, clippy::result_large_err)]

mod atomics;
mod barriers;
mod checked;
mod correct;
mod failures;
mod launches;
mod shared;
mod views;
mod warps;

use warpcell_threads::{
    Failure, FailureKind, Launch, Memory, Mode, Plan, RecordedAccess, View, ViewElement, ViewMut, record, run,
};

/// An array of the host that kernels get views of.
struct Array<T> {
    elements: Vec<T>,
    shape: Vec<usize>,
}

impl<T: ViewElement> Array<T> {
    fn new(elements: Vec<T>) -> Array<T> {
        let shape = vec![elements.len()];
        Array { elements, shape }
    }

    fn of(value: T, shape: &[usize]) -> Array<T> {
        Array { elements: vec![value; shape.iter().product()], shape: shape.to_vec() }
    }

    fn shaped(self, shape: &[usize]) -> Array<T> {
        Array { shape: shape.to_vec(), ..self }
    }

    fn strides(&self) -> Vec<isize> {
        (0..self.shape.len()).map(|axis| self.shape[axis + 1..].iter().product::<usize>() as isize).collect()
    }

    fn view(&self, name: &'static str) -> View<T> {
        // SAFETY: tests keep the array until their launches have ended.
        unsafe { View::from_raw(self.elements.as_ptr(), &self.shape, &self.strides(), name) }
    }

    fn view_mut(&mut self, name: &'static str) -> ViewMut<T> {
        // SAFETY: as above, and look at it afterwards only.
        unsafe { ViewMut::from_raw(self.elements.as_mut_ptr(), &self.shape, &self.strides(), name) }
    }
}

/// A launch with everything but its size left as usual.
fn launch(grid: [usize; 3], block: [usize; 3], mode: Mode) -> Launch<'static> {
    Launch { function: "kernel", grid, block, dynamic_shared_bytes: 0, mode, interrupted: &|| false }
}

/// Runs a kernel in blocks along `x`.
fn plain(grid: usize, block: usize, thread: &(dyn Fn() + Sync)) -> Result<(), Failure> {
    // SAFETY: the views of these tests live long enough; races are planted in checked launches only.
    unsafe { run(&launch([grid, 1, 1], [block, 1, 1], Mode::Plain), thread) }
}

/// The same with the checker.
fn checked(grid: usize, block: usize, thread: &(dyn Fn() + Sync)) -> Result<(), Failure> {
    // SAFETY: as above; blocks and threads run one after another.
    unsafe { run(&launch([grid, 1, 1], [block, 1, 1], Mode::Checked), thread) }
}

/// The same, with every access of all blocks, and how many events there were beyond `most`.
fn traced(
    grid: usize,
    block: usize,
    most: usize,
    thread: &(dyn Fn() + Sync),
) -> (Result<(), Failure>, Vec<RecordedAccess>, u64) {
    let plan = Plan { blocks: (0..grid).collect(), only: false, most_events: most, lines: 0..0 };
    // SAFETY: as above.
    let (result, recording) =
        unsafe { record(&launch([grid, 1, 1], [block, 1, 1], Mode::Checked), plan, thread, thread) };
    (result, recording.accesses([grid, 1, 1], [block, 1, 1]), recording.left_out)
}

/// Runs a kernel plainly and checked, which must both go well; `reset` is called before each.
fn both(
    grid: [usize; 3],
    block: [usize; 3],
    thread: &(dyn Fn() + Sync),
    mut reset: impl FnMut(),
    mut look: impl FnMut(),
) {
    for mode in [Mode::Plain, Mode::Checked] {
        reset();
        // SAFETY: as above.
        assert_eq!(unsafe { run(&launch(grid, block, mode), thread) }, Ok(()), "{mode:?}");
        look();
    }
}

fn array(name: &'static str) -> Memory {
    Memory::Array { name }
}

/// What a launch that was to fail has failed with.
#[track_caller]
fn kind_of(result: Result<(), Failure>) -> FailureKind {
    result.expect_err("the launch should fail").kind
}

/// For what is only to be evaluated.
fn ignore<T>(_value: T) {}
