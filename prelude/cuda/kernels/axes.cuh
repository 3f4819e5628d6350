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

