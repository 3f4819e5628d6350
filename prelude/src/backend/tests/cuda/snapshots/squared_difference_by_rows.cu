// `squared_difference` over arrays: CUDA C, made of the Rust lines in the comments.


__device__ __forceinline__ float squared_difference(float x, float y) { return (x - y) * (x - y); }

// Joined axes, the innermost first, and how many elements apart the neighbours of each array are along them. `magic` and `shift`
// replace the division by `length` for indices below 2^31: floor(n / d) = (mulhi(n, magic) + n) >> shift (Granlund and
// Montgomery, 1994). A kernel takes them as `const __grid_constant__`: without it, a thread may begin with a copy of all of them.
template <int ARRAYS> struct warpcell_axes {
    int rank;
    unsigned int magic[8], shift[8];
    long long length[8];
    long long stride[ARRAYS][8];
};

template <int ARRAYS>
__device__ __forceinline__ unsigned int warpcell_quotient(const warpcell_axes<ARRAYS>& axes, int axis, unsigned int index) {
    return (__umulhi(index, axes.magic[axis]) + index) >> axes.shift[axis];
}

template <int ARRAYS>
__device__ __forceinline__ unsigned long long warpcell_quotient(const warpcell_axes<ARRAYS>& axes, int axis, unsigned long long index) {
    return index / (unsigned long long)axes.length[axis];
}

// Moves the offset in each array to the element of this number, counted in row-major order along the axes from `first` on.
template <typename INDEX, int ARRAYS>
__device__ __forceinline__ void warpcell_move(const warpcell_axes<ARRAYS>& axes, INDEX index, long long (&offset)[ARRAYS], int first = 0) {
    // Not unrolled: that doubles the time to compile, and there are few axes.
#pragma unroll 1
    for (int axis = first; axis < axes.rank; axis++) {
        const INDEX rest = axis + 1 == axes.rank ? 0 : warpcell_quotient(axes, axis, index);
        const long long here = index - rest * (INDEX)axes.length[axis];
        index = rest;
        // The first apart: with one array there would be no loop here, and the compiler would unroll the outer one after all.
        offset[0] += here * axes.stride[0][axis];
#pragma unroll
        for (int array = 1; array < ARRAYS; array++) offset[array] += here * axes.stride[array][axis];
    }
}

extern "C" __global__ void __launch_bounds__(256)
rows_squared_difference(const float* x0, const float* x1, float* y0, long long size, const __grid_constant__ warpcell_axes<3> layout) {
    long long offset[3] = {};
    warpcell_move(layout, (unsigned int)blockIdx.x, offset, 1);
    const unsigned int column = blockIdx.y * 1024 + threadIdx.x, length = (unsigned int)layout.length[0];
    const float* const p0 = x0 + offset[0] + column * layout.stride[0][0];
    const long long step0 = layout.stride[0][0] * 256;
    float v0[4];
    const float* const p1 = x1 + offset[1] + column * layout.stride[1][0];
    const long long step1 = layout.stride[1][0] * 256;
    float v1[4];
    float* const p2 = y0 + offset[2] + column * layout.stride[2][0];
    const long long step2 = layout.stride[2][0] * 256;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (column + k * 256 >= length) break;
        v0[k] = p0[k * step0];
        v1[k] = p1[k * step1];
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (column + k * 256 >= length) break;
        p2[k * step2] = ::squared_difference(v0[k], v1[k]);
    }
}
