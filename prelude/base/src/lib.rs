//! What all parts of the prelude share: element types and errors, what a backend must do, the functions that cells register,
//! and the word that interrupts a cell.
//!
//! The backends (`prelude/cpu`, `prelude/cuda`) and the driver layer (`prelude/driver`) know this crate, and neither arrays nor
//! operations, which are in the crate `warpcell`. Users see the public names there. So what users never see may be without
//! documentation where its name says enough.

#![allow(rustdoc::private_intra_doc_links)]

#[allow(missing_docs)]
pub mod backend;
pub mod dtype;
pub mod error;
#[allow(missing_docs)]
pub mod failures;
pub mod host_view;
pub mod interrupt;
#[allow(missing_docs)]
pub mod limits;
#[allow(missing_docs)]
pub mod philox;
#[allow(missing_docs)]
pub mod profiling;
pub mod registry;
