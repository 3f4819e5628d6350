//! Messages of the Jupyter protocol as this kernel reads and writes them, without sockets.
//!
//! Envelopes and most contents are types of `jupyter-protocol`. This module adds what that crate does not support:
//! requests that omit optional fields, contents whose MIME bundles must not change, and the protocol version of this
//! kernel in the headers.

pub mod cursor;
pub mod iopub;
pub mod reply;
pub mod request;

mod content;
mod envelope;

pub use envelope::{Incoming, Malformed, Parent};
