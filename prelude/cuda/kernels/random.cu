// Random numbers: blocks of Philox4x32-10 (Salmon and others, 2011), four 32-bit words each, and what is made of them.
//
//   WARPCELL_ELEMENT        the element type
//   WARPCELL_DISTRIBUTION   uniform, normal, exponential or integers
//
// Compiled with --fmad=false: all arithmetic is of operations that IEEE 754 defines to the last bit, in the order in which
// the CPU backend does it, so both give the same bits. The formulas are explained there.
//
// What an element gets depends on its index alone, not on the grid. A thread makes BLOCKS blocks, THREADS apart, so that
// neighbouring threads store 16 neighbouring bytes each (integers of fewer than 8 bytes: less).

typedef WARPCELL_ELEMENT element;

#define THREADS 256

// Whether the elements are floats.
template <typename T> struct is_real { enum { value = false }; };
template <> struct is_real<float> { enum { value = true }; };
template <> struct is_real<double> { enum { value = true }; };
constexpr bool REAL = is_real<element>::value;
// More of them take longer to compile, and save little.
constexpr int BLOCKS = REAL ? 4 : 2;

struct Block {
    u32 x[4];
    __device__ __forceinline__ u64 word(int i) const { return x[2 * i] | u64(x[2 * i + 1]) << 32; }
};

// The keys of the rounds, which the host has made: arguments are operands of instructions, while each addition would be one. But kernels of
// integers, in which blocks are made in two places, are the faster for additions.
#define ROUNDS 10
struct Keys {
    u32 of[ROUNDS][2];
};

// A stream, and the place of the first block in it; `stream` has 56 bits, above them is the blocks' purpose.
struct Place {
    const Keys& keys;
    u64 stream, first;
    __device__ __forceinline__ Block block(i64 index, u32 purpose) const {
        const u64 at = first + u64(index);
        Block b = {{u32(at), u32(at >> 32), u32(stream), u32(stream >> 32) | purpose << 24}};
#pragma unroll
        for (int round = 0; round < ROUNDS; round++) {
            const u64 left = u64(0xD2511F53u) * b.x[0], right = u64(0xCD9E8D57u) * b.x[2];
            const u32 k0 = REAL ? keys.of[round][0] : keys.of[0][0] + round * 0x9E3779B9u;
            const u32 k1 = REAL ? keys.of[round][1] : keys.of[0][1] + round * 0xBB67AE85u;
            b = {{u32(right >> 32) ^ b.x[1] ^ k0, u32(right), u32(left >> 32) ^ b.x[3] ^ k1, u32(left)}};
        }
        return b;
    }
};

// -ln(u) of u = 1 - k * 2^-52, k the upper bits of the word.
__device__ __forceinline__ double minus_log(u64 word) {
    const u64 SHIFT = 64ull << 52;
    const double u = 2.0 - __longlong_as_double(i64(0x3ffull << 52 | word >> 12));
    const u64 bits = u64(__double_as_longlong(u)) + SHIFT;
    const u64 power = (bits - 0x3fe6a09e667f3bcdull) >> 52;
    const double f = __longlong_as_double(i64(bits - (power << 52))) - 1.0;
    const double exponent = double(int(power) - 64);
    const double s = f / (2.0 + f);
    const double z = s * s;
    const double series = 0.666666666666667 + z * (0.39999999999898445 + z * (0.28571428626399387 + z * (0.222222110728223 +
        z * (0.18182893219785845 + z * (0.15331596932448704 + z * 0.14617872952506913)))));
    const double upper = exponent * 0.6931471805598903;
    const double lower = exponent * 5.497923018708371e-14 + (2.0 * s + (s * z) * series);
    return 0.0 - (upper + lower);
}

