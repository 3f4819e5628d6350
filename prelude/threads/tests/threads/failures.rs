//! Launches that fail: what is reported, and that the next one goes well.

use super::{Array, checked, kind_of, launch, plain};
use std::sync::atomic::{AtomicUsize, Ordering};
use warpcell_threads::{
    FailureKind, Mode, ViewMut, block_idx, global_idx, lane_id, run, shared_array, shfl_sync, sync_threads, thread_idx,
};

#[test]
fn a_panic_gives_its_message_and_line() {
    for run in [plain, checked] {
        let line = line!() + 2;
        let failure = run(4, 64, &|| {
            assert!(global_idx().x != 70, "seventy is one too many");
        });
        let failure = failure.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Panic { message: "seventy is one too many".to_owned() });
        assert_eq!((failure.line, failure.thread, failure.block), (Some(line), [6, 0, 0], [1, 0, 0]));
    }
}

#[test]
fn arithmetic_that_panics_is_reported() {
    let zero = std::hint::black_box(0);
    let line = line!() + 1;
    let failure = plain(1, 1, &|| assert_eq!(1 / zero, 0)).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Panic { message: "attempt to divide by zero".to_owned() });
    assert_eq!(failure.line, Some(line));
    let none: Option<i32> = std::hint::black_box(None);
    let failure = plain(1, 1, &|| assert_eq!(none.unwrap(), 0)).unwrap_err();
    let message = "called `Option::unwrap()` on a `None` value".to_owned();
    assert_eq!((failure.kind, failure.line), (FailureKind::Panic { message }, Some(line + 4)));
    let payload = plain(1, 1, &|| std::panic::panic_any(5)).unwrap_err();
    assert!(matches!(payload.kind, FailureKind::Panic { .. }));
    let silent = plain(1, 1, &|| std::panic::resume_unwind(Box::new("said nothing aloud"))).unwrap_err();
    assert_eq!(silent.kind, FailureKind::Panic { message: "said nothing aloud".to_owned() });
}

#[test]
fn panics_outside_of_kernels_are_printed_as_ever() {
    assert_eq!(plain(1, 1, &|| ()), Ok(()));
    let heard = std::sync::Arc::new(AtomicUsize::new(0));
    let others = std::panic::take_hook();
    let counter = heard.clone();
    // Other tests panic at the same time.
    std::panic::set_hook(Box::new(move |info| {
        counter.fetch_add(usize::from(info.payload_as_str() == Some("heard once")), Ordering::Relaxed);
        others(info);
    }));
    assert!(std::panic::catch_unwind(|| panic!("heard once")).is_err());
    assert_eq!(heard.load(Ordering::Relaxed), 1);
}

#[test]
fn the_first_block_that_fails_is_reported() {
    for _ in 0..50 {
        let mut output = Array::of(0, &[1000]);
        let out = output.view_mut("out");
        let kernel = |mut out: ViewMut<i32>| {
            let i = global_idx().x;
            if i % 100 == 57 {
                out[i + 1000] = 1;
            }
            sync_threads();
            out[i] = 1;
        };
        let failure = plain(10, 100, &|| kernel(out)).unwrap_err();
        assert_eq!((failure.thread, failure.block), ([57, 0, 0], [0, 0, 0]));
    }
}

#[test]
fn a_failure_ends_the_rest_of_the_launch() {
    let ran = AtomicUsize::new(0);
    let mut output = Array::of(0, &[10]);
    let out = output.view_mut("out");
    let kernel = |mut out: ViewMut<i32>| {
        ran.fetch_add(1, Ordering::Relaxed);
        out[10] = 1;
    };
    assert!(matches!(kind_of(plain(100_000, 64, &|| kernel(out))), FailureKind::OutOfBounds { .. }));
    assert!(ran.into_inner() < 10_000);
}

#[test]
fn threads_that_wait_are_unwound_when_another_fails() {
    struct Noted<'a>(&'a AtomicUsize);
    impl Drop for Noted<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
            // A barrier on the way out waits for nobody.
            sync_threads();
        }
    }
    for mode in [Mode::Plain, Mode::Checked] {
        let (begun, unwound) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let kernel = || {
            begun.fetch_add(1, Ordering::Relaxed);
            let _noted = Noted(&unwound);
            let t = thread_idx().x;
            if t < 32 {
                shfl_sync(u32::MAX, 1, 0);
            }
            if t % 2 == 0 || t < 64 {
                sync_threads();
            }
            assert!(t != 101);
            sync_threads();
        };
        // SAFETY: the kernel uses no memory but its own.
        let result = unsafe { run(&launch([3, 1, 1], [128, 1, 1], mode), &kernel) };
        assert!(matches!(kind_of(result), FailureKind::Panic { .. }));
        assert_eq!(begun.into_inner(), unwound.into_inner());
    }
}

#[test]
fn a_failure_after_a_barrier_ends_threads_in_all_states() {
    // Some have ended, some wait for the block, some for their warp, some are about to go on.
    let kernel = || {
        let t = thread_idx().x;
        if t < 5 {
            return;
        }
        sync_threads();
        if t < 40 {
            sync_threads();
        }
        if (64..80).contains(&t) {
            shfl_sync(0x00ff_ffff, 1, 0);
        }
        assert!(t != 90);
    };
    for _ in 0..20 {
        assert!(matches!(kind_of(plain(3, 256, &kernel)), FailureKind::Panic { .. }));
    }
    assert_eq!(plain(3, 256, &|| sync_threads()), Ok(()));
}

#[test]
fn launches_go_well_after_launches_that_failed() {
    for round in 0..100 {
        let failed = plain(4, 64, &|| {
            let mut tile = shared_array::<i32>(64);
            sync_threads();
            tile[thread_idx().x + 64 * usize::from(lane_id() == round % 32)] = 1;
        });
        assert!(matches!(kind_of(failed), FailureKind::OutOfBounds { .. }));
        let mut output = Array::of(0, &[256]);
        let out = output.view_mut("out");
        let kernel = |mut out: ViewMut<i32>| {
            let mut tile = shared_array::<i32>(64);
            let t = thread_idx().x;
            tile[t] = (block_idx().x * 64 + t) as i32;
            sync_threads();
            out[global_idx().x] = tile[63 - t];
        };
        assert_eq!(plain(4, 64, &|| kernel(out)), Ok(()));
        assert!(output.elements.iter().enumerate().all(|(i, &e)| e as usize == i / 64 * 64 + 63 - i % 64));
    }
}

#[test]
fn many_blocks_fail_at_once() {
    for block in [1, 33, 1024] {
        let kind = kind_of(plain(64, block, &|| {
            sync_threads();
            panic!("everybody");
        }));
        assert_eq!(kind, FailureKind::Panic { message: "everybody".to_owned() });
    }
}
