// Functions of unsigned integers, with the names of integers.cuh.

// The product as it wraps, and whether it had to.
__device__ __forceinline__ INT INT_product(INT a, INT b, bool &overflow) {
    const INT product = INT_mul(a, b);
    overflow = sizeof(INT) == 8 ? __umul64hi(a, b) != 0 : u64(a) * u64(b) != u64(product);
    return product;
}

__device__ __forceinline__ SIG INT_cast_signed(INT a) { return SIG(a); }

__device__ __forceinline__ INT INT_saturating_add(INT a, INT b) {
    const INT sum = INT_add(a, b);
    return sum < a ? GREATEST : sum;
}

__device__ __forceinline__ INT INT_saturating_sub(INT a, INT b) { return a < b ? INT(0) : INT_sub(a, b); }

__device__ __forceinline__ INT INT_saturating_mul(INT a, INT b) {
    bool overflow;
    const INT product = INT_product(a, b, overflow);
    return overflow ? GREATEST : product;
}

__device__ __forceinline__ INT INT_saturating_pow(INT base, u32 exponent) {
    bool overflow;
    const INT power = INT_power(base, exponent, overflow);
    return overflow ? GREATEST : power;
}

__device__ __forceinline__ INT INT_saturating_div(INT a, INT b, u32 function, u32 line) {
    return INT_div(a, b, function, line);
}

__device__ __forceinline__ INT INT_wrapping_div(INT a, INT b, u32 function, u32 line) {
    return INT_div(a, b, function, line);
}

__device__ __forceinline__ INT INT_wrapping_rem(INT a, INT b, u32 function, u32 line) {
    return INT_rem(a, b, function, line);
}

__device__ __forceinline__ INT INT_div_euclid(INT a, INT b, u32 function, u32 line) {
    return INT_div(a, b, function, line);
}

__device__ __forceinline__ INT INT_rem_euclid(INT a, INT b, u32 function, u32 line) {
    return INT_rem(a, b, function, line);
}

__device__ __forceinline__ INT INT_wrapping_div_euclid(INT a, INT b, u32 function, u32 line) {
    return INT_div(a, b, function, line);
}

__device__ __forceinline__ INT INT_wrapping_rem_euclid(INT a, INT b, u32 function, u32 line) {
    return INT_rem(a, b, function, line);
}

__device__ __forceinline__ INT INT_div_ceil(INT a, INT b, u32 function, u32 line) {
    const INT quotient = INT_div(a, b, function, line);
    return INT(quotient + (INT_mul(quotient, b) != a));
}

__device__ __forceinline__ INT INT_next_multiple_of(INT a, INT b, u32 function, u32 line) {
    const INT remainder = INT_rem(a, b, function, line);
    return remainder == 0 ? a : INT_add(a, INT_sub(b, remainder));
}

__device__ __forceinline__ bool INT_is_multiple_of(INT a, INT b) { return b == 0 ? a == 0 : a % b == 0; }

__device__ __forceinline__ bool INT_is_power_of_two(INT a) { return a != 0 && (a & INT_sub(a, 1)) == 0; }

__device__ __forceinline__ INT INT_next_power_of_two(INT a) {
    return a <= 1 ? INT(1) : INT_add(INT(GREATEST >> INT_leading_zeros(INT(a - 1))), 1);
}

// Half the sum, downwards.
__device__ __forceinline__ INT INT_midpoint(INT a, INT b) { return INT(((a ^ b) >> 1) + (a & b)); }

__device__ __forceinline__ INT INT_wrapping_add_signed(INT a, SIG b) { return INT_add(a, INT(b)); }

__device__ __forceinline__ INT INT_wrapping_sub_signed(INT a, SIG b) { return INT_sub(a, INT(b)); }

__device__ __forceinline__ INT INT_saturating_add_signed(INT a, SIG b) {
    const INT sum = INT_add(a, INT(b));
    return (b < 0) == (sum < a) || b == 0 ? sum : b < 0 ? INT(0) : GREATEST;
}

__device__ __forceinline__ INT INT_saturating_sub_signed(INT a, SIG b) {
    const INT difference = INT_sub(a, INT(b));
    return (b < 0) == (difference > a) || b == 0 ? difference : b < 0 ? GREATEST : INT(0);
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_add_signed(INT a, SIG b) {
    const INT sum = INT_add(a, INT(b));
    return Tuple{sum, (b < 0) != (sum < a) && b != 0};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_sub_signed(INT a, SIG b) {
    const INT difference = INT_sub(a, INT(b));
    return Tuple{difference, (b < 0) != (difference > a) && b != 0};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_add(INT a, INT b) {
    const INT sum = INT_add(a, b);
    return Tuple{sum, sum < a};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_sub(INT a, INT b) {
    return Tuple{INT_sub(a, b), a < b};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_neg(INT a) { return Tuple{INT_neg(a), a != 0}; }

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_div(INT a, INT b, u32 function, u32 line) {
    return Tuple{INT_div(a, b, function, line), false};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_rem(INT a, INT b, u32 function, u32 line) {
    return Tuple{INT_rem(a, b, function, line), false};
}

template <typename Tuple>
__device__ __forceinline__ Tuple INT_overflowing_div_euclid(INT a, INT b, u32 function, u32 line) {
    return Tuple{INT_div(a, b, function, line), false};
}

template <typename Tuple>
__device__ __forceinline__ Tuple INT_overflowing_rem_euclid(INT a, INT b, u32 function, u32 line) {
    return Tuple{INT_rem(a, b, function, line), false};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_carrying_add(INT a, INT b, bool carry) {
    const INT sum = INT_add(a, b), whole = INT_add(sum, INT(carry));
    return Tuple{whole, sum < a || whole < sum};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_borrowing_sub(INT a, INT b, bool borrow) {
    const INT difference = INT_sub(a, b), whole = INT_sub(difference, INT(borrow));
    return Tuple{whole, a < b || difference < INT(borrow)};
}

// The lower and the upper half of a product and a sum, of twice the size.
template <typename Tuple> __device__ __forceinline__ Tuple INT_carrying_mul(INT a, INT b, INT carry) {
    return INT_carrying_mul_add<Tuple>(a, b, carry, INT(0));
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_carrying_mul_add(INT a, INT b, INT carry, INT more) {
    if (sizeof(INT) == 8) {
        const u64 product = u64(a) * u64(b), sum = product + u64(carry), whole = sum + u64(more);
        return Tuple{INT(whole), INT(__umul64hi(a, b) + (sum < product) + (whole < sum))};
    }
    const u64 whole = u64(a) * u64(b) + u64(carry) + u64(more);
    return Tuple{INT(whole), INT(whole >> (BITS < 64 ? BITS : 0))};
}

__device__ __forceinline__ INT INT_unbounded_shr(INT a, u32 count) { return count < BITS ? INT_shr(a, count) : INT(0); }

// The root as floats give it may be one off, on either side.
__device__ __forceinline__ INT INT_isqrt(INT a) {
    const WORD square = a, greatest = (WORD(1) << (sizeof(WORD) * 4)) - 1;
    WORD root = sizeof(INT) == 8 ? WORD(sqrt(f64(square))) : WORD(sqrtf(f32(square)));
    if (root > greatest) root = greatest;
    if (root * root > square) root -= 1;
    if (square - root * root > 2 * root) root += 1;
    return INT(root);
}
