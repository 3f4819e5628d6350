//! What goes wrong in a call from Python: the message, the kind of exception, and the line in Rust.

use super::{Value, text_of};
use crate::error::Error;
use std::any::Any;
use std::cell::Cell;
use std::panic::PanicHookInfo;
use std::sync::{Mutex, Once, PoisonError};

/// The path of every compiled source, as panics tell it.
const SOURCE: &str = "function.rs";

/// Which exception Python raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `TypeError`.
    Type = 1,
    /// `ValueError`.
    Value = 2,
    /// A panic in Rust.
    Panic = 3,
    /// The error that the function has returned.
    Error = 4,
    /// `MemoryError`.
    Memory = 5,
    /// `RuntimeError`: something of the machine.
    Runtime = 6,
}

/// Why a call has failed.
#[derive(Debug)]
pub struct Failure {
    pub kind: Kind,
    pub text: String,
    /// The line in the source, from 1; 0 if it is not known.
    pub line: usize,
}

impl Failure {
    pub fn new(kind: Kind, text: impl Into<String>) -> Failure {
        Failure { kind, text: text.into(), line: 0 }
    }

    /// An error of the library that is no panic.
    pub fn of_error(error: &Error) -> Failure {
        let (kind, line) = match error {
            Error::FunctionFailed { line, .. } => (Kind::Panic, *line),
            Error::FoundLater { .. } => (Kind::Panic, 0),
            Error::OutOfMemory { .. } => (Kind::Memory, 0),
            Error::DeviceUnavailable { .. } | Error::LibraryMissing { .. } | Error::Cuda { .. } => (Kind::Runtime, 0),
            _ => (Kind::Value, 0),
        };
        Failure { kind, text: error.to_string(), line }
    }

    /// What a panic says that was caught.
    pub fn of_panic(payload: Box<dyn Any + Send>) -> Failure {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| UNTOLD.to_owned());
        let (line, elsewhere) = place_of(&text);
        let text = if elsewhere.is_empty() { text } else { format!("{text} ({elsewhere})") };
        // What the user's code has panicked with may panic when it is dropped.
        std::mem::forget(payload);
        Failure { kind: Kind::Panic, text, line }
    }

    /// Writes it to the first value; gives the number of its kind.
    pub fn tell(self, values: *mut Value) -> i32 {
        // SAFETY: there is always one value, by the promise of `call`'s caller.
        let first = unsafe { &mut *values };
        first.word = text_of(&self.text).expose_provenance() as u64;
        first.real = self.line as f64;
        self.kind as i32
    }
}

const UNTOLD: &str = "a value that is not text was given to `panic_any`";

/// Panics whose callers have not asked for them yet.
static SEEN: Mutex<Vec<Seen>> = Mutex::new(Vec::new());
/// As many are kept: those that the user's own code catches stay.
const MOST_SEEN: usize = 32;

/// A panic as the hook saw it.
struct Seen {
    thread: std::thread::ThreadId,
    text: String,
    /// In the source.
    line: usize,
    /// Otherwise: the file and the line.
    elsewhere: String,
}

/// The line in the source of the newest panic with this text, or else the place where it was; that of this thread first. Threads of a pool
/// hand their panics to the one that waits for them.
fn place_of(text: &str) -> (usize, String) {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let own = std::thread::current().id();
    let is_same = |panic: &Seen| panic.text == text;
    let found =
        seen.iter().rposition(|panic| is_same(panic) && panic.thread == own).or_else(|| seen.iter().rposition(is_same));
    found.map_or((0, String::new()), |found| {
        let panic = seen.remove(found);
        (panic.line, panic.elsewhere)
    })
}

thread_local! {
    /// How many calls from Python this thread is in.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// While this lives, the thread is in a call from Python.
pub struct InCall;

impl InCall {
    pub fn begin() -> InCall {
        watch();
        CALLS.set(CALLS.get() + 1);
        InCall
    }
}

impl Drop for InCall {
    fn drop(&mut self) {
        CALLS.set(CALLS.get() - 1);
    }
}

/// Replaces libstd's hook by one that notes the panics of calls, which become exceptions, and leaves others to it. Memory that cannot be
/// had is a panic too, and not the end of Python.
fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        crate::cell::survive_without_memory();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if CALLS.get() > 0 || rayon::current_thread_index().is_some() {
                note(info);
            } else {
                before(info);
            }
        }));
    });
}

fn note(info: &PanicHookInfo<'_>) {
    let place = info.location().filter(|place| !crate::cell::is_about_memory(place.file()));
    let (line, elsewhere) = match place {
        Some(place) if place.file() == SOURCE => (place.line() as usize, String::new()),
        Some(place) => (0, format!("{}:{}", place.file(), place.line())),
        None => (0, String::new()),
    };
    let text = info.payload_as_str().unwrap_or(UNTOLD).to_owned();
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if seen.len() == MOST_SEEN {
        seen.remove(0);
    }
    seen.push(Seen { thread: std::thread::current().id(), text, line, elsewhere });
}
