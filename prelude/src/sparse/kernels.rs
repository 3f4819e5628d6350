//! What threads do of sparse matrices.
//!
//! Lines are the rows of a matrix by rows (CSR) or the columns of a matrix by columns (CSC): `pointers` has where each begins among
//! `indices` and values, and at last where the last one ends. A thread takes `chunk` lines one after another: one on a device, and
//! many on the CPU, where it then reads memory in its order.

// Long because: each pass over lines is here twice, to count elements and to write them.

#![expect(clippy::too_many_arguments, reason = "kernels have such arguments")]

use warpcell_macros::kernel;
use warpcell_threads::{View, ViewMut, global_idx};

/// The number of the line of each element.
#[kernel]
pub(super) fn expand_pointers(pointers: View<i32>, chunk: u64, mut out: ViewMut<i32>) {
    let lines = pointers.len() - 1;
    let first = global_idx().x * chunk as usize;
    for line in first..(first + chunk as usize).min(lines) {
        for at in pointers[line] as usize..pointers[line + 1] as usize {
            out[at] = line as i32;
        }
    }
}

/// How many keys there are of each; `counts` begins with zeros.
#[kernel]
pub(super) fn count_keys(keys: View<i32>, chunk: u64, counts: ViewMut<i32>) {
    let first = global_idx().x * chunk as usize;
    for at in first..(first + chunk as usize).min(keys.len()) {
        counts.atomic_add(keys[at] as usize + 1, 1);
    }
}

/// How many indices are less than those before them in their line, and how many equal them.
#[kernel]
pub(super) fn count_disorder(pointers: View<i32>, indices: View<i32>, chunk: u64, out: ViewMut<i32>) {
    let lines = pointers.len() - 1;
    let first = global_idx().x * chunk as usize;
    let mut falls = 0;
    let mut repeats = 0;
    for line in first..(first + chunk as usize).min(lines) {
        for at in pointers[line] as usize + 1..(pointers[line + 1] as usize).max(pointers[line] as usize + 1) {
            if indices[at] < indices[at - 1] {
                falls += 1;
            }
            if indices[at] == indices[at - 1] {
                repeats += 1;
            }
        }
    }
    if falls > 0 {
        out.atomic_add(0, falls);
    }
    if repeats > 0 {
        out.atomic_add(1, repeats);
    }
}

/// The different indices of each line, which ascend.
#[kernel]
pub(super) fn count_different(pointers: View<i32>, indices: View<i32>, chunk: u64, mut counts: ViewMut<i32>) {
    let lines = pointers.len() - 1;
    let first = global_idx().x * chunk as usize;
    for line in first..(first + chunk as usize).min(lines) {
        let from = pointers[line] as usize;
        let to = pointers[line + 1] as usize;
        let mut count = 0;
        for at in from..to {
            if at == from || indices[at] != indices[at - 1] {
                count += 1;
            }
        }
        counts[line + 1] = count;
    }
}

/// The elements of some lines whose indices are `start`, `start + step`, … up to `length` of them.
#[kernel]
pub(super) fn count_selected(
    pointers: View<i32>,
    indices: View<i32>,
    lines: View<i64>,
    start: i64,
    step: i64,
    length: i64,
    chunk: u64,
    mut counts: ViewMut<i32>,
) {
    let first = global_idx().x * chunk as usize;
    for line in first..(first + chunk as usize).min(lines.len()) {
        let source = lines[line] as usize;
        let mut count = 0;
        for at in pointers[source] as usize..pointers[source + 1] as usize {
            let distance = (indices[at] as i64 - start) * step.signum();
            let width = step.abs();
            if distance >= 0 && distance % width == 0 && distance / width < length {
                count += 1;
            }
        }
        counts[line + 1] = count;
    }
}

/// How many products each element of one matrix has: as many as the line of the other one that its index names has elements.
#[kernel]
pub(super) fn count_products(indices: View<i32>, pointers: View<i32>, chunk: u64, mut counts: ViewMut<i32>) {
    let first = global_idx().x * chunk as usize;
    for at in first..(first + chunk as usize).min(indices.len()) {
        let line = indices[at] as usize;
        counts[at + 1] = pointers[line + 1] - pointers[line];
    }
}

