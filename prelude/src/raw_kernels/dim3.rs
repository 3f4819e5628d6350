//! Sizes of grids and blocks as arguments.

use crate::array::conversions::conversions;

mod sealed {
    pub trait Length: Copy {
        fn length(self) -> i64;
    }
    pub trait Dim3 {}
}

use sealed::Length;

/// The size of a grid or a block: `n`, `(x, y)`, `(x, y, z)`, or an array of two or three lengths. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the size of a grid or a block",
    label = "expected one to three lengths",
    note = "sizes are `n`, `(x, y)` or `(x, y, z)`"
)]
pub trait IntoDim3: sealed::Dim3 {
    /// The lengths along x, y and z.
    fn into_dim3(self) -> [i64; 3];
}

macro_rules! lengths {
    ($($type:ty)*) => {$(
        impl Length for $type {
            fn length(self) -> i64 {
                i64::try_from(self).unwrap_or(i64::MAX)
            }
        }
        conversions! {
            fn into_dim3(self) -> [i64; 3]: IntoDim3, sealed::Dim3;
            $type => [self.length(), 1, 1];
        }
    )*};
}
lengths!(i32 u32 i64 u64 usize);

conversions! {
    fn into_dim3(self) -> [i64; 3]: IntoDim3, sealed::Dim3;
    (X,) [X: Length] => [self.0.length(), 1, 1];
    (X, Y) [X: Length, Y: Length] => [self.0.length(), self.1.length(), 1];
    (X, Y, Z) [X: Length, Y: Length, Z: Length] => [self.0.length(), self.1.length(), self.2.length()];
    [L; 2] [L: Length] => [self[0].length(), self[1].length(), 1];
    [L; 3] [L: Length] => self.map(Length::length);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_come_in_many_forms() {
        assert_eq!(7.into_dim3(), [7, 1, 1]);
        assert_eq!((7usize.div_ceil(2), 3).into_dim3(), [4, 3, 1]);
        assert_eq!((1, 2u32, 3).into_dim3(), [1, 2, 3]);
        assert_eq!([4usize, 5].into_dim3(), [4, 5, 1]);
        assert_eq!((-1).into_dim3(), [-1, 1, 1]);
        assert_eq!(usize::MAX.into_dim3(), [i64::MAX, 1, 1]);
    }
}
