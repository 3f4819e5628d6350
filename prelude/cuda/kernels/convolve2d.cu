// Two programs in one file, chosen by macros:
//   WARPCELL_KERNEL_ROWS, ..._COLUMNS     if defined, the size of the convolution kernel: `convolve2d_sized`
//   WARPCELL_STRIPS                       with them, a block has so many times 16 threads
//   WARPCELL_QUICK                        if defined, the other one is compiled in less time
// Without a size, `convolve2d_any` takes kernels of every size.
//
// The weights are read from shared memory as 16-byte broadcasts, not from constant memory: a `__constant__` symbol
// would need one more copy in the stream at each call, and constant operands have immediate addresses only, so the
// loop over kernel rows would have to be unrolled in full (0.3 to 0.6 s of compilation and a loop that outgrows the
// instruction cache). A row of weights is used for 8 outputs from registers, so its load is 1 instruction in 60.

#ifdef WARPCELL_KERNEL_ROWS

// 16 lanes side by side, each 2 vectors of 16 bytes wide and ROWS outputs high; below one another WARPCELL_STRIPS such strips.
#define ROWS 2
#define LANES 16
#define STRIPS WARPCELL_STRIPS
#define THREADS (LANES * STRIPS)
#define P WARPCELL_KERNEL_ROWS
#define Q WARPCELL_KERNEL_COLUMNS

struct alignas(16) Vector {
    element at[16 / sizeof(element)];
};

constexpr int VECTOR = 16 / sizeof(element);
constexpr int COLUMNS = 2 * VECTOR;
// The part of a tile's row that one thread's outputs need, in vectors.
constexpr int SEGMENT = (COLUMNS + Q - 1 + VECTOR - 1) / VECTOR;
constexpr int TILE_ROWS = STRIPS * ROWS + P - 1;
constexpr int TILE_COLUMNS = LANES * COLUMNS + Q - 1;
// A row holds its even vectors, then its odd ones. Lanes are two vectors apart, so without that split the 8 lanes that
// a 16-byte load serves at once would meet in half of the banks. HALF is 4 modulo 8 so that filling does not collide.
constexpr int HALF_LEAST = (2 * (LANES - 1) + SEGMENT + 1) / 2;
constexpr int HALF = HALF_LEAST + (12 - HALF_LEAST % 8) % 8;
constexpr int PITCH = 2 * HALF;
constexpr int WEIGHTS = (Q + VECTOR - 1) / VECTOR;

// Where a column is in a row of the tile, in elements. 32 columns on, it is 16 elements on.
__device__ __forceinline__ int column_at(int column) {
    const int v = column / VECTOR;
    return ((v >> 1) + (v & 1) * HALF) * VECTOR + column % VECTOR;
}

// One row of the tile against the weights of up to ROWS kernel rows. Output row k meets the kernel row whose weights
// were loaded k tile rows ago; `slot` is where the newest ones are kept.
template <int slot, int first, int last>
__device__ __forceinline__ void accumulate(element (&sums)[ROWS][COLUMNS], const element (&weights)[ROWS][WEIGHTS * VECTOR],
                                           const Vector* row) {
    element x[SEGMENT * VECTOR];
#pragma unroll
    for (int v = 0; v < SEGMENT; v++) {
        Vector loaded = row[(v >> 1) + (v & 1) * HALF];
#pragma unroll
        for (int i = 0; i < VECTOR; i++) x[v * VECTOR + i] = loaded.at[i];
    }
#pragma unroll
    for (int t = 0; t < Q; t++) {
#pragma unroll
        for (int k = first; k <= last; k++) {
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
                sums[k][c] = multiply_add(x[c + t], weights[(slot - k + ROWS) % ROWS][t], sums[k][c]);
            }
        }
    }
}

