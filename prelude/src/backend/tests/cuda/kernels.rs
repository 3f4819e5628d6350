//! Kernels in Rust on a GPU: what their threads compute, against the CPU; what is said of those that fail or do not end, and that
//! everything goes on.

use crate::backend::cuda::launch;
use crate::backend::tests::check::Check;
use crate::dtype::Element;
use crate::error::Result;
use crate::prelude::*;
use crate::{Device, Error, KernelArguments, LaunchConfig, Stream, random};
use programs::*;
use std::time::{Duration, Instant};

mod programs;

/// Runs on both devices, from the same beginning, and compares what is left.
fn same<T: Element>(
    check: &mut Check,
    name: &str,
    tolerance: f64,
    work: impl Fn(Device) -> Result<Vec<DeviceArray<T>>>,
) {
    let all =
        |device: Device| device.with(|| work(device)?.iter().map(DeviceArray::try_to_host).collect::<Result<Vec<_>>>());
    let (gpu, cpu) = (all(Device::Cuda(0)), all(Device::Cpu));
    let is_close = |a: &T, b: &T| {
        let (a, b) = (number(*a), number(*b));
        a == b || (a - b).abs() <= tolerance * b.abs().max(1.0)
    };
    let right = match (&gpu, &cpu) {
        (Ok(gpu), Ok(cpu)) => {
            gpu.len() == cpu.len()
                && gpu.iter().zip(cpu).all(|(gpu, cpu)| {
                    gpu.shape() == cpu.shape() && gpu.iter().zip(cpu).all(|(gpu, cpu)| is_close(gpu, cpu))
                })
        }
        _ => false,
    };
    check.note(right, &|| format!("{name}: {:.300} and {:.300}", format!("{gpu:?}"), format!("{cpu:?}")));
}

/// A value for comparisons.
fn number<T: Element>(value: T) -> f64 {
    value
        .to_scalar()
        .to_string()
        .parse()
        .unwrap_or_else(|_| f64::from(u8::from(value.to_scalar().to_string() == "true")))
}

fn uniform(seed: u64, shape: (usize, usize)) -> DeviceArray<f32> {
    random::Generator::new(seed).uniform(-1.0f32, 1.0, shape)
}

