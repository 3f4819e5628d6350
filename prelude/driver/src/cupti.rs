//! Bindings of CUPTI's activity records: what devices have done, and when, as NVIDIA's own tools see it.
//!
//! cudarc's bindings are those of one version, whose records are longer than those of others. The fields that are read here
//! have had one place in the headers of CUDA 12.0, 12.4, 12.9 and 13.0 (cupti_activity.h: `CUpti_ActivityKernel9` and 10,
//! `CUpti_ActivityMemcpy5` and 6, `CUpti_ActivityMemcpyPtoP4`, `CUpti_ActivityMemset4`), and newer records only add to the end.

use super::context::lock;
use super::{library, oldest};
use libloading::Library;
use std::alloc::Layout;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
use warpcell_base::profiling::{Kind, Recorded, Recording, Totals};

/// A status or an activity's sort: enums of C, which later versions extend.
type Number = c_int;
type RequestFunction = unsafe extern "C" fn(*mut *mut u8, *mut usize, *mut usize);
type CompleteFunction = unsafe extern "C" fn(*mut c_void, u32, *mut u8, usize, usize);

const SUCCESS: Number = 0;
/// `CUPTI_ACTIVITY_KIND_MEMCPY`.
const COPY: Number = 1;
/// `CUPTI_ACTIVITY_KIND_MEMSET`.
const MEMSET: Number = 2;
/// `CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL`.
const KERNEL: Number = 10;
/// `CUPTI_ACTIVITY_KIND_MEMCPY2`: from one device to another.
const PEER_COPY: Number = 22;
/// `CUPTI_ACTIVITY_FLAG_FLUSH_FORCED`: buffers that are not full, too.
const FORCED: u32 = 1;

/// Bytes of one buffer for records; CUPTI's documentation advises 1 to 10 MB.
const BUFFER: Layout = match Layout::from_size_align(1 << 20, 8) {
    Ok(layout) => layout,
    Err(_) => panic!("the size is not a power of two"),
};

/// The library's functions.
pub struct Cupti {
    enable: unsafe extern "C" fn(Number) -> Number,
    disable: unsafe extern "C" fn(Number) -> Number,
    register: unsafe extern "C" fn(RequestFunction, CompleteFunction) -> Number,
    next_record: unsafe extern "C" fn(*mut u8, usize, *mut *mut u8) -> Number,
    flush: unsafe extern "C" fn(u32) -> Number,
    dropped: unsafe extern "C" fn(*mut c_void, u32, *mut usize) -> Number,
    text_of: unsafe extern "C" fn(Number, *mut *const c_char) -> Number,
}

static CUPTI: OnceLock<Result<Cupti, String>> = OnceLock::new();
/// What the running profile has got so far; `None` while none runs.
static GOT: Mutex<Option<Totals>> = Mutex::new(None);

impl Cupti {
    /// The library for a driver that supports CUDA `driver_major`; if it cannot be used, why and what to do.
    pub fn get(driver_major: i32) -> Result<&'static Cupti, String> {
        if oldest::is_wished() {
            return Err("the device counts as one of the oldest".to_owned());
        }
        CUPTI.get_or_init(|| Cupti::open(driver_major)).as_ref().map_err(Clone::clone)
    }

    fn open(driver_major: i32) -> Result<Cupti, String> {
        let library = paths(driver_major).into_iter().find_map(|path| {
            // SAFETY: loads a library of NVIDIA from one of its known folders; its initialisers have no preconditions.
            unsafe { Library::new(path) }.ok()
        });
        let Some(library) = library else {
            let wheel = if driver_major >= 13 { "nvidia-cuda-cupti" } else { "nvidia-cuda-cupti-cu12" };
            return Err(format!("it was not found; install it with `pip install {wheel}` or with the CUDA toolkit"));
        };
        // SAFETY: the functions have these types by cupti_activity.h and cupti_result.h; the library stays loaded.
        let cupti = unsafe {
            Cupti {
                enable: function(&library, c"cuptiActivityEnable")?,
                disable: function(&library, c"cuptiActivityDisable")?,
                register: function(&library, c"cuptiActivityRegisterCallbacks")?,
                next_record: function(&library, c"cuptiActivityGetNextRecord")?,
                flush: function(&library, c"cuptiActivityFlushAll")?,
                dropped: function(&library, c"cuptiActivityGetNumDroppedRecords")?,
                text_of: function(&library, c"cuptiGetResultString")?,
            }
        };
        std::mem::forget(library);
        // SAFETY: both are functions of the types that are called for, and there for good.
        let status = unsafe { (cupti.register)(request, complete) };
        cupti.check(status, "cuptiActivityRegisterCallbacks")?;
        Ok(cupti)
    }

    /// Begins to record; if that is not possible, such as under another profiler, why.
    pub fn begin(&'static self) -> Result<Session, String> {
        *lock(&GOT) = Some(Totals::default());
        // From here on it ends what was begun when dropped.
        let session = Session { cupti: self };
        for kind in [KERNEL, COPY, MEMSET, PEER_COPY] {
            // SAFETY: takes any number, and answers to unknown ones with an error.
            let status = unsafe { (self.enable)(kind) };
            if kind != PEER_COPY {
                self.check(status, "cuptiActivityEnable")?;
            }
        }
        Ok(session)
    }

    fn check(&self, status: Number, operation: &str) -> Result<(), String> {
        if status == SUCCESS {
            return Ok(());
        }
        let mut text: *const c_char = std::ptr::null();
        // SAFETY: writes the pointer that it is given, with a static string.
        unsafe { (self.text_of)(status, &raw mut text) };
        let text = if text.is_null() {
            "an unknown status".into()
        } else {
            // SAFETY: not null, so it is one of the library's static strings.
            unsafe { CStr::from_ptr(text) }.to_string_lossy()
        };
        Err(format!("{operation} reported {text} ({status}); another profiler may be at work in this process"))
    }
}

