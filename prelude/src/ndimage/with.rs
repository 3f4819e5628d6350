//! The functions of the module with all of their arguments, in SciPy's order: what the macros for calls with keywords call.

// Long because: each function stands with all of its arguments, a line for each.
// They are as many as SciPy has.
#![allow(clippy::too_many_arguments)]

use super::arguments::{IntoModes, IntoNumbers, MaybeArray, MaybeAxes, MaybeNumbers};
use super::filters::{self, Box, Edges, Gaussian, Grey, Rank, Window};
use super::interpolation::{self, Spline, Where};
use super::measurements::{self, Frequency};
use super::morphology::{self, Binary};
use crate::array::sides::AnyView;
use crate::array::transfer::{bring, download_vec};
use crate::array::{AnyArray, DeviceArray, IntoAxes, OnDevice, RawArray};
use crate::dtype::{DType, Element, Integer, Real, Spectrum};
use crate::error::{Error, Result, check};
use crate::floats::IntoFloat;
use crate::thin::thin;
use std::ops::Range;

/// A small matrix on the host, and its shape.
fn matrix_of(operation: &'static str, view: &AnyView<'_>, x: &RawArray) -> Result<(Vec<f64>, Vec<usize>)> {
    let raw = bring(operation, view, &x.handle)?;
    if raw.dtype.is_complex() {
        return Err(Error::dtype(operation, raw.dtype, "give a matrix of real numbers"));
    }
    Ok((download_vec(&raw.converted(operation, DType::F64)?)?, raw.shape().to_vec()))
}

/// Coordinates on the device of the array, one for each axis.
fn coordinates_of(operation: &'static str, view: &AnyView<'_>, x: &RawArray) -> Result<RawArray> {
    let raw = bring(operation, view, &x.handle)?;
    if raw.dtype.is_complex() {
        return Err(Error::dtype(operation, raw.dtype, "give coordinates that are real numbers"));
    }
    if raw.shape().first() != Some(&x.shape().len()) {
        let reason = format!(
            "is the shape of the coordinates, but the array has {} axes; the first axis must be as long as there are axes",
            x.shape().len()
        );
        return Err(Error::shape(operation, raw.shape(), reason));
    }
    Ok(raw)
}

thin! {
    /// `correlate1d` with all of its arguments.
    pub fn correlate1d<A: OnDevice<Elem = T>, T: Real, W: ?Sized + AnyArray>(
        input: &A,
        weights: &W,
        axis: isize,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: isize,
    ) -> DeviceArray<T> =>
        filters::line(
            "correlate1d",
            input.raw(),
            &weights.any_view(),
            false,
            axis,
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            origin,
        );
}

thin! {
    /// `convolve1d` with all of its arguments.
    pub fn convolve1d<A: OnDevice<Elem = T>, T: Real, W: ?Sized + AnyArray>(
        input: &A,
        weights: &W,
        axis: isize,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: isize,
    ) -> DeviceArray<T> =>
        filters::line(
            "convolve1d",
            input.raw(),
            &weights.any_view(),
            true,
            axis,
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            origin,
        );
}

