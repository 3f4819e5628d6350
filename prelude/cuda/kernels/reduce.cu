// Reductions: sum, product, sum of squares, max, min, their places, all, any, some of them of what is not NaN; of a whole
// contiguous array, or over some axes of an array of any strides. And the sum of the products of two vectors.
//
//   WARPCELL_INPUT, WARPCELL_OUTPUT   element types
//   WARPCELL_STORED                   if defined, the type that the elements have in memory: not wider than WARPCELL_INPUT, to which
//                                     they are converted
//   WARPCELL_REDUCTION                a state of reductions.cuh
//   WARPCELL_CENTRED                  if defined, elements are reduced less the centre of their output
//   WARPCELL_SKIPS_NAN                if defined, then those that are NaN count as 0
//   WARPCELL_WHOLE                    if defined, the program for a whole contiguous array, else the one for axes
//   WARPCELL_DOT                      if defined, the program for two vectors, with Dot
//   WARPCELL_COMPLEX                  if defined, the elements are complex numbers, for which there is only Dot
//   WARPCELL_CONJUGATES               if defined, then those of the first vector are conjugated
//   WARPCELL_MAP                      if defined, no kernel: what a function gives for each element is reduced by a kernel around it

// The states of `lanes` neighbours of a warp, merged into the first of them.
template <int lanes> DEVICE State merged_in_lanes(State state) {
#pragma unroll
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
        State other;
#pragma unroll
        for (int word = 0; word < int(sizeof(State) / 4); word++) {
            ((u32*)&other)[word] = __shfl_down_sync(0xffffffffu, ((const u32*)&state)[word], distance);
        }
        state.merge(other);
    }
    return state;
}

// The states of a warp's lanes, merged into lane 0.
DEVICE State merged_in_warp(State state) { return merged_in_lanes<32>(state); }

// The states of a block's threads, merged into thread 0.
DEVICE State merged_in_block(State state) {
    alignas(16) __shared__ char room[THREADS / 32 * sizeof(State)];
    State* of_warps = (State*)room;
    state = merged_in_warp(state);
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = state;
    __syncthreads();
    if (threadIdx.x < 32) {
        if (threadIdx.x < THREADS / 32) state = of_warps[threadIdx.x];
        state = merged_in_lanes<THREADS / 32>(state);
    }
    return state;
}

