//! The code of the first lesson, as a notebook has it.

use warpcell as gpu;
use warpcell::prelude::*;

#[test]
fn dirac_deltas_become_gaussians() {
    let sigma = 0.5;
    let mut primary_unit = gpu::host::zeros::<f64, _>((16, 16));
    primary_unit[[8, 8]] = 1.0;
    let deltas = gpu::host::tile(&primary_unit, (8, 8));
    assert_eq!(deltas.shape(), [128, 128]);
    assert_eq!(deltas.sum(), 64.0);

    let axis = gpu::host::linspace(-2.0, 2.0, 15);
    let (x, y) = gpu::host::meshgrid(&axis, &axis);
    let distance = (&x * &x + &y * &y).mapv(f64::sqrt);
    let gauss = (-&distance * &distance / (2.0 * sigma * sigma)).exp();

    let on_host = gpu::host::convolve2d(&deltas, &gauss, Mode::Full);
    assert_eq!(on_host.dim(), (142, 142));

    let deltas_gpu = gpu::asarray(&deltas);
    let gauss_gpu = gpu::asarray(&gauss);
    let on_device = gpu::convolve2d(&deltas_gpu, &gauss_gpu, Mode::Full);
    assert!(gpu::allclose(&on_device, &on_host));

    // Convolution is linear: each of the deltas puts one copy of the kernel at its place.
    let copy = on_host.slice(s![8..23, 8..23]);
    assert!(gpu::allclose(&copy, &gauss));

    let deltas_1d = deltas.flatten().into_owned();
    let gauss_1d = gauss.diag().to_owned();
    let host_1d = gpu::convolve(&deltas_1d, &gauss_1d, Mode::Full);
    let device_1d = gpu::convolve(&deltas_gpu.ravel(), &gauss_gpu.diagonal(), Mode::Full);
    assert!(gpu::allclose(&host_1d, &device_1d));
    assert_eq!(gpu::convolve(&deltas_1d, &gauss.diag(), Mode::Full), host_1d);
    assert_eq!(gpu::host::ravel(&deltas), deltas_1d);
    assert_eq!(gpu::host::diagonal(&gauss), gauss_1d);

    let tile = gpu::tile(&gpu::asarray(&primary_unit), (8, 8));
    assert!(tile.eq(&deltas_gpu).all());
    let axis = gpu::linspace(-2.0, 2.0, 15);
    let (x, y) = gpu::meshgrid(&axis, &axis);
    let squares = &x * &x + &y * &y;
    assert!(gpu::allclose(&(-&squares / (2.0 * sigma * sigma)).exp(), &gauss));
}