/// The pointers of lines whose elements are groups of elements.
#[kernel]
pub(super) fn compose_pointers(pointers: View<i32>, groups: View<i32>, chunk: u64, mut out: ViewMut<i32>) {
    let first = global_idx().x * chunk as usize;
    for line in first..(first + chunk as usize).min(pointers.len()) {
        out[line] = groups[pointers[line] as usize];
    }
}

/// The elements of each line of the product of matrices by Kronecker.
#[kernel]
pub(super) fn count_kron(a: View<i32>, b: View<i32>, chunk: u64, mut counts: ViewMut<i32>) {
    let inner = b.len() - 1;
    let lines = (a.len() - 1) * inner;
    let first = global_idx().x * chunk as usize;
    for line in first..(first + chunk as usize).min(lines) {
        let (outer, low) = (line / inner, line % inner);
        counts[line + 1] = (a[outer + 1] - a[outer]) * (b[low + 1] - b[low]);
    }
}

/// Different places of a matrix, in a random order that the keys decide: a Feistel network permutes numbers of `2 half` bits, and what
/// is not below `size` is permuted again.
#[kernel]
pub(super) fn scatter_places(
    keys: View<u64>,
    half: u64,
    size: u64,
    columns: u64,
    mut row: ViewMut<i32>,
    mut column: ViewMut<i32>,
) {
    let at = global_idx().x;
    if at < row.len() {
        let mask = (1u64 << half) - 1;
        let mut place = at as u64;
        let mut outside = true;
        while outside {
            let mut left = place >> half;
            let mut right = place & mask;
            for round in 0..6usize {
                let mut mixed = right ^ keys[round];
                mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xff51afd7ed558ccd);
                mixed = (mixed ^ (mixed >> 33)).wrapping_mul(0xc4ceb9fe1a85ec53);
                mixed = (mixed ^ (mixed >> 33)) & mask;
                let next = left ^ mixed;
                left = right;
                right = next;
            }
            place = (left << half) | right;
            outside = place >= size;
        }
        row[at] = (place / columns) as i32;
        column[at] = (place % columns) as i32;
    }
}

/// Marks the blocks of a matrix that have an element.
#[kernel]
pub(super) fn mark_blocks(
    rows: View<i32>,
    columns: View<i32>,
    height: u64,
    width: u64,
    blocks: u64,
    chunk: u64,
    out: ViewMut<i32>,
) {
    let first = global_idx().x * chunk as usize;
    for at in first..(first + chunk as usize).min(rows.len()) {
        let row = rows[at] as usize / height as usize;
        let column = columns[at] as usize / width as usize;
        out.atomic_max(row * blocks as usize + column, 1);
    }
}

/// One step of finding components: each line takes the smallest label of its neighbours, and what it points to, the same.
#[kernel]
pub(super) fn hook_labels(pointers: View<i32>, indices: View<i32>, labels: ViewMut<i32>, changed: ViewMut<i32>) {
    let line = global_idx().x;
    if line + 1 < pointers.len() {
        for at in pointers[line] as usize..pointers[line + 1] as usize {
            let mut one = line as i32;
            let mut parent = labels.atomic_add(one as usize, 0);
            while parent != one {
                one = parent;
                parent = labels.atomic_add(one as usize, 0);
            }
            let mut other = indices[at];
            parent = labels.atomic_add(other as usize, 0);
            while parent != other {
                other = parent;
                parent = labels.atomic_add(other as usize, 0);
            }
            if one != other {
                let high = one.max(other);
                labels.atomic_min(high as usize, one.min(other));
                changed.atomic_max(0, 1);
            }
        }
    }
}

/// Each label becomes that of its root.
#[kernel]
pub(super) fn flatten_labels(labels: ViewMut<i32>) {
    let line = global_idx().x;
    if line < labels.len() {
        let mut one = line as i32;
        let mut parent = labels.atomic_add(one as usize, 0);
        while parent != one {
            one = parent;
            parent = labels.atomic_add(one as usize, 0);
        }
        labels.atomic_min(line, one);
    }
}

