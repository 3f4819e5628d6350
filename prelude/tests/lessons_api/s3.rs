//! S3, "Introduction to CuPy": linear algebra on both sides, fusion, transfers, streams.

use crate::gpu;
use gpu::prelude::*;

#[allow(dead_code)] // type-checked, not run
fn linear_algebra() {
    // S3-01
    let size = 512;

    let a = gpu::host::random::normal(0.0, 1.0, (size, size));

    // S3-02
    // %timeit -n 5 gpu::host::linalg::qr(&a)
    gpu::host::linalg::qr(&a);

    // S3-03
    let size = 512;

    let a = gpu::random::normal(0.0, 1.0, (size, size));
    let (q, r) = gpu::linalg::qr(&a);

    // S3-04
    // %timeit -n 5 gpu::linalg::qr(&a); gpu::synchronize()
    gpu::linalg::qr(&a);
    gpu::synchronize();

    // S3-05
    let a_cpu = array![[1, 2, 3], [4, 5, 6]];

    println!("a_cpu is a {}", gpu::type_of(&a_cpu));
    println!("With initial values:\n{a_cpu}");

    // S3-06
    let a_gpu = gpu::asarray(&a_cpu);
    println!("a_gpu is a {}", gpu::type_of(&a_gpu));

    let a_gpu = a_gpu.square();

    // S3-07
    let a_cpu = a_gpu.to_host();

    println!("Squared values:\n{a_cpu}");

    // S3-08
    // TODO: Fix the code to run on either the CPU or GPU
    a_gpu.square();

    // S3-09
    a_gpu.square();
    // or
    &a_cpu * &a_cpu;

    // S3-10
    use std::time::Instant;
    let size = 4096;

    let start_time = Instant::now();
    let a_cpu = gpu::host::random::uniform(-1.0f32, 1.0, (size, size));
    let b_cpu = gpu::host::random::uniform(-1.0f32, 1.0, (size, size));
    let c_cpu = gpu::host::matmul(&a_cpu, &b_cpu);
    let elapsed = start_time.elapsed();

    println!("Elapsed wall clock time on the host = {elapsed:?}.");

    drop((a_cpu, b_cpu, c_cpu));

    // S3-11
    let a_gpu = gpu::random::uniform(-1.0f32, 1.0, (size, size));
    let b_gpu = gpu::random::uniform(-1.0f32, 1.0, (size, size));
    let c_gpu = gpu::matmul(&a_gpu, &b_gpu); // Exclude one-time overhead (more on this soon!)

    let start_time = Instant::now();
    let c_gpu = gpu::matmul(&a_gpu, &b_gpu);
    gpu::synchronize();
    let elapsed = start_time.elapsed();

    println!("Elapsed wall clock time on the device = {elapsed:?}.");

    drop((a_gpu, b_gpu, c_gpu));

    // S3-12
    let size = 512;

    for _ in 0..5 {
        let a = gpu::random::normal(0.0f32, 1.0, (size, size));

        let start_time = Instant::now();
        gpu::linalg::det(&a);
        gpu::synchronize();

        println!("{:?}", start_time.elapsed());
    }

    // S3-13
    // The processor is a device, too, so one code serves both.
    for size in [64, 128, 256, 512, 1024, 2048] {
        println!("\nInput Matrix size: {size} x {size}");

        for device in [gpu::Device::Cpu, gpu::device()] {
            device.with(|| {
                let a = gpu::random::uniform(-1.0f32, 1.0, (size, size));
                gpu::linalg::qr(&a); // Exclude potential one-time JIT overhead
                gpu::synchronize();

                let start_time = Instant::now();
                gpu::linalg::qr(&a);
                gpu::synchronize();

                println!("{device} {:?}", start_time.elapsed());
            });
        }
    }
}

#[allow(dead_code)] // type-checked, not run
fn fusion() {
    // S3-14
    fn squared_diff(x: &DeviceArray<i64>, y: &DeviceArray<i64>) -> DeviceArray<i64> {
        (x - y) * (x - y)
    }

    // S3-15
    let fused_squared_diff = fuse!(|x: i64, y: i64| (x - y) * (x - y));

    // S3-16
    let size = 10_000;
    use gpu::timing::benchmark;

    let x = gpu::arange(size);
    let y = gpu::arange(size).slice(s![..;-1]);

    println!("{}", benchmark(10, || squared_diff(&x, &y)));
    println!("{}", benchmark(10, || gpu::map(fused_squared_diff, (&x, &y))));

    drop((x, y));
}

