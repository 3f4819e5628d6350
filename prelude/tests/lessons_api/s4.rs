//! S4, "Collaborative Document": convolution once more, sorting, prime numbers by several kinds of functions.
//!
//! S4-01 and S4-02 use names that are defined later, so here they stand where they can run.

use crate::gpu;

#[allow(dead_code)] // type-checked, not run
fn sorting_and_convolution() {
    use gpu::prelude::*;

    // S4-03
    let size = 4096 * 4096;
    let input = gpu::host::random::uniform(0.0f32, 1.0, size);

    // %timeit gpu::host::sort(&input)
    gpu::host::sort(&input);

    // S4-04
    let input_gpu = gpu::asarray(&input);

    // %timeit gpu::sort(&input_gpu)
    gpu::sort(&input_gpu);

    // S4-05
    let mut tile = gpu::host::zeros::<f64, _>((16, 16));
    tile[[8, 8]] = 1.0;
    let image = gpu::host::tile(&tile, (128, 128));

    // or alternatively:
    let mut image_f32 = gpu::host::zeros::<f32, _>((2048, 2048));
    image_f32.slice_mut(s![8..;16, 8..;16]).fill(1.0);

    // S4-06
    gpu::imshow(&image.slice(s![0..64, 0..64]));

    // S4-07
    let axis = gpu::host::linspace(-2.0, 2.0, 15);
    let (x, y) = gpu::host::meshgrid(&axis, &axis);
    let dist2 = x.pow2() + y.pow2();
    let gauss = (-dist2).exp();

    gpu::imshow(&gauss);

    // S4-08
    let output_image = gpu::host::convolve2d(&image, &gauss, Mode::Full);
    // this adds a boundary. to keep same domain: Mode::Same
    // %timeit gpu::host::convolve2d(&image, &gauss, Mode::Full)
    gpu::host::convolve2d(&image, &gauss, Mode::Full);

    // S4-09
    gpu::imshow(&output_image.slice(s![..64, ..64]));

    // S4-10
    let image_gpu = gpu::asarray(&image);
    let gauss_gpu = gpu::asarray(&gauss);

    let output_image_gpu = gpu::convolve2d(&image_gpu, &gauss_gpu, Mode::Full);

    // S4-11
    let output_image_host = output_image_gpu.to_host_as::<Ix2>();
    gpu::imshow(&output_image_host.slice(s![..64, ..64]));

    // S4-12
    // %timeit -n 100 -r 10 gpu::convolve2d(&image_gpu, &gauss_gpu, Mode::Full)
    gpu::convolve2d(&image_gpu, &gauss_gpu, Mode::Full);

    // S4-01
    fn transfer_compute_transferback(image: &Array2<f64>, gauss: &Array2<f64>) -> Array2<f64> {
        let image_gpu = gpu::asarray(image);
        let gauss_gpu = gpu::asarray(gauss);
        gpu::convolve2d(&image_gpu, &gauss_gpu, Mode::Full).to_host_as::<Ix2>()
    }

    // %timeit transfer_compute_transferback(&image, &gauss)
    transfer_compute_transferback(&image, &gauss);

    // S4-13
    gpu::allclose(&output_image_gpu.to_host(), &output_image);

    // S4-14
    let image_1d = gpu::host::ravel(&image);
    let gauss_1d = gpu::host::ravel(&gauss);
    gpu::convolve(&image_1d, &gauss_1d, Mode::Full);

    // S4-15
    let image_1d_gpu = gpu::asarray(&image_1d);
    let gauss_1d_gpu = gpu::asarray(&gauss_1d);
    gpu::convolve(&image_1d_gpu, &gauss_1d_gpu, Mode::Full);
}

#[allow(dead_code)] // type-checked, not run
fn prime_numbers() {
    use gpu::prelude::*;

    // S4-16
    fn find_primes(upper: i32) -> Vec<i32> {
        let mut all_primes = Vec::new();
        for i in 2..upper {
            if (2..i / 2 + 1).all(|j| i % j != 0) {
                all_primes.push(i);
            }
        }
        all_primes
    }

    // S4-17
    // %timeit find_primes(10_000)
    find_primes(10_000);

    // S4-18
    // It is compiled already: the cell that defined it checks for overflow, a timed one is optimised further.
    // %time find_primes(0)
    find_primes(0);

    // %timeit find_primes(10_000)
    find_primes(10_000);

    // S4-19
    #[kernel]
    fn check_prime_gpu_kernel(number: i32, mut result: ViewMut<i32>) {
        result[0] = 0;
        for j in 2..number / 2 + 1 {
            if number % j == 0 {
                return;
            }
        }
        result[0] = number;
    }

    // S4-20
    let mut result = gpu::zeros::<i32>(1);

    gpu::launch(check_prime_gpu_kernel, 1, 1, (11, &mut result));

    // S4-02
    fn find_all_primes_cpu_and_gpu(upper: i32) -> Vec<i32> {
        let mut all_prime_numbers = Vec::new();
        for num in 2..upper {
            let mut result = gpu::zeros::<i32>(1);
            gpu::launch(check_prime_gpu_kernel, 1, 1, (num, &mut result));
            if result.item() > 0 {
                all_prime_numbers.push(num);
            }
        }
        all_prime_numbers
    }

    // %timeit find_all_primes_cpu_and_gpu(10_000)
    find_all_primes_cpu_and_gpu(10_000);

    // S4-21
    #[vectorize]
    fn log_of_sum(x: f64, y: f64) -> f64 {
        (x + y).ln()
    }

    log_of_sum(6.0, 7.0);
    // 2.564....
    gpu::host::map(log_of_sum, (&gpu::host::random::random(10), &gpu::host::random::random(10)));
    // [ ... ]

    // S4-22
    #[vectorize]
    fn check_prime(number: i32) -> i32 {
        if number < 2 {
            return 0;
        }
        for j in 2..number / 2 + 1 {
            if number % j == 0 {
                return 0;
            }
        }
        number
    }

    // S4-23
    // %timeit -n 1 -r 1 gpu::map_host(check_prime, &gpu::host::arange(1_000_000))
    gpu::map_host(check_prime, &gpu::host::arange(1_000_000));

    // S4-24
    let nums = gpu::map_host(check_prime, &gpu::host::arange(1_000_000));
    let nums: Array1<i32> = nums.into_iter().filter(|&n| n != 0).collect();
}
