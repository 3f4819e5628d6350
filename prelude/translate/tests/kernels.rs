//! What is generated for kernels: those of the lessons, and the patterns that kernels are made of.

mod program;

use expect_test::expect;
use warpcell_translate::KernelTranslation;

/// A kernel for arguments of some kinds, which is compiled as C++ where a compiler is there.
fn translation(text: &str, name: &str, parameters: &[&str], checked: bool) -> KernelTranslation {
    let program = program::program(text, &[]);
    let translation = program.kernel(name, parameters, checked).unwrap_or_else(|error| panic!("{error}"));
    program::kernel_compiles(&translation);
    translation
}

/// Structs and complex numbers by value, and arrays of complex numbers.
#[test]
fn structs_and_complex_numbers() {
    let text = "
struct Grid {
    origin: Complex<f64>,
    step: [f64; 2],
    most: u32,
}

#[kernel]
fn julia(grid: Grid, c: Complex64, starts: View<Complex<f64>>, mut out: gpu::ViewMut<u32>) {
    let i = global_idx();
    if i.y < out.shape()[0] && i.x < out.shape()[1] {
        let Grid { origin, step: [dx, dy], most } = grid;
        let mut z = starts[i.x] + origin + Complex::new(i.x as f64 * dx, i.y as f64 * dy);
        let mut count = 0;
        while count < most && z.norm_sqr() <= 4.0 {
            z = z * z + c;
            count += 1;
        }
        out[[i.y, i.x]] = count;
    }
}";
    let parameters = ["struct Grid", "Complex64", "View1<Complex64>", "ViewMut2<u32>"];
    let kernel = translation(text, "julia", &parameters, true);
    assert_eq!(kernel.arrays, ["starts", "out"]);
    expect![[r#"
        namespace rust {

        struct Array2_f64 {
            f64 at[2];
        };
        // struct Grid {
        //     origin: Complex<f64>,
        //     step: [f64; 2],
        //     most: u32,
        struct Grid {
            Complex64 origin;
            Array2_f64 step;
            u32 most;
        };
        struct View1_Complex64 {
            const Complex64 *data;
            usize shape[1];
            i64 strides[1];
        };
        struct ViewMut2_u32 {
            u32 *data;
            usize shape[2];
            i64 strides[2];
        };
        struct Dim3 {
            usize x;
            usize y;
            usize z;
        };

        // fn julia(grid: Grid, c: Complex64, starts: View<Complex<f64>>, mut out: gpu::ViewMut<u32>) {
        extern "C" __global__ void julia_kernel(Grid grid, Complex64 c, const __grid_constant__ View1_Complex64 starts, const __grid_constant__ ViewMut2_u32 out) {
            u32 passes = 0;
            // let i = global_idx();
            const Dim3 i = Dim3{(usize)blockIdx.x * (usize)blockDim.x + (usize)threadIdx.x, (usize)blockIdx.y * (usize)blockDim.y + (usize)threadIdx.y, (usize)blockIdx.z * (usize)blockDim.z + (usize)threadIdx.z};
            // if i.y < out.shape()[0] && i.x < out.shape()[1] {
            if (i.y < out.shape[0] && i.x < out.shape[1]) {
                // let Grid { origin, step: [dx, dy], most } = grid;
                const Complex64 origin = grid.origin;
                const f64 dx = grid.step.at[0];
                const f64 dy = grid.step.at[1];
                const u32 most = grid.most;
                // let mut z = starts[i.x] + origin + Complex::new(i.x as f64 * dx, i.y as f64 * dy);
                Complex64 z = starts.data[checked_axis(i.x, starts.shape[0], 1, 0, 0, 13)] + origin + Complex64_new((f64)i.x * dx, (f64)i.y * dy);
                // let mut count = 0;
                u32 count = 0u;
                // while count < most && z.norm_sqr() <= 4.0 {
                while (count < most && Complex64_norm_sqr(z) <= 4.0) {
                    look_for_stop(passes, 0, 15);
                    // z = z * z + c;
                    z = z * z + c;
                    // count += 1;
                    count += 1u;
                }
                // out[[i.y, i.x]] = count;
                out.data[checked_axis(i.y, out.shape[0], 2, 0, 0, 19) * out.shape[1] + checked_axis(i.x, out.shape[1], 2, 1, 0, 19)] = count;
            }
        }

        } // namespace rust
    "#]].assert_eq(&kernel.source);
}

#[test]
fn check_prime() {
    let text = "
#[kernel]
fn check_prime_gpu_kernel(number: i32, mut result: gpu::ViewMut<i32>) {
    result[0] = 0;
    for j in 2..number / 2 + 1 {
        if number % j == 0 {
            return;
        }
    }
    result[0] = number;
}";
    let kernel = translation(text, "check_prime_gpu_kernel", &["i32", "ViewMut1<i32>"], true);
    assert_eq!(kernel.name, "check_prime_gpu_kernel");
    assert_eq!((kernel.functions, kernel.arrays), (vec![kernel.name], vec!["result".to_owned()]));
    assert!(kernel.may_fail && !kernel.uses_barriers && !kernel.uses_dynamic_shared);
    expect![[r#"
        namespace rust {

        struct ViewMut1_i32 {
            i32 *data;
            usize shape[1];
            i64 strides[1];
        };

        // fn check_prime_gpu_kernel(number: i32, mut result: gpu::ViewMut<i32>) {
        extern "C" __global__ void check_prime_gpu_kernel(i32 number, const __grid_constant__ ViewMut1_i32 result) {
            // result[0] = 0;
            result.data[checked_axis(0ULL, result.shape[0], 1, 0, 0, 4)] = 0;
            // for j in 2..number / 2 + 1 {
            const i32 j_end = number / 2 + 1;
            for (i32 j = 2; j < j_end; ++j) {
                // if number % j == 0 {
                if (number % j == 0) {
                    // return;
                    return;
                }
            }
            // result[0] = number;
            result.data[checked_axis(0ULL, result.shape[0], 1, 0, 0, 10)] = number;
        }

        } // namespace rust
    "#]]
    .assert_eq(&kernel.source);
}

const PRODUCTS: &str = "
#[kernel]
fn mul(layers: View<f64>, mut out: ViewMut<f64>) {
    let x = block_dim().x * block_idx().x + thread_idx().x;
    let y = block_dim().y * block_idx().y + thread_idx().y;
    if y < out.shape()[0] && x < out.shape()[1] {
        out[[y, x]] = 1.0;
        for z in 0..layers.shape()[0] {
            out[[y, x]] *= layers[[z, y, x]];
        }
    }
}

#[kernel]
fn mul_reg(layers: gpu::View<f64>, mut out: gpu::ViewMut<f64>) {
    let x = gpu::block_dim().x * gpu::block_idx().x + gpu::thread_idx().x;
    let y = gpu::block_dim().y * gpu::block_idx().y + gpu::thread_idx().y;
    if y < out.shape()[0] && x < out.shape()[1] {
        let mut tmp = 1.0;
        for z in 0..layers.shape()[0] {
            tmp *= layers[[z, y, x]];
        }
        out[[y, x]] = tmp;
    }
}";

#[test]
fn products() {
    let parameters = ["View3<f64>", "ViewMut2<f64>"];
    let kernel = translation(PRODUCTS, "mul", &parameters, true);
    assert_eq!((kernel.name.as_str(), kernel.arrays), ("mul_kernel", vec!["layers".to_owned(), "out".to_owned()]));
    expect![[r#"
        namespace rust {

        struct View3_f64 {
            const f64 *data;
            usize shape[3];
            i64 strides[3];
        };
        struct ViewMut2_f64 {
            f64 *data;
            usize shape[2];
            i64 strides[2];
        };

        // fn mul(layers: View<f64>, mut out: ViewMut<f64>) {
        extern "C" __global__ void mul_kernel(const __grid_constant__ View3_f64 layers, const __grid_constant__ ViewMut2_f64 out) {
            // let x = block_dim().x * block_idx().x + thread_idx().x;
            const usize x = (usize)blockDim.x * (usize)blockIdx.x + (usize)threadIdx.x;
            // let y = block_dim().y * block_idx().y + thread_idx().y;
            const usize y = (usize)blockDim.y * (usize)blockIdx.y + (usize)threadIdx.y;
            // if y < out.shape()[0] && x < out.shape()[1] {
            if (y < out.shape[0] && x < out.shape[1]) {
                // out[[y, x]] = 1.0;
                out.data[checked_axis(y, out.shape[0], 2, 0, 0, 7) * out.shape[1] + checked_axis(x, out.shape[1], 2, 1, 0, 7)] = 1.0;
                // for z in 0..layers.shape()[0] {
                const usize z_end = layers.shape[0];
                for (usize z = 0; z < z_end; ++z) {
                    // out[[y, x]] *= layers[[z, y, x]];
                    out.data[checked_axis(y, out.shape[0], 2, 0, 0, 9) * out.shape[1] + checked_axis(x, out.shape[1], 2, 1, 0, 9)] *= layers.data[(checked_axis(z, layers.shape[0], 1, 0, 0, 9) * layers.shape[1] + checked_axis(y, layers.shape[1], 1, 1, 0, 9)) * layers.shape[2] + checked_axis(x, layers.shape[2], 1, 2, 0, 9)];
                }
            }
        }

        } // namespace rust
    "#]].assert_eq(&kernel.source);
    let kernel = translation(PRODUCTS, "mul_reg", &parameters, false);
    assert!(!kernel.may_fail);
    expect![[r#"
        namespace rust {

        struct View3_f64 {
            const f64 *data;
            usize shape[3];
            i64 strides[3];
        };
        struct ViewMut2_f64 {
            f64 *data;
            usize shape[2];
            i64 strides[2];
        };

        // fn mul_reg(layers: gpu::View<f64>, mut out: gpu::ViewMut<f64>) {
        extern "C" __global__ void mul_reg_kernel(const __grid_constant__ View3_f64 layers, const __grid_constant__ ViewMut2_f64 out) {
            // let x = gpu::block_dim().x * gpu::block_idx().x + gpu::thread_idx().x;
            const usize x = (usize)blockDim.x * (usize)blockIdx.x + (usize)threadIdx.x;
            // let y = gpu::block_dim().y * gpu::block_idx().y + gpu::thread_idx().y;
            const usize y = (usize)blockDim.y * (usize)blockIdx.y + (usize)threadIdx.y;
            // if y < out.shape()[0] && x < out.shape()[1] {
            if (y < out.shape[0] && x < out.shape[1]) {
                // let mut tmp = 1.0;
                f64 tmp = 1.0;
                // for z in 0..layers.shape()[0] {
                const usize z_end = layers.shape[0];
                for (usize z = 0; z < z_end; ++z) {
                    // tmp *= layers[[z, y, x]];
                    tmp *= layers.data[(z * layers.shape[1] + y) * layers.shape[2] + x];
                }
                // out[[y, x]] = tmp;
                out.data[y * out.shape[1] + x] = tmp;
            }
        }

        } // namespace rust
    "#]].assert_eq(&kernel.source);
    // Of an array with gaps the strides are read.
    let kernel = translation(PRODUCTS, "mul_reg", &["View3<f64>*", "ViewMut2<f64>"], false);
    let line = kernel.source.lines().find(|line| line.contains("tmp *=") && !line.contains("//")).unwrap();
    expect![
        "tmp *= layers.data[(i64)z * layers.strides[0] + (i64)y * layers.strides[1] + (i64)x * layers.strides[2]];"
    ]
    .assert_eq(line.trim());
}

const TILED: &str = "
#[kernel]
fn tiled(a: View<f32>, b: View<f32>, mut c: ViewMut<f32>) {
    const TILE: usize = 16;
    let mut left = shared_array::<f32>([TILE, TILE]);
    let mut right = shared_array::<f32>([TILE, TILE]);
    let (ty, tx) = (thread_idx().y, thread_idx().x);
    let (row, column) = (global_idx().y, global_idx().x);
    let inner = a.shape()[1];
    let mut sum = 0.0;
    for tile in 0..inner.div_ceil(TILE) {
        let (x, y) = (tile * TILE + tx, tile * TILE + ty);
        left[[ty, tx]] = if row < a.shape()[0] && x < inner { a[[row, x]] } else { 0.0 };
        right[[ty, tx]] = if y < inner && column < b.shape()[1] { b[[y, column]] } else { 0.0 };
        sync_threads();
        for k in 0..TILE {
            sum += left[[ty, k]] * right[[k, tx]];
        }
        sync_threads();
    }
    if row < c.shape()[0] && column < c.shape()[1] {
        c[[row, column]] = sum;
    }
}";

#[test]
fn tiled_product() {
    let parameters = ["View2<f32>", "View2<f32>", "ViewMut2<f32>"];
    let kernel = translation(TILED, "tiled", &parameters, true);
    assert_eq!(kernel.static_shared_bytes, 2048);
    assert!(kernel.uses_barriers);
    assert_eq!(kernel.arrays, ["a", "b", "c", "left", "right"]);
    assert_eq!(kernel.array_lines, [0, 0, 0, 5, 6]);
    expect![[r#"
        namespace rust {

        struct View2_f32 {
            const f32 *data;
            usize shape[2];
            i64 strides[2];
        };
        struct ViewMut2_f32 {
            f32 *data;
            usize shape[2];
            i64 strides[2];
        };

        // fn tiled(a: View<f32>, b: View<f32>, mut c: ViewMut<f32>) {
        extern "C" __global__ void tiled_kernel(const __grid_constant__ View2_f32 a, const __grid_constant__ View2_f32 b, const __grid_constant__ ViewMut2_f32 c) {
            // const TILE: usize = 16;
            const usize TILE = 16ULL;
            // let mut left = shared_array::<f32>([TILE, TILE]);
            __shared__ f32 left[16][16];
            // let mut right = shared_array::<f32>([TILE, TILE]);
            __shared__ f32 right[16][16];
            // let (ty, tx) = (thread_idx().y, thread_idx().x);
            const usize ty = (usize)threadIdx.y;
            const usize tx = (usize)threadIdx.x;
            // let (row, column) = (global_idx().y, global_idx().x);
            const usize row = (usize)blockIdx.y * (usize)blockDim.y + (usize)threadIdx.y;
            const usize column = (usize)blockIdx.x * (usize)blockDim.x + (usize)threadIdx.x;
            // let inner = a.shape()[1];
            const usize inner = a.shape[1];
            // let mut sum = 0.0;
            f32 sum = 0.0f;
            // for tile in 0..inner.div_ceil(TILE) {
            const usize tile_end = usize_div_ceil(inner, TILE, 0, 11);
            for (usize tile = 0; tile < tile_end; ++tile) {
                // let (x, y) = (tile * TILE + tx, tile * TILE + ty);
                const usize x = tile * TILE + tx;
                const usize y = tile * TILE + ty;
                // left[[ty, tx]] = if row < a.shape()[0] && x < inner { a[[row, x]] } else { 0.0 };
                left[checked_axis(ty, 16ULL, 4, 0, 0, 13)][checked_axis(tx, 16ULL, 4, 1, 0, 13)] = row < a.shape[0] && x < inner ? a.data[checked_axis(row, a.shape[0], 1, 0, 0, 13) * a.shape[1] + checked_axis(x, a.shape[1], 1, 1, 0, 13)] : 0.0f;
                // right[[ty, tx]] = if y < inner && column < b.shape()[1] { b[[y, column]] } else { 0.0 };
                right[checked_axis(ty, 16ULL, 5, 0, 0, 14)][checked_axis(tx, 16ULL, 5, 1, 0, 14)] = y < inner && column < b.shape[1] ? b.data[checked_axis(y, b.shape[0], 2, 0, 0, 14) * b.shape[1] + checked_axis(column, b.shape[1], 2, 1, 0, 14)] : 0.0f;
                // sync_threads();
                __syncthreads();
                // for k in 0..TILE {
                for (usize k = 0; k < TILE; ++k) {
                    // sum += left[[ty, k]] * right[[k, tx]];
                    sum += left[checked_axis(ty, 16ULL, 4, 0, 0, 17)][k] * right[k][checked_axis(tx, 16ULL, 5, 1, 0, 17)];
                }
                // sync_threads();
                __syncthreads();
            }
            // if row < c.shape()[0] && column < c.shape()[1] {
            if (row < c.shape[0] && column < c.shape[1]) {
                // c[[row, column]] = sum;
                c.data[checked_axis(row, c.shape[0], 3, 0, 0, 22) * c.shape[1] + checked_axis(column, c.shape[1], 3, 1, 0, 22)] = sum;
            }
        }

        } // namespace rust
    "#]].assert_eq(&kernel.source);
}

const REDUCTION: &str = "
#[kernel]
fn block_sums(input: View<f32>, mut out: ViewMut<f32>) {
    let mut part = dynamic_shared_array::<f32>();
    let t = thread_idx().x;
    let mut sum = 0.0;
    for i in grid_stride(input.len()) {
        sum += input[i];
    }
    part[t] = sum;
    sync_threads();
    let mut half = block_dim().x / 2;
    while half >= 32 {
        if t < half {
            part[t] += part[t + half];
        }
        sync_threads();
        half /= 2;
    }
    if t < 32 {
        let total = sum_of_warp(part[t]);
        if t == 0 {
            out[block_idx().x] = total;
        }
    }
}

#[device]
fn sum_of_warp(mine: f32) -> f32 {
    let mut sum = mine;
    for step in [16, 8, 4, 2, 1] {
        sum += shfl_down_sync(u32::MAX, sum, step);
    }
    sum
}";

#[test]
fn block_reduction() {
    let kernel = translation(REDUCTION, "block_sums", &["View1<f32>", "ViewMut1<f32>"], true);
    assert!(kernel.uses_dynamic_shared && kernel.static_shared_bytes == 0);
    assert_eq!(kernel.functions, ["block_sums", "sum_of_warp"]);
    expect![[r#"
        namespace rust {

        struct Array5_i32 {
            i32 at[5];
        };
        struct View1_f32 {
            const f32 *data;
            usize shape[1];
            i64 strides[1];
        };
        struct ViewMut1_f32 {
            f32 *data;
            usize shape[1];
            i64 strides[1];
        };

        // fn sum_of_warp(mine: f32) -> f32 {
        __device__ inline f32 sum_of_warp(f32 mine) {
            // let mut sum = mine;
            f32 sum = mine;
            // for step in [16, 8, 4, 2, 1] {
            const Array5_i32 value = Array5_i32{{16, 8, 4, 2, 1}};
            for (u32 index = 0; index < 5; ++index) {
                const i32 step = value.at[index];
                // sum += shfl_down_sync(u32::MAX, sum, step);
                const f32 value_2 = __shfl_down_sync(4294967295u, sum, step);
                sum += value_2;
            }
            // sum
            return sum;
        }

        // fn block_sums(input: View<f32>, mut out: ViewMut<f32>) {
        extern "C" __global__ void block_sums_kernel(const __grid_constant__ View1_f32 input, const __grid_constant__ ViewMut1_f32 out) {
            u32 passes = 0;
            // let mut part = dynamic_shared_array::<f32>();
            f32 *const part = warpcell_dynamic<f32>();
            // let t = thread_idx().x;
            const usize t = (usize)threadIdx.x;
            // let mut sum = 0.0;
            f32 sum = 0.0f;
            // for i in grid_stride(input.len()) {
            const usize i_end = input.shape[0];
            for (usize i = (usize)blockIdx.x * (usize)blockDim.x + (usize)threadIdx.x; i < i_end; i += (usize)gridDim.x * (usize)blockDim.x) {
                // sum += input[i];
                sum += input.data[checked_axis(i, input.shape[0], 1, 0, 0, 8)];
            }
            // part[t] = sum;
            part[checked_axis(t, warpcell_dynamic_length<f32>(), 3, 0, 0, 10)] = sum;
            // sync_threads();
            __syncthreads();
            // let mut half = block_dim().x / 2;
            usize half = (usize)blockDim.x / 2ULL;
            // while half >= 32 {
            while (half >= 32ULL) {
                look_for_stop(passes, 0, 13);
                // if t < half {
                if (t < half) {
                    // part[t] += part[t + half];
                    part[checked_axis(t, warpcell_dynamic_length<f32>(), 3, 0, 0, 15)] += part[checked_axis(t + half, warpcell_dynamic_length<f32>(), 3, 0, 0, 15)];
                }
                // sync_threads();
                __syncthreads();
                // half /= 2;
                half = half / 2ULL;
            }
            // if t < 32 {
            if (t < 32ULL) {
                // let total = sum_of_warp(part[t]);
                const f32 total = sum_of_warp(part[checked_axis(t, warpcell_dynamic_length<f32>(), 3, 0, 0, 21)]);
                // if t == 0 {
                if (t == 0ULL) {
                    // out[block_idx().x] = total;
                    out.data[checked_axis((usize)blockIdx.x, out.shape[0], 2, 0, 0, 23)] = total;
                }
            }
        }

        } // namespace rust
    "#]].assert_eq(&kernel.source);
}

const HISTOGRAM: &str = "
#[kernel]
fn histogram(input: View<u8>, mut counts: ViewMut<u32>) {
    let mut own = shared_array::<u32>(256);
    let t = thread_idx().x;
    own[t] = 0;
    sync_threads();
    for i in grid_stride(input.len()) {
        own.atomic_add(input[i] as usize, 1);
    }
    sync_threads();
    counts.atomic_add(t, own[t]);
}";

#[test]
fn histogram() {
    let kernel = translation(HISTOGRAM, "histogram", &["View1<u8>", "ViewMut1<u32>"], true);
    expect![[r#"
        namespace rust {

        struct View1_u8 {
            const u8 *data;
            usize shape[1];
            i64 strides[1];
        };
        struct ViewMut1_u32 {
            u32 *data;
            usize shape[1];
            i64 strides[1];
        };

        // fn histogram(input: View<u8>, mut counts: ViewMut<u32>) {
        extern "C" __global__ void histogram_kernel(const __grid_constant__ View1_u8 input, const __grid_constant__ ViewMut1_u32 counts) {
            // let mut own = shared_array::<u32>(256);
            __shared__ u32 own[256];
            // let t = thread_idx().x;
            const usize t = (usize)threadIdx.x;
            // own[t] = 0;
            own[checked_axis(t, 256ULL, 3, 0, 0, 6)] = 0u;
            // sync_threads();
            __syncthreads();
            // for i in grid_stride(input.len()) {
            const usize i_end = input.shape[0];
            for (usize i = (usize)blockIdx.x * (usize)blockDim.x + (usize)threadIdx.x; i < i_end; i += (usize)gridDim.x * (usize)blockDim.x) {
                // own.atomic_add(input[i] as usize, 1);
                u32_atomic_add(&own[(usize)input.data[checked_axis(i, input.shape[0], 1, 0, 0, 9)]], 1u);
            }
            // sync_threads();
            __syncthreads();
            // counts.atomic_add(t, own[t]);
            u32_atomic_add(&counts.data[checked_axis(t, counts.shape[0], 2, 0, 0, 12)], own[checked_axis(t, 256ULL, 3, 0, 0, 12)]);
        }

        } // namespace rust
    "#]].assert_eq(&kernel.source);
}

/// A function that takes views is written for each layout; a long range of unknown length is run in strips.
#[test]
fn functions_of_views() {
    let text = "
#[device]
fn dot(a: View<f32>, b: &View<f32>, n: usize) -> f32 {
    let mut sum = 0.0;
    for k in 0..n {
        if k == 3 {
            break;
        }
        sum += a[k] * b[k];
    }
    sum
}

#[kernel]
fn dots(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>, n: usize) {
    out[0] = dot(a, &b, n);
    out[1] = dot(b, &b, n);
}";
    let parameters = ["View1<f32>", "View1<f32>*", "ViewMut1<f32>", "usize"];
    let kernel = translation(text, "dots", &parameters, true);
    assert_eq!(kernel.functions, ["dots", "dot", "dot"]);
    expect![[r#"
        namespace rust {

        struct View1_f32 {
            const f32 *data;
            usize shape[1];
            i64 strides[1];
        };
        struct ViewMut1_f32 {
            f32 *data;
            usize shape[1];
            i64 strides[1];
        };

        // fn dot(a: View<f32>, b: &View<f32>, n: usize) -> f32 {
        __device__ inline f32 dot(const View1_f32 &a, const View1_f32 &b, usize n) {
            // let mut sum = 0.0;
            f32 sum = 0.0f;
            // for k in 0..n {
            for (usize k = 0; k < n;) {
                const usize k_pause = (u64)n - (u64)k > 65536 ? k + 65536 : n;
                for (; k < k_pause; ++k) {
                    // if k == 3 {
                    if (k == 3ULL) {
                        // break;
                        goto end_of_loop_1;
                    }
                    // sum += a[k] * b[k];
                    sum += a.data[checked_axis(k, a.shape[0], 1, 0, 1, 9)] * b.data[(i64)checked_axis(k, b.shape[0], 2, 0, 1, 9) * b.strides[0]];
                }
                if (k < n) look_at_once(1, 5);
            }
            end_of_loop_1:;
            // sum
            return sum;
        }

        // fn dot(a: View<f32>, b: &View<f32>, n: usize) -> f32 {
        __device__ inline f32 dot_2(const View1_f32 &a, const View1_f32 &b, usize n) {
            // let mut sum = 0.0;
            f32 sum = 0.0f;
            // for k in 0..n {
            for (usize k = 0; k < n;) {
                const usize k_pause = (u64)n - (u64)k > 65536 ? k + 65536 : n;
                for (; k < k_pause; ++k) {
                    // if k == 3 {
                    if (k == 3ULL) {
                        // break;
                        goto end_of_loop_1;
                    }
                    // sum += a[k] * b[k];
                    sum += a.data[(i64)checked_axis(k, a.shape[0], 2, 0, 2, 9) * a.strides[0]] * b.data[(i64)checked_axis(k, b.shape[0], 2, 0, 2, 9) * b.strides[0]];
                }
                if (k < n) look_at_once(2, 5);
            }
            end_of_loop_1:;
            // sum
            return sum;
        }

        // fn dots(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>, n: usize) {
        extern "C" __global__ void dots_kernel(const __grid_constant__ View1_f32 a, const __grid_constant__ View1_f32 b, const __grid_constant__ ViewMut1_f32 out, usize n) {
            // out[0] = dot(a, &b, n);
            const f32 value = dot(a, b, n);
            out.data[checked_axis(0ULL, out.shape[0], 3, 0, 0, 16)] = value;
            // out[1] = dot(b, &b, n);
            const f32 value_2 = dot_2(b, b, n);
            out.data[checked_axis(1ULL, out.shape[0], 3, 0, 0, 17)] = value_2;
        }

        } // namespace rust
    "#]].assert_eq(&kernel.source);
}

/// For measurements: the kernels of this file as CUDA C, into the folder that `WARPCELL_KERNELS` names.
#[test]
fn kernels_for_measurements() {
    let Some(folder) = std::env::var_os("WARPCELL_KERNELS").map(std::path::PathBuf::from) else { return };
    let tiled = ["View2<f32>", "View2<f32>", "ViewMut2<f32>"];
    let endless = "
#[kernel]
fn endless(mut out: ViewMut<i32>) {
    while out[0] == 0 {}
}

#[kernel]
fn long(mut out: ViewMut<i32>, n: usize) {
    for i in 0..n {
        out[i % 7] += 1;
    }
}

#[kernel]
fn shuffled(input: View<i32>, mut out: ViewMut<i32>) {
    let t = thread_idx().x;
    let x = input[t];
    out[t] = shfl_xor_sync(u32::MAX, x, 1) + x;
    sync_threads();
    out[t] += 1000;
}";
    let kernels: [(&str, &str, &[&str]); 8] = [
        (endless, "endless", &["ViewMut1<i32>"]),
        (endless, "long", &["ViewMut1<i32>", "usize"]),
        (endless, "shuffled", &["View1<i32>", "ViewMut1<i32>"]),
        (PRODUCTS, "mul", &["View3<f64>", "ViewMut2<f64>"]),
        (PRODUCTS, "mul_reg", &["View3<f64>", "ViewMut2<f64>"]),
        (TILED, "tiled", &tiled),
        (REDUCTION, "block_sums", &["View1<f32>", "ViewMut1<f32>"]),
        (HISTOGRAM, "histogram", &["View1<u8>", "ViewMut1<u32>"]),
    ];
    for (text, name, parameters) in kernels {
        for checked in [false, true] {
            let kernel = translation(text, name, parameters, checked);
            let end = if checked { "checked" } else { "unchecked" };
            let file = folder.join(format!("{name}_{end}.cu"));
            std::fs::write(file, format!("{}\n{}", kernel.support, kernel.source)).unwrap();
        }
    }
}
