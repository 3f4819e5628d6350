//! Sorting: long rows are cut into bins by the highest bits in which keys differ, until a bin's keys stay in a thread's
//! cache; they are sorted by digits of eight bits, the least significant first, and short rows by comparison.
//!
//! Elements are sorted as keys: unsigned integers in the order of the elements. Each pass over the keys is stable, and so are
//! positions, which move along with them. No distribution takes long: bins are cut anew over the range of their own keys.

mod keys;
mod passes;

use super::memory::Memory;
use super::numeric::{Shared, for_dtype};
use super::pool;
use keys::{Key, Order, Sorted};
use passes::{any_pass, count, least_and_most, move_to, partition, sort_by_first_digits, starts_of};
use std::marker::PhantomData;
use std::ops::Range;
use warpcell_base::dtype::DType;
use warpcell_base::error::{Error, Result};

/// Rows up to this length are sorted by comparison.
const SHORT: usize = 192;
/// Bins up to this size in bytes are sorted by digits.
const CACHED: usize = 1 << 18;
/// Rows up to this length are sorted on one thread, several at once.
const LONG: usize = 1 << 17;
/// The most elements of a chunk or a bin that one task works on: that takes some milliseconds.
const CHUNK: usize = 1 << 20;
/// The values of a digit.
const DIGITS: usize = 256;
/// Keys of a row in the cache are sorted by so many of their first digits, and by one more if there are many of them.
const FIRST_DIGITS: u32 = 3;
const MANY: usize = 1 << 12;
/// The bins into which keys are cut at once.
const BINS: usize = 1024;
/// The keys of a row that are looked at for its first bins.
const SAMPLE: usize = 1024;

/// Sorts each row into the row of `out`, NaN last, -0.0 before 0.0. If `places` are given, only those need have their elements: before
/// each of them stands what is not greater, and behind it what is not less.
///
/// # Safety
///
/// `x` and `out` must be memory of `rows` times `length` elements of this dtype that nothing else accesses, without
/// overlap. `out` may be uninitialised.
pub unsafe fn sort(
    dtype: DType,
    x: *const u8,
    out: *mut u8,
    (rows, length): (usize, usize),
    places: Option<[usize; 3]>,
) -> Result<()> {
    for_dtype!(dtype, T => {
        let (x, out) = (Shared(x.cast_mut().cast()), Shared(out.cast()));
        let rows_of = Elements::<<T as Sorted>::Order> { x, out, places };
        // SAFETY: the caller's promise.
        unsafe { sort_rows(rows_of, rows, length) }
    })
}

/// For each row, the positions of its elements in ascending order; NaN last, equal elements in their order, -0.0 equal to 0.0.
///
/// # Safety
///
/// As for [`sort`], with `out` for as many `i64`.
pub unsafe fn argsort(dtype: DType, x: *const u8, out: *mut i64, rows: usize, length: usize) -> Result<()> {
    for_dtype!(dtype, T => {
        type O = <T as Sorted>::Order;
        let (x, out) = (Shared(x.cast_mut().cast()), Shared(out));
        // SAFETY: the caller's promise.
        unsafe {
            if u32::try_from(length).is_ok() {
                sort_rows(Positions::<O, u32> { x, out, value: PhantomData }, rows, length)
            } else {
                sort_rows(Positions::<O, u64> { x, out, value: PhantomData }, rows, length)
            }
        }
    })
}

/// What is sorted and what becomes of it. Rows begin at a place in the arrays; indices count within a row.
/// Copied to where it is used, so that its pointers are in registers.
trait Rows: Copy + Send + Sync {
    type Key: Key;
    /// What moves along with a key.
    type Value: Copy + Default + Ord + Send + Sync;
    /// # Safety
    ///
    /// The row must have that element.
    unsafe fn read(self, row: usize, index: usize) -> (Self::Key, Self::Value);
    /// # Safety
    ///
    /// The row must have that element, and nothing else access it.
    unsafe fn write(self, row: usize, index: usize, key: Self::Key, value: Self::Value);
    /// Memory for the keys between two passes, if the memory of the results has their size.
    fn spare_keys(self, row: usize) -> Option<*mut Self::Key>;
    /// Whether results are written to where elements are read from.
    fn in_place(self) -> bool {
        false
    }
    /// Whether elements need be in order among themselves that have these places of a sorted row.
    fn wants(self, _: &Range<usize>) -> bool {
        true
    }
}

