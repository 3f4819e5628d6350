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
    recorded: None,
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
    let access = |kind, line, x, block| Box::new(Access { kind, line, thread: [x, 0, 0], block: [block, 0, 0] });
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
    expect![[r#"
        the function `blur` failed in line 5 on cpu: thread (3, 0, 0) of block (1, 2, 0) used the index 9 along axis 0 of `out`, which has length 8 there; let threads without an element do nothing, such as `if i < out.shape()[0] { … }`
        the function `blur` failed in line 5 on cpu: thread (3, 0, 0) of block (1, 2, 0) used the index -1 (a difference of indices has gone below 0) along axis 1 of `tile`, which has length 4 there; let threads without an element do nothing, such as `if i < tile.shape()[1] { … }`
        the function `blur` failed in line 5 on cpu: thread (3, 0, 0) of block (1, 2, 0) used the index 0 along axis 0 of `rest`, which has no elements there
        the function `blur` failed in line 5 on cpu: `out` has 2 axes, but this is one index; write `out[[y, x]]`
        the function `blur` failed in line 5 on cpu: two threads race for `tile[[1, 2]]`: thread (1, 0, 0) of block (0, 0, 0) writes it in line 4, thread (2, 0, 0) of block (0, 0, 0) reads it in line 5, and nothing orders them; write `sync_threads();` between the two
        the function `blur` failed in line 5 on cpu: two threads race for `tile[[1, 2]]`: thread (1, 0, 0) of block (0, 0, 0) writes it in line 5, thread (2, 0, 0) of block (0, 0, 0) writes it in line 5, and nothing orders them; let one thread write it, add with an atomic such as `a.atomic_add(i, x)`, or write `sync_threads();` between the two
        the function `blur` failed in line 5 on cpu: two threads race for `tile[[1, 2]]`: thread (1, 0, 0) of block (0, 0, 0) changes it in line 5, thread (2, 0, 0) of block (0, 0, 0) reads it in line 5, and nothing orders them; write `sync_threads();` between the two, or make both atomic
        the function `blur` failed in line 5 on cpu: two threads race for `tile[[1, 2]]`: thread (1, 0, 0) of block (0, 0, 0) reads it in line 5, thread (2, 0, 0) of block (1, 0, 0) writes it in line 5, and nothing orders them; blocks run in any order: let each block write to its own elements, use atomics such as `a.atomic_add(i, x)` for all of them, or launch a second kernel for the next step
        the function `blur` failed in line 5 on cpu: thread (3, 0, 0) of block (1, 2, 0) waits at `sync_threads`, but thread (5, 0, 0) of the same block has ended; all threads of a block must reach the same call: do not put it inside an `if`, inside a loop that some leave earlier, or after a `return`
        the function `blur` failed in line 5 on cpu: thread (3, 0, 0) of block (1, 2, 0) waits at `shfl_down_sync`, but thread (5, 0, 0) of the same block waits at `sync_warp` in line 4; all lanes of the mask must reach the same call: do not put it inside an `if`, inside a loop that some leave earlier, or after a `return`
        the function `blur` failed in line 5 on cpu: thread (3, 0, 0) of block (1, 2, 0) read `tile[[0, 1]]`, where no thread of its block has written yet; shared memory starts with undefined values: write to it first, and then write `sync_threads();` if other threads read it
        launch: `blur` cannot be launched: a block needs 65536 bytes of shared memory, but cpu has at most 49152; use smaller tiles, or keep less in a tile
        the function `blur` failed in line 5 on cpu: in thread (3, 0, 0) of block (1, 2, 0), an integer was divided by zero; test the divisor first, such as `if d == 0 { 0 } else { n / d }`
        the function `blur` failed in line 5 on cpu: thread (3, 0, 0) of block (1, 2, 0) did: attempt to subtract with overflow; on CUDA devices integers wrap; if you want that, write `wrapping_add`, `wrapping_sub` or `wrapping_mul`; if not, test the values first, or use a larger type
        the function `blur` failed in line 5 on cpu: in thread (3, 0, 0) of block (1, 2, 0), the index 7 is out of bounds for an array of length 3; test it first, or use `index.min(2)`
        the function `blur` failed in line 2 on cpu: thread (3, 0, 0) of block (1, 2, 0) panicked: assertion failed: x > 0.0
        the operation was interrupted; run the cell again to complete it
        7 was divided by zero; test the divisor first, such as `if d == 0 { 0 } else { n / d }`
        the remainder of 7 was computed with the divisor zero; test the divisor first, such as `if d == 0 { 0 } else { n % d }`
        the index -1 (a difference of indices has gone below 0) is out of bounds for an array of length 4; test it first, or use `index.min(3)`
        it has reached a `panic!`, `unreachable!` or `assert!`; let it return a value for such elements, such as NaN"#]].assert_eq(&texts.join("\n"));
}

#[test]
fn variables_of_shared_arrays() {
    let found = |line: &str| bound(line, "shared_array");
    assert_eq!(found("let mut tile = shared_array::<f32>(3);").as_deref(), Some("tile"));
    assert_eq!(found("    let x: SharedArray<i32> = gpu::shared_array(3);").as_deref(), Some("x"));
    assert_eq!((found("f(shared_array::<f32>(3))"), found("let x = 1;")), (None, None));
}
