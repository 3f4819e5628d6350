//! The text of one function: lines, names, temporaries, and the Rust lines as comments.

use super::loops::Frame;
use super::{Module, Written};
use crate::names::Names;
use crate::scalars::{Scalar, is_integer};
use crate::tree::{Expression, ExpressionKind, Function, LocalId, Pattern, PatternKind};
use crate::types::Ty;
use std::collections::{HashMap, HashSet};

/// The text that a function was read from.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    /// The line of its first line in the user's file or cell.
    pub(crate) line: usize,
    /// The line within the text on which its head ends.
    pub(crate) last_line_of_head: usize,
}

/// Where the value of an expression goes.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// It is not needed.
    Nothing,
    /// Into a variable.
    Set(String),
    /// It is the function's result.
    Return,
}

/// The text of an expression.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) text: String,
    /// How tightly its outermost operator binds.
    pub(super) level: u8,
    /// Whether it is the same, and may be left out, whatever is done before: it reads nothing that changes, and cannot fail.
    pub(super) stable: bool,
}

impl Operand {
    /// A name, a literal, a call: what binds tightest.
    pub(super) fn primary(text: impl Into<String>, stable: bool) -> Operand {
        Operand { text: text.into(), level: PRIMARY, stable }
    }

    pub(super) fn is_name(&self) -> bool {
        let word = self.text.chars().all(|of| of.is_ascii_alphanumeric() || of == '_');
        word && !self.text.starts_with(|first: char| first.is_ascii_digit())
    }

    /// The text where an operator of that level stands around it.
    pub(super) fn at(&self, level: u8) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text.clone() }
    }
}

pub(super) const PRIMARY: u8 = 16;
pub(super) const UNARY: u8 = 14;

pub(super) struct Writer<'m> {
    pub(super) module: &'m mut Module,
    pub(super) function: &'m Function,
    source: &'m Source<'m>,
    source_lines: Vec<&'m str>,
    /// How many of the source's lines stand as comments already.
    commented: usize,
    pub(super) lines: Vec<String>,
    depth: usize,
    names: Names,
    /// What each variable is called; during a guard the text of what it will be.
    pub(super) local_names: HashMap<LocalId, String>,
    /// The least and the greatest value of variables that are known to stay between them.
    pub(super) bounds: HashMap<LocalId, (i128, i128)>,
    /// Variables that are as large as arrays and grids are, at most.
    pub(super) sized: HashSet<LocalId>,
    /// The function's number in messages.
    number: usize,
    pub(super) loops: Vec<Frame>,
    pub(super) may_fail: bool,
    /// Whether others may see that the function was called.
    pub(super) has_effects: bool,
    /// Whether it reads what others may change.
    pub(super) reads_memory: bool,
    /// The variable that counts passes of loops without an end in sight, and whether there are such loops.
    pub(super) passes: String,
    pub(super) looks: bool,
}

/// The text of a function, and what its callers have to know of it.
pub(super) fn text(
    module: &mut Module,
    function: &Function,
    source: &Source<'_>,
    name: &str,
    number: usize,
    is_kernel: bool,
) -> (String, Written) {
    let mut names = module.names.clone();
    names.open();
    let mut writer = Writer {
        module,
        function,
        source,
        source_lines: source.text.lines().collect(),
        commented: 0,
        lines: Vec::new(),
        depth: 0,
        names,
        local_names: HashMap::new(),
        bounds: HashMap::new(),
        sized: HashSet::new(),
        number,
        loops: Vec::new(),
        may_fail: false,
        has_effects: false,
        reads_memory: false,
        passes: String::new(),
        looks: false,
    };
    writer.function(name, is_kernel);
    let Writer { lines, may_fail, has_effects, reads_memory, .. } = writer;
    let has_effects = has_effects || reads_memory;
    (lines.join("\n") + "\n", Written { name: name.to_owned(), may_fail, has_effects })
}

