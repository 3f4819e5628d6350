// Complex numbers for kernels of the user's text.

template <typename P> struct alignas(2 * sizeof(P)) complex {
    P re, im;
    complex() = default;
    __device__ __forceinline__ constexpr complex(P re, P im = P(0)) : re(re), im(im) {}
    template <typename Q> __device__ __forceinline__ explicit constexpr complex(const complex<Q>& z) : re(P(z.re)), im(P(z.im)) {}
    __device__ __forceinline__ P real() const { return re; }
    __device__ __forceinline__ P imag() const { return im; }
    __device__ __forceinline__ complex operator+() const { return *this; }
    __device__ __forceinline__ complex operator-() const { return complex(-re, -im); }
    // Among the class's own, so that numbers on either side convert.
    friend __device__ __forceinline__ complex operator+(complex a, complex b) { return complex(a.re + b.re, a.im + b.im); }
    friend __device__ __forceinline__ complex operator-(complex a, complex b) { return complex(a.re - b.re, a.im - b.im); }
    friend __device__ __forceinline__ complex operator*(complex a, complex b) {
        return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
    }
    // Scaled by the larger part of the divisor, so that its square does not overflow.
    friend __device__ __forceinline__ complex operator/(complex a, complex b) {
        if (fabs(b.re) >= fabs(b.im)) {
            const P ratio = b.im / b.re, scale = P(1) / (b.re + b.im * ratio);
            return complex((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale);
        }
        const P ratio = b.re / b.im, scale = P(1) / (b.re * ratio + b.im);
        return complex((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale);
    }
    friend __device__ __forceinline__ bool operator==(complex a, complex b) { return a.re == b.re && a.im == b.im; }
    friend __device__ __forceinline__ bool operator!=(complex a, complex b) { return !(a == b); }
    __device__ __forceinline__ complex& operator+=(complex b) { return *this = *this + b; }
    __device__ __forceinline__ complex& operator-=(complex b) { return *this = *this - b; }
    __device__ __forceinline__ complex& operator*=(complex b) { return *this = *this * b; }
    __device__ __forceinline__ complex& operator/=(complex b) { return *this = *this / b; }
};
template <typename P> __device__ __forceinline__ P real(complex<P> z) { return z.re; }
template <typename P> __device__ __forceinline__ P imag(complex<P> z) { return z.im; }
template <typename P> __device__ __forceinline__ complex<P> conj(complex<P> z) { return complex<P>(z.re, -z.im); }
template <typename P> __device__ __forceinline__ P norm(complex<P> z) { return z.re * z.re + z.im * z.im; }
template <typename P> __device__ __forceinline__ P abs(complex<P> z) { return hypot(z.re, z.im); }
template <typename P> __device__ __forceinline__ P arg(complex<P> z) { return atan2(z.im, z.re); }
template <typename P> __device__ __forceinline__ complex<P> exp(complex<P> z) {
    const P scale = exp(z.re);
    return complex<P>(scale * cos(z.im), scale * sin(z.im));
}
