//! Convolutions on CUDA; the kernels are in `kernels/convolve.cu` and `kernels/convolve2d.cu`.

use super::program::OfModule;
use super::{Compiled, Program, address_of, bits, blocks, family, kernels, source_of, takes, unsigned};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpcell_base::backend::{Padding, View};
use warpcell_base::dtype::DType;
use warpcell_base::error::{Error, Result};
use warpcell_driver::launch::{arguments, launch};
use warpcell_driver::{background, compile};

const SOURCE_1D: &str = include_str!("../kernels/convolve.cu");
const SOURCE_2D: &str = include_str!("../kernels/convolve2d.cu");
const TYPES: usize = DType::ALL.len();
const THREADS: u32 = 256;
/// Outputs of a block of the 1-D kernel.
const OUTPUTS_1D: usize = 1024;
/// Below so many multiplications the general program is as good as one that is compiled for the kernel's size.
const WORTH_COMPILING: usize = 1 << 20;

type Programs2d = Mutex<HashMap<(DType, usize, usize), Program2d>>;

family! {
    struct Convolve {
        one_dimensional: [Compiled<OneDimensional>; TYPES],
        any_size: [Compiled<AnySize>; TYPES],
        /// The same, compiled in less time: for calls that a program for their size is compiled for.
        at_first: [Compiled<AnySize>; TYPES],
        /// By element type and the kernel's rows and columns. Compiling for a size takes some 300 ms once, which nobody waits
        /// for; later processes find it in the cache on disk.
        sized: Arc<Programs2d>,
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
}

/// A program for one size of the kernel.
enum Program2d {
    /// In the background. Until it is there the general program does the work, with the same results to the last bit.
    Compiling,
    Loaded(Arc<Sized2d>),
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
        let (special, general) = (|| program_2d(dtype, Some((rows, columns))), || program_2d(dtype, None));
        let worth = has_sized_program(dtype, rows, columns)
            && size.saturating_mul(rows * columns) >= WORTH_COMPILING
            && takes(&self.device, special, general)?;
        let sized = if worth { self.sized(dtype, rows, columns)? } else { None };
        let (function, tile, threads) = if let Some(sized) = &sized {
            let strips = if dtype.size() == 4 { 16 } else { 12 };
            (sized.convolve, (2 * strips, 16 * 2 * 16 / dtype.size()), 16 * strips as u32)
        } else {
            let (any_size, at_first) = (&self.any_size[dtype as usize], &self.at_first[dtype as usize]);
            // Programs that are recorded or embedded are few.
            let kernels = if worth && !any_size.is_there() && !compile::has_choices() {
                at_first.get(&self.device, || general().quickly())?
            } else {
                any_size.get(&self.device, general)?
            };
            (kernels.convolve, (32, 32), THREADS)
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
        // SAFETY: the module is in `self`, or in `sized` until after the launch and in the map for good; the arguments are
        // those of the two kernels, and `Geometry` has the layout of theirs; the views are contiguous and lie in live
        // allocations; a sized program gets a kernel of its size.
        unsafe { launch(&self.device, function, (grid, 1), threads, &mut arguments)? };
        if worth && sized.is_none() {
            // After the other program, which is waited for.
            self.compile_sized(dtype, rows, columns);
        }
        Ok(())
    }

    /// The program for kernels of this size, if it is ready.
    fn sized(&self, dtype: DType, rows: usize, columns: usize) -> Result<Option<Arc<Sized2d>>> {
        let key = (dtype, rows, columns);
        let mut sized = lock(&self.sized);
        match sized.get(&key) {
            Some(Program2d::Loaded(loaded)) => return Ok(Some(loaded.clone())),
            Some(Program2d::Compiling) => return Ok(None),
            Some(Program2d::Failed(error)) => return Err(error.clone()),
            None => {}
        }
        let program = program_2d(dtype, Some((rows, columns)));
        if let Some(module) = program.load_cached(&self.device)? {
            let loaded = Arc::new(Sized2d::of_module(module)?);
            sized.insert(key, Program2d::Loaded(loaded.clone()));
            return Ok(Some(loaded));
        }
        Ok(None)
    }

    /// Begins to compile the program for kernels of this size, if that has not begun.
    #[cold]
    fn compile_sized(&self, dtype: DType, rows: usize, columns: usize) {
        let key = (dtype, rows, columns);
        if let Entry::Vacant(entry) = lock(&self.sized).entry(key) {
            entry.insert(Program2d::Compiling);
            let (device, map) = (self.device.clone(), self.sized.clone());
            background::start(move || {
                let result = program_2d(dtype, Some((rows, columns))).load(&device).and_then(Sized2d::of_module);
                let found = result.map_or_else(Program2d::Failed, |loaded| Program2d::Loaded(Arc::new(loaded)));
                lock(&map).insert(key, found);
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

/// Whether a program is compiled for kernels of this size: a row of weights and of the tile must fit in registers, and
/// the tile in 48 KiB.
pub fn has_sized_program(dtype: DType, rows: usize, columns: usize) -> bool {
    let vector = 16 / dtype.size();
    let segment = (2 * vector + columns - 1).div_ceil(vector);
    let half = (30 + segment).div_ceil(2) + 7;
    let bytes = (32 + rows - 1) * 2 * half * 16 + rows * columns.div_ceil(vector) * 16;
    dtype.is_float() && rows <= 32 && columns <= 32 && bytes <= 48 << 10
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

fn program_2d(dtype: DType, size: Option<(usize, usize)>) -> Program {
    match size {
        None => Program::new("convolve2d.cu", SOURCE_2D, &[("ELEMENT", dtype.cu_name())]),
        Some((rows, columns)) => {
            let (rows, columns) = (rows.to_string(), columns.to_string());
            let macros = [("ELEMENT", dtype.cu_name()), ("KERNEL_ROWS", &rows), ("KERNEL_COLUMNS", &columns)];
            Program::new("convolve2d.cu", SOURCE_2D, &macros)
        }
    }
}

/// Programs of every element type, and of some sizes, the largest and the smallest among them.
#[cfg(test)]
pub(super) fn programs() -> Vec<Program> {
    let mut all = Vec::new();
    let elements = |dtype: &DType| dtype.kind() == warpcell_base::dtype::Kind::Unsigned || dtype.is_float();
    for dtype in DType::COMPUTED.into_iter().filter(elements) {
        all.extend([program_1d(dtype), program_2d(dtype, None), program_2d(dtype, None).quickly()]);
    }
    for dtype in [DType::F32, DType::F64] {
        for (rows, columns) in [(1, 1), (2, 2), (3, 3), (15, 15), (7, 1), (1, 7), (32, 5), (5, 20), (15, 32)] {
            if has_sized_program(dtype, rows, columns) {
                all.push(program_2d(dtype, Some((rows, columns))));
            }
        }
    }
    all
}
