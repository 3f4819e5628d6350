//! What compiled cells and the cell process call: the variable store, the display of values, the hooks around a cell.
//!
//! Nothing here is for users' code. Cells reach it by the paths that the kernel's build step writes into them
//! (`kernel/src/build_step/rewrite.rs`), the cell process by the unmangled functions at the end of this file.

mod display;
mod interrupt;
mod memory;
mod panics;
mod store;

#[cfg(feature = "cells")]
pub use display::EvcxrDisplay;
pub(crate) use display::{offer_nothing, offer_rich, representations_of};
pub use interrupt::{check, interruptible};
pub use store::{VariableStore, create_variable_store};
pub(crate) use warpcell_base::interrupt::interrupted;

use std::ffi::{CStr, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::Duration;

/// The type `!`, which stable code may write only as what a function returns: the kernel writes the types of variables into cells, and
/// `catch_unwind(|| panic!())` is a `Result<!, …>`.
pub type Never = <fn() -> ! as Returns>::Value;

/// A function's type, for [`Never`].
pub trait Returns {
    /// What it returns.
    type Value;
}

impl<T> Returns for fn() -> T {
    type Value = T;
}

static CELL: AtomicU64 = AtomicU64::new(0);
/// Whether a cell runs.
static RUNNING: AtomicBool = AtomicBool::new(false);
/// The number of the process that runs cells.
static PROCESS: AtomicU32 = AtomicU32::new(0);
/// The thread that runs cells.
static CELL_THREAD: OnceLock<Thread> = OnceLock::new();
/// Whether the cell that runs has failed.
static FAILED: AtomicBool = AtomicBool::new(false);
/// The bits of an `f64`.
static COMPILE_SECONDS: AtomicU64 = AtomicU64::new(0);

/// How long the cell that runs took to compile, in seconds; `None` in a program without a kernel.
pub(crate) fn compile_time() -> Option<f64> {
    (crate::output::in_kernel() && current_cell() > 0).then(|| f64::from_bits(COMPILE_SECONDS.load(Ordering::Relaxed)))
}

/// Begins a cell of a program that was a notebook, where no kernel does: its drawings show themselves when they are dropped in it.
pub(crate) fn begin_in_program() {
    if !crate::output::in_kernel() {
        CELL.fetch_add(1, Ordering::Relaxed);
    }
}

/// The number of the cell that runs, from 1; 0 in a program that has no cells.
pub(crate) fn current_cell() -> u64 {
    CELL.load(Ordering::Relaxed)
}

/// Sends the text of the cell's last value; what evcxr's fallback for values without a display calls.
pub fn send_text_plain(text: &str) {
    // A cell without a value shows none.
    if text == "()" {
        return;
    }
    crate::output::result(&serde_json::Map::from_iter([("text/plain".to_owned(), text.into())]));
}

/// Tells evcxr that the cell's code panicked, and the kernel, if it was interrupted; called where `catch_unwind` caught it.
pub fn panicked() {
    report_unwound();
    crate::output::control("EVCXR_PANIC_NOTIFICATION");
}

/// Reports that the code of a cell, or of a call between cells, panicked or was interrupted.
fn report_unwound() {
    // A child that the cell has forked must not go on as the cell process.
    if std::process::id() != PROCESS.load(Ordering::Relaxed) && PROCESS.load(Ordering::Relaxed) != 0 {
        panics::report_in_child();
        // SAFETY: ends the process and has no preconditions.
        unsafe { libc::_exit(101) };
    }
    FAILED.store(true, Ordering::Relaxed);
    if interrupt::report() {
        panics::report_caught();
    } else {
        panics::report();
    }
}

/// Runs code between cells as if it were a cell, but evcxr does not hear of it. Its drawings show themselves, it can be
/// interrupted, and a panic is reported.
pub(crate) fn call(code: impl FnOnce()) {
    begin();
    match caught(AssertUnwindSafe(code)) {
        Ok(()) => {
            if let Err(error) = crate::device::settle() {
                panics::report_error(&error);
            }
        }
        Err(Panicked) => {
            report_unwound();
            // What the device has found meanwhile nobody hears of.
            let _ = crate::device::settle();
        }
    }
    RUNNING.store(false, Ordering::Relaxed);
    FAILED.store(false, Ordering::Relaxed);
    panics::report_caught();
}

/// Drops something whose destructor may panic.
pub(crate) fn quietly(drop: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(drop));
}

