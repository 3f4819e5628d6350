//! A shared library that the kernel loads into the compiler, by `LD_PRELOAD`, to make it a fork server.
//!
//! The compiler of cells reads the prelude and then its standard input (kernel/src/build_step/compile_ahead.rs). When it opens that,
//! this library waits for a source in its place and calls `fork`. The child compiles the source. The process itself stays as it
//! is, and waits for the next source. So what a compiler does before it compiles is done once for a session and not once for a cell:
//! a third of its processor time. Only one thread of the compiler works at this point, the one that calls; so `fork`, which takes
//! this thread only, loses nothing.
//!
//! The first source comes on standard input. So a compiler that does not load the library compiles it as ever, and ends. Later ones are
//! lines of the pipe that `WARPCELL_FORK_REQUESTS` names; the line `stop` ends a child. On standard error the server says when a child
//! has started, and when it has ended.
//!
//! build.rs compiles this file, without the standard library: there is one in the compiler.
#![no_std]

use core::ffi::{CStr, c_char, c_int, c_short, c_uint, c_ulong, c_void};

unsafe extern "C" {
    fn _exit(status: c_int) -> !;
    fn close(file: c_int) -> c_int;
    fn dup2(file: c_int, other: c_int) -> c_int;
    fn fork() -> c_int;
    fn getenv(name: *const c_char) -> *const c_char;
    fn lseek(file: c_int, offset: i64, whence: c_int) -> i64;
    fn kill(process: c_int, signal: c_int) -> c_int;
    fn memfd_create(name: *const c_char, flags: c_uint) -> c_int;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn pipe2(ends: *mut c_int, flags: c_int) -> c_int;
    fn poll(files: *mut Polled, count: c_ulong, timeout: c_int) -> c_int;
    fn prctl(option: c_int, ...) -> c_int;
    fn read(file: c_int, to: *mut c_void, length: usize) -> isize;
    fn setenv(name: *const c_char, value: *const c_char, overwrite: c_int) -> c_int;
    fn unsetenv(name: *const c_char) -> c_int;
    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn write(file: c_int, from: *const c_void, length: usize) -> isize;
}

const REQUESTS: &CStr = c"WARPCELL_FORK_REQUESTS";
const PRELOAD: &CStr = c"LD_PRELOAD";
/// Of sys/prctl.h, signal.h, poll.h, fcntl.h, linux/memfd.h.
const PR_SET_PDEATHSIG: c_int = 1;
const SIGKILL: c_int = 9;
const POLLIN: c_short = 1;
const O_CLOEXEC: c_int = 0o2_000_000;
const MFD_CLOEXEC: c_uint = 1;

/// `struct pollfd`.
#[repr(C)]
struct Polled {
    file: c_int,
    wanted: c_short,
    found: c_short,
}

/// The request to end a child.
const STOP: &[u8] = b"stop\n";

/// The C library's function, as the compiler calls it to open a file.
///
/// # Safety
/// As that of the C library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: the caller keeps the contract of the C library's function.
    unsafe {
        if CStr::from_ptr(path) == c"/dev/stdin"
            && let Some(requests) = taken_from_environment()
        {
            return serve(requests);
        }
        open(path, flags, mode)
    }
}

/// The pipe of the requests. Removes what the kernel has put into the environment, so that a source and the linker do not see it.
unsafe fn taken_from_environment() -> Option<c_int> {
    // SAFETY: the names and values are strings, and no other thread of the compiler uses the environment now.
    unsafe {
        let requests = number(getenv(REQUESTS.as_ptr()))?;
        unsetenv(REQUESTS.as_ptr());
        // This library is the first one: `/proc/self/fd/NUMBER:others`.
        let mut end = getenv(PRELOAD.as_ptr());
        let mut begin = end;
        while !end.is_null() && *end != 0 && *end != b':' as c_char {
            if *end == b'/' as c_char {
                begin = end.add(1);
            }
            end = end.add(1);
        }
        if let Some(library) = number(begin) {
            close(library);
        }
        if end.is_null() || *end == 0 {
            unsetenv(PRELOAD.as_ptr());
        } else {
            setenv(PRELOAD.as_ptr(), end.add(1), 1);
        }
        Some(requests)
    }
}

/// The number that a string begins with.
unsafe fn number(text: *const c_char) -> Option<c_int> {
    if text.is_null() {
        return None;
    }
    let (mut value, mut at) = (None, text);
    // SAFETY: the string ends with a zero, which is not a digit.
    unsafe {
        while (b'0' as c_char..=b'9' as c_char).contains(&*at) {
            value = Some(value.unwrap_or(0) * 10 + c_int::from(*at as u8 - b'0'));
            at = at.add(1);
        }
    }
    value
}

/// Returns in a child for each source, with a file that contains it. Ends the process when no more sources come.
unsafe fn serve(requests: c_int) -> c_int {
    let mut source = [0_u8; 8192];
    let mut from = 0;
    loop {
        // SAFETY: the buffers have the lengths that are passed.
        unsafe {
            let length = read_line(from, &mut source);
            from = requests;
            if source.starts_with(STOP) {
                // The child had ended already.
                continue;
            }
            // The child has one end until it has ended.
            let mut ends = [-1, -1];
            pipe2(ends.as_mut_ptr(), O_CLOEXEC);
            // Before the child can say anything.
            say(c"\n{\"$message_type\":\"started\"}\n");
            let child = fork();
            if child == 0 {
                // It ends with the server, as nobody else knows of it.
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                close(ends[0]);
                close(requests);
                dup2(open(c"/dev/null".as_ptr(), 0), 0);
                let file = memfd_create(c"source".as_ptr(), MFD_CLOEXEC);
                write(file, source.as_ptr().cast(), length);
                lseek(file, 0, 0);
                return file;
            }
            close(ends[1]);
            let mut files = [
                Polled { file: ends[0], wanted: POLLIN, found: 0 },
                Polled { file: requests, wanted: POLLIN, found: 0 },
            ];
            while poll(files.as_mut_ptr(), 2, -1) < 0 {}
            if files[0].found == 0 {
                // The kernel asks for an end, or has ended itself.
                kill(child, SIGKILL);
            }
            close(ends[0]);
            waitpid(child, core::ptr::null_mut(), 0);
            say(c"\n{\"$message_type\":\"ended\"}\n");
        }
    }
}

/// Reads up to the end of a line or of the file. Ends the process where nothing comes.
unsafe fn read_line(file: c_int, to: &mut [u8]) -> usize {
    let mut length = 0;
    // SAFETY: one byte is read to where there is room for it.
    while length < to.len() && unsafe { read(file, to.as_mut_ptr().add(length).cast(), 1) } == 1 {
        length += 1;
        if to[length - 1] == b'\n' {
            break;
        }
    }
    if length == 0 {
        // SAFETY: the call does not return.
        unsafe { _exit(0) }
    }
    length
}

/// Writes a line to standard error, in the form of the compiler's own reports. A line that a child did not finish ends before it.
unsafe fn say(line: &CStr) {
    // SAFETY: the line has this length.
    unsafe { write(2, line.as_ptr().cast(), line.count_bytes()) };
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: the call does not return.
    unsafe { _exit(1) }
}
