//! Rust functions over arrays on a GPU, against the same functions on the host.

use super::functions::{Case, cases, register_helpers};
use crate::backend::cuda::map::contract;
use crate::backend::launch::Argument;
use crate::backend::tests::check::{Check, UNTOUCHED};
use crate::backend::tests::reductions::reduced;
use crate::backend::tests::reference::*;
use crate::backend::{Allocation, Layout, ReduceOperation, View};
use crate::dtype::{DType, Scalar};
use crate::registry::FunctionParameter;
use crate::{Device, Error, Stream};
use std::sync::Arc;

/// With products and sums rounded apart, as on the host.
fn rounded_apart(check: &mut Check, each: fn(&mut Check, &Case)) {
    register_helpers();
    contract(false);
    for case in cases() {
        each(check, &case);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_kernels_of_all_forms() {
    Check::on_gpu(|check| rounded_apart(check, forms));
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_kernels_that_reduce() {
    Check::on_gpu(|check| rounded_apart(check, reductions));
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_kernels_contracted() {
    Check::on_gpu(|check| {
        register_helpers();
        contract(true);
        for case in cases() {
            check.map(&case, &[1003], &Choice::default());
        }
        in_place(check);
        threads_and_streams(check);
        graphs(check);
    });
}

/// Few elements: the tool that looks for races is slow.
#[test]
#[ignore = "needs a CUDA device"]
fn gpu_races_of_maps() {
    let mut check = Check::on_first_device();
    register_helpers();
    contract(false);
    for case in cases().iter().take(6) {
        check.map(case, &[1003], &Choice::default());
        check.map(case, &[7, 9], &Choice { input: 2, ..Choice::default() });
        for operation in operations(case) {
            check.map_reduce(case, operation, &[5003], &Choice::default());
            check.map_reduce(case, operation, &[7, 9], &Choice { input: 3, ..Choice::default() });
        }
    }
    check.finish();
}

/// Which layouts the arrays have, by their numbers in `layouts`, and which parameters are values or broadcast.
#[derive(Clone, Copy, Debug, Default)]
struct Choice {
    input: usize,
    /// What is added to the number from one input to the next.
    step: usize,
    output: usize,
    /// A bit for each parameter that is one value.
    values: usize,
    /// A bit for each parameter that is broadcast along the first axis.
    broadcast: usize,
}

fn forms(check: &mut Check, case: &Case) {
    let all = (1 << case.function.parameters.len()) - 1;
    for shape in [vec![], vec![0], vec![1], vec![3], vec![1003], vec![1024], vec![33, 65], vec![3, 0, 2]] {
        for input in 0..5 {
            check.map(case, &shape, &Choice { input, ..Choice::default() });
            check.map(case, &shape, &Choice { output: input, ..Choice::default() });
            check.map(case, &shape, &Choice { input, step: 1, output: 4 - input, ..Choice::default() });
        }
        for values in 1..=all {
            check.map(case, &shape, &Choice { values, ..Choice::default() });
            check.map(case, &shape, &Choice { values, input: 4, ..Choice::default() });
        }
        if shape.len() > 1 {
            for broadcast in 1..=all {
                check.map(case, &shape, &Choice { broadcast, ..Choice::default() });
                check.map(case, &shape, &Choice { broadcast, input: 1, output: 2, ..Choice::default() });
            }
        }
    }
    // More axes than a kernel takes.
    let many = [2; 10];
    check.map(case, &many, &Choice { input: 4, output: 0, ..Choice::default() });
    check.map(case, &many, &Choice { input: 2, step: 2, output: 3, ..Choice::default() });
}

fn operations(case: &Case) -> Vec<ReduceOperation> {
    use ReduceOperation::{All, Any, Max, Min, Product, Sum};
    match case.function.results {
        [DType::Bool] => vec![All, Any, Sum],
        [_] => vec![Sum, Product, Max, Min],
        _ => Vec::new(),
    }
}

fn reductions(check: &mut Check, case: &Case) {
    for operation in operations(case) {
        for shape in [vec![], vec![0], vec![1], vec![5], vec![1003], vec![33, 65], vec![(1 << 20) + 5]] {
            if shape.contains(&0) && operation.needs_elements() {
                continue;
            }
            check.map_reduce(case, operation, &shape, &Choice::default());
            if shape.len() == 1 && shape[0] > 2000 {
                check.map_reduce(case, operation, &shape, &Choice { input: 1, ..Choice::default() });
                continue;
            }
            for input in 1..5 {
                check.map_reduce(case, operation, &shape, &Choice { input, ..Choice::default() });
            }
            check.map_reduce(case, operation, &shape, &Choice { values: 1, ..Choice::default() });
            if shape.len() > 1 {
                check.map_reduce(case, operation, &shape, &Choice { broadcast: 1, ..Choice::default() });
            }
        }
    }
}

/// The input of a parameter: an array or a value, and its elements, broadcast.
struct Input {
    array: Option<(Arc<dyn Allocation>, Layout, DType)>,
    elements: Vec<Scalar>,
}

impl Input {
    fn operand(&self) -> Argument<'_> {
        match &self.array {
            Some((allocation, layout, dtype)) => Argument::Array(View { allocation, layout, dtype: *dtype }, false),
            None => Argument::Scalar(self.elements[0]),
        }
    }
}

impl Check {
    fn inputs(&self, case: &Case, shape: &[usize], choice: &Choice) -> Vec<Input> {
        let parameters = case.function.parameters.iter().enumerate();
        let of_parameter = |(number, parameter): (usize, &FunctionParameter)| {
            let dtype = parameter.dtype().expect("these cases have no structs");
            let seed = 91 + number as u64;
            if choice.values & 1 << number != 0 {
                let value = (case.values)(dtype, 1, seed)[0];
                return Input { array: None, elements: vec![value; shape.iter().product::<usize>().max(1)] };
            }
            let is_broadcast = choice.broadcast & 1 << number != 0;
            let mut own = shape.to_vec();
            if is_broadcast {
                own[0] = 1;
            }
            let (mut layout, count) = layouts(&own).remove((choice.input + number * choice.step) % 5);
            if is_broadcast {
                (layout.shape[0], layout.strides[0]) = (shape[0], 0);
            }
            let array = self.array_of(dtype, layout, (case.values)(dtype, count, seed));
            let elements = array.elements();
            Input { array: Some((array.allocation, array.layout, dtype)), elements }
        };
        parameters.map(of_parameter).collect()
    }

    fn map(&mut self, case: &Case, shape: &[usize], choice: &Choice) {
        let inputs = self.inputs(case, shape, choice);
        let size: usize = shape.iter().product();
        let expected: Vec<Vec<Scalar>> = (0..size)
            .map(|at| (case.host)(&inputs.iter().map(|input| input.elements[at]).collect::<Vec<_>>()))
            .collect();
        let results = case.function.results;
        let outs: Vec<(Arc<dyn Allocation>, Layout, usize)> = results
            .iter()
            .enumerate()
            .map(|(number, dtype)| {
                let (layout, count) = layouts(shape).remove((choice.output + number * choice.step) % 5);
                let allocation = self.backend.allocate(count * dtype.size()).unwrap();
                self.backend.upload(&vec![UNTOUCHED; count * dtype.size()], &allocation).unwrap();
                (allocation, layout, count)
            })
            .collect();
        let views: Vec<View<'_>> = outs
            .iter()
            .zip(results)
            .map(|((allocation, layout, _), &dtype)| View { allocation, layout, dtype })
            .collect();
        let operands: Vec<Argument<'_>> = inputs.iter().map(Input::operand).collect();
        let what = format!("{} over {shape:?}, {choice:?}", case.function.name);
        if let Err(error) = self.backend.map(&case.function, &operands, &views) {
            return self.note(false, &|| format!("{what}: {error}"));
        }
        for (number, (allocation, layout, count)) in outs.iter().enumerate() {
            let dtype = results[number];
            let mut bytes = vec![0; count * dtype.size()];
            if let Err(error) = self.backend.download(allocation, 0, &mut bytes) {
                return self.note(false, &|| format!("{what}: {error}"));
            }
            let mut written = vec![false; *count];
            let mut wrong = None;
            for (at, position) in positions(layout).into_iter().enumerate() {
                written[position] = true;
                let found = from_bytes(dtype, &bytes[position * dtype.size()..]);
                if !agree(found, expected[at][number], case.tolerance, 0.0) && wrong.is_none() {
                    let given: Vec<Scalar> = inputs.iter().map(|input| input.elements[at]).collect();
                    wrong = Some(format!("of {given:?}: {found:?} instead of {:?}", expected[at][number]));
                }
            }
            let untouched = |position: usize| {
                bytes[position * dtype.size()..][..dtype.size()].iter().all(|&byte| byte == UNTOUCHED)
            };
            if let Some(position) = (0..*count).find(|&position| !written[position] && !untouched(position)) {
                wrong.get_or_insert_with(|| format!("position {position} is not of the output, but written"));
            }
            self.note(wrong.is_none(), &|| format!("{what}, result {number}: {}", wrong.clone().unwrap_or_default()));
        }
    }

    fn map_reduce(&mut self, case: &Case, operation: ReduceOperation, shape: &[usize], choice: &Choice) {
        let inputs = self.inputs(case, shape, choice);
        let size: usize = shape.iter().product();
        let results: Vec<Scalar> = (0..size)
            .map(|at| (case.host)(&inputs.iter().map(|input| input.elements[at]).collect::<Vec<_>>())[0])
            .collect();
        let dtype = case.function.results[0];
        let (expected, scale) = reduced(operation, dtype, &results);
        let tolerance = match (operation, dtype) {
            (ReduceOperation::Product, DType::F64) => 1e-15 + 2.3e-16 * size as f64,
            (_, DType::F32) => 3e-7,
            _ => 1e-15,
        };
        let operands: Vec<Argument<'_>> = inputs.iter().map(Input::operand).collect();
        let what = format!("{operation:?} of {} over {shape:?}, {choice:?}", case.function.name);
        let out = (Layout::contiguous(&[]), 1);
        let tolerance = (tolerance.max(case.tolerance), &[scale][..]);
        self.expect(&what, operation.output(dtype), out, &[expected], tolerance, |gpu, out| {
            gpu.map_reduce(&case.function, operation, &operands, shape, out)
        });
    }
}

/// The results may go where the elements of an input are.
fn in_place(check: &mut Check) {
    for case in cases() {
        let ([first, ..], [result]) = (case.function.parameters, case.function.results) else { continue };
        if first.dtype() != Some(*result) {
            continue;
        }
        for input in [0, 1, 3, 4] {
            let inputs = check.inputs(&case, &[1003], &Choice { input, ..Choice::default() });
            let expected: Vec<Scalar> = (0..1003)
                .map(|at| (case.host)(&inputs.iter().map(|input| input.elements[at]).collect::<Vec<_>>())[0])
                .collect();
            let operands: Vec<Argument<'_>> = inputs.iter().map(Input::operand).collect();
            let Argument::Array(out, _) = operands[0] else { unreachable!("no parameter is a value") };
            check.backend.map(&case.function, &operands, &[out]).unwrap();
            let mut bytes = vec![0; out.allocation.bytes()];
            check.backend.download(out.allocation, 0, &mut bytes).unwrap();
            let right = positions(out.layout).into_iter().zip(&expected).all(|(position, &expected)| {
                agree(from_bytes(*result, &bytes[position * result.size()..]), expected, case.tolerance, 0.0)
            });
            check.note(right, &|| format!("{} in place, layout {input}", case.function.name));
        }
    }
}

fn threads_and_streams(check: &mut Check) {
    // Streams are of the device that users see.
    let gpu = crate::device::open(Device::Cuda(0)).unwrap().backend;
    let outcomes = std::thread::scope(|scope| {
        let running = [0, 1, 2, 3, 4, 5].map(|thread| {
            let mut own = Check::of(gpu.clone());
            scope.spawn(move || {
                let work = |own: &mut Check| {
                    for case in cases().iter().skip(thread % 3) {
                        own.map(case, &[2000 + thread], &Choice::default());
                        for operation in operations(case) {
                            own.map_reduce(case, operation, &[20_000 + thread], &Choice::default());
                        }
                    }
                };
                Device::Cuda(0)
                    .with(|| if thread < 3 { work(&mut own) } else { Stream::new().with(|| work(&mut own)) });
                own
            })
        });
        running.map(|thread| thread.join().unwrap())
    });
    outcomes.iter().for_each(|outcome| check.add(outcome));
}

/// What was captured runs with what the arrays hold then, also when the function has been forgotten.
fn graphs(check: &mut Check) {
    let case = &cases()[0];
    let (x, y) = (check.inputs(case, &[1003], &Choice::default()), Layout::contiguous(&[1003]));
    let dtype = case.function.results[0];
    let allocation = check.backend.allocate(1003 * dtype.size()).unwrap();
    let out = View { allocation: &allocation, layout: &y, dtype };
    let operands: Vec<Argument<'_>> = x.iter().map(Input::operand).collect();
    let capture = check.backend.begin_capture().unwrap();
    check.backend.map(&case.function, &operands, &[out]).unwrap();
    let waits = check.backend.download(&allocation, 0, &mut [0; 4]);
    check.note(matches!(waits, Err(Error::NotCapturable { .. })), &|| format!("a download while capturing: {waits:?}"));
    let graph = capture.finish().unwrap();
    graph.launch().unwrap();
    let mut bytes = vec![0; 1003 * dtype.size()];
    check.backend.download(&allocation, 0, &mut bytes).unwrap();
    let right = (0..1003).all(|at| {
        let expected = (case.host)(&x.iter().map(|input| input.elements[at]).collect::<Vec<_>>())[0];
        agree(from_bytes(dtype, &bytes[at * dtype.size()..]), expected, case.tolerance, 0.0)
    });
    check.note(right, &|| "a map in a graph".into());
}
