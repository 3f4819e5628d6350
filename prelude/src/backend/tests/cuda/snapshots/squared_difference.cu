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

// Neighbours that are read or written together, 16 bytes at a time at most.
template <typename T, int COUNT> struct alignas(sizeof(T) * COUNT > 16 ? 16 : sizeof(T) * COUNT) warpcell_pack {
    T at[COUNT];
};

extern "C" __global__ void __launch_bounds__(256)
packed_squared_difference(const float* x0, const float* x1, float* y0, long long size) {
    const long long first = ((long long)blockIdx.x * 256 + threadIdx.x) * 4;
    if (first + 4 <= size) {
        const warpcell_pack<float, 4> pack0 = *(const warpcell_pack<float, 4>*)(x0 + first);
        const warpcell_pack<float, 4> pack1 = *(const warpcell_pack<float, 4>*)(x1 + first);
        warpcell_pack<float, 4> pack2;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            pack2.at[k] = ::rust::squared_difference(pack0.at[k], pack1.at[k]);
        }
        *(warpcell_pack<float, 4>*)(y0 + first) = pack2;
        return;
    }
#pragma unroll 1
    for (long long at = first; at < size && at < first + 4; at++) {
        y0[at] = ::rust::squared_difference(x0[at], x1[at]);
    }
}