/// What threads compute.
fn results(check: &mut Check) {
    same(check, "places", 0.0, |_| {
        let mut out = crate::zeros::<i64>((5, 6, 7));
        crate::try_launch(places, (2, 2, 3), (4, 3, 2), &mut out)?;
        Ok(vec![out])
    });
    for n in [1, 255, 1000] {
        same(check, "scale", 0.0, |_| {
            let (a, mut out) = (crate::arange(n as f32), crate::zeros::<f32>(n));
            crate::try_launch_for(scale, n, (&a, 0.5, &mut out))?;
            // SAFETY: the kernel tests its index.
            unsafe { crate::try_launch_unchecked(scale, 2, 32, (&a, 2.0, &mut out))? };
            Ok(vec![out])
        });
    }
    same(check, "strided loops", 0.0, |_| {
        let (a, mut out) = (crate::arange(100_000.0f64), crate::zeros::<f64>(100_000));
        crate::try_launch(strided, 7, 96, (&a, &mut out))?;
        Ok(vec![out])
    });
    for alpha in [&[2.0, 3.0][..], &[1.0], &[2.5, 1.0, 70.0, 4.0, 1.5], &[0.5, 0.01], &[3.0, 0.25, 1.0]] {
        same(check, "parts of a whole", 0.0, |_| {
            let mut g = random::Generator::new(5);
            let alpha = crate::array(alpha);
            let single = alpha.astype::<f32>();
            Ok(vec![g.dirichlet(&alpha, (7, 100)), g.dirichlet(&single, 3).astype(), g.dirichlet(&alpha, ())])
        });
    }
    same(check, "counts of few events", 0.0, |_| {
        let mut g = random::Generator::new(6);
        Ok([0.0, 1e-9, 0.5, 4.0, 9.99].map(|lam| g.poisson(lam, 10_000)).to_vec())
    });
    same(check, "transposed", 0.0, |_| {
        let (a, mut out) = (uniform(1, (50, 70)), crate::zeros::<f32>((70, 50)));
        crate::try_launch(transposed, (5, 4), (16, 16), (&a, &mut out))?;
        Ok(vec![out])
    });
    for is_strided in [false, true] {
        same(check, "a product", 1e-5, |_| {
            let (a, b, mut out) = (uniform(1, (50, 70)), uniform(2, (70, 40)), crate::zeros::<f32>((50, 40)));
            if is_strided {
                let (a, b) = (a.t().copy(), b.t().copy());
                crate::try_launch(product, (3, 4), (TILE, TILE), (&a.t(), &b.t(), &mut out.t().copy().t()))?;
                crate::try_launch(product, (3, 4), (TILE, TILE), (&a.t(), &b.t(), &mut out))?;
            } else {
                crate::try_launch(product, (3, 4), (TILE, TILE), (&a, &b, &mut out))?;
            }
            Ok(vec![out])
        });
    }
    same(check, "a reduction", 0.0, |_| {
        let (a, mut out) = (crate::arange(100_000i64), crate::zeros::<i64>(1));
        let stream = Stream::new();
        let config = LaunchConfig::new(40, 128).dynamic_shared_bytes(8 * 128);
        crate::try_launch_with(config.clone(), reduced, (&a, &mut out))?;
        crate::try_launch_with(config.stream(&stream), reduced, (&a, &mut out))?;
        Ok(vec![out])
    });
    same(check, "a histogram", 0.0, |_| {
        let values = (crate::arange(100_000u32) * 7919).astype::<u8>();
        let mut bins = crate::zeros::<u32>(256);
        crate::try_launch(histogram, 20, 256, (&values, &mut bins))?;
        Ok(vec![bins])
    });
    same(check, "integers of 8 and 16 bits", 0.0, |_| {
        let (a, b) = (crate::arange(1000i32).astype::<i8>(), crate::arange(1000i32).astype::<u16>());
        let mut out = crate::zeros::<i16>(1000);
        crate::try_launch(narrow, 4, 256, (&a, &b, -300, 65_000, &mut out))?;
        Ok(vec![out])
    });
    same(check, "floats of 16 bits", 0.0, |_| {
        let a = crate::linspace(-3.0f32, 3.0, 1000).astype::<f16>();
        let (mut out, mut sums) = (crate::zeros::<f16>(1000), crate::zeros::<bf16>(4));
        crate::try_launch(halves, 4, 256, (&a, f16::from_f32(0.1), &mut out, &mut sums))?;
        Ok(vec![out.astype::<f32>(), sums.astype::<f32>()])
    });
    same(check, "complex numbers", 1e-14, |_| {
        let z = crate::linspace(-3.0, 3.0, 1000).astype::<Complex<f64>>() * Complex::new(0.6, 0.8);
        let (mut out, mut small) = (crate::zeros::<Complex<f64>>(1000), crate::zeros::<Complex<f32>>(1000));
        crate::try_launch(complex_numbers, 8, 128, (&z, Complex::new(0.5, 2.0), &mut out, &mut small))?;
        Ok(vec![out.real(), out.imag(), small.real().astype(), small.imag().astype()])
    });
    same(check, "structs", 0.0, |_| {
        let turn = |mirrored, re| Turn { mirrored, factor: Complex::new(re, 0.5) };
        let motion = Motion {
            small: -3,
            turns: [turn(true, 1.5), turn(false, -2.0)],
            range: (40, 0.25),
            weights: [1.0, -0.5, 8.0],
        };
        let (x, mut out) = (crate::linspace(-1.0, 1.0, 100), crate::zeros::<f64>(100));
        crate::try_launch_for(structs, 100, (motion, &x, Shift(4.0, 50_000), &mut out))?;
        Ok(vec![out])
    });
    same(check, "warps", 0.0, |_| {
        let (a, mut out) = (crate::arange(256i32) - 100, crate::zeros::<i32>((3, 256)));
        crate::try_launch(warps, 2, 128, (&a, &mut out))?;
        Ok(vec![out])
    });
    same(check, "shuffles of wide types", 0.0, |_| {
        let (mut f, mut u, mut s) = (crate::arange(32.0f64), crate::arange(32u64), crate::arange(32.0f32));
        crate::try_launch(shuffled, 1, 32, (&mut f, &mut u, &mut s))?;
        Ok(vec![f, u.astype(), s.astype()])
    });
    same(check, "votes", 0.0, |_| {
        let (a, mut out) = (crate::arange(128i32) / 3, crate::zeros::<u32>((3, 128)));
        crate::try_launch(votes, 2, 64, (&a, &mut out))?;
        Ok(vec![out])
    });
    same(check, "atomics", 0.0, |_| {
        let a = crate::arange(1000i32) - 300;
        let (mut out, mut f) = (crate::zeros::<i32>(9), crate::zeros::<f32>(4));
        out.slice(s![4]).fill(-1);
        crate::try_launch_for(atomics, 1000, (&a, &mut out, &mut f))?;
        Ok(vec![out.astype::<f64>(), f.astype()])
    });
    same(check, "wide atomics", 0.0, |_| {
        let a = crate::arange(1000i64) - 300;
        let (mut u, mut s, mut d) = (crate::zeros::<u64>(2), crate::zeros::<i64>(2), crate::zeros::<f64>(2));
        crate::try_launch_for(wide_atomics, 1000, (&a, &mut u, &mut s, &mut d))?;
        Ok(vec![u.astype::<f64>(), s.astype(), d])
    });
    for is_strided in [false, true] {
        same(check, "device functions with views", 0.0, |_| {
            let (a, out) = (uniform(3, (33, 9)), crate::zeros::<f32>((33, 2)));
            if is_strided {
                crate::try_launch_for(rows, 9, (&a.t(), &mut out.slice(s![..9, 1])))?;
            } else {
                crate::try_launch_for(rows, 33, (&a, &mut out.slice(s![.., 0]).copy()))?;
                crate::try_launch_for(rows, 33, (&a, &mut out.slice(s![.., 0])))?;
            }
            Ok(vec![out])
        });
    }
    same(check, "scalars", 0.0, |_| {
        let mut out = crate::zeros::<f64>(2);
        crate::try_launch(
            scalars,
            1,
            2,
            (true, 255, -3, 4_000_000_000, i64::MIN / 4, 1 << 40, 7, -9, 0.5, 0.25, &mut out),
        )?;
        Ok(vec![out])
    });
    same(check, "four axes", 0.0, |_| {
        let (a, mut out) = (crate::arange(2 * 3 * 4 * 5i32).reshape((2, 3, 4, 5)), crate::zeros::<i32>((2, 3, 4, 5)));
        crate::try_launch_for(four_axes, (5, 4, 3), (&a, &mut out))?;
        let mut flipped = crate::zeros::<i32>((2, 3, 4, 5));
        crate::try_launch_for(four_axes, (5, 4, 3), (&a.slice(s![.., ..;-1, .., ..;-1]), &mut flipped))?;
        Ok(vec![out, flipped])
    });
    same(check, "bools", 0.0, |_| {
        let (a, mut out) = (crate::array(&[true, false, true, true]), crate::zeros::<bool>(4));
        crate::try_launch_for(bools, 4, (&a, &mut out))?;
        Ok(vec![out])
    });
    same(check, "bytes", 0.0, |_| {
        let (a, mut out) = (crate::arange(300i32).astype::<u8>(), crate::zeros::<u8>(300));
        crate::try_launch_for(bytes, 300, (&a.slice(s![..;-1]), &mut out))?;
        Ok(vec![out])
    });
    same(check, "a scan", 0.0, |_| {
        let mut a = crate::arange(256i32);
        crate::try_launch(scanned, 1, 256, &mut a)?;
        Ok(vec![a])
    });
    same(check, "a blur", 1e-6, |_| {
        let (a, mut out) = (uniform(5, (37, 41)), crate::zeros::<f32>((37, 41)));
        crate::try_launch_for(blurred, (41, 37), (&a, &mut out))?;
        Ok(vec![out])
    });
    same(check, "primes", 0.0, |_| {
        let out = crate::zeros::<i32>(40);
        for number in 0..40 {
            crate::try_launch(primes, 1, 1, (number, &mut out.slice(s![number..number + 1])))?;
        }
        Ok(vec![out])
    });
    same(check, "what overlaps is copied", 0.0, |_| {
        let mut a = crate::arange(1000.0f32);
        let before = a.clone();
        crate::try_launch_for(scale, 1000, (&before.slice(s![..;-1]), 2.0, &mut a))?;
        Ok(vec![a])
    });
}

