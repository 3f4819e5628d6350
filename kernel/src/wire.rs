//! Messages of the Jupyter protocol as this kernel reads and writes them, without sockets.
//!
//! Envelopes and most contents are those of `jupyter-protocol`. What is here is what that crate lacks: requests that
//! leave out optional fields (its types refuse them), contents whose MIME bundles must pass through unchanged, and
//! the protocol version of this kernel in the headers.

pub mod cursor;
pub mod iopub;
pub mod reply;
pub mod request;

mod content;
mod envelope;

pub use envelope::{Incoming, Malformed, Parent};
