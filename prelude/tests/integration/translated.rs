//! The functions with which the translator is tested, over arrays: the results are those of the functions themselves, bit for
//! bit, on CUDA too, where products and sums are not contracted (but for functions of the C library, which are others there).

use warpcell as gpu;
use warpcell_translate::Scalar;

#[path = "../../translate/tests/differential/inputs.rs"]
mod inputs;

/// Elements as words.
trait Word: Copy {
    const SCALAR: Scalar;
    fn from_word(word: u64) -> Self;
    fn word(self) -> u64;
}

macro_rules! words {
    ($($type:ident $scalar:ident)*) => {$(
        impl Word for $type {
            const SCALAR: Scalar = Scalar::$scalar;
            fn from_word(word: u64) -> $type {
                word as $type
            }
            fn word(self) -> u64 {
                self as u64
            }
        }
    )*};
}
words! { u8 U8 i32 I32 u32 U32 i64 I64 u64 U64 }

impl Word for bool {
    const SCALAR: Scalar = Scalar::Bool;
    fn from_word(word: u64) -> bool {
        word != 0
    }
    fn word(self) -> u64 {
        u64::from(self)
    }
}

macro_rules! words_of_floats {
    ($($type:ident $bits:ident $scalar:ident)*) => {$(
        impl Word for $type {
            const SCALAR: Scalar = Scalar::$scalar;
            fn from_word(word: u64) -> $type {
                $type::from_bits(word as $bits)
            }
            /// That of NaN is always the same.
            fn word(self) -> u64 {
                u64::from(if self.is_nan() { $type::NAN.to_bits() } else { self.to_bits() })
            }
        }
    )*};
}
words_of_floats! { f32 u32 F32 f64 u64 F64 }

/// What a function gives: one row of words, or for arrays one for each element.
trait Rows {
    fn rows(self) -> Vec<Vec<u64>>;
}

macro_rules! rows_of_scalars {
    ($($type:ident)*) => {$(
        impl Rows for $type {
            fn rows(self) -> Vec<Vec<u64>> {
                vec![vec![self.word()]]
            }
        }
    )*};
}
rows_of_scalars! { bool u8 i32 u32 i64 u64 f32 f64 }

impl<T: Word + gpu::Element> Rows for gpu::DeviceArray<T> {
    fn rows(self) -> Vec<Vec<u64>> {
        self.to_host().iter().map(|element| vec![element.word()]).collect()
    }
}

macro_rules! rows_of_tuples {
    ($(($($type:ident $index:tt)*))*) => {$(
        impl<$($type: Rows),*> Rows for ($($type,)*) {
            fn rows(self) -> Vec<Vec<u64>> {
                let parts = [$(self.$index.rows()),*];
                (0..parts[0].len()).map(|row| parts.iter().flat_map(|part| part[row].clone()).collect()).collect()
            }
        }
    )*};
}
rows_of_tuples! { (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7) }

#[allow(dead_code, clippy::all)]
mod functions {
    use super::{Rows, Word, inputs};
    use std::panic::catch_unwind;
    use warpcell as gpu;
    use warpcell::ndarray::Array1;
    use warpcell::{device, vectorize};

    include!("../../translate/tests/differential/functions.rs.txt");

    /// A function over arrays, and one by one: what differs.
    macro_rules! differences {
        ($($name:ident($($parameter:ident: $type:ty),*);)*) => {{
            let mut wrong: Vec<String> = Vec::new();
            $({
                let scalars = [$(<$type as Word>::SCALAR),*];
                let calls = inputs::calls(&scalars, 300, true, &mut inputs::Random(1));
                let mut expected = Vec::new();
                // The others panic.
                let done: Vec<Vec<u64>> = calls
                    .into_iter()
                    .filter(|call| {
                        let mut words = call.iter();
                        $(let $parameter = <$type as Word>::from_word(*words.next().unwrap());)*
                        let result = catch_unwind(|| $name($($parameter),*));
                        result.map(|result| expected.extend(result.rows())).is_ok()
                    })
                    .collect();
                let mut columns = 0..;
                $(
                    let column = columns.next().unwrap();
                    let $parameter = Array1::from_iter(done.iter().map(|call| <$type as Word>::from_word(call[column])));
                    let $parameter = gpu::asarray($parameter);
                )*
                let found = gpu::map($name, ($(&$parameter,)*)).rows();
                let name = stringify!($name);
                if let Some(at) = (0..done.len()).find(|at| found[*at] != expected[*at]) {
                    wrong.push(format!("{name}({:x?}): {:x?}, not {:x?}", done[at], found[at], expected[at]));
                }
            })*
            wrong
        }};
    }

