//! Charts for clients that draw themselves: a specification in Vega-Lite, by which one can zoom, move what is shown, and see the numbers
//! under the pointer. Its series have the colours of the picture that stands beside it; the ground and the text have those of the client's theme.
//! A series with more points than a client draws quickly is drawn here: a picture with a transparent ground, which is stretched with the axes.

use super::axis::{Axis, Scale};
use super::chart::{Chart, Series};
use super::colormap::Rgb;
use super::image::Image;
use super::look::{Look, Marker, Stroke};
use super::mark::{Bar, Direction, Mark};
use super::png::{self, Box2, Layout, Sheet};
use crate::number::general;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value, json};

/// The type of the specification. JupyterLab 4 and VS Code draw it.
pub(super) const MIME: &str = "application/vnd.vegalite.v5+json";

/// The most bytes of a specification.
const MOST_BYTES: usize = 1_000_000;

/// The most points, bars and cells of a chart. A client draws so many quickly.
const MOST_POINTS: usize = 12_000;

/// The most layers of a chart.
const MOST_LAYERS: usize = 60;

/// The most places whose numbers are shown under the pointer.
const MOST_PLACES: usize = 2_500;

/// The most rows and columns of a picture whose numbers are shown. Of a larger one they are means.
const MOST_CELLS: usize = 48;

/// The ring around the place whose numbers are shown. It is seen on light and on dark ground.
const RING: &str = "#7f7f7f";

/// The specification of a chart. None where the picture alone shows it better: where it would be too long, or where numbers are too large
/// or too near to each other for a client's axes.
pub(super) fn of_chart(chart: &Chart) -> Option<Value> {
    let (width, height) = png::size(chart);
    let mut points = 0;
    whole(view(chart, (width, height), None, &mut points)?)
}

/// The specification of charts side by side, row by row, each in a part of this size. None as for one chart: where one of them, or all
/// together, are better as a picture.
pub(super) fn of_grid(columns: usize, charts: &[Chart], title: Option<&str>, size: (u32, u32)) -> Option<Value> {
    let mut points = 0;
    let views = charts.iter().enumerate().map(|(index, chart)| view(chart, size, Some(index), &mut points));
    let mut grid = json!({
        "columns": columns,
        "concat": views.collect::<Option<Vec<_>>>()?,
        // So the legend of each chart stands beside it.
        "resolve": { "scale": { "color": "independent", "fill": "independent" } },
    });
    if let Some(title) = title {
        grid["title"] = json!({ "text": title, "anchor": "middle" });
    }
    whole(grid)
}

/// A specification of what was put together. None if it is too long.
fn whole(mut spec: Value) -> Option<Value> {
    spec["$schema"] = json!("https://vega.github.io/schema/vega-lite/v5.json");
    spec["config"] = json!({
        // No colours: a client has its own ones for a light and for a dark theme.
        "axis": { "titleFontWeight": "normal", "labelFontSize": 12, "titleFontSize": 12 },
        "legend": { "titleFontWeight": "normal", "labelFontSize": 12, "titleFontSize": 12 },
        "title": { "fontSize": 15, "fontWeight": "normal" },
    });
    // Room for the button of the menu: VS Code takes away what Vega-Embed leaves for it, and it would cover the names beside the chart.
    spec["padding"] = json!({ "left": 5, "top": 5, "right": 28, "bottom": 5 });
    // A menu that saves the chart as a file, and sends it to no site.
    spec["usermeta"] = json!({ "embedOptions": { "actions": { "export": true, "source": false, "compiled": false, "editor": false } } });
    (spec.to_string().len() <= MOST_BYTES).then_some(spec)
}

