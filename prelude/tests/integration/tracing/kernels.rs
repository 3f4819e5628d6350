//! Steps of small kernels: order, variables, faults and limits.

use super::replayed;
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

/// Prints what a trace costs; run by hand.
#[test]
#[ignore = "measures"]
fn what_a_trace_costs() {
    let a = gpu::arange(256.0f32 * 128.0);
    let mut out = gpu::zeros::<f32>(256 * 128);
    let time = |work: &mut dyn FnMut()| {
        let began = std::time::Instant::now();
        work();
        began.elapsed().as_secs_f64() * 1e3
    };
    for _ in 0..5 {
        let checked = time(&mut || gpu::launch_checked(blur, 128, 256, (&a, &mut out)));
        let none = LaunchConfig::new(128, 256).trace_blocks([]);
        let none = time(&mut || drop(gpu::launch_traced_with(none.clone(), blur, (&a, &mut out))));
        let mut json = 0;
        let all = LaunchConfig::new(128, 256).trace_blocks(0..128).trace_events(20_000_000);
        let mut trace = None;
        let all = time(&mut || trace = Some(gpu::launch_traced_with(all.clone(), blur, (&a, &mut out))));
        let ran = trace.as_ref().unwrap().duration().as_secs_f64() * 1e3;
        let text = time(&mut || json = trace.as_ref().unwrap().json().len());
        println!(
            "checked {checked:.1} ms, no block {none:.1} ms, all {all:.1} ms ({ran:.1} the launch), JSON {json} bytes {text:.1} ms"
        );
    }
}
