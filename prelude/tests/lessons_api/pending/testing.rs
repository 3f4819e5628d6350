//! Assertions that say where arrays differ and by how much; `cupy.testing`.

use warpcell::AnyArray;

/// Panics unless `allclose` holds, with the number of mismatches and the worst of them.
pub fn assert_allclose<X: AnyArray + ?Sized, Y: AnyArray + ?Sized>(actual: &X, desired: &Y) {
    todo!()
}

/// The same with tolerances; two functions, as `allclose` and `allclose_with`.
pub fn assert_allclose_with<X, Y>(actual: &X, desired: &Y, relative: f64, absolute: f64)
where
    X: AnyArray + ?Sized,
    Y: AnyArray + ?Sized,
{
    todo!()
}