thin! {
    /// `correlate` with all of its arguments.
    pub fn correlate<A: OnDevice<Elem = T>, T: Real, W: ?Sized + AnyArray>(
        input: &A,
        weights: &W,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::correlate(
            "correlate",
            input.raw(),
            &weights.any_view(),
            false,
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `convolve` with all of its arguments.
    pub fn convolve<A: OnDevice<Elem = T>, T: Real, W: ?Sized + AnyArray>(
        input: &A,
        weights: &W,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::correlate(
            "convolve",
            input.raw(),
            &weights.any_view(),
            true,
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `gaussian_filter` with all of its arguments.
    pub fn gaussian_filter<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        sigma: impl IntoNumbers,
        order: impl IntoAxes,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        truncate: impl IntoFloat,
        radius: impl MaybeAxes,
        axes: impl MaybeAxes,
    ) -> DeviceArray<T> =>
        filters::gaussian(
            "gaussian_filter",
            input.raw(),
            &Gaussian { sigmas: sigma.into_numbers(), orders: order.into_axes(), truncate: truncate.into_float(), radius: radius.given(), axes: axes.given() },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
        );
}

thin! {
    /// `gaussian_filter1d` with all of its arguments.
    pub fn gaussian_filter1d<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        sigma: impl IntoFloat,
        axis: isize,
        order: isize,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        truncate: impl IntoFloat,
        radius: impl MaybeAxes,
    ) -> DeviceArray<T> =>
        filters::gaussian(
            "gaussian_filter1d",
            input.raw(),
            &Gaussian { sigmas: vec![sigma.into_float()], orders: vec![order], truncate: truncate.into_float(), radius: radius.given(), axes: Some(vec![axis]) },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
        );
}

thin! {
    /// `sobel` with all of its arguments.
    pub fn sobel<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        axis: isize,
        mode: impl IntoModes,
        cval: impl IntoFloat,
    ) -> DeviceArray<T> =>
        filters::edge("sobel", input.raw(), [1.0, 2.0, 1.0], axis, Edges { modes: &mode.into_modes(), outside: cval.into_float() });
}

thin! {
    /// `prewitt` with all of its arguments.
    pub fn prewitt<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        axis: isize,
        mode: impl IntoModes,
        cval: impl IntoFloat,
    ) -> DeviceArray<T> =>
        filters::edge(
            "prewitt",
            input.raw(),
            [1.0, 1.0, 1.0],
            axis,
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
        );
}

thin! {
    /// `laplace` with all of its arguments.
    pub fn laplace<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        axes: impl MaybeAxes,
    ) -> DeviceArray<T> =>
        filters::laplace("laplace", input.raw(), Edges { modes: &mode.into_modes(), outside: cval.into_float() }, axes.given());
}

thin! {
    /// `gaussian_laplace` with all of its arguments.
    pub fn gaussian_laplace<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        sigma: impl IntoNumbers,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        truncate: impl IntoFloat,
        radius: impl MaybeAxes,
        axes: impl MaybeAxes,
    ) -> DeviceArray<T> =>
        filters::gaussian_laplace(
            "gaussian_laplace",
            input.raw(),
            &Gaussian { sigmas: sigma.into_numbers(), orders: vec![0], truncate: truncate.into_float(), radius: radius.given(), axes: axes.given() },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
        );
}

thin! {
    /// `gaussian_gradient_magnitude` with all of its arguments.
    pub fn gaussian_gradient_magnitude<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        sigma: impl IntoNumbers,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        truncate: impl IntoFloat,
        radius: impl MaybeAxes,
        axes: impl MaybeAxes,
    ) -> DeviceArray<T> =>
        filters::gaussian_gradient(
            "gaussian_gradient_magnitude",
            input.raw(),
            &Gaussian { sigmas: sigma.into_numbers(), orders: vec![0], truncate: truncate.into_float(), radius: radius.given(), axes: axes.given() },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
        );
}

thin! {
    /// `uniform_filter` with all of its arguments.
    pub fn uniform_filter<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: impl IntoAxes,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
        axes: impl MaybeAxes,
    ) -> DeviceArray<T> =>
        filters::boxed(
            "uniform_filter",
            input.raw(),
            Box::Mean,
            &size.into_axes(),
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
            axes.given(),
        );
}

