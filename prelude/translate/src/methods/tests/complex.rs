//! Complex numbers: the support text against the crate `num-complex`.

use super::inputs::Random;
use super::printed_by;
use super::programs::calls_library;
use crate::methods::tables;
use crate::scalars::Scalar;
use crate::support;
use num_complex::Complex;
use std::collections::BTreeSet;

/// Cases that functions and operators are tried with.
const CASES: usize = 20_000;

/// Prints two numbers for each row and each case.
const MAIN: &str = r#"
struct Polar { FLOAT _0, _1; };
static std::vector<FLOAT> all;
static void put(COMPLEX z) { all.push_back(z.re), all.push_back(z.im); }
static void put(FLOAT x) { all.push_back(x), all.push_back(0); }
static void put(bool truth) { put(FLOAT(truth)); }
static void put(Polar polar) { put(COMPLEX_new(polar._0, polar._1)); }
int main(int, char **arguments) {
    FILE *file = fopen(arguments[1], "rb");
    for (FLOAT read[6]; fread(read, sizeof(FLOAT), 6, file) == 6;) {
        const COMPLEX z = COMPLEX_new(read[0], read[1]), w = COMPLEX_new(read[2], read[3]);
        const FLOAT x = read[4];
        const i32 n = i32(read[5]);
        const u32 u = u32(n < 0 ? -n : n);
        COMPLEX y;
ROWS
    }
    return fwrite(all.data(), sizeof(FLOAT), all.size(), stdout) == all.size() ? 0 : 1;
}
"#;

/// The numbers of a case: two complex ones, a float and an exponent.
#[derive(Debug)]
struct Case<F> {
    z: Complex<F>,
    w: Complex<F>,
    x: F,
    n: i32,
}

/// A value in C++, and in Rust.
type Row<F> = (String, fn(&Case<F>) -> Complex<F>);

macro_rules! rows {
    ($float:ident) => {{
        let mut rows: Vec<Row<$float>> = Vec::new();
        rows!(rows $float operators + += "+", - -= "-", * *= "*", / /= "/");
        rows!(rows $float of_number conj inv finv exp exp2 ln log2 log10 sqrt cbrt sin cos tan asin acos atan sinh cosh
            tanh asinh acosh atanh);
        rows!(rows $float with w fdiv powc);
        rows!(rows $float with x scale unscale powf expf log);
        rows!(rows $float to_float norm norm_sqr l1_norm arg);
        rows!(rows $float to_truth is_nan is_finite is_infinite is_normal);
        let mut row = |cpp: &str, rust| rows.push((format!("put({cpp});"), rust));
        row("-z", |c| -c.z);
        row("COMPLEX_rem(z, w)", |c| c.z % c.w);
        row("COMPLEX_rem(z, x)", |c| c.z % c.x);
        row("COMPLEX_rem(x, z)", |c| c.x % c.z);
        row("z == w", |c| rows!(truth $float c.z == c.w));
        row("z != w", |c| rows!(truth $float c.z != c.w));
        row("COMPLEX_powi(z, n)", |c| c.z.powi(c.n));
        row("COMPLEX_powu(z, u)", |c| c.z.powu(c.n.unsigned_abs()));
        row("COMPLEX_to_polar<Polar>(z)", |c| {
            let (r, theta) = c.z.to_polar();
            Complex::new(r, theta)
        });
        row("COMPLEX_from_polar(x, w.im)", |c| Complex::from_polar(c.x, c.w.im));
        row("COMPLEX_cis(x)", |c| Complex::cis(c.x));
        row("COMPLEX_from(x)", |c| Complex::from(c.x));
        row("COMPLEX_i()", |_| Complex::I);
        row("COMPLEX_zero()", |_| Complex::ZERO);
        row("COMPLEX_one()", |_| Complex::ONE);
        rows
    }};
    (truth $float:ident $truth:expr) => { Complex::new(if $truth { 1.0 as $float } else { 0.0 }, 0.0) };
    ($rows:ident $float:ident operators $($operator:tt $assign:tt $text:literal),*) => {$(
        let rows: [Row<$float>; 5] = [
            (concat!("put(z ", $text, " w);").to_owned(), |c| c.z $operator c.w),
            (concat!("put(z ", $text, " x);").to_owned(), |c| c.z $operator c.x),
            (concat!("put(x ", $text, " z);").to_owned(), |c| c.x $operator c.z),
            (concat!("y = z, y ", $text, "= w, put(y);").to_owned(), |c| { let mut y = c.z; y $assign c.w; y }),
            (concat!("y = z, y ", $text, "= x, put(y);").to_owned(), |c| { let mut y = c.z; y $assign c.x; y }),
        ];
        $rows.extend(rows);
    )*};
    ($rows:ident $float:ident of_number $($name:ident)*) => {
        $($rows.push((concat!("put(COMPLEX_", stringify!($name), "(z));").to_owned(), |c| c.z.$name()));)*
    };
    ($rows:ident $float:ident with $other:ident $($name:ident)*) => {
        $($rows.push((
            concat!("put(COMPLEX_", stringify!($name), "(z, ", stringify!($other), "));").to_owned(),
            |c| c.z.$name(c.$other),
        ));)*
    };
    ($rows:ident $float:ident to_float $($name:ident)*) => {
        $($rows.push((
            concat!("put(COMPLEX_", stringify!($name), "(z));").to_owned(),
            |c| Complex::new(c.z.$name(), 0.0),
        ));)*
    };
    ($rows:ident $float:ident to_truth $($name:ident)*) => {
        $($rows.push((
            concat!("put(COMPLEX_", stringify!($name), "(z));").to_owned(),
            |c| rows!(truth $float c.z.$name()),
        ));)*
    };
}

