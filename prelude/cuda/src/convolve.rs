//! Convolutions on CUDA; the kernels are in `kernels/convolve.cu`, `kernels/convolve2d.cu` and `kernels/convolve2d_tensor.cu`.

use super::program::OfModule;
use super::{Compiled, Program, address_of, bits, blocks, family, kernels, source_of, takes, unsigned};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpcell_base::backend::{Padding, View};
use warpcell_base::dtype::DType;
use warpcell_base::error::{Error, Result};
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::module::{Function, Module};
use warpcell_driver::{background, compile};

const SOURCE_1D: &str = include_str!("../kernels/convolve.cu");
const SOURCE_2D: &str =
    concat!(include_str!("../kernels/convolve2d.cuh"), "#line 1\n", include_str!("../kernels/convolve2d.cu"));
const SOURCE_TENSOR: &str =
    concat!(include_str!("../kernels/convolve2d.cuh"), "#line 1\n", include_str!("../kernels/convolve2d_tensor.cu"));
const TYPES: usize = DType::ALL.len();
const THREADS: u32 = 256;
/// Outputs of a block of the 1-D kernel.
const OUTPUTS_1D: usize = 1024;
/// Below so many multiplications the general program is as good as one that is compiled for the kernel's size.
const WORTH_COMPILING: usize = 1 << 20;

/// Outputs and weights, and columns of the kernel, from which on tensor cores are faster than a program for the kernel's size. Measured on an
/// H200 with images of 256 to 4096 rows and kernels of 3 to 23.
const TENSOR_OUTPUTS: usize = 1 << 20;
const TENSOR_WEIGHTS: usize = 81;
const TENSOR_COLUMNS: usize = 9;

/// As in the kernels' source, and the most steps that a piece's columns need.
const PIECE_COLUMNS: usize = 32;
#[cfg(test)]
const STEPS: usize = (PIECE_COLUMNS + 7).div_ceil(8);

type Programs2d = Mutex<HashMap<(DType, Special), Program2d>>;

family! {
    struct Convolve {
        one_dimensional: [Compiled<OneDimensional>; TYPES],
        any_size: [Compiled<AnySize>; TYPES],
        /// The same, compiled in less time: for calls that a program for their size is compiled for.
        at_first: [Compiled<AnySize>; TYPES],
        /// Compiling one takes some 300 ms once, which nobody waits for; later processes find it in the cache on disk.
        special: Arc<Programs2d>,
    }
}

kernels! {
    struct OneDimensional {
        convolve = c"convolve",
    }
    struct AnySize {
        convolve = c"convolve2d_any",
    }
    struct Sized2d {
        convolve = c"convolve2d_sized",
    }
    struct Tensor2d {
        convolve = c"convolve2d_tensor",
    }
}

/// What a program is for that does not take every kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Special {
    /// Kernels of so many rows and columns.
    Sized { rows: usize, columns: usize },
    /// The tensor cores of this compute capability, times ten, and kernels with as many columns as these steps have.
    Tensor { capability: i32, steps: usize },
}

impl Special {
    /// The fastest one for a kernel of this size and so many outputs, if there is any.
    fn of(dtype: DType, (rows, columns): (usize, usize), outputs: usize, capability: (i32, i32)) -> Option<Special> {
        let is_sized = has_sized_program(dtype, rows, columns);
        let large = outputs >= TENSOR_OUTPUTS && columns >= TENSOR_COLUMNS && rows * columns >= TENSOR_WEIGHTS;
        if convolves_on_tensor_cores(dtype, capability) && (large || !is_sized) {
            let capability = if capability.0 == 8 { 80 } else { 90 };
            return Some(Special::Tensor { capability, steps: (columns.min(PIECE_COLUMNS) + 7).div_ceil(8) });
        }
        is_sized.then_some(Special::Sized { rows, columns })
    }

