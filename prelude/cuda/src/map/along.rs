//! Formulas along the rows of arrays: each but the last one is reduced over the row, and those behind it take the result. One kernel, whose
//! blocks have a row each; what a row's first formula has read, the next ones find in the caches.

use super::program::{Stages, StagesProgram, has_loops};
use super::{Loaded, Maps, Translated, contracts, is_exact, options};
use crate::codegen::Form;
use crate::{address_of, blocks, source_of};
use std::sync::{Arc, PoisonError};
use warpcell_base::backend::launch::Argument;
use warpcell_base::backend::{Stage, View};
use warpcell_base::dtype::DType;
use warpcell_base::error::Result;
use warpcell_base::registry::element_of;
use warpcell_driver::compile;
use warpcell_driver::module::Module;
use warpcell_driver::recorded::Request;
use warpcell_translate::{FunctionParameter as TranslatedParameter, Scalar};

/// Threads of a block, at most.
const MOST_THREADS: usize = 512;
/// Rows of other lengths, and few rows, are computed by an operation for each formula.
const LENGTHS: std::ops::RangeInclusive<usize> = 2..=1 << 20;
const FEWEST_ROWS: usize = 16;
/// The most kernels that are kept.
const MOST_KERNELS: usize = 256;

/// The differences between kernels. It keeps the translations alive, so that none has the address of an earlier one.
pub(super) struct Key {
    translated: Vec<Arc<Translated>>,
    stages: Stages,
}

impl Key {
    fn is(&self, translated: &[Arc<Translated>], stages: &Stages) -> bool {
        self.stages == *stages
            && self.translated.len() == translated.len()
            && self.translated.iter().zip(translated).all(|(own, other)| Arc::ptr_eq(own, other))
    }
}

/// Whether an array begins at a multiple of 16 bytes, as its rows do.
fn is_aligned(address: u64, length: usize, dtype: DType) -> bool {
    address.is_multiple_of(16) && (length * dtype.size()).is_multiple_of(16)
}

impl Maps {
    /// Computes it, or gives `false` where operations for each formula do it.
    pub fn along(
        &self,
        stages: &[Stage<'_>],
        inputs: &[Argument<'_>],
        shape: [usize; 2],
        out: View<'_>,
    ) -> Result<bool> {
        let [rows, length] = shape;
        if !LENGTHS.contains(&length) || rows < FEWEST_ROWS || u32::try_from(rows).is_err() {
            return Ok(false);
        }
        let mut words: Vec<u128> = Vec::with_capacity(inputs.len() + 8);
        let (mut scalars, mut vectors, mut aligned) = (0, 0, true);
        let (mut widest, mut bytes) = (0, 0);
        for (number, input) in inputs.iter().enumerate() {
            match *input {
                Argument::Array(view, _) => {
                    let &[down, across] = &view.layout.strides[..] else { return Ok(false) };
                    let is_vector = down == 0;
                    if across != 1 || !(is_vector || down == length as isize) {
                        return Ok(false);
                    }
                    vectors |= u32::from(is_vector) << number;
                    let address = source_of(view)?;
                    aligned &= is_aligned(address, length, view.dtype);
                    widest = widest.max(view.dtype.size());
                    bytes += view.dtype.size();
                    words.push(address.into());
                }
                Argument::Scalar(value) => {
                    scalars |= 1 << number;
                    words.push(value.bits());
                }
                Argument::Struct(_) => return Ok(false),
            }
        }
        let mut translated = Vec::with_capacity(stages.len());
        for stage in stages {
            let found = self.found(stage.function)?;
            if !is_simple(&found) {
                return Ok(false);
            }
            translated.push(found);
            words.extend(stage.function.captures.scalars().iter().map(|captured| captured.bits));
        }
        let is_reduced = stages.last().is_some_and(|stage| stage.reduction.is_some());
        let target = address_of(out)?;
        if !is_reduced {
            aligned &= is_aligned(target, length, out.dtype);
            widest = widest.max(out.dtype.size());
        }
        if widest == 0 {
            return Ok(false);
        }
        let threads = (length / 8).next_power_of_two().clamp(32, MOST_THREADS);
        let exact = stages.iter().any(|stage| is_exact(stage.function.name));
        let has_loops = translated.iter().any(|translated| has_loops(&translated.translation.source));
        let stages = Stages {
            reductions: stages.iter().map(|stage| stage.reduction).collect(),
            inputs: inputs.len(),
            scalars,
            vectors,
            aligned,
            threads,
            // With zeros, which fill a row up, loops might not end.
            kept: if has_loops { None } else { Stages::kept(length, threads, Stages::of_pack(aligned, widest), bytes) },
            contracts: contracts() && !exact,
        };
        let Some(kernel) = self.kernel_along(translated, stages)? else { return Ok(false) };
        words.extend([u128::from(target), length as u128]);
        let mut pointers: Vec<*mut std::ffi::c_void> =
            words.iter().map(|word| (&raw const *word).cast_mut().cast()).collect();
        let grid = blocks("map_along", rows, 1)?;
        // SAFETY: the arguments are those of the kernel: an address or a value for each input, of its type, what the formulas have
        // captured, the address of the results and the length of a row, of which there are as many as blocks. The views lie in live
        // allocations; packs are used where all rows begin at multiples of 16 bytes.
        unsafe { self.launch(&kernel, (grid, 1), &mut pointers)? };
        Ok(true)
    }

    fn kernel_along(&self, translated: Vec<Arc<Translated>>, stages: Stages) -> Result<Option<Arc<Loaded>>> {
        let mut kernels = self.along.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, kernel)) = kernels.iter().find(|(key, _)| key.is(&translated, &stages)) {
            return Ok(Some(kernel.clone()));
        }
        let translations: Vec<_> = translated.iter().map(|translated| &translated.translation).collect();
        let Some(mut program) = stages.program(&translations) else { return Ok(None) };
        let (mut threads, options) = (stages.threads, options(stages.contracts));
        let general = stages.general(MOST_THREADS);
        if compile::has_choices()
            && general != stages
            && let Some(of_all) = general.program(&translations)
            && !compile::takes(self.device.target(), &request(&program, &options), &request(&of_all, &options))?
        {
            (program, threads) = (of_all, general.threads);
        }
        let module = Module::compile(&self.device, &request(&program, &options), String::new())?;
        let function = module.function(program.name)?;
        let (form, each, resident, record) = (Form::Packed, 1, 1, None);
        let loaded = Arc::new(Loaded { function, form, each, threads, resident, _module: module, record });
        if kernels.len() >= MOST_KERNELS {
            kernels.clear();
        }
        kernels.push((Key { translated, stages }, loaded.clone()));
        Ok(Some(loaded))
    }
}

/// A program as the compiler takes it.
fn request<'a>(program: &'a StagesProgram, options: &'a [String]) -> Request<'a> {
    Request { name: "along.cu", source: &program.source, options, functions: None }
}

/// Whether a function has one result, takes numbers only, and cannot fail.
fn is_simple(translated: &Translated) -> bool {
    let translation = &translated.translation;
    let is_number = |scalar: &Scalar| {
        *scalar != Scalar::Bool && element_of(*scalar).is_some_and(|dtype| !dtype.is_storage() && !dtype.is_complex())
    };
    !translation.may_fail
        && matches!(&translation.results[..], [result] if is_number(result))
        && translation.parameters.iter().all(|parameter| match parameter {
            TranslatedParameter::Scalar(scalar) => is_number(scalar),
            TranslatedParameter::Struct { .. } => false,
        })
}
