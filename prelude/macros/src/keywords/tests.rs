//! What is said of calls that have no meaning.

use super::{Signature, arguments, fault, wrong_word};
use expect_test::{Expect, expect};
use proc_macro2::TokenStream;

const SUM: &str = "(sum [a] [axis] [dtype keepdims initial where])";
const QUANTILE: &str = "(quantile [a q] [axis] [keepdims])";
const UNIQUE: &str = "(unique [a] [] [return_inverse return_counts])";

fn check(calls: &[(&str, &str)], expected: Expect) {
    let mut text = String::new();
    for (signature, call) in calls {
        let signature: Signature = syn::parse_str(signature).unwrap();
        let error = fault(&signature, arguments(call.parse().unwrap()));
        text += &format!("{}\n  {error}\n", error.span().source_text().unwrap_or_default());
    }
    expected.assert_eq(&text);
}

#[test]
fn keywords_that_are_not_known() {
    check(
        &[
            (SUM, "&m, axs = 0"),
            (SUM, "&m, dim = 0, keepdim = true"),
            (SUM, "&m, axis = 0, out = &b"),
            (SUM, "&m, axis = 0, axis = 1"),
            (QUANTILE, "&a, q = 0.5, foo = 1"),
            (QUANTILE, "&a, 0.5, q = 0.25"),
            (QUANTILE, "axis = 0, q = 0.25"),
            (UNIQUE, "&a, axis = 0"),
            ("(__fft_fft [a] [n axis norm] [])", "&a, nrm = \"ortho\""),
        ],
        expect![[r#"
            axs
              `gpu::sum!` has no keyword `axs`; it takes the keywords `axis`, `dtype`, `keepdims`, `initial` and `where`; write `gpu::sum!(&m, axis = 0)`
            dim
              `gpu::sum!` has no keyword `dim`; it takes the keywords `axis`, `dtype`, `keepdims`, `initial` and `where`; write `gpu::sum!(&m, axis = 0, keepdims = true)`
            out
              `gpu::sum!` has no keyword `out`; it takes the keywords `axis`, `dtype`, `keepdims`, `initial` and `where`; write `gpu::sum!(&m, axis = 0)`
            axis
              `axis` is given twice; write `gpu::sum!(&m, axis = 0)`
            foo
              `gpu::quantile!` has no keyword `foo`; it takes the keywords `axis` and `keepdims`; write `gpu::quantile!(&a, q = 0.5)`
            q
              `q` is given twice; write `gpu::quantile!(&a, 0.5)`
            axis
              `gpu::quantile!` needs `a`, which is not given; write `gpu::quantile!(a, axis = 0, q = 0.25)`
            axis
              `gpu::unique!` has no keyword `axis`; it takes the keywords `return_inverse` and `return_counts`; write `gpu::unique!(&a)`
            nrm
              `gpu::fft::fft!` has no keyword `nrm`; it takes the keywords `n`, `axis` and `norm`; write `gpu::fft::fft!(&a, norm = "ortho")`
        "#]],
    );
}

#[test]
fn values_that_lack_or_are_too_many() {
    check(
        &[(SUM, ""), (QUANTILE, "&a, axis = 0"), (SUM, "&m, 0, f32"), (QUANTILE, "&a, 0.5, 0, 1, keepdims = true")],
        expect![[r#"

          `gpu::sum!` needs `a`, which is not given; write `gpu::sum!(a)`
        axis
          `gpu::quantile!` needs `q`, which is not given; write `gpu::quantile!(&a, q, axis = 0)`
        f32
          `gpu::sum!` takes 2 values by position, and the keywords `axis`, `dtype`, `keepdims`, `initial` and `where`; write `gpu::sum!(&m, 0)`
        1
          `gpu::quantile!` takes 3 values by position, and the keywords `axis` and `keepdims`; write `gpu::quantile!(&a, 0.5, 0, keepdims = true)`
    "#]],
    );
}

#[test]
fn values_that_are_no_rust() {
    check(
        &[
            (SUM, "&m, dtype = \"float32\""),
            (SUM, "&m, dtype = np.float32, axis = 0"),
            (SUM, "&m, axis = 0:2"),
            (SUM, "&m, keepdims = True"),
            (SUM, "&m, keepdims = a > 1"),
            (UNIQUE, "&a, return_counts = True"),
            (UNIQUE, "&a, return_counts = flag"),
        ],
        expect![[r#"
            "float32"
              `dtype` is a type of Rust, such as `f32` or `i64`; write `gpu::sum!(&m, dtype = f32)`
            np
              `dtype` is a type of Rust, such as `f32` or `i64`; write `gpu::sum!(&m, dtype = f32, axis = 0)`
            0
              the value of `axis` is not an expression of Rust; write one such as `0`
            True
              without `axis`, `keepdims` must be `true` or `false` itself, because a number or an array follows from it; write `gpu::sum!(&m, keepdims = true)`
            a
              without `axis`, `keepdims` must be `true` or `false` itself, because a number or an array follows from it; write `gpu::sum!(&m, keepdims = true)`
            True
              `True` is `true` in Rust; write `gpu::unique!(&a, return_counts = true)`
            return_counts
              `gpu::unique!` does not take these values together; the keywords `return_inverse` and `return_counts` are known; write `gpu::unique!(&a)`
        "#]],
    );
}

#[test]
fn words() {
    let word: TokenStream = "side [\"left\" \"right\"] \"rigth\"".parse().unwrap();
    let text = wrong_word(word).to_string();
    assert!(text.contains("`side` is one of"), "{text}");
    assert!(text.contains("write `side = "), "{text}");
}

#[test]
fn macros_of_modules_are_called_by_their_path() {
    for (name, path) in [
        ("sum", "sum"),
        ("__fft_rfft", "fft::rfft"),
        ("__signal_find_peaks", "signal::find_peaks"),
        ("__signal_windows_hann", "signal::windows::hann"),
        ("__sparse_linalg_cg", "sparse::linalg::cg"),
        ("__spatial_distance_cdist", "spatial::distance::cdist"),
        ("__spatial_distance_matrix", "spatial::distance_matrix"),
    ] {
        let name = syn::Ident::new(name, proc_macro2::Span::call_site());
        let signature = Signature { name, needed: Vec::new(), positional: Vec::new(), others: Vec::new() };
        assert_eq!(signature.path(), path);
    }
}
