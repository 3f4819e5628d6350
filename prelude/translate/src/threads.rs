//! What threads of a kernel may call, by name: where they are, and what they do with one another.

use crate::scalars::{Scalar, name_of};
use crate::types::Ty;

/// A function that needs threads.
#[derive(Debug)]
pub(crate) struct ThreadFunction {
    pub(crate) name: &'static str,
    /// What it is in CUDA C: a function, or one of its variables with three parts.
    pub(crate) c_name: &'static str,
    pub(crate) arguments: &'static [Argument],
    pub(crate) result: Given,
    pub(crate) kind: Kind,
}

/// An argument of such a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Argument {
    U32,
    Bool,
    /// A lane, or a distance of lanes: `usize`, `i32` or `u32`.
    Lane,
    /// What is handed from thread to thread.
    Value,
}

/// What such a function gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Given {
    Nothing,
    Bool,
    U32,
    Usize,
    Dim3,
    /// The type of the argument that is a value.
    Value,
}

/// What such a function does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// It tells where a thread is: the same as often as it is asked.
    Place,
    /// Threads of a warp meet, or memory is set in order.
    Warp,
    /// All threads of a block meet.
    Barrier,
}

/// The item of `Dim3`, which no item of a program is called.
pub(crate) const DIM3: &str = "warpcell::Dim3";

/// What shared arrays are made by, and the range that goes over a grid.
pub(crate) const SHARED_ARRAY: &str = "shared_array";
pub(crate) const DYNAMIC_SHARED_ARRAY: &str = "dynamic_shared_array";
pub(crate) const GRID_STRIDE: &str = "grid_stride";

const fn place(name: &'static str, c_name: &'static str, result: Given) -> ThreadFunction {
    ThreadFunction { name, c_name, arguments: &[], result, kind: Kind::Place }
}

const fn warp(
    name: &'static str,
    c_name: &'static str,
    arguments: &'static [Argument],
    result: Given,
) -> ThreadFunction {
    ThreadFunction { name, c_name, arguments, result, kind: Kind::Warp }
}

const fn barrier(
    name: &'static str,
    c_name: &'static str,
    arguments: &'static [Argument],
    result: Given,
) -> ThreadFunction {
    ThreadFunction { name, c_name, arguments, result, kind: Kind::Barrier }
}

/// Mask, value, lane or distance.
const SHUFFLE: &[Argument] = &[Argument::U32, Argument::Value, Argument::Lane];
/// Mask and condition.
const VOTE: &[Argument] = &[Argument::U32, Argument::Bool];

static FUNCTIONS: [ThreadFunction; 20] = [
    place("thread_idx", "threadIdx", Given::Dim3),
    place("block_idx", "blockIdx", Given::Dim3),
    place("block_dim", "blockDim", Given::Dim3),
    place("grid_dim", "gridDim", Given::Dim3),
    place("global_idx", "", Given::Dim3),
    place("lane_id", "warpcell_lane", Given::Usize),
    place("warp_size", "", Given::Usize),
    barrier("sync_threads", "__syncthreads", &[], Given::Nothing),
    barrier("sync_threads_count", "__syncthreads_count", &[Argument::Bool], Given::U32),
    barrier("sync_threads_and", "__syncthreads_and", &[Argument::Bool], Given::Bool),
    barrier("sync_threads_or", "__syncthreads_or", &[Argument::Bool], Given::Bool),
    warp("sync_warp", "__syncwarp", &[], Given::Nothing),
    warp("thread_fence", "__threadfence", &[], Given::Nothing),
    warp("shfl_sync", "__shfl_sync", SHUFFLE, Given::Value),
    warp("shfl_up_sync", "__shfl_up_sync", SHUFFLE, Given::Value),
    warp("shfl_down_sync", "__shfl_down_sync", SHUFFLE, Given::Value),
    warp("shfl_xor_sync", "__shfl_xor_sync", SHUFFLE, Given::Value),
    warp("ballot_sync", "__ballot_sync", VOTE, Given::U32),
    warp("all_sync", "__all_sync", VOTE, Given::Bool),
    warp("any_sync", "__any_sync", VOTE, Given::Bool),
];

