//! The table of variables that `%whos` prints. What is known of a value depends on its type: of arrays the shape, the
//! element type, the place and the size; of others what `Debug` writes.
//!
//! The kernel writes `(&&&&Probe(&x)).describe()` for each variable: the compiler takes the first of the traits below that
//! the type has, since each stands behind one reference less than the one before.

use crate::array::DeviceArray;
use crate::dtype::Element;
use crate::type_name::readable;
use ndarray::{ArrayBase, Data, Dimension};
use std::fmt::{self, Debug, Write};

/// Longer types and infos are cut.
const WIDEST: [usize; 2] = [44, 72];

/// Name, type and info of a variable.
pub type Row<'a> = (&'a str, &'a str, String);

/// Prints a table of variables.
pub fn whos(rows: &[Row<'_>]) {
    println!("{}", table(rows));
}

fn table(rows: &[Row<'_>]) -> String {
    if rows.is_empty() {
        return "There are no variables yet.".to_owned();
    }
    let head = ("Variable", "Type", "Data/Info".to_owned());
    let rows = rows.iter().map(|(name, type_name, info)| (*name, cut(type_name, WIDEST[0]), info));
    let mut lines = vec![(head.0, head.1.to_owned(), &head.2)];
    lines.extend(rows);
    let width = |of: fn(&(&str, String, &String)) -> usize| lines.iter().map(of).max().unwrap_or(0);
    let names = width(|line| line.0.chars().count());
    let types = width(|line| line.1.chars().count());
    let mut text = String::new();
    for (index, (name, type_name, info)) in lines.iter().enumerate() {
        let line = format!("{name:names$}   {type_name:types$}   {info}");
        text += line.trim_end();
        if index == 0 {
            text += &format!("\n{}", "-".repeat(line.chars().count()));
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - 1).chain(['…']).collect()
}

/// A value that is to be described.
#[doc(hidden)]
pub struct Probe<'a, T: ?Sized>(pub &'a T);

/// Arrays on a device.
#[doc(hidden)]
pub trait DescribeDevice {
    /// Shape, element type, device and size.
    fn describe(&self) -> String;
}

impl<T: Element> DescribeDevice for &&&Probe<'_, DeviceArray<T>> {
    fn describe(&self) -> String {
        let array = self.0;
        array_info(array.shape(), array.dtype().name(), &array.device().to_string(), array.nbytes())
    }
}

/// `ndarray`'s arrays.
#[doc(hidden)]
pub trait DescribeHost {
    /// Shape, element type and size.
    fn describe(&self) -> String;
}

impl<S: Data, D: Dimension> DescribeHost for &&Probe<'_, ArrayBase<S, D>> {
    fn describe(&self) -> String {
        let array = self.0;
        let bytes = array.len() * size_of::<S::Elem>();
        array_info(array.shape(), &readable(std::any::type_name::<S::Elem>()), "host", bytes)
    }
}

/// What has `Debug`.
#[doc(hidden)]
pub trait DescribeDebug {
    /// The start of what `Debug` writes.
    fn describe(&self) -> String;
}

impl<T: Debug + ?Sized> DescribeDebug for &Probe<'_, T> {
    fn describe(&self) -> String {
        start_of(&self.0)
    }
}

/// What has nothing to show.
#[doc(hidden)]
pub trait DescribeAny {
    /// The size.
    fn describe(&self) -> String;
}

impl<T> DescribeAny for Probe<'_, T> {
    fn describe(&self) -> String {
        format!("(no Debug) {} bytes", size_of::<T>())
    }
}

fn array_info(shape: &[usize], dtype: &str, place: &str, bytes: usize) -> String {
    let lengths: Vec<String> = shape.iter().map(usize::to_string).collect();
    let shape = if lengths.is_empty() { "scalar".to_owned() } else { lengths.join("x") };
    format!("{shape}: {dtype} on {place}, {}", bytes_in_words(bytes))
}

/// A number of bytes; large ones also in a larger unit.
pub(super) fn bytes_in_words(bytes: usize) -> String {
    let units = [("GiB", 1usize << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.into_iter().find(|(_, size)| bytes >= *size) {
        Some((unit, size)) => format!("{bytes} bytes ({:.1} {unit})", bytes as f64 / size as f64),
        None => format!("{bytes} bytes"),
    }
}

/// The start of what `Debug` writes, on one line. The rest of a long value is not even formatted.
fn start_of(value: &dyn Debug) -> String {
    let mut line = Line { text: String::new(), width: 0 };
    // A full line stops the formatting, as an error.
    let _ = write!(line, "{value:?}");
    line.text
}

struct Line {
    text: String,
    width: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            if self.width + 1 == WIDEST[1] {
                self.text.push('…');
                self.width += 1;
            }
            if self.width >= WIDEST[1] {
                return Err(fmt::Error);
            }
            self.text.push(if character.is_control() { ' ' } else { character });
            self.width += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    struct Opaque {
        _content: [u8; 3],
    }

    #[test]
    #[expect(clippy::needless_borrow, reason = "this is how the kernel writes it")]
    fn each_type_is_described_by_what_it_has() {
        let device = crate::host::zeros::<f32, _>((2, 3));
        let device = crate::asarray(&device);
        let host = ndarray::Array1::<f64>::zeros(2048);
        let text = "two\nlines".to_owned();
        let opaque = Opaque { _content: [0; 3] };
        let many = vec![1u8; 1_000_000];
        let scalar = ndarray::arr0(1i32);
        let halves = crate::zeros::<crate::f16>(3);
        let rows = [
            ("device", "DeviceArray<f32>", (&&&&Probe(&device)).describe()),
            ("host", "Array1<f64>", (&&&&Probe(&host)).describe()),
            ("halves", "DeviceArray<f16>", (&&&&Probe(&halves)).describe()),
            ("on_host", "ArrayD<f16>", (&&&&Probe(&halves.to_host())).describe()),
            ("text", "String", (&&&&Probe(&text)).describe()),
            ("opaque", "Opaque", (&&&&Probe(&opaque)).describe()),
            ("many", "Vec<u8>", (&&&&Probe(&many)).describe()),
            ("scalar", &"Very".repeat(12), (&&&&Probe(&scalar)).describe()),
        ];
        expect![[r#"
            Variable   Type                                           Data/Info
            -------------------------------------------------------------------
            device     DeviceArray<f32>                               2x3: f32 on cpu, 24 bytes
            host       Array1<f64>                                    2048: f64 on host, 16384 bytes (16.0 KiB)
            halves     DeviceArray<f16>                               3: f16 on cpu, 6 bytes
            on_host    ArrayD<f16>                                    3: f16 on host, 6 bytes
            text       String                                         "two\nlines"
            opaque     Opaque                                         (no Debug) 3 bytes
            many       Vec<u8>                                        [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1…
            scalar     VeryVeryVeryVeryVeryVeryVeryVeryVeryVeryVer…   scalar: i32 on host, 4 bytes"#]]
        .assert_eq(&table(&rows));
    }

    #[test]
    fn without_variables_it_says_so() {
        assert_eq!(table(&[]), "There are no variables yet.");
    }

    #[test]
    fn a_value_that_fits_is_not_cut() {
        let text = "x".repeat(WIDEST[1] - 3);
        assert_eq!(start_of(&text), format!("\"{text}\""));
        assert_eq!(start_of(&format!("{text}xxx")).chars().count(), WIDEST[1]);
    }
}
