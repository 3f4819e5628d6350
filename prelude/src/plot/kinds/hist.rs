//! Histograms: [`hist`].

use super::super::builder::{Plot, invalid};
use super::super::values::{Values, non_empty};
use super::super::{chart::PlotKind, look::Look, mark::Bar, mark::Mark};
use crate::error::{Result, check};

/// How many values there are in each of so many intervals of one length.
#[derive(Clone, Debug)]
struct Histogram {
    values: Vec<f64>,
    bins: usize,
    density: bool,
}

impl PlotKind for Histogram {
    fn name(&self) -> &'static str {
        "hist"
    }

    fn describe(&self, _look: &Look) -> String {
        format!("histogram of {} values in {} bins", self.values.len(), self.bins)
    }

    fn marks(&self, _look: &Look) -> Vec<Mark<'_>> {
        vec![Mark::Bars(histogram(&self.values, self.bins, self.density))]
    }
}

/// Draws a histogram, as matplotlib's `hist` does: how many of the values lie in each of 10 intervals, or as many as
/// [`Plot::bins`] says. What is not finite is left out.
///
/// `values`: an array of any shape, on the host or on the device, a slice or a `Vec`.
///
/// **Panics** if there are no values.
///
/// ```
/// let squares: Vec<i32> = (0..100).map(|x| x * x).collect();
/// warpcell::hist(&squares).bins(20).title("Squares").show();
/// ```
#[track_caller]
pub fn hist<A: Values + ?Sized>(values: &A) -> Plot {
    check(try_hist(values))
}

/// As [`hist`], but returns the error.
///
/// ```
/// assert!(warpcell::try_hist(&[0.0; 0]).unwrap_err().to_string().contains("no values"));
/// ```
pub fn try_hist<A: Values + ?Sized>(values: &A) -> Result<Plot> {
    Ok(Plot::new().with_series(of_values(values)?))
}

impl Plot {
    /// Adds a histogram. See [`hist`].
    ///
    /// ```
    /// warpcell::hist(&[1, 2, 2, 3]).alpha(0.5).hist(&[2, 3, 3, 4]).alpha(0.5).show();
    /// ```
    #[track_caller]
    pub fn hist<A: Values + ?Sized>(self, values: &A) -> Plot {
        let histogram = check(of_values(values));
        self.with_series(histogram)
    }

    /// Sets into how many intervals the histogram that was added last is divided; at first it is 10.
    ///
    /// **Panics** unless it is from 1 to 100,000, and for anything but a histogram.
    ///
    /// ```
    /// warpcell::hist(&[1, 2, 2, 3]).bins(3).show();
    /// ```
    #[track_caller]
    pub fn bins(self, number: usize) -> Plot {
        if !(1..=100_000).contains(&number) {
            invalid("Plot::bins", format!("{number} intervals cannot be drawn; use 1 to 100000"));
        }
        self.with_kind("Plot::bins", "gpu::hist(&x).bins(20)", |histogram: &mut Histogram, _| histogram.bins = number)
    }

    /// Sets whether the histogram that was added last shows densities, of which the integral is 1, in place of numbers.
    ///
    /// **Panics** for anything but a histogram.
    ///
    /// ```
    /// warpcell::hist(&[1, 2, 2, 3]).density(true).show();
    /// ```
    #[track_caller]
    pub fn density(self, on: bool) -> Plot {
        self.with_kind("Plot::density", "gpu::hist(&x).density(true)", |histogram: &mut Histogram, _| {
            histogram.density = on
        })
    }
}

fn of_values<A: Values + ?Sized>(values: &A) -> Result<Histogram> {
    let (_, values) = values.elements();
    Ok(Histogram { values: non_empty("hist", values)?, bins: 10, density: false })
}

