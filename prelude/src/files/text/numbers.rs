//! Numbers in a text: NumPy's `fromstring`.

use super::read::parsed;
use crate::array::DeviceArray;
use crate::array::transfer::{self, Owned};
use crate::device;
use crate::dtype::{Element, Scalar};
use crate::error::{Error, Result, check};

/// The numbers of a text, between which a separator stands, such as `","`, or blanks: `" "`. 1-D, on the current device. NumPy's
/// `fromstring`; `gpu::fromstring!("1, 2, 3", dtype = i64, count = 2, sep = ",")` has its keywords. Blanks around numbers do not
/// count, and a separator may stand behind the last one.
///
/// **Panics** if there is something else than numbers of type `T`, or no separator is given ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu;
/// assert_eq!(gpu::fromstring::<f64>("1.5, 2, -1e3", ",").tolist(), [1.5, 2.0, -1000.0]);
/// assert_eq!(gpu::fromstring::<i64>("1 2\n3", " ").tolist(), [1, 2, 3]);
/// ```
#[track_caller]
pub fn fromstring<T: Element>(string: &str, sep: &str) -> DeviceArray<T> {
    check(numbers(string, -1, sep))
}

/// `fromstring` with all arguments.
pub(crate) fn numbers<T: Element>(string: &str, count: isize, sep: &str) -> Result<DeviceArray<T>> {
    numbers_of("fromstring", string, usize::try_from(count).ok(), sep, false)
}

/// The numbers of a text: at most so many. There may be fewer, or that is an error.
pub(crate) fn numbers_of<T: Element>(
    operation: &'static str,
    string: &str,
    count: Option<usize>,
    sep: &str,
    may_lack: bool,
) -> Result<DeviceArray<T>> {
    let invalid = |reason: String| Error::argument(operation, reason);
    if sep.is_empty() {
        return Err(invalid("there is no separator; give one such as \",\", or \" \" for blanks".into()));
    }
    let mut fields: Vec<&str> = match sep.trim() {
        "" => string.split_whitespace().collect(),
        sep => string.split(sep).map(str::trim).collect(),
    };
    // Behind the last separator nothing needs to follow.
    if fields.last().is_some_and(|field| field.is_empty()) {
        fields.pop();
    }
    if let Some(count) = count {
        if fields.len() < count && !may_lack {
            let reason = format!("the text has {} numbers, fewer than {count}; give a smaller count", fields.len());
            return Err(invalid(reason));
        }
        fields.truncate(count);
    }
    let number = |(index, field): (usize, &&str)| -> Result<T> {
        let value: Option<Scalar> = parsed(field, T::DTYPE);
        value.and_then(T::from_scalar).ok_or_else(|| {
            invalid(format!("{field:?}, number {} of the text, is not a number of type {}", index + 1, T::DTYPE))
        })
    };
    let values: Vec<T> = fields.iter().enumerate().map(number).collect::<Result<_>>()?;
    let shape = [values.len()];
    transfer::take_over(operation, Owned::vector(values, &shape), &device::current()?).map(DeviceArray::from_raw)
}
