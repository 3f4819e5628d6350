//! SciPy's names: which we have, which are absent and why, and the page `prelude/SCIPY.md` with them.

use super::coverage::{calls, expressions, lines, listed};
use super::{calls_with_keywords, path_of};
use expect_test::expect_file;
use warpcell as gpu;

/// The names that CuPy has, by module.
const NAMES: &str = include_str!("scipy.txt");
/// The reasons.
const ABSENT: &str = include_str!("scipy_absent.txt");
/// What SciPy's functions take.
const ARGUMENTS: &str = include_str!("scipy_arguments.txt");
/// What no function takes: these are about memory, classes, checks of the input and threads.
const NOWHERE: [&str; 10] = [
    "out",
    "check_finite",
    "overwrite_a",
    "overwrite_b",
    "overwrite_x",
    "overwrite_data",
    "workers",
    "plan",
    "xp",
    "device",
];

/// A module of SciPy, and which of its names are public in ours.
pub(super) struct Section {
    /// Behind `scipy.`
    pub name: &'static str,
    /// How many names of CuPy's list are ours, at least.
    least: usize,
    /// Ours, with the path of Rust. Behind a name may be what ours takes, if that is not what SciPy's needs.
    module: &'static str,
    ours: &'static [(&'static str, &'static str)],
    /// SciPy's results, in JSON. A test of the module compares with each of them. What they are called begins with a function's
    /// name.
    results: &'static str,
}

// The compiler finds each name, so that it is public. tests/parity/arguments.py reads the names here.
macro_rules! sections {
    ($($name:literal at least $least:literal $({ $fixture:literal, $module:path => $($ours:ident $(($($takes:tt)*))?)* })?)*) => {
        pub(super) const SECTIONS: &[Section] =
            &[$(section!($name $least $($fixture, $module => $($ours [$($($takes)*)?])*)?)),*];
    };
}
macro_rules! section {
    ($name:literal $least:literal) => {
        Section { name: $name, least: $least, module: "", ours: &[], results: "{}" }
    };
    ($name:literal $least:literal $fixture:literal, $module:path => $($ours:ident [$($takes:tt)*])*) => {{
        #[allow(unused_imports, reason = "the compiler looks for the names")]
        {
            use $module as module;
            $(use module::$ours as _;)*
        }
        Section {
            name: $name,
            least: $least,
            module: stringify!($module),
            ours: &[$((stringify!($ours), stringify!($($takes)*))),*],
            results: include_str!(concat!("../../../../tests/parity/", $fixture)),
        }
    }};
}

