//! The sentences, as a user reads them, and where they say that it was.

use super::*;
use crate::registry::{Parameter, Text, Threads};
use expect_test::expect;

const SOURCE: &str = "fn blur(input: View<f32>, mut out: ViewMut<f32>) {\n    let mut tile = shared_array::<f32>([4, 4]);\n    \
                      let rest: SharedArray<i32> = dynamic_shared_array::<i32>();\n    out[9] = input[0];\n}";

static TEXT: Text = Text { role: Role::Kernel, source: SOURCE, written: "", line: 2, references: |_| () };
static THREADS: Threads = Threads {
    parameters: &[Parameter::Scalar("n", crate::registry::ScalarType::I32)],
    run: |_, _| (),
    line: 40,
    places: &[],
};
const KERNEL: Kernel = Kernel { name: "cell::blur", text: &TEXT, threads: &THREADS };

fn message(kind: FailureKind, line: Option<u32>) -> String {
    let failure = Failure { kind, line, thread: [3, 0, 0], block: [1, 2, 0] };
    of_threads("launch", &KERNEL, &failure, "cpu".to_owned()).to_string()
}

#[test]
fn each_failure_says_what_happened_where_and_what_to_do() {
    let tile = || Memory::Shared { line: 41 };
    let access = |kind, line, x, block| Access { kind, line, thread: [x, 0, 0], block: [block, 0, 0] };
    let race = |first, second| FailureKind::Race { memory: tile(), index: vec![1, 2], first, second };
    let out = Memory::Array { name: "out" };
    let texts = [
        message(FailureKind::OutOfBounds { memory: out.clone(), index: vec![9], shape: vec![8] }, Some(43)),
        message(FailureKind::OutOfBounds { memory: tile(), index: vec![1, usize::MAX], shape: vec![4, 4] }, Some(43)),
        message(FailureKind::OutOfBounds { memory: Memory::DynamicShared, index: vec![0], shape: vec![0] }, Some(43)),
        message(FailureKind::WrongAxes { memory: out, index: vec![9], shape: vec![8, 8] }, Some(43)),
        message(race(access(AccessKind::Write, 42, 1, 0), access(AccessKind::Read, 43, 2, 0)), Some(43)),
        message(race(access(AccessKind::Write, 43, 1, 0), access(AccessKind::Write, 43, 2, 0)), Some(43)),
        message(race(access(AccessKind::Atomic, 43, 1, 0), access(AccessKind::Read, 43, 2, 0)), Some(43)),
        message(race(access(AccessKind::Read, 43, 1, 0), access(AccessKind::Write, 43, 2, 1)), Some(43)),
        message(
            FailureKind::DivergentBarrier { operation: "sync_threads", other: Elsewhere::Ended { thread: [5, 0, 0] } },
            Some(43),
        ),
        message(
            FailureKind::DivergentBarrier {
                operation: "shfl_down_sync",
                other: Elsewhere::Waits { thread: [5, 0, 0], operation: "sync_warp", line: 42 },
            },
            Some(43),
        ),
        message(FailureKind::Uninitialised { memory: tile(), index: vec![0, 1] }, Some(43)),
        message(FailureKind::SharedMemoryTooLarge { bytes: 65_536, limit: 49_152 }, Some(41)),
        message(FailureKind::Panic { message: "attempt to divide by zero".into() }, Some(43)),
        message(FailureKind::Panic { message: "attempt to subtract with overflow".into() }, Some(43)),
        message(
            FailureKind::Panic { message: "index out of bounds: the len is 3 but the index is 7".into() },
            Some(43),
        ),
        message(FailureKind::Panic { message: "assertion failed: x > 0.0".into() }, None),
        message(FailureKind::Interrupted, None),
        division(Some(7), None),
        remainder(Some(7), None),
        index(-1, 4, None),
        panicked(None),
    ];
    expect![""].assert_eq(&texts.join("\n"));
}

#[test]
fn variables_of_shared_arrays() {
    let found = |line: &str| bound(line, "shared_array");
    assert_eq!(found("let mut tile = shared_array::<f32>(3);").as_deref(), Some("tile"));
    assert_eq!(found("    let x: SharedArray<i32> = gpu::shared_array(3);").as_deref(), Some("x"));
    assert_eq!((found("f(shared_array::<f32>(3))"), found("let x = 1;")), (None, None));
}
