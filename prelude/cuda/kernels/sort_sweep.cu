// Sorting few rows of fewer than 2^30 elements, by digits of eight bits, the least significant first. `sort_digits` counts the digits of all
// passes. A pass reads the keys once: a block sorts a tile by the digit in shared memory, stably, publishes how many keys it has of each
// digit, and looks back at the tiles before it for where its own go (Adinets and Merrill, 2022). Tiles are numbered in the order in which
// blocks begin, so that those before one are done or being worked on.
//
// Keys alone may be in any order before the first pass, so that one only counts. In the others a key's place among those with its digit is
// found for a warp at a time: for every second line of keys by votes on each bit of the digit, for the others by atomic operations in shared
// memory. Each way alone would leave one unit of the multiprocessor idle.
//
// A digit that all keys of a row share needs no pass. Of long rows of keys of eight bytes, only the highest of the other digits are sorted by
// at first: few keys agree in all of those. `sort_finish` puts such keys right, a few at a time. Rows with many that agree and are not in
// order are sorted once more, by all digits.

constexpr u32 SIZE = sizeof(word);
constexpr u32 PASSES = SIZE;

// ---- Counting ----

#define COUNTING 512
// Copies of the counters, so that lanes with one digit need not all wait for one another.
constexpr u32 COPIES = SIZE == 8 ? 2 : 4;

// A row's blocks are neighbours; `counts` has the digits of each row's passes. Those and `varying`, which gets the bits that differ among
// the keys of a row, begin as zeros.
extern "C" __global__ void __launch_bounds__(COUNTING)
sort_digits(const word* x, u32 length, u32 blocks, u64* varying, u32* counts) {
    __shared__ u32 counters[PASSES * DIGITS * COPIES];
    __shared__ u64 of_warps[COUNTING / 32];
    for (u32 i = threadIdx.x; i < PASSES * DIGITS * COPIES; i += COUNTING) counters[i] = 0;
    __syncthreads();
    const u32 row = blockIdx.x / blocks, stride = blocks * COUNTING;
    x += u64(row) * length;
    const word one = Order::key(x[0]);
    word differing = 0;
    u32* own = counters + threadIdx.x % COPIES;
    const auto count = [&](word bits) {
        const word key = Order::key(bits);
        differing |= key ^ one;
#pragma unroll
        for (u32 pass = 0; pass < PASSES; pass++) atomicAdd(own + (pass * DIGITS + digit_of(key, pass * 8)) * COPIES, 1u);
    };
    constexpr u32 EACH = 8;
    u32 i = blockIdx.x % blocks * COUNTING + threadIdx.x;
#pragma unroll 1
    for (; u64(i) + (EACH - 1) * stride < length; i += EACH * stride) {
        word loaded[EACH];
#pragma unroll
        for (u32 k = 0; k < EACH; k++) loaded[k] = x[i + k * stride];
#pragma unroll
        for (u32 k = 0; k < EACH; k++) count(loaded[k]);
    }
#pragma unroll 1
    for (; i < length; i += stride) count(x[i]);
    const u64 bits = bits_of_warp(differing);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = bits;
    __syncthreads();
    if (threadIdx.x == 0) {
        u64 all = 0;
        for (u32 warp = 0; warp < COUNTING / 32; warp++) all |= of_warps[warp];
        atomicOr(varying + row, all);
    }
    for (u32 digit = threadIdx.x; digit < PASSES * DIGITS; digit += COUNTING) {
        u32 sum = 0;
#pragma unroll
        for (u32 copy = 0; copy < COPIES; copy++) sum += counters[digit * COPIES + copy];
        if (sum != 0) atomicAdd(counts + row * (PASSES * DIGITS) + digit, sum);
    }
}

// ---- Passes ----

// A thread has a digit, and WARPCELL_ITEMS keys.
#define THREADS 256
static_assert(THREADS == DIGITS, "a thread has a digit");
constexpr u32 WARPS = THREADS / 32;
constexpr u32 ITEMS = WARPCELL_ITEMS;
constexpr u32 TILE = THREADS * ITEMS;

