// Functions of all integers. INT is the type, UNS the unsigned and SIG the signed one of its size, WORD the unsigned type in
// which it is computed (C promotes what is shorter than an int), BITS its size, LEAST and GREATEST its limits.

__device__ __forceinline__ INT INT_add(INT a, INT b) { return INT(WORD(a) + WORD(b)); }

__device__ __forceinline__ INT INT_sub(INT a, INT b) { return INT(WORD(a) - WORD(b)); }

__device__ __forceinline__ INT INT_mul(INT a, INT b) { return INT(WORD(a) * WORD(b)); }

__device__ __forceinline__ INT INT_neg(INT a) { return INT(WORD(0) - WORD(a)); }

__device__ __forceinline__ INT INT_not(INT a) { return INT(~a); }

__device__ __forceinline__ INT INT_shl(INT a, u32 count) { return INT(WORD(a) << (count & (BITS - 1))); }

__device__ __forceinline__ INT INT_shr(INT a, u32 count) { return INT(a >> (count & (BITS - 1))); }

// The least number by -1 wraps, as it does in hardware.
__device__ __forceinline__ INT INT_div(INT a, INT b, u32 function, u32 line) {
    if (b == 0) warpcell_fail(1, function, line, i64(a), 0);
    return INT(a / b);
}

__device__ __forceinline__ INT INT_rem(INT a, INT b, u32 function, u32 line) {
    if (b == 0) warpcell_fail(2, function, line, i64(a), 0);
    return INT(a % b);
}

__device__ __forceinline__ INT INT_wrapping_add(INT a, INT b) { return INT_add(a, b); }

__device__ __forceinline__ INT INT_wrapping_sub(INT a, INT b) { return INT_sub(a, b); }

__device__ __forceinline__ INT INT_wrapping_mul(INT a, INT b) { return INT_mul(a, b); }

__device__ __forceinline__ INT INT_wrapping_neg(INT a) { return INT_neg(a); }

__device__ __forceinline__ INT INT_wrapping_shl(INT a, u32 count) { return INT_shl(a, count); }

__device__ __forceinline__ INT INT_wrapping_shr(INT a, u32 count) { return INT_shr(a, count); }

__device__ __forceinline__ INT INT_unbounded_shl(INT a, u32 count) { return count < BITS ? INT_shl(a, count) : INT(0); }

__device__ __forceinline__ INT INT_pow(INT base, u32 exponent) {
    INT result = 1;
    for (;;) {
        if (exponent & 1u) result = INT_mul(result, base);
        exponent >>= 1;
        if (exponent == 0u) return result;
        base = INT_mul(base, base);
    }
}

__device__ __forceinline__ INT INT_wrapping_pow(INT base, u32 exponent) { return INT_pow(base, exponent); }

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_shl(INT a, u32 count) {
    return Tuple{INT_shl(a, count), count >= BITS};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_shr(INT a, u32 count) {
    return Tuple{INT_shr(a, count), count >= BITS};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_mul(INT a, INT b) {
    bool overflow;
    const INT product = INT_product(a, b, overflow);
    return Tuple{product, overflow};
}

template <typename Tuple> __device__ __forceinline__ Tuple INT_overflowing_pow(INT base, u32 exponent) {
    bool overflow;
    const INT power = INT_power(base, exponent, overflow);
    return Tuple{power, overflow};
}

__device__ __forceinline__ INT INT_power(INT base, u32 exponent, bool &overflow) {
    INT result = 1;
    overflow = false;
    for (;;) {
        bool over = false;
        if (exponent & 1u) result = INT_product(result, base, over);
        overflow = overflow || over;
        exponent >>= 1;
        if (exponent == 0u) return result;
        base = INT_product(base, base, over);
        overflow = overflow || over;
    }
}

__device__ __forceinline__ u32 INT_count_ones(INT a) { return sizeof(INT) == 8 ? __popcll(UNS(a)) : __popc(UNS(a)); }

__device__ __forceinline__ u32 INT_count_zeros(INT a) { return BITS - INT_count_ones(a); }

__device__ __forceinline__ u32 INT_leading_zeros(INT a) {
    return sizeof(INT) == 8 ? __clzll(a) : __clz(UNS(a)) - (BITS < 32 ? 32 - BITS : 0);
}

__device__ __forceinline__ u32 INT_leading_ones(INT a) { return INT_leading_zeros(INT(~a)); }

__device__ __forceinline__ u32 INT_trailing_zeros(INT a) {
    const u32 zeros = sizeof(INT) == 8 ? __clzll(__brevll(UNS(a))) : __clz(__brev(UNS(a)));
    return zeros < BITS ? zeros : BITS;
}

__device__ __forceinline__ u32 INT_trailing_ones(INT a) { return INT_trailing_zeros(INT(~a)); }

__device__ __forceinline__ INT INT_rotate_left(INT a, u32 count) {
    return INT((WORD(UNS(a)) << (count & (BITS - 1))) | (WORD(UNS(a)) >> ((BITS - count) & (BITS - 1))));
}

__device__ __forceinline__ INT INT_rotate_right(INT a, u32 count) {
    return INT((WORD(UNS(a)) >> (count & (BITS - 1))) | (WORD(UNS(a)) << ((BITS - count) & (BITS - 1))));
}

__device__ __forceinline__ INT INT_swap_bytes(INT a) {
    const u64 wide = UNS(a);
    if (sizeof(INT) == 1) return a;
    if (sizeof(INT) == 2) return INT(__byte_perm(u32(wide), 0, 0x4401));
    if (sizeof(INT) == 4) return INT(__byte_perm(u32(wide), 0, 0x0123));
    return INT(u64(__byte_perm(u32(wide), 0, 0x0123)) << 32 | __byte_perm(u32(wide >> 32), 0, 0x0123));
}

__device__ __forceinline__ INT INT_reverse_bits(INT a) {
    return INT(sizeof(INT) == 8 ? __brevll(UNS(a)) : __brev(UNS(a)) >> (BITS < 32 ? 32 - BITS : 0));
}

__device__ __forceinline__ INT INT_to_be(INT a) { return INT_swap_bytes(a); }

__device__ __forceinline__ INT INT_to_le(INT a) { return a; }

__device__ __forceinline__ INT INT_from_be(INT a) { return INT_swap_bytes(a); }

__device__ __forceinline__ INT INT_from_le(INT a) { return a; }

__device__ __forceinline__ INT INT_min(INT a, INT b) { return b < a ? b : a; }

__device__ __forceinline__ INT INT_max(INT a, INT b) { return b < a ? a : b; }

__device__ __forceinline__ INT INT_clamp(INT a, INT least, INT greatest, u32 function, u32 line) {
    if (least > greatest) panicked(function, line);
    return a < least ? least : a > greatest ? greatest : a;
}

__device__ __forceinline__ UNS INT_abs_diff(INT a, INT b) { return UNS(a < b ? WORD(b) - WORD(a) : WORD(a) - WORD(b)); }

__device__ __forceinline__ u32 INT_ilog2(INT a, u32 function, u32 line) {
    if (a <= INT(0)) panicked(function, line);
    return BITS - 1 - INT_leading_zeros(a);
}

__device__ __forceinline__ u32 INT_ilog10(INT a, u32 function, u32 line) { return INT_ilog(a, 10, function, line); }

__device__ __forceinline__ u32 INT_ilog(INT a, INT base, u32 function, u32 line) {
    if (a <= INT(0) || base < INT(2)) panicked(function, line);
    u32 result = 0;
    for (; a >= base; a = INT(a / base)) result += 1;
    return result;
}
