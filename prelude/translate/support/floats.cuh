// Functions of floats. FLOAT is the type, UINT the integer of its bits; `sin_F` is `sinf` for f32 and `sin` for f64.

__device__ __forceinline__ FLOAT FLOAT_rem(FLOAT a, FLOAT b) { return fmod_F(a, b); }

__device__ __forceinline__ FLOAT FLOAT_sqrt(FLOAT x) { return sqrt_F(x); }

__device__ __forceinline__ FLOAT FLOAT_cbrt(FLOAT x) { return cbrt_F(x); }

__device__ __forceinline__ FLOAT FLOAT_exp(FLOAT x) { return exp_F(x); }

__device__ __forceinline__ FLOAT FLOAT_exp2(FLOAT x) { return exp2_F(x); }

__device__ __forceinline__ FLOAT FLOAT_exp_m1(FLOAT x) { return expm1_F(x); }

__device__ __forceinline__ FLOAT FLOAT_ln(FLOAT x) { return log_F(x); }

__device__ __forceinline__ FLOAT FLOAT_ln_1p(FLOAT x) { return log1p_F(x); }

__device__ __forceinline__ FLOAT FLOAT_log(FLOAT x, FLOAT base) { return log_F(x) / log_F(base); }

__device__ __forceinline__ FLOAT FLOAT_log2(FLOAT x) { return log2_F(x); }

__device__ __forceinline__ FLOAT FLOAT_log10(FLOAT x) { return log10_F(x); }

__device__ __forceinline__ FLOAT FLOAT_sin(FLOAT x) { return sin_F(x); }

__device__ __forceinline__ FLOAT FLOAT_cos(FLOAT x) { return cos_F(x); }

__device__ __forceinline__ FLOAT FLOAT_tan(FLOAT x) { return tan_F(x); }

__device__ __forceinline__ FLOAT FLOAT_asin(FLOAT x) { return asin_F(x); }

__device__ __forceinline__ FLOAT FLOAT_acos(FLOAT x) { return acos_F(x); }

__device__ __forceinline__ FLOAT FLOAT_atan(FLOAT x) { return atan_F(x); }

__device__ __forceinline__ FLOAT FLOAT_atan2(FLOAT y, FLOAT x) { return atan2_F(y, x); }

__device__ __forceinline__ FLOAT FLOAT_sinh(FLOAT x) { return sinh_F(x); }

__device__ __forceinline__ FLOAT FLOAT_cosh(FLOAT x) { return cosh_F(x); }

__device__ __forceinline__ FLOAT FLOAT_tanh(FLOAT x) { return tanh_F(x); }

// The inverse hyperbolic functions are Rust's formulas, not CUDA's functions: the host computes these.
__device__ __forceinline__ FLOAT FLOAT_asinh(FLOAT x) {
    const FLOAT size = fabs_F(x), inverse = FLOAT(1) / size;
    return copysign_F(log1p_F(size + size / (hypot_F(FLOAT(1), inverse) + inverse)), x);
}

__device__ __forceinline__ FLOAT FLOAT_acosh(FLOAT x) {
    if (x < FLOAT(1)) return FLOAT_from_bits(UINT(NAN_BITS));
    return log_F(x + sqrt_F(x - FLOAT(1)) * sqrt_F(x + FLOAT(1)));
}

__device__ __forceinline__ FLOAT FLOAT_atanh(FLOAT x) { return FLOAT(0.5) * log1p_F(FLOAT(2) * x / (FLOAT(1) - x)); }

template <typename Tuple> __device__ __forceinline__ Tuple FLOAT_sin_cos(FLOAT x) {
    FLOAT sine, cosine;
    sincos_F(x, &sine, &cosine);
    return Tuple{sine, cosine};
}

__device__ __forceinline__ FLOAT FLOAT_hypot(FLOAT x, FLOAT y) { return hypot_F(x, y); }

// By repeated squaring, in the order in which the host multiplies.
__device__ __forceinline__ FLOAT FLOAT_powi(FLOAT base, i32 exponent) {
    u32 left = exponent < 0 ? 0u - u32(exponent) : u32(exponent);
    FLOAT result = 1;
    for (;;) {
        if (left & 1u) result *= base;
        left >>= 1;
        if (left == 0u) break;
        base *= base;
    }
    return exponent < 0 ? FLOAT(1) / result : result;
}

__device__ __forceinline__ FLOAT FLOAT_powf(FLOAT base, FLOAT exponent) { return pow_F(base, exponent); }

__device__ __forceinline__ FLOAT FLOAT_mul_add(FLOAT x, FLOAT factor, FLOAT more) { return fma_F(x, factor, more); }

__device__ __forceinline__ FLOAT FLOAT_abs(FLOAT x) { return fabs_F(x); }

__device__ __forceinline__ FLOAT FLOAT_copysign(FLOAT x, FLOAT sign) { return copysign_F(x, sign); }

__device__ __forceinline__ FLOAT FLOAT_signum(FLOAT x) { return x != x ? x : copysign_F(FLOAT(1), x); }

