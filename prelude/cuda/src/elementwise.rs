//! Elementwise operations on CUDA; the kernels are in `kernels/elementwise.cu`.

use super::axes::{Axis, ROW_PART, joined, launch_over};
use super::{Compiled, Program, address_of, blocks, kernels, source_of, takes, unsigned, words};
use std::sync::Arc;
use warpcell_base::backend::{BinaryOperation, Operand, UnaryOperation, View};
use warpcell_base::dtype::{DType, Scalar};
use warpcell_base::error::Result;
use warpcell_base::profiling::Kind;
use warpcell_driver::context::Device;
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::memory;
use warpcell_driver::profile;

const SOURCE: &str =
    concat!(include_str!("../kernels/axes.cuh"), "#line 1\n", include_str!("../kernels/elementwise.cu"));
const TYPES: usize = DType::ALL.len();
const UNARY: usize = UnaryOperation::ALL.len();
const BINARY: usize = BinaryOperation::ALL.len();
const THREADS: usize = 256;
// A thread of `rows` has four elements.
const _: () = assert!(ROW_PART == 4 * THREADS);

/// The programs of this family, compiled when first used, and found by the numbers of operation and element type.
pub(super) struct Elementwise {
    device: Arc<Device>,
    fill: [Forms; TYPES],
    arange: [Compiled<Arange>; TYPES],
    transpose: [Compiled<Transposed>; TYPES],
    // Not in the struct itself: they are too large for the stacks of threads, on which it is made.
    convert: Box<[[Forms; TYPES]]>,
    unary: Box<[[Forms; TYPES]]>,
    binary: Box<[[Forms; TYPES]]>,
}

/// Programs by operation and type, none of them compiled.
fn none_of(operations: usize) -> Box<[[Forms; TYPES]]> {
    (0..operations).map(|_| Default::default()).collect()
}

/// The programs of one operation. Each half is compiled when first used: most arrays are contiguous, and together both take twice as long.
#[derive(Default)]
struct Forms {
    contiguous: Compiled<Contiguous>,
    strided: Compiled<Strided>,
}

kernels! {
    struct Contiguous {
        packed = c"packed",
        single = c"single",
    }
    struct Strided {
        rows = c"rows",
        strided = c"strided",
        strided_wide = c"strided_wide",
    }
    struct Arange {
        arange = c"arange",
    }
    struct Transposed {
        transposed = c"transposed",
        packs = c"transposed_packs",
    }
}

/// An operand or the result of a launch: an address with strides, or a value (address 0).
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub address: u64,
    /// Bytes of one element.
    pub size: usize,
    pub bits: [u64; 2],
    pub strides: &'a [isize],
    pub contiguous: bool,
}

