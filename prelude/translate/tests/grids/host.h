// Grids on the host: a thread of the operating system for each thread of a block, and the blocks one after another.

// The threads of a warp that meet under one mask.
struct Meeting {
    unsigned int arrived = 0;
    unsigned long long times = 0;
    unsigned long long values[32], result[32];
};

struct Warp {
    std::mutex mutex;
    std::condition_variable changed;
    std::map<unsigned int, Meeting> meetings;
    unsigned int lanes = 0;
};

// A barrier that threads may leave for good while others wait.
class Barrier {
    std::mutex mutex;
    std::condition_variable opened;
    unsigned int expected, waiting = 0;
    unsigned long long times = 0;

    void open() {
        waiting = 0, times++;
        opened.notify_all();
    }

  public:
    explicit Barrier(unsigned int threads) : expected(threads) {}
    void arrive_and_wait() {
        std::unique_lock<std::mutex> lock(mutex);
        if (++waiting == expected) return open();
        const unsigned long long before = times;
        opened.wait(lock, [&] { return times != before; });
    }
    void arrive_and_drop() {
        std::lock_guard<std::mutex> lock(mutex);
        if (--expected == waiting && waiting > 0) open();
    }
};

struct Block {
    Barrier all;
    std::atomic<unsigned int> count{0};
    std::vector<std::unique_ptr<Warp>> warps;
    explicit Block(unsigned int threads) : all(threads) {
        for (unsigned int first = 0; first < threads; first += 32) {
            warps.push_back(std::make_unique<Warp>());
            warps.back()->lanes = threads - first >= 32 ? 0xffffffffu : (1u << (threads - first)) - 1;
        }
    }
};

// What the kernels write of what goes wrong.
#define RECORD                                                                                                         \
    WarpcellRecord record = {};                                                                                        \
    warpcell_record = &record;
#define TAKE_RECORD

static Block *host_block;
static unsigned int host_dynamic_bytes;
static thread_local unsigned int host_number;
static unsigned int host_lane() { return host_number % 32; }

inline void __syncthreads() { host_block->all.arrive_and_wait(); }
inline int __syncthreads_count(int condition) {
    host_block->count += condition != 0;
    host_block->all.arrive_and_wait();
    const int count = (int)host_block->count.load();
    host_block->all.arrive_and_wait();
    if (host_number == 0) host_block->count = 0;
    host_block->all.arrive_and_wait();
    return count;
}
inline int __syncthreads_and(int condition) { return __syncthreads_count(condition == 0) == 0; }
inline int __syncthreads_or(int condition) { return __syncthreads_count(condition) != 0; }
inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }

// Hands a value to the threads of a warp that the mask names; gives theirs.
static std::array<unsigned long long, 32> meet(unsigned int mask, unsigned long long value) {
    Warp &warp = *host_block->warps[host_number / 32];
    std::unique_lock<std::mutex> lock(warp.mutex);
    Meeting &meeting = warp.meetings[mask];
    meeting.values[host_lane()] = value;
    meeting.arrived |= 1u << host_lane();
    if (meeting.arrived == (mask & warp.lanes)) {
        memcpy(meeting.result, meeting.values, sizeof meeting.values);
        meeting.arrived = 0;
        meeting.times += 1;
        warp.changed.notify_all();
    } else {
        const unsigned long long before = meeting.times;
        warp.changed.wait(lock, [&] { return meeting.times != before; });
    }
    std::array<unsigned long long, 32> all;
    memcpy(all.data(), meeting.result, sizeof meeting.result);
    return all;
}
inline void __syncwarp(unsigned int mask = 0xffffffffu) { meet(mask, 0); }

template <typename T> unsigned long long to_word(T value) {
    unsigned long long word = 0;
    memcpy(&word, &value, sizeof value);
    return word;
}
template <typename T> T from_word(unsigned long long word) {
    T value;
    memcpy(&value, &word, sizeof value);
    return value;
}
template <typename T> T shuffled(unsigned int mask, T value, unsigned int lane) {
    const auto all = meet(mask, to_word(value));
    return lane < 32 ? from_word<T>(all[lane]) : value;
}
template <typename T> T __shfl_sync(unsigned int mask, T value, int lane) { return shuffled(mask, value, lane & 31); }
template <typename T> T __shfl_up_sync(unsigned int mask, T value, unsigned int delta) {
    return shuffled(mask, value, host_lane() - delta);
}
template <typename T> T __shfl_down_sync(unsigned int mask, T value, unsigned int delta) {
    return shuffled(mask, value, host_lane() + delta);
}
template <typename T> T __shfl_xor_sync(unsigned int mask, T value, int lanes) {
    return shuffled(mask, value, host_lane() ^ lanes);
}
inline unsigned int __ballot_sync(unsigned int mask, int condition) {
    const auto all = meet(mask, condition != 0);
    unsigned int bits = 0;
    for (unsigned int lane = 0; lane < 32; lane++) bits |= (mask >> lane & 1) && all[lane] ? 1u << lane : 0;
    return bits & host_block->warps[host_number / 32]->lanes;
}
inline int __all_sync(unsigned int mask, int condition) {
    return __ballot_sync(mask, condition) == (mask & host_block->warps[host_number / 32]->lanes);
}
inline int __any_sync(unsigned int mask, int condition) { return __ballot_sync(mask, condition) != 0; }

