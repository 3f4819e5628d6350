// Products of matrices of integers, modulo a power of two, and of bools, by `and` and `or`.
//
//   WARPCELL_ELEMENT   u8, u32 or u64; the sign of integers does not matter
//   WARPCELL_LOGICAL   if defined, elements are bools
//   WARPCELL_EACH      rows and columns that a thread computes: the more, the less shared memory is read, and the fewer blocks
//                      there are. Not defined: the program for products by digits
//
// A block computes a tile of 16 * EACH by 16 * EACH elements of one product, 16 terms at a time from shared memory; a thread EACH
// by EACH of them, 16 rows and 16 columns apart, so that neighbours in a warp write neighbours.
//
// By digits: a number of 32 bits is a sum of four digits from -128 to 127 times powers of 256, and a product modulo 2^32 is one of four
// sums of products of digits. Those are what tensor cores compute (Ootomo, Ozaki and Yokota, 2024, do so for floats).

#define THREADS 256
#define DEVICE __device__ __forceinline__

#ifdef WARPCELL_EACH

typedef WARPCELL_ELEMENT element;

#define EACH WARPCELL_EACH
#define TILE (16 * EACH)
#define DEPTH 16

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

#else

#define LINES 32
#define TERMS 64

// The digits of the lines of a matrix, which are the rows of the left factor or the columns of the right one. A line of digits has four
// parts of `padded` digits, the lowest ones first, or with `is_reversed` last; what fills them up are zeros. A block has some lines and
// terms, of which those are neighbours whose step is 1.
extern "C" __global__ void __launch_bounds__(THREADS)
split_digits(const u32* x, u32* out, i64 lines, i64 terms, i64 line_step, i64 term_step, i64 padded, int is_reversed) {
    __shared__ u32 tile[LINES][TERMS + 1];
    const i64 across = (padded + TERMS - 1) / TERMS;
    const i64 first_line = i64(blockIdx.x) / across * LINES, first_term = i64(blockIdx.x) % across * TERMS;
    const bool along_terms = term_step == 1;
#pragma unroll
    for (int at = threadIdx.x; at < LINES * TERMS; at += THREADS) {
        const int line = along_terms ? at / TERMS : at % LINES, term = along_terms ? at % TERMS : at / LINES;
        const bool is_in = first_line + line < lines && first_term + term < terms;
        tile[line][term] = is_in ? x[(first_line + line) * line_step + (first_term + term) * term_step] : 0;
    }
    __syncthreads();
    // Four terms a thread, whose digits are a word each.
#pragma unroll
    for (int at = threadIdx.x; at < LINES * TERMS / 4; at += THREADS) {
        const int line = at / (TERMS / 4), term = at % (TERMS / 4) * 4;
        if (first_line + line >= lines || first_term + term >= padded) continue;
        u32 words[4] = {};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            u32 rest = tile[line][term + k];
#pragma unroll
            for (int digit = 0; digit < 4; digit++) {
                words[digit] |= (rest & 255) << (8 * k);
                // A digit above 127 is one below 0, and the next one is one more.
                rest = (rest >> 8) + (rest >> 7 & 1);
            }
        }
#pragma unroll
        for (int digit = 0; digit < 4; digit++) {
            const int part = is_reversed ? 3 - digit : digit;
            out[((first_line + line) * 4 * padded + part * padded + first_term + term) / 4] = words[digit];
        }
    }
}

// The sum of four matrices times powers of 256, of which the first one has the highest; in packs.
extern "C" __global__ void __launch_bounds__(THREADS)
join_digits(const uint4* sums, uint4* out, i64 packs) {
    const i64 at = i64(blockIdx.x) * THREADS + threadIdx.x;
    if (at >= packs) return;
    uint4 total = {0, 0, 0, 0};
#pragma unroll
    for (int digit = 0; digit < 4; digit++) {
        const uint4 sum = sums[digit * packs + at];
        total = {total.x * 256 + sum.x, total.y * 256 + sum.y, total.z * 256 + sum.z, total.w * 256 + sum.w};
    }
    out[at] = total;
}

#endif
