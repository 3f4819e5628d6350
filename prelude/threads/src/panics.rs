//! Panics of kernels: what was said and where is kept for the launch's failure, and printed by nobody.

use std::cell::RefCell;
use std::sync::Once;

thread_local! {
    /// What the last panic of a kernel on this OS thread said, and its line.
    static LAST: RefCell<Option<(String, Option<u32>)>> = const { RefCell::new(None) };
}

/// Puts a hook before the one that there is, which from then on does not hear of the panics of kernels.
pub(crate) fn listen() {
    static LISTENING: Once = Once::new();
    // A panicking thread may not change hooks.
    if !std::thread::panicking() {
        LISTENING.call_once(|| {
            let others = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                if crate::worker::running().is_none() {
                    return others(info);
                }
                let message = info.payload_as_str().unwrap_or("a value that is not text was given to `panic_any`");
                let line = info.location().filter(|place| !is_foreign(place.file())).map(|place| place.line());
                LAST.set(Some((message.to_owned(), line)));
            }));
        });
    }
}

/// Whether a file is one of the standard library's, whose lines say nothing about the kernel.
fn is_foreign(file: &str) -> bool {
    file.starts_with("/rustc/") || file.contains("/rustlib/src/")
}

/// What a panic said that has been caught, and its line if that is known.
pub(crate) fn caught(payload: &(dyn std::any::Any + Send)) -> (String, Option<u32>) {
    LAST.take().unwrap_or_else(|| {
        // Another hook has taken the place of ours.
        let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
        (text.unwrap_or("the kernel unwound without a message").to_owned(), None)
    })
}
