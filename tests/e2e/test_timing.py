"""Timers, benchmarks, profiles and assertions in a notebook."""

import re


def test_a_timer_prints_steps_and_shows_them_as_table_and_bars(kernel):
    kernel.check('let mut timer = gpu::timing::Timer::new("vectors");')
    result = kernel.check('let x = timer.time("create", || gpu::ones::<f64>(100_000));\nlet y = timer.time("add", || &x + &x);')
    assert re.search(r"vectors: create took [\d.]+ .?s\n.*vectors: add took", result.stdout, re.S), result.stdout
    shown = kernel.check("timer.steps()")
    data = shown.displays[0] if shown.displays else shown.of("execute_result")[0]["data"]
    assert re.search(r"create .*\nadd ", data["text/plain"]), data["text/plain"]
    assert "<table" in data["text/html"] and "create" in data["text/html"]


def test_a_benchmark_has_both_times(kernel):
    kernel.check("use gpu::timing::benchmark;\nlet z = gpu::ones::<f32>(1000);")
    shown = kernel.check("benchmark(20, || &z + &z)").value
    assert re.search(r"mean +std +median +min +max", shown) and re.search(r"host +[\d.]+ .?s", shown), shown
    printed = kernel.check('println!("{}", benchmark(20, || &z + &z));').stdout
    assert "20 calls" in printed, printed


def test_a_profile_lists_what_was_done(kernel):
    shown = kernel.check("gpu::timing::profile(|| { let w = gpu::ones::<f32>(1000); (&w + &w).sum() })").value
    assert "add" in shown and "sum" in shown.lower(), shown


def test_assertions_say_where_arrays_differ(kernel):
    kernel.check("gpu::testing::assert_allclose(&gpu::ones::<f64>(3), &array![1.0, 1.0, 1.0]);")
    text = kernel.run("gpu::testing::assert_allclose(&array![1.0, 2.5], &array![1.0, 2.0]);").error_text
    assert "1 of 2" in text and "2.5" in text, text
