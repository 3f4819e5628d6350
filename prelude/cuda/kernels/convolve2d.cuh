// Discrete 2-D convolution: out[i, j] = sum over p, q of image[i + origin_row - p, j + origin_column - q] * kernel[p, q].
//
// All programs add the terms of an output in the same order (p descending, then q descending, one accumulator, fused multiply-add), so
// they agree bit for bit, except in which NaN they give. Kernels that do not fit into one piece are taken in pieces of PIECE_ROWS by
// PIECE_COLUMNS, from the last rows and columns to the first.
//
// What lies outside the image is decided while a tile is filled, never in the inner loop.
//
//   WARPCELL_ELEMENT  the element type (unsigned for integers, which wrap)

#define PIECE_ROWS 16
#define PIECE_COLUMNS 32

#define WARPCELL_FILL 0
#define WARPCELL_WRAP 1
#define WARPCELL_SYMMETRIC 2

typedef WARPCELL_ELEMENT element;

struct Geometry {
    int image_rows, image_columns;
    int out_rows, out_columns;
    int kernel_rows, kernel_columns;
    int origin_row, origin_column;
    int padding;
    int tiles_across;
};

// Where an index beyond [0, length) lies in the image: the period is the image (wrap), or it and its mirror image
// (symmetric). Kept out of line: only tiles at an edge come here, and inlined divisions double the compile time.
__device__ __noinline__ int folded(int index, int length, int padding) {
    const int period = padding == WARPCELL_WRAP ? length : 2 * length;
    int at = index % period;
    if (at < 0) at += period;
    return at < length ? at : period - 1 - at;
}

// The index in the image for any index; -1 for the fill value.
__device__ __forceinline__ int inside(int index, int length, int padding) {
    if (index >= 0 && index < length) return index;
    return padding == WARPCELL_FILL ? -1 : folded(index, length, padding);
}

// The element of the image in a row that `inside` has found, and any column.
__device__ __forceinline__ element element_at(const element* image, const Geometry& geometry, int from_row, int column, element outside) {
    const int from_column = inside(column, geometry.image_columns, geometry.padding);
    return from_row >= 0 && from_column >= 0 ? image[(long long)from_row * geometry.image_columns + from_column] : outside;
}

// Not left to the compiler, which may not use it where it is to be quick.
__device__ __forceinline__ float multiply_add(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ double multiply_add(double a, double b, double c) { return __fma_rn(a, b, c); }
template <typename T> __device__ __forceinline__ T multiply_add(T a, T b, T c) { return a * b + c; }
