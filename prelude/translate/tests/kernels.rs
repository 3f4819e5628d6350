//! What is generated for kernels: those of the lessons, and the patterns that kernels are made of.

mod program;

use expect_test::expect;

/// The generated text of a kernel, which is compiled as C++ where a compiler is there.
fn kernel(text: &str, name: &str, parameters: &[&str], checked: bool) -> String {
    let translation =
        program::program(text, &[]).kernel(name, parameters, checked).unwrap_or_else(|error| panic!("{error}"));
    program::kernel_compiles(&translation);
    translation.source
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
    .assert_eq(&kernel(text, "check_prime_gpu_kernel", &["i32", "ViewMut1<i32>"], true));
}

#[test]
fn product() {
    let text = "
#[kernel]
fn product(a: View<f32>, b: View<f32>, mut c: ViewMut<f32>) {
    let row = block_idx().y * block_dim().y + thread_idx().y;
    let column = block_idx().x * block_dim().x + thread_idx().x;
    if row < c.shape()[0] && column < c.shape()[1] {
        let mut sum = 0.0;
        for k in 0..a.shape()[1] {
            sum += a[[row, k]] * b[[k, column]];
        }
        c[[row, column]] = sum;
    }
}";
    let parameters = ["View2<f32>", "View2<f32>*", "ViewMut2<f32>"];
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

        // fn product(a: View<f32>, b: View<f32>, mut c: ViewMut<f32>) {
        extern "C" __global__ void product_kernel(const __grid_constant__ View2_f32 a, const __grid_constant__ View2_f32 b, const __grid_constant__ ViewMut2_f32 c) {
            u32 passes = 0;
            // let row = block_idx().y * block_dim().y + thread_idx().y;
            const usize row = (usize)blockIdx.y * (usize)blockDim.y + (usize)threadIdx.y;
            // let column = block_idx().x * block_dim().x + thread_idx().x;
            const usize column = (usize)blockIdx.x * (usize)blockDim.x + (usize)threadIdx.x;
            // if row < c.shape()[0] && column < c.shape()[1] {
            if (row < c.shape[0] && column < c.shape[1]) {
                // let mut sum = 0.0;
                f32 sum = 0.0f;
                // for k in 0..a.shape()[1] {
                const usize k_end = a.shape[1];
                for (usize k = 0; k < k_end; ++k) {
                    look_for_stop(passes, 0, 8);
                    // sum += a[[row, k]] * b[[k, column]];
                    sum += a.data[checked_axis(row, a.shape[0], 1, 0, 0, 9) * a.shape[1] + checked_axis(k, a.shape[1], 1, 1, 0, 9)] * b.data[(i64)checked_axis(k, b.shape[0], 2, 0, 0, 9) * b.strides[0] + (i64)checked_axis(column, b.shape[1], 2, 1, 0, 9) * b.strides[1]];
                }
                // c[[row, column]] = sum;
                c.data[checked_axis(row, c.shape[0], 3, 0, 0, 11) * c.shape[1] + checked_axis(column, c.shape[1], 3, 1, 0, 11)] = sum;
            }
        }

        } // namespace rust
    "#]].assert_eq(&kernel(text, "product", &parameters, true));
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

        // fn product(a: View<f32>, b: View<f32>, mut c: ViewMut<f32>) {
        extern "C" __global__ void product_kernel(const __grid_constant__ View2_f32 a, const __grid_constant__ View2_f32 b, const __grid_constant__ ViewMut2_f32 c) {
            u32 passes = 0;
            // let row = block_idx().y * block_dim().y + thread_idx().y;
            const usize row = (usize)blockIdx.y * (usize)blockDim.y + (usize)threadIdx.y;
            // let column = block_idx().x * block_dim().x + thread_idx().x;
            const usize column = (usize)blockIdx.x * (usize)blockDim.x + (usize)threadIdx.x;
            // if row < c.shape()[0] && column < c.shape()[1] {
            if (row < c.shape[0] && column < c.shape[1]) {
                // let mut sum = 0.0;
                f32 sum = 0.0f;
                // for k in 0..a.shape()[1] {
                const usize k_end = a.shape[1];
                for (usize k = 0; k < k_end; ++k) {
                    look_for_stop(passes, 0, 8);
                    // sum += a[[row, k]] * b[[k, column]];
                    sum += a.data[row * a.shape[1] + k] * b.data[(i64)k * b.strides[0] + (i64)column * b.strides[1]];
                }
                // c[[row, column]] = sum;
                c.data[row * c.shape[1] + column] = sum;
            }
        }

        } // namespace rust
    "#]].assert_eq(&kernel(text, "product", &parameters, false));
}
