//! `.npy`: the header, and the bytes of the elements.

use super::{Order, broken, failed, refused};
use crate::array::RawArray;
use crate::array::byte_count;
use crate::array::sides::{AnyView, HostView};
use crate::backend::Layout;
use crate::device::Device;
use crate::dtype::{DType, typestr};
use crate::error::{Error, Result};
use crate::host::memory;
use npyz::WriterBuilder;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a header says.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub shape: Vec<usize>,
    pub dtype: DType,
    /// Whether columns follow one another, not rows.
    pub is_fortran: bool,
    /// Whether the bytes of each element are in the other order than this machine's.
    is_swapped: bool,
    /// The bytes of all elements.
    pub bytes: usize,
    /// The bytes of the header.
    pub length: usize,
}

/// Longer headers are refused: NumPy's own have some hundred bytes.
const LONGEST: usize = 1 << 20;
/// Deeper brackets are refused: a shape is one level of them, and reading them takes stack.
const DEEPEST: i32 = 32;

/// Reads the header of an array and checks what it says; `available` are the bytes from its beginning to the file's end.
pub(super) fn read_header(
    operation: &'static str,
    path: &Path,
    source: &mut dyn Read,
    available: u64,
) -> Result<Header> {
    let wrong = |reason: &str| failed(operation, path, reason);
    let not_npy = || wrong("is not a .npy file: it does not begin like one; convert other formats with NumPy's `save`");
    let truncated = || wrong("is truncated: it ends within its header; write or copy it again");
    let mut take = |count: usize, short: &dyn Fn() -> Error| {
        let mut bytes = vec![0; count];
        match source.read_exact(&mut bytes) {
            Ok(()) => Ok(bytes),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(short()),
            Err(error) => Err(broken(operation, path, &error)),
        }
    };
    let mut header = take(8, &not_npy)?;
    if !header.starts_with(b"\x93NUMPY") {
        return Err(not_npy());
    }
    let length = match (header[6], header[7]) {
        (1, 0) => {
            let bytes = take(2, &truncated)?;
            header.extend(&bytes);
            usize::from(u16::from_le_bytes([bytes[0], bytes[1]]))
        }
        (2 | 3, 0) => {
            let bytes = take(4, &truncated)?;
            header.extend(&bytes);
            u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize
        }
        (major, minor) => {
            let reason = format!(
                "has version {major}.{minor} of the format, but this library reads 1.0 to 3.0; update the library"
            );
            return Err(wrong(&reason));
        }
    };
    if length > LONGEST {
        return Err(wrong("claims a header of more than a megabyte; the file is damaged or not a .npy file"));
    }
    let text = take(length, &truncated)?;
    if depth(&text) > DEEPEST {
        return Err(wrong("has a header with too many nested brackets; the file is damaged"));
    }
    header.extend(text);
    let parsed = npyz::NpyHeader::from_reader(&header[..]).map_err(|error| broken(operation, path, &error))?;
    let mut header = interpreted(operation, path, &parsed, header.len())?;
    header.bytes = checked_bytes(operation, path, &header, available)?;
    Ok(header)
}

