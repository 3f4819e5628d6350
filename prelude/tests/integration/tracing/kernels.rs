//! Steps of small kernels: order, variables, faults and limits.

#![allow(clippy::manual_is_multiple_of, reason = "kernels are written as their readers write them")]

use super::replayed;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::{Error, LaunchConfig, Trace};

/// The steps of the first recorded block: warp, line within the kernel, and lanes.
fn steps(trace: &Trace) -> Vec<(i64, i64, u64)> {
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    let first = json["source"]["first"].as_i64().unwrap();
    let steps = json["blocks"][0]["steps"].as_array().unwrap();
    steps
        .iter()
        .map(|step| (step[0].as_i64().unwrap(), step[1].as_i64().unwrap() - first, step[2].as_u64().unwrap()))
        .collect()
}

#[kernel]
fn uneven(mut out: ViewMut<i32>) {
    let i = thread_idx().x;
    let mut sum = 0;
    for k in 0..i {
        sum += k as i32;
    }
    if i == 1 {
        sum = -sum;
    } else {
        sum += 1;
    }
    out[i] = sum;
}

#[test]
fn lanes_meet_again_as_early_as_they_can() {
    let mut out = gpu::zeros::<i32>(3);
    let trace = gpu::launch_traced(uneven, 1, 3, &mut out);
    assert_eq!(out.to_host().into_raw_vec_and_offset().0, [1, 0, 2]);
    let expected = [
        (0, 0, 0b111),
        (0, 1, 0b111),
        (0, 2, 0b111),
        // The passes of the loop; lane 0 makes none.
        (0, 3, 0b110),
        (0, 4, 0b110),
        (0, 3, 0b100),
        (0, 4, 0b100),
        // All meet behind it, and take the two ways of the branch in turn.
        (0, 6, 0b111),
        (0, 7, 0b010),
        (0, 9, 0b101),
        (0, 11, 0b111),
        (0, 12, 0b111),
    ];
    assert_eq!(steps(&trace), expected);
    let played = replayed(&trace);
    assert_eq!(played.array("out"), ["1", "0", "2"]);
    assert_eq!(played.locals, ["i", "k", "sum"]);
}

#[kernel]
fn shadows(x: f32, mut out: ViewMut<f32>) {
    let y = x + 1.0;
    {
        let y = y * 2.0;
        out[0] = y;
    }
    let z = match out.len() {
        0 => 0.0,
        n => n as f32 + y,
    };
    let mut i = 0;
    while i < 2 {
        i += 1;
    }
    out[1] += z;
}

#[test]
fn variables_come_and_go() {
    let mut out = gpu::zeros::<f32>(2);
    let trace = gpu::launch_traced(shadows, 1, 1, (0.5, &mut out));
    assert_eq!(out.to_host().into_raw_vec_and_offset().0, [3.0, 3.5]);
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    let text = |id: &Value| id.as_u64().map_or("", |id| json["texts"][id as usize].as_str().unwrap()).to_owned();
    let first = json["source"]["first"].as_i64().unwrap();
    let mut told = Vec::new();
    for step in json["blocks"][0]["steps"].as_array().unwrap() {
        for effect in &step.as_array().unwrap()[3..] {
            let line = step[1].as_i64().unwrap() - first;
            match effect[0].as_str().unwrap() {
                "L" => told.push(format!("{line} {} = {}", text(&effect[1]), text(&effect[2][0]))),
                "D" => told.push(format!("{line} {} ends", text(&effect[1]))),
                "R" | "W" => told.push(format!("{line} {} {}", effect[0].as_str().unwrap(), text(&effect[3][0]))),
                _ => {}
            }
        }
    }
    let expected = [
        "0 x = 0.5",
        "1 y = 1.5",
        "3 y = 3",
        "4 W 3",
        "6 y ends",
        "6 y = 1.5",
        "6 n = 2",
        "8 z = 3.5",
        "10 n ends",
        "10 i = 0",
        "12 i = 1",
        "12 i = 2",
        "14 R 0",
        "14 W 3.5",
    ];
    assert_eq!(told, expected);
}

#[kernel]
fn all_race(mut out: ViewMut<i32>) {
    let i = global_idx().x;
    out[0] = i as i32;
}

#[kernel]
fn later_block_fails(mut out: ViewMut<i32>) {
    let i = global_idx().x;
    out[i] = 1;
}

