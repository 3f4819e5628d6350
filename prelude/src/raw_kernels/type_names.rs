//! Names of element types in the texts: NumPy's and Rust's in lists of parameters, C's in kernels.

use crate::dtype::DType;

/// The element type that a list of parameters names; else what to write instead.
pub(super) fn named(name: &str) -> Result<DType, String> {
    Ok(match name {
        "bool" | "bool_" => DType::Bool,
        "u8" | "uint8" => DType::U8,
        "i8" | "int8" => DType::I8,
        "u16" | "uint16" => DType::U16,
        "i16" | "int16" => DType::I16,
        "i32" | "int32" => DType::I32,
        "u32" | "uint32" => DType::U32,
        "i64" | "int64" => DType::I64,
        "u64" | "uint64" => DType::U64,
        "f16" | "float16" => DType::F16,
        "bf16" | "bfloat16" => DType::BF16,
        "f32" | "float32" => DType::F32,
        "f64" | "float64" | "double" => DType::F64,
        "complex64" => DType::C64,
        "complex128" => DType::C128,
        "float" => return Err("is a type of 32 bits in C and of 64 in NumPy; write float32 or float64".into()),
        "int" | "long" => return Err("has 32 bits in some languages and 64 in others; write int32 or int64".into()),
        "uint" | "unsigned" => return Err("has no clear size; write uint32 or uint64".into()),
        "complex" => return Err("has no clear size; write complex64 or complex128".into()),
        _ => {
            return Err(
                "is not an element type; write one of bool, int8 to int64, uint8 to uint64, float16, bfloat16, \
                 float32, float64, complex64 and complex128, or Rust's names (f64), or one letter for the type of the \
                 argument"
                    .into(),
            );
        }
    })
}

/// What generated programs call an element type.
pub(super) const fn c_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::U8 => "unsigned char",
        DType::I8 => "signed char",
        DType::U16 => "unsigned short",
        DType::I16 => "short",
        DType::I32 => "int",
        DType::U32 => "unsigned int",
        DType::I64 => "long long",
        DType::U64 => "unsigned long long",
        DType::F16 => "float16",
        DType::BF16 => "bfloat16",
        DType::F32 => "float",
        DType::F64 => "double",
        DType::C64 => "complex<float>",
        DType::C128 => "complex<double>",
    }
}

/// Whether a word is a C type, or a part of one, and so not the name of a parameter.
pub(super) fn is_c_keyword(word: &str) -> bool {
    matches!(word, "unsigned" | "signed" | "int" | "long" | "short" | "char" | "float" | "double" | "bool" | "void")
}

/// The element types that the words of a C type can stand for, the usual one first, each with how many lie in one value.
pub(super) fn of_c(words: &[&str]) -> Option<Vec<(DType, usize)>> {
    // `long unsigned int` is `unsigned long`.
    let is_char = words.contains(&"char");
    let mut words: Vec<&str> =
        words.iter().copied().filter(|&word| word != "int" && (word != "signed" || is_char)).collect();
    words.sort_unstable();
    words.dedup();
    let name = words.join(" ");
    let one = match name.as_str() {
        "bool" => DType::Bool,
        "char" => return Some(vec![(DType::I8, 1), (DType::U8, 1)]),
        "char signed" | "int8_t" => DType::I8,
        "char unsigned" | "uint8_t" | "uchar" => DType::U8,
        "short" | "int16_t" => DType::I16,
        "short unsigned" | "uint16_t" | "ushort" => DType::U16,
        "" | "int32_t" => DType::I32,
        "unsigned" | "uint32_t" | "uint" => DType::U32,
        "long" | "longlong" | "int64_t" | "ptrdiff_t" | "ssize_t" | "intptr_t" => DType::I64,
        "long unsigned" | "ulong" | "ulonglong" | "uint64_t" | "size_t" | "uintptr_t" | "CUdeviceptr" => DType::U64,
        "half" | "__half" | "float16" => DType::F16,
        "__nv_bfloat16" | "nv_bfloat16" | "bfloat16" => DType::BF16,
        "float" => DType::F32,
        "double" => DType::F64,
        "cuComplex" | "cuFloatComplex" | "complex<float>" => DType::C64,
        "cuDoubleComplex" | "complex<double>" => DType::C128,
        // Two floats may also be a complex number.
        "float2" => return Some(vec![(DType::C64, 1), (DType::F32, 2)]),
        "double2" => return Some(vec![(DType::C128, 1), (DType::F64, 2)]),
        // CUDA's vectors, such as `float4`.
        _ => {
            let (at, lanes) = name.char_indices().next_back()?;
            let lanes = lanes.to_digit(10).filter(|lanes| (1..=4).contains(lanes))?;
            let element = of_c(&[&name[..at]])?[0].0;
            return (!matches!(element, DType::F16 | DType::BF16)).then(|| vec![(element, lanes as usize)]);
        }
    };
    Some(vec![(one, 1)])
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
        assert_eq!(of("float4"), Some((DType::F32, 4)));
        assert_eq!(of("uchar3"), Some((DType::U8, 3)));
        assert_eq!(of("int2"), Some((DType::I32, 2)));
        assert_eq!((of("Point"), of("long double"), of("dim3")), (None, None, None));
    }
}
