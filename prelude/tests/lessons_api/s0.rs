//! S0, "CuPy": the lesson that exists as `lessons/01-convolution.ipynb`. The one lesson here that runs.

use crate::gpu;
use gpu::prelude::*;

#[test]
fn convolution() {
    // S0-01
    // Construct a subimage with all zeros and a single one in the middle
    let mut primary_unit = gpu::host::zeros::<f64, _>((16, 16));
    primary_unit[[8, 8]] = 1.0;

    // Now duplicate this subimage many times to construct a larger image
    let deltas = gpu::host::tile(&primary_unit, (128, 128));
    println!("{:?}", deltas.shape());

    // S0-02
    gpu::imshow(&deltas.slice(s![0..32, 0..32]));

    // S0-03
    let axis = gpu::host::linspace(-2.0, 2.0, 15);
    let (x, y) = gpu::host::meshgrid(&axis, &axis);
    let dst = (&x * &x + &y * &y).sqrt();
    let sigma = 1.0;
    let muu = 0.0;
    let gauss = (-(dst - muu).pow2() / (2.0 * sigma * sigma)).exp();
    gpu::imshow(&gauss);

    // S0-04
    let convolved_on_host = gpu::host::convolve2d(&deltas, &gauss, Mode::Full);
    // %timeit gpu::host::convolve2d(&deltas, &gauss, Mode::Full)
    gpu::host::convolve2d(&deltas, &gauss, Mode::Full);
    gpu::imshow(&convolved_on_host.slice(s![0..32, 0..32]));

    // S0-05
    let deltas_gpu = gpu::asarray(&deltas);
    let gauss_gpu = gpu::asarray(&gauss);

    // S0-06
    let convolved_on_device = gpu::convolve2d(&deltas_gpu, &gauss_gpu, Mode::Full);
    // %timeit gpu::convolve2d(&deltas_gpu, &gauss_gpu, Mode::Full)
    gpu::convolve2d(&deltas_gpu, &gauss_gpu, Mode::Full);

    // S0-07
    // gpu::convolve2d(&deltas, &gauss, Mode::Full)
    refused!(Array2<f64>: gpu::OnDevice);

    // S0-08
    gpu::allclose(&convolved_on_device, &convolved_on_host);

    // S0-09
    fn transfer_compute_transferback(deltas: &Array2<f64>, gauss: &Array2<f64>) -> Array2<f64> {
        let deltas_gpu = gpu::asarray(deltas);
        let gauss_gpu = gpu::asarray(gauss);
        gpu::convolve2d(&deltas_gpu, &gauss_gpu, Mode::Full).to_host_as::<Ix2>()
    }
    // %timeit transfer_compute_transferback(&deltas, &gauss)
    transfer_compute_transferback(&deltas, &gauss);

    // S0-10
    // gpu::host::convolve2d(&deltas_gpu, &gauss_gpu, Mode::Full)
    refused!(DeviceArray<f64>: gpu::OnHost);

    // S0-11
    let deltas_1d = gpu::host::ravel(&deltas);
    let gauss_1d = gpu::host::diagonal(&gauss);
    // %timeit gpu::convolve(&deltas_1d, &gauss_1d, Mode::Full)
    gpu::convolve(&deltas_1d, &gauss_1d, Mode::Full);

    // S0-12
    let deltas_1d_gpu = gpu::asarray(&deltas_1d);
    let gauss_1d_gpu = gpu::asarray(&gauss_1d);
    // %timeit gpu::convolve(&deltas_1d_gpu, &gauss_1d_gpu, Mode::Full)
    gpu::convolve(&deltas_1d_gpu, &gauss_1d_gpu, Mode::Full);
}
