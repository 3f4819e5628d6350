//! How arrays print: NumPy's `set_printoptions`, for the whole process.

use std::fmt;
use std::sync::{PoisonError, RwLock};

/// The options: the method that sets each of them, and what holds until something else is set.
macro_rules! options {
    ($($(#[$doc:meta])* pub fn $name:ident($value:ident: $type:ty), at first $initial:expr;)*) => {
        /// How arrays print, for [`set_printoptions`]. What is not set stays as it is.
        ///
        /// ```
        /// use warpcell::PrintOptions;
        /// let options = PrintOptions::new().precision(3).suppress(true);
        /// assert_eq!(format!("{options:?}"), "PrintOptions { precision: 3, suppress: true }");
        /// ```
        #[derive(Clone, Copy, Default, PartialEq, Eq)]
        pub struct PrintOptions {
            $($name: Option<$type>,)*
        }

        impl PrintOptions {
            /// Options that change nothing yet.
            pub fn new() -> PrintOptions {
                PrintOptions::default()
            }

            $(
                $(#[$doc])*
                pub fn $name(mut self, $value: $type) -> PrintOptions {
                    self.$name = Some($value);
                    self
                }
            )*

            /// All options, with what holds where nothing is set.
            fn over(self, held: Settings) -> Settings {
                Settings { $($name: self.$name.unwrap_or(held.$name)),* }
            }
        }

        /// The options that are set.
        impl fmt::Debug for PrintOptions {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut fields = f.debug_struct("PrintOptions");
                $(if let Some(value) = &self.$name {
                    fields.field(stringify!($name), value);
                })*
                fields.finish()
            }
        }

        /// All options, as they hold.
        #[derive(Clone, Copy)]
        pub(crate) struct Settings {
            $(pub $name: $type,)*
        }

        impl From<Settings> for PrintOptions {
            fn from(held: Settings) -> PrintOptions {
                PrintOptions { $($name: Some(held.$name)),* }
            }
        }

        /// What holds until something else is set.
        pub(super) const INITIAL: Settings = Settings { $($name: $initial),* };
    };
}

options! {
    /// How many digits floats have at most behind the point; at first 8.
    pub fn precision(digits: usize), at first 8;

    /// From how many elements on only the ends of the axes are shown: arrays with more than so many are abbreviated; at
    /// first 1000. `usize::MAX` shows everything.
    pub fn threshold(elements: usize), at first 1000;

    /// How many entries an abbreviated axis shows at each end; at first 3.
    pub fn edgeitems(entries: usize), at first 3;

    /// After how many characters a row goes on in a new line. At first each row is one line, `usize::MAX`; NumPy's own value
    /// is 75.
    pub fn linewidth(characters: usize), at first usize::MAX;

    /// Whether small floats are shown without exponents, so that numbers that are nearly zero look like it; at first not.
    /// Numbers from 1e8 on have exponents even then.
    pub fn suppress(on: bool), at first false;
}

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
    *held = options.over(*held);
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
    settings().into()
}