static std::mutex host_memory;
#define HOST_ATOMIC(name, type, result)                                                                                \
    inline type name(type *at, type value) {                                                                           \
        std::lock_guard<std::mutex> lock(host_memory);                                                                 \
        const type old = *at;                                                                                          \
        *at = result;                                                                                                  \
        return old;                                                                                                    \
    }
#define HOST_ATOMICS(type)                                                                                             \
    HOST_ATOMIC(atomicAdd, type, old + value)                                                                          \
    HOST_ATOMIC(atomicAnd, type, old &value)                                                                           \
    HOST_ATOMIC(atomicOr, type, old | value)                                                                           \
    HOST_ATOMIC(atomicXor, type, old ^ value)                                                                          \
    HOST_ATOMIC(atomicExch, type, value)
HOST_ATOMICS(unsigned int)
HOST_ATOMICS(unsigned long long)
HOST_ATOMIC(atomicAdd, float, old + value)
HOST_ATOMIC(atomicAdd, double, old + value)
HOST_ATOMIC(atomicMax, int, old > value ? old : value)
HOST_ATOMIC(atomicMax, unsigned int, old > value ? old : value)
HOST_ATOMIC(atomicMax, long long, old > value ? old : value)
HOST_ATOMIC(atomicMax, unsigned long long, old > value ? old : value)
HOST_ATOMIC(atomicMin, int, old < value ? old : value)
HOST_ATOMIC(atomicMin, unsigned int, old < value ? old : value)
HOST_ATOMIC(atomicMin, long long, old < value ? old : value)
HOST_ATOMIC(atomicMin, unsigned long long, old < value ? old : value)
inline unsigned long long atomicCAS(unsigned long long *at, unsigned long long expected, unsigned long long wanted) {
    std::lock_guard<std::mutex> lock(host_memory);
    const unsigned long long old = *at;
    if (old == expected) *at = wanted;
    return old;
}

#define LAUNCH(grid, block, bytes, kernel, ...) launch(grid, block, bytes, [&] { kernel(__VA_ARGS__); })

// Runs a kernel over a grid.
template <typename Kernel>
static void launch(ThreadPlace grid, ThreadPlace block, unsigned int dynamic_bytes, const Kernel &kernel) {
    host_dynamic_bytes = dynamic_bytes;
    const unsigned int threads = block.x * block.y * block.z;
    for (unsigned int b = 0; b < grid.x * grid.y * grid.z; b++) {
        Block all(threads);
        host_block = &all;
        std::vector<std::thread> running;
        for (unsigned int t = 0; t < threads; t++) {
            running.emplace_back([&, t, b] {
                host_number = t;
                threadIdx = {t % block.x, t / block.x % block.y, t / block.x / block.y};
                blockIdx = {b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y};
                blockDim = block, gridDim = grid;
                try {
                    kernel();
                } catch (Failure) {
                }
                all.all.arrive_and_drop();
            });
        }
        for (std::thread &thread : running) thread.join();
    }
}

// The next array of a file of inputs: its elements, one behind the other.
template <typename T> struct Array {
    std::vector<T> elements;
    explicit Array(FILE *file) {
        u64 bytes = 0;
        if (fread(&bytes, 8, 1, file) != 1) abort();
        std::vector<unsigned char> read(bytes);
        if (bytes > 0 && fread(read.data(), 1, bytes, file) != bytes) abort();
        elements.assign((const T *)read.data(), (const T *)(read.data() + bytes));
    }
    T value() const { return elements[0]; }
    T *data() { return elements.data(); }
    void write() const { fwrite(elements.data(), sizeof(T), elements.size(), stdout); }
};
template <> struct Array<bool> : Array<unsigned char> {
    using Array<unsigned char>::Array;
};
