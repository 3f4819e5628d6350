//! The puzzles: tasks, launches, results and hints.

use super::case::Topic::{Barrier, Bounds, Limit, Race, Uninitialised, Unwritten, Wrong};
use super::case::{Case, Description, PuzzleArray as Array};

/// Numbers for an array: whole, small, none like its neighbours.
fn numbers(length: usize, seed: usize) -> Vec<f64> {
    (0..length).map(|i| ((7 * i + 3 * (i / 5) + seed) % 10) as f64).collect()
}

fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().sum()
}

pub(super) static MAP: Description = Description {
    name: "map",
    task: "`out[i]` is three times `a[i]`, plus 1. There is one thread for each element.",
    signature: "fn map(a: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |n: usize| {
            let a = numbers(n, 2);
            let out = a.iter().map(|x| 3.0 * x + 1.0).collect();
            Case::new([1, 1], [n, 1], vec![Array::new("a", a)], Array::new("out", out))
        };
        vec![case(6), case(9)]
    },
    hints: &[(&[Unwritten], "Every thread writes one element, the one whose index is the thread's own.")],
};

pub(super) static ZIP: Description = Description {
    name: "zip",
    task: "`out[i]` is the larger one of `a[i]` and `b[i]`. There is one thread for each element.",
    signature: "fn zip(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |n: usize| {
            let (a, b) = (numbers(n, 1), numbers(n, 6));
            let out = a.iter().zip(&b).map(|(x, y)| x.max(*y)).collect();
            let inputs = vec![Array::new("a", a), Array::new("b", b)];
            Case::new([1, 1], [n, 1], inputs, Array::new("out", out))
        };
        vec![case(6), case(8)]
    },
    hints: &[(&[Wrong], "Numbers have the method `max`: `x.max(y)`.")],
};

pub(super) static GUARD: Description = Description {
    name: "guard",
    task: "`out[i]` is half of `a[i]`. There are more threads than elements.",
    signature: "fn guard(a: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |n: usize| {
            let a = numbers(n, 4);
            let out = a.iter().map(|x| x / 2.0).collect();
            Case::new([1, 1], [8, 1], vec![Array::new("a", a)], Array::new("out", out))
        };
        vec![case(5), case(8), case(1)]
    },
    hints: &[
        (&[Bounds], "A thread without an element must not read or write: `if i < a.len() { … }`."),
        (&[Unwritten], "The guard excludes a thread that has an element."),
    ],
};

pub(super) static MAP_2D: Description = Description {
    name: "map_2d",
    task: "`out` is the image mirrored, left to right. There is one block, larger than the image both ways.",
    signature: "fn map_2d(image: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |rows: usize, columns: usize| {
            let image = numbers(rows * columns, 3);
            let out = image.chunks(columns).flat_map(|row| row.iter().rev().copied()).collect();
            let inputs = vec![Array::rows("image", columns, image)];
            Case::new([1, 1], [6, 6], inputs, Array::rows("out", columns, out))
        };
        vec![case(3, 5), case(4, 2)]
    },
    hints: &[
        (
            &[Bounds],
            "The row comes first: `image[[y, x]]`. There are `image.shape()[0]` rows and `image.shape()[1]` columns; a \
             thread whose `y` or `x` is not below these has no element.",
        ),
        (&[Wrong], "The first column becomes the last: column `x` comes from `columns - 1 - x`."),
    ],
};

pub(super) static BROADCAST: Description = Description {
    name: "broadcast",
    task: "`out[[y, x]]` is `column[y]` times `row[x]`. There is one block, larger than `out` both ways.",
    signature: "fn broadcast(column: View<f32>, row: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |rows: usize, columns: usize| {
            let (column, row) = (numbers(rows, 1), numbers(columns, 2));
            let out = column.iter().flat_map(|x| row.iter().map(move |y| x * y)).collect();
            let inputs = vec![Array::new("column", column), Array::new("row", row)];
            Case::new([1, 1], [6, 6], inputs, Array::rows("out", columns, out))
        };
        vec![case(3, 5), case(4, 4)]
    },
    hints: &[(
        &[Bounds],
        "`column` has an element for each row of `out`, which `y` counts, and `row` one for each column.",
    )],
};

pub(super) static BLOCKS: Description = Description {
    name: "blocks",
    task: "`out[i]` is the square of `a[i]`. A block has 4 threads, so it takes several.",
    signature: "fn blocks(a: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |n: usize, blocks: usize| {
            let a = numbers(n, 5);
            let out = a.iter().map(|x| x * x).collect();
            Case::new([blocks, 1], [4, 1], vec![Array::new("a", a)], Array::new("out", out))
        };
        vec![case(10, 3), case(16, 4)]
    },
    hints: &[
        (
            &[Race],
            "Each block has a thread 0. What tells them apart is `block_idx().x`: with `block_dim().x` threads in a block, \
             the first of block b has the index `b * block_dim().x`.",
        ),
        (&[Bounds], "The last block has more threads than there are elements left."),
    ],
};