#[test]
fn the_block_that_fails_is_there() {
    let mut out = gpu::zeros::<i32>(1);
    let trace = gpu::launch_traced(all_race, 1, 64, &mut out);
    let error = trace.error().expect("a race").to_string();
    assert!(error.contains("two threads race for `out[0]`"), "{error}");
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    assert_eq!(json["fault"]["kind"], "race");
    assert_eq!(json["fault"]["threads"], serde_json::json!([1, 0]));

    // The ninth block of 20 is none of those that are recorded without need.
    let mut out = gpu::zeros::<i32>(8 * 32 + 5);
    let trace = gpu::launch_traced(later_block_fails, 20, 32, &mut out);
    assert_eq!(trace.recorded_blocks(), [0, 8]);
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    assert_eq!((&json["fault"]["kind"], &json["fault"]["block"]), (&Value::from("out of bounds"), &Value::from(1)));
    assert_eq!(json["fault"]["threads"], serde_json::json!([5]));
    let step = json["fault"]["step"].as_u64().unwrap() as usize;
    assert_eq!(json["blocks"][1]["steps"][step][3][0], "F");
    assert!(format!("{trace:?}").contains("used the index 261 along axis 0 of `out`"), "{trace:?}");
}

#[kernel]
fn long(mut out: ViewMut<u64>) {
    let mut sum = 0u64;
    for k in 0..10_000u64 {
        sum += k;
    }
    out[global_idx().x] = sum;
}

#[test]
fn what_the_size_of_a_launch_means_is_told() {
    let mut out = gpu::zeros::<u64>(64);
    let said = |trace: &Trace| format!("{trace:?}");
    let config = LaunchConfig::new(2, 32).trace_events(100);
    let told = said(&gpu::launch_traced_with(config.clone().trace_blocks([7]), long, &mut out));
    assert!(
        told.contains("There is no block 7, as `trace_blocks` has it: the blocks have the numbers 0 to 1."),
        "{told}"
    );
    let told = said(&gpu::launch_traced_with(config.clone().trace_blocks([9, 1, 2]), long, &mut out));
    assert!(told.contains("There is no block 9 and 1 more, "), "{told}");
    let told = said(&gpu::launch_traced_with(config.trace_blocks([0, 1]), long, &mut out));
    assert!(!told.contains("There is no block") && !told.contains("idle"), "{told}");
    let of = |grid: usize, block: usize| {
        said(&gpu::launch_traced_with(
            LaunchConfig::new(grid, block).trace_events(100),
            long,
            &mut gpu::zeros::<u64>(96),
        ))
    };
    assert!(of(1, 1).contains("A block of 1 thread leaves 31 of the 32 lanes of its warp idle; "));
    assert!(of(2, 40).contains("A block of 40 threads leaves 24 of the 64 lanes of its warps idle; "));
    // A quarter is no matter, and one block may have no more work.
    assert!(!of(2, 48).contains("idle") && !of(1, 6).contains("idle"));
}

#[kernel]
fn scattered(a: View<f32>, mut out: ViewMut<f32>) {
    let i = thread_idx().x;
    if i < 5 {
        out[i] = 0.0;
    }
    let far = a[i * 16];
    out[i] = far;
}

/// The picture that is seen where no scripts run.
fn picture(trace: &Trace) -> String {
    let html = trace.html();
    let (_, rest) = html.split_once("data:image/svg+xml;base64,").expect("a picture");
    String::from_utf8(STANDARD.decode(rest.split_once('"').unwrap().0).unwrap()).unwrap()
}

#[test]
fn the_picture_is_of_the_most_telling_moment() {
    let (a, mut out) = (gpu::ones::<f32>(1024), gpu::zeros::<f32>(64));
    let trace = gpu::launch_traced(scattered, 1, 64, (&a, &mut out));
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    // Not where five lanes write, but where 64 sectors are read.
    let first = json["source"]["first"].as_u64().unwrap();
    let svg = picture(&trace);
    assert!(svg.contains(&format!("scattered, block (0), line {}<", first + 5)), "{svg}");
    // At a fault it is the fault.
    let mut out = gpu::zeros::<f32>((64, 64));
    let trace = gpu::launch_traced(beyond_the_row, (1, 2), (8, 8), &mut out);
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    let first = json["source"]["first"].as_u64().unwrap();
    assert!(picture(&trace).contains(&format!("beyond_the_row, block (0, 1), line {}<", first + 2)));
}

#[kernel]
fn beyond_the_row(mut out: ViewMut<f32>) {
    let (x, y) = (global_idx().x, global_idx().y);
    out[[y, x + 8 * y]] = 1.0;
}

