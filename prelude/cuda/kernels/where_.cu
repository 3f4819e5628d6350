// The elements of one operand where a condition holds, else those of another.
//
//   WARPCELL_ELEMENT   u8, u16, u32, u64 or c128: only the size of an element matters
//
// Four kernels: contiguous operands in packs of 16 bytes (`packed`) or, where an address does not allow that, one by one
// (`single`); and any strides, with 32-bit (`strided`) or 64-bit (`strided_wide`) indices. An operand without an address
// is one value for all elements, handed over in `a_bits` or `b_bits`.
//
// The result may be one of the operands: no pointer is `__restrict__`, and a thread reads before it writes.

struct alignas(16) c128 {
    double re, im;
};
typedef WARPCELL_ELEMENT element;

// A value, in the low bytes of two words (little-endian, as all CUDA devices are).
struct alignas(16) Bits {
    u64 low, high;
};
__device__ __forceinline__ element from_bits(Bits bits) { return *(const element*)&bits; }

template <typename T, int count> struct alignas(sizeof(T) * count) Pack {
    T at[count];
};

template <int count>
__device__ __forceinline__ void contiguous(const u8* condition, const element* a, const element* b, element* out, i64 size, Bits a_bits,
                                           Bits b_bits) {
    i64 first = (i64(blockIdx.x) * blockDim.x + threadIdx.x) * count;
    const element a_value = from_bits(a_bits), b_value = from_bits(b_bits);
    if (first + count <= size) {
        const Pack<u8, count> chosen = *(const Pack<u8, count>*)(condition + first);
        Pack<element, count> left, right, result;
#pragma unroll
        for (int i = 0; i < count; i++) {
            left.at[i] = a_value;
            right.at[i] = b_value;
        }
        if (a) left = *(const Pack<element, count>*)(a + first);
        if (b) right = *(const Pack<element, count>*)(b + first);
#pragma unroll
        for (int i = 0; i < count; i++) result.at[i] = chosen.at[i] ? left.at[i] : right.at[i];
        *(Pack<element, count>*)(out + first) = result;
    } else {
        for (i64 i = first; i < size; i++) out[i] = condition[i] ? (a ? a[i] : a_value) : (b ? b[i] : b_value);
    }
}

extern "C" __global__ void packed(const u8* condition, const element* a, const element* b, element* out, i64 size, Bits a_bits, Bits b_bits) {
    contiguous<16 / sizeof(element)>(condition, a, b, out, size, a_bits, b_bits);
}

extern "C" __global__ void single(const u8* condition, const element* a, const element* b, element* out, i64 size, Bits a_bits, Bits b_bits) {
    contiguous<1>(condition, a, b, out, size, a_bits, b_bits);
}

// `axes` are those of the condition, the operands and the result.
template <typename index>
__device__ __forceinline__ void by_strides(const u8* condition, const element* a, const element* b, element* out, i64 size, Bits a_bits,
                                           Bits b_bits, const warpcell_axes<4>& axes) {
    const index number = index(blockIdx.x) * blockDim.x + threadIdx.x;
    if (number >= index(size)) return;
    i64 at[4] = {0, 0, 0, 0};
    warpcell_move(axes, number, at);
    // Both are read, so that the loads need not wait for the condition.
    const bool chosen = condition[at[0]];
    const element left = a ? a[at[1]] : from_bits(a_bits);
    const element right = b ? b[at[2]] : from_bits(b_bits);
    out[at[3]] = chosen ? left : right;
}

extern "C" __global__ void strided(const u8* condition, const element* a, const element* b, element* out, i64 size, Bits a_bits, Bits b_bits,
                                   const __grid_constant__ warpcell_axes<4> axes) {
    by_strides<u32>(condition, a, b, out, size, a_bits, b_bits, axes);
}

extern "C" __global__ void strided_wide(const u8* condition, const element* a, const element* b, element* out, i64 size, Bits a_bits,
                                        Bits b_bits, const __grid_constant__ warpcell_axes<4> axes) {
    by_strides<u64>(condition, a, b, out, size, a_bits, b_bits, axes);
}
