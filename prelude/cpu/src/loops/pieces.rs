//! Polynomials by pieces at many points: the piece of the point before is tried first.

use super::super::numeric::Shared;
use super::super::pool;

/// So many points are worth a thread.
const GRAIN: usize = 1 << 11;

/// What is evaluated; see `Loops::Pieces`.
pub(super) struct Curve<'a> {
    pub breaks: &'a [f64],
    pub table: &'a [f64],
    /// The columns, and the coefficients of each.
    pub shape: [usize; 2],
    /// Pieces by length, if all are of one length, else 0.
    pub scale: f64,
    pub mode: i32,
    pub outside: [f64; 2],
    pub derivative: usize,
}

impl Curve<'_> {
    /// The piece of a place: that behind the last inner break that is not above it.
    #[inline(always)]
    fn piece(&self, x: f64, before: usize) -> usize {
        let breaks = self.breaks;
        let pieces = breaks.len() - 1;
        let is_in = |at: usize| (at == 0 || x >= breaks[at]) && (at + 1 == pieces || x < breaks[at + 1]);
        if is_in(before) {
            return before;
        }
        if before + 1 < pieces && is_in(before + 1) {
            return before + 1;
        }
        if self.scale > 0.0 {
            // A guess that is off by one at most.
            let guess = (x - breaks[0]) * self.scale;
            let mut at = if guess > 0.0 { (guess as usize).min(pieces - 1) } else { 0 };
            while at > 0 && x < breaks[at] {
                at -= 1;
            }
            while at + 1 < pieces && x >= breaks[at + 1] {
                at += 1;
            }
            return at;
        }
        let (mut at, mut count) = (0, pieces);
        while count > 1 {
            let half = count / 2;
            at = if x >= breaks[at + half] { at + half } else { at };
            count -= half;
        }
        at
    }
}

/// Writes the values at the points, a row for each.
pub(super) fn evaluate(curve: &Curve<'_>, points: &[f64], out: &mut [f64]) {
    match curve.shape[1] {
        4 if curve.derivative == 0 => by_order(curve, points, out, |c, distance| {
            let c: &[f64; 4] = c.try_into().expect("four coefficients");
            c.iter().fold(0.0, |sum, c| sum * distance + c)
        }),
        _ if curve.derivative == 0 => {
            by_order(curve, points, out, |c, distance| c.iter().fold(0.0, |sum, c| sum * distance + c));
        }
        order => {
            let nu = curve.derivative;
            let factors: Vec<f64> = (0..order.saturating_sub(nu))
                .map(|k| (0..nu).fold(1.0, |factor, less| factor * (order - 1 - k - less) as f64))
                .collect();
            by_order(curve, points, out, |c, distance| {
                c.iter().zip(&factors).fold(0.0, |sum, (c, factor)| sum * distance + factor * c)
            });
        }
    }
}

fn by_order(curve: &Curve<'_>, points: &[f64], out: &mut [f64], value: impl Fn(&[f64], f64) -> f64 + Sync) {
    let [columns, order] = curve.shape;
    let breaks = curve.breaks;
    let (first, last) = (breaks[0], breaks[breaks.len() - 1]);
    let target = Shared(out.as_mut_ptr());
    pool::split(points.len(), GRAIN, &|range| {
        let mut piece = 0;
        for at in range {
            let mut x = points[at];
            if curve.mode == 2 {
                let period = last - first;
                let rest = (x - first) % period;
                x = first + if rest < 0.0 { rest + period } else { rest };
            }
            let is_low = matches!(curve.mode, 0 | 3) && x < first;
            let is_high = matches!(curve.mode, 0 | 4) && x > last;
            piece = curve.piece(x, piece);
            let distance = x - breaks[piece];
            for column in 0..columns {
                let start = (piece * columns + column) * order;
                let found = if x.is_nan() {
                    x
                } else if is_high {
                    curve.outside[1]
                } else if is_low {
                    curve.outside[0]
                } else {
                    value(&curve.table[start..start + order], distance)
                };
                // SAFETY: the row of each point belongs to one task.
                unsafe { target.get().add(at * columns + column).write(found) };
            }
        }
    });
}
