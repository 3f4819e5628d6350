//! Traces of launches: that they are executions which could have been, what is counted, and what is said of faults.

mod arithmetic;
mod calls;
mod counts;
mod elements;
mod kernels;
mod profiler;
mod replay;

pub use replay::{fault_of, replayed};
