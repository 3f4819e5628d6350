//! Kernels in Rust on CUDA: translated to CUDA C for the axes of their arrays, compiled when first needed, and launched.
//!
//! What a kernel was translated to holds as long as nothing that it leads to is registered again. A program is made for each choice of
//! axes, of which arrays' elements follow one another, and of checks; a later launch looks for it in a short list.

use super::graph;
use super::map::{contracts, is_exact, options};
use super::{address_of, source_of};
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};
use warpcell_base::backend::launch::{Argument, Checks, Launch, Residency};
use warpcell_base::backend::stream::waits;
use warpcell_base::backend::text::{FunctionAttributes, Limits};
use warpcell_base::error::{Error, Result};
use warpcell_base::failures;
use warpcell_base::limits as messages;
use warpcell_base::registry::{self, Kernel, Parameter, StructParameter, Type, Value, scalar_of};
use warpcell_driver::attribute;
use warpcell_driver::compile;
use warpcell_driver::context::{self, Device};
use warpcell_driver::event::Event;
use warpcell_driver::failures::{Names, Slot};
use warpcell_driver::recorded::Request;
use warpcell_driver::text::{TextModule, limits};
use warpcell_translate::{KernelOptions, KernelTranslation, Parameter as Passed, Scalar, translate_kernel};

/// So many kernels are kept translated. What is left out is translated again, and found in the cache on disk.
const MOST_KERNELS: usize = 1024;

/// The most arguments of a kernel, and the most words of one: an address, four lengths and four strides.
const MOST_ARGUMENTS: usize = 16;
const MOST_WORDS: usize = 9;

/// Bytes of shared memory that a program may declare; more is for the launch to ask for.
const DECLARED_SHARED_BYTES: usize = 48 << 10;

/// How often a launch with a time limit looks whether the kernel is done.
const LOOK: Duration = Duration::from_millis(1);

/// The kernels that were launched on a device.
pub(super) struct Launches {
    device: Arc<Device>,
    limits: OnceLock<Limits>,
    /// By the identities of their definitions.
    known: Mutex<HashMap<usize, Arc<Known>>>,
}

struct Known {
    name: &'static str,
    /// Of the items that it was translated with.
    stamp: u64,
    /// The last one of the registry at which it held.
    generation: AtomicU64,
    programs: RwLock<Vec<(Key, Arc<Loaded>)>>,
}

/// What tells the programs of a kernel apart.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    passed: Vec<Passed>,
    is_checked: bool,
    contracts: bool,
}

/// A program on the device.
struct Loaded {
    translation: KernelTranslation,
    /// The arguments whose values are in the program, and are not passed.
    fixed: u16,
    attributes: FunctionAttributes,
    /// Owns the kernel, which is its only one.
    module: TextModule,
    /// Where it writes what has failed, if it can. After the module, which must not write to it any more.
    record: Option<Slot>,
}

/// The arguments of a launch: the words of each, one after another, and where those of each begin.
struct Words {
    words: [u64; MOST_ARGUMENTS * MOST_WORDS],
    count: usize,
    starts: [usize; MOST_ARGUMENTS],
    /// The bytes of structs, as words, so that they are aligned.
    structs: [Option<Box<[u64]>>; MOST_ARGUMENTS],
    arguments: usize,
}

impl Words {
    fn of(arguments: &[Argument<'_>]) -> Result<Words> {
        let mut words = Words {
            words: [0; MOST_ARGUMENTS * MOST_WORDS],
            count: 0,
            starts: [0; MOST_ARGUMENTS],
            structs: [const { None }; MOST_ARGUMENTS],
            arguments: arguments.len(),
        };
        for ((start, structure), argument) in words.starts.iter_mut().zip(&mut words.structs).zip(arguments) {
            *start = words.count;
            let mut push = |word| {
                words.words[words.count] = word;
                words.count += 1;
            };
            match *argument {
                Argument::Scalar(value) => super::words(value).into_iter().for_each(&mut push),
                Argument::Struct(value) => *structure = Some(words_of(value)),
                Argument::Array(view, writes) => push(if writes { address_of(view)? } else { source_of(view)? }),
            }
            if let Argument::Array(view, _) = argument {
                let (shape, strides) = (&view.layout.shape, &view.layout.strides);
                let lengths = shape.iter().map(|&length| length as u64);
                let strides = strides.iter().map(|&stride| (stride as i64).cast_unsigned());
                for word in lengths.chain(strides) {
                    words.words[words.count] = word;
                    words.count += 1;
                }
            }
        }
        Ok(words)
    }

    /// Pointers to the arguments, for a launch.
    fn pointers(&self) -> [*mut c_void; MOST_ARGUMENTS] {
        std::array::from_fn(|number| match &self.structs[number] {
            Some(words) => words.as_ptr().cast_mut().cast(),
            None => (&raw const self.words[self.starts[number]]).cast_mut().cast(),
        })
    }
}

impl Launches {
    pub fn new(device: &Arc<Device>) -> Launches {
        Launches { device: device.clone(), limits: OnceLock::new(), known: Mutex::default() }
    }

