// The elements at three places of each sorted row, without sorting: digits of the keys are counted, the most significant first, and of each
// digit only among the keys that share all digits above it with the element of a place (radix select: Alabi, Blanchard, Gordon and
// Steinbach, 2012). A pass reads all keys; between two of them `select_choose` finds the digit of each place.
//
//   WARPCELL_ELEMENT   the element type
//
// The order of keys is that of sort.cuh.

constexpr u32 WIDTH = sizeof(word) * 8;
constexpr u32 BITS = sizeof(word) == 1 ? 8 : 11;
constexpr u32 BINS = 1u << BITS;
constexpr u32 PLACES = 3;
constexpr u32 NONE = ~0u;

// What is known of the element of a place: its bits above those of the next digit, and its place among the keys that share them.
struct State {
    u64 above, rank;
};

#define COUNTING 512
// Keys that a thread reads at a time.
constexpr u32 EACH = 8;
// In the first pass all places share the counters, and there is room for copies, which neighbouring lanes use in turn.
constexpr u32 COPIES = 4;

// Counts for a lane, unless it has NONE; all lanes call it. If they agree, one counts for all.
template <u32 copies> DEVICE void add(u32* counters, u32 at) {
    const u32 lane = threadIdx.x % 32;
    if (__all_sync(ALL, at == __shfl_sync(ALL, at, 0))) {
        if (lane == 0 && at != NONE) atomicAdd(counters + at * copies, 32u);
    } else if (at != NONE) {
        atomicAdd(counters + at * copies + lane % copies, 1u);
    }
}

// A row's blocks are neighbours. The digit's bits are those from `low` up to below `high`. `counts` has the bins of each row's places; of places
// that share all bits above, the first one's are used.
template <bool is_first> DEVICE void count(const word* x, u32 length, u32 blocks, u32 low, u32 high, const State* states, u32* counts) {
    constexpr u32 copies = is_first ? COPIES : 1;
    constexpr u32 used = (is_first ? 1 : PLACES) * BINS;
    __shared__ u32 counters[used * copies];
    for (u32 i = threadIdx.x; i < used * copies; i += COUNTING) counters[i] = 0;
    __syncthreads();
    const u32 row = blockIdx.x / blocks, stride = blocks * COUNTING;
    x += u64(row) * length;
    word above[PLACES];
#pragma unroll
    for (u32 place = 0; place < PLACES; place++) above[place] = is_first ? 0 : word(states[row * PLACES + place].above);
    const word mask = word((word(1) << (high - low)) - 1);
#pragma unroll 1
    for (u32 first = blockIdx.x % blocks * COUNTING; first < length; first += EACH * stride) {
        word key[EACH];
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            const u32 at = first + k * stride + threadIdx.x;
            key[k] = at < length ? x[at] : 0;
        }
#pragma unroll
        for (u32 k = 0; k < EACH; k++) {
            const bool is_there = first + k * stride + threadIdx.x < length;
            const word own = Order::key(key[k]);
            u32 at = u32(word(own >> low) & mask);
            if (!is_first) {
                const word up = word(own >> high);
                at = up == above[0] ? at : up == above[1] ? BINS + at : up == above[2] ? 2 * BINS + at : NONE;
            }
            add<copies>(counters, is_there ? at : NONE);
        }
    }
    __syncthreads();
    counts += u64(row) * (PLACES * BINS);
    for (u32 bin = threadIdx.x; bin < used; bin += COUNTING) {
        u32 sum = 0;
#pragma unroll
        for (u32 copy = 0; copy < copies; copy++) sum += counters[bin * copies + copy];
        if (sum != 0) atomicAdd(counts + bin, sum);
    }
}

extern "C" __global__ void __launch_bounds__(COUNTING)
select_count_first(const word* x, u32 length, u32 blocks, u32 low, u32 high, const State* states, u32* counts) {
    count<true>(x, length, blocks, low, high, states, counts);
}

extern "C" __global__ void __launch_bounds__(COUNTING)
select_count(const word* x, u32 length, u32 blocks, u32 low, u32 high, const State* states, u32* counts) {
    count<false>(x, length, blocks, low, high, states, counts);
}

struct Places {
    u32 at[PLACES];
};

// A block for each row: the digits of its places, and zeros for the next pass; behind the last one the elements.
extern "C" __global__ void __launch_bounds__(DIGITS)
select_choose(u32 low, u32 high, const __grid_constant__ Places places, State* states, u32* counts, word* out) {
    constexpr u32 OF_THREAD = BINS / DIGITS;
    __shared__ u32 sums[DIGITS / 32];
    states += blockIdx.x * PLACES;
    counts += u64(blockIdx.x) * (PLACES * BINS);
    out += u64(blockIdx.x) * PLACES;
    State known[PLACES];
#pragma unroll
    for (u32 place = 0; place < PLACES; place++) {
        known[place].above = 0;
        known[place].rank = places.at[place];
        if (high != WIDTH) known[place] = states[place];
    }
    // Before any thread writes to them.
    __syncthreads();
#pragma unroll
    for (u32 place = 0; place < PLACES; place++) {
        u32 counted = place;
#pragma unroll
        for (u32 other = PLACES - 1; other-- > 0;) {
            if (other < place && known[other].above == known[place].above) counted = other;
        }
        const u32* own = counts + counted * BINS + threadIdx.x * OF_THREAD;
        u32 each[OF_THREAD], sum = 0;
#pragma unroll
        for (u32 k = 0; k < OF_THREAD; k++) {
            each[k] = own[k];
            sum += each[k];
        }
        const u32 before = sum_before<u32>(sum, sums);
        const u32 rank = u32(known[place].rank);
        if (rank >= before && rank - before < sum) {
            u32 rest = rank - before, bin = 0;
#pragma unroll
            for (u32 k = 0; k + 1 < OF_THREAD; k++) {
                if (bin == k && rest >= each[k]) {
                    rest -= each[k];
                    bin = k + 1;
                }
            }
            const u64 above = known[place].above << (high - low) | (threadIdx.x * OF_THREAD + bin);
            states[place].above = above;
            states[place].rank = rest;
            if (low == 0) out[place] = Order::bits(word(above));
        }
    }
    __syncthreads();
    for (u32 bin = threadIdx.x; bin < PLACES * BINS; bin += DIGITS) counts[bin] = 0;
}
