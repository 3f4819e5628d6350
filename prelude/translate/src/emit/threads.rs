//! What only threads of a kernel have: views, shared arrays, and what threads do with one another.

use super::function::{Operand, PRIMARY, UNARY, Writer};
use super::literals;
use super::operators::{ADD, MULTIPLY, infix};
use crate::names::member_name;
use crate::scalars::{Scalar, name_of};
use crate::threads::{Argument, Atomic, Given, Kind, ThreadFunction};
use crate::tree::{Expression, ExpressionKind};
use crate::types::{Access, Layout, Ty};

/// A view that is used: all that is known of it.
pub(super) struct View {
    pub(super) name: String,
    pub(super) element: Scalar,
    pub(super) layout: Layout,
}

/// What `%` of an axis reads of one of CUDA's variables, as a `usize`.
fn place(variable: &str, axis: &str) -> Operand {
    Operand { text: format!("(usize){variable}.{axis}"), level: UNARY, stable: true }
}

/// The number of a thread in the grid, along an axis.
pub(super) fn global_index(axis: &str) -> Operand {
    let start = infix(&place("blockIdx", axis), "*", &place("blockDim", axis), MULTIPLY);
    infix(&start, "+", &place("threadIdx", axis), ADD)
}

/// The number of all threads of a grid, along an axis.
pub(super) fn grid_size(axis: &str) -> Operand {
    infix(&place("gridDim", axis), "*", &place("blockDim", axis), MULTIPLY)
}

