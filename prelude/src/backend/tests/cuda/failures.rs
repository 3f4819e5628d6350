//! Functions that fail on a GPU, and loops without an end: what is said of them, and that everything goes on.

use super::functions::{Case, case};
use crate::backend::launch::Argument;
use crate::backend::tests::check::Check;
use crate::backend::{Allocation, Backend, Layout, ReduceOperation, View};
use crate::dtype::DType;
use crate::error::Result;
use crate::{Device, Error, Stream};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[test]
#[ignore = "needs a CUDA device"]
fn gpu_kernels_that_fail() {
    let mut check = Check::of(crate::device::open(Device::Cuda(0)).unwrap().backend);
    Device::Cuda(0).with(|| {
        kinds(&mut check);
        where_the_host_waits(&mut check);
        in_a_graph(&mut check);
        in_streams(&mut check);
        of_many(&mut check);
        without_an_end(&mut check);
    });
    check.finish();
}

fn quotient() -> Case {
    case!(
        any,
        0.0,
        fn quotient(a: i32, b: i32) -> i32 {
            a / b
        }
    )
}

/// Divides; with a divisor of 0 at one place it fails.
struct Division {
    gpu: Arc<dyn Backend>,
    case: Case,
    layout: Layout,
    a: Arc<dyn Allocation>,
    b: [Arc<dyn Allocation>; 2],
    out: Arc<dyn Allocation>,
}

const SIZE: usize = 10_000;
const PLACE: usize = 7777;

impl Division {
    fn new(gpu: &Arc<dyn Backend>, case: Case) -> Division {
        let upload = |values: Vec<i32>| {
            let allocation = gpu.allocate(4 * SIZE).unwrap();
            let bytes: Vec<u8> = values.into_iter().flat_map(i32::to_le_bytes).collect();
            gpu.upload(&bytes, &allocation).unwrap();
            allocation
        };
        let fails = (0..SIZE).map(|at| if at == PLACE { 0 } else { 3 }).collect();
        Division {
            gpu: gpu.clone(),
            case,
            layout: Layout::contiguous(&[SIZE]),
            a: upload((0..SIZE as i32).collect()),
            b: [upload(vec![3; SIZE]), upload(fails)],
            out: gpu.allocate(4 * SIZE).unwrap(),
        }
    }

    fn view<'a>(&'a self, allocation: &'a Arc<dyn Allocation>) -> View<'a> {
        View { allocation, layout: &self.layout, dtype: DType::I32 }
    }

    fn queue(&self, fails: bool) -> Result<()> {
        let operands = [&self.a, &self.b[usize::from(fails)]].map(|array| Argument::Array(self.view(array), false));
        self.gpu.map(&self.case.function, &operands, &[self.view(&self.out)])
    }

    fn results(&self) -> Result<Vec<i32>> {
        let mut bytes = vec![0; 4 * SIZE];
        self.gpu.download(&self.out, 0, &mut bytes)?;
        Ok(bytes.chunks_exact(4).map(|bytes| i32::from_le_bytes(bytes.try_into().unwrap())).collect())
    }

    /// Whether a call that does not fail is right.
    fn works(&self) -> bool {
        let thirds = |results: Vec<i32>| results.iter().enumerate().all(|(at, &third)| third == at as i32 / 3);
        self.queue(false).and_then(|()| self.results()).is_ok_and(thirds)
    }
}

fn is_division(result: &Result<impl Sized>) -> bool {
    matches!(result, Err(Error::FunctionFailed { function, line: 2, reason, .. })
        if function == "quotient" && reason.starts_with(&format!("{PLACE} was divided by zero")))
}

fn said<T>(result: Result<T>) -> String {
    result.map_or_else(|error| error.to_string(), |_| "no error".to_owned())
}

/// A function whose text begins in line 1, so that the division stands in line 2.
fn division() -> Case {
    let mut case = quotient();
    static TEXT: crate::registry::Text = crate::registry::Text {
        role: crate::registry::Role::Vectorize,
        source: "fn quotient(a: i32, b: i32) -> i32 {\n    a / b\n}",
        written: "",
        line: 1,
        references: |_| {},
    };
    case.function.text = &TEXT;
    case
}

