//! How the value of a cell's last expression is shown: one trait for all values with `Debug`.
//!
//! evcxr calls `(value).evcxr_display()` and compiles the cell a second time when there is no such method. The blanket
//! trait below removes that second compilation. It is in scope only where no type could have an inherent method of
//! that name (the build step decides), because a blanket implementation would hide one behind `&mut T`, `Box<T>` and
//! the like.
//!
//! A value that has more to show than text says so from inside its `Debug` implementation, by [`offer_rich`]: so it
//! is found behind every wrapper whose `Debug` is its content's.

use std::cell::RefCell;
#[cfg(feature = "cells")]
use std::fmt::Debug;

#[cfg_attr(not(feature = "cells"), expect(dead_code))]
struct Rich {
    text: String,
    representations: Vec<(&'static str, String)>,
}

thread_local! {
    static OFFERED: RefCell<Option<Option<Rich>>> = const { RefCell::new(None) };
}

/// Offers representations beside `text`, which the caller's `Debug` implementation is about to write.
///
/// They are used if the cell's whole value prints as exactly this text; otherwise nothing happens.
pub(crate) fn offer_rich(text: &str, representations: impl FnOnce() -> Vec<(&'static str, String)>) {
    OFFERED.with_borrow_mut(|offered| {
        if let Some(slot) = offered {
            *slot = Some(Rich { text: text.to_owned(), representations: representations() });
        }
    });
}

#[cfg(feature = "cells")]
fn show(value: &dyn Debug, size: usize, type_name: &str) {
    // `()` is the value of statements: nothing to show.
    if size == 0 && type_name == "()" {
        return;
    }
    OFFERED.set(Some(None));
    let text = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| format!("{value:?}")));
    let rich = OFFERED.take().flatten();
    let text = match text {
        Ok(text) => text,
        Err(payload) => std::panic::resume_unwind(payload),
    };
    match rich {
        Some(rich) if rich.text == text => {
            let mut representations = rich.representations;
            representations.push(("text/plain", text));
            crate::output::result(&representations);
        }
        _ => crate::output::result(&[("text/plain", text)]),
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
    fn evcxr_display(&self) {
        show(self, size_of::<T>(), std::any::type_name::<T>());
    }
}
