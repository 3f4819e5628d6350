// What the libraries leave to do for factorisations of stacks of matrices.
//
//   WARPCELL_ELEMENT   float, double, c64 or c128

// Complex numbers.
template <typename P> struct alignas(2 * sizeof(P)) complex {
    P re, im;
};
typedef complex<float> c64;
typedef complex<double> c128;
typedef WARPCELL_ELEMENT element;

#define FUNCTION __device__ __forceinline__
#define OF_PARTS template <typename P> FUNCTION

// A number of 64 bits, or of two parts of 64 bits.
template <typename T> struct facts { typedef double wide; };
template <typename P> struct facts<complex<P>> { typedef c128 wide; };
typedef facts<element>::wide wide;

FUNCTION double widened(float x) { return x; }
FUNCTION double widened(double x) { return x; }
OF_PARTS c128 widened(complex<P> z) { return {double(z.re), double(z.im)}; }
FUNCTION void set(float& to, double value) { to = float(value); }
FUNCTION void set(double& to, double value) { to = value; }
OF_PARTS void set(complex<P>& to, double value) { to = {P(value), P(0)}; }
OF_PARTS void set(complex<P>& to, c128 value) { to = {P(value.re), P(value.im)}; }
FUNCTION double real(double x) { return x; }
FUNCTION float real(float x) { return x; }
OF_PARTS P real(complex<P> z) { return z.re; }
FUNCTION bool is_nan(double x) { return x != x; }
OF_PARTS bool is_nan(complex<P> z) { return z.re != z.re || z.im != z.im; }
FUNCTION c128 operator-(c128 z) { return {-z.re, -z.im}; }
FUNCTION c128 operator*(c128 a, c128 b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
// By a power of two.
FUNCTION double scaled(double x, int exponent) { return ldexp(x, exponent); }
FUNCTION c128 scaled(c128 z, int exponent) { return {ldexp(z.re, exponent), ldexp(z.im, exponent)}; }
// The absolute value, of complex numbers that of the larger part.
FUNCTION double largest(double x) { return fabs(x); }
FUNCTION double largest(c128 z) { return is_nan(z) ? z.re + z.im : fmax(fabs(z.re), fabs(z.im)); }
FUNCTION double length(double x) { return fabs(x); }
FUNCTION double length(c128 z) { return hypot(z.re, z.im); }
// A number of the same direction and of the length 1; 0 and NaN stay.
FUNCTION double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
FUNCTION c128 sign(c128 z) {
    const double size = length(z);
    return size == 0 ? z : c128{z.re / size, z.im / size};
}

#define THREADS 256
// Which part of a matrix is copied.
#define UPPER 0
#define LOWER 1
#define UNIT_LOWER 2

// How many elements apart matrices, rows and columns are.
struct Strides {
    i64 step, down, right;
};

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

// A number as significand times a power of two, so that products do not leave its range.
struct Product {
    wide significand;
    i64 exponent;
};

__device__ __forceinline__ void normalise(Product& x) {
    int exponent;
    const double size = frexp(largest(x.significand), &exponent);
    // Zeros, infinities and NaN stay as they are.
    if (size == 0 || size - size != 0) return;
    x.significand = scaled(x.significand, -exponent);
    x.exponent += exponent;
}

// Some blocks a matrix (y): whether it holds NaN. `found` begins as zeros.
extern "C" __global__ void __launch_bounds__(THREADS)
find_nan(const element* a, i64 size, int* found) {
    a += i64(blockIdx.x) * size;
    bool any = false;
    for (i64 at = i64(blockIdx.y) * THREADS + threadIdx.x; at < size; at += i64(gridDim.y) * THREADS) any |= is_nan(a[at]);
    if (any) found[blockIdx.x] = 1;
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
    // Beyond these there is no number of this type.
    const i64 exponent = mine.exponent > 5000 ? 5000 : mine.exponent < -5000 ? -5000 : mine.exponent;
    set(out[matrix], scaled(mine.significand, int(exponent)));
    set(out[count + matrix], sign(mine.significand));
    set(out[2 * count + matrix], log(length(mine.significand)) + double(mine.exponent) * 0.6931471805599453);
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
