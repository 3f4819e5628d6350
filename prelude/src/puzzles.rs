//! Puzzles for learning to write kernels, with a checker that draws what the threads of a kernel access.
//!
//! The notebook `lessons/puzzles.ipynb` has them in order, with kernels to complete. Each function here gives one puzzle. As the
//! value of a cell, `gpu::puzzles::guard()` shows its arrays; [`Puzzle::check`] tells whether a kernel solves it. They run on the
//! CPU, whatever the device is.
//!
//! ```
//! use warpcell as gpu; // in a notebook, this is done already
//! use gpu::prelude::*;
//!
//! #[kernel]
//! fn guard(a: View<f32>, mut out: ViewMut<f32>) {
//!     let i = thread_idx().x;
//!     out[i] = a[i] / 2.0;
//! }
//!
//! let report = gpu::puzzles::guard().check(guard);
//! assert!(!report.is_solved());
//! assert!(report.to_string().contains("Hint: A thread without an element must not read or write"));
//! ```

mod case;
mod cell_table;
mod drawing;
mod examine;
mod explain;
mod fault;
mod film;
mod subject;
mod svg;
mod table;

use crate::error::{Error, check, fail};
use crate::launch::Kernel;
use crate::rich::{MimeBundle, escaped};
use crate::tracing::Trace;
use base64::Engine;
use case::Description;
use examine::{Problem, examine};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use subject::RegisteredKernel;
use warpcell_threads::{FailureKind, View, ViewMut};

/// A puzzle whose kernels have parameters of the types `P`, a tuple. As the value of a cell it shows its task and its arrays.
pub struct Puzzle<P> {
    description: &'static Description,
    parameters: PhantomData<fn(P)>,
}

/// A puzzle with one array to read and one to write to.
pub type OneInput = Puzzle<(View<f32>, ViewMut<f32>)>;

/// A puzzle with two arrays to read and one to write to.
pub type TwoInputs = Puzzle<(View<f32>, View<f32>, ViewMut<f32>)>;

/// A puzzle about whole numbers, with one array to read and one to write to.
pub type WholeNumbers = Puzzle<(View<u32>, ViewMut<u32>)>;

