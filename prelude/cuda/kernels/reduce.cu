// Reductions: sum, product, sum of squares, max, min, their places, all, any, some of them of what is not NaN; of a whole
// contiguous array, or over some axes of an array of any strides. And the sum of the products of two vectors.
//
//   WARPCELL_INPUT, WARPCELL_OUTPUT   element types
//   WARPCELL_STORED                   if defined, the type that the elements have in memory: not wider than WARPCELL_INPUT, to which
//                                     they are converted
//   WARPCELL_REDUCTION                Sum, Product, SumSquares, Max, Min, ArgMax, ArgMin, All, Any or Dot; SumNumbers,
//                                     ProductNumbers, MaxNumbers, MinNumbers, CountNumbers
//   WARPCELL_CENTRED                  if defined, elements are reduced less the centre of their output
//   WARPCELL_SKIPS_NAN                if defined, then those that are NaN count as 0
//   WARPCELL_WHOLE                    if defined, the program for a whole contiguous array, else the one for axes
//   WARPCELL_DOT                      if defined, the program for two vectors, with Dot
//   WARPCELL_COMPLEX                  if defined, the elements are complex numbers, for which there is only Dot
//   WARPCELL_CONJUGATES               if defined, then those of the first vector are conjugated
//   WARPCELL_MAP                      if defined, no kernel: what a function gives for each element is reduced by a kernel around it
//
// Accuracy of sums: f32 is added in pairs of pairs and then in f64, so that even cards with few f64 units stay bound by
// memory; f64 is added with compensation (Knuth's TwoSum), which is better than pairwise summation. f32 is multiplied in f64.
// In sums of products, what is lost in rounding a product of f64 is added to the compensation.

#ifdef WARPCELL_COMPLEX
template <typename P> struct alignas(2 * sizeof(P)) complex {
    P re, im;
};
typedef complex<float> c64;
typedef complex<double> c128;
#endif
typedef WARPCELL_INPUT input;
typedef WARPCELL_OUTPUT output;

#define THREADS 256
#define DEVICE __device__ __forceinline__

constexpr int VECTOR = 16 / sizeof(input);
struct alignas(16) Pack {
    input at[VECTOR];
};

// Each reduction: a state of 16 bytes, its start, and how elements and other states enter it. An element, or the first of a
// pack, comes with its place among the reduced ones, which only `ArgMax` and `ArgMin` look at.

#ifndef WARPCELL_COMPLEX

template <typename T> struct Sum {
    u64 sum;
    u64 unused;
    DEVICE void start() { sum = 0; unused = 0; }
    DEVICE void add(T x, i64) { sum += u64(i64(x)); }
    DEVICE void add(const Pack& x, i64) {
#pragma unroll
        for (int i = 0; i < VECTOR; i++) add(x.at[i], 0);
    }
    DEVICE void merge(const Sum& other) { sum += other.sum; }
    DEVICE output finish() const { return output(sum); }
};
template <> struct Sum<float> {
    double sum;
    u64 unused;
    DEVICE void start() { sum = 0; unused = 0; }
    DEVICE void add(float x, i64) { sum += double(x); }
    DEVICE void add(const Pack& x, i64) {
        sum += double((float(x.at[0]) + float(x.at[1 % VECTOR])) + (float(x.at[2 % VECTOR]) + float(x.at[3 % VECTOR])));
    }
    DEVICE void merge(const Sum& other) { sum += other.sum; }
    DEVICE output finish() const { return output(sum); }
};
template <> struct Sum<double> {
    double sum, lost;
    DEVICE void start() { sum = 0; lost = 0; }
    DEVICE void add(double x, i64) {
        double next = sum + x;
        double of_x = next - sum;
        lost += (sum - (next - of_x)) + (x - of_x);
        sum = next;
    }
    DEVICE void add(const Pack& x, i64) {
#pragma unroll
        for (int i = 0; i < VECTOR; i++) add(double(x.at[i]), 0);
    }
    DEVICE void merge(const Sum& other) {
        add(other.sum, 0);
        lost += other.lost;
    }
    // After an overflow or a NaN, `lost` is NaN and says nothing.
    DEVICE output finish() const { return output(isfinite(sum) ? sum + lost : sum); }
};

