// `five_points` over arrays: CUDA C, made of the Rust lines in the comments.


__device__ __forceinline__ float five_points(float c, float n, float s, float w, float e) { return (c + n + s + w + e) * 0.2f; }

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
tiles_five_points(const float* x0, const float* x1, const float* x2, const float* x3, const float* x4, float* y0, long long size, const __grid_constant__ warpcell_axes<6> layout) {
    const unsigned int length = (unsigned int)layout.length[0], lines = (unsigned int)layout.length[1];
    const unsigned int parts = (length + 255) / 256, bands = (lines + 7) / 8;
    const unsigned int band = blockIdx.x / parts, rest = band / bands;
    const unsigned int column = (blockIdx.x - band * parts) * 256 + threadIdx.x % 128 * 2;
    const unsigned int row = (band - rest * bands) * 8 + threadIdx.x / 128 * 4;
    if (column >= length || row >= lines) return;
    long long offset[6] = {};
    warpcell_move(layout, rest, offset, 2);
    float* const p5 = y0 + offset[5] + column * layout.stride[5][0] + row * layout.stride[5][1];
    const long long step5 = layout.stride[5][1];
    const long long pitch0 = layout.stride[0][1];
    const float* const corner0 = x0 + offset[0] + column + ((long long)row - 1) * pitch0 - 1;
    alignas(warpcell_pack<float, 2>) float cells0[6][4];
    *(warpcell_pack<float, 2>*)&cells0[0][0] = *(const warpcell_pack<float, 2>*)(corner0 + 0 * pitch0 + 0);
    *(warpcell_pack<float, 2>*)&cells0[0][2] = *(const warpcell_pack<float, 2>*)(corner0 + 0 * pitch0 + 2);
    *(warpcell_pack<float, 2>*)&cells0[1][0] = *(const warpcell_pack<float, 2>*)(corner0 + 1 * pitch0 + 0);
    *(warpcell_pack<float, 2>*)&cells0[1][2] = *(const warpcell_pack<float, 2>*)(corner0 + 1 * pitch0 + 2);
    *(warpcell_pack<float, 2>*)&cells0[2][0] = *(const warpcell_pack<float, 2>*)(corner0 + 2 * pitch0 + 0);
    *(warpcell_pack<float, 2>*)&cells0[2][2] = *(const warpcell_pack<float, 2>*)(corner0 + 2 * pitch0 + 2);
    if (row + 1 < lines) *(warpcell_pack<float, 2>*)&cells0[3][0] = *(const warpcell_pack<float, 2>*)(corner0 + 3 * pitch0 + 0);
    if (row + 1 < lines) *(warpcell_pack<float, 2>*)&cells0[3][2] = *(const warpcell_pack<float, 2>*)(corner0 + 3 * pitch0 + 2);
    if (row + 2 < lines) *(warpcell_pack<float, 2>*)&cells0[4][0] = *(const warpcell_pack<float, 2>*)(corner0 + 4 * pitch0 + 0);
    if (row + 2 < lines) *(warpcell_pack<float, 2>*)&cells0[4][2] = *(const warpcell_pack<float, 2>*)(corner0 + 4 * pitch0 + 2);
    if (row + 3 < lines) *(warpcell_pack<float, 2>*)&cells0[5][0] = *(const warpcell_pack<float, 2>*)(corner0 + 5 * pitch0 + 0);
    if (row + 3 < lines) *(warpcell_pack<float, 2>*)&cells0[5][2] = *(const warpcell_pack<float, 2>*)(corner0 + 5 * pitch0 + 2);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (row + k >= lines) break;
        warpcell_pack<float, 2> pack5;
#pragma unroll
        for (int c = 0; c < 2; c++) {
            pack5.at[c] = ::five_points(cells0[k + 1][c + 1], cells0[k + 0][c + 1], cells0[k + 2][c + 1], cells0[k + 1][c + 0], cells0[k + 1][c + 2]);
        }
        *(warpcell_pack<float, 2>*)(p5 + k * step5) = pack5;
    }
}
