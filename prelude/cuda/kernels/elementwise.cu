// Elementwise operations: fill, copy and conversion, one argument, two arguments; and arange.
//
// One program per operation and element type, chosen by macros:
//   WARPCELL_INPUT, WARPCELL_OUTPUT   element types of the operands and of the result
//   WARPCELL_OPERATION                one of the functions below, or a name for the function of CUDA's library that
//                                     WARPCELL_OF_FLOAT and WARPCELL_OF_DOUBLE name
//   WARPCELL_ARITY                    how many arguments it takes: 0 (fill), 1 or 2
//   WARPCELL_STRIDED                  if defined, the kernels are for any strides
// A program has the kernels for contiguous operands, in packs of 16 bytes (`packed`) or, where an address does not allow that, one by
// one (`single`). Or it has those for any strides: long rows (`rows`), and others with 32-bit (`strided`) or 64-bit (`strided_wide`)
// indices.
// An operand without an address is one value for all elements, handed over in `a_bits` or `b_bits`.
// Without an operation it is `arange`, or with WARPCELL_TRANSPOSED a copy of a matrix whose columns lie in lines.
//
// The result may be one of the operands: no pointer is `__restrict__`, and a thread reads before it writes.

// 16-bit floats: only stored and converted.
struct f16 { u16 bits; };
struct bf16 { u16 bits; };
// Complex numbers.
template <typename P> struct alignas(2 * sizeof(P)) complex {
    typedef P part;
    P re, im;
    complex() = default;
    __device__ __forceinline__ constexpr complex(P re, P im) : re(re), im(im) {}
};
typedef complex<float> c64;
typedef complex<double> c128;
typedef WARPCELL_INPUT input;
typedef WARPCELL_OUTPUT output;

#define FUNCTION template <typename T> __device__ __forceinline__

// Facts about an element type, here for integers and bools. Integers are computed on as `wrapping`, in which overflow is defined.
template <int size> struct word { typedef u32 type; };
template <> struct word<8> { typedef u64 type; };
template <typename T> struct facts {
    typedef typename word<sizeof(T)>::type wrapping;
    enum { real = false, has_sign = T(-1) < T(0) };
};
template <> struct facts<float> { typedef float wrapping; enum { real = true, has_sign = true }; };
template <> struct facts<double> { typedef double wrapping; enum { real = true, has_sign = true }; };
// As floats: what is not an integer is computed on by its own operators.
template <typename P> struct facts<complex<P>> { typedef complex<P> wrapping; enum { real = true, has_sign = true }; };

FUNCTION bool is_minus_one(T x) { return facts<T>::has_sign && x == T(-1); }
FUNCTION T wrapping_negative(T x) {
    if constexpr (facts<T>::real) return -x;
    else return T(typename facts<T>::wrapping(0) - typename facts<T>::wrapping(x));
}

// Conversion as Rust's `as`: floats to integers saturate and NaN becomes 0; to bool: not zero.
// `least` and `most` of an integer, and the nearest doubles outside its type. (-2^63 has none just below: it saturates to itself.)
// Functions, since static members would be emitted as variables.
template <typename T> struct limits {
    static __device__ constexpr T least() {
        return facts<T>::has_sign ? T(typename facts<T>::wrapping(1) << (8 * sizeof(T) - 1)) : T(0);
    }
    static __device__ constexpr T most() { return T(~least()); }
    static __device__ constexpr double below() { return double(least()) - 1.0; }
    static __device__ constexpr double above() { return double(most()) + 1.0; }
};

// 16-bit floats go through float, which has all their values.
template <typename T> struct is_narrow { enum { value = false }; };
template <> struct is_narrow<f16> { enum { value = true }; };
template <> struct is_narrow<bf16> { enum { value = true }; };
__device__ __forceinline__ float widened(f16 x) {
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return wide;
}
__device__ __forceinline__ float widened(bf16 x) { return __uint_as_float(u32(x.bits) << 16); }

