//! Crates that the prelude does not use itself, but that cells get from it with `:dep`. So their types match the types of
//! `ndarray` and of each other. Naming them here puts their code into the shared library.

extern crate approx as _;
extern crate either as _;
extern crate num_complex as _;
extern crate num_integer as _;
extern crate num_traits as _;
extern crate rand as _;
extern crate serde as _;
