//! A colour for each cell of a grid: [`pcolormesh`], and [`specgram`], which draws one.

use super::super::values::Parts;
use super::super::{builder::Plot, chart::PlotKind, colors::Colors, look::Look, mark::Mark};
use super::Surface;
use crate::array::{DeviceArray, OnDevice};
use crate::dtype::Number;
use crate::error::{Error, Result, check};
use crate::floats::IntoFloat;
use crate::number::general;
use crate::signal::{spectrogram_with, windows::hann};

/// Numbers over a grid, and where its cells end.
#[derive(Clone, Debug)]
struct Mesh {
    /// One more than columns, and one more than rows.
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
}

impl PlotKind for Mesh {
    fn name(&self) -> &'static str {
        "pcolormesh"
    }

    fn describe(&self, _look: &Look) -> String {
        let (rows, columns) = (self.y.len() - 1, self.x.len() - 1);
        match self.range() {
            Some((min, max)) => format!("mesh {rows}×{columns}, min {}, max {}", general(min, 6), general(max, 6)),
            None => format!("mesh {rows}×{columns}, no finite element"),
        }
    }

    fn marks(&self, _look: &Look) -> Vec<Mark<'_>> {
        vec![Mark::Mesh { x: &self.x, y: &self.y, numbers: &self.z }]
    }

    fn fills_axes(&self) -> bool {
        true
    }
}

impl Mesh {
    /// The least and the largest finite number.
    fn range(&self) -> Option<(f64, f64)> {
        let finite = || self.z.iter().copied().filter(|number| number.is_finite());
        finite().min_by(f64::total_cmp).zip(finite().max_by(f64::total_cmp))
    }
}

/// Shows an array as coloured cells in the coordinates of `x` and `y`, as matplotlib's `pcolormesh` does: row 0 at the bottom, in
/// cells of any widths and heights. A colour bar shows which colour stands for which number; NaN is drawn grey.
///
/// `surface`: `&z`, a 2-D array on the host or on the device, or `(&x, &y, &z)`. Element `z[i, j]` fills the cell from `x[j]` to
/// `x[j + 1]` and from `y[i]` to `y[i + 1]`. If `x` has as many places as `z` has columns, they are the middles of the cells, and so
/// for `y`. Without `x` and `y` the cells are as wide and high as 1.
///
/// **Panics** unless `z` has two axes and elements, `x` and `y` have one axis and fit, and their numbers ascend or descend.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let z = ndarray::array![[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]];
/// gpu::pcolormesh((&[0.0, 1.0, 3.0, 9.0], &[0.0, 1.0, 2.0], &z)).cmap("coolwarm").xlabel("metres").show();
/// assert_eq!(format!("{:?}", gpu::pcolormesh(&z)), "Plot: mesh 2×3, min 0, max 5");
/// ```
#[track_caller]
pub fn pcolormesh<S: Surface>(surface: S) -> Plot {
    check(try_pcolormesh(surface))
}

/// As [`pcolormesh`], but returns the error.
///
/// ```
/// let error = warpcell::try_pcolormesh(&[1.0, 2.0]).unwrap_err();
/// assert!(error.to_string().contains("a mesh needs a 2-D array"), "{error}");
/// ```
pub fn try_pcolormesh<S: Surface>(surface: S) -> Result<Plot> {
    Ok(Plot::new().with_mesh(mesh(surface.parts())?))
}

