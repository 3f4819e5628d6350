// Counting: how many elements fall into each of some bins, or what they weigh together.
//
//   WARPCELL_ELEMENT   the element type
//   WARPCELL_BETWEEN   if defined, bins lie between edges, else each value has its own
//   WARPCELL_WEIGHTED  if defined, weights are added up, as f64
//
// Bins that fit into shared memory are counted there first, by each block for itself. The result holds zeros before.

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