/// As NumPy's `histogram`, but what is not finite is left out.
fn histogram(values: &[f64], bins: usize, density: bool) -> Vec<Bar> {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    let (min, max) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), x| (min.min(x), max.max(x)));
    let (min, max) = match () {
        () if min > max => (0.0, 1.0),
        () if min == max => (min - 0.5, max + 0.5),
        () => (min, max),
    };
    // Halved, so that the difference of the largest numbers is finite.
    let (low, range) = (min / 2.0, max / 2.0 - min / 2.0);
    let mut counts = vec![0u64; bins];
    for value in finite() {
        let bin = ((value / 2.0 - low) / range * bins as f64) as usize;
        counts[bin.min(bins - 1)] += 1;
    }
    let edge = |index: usize| 2.0 * (low + range * (index as f64 / bins as f64));
    let total = counts.iter().sum::<u64>().max(1) as f64;
    let bar = |(index, &count): (usize, &u64)| {
        let (left, right) = (edge(index), edge(index + 1));
        let height = if density { count as f64 / total / (right - left) } else { count as f64 };
        Bar { left, right, height }
    };
    counts.iter().enumerate().map(bar).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::super::tests::{BLUE, extent, picture, save};
    use super::*;

    pub fn hard_to_draw() -> Vec<Plot> {
        vec![
            hist(&[f64::NAN, f64::INFINITY]),
            hist(&[f64::MIN, f64::MAX]),
            hist(&[1.0]).bins(100_000),
            hist(&[1, 2, 2]).xscale("log").yscale("log"),
        ]
    }

    #[test]
    fn a_histogram_fills_its_bins() {
        let values: Vec<f64> =
            (0..10_000).map(|i| ((i * 7919 % 10_007) as f64 / 10_007.0 - 0.5) * 6.0).map(f64::tanh).collect();
        let plot = hist(&values).bins(30).title("tanh").label("density").density(true).hist(&[0.0, 0.1]).alpha(0.5);
        save(&plot, "plot_hist");
        assert_eq!(
            plot.to_string(),
            "Plot \"tanh\": histogram of 10000 values in 30 bins, histogram of 2 values in 10 bins"
        );
        let single = super::hist(&[1.0, 2.0]).bins(1);
        let ([left, _, right, _], count) = extent(&picture(&single), BLUE);
        assert!(right - left > 400 && count > 100_000, "{left} to {right}, {count} pixels");
        let square = ndarray::array![[1, 2], [2, 3]];
        assert_eq!(hist(&square).to_string(), "Plot: histogram of 4 values in 10 bins");
        assert_eq!(hist(&crate::asarray(&square)).bins(3).to_string(), "Plot: histogram of 4 values in 3 bins");
    }

    #[test]
    fn histograms_are_those_of_numpy() {
        let heights = |values: &[f64], bins, density| -> Vec<f64> {
            histogram(values, bins, density).into_iter().map(|bar| bar.height).collect()
        };
        // numpy.histogram([1, 2, 2, 3, 4, 10], 3) and with density=True
        let values = [1.0, 2.0, 2.0, 3.0, 4.0, 10.0];
        assert_eq!(heights(&values, 3, false), [4.0, 1.0, 1.0]);
        let expected = [0.2222222222222222, 0.05555555555555555, 0.05555555555555555];
        let near = heights(&values, 3, true).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15);
        assert!(near, "{:?}", heights(&values, 3, true));
        let same = histogram(&[5.0, 5.0], 2, false);
        assert_eq!((same[0].left, same[1].right, same[1].height), (4.5, 5.5, 2.0));
        let odd = [f64::NAN, f64::INFINITY, 1.0, 2.0, f64::MIN, f64::MAX];
        assert_eq!(heights(&odd, 3, false), [1.0, 2.0, 1.0]);
        assert_eq!(heights(&[f64::NAN], 2, false), [0.0, 0.0]);
    }

    #[test]
    #[should_panic(expected = "hist: the shape [0] has no values; give at least one")]
    fn nothing_to_draw_panics() {
        let _ = hist(&Vec::<f64>::new());
    }

    #[test]
    #[should_panic(expected = "Plot::bins: the last series is `plot`, which has no such setting; write \
                               `gpu::hist(&x).bins(20)`")]
    fn bins_of_a_curve_panic() {
        let _ = crate::plot(&[1, 2]).bins(3);
    }
}
