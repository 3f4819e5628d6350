//! The singular values of bidiagonal matrices, without vectors.
//!
//! `faer` divides a matrix to conquer it, which is good for vectors: without them it takes two to three times as long as quotients
//! and differences of squares, with shifts (dqds). These keep all numbers positive, so small values have as many right digits as large
//! ones. The shifts are those of Parlett and Marques ("An implementation of the dqds algorithm", 2000), somewhat simpler: one that is too
//! large makes a number negative, and then a smaller one is tried.

/// How far neighbours of a number are, relative to it.
const EPSILON: f64 = f64::EPSILON / 2.0;
/// What is smaller, relative to a square, does not change the square's root.
const SMALL: f64 = (100.0 * EPSILON) * (100.0 * EPSILON);
/// So many sweeps a value may take, on average.
const MOST_SWEEPS: usize = 100;

/// Writes the singular values in descending order in place of the diagonal; `beside` has the elements above or below it, one less. All
/// are finite. Whether the iteration came to an end.
pub fn singular_values(diagonal: &mut [f64], beside: &[f64]) -> bool {
    let most = diagonal.iter().chain(beside).fold(0.0f64, |most, value| most.max(value.abs()));
    if most == 0.0 {
        diagonal.fill(0.0);
        return true;
    }
    // No square is too large, and those that are too small count for nothing.
    let exponent = (most.to_bits() >> 52) as i32 - 1023;
    // In two steps, because the factor of the smallest numbers is not a float.
    let halves = [exponent / 2, exponent - exponent / 2].map(|half| 2f64.powi(half));
    let square = |value: &f64| {
        let scaled = value / halves[0] / halves[1];
        scaled * scaled
    };
    let (q, e): (Vec<f64>, Vec<f64>) = (diagonal.iter().map(square).collect(), beside.iter().map(square).collect());
    let Some(mut squares) = Sweeps::of(q, e).values() else { return false };
    squares.sort_by(|one, other| other.total_cmp(one));
    for (value, square) in diagonal.iter_mut().zip(squares) {
        *value = square.max(0.0).sqrt() * halves[0] * halves[1];
    }
    true
}

/// The numbers q and e, and room for those after a sweep.
struct Sweeps {
    q: Vec<f64>,
    e: Vec<f64>,
    next: [Vec<f64>; 2],
    found: Vec<f64>,
    /// How many sweeps are left.
    left: usize,
}

/// Neighbouring rows that are still to do: the first, the last, by how much their squares were made smaller, and what rounding took
/// from that.
#[derive(Clone, Copy)]
struct Block {
    first: usize,
    last: usize,
    shift: f64,
    lost: f64,
}

/// What a sweep tells about the shift of the next one.
#[derive(Clone, Copy)]
struct Seen {
    /// The differences of the last row, the last but one, and the one before.
    last: [f64; 3],
    /// The least difference of all rows, without the last row, and without the last two.
    least: [f64; 3],
    /// The least e.
    least_e: f64,
}

impl Block {
    /// Adds a shift.
    fn add(&mut self, shift: f64) {
        if shift < self.shift {
            self.lost += shift;
            let sum = self.shift + self.lost;
            self.lost -= sum - self.shift;
            self.shift = sum;
        } else {
            let sum = self.shift + shift;
            self.lost += self.shift - (sum - shift);
            self.shift = sum;
        }
    }
}

impl Sweeps {
    fn of(q: Vec<f64>, e: Vec<f64>) -> Sweeps {
        let (next, left) = ([q.clone(), e.clone()], MOST_SWEEPS * (q.len() + 1));
        Sweeps { found: Vec::with_capacity(q.len()), q, e, next, left }
    }

    /// All squares, in any order, if there is an end.
    fn values(mut self) -> Option<Vec<f64>> {
        let mut blocks = vec![Block { first: 0, last: self.q.len() - 1, shift: 0.0, lost: 0.0 }];
        while let Some(block) = blocks.pop() {
            self.values_of(block, &mut blocks)?;
        }
        Some(self.found)
    }

