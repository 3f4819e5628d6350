//! Plots as pictures: what is drawn where, and that nothing odd makes drawing fail.

use super::{Plot, kinds, plot, png, scatter};
use ::image::{Rgb, RgbImage};
use ndarray::{Array2, Array3};
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
        picture(&plot.title("title").ylim(-1.0, 1.0).grid(true).size(300, 200));
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

#[test]
fn plots_stand_in_a_grid() {
    let noise = Array2::from_shape_fn((32, 32), |(i, j)| (i * 37 + j * 101) % 255);
    let wave = plot(&[0.0, 1.0, 0.0, -1.0]).title("Wave").xlabel("x").ylabel("y").label("wave");
    let image = crate::imshow(&noise).title("Noise");
    let figure = super::subplots((1, 2), [image.clone(), wave.clone()]).suptitle("Two");
    assert_eq!(
        figure.to_string(),
        "Subplots \"Two\" 1×2: Figure: image 32×32 usize, min 0, max 254; Plot \"Wave\": line of 4 points"
    );
    let save_grid = |figure: &super::Subplots, name: &str| {
        if let Ok(folder) = std::env::var("WARPCELL_SAVE_FIGURES") {
            std::fs::write(format!("{folder}/{name}.png"), figure.png()).unwrap();
        }
        ::image::load_from_memory(figure.png()).unwrap().into_rgb8()
    };
    assert_eq!(save_grid(&figure, "grid_1x2").dimensions(), (880, 330));
    let all = [image.clone(), wave.clone(), crate::hist(&noise).bins(20), wave.clone().grid(true), image];
    let picture = save_grid(&super::subplots((2, 3), all), "grid_2x3");
    assert_eq!(picture.dimensions(), (960, 480));
    // The first and the last plot are pictures, the last place is empty.
    assert_eq!(*picture.get_pixel(800, 400), WHITE);
    save_grid(&super::subplots((3, 1), [wave.clone(), wave.clone(), wave.clone()]), "grid_3x1");
    save_grid(&super::subplots((40, 40), [wave.clone()]).size(200, 150), "grid_tiny");
    let message = |count: usize, shape| super::try_subplots(shape, vec![wave.clone(); count]).unwrap_err().to_string();
    assert_eq!(
        message(3, (0, 2)),
        "subplots: a grid of 0×2 has no place for 3 plots; write `gpu::subplots((1, 3), …)`"
    );
    assert_eq!(message(0, (1, 1)), "subplots: there are no plots; write `gpu::subplots((1, 2), [first, second])`");
}

#[test]
fn a_colour_can_stand_for_a_number() {
    let (x, y): (Vec<f64>, Vec<f64>) = (0..200).map(f64::from).map(|t| (0.1 * t * t.sin(), 0.1 * t * t.cos())).unzip();
    let numbers: Vec<i32> = (0..200).collect();
    let plot = scatter(&x, &y).c(&numbers).cmap("plasma").colorbar_label("step").title("Colours").label("points");
    save(&plot, "plot_colours");
    let plot = scatter(&[1, 2], &[1, 2]).c(&[0, 1]).cmap("plasma").colorbar(false);
    let image = picture(&plot);
    let has = |color: [u8; 3]| image.pixels().filter(|pixel| pixel.0 == color).count() > 10;
    assert!(has([0x0d, 0x08, 0x87]) && has([0xf0, 0xf9, 0x21]), "both ends of plasma");
    assert!(!picture(&plot.color("red")).pixels().any(|pixel| pixel.0 == [0x0d, 0x08, 0x87]), "one colour for all");
}

#[test]
#[should_panic(
    expected = "Plot::cmap: the colours of the last series, `plot`, do not stand for numbers; call it directly \
                           after `imshow`, `contour` or `c`"
)]
fn a_colour_map_of_a_curve_panics() {
    let _ = plot(&[1, 2]).cmap("gray");
}

#[test]
#[should_panic(expected = "Plot::c: x has 2 values and c has 1; give both the same number")]
fn colours_of_another_number_panic() {
    let _ = scatter(&[1, 2], &[1, 2]).c(&[1]);
}

