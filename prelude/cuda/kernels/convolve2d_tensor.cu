// `convolve2d_tensor`: doubles, on the tensor cores.
//
//   WARPCELL_TENSOR  the compute capability whose instructions are used, times ten: 80 or 90
//   WARPCELL_STEPS   how many times 8 columns of the tile a column of 8 outputs needs: kernels of up to 8 * STEPS - 7 columns
//
// For a kernel row, the outputs of a tile are a matrix product: a part of the image's row for each output row, times a band matrix of the
// weights, whose column n has them n places further down. The tensor cores multiply by what is outside the band, too. There are zeros, which
// change no finite sum; a tile that has an infinity or NaN is computed by the multiprocessor's other units.
//
// The instructions add the terms one by one, in the order of the columns, as fused multiply-adds, as was tried on an H200. So the bits are
// those of the other programs.

#define STEPS WARPCELL_STEPS
// A warp has 16 rows and ACROSS times 8 columns of outputs; a block has 2 by 2 warps.
#define ACROSS 3
#define WARPS_DOWN 2
#define WARPS_ACROSS 2
#define WARPS (WARPS_DOWN * WARPS_ACROSS)
#define THREADS (WARPS * 32)

constexpr int ROWS = WARPS_DOWN * 16;
constexpr int COLUMNS = WARPS_ACROSS * ACROSS * 8;
constexpr int TILE_ROWS = ROWS + PIECE_ROWS - 1;
constexpr int TILE_COLUMNS = COLUMNS - 8 + STEPS * 8;
// Four rows of the tile that are read at once meet in no bank: a pitch is 4 or 12 modulo 16.
constexpr int PITCH = TILE_COLUMNS + (12 - TILE_COLUMNS % 8) % 8;
// A row of weights with the zeros in front of it and behind it.
constexpr int BEFORE = 7;
constexpr int WEIGHTS = BEFORE + STEPS * 8;
constexpr int MOST_COLUMNS = STEPS * 8 - 7 < PIECE_COLUMNS ? STEPS * 8 - 7 : PIECE_COLUMNS;

__device__ __forceinline__ bool is_finite(double x) { return (__double2hiint(x) & 0x7ff00000) != 0x7ff00000; }

// sums (16 rows, 8 columns) += x (16 rows, 8 columns) * weights (8 rows, 8 columns), each spread over the lanes of a warp. Lane 4 i + j has
// of x rows i and i + 8 of column j, then of column j + 4; of the weights rows j and j + 4 of column i; of the sums columns 2 j and 2 j + 1
// of row i, then of row i + 8.
__device__ __forceinline__ void multiply_add_16_by_8(double (&sums)[4], const double (&x)[4], const double (&weights)[2]) {
#if WARPCELL_TENSOR >= 90
    asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
        : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(weights[0]), "d"(weights[1]));