// What a tile has published of a digit: how many keys it has, or how many it and all tiles before it have.
#define OF_TILE (1u << 30)
#define UP_TO_TILE (2u << 30)
#define PUBLISHED (3u << 30)
// How many tiles are looked at together.
#define LOOK (SIZE == 8 || POSITIONS ? 8 : 4)

// The number of keys in the tiles before one of a row, with one digit; `published` leads to what the row's first tile publishes of it.
DEVICE u32 keys_before(const volatile u32* published, u32 tile) {
    u32 sum = 0;
    while (true) {
        u32 seen[LOOK];
#pragma unroll
        for (u32 k = 0; k < LOOK; k++) seen[k] = tile > k ? published[u64(tile - 1 - k) * DIGITS] : UP_TO_TILE;
        u32 passed = 0;
#pragma unroll
        for (u32 k = 0; k < LOOK; k++) {
            // Those behind one that is not there yet, or behind the end, do not count.
            if (passed != k || !(seen[k] & PUBLISHED)) continue;
            sum += seen[k] & ~PUBLISHED;
            if (seen[k] & UP_TO_TILE) return sum;
            passed = k + 1;
        }
        tile -= passed;
    }
}

// The highest ones of some digits, at most so many.
DEVICE u32 highest_digits(u32 digits, u32 most) {
    if (SIZE == 8) {
        while (__popc(digits) > most) digits &= digits - 1;
    }
    return digits;
}

// The lanes of a warp that have the same digit.
DEVICE u32 lanes_with(u32 digit) {
    u32 lanes = ALL;
#pragma unroll
    for (u32 bit = 0; bit < 8; bit++) {
        const bool is_set = digit >> bit & 1;
        const u32 vote = __ballot_sync(ALL, is_set);
        lanes &= is_set ? vote : ~vote;
    }
    return lanes;
}

// Writes the keys of a tile, or the elements, each to `targets` of its digit and its place; keeps the digits with positions.
template <bool as_elements>
DEVICE void write_keys(const word* keys, const u32* targets, int shift, u32 size, bool is_wanted, word* out, u8* digits) {
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
        const u32 at = threadIdx.x + k * THREADS;
        const word key = keys[at];
        const u32 digit = digit_of(key, shift);
        if (POSITIONS) digits[k] = u8(digit);
        if (is_wanted && at < size) out[targets[digit] + at] = as_elements ? Order::bits(key) : key;
    }
}

