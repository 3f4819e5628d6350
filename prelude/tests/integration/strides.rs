//! How arrays lie in memory: views with any strides, the order of elements, shapes that broadcast.

use crate::fixtures::message;
use warpcell as gpu;
use warpcell::prelude::*;

#[test]
fn strides_count_elements_from_the_first_one() {
    let a = gpu::arange(12).reshape((3, 4));
    let windows = gpu::as_strided(&a, (2, 3, 2), (4, 1, 1));
    assert_eq!(windows.ravel().tolist(), [0, 1, 1, 2, 2, 3, 4, 5, 5, 6, 6, 7]);
    // From the first element of a view, backwards, and on the same element.
    let corner = a.slice(s![2, 3..]);
    assert_eq!(gpu::as_strided(&corner, (3, 2), (-4, -1)).ravel().tolist(), [11, 10, 7, 6, 3, 2]);
    assert_eq!(gpu::as_strided(&a, 3, 0).tolist(), [0, 0, 0]);
    // A view reaches what was not a part of the one that it was made of.
    assert_eq!(gpu::as_strided(&a.slice(s![1, ..2]), 4, 2).tolist(), [4, 6, 8, 10]);
    assert_eq!(gpu::as_strided(&a, (), [0usize; 0]).item(), 0);
    assert_eq!(gpu::as_strided(&a, (0, 5), (1000, -1000)).shape(), [0, 5]);
    let z = gpu::array(&[Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)]);
    assert_eq!(gpu::as_strided(&z.imag(), 2, 2).tolist(), [2.0, 4.0]);
    assert_eq!(gpu::as_strided(&z.real(), 4, 1).tolist(), [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn what_is_written_to_a_view_is_written_to_the_array() {
    let a = gpu::zeros::<i32>(6);
    gpu::as_strided(&a, 3, 2).fill(7);
    assert_eq!(a.tolist(), [7, 0, 7, 0, 7, 0]);
    let mut windows = gpu::as_strided(&a, (3, 2), (1, 1));
    assert!(message(|| windows.fill(1)).contains("elements in common; write to a `copy()`"));
    let mut same = gpu::as_strided(&a, 3, 0);
    assert!(message(|| same.fill(1)).contains("broadcast view"));
    assert_eq!(a.sum(), 21);
}

#[test]
fn no_view_leaves_the_memory() {
    let a = gpu::arange(6);
    let said = "as_strided: the shape [3, 2] with the strides [2, 2] reaches from element 0 to element 6 of memory that has 6 \
                elements, counted from 0; give a smaller shape or smaller strides, in elements and not in bytes";
    assert_eq!(message(|| gpu::as_strided(&a, (3, 2), (2, 2))), said);
    let part = a.slice(s![2..]);
    assert!(message(|| gpu::as_strided(&part, 2, -3)).contains("from element -1 to element 2"));
    assert!(gpu::try_as_strided(&part, 4, 1).is_ok() && gpu::try_as_strided(&part, 5, 1).is_err());
    assert!(gpu::try_as_strided(&a, 2, isize::MAX).is_err() && gpu::try_as_strided(&a, 3, isize::MIN).is_err());
    assert!(gpu::try_as_strided(&a, (usize::MAX, usize::MAX), (0, 0)).is_err());
    assert!(gpu::try_as_strided(&gpu::zeros::<f64>(0), 1, 1).is_err());
    let said = "as_strided: the shape [2] has 1 axes, but 2 strides are given, [1, 1]; give one stride for each axis";
    assert_eq!(message(|| gpu::as_strided(&a, 2, (1, 1))), said);
}

#[test]
fn the_order_of_elements_is_known() {
    let a = gpu::zeros::<f32>((2, 3));
    for (array, expected) in [
        (a.clone(), false),
        (a.t(), true),
        (gpu::asfortranarray(&a), true),
        (a.t().copy(), false),
        (a.slice(s![..1, ..]).t(), false),
        (a.slice(s![.., ..2]), false),
        (a.slice(s![.., ..;-1]).t(), false),
        (gpu::zeros::<f32>(4), false),
        (gpu::zeros::<f32>(()), false),
        (gpu::zeros::<f32>((0, 3)).t(), false),
        (gpu::zeros::<f32>((2, 3, 4)).t(), true),
    ] {
        assert_eq!(gpu::isfortran(&array), expected, "{:?} {:?}", array.shape(), array.strides());
    }
}

#[test]
fn shapes_broadcast_to_one() {
    let none: [&[usize]; 0] = [];
    assert_eq!(gpu::broadcast_shapes(none), [0usize; 0]);
    assert_eq!(gpu::broadcast_shapes([&[2, 1, 3][..], &[4, 1], &[]]), [2, 4, 3]);
    assert_eq!(gpu::broadcast_shapes([vec![0], vec![1]]), [0]);
    let said = message(|| gpu::broadcast_shapes([vec![2, 3], vec![2]]));
    assert!(said.starts_with("broadcast_shapes: ") && said.contains("[2, 3]"), "{said}");
}
