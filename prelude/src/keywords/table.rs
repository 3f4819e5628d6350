//! The table of the functions with keywords.
//!
//! A row: `name(needed values) [keywords that may also stand by position] [others] => kind [functions] example`. Keywords have
//! NumPy's order, and a default behind `=` where the function needs a value. The kinds are the rules of `call.rs`.
//!
//! The functions of a module, such as [`fft`](crate::fft), have rows in `modules.rs`: their macros get their names there.

functions! { $
    // Sums, means and extremes.
    sum(a) [axis] [dtype, keepdims, initial, where] => reduction [sum]
        "let m = gpu::array(&[[1.0, 2.0], [3.0, 4.0]]);\nassert_eq!(gpu::sum!(&m, axis = 0, keepdims = true).shape(), [1, 2]);";
    prod(a) [axis] [dtype, keepdims, initial, where] => reduction [prod]
        "assert_eq!(gpu::prod!(&gpu::array(&[2.0, 3.0]), initial = 10.0), 60.0);";
    mean(a) [axis] [dtype, keepdims, where] => reduction [mean]
        "assert_eq!(gpu::mean!(&gpu::ones::<f64>((2, 3, 4)), axis = (0, 2)).shape(), [3]);";
    var(a) [axis] [dtype, keepdims, ddof, where, correction] => deviation [var]
        "assert_eq!(gpu::var!(&gpu::array(&[1.0, 3.0]), ddof = 1), 2.0);";
    std(a) [axis] [dtype, keepdims, ddof, where, correction] => deviation [std]
        "assert_eq!(gpu::std!(&gpu::array(&[0.0, 4.0, 8.0]), ddof = 1), 4.0);";
    max(a) [axis] [keepdims, initial, where] => reduction [max]
        "assert_eq!(gpu::max!(&gpu::array(&[1.0, 3.0]), initial = 5.0), 5.0);";
    min(a) [axis] [keepdims, initial, where] => reduction [min]
        "assert_eq!(gpu::min!(&gpu::array(&[[1, 3], [0, 5]]), axis = -1).tolist(), [1, 0]);";
    all(a) [axis] [keepdims, where] => reduction [all]
        "assert_eq!(gpu::all!(&gpu::array(&[[true, false], [true, true]]), axis = 1).tolist(), [false, true]);";
    any(a) [axis] [keepdims, where] => reduction [any]
        "assert_eq!(gpu::any!(&gpu::array(&[[true, false], [false, false]]), axis = 1).tolist(), [true, false]);";
    argmax(a) [axis] [keepdims] => reduction [argmax]
        "assert_eq!(gpu::argmax!(&gpu::array(&[[3, 1], [5, 7]]), axis = 1, keepdims = true).shape(), [2, 1]);";
    argmin(a) [axis] [keepdims] => reduction [argmin]
        "assert_eq!(gpu::argmin!(&gpu::array(&[[3, 1], [5, 7]]), axis = 0).tolist(), [0, 0]);";
    count_nonzero(a) [axis] [keepdims] => reduction [count_nonzero]
        "assert_eq!(gpu::count_nonzero!(&gpu::array(&[[0, 1], [2, 3]]), axis = 1).tolist(), [1, 2]);";
    median(a) [axis] [keepdims] => reduction [median]
        "assert_eq!(gpu::median!(&gpu::array(&[[1.0, 2.0], [3.0, 6.0]]), axis = 0).tolist(), [2.0, 4.0]);";
    amax(a) [axis] [keepdims, initial, where] => reduction [amax]
        "assert_eq!(gpu::amax!(&gpu::array(&[[1, 3], [0, 5]]), axis = 0).tolist(), [1, 5]);";
    amin(a) [axis] [keepdims, initial, where] => reduction [amin]
        "assert_eq!(gpu::amin!(&gpu::array(&[[1, 3], [0, 5]]), axis = 0).tolist(), [0, 3]);";
    ptp(a) [axis] [keepdims] => reduction [ptp]
        "assert_eq!(gpu::ptp!(&gpu::array(&[[1, 3], [0, 5]]), axis = 1).tolist(), [2, 5]);";
    nansum(a) [axis] [dtype, keepdims, initial, where] => reduction [nansum]
        "assert_eq!(gpu::nansum!(&gpu::array(&[[1.0, f64::NAN], [3.0, 4.0]]), axis = 0).tolist(), [4.0, 4.0]);";
    nanprod(a) [axis] [dtype, keepdims, initial, where] => reduction [nanprod]
        "assert_eq!(gpu::nanprod!(&gpu::array(&[[1.0, f64::NAN], [3.0, 4.0]]), axis = 1).tolist(), [1.0, 12.0]);";
    nanmean(a) [axis] [dtype, keepdims, where] => reduction [nanmean]
        "assert_eq!(gpu::nanmean!(&gpu::array(&[[1.0, f64::NAN], [3.0, 4.0]]), axis = 0).tolist(), [2.0, 4.0]);";
    nanvar(a) [axis] [dtype, keepdims, ddof, where, correction] => deviation [nanvar]
        "assert_eq!(gpu::nanvar!(&gpu::array(&[1.0, f64::NAN, 3.0]), ddof = 1), 2.0);";
    nanstd(a) [axis] [dtype, keepdims, ddof, where, correction] => deviation [nanstd]
        "assert_eq!(gpu::nanstd!(&gpu::array(&[0.0, 4.0, f64::NAN, 8.0]), ddof = 1), 4.0);";
    nanmax(a) [axis] [keepdims, initial, where] => reduction [nanmax]
        "assert_eq!(gpu::nanmax!(&gpu::array(&[[1.0, f64::NAN], [3.0, 4.0]]), axis = 1).tolist(), [1.0, 4.0]);";
    nanmin(a) [axis] [keepdims, initial, where] => reduction [nanmin]
        "assert_eq!(gpu::nanmin!(&gpu::array(&[[1.0, f64::NAN], [3.0, 4.0]]), axis = 0).tolist(), [1.0, 4.0]);";
    nanmedian(a) [axis] [keepdims] => reduction [nanmedian]
        "assert_eq!(gpu::nanmedian!(&gpu::array(&[[1.0, f64::NAN], [3.0, 4.0]]), axis = 0).tolist(), [2.0, 4.0]);";
    average(a) [axis, weights, returned = false] [keepdims] => average [average]
        "let (a, w) = (gpu::array(&[1.0, 4.0]), gpu::array(&[2.0, 1.0]));\nassert_eq!(gpu::average!(&a, weights = &w), 2.0);";
    quantile(a, q) [axis] [method = "linear", keepdims, weights]
        => levels [keywords::quantile_of_all, keywords::quantile, keywords::quantile_of_all_by, keywords::quantile_by, keywords::quantile_of_all_weighted, keywords::quantile_weighted]
        "assert_eq!(gpu::quantile!(&gpu::array(&[[1, 3], [5, 4]]), 0.5, axis = 0).tolist(), [3.0, 3.5]);\nlet (a, w) = (gpu::array(&[1.0, 2.0, 3.0]), gpu::array(&[1, 1, 9]));\nassert_eq!(gpu::quantile!(&a, 0.5, weights = &w, method = \"inverted_cdf\"), 3.0);";
    percentile(a, q) [axis] [method = "linear", keepdims, weights]
        => levels [keywords::percentile_of_all, keywords::percentile, keywords::percentile_of_all_by, keywords::percentile_by, keywords::percentile_of_all_weighted, keywords::percentile_weighted]
        "assert_eq!(gpu::percentile!(&gpu::arange(101), 95.0), 95.0);";
    nanquantile(a, q) [axis] [method = "linear", keepdims, weights]
        => levels [keywords::nanquantile_of_all, keywords::nanquantile, keywords::nanquantile_of_all_by, keywords::nanquantile_by, keywords::nanquantile_of_all_weighted, keywords::nanquantile_weighted]
        "assert_eq!(gpu::nanquantile!(&gpu::array(&[[1.0, f64::NAN], [3.0, 4.0]]), 0.5, axis = 0).tolist(), [2.0, 4.0]);";
    nanpercentile(a, q) [axis] [method = "linear", keepdims, weights]
        => levels [keywords::nanpercentile_of_all, keywords::nanpercentile, keywords::nanpercentile_of_all_by, keywords::nanpercentile_by, keywords::nanpercentile_of_all_weighted, keywords::nanpercentile_weighted]
        "assert_eq!(gpu::nanpercentile!(&gpu::array(&[1.0, f64::NAN, 3.0]), [0, 50], method = \"higher\").tolist(), [1.0, 3.0]);";
    norm(x) [ord, axis] [keepdims] => norm [linalg::norm]
        "assert_eq!(gpu::norm!(&gpu::array(&[[3.0, 4.0], [6.0, 8.0]]), axis = 1).tolist(), [5.0, 10.0]);";

    // Running sums, order.
    cumsum(a) [axis, dtype] [] => running [cumsum, cumsum_axis]
        "assert_eq!(gpu::cumsum!(&gpu::array(&[[1, 2], [3, 4]]), axis = 0).shape(), [2, 2]);";
    cumprod(a) [axis, dtype] [] => running [cumprod, cumprod_axis]
        "assert_eq!(gpu::cumprod!(&gpu::array(&[1, 2, 3]), dtype = f64).tolist(), [1.0, 2.0, 6.0]);";
    nancumsum(a) [axis, dtype] [] => running [nancumsum, keywords::nancumsum]
        "assert_eq!(gpu::nancumsum!(&gpu::array(&[[1.0, f64::NAN], [3.0, 4.0]]), axis = 0).shape(), [2, 2]);";
    nancumprod(a) [axis, dtype] [] => running [nancumprod, keywords::nancumprod]
        "assert_eq!(gpu::nancumprod!(&gpu::array(&[3.0, f64::NAN, 2.0])).tolist(), [3.0, 3.0, 6.0]);";
    cumulative_sum(x) [] [dtype, axis, include_initial] => options [keywords::cumulative_sum]
        "assert_eq!(gpu::cumulative_sum!(&gpu::array(&[1, 2, 3]), include_initial = true).tolist(), [0i64, 1, 3, 6]);";
    cumulative_prod(x) [] [dtype, axis, include_initial] => options [keywords::cumulative_prod]
        "assert_eq!(gpu::cumulative_prod!(&gpu::array(&[2, 3]), dtype = f64, include_initial = true).tolist(), [1.0, 2.0, 6.0]);";
    diff(a) [n = 1, axis = (-1), prepend, append] [] => ends [diff, keywords::diff]
        "assert_eq!(gpu::diff!(&gpu::array(&[1, 4, 9, 16]), n = 2).tolist(), [2, 2]);";
    sort(a) [axis = (-1), kind = "stable"] [stable = true] => flat [sort_axis, keywords::sort_flat]
        "assert_eq!(gpu::sort!(&gpu::array(&[[3, 1], [2, 4]]), axis = 0).get(&[0, 0]), 2);";
    argsort(a) [axis = (-1), kind = "stable"] [stable = true] => flat [argsort_axis, keywords::argsort_flat]
        "assert_eq!(gpu::argsort!(&gpu::array(&[3, 1, 2])).tolist(), [1, 2, 0]);";
    unique(a) [return_index = false, return_inverse = false, return_counts = false, axis] [sorted = true] => unique []
        "let (values, counts) = gpu::unique!(&gpu::array(&[3, 1, 3]), return_counts = true);\nassert_eq!(counts.tolist(), [1, 2]);";
    partition(a, kth) [axis = (-1), kind = "introselect"] [] => flat [keywords::partition, keywords::partition_flat]
        "assert_eq!(gpu::partition!(&gpu::array(&[[7, 1], [5, 3]]), 0, axis = 0).get(&[0, 0]), 5);";
    argpartition(a, kth) [axis = (-1), kind = "introselect"] [] => flat [keywords::argpartition, keywords::argpartition_flat]
        "assert_eq!(gpu::argpartition!(&gpu::array(&[7, 1, 5]), 0).get(&[0]), 1);";
    searchsorted(a, v) [side = "left", sorter] [] => searched [searchsorted, keywords::searchsorted]
        "let a = gpu::array(&[1, 3, 5]);\nassert_eq!(gpu::searchsorted!(&a, &gpu::array(&[3]), side = \"right\").tolist(), [2]);";
    digitize(x, bins) [right = false] [] => call [digitize_with]
        "let bins = gpu::array(&[1.0, 2.0]);\nassert_eq!(gpu::digitize!(&gpu::array(&[2.0]), &bins, right = true).tolist(), [1]);";
    histogram(a) [bins = 10, range = .., density = false, weights] [] => histogram [histogram, keywords::histogram]
        "let a = gpu::array(&[0.1, 0.6, 0.7]);\nlet (counts, _) = gpu::histogram!(&a, bins = 2, range = (0.0, 1.0));\nassert_eq!(counts.tolist(), [1, 2]);\nassert_eq!(gpu::histogram!(&a, bins = 2, range = (0.0, 1.0), weights = &a).0.tolist(), [0.1, 1.2999999999999998]);";
    histogram2d(x, y) [bins = 10, range = .., density = false, weights] [] => histogram [histogram2d, keywords::histogram2d]
        "let (x, w) = (gpu::array(&[0.0, 1.0]), gpu::array(&[0.5, 2.0]));\nlet (h, _, _) = gpu::histogram2d!(&x, &x, bins = (2, 1), weights = &w);\nassert_eq!(h.ravel().tolist(), [0.5, 2.0]);";
    histogramdd(sample) [bins = 10, range = .., density = false, weights] [] => histogram [histogramdd, keywords::histogramdd]
        "let x = gpu::array(&[0.0, 0.1, 1.0]);\nlet (h, _) = gpu::histogramdd!([&x, &x], bins = 2, density = true);\nassert_eq!(h.sum(), 4.0);";
    bincount(x) [weights, minlength = 0] [] => bincount []
        "assert_eq!(gpu::bincount!(&gpu::array(&[0, 2, 2]), minlength = 4).tolist(), [1, 0, 2, 0]);";

    // New arrays.
    zeros(shape) [dtype = f64] [] => typed [zeros]
        "assert_eq!(gpu::zeros!((2, 3), dtype = f32).dtype(), gpu::zeros::<f32>(1).dtype());";
    ones(shape) [dtype = f64] [] => typed [ones]
        "assert_eq!(gpu::ones!(3, dtype = i64).sum(), 3);";
    empty(shape) [dtype = f64] [] => typed [empty]
        "assert_eq!(gpu::empty!((2, 3), dtype = f32).shape(), [2, 3]);";
    eye(n) [M, k = 0, dtype = f64] [] => square [keywords::eye]
        "assert_eq!(gpu::eye!(3, dtype = f32).sum(), 3.0);";
    zeros_like(a) [dtype] [shape] => like [zeros_like]
        "assert_eq!(gpu::zeros_like!(&gpu::arange(3), dtype = f32).sum(), 0.0f32);";
    ones_like(a) [dtype] [shape] => like [ones_like]
        "assert_eq!(gpu::ones_like!(&gpu::arange(3), dtype = f32).sum(), 3.0f32);";
    empty_like(a) [dtype] [shape] => like [empty_like]
        "assert_eq!(gpu::empty_like!(&gpu::arange(3), dtype = f32).shape(), [3]);";
    full(shape, fill_value) [dtype] [] => full [full]
        "assert_eq!(gpu::full!((2, 3), 1, dtype = f32).sum(), 6.0);";
    diag(v) [k = 0] [] => call [keywords::diag]
        "assert_eq!(gpu::diag!(&gpu::array(&[[1, 2], [3, 4]]), k = 1).tolist(), [2]);";
    triu(m) [k = 0] [] => call [keywords::triu]
        "assert_eq!(gpu::triu!(&gpu::ones::<f64>((3, 3)), k = 1).sum(), 3.0);";
    tril(m) [k = 0] [] => call [keywords::tril]
        "assert_eq!(gpu::tril!(&gpu::ones::<f64>((3, 3)), -1).sum(), 3.0);";
    arange(start) [stop, step, dtype] [] => arange [arange]
        "assert_eq!(gpu::arange!(2, 10, 3).tolist(), [2, 5, 8]);\nassert_eq!(gpu::arange!(3, dtype = f64).tolist(), [0.0, 1.0, 2.0]);";
    linspace(start, stop) [num = 50, endpoint = true, retstep = false] [dtype, axis = 0] => spaced [keywords::linspace]
        "assert_eq!(gpu::linspace!(0.0, 1.0, 4, endpoint = false).tolist(), [0.0, 0.25, 0.5, 0.75]);\nlet (low, high) = (gpu::array(&[0.0, 10.0]), gpu::array(&[1.0, 20.0]));\nassert_eq!(gpu::linspace!(&low, &high, 3, axis = -1).ravel().tolist(), [0.0, 0.5, 1.0, 10.0, 15.0, 20.0]);";
    array(object) [dtype] [ndmin = 0] => array [array]
        "assert_eq!(gpu::array!([1, 2, 3], dtype = f32).sum(), 6.0);";
    asarray(a) [dtype] [] => converted [asarray]
        "assert_eq!(gpu::asarray!(&[1, 2, 3], dtype = f32).sum(), 6.0);";

    asarray_chkfinite(a) [dtype] [] => converted [asarray_chkfinite]
        "assert_eq!(gpu::asarray_chkfinite!(&[1, 2, 3], dtype = f32).sum(), 6.0);";
    ascontiguousarray(a) [dtype] [] => cast [ascontiguousarray]
        "assert_eq!(gpu::ascontiguousarray!(&gpu::arange(3), dtype = f32).sum(), 3.0);";
    asfortranarray(a) [dtype] [] => cast [asfortranarray]
        "assert!(gpu::isfortran(&gpu::asfortranarray!(&gpu::ones::<f64>((2, 3)), dtype = f32)));";

    logspace(start, stop) [num = 50, endpoint = true] [dtype, base = 10.0] => powers [keywords::logspace]
        "assert!(gpu::allclose(&gpu::logspace!(0.0, 3.0, num = 4, base = 2.0), &[1.0, 2.0, 4.0, 8.0]));";
    geomspace(start, stop) [num = 50, endpoint = true] [dtype] => powers [keywords::geomspace]
        "assert!(gpu::allclose(&gpu::geomspace!(1.0, 8.0, num = 3, endpoint = false), &[1.0, 2.0, 4.0]));";
    identity(n) [dtype = f64] [] => typed [identity]
        "assert_eq!(gpu::identity!(3, dtype = f32).sum(), 3.0);";
    tri(N) [M, k = 0, dtype = f64] [] => square [keywords::tri]
        "assert_eq!(gpu::tri!(2, M = 3, k = 1, dtype = i64).ravel().tolist(), [1, 1, 0, 1, 1, 1]);";
    vander(x) [N, increasing = false] [] => square [keywords::vander]
        "assert_eq!(gpu::vander!(&gpu::array(&[2.0, 3.0]), N = 3, increasing = true).ravel().tolist(), [1.0, 2.0, 4.0, 1.0, 3.0, 9.0]);";
    diagflat(v) [k = 0] [] => call [keywords::diagflat]
        "assert_eq!(gpu::diagflat!(&gpu::array(&[[1, 2]]), k = 1).shape(), [3, 3]);";
    indices(dimensions) [dtype, sparse = false] [] => indices [indices]
        "assert_eq!(gpu::indices!((2, 3), dtype = f32).shape(), [2, 2, 3]);";
    frombuffer(buffer) [dtype = f64, count = (-1), offset = 0] [] => typed [keywords::frombuffer]
        "assert_eq!(gpu::frombuffer!(&[1, 2, 3, 4], dtype = u8, count = 2, offset = 1).tolist(), [2, 3]);";
    fromstring(string) [dtype = f64, count = (-1)] [sep = ""] => typed [keywords::fromstring]
        "assert_eq!(gpu::fromstring!(\"1, 2, 3\", dtype = i64, sep = \",\").tolist(), [1, 2, 3]);";
    fromiter(iter) [dtype, count = (-1)] [] => converted [keywords::fromiter]
        "assert_eq!(gpu::fromiter!(0..9, dtype = f32, count = 3).tolist(), [0.0, 1.0, 2.0]);";
    fromfile(file) [dtype = f64, count = (-1), sep = "", offset = 0] [] => typed [keywords::fromfile]
        "let file = std::env::temp_dir().join(format!(\"warpcell-fromfile-macro-{}\", std::process::id()));\ngpu::array(&[1.5f32, 2.5, 3.5]).tofile(&file);\nassert_eq!(gpu::fromfile!(&file, dtype = f32, count = 1, offset = 4).tolist(), [2.5]);\n# std::fs::remove_file(&file).unwrap();";

    // Parts chosen and written to.
    choose(a, choices) [mode = "raise"] [] => choose []
        "let (x, y) = (gpu::array(&[1, 2]), gpu::array(&[3, 4]));\nassert_eq!(gpu::choose!(&gpu::array(&[5, -1]), [&x, &y], mode = \"clip\").tolist(), [3, 2]);";
    select(condlist, choicelist) [default = (::core::default::Default::default())] [] => call [keywords::select]
        "let a = gpu::array(&[1.0, 5.0]);\nassert_eq!(gpu::select!([&a.gt(2.0)], [&a], default = 9.0).tolist(), [9.0, 5.0]);";
    compress(condition, a) [axis] [] => along [compress, keywords::compress]
        "let m = gpu::array(&[[1, 2], [3, 4]]);\nassert_eq!(gpu::compress!(&gpu::array(&[false, true]), &m, axis = 1).ravel().tolist(), [2, 4]);";
    copyto(dst, src) [] [where] => along [copyto, keywords::copyto]
        "let (mut a, mask) = (gpu::zeros::<f64>((2, 2)), gpu::array(&[true, false]));\ngpu::copyto!(&mut a, 1.0, where = &mask);\nassert_eq!(a.sum(), 2.0);";
    put(a, ind, v) [mode = "raise"] [] => put []
        "let mut a = gpu::zeros::<f64>(4);\ngpu::put!(&mut a, [0, 9], 5.0, mode = \"clip\");\nassert_eq!(a.tolist(), [5.0, 0.0, 0.0, 5.0]);";
    fill_diagonal(a, val) [wrap = false] [] => call [keywords::fill_diagonal]
        "let mut a = gpu::zeros::<f64>((5, 2));\ngpu::fill_diagonal!(&mut a, 1.0, wrap = true);\nassert_eq!(a.sum(), 4.0);";
    diag_indices(n) [ndim = 2] [] => call [keywords::diag_indices]
        "assert_eq!(gpu::diag_indices!(4, ndim = 3).len(), 3);";
    tril_indices(n) [k = 0, m] [] => square [keywords::tril_indices]
        "assert_eq!(gpu::tril_indices!(3, k = -1)[0].tolist(), [1, 2, 2]);";
    triu_indices(n) [k = 0, m] [] => square [keywords::triu_indices]
        "assert_eq!(gpu::triu_indices!(2, m = 3)[1].tolist(), [0, 1, 2, 1, 2]);";
    tril_indices_from(arr) [k = 0] [] => call [keywords::tril_indices_from]
        "assert_eq!(gpu::tril_indices_from!(&gpu::zeros::<f64>((2, 2)), k = -1)[0].tolist(), [1]);";
    triu_indices_from(arr) [k = 0] [] => call [keywords::triu_indices_from]
        "assert_eq!(gpu::triu_indices_from!(&gpu::zeros::<f64>((2, 2)), k = 1)[0].tolist(), [0]);";

    // Sets and orders.
    isin(element, test_elements) [assume_unique = false, invert = false] [kind = "sort"] => isin [keywords::isin]
        "assert_eq!(gpu::isin!(&gpu::array(&[1, 2]), &gpu::array(&[2]), invert = true).tolist(), [true, false]);";
    lexsort(keys) [axis = (-1)] [] => list [keywords::lexsort]
        "let (b, a) = (gpu::array(&[2, 1]), gpu::array(&[5, 5]));\nassert_eq!(gpu::lexsort!((&b, &a)).tolist(), [1, 0]);";
    nanargmax(a) [axis] [keepdims = false] => places [nanargmax, keywords::nanargmax]
        "assert_eq!(gpu::nanargmax!(&gpu::array(&[[f64::NAN, 1.0], [5.0, 2.0]]), axis = 1).tolist(), [1, 0]);";
    nanargmin(a) [axis] [keepdims = false] => places [nanargmin, keywords::nanargmin]
        "assert_eq!(gpu::nanargmin!(&gpu::array(&[[f64::NAN, 1.0], [5.0, 2.0]]), axis = 1).tolist(), [1, 1]);";

    intersect1d(ar1, ar2) [assume_unique = false, return_indices = false] [] => common [intersect1d, keywords::common_places]
        "let (a, b) = (gpu::array(&[5, 7, 9]), gpu::array(&[9, 5]));\nlet (both, at, _) = gpu::intersect1d!(&a, &b, return_indices = true);\nassert_eq!((both.tolist(), at.tolist()), (vec![5, 9], vec![0, 2]));";

    setdiff1d(ar1, ar2) [assume_unique = false] [] => call [keywords::setdiff1d]
        "let (a, b) = (gpu::array(&[9, 5, 7]), gpu::array(&[5]));\nassert_eq!(gpu::setdiff1d!(&a, &b, assume_unique = true).tolist(), [9, 7]);";
    setxor1d(ar1, ar2) [assume_unique = false] [] => common [setxor1d]
        "let (a, b) = (gpu::array(&[9, 5, 7]), gpu::array(&[5]));\nassert_eq!(gpu::setxor1d!(&a, &b, assume_unique = true).tolist(), [7, 9]);";

    // Views and positions.
    trace(a) [offset = 0, axis1, axis2, dtype] [] => trace [keywords::trace, keywords::traces]
        "assert_eq!(gpu::trace!(&gpu::array(&[[1.0, 2.0], [3.0, 4.0]]), offset = 1), 2.0);\nassert_eq!(gpu::trace!(&gpu::ones::<f64>((2, 3, 2)), axis1 = 0, axis2 = 2).tolist(), [2.0; 3]);";
    diagonal(a) [offset = 0, axis1 = 0, axis2 = 1] [] => call [keywords::diagonal]
        "assert_eq!(gpu::diagonal!(&gpu::array(&[[1, 2], [3, 4]]), offset = -1).tolist(), [3]);";
    squeeze(a) [axis] [] => along [squeeze, keywords::squeeze]
        "assert_eq!(gpu::squeeze!(&gpu::ones::<f64>((1, 3, 1)), axis = 0).shape(), [3, 1]);";
    ravel(a) [order = "C"] [] => call [keywords::ravel]
        "assert_eq!(gpu::ravel!(&gpu::array(&[[1, 2], [3, 4]]), order = \"F\").tolist(), [1, 3, 2, 4]);";
    reshape(a, shape) [order = "C"] [] => call [keywords::reshape]
        "assert_eq!(gpu::reshape!(&gpu::arange(4), (2, 2), order = \"F\").ravel().tolist(), [0, 2, 1, 3]);";
    meshgrid(x1, x2) [x3, x4] [indexing = "xy", sparse = false] => meshgrid [keywords::meshgrid, keywords::meshgrid3, keywords::meshgrid4]
        "let (x, y) = gpu::meshgrid!(&gpu::arange(2), &gpu::arange(3), indexing = \"ij\");\nassert_eq!((x.shape(), y.get(&[0, 2])), (&[2, 3][..], 2));\nlet (_, _, z) = gpu::meshgrid!(&gpu::arange(2), &gpu::arange(3), &gpu::arange(4));\nassert_eq!((z.shape(), z.get(&[0, 0, 3])), (&[3, 2, 4][..], 3));";
    ravel_multi_index(multi_index, dims) [mode = "raise"] [] => outside [ravel_multi_index, keywords::ravel_multi_index_outside]
        "assert_eq!(gpu::ravel_multi_index!([[1], [5]], (2, 3), mode = \"clip\").tolist(), [5]);";
    array_equal(a1, a2) [equal_nan = false] [] => call [keywords::array_equal]
        "let a = gpu::array(&[f64::NAN]);\nassert!(gpu::array_equal!(&a, &a, equal_nan = true) && !gpu::array_equal!(&a, &a));";
    full_like(a, fill_value) [dtype] [shape] => full_like [full_like]
        "assert_eq!(gpu::full_like!(&gpu::arange(2), 0.5, dtype = f64).tolist(), [0.5, 0.5]);";

    // Arrays joined and rearranged.
    append(arr, values) [axis] [] => along [append, keywords::append]
        "let a = gpu::array(&[[1, 2]]);\nassert_eq!(gpu::append!(&a, &a, axis = 0).shape(), [2, 2]);";
    delete(arr, obj) [axis] [] => along [delete, keywords::delete]
        "assert_eq!(gpu::delete!(&gpu::array(&[[1, 2], [3, 4]]), 0, axis = 1).ravel().tolist(), [2, 4]);";
    insert(arr, obj, values) [axis] [] => along [insert, keywords::insert]
        "assert_eq!(gpu::insert!(&gpu::array(&[[1, 2], [3, 4]]), 1, 9, axis = 1).ravel().tolist(), [1, 9, 2, 3, 9, 4]);";
    trim_zeros(filt) [trim = "fb", axis] [] => trimmed [keywords::trim_zeros, keywords::trim_zeros_along]
        "assert_eq!(gpu::trim_zeros!(&gpu::array(&[0, 1, 0]), trim = \"f\").tolist(), [1, 0]);";
    array_split(a, sections) [axis = 0] [] => call [keywords::array_split]
        "assert_eq!(gpu::array_split!(&gpu::zeros::<f64>((2, 5)), 2, axis = 1)[1].shape(), [2, 2]);";
    rot90(m) [k = 1, axes = (0, 1)] [] => call [keywords::rot90]
        "assert_eq!(gpu::rot90!(&gpu::array(&[[1, 2], [3, 4]]), k = 2).ravel().tolist(), [4, 3, 2, 1]);";
    rollaxis(a, axis) [start = 0] [] => call [keywords::rollaxis]
        "assert_eq!(gpu::rollaxis!(&gpu::zeros::<f64>((2, 3, 4)), 0, start = 2).shape(), [3, 2, 4]);";
    sliding_window_view(x, window_shape) [axis] [] => along [sliding_window_view, keywords::sliding_window_view]
        "assert_eq!(gpu::sliding_window_view!(&gpu::zeros::<f64>((2, 5)), 3, axis = 1).shape(), [2, 3, 3]);";
    concatenate(arrays) [axis = 0] [dtype] => flat [concatenate, keywords::concatenate_flat]
        "let a = gpu::ones::<f64>((2, 2));\nassert_eq!(gpu::concatenate!((&a, &a), axis = 1).shape(), [2, 4]);";
    stack(arrays) [axis = 0] [dtype] => list [stack]
        "let a = gpu::ones::<f64>(2);\nassert_eq!(gpu::stack!([&a, &a, &a], axis = -1).shape(), [2, 3]);";
    vstack(tup) [] [dtype] => list [vstack]
        "let a = gpu::ones::<f64>(2);\nassert_eq!(gpu::vstack!((&a, &a), dtype = i64).sum(), 4);";
    hstack(tup) [] [dtype] => list [hstack]
        "let a = gpu::ones::<f64>(2);\nassert_eq!(gpu::hstack!((&a, &a), dtype = i64).shape(), [4]);";
    split(a, sections) [axis = 0] [] => call [split]
        "assert_eq!(gpu::split!(&gpu::arange(6), 2)[1].tolist(), [3, 4, 5]);";
    flip(m) [axis] [] => along [keywords::flip_all, flip]
        "assert_eq!(gpu::flip!(&gpu::arange(3)).tolist(), [2, 1, 0]);";
    roll(a, shift) [axis] [] => along [keywords::roll_all, keywords::roll]
        "assert_eq!(gpu::roll!(&gpu::arange(5), 2).tolist(), [3, 4, 0, 1, 2]);";
    repeat(a, repeats) [axis] [] => along [keywords::repeat_all, keywords::repeat]
        "assert_eq!(gpu::repeat!(&gpu::array(&[1, 2]), 2).tolist(), [1, 1, 2, 2]);";
    take(a, indices) [axis] [mode = "raise"] => take [take, take_axis]
        "let m = gpu::array(&[[1, 2], [3, 4]]);\nassert_eq!(gpu::take!(&m, &gpu::array(&[1]), axis = 1).shape(), [2, 1]);";
    pad(array, pad_width) [mode = "constant"] [constant_values = 0, end_values = 0, stat_length, reflect_type = "even"] => pad []
        "let a = gpu::array(&[1, 2, 4]);\nassert_eq!(gpu::pad!(&a, 1, mode = \"edge\").tolist(), [1, 1, 2, 4, 4]);\nassert_eq!(gpu::pad!(&a, 1, constant_values = (7, 8)).tolist(), [7, 1, 2, 4, 8]);\nassert_eq!(gpu::pad!(&a, 1, mode = \"reflect\", reflect_type = \"odd\").tolist(), [0, 1, 2, 4, 6]);\nassert_eq!(gpu::pad!(&a, (0, 2), mode = \"mean\", stat_length = 2).tolist(), [1, 2, 4, 3, 3]);";

    // Products and signals.
    matmul(a, b) [] [tf32 = false] => call [keywords::matmul]
        "let a = gpu::ones::<f32>((2, 2));\nassert_eq!(gpu::matmul!(&a, &a, tf32 = true).sum(), 8.0);";
    tensordot(a, b) [axes = 2] [] => call [tensordot]
        "let a = gpu::ones::<f64>((2, 2));\nassert_eq!(gpu::tensordot!(&a, &a, axes = 1).shape(), [2, 2]);";
    allclose(a, b) [rtol = 1e-5, atol = 1e-8, equal_nan = false] [] => call [allclose_with]
        "assert!(gpu::allclose!(&gpu::array(&[1.0]), &gpu::array(&[1.01]), rtol = 0.1));";
    isclose(a, b) [rtol = 1e-5, atol = 1e-8, equal_nan = false] [] => call [keywords::isclose]
        "assert_eq!(gpu::isclose!(&gpu::array(&[1.0, 2.0]), &gpu::array(&[1.01, 3.0]), rtol = 0.1).tolist(), [true, false]);";
    cov(m) [y, rowvar, bias, ddof, fweights, aweights] [dtype] => covariance [keywords::cov]
        "assert_eq!(gpu::cov!(&gpu::array(&[[1.0, 6.0], [3.0, 2.0]]), rowvar = false).get(&[0, 1]), -4.0);";
    corrcoef(x) [y, rowvar] [dtype] => correlation [keywords::corrcoef]
        "assert_eq!(gpu::corrcoef!(&gpu::array(&[[1.0, 6.0], [3.0, 2.0]]), rowvar = false).shape(), [2, 2]);";
    convolve(a, v) [mode = "full"] [] => call [convolve]
        "let a = gpu::ones::<f64>(3);\nassert_eq!(gpu::convolve!(&a, &a, mode = \"same\").tolist(), [2.0, 3.0, 2.0]);";
    correlate(a, v) [mode = "valid"] [] => call [correlate]
        "let a = gpu::ones::<f64>(3);\nassert_eq!(gpu::correlate!(&a, &a).tolist(), [3.0]);";
    fftconvolve(a, v) [mode = "full"] [] => call [fftconvolve]
        "let a = gpu::ones::<f64>(3);\nassert_eq!(gpu::fftconvolve!(&a, &a, mode = \"same\").shape(), [3]);";
    convolve2d(in1, in2) [mode = "full", boundary = "fill", fillvalue = (::core::default::Default::default())] [] => plane [convolve2d_with]
        "let a = gpu::ones::<f64>((3, 3));\nassert_eq!(gpu::convolve2d!(&a, &a, mode = \"same\", boundary = \"wrap\").sum(), 81.0);";
    correlate2d(in1, in2) [mode = "full", boundary = "fill", fillvalue = (::core::default::Default::default())] [] => plane [correlate2d_with]
        "let a = gpu::ones::<f64>((3, 3));\nassert_eq!(gpu::correlate2d!(&a, &a, mode = \"valid\").sum(), 9.0);";

    // Functions of elements, derivatives, integrals, polynomials.
    round(a) [decimals = 0] [] => call [keywords::round]
        "assert_eq!(gpu::round!(&gpu::array(&[1.234, 5.678]), decimals = 1).tolist(), [1.2, 5.7]);";
    around(a) [decimals = 0] [] => call [keywords::round]
        "assert_eq!(gpu::around!(&gpu::array(&[15, 25, 36]), decimals = -1).tolist(), [20, 20, 40]);";
    angle(z) [deg = false] [] => call [keywords::angle]
        "assert_eq!(gpu::angle!(&gpu::array(&[gpu::Complex::new(0.0, 1.0)]), deg = true).tolist(), [90.0]);";
    interp(x, xp, fp) [left, right, period] [] => given_or [interp, keywords::interp]
        "let (xp, fp) = (gpu::array(&[1.0, 2.0]), gpu::array(&[3.0, 4.0]));\nassert_eq!(gpu::interp!(&gpu::array(&[0.0, 1.5]), &xp, &fp, left = -1.0).tolist(), [-1.0, 3.5]);";
    real_if_close(a) [tol = 100.0] [] => call [keywords::real_if_close]
        "let z = gpu::array(&[gpu::Complex::new(2.0, 1e-9)]);\nassert_eq!(gpu::real_if_close!(&z, tol = 1e-6).unwrap().tolist(), [2.0]);";
    packbits(a) [axis, bitorder] [] => options [keywords::packbits]
        "assert_eq!(gpu::packbits!(&gpu::array(&[[true, true], [false, true]]), axis = 0, bitorder = \"little\").ravel().tolist(), [1, 3]);";
    unpackbits(a) [axis, count, bitorder] [] => options [keywords::unpackbits]
        "assert_eq!(gpu::unpackbits!(&gpu::array(&[6u8]), count = 4, bitorder = \"little\").tolist(), [0, 1, 1, 0]);";
    nan_to_num(x) [] [nan, posinf, neginf] => options [keywords::nan_to_num]
        "let a = gpu::array(&[f64::NAN, f64::INFINITY]);\nassert_eq!(gpu::nan_to_num!(&a, nan = -1.0, posinf = 9.0).tolist(), [-1.0, 9.0]);";
    gradient(f) [spacing = 1.0] [axis, edge_order = 1] => gradient [keywords::gradient]
        "let (f, x) = (gpu::array(&[1.0, 2.0, 4.0]), gpu::array(&[0.0, 0.5, 1.0]));\nassert_eq!(gpu::gradient!(&f, &x, axis = 0).tolist(), [2.0, 3.0, 4.0]);";
    trapezoid(y) [x, dx, axis] [] => options [keywords::trapezoid]
        "let (y, x) = (gpu::array(&[1.0, 2.0, 3.0]), gpu::array(&[4.0, 6.0, 8.0]));\nassert_eq!(gpu::trapezoid!(&y, &x).item(), 8.0);";
    unwrap(p) [discont, axis] [period] => options [keywords::unwrap]
        "assert_eq!(gpu::unwrap!(&gpu::array(&[0.0, 100.0, 200.0 - 360.0]), period = 360.0).tolist(), [0.0, 100.0, 200.0]);";
    ediff1d(ary) [to_end, to_begin] [] => options [keywords::ediff1d]
        "assert_eq!(gpu::ediff1d!(&gpu::array(&[1, 2, 4]), to_begin = &gpu::array(&[9])).tolist(), [9, 1, 2]);";
    cross(a, b) [axisa, axisb, axisc, axis] [] => options [keywords::cross]
        "let a = gpu::array(&[[1, 0], [0, 1], [0, 0]]);\nassert_eq!(gpu::cross!(&a, &gpu::flip(&a, 1), axis = 0).get(&[2, 0]), 1);";
    polyfit(x, y, deg) [rcond, full = false, w, cov = false] [] => polyfit [keywords::polyfit, keywords::polyfit_full, keywords::polyfit_cov]
        "let (x, y) = (gpu::array(&[0.0, 1.0, 2.0]), gpu::array(&[1.0, 3.0, 9.0]));\nlet line = gpu::polyfit!(&x, &y, 1, w = &gpu::array(&[1.0, 1.0, 0.0]));\nassert!(gpu::allclose(&line, &[2.0, 1.0]));\nlet (p, residuals, rank, _, _) = gpu::polyfit!(&x, &y, 2, full = true);\nassert_eq!((p.shape(), residuals.shape(), rank), (&[3][..], &[0][..], 3));\nassert_eq!(gpu::polyfit!(&x, &y, 1, cov = \"unscaled\").1.shape(), [2, 2]);";
    poly1d(c_or_r) [r = false, variable = "x"] [] => poly1d []
        "let p = gpu::poly1d!(&gpu::array(&[1.0, 2.0]), r = true);\nassert_eq!(p.coeffs().tolist(), [1.0, -3.0, 2.0]);";
    polyder(p) [m = 1] [] => call [keywords::polyder]
        "assert_eq!(gpu::polyder!(&gpu::array(&[1, 1, 1, 1]), m = 2).tolist(), [6, 2]);";
    polyint(p) [m = 1, k = []] [] => call [keywords::polyint]
        "assert_eq!(gpu::polyint!(&gpu::array(&[6.0]), m = 2, k = [1.0, 2.0]).tolist(), [3.0, 1.0, 2.0]);";
    as_series(alist) [trim = true] [] => call [keywords::as_series]
        "assert_eq!(gpu::as_series!([&gpu::array(&[1, 0])], trim = false)[0].tolist(), [1.0, 0.0]);";
    trimcoef(c) [tol = 0.0] [] => call [keywords::trimcoef]
        "assert_eq!(gpu::trimcoef!(&gpu::array(&[1.0, 2.0, 1e-9]), tol = 1e-6).tolist(), [1.0, 2.0]);";

    // Text files.
    loadtxt(fname) [dtype = f64, comments = "#", delimiter = ""] [skiprows = 0, unpack = false, usecols = ([0isize; 0]), max_rows = (usize::MAX), ndmin = 0] => typed [keywords::loadtxt]
        "let table = std::env::temp_dir().join(format!(\"warpcell-loadtxt-macro-{}\", std::process::id()));\nstd::fs::write(&table, \"x,y\\n1,2\\n3,4\\n\").unwrap();\nassert_eq!(gpu::loadtxt!(&table, delimiter = \",\", skiprows = 1).shape(), [2, 2]);\nassert_eq!(gpu::loadtxt!(&table, dtype = f32, delimiter = \",\", skiprows = 1, usecols = 1).tolist(), [2.0, 4.0]);\n# std::fs::remove_file(&table).unwrap();";
    genfromtxt(fname) [dtype = f64, comments = "#", delimiter = ""] [skip_header = 0, skip_footer = 0, usecols = ([0isize; 0]), max_rows = (usize::MAX), filling_values = (f64::NAN), ndmin = 0, unpack = false, names = false]
        => text [keywords::text_with_gaps, keywords::genfromtxt, keywords::genfromtxt_named]
        "let table = std::env::temp_dir().join(format!(\"warpcell-genfromtxt-macro-{}\", std::process::id()));\nstd::fs::write(&table, \"x,y\\n1,\\n3,4\\n\").unwrap();\nassert_eq!(gpu::genfromtxt!(&table, delimiter = \",\", skip_header = 1, filling_values = 0.0).sum(), 8.0);\nassert_eq!(gpu::genfromtxt!(&table, delimiter = \",\", names = true)[\"x\"].tolist(), [1.0, 3.0]);\n# std::fs::remove_file(&table).unwrap();";
    savetxt(fname, X) [fmt = "%.18e", delimiter = " ", newline = "\n", header = "", footer = "", comments = "# "] [] => call [keywords::savetxt]
        "let table = std::env::temp_dir().join(format!(\"warpcell-savetxt-macro-{}\", std::process::id()));\ngpu::savetxt!(&table, &gpu::array(&[[1.0, 2.5]]), fmt = \"%.1f\", delimiter = \",\");\nassert_eq!(std::fs::read_to_string(&table).unwrap(), \"1.0,2.5\\n\");\ngpu::savetxt!(&table, &gpu::array(&[[1.0, 2.5]]), fmt = [\"%d\", \"%.2f\"]);\nassert_eq!(std::fs::read_to_string(&table).unwrap(), \"1 2.50\\n\");\n# std::fs::remove_file(&table).unwrap();";

    // Plots.
    specgram(x) [NFFT = 256, Fs = 2.0, noverlap = 128] [] => given [specgram_with]
        "assert!(format!(\"{:?}\", gpu::specgram!(&gpu::arange(64.0), NFFT = 32, noverlap = 16)).starts_with(\"Plot: mesh 17×3\"));";

    // Numbers and arrays as text.
    base_repr(number) [base = 2, padding = 0] [] => call [keywords::base_repr]
        "assert_eq!(gpu::base_repr!(255, base = 16), \"FF\");";
    binary_repr(num) [width] [] => options [keywords::binary_repr]
        "assert_eq!(gpu::binary_repr!(3, width = 5), \"00011\");";
    format_float_positional(x) [precision, unique, fractional, trim, sign, pad_left, pad_right, min_digits] []
        => options [keywords::format_float_positional]
        "assert_eq!(gpu::format_float_positional!(0.1, min_digits = 3, sign = true), \"+0.100\");";
    format_float_scientific(x) [precision, unique, trim, sign, pad_left, exp_digits, min_digits] []
        => options [keywords::format_float_scientific]
        "assert_eq!(gpu::format_float_scientific!(1234.5f32, precision = 2, trim = \"-\"), \"1.23e+03\");";
    array2string(a) [max_line_width, precision, suppress_small, separator, prefix] [threshold, edgeitems, sign, floatmode, suffix]
        => options [keywords::array2string]
        "assert_eq!(gpu::array2string!(&gpu::arange(5.0), separator = \",\", threshold = 3, edgeitems = 1), \"[0.,...,4.]\");";
    array_repr(arr) [max_line_width, precision, suppress_small] [] => options [keywords::array_repr]
        "assert_eq!(gpu::array_repr!(&gpu::array(&[1.0 / 3.0]), precision = 2), \"array([0.33])\");";
    array_str(a) [max_line_width, precision, suppress_small] [] => options [keywords::array_str]
        "assert_eq!(gpu::array_str!(&gpu::array(&[1e-9, 0.5]), suppress_small = true), \"[0.  0.5]\");";
}
