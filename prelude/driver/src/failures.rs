//! Failures of the user's functions on the device: records that kernels write to, and what is said of them.
//!
//! A kernel cannot return an error, and a trap would destroy the context with all arrays. So a program that can fail (it divides
//! integers, indexes arrays, or loops without an end in sight) has a record in pinned memory of the host. The first thread that
//! fails writes there what has happened, and each that does ends alone. Where the host waits for the device anyway it looks at
//! the records. An interrupt sets a word in all of them, at which long loops look now and then.

use super::context::{Device, lock};
use super::mapped::Mapped;
use super::module::Module;
use super::status::check;
use cudarc::driver::sys;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use warpcell_base::error::{Error, Result};
use warpcell_base::failures::{self, Thread};

/// `WarpcellRecord` in the support text of translated functions.
#[repr(C)]
#[derive(Clone, Copy)]
struct Record {
    /// What has happened, one of the numbers below; 0 if nothing has.
    kind: u32,
    /// The number of the function in its program.
    function: u32,
    /// The line in the user's file or cell.
    line: u32,
    /// Set by the host: loops are to end.
    stop: u32,
    values: [i64; 2],
    /// The number of the array that was indexed, from 1; 0 if it is none that has a name.
    array: u32,
    /// The axis along which it was.
    axis: u32,
    thread: [u32; 3],
    block: [u32; 3],
}

/// A record of nothing.
const NOTHING: Record =
    Record { kind: 0, function: 0, line: 0, stop: 0, values: [0; 2], array: 0, axis: 0, thread: [0; 3], block: [0; 3] };

/// The names in a program, by the numbers that a record has for them.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub functions: Vec<String>,
    pub arrays: Vec<String>,
    /// Whether it is a kernel of the user, of which threads are told.
    pub is_kernel: bool,
}

const DIVISION_BY_ZERO: u32 = 1;
const REMAINDER_BY_ZERO: u32 = 2;
const INDEX_OUT_OF_BOUNDS: u32 = 3;
const STOPPED: u32 = 4;

/// Records of a block: a page of memory.
const RECORDS: usize = 4096 / size_of::<Record>();

/// The records of a device's programs.
#[derive(Default)]
pub(super) struct Failures {
    /// How many are in use. While there are none, nobody looks for failures.
    used: AtomicUsize,
    /// Whether loops were told to end and that is not settled yet.
    stopping: AtomicBool,
    records: Mutex<Records>,
}

#[derive(Default)]
struct Records {
    blocks: Vec<Mapped<Record, RECORDS>>,
    /// By the number of the record: the names in its program.
    programs: Vec<Option<Names>>,
}

/// The record of one program. It must be dropped after the program's module: then no kernel writes to it any more.
pub struct Slot {
    device: Arc<Device>,
    number: usize,
}

/// What a record says.
struct Failure {
    kind: u32,
    function: String,
    line: u32,
    values: [i64; 2],
    /// The name of the array that was indexed, and the axis.
    array: Option<(String, usize)>,
    /// The thread, of a kernel.
    thread: Option<Thread>,
}

impl Records {
    fn record(&self, number: usize) -> *mut Record {
        self.blocks[number / RECORDS].value(number % RECORDS)
    }

    /// The records in use, with the names in their programs.
    fn used(&self) -> impl Iterator<Item = (*mut Record, &Names)> {
        let programs = self.programs.iter().enumerate();
        programs.filter_map(|(number, names)| Some((self.record(number), names.as_ref()?)))
    }

    /// Whether a program has failed.
    fn any(&self) -> bool {
        // SAFETY: the record is in a live block; the device writes to it, so it is read as what changes by itself.
        self.used().any(|(record, _)| unsafe { (&raw const (*record).kind).read_volatile() } != 0)
    }

    /// What a record says, if anything; from here on it says nothing. No kernel of its program runs.
    fn take(record: *mut Record, names: &Names) -> Option<Failure> {
        // SAFETY: the record is in a live block, and nothing writes to it.
        let said = unsafe { record.read_volatile() };
        // SAFETY: as above.
        unsafe { record.write_volatile(NOTHING) };
        let place = |indices: [u32; 3]| indices.map(|index| index as usize);
        let array = || names.arrays.get((said.array as usize).checked_sub(1)?).cloned();
        (said.kind != 0).then(|| Failure {
            kind: said.kind,
            function: names.functions.get(said.function as usize).cloned().unwrap_or_else(|| "a function".to_owned()),
            line: said.line,
            values: said.values,
            array: array().map(|name| (name, said.axis as usize)),
            thread: names.is_kernel.then(|| Thread { thread: place(said.thread), block: place(said.block) }),
        })
    }

    /// A number that no program has. The context is current.
    fn free_number(&mut self) -> Result<usize> {
        if let Some(number) = self.programs.iter().position(Option::is_none) {
            return Ok(number);
        }
        if self.programs.len() == RECORDS * self.blocks.len() {
            self.blocks.push(Mapped::zeros()?);
        }
        self.programs.push(None);
        Ok(self.programs.len() - 1)
    }
}

