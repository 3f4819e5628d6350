//! Calls as Python makes them: with tensors of arrays of ours in place of NumPy's.

use super::arguments::kinds;
use super::*;
use crate::array::DeviceArray;
use crate::{Complex, arange, array, full};
use ndarray::{Array1, ArrayView2, ArrayViewMut1, s};

/// Calls with these values; gives the results, or the status with the message and the line.
fn called(function: &'static Function, given: &[Value]) -> Result<Vec<Value>, (i32, String, usize)> {
    let (kinds, results) = function.signature();
    assert_eq!(kinds.len(), given.len());
    let mut values = given.to_vec();
    values.resize((given.len() + results).max(1), Value::default());
    // SAFETY: the tests' tensors are arrays' own, and are released below.
    let status = unsafe { call(function, values.as_mut_ptr(), 0, VERSIONED, std::ptr::null()) };
    for value in &values[..given.len()] {
        if value.kind == kinds::VERSIONED_TENSOR && value.retained == 0 {
            let tensor = std::ptr::with_exposed_provenance_mut(value.word as usize);
            // A failure has put its message in the place of the first one.
            if status == 0 || !std::ptr::eq(value, &values[0]) {
                // SAFETY: the tensor was made by `tensor`, and is used no more.
                unsafe { warpcell_python_release(tensor, true) };
            }
        }
    }
    if status == 0 {
        return Ok(values[given.len()..given.len() + results].to_vec());
    }
    if let Some(first) = given.first().filter(|first| first.kind == kinds::VERSIONED_TENSOR) {
        // SAFETY: as above.
        unsafe { warpcell_python_release(std::ptr::with_exposed_provenance_mut(first.word as usize), true) };
    }
    // SAFETY: the message of a failed call.
    let text = unsafe { taken(std::ptr::with_exposed_provenance_mut(values[0].word as usize)) };
    Err((status, text, values[0].real as usize))
}

fn tensor<T: crate::Element>(array: &DeviceArray<T>) -> Value {
    let address = array.to_dlpack().into_raw().expose_provenance();
    Value { kind: kinds::VERSIONED_TENSOR, word: address as u64, ..Value::default() }
}

fn float(real: f64) -> Value {
    Value { kind: kinds::FLOAT, real, ..Value::default() }
}

fn int(value: i64) -> Value {
    Value { kind: kinds::INT, word: value as u64, ..Value::default() }
}

/// The array of a result.
fn taken_array<T: crate::Element>(value: Value) -> DeviceArray<T> {
    assert_eq!(value.kind, kinds::VERSIONED_TENSOR);
    let address = std::ptr::with_exposed_provenance_mut(value.word as usize);
    // SAFETY: the tensor is a result's.
    unsafe { DeviceArray::from_dlpack(dlpark::versioned::Dlpack::from_raw(address).unwrap()) }
}

macro_rules! plain {
    ($name:literal, ($($parameter:ident: $type:ty),*) -> $result:ty, $call:expr) => {{
        static PARAMETERS: &[ParameterKind] = &[$(<$type as Parameter>::KIND),*];
        static FUNCTION: Function = Function {
            name: $name,
            names: &[$(stringify!($parameter)),*],
            body: Body::Plain {
                parameters: PARAMETERS,
                results: <$result as Returned>::COUNT,
                call: |slots| {
                    #[allow(unused_variables)]
                    let mut slots = slots.iter_mut();
                    $(let $parameter: $type = Parameter::take(slots.next().unwrap());)*
                    let function: fn($($type),*) -> $result = $call;
                    function($($parameter),*).give()
                },
            },
        };
        &FUNCTION
    }};
}

#[test]
fn arrays_are_shared_and_results_are_theirs() {
    let f = plain!("f", (a: DeviceArray<f32>, by: f32) -> (DeviceArray<f32>, f32, DeviceArray<f32>), |a, by| {
        let sum = a.sum();
        (&a * by, sum, a.slice(s![1..]))
    });
    let a = array(&[1.0f32, 2.0, 3.0]);
    let results = called(f, &[tensor(&a), float(2.0)]).unwrap();
    assert_eq!((results[1].kind, results[1].real), (kinds::FLOAT, 6.0));
    assert_eq!(taken_array::<f32>(results[0]).tolist(), [2.0, 4.0, 6.0]);
    let mut view = taken_array::<f32>(results[2]);
    view.fill(9.0);
    assert_eq!(a.tolist(), [1.0, 9.0, 9.0], "a view of an argument is a view of the caller's elements");
}

