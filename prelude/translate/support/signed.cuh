// Functions of signed integers, with the names of integers.cuh.

// The product as it wraps, and whether it had to.
__device__ __forceinline__ INT INT_product(INT a, INT b, bool &overflow) {
    const INT product = INT_mul(a, b);
    overflow = sizeof(INT) == 8 ? __mul64hi(a, b) != i64(product) >> 63 : i64(a) * i64(b) != i64(product);
    return product;
}

// PTX has an `abs`, and ptxas takes what it gives for positive, though it is negative for the least number. So the compiler must
// not see that this is one: for all it knows, `sign` is any number.
__device__ __forceinline__ INT INT_abs(INT a) {
    u32 sign = a < 0 ? 0xffffffffu : 0u;
    asm("" : "+r"(sign));
    const UNS mask = UNS(i64(i32(sign)));
    return INT((UNS(a) ^ mask) - mask);
}

__device__ __forceinline__ INT INT_wrapping_abs(INT a) { return INT_abs(a); }

__device__ __forceinline__ INT INT_saturating_abs(INT a) { return a == LEAST ? GREATEST : INT_abs(a); }

__device__ __forceinline__ INT INT_saturating_neg(INT a) { return a == LEAST ? GREATEST : INT_neg(a); }

__device__ __forceinline__ UNS INT_unsigned_abs(INT a) { return UNS(INT_abs(a)); }

__device__ __forceinline__ UNS INT_cast_unsigned(INT a) { return UNS(a); }

__device__ __forceinline__ INT INT_signum(INT a) { return INT((a > 0) - (a < 0)); }

__device__ __forceinline__ bool INT_is_positive(INT a) { return a > 0; }

__device__ __forceinline__ bool INT_is_negative(INT a) { return a < 0; }

// Whether a sum, as it wrapped, has a sign that neither number has; likewise a difference.
__device__ __forceinline__ bool INT_sum_is_over(INT a, INT b, INT sum) { return ((a ^ sum) & (b ^ sum)) < 0; }

__device__ __forceinline__ bool INT_difference_is_over(INT a, INT b, INT difference) {
    return ((a ^ b) & (a ^ difference)) < 0;
}

__device__ __forceinline__ INT INT_saturating_add(INT a, INT b) {
    const INT sum = INT_add(a, b);
    return INT_sum_is_over(a, b, sum) ? (a < 0 ? LEAST : GREATEST) : sum;
}

__device__ __forceinline__ INT INT_saturating_sub(INT a, INT b) {
    const INT difference = INT_sub(a, b);
    return INT_difference_is_over(a, b, difference) ? (a < 0 ? LEAST : GREATEST) : difference;
}

__device__ __forceinline__ INT INT_saturating_mul(INT a, INT b) {
    bool overflow;
    const INT product = INT_product(a, b, overflow);
    return overflow ? ((a < 0) == (b < 0) ? GREATEST : LEAST) : product;
}

__device__ __forceinline__ INT INT_saturating_pow(INT base, u32 exponent) {
    bool overflow;
    const INT power = INT_power(base, exponent, overflow);
    return overflow ? (base < 0 && (exponent & 1u) ? LEAST : GREATEST) : power;
}

__device__ __forceinline__ INT INT_saturating_div(INT a, INT b, u32 function, u32 line) {
    return a == LEAST && b == -1 ? GREATEST : INT_wrapping_div(a, b, function, line);
}

__device__ __forceinline__ INT INT_wrapping_div(INT a, INT b, u32 function, u32 line) {
    if (b == 0) warpcell_fail(1, function, line, i64(a), 0);
    return b == -1 ? INT_neg(a) : INT(a / b);
}

__device__ __forceinline__ INT INT_wrapping_rem(INT a, INT b, u32 function, u32 line) {
    if (b == 0) warpcell_fail(2, function, line, i64(a), 0);
    return b == -1 ? INT(0) : INT(a % b);
}