// Floats are squared in f64, in which the square of an f32 is exact.
template <typename T> struct SumSquares {
    Sum<double> sum;
    DEVICE void start() { sum.start(); }
    // Rounded by itself: contracted into the sum, the compensation would miss it.
    DEVICE void add(T x, i64) { sum.add(__dmul_rn(double(x), double(x)), 0); }
    DEVICE void add(const Pack& x, i64) {
#pragma unroll
        for (int i = 0; i < VECTOR; i++) add(x.at[i], 0);
    }
    DEVICE void merge(const SumSquares& other) { sum.merge(other.sum); }
    DEVICE output finish() const { return output(isfinite(sum.sum) ? sum.sum + sum.lost : sum.sum); }
};

// What products are computed in: f64, or integers modulo 2^64.
template <typename T> struct factor { typedef u64 type; static DEVICE u64 of(T x) { return u64(i64(x)); } };
template <> struct factor<float> { typedef double type; static DEVICE double of(float x) { return x; } };
template <> struct factor<double> { typedef double type; static DEVICE double of(double x) { return x; } };

template <typename T> struct alignas(16) Product {
    typename factor<T>::type product;
    DEVICE void start() { product = 1; }
    DEVICE void add(T x, i64) { product *= factor<T>::of(x); }
    DEVICE void add(const Pack& x, i64) {
#pragma unroll
        for (int i = 0; i < VECTOR; i++) add(x.at[i], 0);
    }
    DEVICE void merge(const Product& other) { product *= other.product; }
    DEVICE output finish() const { return output(product); }
};

// The least and the greatest value of a type, here of an integer or a bool.
template <typename T> struct limits {
    static DEVICE T least() { return T(-1) < T(0) ? T(u64(1) << (8 * sizeof(T) - 1)) : T(0); }
    static DEVICE T most() { return T(~u64(least())); }
};
template <> struct limits<float> {
    static DEVICE float least() { return __int_as_float(0xff800000); }
    static DEVICE float most() { return __int_as_float(0x7f800000); }
};
template <> struct limits<double> {
    static DEVICE double least() { return __longlong_as_double(0xfff0000000000000ll); }
    static DEVICE double most() { return __longlong_as_double(0x7ff0000000000000ll); }
};

// Max and Min: NaN if there is one. `value != value` keeps a NaN that has been met.
#define EXTREME(name, first, before)                                                      \
    template <typename T> struct alignas(16) name {                                       \
        T value;                                                                          \
        DEVICE void start() { value = limits<T>::first(); }                                 \
        DEVICE void add(T x, i64) { value = value != value || value before x ? value : x; } \
        DEVICE void add(const Pack& x, i64) {                                             \
            _Pragma("unroll") for (int i = 0; i < VECTOR; i++) add(x.at[i], 0);           \
        }                                                                                 \
        DEVICE void merge(const name& other) { add(other.value, 0); }                     \
        DEVICE output finish() const { return output(value); }                            \
    };
EXTREME(Max, least, >)
EXTREME(Min, most, <)

// Where the extreme element is: the first NaN if there is one, the first of equals. At the start there is none, and its
// place is behind all others. An element equal to the start's value does not take it: if none does, all are equal, and the
// first of them is meant. Packs come with ascending places, so that of most a look at the values is enough.
#define PLACE(name, first, before, up_to)                                                 \
    template <typename T> struct alignas(16) name {                                       \
        T value;                                                                          \
        i64 place;                                                                        \
        DEVICE void start() {                                                             \
            value = limits<T>::first();                                                   \
            place = limits<i64>::most();                                                  \
        }                                                                                 \
        DEVICE void add(T x, i64 at) {                                                    \
            const bool is_nan = x != x, has_nan = value != value;                         \
            const bool is_equal = place != limits<i64>::most() && (is_nan ? has_nan : x == value); \
            const bool is_beyond = !has_nan && (is_nan || x before value);                \
            if (is_beyond || (is_equal && at < place)) {                                  \
                value = x;                                                                \
                place = at;                                                               \
            }                                                                             \
        }                                                                                 \
        DEVICE void add(const Pack& x, i64 at) {                                          \
            bool is_any_beyond = false;                                                   \
            _Pragma("unroll") for (int i = 0; i < VECTOR; i++) is_any_beyond |= !(x.at[i] up_to value); \
            if (!is_any_beyond) return;                                                   \
            _Pragma("unroll") for (int i = 0; i < VECTOR; i++) add(x.at[i], at + i);      \
        }                                                                                 \
        DEVICE void merge(const name& other) {                                            \
            if (other.place != limits<i64>::most()) add(other.value, other.place);        \
        }                                                                                 \
        DEVICE output finish() const { return output(place == limits<i64>::most() ? 0 : place); } \
    };