    pub fn limits(&self) -> Result<Limits> {
        if let Some(limits) = self.limits.get() {
            return Ok(*limits);
        }
        let limits = limits(&self.device)?;
        Ok(*self.limits.get_or_init(|| limits))
    }

    pub fn launch(&self, launch: &Launch, arguments: &[Argument<'_>]) -> Result<()> {
        let program = self.program(launch.operation, &launch.kernel, key(launch, arguments))?;
        self.fits(launch, &program)?;
        if launch.time_limit.is_some() && self.device.is_capturing() {
            return Err(waits("a launch with a time limit"));
        }
        let given: Vec<Argument<'_>> =
            arguments.iter().enumerate().filter(|(at, _)| program.fixed >> at & 1 == 0).map(|(_, of)| *of).collect();
        let words = Words::of(&given)?;
        if program.record.is_some() {
            self.device.settle();
        }
        if self.device.is_capturing() {
            graph::keep(program.clone());
        }
        let mut pointers = words.pointers();
        // SAFETY: the arguments are those of the kernel that was translated for them: of an array its address, lengths and strides in
        // one piece, of a scalar its bits; `words` lives until this returns. The views lie in live allocations, and `address_of`
        // and `source_of` have ordered the work; indices are checked, or the user has promised that they are within the arrays.
        unsafe { program.module.launch(0, launch.size, &mut pointers[..words.arguments])? };
        match launch.time_limit {
            None => Ok(()),
            Some(limit) => self.wait(launch, limit),
        }
    }

    /// What the compiler has made of a kernel for checked indices and arrays whose elements follow one another, and how many blocks of
    /// some numbers of threads a multiprocessor runs at once.
    pub fn attributes(&self, kernel: &Kernel) -> Result<(FunctionAttributes, Vec<(usize, usize)>)> {
        let key = Key { passed: usual(kernel)?, is_checked: true, contracts: contracts() };
        let program = self.program("kernel_attributes", kernel, key)?;
        let sizes = [32, 64, 128, 192, 256, 384, 512, 768, 1024];
        let blocks = sizes.into_iter().filter(|&threads| threads <= program.attributes.max_threads);
        let blocks = blocks.map(|threads| Ok((threads, program.module.resident_blocks(0, threads, 0)?)));
        Ok((program.attributes, blocks.collect::<Result<_>>()?))
    }

    /// What the compiler has made of a kernel for a launch, and how many of its blocks a multiprocessor runs at once.
    pub fn residency(&self, launch: &Launch, arguments: &[Argument<'_>]) -> Result<Residency> {
        let program = self.program(launch.operation, &launch.kernel, key(launch, arguments))?;
        let (threads, shared) = (messages::threads_of(launch.size), launch.size.shared as usize);
        let blocks = program.module.resident_blocks(0, threads, shared)?;
        Ok(Residency { attributes: program.attributes, blocks, room: attribute::room(&self.device)? })
    }

    /// Fails if the program, as it was compiled, cannot be launched in this size.
    fn fits(&self, launch: &Launch, program: &Loaded) -> Result<()> {
        let (name, most) = (launch.kernel.short_name(), self.limits()?.shared_bytes);
        let (declared, asked) = (program.attributes.shared_bytes, launch.size.shared as usize);
        if declared + asked > most {
            let device = self.device.label();
            return Err(messages::too_much_shared_memory(launch.operation, name, &device, [declared, asked], most));
        }
        if messages::threads_of(launch.size) > program.attributes.max_threads {
            let FunctionAttributes { registers, max_threads, .. } = program.attributes;
            return Err(messages::too_many_registers(launch.operation, name, launch.size, registers, max_threads));
        }
        Ok(())
    }

    /// Waits until the kernel is done, or its time is over; then it is told to end.
    fn wait(&self, launch: &Launch, limit: Duration) -> Result<()> {
        let (began, event) = (Instant::now(), Event::record(&self.device)?);
        let mut is_late = false;
        while !event.is_done()? {
            if !is_late && began.elapsed() >= limit {
                is_late = true;
                self.device.stop_functions();
            }
            if warpcell_base::interrupt::interrupted() {
                self.device.stop_functions();
            }
            std::thread::sleep(LOOK);
        }
        let failure = event.wait();
        if is_late && failure != Err(Error::Interrupted) {
            let (name, line) = (launch.kernel.short_name(), launch.kernel.text.line);
            return Err(failures::out_of_time(name, limit.as_secs_f64(), self.device.label(), line));
        }
        failure
    }

    fn known(&self) -> MutexGuard<'_, HashMap<usize, Arc<Known>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn program(&self, operation: &'static str, kernel: &Kernel, key: Key) -> Result<Arc<Loaded>> {
        let found = self.known().get(&kernel.identity()).cloned();
        if let Some(known) = &found
            && known.generation.load(Ordering::Relaxed) == registry::generation()
            && let Some(program) = known.find(&key)
        {
            return Ok(program);
        }
        self.made(operation, kernel, key, found)
    }

    /// The program, which may have been made before.
    #[cold]
    fn made(
        &self,
        operation: &'static str,
        kernel: &Kernel,
        key: Key,
        found: Option<Arc<Known>>,
    ) -> Result<Arc<Loaded>> {
        let items = registry::items_of_kernel(kernel);
        let known = match found {
            Some(known) if known.stamp == items.stamp => {
                known.generation.store(items.generation, Ordering::Relaxed);
                known
            }
            _ => self.begin(kernel, &items),
        };
        if let Some(program) = known.find(&key) {
            return Ok(program);
        }
        let translated = |key: &Key| translate(operation, kernel, &key.passed, key.is_checked, &items);
        let mut translation = translated(&key)?;
        let mut fixed = key.fixed();
        if compile::has_choices()
            && fixed != 0
            && let Ok(general) = translated(&key.general())
            && !self.takes(kernel, &translation, &general, &key)?
        {
            (translation, fixed) = (general, 0);
        }
        let program = match self.same(&translation, &key) {
            // Of a cell that was run again, everything may be as before.
            Some(same) => same,
            None => Arc::new(self.load(operation, kernel, (translation, fixed), &key)?),
        };
        // Another thread may have been first; its program is as good.
        known.programs.write().unwrap_or_else(PoisonError::into_inner).push((key, program.clone()));
        Ok(program)
    }

    /// A new entry in the table.
    fn begin(&self, kernel: &Kernel, items: &registry::Items) -> Arc<Known> {
        let mut table = self.known();
        // The programs of the definition before are kept by the entry of this one, for what is the same.
        let before = table.values().filter(|other| other.name == kernel.name);
        let programs = before.flat_map(|other| other.programs().clone()).filter(|(key, _)| !key.is_outdated());
        let programs = programs.map(|(key, program)| (key.outdated(), program));
        let known = Arc::new(Known {
            name: kernel.name,
            stamp: items.stamp,
            generation: AtomicU64::new(items.generation),
            programs: RwLock::new(programs.collect()),
        });
        // Earlier definitions are not called any more.
        table.retain(|_, other| other.name != kernel.name);
        if table.len() >= MOST_KERNELS {
            table.clear();
        }
        table.insert(kernel.identity(), known.clone());
        known
    }

    /// A program that was made of the same text in the same way.
    fn same(&self, translation: &KernelTranslation, key: &Key) -> Option<Arc<Loaded>> {
        let table = self.known();
        let programs = table.values().flat_map(|known| known.programs().clone());
        let mut same =
            programs.filter(|(other, program)| other.contracts == key.contracts && program.translation == *translation);
        same.next().map(|(_, program)| program)
    }

    /// Whether the program with some values in it can be had, rather than that for all values.
    fn takes(
        &self,
        kernel: &Kernel,
        special: &KernelTranslation,
        general: &KernelTranslation,
        key: &Key,
    ) -> Result<bool> {
        asked(kernel, special, key, |special| {
            asked(kernel, general, key, |general| compile::takes(self.device.target(), special, general))
        })
    }

    #[cold]
    fn load(
        &self,
        operation: &'static str,
        kernel: &Kernel,
        (translation, fixed): (KernelTranslation, u16),
        key: &Key,
    ) -> Result<Loaded> {
        let declared = translation.static_shared_bytes;
        if declared > DECLARED_SHARED_BYTES {
            let (name, most) = (kernel.short_name(), DECLARED_SHARED_BYTES);
            return Err(messages::too_large_shared_arrays(operation, name, declared, most));
        }
        let module = asked(kernel, &translation, key, |request| TextModule::load(&self.device, request))?;
        let attributes = module.attributes(0)?;
        let names =
            || Names { functions: translation.functions.clone(), arrays: translation.arrays.clone(), is_kernel: true };
        let record = translation.may_fail.then(|| Slot::new(&self.device, names())).transpose()?;
        if let Some(record) = &record {
            record.tell(module.module())?;
        }
        Ok(Loaded { translation, fixed, attributes, module, record })
    }
}

impl Known {
    fn programs(&self) -> std::sync::RwLockReadGuard<'_, Vec<(Key, Arc<Loaded>)>> {
        self.programs.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: &Key) -> Option<Arc<Loaded>> {
        self.programs().iter().find(|(known, _)| known == key).map(|(_, program)| program.clone())
    }
}

impl Key {
    /// A key that is not looked for, with the same options.
    fn outdated(self) -> Key {
        Key { passed: vec![Passed::Scalar(Scalar::Bool); MOST_ARGUMENTS + 1], ..self }
    }

