//! [`lookup`]: what to type for a name of NumPy.

// The kernel shows the same for `np.percentile?`. It has these files too, because it does not depend on the prelude.
mod expressions;
mod page;
mod search;
mod shown;
mod words;

use crate::rich::MimeBundle;
use std::fmt;
use warpcell_translate::distance;

/// What to type for a name of NumPy, CuPy, SciPy, Numba or Matplotlib.
///
/// `question`: a name as you know it (`np.percentile`, `cp.linalg.svd`, `percentile`, `a.argmax`, `cuda.grid`), a name of ours
/// (`gpu::percentile`), a module (`np.fft`), or words such as `sliding window` and `standard deviation`. Unknown names get the names that are most like
/// them.
///
/// The answer has the rows of `prelude/NUMPY.md`, `prelude/SCIPY.md` and of the cheat sheet about the name, with their expression and ours, the call
/// with all optional arguments, and for a name that is absent the reason. It is text, and a table in a notebook.
/// `np.percentile?` shows it too, above the documentation of our function.
///
/// Nothing is prepared before the first call. A call takes a few milliseconds.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let answer = gpu::lookup("np.percentile");
/// println!("{answer}");
/// assert!(answer.to_string().contains("gpu::percentile(&a, 25.0)"));
/// assert!(gpu::lookup("np.percentle").to_string().contains("`np.percentile`"));
/// ```
pub fn lookup(question: &str) -> Lookup {
    let found = search::look_up(question, distance);
    Lookup { text: found.text(), html: found.html() }
}

/// An answer of [`lookup`]: text, and a table in a notebook.
#[derive(Clone, PartialEq, Eq)]
pub struct Lookup {
    text: String,
    html: String,
}

/// The answer as text.
impl fmt::Display for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The same as `Display`; as the value of a cell it is a table.
impl fmt::Debug for Lookup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bundle = MimeBundle::new().text(self.text.clone()).html(self.html.clone());
        fmt::Debug::fmt(&bundle, f)
    }
}

#[cfg(test)]
mod tests {
    use super::expressions::{subjects, with_references};
    use super::page::Page;
    use super::search::look_up_in;
    use super::*;
    use crate::cell::representations_of;
    use expect_test::{Expect, expect};

    const PAGE: &str = "\
# Names

- no row: this is the introduction

## Functions

| NumPy | Warpcell |
|---|---|
| `np.sort(a)` | `gpu::sort(a)` |
| `np.sort(a, axis=0)` | `gpu::sort!(a, axis = 0)` |
| `np.sort(np.unique_values(i))` | `gpu::unique_values(i)` |
| `np.sort(i)[::-1][:2]` | `gpu::topk(i, 2).0` |
| `np.sort(np.roots([1, np.nan]).real)` | `gpu::sort(&gpu::roots(b).real())` |
| `np.power(a, b)` | `a.pow(b)` |
| `np.random.power(3, 4).size` | `gpu::random::power(3.0, 4).size()` |
| `a.argmax()` | `a.argmax()` |
| `np.argmax(a, 1)` | `gpu::argmax_axis(a, 1)` |
| `np.concat((a, a))` | `gpu::concatenate([a, a], 0)` |
| `mask \\| (a > 3)` | `mask \\| &a.gt(3.0)` |
| `np.lib.stride_tricks.sliding_window_view(b, 2)` | `gpu::sliding_window_view(b, 2)` |

## Files

- `np.load('a.npy')`: `gpu::load::<f64>(\"a.npy\")`, to the host
  `gpu::host::load`

## Optional arguments

```text
gpu::argmax!(a, axis = …)
gpu::sort!(a, axis = -1)
gpu::random::power!(a, size = ())
```

## Arguments that differ

| NumPy | not here |
|---|---|
| np.sort | `kind`, `stable` |

## Absent

| NumPy | reason |
|---|---|
| np.isscalar | the type says it |
| np.random.XORWOW | there is one generator |

## Counts

| module | names |
|---|---|
| `np.no(a)` | `gpu::row(a)` |
";

