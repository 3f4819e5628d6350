//! Values as they lie in a device's memory: as the structs of the generated text.

use crate::program::{Type, Value};
use crate::scalars::{Scalar, part_of, size_of};

impl Value {
    /// The bytes of the value as CUDA C lays it out. None for what has an array of no structs, whose size the value does not tell.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let alignment = self.add_to(&mut bytes)?;
        pad(&mut bytes, alignment);
        Some(bytes)
    }

    /// Adds the bytes, and gives what they are aligned to.
    fn add_to(&self, bytes: &mut Vec<u8>) -> Option<usize> {
        match self {
            Value::Scalar(scalar, bits) => {
                let alignment = alignment(*scalar);
                pad(bytes, alignment);
                bytes.extend_from_slice(&bits.to_le_bytes()[..size_of(*scalar)]);
                Some(alignment)
            }
            Value::Tuple(parts) => structure(&mut parts.iter(), bytes),
            Value::Struct(_, fields) => structure(&mut fields.iter().map(|(_, value)| value), bytes),
            // C++ has no arrays of nothing: there is one element, of which nothing is said.
            Value::Array(of, elements) if elements.is_empty() => structure(&mut [zero(of)?].iter(), bytes),
            Value::Array(_, elements) => structure(&mut elements.iter(), bytes),
        }
    }
}

/// The members of a struct, one after another, each where its alignment allows.
fn structure(members: &mut dyn Iterator<Item = &Value>, bytes: &mut Vec<u8>) -> Option<usize> {
    let mut own = Vec::new();
    let mut alignment = 1;
    for member in members {
        alignment = alignment.max(member.add_to(&mut own)?);
    }
    // An empty struct has a byte.
    own.resize(own.len().max(1), 0);
    pad(&mut own, alignment);
    pad(bytes, alignment);
    bytes.extend(own);
    Some(alignment)
}

fn alignment(scalar: Scalar) -> usize {
    size_of(part_of(scalar).unwrap_or(scalar))
}

fn pad(bytes: &mut Vec<u8>, alignment: usize) {
    bytes.resize(bytes.len().next_multiple_of(alignment), 0);
}

/// A value of a type.
fn zero(of: &Type) -> Option<Value> {
    match of {
        Type::Scalar(scalar) => Some(Value::Scalar(*scalar, 0)),
        Type::Tuple(parts) => Some(Value::Tuple(parts.iter().map(zero).collect::<Option<_>>()?)),
        Type::Array(element, length) => Some(Value::Array((**element).clone(), vec![zero(element)?; *length])),
        Type::Struct(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The compiler of the host lays out `repr(C)` as CUDA C does.
    #[test]
    fn bytes_are_those_of_c() {
        #[repr(C)]
        struct Inner {
            small: u8,
            wide: f64,
        }
        #[repr(C)]
        struct Outer {
            truth: bool,
            pair: [u16; 3],
            inner: [Inner; 2],
            complex: [f32; 2],
            last: i8,
        }
        let scalar = |of, bits: u64| Value::Scalar(of, bits.into());
        let inner = |small: u8, wide: f64| {
            let fields = [("small", scalar(Scalar::U8, small.into())), ("wide", scalar(Scalar::F64, wide.to_bits()))];
            Value::Struct("Inner".to_owned(), fields.map(|(name, value)| (name.to_owned(), value)).to_vec())
        };
        let fields = [
            ("truth", scalar(Scalar::Bool, 1)),
            (
                "pair",
                Value::Array(Type::Scalar(Scalar::U16), [1, 2, 0xffff].map(|bits| scalar(Scalar::U16, bits)).to_vec()),
            ),
            ("inner", Value::Array(Type::Struct("Inner".to_owned()), vec![inner(7, 1.5), inner(8, -2.0)])),
            ("complex", scalar(Scalar::C64, u64::from(0.5f32.to_bits()) | u64::from(3.0f32.to_bits()) << 32)),
            ("last", scalar(Scalar::I8, 0xfe)),
        ];
        let value = Value::Struct("Outer".to_owned(), fields.map(|(name, value)| (name.to_owned(), value)).to_vec());
        let bytes = value.bytes().expect("the size is known");
        assert_eq!(bytes.len(), size_of_c::<Outer>());
        let at = |offset: usize, expected: &[u8]| {
            assert_eq!(&bytes[offset..offset + expected.len()], expected, "at {offset}")
        };
        at(std::mem::offset_of!(Outer, truth), &[1]);
        at(std::mem::offset_of!(Outer, pair), &[1, 0, 2, 0, 255, 255]);
        for (index, (small, wide)) in [(7, 1.5f64), (8, -2.0)].into_iter().enumerate() {
            let start = std::mem::offset_of!(Outer, inner) + index * size_of_c::<Inner>();
            at(start + std::mem::offset_of!(Inner, small), &[small]);
            at(start + std::mem::offset_of!(Inner, wide), &wide.to_le_bytes());
        }
        at(std::mem::offset_of!(Outer, complex), &[0.5f32.to_le_bytes(), 3.0f32.to_le_bytes()].concat());
        at(std::mem::offset_of!(Outer, last), &[0xfe]);
        assert_eq!(Value::Tuple(Vec::new()).bytes(), Some(vec![0]));
        assert_eq!(Value::Array(Type::Scalar(Scalar::F32), Vec::new()).bytes(), Some(vec![0; 4]));
        assert_eq!(Value::Array(Type::Struct("Inner".to_owned()), Vec::new()).bytes(), None);
    }

    fn size_of_c<T>() -> usize {
        std::mem::size_of::<T>()
    }
}
