//! What kind of numbers an expression of Python's gives, as far as its text and the notebook's variables show it.

use crate::evaluator::elements;
use crate::syntax::list_has;

/// The name of the type of arrays.
pub const ARRAY: &str = "DeviceArray<";

/// Kinds of numbers: two of them together give the later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Bool,
    Integer,
    Float,
    Complex,
}

/// What an expression gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    pub kind: Kind,
    pub is_array: bool,
    /// Rust's type of the numbers, if it is known.
    pub name: Option<String>,
    /// The smallest and the largest, of integers.
    pub range: Option<(i128, i128)>,
}

impl Numbers {
    pub fn scalar(kind: Kind) -> Numbers {
        Numbers { kind, is_array: false, name: None, range: None }
    }

    pub fn array(kind: Kind) -> Numbers {
        Numbers { is_array: true, ..Numbers::scalar(kind) }
    }

    /// What both together give.
    pub fn with(&self, other: &Numbers) -> Numbers {
        let name = self.name.clone().filter(|name| other.name.as_ref() == Some(name));
        Numbers { kind: self.kind.max(other.kind), is_array: self.is_array || other.is_array, name, range: None }
    }

    pub fn is_whole(&self) -> bool {
        self.kind <= Kind::Integer
    }

    /// Of a type of Rust: `DeviceArray<i32>`, `f64`, `Vec<i32>`.
    pub fn of_type(name: &str) -> Option<Numbers> {
        let name = name.trim_start_matches('&').trim_start_matches("mut ");
        let inner = |start: &str| name.strip_prefix(start).and_then(|rest| rest.strip_suffix('>'));
        let element = inner(ARRAY).or_else(|| inner("Vec<"));
        let kind = kind_of_element(element.unwrap_or(name))?;
        let made = if element.is_some() { Numbers::array(kind) } else { Numbers::scalar(kind) };
        Some(Numbers { name: Some(element.unwrap_or(name).to_owned()), ..made })
    }
}

/// The kind of a type of Rust.
pub fn kind_of_element(name: &str) -> Option<Kind> {
    let name = name.trim_start_matches("gpu::");
    Some(match name {
        "bool" => Kind::Bool,
        "usize" | "isize" | "i128" | "u128" => Kind::Integer,
        "f16" | "bf16" | "f32" | "f64" => Kind::Float,
        _ if name.contains("Complex<") => Kind::Complex,
        _ if elements::is_integer(name) => Kind::Integer,
        _ => return None,
    })
}

/// The kind of what Python's `dtype=` names: `int`, `np.float32`, `"complex64"`.
pub fn kind_of_dtype(text: &str) -> Option<Kind> {
    let name = text.trim_matches(['"', '\'']);
    let name = name.rsplit('.').next().unwrap_or(name);
    kind_of_element(elements::named(name).unwrap_or(name))
}

/// Functions that give integers, as arrays.
const OF_INTEGERS: &str = "\
    argsort argwhere nonzero flatnonzero bincount digitize searchsorted randint integers permutation lexsort argpartition indices \
    unravel_index ravel_multi_index";
/// Functions that give integers: one, or an array if they get an axis.
const OF_PLACES: &str = "argmax argmin count_nonzero nanargmax nanargmin";
/// Functions that give a whole number.
const OF_LENGTHS: &str = "len size ndim int ord itemsize nbytes";
/// Functions that give floats, as arrays.
const OF_FLOATS: &str = "\
    zeros ones empty eye identity linspace logspace geomspace rand randn random normal uniform standard_normal random_sample exponential \
    sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh hypot degrees radians deg2rad rad2deg \
    true_divide inv pinv solve gradient powf cbrt reciprocal sinc";
/// Functions that give floats: one, or an array if they get an axis.
const OF_MEANS: &str = "mean std var median average nanmean nanstd nanvar percentile quantile norm nanmedian";
/// Functions that give truth values.
const OF_TRUTH: &str = "\
    isnan isfinite isinf logical_and logical_or logical_not logical_xor isin isclose equal not_equal less greater less_equal greater_equal \
    eq ne lt le gt ge";