/// How deep brackets are within one another.
fn depth(text: &[u8]) -> i32 {
    let (mut depth, mut deepest) = (0, 0);
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn interpreted(operation: &'static str, path: &Path, parsed: &npyz::NpyHeader, length: usize) -> Result<Header> {
    let npyz::DType::Plain(name) = parsed.dtype() else {
        let reason = format!("holds records ({}); write each field as a separate array", parsed.dtype().descr());
        return Err(failed(operation, path, reason));
    };
    let name = name.to_string();
    let Some((dtype, is_swapped)) = typestr::parse(&name) else {
        let what = match name.get(1..2) {
            Some("O") => "Python's objects; convert it in NumPy, such as `a.astype('float64')`, and write it again",
            Some("S" | "U") => "text; numbers and bools can be read",
            Some("M" | "m") => "times; write them as integers, such as `a.astype('int64')`",
            Some("c") => {
                "complex numbers of a precision that arrays cannot hold; convert it, such as `a.astype('complex128')`"
            }
            _ => "elements of a type that arrays cannot hold; convert it in NumPy, such as `a.astype('float64')`",
        };
        return Err(failed(operation, path, format!("(dtype `{name}`) holds {what}")));
    };
    let shape: Vec<usize> = parsed.shape().iter().map(|&length| length as usize).collect();
    let is_fortran = parsed.order() == npyz::Order::Fortran && shape.len() > 1;
    Ok(Header { shape, dtype, is_fortran, is_swapped, bytes: 0, length })
}

/// The bytes of the elements, which the file must have.
fn checked_bytes(operation: &'static str, path: &Path, header: &Header, available: u64) -> Result<usize> {
    let bytes = byte_count(operation, &header.shape, header.dtype).map_err(|_| {
        failed(operation, path, format!("claims the shape {:?}, more than memory can address", header.shape))
    })?;
    let present = available.saturating_sub(header.length as u64);
    if (bytes as u64) > present {
        let Header { shape, dtype, .. } = header;
        let reason = format!(
            "is truncated: the shape {shape:?} of {dtype} takes {bytes} bytes, but there are only {present}; write or copy it again"
        );
        return Err(failed(operation, path, reason));
    }
    Ok(bytes)
}

/// A file whose header was read.
pub(super) struct Opened {
    operation: &'static str,
    path: PathBuf,
    file: File,
    pub header: Header,
}

impl Opened {
    /// Opens a file whose elements are of `wanted`.
    pub fn new(operation: &'static str, path: &Path, wanted: DType) -> Result<Opened> {
        let (file, header) = open(operation, path)?;
        if header.dtype != wanted {
            let path = path.display().to_string();
            return Err(Error::FileDType { operation, path, found: header.dtype, wanted });
        }
        Ok(Opened { operation, path: path.to_owned(), file, header })
    }

    /// Opens a file that has elements of a type and nothing else, from a byte on: at most so many, or all.
    pub fn raw(
        operation: &'static str,
        path: &Path,
        dtype: DType,
        count: Option<usize>,
        offset: usize,
    ) -> Result<Opened> {
        let (file, length) = open_file(operation, path, "bin")?;
        let rest = usize::try_from(length).unwrap_or(usize::MAX).checked_sub(offset).ok_or_else(|| {
            failed(operation, path, format!("has {length} bytes, none from byte {offset} on; give a smaller offset"))
        })?;
        let count = (rest / dtype.size()).min(count.unwrap_or(usize::MAX));
        let bytes = count * dtype.size();
        let header = Header { shape: vec![count], dtype, is_fortran: false, is_swapped: false, bytes, length: offset };
        Ok(Opened { operation, path: path.to_owned(), file, header })
    }

    /// Reads the bytes of the elements.
    pub fn read(&self, target: &mut [u8]) -> Result<()> {
        read_at(&self.file, self.header.length as u64, target).map_err(|error| match error.downcast::<Error>() {
            Ok(known) => known,
            Err(error) => broken(self.operation, &self.path, &error),
        })
    }
}

/// The header of a file.
pub(super) fn describe(operation: &'static str, path: &Path) -> Result<Header> {
    open(operation, path).map(|(_, header)| header)
}

/// Opens a file for reading.
pub(super) fn open_file(operation: &'static str, path: &Path, extension: &str) -> Result<(File, u64)> {
    let refuse = |error: io::Error| {
        let mut with_extension = path.as_os_str().to_owned();
        with_extension.push(".");
        with_extension.push(extension);
        if error.kind() == io::ErrorKind::NotFound && Path::new(&with_extension).is_file() {
            let reason = format!("does not exist, but {} does", Path::new(&with_extension).display());
            return failed(operation, path, reason);
        }
        refused(operation, path, "opened", &error)
    };
    let file = File::open(path).map_err(refuse)?;
    let metadata = file.metadata().map_err(|error| refused(operation, path, "opened", &error))?;
    if !metadata.is_file() {
        return Err(failed(operation, path, "is a folder, a device or a pipe; give the name of a file"));
    }
    Ok((file, metadata.len()))
}

fn open(operation: &'static str, path: &Path) -> Result<(File, Header)> {
    let (file, length) = open_file(operation, path, "npy")?;
    // What a reader in between takes too much does not matter: elements are read by their place.
    let header = read_header(operation, path, &mut io::BufReader::with_capacity(1024, &file), length)?;
    Ok((file, header))
}

/// Bytes that are read or written at once.
pub(super) const PIECE: usize = 4 << 20;

/// Reads bytes from a place of a file; large ranges on several threads, since one alone neither copies out of the system's
/// cache nor touches new memory as fast as the machine can.
fn read_at(file: &File, offset: u64, target: &mut [u8]) -> io::Result<()> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).clamp(1, 4);
    let pieces = Mutex::new(target.chunks_mut(PIECE).enumerate());
    let stopped = AtomicBool::new(false);
    let run = |stop: &dyn Fn() -> bool| -> io::Result<()> {
        while !stopped.load(Ordering::Relaxed) {
            let Some((number, piece)) = pieces.lock().unwrap_or_else(PoisonError::into_inner).next() else { break };
            let done = if stop() {
                Err(io::Error::other(Error::Interrupted))
            } else {
                file.read_exact_at(piece, offset + (number * PIECE) as u64)
            };
            if done.is_err() {
                stopped.store(true, Ordering::Relaxed);
                return done;
            }
        }
        Ok(())
    };
    let (run, others) = (&run, threads.min(count_of(&pieces)).saturating_sub(1));
    std::thread::scope(|scope| {
        let others: Vec<_> = (0..others).map(|_| scope.spawn(move || run(&|| false))).collect();
        let mine = run(&crate::cell::interrupted);
        others.into_iter().fold(mine, |result, other| result.and(other.join().expect("reading does not panic")))
    })
}