macro_rules! of_floats {
    ($($module:ident $float:ident)*) => {$(
        pub(super) mod $module {
            use warpcell_macros::{device, kernel};
            use warpcell_threads::{View, ViewMut, global_idx};

            #[kernel]
            pub fn take_in_order(
                order: View<i64>,
                others: View<i32>,
                data: View<$float>,
                mut indices: ViewMut<i32>,
                mut values: ViewMut<$float>,
            ) {
                let at = global_idx().x;
                if at < order.len() {
                    let from = order[at] as usize;
                    indices[at] = others[from];
                    values[at] = data[from];
                }
            }

            /// Adds up the values of equal indices of each line, which ascend.
            #[kernel]
            pub fn sum_equal(
                pointers: View<i32>,
                indices: View<i32>,
                data: View<$float>,
                starts: View<i32>,
                chunk: u64,
                mut targets: ViewMut<i32>,
                mut values: ViewMut<$float>,
            ) {
                let lines = pointers.len() - 1;
                let first = global_idx().x * chunk as usize;
                for line in first..(first + chunk as usize).min(lines) {
                    let from = pointers[line] as usize;
                    let to = pointers[line + 1] as usize;
                    let mut place = starts[line] as usize;
                    let mut sum = 0.0 as $float;
                    for at in from..to {
                        sum += data[at];
                        if at + 1 == to || indices[at + 1] != indices[at] {
                            targets[place] = indices[at];
                            values[place] = sum;
                            place += 1;
                            sum = 0.0;
                        }
                    }
                }
            }

            /// Adds the elements to a dense matrix whose rows are the lines.
            #[kernel]
            pub fn spread(pointers: View<i32>, indices: View<i32>, data: View<$float>, chunk: u64, mut out: ViewMut<$float>) {
                let lines = pointers.len() - 1;
                let first = global_idx().x * chunk as usize;
                for line in first..(first + chunk as usize).min(lines) {
                    for at in pointers[line] as usize..pointers[line + 1] as usize {
                        out[[line, indices[at] as usize]] += data[at];
                    }
                }
            }

            /// The elements whose index minus the number of their line is between two bounds, and that are not 0 if `drops`.
            #[kernel]
            pub fn count_kept(
                pointers: View<i32>,
                indices: View<i32>,
                data: View<$float>,
                low: i64,
                high: i64,
                drops: bool,
                chunk: u64,
                mut counts: ViewMut<i32>,
            ) {
                let lines = pointers.len() - 1;
                let first = global_idx().x * chunk as usize;
                for line in first..(first + chunk as usize).min(lines) {
                    let mut count = 0;
                    for at in pointers[line] as usize..pointers[line + 1] as usize {
                        let distance = indices[at] as i64 - line as i64;
                        if distance >= low && distance <= high && (data[at] != 0.0 || !drops) {
                            count += 1;
                        }
                    }
                    counts[line + 1] = count;
                }
            }

            #[kernel]
            pub fn collect_kept(
                pointers: View<i32>,
                indices: View<i32>,
                data: View<$float>,
                starts: View<i32>,
                low: i64,
                high: i64,
                drops: bool,
                chunk: u64,
                mut targets: ViewMut<i32>,
                mut values: ViewMut<$float>,
            ) {
                let lines = pointers.len() - 1;
                let first = global_idx().x * chunk as usize;
                for line in first..(first + chunk as usize).min(lines) {
                    let mut place = starts[line] as usize;
                    for at in pointers[line] as usize..pointers[line + 1] as usize {
                        let distance = indices[at] as i64 - line as i64;
                        if distance >= low && distance <= high && (data[at] != 0.0 || !drops) {
                            targets[place] = indices[at];
                            values[place] = data[at];
                            place += 1;
                        }
                    }
                }
            }

            #[kernel]
            pub fn collect_selected(
                pointers: View<i32>,
                indices: View<i32>,
                data: View<$float>,
                lines: View<i64>,
                start: i64,
                step: i64,
                length: i64,
                starts: View<i32>,
                chunk: u64,
                mut targets: ViewMut<i32>,
                mut values: ViewMut<$float>,
            ) {
                let first = global_idx().x * chunk as usize;
                for line in first..(first + chunk as usize).min(lines.len()) {
                    let source = lines[line] as usize;
                    let mut place = starts[line] as usize;
                    for at in pointers[source] as usize..pointers[source + 1] as usize {
                        let distance = (indices[at] as i64 - start) * step.signum();
                        let width = step.abs();
                        if distance >= 0 && distance % width == 0 && distance / width < length {
                            targets[place] = (distance / width) as i32;
                            values[place] = data[at];
                            place += 1;
                        }
                    }
                }
            }

            /// What two elements become: the sum (0), the difference (1), the product (2), the larger one (3), the smaller one (4).
            #[device]
            fn joined(kind: i32, a: $float, b: $float) -> $float {
                if kind == 0 {
                    a + b
                } else if kind == 1 {
                    a - b
                } else if kind == 2 {
                    a * b
                } else if kind == 3 {
                    if a > b || a.is_nan() { a } else { b }
                } else if a < b || a.is_nan() {
                    a
                } else {
                    b
                }
            }

            #[kernel]
            pub fn count_joined(
                a_pointers: View<i32>,
                a_indices: View<i32>,
                a_data: View<$float>,
                b_pointers: View<i32>,
                b_indices: View<i32>,
                b_data: View<$float>,
                kind: i32,
                chunk: u64,
                mut counts: ViewMut<i32>,
            ) {
                let lines = a_pointers.len() - 1;
                let first = global_idx().x * chunk as usize;
                for line in first..(first + chunk as usize).min(lines) {
                    let mut a = a_pointers[line] as usize;
                    let a_end = a_pointers[line + 1] as usize;
                    let mut b = b_pointers[line] as usize;
                    let b_end = b_pointers[line + 1] as usize;
                    let mut count = 0;
                    while a < a_end || b < b_end {
                        let a_index = if a < a_end { a_indices[a] } else { i32::MAX };
                        let b_index = if b < b_end { b_indices[b] } else { i32::MAX };
                        let mut left = 0.0 as $float;
                        let mut right = 0.0 as $float;
                        if a_index <= b_index {
                            left = a_data[a];
                            a += 1;
                        }
                        if b_index <= a_index {
                            right = b_data[b];
                            b += 1;
                        }
                        if joined(kind, left, right) != 0.0 {
                            count += 1;
                        }
                    }
                    counts[line + 1] = count;
                }
            }

            #[kernel]
            pub fn collect_joined(
                a_pointers: View<i32>,
                a_indices: View<i32>,
                a_data: View<$float>,
                b_pointers: View<i32>,
                b_indices: View<i32>,
                b_data: View<$float>,
                kind: i32,
                starts: View<i32>,
                chunk: u64,
                mut targets: ViewMut<i32>,
                mut values: ViewMut<$float>,
            ) {
                let lines = a_pointers.len() - 1;
                let first = global_idx().x * chunk as usize;
                for line in first..(first + chunk as usize).min(lines) {
                    let mut a = a_pointers[line] as usize;
                    let a_end = a_pointers[line + 1] as usize;
                    let mut b = b_pointers[line] as usize;
                    let b_end = b_pointers[line + 1] as usize;
                    let mut place = starts[line] as usize;
                    while a < a_end || b < b_end {
                        let a_index = if a < a_end { a_indices[a] } else { i32::MAX };
                        let b_index = if b < b_end { b_indices[b] } else { i32::MAX };
                        let mut left = 0.0 as $float;
                        let mut right = 0.0 as $float;
                        if a_index <= b_index {
                            left = a_data[a];
                            a += 1;
                        }
                        if b_index <= a_index {
                            right = b_data[b];
                            b += 1;
                        }
                        let value = joined(kind, left, right);
                        if value != 0.0 {
                            targets[place] = a_index.min(b_index);
                            values[place] = value;
                            place += 1;
                        }
                    }
                }
            }

            /// The sums of lines, or of the absolute values (1), added up in `f64`.
            #[kernel]
            pub fn sum_lines(pointers: View<i32>, data: View<$float>, kind: i32, chunk: u64, mut out: ViewMut<$float>) {
                let lines = pointers.len() - 1;
                let first = global_idx().x * chunk as usize;
                for line in first..(first + chunk as usize).min(lines) {
                    let mut sum = 0.0f64;
                    for at in pointers[line] as usize..pointers[line + 1] as usize {
                        let value = data[at] as f64;
                        sum += if kind == 1 { value.abs() } else { value };
                    }
                    out[line] = sum as $float;
                }
            }

            /// The elements at `[line, line + distance]`, from the line `start` on.
            #[kernel]
            pub fn pick_diagonal(
                pointers: View<i32>,
                indices: View<i32>,
                data: View<$float>,
                start: u64,
                distance: i64,
                chunk: u64,
                mut out: ViewMut<$float>,
            ) {
                let first = global_idx().x * chunk as usize;
                for at in first..(first + chunk as usize).min(out.len()) {
                    let line = start as usize + at;
                    let mut sum = 0.0 as $float;
                    for place in pointers[line] as usize..pointers[line + 1] as usize {
                        if indices[place] as i64 == line as i64 + distance {
                            sum += data[place];
                        }
                    }
                    out[at] = sum;
                }
            }

            /// All products of elements that a product of matrices adds up.
            #[kernel]
            pub fn expand_products(
                a_indices: View<i32>,
                a_data: View<$float>,
                b_pointers: View<i32>,
                b_indices: View<i32>,
                b_data: View<$float>,
                starts: View<i32>,
                chunk: u64,
                mut targets: ViewMut<i32>,
                mut values: ViewMut<$float>,
            ) {
                let first = global_idx().x * chunk as usize;
                for at in first..(first + chunk as usize).min(a_indices.len()) {
                    let line = a_indices[at] as usize;
                    let value = a_data[at];
                    let mut place = starts[at] as usize;
                    for other in b_pointers[line] as usize..b_pointers[line + 1] as usize {
                        targets[place] = b_indices[other];
                        values[place] = value * b_data[other];
                        place += 1;
                    }
                }
            }

            #[kernel]
            pub fn collect_kron(
                a_pointers: View<i32>,
                a_indices: View<i32>,
                a_data: View<$float>,
                b_pointers: View<i32>,
                b_indices: View<i32>,
                b_data: View<$float>,
                length: u64,
                starts: View<i32>,
                chunk: u64,
                mut targets: ViewMut<i32>,
                mut values: ViewMut<$float>,
            ) {
                let inner = b_pointers.len() - 1;
                let lines = (a_pointers.len() - 1) * inner;
                let first = global_idx().x * chunk as usize;
                for line in first..(first + chunk as usize).min(lines) {
                    let (outer, low) = (line / inner, line % inner);
                    let mut place = starts[line] as usize;
                    for a in a_pointers[outer] as usize..a_pointers[outer + 1] as usize {
                        for b in b_pointers[low] as usize..b_pointers[low + 1] as usize {
                            targets[place] = (a_indices[a] as usize * length as usize + b_indices[b] as usize) as i32;
                            values[place] = a_data[a] * b_data[b];
                            place += 1;
                        }
                    }
                }
            }

            /// The elements of lines that diagonals give: those of the offsets, ascending, whose values are not 0. A diagonal has its
            /// values at their indices, or one for all.
            #[kernel]
            pub fn count_diagonals(diagonals: View<$float>, offsets: View<i64>, length: u64, chunk: u64, mut counts: ViewMut<i32>) {
                let lines = counts.len() - 1;
                let width = diagonals.shape()[1];
                let first = global_idx().x * chunk as usize;
                for line in first..(first + chunk as usize).min(lines) {
                    let mut count = 0;
                    for k in 0..offsets.len() {
                        let index = line as i64 + offsets[k];
                        if index >= 0 && index < length as i64 && index < width as i64 && diagonals[[k, index as usize]] != 0.0 {
                            count += 1;
                        }
                    }
                    counts[line + 1] = count;
                }
            }

            #[kernel]
            pub fn collect_diagonals(
                diagonals: View<$float>,
                offsets: View<i64>,
                length: u64,
                starts: View<i32>,
                chunk: u64,
                mut targets: ViewMut<i32>,
                mut values: ViewMut<$float>,
            ) {
                let lines = starts.len() - 1;
                let width = diagonals.shape()[1];
                let first = global_idx().x * chunk as usize;
                for line in first..(first + chunk as usize).min(lines) {
                    let mut place = starts[line] as usize;
                    for k in 0..offsets.len() {
                        let index = line as i64 + offsets[k];
                        if index >= 0 && index < length as i64 && index < width as i64 && diagonals[[k, index as usize]] != 0.0 {
                            targets[place] = index as i32;
                            values[place] = diagonals[[k, index as usize]];
                            place += 1;
                        }
                    }
                }
            }
        }
    )*};
}
of_floats!(single f32 double f64);