impl<'a> Side<'a> {
    /// What is written to.
    pub fn target(view: View<'a>) -> Result<Side<'a>> {
        Ok(Side::array(view, address_of(view)?))
    }

    /// What is only read.
    pub fn source(view: View<'a>) -> Result<Side<'a>> {
        Ok(Side::array(view, source_of(view)?))
    }

    fn array(view: View<'a>, address: u64) -> Side<'a> {
        let (strides, contiguous) = (view.layout.strides.as_slice(), view.layout.is_contiguous());
        Side { address, size: view.dtype.size(), bits: [0; 2], strides, contiguous }
    }

    fn value(bits: [u64; 2]) -> Side<'a> {
        Side { address: 0, size: 0, bits, strides: &[], contiguous: true }
    }

    pub fn operand(operand: Operand<'a>) -> Result<Side<'a>> {
        match operand {
            Operand::Array(view) => Side::source(view),
            Operand::Scalar(value) => Ok(Side::value(words(value))),
        }
    }
}

impl Elementwise {
    pub fn new(device: &Arc<Device>) -> Elementwise {
        Elementwise {
            device: device.clone(),
            fill: Default::default(),
            arange: Default::default(),
            transpose: Default::default(),
            convert: none_of(TYPES),
            unary: none_of(UNARY),
            binary: none_of(BINARY),
        }
    }

    pub fn fill(&self, value: Scalar, out: View<'_>) -> Result<()> {
        // Only the bits matter: one program for each size of element.
        let dtype = unsigned(out.dtype);
        let (a, b, widest) = (Side::value(words(value)), Side::value([0; 2]), out.dtype.size());
        self.run(&self.fill[dtype as usize], || fill_program(dtype), a, b, out, widest)
    }

    pub fn copy(&self, source: View<'_>, out: View<'_>) -> Result<()> {
        let (mut from, mut to) = (source.dtype, out.dtype);
        if from == to {
            if source.layout.is_contiguous() && out.layout.is_contiguous() {
                let bytes = out.layout.size() * to.size();
                if bytes == 0 {
                    return Ok(());
                }
                let span = profile::begin(&self.device, Kind::Copy, "device to device", bytes)?;
                // SAFETY: both views lie in live allocations, and the contract of `copy` says that they do not overlap.
                unsafe { memory::copy(&self.device, source_of(source)?, address_of(out)?, bytes)? };
                return profile::end(&self.device, span);
            }
            (from, to) = (unsigned(from), unsigned(to));
            if let Some([across, down]) = turned(source, out) {
                return self.transpose(source, out, to, [across, down]);
            }
        }
        let (forms, widest) = (&self.convert[from as usize][to as usize], from.size().max(to.size()));
        self.run(forms, || convert_program(from, to), Side::source(source)?, Side::value([0; 2]), out, widest)
    }

    /// A copy of a matrix, along these axes of [`turned`].
    fn transpose(&self, source: View<'_>, out: View<'_>, dtype: DType, [across, down]: [Axis<2>; 2]) -> Result<()> {
        let kernels = self.transpose[dtype as usize].get(&self.device, || transpose_program(dtype))?;
        let (from, to) = (source_of(source)?, address_of(out)?);
        let lengths = [across.length, down.length, across.strides[0].unsigned_abs(), down.strides[1].unsigned_abs()];
        let large = large_tile(dtype.size(), [from, to], lengths);
        let (function, tile) = large.map_or((kernels.transposed, TILE), |tile| (kernels.packs, tile));
        let tiles = across.length.div_ceil(tile) * down.length.div_ceil(tile);
        let grid = blocks("a copy", tiles, 1)?;
        let (columns, rows) = (across.length as i64, down.length as i64);
        let (step, out_step) = (across.strides[0] as i64, down.strides[1] as i64);
        let mut arguments = arguments![from, to, columns, rows, step, out_step];
        // SAFETY: the module is in `self`; the arguments are those of `transposed` in the source; the views lie in live allocations,
        // and the kernel stays within the two axes that are all of both.
        unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments) }
    }

    pub fn unary(&self, operation: UnaryOperation, x: View<'_>, out: View<'_>) -> Result<()> {
        let (forms, widest) = (&self.unary[operation as usize][x.dtype as usize], x.dtype.size().max(out.dtype.size()));
        let program = || unary_program(operation, x.dtype);
        self.run(forms, program, Side::source(x)?, Side::value([0; 2]), out, widest)
    }

    pub fn binary(&self, operation: BinaryOperation, a: Operand<'_>, b: Operand<'_>, out: View<'_>) -> Result<()> {
        let dtype = match (a, b) {
            (Operand::Array(view), _) | (_, Operand::Array(view)) => view.dtype,
            (Operand::Scalar(value), _) => value.dtype(),
        };
        let (forms, widest) = (&self.binary[operation as usize][dtype as usize], dtype.size().max(out.dtype.size()));
        self.run(forms, || binary_program(operation, dtype), Side::operand(a)?, Side::operand(b)?, out, widest)
    }

    pub fn arange(&self, start: Scalar, step: Scalar, out: View<'_>) -> Result<()> {
        let size = out.layout.size() as i64;
        if size == 0 {
            return Ok(());
        }
        let cell = &self.arange[out.dtype as usize];
        let function = cell.get(&self.device, || arange_program(out.dtype))?.arange;
        let grid = blocks("arange", size as usize, THREADS)?;
        let address = address_of(out)?;
        let stride = out.layout.strides[0] as i64;
        // Both doubles and u64 are 8 bytes, and the kernel takes one of them.
        let (start, step) = (wide_bits(start), wide_bits(step));
        let mut arguments = arguments![address, size, stride, start, step];
        // SAFETY: the module is in `self`; the arguments are those of `arange` in the source; the view lies in a live
        // allocation.
        unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments) }
    }

    /// Launches the kernel that suits the strides. `widest` is the larger of the sizes of input and output element.
    #[inline]
    fn run(
        &self,
        forms: &Forms,
        program: impl Fn() -> Program,
        a: Side<'_>,
        b: Side<'_>,
        out: View<'_>,
        widest: usize,
    ) -> Result<()> {
        let size = out.layout.size();
        if size == 0 {
            return Ok(());
        }
        let target = Side::target(out)?;
        if a.contiguous
            && b.contiguous
            && target.contiguous
            && (forms.contiguous.is_there() || takes(&self.device, &program, || strided(program()))?)
        {
            let kernels = forms.contiguous.get(&self.device, program)?;
            let aligned = (a.address | b.address | target.address).is_multiple_of(16);
            let (function, each) = if aligned { (kernels.packed, 16 / widest) } else { (kernels.single, 1) };
            let grid = blocks("an elementwise operation", size, THREADS * each)?;
            let count = size as i64;
            let mut arguments = arguments![a.address, b.address, target.address, count, a.bits, b.bits];
            // SAFETY: the module is alive beside its functions; the arguments are those of `packed` and `single`; the
            // views lie in live allocations; packs are only used for addresses that are multiples of 16.
            return unsafe { launch(&self.device, function, (grid, 1), THREADS as u32, &mut arguments) };
        }
        let kernels = forms.strided.get(&self.device, || strided(program()))?;
        let sides = [a, b, target];
        let axes = joined(&out.layout.shape, sides.map(|side| side.strides));
        launch_over(
            &axes,
            sides.map(|side| side.address),
            sides.map(|side| side.size),
            &mut |[a, b, target], size, axes| {
                let (function, items, each, parts) = match axes.rows(size) {
                    Some((rows, parts)) => (kernels.rows, rows, 1, parts),
                    None if size <= i32::MAX as usize => (kernels.strided, size, THREADS, 1),
                    None => (kernels.strided_wide, size, THREADS, 1),
                };
                let grid = (blocks("an elementwise operation", items, each)?, parts);
                let count = size as i64;
                let mut arguments = arguments![a, b, target, count, sides[0].bits, sides[1].bits, axes];
                // SAFETY: the module is alive beside its functions; the arguments are those of `rows`, `strided` and `strided_wide`,
                // and `KernelAxes` has the layout of their `warpcell_axes`; every index inside the shape lies in a live allocation.
                unsafe { launch(&self.device, function, grid, THREADS as u32, &mut arguments) }
            },
        )
    }
}

