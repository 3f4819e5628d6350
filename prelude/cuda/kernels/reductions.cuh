// What reductions are made of: Sum, Product, SumSquares, SquaredDeviations, Max, Min, ArgMax, ArgMin, All, Any and Dot; SumNumbers,
// ProductNumbers, MaxNumbers, MinNumbers, CountNumbers and CountNonzero; BitwiseAnd, BitwiseOr and BitwiseXor. The macros are explained in reduce.cu.
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

// Each reduction: a state of 16 or 32 bytes, its start, and how elements and other states enter it. An element, or the first of a
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

// The sum of the squares of the distances from the mean, in one pass. Elements are added by their distance from one of them, which a
// large mean does not round; the means of two states are compared by such distances too (Chan, Golub and LeVeque, 1983). Of f32, the
// distances within some packs are squared and added in f32, those of the packs in f64, for the sake of cards with few f64 units.
// An element far from the others would be a bad one to start from, since squares of large distances would cancel. So it is the middle
// one of three, where several are added at once.
template <typename T> struct alignas(16) SquaredDeviations {
    // Of the first, second and last element of the packs.
    template <typename F, int packs> static DEVICE F middle(const Pack (&x)[packs]) {
        const F a = F(x[0].at[0]), b = F(x[0].at[1 % VECTOR]), c = F(x[packs - 1].at[VECTOR - 1]);
        const F low = a < b ? a : b, high = a < b ? b : a;
        return c < low ? low : c < high ? c : high;
    }
    // While elements are added: how many there are, negated, one of them, and the sums of the distances from it and of their squares.
    // After that: how many there are, one of them, how far the mean is from it, and the result.
    double count, origin, first, second;
    DEVICE void start() { count = 0; origin = 0; first = 0; second = 0; }
    DEVICE void add(T x, i64) {
        if (count == 0) origin = double(x);
        count -= 1;
        const double distance = double(x) - origin;
        first += distance;
        second = __fma_rn(distance, distance, second);
    }
    DEVICE void add(const Pack& x, i64) {
        const Pack one[1] = {x};
        add(one);
    }
    template <int packs> DEVICE void add(const Pack (&x)[packs]) {
        const bool is_first = count == 0;
        count -= packs * VECTOR;
        if constexpr (VECTOR == 4) {
            const float near = middle<float>(x);
            if (is_first) origin = double(near);
            float sums[VECTOR] = {}, squares[VECTOR] = {};
#pragma unroll
            for (int k = 0; k < packs; k++) {
#pragma unroll
                for (int i = 0; i < VECTOR; i++) {
                    const float distance = float(x[k].at[i]) - near;
                    sums[i] += distance;
                    squares[i] = __fmaf_rn(distance, distance, squares[i]);
                }
            }
            const double offset = double(near) - origin;
            const double sum = double((sums[0] + sums[1 % VECTOR]) + (sums[2 % VECTOR] + sums[3 % VECTOR]));
            const double square = double((squares[0] + squares[1 % VECTOR]) + (squares[2 % VECTOR] + squares[3 % VECTOR]));
            const double moved = __fma_rn(double(packs * VECTOR), offset, sum);
            first += moved;
            second += __fma_rn(offset, sum + moved, square);
        } else {
            if (is_first) origin = middle<double>(x);
#pragma unroll
            for (int k = 0; k < packs; k++) {
#pragma unroll
                for (int i = 0; i < VECTOR; i++) {
                    const double distance = double(x[k].at[i]) - origin;
                    first += distance;
                    second = __fma_rn(distance, distance, second);
                }
            }
        }
    }
    // After the last element.
    DEVICE void close() {
        if (count >= 0) return;
        count = -count;
        const double mean = first / count;
        second = __fma_rn(-first, mean, second);
        first = mean;
    }
    // Out of line, since its divisions would be most of the time to compile.
    static __device__ __noinline__ SquaredDeviations merged(SquaredDeviations a, SquaredDeviations b) {
        a.close();
        b.close();
        if (a.count == 0) return b;
        if (b.count == 0) return a;
        const double both = a.count + b.count, part = b.count / both;
        const double distance = (b.origin - a.origin) + (b.first - a.first);
        a.second += __fma_rn(distance * distance, a.count * part, b.second);
        a.first = __fma_rn(distance, part, a.first);
        a.count = both;
        return a;
    }
    DEVICE void merge(const SquaredDeviations& other) { *this = merged(*this, other); }
    // Rounding may leave less than nothing.
    DEVICE output finish() {
        close();
        return output(second < 0 ? 0 : second);
    }
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

#define COUNT(name, counted)                                                             \
    template <typename T> struct alignas(16) name {                                       \
        u64 count;                                                                        \
        DEVICE void start() { count = 0; }                                                \
        DEVICE void add(T x, i64) { count += u64(counted); }                              \
        DEVICE void add(const Pack& x, i64) {                                             \
            _Pragma("unroll") for (int i = 0; i < VECTOR; i++) add(x.at[i], 0);           \
        }                                                                                 \
        DEVICE void merge(const name& other) { count += other.count; }                    \
        DEVICE output finish() const { return output(count); }                            \
    };
COUNT(CountNumbers, x == x)
COUNT(CountNonzero, x != T(0))

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

// Of integers, and the last one of bools, too.
#define BITWISE(name, first, with)                                                        \
    template <typename T> struct alignas(16) name {                                       \
        u64 value;                                                                        \
        DEVICE void start() { value = first; }                                            \
        DEVICE void add(T x, i64) { value = value with u64(x); }                          \
        DEVICE void add(const Pack& x, i64) {                                             \
            _Pragma("unroll") for (int i = 0; i < VECTOR; i++) add(x.at[i], 0);           \
        }                                                                                 \
        DEVICE void merge(const name& other) { value = value with other.value; }          \
        DEVICE output finish() const { return output(value); }                            \
    };
BITWISE(BitwiseAnd, ~u64(0), &)
BITWISE(BitwiseOr, 0, |)
BITWISE(BitwiseXor, 0, ^)

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

// Whether several packs may enter together, and whether the places of elements matter.
template <typename S> struct takes_packs { enum { value = false }; };
template <typename S> struct sees_places { enum { value = false }; };
#ifndef WARPCELL_COMPLEX
template <typename T> struct takes_packs<SquaredDeviations<T>> { enum { value = true }; };
template <typename T> struct sees_places<ArgMax<T>> { enum { value = true }; };
template <typename T> struct sees_places<ArgMin<T>> { enum { value = true }; };
#endif

typedef WARPCELL_REDUCTION<input> State;
static_assert(sizeof(State) % 16 == 0 && sizeof(State) <= 32, "the host allocates 32 bytes a state");
