//! Plots as pictures: what is drawn where, and that nothing odd makes drawing fail.

use super::{Plot, kinds, plot, png, scatter};
use ::image::{Rgb, RgbImage};
use std::time::Instant;

pub(super) fn picture(plot: &Plot) -> RgbImage {
    ::image::load_from_memory(plot.png()).unwrap().into_rgb8()
}

/// Set `WARPCELL_SAVE_FIGURES` to a folder to look at what the tests draw.
pub(super) fn save(plot: &Plot, name: &str) {
    if let Ok(folder) = std::env::var("WARPCELL_SAVE_FIGURES") {
        std::fs::write(format!("{folder}/{name}.png"), plot.png()).unwrap();
    }
}

pub(super) const BLUE: Rgb<u8> = Rgb([0x1f, 0x77, 0xb4]);
pub(super) const ORANGE: Rgb<u8> = Rgb([0xff, 0x7f, 0x0e]);
pub(super) const WHITE: Rgb<u8> = Rgb([255; 3]);

/// Leftmost, topmost, rightmost and lowest pixel of a colour, and how many there are.
pub(super) fn extent(picture: &RgbImage, color: Rgb<u8>) -> ([u32; 4], usize) {
    let found = picture.enumerate_pixels().filter(|(_, _, pixel)| **pixel == color);
    found.fold(([u32::MAX, u32::MAX, 0, 0], 0), |([left, top, right, low], count), (x, y, _)| {
        ([left.min(x), top.min(y), right.max(x), low.max(y)], count + 1)
    })
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
    save(&plot, "plot_log");
    // On a logarithmic axis powers lie on a straight line: the middle marker is in the middle.
    let ([left, top, right, low], _) = extent(&picture(&plot), BLUE);
    let image = picture(&plot);
    let (x, y) = ((left + right) / 2, (top + low) / 2);
    assert_eq!(*image.get_pixel(x, y), BLUE);
}

#[test]
fn numbers_that_are_hard_to_draw_are_drawn() {
    for plot in kinds::hard_to_draw() {
        let size = png::size(plot.chart());
        assert_eq!(picture(&plot).dimensions(), size, "{plot}");
        picture(&plot.clone().xscale("log").yscale("log").label("label").alpha(0.5).size(200, 150));
        picture(&plot.title("title").ylim(-1.0, 1.0).grid(true));
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
    save(&curve, "plot_million");
    let start = Instant::now();
    let x: Vec<usize> = (0..y.len()).collect();
    let points = scatter(&x, &y).markersize(1.5);
    points.png();
    save(&points, "plot_million_points");
    println!("a million points as a curve in {drawn:?}, as points in {:?}", start.elapsed());
}

#[test]
fn pictures_to_look_at() {
    let x = crate::linspace(0.0, 6.3, 200);
    let waves = plot((&x, &x.sin())).label("sin").plot((&x, &x.cos())).label("cos").linestyle("--");
    let waves = waves.plot((&x, &(&x * 0.2))).linestyle(":").label("x / 5").plot((&x, &(&x * -0.1))).linestyle("-.");
    save(&waves.label("−x / 10").title("Äußere Wellen").xlabel("Zeit / µs").ylabel("Amplitude"), "plot_waves");
    let angle: Vec<f64> = (0..300).map(|i| f64::from(i) * 0.1).collect();
    let (x, y): (Vec<f64>, Vec<f64>) = angle.iter().map(|t| (t * t.cos(), t * t.sin())).unzip();
    let mut spiral = scatter(&x, &y).label("spiral").alpha(0.6).grid(true);
    for (row, sign) in ["o", ".", "s", "^", "v", "D", "x", "+"].iter().enumerate() {
        spiral = spiral.scatter(&[40.0, 44.0], &[4.0 * row as f64 - 14.0; 2]).marker(sign).markersize(12.0);
    }
    save(&spiral.size(700, 500), "plot_spiral");
    save(&plot(&[1, 2]).size(200, 150), "plot_tiny");
}

#[test]
#[should_panic(expected = "Plot::yscale: there is no scale \"symlog\"; use \"linear\" or \"log\"")]
fn unknown_scales_panic() {
    let _ = plot(&[1, 2]).yscale("symlog");
}