#[kernel]
fn past_the_end(a: View<f32>, mut out: ViewMut<f32>) {
    let i = global_idx().x;
    out[i] = a[i];
}

#[kernel]
fn past_a_tile(mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>([8, 8]);
    let t = thread_idx();
    tile[[t.y, t.x]] = 1.0;
    sync_threads();
    out[t.x] = tile[[t.y, t.x]];
}

#[device]
fn behind(a: View<f32>) -> f32 {
    a[a.len()]
}

#[kernel]
fn in_a_function(a: View<f32>, mut out: ViewMut<f32>) {
    out[thread_idx().x] = behind(a);
}

#[kernel]
fn divides(a: View<i32>, mut out: ViewMut<i32>) {
    let i = thread_idx().x;
    out[i] = 7 / a[i];
}

#[kernel]
fn endless(mut out: ViewMut<i64>) {
    let mut n = thread_idx().x as i64;
    while n >= 0 {
        n = (n + 1) % 1000;
    }
    out[0] = n;
}

#[kernel]
fn waits_for_an_endless_one(mut out: ViewMut<i64>) {
    if thread_idx().x == 0 {
        let mut n = 1i64;
        while n >= 0 {
            n = (n + 1) % 1000;
        }
    }
    sync_threads();
    out[0] = 1;
}

