//! Methods of options that set one of them.
//!
//! A method in [`setters!`] has neither `self` nor a result, because all take the options and give them back. Behind `=>`
//! stands the field with its new value:
//!
//! ```text
//! setters! {
//!     /// At most so many rows are read.
//!     pub fn max_rows(rows: usize) => max_rows = Some(rows);
//! }
//! ```

/// Methods that set a field; see the head of this file.
macro_rules! setters {
    ($($(#[$attribute:meta])* pub fn $name:ident($($value:ident: $type:ty)?) => $($field:ident).+ = $new:expr;)*) => {$(
        $(#[$attribute])*
        pub fn $name(mut self $(, $value: $type)?) -> Self {
            self.$($field).+ = $new;
            self
        }
    )*};
}
pub(crate) use setters;
