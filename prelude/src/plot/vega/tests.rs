//! What the specifications of charts say. `tests/e2e/test_charts.py` compares them with the schema of Vega-Lite, and draws them.

use super::super::kinds;
use super::*;
use crate::cell::representations_of;
use crate::plot::Plot;
use crate::rich::with_pictures_only;
use crate::{bar, contour, fill_between, hist, imshow, plot, scatter};

fn spec(plot: &Plot) -> Value {
    of_chart(plot.chart()).unwrap()
}

/// The layers with this mark.
fn layers<'s>(spec: &'s Value, mark: &str) -> Vec<&'s Value> {
    spec["layer"].as_array().unwrap().iter().filter(|layer| layer["mark"]["type"] == mark).collect()
}

/// The layer of places under the pointer: it is the last one.
fn places(spec: &Value) -> &Vec<Value> {
    spec["layer"].as_array().unwrap().last().unwrap()["data"]["values"].as_array().unwrap()
}

#[test]
fn a_curve_has_its_numbers_and_its_look() {
    let curve =
        plot((&[3.0, 1.0, 2.0], &[1.0, f64::NAN, 5.0])).color("red").linestyle("--").label("up").xlabel("t").title("T");
    let spec = spec(&curve);
    let [line] = layers(&spec, "line")[..] else { panic!("{spec}") };
    assert_eq!(
        line["data"]["values"],
        json!([{ "x": 3.0, "y": 1.0 }, { "x": 1.0, "y": null }, { "x": 2.0, "y": 5.0 }])
    );
    assert_eq!((&line["mark"]["color"], &line["mark"]["order"]), (&json!("#ff0000"), &json!(false)));
    assert_eq!(line["mark"]["strokeDash"].as_array().unwrap().len(), 2);
    assert_eq!((&line["encoding"]["x"]["title"], &line["encoding"]["y"]["title"]), (&json!("t"), &Value::Null));
    assert_eq!(spec["title"], "T");
    // The gap has no numbers.
    assert_eq!(places(&spec).len(), 2);
    assert_eq!(places(&spec)[1], json!({ "x": 2.0, "y": 5.0, "at": "2", "height": "5", "label": "up" }));
    let legend = layers(&spec, "point")[0];
    assert_eq!(legend["encoding"]["fill"]["scale"], json!({ "domain": ["up"], "range": ["#ff0000"] }));
}

#[test]
fn long_curves_keep_their_form_and_few_points() {
    let mut y: Vec<f64> = (0..100_000).map(|i| (f64::from(i) * 1e-3).sin()).collect();
    (y[31_415], y[77_777]) = (9.0, -9.0);
    let spec = spec(&plot(&y));
    let values = layers(&spec, "line")[0]["data"]["values"].as_array().unwrap();
    assert!((1000..=4 * 640).contains(&values.len()), "{}", values.len());
    for (x, y) in [(0, 0.0), (31_415, 9.0), (77_777, -9.0), (99_999, (99.999f64).sin())] {
        assert!(values.contains(&json!({ "x": f64::from(x), "y": y })), "{x}");
    }
    assert!(places(&spec).len() <= MOST_PLACES && spec.to_string().len() < 500_000);
}

