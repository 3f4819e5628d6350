//! Random functions of the subset, well-typed and ending: the same ones in each run.
//!
//! Rust leaves open which zero `min` and `max` give of two, and what the sign of a NaN is. So sums with zero make the zeros
//! one, and only parameters are asked for their bits.

mod expressions;

use super::Scalar;
use super::inputs::Random;
use super::programs::name_of;
use std::fmt::Write as _;

const INTEGERS: [Scalar; 10] = [
    Scalar::I8,
    Scalar::U8,
    Scalar::I16,
    Scalar::U16,
    Scalar::I32,
    Scalar::U32,
    Scalar::I64,
    Scalar::U64,
    Scalar::Isize,
    Scalar::Usize,
];

fn is_float(of: Scalar) -> bool {
    matches!(of, Scalar::F32 | Scalar::F64)
}

fn is_signed(of: Scalar) -> bool {
    matches!(of, Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::Isize)
}

#[derive(Clone)]
enum Kind {
    Scalar(Scalar),
    Tuple(Vec<Scalar>),
    Array(Scalar, usize),
}

#[derive(Clone)]
struct Variable {
    name: String,
    kind: Kind,
    mutable: bool,
    parameter: bool,
}

/// A function that later ones may call.
struct Signature {
    name: String,
    parameters: Vec<Scalar>,
    result: Scalar,
}

pub struct Generator {
    random: Random,
    device: Vec<Signature>,
    scope: Vec<Variable>,
    text: String,
    depth: usize,
    names: usize,
    loops: usize,
    results: Vec<Scalar>,
    /// Whether one more result says what has become of the variables.
    traced: bool,
    /// Whether functions of the C library may be used, whose last bits differ between machines.
    library: bool,
}

/// A file of `count` functions with `#[vectorize]`, and some with `#[device]` that these call.
pub fn functions(count: usize, seed: u64) -> String {
    let mut generator = Generator {
        random: Random(seed),
        device: Vec::new(),
        scope: Vec::new(),
        text: String::new(),
        depth: 0,
        names: 0,
        loops: 0,
        results: Vec::new(),
        traced: false,
        library: false,
    };
    for number in 0..count {
        generator.library = false;
        if number % 8 == 0 {
            generator.function(&format!("helper_{}", number / 8), true);
        }
        generator.library = number % 2 == 1;
        generator.function(&format!("generated_{number}"), false);
    }
    generator.text
}

impl Generator {
    fn chance(&mut self, of: usize, out_of: usize) -> bool {
        self.random.below(out_of) < of
    }

    fn scalar(&mut self) -> Scalar {
        match self.random.below(10) {
            0 => Scalar::Bool,
            1..4 => Scalar::F32,
            4..6 => Scalar::F64,
            _ => self.integer(),
        }
    }

    fn integer(&mut self) -> Scalar {
        // The types that kernels use most come up most.
        match self.random.below(3) {
            0 => *self.random.one_of(&[Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64]),
            _ => *self.random.one_of(&INTEGERS),
        }
    }

    fn line(&mut self, text: &str) {
        writeln!(self.text, "{:indent$}{text}", "", indent = 4 * self.depth).expect("text");
    }

    fn fresh(&mut self, of: &str) -> String {
        // Now and then a name is used again, and shadows what had it.
        if self.chance(1, 6)
            && let Some(old) =
                self.scope.iter().rev().find(|variable| !variable.parameter && variable.name.starts_with(of))
        {
            return old.name.clone();
        }
        self.names += 1;
        format!("{of}{}", self.names)
    }

    fn declare(&mut self, name: String, kind: Kind, mutable: bool) {
        self.scope.retain(|variable| variable.name != name);
        self.scope.push(Variable { name, kind, mutable, parameter: false });
    }

    fn function(&mut self, name: &str, device: bool) {
        let parameters: Vec<Scalar> = (0..1 + self.random.below(4)).map(|_| self.scalar()).collect();
        let results: Vec<Scalar> =
            (0..if device { 1 } else { 1 + self.random.below(2) }).map(|_| self.scalar()).collect();
        (self.names, self.results) = (0, results.clone());
        self.scope.clear();
        let mut listed = Vec::new();
        for (at, of) in parameters.iter().enumerate() {
            let name = format!("p{at}");
            listed.push(format!("{name}: {}", name_of(*of)));
            self.scope.push(Variable { name, kind: Kind::Scalar(*of), mutable: false, parameter: true });
        }
        self.traced = !device && self.chance(3, 4);
        let mut names: Vec<String> = results.iter().map(|of| name_of(*of)).collect();
        if self.traced {
            names.push("u64".to_owned());
        }
        let result = if names.len() == 1 { names[0].clone() } else { format!("({})", names.join(", ")) };
        self.line(if device { "#[device]" } else { "#[vectorize]" });
        self.line(&format!("fn {name}({}) -> {result} {{", listed.join(", ")));
        self.depth += 1;
        for _ in 0..1 + self.random.below(5) {
            self.statement();
        }
        let value = self.result();
        self.line(&value);
        self.depth -= 1;
        self.line("}\n");
        if device {
            self.device.push(Signature { name: name.to_owned(), parameters, result: results[0] });
        }
    }

