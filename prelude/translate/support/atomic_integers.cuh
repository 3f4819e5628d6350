// Changes of integers in arrays that no other thread comes between; they give what was there.

// Read from where all threads see it.
__device__ __forceinline__ INT INT_atomic_load(INT *at) { return *(volatile INT *)at; }

__device__ __forceinline__ INT INT_atomic_add(INT *at, INT value) { return INT(atomicAdd((UNS *)at, UNS(value))); }

__device__ __forceinline__ INT INT_atomic_sub(INT *at, INT value) { return INT(atomicAdd((UNS *)at, UNS(0) - UNS(value))); }

__device__ __forceinline__ INT INT_atomic_max(INT *at, INT value) { return atomicMax(at, value); }

__device__ __forceinline__ INT INT_atomic_min(INT *at, INT value) { return atomicMin(at, value); }

__device__ __forceinline__ INT INT_atomic_and(INT *at, INT value) { return INT(atomicAnd((UNS *)at, UNS(value))); }

__device__ __forceinline__ INT INT_atomic_or(INT *at, INT value) { return INT(atomicOr((UNS *)at, UNS(value))); }

__device__ __forceinline__ INT INT_atomic_xor(INT *at, INT value) { return INT(atomicXor((UNS *)at, UNS(value))); }

__device__ __forceinline__ INT INT_atomic_exchange(INT *at, INT value) { return INT(atomicExch((UNS *)at, UNS(value))); }

__device__ __forceinline__ INT INT_atomic_compare_exchange(INT *at, INT compare, INT value) {
    return INT(atomicCAS((UNS *)at, UNS(compare), UNS(value)));
}
