//! Interactions: code that controls in the notebook call, the macro [`interact!`](macro@crate::interact).
//!
//! The macro (`prelude/macros/src/interact.rs`) makes a closure of the code, with copies of the variables that it uses. It is
//! called once by the cell. Then it is kept here, on the thread that runs cells, until the notebook closes it. When a control
//! is moved and no cell runs, the kernel sends its values, and `obey` calls the closure. What the kernel shows, and how, is
//! not known here: the messages are in `kernel/OUTPUT_CONTRACT.md`.

mod controls;
mod keep;

pub use controls::{Values, button, checkbox, choices, dropdown, play, slider, text};
pub use keep::{Keep, KeepArray, KeepClone, Kept};
pub use warpcell_macros::interaction;

use crate::error::{Error, fail};
use crate::{cell, output, rich};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::rc::Rc;

/// Runs code whenever a control is moved, and shows below the controls what it shows.
///
/// Before `=>` stand the controls, each a name with a type and its values; behind it the code, in which the names are
/// variables. The code is compiled once. It runs for the first time where the macro stands, and then whenever somebody moves
/// a control and no cell runs. If controls move faster than it runs, it gets the latest values only. What it prints and
/// displays appears below the controls, and the value of its last expression: figures, arrays, text.
///
/// | control | written as |
/// |---|---|
/// | slider over integers | `size: usize in 3..31`, `n: i64 in 1..=9 step 2` |
/// | slider over floats, both ends included | `sigma: f64 in 0.5..5.0`, `x: f32 in 0.0..1.0 step 0.01` |
/// | list to choose from | `mode: &str in ["same", "full"]`, `size: usize in [64, 128, 256]` |
/// | checkbox | `invert: bool` |
/// | line of text | `title: String = "untitled"`, `title: &str` |
/// | button | `again: Button`, `again: Button = "Draw again"`: a `bool`, whether it was pressed for this call |
/// | button that counts, with a slider | `frame: usize play 0..100`, `frame: usize play 0..100 step 2 every 50` (milliseconds) |
///
/// A first value stands behind the type: `sigma: f64 = 1.0 in 0.5..5.0`. Without one a slider begins in the middle. Each
/// control has a row of its own; those in brackets share one: `[sigma: f64 in 0.5..5.0, invert: bool]`.
///
/// # What the code may use
///
/// Everything that a cell may: functions, types, and variables. It has a copy of each variable that it names, made when the
/// cell runs: arrays on the device and on the host with their elements, other values by `Clone`. So the variables of the
/// notebook stay as they are, and what later cells do to them does not change what is shown. The copies cannot be assigned
/// to. What is shared by its own type stays shared: an `Arc`, an `Rc`, or a device array within a struct or a list. A
/// variable that is borrowed, `x = &y`, cannot be kept.
///
/// # Where it is shown
///
/// In JupyterLab, Notebook 7, VS Code and Colab, by the widgets that they have (ipywidgets; JupyterLab needs the package
/// `jupyterlab_widgets`). Elsewhere, and in stored notebooks, the first state is shown as a picture and text. In a program
/// that was a notebook the code runs once. A cell that is run again closes what it has shown before.
///
/// A panic in the code is shown below the controls, and the next value works again; if it is the first call that panics, the
/// cell fails. An interrupt stops the call, and what counts.
///
/// **Panics** if a range is empty, a step is not positive, or a first value is not one of the values
/// ([`Error::InvalidArgument`]), and within code that another `interact!` calls.
///
/// ```
/// use warpcell as gpu;
/// use gpu::prelude::*;
///
/// let image = gpu::random::default_rng(1).random((64, 64));
/// gpu::interact!(sigma: f64 = 1.0 in 0.5..5.0 step 0.1, [invert: bool, title: String = "Blurred"] => {
///     let blurred = gpu::ndimage::gaussian_filter(&image, sigma);
///     println!("mean {:.3}", blurred.mean());
///     gpu::imshow(&if invert { 1.0 - &blurred } else { blurred }).title(title)
/// });
/// assert_eq!(image.shape(), [64, 64]); // it is still there
/// ```
///
/// A slider needs both ends, and a control its type:
///
/// ```compile_fail
/// warpcell::interact!(size in 3.. => size);
/// ```
///
/// The code cannot change a variable:
///
/// ```compile_fail
/// let mut count = 0;
/// warpcell::interact!(on: bool => count += 1);
/// ```
#[macro_export]
macro_rules! interact {
    ($($call:tt)*) => {{
        let interaction: $crate::Interaction = $crate::interactions::interaction!($($call)*);
        interaction
    }};
}

