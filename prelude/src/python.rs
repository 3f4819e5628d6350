//! Functions in Rust for Python: what a library calls that `warpcell function` has compiled, and that Python has loaded into its own process.
//!
//! Python describes the arguments by [`Value`]s: numbers, and arrays as the tensors of DLPack, which stay Python's for the length of the
//! call. `arguments.rs` makes arrays of them without copying, `parameters.rs` has the types that functions take and return, `failures.rs`
//! what goes wrong. The other side is `kernel/python/warpcell/calls.py`, the text between the two is written by
//! `kernel/src/functions/source.rs`.
//!
//! Nothing here is for users' code.

mod arguments;
mod failures;
mod parameters;
mod results;
#[cfg(test)]
mod tests;

pub use arguments::{Slot, Value};
pub use parameters::{Axes, Parameter, ParameterKind, Use};
pub use results::{Outcome, Returned};

use crate::array::RawArray;
use crate::backend::cuda::driver::interop::KeptContext;
use crate::device::{self, Device, Handle, Scope};
use crate::error::{Error, Result as ArrayResult};
use crate::launch::{self, LaunchArgument};
use crate::operations::elementwise::RawOperand;
use crate::operations::map;
use crate::registry;
use crate::stream::Stream;
use arguments::Arguments;
use failures::{Failure, InCall};
use results::Item;
#[cfg(test)]
use std::ffi::CStr;
use std::ffi::{CString, c_char};
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The bit of a call's flags for results as tensors of DLPack 1.x, which some libraries do not know.
const VERSIONED: u32 = 1;
/// By how many bits the number of the caller's library stands higher.
const LIBRARY: u32 = 8;

/// A function that was compiled for Python.
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// The names of its parameters.
    pub names: &'static [&'static str],
    /// What it does.
    pub body: Body,
}

