//! Where the ticks of an axis stand, and their labels.

/// Positions of cells (from 0) to be labelled on an axis of `count` cells: at most `most` of them (at least 2),
/// equally spaced by 1, 2 or 5 times a power of ten.
pub(super) fn cells(count: usize, most: usize) -> Vec<usize> {
    let most = most.max(2);
    let step = (0..)
        .flat_map(|exponent| [1usize, 2, 5].map(|digit| digit.saturating_mul(10usize.saturating_pow(exponent))))
        .find(|&step| count.div_ceil(step) <= most)
        .expect("a step of the count's size leaves one tick");
    (0..count).step_by(step).collect()
}

/// Round numbers from `min` to `max` with their labels: at most `most` of them (at least 2), spaced by 1, 2, 2.5 or 5
/// times a power of ten.
pub(super) fn values(min: f64, max: f64, most: usize) -> Vec<(f64, String)> {
    let most = most.max(2);
    // Halved, so that the difference of the largest numbers is finite.
    let rough = 2.0 * ((max / 2.0 - min / 2.0) / most as f64);
    let magnitude = rough.log10().floor();
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0, 20.0, 25.0, 50.0].map(|digit| digit * 10f64.powf(magnitude));
    for step in steps {
        let (first, last) = ((min / step - 1e-9).ceil(), (max / step + 1e-9).floor());
        // Neither is so for numbers too close to one another for their size.
        let counts = first.abs() < 1e12 && last.abs() < 1e12;
        if counts && last - first < most as f64 {
            let ticks = (first as i64..=last as i64).map(|index| index as f64 * step);
            return ticks.map(|tick| (tick, label(tick, step))).collect();
        }
    }
    vec![(min, label(min, max - min)), (max, label(max, max - min))]
}

/// Powers of ten from `min` to `max`, both over 0, with their labels: each, or each second, third … so that there are at
/// most `most` of them. Where there are less than two, round numbers between the powers.
pub(super) fn powers(min: f64, max: f64, most: usize) -> Vec<(f64, String)> {
    // What is a power of ten but for a rounding error counts as one.
    let (first, last) = ((min.log10() - 1e-9).ceil() as i32, (max.log10() + 1e-9).floor() as i32);
    if last - first < 1 {
        return values(min, max, most).into_iter().filter(|&(value, _)| value > 0.0).collect();
    }
    let step = ((last - first) as usize / most.max(2) + 1) as i32;
    let multiples = (first..=last).filter(|exponent| exponent.rem_euclid(step) == 0);
    multiples.map(|exponent| 10f64.powi(exponent)).map(|power| (power, label(power, power))).collect()
}

/// A tick's number with as many digits as the step between ticks needs.
fn label(tick: f64, step: f64) -> String {
    let digits_of = |value: f64| value.abs().log10().floor() as i32;
    // 2.5 and its multiples need one digit more than 1, 2 and 5.
    let fine = (step / 10f64.powi(digits_of(step)) - 2.5).abs() < 1e-6;
    let last_digit = digits_of(step) - i32::from(fine);
    let text = if tick.abs() < 1e6 && (-4..6).contains(&last_digit) {
        format!("{tick:.*}", (-last_digit).max(0) as usize)
    } else if tick == 0.0 {
        "0".into()
    } else {
        let text = format!("{tick:.*e}", (digits_of(tick) - last_digit).clamp(0, 15) as usize);
        match text.split_once('e') {
            Some((digits, exponent)) if digits.contains('.') => {
                format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
            }
            _ => text,
        }
    };
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_spaced_evenly() {
        assert_eq!(cells(1, 8), [0]);
        assert_eq!(cells(3, 8), [0, 1, 2]);
        assert_eq!(cells(32, 8), [0, 5, 10, 15, 20, 25, 30]);
        assert_eq!(cells(2048, 8), [0, 500, 1000, 1500, 2000]);
        assert_eq!(cells(1000, 1), [0, 500]);
    }

    #[test]
    fn powers_of_ten() {
        let labels = |min, max, most| powers(min, max, most).into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        assert_eq!(labels(0.5, 2000.0, 6), ["1", "10", "100", "1000"]);
        assert_eq!(labels(1e-3, 1.0, 6), ["0.001", "0.01", "0.1", "1"]);
        assert_eq!(labels(1e-12, 1e12, 6), ["1e−10", "1e−5", "1", "100000", "1e10"]);
        assert_eq!(labels(2.0, 9.0, 5), ["2", "4", "6", "8"]);
    }

    #[test]
    fn values_are_round() {
        let labels = |min, max, most| values(min, max, most).into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        assert_eq!(labels(0.0, 1.0, 6), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(0.0, 1.0, 5), ["0.00", "0.25", "0.50", "0.75", "1.00"]);
        assert_eq!(labels(0.0, 1.0, 1), ["0", "1"]);
        assert_eq!(labels(-1.0, 1.0, 5), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(0.0, 255.0, 6), ["0", "50", "100", "150", "200", "250"]);
        assert_eq!(labels(0.0, 4e-7, 5), ["0", "1e−7", "2e−7", "3e−7", "4e−7"]);
        assert_eq!(labels(0.0, 3e8, 4), ["0", "1e8", "2e8", "3e8"]);
        assert_eq!(labels(-1e300, 1e300, 3), ["−1e300", "0", "1e300"]);
        assert_eq!(values(f64::MIN, f64::MAX, 5).len(), 3);
        // Too close for their size: the ends, not an endless list.
        assert_eq!(values(1e16, 1e16 + 2.0, 5).len(), 2);
    }
}
