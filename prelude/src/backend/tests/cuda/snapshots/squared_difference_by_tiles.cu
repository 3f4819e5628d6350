// `squared_difference` over arrays: CUDA C, made of the Rust lines in the comments.


__device__ __forceinline__ float squared_difference(float x, float y) { return (x - y) * (x - y); }

// Neighbours that are read or written together, 16 bytes at a time at most.
template <typename T, int COUNT> struct alignas(sizeof(T) * COUNT > 16 ? 16 : sizeof(T) * COUNT) warpcell_pack {
    T at[COUNT];
};


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
tiles_squared_difference(const float* x0, const float* x1, float* y0, long long size, const __grid_constant__ warpcell_axes<3> layout) {
    const unsigned int length = (unsigned int)layout.length[0], lines = (unsigned int)layout.length[1];
    const unsigned int parts = (length + 127) / 128, bands = (lines + 15) / 16;
    const unsigned int band = blockIdx.x / parts, rest = band / bands;
    const unsigned int column = (blockIdx.x - band * parts) * 128 + threadIdx.x % 128 * 1;
    const unsigned int row = (band - rest * bands) * 16 + threadIdx.x / 128 * 8;
    if (column >= length || row >= lines) return;
    long long offset[3] = {};
    warpcell_move(layout, rest, offset, 2);
    const float* const p0 = x0 + offset[0] + column * layout.stride[0][0] + row * layout.stride[0][1];
    const long long step0 = layout.stride[0][1];
    const long long next0 = layout.stride[0][0];
    float v0[8][1];
    const float* const p1 = x1 + offset[1] + column * layout.stride[1][0] + row * layout.stride[1][1];
    const long long step1 = layout.stride[1][1];
    const long long next1 = layout.stride[1][0];
    float v1[8][1];
    float* const p2 = y0 + offset[2] + column * layout.stride[2][0] + row * layout.stride[2][1];
    const long long step2 = layout.stride[2][1];
    const long long next2 = layout.stride[2][0];
#pragma unroll
    for (int k = 0; k < 8; k++) {
        if (row + k >= lines) break;
#pragma unroll
        for (int c = 0; c < 1; c++) {
            v0[k][c] = p0[k * step0 + c * next0];
            v1[k][c] = p1[k * step1 + c * next1];
        }
    }
#pragma unroll
    for (int k = 0; k < 8; k++) {
        if (row + k >= lines) break;
#pragma unroll
        for (int c = 0; c < 1; c++) {
            p2[k * step2 + c * next2] = ::squared_difference(v0[k][c], v1[k][c]);
        }
    }
}
