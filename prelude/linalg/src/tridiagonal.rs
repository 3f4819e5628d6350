//! The eigenvalues of symmetric tridiagonal matrices, without eigenvectors.
//!
//! `faer` rotates for each of them as it does for eigenvectors, with a square root and a hypotenuse for each rotation, and looks at all
//! elements again after each step: of a matrix of 500 rows that takes as long as to make it tridiagonal. The variant of Pal, Walker and
//! Kahan needs the squares of what is beside the diagonal only, and no roots (Parlett, "The Symmetric Eigenvalue Problem", 1980, 8.15).

/// How far neighbours of a number are, relative to it.
const EPSILON: f64 = f64::EPSILON / 2.0;

/// Writes the eigenvalues in ascending order in place of the diagonal, and destroys `beside`, which has an element less: the elements
/// beside the diagonal. All are finite. Whether the iteration came to an end.
pub fn eigenvalues(diagonal: &mut [f64], beside: &mut [f64]) -> bool {
    let most = diagonal.iter().chain(beside.iter()).fold(0.0f64, |most, value| most.max(value.abs()));
    if most == 0.0 {
        return true;
    }
    // No square is too large, and those that are too small count for nothing.
    let multiply = |values: &mut [f64], factor: f64| values.iter_mut().for_each(|value| *value *= factor);
    let exponent = (most.to_bits() >> 52) as i32 - 1023;
    // In two steps, because the factor of the smallest numbers is not a float.
    let halves = [exponent / 2, exponent - exponent / 2].map(|half| 2f64.powi(half));
    for half in halves {
        multiply(diagonal, 1.0 / half);
        multiply(beside, 1.0 / half);
    }
    let length = diagonal.len();
    let (mut first, mut steps) = (0, 30 * length);
    while first < length {
        let mut last = first;
        while last + 1 < length
            && beside[last].abs() > EPSILON * (diagonal[last].abs().sqrt() * diagonal[last + 1].abs().sqrt())
        {
            last += 1;
        }
        let (values, squares) = (&mut diagonal[first..=last], &mut beside[first..last]);
        squares.iter_mut().for_each(|element| *element *= *element);
        // What is small is found first.
        if values[last - first].abs() < values[0].abs() {
            values.reverse();
            squares.reverse();
        }
        if !eigenvalues_of_block(values, squares, &mut steps) {
            return false;
        }
        first = last + 1;
    }
    halves.into_iter().for_each(|half| multiply(diagonal, half));
    diagonal.sort_by(f64::total_cmp);
    true
}

/// The same in any order, given the squares of the elements beside the diagonal, none of which is small at first. `steps` are left.
fn eigenvalues_of_block(d: &mut [f64], squares: &mut [f64], steps: &mut usize) -> bool {
    let (length, mut first) = (d.len(), 0);
    while first < length {
        let mut last = first;
        while last + 1 < length && squares[last] > EPSILON * EPSILON * (d[last] * d[last + 1]).abs() {
            last += 1;
        }
        if last + 1 < length {
            squares[last] = 0.0;
        }
        if last == first {
            first += 1;
            continue;
        }
        if last == first + 1 {
            (d[first], d[last]) = pair(d[first], squares[first].sqrt(), d[last]);
            first += 2;
            continue;
        }
        if *steps == 0 {
            return false;
        }
        *steps -= 1;
        // Wilkinson's shift: the eigenvalue of the first two rows that is nearer to the first element.
        let root = squares[first].sqrt();
        let half = (d[first + 1] - d[first]) / (2.0 * root);
        let shift = d[first] - root / (half + half.hypot(1.0).copysign(half));
        let (mut c, mut s) = (1.0, 0.0);
        let mut gamma = d[last] - shift;
        let mut p = gamma * gamma;
        for row in (first..last).rev() {
            let square = squares[row];
            let r = p + square;
            if row + 1 < last {
                squares[row + 1] = s * r;
            }
            let before = c;
            (c, s) = (p / r, square / r);
            let old = gamma;
            gamma = c * (d[row] - shift) - s * old;
            d[row + 1] = old + (d[row] - gamma);
            p = if c == 0.0 { before * square } else { gamma * gamma / c };
        }
        squares[first] = s * p;
        d[first] = shift + gamma;
    }
    true
}

/// The eigenvalues of a matrix of two rows with `b` beside its diagonal.
fn pair(a: f64, b: f64, c: f64) -> (f64, f64) {
    let (sum, root) = (a + c, (a - c).abs().hypot(2.0 * b));
    let (larger, smaller) = if a.abs() > c.abs() { (a, c) } else { (c, a) };
    // The one that is no difference, and by the determinant the other one.
    if sum == 0.0 {
        return (0.5 * root, -0.5 * root);
    }
    let one = 0.5 * (sum + root.copysign(sum));
    (one, (larger / one) * smaller - (b / one) * b)
}

