//! Texts on standard output and standard error, in place of `println!` and its kin: these panic where nobody reads any more, as before
//! `| head -1`. Here the program goes on, and its status is the usual one.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// `print!`.
macro_rules! out {
    ($($text:tt)*) => { $crate::printing::to_output(format_args!($($text)*)) };
}

/// `println!`.
macro_rules! outln {
    ($($text:tt)*) => { $crate::printing::to_output(format_args!("{}\n", format_args!($($text)*))) };
}

/// `eprint!`.
macro_rules! err {
    ($($text:tt)*) => { $crate::printing::to_errors(format_args!($($text)*)) };
}

/// `eprintln!`.
macro_rules! errln {
    ($($text:tt)*) => { $crate::printing::to_errors(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {err, errln, out, outln};

/// Prints a text, if somebody reads it still. A full disk ends the program.
pub fn to_output(text: Arguments<'_>) {
    let mut output = std::io::stdout().lock();
    if let Err(error) = output.write_fmt(text).and_then(|()| output.flush())
        && error.kind() != ErrorKind::BrokenPipe
    {
        errln!("warpcell: the output cannot be written: {error}");
        std::process::exit(1);
    }
}

/// Prints a text on standard error. There is no place to say that this cannot be done.
pub fn to_errors(text: Arguments<'_>) {
    let _ = std::io::stderr().lock().write_fmt(text);
}
