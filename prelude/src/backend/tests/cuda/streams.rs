//! Streams, graphs and copies between devices, as users call them: what overlaps must still give the right results.

use crate::backend::tests::check::Check;
use crate::backend::tests::reference::Random;
use crate::{Device, DeviceArray, Error, Graph, Stream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Work that leaves most multiprocessors idle: so many additions, 500 of which take some milliseconds.
struct Delay(Graph<DeviceArray<f32>>);

impl Delay {
    fn new(additions: usize) -> Delay {
        let x = crate::zeros::<f32>(1 << 14);
        Delay(Graph::capture(|| {
            let mut y = &x + 1.0;
            for _ in 0..additions {
                y += 1.0;
            }
            y
        }))
    }

    fn queue(&self, times: usize) {
        for _ in 0..times {
            self.0.launch();
        }
    }
}

fn streams(check: &mut Check) {
    Device::Cuda(0).with(|| {
        let delays = [Delay::new(500), Delay::new(500)];
        freed_in_one_stream_and_used_in_another(check, &delays[0]);
        ordered_without_events(check, &delays[0]);
        first_use_of_memory_in_another_stream(check, &delays[0]);
        overlap(check, &delays);
        reductions_in_two_streams(check);
        random_work(check, &delays);
        threads_with_streams(check);
        replay(check);
        memory_of_graphs(check, &delays[0]);
        capture_of_what_waits(check);
        pool(check);
    });
    between_devices(check);
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_streams() {
    Check::on_gpu(streams);
}

/// What does not depend on how long work takes, with little of it: for race checkers, which take minutes for the rest.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_races_of_streams() {
    let mut check = Check::on_first_device();
    Device::Cuda(0).with(|| {
        let delay = Delay::new(5);
        freed_in_one_stream_and_used_in_another(&mut check, &delay);
        ordered_without_events(&mut check, &delay);
        first_use_of_memory_in_another_stream(&mut check, &delay);
        reductions_in_two_streams(&mut check);
        memory_of_graphs(&mut check, &delay);
    });
    check.finish();
}

fn all<const N: usize>(array: &DeviceArray<i64>, expected: [i64; N]) -> bool {
    expected.contains(&array.min()) && expected.contains(&array.max())
}

fn freed_in_one_stream_and_used_in_another(check: &mut Check, delay: &Delay) {
    const N: usize = 1 << 20;
    for round in 0..10 {
        let (one, other) = (Stream::new(), Stream::new());
        // Freed in the stream that made it, used by another.
        let twice = one.with(|| {
            let x = crate::full(N, 1i64);
            delay.queue(2);
            &x * 2
        });
        let overwriting: Vec<_> = (0..4).map(|_| other.with(|| crate::full(N, 5i64))).collect();
        check.note(all(&twice, [2]), &|| format!("freed in its own stream, round {round}"));
        // Made in one stream, read in another, freed at once.
        let x = crate::full(N, 3i64);
        let twice = one.with(|| {
            delay.queue(2);
            &x * 2
        });
        drop(x);
        let more: Vec<_> = (0..4).map(|_| crate::full(N, 7i64)).collect();
        check.note(all(&twice, [6]), &|| format!("freed while another stream reads it, round {round}"));
        // The same with writes.
        let mut x = crate::full(N, 3i64);
        one.with(|| {
            delay.queue(2);
            x += 1;
        });
        drop(x);
        let last: Vec<_> = (0..4).map(|_| crate::full(N, 9i64)).collect();
        let right = overwriting.iter().all(|array| all(array, [5]))
            && more.iter().all(|array| all(array, [7]))
            && last.iter().all(|array| all(array, [9]));
        check.note(right, &|| format!("freed while another stream writes to it, round {round}"));
    }
}

fn ordered_without_events(check: &mut Check, delay: &Delay) {
    let (one, other) = (Stream::new(), Stream::new());
    let mut x = one.with(|| {
        delay.queue(2);
        crate::full(1 << 18, 1i64)
    });
    let y = &x + 1; // behind the write in `one`
    other.with(|| {
        delay.queue(2);
        x += 10; // behind the read
    });
    let z = one.with(|| &x * 2); // behind the write in `other`
    let mut host = other.with(|| {
        delay.queue(2);
        &z + &y
    });
    host -= 1;
    check.note(all(&y, [2]), &|| "a read waits for a write of another stream".into());
    check.note(all(&x, [11]), &|| "a write waits for reads of another stream".into());
    check.note(all(&z, [22]) && all(&host, [23]), &|| "and so on".into());
    let (event, late) = (crate::Event::new(), Stream::new());
    one.with(|| delay.queue(4));
    event.record(&one);
    late.wait(&event);
    let after = late.record();
    check.note(!late.is_done(), &|| "a stream waits for an event, the host does not".into());
    after.synchronize();
    check.note(event.is_done() && one.is_done() && late.is_done(), &|| "the event is done first".into());
    let seconds = after.elapsed_since(&event);
    check.note((0.0..1.0).contains(&seconds), &|| format!("{seconds} s between events of two streams"));
}

/// Memory comes from the pool of the stream that asks for it, and may be used in another one first.
fn first_use_of_memory_in_another_stream(check: &mut Check, delay: &Delay) {
    const N: usize = 3 << 18;
    let (one, other) = (Stream::new(), Stream::new());
    for round in 0..5 {
        let (empty, doubled) = one.with(|| {
            let old = crate::full(N, 4i64);
            delay.queue(2);
            let doubled = &old * 2;
            drop(old);
            (crate::empty::<i64>(N), doubled) // most likely the memory of `old`
        });
        other.with(|| {
            let mut empty = empty.clone();
            empty.fill(-1);
        });
        check.note(all(&doubled, [8]) && all(&empty, [-1]), &|| format!("first use in another stream, round {round}"));
    }
}

fn overlap(check: &mut Check, delays: &[Delay; 2]) {
    let (one, other) = (Stream::new(), Stream::new());
    let time = |work: &dyn Fn()| {
        let times = (0..4).map(|_| {
            crate::synchronize();
            let start = Instant::now();
            work();
            crate::synchronize();
            start.elapsed().as_secs_f64()
        });
        times.fold(f64::INFINITY, f64::min)
    };
    let alone = time(&|| one.with(|| delays[0].queue(20)));
    let serial = time(&|| one.with(|| delays.iter().for_each(|delay| delay.queue(20))));
    let both = time(&|| {
        for _ in 0..20 {
            one.with(|| delays[0].queue(1));
            other.with(|| delays[1].queue(1));
        }
    });
    println!("two streams: {:.2} ms and {:.2} ms in a row, {:.2} ms together", alone * 1e3, serial * 1e3, both * 1e3);
    check.note(both < 0.75 * serial, &|| format!("{both} s together, {serial} s in a row"));
    // A transfer, and work on it, while another stream is busy.
    let host = ndarray::Array1::<f32>::ones(1 << 20);
    // The driver may wait for all work when it loads a kernel or finds memory: not here.
    other.with(|| crate::asarray(&host).sum());
    crate::synchronize();
    one.with(|| delays[0].queue(40));
    let sum = other.with(|| crate::asarray(&host).sum());
    let was_busy = !one.is_done();
    check
        .note(was_busy && sum == (1 << 20) as f32, &|| format!("a stream does not wait for another: {was_busy} {sum}"));
    crate::synchronize();
    check.note(one.is_done() && other.is_done(), &|| "synchronize waits for all streams".into());
}

/// The reduction of a whole array keeps some memory between launches.
fn reductions_in_two_streams(check: &mut Check) {
    let x = crate::ones::<f64>(1 << 22);
    let streams: Vec<Stream> = (0..4).map(|_| Stream::new()).collect();
    let sums: Vec<_> = (0..200).map(|turn| streams[turn % 4].with(|| x.sum_axis(0))).collect();
    let right = sums.iter().all(|sum| sum.item() == f64::from(1 << 22));
    check.note(right, &|| "reductions in four streams at once".into());
}

/// Work on arrays of one value each, in streams and at sizes as they come, against the same on the host.
fn random_work(check: &mut Check, delays: &[Delay; 2]) {
    for seed in 0..6 {
        let mut random = Random::new(seed);
        let mut next = |below: usize| (random.next() % below as u64) as usize;
        let streams: Vec<Stream> = (0..5).map(|_| Stream::new()).collect();
        let mut slots: Vec<(DeviceArray<i64>, i64)> =
            (0..8).map(|slot| (crate::full(1 + next(1 << 19), slot), slot)).collect();
        for turn in 0..600 {
            let (stream, from, to) = (&streams[next(5)], next(8), next(8));
            let (kind, size) = (next(12), 1 + next(1 << 19));
            stream.with(|| match kind {
                0 => delays[turn % 2].queue(1),
                1 => slots[to] = (crate::full(size, turn as i64), turn as i64),
                2..5 => {
                    slots[to].0 += 3;
                    slots[to].1 = slots[to].1.wrapping_add(3);
                }
                5 => {
                    let value = slots[from].1;
                    slots[to].0.fill(value);
                    slots[to].1 = value;
                }
                6 => slots[to] = (slots[from].0.copy(), slots[from].1),
                7 => {
                    let sum = slots[from].0.sum_axis(0);
                    let size = slots[from].0.size() as i64;
                    slots[to] = (sum.reshape(1), slots[from].1.wrapping_mul(size));
                }
                _ => slots[to] = (&slots[from].0 - 7, slots[from].1.wrapping_sub(7)),
            });
            if next(50) == 0 {
                crate::memory_pool().free_all_blocks();
            }
        }
        for (array, value) in &slots {
            check.note(all(array, [*value]), &|| format!("random work {seed}: {value}, {} elements", array.size()));
        }
    }
}

fn threads_with_streams(check: &mut Check) {
    let shared = crate::full(100_003, 5i64);
    let one = Stream::new();
    let results: Vec<bool> = std::thread::scope(|scope| {
        let running: Vec<_> = (0..8i64)
            .map(|thread| {
                let (shared, one) = (&shared, &one);
                scope.spawn(move || {
                    Device::Cuda(0).with(|| {
                        let own = Stream::new();
                        (0..100).all(|turn| {
                            let stream = if turn % 3 == 0 { one } else { &own };
                            let a = stream.with(|| shared * thread);
                            let b = own.with(|| &a + turn);
                            all(&b, [5 * thread + turn])
                        })
                    })
                })
            })
            .collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    check.note(results.iter().all(|&right| right), &|| format!("threads with streams: {results:?}"));
}

fn replay(check: &mut Check) {
    let mut x = crate::arange(100_000i64);
    let work = |x: &DeviceArray<i64>| {
        let mut y = x.copy();
        for step in 0..50 {
            y += 1;
            y = &y * 3 - x + step;
        }
        (y.sum_axis(0), crate::sort(&y), y)
    };
    let graph = Graph::capture(|| work(&x));
    println!("{graph:?}");
    for round in 0..5 {
        x += round;
        let expected = work(&x);
        let found = graph.launch();
        // What is made meanwhile must not be the graph's memory.
        let others: Vec<_> = (0..20).map(|_| crate::full(100_000, -1i64)).collect();
        let right = found.0.item() == expected.0.item()
            && found.1.to_host() == expected.1.to_host()
            && found.2.to_host() == expected.2.to_host()
            && others.iter().all(|other| all(other, [-1]));
        check.note(right, &|| format!("replay {round}"));
    }
    // Launches in several streams follow one another, and wait for others that use the arrays.
    let counter = crate::zeros::<i64>(1 << 16);
    let graph = Graph::capture(|| {
        let mut counter = counter.clone();
        counter += 1;
    });
    let streams = [Stream::new(), Stream::new(), Stream::new()];
    for turn in 0..300 {
        streams[turn % 3].with(|| graph.launch());
        if turn % 50 == 0 {
            let mut counter = counter.clone();
            counter += 1;
        }
    }
    check.note(all(&counter, [306]), &|| format!("launches in three streams: {}", counter.max()));
}

fn memory_of_graphs(check: &mut Check, delay: &Delay) {
    const N: usize = 1 << 18;
    let pool = crate::memory_pool();
    crate::synchronize();
    let before = pool.used_bytes();
    let graph = {
        let a = crate::full(N, 2i64);
        let graph = Graph::capture(|| (&a * 3 + 1) - &a);
        drop(a);
        graph
    };
    check.note(pool.used_bytes() >= before + 3 * N * 8, &|| "a graph keeps the memory that it uses".into());
    let others: Vec<_> = (0..10).map(|_| crate::full(N, 100i64)).collect();
    check.note(all(graph.launch(), [5]), &|| "arrays of a graph that were dropped".into());
    check.note(others.iter().all(|other| all(other, [100])), &|| "a graph writes to its own memory only".into());
    drop(others);
    // Dropped while it runs.
    let stream = Stream::new();
    let result = stream.with(|| {
        delay.queue(2);
        graph.launch().clone()
    });
    drop(graph);
    let others: Vec<_> = (0..10).map(|_| crate::full(N, 100i64)).collect();
    let right = all(&result, [5]) && others.iter().all(|other| all(other, [100]));
    check.note(right, &|| "a graph that is dropped while it runs".into());
    drop((others, result));
    check.note(pool.used_bytes() == before, &|| format!("{} bytes, {before} before", pool.used_bytes()));
}

fn capture_of_what_waits(check: &mut Check) {
    let x = crate::arange(1000i64);
    let stream = crate::current_stream();
    let panic = catch_unwind(AssertUnwindSafe(|| {
        drop(Graph::capture(|| {
            let y = &x + 1;
            y.sum()
        }));
    }));
    let text = panic.err().and_then(|panic| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    check.note(text.starts_with("sum cannot be captured in a graph"), &|| format!("the panic: {text}"));
    let handled = Graph::try_capture(|| (x.try_to_host().err(), crate::try_synchronize().err(), &x * 2));
    let right = handled.is_ok_and(|graph| {
        let (host, synchronize, doubled) = graph.launch();
        matches!(host, Some(Error::NotCapturable { operation: "to_host", .. }))
            && matches!(synchronize, Some(Error::NotCapturable { operation: "synchronize", .. }))
            && doubled.sum() == 999_000
    });
    check.note(right, &|| "errors that the closure handles".into());
    let right = crate::current_stream() == stream && (&x + 1).sum() == 500_500;
    check.note(right, &|| "all works after a capture that failed".into());
    check.note(crate::try_synchronize().is_ok(), &|| "no error is left".into());
}

fn pool(check: &mut Check) {
    let pool = crate::memory_pool();
    crate::synchronize();
    let before = pool.used_bytes();
    let streams: Vec<Stream> = (0..6).map(|_| Stream::new()).collect();
    let arrays: Vec<_> = streams.iter().map(|stream| stream.with(|| crate::ones::<f32>(1 << 20))).collect();
    let total: Vec<_> = streams.iter().map(|stream| stream.with(|| &arrays[0] + &arrays[5])).collect();
    drop((arrays, total));
    check.note(pool.used_bytes() == before, &|| "what other streams still use is not in use".into());
    pool.free_all_blocks();
    let held = pool.total_bytes();
    // What one stream is done with, another may have.
    streams[0].with(|| drop(crate::ones::<f32>(8 << 20)));
    crate::synchronize();
    let grown = pool.total_bytes();
    streams[1].with(|| drop(crate::ones::<f32>(8 << 20)));
    check.note(grown > held && pool.total_bytes() == grown, &|| "a segment is handed on".into());
    crate::synchronize();
    pool.free_all_blocks();
    check.note(pool.total_bytes() <= held, &|| format!("{} bytes held, {held} before", pool.total_bytes()));
}

fn between_devices(check: &mut Check) {
    match crate::devices()[..] {
        [first, second, ..] => between(check, first, second),
        _ => println!("one device: copies between two are not checked"),
    }
}

fn between(check: &mut Check, first: Device, second: Device) {
    println!("{:?}\n{:?}", first.properties(), second.properties());
    let delay = first.with(|| Delay::new(500));
    for (round, size) in [1usize, 1000, 1 << 20, 8 << 20].into_iter().enumerate() {
        let mut a = first.with(|| crate::full(size, 1i64));
        first.with(|| {
            delay.queue(2);
            a += 1; // behind the delay
        });
        let b = a.to_device(second); // behind that
        a.fill(9); // behind the copy
        check.note(b.device() == second && all(&b, [2]), &|| format!("copy {round} waits for the source"));
        let back = (&b + 5).to_device(first);
        drop(b);
        let overwriting: Vec<_> = (0..3).map(|_| second.with(|| crate::full(size, 77i64))).collect();
        check.note(all(&back, [7]) && all(&a, [9]), &|| format!("copy {round} back"));
        check.note(overwriting.iter().all(|array| all(array, [77])), &|| "memory freed behind a copy".into());
        // In a stream of each.
        let streams = [first.with(Stream::new), second.with(Stream::new)];
        let c = streams[0].with(|| {
            delay.queue(2);
            &a + 1
        });
        let d = streams[1].with(|| c.to_device(second) * 2);
        drop(c);
        let overwriting: Vec<_> = (0..3).map(|_| first.with(|| crate::full(size, 55i64))).collect();
        check.note(all(&d, [20]), &|| format!("copy {round} from stream to stream"));
        check.note(overwriting.iter().all(|array| all(array, [55])), &|| "memory freed behind it".into());
    }
    let (a, b) = (first.with(|| crate::arange(3i64)), second.with(|| crate::arange(3i64)));
    let mismatch = matches!(a.try_add(&b), Err(Error::DeviceMismatch { .. }));
    check.note(mismatch, &|| "arrays of two devices do not mix".into());
    let large = first.with(|| crate::ones::<f32>(64 << 20));
    let start = Instant::now();
    for _ in 0..10 {
        drop(large.to_device(second));
    }
    second.synchronize();
    println!("{first} to {second}: {:.1} GB/s", 10.0 * 0.268_435_456 / start.elapsed().as_secs_f64());
}