    fn result(&mut self) -> String {
        let results = self.results.clone();
        let mut parts: Vec<String> = results.iter().map(|of| self.expression(*of, 3)).collect();
        if self.traced {
            parts.push(self.trace());
        }
        if parts.len() == 1 { parts[0].clone() } else { format!("({})", parts.join(", ")) }
    }

    /// A number made of all variables.
    fn trace(&self) -> String {
        let mut values = Vec::new();
        for variable in self.scope.iter().filter(|variable| !variable.parameter) {
            let name = &variable.name;
            match &variable.kind {
                Kind::Scalar(of) => values.push((name.clone(), *of)),
                Kind::Tuple(parts) => {
                    values.extend(parts.iter().enumerate().map(|(at, of)| (format!("{name}.{at}"), *of)))
                }
                Kind::Array(of, length) => values.extend((0..*length).map(|at| (format!("{name}[{at}]"), *of))),
            }
        }
        values.iter().fold("1u64".to_owned(), |text, (value, of)| match of {
            of if is_float(*of) => format!("({text}.rotate_left(5) ^ ({value} * 256.0) as i64 as u64)"),
            _ => format!("({text}.rotate_left(5) ^ {value} as u64)"),
        })
    }

    /// Statements in braces. What they declare is known until the caller closes the braces.
    fn block(&mut self, statements: usize) {
        self.depth += 1;
        for _ in 0..statements {
            self.statement();
        }
        self.depth -= 1;
    }

    fn statement(&mut self) {
        let nested = self.depth < 4;
        match self.random.below(16) {
            0..=4 => self.binding(),
            5 | 6 => self.assignment(),
            7 | 8 => self.array(),
            9 => self.tuple(),
            10 if nested => {
                let condition = self.expression(Scalar::Bool, 2);
                let outside = self.scope.clone();
                self.line(&format!("if {condition} {{"));
                self.block(2);
                if self.chance(1, 4) && self.loops == 0 {
                    self.depth += 1;
                    let value = self.result();
                    self.line(&format!("return {value};"));
                    self.depth -= 1;
                }
                self.scope.clone_from(&outside);
                if self.chance(1, 2) {
                    self.line("} else {");
                    self.block(1);
                    self.scope = outside;
                }
                self.line("}");
            }
            11 if nested && self.loops < 2 => self.for_loop(),
            12 if nested && self.loops < 2 => self.while_loop(),
            13 if nested && self.loops < 2 => self.loop_with_value(),
            _ => self.binding(),
        }
    }

    fn binding(&mut self) {
        let of = self.scalar();
        let value = self.expression(of, 3);
        let mutable = self.chance(1, 2);
        let name = self.fresh("v");
        let annotation = if self.chance(1, 3) { format!(": {}", name_of(of)) } else { String::new() };
        self.line(&format!("let {}{name}{annotation} = {value};", if mutable { "mut " } else { "" }));
        self.declare(name, Kind::Scalar(of), mutable);
    }

    fn tuple(&mut self) {
        let parts: Vec<Scalar> = (0..2 + self.random.below(2)).map(|_| self.scalar()).collect();
        let values: Vec<String> = parts.iter().map(|of| self.expression(*of, 2)).collect();
        if self.chance(1, 2) {
            let name = self.fresh("t");
            let mutable = self.chance(1, 2);
            self.line(&format!("let {}{name} = ({});", if mutable { "mut " } else { "" }, values.join(", ")));
            self.declare(name, Kind::Tuple(parts), mutable);
        } else {
            let names: Vec<String> = parts
                .iter()
                .map(|_| {
                    self.names += 1;
                    format!("v{}", self.names)
                })
                .collect();
            self.line(&format!("let ({}) = ({});", names.join(", "), values.join(", ")));
            for (name, of) in names.into_iter().zip(parts) {
                self.declare(name, Kind::Scalar(of), false);
            }
        }
    }

    fn array(&mut self) {
        let of = self.scalar();
        let length = 2 + self.random.below(4);
        let value = if self.chance(1, 3) {
            format!("[{}; {length}]", self.expression(of, 2))
        } else {
            let values: Vec<String> = (0..length).map(|_| self.expression(of, 2)).collect();
            format!("[{}]", values.join(", "))
        };
        let name = self.fresh("a");
        let mutable = self.chance(3, 4);
        self.line(&format!("let {}{name} = {value};", if mutable { "mut " } else { "" }));
        self.declare(name, Kind::Array(of, length), mutable);
    }