/// The lines and columns of a tile in the kernels' source.
const TILE: usize = 32;

/// Those of a large tile, for elements of so many bytes at two addresses, if both lengths are that of half a tile at least, and all is
/// in packs: lengths, and what is between lines.
fn large_tile(size: usize, addresses: [u64; 2], lengths: [usize; 4]) -> Option<usize> {
    let pack = match size {
        1 | 2 => 4,
        4 | 8 => 2,
        _ => 1,
    };
    let tile = TILE * pack;
    let fits = lengths[0].min(lengths[1]) >= tile / 2
        && lengths.into_iter().all(|length| length.is_multiple_of(pack))
        && addresses.into_iter().all(|address| address.is_multiple_of((pack * size) as u64));
    fits.then_some(tile)
}

/// The axis along which the elements of `out` are neighbours, and the one along which those of `source` are, if they are two axes, and
/// all there are. Narrow matrices would fill few lanes of a tile.
fn turned(source: View<'_>, out: View<'_>) -> Option<[Axis<2>; 2]> {
    let axes = joined(&out.layout.shape, [&source.layout.strides, &out.layout.strides]);
    let &[inner, outer] = axes.as_slice() else { return None };
    let are_wide = inner.length.min(outer.length) >= TILE / 2;
    let lie_so = |across: Axis<2>, down: Axis<2>| across.strides[1] == 1 && down.strides[0] == 1;
    [[inner, outer], [outer, inner]].into_iter().find(|&[across, down]| are_wide && lie_so(across, down))
}

/// A scalar as 8 bytes: floats as f64, integers extended.
fn wide_bits(value: Scalar) -> u64 {
    match (value.float(), value.integer()) {
        (Some(value), _) => value.to_bits(),
        (_, Some(value)) => value as u64,
        _ => unreachable!("a real number"),
    }
}

