//! How reports write times, shares and amounts: pure text, no clocks. Times are written IPython's way. (IPython,
//! core/magics/execution.py, `_format_time` and `TimeitResult`.)

use crate::number::general;

/// A duration in seconds with `precision` significant digits and its unit; from one minute on, `1min 3s`.
pub(crate) fn time(seconds: f64, precision: usize) -> String {
    if seconds >= 60.0 {
        return long_time(seconds);
    }
    let order = if seconds > 0.0 { (-(seconds.log10().floor() as i32).div_euclid(3)).clamp(0, 3) } else { 3 };
    let (scale, unit) = [(1.0, "s"), (1e3, "ms"), (1e6, "μs"), (1e9, "ns")][order as usize];
    format!("{} {unit}", general(seconds * scale, precision))
}

/// The mean and deviation of timings in seconds, with the number of runs and loops.
pub(super) fn timeit(average: f64, stdev: f64, runs: usize, loops: u64, precision: usize) -> String {
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    format!(
        "{} ± {} per loop (mean ± std. dev. of {runs} run{}, {} loop{} each)",
        time(average, precision),
        time(stdev, precision),
        plural(runs as u64),
        thousands(loops),
        plural(loops),
    )
}

/// A share, such as 0.5, in percent.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 99.95 {
        format!("{} %", general(percent, 3))
    } else {
        format!("{} %", thousands(percent.round() as u64))
    }
}

/// A number of bytes, in units of 1000 as bandwidths are given in.
pub(crate) fn bytes(number: u64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.into_iter().find(|(_, size)| number as f64 >= *size) {
        Some((unit, size)) => format!("{} {unit}", general(number as f64 / size, 4)),
        None => format!("{number} bytes"),
    }
}

/// Bytes a second, in GB/s.
pub(crate) fn bandwidth(bytes_per_second: f64) -> String {
    let gigabytes = bytes_per_second / 1e9;
    if gigabytes < 1000.0 {
        format!("{} GB/s", general(gigabytes, 3))
    } else {
        format!("{} GB/s", thousands(gigabytes.round() as u64))
    }
}

fn long_time(seconds: f64) -> String {
    let mut parts = Vec::new();
    let mut rest = seconds;
    for (unit, length) in [("d", 86_400.0), ("h", 3_600.0), ("min", 60.0), ("s", 1.0)] {
        let count = (rest / length).floor();
        if count > 0.0 {
            rest %= length;
            parts.push(format!("{count}{unit}"));
        }
        if rest < 1.0 {
            break;
        }
    }
    parts.join(" ")
}

/// A number with commas between its thousands.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    /// From IPython 8.12:
    /// ```python
    /// from IPython.core.magics.execution import _format_time
    /// print(_format_time(seconds, precision).replace("\xb5", "μ"))  # IPython 9 writes U+03BC itself
    /// ```
    #[test]
    fn times_are_written_as_ipython_writes_them() {
        for (seconds, precision, expected) in [
            (0.0, 3, "0 ns"),
            (4.16e-11, 3, "0.0416 ns"),
            (1e-14, 3, "1e-05 ns"),
            (9.996e-10, 3, "1 ns"),
            (1e-9, 3, "1 ns"),
            (1.5e-8, 3, "15 ns"),
            (9.999e-7, 3, "1e+03 ns"),
            (1e-6, 3, "1 μs"),
            (9.1e-5, 3, "91 μs"),
            (0.00316, 3, "3.16 ms"),
            (0.0999949, 3, "100 ms"),
            (0.9999, 3, "1e+03 ms"),
            (1.0, 3, "1 s"),
            (59.99, 3, "60 s"),
            (60.0, 3, "1min"),
            (63.4, 3, "1min 3s"),
            (3600.0, 3, "1h"),
            (90061.5, 3, "1d 1h 1min 1s"),
            (172800.0, 3, "2d"),
            (0.00123456789, 5, "1.2346 ms"),
            (0.00123456789, 0, "1 ms"),
            (0.00123456789, 1, "1 ms"),
            (0.0025, 1, "2 ms"),
            (0.000123456, 2, "1.2e+02 μs"),
        ] {
            assert_eq!(super::time(seconds, precision), expected, "{seconds} with {precision} digits");
        }
    }
    #[test]
    fn shares_and_amounts_have_few_digits() {
        assert_eq!(
            [0.0, 0.012_345, 0.5, 0.999_9, 1.0, 12.0].map(super::percent).join(", "),
            "0 %, 1.23 %, 50 %, 100 %, 100 %, 1,200 %"
        );
        assert_eq!(
            [0, 999, 1000, 12_345_678, 800_000_000_000].map(super::bytes).join(", "),
            "0 bytes, 999 bytes, 1 kB, 12.35 MB, 800 GB"
        );
        assert_eq!(
            [1.5e6, 2.345_6e10, 9.994e11, 4.0206e12].map(super::bandwidth).join(", "),
            "0.0015 GB/s, 23.5 GB/s, 999 GB/s, 4,021 GB/s"
        );
    }
}