#[derive(Clone, Copy)]
struct Elements<O: Order> {
    x: Shared<O::Key>,
    out: Shared<O::Key>,
    places: Option<[usize; 3]>,
}

impl<O: Order> Rows for Elements<O> {
    type Key = O::Key;
    type Value = ();
    #[inline(always)]
    unsafe fn read(self, row: usize, index: usize) -> (O::Key, ()) {
        // SAFETY: the caller's promise.
        (O::key(unsafe { self.x.get().add(row + index).read() }), ())
    }
    #[inline(always)]
    unsafe fn write(self, row: usize, index: usize, key: O::Key, (): ()) {
        // SAFETY: the caller's promise.
        unsafe { self.out.get().add(row + index).write(O::bits(key)) };
    }
    fn spare_keys(self, row: usize) -> Option<*mut O::Key> {
        Some(self.out.get().wrapping_add(row))
    }
    fn wants(self, keys: &Range<usize>) -> bool {
        self.places.is_none_or(|places| places.iter().any(|place| keys.contains(place)))
    }
}

#[derive(Clone, Copy)]
struct Positions<O: Order, V> {
    x: Shared<O::Key>,
    out: Shared<i64>,
    value: PhantomData<fn() -> V>,
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
    unsafe fn read(self, row: usize, index: usize) -> (O::Key, V) {
        // SAFETY: the caller's promise.
        (O::rank(unsafe { self.x.get().add(row + index).read() }), V::of(index))
    }
    #[inline(always)]
    unsafe fn write(self, row: usize, index: usize, _: O::Key, value: V) {
        // SAFETY: the caller's promise.
        unsafe { self.out.get().add(row + index).write(value.wide()) };
    }
    fn spare_keys(self, _: usize) -> Option<*mut O::Key> {
        None
    }
}

