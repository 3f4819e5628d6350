//! Sorting: by digits of eight bits, the least significant first; short rows by comparison.
//!
//! Elements are sorted as keys: unsigned integers in the order of the elements. Each pass over the keys is stable, and so are
//! positions, which move along with them. What takes the time is writing to 256 places at once.

use super::memory::Memory;
use super::numeric::Shared;
use super::pool;
use crate::dtype::DType;
use crate::error::{Error, Result};
use std::ops::Range;

/// Rows up to this length are sorted by comparison.
const SHORT: usize = 192;
/// Rows up to this length are sorted on one thread, several at once: their keys stay in its caches.
const CACHED: usize = 1 << 17;
/// The most elements of a chunk of a longer row; a pass over it takes some milliseconds.
const CHUNK: usize = 1 << 20;
/// The values of a digit.
const DIGITS: usize = 256;

/// Sorts each row into the row of `out`, NaN last, -0.0 before 0.0.
///
/// # Safety
///
/// `x` and `out` must be memory of `rows` times `length` elements of this dtype that nothing else accesses, without
/// overlap. `out` may be uninitialised.
pub(crate) unsafe fn sort(dtype: DType, x: *const u8, out: *mut u8, rows: usize, length: usize) -> Result<()> {
    macro_rules! sorted {
        ($order:ty, $key:ty) => {{
            let x = Shared(x.cast_mut().cast::<$key>());
            let rows_of = Elements::<$order> { x, out: Shared(out.cast()) };
            // SAFETY: the caller's promise.
            unsafe { sort_rows(&rows_of, rows, length) }
        }};
    }
    for_order!(dtype, sorted)
}

/// For each row, the positions of its elements in ascending order; NaN last, equal elements in their order, -0.0 equal to 0.0.
///
/// # Safety
///
/// As for [`sort`], with `out` for as many `i64`.
pub(super) unsafe fn argsort(dtype: DType, x: *const u8, out: *mut i64, rows: usize, length: usize) -> Result<()> {
    macro_rules! sorted {
        ($order:ty, $key:ty) => {{
            let (x, out) = (Shared(x.cast_mut().cast::<$key>()), Shared(out));
            // SAFETY: the caller's promise.
            unsafe {
                if u32::try_from(length).is_ok() {
                    sort_rows(&Positions::<$order, u32> { x, out, value: std::marker::PhantomData }, rows, length)
                } else {
                    sort_rows(&Positions::<$order, u64> { x, out, value: std::marker::PhantomData }, rows, length)
                }
            }
        }};
    }
    for_order!(dtype, sorted)
}

/// Expands the macro with the order of a dtype's elements and the type of their keys.
macro_rules! for_order {
    ($dtype:expr, $expand:ident) => {
        match $dtype {
            DType::Bool => $expand!(Truth, u8),
            DType::U8 => $expand!(Unsigned<u8>, u8),
            DType::I32 => $expand!(Signed<u32>, u32),
            DType::U32 => $expand!(Unsigned<u32>, u32),
            DType::I64 => $expand!(Signed<u64>, u64),
            DType::U64 => $expand!(Unsigned<u64>, u64),
            DType::F32 => $expand!(Real<u32>, u32),
            DType::F64 => $expand!(Real<u64>, u64),
            _ => unreachable!("operations convert types for storage first"),
        }
    };
}
use for_order;

/// An unsigned integer of an element's size: its bits, or its key.
trait Key: Copy + Default + Ord + Send + Sync + 'static {
    /// The bytes, and so the digits.
    const BYTES: usize;
    fn digit(self, number: usize) -> usize;
}

macro_rules! keys {
    ($($type:ty)*) => {$(
        impl Key for $type {
            const BYTES: usize = size_of::<$type>();
            #[inline(always)]
            fn digit(self, number: usize) -> usize {
                (self >> (8 * number)) as usize % DIGITS
            }
        }
    )*};
}
keys!(u8 u32 u64);