/// How many are left.
fn count_of<T: ExactSizeIterator>(pieces: &Mutex<T>) -> usize {
    pieces.lock().unwrap_or_else(PoisonError::into_inner).len()
}

/// Makes values of the bytes that were read: puts them into this machine's order, and makes bools 0 or 1.
pub(super) fn finish(bytes: &mut [u8], header: &Header) {
    if header.dtype == DType::Bool {
        bytes.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
    }
    if header.is_swapped {
        match typestr::word(header.dtype) {
            2 => swap::<2>(bytes),
            4 => swap::<4>(bytes),
            _ => swap::<8>(bytes),
        }
    }
}

fn swap<const N: usize>(bytes: &mut [u8]) {
    bytes.as_chunks_mut::<N>().0.iter_mut().for_each(|word| word.reverse());
}

/// The shape and the type of an array, and how its elements lie.
pub(super) fn described<'a>(array: &'a AnyView<'_>) -> (&'a [usize], DType, Order) {
    match array {
        AnyView::Device(raw) => (&raw.layout.shape, raw.dtype, Order::of(&raw.layout)),
        AnyView::Host(host) => (&host.shape, host.dtype, Order::of(&layout_of(host))),
    }
}

fn layout_of(host: &HostView<'_>) -> Layout {
    Layout { shape: host.shape.clone(), strides: host.strides.clone(), offset: 0 }
}

/// What NumPy's arrays have at most.
const MOST_AXES: usize = 64;

/// The header of a file.
pub(super) fn header_bytes(operation: &'static str, shape: &[usize], dtype: DType, order: Order) -> Result<Vec<u8>> {
    let unsupported = || {
        Error::dtype(operation, dtype, "NumPy has no such type; convert the array first, such as `a.astype::<f32>()`")
    };
    if shape.len() > MOST_AXES {
        let reason = format!("has {} axes, but NumPy reads at most {MOST_AXES}; reshape the array first", shape.len());
        return Err(Error::shape(operation, shape, reason));
    }
    let name = typestr::typestr(dtype).ok_or_else(unsupported)?;
    let name = name.parse().map_err(|_| unsupported())?;
    let shape: Vec<u64> = shape.iter().map(|&length| length as u64).collect();
    let order = if order == Order::ColumnMajor { npyz::Order::Fortran } else { npyz::Order::C };
    let options = npyz::WriteOptions::new_header_only().dtype(npyz::DType::new_scalar(name)).shape(&shape).order(order);
    let mut bytes = Vec::new();
    options.writer(&mut bytes).write_header_only().map_err(|error| {
        Error::argument(operation, format!("the header cannot be written: {error}; use fewer axes"))
    })?;
    Ok(bytes)
}

/// Writes an array's elements: as they lie, or in row-major order if they are strided.
pub(super) fn write_elements(
    operation: &'static str,
    array: &AnyView<'_>,
    order: Order,
    file: &mut dyn Write,
) -> io::Result<()> {
    match array {
        AnyView::Host(host) => write_host(host, order, file),
        AnyView::Device(raw) if order == Order::Strided => {
            let copy = raw.copied(operation).map_err(io::Error::other)?;
            write_device(&copy, file)
        }
        AnyView::Device(raw) => write_device(raw, file),
    }
}

fn write_host(host: &HostView<'_>, order: Order, file: &mut dyn Write) -> io::Result<()> {
    let bytes = host.shape.iter().product::<usize>() * host.dtype.size();
    if bytes == 0 {
        return Ok(());
    }
    let copy = if order == Order::Strided { memory::packed(host) } else { None };
    let start = copy.as_ref().map_or(host.pointer, |copy| copy.as_ptr().cast());
    // SAFETY: the elements follow one another, in one of both orders, and are borrowed by the view or owned by `copy`.
    let bytes = unsafe { std::slice::from_raw_parts(start, bytes) };
    for piece in bytes.chunks(PIECE) {
        file.write_all(piece)?;
        interruptible()?;
    }
    Ok(())
}

/// Writes the elements of an array on a device, which follow one another.
fn write_device(raw: &RawArray, file: &mut dyn Write) -> io::Result<()> {
    let (bytes, start) = (raw.size() * raw.dtype.size(), raw.layout.offset * raw.dtype.size());
    // On the CPU so little that it stays in the cache and no other thread is woken up for it; from a GPU, a transfer that pays.
    let most = if raw.handle.device == Device::Cpu { 1 << 20 } else { 4 * PIECE };
    let mut piece = vec![0; bytes.min(most)];
    for done in (0..bytes).step_by(most) {
        let piece = &mut piece[..(bytes - done).min(most)];
        raw.handle.backend.download(&raw.allocation, start + done, piece).map_err(io::Error::other)?;
        if raw.dtype == DType::Bool {
            piece.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        file.write_all(piece)?;
    }
    Ok(())
}

pub(super) fn interruptible() -> io::Result<()> {
    if crate::cell::interrupted() { Err(io::Error::other(Error::Interrupted)) } else { Ok(()) }
}
