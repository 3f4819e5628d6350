//! The downhill simplex.

use super::minimum::{Search, Value};
use super::variables::Vector;
use crate::error::Result;

/// By Nelder and Mead, "A simplex method for function minimization" (1965), with the steps and the simplex of SciPy.
pub(super) fn downhill(value: Value<'_>, x0: &Vector, tolerance: f64, maxiter: usize) -> Result<Search> {
    let start = x0.to_host();
    let count = start.len();
    let mut nfev = 0;
    let mut at = |x: &[f64]| -> Result<f64> {
        nfev += 1;
        Ok(value(&x0.like(x.to_vec())?))
    };
    let mut simplex: Vec<(f64, Vec<f64>)> = vec![(at(&start)?, start.clone())];
    for axis in 0..count {
        let mut x = start.clone();
        x[axis] = if x[axis] != 0.0 { 1.05 * x[axis] } else { 0.00025 };
        simplex.push((at(&x)?, x));
    }
    let sort = |simplex: &mut Vec<(f64, Vec<f64>)>| simplex.sort_by(|a, b| a.0.total_cmp(&b.0));
    sort(&mut simplex);
    let mut nit = 1;
    let (status, message) = loop {
        let best = &simplex[0];
        let width = simplex[1..]
            .iter()
            .flat_map(|(_, x)| x.iter().zip(&best.1).map(|(x, other)| (x - other).abs()))
            .fold(0.0, f64::max);
        let height = simplex[1..].iter().map(|(value, _)| (value - best.0).abs()).fold(0.0, f64::max);
        if width <= tolerance && height <= tolerance {
            break (0, "the simplex and the values at its corners are within the tolerance");
        }
        if nit >= maxiter || nit >= 200 * count * 200 {
            break (2, "the maximum number of iterations has been reached");
        }
        nit += 1;
        let centre: Vec<f64> =
            (0..count).map(|axis| simplex[..count].iter().map(|(_, x)| x[axis]).sum::<f64>() / count as f64).collect();
        let worst = simplex[count].clone();
        let along = |factor: f64| -> Vec<f64> {
            centre.iter().zip(&worst.1).map(|(centre, worst)| centre + factor * (centre - worst)).collect()
        };
        let reflected = along(1.0);
        let at_reflected = at(&reflected)?;
        let mut shrinks = false;
        if at_reflected < simplex[0].0 {
            let expanded = along(2.0);
            let at_expanded = at(&expanded)?;
            simplex[count] =
                if at_expanded < at_reflected { (at_expanded, expanded) } else { (at_reflected, reflected) };
        } else if at_reflected < simplex[count - 1].0 {
            simplex[count] = (at_reflected, reflected);
        } else {
            let is_outside = at_reflected < worst.0;
            let contracted = along(if is_outside { 0.5 } else { -0.5 });
            let at_contracted = at(&contracted)?;
            if is_outside && at_contracted <= at_reflected || !is_outside && at_contracted < worst.0 {
                simplex[count] = (at_contracted, contracted);
            } else {
                shrinks = true;
            }
        }
        if shrinks {
            let best = simplex[0].1.clone();
            for corner in &mut simplex[1..] {
                let x: Vec<f64> = corner.1.iter().zip(&best).map(|(x, best)| best + 0.5 * (x - best)).collect();
                *corner = (at(&x)?, x);
            }
        }
        sort(&mut simplex);
    };
    let (fun, x) = simplex.swap_remove(0);
    Ok(Search { x: x0.like(x)?, fun, jac: None, status, message, nit, nfev, njev: 0 })
}