#[test]
#[should_panic(expected = "Plot::label: the plot has nothing in it yet")]
fn a_look_of_nothing_panics() {
    let _ = Plot::new().label("nothing");
}

#[test]
fn pictures_have_their_own_colours() {
    let colours = Array3::from_shape_fn((2, 2, 3), |(i, j, channel)| if channel == i + j { 255u8 } else { 0 });
    for plot in [
        crate::imshow(&colours),
        crate::imshow(&crate::asarray(&colours)),
        crate::imshow(&colours.mapv(|x| f32::from(x) / 255.0)),
    ] {
        let image = picture(&plot);
        for (count, color) in [(1, [255, 0, 0]), (2, [0, 255, 0]), (1, [0, 0, 255])] {
            let found = image.pixels().filter(|pixel| pixel.0 == color).count() as u32;
            assert_eq!(found, count * 185 * 185, "{color:?} of {plot}");
        }
    }
    let half = Array3::from_shape_fn((1, 1, 4), |(_, _, channel)| [1.0, 0.0, 0.0, 0.5][channel]);
    let image = picture(&crate::imshow(&half));
    assert!(
        image.pixels().filter(|pixel| pixel.0 == [255, 128, 128]).count() > 10_000,
        "half transparent red on white"
    );
    save(&crate::imshow(&colours).title("Colours").plot((&[0, 1], &[0, 1])).color("w").marker("o"), "colours");
}

#[test]
fn a_single_point_is_a_dot_and_dashes_leave_gaps() {
    let blue = |plot: Plot| extent(&picture(&plot), BLUE);
    let ([left, top, right, low], count) = blue(plot(&[1.0]).linewidth(9.0));
    assert!((7..=9).contains(&(right - left)) && low - top == right - left && count > 40, "{left} to {right}");
    let level = [0.0, 0.0];
    let (whole, dashed) = (blue(plot(&level).linewidth(5.0)).1, blue(plot(&level).linewidth(5.0).linestyle("--")).1);
    assert!((0.6..0.75).contains(&(dashed as f64 / whole as f64)), "{dashed} of {whole}");
    // More dashes than can be counted.
    let dense: Vec<u32> = (0..2000).map(|i| i % 2).collect();
    let image = picture(&plot(&dense).size(2000, 1000).linewidth(0.3).linestyle(":"));
    assert!(*image.get_pixel(1000, 500) != WHITE);
}

#[test]
fn a_chart_is_data_for_any_renderer() {
    let plot = crate::errorbar(&[1, 2], &[3, 4]).yerr(&[0.5, 1.0]).linestyle("--").bar(&["a"], &[2]).axhline(1);
    let marks: Vec<String> =
        plot.chart().series.iter().flat_map(|series| series.marks()).map(|mark| format!("{mark:?}")).collect();
    expect_test::expect![[r#"
        Sticks { x: ([1.0, 2.0], [1.0, 2.0]), y: ([2.5, 3.0], [3.5, 5.0]), stroke: Stroke { style: Solid, width: 1.6 } }
        Line { x: [1.0, 2.0], y: [3.0, 4.0], stroke: Stroke { style: Dashed, width: 1.6 }, number: None }
        Bars([Bar { left: -0.4, right: 0.4, height: 2.0 }])
        Rule { axis: Y, at: 1.0, stroke: Stroke { style: Solid, width: 1.6 } }"#]]
    .assert_eq(&marks.join("\n"));
    assert_eq!(plot.chart().names, ["a"]);
}

#[test]
fn frames_keep_their_size() {
    let frame = |factor: f64| {
        let image = Array2::from_shape_fn((20, 30), |(i, j)| factor * (i * j) as f64);
        let plot = crate::imshow(&image).title(format!("times {factor}"));
        (
            picture(&plot).dimensions(),
            png::layout(plot.chart(), png::Box2 { left: 0, top: 0, width: 600, height: 400 }).inside,
        )
    };
    assert_eq!(frame(1.0), frame(-0.004));
    assert_eq!(frame(1.0).0, frame(1.2345e-97).0);
    let inside = |factor: f64| {
        png::layout(plot(&[0.0, factor]).chart(), png::Box2 { left: 0, top: 0, width: 640, height: 420 }).inside
    };
    assert_eq!(inside(1.0), inside(-30.0));
}
