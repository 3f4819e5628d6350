//! Keeps evcxr from having rust-analyzer look at cells.
//!
//! evcxr wants the types of new variables from rust-analyzer, and takes those that the kernel has written
//! ([`with_names`](super::with_names)). But it asks in any case, and the time of the answer grows with the square of the number of
//! variables: of 1,000 it is seconds. In a crate that is left out as a whole, rust-analyzer finds nothing and needs no time. So the
//! session begins with an attribute which says that. evcxr writes it into the source of each cell, and the build step takes it out.

use std::borrow::Cow;

/// The attribute, as evcxr writes it. The assistant's context does not get it, and so analyses what it is asked about.
pub const UNANALYSED: &str = "#![cfg(any())]";

/// A source of evcxr's without the attribute. Its line becomes the one behind the attributes, so that all lines behind these stay.
pub fn without_attribute(source: &str) -> Cow<'_, str> {
    let lines = || source.split_inclusive('\n');
    let is_ours = |line: &&str| line.trim_end() == UNANALYSED;
    let attributes = lines().take_while(|line| line.starts_with("#![")).count();
    match lines().take(attributes).position(|line| is_ours(&line)) {
        None => Cow::Borrowed(source),
        Some(at) => {
            let before = lines().take(attributes).enumerate().filter(|(index, _)| *index != at).map(|(_, line)| line);
            Cow::Owned(before.chain(["\n"]).chain(lines().skip(attributes)).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiler_gets_no_such_attribute() {
        for (source, expected) in [
            ("#![allow(x)]\n#![cfg(any())]\nuse a;\n#![cfg(any())]\n", "#![allow(x)]\n\nuse a;\n#![cfg(any())]\n"),
            ("#![cfg(any())]\n#![feature(x)]\nfn f() {}", "#![feature(x)]\n\nfn f() {}"),
            ("#![allow(x)]\nfn f() { \"\n#![cfg(any())]\n\"; }", "#![allow(x)]\nfn f() { \"\n#![cfg(any())]\n\"; }"),
            ("", ""),
        ] {
            let text = without_attribute(source);
            assert_eq!(text, expected);
            assert_eq!(text.lines().count(), source.lines().count());
        }
    }
}
