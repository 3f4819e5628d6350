//! Calls of ranks that are threads, compared with the same computation on the elements of all.

use crate::Random;
use expect_test::{Expect, expect};
use std::time::{Duration, Instant};
use warpcell as gpu;
use warpcell::distributed::{Communicator, Reduction};
use warpcell::prelude::*;
use warpcell::{Element, Error, RealNumber};

const REDUCTIONS: [Reduction; 5] =
    [Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min, Reduction::Average];

/// What reductions give, by the rules of the documentation.
trait Reference: RealNumber {
    fn random(random: &mut Random) -> Self;
    fn reduced(values: &[Self], reduction: Reduction) -> Self;
    fn bits(self) -> u64;
}

macro_rules! integers {
    ($($type:ident)*) => {$(
        impl Reference for $type {
            fn random(random: &mut Random) -> Self {
                random.word() as $type
            }
            fn reduced(values: &[Self], reduction: Reduction) -> Self {
                let values = values.iter().copied();
                match reduction {
                    Reduction::Sum => values.fold(0, $type::wrapping_add),
                    Reduction::Product => values.fold(1, $type::wrapping_mul),
                    Reduction::Max => values.max().unwrap(),
                    Reduction::Min => values.min().unwrap(),
                    // Of 64 bits the sum wraps.
                    Reduction::Average if $type::BITS == 64 => {
                        let count = values.len() as $type;
                        values.fold(0, $type::wrapping_add) / count
                    }
                    Reduction::Average => {
                        let count = values.len() as i128;
                        (values.map(i128::from).sum::<i128>() / count) as $type
                    }
                }
            }
            fn bits(self) -> u64 {
                self as u64
            }
        }
    )*};
}
integers!(u8 i8 u16 i16 i32 u32 i64 u64);

macro_rules! floats {
    ($($type:ident in $wide:ident, $bits:ty, $convert:expr;)*) => {$(
        impl Reference for $type {
            fn random(random: &mut Random) -> Self {
                $convert(random.word() as i32 as $wide / 1e8)
            }
            fn reduced(values: &[Self], reduction: Reduction) -> Self {
                let wide = values.iter().map(|&value| $wide::from(value));
                let count = values.len() as $wide;
                $convert(match reduction {
                    Reduction::Sum => wide.reduce(|a, b| a + b).unwrap(),
                    Reduction::Product => wide.reduce(|a, b| a * b).unwrap(),
                    Reduction::Max => wide.reduce($wide::max).unwrap(),
                    Reduction::Min => wide.reduce($wide::min).unwrap(),
                    Reduction::Average => wide.reduce(|a, b| a + b).unwrap() / count,
                })
            }
            fn bits(self) -> u64 {
                self.to_bits().into()
            }
        }
    )*};
}
floats! {
    f32 in f32, u32, |value| value;
    f64 in f64, u64, |value| value;
    f16 in f32, u16, f16::from_f32;
    bf16 in f32, u16, bf16::from_f32;
}

fn reductions_of<T: Reference>(random: &mut Random) {
    let size = 1 + random.below(5);
    let rows = [0, size, 2 * size, 3 * size][random.below(4)];
    let columns = [1, 7, 40][random.below(3)];
    let values: Vec<Vec<T>> = (0..size).map(|_| (0..rows * columns).map(|_| T::random(random)).collect()).collect();
    let is_turned = random.below(2) == 1;
    let root = random.below(size);
    for reduction in REDUCTIONS {
        let expected: Vec<u64> = (0..rows * columns)
            .map(|at| T::reduced(&values.iter().map(|values| values[at]).collect::<Vec<_>>(), reduction).bits())
            .collect();
        let results = Communicator::local(size).run(|ranks| {
            let x = gpu::array(&values[ranks.rank()]).reshape((rows, columns));
            // The same elements, but not neighbours in memory.
            let x = if is_turned { x.t().copy().t() } else { x };
            let all = ranks.all_reduce(&x, reduction);
            let one = ranks.reduce(&x, reduction, root);
            let part = ranks.reduce_scatter(&x, reduction);
            (all, one, part)
        });
        let bits = |x: &DeviceArray<T>| x.to_host().iter().map(|value| value.bits()).collect::<Vec<u64>>();
        let mut scattered = Vec::new();
        for (rank, (all, one, part)) in results.iter().enumerate() {
            assert_eq!(all.shape(), [rows, columns]);
            assert_eq!(bits(all), expected, "{reduction:?} of {} on rank {rank} of {size}", T::DTYPE);
            assert_eq!(one.as_ref().map(bits), (rank == root).then(|| expected.clone()));
            assert_eq!(part.shape(), [rows / size, columns]);
            scattered.extend(bits(part));
        }
        assert_eq!(scattered, expected, "{reduction:?} of {} scattered to {size}", T::DTYPE);
    }
}

