//! The methods of universal functions for functions of any kind, against loops over the elements in their order.

use ndarray::{ArrayD, Axis};
use warpcell as gpu;
use warpcell::Element;
use warpcell::prelude::*;

#[vectorize]
fn later_or_earlier(x: i64, y: i64, nothing: i64) -> i64 {
    if y == nothing { x } else { y }
}

#[vectorize]
fn checked(x: i64, y: i64) -> i64 {
    assert!(y != 77_777, "77777 was met");
    x.max(y)
}

/// What a function of one pair gives for all elements along an axis, up to each, by a loop.
fn by_a_loop<T: Copy>(a: &ArrayD<T>, axis: usize, join: impl Fn(T, T) -> T) -> ArrayD<T> {
    let mut out = a.clone();
    for mut lane in out.lanes_mut(Axis(axis)) {
        for place in 1..lane.len() {
            lane[place] = join(lane[place - 1], lane[place]);
        }
    }
    out
}

/// Compares the methods for one function, of all elements, up to each, and of parts, along each axis.
fn compare_methods<T: Element + PartialEq + std::fmt::Debug>(
    a: &DeviceArray<T>,
    function: impl Fn(&DeviceArray<T>, &DeviceArray<T>) -> DeviceArray<T>,
    join: impl Fn(T, T) -> T,
) {
    let host = a.to_host();
    for axis in 0..host.ndim() {
        let length = host.len_of(Axis(axis));
        let running = by_a_loop(&host, axis, &join);
        let what = format!("{:?} along {axis}", host.shape());
        assert_eq!(gpu::ufunc::accumulate(&function, a, axis as isize).to_host(), running, "up to each, {what}");
        let last = running.index_axis(Axis(axis), length - 1);
        assert_eq!(gpu::ufunc::reduce(&function, a, axis as isize).to_host(), last, "all, {what}");
        let indices = [0, length / 3, length / 2, 1.min(length - 1), length - 1, 2 * length / 3];
        let parts: Vec<ArrayD<T>> = indices
            .iter()
            .zip(indices[1..].iter().chain([&length]))
            .map(|(&start, &end)| {
                let part = host.slice_axis(Axis(axis), (start..end.max(start + 1)).into()).to_owned();
                let last = part.len_of(Axis(axis)) - 1;
                by_a_loop(&part, axis, &join).index_axis_move(Axis(axis), last)
            })
            .collect();
        let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
        let expected = ndarray::stack(Axis(axis), &views).unwrap();
        assert_eq!(gpu::ufunc::reduceat(&function, a, &indices, axis as isize).to_host(), expected, "parts, {what}");
    }
}

/// Lengths around those at which lanes are cut, few lanes and many, and elements that do not follow one another.
fn arrays_of_words() -> Vec<DeviceArray<i64>> {
    let new = |shape: &[usize]| gpu::random::integers(-3..4i64, shape.to_vec());
    let mut arrays: Vec<_> = [15, 16, 17, 1023, 1024, 1025, 4095, 132_000, 140_001].map(|length| new(&[length])).into();
    for shape in [[3, 50_000], [50_000, 3], [64, 700], [700, 65], [513, 33], [20, 1100]] {
        arrays.push(new(&shape));
        arrays.push(new(&[shape[1], shape[0]]).t());
    }
    arrays.push(new(&[9, 40, 6]));
    arrays.push(new(&[40, 3, 1, 50]).slice(s![..;-1, .., .., ..;2]));
    arrays.push(gpu::broadcast_to(&new(&[1, 30]), (20, 30)));
    arrays
}

#[test]
fn functions_of_any_kind_combine_elements() {
    let gcd = |mut x: i64, mut y: i64| {
        while y != 0 {
            (x, y) = (y, x % y);
        }
        x.abs()
    };
    for a in arrays_of_words() {
        // Which one of two stays depends on the order.
        compare_methods(&a, |x, y| gpu::where_(&y.ne(0), y, x), |x, y| if y != 0 { y } else { x });
        compare_methods(&a, |x, y| gpu::map(later_or_earlier, (x, y, 0)), |x, y| if y != 0 { y } else { x });
        compare_methods(&a, |_, y| y.clone(), |_, y| y);
        compare_methods(&a, |x, _| x.clone(), |x, _| x);
        compare_methods(&a, |x, y| gpu::gcd(x, y), gcd);
        compare_methods(&a, |x, y| -(-x).maximum(&-y), i64::min);
        // What devices reduce by.
        compare_methods(&a, |x, y| x + y, |x, y| x.wrapping_add(y));
        compare_methods(&a, |x, y| x * y, |x, y| x.wrapping_mul(y));
        compare_methods(&a, |x, y| x & y, |x, y| x & y);
        compare_methods(&a, |x, y| x | y, |x, y| x | y);
        compare_methods(&a, |x, y| x ^ y, |x, y| x ^ y);
        compare_methods(&a, |x, y| x.maximum(y), i64::max);
    }
    let a = gpu::random::integers(-3..4i64, (200, 90));
    compare_methods(&a.astype::<i16>(), |x, y| x + y, i16::wrapping_add);
    compare_methods(&a.astype::<u8>(), |x, y| x.maximum(y), u8::max);
    compare_methods(&a.astype::<i32>(), |x, y| x * y, i32::wrapping_mul);
    compare_methods(&a.astype::<f32>(), |x, y| x.minimum(y), f32::min);
    let flags = a.gt(0);
    compare_methods(&flags, |x, y| x ^ y, |x, y| x ^ y);
    compare_methods(&flags, |x, y| x & y, |x, y| x & y);
    compare_methods(&flags, |x, y| gpu::where_(y, y, x), |x, y| x | y);
    let points = gpu::random::integers(1..9i64, (300, 2)).astype::<f64>();
    let distance = gpu::ufunc::reduce(|x, y| x.hypot(y), &points, 0);
    assert!(gpu::allclose(&distance, &(&points * &points).sum_axis(0).sqrt()));
}

