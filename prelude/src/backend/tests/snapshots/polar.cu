// `polar` over arrays: CUDA C, made of the Rust lines in the comments.

// Scalars by their names in Rust, on a 64-bit machine.
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef long long isize;
typedef unsigned long long usize;
typedef float f32;
typedef double f64;

__device__ __forceinline__ f32 f32_cos(f32 x) { return cosf(x); }

__device__ __forceinline__ f32 f32_sin(f32 x) { return sinf(x); }

__device__ __forceinline__ f32 f32_sqrt(f32 x) { return sqrtf(x); }

namespace rust {

struct Tuple2_f32_f32 {
    f32 _0;
    f32 _1;
};

// fn to_cartesian(radius: f32, angle: f32) -> (f32, f32) { (radius * angle.cos(), radius * angle.sin()) }
__device__ inline Tuple2_f32_f32 to_cartesian(f32 radius, f32 angle) {
    return Tuple2_f32_f32{radius * f32_cos(angle), radius * f32_sin(angle)};
}

// fn polar (r : f32, a : f32, s : f32, b : f32) -> f32
__device__ inline f32 polar(f32 r, f32 a, f32 s, f32 b) {
    // let (x, y) = to_cartesian(r, a); let (z, w) = to_cartesian(s, b);
    const Tuple2_f32_f32 value = to_cartesian(r, a);
    const f32 x = value._0;
    const f32 y = value._1;
    const Tuple2_f32_f32 value_2 = to_cartesian(s, b);
    const f32 z = value_2._0;
    const f32 w = value_2._1;
    // ((x - z) * (x - z) + (y - w) * (y - w)).sqrt()
    return f32_sqrt((x - z) * (x - z) + (y - w) * (y - w));
}

} // namespace rust

template <typename T> struct alignas(sizeof(T) * 2 > 16 ? 16 : sizeof(T) * 2) WarpcellPack {
    T at[2];
};

extern "C" __global__ void __launch_bounds__(256)
packed_polar(const float* x0, const float* x1, const float* x2, const float* x3, float* y0, long long size) {
    const long long first = ((long long)blockIdx.x * 256 + threadIdx.x) * 2;
    if (first >= size) return;
    const bool whole = first + 2 <= size;
    WarpcellPack<float> a0;
    WarpcellPack<float> a1;
    WarpcellPack<float> a2;
    WarpcellPack<float> a3;
    if (whole) {
        a0 = *(const WarpcellPack<float>*)(x0 + first);
        a1 = *(const WarpcellPack<float>*)(x1 + first);
        a2 = *(const WarpcellPack<float>*)(x2 + first);
        a3 = *(const WarpcellPack<float>*)(x3 + first);
    } else {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const long long at = first + i < size ? first + i : size - 1;
            a0.at[i] = x0[at];
            a1.at[i] = x1[at];
            a2.at[i] = x2[at];
            a3.at[i] = x3[at];
        }
    }
    WarpcellPack<float> b0;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const auto y = ::rust::polar(a0.at[i], a1.at[i], a2.at[i], a3.at[i]);
        b0.at[i] = y;
    }
    if (whole) {
        *(WarpcellPack<float>*)(y0 + first) = b0;
        return;
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        if (first + i >= size) break;
        y0[first + i] = b0.at[i];
    }
}