/// Functions that give the kind of their argument: one, or an array if they get an axis.
const REDUCING: &str = "sum prod max min amax amin ptp nansum nanmax nanmin nanprod trace item get dot vdot inner";
/// Functions that give the kind of their argument, as arrays.
const KEEPING: &str = "\
    array asarray copy clone reshape ravel flatten transpose t squeeze expand_dims swapaxes moveaxis slice take take_axis extract sort \
    unique repeat tile clip roll flip fliplr flipud rot90 diff diag diagonal triu tril cumsum cumprod abs absolute negative positive sign \
    round floor ceil trunc rint zeros_like ones_like empty_like full_like maximum minimum concatenate stack vstack hstack append matmul \
    outer kron square add subtract multiply broadcast_to atleast_1d atleast_2d view flat pow power compress delete insert cross \
    nan_to_num sum_axis prod_axis max_axis min_axis cumsum_axis cumprod_axis column_stack dstack partition set_diff1d union1d intersect1d";
/// Functions in which the kinds of the arguments come together.
const JOINING: &str = "\
    maximum minimum add subtract multiply dot matmul outer inner kron append cross clip pow power full_like vdot where where_ union1d";

/// What a function gives that has this name in NumPy or here: `arguments` are those that may be numbers, the object of a method
/// first. `axis` says whether one axis is meant.
pub fn of_function(name: &str, arguments: &[Option<Numbers>], has_axis: bool) -> Option<Numbers> {
    let made = |kind, is_array| Some(if is_array { Numbers::array(kind) } else { Numbers::scalar(kind) });
    let first = || arguments.first().cloned().flatten();
    let all = || {
        let mut all = arguments.iter();
        let first = all.next()?.clone()?;
        all.try_fold(first, |so_far, next| Some(so_far.with(next.as_ref()?)))
    };
    // Truth values are counted.
    let counted = |numbers: Numbers| Numbers { kind: numbers.kind.max(Kind::Integer), ..numbers };
    match name {
        "where" | "where_" if arguments.len() < 3 => made(Kind::Integer, true),
        "where" | "where_" => {
            let (one, other) = (arguments[1].clone()?, arguments[2].clone()?);
            Some(Numbers { is_array: true, ..one.with(&other) })
        }
        "float" => made(Kind::Float, false),
        "full" => Some(Numbers { is_array: true, ..arguments.get(1).cloned().flatten()? }),
        "histogram" | "histogram2d" => None,
        _ if list_has(OF_INTEGERS, name) => made(Kind::Integer, true),
        _ if list_has(OF_PLACES, name) => made(Kind::Integer, has_axis),
        _ if list_has(OF_LENGTHS, name) => made(Kind::Integer, false),
        // Of numbers too.
        _ if list_has(OF_FLOATS, name) => {
            let kind = first().map_or(Kind::Float, |numbers| numbers.kind.max(Kind::Float));
            made(kind, first().is_none_or(|numbers| numbers.is_array) || name.ends_with('s') || name == "random")
        }
        _ if list_has(OF_MEANS, name) => made(Kind::Float, has_axis),
        "any" | "all" => made(Kind::Bool, has_axis),
        _ if list_has(OF_TRUTH, name) => made(Kind::Bool, true),
        _ if list_has(REDUCING, name) => {
            let numbers = counted(if list_has(JOINING, name) { all()? } else { first()? });
            Some(Numbers { is_array: has_axis || name == "dot", name: None, range: None, ..numbers })
        }
        _ if list_has(KEEPING, name) => {
            let numbers = if list_has(JOINING, name) { all()? } else { first()? };
            let keeps_range = list_has("array asarray copy clone reshape ravel flatten t transpose sort unique", name);
            Some(Numbers { range: numbers.range.filter(|_| keeps_range), ..numbers })
        }
        _ => None,
    }
}
