//! Element types of arrays as types in functions that run on devices, and the other way round.

use crate::dtype::{DType, dtypes};
use warpcell_translate::Scalar;

/// The type in functions for an element type of arrays.
pub fn scalar_of(dtype: DType) -> Scalar {
    macro_rules! scalars {
        ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
            match dtype {
                $(DType::$tag => Scalar::$tag,)*
            }
        };
    }
    dtypes!(scalars!())
}

/// The element type of arrays for a type in functions; `usize` and `isize` have none.
pub fn element_of(scalar: Scalar) -> Option<DType> {
    DType::ALL.into_iter().find(|&dtype| scalar_of(dtype) == scalar)
}

/// The element type that has the values of a type in functions: also of `usize` and `isize`, which have 64 bits on devices.
pub fn values_of(scalar: Scalar) -> DType {
    match scalar {
        Scalar::Isize => DType::I64,
        Scalar::Usize => DType::U64,
        other => element_of(other).expect("an element type"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpcell_translate::name_of;

    #[test]
    fn names_are_the_same() {
        for dtype in DType::ALL {
            let scalar = scalar_of(dtype);
            assert_eq!((element_of(scalar), values_of(scalar)), (Some(dtype), dtype));
            let name = name_of(scalar).replace("Complex32", "Complex<f32>").replace("Complex64", "Complex<f64>");
            assert_eq!(name, dtype.name());
        }
        assert_eq!((element_of(Scalar::Usize), values_of(Scalar::Isize)), (None, DType::I64));
    }
}