#[test]
fn reductions_are_those_of_all_elements_in_the_order_of_ranks() {
    let mut random = Random::new("reductions");
    macro_rules! each {
        ($($type:ident)*) => {$( (0..4).for_each(|_| reductions_of::<$type>(&mut random)); )*};
    }
    each!(u8 i8 u16 i16 i32 u32 i64 u64 f16 bf16 f32 f64);
}

#[test]
fn sums_of_floats_keep_the_bound() {
    let mut random = Random::new("sums of floats");
    for _ in 0..20 {
        let size = 2 + random.below(6);
        let values: Vec<Vec<f32>> = (0..size).map(|_| (0..50).map(|_| f32::random(&mut random)).collect()).collect();
        let sums = Communicator::local(size)
            .run(|ranks| ranks.all_reduce(&gpu::array(&values[ranks.rank()]), Reduction::Sum).to_host());
        for at in 0..50 {
            let exact: f64 = values.iter().map(|values| f64::from(values[at])).sum();
            let absolute: f64 = values.iter().map(|values| f64::from(values[at].abs())).sum();
            let bound = (size - 1) as f64 * 2f64.powi(-24) * absolute * (1.0 + 1e-6);
            assert!((f64::from(sums[0][at]) - exact).abs() <= bound);
            assert!(sums.iter().all(|sum| sum[at].to_bits() == sums[0][at].to_bits()));
        }
    }
}

#[test]
fn extremes_with_nan_are_nan() {
    for size in [2, 3] {
        let got = Communicator::local(size).run(|ranks| {
            let x = if ranks.rank() == 1 { gpu::array(&[f64::NAN, 1.0]) } else { gpu::array(&[0.0, 2.0]) };
            [Reduction::Max, Reduction::Min].map(|reduction| ranks.all_reduce(&x, reduction).to_host())
        });
        for [most, least] in got {
            assert!(most[0].is_nan() && least[0].is_nan());
            assert_eq!((most[1], least[1]), (2.0, 1.0));
        }
    }
}

fn moves_of<T: Element>(random: &mut Random) {
    let size = 1 + random.below(5);
    let columns = random.below(4);
    let rows = size * random.below(4);
    let root = random.below(size);
    let of = |rank: usize| {
        let first = (100 * rank) as i64;
        gpu::arange((first, first + (rows * columns) as i64)).reshape((rows, columns)).astype::<T>()
    };
    let results = Communicator::local(size).run(|ranks| {
        let (rank, x) = (ranks.rank(), of(ranks.rank()));
        let x = x.slice(s![..;-1, ..]).copy().slice(s![..;-1, ..]);
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        let from_before = (size > 1).then(|| {
            let exchanged = ranks.send_receive(&x, next, before, (rows, columns));
            // The first rank receives first. A call later it has been through a call of all ranks.
            let receive = || ranks.receive::<T>(before, (rows, columns));
            let received = if rank == 0 { Some(receive()) } else { None };
            ranks.send(&x, next);
            let received = received.unwrap_or_else(receive);
            assert_eq!(received.to_host(), exchanged.to_host(), "{}", T::DTYPE);
            exchanged
        });
        let all = (ranks.broadcast(&x, root), ranks.all_gather(&x), ranks.all_to_all(&x));
        if let Some(from_before) = &from_before {
            let again = ranks.send_receive(&x, next, before, (rows, columns));
            assert_eq!(again.to_host(), from_before.to_host(), "{}", T::DTYPE);
        }
        (all.0, all.1, all.2, from_before)
    });
    let all: Vec<DeviceArray<T>> = (0..size).map(of).collect();
    let whole = gpu::concatenate(&all, 0).to_host();
    let each = rows / size;
    for (rank, (broadcast, gathered, exchanged, from_before)) in results.iter().enumerate() {
        assert_eq!(broadcast.to_host(), all[root].to_host(), "{}", T::DTYPE);
        assert_eq!(gathered.to_host(), whole, "{}", T::DTYPE);
        let parts: Vec<_> = all.iter().map(|x| x.slice(s![rank * each..(rank + 1) * each, ..])).collect();
        assert_eq!(exchanged.to_host(), gpu::concatenate(&parts, 0).to_host(), "{}", T::DTYPE);
        if let Some(from_before) = from_before {
            assert_eq!(from_before.to_host(), all[(rank + size - 1) % size].to_host(), "{}", T::DTYPE);
        }
    }
}

