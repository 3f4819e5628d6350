//! Whether arguments fit a kernel's parameters, and whether a device can launch it in a given size.

use super::arguments::{RawArgument, described};
use super::signatures::{CParameter, CType, Pointee};
use crate::array::RawArray;
use crate::backend::text::{FunctionAttributes, LaunchSize, Limits};
use crate::device::{Device, Handle};
use crate::error::{Error, Result};

pub(super) const NAME: &str = "RawKernel";

/// Fails if arguments do not fit the parameters that the text declares.
pub(super) fn arguments(kernel: &str, parameters: &[CParameter], arguments: &[RawArgument<'_>]) -> Result<()> {
    if parameters.len() != arguments.len() {
        return Err(count(kernel, parameters, arguments.len()));
    }
    for (number, (parameter, argument)) in parameters.iter().zip(arguments).enumerate() {
        let fits = match (&parameter.c_type, argument) {
            (CType::Pointer { to, is_const }, RawArgument::Array { array, writes }) => {
                array.layout.is_contiguous() && (*writes || *is_const) && points_to(to, array)
            }
            (CType::Scalar(types), RawArgument::Scalar { value, .. }) => types.contains(&value.dtype()),
            (CType::Unknown, _) => true,
            _ => false,
        };
        if !fits {
            return Err(misfit(kernel, number, parameter, argument));
        }
    }
    Ok(())
}

/// Fails for an array that is not contiguous. For parameters of unknown types there is no other check before the text is compiled.
pub(super) fn contiguous(kernel: &str, arguments: &[RawArgument<'_>]) -> Result<()> {
    let is_view = |argument: &RawArgument<'_>| argument.array().is_some_and(|array| !array.layout.is_contiguous());
    match arguments.iter().position(is_view) {
        None => Ok(()),
        Some(number) => {
            let reason = format!(
                "argument {} of `{kernel}` is a view that is not contiguous, but a kernel gets only the address of the \
                 first element; give a contiguous copy, `&a.copy()`",
                number + 1
            );
            Err(Error::argument(NAME, reason))
        }
    }
}

/// Whether an array has the elements, and begins at an address, that a pointer needs.
fn points_to(to: &Pointee, array: &RawArray) -> bool {
    match to {
        Pointee::Anything => true,
        Pointee::Addresses => array.dtype.size() == 8 && !array.dtype.is_complex() && !array.dtype.is_float(),
        Pointee::Elements(types) => types.iter().any(|&(dtype, lanes)| {
            dtype == array.dtype && array.size().is_multiple_of(lanes) && is_aligned(array, lanes)
        }),
    }
}

/// Whether an array begins at a whole vector. Vectors of three elements may begin at any element.
fn is_aligned(array: &RawArray, lanes: usize) -> bool {
    lanes == 3 || array.layout.offset.is_multiple_of(lanes)
}

#[cold]
fn count(kernel: &str, parameters: &[CParameter], given: usize) -> Error {
    let list = parameters.iter().map(|parameter| parameter.text.as_str()).collect::<Vec<_>>().join(", ");
    let list = if list.is_empty() { list } else { format!(" ({list})") };
    Error::argument(NAME, format!("`{kernel}` takes {}{list}, but was given {given}", numbered(parameters.len())))
}

/// A number of arguments, for a message.
fn numbered(count: usize) -> String {
    format!("{count} argument{}", if count == 1 { "" } else { "s" })
}

#[cold]
fn misfit(kernel: &str, number: usize, parameter: &CParameter, argument: &RawArgument<'_>) -> Error {
    let place = format!("parameter {} of `{kernel}`, `{}`,", number + 1, parameter.text);
    let reason = match (&parameter.c_type, argument) {
        (CType::Unknown, _) => unreachable!("an unknown type fits every argument"),
        (CType::Pointer { .. }, RawArgument::Scalar { type_name, .. }) => {
            format!("is a pointer; give an array, such as `&a`, not a value of {type_name}")
        }
        (CType::Scalar(types), RawArgument::Array { .. }) => {
            format!("is a value; give a scalar of {}, not an array", types[0])
        }
        (CType::Scalar(types), RawArgument::Scalar { .. }) => {
            format!("is of {}, but the argument is {}", types[0], described(argument, types[0]))
        }
        (CType::Pointer { to, is_const }, RawArgument::Array { array, writes }) => match to {
            Pointee::Elements(types) if types.iter().all(|(dtype, _)| *dtype != array.dtype) => {
                let wanted = types[0].0;
                format!("needs an array of {wanted}, but the argument is {}", described(argument, wanted))
            }
            Pointee::Addresses if !points_to(to, array) => {
                format!("needs an array of addresses, which are u64, but the argument is an array of {}", array.dtype)
            }
            _ if !array.layout.is_contiguous() => format!(
                "gets only the address of the first element, but the array of shape {:?} is a view with the strides \
                 {:?}, which is not contiguous; give a contiguous copy, `&a.copy()`",
                array.shape(),
                array.layout.strides
            ),
            _ if !*writes && !*is_const => {
                let read_only = parameter.text.replacen("volatile ", "", 1);
                format!(
                    "may be written to; give the array as `&mut`, or declare the parameter as `const {read_only}` if the kernel \
                     only reads it"
                )
            }
            _ => format!(
                "points to vectors of elements, but the array of {} elements does not begin or end at a whole vector; \
                 give another part of the array, or a copy",
                array.size()
            ),
        },
    };
    Error::argument(NAME, format!("{place} {reason}"))
}

/// Fails if the sizes of the arguments differ from those of the compiled kernel's parameters, or cannot be compared.
pub(super) fn sizes(
    kernel: &str,
    parameters: Option<&[CParameter]>,
    sizes: Option<&[usize]>,
    arguments: &[RawArgument<'_>],
) -> Result<()> {
    let Some(sizes) = sizes else {
        let is_known = |parameter: &CParameter| parameter.c_type != CType::Unknown;
        if parameters.is_some_and(|parameters| parameters.iter().all(is_known)) {
            return Ok(());
        }
        let reason = format!(
            "the types of `{kernel}`'s parameters cannot be read from the text, and the driver does not report their \
             sizes; declare them with types such as `const float*` and `int`, or update the driver"
        );
        return Err(Error::argument(NAME, reason));
    };
    if sizes.len() != arguments.len() {
        let reason = format!("`{kernel}` takes {}, but was given {}", numbered(sizes.len()), arguments.len());
        return Err(Error::argument(NAME, reason));
    }
    for (number, (&size, argument)) in sizes.iter().zip(arguments).enumerate() {
        let given = if argument.array().is_some() { 8 } else { argument.dtype().size() };
        if given != size {
            let what = match argument {
                RawArgument::Array { .. } => "the argument is an array, whose address".to_owned(),
                RawArgument::Scalar { type_name, .. } => format!("the argument, a value of {type_name},"),
            };
            let text =
                parameters.and_then(|all| all.get(number)).map_or(String::new(), |one| format!(", `{}`,", one.text));
            let reason = format!(
                "parameter {} of `{kernel}`{text} has {size} bytes, but {what} has {given}; give a value of the \
                 declared type",
                number + 1
            );
            return Err(Error::argument(NAME, reason));
        }
    }
    Ok(())
}

/// The size of a launch; fails if no device can launch it.
pub(super) fn launch_size(kernel: &str, grid: [i64; 3], block: [i64; 3], shared: usize) -> Result<LaunchSize> {
    for (lengths, what, advice) in [
        (
            grid,
            "grid",
            "; `n.div_ceil(threads)` blocks have a thread for each of n elements; with n = 0 there is nothing to \
             launch",
        ),
        (block, "block", ", and blocks are often of 128 or 256 threads"),
    ] {
        if lengths.iter().any(|&length| length < 1) {
            let reason = format!(
                "`{kernel}` cannot be launched with a {what} of {}: every length must be at least 1{advice}",
                times(lengths)
            );
            return Err(Error::argument(NAME, reason));
        }
    }
    if grid.iter().chain(&block).any(|&length| length > i32::MAX.into()) {
        let reason = format!(
            "`{kernel}` cannot be launched with a grid of {} and a block of {}: the longest grid of any device has {} blocks",
            times(grid),
            times(block),
            i32::MAX
        );
        return Err(Error::argument(NAME, reason));
    }
    let number = |length: i64| u32::try_from(length).unwrap_or(u32::MAX);
    let shared = u32::try_from(shared).unwrap_or(u32::MAX);
    Ok(LaunchSize { grid: grid.map(number), block: block.map(number), shared })
}

/// Fails if a device cannot launch a kernel in this size.
pub(super) fn within(
    kernel: &str,
    handle: &Handle,
    size: LaunchSize,
    limits: &Limits,
    attributes: &FunctionAttributes,
) -> Result<()> {
    let threads = size.block.iter().fold(1usize, |product, &length| product.saturating_mul(length as usize));
    let fits =
        |lengths: [u32; 3], most: [usize; 3]| lengths.iter().zip(most).all(|(&length, most)| length as usize <= most);
    let shared = attributes.shared_bytes + size.shared as usize;
    let is_within = threads <= attributes.max_threads.min(limits.threads)
        && fits(size.block, limits.block)
        && fits(size.grid, limits.grid)
        && shared <= limits.shared_bytes;
    if is_within { Ok(()) } else { Err(beyond(kernel, handle.device, size, threads, limits, attributes)) }
}

#[cold]
fn beyond(
    kernel: &str,
    device: Device,
    size: LaunchSize,
    threads: usize,
    limits: &Limits,
    attributes: &FunctionAttributes,
) -> Error {
    let (grid, block) = (times(size.grid.map(i64::from)), times(size.block.map(i64::from)));
    let most = |of: [usize; 3]| times(of.map(|length| length as i64));
    let reason = if threads > limits.threads {
        format!(
            "a block of {block} has {threads} threads, but {device} allows at most {}; launch more blocks with fewer \
             threads",
            limits.threads
        )
    } else if size.block.iter().zip(limits.block).any(|(&length, most)| length as usize > most) {
        format!("a block of {block} is too long along an axis: {device} allows at most {}", most(limits.block))
    } else if size.grid.iter().zip(limits.grid).any(|(&length, most)| length as usize > most) {
        format!(
            "a grid of {grid} is too long along an axis: {device} allows at most {}; put the longest axis along x",
            most(limits.grid)
        )
    } else if attributes.shared_bytes + size.shared as usize > limits.shared_bytes {
        format!(
            "a block needs {} bytes of shared memory ({} that the text declares and {} that the launch asks for), but \
             {device} has at most {}",
            attributes.shared_bytes + size.shared as usize,
            attributes.shared_bytes,
            size.shared,
            limits.shared_bytes
        )
    } else {
        format!(
            "a block of {block} has {threads} threads, but each thread of this kernel uses {} registers, so a block \
             can have at most {}; launch more blocks with fewer threads, or write `__launch_bounds__({threads})` after \
             `__global__`",
            attributes.registers, attributes.max_threads
        )
    };
    Error::argument(NAME, format!("`{kernel}` cannot be launched: {reason}"))
}

/// Lengths for a message, such as `32 × 8 × 1`.
fn times(lengths: [i64; 3]) -> String {
    lengths.map(|length| length.to_string()).join(" × ")
}

#[cfg(test)]
mod tests {
    use super::super::arguments::sealed::Arguments;
    use super::super::signatures::signatures;
    use super::*;
    use crate::array::{arange, zeros};
    use expect_test::expect;
    use ndarray::s;

    /// The parameters of a text's only kernel.
    fn declared(source: &str) -> Vec<CParameter> {
        signatures(source).remove(0).parameters.unwrap()
    }

    fn message(source: &str, given: &dyn Arguments) -> String {
        let parameters = declared(source);
        let result = given.with(&mut |given| arguments("k", &parameters, given));
        result.err().map_or("fits".into(), |error| error.to_string())
    }

    #[test]
    fn what_fits_and_what_does_not() {
        Device::Cpu.with(|| {
            let source = "__global__ void k(const double* in, float4* out, const int n, unsigned long m, Other o) {}";
            let (a, mut out) = (arange(8.0), zeros::<f32>(8));
            assert_eq!(message(source, &(&a, &mut out, 5, 5usize, 1u8)), "fits");
            assert_eq!(message(source, &(&a.clone(), &mut out, 5, 5u64, 1u8)), "fits");
            assert_eq!(message(source, &(&a, &mut out, 5, 5u64, &a)), "fits", "`Other` may be a pointer");
            let mut odd = zeros::<f32>(9).slice(s![1..]);
            let all = [
                message(source, &(&a, &mut out)),
                message(source, &(&out, &a, 5, 5usize, 1u8)),
                message(source, &(&a.slice(s![..;2]), &mut out.clone(), 5, 5usize, 1u8)),
                message(source, &(&a, &out, 5, 5usize, 1u8)),
                message(source, &(&a, &mut odd, 5, 5usize, 1u8)),
                message(source, &(&a, 3, 5, 5usize, 1u8)),
                message(source, &(&a, &mut out, 5i64, 5usize, 1u8)),
                message(source, &(&a, &mut out, 5usize, 5usize, 1u8)),
                message(source, &(&a, &mut out, 2.5, 5usize, 1u8)),
                message(source, &(&a, &mut out, 5, 5, 1u8)),
                message(source, &(&a, &mut out, &a, 5usize, 1u8)),
                message("__global__ void k(float** rows) {}", &(&mut out,)),
            ];
            expect![[r#"
                RawKernel: `k` takes 5 arguments (const double* in, float4* out, const int n, unsigned long m, Other o), but was given 2
                RawKernel: parameter 1 of `k`, `const double* in`, needs an array of f64, but the argument is an array of f32; convert it with `.astype::<f64>()`, or change the type in the text
                RawKernel: parameter 1 of `k`, `const double* in`, gets only the address of the first element, but the array of shape [4] is a view with the strides [2], which is not contiguous; give a contiguous copy, `&a.copy()`
                RawKernel: parameter 2 of `k`, `float4* out`, may be written to; give the array as `&mut`, or declare the parameter as `const float4* out` if the kernel only reads it
                RawKernel: parameter 2 of `k`, `float4* out`, points to vectors of elements, but the array of 8 elements does not begin or end at a whole vector; give another part of the array, or a copy
                RawKernel: parameter 2 of `k`, `float4* out`, is a pointer; give an array, such as `&a`, not a value of i32
                RawKernel: parameter 3 of `k`, `const int n`, is of i32, but the argument is 5, a value of i64; write `5i32`, or convert a variable with `as i32`
                RawKernel: parameter 3 of `k`, `const int n`, is of i32, but the argument is 5, a value of usize; write `5i32`, or convert a variable with `as i32`
                RawKernel: parameter 3 of `k`, `const int n`, is of i32, but the argument is 2.5, a value of f64; give it as i32
                RawKernel: parameter 4 of `k`, `unsigned long m`, is of u64, but the argument is 5, a value of i32; write `5u64`, or convert a variable with `as u64`
                RawKernel: parameter 3 of `k`, `const int n`, is a value; give a scalar of i32, not an array
                RawKernel: parameter 1 of `k`, `float** rows`, needs an array of addresses, which are u64, but the argument is an array of f32"#]]
.assert_eq(&all.join("\n"));
        });
    }

    #[test]
    fn sizes_of_a_compiled_kernel_count() {
        let parameters = declared("__global__ void k(const float* x, Point p) {}");
        let point = RawArgument::Scalar { value: crate::dtype::Scalar::F64(1.0), type_name: "f64" };
        let all = [
            sizes("k", Some(&parameters), Some(&[8, 12]), &[point, point]),
            sizes("k", None, Some(&[8]), &[point, point]),
            sizes("k", Some(&parameters), None, &[point, point]),
            sizes("k", None, None, &[point]),
        ];
        let texts: Vec<String> = all.into_iter().map(|result| result.unwrap_err().to_string()).collect();
        expect![[r#"
            RawKernel: parameter 2 of `k`, `Point p`, has 12 bytes, but the argument, a value of f64, has 8; give a value of the declared type
            RawKernel: `k` takes 1 argument, but was given 2
            RawKernel: the types of `k`'s parameters cannot be read from the text, and the driver does not report their sizes; declare them with types such as `const float*` and `int`, or update the driver
            RawKernel: the types of `k`'s parameters cannot be read from the text, and the driver does not report their sizes; declare them with types such as `const float*` and `int`, or update the driver"#]]
.assert_eq(&texts.join("\n"));
        assert_eq!(sizes("k", None, Some(&[8]), &[point]), Ok(()));
        assert_eq!(sizes("k", Some(&parameters[..1]), None, &[point]), Ok(()));
    }

    #[test]
    fn launches_are_within_limits() {
        let limits = Limits {
            threads: 1024,
            block: [1024, 1024, 64],
            grid: [2_147_483_647, 65_535, 65_535],
            shared_bytes: 232_448,
            resident_threads: 2048,
            multiprocessors: 132,
        };
        let attributes = FunctionAttributes {
            registers: 100,
            shared_bytes: 1024,
            local_bytes: 0,
            constant_bytes: 0,
            max_threads: 640,
            binary_version: (9, 0),
        };
        let launch = |grid, block, shared| {
            let size = launch_size("k", grid, block, shared);
            let result = size.and_then(|size| within("k", &crate::device::host(), size, &limits, &attributes));
            result.err().map_or("is within".into(), |error| error.to_string())
        };
        assert_eq!(launch([65_536, 1, 1], [32, 20, 1], 200_000), "is within");
        let all = [
            launch([0, 1, 1], [32, 1, 1], 0),
            launch([1, 1, 1], [32, -1, 1], 0),
            launch([1, 1, 1], [32, 64, 1], 0),
            launch([1, 1, 1], [1, 1, 128], 0),
            launch([1, 65_536, 1], [1, 1, 1], 0),
            launch([i64::MAX, 1, 1], [1, 1, 1], 0),
            launch([1, 1, 1], [1, 1, 1], 231_425),
            launch([1, 1, 1], [641, 1, 1], 0),
        ];
        expect![[r#"
            RawKernel: `k` cannot be launched with a grid of 0 × 1 × 1: every length must be at least 1; `n.div_ceil(threads)` blocks have a thread for each of n elements; with n = 0 there is nothing to launch
            RawKernel: `k` cannot be launched with a block of 32 × -1 × 1: every length must be at least 1, and blocks are often of 128 or 256 threads
            RawKernel: `k` cannot be launched: a block of 32 × 64 × 1 has 2048 threads, but cpu allows at most 1024; launch more blocks with fewer threads
            RawKernel: `k` cannot be launched: a block of 1 × 1 × 128 is too long along an axis: cpu allows at most 1024 × 1024 × 64
            RawKernel: `k` cannot be launched: a grid of 1 × 65536 × 1 is too long along an axis: cpu allows at most 2147483647 × 65535 × 65535; put the longest axis along x
            RawKernel: `k` cannot be launched with a grid of 9223372036854775807 × 1 × 1 and a block of 1 × 1 × 1: the longest grid of any device has 2147483647 blocks
            RawKernel: `k` cannot be launched: a block needs 232449 bytes of shared memory (1024 that the text declares and 231425 that the launch asks for), but cpu has at most 232448
            RawKernel: `k` cannot be launched: a block of 641 × 1 × 1 has 641 threads, but each thread of this kernel uses 100 registers, so a block can have at most 640; launch more blocks with fewer threads, or write `__launch_bounds__(641)` after `__global__`"#]]
.assert_eq(&all.join("\n"));
    }
}