pub(super) static BLOCKS_2D: Description = Description {
    name: "blocks_2d",
    task: "`out` is the image with 5 added to each pixel, but nothing above 9. Blocks have 3 × 3 threads.",
    signature: "fn blocks_2d(image: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |rows: usize, columns: usize| {
            let image = numbers(rows * columns, 7);
            let out = image.iter().map(|x| (x + 5.0).min(9.0)).collect();
            let grid = [columns.div_ceil(3), rows.div_ceil(3)];
            let inputs = vec![Array::rows("image", columns, image)];
            Case::new(grid, [3, 3], inputs, Array::rows("out", columns, out))
        };
        vec![case(5, 7), case(7, 4)]
    },
    hints: &[
        (&[Race], "The grid has two axes too: rows are counted by `block_idx().y`, columns by `block_idx().x`."),
        (&[Bounds], "Blocks at the right and at the lower edge reach beyond the image: both axes need a guard."),
        (&[Unwritten], "`global_idx()` has the index in the whole grid along each axis."),
    ],
};

pub(super) static SHARED: Description = Description {
    name: "shared",
    task: "`out[i]` is the sum of the 8 elements of `a` that belong to its block. A thread may read `a` once.",
    signature: "fn shared(a: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |blocks: usize| {
            let a = numbers(8 * blocks, 1);
            let out = a.chunks(8).flat_map(|part| [sum(part.iter().copied()); 8]).collect();
            Case::new([blocks, 1], [8, 1], vec![Array::new("a", a)], Array::new("out", out)).reads(1).writes(1)
        };
        vec![case(2), case(3)]
    },
    hints: &[
        (
            &[Limit],
            "Let each thread read one element into shared memory, `let mut tile = shared_array::<f32>(8);`, wait for the \
             others with `sync_threads()`, and read the rest from there.",
        ),
        (&[Race, Uninitialised], "Write `sync_threads()` after the tile is written and before other threads read it."),
    ],
};

pub(super) static POOLING: Description = Description {
    name: "pooling",
    task: "`out[i]` is the sum of `a[i]` and the two elements before it, if they exist. A thread may read `a` once.",
    signature: "fn pooling(a: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |n: usize| {
            let a = numbers(n, 3);
            let out = (0..n).map(|i| sum(a[i.saturating_sub(2)..=i].iter().copied())).collect();
            Case::new([1, 1], [n, 1], vec![Array::new("a", a)], Array::new("out", out)).reads(1).writes(1)
        };
        vec![case(8), case(5)]
    },
    hints: &[
        (
            &[Race, Uninitialised],
            "A thread reads what its neighbours write into the tile, so all of them must write first.",
        ),
        (&[Bounds], "Thread 0 has no element before its own, and thread 1 has only one."),
    ],
};

pub(super) static DOT: Description = Description {
    name: "dot",
    task: "`out[0]` is the dot product of `a` and `b`. A thread may read two elements and write one.",
    signature: "fn dot(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |seed: usize| {
            let (a, b) = (numbers(8, seed), numbers(8, seed + 4));
            let out = vec![sum(a.iter().zip(&b).map(|(x, y)| x * y))];
            let inputs = vec![Array::new("a", a), Array::new("b", b)];
            Case::new([1, 1], [8, 1], inputs, Array::new("out", out)).reads(2).writes(1)
        };
        vec![case(1), case(8)]
    },
    hints: &[(
        &[Race],
        "`out[0] += x` reads, adds and writes: another thread may write in between. Put the products into shared memory, \
             wait, and let one thread add them up.",
    )],
};

pub(super) static CONVOLUTION: Description = Description {
    name: "convolution",
    task: "`out[i]` is `weights[0] * a[i] + weights[1] * a[i + 1] + weights[2] * a[i + 2]`, where elements past the \
           end of `a` count as 0. Blocks have 6 threads. Each thread may read three elements.",
    signature: "fn convolution(a: View<f32>, weights: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |n: usize| {
            let (a, weights) = (numbers(n, 2), vec![1.0, 2.0, 3.0]);
            let at = |i: usize| a.get(i).copied().unwrap_or(0.0);
            let out = (0..n).map(|i| sum((0..3).map(|k| weights[k] * at(i + k)))).collect();
            let inputs = vec![Array::new("a", a.clone()), Array::new("weights", weights)];
            Case::new([n.div_ceil(6), 1], [6, 1], inputs, Array::new("out", out)).reads(3).writes(1)
        };
        vec![case(12), case(10)]
    },
    hints: &[
        (
            &[Uninitialised],
            "The last two threads of a block need two elements that no thread has loaded: let the first two threads load \
             these also, and 0 where `a` has ended.",
        ),
        (&[Limit], "The weights are read often: they belong into shared memory too."),
    ],
};