// Sorts by `most` digits, if `unsorted` is null; else by all digits those rows that have a mark there. Behind the rows' marks, one says
// whether any row has one.
//
// `tickets` has a counter for each pass, `counts` what `sort_digits` has counted, `published` room for what each tile publishes of each
// digit, twice: passes take turns, and each leaves zeros for the next one. The first pass reads elements, whose positions are their
// indices; the last one writes elements, or positions, and the keys too if there are digits that are not sorted by.
extern "C" __global__ void __launch_bounds__(THREADS, POSITIONS ? 3 : 4)
sort_sweep(const word* x, word* keys_0, word* keys_1, u32* values_0, u32* values_1, u32 length, u32 tiles, u32 most, int shift,
           const u64* varying, const u32* unsorted, const u32* counts, u32* tickets, u32* published, i64* positions) {
    const u32 thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const u32 lanes_before = (1u << lane) - 1, pass = shift / 8;
    // Which digits of a row are sorted by, and whether that takes no pass by this digit. All keys of a row can be equal.
    const auto digits_of = [&](u32 differing) { return unsorted ? differing : highest_digits(differing, most); };
    const auto is_idle = [&](u32 row, u32 digits) {
        return (unsorted && unsorted[row] == 0) || (!(digits >> pass & 1) && (pass > 0 || digits != 0));
    };
    // The whole grid.
    if (unsorted && unsorted[gridDim.x / tiles] == 0) return;
    if (gridDim.x == tiles && is_idle(0, digits_of(differing_digits(word(varying[0]))))) return;
    // Of a warp's keys with one digit: the lanes that have it in a line of keys, and the place in the tile of the next one.
    struct alignas(8) Group {
        u32 lanes, place;
    };
    union alignas(16) Room {
        word keys[TILE];
        u32 values[TILE];
    };
    __shared__ Room room;
    __shared__ alignas(16) Group groups[WARPS][DIGITS];
    __shared__ u32 targets[DIGITS];
    __shared__ u32 sums[WARPS];
    __shared__ u32 number;
    const u64 all = u64(gridDim.x) * DIGITS;
    if (thread == 0) number = atomicAdd(tickets + pass, 1u);
#pragma unroll
    for (u32 i = 0; i < WARPS * DIGITS / 2; i += THREADS) ((uint4*)groups)[i + thread] = uint4{0, 0, 0, 0};
    __syncthreads();
    const u32 row = number / tiles, tile = number % tiles;
    // The whole block.
    const u32 differing = differing_digits(word(varying[row])), digits = digits_of(differing);
    if (is_idle(row, digits)) return;
    const u32 before_this = __popc(digits & ((1u << pass) - 1)), after = __popc(digits >> pass >> 1);
    const bool first = before_this == 0, last = after == 0, to_second = after % 2 != 0;
    const bool is_complete = digits == differing;
    const u32 turn = ((unsorted ? __popc(highest_digits(differing, most)) : 0) + before_this) % 2;
    const u64 start_of_row = u64(row) * length;
    const word* keys = (first ? x : to_second ? keys_0 : keys_1) + start_of_row;
    word* keys_out = (to_second ? keys_1 : keys_0) + start_of_row;
    const u32* values = nullptr;
    u32* values_out = nullptr;
    if (POSITIONS) {
        values = (to_second ? values_0 : values_1) + start_of_row;
        values_out = (to_second ? values_1 : values_0) + start_of_row;
        positions += start_of_row;
    }
    published[(1 - turn) * all + u64(number) * DIGITS + thread] = 0;
    published += turn * all + u64(row) * tiles * DIGITS + thread;

    // A warp's keys follow one another, in ITEMS lines of 32. What fills a last tile up has the last digit, and stays behind all keys.
    const u32 base = tile * TILE, size = min(TILE, length - base), own = warp * 32 * ITEMS + lane;
    const bool is_full = size == TILE;
    const word* const from = keys + base + own;
    word key[ITEMS];
    if (is_full) {
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) key[k] = from[k * 32];
    } else {
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) key[k] = own + k * 32 < size ? from[k * 32] : word(0);
    }
    if (first) {
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) key[k] = Order::key(key[k]);
    }
    if (!is_full) {
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            if (own + k * 32 >= size) key[k] = word(~word(0));
        }
    }

    // How many keys have the digit: the block's together if their order does not matter, where what fills up is left out, else each warp's.
    const bool any_order = !POSITIONS && first;
    Group* const own_groups = groups[any_order ? 0 : warp];
#pragma unroll
    for (u32 k = 0; k < ITEMS; k++) {
        if (!any_order || is_full || own + k * 32 < size) atomicAdd(&own_groups[digit_of(key[k], shift)].place, 1u);
    }
    __syncthreads();
    volatile u32* mine = published + u64(tile) * DIGITS;
    u32 with_digit = 0;
#pragma unroll
    for (u32 other = 0; other < WARPS; other++) with_digit += groups[other][thread].place;
    // The first tile adds where all those of the row begin.
    const u32 begin = tile > 0 ? 0 : sum_before<u32>(counts[(row * PASSES + pass) * DIGITS + thread], sums);
    *mine = (tile > 0 ? OF_TILE : UP_TO_TILE) | (begin + with_digit);

    // The places, over the digits and then over the warps.
    const u32 start = sum_before<u32>(with_digit, sums);
    u32 place = start;