#[test]
fn views_of_the_host_write_to_the_callers_elements() {
    let f = plain!("f", (a: ArrayView2<'_, i32>, out: ArrayViewMut1<'_, i32>, n: &mut [u8]) -> (), |a, mut out, n| {
        out.assign(&a.sum_axis(ndarray::Axis(0)));
        n[0] = a.nrows() as u8;
    });
    let a = crate::Device::Cpu.with(|| arange(6).reshape((2, 3)));
    let (out, n) = crate::Device::Cpu.with(|| (crate::zeros::<i32>(3), crate::zeros::<u8>(1)));
    called(f, &[tensor(&a.slice(s![..;-1, ..])), tensor(&out), tensor(&n)]).unwrap();
    assert_eq!((out.tolist(), n.item()), (vec![3, 5, 7], 2));
    let (kind, text, _) = called(f, &[tensor(&a), tensor(&a.slice(s![0, ..])), tensor(&n)]).unwrap_err();
    assert_eq!(kind, 2);
    assert_eq!(text, "f: a and out have elements in common, and the function writes to out; give a copy: a.copy()");
    let (_, text, _) = called(f, &[tensor(&out), tensor(&out), tensor(&n)]).unwrap_err();
    assert_eq!(text, "f: a has 1 axis, but the function takes arrays with 2; write a.reshape(…)");
}

#[test]
fn what_does_not_fit_is_said_with_the_name() {
    let f = plain!("f", (a: DeviceArray<f32>, n: u8, s: &[f64]) -> Vec<u8>, |_, n, _| vec![n]);
    let host = crate::Device::Cpu;
    let (a, s) = host.with(|| (array(&[1.0f32]), array(&[1.0f64, 2.0])));
    let fails = |given: [Value; 3], kind: i32, said: &str| {
        let (found, text, _) = called(f, &given).unwrap_err();
        assert_eq!((found, text.as_str()), (kind, said));
    };
    assert_eq!(taken_array::<u8>(called(f, &[tensor(&a), int(255), tensor(&s)]).unwrap()[0]).tolist(), [255]);
    fails(
        [tensor(&s), int(1), tensor(&s)],
        1,
        "f: a has elements of float64, but the function takes float32; write a.astype(\"float32\")",
    );
    fails(
        [tensor(&a), int(256), tensor(&s)],
        2,
        "f: n is 256, but the function takes uint8: 0 to 255; give a number in this range",
    );
    fails([tensor(&a), float(1.5), tensor(&s)], 1, "f: n is 1.5, a float, but the function takes uint8; write int(n)");
    fails(
        [int(1), int(1), tensor(&s)],
        1,
        "f: a is a number, but the function takes an array of float32; give an array",
    );
    fails(
        [tensor(&a), tensor(&a), tensor(&s)],
        1,
        "f: n is an array, but the function takes a number (uint8); give one element: n.item()",
    );
    fails(
        [tensor(&a), int(1), tensor(&host.with(|| arange(6.0f64)).slice(s![..;2]))],
        2,
        "f: s has elements that do not follow one another; write numpy.ascontiguousarray(s)",
    );
}