// The names whose results are in the fixture of their module. A name with a row in names.rs is ours without being here.
sections! {
    "special" at least 79 { "special.json", gpu::special =>
        bdtr bdtrc beta betainc betaincc betaln binom boxcox boxcox1p chdtr chdtrc cosdg cosm1 cotdg digamma ellipk
        ellipkm1 entr erf erfc erfcinv erfcx erfinv exp1 exp10 expit exprel fdtr fdtrc gamma gammainc gammaincc
        gammaln gammasgn gdtr gdtrc huber i0 i0e i1 i1e inv_boxcox inv_boxcox1p j0 j1 k0 k0e k1 k1e kl_div log_expit
        log_ndtr loggamma logit ndtr ndtri pdtr pdtrc poch polygamma pseudo_huber psi radian rel_entr rgamma sindg
        stdtr tandg xlog1py xlogy y0 y1 zeta(x, q)
    }
    "signal" at least 62 { "signal.json", gpu::signal =>
        argrelextrema argrelmax argrelmin bilinear(b, a, fs) butter cheby1 cheby2 chirp coherence convolve correlate
        correlation_lags csd decimate deconvolve detrend ellip filtfilt find_peaks firwin firwin2 freqz gausspulse
        get_window hilbert istft lfilter lfilter_zi lombscargle max_len_seq medfilt medfilt2d oaconvolve order_filter
        peak_prominences peak_widths periodogram resample resample_poly savgol_coeffs savgol_filter sawtooth sos2tf
        sosfilt sosfilt_zi sosfiltfilt sosfreqz spectrogram square stft sweep_poly tf2sos tf2zpk unit_impulse upfirdn
        welch wiener zpk2sos zpk2tf
    }
    "signal.windows" at least 25 { "signal.json", gpu::signal::windows =>
        barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop gaussian
        general_cosine general_gaussian general_hamming get_window hamming hann kaiser kaiser_bessel_derived lanczos
        nuttall parzen taylor triang tukey
    }
    "ndimage" at least 62 { "ndimage.json", gpu::ndimage =>
        affine_transform binary_closing binary_dilation binary_erosion binary_fill_holes binary_hit_or_miss binary_opening
        binary_propagation black_tophat center_of_mass(input, labels, index) convolve convolve1d correlate correlate1d
        distance_transform_edt extrema(input, labels, index) find_objects fourier_gaussian fourier_shift fourier_uniform
        gaussian_filter gaussian_filter1d gaussian_gradient_magnitude gaussian_laplace generate_binary_structure grey_closing
        grey_dilation grey_erosion grey_opening histogram(input, min, max, bins, labels, index) iterate_structure label laplace
        map_coordinates maximum(input, labels, index) maximum_filter maximum_filter1d maximum_position(input, labels, index)
        mean(input, labels, index) median(input, labels, index) median_filter minimum(input, labels, index) minimum_filter
        minimum_filter1d minimum_position(input, labels, index) morphological_gradient morphological_laplace percentile_filter
        prewitt rank_filter rotate shift sobel spline_filter spline_filter1d standard_deviation(input, labels, index)
        sum_labels(input, labels, index) uniform_filter uniform_filter1d variance(input, labels, index) white_tophat zoom
    }
    "sparse" at least 27 { "sparse.json", gpu::sparse =>
        block_array block_diag bmat coo_array coo_matrix csc_array csc_matrix csr_array csr_matrix diags diags_array(diagonals, offsets)
        eye eye_array find hstack identity issparse isspmatrix kron kronsum rand(m, n, density) random(m, n, density)
        random_array(m, n, density) spdiags(data, diags, m, n) tril triu vstack
    }
    "sparse.linalg" at least 17 { "sparse.json", gpu::sparse::linalg =>
        LinearOperator(shape, matvec) aslinearoperator bicgstab cg cgs eigsh expm_multiply factorized gmres lsmr lsqr matrix_power minres norm splu
        spsolve spsolve_triangular svds
    }
    "sparse.csgraph" at least 1 { "sparse.json", gpu::sparse::csgraph => connected_components laplacian }
    "linalg" at least 20
    "fft" at least 33
    "interpolate" at least 20 { "scipy_modules.json", gpu::interpolate =>
        Akima1DInterpolator BPoly BSpline BarycentricInterpolator(xi, yi) CubicHermiteSpline CubicSpline KroghInterpolator NearestNDInterpolator PPoly PchipInterpolator RBFInterpolator RegularGridInterpolator barycentric_interpolate interp1d interpn krogh_interpolate make_interp_spline pchip_interpolate splantider splder
    }
    "spatial" at least 2 { "scipy_modules.json", gpu::spatial => KDTree distance_matrix }
    "spatial.distance" at least 15 { "scipy_modules.json", gpu::spatial::distance =>
        braycurtis canberra cdist chebyshev cityblock correlation cosine euclidean hamming hellinger(u, v) jensenshannon kl_divergence(u, v) minkowski pdist russellrao sqeuclidean squareform
    }
    "stats" at least 5 { "scipy_modules.json", gpu::stats =>
        boxcox_llf chisquare describe entropy gaussian_kde gzscore iqr jarque_bera ks_2samp kurtosis linregress mode pearsonr rankdata sem skew spearmanr tmean trim_mean ttest_1samp ttest_ind ttest_rel variation zmap zscore
    }
    "optimize" at least 0 { "scipy_modules.json", gpu::optimize =>
        brentq curve_fit least_squares minimize minimize_scalar root
    }
}

/// What stands behind `scipy.`
fn path(section: &Section, name: &str) -> String {
    format!("scipy.{}.{name}", section.name)
}

/// The names of CuPy in a section.
fn names_of_cupy(section: &Section) -> Vec<&'static str> {
    let head = format!("{}:", section.name);
    let behind = lines(NAMES).skip_while(|line| *line != head).skip(1);
    behind.take_while(|line| line.starts_with(' ')).flat_map(str::split_whitespace).collect()
}

/// The names that are absent, in the sections, and why. `*` are all names that neither are ours nor have another reason.
fn absent() -> Vec<(&'static str, &'static str, &'static str)> {
    let row = |line: &'static str| {
        let (names, reason) = line.split_once(" | ")?;
        let (section, names) = names.split_once(": ")?;
        Some(names.split_whitespace().map(move |name| (section, name, reason)))
    };
    let rows = lines(ABSENT)
        .map(|line| row(line).unwrap_or_else(|| panic!("scipy_absent.txt: {line:?} is not `section: names | reason`")));
    rows.flatten().collect()
}