    /// A place that may change, and its type.
    fn place(&mut self) -> Option<(String, Scalar)> {
        let all: Vec<Variable> = self.scope.iter().filter(|variable| variable.mutable).cloned().collect();
        if all.is_empty() {
            return None;
        }
        let variable = self.random.one_of(&all).clone();
        Some(match variable.kind {
            Kind::Scalar(of) => (variable.name, of),
            Kind::Tuple(parts) => {
                let at = self.random.below(parts.len());
                (format!("{}.{at}", variable.name), parts[at])
            }
            Kind::Array(of, length) => (format!("{}[{}]", variable.name, self.index(length)), of),
        })
    }

    /// An index that is mostly within an array.
    fn index(&mut self, length: usize) -> String {
        match self.random.below(8) {
            0..=3 => self.random.below(length).to_string(),
            4 => format!("{} % {}", self.expression(Scalar::Usize, 1), length + 1),
            _ => format!("{} % {length}", self.expression(Scalar::Usize, 1)),
        }
    }

    fn assignment(&mut self) {
        let Some((place, of)) = self.place() else { return self.binding() };
        let value = self.expression(of, 2);
        let operator = match of {
            Scalar::Bool => *self.random.one_of(&["=", "&=", "|=", "^="]),
            of if is_float(of) => *self.random.one_of(&["=", "+=", "-=", "*=", "/="]),
            _ => *self.random.one_of(&["=", "+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>="]),
        };
        self.line(&format!("{place} {operator} {value};"));
    }

    fn for_loop(&mut self) {
        let of = self.integer();
        let name = self.fresh("i");
        let (start, end) = (self.random.below(3), self.random.below(7));
        let typed = name_of(of);
        let small = format!("({} & 7)", self.expression(of, 1));
        let range = match self.random.below(6) {
            0 => format!("{start}{typed}..{end}"),
            1 => format!("{start}..={end}{typed}"),
            2 => format!("0..{small}"),
            3 => format!("({start}..{small}).rev()"),
            4 => format!("({start}{typed}..{}).step_by({})", end + 5, 1 + self.random.below(3)),
            _ => format!("{start}..={small}"),
        };
        let label = if self.chance(1, 4) { format!("'l{}: ", self.depth) } else { String::new() };
        self.line(&format!("{label}for {name} in {range} {{"));
        let outside = self.scope.clone();
        self.loops += 1;
        self.declare(name, Kind::Scalar(of), false);
        let statements = 1 + self.random.below(2);
        self.block(statements);
        self.jump(&["break", "continue"], label.trim_end_matches(": "));
        self.loops -= 1;
        self.scope = outside;
        self.line("}");
    }

    /// Leaves a loop or a pass of it, on a condition.
    fn jump(&mut self, jumps: &[&str], label: &str) {
        if self.chance(1, 3) {
            let condition = self.expression(Scalar::Bool, 2);
            let jump = *self.random.one_of(jumps);
            self.depth += 1;
            self.line(&format!("if {condition} {{ {jump}{}{label}; }}", if label.is_empty() { "" } else { " " }));
            self.assignment();
            self.depth -= 1;
        }
    }

    fn while_loop(&mut self) {
        let of = self.integer();
        self.names += 1;
        let name = format!("n{}", self.names);
        let count = self.expression(of, 2);
        self.line(&format!("let mut {name} = {count} & 7;"));
        self.line(&format!("while {name} > 0 {{"));
        let outside = self.scope.clone();
        self.loops += 1;
        self.depth += 1;
        self.line(&format!("{name} -= 1;"));
        self.depth -= 1;
        self.declare(name, Kind::Scalar(of), false);
        self.block(2);
        self.jump(&["break", "continue"], "");
        self.loops -= 1;
        self.scope = outside;
        self.line("}");
    }

    fn loop_with_value(&mut self) {
        let of = self.scalar();
        self.names += 1;
        let count = format!("n{}", self.names);
        let name = self.fresh("v");
        let start = self.random.below(4);
        self.line(&format!("let mut {count} = {start}u32;"));
        self.line(&format!("let {name} = loop {{"));
        let outside = self.scope.clone();
        self.loops += 1;
        self.declare(count.clone(), Kind::Scalar(Scalar::U32), false);
        self.depth += 1;
        self.line(&format!("{count} += 1;"));
        self.depth -= 1;
        self.block(1);
        let (condition, value) = (self.expression(Scalar::Bool, 2), self.expression(of, 2));
        self.depth += 1;
        self.line(&format!("if {count} > 6 || {condition} {{ break {value}; }}"));
        self.depth -= 1;
        self.loops -= 1;
        self.scope = outside;
        self.line("};");
        self.declare(count, Kind::Scalar(Scalar::U32), false);
        self.declare(name, Kind::Scalar(of), false);
    }
}
