//! Memory that others have made, and streams of others.

use crate::backend::tests::check::Check;
use crate::backend::tests::reference::*;
use crate::backend::{Allocation, BinaryOperation, Foreign, Layout, Operand, StreamOrder, View};
use crate::dtype::{DType, Scalar};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Keeps memory, and counts how often it was given back.
struct Keeper(#[allow(dead_code, reason = "kept, not used")] Arc<dyn Allocation>, Arc<AtomicUsize>);

impl Drop for Keeper {
    fn drop(&mut self) {
        self.1.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_check_adoption() {
    Check::on_gpu(adoption);
}

/// A part of another allocation is computed on in place, given back after the work, and streams are ordered.
fn adoption(check: &mut Check) {
    let gpu = check.backend.clone();
    let whole = check.array(DType::F32, Layout::contiguous(&[1000]), 1000, 77, false);
    let given_back = Arc::new(AtomicUsize::new(0));
    let memory = Foreign {
        address: gpu.address(&whole.allocation) + 100 * 4,
        bytes: 500 * 4,
        owner: Box::new(Keeper(whole.allocation.clone(), given_back.clone())),
    };
    // SAFETY: the keeper has the allocation, of which this is a part, and nothing else uses it until the work is done.
    let part = unsafe { gpu.adopt(memory) }.unwrap();
    let layout = Layout { shape: vec![250], strides: vec![2], offset: 0 };
    let view = View { allocation: &part, layout: &layout, dtype: DType::F32 };
    gpu.binary(BinaryOperation::Add, Operand::Array(view), Operand::Scalar(Scalar::F32(1.0)), view).unwrap();
    let mut bytes = vec![0; 500 * 4];
    gpu.download(&part, 0, &mut bytes).unwrap();
    let kept = given_back.load(Ordering::Relaxed);
    drop(part);
    check
        .note((kept, given_back.load(Ordering::Relaxed)) == (0, 1), &|| "the owner is dropped once, at the end".into());
    let mut all = vec![0; 1000 * 4];
    gpu.download(&whole.allocation, 0, &mut all).unwrap();
    let expected: Vec<Scalar> = (whole.values.iter().enumerate())
        .map(|(index, value)| match value {
            Scalar::F32(value) if (100..600).contains(&index) && index % 2 == 0 => Scalar::F32(value + 1.0),
            other => *other,
        })
        .collect();
    check.note(all == to_bytes(&expected) && bytes == all[400..2400], &|| "memory of others is computed on".into());
    check.note(gpu.stream().is_some_and(|stream| stream > 2), &|| "the stream is one of its own".into());
    for (stream, first) in
        [(1, StreamOrder::Ours), (2, StreamOrder::Theirs), (1, StreamOrder::Theirs), (2, StreamOrder::Ours)]
    {
        // SAFETY: these are CUDA's default streams.
        let ordered = unsafe { gpu.order(stream, first) };
        check.note(ordered.is_ok(), &|| format!("order {stream} {first:?}: {ordered:?}"));
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_check_foreign_streams() {
    Check::on_gpu(foreign_streams);
}

/// Streams of others are queues of their own, in which work runs; memory that is used in one alone goes back to its owner at once.
fn foreign_streams(check: &mut Check) {
    let gpu = check.backend.clone();
    // SAFETY: 1, which 0 means too, and 2 are CUDA's default streams.
    let streams = unsafe { [gpu.foreign_stream(1), gpu.foreign_stream(0), gpu.foreign_stream(2)] };
    let [one, zero, own] = streams.map(|stream| stream.expect("a default stream"));
    let numbers = [&one, &zero, &own].map(|stream| stream.number());
    check.note(numbers[0] == numbers[1] && numbers[0] != numbers[2], &|| format!("the numbers are {numbers:?}"));
    check.note(!numbers.contains(&gpu.first_stream().number()), &|| "none is the device's own".into());
    let made = gpu.new_stream().expect("a stream");
    check.note(!numbers.contains(&made.number()), &|| "new streams are others".into());
    for stream in [one, own] {
        stream.enter().expect("nothing is captured");
        let whole = check.array(DType::F32, Layout::contiguous(&[1000]), 1000, 78, false);
        let given_back = Arc::new(AtomicUsize::new(0));
        let memory = Foreign {
            address: gpu.address(&whole.allocation),
            bytes: 1000 * 4,
            owner: Box::new(Keeper(whole.allocation.clone(), given_back.clone())),
        };
        // SAFETY: the keeper has the allocation, and what uses it afterwards is queued on the same stream.
        let all = unsafe { gpu.adopt_in_order(memory) }.expect("an allocation");
        let layout = Layout::contiguous(&[1000]);
        let view = View { allocation: &all, layout: &layout, dtype: DType::F32 };
        gpu.binary(BinaryOperation::Add, Operand::Array(view), Operand::Scalar(Scalar::F32(1.0)), view).expect("a sum");
        drop(all);
        let count = given_back.load(Ordering::Relaxed);
        check.note(count == 1, &|| "the owner is dropped at once".into());
        let mut bytes = vec![0; 1000 * 4];
        gpu.download(&whole.allocation, 0, &mut bytes).expect("the elements");
        stream.leave();
        let expected: Vec<Scalar> = (whole.values.iter())
            .map(|value| match value {
                Scalar::F32(value) => Scalar::F32(value + 1.0),
                other => *other,
            })
            .collect();
        check.note(bytes == to_bytes(&expected), &|| "work runs in the stream".into());
    }
}