/// Whether an expression has a path of SciPy, or of NumPy if NumPy has the module too: `np.fft.rfft`.
fn has_path(expression: &str, path: &str) -> bool {
    let of_numpy = path.strip_prefix("scipy.").filter(|path| path.starts_with("fft.") || path.starts_with("linalg."));
    let paths = [path.to_owned(), of_numpy.map_or(path.to_owned(), |path| format!("np.{path}"))];
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    paths.iter().any(|path| {
        let mut found = expression.match_indices(path.as_str());
        found.any(|(at, _)| !expression[at + path.len()..].starts_with(is_word) && !expression[..at].ends_with(is_word))
    })
}

/// Whether the table in names.rs has the name.
fn has_row(section: &Section, name: &str) -> bool {
    expressions().iter().any(|expression| has_path(expression, &path(section, name)))
}

fn is_ours(section: &Section, name: &str) -> bool {
    section.ours.iter().any(|(ours, _)| *ours == name) || has_row(section, name)
}

/// The reason of a name that is absent.
fn reason(section: &Section, name: &str) -> Option<&'static str> {
    let absent = absent();
    let of = |wanted: &str| absent.iter().find(|(of, name, _)| *of == section.name && *name == wanted);
    of(name).or_else(|| of("*")).filter(|_| !is_ours(section, name)).map(|(_, _, reason)| *reason)
}

/// What a function of SciPy takes: the parameters, of which optional ones end with `=`.
fn parameters(path: &str) -> Vec<&'static str> {
    let of_line = |line: &'static str| line.strip_suffix(')')?.strip_prefix(path)?.strip_prefix('(');
    let found = lines(ARGUMENTS).find_map(of_line).unwrap_or_default();
    found.split(", ").filter(|parameter| !parameter.is_empty()).collect()
}

/// Our call with keywords, which a row of names.rs may have in another module: `gpu::convolve2d!`.
fn signature(section: &Section, name: &str) -> Option<&'static gpu::keywords::Signature> {
    let path = format!("{}.{name}", section.name).replace('.', "::");
    let found = |path: &str| {
        let mut signatures = gpu::keywords::SIGNATURES.iter().flat_map(|signatures| *signatures);
        signatures.find(|signature| path_of(signature) == path)
    };
    // `get_window` is in `signal` and in `signal.windows`.
    let outer = section.name.split_once('.').map(|(module, _)| format!("{module}::{name}"));
    let of_outer = || outer.and_then(|path| found(&path));
    found(&path).or_else(of_outer).or_else(|| found(name).filter(|_| has_row(section, name)))
}

/// SciPy's optional arguments that neither our call with keywords has nor a row in names.rs uses.
fn missing_arguments(section: &Section, name: &str) -> Vec<&'static str> {
    let theirs = path(section, name);
    let parameters = parameters(&theirs);
    let signature = signature(section, name);
    let mut known: Vec<String> = signature.map_or(Vec::new(), |signature| {
        let keywords = signature.keywords.iter().map(|(keyword, _)| *keyword);
        keywords.chain(signature.needed.iter().copied()).map(str::to_owned).collect()
    });
    if let Some((_, takes)) = section.ours.iter().find(|(ours, _)| *ours == name) {
        known.extend(takes.split(", ").map(str::to_owned));
    }
    for expression in expressions() {
        for arguments in calls(expression, &theirs) {
            for (at, argument) in arguments.into_iter().enumerate() {
                let keyword = argument.split_once('=').map(|(keyword, _)| keyword);
                known.extend(keyword.or_else(|| Some(parameters.get(at)?.trim_end_matches('='))).map(str::to_owned));
            }
        }
    }
    let optional = parameters.iter().filter_map(|parameter| parameter.strip_suffix('='));
    optional.filter(|one| !(known.iter().any(|other| other == one) || NOWHERE.contains(one))).collect()
}

/// The needed arguments of a call.
fn needed(section: &Section, name: &str, takes: &str) -> String {
    match signature(section, name) {
        _ if !takes.is_empty() => takes.to_owned(),
        Some(signature) if !signature.needed.is_empty() => signature.needed.join(", "),
        _ => {
            let parameters = parameters(&path(section, name));
            parameters.into_iter().filter(|one| !one.ends_with('=')).collect::<Vec<_>>().join(", ")
        }
    }
}