macro_rules! puzzles {
    ($($(#[doc = $text:literal])* $name:ident: $parameters:ident, $description:ident;)*) => {
        $(
            $(#[doc = $text])*
            pub fn $name() -> $parameters {
                Puzzle { description: &table::$description, parameters: PhantomData }
            }
        )*

        #[cfg(test)]
        const ALL: &[&Description] = &[$(&table::$description),*];
    };
}
puzzles! {
    /// Each thread computes one element: `fn map(a: View<f32>, mut out: ViewMut<f32>)`.
    map: OneInput, MAP;
    /// The same of two arrays: `fn zip(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>)`.
    zip: TwoInputs, ZIP;
    /// More threads than elements: `fn guard(a: View<f32>, mut out: ViewMut<f32>)`.
    guard: OneInput, GUARD;
    /// An image: `fn map_2d(image: View<f32>, mut out: ViewMut<f32>)`.
    map_2d: OneInput, MAP_2D;
    /// A column and a row: `fn broadcast(column: View<f32>, row: View<f32>, mut out: ViewMut<f32>)`.
    broadcast: TwoInputs, BROADCAST;
    /// More elements than a block has threads: `fn blocks(a: View<f32>, mut out: ViewMut<f32>)`.
    blocks: OneInput, BLOCKS;
    /// The same of an image: `fn blocks_2d(image: View<f32>, mut out: ViewMut<f32>)`.
    blocks_2d: OneInput, BLOCKS_2D;
    /// The threads of a block share what they read: `fn shared(a: View<f32>, mut out: ViewMut<f32>)`.
    shared: OneInput, SHARED;
    /// Sums of neighbours: `fn pooling(a: View<f32>, mut out: ViewMut<f32>)`.
    pooling: OneInput, POOLING;
    /// A block's threads make one number: `fn dot(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>)`.
    dot: TwoInputs, DOT;
    /// Sums of neighbours across blocks: `fn convolution(a: View<f32>, weights: View<f32>, mut out: ViewMut<f32>)`.
    convolution: TwoInputs, CONVOLUTION;
    /// Running sums: `fn prefix_sum(a: View<f32>, mut out: ViewMut<f32>)`.
    prefix_sum: OneInput, PREFIX_SUM;
    /// A sum for each row: `fn axis_sum(a: View<f32>, mut out: ViewMut<f32>)`.
    axis_sum: OneInput, AXIS_SUM;
    /// A matrix product by tiles: `fn matmul(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>)`.
    matmul: TwoInputs, MATMUL;
    /// Counting with atomic operations: `fn histogram(a: View<u32>, mut counts: ViewMut<u32>)`.
    histogram: WholeNumbers, HISTOGRAM;
}

impl<P> Puzzle<P> {
    /// Runs a kernel on the arrays of the puzzle, thread after thread on the CPU, and tells whether it solves it: whether the
    /// results are right, no thread reads or writes past an array, no two race, all come to each barrier, and none accesses arrays
    /// more often than the task allows. Of a kernel that does not, the report has the film of the launch that shows it.
    ///
    /// **Panics** if the function has no `#[kernel]` before it, or if the user interrupts it.
    ///
    /// ```
    /// use warpcell as gpu; // in a notebook, this is done already
    /// use gpu::prelude::*;
    ///
    /// #[kernel]
    /// fn map(a: View<f32>, mut out: ViewMut<f32>) {
    ///     let i = thread_idx().x;
    ///     out[i] = 3.0 * a[i] + 1.0;
    /// }
    ///
    /// let report = gpu::puzzles::map().check(map);
    /// assert!(report.is_solved(), "{report}");
    /// ```
    #[track_caller]
    pub fn check<K: Kernel<P>>(&self, kernel: K) -> Report {
        // What follows is the same for all kernels, and compiled once.
        check_registered(self.description, &RegisteredKernel::new(check(kernel.found("Puzzle::check"))))
    }
}

#[track_caller]
fn check_registered(description: &'static Description, subject: &RegisteredKernel) -> Report {
    let mut all = Vec::new();
    for case in (description.cases)() {
        let examined = examine(case, subject);
        if let Some(problem) = &examined.problem {
            if let Problem::Failed { failure, .. } = problem
                && failure.kind == FailureKind::Interrupted
            {
                examined.film.display();
                fail(Error::Interrupted);
            }
            let said = explain::failure(description, &examined, problem);
            let drawing = drawing::draw(&examined);
            return Report { solved: false, said, drawing, film: examined.film };
        }
        all.push(examined);
    }
    let said = explain::success(description, &all);
    let first = all.swap_remove(0);
    Report { solved: true, said, drawing: drawing::draw(&first), film: first.film }
}

impl<P> fmt::Debug for Puzzle<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Description { name, task, signature, .. } = self.description;
        let cases = (self.description.cases)();
        let launch =
            cases.first().map_or(String::new(), |case| format!("Launched with {}, and in other sizes.", case.launch()));
        let said = [format!("{name}: {task}"), format!("It begins with `{signature}`. {launch}")];
        let drawing = cases.first().map_or(String::new(), drawing::draw_task);
        fmt::Debug::fmt(&shown(&said, &drawing, None), f)
    }
}

/// What [`Puzzle::check`] has found. As the value of a cell it shows itself: what is wrong, in words, a drawing of who has
/// accessed what, between one barrier and the next, and the [film](Report::trace) of the launch that went wrong.
#[derive(Clone)]
pub struct Report {
    solved: bool,
    /// Paragraphs.
    said: Vec<String>,
    /// SVG.
    drawing: String,
    film: Arc<Trace>,
}

/// By what they say and show.
impl PartialEq for Report {
    fn eq(&self, other: &Report) -> bool {
        (self.solved, &self.said, &self.drawing) == (other.solved, &other.said, &other.drawing)
    }
}

impl Report {
    /// Whether the kernel solves the puzzle.
    pub fn is_solved(&self) -> bool {
        self.solved
    }

    /// What every thread did in the launch that went wrong, or in the first one if the puzzle is solved: as the value of a cell, a
    /// film that plays forwards and backwards. It opens where the launch failed, at the end with the first wrong element
    /// marked, or where a thread accesses arrays once too often.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::prelude::*;
    ///
    /// #[kernel]
    /// fn map(a: View<f32>, mut out: ViewMut<f32>) {
    ///     let i = thread_idx().x;
    ///     out[i] = 3.0 * a[i];
    /// }
    ///
    /// let report = gpu::puzzles::map().check(map);
    /// assert!(format!("{:?}", report.trace()).contains("`out[0]` should be 7, and is 6."));
    /// ```
    pub fn trace(&self) -> &Trace {
        &self.film
    }

    /// The drawing, as SVG.
    pub fn svg(&self) -> &str {
        &self.drawing
    }
}

/// What is said, without the drawing.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.said.join("\n"))
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let film = (!self.solved).then_some(&*self.film);
        fmt::Debug::fmt(&shown(&self.said, &self.drawing, film), f)
    }
}

/// Paragraphs with a drawing below, and a film below that.
fn shown(said: &[String], drawing: &str, film: Option<&Trace>) -> MimeBundle {
    let mut html: String = said.iter().map(|text| format!("<p>{}</p>", as_html(text))).collect();
    // As a picture it is shown in notebooks that are not trusted, too.
    let picture = base64::engine::general_purpose::STANDARD.encode(drawing);
    html.push_str(&format!(r#"<img alt="Who accesses what" src="data:image/svg+xml;base64,{picture}"/>"#));
    html.extend(film.map(Trace::html_beneath));
    MimeBundle::new().text(said.join("\n")).html(html)
}

/// Text with its lines, and with code between backticks.
fn as_html(text: &str) -> String {
    let mut html = String::new();
    for (number, part) in escaped(text).split('`').enumerate() {
        match number % 2 {
            1 => html.push_str(&format!("<code>{part}</code>")),
            _ => html.push_str(&part.replace("\n  ", "<br/>&emsp;").replace('\n', "<br/>")),
        }
    }
    html
}

#[cfg(test)]
mod tests;
