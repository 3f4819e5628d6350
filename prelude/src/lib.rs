//! Device arrays, operations, timing and plots for GPU notebooks in Rust. Cells call this crate `gpu`.
//!
//! A [`DeviceArray`] lives on the [`device`](device()): an NVIDIA GPU or, without one, the CPU. It is made from a host array
//! by [`asarray`](fn@asarray) and copied back by [`DeviceArray::to_host`]; nothing is copied implicitly. The words are NumPy's.
//! Functions on host (`ndarray`) arrays, under the same names, are in [`host`].
//!
//! ```
//! use warpcell as gpu; // in a notebook, this is done already
//! use gpu::prelude::*;
//!
//! let x = gpu::linspace(0.0, 1.0, 5);
//! let y = (&x * &x + 1.0).sqrt();
//! assert_eq!(y.shape(), [5]);
//! println!("{y}");
//! let on_host = y.to_host();
//! assert!(gpu::allclose(&y, &on_host));
//! ```

#![cfg_attr(warpcell_cells, feature(alloc_error_hook, const_eval_select, core_intrinsics), allow(internal_features))]
// Functions and the macros of `keywords/table.rs` have one name. `use crate::zeros` means both, and rows of a table must not be
// named in this way by the crate itself. Tests only use the functions.
#![cfg_attr(test, allow(macro_expanded_macro_exports_accessed_by_absolute_paths))]

// What the macros emit names this crate, in itself too.
extern crate self as warpcell;

// Its macros for the functions of modules are named in those modules, which come after it.
#[doc(hidden)]
#[macro_use]
pub mod keywords;

mod array;
mod backend;
#[doc(hidden)]
pub mod cell;
mod device;
pub mod distributed;
mod dtype;
mod fallible;
pub mod fft;
mod files;
mod floats;
mod graph;
pub mod host;
mod input;
mod inspect;
#[cfg(feature = "cells")]
#[doc(hidden)]
pub mod instances;
#[doc(hidden)]
pub mod interactions;
pub mod interop;
pub mod interpolate;
mod launch;
pub mod linalg;
mod lookup;
mod memory;
pub mod ndimage;
mod number;
mod operations;
pub mod optimize;
mod output;
mod plot;
pub mod prelude;
pub mod program;
pub mod puzzles;
#[doc(hidden)]
pub mod python;
mod raw_kernels;
mod reexported_crates;
mod rich;
pub mod session;
mod setters;
pub mod signal;
pub mod sparse;
pub mod spatial;
pub mod special;
pub mod stats;
mod stream;
pub mod testing;
mod texts;
mod thin;
pub mod timing;
mod tracing;
mod type_name;
pub mod ufunc;

#[doc(hidden)]
#[doc(inline)]
pub use warpcell_base::dtype::types::*;
pub use warpcell_base::registry;
pub(crate) use warpcell_base::{error, failures, philox, profiling};

