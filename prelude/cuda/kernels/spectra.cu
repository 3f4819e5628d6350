// The product of spectra: a[i] = a[i] * b[i % others] * scale, of complex numbers.
//
//   WARPCELL_ELEMENT   float or double

typedef WARPCELL_ELEMENT element;

#define THREADS 256

struct alignas(2 * sizeof(element)) Complex {
    element re, im;
};

extern "C" __global__ void __launch_bounds__(THREADS)
multiply(Complex* a, const Complex* __restrict__ b, i64 size, i64 others, double scale) {
    const i64 i = i64(blockIdx.x) * THREADS + threadIdx.x;
    if (i >= size) return;
    i64 at = i;
    // Divisions of 32 bits are several times faster.
    if (size != others) at = size <= 0xffffffffll ? i64(u32(i) % u32(others)) : i % others;
    const Complex x = a[i], y = b[at];
    const element s = element(scale);
    a[i] = {(x.re * y.re - x.im * y.im) * s, (x.re * y.im + x.im * y.re) * s};
}
