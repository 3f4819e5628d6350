//! What can be plotted: [`Values`], sequences of numbers on either side; [`Curve`], one or two of them; [`Categories`],
//! what stands below bars.

use super::image::Image;
use crate::array::DeviceArray;
use crate::array::conversions::conversions;
use crate::dtype::{Element, dtypes};
use crate::error::{Error, Result};
use ndarray::{ArrayBase, ArrayViewD, Data, Dimension};

/// A sequence of numbers: a 1-D array on the host (`ndarray`, a slice, a `Vec`, a Rust array) or on the device, of which
/// plots take a copy. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be plotted",
    label = "not a sequence of numbers",
    note = "plots take references to 1-D arrays, slices and `Vec`s of floats, integers or bools: `gpu::plot(&y)`"
)]
pub trait Values: sealed::Sealed {
    /// The shape, and all elements in the order of the last axis first.
    #[doc(hidden)]
    fn elements(&self) -> Elements;

    /// The elements of what has one axis.
    #[doc(hidden)]
    fn values(&self, operation: &'static str) -> Result<Vec<f64>> {
        let (shape, values) = self.elements();
        require_one_axis(operation, &shape)?;
        Ok(values)
    }
}

/// An array's shape and numbers.
#[doc(hidden)]
pub type Elements = (Vec<usize>, Vec<f64>);

/// The numbers over a grid, and if they are given, the places x and y.
#[doc(hidden)]
pub type Parts = (Elements, Option<[Elements; 2]>);

mod sealed {
    pub trait Sealed {}
}

/// A number of a host array.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number that can be plotted",
    note = "plots take floats, integers and bools; convert others first: `values.iter().map(|x| …).collect::<Vec<f64>>()`"
)]
#[doc(hidden)]
pub trait Numeral: Copy {
    fn number(self) -> f64;

    /// An array as an image: compiled here for each type, not in each cell.
    fn image(array: ArrayViewD<'_, Self>) -> Image;
}

macro_rules! numerals {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $computed:ty, $sum:ty, $mean:ty, $name:literal, $($rest:tt)* })*) => {
        $(numerals!(@$kind $type, $name);)*
    };
    (@Complex $type:ty, $name:literal) => {};
    (@Bool $type:ty, $name:literal) => { numerals!(@each $type, $name: |x| f64::from(u8::from(x)), 1.0); };
    (@Unsigned $type:ty, $name:literal) => { numerals!(@each $type, $name: |x| x as f64, 255.0); };
    (@Signed $type:ty, $name:literal) => { numerals!(@each $type, $name: |x| x as f64, 255.0); };
    (@$float:ident $type:ty, $name:literal) => { numerals!(@each $type, $name: |x| f64::from(x), 1.0); };
    // A type, its name, its number, and which number is the brightest part of a colour.
    (@each $type:ty, $name:literal: |$value:ident| $number:expr, $full:literal) => {
        impl Numeral for $type {
            fn number(self) -> f64 {
                let $value = self;
                $number
            }

            fn image(array: ArrayViewD<'_, $type>) -> Image {
                Image::read(array, $name, $full)
            }
        }
    };
}
dtypes!(numerals!());
numerals!(@Unsigned usize, "usize");
numerals!(@Signed isize, "isize");

conversions! {
    fn elements(&self) -> Elements: Values, sealed::Sealed;
    [T] [T: Numeral] => (vec![self.len()], self.iter().map(|&x| x.number()).collect());
    Vec<T> [T: Numeral] => self.as_slice().elements();
    [T; N] [T: Numeral, const N: usize] => self.as_slice().elements();
    ArrayBase<S, D> [S: Data<Elem = T>, D: Dimension, T: Numeral] =>
        (self.shape().to_vec(), self.iter().map(|&x| x.number()).collect());
    DeviceArray<T> [T: Element + Numeral] => self.to_host().elements();
}

fn require_one_axis(operation: &'static str, shape: &[usize]) -> Result<()> {
    let reason = match shape.len() {
        1 => return Ok(()),
        2 => "has two axes; plot one row of it, such as `&x.slice(s![0, ..])`, or show all of it with `imshow`",
        _ => "is not the shape of a sequence; give a 1-D array, such as the result of `flatten`",
    };
    Err(Error::shape(operation, shape, reason))
}