#[kernel]
fn into_the_next_block(mut out: ViewMut<i32>) {
    let i = global_idx().x;
    out[i] = 1;
    if i >= 160 {
        out[i + 32] = 2;
    }
}

#[test]
fn both_blocks_of_a_race_are_recorded() {
    // Block 5 writes to what is block 6's.
    let mut out = gpu::zeros::<i32>(32 * 21);
    let trace = gpu::launch_traced(into_the_next_block, 20, 32, &mut out);
    assert_eq!(trace.recorded_blocks(), [0, 5, 6]);
    let json: Value = serde_json::from_str(&trace.json()).unwrap();
    let (fault, blocks) = (&json["fault"], &json["blocks"]);
    assert_eq!((fault["block"].as_u64(), blocks[2]["index"][0].as_u64()), (Some(2), Some(6)));
    let other = &fault["other"];
    assert_eq!((other["block"].as_u64(), other["thread"].as_u64()), (Some(1), Some(0)));
    let step = &blocks[1]["steps"][other["position"].as_u64().unwrap() as usize - 1];
    assert_eq!((step[3][0].as_str(), step[3][2][0].as_u64()), (Some("W"), Some(192)));
    // Within a block both are among its threads.
    let mut sum = gpu::zeros::<i32>(1);
    let json: Value = serde_json::from_str(&gpu::launch_traced(all_race, 1, 64, &mut sum).json()).unwrap();
    assert!(json["fault"]["other"].is_null() && json["fault"]["threads"].as_array().unwrap().len() == 2);
}

#[device]
#[derive(Clone, Copy)]
struct Particle {
    place: [f32; 2],
    speed: f32,
}

#[device]
#[derive(Clone, Copy)]
struct Pair(u8, usize);

#[kernel]
fn moves(start: Particle, mut out: ViewMut<f32>) {
    let mut particle = start;
    let pair = Pair(3, 1);
    particle.speed *= 2.0;
    particle.place[pair.1] += particle.speed;
    out[thread_idx().x] = particle.place[1];
}

#[test]
fn structs_are_shown_without_debug() {
    let mut out = gpu::zeros::<f32>(32);
    let trace = gpu::launch_traced(moves, 1, 32, (Particle { place: [1.0, 2.0], speed: 0.25 }, &mut out));
    assert_eq!(out.to_host()[[0]], 2.5);
    let played = replayed(&trace);
    assert_eq!(played.locals, ["pair", "particle", "start"]);
    for text in ["Particle { place: [1, 2], speed: 0.25 }", "Particle { place: [1, 2.5], speed: 0.5 }", "Pair(3, 1)"] {
        assert!(trace.json().contains(text), "{text}: {}", trace.json());
    }
}

#[test]
fn limits_are_kept_and_told() {
    let mut out = gpu::zeros::<u64>(64);
    let config = LaunchConfig::new(2, 32).trace_events(5000).trace_blocks([1, 7, 1]);
    let trace = gpu::launch_traced_with(config, long, &mut out);
    assert_eq!(out.to_host().into_raw_vec_and_offset().0, [49_995_000; 64]);
    assert_eq!(trace.recorded_blocks(), [1]);
    assert!(format!("{trace:?}").contains("The limit of 5000 events was met: "), "{trace:?}");
    replayed(&trace);
    let error = gpu::try_launch_traced(long, 100_000_000i64, 1024, &mut out).map(|_| ());
    assert!(error.is_ok() || matches!(error, Err(Error::InvalidArgument { .. })), "{error:?}");
}

#[kernel]
fn with_a_lock(locks: ViewMut<i32>, mut sum: ViewMut<i32>) {
    let mut is_done = false;
    while !is_done {
        if locks.atomic_compare_exchange(0, 0, 1) == 0 {
            let before = sum.atomic_load(0);
            sum.atomic_exchange(0, before + 1);
            thread_fence();
            locks.atomic_exchange(0, 0);
            is_done = true;
        }
    }
    sum[1 + thread_idx().x] = 1;
}

#[test]
fn lanes_that_wait_for_one_another_go_on() {
    let (mut locks, mut sum) = (gpu::zeros::<i32>(1), gpu::zeros::<i32>(40));
    let trace = gpu::launch_traced(with_a_lock, 1, 32, (&mut locks, &mut sum));
    assert!(trace.error().is_none(), "{:?}", trace.error());
    assert_eq!(sum.to_host()[[0]], 32);
    let played = replayed(&trace);
    assert_eq!(played.array("sum")[0], "32");
}

