// Factorisations of small real matrices, many at a time; the numbers are in factorisations.cuh.
//
// A team of lanes of one warp has a matrix in shared memory, a row each: as many lanes as the next power of two. Rows are not
// exchanged: a lane keeps in mind at which step its row was the pivot's. So LU and its inverse cost as many steps as there are rows.

#define THREADS 128
#define MOST_ROWS 32
constexpr u32 ALL = 0xffffffffu;

FUNCTION u32 size_bits(float x) { return __float_as_uint(x) & 0x7fffffffu; }
FUNCTION u64 size_bits(double x) { return u64(__double_as_longlong(x)) & 0x7fffffffffffffffull; }

// Where a matrix lies, and who works on it. `pitch` is odd, so that the lanes' rows are in different banks.
struct Team {
    int lane, width, n, pitch;
    i64 matrix;
    bool has_matrix, has_row;
    element* rows;
    FUNCTION Team(element* room, int n, int width, i64 count) : width(width), n(n) {
        const int team = threadIdx.x / width;
        lane = threadIdx.x % width;
        pitch = n | 1;
        matrix = i64(blockIdx.x) * (THREADS / width) + team;
        has_matrix = matrix < count;
        has_row = lane < n;
        rows = room + team * width * (width + 1);
    }
    FUNCTION element* row(int number) const { return rows + number * pitch; }
    // Reads the matrix; whether it holds NaN. Without one, an identity takes its place, so that all lanes do the same.
    FUNCTION bool load(const element* x, const Strides& from, bool is_lower) {
        bool has_nan = false;
        x += matrix * from.step;
        for (int at = lane, r = at / n, c = at % n; r < n; at += width, r = at / n, c = at % n) {
            element value = element(r == c);
            if (has_matrix && !(is_lower && c > r)) value = x[r * from.down + c * from.right];
            row(r)[c] = value;
            has_nan |= value != value;
        }
        const u32 lanes = __ballot_sync(ALL, has_nan);
        __syncwarp();
        const int first = (threadIdx.x % 32) / width * width;
        return (width == 32 ? lanes : lanes >> first & ((1u << width) - 1)) != 0;
    }
    // The lane with the largest number among those that take part, the first of equals.
    FUNCTION int largest(element value, bool takes_part) const {
        auto size = size_bits(value);
        int at = takes_part ? lane : lane + MOST_ROWS;
        for (int distance = width / 2; distance > 0; distance /= 2) {
            const auto other = __shfl_xor_sync(ALL, size, distance);
            const int other_at = __shfl_xor_sync(ALL, at, distance);
            const bool is_in = at < MOST_ROWS, other_is_in = other_at < MOST_ROWS;
            const bool is_beyond = other_is_in && (!is_in || other > size || (other == size && other_at < at));
            if (is_beyond) {
                size = other;
                at = other_at;
            }
        }
        return at % MOST_ROWS;
    }
};

// What a lane knows after LU: at which step its row was the pivot's, and that pivot; and the first step with a pivot of 0, from 1, or 0.
struct Pivots {
    int step;
    element own;
    int fault;
};

// LU of the team's matrix, in which the rows above are reduced too (Gauss and Jordan): a row less the pivot's row times a factor, that
// of column k in step k. `right` is what is solved for, or nothing (0). With `inverts`, what the unit matrix would become takes the
// place of the columns that are done. `exchanged` is whether the order of the rows is an odd one.
template <bool inverts> FUNCTION Pivots reduce_rows(Team& team, element& right, int* steps) {
    Pivots pivots = {-1, 0, 0};
    element* own = team.row(team.has_row ? team.lane : 0);
#pragma unroll 1
    for (int k = 0; k < team.n; k++) {
        // Lanes without a row have no number: the one of another lane may be written in this step.
        const element value = team.has_row ? own[k] : element(0);
        const int at = team.largest(value, team.has_row && pivots.step < 0);
        const element pivot = __shfl_sync(ALL, value, at, team.width), right_of_pivot = __shfl_sync(ALL, right, at, team.width);
        if (pivot == element(0) && pivots.fault == 0) pivots.fault = k + 1;
        if (team.lane == k) *steps = at;
        if (team.lane == at) {
            pivots.step = k;
            pivots.own = pivot;
        } else if (team.has_row) {
            const element factor = value / pivot;
            const element* of_pivot = team.row(at);
            if (inverts) {
#pragma unroll 4
                for (int j = 0; j < k; j++) own[j] -= factor * of_pivot[j];
            }
#pragma unroll 4
            for (int j = k + 1; j < team.n; j++) own[j] -= factor * of_pivot[j];
            right -= factor * right_of_pivot;
            if (inverts) own[k] = -factor;
        }
        __syncwarp();
        // The pivot's row has a 1 where the unit matrix had it.
        if (inverts && team.lane == at) own[k] = 1;
        __syncwarp();
    }
    return pivots;
}

// The first fault of all: the matrix in the upper half, the step in the lower one.
FUNCTION void report(const Team& team, int fault, u64* first) {
    if (fault && team.has_matrix && team.lane == 0) atomicMin(first, u64(team.matrix) << 32 | u64(fault));
}

