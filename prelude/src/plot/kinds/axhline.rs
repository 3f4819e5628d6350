//! Lines across the whole plot: [`Plot::axhline`] and [`Plot::axvline`].

use super::super::{
    builder::Plot,
    chart::PlotKind,
    look::Look,
    mark::{Direction, Mark},
};

/// A line where an axis has a number.
#[derive(Clone, Debug)]
struct Rule {
    axis: Direction,
    at: f64,
}

impl PlotKind for Rule {
    fn name(&self) -> &'static str {
        match self.axis {
            Direction::X => "axvline",
            Direction::Y => "axhline",
        }
    }

    fn describe(&self, _look: &Look) -> String {
        format!("line at {} = {}", if self.axis == Direction::X { "x" } else { "y" }, self.at)
    }

    fn marks(&self, look: &Look) -> Vec<Mark<'_>> {
        look.stroke().map(|stroke| Mark::Rule { axis: self.axis, at: self.at, stroke }).into_iter().collect()
    }

    fn has_lines(&self) -> bool {
        true
    }
}

impl Plot {
    /// Adds a horizontal line across the whole plot, as matplotlib's `axhline` does.
    ///
    /// ```
    /// let losses = [1.0, 0.3, 0.1, 0.04];
    /// warpcell::plot(&losses).axhline(0.05).color("k").linestyle("--").label("goal").show();
    /// ```
    pub fn axhline(self, y: impl Into<f64>) -> Plot {
        self.with_series(Rule { axis: Direction::Y, at: y.into() })
    }

    /// Adds a vertical line across the whole plot, as matplotlib's `axvline` does.
    ///
    /// ```
    /// let samples = [1.0, 2.0, 2.5, 3.0, 7.0];
    /// warpcell::hist(&samples).axvline(2.5).color("red").label("median").show();
    /// ```
    pub fn axvline(self, x: impl Into<f64>) -> Plot {
        self.with_series(Rule { axis: Direction::X, at: x.into() })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::super::tests::{extent, picture, save};
    use super::*;
    use ::image::Rgb;

    pub fn hard_to_draw() -> Vec<Plot> {
        vec![
            Plot::new().axhline(f64::NAN).axvline(f64::INFINITY),
            Plot::new().axhline(f64::MAX).axhline(f64::MIN).linestyle("-."),
            crate::plot(&[1, 2]).yscale("log").axhline(-1),
        ]
    }

    #[test]
    fn lines_go_across_the_whole_plot() {
        let plot = crate::plot(&[1, 2, 3]).axhline(2).color("#ff0000").linewidth(3.0).axvline(1.0f32).linestyle("--");
        assert_eq!(plot.to_string(), "Plot: line of 3 points, line at y = 2, line at x = 1");
        save(&plot.clone().label("vertical"), "plot_rules");
        let ([left, top, right, low], _) = extent(&picture(&plot), Rgb([255, 0, 0]));
        assert!(right - left > 550 && low - top < 4, "{left} {top} {right} {low}");
        // A line is on the axes, too.
        let ([.., low], _) =
            extent(&picture(&crate::plot(&[1, 2]).axhline(-5).color("#ff0000").linewidth(3.0)), Rgb([255, 0, 0]));
        assert!((330..400).contains(&low), "{low}");
    }
}