__device__ __forceinline__ void load_weights(element (&into)[WEIGHTS * VECTOR], const Vector* row) {
#pragma unroll
    for (int v = 0; v < WEIGHTS; v++) {
        Vector loaded = row[v];
#pragma unroll
        for (int i = 0; i < VECTOR; i++) into[v * VECTOR + i] = loaded.at[i];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, sizeof(element) == 8 ? 4 : STRIPS == 16 ? 5 : 8)
convolve2d_sized(const element* __restrict__ image, const element* __restrict__ kernel, element* __restrict__ out,
                 Geometry geometry, element outside) {
    __shared__ Vector tile[TILE_ROWS * PITCH];
    __shared__ Vector flipped[P * WEIGHTS];

    const int lane = threadIdx.x % LANES;
    const int strip = threadIdx.x / LANES;
    // Tiles are numbered along x alone: a grid's y ends at 65535.
    const int block_row = blockIdx.x / geometry.tiles_across * (STRIPS * ROWS);
    const int block_column = blockIdx.x % geometry.tiles_across * (LANES * COLUMNS);

    element* weight = (element*)flipped;
#pragma unroll 1
    for (int i = threadIdx.x; i < P * WEIGHTS * VECTOR; i += THREADS) {
        int p = i / (WEIGHTS * VECTOR), t = i % (WEIGHTS * VECTOR);
        weight[i] = t < Q ? kernel[(P - 1 - p) * Q + Q - 1 - t] : element(0);
    }

    // The tile: a warp fills a row at a time.
    element* cells = (element*)tile;
    const int warp = threadIdx.x / 32, warp_lane = threadIdx.x % 32;
    {
        const int top = block_row + geometry.origin_row - (P - 1);
        const int left = block_column + geometry.origin_column - (Q - 1);
        const bool interior = top >= 0 && left >= 0 && top + TILE_ROWS <= geometry.image_rows &&
                              left + TILE_COLUMNS <= geometry.image_columns;
        if (interior) {
            const element* source = image + (long long)(top + warp) * geometry.image_columns + left + warp_lane;
            element* target = cells + warp * PITCH * VECTOR + column_at(warp_lane);
#pragma unroll 2
            for (int r = warp; r < TILE_ROWS; r += THREADS / 32) {
#pragma unroll
                for (int c = 0; c < TILE_COLUMNS; c += 32) {
                    if (c + warp_lane < TILE_COLUMNS) target[c / 2] = source[c];
                }
                source += (long long)(THREADS / 32) * geometry.image_columns;
                target += THREADS / 32 * PITCH * VECTOR;
            }
        } else {
#pragma unroll 1
            for (int r = warp; r < TILE_ROWS; r += THREADS / 32) {
                int from_row = inside(top + r, geometry.image_rows, geometry.padding);
#pragma unroll 1
                for (int column = warp_lane; column < TILE_COLUMNS; column += 32) {
                    cells[r * PITCH * VECTOR + column_at(column)] = element_at(image, geometry, from_row, left + column, outside);
                }
            }
        }
    }
    __syncthreads();

    element sums[ROWS][COLUMNS] = {};
    element weights[ROWS][WEIGHTS * VECTOR] = {};
    const Vector* line = tile + strip * ROWS * PITCH + lane;

    // Tile row r meets kernel row P-1-r+k for output row k (with ROWS = 2: two kernel rows, but for the first and last).
    static_assert(ROWS == 2, "the first and last steps below are written for two rows");
    load_weights(weights[0], flipped);
    accumulate<0, 0, 0>(sums, weights, line);
    int r = 1;
#pragma unroll 1
    for (; r + 1 < P; r += 2) {
        load_weights(weights[1], flipped + r * WEIGHTS);
        accumulate<1, 0, 1>(sums, weights, line + r * PITCH);
        load_weights(weights[0], flipped + (r + 1) * WEIGHTS);
        accumulate<0, 0, 1>(sums, weights, line + (r + 1) * PITCH);
    }
    if (P % 2 == 0) {
        load_weights(weights[1], flipped + (P - 1) * WEIGHTS);
        accumulate<1, 0, 1>(sums, weights, line + (P - 1) * PITCH);
        accumulate<0, 1, 1>(sums, weights, line + P * PITCH);
    } else {
        accumulate<1, 1, 1>(sums, weights, line + P * PITCH);
    }

    // Through shared memory, so that a warp writes 32 neighbours at once and not every eighth element.
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
#pragma unroll
        for (int v = 0; v < 2; v++) {
            Vector stored;
#pragma unroll
            for (int i = 0; i < VECTOR; i++) stored.at[i] = sums[k][v * VECTOR + i];
            tile[(strip * ROWS + k) * PITCH + lane + v * HALF] = stored;
        }
    }
    __syncthreads();
    const element* cell = cells + warp * PITCH * VECTOR + column_at(warp_lane);
    element* target = out + (long long)(block_row + warp) * geometry.out_columns + block_column + warp_lane;
    const int columns = geometry.out_columns - block_column - warp_lane;
#pragma unroll 1
    for (int r = warp; r < STRIPS * ROWS && block_row + r < geometry.out_rows; r += THREADS / 32) {
#pragma unroll
        for (int c = 0; c < LANES * COLUMNS; c += 32) {
            if (c < columns) target[c] = cell[c / 2];
        }
        target += (long long)(THREADS / 32) * geometry.out_columns;
        cell += THREADS / 32 * PITCH * VECTOR;
    }
}

