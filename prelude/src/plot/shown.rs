//! When a drawing shows itself: as the value of its cell, when it is asked to, or when it is dropped in the cell that made
//! it, but never twice without being asked.

use super::vega;
use crate::cell;
use crate::rich::{self, MimeBundle};
use serde_json::Value;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// Something that a notebook shows as a picture, with a text beside it.
pub(super) trait Drawing {
    /// The picture as a PNG file.
    fn png(&self) -> Vec<u8>;

    /// The specification by which a client draws it itself, if it can.
    fn specification(&self) -> Option<Value> {
        None
    }

    /// The text.
    fn describe(&self) -> String;

    /// Whether there is something to show.
    fn is_empty(&self) -> bool;
}

/// A drawing and its picture, which is made when it is needed first.
pub(super) struct Shown<D: Drawing> {
    drawing: D,
    png: OnceLock<Vec<u8>>,
    /// The cell that made the drawing.
    cell: u64,
    done: AtomicBool,
}

impl<D: Drawing> Shown<D> {
    /// A drawing of the cell that runs.
    pub fn new(drawing: D) -> Shown<D> {
        Shown { drawing, png: OnceLock::new(), cell: cell::current_cell(), done: AtomicBool::new(false) }
    }

    pub fn drawing(&self) -> &D {
        &self.drawing
    }

    /// The drawing, to change it.
    pub fn change(&mut self) -> &mut D {
        self.png = OnceLock::new();
        &mut self.drawing
    }

    pub fn png(&self) -> &[u8] {
        self.png.get_or_init(|| self.drawing.png())
    }

    /// Shows the drawing now.
    pub fn show(&self) {
        rich::display(self);
    }

    /// The drawing is part of something that is shown in its place.
    pub fn settle(&self) {
        self.done.store(true, Ordering::Relaxed);
    }
}

impl<D: Drawing + Clone> Clone for Shown<D> {
    /// A copy is shown when asked only: the original is.
    fn clone(&self) -> Shown<D> {
        Shown { drawing: self.drawing.clone(), png: self.png.clone(), cell: self.cell, done: AtomicBool::new(true) }
    }
}

impl<D: Drawing> Drop for Shown<D> {
    fn drop(&mut self) {
        let in_its_cell = self.cell != 0 && self.cell == cell::current_cell();
        // What was to be the first thing in it may have been refused.
        let is_due = in_its_cell && !self.done.load(Ordering::Relaxed) && !self.drawing.is_empty();
        if is_due && !std::thread::panicking() {
            self.show();
        }
    }
}

impl<D: Drawing> fmt::Debug for Shown<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value of a cell is shown by its `Debug`, also behind a wrapper.
        let text = self.drawing.describe();
        cell::offer_rich(&text, || {
            self.settle();
            let mut data = MimeBundle::new().png(self.png()).into_data();
            if !rich::pictures_only() {
                data.extend(self.drawing.specification().map(|specification| (vega::MIME.to_owned(), specification)));
            }
            data
        });
        f.write_str(&text)
    }
}
