//! Types while they are inferred: unification, with Rust's defaults for literals.

use crate::program::Type;
use crate::scalars::{Scalar, complex_of, is_float, is_integer, name_of, part_of};
use std::fmt;

/// A type, parts of which may not be known yet.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    Variable(usize),
    /// A number or a truth value that is not complex.
    Scalar(Scalar),
    /// A complex number, by the type of its parts.
    Complex(Box<Ty>),
    Tuple(Vec<Ty>),
    /// The length is open while a constant's value is not known.
    Array(Box<Ty>, Option<usize>),
    Struct(String),
    /// A reference, and whether it is to change what it refers to. What is only read is copied: nothing can change it
    /// meanwhile.
    Reference(bool, Box<Ty>),
    /// An array that all threads of a kernel see: what may be done with it, its elements, and its layout.
    View(Access, Box<Ty>, Box<Ty>),
    /// How an array that threads see lies in memory: no type of Rust's, but what distinguishes views beyond their types.
    Layout(Layout),
}

/// What a view is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Access {
    /// `View`: an array that is read.
    Read,
    /// `ViewMut`: one that is changed.
    Change,
    /// `SharedArray`: in the memory of the threads of a block.
    Shared,
}

/// How an array lies in memory, with its number among a program's arrays, which is that of its name in messages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Layout {
    /// An argument of the kernel: how many axes it has, and whether its elements lie in C order without gaps.
    Global { rank: usize, contiguous: bool, number: usize },
    /// A shared array with fixed lengths.
    Fixed { shape: Vec<usize>, number: usize },
    /// The shared memory whose size is given at a launch: one axis.
    Dynamic { number: usize },
    /// That of an argument; only in signatures.
    Argument,
}

impl Layout {
    pub(crate) fn rank(&self) -> usize {
        match self {
            Layout::Global { rank, .. } => *rank,
            Layout::Fixed { shape, .. } => shape.len(),
            Layout::Dynamic { .. } | Layout::Argument => 1,
        }
    }

    /// The number of the array's name.
    pub(crate) fn number(&self) -> usize {
        match self {
            Layout::Global { number, .. } | Layout::Fixed { number, .. } | Layout::Dynamic { number } => *number,
            Layout::Argument => 0,
        }
    }
}

impl Access {
    pub(crate) const ALL: [Access; 3] = [Access::Read, Access::Change, Access::Shared];

    /// The name of the type in Rust.
    pub(crate) fn type_name(self) -> &'static str {
        match self {
            Access::Read => "View",
            Access::Change => "ViewMut",
            Access::Shared => "SharedArray",
        }
    }

    pub(crate) fn changes(self) -> bool {
        self != Access::Read
    }
}

impl Ty {
    pub(crate) const UNIT: Ty = Ty::Tuple(Vec::new());
    pub(crate) const BOOL: Ty = Ty::Scalar(Scalar::Bool);
    pub(crate) const USIZE: Ty = Ty::Scalar(Scalar::Usize);

    pub(crate) fn is_unit(&self) -> bool {
        *self == Ty::UNIT
    }

    /// The type of a scalar.
    pub(crate) fn of(scalar: Scalar) -> Ty {
        match part_of(scalar) {
            Some(part) => Ty::Complex(Box::new(Ty::Scalar(part))),
            None => Ty::Scalar(scalar),
        }
    }

    pub(crate) fn scalar(&self) -> Option<Scalar> {
        match self {
            Ty::Scalar(scalar) => Some(*scalar),
            Ty::Complex(part) => complex_of(part.scalar()?),
            _ => None,
        }
    }

    pub(crate) fn is_view(&self) -> bool {
        matches!(self.referent(), Ty::View(..))
    }

    /// Without the references around it.
    pub(crate) fn referent(&self) -> &Ty {
        match self {
            Ty::Reference(_, of) => of.referent(),
            other => other,
        }
    }
}

