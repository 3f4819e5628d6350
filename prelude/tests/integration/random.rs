//! Random numbers: the same on every device, of the distributions that they are named by, and what cannot be drawn.

use crate::fixtures::{check, message};
use expect_test::expect;
use warpcell as gpu;
use warpcell::prelude::*;
use warpcell::random::Generator;

/// What the generator gives, for good: these numbers are the same on every device and in every version.
#[test]
fn numbers_are_fixed_by_the_seed() {
    let words = Generator::new(0).integers(0..=u64::MAX, 4).to_host();
    // The known answer of Random123 for counter and key 0, and its next block.
    assert_eq!(words.as_slice().unwrap()[..2], [0xe169_c58d_6627_e8d5, 0x9b00_dbd8_bc57_ac4c]);
    let units = Generator::new(0).random(4).to_host();
    for (&unit, &word) in units.iter().zip(&words) {
        assert_eq!(unit, (word >> 11) as f64 / (1u64 << 53) as f64);
    }
    let small = Generator::new(0).uniform(0.0f32, 1.0, 2).to_host();
    assert_eq!(small[0], (0x6627_e8d5u32 >> 8) as f32 / (1 << 24) as f32);
    let bits = |values: ArrayD<f64>| {
        values.iter().map(|value| format!("{:016x}", value.to_bits())).collect::<Vec<_>>().join(" ")
    };
    let mut generator = Generator::new(42);
    expect!["bfe371e09f80c7de 3fee46d16bfae948 bfeb510d5acb221c 3fd020a3f1760d4b"]
        .assert_eq(&bits(generator.normal(0.0, 1.0, 4).to_host()));
    expect!["40012e8fc0ad9f8f 4007c42250ae876d 4001c50820e00312"]
        .assert_eq(&bits(generator.exponential(2.0, 3).to_host()));
    let short = |values: ArrayD<f32>| {
        values.iter().map(|value| format!("{:08x}", value.to_bits())).collect::<Vec<_>>().join(" ")
    };
    expect!["3f4b513e bfa25514 3e09fe39 3fbfba75 bed1f5cc 3fbb62f0"]
        .assert_eq(&short(generator.normal(0.0f32, 1.0, 6).to_host()));
    expect!["403ea86b 3f17ffe6 3fbc54da 4059b999 40035b0a"]
        .assert_eq(&short(generator.exponential(2.0f32, 5).to_host()));
    expect!["[0, 9, 8, 2, 6, 7, 3, 1, 5, 4]"]
        .assert_eq(&format!("{:?}", generator.permutation(10).to_host().as_slice().unwrap()));
    expect!["[60, 47, 74, 90, 59, 91, 42, 87]"]
        .assert_eq(&format!("{:?}", generator.spawn(2)[1].integers(0..100, 8).to_host().as_slice().unwrap()));
}

#[test]
fn host_and_device_agree_to_the_last_bit() {
    for size in [0usize, 1, 5, 1023, 70_001] {
        let (mut here, mut there) = (gpu::host::random::Generator::new(9), Generator::new(9));
        assert_eq!(there.random(size).to_host(), here.random(size).into_dyn());
        assert_eq!(there.uniform(-5.0, 7.0, size).to_host(), here.uniform(-5.0, 7.0, size).into_dyn());
        assert_eq!(there.uniform(-5.0f32, 7.0, size).to_host(), here.uniform(-5.0f32, 7.0, size).into_dyn());
        assert_eq!(there.normal(1.0, 2.0, size).to_host(), here.normal(1.0, 2.0, size).into_dyn());
        assert_eq!(there.normal(1.0f32, 2.0, size).to_host(), here.normal(1.0f32, 2.0, size).into_dyn());
        assert_eq!(there.exponential(0.5, size).to_host(), here.exponential(0.5, size).into_dyn());
        assert_eq!(there.exponential(0.5f32, size).to_host(), here.exponential(0.5f32, size).into_dyn());
        assert_eq!(there.integers(-7..=7, size).to_host(), here.integers(-7..=7, size).into_dyn());
        assert_eq!(there.integers(0..255u8, size).to_host(), here.integers(0..255u8, size).into_dyn());
        assert_eq!(
            there.integers(i64::MIN..2, size).to_host(),
            here.integers(i64::MIN..2, size).into_dyn(),
            "half of the words are replaced"
        );
        assert_eq!(there.permutation(size).to_host(), here.permutation(size).into_dyn());
        let (mut a, mut b) = (gpu::arange(size as i32), gpu::host::arange(size as i32));
        there.shuffle(&mut a);
        here.shuffle(&mut b);
        assert_eq!(a.to_host(), b.clone().into_dyn());
        if size > 0 {
            assert_eq!(there.choice(&a, 100, true).to_host(), here.choice(&b, 100, true).into_dyn());
            for part in [size / 100, size / 3, size] {
                assert_eq!(there.choice(&a, part, false).to_host(), here.choice(&b, part, false).into_dyn());
            }
        }
        assert_eq!(there.spawn(1)[0].random(9).to_host(), here.spawn(1)[0].random(9).into_dyn());
    }
}

