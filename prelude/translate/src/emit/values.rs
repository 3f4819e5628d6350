//! Expressions as text. What Rust evaluates first is evaluated first: where a later operand needs statements of its own, earlier
//! ones are kept in variables before these.

use super::branches::Subject;
use super::function::{Operand, PRIMARY, Target, UNARY, Writer, is_simple};
use super::literals;
use super::operators::{self, AND, OR, compared, infix};
use crate::methods::{self, Method, MethodResult};
use crate::names::member_name;
use crate::program::Value;
use crate::scalars::{Scalar, is_float, is_integer};
use crate::tree::{Expression, ExpressionKind};
use crate::types::Ty;

/// How tightly `? :` binds.
const CHOICE: u8 = 2;

/// As many elements of `[x; N]` as are written out.
const WRITTEN_ELEMENTS: usize = 8;

impl Writer<'_> {
    /// An expression that is a part of another one.
    pub(super) fn value(&mut self, expression: &Expression) -> Operand {
        let operand = self.whole_value(expression);
        // A call that changes something must not be moved.
        if self.changes(expression) {
            let ty = self.value_type(expression);
            self.comment_through(expression.last_line);
            if ty.is_unit() || matches!(ty, Ty::Variable(_)) {
                self.line(format!("{};", operand.text));
                return self.unit();
            }
            return self.keep(&operand, &ty);
        }
        operand
    }

    /// Whether an expression is a call that may change what it is given.
    fn changes(&self, expression: &Expression) -> bool {
        match &expression.kind {
            ExpressionKind::Thread(function, _) => function.has_effects(),
            ExpressionKind::Atomic(..) => true,
            ExpressionKind::Call(_, arguments, has_effects) => {
                *has_effects
                    || arguments.iter().any(|argument| matches!(self.type_of(argument), Ty::Reference(true, _)))
                    || self.value_type(expression).is_unit()
            }
            _ => false,
        }
    }

    fn unit(&mut self) -> Operand {
        let name = self.module.type_name(&Ty::UNIT);
        Operand::primary(format!("{name}{{}}"), true)
    }

    /// Several expressions, evaluated in their order.
    pub(super) fn values(&mut self, expressions: &[&Expression]) -> Vec<Operand> {
        let asked: Vec<_> = expressions.iter().map(|expression| (*expression, false)).collect();
        self.operands(&asked)
    }

    /// The same, of which some are places that are assigned to.
    pub(super) fn operands(&mut self, asked: &[(&Expression, bool)]) -> Vec<Operand> {
        let mut done: Vec<(usize, Operand)> = Vec::new();
        for (expression, is_place) in asked {
            let before = self.lines.len();
            let operand = if *is_place { self.place(expression) } else { self.value(expression) };
            if self.lines.len() > before {
                // From the last one on, so that the places of the others stay what they are.
                for index in (0..done.len()).rev() {
                    // A view stays what it is, whatever happens to its elements.
                    if !done[index].1.stable && !self.type_of(asked[index].0).is_view() {
                        let ty = self.kept_type(asked[index].0, asked[index].1);
                        done[index].1 = self.keep_at(done[index].0, &done[index].1.clone(), &ty);
                    }
                }
            }
            done.push((self.lines.len(), operand));
        }
        done.into_iter().map(|(_, operand)| operand).collect()
    }

    /// As what an operand is kept: a place as a reference.
    fn kept_type(&self, expression: &Expression, is_place: bool) -> Ty {
        match self.type_of(expression) {
            Ty::Reference(true, of) => Ty::Reference(true, of),
            ty if is_place => Ty::Reference(true, Box::new(ty.referent().clone())),
            ty => ty.referent().clone(),
        }
    }

    /// An expression whose value is used at once, by the statement that is written next.
    pub(super) fn whole_value(&mut self, expression: &Expression) -> Operand {
        match &expression.kind {
            ExpressionKind::Integer(value) => match self.value_type(expression).scalar() {
                Some(scalar) if is_float(scalar) => self.float(&value.to_string(), scalar),
                Some(scalar) => {
                    let text = literals::integer(i128::try_from(*value).unwrap_or(0), scalar);
                    let level = if text.starts_with('-') { UNARY } else { PRIMARY };
                    Operand { text, level, stable: true }
                }
                None => Operand::primary(value.to_string(), true),
            },
            ExpressionKind::Float(digits) => {
                let scalar = self.value_type(expression).scalar().unwrap_or(Scalar::F64);
                self.float(digits, scalar)
            }
            ExpressionKind::Bool(truth) => Operand::primary(truth.to_string(), true),
            ExpressionKind::Local(id) => {
                let text = self.local_names.get(id).cloned().unwrap_or_else(|| "unnamed".to_owned());
                Operand::primary(text, !self.is_mutable(*id))
            }
            ExpressionKind::Constant(name, value) => match self.module.constant(name, value) {
                Some(name) => Operand::primary(name, true),
                None => self.constant(value),
            },
            ExpressionKind::Value(value) => self.constant(value),
            ExpressionKind::Not(of) => {
                let operand = self.value(of);
                self.inversion(of, &operand)
            }
            ExpressionKind::Negate(of) => {
                let operand = self.value(of);
                self.negation(of, &operand)
            }
            ExpressionKind::Binary(operator, left, right) => {
                let operands = self.values(&[left, right]);
                let scalar = self.value_type(expression).scalar().unwrap_or(Scalar::I32);
                let sides = ((&**left, &operands[0]), (&**right, &operands[1]));
                self.operation(*operator, scalar, sides.0, sides.1, expression.line)
            }
            ExpressionKind::Compare(comparison, left, right) => {
                let operands = self.values(&[left, right]);
                let ty = self.value_type(left);
                if ty.scalar().is_some() || matches!(ty, Ty::Variable(_)) {
                    return compared(*comparison, &operands[0], &operands[1]);
                }
                let text = self.module.comparison(&ty, *comparison, &operands[0].text, &operands[1].text);
                let level = if text.starts_with('!') { UNARY } else { PRIMARY };
                Operand { text, level, stable: operands.iter().all(|operand| operand.stable) }
            }
            ExpressionKind::And(left, right) => self.lazy(left, right, true),
            ExpressionKind::Or(left, right) => self.lazy(left, right, false),
            ExpressionKind::Cast(of) => {
                let operand = self.value(of);
                match (self.value_type(of).scalar(), self.value_type(expression).scalar()) {
                    (Some(from), Some(to)) => self.conversion(&operand, from, to),
                    _ => operand,
                }
            }
            ExpressionKind::Call(item, arguments, _) => self.function_call(item, arguments),
            ExpressionKind::Method(method, scalar, arguments) => {
                self.method_call(method, *scalar, arguments, expression)
            }
            ExpressionKind::Complex(name, of, arguments) => {
                let scalar = self.function.types.resolve(of).scalar().unwrap_or(Scalar::C128);
                match methods::associated_function(scalar, name) {
                    Some(method) => self.method_call(method, scalar, arguments, expression),
                    None => self.unit(),
                }
            }
            ExpressionKind::Ordered(name, arguments) => {
                let scalar = self.value_type(expression).scalar().unwrap_or(Scalar::I32);
                match methods::method(scalar, name) {
                    Some(method) => self.method_call(method, scalar, arguments, expression),
                    None => self.unit(),
                }
            }
            ExpressionKind::Field(..) | ExpressionKind::Index(..) | ExpressionKind::Element(..) => {
                self.place(expression)
            }
            ExpressionKind::Thread(function, arguments) => self.thread_call(function, arguments, expression),
            ExpressionKind::Length(view) => self.length(view),
            ExpressionKind::Shape(view) => self.shape(view, expression),
            ExpressionKind::Atomic(atomic, view, index, values) => {
                self.atomic(atomic, view, index, values, expression.line)
            }
            ExpressionKind::Tuple(parts) => {
                let operands = self.values(&parts.iter().collect::<Vec<_>>());
                self.braced(expression, &operands, "{", "}")
            }
            ExpressionKind::Array(parts) => {
                let operands = self.values(&parts.iter().collect::<Vec<_>>());
                let (open, close) = if operands.is_empty() { ("{", "}") } else { ("{{", "}}") };
                self.braced(expression, &operands, open, close)
            }
            ExpressionKind::Repeat(element, length) => self.repeated(expression, element, *length),
            ExpressionKind::Struct(item, fields, rest) => self.structure(expression, item, fields, rest.as_deref()),
            ExpressionKind::Reference(true, of) if !is_place(of) => {
                let ty = self.value_type(of);
                let operand = self.value(of);
                let name = self.fresh("value");
                let of = self.module.type_name(&ty);
                self.line(format!("{of} {name} = {};", operand.text));
                Operand::primary(name, false)
            }
            ExpressionKind::Reference(true, of) => self.place(of),
            ExpressionKind::Reference(false, of) | ExpressionKind::Dereference(of) => self.value(of),
            ExpressionKind::Matches(value, pattern, guard) => self.matches(value, pattern, guard.as_deref()),
            ExpressionKind::If(condition, then, Some(otherwise)) if is_simple(expression, self.function) => {
                let asked = self.value(condition);
                let then = match then.tail.as_deref() {
                    Some(tail) => self.where_it(condition, true, |writer| writer.value(tail)),
                    None => self.unit(),
                };
                let otherwise = self.where_it(condition, false, |writer| writer.value(otherwise));
                let text = format!("{} ? {} : {}", asked.at(OR), then.at(OR), otherwise.at(CHOICE));
                let stable = asked.stable && then.stable && otherwise.stable;
                Operand { text, level: CHOICE, stable }
            }
            ExpressionKind::Block(None, block) if block.statements.is_empty() && block.tail.is_some() => {
                match block.tail.as_deref() {
                    Some(tail) => self.value(tail),
                    None => self.unit(),
                }
            }
            _ => self.by_statements(expression),
        }
    }

    /// A value that takes statements: they set a variable.
    fn by_statements(&mut self, expression: &Expression) -> Operand {
        let ty = self.value_type(expression);
        if ty.is_unit() || matches!(ty, Ty::Variable(_)) {
            self.into(expression, &Target::Nothing);
            return self.unit();
        }
        let name = self.fresh("value");
        let of = self.module.type_name(&ty);
        self.line(format!("{of} {name};"));
        self.into(expression, &Target::Set(name.clone()));
        Operand::primary(name, true)
    }

    fn float(&mut self, digits: &str, scalar: Scalar) -> Operand {
        let text = literals::scalar(self.module, scalar, literals::float_bits(digits, scalar));
        Operand::primary(text, true)
    }

    fn constant(&mut self, value: &Value) -> Operand {
        let text = match value {
            Value::Scalar(scalar, bits) => literals::scalar(self.module, *scalar, *bits),
            _ => match self.module.constant("CONSTANT", value) {
                Some(name) => name,
                None => return self.unit(),
            },
        };
        let level = if text.starts_with('-') { UNARY } else { PRIMARY };
        Operand { text, level, stable: true }
    }

    /// `left && right` or `left || right`: the right side only where it is needed.
    fn lazy(&mut self, left: &Expression, right: &Expression, and: bool) -> Operand {
        if is_simple(right, self.function) {
            let first = self.value(left);
            let second = self.where_it(left, and, |writer| writer.value(right));
            let (operator, level) = if and { ("&&", AND) } else { ("||", OR) };
            return infix(&first, operator, &second, level);
        }
        let first = self.value(left);
        let name = self.fresh("value");
        self.line(format!("bool {name} = {};", first.text));
        self.line(format!("if ({}{name}) {{", if and { "" } else { "!" }));
        self.where_it(left, and, |writer| {
            writer.nested(|writer| writer.inside(right, &Target::Set(name.clone())));
        });
        self.line("}");
        Operand::primary(name, true)
    }

    fn function_call(&mut self, item: &str, arguments: &[Expression]) -> Operand {
        let operands = self.values(&arguments.iter().collect::<Vec<_>>());
        let layouts = arguments.iter().filter_map(|argument| match self.value_type(argument) {
            Ty::View(_, _, layout) => match *layout {
                Ty::Layout(layout) => Some(layout),
                _ => None,
            },
            _ => None,
        });
        let instance = (item.to_owned(), layouts.collect());
        let Some(written) = self.module.written(&instance).cloned() else { return self.unit() };
        self.may_fail |= written.may_fail;
        self.has_effects |= written.has_effects;
        let mut operand = operators::call(&written.name, &operands.iter().collect::<Vec<_>>());
        operand.stable &= !written.may_fail && !written.has_effects;
        operand
    }

    fn method_call(
        &mut self,
        method: &'static Method,
        scalar: Scalar,
        arguments: &[Expression],
        expression: &Expression,
    ) -> Operand {
        let operands = self.values(&arguments.iter().collect::<Vec<_>>());
        let mut function = self.support(method.c_name);
        if matches!(method.result, MethodResult::Tuple(_)) {
            let ty = method.result_type(&Ty::of(scalar));
            function += &format!("<{}>", self.module.type_name(&ty));
        }
        if !method.may_fail {
            return operators::call(&function, &operands.iter().collect::<Vec<_>>());
        }
        let mut texts: Vec<&str> = operands.iter().map(|operand| operand.text.as_str()).collect();
        let place = self.place_of_failure(expression.line);
        texts.push(&place);
        Operand::primary(format!("{function}({})", texts.join(", ")), false)
    }

    fn braced(&mut self, expression: &Expression, operands: &[Operand], open: &str, close: &str) -> Operand {
        let ty = self.value_type(expression);
        let name = self.module.type_name(&ty);
        let types = self.member_types(&ty);
        let last = types.last().cloned().unwrap_or(Ty::UNIT);
        let types = types.iter().chain(std::iter::repeat(&last));
        // Between braces C++ wants the very type.
        let exact = |(operand, ty): (&Operand, &Ty)| match ty.scalar() {
            Some(scalar) if operand.level < UNARY => operators::shortened(operand.clone(), scalar).text,
            _ => operand.text.clone(),
        };
        let texts: Vec<String> = operands.iter().zip(types).map(exact).collect();
        let stable = operands.iter().all(|operand| operand.stable);
        Operand::primary(format!("{name}{open}{}{close}", texts.join(", ")), stable)
    }

    /// The types of what a tuple, an array or a struct is made of; of an array the one type of all.
    fn member_types(&self, ty: &Ty) -> Vec<Ty> {
        match ty {
            Ty::Tuple(parts) => parts.clone(),
            Ty::Array(element, _) => vec![(**element).clone()],
            Ty::Complex(part) => vec![(**part).clone(); 2],
            Ty::Struct(item) => self.module.fields_of(item).iter().map(|(_, ty)| ty.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// `[element; length]`.
    fn repeated(&mut self, expression: &Expression, element: &Expression, length: usize) -> Operand {
        if self.is_written_out(element, length) {
            let operand = self.value(element);
            let elements = if is_zero(element) { Vec::new() } else { vec![operand; length] };
            let (open, close) = if elements.is_empty() { ("{", "}") } else { ("{{", "}}") };
            return self.braced(expression, &elements, open, close);
        }
        self.by_statements(expression)
    }

    /// Whether `[element; length]` is an expression in C++ too, and no loop.
    pub(super) fn is_written_out(&self, element: &Expression, length: usize) -> bool {
        let short = matches!(
            element.kind,
            ExpressionKind::Integer(_)
                | ExpressionKind::Float(_)
                | ExpressionKind::Bool(_)
                | ExpressionKind::Local(_)
                | ExpressionKind::Constant(..)
        );
        is_zero(element) || length == 0 && is_simple(element, self.function) || short && length <= WRITTEN_ELEMENTS
    }

    fn structure(
        &mut self,
        expression: &Expression,
        item: &str,
        fields: &[(String, Expression)],
        rest: Option<&Expression>,
    ) -> Operand {
        let mut expressions: Vec<&Expression> = fields.iter().map(|(_, value)| value).collect();
        expressions.extend(rest);
        let operands = self.values(&expressions);
        let base = rest.map(|rest| {
            let last = operands[fields.len()].clone();
            let ty = self.value_type(rest);
            if last.stable && last.level == PRIMARY { last } else { self.keep(&last, &ty) }
        });
        let order: Vec<String> = match self.value_type(expression) {
            Ty::Complex(_) => ["re", "im"].map(str::to_owned).to_vec(),
            _ => self.module.fields_of(item).iter().map(|(name, _)| name.clone()).collect(),
        };
        let mut parts = Vec::new();
        for name in &order {
            match (fields.iter().position(|(own, _)| own == name), &base) {
                (Some(index), _) => parts.push(operands[index].clone()),
                (None, Some(base)) => {
                    let text = format!("{}.{}", base.text, member_name(name));
                    parts.push(Operand::primary(text, base.stable));
                }
                (None, None) => {}
            }
        }
        self.braced(expression, &parts, "{", "}")
    }

    /// Something that can be assigned to, or a part of a value.
    pub(super) fn place(&mut self, expression: &Expression) -> Operand {
        match &expression.kind {
            ExpressionKind::Element(view, index) => self.element(view, index, expression.line),
            ExpressionKind::Field(base, axis) if matches!(base.kind, ExpressionKind::Thread(..)) => match base.kind {
                ExpressionKind::Thread(function, _) => self.place_of_thread(function, axis),
                _ => self.unit(),
            },
            ExpressionKind::Field(base, name) => {
                let base = self.place(base);
                Operand::primary(format!("{}.{}", base.at(PRIMARY), member_name(name)), base.stable)
            }
            ExpressionKind::Index(base, index) if self.is_axis(base, index) => {
                let axis = usize::try_from(self.bounds(index).0).unwrap_or(0);
                match &base.kind {
                    ExpressionKind::Shape(view) => self.length_of_axis(view, axis),
                    _ => self.unit(),
                }
            }
            ExpressionKind::Index(base, index) => {
                let operands = self.operands(&[(base, true), (index, false)]);
                let length = match self.value_type(base) {
                    Ty::Array(_, length) => length.unwrap_or(0),
                    _ => 0,
                };
                let (low, high) = self.bounds(index);
                let base = operands[0].at(PRIMARY);
                if low >= 0 && high < length as i128 {
                    let stable = operands[0].stable && operands[1].stable;
                    let index = if low == high { low.to_string() } else { self.narrow_index(index, &operands[1]) };
                    return Operand::primary(format!("{base}.at[{index}]"), stable);
                }
                let function = self.support("checked_index");
                let place = self.place_of_failure(expression.line);
                let index = &operands[1].text;
                Operand::primary(format!("{base}.at[{function}({index}, {length}, {place})]"), false)
            }
            ExpressionKind::Dereference(of) | ExpressionKind::Reference(_, of) => self.place(of),
            _ => self.value(expression),
        }
    }

    /// Whether `base[index]` is the length of one axis of a view.
    fn is_axis(&self, base: &Expression, index: &Expression) -> bool {
        let Ty::Array(_, Some(rank)) = self.value_type(base) else { return false };
        let axis = self.fixed(index).and_then(|axis| usize::try_from(axis).ok());
        matches!(base.kind, ExpressionKind::Shape(_)) && axis.is_some_and(|axis| axis < rank)
    }

    /// The text of an index that needs no check: before its cast, if that is all there is to it, so that a counter of 32 bits
    /// stays one.
    fn narrow_index(&mut self, index: &Expression, operand: &Operand) -> String {
        if let ExpressionKind::Cast(of) = &index.kind
            && let ExpressionKind::Local(id) = of.kind
            && self.value_type(of).scalar().is_some_and(is_integer)
            && self.bounds(of) == self.bounds(index)
            && let Some(name) = self.local_names.get(&id)
        {
            return name.clone();
        }
        operand.text.clone()
    }

    /// `matches!(value, pattern if guard)`.
    fn matches(&mut self, value: &Expression, pattern: &crate::tree::Pattern, guard: Option<&Expression>) -> Operand {
        let subject = self.subject(value);
        let mut conditions = self.conditions(pattern, &subject);
        let Some(guard) = guard else { return super::branches::all_of(&conditions) };
        if is_simple(guard, self.function) {
            self.alias(pattern, &subject);
            conditions.push(self.value(guard));
            return super::branches::all_of(&conditions);
        }
        let name = self.fresh("value");
        self.line(format!("bool {name} = {};", super::branches::all_of(&conditions).text));
        self.line(format!("if ({name}) {{"));
        self.nested(|writer| {
            writer.bind(pattern, &subject);
            writer.inside(guard, &Target::Set(name.clone()));
        });
        self.line("}");
        Operand::primary(name, true)
    }

    /// A value that is looked at several times: a name, or its parts.
    pub(super) fn subject(&mut self, expression: &Expression) -> Subject {
        if let ExpressionKind::Tuple(parts) = &expression.kind {
            let operands = self.values(&parts.iter().collect::<Vec<_>>());
            let mut subjects = Vec::new();
            for (part, operand) in parts.iter().zip(&operands) {
                let ty = self.type_of(part);
                subjects.push(self.subject_of(operand, &ty));
            }
            return Subject::parts(subjects);
        }
        let operand = self.value(expression);
        let ty = self.type_of(expression);
        self.subject_of(&operand, &ty)
    }

    fn subject_of(&mut self, operand: &Operand, ty: &Ty) -> Subject {
        // Names of variables stay what they are until an arm is chosen; so do references.
        let is_name = operand.text.chars().all(|of| of.is_ascii_alphanumeric() || of == '_');
        if is_name || matches!(ty, Ty::Reference(true, _)) {
            return Subject::text(operand.text.clone());
        }
        let kept = self.keep(operand, ty.referent());
        Subject::text(kept.text)
    }
}

/// Whether an expression is zero in all its bits, as C++ makes what it is not told.
fn is_zero(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Integer(value) => *value == 0,
        ExpressionKind::Float(digits) => digits.parse::<f64>().is_ok_and(|value| value == 0.0),
        ExpressionKind::Bool(truth) => !truth,
        _ => false,
    }
}

/// Whether an expression is a place in memory, and no new value.
pub(super) fn is_place(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Local(_) | ExpressionKind::Dereference(_) | ExpressionKind::Element(..) => true,
        ExpressionKind::Field(base, _) | ExpressionKind::Index(base, _) => is_place(base),
        _ => false,
    }
}
