//! Joining host arrays, and giving them another shape.

use super::{tile_values, vec_of};
use crate::array::axes::axis_of;
use crate::array::sides::HostView;
use crate::array::sides::sealed::Host;
use crate::backend::{Layout, cpu};
use crate::dtype::Element;
use crate::error::{Error, Result, check};
use ndarray::{Array, ArrayBase, Data, Dimension, IntoDimension};

/// Arrays of one shape joined along a new axis; NumPy's `stack`.
///
/// As [`gpu::stack`](fn@crate::stack), but for host arrays and always on the CPU.
///
/// **Panics** if there is no array, or if shapes differ ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell::host;
/// let a = ndarray::array![1, 2, 3];
/// assert_eq!(host::stack([&a, &a], 0), ndarray::array![[1, 2, 3], [1, 2, 3]]);
/// assert_eq!(host::stack(vec![&a; 4], -1).shape(), [3, 4]);
/// ```
#[track_caller]
pub fn stack<'a, T, S, D>(arrays: impl IntoIterator<Item = &'a ArrayBase<S, D>>, axis: isize) -> Array<T, D::Larger>
where
    T: Element,
    S: Data<Elem = T> + 'a,
    D: Dimension + 'a,
{
    let views: Vec<HostView<'_>> = arrays.into_iter().map(Host::host_view).collect();
    check(Joined::stacked(&views, axis).and_then(|joined| joined.array(&views)))
}

/// Arrays joined along an axis that they have; NumPy's `concatenate`.
///
/// As [`gpu::concatenate`](fn@crate::concatenate), but for host arrays and always on the CPU.
///
/// **Panics** if there is no array, or if shapes differ along another axis ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell::host;
/// let (a, b) = (ndarray::array![[1, 2]], ndarray::array![[3, 4], [5, 6]]);
/// assert_eq!(host::concatenate([&a, &b], 0), ndarray::array![[1, 2], [3, 4], [5, 6]]);
/// ```
#[track_caller]
pub fn concatenate<'a, T, S, D>(arrays: impl IntoIterator<Item = &'a ArrayBase<S, D>>, axis: isize) -> Array<T, D>
where
    T: Element,
    S: Data<Elem = T> + 'a,
    D: Dimension + 'a,
{
    let views: Vec<HostView<'_>> = arrays.into_iter().map(Host::host_view).collect();
    check(Joined::concatenated(&views, axis).and_then(|joined| joined.array(&views)))
}

/// The elements in row-major order in another shape, copied; NumPy's `reshape`. (`ndarray`'s own, `to_shape`, gives a `Result` of
/// an array that may be borrowed.)
///
/// **Panics** if the shape has another number of elements ([`Error::InvalidShape`]).
///
/// ```
/// use warpcell::host;
/// let a = host::reshape(&host::arange(6), (2, 3));
/// assert_eq!(a, ndarray::array![[0, 1, 2], [3, 4, 5]]);
/// assert_eq!(host::reshape(&a.t(), 6), ndarray::array![0, 3, 1, 4, 2, 5]);
/// ```
#[track_caller]
pub fn reshape<T, S, D, E>(a: &ArrayBase<S, D>, shape: E) -> Array<T, E::Dim>
where
    T: Element,
    S: Data<Elem = T>,
    D: Dimension,
    E: IntoDimension,
{
    let shape = shape.into_dimension();
    let values = check(reshaped_values(&a.host_view(), shape.slice()));
    Array::from_shape_vec(shape, values).expect("as many elements as the shape has")
}

fn reshaped_values<T: Element>(host: &HostView<'_>, shape: &[usize]) -> Result<Vec<T>> {
    let own = host.shape.iter().product::<usize>();
    if shape.iter().try_fold(1usize, |size, &length| size.checked_mul(length)) != Some(own) {
        let reason = format!("has {own} elements and cannot become {shape:?}; keep the number of elements");
        return Err(Error::shape("reshape", host.shape.clone(), reason));
    }
    tile_values(host, &vec![1; host.shape.len()], &mut host.shape.clone())
}

/// How arrays are joined: the result's shape, and where in it each part lies.
struct Joined {
    operation: &'static str,
    shape: Vec<usize>,
    places: Vec<Layout>,
}

