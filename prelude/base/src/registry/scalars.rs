//! Element types of arrays as types in functions that run on devices, and the other way round.

use crate::dtype::{DType, dtypes, if_dtype};
use warpcell_translate::Scalar;

/// The type in functions for an element type of arrays: all but complex numbers have one.
pub fn scalar_of(dtype: DType) -> Option<Scalar> {
    macro_rules! scalars {
        ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => {
            match dtype {
                $(DType::$tag => if_dtype! { real $kind $use { Some(Scalar::$tag) } { None } },)*
            }
        };
    }
    dtypes!(scalars!())
}

/// The element type of arrays for a type in functions; `usize` and `isize` have none.
pub fn element_of(scalar: Scalar) -> Option<DType> {
    DType::ALL.into_iter().find(|&dtype| scalar_of(dtype) == Some(scalar))
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
            let Some(scalar) = scalar_of(dtype) else { continue };
            assert_eq!((name_of(scalar), element_of(scalar), values_of(scalar)), (dtype.name(), Some(dtype), dtype));
        }
        assert_eq!((element_of(Scalar::Usize), values_of(Scalar::Isize)), (None, DType::I64));
    }
}
