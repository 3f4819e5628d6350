// Numbers in factorisations of stacks of matrices.
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
FUNCTION bool is_finite(double x) { return x - x == 0; }
OF_PARTS bool is_finite(complex<P> z) { return is_finite(z.re) && is_finite(z.im); }
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

// What the host hears of a fault later: the number of the call, from 1, and the matrix in the upper half, its status in the lower
// one.
struct Report {
    u32 call, unused;
    i64 found;
};

// Several calls may share a report: the first one says something.
FUNCTION void tell(Report* report, u32 call, u64 found) {
    if (atomicCAS(&report->call, 0u, call) == 0u) report->found = i64(found);
}

// How many elements apart matrices, rows and columns are.
struct Strides {
    i64 step, down, right;
};

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

// What is written of a determinant: itself, its sign and the logarithm of its absolute value. Beyond the limits there is no number of
// this type.
FUNCTION void write_determinant(const Product& product, element* out, i64 count) {
    const i64 exponent = product.exponent > 5000 ? 5000 : product.exponent < -5000 ? -5000 : product.exponent;
    set(out[0], scaled(product.significand, int(exponent)));
    set(out[count], sign(product.significand));
    set(out[2 * count], log(length(product.significand)) + double(product.exponent) * 0.6931471805599453);
}
