// Running sums and products along the middle one of three axes of contiguous arrays.
//
//   WARPCELL_INPUT, WARPCELL_OUTPUT   element types of the array and of the result
//   WARPCELL_WIDE                     what is computed in: double for floats, else u64, modulo 2^64
//   WARPCELL_IDENTITY, WARPCELL_JOIN  0 and +, or 1 and *
//
// A line is what is scanned: neighbours in memory (rows), or with the lines between them (columns). Few long rows are cut into tiles,
// which are totalled and scanned in one launch (`scan_tiles`). Few long columns are cut into parts, so that they fill the device: first the total of each
// part is found, then the totals are scanned themselves, as rows, in place, then each part is scanned, beginning with what comes before
// it. Totals of a line are neighbours. How lines are cut depends on the shape and the device alone, so results are the same each time.
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

// A block for each row.
extern "C" __global__ void __launch_bounds__(THREADS)
scan_long_rows(const input* x, output* out, i64 length) {
    __shared__ wide room[TILE + THREADS];
    __shared__ wide of_warps[WARPS];
    const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    const input* from = x + blockIdx.x * length;
    output* to = out + blockIdx.x * length;
    wide carry = identity();
#pragma unroll 1
    for (i64 tile = 0; tile < length; tile += TILE) {
        wide values[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const i64 i = tile + k * THREADS + thread;
            values[k] = i < length ? lift(from[i]) : identity();
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
            if (i < length) to[i] = lower(room[place(k * THREADS + thread)]);
        }
    }
}

// ---- Few long rows ----
//
// Each tile of a row has two blocks: one publishes its total and those of its warps, and `ahead` tiles later another one scans it. So the scan
// finds the elements in the second-level cache, and knows at once what comes before: the warps, the tiles of its group of 32, the groups of its
// set of 32 groups, and the sets. It adds up nothing twice: converting f32 to f64 is what the processors are slowest with. Who publishes the last total of a group publishes the group's, and the set's. Blocks take turns in the order in which they begin,
// so what one waits for is done or being worked on. This is close to the look-back of Merrill and Garland (2016), but totals are joined in
// an order of their own, whichever of them is there first.

// Elements that a lane has side by side, and how often.
#define NEIGHBOURS 4
#define TURNS (sizeof(input) == 8 ? 4 : 8)
#define ROW_TILE (THREADS * NEIGHBOURS * TURNS)
#define GROUP 32

template <typename T> struct alignas(sizeof(T) * NEIGHBOURS < 16 ? sizeof(T) * NEIGHBOURS : 16) Neighbours {
    T at[NEIGHBOURS];
};

// Read past the first-level cache, which has no use for what is read once by each block.
DEVICE Neighbours<input> neighbours(const input* from) {
    Neighbours<input> pack;
    if constexpr (sizeof(pack) == 4) {
        *(u32*)&pack = __ldcg((const u32*)from);
    } else if constexpr (sizeof(pack) == 8) {
        *(uint2*)&pack = __ldcg((const uint2*)from);
    } else {
#pragma unroll
        for (int part = 0; part < int(sizeof(pack) / 16); part++) ((uint4*)&pack)[part] = __ldcg((const uint4*)from + part);
    }
    return pack;
}

// A total in memory is two words, each with a half of it and a mark that it is there. Both begin as zeros.
#define WORDS 2
#define MARK (1ull << 32)
DEVICE void publish(volatile u64* to, wide total) {
    to[0] = MARK | ((const u32*)&total)[0];
    to[1] = MARK | ((const u32*)&total)[1];
}
DEVICE wide awaited(const volatile u64* from) {
    u64 first = from[0], second = from[1];
    while (!(first & second & MARK)) {
        first = from[0];
        second = from[1];
    }
    wide total;
    ((u32*)&total)[0] = u32(first);
    ((u32*)&total)[1] = u32(second);
    return total;
}

// All lanes' values joined, for each lane.
DEVICE wide joined_in_warp(wide value) {
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
        value = join(value, shuffled(value, [=](u32 half) { return __shfl_xor_sync(0xffffffffu, half, distance); }));
    }
    return value;
}

// The totals of a row.
struct Totals {
    u64 *tiles, *groups, *sets, *warps;
    // How many of a group's tiles, and of a set's groups, are there.
    u64 *in_groups, *in_sets;

    DEVICE Totals(u64* words, u32 count) {
        const u64 of_groups = (count + GROUP - 1) / GROUP, of_sets = (of_groups + GROUP - 1) / GROUP;
        tiles = words;
        groups = tiles + u64(count) * WORDS;
        sets = groups + of_groups * WORDS;
        in_groups = sets + of_sets * WORDS;
        in_sets = in_groups + of_groups;
        warps = in_sets + of_sets;
    }

    // Publishes one of the totals between which `counter` counts. Whether all of them are there now; for a whole warp.
    DEVICE bool last(u64* to, wide total, u64* counter) {
        u32 is_last = 0;
        if (threadIdx.x % 32 == 0) {
            publish(to, total);
            __threadfence();
            is_last = atomicAdd((u32*)counter, 1u) == GROUP - 1;
        }
        return __shfl_sync(0xffffffffu, is_last, 0);
    }

