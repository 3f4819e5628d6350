//! Rust functions over arrays on CUDA: translated to CUDA C, compiled when first needed, and launched.
//!
//! A translation is found by the identity of the function's definition. It is used until the function, or something that it
//! calls, is registered again. Only kernels that calls need are compiled: for contiguous arrays or for any strides, and for each
//! choice of parameters that are values. So a later call costs two looks into small tables and a launch.

use super::axes::{Axis, KernelAxes, MOST_AXES, are_rows, are_tiles, joined, launch_over};
use super::codegen::{ACROSS, Form, Tiles};
use super::launch::words_of;
use super::reduce::Reduce;
use super::{address_of, blocks, graph, source_of};
use program::{MapKernel, MapProgram};
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use warpcell_base::backend::launch::Argument;
use warpcell_base::backend::{ReduceOperation, View};
use warpcell_base::dtype::DType;
use warpcell_base::error::{Error, Result};
use warpcell_base::registry::{self, FORMULA, Function, FunctionParameter, Type, element_of};
use warpcell_driver::compile;
use warpcell_driver::context::{self, Device};
use warpcell_driver::failures::{Names, Slot};
use warpcell_driver::launch::launch;
use warpcell_driver::module::{Function as DeviceFunction, Module};
use warpcell_driver::recorded::Request;
use warpcell_translate::{FunctionParameter as TranslatedParameter, Scalar, Translation};

mod along;
pub mod program;
mod views;

/// The most arrays of a call: all parameters and all results that a function over arrays can have.
const SIDES: usize = 16;
/// The most parameters of a kernel before the number of elements: those, and as many captured values.
const WORDS: usize = 24;
/// The most translated functions that are kept. Others are translated again, and their programs are in the cache on disk.
const MOST_FUNCTIONS: usize = 1024;

/// Whether products and sums of floats are contracted to one operation with one rounding.
static CONTRACTS: AtomicBool = AtomicBool::new(true);

/// Sets whether programs that are compiled from now on contract products and sums.
pub fn contract(contracts: bool) {
    CONTRACTS.store(contracts, Ordering::Relaxed);
}

/// Whether they do.
pub(super) fn contracts() -> bool {
    CONTRACTS.load(Ordering::Relaxed)
}

/// Whether the results of the function of this name are the same bits on all devices: random numbers of the prelude are, and images.
pub(super) fn is_exact(name: &str) -> bool {
    // What is computed of integers must not lie beside a whole number because it was rounded once less.
    ["warpcell::operations::random::", "warpcell::ndimage::", "warpcell::signal::smoothing::boxes::"]
        .iter()
        .any(|module| name.starts_with(module))
}

/// The compiler's options for the program of a function.
pub(super) fn options(contracts: bool) -> Vec<String> {
    if contracts { Vec::new() } else { vec!["--fmad=false".to_owned()] }
}

/// The functions that were called on a device.
pub(super) struct Maps {
    device: Arc<Device>,
    functions: Mutex<HashMap<(usize, u64), Arc<Translated>>>,
    /// Kernels of several formulas.
    along: Mutex<Vec<(along::Key, Arc<Loaded>)>>,
}

struct Translated {
    name: &'static str,
    translation: Translation,
    /// The stamp of the items that it was made of.
    stamp: u64,
    /// The last generation of the registry in which it was right.
    generation: AtomicU64,
    kernels: RwLock<Vec<(Key, Arc<Loaded>)>>,
}

/// The differences between the kernels of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    form: Form,
    tiles: Tiles,
    /// A bit for each parameter that is a value.
    scalars: u32,
    reduction: Option<ReduceOperation>,
    contracts: bool,
}

impl Key {
    /// The kernel that takes arrays of all layouts and sizes.
    fn general(self) -> Key {
        Key { form: Form::StridedWide, tiles: Tiles::default(), ..self }
    }
}

/// A kernel on the device.
struct Loaded {
    function: DeviceFunction,
    /// That of the key, or the general one.
    form: Form,
    /// How many elements a thread takes at a time.
    each: usize,
    /// How many threads a block has.
    threads: usize,
    /// How many blocks run at once.
    resident: usize,
    /// Owns the function.
    _module: Module,
    /// Where it writes a failure, if it can fail. It is dropped after the module, which may write to it until then.
    record: Option<Slot>,
}

