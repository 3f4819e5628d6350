// Products of matrices of integers, modulo a power of two, and of bools, by `and` and `or`.
//
//   WARPCELL_ELEMENT   u8, u32 or u64; the sign of integers does not matter
//   WARPCELL_LOGICAL   if defined, elements are bools
//   WARPCELL_EACH      rows and columns that a thread computes: the more, the less shared memory is read, and the fewer blocks
//                      there are
//
// A block computes a tile of 16 * EACH by 16 * EACH elements of one product, 16 terms at a time from shared memory; a thread EACH
// by EACH of them, 16 rows and 16 columns apart, so that neighbours in a warp write neighbours.

typedef WARPCELL_ELEMENT element;

#define EACH WARPCELL_EACH
#define TILE (16 * EACH)
#define DEPTH 16
#define THREADS 256
#define DEVICE __device__ __forceinline__

// What is computed in: at least 32 bits.
template <int size> struct wide { typedef u32 type; };
template <> struct wide<8> { typedef u64 type; };
typedef wide<sizeof(element)>::type word;

// A side's matrices: how many elements apart rows, columns and matrices are.
struct Strides {
    i64 row;
    i64 column;
    i64 matrix;
};

DEVICE word load(const element* x) {
#ifdef WARPCELL_LOGICAL
    return *x != 0;
#else
    return *x;
#endif
}

DEVICE void add(word& sum, word a, word b) {
#ifdef WARPCELL_LOGICAL
    sum |= a & b;
#else
    sum += a * b;
#endif
}

// `a` has `rows` by `inner` elements, `b` `inner` by `columns`; products are row-major, and `apart` elements apart in `out`.
extern "C" __global__ void __launch_bounds__(THREADS)
multiply(const element* a, const element* b, element* out, i64 apart, i64 rows, i64 inner, i64 columns,
         const __grid_constant__ Strides of_a, const __grid_constant__ Strides of_b) {
    // Term by term; the rows of the shared arrays are longer than a tile, so that columns are on different banks.
    __shared__ word part_a[DEPTH][TILE + 1];
    __shared__ word part_b[DEPTH][TILE + 1];
    const i64 across = (columns + TILE - 1) / TILE;
    const i64 tiles = (rows + TILE - 1) / TILE * across;
    const i64 pair = i64(blockIdx.x) / tiles, tile = i64(blockIdx.x) - pair * tiles;
    const i64 first_row = tile / across * TILE, first_column = tile % across * TILE;
    a += pair * of_a.matrix + first_row * of_a.row;
    b += pair * of_b.matrix + first_column * of_b.column;
    out += pair * apart;
    const i64 rows_left = rows - first_row, columns_left = columns - first_column;
    // Neighbours among the threads read neighbours in memory.
    const bool along_a = of_a.column == 1, along_b = of_b.column == 1;
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    word sums[EACH][EACH] = {};

#pragma unroll 1
    for (i64 from = 0; from < inner; from += DEPTH) {
#pragma unroll
        for (int i = 0; i < TILE * DEPTH / THREADS; i++) {
            const int at = threadIdx.x + i * THREADS;
            const int row = along_a ? at / DEPTH : at % TILE, term_a = along_a ? at % DEPTH : at / TILE;
            const bool in_a = row < rows_left && from + term_a < inner;
            part_a[term_a][row] = in_a ? load(a + row * of_a.row + (from + term_a) * of_a.column) : word(0);
            const int column = along_b ? at % TILE : at / DEPTH, term_b = along_b ? at / TILE : at % DEPTH;
            const bool in_b = column < columns_left && from + term_b < inner;
            part_b[term_b][column] = in_b ? load(b + (from + term_b) * of_b.row + column * of_b.column) : word(0);
        }
        __syncthreads();
#pragma unroll
        for (int term = 0; term < DEPTH; term++) {
            word of_rows[EACH], of_columns[EACH];
#pragma unroll
            for (int i = 0; i < EACH; i++) {
                of_rows[i] = part_a[term][y + 16 * i];
                of_columns[i] = part_b[term][x + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < EACH; i++) {
#pragma unroll
                for (int j = 0; j < EACH; j++) add(sums[i][j], of_rows[i], of_columns[j]);
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; i++) {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const int row = y + 16 * i, column = x + 16 * j;
            if (row < rows_left && column < columns_left) {
                out[(first_row + row) * columns + first_column + column] = element(sums[i][j]);
            }
        }
    }
}