/// What a function does.
pub enum Body {
    /// It has `#[vectorize]` before it and runs over arrays; gives the name of its type.
    Vectorize(fn() -> &'static str),
    /// It has `#[kernel]` before it, and is launched; gives the name of its type.
    Kernel(fn() -> &'static str),
    /// An ordinary function.
    Plain {
        /// What it takes.
        parameters: &'static [ParameterKind],
        /// How many values it returns.
        results: usize,
        /// Calls it.
        call: fn(&mut [Slot]) -> Outcome,
    },
}

impl Function {
    /// What it takes, and how many values it returns.
    fn signature(&self) -> (Vec<ParameterKind>, usize) {
        match &self.body {
            Body::Vectorize(name) => {
                let function = registry::find(name()).expect("the loader has registered it");
                let kinds = function.parameters.iter().map(|parameter| match parameter {
                    registry::FunctionParameter::Element(dtype) => ParameterKind::Element(*dtype),
                    registry::FunctionParameter::Struct(_) => ParameterKind::Struct,
                });
                (kinds.collect(), function.results.len())
            }
            Body::Kernel(name) => {
                let kernel = registry::find_kernel(name()).expect("the loader has registered it");
                let kinds = kernel.threads.parameters.iter().map(|parameter| match parameter {
                    registry::Parameter::View(_, dtype) => ParameterKind::of_array(*dtype, Use::Read),
                    registry::Parameter::ViewMut(_, dtype) => ParameterKind::of_array(*dtype, Use::Write),
                    registry::Parameter::Scalar(_, of) => ParameterKind::Number(*of),
                    registry::Parameter::Struct(..) => ParameterKind::Struct,
                });
                (kinds.collect(), 0)
            }
            Body::Plain { parameters, results, .. } => (parameters.to_vec(), *results),
        }
    }
}

/// The description of a function for Python, as JSON; the same at each call. Python asks once, and it stays.
pub fn describe(function: &'static Function) -> *const c_char {
    let (kinds, results) = function.signature();
    let kind = match function.body {
        Body::Vectorize(_) => "vectorize",
        Body::Kernel(_) => "kernel",
        Body::Plain { .. } => "function",
    };
    let parameters: Vec<serde_json::Value> = function
        .names
        .iter()
        .zip(&kinds)
        .map(|(name, kind)| serde_json::json!({"name": name, "type": kind.to_string()}))
        .collect();
    let text = serde_json::json!({"kind": kind, "parameters": parameters, "results": results}).to_string();
    CString::new(text).unwrap_or_default().into_raw()
}

/// Calls a function. `values` has the arguments, and behind them room for the results, one value at least. `stream` is the caller's on a
/// CUDA device, as the driver has it. `launch` has seven numbers for a kernel: whether the grid was given, then the grid and the block, or
/// the number of threads along each axis.
///
/// Gives 0, or what went wrong: the number of the kind of failure. Then the word of the first value has the message, for
/// `warpcell_python_free`, and its real part the line in Rust, if it is known.
///
/// # Safety
///
/// The values are as described. Tensors are what DLPack says, belong to the caller during the call, and nothing else writes to their
/// elements meanwhile, nor reads those that the function writes to. Those that are marked as retained afterwards belong to the function.
/// `stream` is a stream of the tensors' device, which is never destroyed.
pub unsafe fn call(
    function: &'static Function,
    values: *mut Value,
    stream: u64,
    flags: u32,
    launch: *const [i64; 7],
) -> i32 {
    // SAFETY: the caller's promise.
    let called = catch_unwind(AssertUnwindSafe(|| unsafe { call_or_unwind(function, values, stream, flags, launch) }));
    called.unwrap_or_else(|payload| Failure::of_panic(payload).tell(values))
}

/// The same, but a panic that is not the function's unwinds.
///
/// # Safety
///
/// What [`call`] asks for.
unsafe fn call_or_unwind(
    function: &'static Function,
    values: *mut Value,
    stream: u64,
    flags: u32,
    launch: *const [i64; 7],
) -> i32 {
    let _in_call = InCall::begin();
    let (kinds, results) = function.signature();
    // SAFETY: the caller's promise.
    let (given, room) = unsafe {
        let all = std::slice::from_raw_parts_mut(values, (kinds.len() + results).max(1));
        all.split_at_mut(kinds.len())
    };
    // SAFETY: the caller's promise.
    let launch = unsafe { launch.as_ref() };
    let called = Called { function, kinds: &kinds, library: flags >> LIBRARY, versioned: flags & VERSIONED != 0 };
    // SAFETY: the caller's promise.
    let mut arguments = match unsafe { Arguments::of(&called, given) } {
        Ok(arguments) => arguments,
        Err(failure) => return failure.tell(values),
    };
    let result = catch_unwind(AssertUnwindSafe(|| -> Result<(), Failure> {
        // SAFETY: the caller's promise.
        let place = unsafe { Place::of(&arguments, stream) }?;
        place.with(|| {
            // SAFETY: the caller's promise; this thread is in the caller's stream.
            unsafe { arguments.adopt(&called) }?;
            // SAFETY: the caller's promise.
            let items = unsafe { called.run(&mut arguments, launch) }?;
            items.into_iter().zip(room.iter_mut()).try_for_each(|(item, value)| {
                *value = item.into_value(called.versioned)?;
                Ok(())
            })
        })
    }));
    arguments.end(given);
    if !matches!(result, Ok(Ok(()))) {
        // Python takes none of the results.
        room.iter().for_each(|value| value.release());
    }
    match result {
        Ok(Ok(())) => 0,
        Ok(Err(failure)) => failure.tell(values),
        Err(payload) => Failure::of_panic(payload).tell(values),
    }
}

/// A call of a function.
struct Called<'a> {
    function: &'static Function,
    kinds: &'a [ParameterKind],
    /// The number of the library whose arrays came, for advice.
    library: u32,
    versioned: bool,
}

impl Called<'_> {
    /// Calls it.
    ///
    /// # Safety
    ///
    /// What [`call`] asks for.
    unsafe fn run(&self, arguments: &mut Arguments, launch: Option<&[i64; 7]>) -> Result<Vec<Item>, Failure> {
        match &self.function.body {
            Body::Plain { call, .. } => {
                arguments.are_apart(self)?;
                call(&mut arguments.slots).map_err(|text| Failure::new(failures::Kind::Error, text))
            }
            Body::Vectorize(name) => {
                let operands: Vec<RawOperand<'_>> = arguments.slots.iter().map(Slot::operand).collect();
                let results = map::registered_all(self.function.name, name(), &operands)?;
                let is_of_numbers = operands.iter().all(|operand| matches!(operand, RawOperand::Scalar(_)));
                let item = |array: RawArray| if is_of_numbers { Item::read(&array) } else { Ok(Item::Array(array)) };
                Ok(results.into_iter().map(item).collect::<ArrayResult<_>>()?)
            }
            Body::Kernel(name) => {
                let launch = launch.ok_or_else(|| {
                    Failure::new(failures::Kind::Type, format!("{} is a kernel; launch it", self.function.name))
                })?;
                let given: Vec<LaunchArgument<'_>> =
                    arguments.slots.iter().zip(self.kinds).map(|(slot, kind)| slot.launched(kind)).collect();
                launch::from_python(name(), launch, &given)?;
                Ok(Vec::new())
            }
        }
    }
}

