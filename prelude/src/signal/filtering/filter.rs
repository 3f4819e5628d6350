//! One filter: what is known of it without a signal.

use crate::error::{Error, Result};

/// A filter whose polynomials are as long as one another, and divided by `a[0]`.
pub(super) struct Filter {
    pub b: Vec<f64>,
    pub a: Vec<f64>,
}

impl Filter {
    pub fn new(operation: &'static str, b: &[f64], a: &[f64]) -> Result<Filter> {
        if a[0] == 0.0 {
            return Err(Error::argument(operation, "`a[0]` is 0, but all coefficients are divided by it"));
        }
        let count = b.len().max(a.len());
        let list = |of: &[f64]| {
            let mut list: Vec<f64> = of.iter().map(|c| c / a[0]).collect();
            list.resize(count, 0.0);
            list
        };
        Ok(Filter { b: list(b), a: list(a) })
    }

    pub fn order(&self) -> usize {
        self.b.len() - 1
    }

    /// Both polynomials, b and a, with zeros behind them so that the filter has an order.
    pub fn padded(&self, order: usize) -> Vec<f64> {
        let pad = |of: &[f64]| of.iter().copied().chain(std::iter::repeat(0.0)).take(order + 1).collect::<Vec<f64>>();
        [pad(&self.b), pad(&self.a)].concat()
    }

    pub fn is_finite_response(&self) -> bool {
        self.a[1..].iter().all(|c| *c == 0.0)
    }

    /// The state that stays as it is while the samples are 1, by the explicit formula.
    pub fn steady_state(&self) -> Vec<f64> {
        let part = |k: usize| self.b[k] - self.a[k] * self.b[0];
        let first = (1..=self.order()).map(part).sum::<f64>() / self.a.iter().sum::<f64>();
        let (mut asum, mut csum) = (1.0, 0.0);
        let mut state = Vec::new();
        for k in 0..self.order() {
            if k > 0 {
                asum += self.a[k];
                csum += part(k);
            }
            state.push(asum * first - csum);
        }
        state
    }
}

/// What becomes of each unit state of filters one after another after so many zeros: the columns of a matrix, which is given in row-major order.
/// Of each filter there are both polynomials, as [`Filter::padded`] gives them for the order `own`.
pub(super) fn transition(filters: &[f64], own: usize, length: usize) -> Vec<f64> {
    let order = own * (filters.len() / (2 * own + 2));
    let mut matrix = vec![0.0; order * order];
    for column in 0..order {
        let mut state = vec![0.0; order];
        state[column] = 1.0;
        for _ in 0..length {
            let mut sample = 0.0;
            for (filter, state) in filters.chunks_exact(2 * own + 2).zip(state.chunks_mut(own)) {
                let (b, a) = filter.split_at(own + 1);
                let out = state[0] + b[0] * sample;
                for k in 1..own {
                    state[k - 1] = state[k] + b[k] * sample - a[k] * out;
                }
                state[own - 1] = b[own] * sample - a[own] * out;
                sample = out;
            }
        }
        state.iter().enumerate().for_each(|(row, value)| matrix[row * order + column] = *value);
    }
    matrix
}

/// The power of a square matrix of so many rows; of a power of 2.
pub(super) fn power(matrix: &[f64], order: usize, exponent: usize) -> Vec<f64> {
    debug_assert!(exponent.is_power_of_two());
    let mut found = matrix.to_vec();
    for _ in 0..exponent.trailing_zeros() {
        let entry =
            |at: usize| (0..order).map(|k| found[at / order * order + k] * found[k * order + at % order]).sum::<f64>();
        found = (0..order * order).map(entry).collect();
    }
    found
}

/// The states that stay as they are while the samples are 1, of filters one after another.
pub(super) fn steady_states(filters: &[Filter]) -> Vec<Vec<f64>> {
    let mut scale = 1.0;
    filters
        .iter()
        .map(|filter| {
            let state = filter.steady_state().iter().map(|value| scale * value).collect();
            scale *= filter.b.iter().sum::<f64>() / filter.a.iter().sum::<f64>();
            state
        })
        .collect()
}
