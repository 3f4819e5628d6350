//! IPython's way to write times: pure text, no clocks. (IPython, core/magics/execution.py, `_format_time` and
//! `TimeitResult`.)

use crate::number::general;

/// A duration in seconds with `precision` significant digits and its unit; from one minute on, `1min 3s`.
pub(super) fn time(seconds: f64, precision: usize) -> String {
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

fn thousands(number: u64) -> String {
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
}
