// What threads of a kernel need beside CUDA's own functions.

// The index itself, if it is less than the length of an array's axis. Without `__builtin_expect`, over which NVRTC 13.5 crashes where one
// loop is in another, for compute capability 10.0 and later: what does not return is unlikely anyway.
__device__ __forceinline__ usize checked_axis(usize index, usize length, u32 array, u32 axis, u32 function, u32 line) {
    if (index >= length) warpcell_fail(3, function, line, i64(index), i64(length), array, axis);
    return index;
}

// The number of a thread in its warp.
__device__ __forceinline__ usize warpcell_lane() {
    u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

// The shared memory whose size is given at a launch.
extern __shared__ __align__(16) unsigned char warpcell_dynamic_memory[];

// The same as an array.
template <typename T> __device__ __forceinline__ T *warpcell_dynamic() {
    return reinterpret_cast<T *>(warpcell_dynamic_memory);
}

// How many elements that array has.
template <typename T> __device__ __forceinline__ usize warpcell_dynamic_length() {
    u32 bytes;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
    return bytes / sizeof(T);
}