// The float that rounds on to 16 bits as the value itself would: rounded toward zero, and if that was not exact, with the last
// bit set ("to odd"). Rounded to nearest twice, what is just above a tie could become the tie.
__device__ __forceinline__ float odd_if(float x, bool inexact) { return __uint_as_float(__float_as_uint(x) | u32(inexact)); }
FUNCTION float to_odd(T x) {
    if constexpr (facts<T>::real && sizeof(T) == 4) {
        return x;
    } else if constexpr (facts<T>::real) {
        const float near = __double2float_rz(x);
        return odd_if(near, double(near) != x);
    } else if constexpr (facts<T>::has_sign) {
        const float near = __ll2float_rz(i64(x));
        return odd_if(near, i64(near) != i64(x));
    } else {
        const float near = __ull2float_rz(u64(x));
        return odd_if(near, u64(near) != u64(x));
    }
}

// To nearest, ties to even; NaN stays one.
FUNCTION T narrowed(float x);
template <> __device__ __forceinline__ f16 narrowed<f16>(float x) {
    f16 narrow;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(narrow.bits) : "f"(x));
    return narrow;
}
template <> __device__ __forceinline__ bf16 narrowed<bf16>(float x) {
    const u32 bits = __float_as_uint(x);
    const u32 rounded = x != x ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return bf16{u16(rounded)};
}

// A real number has the imaginary part 0.
template <typename T> struct is_pair { enum { value = false }; };
template <typename P> struct is_pair<complex<P>> { enum { value = true }; };

template <typename To, typename From> __device__ __forceinline__ To convert_to(From x) {
    if constexpr (is_pair<To>::value && !is_pair<From>::value) {
        return To(convert_to<typename To::part, From>(x), typename To::part(0));
    } else if constexpr (is_narrow<From>::value) {
        return convert_to<To, float>(widened(x));
    } else if constexpr (is_narrow<To>::value) {
        return narrowed<To>(to_odd<From>(x));
    } else if constexpr (facts<From>::real && !facts<To>::real) {
        if (x != x) return To(0);
        if (x >= From(limits<To>::above())) return limits<To>::most();
        if (x <= From(limits<To>::below())) return limits<To>::least();
        return To(x);
    } else {
        return To(x);
    }
}
template <> __device__ __forceinline__ bool convert_to<bool, float>(float x) { return x != 0.0f; }
template <> __device__ __forceinline__ bool convert_to<bool, double>(double x) { return x != 0.0; }

// One argument.
FUNCTION output convert(T x) { return convert_to<output, T>(x); }
FUNCTION T negative(T x) { return wrapping_negative(x); }
FUNCTION T absolute(T x) {
    if constexpr (sizeof(T) == 4 && facts<T>::real) return fabsf(x);
    else if constexpr (facts<T>::real) return fabs(x);
    else if constexpr (facts<T>::has_sign) return x < T(0) ? wrapping_negative(x) : x;
    else return x;
}
FUNCTION T sign(T x) {
    if constexpr (facts<T>::has_sign) return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x;
    else return T(x != T(0));
}
#define FLOAT_FUNCTION(name, of_float, of_double, of_integer)                       \
    FUNCTION T name(T x) {                                                          \
        if constexpr (!facts<T>::real) return of_integer;                           \
        else if constexpr (sizeof(T) == 4) return of_float(x);                      \
        else return of_double(x);                                                   \
    }
FLOAT_FUNCTION(floor_of, floorf, floor, x)
FLOAT_FUNCTION(ceil_of, ceilf, ceil, x)
FLOAT_FUNCTION(real_exp, expf, exp, T(0))
FLOAT_FUNCTION(real_sqrt, sqrtf, sqrt, T(0))
FLOAT_FUNCTION(real_sin, sinf, sin, T(0))
FLOAT_FUNCTION(real_cos, cosf, cos, T(0))
FLOAT_FUNCTION(round_of, rintf, rint, x)
FLOAT_FUNCTION(trunc_of, truncf, trunc, x)
FUNCTION bool logical_not(T x) { return x == T(0); }
FUNCTION bool is_nan(T x) { return x != x; }
// The difference of an infinity and itself is NaN.
FUNCTION bool is_finite(T x) {
    if constexpr (facts<T>::real) return x - x == T(0);
    else return true;
}
FUNCTION bool is_inf(T x) {
    if constexpr (facts<T>::real) return x == x && x - x != T(0);
    else return false;
}
FUNCTION T bitwise_not(T x) { return T(~x); }
template <> __device__ __forceinline__ bool bitwise_not<bool>(bool x) { return !x; }

