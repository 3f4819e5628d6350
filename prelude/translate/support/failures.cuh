// What ends a thread that has failed: each part of these files goes into a program that uses it.

// What the host learns of a thread that has failed, and by `stop` the threads of the host. Kinds: 0 nothing, 1 division by
// zero, 2 remainder by zero, 3 index out of bounds (index, length), 4 stopped by an interrupt, 5 a panic. An index is one of the
// array with the number before `array`, if that is not 0, along an axis.
struct WarpcellRecord {
    unsigned int kind;
    unsigned int function;
    unsigned int line;
    volatile unsigned int stop;
    long long values[2];
    unsigned int array;
    unsigned int axis;
    unsigned int thread[3];
    unsigned int block[3];
};
__device__ WarpcellRecord *warpcell_record;

// Writes down what happened, unless another thread has, and ends this thread.
[[noreturn]] __device__ __noinline__ void warpcell_fail(u32 kind, u32 function, u32 line, i64 first, i64 second,
                                                        u32 array = 0, u32 axis = 0) {
    WarpcellRecord *record = warpcell_record;
    if (atomicCAS(&record->kind, 0u, kind) == 0u) {
        record->function = function;
        record->line = line;
        record->values[0] = first;
        record->values[1] = second;
        record->array = array;
        record->axis = axis;
        record->thread[0] = threadIdx.x;
        record->thread[1] = threadIdx.y;
        record->thread[2] = threadIdx.z;
        record->block[0] = blockIdx.x;
        record->block[1] = blockIdx.y;
        record->block[2] = blockIdx.z;
    }
    asm volatile("exit;");
    for (;;) {}
}

// Ends the thread where Rust would panic.
[[noreturn]] __device__ __forceinline__ void panicked(u32 function, u32 line) { warpcell_fail(5, function, line, 0, 0); }

// The index itself, if it is one of an array of that length.
__device__ __forceinline__ usize checked_index(usize index, usize length, u32 function, u32 line) {
    if (index >= length) warpcell_fail(3, function, line, i64(index), i64(length));
    return index;
}

// Looks whether the host has asked to stop.
__device__ __forceinline__ void look_at_once(u32 function, u32 line) {
    if (warpcell_record->stop != 0u) warpcell_fail(4, function, line, 0, 0);
}

// Counts a loop's passes, and each 65,536 of them looks whether the host has asked to stop.
__device__ __forceinline__ void look_for_stop(u32 &passes, u32 function, u32 line) {
    passes += 1;
    if ((passes & 0xffffu) == 0u && warpcell_record->stop != 0u) warpcell_fail(4, function, line, 0, 0);
}
