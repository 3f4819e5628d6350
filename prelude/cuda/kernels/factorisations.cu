// What the libraries leave to do for factorisations of stacks of matrices.
//
//   WARPCELL_ELEMENT   float or double

typedef WARPCELL_ELEMENT element;

#define THREADS 256
// Which part of a matrix is copied.
#define UPPER 0
#define LOWER 1
#define UNIT_LOWER 2

// How many elements apart matrices, rows and columns are.
struct Strides {
    i64 step, down, right;
};

// Copies a triangle of each matrix; the rest becomes 0.
extern "C" __global__ void __launch_bounds__(THREADS)
triangle(const element* x, element* out, i64 size, i64 rows, i64 columns, Strides from, Strides to, int part) {
    const i64 at = i64(blockIdx.x) * THREADS + threadIdx.x;
    if (at >= size) return;
    const i64 column = at % columns, row = at / columns % rows, matrix = at / columns / rows;
    const bool inside = part == UPPER ? column >= row : part == LOWER ? column <= row : column < row;
    element value = 0;
    if (inside) value = x[matrix * from.step + row * from.down + column * from.right];
    if (part == UNIT_LOWER && column == row) value = 1;
    out[matrix * to.step + row * to.down + column * to.right] = value;
}

// Identity matrices of `n` rows.
extern "C" __global__ void __launch_bounds__(THREADS) identity(element* out, i64 size, i64 n) {
    const i64 at = i64(blockIdx.x) * THREADS + threadIdx.x;
    if (at < size) out[at] = at % (n * n) % (n + 1) == 0;
}

// A number as significand times a power of two, so that products do not leave its range.
struct Product {
    double significand;
    i64 exponent;
};

__device__ __forceinline__ void normalise(Product& x) {
    int exponent;
    const double significand = frexp(x.significand, &exponent);
    // Zeros, infinities and NaN stay as they are.
    if (significand == 0 || significand - significand != 0) return;
    x.significand = significand;
    x.exponent += exponent;
}

// Some blocks a matrix (y): whether it holds NaN. `found` begins as zeros.
extern "C" __global__ void __launch_bounds__(THREADS)
find_nan(const element* a, i64 size, int* found) {
    a += i64(blockIdx.x) * size;
    bool any = false;
    for (i64 at = i64(blockIdx.y) * THREADS + threadIdx.x; at < size; at += i64(gridDim.y) * THREADS) any |= a[at] != a[at];
    if (any) found[blockIdx.x] = 1;
}

// One block a matrix, after its LU factorisation by columns: the library gives up over NaN, with whatever it has then. Where there
// was NaN, all of the matrix becomes NaN, no rows are exchanged, and no pivot is 0.
extern "C" __global__ void __launch_bounds__(THREADS)
spread_nan(element* lu, int* pivots, int* statuses, const int* found, i64 rows, i64 columns) {
    const i64 matrix = blockIdx.x, size = rows * columns, each = rows < columns ? rows : columns;
    if (!found[matrix]) return;
    for (i64 at = threadIdx.x; at < size; at += THREADS) {
        lu[matrix * size + at] = element(__longlong_as_double(0x7ff8000000000000ll));
    }
    for (i64 at = threadIdx.x; at < each; at += THREADS) pivots[matrix * each + at] = int(at) + 1;
    if (threadIdx.x == 0) statuses[matrix] = 0;
}

// One block a matrix: the determinant, its sign and the logarithm of its absolute value, from LU factors and the numbers of the
// rows that were exchanged, from 1. A status above 0 stands for a pivot of 0.
extern "C" __global__ void __launch_bounds__(THREADS)
determinants(const element* lu, const int* pivots, const int* statuses, i64 n, i64 count, element* out) {
    __shared__ Product parts[THREADS];
    const i64 matrix = blockIdx.x;
    lu += matrix * n * n;
    pivots += matrix * n;
    Product mine = {1, 0};
    for (i64 at = threadIdx.x; at < n; at += THREADS) {
        Product factor = {double(lu[at * (n + 1)]), 0};
        normalise(factor);
        mine.significand *= pivots[at] == at + 1 ? factor.significand : -factor.significand;
        mine.exponent += factor.exponent;
        normalise(mine);
    }
    parts[threadIdx.x] = mine;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            mine.significand *= parts[threadIdx.x + half].significand;
            mine.exponent += parts[threadIdx.x + half].exponent;
            normalise(mine);
            parts[threadIdx.x] = mine;
        }
    }
    if (threadIdx.x != 0) return;
    if (statuses[matrix] > 0) mine = {0, 0};
    const double s = mine.significand;
    // Beyond these there is no number of this type.
    const i64 exponent = mine.exponent > 5000 ? 5000 : mine.exponent < -5000 ? -5000 : mine.exponent;
    out[matrix] = element(ldexp(s, int(exponent)));
    out[count + matrix] = s > 0 ? element(1) : s < 0 ? element(-1) : element(s);
    out[2 * count + matrix] = element(log(fabs(s)) + double(mine.exponent) * 0.6931471805599453);
}

// One block a matrix: where the diagonal of a triangular factor is not positive (NaN is not), the status becomes the number of the
// first such element, from 1, if it is 0.
extern "C" __global__ void __launch_bounds__(THREADS)
positive_diagonals(const element* factors, i64 n, int* statuses) {
    __shared__ int first;
    const i64 matrix = blockIdx.x;
    if (threadIdx.x == 0) first = 0x7fffffff;
    __syncthreads();
    for (i64 at = threadIdx.x; at < n; at += THREADS) {
        if (!(factors[matrix * n * n + at * (n + 1)] > 0)) atomicMin(&first, int(at + 1));
    }
    __syncthreads();
    if (threadIdx.x == 0 && statuses[matrix] == 0 && first != 0x7fffffff) statuses[matrix] = first;
}

// The addresses of matrices that are `bytes` bytes apart.
extern "C" __global__ void __launch_bounds__(THREADS)
addresses(u64* out, u64 start, u64 bytes, i64 count) {
    const i64 at = i64(blockIdx.x) * THREADS + threadIdx.x;
    if (at < count) out[at] = start + u64(at) * bytes;
}
