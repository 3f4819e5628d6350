//! What a value is.

/// The name of a value's type as a user would write it, such as `Array2<i32>`; Python's `type`.
///
/// `std::any::type_name_of_val` gives `ndarray::ArrayBase<ndarray::data_repr::OwnedRepr<i32>, ...>`.
pub fn type_of<T: ?Sized>(value: &T) -> String {
    todo!()
}