// Merges what the threads of all blocks have, in one launch: the block that finishes last merges the blocks' states, and
// writes the result. `finished` is 0 before the launch and is left at 0.
DEVICE void deliver_whole(State state, State* of_blocks, u32* finished, output* out) {
    __shared__ bool last;
    state = merged_in_block(state);
    if (threadIdx.x == 0) {
        of_blocks[blockIdx.x] = state;
        __threadfence();
        last = atomicAdd(finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    state.start();
    for (u32 block = threadIdx.x; block < gridDim.x; block += THREADS) {
        // Past the first-level cache, in which another block's state may be stale.
        State other;
        const volatile u64* from = (const volatile u64*)(of_blocks + block);
#pragma unroll
        for (int word = 0; word < int(sizeof(State) / 8); word++) ((u64*)&other)[word] = from[word];
        state.merge(other);
    }
    state = merged_in_block(state);
    if (threadIdx.x == 0) {
        *out = state.finish();
        *finished = 0;
    }
}

#ifdef WARPCELL_DOT

// Two vectors whose elements follow one another, and begin equally far from a multiple of 16 bytes.
extern "C" __global__ void __launch_bounds__(THREADS)
dot_packed(const input* x, const input* y, i64 size, State* of_blocks, u32* finished, output* out) {
    const i64 lane = i64(blockIdx.x) * THREADS + threadIdx.x;
    const i64 lanes = i64(gridDim.x) * THREADS;
    State state;
    state.start();
    // Elements before the first multiple of 16 bytes.
    const i64 ahead = min(size, i64((16 - u64(x) % 16) % 16 / sizeof(input)));
    const Pack* packs_x = (const Pack*)(x + ahead);
    const Pack* packs_y = (const Pack*)(y + ahead);
    const i64 count = (size - ahead) / VECTOR;
    i64 i = lane;
#pragma unroll 1
    for (; i + lanes < count; i += 2 * lanes) {
        Pack loaded_x[2], loaded_y[2];
#pragma unroll
        for (int k = 0; k < 2; k++) {
            loaded_x[k] = packs_x[i + k * lanes];
            loaded_y[k] = packs_y[i + k * lanes];
        }
#pragma unroll
        for (int k = 0; k < 2; k++) state.add(loaded_x[k], loaded_y[k]);
    }
#pragma unroll 1
    for (; i < count; i += lanes) state.add(packs_x[i], packs_y[i]);
    for (i64 at = lane; at < ahead; at += lanes) state.add(x[at], y[at]);
    for (i64 at = ahead + count * VECTOR + lane; at < size; at += lanes) state.add(x[at], y[at]);
    deliver_whole(state, of_blocks, finished, out);
}

// Two vectors whose elements are as many elements apart.
extern "C" __global__ void __launch_bounds__(THREADS)
dot_strided(const input* x, const input* y, i64 size, i64 stride_x, i64 stride_y, State* of_blocks, u32* finished, output* out) {
    const i64 lanes = i64(gridDim.x) * THREADS;
    State state;
    state.start();
    i64 i = i64(blockIdx.x) * THREADS + threadIdx.x;
#pragma unroll 1
    for (; i + 3 * lanes < size; i += 4 * lanes) {
        input loaded_x[4], loaded_y[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            loaded_x[k] = x[(i + k * lanes) * stride_x];
            loaded_y[k] = y[(i + k * lanes) * stride_y];
        }
#pragma unroll
        for (int k = 0; k < 4; k++) state.add(loaded_x[k], loaded_y[k]);
    }
#pragma unroll 1
    for (; i < size; i += lanes) state.add(x[i * stride_x], y[i * stride_y]);
    deliver_whole(state, of_blocks, finished, out);
}

#elif !defined(WARPCELL_MAP)

#ifdef WARPCELL_STORED
// 16-bit floats: only loaded.
struct f16 { u16 bits; };
struct bf16 { u16 bits; };
typedef WARPCELL_STORED stored;
DEVICE float converted(f16 x) {
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return wide;
}
DEVICE float converted(bf16 x) { return __uint_as_float(u32(x.bits) << 16); }
#else
typedef input stored;
#endif
template <typename T> DEVICE input converted(T x) { return input(x); }

// What is loaded at once: a pack, or several after conversion.
constexpr int LOADED = 16 / sizeof(stored);
static_assert(LOADED % VECTOR == 0, "elements become as wide as they are, or wider");
struct alignas(16) Loaded {
    stored at[LOADED];
};

// What an element is reduced as.
DEVICE input moved(stored loaded, input centre) {
    const input x = converted(loaded);
#ifdef WARPCELL_SKIPS_NAN
    if (x != x) return input(0);
#endif
#ifdef WARPCELL_CENTRED
    return x - centre;
#else
    return x;
#endif
}
// Adds what was loaded, the first of which has this place.
DEVICE void add_moved(State& state, const Loaded& loaded, input centre, i64 place) {
#pragma unroll
    for (int from = 0; from < LOADED; from += VECTOR) {
        Pack pack;
#pragma unroll
        for (int i = 0; i < VECTOR; i++) pack.at[i] = moved(loaded.at[from + i], centre);
        state.add(pack, place + from);
    }
}
// The same of four loads, the places of which are `step` apart.
template <typename S> DEVICE void add_four_loads(S& state, const Loaded (&loaded)[4], input centre, i64 place, i64 step) {
    if constexpr (takes_packs<S>::value && LOADED == VECTOR) {
        Pack packs[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
#pragma unroll
            for (int i = 0; i < VECTOR; i++) packs[k].at[i] = moved(loaded[k].at[i], centre);
        }
        state.add(packs);
    } else {
#pragma unroll
        for (int k = 0; k < 4; k++) add_moved(state, loaded[k], centre, place + k * step);
    }
}
// The centre of an output.
DEVICE input centre_of(const input* centres, i64 at) {
#ifdef WARPCELL_CENTRED
    return centres[at];
#else
    return input();
#endif
}

// Adds elements that follow one another, whose places begin at `place`; `lane` of `lanes` threads that share them.
DEVICE void add_line(State& state, const stored* x, input centre, i64 size, i64 place, i64 lane, i64 lanes) {
    // Elements before the first multiple of 16 bytes.
    const i64 ahead = min(size, i64((16 - u64(x) % 16) % 16 / sizeof(stored)));
    const Loaded* packs = (const Loaded*)(x + ahead);
    const i64 count = (size - ahead) / LOADED;
    place += ahead;
    i64 i = lane;
#pragma unroll 1
    for (; i + 3 * lanes < count; i += 4 * lanes) {
        Loaded loaded[4];
#pragma unroll
        for (int k = 0; k < 4; k++) loaded[k] = packs[i + k * lanes];
        add_four_loads(state, loaded, centre, place + i * LOADED, lanes * LOADED);
    }
#pragma unroll 1
    for (; i < count; i += lanes) add_moved(state, packs[i], centre, place + i * LOADED);
    for (i64 at = lane; at < ahead; at += lanes) state.add(moved(x[at], centre), place - ahead + at);
    for (i64 at = ahead + count * LOADED + lane; at < size; at += lanes) state.add(moved(x[at], centre), place - ahead + at);
}

#ifdef WARPCELL_WHOLE

// A whole contiguous array.
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_all(const stored* x, const input* centres, i64 size, State* of_blocks, u32* finished, output* out) {
    const i64 thread = i64(blockIdx.x) * THREADS + threadIdx.x;
    const i64 threads = i64(gridDim.x) * THREADS;
    State state;
    state.start();
    add_line(state, x, centre_of(centres, 0), size, 0, thread, threads);
    deliver_whole(state, of_blocks, finished, out);
}

#else

struct Axes : warpcell_axes<1> {
    int narrow;  // Whether all indices are below 2^31.
};

// Out of line, since its divisions would be most of the time to compile.
__device__ __noinline__ i64 offset_in_axes(i64 at, const Axes* axes) {
    i64 offset[1] = {0};
    if (axes->narrow) warpcell_move(*axes, u32(at), offset);
    else warpcell_move(*axes, u64(at), offset);
    return offset[0];
}

DEVICE i64 offset_of(i64 at, const Axes& axes) { return axes.rank == 1 ? at * axes.stride[0][0] : offset_in_axes(at, &axes); }

// The part of the reduced elements that this block's row in the grid takes.
DEVICE void share(i64 length, i64& from, i64& to) {
    i64 each = (length + gridDim.y - 1) / gridDim.y;
    from = min(length, each * blockIdx.y);
    to = min(length, from + each);
}

// With one share, the result; else the share's state, for `reduce_shares`.
DEVICE void deliver(State state, i64 at, i64 outputs, State* shares, output* out) {
    if (gridDim.y == 1) out[at] = state.finish();
    else shares[blockIdx.y * outputs + at] = state;
}

template <int group>
DEVICE void rows(const stored* x, const input* centres, const Axes& kept, const Axes& reduced, i64 outputs, i64 length, State* shares, output* out) {
    const i64 at = (i64(blockIdx.x) * THREADS + threadIdx.x) / group;
    const int lane = threadIdx.x % group;
    State state;
    state.start();
    if (at < outputs) {
        const stored* row = x + offset_of(at, kept);
        const input centre = centre_of(centres, at);
        i64 from, to;
        share(length, from, to);
        if (reduced.rank == 1 && reduced.stride[0][0] == 1) {
            add_line(state, row + from, centre, to - from, from, lane, group);
        } else {
            i64 i = from + lane;
#pragma unroll 1
            for (; i + 3 * group < to; i += 4 * group) {
                stored loaded[4];
#pragma unroll
                for (int k = 0; k < 4; k++) loaded[k] = row[offset_of(i + k * group, reduced)];
#pragma unroll
                for (int k = 0; k < 4; k++) state.add(moved(loaded[k], centre), i + k * group);
            }
#pragma unroll 1
            for (; i < to; i += group) state.add(moved(row[offset_of(i, reduced)], centre), i);
        }
    }
    if constexpr (group <= 32) state = merged_in_lanes<group>(state);
    else state = merged_in_block(state);
    if (at < outputs && lane == 0) deliver(state, at, outputs, shares, out);
}

// A block, a warp, four lanes or one for each output: where the reduced elements are near one another.
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_long_rows(const stored* x, const input* centres, const __grid_constant__ Axes kept, const __grid_constant__ Axes reduced, i64 outputs, i64 length, State* shares, u32*, output* out) {
    rows<THREADS>(x, centres, kept, reduced, outputs, length, shares, out);
}
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_short_rows(const stored* x, const input* centres, const __grid_constant__ Axes kept, const __grid_constant__ Axes reduced, i64 outputs, i64 length, State* shares, u32*, output* out) {
    rows<32>(x, centres, kept, reduced, outputs, length, shares, out);
}
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_shortest_rows(const stored* x, const input* centres, const __grid_constant__ Axes kept, const __grid_constant__ Axes reduced, i64 outputs, i64 length, State* shares, u32*, output* out) {
    rows<4>(x, centres, kept, reduced, outputs, length, shares, out);
}
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_tiny_rows(const stored* x, const input* centres, const __grid_constant__ Axes kept, const __grid_constant__ Axes reduced, i64 outputs, i64 length, State* shares, u32*, output* out) {
    rows<1>(x, centres, kept, reduced, outputs, length, shares, out);
}

constexpr int STRIPS = THREADS / 32;

// Four elements, the places of which are `step` apart.
DEVICE void add_four(State& state, const input (&x)[4], i64 place, i64 step) {
    if constexpr (VECTOR == 4 && !sees_places<State>::value) {
        Pack pack;
#pragma unroll
        for (int k = 0; k < 4; k++) pack.at[k] = x[k];
        state.add(pack, place);
    } else {
#pragma unroll
        for (int k = 0; k < 4; k++) state.add(x[k], place + k * step);
    }
}

// Whether this block is the last one to end among those of its column in the grid. What they have written before can be read then, past
// the first-level cache. The counter is 0 before the launch and is left at 0.
DEVICE bool ends_last(u32* finished) {
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(finished + blockIdx.x, 1) == gridDim.y - 1;
        if (last) finished[blockIdx.x] = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}

// 32 times `each` outputs side by side in a block, 8 threads for each: where the outputs' elements are near one another. With more than
// one, a thread loads so many neighbours at once, and both `kept` and `reduced` have one axis. The block that ends last merges the shares.
template <int each>
DEVICE void columns(const stored* x, const input* centres, const Axes& kept, const Axes& reduced, i64 outputs, i64 length, State* shares, u32* finished, output* out) {
    struct alignas(each * sizeof(stored)) Neighbours {
        stored at[each];
    };
    alignas(16) __shared__ char room[THREADS * each * sizeof(State)];
    State* of_strips = (State*)room;
    const int lane = threadIdx.x % 32, strip = threadIdx.x / 32;
    const i64 at = (i64(blockIdx.x) * 32 + lane) * each;
    State states[each];
#pragma unroll
    for (int e = 0; e < each; e++) states[e].start();
    if (at < outputs) {
        const stored* column = x + (each > 1 ? at : offset_of(at, kept));
        const auto line = [&](i64 i) { return *(const Neighbours*)(column + (each > 1 ? i * reduced.stride[0][0] : offset_of(i, reduced))); };
        input of_outputs[each];
#pragma unroll
        for (int e = 0; e < each; e++) of_outputs[e] = centre_of(centres, at + e);
        i64 from, to;
        share(length, from, to);
        i64 i = from + strip;
#pragma unroll 1
        for (; i + 3 * STRIPS < to; i += 4 * STRIPS) {
            Neighbours loaded[4];
#pragma unroll
            for (int k = 0; k < 4; k++) loaded[k] = line(i + k * STRIPS);
#pragma unroll
            for (int e = 0; e < each; e++) {
                input four[4];
#pragma unroll
                for (int k = 0; k < 4; k++) four[k] = moved(loaded[k].at[e], of_outputs[e]);
                add_four(states[e], four, i, STRIPS);
            }
        }
#pragma unroll 1
        for (; i < to; i += STRIPS) {
            const Neighbours loaded = line(i);
#pragma unroll
            for (int e = 0; e < each; e++) states[e].add(moved(loaded.at[e], of_outputs[e]), i);
        }
    }
#pragma unroll
    for (int e = 0; e < each; e++) of_strips[(strip * each + e) * 32 + lane] = states[e];
    __syncthreads();
    // Neighbours among the threads write neighbours.
    const i64 first = i64(blockIdx.x) * 32 * each;
    for (int here = threadIdx.x; here < 32 * each && first + here < outputs; here += THREADS) {
        const State* own = of_strips + here % each * 32 + here / each;
        State state = own[0];
#pragma unroll 1
        for (int other = 1; other < STRIPS; other++) state.merge(own[other * each * 32]);
        deliver(state, first + here, outputs, shares, out);
    }
    if (gridDim.y == 1 || !ends_last(finished)) return;
    for (int here = threadIdx.x; here < 32 * each && first + here < outputs; here += THREADS) {
        State state;
        state.start();
#pragma unroll 1
        for (u32 number = 0; number < gridDim.y; number++) {
            State other;
            const volatile u64* written = (const volatile u64*)(shares + number * outputs + first + here);
#pragma unroll
            for (int word = 0; word < int(sizeof(State) / 8); word++) ((u64*)&other)[word] = written[word];
            state.merge(other);
        }
        out[first + here] = state.finish();
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
reduce_columns(const stored* x, const input* centres, const __grid_constant__ Axes kept, const __grid_constant__ Axes reduced, i64 outputs, i64 length, State* shares, u32* finished, output* out) {
    columns<1>(x, centres, kept, reduced, outputs, length, shares, finished, out);
}
// Loads of 16 bytes, or of four elements where those are narrower.
extern "C" __global__ void __launch_bounds__(THREADS, sizeof(State) == 16 ? 6 : 4)
reduce_wide_columns(const stored* x, const input* centres, const __grid_constant__ Axes kept, const __grid_constant__ Axes reduced, i64 outputs, i64 length, State* shares, u32* finished, output* out) {
    columns<LOADED < 4 ? LOADED : 4>(x, centres, kept, reduced, outputs, length, shares, finished, out);
}

// Merges the shares of each output; a warp an output.
extern "C" __global__ void __launch_bounds__(THREADS)
reduce_shares(const State* shares, i64 outputs, i64 count, output* out) {
    const i64 at = (i64(blockIdx.x) * THREADS + threadIdx.x) / 32;
    if (at >= outputs) return;
    State state;
    state.start();
    for (i64 i = threadIdx.x % 32; i < count; i += 32) state.merge(shares[i * outputs + at]);
    state = merged_in_warp(state);
    if (threadIdx.x % 32 == 0) out[at] = state.finish();
}

#endif

#endif
