//! The kernel's log.

/// One line in the kernel's log, which is its standard error.
pub fn log(line: std::fmt::Arguments<'_>) {
    use std::io::Write;
    // Not `eprintln!`: that panics once the server that reads the log is gone.
    let _ = writeln!(std::io::stderr(), "warpcell: {line}");
}
