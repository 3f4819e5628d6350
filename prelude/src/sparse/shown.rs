//! Sparse matrices as text.

use super::raw::{Format, RawSparse};
use crate::array::{slice_axis, transfer};
use crate::error::Result;
use std::fmt;

/// The most elements that are shown.
const MOST: usize = 50;

/// Elements of a matrix: their rows, columns, and values.
type Elements = Vec<(i32, i32, f64)>;

/// The first and the last elements, as many as are shown.
fn elements(matrix: &RawSparse) -> Result<[Elements; 2]> {
    let operation = "display";
    matrix.handle().may_wait(operation)?;
    let coo = matrix.to(operation, Format::Coo)?;
    let count = coo.nnz();
    let half = if count > MOST { MOST / 2 } else { count };
    let part = |start: usize, length: usize| {
        let rows: Vec<i32> = transfer::download_vec(&slice_axis(&coo.first, 0, start, 1, length))?;
        let columns: Vec<i32> = transfer::download_vec(&slice_axis(&coo.second, 0, start, 1, length))?;
        let values = slice_axis(&coo.data, 0, start, 1, length).converted(operation, crate::dtype::DType::F64)?;
        let values: Vec<f64> = transfer::download_vec(&values)?;
        Ok(rows.into_iter().zip(columns).zip(values).map(|((row, column), value)| (row, column, value)).collect())
    };
    Ok([part(0, half)?, if count > MOST { part(count - half, half)? } else { Vec::new() }])
}

pub(super) fn write_elements(matrix: &RawSparse, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let [first, last] = match elements(matrix) {
        Ok(found) => found,
        Err(error) => return write!(f, "[the elements cannot be shown: {error}]"),
    };
    let is_single = matrix.dtype() == crate::dtype::DType::F32;
    let line = |&(row, column, value): &(i32, i32, f64)| {
        if is_single {
            format!("({row}, {column})\t{:?}", value as f32)
        } else {
            format!("({row}, {column})\t{value:?}")
        }
    };
    let mut lines: Vec<String> = first.iter().map(line).collect();
    if !last.is_empty() {
        lines.push(":\t:".to_owned());
        lines.extend(last.iter().map(line));
    }
    f.write_str(&lines.join("\n"))
}

pub(super) fn write_described(matrix: &RawSparse, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write_elements(matrix, f)?;
    if matrix.nnz() > 0 {
        f.write_str("\n")?;
    }
    let [rows, columns] = matrix.shape;
    let (format, count, dtype) = (matrix.format, matrix.nnz(), matrix.dtype());
    let elements = if count == 1 { "element" } else { "elements" };
    write!(
        f,
        "{format} matrix, shape ({rows}, {columns}), {count} stored {elements}, dtype {dtype}, on {}",
        matrix.handle().device
    )
}