/// What [`plot`](crate::plot()) takes: `&y`, above 0, 1, 2 …, or `(&x, &y)`. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be plotted",
    label = "neither `&y` nor `(&x, &y)`",
    note = "plots take references to 1-D arrays, slices and `Vec`s of floats, integers or bools"
)]
pub trait Curve {
    #[doc(hidden)]
    fn points(&self, operation: &'static str) -> Result<(Vec<f64>, Vec<f64>)>;
}

impl<Y: Values + ?Sized> Curve for &Y {
    fn points(&self, operation: &'static str) -> Result<(Vec<f64>, Vec<f64>)> {
        let y = non_empty(operation, self.values(operation)?)?;
        Ok(((0..y.len()).map(|index| index as f64).collect(), y))
    }
}

impl<X: Values + ?Sized, Y: Values + ?Sized> Curve for (&X, &Y) {
    fn points(&self, operation: &'static str) -> Result<(Vec<f64>, Vec<f64>)> {
        pair(operation, ["x", "y"], self.0.values(operation)?, self.1.values(operation)?)
    }
}

/// Two sequences of one length.
pub(super) fn pair(
    operation: &'static str,
    names: [&str; 2],
    x: Vec<f64>,
    y: Vec<f64>,
) -> Result<(Vec<f64>, Vec<f64>)> {
    let y = same_length(operation, names, x.len(), y)?;
    Ok((x, non_empty(operation, y)?))
}

/// A sequence that has to be as long as another one.
pub(super) fn same_length(
    operation: &'static str,
    [first, second]: [&str; 2],
    length: usize,
    values: Vec<f64>,
) -> Result<Vec<f64>> {
    if length != values.len() {
        let plural = if length == 1 { "value" } else { "values" };
        let reason =
            format!("{first} has {length} {plural} and {second} has {}; give both the same number", values.len());
        return Err(Error::argument(operation, reason));
    }
    Ok(values)
}

/// The values, if there are any.
pub(super) fn non_empty(operation: &'static str, values: Vec<f64>) -> Result<Vec<f64>> {
    if values.is_empty() {
        let reason = "has no values; give at least one";
        return Err(Error::shape(operation, [0], reason));
    }
    Ok(values)
}

/// One number for each point: a sequence of them, `&y`, or one number for all. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither a number nor a sequence of numbers",
    note = "write one number for all points, such as `0.0`, or a reference to an array, slice or `Vec`: `&y`"
)]
pub trait PerPoint {
    #[doc(hidden)]
    fn per_point(&self, operation: &'static str, name: &str, x: &[f64]) -> Result<Vec<f64>>;
}

impl<V: Values + ?Sized> PerPoint for &V {
    fn per_point(&self, operation: &'static str, name: &str, x: &[f64]) -> Result<Vec<f64>> {
        same_length(operation, ["x", name], x.len(), self.values(operation)?)
    }
}

macro_rules! one_for_all_points {
    ($($type:ty)*) => {$(
        impl PerPoint for $type {
            fn per_point(&self, _operation: &'static str, _name: &str, x: &[f64]) -> Result<Vec<f64>> {
                Ok(vec![self.number(); x.len()])
            }
        }
    )*};
}
one_for_all_points!(f32 f64 i32 i64 usize);

/// What stands below bars: names or numbers. Not an extension point.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the labels of bars",
    label = "neither names nor numbers",
    note = "`gpu::bar` takes a reference to a slice, array or `Vec` of `&str`, `String` or numbers"
)]
pub trait Categories {
    #[doc(hidden)]
    fn places(&self) -> Result<Places>;
}

/// Where bars stand.
#[doc(hidden)]
pub enum Places {
    /// Side by side, under these names.
    Named(Vec<String>),
    /// At these numbers.
    At(Vec<f64>),
}

/// A name or number below a bar.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the label of a bar",
    note = "`gpu::bar` takes a reference to a slice, array or `Vec` of `&str`, `String` or numbers"
)]
#[doc(hidden)]
pub trait Category: Sized {
    fn places(items: &[Self]) -> Places;
}

conversions! {
    fn places(items: &[Self]) -> Places: Category;
    &str => Places::Named(items.iter().map(ToString::to_string).collect());
    String => Places::Named(items.to_vec());
}

macro_rules! numbers_below_bars {
    ($({ $kind:ident $use:ident $tag:ident $type:ty, $($rest:tt)* })*) => { $(numbers_below_bars!(@$kind $type);)* };
    (@Bool $type:ty) => {};
    (@Complex $type:ty) => {};
    (@$number:ident $type:ty) => {
        impl Category for $type {
            fn places(items: &[Self]) -> Places {
                Places::At(items.iter().map(|&x| x.number()).collect())
            }
        }
    };
}
dtypes!(numbers_below_bars!());
numbers_below_bars!(@Unsigned usize);
numbers_below_bars!(@Signed isize);

conversions! {
    fn places(&self) -> Result<Places>: Categories;
    [T] [T: Category] => Ok(T::places(self));
    Vec<T> [T: Category] => Ok(T::places(self));
    [T; N] [T: Category, const N: usize] => Ok(T::places(self));
    ArrayBase<S, D> [S: Data<Elem = T>, D: Dimension, T: Numeral] => Ok(Places::At(self.values("bar")?));
    DeviceArray<T> [T: Element + Numeral] => Ok(Places::At(self.values("bar")?));
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{array, s};

    #[test]
    fn values_of_both_sides() {
        let expected = [1.0, 2.0, 3.0];
        let host = array![1i64, 2, 3];
        assert_eq!(host.values("plot").unwrap(), expected);
        assert_eq!(host.slice(s![1..;-1]).values("plot").unwrap(), [3.0, 2.0]);
        assert_eq!(crate::asarray(&host).values("plot").unwrap(), expected);
        assert_eq!([1u16, 2, 3].values("plot").unwrap(), expected);
        assert_eq!(crate::asarray(&host).astype::<crate::bf16>().values("plot").unwrap(), expected);
        assert_eq!(vec![1usize, 2, 3].values("plot").unwrap(), expected);
        assert_eq!([true, false][..].values("plot").unwrap(), [1.0, 0.0]);
        assert_eq!((&[5.0f32, 6.0]).points("plot").unwrap(), (vec![0.0, 1.0], vec![5.0, 6.0]));
        assert_eq!((&[1], &host.slice(s![..1])).points("plot").unwrap(), (vec![1.0], vec![1.0]));
    }

    #[test]
    fn errors_name_the_lengths_and_say_what_to_do() {
        let message = |curve: &dyn Curve| curve.points("plot").unwrap_err().to_string();
        let empty: [f64; 0] = [];
        assert_eq!(message(&(&[1, 2, 3], &[1.0, 2.0])), "plot: x has 3 values and y has 2; give both the same number");
        assert_eq!(message(&&empty), "plot: the shape [0] has no values; give at least one");
        assert_eq!(message(&(&empty, &empty)), "plot: the shape [0] has no values; give at least one");
        let square = array![[1, 2], [3, 4]];
        assert!(message(&&square).starts_with("plot: the shape [2, 2] has two axes; plot one row of it"));
        assert!(message(&&crate::asarray(&square)).starts_with("plot: the shape [2, 2] has two axes"));
    }
}
