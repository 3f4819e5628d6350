// Complex numbers, as the crate `num-complex` computes with them: COMPLEX is the type, Complex32 or Complex64, FLOAT that of its parts.

struct COMPLEX {
    FLOAT re, im;
};
__device__ __forceinline__ COMPLEX operator+(COMPLEX a, COMPLEX b) { return COMPLEX{a.re + b.re, a.im + b.im}; }
__device__ __forceinline__ COMPLEX operator-(COMPLEX a, COMPLEX b) { return COMPLEX{a.re - b.re, a.im - b.im}; }
__device__ __forceinline__ COMPLEX operator*(COMPLEX a, COMPLEX b) {
    return COMPLEX{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
__device__ __forceinline__ COMPLEX operator/(COMPLEX a, COMPLEX b) {
    const FLOAT size = b.re * b.re + b.im * b.im;
    return COMPLEX{(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
}
__device__ __forceinline__ COMPLEX operator+(COMPLEX a, FLOAT b) { return COMPLEX{a.re + b, a.im}; }
__device__ __forceinline__ COMPLEX operator-(COMPLEX a, FLOAT b) { return COMPLEX{a.re - b, a.im}; }
__device__ __forceinline__ COMPLEX operator*(COMPLEX a, FLOAT b) { return COMPLEX{a.re * b, a.im * b}; }
__device__ __forceinline__ COMPLEX operator/(COMPLEX a, FLOAT b) { return COMPLEX{a.re / b, a.im / b}; }
__device__ __forceinline__ COMPLEX operator+(FLOAT a, COMPLEX b) { return COMPLEX{a + b.re, b.im}; }
__device__ __forceinline__ COMPLEX operator-(FLOAT a, COMPLEX b) { return COMPLEX{a - b.re, FLOAT(0) - b.im}; }
__device__ __forceinline__ COMPLEX operator*(FLOAT a, COMPLEX b) { return COMPLEX{a * b.re, a * b.im}; }
__device__ __forceinline__ COMPLEX operator/(FLOAT a, COMPLEX b) {
    const FLOAT size = b.re * b.re + b.im * b.im;
    return COMPLEX{a * b.re / size, FLOAT(0) - a * b.im / size};
}
__device__ __forceinline__ COMPLEX operator-(COMPLEX a) { return COMPLEX{-a.re, -a.im}; }
__device__ __forceinline__ COMPLEX &operator+=(COMPLEX &a, COMPLEX b) { return a = a + b; }
__device__ __forceinline__ COMPLEX &operator-=(COMPLEX &a, COMPLEX b) { return a = a - b; }
__device__ __forceinline__ COMPLEX &operator*=(COMPLEX &a, COMPLEX b) { return a = a * b; }
__device__ __forceinline__ COMPLEX &operator/=(COMPLEX &a, COMPLEX b) { return a = a / b; }
__device__ __forceinline__ COMPLEX &operator+=(COMPLEX &a, FLOAT b) { return a = a + b; }
__device__ __forceinline__ COMPLEX &operator-=(COMPLEX &a, FLOAT b) { return a = a - b; }
__device__ __forceinline__ COMPLEX &operator*=(COMPLEX &a, FLOAT b) { return a = a * b; }
__device__ __forceinline__ COMPLEX &operator/=(COMPLEX &a, FLOAT b) { return a = a / b; }
__device__ __forceinline__ bool operator==(COMPLEX a, COMPLEX b) { return a.re == b.re && a.im == b.im; }
__device__ __forceinline__ bool operator!=(COMPLEX a, COMPLEX b) { return !(a == b); }

__device__ __forceinline__ COMPLEX COMPLEX_new(FLOAT re, FLOAT im) { return COMPLEX{re, im}; }

__device__ __forceinline__ COMPLEX COMPLEX_from(FLOAT re) { return COMPLEX{re, FLOAT(0)}; }

__device__ __forceinline__ COMPLEX COMPLEX_zero() { return COMPLEX{FLOAT(0), FLOAT(0)}; }

__device__ __forceinline__ COMPLEX COMPLEX_one() { return COMPLEX{FLOAT(1), FLOAT(0)}; }

__device__ __forceinline__ COMPLEX COMPLEX_i() { return COMPLEX{FLOAT(0), FLOAT(1)}; }

__device__ __forceinline__ COMPLEX COMPLEX_cis(FLOAT phase) { return COMPLEX{FLOAT_cos(phase), FLOAT_sin(phase)}; }

__device__ __forceinline__ COMPLEX COMPLEX_from_polar(FLOAT r, FLOAT theta) {
    return COMPLEX{r * FLOAT_cos(theta), r * FLOAT_sin(theta)};
}

// The remainder of the quotient whose parts are cut to integers.
__device__ __forceinline__ COMPLEX COMPLEX_rem(COMPLEX a, COMPLEX b) {
    const COMPLEX quotient = a / b;
    const COMPLEX whole = COMPLEX{quotient.re - FLOAT_rem(quotient.re, FLOAT(1)), quotient.im - FLOAT_rem(quotient.im, FLOAT(1))};
    return a - b * whole;
}
__device__ __forceinline__ COMPLEX COMPLEX_rem(FLOAT a, COMPLEX b) { return COMPLEX_rem(COMPLEX{a, FLOAT(0)}, b); }
__device__ __forceinline__ COMPLEX COMPLEX_rem(COMPLEX a, FLOAT b) { return COMPLEX{FLOAT_rem(a.re, b), FLOAT_rem(a.im, b)}; }

__device__ __forceinline__ FLOAT COMPLEX_norm_sqr(COMPLEX z) { return z.re * z.re + z.im * z.im; }

__device__ __forceinline__ FLOAT COMPLEX_norm(COMPLEX z) { return FLOAT_hypot(z.re, z.im); }

__device__ __forceinline__ FLOAT COMPLEX_l1_norm(COMPLEX z) { return FLOAT_abs(z.re) + FLOAT_abs(z.im); }

__device__ __forceinline__ FLOAT COMPLEX_arg(COMPLEX z) { return FLOAT_atan2(z.im, z.re); }

template <typename Tuple> __device__ __forceinline__ Tuple COMPLEX_to_polar(COMPLEX z) {
    return Tuple{COMPLEX_norm(z), COMPLEX_arg(z)};
}

__device__ __forceinline__ COMPLEX COMPLEX_conj(COMPLEX z) { return COMPLEX{z.re, -z.im}; }

__device__ __forceinline__ COMPLEX COMPLEX_scale(COMPLEX z, FLOAT by) { return z * by; }

__device__ __forceinline__ COMPLEX COMPLEX_unscale(COMPLEX z, FLOAT by) { return z / by; }

__device__ __forceinline__ COMPLEX COMPLEX_inv(COMPLEX z) {
    const FLOAT size = COMPLEX_norm_sqr(z);
    return COMPLEX{z.re / size, -z.im / size};
}

__device__ __forceinline__ COMPLEX COMPLEX_finv(COMPLEX z) {
    const FLOAT size = COMPLEX_norm(z);
    return COMPLEX_conj(z) / size / size;
}

__device__ __forceinline__ COMPLEX COMPLEX_fdiv(COMPLEX a, COMPLEX b) { return a * COMPLEX_finv(b); }

// By squares: the factors are multiplied from the last bit of the exponent to its first.
__device__ inline COMPLEX COMPLEX_powu(COMPLEX z, u32 exponent) {
    if (exponent == 0) return COMPLEX_one();
    for (; (exponent & 1) == 0; exponent >>= 1) z = z * z;
    COMPLEX product = z;
    while (exponent > 1) {
        exponent >>= 1;
        z = z * z;
        if (exponent & 1) product = product * z;
    }
    return product;
}

__device__ __forceinline__ COMPLEX COMPLEX_powi(COMPLEX z, i32 exponent) {
    return exponent < 0 ? COMPLEX_powu(COMPLEX_inv(z), 0u - u32(exponent)) : COMPLEX_powu(z, u32(exponent));
}

__device__ __forceinline__ COMPLEX COMPLEX_powf(COMPLEX z, FLOAT exponent) {
    if (exponent == FLOAT(0)) return COMPLEX_one();
    return COMPLEX_from_polar(FLOAT_powf(COMPLEX_norm(z), exponent), COMPLEX_arg(z) * exponent);
}

__device__ __forceinline__ COMPLEX COMPLEX_powc(COMPLEX z, COMPLEX exponent) {
    if (exponent == COMPLEX_zero()) return COMPLEX_one();
    return COMPLEX_exp(exponent * COMPLEX_ln(z));
}

__device__ __forceinline__ COMPLEX COMPLEX_expf(COMPLEX z, FLOAT base) {
    return COMPLEX_from_polar(FLOAT_powf(base, z.re), z.im * FLOAT_ln(base));
}

// Infinities and NaN are what C99 asks for.
__device__ inline COMPLEX COMPLEX_exp(COMPLEX z) {
    const bool finite = FLOAT_is_finite(z.im);
    if (FLOAT_is_infinite(z.re)) {
        if (z.re < FLOAT(0)) {
            if (!finite) return COMPLEX_zero();
        } else if (z.im == FLOAT(0) || !finite) {
            return COMPLEX{z.re, FLOAT_is_infinite(z.im) ? FLOAT_from_bits(UINT(NAN_BITS)) : z.im};
        }
    } else if (FLOAT_is_nan(z.re) && z.im == FLOAT(0)) {
        return z;
    }
    return COMPLEX_from_polar(FLOAT_exp(z.re), z.im);
}

__device__ __forceinline__ COMPLEX COMPLEX_exp2(COMPLEX z) {
    return COMPLEX_from_polar(FLOAT_exp2(z.re), z.im * FLOAT(0.69314718055994530942));
}

__device__ __forceinline__ COMPLEX COMPLEX_ln(COMPLEX z) { return COMPLEX{FLOAT_ln(COMPLEX_norm(z)), COMPLEX_arg(z)}; }

__device__ __forceinline__ COMPLEX COMPLEX_log(COMPLEX z, FLOAT base) {
    return COMPLEX{FLOAT_log(COMPLEX_norm(z), base), COMPLEX_arg(z) / FLOAT_ln(base)};
}

__device__ __forceinline__ COMPLEX COMPLEX_log2(COMPLEX z) { return COMPLEX_ln(z) / FLOAT(0.69314718055994530942); }

__device__ __forceinline__ COMPLEX COMPLEX_log10(COMPLEX z) { return COMPLEX_ln(z) / FLOAT(2.30258509299404568402); }

// On the axes the root is computed without angles, so that it is exact and keeps its signs.
__device__ inline COMPLEX COMPLEX_sqrt(COMPLEX z) {
    const bool up = FLOAT_is_sign_positive(z.im);
    if (z.im == FLOAT(0)) {
        if (FLOAT_is_sign_positive(z.re)) return COMPLEX{FLOAT_sqrt(z.re), z.im};
        const FLOAT root = FLOAT_sqrt(-z.re);
        return COMPLEX{FLOAT(0), up ? root : -root};
    }
    if (z.re == FLOAT(0)) {
        const FLOAT root = FLOAT_sqrt(FLOAT_abs(z.im) / FLOAT(2));
        return COMPLEX{root, up ? root : -root};
    }
    return COMPLEX_from_polar(FLOAT_sqrt(COMPLEX_norm(z)), COMPLEX_arg(z) / FLOAT(2));
}

__device__ inline COMPLEX COMPLEX_cbrt(COMPLEX z) {
    const bool up = FLOAT_is_sign_positive(z.im);
    if (z.im == FLOAT(0)) {
        if (FLOAT_is_sign_positive(z.re)) return COMPLEX{FLOAT_cbrt(z.re), z.im};
        const FLOAT re = FLOAT_cbrt(-z.re) / FLOAT(2), im = FLOAT_sqrt(FLOAT(3)) * re;
        return COMPLEX{re, up ? im : -im};
    }
    if (z.re == FLOAT(0)) {
        const FLOAT im = FLOAT_cbrt(FLOAT_abs(z.im)) / FLOAT(2), re = FLOAT_sqrt(FLOAT(3)) * im;
        return COMPLEX{re, up ? im : -im};
    }
    return COMPLEX_from_polar(FLOAT_cbrt(COMPLEX_norm(z)), COMPLEX_arg(z) / FLOAT(3));
}

__device__ __forceinline__ COMPLEX COMPLEX_sin(COMPLEX z) {
    return COMPLEX{FLOAT_sin(z.re) * FLOAT_cosh(z.im), FLOAT_cos(z.re) * FLOAT_sinh(z.im)};
}

__device__ __forceinline__ COMPLEX COMPLEX_cos(COMPLEX z) {
    return COMPLEX{FLOAT_cos(z.re) * FLOAT_cosh(z.im), -FLOAT_sin(z.re) * FLOAT_sinh(z.im)};
}

__device__ __forceinline__ COMPLEX COMPLEX_tan(COMPLEX z) {
    const FLOAT re = z.re + z.re, im = z.im + z.im;
    return COMPLEX{FLOAT_sin(re), FLOAT_sinh(im)} / (FLOAT_cos(re) + FLOAT_cosh(im));
}

__device__ __forceinline__ COMPLEX COMPLEX_sinh(COMPLEX z) {
    return COMPLEX{FLOAT_sinh(z.re) * FLOAT_cos(z.im), FLOAT_cosh(z.re) * FLOAT_sin(z.im)};
}

__device__ __forceinline__ COMPLEX COMPLEX_cosh(COMPLEX z) {
    return COMPLEX{FLOAT_cosh(z.re) * FLOAT_cos(z.im), FLOAT_sinh(z.re) * FLOAT_sin(z.im)};
}

__device__ __forceinline__ COMPLEX COMPLEX_tanh(COMPLEX z) {
    const FLOAT re = z.re + z.re, im = z.im + z.im;
    return COMPLEX{FLOAT_sinh(re), FLOAT_sin(im)} / (FLOAT_cosh(re) + FLOAT_cos(im));
}

__device__ inline COMPLEX COMPLEX_asin(COMPLEX z) {
    const COMPLEX i = COMPLEX_i();
    return -i * COMPLEX_ln(COMPLEX_sqrt(COMPLEX_one() - z * z) + i * z);
}

__device__ inline COMPLEX COMPLEX_acos(COMPLEX z) {
    const COMPLEX i = COMPLEX_i();
    return -i * COMPLEX_ln(i * COMPLEX_sqrt(COMPLEX_one() - z * z) + z);
}

__device__ inline COMPLEX COMPLEX_atan(COMPLEX z) {
    const COMPLEX i = COMPLEX_i(), one = COMPLEX_one();
    const FLOAT infinity = FLOAT(1) / FLOAT(0);
    if (z == i) return COMPLEX{FLOAT(0), infinity};
    if (z == -i) return COMPLEX{FLOAT(0), -infinity};
    return (COMPLEX_ln(one + i * z) - COMPLEX_ln(one - i * z)) / ((one + one) * i);
}

__device__ inline COMPLEX COMPLEX_asinh(COMPLEX z) { return COMPLEX_ln(z + COMPLEX_sqrt(COMPLEX_one() + z * z)); }

__device__ inline COMPLEX COMPLEX_acosh(COMPLEX z) {
    const COMPLEX one = COMPLEX_one(), two = one + one;
    return two * COMPLEX_ln(COMPLEX_sqrt((z + one) / two) + COMPLEX_sqrt((z - one) / two));
}

__device__ inline COMPLEX COMPLEX_atanh(COMPLEX z) {
    const COMPLEX one = COMPLEX_one();
    const FLOAT infinity = FLOAT(1) / FLOAT(0);
    if (z == one) return COMPLEX{infinity, FLOAT(0)};
    if (z == -one) return COMPLEX{-infinity, FLOAT(0)};
    return (COMPLEX_ln(one + z) - COMPLEX_ln(one - z)) / (one + one);
}

__device__ __forceinline__ bool COMPLEX_is_nan(COMPLEX z) { return FLOAT_is_nan(z.re) || FLOAT_is_nan(z.im); }

__device__ __forceinline__ bool COMPLEX_is_finite(COMPLEX z) { return FLOAT_is_finite(z.re) && FLOAT_is_finite(z.im); }

__device__ __forceinline__ bool COMPLEX_is_infinite(COMPLEX z) {
    return !COMPLEX_is_nan(z) && (FLOAT_is_infinite(z.re) || FLOAT_is_infinite(z.im));
}

__device__ __forceinline__ bool COMPLEX_is_normal(COMPLEX z) { return FLOAT_is_normal(z.re) && FLOAT_is_normal(z.im); }
