//! Devices, streams, events and graphs: the same on every device.

use expect_test::expect;
use std::panic::{AssertUnwindSafe, catch_unwind};
use warpcell as gpu;
use warpcell::Error;
use warpcell::ndarray::arr1;
use warpcell::prelude::*;

/// What an expression gives is not looked at.
fn ignore<T>(_: T) {}

/// The text of a panic.
fn panic_text(work: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("a panic");
    panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap()
}

#[test]
fn there_is_a_device_and_it_has_properties() {
    let devices = gpu::devices();
    assert_eq!(gpu::Device::new(0).unwrap(), devices[0]);
    assert!(devices[0].with(|| gpu::ones::<f32>(3)).device() == devices[0]);
    for device in [gpu::Device::Cpu, devices[0]] {
        let properties = device.properties();
        assert!(!properties.name.is_empty() && properties.multiprocessors > 0, "{properties:?}");
        assert!(properties.free_memory > 0 && properties.total_memory >= properties.free_memory, "{properties:?}");
        assert_eq!(properties.compute_capability.is_some(), device != gpu::Device::Cpu);
        assert_eq!(properties.uuid.is_some(), device != gpu::Device::Cpu);
        device.synchronize();
    }
}

#[test]
fn devices_that_do_not_exist() {
    for error in [
        gpu::Device::new(1000).unwrap_err(),
        gpu::try_set_device(gpu::Device::Cuda(1000)).unwrap_err(),
        gpu::zeros::<f64>(2).try_to_device(gpu::Device::Cuda(1000)).unwrap_err(),
    ] {
        assert!(matches!(error, Error::DeviceUnavailable { .. }), "{error}");
    }
    let text = panic_text(|| gpu::Device::Cuda(1000).with(|| unreachable!("there is no such device")));
    assert!(text.starts_with("cuda:1000 cannot be used: "), "{text}");
}

#[test]
fn the_current_device_is_that_of_the_innermost_scope() {
    let outside = gpu::device();
    gpu::Device::Cpu.with(|| {
        assert_eq!(gpu::device(), gpu::Device::Cpu);
        assert_eq!(gpu::zeros::<u8>(1).device(), gpu::Device::Cpu);
        // An operation runs where its arrays are.
        let elsewhere = gpu::devices()[0].with(|| gpu::ones::<f64>(3));
        assert_eq!((&elsewhere * 2.0).device(), elsewhere.device());
        assert_eq!(std::thread::spawn(gpu::device).join().unwrap(), outside);
    });
    panic_text(|| gpu::Device::Cpu.with(|| panic!("on purpose")));
    assert_eq!(gpu::device(), outside);
}

#[test]
fn copies_to_devices_are_copies() {
    let a = gpu::arange(6).reshape((2, 3));
    for device in [gpu::Device::Cpu, gpu::device(), *gpu::devices().last().unwrap()] {
        for source in [a.clone(), a.t(), a.slice(s![.., 1..]), a.slice(s![0..0, ..])] {
            let mut copy = source.to_device(device);
            assert_eq!((copy.device(), copy.to_host()), (device, source.to_host()));
            assert_eq!(copy.to_device(gpu::Device::Cpu).to_host(), source.to_host());
            if copy.size() > 0 {
                copy.fill(-1);
                assert!(source.to_host().iter().all(|&element| element >= 0), "the source stays as it was");
            }
        }
    }
}