thin! {
    /// `minimum_filter` with all of its arguments.
    pub fn minimum_filter<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: impl MaybeAxes,
        footprint: impl MaybeArray,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::extreme(
            "minimum_filter",
            input.raw(),
            false,
            false,
            Window { size: size.given().as_deref(), footprint: footprint.view().as_ref(), structure: None },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `maximum_filter` with all of its arguments.
    pub fn maximum_filter<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: impl MaybeAxes,
        footprint: impl MaybeArray,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::extreme(
            "maximum_filter",
            input.raw(),
            true,
            false,
            Window { size: size.given().as_deref(), footprint: footprint.view().as_ref(), structure: None },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `uniform_filter1d` with all of its arguments.
    pub fn uniform_filter1d<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: isize,
        axis: isize,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: isize,
    ) -> DeviceArray<T> =>
        filters::boxed(
            "uniform_filter1d",
            input.raw(),
            Box::Mean,
            &[size],
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &[origin],
            Some(vec![axis]),
        );
}

thin! {
    /// `minimum_filter1d` with all of its arguments.
    pub fn minimum_filter1d<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: isize,
        axis: isize,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: isize,
    ) -> DeviceArray<T> =>
        filters::boxed(
            "minimum_filter1d",
            input.raw(),
            Box::Minimum,
            &[size],
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &[origin],
            Some(vec![axis]),
        );
}

thin! {
    /// `maximum_filter1d` with all of its arguments.
    pub fn maximum_filter1d<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: isize,
        axis: isize,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: isize,
    ) -> DeviceArray<T> =>
        filters::boxed(
            "maximum_filter1d",
            input.raw(),
            Box::Maximum,
            &[size],
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &[origin],
            Some(vec![axis]),
        );
}