/// The largest distance between the distribution function and that of the sample; Kolmogorov and Smirnov.
fn distance(mut sample: Vec<f64>, function: impl Fn(f64) -> f64) -> f64 {
    sample.sort_by(f64::total_cmp);
    let n = sample.len() as f64;
    let at = |(index, &value): (usize, &f64)| {
        let expected = function(value);
        (expected - index as f64 / n).abs().max((expected - (index + 1) as f64 / n).abs())
    };
    sample.iter().enumerate().map(at).fold(0.0, f64::max)
}

/// The normal distribution function, to 1e-7 (Abramowitz and Stegun, 26.2.17).
fn normal_function(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let series = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let tail =
        series.iter().rev().fold(0.0, |sum, c| (sum + c) * t) * (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt();
    if x > 0.0 { 1.0 - tail } else { tail }
}

#[test]
fn distributions_are_what_they_are_named() {
    const N: usize = 200_000;
    // Larger once in 10,000 samples of this size; the seeds are fixed.
    let limit = 2.23 / (N as f64).sqrt();
    for seed in 0..3 {
        let mut generator = Generator::new(seed);
        let double = |a: DeviceArray<f64>| a.to_host().into_raw_vec_and_offset().0;
        let single = |a: DeviceArray<f32>| double(a.astype::<f64>());
        let uniform = |x: f64| (x + 2.0) / 5.0;
        assert!(distance(double(generator.uniform(-2.0, 3.0, N)), uniform) < limit);
        assert!(distance(single(generator.uniform(-2.0f32, 3.0, N)), uniform) < limit);
        let normal = |x: f64| normal_function((x - 1.0) / 3.0);
        assert!(distance(double(generator.normal(1.0, 3.0, N)), normal) < limit);
        assert!(distance(single(generator.normal(1.0f32, 3.0, N)), normal) < limit);
        let exponential = |x: f64| 1.0 - (-x / 4.0).exp();
        assert!(distance(double(generator.exponential(4.0, N)), exponential) < limit);
        assert!(distance(single(generator.exponential(4.0f32, N)), exponential) < limit);
    }
}

#[test]
fn moments() {
    const N: usize = 1_000_000;
    let mut generator = Generator::new(123);
    let z = generator.normal(0.0, 1.0, N);
    // Six standard deviations of each estimate.
    let near = |found: f64, expected: f64, variance: f64| {
        assert!((found - expected).abs() < 6.0 * (variance / N as f64).sqrt(), "{found} for {expected}");
    };
    near(z.mean(), 0.0, 1.0);
    near(z.square().mean(), 1.0, 2.0);
    near((&z * &z * &z).mean(), 0.0, 15.0);
    near(z.square().square().mean(), 3.0, 96.0);
    // The two of a pair, and neighbouring pairs, are not correlated.
    near((z.slice(s![..;2]) * z.slice(s![1..;2])).mean(), 0.0, 2.0);
    near((z.slice(s![..N as isize - 2]) * z.slice(s![2..])).mean(), 0.0, 1.0);
    let u = generator.random(N);
    near(u.mean(), 0.5, 1.0 / 12.0);
    near((&u * &u).mean(), 1.0 / 3.0, 4.0 / 45.0);
    near((u.slice(s![..-1]) * u.slice(s![1..])).mean(), 0.25, 7.0 / 144.0 + 1.0 / 24.0);
    let dice = generator.integers(1..=6, N);
    for face in 1..=6 {
        near(dice.eq(face).count_nonzero() as f64 / N as f64, 1.0 / 6.0, 5.0 / 36.0);
    }
    // Two streams of one generator.
    let [mut one, mut other] = <[Generator; 2]>::try_from(generator.spawn(2)).unwrap();
    near((one.normal(0.0, 1.0, N) * other.normal(0.0, 1.0, N)).mean(), 0.0, 1.0);
}

#[test]
fn bounds_are_kept() {
    let mut generator = Generator::new(5);
    let next = 1.0f64.next_up();
    assert!(generator.uniform(1.0, next, 1000).eq(1.0).all(), "there is one number in the range");
    let next = 8.0f32.next_up();
    assert!(generator.uniform(8.0f32, next, 1000).eq(8.0).all());
    let wide = generator.uniform(-1e308, 0.7e308, 1000);
    assert!(wide.ge(-1e308).all() && wide.lt(0.7e308).all());
    assert!(generator.uniform(1e6f32, 1e6f32 + 0.25, 100_000).lt(1e6f32 + 0.25).all());
    assert!(generator.normal(2.5, 0.0, 10).eq(2.5).all());
    assert!(generator.exponential(0.0f32, 10).eq(0.0).all());
    assert_eq!(generator.integers(7..8u8, 3).sum(), 21);
    let edge = generator.integers(u64::MAX..=u64::MAX, 2);
    assert_eq!(edge.get(&[1]), u64::MAX);
    assert_eq!(generator.random((3, 0, 2)).shape(), [3, 0, 2]);
    assert_eq!(generator.integers(0..3, 0).size(), 0);
    assert_eq!(generator.normal(0.0, 1.0, ()).shape(), [0usize; 0]);
    assert_eq!(generator.permutation(0).size(), 0);
    assert_eq!(generator.permutation(1).get(&[0]), 0);
}

#[test]
fn parts_along_the_first_axis_stay_together() {
    let mut generator = Generator::new(6);
    let mut table = gpu::arange(300).reshape((100, 3));
    generator.shuffle(&mut table);
    let host = table.to_host_as::<Ix2>();
    assert!(host.rows().into_iter().all(|row| row[0] % 3 == 0 && row[1] == row[0] + 1 && row[2] == row[0] + 2));
    assert!(host.column(0).windows(2).into_iter().any(|pair| pair[1] != pair[0] + 3));
    assert_eq!(host.sum(), 299 * 300 / 2);
    let rows = generator.choice(&table, (2, 5), true);
    assert_eq!(rows.shape(), [2, 5, 3]);
    // A view: every second element of an array is shuffled, the others stay.
    let a = gpu::arange(100);
    generator.shuffle(&mut a.slice(s![..;-2]));
    let host = a.to_host_as::<Ix1>();
    assert!((0..100).step_by(2).all(|index| host[index] == index as i32) && host.sum() == 4950);
    let mut matrix = gpu::host::arange(12).into_shape_with_order((4, 3)).unwrap();
    gpu::host::random::shuffle(&mut matrix);
    assert_eq!(matrix.sum(), 66);
    // Without replacement, no element comes twice, also where few of many are chosen.
    let chosen = generator.choice(&gpu::arange(10_000), 400, false).to_host_as::<Ix1>();
    assert_eq!(chosen.iter().collect::<std::collections::HashSet<_>>().len(), 400);
}

#[test]
fn default_generators_are_seeded_apart() {
    gpu::random::seed(1);
    let first = gpu::random::integers(0..=u64::MAX, 3).to_host();
    gpu::host::random::seed(1);
    assert_eq!(gpu::host::random::integers(0..=u64::MAX, 3).into_dyn(), first);
    assert_ne!(gpu::host::random::integers(0..=u64::MAX, 3).into_dyn(), first);
    // A panic leaves the default generator usable.
    message(|| drop(gpu::random::normal(0.0, f64::NAN, 3)));
    assert_eq!(gpu::random::random(2).size(), 2);
}

#[test]
fn what_cannot_be_drawn() {
    let mut generator = Generator::new(0);
    check(
        || drop(gpu::random::uniform(1.0, 1.0, 3)),
        expect!["uniform: there are no numbers from 1 to below 1; give finite bounds, with the lower one first"],
    );
    check(
        || drop(gpu::host::random::uniform(0.0, f32::NAN, 3)),
        expect!["uniform: there are no numbers from 0 to below NaN; give finite bounds, with the lower one first"],
    );
    check(
        || drop(generator.uniform(f32::MIN, f32::MAX, 3)),
        expect![
            "uniform: the range from -340282350000000000000000000000000000000 to 340282350000000000000000000000000000000 is too large for f32; draw from a smaller range, and scale the numbers"
        ],
    );
    check(
        || drop(gpu::random::normal(0.0, -1.0, 3)),
        expect![
            "normal: there is no distribution with mean 0 and standard deviation -1; give finite numbers; the standard deviation must not be negative"
        ],
    );
    check(
        || drop(gpu::random::exponential(f64::INFINITY, 3)),
        expect!["exponential: there is no distribution with mean inf; give a finite number that is not negative"],
    );
    check(
        || drop(gpu::random::integers(5..5u8, 3)),
        expect!["integers: the range 5..5 is empty; give the lower bound first"],
    );
    check(
        || drop(gpu::host::random::integers(3..=2, 3)),
        expect!["integers: the range 3..=2 is empty; give the lower bound first"],
    );
    check(
        || drop(gpu::random::choice(&gpu::zeros::<f64>(3), 4, false)),
        expect!["choice: 4 elements cannot be chosen from an axis of length 3; choose fewer, or with replacement"],
    );
    check(
        || drop(gpu::random::choice(&gpu::zeros::<f64>(0), 1, true)),
        expect!["choice: 1 elements cannot be chosen from an axis of length 0; give one that has some"],
    );
    check(
        || gpu::random::shuffle(&mut gpu::zeros::<f64>(())),
        expect!["shuffle: the shape [] has no axis to choose along; give an array with at least one axis"],
    );
    check(
        || gpu::random::shuffle(&mut gpu::zeros::<f64>(1).broadcast_to(3)),
        expect!["shuffle: the target is a broadcast view, whose elements repeat; write to a `copy()` of it"],
    );
    check(
        || drop(gpu::random::random((usize::MAX, 2))),
        expect![
            "random: the shape [18446744073709551615, 2] has more elements of f64 than memory can address; use a smaller one"
        ],
    );
}

/// The state is four numbers, which can be written down and put back.
#[test]
fn states_are_saved_and_put_back() {
    use gpu::random::{Philox4x3210, RandomState};
    let mut generator = Generator::new(11);
    generator.random(1001);
    generator.spawn(2);
    let written = format!("{:?}", generator.bit_generator().state());
    assert_eq!(written, "[11, 0, 501, 2]");
    let read: Vec<u64> = written.trim_matches(['[', ']']).split(", ").map(|word| word.parse().unwrap()).collect();
    let mut again = RandomState::from(Philox4x3210::from_state(read.try_into().unwrap()));
    assert_eq!(again.bit_generator(), generator.bit_generator());
    assert!(again.normal(0.0, 1.0, 7).eq(&generator.normal(0.0, 1.0, 7)).all());
    assert!(again.spawn(1)[0].random(7).eq(&generator.spawn(1)[0].random(7)).all());
    let mut fresh = Generator::from(Philox4x3210::new(11));
    assert!(fresh.random(9).eq(&Generator::new(11).random(9)).all());
    assert_ne!(Philox4x3210::from_entropy(), Philox4x3210::from_entropy());
    // The same on the host.
    let mut on_host = gpu::host::random::Generator::from(generator.bit_generator());
    assert_eq!(on_host.random(9).into_dyn(), generator.random(9).to_host());
    assert_eq!(on_host.bit_generator(), generator.bit_generator());
}
