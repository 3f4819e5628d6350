//! What can be computed with arrays. Each module holds one family: checks first, then one call of the backend.

pub(crate) mod allclose;
pub(crate) mod convolve;
pub(crate) mod correlate;
pub(crate) mod counting;
pub(crate) mod covariance;
pub(crate) mod einsum;
pub(crate) mod elementwise;
pub(crate) mod fftconvolve;
pub(crate) mod fourier;
pub(crate) mod indexing;
pub(crate) mod interp;
pub(crate) mod map;
pub(crate) mod partition;
pub(crate) mod products;
pub(crate) mod quantiles;
pub mod random;
pub(crate) mod reduce;
pub(crate) mod scan;
pub(crate) mod selection;
pub(crate) mod siblings;
pub(crate) mod sorting;
pub(crate) mod statistics;