// -ln(u) of u = (word + 1) * 2^-32.
__device__ __forceinline__ float minus_log(u32 word) {
    const float TO_UNIT = 2.3283064365386963e-10f;
    const u32 distance = ~word;
    const bool is_near = distance < 1257966796u;
    const u32 bits = __float_as_uint(float(word + 1u) * TO_UNIT) + (64u << 23);
    const u32 power = (bits - 0x3f3504f3u) >> 23;
    const float far = __uint_as_float(bits - (power << 23)) - 1.0f;
    const float f = is_near ? float(distance) * -TO_UNIT : far;
    const float exponent = is_near ? 0.0f : float(int(power) - 64);
    const float s = f / (2.0f + f);
    const float z = s * s;
    const float series = 0.66666687f + z * (0.39988717f + z * 0.29582152f);
    const float upper = exponent * 0.69314575f;
    const float lower = exponent * 1.4286068e-06f + (2.0f * s + (s * z) * series);
    return 0.0f - (upper + lower);
}

// Cosine (x) and sine (y) of the angle word * 2^-64 turns.
__device__ __forceinline__ void circle(u64 word, double& x, double& y) {
    const u64 turned = word + (1ull << 61);
    const u32 quadrant = u32(turned >> 62);
    const double offset = double(i64((turned & ((1ull << 62) - 1)) >> 10) - (1ll << 51));
    const double a = offset * 3.487868498008632e-16;
    const double z = a * a;
    const double sine_series = -0.16666666666666666 + z * (0.00833333333333095 + z * (-0.00019841269836759208 +
        z * (2.755731610272336e-06 + z * (-2.5051131855020103e-08 + z * 1.5918128540749538e-10))));
    const double cosine_series = 0.041666666666666664 + z * (-0.0013888888888887398 + z * (2.4801587298765916e-05 +
        z * (-2.755731727175974e-07 + z * (2.0876146260409636e-09 + z * -1.1382631029181099e-11))));
    const double sine = a + (a * z) * sine_series;
    const double cosine = 1.0 - (0.5 * z - (z * z) * cosine_series);
    x = quadrant & 1 ? sine : cosine;
    y = quadrant & 1 ? cosine : sine;
    if ((quadrant + 1) & 2) x = -x;
    if (quadrant & 2) y = -y;
}

// The same of word * 2^-32 turns.
__device__ __forceinline__ void circle(u32 word, float& x, float& y) {
    const u32 turned = word + (1u << 29);
    const u32 quadrant = turned >> 30;
    const float offset = float(int(turned & ((1u << 30) - 1)) - (1 << 29));
    const float a = offset * 1.4629181e-09f;
    const float z = a * a;
    const float sine_series = -0.16666664f + z * (0.008332749f + z * -0.00019587984f);
    const float cosine_series = 0.041666664f + z * (-0.0013888304f + z * 2.4548015e-05f);
    const float sine = a + (a * z) * sine_series;
    const float cosine = 1.0f - (0.5f * z - (z * z) * cosine_series);
    x = quadrant & 1 ? sine : cosine;
    y = quadrant & 1 ? cosine : sine;
    if ((quadrant + 1) & 2) x = -x;
    if (quadrant & 2) y = -y;
}

__device__ __forceinline__ float root(float x) { return sqrtf(x); }
__device__ __forceinline__ double root(double x) { return sqrt(x); }

// Whether the elements are f32, of which a block makes four; of all others it makes two.
template <typename T> struct is_float { enum { value = false }; };
template <> struct is_float<float> { enum { value = true }; };
constexpr int EACH = is_float<element>::value ? 4 : 2;

struct alignas(EACH * sizeof(element)) Elements {
    element at[EACH];
};

// What the distribution is given; each kernel reads what is its own.
struct Given {
    element a, b, c;
    u64 count;

    // From [0, 1) to the range. `count` tells what is left out where it would change nothing: the kernel is as fast as
    // memory only with few operations an element.
    __device__ __forceinline__ element in_range(element unit) const {
        element value = unit;
        if (count & 1) value = a + b * value;
        if (count & 2) value = value < c ? value : c;
        return value;
    }
};

