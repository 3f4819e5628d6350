//! Names of element types in the texts: NumPy's and Rust's in lists of parameters, C's in kernels.

use crate::dtype::{DType, Kind};

/// The element type that a list of parameters names; else what to write instead.
pub(super) fn named(name: &str) -> Result<DType, String> {
    let is_it = |dtype: &DType| dtype.numpy_name() == name || (dtype.name() == name && !dtype.is_complex());
    if let Some(dtype) = DType::ALL.into_iter().find(is_it) {
        return Ok(dtype);
    }
    Err(match name {
        "bool_" => return Ok(DType::Bool),
        "double" => return Ok(DType::F64),
        "float" => "is a type of 32 bits in C and of 64 in NumPy; write float32 or float64",
        "int" | "long" => "has 32 bits in some languages and 64 in others; write int32 or int64",
        "uint" | "unsigned" => "has no clear size; write uint32 or uint64",
        "complex" => "has no clear size; write complex64 or complex128",
        _ => {
            "is not an element type; write NumPy's name of one, such as int32 or float64, Rust's name (f64), or one letter \
             for the type of the argument"
        }
    }
    .into())
}

/// Whether a word is a C type, or a part of one, and so not the name of a parameter.
pub(super) fn is_c_keyword(word: &str) -> bool {
    matches!(word, "unsigned" | "signed" | "int" | "long" | "short" | "char" | "float" | "double" | "bool" | "void")
}

/// Names in C and CUDA C beside those of the table of dtypes and of those with a width, such as `int32_t`.
const OTHER_NAMES: [(DType, &[&str]); 9] = [
    (DType::U8, &["uchar"]),
    (DType::U16, &["ushort"]),
    (DType::U32, &["uint"]),
    (DType::I64, &["longlong", "ptrdiff_t", "ssize_t", "intptr_t"]),
    (DType::U64, &["ulong", "ulonglong", "size_t", "uintptr_t", "CUdeviceptr"]),
    (DType::F16, &["half", "__half"]),
    (DType::BF16, &["__nv_bfloat16", "nv_bfloat16"]),
    (DType::C64, &["cuComplex", "cuFloatComplex"]),
    (DType::C128, &["cuDoubleComplex"]),
];

/// The element types that the words of a C type can stand for, the usual one first, each with how many lie in one value.
pub(super) fn of_c(words: &[&str]) -> Option<Vec<(DType, usize)>> {
    let name = in_order(words.iter().copied());
    match name.as_str() {
        "char" => return Some(vec![(DType::I8, 1), (DType::U8, 1)]),
        // Two floats may also be a complex number.
        "float2" => return Some(vec![(DType::C64, 1), (DType::F32, 2)]),
        "double2" => return Some(vec![(DType::C128, 1), (DType::F64, 2)]),
        _ => {}
    }
    let is_it = |dtype: &DType| {
        let others = OTHER_NAMES.iter().find(|(of, _)| of == dtype);
        in_order(dtype.c_name().split(' ')) == name
            || name.strip_suffix("_t").is_some_and(|name| dtype.is_integer() && dtype.numpy_name() == name)
            || others.is_some_and(|(_, names)| names.contains(&name.as_str()))
    };
    if let Some(dtype) = DType::ALL.into_iter().find(is_it) {
        return Some(vec![(dtype, 1)]);
    }
    // CUDA's vectors, such as `float4`.
    let (at, lanes) = name.char_indices().next_back()?;
    let lanes = lanes.to_digit(10).filter(|lanes| (1..=4).contains(lanes))?;
    let element = of_c(&[&name[..at]])?[0].0;
    (element.kind() != Kind::Narrow).then(|| vec![(element, lanes as usize)])
}

/// The words of a C type in one order, without those that change nothing: `long unsigned int` is `unsigned long`.
fn in_order<'a>(words: impl Iterator<Item = &'a str> + Clone) -> String {
    let is_char = words.clone().any(|word| word == "char");
    let mut words: Vec<&str> = words.filter(|&word| word != "int" && (word != "signed" || is_char)).collect();
    words.sort_unstable();
    words.dedup();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_numpy_and_rust() {
        for dtype in DType::ALL {
            if !dtype.is_complex() {
                assert_eq!(named(dtype.name()), Ok(dtype));
            }
        }
        assert_eq!(
            (named("float64"), named("bool_"), named("complex64")),
            (Ok(DType::F64), Ok(DType::Bool), Ok(DType::C64))
        );
        assert!(named("float").unwrap_err().contains("float32 or float64"));
        assert!(named("float65").unwrap_err().contains("one letter"));
    }

    #[test]
    fn names_of_c() {
        let of = |text: &str| of_c(&text.split(' ').collect::<Vec<_>>()).map(|types| types[0]);
        for (text, dtype) in [
            ("unsigned", DType::U32),
            ("long long", DType::I64),
            ("unsigned long", DType::U64),
            ("long unsigned int", DType::U64),
            ("short int", DType::I16),
            ("signed char", DType::I8),
            ("unsigned char", DType::U8),
            ("size_t", DType::U64),
            ("complex<float>", DType::C64),
            ("double2", DType::C128),
            ("__half", DType::F16),
        ] {
            assert_eq!(of(text), Some((dtype, 1)), "{text}");
        }
        for dtype in DType::ALL {
            assert_eq!(of(dtype.c_name()), Some((dtype, 1)));
        }
        assert_eq!((of("uint16_t"), of("int64_t"), of("bool_t")), (Some((DType::U16, 1)), Some((DType::I64, 1)), None));
        assert_eq!(of("float4"), Some((DType::F32, 4)));
        assert_eq!(of("uchar3"), Some((DType::U8, 3)));
        assert_eq!(of("int2"), Some((DType::I32, 2)));
        assert_eq!((of("Point"), of("long double"), of("dim3")), (None, None, None));
    }
}