/// What a launch on the GPU says, where the host waits.
fn said<P, K: crate::Kernel<P>>(
    kernel: K,
    grid: usize,
    block: (usize, usize),
    arguments: impl KernelArguments<P>,
) -> String {
    let queued = crate::try_launch(kernel, grid, block, arguments);
    queued.and_then(|()| crate::try_synchronize()).map_or_else(|error| error.to_string(), |()| "no error".to_owned())
}

/// What is said of threads that fail; the context lives on.
fn failures(check: &mut Check) {
    let (a, mut out) = (crate::arange(100.0f32), crate::zeros::<f32>(90));
    let works = || {
        let mut out = crate::zeros::<f32>(90);
        let queued = crate::try_launch(past_the_end, 3, 30, (&a, &mut out));
        queued.is_ok() && out.try_to_host().is_ok_and(|out| out.iter().enumerate().all(|(i, &x)| x == i as f32))
    };
    check.note(works(), &|| "a kernel before any has failed".into());
    for round in 0..3 {
        let said = self::said(past_the_end, 4, (32, 1), (&a, &mut out));
        let wanted = [
            "the function `past_the_end` failed in line",
            "on cuda:0 (",
            "): thread (",
            "of block (",
            "along axis 0 of `",
            "which has length",
        ];
        check.note(wanted.iter().all(|part| said.contains(part)), &|| format!("out of bounds, round {round}: {said}"));
        check.note(works(), &|| format!("after an index out of bounds, round {round}"));
    }
    let one = self::said(past_the_end, 1, (91, 1), (&a, &mut out));
    check.note(
        one.contains(
            "thread (90, 0, 0) of block (0, 0, 0) used the index 90 along axis 0 of `out`, which has length 90",
        ),
        &|| format!("one thread: {one}"),
    );
    let tile = self::said(past_a_tile, 1, (8, 9), &mut out);
    check.note(tile.contains("used the index 8 along axis 0 of `tile`, which has length 8"), &|| {
        format!("a tile: {tile}")
    });
    let inside = self::said(in_a_function, 1, (1, 1), (&a, &mut out));
    check.note(
        inside.contains("the function `behind` failed") && inside.contains("the index 100 along axis 0 of `a`"),
        &|| format!("in a function: {inside}"),
    );
    let (zeros, mut quotients) = (crate::zeros::<i32>(4), crate::zeros::<i32>(4));
    let division = self::said(divides, 1, (4, 1), (&zeros, &mut quotients));
    check.note(division.contains("7 was divided by zero") && division.contains("in thread ("), &|| {
        format!("a division: {division}")
    });
    check.note(works(), &|| "after all of them".into());
    // What is not checked writes past the end, but within the memory of the array's allocation.
    let long = crate::zeros::<f32>(100);
    // SAFETY: the array's memory goes on behind the slice.
    let unchecked = unsafe { crate::try_launch_unchecked(past_the_end, 1, 100, (&a, &mut long.slice(s![..50]))) };
    check.note(unchecked.is_ok() && crate::try_synchronize().is_ok() && long.get(&[99]) == 99.0, &|| {
        format!("without checks: {unchecked:?}, {}", long.get(&[99]))
    });
    let checked = crate::try_launch_checked(past_the_end, 1, 10, (&a, &mut out)).unwrap_err().to_string();
    check.note(checked.contains("compute-sanitizer"), &|| checked.clone());
}

