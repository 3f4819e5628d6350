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

// Neighbours that are read or written together, 16 bytes at a time at most.
template <typename T, int COUNT> struct alignas(sizeof(T) * COUNT > 16 ? 16 : sizeof(T) * COUNT) warpcell_pack {
    T at[COUNT];
};

extern "C" __global__ void __launch_bounds__(256)
packed_polar(const float* x0, const float* x1, const float* x2, const float* x3, float* y0, long long size) {
    const long long first = ((long long)blockIdx.x * 256 + threadIdx.x) * 2;
    if (first + 2 <= size) {
        const warpcell_pack<float, 2> pack0 = *(const warpcell_pack<float, 2>*)(x0 + first);
        const warpcell_pack<float, 2> pack1 = *(const warpcell_pack<float, 2>*)(x1 + first);
        const warpcell_pack<float, 2> pack2 = *(const warpcell_pack<float, 2>*)(x2 + first);
        const warpcell_pack<float, 2> pack3 = *(const warpcell_pack<float, 2>*)(x3 + first);
        warpcell_pack<float, 2> pack4;
#pragma unroll
        for (int k = 0; k < 2; k++) {
            pack4.at[k] = ::rust::polar(pack0.at[k], pack1.at[k], pack2.at[k], pack3.at[k]);
        }
        *(warpcell_pack<float, 2>*)(y0 + first) = pack4;
        return;
    }
#pragma unroll 1
    for (long long at = first; at < size && at < first + 2; at++) {
        y0[at] = ::rust::polar(x0[at], x1[at], x2[at], x3[at]);
    }
}
