//! Arrays that are split over ranks, compared with the same computation on one array.

use crate::Random;
use expect_test::expect;
use warpcell as gpu;
use warpcell::Element;
use warpcell::distributed::{Communicator, Sharded};
use warpcell::prelude::*;

/// Calls a test for some random numbers of ranks, and lengths from 0 to more than there are ranks.
fn for_some(test: &str, mut work: impl FnMut(&mut Random, usize, usize)) {
    let mut random = Random::new(test);
    for _ in 0..12 {
        let (size, length) = (1 + random.below(5), [0, 1, 3, 8, 21][random.below(5)]);
        work(&mut random, size, length);
    }
}

/// Small numbers, so that their sums are exact.
fn table(random: &mut Random, rows: usize, columns: usize) -> DeviceArray<f64> {
    let values: Vec<f64> = (0..rows * columns).map(|_| random.below(200) as f64 - 100.0).collect();
    gpu::array(&values).reshape((rows, columns))
}

/// What ranks make of the parts of an array, gathered; it is the same on all of them.
fn gathered<T: Element, U: Element>(
    size: usize,
    x: &DeviceArray<T>,
    work: impl Fn(Sharded<T>) -> Sharded<U> + Sync,
) -> DeviceArray<U> {
    let mut all = Communicator::local(size).run(|ranks| {
        let made = work(ranks.shard(x));
        assert_eq!(made.part().shape()[0], made.rows(ranks.rank()).len());
        made.gather()
    });
    let first = all.swap_remove(0);
    // As text, in which NaN is equal to itself.
    all.iter().for_each(|other| assert_eq!(format!("{:?}", other.to_host()), format!("{:?}", first.to_host())));
    first
}

#[test]
fn elements_are_computed_as_in_one_array() {
    for_some("elements", |random, size, length| {
        let (x, row) = (table(random, length, 3), table(random, 1, 3));
        let got = gathered(size, &x, |x| {
            let row = row.to_device(x.ranks().device());
            let row = x.map_parts(|part| part * 0.0 + &row);
            (&x * 2.0 - &row + x.map_parts(|part| part.abs())) / 4.0
        });
        assert_eq!(got.to_host(), ((&x * 2.0 - &row + x.abs()) / 4.0).to_host());
        let sums = gathered(size, &x, |x| x.map_parts(|part| part.sum_axis(1)));
        assert_eq!(sums.to_host(), x.sum_axis(1).to_host());
        let both = gathered(size, &x, |x| x.zip_parts(&x.map_parts(|part| part.square()), |x, y| x.lt(y)));
        assert_eq!(both.to_host(), x.lt(&x.square()).to_host());
        let w = table(random, 3, 4);
        assert_eq!(
            gathered(size, &x, |x| x.matmul(&w.to_device(x.ranks().device()))).to_host(),
            gpu::matmul(&x, &w).to_host()
        );
    });
}

fn rings<T: Element + warpcell::Arithmetic>(random: &mut Random, size: usize) {
    // Lengths below the number of ranks, too.
    let [rows, inner, columns] = [(); 3].map(|()| [0, 1, 3, 8, 13][random.below(5)]);
    let [x, y] = [table(random, rows, inner), table(random, inner, columns)].map(|x| x.astype::<T>());
    let expected = gpu::matmul(&x, &y).to_host();
    let got = gathered(size, &x, |x| x.matmul_sharded(&x.ranks().shard(&y)));
    assert_eq!(got.to_host(), expected, "{rows} × {inner} × {columns} of {} on {size}", T::DTYPE);
}