impl From<&Type> for Ty {
    fn from(of: &Type) -> Ty {
        match of {
            Type::Scalar(scalar) => Ty::of(*scalar),
            Type::Tuple(parts) => Ty::Tuple(parts.iter().map(Ty::from).collect()),
            Type::Array(element, length) => Ty::Array(Box::new(Ty::from(&**element)), Some(*length)),
            Type::Struct(name) => Ty::Struct(name.clone()),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Variable(_) => write!(formatter, "_"),
            Ty::Scalar(scalar) => write!(formatter, "{}", name_of(*scalar)),
            Ty::Complex(part) => write!(formatter, "Complex<{part}>"),
            Ty::Tuple(parts) => {
                write!(formatter, "(")?;
                for (index, part) in parts.iter().enumerate() {
                    write!(formatter, "{}{part}", if index == 0 { "" } else { ", " })?;
                }
                write!(formatter, "{})", if parts.len() == 1 { "," } else { "" })
            }
            Ty::Array(element, Some(length)) => write!(formatter, "[{element}; {length}]"),
            Ty::Array(element, None) => write!(formatter, "[{element}; _]"),
            Ty::Struct(name) => write!(formatter, "{}", name.rsplit("::").next().unwrap_or(name)),
            Ty::Reference(changing, of) => write!(formatter, "&{}{of}", if *changing { "mut " } else { "" }),
            Ty::View(access, element, _) => write!(formatter, "{}<{element}>", access.type_name()),
            Ty::Layout(_) => write!(formatter, "_"),
        }
    }
}

/// What is known of a variable that stands for a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    Any,
    Integer,
    Float,
}

#[derive(Clone, Debug)]
enum Slot {
    Open(Kind),
    Is(Ty),
}

/// What all the variables stand for.
#[derive(Debug, Default)]
pub(crate) struct Types {
    slots: Vec<Slot>,
}

impl Types {
    pub(crate) fn fresh(&mut self, kind: Kind) -> Ty {
        self.slots.push(Slot::Open(kind));
        Ty::Variable(self.slots.len() - 1)
    }

    pub(crate) fn any(&mut self) -> Ty {
        self.fresh(Kind::Any)
    }

    /// What a type is as far as it is known, its parts as they were written.
    pub(crate) fn shallow(&self, of: &Ty) -> Ty {
        let mut current = of;
        while let Ty::Variable(index) = current {
            match &self.slots[*index] {
                Slot::Is(next) => current = next,
                Slot::Open(_) => break,
            }
        }
        current.clone()
    }

    /// The same without references around it.
    pub(crate) fn stripped(&self, of: &Ty) -> Ty {
        let mut current = self.shallow(of);
        while let Ty::Reference(_, inner) = current {
            current = self.shallow(&inner);
        }
        current
    }

    /// The same with all its parts.
    pub(crate) fn resolve(&self, of: &Ty) -> Ty {
        match self.shallow(of) {
            Ty::Tuple(parts) => Ty::Tuple(parts.iter().map(|part| self.resolve(part)).collect()),
            Ty::Complex(part) => Ty::Complex(Box::new(self.resolve(&part))),
            Ty::Array(element, length) => Ty::Array(Box::new(self.resolve(&element)), length),
            Ty::Reference(changing, inner) => Ty::Reference(changing, Box::new(self.resolve(&inner))),
            Ty::View(access, element, layout) => {
                Ty::View(access, Box::new(self.resolve(&element)), Box::new(self.resolve(&layout)))
            }
            known => known,
        }
    }

    /// What kind of type an unknown one is: `None` where it is known.
    pub(crate) fn kind(&self, of: &Ty) -> Option<Kind> {
        match self.shallow(of) {
            Ty::Variable(index) => match self.slots[index] {
                Slot::Open(kind) => Some(kind),
                Slot::Is(_) => None,
            },
            _ => None,
        }
    }

