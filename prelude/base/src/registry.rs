//! What cells have registered by `#[vectorize]`, `#[device]` and `#[kernel]`: found by its name, with its text for CUDA devices and
//! what runs it on the CPU, over blocks of elements or as threads. What the macros emit calls this; nothing here is for users'
//! code.
//!
//! An item is registered by code that the loader runs when it loads a cell. A later definition of the same name wins.
//! Under a kernel, each registration adds a line to a file of the session, so that the build step knows what need not
//! be compiled again (see `kernel/OUTPUT_CONTRACT.md`).

pub use crate::dtype::DType;
use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use warpcell_translate::Item;
pub use warpcell_translate::{Role, Scalar as ScalarType, Type, Value};

mod blocks;
mod captures;
mod constant;
mod scalars;
mod threads;

pub use blocks::{Block, BlockFunction, FunctionParameter, Inputs, Outputs};
pub use captures::{Capture, Captured, Captures, Formula};
pub use constant::{Constant, field, structure, structure_type, text_of};
pub use scalars::{element_of, scalar_of, values_of};
pub use threads::{
    Arguments, DeviceStruct, Given, Kernel, Parameter, ScalarArgument, StructParameter, ThreadFunction, Threads,
    ViewArgument, copied,
};
pub use warpcell_macros::{formula, wrong_call, wrong_word};
pub use warpcell_threads::steps;

/// What the macros know of an item when it is compiled.
pub struct Text {
    /// What it is for; of a struct, `Device`.
    pub role: Role,
    /// The item without its attributes; a formula as a function.
    pub source: &'static str,
    /// A formula as it is written; empty for others.
    pub written: &'static str,
    /// The line of the source's beginning in the user's file or cell.
    pub line: usize,
    /// Tells what the item refers to: as a function, since names of types are not known to the compiler's constants.
    pub references: fn(&mut References),
}

/// What runs a registered function over blocks.
pub struct Blocks {
    /// The types of its parameters.
    pub parameters: &'static [FunctionParameter],
    /// The types of its results: one for a scalar, several for a tuple.
    pub results: &'static [DType],
    /// The loop over a block.
    pub run: BlockFunction,
    /// What computes one element with a call before each statement, where elements may be traced: a kernel whose parameters are a view
    /// for each argument (a struct for a struct), one for each result, and for each view the number of its element.
    pub recorded: Option<&'static Threads>,
}

/// What an item refers to outside of itself: each path as it is written, without blanks, and what it stands for.
pub struct References {
    item: Item,
}

impl References {
    /// A function that it calls, and the name by which that is registered.
    pub fn function(&mut self, path: &str, name: &str) {
        self.item.functions.push((path.to_owned(), name.to_owned()));
    }

    /// A struct that it names, likewise.
    pub fn structure(&mut self, path: &str, name: &str) {
        self.item.structs.push((path.to_owned(), name.to_owned()));
    }

    /// A constant that it uses, and its value.
    pub fn constant(&mut self, path: &str, value: &dyn Constant) {
        self.item.constants.push((path.to_owned(), value.value()));
    }
}

/// A function that runs over arrays: a registered one, or a formula of `fuse!`.
#[derive(Clone, Copy)]
pub struct Function {
    /// What `std::any::type_name` says of the function, its path; of a formula [`FORMULA`].
    pub name: &'static str,
    /// Of the arguments that a caller gives.
    pub parameters: &'static [FunctionParameter],
    /// One for a scalar result, several for a tuple.
    pub results: &'static [DType],
    /// The loop over a block.
    pub block: BlockFunction,
    /// See [`Blocks::recorded`].
    pub recorded: Option<&'static Threads>,
    /// Its address identifies the definition: code that was loaded stays.
    pub text: &'static Text,
    /// What a formula has captured, its last parameters for the translator.
    pub captures: Captures,
    /// What it calls is as it was after so many registrations: a formula's closure is not changed by later cells.
    pub as_of: u64,
}

impl Function {
    /// Tells definitions apart.
    pub fn identity(&self) -> (usize, u64) {
        (std::ptr::from_ref(self.text).addr(), self.as_of)
    }
}

/// The name of formulas, which no function has: those are paths.
pub const FORMULA: &str = "formula";

/// A registered item.
struct Entry {
    name: &'static str,
    text: &'static Text,
    /// When it was registered: the number of the registration, from 1; 0 for a formula.
    serial: u64,
    item: OnceLock<Item>,
}

impl Entry {
    fn new(name: &'static str, text: &'static Text, serial: u64) -> Arc<Entry> {
        Arc::new(Entry { name, text, serial, item: OnceLock::new() })
    }

    fn item(&self) -> &Item {
        self.item.get_or_init(|| {
            let (name, source) = (self.name.to_owned(), self.text.source.to_owned());
            let mut references = References { item: Item { name, source, line: self.text.line, ..Item::default() } };
            (self.text.references)(&mut references);
            references.item
        })
    }
}

