//! Vectors of floats in three instruction sets.

use std::arch::x86_64::*;

/// A vector type and its instructions. All are inlined into callers that are compiled for the instruction set.
pub(super) trait Simd: Copy {
    type Element: Copy + Default;
    type Vector: Copy;
    const LANES: usize;
    /// The columns of a block of results.
    const BLOCK: usize;
    /// # Safety
    /// The processor must have the instruction set, and `LANES` elements be readable.
    unsafe fn load(source: *const Self::Element) -> Self::Vector;
    /// # Safety
    /// The processor must have the instruction set, and `LANES` elements be writable.
    unsafe fn store(target: *mut Self::Element, value: Self::Vector);
    /// # Safety
    /// The processor must have the instruction set.
    unsafe fn splat(value: Self::Element) -> Self::Vector;
    /// # Safety
    /// The processor must have the instruction set.
    unsafe fn multiply_add(a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
}

macro_rules! simd {
    ($($name:ident: $element:ty, $vector:ty, $lanes:literal, $vectors:literal, $load:ident, $store:ident, $splat:ident,
        |$a:ident, $b:ident, $c:ident| $multiply_add:expr;)*) => {$(
        #[derive(Clone, Copy)]
        pub(super) struct $name;

        impl Simd for $name {
            type Element = $element;
            type Vector = $vector;
            const LANES: usize = $lanes;
            const BLOCK: usize = $lanes * $vectors;
            #[inline(always)]
            unsafe fn load(source: *const $element) -> $vector {
                // SAFETY: the caller's promise.
                unsafe { $load(source) }
            }
            #[inline(always)]
            unsafe fn store(target: *mut $element, value: $vector) {
                // SAFETY: the caller's promise.
                unsafe { $store(target, value) }
            }
            #[inline(always)]
            unsafe fn splat(value: $element) -> $vector {
                // SAFETY: the caller's promise.
                unsafe { $splat(value) }
            }
            #[inline(always)]
            unsafe fn multiply_add($a: $vector, $b: $vector, $c: $vector) -> $vector {
                // SAFETY: the caller's promise.
                unsafe { $multiply_add }
            }
        }
    )*};
}
simd! {
    Sse2F32: f32, __m128, 4, 2, _mm_loadu_ps, _mm_storeu_ps, _mm_set1_ps, |a, b, c| _mm_add_ps(_mm_mul_ps(a, b), c);
    Sse2F64: f64, __m128d, 2, 2, _mm_loadu_pd, _mm_storeu_pd, _mm_set1_pd, |a, b, c| _mm_add_pd(_mm_mul_pd(a, b), c);
    Avx2F32: f32, __m256, 8, 2, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps, |a, b, c| _mm256_fmadd_ps(a, b, c);
    Avx2F64: f64, __m256d, 4, 2, _mm256_loadu_pd, _mm256_storeu_pd, _mm256_set1_pd, |a, b, c| _mm256_fmadd_pd(a, b, c);
    Avx512F32: f32, __m512, 16, 4, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps, |a, b, c| _mm512_fmadd_ps(a, b, c);
    Avx512F64: f64, __m512d, 8, 4, _mm512_loadu_pd, _mm512_storeu_pd, _mm512_set1_pd, |a, b, c| _mm512_fmadd_pd(a, b, c);
}