#[cfg(test)]
mod tests {
    use super::eigenvalues;

    /// How many eigenvalues are below a number, by the signs of the pivots.
    fn below(diagonal: &[f64], beside: &[f64], at: f64) -> usize {
        let (mut count, mut pivot) = (0, 1.0);
        for (row, value) in diagonal.iter().enumerate() {
            let square = if row == 0 { 0.0 } else { beside[row - 1] * beside[row - 1] };
            pivot = value - at - square / pivot;
            if pivot == 0.0 {
                pivot = -f64::MIN_POSITIVE;
            }
            count += usize::from(pivot < 0.0);
        }
        count
    }

    /// Each number is within a few roundings of the eigenvalue with its place.
    fn check(diagonal: &[f64], beside: &[f64]) {
        let (mut found, mut rest) = (diagonal.to_vec(), beside.to_vec());
        assert!(eigenvalues(&mut found, &mut rest));
        let most = diagonal.iter().chain(beside).fold(0.0f64, |most, value| most.max(value.abs()));
        let room = (2e-15 * (diagonal.len() as f64).sqrt() * most).max(f64::MIN_POSITIVE);
        for (place, value) in found.iter().enumerate() {
            assert!(below(diagonal, beside, value - room) <= place, "{value} has place {place}, of {diagonal:?}");
            assert!(below(diagonal, beside, value + room) > place, "{value} has place {place}, of {diagonal:?}");
        }
    }

    #[test]
    fn eigenvalues_have_their_places() {
        let mut state = 1u64;
        let mut number = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for length in [1, 2, 3, 4, 7, 50, 501] {
            let (mut diagonal, mut beside): (Vec<f64>, Vec<f64>) = (0..length).map(|_| (number(), number())).unzip();
            beside.pop();
            check(&diagonal, &beside);
            // Graded both ways, and all of other sizes.
            for step in [0.5f64, 2.0] {
                let factor = |row: usize| step.powi((row % 100) as i32);
                let graded: Vec<f64> = diagonal.iter().enumerate().map(|(row, value)| value * factor(row)).collect();
                let beside: Vec<f64> = beside.iter().enumerate().map(|(row, value)| value * factor(row)).collect();
                check(&graded, &beside);
                for scale in [1e-150, 1e150] {
                    let scaled = |values: &[f64]| values.iter().map(|value| value * scale).collect::<Vec<f64>>();
                    let (mut small, mut rest) = (scaled(&diagonal), scaled(&beside));
                    assert!(eigenvalues(&mut small, &mut rest));
                }
            }
            // Blocks, and no diagonal.
            beside.iter_mut().step_by(3).for_each(|value| *value = 0.0);
            check(&diagonal, &beside);
            diagonal.fill(0.0);
            check(&diagonal, &beside);
        }
    }

    #[test]
    fn known_eigenvalues() {
        let (mut diagonal, mut beside) = (vec![2.0; 100], vec![-1.0; 99]);
        assert!(eigenvalues(&mut diagonal, &mut beside));
        for (k, value) in diagonal.iter().enumerate() {
            let angle = std::f64::consts::PI * (k + 1) as f64 / 101.0;
            assert!((value - (2.0 - 2.0 * angle.cos())).abs() < 1e-14);
        }
        let (mut diagonal, mut beside) = ([3.0, 1.0, 2.0], [0.0; 2]);
        assert!(eigenvalues(&mut diagonal, &mut beside));
        assert_eq!(diagonal, [1.0, 2.0, 3.0]);
        let mut zeros = [0.0; 3];
        assert!(eigenvalues(&mut zeros, &mut [0.0; 2]) && zeros == [0.0; 3]);
        for size in [f64::MAX / 4.0, f64::MIN_POSITIVE, 5e-324] {
            let (mut diagonal, mut beside) = ([size; 2], [size]);
            assert!(eigenvalues(&mut diagonal, &mut beside));
            assert_eq!(diagonal, [0.0, 2.0 * size]);
        }
        // Wilkinson's: the largest two differ in the last digits only.
        let mut diagonal: Vec<f64> = (-10..=10).map(|row: i32| row.abs().into()).collect();
        assert!(eigenvalues(&mut diagonal, &mut [1.0; 20]));
        assert!((diagonal[20] - 10.746194182903393).abs() < 1e-14 && (diagonal[19] - 10.746194182903322).abs() < 1e-14);
    }
}
