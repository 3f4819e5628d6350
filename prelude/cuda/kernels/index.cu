// Reading and writing elements by arrays of indices.
//
//   WARPCELL_INDEX     int, u32 or i64: the type of the indices (a u64 that is in range is an i64 too)
//   WARPCELL_ELEMENT   u8, u16, u32, u64 or u128: only the size of an element matters, and neighbours are moved together where
//                      that is possible. Not defined: the program that finds repeated indices
//   WARPCELL_SCATTER   if defined, the program that writes, else the one that reads
//
// The host has seen that all indices are in range, or it asks whether they are: then `report` is where the answer is to be, and
// has been 0. Other threads may have written to them since, so nothing here relies on that: a read goes to some element of the
// source, a write does not happen.

typedef WARPCELL_INDEX index_type;

#define DEVICE __device__ __forceinline__
#define THREADS 256

// Negative indices count from the end.
DEVICE i64 place_of(index_type at, i64 length) {
    const i64 place = i64(at);
    return place < 0 ? place + length : place;
}

DEVICE bool is_in(i64 place, i64 length) { return u64(place) < u64(length); }

// An index of a call that is out of range, the first that was found; call 0 is none.
struct Report {
    u32 call, unused;
    i64 index;
};

// Without an address nobody asks.
DEVICE void tell(Report* report, u32 call, i64 index) {
    if (report && atomicCAS(&report->call, 0u, call) == 0u) report->index = index;
}

#ifdef WARPCELL_ELEMENT

struct alignas(16) u128 {
    u64 low, high;
};
typedef WARPCELL_ELEMENT element;

// Of the array that is indexed (strides of 0 along the axis of the indices), the indices, and the elements read or written.
typedef warpcell_axes<3> Axes;

// How far from the first one something is, in each of the three.
struct Place {
    i64 array, indices, elements;
};

template <typename number> DEVICE Place place_among(number at, const Axes& axes) {
    i64 offset[3] = {0, 0, 0};
    warpcell_move(axes, at, offset);
    return {offset[0], offset[1], offset[2]};
}

// Out of line, since its divisions would be most of the time to compile.
__device__ __noinline__ Place place_among_many(u64 at, const Axes* axes) { return place_among<u64>(at, *axes); }

template <bool many> DEVICE Place locate(i64 at, const Axes& axes) {
    if constexpr (many) return place_among_many(u64(at), &axes);
    else return place_among<u32>(u32(at), axes);
}

// Elements that a thread moves, so that it has several loads under way.
#define EACH 4

#ifndef WARPCELL_SCATTER

template <bool many>
DEVICE void gather_elements(const element* source, const index_type* indices, element* out, i64 size, i64 length, i64 step, Report* report, u32 call,
                            const Axes& axes) {
    const i64 first = i64(blockIdx.x) * (THREADS * EACH) + threadIdx.x;
    i64 from[EACH], to[EACH];
    index_type found[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (first + k * THREADS < size) {
            const Place place = locate<many>(first + k * THREADS, axes);
            found[k] = indices[place.indices];
            from[k] = place.array;
            to[k] = place.elements;
        }
    }
    element loaded[EACH];
    bool are_in = true;
    i64 outside = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (first + k * THREADS < size) {
            const i64 place = place_of(found[k], length);
            const bool is_inside = is_in(place, length);
            if (!is_inside) are_in = false, outside = i64(found[k]);
            loaded[k] = source[from[k] + (is_inside ? place : 0) * step];
        }
    }
    if (!are_in) tell(report, call, outside);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (first + k * THREADS < size) out[to[k]] = loaded[k];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
gather(const element* source, const index_type* indices, element* out, i64 size, i64 length, i64 step, Report* report, u32 call,
       const __grid_constant__ Axes axes) {
    gather_elements<false>(source, indices, out, size, length, step, report, call, axes);
}

extern "C" __global__ void __launch_bounds__(THREADS)
gather_wide(const element* source, const index_type* indices, element* out, i64 size, i64 length, i64 step, Report* report, u32 call,
            const __grid_constant__ Axes axes) {
    gather_elements<true>(source, indices, out, size, length, step, report, call, axes);
}

// The same of a whole array along its one axis, where indices and results follow one another from multiples of 16 bytes on, and elements
// have 4 or 8 bytes. A thread has four neighbours. What is read or written once is to leave the caches to the array.
constexpr int WORDS_OF_INDICES = EACH * sizeof(index_type) / 16, WORDS_OF_ELEMENTS = sizeof(element) < 4 ? 1 : EACH * sizeof(element) / 16;

extern "C" __global__ void __launch_bounds__(THREADS)
gather_packs(const element* source, const index_type* indices, element* out, i64 size, i64 length, Report* report, u32 call) {
    union {
        uint4 words[WORDS_OF_INDICES];
        index_type at[EACH];
    } found;
    union {
        uint4 words[WORDS_OF_ELEMENTS];
        element at[EACH];
    } loaded;
    const i64 first = (i64(blockIdx.x) * THREADS + threadIdx.x) * EACH;
    if (first >= size) return;
    const bool is_whole = first + EACH <= size;
    if (is_whole) {
#pragma unroll
        for (int word = 0; word < WORDS_OF_INDICES; word++) found.words[word] = __ldcs((const uint4*)(indices + first) + word);
    } else {
#pragma unroll
        for (int k = 0; k < EACH; k++) found.at[k] = first + k < size ? indices[first + k] : index_type(0);
    }
    bool are_in = true;
    i64 outside = 0;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const i64 place = place_of(found.at[k], length);
        const bool is_inside = is_in(place, length);
        if (!is_inside) are_in = false, outside = i64(found.at[k]);
        loaded.at[k] = source[is_inside ? place : 0];
    }
    if (!are_in) tell(report, call, outside);
    if (is_whole) {
#pragma unroll
        for (int word = 0; word < WORDS_OF_ELEMENTS; word++) __stcs((uint4*)(out + first) + word, loaded.words[word]);
    } else {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            if (first + k < size) out[first + k] = loaded.at[k];
        }
    }
}

