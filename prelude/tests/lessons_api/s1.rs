//! S1, "What is CuPy?": devices, memory pools, timers, kernels from CUDA text.

use crate::gpu;

#[allow(dead_code)] // type-checked, not run
fn devices_memory_and_kernels() {
    // S1-01
    use gpu::prelude::*;

    // S1-02
    // The prelude's timer waits for the device and credits the time to the step that was named.
    use gpu::timing::Timer;

    // S1-03
    let x_gpu0 = gpu::array(&[1, 2, 3, 4, 5]);
    let arr = gpu::vstack([&x_gpu0; 5]);
    println!("array:\n{arr}");
    println!("det: {}", gpu::linalg::det(&arr));

    // S1-04
    let x_gpu0 = gpu::array(&[1, 2, 3, 4, 5]);
    println!("x_gpu0 device: {}\n", x_gpu0.device());

    gpu::set_device(gpu::Device::Cuda(1)); // needs two GPUs
    let x_gpu1 = gpu::array(&[1, 2, 3, 4, 5]);

    // An operation runs on the device of its arrays, whatever the current one is ...
    gpu::Device::Cuda(1).with(|| &x_gpu0 * 2);

    // ... and needs all of them on one device.
    if let Err(error) = x_gpu0.try_add(&x_gpu1) {
        println!("{error}");
    }

    // S1-05
    let x_cpu = array![1, 2, 3];
    let x_gpu = gpu::asarray(&x_cpu);

    // S1-06
    let tmp1 = x_gpu.to_host();
    // or, if the number of axes shall be part of the type
    let tmp2 = x_gpu.to_host_as::<Ix1>();

    // S1-07
    // Device 1
    let mempool = gpu::memory_pool();
    let pinned_mempool = gpu::pinned_memory_pool();
    println!("Used memory on device 1 [bytes]: {}", mempool.used_bytes());
    println!("Pinned memory [bytes]: {}", pinned_mempool.total_bytes());

    // S1-08
    let mut timer = Timer::new("add_vec");
    let vec_size = 50_000_000;

    let (vec_a_gpu, vec_b_gpu, mut vec_c_gpu) = timer.time("GPU_create_random_vectors", || {
        let vec_a_gpu = gpu::random::random(vec_size);
        let vec_b_gpu = gpu::random::random(vec_size);
        let vec_c_gpu = gpu::empty::<f64>(vec_size);
        (vec_a_gpu, vec_b_gpu, vec_c_gpu)
    });
    let (vec_a_cpu, vec_b_cpu) = timer.time("CPU_create_random_vectors", || {
        let vec_a_cpu = gpu::host::random::random(vec_size);
        let vec_b_cpu = gpu::host::random::random(vec_size);
        (vec_a_cpu, vec_b_cpu)
    });
    println!("Used mem: {} GB", 3.0 * vec_a_gpu.nbytes() as f64 / 1024f64.powi(3));

    // S1-09
    let add_vec_elem = gpu::ElementwiseKernel::new("float64 x, float64 y", "float64 z", "z = x + y", "add_vec_elem");

    // S1-10
    vec_c_gpu = timer.time("GPU_add_vectors", || add_vec_elem.call((&vec_a_gpu, &vec_b_gpu)));
    let vec_c_cpu = timer.time("CPU_add_vectors", || &vec_a_cpu + &vec_b_cpu);

    // S1-11
    timer.steps();

    // S1-12
    // CPU
    drop((vec_a_cpu, vec_b_cpu, vec_c_cpu));

    // S1-13
    // GPU: with the last variable that holds an array, its memory goes back to the pool for future reuse.
    drop((vec_a_gpu, vec_b_gpu, vec_c_gpu));
    println!("Used [bytes]: {}", mempool.used_bytes());
    println!("Allocated [bytes]: {}", mempool.total_bytes());

    // S1-14
    // clear the memory pool
    mempool.free_all_blocks();

    println!("Allocated [bytes]: {}", mempool.total_bytes());

    // S1-15
    let batch = [1024; 3];
    gpu::set_device(gpu::devices()[0]); // also where there is no GPU
    let mempool = gpu::memory_pool();
    let mut timer = Timer::new("smth_big");

    let mut x_gpu = timer.time("GPU_create_random_array", || gpu::random::random(batch));
    println!("Used [GB]: {}", mempool.used_bytes() as f64 / 1024f64.powi(3));

    // S1-16
    let mut x_cpu = timer.time("CPU_create_random_array", || gpu::host::random::random(batch));

    // S1-17
    timer.time("GPU_do_stuff", || {
        x_gpu *= 3.0;
        x_gpu *= x_gpu.clone(); // the clone shares the elements
    });
    timer.time("CPU_do_stuff", || {
        x_cpu *= 3.0;
        x_cpu.mapv_inplace(|x| x * x);
    });

    // S1-18
    drop(x_cpu);
    drop(x_gpu);
    mempool.free_all_blocks();
    timer.steps();

    // S1-19
    let mut timer = Timer::new("raw_kernel");
    let z_dim = 4096;
    let yx_dims = (512, 512);
    // near 1, for the product of 4096 numbers from 0 to 1 is 0
    let (layer, arr) = timer.time("CPU_create_array", || {
        let layer = gpu::host::random::uniform(0.999, 1.001, yx_dims);
        let arr = gpu::host::stack(vec![&layer; z_dim], 0);
        (layer, arr)
    });

    // S1-20
    let warp_size = 32;

    let g_size = (yx_dims.1.div_ceil(warp_size), yx_dims.0.div_ceil(warp_size));
    let b_size = (warp_size, warp_size);
    println!("Grid size: {g_size:?}\nBlock size: {b_size:?}");

    // S1-21
    let mul_kernel = gpu::RawKernel::new(
        r#"
    extern "C" __global__
    void mul(const double* in, double* out, const int Z, const int Y, const int X) {
        int x = blockDim.x * blockIdx.x + threadIdx.x;
        int y = blockDim.y * blockIdx.y + threadIdx.y;
        if (x < X && y < Y) {
            out[y*X+x] = 1.;
            for (int z = 0; z < Z; z++)
                out[y*X+x] = out[y*X+x] * in[z*Y*X+y*X+x];
        }
    }
    "#,
        "mul",
    );
    mul_kernel.compile();

    // The second one in Rust, which runs on every device:
    #[kernel]
    fn mul_reg(layers: View<f64>, mut out: ViewMut<f64>) {
        let x = block_dim().x * block_idx().x + thread_idx().x;
        let y = block_dim().y * block_idx().y + thread_idx().y;
        if y < out.shape()[0] && x < out.shape()[1] {
            let mut tmp = 1.0;
            for z in 0..layers.shape()[0] {
                tmp *= layers[[z, y, x]];
            }
            out[[y, x]] = tmp;
        }
    }

    // S1-22
    let in_arr = timer.time("copy host-->dev", || gpu::asarray(&arr));

    // S1-23
    let mut out_arr_reg = gpu::empty::<f64>(yx_dims);

    let mut out_arr = timer.time("GPU__create_empty_output_array", || gpu::empty::<f64>(yx_dims));

    let [z, y, x] = [z_dim, yx_dims.0, yx_dims.1].map(|length| length as i32);
    timer.time("GPU_calc_mul", || mul_kernel.launch(g_size, b_size, (&in_arr, &mut out_arr, z, y, x)));
    timer.time("GPU_calc_mul_reg", || gpu::launch(mul_reg, g_size, b_size, (&in_arr, &mut out_arr_reg)));

    // S1-24
    let out_gpu = timer.time("copy dev-->host", || out_arr.to_host());

    // S1-25
    let mut out_cpu = Array2::ones(layer.dim());
    timer.time("CPU_calc", || {
        for l in arr.outer_iter() {
            out_cpu *= &l;
        }
    });

    // S1-26
    gpu::testing::assert_allclose(&out_gpu, &out_cpu);

    // S1-27
    timer.steps();
}
