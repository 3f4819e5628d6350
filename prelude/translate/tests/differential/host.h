// What generated CUDA C needs to be C++ for the host: the functions that the CUDA compiler has built in.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

#define __device__
#define __constant__
#define __noinline__ __attribute__((noinline))
#define __forceinline__ inline
#define __global__
#define __grid_constant__
#define __shared__ static
#define __align__(bytes) alignas(bytes)

// Where a thread is, for what a record says of it.
struct ThreadPlace {
    unsigned int x, y, z;
};
static thread_local ThreadPlace threadIdx = {0, 0, 0}, blockIdx = {0, 0, 0}, blockDim = {1, 1, 1}, gridDim = {1, 1, 1};

// Thrown where a thread would end.
struct Failure {};

inline unsigned int atomicCAS(unsigned int *at, unsigned int expected, unsigned int wanted) {
    const unsigned int old = *at;
    if (old == expected) *at = wanted;
    return old;
}

// Division as the device has it: the least number by -1 wraps, for which the host would stop the program.
template <typename Number> inline auto quotient_of(Number a, Number b) -> decltype(a / b) {
    if constexpr (std::is_integral<Number>::value) {
        if (Number(-1) < Number(0) && b == Number(-1)) return Number(0ull - (unsigned long long)a);
    }
    return a / b;
}
template <typename Number> inline Number remainder_of(Number a, Number b) {
    return Number(-1) < Number(0) && b == Number(-1) ? Number(0) : Number(a % b);
}

inline int __popc(unsigned int bits) { return __builtin_popcount(bits); }
inline int __popcll(unsigned long long bits) { return __builtin_popcountll(bits); }
inline int __clz(int bits) { return bits == 0 ? 32 : __builtin_clz(bits); }
inline int __clzll(long long bits) { return bits == 0 ? 64 : __builtin_clzll(bits); }
inline unsigned long long __brevll(unsigned long long bits) {
    unsigned long long reversed = 0;
    for (int bit = 0; bit < 64; bit++) reversed |= (bits >> bit & 1) << (63 - bit);
    return reversed;
}
inline unsigned int __brev(unsigned int bits) { return (unsigned int)(__brevll(bits) >> 32); }
inline unsigned int __byte_perm(unsigned int low, unsigned int high, unsigned int selector) {
    const unsigned long long both = (unsigned long long)high << 32 | low;
    unsigned int result = 0;
    for (int byte = 0; byte < 4; byte++) result |= (unsigned int)(both >> (selector >> 4 * byte & 7) * 8 & 255) << 8 * byte;
    return result;
}
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

template <typename To, typename From> inline To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From), "the sizes differ");
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}
inline unsigned int __float_as_uint(float x) { return same_bits<unsigned int>(x); }
inline float __uint_as_float(unsigned int bits) { return same_bits<float>(bits); }
inline long long __double_as_longlong(double x) { return same_bits<long long>(x); }
inline double __longlong_as_double(long long bits) { return same_bits<double>(bits); }

// Conversions as PTX defines them: the nearest limit for what is out of range; NaN becomes zero where both sides have 32
// bits, else only the highest bit is set.
template <typename To, typename From> inline To truncated(From x) {
    const To least = To(-1) < To(0) ? To(To(1) << (sizeof(To) * 8 - 1)) : To(0), greatest = To(~least);
    if (x != x) return sizeof(From) == 4 && sizeof(To) == 4 ? To(0) : To(To(1) << (sizeof(To) * 8 - 1));
    if (x <= From(least)) return least;
    if (x >= From(greatest)) return greatest;
    return To(x);
}
inline int __float2int_rz(float x) { return truncated<int>(x); }
inline unsigned int __float2uint_rz(float x) { return truncated<unsigned int>(x); }
inline long long __float2ll_rz(float x) { return truncated<long long>(x); }
inline unsigned long long __float2ull_rz(float x) { return truncated<unsigned long long>(x); }
inline int __double2int_rz(double x) { return truncated<int>(x); }
inline unsigned int __double2uint_rz(double x) { return truncated<unsigned int>(x); }
inline long long __double2ll_rz(double x) { return truncated<long long>(x); }
inline unsigned long long __double2ull_rz(double x) { return truncated<unsigned long long>(x); }

// Of two zeros Rust may give either: this is what its compiler makes of it on this host.
inline float host_fminf(float a, float b) { return a != a ? b : b < a ? b : a; }
inline float host_fmaxf(float a, float b) { return a != a ? b : b > a ? b : a; }
inline double host_fmin(double a, double b) { return a != a ? b : b < a ? b : a; }
inline double host_fmax(double a, double b) { return a != a ? b : b > a ? b : a; }
#define fminf host_fminf
#define fmaxf host_fmaxf
#define fmin host_fmin
#define fmax host_fmax

// One by one, as Rust does; the C library's function for both may round otherwise.
inline void host_sincosf(float x, float *sine, float *cosine) { *sine = sinf(x), *cosine = cosf(x); }
inline void host_sincos(double x, double *sine, double *cosine) { *sine = sin(x), *cosine = cos(x); }
#define sincosf host_sincosf
#define sincos host_sincos

// Rust brings cube roots of its own, which are rounded correctly; the C library's are not.
inline float host_cbrtf(float x) { return float(cbrt(double(x))); }
inline double host_cbrt(double x) { return double(cbrtl((long double)x)); }
#define cbrtf host_cbrtf
#define cbrt host_cbrt
