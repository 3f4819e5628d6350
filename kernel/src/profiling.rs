//! `%prun`: samples of what the processors do while a statement or a cell runs, as a table and as a flame graph.
//!
//! The cell process takes the samples ([`recording`], [`sampler`]) and finds the names of functions ([`symbols`]). What it has found
//! goes to the kernel process as a [`Profile`](crate::profile::Profile), which knows the lines of the cell: it counts ([`report`]), writes names as users know
//! them ([`names`]), and draws ([`flame`]).

mod flame;
mod names;
pub mod recording;
mod report;
mod sampler;
mod symbols;

pub use report::{Shown, shown};