FUNCTION element not_a_number() { return element(__int_as_float(0x7fc00000)); }

extern "C" __global__ void __launch_bounds__(THREADS)
small_inverses(const element* x, element* out, i64 count, int n, int width, Strides from, Strides to, u64* first_fault) {
    __shared__ element room[THREADS * (MOST_ROWS + 1)];
    // The pivot's row in each step, the step of each row, and the pivots by their steps.
    __shared__ int of_steps[THREADS], of_rows[THREADS];
    __shared__ element pivots_of_steps[THREADS];
    Team team(room, n, width, count);
    const bool has_nan = team.load(x, from, false);
    element none = 0;
    const Pivots pivots = reduce_rows<true>(team, none, of_steps + threadIdx.x);
    const int base = threadIdx.x - team.lane;
    if (team.has_row) {
        of_rows[threadIdx.x] = pivots.step;
        pivots_of_steps[base + pivots.step] = pivots.own;
    }
    __syncwarp();
    if (!team.has_matrix) return;
    if (!has_nan) report(team, pivots.fault, first_fault);
    out += team.matrix * to.step;
    for (int at = team.lane, r = at / n, c = at % n; r < n; at += width, r = at / n, c = at % n) {
        const element value = team.row(of_steps[base + r])[of_rows[base + c]] / pivots_of_steps[base + r];
        out[r * to.down + c * to.right] = has_nan ? not_a_number() : value;
    }
}

// With one right side.
extern "C" __global__ void __launch_bounds__(THREADS)
small_solutions(const element* x, const element* b, element* out, i64 count, int n, int width, Strides from, Strides of_b, Strides to,
                u64* first_fault) {
    __shared__ element room[THREADS * (MOST_ROWS + 1)];
    Team team(room, n, width, count);
    const bool has_nan = team.load(x, from, false);
    const bool is_in = team.has_matrix && team.has_row;
    element right = is_in ? b[team.matrix * of_b.step + team.lane * of_b.down] : element(0);
    int step;
    const Pivots pivots = reduce_rows<false>(team, right, &step);
    if (!has_nan) report(team, pivots.fault, first_fault);
    if (is_in) out[team.matrix * to.step + pivots.step * to.down] = has_nan ? not_a_number() : right / pivots.own;
}

extern "C" __global__ void __launch_bounds__(THREADS)
small_determinants(const element* x, element* out, i64 count, int n, int width, Strides from) {
    __shared__ element room[THREADS * (MOST_ROWS + 1)];
    Team team(room, n, width, count);
    const bool has_nan = team.load(x, from, false);
    element none = 0;
    int step = team.lane;
    const Pivots pivots = reduce_rows<false>(team, none, &step);
    // The order of the rows is odd if an odd number of pairs stands the other way round.
    int pairs = 0;
    for (int other = 0; other < n; other++) {
        const int behind = __shfl_sync(ALL, pivots.step, other, width);
        pairs += team.has_row && other > team.lane && behind < pivots.step;
    }
    Product product = {team.has_row ? widened(pivots.own) : 1.0, 0};
    if (pairs % 2) product.significand = -product.significand;
    normalise(product);
    for (int distance = width / 2; distance > 0; distance /= 2) {
        product.significand *= __shfl_xor_sync(ALL, product.significand, distance);
        product.exponent += __shfl_xor_sync(ALL, product.exponent, distance);
        normalise(product);
    }
    if (pivots.fault) product = {0.0, 0};
    if (has_nan) product = {double(not_a_number()), 0};
    if (team.lane == 0 && team.has_matrix) write_determinant(product, out + team.matrix, count);
}

// Lower factors of Cholesky; the fault is the first element of a diagonal that is not positive.
extern "C" __global__ void __launch_bounds__(THREADS)
small_cholesky(const element* x, element* out, i64 count, int n, int width, Strides from, Strides to, u64* first_fault) {
    __shared__ element room[THREADS * (MOST_ROWS + 1)];
    Team team(room, n, width, count);
    team.load(x, from, true);
    element* own = team.row(team.has_row ? team.lane : 0);
    int fault = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        const element diagonal = team.row(k)[k];
        if (!(diagonal > element(0)) && fault == 0) fault = k + 1;
        const element root = sqrt(diagonal);
        const bool is_below = team.has_row && team.lane > k;
        const element factor = is_below ? own[k] / root : element(0);
        __syncwarp();
        if (is_below) own[k] = factor;
        else if (team.lane == k) own[k] = root;
        __syncwarp();
        if (is_below) {
#pragma unroll 4
            for (int j = k + 1; j <= team.lane; j++) own[j] -= factor * team.row(j)[k];
        }
        __syncwarp();
    }
    if (!team.has_matrix) return;
    report(team, fault, first_fault);
    out += team.matrix * to.step;
    for (int at = team.lane, r = at / n, c = at % n; r < n; at += width, r = at / n, c = at % n) {
        out[r * to.down + c * to.right] = c > r ? element(0) : team.row(r)[c];
    }
}

// One thread: reports the first fault, if there is one.
extern "C" __global__ void report_first(const u64* first_fault, Report* report, u32 call) {
    if (*first_fault != ~u64(0)) tell(report, call, *first_fault);
}