    fn program(self, dtype: DType) -> Program {
        match self {
            Special::Sized { rows, columns } => {
                let strips = strips(dtype, rows, columns).expect("a size with a program").to_string();
                let (rows, columns) = (rows.to_string(), columns.to_string());
                let size = [("KERNEL_ROWS", &*rows), ("KERNEL_COLUMNS", &columns), ("STRIPS", &strips)];
                let macros = [&[("ELEMENT", dtype.cu_name())], &size[..]].concat();
                Program::new("convolve2d.cu", SOURCE_2D, &macros)
            }
            Special::Tensor { capability, steps } => {
                let (capability, steps) = (capability.to_string(), steps.to_string());
                let macros = [("ELEMENT", dtype.cu_name()), ("TENSOR", &capability), ("STEPS", &steps)];
                Program::new("convolve2d_tensor.cu", SOURCE_TENSOR, &macros)
            }
        }
    }

    /// Rows and columns of the outputs of a block, and its threads, as in the kernels' source.
    fn block(self, dtype: DType) -> ((usize, usize), u32) {
        match self {
            Special::Sized { rows, columns } => {
                let strips = strips(dtype, rows, columns).expect("a size with a program");
                ((2 * strips, 16 * 2 * 16 / dtype.size()), 16 * strips as u32)
            }
            Special::Tensor { .. } => ((32, 48), 128),
        }
    }

    fn kernels(self, module: Module) -> Result<Special2d> {
        Ok(match self {
            Special::Sized { .. } => Special2d::Sized(Sized2d::of_module(module)?),
            Special::Tensor { .. } => Special2d::Tensor(Tensor2d::of_module(module)?),
        })
    }
}

enum Special2d {
    Sized(Sized2d),
    Tensor(Tensor2d),
}

impl Special2d {
    fn function(&self) -> Function {
        match self {
            Special2d::Sized(kernels) => kernels.convolve,
            Special2d::Tensor(kernels) => kernels.convolve,
        }
    }
}

enum Program2d {
    /// In the background. Until it is there the general program does the work, with the same results to the last bit.
    Compiling,
    Loaded(Arc<Special2d>),
    Failed(Error),
}

/// `Geometry` in the kernels' source.
#[repr(C)]
struct Geometry {
    image: [i32; 2],
    out: [i32; 2],
    kernel: [i32; 2],
    origin: [i32; 2],
    padding: i32,
    tiles_across: i32,
}

impl Convolve {
    pub fn one_dimensional(&self, signal: View<'_>, kernel: View<'_>, origin: usize, out: View<'_>) -> Result<()> {
        let size = out.layout.size();
        if size == 0 {
            return Ok(());
        }
        let dtype = compute_type(signal.dtype);
        let kernels = self.one_dimensional[dtype as usize].get(&self.device, || program_1d(dtype))?;
        let (signal_address, signal_size) = (source_of(signal)?, signal.layout.size() as i64);
        let (kernel_address, kernel_size) = (source_of(kernel)?, kernel.layout.size() as i64);
        let (target, count, origin) = (address_of(out)?, size as i64, origin as i64);
        let grid = blocks("convolve", size, OUTPUTS_1D)?;
        let mut arguments = arguments![signal_address, signal_size, kernel_address, kernel_size, target, count, origin];
        // SAFETY: the module is in `self`; the arguments are those of `convolve`; the views are contiguous and lie in live
        // allocations.
        unsafe { launch(&self.device, kernels.convolve, (grid, 1), THREADS, &mut arguments) }
    }