/// What each kind of failure is called.
fn kinds(check: &mut Check) {
    let cases = [
        (
            case!(
                any,
                0.0,
                fn over(a: i32) -> i32 {
                    1 / (a - 16_843_009)
                }
            ),
            "divided by zero",
        ),
        (
            case!(
                any,
                0.0,
                fn rest(a: i32) -> i32 {
                    1 % (a - 16_843_009)
                }
            ),
            "the remainder of 1 was computed with the divisor zero",
        ),
        (
            case!(
                any,
                0.0,
                fn past(a: i32) -> i32 {
                    let table = [1, 2, 3];
                    table[(a & 3) as usize + 3]
                }
            ),
            "is out of bounds for an array of length 3",
        ),
    ];
    let layout = Layout::contiguous(&[33]);
    let allocation = check.backend.allocate(4 * 33).unwrap();
    check.backend.upload(&[1; 4 * 33], &allocation).unwrap();
    let x = View { allocation: &allocation, layout: &layout, dtype: DType::I32 };
    for (case, text) in cases {
        let queued = check.backend.map(&case.function, &[Argument::Array(x, false)], &[x]);
        let outcome = queued.and_then(|()| check.backend.synchronize());
        let right = matches!(&outcome, Err(Error::FunctionFailed { function, reason, .. })
            if function == case.function.name && reason.contains(text));
        check.note(right, &|| format!("{}: {}", case.function.name, said(outcome.clone())));
        check.note(check.backend.synchronize().is_ok(), &|| format!("{} is said once", case.function.name));
    }
}

fn where_the_host_waits(check: &mut Check) {
    let division = Division::new(&check.backend, division());
    check.note(division.works(), &|| "a division".into());
    let waits: [(&str, &dyn Fn() -> Result<()>); 5] = [
        ("synchronize", &|| division.gpu.synchronize()),
        ("a download", &|| division.results().map(drop)),
        ("an event", &|| division.gpu.record()?.synchronize()),
        ("a stream", &|| division.gpu.first_stream().synchronize()),
        ("a number of elements", &|| {
            let layout = Layout::contiguous(&[4 * SIZE]);
            let mask = View { allocation: &division.b[0], layout: &layout, dtype: DType::Bool };
            division.gpu.compress(mask, None).map(drop)
        }),
    ];
    for (name, wait) in waits {
        let outcome = division.queue(true).and_then(|()| wait());
        check.note(is_division(&outcome), &|| format!("{name}: {}", said(outcome.clone())));
        check.note(division.works(), &|| format!("after {name}"));
    }
    // Nobody waits for the failing one: another kernel comes first.
    let outcome = division.queue(true).and_then(|()| division.queue(false)).and_then(|()| division.results());
    check.note(is_division(&outcome), &|| "a failure before another call".into());
    // A reduction must leave nothing behind that the next one finds.
    for fails in [true, false, true, false] {
        let out = division.gpu.allocate(8).unwrap();
        let layout = Layout::contiguous(&[]);
        let operands =
            [&division.a, &division.b[usize::from(fails)]].map(|array| Argument::Array(division.view(array), false));
        let target = View { allocation: &out, layout: &layout, dtype: DType::I64 };
        let queued = division.gpu.map_reduce(
            &division.case.function,
            ReduceOperation::Sum,
            &operands,
            &division.layout.shape,
            target,
        );
        let mut sum = [0; 8];
        let outcome = queued.and_then(|()| division.gpu.download(&out, 0, &mut sum));
        let expected: i64 = (0..SIZE as i64).map(|at| at / 3).sum();
        let right = if fails { is_division(&outcome) } else { outcome.is_ok() && i64::from_le_bytes(sum) == expected };
        check.note(right, &|| format!("a sum: {}, {}", said(outcome.clone()), i64::from_le_bytes(sum)));
    }
}

