//! Elementary functions of whole vectors: those of the C library's `libmvec`, where it has them.
//!
//! The library is a part of glibc, and its functions have names by a rule: `_ZGVeN8v_exp` computes eight exponentials in registers of
//! AVX-512. It is opened when a function is first used. Where the library, a function or a set of instructions is missing, the
//! caller computes element by element. Results differ from the scalar functions' by at most four units in the last place.

use super::numeric::Isa;
use libloading::Library;
use std::arch::x86_64::{__m256, __m256d, __m512, __m512d};
use std::ffi::c_void;
use std::sync::OnceLock;
use warpcell_base::dtype::DType;

/// What the library has and is not used: its `erfc` of `f32` is the smallest number where the scalar function is 0, or the other way
/// round. `erf` stays with it.
const LEFT_OUT: [&str; 2] = ["erf", "erfc"];

/// A function by its name in C, for one type of elements; looked up once for each set of instructions.
pub(super) struct Function {
    name: &'static str,
    arguments: usize,
    dtype: DType,
    found: OnceLock<Option<(Isa, Address)>>,
}

/// The address of code that stays loaded.
#[derive(Clone, Copy)]
struct Address(*const c_void);

// SAFETY: code is only read.
unsafe impl Send for Address {}
// SAFETY: as for `Send`.
unsafe impl Sync for Address {}

impl Function {
    pub const fn new(name: &'static str, arguments: usize, dtype: DType) -> Function {
        Function { name, arguments, dtype, found: OnceLock::new() }
    }

    fn found(&self) -> Option<(Isa, Address)> {
        *self.found.get_or_init(|| self.find(Isa::detected()))
    }

    /// The function for a set of instructions.
    fn find(&self, isa: Isa) -> Option<(Isa, Address)> {
        static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
        if LEFT_OUT.contains(&self.name) {
            return None;
        }
        // SAFETY: a library of the C library, which runs nothing when it is loaded.
        let library = LIBRARY.get_or_init(|| unsafe { Library::new("libmvec.so.1") }.ok()).as_ref()?;
        let (letter, bytes) = match isa {
            Isa::Sse2 => return None,
            Isa::Avx2 => ('d', 32),
            Isa::Avx512 => ('e', 64),
        };
        let (lanes, suffix) = match self.dtype {
            DType::F32 => (bytes / 4, "f"),
            _ => (bytes / 8, ""),
        };
        let symbol = format!("_ZGV{letter}N{lanes}{}_{}{suffix}", "v".repeat(self.arguments), self.name);
        // SAFETY: only the address is taken.
        let address = unsafe { library.get::<*const c_void>(symbol.as_bytes()) }.ok()?;
        // SAFETY: as above; the library is never closed.
        Some((isa, Address(unsafe { address.try_as_raw_ptr() }?)))
    }

    /// Whether vectors of it can be computed here.
    pub fn exists(&self) -> bool {
        self.found().is_some()
    }
}

/// Types of elements that there are vectors of.
pub(super) trait Lanes: Copy + Default {
    /// Calls the function for whole vectors. A last vector that is not full is filled up.
    ///
    /// # Safety
    ///
    /// The function must be of this type and take as many arguments; it [`exists`](Function::exists), and there are as many elements of
    /// each argument as of `out`.
    unsafe fn call<const M: usize>(function: &Function, arguments: [&[Self]; M], out: &mut [Self]);
}