__device__ __forceinline__ FLOAT FLOAT_floor(FLOAT x) { return floor_F(x); }

__device__ __forceinline__ FLOAT FLOAT_ceil(FLOAT x) { return ceil_F(x); }

// Halves go away from zero.
__device__ __forceinline__ FLOAT FLOAT_round(FLOAT x) { return round_F(x); }

__device__ __forceinline__ FLOAT FLOAT_round_ties_even(FLOAT x) { return rint_F(x); }

__device__ __forceinline__ FLOAT FLOAT_trunc(FLOAT x) { return trunc_F(x); }

__device__ __forceinline__ FLOAT FLOAT_fract(FLOAT x) { return x - trunc_F(x); }

__device__ __forceinline__ FLOAT FLOAT_recip(FLOAT x) { return FLOAT(1) / x; }

__device__ __forceinline__ FLOAT FLOAT_to_degrees(FLOAT x) { return x * FLOAT(57.2957795130823208767981548141051703); }

__device__ __forceinline__ FLOAT FLOAT_to_radians(FLOAT x) {
    return x * (FLOAT(3.14159265358979323846264338327950288) / FLOAT(180));
}

// Of a number and NaN the number.
__device__ __forceinline__ FLOAT FLOAT_min(FLOAT a, FLOAT b) { return fmin_F(a, b); }

__device__ __forceinline__ FLOAT FLOAT_max(FLOAT a, FLOAT b) { return fmax_F(a, b); }

// NaN stays NaN; limits that are NaN or in the wrong order are a panic.
__device__ __forceinline__ FLOAT FLOAT_clamp(FLOAT x, FLOAT least, FLOAT greatest, u32 function, u32 line) {
    if (!(least <= greatest)) panicked(function, line);
    return x < least ? least : x > greatest ? greatest : x;
}

__device__ __forceinline__ FLOAT FLOAT_div_euclid(FLOAT a, FLOAT b) {
    const FLOAT quotient = trunc_F(a / b);
    return fmod_F(a, b) < FLOAT(0) ? (b > FLOAT(0) ? quotient - FLOAT(1) : quotient + FLOAT(1)) : quotient;
}

__device__ __forceinline__ FLOAT FLOAT_rem_euclid(FLOAT a, FLOAT b) {
    const FLOAT remainder = fmod_F(a, b);
    return remainder < FLOAT(0) ? remainder + fabs_F(b) : remainder;
}

__device__ __forceinline__ bool FLOAT_is_nan(FLOAT x) { return x != x; }

__device__ __forceinline__ bool FLOAT_is_finite(FLOAT x) { return fabs_F(x) <= FLOAT_from_bits(UINT(GREATEST_BITS)); }

__device__ __forceinline__ bool FLOAT_is_infinite(FLOAT x) { return fabs_F(x) > FLOAT_from_bits(UINT(GREATEST_BITS)); }

__device__ __forceinline__ bool FLOAT_is_normal(FLOAT x) {
    return FLOAT_is_finite(x) && fabs_F(x) >= FLOAT_from_bits(UINT(NORMAL_BITS));
}

__device__ __forceinline__ bool FLOAT_is_subnormal(FLOAT x) {
    return x != FLOAT(0) && fabs_F(x) < FLOAT_from_bits(UINT(NORMAL_BITS));
}

__device__ __forceinline__ bool FLOAT_is_sign_negative(FLOAT x) { return (FLOAT_to_bits(x) & UINT(SIGN_BITS)) != 0; }

__device__ __forceinline__ bool FLOAT_is_sign_positive(FLOAT x) { return (FLOAT_to_bits(x) & UINT(SIGN_BITS)) == 0; }

__device__ __forceinline__ FLOAT FLOAT_next_up(FLOAT x) {
    const UINT bits = FLOAT_to_bits(x);
    if (x != x || bits == UINT(GREATEST_BITS) + 1) return x;
    return FLOAT_from_bits(x == FLOAT(0) ? UINT(1) : (bits & UINT(SIGN_BITS)) == 0 ? bits + 1 : bits - 1);
}

__device__ __forceinline__ FLOAT FLOAT_next_down(FLOAT x) { return -FLOAT_next_up(-x); }

__device__ __forceinline__ u32 f32_to_bits(f32 x) { return __float_as_uint(x); }

__device__ __forceinline__ u64 f64_to_bits(f64 x) { return u64(__double_as_longlong(x)); }

__device__ __forceinline__ f32 f32_from_bits(u32 bits) { return __uint_as_float(bits); }

__device__ __forceinline__ f64 f64_from_bits(u64 bits) { return __longlong_as_double(i64(bits)); }

__device__ __forceinline__ f32 f32_midpoint(f32 a, f32 b) { return f32((f64(a) + f64(b)) / 2); }

__device__ __forceinline__ f64 f64_midpoint(f64 a, f64 b) {
    const f64 half = f64_from_bits(0x7fdfffffffffffffull);
    return fabs(a) <= half && fabs(b) <= half ? (a + b) / 2 : a / 2 + b / 2;
}
