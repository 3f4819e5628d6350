//! Filters, morphology, measurements and interpolation of images with any number of axes, on their device; SciPy's `ndimage`.
//!
//! Names, defaults and the order of arguments are SciPy's. Optional arguments are keywords of a macro with the function's name:
//! `gpu::ndimage::gaussian_filter!(&x, 2.0, mode = "wrap")`. A size, an origin or a sigma is one number for all axes, or one for
//! each. The result has the type of the elements; sums are computed in `f64`. Filters of integers cut off fractions, as SciPy does,
//! and compute in `f64`, which has all integers up to 2⁵³; interpolation rounds, and keeps to the ends of the type. Windows that are not separable, labels and interpolation take arrays with
//! up to four axes.
//!
//! **Beyond the ends** an array continues as `mode` says: `"reflect"` `d c b a | a b c d | d c b a` (the default of filters),
//! `"mirror"` `d c b | a b c d | c b a`, `"nearest"` `a a a | a b c d | d d d`, `"wrap"` `b c d | a b c d | a b c`, `"constant"`
//! with the value `cval`.
//!
//! Functions **panic** if a mode, an origin, a size or an axis is wrong ([`Error::InvalidArgument`](crate::Error::InvalidArgument),
//! [`Error::InvalidShape`](crate::Error::InvalidShape)), or if arrays are on two devices. They only queue work, except
//! where their documentation says that they wait, and where a `footprint` is given, which is read back.
//!
//! ```
//! use warpcell as gpu;
//! let mut image = gpu::zeros::<f32>((64, 64));
//! image.slice(ndarray::s![10..20, 10..20]).fill(1.0);
//! image.slice(ndarray::s![40..44, 30..38]).fill(2.0);
//! let smooth = gpu::ndimage::gaussian_filter(&image, 1.0);
//! let (labels, count) = gpu::ndimage::label(&smooth.gt(0.5));
//! assert_eq!(count, 2);
//! let centres = gpu::ndimage::center_of_mass(&image, &labels, 1..=count);
//! assert!(gpu::allclose(&centres, &[[14.5, 14.5], [41.5, 33.5]]));
//! ```

mod arguments;
mod filters;
mod geometry;
mod interpolation;
mod kernels;
mod measurements;
mod morphology;
mod shapes;
mod statistics;
mod windows;
#[doc(hidden)]
pub mod with;

pub use arguments::{IntoModes, IntoNumbers, MaybeArray, MaybeAxes, MaybeNumbers};
pub(crate) use filters::small_medians;
pub use geometry::*;
pub use measurements::IntoLabels;
pub use shapes::*;
pub use statistics::*;
pub use windows::*;

// The macros for calls with keywords.
pub use {
    __ndimage_affine_transform as affine_transform, __ndimage_binary_closing as binary_closing,
    __ndimage_binary_dilation as binary_dilation, __ndimage_binary_erosion as binary_erosion,
    __ndimage_binary_fill_holes as binary_fill_holes, __ndimage_binary_hit_or_miss as binary_hit_or_miss,
    __ndimage_binary_opening as binary_opening, __ndimage_binary_propagation as binary_propagation,
    __ndimage_black_tophat as black_tophat, __ndimage_convolve as convolve, __ndimage_convolve1d as convolve1d,
    __ndimage_correlate as correlate, __ndimage_correlate1d as correlate1d,
    __ndimage_distance_transform_edt as distance_transform_edt, __ndimage_find_objects as find_objects,
    __ndimage_fourier_gaussian as fourier_gaussian, __ndimage_fourier_shift as fourier_shift,
    __ndimage_fourier_uniform as fourier_uniform, __ndimage_gaussian_filter as gaussian_filter,
    __ndimage_gaussian_filter1d as gaussian_filter1d,
    __ndimage_gaussian_gradient_magnitude as gaussian_gradient_magnitude,
    __ndimage_gaussian_laplace as gaussian_laplace, __ndimage_grey_closing as grey_closing,
    __ndimage_grey_dilation as grey_dilation, __ndimage_grey_erosion as grey_erosion,
    __ndimage_grey_opening as grey_opening, __ndimage_label as label, __ndimage_laplace as laplace,
    __ndimage_map_coordinates as map_coordinates, __ndimage_maximum_filter as maximum_filter,
    __ndimage_maximum_filter1d as maximum_filter1d, __ndimage_median_filter as median_filter,
    __ndimage_minimum_filter as minimum_filter, __ndimage_minimum_filter1d as minimum_filter1d,
    __ndimage_morphological_gradient as morphological_gradient,
    __ndimage_morphological_laplace as morphological_laplace, __ndimage_percentile_filter as percentile_filter,
    __ndimage_prewitt as prewitt, __ndimage_rank_filter as rank_filter, __ndimage_rotate as rotate,
    __ndimage_shift as shift, __ndimage_sobel as sobel, __ndimage_spline_filter as spline_filter,
    __ndimage_spline_filter1d as spline_filter1d, __ndimage_uniform_filter as uniform_filter,
    __ndimage_uniform_filter1d as uniform_filter1d, __ndimage_white_tophat as white_tophat, __ndimage_zoom as zoom,
};