/// The names and paths under which the library may be, the newest version first.
fn paths(driver_major: i32) -> Vec<PathBuf> {
    let names: Vec<String> = (12..=driver_major.max(12)).rev().map(|major| format!("libcupti.so.{major}")).collect();
    let toolkits = ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"].iter().filter_map(std::env::var_os).map(PathBuf::from);
    let toolkits = toolkits.chain([PathBuf::from("/usr/local/cuda")]);
    let extras = toolkits.map(|toolkit| toolkit.join("extras/CUPTI/lib64"));
    let folders: Vec<PathBuf> = extras.chain(library::folders()).collect();
    let of = |name: &String| {
        let in_folders: Vec<PathBuf> = folders.iter().map(|folder| folder.join(name)).collect();
        std::iter::once(PathBuf::from(name)).chain(in_folders).collect::<Vec<PathBuf>>()
    };
    names.iter().flat_map(of).collect()
}

/// # Safety
/// `F` must be the function's type.
unsafe fn function<F: Copy>(library: &Library, name: &CStr) -> Result<F, String> {
    // SAFETY: the caller's promise.
    let found = unsafe { library.get::<F>(name.to_bytes_with_nul()) };
    found.map(|symbol| *symbol).map_err(|_| format!("it has no function {name:?}; install another version"))
}

/// Records until it is dropped.
pub struct Session {
    cupti: &'static Cupti,
}

impl Recording for Session {
    fn end(self: Box<Self>) -> warpcell_base::error::Result<Recorded> {
        // SAFETY: takes any flags. Since all work is done, all records are whole.
        let status = unsafe { (self.cupti.flush)(FORCED) };
        let mut remark = match self.cupti.check(status, "cuptiActivityFlushAll") {
            Ok(()) => String::new(),
            Err(reason) => format!("Some work may be missing: {reason}"),
        };
        let mut lost = 0;
        // SAFETY: no context stands for all of them; `lost` is a size to write to.
        let status = unsafe { (self.cupti.dropped)(std::ptr::null_mut(), 0, &raw mut lost) };
        if status == SUCCESS && lost > 0 {
            remark =
                format!("{lost} kernels and copies are missing: CUPTI had no memory for them; profile fewer at once");
        }
        let totals = lock(&GOT).take().unwrap_or_default();
        Ok(Recorded { totals, source: "CUPTI", remark })
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        for kind in [KERNEL, COPY, MEMSET, PEER_COPY] {
            // SAFETY: takes any number; an error says that the sort was not enabled.
            unsafe { (self.cupti.disable)(kind) };
        }
        // What is still recorded belongs to no profile.
        // SAFETY: takes any flags.
        unsafe { (self.cupti.flush)(FORCED) };
        *lock(&GOT) = None;
    }
}

/// Gives CUPTI a buffer for records.
///
/// # Safety
/// All three can be written to. CUPTI gives the buffer back to `complete`.
unsafe extern "C" fn request(buffer: *mut *mut u8, size: *mut usize, most_records: *mut usize) {
    // SAFETY: the layout has a size; the pointers are the caller's promise. Without memory CUPTI gets none, and drops
    // records.
    unsafe {
        let memory = std::alloc::alloc(BUFFER);
        *buffer = memory;
        *size = if memory.is_null() { 0 } else { BUFFER.size() };
        *most_records = 0;
    }
}

/// Takes the records of a buffer, and the buffer back. Called from a thread of CUPTI or from within the flush.
///
/// # Safety
/// `buffer` came from `request`, and its first `valid` bytes are whole records.
unsafe extern "C" fn complete(_context: *mut c_void, _stream: u32, buffer: *mut u8, _size: usize, valid: usize) {
    if buffer.is_null() {
        return;
    }
    let mut got = lock(&GOT);
    if let (Some(Ok(cupti)), Some(totals)) = (CUPTI.get(), got.as_mut()) {
        let mut record: *mut u8 = std::ptr::null_mut();
        // SAFETY: the buffer holds records up to `valid`; `record` is null or the one before.
        while unsafe { (cupti.next_record)(buffer, valid, &raw mut record) } == SUCCESS && !record.is_null() {
            // SAFETY: CUPTI has just given this record.
            unsafe { take(record, totals) };
        }
    }
    // SAFETY: allocated by `request` with this layout, and CUPTI uses it no longer.
    unsafe { std::alloc::dealloc(buffer, BUFFER) };
}