#[allow(dead_code)] // type-checked, not run
fn transfers() {
    use std::time::Instant;

    // S3-17
    let size = 100_000_000;

    for i in 0..3 {
        println!("Iteration {i}");

        let start_time = Instant::now();
        let a_cpu = gpu::host::random::uniform(0.0f32, 1.0, size);
        let b_cpu = gpu::host::random::uniform(0.0f32, 1.0, size);
        let c_cpu = gpu::host::dot(&a_cpu, &b_cpu);
        let cpu_time = start_time.elapsed().as_secs_f64();

        println!("host = {cpu_time} seconds");

        drop((a_cpu, b_cpu));

        let start_time = Instant::now();
        let a_gpu = gpu::random::uniform(0.0f32, 1.0, size);
        let b_gpu = gpu::random::uniform(0.0f32, 1.0, size);
        let c_gpu = gpu::dot(&a_gpu, &b_gpu);
        gpu::synchronize();
        let gpu_time = start_time.elapsed().as_secs_f64();

        println!("device = {gpu_time} seconds");
        println!("Speedup = {:.2}", cpu_time / gpu_time);
    }

    // S3-18
    let size = 100_000_000;

    for i in 0..3 {
        println!("Iteration {i}");
        let start_time = Instant::now();
        let a_cpu = gpu::host::random::uniform(0.0f32, 1.0, size);
        let b_cpu = gpu::host::random::uniform(0.0f32, 1.0, size);
        let c_cpu = gpu::host::dot(&a_cpu, &b_cpu);
        let cpu_time = start_time.elapsed().as_secs_f64();

        println!("host = {cpu_time} seconds");

        drop((a_cpu, b_cpu));

        let start_time = Instant::now();
        let a_cpu = gpu::host::random::uniform(0.0f32, 1.0, size);
        let b_cpu = gpu::host::random::uniform(0.0f32, 1.0, size);

        // TODO: Insert device code here
        let a_gpu = gpu::asarray(&a_cpu);
        let b_gpu = gpu::asarray(&b_cpu);
        let c_gpu = gpu::dot(&a_gpu, &b_gpu);
        gpu::synchronize();
        let gpu_time = start_time.elapsed().as_secs_f64();

        println!("device = {gpu_time} seconds");
        println!("Speedup = {:.2}", cpu_time / gpu_time);
    }

    // S3-19
    let size = 100_000_000;

    for i in 0..3 {
        println!("Iteration {i}");

        // The numbers are made outside of the timed parts, and the host's time is this iteration's.
        let a_cpu = gpu::host::random::uniform(0.0f32, 1.0, size);
        let b_cpu = gpu::host::random::uniform(0.0f32, 1.0, size);

        let start_time = Instant::now();
        let c_cpu = gpu::host::dot(&a_cpu, &b_cpu);
        let cpu_time = start_time.elapsed().as_secs_f64();

        let start_time = Instant::now();
        let a_gpu = gpu::asarray(&a_cpu);
        let b_gpu = gpu::asarray(&b_cpu);
        let c_gpu = gpu::dot(&a_gpu, &b_gpu);
        gpu::synchronize();
        let gpu_time = start_time.elapsed().as_secs_f64();

        println!("device = {gpu_time} seconds");
        println!("Speedup = {:.2}", cpu_time / gpu_time);
        println!();
    }
}

#[allow(dead_code)] // type-checked, not run
fn streams() {
    use std::time::Instant;

    // S3-20
    gpu::current_stream();

    // S3-21
    let size = 6000;

    let a_gpu = gpu::random::uniform(0.0f32, 1.0, (size, size));
    gpu::linalg::inv(&a_gpu); // Exclude the cost of the first call
    gpu::synchronize();

    let start_time = Instant::now();
    let c1 = gpu::linalg::inv(&a_gpu);
    let c2 = gpu::linalg::inv(&a_gpu);
    gpu::current_stream().synchronize();

    println!("Baseline implementation time: {:.4} seconds", start_time.elapsed().as_secs_f64());

    drop((c1, c2));

    // S3-22
    let stream1 = gpu::Stream::new();
    let stream2 = gpu::Stream::new();

    let event1 = gpu::Event::new();
    let event2 = gpu::Event::new();

    let start_time = Instant::now();

    let c1 = stream1.with(|| gpu::linalg::inv(&a_gpu));
    event1.record(&stream1);

    let c2 = stream2.with(|| gpu::linalg::inv(&a_gpu));
    event2.record(&stream2);

    event1.synchronize();
    event2.synchronize();

    println!("Stream and event time: {:.4} seconds", start_time.elapsed().as_secs_f64());

    drop((c1, c2));

    // S3-23
    // :clear
}