thin! {
    /// `median_filter` with all of its arguments.
    pub fn median_filter<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: impl MaybeAxes,
        footprint: impl MaybeArray,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::ranked(
            "median_filter",
            input.raw(),
            Rank::Median,
            Window { size: size.given().as_deref(), footprint: footprint.view().as_ref(), structure: None },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `percentile_filter` with all of its arguments.
    pub fn percentile_filter<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        percentile: impl IntoFloat,
        size: impl MaybeAxes,
        footprint: impl MaybeArray,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::ranked(
            "percentile_filter",
            input.raw(),
            Rank::Percent(percentile.into_float()),
            Window { size: size.given().as_deref(), footprint: footprint.view().as_ref(), structure: None },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `rank_filter` with all of its arguments.
    pub fn rank_filter<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        rank: isize,
        size: impl MaybeAxes,
        footprint: impl MaybeArray,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::ranked(
            "rank_filter",
            input.raw(),
            Rank::At(rank),
            Window { size: size.given().as_deref(), footprint: footprint.view().as_ref(), structure: None },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `grey_erosion` with all of its arguments.
    pub fn grey_erosion<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: impl MaybeAxes,
        footprint: impl MaybeArray,
        structure: impl MaybeArray,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::grey(
            "grey_erosion",
            input.raw(),
            Grey::Erosion,
            Window { size: size.given().as_deref(), footprint: footprint.view().as_ref(), structure: structure.view().as_ref() },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `grey_dilation` with all of its arguments.
    pub fn grey_dilation<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: impl MaybeAxes,
        footprint: impl MaybeArray,
        structure: impl MaybeArray,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::grey(
            "grey_dilation",
            input.raw(),
            Grey::Dilation,
            Window { size: size.given().as_deref(), footprint: footprint.view().as_ref(), structure: structure.view().as_ref() },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `grey_opening` with all of its arguments.
    pub fn grey_opening<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: impl MaybeAxes,
        footprint: impl MaybeArray,
        structure: impl MaybeArray,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::grey(
            "grey_opening",
            input.raw(),
            Grey::Opening,
            Window { size: size.given().as_deref(), footprint: footprint.view().as_ref(), structure: structure.view().as_ref() },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `grey_closing` with all of its arguments.
    pub fn grey_closing<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: impl MaybeAxes,
        footprint: impl MaybeArray,
        structure: impl MaybeArray,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::grey(
            "grey_closing",
            input.raw(),
            Grey::Closing,
            Window { size: size.given().as_deref(), footprint: footprint.view().as_ref(), structure: structure.view().as_ref() },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `morphological_gradient` with all of its arguments.
    pub fn morphological_gradient<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: impl MaybeAxes,
        footprint: impl MaybeArray,
        structure: impl MaybeArray,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::grey(
            "morphological_gradient",
            input.raw(),
            Grey::Gradient,
            Window { size: size.given().as_deref(), footprint: footprint.view().as_ref(), structure: structure.view().as_ref() },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `morphological_laplace` with all of its arguments.
    pub fn morphological_laplace<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: impl MaybeAxes,
        footprint: impl MaybeArray,
        structure: impl MaybeArray,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::grey(
            "morphological_laplace",
            input.raw(),
            Grey::Laplace,
            Window { size: size.given().as_deref(), footprint: footprint.view().as_ref(), structure: structure.view().as_ref() },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `white_tophat` with all of its arguments.
    pub fn white_tophat<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: impl MaybeAxes,
        footprint: impl MaybeArray,
        structure: impl MaybeArray,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::grey(
            "white_tophat",
            input.raw(),
            Grey::WhiteTopHat,
            Window { size: size.given().as_deref(), footprint: footprint.view().as_ref(), structure: structure.view().as_ref() },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `black_tophat` with all of its arguments.
    pub fn black_tophat<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        size: impl MaybeAxes,
        footprint: impl MaybeArray,
        structure: impl MaybeArray,
        mode: impl IntoModes,
        cval: impl IntoFloat,
        origin: impl IntoAxes,
    ) -> DeviceArray<T> =>
        filters::grey(
            "black_tophat",
            input.raw(),
            Grey::BlackTopHat,
            Window { size: size.given().as_deref(), footprint: footprint.view().as_ref(), structure: structure.view().as_ref() },
            Edges { modes: &mode.into_modes(), outside: cval.into_float() },
            &origin.into_axes(),
        );
}

thin! {
    /// `binary_erosion` with all of its arguments.
    pub fn binary_erosion<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        structure: impl MaybeArray,
        iterations: i64,
        mask: impl MaybeArray,
        border_value: bool,
        origin: impl IntoAxes,
    ) -> DeviceArray<bool> =>
        morphology::eroded(
            "binary_erosion",
            input.raw(),
            Binary { structure: structure.view().as_ref(), iterations, mask: mask.view().as_ref(), border: border_value, origins: &origin.into_axes() },
            false,
        );
}

thin! {
    /// `binary_dilation` with all of its arguments.
    pub fn binary_dilation<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        structure: impl MaybeArray,
        iterations: i64,
        mask: impl MaybeArray,
        border_value: bool,
        origin: impl IntoAxes,
    ) -> DeviceArray<bool> =>
        morphology::eroded(
            "binary_dilation",
            input.raw(),
            Binary { structure: structure.view().as_ref(), iterations, mask: mask.view().as_ref(), border: border_value, origins: &origin.into_axes() },
            true,
        );
}

thin! {
    /// `binary_opening` with all of its arguments.
    pub fn binary_opening<A: OnDevice<Elem = T>, T: Real>(input: &A, structure: impl MaybeArray, iterations: i64, origin: impl IntoAxes, mask: impl MaybeArray, border_value: bool) -> DeviceArray<bool> => {
        let origins = origin.into_axes();
        let (structure, mask) = (structure.view(), mask.view());
        let of = Binary {
            structure: structure.as_ref(),
            iterations,
            mask: mask.as_ref(),
            border: border_value,
            origins: &origins,
        };
        morphology::eroded("binary_opening", input.raw(), of, false)
            .and_then(|found| morphology::eroded("binary_opening", &found, of, true))
    };
}

thin! {
    /// `binary_closing` with all of its arguments.
    pub fn binary_closing<A: OnDevice<Elem = T>, T: Real>(input: &A, structure: impl MaybeArray, iterations: i64, origin: impl IntoAxes, mask: impl MaybeArray, border_value: bool) -> DeviceArray<bool> => {
        let origins = origin.into_axes();
        let (structure, mask) = (structure.view(), mask.view());
        let of = Binary {
            structure: structure.as_ref(),
            iterations,
            mask: mask.as_ref(),
            border: border_value,
            origins: &origins,
        };
        morphology::eroded("binary_closing", input.raw(), of, true)
            .and_then(|found| morphology::eroded("binary_closing", &found, of, false))
    };
}

thin! {
    /// `binary_propagation` with all of its arguments.
    pub fn binary_propagation<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        structure: impl MaybeArray,
        mask: impl MaybeArray,
        border_value: bool,
        origin: impl IntoAxes,
    ) -> DeviceArray<bool> =>
        morphology::eroded(
            "binary_propagation",
            input.raw(),
            Binary { structure: structure.view().as_ref(), iterations: -1, mask: mask.view().as_ref(), border: border_value, origins: &origin.into_axes() },
            true,
        );
}

thin! {
    /// `binary_fill_holes` with all of its arguments.
    pub fn binary_fill_holes<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        structure: impl MaybeArray,
        origin: impl IntoAxes,
    ) -> DeviceArray<bool> =>
        morphology::filled("binary_fill_holes", input.raw(), structure.view().as_ref(), &origin.into_axes());
}

thin! {
    /// `binary_hit_or_miss` with all of its arguments.
    pub fn binary_hit_or_miss<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        structure1: impl MaybeArray,
        structure2: impl MaybeArray,
        origin1: impl IntoAxes,
        origin2: impl MaybeAxes,
    ) -> DeviceArray<bool> =>
        morphology::hit_or_miss(
            "binary_hit_or_miss",
            input.raw(),
            [structure1.view().as_ref(), structure2.view().as_ref()],
            { let first = origin1.into_axes(); let second = origin2.given().unwrap_or_else(|| first.clone()); [first, second] },
        );
}

/// `label` with all of its arguments.
#[track_caller]
pub fn label<A: OnDevice<Elem = T>, T: Real>(input: &A, structure: impl MaybeArray) -> (DeviceArray<i32>, usize) {
    {
        let (labels, count) = check(morphology::label("label", input.raw(), structure.view().as_ref()));
        (DeviceArray::from_raw(labels), count)
    }
}

/// `find_objects` with all of its arguments.
#[track_caller]
pub fn find_objects<A: OnDevice<Elem = T>, T: Integer>(input: &A, max_label: usize) -> Vec<Option<Vec<Range<usize>>>> {
    {
        let max_label = (max_label > 0).then_some(max_label);
        let boxes = check(morphology::boxes("find_objects", input.raw(), max_label));
        let range = |[first, last]: [usize; 2]| first..last + 1;
        boxes.into_iter().map(|ends| ends.map(|ends| ends.into_iter().map(range).collect())).collect()
    }
}

thin! {
    /// `distance_transform_edt` with all of its arguments.
    pub fn distance_transform_edt<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        sampling: impl MaybeNumbers,
    ) -> DeviceArray<f64> =>
        morphology::distances("distance_transform_edt", input.raw(), sampling.given(), false).map(|found| found.0);
}

thin! {
    /// `zoom` with all of its arguments.
    pub fn zoom<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        zoom: impl IntoNumbers,
        order: usize,
        mode: &str,
        cval: impl IntoFloat,
        prefilter: bool,
        grid_mode: bool,
    ) -> DeviceArray<T> =>
        interpolation::zoomed(
            "zoom",
            input.raw(),
            &zoom.into_numbers(),
            Spline { order, mode, outside: cval.into_float(), prefilter },
            grid_mode,
        );
}

thin! {
    /// `shift` with all of its arguments.
    pub fn shift<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        shift: impl IntoNumbers,
        order: usize,
        mode: &str,
        cval: impl IntoFloat,
        prefilter: bool,
    ) -> DeviceArray<T> =>
        interpolation::moved(
            "shift",
            input.raw(),
            &shift.into_numbers(),
            Spline { order, mode, outside: cval.into_float(), prefilter },
        );
}

thin! {
    /// `rotate` with all of its arguments.
    pub fn rotate<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        angle: impl IntoFloat,
        axes: impl IntoAxes,
        reshape: bool,
        order: usize,
        mode: &str,
        cval: impl IntoFloat,
        prefilter: bool,
    ) -> DeviceArray<T> =>
        interpolation::rotated(
            "rotate",
            input.raw(),
            angle.into_float(),
            &axes.into_axes(),
            reshape,
            Spline { order, mode, outside: cval.into_float(), prefilter },
        );
}