    pub fn exact() -> Vec<String> {
        differences! {
            squared_diff(a: f32, b: f32);
            check_prime(a: i32);
            check_prime_fast(a: u32);
            mandelbrot(a: f32, b: f32);
            collatz(a: u64);
            lowest_terms(a: u32, b: u32);
            least_common_multiple(a: u32, b: u32);
            xorshift(a: u64);
            pcg(a: u64);
            fnv_hash(a: u32);
            morton(a: u32, b: u32);
            masked(a: u64);
            horner(a: f64);
            smooth(a: f32);
            smoothstep(a: f32, b: f32, c: f32);
            clamp_between(a: f64, b: f64, c: f64);
            clamp_integer(a: i32, b: i32, c: i32);
            newton_root(a: f64);
            relu(a: f32);
            rgb_to_gray(a: u8, b: u8, c: u8);
            blend(a: u8, b: u8, c: u8);
            saturating_mix(a: i32, b: i32);
            narrow(a: f64);
            through_all(a: i64);
            from_every(a: bool, b: i32, c: u32, d: f32);
            grade(a: i32);
            quadrant(a: f64, b: f64);
            fizz(a: u32);
            match_bound(a: i32);
            match_bool(a: bool, b: u8);
            match_consts(a: u32);
            nested_if(a: i32, b: i32, c: i32);
            shadowing(a: i32);
            shadow_in_loop(a: u32);
            labelled(a: u32);
            block_value(a: i32, b: i32);
            loop_value(a: u8);
            countdown(a: i64);
            in_steps(a: u64);
            inclusive(a: u8);
            inclusive_signed(a: i32);
            empty_range(a: i32, b: i32);
            changed_bound(a: u32);
            array_sum(a: i32, b: i32, c: i32);
            array_index(a: u64);
            array_index_signed(a: i32);
            array_out_of_bounds(a: u8);
            sort_three(a: f32, b: f32, c: f32);
            median_of_five(a: i32, b: i32, c: i32, d: i32, e: i32);
            matrix(a: f64, b: f64);
            solve(a: f64, b: f64, c: f64, d: f64);
            structs(a: f32, b: f32, c: f32);
            references(a: i32);
            filled(a: u32);
            parts(a: i64, b: i64);
            division_order(a: i32, b: i32);
            not_divided(a: u32, b: u32);
            compound(a: i32, b: u32);
            compound_small(a: u8, b: i32);
            wide_shift(a: u64, b: i32);
            negative(a: i64);
            precedence(a: i32, b: i32, c: i32);
            comparisons(a: i32, b: u32);
            compare_floats(a: f64, b: f64);
            logic(a: bool, b: bool, c: bool);
            bool_order(a: bool, b: bool);
            in_range(a: i32, b: i32, c: i32);
            with_matches(a: u8);
            asserted(a: f32);
            panics(a: u32);
            unit_results(a: i32);
            late_binding(a: i32);
            typed_by_use(a: u64);
            literals(a: f64);
            integer_literals(a: i64);
            limits(a: f32);
            integer_limits(a: i32);
            mixed_precision(a: f32, b: f64);
            fused(a: f32, b: f32, c: f32);
            powers(a: f64, b: i32);
            integer_power(a: i32, b: u32);
            roundings(a: f32);
            euclid(a: i32, b: i32);
            float_remainder(a: f32, b: f32);
            bits(a: f32);
            fast_inverse_root(a: f32);
            qualified(a: f32, b: f32);
            isqrt_both(a: u64);
            ilogs(a: u32);
            many_results(a: i32);
            names_of_c(a: i32, b: f32, c: u32, d: bool);
            sqrt(a: f32, b: f32);
            tuples(a: u32);
            nested_tuples(a: i32, b: f32);
            endless_until(a: u32);
            many_passes(a: u8);
        }
    }

    /// Those that call functions of the C library.
    pub fn of_the_library() -> Vec<String> {
        differences! {
            gaussian_pdf(a: f32, b: f32, c: f32);
            polar_distance(a: f64, b: f64, c: f64, d: f64);
            sigmoid(a: f32);
            softplus(a: f64);
            gelu(a: f32);
            haversine(a: f64, b: f64, c: f64, d: f64);
            black_scholes(a: f64, b: f64, c: f64);
            to_origin(a: f64, b: f64);
            long_chain(a: f32);
        }
    }
}

#[test]
fn functions_over_arrays_give_what_they_give_one_by_one() {
    if gpu::device() != gpu::Device::Cpu {
        gpu::set_fmad(false);
    }
    let mut wrong = functions::exact();
    if gpu::device() == gpu::Device::Cpu {
        wrong.extend(functions::of_the_library());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