/// What is called, with the values of the controls.
type Closure = Rc<dyn Fn(&Values)>;

thread_local! {
    /// The closures that can be called, by their identities. They are on the thread that runs cells, and never leave it.
    static CLOSURES: RefCell<HashMap<String, Closure>> = RefCell::default();
    /// Whether one of them is being called.
    static CALLING: Cell<bool> = const { Cell::new(false) };
}

/// Code with controls, which [`interact!`](macro@crate::interact) has shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Interaction {
    id: String,
}

impl Interaction {
    /// Removes the controls from the notebook, and drops the code with all that it has kept.
    ///
    /// ```
    /// let shown = warpcell::interact!(n: i64 in 0..10 => n * n);
    /// shown.close();
    /// ```
    pub fn close(&self) {
        let closure = CLOSURES.with_borrow_mut(|closures| closures.remove(&self.id));
        if closure.is_some() {
            output::interaction_closed(&self.id);
        }
    }
}

/// As the last expression of a cell it shows nothing: what it stands for was shown already.
impl Debug for Interaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("Interaction {:?}", self.id);
        cell::offer_nothing(&text);
        f.write_str(&text)
    }
}

/// What the macro calls: shows controls, row by row, and calls a closure that shows its value.
#[doc(hidden)]
#[track_caller]
pub fn interact<T: Debug>(rows: Vec<Vec<Value>>, closure: impl Fn(&Values) -> T + 'static) -> Interaction {
    begin(rows, Rc::new(move |values| show(std::any::type_name::<T>(), &closure(values))))
}

fn show(type_name: &str, value: &dyn Debug) {
    // `()` is the value of statements: nothing to show.
    if type_name == "()" {
        return;
    }
    if let Some(data) = cell::representations_of(value) {
        output::display(&data, None, false);
    }
}

/// Marks that a closure is being called, and reports the end of the first call, however it ends.
struct Calling {
    is_first: bool,
}

impl Calling {
    fn begin(is_first: bool) -> Calling {
        CALLING.set(true);
        Calling { is_first }
    }
}

impl Drop for Calling {
    fn drop(&mut self) {
        CALLING.set(false);
        output::called(self.is_first && std::thread::panicking());
    }
}

#[track_caller]
fn begin(rows: Vec<Vec<Value>>, closure: Closure) -> Interaction {
    // Not in a closure, whose place would be that of the panic.
    #[track_caller]
    fn refused(reason: &str) -> ! {
        fail(Error::argument("interact!", reason))
    }
    if CALLING.get() {
        refused("it stands in code that another `interact!` calls; put its controls into that one");
    }
    if output::in_kernel() && !cell::is_cell_thread() {
        refused("it stands in a thread that does not run cells; call it in the cell itself");
    }
    let interaction = Interaction { id: rich::new_id() };
    let first = Values::first(&rows);
    output::interaction(&interaction.id, &rows);
    {
        let _calling = Calling::begin(true);
        closure(&first);
    }
    if output::in_kernel() {
        CLOSURES.with_borrow_mut(|closures| closures.insert(interaction.id.clone(), closure));
    }
    interaction
}

