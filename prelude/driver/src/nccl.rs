//! NCCL, NVIDIA's library of what several devices do together: a table of its functions, and communicators of it.
//!
//! Not cudarc's bindings. Those look for `libnccl.so`, which only the package for developers has, and panic without it; and their
//! type of a status is an enum of the codes that one version has (see `cufft.rs`).
//!
//! A call returns when its work is queued. Only the first calls, which set up connections, wait for other ranks: whoever makes them sees to it
//! that all ranks are there. So no thread is inside of the library for long, and another one can give up work that does not come to an end.

use super::context::{Device, lock};
use super::library;
use super::memory;
use super::nvrtc::symbol;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};
use warpcell_base::error::{Error, Result};

type Status = c_int;
type Raw = *mut c_void;

const SUCCESS: Status = 0;

/// What the ranks of a communicator have in common: the first one makes it, and all begin with it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Id(pub [u8; Id::BYTES]);

impl Id {
    /// `NCCL_UNIQUE_ID_BYTES`.
    pub const BYTES: usize = 128;
}

/// The first version that is used, 2.18; it has all that is needed here.
const OLDEST: c_int = 21800;
/// How long a call of the library is waited for that another thread is in, before work is given up without its end.
const PATIENCE: Duration = Duration::from_secs(1);

/// A function of an array that is sent, one that is received, a number of elements, and their type.
type Reduce = unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, Raw, *mut c_void) -> Status;

/// NCCL's functions, with the library that they live in.
struct Nccl {
    version: c_int,
    error_string: unsafe extern "C" fn(Status) -> *const c_char,
    last_error: unsafe extern "C" fn(Raw) -> *const c_char,
    unique_id: unsafe extern "C" fn(*mut Id) -> Status,
    init: unsafe extern "C" fn(*mut Raw, c_int, Id, c_int) -> Status,
    destroy: unsafe extern "C" fn(Raw) -> Status,
    abort: unsafe extern "C" fn(Raw) -> Status,
    group_start: unsafe extern "C" fn() -> Status,
    group_end: unsafe extern "C" fn() -> Status,
    all_reduce: Reduce,
    reduce_scatter: Reduce,
    reduce: unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, c_int, c_int, Raw, *mut c_void) -> Status,
    broadcast: Reduce,
    all_gather: unsafe extern "C" fn(*const c_void, *mut c_void, usize, c_int, Raw, *mut c_void) -> Status,
    send: unsafe extern "C" fn(*const c_void, usize, c_int, c_int, Raw, *mut c_void) -> Status,
    receive: unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Raw, *mut c_void) -> Status,
    /// The functions above point into it.
    _library: Library,
}

/// Its version, such as 22800, if the library is there. Never panics.
pub fn version() -> Result<i32> {
    Nccl::get().map(|nccl| nccl.version)
}

/// What a new communicator begins with, on one of its ranks.
pub fn new_id() -> Result<Id> {
    let nccl = Nccl::get()?;
    let mut id = Id([0; Id::BYTES]);
    // SAFETY: `id` is one to write to.
    let status = unsafe { (nccl.unique_id)(&raw mut id) };
    nccl.check(status, null_mut(), "ncclGetUniqueId").map(|()| id)
}

