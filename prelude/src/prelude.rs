//! What most cells need: `use gpu::prelude::*;`.

// `Function` and `Results` stand in the types of what `gpu::map` makes of a formula, as the notebook's analysis writes them.
pub use crate::{Boundary, DeviceArray, Function, Mode, Results, fuse};
// `a.slice(s![1..]).add_assign(&b)` is one expression; `+=` needs a variable.
pub use ndarray::{Array, Array1, Array2, ArrayD, Axis, Ix1, Ix2, IxDyn, NewAxis, array, s};
pub use std::ops::{AddAssign as _, DivAssign as _, MulAssign as _, SubAssign as _};
pub use warpcell_base::dtype::types::*;
pub use warpcell_macros::{device, kernel, vectorize};
pub use warpcell_threads::{
    Dim3, SharedArray, View, ViewMut, all_sync, any_sync, ballot_sync, block_dim, block_idx, dynamic_shared_array,
    global_idx, grid_dim, grid_stride, lane_id, shared_array, shfl_down_sync, shfl_sync, shfl_up_sync, shfl_xor_sync,
    sync_threads, sync_threads_and, sync_threads_count, sync_threads_or, sync_warp, thread_fence, thread_idx,
    warp_size,
};
