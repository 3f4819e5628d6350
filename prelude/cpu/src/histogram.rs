//! Counting: how many elements fall into each of some bins, or what they weigh together.
//!
//! The elements are cut into chunks, by their number alone, so that weights add up to the same on every machine.

use super::numeric::{Cast, Native, Shared, for_dtype};
use super::pool;
use warpcell_base::backend::Span;
use warpcell_base::dtype::DType;

/// The fewest elements of a chunk.
const CHUNK: usize = 1 << 16;
/// The most chunks, each of which has its own bins.
const CHUNKS: usize = 64;

/// Counts elements by their own value; their weights, if they have some. `out` is of `i64` (`f64` for weights), of `bins`
/// elements.
///
/// # Safety
///
/// All must be memory of as many elements that nothing else accesses; every element of `x`, an integer or bool, is a bin's number.
pub(super) unsafe fn values(
    dtype: DType,
    (x, size): (*const u8, usize),
    weights: Option<*const u8>,
    (out, bins): (*mut u8, usize),
) {
    for_dtype!(dtype, T => {
        let x = Shared(x.cast_mut().cast::<T>());
        let bin = |index: usize| {
            // SAFETY: the caller's promise.
            let value: i64 = Cast::cast(unsafe { x.get().add(index).read() });
            Some(value as usize)
        };
        match weights {
            None => {
                // SAFETY: the caller's promise.
                let out = unsafe { std::slice::from_raw_parts_mut(out.cast::<i64>(), bins) };
                totals(size, out, bin, |_| 1, |sum, one| sum + one);
            }
            Some(weights) => {
                let weights = Shared(weights.cast_mut().cast::<f64>());
                // SAFETY: the caller's promise.
                let weight = |index: usize| unsafe { weights.get().add(index).read() };
                // SAFETY: the caller's promise.
                let out = unsafe { std::slice::from_raw_parts_mut(out.cast::<f64>(), bins) };
                totals(size, out, bin, weight, |sum, weight| sum + weight);
            }
        }
    });
}

/// Counts elements between edges, of which there is one more than bins; see [`Span`].
///
/// # Safety
///
/// All must be memory of as many elements that nothing else accesses.
pub(super) unsafe fn between(
    dtype: DType,
    (x, size): (*const u8, usize),
    edges: *const f64,
    span: Span,
    (out, bins): (*mut i64, usize),
) {
    // SAFETY: the caller's promise.
    let (edges, out) =
        unsafe { (std::slice::from_raw_parts(edges, bins + 1), std::slice::from_raw_parts_mut(out, bins)) };
    for_dtype!(dtype, T => {
        let x = Shared(x.cast_mut().cast::<T>());
        // SAFETY: the caller's promise.
        let value = |index: usize| -> f64 { Cast::cast(unsafe { x.get().add(index).read() }) };
        match span.scale {
            Some(scale) => {
                totals(size, out, |index| even_bin(value(index), edges, span, scale), |_| 1, |sum, one| sum + one);
            }
            None => totals(size, out, |index| any_bin(value(index), edges, span), |_| 1, |sum, one| sum + one),
        }
    });
}

/// The bin among bins of one width: computed, and put right by one where that was rounded across an edge.
#[inline(always)]
fn even_bin(value: f64, edges: &[f64], span: Span, scale: f64) -> Option<usize> {
    // False for NaN.
    if !(value >= span.first && value <= span.last) {
        return None;
    }
    let last = edges.len() - 2;
    let bin = (((value - span.first) * scale) as usize).min(last);
    if value < edges[bin] && bin > 0 {
        Some(bin - 1)
    } else if bin < last && value >= edges[bin + 1] {
        Some(bin + 1)
    } else {
        Some(bin)
    }
}

/// The last bin that begins at or before the value.
#[inline(always)]
fn any_bin(value: f64, edges: &[f64], span: Span) -> Option<usize> {
    if !(value >= span.first && value <= span.last) {
        return None;
    }
    Some(edges.partition_point(|&edge| edge <= value).saturating_sub(1).min(edges.len() - 2))
}

/// Adds up what each bin's elements weigh.
#[inline(always)]
fn totals<S: Native>(
    size: usize,
    out: &mut [S],
    bin: impl Fn(usize) -> Option<usize> + Sync,
    weight: impl Fn(usize) -> S + Sync,
    add: impl Fn(S, S) -> S + Sync,
) {
    let bins = out.len();
    // As many chunks as cost less than the elements themselves.
    let chunk = size.div_ceil(CHUNKS).max(CHUNK).max(bins);
    let chunks = size.div_ceil(chunk);
    let run = |range: std::ops::Range<usize>, totals: &mut [S]| {
        for index in range {
            if let Some(total) = bin(index).and_then(|bin| totals.get_mut(bin)) {
                *total = add(*total, weight(index));
            }
        }
    };
    out.fill(S::default());
    if chunks <= 1 {
        return run(0..size, out);
    }
    let mut parts = vec![S::default(); chunks * bins];
    let shared = Shared(parts.as_mut_ptr());
    pool::split(chunks, 1, &|range| {
        for index in range {
            // SAFETY: each chunk has bins of its own.
            let totals = unsafe { std::slice::from_raw_parts_mut(shared.get().add(index * bins), bins) };
            run(index * chunk..size.min((index + 1) * chunk), totals);
        }
    });
    for part in parts.chunks_exact(bins) {
        out.iter_mut().zip(part).for_each(|(total, &part)| *total = add(*total, part));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_on_edges_belong_to_the_bin_that_begins_there() {
        // Edges that are not multiples of the width, and values on and beside them.
        for bins in [1, 3, 7, 10, 1000] {
            let (first, last) = (0.1, 0.7);
            let step = (last - first) / bins as f64;
            let mut edges: Vec<f64> = (0..bins).map(|index| first + index as f64 * step).collect();
            edges.push(last);
            let span = Span { first, last, scale: Some(bins as f64 / (last - first)) };
            let values = edges.iter().flat_map(|&edge| [edge.next_down(), edge, edge.next_up()]);
            for value in values.chain([f64::NAN, f64::INFINITY, f64::NEG_INFINITY]) {
                let found = even_bin(value, &edges, span, span.scale.unwrap());
                assert_eq!(found, any_bin(value, &edges, span), "{value} of {bins}");
            }
        }
    }
}