#[test]
fn what_must_not_be_written_to_is_copied_or_refused() {
    let reads = plain!("f", (a: DeviceArray<f64>) -> f64, |mut a| {
        a += 1.0;
        a.sum()
    });
    let writes = plain!("f", (a: ArrayViewMut1<'_, f64>) -> (), |mut a| a.fill(0.0));
    let repeated = crate::Device::Cpu.with(|| full(1, 2.0).broadcast_to(3));
    assert_eq!(called(reads, &[tensor(&repeated)]).unwrap()[0].real, 9.0);
    assert_eq!(repeated.sum(), 6.0);
    let (_, text, _) = called(writes, &[tensor(&repeated)]).unwrap_err();
    assert_eq!(text, "f: a is read-only or not aligned, but the function writes to it; give a copy: a.copy()");
}

#[test]
fn numbers_are_converted_without_loss() {
    let f = plain!("f", (a: i64, b: u64, c: Complex<f32>, d: bool, e: usize) -> (i64, u64, Complex<f32>, bool, usize), |a, b, c, d, e| {
        (a, b, c, d, e)
    });
    let given = [
        int(-5),
        Value { kind: kinds::UINT, word: u64::MAX, ..Value::default() },
        Value { kind: kinds::COMPLEX, real: 1.0, imaginary: 2.0, ..Value::default() },
        Value { kind: kinds::BOOL, word: 1, ..Value::default() },
        int(7),
    ];
    let results = called(f, &given).unwrap();
    assert_eq!((results[0].kind, results[0].word as i64), (kinds::INT, -5));
    assert_eq!((results[1].kind, results[1].word), (kinds::UINT, u64::MAX));
    assert_eq!((results[2].real, results[2].imaginary), (1.0, 2.0));
    assert_eq!((results[3].kind, results[3].word, results[4].word), (kinds::BOOL, 1, 7));
    let mut negative = given;
    negative[4] = int(-1);
    assert!(called(f, &negative).unwrap_err().1.contains("e is -1, but the function takes uint64: 0 to"));
}

#[test]
fn panics_and_errors_are_told() {
    let panics = plain!("f", (n: usize) -> usize, |n| [1, 2, 3][n]);
    let (kind, text, _) = called(panics, &[int(3)]).unwrap_err();
    assert_eq!(kind, 3);
    assert!(text.starts_with("index out of bounds: the len is 3 but the index is 3"), "{text}");
    assert_eq!(called(panics, &[int(1)]).unwrap()[0].word, 2);
    let fails = plain!("f", (n: f64) -> Result<f64, String>, |n| if n < 0.0 { Err(format!("{n} is negative")) } else { Ok(n.sqrt()) });
    assert_eq!(called(fails, &[float(-1.0)]).unwrap_err(), (4, "-1 is negative".to_owned(), 0));
    assert_eq!(called(fails, &[float(4.0)]).unwrap()[0].real, 2.0);
}

#[test]
fn what_is_kept_belongs_to_the_function() {
    static KEPT: std::sync::Mutex<Vec<DeviceArray<f64>>> = std::sync::Mutex::new(Vec::new());
    let f = plain!("f", (a: DeviceArray<f64>) -> (), |a| KEPT.lock().unwrap().push(a));
    let a = array(&[1.0, 2.0]);
    let mut values = [tensor(&a)];
    drop(a);
    // SAFETY: the tensor is an array's own; the function keeps it, so it is not released here.
    assert_eq!(unsafe { call(f, values.as_mut_ptr(), 0, VERSIONED, std::ptr::null()) }, 0);
    assert_eq!(values[0].retained, 1);
    let kept = KEPT.lock().unwrap().pop().unwrap();
    assert_eq!(kept.sum(), 3.0);
}

#[test]
fn arrays_of_the_host_are_returned_without_axes_that_they_do_not_have() {
    let f = plain!("f", (n: usize) -> (Array1<f64>, Vec<i32>), |n| (Array1::linspace(0.0, 1.0, n), vec![1; n]));
    let results = called(f, &[int(3)]).unwrap();
    assert_eq!(taken_array::<f64>(results[0]).tolist(), [0.0, 0.5, 1.0]);
    assert_eq!(taken_array::<i32>(results[1]).shape(), [3]);
    assert_eq!(taken_array::<f64>(called(f, &[int(0)]).unwrap()[0]).size(), 0);
}

#[test]
fn functions_over_elements_and_kernels_are_called_by_their_names() {
    use crate::{View, ViewMut, global_idx};
    #[crate::vectorize]
    fn twice_and_half(x: f64, y: f64) -> (f64, f64) {
        (2.0 * x + y, x / 2.0)
    }
    #[crate::kernel]
    fn scale(a: View<f32>, by: f32, mut out: ViewMut<f32>) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = by * a[i];
        }
    }
    static OVER: Function = Function {
        name: "twice_and_half",
        names: &["x", "y"],
        body: Body::Vectorize(|| std::any::type_name_of_val(&twice_and_half)),
    };
    static KERNEL: Function = Function {
        name: "scale",
        names: &["a", "by", "out"],
        body: Body::Kernel(|| std::any::type_name_of_val(&scale)),
    };
    let x = crate::Device::Cpu.with(|| array(&[[1.0, 2.0], [3.0, 4.0]]));
    let results = called(&OVER, &[tensor(&x.t()), float(1.0)]).unwrap();
    assert_eq!(taken_array::<f64>(results[0]).to_host(), ndarray::arr2(&[[3.0, 7.0], [5.0, 9.0]]).into_dyn());
    let results = called(&OVER, &[int(3), float(1.0)]).unwrap();
    assert_eq!((results[0].kind, results[0].real, results[1].real), (kinds::FLOAT, 7.0, 1.5));

    let (a, out) = crate::Device::Cpu.with(|| (arange(4.0f32), crate::zeros::<f32>(4)));
    let launched = |launch: &[i64; 7]| {
        let mut values = [tensor(&a), float(0.5), tensor(&out)];
        // SAFETY: the tensors are arrays' own, which are released below.
        let status = unsafe { call(&KERNEL, values.as_mut_ptr(), 0, VERSIONED, launch) };
        for index in [0, 2] {
            // SAFETY: as above.
            unsafe {
                warpcell_python_release(std::ptr::with_exposed_provenance_mut(values[index].word as usize), true)
            };
        }
        status
    };
    assert_eq!(launched(&[0, 4, 1, 1, 0, 0, 0]), 0);
    assert_eq!(out.tolist(), [0.0, 0.5, 1.0, 1.5]);
    out.clone().fill(0.0);
    assert_eq!(launched(&[1, 2, 1, 1, 2, 1, 1]), 0);
    assert_eq!(out.tolist(), [0.0, 0.5, 1.0, 1.5]);
    // SAFETY: the text stays.
    let description = unsafe { CStr::from_ptr(describe(&KERNEL)) }.to_str().unwrap();
    let description: serde_json::Value = serde_json::from_str(description).unwrap();
    assert_eq!(description["kind"], "kernel");
    assert_eq!(description["parameters"][2]["type"], "array of float32");
}