    pub fn two_dimensional(
        &self,
        image: View<'_>,
        kernel: View<'_>,
        origin: (usize, usize),
        padding: Padding,
        out: View<'_>,
    ) -> Result<()> {
        let size = out.layout.size();
        if size == 0 {
            return Ok(());
        }
        let dtype = compute_type(image.dtype);
        let (rows, columns) = (kernel.layout.shape[0], kernel.layout.shape[1]);
        let general = || program_2d(dtype);
        let special = Special::of(dtype, (rows, columns), size, self.device.capability())
            .filter(|_| size.saturating_mul(rows * columns) >= WORTH_COMPILING);
        let special = match special {
            Some(special) if takes(&self.device, || special.program(dtype), general)? => Some(special),
            _ => None,
        };
        let loaded = special.map(|special| self.special(dtype, special)).transpose()?.flatten();
        let (function, (tile, threads)) = if let (Some(loaded), Some(special)) = (&loaded, special) {
            (loaded.function(), special.block(dtype))
        } else {
            let (any_size, at_first) = (&self.any_size[dtype as usize], &self.at_first[dtype as usize]);
            // Programs that are recorded or embedded are few.
            let kernels = if special.is_some() && !any_size.is_there() && !compile::has_choices() {
                at_first.get(&self.device, || general().quickly())?
            } else {
                any_size.get(&self.device, general)?
            };
            (kernels.convolve, ((32, 32), THREADS))
        };
        let (down, across) = (out.layout.shape[0].div_ceil(tile.0), out.layout.shape[1].div_ceil(tile.1));
        let (padding, outside) = match padding {
            Padding::Fill(value) => (0, bits(value)),
            Padding::Wrap => (1, 0),
            Padding::Symmetric => (2, 0),
        };
        let geometry = Geometry {
            image: extent(image)?,
            out: extent(out)?,
            kernel: extent(kernel)?,
            origin: [narrow(origin.0, image)?, narrow(origin.1, image)?],
            padding,
            tiles_across: narrow(across, image)?,
        };
        let grid = blocks("convolve2d", down * across, 1)?;
        let (from, weights, target) = (source_of(image)?, source_of(kernel)?, address_of(out)?);
        // The kernel reads as many bytes of `outside` as an element has: the low ones.
        let mut arguments = arguments![from, weights, target, geometry, outside];
        // SAFETY: the module is in `self`, or in `loaded` until after the launch and in the map for good; the arguments are
        // those of the three kernels, and `Geometry` has the layout of theirs; the views are contiguous and lie in live
        // allocations; a special program gets a kernel of its size.
        unsafe { launch(&self.device, function, (grid, 1), threads, &mut arguments)? };
        if let (Some(special), None) = (special, &loaded) {
            // After the other program, which is waited for.
            self.compile_special(dtype, special);
        }
        Ok(())
    }

    /// A special program, if it is ready.
    fn special(&self, dtype: DType, special: Special) -> Result<Option<Arc<Special2d>>> {
        let mut programs = lock(&self.special);
        match programs.get(&(dtype, special)) {
            Some(Program2d::Loaded(loaded)) => return Ok(Some(loaded.clone())),
            Some(Program2d::Compiling) => return Ok(None),
            Some(Program2d::Failed(error)) => return Err(error.clone()),
            None => {}
        }
        if let Some(module) = special.program(dtype).load_cached(&self.device)? {
            let loaded = Arc::new(special.kernels(module)?);
            programs.insert((dtype, special), Program2d::Loaded(loaded.clone()));
            return Ok(Some(loaded));
        }
        Ok(None)
    }