#[test]
fn products_of_split_matrices_are_those_of_whole_ones() {
    let mut random = Random::new("rings");
    for _ in 0..8 {
        let size = 1 + random.below(5);
        rings::<f64>(&mut random, size);
        rings::<f32>(&mut random, size);
        rings::<i32>(&mut random, size);
        rings::<Complex<f32>>(&mut random, size);
    }
    let got = Communicator::local(2).run(|ranks| {
        let x = ranks.fromfunction(|[i, j]| i + j, [3, 2]);
        let texts = [
            x.try_matmul_sharded(&x).unwrap_err().to_string(),
            x.try_matmul_sharded(&ranks.split(Some(ranks.rank() as u32), 0).unwrap().fromfunction(|[i, _]| i, [2, 1]))
                .unwrap_err()
                .to_string(),
        ];
        ranks.barrier();
        texts
    });
    expect![[r#"
        matmul_sharded: the shape [3, 2] cannot be multiplied by the shape [3, 2]; both need two axes, and the second length must be the other's first
        matmul_sharded: the matrices are split over different ranks; make both with the same communicator"#]]
    .assert_eq(&got[0].join("\n"));
}

#[test]
fn reductions_are_those_of_one_array() {
    for_some("reductions of parts", |random, size, length| {
        let x = table(random, length, 2);
        let integers = x.astype::<i8>();
        let got = Communicator::local(size).run(|ranks| {
            let (x, integers) = (ranks.shard(&x), ranks.shard(&integers));
            let extremes = (length > 0).then(|| (x.max(), x.min(), integers.max(), integers.min()));
            assert!(length > 0 || x.try_max().unwrap_err().to_string().contains("[0, 2] has no elements"));
            (x.sum(), integers.sum(), integers.prod(), extremes, x.mean(), integers.mean())
        });
        for (sum, of_integers, product, extremes, mean, of_means) in got {
            assert_eq!((sum, of_integers, product), (x.sum(), integers.sum(), integers.prod()));
            assert_eq!(extremes, (length > 0).then(|| (x.max(), x.min(), integers.max(), integers.min())));
            assert_eq!(mean.to_bits(), (x.sum() / (2 * length) as f64).to_bits());
            assert!((of_means - integers.mean()).abs() < 1e-12 || length == 0);
        }
    });
}

#[test]
fn other_types_have_reductions_too() {
    let got = Communicator::local(3).run(|ranks| {
        let z = ranks.from_rows(4, |rows| {
            let x = gpu::arange((rows.start as f64, rows.end as f64));
            x.astype::<Complex<f64>>() * Complex::new(0.0, 1.0)
        });
        let bools = ranks.shard(&gpu::array(&[false, true, true, false]));
        let halves = ranks.shard(&gpu::arange(4.0f32).astype::<f16>());
        (z.sum(), z.mean(), z.max(), bools.sum(), bools.max(), bools.mean(), halves.sum(), halves.min())
    });
    let i = Complex::new(0.0, 1.0);
    assert_eq!(got, vec![(i * 6.0, i * 1.5, i * 3.0, 2, true, 0.5, 6.0, f16::ZERO); 3]);
}

#[test]
fn arrays_are_made_split() {
    for_some("making", |random, size, length| {
        let x = table(random, length, 2);
        let root = random.below(size);
        let got = Communicator::local(size).run(|ranks| {
            let scattered = ranks.scatter((ranks.rank() == root).then_some(&x), root);
            let made = ranks.fromfunction(|[i, j]| i * 10.0 + j, [length, 2]);
            let rows = ranks.from_rows(length, |rows| x.slice(s![rows.start..rows.end, ..]));
            assert_eq!(scattered.shape(), [length, 2]);
            [scattered.gather(), made.gather(), rows.gather()]
        });
        let made = gpu::fromfunction(|[i, j]| i * 10.0 + j, [length, 2]);
        for [scattered, function, rows] in got {
            assert_eq!(scattered.to_host(), x.to_host());
            assert_eq!(function.to_host(), made.to_host());
            assert_eq!(rows.to_host(), x.to_host());
        }
    });
}

#[test]
fn files_are_read_by_rows() {
    let folder = std::env::temp_dir().join(format!("warpcell-sharded-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for_some("files", |random, size, length| {
        let x = table(random, length, 3);
        let (rows, columns) = (folder.join("rows.npy"), folder.join("columns.npy"));
        gpu::save(&rows, &x);
        gpu::save(&columns, &x.t().copy().t());
        // Some of the files have no rows.
        let mut cuts: Vec<usize> = (0..random.below(5)).map(|_| random.below(length + 1)).collect();
        cuts.extend([0, length]);
        cuts.sort_unstable();
        let parts: Vec<_> = (0..cuts.len() - 1).map(|part| folder.join(format!("part{part}.npy"))).collect();
        for (path, cut) in parts.iter().zip(cuts.windows(2)) {
            gpu::save(path, &x.slice(s![cut[0]..cut[1], ..]));
        }
        let got = Communicator::local(size).run(|ranks| {
            [ranks.load::<f64>(&rows), ranks.load(&columns), ranks.load_files(&parts)].map(|x| x.gather())
        });
        got.iter().flatten().for_each(|got| assert_eq!(got.to_host(), x.to_host()));
    });
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn halos_are_the_rows_around_a_part() {
    for_some("halos", |random, size, length| {
        let x = table(random, length, 2);
        let width = random.below(5);
        // Whether neighbours, or the ends, are far away: several times around.
        for boundary in [Boundary::Fill(-7.0), Boundary::Wrap, Boundary::Symmetric] {
            if length == 0 && boundary != Boundary::Fill(-7.0) {
                continue;
            }
            let row = |place: isize| -> Vec<f64> {
                let inside = |at: isize| (0..2).map(|column| x.get(&[at as usize, column])).collect();
                let length = length as isize;
                match boundary {
                    _ if (0..length).contains(&place) => inside(place),
                    Boundary::Fill(value) => vec![value; 2],
                    Boundary::Wrap => inside(place.rem_euclid(length)),
                    Boundary::Symmetric if place.div_euclid(length) % 2 == 0 => inside(place.rem_euclid(length)),
                    Boundary::Symmetric => inside(length - 1 - place.rem_euclid(length)),
                }
            };
            let got = Communicator::local(size).run(|ranks| {
                let x = ranks.shard(&x);
                // The sum of a row and of those so far away.
                let around = |wide: &DeviceArray<f64>| {
                    let rows = wide.shape()[0] - 2 * width;
                    let cut = |from: usize| wide.slice(s![from..from + rows, ..]);
                    cut(0) + cut(width) * 1000.0 + cut(2 * width) * 1e6
                };
                let wide = x.halo(width, boundary);
                let mapped = x.map_halo(width, boundary, around);
                assert_eq!(mapped.part().to_host(), around(&wide).to_host());
                (x.rows(ranks.rank()), wide.ravel().tolist())
            });
            for (rows, got) in got {
                let places = rows.start as isize - width as isize..rows.end as isize + width as isize;
                assert_eq!(
                    got,
                    places.flat_map(row).collect::<Vec<f64>>(),
                    "{boundary:?} {width} of {length} on {size}"
                );
            }
        }
    });
}

#[test]
fn a_heat_equation_is_that_of_one_array() {
    let mut u = gpu::random::default_rng(5).random((30, 20));
    let step = |wide: &DeviceArray<f64>| {
        let [n, m] = [wide.shape()[0], wide.shape()[1]];
        let middle = wide.slice(s![1..-1, 1..-1]);
        let around = wide.slice(s![..n - 2, 1..-1])
            + wide.slice(s![2.., 1..-1])
            + wide.slice(s![1..-1, ..m - 2])
            + wide.slice(s![1..-1, 2..]);
        &middle + (around - &middle * 4.0) * 0.1
    };
    let sides = |rows: DeviceArray<f64>| {
        let zeros = gpu::zeros::<f64>((rows.shape()[0], 1));
        gpu::concatenate(&[zeros.clone(), rows, zeros], 1)
    };
    let got = Communicator::local(4).run(|ranks| {
        let mut u = ranks.shard(&u);
        for _ in 0..25 {
            let wide = sides(u.halo(1, Boundary::Fill(0.0)));
            u = u.map_parts(|_| step(&wide));
        }
        u.gather()
    });
    for _ in 0..25 {
        let zeros = gpu::zeros::<f64>((1, 20));
        u = step(&sides(gpu::concatenate(&[zeros.clone(), u, zeros], 0)));
    }
    got.iter().for_each(|got| assert_eq!(got.to_host(), u.to_host()));
}

fn sorts<T: Element>(random: &mut Random) {
    let (size, length) = (1 + random.below(6), [0, 1, 5, 60, 500][random.below(5)]);
    // Many are equal, or few.
    let most = [1, 3, 100_000][random.below(3)];
    let values: Vec<i32> = (0..length).map(|_| random.below(most) as i32).collect();
    let x = gpu::array(&values).astype::<T>();
    assert_eq!(gathered(size, &x, |x| x.sort()).to_host(), gpu::sort(&x).to_host(), "{} of {size}", T::DTYPE);
}

#[test]
fn arrays_are_sorted_as_one() {
    let mut random = Random::new("sorting");
    macro_rules! each {
        ($($type:ty),*) => {$( (0..3).for_each(|_| sorts::<$type>(&mut random)); )*};
    }
    each!(bool, u8, i8, u16, i16, i32, u32, i64, u64, f16, bf16, f32, f64, Complex<f32>, Complex<f64>);
    let x = gpu::array(&[2.0, f64::NAN, -1.0, 7.0, f64::NEG_INFINITY, f64::NAN, 0.0]);
    let sorted = gathered(3, &x, |x| x.sort()).tolist();
    assert_eq!(sorted[..5], [f64::NEG_INFINITY, -1.0, 0.0, 2.0, 7.0]);
    assert!(sorted[5].is_nan() && sorted[6].is_nan());
}

#[test]
fn a_split_array_says_where_its_parts_are() {
    let device = gpu::Device::Cpu;
    let got = Communicator::local([device; 3]).run(|ranks| format!("{:?}", ranks.fromfunction(|[i, _]| i, [7, 1])));
    expect![[r#"
        Sharded<f64> of shape [7, 1] over 3 ranks
          rank 0: rows 0..3, cpu
          rank 1: rows 3..5, cpu (this rank)
          rank 2: rows 5..7, cpu"#]]
    .assert_eq(&got[1]);
}

#[test]
fn what_does_not_fit_is_an_error() {
    let got = Communicator::local(2).run(|ranks| {
        let x = ranks.fromfunction(|[i]| i, [5]);
        let other = ranks.split(Some(0), 0).unwrap().fromfunction(|[i]| i, [4]);
        let texts = [
            x.try_map_parts(|part| part.sum_axis(0)).unwrap_err().to_string(),
            x.try_zip_parts(&other, |x, _| x.clone()).unwrap_err().to_string(),
            x.try_matmul(&gpu::zeros(5)).unwrap_err().to_string(),
            ranks.shard(&gpu::zeros::<f32>((2, 2))).try_sort().unwrap_err().to_string(),
            ranks.shard(&gpu::zeros::<f32>(0)).try_halo(1, Boundary::Wrap).unwrap_err().to_string(),
            ranks.shard(&gpu::zeros::<f32>(6)).try_map_halo(1, Boundary::Wrap, Clone::clone).unwrap_err().to_string(),
            ranks.try_shard(&gpu::full((), 1)).unwrap_err().to_string(),
            ranks.try_from_rows(4, |_| gpu::zeros::<f32>(1)).unwrap_err().to_string().replace("2..4", "0..2"),
            ranks.try_load_files::<f32>(&[""; 0]).unwrap_err().to_string(),
        ];
        ranks.barrier();
        texts
    });
    expect![[r#"
        map_parts: the shape [] does not have the 3 rows of the part that was given; keep the length of axis 0
        zip_parts: the shape [4] is not split as the shape [5]; give both the same length along axis 0
        matmul: the shape [5] has one axis, and that is split; multiply and sum: `(&x * &y).sum()`
        sort: the shape [2, 2] has more than one axis; rows are sorted without communication: `x.map_parts(|part| gpu::sort(part))`
        halo: the shape [0] has no rows to continue it by; use `Boundary::Fill(value)`
        map_halo: the shape [3] does not have 1 rows, 2 less than what was given; leave out the first and the last 1
        shard: the shape [] has no axis to split; give an array with one at least
        from_rows: the shape [1] does not have 2 rows, 0..2 of 4; let the function give as many
        load_files: there is no file; give one at least"#]].assert_eq(&got[0].join("\n"));
}
