// Narrow floats, as the crate `half` has them: HALF is the type, such as f16. Operators compute in f32 and round once.

struct HALF {
    UNS bits;
    __device__ __forceinline__ operator f32() const;
};
__device__ __forceinline__ HALF::operator f32() const { return HALF_to_f32_bits(bits); }
__device__ __forceinline__ HALF operator+(HALF a, HALF b) { return HALF{HALF_bits_from_f32(f32(a) + f32(b))}; }
__device__ __forceinline__ HALF operator-(HALF a, HALF b) { return HALF{HALF_bits_from_f32(f32(a) - f32(b))}; }
__device__ __forceinline__ HALF operator*(HALF a, HALF b) { return HALF{HALF_bits_from_f32(f32(a) * f32(b))}; }
__device__ __forceinline__ HALF operator/(HALF a, HALF b) { return HALF{HALF_bits_from_f32(f32(a) / f32(b))}; }
__device__ __forceinline__ HALF operator-(HALF a) { return HALF{UNS(a.bits ^ SIGN_BITS)}; }
__device__ __forceinline__ HALF &operator+=(HALF &a, HALF b) { return a = a + b; }
__device__ __forceinline__ HALF &operator-=(HALF &a, HALF b) { return a = a - b; }
__device__ __forceinline__ HALF &operator*=(HALF &a, HALF b) { return a = a * b; }
__device__ __forceinline__ HALF &operator/=(HALF &a, HALF b) { return a = a / b; }
__device__ __forceinline__ bool operator==(HALF a, HALF b) { return f32(a) == f32(b); }
__device__ __forceinline__ bool operator!=(HALF a, HALF b) { return f32(a) != f32(b); }
__device__ __forceinline__ bool operator<(HALF a, HALF b) { return f32(a) < f32(b); }
__device__ __forceinline__ bool operator<=(HALF a, HALF b) { return f32(a) <= f32(b); }
__device__ __forceinline__ bool operator>(HALF a, HALF b) { return f32(a) > f32(b); }
__device__ __forceinline__ bool operator>=(HALF a, HALF b) { return f32(a) >= f32(b); }

__device__ __forceinline__ f32 f16_to_f32_bits(u16 bits) {
#ifdef __CUDA_ARCH__
    // The hardware's, but for NaN, which keeps its bits.
    f32 converted;
    asm("cvt.f32.f16 %0, %1;" : "=f"(converted) : "h"(bits));
    if (converted == converted) return converted;
#endif
    const u32 sign = u32(bits & 0x8000) << 16;
    const u32 exponent = (bits >> 10) & 0x1f;
    const u32 fraction = bits & 0x3ff;
    // Subnormal numbers are multiples of the smallest one; infinities and NaN keep their bits, and NaN becomes a quiet one.
    if (exponent == 0) return f32_from_bits(sign | f32_to_bits(f32(fraction) * 5.9604644775390625e-8f));
    if (exponent == 31) return f32_from_bits(sign | 0x7f800000u | (fraction == 0 ? 0 : 0x00400000u | fraction << 13));
    return f32_from_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

__device__ __forceinline__ u16 f16_bits_from_f32(f32 x) {
#ifdef __CUDA_ARCH__
    u16 converted;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(converted) : "f"(x));
    if (x == x) return converted;
#endif
    const u32 bits = f32_to_bits(x);
    const u32 sign = bits >> 16 & 0x8000;
    const u32 magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return u16(sign | 0x7e00 | (magnitude >> 13 & 0x3ff));
    // What is rounded to 2^16 or more, and what lies below half of the smallest number.
    if (magnitude >= 0x477ff000) return u16(sign | 0x7c00);
    if (magnitude <= 0x33000000) return u16(sign);
    // Of the fraction with its leading one, so many bits go.
    const u32 exponent = magnitude >> 23;
    const u32 gone = exponent < 113 ? 126 - exponent : 13;
    const u32 fraction = exponent < 113 ? (magnitude & 0x7fffff) | 0x800000 : magnitude - (112u << 23);
    const u32 kept = fraction >> gone;
    const u32 rest = fraction & ((1u << gone) - 1);
    const u32 half = 1u << (gone - 1);
    return u16(sign | (kept + (rest > half || (rest == half && (kept & 1)))));
}

__device__ __forceinline__ f32 bf16_to_f32_bits(u16 bits) {
    const u32 quiet = (bits & 0x7fff) > 0x7f80 ? 0x00400000u : 0;
    return f32_from_bits(u32(bits) << 16 | quiet);
}

__device__ __forceinline__ u16 bf16_bits_from_f32(f32 x) {
    const u32 bits = f32_to_bits(x);
    if ((bits & 0x7fffffff) > 0x7f800000) return u16(bits >> 16 | 0x40);
    return u16((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

__device__ __forceinline__ f32 HALF_to_f32(HALF x) { return x; }

__device__ __forceinline__ f64 HALF_to_f64(HALF x) { return f64(f32(x)); }

__device__ __forceinline__ HALF HALF_from_f32(f32 x) { return HALF{HALF_bits_from_f32(x)}; }

__device__ __forceinline__ UNS HALF_to_bits(HALF x) { return x.bits; }

__device__ __forceinline__ HALF HALF_from_bits(UNS bits) { return HALF{bits}; }

__device__ __forceinline__ HALF HALF_rem(HALF a, HALF b) { return HALF_from_f32(f32_rem(f32(a), f32(b))); }

__device__ __forceinline__ bool HALF_is_nan(HALF x) { return (x.bits & MAGNITUDE_BITS) > EXPONENT_BITS; }

__device__ __forceinline__ bool HALF_is_infinite(HALF x) { return (x.bits & MAGNITUDE_BITS) == EXPONENT_BITS; }

__device__ __forceinline__ bool HALF_is_finite(HALF x) { return (x.bits & MAGNITUDE_BITS) < EXPONENT_BITS; }

__device__ __forceinline__ bool HALF_is_normal(HALF x) {
    const UNS exponent = x.bits & EXPONENT_BITS;
    return exponent != 0 && exponent != EXPONENT_BITS;
}

__device__ __forceinline__ bool HALF_is_sign_positive(HALF x) { return (x.bits & SIGN_BITS) == 0; }

__device__ __forceinline__ bool HALF_is_sign_negative(HALF x) { return (x.bits & SIGN_BITS) != 0; }

__device__ __forceinline__ HALF HALF_copysign(HALF x, HALF sign) { return HALF{UNS((x.bits & MAGNITUDE_BITS) | (sign.bits & SIGN_BITS))}; }

__device__ __forceinline__ HALF HALF_signum(HALF x) {
    return HALF_is_nan(x) ? x : HALF{UNS(ONE_BITS | (x.bits & SIGN_BITS))};
}

__device__ __forceinline__ HALF HALF_min(HALF a, HALF b) { return HALF_is_nan(a) || b < a ? b : a; }

__device__ __forceinline__ HALF HALF_max(HALF a, HALF b) { return HALF_is_nan(a) || b > a ? b : a; }