#[test]
fn elements_of_every_type_arrive_as_they_were() {
    let mut random = Random::new("moves");
    macro_rules! each {
        ($($type:ty),*) => {$( (0..4).for_each(|_| moves_of::<$type>(&mut random)); )*};
    }
    each!(bool, u8, i8, u16, i16, i32, u32, i64, u64, f16, bf16, f32, f64, Complex<f32>, Complex<f64>);
}

#[test]
fn numbers_are_gathered_to_an_array() {
    let got = Communicator::local(3).run(|ranks| {
        let x = gpu::full((), ranks.rank() as i32);
        (ranks.all_gather(&x).tolist(), ranks.all_reduce(&x, Reduction::Sum).item())
    });
    assert_eq!(got, vec![(vec![0, 1, 2], 3); 3]);
}

#[test]
fn groups_are_numbered_by_key_and_are_independent() {
    let got = Communicator::local(6).run(|ranks| {
        let rank = ranks.rank();
        let colour = if rank == 5 { None } else { Some(rank as u32 % 2) };
        // The other way round.
        let group = ranks.split(colour, -(rank as i64));
        let seen = group.map(|group| {
            // Different numbers of calls in the groups.
            (0..1 + rank % 2 * 3).for_each(|_| group.barrier());
            let members = group.all_gather(&gpu::full(1, rank as i32)).tolist();
            let pairs = group.split(Some(group.rank() as u32 / 2), 0).unwrap();
            (group.rank(), members, pairs.all_reduce(&gpu::full(1, rank as i32), Reduction::Sum).item())
        });
        let all = ranks.all_reduce(&gpu::full(1, 1i32), Reduction::Sum).item();
        (seen, all)
    });
    let seen: Vec<_> = got.iter().map(|(seen, _)| seen.clone()).collect();
    assert_eq!(
        seen,
        [
            Some((2, vec![4, 2, 0], 0)),
            Some((1, vec![3, 1], 4)),
            Some((1, vec![4, 2, 0], 6)),
            Some((0, vec![3, 1], 4)),
            Some((0, vec![4, 2, 0], 6)),
            None
        ]
    );
    assert!(got.iter().all(|(_, all)| *all == 6));
}

#[test]
fn one_rank_needs_no_other() {
    let got = Communicator::local(1).run(|ranks| {
        let x = gpu::arange(4.0f64);
        ranks.barrier();
        let kept = ranks.reduce(&x, Reduction::Sum, 0).unwrap().sum() + ranks.reduce_scatter(&x, Reduction::Max).sum();
        kept + ranks.all_reduce(&x, Reduction::Average).sum()
            + ranks.all_to_all(&x).sum()
            + ranks.broadcast(&x, 0).sum()
    });
    assert_eq!(got, [30.0]);
}

/// The errors of all ranks, each of which does something.
fn errors(size: usize, work: impl Fn(&Communicator) -> gpu::Result<()> + Sync) -> Vec<String> {
    let error = |result: gpu::Result<()>| result.map_or_else(|error| error.to_string(), |()| "no error".to_owned());
    Communicator::local(size).run(|ranks| {
        ranks.set_timeout(Duration::from_secs(20));
        error(work(ranks))
    })
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(text);
}

