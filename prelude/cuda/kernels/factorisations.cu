// What the libraries leave to do for factorisations of stacks of matrices; the numbers are in factorisations.cuh.

#define THREADS 256
// Which part of a matrix is copied.
#define UPPER 0
#define LOWER 1
#define UNIT_LOWER 2

// Copies a triangle of each matrix; the rest becomes 0. The diagonal of a lower one has no imaginary parts.
extern "C" __global__ void __launch_bounds__(THREADS)
triangle(const element* x, element* out, i64 size, i64 rows, i64 columns, Strides from, Strides to, int part) {
    const i64 at = i64(blockIdx.x) * THREADS + threadIdx.x;
    if (at >= size) return;
    const i64 column = at % columns, row = at / columns % rows, matrix = at / columns / rows;
    const bool inside = part == UPPER ? column >= row : part == LOWER ? column <= row : column < row;
    element value;
    set(value, 0);
    if (inside) value = x[matrix * from.step + row * from.down + column * from.right];
    if (column == row && part == UNIT_LOWER) set(value, 1);
    if (column == row && part == LOWER) set(value, double(real(value)));
    out[matrix * to.step + row * to.down + column * to.right] = value;
}

// The eigenvectors of real matrices of `n` rows. They lie by columns: real ones, and of a conjugate pair of eigenvalues the real and the
// imaginary parts of the first one's in two columns. The results lie by rows, with two parts each.
extern "C" __global__ void __launch_bounds__(THREADS)
vectors_of_pairs(const element* vectors, const element* values, element* out, i64 size, i64 n) {
    const i64 at = i64(blockIdx.x) * THREADS + threadIdx.x;
    if (at >= size) return;
    const i64 column = at % n, row = at / n % n, matrix = at / n / n;
    const double part = real(widened(values[2 * (matrix * n + column) + 1]));
    const element* own = vectors + (matrix * n + column - (part < 0)) * n + row;
    out[2 * at] = own[0];
    set(out[2 * at + 1], part == 0 ? 0 : part < 0 ? -real(widened(own[n])) : real(widened(own[n])));
}

// Identity matrices of `n` rows.
extern "C" __global__ void __launch_bounds__(THREADS) identity(element* out, i64 size, i64 n) {
    const i64 at = i64(blockIdx.x) * THREADS + threadIdx.x;
    if (at < size) set(out[at], at % (n * n) % (n + 1) == 0);
}

// Unit matrices of `n` rows, by columns, after the row exchanges of an LU factorisation, whose rows are numbered from 1. `out` begins
// as zeros; a thread follows the one of a column, and `blockIdx.y` is the matrix.
extern "C" __global__ void __launch_bounds__(THREADS)
exchanged_identity(element* out, const int* pivots, i64 n) {
    const int column = blockIdx.x * THREADS + threadIdx.x;
    if (column >= n) return;
    out += i64(blockIdx.y) * n * n;
    pivots += i64(blockIdx.y) * n;
    int row = column;
#pragma unroll 8
    for (int step = 0; step < int(n); step++) {
        const int other = pivots[step] - 1;
        row = row == step ? other : row == other ? step : row;
    }
    set(out[column * n + row], 1);
}

// Some blocks a matrix (y): whether it holds NaN. `found` begins as zeros.
extern "C" __global__ void __launch_bounds__(THREADS)
find_nan(const element* a, i64 size, int* found) {
    a += i64(blockIdx.x) * size;
    bool any = false;
    for (i64 at = i64(blockIdx.y) * THREADS + threadIdx.x; at < size; at += i64(gridDim.y) * THREADS) any |= is_nan(a[at]);
    if (any) found[blockIdx.x] = 1;
}

// The same: whether it holds what is not finite.
extern "C" __global__ void __launch_bounds__(THREADS)
find_not_finite(const element* a, i64 size, int* found) {
    a += i64(blockIdx.x) * size;
    bool any = false;
    for (i64 at = i64(blockIdx.y) * THREADS + threadIdx.x; at < size; at += i64(gridDim.y) * THREADS) any |= !is_finite(a[at]);
    if (any) found[blockIdx.x] = 1;
}

// The same: makes zeros of a matrix that was found.
extern "C" __global__ void __launch_bounds__(THREADS)
clear_found(element* a, i64 size, const int* found) {
    if (!found[blockIdx.x]) return;
    a += i64(blockIdx.x) * size;
    for (i64 at = i64(blockIdx.y) * THREADS + threadIdx.x; at < size; at += i64(gridDim.y) * THREADS) set(a[at], 0);
}

// One block: reports the first matrix whose status is not 0, or that is not finite, which has the status 0 in the report.
extern "C" __global__ void __launch_bounds__(THREADS)
report_statuses(const int* statuses, const int* not_finite, i64 count, Report* report, u32 call) {
    __shared__ u64 first;
    if (threadIdx.x == 0) first = ~u64(0);
    __syncthreads();
    for (i64 at = threadIdx.x; at < count; at += THREADS) {
        const bool is_finite = !not_finite || !not_finite[at];
        if (!is_finite || statuses[at]) atomicMin(&first, u64(at) << 32 | (is_finite ? u32(statuses[at]) : 0u));
    }
    __syncthreads();
    if (threadIdx.x == 0 && first != ~u64(0)) tell(report, call, first);
}

// One block a matrix, after its LU factorisation by columns: the library gives up over NaN, with whatever it has then. Where there
// was NaN, all of the matrix becomes NaN, no rows are exchanged, and no pivot is 0.
extern "C" __global__ void __launch_bounds__(THREADS)
spread_nan(element* lu, int* pivots, int* statuses, const int* found, i64 rows, i64 columns) {
    const i64 matrix = blockIdx.x, size = rows * columns, each = rows < columns ? rows : columns;
    if (!found[matrix]) return;
    for (i64 at = threadIdx.x; at < size; at += THREADS) {
        set(lu[matrix * size + at], __longlong_as_double(0x7ff8000000000000ll));
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
    Product mine;
    mine.exponent = 0;
    set(mine.significand, 1);
    for (i64 at = threadIdx.x; at < n; at += THREADS) {
        Product factor = {widened(lu[at * (n + 1)]), 0};
        normalise(factor);
        mine.significand = mine.significand * (pivots[at] == at + 1 ? factor.significand : -factor.significand);
        mine.exponent += factor.exponent;
        normalise(mine);
    }
    parts[threadIdx.x] = mine;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            mine.significand = mine.significand * parts[threadIdx.x + half].significand;
            mine.exponent += parts[threadIdx.x + half].exponent;
            normalise(mine);
            parts[threadIdx.x] = mine;
        }
    }
    if (threadIdx.x != 0) return;
    if (statuses[matrix] > 0) {
        mine.exponent = 0;
        set(mine.significand, 0);
    }
    write_determinant(mine, out + matrix, count);
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
        if (!(real(factors[matrix * n * n + at * (n + 1)]) > 0)) atomicMin(&first, int(at + 1));
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
