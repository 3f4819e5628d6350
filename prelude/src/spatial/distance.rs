//! Distances between points; SciPy's `spatial.distance`.

use super::kernels::{all_distances, pair_distances, pairs_of_square, square_of_pairs};
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::loops::Loops;
use crate::dtype::{DType, Element, Number};
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::floats::IntoFloat;
use crate::launch::try_launch_unchecked;
use crate::thin::thin;

// The macros for calls with keywords.
pub use {
    __spatial_distance_cdist as cdist, __spatial_distance_minkowski as minkowski, __spatial_distance_pdist as pdist,
};

/// The metrics, in the order in which the kernels know them. The last two are products of matrices.
const METRICS: [&str; 19] = [
    "euclidean",
    "sqeuclidean",
    "cityblock",
    "chebyshev",
    "minkowski",
    "canberra",
    "braycurtis",
    "jensenshannon",
    "kl_divergence",
    "hellinger",
    "hamming",
    "jaccard",
    "russellrao",
    "dice",
    "rogerstanimoto",
    "sokalsneath",
    "yule",
    "cosine",
    "correlation",
];
const COSINE: usize = 17;
const CORRELATION: usize = 18;
const MINKOWSKI: usize = 4;

thin! {
    /// The distances of each row of `XA` from each row of `XB`: a matrix with a row for each of `XA` (`f64` for integers). SciPy's `cdist`:
    /// `gpu::spatial::distance::cdist!(&a, &b, "minkowski", p = 3.0)` has its keywords, but weights. The metrics are "euclidean",
    /// "sqeuclidean", "cityblock", "chebyshev", "minkowski", "canberra", "braycurtis", "jensenshannon", "hamming", "jaccard",
    /// "russellrao", "dice", "rogerstanimoto", "sokalsneath", "yule", "cosine", "correlation", and CuPy's "kl_divergence" and "hellinger".
    /// Those from "russellrao" to "yule" take numbers that are not 0 as true. On a GPU one thread computes one distance;
    /// cosines are products of matrices.
    ///
    /// **Panics** if they are not matrices with as many columns ([`Error::InvalidShape`]), there is no such metric, or `p` is not positive
    /// ([`Error::InvalidArgument`]), or if devices differ.
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::spatial::distance;
    /// let (a, b) = (gpu::array(&[[0.0, 0.0]]), gpu::array(&[[3.0, 4.0], [1.0, 0.0]]));
    /// assert_eq!(distance::cdist(&a, &b).ravel().tolist(), [5.0, 1.0]);
    /// assert_eq!(distance::cdist!(&a, &b, "cityblock").ravel().tolist(), [7.0, 1.0]);
    /// ```
    #[allow(non_snake_case, reason = "SciPy's names")]
    pub fn cdist<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Number>(XA: &A, XB: &B) -> DeviceArray<T::Mean> =>
        between("cdist", XA.raw(), XB.raw(), "euclidean", 2.0, T::Mean::DTYPE);

    /// As [`cdist`](fn@cdist), by a metric; `p` is that of "minkowski".
    #[allow(non_snake_case, reason = "SciPy's names")]
    pub fn cdist_with<A: OnDevice<Elem = T>, B: OnDevice<Elem = T>, T: Number>(
        XA: &A,
        XB: &B,
        metric: &str,
        p: impl IntoFloat,
    ) -> DeviceArray<T::Mean> => between("cdist", XA.raw(), XB.raw(), metric, p.into_float(), T::Mean::DTYPE);

    /// The distances of each row of `X` from the rows behind it, one after another: a vector of `n (n - 1) / 2` numbers, which
    /// [`squareform`] makes a matrix (`f64` for integers). SciPy's `pdist`: `gpu::spatial::distance::pdist!(&x, "minkowski", p = 3.0)` has
    /// its keywords; the metrics are those of [`cdist`](fn@cdist).
    ///
    /// **Panics** if it is not a matrix ([`Error::InvalidShape`]), there is no such metric, or `p` is not positive
    /// ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let d = gpu::spatial::distance::pdist(&gpu::array(&[[0.0], [1.0], [3.0]]));
    /// assert_eq!(d.tolist(), [1.0, 3.0, 2.0]);
    /// ```
    #[allow(non_snake_case, reason = "SciPy's names")]
    pub fn pdist<X: OnDevice<Elem = T>, T: Number>(X: &X) -> DeviceArray<T::Mean> =>
        of_pairs(X.raw(), "euclidean", 2.0, T::Mean::DTYPE);

    /// As [`pdist`](fn@pdist), by a metric; `p` is that of "minkowski".
    #[allow(non_snake_case, reason = "SciPy's names")]
    pub fn pdist_with<X: OnDevice<Elem = T>, T: Number>(X: &X, metric: &str, p: impl IntoFloat) -> DeviceArray<T::Mean> =>
        of_pairs(X.raw(), metric, p.into_float(), T::Mean::DTYPE);

    /// The vector of distances that [`pdist`](fn@pdist) gives as the symmetric matrix of all distances, or such a matrix as the vector.
    /// SciPy's `squareform`. Of a matrix it waits, to see that it is symmetric and 0 on its diagonal.
    ///
    /// **Panics** if the vector has no length of such a one, or the matrix is not square ([`Error::InvalidShape`]), or not symmetric and 0
    /// on its diagonal ([`Error::InvalidArgument`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// use gpu::spatial::distance::squareform;
    /// let square = squareform(&gpu::array(&[1.0, 3.0, 2.0]));
    /// assert_eq!(square.ravel().tolist(), [0.0, 1.0, 3.0, 1.0, 0.0, 2.0, 3.0, 2.0, 0.0]);
    /// assert_eq!(squareform(&square).tolist(), [1.0, 3.0, 2.0]);
    /// ```
    #[allow(non_snake_case, reason = "SciPy's names")]
    pub fn squareform<X: OnDevice<Elem = T>, T: Number>(X: &X) -> DeviceArray<T::Mean> => other_form(X.raw(), T::Mean::DTYPE);

    /// Minkowski's distances of each row of `x` from each row of `y`, with the power 2 (`f64` for integers). SciPy's `distance_matrix`:
    /// `gpu::spatial::distance_matrix!(&x, &y, p = 1.0)` has its keyword; `f64::INFINITY` is the largest difference.
    ///
    /// **Panics** as [`cdist`](fn@cdist) does.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let d = gpu::spatial::distance_matrix!(&gpu::array(&[[0.0, 0.0]]), &gpu::array(&[[3.0, 4.0]]), p = 1.0);
    /// assert_eq!(d.ravel().tolist(), [7.0]);
    /// ```
    pub fn distance_matrix<X: OnDevice<Elem = T>, Y: OnDevice<Elem = T>, T: Number>(x: &X, y: &Y) -> DeviceArray<T::Mean> =>
        between("distance_matrix", x.raw(), y.raw(), "minkowski", 2.0, T::Mean::DTYPE);

    /// As [`distance_matrix`](fn@distance_matrix), with the power `p`.
    pub fn distance_matrix_with<X: OnDevice<Elem = T>, Y: OnDevice<Elem = T>, T: Number>(
        x: &X,
        y: &Y,
        p: impl IntoFloat,
    ) -> DeviceArray<T::Mean> => between("distance_matrix", x.raw(), y.raw(), "minkowski", p.into_float(), T::Mean::DTYPE);
}

