//! Bidiagonal matrices made diagonal by rotations, which are applied to few vectors, so that no singular vectors are formed.
//!
//! The iteration is that of Golub and Kahan with the shift zero where a shift is too small to matter (Golub and Van Loan, "Matrix
//! Computations", section 8.6; Demmel and Kahan, "Accurate singular values of bidiagonal matrices", 1990). Rotations of rows are
//! applied to the right sides at once. Those of columns are kept, and applied in reverse order to what was divided by the singular values.

use crate::{Field, Wide};
use faer::MatMut;

/// So many sweeps a singular value may take, on average. It takes two.
const MOST_SWEEPS: usize = 30;

/// The cosine and the sine of a rotation.
type Rotation = [f64; 2];

/// A pass along neighbouring rows, and its rotations of columns.
struct Sweep {
    first: usize,
    last: usize,
    /// Whether it went from the last row to the first.
    is_upward: bool,
    rotations: Vec<Rotation>,
}

impl Sweep {
    /// The rows, or columns, that a step rotates.
    fn pair(&self, step: usize) -> [usize; 2] {
        if self.is_upward {
            [self.last - step, self.last - step - 1]
        } else {
            [self.first + step, self.first + step + 1]
        }
    }
}

/// Right sides: the elements of a row are neighbours.
struct Rows<W> {
    elements: Vec<W>,
    columns: usize,
}

impl<W: Wide> Rows<W> {
    fn row(&mut self, row: usize) -> &mut [W] {
        &mut self.elements[row * self.columns..][..self.columns]
    }

    /// Replaces two neighbouring rows x and y by `c x + s y` and `c y - s x`.
    fn rotate(&mut self, [x, y]: [usize; 2], [cosine, sine]: Rotation) {
        let (upper, lower) = self.elements[x.min(y) * self.columns..][..2 * self.columns].split_at_mut(self.columns);
        let (xs, ys) = if x < y { (upper, lower) } else { (lower, upper) };
        for (x, y) in xs.iter_mut().zip(ys) {
            (*x, *y) = (*x * cosine + *y * sine, *y * cosine + *x * -sine);
        }
    }
}

/// Replaces right sides `c` by the shortest `x` with the least squares of `B x - c`, where singular values of the upper bidiagonal matrix
/// B beyond the `rank` largest count as 0. Whether the iteration came to an end.
pub(crate) fn solve<T: Field>(diagonal: &[T], beside: &[T], rank: usize, mut right: MatMut<'_, T>) -> bool {
    let (n, columns) = (diagonal.len(), right.ncols());
    let mut rows = Rows { elements: Vec::with_capacity(n * columns), columns };
    for row in 0..n {
        rows.elements.extend((0..columns).map(|column| right[(row, column)].wide()));
    }
    // Numbers of the length 1 make the matrix real: row i times the conjugate of `from`, column i times `to`.
    let (mut d, mut e, mut turns) = (Vec::with_capacity(n), Vec::with_capacity(n), Vec::with_capacity(n));
    let mut to = T::Wide::ONE;
    for (at, element) in diagonal.iter().enumerate() {
        let element = element.wide() * to;
        let from = if element.length() == 0.0 { T::Wide::ONE } else { element.sign() };
        d.push(element.length());
        rows.row(at).iter_mut().for_each(|element| *element = *element * from.conjugate());
        turns.push(to);
        if let Some(element) = beside.get(at) {
            let element = element.wide() * from.conjugate();
            e.push(element.length());
            to = if element.length() == 0.0 { T::Wide::ONE } else { element.sign().conjugate() };
        }
    }
    let mut iteration = Iteration { d, e, rows, sweeps: Vec::new() };
    if !iteration.run() {
        return false;
    }
    let Iteration { d, mut rows, sweeps, .. } = iteration;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&one, &other| d[other].abs().total_cmp(&d[one].abs()));
    for (place, &at) in order.iter().enumerate() {
        let by = if place < rank && d[at] != 0.0 { 1.0 / d[at] } else { 0.0 };
        rows.row(at).iter_mut().for_each(|element| *element = *element * by);
    }
    for sweep in sweeps.iter().rev() {
        for (step, &[cosine, sine]) in sweep.rotations.iter().enumerate().rev() {
            rows.rotate(sweep.pair(step), [cosine, -sine]);
        }
    }
    for (row, turn) in turns.into_iter().enumerate() {
        for (column, element) in rows.row(row).iter().enumerate() {
            right[(row, column)] = T::narrow(*element * turn);
        }
    }
    true
}

/// The matrix, the right sides, and what was done so far.
struct Iteration<W> {
    d: Vec<f64>,
    e: Vec<f64>,
    rows: Rows<W>,
    sweeps: Vec<Sweep>,
}

