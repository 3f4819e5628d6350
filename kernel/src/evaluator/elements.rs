//! The element types of arrays, as cells and messages name them: the kernel's one list. A dtype has a row here.

/// What the kernel knows of an element type.
struct ElementType {
    /// The type in Rust, as a cell names it.
    name: &'static str,
    /// Its names in NumPy and in Python, and in Rust where a cell may write it for these.
    others: &'static str,
    /// Whether it is an integer.
    is_integer: bool,
    /// Whether only some operations compute in it.
    is_limited: bool,
}

const fn element(name: &'static str, others: &'static str) -> ElementType {
    ElementType { name, others, is_integer: false, is_limited: false }
}

const fn integer(name: &'static str, others: &'static str) -> ElementType {
    ElementType { is_integer: true, ..element(name, others) }
}

const fn limited(element: ElementType) -> ElementType {
    ElementType { is_limited: true, ..element }
}

const ELEMENT_TYPES: [ElementType; 15] = [
    limited(element("bool", "bool bool_")),
    integer("u8", "uint8"),
    limited(integer("i8", "int8")),
    limited(integer("u16", "uint16")),
    limited(integer("i16", "int16")),
    integer("i32", "int32 i32"),
    integer("u32", "uint32"),
    integer("i64", "int64 int long i64"),
    integer("u64", "uint64"),
    limited(element("gpu::f16", "float16 half")),
    limited(element("gpu::bf16", "bfloat16")),
    element("f32", "float32 single f32"),
    element("f64", "float64 float double float_ f64"),
    element("gpu::Complex<f32>", "complex64"),
    element("gpu::Complex<f64>", "complex128 complex complex_"),
];

/// The element type with one of its other names.
pub fn named(other: &str) -> Option<&'static str> {
    let has_name = |element: &&ElementType| element.others.split_whitespace().any(|name| name == other);
    ELEMENT_TYPES.iter().find(has_name).map(|element| element.name)
}

/// Whether these are the integers of an array.
pub fn is_integer(name: &str) -> bool {
    ELEMENT_TYPES.iter().any(|element| element.is_integer && element.name == name)
}

/// Whether arrays have elements of this type, as a cell names it, with or without `gpu::`.
pub fn is_element(name: &str) -> bool {
    ELEMENT_TYPES.iter().any(|element| element.name == name) || is_of_prelude(name)
}

/// Whether `gpu` has the type under this name.
pub fn is_of_prelude(name: &str) -> bool {
    ELEMENT_TYPES.iter().any(|element| element.name.strip_prefix("gpu::") == Some(name))
}

/// Whether only some operations compute in the type, which the compiler names without a path.
pub fn is_limited(name: &str) -> bool {
    ELEMENT_TYPES.iter().any(|element| element.is_limited && element.name.trim_start_matches("gpu::") == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_by_their_names() {
        assert_eq!(named("float32"), Some("f32"));
        assert_eq!(named("half"), Some("gpu::f16"));
        assert_eq!(named("int"), Some("i64"));
        // In NumPy a name for another type.
        assert_eq!(named("u8"), None);
        assert!(is_integer("u16") && !is_integer("f32") && !is_integer("usize"));
        assert!(is_limited("bf16") && is_limited("bool") && !is_limited("f64"));
    }

    #[test]
    fn no_name_stands_for_two_types() {
        let mut names: Vec<&str> = ELEMENT_TYPES.iter().flat_map(|element| element.others.split_whitespace()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