impl Writer<'_> {
    /// A part of what a function such as `thread_idx` gives.
    pub(super) fn place_of_thread(&mut self, function: &ThreadFunction, axis: &str) -> Operand {
        if function.name == "global_idx" { global_index(axis) } else { place(function.c_name, axis) }
    }

    /// A call of a function that needs threads.
    pub(super) fn thread_call(
        &mut self,
        function: &'static ThreadFunction,
        arguments: &[Expression],
        expression: &Expression,
    ) -> Operand {
        match (function.result, function.kind) {
            (Given::Dim3, _) => {
                let name = {
                    let ty = self.value_type(expression);
                    self.module.type_name(&ty)
                };
                let axes = ["x", "y", "z"].map(|axis| self.place_of_thread(function, axis).text);
                return Operand::primary(format!("{name}{{{}}}", axes.join(", ")), true);
            }
            (Given::Usize, Kind::Place) if function.c_name.is_empty() => return Operand::primary("32ULL", true),
            (_, Kind::Place) => {
                let name = self.support(function.c_name);
                return Operand::primary(format!("{name}()"), true);
            }
            (_, Kind::Barrier) => self.module.uses_barriers = true,
            (_, Kind::Warp) => {}
        }
        self.has_effects = true;
        let operands = self.values(&arguments.iter().collect::<Vec<_>>());
        let text = |(operand, (expression, argument)): (&Operand, (&Expression, &Argument))| {
            let is_wide = self.value_type(expression).scalar() == Some(Scalar::Usize);
            if *argument == Argument::Lane && is_wide {
                format!("(u32){}", operand.at(UNARY))
            } else {
                operand.text.clone()
            }
        };
        let texts: Vec<String> = operands.iter().zip(arguments.iter().zip(function.arguments)).map(text).collect();
        let text = format!("{}({})", function.c_name, texts.join(", "));
        // CUDA tells truth by an integer.
        if function.result == Given::Bool {
            return Operand { text: format!("{text} != 0"), level: super::operators::EQUALITY, stable: false };
        }
        Operand::primary(text, false)
    }

    /// What a view's expression stands for: a parameter or a shared array, whatever names it was given since.
    pub(super) fn view(&mut self, expression: &Expression) -> View {
        let ty = self.value_type(expression);
        let name = self.value(expression).text;
        match ty {
            Ty::View(_, element, layout) => View {
                name,
                element: element.scalar().unwrap_or(Scalar::F32),
                layout: match *layout {
                    Ty::Layout(layout) => layout,
                    _ => Layout::Argument,
                },
            },
            _ => View { name, element: Scalar::F32, layout: Layout::Argument },
        }
    }

    /// An element of a view, as a place.
    pub(super) fn element(&mut self, view: &Expression, index: &Expression, line: usize) -> Operand {
        self.reads_memory = true;
        let view = self.view(view);
        let (operands, bounds) = self.indices(index);
        if let (Layout::Dynamic { .. }, true) = (&view.layout, self.module.checked) {
            self.support("warpcell_dynamic_length");
        }
        let lengths: Vec<Operand> = (0..view.layout.rank()).map(|axis| view.length(axis)).collect();
        let mut checked = Vec::new();
        for (axis, ((operand, bounds), length)) in operands.iter().zip(&bounds).zip(&lengths).enumerate() {
            checked.push(self.checked(operand, *bounds, &view, axis, length, line));
        }
        let name = &view.name;
        match &view.layout {
            Layout::Fixed { .. } => {
                let indices: String = checked.iter().map(|index| format!("[{}]", index.text)).collect();
                Operand::primary(format!("{name}{indices}"), false)
            }
            Layout::Global { rank: 0, .. } => Operand::primary(format!("{name}.data[0]"), false),
            Layout::Global { contiguous: false, .. } => {
                let parts = checked.iter().enumerate().map(|(axis, index)| {
                    let signed = Operand { text: format!("(i64){}", index.at(UNARY)), level: UNARY, stable: false };
                    infix(&signed, "*", &Operand::primary(format!("{name}.strides[{axis}]"), true), MULTIPLY)
                });
                let sum = parts.reduce(|sum, part| infix(&sum, "+", &part, ADD));
                Operand::primary(format!("{name}.data[{}]", sum.map_or_else(|| "0".to_owned(), |sum| sum.text)), false)
            }
            Layout::Global { .. } => {
                let mut at = checked.first().cloned().unwrap_or_else(|| Operand::primary("0", true));
                for (index, length) in checked.iter().zip(&lengths).skip(1) {
                    at = infix(&infix(&at, "*", length, MULTIPLY), "+", index, ADD);
                }
                Operand::primary(format!("{name}.data[{}]", at.text), false)
            }
            Layout::Dynamic { .. } | Layout::Argument => {
                Operand::primary(format!("{name}[{}]", checked.first().map_or("0", |index| &index.text)), false)
            }
        }
    }

    /// The index along each axis, and between which numbers each is.
    fn indices(&mut self, index: &Expression) -> (Vec<Operand>, Vec<(i128, i128)>) {
        if let ExpressionKind::Array(parts) | ExpressionKind::Tuple(parts) = &index.kind {
            let operands = self.values(&parts.iter().collect::<Vec<_>>());
            let bounds = parts.iter().map(|part| self.bounds(part)).collect();
            return (operands, bounds);
        }
        let ty = self.value_type(index);
        if let Ty::Array(_, Some(count)) = ty {
            let operand = self.value(index);
            let operand = if operand.is_name() { operand } else { self.keep(&operand, &ty) };
            let part = |at| Operand::primary(format!("{}.at[{at}]", operand.text), operand.stable);
            return ((0..count).map(part).collect(), vec![(0, i128::MAX); count]);
        }
        if let Ty::Tuple(parts) = &ty {
            let operand = self.value(index);
            let operand = if operand.is_name() { operand } else { self.keep(&operand, &ty) };
            let part = |at: usize| {
                Operand::primary(format!("{}.{}", operand.text, member_name(&at.to_string())), operand.stable)
            };
            return ((0..parts.len()).map(part).collect(), vec![(0, i128::MAX); parts.len()]);
        }
        (vec![self.value(index)], vec![self.bounds(index)])
    }

    /// An index that is less than a length, or ends the thread.
    fn checked(
        &mut self,
        index: &Operand,
        (low, high): (i128, i128),
        view: &View,
        axis: usize,
        length: &Operand,
        line: usize,
    ) -> Operand {
        let fits = match &view.layout {
            Layout::Fixed { shape, .. } => high < shape[axis] as i128,
            _ => false,
        };
        if fits && low == high {
            return Operand::primary(low.to_string(), true);
        }
        if fits || !self.module.checked {
            return index.clone();
        }
        let function = self.support("checked_axis");
        let array = view.layout.number() + 1;
        let place = self.place_of_failure(line);
        let text = format!("{function}({}, {}, {array}, {axis}, {place})", index.text, length.text);
        Operand::primary(text, false)
    }

    /// How many elements a view has.
    pub(super) fn length(&mut self, view: &Expression) -> Operand {
        let view = self.view(view);
        match &view.layout {
            Layout::Fixed { shape, .. } => {
                let length = shape.iter().map(|length| *length as i128).product();
                Operand::primary(literals::integer(length, Scalar::Usize), true)
            }
            layout => {
                let lengths = (0..layout.rank()).map(|axis| view.length(axis));
                let product = lengths.reduce(|product, length| infix(&product, "*", &length, MULTIPLY));
                if let Layout::Dynamic { .. } = layout {
                    self.support("warpcell_dynamic_length");
                }
                product.unwrap_or_else(|| Operand::primary("1ULL", true))
            }
        }
    }

    /// The lengths of a view's axes as a value of its own.
    pub(super) fn shape(&mut self, view: &Expression, expression: &Expression) -> Operand {
        let view = self.view(view);
        let name = {
            let ty = self.value_type(expression);
            self.module.type_name(&ty)
        };
        let lengths: Vec<String> = (0..view.layout.rank()).map(|axis| view.length(axis).text).collect();
        if lengths.is_empty() {
            return Operand::primary(format!("{name}{{}}"), true);
        }
        Operand::primary(format!("{name}{{{{{}}}}}", lengths.join(", ")), true)
    }

    /// The length of one axis, `view.shape()[axis]`.
    pub(super) fn length_of_axis(&mut self, view: &Expression, axis: usize) -> Operand {
        self.view(view).length(axis)
    }

    /// A change of an element while no other thread changes it.
    pub(super) fn atomic(
        &mut self,
        atomic: &'static Atomic,
        view: &Expression,
        index: &Expression,
        values: &[Expression],
        line: usize,
    ) -> Operand {
        self.has_effects = true;
        // The index is Rust's first argument, and so what it does comes first.
        let before = self.lines.len();
        let mut place = self.element(view, index, line);
        let mut at = self.lines.len();
        let mut operands: Vec<Operand> = Vec::new();
        for value in values {
            let start = self.lines.len();
            let operand = self.value(value);
            if self.lines.len() > start {
                for kept in operands.iter_mut().filter(|kept| !kept.stable) {
                    let ty = self.value_type(value);
                    *kept = self.keep_at(start, &kept.clone(), &ty);
                }
                if at >= before {
                    let ty = Ty::Reference(true, Box::new(self.value_type(value)));
                    place = self.keep_at(at, &place, &ty);
                    at = 0;
                }
            }
            operands.push(operand);
        }
        let Ty::View(_, element, _) = self.value_type(view) else { return place };
        let function = self.support(&atomic.c_name(element.scalar().unwrap_or(Scalar::I32)));
        let texts: String = operands.iter().map(|operand| format!(", {}", operand.text)).collect();
        Operand::primary(format!("{function}(&{}{texts})", place.at(PRIMARY)), false)
    }

    /// Declares a shared array.
    pub(super) fn shared_array(&mut self, id: usize, ty: &Ty) {
        self.has_effects = true;
        let Ty::View(_, element, layout) = ty else { return };
        let element = element.scalar().unwrap_or(Scalar::F32);
        let of = name_of(element);
        let name = self.fresh(&self.function.locals[id].name);
        let unused = if self.function.locals[id].reads == 0 { "[[maybe_unused]] " } else { "" };
        match &**layout {
            Ty::Layout(Layout::Fixed { shape, .. }) => {
                let size = crate::scalars::size_of(element);
                let bytes = shape.iter().product::<usize>() * size;
                self.module.static_shared_bytes = self.module.static_shared_bytes.next_multiple_of(size) + bytes;
                // C++ has no arrays of nothing.
                let lengths: String = shape.iter().map(|length| format!("[{}]", (*length).max(1))).collect();
                self.line(format!("{unused}__shared__ {of} {name}{lengths};"));
            }
            _ => {
                self.module.uses_dynamic_shared = true;
                let function = self.support("warpcell_dynamic");
                self.line(format!("{unused}{of} *const {name} = {function}<{of}>();"));
            }
        }
        self.local_names.insert(id, name);
    }

    /// The text that declares a parameter that is a view.
    pub(super) fn view_parameter(&mut self, ty: &Ty, own: &str, is_kernel: bool) -> String {
        let Ty::View(access, element, layout) = ty.referent() else { return own.to_owned() };
        let of = name_of(element.scalar().unwrap_or(Scalar::F32));
        match &**layout {
            Ty::Layout(Layout::Fixed { shape, .. }) => {
                let lengths: String = shape.iter().map(|length| format!("[{}]", (*length).max(1))).collect();
                format!("{of} (&{own}){lengths}")
            }
            Ty::Layout(layout @ Layout::Global { .. }) => {
                let element = element.scalar().unwrap_or(Scalar::F32);
                let name = self.module.view_name(*access, element, layout.rank());
                if is_kernel { format!("const __grid_constant__ {name} {own}") } else { format!("const {name} &{own}") }
            }
            _ => format!("{of} *const {own}"),
        }
    }
}

impl View {
    /// The length of an axis.
    fn length(&self, axis: usize) -> Operand {
        let of = name_of(self.element);
        match &self.layout {
            Layout::Fixed { shape, .. } => {
                Operand::primary(literals::integer(shape[axis] as i128, Scalar::Usize), true)
            }
            Layout::Global { .. } => Operand::primary(format!("{}.shape[{axis}]", self.name), true),
            _ => Operand::primary(format!("warpcell_dynamic_length<{of}>()"), true),
        }
    }
}

/// What the struct of a view is called, if nothing else is.
pub(super) fn view_struct(access: Access, element: Scalar, rank: usize) -> String {
    format!("{}{rank}_{}", access.type_name(), name_of(element))
}
