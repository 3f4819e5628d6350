//! How arrays print: NumPy's `set_printoptions`, for the whole process.

use crate::setters::setters;
use std::fmt;
use std::sync::{PoisonError, RwLock};

/// How arrays print, for [`set_printoptions`]. What is not set stays as it is.
///
/// ```
/// use warpcell::PrintOptions;
/// let options = PrintOptions::new().precision(3).suppress(true);
/// assert_eq!(format!("{options:?}"), "PrintOptions { precision: 3, suppress: true }");
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct PrintOptions {
    precision: Option<usize>,
    threshold: Option<usize>,
    edgeitems: Option<usize>,
    linewidth: Option<usize>,
    suppress: Option<bool>,
}

impl PrintOptions {
    /// Options that change nothing yet.
    pub fn new() -> PrintOptions {
        PrintOptions::default()
    }

    setters! {
        /// How many digits floats have at most behind the point; at first 8.
        pub fn precision(digits: usize) => precision = Some(digits);

        /// From how many elements on only the ends of the axes are shown: arrays with more than so many are abbreviated; at
        /// first 1000. `usize::MAX` shows everything.
        pub fn threshold(elements: usize) => threshold = Some(elements);

        /// How many entries an abbreviated axis shows at each end; at first 3.
        pub fn edgeitems(entries: usize) => edgeitems = Some(entries);

        /// After how many characters a row goes on in a new line. At first each row is one line, `usize::MAX`; NumPy's own value
        /// is 75.
        pub fn linewidth(characters: usize) => linewidth = Some(characters);

        /// Whether small floats are shown without exponents, so that numbers that are nearly zero look like it; at first not.
        /// Numbers from 1e8 on have exponents even then.
        pub fn suppress(on: bool) => suppress = Some(on);
    }
}

/// The options that are set.
impl fmt::Debug for PrintOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PrintOptions { precision, threshold, edgeitems, linewidth, suppress } = self;
        let mut fields = f.debug_struct("PrintOptions");
        let mut field = |name: &str, value: Option<&dyn fmt::Debug>| {
            if let Some(value) = value {
                fields.field(name, value);
            }
        };
        field("precision", precision.as_ref().map(|value| value as _));
        field("threshold", threshold.as_ref().map(|value| value as _));
        field("edgeitems", edgeitems.as_ref().map(|value| value as _));
        field("linewidth", linewidth.as_ref().map(|value| value as _));
        field("suppress", suppress.as_ref().map(|value| value as _));
        fields.finish()
    }
}

/// All options, as they hold.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub precision: usize,
    pub threshold: usize,
    pub edgeitems: usize,
    pub linewidth: usize,
    pub suppress: bool,
}

/// What holds until something else is set.
pub(super) const INITIAL: Settings =
    Settings { precision: 8, threshold: 1000, edgeitems: 3, linewidth: usize::MAX, suppress: false };

static SETTINGS: RwLock<Settings> = RwLock::new(INITIAL);

/// The options that hold now.
pub(crate) fn settings() -> Settings {
    *SETTINGS.read().unwrap_or_else(PoisonError::into_inner)
}

/// Sets how arrays print from now on, in the whole notebook: with `{}`, with `{:?}`, and as the value of a cell. The names are
/// NumPy's. Options that are not given stay as they are.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
/// use gpu::PrintOptions;
///
/// let a = gpu::array(&[1.0 / 3.0, 2e-9]);
/// assert_eq!(a.to_string(), "[3.33333333e-01 2.00000000e-09]");
/// let before = gpu::get_printoptions();
/// gpu::set_printoptions(PrintOptions::new().precision(3).suppress(true));
/// assert_eq!(a.to_string(), "[0.333 0.   ]");
/// gpu::set_printoptions(PrintOptions::new().threshold(4).edgeitems(1));
/// assert_eq!(gpu::arange(5.0).to_string(), "[0. ... 4.]");
/// gpu::set_printoptions(before);
/// ```
pub fn set_printoptions(options: PrintOptions) {
    let mut held = SETTINGS.write().unwrap_or_else(PoisonError::into_inner);
    *held = Settings {
        precision: options.precision.unwrap_or(held.precision),
        threshold: options.threshold.unwrap_or(held.threshold),
        edgeitems: options.edgeitems.unwrap_or(held.edgeitems),
        linewidth: options.linewidth.unwrap_or(held.linewidth),
        suppress: options.suppress.unwrap_or(held.suppress),
    };
}

/// How arrays print now: all options are set, so that [`set_printoptions`] brings them back later.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let before = gpu::get_printoptions();
/// gpu::set_printoptions(gpu::PrintOptions::new().precision(2));
/// assert_eq!(gpu::array(&[0.125]).to_string(), "[0.12]");
/// gpu::set_printoptions(before);
/// assert_eq!(gpu::array(&[0.125]).to_string(), "[0.125]");
/// ```
pub fn get_printoptions() -> PrintOptions {
    let Settings { precision, threshold, edgeitems, linewidth, suppress } = settings();
    PrintOptions {
        precision: Some(precision),
        threshold: Some(threshold),
        edgeitems: Some(edgeitems),
        linewidth: Some(linewidth),
        suppress: Some(suppress),
    }
}
