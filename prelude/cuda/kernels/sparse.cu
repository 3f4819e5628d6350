// Products of the lines of sparse matrices with dense vectors and matrices.
//
//   WARPCELL_ELEMENT   the element type
//
// Source: Bell and Garland, "Implementing Sparse Matrix-Vector Multiplication on Throughput-Oriented Processors" (2009).

typedef WARPCELL_ELEMENT element;

#define THREADS 256

// With a vector: `lanes` neighbouring threads of a warp, a power of two, share a line.
extern "C" __global__ void __launch_bounds__(THREADS)
multiply_vector(const int* pointers, const int* indices, const element* data, const element* x, i64 lines, i64 lanes,
                element* out) {
    const i64 thread = i64(blockIdx.x) * THREADS + threadIdx.x;
    const i64 line = thread / lanes;
    const int lane = int(thread % lanes);
    element sum = 0;
    if (line < lines) {
        const i64 end = pointers[line + 1];
        for (i64 at = i64(pointers[line]) + lane; at < end; at += lanes) sum += data[at] * x[indices[at]];
    }
    for (int distance = int(lanes) / 2; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
    if (line < lines && lane == 0) out[line] = sum;
}

// With a matrix of so many columns: a thread for each element of the result, those of a line beside one another.
extern "C" __global__ void __launch_bounds__(THREADS)
multiply_matrix(const int* pointers, const int* indices, const element* data, const element* x, i64 lines, i64 columns,
                element* out) {
    const i64 thread = i64(blockIdx.x) * THREADS + threadIdx.x;
    const i64 line = thread / columns, column = thread % columns;
    if (line >= lines) return;
    element sum = 0;
    const i64 end = pointers[line + 1];
    for (i64 at = pointers[line]; at < end; ++at) sum += data[at] * x[indices[at] * columns + column];
    out[thread] = sum;
}