#[test]
fn arrays_of_two_devices_do_not_mix() {
    let (here, there) = (gpu::devices()[0], gpu::Device::Cpu);
    if here == there {
        return;
    }
    let a = here.with(|| gpu::arange(4i64));
    let b = there.with(|| gpu::arange(4i64));
    let mask = there.with(|| gpu::arange(4i64)).gt(1);
    let is_mismatch = |error: Error| matches!(error, Error::DeviceMismatch { .. });
    assert!(is_mismatch(a.try_add(&b).unwrap_err()));
    assert!(is_mismatch(gpu::try_concatenate([&a, &b], 0).unwrap_err()));
    assert!(is_mismatch(gpu::try_where(&mask, &a, &a).unwrap_err()));
    assert!(is_mismatch(a.clone().try_assign(&b).unwrap_err()));
    for work in [
        Box::new(|| ignore(a.take(&b))) as Box<dyn Fn()>,
        Box::new(|| ignore(a.extract(&mask))),
        Box::new(|| ignore(gpu::searchsorted(&a, &b, gpu::Side::Left))),
        Box::new(|| ignore(gpu::bincount_weighted(&a, &b.astype::<f64>(), 0))),
        Box::new(|| ignore(gpu::convolve(&a, &b, Mode::Full))),
    ] {
        let text = panic_text(work);
        assert!(text.contains("one array is on") && text.contains("`to_device`"), "{text}");
    }
}

#[test]
fn streams_are_entered_and_left() {
    let first = gpu::current_stream();
    let (one, other) = (gpu::Stream::new(), gpu::Stream::new());
    assert!(one != first && other != first && one == one.clone());
    assert_eq!(format!("{first:?}"), format!("Stream 0 of {}", gpu::device()));
    let sum = one.with(|| {
        assert_eq!(gpu::current_stream(), one);
        other.with(|| assert_eq!(gpu::current_stream(), other));
        assert_eq!(gpu::current_stream(), one);
        assert_eq!(std::thread::spawn(gpu::current_stream).join().unwrap(), first, "threads have their own");
        gpu::arange(10i64).sum()
    });
    assert_eq!(sum, 45);
    panic_text(|| one.with(|| panic!("on purpose")));
    assert_eq!(gpu::current_stream(), first);
    one.synchronize();
    assert!(one.is_done());
    // A stream brings its device along.
    let here = gpu::device();
    gpu::Device::Cpu.with(|| one.with(|| assert_eq!(gpu::device(), here)));
}

#[test]
fn arrays_go_from_stream_to_stream_without_ceremony() {
    let streams: Vec<gpu::Stream> = (0..5).map(|_| gpu::Stream::new()).collect();
    let mut x = gpu::zeros::<f64>(100_000);
    for round in 0..200 {
        let stream = &streams[round * 7 % streams.len()];
        stream.with(|| {
            let more = &x + 1.0;
            x = more;
        });
        if round % 10 == 0 {
            x += 1.0; // in the device's own stream
        }
    }
    assert_eq!((x.min(), x.max()), (220.0, 220.0));
}

#[test]
fn many_streams_share_what_there_is() {
    let streams: Vec<gpu::Stream> = (0..100).map(|_| gpu::Stream::new()).collect();
    let parts: Vec<DeviceArray<i64>> =
        streams.iter().enumerate().map(|(number, stream)| stream.with(|| gpu::full(10, number as i64))).collect();
    drop(streams);
    assert_eq!(gpu::concatenate(&parts, 0).sum(), 49_500);
}

#[test]
fn events_mark_and_measure() {
    let stream = gpu::Stream::new();
    let (start, end) = (stream.record(), gpu::Event::new());
    let x = stream.with(|| gpu::random::random(1 << 20).sqrt());
    end.record(&stream);
    end.synchronize();
    assert!(end.is_done() && start.is_done());
    let seconds = end.elapsed_since(&start);
    assert!((0.0..10.0).contains(&seconds), "{seconds}");
    assert!(start.elapsed_since(&end) <= 0.0);
    gpu::current_stream().wait(&end);
    assert!(x.max() < 1.0);
    end.record(&gpu::current_stream()); // it moves
    end.synchronize();
}

