//! The kernels of the module: functions of one thread, from which the code of every device is made. Arrays are passed along one
//! axis, in row-major order. A thread computes `per` neighbouring elements: one on a GPU, more on the CPU, where threads cost
//! more than they do there.
//!
//! What decides about the steps of a kernel and not about its numbers is [`Given::Fixed`]: the mode, the number of axes, the lengths of
//! small windows. A GPU has the kernel compiled for these values. Then loops over windows are written out, and what a thread keeps is
//! in registers. Indices are not checked there; the tests run all kernels on the CPU, where they are.

mod labelled;
mod nearest;
mod ranks;
mod shapes;
mod splines;
mod values;
mod windows;

pub(super) use ranks::named as ranked;
pub(super) use values::{Grid, taps};
pub(super) use windows::{Named, named};

use crate::array::RawArray;
use crate::backend::Layout;
use crate::backend::loops::only_kernels;
use crate::device::Device;
use crate::dtype::Scalar;
use crate::error::Result;
use crate::launch::{LaunchArgument, run_kernel};
use crate::raw_kernels::RawArgument;
use crate::registry::Constant;
use warpcell_macros::device;

/// The most axes of an array whose neighbourhoods are not separable.
pub(super) const MOST_AXES: usize = 4;

/// How many elements of a window a thread keeps by itself; more are in memory of the launch.
pub(super) const KEPT: usize = 128;

/// An argument of a kernel.
#[derive(Clone, Copy)]
pub(super) enum Given<'a> {
    /// An array that is read: contiguous, of any shape.
    Read(&'a RawArray),
    /// An array that is written to: contiguous.
    Write(&'a RawArray),
    Length(usize),
    Signed(i64),
    Word(i32),
    Number(f64),
    Flag(bool),
    /// A value of the type of elements.
    Element(Scalar),
    /// A value for which the kernel is compiled.
    Fixed(Scalar),
    /// Where windows are.
    Around(Around),
    /// Where splines are.
    Grid(&'a Grid),
}

impl Given<'_> {
    /// A length for which the kernel is compiled.
    pub(super) fn fixed(length: usize) -> Given<'static> {
        Given::Fixed(Scalar::U64(length as u64))
    }

    /// The same of a number of 32 bits.
    pub(super) fn fixed_word(value: i32) -> Given<'static> {
        Given::Fixed(Scalar::I32(value))
    }

    /// The same of a truth value.
    pub(super) fn fixed_flag(value: bool) -> Given<'static> {
        Given::Fixed(Scalar::Bool(value))
    }

    /// Whether so many elements are counted in 32 bits.
    pub(super) fn is_small(count: usize) -> Given<'static> {
        Given::fixed_flag(count < 1 << 31)
    }
}

/// The lengths of an array of four axes, and how many elements of a window lie before its element along each.
#[device]
#[derive(Clone, Copy)]
pub(super) struct Around {
    pub n0: i64,
    pub n1: i64,
    pub n2: i64,
    pub n3: i64,
    pub b0: i64,
    pub b1: i64,
    pub b2: i64,
    pub b3: i64,
}

/// A quotient, in 32 bits where these are enough: a GPU takes long for 64.
#[device]
fn quotient(a: usize, b: usize, is_small: bool) -> usize {
    if is_small { (a as u32 / b as u32) as usize } else { a / b }
}

/// Which element along an axis the element number `i` is. `place` is [`place_of`] the axis.
#[device]
fn along(i: usize, inner: usize, length: usize, place: i32, is_small: bool) -> usize {
    if place == 0 {
        return i;
    }
    if place == 1 {
        return quotient(i, inner, is_small);
    }
    let row = if place == 2 { i } else { quotient(i, inner, is_small) };
    row - quotient(row, length, is_small) * length
}

/// Where an axis is among others: the only one (0), the first (1), the last (2), or between others (3).
pub(super) fn place_of(around: [usize; 3]) -> i32 {
    match around {
        [1, _, 1] => 0,
        [1, _, _] => 1,
        [_, _, 1] => 2,
        _ => 3,
    }
}

/// How many elements a thread computes.
fn per_thread(count: usize, is_cpu: bool) -> usize {
    if is_cpu { (count >> 14).clamp(1, 256) } else { 1 }
}

/// How many elements a thread computes where there may be at most so many threads; 0 for any number.
fn per_thread_of(count: usize, is_cpu: bool, most: usize) -> usize {
    let per = per_thread(count, is_cpu);
    if most == 0 { per } else { per.max(count.div_ceil(most)) }
}

/// How many threads compute something for as many elements as the array has, with [`run_in`].
pub(super) fn threads(x: &RawArray, most: usize) -> usize {
    x.size().div_ceil(per_thread_of(x.size(), x.handle.device == Device::Cpu, most))
}

/// Whether what is computed on a device with many threads is computed in that way: there, and on the CPU in tests.
pub(super) fn has_many_threads(x: &RawArray) -> bool {
    x.handle.device != Device::Cpu || only_kernels()
}

