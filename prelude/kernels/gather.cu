// Copying rows by their indices: out[i, ...] = source[indices[i], ...].
//
//   WARPCELL_ELEMENT   an unsigned integer of the elements' size
//
// `row` is the number of elements of a row, `size` that of all outputs.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;
typedef WARPCELL_ELEMENT element;

#define THREADS 256

extern "C" __global__ void __launch_bounds__(THREADS)
gather(const element* __restrict__ source, const i64* __restrict__ indices, element* __restrict__ out, i64 size, i64 row) {
    const i64 at = i64(blockIdx.x) * THREADS + threadIdx.x;
    if (at >= size) return;
    if (row == 1) {
        out[at] = source[indices[at]];
    } else {
        const i64 place = at / row;
        out[at] = source[indices[place] * row + (at - place * row)];
    }
}