thin! {
    /// `affine_transform` with all of its arguments.
    pub fn affine_transform<A: OnDevice<Elem = T>, T: Real, M: ?Sized + AnyArray>(
        input: &A,
        matrix: &M,
        offset: impl IntoNumbers,
        output_shape: impl MaybeAxes,
        order: usize,
        mode: &str,
        cval: impl IntoFloat,
        prefilter: bool,
    ) -> DeviceArray<T> =>
        matrix_of("affine_transform", &matrix.any_view(), input.raw()).and_then(|(values, form)| {
            let spline = Spline { order, mode, outside: cval.into_float(), prefilter };
            let (offset, shape) = (offset.into_numbers(), output_shape.given());
            interpolation::affine("affine_transform", input.raw(), (values, &form), &offset, shape, spline)
        });
}

thin! {
    /// `map_coordinates` with all of its arguments.
    pub fn map_coordinates<A: OnDevice<Elem = T>, T: Real, C: ?Sized + AnyArray>(
        input: &A,
        coordinates: &C,
        order: usize,
        mode: &str,
        cval: impl IntoFloat,
        prefilter: bool,
    ) -> DeviceArray<T> =>
        coordinates_of("map_coordinates", &coordinates.any_view(), input.raw()).and_then(|places| {
            let spline = Spline { order, mode, outside: cval.into_float(), prefilter };
            let at = Where::Coordinates(&places);
            interpolation::transformed("map_coordinates", input.raw(), &at, &places.shape()[1..], None, spline)
        });
}