/// The name of a function that needs threads, if a path is that of one: alone, or behind `gpu` or `warpcell`.
pub(crate) fn thread_name(path: &syn::Path) -> Option<String> {
    let name = own_name(path)?;
    let is_known = function(&name).is_some() || [SHARED_ARRAY, DYNAMIC_SHARED_ARRAY, GRID_STRIDE].contains(&&*name);
    is_known.then_some(name)
}

/// The last name of a path, if it is alone or behind the name of our library.
pub(crate) fn own_name(path: &syn::Path) -> Option<String> {
    let mut segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let name = segments.pop()?;
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    matches!(segments[..], [] | ["gpu" | "warpcell"] | ["gpu" | "warpcell", "prelude"]).then_some(name)
}

pub(crate) fn function(name: &str) -> Option<&'static ThreadFunction> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

impl ThreadFunction {
    /// Whether something else may be seen before and after it.
    pub(crate) fn has_effects(&self) -> bool {
        self.kind != Kind::Place
    }

    /// Between which numbers its result is, or the part of it along an axis: what CUDA's limits say.
    pub(crate) fn bounds(&self, axis: &str) -> Option<(i128, i128)> {
        let (threads, blocks) = match axis {
            "x" => (1024, i128::from(i32::MAX)),
            "y" => (1024, 65_535),
            _ => (64, 65_535),
        };
        match self.name {
            "thread_idx" => Some((0, threads - 1)),
            "block_dim" => Some((1, threads)),
            "block_idx" => Some((0, blocks - 1)),
            "grid_dim" => Some((1, blocks)),
            "global_idx" => Some((0, blocks * threads - 1)),
            "lane_id" => Some((0, 31)),
            "warp_size" => Some((32, 32)),
            _ => None,
        }
    }

    /// The type of what it gives, if that does not depend on its arguments.
    pub(crate) fn result_type(&self) -> Option<Ty> {
        match self.result {
            Given::Nothing => Some(Ty::UNIT),
            Given::Bool => Some(Ty::BOOL),
            Given::U32 => Some(Ty::Scalar(Scalar::U32)),
            Given::Usize => Some(Ty::USIZE),
            Given::Dim3 => Some(dim3()),
            Given::Value => None,
        }
    }
}

pub(crate) fn dim3() -> Ty {
    Ty::Struct(DIM3.to_owned())
}

/// The fields of `Dim3`.
pub(crate) fn dim3_fields() -> Vec<(String, Ty)> {
    ["x", "y", "z"].map(|axis| (axis.to_owned(), Ty::USIZE)).to_vec()
}

/// A method of views that changes an element while no other thread does, or reads one that others change so.
#[derive(Debug)]
pub(crate) struct Atomic {
    pub(crate) name: &'static str,
    /// How many values it takes beside the index.
    pub(crate) values: usize,
    /// Whether it is one of bits: for integers.
    pub(crate) of_bits: bool,
}

const fn atomic(name: &'static str, values: usize, of_bits: bool) -> Atomic {
    Atomic { name, values, of_bits }
}

static ATOMICS: [Atomic; 10] = [
    atomic("atomic_load", 0, false),
    atomic("atomic_add", 1, false),
    atomic("atomic_sub", 1, false),
    atomic("atomic_max", 1, false),
    atomic("atomic_min", 1, false),
    atomic("atomic_and", 1, true),
    atomic("atomic_or", 1, true),
    atomic("atomic_xor", 1, true),
    atomic("atomic_exchange", 1, false),
    atomic("atomic_compare_exchange", 2, false),
];

pub(crate) fn atomic_method(name: &str) -> Option<&'static Atomic> {
    ATOMICS.iter().find(|atomic| atomic.name == name)
}

impl Atomic {
    pub(crate) fn takes(&self, element: Scalar) -> bool {
        match element {
            Scalar::I32 | Scalar::U32 | Scalar::I64 | Scalar::U64 => true,
            Scalar::F32 | Scalar::F64 => !self.of_bits,
            _ => false,
        }
    }

    /// The name of the support's function.
    pub(crate) fn c_name(&self, element: Scalar) -> String {
        format!("{}_{}", name_of(element), self.name)
    }
}

/// Whether lanes are numbers of a type.
pub(crate) fn is_lane(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Usize | Scalar::I32 | Scalar::U32)
}

/// Whether values of a type are handed from thread to thread.
pub(crate) fn is_shuffled(scalar: Scalar) -> bool {
    use Scalar::*;
    matches!(scalar, I32 | U32 | I64 | U64 | F32 | F64)
}
