// Changes of floats in arrays that no other thread comes between; they give what was there.

// Read from where all threads see it.
__device__ __forceinline__ FLOAT FLOAT_atomic_load(FLOAT *at) { return *(volatile FLOAT *)at; }

__device__ __forceinline__ FLOAT FLOAT_atomic_add(FLOAT *at, FLOAT value) { return atomicAdd(at, value); }

__device__ __forceinline__ FLOAT FLOAT_atomic_sub(FLOAT *at, FLOAT value) { return atomicAdd(at, -value); }

// CUDA has no greatest and least of floats: tried until no other thread has come between.
__device__ __forceinline__ FLOAT FLOAT_atomic_max(FLOAT *at, FLOAT value) {
    UINT old = *(volatile UINT *)at, seen, wanted;
    do {
        seen = old;
        wanted = FLOAT_to_bits(FLOAT_max(FLOAT_from_bits(seen), value));
        if (wanted == seen) break;
        old = atomicCAS((UINT *)at, seen, wanted);
    } while (old != seen);
    return FLOAT_from_bits(seen);
}

__device__ __forceinline__ FLOAT FLOAT_atomic_min(FLOAT *at, FLOAT value) {
    UINT old = *(volatile UINT *)at, seen, wanted;
    do {
        seen = old;
        wanted = FLOAT_to_bits(FLOAT_min(FLOAT_from_bits(seen), value));
        if (wanted == seen) break;
        old = atomicCAS((UINT *)at, seen, wanted);
    } while (old != seen);
    return FLOAT_from_bits(seen);
}

__device__ __forceinline__ FLOAT FLOAT_atomic_exchange(FLOAT *at, FLOAT value) {
    return FLOAT_from_bits(atomicExch((UINT *)at, FLOAT_to_bits(value)));
}

// Compared by their bits.
__device__ __forceinline__ FLOAT FLOAT_atomic_compare_exchange(FLOAT *at, FLOAT compare, FLOAT value) {
    return FLOAT_from_bits(atomicCAS((UINT *)at, FLOAT_to_bits(compare), FLOAT_to_bits(value)));
}