#[test]
fn functions_that_do_more_than_operations_on_elements_combine_whole_arrays() {
    // Products of matrices, along the first axis.
    let turns = gpu::random::integers(-1..2i64, (40, 3, 3));
    let found = gpu::ufunc::reduce(|x, y| x.matmul(y), &turns, 0);
    let one = |index: usize| turns.slice(s![index, .., ..]);
    let expected = (1..40).fold(one(0), |product, index| product.matmul(&one(index)));
    assert_eq!(found.to_host(), expected.to_host());
    let running = gpu::ufunc::accumulate(|x, y| x.matmul(y), &turns, 0);
    assert_eq!(running.slice(s![39, .., ..]).to_host(), expected.to_host());
    // An array of its own, and an element that is read.
    let a = gpu::random::integers(0..50i64, (100, 4));
    let limits = gpu::array(&[10i64, 20, 30, 40]);
    let limited = gpu::ufunc::reduce(|x, y| x.maximum(y).minimum(&limits), &a, 0);
    assert_eq!(limited.to_host(), a.max_axis(0).minimum(&limits).to_host());
    let read =
        |x: &DeviceArray<i64>, y: &DeviceArray<i64>| if x.get(&[0, 0]) >= 0 { x.maximum(y) } else { x.minimum(y) };
    assert_eq!(gpu::ufunc::reduce(read, &a, 0).to_host(), a.max_axis(0).to_host());
    // Of one in another.
    let inner =
        |x: &DeviceArray<i64>, y: &DeviceArray<i64>| gpu::ufunc::reduce(|x, y| x + y, &gpu::stack([x, y], 0), 0);
    assert_eq!(gpu::ufunc::reduce(inner, &a, 0).to_host(), a.sum_axis(0).to_host());
    // Operations of a graph, which are noted once and done twice.
    let twice = |x: &DeviceArray<i64>, y: &DeviceArray<i64>| {
        let mut sum = x + y;
        let graph = gpu::Graph::capture(|| sum += 1);
        graph.launch();
        graph.launch();
        sum
    };
    assert_eq!(gpu::ufunc::reduce(twice, &a, 0).to_host(), (a.sum_axis(0) + 2 * 99).to_host());
    // The argument stays as it is.
    let before = a.to_host();
    gpu::ufunc::accumulate(
        |x, y| {
            let mut sum = x.copy();
            sum += y;
            sum
        },
        &a,
        0,
    );
    assert_eq!(a.to_host(), before);
    // A panic of the function is the caller's.
    let mut long = gpu::arange(200_000i64);
    let largest = |x: &DeviceArray<i64>, y: &DeviceArray<i64>| gpu::map(checked, (x, y));
    // A GPU says so when a result is read.
    let reduces = || drop(gpu::ufunc::reduce(largest, &long, 0).to_host());
    let accumulates = || drop(gpu::ufunc::accumulate(largest, &long, 0).to_host());
    let both: [&dyn Fn(); 2] = [&reduces, &accumulates];
    for fails in both {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(fails)).unwrap_err();
        let message =
            panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        let expected =
            if gpu::device() == gpu::Device::Cpu { "77777 was met" } else { "the function `checked` failed in line" };
        assert!(message.is_some_and(|message| message.contains(expected)), "{message:?}");
    }
    long.put(&[77_777], &gpu::array(&[0i64]));
    assert_eq!(gpu::ufunc::reduce(largest, &long, 0).item(), 199_999);
}

#[test]
fn functions_may_write_their_arrays_on_the_host() {
    if gpu::device() != gpu::Device::Cpu {
        return;
    }
    // Nothing is read before, so that only the view says that this is no operation on elements.
    let one_more = |x: &DeviceArray<i64>, y: &DeviceArray<i64>| {
        let mut sum = x + y;
        sum.as_host_mut().iter_mut().for_each(|element| *element += 1);
        sum
    };
    // The same behind an operation that has no notes.
    let later = |x: &DeviceArray<i64>, y: &DeviceArray<i64>| {
        let mut sum = gpu::stack([x, y], 0).sum_axis(0);
        sum.as_host_mut().iter_mut().for_each(|element| *element += 1);
        sum
    };
    // On both sides of the length from which functions are noted.
    for length in [15, 100] {
        let a = gpu::random::integers(0..50i64, length);
        let expected = a.sum() + length as i64 - 1;
        assert_eq!(gpu::ufunc::reduce(one_more, &a, 0).item(), expected, "{length} elements");
        assert_eq!(gpu::ufunc::reduce(later, &a, 0).item(), expected, "{length} elements");
        let running = a.cumsum() + gpu::arange(length as i64);
        assert_eq!(gpu::ufunc::accumulate(one_more, &a, 0).to_host(), running.to_host(), "{length} elements");
    }
}
