//! What can be computed with arrays. Each module holds one family: checks first, then one call of the backend.

pub(crate) mod allclose;
pub(crate) mod convolve;
pub(crate) mod correlate;
pub(crate) mod elementwise;
pub(crate) mod fftconvolve;
pub(crate) mod map;
pub mod random;
pub(crate) mod reduce;
pub(crate) mod statistics;