#else
#pragma unroll
    for (int half = 0; half < 2; half++) {
#pragma unroll
        for (int k = 0; k < 2; k++) {
            asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                : "+d"(sums[2 * half]), "+d"(sums[2 * half + 1])
                : "d"(x[2 * k + half]), "d"(weights[k]));
        }
    }
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS, 6)
convolve2d_tensor(const double* __restrict__ image, const double* __restrict__ kernel, double* __restrict__ out, Geometry geometry,
                  double outside) {
    __shared__ double tile[TILE_ROWS * PITCH];
    __shared__ double weight[PIECE_ROWS * WEIGHTS];

    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, i = lane / 4, j = lane % 4;
    const int block_row = blockIdx.x / geometry.tiles_across * ROWS;
    const int block_column = blockIdx.x % geometry.tiles_across * COLUMNS;
    const int P = geometry.kernel_rows, Q = geometry.kernel_columns;
    const int warp_row = warp / WARPS_ACROSS * 16, warp_column = warp % WARPS_ACROSS * (ACROSS * 8);

    double sums[ACROSS][4] = {};
#pragma unroll 1
    for (int last_p = P - 1; last_p >= 0; last_p -= PIECE_ROWS) {
        const int rows = min(PIECE_ROWS, last_p + 1);
#pragma unroll 1
        for (int last_q = Q - 1; last_q >= 0; last_q -= MOST_COLUMNS) {
            const int columns = min(MOST_COLUMNS, last_q + 1);
            const int top = block_row + geometry.origin_row - last_p;
            const int left = block_column + geometry.origin_column - last_q;
            const int tile_rows = ROWS + rows - 1, tile_columns = COLUMNS + columns - 1;
            __syncthreads();
            bool is_finite_here = true;
#pragma unroll 1
            for (int at = threadIdx.x; at < rows * WEIGHTS; at += THREADS) {
                const int p = at / WEIGHTS, t = at % WEIGHTS - BEFORE;
                const double w = t >= 0 && t < columns ? kernel[(long long)(last_p - p) * Q + last_q - t] : 0.0;
                is_finite_here &= is_finite(w);
                weight[at] = w;
            }
            // A warp fills a row at a time. What is behind the columns that the outputs need meets weights of zero.
            if (top >= 0 && left >= 0 && top + tile_rows <= geometry.image_rows && left + TILE_COLUMNS <= geometry.image_columns) {
                const double* source = image + (long long)(top + warp) * geometry.image_columns + left + lane;
                double* target = tile + warp * PITCH + lane;
#pragma unroll 2
                for (int r = warp; r < tile_rows; r += WARPS) {
#pragma unroll
                    for (int c = 0; c < TILE_COLUMNS; c += 32) {
                        if (c + lane < TILE_COLUMNS) {
                            const double x = source[c];
                            is_finite_here &= is_finite(x);
                            target[c] = x;
                        }
                    }
                    source += (long long)WARPS * geometry.image_columns;
                    target += WARPS * PITCH;
                }
            } else {
#pragma unroll 1
                for (int r = warp; r < tile_rows; r += WARPS) {
                    const int from_row = inside(top + r, geometry.image_rows, geometry.padding);
#pragma unroll 1
                    for (int column = lane; column < TILE_COLUMNS; column += 32) {
                        const double x = column < tile_columns ? element_at(image, geometry, from_row, left + column, outside) : 0.0;
                        is_finite_here &= is_finite(x);
                        tile[r * PITCH + column] = x;
                    }
                }
            }
            const bool is_finite_block = __syncthreads_and(is_finite_here);
            const double* x = tile + (warp_row + i) * PITCH + warp_column;
            const double* w = weight + BEFORE;
            if (!is_finite_block) {
                x += 2 * j;
#pragma unroll 1
                for (int p = 0; p < rows; p++, x += PITCH, w += WEIGHTS) {
#pragma unroll 1
                    for (int t = 0; t < columns; t++) {
#pragma unroll
                        for (int n = 0; n < ACROSS; n++) {
#pragma unroll
                            for (int k = 0; k < 4; k++) {
                                sums[n][k] = multiply_add(x[k / 2 * 8 * PITCH + n * 8 + k % 2 + t], w[t], sums[n][k]);
                            }
                        }
                    }
                }
                continue;
            }
            x += j;
            w += j - i;
#pragma unroll 1
            for (int p = 0; p < rows; p++, x += PITCH, w += WEIGHTS) {
                double weights[STEPS][2];
#pragma unroll
                for (int step = 0; step < STEPS; step++) {
                    weights[step][0] = w[step * 8];
                    weights[step][1] = w[step * 8 + 4];
                }
                // Each 8 columns of the tile are loaded once, for all outputs that need them.
#pragma unroll
                for (int c = 0; c < ACROSS + STEPS - 1; c++) {
                    double part[4];
#pragma unroll
                    for (int k = 0; k < 4; k++) part[k] = x[k % 2 * 8 * PITCH + c * 8 + k / 2 * 4];
#pragma unroll
                    for (int n = 0; n < ACROSS; n++) {
                        if (n <= c && c - n < STEPS) multiply_add_16_by_8(sums[n], part, weights[c - n]);
                    }
                }
            }
        }
    }

#pragma unroll
    for (int half = 0; half < 2; half++) {
        const int row = block_row + warp_row + i + half * 8;
        if (row >= geometry.out_rows) return;
        double* target = out + (long long)row * geometry.out_columns;
#pragma unroll
        for (int n = 0; n < ACROSS; n++) {
            const int column = block_column + warp_column + n * 8 + 2 * j;
            if (column < geometry.out_columns) target[column] = sums[n][2 * half];
            if (column + 1 < geometry.out_columns) target[column + 1] = sums[n][2 * half + 1];
        }
    }
}
