//! Sparse matrices as text, and in a notebook as a table beside a picture.

use super::raw::{Format, RawSparse};
use crate::array::html::{FACTS, TABLE};
use crate::array::{slice_axis, transfer};
use crate::dtype::DType;
use crate::error::Result;
use crate::rich::{MimeBundle, escaped};
use base64::Engine;
use std::fmt;

/// The most elements that are shown.
const MOST: usize = 50;

/// The most elements in a table.
const MOST_ROWS: usize = 10;

/// The most cells of a picture along a side, and how many pixels its longer side has.
const MOST_CELLS: usize = 48;
const PICTURE: f64 = 192.0;

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
        let values = slice_axis(&coo.data, 0, start, 1, length).converted(operation, DType::F64)?;
        let values: Vec<f64> = transfer::download_vec(&values)?;
        Ok(rows.into_iter().zip(columns).zip(values).map(|((row, column), value)| (row, column, value)).collect())
    };
    Ok([part(0, half)?, if count > MOST { part(count - half, half)? } else { Vec::new() }])
}

/// An element's value as text.
fn shown(value: f64, is_single: bool) -> String {
    if is_single { format!("{:?}", value as f32) } else { format!("{value:?}") }
}

/// The elements as lines of text.
fn text_of([first, last]: &[Elements; 2], is_single: bool) -> String {
    let line = |&(row, column, value): &(i32, i32, f64)| format!("({row}, {column})\t{}", shown(value, is_single));
    let mut lines: Vec<String> = first.iter().map(line).collect();
    if !last.is_empty() {
        lines.push(":\t:".to_owned());
        lines.extend(last.iter().map(line));
    }
    lines.join("\n")
}

fn is_single(matrix: &RawSparse) -> bool {
    matrix.dtype() == DType::F32
}

pub(super) fn write_elements(matrix: &RawSparse, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match elements(matrix) {
        Ok(found) => f.write_str(&text_of(&found, is_single(matrix))),
        Err(error) => write!(f, "[the elements cannot be shown: {error}]"),
    }
}

/// The elements and what the matrix is, as text; in a notebook also as a table beside a picture of the pattern.
pub(super) fn write_described(matrix: &RawSparse, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let [rows, columns] = matrix.shape;
    let (format, count, dtype) = (matrix.format, matrix.nnz(), matrix.dtype());
    let word = if count == 1 { "element" } else { "elements" };
    let device = matrix.handle().device;
    let facts =
        format!("{format} matrix, shape ({rows}, {columns}), {count} stored {word}, dtype {dtype}, on {device}");
    let found = elements(matrix);
    let text = match &found {
        Ok(found) => text_of(found, is_single(matrix)),
        Err(error) => format!("[the elements cannot be shown: {error}]"),
    };
    let text = if count > 0 { format!("{text}\n{facts}") } else { facts.clone() };
    if let Ok(found) = &found {
        crate::cell::offer_rich(&text, || {
            let html = html_of(matrix, found, &facts);
            html.map_or_else(|_| MimeBundle::new(), |html| MimeBundle::new().html(html)).into_data()
        });
    }
    f.write_str(&text)
}

/// The first elements as a table, beside the pattern of the matrix.
fn html_of(matrix: &RawSparse, [first, last]: &[Elements; 2], facts: &str) -> Result<String> {
    let mut html = "<div style=\"display:flex;gap:1.5em;align-items:flex-start\">".to_owned();
    if let Some(picture) = picture_of(matrix)? {
        html.push_str(&picture);
    }
    if !first.is_empty() {
        html.push_str(TABLE);
        html.push_str("<tr><th>row<th>column<th>value");
        for &(row, column, value) in first.iter().take(MOST_ROWS) {
            html.push_str(&format!("<tr><td>{row}<td>{column}<td>{}", shown(value, is_single(matrix))));
        }
        if first.len() > MOST_ROWS || !last.is_empty() {
            html.push_str("<tr><td>⋮<td>⋮<td>⋮");
        }
        html.push_str("</table>");
    }
    Ok(html + "</div>" + FACTS + &escaped(facts) + "</div>")
}

/// A picture whose cells are dark where an element of a block is not 0; none of a matrix without rows or columns.
fn picture_of(matrix: &RawSparse) -> Result<Option<String>> {
    let [rows, columns] = matrix.shape;
    if rows == 0 || columns == 0 {
        return Ok(None);
    }
    let block = [rows, columns].map(|length| length.div_ceil(MOST_CELLS));
    let [height, width] = [rows.div_ceil(block[0]), columns.div_ceil(block[1])];
    let marks = matrix.blocks("display", block)?;
    let mut path = String::new();
    for (y, row) in marks.chunks(width).enumerate() {
        let mut x = 0;
        while x < width {
            let run = row[x..].iter().take_while(|&&mark| mark != 0).count();
            if run > 0 {
                path.push_str(&format!("M{x} {y}h{run}v1h-{run}z"));
            }
            x += run.max(1);
        }
    }
    let scale = PICTURE / height.max(width) as f64;
    let [shown_width, shown_height] = [width, height].map(|cells| (cells as f64 * scale).round().max(4.0) as usize);
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" preserveAspectRatio=\"none\">\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/><path d=\"{path}\" fill=\"#333\"/></svg>"
    );
    let svg = base64::engine::general_purpose::STANDARD.encode(svg);
    Ok(Some(format!(
        "<img alt=\"the pattern of the matrix\" width=\"{shown_width}\" height=\"{shown_height}\" \
         style=\"border:1px solid #999\" src=\"data:image/svg+xml;base64,{svg}\">"
    )))
}

#[cfg(test)]
mod tests {
    use crate::cell::representations_of;
    use crate::sparse;

    fn html(matrix: &dyn std::fmt::Debug) -> String {
        representations_of(matrix).expect("a value")["text/html"].as_str().expect("text").to_owned()
    }

    #[test]
    fn a_matrix_is_a_picture_and_a_table() {
        let matrix = sparse::csr_matrix((&[1.5, -2.0], ([0, 2], [1, 0]), (3, 2)));
        let shown = html(&matrix);
        assert!(
            shown.contains("<tr><th>row<th>column<th>value<tr><td>0<td>1<td>1.5<tr><td>2<td>0<td>-2.0</table>"),
            "{shown}"
        );
        assert!(shown.contains("csr matrix, shape (3, 2), 2 stored elements, dtype f64, on "), "{shown}");
        let svg = shown.split("base64,").nth(1).and_then(|rest| rest.split('"').next()).expect("a picture");
        let svg = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, svg).expect("base64");
        let svg = String::from_utf8(svg).expect("text");
        assert!(svg.contains("viewBox=\"0 0 2 3\"") && svg.contains("d=\"M1 0h1v1h-1zM0 2h1v1h-1z\""), "{svg}");
    }

    #[test]
    fn large_matrices_are_short() {
        let shown = html(&sparse::eye::<f32>(100_000));
        assert!(shown.len() < 6000 && shown.contains("<td>9<td>9<td>1.0<tr><td>⋮"), "{shown}");
        let dense = html(&sparse::csr_matrix(&crate::ones::<f64>((40, 40))));
        assert!(dense.len() < 6000, "{}", dense.len());
        let nothing = html(&sparse::SparseMatrix::<f64>::zeros((3, 0)));
        assert!(!nothing.contains("<img") && !nothing.contains("<table"), "{nothing}");
    }
}