#[kernel]
fn blur(a: View<f32>, mut out: ViewMut<f32>) {
    let mut tile = shared_array::<f32>(258);
    let (i, t) = (global_idx().x, thread_idx().x);
    if i < a.len() {
        tile[t + 1] = a[i];
    } else {
        tile[t + 1] = 0.0;
    }
    if t == 0 {
        tile[0] = if i > 0 { a[i - 1] } else { 0.0 };
        tile[257] = if i + 256 < a.len() { a[i + 256] } else { 0.0 };
    }
    sync_threads();
    let mut sum = 0.0;
    for k in 0..3 {
        sum += tile[t + k];
    }
    if i < out.len() {
        out[i] = sum / 3.0;
    }
}

/// Writes films to the folder that WARPCELL_TRACES names; run by hand, to look at them in a browser.
#[test]
#[ignore = "writes files"]
fn films_to_look_at() {
    let Some(folder) = std::env::var_os("WARPCELL_TRACES").map(std::path::PathBuf::from) else { return };
    let keep = |name: &str, trace: &Trace| {
        std::fs::write(folder.join(format!("{name}.html")), trace.html()).unwrap();
        std::fs::write(folder.join(format!("{name}.json")), trace.json()).unwrap();
    };
    let mut out = gpu::zeros::<i32>(3);
    keep("uneven", &gpu::launch_traced(uneven, 1, 3, &mut out));
    let mut out = gpu::zeros::<i32>(1);
    keep("race", &gpu::launch_traced(all_race, 1, 64, &mut out));
    let a = gpu::arange(256.0f32 * 4.0);
    let mut out = gpu::zeros::<f32>(256 * 4);
    keep("blur", &gpu::launch_traced(blur, 4, 256, (&a, &mut out)));
}

#[kernel]
fn collatz(mut out: ViewMut<u32>) {
    let i = global_idx().x;
    let mut n = i as u64 + 1;
    let mut steps = 0;
    while n != 1 {
        n = if n & 1 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    out[i] = steps;
}

#[kernel]
fn product(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>) {
    let (x, y) = (global_idx().x, global_idx().y);
    let mut sum = 0.0;
    for k in 0..a.shape()[1] {
        sum += a[[y, k]] * b[[k, x]];
    }
    out[[y, x]] = sum;
}

/// The shortest of some runs, in milliseconds.
fn shortest(mut work: impl FnMut()) -> f64 {
    let times = (0..7).map(|_| {
        let began = std::time::Instant::now();
        work();
        began.elapsed().as_secs_f64() * 1e3
    });
    times.fold(f64::INFINITY, f64::min)
}

/// Prints what a trace costs; run by hand.
#[test]
#[ignore = "measures"]
fn what_a_trace_costs() {
    macro_rules! cost {
        ($kernel:ident, $config:expr, $blocks:expr, $arguments:expr) => {
            let checked = shortest(|| gpu::launch_with($config.checked(), $kernel, $arguments));
            let none = $config.trace_blocks([]);
            let none = shortest(|| drop(gpu::launch_traced_with(none.clone(), $kernel, $arguments)));
            let all = $config.trace_blocks(0..$blocks).trace_events(20_000_000);
            let (mut trace, mut ran) = (None, f64::INFINITY);
            let all = shortest(|| {
                let made = gpu::launch_traced_with(all.clone(), $kernel, $arguments);
                ran = ran.min(made.duration().as_secs_f64() * 1e3);
                trace = Some(made);
            });
            let mut html = 0;
            let film = shortest(|| html = trace.as_ref().unwrap().html().len());
            println!(
                "{}: checked {checked:.2} ms; no block recorded {none:.2} ms, {:.2} times; all recorded: the launch {ran:.1} ms, \
                 {:.1} times, with the report {all:.1} ms, {:.1} times; the film {html} bytes in {film:.1} ms",
                stringify!($kernel),
                none / checked,
                ran / checked,
                all / checked
            );
        };
    }
    let (a, mut out) = (gpu::arange(256.0f32 * 128.0), gpu::zeros::<f32>(256 * 128));
    cost!(blur, LaunchConfig::new(128, 256), 128, (&a, &mut out));
    let (square, mut out) = (gpu::ones::<f32>((64, 64)), gpu::zeros::<f32>((64, 64)));
    cost!(product, LaunchConfig::new((4, 4), (16, 16)), 16, (&square, &square, &mut out));
    let mut out = gpu::zeros::<u32>(4096);
    cost!(collatz, LaunchConfig::new(16, 256), 16, &mut out);
}