/// A function and all that it leads to, as registered at one moment.
pub struct Items {
    found: HashMap<&'static str, Arc<Entry>>,
    /// Greater than before if the function, or anything that it leads to, was registered again.
    pub stamp: u64,
    /// What [`generation`] was.
    pub generation: u64,
}

impl Items {
    /// The texts of all of them, with their names.
    pub fn texts(&self) -> impl Iterator<Item = (&'static str, &'static Text)> {
        self.found.values().map(|entry| (entry.name, entry.text))
    }
}

impl warpcell_translate::Items for Items {
    fn item(&self, name: &str) -> Option<&Item> {
        self.found.get(name).map(|entry| entry.item())
    }
}

#[derive(Default)]
struct Registry {
    /// All that had a name, the newest last.
    items: HashMap<&'static str, Vec<Arc<Entry>>>,
    functions: HashMap<&'static str, Arc<Function>>,
    kernels: HashMap<&'static str, Kernel>,
    /// Where the kernel's build step reads what is registered.
    listing: Option<File>,
}

/// The number of registrations so far.
static GENERATION: AtomicU64 = AtomicU64::new(0);

fn registry() -> MutexGuard<'static, Registry> {
    static REGISTRY: OnceLock<Mutex<Registry>> = OnceLock::new();
    REGISTRY.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Registers a function or a struct; called when the library that has it is loaded. `hash` is what the build step will
/// recognise it by, empty without one. What runs over arrays has `blocks`.
pub fn register(name: &'static str, hash: &str, text: &'static Text, blocks: Option<&'static Blocks>) {
    let mut registry = registry();
    registry.add(name, hash, text);
    if let Some(&Blocks { parameters, results, run, recorded }) = blocks {
        let function = Function {
            name,
            parameters,
            results,
            block: run,
            recorded,
            text,
            captures: Captures::none(),
            as_of: u64::MAX,
        };
        registry.functions.insert(name, Arc::new(function));
    }
}

/// The same for a kernel.
pub fn register_kernel(name: &'static str, hash: &str, text: &'static Text, threads: &'static Threads) {
    let mut registry = registry();
    registry.add(name, hash, text);
    registry.kernels.insert(name, Kernel { name, text, threads });
}

impl Registry {
    fn add(&mut self, name: &'static str, hash: &str, text: &'static Text) {
        let serial = GENERATION.fetch_add(1, Ordering::AcqRel) + 1;
        self.items.entry(name).or_default().push(Entry::new(name, text, serial));
        // What was a function over arrays or a kernel before need not be one now.
        self.functions.remove(name);
        self.kernels.remove(name);
        self.list(name, hash, text.line);
    }

    fn list(&mut self, name: &str, hash: &str, line: usize) {
        let Some(listing) = &mut self.listing else { return };
        // One write for the line. If it fails, the item is compiled once more in the next cell.
        let _ = listing.write_all(format!("{name} {hash} {line}\n").as_bytes());
    }
}

/// Begins the listing of what is registered from now on, in place of that of an earlier process.
pub fn list_in(path: &Path) {
    // The old file is not emptied but replaced: an earlier process may still be about to end.
    let _ = std::fs::remove_file(path);
    registry().listing = File::options().create_new(true).append(true).open(path).ok();
}

/// Whether the processor has AVX2 and FMA, for which loops over blocks are compiled too.
pub fn has_wide_vectors() -> bool {
    #[cfg(target_arch = "x86_64")]
    let has = std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    let has = false;
    has
}

/// The function over arrays of this name, the newest.
pub fn find(name: &str) -> Option<Arc<Function>> {
    registry().functions.get(name).cloned()
}

/// All functions over arrays.
pub fn functions() -> Vec<Arc<Function>> {
    registry().functions.values().cloned().collect()
}

/// The kernel of this name, the newest.
pub fn find_kernel(name: &str) -> Option<Kernel> {
    registry().kernels.get(name).copied()
}

/// All kernels.
pub fn kernels() -> Vec<Kernel> {
    registry().kernels.values().copied().collect()
}

/// Whether an item of this name is registered.
pub fn has_item(name: &str) -> bool {
    registry().items.contains_key(name)
}

/// A number that changes with each registration. While it stays, what [`items`] gives stays.
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

/// The function and all that it leads to, as it is registered now (or was, for a formula). What a function calls that is not
/// registered is not there.
pub fn items(function: &Function) -> Items {
    found(function.name, function.text, function.as_of)
}

/// The same for a kernel.
pub fn items_of_kernel(kernel: &Kernel) -> Items {
    found(kernel.name, kernel.text, u64::MAX)
}

