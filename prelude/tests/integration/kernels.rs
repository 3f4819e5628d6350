//! Kernels with one fault each, all of which a checked launch names, and correct ones, about which it says nothing.

mod arrays;
mod correct;
mod faults;