/// Distances of two vectors.
macro_rules! of_vectors {
    ($($(#[$doc:meta])* $name:ident $twin:ident;)*) => {
        fallible! {$(
            $(#[$doc])*
            ///
            /// Waits. See [`cdist`](fn@cdist) for many vectors.
            ///
            /// **Panics** if they are not 1-D of one length ([`Error::InvalidShape`]), or if devices differ.
            pub fn $name, $twin<U: OnDevice<Elem = T>, V: OnDevice<Elem = T>, T: Number>(u: &U, v: &V) -> Result<f64> {
                of_two(stringify!($name), u.raw(), v.raw(), 2.0)
            }
        )*}
    };
}
of_vectors! {
    /// The Euclidean distance of two vectors. SciPy's `euclidean`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::spatial::distance::euclidean(&gpu::array(&[0.0, 0.0]), &gpu::array(&[3.0, 4.0])), 5.0);
    /// ```
    euclidean try_euclidean;
    /// The square of the Euclidean distance of two vectors. SciPy's `sqeuclidean`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::spatial::distance::sqeuclidean(&gpu::array(&[0.0, 0.0]), &gpu::array(&[3.0, 4.0])), 25.0);
    /// ```
    sqeuclidean try_sqeuclidean;
    /// The sum of the differences of two vectors. SciPy's `cityblock`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::spatial::distance::cityblock(&gpu::array(&[0.0, 0.0]), &gpu::array(&[3.0, 4.0])), 7.0);
    /// ```
    cityblock try_cityblock;
    /// The largest difference of two vectors. SciPy's `chebyshev`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::spatial::distance::chebyshev(&gpu::array(&[0.0, 0.0]), &gpu::array(&[3.0, 4.0])), 4.0);
    /// ```
    chebyshev try_chebyshev;
    /// The sum of `|u - v| / (|u| + |v|)`. SciPy's `canberra`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::spatial::distance::canberra(&gpu::array(&[1.0, 0.0]), &gpu::array(&[3.0, 0.0])), 0.5);
    /// ```
    canberra try_canberra;
    /// The distance of Bray and Curtis, the sum of `|u - v|` by that of `|u + v|`. SciPy's `braycurtis`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::spatial::distance::braycurtis(&gpu::array(&[1.0, 0.0]), &gpu::array(&[0.0, 1.0])), 1.0);
    /// ```
    braycurtis try_braycurtis;
    /// The distance of Jensen and Shannon of two distributions, which need not sum to 1. SciPy's `jensenshannon`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let d = gpu::spatial::distance::jensenshannon(&gpu::array(&[1.0, 0.0]), &gpu::array(&[0.5, 0.5]));
    /// assert!((d - 0.46450140402245893).abs() < 1e-15);
    /// ```
    jensenshannon try_jensenshannon;
    /// The divergence of Kullback and Leibler of two distributions, the sum of `u ln(u / v)`. CuPy's `kl_divergence`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let d = gpu::spatial::distance::kl_divergence(&gpu::array(&[1.0, 0.0]), &gpu::array(&[0.5, 0.5]));
    /// assert_eq!(d, 2f64.ln());
    /// ```
    kl_divergence try_kl_divergence;
    /// Hellinger's distance of two distributions. CuPy's `hellinger`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::spatial::distance::hellinger(&gpu::array(&[1.0, 0.0]), &gpu::array(&[0.0, 1.0])), 1.0);
    /// ```
    hellinger try_hellinger;
    /// The share of the places in which two vectors differ. SciPy's `hamming`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::spatial::distance::hamming(&gpu::array(&[1.0, 0.0]), &gpu::array(&[1.0, 1.0])), 0.5);
    /// ```
    hamming try_hamming;
    /// Jaccard's distance: of the places in which one of two vectors is not 0, the share in which they differ. SciPy's `jaccard`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::spatial::distance::jaccard(&gpu::array(&[1.0, 0.0, 0.0]), &gpu::array(&[1.0, 1.0, 0.0])), 0.5);
    /// ```
    jaccard try_jaccard;
    /// The share of the places in which not both of two vectors are true. SciPy's `russellrao`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::spatial::distance::russellrao(&gpu::array(&[1.0, 0.0]), &gpu::array(&[1.0, 1.0])), 0.5);
    /// ```
    russellrao try_russellrao;
    /// 1 less the cosine of the angle between two vectors. SciPy's `cosine`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// assert_eq!(gpu::spatial::distance::cosine(&gpu::array(&[1.0, 0.0]), &gpu::array(&[0.0, 2.0])), 1.0);
    /// ```
    cosine try_cosine;
    /// 1 less the correlation of two vectors. SciPy's `correlation`.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let d = gpu::spatial::distance::correlation(&gpu::array(&[1.0, 2.0]), &gpu::array(&[2.0, 1.0]));
    /// assert!((d - 2.0).abs() < 1e-12);
    /// ```
    correlation try_correlation;
}

fallible! {
    /// Minkowski's distance of two vectors with the power 2; `gpu::spatial::distance::minkowski!(&u, &v, p = 3.0)` has another one. SciPy's
    /// `minkowski`. Waits.
    ///
    /// **Panics** if they are not 1-D of one length ([`Error::InvalidShape`]), `p` is not positive ([`Error::InvalidArgument`]), or if
    /// devices differ.
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (u, v) = (gpu::array(&[0.0, 0.0]), gpu::array(&[3.0, 4.0]));
    /// assert_eq!(gpu::spatial::distance::minkowski!(&u, &v, p = 1.0), 7.0);
    /// ```
    pub fn minkowski, try_minkowski<U: OnDevice<Elem = T>, V: OnDevice<Elem = T>, T: Number>(u: &U, v: &V) -> Result<f64> {
        of_two("minkowski", u.raw(), v.raw(), 2.0)
    }

    /// As [`minkowski`](fn@minkowski), with the power `p`.
    pub fn minkowski_with, try_minkowski_with<U: OnDevice<Elem = T>, V: OnDevice<Elem = T>, T: Number>(
        u: &U,
        v: &V,
        p: impl IntoFloat
    ) -> Result<f64> {
        let p = p.into_float();
        of_two("minkowski", u.raw(), v.raw(), p)
    }
}

fn of_two(name: &'static str, u: &RawArray, v: &RawArray, p: f64) -> Result<f64> {
    if u.shape().len() != 1 || u.shape() != v.shape() {
        let reason =
            format!("does not fit that of the other vector, {:?}; give two 1-D arrays of one length", v.shape());
        return Err(Error::shape(name, u.shape(), reason));
    }
    let row = |of: &RawArray| DeviceArray::<f64>::from_raw(of.clone());
    let [u, v] = [u, v].map(|of| of.converted(name, DType::F64).map(|of| row(&of).expand_dims(0)));
    let found = between(name, &u?.raw, &v?.raw, name, p, DType::F64)?;
    Ok(crate::array::transfer::item(&found)?.float().expect("a float"))
}

/// The metric's number, and the power for it.
fn metric_of(operation: &'static str, metric: &str, p: f64) -> Result<(usize, f64)> {
    let Some(kind) = METRICS.iter().position(|name| *name == metric) else {
        return Err(Error::argument(operation, format!("`metric` is {metric:?}; give one of {METRICS:?}")));
    };
    if kind != MINKOWSKI {
        return Ok((kind, p));
    }
    if p.is_nan() || p <= 0.0 {
        return Err(Error::argument(operation, format!("`p` is {p}; give a positive number")));
    }
    let special = [(1.0, 2), (2.0, 0), (f64::INFINITY, 3)].into_iter().find(|(power, _)| *power == p);
    Ok((special.map_or(MINKOWSKI, |(_, kind)| kind), p))
}

fn matrix(operation: &'static str, x: &RawArray) -> Result<DeviceArray<f64>> {
    if x.shape().len() != 2 {
        return Err(Error::shape(operation, x.shape(), "is not that of points; give a matrix with a row for each"));
    }
    let x = if x.dtype == DType::F64 { x.contiguous(operation)? } else { x.converted(operation, DType::F64)? };
    Ok(DeviceArray::from_raw(x))
}

fn between(
    operation: &'static str,
    a: &RawArray,
    b: &RawArray,
    metric: &str,
    p: f64,
    dtype: DType,
) -> Result<RawArray> {
    let (kind, p) = metric_of(operation, metric, p)?;
    a.same_device(operation, b)?;
    let [a, b] = [matrix(operation, a)?, matrix(operation, b)?];
    if a.shape()[1] != b.shape()[1] {
        let reason = format!("has another number of columns than {:?}; give points of as many coordinates", b.shape());
        return Err(Error::shape(operation, a.shape(), reason));
    }
    let found = distances(operation, &a, &b, kind, p)?;
    if dtype == DType::F64 { Ok((*found.raw).clone()) } else { found.raw.converted(operation, dtype) }
}

fn distances(
    operation: &'static str,
    a: &DeviceArray<f64>,
    b: &DeviceArray<f64>,
    kind: usize,
    p: f64,
) -> Result<DeviceArray<f64>> {
    if kind == COSINE || kind == CORRELATION {
        let [a, b] = [a, b].map(|x| direction(x, kind == CORRELATION));
        return Ok(1.0 - crate::clip(&a.matmul(&b.swapaxes(0, 1)), -1.0, 1.0));
    }
    let shape = [a.shape()[0], b.shape()[0]];
    let mut out = DeviceArray::from_raw(RawArray::uninitialised(operation, &a.raw.handle, &shape, DType::F64)?);
    if out.size() == 0 || by_loops(a, Some(b), kind, p, &out.raw)? {
        return Ok(out);
    }
    let blocks = out.size().div_ceil(THREADS);
    // SAFETY: a thread writes one distance.
    unsafe { try_launch_unchecked(all_distances, blocks, THREADS, (a, b, kind as i32, p, &mut out))? };
    Ok(out)
}

/// Computes distances of the rows of a matrix from those of another one, or from those behind them, if the backend has loops for that.
fn by_loops(a: &DeviceArray<f64>, b: Option<&DeviceArray<f64>>, metric: usize, p: f64, out: &RawArray) -> Result<bool> {
    let (a, b) = (a.raw.view(), b.map(|b| b.raw.view()));
    out.handle.backend.by_loops(Loops::Distances { a, b, metric, p, out: out.view() })
}

/// Threads of a block.
const THREADS: usize = 128;

/// Rows of the length 1, perhaps without their mean.
fn direction(x: &DeviceArray<f64>, is_centred: bool) -> DeviceArray<f64> {
    let x = if is_centred { x - &x.mean_axis(1).expand_dims(1) } else { x.clone() };
    &x / &(&x * &x).sum_axis(1).sqrt().expand_dims(1)
}

fn of_pairs(x: &RawArray, metric: &str, p: f64, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "pdist";
    let (kind, p) = metric_of(NAME, metric, p)?;
    let x = matrix(NAME, x)?;
    let rows = x.shape()[0];
    let count = rows * rows.saturating_sub(1) / 2;
    let mut out = DeviceArray::from_raw(RawArray::uninitialised(NAME, &x.raw.handle, &[count], DType::F64)?);
    if count > 0 {
        let blocks = (rows * rows).div_ceil(THREADS);
        if kind == COSINE || kind == CORRELATION {
            let square = distances(NAME, &x, &x, kind, p)?;
            // SAFETY: a thread writes one distance.
            unsafe { try_launch_unchecked(pairs_of_square, blocks, THREADS, (&square, &mut out))? };
        } else if !by_loops(&x, None, kind, p, &out.raw)? {
            // SAFETY: a thread writes one distance.
            unsafe { try_launch_unchecked(pair_distances, blocks, THREADS, (&x, kind as i32, p, &mut out))? };
        }
    }
    if dtype == DType::F64 { Ok((*out.raw).clone()) } else { out.raw.converted(NAME, dtype) }
}

fn other_form(x: &RawArray, dtype: DType) -> Result<RawArray> {
    const NAME: &str = "squareform";
    let values = DeviceArray::<f64>::from_raw(x.converted(NAME, DType::F64)?);
    let scratch = |shape: &[usize]| RawArray::uninitialised(NAME, &x.handle, shape, DType::F64);
    let out = match *x.shape() {
        [count] => {
            let rows = (0.5 + (0.25 + 2.0 * count as f64).sqrt()).round() as usize;
            if rows * (rows - 1) / 2 != count {
                let reason = "is not that of the distances of all pairs, n (n - 1) / 2; give a vector of such a length";
                return Err(Error::shape(NAME, x.shape(), reason));
            }
            let mut out = DeviceArray::<f64>::from_raw(scratch(&[rows, rows])?);
            // SAFETY: a thread writes one element.
            unsafe {
                try_launch_unchecked(square_of_pairs, (rows * rows).div_ceil(THREADS), THREADS, (&values, &mut out))?
            };
            out
        }
        [rows, columns] if rows == columns => {
            if (&values - &values.swapaxes(0, 1)).ne(0.0).any() || crate::diagonal(&values).ne(0.0).any() {
                let reason = "the matrix is not symmetric with zeros on its diagonal; give distances";
                return Err(Error::argument(NAME, reason));
            }
            let mut out = DeviceArray::<f64>::from_raw(scratch(&[rows * rows.saturating_sub(1) / 2])?);
            if out.size() > 0 {
                let blocks = (rows * rows).div_ceil(THREADS);
                // SAFETY: a thread writes one element.
                unsafe { try_launch_unchecked(pairs_of_square, blocks, THREADS, (&values, &mut out))? };
            }
            out
        }
        _ => {
            return Err(Error::shape(NAME, x.shape(), "is neither that of a vector nor of a square matrix"));
        }
    };
    if dtype == DType::F64 { Ok((*out.raw).clone()) } else { out.raw.converted(NAME, dtype) }
}