// Two arguments.
FUNCTION T add(T a, T b) { return T(typename facts<T>::wrapping(a) + typename facts<T>::wrapping(b)); }
FUNCTION T subtract(T a, T b) { return T(typename facts<T>::wrapping(a) - typename facts<T>::wrapping(b)); }
FUNCTION T multiply(T a, T b) { return T(typename facts<T>::wrapping(a) * typename facts<T>::wrapping(b)); }
FUNCTION T divide(T a, T b) {
    if constexpr (facts<T>::real) return a / b;
    else return b == T(0) ? T(0) : is_minus_one(b) ? wrapping_negative(a) : T(a / b);
}
FUNCTION T remainder_of(T a, T b) {
    if constexpr (!facts<T>::real) return b == T(0) || is_minus_one(b) ? T(0) : T(a % b);
    else if constexpr (sizeof(T) == 4) return fmodf(a, b);
    else return fmod(a, b);
}
FUNCTION T power(T a, T b) {
    if constexpr (!facts<T>::real) {
        typedef typename facts<T>::wrapping wrapping;
        if (facts<T>::has_sign && b < T(0)) return a == T(1) ? T(1) : is_minus_one(a) ? (b % T(2) == T(0) ? T(1) : a) : T(0);
        wrapping base = wrapping(a), result = 1;
        for (u64 exponent = u64(b); exponent != 0; exponent >>= 1) {
            if (exponent & 1) result *= base;
            base *= base;
        }
        return T(result);
    } else if constexpr (sizeof(T) == 4) return powf(a, b);
    else return pow(a, b);
}
FUNCTION T maximum(T a, T b) { return a != a ? a : b != b ? b : a > b ? a : b; }
FUNCTION T minimum(T a, T b) { return a != a ? a : b != b ? b : a < b ? a : b; }
FUNCTION bool equal(T a, T b) { return a == b; }
FUNCTION bool not_equal(T a, T b) { return a != b; }
FUNCTION bool less(T a, T b) { return a < b; }
FUNCTION bool less_equal(T a, T b) { return a <= b; }
FUNCTION bool greater(T a, T b) { return a > b; }
FUNCTION bool greater_equal(T a, T b) { return a >= b; }
FUNCTION bool logical_and(T a, T b) { return a != T(0) && b != T(0); }
FUNCTION bool logical_or(T a, T b) { return a != T(0) || b != T(0); }
#define FLOAT_FUNCTION_OF_TWO(name, of_float, of_double)                            \
    FUNCTION T name(T a, T b) {                                                     \
        if constexpr (sizeof(T) == 4) return of_float(a, b);                        \
        else return of_double(a, b);                                                \
    }
