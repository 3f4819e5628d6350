//! Cells with `%%trace`: their launches are recorded and shown.

use super::Trace;
use super::run;
use crate::cell::current_cell;
use crate::error::Result;
use crate::launch::Ready;
use std::cell::Cell;

/// As many launches of a cell are recorded.
const MOST_LAUNCHES: usize = 4;

/// The launches of a cell so far.
#[derive(Clone, Copy)]
struct Watched {
    /// The number of the cell: one that fails does not end it.
    cell: u64,
    launches: usize,
}

thread_local! {
    static WATCHED: Cell<Option<Watched>> = const { Cell::new(None) };
}

/// Begins what [`trace_end`] or [`trace_value`] ends: launches of this thread until then, in this cell, are recorded and shown.
/// `%%trace` calls this.
///
/// ```
/// use warpcell as gpu;
/// use gpu::prelude::*;
/// use warpcell::session::{trace_begin, trace_end};
///
/// #[kernel]
/// fn double(mut a: ViewMut<f32>) {
///     a[thread_idx().x] *= 2.0;
/// }
///
/// let mut a = gpu::ones::<f32>(32);
/// trace_begin();
/// gpu::launch(double, 1, 32, &mut a);
/// trace_end();
/// assert_eq!(a.sum(), 64.0);
/// ```
pub fn trace_begin() {
    WATCHED.set(Some(Watched { cell: current_cell(), launches: 0 }));
}

/// Ends what [`trace_begin`] began, and says what was not recorded.
pub fn trace_end() {
    match WATCHED.take() {
        Some(Watched { launches: 0, .. }) => eprintln!(
            "Nothing was launched in this cell. `%%trace` records `gpu::launch` and its relatives; for one element of `gpu::map` there is \
             `gpu::trace_map(f, &a, index)`."
        ),
        Some(Watched { launches, .. }) if launches > MOST_LAUNCHES => eprintln!(
            "{} of {launches} launches were recorded; for others call `gpu::launch_traced` in place of `gpu::launch`.",
            MOST_LAUNCHES
        ),
        _ => {}
    }
}

/// As [`trace_end`], and returns `value`, which is computed before.
pub fn trace_value<T>(value: T) -> T {
    trace_end();
    value
}

/// Whether a launch of this thread is to be recorded; counts it.
pub(crate) fn is_watched() -> bool {
    let Some(watched) = WATCHED.get().filter(|watched| watched.cell == current_cell()) else { return false };
    WATCHED.set(Some(Watched { launches: watched.launches + 1, ..watched }));
    watched.launches < MOST_LAUNCHES
}

/// Records a launch and shows it; gives its error.
pub(crate) fn watched(ready: &Ready<'_, '_>) -> Result<()> {
    let trace = Trace::or_shown(run::run(ready)?)?;
    trace.display();
    trace.error.map_or(Ok(()), Err)
}
