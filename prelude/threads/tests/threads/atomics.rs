//! Atomic operations, from many blocks at once.

use super::{Array, both, checked, plain};
use warpcell_threads::{AtomicElement, ViewMut, global_idx, shared_array, sync_threads, thread_idx};

const BLOCKS: usize = 200;
const THREADS: usize = 128;
const ALL: usize = BLOCKS * THREADS;

#[test]
fn additions_from_many_blocks_all_count() {
    fn counted<T: AtomicElement + From<u8>>(sum: impl Fn(&T) -> f64) {
        let mut output = Array::of(T::from(0u8), &[2]);
        let out = output.view_mut("out");
        let kernel = |out: ViewMut<T>| {
            out.atomic_add(0, T::from(3u8));
            out.atomic_sub(1, T::from(0u8));
            out.atomic_add(1, T::from(3u8));
            out.atomic_sub(1, T::from(1u8));
        };
        assert_eq!(plain(BLOCKS, THREADS, &|| kernel(out)), Ok(()));
        assert_eq!([sum(&output.elements[0]), sum(&output.elements[1])], [3.0 * ALL as f64, 2.0 * ALL as f64]);
    }
    counted::<i32>(|&sum| sum.into());
    counted::<u32>(|&sum| sum.into());
    counted::<i64>(|&sum| sum as f64);
    counted::<u64>(|&sum| sum as f64);
    counted::<f32>(|&sum| sum.into());
    counted::<f64>(|&sum| sum);
}

#[test]
fn each_old_value_is_given_once() {
    let mut counter = Array::of(0u32, &[1]);
    let mut taken = Array::of(0u8, &[ALL]);
    let (out, mine) = (counter.view_mut("counter"), taken.view_mut("taken"));
    let kernel = |counter: ViewMut<u32>, mut taken: ViewMut<u8>| {
        let ticket = counter.atomic_add(0, 1);
        taken[ticket as usize] += 1;
    };
    assert_eq!(plain(BLOCKS, THREADS, &|| kernel(out, mine)), Ok(()));
    assert!(counter.elements == [ALL as u32] && taken.elements.iter().all(|&times| times == 1));
}

#[test]
fn the_largest_and_the_smallest_win() {
    macro_rules! check {
        ($($type:ty)*) => {$({
            let mut output = Array::new(vec![<$type>::MIN, <$type>::MAX]);
            let out = output.view_mut("out");
            let kernel = |out: ViewMut<$type>| {
                let i = global_idx().x;
                let value = ((i * 7919) % ALL) as $type;
                out.atomic_max(0, value);
                out.atomic_min(1, value + 5 as $type);
            };
            assert_eq!(plain(BLOCKS, THREADS, &|| kernel(out)), Ok(()));
            assert_eq!(output.elements, [(ALL - 1) as $type, 5 as $type]);
        })*};
    }
    check!(i32 u32 i64 u64 f32 f64);
    let mut output = Array::new(vec![1.5f32, f32::NAN]);
    let out = output.view_mut("out");
    let kernel = |out: ViewMut<f32>| {
        assert_eq!(out.atomic_max(0, f32::NAN), 1.5);
        assert!(out.atomic_max(1, -2.0).is_nan() && out.atomic_min(1, f32::NAN) == -2.0);
    };
    assert_eq!(plain(1, 1, &|| kernel(out)), Ok(()));
    assert_eq!(output.elements, [1.5, -2.0]);
}

#[test]
fn bits_are_set_cleared_and_flipped() {
    macro_rules! check {
        ($($type:ty)*) => {$({
            let mut output = Array::new(vec![0 as $type, !0, 0]);
            let out = output.view_mut("out");
            let kernel = |out: ViewMut<$type>| {
                let bit = 1 << (thread_idx().x % (<$type>::BITS as usize));
                out.atomic_or(0, bit);
                out.atomic_and(1, !bit);
                out.atomic_xor(2, 5);
            };
            assert_eq!(plain(11, 129, &|| kernel(out)), Ok(()));
            assert_eq!(output.elements, [!0, 0, 5]);
        })*};
    }
    check!(i32 u32 i64 u64);
}

#[test]
fn integers_wrap() {
    let mut output = Array::new(vec![i32::MAX, i32::MIN]);
    let out = output.view_mut("out");
    let kernel = |out: ViewMut<i32>| assert_eq!((out.atomic_add(0, 1), out.atomic_sub(1, 1)), (i32::MAX, i32::MIN));
    assert_eq!(plain(1, 1, &|| kernel(out)), Ok(()));
    assert_eq!(output.elements, [i32::MIN, i32::MAX]);
}

#[test]
fn exchanges_give_what_was_there() {
    let mut output = Array::new(vec![0.0f64, -0.0, 7.0]);
    let out = output.view_mut("out");
    let kernel = |out: ViewMut<f64>| {
        assert_eq!(out.atomic_exchange(0, 2.0), 0.0);
        assert_eq!(out.atomic_load(0), 2.0);
        // By bits: -0.0 is not 0.0.
        assert_eq!(out.atomic_compare_exchange(1, 0.0, 1.0), 0.0);
        assert_eq!(out.atomic_compare_exchange(2, 7.0, 8.0), 7.0);
        assert_eq!(out.atomic_compare_exchange(2, 7.0, 9.0), 8.0);
    };
    assert_eq!(plain(1, 1, &|| kernel(out)), Ok(()));
    assert_eq!(output.elements, [2.0, -0.0, 8.0]);
    assert!(output.elements[1].is_sign_negative());
}

#[test]
fn an_addition_made_of_compare_exchange_counts_all() {
    let mut output = Array::of(0u64, &[1]);
    let out = output.view_mut("out");
    let kernel = |out: ViewMut<u64>| {
        let mut old = out.atomic_add(0, 0);
        loop {
            let found = out.atomic_compare_exchange(0, old, old + 2);
            if found == old {
                break;
            }
            old = found;
        }
    };
    assert_eq!(plain(BLOCKS, THREADS, &|| kernel(out)), Ok(()));
    assert_eq!(output.elements, [2 * ALL as u64]);
}

#[test]
fn histograms_are_counted_in_shared_memory_first() {
    let mut output = Array::of(0u32, &[16]);
    let out = output.view_mut("out");
    let kernel = |out: ViewMut<u32>| {
        let mut bins = shared_array::<u32>(16);
        let t = thread_idx().x;
        if t < 16 {
            bins[t] = 0;
        }
        sync_threads();
        bins.atomic_add(global_idx().x % 16, 1);
        sync_threads();
        if t < 16 {
            out.atomic_add(t, bins[t]);
        }
    };
    for run in [plain, checked] {
        assert_eq!(run(40, 64, &|| kernel(out)), Ok(()));
    }
    assert!(output.elements.iter().all(|&count| count == 2 * 40 * 64 / 16));
    both([2, 1, 1], [32, 1, 1], &|| kernel(out), || (), || ());
}