#pragma unroll
    for (u32 other = 0; other < WARPS; other++) {
        const u32 count = groups[other][thread].place;
        groups[other][thread].place = place;
        place += count;
    }
    __syncthreads();
    u16 places[POSITIONS ? ITEMS : 1];
    if (any_order) {
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            if (is_full || own + k * 32 < size) room.keys[atomicAdd(&own_groups[digit_of(key[k], shift)].place, 1u)] = key[k];
        }
    } else {
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 digit = digit_of(key[k], shift);
            Group* group = own_groups + digit;
            u32 lanes, at;
            if (k % 2 != 0) {
                lanes = lanes_with(digit);
                at = group->place;
            } else {
                atomicOr(&group->lanes, 1u << lane);
                __syncwarp();
                const Group seen = *group;
                lanes = seen.lanes;
                at = seen.place;
            }
            at += __popc(lanes & lanes_before);
            __syncwarp();
            // The last lane of them counts all.
            if (lanes >> lane == 1) *group = Group{0, at + 1};
            __syncwarp();
            if (POSITIONS) places[k] = u16(at);
            room.keys[at] = key[k];
        }
    }

    // Where in the row those of the tile go.
    u32 before = begin;
    if (tile > 0) {
        before = keys_before(published, tile);
        *mine = UP_TO_TILE | (before + with_digit);
    }
    targets[thread] = before - start;
    __syncthreads();

    u8 digits_at[POSITIONS ? ITEMS : 1];
    const bool is_wanted = !(POSITIONS && last && is_complete);
    if (!POSITIONS && last) write_keys<true>(room.keys, targets, shift, size, is_wanted, keys_out, digits_at);
    else write_keys<false>(room.keys, targets, shift, size, is_wanted, keys_out, digits_at);
    if (POSITIONS) {
        u32 value[ITEMS];
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 at = own + k * 32;
            value[k] = first ? base + at : at < size ? values[base + at] : 0;
        }
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) room.values[places[k]] = value[k];
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < ITEMS; k++) {
            const u32 at = thread + k * THREADS;
            if (at < size) {
                const u32 target = targets[digits_at[k]] + at;
                if (last) positions[target] = room.values[at];
                else values_out[target] = room.values[at];
            }
        }
    }
}

// ---- What is left ----

#define FINISHING 256
// Of how many keys a run is put right.
constexpr u32 RUN = 16;

// Sorts each run of keys that agree in the `most` highest digits, if it is short; a thread has a run. A row gets its mark if longer ones are
// not in order. `sorted` has elements, or with `positions` keys, which stay as they are. A row's blocks are neighbours.
extern "C" __global__ void __launch_bounds__(FINISHING)
sort_finish(word* sorted, i64* positions, u32 length, u32 blocks, u32 most, const u64* varying, u32* unsorted) {
    const u32 row = blockIdx.x / blocks, rows = gridDim.x / blocks;
    const u32 digits = differing_digits(word(varying[row])), highest = highest_digits(digits, most);
    if (highest == digits) return;
    const int cut = 8 * (__ffs(highest) - 1);
    sorted += u64(row) * length;
    if (POSITIONS) positions += u64(row) * length;
    const auto key = [&](u32 at) { return POSITIONS ? sorted[at] : Order::key(sorted[at]); };
    for (u32 i = blockIdx.x % blocks * FINISHING + threadIdx.x; i + 1 < length; i += blocks * FINISHING) {
        const word one = key(i), next = key(i + 1), agreed = one >> cut;
        if (next >> cut != agreed) continue;
        const bool begins = i == 0 || key(i - 1) >> cut != agreed;
        if (!begins && one <= next) continue;
        // The bits that they agree in do not change while other threads sort.
        u32 from = i, to = i + 2;
        while (to - from <= RUN && from > 0 && key(from - 1) >> cut == agreed) from--;
        while (to - from <= RUN && to < length && key(to) >> cut == agreed) to++;
        if (to - from > RUN) {
            if (one > next) unsorted[row] = unsorted[rows] = 1;
            continue;
        }
        if (!begins) continue;
        word keys[RUN];
        i64 places[POSITIONS ? RUN : 1];
        const u32 count = to - from;
        for (u32 k = 0; k < count; k++) {
            const word own = key(from + k);
            const i64 place = POSITIONS ? positions[from + k] : 0;
            u32 at = k;
            for (; at > 0 && keys[at - 1] > own; at--) {
                keys[at] = keys[at - 1];
                if (POSITIONS) places[at] = places[at - 1];
            }
            keys[at] = own;
            if (POSITIONS) places[at] = place;
        }
        for (u32 k = 0; k < count; k++) {
            if (POSITIONS) positions[from + k] = places[k];
            else sorted[from + k] = Order::bits(keys[k]);
        }
    }
}