impl Joined {
    fn stacked(parts: &[HostView<'_>], axis: isize) -> Result<Joined> {
        let first = first("stack", parts)?;
        if let Some(other) = parts.iter().find(|part| part.shape != first.shape) {
            let reason = format!(
                "differs from the shape of the first array, {:?}; only arrays of the same shape can be stacked",
                first.shape
            );
            return Err(Error::shape("stack", other.shape.clone(), reason));
        }
        let mut shape = first.shape.clone();
        shape.push(1);
        let axis = axis_of("stack", &shape, axis)?;
        shape.pop();
        shape.insert(axis, parts.len());
        let whole = checked("stack", &shape)?;
        let places = (0..parts.len()).map(|index| {
            let mut place = whole.clone();
            place.shape.remove(axis);
            place.offset = index * place.strides.remove(axis).unsigned_abs();
            place
        });
        Ok(Joined { operation: "stack", places: places.collect(), shape })
    }

    fn concatenated(parts: &[HostView<'_>], axis: isize) -> Result<Joined> {
        let operation = "concatenate";
        let first = first(operation, parts)?;
        let axis = axis_of(operation, &first.shape, axis)?;
        let mut shape = first.shape.clone();
        shape[axis] = 0;
        for (index, part) in parts.iter().enumerate() {
            let fits = part.shape.len() == shape.len()
                && (0..shape.len()).all(|other| other == axis || part.shape[other] == shape[other]);
            if !fits {
                let reason = format!(
                    "of array {index} does not fit the shape of the first array, {:?}, along axis {axis}; make all other lengths equal",
                    first.shape
                );
                return Err(Error::shape(operation, part.shape.clone(), reason));
            }
            // What saturates is too large to address, which is reported below.
            shape[axis] = shape[axis].saturating_add(part.shape[axis]);
        }
        let whole = checked(operation, &shape)?;
        let mut start = 0;
        let places = parts.iter().map(|part| {
            let mut place = whole.clone();
            place.shape[axis] = part.shape[axis];
            place.offset = start * whole.strides[axis].unsigned_abs();
            start += part.shape[axis];
            place
        });
        Ok(Joined { operation, places: places.collect(), shape })
    }

    fn array<T: Element, D: Dimension>(&self, parts: &[HostView<'_>]) -> Result<Array<T, D>> {
        let mut shape = D::zeros(self.shape.len());
        shape.slice_mut().copy_from_slice(&self.shape);
        Ok(Array::from_shape_vec(shape, self.values(parts)?).expect("as many elements as the shape has"))
    }

    /// The elements of the result.
    fn values<T: Element>(&self, parts: &[HostView<'_>]) -> Result<Vec<T>> {
        vec_of(self.operation, &self.shape, |out| {
            for (part, place) in parts.iter().zip(&self.places) {
                // SAFETY: `out` has room for the result, of which each part has its own place; together they are all of it.
                unsafe { cpu::copy::place(part, out, place) };
            }
        })
    }
}

fn first<'a, 'b>(operation: &'static str, parts: &'a [HostView<'b>]) -> Result<&'a HostView<'b>> {
    parts.first().ok_or_else(|| Error::argument(operation, "there is no array to join; give at least one"))
}

/// The row-major layout of a shape that memory can address.
fn checked(operation: &'static str, shape: &[usize]) -> Result<Layout> {
    let extent = shape.iter().try_fold(1isize, |extent, &length| {
        isize::try_from(length.max(1)).ok().and_then(|length| extent.checked_mul(length))
    });
    if extent.is_some() {
        return Ok(Layout::contiguous(shape));
    }
    let reason = "has more elements than memory can address; join fewer or smaller arrays";
    Err(Error::shape(operation, shape, reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, ArrayD, arr1, arr2, array, s};

    #[test]
    fn arrays_are_joined_as_in_numpy() {
        let (a, b) = (array![[1, 2, 3], [4, 5, 6]], array![[7, 8, 9], [10, 11, 12]]);
        assert_eq!(stack([&a, &b], 1), array![[[1, 2, 3], [7, 8, 9]], [[4, 5, 6], [10, 11, 12]]]);
        assert_eq!(stack([&a, &b], -1).slice(s![.., .., 1]), b);
        assert_eq!(stack([&a.t(), &b.t()], 0).slice(s![1, .., ..]), b.t());
        assert_eq!(concatenate([&a, &b], -1), array![[1, 2, 3, 7, 8, 9], [4, 5, 6, 10, 11, 12]]);
        let parts = [a.slice(s![.., ..;-1]), b.slice(s![..1, ..]), b.slice(s![..0, ..])];
        assert_eq!(concatenate(&parts, 0), array![[3, 2, 1], [6, 5, 4], [7, 8, 9]]);
        let many = vec![&a; 3];
        assert_eq!(stack(many, 0).shape(), [3, 2, 3]);
        assert_eq!(stack([&ndarray::arr0(1.5)], 0), arr1(&[1.5]));
        let dynamic = a.clone().into_dyn();
        assert_eq!(stack([&dynamic], 2).shape(), [2, 3, 1]);
        assert_eq!(concatenate([&dynamic, &dynamic], 0).shape(), [4, 3]);
        assert_eq!(reshape(&a.t(), (2, 3)), arr2(&[[1, 4, 2], [5, 3, 6]]));
        assert_eq!(reshape(&Array2::<u8>::zeros((0, 3)), (3, 0)).shape(), [3, 0]);
        assert_eq!(reshape(&ndarray::arr0(7), (1, 1)), arr2(&[[7]]));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let said = |joined: Result<Joined>| joined.err().expect("an error").to_string();
        let (a, b) = (array![[1, 2, 3]], array![[1, 2]]);
        let views = [a.host_view(), b.host_view()];
        assert!(said(Joined::stacked(&views, 0)).contains("[1, 2] differs from the shape of the first array, [1, 3]"));
        assert!(said(Joined::concatenated(&views, 0)).contains("of array 1 does not fit"));
        assert!(Joined::concatenated(&views, 1).is_ok());
        assert!(said(Joined::concatenated(&views, 2)).contains("concatenate"));
        assert!(said(Joined::stacked(&[], 0)).contains("no array"));
        let error = reshaped_values::<i32>(&a.host_view(), &[2, 2]).unwrap_err().to_string();
        assert!(error.contains("has 3 elements and cannot become [2, 2]"), "{error}");
        let endless = ArrayD::<u8>::zeros(vec![0, 1 << 62]);
        let views = [endless.host_view(), endless.host_view()];
        assert!(said(Joined::stacked(&views, 0)).contains("memory can address"));
    }
}