/// From an element's bits to its key and back.
trait Order: Sync {
    type Key: Key;
    fn key(bits: Self::Key) -> Self::Key;
    fn bits(key: Self::Key) -> Self::Key;
    /// The key for which equal elements are one: of -0.0 that of 0.0.
    #[inline(always)]
    fn rank(bits: Self::Key) -> Self::Key {
        Self::key(bits)
    }
}

struct Truth;
struct Unsigned<K>(K);
struct Signed<K>(K);
struct Real<K>(K);

impl Order for Truth {
    type Key = u8;
    #[inline(always)]
    fn key(bits: u8) -> u8 {
        u8::from(bits != 0)
    }
    #[inline(always)]
    fn bits(key: u8) -> u8 {
        key
    }
}

impl<K: Key> Order for Unsigned<K> {
    type Key = K;
    #[inline(always)]
    fn key(bits: K) -> K {
        bits
    }
    #[inline(always)]
    fn bits(key: K) -> K {
        key
    }
}

macro_rules! orders {
    ($($key:ty, $sign:expr, $infinity:expr;)*) => {$(
        impl Order for Signed<$key> {
            type Key = $key;
            #[inline(always)]
            fn key(bits: $key) -> $key {
                bits ^ $sign
            }
            #[inline(always)]
            fn bits(key: $key) -> $key {
                key ^ $sign
            }
        }
        impl Order for Real<$key> {
            type Key = $key;
            #[inline(always)]
            fn key(bits: $key) -> $key {
                let key = if bits & $sign == 0 { bits | $sign } else { !bits };
                if bits & !$sign > $infinity { <$key>::MAX } else { key }
            }
            #[inline(always)]
            fn bits(key: $key) -> $key {
                if key & $sign == 0 { !key } else { key & !$sign }
            }
            #[inline(always)]
            fn rank(bits: $key) -> $key {
                Self::key(if bits == $sign { 0 } else { bits })
            }
        }
    )*};
}
orders! {
    u32, 1 << 31, 0x7f80_0000;
    u64, 1 << 63, 0x7ff0_0000_0000_0000;
}

/// What is sorted and what becomes of it. Rows begin at a place in the arrays; indices count within a row.
trait Rows: Sync {
    type Key: Key;
    /// What moves along with a key.
    type Value: Copy + Default + Ord + Send + Sync;
    /// # Safety
    ///
    /// The row must have that element.
    unsafe fn read(&self, row: usize, index: usize) -> (Self::Key, Self::Value);
    /// # Safety
    ///
    /// The row must have that element, and nothing else access it.
    unsafe fn write(&self, row: usize, index: usize, key: Self::Key, value: Self::Value);
    /// Room for the keys between two passes, if the results' is such.
    fn room(&self, row: usize) -> Option<*mut Self::Key>;
}

struct Elements<O: Order> {
    x: Shared<O::Key>,
    out: Shared<O::Key>,
}

impl<O: Order> Rows for Elements<O> {
    type Key = O::Key;
    type Value = ();
    #[inline(always)]
    unsafe fn read(&self, row: usize, index: usize) -> (O::Key, ()) {
        // SAFETY: the caller's promise.
        (O::key(unsafe { self.x.get().add(row + index).read() }), ())
    }
    #[inline(always)]
    unsafe fn write(&self, row: usize, index: usize, key: O::Key, (): ()) {
        // SAFETY: the caller's promise.
        unsafe { self.out.get().add(row + index).write(O::bits(key)) };
    }
    fn room(&self, row: usize) -> Option<*mut O::Key> {
        Some(self.out.get().wrapping_add(row))
    }
}

struct Positions<O: Order, V> {
    x: Shared<O::Key>,
    out: Shared<i64>,
    value: std::marker::PhantomData<fn() -> V>,
}

/// A position in a row.
trait Position: Copy + Default + Ord + Send + Sync {
    fn of(index: usize) -> Self;
    fn wide(self) -> i64;
}
impl Position for u32 {
    #[inline(always)]
    fn of(index: usize) -> u32 {
        index as u32
    }
    #[inline(always)]
    fn wide(self) -> i64 {
        self.into()
    }
}
impl Position for u64 {
    #[inline(always)]
    fn of(index: usize) -> u64 {
        index as u64
    }
    #[inline(always)]
    fn wide(self) -> i64 {
        self as i64
    }
}