    /// Makes two types one. False where they differ; what fits is made one nevertheless.
    pub(crate) fn unify(&mut self, left: &Ty, right: &Ty) -> bool {
        let (left, right) = (self.shallow(left), self.shallow(right));
        match (&left, &right) {
            (Ty::Variable(one), Ty::Variable(other)) if one == other => true,
            (Ty::Variable(one), Ty::Variable(_)) => match (self.kind(&left), self.kind(&right)) {
                (Some(Kind::Any), _) => self.set(*one, right),
                (Some(kind), Some(Kind::Any)) | (Some(kind), Some(_)) if self.may_join(kind, &right) => {
                    let Ty::Variable(other) = right else { return false };
                    self.set(other, left)
                }
                _ => false,
            },
            (Ty::Variable(index), _) => self.bind(*index, right),
            (_, Ty::Variable(index)) => self.bind(*index, left),
            (Ty::Scalar(one), Ty::Scalar(other)) => one == other,
            (Ty::Complex(one), Ty::Complex(other)) => self.unify(one, other),
            (Ty::Tuple(one), Ty::Tuple(other)) => {
                let same = one.len() == other.len();
                one.iter().zip(other).fold(same, |same, (one, other)| self.unify(one, other) && same)
            }
            (Ty::Array(one, length), Ty::Array(other, other_length)) => {
                let same = length.is_none() || other_length.is_none() || length == other_length;
                self.unify(one, other) && same
            }
            (Ty::Struct(one), Ty::Struct(other)) => one == other,
            // A reference that may change what it refers to is taken where one that reads is wanted.
            (Ty::Reference(_, one), Ty::Reference(_, other)) => self.unify(one, other),
            (Ty::View(access, one, layout), Ty::View(other_access, other, other_layout)) => {
                let same = self.unify(one, other) && access == other_access;
                self.unify(layout, other_layout) && same
            }
            (Ty::Layout(one), Ty::Layout(other)) => one == other,
            _ => false,
        }
    }

    /// Whether a variable of that kind and another variable may be the same.
    fn may_join(&self, kind: Kind, other: &Ty) -> bool {
        matches!(self.kind(other), Some(Kind::Any)) || self.kind(other) == Some(kind)
    }

    fn bind(&mut self, index: usize, to: Ty) -> bool {
        let fits = match (&self.slots[index], &to) {
            (Slot::Open(Kind::Any), _) => !self.contains(&to, index),
            (Slot::Open(Kind::Integer), Ty::Scalar(scalar)) => is_integer(*scalar),
            (Slot::Open(Kind::Float), Ty::Scalar(scalar)) => is_float(*scalar),
            _ => false,
        };
        fits && self.set(index, to)
    }

    fn set(&mut self, index: usize, to: Ty) -> bool {
        self.slots[index] = Slot::Is(to);
        true
    }

    /// Whether a type is made of a variable, which then cannot be that type.
    fn contains(&self, of: &Ty, index: usize) -> bool {
        match self.shallow(of) {
            Ty::Variable(other) => other == index,
            Ty::Tuple(parts) => parts.iter().any(|part| self.contains(part, index)),
            Ty::Array(element, _) | Ty::Complex(element) => self.contains(&element, index),
            Ty::Reference(_, inner) => self.contains(&inner, index),
            Ty::View(_, element, layout) => self.contains(&element, index) || self.contains(&layout, index),
            Ty::Scalar(_) | Ty::Struct(_) | Ty::Layout(_) => false,
        }
    }

    /// Gives literals that nothing else decides their default types. What is open after that is the type of code that is
    /// never reached.
    pub(crate) fn apply_defaults(&mut self) {
        for slot in &mut self.slots {
            match slot {
                Slot::Open(Kind::Integer) => *slot = Slot::Is(Ty::Scalar(Scalar::I32)),
                Slot::Open(Kind::Float) => *slot = Slot::Is(Ty::Scalar(Scalar::F64)),
                Slot::Open(Kind::Any) | Slot::Is(_) => {}
            }
        }
    }
}