impl<'m> Writer<'m> {
    fn function(&mut self, name: &str, is_kernel: bool) {
        let function = self.function;
        self.comment_through(self.source.last_line_of_head);
        // Known before all others, as it is declared before them once a loop needs it.
        let is_taken = function.locals.iter().any(|local| local.name == "passes");
        self.passes = self.names.declare(if is_taken { "loop_passes" } else { "passes" });
        let mut parameters = Vec::new();
        let mut patterns = Vec::new();
        let mut constants = Vec::new();
        for (number, parameter) in function.parameters.iter().enumerate() {
            let ty = self.resolve(&parameter.ty);
            let (own, unused) = match parameter.pattern.kind {
                PatternKind::Bind(id, None) => {
                    let own = self.fresh(&function.locals[id].name);
                    self.local_names.insert(id, own.clone());
                    (own, function.locals[id].reads == 0)
                }
                _ => {
                    let own = self.fresh("parameter");
                    patterns.push((&parameter.pattern, own.clone()));
                    (own, matches!(parameter.pattern.kind, PatternKind::Wild))
                }
            };
            if ty.is_view() {
                let declared = self.view_parameter(&ty, &own, is_kernel);
                parameters.push(if unused { format!("[[maybe_unused]] {declared}") } else { declared });
                continue;
            }
            let of = self.module.type_name(&ty);
            let fixed = self.module.fixed.get(number).copied().flatten().filter(|_| is_kernel);
            if let (Some(value), Some(scalar)) = (fixed, ty.scalar()) {
                constants.push(self.fixed_parameter(&parameter.pattern, (&own, value), &of, scalar));
                continue;
            }
            let declared = match &ty {
                Ty::Reference(true, _) => format!("{of} &{own}"),
                Ty::Reference(false, to) if to.referent().scalar().is_none() => format!("const {of} &{own}"),
                _ => format!("{of} {own}"),
            };
            parameters.push(if unused { format!("[[maybe_unused]] {declared}") } else { declared });
        }
        let result = self.resolve(&function.result);
        let of = if result.is_unit() { "void".to_owned() } else { self.module.type_name(&result) };
        let head = match function.is_called {
            _ if is_kernel => "extern \"C\" __global__",
            false => "__device__ inline",
            true => "__device__ __noinline__",
        };
        self.line(format!("{head} {of} {name}({}) {{", parameters.join(", ")));
        self.depth += 1;
        let start = self.lines.len();
        constants.iter().for_each(|line| self.line(line));
        for (pattern, own) in patterns {
            self.bind(pattern, &super::branches::Subject::text(own));
        }
        self.block_into(&function.body, &Target::Return);
        if self.looks {
            let line = format!("{}u32 {} = 0;", self.indentation(), self.passes);
            self.lines.insert(start, line);
        }
        self.depth -= 1;
        self.line("}");
    }

    /// The declaration of a parameter whose value is known.
    fn fixed_parameter(&mut self, pattern: &Pattern, (own, value): (&str, i64), of: &str, scalar: Scalar) -> String {
        let mut is_mutable = false;
        if let PatternKind::Bind(id, None) = pattern.kind {
            is_mutable = self.function.locals[id].mutable;
            if !is_mutable && is_integer(scalar) {
                self.bounds.insert(id, (value.into(), value.into()));
            }
        }
        let text = super::literals::scalar(self.module, scalar, i128::from(value).cast_unsigned());
        let constant = if is_mutable { "" } else { "constexpr " };
        format!("[[maybe_unused]] {constant}{of} {own} = {text};")
    }

    pub(super) fn resolve(&self, ty: &Ty) -> Ty {
        self.function.types.resolve(ty)
    }

    pub(super) fn type_of(&self, expression: &Expression) -> Ty {
        self.resolve(&expression.ty)
    }

    /// The type of what an expression refers to.
    pub(super) fn value_type(&self, expression: &Expression) -> Ty {
        self.type_of(expression).referent().clone()
    }

    fn indentation(&self) -> String {
        "    ".repeat(self.depth)
    }

    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.lines.push(format!("{}{}", self.indentation(), text.as_ref()));
    }

    pub(super) fn insert(&mut self, at: usize, text: &str) {
        self.lines.insert(at, format!("{}{text}", self.indentation()));
    }

    /// Puts the lines from some point on one step further in.
    pub(super) fn indent_from(&mut self, start: usize) {
        for line in &mut self.lines[start..] {
            line.insert_str(0, "    ");
        }
    }

    /// The lines of a block between braces that are already there, or come after it.
    pub(super) fn nested<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.depth += 1;
        self.names.open();
        let result = inside(self);
        self.names.close();
        self.depth -= 1;
        result
    }

    pub(super) fn fresh(&mut self, wanted: &str) -> String {
        self.names.declare_beside(wanted, &self.module.names)
    }

    /// A name that stays when the innermost scope is left, such as that of a loop's head.
    pub(super) fn fresh_outside(&mut self, wanted: &str) -> String {
        self.names.declare_outside(wanted, &self.module.names, 1)
    }

    /// Names of the inside are free again behind it.
    pub(super) fn scoped<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.names.open();
        let result = inside(self);
        self.names.close();
        result
    }

    /// Writes the source's lines up to one as comments, those that are there already left out.
    pub(super) fn comment_through(&mut self, line: usize) {
        while self.commented < line.min(self.source_lines.len()) {
            let text = self.source_lines[self.commented].trim();
            self.commented += 1;
            if let Some(comment) = comment(text) {
                self.line(comment);
            }
        }
    }

    /// The last two arguments of what can fail: where it is. Who uses them has said by that that it can.
    pub(super) fn place_of_failure(&mut self, line: usize) -> String {
        self.may_fail = true;
        format!("{}, {}", self.number, self.source.line + line.max(1) - 1)
    }

    /// The name of one of the support's functions, which the program needs then.
    pub(super) fn support(&mut self, name: &str) -> String {
        self.module.used.insert(name.to_owned());
        name.to_owned()
    }

    /// Keeps a value in a variable of its own.
    pub(super) fn keep(&mut self, operand: &Operand, ty: &Ty) -> Operand {
        let at = self.lines.len();
        self.keep_at(at, operand, ty)
    }

    pub(super) fn keep_at(&mut self, at: usize, operand: &Operand, ty: &Ty) -> Operand {
        // A view is the name of what it shows already.
        if ty.is_view() {
            return operand.clone();
        }
        let name = self.fresh("value");
        let of = self.module.type_name(ty);
        let declared = match ty {
            Ty::Reference(true, _) => format!("{of} &{name}"),
            _ => format!("const {of} {name}"),
        };
        self.insert(at, &format!("{declared} = {};", operand.text));
        Operand::primary(name, !matches!(ty, Ty::Reference(true, _)))
    }

    /// Gives a value to where it goes.
    pub(super) fn finish(&mut self, value: Operand, ty: &Ty, target: &Target) {
        match target {
            _ if ty.is_unit() || matches!(ty, Ty::Variable(_)) => {
                if value.text.ends_with(')') && !value.stable {
                    self.line(format!("{};", value.text));
                }
            }
            // So that C++'s compilers know of it.
            Target::Nothing if value.stable && value.is_name() => self.line(format!("(void){};", value.text)),
            Target::Nothing if value.stable => {}
            Target::Nothing if value.level == PRIMARY && value.text.ends_with(')') => {
                self.line(format!("{};", value.text))
            }
            Target::Nothing => self.line(format!("(void)({});", value.text)),
            Target::Set(name) => self.line(format!("{name} = {};", value.text)),
            Target::Return => self.line(format!("return {};", value.text)),
        }
    }

    pub(super) fn is_mutable(&self, local: LocalId) -> bool {
        let of = &self.function.locals[local];
        of.mutable || matches!(self.resolve(&of.ty), Ty::Reference(true, _))
    }
}

