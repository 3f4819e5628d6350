//! A function after it was checked: names are found, every expression has its type.
//!
//! The types may name variables; `Function::types` says what these stand for.

use crate::methods::Method;
use crate::program::Value;
use crate::scalars::Scalar;
use crate::threads::{Atomic, ThreadFunction};
use crate::types::{Ty, Types};

/// A variable, by its number in `Function::locals`.
pub(crate) type LocalId = usize;

/// A loop or a block with a label, by its number in the function.
pub(crate) type LoopId = usize;

pub(crate) struct Function {
    /// The name of its item.
    pub(crate) name: String,
    /// What it is called in its text.
    pub(crate) identifier: String,
    /// Whether it is called, and not copied to where it is called: `#[inline(never)]`.
    pub(crate) is_called: bool,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) result: Ty,
    pub(crate) body: Block,
    pub(crate) locals: Vec<Local>,
    pub(crate) types: Types,
}

pub(crate) struct Parameter {
    pub(crate) pattern: Pattern,
    pub(crate) ty: Ty,
}

pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) ty: Ty,
    pub(crate) mutable: bool,
    /// How often its value is asked for.
    pub(crate) reads: usize,
}

/// Lines count from 1 within the text of the item.
pub(crate) struct Block {
    pub(crate) statements: Vec<Statement>,
    pub(crate) tail: Option<Box<Expression>>,
    pub(crate) ty: Ty,
}

pub(crate) enum Statement {
    Let(Box<Let>),
    Expression(Expression),
}

pub(crate) struct Let {
    pub(crate) pattern: Pattern,
    pub(crate) ty: Ty,
    pub(crate) value: Option<Expression>,
    pub(crate) last_line: usize,
}

pub(crate) struct Expression {
    pub(crate) kind: ExpressionKind,
    pub(crate) ty: Ty,
    /// The line of the token that messages are about.
    pub(crate) line: usize,
    pub(crate) last_line: usize,
}

pub(crate) enum ExpressionKind {
    /// Of an integer type, or of a float type.
    Integer(u128),
    Float(String),
    Bool(bool),
    Local(LocalId),
    /// A constant with a name of its own in the text.
    Constant(String, Value),
    /// A constant that is as well written out.
    Value(Value),
    Not(Box<Expression>),
    Negate(Box<Expression>),
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    Compare(Comparison, Box<Expression>, Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Cast(Box<Expression>),
    Assign(Box<Expression>, Box<Expression>),
    /// `(a, b.c, _) = value`: a place for each part, none for `_`.
    AssignParts(Vec<Option<Expression>>, Box<Expression>),
    AssignBinary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// A function by the name of its item, and whether others may see that it was called.
    Call(String, Vec<Expression>, bool),
    /// A function that needs threads.
    Thread(&'static ThreadFunction, Vec<Expression>),
    /// What a shared array is declared with: its type says the rest.
    SharedArray,
    /// An element of a view: the index is an integer, or an array of them.
    Element(Box<Expression>, Box<Expression>),
    /// How many elements a view has.
    Length(Box<Expression>),
    /// The lengths of a view's axes.
    Shape(Box<Expression>),
    /// A change of an element of a view: the view, the index, the values.
    Atomic(&'static Atomic, Box<Expression>, Box<Expression>, Vec<Expression>),
    Method(&'static Method, Scalar, Vec<Expression>),
    /// A function of complex numbers by its name, and the type whose it is: that of the parts may follow later.
    Complex(&'static str, Ty, Vec<Expression>),
    /// `min`, `max` or `clamp` of what may be integers of any type, until all of the function is known.
    Ordered(&'static str, Vec<Expression>),
    Swap(Box<Expression>, Box<Expression>),
    Field(Box<Expression>, String),
    Index(Box<Expression>, Box<Expression>),
    Tuple(Vec<Expression>),
    Array(Vec<Expression>),
    Repeat(Box<Expression>, usize),
    /// The name of the struct's item, the fields in the order in which they are written, and what the others are taken of.
    Struct(String, Vec<(String, Expression)>, Option<Box<Expression>>),
    /// Whether it is to change what it refers to.
    Reference(bool, Box<Expression>),
    Dereference(Box<Expression>),
    Block(Option<LoopId>, Block),
    If(Box<Expression>, Block, Option<Box<Expression>>),
    Match(Box<Expression>, Vec<Arm>),
    /// `matches!(value, pattern if guard)`.
    Matches(Box<Expression>, Box<Pattern>, Option<Box<Expression>>),
    Loop(LoopId, Block),
    While(LoopId, Box<Expression>, Block),
    For(LoopId, Box<For>),
    Break(LoopId, Option<Box<Expression>>),
    Continue(LoopId),
    Return(Option<Box<Expression>>),
    Panic,
    /// An error was reported here.
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

pub(crate) struct Arm {
    pub(crate) pattern: Pattern,
    pub(crate) guard: Option<Expression>,
    pub(crate) body: Expression,
    /// The line on which its head ends.
    pub(crate) line: usize,
}

pub(crate) struct For {
    pub(crate) pattern: Pattern,
    pub(crate) over: Over,
    pub(crate) body: Block,
    pub(crate) last_line_of_head: usize,
}

/// What a `for` loop goes over.
pub(crate) enum Over {
    Range(Box<Range>),
    /// What a thread does of so many things that all threads of a grid do.
    Grid(Expression),
    Array {
        array: Expression,
        changing: bool,
        numbered: bool,
        backwards: bool,
    },
}

pub(crate) struct Range {
    pub(crate) start: Expression,
    pub(crate) end: Expression,
    pub(crate) inclusive: bool,
    pub(crate) backwards: bool,
    pub(crate) step: Option<Expression>,
}

pub(crate) struct Pattern {
    pub(crate) kind: PatternKind,
    /// Of what it is compared with, without references.
    pub(crate) ty: Ty,
}

pub(crate) enum PatternKind {
    Wild,
    Bind(LocalId, Option<Box<Pattern>>),
    /// Equal to a constant expression.
    Value(Expression),
    /// Between two constant expressions; whether the last one is in it.
    Range(Option<Expression>, Option<Expression>, bool),
    /// Members of a tuple, a struct or an array, each by its name in the generated text.
    Members(Vec<(Member, Pattern)>),
    Or(Vec<Pattern>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Member {
    Field(String),
    Element(usize),
}
