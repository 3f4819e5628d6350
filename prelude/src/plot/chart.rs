//! A plot as plain data: what is drawn over which axes, and how it looks. A renderer needs nothing else.

use super::axis::{Axis, Scale};
use super::colors::Colors;
use super::image::Image;
use super::look::Look;
use super::mark::Mark;
use std::any::Any;
use std::fmt::Debug;

/// What is drawn, and how.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    pub series: Vec<Series>,
    /// The names on the x axis, at 0, 1, 2 …
    pub names: Vec<String>,
    pub title: Option<String>,
    pub xlabel: Option<String>,
    pub ylabel: Option<String>,
    pub xscale: Scale,
    pub yscale: Scale,
    pub xlim: Option<(f64, f64)>,
    pub ylim: Option<(f64, f64)>,
    pub grid: bool,
    pub legend: bool,
    /// Width and height in pixels, if they were set.
    pub size: Option<(u32, u32)>,
}

/// One thing in a chart: numbers of some kind, and their look.
#[derive(Clone, Debug)]
pub(super) struct Series {
    pub kind: Box<dyn PlotKind>,
    pub label: Option<String>,
    pub look: Look,
    /// Set if colours stand for numbers.
    pub colors: Option<Colors>,
}

/// A kind of series: its numbers, and how they become marks. Each kind is a file in `kinds`.
pub(super) trait PlotKind: Any + ClonePlotKind + Debug + Send + Sync {
    /// The function that makes it, for messages.
    fn name(&self) -> &'static str;

    /// In a few words.
    fn describe(&self, look: &Look) -> String;

    /// What is drawn.
    fn marks(&self, look: &Look) -> Vec<Mark<'_>>;

    /// Whether a line style and a line width mean something.
    fn has_lines(&self) -> bool {
        false
    }

    /// Whether a marker means something.
    fn has_markers(&self) -> bool {
        false
    }

    /// Whether the axes end where the numbers end, without a margin.
    fn fills_axes(&self) -> bool {
        false
    }
}

/// A copy of a kind behind its trait.
pub(super) trait ClonePlotKind {
    fn boxed(&self) -> Box<dyn PlotKind>;
}

impl<K: PlotKind + Clone> ClonePlotKind for K {
    fn boxed(&self) -> Box<dyn PlotKind> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn PlotKind> {
    fn clone(&self) -> Self {
        self.as_ref().boxed()
    }
}

impl Series {
    pub fn marks(&self) -> Vec<Mark<'_>> {
        self.kind.marks(&self.look)
    }

    pub fn describe(&self) -> String {
        self.kind.describe(&self.look)
    }
}

impl Default for Chart {
    fn default() -> Chart {
        Chart {
            series: Vec::new(),
            names: Vec::new(),
            title: None,
            xlabel: None,
            ylabel: None,
            xscale: Scale::Linear,
            yscale: Scale::Linear,
            xlim: None,
            ylim: None,
            grid: false,
            legend: true,
            size: None,
        }
    }
}

impl Chart {
    /// Both axes: as wide as the marks need, or as the limits say. They go the way of a picture, whose y axis goes down at first.
    pub fn axes(&self) -> (Axis, Axis) {
        let marks: Vec<Mark> = self.series.iter().flat_map(Series::marks).collect();
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        let has_place = |scale: Scale, value: Option<f64>| value.is_none_or(|value| scale.has(value));
        for mark in &marks {
            mark.corners(&mut |(x, y)| {
                // A point without a place on one axis does not count on the other.
                if has_place(self.xscale, x) && has_place(self.yscale, y) {
                    xs.extend(x);
                    ys.extend(y);
                }
            });
        }
        let axis = |limits: Option<(f64, f64)>, found: Axis| match limits {
            // A limit without a place, such as 0 on a logarithmic axis, is none.
            Some((min, max)) if found.scale.has(max) => {
                Axis { min: if found.scale.has(min) { min } else { found.min.min(max / 10.0) }, max, ..found }
            }
            _ => found,
        };
        let has_margins = !self.series.iter().any(|series| series.kind.fills_axes());
        let ground = marks.iter().any(|mark| matches!(mark, Mark::Bars(_))).then_some(0.0);
        let x = Axis::around(self.xscale, xs.into_iter(), None, has_margins);
        let y = Axis::around(self.yscale, ys.into_iter(), ground, has_margins);
        let (x, y) = (axis(self.xlim, x), axis(self.ylim, y));
        let [left, right, bottom, top] = self.picture().map_or([0.0, 1.0, 0.0, 1.0], Image::extent);
        let turned =
            |axis: Axis, is_turned: bool| if is_turned { Axis { min: axis.max, max: axis.min, ..axis } } else { axis };
        (turned(x, left > right), turned(y, bottom > top))
    }

    /// The first picture.
    pub fn picture(&self) -> Option<&Image> {
        self.series.iter().find_map(|Series { kind, .. }| {
            let kind: &dyn Any = kind.as_ref();
            kind.downcast_ref()
        })
    }

    /// The colours that the colour bar shows, those of the first series that has some.
    pub fn colorbar(&self) -> Option<&Colors> {
        self.series.iter().filter_map(|series| series.colors.as_ref()).find(|colors| colors.bar)
    }
}
