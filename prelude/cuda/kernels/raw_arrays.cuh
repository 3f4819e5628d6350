// What generated kernels walk over arrays by: joined axes with the strides of each array, and what the user's text indexes.

#define warpcell_inline __device__ __forceinline__

// Joined axes, the innermost first, and how many elements apart the neighbours of each array lie along them.
template <int ARRAYS> struct warpcell_axes {
    long long rank;
    long long length[8];
    long long stride[ARRAYS][8];
};

// The offsets of element `index`, counted in row-major order, in each array; below `count`, the number of elements.
template <int ARRAYS>
warpcell_inline void warpcell_offsets(
        const warpcell_axes<ARRAYS>& axes, long long index, long long count, long long (&offset)[ARRAYS]) {
#pragma unroll
    for (int axis = 0; axis < 8; axis++) {
        if (axis >= axes.rank) break;
        long long at = index;
        if (axis + 1 < axes.rank) {
            if (count <= 0xffffffffll) {
                const unsigned int length = (unsigned int)axes.length[axis], quotient = (unsigned int)index / length;
                at = (unsigned int)index - quotient * length;
                index = quotient;
            } else {
                const long long quotient = index / axes.length[axis];
                at = index - quotient * axes.length[axis];
                index = quotient;
            }
        }
#pragma unroll
        for (int array = 0; array < ARRAYS; array++) offset[array] += at * axes.stride[array][axis];
    }
}

// An array that the text indexes itself.
template <typename E> struct warpcell_raw {
    E* first;
    long long count;
    warpcell_inline E& operator[](long long at) const { return first[at]; }
    warpcell_inline long long size() const { return count; }
};

// How many elements there are in all.
struct warpcell_index {
    long long count;
    warpcell_inline long long size() const { return count; }
};

// Neighbours that are read and written at once.
template <typename E, int COUNT> struct alignas(sizeof(E) * COUNT) warpcell_pack {
    E at[COUNT];
};