#[test]
fn a_rank_that_panics_is_named_to_all() {
    for size in [2, 4] {
        let (start, victim) = (Instant::now(), size / 2);
        let payload = std::panic::catch_unwind(|| {
            Communicator::local(size).run(|ranks| {
                ranks.all_reduce(&gpu::ones::<f32>(3), Reduction::Sum).to_host();
                if ranks.rank() == victim {
                    panic!("on purpose");
                }
                let error = ranks.try_barrier().unwrap_err();
                assert!(
                    matches!(&error, Error::RankFailed { operation: "barrier", rank, .. } if *rank == victim),
                    "{error}"
                );
                // It stays so.
                assert_eq!(ranks.try_barrier(), Err(error));
            })
        });
        let text = format!("rank {victim}: on purpose");
        assert_eq!(payload.unwrap_err().downcast_ref::<String>(), Some(&text));
        assert!(start.elapsed() < Duration::from_secs(10), "nobody waits for the time to be up");
    }
}

#[test]
fn a_rank_that_is_done_is_named_by_who_waits_for_it() {
    let got = errors(3, |ranks| if ranks.rank() == 1 { Ok(()) } else { ranks.try_barrier() });
    check(
        &got[0],
        expect![
            "barrier: rank 1 has ended its part, and this call waits for it; let all ranks make the same calls, and drop the communicator after the last one"
        ],
    );
    assert_eq!(got[1], "no error");
    assert_eq!(got[0], got[2]);
}

#[test]
fn a_rank_that_does_not_come_is_named_when_the_time_is_up() {
    for size in [2, 3] {
        let others_know = std::sync::Barrier::new(size);
        let got = errors(size, |ranks| {
            ranks.barrier();
            ranks.all_reduce(&gpu::zeros::<f32>(9), Reduction::Sum);
            ranks.set_timeout(Duration::from_millis(300));
            // The others wait for each other too, but the last rank is to blame.
            let comes = ranks.rank() + 1 != size;
            let result =
                if comes { ranks.try_all_reduce(&gpu::zeros::<f32>(9), Reduction::Sum).map(drop) } else { Ok(()) };
            others_know.wait();
            result
        });
        check(
            &got[0].replace(&format!("rank {}", size - 1), "rank N"),
            expect![
                "all_reduce: rank N has not come to this call within 0.3 s: it is outside of calls, of which it has made 2; give it more time (`set_timeout`, or WARPCELL_DISTRIBUTED_TIMEOUT in seconds), or let all ranks make the same calls (WARPCELL_DISTRIBUTED_CHECK=1 tells which do not)"
            ],
        );
        assert!(got[..size - 1].iter().all(|error| *error == got[0]), "{got:?}");
    }
}

#[test]
fn calls_that_differ_are_named() {
    let got = errors(2, |ranks| {
        ranks.barrier();
        let x = gpu::zeros::<f32>(4);
        match ranks.rank() {
            0 => ranks.try_all_reduce(&x, Reduction::Sum).map(drop),
            _ => ranks.try_broadcast(&x, 0).map(drop),
        }
    });
    let named = |text: &String| text.contains("`all_reduce` as call 2") && text.contains("`broadcast` as call 2");
    assert!(got.iter().all(named), "{got:?}");
    let got = errors(2, |ranks| ranks.try_all_reduce(&gpu::zeros::<f32>(4 + ranks.rank()), Reduction::Sum).map(drop));
    assert!(got.iter().all(|text| text.contains("bytes for the other rank")), "{got:?}");
}

#[test]
fn what_is_received_must_be_what_was_sent() {
    let got = errors(2, |ranks| match ranks.rank() {
        0 => ranks.try_send(&gpu::zeros::<f32>((2, 3)), 1),
        _ => ranks.try_receive::<f64>(0, (2, 3)).map(drop),
    });
    check(
        &got[1],
        expect![
            "receive: rank 1 calls `receive` of [2, 3] f64, but rank 0 calls `send` of [2, 3] f32; let all ranks make the same calls in the same order, with the same shapes and types"
        ],
    );
}

