//! Plots as pictures: what is drawn where, and that nothing odd makes drawing fail.

use super::{Plot, bar, hist, plot, scatter};
use ::image::{Rgb, RgbImage};
use std::time::Instant;

fn picture(plot: &Plot) -> RgbImage {
    ::image::load_from_memory(plot.png()).unwrap().into_rgb8()
}

/// Set `WARPCELL_SAVE_FIGURES` to a folder to look at what the tests draw.
fn save(plot: &Plot, name: &str) {
    if let Ok(folder) = std::env::var("WARPCELL_SAVE_FIGURES") {
        std::fs::write(format!("{folder}/plot_{name}.png"), plot.png()).unwrap();
    }
}

const BLUE: Rgb<u8> = Rgb([0x1f, 0x77, 0xb4]);
const ORANGE: Rgb<u8> = Rgb([0xff, 0x7f, 0x0e]);
const WHITE: Rgb<u8> = Rgb([255; 3]);

/// Leftmost, topmost, rightmost and lowest pixel of a colour, and how many there are.
fn extent(picture: &RgbImage, color: Rgb<u8>) -> ([u32; 4], usize) {
    let found = picture.enumerate_pixels().filter(|(_, _, pixel)| **pixel == color);
    found.fold(([u32::MAX, u32::MAX, 0, 0], 0), |([left, top, right, low], count), (x, y, _)| {
        ([left.min(x), top.min(y), right.max(x), low.max(y)], count + 1)
    })
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
    let (highest, lower) = (*heights.iter().max().unwrap(), heights[(0..400).find(|&x| heights[x] > 60).unwrap() + 3]);
    assert!((highest as f64 / lower as f64 - 2.0).abs() < 0.1, "{highest} and {lower}");
    assert_eq!(plot.to_string(), "Plot: 2 bars, 1 bars");
    save(&plot, "bars");
}

#[test]
fn a_curve_goes_where_its_numbers_are() {
    let plot = plot((&[0.0, 1.0, 2.0], &[0.0, 0.0, 1.0])).linewidth(3.0).color("#ff0000");
    let image = picture(&plot);
    let ([left, top, right, low], count) = extent(&image, Rgb([255, 0, 0]));
    assert_eq!(image.dimensions(), (640, 420));
    assert!(count > 500 && left < 100 && right > 550 && top < 60 && low > 320, "{left} {top} {right} {low} {count}");
    // The first half is level, at the bottom.
    let reds = |x: u32| (0..420).filter(|&y| *image.get_pixel(x, y) == Rgb([255, 0, 0])).collect::<Vec<_>>();
    assert!(reds(left + 50).iter().all(|&y| y + 5 > low) && !reds(left + 50).is_empty());
    assert_eq!(*image.get_pixel(0, 0), WHITE);
}

#[test]
fn axes_can_be_logarithmic() {
    let y: Vec<f64> = (0..5).map(|power| 10f64.powi(power)).collect();
    let plot = plot(&y).yscale("log").marker("o").grid(true).title("Powers").xlabel("power").ylabel("value");
    save(&plot, "log");
    // On a logarithmic axis powers lie on a straight line: the middle marker is in the middle.
    let ([left, top, right, low], _) = extent(&picture(&plot), BLUE);
    let image = picture(&plot);
    let (x, y) = ((left + right) / 2, (top + low) / 2);
    assert_eq!(*image.get_pixel(x, y), BLUE);
    for plot in [
        super::plot(&[-1.0, 0.0, 5.0]).yscale("log"),
        super::plot(&[-1.0, 0.0]).yscale("log").xscale("log"),
        super::plot(&[1.0, 2.0]).yscale("log").ylim(0.0, 10.0),
        bar(&[1, 2], &[10, 100]).yscale("log"),
        hist(&[1, 2, 2]).xscale("log").yscale("log"),
    ] {
        picture(&plot);
    }
}

#[test]
fn a_histogram_fills_its_bins() {
    let values: Vec<f64> =
        (0..10_000).map(|i| ((i * 7919 % 10_007) as f64 / 10_007.0 - 0.5) * 6.0).map(f64::tanh).collect();
    let plot = hist(&values).bins(30).title("tanh").label("density").density(true).hist(&[0.0, 0.1]).alpha(0.5);
    save(&plot, "hist");
    assert_eq!(
        plot.to_string(),
        "Plot \"tanh\": histogram of 10000 values in 30 bins, histogram of 2 values in 10 bins"
    );
    let single = super::hist(&[1.0, 2.0]).bins(1);
    let ([left, _, right, _], count) = extent(&picture(&single), BLUE);
    assert!(right - left > 400 && count > 100_000, "{left} to {right}, {count} pixels");
}

