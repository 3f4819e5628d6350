//! The cell process loads compiled cells and runs them. It owns the variables, the prelude and the GPU.
//!
//! Commands come on a separate descriptor, so that standard input is free (it is empty). Everything that cells share is
//! in the prelude's library, which is loaded first.

use crate::build_step::{self, statics};
use crate::choices;
use crate::environment::{FUNCTIONS, INTERRUPT, MARKER};
use crate::memory;
use crate::output_contract::{Message, encode};
use crate::printing::errln;
use crate::profiling::recording;
use crate::sleep;
use anyhow::{Context, anyhow};
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LOCAL, RTLD_NOW};
use std::ffi::{CString, OsStr, c_char, c_void};
use std::io::{BufRead, BufReader};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Instant;

/// The descriptor on which commands come.
pub const COMMANDS: i32 = 3;

/// The command by which the process opens its device in a thread, for the cell that comes next.
pub const OPEN_DEVICE: &str = "OPEN_DEVICE";
/// The command by which it waits for this thread: a cell may change the environment, or fork, and must not do so while another
/// thread starts the driver.
pub const WAIT_FOR_DEVICE: &str = "WAIT_FOR_DEVICE";
/// The beginning of a line with an order of the kernel, as JSON, for the closures of interactions.
pub const ORDER: &str = "ORDER ";

type CellFunction = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type StartFunction = unsafe extern "C" fn(*const c_char, *const c_char, *const c_void);
type HookFunction = unsafe extern "C" fn();
type BeginFunction = unsafe extern "C" fn(f64);
type WriteFunction = unsafe extern "C" fn(*const u8, usize);
type ProfileFunction = unsafe extern "C" fn(unsafe extern "C" fn(*const u8, usize), extern "C" fn());
type DeviceFunction = unsafe extern "C" fn(bool, *mut u8, usize) -> usize;

/// Runs cells until the commands end. Returns the exit status.
pub fn run() -> i32 {
    memory::allow_huge_pages(true);
    let marker = std::env::var(MARKER).unwrap_or_default();
    let functions = std::env::var_os(FUNCTIONS).unwrap_or_default();
    let interrupt = std::env::var_os(INTERRUPT).unwrap_or_default();
    // SAFETY: this process has one thread so far. The user's code must not see the kernel's variables.
    unsafe {
        std::env::remove_var(MARKER);
        std::env::remove_var(FUNCTIONS);
        std::env::remove_var(INTERRUPT);
        std::env::remove_var(crate::environment::CELL_PROCESS);
        // Grandchildren must not inherit the command descriptor.
        libc::fcntl(COMMANDS, libc::F_SETFD, libc::FD_CLOEXEC);
        // An interrupt also goes to the programs that a cell has started. This process learns about it in another way.
        // (A handler is not inherited by these programs, but an ignored signal would be.)
        libc::signal(libc::SIGINT, do_nothing as *const () as libc::sighandler_t);
    }
    match Prelude::load(&marker, &functions, &interrupt) {
        Ok(prelude) => {
            // The file lies in the session's directory.
            let session = Path::new(&functions).parent();
            session.into_iter().for_each(statics::forget);
            run_cells(&prelude, &marker, session)
        }
        Err(error) => {
            errln!("Warpcell's prelude could not be loaded: {error:#}\nRun `warpcell doctor` to see what is wrong.");
            1
        }
    }
}

extern "C" fn do_nothing(_signal: i32) {}

