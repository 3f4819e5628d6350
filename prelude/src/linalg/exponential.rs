//! The exponential of matrices.

use super::equations::solve_of;
use super::norms::{Order, matrix_norms};
use super::stacks::Stack;
use crate::array::{DeviceArray, OnDevice, RawArray};
use crate::backend::{BinaryOperation, Layout, ReduceOperation};
use crate::dtype::{Arithmetic, DType, Element};
use crate::error::Result;
use crate::operations::composing::Composed;
use crate::operations::products::multiply;
use crate::operations::reduce::reduce_all;
use crate::thin::thin;

const NAME: &str = "expm";

thin! {
    /// The exponential of a square matrix, `Σ aⁿ / n!`. SciPy's `linalg.expm`; of integers it is `f64`. Waits for the device.
    ///
    /// The last two axes are matrices; those before them count matrices. By scaling and squaring with Padé approximants: N. J.
    /// Higham, "The scaling and squaring method for the matrix exponential revisited" (2005). The largest matrix of several says
    /// how often all are squared.
    ///
    /// **Panics** if the matrices are not square ([`Error::InvalidShape`](crate::Error::InvalidShape)), or on a CUDA device without
    /// cuSOLVER ([`Error::LibraryMissing`](crate::Error::LibraryMissing)).
    ///
    /// ```
    /// use warpcell as gpu;
    /// // A turn by a right angle.
    /// let angle = std::f64::consts::FRAC_PI_2;
    /// let turn = gpu::linalg::expm(&gpu::array(&[[0.0, -angle], [angle, 0.0]]));
    /// assert!(gpu::allclose(&turn, &gpu::array(&[[0.0, -1.0], [1.0, 0.0]])));
    /// ```
    pub fn expm<A: OnDevice<Elem = T>, T: Arithmetic>(a: &A) -> DeviceArray<T::Mean> =>
        exponential(a.raw(), T::Mean::DTYPE);
}

/// Up to which norm an approximant is exact to the precision of `f64`, and its coefficients.
const APPROXIMANTS: [(f64, &[f64]); 5] = [
    (1.495585217958292e-2, &[120.0, 60.0, 12.0, 1.0]),
    (2.53939833006323e-1, &[30240.0, 15120.0, 3360.0, 420.0, 30.0, 1.0]),
    (9.504178996162932e-1, &[17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0]),
    (
        2.097847961257068,
        &[17643225600.0, 8821612800.0, 2075673600.0, 302702400.0, 30270240.0, 2162160.0, 110880.0, 3960.0, 90.0, 1.0],
    ),
    (
        5.371920351148152,
        &[
            64764752532480000.0,
            32382376266240000.0,
            7771770303897600.0,
            1187353796428800.0,
            129060195264000.0,
            10559470521600.0,
            670442572800.0,
            33522128640.0,
            1323241920.0,
            40840800.0,
            960960.0,
            16380.0,
            182.0,
            1.0,
        ],
    ),
];

fn exponential(a: &RawArray, dtype: DType) -> Result<RawArray> {
    let a = a.converted(NAME, dtype)?;
    if Stack::square(NAME, &a)?.is_empty() {
        return Ok(a);
    }
    let norms = matrix_norms(&a, Order::Number(1.0))?;
    let norm = reduce_all(NAME, ReduceOperation::Max, &norms)?.float().expect("a norm is a float");
    let fits = APPROXIMANTS.iter().position(|(largest, _)| norm <= *largest);
    let (largest, coefficients) = APPROXIMANTS[fits.unwrap_or(APPROXIMANTS.len() - 1)];
    // Of what is not finite nothing is halved.
    let halvings = if norm.is_finite() { (norm / largest).log2().ceil().max(0.0) as i32 } else { 0 };
    if halvings > 0 {
        Composed(NAME).with_into(BinaryOperation::Multiply, &a, 0.5f64.powi(halvings))?;
    }
    let [odd, even] = approximant(&a, coefficients)?;
    let made = Composed(NAME);
    let below = made.pair(BinaryOperation::Subtract, &even, &odd)?;
    made.pair_into(BinaryOperation::Add, &even, &odd)?;
    let mut found = solve_of(&below, &even, None)?;
    for _ in 0..halvings {
        found = multiply(NAME, &found, &found)?;
    }
    Ok(found)
}

/// The odd and the even powers of the numerator. In the denominator the odd ones are negative.
fn approximant(a: &RawArray, coefficients: &[f64]) -> Result<[RawArray; 2]> {
    let second = multiply(NAME, a, a)?;
    // The even powers from the second to the sixth, or to the eighth.
    let count = ((coefficients.len() - 1) / 2).min(if coefficients.len() == 14 { 3 } else { 4 });
    let mut powers = vec![second];
    while powers.len() < count {
        powers.push(multiply(NAME, &powers[powers.len() - 1], &powers[0])?);
    }
    // Σ c[2k + from] a²ᵏ
    let sum = |from: usize| -> Result<RawArray> {
        let mut total = weighted(&powers, |k| coefficients[2 * k + from], coefficients[from])?;
        if coefficients.len() == 14 {
            // The powers from the eighth on are the sixth times others.
            let high = weighted(&powers, |k| coefficients.get(2 * (k + 3) + from).copied().unwrap_or(0.0), 0.0)?;
            total = Composed(NAME).pair(BinaryOperation::Add, &total, &multiply(NAME, &powers[2], &high)?)?;
        }
        Ok(total)
    };
    Ok([multiply(NAME, a, &sum(1)?)?, sum(0)?])
}

/// `Σ weight(k) a²ᵏ` for k from 1 on, and `constant` on the diagonal.
fn weighted(powers: &[RawArray], weight: impl Fn(usize) -> f64, constant: f64) -> Result<RawArray> {
    let made = Composed(NAME);
    let total = made.with(BinaryOperation::Multiply, &powers[0], weight(1))?;
    for (at, power) in powers.iter().enumerate().skip(1) {
        made.pair_into(BinaryOperation::Add, &total, &made.with(BinaryOperation::Multiply, power, weight(at + 1))?)?;
    }
    if constant != 0.0 {
        let mut layout: Layout = total.layout.clone();
        let (columns, strides) = (layout.shape.pop(), (layout.strides.pop(), layout.strides.pop()));
        debug_assert_eq!(columns, layout.shape.last().copied());
        layout.strides.push(strides.0.unwrap_or_default() + strides.1.unwrap_or_default());
        made.with_into(BinaryOperation::Add, &total.with_layout(layout), constant)?;
    }
    Ok(total)
}