#[test]
fn events_that_were_never_recorded() {
    let (event, stream) = (gpu::Event::new(), gpu::current_stream());
    let text = panic_text(|| event.synchronize());
    expect![
        "Event::synchronize: the event was never recorded; put it into a stream first, with `event.record(&stream)`"
    ]
    .assert_eq(&text);
    for work in [
        Box::new(|| ignore(event.is_done())) as Box<dyn Fn()>,
        Box::new(|| stream.wait(&event)),
        Box::new(|| ignore(event.elapsed_since(&stream.record()))),
        Box::new(|| ignore(stream.record().elapsed_since(&event))),
    ] {
        assert!(panic_text(work).contains("was never recorded"));
    }
    if gpu::device() != gpu::Device::Cpu {
        let other = gpu::Device::Cpu.with(|| gpu::Stream::new().record());
        let error = other.try_elapsed_since(&stream.record()).unwrap_err();
        assert!(error.to_string().contains("record both in streams of one device"), "{error}");
        stream.wait(&other);
    }
}

#[test]
fn a_graph_does_again_what_was_captured() {
    let mut x = gpu::arange(1000.0f32);
    let total = gpu::zeros::<f32>(1000);
    let mut runs = 0;
    let graph = gpu::Graph::capture(|| {
        runs += 1;
        let mut sum = total.clone();
        sum += &x; // adds to `total`
        let y = &x * 2.0f32;
        (&y + 1.0) * 2.0 - &y * 2.0
    });
    assert_eq!((runs, graph.operations() > 4, graph.device()), (1, true, gpu::device()));
    assert_eq!(total.max(), 0.0, "nothing has run yet");
    for launches in 1..4u8 {
        assert!(graph.launch().eq(2.0).all());
        assert_eq!(total.get(&[999]), 999.0 * f32::from(launches));
    }
    x.fill(4.0);
    graph.launch();
    assert_eq!(total.get(&[999]), 999.0 * 3.0 + 4.0, "it sees what the array holds now");
    // The arrays may be dropped: the graph keeps what it needs.
    drop((x, total));
    let _others: Vec<DeviceArray<f32>> = (0..10).map(|_| gpu::full(1000, 7.0)).collect();
    assert_eq!(graph.launch().get(&[3]), 2.0);
    assert_eq!(format!("{graph:?}"), format!("Graph of {} operations on {}", graph.operations(), gpu::device()));
}

#[test]
fn graphs_hold_operations_of_all_kinds() {
    let x = gpu::array(&[[3.0, 1.0, 2.0], [9.0, 7.0, 8.0]]);
    let edges = gpu::array(&[0.0, 2.5, 10.0]);
    let work = || {
        let kernel = gpu::full(3, 0.5);
        let sorted = gpu::sort(&x);
        (
            gpu::where_(&x.gt(2.5), &x, 0.0).sum_axis(1),
            sorted.cumsum_axis(-1),
            gpu::argsort(&x),
            gpu::convolve(&x.ravel(), &kernel, Mode::Same),
            gpu::searchsorted(&edges, &x, gpu::Side::Left),
            gpu::concatenate([&x, &sorted], 0).t().copy(),
            x.argmax_axis(1),
            gpu::arange(6.0).reshape((2, 3)) * &x,
            gpu::random::Generator::new(7).uniform(0.0, 1.0, 9),
        )
    };
    let expected = work();
    let graph = gpu::Graph::capture(work);
    for _ in 0..2 {
        let found = graph.launch();
        assert!(gpu::allclose(&found.0, &expected.0) && gpu::allclose(&found.1, &expected.1));
        assert_eq!(found.2.to_host(), expected.2.to_host());
        assert!(gpu::allclose(&found.3, &expected.3));
        assert_eq!(found.4.to_host(), expected.4.to_host());
        assert_eq!(found.5.to_host(), expected.5.to_host());
        assert_eq!(found.6.to_host(), expected.6.to_host());
        assert_eq!(found.7.to_host(), expected.7.to_host());
        assert_eq!(found.8.to_host(), expected.8.to_host());
    }
}

#[test]
fn graphs_hold_products_and_transforms() {
    let mut a = gpu::arange(12.0).reshape((3, 4));
    let graph = gpu::Graph::capture(|| (gpu::matmul(&a, &a.t()), gpu::fft::rfft(&a), gpu::inner(&a, &a)));
    for _ in 0..2 {
        a += 1.0;
        let (product, spectrum, inner) = graph.launch();
        assert!(gpu::allclose(product, &gpu::matmul(&a, &a.t())) && gpu::allclose(inner, product));
        assert!(gpu::allclose(spectrum, &gpu::fft::rfft(&a)));
    }
}