#[test]
fn what_is_too_much_for_a_client_is_drawn_here() {
    let rough: Vec<f64> = (0..100_000).map(|i| f64::from(i * 7919 % 10_007)).collect();
    let ascending: Vec<f64> = (0..100_000).map(f64::from).collect();
    let noise =
        ndarray::Array2::from_shape_fn((300, 300), |(row, column)| ((row * 7919 + column * 104_729) % 1009) as f64);
    let many_curves = (0..90).fold(Plot::new(), |many, at| many.plot(&[at, 2 * at, at]));
    let rough_curves = (0..8).fold(Plot::new(), |many, _| many.plot(&rough));
    for (name, plot, are_drawn) in [
        ("one curve", plot(&rough), false),
        ("rough curves", rough_curves, true),
        ("curves", many_curves, true),
        ("to and fro", plot((&rough, &ascending)), true),
        ("points", scatter(&ascending, &rough).c(&rough), true),
        ("bars", bar(&ascending, &rough), true),
        ("area", fill_between(&ascending, &rough, -1.0), true),
        ("area to and fro", fill_between(&rough, &ascending, -1.0), true),
        ("errors", crate::errorbar(&ascending, &rough).yerr(&rough).capsize(2.0).alpha(0.5), true),
        ("contours", contour(&noise), true),
        ("mesh", crate::pcolormesh(&noise), true),
        ("logarithmic", scatter(&ascending, &rough).xscale("log").yscale("log"), true),
        ("logarithmic picture", imshow(&noise).yscale("log"), true),
    ] {
        let spec = spec(&plot);
        let sheets = layers(&spec, "image");
        assert_eq!(sheets.is_empty(), !are_drawn, "{name}");
        assert!(
            spec.to_string().len() <= MOST_BYTES && spec["layer"].as_array().unwrap().len() <= MOST_LAYERS + 4,
            "{name}"
        );
        assert!((100..=MOST_PLACES).contains(&places(&spec).len()), "{name}: {}", places(&spec).len());
        let Some(sheet) = sheets.first() else { continue };
        let file = BASE64.decode(sheet["mark"]["url"].as_str().unwrap().split_once(',').unwrap().1).unwrap();
        let pixels = ::image::load_from_memory(&file).unwrap().into_rgba8();
        let opaque = pixels.pixels().filter(|pixel| pixel.0[3] > 0).count();
        assert!(opaque > 100 && opaque <= pixels.len() / 4, "{name}: {opaque} of {}", pixels.len() / 4);
        // It lies between the ends of the axes.
        let layout = png::layout(plot.chart(), Box2 { left: 0, top: 0, width: 640, height: 420 });
        assert_eq!(sheet["data"]["values"], json!([{ "x": layout.x.min, "y": layout.y.max }]), "{name}");
    }
    // A few numbers beside many are still the client's to draw.
    let both = spec(&scatter(&ascending, &rough).plot(&[1, 2, 3]));
    assert_eq!((layers(&both, "image").len(), layers(&both, "line").len()), (1, 1));
}