template <typename T> struct made;

template <> struct made<float> {
    static __device__ __forceinline__ float uniform(const Block& b, int i, const Given& given) {
        return given.in_range(float(int(b.x[i] >> 8)) * 5.9604644775390625e-08f);
    }
    static __device__ __forceinline__ float logarithm(const Block& b, int i) { return minus_log(b.x[i]); }
    static __device__ __forceinline__ void angle(const Block& b, int i, float& x, float& y) { circle(b.x[i], x, y); }
};

template <> struct made<double> {
    static __device__ __forceinline__ double uniform(const Block& b, int i, const Given& given) {
        return given.in_range(double(i64(b.word(i) >> 11)) * 1.1102230246251565e-16);
    }
    static __device__ __forceinline__ double logarithm(const Block& b, int i) { return minus_log(b.word(i)); }
    static __device__ __forceinline__ void angle(const Block& b, int i, double& x, double& y) { circle(b.word(i), x, y); }
};

// The distributions are templates, so that those which an element type does not have are not compiled for it.
template <typename T> __device__ __forceinline__ Elements uniform(const Place&, i64, const Block& block, const Given& given) {
    Elements out;
#pragma unroll
    for (int i = 0; i < EACH; i++) out.at[i] = made<T>::uniform(block, i, given);
    return out;
}

template <typename T> __device__ __forceinline__ Elements normal(const Place&, i64, const Block& block, const Given& given) {
    Elements out;
#pragma unroll
    for (int i = 0; i < EACH; i += 2) {
        const T radius = root(T(2) * made<T>::logarithm(block, i));
        T x, y;
        made<T>::angle(block, i + 1, x, y);
        out.at[i] = given.a + given.b * (radius * x);
        out.at[i + 1] = given.a + given.b * (radius * y);
    }
    return out;
}

template <typename T> __device__ __forceinline__ Elements exponential(const Place&, i64, const Block& block, const Given& given) {
    Elements out;
#pragma unroll
    for (int i = 0; i < EACH; i++) out.at[i] = given.a * made<T>::logarithm(block, i);
    return out;
}

// A number below `count` (0: 2^64), all equally likely: words that would favour some are replaced.
template <typename T> __device__ __forceinline__ Elements integers(const Place& place, i64 index, const Block& block, const Given& given) {
    Elements out;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        u64 word = block.word(i), number = word;
        if (given.count != 0) {
            number = __umul64hi(word, given.count);
            if (word * given.count < given.count) {
                const u64 uneven = (0 - given.count) % given.count;
#pragma unroll 1
                for (u32 purpose = 1; word * given.count < uneven && purpose <= 250; purpose++) {
                    word = place.block(index, purpose).word(i);
                }
                number = __umul64hi(word, given.count);
            }
        }
        out.at[i] = T(u64(given.a) + number);
    }
    return out;
}

// An element's value, from the low bytes of a word.
__device__ __forceinline__ element from_bits(u64 bits) { return *(const element*)&bits; }

extern "C" __global__ void __launch_bounds__(THREADS)
random_numbers(element* out, i64 size, const __grid_constant__ Keys keys, u64 stream, u64 first, u64 a, u64 b, u64 c, u64 count) {
    const Place place = {keys, stream, first};
    const Given given = {from_bits(a), from_bits(b), from_bits(c), count};
    const bool is_aligned = u64(out) % alignof(Elements) == 0;
    const i64 start = i64(blockIdx.x) * (THREADS * BLOCKS) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < BLOCKS; i++) {
        const i64 index = start + i * THREADS;
        const i64 at = index * EACH;
        if (at >= size) return;
        const Elements numbers = WARPCELL_DISTRIBUTION<element>(place, index, place.block(index, 0), given);
        if (is_aligned && at + EACH <= size) {
            *(Elements*)(out + at) = numbers;
        } else {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                if (at + j < size) out[at + j] = numbers.at[j];
            }
        }
    }
}
