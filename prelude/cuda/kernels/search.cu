// What is asked of sorted elements: where values belong, and which are distinct. NaN is greater than all others, and equal to
// itself.
//
//   WARPCELL_ELEMENT   the element type
//   WARPCELL_IS_FLOAT  set for floats, which alone are interpolated

typedef WARPCELL_ELEMENT element;

#define THREADS 256
#define DEVICE __device__ __forceinline__

DEVICE bool less(element a, element b) { return a < b || (b != b && a == a); }
DEVICE bool equal(element a, element b) { return a == b || (a != a && b != b); }

// How many of the sorted elements are less than a value, or with `right`, less or equal.
DEVICE i64 place_of(const element* sorted, i64 length, element value, bool right) {
    // The answer is from `first` to `first + size`.
    i64 first = 0, size = length;
    while (size > 0) {
        const i64 half = size / 2;
        const element middle = sorted[first + half];
        const bool before = right ? !less(value, middle) : less(middle, value);
        if (before) {
            first += half + 1;
            size -= half + 1;
        } else {
            size = half;
        }
    }
    return first;
}

extern "C" __global__ void __launch_bounds__(THREADS)
search_sorted(const element* sorted, i64 length, const element* values, i64 count, int right, i64* out) {
    const i64 at = i64(blockIdx.x) * THREADS + threadIdx.x;
    if (at >= count) return;
    out[at] = place_of(sorted, length, values[at], right != 0);
}

// Whether one of the sorted elements equals a value, or where that is `inverted`, whether none does. NaN equals none.
extern "C" __global__ void __launch_bounds__(THREADS)
contains(const element* sorted, i64 length, const element* values, i64 count, int inverted, bool* out) {
    const i64 at = i64(blockIdx.x) * THREADS + threadIdx.x;
    if (at >= count) return;
    const element value = values[at];
    const i64 place = place_of(sorted, length, value, false);
    out[at] = (place < length && sorted[place] == value) != (inverted != 0);
}

#ifdef WARPCELL_IS_FLOAT
// Values of the function that is linear between points, and constant before the first and behind the last one.
extern "C" __global__ void __launch_bounds__(THREADS)
interpolate(const element* x, i64 count, const element* places, const element* values, i64 length, element* out) {
    const i64 at = i64(blockIdx.x) * THREADS + threadIdx.x;
    if (at >= count) return;
    const element here = x[at];
    const i64 behind = place_of(places, length, here, true);
    const i64 before = behind > 0 ? behind - 1 : 0;
    const element x0 = places[before], y0 = values[before];
    element slope = 0;
    if (behind > 0 && behind < length) slope = (values[behind] - y0) / (places[behind] - x0);
    // The distance may be infinite.
    const bool is_at_point = here == x0 || (slope == element(0) && here == here);
    out[at] = is_at_point ? y0 : y0 + slope * (here - x0);
}
#endif

// ---- The first of each run of equal elements ----

constexpr u32 ITEMS = 16;
constexpr i64 TILE = THREADS * ITEMS;

DEVICE bool begins(const element* sorted, i64 at) { return at == 0 || !equal(sorted[at - 1], sorted[at]); }

// The sum of the values of the threads before this one; `total` is that of all.
DEVICE u32 sum_before(u32 value, u32* of_warps, u32& total) {
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    u32 sum = value;
#pragma unroll
    for (u32 distance = 1; distance < 32; distance *= 2) {
        const u32 other = __shfl_up_sync(0xffffffffu, sum, distance);
        if (lane >= distance) sum += other;
    }
    if (lane == 31) of_warps[warp] = sum;
    __syncthreads();
    u32 before = 0;
    total = 0;
#pragma unroll
    for (u32 other = 0; other < THREADS / 32; other++) {
        if (other < warp) before += of_warps[other];
        total += of_warps[other];
    }
    __syncthreads();
    return before + sum - value;
}

// How many runs begin in each tile.
extern "C" __global__ void __launch_bounds__(THREADS)
runs_count(const element* sorted, i64 length, i64* counts) {
    __shared__ u32 of_warps[THREADS / 32];
    const i64 base = i64(blockIdx.x) * TILE;
    u32 found = 0;
#pragma unroll 4
    for (u32 k = 0; k < ITEMS; k++) {
        const i64 at = base + i64(k) * THREADS + threadIdx.x;
        if (at < length && begins(sorted, at)) found++;
    }
    u32 total;
    sum_before(found, of_warps, total);
    if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

// Makes of each count the sum of those before it, and writes that of all behind them. One block.
extern "C" __global__ void __launch_bounds__(THREADS)
runs_scan(i64* counts, i64 tiles) {
    __shared__ u32 of_warps[THREADS / 32];
    i64 before = 0;
    for (i64 base = 0; base < tiles; base += THREADS) {
        const i64 at = base + threadIdx.x;
        // At most TILE each.
        const u32 count = at < tiles ? u32(counts[at]) : 0;
        u32 total;
        const u32 sum = sum_before(count, of_warps, total);
        if (at < tiles) counts[at] = before + sum;
        before += total;
    }
    if (threadIdx.x == 0) counts[tiles] = before;
}

// Writes the first elements of the runs and their positions, and the length behind them.
extern "C" __global__ void __launch_bounds__(THREADS)
runs_write(const element* sorted, i64 length, const i64* counts, element* elements, i64* starts) {
    __shared__ u32 of_warps[THREADS / 32];
    const i64 base = i64(blockIdx.x) * TILE;
    i64 number = counts[blockIdx.x];
#pragma unroll 1
    for (u32 k = 0; k < ITEMS; k++) {
        const i64 at = base + i64(k) * THREADS + threadIdx.x;
        const bool first = at < length && begins(sorted, at);
        u32 total;
        const u32 before = sum_before(first, of_warps, total);
        if (first) {
            elements[number + before] = sorted[at];
            starts[number + before] = at;
        }
        number += total;
    }
    // The last block has come to the number of all runs.
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) starts[number] = length;
}
