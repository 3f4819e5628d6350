// 16-bit floats for kernels of the user's text: stored as such, computed in float, rounded to nearest when stored.

struct float16 {
    unsigned short bits;
    float16() = default;
    __device__ __forceinline__ float16(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
    __device__ __forceinline__ operator float() const {
        float wide;
        asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(bits));
        return wide;
    }
    __device__ __forceinline__ float16& operator+=(float x) { return *this = float16(float(*this) + x); }
    __device__ __forceinline__ float16& operator-=(float x) { return *this = float16(float(*this) - x); }
    __device__ __forceinline__ float16& operator*=(float x) { return *this = float16(float(*this) * x); }
    __device__ __forceinline__ float16& operator/=(float x) { return *this = float16(float(*this) / x); }
};

struct bfloat16 {
    unsigned short bits;
    bfloat16() = default;
    __device__ __forceinline__ bfloat16(float x) {
        const unsigned int wide = __float_as_uint(x);
        bits = (unsigned short)(x != x ? wide >> 16 | 0x40 : (wide + 0x7fff + (wide >> 16 & 1)) >> 16);
    }
    __device__ __forceinline__ operator float() const { return __uint_as_float((unsigned int)bits << 16); }
    __device__ __forceinline__ bfloat16& operator+=(float x) { return *this = bfloat16(float(*this) + x); }
    __device__ __forceinline__ bfloat16& operator-=(float x) { return *this = bfloat16(float(*this) - x); }
    __device__ __forceinline__ bfloat16& operator*=(float x) { return *this = bfloat16(float(*this) * x); }
    __device__ __forceinline__ bfloat16& operator/=(float x) { return *this = bfloat16(float(*this) / x); }
};
