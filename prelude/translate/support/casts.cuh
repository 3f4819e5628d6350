// Floats to integers: what is out of range becomes the nearest limit, and NaN zero. The hardware does the first, and the second
// where both sides have 32 bits.

__device__ __forceinline__ i32 i32_from_f32(f32 x) { return __float2int_rz(x); }

__device__ __forceinline__ u32 u32_from_f32(f32 x) { return __float2uint_rz(x); }

__device__ __forceinline__ i64 i64_from_f32(f32 x) { return x == x ? __float2ll_rz(x) : 0; }

__device__ __forceinline__ u64 u64_from_f32(f32 x) { return x == x ? __float2ull_rz(x) : 0; }

__device__ __forceinline__ i32 i32_from_f64(f64 x) { return x == x ? __double2int_rz(x) : 0; }

__device__ __forceinline__ u32 u32_from_f64(f64 x) { return x == x ? __double2uint_rz(x) : 0; }

__device__ __forceinline__ i64 i64_from_f64(f64 x) { return x == x ? __double2ll_rz(x) : 0; }

__device__ __forceinline__ u64 u64_from_f64(f64 x) { return x == x ? __double2ull_rz(x) : 0; }

__device__ __forceinline__ isize isize_from_FLOAT(FLOAT x) { return i64_from_FLOAT(x); }

__device__ __forceinline__ usize usize_from_FLOAT(FLOAT x) { return u64_from_FLOAT(x); }

__device__ __forceinline__ i8 i8_from_FLOAT(FLOAT x) {
    const i32 whole = i32_from_FLOAT(x);
    return i8(whole < -128 ? -128 : whole > 127 ? 127 : whole);
}

__device__ __forceinline__ i16 i16_from_FLOAT(FLOAT x) {
    const i32 whole = i32_from_FLOAT(x);
    return i16(whole < -32768 ? -32768 : whole > 32767 ? 32767 : whole);
}

__device__ __forceinline__ u8 u8_from_FLOAT(FLOAT x) {
    const u32 whole = u32_from_FLOAT(x);
    return u8(whole > 255u ? 255u : whole);
}

__device__ __forceinline__ u16 u16_from_FLOAT(FLOAT x) {
    const u32 whole = u32_from_FLOAT(x);
    return u16(whole > 65535u ? 65535u : whole);
}