impl<W: Wide> Iteration<W> {
    /// Makes the matrix diagonal. Whether that came to an end.
    fn run(&mut self) -> bool {
        let most = self.d.iter().chain(&self.e).fold(0.0f64, |most, value| most.max(value.abs()));
        let (mut last, mut left) = (self.d.len() - 1, MOST_SWEEPS * self.d.len());
        let mut before: Option<[usize; 2]> = None;
        let mut is_upward = false;
        while last > 0 {
            let mut first = last;
            while first > 0 {
                let near = (self.d[first - 1].abs() + self.d[first].abs()).max(0.01 * most);
                if self.e[first - 1].abs() <= f64::EPSILON * near {
                    self.e[first - 1] = 0.0;
                    break;
                }
                first -= 1;
            }
            if first == last {
                last -= 1;
                continue;
            }
            if left == 0 {
                return false;
            }
            left -= 1;
            // A sweep goes towards small elements; other rows may have them at the other end.
            if before.is_none_or(|[start, end]| end < first || last < start) {
                is_upward = self.d[first].abs() < self.d[last].abs();
            }
            before = Some([first, last]);
            self.sweep(first, last, is_upward, most);
        }
        true
    }

    /// One sweep along rows whose elements beside the diagonal are not 0.
    fn sweep(&mut self, first: usize, last: usize, is_upward: bool, most: f64) {
        let sweep = Sweep { first, last, is_upward, rotations: Vec::with_capacity(last - first) };
        let (start, end) = if is_upward { (last, first) } else { (first, last) };
        let before_end = if is_upward { first + 1 } else { last - 1 };
        let is_singular = self.d[first..=last].iter().any(|value| value.abs() <= f64::EPSILON * 0.01 * most);
        let shift =
            if is_singular { 0.0 } else { least_value(self.d[before_end], self.e[before_end.min(end)], self.d[end]) };
        let part = shift / self.d[start].abs();
        if part * part < f64::EPSILON { self.without_shift(sweep) } else { self.with_shift(sweep, shift) }
    }

    /// Rotates the rows of the right sides and keeps the rotation of columns; upwards rows and columns change roles, since the matrix
    /// is then read from its other end and transposed.
    fn rotate(&mut self, sweep: &mut Sweep, step: usize, of_columns: Rotation, of_rows: Rotation) {
        let (kept, applied) = if sweep.is_upward { (of_rows, of_columns) } else { (of_columns, of_rows) };
        sweep.rotations.push(kept);
        self.rows.rotate(sweep.pair(step), applied);
    }

    fn with_shift(&mut self, mut sweep: Sweep, shift: f64) {
        let steps = sweep.last - sweep.first;
        let [start, next] = sweep.pair(0);
        let d = self.d[start];
        let (mut f, mut g) = ((d.abs() - shift) * (1f64.copysign(d) + shift / d), self.e[start.min(next)]);
        let mut behind = start;
        for step in 0..steps {
            let [at, next] = sweep.pair(step);
            let beside = at.min(next);
            let (of_columns, length) = rotation(f, g);
            if step > 0 {
                self.e[behind.min(at)] = length;
            }
            let [cosine, sine] = of_columns;
            f = cosine * self.d[at] + sine * self.e[beside];
            self.e[beside] = cosine * self.e[beside] - sine * self.d[at];
            g = sine * self.d[next];
            self.d[next] *= cosine;
            let (of_rows, length) = rotation(f, g);
            self.d[at] = length;
            let [cosine, sine] = of_rows;
            f = cosine * self.e[beside] + sine * self.d[next];
            self.d[next] = cosine * self.d[next] - sine * self.e[beside];
            if step + 1 < steps {
                let [_, after] = sweep.pair(step + 1);
                g = sine * self.e[next.min(after)];
                self.e[next.min(after)] *= cosine;
            } else {
                self.e[beside] = f;
            }
            behind = at;
            self.rotate(&mut sweep, step, of_columns, of_rows);
        }
        self.sweeps.push(sweep);
    }

    /// With the shift zero small elements keep all of their digits, and a singular matrix splits after one sweep.
    fn without_shift(&mut self, mut sweep: Sweep) {
        let steps = sweep.last - sweep.first;
        let (mut cosine, mut before) = (1.0, [1.0, 0.0]);
        let mut behind = sweep.pair(0)[0];
        for step in 0..steps {
            let [at, next] = sweep.pair(step);
            let (of_columns, length) = rotation(self.d[at] * cosine, self.e[at.min(next)]);
            if step > 0 {
                self.e[behind.min(at)] = before[1] * length;
            }
            let (of_rows, element) = rotation(before[0] * length, self.d[next] * of_columns[1]);
            self.d[at] = element;
            (cosine, before, behind) = (of_columns[0], of_rows, at);
            self.rotate(&mut sweep, step, of_columns, of_rows);
        }
        let [at, last] = sweep.pair(steps - 1);
        let element = self.d[last] * cosine;
        self.d[last] = element * before[0];
        self.e[at.min(last)] = element * before[1];
        self.sweeps.push(sweep);
    }
}

/// The rotation that takes (f, g) to (r, 0), and r.
fn rotation(f: f64, g: f64) -> (Rotation, f64) {
    let length = (f * f + g * g).sqrt();
    // The matrix has elements of about 1: what is smaller than the root of the least number is nothing.
    if length == 0.0 {
        return ([1.0, 0.0], f);
    }
    ([f / length, g / length], length)
}

/// The smaller singular value of `[[a, b], [0, c]]`: the determinant over the larger one.
fn least_value(a: f64, b: f64, c: f64) -> f64 {
    let (sum, difference) = ((a.abs() + c.abs()).hypot(b), (a.abs() - c.abs()).hypot(b));
    let most = 0.5 * (sum + difference);
    if most == 0.0 { 0.0 } else { a.abs() / most * c.abs() }
}
