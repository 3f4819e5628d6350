// Formulas along rows: CUDA C, made of the Rust lines in the comments.

namespace warpcell_0 {
typedef float number;

namespace rust {
__device__ inline float largest(float x) { return x; }
}

}

namespace warpcell_1 {
typedef float number;

namespace rust {
__device__ inline float powers(float x, float largest) { return expf(x - largest); }
}

}

namespace warpcell_2 {
typedef float number;

namespace rust {
__device__ inline float shares(float x, float largest, float total) { return expf(x - largest) / total; }
}

}

template <typename S> union warpcell_words {
    S state;
    unsigned int words[sizeof(S) / 4];
    __device__ warpcell_words() {}
};
template <typename S> __device__ __forceinline__ void warpcell_merge_lanes(S& state) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        warpcell_words<S> other;
        other.state = state;
#pragma unroll
        for (int word = 0; word < sizeof(S) / 4; word++) other.words[word] = __shfl_down_sync(0xffffffffu, other.words[word], distance);
        state.merge(other.state);
    }
}
template <int warps, typename S> __device__ __forceinline__ S warpcell_of_row(S state, void* room) {
    S* const of_warps = (S*)room;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    warpcell_merge_lanes(state);
    // The formula before may still be reading.
    __syncthreads();
    if (lane == 0) of_warps[warp] = state;
    __syncthreads();
    if (warp == 0 && warps > 1) {
        S merged;
        merged.start();
        if (lane < warps) merged = of_warps[lane];
        warpcell_merge_lanes(merged);
        if (lane == 0) of_warps[0] = merged;
    }
    __syncthreads();
    return of_warps[0];
}
// Neighbours that are read or written together, 16 bytes at a time at most.
template <typename T, int COUNT> struct alignas(sizeof(T) * COUNT > 16 ? 16 : sizeof(T) * COUNT) warpcell_pack {
    T at[COUNT];
};


// Adds results to a state; four floats are added in pairs before they enter, as in the sum of an array.
template <typename S, int count> __device__ __forceinline__ void warpcell_enter(S& state, const warpcell_reduction::input (&b)[count]) {
    if (count == warpcell_reduction::VECTOR) {
        warpcell_reduction::Pack pack;
#pragma unroll
        for (int j = 0; j < count; j++) pack.at[j % warpcell_reduction::VECTOR] = b[j];
        state.add(pack, 0);
        return;
    }
#pragma unroll
    for (int j = 0; j < count; j++) state.add(b[j], 0);
}

extern "C" __global__ void __launch_bounds__(64, 16)
along_rows(const float* __restrict__ x0, float* __restrict__ y, int length) {
    alignas(16) __shared__ char room[2 * 32];
    const long long row = blockIdx.x;
    x0 += row * length;
    y += row * length;
    warpcell_pack<float, 4> a0[2] = {};
#pragma unroll
    for (int p = 0; p < 2; p++) {
        const int at = (p * 64 + (int)threadIdx.x) * 4;
        if (at >= length) break;
        a0[p] = *(const warpcell_pack<float, 4>*)(x0 + at);
    }
    warpcell_reduction::Max<warpcell_reduction::input> s0;
    s0.start();
#pragma unroll
    for (int p = 0; p < 2; p++) {
        const int at = (p * 64 + (int)threadIdx.x) * 4;
        warpcell_reduction::input b[4];
#pragma unroll
        for (int k = 0; k < 4; k++) b[k] = ::warpcell_0::rust::largest(a0[p].at[k]);
        if (at < length) warpcell_enter(s0, b);
    }
    const auto r0 = warpcell_of_row<2>(s0, room).finish();
    warpcell_reduction::Sum<warpcell_reduction::input> s1;
    s1.start();
#pragma unroll
    for (int p = 0; p < 2; p++) {
        const int at = (p * 64 + (int)threadIdx.x) * 4;
        warpcell_reduction::input b[4];
#pragma unroll
        for (int k = 0; k < 4; k++) b[k] = ::warpcell_1::rust::powers(a0[p].at[k], r0);
        if (at < length) warpcell_enter(s1, b);
    }
    const auto r1 = warpcell_of_row<2>(s1, room).finish();
#pragma unroll
    for (int p = 0; p < 2; p++) {
        const int at = (p * 64 + (int)threadIdx.x) * 4;
        warpcell_pack<float, 4> b;
#pragma unroll
        for (int k = 0; k < 4; k++) b.at[k] = ::warpcell_2::rust::shares(a0[p].at[k], r0, r1);
        if (at < length) *(warpcell_pack<float, 4>*)(y + at) = b;
    }
}