PLACE(ArgMax, least, >, <=)
PLACE(ArgMin, most, <, >=)

// Of what is not NaN: what is counts as the neutral element.
#define OF_NUMBERS(name, of, neutral)                                                     \
    template <typename T> struct name {                                                   \
        of<T> all;                                                                        \
        DEVICE void start() { all.start(); }                                              \
        DEVICE void add(T x, i64 at) { all.add(x == x ? x : T(neutral), at); }            \
        DEVICE void add(const Pack& x, i64 at) {                                          \
            Pack numbers;                                                                 \
            _Pragma("unroll") for (int i = 0; i < VECTOR; i++)                            \
                numbers.at[i] = x.at[i] == x.at[i] ? x.at[i] : input(neutral);            \
            all.add(numbers, at);                                                         \
        }                                                                                 \
        DEVICE void merge(const name& other) { all.merge(other.all); }                    \
        DEVICE output finish() const { return all.finish(); }                             \
    };
OF_NUMBERS(SumNumbers, Sum, 0)
OF_NUMBERS(ProductNumbers, Product, 1)

// The same of Max and Min, where NaN is the result of nothing else.
#define EXTREME_NUMBER(name, before)                                                      \
    template <typename T> struct alignas(16) name {                                       \
        T value;                                                                          \
        DEVICE void start() { value = limits<T>::most() - limits<T>::most(); }            \
        DEVICE void add(T x, i64) { value = value before x || x != x ? value : x; }       \
        DEVICE void add(const Pack& x, i64) {                                             \
            _Pragma("unroll") for (int i = 0; i < VECTOR; i++) add(x.at[i], 0);           \
        }                                                                                 \
        DEVICE void merge(const name& other) { add(other.value, 0); }                     \
        DEVICE output finish() const { return output(value); }                            \
    };
EXTREME_NUMBER(MaxNumbers, >)
EXTREME_NUMBER(MinNumbers, <)

template <typename T> struct alignas(16) CountNumbers {
    u64 count;
    DEVICE void start() { count = 0; }
    DEVICE void add(T x, i64) { count += u64(x == x); }
    DEVICE void add(const Pack& x, i64) {
#pragma unroll
        for (int i = 0; i < VECTOR; i++) add(x.at[i], 0);
    }
    DEVICE void merge(const CountNumbers& other) { count += other.count; }
    DEVICE output finish() const { return output(count); }
};

#define LOGICAL(name, first, with)                                                        \
    template <typename T> struct alignas(16) name {                                       \
        u32 value;                                                                        \
        DEVICE void start() { value = first; }                                            \
        DEVICE void add(T x, i64) { value = value with u32(x != T(0)); }                  \
        DEVICE void add(const Pack& x, i64) {                                             \
            _Pragma("unroll") for (int i = 0; i < VECTOR; i++) add(x.at[i], 0);           \
        }                                                                                 \
        DEVICE void merge(const name& other) { value = value with other.value; }          \
        DEVICE output finish() const { return output(value); }                            \
    };
LOGICAL(All, 1, &)
LOGICAL(Any, 0, |)