// The quotient for which the remainder is not negative.
__device__ __forceinline__ INT INT_wrapping_div_euclid(INT a, INT b, u32 function, u32 line) {
    const INT quotient = INT_wrapping_div(a, b, function, line);
    return INT_sub(a, INT_mul(quotient, b)) >= 0 ? quotient : b > 0 ? INT_sub(quotient, 1) : INT_add(quotient, 1);
}

__device__ __forceinline__ INT INT_wrapping_rem_euclid(INT a, INT b, u32 function, u32 line) {
    const INT remainder = INT_wrapping_rem(a, b, function, line);
    return remainder >= 0 ? remainder : b < 0 ? INT_sub(remainder, b) : INT_add(remainder, b);
}

__device__ __forceinline__ INT INT_div_euclid(INT a, INT b, u32 function, u32 line) {
    const INT quotient = INT_div(a, b, function, line);
    return INT_sub(a, INT_mul(quotient, b)) >= 0 ? quotient : b > 0 ? INT_sub(quotient, 1) : INT_add(quotient, 1);
}

__device__ __forceinline__ INT INT_rem_euclid(INT a, INT b, u32 function, u32 line) {
    const INT remainder = INT_rem(a, b, function, line);
    return remainder >= 0 ? remainder : b < 0 ? INT_sub(remainder, b) : INT_add(remainder, b);
}

// Half the sum, towards zero.
__device__ __forceinline__ INT INT_midpoint(INT a, INT b) {
    const INT below = INT_add(INT((a ^ b) >> 1), INT(a & b));
    return INT(below + (below < 0 && ((a ^ b) & 1)));
}

__device__ __forceinline__ INT INT_wrapping_add_unsigned(INT a, UNS b) { return INT_add(a, INT(b)); }

__device__ __forceinline__ INT INT_wrapping_sub_unsigned(INT a, UNS b) { return INT_sub(a, INT(b)); }

__device__ __forceinline__ INT INT_saturating_add_unsigned(INT a, UNS b) {
    const INT sum = INT_add(a, INT(b));
    return sum < a ? GREATEST : sum;
}

__device__ __forceinline__ INT INT_saturating_sub_unsigned(INT a, UNS b) {
    const INT difference = INT_sub(a, INT(b));
    return difference > a ? LEAST : difference;
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_add_unsigned(INT a, UNS b) {
    const INT sum = INT_add(a, INT(b));
    return Tuple{sum, sum < a};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_sub_unsigned(INT a, UNS b) {
    const INT difference = INT_sub(a, INT(b));
    return Tuple{difference, difference > a};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_add(INT a, INT b) {
    const INT sum = INT_add(a, b);
    return Tuple{sum, INT_sum_is_over(a, b, sum)};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_sub(INT a, INT b) {
    const INT difference = INT_sub(a, b);
    return Tuple{difference, INT_difference_is_over(a, b, difference)};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_neg(INT a) {
    return Tuple{INT_neg(a), a == LEAST};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_abs(INT a) {
    return Tuple{INT_abs(a), a == LEAST};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_div(INT a, INT b, u32 function, u32 line) {
    return Tuple{INT_wrapping_div(a, b, function, line), a == LEAST && b == -1};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_rem(INT a, INT b, u32 function, u32 line) {
    return Tuple{INT_wrapping_rem(a, b, function, line), a == LEAST && b == -1};
}

template <typename Tuple>
__device__ __forceinline__ Tuple INT_overflowing_div_euclid(INT a, INT b, u32 function, u32 line) {
    return Tuple{INT_wrapping_div_euclid(a, b, function, line), a == LEAST && b == -1};
}

template <typename Tuple>
__device__ __forceinline__ Tuple INT_overflowing_rem_euclid(INT a, INT b, u32 function, u32 line) {
    return Tuple{INT_wrapping_rem_euclid(a, b, function, line), a == LEAST && b == -1};
}

// What has left the number altogether is its sign.
__device__ __forceinline__ INT INT_unbounded_shr(INT a, u32 count) { return INT_shr(a, count < BITS ? count : BITS - 1); }

__device__ __forceinline__ INT INT_isqrt(INT a, u32 function, u32 line) {
    if (a < 0) panicked(function, line);
    return INT(UNS_isqrt(UNS(a)));
}
