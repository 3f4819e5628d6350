//! Numbers as text, for reports and plots.

/// C's `%.*g`: at most `precision` significant digits, with an exponent only where that is shorter.
pub(crate) fn general(value: f64, precision: usize) -> String {
    if !value.is_finite() {
        return value.to_string().to_lowercase();
    }
    let precision = precision.max(1);
    let scientific = format!("{value:.*e}", precision - 1);
    let (digits, exponent) = scientific.split_once('e').expect("`{:e}` writes an exponent");
    let exponent: i32 = exponent.parse().expect("`{:e}` writes a whole exponent");
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if exponent < -4 || exponent >= precision as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trim(digits), exponent.abs());
    }
    trim(&format!("{value:.*}", (precision as i32 - 1 - exponent) as usize))
}

#[cfg(test)]
mod tests {
    use super::general;

    /// From Python: `"%.*g" % (precision, value)`.
    #[test]
    fn numbers_are_written_as_c_writes_them() {
        for (value, precision, expected) in [
            (0.0, 6, "0"),
            (1.0, 6, "1"),
            (-0.1, 6, "-0.1"),
            (f64::from(0.1f32), 6, "0.1"),
            (1e-4, 6, "0.0001"),
            (1e-5, 6, "1e-05"),
            (123456.7, 6, "123457"),
            (1234567.0, 6, "1.23457e+06"),
            (2.5, 1, "2"),
            (f64::INFINITY, 3, "inf"),
            (f64::NAN, 3, "nan"),
        ] {
            assert_eq!(general(value, precision), expected);
        }
    }
}
