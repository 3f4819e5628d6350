// Running sums and products along the middle one of three axes of contiguous arrays.
//
//   WARPCELL_INPUT, WARPCELL_OUTPUT   element types of the array and of the result
//   WARPCELL_WIDE                     what is computed in: double for floats, else u64, modulo 2^64
//   WARPCELL_IDENTITY, WARPCELL_JOIN  0 and +, or 1 and *
//
// A line is what is scanned: neighbours in memory (rows), or with the lines between them (columns). Few long lines are cut
// into parts, so that they fill the device: first the total of each part is found, then the totals are scanned themselves,
// in place and by the same kernels, then each part is scanned, beginning with what comes before it. Totals of a line are
// neighbours. How parts are cut depends on the shape and the device alone, so results are the same each time.
//
// The result may be the input: no pointer is `__restrict__`, and a thread reads before it writes.

typedef WARPCELL_INPUT input;
typedef WARPCELL_OUTPUT output;
typedef WARPCELL_WIDE wide;

#define DEVICE __device__ __forceinline__
#define THREADS 256
#define WARPS (THREADS / 32)
// Elements of a thread, and of a block, at a time.
#define ITEMS 8
#define TILE (THREADS * ITEMS)

template <typename T> struct widened {
    static DEVICE u64 of(T x) { return u64(i64(x)); }
};
template <> struct widened<float> {
    static DEVICE double of(float x) { return x; }
};
template <> struct widened<double> {
    static DEVICE double of(double x) { return x; }
};

DEVICE wide lift(input x) { return widened<input>::of(x); }
DEVICE output lower(wide x) { return output(x); }
DEVICE wide identity() { return wide(WARPCELL_IDENTITY); }
DEVICE wide join(wide a, wide b) { return a WARPCELL_JOIN b; }

// A lane's value, read by another one: 8 bytes in two halves.
template <typename Read> DEVICE wide shuffled(wide value, Read read) {
    wide result;
    ((u32*)&result)[0] = read(((const u32*)&value)[0]);
    ((u32*)&result)[1] = read(((const u32*)&value)[1]);
    return result;
}
DEVICE wide of_earlier_lane(wide value, int distance) {
    return shuffled(value, [=](u32 half) { return __shfl_up_sync(0xffffffffu, half, distance); });
}
DEVICE wide of_lane(wide value, int lane) {
    return shuffled(value, [=](u32 half) { return __shfl_sync(0xffffffffu, half, lane); });
}
DEVICE wide of_later_lane(wide value, int distance) {
    return shuffled(value, [=](u32 half) { return __shfl_down_sync(0xffffffffu, half, distance); });
}

// Each lane's value joined with those of all lanes before it. All lanes of the warp take part.
DEVICE wide scanned_in_warp(wide value) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const wide before = of_earlier_lane(value, distance);
        if (lane >= distance) value = join(before, value);
    }
    return value;
}

// Where an element of a tile lies in shared memory: with a gap after each thread's, so that threads that read their
// elements one after the other are in different banks.
DEVICE int place(int element) { return element + element / ITEMS; }

// A block for each part of a row: `gridDim.y` parts of `part` elements, `totals` those of the parts, scanned.
extern "C" __global__ void __launch_bounds__(THREADS)
scan_long_rows(const input* x, output* out, i64 length, i64 part, const wide* totals) {
    __shared__ wide room[TILE + THREADS];
    __shared__ wide of_warps[WARPS];
    const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    const i64 row = blockIdx.x, number = blockIdx.y;
    const input* from = x + row * length;
    output* to = out + row * length;
    const i64 end = min(length, (number + 1) * part);
    wide carry = number == 0 ? identity() : totals[row * gridDim.y + number - 1];
#pragma unroll 1
    for (i64 tile = number * part; tile < end; tile += TILE) {
        wide values[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const i64 i = tile + k * THREADS + thread;
            values[k] = i < end ? lift(from[i]) : identity();
        }
        // From the order in which memory is read to neighbours for each thread, and back below. A thread writes here what
        // it alone has read at the end of the last round.
#pragma unroll
        for (int k = 0; k < ITEMS; k++) room[place(k * THREADS + thread)] = values[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; k++) values[k] = room[place(thread * ITEMS + k)];
#pragma unroll
        for (int k = 1; k < ITEMS; k++) values[k] = join(values[k - 1], values[k]);
        const wide through = scanned_in_warp(values[ITEMS - 1]);
        if (lane == 31) of_warps[warp] = through;
        wide before = of_earlier_lane(through, 1);
        if (lane == 0) before = identity();
        __syncthreads();
        wide start = carry;
#pragma unroll
        for (int other = 0; other < WARPS; other++) {
            if (other == warp) start = carry;
            carry = join(carry, of_warps[other]);
        }
        before = join(start, before);
#pragma unroll
        for (int k = 0; k < ITEMS; k++) room[place(thread * ITEMS + k)] = join(before, values[k]);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const i64 i = tile + k * THREADS + thread;
            if (i < end) to[i] = lower(room[place(k * THREADS + thread)]);
        }
    }
}

