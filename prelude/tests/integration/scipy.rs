//! `gpu::interpolate`, `gpu::optimize`, `gpu::spatial` and `gpu::stats` against SciPy, whose results are in tests/parity/scipy_modules.json (by
//! scipy_modules.py).

mod interpolate;
mod optimize;
mod spatial;
mod stats;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use warpcell as gpu;
use warpcell::{DeviceArray, Element, Scalar};

/// SciPy's results, of which each is to be asked for.
pub struct Table {
    rows: BTreeMap<String, Vec<Option<f64>>>,
    asked: RefCell<BTreeSet<String>>,
    faults: RefCell<Vec<String>>,
}

impl Table {
    /// The rows whose names begin with one of these words.
    pub fn of(words: &[&str]) -> Table {
        let text = include_str!("../../../tests/parity/scipy_modules.json");
        let mut rows: BTreeMap<String, Vec<Option<f64>>> = serde_json::from_str(text).expect("a table");
        rows.retain(|name, _| words.contains(&name.split(' ').next().unwrap()));
        Table { rows, asked: RefCell::default(), faults: RefCell::default() }
    }

    /// The error if the numbers differ from those of a row by more than a share of the largest of them, or if one is NaN and
    /// the other is not.
    pub fn near(&self, name: &str, found: &[&[f64]], tolerance: f64) {
        let found = found.concat();
        let Some(wanted) = self.rows.get(name) else { panic!("there is no row {name:?}") };
        self.asked.borrow_mut().insert(name.to_string());
        let largest = wanted.iter().flatten().fold(0.0f64, |most, x| most.max(x.abs()));
        if wanted.len() != found.len() {
            self.faults.borrow_mut().push(format!("{name}: {} numbers, not {}", found.len(), wanted.len()));
            return;
        }
        for (place, (wanted, found)) in wanted.iter().zip(found).enumerate() {
            let is_near = match wanted {
                Some(wanted) => (wanted - found).abs() <= tolerance * largest.max(1e-300),
                None => found.is_nan(),
            };
            if !is_near {
                self.faults.borrow_mut().push(format!("{name}[{place}]: {found}, not {wanted:?}"));
                return;
            }
        }
    }

    #[track_caller]
    pub fn finish(&self) {
        let faults = self.faults.borrow();
        assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
        let asked = self.asked.borrow();
        let left: Vec<_> = self.rows.keys().filter(|name| !asked.contains(*name)).collect();
        assert!(left.is_empty(), "rows that no test asks for: {left:?}");
    }
}

pub fn floats<T: Element>(a: &DeviceArray<T>) -> Vec<f64> {
    let float = |value: T| match value.to_scalar() {
        Scalar::I64(value) => value as f64,
        other => other.float().expect("a number"),
    };
    a.to_host().iter().map(|&value| float(value)).collect()
}

/// The signal of scipy_modules.py.
pub fn samples(count: usize) -> Vec<f64> {
    let sample = |at: usize| {
        let noise = (at * 7919 % 101) as f64 / 50.0 - 1.0;
        let at = at as f64;
        (0.05 * at).sin() + 0.5 * (0.9 * at + 1.0).sin() + 0.25 * noise
    };
    (0..count).map(sample).collect()
}

pub fn wave(count: usize) -> DeviceArray<f64> {
    gpu::array(&samples(count))
}

/// Points within an interval, at both ends, and beyond them.
pub fn queries(first: f64, last: f64) -> Vec<f64> {
    (0..23).map(|at| first - 0.3 + (last - first + 0.6) * at as f64 / 22.0).collect()
}