/// # Safety
///
/// The arrays must have as many elements.
unsafe fn sort_rows<R: Rows>(rows_of: R, rows: usize, length: usize) -> Result<()> {
    // What an interrupt of an earlier operation has left out is not this one's.
    pool::left_out();
    if length > LONG || (rows < pool::threads() && length > LONG / 4) {
        for row in 0..rows {
            // SAFETY: the caller's promise.
            unsafe { sort_long(rows_of, row * length, length)? };
        }
        return Ok(());
    }
    let grain = (LONG / 8 / length.max(1)).max(1);
    pool::split(rows, grain, &|range| {
        let mut workspace = Workspace::default();
        for row in range {
            // SAFETY: the caller's promise; each row belongs to one task.
            unsafe { sort_cached(rows_of, row * length, length, &mut workspace) };
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
unsafe fn sort_short<R: Rows>(rows: R, row: usize, length: usize, buffer: &mut Vec<(R::Key, R::Value)>) {
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
struct Pairs<K, V> {
    keys: Shared<K>,
    values: Shared<V>,
}

type PairsOf<R> = Pairs<<R as Rows>::Key, <R as Rows>::Value>;

impl<K, V> Clone for Pairs<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K, V> Copy for Pairs<K, V> {}

impl<K: Copy, V: Copy> Pairs<K, V> {
    /// # Safety
    ///
    /// The place must have been written to.
    #[inline(always)]
    unsafe fn read(self, index: usize) -> (K, V) {
        // SAFETY: the caller's promise.
        unsafe { (self.keys.get().add(index).read(), self.values.get().add(index).read()) }
    }
    /// # Safety
    ///
    /// The place must have that element, and nothing else access it.
    #[inline(always)]
    unsafe fn write(self, index: usize, key: K, value: V) {
        // SAFETY: the caller's promise.
        unsafe {
            self.keys.get().add(index).write(key);
            self.values.get().add(index).write(value);
        }
    }
}

/// The memory of one thread: for a short row, and two places for the keys and values of a longer one.
#[derive(Default)]
struct Workspace<K, V> {
    short: Vec<(K, V)>,
    keys: [Vec<K>; 2],
    values: [Vec<V>; 2],
}

impl<K: Key, V: Copy + Default> Workspace<K, V> {
    fn places(&mut self, length: usize) -> [Pairs<K, V>; 2] {
        [0, 1].map(|side| {
            let (keys, values) = (&mut self.keys[side], &mut self.values[side]);
            // The memory only grows. What it holds is written before it is read.
            keys.resize(length.max(keys.len()), K::default());
            values.resize(length.max(values.len()), V::default());
            Pairs { keys: Shared(keys.as_mut_ptr()), values: Shared(values.as_mut_ptr()) }
        })
    }
}

/// On this thread, without any other memory than the workspace.
///
/// # Safety
///
/// The row must have as many elements, which nothing else accesses.
unsafe fn sort_cached<R: Rows>(rows: R, row: usize, length: usize, workspace: &mut Workspace<R::Key, R::Value>) {
    if length <= SHORT {
        // SAFETY: the caller's promise.
        return unsafe { sort_short(rows, row, length, &mut workspace.short) };
    }
    // SAFETY: the caller's promise.
    let read = move |index: usize| unsafe { rows.read(row, index) };
    let first = read(0).0;
    let differing = (0..length).fold(R::Key::default(), |bits, index| bits | (read(index).0 ^ first));
    let Some((least, most)) = differing.set_bits() else {
        // SAFETY: the caller's promise.
        (0..length).for_each(|index| unsafe { rows.write(row, index, first, read(index).1) });
        return;
    };
    let places = workspace.places(length);
    let digit = DIGITS.ilog2();
    let first_digits = FIRST_DIGITS + u32::from(length > MANY);
    let is_done = most - least >= (first_digits + 1) * digit && {
        // SAFETY: the caller's promise.
        unsafe { sort_by_first_digits(rows, row, length, places, most + 1, first_digits) }
    };
    if is_done {
        return;
    }
    let mut shifts: Vec<u32> = (least..=most).step_by(digit as usize).collect();
    if shifts.len() == 1 && rows.in_place() {
        // The results are written where the keys are read: so the keys pass through the workspace.
        shifts.push(least);
    }
    for (pass, &shift) in shifts.iter().enumerate() {
        let (from, to) = (places[(pass + 1) % 2], places[pass % 2]);
        // SAFETY: the caller's promise.
        unsafe { any_pass(rows, row, (pass == 0, pass + 1 == shifts.len()), (from, to), length, shift) };
    }
}

/// A row on its way: its keys are in bins, and are sorted bin by bin. What would be the row is where the bin begins.
#[derive(Clone, Copy)]
struct Binned<R: Rows> {
    rows: R,
    row: usize,
    from: PairsOf<R>,
    in_place: bool,
}

impl<R: Rows> Rows for Binned<R> {
    type Key = R::Key;
    type Value = R::Value;
    #[inline(always)]
    unsafe fn read(self, bin: usize, index: usize) -> (R::Key, R::Value) {
        // SAFETY: the caller's promise.
        unsafe { self.from.read(bin + index) }
    }
    #[inline(always)]
    unsafe fn write(self, bin: usize, index: usize, key: R::Key, value: R::Value) {
        // SAFETY: the caller's promise.
        unsafe { self.rows.write(self.row, bin + index, key, value) };
    }
    fn spare_keys(self, _: usize) -> Option<*mut R::Key> {
        None
    }
    fn in_place(self) -> bool {
        self.in_place
    }
}

/// How keys are cut into bins: by their distance from the least one.
#[derive(Clone, Copy)]
struct Cut<K> {
    least: K,
    shift: u32,
}

impl<K: Key> Cut<K> {
    /// For so many keys from `least` to `most`: into bins of some thousands. None if all are one.
    fn between(least: K, most: K, keys: usize) -> Option<Cut<K>> {
        let bins = (keys / 2048).next_power_of_two().clamp(16, BINS);
        (least != most).then(|| Cut { least, shift: (most - least).shift(bins) })
    }
    #[inline(always)]
    fn bin(self, key: K) -> usize {
        key.bin(self.least, self.shift)
    }
}

/// A row between two passes: its keys in one of two places, cut into bins.
struct Long<R: Rows> {
    rows: R,
    row: usize,
    /// The second is where the results are, if that can be; and may not be there if no bin is so large as to need it.
    places: [PairsOf<R>; 2],
}

/// A bin of a row: where its keys are, of the two places, and which of them.
type Bin = (usize, Range<usize>);

/// On all threads.
///
/// # Safety
///
/// The row must have as many elements, which nothing else accesses.
unsafe fn sort_long<R: Rows>(rows: R, row: usize, length: usize) -> Result<()> {
    // SAFETY: the caller's promise.
    let read = move |index: usize| unsafe { rows.read(row, index) };
    if R::Key::BYTES == 1 {
        // SAFETY: the caller's promise.
        let write = move |index: usize, key: R::Key, value: R::Value| unsafe { rows.write(row, index, key, value) };
        return partition(0..length, move |key: R::Key| key.digit(0), read, write).map(drop);
    }
    let (_first, place) = place::<R>(length, None)?;
    // From a few keys: those beyond them are in the outermost bins.
    let sample = (0..SAMPLE).map(|number| read(number * (length / SAMPLE)).0);
    let (least, most) = sample.fold((read(0).0, read(0).0), |(least, most), key| (least.min(key), most.max(key)));
    let cut = Cut { least, shift: (most - least).shift(BINS) };
    // SAFETY: each place is written once.
    let ends = partition(
        0..length,
        move |key| cut.bin(key),
        read,
        move |index, key, value| unsafe { place.write(index, key, value) },
    )?;
    let mut bins: Vec<Bin> = bins(0, 0, &ends).collect();
    let mut long = Long { rows, row, places: [place; 2] };
    let mut _second = None;
    if bins.iter().any(|(_, keys)| keys.len() * R::Key::BYTES > CACHED) {
        let (memory, place) = self::place::<R>(length, rows.spare_keys(row))?;
        (_second, long.places[1]) = (Some(memory), place);
    }
    let large = (length / (4 * pool::threads())).clamp(LONG / 2, CHUNK);
    let mut tasks = Vec::new();
    while let Some((side, keys)) = bins.pop() {
        if !rows.wants(&keys) {
            tasks.extend(keys.clone().step_by(large).map(|start| (side, start..keys.end.min(start + large))));
        } else if keys.len() <= large {
            tasks.push((side, keys));
        } else {
            // SAFETY: the bin is the row's, and no task runs.
            bins.extend(unsafe { long.cut_on_all_threads(side, keys)? });
        }
    }
    // Large bins are neighbours; threads take neighbouring tasks. So tasks are dealt out.
    let hands = 64.min(tasks.len());
    let dealt: Vec<&Bin> = (0..hands).flat_map(|hand| tasks.iter().skip(hand).step_by(hands)).collect();
    pool::split(dealt.len(), 1, &|range| {
        let mut workspace = Workspace::default();
        for (side, keys) in &dealt[range] {
            // SAFETY: each bin belongs to one task.
            unsafe { long.sort(*side, keys.clone(), &mut workspace) };
        }
    });
    ended()
}

/// Memory for the keys and values of a row, without that for the keys if there is some already.
fn place<R: Rows>(length: usize, keys: Option<*mut R::Key>) -> Result<(Memory, PairsOf<R>)> {
    let key_bytes = if keys.is_some() { 0 } else { (length * R::Key::BYTES).next_multiple_of(8) };
    let memory = Memory::new(key_bytes + length * size_of::<R::Value>())?;
    let keys = Shared(keys.unwrap_or(memory.start().cast()));
    let values = Shared(memory.start().wrapping_add(key_bytes).cast());
    Ok((memory, Pairs { keys, values }))
}

/// The bins that are not empty, from where they begin and end.
fn bins(side: usize, start: usize, ends: &[usize]) -> impl Iterator<Item = Bin> {
    let starts = std::iter::once(start).chain(ends.iter().copied());
    starts.zip(ends).filter(|(start, end)| start < *end).map(move |(start, &end)| (side, start..end))
}

impl<R: Rows> Long<R> {
    /// The bins into which a large bin is cut; none if its keys are all one, and are written.
    ///
    /// # Safety
    ///
    /// The bin's keys must be where is said, and nothing else may access them.
    unsafe fn cut_on_all_threads(&self, side: usize, keys: Range<usize>) -> Result<Vec<Bin>> {
        let (from, to) = (self.places[side], self.places[1 - side]);
        // SAFETY: the caller's promise.
        let read = move |index: usize| unsafe { from.read(index) };
        let chunks = keys.len().div_ceil(CHUNK);
        let part = |chunk: usize| keys.start + chunk * CHUNK..keys.end.min(keys.start + (chunk + 1) * CHUNK);
        let mut ends = vec![(R::Key::default(), R::Key::default()); chunks];
        let shared = Shared(ends.as_mut_ptr());
        pool::split(chunks, 1, &|range| {
            for chunk in range {
                // SAFETY: each chunk belongs to one task.
                unsafe { shared.get().add(chunk).write(least_and_most(part(chunk), move |index| read(index).0)) };
            }
        });
        ended()?;
        let (least, most) = ends.iter().fold(ends[0], |(least, most), ends| (least.min(ends.0), most.max(ends.1)));
        let Some(cut) = Cut::between(least, most, keys.len()) else {
            pool::split(chunks, 1, &|range| {
                // SAFETY: each chunk belongs to one task.
                range.for_each(|chunk| unsafe { self.write(side, part(chunk)) });
            });
            return ended().map(|()| Vec::new());
        };
        // SAFETY: each place is written once.
        let write = move |index: usize, key: R::Key, value: R::Value| unsafe { to.write(index, key, value) };
        let ends = partition(keys.clone(), move |key| cut.bin(key), read, write)?;
        Ok(bins(1 - side, keys.start, &ends).collect())
    }

    /// Sorts a bin on this thread.
    ///
    /// # Safety
    ///
    /// The bin's keys must be where is said, and nothing else may access them.
    unsafe fn sort(&self, side: usize, keys: Range<usize>, workspace: &mut Workspace<R::Key, R::Value>) {
        if !self.rows.wants(&keys) {
            // SAFETY: the caller's promise.
            return unsafe { self.write(side, keys) };
        }
        let (from, to) = (self.places[side], self.places[1 - side]);
        if keys.len() * R::Key::BYTES <= CACHED {
            let in_place = side == 1;
            let bin = Binned { rows: self.rows, row: self.row, from, in_place };
            // SAFETY: the caller's promise.
            return unsafe { sort_cached(bin, keys.start, keys.len(), workspace) };
        }
        // SAFETY: the caller's promise.
        let read = move |index: usize| unsafe { from.read(index) };
        let (least, most) = least_and_most(keys.clone(), move |index| read(index).0);
        let Some(cut) = Cut::between(least, most, keys.len()) else {
            // SAFETY: the caller's promise.
            return unsafe { self.write(side, keys) };
        };
        let mut ends = [0usize; BINS];
        count(keys.clone(), &mut ends, move |index| cut.bin(read(index).0));
        starts_of(&mut ends, keys.start);
        // SAFETY: each place is written once.
        move_to(
            keys.clone(),
            &mut ends,
            move |key| cut.bin(key),
            read,
            move |index, key, value| unsafe { to.write(index, key, value) },
        );
        for (side, keys) in bins(1 - side, keys.start, &ends) {
            // SAFETY: the bin's keys are there now.
            unsafe { self.sort(side, keys, workspace) };
        }
    }

    /// Writes sorted keys to the results, index by index.
    ///
    /// # Safety
    ///
    /// As for [`sort`](Self::sort).
    unsafe fn write(&self, side: usize, keys: Range<usize>) {
        for index in keys {
            // SAFETY: the caller's promise; where the results are the keys' place, a key is read before it is written.
            unsafe {
                let (key, value) = self.places[side].read(index);
                self.rows.write(self.row, index, key, value);
            }
        }
    }
}