/// Shows the power of a 1-D signal by time and frequency in decibels, as matplotlib's `specgram` does. `Fs` is the number of samples
/// a second. `gpu::specgram!(&x, Fs = 1000, NFFT = 512, noverlap = 384)` has its keywords: 256 samples for each spectrum, of
/// which 128 are those of the one before, and 2 samples a second unless they are given. The numbers are those of
/// [`signal::spectrogram`](fn@crate::signal::spectrogram) with a symmetric window of Hann and without subtracting a mean.
///
/// **Panics** if the signal is not 1-D or shorter than `NFFT` ([`Error::InvalidShape`]), or `noverlap` is not less than `NFFT`
/// ([`Error::InvalidArgument`]).
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
/// let t = gpu::linspace(0.0, 4.0, 4000);
/// let rising = (&t * &t * 200.0).sin();
/// gpu::specgram(&rising, 1000).xlabel("s").ylabel("Hz").colorbar_label("dB").show();
/// gpu::specgram!(&rising, Fs = 1000, NFFT = 128, noverlap = 64).cmap("magma").show();
/// ```
#[track_caller]
#[allow(non_snake_case, reason = "matplotlib's name")]
pub fn specgram<X: OnDevice<Elem = T>, T: Number>(x: &X, Fs: impl IntoFloat) -> Plot {
    specgram_with(x, 256, Fs, 128)
}

/// As [`specgram`](fn@specgram), with matplotlib's other arguments.
#[track_caller]
#[allow(non_snake_case, reason = "matplotlib's names")]
pub fn specgram_with<X: OnDevice<Elem = T>, T: Number>(
    x: &X,
    NFFT: usize,
    Fs: impl IntoFloat,
    noverlap: usize,
) -> Plot {
    let length = x.raw().shape().to_vec();
    if length.len() != 1 || length[0] < NFFT || NFFT == 0 {
        let reason = format!(
            "is not that of a signal of at least `NFFT` samples, {NFFT}; give a longer 1-D array or a smaller `NFFT`"
        );
        check::<()>(Err(Error::shape("specgram", length, reason)));
    }
    let (window, fs) = (hann(NFFT), Fs.into_float());
    let given = (Some(NFFT), Some(noverlap), None::<usize>);
    let (f, t, power) = spectrogram_with(x, fs, &window, given.0, given.1, given.2, "none", true, "density", -1, "psd");
    let decibels: DeviceArray<f64> = power.astype::<f64>().log10() * 10.0;
    Plot::new().with_mesh(check(mesh(Surface::parts(&(&t, &f, &decibels)))))
}

impl Plot {
    /// Adds coloured cells. See [`pcolormesh`].
    ///
    /// ```
    /// let z = ndarray::array![[0.0, 1.0], [1.0, 3.0]];
    /// warpcell::Plot::new().pcolormesh(&z).plot((&[0.0, 2.0], &[0.0, 2.0])).show();
    /// ```
    #[track_caller]
    pub fn pcolormesh<S: Surface>(self, surface: S) -> Plot {
        let mesh = check(mesh(surface.parts()));
        self.with_mesh(mesh)
    }

    fn with_mesh(self, mesh: Mesh) -> Plot {
        let positive =
            mesh.z.iter().copied().filter(|number| *number > 0.0 && number.is_finite()).min_by(f64::total_cmp);
        let colors = Colors::new(mesh.range(), positive);
        self.with_series(mesh).with_last("pcolormesh", |series| series.colors = Some(colors))
    }
}

fn mesh(((shape, z), places): Parts) -> Result<Mesh> {
    let invalid = |shape: &[usize], reason: String| Err(Error::shape("pcolormesh", shape, reason));
    let [rows @ (1..), columns @ (1..)] = shape[..] else {
        return invalid(
            &shape,
            "has no cells; a mesh needs a 2-D array, write `gpu::pcolormesh(&z.reshape((20, 30)))`".into(),
        );
    };
    let Some([x, y]) = places else {
        let count = |count: usize| (0..=count).map(|index| index as f64).collect();
        return Ok(Mesh { x: count(columns), y: count(rows), z });
    };
    let mut ends = Vec::new();
    for (name, (given, numbers), cells) in [("x", x, columns), ("y", y, rows)] {
        if given.len() != 1 || !(given[0] == cells || given[0] == cells + 1) {
            let reason = format!(
                "of {name} does not fit the shape {shape:?} of z; give {} ends of cells, or {cells} middles",
                cells + 1
            );
            return invalid(&given, reason);
        }
        let ascends = numbers.windows(2).all(|pair| pair[0] < pair[1]);
        let descends = numbers.windows(2).all(|pair| pair[0] > pair[1]);
        if !(ascends || descends) || !numbers.iter().all(|number| number.is_finite()) {
            return Err(Error::argument(
                "pcolormesh",
                format!("the numbers of {name} neither ascend nor descend; sort them"),
            ));
        }
        ends.push(if given[0] == cells { around(&numbers) } else { numbers });
    }
    let y = ends.pop().expect("two axes");
    Ok(Mesh { x: ends.pop().expect("two axes"), y, z })
}