impl Nccl {
    /// Looked for once per process.
    fn get() -> Result<&'static Nccl> {
        static FOUND: OnceLock<std::result::Result<Nccl, String>> = OnceLock::new();
        FOUND
            .get_or_init(Nccl::find)
            .as_ref()
            .map_err(|reason| Error::LibraryMissing { library: NAME.to_owned(), reason: reason.clone() })
    }

    fn find() -> std::result::Result<Nccl, String> {
        const INSTALL: &str =
            "install it with `pip install nvidia-nccl-cu13` (for CUDA 12: nvidia-nccl-cu12) or as the package libnccl2";
        let in_folders = library::folders().into_iter().map(|folder| folder.join(NAME));
        let mut reason = format!("{INSTALL}; without it, elements travel by way of the host");
        for path in std::iter::once(PathBuf::from(NAME)).chain(in_folders) {
            match Nccl::open(&path) {
                Ok(nccl) if nccl.version >= OLDEST => return Ok(nccl),
                Ok(nccl) => {
                    let version = nccl.version;
                    reason = format!(
                        "the installed version is {version}, but {OLDEST} is the first one that can be used; {INSTALL}"
                    );
                }
                Err(_) => {}
            }
        }
        Err(reason)
    }

    /// Loads the library at `path` (or of that name) and reads its version.
    fn open(path: &Path) -> std::result::Result<Nccl, String> {
        // SAFETY: the path names NCCL, whose initialisers have no preconditions.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        // SAFETY: the types are those of nccl.h, with integers in the place of its enums, which have their size.
        unsafe {
            let get_version: unsafe extern "C" fn(*mut c_int) -> Status = symbol(&library, c"ncclGetVersion")?;
            let mut version = 0;
            if get_version(&raw mut version) != SUCCESS {
                return Err("it does not report its version".to_owned());
            }
            Ok(Nccl {
                version,
                error_string: symbol(&library, c"ncclGetErrorString")?,
                last_error: symbol(&library, c"ncclGetLastError")?,
                unique_id: symbol(&library, c"ncclGetUniqueId")?,
                init: symbol(&library, c"ncclCommInitRank")?,
                destroy: symbol(&library, c"ncclCommDestroy")?,
                abort: symbol(&library, c"ncclCommAbort")?,
                group_start: symbol(&library, c"ncclGroupStart")?,
                group_end: symbol(&library, c"ncclGroupEnd")?,
                all_reduce: symbol(&library, c"ncclAllReduce")?,
                reduce_scatter: symbol(&library, c"ncclReduceScatter")?,
                reduce: symbol(&library, c"ncclReduce")?,
                broadcast: symbol(&library, c"ncclBroadcast")?,
                all_gather: symbol(&library, c"ncclAllGather")?,
                send: symbol(&library, c"ncclSend")?,
                receive: symbol(&library, c"ncclRecv")?,
                _library: library,
            })
        }
    }

    /// `Ok` for success, else the error in the library's words.
    fn check(&self, status: Status, raw: Raw, operation: &'static str) -> Result<()> {
        if status == SUCCESS {
            return Ok(());
        }
        let words = |text: *const c_char| {
            if text.is_null() {
                return String::new();
            }
            // SAFETY: not null, so it is a text of the library, which it keeps.
            unsafe { CStr::from_ptr(text) }.to_string_lossy().trim().to_owned()
        };
        // SAFETY: any status may be asked about; the communicator is alive, or null.
        let (what, last) = unsafe { (words((self.error_string)(status)), words((self.last_error)(raw))) };
        let last = if last.is_empty() { last } else { format!(": {last}") };
        Err(Error::Cuda { operation: operation.to_owned(), status: format!("{what}{last} (NCCL's status {status})") })
    }
}

const NAME: &str = "libnccl.so.2";

/// `ncclDataType_t`, of the types that are reduced here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Type {
    I8 = 0,
    U8 = 1,
    I32 = 2,
    U32 = 3,
    I64 = 4,
    U64 = 5,
    F16 = 6,
    F32 = 7,
    F64 = 8,
    BF16 = 9,
}

/// `ncclRedOp_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Operation {
    Sum = 0,
    Product = 1,
    Max = 2,
    Min = 3,
    /// The sum of the elements, each divided by the number of ranks.
    Average = 4,
}

/// What is done by all ranks. Addresses are of elements that follow one another.
#[derive(Clone, Copy, Debug)]
pub enum Collective<'a> {
    AllReduce {
        x: u64,
        out: u64,
        count: usize,
        kind: Type,
        operation: Operation,
    },
    /// `out` counts at `root` only.
    Reduce {
        x: u64,
        out: u64,
        count: usize,
        kind: Type,
        operation: Operation,
        root: usize,
    },
    /// `x` has so many elements for each rank.
    ReduceScatter {
        x: u64,
        out: u64,
        count: usize,
        kind: Type,
        operation: Operation,
    },
    Broadcast {
        x: u64,
        out: u64,
        bytes: usize,
        root: usize,
    },
    /// `out` has so many bytes of each rank.
    AllGather {
        x: u64,
        out: u64,
        bytes: usize,
    },
    /// For each rank an address and a number of bytes that it gets, and the same of what it sends.
    Parts {
        sent: &'a [(u64, usize)],
        received: &'a [(u64, usize)],
    },
}

/// A rank of a communicator of the library.
pub struct Communicator {
    device: Arc<Device>,
    nccl: &'static Nccl,
    rank: usize,
    /// Null when it has ended.
    raw: AtomicPtr<c_void>,
    /// Held by the thread that is in the library.
    turn: Mutex<()>,
}

impl Communicator {
    /// Begins as one of `size` ranks, which all do this with the same id. Waits for all of them.
    pub fn begin(device: &Arc<Device>, id: Id, rank: usize, size: usize) -> Result<Communicator> {
        let nccl = Nccl::get()?;
        device.bind()?;
        let mut raw = null_mut();
        // SAFETY: the context is current, and `raw` is a communicator to write to.
        let status = unsafe { (nccl.init)(&raw mut raw, size as c_int, id, rank as c_int) };
        let communicator =
            Communicator { device: device.clone(), nccl, rank, raw: AtomicPtr::new(raw), turn: Mutex::default() };
        nccl.check(status, null_mut(), "ncclCommInitRank").map(|()| communicator)
    }

    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// The communicator, for this thread alone while the guard lives.
    fn held(&self, operation: &'static str) -> Result<(Raw, MutexGuard<'_, ()>)> {
        let turn = lock(&self.turn);
        let raw = self.raw.load(Ordering::Acquire);
        if raw.is_null() {
            let status = "a communicator that has ended".to_owned();
            return Err(Error::Cuda { operation: operation.to_owned(), status });
        }
        self.device.bind()?;
        Ok((raw, turn))
    }

