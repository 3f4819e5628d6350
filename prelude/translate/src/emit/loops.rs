//! Loops, and leaving them. A range becomes a plain `for` loop with a variable of its own type wherever that counts as Rust
//! does.

use super::branches::{Subject, number};
use super::function::{Operand, Target, UNARY, Writer, is_simple};
use super::threads::{global_index, grid_size};
use crate::scalars::{Scalar, integer_bits, limits, name_of};
use crate::tree::{Block, Expression, ExpressionKind, For, LoopId, Over, Pattern, PatternKind, Range};
use crate::types::Ty;

/// Loops of kernels that are made for some values are written out if they have at most so many passes.
const MOST_WRITTEN_OUT: i128 = 64;

/// A loop, or a labelled block, that is being written.
pub(super) struct Frame {
    id: LoopId,
    /// Whether it is a loop in C++ too.
    is_loop: bool,
    /// Whether it is one within another: leaving both takes a jump.
    in_strips: bool,
    target: Target,
    /// The labels behind it and at the end of its body, once something jumps there.
    end: Option<String>,
    next: Option<String>,
}

/// As many passes of a 64-bit range may go by without a look at whether to stop.
const FEW_PASSES: i128 = 1 << 32;

impl Writer<'_> {
    /// A block within another, its value to the target.
    pub(super) fn inner_block(&mut self, label: Option<LoopId>, block: &Block, target: &Target) {
        let Some(id) = label else {
            self.line("{");
            self.nested(|writer| writer.block_into(block, target));
            self.line("}");
            return;
        };
        self.frame(id, false, target, |writer| {
            writer.line("{");
            writer.nested(|writer| writer.block_into(block, target));
            writer.line("}");
        });
    }

    /// Writes a loop, and behind it the label that something in it may jump to.
    fn frame(&mut self, id: LoopId, is_loop: bool, target: &Target, inside: impl FnOnce(&mut Self)) {
        self.loops.push(Frame { id, is_loop, in_strips: false, target: target.clone(), end: None, next: None });
        inside(self);
        if let Some(Frame { end: Some(end), .. }) = self.loops.pop() {
            self.line(format!("{end}:;"));
        }
    }

    /// The body of a loop, between braces that are there.
    fn body(&mut self, looks: Option<usize>, inside: impl FnOnce(&mut Self)) {
        self.nested(|writer| {
            if let Some(line) = looks {
                writer.look_for_stop(line);
            }
            let start = writer.lines.len();
            inside(writer);
            // A jump must not pass by declarations: they stand in a block of their own.
            if let Some(next) = writer.loops.last_mut().and_then(|frame| frame.next.take()) {
                writer.indent_from(start);
                writer.insert(start, "{");
                writer.line("}");
                writer.line(format!("{next}:;"));
            }
        });
    }

    fn look_for_stop(&mut self, line: usize) {
        self.looks = true;
        let function = self.support("look_for_stop");
        let place = self.place_of_failure(line);
        self.line(format!("{function}({}, {place});", self.passes));
    }

    pub(super) fn endless_loop(&mut self, id: LoopId, body: &Block, line: usize, target: &Target) {
        self.comment_through(line);
        self.frame(id, true, target, |writer| {
            writer.line("while (true) {");
            writer.body(Some(line), |writer| writer.block_into(body, &Target::Nothing));
            writer.line("}");
        });
    }

    pub(super) fn while_loop(&mut self, id: LoopId, condition: &Expression, body: &Block) {
        self.comment_through(condition.last_line);
        let line = condition.line;
        self.frame(id, true, &Target::Nothing, |writer| {
            if is_simple(condition, writer.function) {
                let text = writer.value(condition).text;
                writer.line(format!("while ({text}) {{"));
                writer.where_it(condition, true, |writer| {
                    writer.body(Some(line), |writer| writer.block_into(body, &Target::Nothing));
                });
            } else {
                writer.line("while (true) {");
                writer.body(Some(line), |writer| {
                    let text = writer.value(condition).at(UNARY);
                    writer.line(format!("if (!{text}) break;"));
                    writer.block_into(body, &Target::Nothing);
                });
            }
            writer.line("}");
        });
    }

    pub(super) fn break_out(&mut self, id: LoopId, value: Option<&Expression>, last_line: usize) {
        let target =
            self.loops.iter().find(|frame| frame.id == id).map_or(Target::Nothing, |frame| frame.target.clone());
        let returns = matches!(target, Target::Return);
        match value {
            Some(value) => {
                let is_value = !self.value_type(value).is_unit();
                self.into(value, &target);
                if returns && is_value {
                    return;
                }
            }
            None => self.comment_through(last_line),
        }
        let Some(index) = self.loops.iter().rposition(|frame| frame.id == id) else { return };
        let is_plain = self.loops[index].is_loop && !self.loops[index].in_strips;
        let is_innermost = is_plain && !self.loops[index + 1..].iter().any(|frame| frame.is_loop);
        if is_innermost {
            self.line("break;");
            return;
        }
        let label = match &self.loops[index].end {
            Some(label) => label.clone(),
            None => self.label(index, "end"),
        };
        self.loops[index].end = Some(label.clone());
        self.line(format!("goto {label};"));
    }

    pub(super) fn go_on(&mut self, id: LoopId) {
        let Some(index) = self.loops.iter().rposition(|frame| frame.id == id) else { return };
        if !self.loops[index + 1..].iter().any(|frame| frame.is_loop) {
            self.line("continue;");
            return;
        }
        let label = match &self.loops[index].next {
            Some(label) => label.clone(),
            None => self.label(index, "next"),
        };
        self.loops[index].next = Some(label.clone());
        self.line(format!("goto {label};"));
    }

    /// A label that the function has once.
    fn label(&self, index: usize, kind: &str) -> String {
        format!("{kind}_of_loop_{}", self.loops[index].id + 1)
    }

    pub(super) fn for_loop(&mut self, id: LoopId, parts: &For) {
        self.comment_through(parts.last_line_of_head);
        self.frame(id, true, &Target::Nothing, |writer| match &parts.over {
            Over::Range(range) => writer.over_range(parts, range),
            Over::Grid(end) => writer.over_grid(parts, end),
            Over::Array { array, changing, numbered, backwards } => {
                writer.over_array(parts, array, *changing, *numbered, *backwards);
            }
        });
    }

    fn over_range(&mut self, parts: &For, range: &Range) {
        let scalar = self.value_type(&range.start).scalar().unwrap_or(Scalar::I32);
        let expressions: Vec<&Expression> =
            [Some(&range.start), Some(&range.end), range.step.as_ref()].into_iter().flatten().collect();
        let operands = self.values(&expressions);
        let (low, high) = (self.bounds(&range.start), self.bounds(&range.end));
        let last = if range.inclusive { high.1 } else { high.1 - 1 };
        let wanted = self.counter_name(&parts.pattern);
        // The range is fixed before the first pass, and both of its ends may be asked for in each.
        let start = self.fixed_end(&range.start, &operands[0], &format!("{wanted}_start"), scalar, range.backwards);
        let end = self.fixed_end(&range.end, &operands[1], &format!("{wanted}_end"), scalar, true);
        let step = range.step.as_ref().map(|step| {
            let operand = self.fixed_end(step, &operands[2], &format!("{wanted}_step"), Scalar::Usize, true);
            if self.bounds(step).0 == 0 {
                let function = self.support("panicked");
                let place = self.place_of_failure(step.line);
                self.line(format!("if ({} == 0) {function}({place});", operand.text));
            }
            (operand, self.fixed(step))
        });
        let passes = last.saturating_sub(low.0);
        let is_sized = self.module.kernel && self.is_sized(&range.end);
        let looks = (integer_bits(scalar) == 64 && passes >= FEW_PASSES && !is_sized).then_some(range.end.line);
        let ends = Ends { start, end, low, high, step };
        // The variable that counts is known in the loop only.
        self.scoped(|writer| {
            let (counter, own) = writer.counter(&parts.pattern, &wanted);
            if let Some(id) = own {
                writer.bounds.insert(id, (low.0, last.max(low.0)));
                if is_sized {
                    writer.sized.insert(id);
                }
            }
            if let (Some(line), true) = (looks, writer.module.kernel && is_forward(range)) {
                return writer.in_strips(parts, scalar, &ends, (&counter, own.is_none()), line);
            }
            let head = writer.head(scalar, range, &ends, &counter);
            // What a kernel is made for is to be written out.
            if writer.module.kernel
                && writer.module.fixed.iter().any(Option::is_some)
                && low.0 == low.1
                && high.0 == high.1
                && passes < MOST_WRITTEN_OUT
            {
                writer.line("#pragma unroll");
            }
            writer.line(format!("{} {{", head.0));
            writer.body(looks, |writer| {
                if let Some(line) = &head.1 {
                    writer.line(line);
                }
                if own.is_none() {
                    writer.bind(&parts.pattern, &Subject::text(counter.clone()));
                }
                writer.block_into(&parts.body, &Target::Nothing);
            });
        });
        self.line("}");
    }

    /// A long range of a kernel: loops of 65,536 passes each, and a look at whether to stop between these. What is in the inner
    /// loop is compiled as if there were no such look.
    fn in_strips(&mut self, parts: &For, scalar: Scalar, ends: &Ends, (i, binds): (&str, bool), line: usize) {
        let of = name_of(scalar);
        let (start, end) = (&ends.start.text, &ends.end.text);
        let pause = self.fresh(&format!("{i}_pause"));
        let function = self.support("look_at_once");
        let place = self.place_of_failure(line);
        if let Some(frame) = self.loops.last_mut() {
            frame.in_strips = true;
        }
        self.line(format!("for ({of} {i} = {start}; {i} < {end};) {{"));
        self.nested(|writer| {
            writer.line(format!("const {of} {pause} = (u64){end} - (u64){i} > 65536 ? {i} + 65536 : {end};"));
            writer.line(format!("for (; {i} < {pause}; ++{i}) {{"));
            writer.body(None, |writer| {
                if binds {
                    writer.bind(&parts.pattern, &Subject::text(i.to_owned()));
                }
                writer.block_into(&parts.body, &Target::Nothing);
            });
            writer.line("}");
            writer.line(format!("if ({i} < {end}) {function}({place});"));
        });
    }

    /// A range that the threads of a grid share: each begins with its own number and steps by the number of all.
    fn over_grid(&mut self, parts: &For, end: &Expression) {
        let operand = self.value(end);
        let wanted = self.counter_name(&parts.pattern);
        let is_sized = self.is_sized(end);
        let end = self.fixed_end(end, &operand, &format!("{wanted}_end"), Scalar::Usize, true);
        self.scoped(|writer| {
            let (counter, own) = writer.counter(&parts.pattern, &wanted);
            if let (Some(id), true) = (own, is_sized) {
                writer.sized.insert(id);
            }
            let (first, step) = (global_index("x").text, grid_size("x").text);
            let end = &end.text;
            writer.line(format!("for (usize {counter} = {first}; {counter} < {end}; {counter} += {step}) {{"));
            writer.body(None, |writer| {
                if own.is_none() {
                    writer.bind(&parts.pattern, &Subject::text(counter.clone()));
                }
                writer.block_into(&parts.body, &Target::Nothing);
            });
        });
        self.line("}");
    }

    /// The head of a range's loop, and what its body begins with.
    fn head(&mut self, scalar: Scalar, range: &Range, ends: &Ends, i: &str) -> (String, Option<String>) {
        let of = name_of(scalar);
        let (least, greatest) = limits(scalar);
        let (start, end) = (&ends.start.text, &ends.end.text);
        match (range.backwards, &ends.step) {
            (false, None) if !range.inclusive => (format!("for ({of} {i} = {start}; {i} < {end}; ++{i})"), None),
            // Past the greatest number there is none to stop at.
            (false, None) if ends.high.1 < greatest => (format!("for ({of} {i} = {start}; {i} <= {end}; ++{i})"), None),
            (true, None) if !range.inclusive => {
                (format!("for ({of} {i} = {end}; {i} > {start};)"), Some(format!("--{i};")))
            }
            (true, None) if ends.low.0 > least => (format!("for ({of} {i} = {end}; {i} >= {start}; --{i})"), None),
            (false, Some((step, Some(fixed)))) if ends.high.1 + *fixed <= greatest => {
                let relation = if range.inclusive { "<=" } else { "<" };
                let step =
                    if *fixed == 1 { format!("++{i}") } else { format!("{i} += {}", number_of(*fixed, scalar, step)) };
                (format!("for ({of} {i} = {start}; {i} {relation} {end}; {step})"), None)
            }
            (backwards, step) => self.general_head(scalar, backwards, range.inclusive, step.as_ref(), (start, end), i),
        }
    }

    /// A loop that asks before it counts on whether there is something to count to.
    fn general_head(
        &mut self,
        scalar: Scalar,
        backwards: bool,
        inclusive: bool,
        step: Option<&(Operand, Option<i128>)>,
        (start, end): (&str, &str),
        i: &str,
    ) -> (String, Option<String>) {
        let of = name_of(scalar);
        let relation = if inclusive { "<=" } else { "<" };
        let more = self.fresh_outside(&format!("{i}_goes_on"));
        // C++'s compilers warn of comparisons that always hold.
        let always = inclusive && start.parse() == Ok(limits(scalar).0);
        let holds = if always { "true".to_owned() } else { format!("{start} {relation} {end}") };
        self.line(format!("bool {more} = {holds};"));
        let word = if integer_bits(scalar) == 64 { "u64" } else { "u32" };
        let left =
            if backwards { format!("({word}){i} - ({word}){start}") } else { format!("({word}){end} - ({word}){i}") };
        let (goes_on, amount) = match step {
            // From an end that is not in the range, the first number is one below it.
            None if backwards => (format!("{i} > {start}"), format!("({word})1")),
            None => (format!("{i} < {end}"), format!("({word})1")),
            Some((step, _)) => {
                let relation = if inclusive || backwards { ">=" } else { ">" };
                (format!("(u64)({left}) {relation} {}", step.at(UNARY)), format!("({word}){}", step.at(UNARY)))
            }
        };
        let first = match (backwards, inclusive) {
            (true, true) => end.to_owned(),
            (true, false) => format!("({of})(({word}){end} - ({word})1)"),
            (false, _) => start.to_owned(),
        };
        let sign = if backwards { "-" } else { "+" };
        let next = format!("{i} = ({of})(({word}){i} {sign} {amount})");
        (format!("for ({of} {i} = {first}; {more}; {more} = {goes_on}, {next})"), None)
    }

    /// An end of a range as a text that may be repeated.
    fn fixed_end(
        &mut self,
        expression: &Expression,
        operand: &Operand,
        wanted: &str,
        scalar: Scalar,
        repeated: bool,
    ) -> Operand {
        let is_name = operand.text.chars().all(|of| of.is_ascii_alphanumeric() || of == '_');
        let is_short = matches!(
            expression.kind,
            ExpressionKind::Integer(_) | ExpressionKind::Negate(_) | ExpressionKind::Value(_)
        );
        if is_short && let Some(value) = self.fixed(expression).filter(|value| i32::try_from(*value).is_ok()) {
            return Operand::primary(value.to_string(), true);
        }
        if operand.stable && (is_name || is_short || !repeated) || !repeated {
            return operand.clone();
        }
        let name = self.fresh(wanted);
        self.line(format!("const {} {name} = {};", name_of(scalar), operand.text));
        Operand::primary(name, true)
    }

    fn counter_name(&self, pattern: &Pattern) -> String {
        match pattern.kind {
            PatternKind::Bind(id, None) => self.function.locals[id].name.clone(),
            _ => "pass".to_owned(),
        }
    }

    /// The variable that counts: the pattern's own, if its loop does not change it.
    fn counter(&mut self, pattern: &Pattern, wanted: &str) -> (String, Option<usize>) {
        match pattern.kind {
            PatternKind::Bind(id, None) if !self.function.locals[id].mutable => {
                let name = self.fresh(wanted);
                self.local_names.insert(id, name.clone());
                (name, Some(id))
            }
            PatternKind::Bind(..) => (self.fresh(&format!("{wanted}_counter")), None),
            _ => (self.fresh(wanted), None),
        }
    }

    fn over_array(&mut self, parts: &For, array: &Expression, changing: bool, numbered: bool, backwards: bool) {
        let ty = self.value_type(array);
        let length = match &ty {
            Ty::Array(_, Some(length)) => *length,
            _ => 0,
        };
        let is_reference = changing || matches!(self.type_of(array), Ty::Reference(..));
        let operand = if is_reference && super::values::is_place(unreferenced(array)) {
            self.place(array)
        } else {
            self.value(array)
        };
        // What is gone over by value is not what the loop may change.
        let is_name = operand.text.chars().all(|of| of.is_ascii_alphanumeric() || of == '_');
        let base = if is_name && (operand.stable || is_reference) {
            operand.text
        } else if changing {
            self.keep(&operand, &Ty::Reference(true, Box::new(ty))).text
        } else {
            self.keep(&operand, &ty).text
        };
        let of = if numbered { "usize" } else { "u32" };
        self.scoped(|writer| {
            let index = writer.fresh("index");
            writer.line(if backwards {
                format!("for ({of} {index} = {length}; {index}-- > 0;) {{")
            } else {
                format!("for ({of} {index} = 0; {index} < {length}; ++{index}) {{")
            });
            writer.body(None, |writer| {
                let element = Subject::text(format!("{base}.at[{index}]"));
                let item = if numbered { Subject::parts(vec![Subject::text(index.clone()), element]) } else { element };
                writer.bind(&parts.pattern, &item);
                if numbered {
                    writer.note_number(&parts.pattern, length);
                }
                writer.block_into(&parts.body, &Target::Nothing);
            });
        });
        self.line("}");
    }

    /// Keeps in mind that the number of an element is less than their count.
    fn note_number(&mut self, pattern: &Pattern, length: usize) {
        if let PatternKind::Members(members) = &pattern.kind
            && let Some((_, Pattern { kind: PatternKind::Bind(id, None), .. })) = members.first()
            && !self.function.locals[*id].mutable
        {
            self.bounds.insert(*id, (0, (length as i128 - 1).max(0)));
        }
    }
}

/// The ends of a range as texts, and what they may be.
struct Ends {
    start: Operand,
    end: Operand,
    low: (i128, i128),
    high: (i128, i128),
    step: Option<(Operand, Option<i128>)>,
}

/// Whether a range counts up to what is not in it any more, one by one.
fn is_forward(range: &Range) -> bool {
    !range.inclusive && !range.backwards && range.step.is_none()
}

/// A step as a number of the counter's type.
fn number_of(fixed: i128, scalar: Scalar, step: &Operand) -> String {
    if i32::try_from(fixed).is_ok() {
        fixed.to_string()
    } else if fixed <= limits(scalar).1 {
        number(fixed, scalar)
    } else {
        step.text.clone()
    }
}

fn unreferenced(expression: &Expression) -> &Expression {
    match &expression.kind {
        ExpressionKind::Reference(_, of) | ExpressionKind::Dereference(of) => unreferenced(of),
        _ => expression,
    }
}