const INTRODUCTION: &str = "\
# SciPy's and CuPy's names, and ours

The modules of SciPy that are here, and CuPy's list of names in each. The functions have SciPy's names, in modules with SciPy's
names: `gpu::signal` has `scipy.signal`, which CuPy calls `cupyx.scipy.signal`. A test compares what each function here gives with
SciPy's results, on the CPU and on a GPU (`prelude/tests/integration`: a file for each module). Functions that NumPy has too,
and functions whose rows show a whole expression, are in [NumPy's names](NUMPY.md). They are counted here.

`gpu::lookup(\"scipy.signal.butter\")` in a cell shows the row about a name, and `scipy.signal.butter?` shows it above the
documentation.

Classes of SciPy are types: `gpu::interpolate::CubicSpline::new(&x, &y)` makes one, and `.eval(&x)` calls a curve.
";

fn page() -> String {
    let mut page = String::from(INTRODUCTION);
    for section in SECTIONS.iter().filter(|section| !section.ours.is_empty()) {
        page += &format!(
            "\n## scipy.{}\n\n| SciPy, CuPy (`cupyx.scipy` for `scipy`) | Warpcell |\n|---|---|\n",
            section.name
        );
        for (name, takes) in section.ours.iter().filter(|(name, _)| !has_row(section, name)) {
            let needed = needed(section, name, takes);
            // Classes of SciPy are types here.
            let is_type = name.starts_with(char::is_uppercase) || *name == "gaussian_kde";
            let new = if is_type { "::new" } else { "" };
            let ours = format!("{}::{name}{new}", section.module.replace(' ', ""));
            page += &format!("| `{}({needed})` | `{ours}({needed})` |\n", path(section, name));
        }
    }
    page += "\n## Optional arguments\n\nBehind the values, in any order. Each may be left out; `…` is a value that has no default.\n\n\
        ```text\n";
    page += &calls_with_keywords(true).join("\n");
    page += &format!(
        "\n```\n\n## Arguments that differ\n\nSciPy's optional arguments that are not here. No function takes any of {}.\n\n\
        | SciPy, CuPy (`cupyx.scipy` for `scipy`) | not here |\n|---|---|\n",
        listed(&NOWHERE)
    );
    for section in SECTIONS {
        let of_cupy = names_of_cupy(section);
        let more = section.ours.iter().map(|(name, _)| name).filter(|name| !of_cupy.contains(name));
        for name in of_cupy.iter().chain(more).filter(|name| is_ours(section, name)) {
            let missing = missing_arguments(section, name);
            if !missing.is_empty() {
                page += &format!("| {} | {} |\n", path(section, name), listed(&missing));
            }
        }
    }
    page += "\n## Absent\n\nNames of CuPy 14 that are not here, and why.\n\n| SciPy, CuPy (`cupyx.scipy` for `scipy`) | reason |\n\
        |---|---|\n";
    for section in SECTIONS {
        for name in names_of_cupy(section) {
            if let Some(reason) = reason(section, name) {
                page += &format!("| {} | {} |\n", path(section, name), reason.replace('|', "\\|"));
            }
        }
    }
    page += "\n## Counts\n\nThe names of `cupyx.scipy` in the documentation of CuPy 14 (`prelude/tests/integration/names/scipy.txt`). \
        \"Ours\" are above\nor in [NumPy's names](NUMPY.md). \"More\" are names of SciPy that CuPy does not have. \
        `cargo test -p warpcell-tests names` counts again.\n\n| module | names | ours | absent, with a reason | more |\n\
        |---|---|---|---|---|\n";
    let mut total = [0; 4];
    for section in SECTIONS {
        let names = names_of_cupy(section);
        let ours = names.iter().filter(|name| is_ours(section, name)).count();
        let without = names.iter().filter(|name| reason(section, name).is_some()).count();
        let more = section.ours.iter().filter(|(name, _)| !names.contains(name)).count();
        page += &format!("| {} | {} | {ours} | {without} | {more} |\n", section.name, names.len());
        total = [total[0] + names.len(), total[1] + ours, total[2] + without, total[3] + more];
    }
    let [names, ours, without, more] = total;
    page + &format!("| **all** | **{names}** | **{ours}** | **{without}** | **{more}** |\n")
}

/// `prelude/SCIPY.md` has these names (`UPDATE_EXPECT=1 cargo test` rewrites it).
#[test]
fn the_page_of_scipy_is_up_to_date() {
    expect_file!["../../../SCIPY.md"].assert_eq(&page());
}

#[test]
fn each_name_of_scipy_is_compared_or_has_a_reason() {
    let mut faults = Vec::new();
    for section in SECTIONS {
        let results: std::collections::BTreeMap<String, serde_json::Value> =
            serde_json::from_str(section.results).expect("an object with results");
        let of_cupy = names_of_cupy(section);
        let ours = of_cupy.iter().filter(|name| is_ours(section, name)).count();
        if ours < section.least {
            faults.push(format!("scipy.{} has {ours} names, which were {} before", section.name, section.least));
        }
        for (at, (name, takes)) in section.ours.iter().enumerate() {
            let theirs = path(section, name);
            // `nd.zoom(x, 2)`, `lfilter fir`, `cdist+pdist cosine`
            let is_compared = |call: &String| {
                let names =
                    call.split(|character: char| !(character.is_alphanumeric() || "_.+".contains(character))).next();
                names.unwrap_or_default().split('+').any(|one| one.rsplit('.').next() == Some(*name))
            };
            if !results.keys().any(is_compared) && !has_row(section, name) {
                faults.push(format!(
                    "no test compares {theirs} with SciPy: add results to the fixture of scipy.{}, or a row to names.rs",
                    section.name
                ));
            }
            if section.ours[..at].iter().any(|(other, _)| other == name) {
                faults.push(format!("{theirs} is twice in scipy.rs; delete one"));
            }
            // SciPy does not have all of them.
            if takes.is_empty() && !lines(ARGUMENTS).any(|line| line.starts_with(&format!("{theirs}("))) {
                faults.push(format!("{theirs} is not in scipy_arguments.txt; run tests/parity/generate.py"));
            }
        }
        for name in of_cupy {
            if !is_ours(section, name) && reason(section, name).is_none() {
                faults.push(format!(
                    "{} is neither in scipy.rs nor in a row of names.rs, and has no reason in scipy_absent.txt",
                    path(section, name)
                ));
            }
        }
    }
    let absent = absent();
    for (at, (section, name, reason)) in absent.iter().enumerate() {
        let found = SECTIONS.iter().find(|one| one.name == *section);
        match found {
            _ if *name == "*" && found.is_some() => {}
            Some(section) if is_ours(section, name) => {
                faults.push(format!("{} is here; delete its reason in scipy_absent.txt", path(section, name)))
            }
            Some(section) if names_of_cupy(section).contains(name) => {}
            _ => faults.push(format!("scipy.{section}.{name} has a reason, but is not in scipy.txt")),
        }
        if absent[..at].iter().any(|other| (other.0, other.1) == (*section, *name)) {
            faults.push(format!("scipy.{section}.{name} has two reasons in scipy_absent.txt; delete one"));
        }
        if reason.trim().is_empty() || reason.ends_with('.') {
            faults.push(format!("the reason of scipy.{section}.{name} should be words without a full stop"));
        }
    }
    let heads = lines(NAMES).filter_map(|line| line.strip_suffix(':'));
    faults.extend(
        heads
            .filter(|head| !SECTIONS.iter().any(|section| section.name == *head))
            .map(|head| format!("scipy.txt has the module {head}, scipy.rs does not")),
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// `gpu::lookup` reads the page as it was when the prelude was compiled.
#[test]
fn each_name_of_scipy_is_found() {
    for section in SECTIONS {
        for name in names_of_cupy(section).iter().chain(section.ours.iter().map(|(name, _)| name)) {
            for root in ["", "cupyx."] {
                let question = format!("{root}{}", path(section, name));
                let answer = gpu::lookup(&question).to_string();
                assert!(
                    !answer.contains("is in no table"),
                    "{question}: {answer}\nrun UPDATE_EXPECT=1 cargo test, and this again"
                );
            }
        }
    }
    let butter = "gpu::signal::butter(N, Wn)";
    for question in
        ["scipy.signal.butter", "signal.butter", "butter", "cupyx.scipy.signal.butter", "gpu::signal::butter"]
    {
        let answer = gpu::lookup(question).to_string();
        assert!(answer.contains(butter) && answer.contains("btype = \"low\""), "{question}: {answer}");
    }
    let answer = gpu::lookup("scipy.signal.windows.hann").to_string();
    assert!(answer.contains("gpu::signal::windows::hann!(M, sym = true)"), "{answer}");
}