fn begin() {
    CELL.fetch_add(1, Ordering::Relaxed);
    RUNNING.store(true, Ordering::Relaxed);
    FAILED.store(false, Ordering::Relaxed);
    // What an interrupt of an earlier cell has unparked.
    std::thread::park_timeout(Duration::ZERO);
    warpcell_base::interrupt::enter_cell();
}

/// The code of a cell panicked, which the hook has reported.
#[derive(Debug)]
pub struct Panicked;

/// Runs the code of a cell; an error if it panicked. It stands for `catch_unwind`, of which each cell would compile a copy of its own.
pub fn caught<R>(code: AssertUnwindSafe<impl FnOnce() -> R>) -> Result<R, Panicked> {
    let (mut code, mut result) = (Some(code.0), None);
    run(&mut || {
        if let Some(code) = code.take() {
            result = Some(code());
        }
    });
    result.ok_or(Panicked)
}

/// The part of [`caught`] that is the same for all code.
fn run(code: &mut dyn FnMut()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(code)) {
        store::drop_quietly(payload);
    }
}

/// Runs one statement of a cell, or several; `None` if it panicked, which has been reported then.
///
/// What the statements before it have defined outlives such a panic.
pub fn statement<R>(run: impl FnOnce() -> R) -> Option<R> {
    match caught(AssertUnwindSafe(run)) {
        Ok(result) => Some(result),
        Err(Panicked) => {
            panicked();
            None
        }
    }
}

/// Ends the cell with the error of a check that the device has made meanwhile, if one failed. Of a cell that has failed already, nobody
/// hears of it.
pub(crate) fn settle() {
    match crate::device::settle() {
        Err(error) if !has_failed() => {
            FAILED.store(true, Ordering::Relaxed);
            panics::report_error(&error);
            crate::output::control("EVCXR_PANIC_NOTIFICATION");
        }
        _ => {}
    }
}

/// Whether the cell that runs has failed; what it stores from then on is reported at its end.
pub(crate) fn has_failed() -> bool {
    FAILED.load(Ordering::Relaxed)
}

/// Tells evcxr that `?` ended the cell.
pub fn user_error(error: &str) {
    FAILED.store(true, Ordering::Relaxed);
    crate::output::user_error(error);
    crate::output::control("EVCXR_ERROR_OCCURRED");
}

/// Prepares the process for cells: takes the output marker, the path of the file that lists registered functions, and the
/// word that the kernel sets to interrupt a cell; installs the panic hook, starts flushing.
///
/// # Safety
///
/// `marker` and `functions` must point to NUL-terminated strings that live during the call, `interrupt` to a word that
/// stays valid for the rest of the process. The process has one thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpcell_start(marker: *const c_char, functions: *const c_char, interrupt: *const AtomicU32) {
    // SAFETY: the caller promises NUL-terminated strings that live during this call.
    let (marker, functions) = unsafe { (CStr::from_ptr(marker), CStr::from_ptr(functions)) };
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    crate::output::set_marker(marker.to_string_lossy().into_owned());
    // SAFETY: the caller promises that there is no other thread.
    unsafe { crate::session::driver_settings::set() };
    let functions = Path::new(OsStr::from_bytes(functions.to_bytes()));
    crate::registry::list_in(functions);
    if let Some(session) = functions.parent() {
        crate::input::answer_in(session);
        crate::session::restore_in(session);
    }
    // SAFETY: the caller promises that the word stays valid.
    unsafe { warpcell_base::interrupt::watch(interrupt) };
    panics::install_hook();
    memory::install_hook();
    crate::reexported_crates::register_fonts();
    // In threads of their own: the one that flushes waits where a cell keeps standard output locked.
    let started = crate::output::start_flushing(TICK).and_then(|()| {
        let thread = std::thread::Builder::new().name("warpcell-watch".to_owned());
        thread.spawn(watch).map(drop)
    });
    if let Err(error) = started {
        eprintln!("partial lines will appear late: no thread could be started ({error})");
    }
}

