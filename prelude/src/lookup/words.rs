//! What plain words mean: the names that have rows about it.
//!
//! The kernel has this file too, for `np.percentile?`. So it needs the standard library only.

/// Words, all of which the question has, and the names. The words of the lists are those of tutorials.
pub const WORDS: &[(&str, &str)] = &[
    ("standard deviation", "np.std"),
    ("variance", "np.var"),
    ("average", "np.mean np.average"),
    ("moving average", "np.convolve np.lib.stride_tricks.sliding_window_view"),
    ("rolling", "np.convolve np.lib.stride_tricks.sliding_window_view"),
    ("middle value", "np.median"),
    ("total", "np.sum"),
    ("add up", "np.sum"),
    ("sum row", "np.sum"),
    ("sum column", "np.sum"),
    ("running sum", "np.cumsum"),
    ("cumulative sum", "np.cumsum"),
    ("running total", "np.cumsum"),
    ("cumulative product", "np.cumprod"),
    ("largest", "np.max np.argmax np.partition"),
    ("biggest", "np.max np.argmax"),
    ("smallest", "np.min np.argmin np.partition"),
    ("position maximum", "np.argmax"),
    ("position minimum", "np.argmin"),
    ("index maximum", "np.argmax"),
    ("index minimum", "np.argmin"),
    ("random", "np.random.random np.random.normal np.random.randint"),
    ("random number", "np.random.random np.random.normal np.random.randint np.random.uniform"),
    ("random integer", "np.random.randint"),
    ("random seed", "np.random.seed np.random.default_rng"),
    ("random order", "np.random.permutation np.random.shuffle"),
    ("random choice", "np.random.choice"),
    ("random sample", "np.random.choice np.random.random"),
    ("normal distribution", "np.random.normal scipy.special.ndtr"),
    ("gaussian", "np.random.normal scipy.ndimage.gaussian_filter"),
    ("gaussian blur", "scipy.ndimage.gaussian_filter"),
    ("uniform distribution", "np.random.uniform"),
    ("binomial distribution", "np.random.binomial"),
    ("poisson distribution", "np.random.poisson"),
    ("exponential distribution", "np.random.exponential"),
    ("matrix multiplication", "np.matmul np.dot"),
    ("matrix product", "np.matmul np.dot"),
    ("multiply matrice", "np.matmul np.dot"),
    ("multiply matrix", "np.matmul np.dot"),
    ("dot product", "np.dot np.vdot"),
    ("scalar product", "np.dot np.vdot"),
    ("inner product", "np.inner np.dot"),
    ("outer product", "np.outer"),
    ("cross product", "np.cross"),
    ("tensor product", "np.tensordot np.kron"),
    ("inverse matrix", "np.linalg.inv np.linalg.pinv"),
    ("invert matrix", "np.linalg.inv np.linalg.pinv"),
    ("determinant", "np.linalg.det"),
    ("eigenvalue", "np.linalg.eigvals np.linalg.eigh"),
    ("eigenvector", "np.linalg.eig np.linalg.eigh"),
    ("solve equation", "np.linalg.solve"),
    ("linear equation", "np.linalg.solve"),
    ("linear system", "np.linalg.solve"),
    ("least square", "np.linalg.lstsq np.polyfit"),
    ("singular value", "np.linalg.svd"),
    ("vector length", "np.linalg.norm"),
    ("euclidean", "np.linalg.norm"),
    ("magnitude", "np.linalg.norm np.abs"),
    ("identity matrix", "np.eye"),
    ("unit matrix", "np.eye"),
    ("main diagonal", "np.diag np.trace"),
    ("absolute value", "np.abs"),
    ("square root", "np.sqrt"),
    ("logarithm", "np.log np.log2 np.log10"),
    ("remainder", "np.mod np.fmod"),
    ("integer division", "np.floor_divide"),
    ("whole division", "np.floor_divide"),
    ("division", "np.true_divide np.floor_divide"),
    ("greatest common divisor", "np.gcd"),
    ("reverse", "np.flip"),
    ("reversed", "np.flip"),
    ("backward", "np.flip"),
    ("mirror", "np.flip np.fliplr np.flipud"),
    ("turn", "np.rot90"),
    ("rotate", "np.rot90 np.roll"),
    ("shift", "np.roll"),
    ("swap axe", "np.swapaxes np.transpose"),
    ("new axis", "np.expand_dims"),
    ("add dimension", "np.expand_dims"),
    ("remove dimension", "np.squeeze"),
    ("change shape", "np.reshape"),
    ("change type", "a.astype"),
    ("convert type", "a.astype"),
    ("data type", "a.astype"),
    ("number element", "a.size"),
    ("number dimension", "a.ndim"),
    ("join", "np.concatenate np.stack"),
    ("combine array", "np.concatenate np.stack"),
    ("merge", "np.concatenate np.stack"),
    ("glue", "np.concatenate np.stack"),
    ("cut", "np.split"),
    ("order", "np.argsort np.sort"),
    ("count", "np.count_nonzero np.bincount np.unique"),
    ("frequency", "np.unique np.bincount"),
    ("duplicate", "np.unique"),
    ("distinct", "np.unique"),
    ("filter", "np.where np.extract"),
    ("condition", "np.where np.select"),
    ("if else", "np.where"),
    ("missing value", "np.isnan np.nanmean np.nan_to_num"),
    ("ignore nan", "np.nanmean np.nansum"),
    ("replace nan", "np.nan_to_num"),
    ("limit value", "np.clip"),
    ("correlation coefficient", "np.corrcoef"),
    ("covariance", "np.cov"),
    ("derivative", "np.gradient np.diff"),
    ("difference", "np.diff np.subtract"),
    ("integral", "np.trapezoid"),
    ("integrate", "np.trapezoid"),
    ("area under", "np.trapezoid"),
    ("interpolation", "np.interp scipy.interpolate.interp1d"),
    ("interpolate", "np.interp scipy.interpolate.interp1d"),
    ("fourier", "np.fft.fft np.fft.rfft"),
    ("frequencies", "np.fft.fftfreq"),
    ("convolution", "np.convolve scipy.signal.convolve2d"),
    ("low pass", "scipy.signal.butter scipy.signal.filtfilt"),
    ("smooth", "scipy.signal.savgol_filter scipy.ndimage.gaussian_filter"),
    ("grid", "np.meshgrid np.mgrid"),
    ("coordinate", "np.meshgrid np.indices"),
    ("evenly spaced", "np.linspace np.arange"),
    ("range number", "np.arange np.linspace"),
    ("zeros matrix", "np.zeros"),
    ("read file", "np.loadtxt np.load"),
    ("load file", "np.load np.loadtxt"),
    ("csv", "np.loadtxt np.genfromtxt np.savetxt"),
    ("text file", "np.loadtxt np.savetxt"),
    ("write file", "np.save np.savetxt"),
    ("save file", "np.save np.savetxt"),
    ("fit line", "np.polyfit"),
    ("fit curve", "scipy.optimize.curve_fit np.polyfit"),
    ("curve fit", "scipy.optimize.curve_fit np.polyfit"),
    ("regression", "np.polyfit np.linalg.lstsq"),
    ("polynomial", "np.polyfit np.polyval np.roots"),
    ("zero polynomial", "np.roots"),
    ("binomial coefficient", "scipy.special.comb"),
    ("combination", "scipy.special.comb"),
    ("permutation", "np.random.permutation scipy.special.perm"),
    ("set difference", "np.setdiff1d"),
    ("intersection", "np.intersect1d"),
    ("common element", "np.intersect1d np.isin"),
    ("contain", "np.isin"),
    ("distance", "scipy.spatial.distance.cdist np.linalg.norm"),
    ("degrees radians", "np.radians np.degrees"),
    ("own function", "np.vectorize"),
];

