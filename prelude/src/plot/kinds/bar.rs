//! Bars: [`bar`].

use super::super::values::{Categories, Places, Values, pair};
use super::super::{builder::Plot, chart::PlotKind, look::Look, mark::Bar, mark::Mark};
use crate::error::{Result, check};

/// Bars on 0.
#[derive(Clone, Debug)]
struct Bars {
    places: Vec<f64>,
    heights: Vec<f64>,
    width: f64,
}

impl PlotKind for Bars {
    fn name(&self) -> &'static str {
        "bar"
    }

    fn describe(&self, _look: &Look) -> String {
        format!("{} bars", self.heights.len())
    }

    fn marks(&self, _look: &Look) -> Vec<Mark<'_>> {
        let half = self.width / 2.0;
        let bar = |(&place, &height): (&f64, &f64)| Bar { left: place - half, right: place + half, height };
        vec![Mark::Bars(self.places.iter().zip(&self.heights).map(bar).collect())]
    }
}

/// Draws bars, as matplotlib's `bar` does.
///
/// `x`: the names below the bars, or the numbers above which they stand. `heights`: one number for each; what is not
/// finite gets no bar.
///
/// **Panics** if there are no values, or not as many of `x` as of `heights`.
///
/// ```
/// warpcell::bar(&["host", "device"], &[120.0, 3.5]).ylabel("ms").show();
/// ```
#[track_caller]
pub fn bar<X: Categories + ?Sized, H: Values + ?Sized>(x: &X, heights: &H) -> Plot {
    check(try_bar(x, heights))
}

/// As [`bar`], but returns the error.
///
/// ```
/// let error = warpcell::try_bar(&["host", "device"], &[120.0]).unwrap_err();
/// assert_eq!(error.to_string(), "bar: x has 2 values and heights has 1; give both the same number");
/// ```
pub fn try_bar<X: Categories + ?Sized, H: Values + ?Sized>(x: &X, heights: &H) -> Result<Plot> {
    Plot::new().with_bars(x.places()?, heights.values("bar")?)
}

impl Plot {
    /// Adds bars. See [`bar`].
    ///
    /// ```
    /// warpcell::bar(&["a", "b"], &[1, 2]).label("first").bar(&["c"], &[3]).label("second").show();
    /// ```
    #[track_caller]
    pub fn bar<X: Categories + ?Sized, H: Values + ?Sized>(self, x: &X, heights: &H) -> Plot {
        check(self.with_bars(check(x.places()), check(heights.values("bar"))))
    }

    fn with_bars(self, places: Places, heights: Vec<f64>) -> Result<Plot> {
        let mut names = self.chart().names.clone();
        let places = match places {
            Places::At(places) => places,
            // A name has one place, wherever it comes from.
            Places::Named(new) => new.into_iter().map(|name| place_of(&mut names, name)).collect(),
        };
        let (places, heights) = pair("bar", ["x", "heights"], places, heights)?;
        let mut sorted: Vec<f64> = places.iter().copied().filter(|place| place.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let distances = sorted.windows(2).map(|pair| pair[1] - pair[0]).filter(|&distance| distance > 0.0);
        let least = distances.fold(f64::INFINITY, f64::min);
        let width = 0.8 * if least.is_finite() { least } else { 1.0 };
        Ok(self.with(|chart| chart.names = names).with_series(Bars { places, heights, width }))
    }
}

/// The place of a name on the x axis.
fn place_of(names: &mut Vec<String>, name: String) -> f64 {
    let place = names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    });
    place as f64
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::super::tests::{BLUE, ORANGE, extent, picture, save};
    use super::*;

    pub fn hard_to_draw() -> Vec<Plot> {
        let (nan, inf) = (f64::NAN, f64::INFINITY);
        vec![
            bar(&["a", "b"], &[nan, inf]),
            bar(&["a"], &[0.0]),
            bar(&[1.0, 1.0], &[1.0, 2.0]),
            bar(&[nan, 1.0], &[1.0, 2.0]),
            bar(&[1, 2], &[10, 100]).yscale("log"),
        ]
    }

    #[test]
    fn bars_have_the_heights_of_their_numbers() {
        let plot = bar(&["a", "b"], &[1.0, 2.0]).size(400, 300).label("first").bar(&["c"], &[-1.0]).label("second");
        let image = picture(&plot);
        let ([_, top, _, ground], _) = extent(&image, BLUE);
        let ([left, _, right, low], _) = extent(&image, ORANGE);
        // The legend has a piece of each colour, but lies between the highest and the lowest bar.
        assert!(left > 100 && right > left && low > ground && top < ground);
        let column = |x: u32| (0..300).filter(|&y| *image.get_pixel(x, y) == BLUE).count();
        let heights: Vec<usize> = (0..400).map(column).collect();
        let (highest, lower) =
            (*heights.iter().max().unwrap(), heights[(0..400).find(|&x| heights[x] > 60).unwrap() + 3]);
        assert!((highest as f64 / lower as f64 - 2.0).abs() < 0.1, "{highest} and {lower}");
        assert_eq!(plot.to_string(), "Plot: 2 bars, 1 bars");
        save(&plot, "plot_bars");
        let names: Vec<String> = (0..30).map(|i| format!("category {i}")).collect();
        let heights: Vec<i32> = (0..30).map(|i| 1000 * i * i).collect();
        save(&bar(&names, &heights).ylabel("a count"), "plot_many_bars");
    }

    #[test]
    #[should_panic(
        expected = "Plot::marker: the last series is `bar`, which has no markers; call it directly after `plot`, \
                               `scatter` or `errorbar`"
    )]
    fn markers_of_bars_panic() {
        let _ = bar(&["a"], &[1]).marker("o");
    }
}