/// The arguments of a call: the words that the kernel takes, and the layouts of arrays.
struct Arguments<'a> {
    /// Addresses of arrays and bits of values, in the low ends.
    words: [u128; WORDS],
    count: usize,
    /// The bytes of structs, each with the number of its parameter.
    structs: Vec<(usize, Box<[u64]>)>,
    scalars: u32,
    /// The arrays, in the order of the words.
    sides: [Side<'a>; SIDES],
    arrays: usize,
    /// Whether all arrays are contiguous, and begin at multiples of 16 bytes.
    contiguous: bool,
    aligned: bool,
}

#[derive(Clone, Copy, Default)]
struct Side<'a> {
    strides: &'a [isize],
    dtype: Option<DType>,
    /// Bytes of an element.
    size: usize,
    /// The number of the word with the address.
    word: usize,
}

impl<'a> Arguments<'a> {
    fn new(function: &Function, inputs: &[Argument<'a>]) -> Result<Arguments<'a>> {
        let mut arguments = Arguments {
            words: [0; WORDS],
            count: 0,
            structs: Vec::new(),
            scalars: 0,
            sides: [Side::default(); SIDES],
            arrays: 0,
            contiguous: true,
            aligned: true,
        };
        for input in inputs {
            match *input {
                Argument::Array(view, _) => arguments.add_array(view, source_of(view)?),
                Argument::Scalar(value) => arguments.add_value(value.bits()),
                Argument::Struct(value) => {
                    arguments.structs.push((arguments.count, words_of(value)));
                    arguments.add_value(0);
                }
            }
        }
        function.captures.scalars().iter().for_each(|captured| arguments.add_value(captured.bits));
        Ok(arguments)
    }

    fn add_value(&mut self, bits: u128) {
        self.scalars |= 1 << self.count;
        self.words[self.count] = bits;
        self.count += 1;
    }

    fn add_array(&mut self, view: View<'a>, address: u64) {
        self.contiguous &= view.layout.is_contiguous();
        self.aligned &= address.is_multiple_of(16);
        self.sides[self.arrays] =
            Side { strides: &view.layout.strides, dtype: Some(view.dtype), size: view.dtype.size(), word: self.count };
        self.arrays += 1;
        self.words[self.count] = address.into();
        self.count += 1;
    }

    /// The axes of the arrays, from the innermost outwards, joined where that is possible.
    fn axes(&self, shape: &[usize]) -> Vec<Axis<SIDES>> {
        joined(shape, self.sides.map(|side| side.strides))
    }

    /// The addresses and the types of the arrays.
    fn walked(&self) -> Vec<(u64, Option<DType>)> {
        self.sides[..self.arrays].iter().map(|side| (self.words[side.word] as u64, side.dtype)).collect()
    }

    /// Pointers to the words, for a launch, with room for others behind them.
    fn pointers<const MORE: usize>(&self, more: [*const c_void; MORE]) -> ([*mut c_void; WORDS + 8], usize) {
        let mut pointers = [std::ptr::null_mut(); WORDS + 8];
        for (pointer, word) in pointers.iter_mut().zip(&self.words[..self.count]) {
            *pointer = (&raw const *word).cast_mut().cast();
        }
        for (number, bytes) in &self.structs {
            pointers[*number] = bytes.as_ptr().cast_mut().cast();
        }
        for (pointer, more) in pointers[self.count..].iter_mut().zip(more) {
            *pointer = more.cast_mut();
        }
        (pointers, self.count + MORE)
    }
}

impl Maps {
    pub fn new(device: &Arc<Device>) -> Maps {
        Maps { device: device.clone(), functions: Mutex::default(), along: Mutex::default() }
    }

    pub fn run(&self, function: &Function, inputs: &[Argument<'_>], outs: &[View<'_>]) -> Result<()> {
        let Some(out) = outs.first() else { return Ok(()) };
        let size = out.layout.size();
        if size == 0 {
            return Ok(());
        }
        let mut arguments = Arguments::new(function, inputs)?;
        let scalars = arguments.scalars;
        for &out in outs {
            arguments.add_array(out, address_of(out)?);
        }
        let axes = if arguments.contiguous { Vec::new() } else { arguments.axes(&out.layout.shape) };
        let form = match axes[..] {
            [inner, second, ..] if are_tiles(inner.length, second.length, size) && axes.len() <= MOST_AXES => {
                Form::Tiles
            }
            [inner, _, ..] if are_rows(inner.length, size) && axes.len() <= MOST_AXES => Form::Rows,
            _ => Form::of(arguments.contiguous, arguments.aligned, size),
        };
        let tiles =
            if form == Form::Tiles { views::tiles(&axes, arguments.walked(), outs.len()) } else { Tiles::default() };
        let kernel = self.kernel(function, (form, tiles), scalars, None)?;
        let axes = if kernel.form == form || !arguments.contiguous { axes } else { arguments.axes(&out.layout.shape) };
        if !kernel.form.is_strided() {
            let grid = blocks("map", size, kernel.threads * kernel.each)?;
            let elements = size as i64;
            let (mut pointers, count) = arguments.pointers([(&raw const elements).cast()]);
            // SAFETY: the arguments are those of `packed` and `single`: an address or a value for each parameter, of its type,
            // an address for each result, and the number of elements. The views lie in live allocations; packs are used for
            // addresses that are multiples of 16 only.
            return unsafe { self.launch(&kernel, (grid, 1), &mut pointers[..count]) };
        }
        let (sides, arrays) = (arguments.sides, arguments.arrays);
        let mut addresses = [0; SIDES];
        for (address, side) in addresses.iter_mut().zip(&sides[..arrays]) {
            *address = arguments.words[side.word] as u64;
        }
        launch_over(&axes, addresses, sides.map(|side| side.size), &mut |addresses, size, axes| {
            for (address, side) in addresses.iter().zip(&sides[..arrays]) {
                arguments.words[side.word] = (*address).into();
            }
            let grid = match kernel.form {
                Form::Rows => {
                    let length = axes.length();
                    let parts = length.div_ceil(kernel.threads * kernel.each) as u32;
                    (blocks("map", size / length, 1)?, parts)
                }
                Form::Tiles => {
                    let [length, lines] = axes.two_lengths();
                    let count =
                        length.div_ceil(ACROSS * tiles.columns) * lines.div_ceil(kernel.threads / ACROSS * kernel.each);
                    (blocks("map", size / (length * lines) * count, 1)?, 1)
                }
                _ => (blocks("map", size, kernel.threads)?, 1),
            };
            let elements = size as i64;
            let (mut pointers, count) =
                arguments.pointers([(&raw const elements).cast(), (&raw const axes).cast::<c_void>()]);
            // SAFETY: as above, with the axes, of which all kernels for strides have the rows of the arrays; every
            // index inside the shape lies in a live allocation.
            unsafe { self.launch(&kernel, grid, &mut pointers[..count]) }
        })
    }

    /// Reduces the results of the function for all elements, one at least, to the one element of `out`.
    pub fn reduce(
        &self,
        reduce: &Reduce,
        function: &Function,
        operation: ReduceOperation,
        inputs: &[Argument<'_>],
        shape: &[usize],
        out: View<'_>,
    ) -> Result<()> {
        let size: usize = shape.iter().product();
        let arguments = Arguments::new(function, inputs)?;
        let form = Form::of(arguments.contiguous, arguments.aligned, size);
        let kernel = self.kernel(function, (form, Tiles::default()), arguments.scalars, Some(operation))?;
        let target = address_of(out)?;
        let axes = arguments.axes(shape);
        if axes.len() > MOST_AXES {
            let reason =
                format!("has more than {MOST_AXES} axes that cannot be joined; reshape the arrays, or copy them");
            return Err(Error::shape("a reduction of a map", shape, reason));
        }
        let passed = KernelAxes::new(&axes);
        let elements = size as i64;
        let useful = size.div_ceil(kernel.threads * kernel.each);
        let grid = useful.clamp(1, kernel.resident.min(reduce.most_blocks())) as u32;
        let launch = |finished: u64, states: u64| {
            let finished = (&raw const finished).cast::<c_void>();
            let (states, target) = ((&raw const states).cast(), (&raw const target).cast());
            let (elements, passed) = ((&raw const elements).cast(), (&raw const passed).cast());
            let (mut pointers, count) = if !kernel.form.is_strided() {
                arguments.pointers([elements, states, finished, target])
            } else {
                let (pointers, count) = arguments.pointers([elements, passed, states, finished, target]);
                (pointers, count)
            };
            // SAFETY: the arguments are those of the kernel: an address or a value for each parameter, of its type, the number of
            // elements, with strides the axes, and where the reduction has its states, its counter and its result. There is a
            // state for each of `most_blocks` blocks; the views lie in live allocations.
            unsafe { self.launch(&kernel, (grid, 1), &mut pointers[..count]) }
        };
        // A thread that fails ends before it is counted, so a kernel that can fail gets a counter of its own.
        if kernel.record.is_some() { reduce.with_own_scratch(launch) } else { reduce.with_scratch(launch) }
    }

    /// # Safety
    /// As for [`launch`]; the kernel's module is alive.
    unsafe fn launch(&self, kernel: &Arc<Loaded>, grid: (u32, u32), arguments: &mut [*mut c_void]) -> Result<()> {
        if kernel.record.is_some() {
            self.device.settle();
        }
        if self.device.is_capturing() {
            graph::keep(kernel.clone());
        }
        // SAFETY: the caller's promise.
        unsafe { launch(&self.device, kernel.function, grid, kernel.threads as u32, arguments) }
    }

    fn functions(&self) -> MutexGuard<'_, HashMap<(usize, u64), Arc<Translated>>> {
        self.functions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kernel(
        &self,
        function: &Function,
        (form, tiles): (Form, Tiles),
        scalars: u32,
        reduction: Option<ReduceOperation>,
    ) -> Result<Arc<Loaded>> {
        let key = Key { form, tiles, scalars, reduction, contracts: contracts() && !is_exact(function.name) };
        let translated = self.found(function)?;
        if let Some(kernel) = translated.find(key) {
            return Ok(kernel);
        }
        self.load(&translated, key)
    }

    fn found(&self, function: &Function) -> Result<Arc<Translated>> {
        let known = self.functions().get(&function.identity()).cloned();
        match known {
            Some(known) if known.generation.load(Ordering::Relaxed) == registry::generation() => Ok(known),
            known => self.translated(function, known),
        }
    }

    /// The function's translation, which may have been made before.
    #[cold]
    fn translated(&self, function: &Function, known: Option<Arc<Translated>>) -> Result<Arc<Translated>> {
        let items = registry::items(function);
        if let Some(known) = known
            && known.stamp == items.stamp
        {
            known.generation.store(items.generation, Ordering::Relaxed);
            return Ok(known);
        }
        let translation = translate(function, &items)?;
        let mut functions = self.functions();
        // If a cell was run again, everything may be as before.
        let same = functions.values().find(|other| other.translation == translation);
        let kernels = same.map(|same| same.kernels().clone()).unwrap_or_default();
        let translated = Arc::new(Translated {
            name: function.name,
            translation,
            stamp: items.stamp,
            generation: AtomicU64::new(items.generation),
            kernels: RwLock::new(kernels),
        });
        // Nobody calls earlier definitions of a function. Formulas have no names, so this is not known of them.
        functions.retain(|_, other| other.name == FORMULA || other.name != function.name);
        if functions.len() >= MOST_FUNCTIONS {
            functions.clear();
        }
        functions.insert(function.identity(), translated.clone());
        Ok(translated)
    }

    #[cold]
    fn load(&self, translated: &Translated, key: Key) -> Result<Arc<Loaded>> {
        let translation = &translated.translation;
        let file = format!("{}.cu", program::own_name(translation));
        let (mut form, mut program) = (key.form, program_of(translation, key));
        if compile::has_choices() && key != key.general() {
            let general = program_of(translation, key.general());
            let target = self.device.target();
            let options = options(key.contracts);
            if !compile::takes(target, &request(&file, &program, &options), &request(&file, &general, &options))? {
                (form, program) = (key.general().form, general);
            }
        }
        let module = Module::compile(&self.device, &request(&file, &program, &options(key.contracts)), String::new())?;
        let MapProgram { name, each, threads, .. } = program;
        let name = std::ffi::CString::new(name).unwrap_or_default();
        let function = module.function(&name)?;
        let resident = match key.reduction {
            Some(_) => module.resident_blocks(function, threads, 0)?.max(1) * self.device.multiprocessors() as usize,
            None => 1,
        };
        let names = || Names { functions: translation.functions.clone(), ..Names::default() };
        let record = translation.may_fail.then(|| Slot::new(&self.device, names())).transpose()?;
        if let Some(record) = &record {
            record.tell(&module)?;
        }
        let loaded = Arc::new(Loaded { function, form, each, threads, resident, _module: module, record });
        let mut kernels = translated.kernels.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been first. Its kernel is the same.
        kernels.push((key, loaded.clone()));
        Ok(loaded)
    }
}

impl Translated {
    fn kernels(&self) -> std::sync::RwLockReadGuard<'_, Vec<(Key, Arc<Loaded>)>> {
        self.kernels.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: Key) -> Option<Arc<Loaded>> {
        self.kernels().iter().find(|(known, _)| *known == key).map(|(_, kernel)| kernel.clone())
    }
}

/// The program of a key.
fn program_of(translation: &Translation, key: Key) -> MapProgram {
    let Key { form, tiles, scalars, reduction, .. } = key;
    MapKernel { translation, form, scalars, reduction, tiles }.program()
}

/// A program as the compiler takes it.
fn request<'a>(name: &'a str, program: &'a MapProgram, options: &'a [String]) -> Request<'a> {
    Request { name, source: &program.source, options, functions: None }
}