/// The prelude's text about the device that cells compute on, and why this device was chosen. It is opened, to see that it
/// works, or only named.
pub fn device(opens: bool) -> anyhow::Result<String> {
    let library = load(&choices::installation()?.prelude_library(), RTLD_LOCAL)?;
    let mut text = vec![0u8; 4096];
    // SAFETY: the prelude defines this function with this type (prelude/src/cell.rs). It writes at most the given
    // number of bytes and returns how many it wrote.
    let length = unsafe {
        let describe = library.get::<DeviceFunction>("warpcell_describe_device")?;
        describe(opens, text.as_mut_ptr(), text.len())
    };
    text.truncate(length);
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Writes to the kernel, for profiles that the cell's code ends.
static WRITER: OnceLock<(WriteFunction, String)> = OnceLock::new();

/// What `%prun` calls through the prelude.
///
/// # Safety
///
/// `options` must point to `length` bytes that may be read.
unsafe extern "C" fn begin_profile(options: *const u8, length: usize) {
    // SAFETY: the caller promises it.
    recording::begin(unsafe { std::slice::from_raw_parts(options, length) });
}

extern "C" fn end_profile() {
    send_profile(false);
}

/// Ends a profile and sends it to the kernel; `all` ends it also if it has begun several times.
fn send_profile(all: bool) {
    let Some(profile) = recording::end(all) else { return };
    if let Some((write, marker)) = WRITER.get() {
        let text = encode(marker, &Message::Profile { profile: Box::new(profile) });
        // SAFETY: the text exists during the call.
        unsafe { write(text.as_ptr(), text.len()) };
    }
}

struct Prelude {
    write: WriteFunction,
    open_device: HookFunction,
    wait_for_device: HookFunction,
    begin_cell: BeginFunction,
    end_cell: HookFunction,
    obey: WriteFunction,
}

impl Prelude {
    fn load(marker: &str, functions: &OsStr, interrupt: &OsStr) -> anyhow::Result<Prelude> {
        let interrupt = map_word(interrupt).with_context(|| interrupt.display().to_string())?;
        let library = load(&choices::installation()?.prelude_library(), RTLD_GLOBAL)?;
        let (text, functions) = (CString::new(marker)?, CString::new(functions.as_bytes())?);
        // SAFETY: the prelude defines these functions with these types (prelude/src/cell.rs), and the library is
        // never unloaded.
        unsafe {
            library.get::<StartFunction>("warpcell_start")?(text.as_ptr(), functions.as_ptr(), interrupt);
            sleep::watch(*library.get("warpcell_interrupted")?);
            let write: WriteFunction = *library.get("warpcell_write")?;
            WRITER.get_or_init(|| (write, marker.to_owned()));
            library.get::<ProfileFunction>("warpcell_profile_by")?(begin_profile, end_profile);
            Ok(Prelude {
                write,
                open_device: *library.get("warpcell_open_device")?,
                wait_for_device: *library.get("warpcell_wait_for_device")?,
                begin_cell: *library.get("warpcell_begin_cell")?,
                end_cell: *library.get("warpcell_end_cell")?,
                obey: *library.get("warpcell_obey")?,
            })
        }
    }

    fn send(&self, marker: &str, message: &Message) {
        let text = encode(marker, message);
        // SAFETY: the text exists during the call.
        unsafe { (self.write)(text.as_ptr(), text.len()) };
    }
}

/// Maps the word of a file until the process ends.
fn map_word(path: &OsStr) -> std::io::Result<*const c_void> {
    let file = std::fs::File::open(path)?;
    // SAFETY: asks for a new mapping; the kernel never makes the file shorter.
    let address =
        unsafe { libc::mmap(std::ptr::null_mut(), 4, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    if address == libc::MAP_FAILED { Err(std::io::Error::last_os_error()) } else { Ok(address) }
}

fn run_cells(prelude: &Prelude, marker: &str, session: Option<&Path>) -> i32 {
    // SAFETY: the supervisor passes the reading end of the command pipe as this descriptor. Nothing else uses it.
    let commands = std::fs::File::from(unsafe { OwnedFd::from_raw_fd(COMMANDS) });
    let mut store: *mut c_void = std::ptr::null_mut();
    let process = std::process::id();
    for line in BufReader::new(commands).lines() {
        let Ok(line) = line else { break };
        let prepare = match line.as_str() {
            OPEN_DEVICE => Some(prelude.open_device),
            WAIT_FOR_DEVICE => Some(prelude.wait_for_device),
            _ => None,
        };
        if let Some(prepare) = prepare {
            // SAFETY: the prelude is never unloaded.
            unsafe { prepare() };
            continue;
        }
        if let Some(order) = line.strip_prefix(ORDER) {
            // SAFETY: the text exists during the call, and this is the thread that runs cells.
            unsafe { (prelude.obey)(order.as_ptr(), order.len()) };
            if std::process::id() != process {
                // A child that a closure has forked ends where the closure ends.
                // SAFETY: `_exit` ends the process and has no preconditions.
                unsafe { libc::_exit(0) }
            }
            continue;
        }
        let Some((path, function)) = line.strip_prefix("LOAD_AND_RUN ").and_then(|rest| rest.rsplit_once(' ')) else {
            errln!("unknown command: {line}");
            return 2;
        };
        // The build step leaves an empty file for a cell that only defines.
        let has_code = !std::fs::metadata(path).is_ok_and(|file| file.len() == 0);
        let began = Instant::now();
        let defines_statics = session.is_some_and(statics::are_defined);
        match has_code.then(|| load_cell(path, function, defines_statics)).transpose() {
            Ok(None) => {}
            Ok(Some(cell)) => {
                session.into_iter().for_each(statics::loaded);
                let microseconds = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
                prelude.send(marker, &Message::Loaded { microseconds });
                let compiled: f64 = session.map_or(0.0, |session| {
                    build_step::compile_times(session).iter().map(|compilation| compilation.took.as_secs_f64()).sum()
                });
                // SAFETY: the build step compiled the cell against the loaded prelude. The cell's function takes and
                // returns the variable store. Its library is never unloaded.
                unsafe {
                    (prelude.begin_cell)(compiled);
                    store = cell(store);
                }
                if std::process::id() != process {
                    // A child that the cell has forked ends where the cell ends.
                    // SAFETY: `_exit` ends the process and has no preconditions.
                    unsafe { libc::_exit(0) }
                }
                // Of a cell that has failed.
                send_profile(true);
            }
            Err(error) => {
                // As after a panic, evcxr must not count on the variables that the cell would have defined.
                prelude.send(marker, &Message::LoadFailed { message: format!("{error:#}") });
                prelude.send(marker, &Message::Control { line: "EVCXR_PANIC_NOTIFICATION".to_owned() });
            }
        }
        // SAFETY: the prelude is never unloaded.
        unsafe { (prelude.end_cell)() };
    }
    // Destructors of libraries, such as CUDA's, have nothing left to do and may hang.
    // SAFETY: `_exit` ends the process and has no preconditions.
    unsafe { libc::_exit(0) }
}

fn load_cell(path: &str, function: &str, defines_statics: bool) -> anyhow::Result<CellFunction> {
    let library = load(Path::new(path), if defines_statics { RTLD_GLOBAL } else { RTLD_LOCAL })?;
    // SAFETY: the cell's entry function has this type. It has the name that evcxr gave it only where the installation has recorded the
    // cell.
    unsafe {
        match library.get(build_step::ENTRY) {
            Ok(common) => Ok(*common),
            Err(_) => Ok(*library.get(function)?),
        }
    }
}

/// Loads a library, which is never unloaded. An error has the loader's own text.
fn load(path: &Path, visible: i32) -> anyhow::Result<ManuallyDrop<Library>> {
    // SAFETY: loading runs the library's initialisers, which are the prelude's and the user's own code.
    let loaded = unsafe { Library::open(Some(path), RTLD_NOW | visible) };
    loaded.map(ManuallyDrop::new).map_err(|error| anyhow!("{}", anyhow::Error::from(error).root_cause()))
}