// Sums of products, of integers modulo 2^64; of bools, whether there is a pair of true ones. Elements come in pairs, and no
// place is looked at.
template <typename T> struct Dot {
    u64 sum;
    u64 unused;
    DEVICE void start() { sum = 0; unused = 0; }
    DEVICE void add(T x, T y) {
        if (sizeof(T) == 8) sum += u64(x) * u64(y);
        else sum += u32(x) * u32(y);
    }
    DEVICE void add(const Pack& x, const Pack& y) {
#pragma unroll
        for (int i = 0; i < VECTOR; i++) add(x.at[i], y.at[i]);
    }
    DEVICE void merge(const Dot& other) { sum += other.sum; }
    DEVICE output finish() const { return output(sum); }
};
template <> struct Dot<bool> {
    u64 any;
    u64 unused;
    DEVICE void start() { any = 0; unused = 0; }
    DEVICE void add(bool x, bool y) { any |= u64(x) & u64(y); }
    DEVICE void add(const Pack& x, const Pack& y) {
#pragma unroll
        for (int i = 0; i < VECTOR; i++) add(bool(x.at[i]), bool(y.at[i]));
    }
    DEVICE void merge(const Dot& other) { any |= other.any; }
    DEVICE output finish() const { return output(any != 0); }
};
template <> struct Dot<float> {
    double sum;
    u64 unused;
    DEVICE void start() { sum = 0; unused = 0; }
    DEVICE void add(float x, float y) { sum += double(x) * double(y); }
    DEVICE void add(const Pack& x, const Pack& y) {
        const float first = __fmaf_rn(x.at[0], y.at[0], float(x.at[1 % VECTOR]) * float(y.at[1 % VECTOR]));
        const float second = __fmaf_rn(x.at[2 % VECTOR], y.at[2 % VECTOR], float(x.at[3 % VECTOR]) * float(y.at[3 % VECTOR]));
        sum += double(first + second);
    }
    DEVICE void merge(const Dot& other) { sum += other.sum; }
    DEVICE output finish() const { return output(sum); }
};
template <> struct Dot<double> {
    Sum<double> sum;
    DEVICE void start() { sum.start(); }
    DEVICE void add(double x, double y) {
        const double product = __dmul_rn(x, y);
        sum.add(product, 0);
        sum.lost += __fma_rn(x, y, -product);
    }
    DEVICE void add(const Pack& x, const Pack& y) {
#pragma unroll
        for (int i = 0; i < VECTOR; i++) add(double(x.at[i]), double(y.at[i]));
    }
    DEVICE void merge(const Dot& other) { sum.merge(other.sum); }
    DEVICE output finish() const { return output(isfinite(sum.sum) ? sum.sum + sum.lost : sum.sum); }
};

#else

// Sums of products of complex numbers. The parts fill a state, so that f64 is added without compensation: each thread has few terms,
// and the threads' sums are added in pairs.
template <typename T> struct Dot {
    double re, im;
    DEVICE void start() { re = 0; im = 0; }
    template <typename P> DEVICE void add(complex<P> x, complex<P> y) {
#ifdef WARPCELL_CONJUGATES
        x.im = -x.im;
#endif
        re += double(x.re) * double(y.re) - double(x.im) * double(y.im);
        im += double(x.re) * double(y.im) + double(x.im) * double(y.re);
    }
    DEVICE void add(const Pack& x, const Pack& y) {
#pragma unroll
        for (int i = 0; i < VECTOR; i++) add(x.at[i], y.at[i]);
    }
    DEVICE void merge(const Dot& other) {
        re += other.re;
        im += other.im;
    }
    DEVICE output finish() const { return {decltype(output::re)(re), decltype(output::im)(im)}; }
};

#endif

typedef WARPCELL_REDUCTION<input> State;
static_assert(sizeof(State) == 16, "the host allocates 16 bytes a state");

// The states of `lanes` neighbours of a warp, merged into the first of them.
template <int lanes> DEVICE State merged_in_lanes(State state) {
#pragma unroll
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
        State other;
#pragma unroll
        for (int word = 0; word < 4; word++) {
            ((u32*)&other)[word] = __shfl_down_sync(0xffffffffu, ((const u32*)&state)[word], distance);
        }
        state.merge(other);
    }
    return state;
}

// The states of a warp's lanes, merged into lane 0.
DEVICE State merged_in_warp(State state) { return merged_in_lanes<32>(state); }

// The states of a block's threads, merged into thread 0.
DEVICE State merged_in_block(State state) {
    alignas(16) __shared__ char room[THREADS / 32 * sizeof(State)];
    State* of_warps = (State*)room;
    state = merged_in_warp(state);
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = state;
    __syncthreads();
    if (threadIdx.x == 0) {
#pragma unroll
        for (int warp = 1; warp < THREADS / 32; warp++) state.merge(of_warps[warp]);
    }
    return state;
}

