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

// Axes from the innermost outwards. Strides count elements. `magic` and `shift` replace the division by `length`
// for indices below 2^31: floor(n / d) = (mulhi(n, magic) + n) >> shift (Granlund and Montgomery, 1994).
#define MOST_AXES 8
struct Axes {
    int rank;
    u32 magic[MOST_AXES];
    u32 shift[MOST_AXES];
    i64 length[MOST_AXES];
    i64 condition_stride[MOST_AXES], a_stride[MOST_AXES], b_stride[MOST_AXES], out_stride[MOST_AXES];
};

template <typename index>
__device__ __forceinline__ void by_strides(const u8* condition, const element* a, const element* b, element* out, i64 size, Bits a_bits,
                                           Bits b_bits, const Axes& axes) {
    index at = index(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= index(size)) return;
    i64 condition_at = 0, a_at = 0, b_at = 0, out_at = 0;
    // Not unrolled: that doubles the time to compile, and the trip count is small.
#pragma unroll 1
    for (int axis = 0; axis < axes.rank; axis++) {
        index rest;
        if (axis + 1 == axes.rank) rest = 0;
        else if (sizeof(index) == 4) rest = (__umulhi(u32(at), axes.magic[axis]) + u32(at)) >> axes.shift[axis];
        else rest = at / index(axes.length[axis]);
        i64 here = i64(at - rest * index(axes.length[axis]));
        at = rest;
        condition_at += here * axes.condition_stride[axis];
        a_at += here * axes.a_stride[axis];
        b_at += here * axes.b_stride[axis];
        out_at += here * axes.out_stride[axis];
    }
    // Both are read, so that the loads need not wait for the condition.
    const bool chosen = condition[condition_at];
    const element left = a ? a[a_at] : from_bits(a_bits);
    const element right = b ? b[b_at] : from_bits(b_bits);
    out[out_at] = chosen ? left : right;
}

extern "C" __global__ void strided(const u8* condition, const element* a, const element* b, element* out, i64 size, Bits a_bits, Bits b_bits,
                                   const __grid_constant__ Axes axes) {
    by_strides<u32>(condition, a, b, out, size, a_bits, b_bits, axes);
}

extern "C" __global__ void strided_wide(const u8* condition, const element* a, const element* b, element* out, i64 size, Bits a_bits,
                                        Bits b_bits, const __grid_constant__ Axes axes) {
    by_strides<u64>(condition, a, b, out, size, a_bits, b_bits, axes);
}