pub(super) static PREFIX_SUM: Description = Description {
    name: "prefix_sum",
    task: "`out[i]` is the sum of `a[0]` to `a[i]`. There is one block of 8 threads. Each thread may read `a` once.",
    signature: "fn prefix_sum(a: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |seed: usize| {
            let a = numbers(8, seed);
            let out = (0..8).map(|i| sum(a[..=i].iter().copied())).collect();
            Case::new([1, 1], [8, 1], vec![Array::new("a", a)], Array::new("out", out)).reads(1).writes(1)
        };
        vec![case(1), case(6)]
    },
    hints: &[(
        &[Race],
        "In one step an element is read by one thread and changed by another. First read into a variable, and \
             wait. Then write, and wait again before the next step reads.",
    )],
};

pub(super) static AXIS_SUM: Description = Description {
    name: "axis_sum",
    task: "`out[y]` is the sum of row `y`. There is a block of 8 threads for each row; a thread may read one element.",
    signature: "fn axis_sum(a: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |rows: usize, columns: usize| {
            let a = numbers(rows * columns, 4);
            let out = a.chunks(columns).map(|row| sum(row.iter().copied())).collect();
            let inputs = vec![Array::rows("a", columns, a)];
            Case::new([rows, 1], [8, 1], inputs, Array::new("out", out)).reads(1).writes(1)
        };
        vec![case(3, 8), case(2, 6)]
    },
    hints: &[
        (
            &[Barrier],
            "A barrier is for all threads of the block. Threads that have nothing to add in a step must reach it too: \
             put it after the `if`.",
        ),
        (&[Bounds], "Rows may have fewer elements than the block has threads; the others count as 0."),
    ],
};

pub(super) static MATMUL: Description = Description {
    name: "matmul",
    task: "`out` is the matrix product of `a` and `b`. Blocks have 4 × 4 threads; a thread may read two elements for each 4 of \
           the inner axis.",
    signature: "fn matmul(a: View<f32>, b: View<f32>, mut out: ViewMut<f32>)",
    cases: || {
        let case = |rows: usize, inner: usize, columns: usize| {
            let (a, b) = (numbers(rows * inner, 1), numbers(inner * columns, 2));
            let element = |y: usize, x: usize| sum((0..inner).map(|k| a[y * inner + k] * b[k * columns + x]));
            let out = (0..rows * columns).map(|at| element(at / columns, at % columns)).collect();
            let inputs = vec![Array::rows("a", inner, a.clone()), Array::rows("b", columns, b.clone())];
            let grid = [columns.div_ceil(4), rows.div_ceil(4)];
            let case = Case::new(grid, [4, 4], inputs, Array::rows("out", columns, out));
            case.reads(2 * inner.div_ceil(4)).writes(1)
        };
        vec![case(4, 8, 4), case(6, 8, 7), case(5, 6, 5)]
    },
    hints: &[
        (
            &[Limit],
            "All threads of a row read the same elements of `a`, and all of a column those of `b`. Copy 4 × 4 elements \
             of each into shared memory, let all threads of the block use them, and continue with the next.",
        ),
        (
            &[Race],
            "Each pair of tiles needs two barriers: one when the tiles are full, and one when all threads have used \
             them, before they are filled again.",
        ),
        (&[Bounds], "At the edges, tiles reach beyond the matrices: elements that do not exist count as 0."),
    ],
};

pub(super) static HISTOGRAM: Description = Description {
    name: "histogram",
    task: "`counts[k]` is how often `k` occurs in `a`. There are 2 blocks of 8 threads; a thread may read one element.",
    signature: "fn histogram(a: View<u32>, mut counts: ViewMut<u32>)",
    cases: || {
        let case = |n: usize, seed: usize| {
            let a: Vec<f64> = numbers(n, seed).into_iter().map(|x| (x / 2.0).floor()).collect();
            let counts = (0..5).map(|k| a.iter().filter(|&&x| x == f64::from(k)).count() as f64).collect();
            Case::new([2, 1], [8, 1], vec![Array::new("a", a)], Array::new("counts", counts)).reads(1)
        };
        vec![case(16, 1), case(13, 2)]
    },
    hints: &[
        (
            &[Race],
            "Threads count at the same place. A barrier does not help, because the threads are in several blocks. \
             `counts.atomic_add(k, 1)` adds in one step.",
        ),
        (&[Bounds], "The last threads may have no element."),
    ],
};