/// Where a call runs: the device of its arrays, and the caller's stream there.
enum Place {
    Host(Handle),
    Stream(Stream, KeptContext),
}

/// Names that functions for Python may use beside those of [`prelude`](crate::prelude).
pub mod names {
    pub use ndarray::{
        Array0, Array3, Array4, ArrayView, ArrayView0, ArrayView1, ArrayView2, ArrayView3, ArrayView4, ArrayViewD,
        ArrayViewMut, ArrayViewMut0, ArrayViewMut1, ArrayViewMut2, ArrayViewMut3, ArrayViewMut4, ArrayViewMutD,
    };
}

impl Place {
    /// # Safety
    ///
    /// `stream` is a stream of the arguments' device, which is never destroyed.
    unsafe fn of(arguments: &Arguments, stream: u64) -> Result<Place, Failure> {
        Ok(match arguments.device() {
            Some(handle) if handle.device != Device::Cpu => {
                let kept = KeptContext::begin()?;
                // SAFETY: the caller's promise.
                Place::Stream(unsafe { Stream::of_handle(handle, stream as usize) }?, kept)
            }
            _ => Place::Host(device::host()),
        })
    }

    fn with<R>(self, work: impl FnOnce() -> R) -> R {
        match self {
            Place::Host(handle) => {
                let _scope = Scope::begin(handle);
                work()
            }
            Place::Stream(stream, _kept) => stream.with(work),
        }
    }
}

/// Frees the message of a call that has failed.
///
/// # Safety
///
/// `text` is such a message, and is used no more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpcell_python_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: the message was made by `CString::into_raw`.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// Drops a result that nobody has taken over.
///
/// # Safety
///
/// `tensor` is the tensor of a result, of DLPack 1.x if the call asked for that, and is used no more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn warpcell_python_release(tensor: *mut std::ffi::c_void, versioned: bool) {
    // SAFETY: the caller's promise.
    unsafe { results::release(tensor, versioned) };
}

/// Waits for the work of all devices that were used, and gives the first error of it, for [`warpcell_python_free`]; null if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn warpcell_python_synchronize() -> *mut c_char {
    match catch_unwind(device::synchronize_all) {
        Ok(Ok(())) => std::ptr::null_mut(),
        Ok(Err(error)) => text_of(&error.to_string()),
        Err(payload) => text_of(&Failure::of_panic(payload).text),
    }
}

/// A text for the other side.
fn text_of(text: &str) -> *mut c_char {
    CString::new(text.replace('\0', "\\0")).unwrap_or_default().into_raw()
}

/// Takes a text of [`text_of`]; for tests.
#[cfg(test)]
unsafe fn taken(text: *mut c_char) -> String {
    // SAFETY: the caller's promise.
    let taken = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: as above.
    unsafe { warpcell_python_free(text) };
    taken
}

/// Names in a list: `x, y and z`.
fn listed(names: &[&str]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let before = match index {
            0 => "",
            _ if index + 1 == names.len() => " and ",
            _ => ", ",
        };
        let _ = write!(text, "{before}{name}");
    }
    text
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::of_error(&error)
    }
}
