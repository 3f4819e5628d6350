//! The arguments of a call from Python: numbers converted, arrays made of the caller's tensors without copying.

use super::failures::{Failure, Kind};
use super::parameters::{Axes, ParameterKind, Use};
use super::{Called, listed};
use crate::array::{RawArray, byte_count, transfer, writable};
use crate::backend::{Foreign, Layout};
use crate::device::{Device, Handle};
use crate::dtype::{DType, Kind as Sort, Scalar};
use crate::interop::{device_of_tensor, dtype_of_tensor, overlaps, row_major};
use crate::launch::LaunchArgument;
use crate::launch::overlap::may_overlap;
use crate::operations::elementwise::RawOperand;
use crate::raw_kernels::RawArgument;
use crate::registry::values_of;
use dlpark::ffi::{DLManagedTensor, DLManagedTensorVersioned, DLPackVersion, DLTensor};
use dlpark::{DlpackFlags, TensorRef};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What values are.
pub mod kinds {
    /// True or false, in the word.
    pub const BOOL: u32 = 1;
    /// An integer of 64 bits with a sign, in the word.
    pub const INT: u32 = 2;
    /// One without.
    pub const UINT: u32 = 3;
    /// A float.
    pub const FLOAT: u32 = 4;
    /// A complex number.
    pub const COMPLEX: u32 = 5;
    /// The address of a `DLManagedTensor`.
    pub const TENSOR: u32 = 6;
    /// That of a `DLManagedTensorVersioned`.
    pub const VERSIONED_TENSOR: u32 = 7;
}

/// An argument or a result between Python and a function.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs, reason = "see `kinds`")]
pub struct Value {
    pub kind: u32,
    /// Of a tensor: 1 if the function keeps it, and calls its deleter.
    pub retained: u32,
    pub word: u64,
    pub real: f64,
    pub imaginary: f64,
}

/// An argument that was found to be of the parameter's kind.
pub struct Slot(Content);

enum Content {
    Number(Scalar),
    Array(RawArray),
    Taken,
}

impl Slot {
    pub(super) fn operand(&self) -> RawOperand<'_> {
        match &self.0 {
            Content::Number(value) => RawOperand::Scalar(*value),
            Content::Array(array) => RawOperand::Array(array),
            Content::Taken => unreachable!("each argument is taken once"),
        }
    }

    pub(super) fn launched(&self, kind: &ParameterKind) -> LaunchArgument<'_> {
        let writes = matches!(kind, ParameterKind::Array { used, .. } if used.writes());
        LaunchArgument::Plain(match self.operand() {
            RawOperand::Array(array) => RawArgument::Array { array, writes },
            RawOperand::Scalar(value) => RawArgument::Scalar { value, type_name: value.dtype().name() },
        })
    }

    pub(super) fn array(&self) -> &RawArray {
        self.operand().array().expect("arguments are checked")
    }

    pub(super) fn take_array(&mut self) -> RawArray {
        match std::mem::replace(&mut self.0, Content::Taken) {
            Content::Array(array) => array,
            _ => unreachable!("arguments are checked"),
        }
    }

    pub(super) fn number(&self) -> Scalar {
        match &self.0 {
            Content::Number(value) => *value,
            _ => unreachable!("arguments are checked"),
        }
    }
}

/// A tensor of the caller's. It becomes the function's own if an array of its elements is there when the call has ended.
struct Kept {
    tensor: Tensor,
    is_ours: AtomicBool,
}

#[derive(Clone, Copy)]
enum Tensor {
    Legacy(*mut DLManagedTensor),
    Versioned(*mut DLManagedTensorVersioned),
}

// SAFETY: DLPack's deleters may be called from any thread.
unsafe impl Send for Tensor {}
// SAFETY: the description of a tensor is only read.
unsafe impl Sync for Tensor {}

impl Drop for Kept {
    fn drop(&mut self) {
        if !*self.is_ours.get_mut() {
            return;
        }
        // SAFETY: the caller has given the tensor up (`Value::retained`), and nothing refers to it any more.
        unsafe {
            match self.tensor {
                Tensor::Legacy(tensor) => (*tensor).deleter.into_iter().for_each(|delete| delete(tensor)),
                Tensor::Versioned(tensor) => (*tensor).deleter.into_iter().for_each(|delete| delete(tensor)),
            }
        }
    }
}

