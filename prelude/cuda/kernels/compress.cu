// The true elements of a mask: their positions, or the elements of an array at these positions, in order.
//
//   WARPCELL_ELEMENT   u8, u16, u32, u64 or c128: elements of that size are written; not defined: positions, as i64
//
// Three launches: `count_true` counts the true elements of each block's chunk, `sum_counts` adds the counts up (after it the
// host reads the sum and makes room), `compress` writes. A chunk is CHUNK elements; mask and source are contiguous.

struct alignas(16) c128 {
    double re, im;
};
#ifdef WARPCELL_ELEMENT
typedef WARPCELL_ELEMENT element;
#else
typedef i64 element;
#endif

#define DEVICE __device__ __forceinline__
#define THREADS 256
#define EACH 16
#define ROUNDS 4
constexpr int ROUND = THREADS * EACH;
constexpr int CHUNK = ROUND * ROUNDS;

struct alignas(EACH) Pack {
    u8 at[EACH];
};

// Which of the EACH elements from `first` on are true, a bit for each.
DEVICE u32 truths(const u8* mask, i64 first, i64 size) {
    u32 bits = 0;
    if (first + EACH <= size && u64(mask) % EACH == 0) {
        const Pack pack = *(const Pack*)(mask + first);
#pragma unroll
        for (int i = 0; i < EACH; i++) bits |= u32(pack.at[i] != 0) << i;
    } else {
#pragma unroll 1
        for (int i = 0; i < EACH && first + i < size; i++) bits |= u32(mask[first + i] != 0) << i;
    }
    return bits;
}

// The sum of the values of this warp's lanes up to this one.
template <typename T> DEVICE T sum_so_far(T value) {
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        T other = __shfl_up_sync(0xffffffffu, value, distance);
        if (threadIdx.x % 32 >= distance) value += other;
    }
    return value;
}

// The sum of the values of the threads before this one, and of all of the block's `warps` warps. All threads call it.
template <typename T, int warps> DEVICE T sum_before(T value, T& total) {
    __shared__ T of_warps[warps];
    const T so_far = sum_so_far(value);
    __syncthreads();
    if (threadIdx.x % 32 == 31) of_warps[threadIdx.x / 32] = so_far;
    __syncthreads();
    T before = so_far - value;
    total = 0;
#pragma unroll
    for (int warp = 0; warp < warps; warp++) {
        if (warp < threadIdx.x / 32) before += of_warps[warp];
        total += of_warps[warp];
    }
    return before;
}

extern "C" __global__ void __launch_bounds__(THREADS)
count_true(const u8* mask, i64 size, i64* counts) {
    const i64 start = i64(blockIdx.x) * CHUNK + threadIdx.x * EACH;
    u32 count = 0;
#pragma unroll
    for (int round = 0; round < ROUNDS; round++) count += __popc(truths(mask, start + round * ROUND, size));
    u32 total;
    sum_before<u32, THREADS / 32>(count, total);
    if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

// One block: turns each count into the sum of those before it; the sum of all goes behind the last.
#define SUM_THREADS 1024
extern "C" __global__ void __launch_bounds__(SUM_THREADS)
sum_counts(i64* counts, i64 blocks) {
    i64 sum = 0;
#pragma unroll 1
    for (i64 first = 0; first < blocks; first += SUM_THREADS) {
        const i64 at = first + threadIdx.x;
        i64 total;
        const i64 before = sum_before<i64, SUM_THREADS / 32>(at < blocks ? counts[at] : 0, total);
        if (at < blocks) counts[at] = sum + before;
        sum += total;
    }
    if (threadIdx.x == 0) counts[blocks] = sum;
}

// `starts` is what `sum_counts` has left. Since then, other work may have changed the mask: `total` is the room there is.
extern "C" __global__ void __launch_bounds__(THREADS)
compress(const u8* mask, const element* source, i64 size, const i64* starts, i64 total, element* out) {
    // Where the true elements of a round are, so that neighbouring threads write neighbouring elements.
    __shared__ u16 found[ROUND];
    i64 written = starts[blockIdx.x];
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++) {
        const i64 start = i64(blockIdx.x) * CHUNK + round * ROUND;
        u32 bits = truths(mask, start + threadIdx.x * EACH, size);
        u32 count;
        u32 before = sum_before<u32, THREADS / 32>(__popc(bits), count);
        while (bits) {
            found[before++] = u16(threadIdx.x * EACH + __ffs(bits) - 1);
            bits &= bits - 1;
        }
        __syncthreads();
#pragma unroll 1
        for (u32 i = threadIdx.x; i < count; i += THREADS) {
            const i64 position = start + found[i];
#ifdef WARPCELL_ELEMENT
            if (written + i < total) out[written + i] = source[position];
#else
            if (written + i < total) out[written + i] = position;
#endif
        }
        written += count;
        __syncthreads();
    }
}