    /// Those of a block; what it is cut off from is put behind the others.
    fn values_of(&mut self, mut block: Block, blocks: &mut Vec<Block>) -> Option<()> {
        let (mut seen, mut is_new, mut growth) = (None, true, 0.25);
        loop {
            let before = self.found.len();
            if self.take_last(&mut block) {
                return Some(());
            }
            let taken = self.found.len() - before;
            let Block { first, last, .. } = block;
            // What is small is found first.
            if (is_new || taken > 0) && self.q[first] * 1.5 < self.q[last] {
                self.q[first..=last].reverse();
                self.e[first..last].reverse();
                seen = None;
            }
            let shift = match &seen {
                Some(seen) => self.shift(&block, seen, taken, &mut growth),
                None if is_new => {
                    let least = self.q[first..=last].iter().copied().fold(f64::MAX, f64::min);
                    let most = self.e[first..last].iter().copied().fold(0.0, f64::max);
                    (least - 2.0 * (least * most).sqrt()).max(0.0)
                }
                None => 0.0,
            };
            is_new = false;
            let (now, shift) = self.sweep_with(&block, shift)?;
            std::mem::swap(&mut self.q, &mut self.next[0]);
            std::mem::swap(&mut self.e, &mut self.next[1]);
            block.add(shift);
            seen = Some(now);
            if let Some(at) = self.cut(&block, now.least_e) {
                blocks.push(Block { last: at, ..block });
                // Which of both is read there depends on how many sweeps the other part takes.
                self.next[0][first..=at].copy_from_slice(&self.q[first..=at]);
                self.next[1][first..at].copy_from_slice(&self.e[first..at]);
                block.first = at + 1;
                (seen, is_new) = (None, true);
            }
        }
    }

    /// Takes values from the end of a block, while the last row, or the last two, hang together with no other. Whether that was all.
    fn take_last(&mut self, block: &mut Block) -> bool {
        loop {
            let Block { first, last, shift, .. } = *block;
            if last == first || self.e[last - 1] <= SMALL * (shift + self.q[last]) {
                self.found.push(self.q[last] + shift);
                if last == first {
                    return true;
                }
                block.last -= 1;
            } else if last == first + 1 || self.e[last - 2] <= SMALL * shift.max(self.q[last - 2]) {
                let (one, other) = pair(self.q[last - 1], self.e[last - 1], self.q[last]);
                self.found.extend([one + shift, other + shift]);
                if last == first + 1 {
                    return true;
                }
                block.last -= 2;
            } else {
                return false;
            }
        }
    }

    /// The last row of the block, but for the last three, that hangs together with the next one no more.
    fn cut(&self, block: &Block, least: f64) -> Option<usize> {
        let Block { first, last, shift, .. } = *block;
        // No q is larger than four.
        if last < first + 4 || least > 4.0 * SMALL {
            return None;
        }
        (first..last - 2).rev().find(|&row| self.e[row] <= SMALL * shift.max(self.q[row]))
    }

    /// A sweep with this shift, or with a smaller one if no number may become negative; and that shift.
    fn sweep_with(&mut self, block: &Block, mut shift: f64) -> Option<(Seen, f64)> {
        for tries in 0.. {
            self.left = self.left.checked_sub(1)?;
            let seen = self.sweep(block, shift);
            // A difference that is no number makes those behind it none.
            if shift == 0.0 || seen.least[0] >= 0.0 && !seen.last[0].is_nan() {
                return Some((seen, shift));
            }
            shift = match tries {
                // By how much it was too large, unless it is far away.
                0 | 1 if seen.least[1] > 0.0 && seen.last[0] < 0.0 => {
                    ((shift + seen.last[0]) * (1.0 - 4.0 * EPSILON)).max(0.0)
                }
                0 | 1 => 0.25 * shift,
                _ => 0.0,
            };
        }
        unreachable!("without a shift a sweep succeeds")
    }

    fn sweep(&mut self, block: &Block, shift: f64) -> Seen {
        let Block { first, last, .. } = *block;
        let (q, e) = (&self.q[first..=last], &self.e[first..last]);
        let [next_q, next_e] = &mut self.next;
        let (next_q, next_e) = (&mut next_q[first..=last], &mut next_e[first..last]);
        let inner = e.len() - 2;
        let mut state = State { difference: q[0] - shift, least: q[0] - shift, least_e: f64::MAX };
        if shift > 0.0 {
            (0..inner).for_each(|row| state.step::<false>(row, shift, q, e, next_q, next_e));
        } else {
            (0..inner).for_each(|row| state.step::<true>(row, shift, q, e, next_q, next_e));
        }
        let (mut last, mut least) = ([state.difference; 3], [state.least; 3]);
        for place in [1, 0] {
            state.step::<true>(inner + 1 - place, shift, q, e, next_q, next_e);
            (last[place], least[place]) = (state.difference, state.least);
        }
        next_q[inner + 2] = state.difference;
        Seen { last, least, least_e: state.least_e }
    }