#[test]
fn what_cannot_be_captured_is_named_and_leaves_all_as_it_was() {
    let x = gpu::arange(10.0);
    let (host, event) = (arr1(&[1.0, 2.0]), gpu::current_stream().record());
    let stream = gpu::current_stream();
    type Case<'a> = (&'static str, Box<dyn Fn() + 'a>);
    let cases: Vec<Case<'_>> = vec![
        ("to_host", Box::new(|| ignore(x.to_host()))),
        ("sum", Box::new(|| ignore(x.sum()))),
        ("max", Box::new(|| ignore(x.max()))),
        ("argmin", Box::new(|| ignore(x.argmin()))),
        ("get", Box::new(|| ignore(x.get(&[0])))),
        ("item", Box::new(|| ignore(x.slice(s![..1]).item()))),
        ("var", Box::new(|| ignore(x.var()))),
        ("median", Box::new(|| ignore(gpu::median(&x)))),
        ("extract", Box::new(|| ignore(x.extract(&x.gt(3.0))))),
        ("unique", Box::new(|| ignore(gpu::unique(&x)))),
        ("dot", Box::new(|| ignore(gpu::dot(&x, &x)))),
        ("inv", Box::new(|| ignore(gpu::linalg::inv(&gpu::eye::<f64>(3))))),
        ("qr", Box::new(|| ignore(gpu::linalg::qr(&gpu::eye::<f64>(3))))),
        ("asarray", Box::new(|| ignore(gpu::asarray(&host)))),
        ("array", Box::new(|| ignore(gpu::array(&[1, 2])))),
        ("synchronize", Box::new(gpu::synchronize)),
        ("Stream::synchronize", Box::new(|| stream.synchronize())),
        ("Stream::with", Box::new(|| stream.with(|| ()))),
        ("Event::record", Box::new(|| event.record(&stream))),
        ("Graph::capture", Box::new(|| ignore(gpu::Graph::capture(|| ())))),
    ];
    for (name, work) in &cases {
        let text = panic_text(|| ignore(gpu::Graph::capture(work)));
        assert!(text.starts_with(&format!("{name} cannot be captured in a graph: ")), "{name}: {text}");
        // All works again.
        assert_eq!(gpu::current_stream(), stream);
        assert_eq!((&x + 1.0).sum(), 55.0, "after {name}");
    }
    // An error that the closure handles does not end the capture.
    let graph = gpu::Graph::capture(|| {
        assert!(matches!(x.try_to_host(), Err(Error::NotCapturable { operation: "to_host", .. })));
        &x * 3.0
    });
    assert_eq!(graph.launch().sum(), 135.0);
    let outer = gpu::Graph::try_capture(|| graph.try_launch().map(|_| ()).unwrap_err()).unwrap();
    assert!(matches!(outer.launch(), Error::NotCapturable { operation: "Graph::launch", .. }));
}

#[test]
fn other_threads_work_on_while_a_graph_is_captured() {
    let x = gpu::arange(1000.0);
    let graph = gpu::Graph::capture(|| {
        let sum = std::thread::scope(|scope| scope.spawn(|| (&x * 2.0).sum()).join().unwrap());
        assert_eq!(sum, 999_000.0);
        &x + 1.0
    });
    assert_eq!(graph.launch().sum(), 500_500.0);
}

#[test]
fn graphs_are_launched_from_streams_and_threads() {
    let mut x = gpu::zeros::<i64>(10_000);
    let graph = gpu::Graph::capture(|| x += 1);
    let streams = [gpu::Stream::new(), gpu::Stream::new()];
    for round in 0..20 {
        streams[round % 2].with(|| graph.launch());
    }
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    graph.launch();
                }
            });
        }
    });
    assert_eq!((x.min(), x.max()), (60, 60));
    drop(graph);
    x += 1;
    assert_eq!(x.max(), 61);
}
