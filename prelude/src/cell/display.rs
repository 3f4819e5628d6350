//! How the value of a cell's last expression is shown: one trait for all values with `Debug`.
//!
//! evcxr calls `(value).evcxr_display()` and compiles the cell a second time when there is no such method. The blanket
//! trait below removes that second compilation. It is in scope only where no type could have an inherent method of
//! that name (the build step decides), because a blanket implementation would hide one behind `&mut T`, `Box<T>` and
//! the like.
//!
//! A value that has more to show than text says so from inside its `Debug` implementation, by [`offer_rich`]: so it
//! is found behind every wrapper whose `Debug` is its content's.

use crate::output::Data;
use serde_json::Value;
use std::cell::RefCell;
use std::fmt::{self, Debug, Write};

/// A value's text is written up to here, in bytes: nobody reads more, and a browser could not show it.
const LONGEST: usize = 1 << 20;

/// What a value has offered while its text was written.
enum Offer {
    /// Representations beside this text.
    Rich { text: String, representations: Data },
    /// To show nothing in place of this text.
    Nothing { text: String },
}

thread_local! {
    /// Open while a value is being shown.
    static OFFERED: RefCell<Option<Option<Offer>>> = const { RefCell::new(None) };
}

fn offer(make: impl FnOnce() -> Offer) {
    // Representations are made outside of the borrow: they may show values themselves.
    if OFFERED.with_borrow(Option::is_some) {
        let made = make();
        OFFERED.with_borrow_mut(|offered| {
            if let Some(slot) = offered {
                *slot = Some(made);
            }
        });
    }
}

/// Offers representations beside `text`, which the caller's `Debug` implementation is about to write.
///
/// They are used if the whole value that is shown prints as exactly this text; otherwise nothing happens.
pub(crate) fn offer_rich(text: &str, representations: impl FnOnce() -> Data) {
    offer(|| Offer::Rich { text: text.to_owned(), representations: representations() });
}

/// Offers to show nothing, if the whole value prints as exactly this text.
pub(crate) fn offer_nothing(text: &str) {
    offer(|| Offer::Nothing { text: text.to_owned() });
}

/// All representations of a value, `text/plain` among them; nothing for values that are not shown.
pub(crate) fn representations_of(value: &dyn Debug) -> Option<Data> {
    // Representations may themselves show something, so what was offered so far is kept.
    let outer = OFFERED.replace(Some(None));
    let text = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| text_of(value)));
    let offered = OFFERED.replace(outer).flatten();
    let text = match text {
        Ok(text) => text,
        Err(payload) => std::panic::resume_unwind(payload),
    };
    match offered {
        Some(Offer::Nothing { text: meant }) if meant == text => None,
        Some(Offer::Rich { text: meant, mut representations }) if meant == text => {
            representations.insert("text/plain".to_owned(), Value::String(text));
            Some(representations)
        }
        _ => Some(Data::from_iter([("text/plain".to_owned(), Value::String(text))])),
    }
}

/// A value as its `Debug` writes it, or the beginning of that.
fn text_of(value: &dyn Debug) -> String {
    let mut text = Beginning::default();
    match write!(text, "{value:?}") {
        Ok(()) => text.0,
        Err(_) if text.0.len() >= LONGEST => format!("{}…\n[only the first MB of this value is shown]", text.0),
        Err(_) => format!("{}\n[the value's Debug ended with an error here]", text.0),
    }
}

/// Text up to the limit; what goes beyond is an error, so that the writing ends.
#[derive(Default)]
struct Beginning(String);

impl Write for Beginning {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = text.floor_char_boundary(LONGEST.saturating_sub(self.0.len()));
        self.0.push_str(&text[..end]);
        if end == text.len() {
            return Ok(());
        }
        // A character that does not fit is the end too.
        self.0.push_str(&" ".repeat(LONGEST.saturating_sub(self.0.len())));
        Err(fmt::Error)
    }
}

#[cfg(feature = "cells")]
fn show(value: &dyn Debug, size: usize, type_name: &str) {
    // `()` is the value of statements: nothing to show.
    if size == 0 && type_name == "()" {
        return;
    }
    if let Some(data) = representations_of(value) {
        crate::output::result(&data);
    }
}

#[cfg(feature = "cells")]
#[doc(hidden)]
/// Shows a value in the notebook; implemented for everything that has `Debug`.
#[diagnostic::on_unimplemented(
    message = "the value of this cell cannot be shown: `{Self}` has no `Debug`",
    label = "this value has no `Debug`",
    note = "put `#[derive(Debug)]` on the type, or end the cell with `;` to show nothing"
)]
pub trait EvcxrDisplay {
    /// Shows the value as the result of the cell.
    fn evcxr_display(&self);
}

#[cfg(feature = "cells")]
impl<T: Debug> EvcxrDisplay for T {
    // A cell that makes a vtable of `Debug` has the compiler read every implementation of it, which takes 9 ms. So cells call the
    // instances of this function that are in the prelude.
    #[inline(never)]
    fn evcxr_display(&self) {
        show(self, size_of::<T>(), std::any::type_name::<T>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_without_end_is_cut() {
        struct Endless;
        impl Debug for Endless {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                loop {
                    f.write_str("äöü")?;
                }
            }
        }
        let text = text_of(&Endless);
        assert!(text.starts_with("äöüäöü") && text.ends_with("[only the first MB of this value is shown]"));
        assert!((LONGEST..LONGEST + 100).contains(&text.len()));
        assert_eq!(text_of(&vec![1, 2]), "[1, 2]");
    }

    #[test]
    fn a_debug_that_fails_says_so() {
        struct Failing;
        impl Debug for Failing {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("begun")?;
                Err(fmt::Error)
            }
        }
        assert_eq!(text_of(&Failing), "begun\n[the value's Debug ended with an error here]");
    }
}