/// The arguments of a call.
pub struct Arguments {
    pub slots: Vec<Slot>,
    /// For each the tensor, if it is one.
    kept: Vec<Option<Arc<Kept>>>,
    /// The device of the arrays.
    place: Option<Handle>,
    /// The arrays that are to be made.
    described: Vec<Described>,
}

/// An array as its tensor describes it.
struct Described {
    index: usize,
    handle: Handle,
    dtype: DType,
    layout: Layout,
    /// The addresses of the elements; empty if there are none.
    range: Range<usize>,
    used: Use,
    is_read_only: bool,
}

impl Arguments {
    /// # Safety
    ///
    /// What `call` asks for.
    pub unsafe fn of(called: &Called<'_>, values: &[Value]) -> Result<Arguments, Failure> {
        let mut slots: Vec<Slot> = Vec::with_capacity(values.len());
        let mut kept = Vec::with_capacity(values.len());
        let mut described = Vec::new();
        for (index, value) in values.iter().enumerate() {
            let argument = Argument { called, index };
            let tensor = match value.kind {
                kinds::TENSOR => Tensor::Legacy(std::ptr::with_exposed_provenance_mut(value.word as usize)),
                kinds::VERSIONED_TENSOR => {
                    Tensor::Versioned(std::ptr::with_exposed_provenance_mut(value.word as usize))
                }
                _ => {
                    slots.push(Slot(Content::Number(argument.number(value)?)));
                    kept.push(None);
                    continue;
                }
            };
            // SAFETY: the caller's promise.
            described.push(unsafe { argument.described(tensor) }?);
            slots.push(Slot(Content::Taken));
            kept.push(Some(Arc::new(Kept { tensor, is_ours: AtomicBool::new(false) })));
        }
        Ok(Arguments { slots, kept, place: called.one_device(&described)?, described })
    }

    pub fn device(&self) -> Option<Handle> {
        self.place.clone()
    }

    /// Makes the arrays, in the stream in which they are used. Those that have elements in common share one allocation, so that operations see that.
    ///
    /// # Safety
    ///
    /// What `call` asks for.
    pub unsafe fn adopt(&mut self, called: &Called<'_>) -> Result<(), Failure> {
        let mut described = std::mem::take(&mut self.described);
        described.sort_by_key(|array| array.range.start);
        let mut rest = described.as_mut_slice();
        while let Some(first) = rest.first() {
            let mut range = first.range.clone();
            let mut count = 1;
            while let Some(next) = rest.get(count).filter(|next| next.range.start < range.end) {
                range.end = range.end.max(next.range.end);
                count += 1;
            }
            let (group, others) = rest.split_at_mut(count);
            rest = others;
            // SAFETY: the caller's promise.
            unsafe { self.adopt_together(called, range, group) }?;
        }
        Ok(())
    }

    /// # Safety
    ///
    /// What `call` asks for; the range has the elements of all these arrays.
    unsafe fn adopt_together(
        &mut self,
        called: &Called<'_>,
        range: Range<usize>,
        group: &mut [Described],
    ) -> Result<(), Failure> {
        let handle = group[0].handle.clone();
        let allocation = match range.is_empty() {
            true => None,
            false => {
                let owner: Vec<Arc<Kept>> = group.iter().filter_map(|array| self.kept[array.index].clone()).collect();
                let memory = Foreign { address: range.start, bytes: range.len(), owner: Box::new(owner) };
                // SAFETY: the caller's promise. The tensors are kept, by the caller or by their owner here. On a CUDA device this thread is
                // in the caller's stream, behind whose work the caller uses the memory again.
                Some(unsafe { handle.backend.adopt_in_order(memory) }?)
            }
        };
        for array in group {
            let argument = Argument { called, index: array.index };
            let dtype = array.dtype;
            let Some(allocation) = &allocation else {
                let empty = RawArray::uninitialised("a call from Python", &handle, &array.layout.shape, dtype)?;
                self.slots[array.index] = Slot(Content::Array(empty));
                continue;
            };
            let mut layout = array.layout.clone();
            let before = array.range.start - range.start;
            if !before.is_multiple_of(dtype.size()) {
                return Err(argument.wrong(
                    Kind::Value,
                    "shares memory with another argument, at a place between its elements",
                    "copy",
                ));
            }
            layout.offset += before / dtype.size();
            let raw = RawArray { handle: handle.clone(), allocation: allocation.clone(), layout, dtype };
            let raw = argument.usable(raw, array)?;
            self.slots[array.index] = Slot(Content::Array(raw));
        }
        Ok(())
    }