impl<O: Order, V: Position> Rows for Positions<O, V> {
    type Key = O::Key;
    type Value = V;
    #[inline(always)]
    unsafe fn read(&self, row: usize, index: usize) -> (O::Key, V) {
        // SAFETY: the caller's promise.
        (O::rank(unsafe { self.x.get().add(row + index).read() }), V::of(index))
    }
    #[inline(always)]
    unsafe fn write(&self, row: usize, index: usize, _: O::Key, value: V) {
        // SAFETY: the caller's promise.
        unsafe { self.out.get().add(row + index).write(value.wide()) };
    }
    fn room(&self, _: usize) -> Option<*mut O::Key> {
        None
    }
}

/// # Safety
///
/// The arrays must have as many elements.
unsafe fn sort_rows<R: Rows>(rows_of: &R, rows: usize, length: usize) -> Result<()> {
    // What an interrupt of an earlier operation has left out is not this one's.
    pool::left_out();
    if length > CACHED || (rows < pool::threads() && length > CACHED / 4) {
        for row in 0..rows {
            // SAFETY: the caller's promise.
            unsafe { sort_long(rows_of, row * length, length)? };
        }
        return Ok(());
    }
    let grain = (CACHED / 8 / length.max(1)).max(1);
    pool::split(rows, grain, &|range| {
        let mut short = Vec::new();
        let mut room = Room::<R>::default();
        for row in range {
            // SAFETY: the caller's promise; each row belongs to one task.
            unsafe {
                if length <= SHORT {
                    sort_short(rows_of, row * length, length, &mut short);
                } else {
                    sort_cached(rows_of, row * length, length, &mut room);
                }
            }
        }
    });
    ended()
}

/// The error if parts were left out, on which what follows cannot rely.
fn ended() -> Result<()> {
    if pool::left_out() { Err(Error::Interrupted) } else { Ok(()) }
}

/// By comparison; what is equal is ordered by its positions.
///
/// # Safety
///
/// The row must have as many elements, which nothing else accesses.
unsafe fn sort_short<R: Rows>(rows: &R, row: usize, length: usize, buffer: &mut Vec<(R::Key, R::Value)>) {
    buffer.clear();
    // SAFETY: the caller's promise.
    buffer.extend((0..length).map(|index| unsafe { rows.read(row, index) }));
    buffer.sort_unstable();
    for (index, &(key, value)) in buffer.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { rows.write(row, index, key, value) };
    }
}

/// Where keys and values are between two passes.
struct Place<K, V> {
    keys: Shared<K>,
    values: Shared<V>,
}

type PlaceOf<R> = Place<<R as Rows>::Key, <R as Rows>::Value>;

impl<K, V> Clone for Place<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K, V> Copy for Place<K, V> {}

impl<K: Copy, V: Copy> Place<K, V> {
    /// # Safety
    ///
    /// The place must have been written to.
    #[inline(always)]
    unsafe fn read(&self, index: usize) -> (K, V) {
        // SAFETY: the caller's promise.
        unsafe { (self.keys.get().add(index).read(), self.values.get().add(index).read()) }
    }
    /// # Safety
    ///
    /// There must be room, which nothing else accesses.
    #[inline(always)]
    unsafe fn write(&self, index: usize, key: K, value: V) {
        // SAFETY: the caller's promise.
        unsafe {
            self.keys.get().add(index).write(key);
            self.values.get().add(index).write(value);
        }
    }
}

/// Two places for the keys and values of a row.
struct Room<R: Rows> {
    keys: [Vec<R::Key>; 2],
    values: [Vec<R::Value>; 2],
}

impl<R: Rows> Default for Room<R> {
    fn default() -> Self {
        Room { keys: Default::default(), values: Default::default() }
    }
}