    const SHEET: &str = "\
## Devices

| Numba | Warpcell |
|---|---|
| `cp.sort(v)` | `gpu::sort(&v)` |
| `cuda.to_device(h)`, `cp.asarray(h)` | `gpu::asarray(&h)` |

## Found before it runs

| CuPy | Warpcell |
|---|---|
| `cp.sort(h)` | `gpu::sort(&h)` |
";

    fn answer(question: &str) -> String {
        let (page, sheet) = (Page::read(PAGE, false), Page::read(SHEET, true));
        look_up_in(&[&page, &sheet], question, distance).text()
    }

    #[test]
    fn questions_have_answers() {
        let same: &[(&[&str], Expect)] = &[
            (
                &[
                    "np.sort",
                    "cp.sort",
                    "cupy.sort",
                    "numpy.sort?",
                    "sort",
                    "np.sort(x)",
                    "ndarray.sort",
                    "np.lib.sort",
                ],
                expect![[r#"
                    NumPy, CuPy            Warpcell
                    np.sort(a)             gpu::sort(&a)
                    np.sort(a, axis=0)     gpu::sort!(&a, axis = 0)
                    np.sort(i)[::-1][:2]   gpu::topk(&i, 2).0
                    With optional arguments, in any order: `gpu::sort!(a, axis = -1)`
                    Arguments of `np.sort` that are not here: `kind`, `stable`.
                    `a` has two axes and `b` has one; the elements of `i` are integers, those of `mask` are `bool`."#]],
            ),
            (
                &["np.unique_values"],
                expect![[r#"
                NumPy, CuPy                    Warpcell
                np.sort(np.unique_values(i))   gpu::unique_values(&i)
                `a` has two axes and `b` has one; the elements of `i` are integers, those of `mask` are `bool`."#]],
            ),
            (
                &["np.roots"],
                expect![[r#"
                NumPy, CuPy                           Warpcell
                np.sort(np.roots([1, np.nan]).real)   gpu::sort(&gpu::roots(&b).real())"#]],
            ),
            (
                &["np.power", "power"],
                expect![[r#"
                NumPy, CuPy      Warpcell
                np.power(a, b)   a.pow(&b)
                See also `np.random.power`.
                `a` has two axes and `b` has one; the elements of `i` are integers, those of `mask` are `bool`."#]],
            ),
            (
                &["np.random.power", "random.power"],
                expect![[r#"
                NumPy, CuPy                  Warpcell
                np.random.power(3, 4).size   gpu::random::power(3.0, 4).size()
                See also `np.power`.
                With optional arguments, in any order: `gpu::random::power!(a, size = ())`"#]],
            ),
            (
                &["x.argmax", "a.argmax()", "ndarray.argmax"],
                expect![[r#"
                NumPy, CuPy       Warpcell
                a.argmax()        a.argmax()
                np.argmax(a, 1)   gpu::argmax_axis(&a, 1)
                With optional arguments, in any order: `gpu::argmax!(a, axis = …)`
                `a` has two axes and `b` has one; the elements of `i` are integers, those of `mask` are `bool`."#]],
            ),
            (
                &["np.argmax", "argmax", "np.random.argmax"],
                expect![[r#"
                NumPy, CuPy       Warpcell
                np.argmax(a, 1)   gpu::argmax_axis(&a, 1)
                a.argmax()        a.argmax()
                With optional arguments, in any order: `gpu::argmax!(a, axis = …)`
                `a` has two axes and `b` has one; the elements of `i` are integers, those of `mask` are `bool`."#]],
            ),
            (
                &["concat"],
                expect![[r#"
                NumPy, CuPy         Warpcell
                np.concat((a, a))   gpu::concatenate([&a, &a], 0)
                `a` has two axes and `b` has one; the elements of `i` are integers, those of `mask` are `bool`."#]],
            ),
            (
                &["gpu::random::power", "gpu::random::power!"],
                expect![[r#"
                NumPy, CuPy                  Warpcell
                np.random.power(3, 4).size   gpu::random::power(3.0, 4).size()
                See also `np.power`.
                With optional arguments, in any order: `gpu::random::power!(a, size = ())`"#]],
            ),
            (
                &["np.load"],
                expect![[r#"
                NumPy, CuPy        Warpcell
                np.load('a.npy')   `gpu::load::<f64>("a.npy")`, to the host `gpu::host::load`"#]],
            ),
            (&["np.isscalar", "isscalar"], expect!["`np.isscalar` is absent: the type says it."]),
            (
                &["XORWOW", "np.random.XORWOW", "np.XORWOW"],
                expect!["`np.random.XORWOW` is absent: there is one generator."],
            ),
            (
                &["np.sliding_window_view", "sliding_window_view"],
                expect![[r#"
                NumPy, CuPy                                      Warpcell
                np.lib.stride_tricks.sliding_window_view(b, 2)   gpu::sliding_window_view(&b, 2)
                `a` has two axes and `b` has one; the elements of `i` are integers, those of `mask` are `bool`."#]],
            ),
            (
                &["cuda.to_device"],
                expect![[r#"
                NumPy, CuPy                            Warpcell
                `cuda.to_device(h)`, `cp.asarray(h)`   gpu::asarray(&h)"#]],
            ),
            (&["np.random"], expect!["Names in `np.random`: `np.random.XORWOW`, `np.random.power`."]),
            (
                &["sliding window"],
                expect![[r#"
                These rows have the words `sliding window`.
                NumPy, CuPy                                      Warpcell
                np.lib.stride_tricks.sliding_window_view(b, 2)   gpu::sliding_window_view(&b, 2)
                `a` has two axes and `b` has one; the elements of `i` are integers, those of `mask` are `bool`."#]],
            ),
            (
                &["Sliding"],
                expect![[r#"
                These rows have the words `Sliding`.
                NumPy, CuPy                                      Warpcell
                np.lib.stride_tricks.sliding_window_view(b, 2)   gpu::sliding_window_view(&b, 2)
                `a` has two axes and `b` has one; the elements of `i` are integers, those of `mask` are `bool`."#]],
            ),
            (
                &["|"],
                expect![[r#"
                These rows have the words `|`.
                NumPy, CuPy      Warpcell
                mask | (a > 3)   mask | &a.gt(3.0)
                `a` has two axes and `b` has one; the elements of `i` are integers, those of `mask` are `bool`."#]],
            ),
            (&["one generator"], expect!["`np.random.XORWOW` is absent: there is one generator."]),
            (
                &["np.srot"],
                expect![[r#"
                `np.srot` is in no table.
                Names like it: `np.sort`."#]],
            ),
            (
                &["no row"],
                expect![[r#"
                `no row` is in no table.
                `gpu::lookup("sliding window")` looks for words."#]],
            ),
            (&["", " "], expect![[r#"Ask for a name or for words: `gpu::lookup("np.percentile")`."#]]),
        ];
        for (questions, expected) in same {
            expected.assert_eq(&answer(questions[0]));
            for question in *questions {
                assert_eq!(answer(question), answer(questions[0]), "{question}");
            }
        }
    }

    #[test]
    fn expressions_are_about_names() {
        for (theirs, ours, expected) in [
            ("np.log(abs(a))", "a.abs().log()", "np.log"),
            ("np.nansum(np.where(mask, a, np.nan))", "gpu::nansum(&gpu::where_(mask, a, f64::NAN))", "np.nansum"),
            ("np.where(mask, a, 0.0)", "gpu::where_(mask, a, 0.0)", "np.where"),
            ("np.fft.rfft(b).imag", "gpu::fft::rfft(b).imag()", "np.fft.rfft imag"),
            ("abs(np.fft.fft(b))", "gpu::fft::fft(b).abs()", "np.fft.fft"),
            (
                "np.linalg.qr(a)[0] @ np.linalg.qr(a)[1]",
                "gpu::matmul(&gpu::linalg::qr(a).0, b)",
                "np.linalg.qr np.linalg.qr",
            ),
            ("(c := a.copy(), np.copyto(c, b))[0]", "{ let mut c = a.copy(); gpu::copyto(&mut c, b); c }", "np.copyto"),
            ("len(a)", "a.len()", "len"),
            ("a[0:1, ..., 1e-9] == 'np.x(y)'", "a.eq(1.0)", ""),
        ] {
            let found: Vec<&str> = subjects(theirs, ours).iter().map(|name| name.text).collect();
            assert_eq!(found.join(" "), expected, "{theirs}");
        }
    }

    #[test]
    fn arrays_are_written_as_references() {
        for (ours, expected) in [
            ("gpu::percentile(a, 25.0)", "gpu::percentile(&a, 25.0)"),
            ("gpu::sum!(a, 1, where = mask)", "gpu::sum!(&a, 1, where = &mask)"),
            ("gpu::stack([b, b], 0)", "gpu::stack([&b, &b], 0)"),
            ("a.eq(b)", "a.eq(&b)"),
            ("a + b", "a + b"),
            ("gpu::fromfunction(|[i, j]| i * 10.0 + j, [2, 3])", "gpu::fromfunction(|[i, j]| i * 10.0 + j, [2, 3])"),
            (
                "gpu::apply_over_axes(|a, axis| a.sum_axis(axis), a, 0)",
                "gpu::apply_over_axes(|a, axis| a.sum_axis(axis), &a, 0)",
            ),
            ("gpu::binomial(i, a_b)", "gpu::binomial(&i, a_b)"),
        ] {
            assert_eq!(with_references(ours), expected);
        }
    }

    #[test]
    fn the_pages_are_read() {
        for (question, expected) in [
            ("np.percentile", "gpu::percentile(&a, 25.0)"),
            ("np.percentile", "gpu::percentile!(&a, [10.0, 90.0])"),
            ("numpy.linalg.svd", "gpu::linalg::svd(&a).1"),
            ("cp.cuda.Stream", "let s = gpu::Stream::new();"),
            ("plt.hist", "gpu::hist(&m).bins(40)"),
            ("np.vectorize", "`gpu::map(f, (&a, &b))`"),
            ("scipy.special.erf", "a.erf()"),
            ("np.fft", "`np.fft.rfft`"),
            ("scipy.signal.butter", "gpu::signal::butter(N, Wn)"),
            ("butter", "gpu::signal::butter!(N, Wn, btype = \"low\""),
            ("cupyx.scipy.signal.windows.hann", "gpu::signal::windows::hann(M)"),
            ("scipy.signal.lti", "`scipy.signal.lti` is absent: classes of systems"),
            ("//", "a.floor_divide(&b)"),
            ("svd", "gpu::linalg::svd(&a).1"),
            ("np.no_such_name", "`np.no_such_name` is in no table."),
            ("standard deviation", "These rows are about `standard deviation`.\n"),
            ("standard deviation", "gpu::std(&a)"),
            ("average", "gpu::mean"),
            ("average", "gpu::average"),
            ("random numbers", "gpu::random::normal(0.0, 1.0, 4)"),
            ("matrix multiplication", "gpu::matmul(&a, &a.t())"),
            ("reverse", "gpu::flip(&a, 0)"),
            ("change the type", "a.astype::<i64>()"),
            ("scipy.stats.norm", "gpu::random::normal(0.0, 1.0, 4)"),
            ("scipy.stats.norm.cdf(x)", "ndtr"),
        ] {
            let text = lookup(question).to_string();
            assert!(text.contains(expected), "{question}: {text}");
        }
    }

    #[test]
    fn words_mean_names_with_rows() {
        let (names, scipy, sheet) =
            (Page::read(page::NAMES, false), Page::read(page::SCIPY, true), Page::read(page::CHEAT_SHEET, true));
        for name in words::WORDS.iter().chain(words::DISTRIBUTIONS).flat_map(|(_, names)| names.split(' ')) {
            let found = look_up_in(&[&names, &scipy, &sheet], name, distance);
            assert!(found.is_name && !found.rows.is_empty(), "{name} has no row; words.rs names what has one");
        }
    }

    #[test]
    fn a_notebook_shows_a_table() {
        let shown = representations_of(&lookup("np.where")).unwrap();
        let html = shown["text/html"].as_str().unwrap();
        assert!(
            html.contains("<td style=\"text-align:left\"><code>gpu::where_(&amp;mask, &amp;a, 0.0)</code></td>"),
            "{html}"
        );
        assert_eq!(shown["text/plain"].as_str().unwrap(), lookup("np.where").to_string());
    }
}
