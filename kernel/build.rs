//! Compiles the fork server. Exports the functions by which the binary takes the place of the C library's in the cell process.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg-bins=-Wl,--export-dynamic-symbol=clock_nanosleep");
    compile_fork_server();
}

/// Compiles `fork_server/lib.rs` to a shared library, which the binary contains: `build_step/fork_server.rs`.
fn compile_fork_server() {
    let source = "fork_server/lib.rs";
    println!("cargo:rerun-if-changed={source}");
    let set_by_cargo = |name: &str| std::env::var_os(name).unwrap_or_else(|| panic!("cargo sets {name}"));
    let library = PathBuf::from(set_by_cargo("OUT_DIR")).join("libfork_server.so");
    let status = Command::new(set_by_cargo("RUSTC"))
        .args(["--crate-name", "fork_server", "--edition", "2024", "--crate-type", "cdylib", source])
        .args(["-C", "opt-level=s", "-C", "panic=abort", "-C", "lto=fat", "-C", "strip=symbols", "-o"])
        .arg(&library)
        .arg("--target")
        .arg(set_by_cargo("TARGET"))
        .status();
    assert!(status.is_ok_and(|status| status.success()), "the fork server was not compiled");
}