    /// A shift that is hardly larger than the least square of the block, from which `taken` were taken after the sweep.
    fn shift(&self, block: &Block, seen: &Seen, taken: usize, growth: &mut f64) -> f64 {
        let last = block.last;
        let (q, e) = (&self.q, &self.e);
        let Seen { last: [d0, d1, d2], least: [least0, least1, least2], .. } = *seen;
        if least0 <= 0.0 {
            return 0.0;
        }
        let grown = std::mem::replace(growth, 0.25);
        match taken {
            0 if least0 == d0 && least1 == d1 => {
                let (b1, b2) = ((q[last] * e[last - 1]).sqrt(), (q[last - 1] * e[last - 2]).sqrt());
                let a2 = q[last - 1] + e[last - 1];
                let gap2 = 0.75 * least2 - a2;
                let gap1 = a2 - d0 - if gap2 > b2 { b2 / gap2 * b2 } else { b1 + b2 };
                if gap1 > b1 {
                    return (d0 - b1 / gap1 * b1).max(0.5 * least0);
                }
                let near = (d0 - b1).max(0.0);
                let near = if a2 > b1 + b2 { near.min(a2 - (b1 + b2)) } else { near };
                near.max(least0 / 3.0)
            }
            0 if least0 == d0 || least0 == d1 => {
                let (sum, difference) = if least0 == d0 {
                    (self.weights(block, last - 1, e[last - 1] / q[last - 1]), d0)
                } else {
                    let first = e[last - 2] / q[last - 2];
                    (e[last - 1] / q[last] + self.weights(block, last - 2, first), d1)
                };
                let sum = 1.05 * sum;
                let near = if sum < 0.563 { difference * (1.0 - sum.sqrt()) / (1.0 + sum) } else { 0.0 };
                near.max(0.25 * least0)
            }
            0 if least0 == d2 => 0.25 * least0,
            0 => {
                *growth = grown + (1.0 - grown) / 3.0;
                grown * least0
            }
            1 if least1 == d1 && least2 == d2 => {
                let root = (1.05 * self.weights(block, last - 1, e[last - 1] / q[last - 1])).sqrt();
                let a2 = least1 / (1.0 + root * root);
                let gap2 = 0.5 * least2 - a2;
                let part = if gap2 > root * a2 { a2 * root / gap2 } else { 1.0 };
                (a2 * (1.0 - 1.01 * part * root)).max(least1 / 3.0)
            }
            1 => {
                if least1 == d1 {
                    0.5 * least1
                } else {
                    0.25 * least1
                }
            }
            2 => {
                if least2 == d2 {
                    0.5 * least2
                } else {
                    0.25 * least2
                }
            }
            _ => 0.0,
        }
    }

    /// About the squares of the elements of the vector that belongs to the least square, beside the first one, which is at the end.
    fn weights(&self, block: &Block, from: usize, first: f64) -> f64 {
        let (mut sum, mut weight) = (first, first);
        for row in (block.first..from).rev() {
            let before = weight;
            weight *= self.e[row] / self.q[row];
            sum += weight;
            if 100.0 * weight.max(before) < sum || sum > 0.563 || weight == 0.0 {
                break;
            }
        }
        sum
    }
}

/// Where a sweep is.
struct State {
    difference: f64,
    least: f64,
    least_e: f64,
}

impl State {
    /// A row of a sweep. The sum is 0 only where there are zeros.
    #[inline(always)]
    fn step<const HAS_ZEROS: bool>(
        &mut self,
        row: usize,
        shift: f64,
        q: &[f64],
        e: &[f64],
        next_q: &mut [f64],
        next_e: &mut [f64],
    ) {
        let sum = self.difference + e[row];
        next_q[row] = sum;
        if HAS_ZEROS && sum == 0.0 {
            next_e[row] = 0.0;
            self.difference = q[row + 1] - shift;
        } else {
            let quotient = q[row + 1] / sum;
            next_e[row] = e[row] * quotient;
            self.difference = self.difference * quotient - shift;
        }
        // NaN, too, is less; it stays in the difference.
        self.least = if self.difference < self.least { self.difference } else { self.least };
        self.least_e = if next_e[row] < self.least_e { next_e[row] } else { self.least_e };
    }
}

/// The squares of two rows, the larger one first.
fn pair(one: f64, e: f64, other: f64) -> (f64, f64) {
    let (larger, smaller) = if one < other { (other, one) } else { (one, other) };
    if e <= smaller * SMALL {
        return (larger, smaller);
    }
    let half = 0.5 * ((larger - smaller) + e);
    let part = smaller * (e / half);
    let part = if part <= half {
        smaller * (e / (half * (1.0 + (1.0 + part / half).sqrt())))
    } else {
        smaller * (e / (half + half.sqrt() * (half + part).sqrt()))
    };
    let sum = larger + (part + e);
    (sum, smaller * (larger / sum))
}