    /// Fails if an array that the function changes by Rust's references has elements of another.
    pub fn are_apart(&self, called: &Called<'_>) -> Result<(), Failure> {
        let array = |index: usize| match &self.slots[index].0 {
            Content::Array(array) if array.size() > 0 => Some(array),
            _ => None,
        };
        let used = |index: usize| match called.kinds[index] {
            ParameterKind::Array { used, .. } => used,
            _ => Use::Read,
        };
        for one in 0..self.slots.len() {
            for other in (0..self.slots.len()).filter(|&other| other != one && used(other).writes()) {
                let (Some(first), Some(second)) = (array(one), array(other)) else { continue };
                if may_overlap(first, second) && (used(one).is_of_host() || used(other).is_of_host()) {
                    let names = [called.function.names[one], called.function.names[other]];
                    let text = format!(
                        "{}: {} have elements in common, and the function writes to {}; give a copy: {}.copy()",
                        called.function.name,
                        listed(&names),
                        names[1],
                        names[0]
                    );
                    return Err(Failure::new(Kind::Value, text));
                }
            }
        }
        Ok(())
    }

    /// Ends the call: tensors whose elements an array still has become the function's own.
    pub fn end(self, values: &mut [Value]) {
        drop(self.slots);
        for (kept, value) in self.kept.into_iter().zip(values) {
            let Some(kept) = kept else { continue };
            // With one reference, this, nobody can make another.
            if Arc::strong_count(&kept) > 1 {
                kept.is_ours.store(true, Ordering::Release);
                value.retained = 1;
            }
        }
    }
}

impl Called<'_> {
    /// The device of all arrays.
    fn one_device(&self, described: &[Described]) -> Result<Option<Handle>, Failure> {
        let Some(first) = described.first() else { return Ok(None) };
        match described.iter().find(|array| array.handle.device != first.handle.device) {
            None => Ok(Some(first.handle.clone())),
            Some(other) => Err(Failure::new(
                Kind::Value,
                format!(
                    "{}: {} is on {}, but {} is on {}; copy one of them to the other's device",
                    self.function.name,
                    self.function.names[first.index],
                    first.handle.device,
                    self.function.names[other.index],
                    other.handle.device
                ),
            )),
        }
    }
}

/// An argument that is looked at.
struct Argument<'a> {
    called: &'a Called<'a>,
    index: usize,
}