/// Whether a translated parameter is what the host has registered.
fn is_same((translated, parameter): (&TranslatedParameter, &FunctionParameter)) -> bool {
    match (translated, parameter) {
        (TranslatedParameter::Scalar(scalar), FunctionParameter::Element(dtype)) => element_of(*scalar) == Some(*dtype),
        (TranslatedParameter::Struct { item, .. }, FunctionParameter::Struct(of)) => {
            matches!((of.kind)(), Type::Struct(name) if name == *item)
        }
        _ => false,
    }
}

/// The translation of a function and of all that it calls.
fn translate(function: &Function, items: &registry::Items) -> Result<Translation> {
    let captures: Vec<Scalar> = function.captures.scalars().iter().map(|captured| captured.scalar).collect();
    let translation = warpcell_translate::translate(function.name, function.text.role, &captures, items)
        .map_err(|error| Error::argument("map", error.to_string()))?;
    let dtypes = |scalars: &[Scalar]| scalars.iter().map(|&scalar| element_of(scalar)).collect::<Option<Vec<DType>>>();
    let own = translation.parameters.len().saturating_sub(captures.len());
    let agrees = own == function.parameters.len()
        && translation.parameters.iter().zip(function.parameters).all(is_same)
        && dtypes(&translation.results).is_some_and(|dtypes| dtypes == function.results);
    if agrees {
        return Ok(translation);
    }
    let reason = format!(
        "`{}` takes {:?} and returns {:?} on the host, but {:?} and {:?} on CUDA devices; run the cell that defines it \
         again",
        function.name, function.parameters, function.results, translation.parameters, translation.results
    );
    Err(Error::argument("map", reason))
}

/// The CUDA C with which a function runs over contiguous arrays.
pub fn source(function: &Function, reduction: Option<ReduceOperation>) -> Result<String> {
    let translation = translate(function, &registry::items(function))?;
    // Structs, and the values that a formula has captured.
    let is_value = |number: &usize| !matches!(function.parameters.get(*number), Some(FunctionParameter::Element(_)));
    let scalars = (0..translation.parameters.len()).filter(is_value).fold(0, |bits, number| bits | 1 << number);
    Ok(MapKernel { translation: &translation, form: Form::Packed, scalars, reduction, tiles: Tiles::default() }
        .program()
        .source)
}

/// The PTX of [`source`] for the device of this number, or without one for common devices.
pub fn ptx(function: &Function, reduction: Option<ReduceOperation>, ordinal: Option<usize>) -> Result<String> {
    let target = ordinal.map(context::target_of).transpose()?;
    let source = source(function, reduction)?;
    compile::ptx(target, "map.cu", &source, &options(contracts()))
}
