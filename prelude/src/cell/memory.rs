//! What happens where the host has no memory for what the user's code asks for: the cell ends with an error, and not the process.

use std::alloc::Layout;

/// Less than this a panic needs itself.
const SMALL: usize = 1 << 20;

/// Makes an allocation that fails a panic. The standard library's own way is to end the process.
pub(super) fn install_hook() {
    // The hook is unstable, and so for the kernel's own build of this crate only (prelude/dylib.toml).
    #[cfg(warpcell_cells)]
    std::alloc::set_alloc_error_hook(out_of_memory);
    #[cfg(not(warpcell_cells))]
    let _ = out_of_memory;
}

fn out_of_memory(layout: Layout) {
    let asked = layout.size();
    // A panic on the way out of another ends the process, too, but says less.
    if asked < SMALL || std::thread::panicking() {
        eprintln!("memory allocation of {asked} bytes failed");
        return;
    }
    let free = crate::host::memory::free_memory();
    panic!(
        "out of memory on the host: {asked} bytes were asked for, {free} are free; drop variables that are no longer needed, \
         or use smaller ones"
    );
}

/// Whether a panic is from here: its place says nothing to the user.
pub(crate) fn is_ours(file: &str) -> bool {
    file.ends_with("cell/memory.rs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn an_allocation_that_fails_is_a_panic_with_the_sizes() {
        install_hook();
        if !cfg!(warpcell_cells) {
            return;
        }
        let failed = catch_unwind(|| std::hint::black_box(Vec::<u8>::with_capacity(1 << 46)).len());
        let message = failed.unwrap_err().downcast::<String>().unwrap();
        assert!(message.starts_with("out of memory on the host: 70368744177664 bytes were asked for, "), "{message}");
        assert!(message.contains(" are free; drop variables"), "{message}");
    }
}