#[test]
fn odd_numbers_are_drawn_all_the_same() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for plot in [
        plot(&[nan, nan]),
        plot(&[1.0, nan, 3.0, inf, 2.0, 2.5]).marker("x"),
        plot(&[5.0]),
        plot(&[f64::MIN, f64::MAX]),
        plot(&[1e-310, 2e-310]),
        plot(&[1e16, 1e16 + 2.0]),
        plot((&[-1e300, 1e300], &[0.0, 1.0])).xlim(0.0, 1.0).linestyle("--"),
        scatter(&[inf, 1.0], &[1.0, nan]),
        scatter(&[1e300, 1.0], &[1.0, 2.0]).xlim(0.0, 2.0),
        bar(&["a", "b"], &[nan, inf]),
        bar(&["a"], &[0.0]),
        bar(&[1.0, 1.0], &[1.0, 2.0]),
        bar(&[nan, 1.0], &[1.0, 2.0]),
        hist(&[nan, inf]),
        hist(&[f64::MIN, f64::MAX]),
        hist(&[1.0]).bins(100_000),
        plot(&[1, 2]).size(200, 150).title("A title that is longer than the plot is wide").ylabel("y").label("l"),
        plot(&[1, 2]).size(3000, 2000),
    ] {
        picture(&plot);
    }
}

#[test]
fn large_curves_are_drawn_fast() {
    let y: Vec<f32> =
        (0..1_000_000u64).map(|i| (i as f32 / 30_000.0).sin() + (i * 7919 % 1009) as f32 / 1009.0).collect();
    let start = Instant::now();
    let curve = plot(&y).title("A million points");
    curve.png();
    let drawn = start.elapsed();
    save(&curve, "million");
    let start = Instant::now();
    let x: Vec<usize> = (0..y.len()).collect();
    let points = scatter(&x, &y).markersize(1.5);
    points.png();
    save(&points, "million_points");
    println!("a million points as a curve in {drawn:?}, as points in {:?}", start.elapsed());
}

#[test]
fn pictures_to_look_at() {
    let x = crate::linspace(0.0, 6.3, 200);
    let waves = plot((&x, &x.sin())).label("sin").plot((&x, &x.cos())).label("cos").linestyle("--");
    let waves = waves.plot((&x, &(&x * 0.2))).linestyle(":").label("x / 5").plot((&x, &(&x * -0.1))).linestyle("-.");
    save(&waves.label("−x / 10").title("Äußere Wellen").xlabel("Zeit / µs").ylabel("Amplitude"), "waves");
    let angle: Vec<f64> = (0..300).map(|i| f64::from(i) * 0.1).collect();
    let (x, y): (Vec<f64>, Vec<f64>) = angle.iter().map(|t| (t * t.cos(), t * t.sin())).unzip();
    let mut spiral = scatter(&x, &y).label("spiral").alpha(0.6).grid(true);
    for (row, sign) in ["o", ".", "s", "^", "v", "D", "x", "+"].iter().enumerate() {
        spiral = spiral.scatter(&[40.0, 44.0], &[4.0 * row as f64 - 14.0; 2]).marker(sign).markersize(12.0);
    }
    save(&spiral.size(700, 500), "spiral");
    let names: Vec<String> = (0..30).map(|i| format!("category {i}")).collect();
    let heights: Vec<i32> = (0..30).map(|i| 1000 * i * i).collect();
    save(&bar(&names, &heights).ylabel("a count"), "many_bars");
    save(&plot(&[1, 2]).size(200, 150), "tiny");
}

#[test]
#[should_panic(expected = "plot: x has 2 values and y has 1; give both the same number")]
fn lengths_that_differ_panic() {
    let _ = plot(&[1, 2]).plot((&[1, 2], &[1]));
}

#[test]
#[should_panic(expected = "hist: the shape [0] has no values; give at least one")]
fn nothing_to_draw_panics() {
    let _ = hist(&Vec::<f64>::new());
}

#[test]
#[should_panic(expected = "Plot::bins: the last series is not a histogram; call it directly after `hist`")]
fn bins_of_a_curve_panic() {
    let _ = plot(&[1, 2]).bins(3);
}

#[test]
#[should_panic(expected = "Plot::marker: the last series has bars, which have neither lines nor markers; call it \
                           directly after `plot` or `scatter`")]
fn markers_of_bars_panic() {
    let _ = bar(&["a"], &[1]).marker("o");
}

#[test]
#[should_panic(expected = "Plot::yscale: there is no scale \"symlog\"; use \"linear\" or \"log\"")]
fn unknown_scales_panic() {
    let _ = plot(&[1, 2]).yscale("symlog");
}
