//! The Warpcell kernel.
fn main() { evcxr::runtime_hook(); }
