//! Rich output anywhere in a cell: [`display()`], what can be shown by it, and what it shows again later.
//!
//! Everything with `Debug` can be shown. What has more to show than text says so from inside its `Debug` implementation:
//! the wrappers ([`Html`], [`Markdown`] …), figures, and types of users that implement [`Rich`].

mod bundle;
mod progress;
mod table;
mod wrappers;

pub use bundle::{MimeBundle, Rich, write_rich};
pub use progress::{Progress, progress};
pub use table::{Table, TableCell, TableRow, TableRows, table, try_table};
pub use wrappers::{Html, Image, Json, Latex, Markdown, Png, Svg};

use crate::{cell, output};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicU64, Ordering};

/// Shows a value here and now, wherever in the cell this stands.
///
/// `value`: anything that could be the last expression of a cell: arrays, figures, [`Html`], [`Markdown`] and the like,
/// values of types that implement [`Rich`], and everything else that has `Debug`.
///
/// The handle that is given back replaces what was shown by something else, also from a later cell.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// gpu::display(&gpu::Html("<b>begun</b>"));
/// let status = gpu::display(&"loading");
/// // …
/// status.update(&"computing");
/// ```
pub fn display<T: Debug + ?Sized>(value: &T) -> DisplayHandle {
    let handle = DisplayHandle { id: new_id() };
    send(&value, &handle.id, false);
    handle
}

/// As [`display()`], under an identity of your own, by which [`update_display`] finds it again.
///
/// ```
/// warpcell::display_with_id("status", &"loading");
/// warpcell::update_display("status", &"done");
/// ```
pub fn display_with_id<T: Debug + ?Sized>(id: &str, value: &T) -> DisplayHandle {
    send(&value, id, false);
    DisplayHandle { id: id.to_owned() }
}

/// Shows a value in place of what was shown under this identity, wherever in the notebook that is. If nothing was,
/// nothing happens.
///
/// ```
/// warpcell::display_with_id("loss", &0.5);
/// warpcell::update_display("loss", &0.25);
/// ```
pub fn update_display<T: Debug + ?Sized>(id: &str, value: &T) {
    send(&value, id, true);
}

/// Removes everything that the cell has shown so far, text included. With `wait` it stays until the next output comes, so
/// that nothing flickers.
///
/// In a program without a notebook this does nothing.
///
/// ```
/// for step in 0..3 {
///     warpcell::clear_output(true);
///     println!("step {step}");
/// }
/// ```
pub fn clear_output(wait: bool) {
    if wait {
        // What follows is a frame of an animation. VS Code would put a chart that it draws itself beside the one before.
        FRAMES_OF.store(cell::current_cell(), Ordering::Relaxed);
    }
    output::clear_output(wait);
}

/// Sets how much text a cell may print, in bytes; at first it is 2 MB, or what `WARPCELL_OUTPUT_LIMIT` says. Of displays it
/// may show one for each 2 kB of that, and 25 times as much in size.
///
/// What goes beyond is dropped, with a note. The setting holds from now on, for this cell and all later ones; `u64::MAX` is no
/// limit. In a program without a notebook it does nothing.
///
/// ```
/// warpcell::set_output_limit(20_000_000);
/// ```
pub fn set_output_limit(bytes: u64) {
    output::limit(bytes);
}

/// Something that was shown and can be replaced. See [`display()`].
#[derive(Clone, PartialEq, Eq)]
pub struct DisplayHandle {
    id: String,
}

impl DisplayHandle {
    /// Shows a value in place of what this handle stands for.
    ///
    /// ```
    /// let status = warpcell::display(&"loading");
    /// status.update(&warpcell::Markdown("**done**"));
    /// ```
    pub fn update<T: Debug + ?Sized>(&self, value: &T) {
        send(&value, &self.id, true);
    }

    /// The identity, for [`update_display`].
    ///
    /// ```
    /// assert_eq!(warpcell::display_with_id("loss", &0.5).id(), "loss");
    /// ```
    pub fn id(&self) -> &str {
        &self.id
    }
}

/// As the last expression of a cell a handle shows nothing: what it stands for was shown already.
impl Debug for DisplayHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("DisplayHandle {:?}", self.id);
        cell::offer_nothing(&text);
        f.write_str(&text)
    }
}

fn send(value: &dyn Debug, id: &str, update: bool) {
    let data = match update {
        true => with_pictures_only(|| cell::representations_of(value)),
        false => cell::representations_of(value),
    };
    if let Some(data) = data {
        output::display(&data, Some(id), update);
    }
}

/// The cell that has shown frames in the same place, by its number. 0 if none has.
static FRAMES_OF: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Whether charts are shown as pictures only.
    static PICTURES_ONLY: Cell<bool> = const { Cell::new(false) };
}

/// Runs code in which charts are pictures, without what a client would draw itself. So are the frames of an animation and of an
/// interaction: such a client would flicker, and to describe a chart takes as long as to draw it.
pub(crate) fn with_pictures_only<R>(run: impl FnOnce() -> R) -> R {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            PICTURES_ONLY.set(self.0);
        }
    }
    let _before = Before(PICTURES_ONLY.replace(true));
    run()
}

/// Whether charts are shown as pictures only.
pub(crate) fn pictures_only() -> bool {
    let cell = cell::current_cell();
    PICTURES_ONLY.get() || (cell != 0 && FRAMES_OF.load(Ordering::Relaxed) == cell)
}

/// The beginning of a text that is too long: so many characters, and "…".
fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// Text as HTML that shows it.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// An identity that no other process of this or another day has given: outputs outlive kernels.
pub(crate) fn new_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", process_id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn process_id() -> &'static str {
    static ID: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| format!("{:016x}", rand::random::<u64>()));
    &ID
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::representations_of;
    use serde_json::json;

    #[test]
    fn handles_show_nothing_but_inside_of_something() {
        let handle = display_with_id("one", &1);
        assert_eq!(representations_of(&handle), None);
        assert_eq!(representations_of(&&handle), None);
        let inside = representations_of(&Some(handle)).unwrap();
        assert_eq!(json!(inside), json!({"text/plain": "Some(DisplayHandle \"one\")"}));
    }

    #[test]
    fn identities_differ() {
        let ids = [display(&1), display(&1)].map(|handle| handle.id().to_owned());
        assert_ne!(ids[0], ids[1]);
    }
}