/// Adds what a record says.
///
/// # Safety
/// It is a record of CUPTI; that of a kernel has a name that is null or a string.
unsafe fn take(record: *const u8, totals: &mut Totals) {
    // SAFETY: the caller's promise; each field lies within the records of the sorts for which it is read.
    let word = |offset: usize| unsafe { record.add(offset).cast::<u64>().read_unaligned() };
    // SAFETY: every record begins with its sort.
    let kind = unsafe { record.cast::<Number>().read_unaligned() };
    if !matches!(kind, KERNEL | COPY | PEER_COPY | MEMSET) {
        return;
    }
    // In nanoseconds. Both are 0 where the time could not be found.
    let (start, end) = (word(16), word(24));
    if end < start || end == 0 {
        return;
    }
    let seconds = (end - start) as f64 * 1e-9;
    match kind {
        KERNEL => {
            let name = word(104) as *const c_char;
            // SAFETY: not null, so it is a string, by the caller's promise.
            let name = if name.is_null() { None } else { Some(unsafe { CStr::from_ptr(name) }) };
            let name = name.map_or_else(|| "unknown kernel".into(), super::demangle::readable);
            totals.add(Kind::Kernel, &name, seconds, 0);
        }
        MEMSET => totals.add(Kind::Memset, "memset", seconds, word(8)),
        _ => {
            // SAFETY: within the record, as above.
            let way = unsafe { *record.add(4) };
            totals.add(Kind::Copy, way_of(way), seconds, word(8));
        }
    }
}

/// `CUpti_ActivityMemcpyKind` in words.
fn way_of(number: u8) -> &'static str {
    match number {
        1 => "host to device",
        2 => "device to host",
        8 => "device to device",
        9 => "host to host",
        10 => "device to another device",
        _ => "copy of a CUDA array",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use warpcell_base::profiling::Total;

    /// A record with these bytes at these places.
    fn record(kind: Number, start: u64, end: u64, fields: &[(usize, &[u8])]) -> Vec<u8> {
        let mut bytes = vec![0u8; 160];
        let mut put = |offset: usize, field: &[u8]| bytes[offset..offset + field.len()].copy_from_slice(field);
        put(0, &kind.to_ne_bytes());
        put(16, &start.to_ne_bytes());
        put(24, &end.to_ne_bytes());
        fields.iter().for_each(|(offset, field)| put(*offset, field));
        bytes
    }

    #[test]
    fn records_are_added_up() {
        let name = c"packed_add_float";
        let name = (name.as_ptr() as u64).to_ne_bytes();
        let bytes = 4096u64.to_ne_bytes();
        let records = [
            record(KERNEL, 1000, 3000, &[(104, &name)]),
            record(KERNEL, 5000, 6000, &[(104, &name)]),
            record(KERNEL, 0, 0, &[(104, &name)]),
            record(COPY, 1000, 1500, &[(4, &[1]), (8, &bytes)]),
            record(PEER_COPY, 1000, 1500, &[(4, &[10]), (8, &bytes)]),
            record(MEMSET, 1000, 1250, &[(8, &bytes)]),
            record(3, 1, 2, &[]),
        ];
        let mut totals = Totals::default();
        for record in &records {
            // SAFETY: laid out as CUPTI's records are, longer than all of them, with a string as name.
            unsafe { take(record.as_ptr(), &mut totals) };
        }
        let sorted = totals.sorted();
        let found: Vec<_> =
            sorted.iter().map(|(kind, name, total)| (*kind, name.as_str(), total.count, total.bytes)).collect();
        let expected = [
            (Kind::Kernel, "packed_add_float", 2, 0),
            (Kind::Copy, "device to another device", 1, 4096),
            (Kind::Copy, "host to device", 1, 4096),
            (Kind::Memset, "memset", 1, 4096),
        ];
        assert_eq!(found, expected);
        let Total { total, min, max, .. } = &sorted[0].2;
        assert!((total - 3e-6).abs() < 1e-12 && (min - 1e-6).abs() < 1e-12 && (max - 2e-6).abs() < 1e-12);
    }

    #[test]
    fn the_newest_version_that_the_driver_supports_is_looked_for_first() {
        let names = |driver_major| paths(driver_major).into_iter().filter(|path| path.parent() == Some(Path::new("")));
        assert_eq!(names(13).collect::<Vec<_>>(), [PathBuf::from("libcupti.so.13"), PathBuf::from("libcupti.so.12")]);
        assert_eq!(names(12).collect::<Vec<_>>(), [PathBuf::from("libcupti.so.12")]);
    }

    #[test]
    fn buffers_are_given_and_taken_back() {
        let (mut buffer, mut size, mut most) = (std::ptr::null_mut(), 0, 1);
        // SAFETY: the pointers are to locals; the buffer has no records.
        unsafe {
            request(&raw mut buffer, &raw mut size, &raw mut most);
            assert!(!buffer.is_null() && buffer.addr() % 8 == 0 && size == 1 << 20 && most == 0);
            complete(std::ptr::null_mut(), 0, buffer, size, 0);
        }
    }
}