/// A line of Rust as a comment; none if it says nothing.
pub(super) fn comment(line: &str) -> Option<String> {
    if closes_only(line) {
        return None;
    }
    let text: String = line.chars().map(|of| if of.is_control() { ' ' } else { of }).collect();
    // A backslash at the end would take the next line into the comment.
    let end = if text.ends_with('\\') { " |" } else { "" };
    Some(format!("// {text}{end}"))
}

/// Whether a line of Rust says nothing: it only closes what others have opened.
fn closes_only(text: &str) -> bool {
    text.split(|of: char| "{}()[];, ".contains(of)).all(|word| word.is_empty() || word == "else")
}

/// Whether an expression needs no statements of its own.
pub(super) fn is_simple(expression: &Expression, function: &Function) -> bool {
    let simple = |of: &Expression| is_simple(of, function);
    match &expression.kind {
        ExpressionKind::Integer(_)
        | ExpressionKind::Float(_)
        | ExpressionKind::Bool(_)
        | ExpressionKind::Local(_)
        | ExpressionKind::Constant(..)
        | ExpressionKind::Value(_) => true,
        ExpressionKind::Not(of)
        | ExpressionKind::Negate(of)
        | ExpressionKind::Cast(of)
        | ExpressionKind::Field(of, _)
        | ExpressionKind::Dereference(of)
        | ExpressionKind::Reference(false, of) => simple(of),
        ExpressionKind::Binary(_, left, right)
        | ExpressionKind::And(left, right)
        | ExpressionKind::Or(left, right)
        | ExpressionKind::Index(left, right) => simple(left) && simple(right),
        ExpressionKind::Compare(_, left, right) => {
            function.types.stripped(&left.ty).scalar().is_some() && simple(left) && simple(right)
        }
        ExpressionKind::Call(..) if function.types.stripped(&expression.ty).is_unit() => false,
        ExpressionKind::Call(_, arguments, has_effects) => {
            !has_effects
                && arguments
                    .iter()
                    .all(|of| simple(of) && !matches!(function.types.shallow(&of.ty), Ty::Reference(true, _)))
        }
        ExpressionKind::Method(_, _, arguments)
        | ExpressionKind::Complex(_, _, arguments)
        | ExpressionKind::Ordered(_, arguments) => arguments.iter().all(simple),
        ExpressionKind::Thread(function, _) => !function.has_effects(),
        ExpressionKind::Length(_) | ExpressionKind::Shape(_) => true,
        // An index that is an array or a tuple may have to be kept.
        ExpressionKind::Element(_, index) => {
            simple(index)
                && (matches!(
                    index.kind,
                    ExpressionKind::Array(_) | ExpressionKind::Tuple(_) | ExpressionKind::Local(_)
                ) || function.types.stripped(&index.ty).scalar().is_some())
        }
        ExpressionKind::Tuple(parts) | ExpressionKind::Array(parts) => parts.iter().all(simple),
        ExpressionKind::If(condition, then, Some(otherwise)) => {
            expression.line == expression.last_line
                && simple(condition)
                && then.statements.is_empty()
                && then.tail.as_deref().is_some_and(simple)
                && simple(otherwise)
                && !function.types.resolve(&expression.ty).is_unit()
        }
        ExpressionKind::Block(None, block) => block.statements.is_empty() && block.tail.as_deref().is_some_and(simple),
        _ => false,
    }
}
