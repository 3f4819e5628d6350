//! Measurements on a GPU: profiles by CUPTI and by events, benchmarks, cold caches.

use crate::backend::cuda::driver::profile::by_events;
use crate::device::Device;
use crate::timing::{self, BenchmarkOptions, Profile, WorkKind};
use std::hint::black_box;

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_check_measurement() {
    assert!(matches!(crate::device(), Device::Cuda(_)), "no CUDA device: {}", crate::reason());
    let x = crate::random::uniform(0.0f32, 1.0, 1 << 22);
    let host = x.to_host();
    // Compiles what is profiled.
    work(&x, &host);
    let before = small();
    let plain = timing::profile(|| work(&x, &host));
    println!("{plain}\n");
    let events = timing::run_profile(|_| Ok(by_events("a test asks for events".to_owned())), &mut || work(&x, &host));
    println!("{events}\n");
    assert!(events.to_string().contains("observed by events") && events.to_string().contains("a test asks"));
    for profile in [&plain, &events] {
        listed(profile);
    }
    let again = timing::profile(|| work(&x, &host));
    listed(&again);
    benchmarks();
    // CUPTI leaves something behind: how much, only a look at this tells.
    println!("16 elements before the profiles:\n{before}\nand after:\n{}", small());
}

/// Three kernels of one name, a reduction, and copies each way.
fn work(x: &crate::DeviceArray<f32>, host: &ndarray::ArrayD<f32>) {
    for _ in 0..3 {
        black_box(x + x);
    }
    black_box(x.copy());
    black_box(crate::asarray(host).sum());
}

/// Other tests may work on the device at the same time, so there may be more.
fn listed(profile: &Profile) {
    let entry = |kind: WorkKind, name: &str| {
        let found = profile.entries.iter().find(|entry| entry.kind == kind && entry.name == name);
        found.unwrap_or_else(|| panic!("{kind} {name} is missing:\n{profile}")).clone()
    };
    let add = entry(WorkKind::Kernel, "packed_add_float");
    assert!(add.count >= 3 && add.min > 1e-6 && add.max < 1.0 && add.min <= add.mean(), "{add:?}");
    // By CUPTI a copy from pageable memory is in pieces.
    assert!(entry(WorkKind::Copy, "host to device").bytes >= 4 << 22);
    assert!(entry(WorkKind::Copy, "device to host").bytes >= 4);
    assert!(entry(WorkKind::Copy, "device to device").bytes >= 4 << 22);
    let sums = profile.entries.iter().filter(|entry| entry.name.starts_with("reduce_all_Sum_float"));
    assert_eq!(sums.count(), 1, "{profile}");
    assert!(profile.elapsed > 0.0 && profile.total() > 3.0 * add.min);
}

fn benchmarks() {
    // 16 MB each: all three are in the L2 cache of a large device if it is warm.
    let (a, b) = (crate::random::uniform(0.0f32, 1.0, 1 << 22), crate::random::uniform(0.0f32, 1.0, 1 << 22));
    let options = BenchmarkOptions::new().repeat(50).bytes(3 * a.nbytes());
    let warm = timing::benchmark_with(options.clone(), || &a + &b);
    let cold = timing::benchmark_with(options.cold_cache(), || &a + &b);
    println!("{warm}\n\n{cold}\n");
    let median = |result: &timing::BenchmarkResult| result.device.as_ref().unwrap().median;
    assert!(median(&warm) > 0.0 && median(&cold) > 0.0);
    assert!(cold.to_string().contains("the cache was filled with other data before each call"), "{cold}");
    let ceiling = cold.ceiling.unwrap();
    assert!(ceiling > 1e11 && ceiling < 2e13, "{ceiling} bytes a second");
    assert!(cold.share_of_ceiling().unwrap() < 1.2 && cold.host.median > 0.0);
    let large = crate::zeros::<f64>(50_000_000);
    let options = BenchmarkOptions::new().repeat(20).bytes(2 * large.nbytes());
    let copy = timing::benchmark_with(options, || large.copy());
    println!("{copy}\n");
    assert!((0.8..1.2).contains(&copy.share_of_ceiling().unwrap()), "a large copy is at the ceiling of copies");
}

/// The times of a small operation.
fn small() -> timing::BenchmarkResult {
    let x = crate::zeros::<f32>(16);
    timing::benchmark(1000, || &x + &x)
}
