//! The translation of a subset of Rust to CUDA C, text in and text out. Empty so far.