/// A chart of this size, alone or as one of several, by its index. Adds to the number of points that are drawn.
fn view(chart: &Chart, (width, height): (u32, u32), index: Option<usize>, points: &mut usize) -> Option<Value> {
    let layout = png::layout(chart, Box2 { left: 0, top: 0, width, height });
    if !can_be_drawn(&layout.x) || !can_be_drawn(&layout.y) {
        return None;
    }
    let name = index.map_or_else(String::new, |index| format!("chart{index}"));
    let mut layers = Layers {
        chart,
        layout: &layout,
        name: &name,
        points: *points,
        layers: Vec::new(),
        places: Vec::new(),
        sheet: None,
    };
    chart.series.iter().for_each(|series| layers.add_series(series));
    layers.add_sheet();
    layers.add_legends();
    layers.add_places()?;
    *points = layers.points;
    let Box2 { width, height, .. } = layout.inside;
    let mut view = json!({ "width": width, "height": height, "layer": layers.layers });
    if !name.is_empty() {
        view["name"] = json!(name);
    }
    if let Some(title) = &chart.title {
        view["title"] = json!(title);
    }
    Some(view)
}

/// Whether a client has ticks for the axis.
fn can_be_drawn(axis: &Axis) -> bool {
    let (min, max) = (axis.min.min(axis.max), axis.min.max(axis.max));
    let largest = max.abs().max(min.abs());
    let has_room = match axis.scale {
        Scale::Linear => max - min > 1e-9 * largest && max - min > 1e-100,
        Scale::Log => min > 1e-100,
    };
    largest < 1e100 && has_room
}

/// A place whose numbers are shown under the pointer.
struct Place {
    x: f64,
    y: f64,
    /// The number for which the colour stands.
    number: Option<String>,
    label: Option<String>,
}

/// The layers of a chart, as they are made.
struct Layers<'c> {
    chart: &'c Chart,
    layout: &'c Layout,
    /// The chart's name among several, which is part of the names of its scales and of its parameters. Empty if it is alone.
    name: &'c str,
    /// How many points, bars and cells there are.
    points: usize,
    layers: Vec<Value>,
    places: Vec<Place>,
    /// The last series, if they are drawn here and not by the client.
    sheet: Option<Sheet<'c>>,
}

impl<'c> Layers<'c> {
    /// Adds a series: its marks, or a picture of them if a client cannot draw them, or not quickly.
    fn add_series(&mut self, series: &Series) {
        let marks = series.marks();
        let curves: Vec<_> = marks
            .iter()
            .map(|mark| match mark {
                Mark::Line { x, y, .. } => self.reduced(x, y),
                _ => Vec::new(),
            })
            .collect();
        let points: usize = marks.iter().zip(&curves).map(|(mark, curve)| count(mark).unwrap_or(curve.len())).sum();
        let is_linear = (self.layout.x.scale, self.layout.y.scale) == (Scale::Linear, Scale::Linear);
        let has_picture = marks.iter().any(|mark| matches!(mark, Mark::Picture(_)));
        let is_quick = self.points + points <= MOST_POINTS && self.layers.len() + marks.len() <= MOST_LAYERS;
        if !is_quick || (has_picture && !is_linear) {
            self.draw(series, &marks);
            return;
        }
        self.points += points;
        self.add_sheet();
        for (mark, curve) in marks.iter().zip(curves) {
            self.add(series, mark, curve);
        }
    }

