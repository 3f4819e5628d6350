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

/// The element types of arrays that a C type's words can stand for, the usual one first, each with how many lie in one value.
pub(super) fn of_c(words: &[&str]) -> Option<Vec<(DType, usize)>> {
    if let [word] = words {
        let word = word.rsplit("::").next().unwrap_or(word);
        let one = match word {
            "bool" => DType::Bool,
            "char" => return Some(vec![(DType::I8, 1), (DType::U8, 1)]),
            "int8_t" => DType::I8,
            "uint8_t" | "uchar" => DType::U8,
            "short" | "int16_t" => DType::I16,
            "ushort" | "uint16_t" => DType::U16,
            "int" | "signed" | "int32_t" => DType::I32,
            "unsigned" | "uint" | "uint32_t" => DType::U32,
            "long" | "int64_t" | "ptrdiff_t" | "ssize_t" | "intptr_t" | "longlong" => DType::I64,
            "ulong" | "uint64_t" | "size_t" | "uintptr_t" | "ulonglong" | "CUdeviceptr" => DType::U64,
            "half" | "__half" | "float16" => DType::F16,
            "__nv_bfloat16" | "nv_bfloat16" | "bfloat16" => DType::BF16,
            "float" => DType::F32,
            "double" => DType::F64,
            "cuComplex" | "cuFloatComplex" | "complex<float>" => DType::C64,
            "cuDoubleComplex" | "complex<double>" => DType::C128,
            _ => return vector(word),
        };
        return Some(vec![(one, 1)]);
    }
    let count = |wanted: &str| words.iter().filter(|&&word| word == wanted).count();
    let (unsigned, longs) = (count("unsigned") > 0, count("long"));
    if words.iter().any(|word| !matches!(*word, "unsigned" | "signed" | "long" | "short" | "int" | "char")) {
        return None;
    }
    let one = match (count("char") > 0, count("short") > 0, longs > 0, unsigned) {
        (true, _, _, true) => DType::U8,
        (true, ..) => DType::I8,
        (_, true, _, true) => DType::U16,
        (_, true, ..) => DType::I16,
        (_, _, true, true) => DType::U64,
        (_, _, true, _) => DType::I64,
        (.., true) => DType::U32,
        _ => DType::I32,
    };
    Some(vec![(one, 1)])
}

/// CUDA's vectors, such as `float4`: as many elements, or for two floats a complex number.
fn vector(word: &str) -> Option<Vec<(DType, usize)>> {
    let lanes = word.chars().next_back()?.to_digit(10).filter(|lanes| (1..=4).contains(lanes))? as usize;
    let dtype = match &word[..word.len() - 1] {
        "char" => DType::I8,
        "uchar" => DType::U8,
        "short" => DType::I16,
        "ushort" => DType::U16,
        "int" => DType::I32,
        "uint" => DType::U32,
        "long" | "longlong" => DType::I64,
        "ulong" | "ulonglong" => DType::U64,
        "float" if lanes == 2 => return Some(vec![(DType::C64, 1), (DType::F32, 2)]),
        "double" if lanes == 2 => return Some(vec![(DType::C128, 1), (DType::F64, 2)]),
        "float" => DType::F32,
        "double" => DType::F64,
        _ => return None,
    };
    Some(vec![(dtype, lanes)])
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
            ("std::size_t", DType::U64),
            ("thrust::complex<float>", DType::C64),
            ("double2", DType::C128),
            ("__half", DType::F16),
        ] {
            assert_eq!(of(text), Some((dtype, 1)), "{text}");
        }
        assert_eq!(of("float4"), Some((DType::F32, 4)));
        assert_eq!(of("uchar3"), Some((DType::U8, 3)));
        assert_eq!((of("Point"), of("long double"), of("dim3")), (None, None, None));
    }
}