impl<R: Rows> Room<R> {
    fn places(&mut self, length: usize) -> [PlaceOf<R>; 2] {
        let place = |side: usize, keys: &mut [Vec<R::Key>; 2], values: &mut [Vec<R::Value>; 2]| {
            keys[side].resize(length, R::Key::default());
            values[side].resize(length, R::Value::default());
            Place { keys: Shared(keys[side].as_mut_ptr()), values: Shared(values[side].as_mut_ptr()) }
        };
        [place(0, &mut self.keys, &mut self.values), place(1, &mut self.keys, &mut self.values)]
    }
}

/// The digits that differ among `length` keys, as counted; one at least, so that there is a pass.
fn differing(counts: &[u32], keys: usize, length: usize) -> Vec<usize> {
    let all_in_one = |digit: usize| counts[digit * DIGITS..][..DIGITS].iter().any(|&count| count as usize == length);
    let digits: Vec<usize> = (0..keys).filter(|&digit| !all_in_one(digit)).collect();
    if digits.is_empty() { vec![0] } else { digits }
}

/// On this thread.
///
/// # Safety
///
/// The row must have as many elements, which nothing else accesses.
unsafe fn sort_cached<R: Rows>(rows: &R, row: usize, length: usize, room: &mut Room<R>) {
    let mut counts = vec![0u32; R::Key::BYTES * DIGITS];
    // SAFETY: the caller's promise.
    count_all(0..length, &mut counts, |index| unsafe { rows.read(row, index).0 });
    let digits = differing(&counts, R::Key::BYTES, length);
    let places = room.places(length);
    for (pass, &digit) in digits.iter().enumerate() {
        let mut ends = [0usize; DIGITS];
        let mut sum = 0;
        for (end, &count) in ends.iter_mut().zip(&counts[digit * DIGITS..][..DIGITS]) {
            *end = sum;
            sum += count as usize;
        }
        let (from, to) = (places[(pass + 1) % 2], places[pass % 2]);
        // SAFETY: the caller's promise; `ends` counts the row's keys, so each place is written once.
        unsafe { any_pass(rows, row, (pass == 0, pass + 1 == digits.len()), (from, to), 0..length, digit, &mut ends) };
    }
}

/// On all threads.
///
/// # Safety
///
/// The row must have as many elements, which nothing else accesses.
unsafe fn sort_long<R: Rows>(rows: &R, row: usize, length: usize) -> Result<()> {
    let chunk = length.div_ceil(4 * pool::threads()).clamp(CACHED / 8, CHUNK);
    let chunks = length.div_ceil(chunk);
    let part = |index: usize| index * chunk..length.min((index + 1) * chunk);
    let tables = R::Key::BYTES * DIGITS;
    let mut counts = vec![0u32; chunks * tables];
    let shared = Shared(counts.as_mut_ptr());
    // SAFETY: the tables of one chunk, which one task at a time works on.
    let of_chunk = |index: usize| unsafe { std::slice::from_raw_parts_mut(shared.get().add(index * tables), tables) };
    pool::split(chunks, 1, &|range| {
        for index in range {
            // SAFETY: the caller's promise.
            count_all(part(index), of_chunk(index), |index| unsafe { rows.read(row, index).0 });
        }
    });
    ended()?;

    let mut all = vec![0u64; tables];
    for index in 0..chunks {
        all.iter_mut().zip(of_chunk(index).iter()).for_each(|(sum, &count)| *sum += u64::from(count));
    }
    let mut digits: Vec<usize> =
        (0..R::Key::BYTES).filter(|digit| !all[digit * DIGITS..][..DIGITS].contains(&(length as u64))).collect();
    if digits.is_empty() {
        digits.push(0);
    }

    let place = |own: Option<*mut R::Key>, needed: bool| -> Result<(Memory, PlaceOf<R>)> {
        let length = if needed { length } else { 0 };
        let key_bytes = if own.is_some() { 0 } else { (length * R::Key::BYTES).next_multiple_of(8) };
        let memory = Memory::new(key_bytes + length * size_of::<R::Value>())?;
        let keys = own.unwrap_or(memory.start().cast());
        let values = memory.start().wrapping_add(key_bytes).cast();
        Ok((memory, Place { keys: Shared(keys), values: Shared(values) }))
    };
    // The last pass reads from the second; the first is where it writes to, if keys can be there.
    let (first, second) = (place(rows.room(row), digits.len() > 2)?, place(None, digits.len() > 1)?);
    let places = [first.1, second.1];
    let mut ends = vec![[0usize; DIGITS]; chunks];
    let shared_ends = Shared(ends.as_mut_ptr());
    for (pass, &digit) in digits.iter().enumerate() {
        let side = (digits.len() - 1 - pass) % 2;
        let (from, to) = (places[1 - side], places[side]);
        if pass > 0 {
            pool::split(chunks, 1, &|range| {
                for index in range {
                    // SAFETY: the pass before has written all keys.
                    count_one(part(index), digit, of_chunk(index), |index| unsafe {
                        from.keys.get().add(index).read()
                    });
                }
            });
            ended()?;
        }
        let mut sum = 0;
        for value in 0..DIGITS {
            for index in 0..chunks {
                // SAFETY: no task runs.
                unsafe { (*shared_ends.get().add(index))[value] = sum };
                sum += of_chunk(index)[digit * DIGITS + value] as usize;
            }
        }
        let ends_of_pass = (pass == 0, pass + 1 == digits.len());
        pool::split(chunks, 1, &|range| {
            for index in range {
                // SAFETY: the chunk's own; the counts are of the keys that are read, so each place is written once.
                unsafe {
                    let ends = &mut *shared_ends.get().add(index);
                    any_pass(rows, row, ends_of_pass, (from, to), part(index), digit, ends);
                }
            }
        });
        ended()?;
    }
    Ok(())
}