#[test]
fn bars_stand_where_their_names_are() {
    let spec = spec(&bar(&["host", "a \"device\""], &[120.0, 3.5]).ylabel("ms").yscale("log"));
    let [bars] = layers(&spec, "rect")[..] else { panic!("{spec}") };
    let ground = bars["data"]["values"][0]["y"].as_f64().unwrap();
    assert!(ground > 0.0 && bars["data"]["values"][1]["y2"] == 3.5);
    assert_eq!(bars["encoding"]["x"]["axis"]["labelExpr"], r#"["host","a \"device\""][datum.value]"#);
    assert_eq!((&places(&spec)[0]["at"], &places(&spec)[0]["height"]), (&json!("host"), &json!("120")));
    let counts = self::spec(&hist(&[1, 2, 2, 4]).bins(3));
    assert_eq!(places(&counts).iter().map(|place| &place["height"]).collect::<Vec<_>>(), ["1", "2", "1"]);
}

#[test]
fn a_picture_is_one_and_tells_the_numbers_of_its_cells() {
    let image = ndarray::array![[0.0, 1.0, 2.0], [3.0, 4.0, f64::NAN]];
    for (origin, row) in [("upper", 1.0), ("lower", 1.0)] {
        let spec = spec(&imshow(&image).origin(origin).colorbar_label("counts"));
        let [picture] = layers(&spec, "image")[..] else { panic!("{spec}") };
        let address = picture["mark"]["url"].as_str().unwrap().strip_prefix("data:image/png;base64,").unwrap();
        let png = ::image::load_from_memory(&BASE64.decode(address).unwrap()).unwrap().to_rgb8();
        assert_eq!(png.dimensions(), (3, 2));
        let last =
            places(&spec).iter().find(|place| (place["x"].as_f64(), place["y"].as_f64()) == (Some(0.0), Some(row)));
        assert_eq!(last.unwrap()["number"], "3");
        let places = places(&spec);
        assert_eq!(places.len(), 6);
        assert!(places.iter().any(|place| place["number"] == "nan" || place["number"] == "NaN"), "{places:?}");
        // Row 0 is at the upper edge, and the y axis goes down; or both are the other way round.
        let dark = imshow(&image).chart().series[0].colors.as_ref().unwrap().at(0.0);
        let (x, y) = (0, if origin == "upper" { 0 } else { 1 });
        assert_eq!(png.get_pixel(x, y).0, dark, "{origin}");
        assert_eq!(picture["encoding"]["y"]["scale"]["reverse"], origin == "upper");
        let bar = layers(&spec, "point")[0];
        assert_eq!(
            (&bar["encoding"]["color"]["title"], &bar["encoding"]["color"]["scale"]["domain"]),
            (&json!("counts"), &json!([0.0, 4.0]))
        );
    }
    let large = ndarray::Array2::from_shape_fn((3000, 2000), |(i, j)| ((i * 7919 + j * 104_729) % 1009) as f64);
    let spec = spec(&imshow(&large));
    assert!(places(&spec).len() <= MOST_PLACES && spec.to_string().len() <= MOST_BYTES);
}

#[test]
fn what_is_hard_to_draw_is_no_harm() {
    let all = kinds::hard_to_draw();
    let specs: Vec<Value> = all.iter().filter_map(|plot| of_chart(plot.chart())).collect();
    assert!(specs.len() > 10, "{} of {}", specs.len(), all.len());
    for spec in &specs {
        assert!(spec.to_string().len() <= MOST_BYTES && !places(spec).is_empty());
        // Each place is on both axes.
        let has_place = |place: &Value| place["x"].is_number() && place["y"].is_number();
        assert!(places(spec).iter().all(has_place), "{spec}");
    }
    for plot in [plot(&[f64::MIN, f64::MAX]), plot(&[1e16, 1e16 + 2.0]), plot(&[f64::NAN])] {
        assert!(of_chart(plot.chart()).is_none(), "{plot}");
    }
}

#[test]
fn all_marks_are_layers_and_series_keep_their_order() {
    let table = ndarray::array![[0.0, 1.0], [2.0, 3.0]];
    let mixed = fill_between(&[0, 1], 0.0, 1.0)
        .alpha(0.3)
        .errorbar(&[0, 1], &[1, 2])
        .yerr(0.5)
        .marker("x")
        .axhline(1)
        .axvline(1)
        .contour(&table)
        .grid(true);
    let spec = spec(&mixed);
    let marks: Vec<&str> =
        spec["layer"].as_array().unwrap().iter().map(|layer| layer["mark"]["type"].as_str().unwrap()).collect();
    assert_eq!(marks[..6], ["area", "rule", "line", "point", "rule", "rule"], "{marks:?}");
    assert_eq!(layers(&spec, "area")[0]["mark"]["opacity"], 0.3);
    assert!(layers(&spec, "line").len() > 1 && layers(&spec, "line")[0]["encoding"]["x"]["axis"]["grid"] == true);
    let _ = contour(&table);
}

#[test]
fn areas_tell_the_numbers_of_their_edges() {
    let spec = spec(&fill_between(&[0, 1], &[-1.0, -2.0], &[1.0, f64::NAN]));
    let places: Vec<_> = places(&spec).iter().map(|place| (place["x"].as_f64(), place["y"].as_f64())).collect();
    assert_eq!(places, [(Some(0.0), Some(-1.0)), (Some(1.0), Some(-2.0)), (Some(0.0), Some(1.0))]);
}

#[test]
fn plots_of_a_grid_have_names_of_their_own() {
    let image = ndarray::array![[0.0, 1.0], [2.0, 3.0]];
    let grid =
        |plots: Vec<Plot>| representations_of(&crate::subplots((2, 2), plots).suptitle("All")).unwrap().remove(MIME);
    let spec = grid(vec![imshow(&image), plot(&[1, 2]).title("one"), bar(&["a", "b"], &[1, 2])]).unwrap();
    assert_eq!((&spec["columns"], &spec["title"]["text"]), (&json!(2), &json!("All")));
    let views = spec["concat"].as_array().unwrap();
    assert_eq!(views.len(), 3);
    let text = spec.to_string();
    for (index, view) in views.iter().enumerate() {
        assert_eq!(view["name"], format!("chart{index}"));
        assert!(view.get("config").is_none() && view["width"].as_u64().unwrap() < 480, "{view}");
        // No two parameters have one name, or a client draws nothing.
        for param in ["view", "near"] {
            assert_eq!(text.matches(&format!("\"name\":\"{param}chart{index}\"")).count(), 1, "{text}");
        }
    }
    let width = views[0]["layer"][0]["mark"]["width"]["expr"].as_str().unwrap();
    assert!(width.starts_with("abs(scale('chart0_x', "), "{width}");
    assert_eq!(views[1]["title"], "one");
    // One that is hard to draw makes all of them a picture.
    assert!(grid(vec![plot(&[1, 2]), plot(&[f64::MIN, f64::MAX])]).is_none());
}

#[test]
fn frames_are_pictures() {
    let shown = || representations_of(&plot(&[1.0, 2.0])).unwrap();
    assert!(shown().contains_key(MIME));
    let frame = with_pictures_only(shown);
    assert!(frame.contains_key("image/png") && !frame.contains_key(MIME));
    assert!(shown().contains_key(MIME), "only there");
}
