// Sorting rows of a contiguous array, or finding the positions that their elements have in ascending order.
//
//   WARPCELL_ELEMENT    the element type
//   WARPCELL_POSITIONS  if defined, the program for positions, else the one for elements
//   WARPCELL_ITEMS      in sort_sweep.cu, how many keys a thread has
//
// Elements are sorted as keys: unsigned integers in the order of the elements, NaN last. -0.0 comes before 0.0, but for
// positions both are equal.
//
// The kernels are in sort.cu and in sort_sweep.cu.

#define DEVICE __device__ __forceinline__

#ifdef WARPCELL_POSITIONS
constexpr bool POSITIONS = true;
#else
constexpr bool POSITIONS = false;
#endif

// The key of an element's bits, and the bits of a key.
template <typename W> struct Unsigned {
    typedef W word;
    static DEVICE W key(W bits) { return bits; }
    static DEVICE W bits(W key) { return key; }
};
template <typename W> struct Signed {
    typedef W word;
    static constexpr W SIGN = W(1) << (sizeof(W) * 8 - 1);
    static DEVICE W key(W bits) { return bits ^ SIGN; }
    static DEVICE W bits(W key) { return key ^ SIGN; }
};
template <typename W> struct Real {
    typedef W word;
    static constexpr W SIGN = W(1) << (sizeof(W) * 8 - 1);
    static constexpr W INFINITE = sizeof(W) == 4 ? W(0x7f800000u) : W(0x7ff0000000000000ull);
    static DEVICE W key(W bits) {
        if (POSITIONS && bits == SIGN) bits = 0;
        W key = (bits & SIGN) ? W(~bits) : W(bits | SIGN);
        return (bits & W(~SIGN)) > INFINITE ? W(~W(0)) : key;
    }
    static DEVICE W bits(W key) { return (key & SIGN) ? W(key & W(~SIGN)) : W(~key); }
};
struct Truth {
    typedef u8 word;
    static DEVICE u8 key(u8 bits) { return bits != 0; }
    static DEVICE u8 bits(u8 key) { return key; }
};

// The order of integers, by size and sign; and of the other types.
template <int size> struct unsigned_of;
template <> struct unsigned_of<1> { typedef u8 type; };
template <> struct unsigned_of<2> { typedef u16 type; };
template <> struct unsigned_of<4> { typedef u32 type; };
template <> struct unsigned_of<8> { typedef u64 type; };
template <typename W, bool has_sign> struct integers { typedef Unsigned<W> type; };
template <typename W> struct integers<W, true> { typedef Signed<W> type; };
template <typename T> struct order_of { typedef typename integers<typename unsigned_of<sizeof(T)>::type, (T(-1) < T(0))>::type type; };
template <> struct order_of<bool> { typedef Truth type; };
template <> struct order_of<float> { typedef Real<u32> type; };
template <> struct order_of<double> { typedef Real<u64> type; };
typedef order_of<WARPCELL_ELEMENT>::type Order;
typedef Order::word word;

constexpr u32 DIGITS = 256;
constexpr u32 ALL = 0xffffffffu;

// The digit of a key at a multiple of eight bits.
DEVICE u32 digit_of(word key, int shift) {
    if (sizeof(word) == 4) return __byte_perm(u32(key), 0, 0x4440 | shift / 8);
    return u32(key >> shift) % DIGITS;
}

// Which digits have bits that differ among keys, a bit each.
DEVICE u32 differing_digits(word varying) {
    const auto of_half = [](u32 bits) {
        // The highest bit of each byte that is not 0; then these bits side by side.
        const u32 set = (((bits & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bits) >> 7 & 0x01010101u;
        return set * 0x10204080u >> 28;
    };
    return of_half(u32(varying)) | (sizeof(word) == 8 ? of_half(u32(u64(varying) >> 32)) << 4 : 0);
}

// How many digits above one at a shift have bits that differ among the keys of a row.
DEVICE u32 passes_after(word varying, int shift) { return __popc(differing_digits(varying) >> shift / 8 >> 1); }

// All bits of the values of a warp's lanes.
DEVICE u64 bits_of_warp(u64 bits) {
#pragma unroll
    for (u32 distance = 16; distance > 0; distance /= 2) bits |= __shfl_xor_sync(ALL, bits, distance);
    return bits;
}

// The sum of the values of the threads before this one, among the first DIGITS threads; all threads call it.
template <typename N> DEVICE N sum_before(N value, N* of_warps) {
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    N sum = value;
#pragma unroll
    for (u32 distance = 1; distance < 32; distance *= 2) {
        const N other = __shfl_up_sync(ALL, sum, distance);
        if (lane >= distance) sum += other;
    }
    if (lane == 31) of_warps[warp] = sum;
    __syncthreads();
    N before = 0;
#pragma unroll
    for (u32 other = 0; other < DIGITS / 32; other++) {
        if (other < warp) before += of_warps[other];
    }
    __syncthreads();
    return before + sum - value;
}
