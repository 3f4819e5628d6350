//! The prelude's side of the output contract: messages from the cell process, in order with the cell's text.
//!
//! The format is fixed by `kernel/OUTPUT_CONTRACT.md`; the kernel's side is `kernel/src/output_contract.rs`. A
//! message is written to standard output behind a marker that is random per session, after libstd's own buffer has
//! been flushed, so that text and messages keep their order. Outside a kernel, where no marker was given, a display
//! prints its plain text; the pictures of an exported notebook become files ([`crate::program`]).

use serde_json::{Map, Value, json};
use std::io::Write;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::sync::{Mutex, OnceLock, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

static MARKER: OnceLock<String> = OnceLock::new();
static PIPE: Mutex<Option<Pipe>> = Mutex::new(None);

/// The pipe to the kernel, by a descriptor that is not the user's. The user's code may close that one too, or put something else in
/// its place, as it may with standard output.
struct Pipe {
    descriptor: RawFd,
    /// What tells the pipe from other files.
    identity: (libc::dev_t, libc::ino_t),
}

impl Pipe {
    /// A descriptor of its own for what another one leads to.
    fn of(descriptor: RawFd) -> Option<Pipe> {
        // SAFETY: the call has no preconditions.
        let own = unsafe { libc::fcntl(descriptor, libc::F_DUPFD_CLOEXEC, 0) };
        Some(Pipe { descriptor: own, identity: identity(own)? })
    }

    /// The same pipe by another descriptor that still leads to it.
    fn again(&self) -> Option<Pipe> {
        // SAFETY: the call has no preconditions.
        let most = unsafe { libc::getdtablesize() }.min(1 << 16);
        (0..most).find(|&descriptor| identity(descriptor) == Some(self.identity)).and_then(Pipe::of)
    }

    fn write_all(&self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            // SAFETY: the bytes are there to be read; a descriptor that is not open gives an error.
            let written = unsafe { libc::write(self.descriptor, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(written) {
                Ok(written) => bytes = &bytes[written..],
                Err(_) if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) if std::io::Error::last_os_error().kind() == std::io::ErrorKind::WouldBlock => self.wait(),
                // A kernel that is gone reads nothing any more.
                Err(_) => return,
            }
        }
    }

    /// Waits until there is room: the user's code may have made the pipe one that does not wait.
    fn wait(&self) {
        let mut polled = libc::pollfd { fd: self.descriptor, events: libc::POLLOUT, revents: 0 };
        // SAFETY: there is one entry, which the call may write to.
        unsafe { libc::poll(&raw mut polled, 1, -1) };
    }
}

/// Device and number of what a descriptor leads to.
fn identity(descriptor: RawFd) -> Option<(libc::dev_t, libc::ino_t)> {
    let mut found = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the call writes to the local, and says whether it has.
    unsafe {
        (libc::fstat(descriptor, found.as_mut_ptr()) == 0).then(|| {
            let found = found.assume_init();
            (found.st_dev, found.st_ino)
        })
    }
}

/// Takes the session's marker; called once, before any cell runs.
pub(crate) fn set_marker(marker: String) {
    *PIPE.lock().unwrap_or_else(PoisonError::into_inner) = Pipe::of(libc::STDOUT_FILENO);
    MARKER.get_or_init(|| marker);
}

/// The exit status of a process that cannot reach the kernel any more.
const UNREACHABLE: i32 = 74;

/// Writes a frame to the kernel, behind all text that was printed before.
pub(crate) fn write(frame: &[u8]) {
    if !crate::cell::is_cell_thread() {
        flush_elsewhere();
    }
    let mut pipe = PIPE.lock().unwrap_or_else(PoisonError::into_inner);
    if crate::cell::is_cell_thread() {
        flush();
    }
    let Some(known) = &mut *pipe else { return };
    if identity(known.descriptor) != Some(known.identity) {
        match known.again() {
            Some(found) => *known = found,
            None => {
                // Nobody would ever learn that the cell has ended.
                eprintln!("the cell has closed the file descriptors that this process uses to talk to the kernel");
                // SAFETY: `_exit` ends the process and has no preconditions.
                unsafe { libc::_exit(UNREACHABLE) }
            }
        }
    }
    known.write_all(frame);
}

/// Whether this process runs cells of a kernel.
pub(crate) fn in_kernel() -> bool {
    MARKER.get().is_some()
}

/// Writes what libstd's and C's standard output still hold.
pub(crate) fn flush() {
    // A closed standard output must not end the user's program.
    let _ = std::io::stdout().flush();
    // SAFETY: `fflush` with a null pointer flushes every open C stream and has no other precondition.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

/// By this a thread asks for a flush, and waits for its end.
static FLUSHER: Mutex<Option<mpsc::Sender<mpsc::Sender<()>>>> = Mutex::new(None);
/// How long a thread waits for what was printed before its message. The cell may have locked standard output for good.
const PATIENCE: Duration = Duration::from_millis(200);

/// After this time users hear what a cell waits for: within a second.
const LONG: Duration = Duration::from_millis(800);

/// Starts a thread that flushes when another one asks for it, or after a time: `print!` without a newline would stay in libstd's buffer
/// until the cell ends.
pub(crate) fn start_flushing(after: Duration) -> std::io::Result<()> {
    let (ask, asked) = mpsc::channel::<mpsc::Sender<()>>();
    *FLUSHER.lock().unwrap_or_else(PoisonError::into_inner) = Some(ask);
    let thread = std::thread::Builder::new().name("warpcell-flush".to_owned());
    let work = move || {
        loop {
            let waiting = asked.recv_timeout(after);
            flush();
            // Who has not waited so long is gone.
            let _ = waiting.map(|waiting| waiting.send(()));
        }
    };
    thread.spawn(work).map(drop)
}

/// Has the flushing thread flush, and waits for that, but not for ever.
fn flush_elsewhere() {
    let ask = FLUSHER.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (done, flushed) = mpsc::channel();
    if ask.is_some_and(|ask| ask.send(done).is_ok()) {
        let _ = flushed.recv_timeout(PATIENCE);
    }
}

fn send(message: &Value) {
    let Some(marker) = MARKER.get() else { return };
    let text = message.to_string();
    let frame = format!("{marker}{}\n{text}\n", text.len());
    write(frame.as_bytes());
}

/// What is shown: a representation per MIME type, text or JSON, binary content in base64.
pub(crate) type Data = Map<String, Value>;

fn print_plain(data: &Data) {
    if let Some(Value::String(text)) = data.get("text/plain") {
        println!("{text}");
    }
}

/// Shows one display. With an identity it can be replaced later, and with `update` it replaces the one of that identity.
pub(crate) fn display(data: &Data, id: Option<&str>, update: bool) {
    if in_kernel() {
        let mut message = json!({ "type": "display", "data": data });
        if let Some(id) = id {
            message["id"] = json!(id);
        }
        if update {
            message["update"] = json!(true);
        }
        send(&message);
    } else {
        print_plain(data);
        crate::program::keep(data, id, update);
    }
}

/// Shows how far a loop is. The first message of an identity shows the bar, later ones move it, the last one is `done`.
pub(crate) fn progress(data: &Data, id: &str, update: bool, done: bool) {
    send(&json!({ "type": "progress", "data": data, "id": id, "update": update, "done": done }));
}

/// Removes what the cell has shown so far, at once or when the next output comes.
pub(crate) fn clear_output(wait: bool) {
    send(&json!({ "type": "clear_output", "wait": wait }));
}

/// Does something that may take long. If it does, the cell says what it waits for meanwhile.
pub(crate) fn waiting_for<R>(what: &'static str, work: impl FnOnce() -> R) -> R {
    if !in_kernel() {
        return work();
    }
    let (ended, end) = mpsc::channel::<()>();
    let thread = std::thread::Builder::new().name("warpcell-waiting".to_owned());
    let said = thread.spawn(move || {
        if end.recv_timeout(LONG) == Err(mpsc::RecvTimeoutError::Timeout) {
            send(&json!({ "type": "waiting", "what": what }));
            let _ = end.recv();
            send(&json!({ "type": "waiting", "what": null }));
        }
    });
    let result = work();
    drop(ended);
    // What the cell shows next comes behind this.
    let _ = said.map(JoinHandle::join);
    result
}

/// Sets how much text each cell may show, in bytes.
pub(crate) fn limit(bytes: u64) {
    send(&json!({ "type": "output_limit", "bytes": bytes }));
}

/// Shows the value of a cell's last expression.
pub(crate) fn result(data: &Data) {
    if in_kernel() {
        send(&json!({ "type": "result", "data": data }));
    } else {
        print_plain(data);
        crate::program::keep(data, None, false);
    }
}

/// Reports a panic of the cell's thread or of another one.
pub(crate) fn panic(message: &str, location: &str, on_cell_thread: bool, backtrace: &[String]) {
    send(&json!({
        "type": "panic",
        "message": message,
        "location": location,
        "cell_thread": on_cell_thread,
        "backtrace": backtrace,
    }));
}

/// Reports that the cell has stopped, because the user asked for that; `location` is where it was, if that is known.
pub(crate) fn interrupted(location: Option<&str>) {
    send(&json!({ "type": "interrupted", "location": location }));
}

/// Reports that `?` ended the cell with an error.
pub(crate) fn user_error(message: &str) {
    send(&json!({ "type": "user_error", "message": message }));
}

/// Reports which variables a cell that has failed has stored since then, which have their old values, which types some have, and of
/// which the new values are lost.
pub(crate) fn stored(names: &[String], kept: &[String], types: &[(String, &str)], lost: &[String]) {
    send(&json!({ "type": "stored", "names": names, "kept": kept, "types": types, "lost": lost }));
}

/// Asks the user for a line.
pub(crate) fn input(prompt: &str, password: bool) {
    send(&json!({ "type": "input", "prompt": prompt, "password": password }));
}

/// Hands a control line to evcxr.
pub(crate) fn control(line: &str) {
    send(&json!({ "type": "control", "line": line }));
}

/// Announces controls, row by row, and the first call of what they call: its outputs follow.
pub(crate) fn interaction(id: &str, rows: &[Vec<Value>]) {
    send(&json!({ "type": "interaction", "id": id, "rows": rows }));
}

/// Reports that a call of what controls call has come to its end; `unwound`: it was the first one, and there is nothing to
/// call again.
pub(crate) fn called(unwound: bool) {
    send(&json!({ "type": "called", "unwound": unwound }));
}

/// Reports that the program has closed controls.
pub(crate) fn interaction_closed(id: &str) {
    send(&json!({ "type": "interaction_closed", "id": id }));
}

/// Reports that the cell has come to its end.
pub(crate) fn end_of_cell() {
    send(&json!({ "type": "end" }));
}