    /// A bit for each argument whose value is in the program.
    fn fixed(&self) -> u16 {
        let is_fixed = |passed: &Passed| matches!(passed, Passed::Fixed(..));
        self.passed.iter().enumerate().filter(|(_, passed)| is_fixed(passed)).fold(0, |bits, (at, _)| bits | 1 << at)
    }

    /// That of the program which takes all values as arguments.
    fn general(&self) -> Key {
        let passed = |passed: &Passed| match passed {
            Passed::Fixed(of, _) => Passed::Scalar(*of),
            passed => passed.clone(),
        };
        Key { passed: self.passed.iter().map(passed).collect(), ..*self }
    }

    fn is_outdated(&self) -> bool {
        self.passed.len() > MOST_ARGUMENTS
    }
}

/// The program of a launch.
fn key(launch: &Launch, arguments: &[Argument<'_>]) -> Key {
    Key {
        passed: passed_all(launch, arguments),
        is_checked: launch.checks != Checks::None,
        contracts: contracts() && !is_exact(launch.kernel.name),
    }
}

/// How the arguments of a launch are passed.
fn passed_all(launch: &Launch, arguments: &[Argument<'_>]) -> Vec<Passed> {
    let parameters = launch.kernel.threads.parameters;
    let of = |(at, (argument, parameter)): (usize, (&Argument<'_>, &Parameter))| match (argument, parameter) {
        (Argument::Scalar(value), Parameter::Scalar(_, of)) if launch.fixed >> at & 1 == 1 => {
            Passed::Fixed(*of, value.integer().map_or(value.bits() as i64, |value| value as i64))
        }
        _ => passed((argument, parameter)),
    };
    arguments.iter().zip(parameters).enumerate().map(of).collect()
}

/// How an argument is passed.
fn passed((argument, parameter): (&Argument<'_>, &Parameter)) -> Passed {
    match (argument, parameter) {
        (Argument::Array(view, changing), _) => Passed::View {
            element: scalar_of(view.dtype),
            rank: view.layout.shape.len(),
            contiguous: view.layout.is_contiguous(),
            changing: *changing,
        },
        (Argument::Scalar(_), Parameter::Scalar(_, of)) => Passed::Scalar(*of),
        (Argument::Struct(_), Parameter::Struct(_, of)) => passed_struct(of),
        (Argument::Scalar(_) | Argument::Struct(_), _) => unreachable!("arguments are checked"),
    }
}

/// A struct by the name of its item.
fn passed_struct(of: &StructParameter) -> Passed {
    match (of.kind)() {
        Type::Struct(item) => Passed::Struct(item),
        _ => unreachable!("the macro has made the parameter of a struct"),
    }
}

/// The bytes of a struct, in words.
pub(super) fn words_of(value: &Value) -> Box<[u64]> {
    let bytes = value.bytes().expect("arguments are checked");
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_ne_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}

/// Passes a kernel's program on as the compiler takes it.
fn asked<R>(kernel: &Kernel, translation: &KernelTranslation, key: &Key, ask: impl FnOnce(&Request<'_>) -> R) -> R {
    // It stands in the namespace of all that is generated.
    let (name, functions) = (format!("{}.cu", kernel.short_name()), [format!("rust::{}", translation.name)]);
    let (source, options) = (whole(translation), options(key.contracts));
    ask(&Request { name: &name, source: &source, options: &options, functions: Some(&functions) })
}

/// The whole program.
fn whole(translation: &KernelTranslation) -> String {
    format!("{}{}", translation.support, translation.source)
}

fn translate(
    operation: &'static str,
    kernel: &Kernel,
    passed: &[Passed],
    checked: bool,
    items: &registry::Items,
) -> Result<KernelTranslation> {
    translate_kernel(kernel.name, passed, KernelOptions { checked }, items)
        .map_err(|error| Error::argument(operation, error.to_string()))
}

/// Arrays whose elements follow one another, with as many axes as the kernel's text indexes: of all choices the first one for which it
/// can be translated.
fn usual(kernel: &Kernel) -> Result<Vec<Passed>> {
    let items = registry::items_of_kernel(kernel);
    let parameters = kernel.threads.parameters;
    let is_view = |parameter: &&Parameter| matches!(parameter, Parameter::View(..) | Parameter::ViewMut(..));
    let views = parameters.iter().filter(is_view).count();
    let mut ranks = vec![1; views];
    let mut first = None;
    loop {
        let mut next = ranks.iter();
        let mut rank = || next.next().copied().unwrap_or(1);
        let passed = parameters.iter().map(|parameter| match parameter {
            Parameter::Scalar(_, of) => Passed::Scalar(*of),
            Parameter::Struct(_, of) => passed_struct(of),
            Parameter::View(_, dtype) | Parameter::ViewMut(_, dtype) => Passed::View {
                element: scalar_of(*dtype),
                rank: rank(),
                contiguous: true,
                changing: matches!(parameter, Parameter::ViewMut(..)),
            },
        });
        let passed: Vec<Passed> = passed.collect();
        match translate("cuda_source", kernel, &passed, true, &items) {
            Ok(_) => return Ok(passed),
            Err(error) => drop(first.get_or_insert(error)),
        }
        // What fails whatever the axes are is found out soon enough where there are few arrays, or few axes.
        let most = match views {
            0..=6 => 4,
            7..=9 => 2,
            _ => 1,
        };
        let Some(more) = ranks.iter().position(|&rank| rank < most) else { break };
        ranks[more] += 1;
        ranks[..more].fill(1);
    }
    Err(first
        .unwrap_or_else(|| Error::argument("cuda_source", format!("`{}` was not translated", kernel.short_name()))))
}

/// The CUDA C of a kernel, for checked indices.
pub fn source(kernel: &Kernel) -> Result<String> {
    let items = registry::items_of_kernel(kernel);
    Ok(whole(&translate("cuda_source", kernel, &usual(kernel)?, true, &items)?))
}

/// The CUDA C for a launch as it is, with the values for which it is compiled. No device is needed.
pub fn launched_source(launch: &Launch, arguments: &[Argument<'_>]) -> Result<String> {
    let items = registry::items_of_kernel(&launch.kernel);
    let is_checked = launch.checks != Checks::None;
    Ok(whole(&translate(launch.operation, &launch.kernel, &passed_all(launch, arguments), is_checked, &items)?))
}

/// What the compiler makes of [`source`], for the device of this number; without one for those that are in use everywhere.
pub fn ptx(kernel: &Kernel, ordinal: Option<usize>) -> Result<String> {
    let target = ordinal.map(context::target_of).transpose()?;
    compile::ptx(target, "kernel.cu", &source(kernel)?, &options(contracts()))
}
