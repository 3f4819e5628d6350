//! Points in space: distances between them, and the nearest of them; SciPy's `spatial`.
//!
//! Points are the rows of a matrix. All is computed on their device, in `f64`; of `f32` distances are `f32`.
//!
//! ```
//! use warpcell as gpu;
//! let points = gpu::array(&[[0.0, 0.0], [3.0, 4.0], [6.0, 8.0]]);
//! let d = gpu::spatial::distance::cdist(&points, &points);
//! assert_eq!(d.get(&[0, 2]), 10.0);
//! let tree = gpu::spatial::KDTree::new(&points);
//! let (distances, indices) = tree.query(&gpu::array(&[[3.0, 5.0]]), 2);
//! assert_eq!((distances.get(&[0, 0]), indices.ravel().tolist()), (1.0, vec![1, 2]));
//! ```

pub mod distance;
mod kernels;
mod tree;

pub use distance::{distance_matrix, distance_matrix_with};
pub use tree::KDTree;

// The macros for calls with keywords.
pub use __spatial_distance_matrix as distance_matrix;