#else

// One value for all; the host has repeated it until it fills the words.
template <typename T> DEVICE T value_of(u128 bits) { return T(bits.low); }
template <> DEVICE u128 value_of<u128>(u128 bits) { return bits; }

// Without an address of `values`, all are `bits`.
template <bool many>
DEVICE void scatter_elements(element* target, const index_type* indices, const element* values, u128 bits, i64 size, i64 length, i64 step,
                             const Axes& axes) {
    const i64 first = i64(blockIdx.x) * (THREADS * EACH) + threadIdx.x;
    i64 to[EACH];
    index_type found[EACH];
    element loaded[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (first + k * THREADS < size) {
            const Place place = locate<many>(first + k * THREADS, axes);
            found[k] = indices[place.indices];
            loaded[k] = values ? values[place.elements] : value_of<element>(bits);
            to[k] = place.array;
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (first + k * THREADS < size) {
            const i64 place = place_of(found[k], length);
            if (is_in(place, length)) target[to[k] + place * step] = loaded[k];
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
scatter(element* target, const index_type* indices, const element* values, u128 bits, i64 size, i64 length, i64 step,
        const __grid_constant__ Axes axes) {
    scatter_elements<false>(target, indices, values, bits, size, length, step, axes);
}

extern "C" __global__ void __launch_bounds__(THREADS)
scatter_wide(element* target, const index_type* indices, const element* values, u128 bits, i64 size, i64 length, i64 step,
             const __grid_constant__ Axes axes) {
    scatter_elements<true>(target, indices, values, bits, size, length, step, axes);
}

#endif

#else

// Of repeated indices the last one wins. `claim` enters the number of each index into a table, where the largest for a place
// stays; `settle` writes the place of each index that is the last of its kind, and SKIPPED for the others, for `scatter`.
//
// The indices have the shape (outer, along, inner), and an index leads to a place along the middle axis: a slot is a place
// together with the other two. The table is zeroed, holds numbers from 1, and has an entry for each slot (`direct`) or, where
// slots are many more than indices, twice as many entries as indices at least (2^bits), which are searched from a hash on.
constexpr i64 SKIPPED = -9223372036854775807ll - 1;

struct Indices {
    const index_type* start;
    i64 count, along, inner, length;
};

// Whether an index leads to a slot, and which.
DEVICE bool find_slot(const Indices& indices, u64 number, i64& place, u64& slot) {
    place = place_of(indices.start[number], indices.length);
    if (!is_in(place, indices.length)) return false;
    slot = u64(place);
    if (indices.along != indices.count) {
        const u64 lane = number % u64(indices.inner), outer = number / u64(indices.inner) / u64(indices.along);
        slot = (outer * u64(indices.length) + slot) * u64(indices.inner) + lane;
    }
    return true;
}

// Fibonacci hashing: the high bits of a product with 2^64 / golden ratio.
DEVICE u64 hash(u64 slot, int bits) { return (slot * 11400714819323198485ull) >> (64 - bits); }

extern "C" __global__ void __launch_bounds__(THREADS)
claim(const __grid_constant__ Indices indices, u32* table, int bits, int direct) {
    const u64 number = u64(blockIdx.x) * THREADS + threadIdx.x;
    i64 place;
    u64 slot;
    if (number >= u64(indices.count) || !find_slot(indices, number, place, slot)) return;
    const u32 mine = u32(number) + 1;
    if (direct) {
        atomicMax(table + slot, mine);
        return;
    }
    const u64 mask = (u64(1) << bits) - 1;
#pragma unroll 1
    for (u64 entry = hash(slot, bits);; entry = (entry + 1) & mask) {
        // The numbers in an entry change, but not the slot that they lead to.
        const u32 seen = atomicCAS(table + entry, 0u, mine);
        if (seen == 0) return;
        i64 other_place;
        u64 other;
        if (find_slot(indices, seen - 1, other_place, other) && other == slot) {
            atomicMax(table + entry, mine);
            return;
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
settle(const __grid_constant__ Indices indices, const u32* table, int bits, int direct, i64* places) {
    const u64 number = u64(blockIdx.x) * THREADS + threadIdx.x;
    if (number >= u64(indices.count)) return;
    i64 place;
    u64 slot;
    places[number] = SKIPPED;
    if (!find_slot(indices, number, place, slot)) return;
    u32 winner = 0;
    if (direct) {
        winner = table[slot];
    } else {
        const u64 mask = (u64(1) << bits) - 1;
#pragma unroll 1
        for (u64 entry = hash(slot, bits); table[entry] != 0; entry = (entry + 1) & mask) {
            i64 other_place;
            u64 other;
            if (find_slot(indices, table[entry] - 1, other_place, other) && other == slot) {
                winner = table[entry];
                break;
            }
        }
    }
    if (winner == u32(number) + 1) places[number] = place;
}

#endif
