//! Graphs of the CPU: what methods of the backend are asked for, noted with what it needs, and done again at each launch.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};
use warpcell_base::backend::kernel::{Argument, Launch};
use warpcell_base::backend::{Allocation, Backend, Bins, CaptureHandle, GraphHandle, Layout, Operand, Span, View};
use warpcell_base::dtype::{DType, Scalar};
use warpcell_base::error::{Error, Result};
use warpcell_base::registry::Function;

type Operation = Box<dyn Fn(&dyn Backend) -> Result<()> + Send + Sync>;

thread_local! {
    /// What this thread captures.
    static NOTES: RefCell<Option<Vec<Operation>>> = const { RefCell::new(None) };
}

/// Whether this thread captures a graph.
pub(super) fn is_capturing() -> bool {
    NOTES.with_borrow(Option::is_some)
}

/// Notes an operation.
pub(super) fn note(operation: impl Fn(&dyn Backend) -> Result<()> + Send + Sync + 'static) {
    NOTES.with_borrow_mut(|notes| {
        if let Some(notes) = notes {
            notes.push(Box::new(operation));
        }
    });
}

/// The error of a method that notes nothing.
pub(super) fn not_noted() -> Error {
    let reason = "a graph on the CPU does not support it; do it before the capture, or do not use a graph";
    Error::NotCapturable { operation: "this operation", reason }
}

/// At the head of a method of the backend: while a graph is captured, notes the call and returns. The arguments that are
/// named are kept, and given back by `view`.
macro_rules! noted {
    (|$backend:ident, $($argument:ident),+| $call:expr) => {
        if crate::graph::is_capturing() {
            let ($($argument,)+) = ($(crate::graph::Keep::keep($argument),)+);
            crate::graph::note(move |$backend| $call);
            return Ok(());
        }
    };
}
pub(super) use noted;

/// An argument that can be kept.
pub(super) trait Keep {
    type Kept;
    fn keep(self) -> Self::Kept;
}

/// An array that is kept.
pub(super) struct KeptView {
    allocation: Arc<dyn Allocation>,
    layout: Layout,
    dtype: DType,
}

impl KeptView {
    pub fn view(&self) -> View<'_> {
        View { allocation: &self.allocation, layout: &self.layout, dtype: self.dtype }
    }
}

impl Keep for View<'_> {
    type Kept = KeptView;
    fn keep(self) -> KeptView {
        KeptView { allocation: self.allocation.clone(), layout: self.layout.clone(), dtype: self.dtype }
    }
}

impl Keep for Option<View<'_>> {
    type Kept = Option<KeptView>;
    fn keep(self) -> Option<KeptView> {
        self.map(Keep::keep)
    }
}

/// An operand that is kept.
pub(super) enum KeptOperand {
    Array(KeptView),
    Scalar(Scalar),
}

impl KeptOperand {
    pub fn view(&self) -> Operand<'_> {
        match self {
            KeptOperand::Array(array) => Operand::Array(array.view()),
            KeptOperand::Scalar(value) => Operand::Scalar(*value),
        }
    }
}

impl Keep for Operand<'_> {
    type Kept = KeptOperand;
    fn keep(self) -> KeptOperand {
        match self {
            Operand::Array(view) => KeptOperand::Array(view.keep()),
            Operand::Scalar(value) => KeptOperand::Scalar(value),
        }
    }
}

impl Keep for &[Operand<'_>] {
    type Kept = Vec<KeptOperand>;
    fn keep(self) -> Vec<KeptOperand> {
        self.iter().map(|operand| operand.keep()).collect()
    }
}

/// Bins that are kept.
pub(super) enum KeptBins {
    Values,
    Between(KeptView, Span),
}

impl KeptBins {
    pub fn view(&self) -> Bins<'_> {
        match self {
            KeptBins::Values => Bins::Values,
            KeptBins::Between(edges, span) => Bins::Between(edges.view(), *span),
        }
    }
}

impl Keep for Bins<'_> {
    type Kept = KeptBins;
    fn keep(self) -> KeptBins {
        match self {
            Bins::Values => KeptBins::Values,
            Bins::Between(edges, span) => KeptBins::Between(edges.keep(), span),
        }
    }
}

/// An argument of a kernel that is kept.
pub(super) enum KeptArgument {
    Array(KeptView, bool),
    Scalar(Scalar),
}

impl KeptArgument {
    pub fn view(&self) -> Argument<'_> {
        match self {
            KeptArgument::Array(array, writes) => Argument::Array(array.view(), *writes),
            KeptArgument::Scalar(value) => Argument::Scalar(*value),
        }
    }
}

impl Keep for &[Argument<'_>] {
    type Kept = Vec<KeptArgument>;
    fn keep(self) -> Vec<KeptArgument> {
        let kept = |argument: &Argument<'_>| match *argument {
            Argument::Array(view, writes) => KeptArgument::Array(view.keep(), writes),
            Argument::Scalar(value) => KeptArgument::Scalar(value),
        };
        self.iter().map(kept).collect()
    }
}

impl Keep for &Launch {
    type Kept = Launch;
    fn keep(self) -> Launch {
        *self
    }
}

impl Keep for &[usize] {
    type Kept = Vec<usize>;
    fn keep(self) -> Vec<usize> {
        self.to_vec()
    }
}

impl Keep for &[View<'_>] {
    type Kept = Vec<KeptView>;
    fn keep(self) -> Vec<KeptView> {
        self.iter().map(|view| view.keep()).collect()
    }
}

impl Keep for &Function {
    type Kept = Function;
    fn keep(self) -> Function {
        *self
    }
}

/// A capture under way.
pub(super) struct CpuCapture {
    is_open: bool,
}

impl CpuCapture {
    pub fn begin() -> Result<CpuCapture> {
        if is_capturing() {
            let reason = "another graph is being captured; capture one after the other";
            return Err(Error::NotCapturable { operation: "Graph::capture", reason });
        }
        NOTES.set(Some(Vec::new()));
        Ok(CpuCapture { is_open: true })
    }
}

impl CaptureHandle for CpuCapture {
    fn finish(mut self: Box<Self>) -> Result<Box<dyn GraphHandle>> {
        self.is_open = false;
        let operations = NOTES.take().unwrap_or_default();
        Ok(Box::new(CpuGraph { operations, launching: Mutex::default() }))
    }
}

impl Drop for CpuCapture {
    fn drop(&mut self) {
        if self.is_open {
            drop(NOTES.take());
        }
    }
}

/// A captured graph.
struct CpuGraph {
    operations: Vec<Operation>,
    /// Launches follow one another: they use the same memory.
    launching: Mutex<()>,
}

impl GraphHandle for CpuGraph {
    fn launch(&self) -> Result<()> {
        if is_capturing() {
            let reason = "a graph cannot be part of another graph; end the capture first";
            return Err(Error::NotCapturable { operation: "Graph::launch", reason });
        }
        let _turn = self.launching.lock().unwrap_or_else(PoisonError::into_inner);
        let backend = super::backend();
        self.operations.iter().try_for_each(|operation| operation(&*backend))
    }

    fn operations(&self) -> usize {
        self.operations.len()
    }
}