FLOAT_FUNCTION_OF_TWO(real_atan2, atan2f, atan2)
FLOAT_FUNCTION_OF_TWO(real_hypot, hypotf, hypot)
FLOAT_FUNCTION_OF_TWO(real_copysign, copysignf, copysign)
// NumPy's division, rounded down, and what it leaves, with the divisor's sign.
FUNCTION bool signs_differ(T a, T b) { return facts<T>::has_sign && (a < T(0)) != (b < T(0)); }
FUNCTION T multiply_add(T a, T b, T c) {
    if constexpr (sizeof(T) == 4) return __fmaf_rn(a, b, c);
    else return __fma_rn(a, b, c);
}
// Quotients below this, and those next to them, are whole numbers, and so is the rounded quotient.
FUNCTION bool is_moderate(T whole) { return absolute(whole) < (sizeof(T) == 4 ? T(1 << 22) : T(i64(1) << 51)); }
FUNCTION T floor_divide(T a, T b) {
    if constexpr (facts<T>::real) {
        // The rounded quotient may have come up to a whole number that the exact one is below: then what is left has the other sign
        // than the divisor. Larger quotients, and what is not finite, take the long way below, with NumPy's roundings.
        const T whole = floor_of(a / b);
        if (is_moderate(whole) && is_finite(b) && is_finite(a)) {
            const T left = multiply_add(-whole, b, a);
            if (left != T(0) && (left < T(0)) != (b < T(0))) return whole - T(1);
            return whole == T(0) ? real_copysign(T(0), a / b) : whole;
        }
    }
    T rest = remainder_of(a, b);
    bool past = rest != T(0) && signs_differ(rest, b);
    if constexpr (facts<T>::real) {
        if (b == T(0)) return a / b;
        // A whole number, but for rounding.
        T quotient = (a - rest) / b - (past ? T(1) : T(0));
        if (quotient == T(0)) return real_copysign(T(0), a / b);
        T whole = floor_of(quotient);
        return quotient - whole > T(0.5) ? whole + T(1) : whole;
    } else {
        return past ? subtract(divide(a, b), T(1)) : divide(a, b);
    }
}
FUNCTION T modulo(T a, T b) {
    if constexpr (facts<T>::real) {
        // What the whole quotient leaves is rounded once, as the sum of `fmod` and the divisor is. If the rounded quotient has come up to
        // a whole number that the exact one is below, what is left is exact, small, and of the other sign. It is a multiple of the least
        // float, so it is 0 only if it is nothing. A quotient is not finite if `a` is not.
        const T whole = floor_of(a / b);
        if (is_moderate(whole) && is_finite(b)) {
            const T left = multiply_add(-whole, b, a);
            if (left == T(0)) return real_copysign(T(0), b);
            return (left < T(0)) != (b < T(0)) ? left + b : left;
        }
    }
    T rest = remainder_of(a, b);
    if (rest != T(0)) return signs_differ(rest, b) ? add(rest, b) : rest;
    if constexpr (facts<T>::real) return real_copysign(T(0), b);
    else return T(0);
}
// Integers and bools.
FUNCTION T bitwise_and(T a, T b) { return T(a & b); }
FUNCTION T bitwise_or(T a, T b) { return T(a | b); }
FUNCTION T bitwise_xor(T a, T b) { return T(a ^ b); }
// A negative count is a large one as u64.
FUNCTION T left_shift(T a, T b) {
    return u64(b) < 8 * sizeof(T) ? T(typename facts<T>::wrapping(a) << u32(b)) : T(0);
}
FUNCTION T right_shift(T a, T b) {
    return u64(b) < 8 * sizeof(T) ? T(a >> u32(b)) : signs_differ(a, T(0)) ? T(-1) : T(0);
}