fn found(name: &'static str, text: &'static Text, as_of: u64) -> Items {
    let registry = registry();
    let newest = |name: &str| -> Option<&Arc<Entry>> {
        registry.items.get(name)?.iter().rev().find(|entry| entry.serial <= as_of)
    };
    let itself = newest(name).filter(|entry| std::ptr::eq(entry.text, text)).cloned();
    let mut items = Items { found: HashMap::new(), stamp: 0, generation: generation() };
    let mut waiting = vec![itself.unwrap_or_else(|| Entry::new(name, text, 0))];
    while let Some(entry) = waiting.pop() {
        if items.found.contains_key(entry.name) {
            continue;
        }
        items.stamp = items.stamp.max(entry.serial);
        let item = entry.item();
        waiting.extend(item.functions.iter().chain(&item.structs).filter_map(|(_, name)| newest(name)).cloned());
        let mut structs = Vec::new();
        item.constants.iter().for_each(|(_, value)| structs_of(value, &mut structs));
        waiting.extend(structs.into_iter().filter_map(newest).cloned());
        items.found.insert(entry.name, entry);
    }
    items
}

/// The names of the structs that a constant is made of, which a function need not name.
fn structs_of<'a>(value: &'a Value, names: &mut Vec<&'a str>) {
    match value {
        Value::Scalar(..) => {}
        Value::Tuple(parts) | Value::Array(_, parts) => parts.iter().for_each(|part| structs_of(part, names)),
        Value::Struct(name, fields) => {
            names.push(name);
            fields.iter().for_each(|(_, field)| structs_of(field, names));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpcell_translate::Items as _;

    static INNER: Text = text("fn inner() {}", |_| ());
    static OUTER: Text = text("fn outer() { inner(); gone(); }", |found| {
        found.function("inner", "registry_tests::inner");
        found.function("gone", "registry_tests::gone");
        found.structure("Point", "registry_tests::Point");
        found.constant("LIMIT", &[1.5f32, 2.0]);
    });
    static POINT: Text = text("struct Point;", |found| found.structure("Point", "registry_tests::Point"));
    static FORMULA_TEXT: Text = text("fn formula() {}", |found| found.function("inner", "registry_tests::inner"));

    const fn text(source: &'static str, references: fn(&mut References)) -> Text {
        Text { role: Role::Device, source, written: "", line: 1, references }
    }

    fn function(name: &'static str, text: &'static Text, as_of: u64) -> Function {
        let captures = Captures::none();
        Function { name, parameters: &[], results: &[], block: |_, _| (), recorded: None, text, captures, as_of }
    }

    #[test]
    fn items_are_what_a_function_leads_to() {
        let blocks: &'static Blocks = &Blocks {
            parameters: &[FunctionParameter::Element(DType::F32)],
            results: &[DType::Bool],
            run: |_, _| (),
            recorded: None,
        };
        register("registry_tests::outer", "", &OUTER, Some(blocks));
        register("registry_tests::inner", "", &INNER, None);
        register("registry_tests::Point", "", &POINT, None);
        let outer = find("registry_tests::outer").unwrap();
        assert!(matches!(outer.parameters, [FunctionParameter::Element(DType::F32)]));
        assert_eq!(outer.results, [DType::Bool]);
        assert!(find("registry_tests::inner").is_none() && has_item("registry_tests::inner"));

        let before = items(&outer);
        assert_eq!(before.found.len(), 3);
        let item = before.item("registry_tests::outer").unwrap();
        assert_eq!(item.functions[1], ("gone".to_owned(), "registry_tests::gone".to_owned()));
        let Value::Array(_, elements) = &item.constants[0].1 else { panic!("{:?}", item.constants) };
        assert_eq!(elements.len(), 2);
        assert!(before.item("registry_tests::gone").is_none());

        // Anything that is registered again makes another stamp, but only for what leads there.
        let formula = function(FORMULA, &FORMULA_TEXT, generation());
        let of_formula = items(&formula).stamp;
        register("registry_tests::Point", "", &POINT, None);
        let after = items(&outer);
        assert!(after.stamp > before.stamp && after.generation > before.generation);
        assert_eq!(items(&formula).stamp, of_formula);
        register("registry_tests::gone", "", &INNER, None);
        assert!(items(&outer).stamp > after.stamp);

        // A formula keeps what it was made with.
        static LATER: Text = text("fn inner() { later(); }", |_| ());
        register("registry_tests::inner", "", &LATER, None);
        assert_eq!(items(&formula).item("registry_tests::inner").unwrap().source, INNER.source);
        assert_eq!(items(&outer).item("registry_tests::inner").unwrap().source, LATER.source);
        assert_eq!(items(&formula).item(FORMULA).unwrap().source, "fn formula() {}");
        let newer = function(FORMULA, &FORMULA_TEXT, generation());
        assert_eq!(items(&newer).item("registry_tests::inner").unwrap().source, LATER.source);
        assert_ne!(newer.identity(), formula.identity());
    }

    #[test]
    fn what_is_no_function_over_arrays_any_more_is_not_found() {
        let blocks: &'static Blocks = &Blocks { parameters: &[], results: &[], run: |_, _| (), recorded: None };
        register("registry_tests::once", "", &INNER, Some(blocks));
        assert!(find("registry_tests::once").is_some());
        register("registry_tests::once", "", &INNER, None);
        assert!(find("registry_tests::once").is_none());
    }
}
