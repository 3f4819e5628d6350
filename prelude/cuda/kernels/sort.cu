// Sorting rows that fit into a block, there, by a bitonic network, and many longer ones, or very long ones, by digits of eight bits, the least
// significant first. A pass reads the keys twice: `sort_count` counts the digits in each part of a row; `sort_scan` makes of
// the counts where a part's keys go; `sort_scatter` sorts tiles of a part by the digit in shared memory, stably, and writes
// each run of keys with one digit to its place. Blocks wait for no other block.
//
// The first pass also finds which bits differ among the keys of a row. A digit that all of them share needs no pass: the kernels of
// that pass return at once, and the others write to the other one of two places each, the last of them to the first place.


// ---- Short rows ----

#define SHORT_THREADS 256
constexpr u32 SHORT = 2048;

// `width` is a power of two, not below `length` and at most SHORT. A block sorts as many rows as fit, each padded to the width.
extern "C" __global__ void __launch_bounds__(SHORT_THREADS)
sort_short(const word* x, i64 rows, u32 length, u32 width, word* out, i64* positions) {
    __shared__ word keys[SHORT];
    __shared__ u16 places[POSITIONS ? SHORT : 1];
    const i64 first = i64(blockIdx.x) * (SHORT / width);
    const u32 here = u32(min(i64(SHORT / width), rows - first));
    const word* from = x + first * length;
    for (u32 at = threadIdx.x; at < SHORT; at += SHORT_THREADS) {
        const u32 row = at / width, column = at % width;
        // What pads a row sorts behind its elements: by its position, where keys are equal.
        keys[at] = row < here && column < length ? Order::key(from[row * length + column]) : word(~word(0));
        if (POSITIONS) places[at] = u16(column);
    }
    for (u32 size = 2; size <= width; size *= 2) {
        for (u32 stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            for (u32 pair = threadIdx.x; pair < SHORT / 2; pair += SHORT_THREADS) {
                const u32 low = 2 * pair - (pair & (stride - 1)), high = low + stride;
                const bool ascending = (low & size) == 0 || size == width;
                const word a = keys[low], b = keys[high];
                bool behind = a > b;
                if (POSITIONS) behind = behind || (a == b && places[low] > places[high]);
                if (behind == ascending) {
                    keys[low] = b;
                    keys[high] = a;
                    if (POSITIONS) {
                        const u16 place = places[low];
                        places[low] = places[high];
                        places[high] = place;
                    }
                }
            }
        }
    }
    __syncthreads();
    for (u32 at = threadIdx.x; at < SHORT; at += SHORT_THREADS) {
        const u32 row = at / width, column = at % width;
        if (row < here && column < length) {
            const i64 target = first * length + row * length + column;
            if (POSITIONS) positions[target] = places[at];
            else out[target] = Order::bits(keys[at]);
        }
    }
}

// ---- Long rows ----

// Whether the keys of a row are sorted by the digit, if these bits differ among them.
DEVICE bool is_sorted_by(word varying, int shift) { return shift == 0 || digit_of(varying, shift) != 0; }

#define THREADS 512
constexpr u32 WARPS = THREADS / 32;
// As many as leave all in registers, and sorted keys and positions in 48 KiB beside the counts.
constexpr u32 ITEMS = POSITIONS ? (sizeof(word) == 8 ? 6 : 8) : sizeof(word) == 8 ? 8 : sizeof(word) == 4 ? 12 : 16;
constexpr u32 TILE = THREADS * ITEMS;

// Copies of the counters, so that lanes with one digit need not all wait for one another.
constexpr u32 COPIES = 8;

// The part of a row that a block works on: rows come one after the other, each in `parts` parts of `each` elements (a multiple
// of TILE).
struct Part {
    i64 row;
    u32 number;
    i64 from, to;
};
DEVICE Part part_of_block(i64 length, i64 each, u32 parts) {
    Part part;
    part.row = blockIdx.x / parts;
    part.number = blockIdx.x % parts;
    part.from = min(length, i64(part.number) * each);
    part.to = min(length, part.from + each);
    return part;
}