macro_rules! agrees {
    ($test:ident $complex:literal $tag:ident $float:ident) => {
        #[test]
        fn $test() {
            let rows = rows!($float);
            let functions = || tables(Scalar::$tag).iter().flat_map(|table| table.iter());
            let body: String = rows.iter().map(|(cpp, _)| format!("        {cpp}\n")).collect();
            let main = MAIN.replace("ROWS", &body).replace("COMPLEX", $complex).replace("FLOAT", stringify!($float));
            for (name, method) in functions() {
                let is_called = ["(", "<"].iter().any(|open| main.contains(&format!("{}{open}", method.c_name)));
                assert!(is_called, "`{name}` is not tried");
            }
            let mut random = Random(7);
            let infinity = $float::INFINITY;
            let special = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, infinity, -infinity, $float::NAN, 1e-30, 1e30];
            let mut number = || {
                let bits = random.next();
                // From -8 to 8, at times much larger, and at times one that is special.
                let size = if random.below(11) == 0 { 1e4 } else { 8.0 };
                match random.below(5) {
                    0 => special[bits as usize % special.len()],
                    _ => ((bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0) as $float * size,
                }
            };
            let cases: Vec<Case<$float>> = (0..CASES)
                .map(|index| Case {
                    z: Complex::new(number(), number()),
                    w: Complex::new(number(), number()),
                    x: number(),
                    n: index as i32 % 25 - 12,
                })
                .collect();
            let numbers = |c: &Case<$float>| [c.z.re, c.z.im, c.w.re, c.w.im, c.x, c.n as $float];
            let input: Vec<u8> = cases.iter().flat_map(numbers).flat_map(|number| number.to_le_bytes()).collect();
            let mut used: BTreeSet<String> = functions().map(|(_, method)| method.c_name.to_owned()).collect();
            used.insert(concat!($complex, "_rem").to_owned());
            let text = format!("#include \"host.h\"\n{}{main}", support::text(&used, $complex));
            let printed = printed_by($complex, &text, &input);
            let mut found = printed
                .chunks_exact(size_of::<$float>())
                .map(|bytes| $float::from_le_bytes(bytes.try_into().expect("the bytes of a float")));
            // What the mathematical libraries compute may differ in its last digits.
            let is_exact = |cpp: &str| {
                let name = cpp.trim_start_matches("put(").split(['(', '<']).next().unwrap_or_default();
                let used = BTreeSet::from([name.replace("COMPLEX", $complex)]);
                !calls_library(&support::text(&used, ""))
            };
            let exact: Vec<bool> = rows.iter().map(|(cpp, _)| is_exact(cpp)).collect();
            assert!(exact.iter().any(|exact| *exact) && exact.iter().any(|exact| !exact));
            for case in &cases {
                for ((cpp, rust), &exact) in rows.iter().zip(&exact) {
                    let expected = rust(case);
                    let found = Complex::new(found.next().expect("a number"), found.next().expect("a number"));
                    // NaN of an operation has bits of its own on each machine.
                    let least = if exact { 0.0 } else { 8.0 * $float::EPSILON * expected.norm() };
                    let same = |a: $float, b: $float| {
                        a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan() || !exact && (a - b).abs() <= least
                    };
                    let are_same = same(found.re, expected.re) && same(found.im, expected.im);
                    assert!(are_same, "{cpp} of {case:?}: {found:?}, in Rust {expected:?}");
                }
            }
            assert!(found.next().is_none(), "there are more numbers");
        }
    };
}
agrees!(complex_numbers_of_f32_are_those_of_the_crate "Complex32" C64 f32);
agrees!(complex_numbers_of_f64_are_those_of_the_crate "Complex64" C128 f64);
