//! Quantiles and percentiles, with all their keywords as arguments.

use super::reductions::{Axes, every_axis, rows_along, spread};
use super::samples::brought;
use crate::array::{DeviceArray, OnDevice, RawArray, stacked};
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result, check};
use crate::files::npz::MixedArray;
use crate::operations::nan_quantiles::{self, Weighted};
use crate::operations::quantiles::{self, Method, Rank};
use crate::operations::sorting;

/// One level of a quantile, or several, which give one result each.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the level of a quantile",
    label = "expected a number, or an array of numbers",
    note = "write for example `gpu::quantile!(&a, 0.5)` or `gpu::quantile!(&a, [0.25, 0.75])`"
)]
pub trait Levels {
    /// What the quantiles of all elements are: a number, or a 1-D array.
    type OfAll<M: Element>;
    /// The levels, and whether they have an axis in the result.
    fn levels(self) -> (Vec<f64>, bool);
    /// The quantiles of all elements.
    fn of_all<M: Element>(found: DeviceArray<M>) -> Self::OfAll<M>;
}
macro_rules! levels {
    ($(one $number:ty;)* $(many $several:ty $([$($generics:tt)*])?;)*) => {
        $(impl Levels for $number {
            type OfAll<M: Element> = M;
            fn levels(self) -> (Vec<f64>, bool) {
                (vec![self.into()], false)
            }
            #[track_caller]
            fn of_all<M: Element>(found: DeviceArray<M>) -> M {
                found.item()
            }
        })*
        $(impl $(<$($generics)*>)? Levels for $several {
            type OfAll<M: Element> = DeviceArray<M>;
            fn levels(self) -> (Vec<f64>, bool) {
                (self.iter().map(|&level| level.into()).collect(), true)
            }
            fn of_all<M: Element>(found: DeviceArray<M>) -> DeviceArray<M> {
                found
            }
        })*
    };
}
levels! {
    one f64;
    one i32;
    many [f64; N] [const N: usize];
    many &[f64; N] [const N: usize];
    many &[f64];
    many Vec<f64>;
    many &Vec<f64>;
    many [i32; N] [const N: usize];
    many &[i32; N] [const N: usize];
    many &[i32];
    many Vec<i32>;
    many &Vec<i32>;
}

/// One result, or the results along an axis in front if there may be several.
fn together(found: Vec<RawArray>, has_axis: bool) -> Result<RawArray> {
    match found.first() {
        Some(one) if !has_axis => Ok(one.clone()),
        _ => stacked(&found, 0),
    }
}

/// The quantiles for each level, each of rows.
fn for_each_level(
    name: &'static str,
    x: &RawArray,
    axes: &Axes,
    (levels, has_axis): (Vec<f64>, bool),
    mut of_rows: impl FnMut(&RawArray, f64) -> Result<RawArray>,
) -> Result<RawArray> {
    let found: Vec<RawArray> =
        levels.iter().map(|&level| axes.joined(name, x, |rows| of_rows(rows, level))).collect::<Result<_>>()?;
    together(found, has_axis)
}

/// The rows in order, which are sorted at the first call only.
fn once(sorted: &mut Option<RawArray>, sort: impl FnOnce() -> Result<RawArray>) -> Result<&RawArray> {
    Ok(match sorted {
        Some(sorted) => sorted,
        None => sorted.insert(sort()?),
    })
}

/// The quantiles for each level.
fn quantiles(
    name: &'static str,
    x: &RawArray,
    axes: &Axes,
    levels: (Vec<f64>, bool),
    rank: impl Fn(f64) -> Rank,
    dtype: DType,
) -> Result<RawArray> {
    // Sorted once for all levels; for a single one, only as far as needed.
    let (is_one, mut sorted) = (levels.0.len() == 1, None);
    for_each_level(name, x, axes, levels, |rows, level| {
        if is_one {
            return quantiles::of_rows(name, rows, rank(level), dtype);
        }
        let sorted = once(&mut sorted, || sorting::sorted_rows(name, rows, false))?;
        quantiles::of_sorted(name, sorted, rank(level), dtype)
    })
}

/// The same of the elements but NaN.
fn nan_quantiles(
    name: &'static str,
    x: &RawArray,
    axes: &Axes,
    levels: (Vec<f64>, bool),
    rank: impl Fn(f64) -> Rank,
    dtype: DType,
) -> Result<RawArray> {
    let mut sorted = None;
    for_each_level(name, x, axes, levels, |rows, level| {
        let sorted = once(&mut sorted, || nan_quantiles::sorted(name, rows))?;
        nan_quantiles::of_sorted(name, sorted, rank(level), dtype)
    })
}

/// What the quantiles of elements with weights are asked for.
struct Request<'a> {
    name: &'static str,
    weights: &'a dyn MixedArray,
    method: &'a str,
    /// 1, or 100 for percent.
    whole: f64,
    skips_nan: bool,
}