#[cfg(test)]
mod tests {
    use super::singular_values;

    /// How many singular values are below a number, by the signs of the pivots of the matrix with both triangles.
    fn below(diagonal: &[f64], beside: &[f64], at: f64) -> usize {
        let (mut count, mut pivot) = (0, -at);
        let mut off = Vec::new();
        for (row, value) in diagonal.iter().enumerate() {
            off.push(*value);
            off.extend(beside.get(row));
        }
        count += usize::from(pivot < 0.0);
        for value in off {
            if pivot == 0.0 {
                pivot = -f64::MIN_POSITIVE;
            }
            pivot = -at - value / pivot * value;
            count += usize::from(pivot < 0.0);
        }
        // As many are negative as there are rows.
        count - diagonal.len()
    }

    fn check(diagonal: &[f64], beside: &[f64]) {
        let mut found = diagonal.to_vec();
        assert!(singular_values(&mut found, beside), "{diagonal:?} {beside:?}");
        let most = diagonal.iter().chain(beside).fold(0.0f64, |most, value| most.max(value.abs()));
        let room = (2e-15 * (diagonal.len() as f64).sqrt() * most).max(f64::MIN_POSITIVE);
        assert!(found.windows(2).all(|two| two[0] >= two[1]) && found.iter().all(|&value| value >= 0.0));
        for (place, value) in found.iter().rev().enumerate() {
            if value - room > 0.0 {
                assert!(below(diagonal, beside, value - room) <= place, "{value} has place {place}");
            }
            assert!(below(diagonal, beside, value + room) > place, "{value} has place {place}");
        }
    }

    #[test]
    fn singular_values_have_their_places() {
        let mut state = 88_172_645_463_325_252u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for round in 0..400 {
            let length = 1 + round % 90;
            let mut diagonal: Vec<f64> = (0..length).map(|_| next()).collect();
            let mut beside: Vec<f64> = (1..length).map(|_| next()).collect();
            check(&diagonal, &beside);
            // From large to small numbers, and the other way round.
            for step in [0.7, 1.5, 1e-3] {
                let factor = |row: usize| f64::powi(step, row as i32).clamp(1e-200, 1e200);
                let graded =
                    |values: &[f64]| values.iter().enumerate().map(|(row, x)| x * factor(row)).collect::<Vec<_>>();
                check(&graded(&diagonal), &graded(&beside));
            }
            // Blocks, rows without a diagonal, equal rows.
            beside.iter_mut().step_by(3).for_each(|value| *value = 0.0);
            check(&diagonal, &beside);
            diagonal.iter_mut().step_by(4).for_each(|value| *value = 0.0);
            check(&diagonal, &beside);
            diagonal.fill(0.0);
            check(&diagonal, &beside);
            diagonal.fill(1.0);
            check(&diagonal, &vec![1.0; length - 1]);
            check(&diagonal, &vec![1e-9; length - 1]);
            check(&diagonal, &vec![1e9; length - 1]);
        }
    }

    #[test]
    fn known_singular_values() {
        // Of ones on and beside the diagonal: 2 cos(k π / (2 n + 1)).
        let (mut values, beside) = (vec![1.0; 200], vec![1.0; 199]);
        assert!(singular_values(&mut values, &beside));
        for (k, value) in values.iter().enumerate() {
            let known = 2.0 * (std::f64::consts::PI * (k + 1) as f64 / 401.0).cos();
            assert!((value / known - 1.0).abs() < 1e-12, "{value}, not {known}");
        }
        // Small values have as many right digits: the product of all is that of the diagonal.
        let mut values: Vec<f64> = (0..40).map(|row| 10f64.powi(-row)).collect();
        let beside: Vec<f64> = (0..39).map(|row| 10f64.powi(-row)).collect();
        let product: f64 = values.iter().map(|value| value.ln()).sum();
        assert!(singular_values(&mut values, &beside));
        assert!((values.iter().map(|value| value.ln()).sum::<f64>() - product).abs() < 1e-11);
        for size in [f64::MAX / 2.0, f64::MIN_POSITIVE, 5e-324] {
            let mut values = [0.0, size];
            assert!(singular_values(&mut values, &[size]));
            assert!((values[0] / size - 2f64.sqrt()).abs() < 0.6 && values[1] == 0.0, "{values:?}");
        }
        let mut values = [0.0; 3];
        assert!(singular_values(&mut values, &[0.0; 2]) && values == [0.0; 3]);
        let mut values = [-3.0];
        assert!(singular_values(&mut values, &[]) && values == [3.0]);
    }
}