/// Kernels that do not end, with an interrupt and with a time limit.
fn without_an_end(check: &mut Check) {
    let mut out = crate::zeros::<i64>(1);
    for round in 0..2 {
        for waits in [false, true] {
            let (gpu, start) = (check.backend.clone(), Instant::now());
            let stopping = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(300));
                gpu.stop_functions();
            });
            let said = match waits {
                false => said(endless, 4, (64, 1), &mut out),
                true => said(waits_for_an_endless_one, 4, (64, 1), &mut out),
            };
            let seconds = start.elapsed().as_secs_f64();
            stopping.join().unwrap();
            check.note(said.contains("an interrupt has stopped it") && (0.2..3.0).contains(&seconds), &|| {
                format!("without an end, round {round}, {waits}: {seconds} s, {said}")
            });
        }
        let config = LaunchConfig::new(2, 64).time_limit(Duration::from_millis(200));
        let outcome = crate::try_launch_with(config.clone(), endless, &mut out);
        let late = outcome.map_or_else(|error| error.to_string(), |()| "no error".to_owned());
        check.note(late.contains("`endless`") && late.contains("its time limit of 0.2 s"), &|| {
            format!("a time limit: {late}")
        });
        let (a, mut scaled) = (crate::arange(64.0f32), crate::zeros::<f32>(64));
        let quick = crate::try_launch_with(config, scale, (&a, 2.0, &mut scaled));
        check.note(quick.is_ok() && scaled.get(&[63]) == 126.0, &|| format!("within the limit: {quick:?}"));
    }
}

#[kernel]
fn much_shared_memory(mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(16_384);
    tile[thread_idx().x] = 1.0;
    sync_threads();
    out[0] = tile[0];
}

#[kernel]
fn dynamic(mut out: ViewMut<f32>) {
    let mut room = dynamic_shared_array::<f32>();
    let t = thread_idx().x;
    let last = room.len() - 1 - t;
    room[last] = t as f32;
    sync_threads();
    out[t] = room[last] + room.len() as f32;
}