    /// Queues work in this thread's queue of the device.
    ///
    /// # Safety
    /// The addresses lead to so many elements or bytes in live blocks of the device, for whose other users was waited.
    pub unsafe fn queue(&self, collective: Collective<'_>) -> Result<()> {
        let (raw, _turn) = self.held("a call of all ranks")?;
        let (stream, nccl) = (self.device.stream().cast::<c_void>(), self.nccl);
        let (source, target) = (|address: u64| address as *const c_void, |address: u64| address as *mut c_void);
        // SAFETY: the communicator is alive, and this thread's; the stream lives as long as the device; the rest is the caller's promise.
        let status = unsafe {
            match collective {
                Collective::AllReduce { x, out, count, kind, operation } => {
                    (nccl.all_reduce)(source(x), target(out), count, kind as c_int, operation as c_int, raw, stream)
                }
                Collective::ReduceScatter { x, out, count, kind, operation } => {
                    (nccl.reduce_scatter)(source(x), target(out), count, kind as c_int, operation as c_int, raw, stream)
                }
                Collective::Reduce { x, out, count, kind, operation, root } => {
                    let (kind, operation, root) = (kind as c_int, operation as c_int, root as c_int);
                    (nccl.reduce)(source(x), target(out), count, kind, operation, root, raw, stream)
                }
                Collective::Broadcast { x, out, bytes, root } => {
                    (nccl.broadcast)(source(x), target(out), bytes, Type::U8 as c_int, root as c_int, raw, stream)
                }
                Collective::AllGather { x, out, bytes } => {
                    (nccl.all_gather)(source(x), target(out), bytes, Type::U8 as c_int, raw, stream)
                }
                Collective::Parts { sent, received } => {
                    // What stays here is not the library's to copy.
                    let ((from, bytes), (to, _)) = (sent[self.rank], received[self.rank]);
                    if bytes > 0 {
                        memory::copy(&self.device, from, to, bytes)?;
                    }
                    let mut first = (nccl.group_start)();
                    let mut note = |status| first = if first == SUCCESS { status } else { first };
                    for (rank, (&(from, sent), &(to, received))) in sent.iter().zip(received).enumerate() {
                        if rank != self.rank && sent > 0 {
                            note((nccl.send)(source(from), sent, Type::U8 as c_int, rank as c_int, raw, stream));
                        }
                        if rank != self.rank && received > 0 {
                            note((nccl.receive)(target(to), received, Type::U8 as c_int, rank as c_int, raw, stream));
                        }
                    }
                    // What was begun is ended, also after an error.
                    note((nccl.group_end)());
                    first
                }
            }
        };
        nccl.check(status, raw, "a call of all ranks")
    }

    /// Gives up what is queued or runs, and ends the communicator. The results are not to be used.
    pub fn abort(&self) {
        // From here on nobody enters the library with it. Who is there comes out when the work is given up, if not before.
        let raw = self.raw.swap(null_mut(), Ordering::AcqRel);
        if raw.is_null() || self.device.bind().is_err() {
            return;
        }
        let deadline = Instant::now() + PATIENCE;
        let mut turn = self.turn.try_lock();
        while turn.is_err() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
            turn = self.turn.try_lock();
        }
        // SAFETY: the communicator is alive, and used for the last time. A thread that still is in the library waits there for other
        // ranks, and the library lets another thread give that up.
        let status = unsafe { (self.nccl.abort)(raw) };
        self.device.defer(self.nccl.check(status, null_mut(), "ncclCommAbort"));
    }

    /// Ends the communicator, of which all work is done.
    pub fn end(&self) {
        let turn = lock(&self.turn);
        let raw = self.raw.swap(null_mut(), Ordering::AcqRel);
        if !raw.is_null() && self.device.bind().is_ok() {
            // SAFETY: the communicator is alive, this thread's, and used for the last time.
            let status = unsafe { (self.nccl.destroy)(raw) };
            self.device.defer(self.nccl.check(status, null_mut(), "ncclCommDestroy"));
        }
        drop(turn);
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        self.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_library_is_not_opened() {
        assert!(Nccl::open(Path::new("libnccl.so.nowhere")).is_err());
    }

    #[test]
    fn a_library_that_is_missing_is_an_error_that_says_how_to_get_it() {
        // Machines with NCCL have a version of it.
        match version() {
            Ok(version) => assert!(version >= OLDEST),
            Err(error) => {
                let text = error.to_string();
                assert!(text.starts_with("libnccl.so.2 was not found: ") && text.contains("pip install"), "{text}");
                assert_eq!(new_id().map(|_| ()), Err(error));
            }
        }
    }
}
