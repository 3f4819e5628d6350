// Counting: how many elements fall into each of some bins, or what they weigh together.
//
//   WARPCELL_ELEMENT   the element type
//   WARPCELL_BETWEEN   if defined, bins lie between edges, else each value has its own
//   WARPCELL_WEIGHTED  if defined, weights are added up, as f64
//   WARPCELL_SPLIT     if defined, the kernels are those for many elements in many bins
//
// Bins that fit into shared memory are counted there first, by each block for itself. Of more bins, a part that fits is a bucket: elements are
// sorted by their buckets, and then a block counts each of these. The result holds zeros before.

typedef WARPCELL_ELEMENT element;

#define THREADS 512
#define DEVICE __device__ __forceinline__

#ifdef WARPCELL_WEIGHTED
typedef double total;
typedef double partial;
#else
typedef u64 total;
typedef u32 partial;
#endif

// Bins that fit into shared memory.
constexpr u32 MOST = 32768 / sizeof(partial);

// Where bins begin and end; `scale` is bins a unit, if `even`.
struct Span {
    double first, last, scale;
    int even;
};

#ifdef WARPCELL_BETWEEN

// The bin of an element, or -1. `edges` has one more entry than there are bins.
DEVICE i64 bin_of(element x, const double* edges, const Span& span, i64 bins) {
    const double value = double(x);
    // False for NaN.
    if (!(value >= span.first && value <= span.last)) return -1;
    if (span.even) {
        // Computed, and put right by one where that was rounded across an edge.
        const i64 bin = min(i64((value - span.first) * span.scale), bins - 1);
        if (bin > 0 && value < edges[bin]) return bin - 1;
        if (bin < bins - 1 && value >= edges[bin + 1]) return bin + 1;
        return bin;
    }
    // The last bin that begins at or before the value: the number of edges up to it, less one.
    i64 first = 0, size = bins + 1;
    while (size > 0) {
        const i64 half = size / 2;
        if (edges[first + half] <= value) {
            first += half + 1;
            size -= half + 1;
        } else {
            size = half;
        }
    }
    return min(max(first - 1, i64(0)), bins - 1);
}

#else

DEVICE i64 bin_of(element x, const double*, const Span&, i64 bins) {
    const i64 bin = i64(x);
    return bin >= 0 && bin < bins ? bin : -1;
}

#endif

#ifndef WARPCELL_SPLIT