/// The name that the array API standard has for [`concatenate`](fn@concatenate).
#[doc(no_inline)]
pub use array::concatenate as concat;
pub use array::{
    AnyArray, DeviceArray, HostTarget, Index, IndexedShape, IntoAxes, IntoDevice, IntoIndices, IntoNewShape,
    IntoPadValues, IntoPadding, IntoRange, IntoSections, IntoShape, Iter, Length, NdIndex, Object, OnDevice, OnHost,
    Pad, PinnedArray, PrintOptions, Sections, arange, array, array_split, as_strided, asarray, asarray_chkfinite,
    ascontiguousarray, asfortranarray, atleast_1d, atleast_2d, atleast_3d, broadcast_arrays, broadcast_shapes,
    column_stack, concatenate, diag, diagflat, dsplit, dstack, empty, empty_like, empty_pinned, eye, fill_diagonal,
    flip, fliplr, flipud, frombuffer, fromfunction, fromiter, full, full_like, geomspace, get_printoptions, hsplit,
    hstack, identity, indices, iscomplexobj, isfortran, isrealobj, isscalar, linspace, logspace, matrix_transpose,
    meshgrid, mgrid, ndindex, ogrid, ones, ones_like, pad, real_if_close, repeat, roll, rollaxis, rot90,
    set_printoptions, sliding_window_view, split, stack, tile, tri, tril, triu, try_arange, try_array, try_as_strided,
    try_asarray, try_asarray_chkfinite, try_broadcast_shapes, try_concatenate, try_empty, try_empty_pinned,
    try_fromiter, try_full, try_linspace, try_ones, try_stack, try_tile, try_zeros, try_zeros_like_pinned,
    try_zeros_pinned, vander, vsplit, vstack, zeros, zeros_like, zeros_like_pinned, zeros_pinned,
};
#[doc(hidden)]
pub use array::{pieces, set};
pub use device::{
    Device, DeviceProperties, device, device_info, devices, reason, set_device, synchronize, try_device,
    try_set_device, try_synchronize,
};
#[doc(inline)]
pub use dtype::{
    Arithmetic, Bitwise, DType, Element, Float, Inexact, Integer, Number, Real, RealNumber, Scalar, Signal, Spectrum,
};
#[doc(inline)]
pub use error::{Error, Result};
pub use files::npz::{
    MixedArray, Npz, load_npz, savez, savez_compressed, try_load_npz, try_savez, try_savez_compressed,
};
pub use files::picture::{imread, imsave, try_imread, try_imsave};
pub use files::raw::{fromfile, try_fromfile};
pub use files::text::{
    NamedColumns, ReadText, WriteText, fromstring, genfromtxt, genfromtxt_with, loadtxt, loadtxt_with, savetxt,
    savetxt_with, try_genfromtxt, try_genfromtxt_with, try_loadtxt, try_loadtxt_with, try_savetxt, try_savetxt_with,
};
pub use files::{load, save, try_load, try_save};
pub use floats::{FloatPair, IntoFloat, MaybeFloat};
pub use graph::Graph;
pub use input::{input, password, try_input, try_password};
pub use inspect::{Translatable, cuda_source, ptx, set_fmad, try_cuda_source, try_ptx};
pub use interactions::Interaction;
pub use launch::{
    Kernel, KernelArgument, KernelArguments, LaunchConfig, kernel_attributes, launch, launch_checked, launch_for,
    launch_unchecked, launch_with, try_kernel_attributes, try_launch, try_launch_checked, try_launch_for,
    try_launch_unchecked, try_launch_with,
};
#[doc(hidden)]
pub use launch::{by_kernels, sources_of};
pub use lookup::{Lookup, lookup};
pub use memory::{MemoryLimit, MemoryPool, memory_pool, pinned_memory_pool};
pub use ndarray;
/// What the macro of `#[device]` names.
#[doc(hidden)]
pub mod launch_arguments {
    pub use crate::launch::LaunchArgument;
    pub use crate::launch::hidden::Argument;
}
/// The same for functions over arrays.
#[doc(hidden)]
pub mod map_arguments {
    pub use crate::operations::map::MapOperand;
    pub use crate::operations::map::hidden::Argument;
    pub use crate::operations::map::host::HostOperand;
    pub use crate::operations::map::host::hidden::HostArgument;
}
pub use operations::allclose::{allclose, allclose_with, array_equal, isclose, try_allclose_with};
pub use operations::bits::{packbits, unpackbits};
pub use operations::calculus::{IntoSpacing, cross, ediff1d, gradient, trapezoid, unwrap};
pub use operations::choosing::{choose, compress, copyto, extract, place, put, put_along_axis, putmask, select};
pub use operations::composed::array_equiv;
pub use operations::convolve::{
    Boundary, Convolve, DeviceSide, HostSide, Mode, SameSide, convolve, convolve2d, convolve2d_with, try_convolve,
    try_convolve2d, try_convolve2d_with,
};
pub use operations::correlate::{correlate, correlate2d, correlate2d_with, try_correlate};
pub use operations::counting::{
    BinSpec, IntoBinRange, IntoBins, bincount, bincount_weighted, bincount_with, histogram, try_histogram,
};
pub use operations::covariance::{average, corrcoef, cov};
pub use operations::einsum::{einsum, try_einsum};
pub use operations::elementwise::Operand;
pub use operations::fftconvolve::{
    Method, choose_conv_method, convolve_with, fftconvolve, try_convolve_with, try_fftconvolve,
};
pub use operations::functional::{apply_along_axis, apply_over_axes, piecewise};
pub use operations::histograms::{
    AxisBins, IntoAxisBins, IntoAxisRanges, IntoPoints, histogram2d, histogramdd, try_histogram2d, try_histogramdd,
};
pub use operations::indexing::{ravel_multi_index, unravel_index};
pub use operations::insertion::{append, delete, insert, resize, trim_zeros};
pub use operations::interp::{interp, interp_complex};
pub use operations::map::{
    Argument, Arguments, Formula, Formulas, Function, Fused, HostArgument, HostArguments, MapParameter, Results, map,
    map_along, map_host, map_into, map_reduce, reduction, trace_map, try_map, try_map_along, try_map_host,
    try_map_into, try_map_reduce, try_trace_map,
};
pub use operations::nan_quantiles::{nanpercentile, nanquantile};
pub use operations::nan_reductions::{
    nancumprod, nancumsum, nanmax, nanmean, nanmedian, nanmin, nanprod, nanstd, nansum, nanvar, ptp,
};
pub use operations::ordering::{lexsort, msort, nanargmax, nanargmin, sort_complex};
pub use operations::partition::{argpartition, partition, topk};
pub use operations::polynomials::{
    Poly1d, PolyArgument, as_series, poly, poly1d, polyadd, polycompanion, polyder, polydiv, polyfit, polyint, polymul,
    polysub, polyval, polyvalfromroots, polyvander, roots, trimcoef, trimseq, try_poly1d, try_polyder, try_polydiv,
    try_polyint, try_roots,
};
pub use operations::positions::{
    diag_indices, diag_indices_from, ix_, mask_indices, tril_indices, tril_indices_from, triu_indices,
    triu_indices_from,
};
pub use operations::products::{
    IntoPairedAxes, PairedAxes, dot, inner, kron, matmul, outer, tensordot, trace, try_dot, try_matmul, try_tensordot,
    vdot,
};
pub use operations::quantiles::{median, median_axis, percentile, percentile_axis, quantile, quantile_axis};
pub use operations::random;
pub use operations::scan::{cumulative_prod, cumulative_sum, diff};
pub use operations::selection::{try_where, where_};
pub use operations::sets::{in1d, intersect1d, isin, setdiff1d, setxor1d, union1d, unique_all, unique_values};
pub use operations::siblings::functions::*;
pub use operations::sorting::{
    Side, argsort, argsort_axis, digitize, digitize_with, searchsorted, sort, sort_axis, try_sort, unique,
    unique_counts, unique_inverse,
};
pub use operations::windows::{bartlett, blackman, hamming, hanning, kaiser};
pub use plot::*;
pub use raw_kernels::{
    ElementwiseKernel, IntoDim3, KernelAttributes, Occupancy, RawKernel, RawModule, ReductionKernel, TextArgument,
    TextArguments, TextOutputs, TextResults,
};
#[doc(hidden)]
pub use rich::write_rich;
pub use rich::{
    DisplayHandle, Html, Image, Json, Latex, Markdown, MimeBundle, Png, Progress, Rich, Svg, Table, TableCell,
    TableRow, TableRows, clear_output, display, display_with_id, progress, set_output_limit, table, try_table,
    update_display,
};
pub use stream::{Event, Stream, current_stream};
pub use texts::{
    TextFloat, array_repr, array_str, array2string, base_repr, binary_repr, format_float_positional,
    format_float_scientific,
};
pub use timing::{Timer, benchmark, benchmark_with, profile};
pub use tracing::{
    LaunchOccupancy, Roofline, Trace, TraceArithmetic, TraceFinding, TraceReport, TraceRow, launch_traced,
    launch_traced_with, roofline, roofline_with, try_launch_traced, try_launch_traced_with, try_roofline,
    try_roofline_with,
};
pub use type_name::type_of;
pub use warpcell_macros::{device, kernel, rich, vectorize};
pub use warpcell_threads::{
    AtomicElement, AtomicInteger, Dim3, SharedArray, SharedShape, ShuffleElement, View, ViewElement, ViewIndex,
    ViewMut, all_sync, any_sync, ballot_sync, block_dim, block_idx, dynamic_shared_array, global_idx, grid_dim,
    grid_stride, lane_id, shared_array, shfl_down_sync, shfl_sync, shfl_up_sync, shfl_xor_sync, sync_threads,
    sync_threads_and, sync_threads_count, sync_threads_or, sync_warp, thread_fence, thread_idx, warp_size,
};