macro_rules! lanes {
    ($type:ty: $narrow:ty, $wide:ty) => {
        impl Lanes for $type {
            unsafe fn call<const M: usize>(function: &Function, arguments: [&[Self]; M], out: &mut [Self]) {
                lanes!(@isa call_avx2, "avx2,fma", $type, $narrow);
                lanes!(@isa call_avx512, "avx512f", $type, $wide);
                let (isa, address) = function.found().expect("it was found before");
                match isa {
                    // SAFETY: the caller's promise, and the function was found for a processor that has the instructions.
                    Isa::Avx512 => unsafe { call_avx512(address, arguments, out) },
                    // SAFETY: as above.
                    _ => unsafe { call_avx2(address, arguments, out) },
                }
            }
        }
    };
    (@isa $name:ident, $features:literal, $type:ty, $V:ty) => {
        /// # Safety
        ///
        /// The address must be of a function of as many vectors, and there must be as many elements of each argument.
        #[target_feature(enable = $features)]
        unsafe fn $name<const M: usize>(address: Address, arguments: [&[$type]; M], out: &mut [$type]) {
            const LANES: usize = size_of::<$V>() / size_of::<$type>();
            let apply = |vectors: [$V; M]| -> $V {
                match *vectors.as_slice() {
                    [x] => {
                        // SAFETY: the caller's promise.
                        let function: extern "C" fn($V) -> $V = unsafe { std::mem::transmute(address.0) };
                        function(x)
                    }
                    [a, b] => {
                        // SAFETY: the caller's promise.
                        let function: extern "C" fn($V, $V) -> $V = unsafe { std::mem::transmute(address.0) };
                        function(a, b)
                    }
                    _ => unreachable!("functions have one or two arguments"),
                }
            };
            let whole = out.len() / LANES * LANES;
            for first in (0..whole).step_by(LANES) {
                // SAFETY: so many elements lie within the arguments, and within `out`.
                unsafe {
                    let vectors = arguments.map(|x| x.as_ptr().add(first).cast::<$V>().read_unaligned());
                    out.as_mut_ptr().add(first).cast::<$V>().write_unaligned(apply(vectors));
                }
            }
            if whole < out.len() {
                // Filled up with a value that is computed anyway, so that no lane leaves the function's fast path for it.
                let rest = arguments.map(|x| {
                    let mut filled = [x[whole]; LANES];
                    filled[..x.len() - whole].copy_from_slice(&x[whole..]);
                    // SAFETY: an array of as many elements.
                    unsafe { filled.as_ptr().cast::<$V>().read_unaligned() }
                });
                let mut results = [<$type>::default(); LANES];
                // SAFETY: as above.
                unsafe { results.as_mut_ptr().cast::<$V>().write_unaligned(apply(rest)) };
                let count = out.len() - whole;
                out[whole..].copy_from_slice(&results[..count]);
            }
        }
    };
}
lanes!(f32: __m256, __m512);
lanes!(f64: __m256d, __m512d);

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;
    use warpcell_base::backend::functions::{float_functions, float_functions_of_two};

    /// Floats, to be compared in units in the last place.
    trait Float: Lanes + Debug + PartialEq + Into<f64> {
        const DTYPE: DType;
        fn of(number: f64) -> Self;
        fn of_bits(bits: u64) -> Self;
        fn bits(self) -> u64;
        /// The number's place among all that there are.
        fn place(self) -> i128;
    }
    macro_rules! floats {
        ($($type:ty, $dtype:ident, $bits:ty, $signed:ty;)*) => {$(
            impl Float for $type {
                const DTYPE: DType = DType::$dtype;
                fn of(number: f64) -> Self {
                    number as $type
                }
                fn of_bits(bits: u64) -> Self {
                    <$type>::from_bits(bits as $bits)
                }
                fn bits(self) -> u64 {
                    self.to_bits().into()
                }
                fn place(self) -> i128 {
                    let bits = i128::from(self.to_bits() as $signed);
                    if bits < 0 { i128::from(<$signed>::MIN) - bits } else { bits }
                }
            }
        )*};
    }
    floats! {
        f32, F32, u32, i32;
        f64, F64, u64, i64;
    }

    const SPECIAL: [f64; 48] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        -2.0,
        0.5,
        -0.5,
        3.0,
        8.0,
        27.0,
        1000.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        5e-324,
        -5e-324,
        f64::MIN_POSITIVE,
        1e-310,
        -1e-310,
        f64::MAX,
        f64::MIN,
        1e300,
        1e22,
        -1e22,
        1e5,
        -1e5,
        709.79,
        710.5,
        -745.2,
        -746.0,
        1024.0,
        -1075.0,
        88.8,
        -104.0,
        128.0,
        1e-45,
        -1e-45,
        1e-39,
        3.4028234663852886e38,
        1.0000000000000002,
        0.9999999999999999,
        0.99999994,
        1.0000001,
        4294967296.0,
        9007199254740993.0,
        1e-20,
        -1e-20,
    ];

    /// The next of a sequence of words without an order (xorshift).
    fn next(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        state.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Arguments: special ones in all pairs, any bits, usual sizes, and what is near 0 and 1.
    fn arguments<T: Float, const M: usize>(count: usize) -> [Vec<T>; M] {
        let mut state = 88_172_645_463_325_252;
        std::array::from_fn(|argument| {
            (0..count)
                .map(|index| {
                    let word = next(&mut state);
                    let part = (word >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
                    match index % 4 {
                        0 => T::of_bits(word >> (64 - 8 * size_of::<T>())),
                        1 => T::of(SPECIAL[(index / 4 / SPECIAL.len().pow(argument as u32)) % SPECIAL.len()]),
                        2 => T::of(part * [1.0, 8.0, 60.0, 700.0][word as usize % 4]),
                        _ => T::of(part.powi(1 + word as i32 % 64) + f64::from(word as u32 % 3) - 1.0),
                    }
                })
                .collect()
        })
    }

    fn is_close<T: Float>(found: T, expected: T) -> bool {
        let (x, y): (f64, f64) = (found.into(), expected.into());
        if x.is_finite() && y.is_finite() && x != 0.0 && y != 0.0 {
            (found.place() - expected.place()).abs() <= 4
        } else {
            x.is_nan() && y.is_nan() || found.bits() == expected.bits()
        }
    }

    fn check<T: Float, const M: usize>(name: &'static str, scalar: impl Fn([T; M]) -> T) {
        for isa in Isa::usable() {
            let function = Function::new(name, M, T::DTYPE);
            function.found.set(function.find(isa)).ok().expect("nobody looked it up before");
            if !function.exists() {
                continue;
            }
            let columns = arguments::<T, M>(1 << 20);
            let mut found = vec![T::default(); columns[0].len()];
            // SAFETY: a function of this type and so many arguments, all of one length.
            unsafe { T::call(&function, columns.each_ref().map(Vec::as_slice), &mut found) };
            for (index, &found) in found.iter().enumerate() {
                let values = columns.each_ref().map(|column| column[index]);
                let expected = scalar(values);
                assert!(is_close(found, expected), "{name}{values:?} on {isa:?}: {found:?}, not {expected:?}");
            }
            // The same bits in other lanes, beside other values, and in a vector that is not full.
            for first in [1, 3, 7, 500_001] {
                for length in [1, 2, 5, 13, 1003] {
                    let mut again = vec![T::default(); length];
                    let part = columns.each_ref().map(|column| &column[first..first + length]);
                    // SAFETY: as above.
                    unsafe { T::call(&function, part, &mut again) };
                    let same = again
                        .iter()
                        .zip(&found[first..])
                        .all(|(x, y)| x.bits() == y.bits() || is_nan(*x) && is_nan(*y));
                    assert!(same, "{name} on {isa:?}: {length} elements from {first} on");
                }
            }
        }
    }

    fn is_nan<T: Float>(x: T) -> bool {
        let x: f64 = x.into();
        x.is_nan()
    }

    #[test]
    fn vectors_have_the_values_of_the_scalar_functions() {
        macro_rules! check_all {
            ($($variant:ident $method:ident $cuda:literal |$x:ident| $value:expr;)*) => {$(
                check::<f32, 1>($cuda, |[$x]| -> f32 { $value });
                check::<f64, 1>($cuda, |[$x]| -> f64 { $value });
            )*};
        }
        float_functions!(check_all);
    }

    #[test]
    fn vectors_of_pairs_have_the_values_of_the_scalar_functions() {
        macro_rules! check_all {
            ($($variant:ident $method:ident $cuda:literal |$a:ident, $b:ident| $value:expr;)*) => {$(
                check::<f32, 2>($cuda, |[$a, $b]| -> f32 { $value });
                check::<f64, 2>($cuda, |[$a, $b]| -> f64 { $value });
            )*};
        }
        float_functions_of_two!(check_all);
        check::<f32, 2>("pow", |[a, b]| a.powf(b));
        check::<f64, 2>("pow", |[a, b]| a.powf(b));
    }

    #[test]
    fn a_function_that_the_library_has_not_is_computed_by_elements() {
        assert!(!Function::new("sqrt", 1, DType::F64).exists());
        assert!(!Function::new("erfc", 1, DType::F32).exists());
        assert!(Function::new("exp", 1, DType::F64).find(Isa::Sse2).is_none());
    }
}