// The total of each part of a row; a block for each.
extern "C" __global__ void __launch_bounds__(THREADS)
scan_totals_of_rows(const input* x, i64 length, i64 part, wide* totals) {
    __shared__ wide of_warps[WARPS];
    const int thread = threadIdx.x;
    const i64 row = blockIdx.x, number = blockIdx.y;
    const input* from = x + row * length;
    const i64 end = min(length, (number + 1) * part);
    wide total = identity();
    i64 i = number * part + thread;
#pragma unroll 1
    for (; i + (ITEMS - 1) * THREADS < end; i += TILE) {
        input loaded[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) loaded[k] = from[i + k * THREADS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) total = join(total, lift(loaded[k]));
    }
#pragma unroll 1
    for (; i < end; i += THREADS) total = join(total, lift(from[i]));
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) total = join(total, of_later_lane(total, distance));
    if (thread % 32 == 0) of_warps[thread / 32] = total;
    __syncthreads();
    if (thread == 0) {
#pragma unroll
        for (int warp = 1; warp < WARPS; warp++) total = join(total, of_warps[warp]);
        totals[row * gridDim.y + number] = total;
    }
}

// A warp for each row.
extern "C" __global__ void __launch_bounds__(THREADS)
scan_short_rows(const input* x, output* out, i64 rows, i64 length) {
    const i64 row = (i64(blockIdx.x) * THREADS + threadIdx.x) / 32;
    const int lane = threadIdx.x % 32;
    // All lanes of a warp have one row, so none is missing below.
    if (row >= rows) return;
    wide carry = identity();
#pragma unroll 1
    for (i64 first = row * length; first < (row + 1) * length; first += 32) {
        const i64 i = first + lane;
        const bool inside = i < (row + 1) * length;
        const wide value = join(carry, scanned_in_warp(inside ? lift(x[i]) : identity()));
        if (inside) out[i] = lower(value);
        carry = of_lane(value, 31);
    }
}

// A thread for each part of a column: of `lines` columns, `inner` of which are neighbours, in `parts` parts of `part`
// elements. Threads side by side have columns side by side.
struct Column {
    i64 line, number, start, from, to;
    DEVICE bool find(i64 lines, i64 inner, i64 length, i64 part, i64 parts) {
        const i64 at = i64(blockIdx.x) * THREADS + threadIdx.x;
        if (at >= lines * parts) return false;
        number = at / lines;
        line = at - number * lines;
        const i64 outer = line / inner;
        start = outer * length * inner + (line - outer * inner);
        from = number * part;
        to = min(length, from + part);
        return true;
    }
};

extern "C" __global__ void __launch_bounds__(THREADS)
scan_columns(const input* x, output* out, i64 lines, i64 inner, i64 length, i64 part, i64 parts, const wide* totals) {
    Column column;
    if (!column.find(lines, inner, length, part, parts)) return;
    wide carry = column.number == 0 ? identity() : totals[column.line * parts + column.number - 1];
    const input* from = x + column.start;
    output* to = out + column.start;
    i64 i = column.from;
#pragma unroll 1
    for (; i + ITEMS <= column.to; i += ITEMS) {
        input loaded[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) loaded[k] = from[(i + k) * inner];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            carry = join(carry, lift(loaded[k]));
            to[(i + k) * inner] = lower(carry);
        }
    }
#pragma unroll 1
    for (; i < column.to; i++) {
        carry = join(carry, lift(from[i * inner]));
        to[i * inner] = lower(carry);
    }
}

// The total of each part of a column; a thread for each.
extern "C" __global__ void __launch_bounds__(THREADS)
scan_totals_of_columns(const input* x, i64 lines, i64 inner, i64 length, i64 part, i64 parts, wide* totals) {
    Column column;
    if (!column.find(lines, inner, length, part, parts)) return;
    const input* from = x + column.start;
    wide total = identity();
    i64 i = column.from;
#pragma unroll 1
    for (; i + ITEMS <= column.to; i += ITEMS) {
        input loaded[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) loaded[k] = from[(i + k) * inner];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) total = join(total, lift(loaded[k]));
    }
#pragma unroll 1
    for (; i < column.to; i++) total = join(total, lift(from[i * inner]));
    totals[column.line * parts + column.number] = total;
}