fn in_a_graph(check: &mut Check) {
    let division = Division::new(&check.backend, division());
    check.note(division.works(), &|| "before a graph".into());
    let capture = check.backend.begin_capture().unwrap();
    division.queue(true).unwrap();
    let graph = capture.finish().unwrap();
    check.note(check.backend.synchronize().is_ok(), &|| "what was captured has not run".into());
    for launch in 0..2 {
        let outcome = graph.launch().and_then(|()| check.backend.synchronize());
        check.note(is_division(&outcome), &|| format!("launch {launch} of a graph: {}", said(outcome.clone())));
    }
    check.note(division.works(), &|| "after a graph".into());
}

fn in_streams(check: &mut Check) {
    let divisions = [0, 1].map(|_| Division::new(&check.backend, division()));
    let streams = [Stream::new(), Stream::new()];
    for round in 0..10 {
        for (division, stream) in divisions.iter().zip(&streams) {
            stream.with(|| division.queue(true)).unwrap();
        }
        // They are of one program, which has one record: the first failure is told, once.
        let outcome = check.backend.synchronize();
        check.note(is_division(&outcome), &|| format!("two streams, round {round}: {}", said(outcome.clone())));
        check.note(check.backend.synchronize().is_ok(), &|| format!("said once, round {round}"));
        let right = divisions.iter().zip(&streams).all(|(division, stream)| stream.with(|| division.works()));
        check.note(right, &|| format!("after two streams, round {round}"));
    }
}

/// More programs than fit into one block of records, each defined anew.
fn of_many(check: &mut Check) {
    let keep: Vec<Division> = (0..3).map(|_| Division::new(&check.backend, division())).collect();
    for number in 0..140 {
        let source = format!("fn quotient(a: i32, b: i32) -> i32 {{\n    a / b + {number} - {number}\n}}");
        let text = crate::registry::Text {
            role: crate::registry::Role::Vectorize,
            source: Box::leak(source.into_boxed_str()),
            written: "",
            line: 1,
            references: |_| {},
        };
        let mut case = quotient();
        case.function.text = Box::leak(Box::new(text));
        // Names differ, so that no definition takes the place of another.
        case.function.name = Box::leak(format!("quotient::number_{number}::quotient").into_boxed_str());
        let division = Division::new(&check.backend, case);
        let outcome = division.queue(true).and_then(|()| division.results());
        check.note(is_division(&outcome), &|| format!("program {number}: {}", said(outcome.clone())));
    }
    check.note(keep.iter().all(Division::works), &|| "after many programs".into());
}

fn without_an_end(check: &mut Check) {
    let mut endless = case!(
        any,
        0.0,
        fn endless(a: i32) -> i32 {
            let mut n = a;
            while n != -1 {
                n = (n.wrapping_add(2)) & 0x7fff_fffe;
            }
            n
        }
    );
    endless.function.name = "endless";
    let division = Division::new(&check.backend, division());
    check.note(division.works(), &|| "before a loop without an end".into());
    for round in 0..3 {
        let x = division.view(&division.a);
        check.backend.map(&endless.function, &[Argument::Array(x, false)], &[division.view(&division.out)]).unwrap();
        let (gpu, start) = (check.backend.clone(), Instant::now());
        let stopping = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            gpu.stop_functions();
        });
        let outcome = check.backend.synchronize();
        let seconds = start.elapsed().as_secs_f64();
        stopping.join().unwrap();
        let right = matches!(&outcome, Err(Error::FunctionFailed { function, reason, .. })
            if function == "endless" && reason.contains("an interrupt has stopped it"));
        check.note(right && (0.2..2.0).contains(&seconds), &|| {
            format!("a loop without an end, round {round}: {seconds} s, {}", said(outcome.clone()))
        });
        check.note(division.works(), &|| format!("after a loop without an end, round {round}"));
        // What was told to stop while nothing ran does not stop what comes next.
        check.backend.stop_functions();
        check.note(division.works(), &|| format!("after an interrupt of nothing, round {round}"));
    }
}