impl Request<'_> {
    fn quantiles(
        &self,
        x: &RawArray,
        axes: &Axes,
        (levels, has_axis): (Vec<f64>, bool),
        dtype: DType,
    ) -> Result<RawArray> {
        let name = self.name;
        if self.method != "inverted_cdf" {
            let reason = format!(
                "only the method \"inverted_cdf\" takes weights; write `gpu::{name}!(…, weights = &w, method = \"inverted_cdf\")`"
            );
            return Err(Error::argument(name, reason));
        }
        let Some(weights) = brought(name, Some(self.weights), x)? else { unreachable!("weights are given") };
        let along = axes.of(name, x.shape())?;
        let weights = spread(name, x, &weights, &along, DType::F64)?;
        let [rows, weights] = [x, &weights].map(|array| rows_along(name, array, &along));
        let sorted = Weighted::new(name, &rows?, &weights?, self.skips_nan)?;
        let of_level =
            |level: &f64| axes.reduced(name, x, |_, _| sorted.at(name, level / self.whole, self.skips_nan, dtype));
        let found: Vec<RawArray> = levels.iter().map(of_level).collect::<Result<_>>()?;
        together(found, has_axis)
    }
}

macro_rules! quantiles {
    ($($core:ident $skips_nan:literal $name:ident $of_all:ident $by:ident $by_of_all:ident $weighted:ident $weighted_of_all:ident
       $rank:ident $whole:literal $what:literal;)*) => {$(
        #[doc = concat!("The values below which ", $what, " of the elements lie.")]
        #[track_caller]
        pub fn $name<A: OnDevice<Elem = T>, T: Number>(a: &A, q: impl Levels, axes: Axes) -> DeviceArray<T::Mean> {
            let found = $core(stringify!($name), a.raw(), &axes, q.levels(), Rank::$rank, T::Mean::DTYPE);
            DeviceArray::from_raw(check(found))
        }

        #[doc = concat!("The values at the places that a method has for ", $what, ".")]
        #[track_caller]
        pub fn $by<A: OnDevice<Elem = T>, T: Number>(a: &A, q: impl Levels, axes: Axes, method: &str)
        -> DeviceArray<T::Mean> {
            const NAME: &str = stringify!($name);
            let rank = |method| move |level| Rank::By(method, level, $whole);
            let found = Method::named(NAME, method)
                .and_then(|method| $core(NAME, a.raw(), &axes, q.levels(), rank(method), T::Mean::DTYPE));
            DeviceArray::from_raw(check(found))
        }

        #[doc = concat!("The values below which ", $what, " of the weights of the elements lie.")]
        #[track_caller]
        pub fn $weighted<A: OnDevice<Elem = T>, T: Number>(
            a: &A,
            q: impl Levels,
            axes: Axes,
            method: &str,
            weights: &dyn MixedArray,
        ) -> DeviceArray<T::Mean> {
            let request = Request { name: stringify!($name), weights, method, whole: $whole, skips_nan: $skips_nan };
            DeviceArray::from_raw(check(request.quantiles(a.raw(), &axes, q.levels(), T::Mean::DTYPE)))
        }

        #[doc = concat!("The values below which ", $what, " of all weights lie.")]
        #[track_caller]
        pub fn $weighted_of_all<A: OnDevice<Elem = T>, T: Number, Q: Levels>(
            a: &A,
            q: Q,
            method: &str,
            weights: &dyn MixedArray,
        ) -> Q::OfAll<T::Mean> {
            Q::of_all($weighted(a, q, every_axis(false), method, weights))
        }

        #[doc = concat!("The values at the places that a method has for ", $what, " of all elements.")]
        #[track_caller]
        pub fn $by_of_all<A: OnDevice<Elem = T>, T: Number, Q: Levels>(a: &A, q: Q, method: &str) -> Q::OfAll<T::Mean> {
            Q::of_all($by(a, q, every_axis(false), method))
        }

        #[doc = concat!("The values below which ", $what, " of all elements lie.")]
        #[track_caller]
        pub fn $of_all<A: OnDevice<Elem = T>, T: Number, Q: Levels>(a: &A, q: Q) -> Q::OfAll<T::Mean> {
            Q::of_all($name(a, q, every_axis(false)))
        }
    )*};
}
quantiles! {
    quantiles false quantile quantile_of_all quantile_by quantile_of_all_by quantile_weighted quantile_of_all_weighted
        Share 1.0 "shares";
    quantiles false percentile percentile_of_all percentile_by percentile_of_all_by percentile_weighted percentile_of_all_weighted
        Percent 100.0 "percentages";
    nan_quantiles true nanquantile nanquantile_of_all nanquantile_by nanquantile_of_all_by nanquantile_weighted
        nanquantile_of_all_weighted Share 1.0 "shares";
    nan_quantiles true nanpercentile nanpercentile_of_all nanpercentile_by nanpercentile_of_all_by nanpercentile_weighted
        nanpercentile_of_all_weighted Percent 100.0 "percentages";
}
