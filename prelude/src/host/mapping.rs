//! Functions of the notebook over host arrays, on the host's cores.

use crate::array::{RawArray, shape};
use crate::backend::cpu::elementwise::Input;
use crate::backend::cpu::map::{Source, on_host};
use crate::backend::{Layout, ReduceOperation};
use crate::error::Result;
use crate::operations::map::host::HostOperand;
use crate::registry::{self, Value};

/// Writes what the function gives for the operands to arrays. `values` are those of the structs.
///
/// # Safety
///
/// The function must accept the operands, which must broadcast to `shape`, and `outs` must be new arrays of its results' types.
pub(crate) unsafe fn compute(
    function: &registry::Function,
    reduction: Option<ReduceOperation>,
    operands: &[HostOperand<'_>],
    values: &[Option<Value>],
    shape: &[usize],
    outs: &[RawArray],
) -> Result<()> {
    let layout = |operand: &HostOperand<'_>| match operand {
        HostOperand::Array(array) => {
            let layout = Layout { shape: array.shape.clone(), strides: array.strides.clone(), offset: 0 };
            Some(shape::broadcast_layout(&layout, shape))
        }
        HostOperand::Scalar(_) | HostOperand::Struct(_) => None,
    };
    let layouts: Vec<Option<Layout>> = operands.iter().map(layout).collect();
    let inputs: Vec<Source<'_>> = operands
        .iter()
        .zip(layouts.iter().zip(values))
        .filter_map(|(operand, (layout, value))| match operand {
            HostOperand::Array(array) => {
                layout.as_ref().map(|layout| Source::Elements(Input::Array(array.pointer, layout)))
            }
            HostOperand::Scalar(value) => Some(Source::Elements(Input::Scalar(*value))),
            HostOperand::Struct(_) => value.as_ref().map(Source::Struct),
        })
        .collect();
    let views: Vec<_> = outs.iter().map(RawArray::view).collect();
    // SAFETY: the host arrays are borrowed; the rest is the caller's promise.
    unsafe { on_host(function, reduction, &inputs, shape, &views) }
}