// Complex numbers: their operators, and functions of one argument; the others above are by these.
#define OF_PARTS template <typename P> __device__ __forceinline__
OF_PARTS complex<P> operator-(complex<P> z) { return {-z.re, -z.im}; }
OF_PARTS complex<P> operator+(complex<P> a, complex<P> b) { return {a.re + b.re, a.im + b.im}; }
OF_PARTS complex<P> operator-(complex<P> a, complex<P> b) { return {a.re - b.re, a.im - b.im}; }
OF_PARTS complex<P> operator*(complex<P> a, complex<P> b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
OF_PARTS bool operator==(complex<P> a, complex<P> b) { return a.re == b.re && a.im == b.im; }
OF_PARTS bool operator!=(complex<P> a, complex<P> b) { return a.re != b.re || a.im != b.im; }
// By Smith's method, which does not overflow on the way.
OF_PARTS complex<P> operator/(complex<P> a, complex<P> b) {
    const P re = absolute(b.re), im = absolute(b.im);
    if (re >= im) {
        if (re == P(0) && im == P(0)) return {a.re / re, a.im / re};
        const P ratio = b.im / b.re, scale = P(1) / (b.re + b.im * ratio);
        return {(a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale};
    }
    const P ratio = b.re / b.im, scale = P(1) / (b.im + b.re * ratio);
    return {(a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale};
}
FUNCTION T conjugate(T z) { return {z.re, -z.im}; }
FUNCTION typename T::part magnitude(T z) { return real_hypot(z.re, z.im); }
FUNCTION typename T::part angle(T z) { return real_atan2(z.im, z.re); }
// Infinities and NaN as in C99.
OF_PARTS complex<P> exp(complex<P> z) {
    const P radius = real_exp(z.re);
    if (z.im == P(0)) return {radius, z.im};
    if (is_inf(z.re) && !is_finite(z.im)) return z.re < P(0) ? complex<P>{P(0), P(0)} : complex<P>{radius, z.im - z.im};
    return {radius * real_cos(z.im), radius * real_sin(z.im)};
}
// The root whose real part is not negative, without cancellation.
OF_PARTS complex<P> sqrt(complex<P> z) {
    if (is_inf(z.im)) return {absolute(z.im), z.im};
    if (z.re == P(0) && z.im == P(0)) return {P(0), z.im};
    const P root = real_sqrt(absolute(z.re) * P(0.5) + magnitude(z) * P(0.5)), other = z.im * P(0.5) / root;
    if (z.re >= P(0)) return {root, other};
    return {absolute(other), real_copysign(root, z.im)};
}

#ifdef WARPCELL_OPERATION

// A function of CUDA's library.
#ifdef WARPCELL_OF_DOUBLE
#if WARPCELL_ARITY == 1
FLOAT_FUNCTION(WARPCELL_OPERATION, WARPCELL_OF_FLOAT, WARPCELL_OF_DOUBLE, T(0))
#else
FLOAT_FUNCTION_OF_TWO(WARPCELL_OPERATION, WARPCELL_OF_FLOAT, WARPCELL_OF_DOUBLE)
#endif
#endif

__device__ __forceinline__ output apply(input a, input b) {
#if WARPCELL_ARITY == 0
    return a;
#elif WARPCELL_ARITY == 1
    return output(WARPCELL_OPERATION<input>(a));
#else
    return output(WARPCELL_OPERATION<input>(a, b));
#endif
}

// A scalar operand, in the low bytes of two words (little-endian, as all CUDA devices are).
struct alignas(16) Bits {
    u64 low, high;
};
__device__ __forceinline__ input from_bits(Bits bits) { return *(const input*)&bits; }

#ifndef WARPCELL_STRIDED

template <typename T, int count> struct alignas(sizeof(T) * count) Pack {
    T at[count];
};

constexpr int WIDEST = sizeof(input) > sizeof(output) ? sizeof(input) : sizeof(output);

// The first `taken` elements of an operand from here on, or a value for each of them.
template <int count>
__device__ __forceinline__ Pack<input, count> operand(const input* from, i64 first, int taken, Bits bits) {
    Pack<input, count> read;
    const input value = from_bits(bits);
#pragma unroll
    for (int i = 0; i < count; i++) read.at[i] = value;
    if (from == nullptr) return read;
    if (taken == count) return *(const Pack<input, count>*)(from + first);
#pragma unroll
    for (int i = 0; i < count - 1; i++) {
        if (i < taken) read.at[i] = from[first + i];
    }
    return read;
}

// The operation is written once, for whole packs and for the rest: more of it takes registers that more threads could have.
template <int count>
__device__ __forceinline__ void contiguous(const input* a, const input* b, output* out, i64 size, Bits a_bits, Bits b_bits) {
    const i64 first = (i64(blockIdx.x) * blockDim.x + threadIdx.x) * count;
    if (first >= size) return;
    const int taken = int(min(size - first, i64(count)));
    const Pack<input, count> left = operand<count>(WARPCELL_ARITY == 0 ? nullptr : a, first, taken, a_bits);
    const Pack<input, count> right = operand<count>(WARPCELL_ARITY < 2 ? nullptr : b, first, taken, b_bits);
    Pack<output, count> result;
#pragma unroll
    for (int i = 0; i < count; i++) result.at[i] = apply(left.at[i], right.at[i]);
    if (taken == count) {
        *(Pack<output, count>*)(out + first) = result;
        return;
    }
#pragma unroll
    for (int i = 0; i < count - 1; i++) {
        if (i < taken) out[first + i] = result.at[i];
    }
}

extern "C" __global__ void packed(const input* a, const input* b, output* out, i64 size, Bits a_bits, Bits b_bits) {
    contiguous<16 / WIDEST>(a, b, out, size, a_bits, b_bits);
}

extern "C" __global__ void single(const input* a, const input* b, output* out, i64 size, Bits a_bits, Bits b_bits) {
    contiguous<1>(a, b, out, size, a_bits, b_bits);
}

#else

// `axes` are those of the operands and of the result.
template <typename index>
__device__ __forceinline__ void by_strides(const input* a, const input* b, output* out, i64 size, Bits a_bits, Bits b_bits,
                                           const warpcell_axes<3>& axes) {
    const index number = index(blockIdx.x) * blockDim.x + threadIdx.x;
    if (number >= index(size)) return;
    i64 at[3] = {0, 0, 0};
    warpcell_move(axes, number, at);
    input left = from_bits(a_bits), right = from_bits(b_bits);
    if (WARPCELL_ARITY > 0 && a) left = a[at[0]];
    if (WARPCELL_ARITY > 1 && b) right = b[at[1]];
    out[at[2]] = apply(left, right);
}

// Rows along the innermost axis: a block has a part of one, and the grid one for each index of the other axes. What a thread reads is under
// way before it computes.
constexpr int OF_ROW = 4;
extern "C" __global__ void rows(const input* a, const input* b, output* out, i64 size, Bits a_bits, Bits b_bits,
                                const __grid_constant__ warpcell_axes<3> axes) {
    i64 at[3] = {0, 0, 0};
    warpcell_move(axes, u32(blockIdx.x), at, 1);
    const u32 first = blockIdx.y * (blockDim.x * OF_ROW) + threadIdx.x, length = u32(axes.length[0]);
    const input a_value = from_bits(a_bits), b_value = from_bits(b_bits);
    input left[OF_ROW], right[OF_ROW];
#pragma unroll
    for (int k = 0; k < OF_ROW; k++) {
        const u32 here = first + k * blockDim.x;
        left[k] = a_value;
        right[k] = b_value;
        if (here >= length) continue;
        if (WARPCELL_ARITY > 0 && a) left[k] = a[at[0] + here * axes.stride[0][0]];
        if (WARPCELL_ARITY > 1 && b) right[k] = b[at[1] + here * axes.stride[1][0]];
    }
#pragma unroll
    for (int k = 0; k < OF_ROW; k++) {
        const u32 here = first + k * blockDim.x;
        if (here < length) out[at[2] + here * axes.stride[2][0]] = apply(left[k], right[k]);
    }
}

extern "C" __global__ void strided(const input* a, const input* b, output* out, i64 size, Bits a_bits, Bits b_bits,
                                   const __grid_constant__ warpcell_axes<3> axes) {
    by_strides<u32>(a, b, out, size, a_bits, b_bits, axes);
}

extern "C" __global__ void strided_wide(const input* a, const input* b, output* out, i64 size, Bits a_bits, Bits b_bits,
                                        const __grid_constant__ warpcell_axes<3> axes) {
    by_strides<u64>(a, b, out, size, a_bits, b_bits, axes);
}

#endif

#elif defined(WARPCELL_TRANSPOSED)

// A copy whose neighbours in a line are `step` apart in the original, where its lines are neighbours; `out_step` is from line to line.
// Tiles turn in shared memory, so that both are accessed line by line. Each pitch of a tile is odd, which spreads columns over the banks.
#define THREADS 256
#define TILE 32

// Of any lengths, steps and addresses.
extern "C" __global__ void __launch_bounds__(THREADS)
transposed(const input* a, input* out, i64 columns, i64 rows, i64 step, i64 out_step) {
    __shared__ input tile[TILE][TILE + 1];
    const i64 across = (columns + TILE - 1) / TILE;
    const i64 column = i64(blockIdx.x) % across * TILE, row = i64(blockIdx.x) / across * TILE;
    const int lane = threadIdx.x % TILE, first = threadIdx.x / TILE;
#pragma unroll
    for (int line = first; line < TILE; line += THREADS / TILE) {
        if (column + line < columns && row + lane < rows) tile[line][lane] = a[(column + line) * step + row + lane];
    }
    __syncthreads();
#pragma unroll
    for (int line = first; line < TILE; line += THREADS / TILE) {
        if (row + line < rows && column + lane < columns) out[(row + line) * out_step + column + lane] = tile[lane][line];
    }
}

// In packs of 8 bytes, or of two elements of 8 or four of 1, of which all addresses, lengths and steps are multiples: a thread turns as
// many neighbours of as many lines in registers.
constexpr int PACK = sizeof(input) == 16 ? 1 : sizeof(input) >= 4 ? 2 : 4;
struct alignas(PACK * sizeof(input)) Pack {
    input at[PACK];
};

extern "C" __global__ void __launch_bounds__(THREADS, 4)
transposed_packs(const input* a, input* out, i64 columns, i64 rows, i64 step, i64 out_step) {
    constexpr int LINES = TILE * PACK, TURNS = TILE * TILE / THREADS;
    __shared__ Pack tile[LINES][TILE + 1];
    // Blocks side by side write to the same lines.
    const i64 across = (columns + LINES - 1) / LINES;
    const i64 column = i64(blockIdx.x) % across * LINES, row = i64(blockIdx.x) / across * LINES;
    const int lane = threadIdx.x % TILE, first = threadIdx.x / TILE;
    Pack loaded[TURNS][PACK];
#pragma unroll
    for (int turn = 0; turn < TURNS; turn++) {
#pragma unroll
        for (int k = 0; k < PACK; k++) {
            const i64 line = column + (first + turn * (THREADS / TILE)) * PACK + k;
            if (line < columns && row + lane * PACK < rows) loaded[turn][k] = *(const Pack*)(a + line * step + row + lane * PACK);
        }
    }
#pragma unroll
    for (int turn = 0; turn < TURNS; turn++) {
#pragma unroll
        for (int k = 0; k < PACK; k++) {
            Pack turned;
#pragma unroll
            for (int other = 0; other < PACK; other++) turned.at[other] = loaded[turn][other].at[k];
            tile[lane * PACK + k][first + turn * (THREADS / TILE)] = turned;
        }
    }
    __syncthreads();
#pragma unroll
    for (int turn = 0; turn < TURNS * PACK; turn++) {
        const int line = first + turn * (THREADS / TILE);
        if (row + line < rows && column + lane * PACK < columns) {
            *(Pack*)(out + (row + line) * out_step + column + lane * PACK) = tile[line][lane];
        }
    }
}

#else

// arange: `input` is the type computed in: double for floats, else u64. The product and the sum of doubles are
// rounded apart, as on the host; contracted to one rounding they would differ from it.
__device__ __forceinline__ double step_from(double start, double step, i64 i) { return __dadd_rn(start, __dmul_rn(double(i), step)); }
__device__ __forceinline__ u64 step_from(u64 start, u64 step, i64 i) { return start + u64(i) * step; }

extern "C" __global__ void arange(output* out, i64 size, i64 stride, input start, input step) {
    i64 i = i64(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < size) out[i * stride] = output(step_from(start, step, i));
}

#endif