    /// Draws a series on the sheet, and adds some of its places.
    fn draw(&mut self, series: &Series, marks: &[Mark<'_>]) {
        self.sheet.get_or_insert_with(|| Sheet::new(self.layout)).add(series, marks);
        let all: usize = marks.iter().map(|mark| places_of(mark).count()).sum();
        let step = all.div_ceil(MOST_PLACES).max(1);
        for mark in marks {
            self.add_places_of(series, mark, step);
            if let Mark::Picture(image) = mark {
                self.add_cells(series, image);
            }
        }
    }

    /// Adds a layer with the picture of what was drawn.
    fn add_sheet(&mut self) {
        let Some(sheet) = self.sheet.take() else { return };
        let (x, y) = (&self.layout.x, &self.layout.y);
        let (ends, corner) = ([(x.min, x.max), (y.min, y.max)], json!({ "x": x.min, "y": y.max }));
        let look = self.stretched(&sheet.png(), ends);
        let encoding: Map<String, Value> = ["x", "y"]
            .into_iter()
            .map(|name| (name.to_owned(), self.channel(name, json!({ "field": name }))))
            .collect();
        self.layers.push(json!({ "data": { "values": [corner] }, "mark": look, "encoding": encoding }));
    }

    /// The look of a picture between these ends of both axes.
    fn stretched(&self, png: &[u8], [x, y]: [(f64, f64); 2]) -> Value {
        let scale = |axis: char| match self.name {
            "" => axis.to_string(),
            name => format!("{name}_{axis}"),
        };
        let length = |axis: char, (from, to): (f64, f64)| {
            let scale = scale(axis);
            json!({ "expr": format!("abs(scale('{scale}', {to:?}) - scale('{scale}', {from:?}))") })
        };
        json!({
            "type": "image", "clip": true,
            "url": format!("data:image/png;base64,{}", BASE64.encode(png)),
            "align": "left", "baseline": "top", "aspect": false, "smooth": false,
            "width": length('x', x),
            "height": length('y', y),
        })
    }

    /// Adds what draws a mark. Of a line these points are drawn.
    fn add(&mut self, series: &Series, mark: &Mark<'_>, points: Vec<(f64, f64)>) {
        let color = |number| hex(png::color_of(series, number));
        let (x, y) = (self.layout.x.scale, self.layout.y.scale);
        match mark {
            Mark::Line { stroke, number, .. } => {
                let values = points.iter().map(|&(px, py)| json!({ "x": known(x, px), "y": known(y, py) })).collect();
                let look = stroke_of(*stroke, &color(*number));
                // In the order of the points, not from left to right.
                self.layer(
                    series,
                    json!({ "type": "line", "order": false, "strokeJoin": "round" }),
                    look,
                    values,
                    &["x", "y"],
                );
                let number = number.map(|number| general(number, 6));
                self.add_points(series, points.into_iter().map(|point| (point, number.clone())));
            }
            Mark::Points { x: xs, y: ys, marker, size, numbers } => {
                let number = |index: usize| numbers.map(|numbers| numbers[index]);
                let values = xs.iter().zip(ys.iter()).enumerate();
                let values = values.map(|(index, (&px, &py))| {
                    let mut value = json!({ "x": known(x, px), "y": known(y, py) });
                    if numbers.is_some() {
                        value["c"] = json!(color(number(index)));
                    }
                    value
                });
                let values = values.collect();
                let look = marker_of(*marker, *size, &color(None));
                let look_is_filled = look["filled"] == true;
                self.layer(series, json!({ "type": "point" }), look, values, &["x", "y"]);
                if numbers.is_some() {
                    self.color_each(&[if look_is_filled { "fill" } else { "stroke" }]);
                }
                self.add_places_of(series, mark, 1);
            }
            Mark::Sticks { x: xs, y: ys, stroke } => {
                let ends = xs.0.iter().zip(xs.1.iter()).zip(ys.0.iter().zip(ys.1.iter()));
                let values = ends
                    .filter(|((a, b), (c, d))| x.has(**a) && x.has(**b) && y.has(**c) && y.has(**d))
                    .map(|((x, x2), (y, y2))| json!({ "x": x, "x2": x2, "y": y, "y2": y2 }));
                let values = values.collect();
                self.layer(
                    series,
                    json!({ "type": "rule" }),
                    stroke_of(*stroke, &color(None)),
                    values,
                    &["x", "y", "x2", "y2"],
                );
            }
            Mark::Rule { axis, at, stroke } => {
                let (scale, channel) = if *axis == Direction::X { (x, "x") } else { (y, "y") };
                let values = scale.has(*at).then(|| json!({ channel: at })).into_iter().collect();
                self.layer(series, json!({ "type": "rule" }), stroke_of(*stroke, &color(None)), values, &[channel]);
            }
            Mark::Area { x: xs, y: (low, high) } => {
                let sides = xs.iter().zip(low.iter().zip(high.iter()));
                let value =
                    |(&px, (&low, &high))| json!({ "x": known(x, px), "y": known(y, low), "y2": known(y, high) });
                let values = sides.map(value).collect();
                let look = json!({ "color": color(None) });
                self.layer(series, json!({ "type": "area", "order": false }), look, values, &["x", "y", "y2"]);
                self.add_places_of(series, mark, 1);
            }
            Mark::Bars(bars) => self.add_bars(series, bars, &color(None)),
            Mark::Picture(image) => self.add_picture(series, image),
            Mark::Mesh { x: xs, y: ys, numbers } => {
                self.add_mesh(series, xs, ys, numbers);
                self.add_places_of(series, mark, 1);
            }
        }
    }

    /// Adds a layer with a mark and its look.
    fn layer(&mut self, series: &Series, mut mark: Value, look: Value, values: Vec<Value>, channels: &[&str]) {
        if let (Some(mark), Value::Object(look)) = (mark.as_object_mut(), look) {
            mark.extend(look);
            mark.extend([("clip".to_owned(), json!(true)), ("opacity".to_owned(), json!(series.look.alpha))]);
        }
        let encoding: Map<String, Value> =
            channels.iter().map(|&name| (name.to_owned(), self.channel(name, json!({ "field": name })))).collect();
        self.layers.push(json!({ "data": { "values": values }, "mark": mark, "encoding": encoding }));
    }

    /// Gives each value of the last layer the colour that it has as `c`.
    fn color_each(&mut self, channels: &[&str]) {
        if let Some(layer) = self.layers.last_mut() {
            for &channel in channels {
                layer["encoding"][channel] = json!({ "field": "c", "type": "nominal", "scale": null, "legend": null });
            }
        }
    }

    /// A channel of a layer, over the chart's axes.
    fn channel(&self, name: &str, mut channel: Value) -> Value {
        let (axis, label) = match name {
            "x" => (&self.layout.x, &self.chart.xlabel),
            "y" => (&self.layout.y, &self.chart.ylabel),
            // The other end has the same axis.
            _ => return channel,
        };
        let kind = type_of(axis.scale);
        let (min, max) = (axis.min.min(axis.max), axis.min.max(axis.max));
        channel["type"] = json!("quantitative");
        channel["title"] = json!(label);
        channel["scale"] = json!({ "type": kind, "domain": [min, max], "nice": false, "reverse": axis.min > axis.max });
        channel["axis"] = json!({ "grid": self.chart.grid });
        if name == "x" && !self.chart.names.is_empty() {
            let places: Vec<usize> = (0..self.chart.names.len()).collect();
            channel["axis"]["values"] = json!(places);
            channel["axis"]["labelExpr"] = json!(format!("{}[datum.value]", json!(self.chart.names)));
        }
        channel
    }

    /// The points of a curve, or if they are many, of each pixel's width the first, the last, the lowest and the highest one.
    fn reduced(&self, x: &[f64], y: &[f64]) -> Vec<(f64, f64)> {
        let width = self.layout.inside.width as usize;
        let points = || x.iter().copied().zip(y.iter().copied());
        if x.len() <= 4 * width {
            return points().collect();
        }
        let column = |x: f64| (self.layout.x.place(x) * width as f64).floor();
        let mut kept: Vec<(f64, f64)> = Vec::new();
        let mut run: Vec<(f64, f64)> = Vec::new();
        let mut take = |run: &mut Vec<(f64, f64)>| {
            if !run.is_empty() {
                kept.extend(png::ends_and_extremes(run, &[|point| point.1]));
                run.clear();
            }
        };
        for point in points() {
            let is_gap = !(point.0.is_finite() && point.1.is_finite());
            let is_same = run
                .last()
                .is_some_and(|last: &(f64, f64)| column(last.0) == column(point.0) && last.1.is_finite() && !is_gap);
            if !is_same {
                take(&mut run);
            }
            run.push(point);
        }
        take(&mut run);
        kept
    }

    fn add_bars(&mut self, series: &Series, bars: &[Bar], color: &str) {
        let (x, y) = (self.layout.x.scale, self.layout.y.scale);
        // On a logarithmic axis 0 is infinitely far down.
        let ground = if y.has(0.0) { 0.0 } else { self.layout.y.min.min(self.layout.y.max) };
        let is_seen = |bar: &&Bar| x.has(bar.left) && x.has(bar.right) && y.has(bar.height);
        let seen: Vec<&Bar> = bars.iter().filter(is_seen).collect();
        let value = |bar: &&Bar| json!({ "x": bar.left, "x2": bar.right, "y": ground, "y2": bar.height });
        let mut look = json!({ "color": color });
        if series.look.alpha == 1.0 {
            // So that there is nothing between bars that touch.
            look["stroke"] = json!(color);
            look["strokeWidth"] = json!(0.6);
        }
        self.layer(series, json!({ "type": "rect" }), look, seen.iter().map(value).collect(), &["x", "y", "x2", "y2"]);
        let middle = |bar: &&Bar| ((bar.left / 2.0 + bar.right / 2.0, bar.height), None);
        self.add_points(series, seen.iter().map(middle));
    }

    /// A picture is a picture here, too, which is stretched with the axes.
    fn add_picture(&mut self, series: &Series, image: &Image) {
        let Box2 { width, height, .. } = self.layout.inside;
        let most = (height as usize, width as usize);
        let size = (image.shape.0.min(most.0), image.shape.1.min(most.1));
        let [left, right, bottom, top] = image.extent();
        let look = self.stretched(&png::of_image(series, image, size), [(left, right), (top, bottom)]);
        self.layer(series, look, json!({}), vec![json!({ "x": left, "y": top })], &["x", "y"]);
        self.add_cells(series, image);
    }

    /// Adds the places of a picture's cells, or if there are many, of their means.
    fn add_cells(&mut self, series: &Series, image: &Image) {
        let [left, right, bottom, top] = image.extent();
        let (rows, columns) = (image.shape.0.min(MOST_CELLS), image.shape.1.min(MOST_CELLS));
        let values = image.resampled((rows, columns), 0..rows, 0..columns);
        let middle =
            |from: f64, to: f64, index: usize, count: usize| from + (index as f64 + 0.5) / count as f64 * (to - from);
        for (index, element) in values.chunks(image.channels).enumerate() {
            let (row, column) = (index / columns, index % columns);
            let row = if image.place.is_upward { rows - 1 - row } else { row };
            let numbers: Vec<String> = element.iter().map(|&part| general(part, 6)).collect();
            let (x, y) = (middle(left, right, column, columns), middle(top, bottom, row, rows));
            self.places.push(Place { x, y, number: Some(numbers.join(", ")), label: series.label.clone() });
        }
    }

    fn add_mesh(&mut self, series: &Series, x: &[f64], y: &[f64], numbers: &[f64]) {
        let columns = x.len() - 1;
        let mut values = Vec::new();
        for (index, &number) in numbers.iter().enumerate() {
            let (row, column) = (index / columns, index % columns);
            let (left, right, low, high) = (x[column], x[column + 1], y[row], y[row + 1]);
            let color = hex(png::color_of(series, Some(number)));
            values.push(json!({ "x": left, "x2": right, "y": low, "y2": high, "c": color }));
        }
        self.layer(series, json!({ "type": "rect", "strokeWidth": 0.6 }), json!({}), values, &["x", "y", "x2", "y2"]);
        self.color_each(&["fill", "stroke"]);
    }

    /// Adds the places of a mark, of so many one.
    fn add_places_of(&mut self, series: &Series, mark: &Mark<'_>, step: usize) {
        let places = places_of(mark).step_by(step);
        self.add_points(series, places.map(|(place, number)| (place, number.map(|number| general(number, 6)))));
    }

    /// Adds places whose numbers are shown.
    fn add_points(&mut self, series: &Series, points: impl Iterator<Item = ((f64, f64), Option<String>)>) {
        let (x_scale, y_scale) = (self.layout.x.scale, self.layout.y.scale);
        let places = points.filter(|((x, y), _)| x_scale.has(*x) && y_scale.has(*y));
        self.places.extend(places.map(|((x, y), number)| Place { x, y, number, label: series.label.clone() }));
    }

    /// Adds what says the meaning of colours: layers that draw nothing.
    fn add_legends(&mut self) {
        let mut labelled: Vec<(&String, String)> = Vec::new();
        for series in &self.chart.series {
            if let Some(label) = &series.label
                && labelled.iter().all(|(other, _)| *other != label)
            {
                labelled.push((label, hex(sample(series))));
            }
        }
        if !labelled.is_empty() && self.chart.legend {
            let (labels, colors): (Vec<_>, Vec<_>) = labelled.into_iter().unzip();
            let values: Vec<Value> = labels.iter().map(|label| json!({ "label": label })).collect();
            let legend = json!({ "title": null, "symbolType": "square", "symbolOpacity": 1, "symbolStrokeWidth": 0, "values": labels });
            self.layers.push(json!({
                "data": { "values": values },
                "mark": { "type": "point", "opacity": 0 },
                "encoding": { "fill": {
                    "field": "label", "type": "nominal", "scale": { "domain": labels, "range": colors }, "legend": legend,
                } },
            }));
        }
        if let Some(colors) = self.chart.colorbar() {
            let axis = colors.axis();
            let kind = type_of(axis.scale);
            let range: Vec<String> = (0..=32).map(|step| hex(colors.at(f64::from(step) / 32.0))).collect();
            self.layers.push(json!({
                "data": { "values": [{ "n": axis.min }, { "n": axis.max }] },
                "mark": { "type": "point", "opacity": 0 },
                "encoding": { "color": {
                    "field": "n", "type": "quantitative", "title": colors.label,
                    "scale": { "type": kind, "domain": [axis.min, axis.max], "range": range, "nice": false },
                    "legend": { "gradientLength": self.layout.inside.height, "gradientOpacity": 1, "gradientThickness": 16 },
                } },
            }));
        }
    }

    /// Adds the layer that shows the numbers under the pointer, and by which one zooms and moves. None if there are no numbers.
    fn add_places(&mut self) -> Option<()> {
        let step = self.places.len().div_ceil(MOST_PLACES).max(1);
        let places: Vec<&Place> = self.places.iter().step_by(step).collect();
        let has_numbers = places.iter().any(|place| place.number.is_some());
        let has_labels = places.iter().any(|place| place.label.is_some());
        let name = |x: f64| match self.chart.names.get(x.round().max(0.0) as usize) {
            Some(name) if (x - x.round()).abs() < 1e-9 => name.clone(),
            _ => general(x, 6),
        };
        let values = places.iter().map(|place| {
            let mut value = json!({ "x": place.x, "y": place.y, "at": name(place.x), "height": general(place.y, 6) });
            if has_numbers {
                value["number"] = json!(place.number.as_deref().unwrap_or_default());
            }
            if has_labels {
                value["label"] = json!(place.label.as_deref().unwrap_or_default());
            }
            value
        });
        let values: Vec<Value> = values.collect();
        if values.is_empty() {
            return None;
        }
        let title = |label: &Option<String>, otherwise: &str| label.clone().unwrap_or_else(|| otherwise.to_owned());
        let of_colors = self.chart.colorbar().map_or(&None, |colors| &colors.label);
        let rows = [
            (has_labels, "label", "series".to_owned()),
            (true, "at", title(&self.chart.xlabel, "x")),
            (true, "height", title(&self.chart.ylabel, "y")),
            (has_numbers, "number", title(of_colors, "value")),
        ];
        let rows = rows.into_iter().filter(|(is_there, ..)| *is_there);
        // The pointer is in the area around a place, whose datum is that place. Vega-Lite 6.4 (VS Code) has forgotten this for fields.
        let rows = rows.map(|(_, field, title)| format!("{}: (datum.datum || datum).{field}", json!(title)));
        let tooltip = format!("{{{}}}", rows.collect::<Vec<_>>().join(", "));
        let [zoomed, near] = ["view", "near"].map(|param| format!("{param}{}", self.name));
        self.layers.push(json!({
            "data": { "values": values },
            "params": [
                // The wheel alone scrolls the notebook. Pinching on a touchpad is the wheel with Ctrl.
                { "name": zoomed, "bind": "scales", "select": { "type": "interval", "zoom": "wheel![event.ctrlKey || event.metaKey]" } },
                { "name": near, "select": { "type": "point", "on": "mouseover", "clear": "mouseout", "nearest": true } },
            ],
            "mark": { "type": "point", "shape": "circle", "size": 90, "filled": false, "stroke": RING, "strokeWidth": 1.5, "clip": true },
            "encoding": {
                "x": self.channel("x", json!({ "field": "x" })),
                "y": self.channel("y", json!({ "field": "y" })),
                "opacity": { "condition": { "param": near, "empty": false, "value": 1 }, "value": 0 },
                "tooltip": { "value": { "expr": tooltip } },
            },
        }));
        Some(())
    }
}

/// How many things a client draws for a mark. None for a curve, which has fewer points then.
fn count(mark: &Mark<'_>) -> Option<usize> {
    match mark {
        Mark::Line { .. } => None,
        Mark::Points { x, .. } => Some(x.len()),
        Mark::Sticks { x, .. } => Some(x.0.len()),
        Mark::Area { x, .. } => Some(x.len()),
        Mark::Bars(bars) => Some(bars.len()),
        Mark::Mesh { numbers, .. } => Some(numbers.len()),
        Mark::Rule { .. } | Mark::Picture(_) => Some(1),
    }
}

/// The places of a mark that have numbers, but for those of pictures.
fn places_of<'m>(mark: &'m Mark<'_>) -> Box<dyn Iterator<Item = ((f64, f64), Option<f64>)> + 'm> {
    let pairs = |x: &'m [f64], y: &'m [f64]| x.iter().copied().zip(y.iter().copied());
    match mark {
        Mark::Line { x, y, number, .. } => Box::new(pairs(x, y).map(|place| (place, *number))),
        Mark::Points { x, y, numbers, .. } => {
            let number = |index: usize| numbers.map(|numbers| numbers[index]);
            Box::new(pairs(x, y).enumerate().map(move |(index, place)| (place, number(index))))
        }
        Mark::Area { x, y } => {
            Box::new([y.0, y.1].into_iter().flat_map(move |edge| pairs(x, edge)).map(|place| (place, None)))
        }
        Mark::Bars(bars) => Box::new(bars.iter().map(|bar| ((bar.left / 2.0 + bar.right / 2.0, bar.height), None))),
        Mark::Mesh { x, y, numbers } => {
            let columns = x.len() - 1;
            Box::new(numbers.iter().enumerate().map(move |(index, &number)| {
                let (row, column) = (index / columns, index % columns);
                ((x[column] / 2.0 + x[column + 1] / 2.0, y[row] / 2.0 + y[row + 1] / 2.0), Some(number))
            }))
        }
        Mark::Sticks { .. } | Mark::Rule { .. } | Mark::Picture(_) => Box::new(std::iter::empty()),
    }
}

/// The name of a scale.
fn type_of(scale: Scale) -> &'static str {
    match scale {
        Scale::Linear => "linear",
        Scale::Log => "log",
    }
}

