// `squared_difference` over arrays: CUDA C, made of the Rust lines in the comments.

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

namespace rust {

// fn squared_difference (x : f32, y : f32) -> f32 { (x - y) * (x - y) }
__device__ inline f32 squared_difference(f32 x, f32 y) {
    return (x - y) * (x - y);
}

} // namespace rust

template <typename T> struct alignas(sizeof(T) * 4 > 16 ? 16 : sizeof(T) * 4) WarpcellPack {
    T at[4];
};

extern "C" __global__ void __launch_bounds__(256)
packed_squared_difference(const float* x0, const float* x1, float* y0, long long size) {
    const long long first = ((long long)blockIdx.x * 256 + threadIdx.x) * 4;
    if (first >= size) return;
    const bool whole = first + 4 <= size;
    WarpcellPack<float> a0;
    WarpcellPack<float> a1;
    if (whole) {
        a0 = *(const WarpcellPack<float>*)(x0 + first);
        a1 = *(const WarpcellPack<float>*)(x1 + first);
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const long long at = first + i < size ? first + i : size - 1;
            a0.at[i] = x0[at];
            a1.at[i] = x1[at];
        }
    }
    WarpcellPack<float> b0;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const auto y = ::rust::squared_difference(a0.at[i], a1.at[i]);
        b0.at[i] = y;
    }
    if (whole) {
        *(WarpcellPack<float>*)(y0 + first) = b0;
        return;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        if (first + i >= size) break;
        y0[first + i] = b0.at[i];
    }
}