/// Runs a kernel for `count` elements. It has one parameter more than is given here, the last one: `per`.
pub(super) fn run(operation: &'static str, kernel: &'static str, count: usize, given: &[Given<'_>]) -> Result<()> {
    run_in(operation, kernel, count, 0, given)
}

/// As [`run`], in at most so many threads; 0 for any number.
pub(super) fn run_in(
    operation: &'static str,
    kernel: &'static str,
    count: usize,
    most: usize,
    given: &[Given<'_>],
) -> Result<()> {
    if count == 0 {
        return Ok(());
    }
    let handle = given.iter().find_map(|given| match given {
        Given::Read(array) | Given::Write(array) => Some(&array.handle),
        _ => None,
    });
    let per = per_thread_of(count, handle.is_some_and(|handle| handle.device == Device::Cpu), most);
    let lines: Vec<Option<RawArray>> = given
        .iter()
        .map(|given| match given {
            Given::Read(array) | Given::Write(array) => {
                debug_assert!(array.layout.is_contiguous());
                let offset = array.layout.offset;
                Some(array.with_layout(Layout { offset, ..Layout::contiguous(&[array.size()]) }))
            }
            _ => None,
        })
        .collect();
    let scalar = |value: Scalar, type_name| RawArgument::Scalar { value, type_name };
    let plain = LaunchArgument::Plain;
    let mut arguments: Vec<LaunchArgument<'_>> = given
        .iter()
        .zip(&lines)
        .map(|(given, line)| match (given, line) {
            (Given::Write(_), Some(array)) => plain(RawArgument::Array { array, writes: true }),
            (_, Some(array)) => plain(RawArgument::Array { array, writes: false }),
            (Given::Length(value), None) => plain(scalar(Scalar::U64(*value as u64), "usize")),
            (Given::Signed(value), None) => plain(scalar(Scalar::I64(*value), "i64")),
            (Given::Word(value), None) => plain(scalar(Scalar::I32(*value), "i32")),
            (Given::Number(value), None) => plain(scalar(Scalar::F64(*value), "f64")),
            (Given::Flag(value), None) => plain(scalar(Scalar::Bool(*value), "bool")),
            (Given::Element(value) | Given::Fixed(value), None) => plain(scalar(*value, "element")),
            (Given::Around(around), None) => LaunchArgument::Struct(around.value()),
            (Given::Grid(grid), None) => LaunchArgument::Struct(grid.value()),
            (Given::Read(_) | Given::Write(_), None) => unreachable!("arrays have lines"),
        })
        .collect();
    arguments.push(plain(scalar(Scalar::U64(per as u64), "usize")));
    let is_fixed = |given: &&Given<'_>| matches!(given, Given::Fixed(_));
    let mut fixed =
        given.iter().enumerate().filter(|(_, given)| is_fixed(given)).fold(0u16, |bits, (at, _)| bits | 1 << at);
    // One element for each thread is compiled in too.
    if per == 1 {
        fixed |= 1 << given.len();
    }
    // SAFETY: the kernels of the module access elements of their arrays only; the tests run them with checks.
    unsafe { run_kernel(operation, kernel, count.div_ceil(per), &arguments, fixed) }
}

/// What is added to the modes 2, 3 and 4 where windows are not longer than the array. Then no division is needed, nor compiled.
const NEAR: i32 = 8;

/// The mode for windows of these lengths in an array of those.
pub(super) fn mode_for(mode: i32, mut lengths: impl Iterator<Item = (usize, usize)>) -> i32 {
    let is_near = lengths.all(|(window, length)| window <= length);
    if mode > 1 && is_near { mode + NEAR } else { mode }
}

/// The index at which an array of `n` elements continues beyond its ends; -1 where it has a constant value there. The modes are
/// those of `arguments.rs`, or these and [`NEAR`].
#[device]
fn continued(i: i64, n: i64, mode: i32) -> i64 {
    if i >= 0 && i < n {
        return i;
    }
    if mode == 0 {
        return -1;
    }
    if mode == 1 {
        return if i < 0 { 0 } else { n - 1 };
    }
    // Most are less than a length beyond an end.
    let near = if mode & 7 == 2 {
        if i < 0 { -1 - i } else { 2 * n - 1 - i }
    } else if mode & 7 == 3 {
        if i < 0 { -i } else { 2 * n - 2 - i }
    } else if i < 0 {
        i + n
    } else {
        i - n
    };
    if mode >= NEAR || (near >= 0 && near < n) {
        return near;
    }
    if mode == 2 {
        let at = i.rem_euclid(2 * n);
        return if at >= n { 2 * n - 1 - at } else { at };
    }
    if mode == 3 {
        if n == 1 {
            return 0;
        }
        let at = i.rem_euclid(2 * n - 2);
        return if at >= n { 2 * n - 2 - at } else { at };
    }
    i.rem_euclid(n)
}

/// The names of the kernels of these modules.
macro_rules! names {
    ($($module:ident { $($name:ident)* })*) => {$($(
        pub(super) fn $name() -> &'static str {
            std::any::type_name_of_val(&$module::$name)
        }
    )*)*};
}
names! {
    splines { spline_lines causal anticausal }
    values { interpolate interpolate_at_integers interpolate_grid axis_taps }
    nearest { nearest found }
    shapes {
        erode distances runs unite roots numbers mark marked long_runs long_unite long_roots long_numbers long_mark long_marked
    }
    labelled { slots bins coordinate unravelled boxes }
}
