//! What is said of several times: their mean, deviation, median and extremes.

/// Figures of some times, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Statistics {
    pub mean: f64,
    /// The standard deviation of the population, as in IPython and CuPy.
    pub std: f64,
    pub median: f64,
    pub min: f64,
    pub max: f64,
}

impl Statistics {
    /// Of times of which there is at least one.
    pub fn of(times: &[f64]) -> Statistics {
        let count = times.len() as f64;
        let mean = times.iter().sum::<f64>() / count;
        let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / count;
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
        Statistics {
            mean,
            std: variance.sqrt(),
            median: (low + high) / 2.0,
            min: sorted[0],
            max: sorted[sorted.len() - 1],
        }
    }

    /// Of the time of one call, from runs of `calls` calls each.
    pub fn of_calls(runs: &[f64], calls: u64) -> Statistics {
        Statistics::of(&runs.iter().map(|run| run / calls as f64).collect::<Vec<f64>>())
    }
}

#[cfg(test)]
mod tests {
    use super::Statistics;

    #[test]
    fn figures_are_those_of_numpy() {
        let expected = Statistics { mean: 4.0, std: 3.0, median: 3.0, min: 1.0, max: 9.0 };
        assert_eq!(Statistics::of(&[3.0, 1.0, 9.0, 3.0]), expected);
        assert_eq!(Statistics::of(&[5.0, 1.0, 2.0]).median, 2.0);
        assert_eq!(Statistics::of_calls(&[6.0, 2.0, 18.0, 6.0], 2), expected);
        let alone = Statistics::of(&[0.5]);
        assert_eq!((alone.mean, alone.std, alone.median, alone.min, alone.max), (0.5, 0.0, 0.5, 0.5, 0.5));
    }
}
