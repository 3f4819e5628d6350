//! Exports the functions by which the binary takes the place of the C library's in the cell process.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol=clock_nanosleep");
}