/// Does what the kernel asks for between cells, as the output contract has it: calls a closure, or drops one.
pub(crate) fn obey(order: &[u8]) {
    let order: Value = serde_json::from_slice(order).unwrap_or_default();
    if let Some(id) = order["forget"].as_str() {
        let closure = CLOSURES.with_borrow_mut(|closures| closures.remove(id));
        cell::quietly(|| drop(closure));
        return;
    }
    let Value::Array(values) = order["call"]["values"].clone() else { return };
    let id = order["call"]["id"].as_str().unwrap_or_default();
    let closure = CLOSURES.with_borrow(|closures| closures.get(id).cloned());
    let calling = Calling::begin(false);
    if let Some(closure) = closure {
        rich::with_pictures_only(|| cell::call(|| closure(&Values::new(values))));
    }
    drop(calling);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::representations_of;

    #[test]
    fn the_code_runs_once_with_the_first_values() {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let copy = Rc::clone(&seen);
        crate::interact!(n: i64 = 4 in 0..10, [on: bool, name: &str in ["a", "b"]], text: String = "x", go: Button => {
            copy.borrow_mut().push((n, on, name, text, go));
        });
        assert_eq!(*seen.borrow(), [(4, false, "a", "x".to_owned(), false)]);
    }

    #[test]
    fn closures_are_called_with_other_values_and_dropped() {
        let seen = Rc::new(RefCell::new(Vec::new()));
        let copy = Rc::clone(&seen);
        let rows = vec![vec![slider::<f64>("x", None, std::marker::PhantomData, 0.0, 1.0, false, None)]];
        let interaction = interact(rows, move |values| copy.borrow_mut().push(values.number::<f64>(0)));
        // As in a kernel, where it is kept.
        let again = Rc::clone(&seen);
        let closure: Closure = Rc::new(move |values| again.borrow_mut().push(values.number::<f64>(0)));
        CLOSURES.with_borrow_mut(|closures| closures.insert(interaction.id.clone(), closure));
        obey(format!(r#"{{"call":{{"id":"{}","values":[0.25]}}}}"#, interaction.id).as_bytes());
        assert_eq!(*seen.borrow(), [0.5, 0.25]);
        obey(format!(r#"{{"forget":"{}"}}"#, interaction.id).as_bytes());
        obey(format!(r#"{{"call":{{"id":"{}","values":[0.75]}}}}"#, interaction.id).as_bytes());
        assert_eq!(*seen.borrow(), [0.5, 0.25], "nobody can call it any more");
        assert_eq!(Rc::strong_count(&seen), 1, "what it had kept is dropped");
    }

    #[test]
    fn a_panic_of_a_later_call_is_caught() {
        let closure: Closure = Rc::new(|values| assert!(values.boolean(0), "asked for"));
        CLOSURES.with_borrow_mut(|closures| closures.insert("panics".to_owned(), closure));
        obey(br#"{"call":{"id":"panics","values":[false]}}"#);
        assert!(!CALLING.get());
        obey(br#"{"call":{"id":"panics","values":[true]}}"#);
    }

    #[test]
    fn variables_are_copied() {
        let array = crate::zeros::<f64>(3);
        let list = vec![1, 2];
        crate::interact!(n: usize in 0..3 => {
            array.slice(ndarray::s![..]).fill(7.0);
            (array.sum(), list.len(), n)
        });
        assert_eq!((array.sum(), list.len()), (0.0, 2));
    }

    #[test]
    fn one_within_another_is_refused() {
        let inner = std::panic::catch_unwind(|| {
            crate::interact!(a: bool => {
                crate::interact!(b: bool => a && b);
            });
        });
        let message = inner.unwrap_err();
        let message = message.downcast_ref::<String>().unwrap();
        assert!(message.contains("another `interact!`"), "{message}");
        assert!(!CALLING.get());
    }

    #[test]
    fn as_a_value_it_shows_nothing() {
        let shown = crate::interact!(n: u8 in 0..3 => n);
        assert_eq!(representations_of(&shown), None);
        assert!(representations_of(&Some(shown)).is_some());
    }
}
