//! The kernels of the module: functions of one thread, from which the code of every device is made. Arrays are passed along one
//! axis, in row-major order. A thread computes `per` neighbouring elements: one on a GPU, more on the CPU, where threads cost
//! more than they do there.

mod labelled;
mod shapes;
mod splines;
mod windows;

pub(super) use splines::taps;
pub(super) use windows::{Named, named};

use crate::array::RawArray;
use crate::backend::Layout;
use crate::device::Device;
use crate::dtype::Scalar;
use crate::error::Result;
use crate::launch::run_kernel;
use crate::raw_kernels::RawArgument;
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
    let mut arguments: Vec<RawArgument<'_>> = given
        .iter()
        .zip(&lines)
        .map(|(given, line)| match (given, line) {
            (Given::Write(_), Some(array)) => RawArgument::Array { array, writes: true },
            (_, Some(array)) => RawArgument::Array { array, writes: false },
            (Given::Length(value), None) => scalar(Scalar::U64(*value as u64), "usize"),
            (Given::Signed(value), None) => scalar(Scalar::I64(*value), "i64"),
            (Given::Word(value), None) => scalar(Scalar::I32(*value), "i32"),
            (Given::Number(value), None) => scalar(Scalar::F64(*value), "f64"),
            (Given::Flag(value), None) => scalar(Scalar::Bool(*value), "bool"),
            (Given::Element(value), None) => scalar(*value, "element"),
            (Given::Read(_) | Given::Write(_), None) => unreachable!("arrays have lines"),
        })
        .collect();
    arguments.push(scalar(Scalar::U64(per as u64), "usize"));
    run_kernel(operation, kernel, count.div_ceil(per), &arguments)
}

/// The index at which an array of `n` elements continues beyond its ends; -1 where it has a constant value there. The modes are
/// those
/// of `arguments.rs`.
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
    splines { spline_lines interpolate }
    shapes { erode distances runs unite roots numbers mark marked }
    labelled { slots bins coordinate unravelled boxes }
}