impl Argument<'_> {
    fn name(&self) -> &'static str {
        self.called.function.names[self.index]
    }

    /// What is wrong with the argument, and how another one is made of it.
    fn wrong(&self, kind: Kind, what: &str, remedy: &str) -> Failure {
        let name = self.name();
        let advice = match (remedy, self.called.library) {
            ("copy", TORCH) => format!("give a copy: {name}.clone()"),
            ("copy", _) => format!("give a copy: {name}.copy()"),
            ("contiguous", TORCH) => format!("write {name}.contiguous()"),
            ("contiguous", CUPY) => format!("write cupy.ascontiguousarray({name})"),
            ("contiguous", _) => format!("write numpy.ascontiguousarray({name})"),
            (remedy, _) => remedy.to_owned(),
        };
        Failure::new(kind, format!("{}: {name} {what}; {advice}", self.called.function.name))
    }

    /// An array of this type, of the argument.
    fn converted(&self, dtype: DType) -> String {
        let name = self.name();
        match self.called.library {
            TORCH => format!("write {name}.to(torch.{})", dtype.numpy_name()),
            _ => format!("write {name}.astype(\"{}\")", dtype.numpy_name()),
        }
    }

    /// A number as the parameter takes it.
    fn number(&self, value: &Value) -> Result<Scalar, Failure> {
        let name = self.name();
        let dtype = match self.called.kinds[self.index] {
            ParameterKind::Number(of) => values_of(of),
            ParameterKind::Element(dtype) => dtype,
            kind @ ParameterKind::Array { .. } => {
                let what = format!("is a number, but the function takes an {kind}");
                return Err(self.wrong(Kind::Type, &what, "give an array"));
            }
            ParameterKind::Struct => {
                let what = "is a struct in Rust, which Python has no value for";
                return Err(self.wrong(Kind::Type, what, "write a function that takes numbers and makes the struct"));
            }
        };
        let wanted = dtype.numpy_name();
        let wrong = |given: String, remedy: String| {
            Err(self.wrong(Kind::Type, &format!("is {given}, but the function takes {wanted}"), &remedy))
        };
        match (value.kind, dtype.kind()) {
            (kinds::BOOL, Sort::Bool) => Ok(Scalar::Bool(value.word != 0)),
            (kinds::BOOL, Sort::Float) => wrong("a bool".into(), format!("write float({name})")),
            (kinds::BOOL, _) => wrong("a bool".into(), format!("write int({name})")),
            (_, Sort::Bool) => wrong("a number".into(), format!("write bool({name})")),
            (kinds::INT | kinds::UINT, Sort::Signed | Sort::Unsigned) => {
                let integer = match value.kind {
                    kinds::INT => i128::from(value.word as i64),
                    _ => i128::from(value.word),
                };
                let bits = 8 * dtype.size() as u32;
                let (least, most) = match dtype.kind() {
                    Sort::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                    _ => (0, (1i128 << bits) - 1),
                };
                if (least..=most).contains(&integer) {
                    return Ok(Scalar::from_bits(dtype, integer as u128 & (u128::MAX >> (128 - bits))));
                }
                let what = format!("is {integer}, but the function takes {wanted}: {least} to {most}");
                Err(self.wrong(Kind::Value, &what, "give a number in this range"))
            }
            (kinds::FLOAT, Sort::Signed | Sort::Unsigned) => {
                wrong(format!("{:?}, a float", value.real), format!("write int({name})"))
            }
            (kinds::FLOAT, Sort::Complex) | (kinds::COMPLEX, Sort::Complex) => Ok(match dtype {
                DType::C64 => Scalar::C64(crate::Complex::new(value.real as f32, value.imaginary as f32)),
                _ => Scalar::C128(crate::Complex::new(value.real, value.imaginary)),
            }),
            (kinds::COMPLEX, _) => wrong("a complex number".into(), format!("write {name}.real")),
            (kinds::FLOAT, _) => Ok(Scalar::of_float(value.real, dtype)),
            (kinds::INT, _) => Ok(Scalar::of_float(value.word as i64 as f64, dtype)),
            (kinds::UINT, _) => Ok(Scalar::of_float(value.word as f64, dtype)),
            (other, _) => wrong(format!("a value of the kind {other}"), "install Warpcell again".to_owned()),
        }
    }

    /// What a tensor describes, if the parameter takes such an array.
    ///
    /// # Safety
    ///
    /// The tensor is what DLPack says.
    unsafe fn described(&self, tensor: Tensor) -> Result<Described, Failure> {
        let (dtype, axes, used) = match self.called.kinds[self.index] {
            ParameterKind::Element(dtype) => (dtype, Axes::Any, Use::Read),
            ParameterKind::Array { dtype, axes, used } => (dtype, axes, used),
            kind => {
                let what = format!("is an array, but the function takes a number ({kind})");
                return Err(self.wrong(Kind::Type, &what, &format!("give one element: {}.item()", self.name())));
            }
        };
        // SAFETY: the caller's promise.
        let (description, is_read_only) = unsafe { self.read(tensor) }?;
        let found = dtype_of_tensor(description.dtype());
        if found != Ok(dtype) {
            let found = found.map_or_else(|name| name, DType::numpy_name);
            let what = format!("has elements of {found}, but the function takes {}", dtype.numpy_name());
            return Err(self.wrong(Kind::Type, &what, &self.converted(dtype)));
        }
        let handle = device_of_tensor(description.device()).map_err(|error| {
            let failure = Failure::of_error(&error);
            Failure { text: format!("{}: {}: {}", self.called.function.name, self.name(), failure.text), ..failure }
        })?;
        let shape: Vec<usize> = description.shape().iter().map(|&length| length as usize).collect();
        if let Axes::Exactly(axes) = axes
            && axes != shape.len()
        {
            let count = |axes: usize| if axes == 1 { "1 axis".to_owned() } else { format!("{axes} axes") };
            let what = format!("has {}, but the function takes arrays with {axes}", count(shape.len()));
            return Err(self.wrong(Kind::Value, &what, &format!("write {}.reshape(…)", self.name())));
        }
        if used.is_of_host() && handle.device != Device::Cpu {
            let what = format!("is on {}, but the function takes an array on the host", handle.device);
            return Err(self.wrong(
                Kind::Value,
                &what,
                "let the function take a `&DeviceArray`, or copy the array to the host",
            ));
        }
        if is_read_only && used.writes() {
            let what = "is read-only or not aligned, but the function writes to it";
            return Err(self.wrong(Kind::Value, what, "copy"));
        }
        let strides = match description.strides() {
            // CuPy 14 divides bytes below 0 by the size of an element as numbers without a sign. What that gives, times the size, is the bytes again.
            Some(strides) => {
                let size = dtype.size() as i64;
                strides.iter().map(|&stride| (stride.wrapping_mul(size) / size) as isize).collect()
            }
            None => row_major(&shape),
        };
        let unreachable = || self.wrong(Kind::Value, "has a shape and strides that go beyond the memory", "copy");
        let address = (description.data_ptr().addr()).checked_add(description.byte_offset() as usize);
        let (layout, range) = if byte_count("a call from Python", &shape, dtype)? == 0 {
            (Layout::contiguous(&shape), 0..0)
        } else {
            let address = address.filter(|&address| address > 0).ok_or_else(unreachable)?;
            if !address.is_multiple_of(dtype.size()) {
                return Err(self.wrong(Kind::Value, "has elements at odd addresses", "copy"));
            }
            let (layout, first, bytes) = transfer::placed(address, dtype, shape, strides).ok_or_else(unreachable)?;
            (layout, first..first + bytes)
        };
        Ok(Described { index: self.index, handle, dtype, layout, range, used, is_read_only })
    }

    /// What a tensor says of itself, and whether it is read-only.
    ///
    /// # Safety
    ///
    /// The tensor is what DLPack says.
    unsafe fn read(&self, tensor: Tensor) -> Result<(TensorRef<'static>, bool), Failure> {
        let invalid = |reason: String| {
            let text = format!(
                "{}: {} has a tensor of DLPack that cannot be read: {reason}",
                self.called.function.name,
                self.name()
            );
            Failure::new(Kind::Value, text)
        };
        // SAFETY: the caller's promise.
        let (tensor, is_read_only): (&'static DLTensor, bool) = unsafe {
            match tensor {
                Tensor::Legacy(tensor) => (&(*tensor).dl_tensor, false),
                Tensor::Versioned(tensor) => {
                    let version = (*tensor).version;
                    version
                        .ensure_compatible_with(DLPackVersion::CURRENT)
                        .map_err(|error| invalid(error.to_string()))?;
                    (&(*tensor).dl_tensor, (*tensor).flags.contains(DlpackFlags::READ_ONLY))
                }
            }
        };
        // SAFETY: the caller's promise.
        let description = unsafe { TensorRef::from_raw(tensor) }.map_err(|error| invalid(error.to_string()))?;
        Ok((description, is_read_only))
    }

    /// An array as the function can use it: a copy, if it could write to elements that it must not write to.
    fn usable(&self, raw: RawArray, array: &Described) -> Result<RawArray, Failure> {
        const OPERATION: &str = "a call from Python";
        let used = array.used;
        let is_shared_twice = overlaps(&raw.layout) || writable(OPERATION, &raw).is_err();
        if used.writes() && is_shared_twice {
            return Err(self.wrong(
                Kind::Value,
                "has elements that several indices share, and the function writes to it",
                "copy",
            ));
        }
        if matches!(used, Use::Slice | Use::SliceMut) && !raw.layout.is_contiguous() {
            let what = "has elements that do not follow one another";
            let remedy = match used {
                // What is written to a contiguous copy is not in the array.
                Use::SliceMut => {
                    "let the function take an `ArrayViewMut` or a `&mut DeviceArray` in place of the slice"
                }
                _ => "contiguous",
            };
            return Err(self.wrong(Kind::Value, what, remedy));
        }
        if used.is_of_host() && raw.dtype == DType::Bool && !crate::array::ownership::has_only_bools(&raw) {
            return Err(self.wrong(Kind::Value, "has bools that are neither 0 nor 1", "copy"));
        }
        let must_be_copied =
            (used == Use::Share && (array.is_read_only || is_shared_twice)) || (used.is_of_host() && is_shared_twice);
        Ok(if must_be_copied { raw.copied(OPERATION)? } else { raw })
    }
}

/// The numbers of libraries, as `libraries.py` has them.
const CUPY: u32 = 1;
const TORCH: u32 = 2;