/// Adds the digits of keys to one table for each digit.
#[inline(always)]
fn count_all<K: Key>(range: Range<usize>, counts: &mut [u32], read: impl Fn(usize) -> K) {
    let tables = &mut counts.as_chunks_mut::<DIGITS>().0[..K::BYTES];
    for index in range {
        let key = read(index);
        for (digit, table) in tables.iter_mut().enumerate() {
            table[key.digit(digit)] += 1;
        }
    }
}

/// Counts one digit of keys anew.
#[inline(always)]
fn count_one<K: Key>(range: Range<usize>, digit: usize, counts: &mut [u32], read: impl Fn(usize) -> K) {
    let mut table = [0u32; DIGITS];
    for index in range {
        table[read(index).digit(digit)] += 1;
    }
    counts[digit * DIGITS..][..DIGITS].copy_from_slice(&table);
}

/// Moves keys and values to where their digit's end is, and the end on. The first pass reads the rows, the last one writes
/// the results.
///
/// # Safety
///
/// There must be room for a key at each end and for as many behind it as have the digit.
unsafe fn any_pass<R: Rows>(
    rows: &R,
    row: usize,
    (first, last): (bool, bool),
    (from, to): (PlaceOf<R>, PlaceOf<R>),
    range: Range<usize>,
    digit: usize,
    ends: &mut [usize; DIGITS],
) {
    #[inline(always)]
    fn pass<K: Key, V>(
        range: Range<usize>,
        digit: usize,
        ends: &mut [usize; DIGITS],
        read: impl Fn(usize) -> (K, V),
        write: impl Fn(usize, K, V),
    ) {
        for index in range {
            let (key, value) = read(index);
            let end = &mut ends[key.digit(digit)];
            write(*end, key, value);
            *end += 1;
        }
    }
    // SAFETY (of the closures): the caller's promise.
    // SAFETY: as said.
    let of_rows = |index: usize| unsafe { rows.read(row, index) };
    // SAFETY: as said.
    let of_place = |index: usize| unsafe { from.read(index) };
    // SAFETY: as said.
    let to_rows = |index: usize, key: R::Key, value: R::Value| unsafe { rows.write(row, index, key, value) };
    // SAFETY: as said.
    let to_place = |index: usize, key: R::Key, value: R::Value| unsafe { to.write(index, key, value) };
    match (first, last) {
        (true, true) => pass(range, digit, ends, of_rows, to_rows),
        (true, false) => pass(range, digit, ends, of_rows, to_place),
        (false, true) => pass(range, digit, ends, of_place, to_rows),
        (false, false) => pass(range, digit, ends, of_place, to_place),
    }
}