// Merges what the threads of all blocks have, in one launch: the block that finishes last merges the blocks' states, and
// writes the result. `finished` is 0 before the launch and is left at 0.
DEVICE void deliver_whole(State state, State* of_blocks, u32* finished, output* out) {
    __shared__ bool last;
    state = merged_in_block(state);
    if (threadIdx.x == 0) {
        of_blocks[blockIdx.x] = state;
        __threadfence();
        last = atomicAdd(finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    state.start();
    for (u32 block = threadIdx.x; block < gridDim.x; block += THREADS) {
        // Past the first-level cache, in which another block's state may be stale.
        State other;
        const volatile u64* from = (const volatile u64*)(of_blocks + block);
        ((u64*)&other)[0] = from[0];
        ((u64*)&other)[1] = from[1];
        state.merge(other);
    }
    state = merged_in_block(state);
    if (threadIdx.x == 0) {
        *out = state.finish();
        *finished = 0;
    }
}

#ifdef WARPCELL_DOT

// Two vectors whose elements follow one another, and begin equally far from a multiple of 16 bytes.
extern "C" __global__ void __launch_bounds__(THREADS)
dot_packed(const input* x, const input* y, i64 size, State* of_blocks, u32* finished, output* out) {
    const i64 lane = i64(blockIdx.x) * THREADS + threadIdx.x;
    const i64 lanes = i64(gridDim.x) * THREADS;
    State state;
    state.start();
    // Elements before the first multiple of 16 bytes.
    const i64 ahead = min(size, i64((16 - u64(x) % 16) % 16 / sizeof(input)));
    const Pack* packs_x = (const Pack*)(x + ahead);
    const Pack* packs_y = (const Pack*)(y + ahead);
    const i64 count = (size - ahead) / VECTOR;
    i64 i = lane;
#pragma unroll 1
    for (; i + lanes < count; i += 2 * lanes) {
        Pack loaded_x[2], loaded_y[2];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            loaded_x[k] = packs_x[i + k * lanes];
            loaded_y[k] = packs_y[i + k * lanes];
        }
#pragma unroll
        for (int k = 0; k < 2; k++) state.add(loaded_x[k], loaded_y[k]);
    }
#pragma unroll 1
    for (; i < count; i += lanes) state.add(packs_x[i], packs_y[i]);
    for (i64 at = lane; at < ahead; at += lanes) state.add(x[at], y[at]);
    for (i64 at = ahead + count * VECTOR + lane; at < size; at += lanes) state.add(x[at], y[at]);
    deliver_whole(state, of_blocks, finished, out);
}

// Two vectors whose elements are as many elements apart.
extern "C" __global__ void __launch_bounds__(THREADS)
dot_strided(const input* x, const input* y, i64 size, i64 stride_x, i64 stride_y, State* of_blocks, u32* finished, output* out) {
    const i64 lanes = i64(gridDim.x) * THREADS;
    State state;
    state.start();
    i64 i = i64(blockIdx.x) * THREADS + threadIdx.x;
#pragma unroll 1
    for (; i + 3 * lanes < size; i += 4 * lanes) {
        input loaded_x[4], loaded_y[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            loaded_x[k] = x[(i + k * lanes) * stride_x];
            loaded_y[k] = y[(i + k * lanes) * stride_y];
        }
#pragma unroll
        for (int k = 0; k < 4; k++) state.add(loaded_x[k], loaded_y[k]);
    }
#pragma unroll 1
    for (; i < size; i += lanes) state.add(x[i * stride_x], y[i * stride_y]);
    deliver_whole(state, of_blocks, finished, out);
}

#elif !defined(WARPCELL_MAP)

#ifdef WARPCELL_STORED
// 16-bit floats: only loaded.
struct f16 { u16 bits; };
struct bf16 { u16 bits; };
typedef WARPCELL_STORED stored;
DEVICE float converted(f16 x) {
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return wide;
}
DEVICE float converted(bf16 x) { return __uint_as_float(u32(x.bits) << 16); }
#else
typedef input stored;
#endif
template <typename T> DEVICE input converted(T x) { return input(x); }

// What is loaded at once: a pack, or several after conversion.
constexpr int LOADED = 16 / sizeof(stored);
static_assert(LOADED % VECTOR == 0, "elements become as wide as they are, or wider");
struct alignas(16) Loaded {
    stored at[LOADED];
};

// What an element is reduced as.
DEVICE input moved(stored loaded, input centre) {
    const input x = converted(loaded);
#ifdef WARPCELL_SKIPS_NAN
    if (x != x) return input(0);
#endif
#ifdef WARPCELL_CENTRED
    return x - centre;
#else
    return x;
#endif
}
// Adds what was loaded, the first of which has this place.
DEVICE void add_moved(State& state, const Loaded& loaded, input centre, i64 place) {
#pragma unroll
    for (int from = 0; from < LOADED; from += VECTOR) {
        Pack pack;
#pragma unroll
        for (int i = 0; i < VECTOR; i++) pack.at[i] = moved(loaded.at[from + i], centre);
        state.add(pack, place + from);
    }
}
// The centre of an output.
DEVICE input centre_of(const input* centres, i64 at) {
#ifdef WARPCELL_CENTRED
    return centres[at];
#else
    return input();
#endif
}

// Adds elements that follow one another, whose places begin at `place`; `lane` of `lanes` threads that share them.
DEVICE void add_line(State& state, const stored* x, input centre, i64 size, i64 place, i64 lane, i64 lanes) {
    // Elements before the first multiple of 16 bytes.
    const i64 ahead = min(size, i64((16 - u64(x) % 16) % 16 / sizeof(stored)));
    const Loaded* packs = (const Loaded*)(x + ahead);
    const i64 count = (size - ahead) / LOADED;
    place += ahead;
    i64 i = lane;
#pragma unroll 1
    for (; i + 3 * lanes < count; i += 4 * lanes) {
        Loaded loaded[4];
#pragma unroll
        for (int k = 0; k < 4; k++) loaded[k] = packs[i + k * lanes];
#pragma unroll
        for (int k = 0; k < 4; k++) add_moved(state, loaded[k], centre, place + (i + k * lanes) * LOADED);
    }
#pragma unroll 1
    for (; i < count; i += lanes) add_moved(state, packs[i], centre, place + i * LOADED);
    for (i64 at = lane; at < ahead; at += lanes) state.add(moved(x[at], centre), place - ahead + at);
    for (i64 at = ahead + count * LOADED + lane; at < size; at += lanes) state.add(moved(x[at], centre), place - ahead + at);
}

#ifdef WARPCELL_WHOLE

// A whole contiguous array.
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_all(const stored* x, const input* centres, i64 size, State* of_blocks, u32* finished, output* out) {
    const i64 thread = i64(blockIdx.x) * THREADS + threadIdx.x;
    const i64 threads = i64(gridDim.x) * THREADS;
    State state;
    state.start();
    add_line(state, x, centre_of(centres, 0), size, 0, thread, threads);
    deliver_whole(state, of_blocks, finished, out);
}

#else

struct Axes : warpcell_axes<1> {
    int narrow;  // Whether all indices are below 2^31.
};

// Out of line, since its divisions would be most of the time to compile.
__device__ __noinline__ i64 offset_in_axes(i64 at, const Axes* axes) {
    i64 offset[1] = {0};
    if (axes->narrow) warpcell_move(*axes, u32(at), offset);
    else warpcell_move(*axes, u64(at), offset);
    return offset[0];
}

DEVICE i64 offset_of(i64 at, const Axes& axes) { return axes.rank == 1 ? at * axes.stride[0][0] : offset_in_axes(at, &axes); }

// The part of the reduced elements that this block's row in the grid takes.
DEVICE void share(i64 length, i64& from, i64& to) {
    i64 each = (length + gridDim.y - 1) / gridDim.y;
    from = min(length, each * blockIdx.y);
    to = min(length, from + each);
}

// With one share, the result; else the share's state, for `reduce_shares`.
DEVICE void deliver(const State& state, i64 at, i64 outputs, State* shares, output* out) {
    if (gridDim.y == 1) out[at] = state.finish();
    else shares[blockIdx.y * outputs + at] = state;
}

template <int group>
DEVICE void rows(const stored* x, const input* centres, const Axes& kept, const Axes& reduced, i64 outputs, i64 length, State* shares, output* out) {
    const i64 at = (i64(blockIdx.x) * THREADS + threadIdx.x) / group;
    const int lane = threadIdx.x % group;
    State state;
    state.start();
    if (at < outputs) {
        const stored* row = x + offset_of(at, kept);
        const input centre = centre_of(centres, at);
        i64 from, to;
        share(length, from, to);
        if (reduced.rank == 1 && reduced.stride[0][0] == 1) {
            add_line(state, row + from, centre, to - from, from, lane, group);
        } else {
            i64 i = from + lane;
#pragma unroll 1
            for (; i + 3 * group < to; i += 4 * group) {
                stored loaded[4];
#pragma unroll
                for (int k = 0; k < 4; k++) loaded[k] = row[offset_of(i + k * group, reduced)];
#pragma unroll
                for (int k = 0; k < 4; k++) state.add(moved(loaded[k], centre), i + k * group);
            }
#pragma unroll 1
            for (; i < to; i += group) state.add(moved(row[offset_of(i, reduced)], centre), i);
        }
    }
    if constexpr (group <= 32) state = merged_in_lanes<group>(state);
    else state = merged_in_block(state);
    if (at < outputs && lane == 0) deliver(state, at, outputs, shares, out);
}

// A block, a warp, four lanes or one for each output: where the reduced elements are near one another.
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_long_rows(const stored* x, const input* centres, const __grid_constant__ Axes kept, const __grid_constant__ Axes reduced, i64 outputs, i64 length, State* shares, output* out) {
    rows<THREADS>(x, centres, kept, reduced, outputs, length, shares, out);
}
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_short_rows(const stored* x, const input* centres, const __grid_constant__ Axes kept, const __grid_constant__ Axes reduced, i64 outputs, i64 length, State* shares, output* out) {
    rows<32>(x, centres, kept, reduced, outputs, length, shares, out);
}
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_shortest_rows(const stored* x, const input* centres, const __grid_constant__ Axes kept, const __grid_constant__ Axes reduced, i64 outputs, i64 length, State* shares, output* out) {
    rows<4>(x, centres, kept, reduced, outputs, length, shares, out);
}
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_tiny_rows(const stored* x, const input* centres, const __grid_constant__ Axes kept, const __grid_constant__ Axes reduced, i64 outputs, i64 length, State* shares, output* out) {
    rows<1>(x, centres, kept, reduced, outputs, length, shares, out);
}

// 32 outputs side by side in a block, 8 threads for each: where the outputs' elements are near one another.
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_columns(const stored* x, const input* centres, const __grid_constant__ Axes kept, const __grid_constant__ Axes reduced, i64 outputs, i64 length, State* shares, output* out) {
    alignas(16) __shared__ char room[THREADS * sizeof(State)];
    State* states = (State*)room;
    const int lane = threadIdx.x % 32, strip = threadIdx.x / 32;
    constexpr int STRIPS = THREADS / 32;
    const i64 at = i64(blockIdx.x) * 32 + lane;
    State state;
    state.start();
    if (at < outputs) {
        const stored* column = x + offset_of(at, kept);
        const input centre = centre_of(centres, at);
        i64 from, to;
        share(length, from, to);
        i64 i = from + strip;
#pragma unroll 1
        for (; i + 3 * STRIPS < to; i += 4 * STRIPS) {
            stored loaded[4];
#pragma unroll
            for (int k = 0; k < 4; k++) loaded[k] = column[offset_of(i + k * STRIPS, reduced)];
#pragma unroll
            for (int k = 0; k < 4; k++) state.add(moved(loaded[k], centre), i + k * STRIPS);
        }
#pragma unroll 1
        for (; i < to; i += STRIPS) state.add(moved(column[offset_of(i, reduced)], centre), i);
    }
    states[threadIdx.x] = state;
    __syncthreads();
    if (strip == 0 && at < outputs) {
#pragma unroll 1
        for (int other = 1; other < STRIPS; other++) state.merge(states[other * 32 + lane]);
        deliver(state, at, outputs, shares, out);
    }
}

// Merges the shares of each output; a warp an output.
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_shares(const State* shares, i64 outputs, i64 count, output* out) {
    const i64 at = (i64(blockIdx.x) * THREADS + threadIdx.x) / 32;
    if (at >= outputs) return;
    State state;
    state.start();
    for (i64 i = threadIdx.x % 32; i < count; i += 32) state.merge(shares[i * outputs + at]);
    state = merged_in_warp(state);
    if (threadIdx.x % 32 == 0) out[at] = state.finish();
}

#endif

#endif
