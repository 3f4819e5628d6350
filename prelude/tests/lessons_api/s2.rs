//! S2, "CuPy and Numba on the GPU": array attributes, and functions of scalars that run over arrays.

use crate::gpu;

#[allow(dead_code)] // type-checked, not run
fn arrays_and_vectorized_functions() {
    // S2-01
    use gpu::prelude::*;

    // S2-02
    let ary = gpu::arange(10).reshape((2, 5));
    println!("{ary:?}");
    println!("{}", ary.dtype());
    println!("{:?}", ary.shape());
    println!("{:?}", ary.strides()); // in elements, not in bytes

    // S2-03
    ary.device();

    // S2-04
    let ary_cpu = gpu::host::arange(10);
    let ary_gpu = gpu::asarray(&ary_cpu);
    println!("cpu: {ary_cpu}");
    println!("gpu: {ary_gpu}");
    println!("{}", ary_gpu.device());

    // S2-05
    let ary_cpu_returned = ary_gpu.to_host();
    println!("{ary_cpu_returned:?}");
    println!("{}", gpu::type_of(&ary_cpu_returned));

    // S2-06
    println!("{}", &ary_gpu * 2);
    println!("{}", (-0.5 * ary_gpu.astype::<f64>().square()).exp());
    println!("{}", gpu::linalg::norm(&ary_gpu));
    println!("{}", gpu::random::normal(5.0, 2.0, 10));

    // S2-07
    #[vectorize]
    fn add_ufunc(x: i64, y: i64) -> i64 {
        x + y
    }

    // S2-08
    let a = array![1, 2, 3, 4];
    let b = array![10, 20, 30, 40];
    let b_col = b.clone().insert_axis(Axis(1)); // b as column array
    let c = gpu::host::reshape(&gpu::host::arange(4 * 4), (4, 4));

    // copies the arrays to the device and the result back
    println!("a+b:\n{}", gpu::map_host(add_ufunc, (&a, &b)));
    println!();
    println!("b_col + c:\n{}", gpu::map_host(add_ufunc, (&b_col, &c)));

    // S2-09
    // %timeit &b_col + &c
    &b_col + &c;

    // S2-10
    // %timeit gpu::map_host(add_ufunc, (&b_col, &c))
    gpu::map_host(add_ufunc, (&b_col, &c));

    // S2-11
    const SQRT_2PI: f32 = 2.506_628_3;

    /// The value of a Gaussian probability density function at x with given mean and sigma.
    #[vectorize]
    fn gaussian_pdf(x: f32, mean: f32, sigma: f32) -> f32 {
        (-0.5 * ((x - mean) / sigma).powi(2)).exp() / (sigma * SQRT_2PI)
    }

    // S2-12
    // Evaluate the Gaussian distribution PDF a million times!
    let x = gpu::host::random::uniform(-3.0f32, 3.0, 1_000_000);
    let mean = 0.0f32;
    let sigma = 1.0f32;

    // Quick test: it is an ordinary function, too
    gaussian_pdf(x[0], 0.0, 1.0);

    // S2-13
    // %timeit x.mapv(|x| gaussian_pdf(x, mean, sigma))
    x.mapv(|x| gaussian_pdf(x, mean, sigma));

    // S2-14
    // %timeit gpu::map_host(gaussian_pdf, (&x, mean, sigma))
    gpu::map_host(gaussian_pdf, (&x, mean, sigma));

    // S2-15
    #[device]
    fn polar_to_cartesian(rho: f32, theta: f32) -> (f32, f32) {
        let x = rho * theta.cos();
        let y = rho * theta.sin();
        (x, y)
    }

    #[vectorize]
    fn polar_distance(rho1: f32, theta1: f32, rho2: f32, theta2: f32) -> f32 {
        let (x1, y1) = polar_to_cartesian(rho1, theta1);
        let (x2, y2) = polar_to_cartesian(rho2, theta2);

        ((x1 - x2).powi(2) + (y1 - y2).powi(2)).sqrt()
    }

    // S2-16
    use std::f32::consts::PI;
    let n = 1_000_000;
    let rho1 = gpu::host::random::uniform(0.5f32, 1.5, n);
    let theta1 = gpu::host::random::uniform(-PI, PI, n);
    let rho2 = gpu::host::random::uniform(0.5f32, 1.5, n);
    let theta2 = gpu::host::random::uniform(-PI, PI, n);

    // S2-17
    gpu::map_host(polar_distance, (&rho1, &theta1, &rho2, &theta2));

    // S2-18
    // On the host it is the same function; the tolerance is what f32 can keep.
    let on_device = gpu::map_host(polar_distance, (&rho1, &theta1, &rho2, &theta2));
    let on_host = gpu::host::map(polar_distance, (&rho1, &theta1, &rho2, &theta2));
    gpu::testing::assert_allclose_with(&on_device, &on_host, 1e-6, 5e-7);

    // S2-19
    // %timeit gpu::host::map(polar_distance, (&rho1, &theta1, &rho2, &theta2))
    gpu::host::map(polar_distance, (&rho1, &theta1, &rho2, &theta2));
    // %timeit gpu::map_host(polar_distance, (&rho1, &theta1, &rho2, &theta2))
    gpu::map_host(polar_distance, (&rho1, &theta1, &rho2, &theta2));
}
