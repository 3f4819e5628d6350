//! What most cells need: `use gpu::prelude::*;`.

pub use crate::{Boundary, DeviceArray, Mode, fuse};
pub use ndarray::{Array1, Array2, ArrayD, Axis, Ix1, Ix2, IxDyn, array, s};
pub use warpcell_macros::{device, kernel, vectorize};