#else

// 32 columns by 8 strips of 4 rows; the kernel is taken in pieces.
#define ROWS 4
#define LANES 32
#define STRIPS 8
#define THREADS (LANES * STRIPS)
#ifdef WARPCELL_QUICK
constexpr int TOGETHER = 1;
#else
constexpr int TOGETHER = 2;
#endif
constexpr int TILE_ROWS = STRIPS * ROWS + PIECE_ROWS - 1;
constexpr int PITCH = LANES + PIECE_COLUMNS;

extern "C" __global__ void __launch_bounds__(THREADS)
convolve2d_any(const element* __restrict__ image, const element* __restrict__ kernel, element* __restrict__ out,
               Geometry geometry, element outside) {
    __shared__ element tile[TILE_ROWS * PITCH];
    __shared__ element weight[PIECE_ROWS * PIECE_COLUMNS];

    const int lane = threadIdx.x % LANES;
    const int strip = threadIdx.x / LANES;
    const int block_row = blockIdx.x / geometry.tiles_across * (STRIPS * ROWS);
    const int block_column = blockIdx.x % geometry.tiles_across * LANES;
    const int P = geometry.kernel_rows, Q = geometry.kernel_columns;

    element sums[ROWS] = {};
#pragma unroll 1
    for (int last_p = P - 1; last_p >= 0; last_p -= PIECE_ROWS) {
        const int rows = min(PIECE_ROWS, last_p + 1);
#pragma unroll 1
        for (int last_q = Q - 1; last_q >= 0; last_q -= PIECE_COLUMNS) {
            const int columns = min(PIECE_COLUMNS, last_q + 1);
            const int top = block_row + geometry.origin_row - last_p;
            const int left = block_column + geometry.origin_column - last_q;
            __syncthreads();
#pragma unroll 1
            for (int i = threadIdx.x; i < rows * columns; i += THREADS) {
                int p = i / columns, t = i - p * columns;
                weight[i] = kernel[(long long)(last_p - p) * Q + last_q - t];
            }
#pragma unroll 1
            for (int r = strip; r < STRIPS * ROWS + rows - 1; r += STRIPS) {
                int from_row = inside(top + r, geometry.image_rows, geometry.padding);
#pragma unroll 1
                for (int column = lane; column < LANES + columns - 1; column += LANES) {
                    tile[r * PITCH + column] = element_at(image, geometry, from_row, left + column, outside);
                }
            }
            __syncthreads();
#pragma unroll 1
            for (int p = 0; p < rows; p++) {
                const element* line = tile + (strip * ROWS + p) * PITCH + lane;
                const element* w = weight + p * columns;
#pragma unroll TOGETHER
                for (int t = 0; t < columns; t++) {
#pragma unroll
                    for (int k = 0; k < ROWS; k++) sums[k] = multiply_add(line[k * PITCH + t], w[t], sums[k]);
                }
            }
        }
    }
    const int column = block_column + lane;
    if (column >= geometry.out_columns) return;
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        int row = block_row + strip * ROWS + k;
        if (row < geometry.out_rows) out[(long long)row * geometry.out_columns + column] = sums[k];
    }
}
#endif