// counts[row][digit][part]; in the first pass, which reads the elements, also masks[row][part].
extern "C" __global__ void __launch_bounds__(THREADS)
sort_count(const word* x, const word* keys_0, const word* keys_1, i64 length, i64 each, u32 parts, int shift, const u64* varying,
           u64* masks, u64* counts) {
    __shared__ u32 counters[DIGITS * COPIES];
    __shared__ u64 of_warps[WARPS];
    const Part part = part_of_block(length, each, parts);
    const bool first = shift == 0;
    const word* row = x;
    if (!first) {
        const word bits = word(varying[part.row]);
        // The whole block.
        if (!is_sorted_by(bits, shift)) return;
        row = passes_after(bits, shift) % 2 ? keys_0 : keys_1;
    }
    row += part.row * length;
    const word one = first ? Order::key(row[0]) : word(0);
    word differing = 0;
    for (u32 i = threadIdx.x; i < DIGITS * COPIES; i += THREADS) counters[i] = 0;
    __syncthreads();
    u32* own = counters + threadIdx.x % COPIES;
    i64 i = part.from + threadIdx.x;
#pragma unroll 1
    for (; i + i64(ITEMS - 1) * THREADS < part.to; i += TILE) {
        word loaded[ITEMS];
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) loaded[k] = row[i + i64(k) * THREADS];
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            const word key = first ? Order::key(loaded[k]) : loaded[k];
            differing |= key ^ one;
            atomicAdd(own + digit_of(key, shift) * COPIES, 1u);
        }
    }
#pragma unroll 1
    for (; i < part.to; i += THREADS) {
        const word key = first ? Order::key(row[i]) : row[i];
        differing |= key ^ one;
        atomicAdd(own + digit_of(key, shift) * COPIES, 1u);
    }
    if (sizeof(word) > 1 && first) {
        const u64 bits = bits_of_warp(differing);
        if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = bits;
    }
    __syncthreads();
    if (sizeof(word) > 1 && first && threadIdx.x == 0) {
        u64 bits = 0;
        for (u32 warp = 0; warp < WARPS; warp++) bits |= of_warps[warp];
        masks[part.row * parts + part.number] = bits;
    }
    if (threadIdx.x < DIGITS) {
        u32 sum = 0;
#pragma unroll
        for (u32 copy = 0; copy < COPIES; copy++) sum += counters[threadIdx.x * COPIES + copy];
        counts[(part.row * DIGITS + threadIdx.x) * parts + part.number] = sum;
    }
}

// Makes of each part's count the sum of those before it; a warp for each row's digit. `totals` has the sum of all. In the first pass
// also makes of the parts' masks that of the row.
extern "C" __global__ void __launch_bounds__(SHORT_THREADS)
sort_scan(u64* counts, i64 lines, u32 parts, int shift, const u64* masks, u64* varying, u64* totals) {
    const i64 line = (i64(blockIdx.x) * SHORT_THREADS + threadIdx.x) / 32;
    const u32 lane = threadIdx.x % 32;
    // Whole warps leave.
    if (line >= lines) return;
    const i64 row = line / DIGITS;
    if (shift > 0 && !is_sorted_by(word(varying[row]), shift)) return;
    if (sizeof(word) > 1 && shift == 0 && line % DIGITS == 0) {
        u64 bits = 0;
        for (u32 at = lane; at < parts; at += 32) bits |= masks[row * parts + at];
        bits = bits_of_warp(bits);
        if (lane == 0) varying[row] = bits;
    }
    u64* own = counts + line * parts;
    u64 before = 0;
    for (u32 base = 0; base < parts; base += 32) {
        const u64 count = base + lane < parts ? own[base + lane] : 0;
        u64 sum = count;
#pragma unroll
        for (u32 distance = 1; distance < 32; distance *= 2) {
            const u64 other = __shfl_up_sync(ALL, sum, distance);
            if (lane >= distance) sum += other;
        }
        if (base + lane < parts) own[base + lane] = before + sum - count;
        before += __shfl_sync(ALL, sum, 31);
    }
    if (lane == 0) totals[line] = before;
}