/// Distributions of `scipy.stats`, which are functions here: the one up to a value, its inverse, and random numbers.
pub const DISTRIBUTIONS: &[(&str, &str)] = &[
    ("norm", "scipy.special.ndtr scipy.special.ndtri np.random.normal"),
    ("uniform", "np.random.uniform"),
    ("expon", "np.random.exponential"),
    ("binom", "scipy.special.bdtr np.random.binomial"),
    ("poisson", "scipy.special.pdtr np.random.poisson"),
    ("t", "scipy.special.stdtr np.random.standard_t"),
    ("chi2", "scipy.special.chdtr np.random.chisquare"),
    ("gamma", "scipy.special.gammainc np.random.gamma"),
    ("beta", "scipy.special.betainc np.random.beta"),
    ("f", "scipy.special.fdtr np.random.f"),
    ("geom", "np.random.geometric"),
    ("lognorm", "np.random.lognormal"),
    ("multivariate_normal", "np.random.multivariate_normal"),
];

/// The names that stand for a distribution of SciPy: of `["stats", "norm", "cdf"]`.
pub fn names_of_distribution(path: &[&str]) -> Option<&'static str> {
    let &["stats", name, ..] = path else { return None };
    DISTRIBUTIONS.iter().find(|(known, _)| *known == name).map(|(_, names)| *names)
}

/// The names that plain words mean, of the row with most of them.
pub fn names_of_words(question: &str) -> Option<&'static str> {
    let question = question.to_lowercase();
    // One thing and several are the same.
    let one = |word: &str| if word.len() > 3 { word.trim_end_matches('s').to_owned() } else { word.to_owned() };
    let said: Vec<String> = question.split(|letter: char| !letter.is_alphanumeric()).map(one).collect();
    let count = |words: &str| words.split(' ').count();
    let mut best: Option<(&str, &str)> = None;
    for &(words, names) in WORDS {
        let is_said = words.split(' ').all(|word| said.contains(&one(word)));
        if is_said && best.is_none_or(|(others, _)| count(words) > count(others)) {
            best = Some((words, names));
        }
    }
    best.map(|(_, names)| names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_questions() {
        for (question, expected) in [
            ("Standard Deviation", Some("np.std")),
            ("standard deviations of columns", Some("np.std")),
            ("moving averages", Some("np.convolve np.lib.stride_tricks.sliding_window_view")),
            ("average", Some("np.mean np.average")),
            ("how do I reverse an array?", Some("np.flip")),
            ("no such thing", None),
            ("", None),
        ] {
            assert_eq!(names_of_words(question), expected, "{question}");
        }
        assert!(names_of_distribution(&["stats", "norm", "cdf"]).is_some());
        assert_eq!(names_of_distribution(&["linalg", "norm"]), None);
    }

    #[test]
    fn no_words_stand_twice() {
        for (at, (words, names)) in WORDS.iter().enumerate() {
            assert!(!WORDS[..at].iter().any(|(others, _)| others == words), "{words} is twice in the table");
            assert!(!names.is_empty());
        }
    }
}