    DEVICE void add(u32 tile, wide total) {
        const u32 lane = threadIdx.x % 32, group = tile / GROUP, set = group / GROUP;
        if (!last(tiles + u64(tile) * WORDS, total, in_groups + group)) return;
        const wide of_group = joined_in_warp(awaited(tiles + u64(group * GROUP + lane) * WORDS));
        if (!last(groups + u64(group) * WORDS, of_group, in_sets + set)) return;
        const wide of_set = joined_in_warp(awaited(groups + u64(set * GROUP + lane) * WORDS));
        if (lane == 0) publish(sets + u64(set) * WORDS, of_set);
    }

    // Where the total of a warp of a tile is.
    DEVICE u64* of_warp(u32 tile, u32 warp) const { return warps + (u64(tile) * WARPS + warp) * WORDS; }

    // What comes before a tile, for a whole warp.
    DEVICE wide before(u32 tile) const {
        const u32 lane = threadIdx.x % 32, group = tile / GROUP, set = group / GROUP;
        const wide in_group = lane < tile % GROUP ? awaited(tiles + u64(group * GROUP + lane) * WORDS) : identity();
        const wide in_set = lane < group % GROUP ? awaited(groups + u64(set * GROUP + lane) * WORDS) : identity();
        wide all = identity();
        for (u32 other = lane; other < set; other += 32) all = join(all, awaited(sets + u64(other) * WORDS));
        return join(joined_in_warp(all), join(joined_in_warp(in_set), joined_in_warp(in_group)));
    }
};

// `count` is the number of tiles of all rows, `tiles` of one. `ticket` and the totals of each row, which are `row_words` apart, begin as
// zeros. With `are_packed`, neighbours may be read and written together.
extern "C" __global__ void __launch_bounds__(THREADS, 4)
scan_tiles(
    const input* x, output* out, i64 length, u32 tiles, u32 count, u32 ahead, u32* ticket, u64* totals, i64 row_words, int are_packed
) {
    __shared__ u32 taken;
    __shared__ wide of_warps[WARPS];
    const int thread = threadIdx.x, warp = thread / 32, lane = thread % 32;
    if (thread == 0) taken = atomicAdd(ticket, 1u);
    __syncthreads();
    const u32 turn = taken;
    const bool scans = turn >= ahead && (turn - ahead) % 2 == 1;
    const u32 number = turn < ahead ? turn : scans ? (turn - ahead) / 2 : (turn - ahead) / 2 + ahead;
    if (number >= count) return;
    const i64 row = number / tiles;
    const u32 tile = number % tiles;
    Totals row_totals(totals + row * row_words, tiles);
    const input* from = x + row * length;
    output* to = out + row * length;
    const i64 first = i64(tile) * ROW_TILE + warp * (ROW_TILE / WARPS) + lane * NEIGHBOURS;
    Neighbours<input> loaded[TURNS];
#pragma unroll
    for (int k = 0; k < TURNS; k++) {
        const i64 at = first + k * (32 * NEIGHBOURS);
        if (are_packed && at + NEIGHBOURS <= length) {
            loaded[k] = neighbours(from + at);
        } else {
#pragma unroll
            for (int e = 0; e < NEIGHBOURS; e++) loaded[k].at[e] = at + e < length ? from[at + e] : input(WARPCELL_IDENTITY);
        }
    }
    if (!scans) {
        wide total = identity();
#pragma unroll
        for (int k = 0; k < TURNS; k++) {
            const input* own = loaded[k].at;
            total = join(total, join(join(lift(own[0]), lift(own[1])), join(lift(own[2]), lift(own[3]))));
        }
        total = joined_in_warp(total);
        if (lane == 0) {
            publish(row_totals.of_warp(tile, warp), total);
            of_warps[warp] = total;
        }
        __syncthreads();
        if (warp > 0) return;
        wide all = of_warps[0];
#pragma unroll
        for (int other = 1; other < WARPS; other++) all = join(all, of_warps[other]);
        row_totals.add(tile, all);
        return;
    }
    if (warp == 0) {
        wide before = row_totals.before(tile);
        // Those of all warps: the result may be written over what they are computed of.
        const wide total = lane < WARPS ? awaited(row_totals.of_warp(tile, lane)) : identity();
#pragma unroll
        for (int other = 0; other < WARPS; other++) {
            if (lane == 0) of_warps[other] = before;
            before = join(before, of_lane(total, other));
        }
    }
    __syncthreads();
    wide carry = of_warps[warp];
#pragma unroll
    for (int k = 0; k < TURNS; k++) {
        wide values[NEIGHBOURS];
        values[0] = lift(loaded[k].at[0]);
#pragma unroll
        for (int e = 1; e < NEIGHBOURS; e++) values[e] = join(values[e - 1], lift(loaded[k].at[e]));
        const wide through = scanned_in_warp(values[NEIGHBOURS - 1]);
        wide before = of_earlier_lane(through, 1);
        before = lane == 0 ? carry : join(carry, before);
        carry = join(carry, of_lane(through, 31));
        const i64 at = first + k * (32 * NEIGHBOURS);
        Neighbours<output> scanned;
#pragma unroll
        for (int e = 0; e < NEIGHBOURS; e++) scanned.at[e] = lower(join(before, values[e]));
        if (are_packed && at + NEIGHBOURS <= length) {
            *(Neighbours<output>*)(to + at) = scanned;
        } else {
#pragma unroll
            for (int e = 0; e < NEIGHBOURS; e++) {
                if (at + e < length) to[at + e] = scanned.at[e];
            }
        }
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