#[test]
fn ranks_that_only_send_to_each_other_do_not_wait_for_ever() {
    for shape in [0, 3] {
        let x = || gpu::zeros::<f32>(shape);
        let got = errors(2, |ranks| ranks.try_send(&x(), 1 - ranks.rank()));
        check(
            &got[0],
            expect![
                "send: rank 0 waits until rank 1 receives what it sends, and rank 1 until rank 0 does; let one of them receive first, or let both call `send_receive`, which does both at once"
            ],
        );
        assert_eq!(got[1], got[0]);
    }
    let got = errors(3, |ranks| {
        ranks.set_timeout(std::time::Duration::from_millis(300));
        ranks.try_send(&gpu::zeros::<f32>(1), (ranks.rank() + 1) % 3)
    });
    assert!(got.iter().all(|text| text.contains("it is in `send`")), "{got:?}");
}

#[test]
fn a_send_receive_may_meet_a_send_and_a_receive() {
    let number = |rank: usize| gpu::full(3, rank as i64);
    let first = |x: DeviceArray<i64>| x.get(&[0]);
    let got = Communicator::local(2).run(|ranks| match ranks.rank() {
        0 => {
            ranks.send(&number(0), 1);
            first(ranks.receive(1, 3))
        }
        _ => first(ranks.send_receive(&number(1), 0, 0, 3)),
    });
    assert_eq!(got, [1, 0]);
    // A ring from rank 1 by 0 and 2, in which rank 1 does one after the other.
    for size in [3, 4] {
        let got = Communicator::local(size).run(|ranks| match ranks.rank() {
            0 => first(ranks.send_receive(&number(0), 2, 1, 3)),
            2 => first(ranks.send_receive(&number(2), 1, 0, 3)),
            1 => {
                ranks.send(&number(1), 0);
                first(ranks.receive(2, 3))
            }
            _ => 0,
        });
        assert_eq!(got[..3], [1, 2, 0]);
    }
    let got = Communicator::local(3).run(|ranks| {
        let x = gpu::arange(ranks.rank() as i64);
        match ranks.rank() {
            // Other shapes there and back, one of them without elements.
            0 => ranks.send_receive(&x, 1, 2, 2).shape().to_vec(),
            1 => ranks.send_receive(&x, 2, 0, 0).shape().to_vec(),
            _ => ranks.send_receive(&x, 0, 1, 1).shape().to_vec(),
        }
    });
    assert_eq!(got, [[2], [0], [1]]);
}

#[test]
fn arguments_without_a_meaning_are_errors_on_this_rank_only() {
    let got = Communicator::local(2).run(|ranks| {
        let x = gpu::zeros::<f32>(3);
        let texts = [
            ranks.try_broadcast(&x, 2).unwrap_err().to_string(),
            ranks.try_send(&x, ranks.rank()).unwrap_err().to_string().replace(&ranks.rank().to_string(), "N"),
            ranks.try_send_receive(&x, 1 - ranks.rank(), 5, 3).unwrap_err().to_string(),
            ranks.try_reduce_scatter(&x, Reduction::Sum).unwrap_err().to_string(),
            ranks.try_all_to_all(&gpu::full((), 1)).unwrap_err().to_string(),
        ];
        ranks.barrier();
        texts
    });
    assert_eq!(got[0], got[1]);
    check(
        &got[0].join("\n"),
        expect![[r#"
        broadcast: there is no rank 2; ranks go from 0 to 1
        send: rank N is this rank; name another one
        send_receive: there is no rank 5; ranks go from 0 to 1
        reduce_scatter: the shape [3] cannot be cut into 2 equal parts along axis 0; give it a length that is a multiple of 2
        all_to_all: the shape [] cannot be cut into 2 equal parts along axis 0; give it a length that is a multiple of 2"#]],
    );
    check(
        &Communicator::try_local(0).unwrap_err().to_string(),
        expect!["Communicator::local: there must be a rank at least; give a number from 1 on"],
    );
}

#[test]
fn ranks_say_what_they_are() {
    let device = gpu::device();
    let got = Communicator::local([device; 2]).run(|ranks| (format!("{ranks:?}"), ranks.place(1).to_owned()));
    assert_eq!(got[1], (format!("rank 1 of 2 on {device}, by threads"), device.to_string()));
    assert_eq!(format!("{:?}", Communicator::local([device])), format!("[rank 0 of 1 on {device}]"));
}