fn program(operation: &str, arity: &str, input: DType, output: DType) -> Program {
    let macros = [("INPUT", input.cu_name()), ("OUTPUT", output.cu_name()), ("OPERATION", operation), ("ARITY", arity)];
    Program::new("elementwise.cu", SOURCE, &macros)
}

/// The half of a program that is for any strides.
fn strided(program: Program) -> Program {
    program.with("STRIDED")
}

fn fill_program(dtype: DType) -> Program {
    program("convert", "0", dtype, dtype)
}

fn convert_program(from: DType, to: DType) -> Program {
    program("convert", "1", from, to)
}

fn transpose_program(dtype: DType) -> Program {
    Program::new(
        "elementwise.cu",
        SOURCE,
        &[("INPUT", dtype.cu_name()), ("OUTPUT", dtype.cu_name()), ("TRANSPOSED", "1")],
    )
}

fn arange_program(dtype: DType) -> Program {
    let computed = if dtype.is_float() { "double" } else { "u64" };
    Program::new("elementwise.cu", SOURCE, &[("INPUT", computed), ("OUTPUT", dtype.cu_name())])
}

/// A function of CUDA's library, by its name for `double`.
fn function_program(name: &str, arity: &str, dtype: DType) -> Program {
    let operation = format!("{name}_of");
    let of_float = format!("{name}f");
    let macros = [
        ("INPUT", dtype.cu_name()),
        ("OUTPUT", dtype.cu_name()),
        ("OPERATION", &operation),
        ("ARITY", arity),
        ("OF_DOUBLE", name),
        ("OF_FLOAT", &of_float),
    ];
    Program::new("elementwise.cu", SOURCE, &macros)
}

fn unary_program(operation: UnaryOperation, dtype: DType) -> Program {
    match operation {
        UnaryOperation::Abs if dtype.is_complex() => program("magnitude", "1", dtype, operation.output(dtype)),
        _ if operation.is_float_function() => function_program(operation.cuda_name(), "1", dtype),
        _ => program(operation.cuda_name(), "1", dtype, operation.output(dtype)),
    }
}

fn binary_program(operation: BinaryOperation, dtype: DType) -> Program {
    if operation.is_float_function() {
        return function_program(operation.cuda_name(), "2", dtype);
    }
    program(operation.cuda_name(), "2", dtype, operation.output(dtype))
}

/// Every program that the methods above can ask for.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let mut all = Vec::new();
    let complex = [DType::C64, DType::C128];
    all.extend(DType::COMPUTED.map(arange_program));
    let both = |program: Program| [program.clone(), strided(program)];
    for dtype in DType::COMPUTED.into_iter().chain(complex) {
        let unary = UnaryOperation::ALL.into_iter().filter(|&operation| operation.takes(dtype));
        all.extend(unary.flat_map(|operation| both(unary_program(operation, dtype))));
        let binary = BinaryOperation::ALL.into_iter().filter(|&operation| operation.takes(dtype));
        all.extend(binary.flat_map(|operation| both(binary_program(operation, dtype))));
    }
    for dtype in DType::ALL {
        if unsigned(dtype) == dtype {
            all.extend(both(fill_program(dtype)));
            all.push(transpose_program(dtype));
        }
        let others = DType::ALL.into_iter().filter(|_| !dtype.is_complex());
        all.extend(others.flat_map(|to| both(convert_program(dtype, to))));
    }
    // Complex numbers are moved as what has their size.
    all.extend(both(convert_program(DType::C128, DType::C128)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_tiles_are_for_packs() {
        let of = |size, addresses, lengths| large_tile(size, addresses, lengths);
        let even = [96, 64, 64, 96];
        assert_eq!([1, 2, 4, 8, 16].map(|size| of(size, [256, 512], even)), [128, 128, 64, 64, 32].map(Some));
        assert_eq!(of(4, [260, 512], even), None, "an address");
        assert_eq!(of(8, [264, 512], even), None, "an address");
        assert_eq!(of(4, [256, 512], [97, 64, 64, 97]), None, "a length");
        assert_eq!(of(4, [256, 512], [96, 64, 65, 96]), None, "a step");
        assert_eq!(of(4, [256, 512], [96, 28, 28, 96]), None, "narrow");
    }
}
