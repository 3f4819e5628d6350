//! The crate's [`Error`]: what was wrong, with the values, and what to do instead.

use crate::dtype::DType;
use std::cell::Cell;
use std::fmt;
use std::panic::Location;

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

/// What can go wrong. `Display` names the operation and the values, and ends with what to do.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// Two shapes that do not broadcast.
    ShapeMismatch {
        /// The operation that was asked for.
        operation: &'static str,
        /// Shape of the left operand.
        left: Vec<usize>,
        /// Shape of the right operand.
        right: Vec<usize>,
    },
    /// An axis of one array and an axis of another array that must have the same length, but do not.
    AxisMismatch {
        /// The operation that was asked for.
        operation: &'static str,
        /// Shape of the left operand.
        left: Vec<usize>,
        /// Shape of the right operand.
        right: Vec<usize>,
        /// The axis of the left operand and the axis of the right operand.
        axes: (usize, usize),
        /// Why the lengths must agree and what to do.
        advice: &'static str,
    },
    /// A shape, axis, slice or size that the operation cannot take.
    InvalidShape {
        /// The operation that was asked for.
        operation: &'static str,
        /// The shape that was given.
        shape: Vec<usize>,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// An argument other than a shape that is out of its range.
    InvalidArgument {
        /// The operation that was asked for.
        operation: &'static str,
        /// What is wrong, with the value, and what to do.
        reason: String,
    },
    /// An index that an axis, or an array, does not have.
    IndexOutOfRange {
        /// The operation that was asked for.
        operation: &'static str,
        /// The first index that is out of range.
        index: i128,
        /// The axis that is indexed; none if the array is indexed as if it had one axis.
        axis: Option<usize>,
        /// The length of the axis, or the number of elements.
        length: usize,
    },
    /// An element type that the operation does not support.
    UnsupportedDType {
        /// The operation that was asked for.
        operation: &'static str,
        /// The element type that was given.
        dtype: DType,
        /// What to do instead.
        advice: &'static str,
    },
    /// Two arrays on different devices.
    DeviceMismatch {
        /// The operation that was asked for.
        operation: &'static str,
        /// Device of the left operand.
        left: String,
        /// Device of the right operand.
        right: String,
    },
    /// There is not enough memory.
    OutOfMemory {
        /// The device that was asked.
        device: String,
        /// Bytes that were asked for.
        requested: usize,
        /// Bytes free on the device.
        free: usize,
        /// Bytes that the pool holds, in use or not.
        pooled: usize,
        /// The most bytes that the pool may hold, if it has a limit.
        limit: Option<usize>,
    },
    /// A device that is not there or cannot be used.
    DeviceUnavailable {
        /// The device that was asked for.
        device: String,
        /// Why it cannot be used and what to do.
        reason: String,
    },
    /// A library that is not there.
    LibraryMissing {
        /// The library's name, such as `libnvrtc.so`.
        library: String,
        /// What needs it and how to get it.
        reason: String,
    },
    /// A status other than success from a CUDA library.
    Cuda {
        /// The operation during which it was returned.
        operation: String,
        /// The library's name of the status and its description.
        status: String,
    },
    /// A fault on the device after which CUDA refuses all work of the process, also in a new context: the arrays there are gone.
    /// Values of the host are kept, and arrays can be made on the CPU (`set_device`).
    ContextLost {
        /// The operation during which it was noticed; the fault may be of an earlier one.
        operation: String,
        /// The driver's name of the status and its description.
        status: String,
    },
    /// There is nobody who could answer a question.
    NoInput {
        /// Why, and what to do instead.
        reason: String,
    },
    /// A file that cannot be read or written, or that has the wrong contents.
    File {
        /// The operation that was asked for.
        operation: &'static str,
        /// The file.
        path: String,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// A file whose elements are of another type than the one that was asked for.
    FileDType {
        /// The operation that was asked for.
        operation: &'static str,
        /// The file, and the array's name in it if it holds several.
        path: String,
        /// The type of the file's elements.
        found: DType,
        /// The type that was asked for.
        wanted: DType,
    },
    /// CUDA C that does not compile.
    KernelCompilation {
        /// The kernel's name.
        kernel: String,
        /// The compiler's log.
        log: String,
    },
    /// A function of the user failed at an element on a CUDA device, or a thread of a kernel failed. The elements of the arrays
    /// that it computes are undefined. All other arrays are unchanged.
    FunctionFailed {
        /// The function's name.
        function: String,
        /// The line in the file or cell where it failed.
        line: usize,
        /// The device.
        device: String,
        /// What happened, with the values, and what to do.
        reason: String,
    },
    /// The user has interrupted the cell.
    Interrupted,
    /// An operation that cannot be part of a graph, called while a graph was captured.
    NotCapturable {
        /// The operation that was asked for.
        operation: &'static str,
        /// Why it cannot be part of a graph, and what to do.
        reason: &'static str,
    },
    /// A matrix that has no inverse.
    SingularMatrix {
        /// The operation that was asked for.
        operation: &'static str,
        /// The number of the matrix in its stack, in row-major order; none if it is the only one.
        matrix: Option<usize>,
        /// The number of the pivot that is 0, from 1.
        pivot: usize,
    },
    /// A matrix that is not positive definite.
    NotPositiveDefinite {
        /// The operation that was asked for.
        operation: &'static str,
        /// The number of the matrix in its stack, in row-major order; none if it is the only one.
        matrix: Option<usize>,
        /// The order of the first leading minor that is not positive.
        minor: usize,
    },
    /// Elements that are NaN or infinite where no result could be found for them.
    NotFinite {
        /// The operation that was asked for.
        operation: &'static str,
    },
    /// What the device found while it computed, after the call that asked for it had returned. What was computed from the result of
    /// that call since then cannot be used ([`Error::InvalidResult`]); all other arrays are as they should be.
    FoundLater {
        /// What the call would have reported, had it waited. Of several indices that are out of range it has one.
        error: Box<Error>,
        /// Where the call is.
        location: &'static Location<'static>,
    },
    /// An array that was computed from the result of a call that failed.
    InvalidResult {
        /// Why the call failed.
        cause: Box<Error>,
    },
    /// A rank of a communicator that was killed, has panicked, was interrupted or has ended, or does not come to a call.
    RankFailed {
        /// The operation during which it was noticed.
        operation: &'static str,
        /// The rank, as its launcher counts.
        rank: usize,
        /// What it did, and what to do.
        reason: String,
    },
    /// Two ranks of a communicator that do not make the same calls.
    RanksDisagree {
        /// The operation that was asked for on this rank.
        operation: &'static str,
        /// The ranks, as their launcher counts.
        ranks: (usize, usize),
        /// What they call.
        calls: Box<(String, String)>,
    },
    /// An iteration that did not converge.
    NoConvergence {
        /// The operation that was asked for.
        operation: &'static str,
        /// The number of the matrix in its stack, in row-major order; none if it is the only one.
        matrix: Option<usize>,
    },
}

/// The errors of arguments, which most functions have.
#[doc(hidden)]
impl Error {
    /// [`Error::InvalidArgument`]: what is wrong, with the value, and what to do.
    #[cold]
    pub fn argument(operation: &'static str, reason: impl Into<String>) -> Error {
        Error::InvalidArgument { operation, reason: reason.into() }
    }

    /// [`Error::InvalidShape`]: the text goes on after "the shape […]".
    #[cold]
    pub fn shape(operation: &'static str, shape: impl Into<Vec<usize>>, reason: impl Into<String>) -> Error {
        Error::InvalidShape { operation, shape: shape.into(), reason: reason.into() }
    }

    /// [`Error::UnsupportedDType`]: what to do in place of an operation on arrays of this type.
    #[cold]
    pub fn dtype(operation: &'static str, dtype: DType, advice: &'static str) -> Error {
        Error::UnsupportedDType { operation, dtype, advice }
    }
}

/// Which matrix of a stack is meant.
fn matrix_name(matrix: Option<usize>) -> String {
    matrix.map_or_else(|| "the matrix".into(), |number| format!("matrix {number} of the stack (counted from 0)"))
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::ShapeMismatch { operation, left, right } => write!(
                f,
                "{operation}: the shapes {left:?} and {right:?} do not broadcast; make each pair of trailing lengths \
                 equal, or one of them 1 (see `reshape`)"
            ),
            Error::AxisMismatch { operation, left, right, axes, advice } => write!(
                f,
                "{operation}: axis {} of the shape {left:?} has length {}, but axis {} of the shape {right:?} has \
                 length {}; {advice}",
                axes.0, left[axes.0], axes.1, right[axes.1]
            ),
            Error::InvalidShape { operation, shape, reason } => {
                write!(f, "{operation}: the shape {shape:?} {reason}")
            }
            Error::InvalidArgument { operation, reason } => write!(f, "{operation}: {reason}"),
            Error::IndexOutOfRange { operation, index, axis, length } => {
                write!(f, "{operation}: the index {index} is out of range for ")?;
                match (axis, length) {
                    (Some(axis), 0) => return write!(f, "axis {axis}, which has no elements"),
                    (Some(axis), _) => write!(f, "axis {axis} of length {length}")?,
                    (None, 0) => return f.write_str("an array that has no elements"),
                    (None, _) => write!(f, "an array of {length} elements")?,
                }
                write!(f, "; indices go from -{length} to {}", length - 1)
            }
            Error::UnsupportedDType { operation, dtype, advice } => {
                write!(f, "{operation}: arrays of {dtype} are not supported; {advice}")
            }
            Error::DeviceMismatch { operation, left, right } => write!(
                f,
                "{operation}: one array is on {left}, but the other is on {right}; copy one of them with `to_device`, \
                 so that both are on the same device"
            ),
            Error::OutOfMemory { device, requested, free, pooled, limit } => {
                write!(f, "out of memory on {device}: {requested} bytes were asked for, {free} are free")?;
                write!(f, " and the pool holds {pooled}")?;
                if let Some(limit) = limit {
                    write!(
                        f,
                        " of the {limit} to which it is limited (see `MemoryPool::set_limit` and `WARPCELL_GPU_MEMORY`)"
                    )?;
                }
                f.write_str("; drop arrays that are no longer needed, or use smaller ones")
            }
            Error::DeviceUnavailable { device, reason } => write!(f, "{device} cannot be used: {reason}"),
            Error::LibraryMissing { library, reason } => write!(f, "{library} was not found: {reason}"),
            Error::Cuda { operation, status } => write!(
                f,
                "CUDA reported {status} during {operation}; if this repeats, restart the kernel to get a new context"
            ),
            Error::ContextLost { operation, status } => write!(
                f,
                "the CUDA context is lost: {status}, noticed during {operation}; a kernel that was started before has \
                 failed, and all arrays on the device are lost; CUDA cannot make a new context in this process: \
                 restart the notebook's kernel, or keep the host variables and continue on the CPU: \
                 `gpu::set_device(gpu::Device::Cpu);`"
            ),
            Error::NoInput { reason } => write!(f, "input cannot be read: {reason}"),
            Error::File { operation, path, reason } => write!(f, "{operation}: {path} {reason}"),
            Error::FileDType { operation, path, found, wanted } => write!(
                f,
                "{operation}: {path} holds elements of {found}, not {wanted}; use `{operation}::<{found}>(…)`, and convert the \
                 result if you need {wanted}: `.astype::<{wanted}>()` on the device, `.mapv(…)` on the host"
            ),
            Error::KernelCompilation { kernel, log } => {
                write!(f, "the CUDA kernel `{kernel}` does not compile; the compiler says:\n{log}")
            }
            Error::NotCapturable { operation, reason } => {
                write!(f, "{operation} cannot be captured in a graph: {reason}")
            }
            Error::FunctionFailed { function, line, device, reason } => {
                write!(f, "the function `{function}` failed in line {line} on {device}: {reason}")
            }
            Error::Interrupted => f.write_str("the operation was interrupted; run the cell again to complete it"),
            Error::SingularMatrix { operation, matrix, pivot } => write!(
                f,
                "{operation}: {} is singular: pivot {pivot} of its LU factorisation is 0; use `lstsq` or `pinv`, which take \
                 singular matrices too, or look at it with `matrix_rank` and `svd`",
                matrix_name(*matrix)
            ),
            Error::NotPositiveDefinite { operation, matrix, minor } => write!(
                f,
                "{operation}: {} is not positive definite: its leading minor of order {minor} is not positive; make \
                 sure that it is symmetric and free of NaN, look at its eigenvalues with `eigvalsh`, or use `lu` or \
                 `eigh`, which also take other matrices",
                matrix_name(*matrix)
            ),
            Error::NotFinite { operation } => write!(
                f,
                "{operation}: there is no result for elements that are NaN or infinite; find them with `is_finite`, and replace \
                 them with `where_`"
            ),
            Error::FoundLater { error, .. } => write!(
                f,
                "{error}; the device found this after the call, so arrays that were computed from its result cannot be used, all others can"
            ),
            Error::InvalidResult { cause } => {
                write!(f, "this array was computed from the result of a call that failed ({cause}); compute it again")
            }
            Error::RankFailed { operation, rank, reason } => write!(f, "{operation}: rank {rank} {reason}"),
            Error::RanksDisagree { operation, ranks, calls } => write!(
                f,
                "{operation}: rank {} calls {}, but rank {} calls {}; let all ranks make the same calls in the same order, with \
                 the same shapes and types",
                ranks.0, calls.0, ranks.1, calls.1
            ),
            Error::NoConvergence { operation, matrix } => write!(
                f,
                "{operation}: the iteration did not converge for {}; scale it, so that its elements are neither very large nor \
                 very small, or use f64",
                matrix_name(*matrix)
            ),
        }
    }
}

impl std::error::Error for Error {}

/// Panics with the error's message at the caller's line: how the plain names report what their `try_` twins return.
#[cold]
#[track_caller]
pub fn fail(error: Error) -> ! {
    if error == Error::Interrupted {
        // Returns only where nothing may unwind any more, or outside a cell.
        crate::interrupt::stop();
    }
    if let Error::FoundLater { location, .. } = error {
        if !crate::interrupt::runs_cells() {
            panic!("{error}; the call is at {location}");
        }
        PLACE.set(Some(location));
    }
    panic!("{error}")
}

thread_local! {
    /// See [`place_of_panic`].
    static PLACE: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
}

/// The place that the panic of this thread is about, if that is not where it panics; for the hook of panics, once.
pub fn place_of_panic() -> Option<&'static Location<'static>> {
    PLACE.take()
}

/// The value, or [`fail`].
#[track_caller]
pub fn check<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => fail(error),
    }
}
