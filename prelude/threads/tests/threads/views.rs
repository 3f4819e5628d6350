//! Views: indices, shapes, strides, bounds.

use super::{Array, array, checked, ignore, kind_of, plain};
use warpcell_threads::{FailureKind, View, ViewMut, global_idx, thread_idx};

#[test]
fn views_have_shapes_and_strides() {
    let numbers: Vec<i64> = (0..24).collect();
    // SAFETY: the vector is read only, and lives longer; the strides stay within it.
    let (whole, turned, backwards) = unsafe {
        (
            View::from_raw(numbers.as_ptr(), &[2, 3, 4], &[12, 4, 1], "whole"),
            View::from_raw(numbers.as_ptr(), &[4, 3], &[1, 4], "turned"),
            View::from_raw(numbers.as_ptr().add(23), &[24], &[-1], "backwards"),
        )
    };
    assert_eq!((whole.shape(), whole.len(), whole.ndim()), (&[2, 3, 4][..], 24, 3));
    let result = plain(1, 1, &|| {
        assert_eq!(whole[[1, 2, 3]], 23);
        assert_eq!(turned[[3, 2]], 11);
        assert_eq!(backwards[0], 23);
        assert_eq!(backwards[[23]], 0);
    });
    assert_eq!(result, Ok(()));
}

#[test]
fn elements_of_all_types_are_read_and_written() {
    macro_rules! check {
        ($($type:ty: $from:expr, $to:expr;)*) => {$({
            let input = Array::of($from, &[40]);
            let mut output = Array::of($from, &[40]);
            let (a, out) = (input.view("a"), output.view_mut("out"));
            let kernel = |a: View<$type>, mut out: ViewMut<$type>| {
                let i = global_idx().x;
                assert!(a[i] == $from && out[i] == $from);
                out[i] = $to;
            };
            for run in [plain, checked] {
                output.elements.fill($from);
                assert_eq!(run(5, 8, &|| kernel(a, out)), Ok(()));
                assert!(output.elements.iter().all(|&element| element == $to));
            }
        })*};
    }
    check! {
        bool: false, true;
        u8: 7, 255;
        i32: -7, i32::MIN;
        u32: 7, u32::MAX;
        i64: -7, i64::MIN;
        u64: 7, u64::MAX;
        f32: 0.5, f32::INFINITY;
        f64: 0.25, -0.0;
    }
}

#[test]
fn views_pass_through_device_functions() {
    fn by_value(a: View<i32>, i: usize) -> i32 {
        a[i]
    }
    fn by_reference(a: &View<i32>, out: &mut ViewMut<i32>, i: usize) {
        out[i] += a[i];
    }
    let input = Array::new((0..10).collect());
    let mut output = Array::of(0, &[10]);
    let (a, out) = (input.view("a"), output.view_mut("out"));
    let kernel = |a: View<i32>, mut out: ViewMut<i32>| {
        let i = global_idx().x;
        by_reference(&a, &mut out, i);
        out[i] += by_value(a, i);
    };
    assert_eq!(plain(2, 5, &|| kernel(a, out)), Ok(()));
    assert!(output.elements.iter().enumerate().all(|(i, &sum)| sum == 2 * i as i32));
}

#[test]
fn an_index_out_of_bounds_ends_the_launch_in_every_axis() {
    let input = Array::new((0..24).collect::<Vec<i32>>()).shaped(&[2, 3, 4]);
    let a = input.view("a");
    for index in [[2, 0, 0], [0, 3, 0], [0, 0, 4], [usize::MAX, 0, 0], [0, usize::MAX / 4 + 1, 0]] {
        for run in [plain, checked] {
            let line = line!() + 1;
            let failure = run(1, 1, &|| ignore(a[index])).unwrap_err();
            let kind = FailureKind::OutOfBounds { memory: array("a"), index: index.to_vec(), shape: vec![2, 3, 4] };
            assert_eq!((failure.kind, failure.line), (kind, Some(line)));
        }
    }
}

#[test]
fn an_index_out_of_bounds_names_its_thread_and_block() {
    for run in [plain, checked] {
        let mut output = Array::of(0, &[100]);
        let out = output.view_mut("out");
        let kernel = |mut out: ViewMut<i32>| out[global_idx().x] = 1;
        let failure = run(8, 16, &|| kernel(out)).unwrap_err();
        let kind = FailureKind::OutOfBounds { memory: array("out"), index: vec![100], shape: vec![100] };
        assert_eq!((failure.kind, failure.thread, failure.block), (kind, [4, 0, 0], [6, 0, 0]));
        assert!(output.elements.iter().take(96).all(|&element| element == 1));
    }
}

#[test]
fn views_have_as_many_indices_as_axes() {
    let input = Array::of(1.5, &[4, 4]);
    let a = input.view("image");
    let kind = |index: Vec<usize>| FailureKind::WrongAxes { memory: array("image"), index, shape: vec![4, 4] };
    assert_eq!(kind_of(plain(1, 1, &|| ignore(a[2]))), kind(vec![2]));
    assert_eq!(kind_of(plain(1, 1, &|| ignore(a[[0, 0, 0]]))), kind(vec![0, 0, 0]));
}

#[test]
fn a_view_of_nothing_has_no_element() {
    for shape in [&[0][..], &[3, 0], &[0, 3, 2]] {
        let mut output = Array::of(0u8, shape);
        let out = output.view_mut("out");
        assert!(out.is_empty() && out.len() == 0);
        assert_eq!(plain(1, 32, &|| assert!(thread_idx().x >= out.len())), Ok(()));
        let result = match shape.len() {
            1 => plain(1, 1, &|| ignore(out[0])),
            2 => plain(1, 1, &|| ignore(out[[0, 0]])),
            _ => plain(1, 1, &|| ignore(out[[0, 0, 0]])),
        };
        assert!(matches!(kind_of(result), FailureKind::OutOfBounds { .. }));
    }
}

#[test]
#[should_panic(expected = "a view has one to four axes, not 5")]
fn a_view_of_five_axes_is_refused() {
    // SAFETY: nothing is accessed.
    unsafe { View::from_raw([0].as_ptr(), &[1; 5], &[0; 5], "a") };
}