impl Failures {
    /// Lets long loops of all functions end, until that is settled.
    fn stop(&self) {
        let records = lock(&self.records);
        if self.used.load(Ordering::Relaxed) == 0 || self.stopping.swap(true, Ordering::AcqRel) {
            return;
        }
        for (record, _) in records.used() {
            // SAFETY: the record is in a live block; the device only reads this word.
            unsafe { (&raw mut (*record).stop).write_volatile(1) };
        }
    }

    /// Frees the memory.
    ///
    /// # Safety
    /// The context is current, and no program is left.
    pub(super) unsafe fn release(&self) {
        for block in lock(&self.records).blocks.drain(..) {
            // SAFETY: the caller's promise.
            unsafe { block.release() };
        }
    }
}

impl Device {
    /// The failure of a function or of a check, if there was one since the last look. Called where the host has waited for work.
    #[inline]
    pub(super) fn failure(&self) -> Result<()> {
        self.failed_check()?;
        if self.failures.used.load(Ordering::Relaxed) == 0 { Ok(()) } else { self.look_for_failures() }
    }

    fn look_for_failures(&self) -> Result<()> {
        let is_stopping = self.failures.stopping.load(Ordering::Acquire);
        if !is_stopping && !lock(&self.failures.records).any() {
            return Ok(());
        }
        // Other queues may be at work on the records. The lock is free meanwhile: what sets the words to stop needs it.
        self.bind()?;
        self.wait_for_queues()?;
        let records = lock(&self.failures.records);
        let failures: Vec<Failure> =
            records.used().filter_map(|(record, names)| Records::take(record, names)).collect();
        self.failures.stopping.store(false, Ordering::Release);
        drop(records);
        let of_its_own = failures.iter().find(|failure| failure.kind != STOPPED);
        match of_its_own.or(failures.first()) {
            Some(failure) if failure.kind != STOPPED => Err(failure.error(self)),
            _ if is_stopping && warpcell_base::interrupt::interrupted() => Err(Error::Interrupted),
            Some(failure) => Err(failure.error(self)),
            None => Ok(()),
        }
    }

    /// To be called before a program that may have a record is started: what was told to stop is over then.
    #[inline]
    pub fn settle(&self) {
        if self.failures.stopping.load(Ordering::Relaxed) && !warpcell_base::interrupt::interrupted() {
            self.defer(self.look_for_failures());
        }
    }

    /// Lets long loops of functions that run now end; those waiting for them get an error.
    pub fn stop_functions(&self) {
        self.failures.stop();
    }
}

impl Slot {
    /// A record for a program in which there are these names.
    pub fn new(device: &Arc<Device>, names: Names) -> Result<Slot> {
        device.bind()?;
        let mut records = lock(&device.failures.records);
        let number = records.free_number()?;
        records.programs[number] = Some(names);
        device.failures.used.fetch_add(1, Ordering::Relaxed);
        Ok(Slot { device: device.clone(), number })
    }

    /// Tells the program where its record is, in its variable `warpcell_record`. No kernel of it has been started.
    pub fn tell(&self, module: &Module) -> Result<()> {
        let variable = module.variable("warpcell_record", size_of::<u64>())?;
        let records = lock(&self.device.failures.records);
        let (record, block) = (records.record(self.number), &records.blocks[self.number / RECORDS]);
        let address = block.address(self.number % RECORDS);
        // From pinned memory, since a copy from there is done when the call returns. Until then the word for the address is free.
        // SAFETY: the record is in a live block and nobody uses it yet; the variable has the size that is copied.
        unsafe {
            let word = &raw mut (*record).values[0];
            word.write_volatile(address.cast_signed());
            let copied = check(sys::cuMemcpyHtoD_v2(variable, word.cast(), size_of::<u64>()), "cuMemcpyHtoD");
            word.write_volatile(0);
            copied
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut records = lock(&self.device.failures.records);
        let names = records.programs[self.number].take().unwrap_or_default();
        // The module was unloaded, for which the driver has waited.
        let failure = Records::take(records.record(self.number), &names);
        self.device.failures.used.fetch_sub(1, Ordering::Relaxed);
        drop(records);
        if let Some(failure) = failure {
            self.device.defer(Err(failure.error(&self.device)));
        }
    }
}

impl Failure {
    #[cold]
    fn error(&self, device: &Device) -> Error {
        let ([first, second], thread) = (self.values, self.thread);
        let reason = match (self.kind, &self.array, thread) {
            (DIVISION_BY_ZERO, ..) => failures::division(Some(first), thread),
            (REMAINDER_BY_ZERO, ..) => failures::remainder(Some(first), thread),
            (INDEX_OUT_OF_BOUNDS, Some((name, axis)), Some(thread)) => {
                failures::view_index(name, first, *axis, second, thread)
            }
            (INDEX_OUT_OF_BOUNDS, ..) => failures::index(first, second, thread),
            (STOPPED, ..) => failures::stopped(),
            _ => failures::panicked(thread),
        };
        Error::FunctionFailed {
            function: self.function.clone(),
            line: self.line as usize,
            device: device.label(),
            reason,
        }
    }
}
