// Discrete 1-D convolution with zeros outside: out[i] = sum over p of signal[i + origin - p] * kernel[p].
//
//   WARPCELL_ELEMENT   the element type (unsigned for integers, which wrap)
//
// A block makes 1024 outputs, a thread 4 neighbours: each signal element that it loads from shared memory is used for
// 4 outputs before it leaves the registers. The kernel is taken in pieces of at most PIECE weights.

typedef WARPCELL_ELEMENT element;

#define THREADS 256
#define OUTPUTS 4
#define PIECE 1024

constexpr int TILE = THREADS * OUTPUTS + PIECE;
// Lanes are 4 elements apart; one unused element after every 128 bytes puts them on different banks.
constexpr int BANKS_OF = 128 / sizeof(element);
__device__ __forceinline__ int padded(int i) { return i + i / BANKS_OF; }

struct alignas(16) Vector {
    element at[16 / sizeof(element)];
};

extern "C" __global__ void __launch_bounds__(THREADS)
convolve(const element* __restrict__ signal, i64 signal_size, const element* __restrict__ kernel, i64 kernel_size,
         element* __restrict__ out, i64 out_size, i64 origin) {
    __shared__ element tile[TILE + TILE / BANKS_OF + 1];
    __shared__ element weight[PIECE];

    const i64 block = i64(blockIdx.x) * (THREADS * OUTPUTS);
    const int base = threadIdx.x * OUTPUTS;
    element sums[OUTPUTS] = {};

    // From the last weights to the first: signal and flipped weights then both run forwards.
    for (i64 last = kernel_size - 1; last >= 0; last -= PIECE) {
        const int taps = int(min(i64(PIECE), last + 1));
        const i64 left = block + origin - last;
        __syncthreads();
        for (int i = threadIdx.x; i < taps; i += THREADS) weight[i] = kernel[last - i];
#pragma unroll 4
        for (int i = threadIdx.x; i < THREADS * OUTPUTS + taps - 1; i += THREADS) {
            i64 from = left + i;
            tile[padded(i)] = from >= 0 && from < signal_size ? signal[from] : element(0);
        }
        __syncthreads();

        element piece[OUTPUTS] = {};
        element window[2 * OUTPUTS];
#pragma unroll
        for (int i = 0; i < OUTPUTS; i++) window[i] = tile[padded(base) + i];
        int t = 0;
#pragma unroll 2
        for (; t + OUTPUTS <= taps; t += OUTPUTS) {
            const element* next = tile + padded(base + t + OUTPUTS);
#pragma unroll
            for (int i = 0; i < OUTPUTS; i++) window[OUTPUTS + i] = next[i];
#pragma unroll
            for (int i = 0; i < OUTPUTS; i++) {
#pragma unroll
                for (int c = 0; c < OUTPUTS; c++) piece[c] += window[i + c] * weight[t + i];
            }
#pragma unroll
            for (int i = 0; i < OUTPUTS; i++) window[i] = window[OUTPUTS + i];
        }
#pragma unroll 1
        for (; t < taps; t++) {
#pragma unroll
            for (int c = 0; c < OUTPUTS; c++) piece[c] += tile[padded(base + t + c)] * weight[t];
        }
        // Pieces are summed apart, so that rounding errors grow with their number and not with the number of weights.
#pragma unroll
        for (int c = 0; c < OUTPUTS; c++) sums[c] += piece[c];
    }

    const i64 first = block + base;
    element* target = out + first;
    constexpr int VECTOR = 16 / sizeof(element);
    if (VECTOR <= OUTPUTS && first + OUTPUTS <= out_size && (unsigned long long)target % 16 == 0) {
        constexpr int STEP = VECTOR <= OUTPUTS ? VECTOR : OUTPUTS;
#pragma unroll
        for (int c = 0; c < OUTPUTS; c += STEP) {
            Vector stored;
#pragma unroll
            for (int i = 0; i < STEP; i++) stored.at[i] = sums[c + i];
            *(Vector*)(target + c) = stored;
        }
    } else {
#pragma unroll
        for (int c = 0; c < OUTPUTS; c++) {
            if (first + c < out_size) target[c] = sums[c];
        }
    }
}