/// How often there is a look at what cells print, and at interrupts.
const TICK: Duration = Duration::from_millis(50);
/// After how many of these memory is given back.
const LONG: u32 = 100;

/// Wakes the cell that waits when it is interrupted, and gives back memory.
fn watch() {
    loop {
        for _ in 0..LONG {
            std::thread::sleep(TICK);
            // The cell may wait for a device, where a loop goes on, or to be unparked.
            if warpcell_base::interrupt::is_set() {
                crate::device::stop_functions();
                CELL_THREAD.get().into_iter().for_each(Thread::unpark);
            }
        }
        // Memory that a notebook keeps while its user is elsewhere.
        if !RUNNING.load(Ordering::Relaxed) {
            crate::device::trim_idle();
        }
    }
}

/// Whether this is the thread that runs cells.
pub(crate) fn is_cell_thread() -> bool {
    CELL_THREAD.get().is_none_or(|thread| thread.id() == std::thread::current().id())
}

/// Makes an allocation that fails a panic, also where there are no cells.
pub(crate) fn survive_without_memory() {
    memory::install_hook();
}

/// Whether the place of a panic is that of such an allocation.
pub(crate) use memory::is_ours as is_about_memory;

/// Called by the cell process on the thread that is about to run a cell, which took `compile_seconds` to compile.
#[unsafe(no_mangle)]
pub extern "C" fn warpcell_begin_cell(compile_seconds: f64) {
    COMPILE_SECONDS.store(compile_seconds.to_bits(), Ordering::Relaxed);
    CELL_THREAD.get_or_init(std::thread::current);
    begin();
}

/// Called by the cell process between cells, on the thread that runs them: does what the kernel asks for, as the output
/// contract has it.
///
/// # Safety
///
/// `order` must point to `length` bytes that may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpcell_obey(order: *const u8, length: usize) {
    // SAFETY: the caller promises it.
    crate::interactions::obey(unsafe { std::slice::from_raw_parts(order, length) });
}

/// Whether the user has asked to stop what the calling thread does; what sleeps in the cell process ask.
#[unsafe(no_mangle)]
pub extern "C" fn warpcell_interrupted() -> bool {
    interrupted()
}

/// Called by the cell process when a cell's function has returned.
#[unsafe(no_mangle)]
pub extern "C" fn warpcell_end_cell() {
    settle();
    RUNNING.store(false, Ordering::Relaxed);
    panics::report_caught();
    store::report_stored();
    crate::output::end_of_cell();
}

/// Called by the cell process, between cells, if the next cell seems to use the device.
#[unsafe(no_mangle)]
pub extern "C" fn warpcell_open_device() {
    crate::device::open_ahead();
}

/// Called by the cell process, on the thread that is about to run a cell, if the cell may change what the device's driver
/// reads at its start.
#[unsafe(no_mangle)]
pub extern "C" fn warpcell_wait_for_device() {
    crate::device::wait_for_opening();
}

/// Writes a message of the cell process to the kernel, as the output contract has it.
///
/// # Safety
///
/// `bytes` must point to `length` bytes that may be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpcell_write(bytes: *const u8, length: usize) {
    // SAFETY: the caller promises it.
    crate::output::write(unsafe { std::slice::from_raw_parts(bytes, length) });
}

/// Writes a description of the device that cells compute on into `text`, cut at `capacity` bytes; gives its length. If it is
/// not to be opened, the description is that of the device that will be tried.
///
/// # Safety
///
/// `text` must point to `capacity` bytes that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpcell_describe_device(opens: bool, text: *mut u8, capacity: usize) -> usize {
    let description = crate::device::description(opens).unwrap_or_else(|error| error.to_string());
    let length = description.len().min(capacity);
    // SAFETY: the caller promises room for `capacity` bytes, and a fresh string overlaps nothing of the caller's.
    unsafe { std::ptr::copy_nonoverlapping(description.as_ptr(), text, length) };
    length
}