/// A number that has a place, or a gap.
fn known(scale: Scale, value: f64) -> Value {
    if scale.has(value) { json!(value) } else { Value::Null }
}

fn hex(color: Rgb) -> String {
    let [red, green, blue] = color;
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// The colour of a series in the legend.
fn sample(series: &Series) -> Rgb {
    let Look { color, .. } = series.look;
    series.colors.as_ref().map_or(color, |colors| colors.at(0.5))
}

fn stroke_of(Stroke { style, width }: Stroke, color: &str) -> Value {
    let dashes: Vec<f64> = style.dashes().iter().map(|length| length * width).collect();
    json!({ "color": color, "strokeWidth": width, "strokeDash": dashes })
}

/// The look of a marker. A size is an area here.
fn marker_of(marker: Marker, size: f64, color: &str) -> Value {
    let (shape, part, is_filled) = match marker {
        Marker::Circle => ("circle", 1.0, true),
        Marker::Point => ("circle", 0.5, true),
        Marker::Square => ("square", 1.0, true),
        Marker::Up => ("triangle-up", 1.0, true),
        Marker::Down => ("triangle-down", 1.0, true),
        Marker::Diamond => ("diamond", 1.0, true),
        Marker::Cross => ("M-1,-1L1,1M-1,1L1,-1", 1.0, false),
        Marker::Plus => ("M-1,0L1,0M0,-1L0,1", 1.0, false),
        Marker::Dash => ("M-1,0L1,0", 1.0, false),
        Marker::Bar => ("M0,-1L0,1", 1.0, false),
    };
    let area = (part * size) * (part * size);
    json!({ "shape": shape, "size": area, "filled": is_filled, "color": color, "strokeWidth": if is_filled { 0.0 } else { 1.5 } })
}

#[cfg(test)]
mod tests;