// In shared memory. Bins are few, so there is room for several copies of them, which neighbouring lanes use in turn.
extern "C" __global__ void __launch_bounds__(THREADS)
count_few(const element* x, i64 size, const double* weights, const double* edges, const __grid_constant__ Span span,
          u32 bins, u32 copies, total* out) {
    __shared__ partial counters[MOST];
    for (u32 i = threadIdx.x; i < bins * copies; i += THREADS) counters[i] = 0;
    __syncthreads();
    partial* own = counters + threadIdx.x % copies;
    const i64 step = i64(gridDim.x) * THREADS;
#pragma unroll 4
    for (i64 i = i64(blockIdx.x) * THREADS + threadIdx.x; i < size; i += step) {
        const i64 bin = bin_of(x[i], edges, span, bins);
#ifdef WARPCELL_WEIGHTED
        if (bin >= 0) atomicAdd(own + bin * copies, weights[i]);
#else
        if (bin >= 0) atomicAdd(own + bin * copies, 1u);
#endif
    }
    __syncthreads();
    for (u32 bin = threadIdx.x; bin < bins; bin += THREADS) {
        total sum = 0;
        for (u32 copy = 0; copy < copies; copy++) sum += counters[bin * copies + copy];
        if (sum != 0) atomicAdd(out + bin, sum);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
count_many(const element* x, i64 size, const double* weights, const double* edges, const __grid_constant__ Span span,
           i64 bins, total* out) {
    const i64 step = i64(gridDim.x) * THREADS;
#pragma unroll 4
    for (i64 i = i64(blockIdx.x) * THREADS + threadIdx.x; i < size; i += step) {
        const i64 bin = bin_of(x[i], edges, span, bins);
#ifdef WARPCELL_WEIGHTED
        if (bin >= 0) atomicAdd(out + bin, weights[i]);
#else
        if (bin >= 0) atomicAdd(out + bin, u64(1));
#endif
    }
}

#else

#define BUCKETS 128
#define SPLITTERS 1024
#define EACH 8
#define TILE (SPLITTERS * EACH)
#define NONE 0xffffffffu

// Appends each element's place in its bucket to what `places` has of that. There is room for `room` of each bucket; `lengths` says how many have
// come. What finds no room is counted in the result at once. A bucket has 2^shift bins.
extern "C" __global__ void __launch_bounds__(SPLITTERS)
split_bins(const element* x, u32 size, const double* edges, const __grid_constant__ Span span, i64 bins, u32 shift, u32 room,
           u16* places, u32* lengths, total* out) {
    __shared__ u32 counts[BUCKETS], begins[BUCKETS], targets[BUCKETS];
    __shared__ u16 sorted[TILE];
    for (u32 i = threadIdx.x; i < BUCKETS; i += SPLITTERS) counts[i] = 0;
    __syncthreads();
    const u32 first = blockIdx.x * TILE + threadIdx.x;
    u32 bin[EACH], rank[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const u32 at = first + k * SPLITTERS;
        // Without a bin -1, which is NONE.
        bin[k] = at < size ? u32(bin_of(x[at], edges, span, bins)) : NONE;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) rank[k] = bin[k] == NONE ? 0 : atomicAdd(counts + (bin[k] >> shift), 1u);
    __syncthreads();
    // A warp finds where buckets begin among the tile's elements, the others where there is room for them.
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (warp == 0) {
        u32 own[BUCKETS / 32], sum = 0;
#pragma unroll
        for (int k = 0; k < BUCKETS / 32; k++) {
            own[k] = sum;
            sum += counts[lane * (BUCKETS / 32) + k];
        }
        u32 through = sum;
#pragma unroll
        for (int distance = 1; distance < 32; distance *= 2) {
            const u32 before = __shfl_up_sync(0xffffffffu, through, distance);
            if (lane >= distance) through += before;
        }
#pragma unroll
        for (int k = 0; k < BUCKETS / 32; k++) begins[lane * (BUCKETS / 32) + k] = through - sum + own[k];
    } else {
        for (u32 i = threadIdx.x - 32; i < BUCKETS; i += SPLITTERS - 32) {
            if (counts[i] != 0) targets[i] = atomicAdd(lengths + i, counts[i]);
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (bin[k] != NONE) sorted[begins[bin[k] >> shift] + rank[k]] = u16(bin[k] & ((1u << shift) - 1));
    }
    __syncthreads();
    for (u32 bucket = warp; bucket < BUCKETS; bucket += SPLITTERS / 32) {
        const u32 count = counts[bucket], from = begins[bucket], target = targets[bucket];
        u16* const to = places + u64(bucket) * room;
        for (u32 i = lane; i < count; i += 32) {
            const u16 place = sorted[from + i];
            if (target + i < room) {
                to[target + i] = place;
            } else {
                // Equal ones together, so that all elements in one bin do not wait for each other.
                const u32 equal = __match_any_sync(__activemask(), place);
                if (lane == __ffs(equal) - 1) atomicAdd(out + (u64(bucket) << shift) + place, total(__popc(equal)));
            }
        }
    }
}

struct alignas(16) Places {
    u16 at[8];
};

// A block for each bucket, which nobody else counts meanwhile.
extern "C" __global__ void __launch_bounds__(SPLITTERS)
count_buckets(const u16* places, const u32* lengths, u32 room, u32 shift, i64 bins, total* out) {
    __shared__ partial counters[MOST];
    for (u32 i = threadIdx.x; i < 1u << shift; i += blockDim.x) counters[i] = 0;
    __syncthreads();
    const u32 length = min(lengths[blockIdx.x], room);
    const u16* from = places + u64(blockIdx.x) * room;
#pragma unroll 2
    for (u32 i = threadIdx.x * 8; i < length; i += blockDim.x * 8) {
        // `room` is a multiple of 8.
        const Places read = *(const Places*)(from + i);
#pragma unroll
        for (int k = 0; k < 8; k++) {
            if (i + k < length) atomicAdd(counters + read.at[k], 1u);
        }
    }
    __syncthreads();
    const i64 first = i64(blockIdx.x) << shift;
    for (u32 i = threadIdx.x; i < 1u << shift && first + i < bins; i += blockDim.x) {
        if (counters[i] != 0) out[first + i] += counters[i];
    }
}

#endif