// `before`: counts of the parts before this one, or null if each row is one part. `totals`: counts of the rows. The first pass
// reads elements, whose positions are their indices; the last one writes elements, or positions.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
sort_scatter(const word* x, word* keys_0, word* keys_1, u32* values_0, u32* values_1, i64 length, i64 each, u32 parts, int shift,
             const u64* varying, const u64* before, const u64* totals, i64* positions) {
    __shared__ word sorted_keys[TILE];
    __shared__ u32 sorted_values[POSITIONS ? TILE : 1];
    __shared__ u16 counts[WARPS][DIGITS];
    __shared__ u32 starts[DIGITS];
    __shared__ u64 targets[DIGITS];
    __shared__ u64 sums[WARPS];
    const u32 thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const u32 lanes_before = (1u << lane) - 1;
    const Part part = part_of_block(length, each, parts);
    const word bits = sizeof(word) > 1 ? word(varying[part.row]) : word(0);
    // The whole block.
    if (!is_sorted_by(bits, shift)) return;
    const u32 after = passes_after(bits, shift);
    const bool first = shift == 0, last = after == 0, to_second = after % 2 != 0;
    const i64 row = part.row * length;
    const word* keys = (first ? x : to_second ? keys_0 : keys_1) + row;
    word* keys_out = (to_second ? keys_1 : keys_0) + row;
    const u32* values = nullptr;
    u32* values_out = nullptr;
    if (POSITIONS) {
        values = (to_second ? values_0 : values_1) + row;
        values_out = (to_second ? values_1 : values_0) + row;
        positions += row;
    }

    // Where in the row the next key with this thread's digit goes.
    u64 next = 0;
    {
        const i64 line = part.row * DIGITS + thread;
        next = sum_before<u64>(thread < DIGITS ? totals[line] : 0, sums);
        if (before && thread < DIGITS) next += before[line * parts + part.number];
    }

#pragma unroll 1
    for (i64 base = part.from; base < part.to; base += TILE) {
        const u32 size = u32(min(i64(TILE), part.to - base));
        // A warp's keys follow one another, in ITEMS lines of 32. What fills a last tile up has the last digit, and stays behind
        // all keys.
        const u32 own = warp * 32 * ITEMS + lane;
        word key[ITEMS];
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 at = own + k * 32;
            key[k] = word(~word(0));
            if (at < size) {
                key[k] = keys[base + at];
                if (first) key[k] = Order::key(key[k]);
            }
        }
        for (u32 digit = lane; digit < DIGITS; digit += 32) counts[warp][digit] = 0;
        __syncwarp();

        // How many keys of the warp have the digit and come before. A group of lanes with one digit counts together.
        u32 place[ITEMS];
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 digit = digit_of(key[k], shift);
            u32 group = ALL;
#pragma unroll
            for (u32 bit = 0; bit < 8; bit++) {
                const bool is_set = (digit >> bit) & 1;
                const u32 set = __ballot_sync(ALL, is_set);
                group &= is_set ? set : ~set;
            }
            const u32 in_group = __popc(group & lanes_before);
            const u32 counted = counts[warp][digit];
            place[k] = counted + in_group;
            __syncwarp();
            if (in_group == 0) counts[warp][digit] = u16(counted + __popc(group));
            __syncwarp();
        }
        __syncthreads();

        // Over the warps, then over the digits.
        u32 with_digit = 0;
        if (thread < DIGITS) {
#pragma unroll
            for (u32 other = 0; other < WARPS; other++) {
                const u32 count = counts[other][thread];
                counts[other][thread] = u16(with_digit);
                with_digit += count;
            }
        }
        const u32 start = sum_before<u32>(with_digit, (u32*)sums);
        if (thread < DIGITS) {
            starts[thread] = start;
            targets[thread] = next - start;
            next += with_digit;
        }
        __syncthreads();

#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 digit = digit_of(key[k], shift);
            place[k] += starts[digit] + counts[warp][digit];
            sorted_keys[place[k]] = key[k];
        }
        if (POSITIONS) {
#pragma unroll
            for (u32 k = 0; k < ITEMS; k++) {
                const u32 at = own + k * 32;
                sorted_values[place[k]] = first ? u32(base + at) : at < size ? values[base + at] : 0;
            }
        }
        __syncthreads();

#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 at = thread + k * THREADS;
            if (at < size) {
                const word moved = sorted_keys[at];
                const i64 target = i64(targets[digit_of(moved, shift)] + at);
                if (!POSITIONS) {
                    keys_out[target] = last ? Order::bits(moved) : moved;
                } else if (last) {
                    positions[target] = sorted_values[at];
                } else {
                    keys_out[target] = moved;
                    values_out[target] = sorted_values[at];
                }
            }
        }
        // The next tile uses the same room.
        __syncthreads();
    }
}
