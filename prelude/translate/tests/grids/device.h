// Grids on a device: what the program of all launches needs there. Compiled by nvcc.

#include <cstdio>
#include <cstdlib>
#include <vector>

static void done(cudaError_t status) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s\n", cudaGetErrorString(status));
    exit(1);
}

typedef dim3 ThreadPlace;

// What the kernels write of what goes wrong.
#define RECORD                                                                                                         \
    WarpcellRecord record = {}, *pinned;                                                                               \
    done(cudaMallocHost(&pinned, sizeof record));                                                                      \
    *pinned = record;                                                                                                  \
    done(cudaMemcpyToSymbol(warpcell_record, &pinned, sizeof pinned));
#define TAKE_RECORD record = *pinned;

#define LAUNCH(grid, block, bytes, kernel, ...)                                                                        \
    kernel<<<ThreadPlace grid, ThreadPlace block, bytes>>>(__VA_ARGS__);                                               \
    done(cudaGetLastError());                                                                                          \
    done(cudaDeviceSynchronize())

// The next array of a file of inputs: its elements, one behind the other.
template <typename T> struct Array {
    std::vector<unsigned char> bytes;
    T *device = nullptr;
    explicit Array(FILE *file) {
        unsigned long long size = 0;
        if (fread(&size, 8, 1, file) != 1) abort();
        bytes.resize(size);
        if (size > 0 && fread(bytes.data(), 1, size, file) != size) abort();
        done(cudaMalloc(&device, size + 1));
        done(cudaMemcpy(device, bytes.data(), size, cudaMemcpyHostToDevice));
    }
    T value() const { return *(const T *)bytes.data(); }
    T *data() { return device; }
    void write() {
        done(cudaMemcpy(bytes.data(), device, bytes.size(), cudaMemcpyDeviceToHost));
        fwrite(bytes.data(), 1, bytes.size(), stdout);
    }
};