thin! {
    /// `spline_filter` with all of its arguments.
    pub fn spline_filter<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        order: usize,
        mode: &str,
    ) -> DeviceArray<f64> =>
        interpolation::coefficients("spline_filter", input.raw(), None, order, mode);
}

thin! {
    /// `spline_filter1d` with all of its arguments.
    pub fn spline_filter1d<A: OnDevice<Elem = T>, T: Real>(
        input: &A,
        order: usize,
        axis: isize,
        mode: &str,
    ) -> DeviceArray<f64> =>
        interpolation::coefficients("spline_filter1d", input.raw(), Some(axis), order, mode);
}

thin! {
    /// `fourier_gaussian` with all of its arguments.
    pub fn fourier_gaussian<A: OnDevice<Elem = T>, T: Element>(
        input: &A,
        sigma: impl IntoNumbers,
        n: isize,
        axis: isize,
    ) -> DeviceArray<T::Mean> =>
        measurements::in_frequency(
            "fourier_gaussian",
            input.raw(),
            &sigma.into_numbers(),
            Frequency::Gaussian,
            n,
            axis,
        );
}

thin! {
    /// `fourier_uniform` with all of its arguments.
    pub fn fourier_uniform<A: OnDevice<Elem = T>, T: Element>(
        input: &A,
        size: impl IntoNumbers,
        n: isize,
        axis: isize,
    ) -> DeviceArray<T::Mean> =>
        measurements::in_frequency("fourier_uniform", input.raw(), &size.into_numbers(), Frequency::Uniform, n, axis);
}

thin! {
    /// `fourier_shift` with all of its arguments.
    pub fn fourier_shift<A: OnDevice<Elem = T>, T: Element>(
        input: &A,
        shift: impl IntoNumbers,
        n: isize,
        axis: isize,
    ) -> DeviceArray<Spectrum<T>> =>
        measurements::in_frequency("fourier_shift", input.raw(), &shift.into_numbers(), Frequency::Shift, n, axis);
}