/// The ends of cells with these middles: halfway between neighbours, and as far beyond the first one and the last one.
fn around(middles: &[f64]) -> Vec<f64> {
    let [first, .., last] = middles else { return middles.iter().flat_map(|at| [at - 0.5, at + 0.5]).collect() };
    let between = middles.windows(2).map(|pair| pair[0] / 2.0 + pair[1] / 2.0);
    let mut ends: Vec<f64> = std::iter::once(*first).chain(between).chain([*last]).collect();
    let count = ends.len();
    ends[0] = 2.0 * first - ends[1];
    ends[count - 1] = 2.0 * last - ends[count - 2];
    ends
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::super::png::{Box2, layout, size};
    use super::super::super::tests::{picture, save};
    use super::*;
    use ndarray::array;

    pub fn hard_to_draw() -> Vec<Plot> {
        vec![
            pcolormesh(&array![[f64::NAN, f64::INFINITY]]),
            pcolormesh((&[0.0, 1e300], &[5.0, -5.0], &array![[1.0]])).xscale("log"),
            pcolormesh((&[1.0], &[2.0, 3.0], &array![[1.0], [2.0]])).ylim(2.4, 2.5),
        ]
    }

    #[test]
    fn cells_have_their_places_and_colours() {
        let plot = pcolormesh((&[0.0, 1.0, 4.0], &[0.0, 1.0, 2.0], &array![[0.0, 1.0], [2.0, 3.0]])).cmap("gray");
        let (width, height) = size(plot.chart());
        let place = layout(plot.chart(), Box2 { left: 0, top: 0, width, height }).inside;
        let picture = picture(&plot);
        // Parts of the width, and of the height from the bottom.
        let at = |x: f64, y: f64| {
            let (x, y) = (f64::from(place.width) * x, f64::from(place.height) * (1.0 - y));
            picture.get_pixel(place.left + x as u32, place.top + y as u32).0
        };
        assert_eq!([at(0.2, 0.2), at(0.3, 0.2), at(0.2, 0.7), at(0.9, 0.7)], [[0; 3], [85; 3], [170; 3], [255; 3]]);
        save(&plot, "mesh");
    }

    #[test]
    fn middles_have_cells_around_them() {
        assert_eq!(around(&[1.0, 2.0, 4.0]), [0.5, 1.5, 3.0, 5.0]);
        assert_eq!(around(&[3.0]), [2.5, 3.5]);
        let text = |places: usize| {
            let x: Vec<f64> = (0..places).map(|x| x as f64).collect();
            try_pcolormesh((&x, &[0.0, 1.0], &array![[1.0, 2.0]]))
                .map(|plot| plot.to_string())
                .map_err(|error| error.to_string())
        };
        assert_eq!(text(3), text(2));
        assert!(text(4).unwrap_err().contains("give 3 ends of cells, or 2 middles"));
        assert!(
            try_pcolormesh((&[1.0, 1.0], &[0.0, 1.0], &array![[1.0]])).unwrap_err().to_string().contains("sort them")
        );
    }

    #[test]
    fn a_tone_is_a_line_of_a_specgram() {
        let t = crate::arange(2048.0) / 1024.0;
        let tone = (t * (std::f64::consts::TAU * 128.0)).sin();
        let plot = specgram(&tone, 1024);
        assert!(plot.to_string().starts_with("Plot: mesh 129×15, min "), "{plot}");
        save(&plot, "specgram");
    }
}