    /// Begins to compile a special program, if that has not begun.
    #[cold]
    fn compile_special(&self, dtype: DType, special: Special) {
        if let Entry::Vacant(entry) = lock(&self.special).entry((dtype, special)) {
            entry.insert(Program2d::Compiling);
            let (device, map) = (self.device.clone(), self.special.clone());
            background::start(move || {
                let result = special.program(dtype).load(&device).and_then(|module| special.kernels(module));
                let found = result.map_or_else(Program2d::Failed, |loaded| Program2d::Loaded(Arc::new(loaded)));
                lock(&map).insert((dtype, special), found);
            });
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The type to compute in: integers modulo a power of two, whatever their sign.
fn compute_type(dtype: DType) -> DType {
    if dtype.is_float() { dtype } else { unsigned(dtype) }
}

/// Whether a program is compiled for kernels of this size.
pub fn has_sized_program(dtype: DType, rows: usize, columns: usize) -> bool {
    strips(dtype, rows, columns).is_some()
}

/// Into how many strips a block's threads are divided in the program for kernels of this size, if there is one: a row of weights and of the
/// tile must fit in registers, and the tile in 48 KiB. With 12 strips for elements of 8 bytes, 4 blocks fit on a multiprocessor, and the
/// last wave of blocks is fuller.
fn strips(dtype: DType, rows: usize, columns: usize) -> Option<usize> {
    let vector = 16 / dtype.size();
    let segment = (2 * vector + columns - 1).div_ceil(vector);
    let half = (30 + segment).div_ceil(2) + 7;
    let fits = |strips: usize| {
        let bytes = (2 * strips + rows - 1) * 2 * half * 16 + rows * columns.div_ceil(vector) * 16;
        dtype.is_float() && rows <= 32 && columns <= 32 && bytes <= 48 << 10
    };
    if dtype.size() == 4 { [16, 8].into_iter().find(|&strips| fits(strips)) } else { fits(16).then_some(12) }
}

/// Whether a device of this compute capability has tensor cores for the type that multiply at more than a small part of its other units'
/// rate.
pub fn convolves_on_tensor_cores(dtype: DType, capability: (i32, i32)) -> bool {
    dtype == DType::F64 && (capability == (8, 0) || capability.0 == 9)
}

fn extent(view: View<'_>) -> Result<[i32; 2]> {
    Ok([narrow(view.layout.shape[0], view)?, narrow(view.layout.shape[1], view)?])
}

/// The kernels count rows and columns in 32 bits, and add a few of them.
fn narrow(length: usize, view: View<'_>) -> Result<i32> {
    if length > i32::MAX as usize / 4 {
        let reason = format!("has an axis of more than {} elements; convolve parts of it", i32::MAX / 4);
        return Err(Error::shape("convolve2d", view.layout.shape.as_slice(), reason));
    }
    Ok(length as i32)
}

fn program_1d(dtype: DType) -> Program {
    Program::new("convolve.cu", SOURCE_1D, &[("ELEMENT", dtype.cu_name())])
}

fn program_2d(dtype: DType) -> Program {
    Program::new("convolve2d.cu", SOURCE_2D, &[("ELEMENT", dtype.cu_name())])
}

/// Programs of every element type, and of some sizes, the largest and the smallest among them.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let mut all = Vec::new();
    let elements = |dtype: &DType| dtype.kind() == warpcell_base::dtype::Kind::Unsigned || dtype.is_float();
    for dtype in DType::COMPUTED.into_iter().filter(elements) {
        all.extend([program_1d(dtype), program_2d(dtype), program_2d(dtype).quickly()]);
    }
    for dtype in [DType::F32, DType::F64] {
        for (rows, columns) in [(1, 1), (2, 2), (3, 3), (15, 15), (7, 1), (1, 7), (32, 5), (5, 20), (15, 32)] {
            if has_sized_program(dtype, rows, columns) {
                all.push(Special::Sized { rows, columns }.program(dtype));
            }
        }
    }
    for capability in [80, 90] {
        all.extend((1..=STEPS).map(|steps| Special::Tensor { capability, steps }.program(DType::F64)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_programs_take_the_kernels_that_they_are_for() {
        let of = |rows, columns, outputs, capability| Special::of(DType::F64, (rows, columns), outputs, capability);
        for columns in 1..100 {
            let Some(Special::Tensor { capability: 90, steps }) = of(40, columns, 100, (9, 0)) else {
                panic!("{columns}")
            };
            // As in the kernel's source: a band of so many steps has room for the columns of a piece, and one less has not.
            let (room, piece) = (|steps: usize| 8 * steps as i32 - 7, columns.min(PIECE_COLUMNS) as i32);
            assert!(piece <= room(steps) && piece > room(steps - 1), "{columns}");
            assert!((1..=STEPS).contains(&steps));
        }
        assert_eq!(of(15, 15, 1 << 22, (9, 0)), Some(Special::Tensor { capability: 90, steps: 3 }));
        assert_eq!(of(15, 15, 1 << 22, (8, 0)), Some(Special::Tensor { capability: 80, steps: 3 }));
        let sized = Some(Special::Sized { rows: 15, columns: 15 });
        for (outputs, capability) in [(1 << 22, (8, 6)), (1 << 22, (7, 5)), (1 << 22, (12, 0)), (1 << 16, (9, 0))] {
            assert_eq!(of(15, 15, outputs, capability), sized);
        }
        assert_eq!(of(5, 5, 1 << 22, (9, 0)), Some(Special::Sized { rows: 5, columns: 5 }));
        assert_eq!(of(63, 63, 1 << 22, (8, 6)), None);
        assert_eq!(Special::of(DType::F32, (15, 15), 1 << 22, (9, 0)), sized);
    }
}
