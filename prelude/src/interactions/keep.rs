//! The copies of variables that an interaction keeps.

use crate::array::DeviceArray;
use crate::dtype::Element;

/// A variable that the macro keeps a copy of. It looks for [`KeepArray`] first, and then for [`KeepClone`].
pub struct Kept<'a, T>(pub &'a T);

/// What an interaction can keep: everything that has `Clone`.
#[diagnostic::on_unimplemented(
    message = "`interact!` keeps a copy of each variable that its code uses, and `{Self}` has no `Clone`",
    label = "this variable cannot be copied",
    note = "put `#[derive(Clone)]` on the type, or use an `Rc`: `let x = std::rc::Rc::new(x);`"
)]
pub trait Keep: Clone {}

impl<T: Clone> Keep for T {}

/// Arrays of the device are copied with their elements: a clone would share them, and code can write into views.
pub trait KeepArray {
    /// The array's own type.
    type Array;

    /// A copy of it.
    fn keep(&self) -> Self::Array;
}

impl<T: Element> KeepArray for &Kept<'_, DeviceArray<T>> {
    type Array = DeviceArray<T>;

    fn keep(&self) -> DeviceArray<T> {
        self.0.copy()
    }
}

/// Everything else is cloned.
pub trait KeepClone<T> {
    /// A copy of it.
    fn keep(&self) -> T
    where
        T: Keep;
}

impl<T> KeepClone<T> for Kept<'_, T> {
    fn keep(&self) -> T
    where
        T: Keep,
    {
        self.0.clone()
    }
}