/// What the device cannot launch, and what it just can.
fn limits(check: &mut Check) {
    let mut out = crate::zeros::<f32>(32);
    let refused = |result: Result<()>| result.map_or_else(|error| error.to_string(), |()| "no error".to_owned());
    let all = [
        (refused(crate::try_launch(dynamic, 1, 2048, &mut out)), "2048 threads, but cuda:0 allows at most 1024"),
        (refused(crate::try_launch(dynamic, (1, 1 << 17), 32, &mut out)), "too long along an axis"),
        (refused(crate::try_launch(dynamic, 1, (1, 1, 65), &mut out)), "too long along an axis"),
        (refused(crate::try_launch(dynamic, 0, 32, &mut out)), "every length must be at least 1"),
        (refused(crate::try_launch(much_shared_memory, 1, 32, &mut out)), "take 65536 bytes per block"),
        (
            refused(crate::try_launch_with(LaunchConfig::new(1, 32).dynamic_shared_bytes(1 << 20), dynamic, &mut out)),
            "1048576 bytes of shared memory",
        ),
    ];
    for (said, wanted) in all {
        check.note(said.contains(wanted), &|| format!("{wanted}: {said}"));
    }
    // More than a launch may have without asking.
    for bytes in [128, 64 << 10, 96 << 10] {
        let result = crate::try_launch_with(LaunchConfig::new(1, 32).dynamic_shared_bytes(bytes), dynamic, &mut out);
        let last = out.try_to_host().map(|out| out[[31]]);
        check.note(result.is_ok() && last == Ok(31.0 + (bytes / 4) as f32), &|| {
            format!("{bytes} bytes: {result:?}, {last:?}")
        });
    }
    let cpu = crate::zeros::<f32>(4).to_device(Device::Cpu);
    let mixed = refused(crate::try_launch(scale, 1, 4, (&cpu, 1.0, &mut out)));
    check.note(mixed.contains("one array is on cpu"), &|| mixed.clone());
    let attributes = crate::try_kernel_attributes(product);
    let right =
        attributes.as_ref().is_ok_and(|all| all.registers > 0 && all.shared_bytes == 2048 && !all.occupancy.is_empty());
    check.note(right, &|| format!("attributes: {attributes:?}"));
    let same_error = |error: &Error| matches!(error, Error::InvalidArgument { operation: "launch", .. });
    let plane = crate::zeros::<f32>((2, 2));
    let axes = crate::try_launch(scale, 1, 4, (&plane, 1.0, &mut out)).unwrap_err();
    check.note(same_error(&axes) && axes.to_string().contains("axes"), &|| axes.to_string());
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_kernels_of_threads() {
    let mut check = Check::of(crate::device::open(Device::Cuda(0)).unwrap().backend);
    Device::Cuda(0).with(|| {
        results(&mut check);
        failures(&mut check);
        without_an_end(&mut check);
        limits(&mut check);
    });
    check.finish();
}

/// All kernels of this file, and those of the prelude, compile; no GPU.
#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_compiles_kernels_of_threads() {
    let nvrtc = super::nvrtc();
    let (mut count, mut failed) = (0, Vec::new());
    let is_meant = |found: &crate::registry::Kernel| {
        let is_of_others = found.name.contains("::tests::") && !found.name.contains("::tests::cuda::kernels::");
        // One is there to be refused.
        !is_of_others && found.short_name() != "much_shared_memory"
    };
    for found in crate::registry::kernels().into_iter().filter(is_meant) {
        let compiled =
            launch::source(&found).and_then(|source| super::compiled(&nvrtc, count, found.short_name(), &source));
        failed.extend(compiled.err().map(|error| format!("{}: {error}", found.name)));
        count += 1;
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    println!("NVRTC {:?}: {count} kernels", nvrtc.version);
    assert!(count >= 29);
}
