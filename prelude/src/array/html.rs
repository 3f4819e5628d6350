//! Arrays as tables in a notebook.
//!
//! A table has the entries of the text beside it, and the same line with shape, dtype and device below. It takes its fonts
//! from JupyterLab's theme and its colours from the text around it: VS Code has JupyterLab's colours for light themes in dark ones, too.

use super::display::{Entries, with_gap};
use crate::rich::escaped;

/// A longer table is abbreviated, or left out: a notebook keeps its outputs.
const LONGEST: usize = 20_000;

pub(crate) const TABLE: &str = "\
    <table cellpadding=\"4\" style=\"border-collapse:collapse;text-align:right;\
    font-family:var(--jp-code-font-family,monospace);\
    font-size:var(--jp-code-font-size,13px);color:inherit\">";
pub(crate) const FACTS: &str = "\
    <div style=\"font-family:var(--jp-code-font-family,monospace);font-size:var(--jp-code-font-size,13px);\
    opacity:.7\">";

/// The table of an array with one or two axes and at least one element.
pub(super) fn of_entries(entries: &Entries, facts: &str) -> Option<String> {
    let (rows, columns) = match entries.axes[..] {
        [columns] => ((1, false), columns),
        [rows, columns] => (rows, columns),
        _ => return None,
    };
    let edge = entries.edge;
    let whole = table(entries, with_gap(rows, edge), with_gap(columns, edge), facts)?;
    if whole.len() <= LONGEST {
        return Some(whole);
    }
    let ends = |(shown, gap): (usize, bool)| match gap || shown <= 2 * edge {
        true => with_gap((shown, gap), edge),
        false => (0..edge).map(Some).chain([None]).chain((shown - edge..shown).map(Some)).collect(),
    };
    table(entries, ends(rows), ends(columns), facts).filter(|table| table.len() <= LONGEST)
}

/// The table of these rows and columns; where there is none, some are left out.
fn table(entries: &Entries, rows: Vec<Option<usize>>, columns: Vec<Option<usize>>, facts: &str) -> Option<String> {
    let width = entries.axes.last()?.0;
    if entries.cells.is_empty() {
        return None;
    }
    let mut html = TABLE.to_owned();
    for &row in &rows {
        html.push_str("<tr>");
        for &column in &columns {
            // The closing tags are optional in HTML.
            html.push_str("<td>");
            match (row, column) {
                (Some(row), Some(column)) => push_cell(&mut html, &entries.cells[row * width + column]),
                (Some(_), None) => html.push('⋯'),
                (None, Some(_)) => html.push('⋮'),
                (None, None) => html.push('⋱'),
            }
        }
    }
    Some(html + "</table>" + FACTS + &escaped(facts) + "</div>")
}

/// Writes a number. Blanks behind it keep the points of a column in line.
fn push_cell(html: &mut String, cell: &str) {
    html.extend(cell.trim_start().chars().map(|character| if character == ' ' { '\u{a0}' } else { character }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::representations_of;
    use expect_test::expect;

    fn shown<T: crate::Element>(array: &crate::DeviceArray<T>) -> (Option<String>, String) {
        let data = representations_of(array).unwrap();
        let text = |sort: &str| data.get(sort).map(|text| text.as_str().unwrap().to_owned());
        (
            text("text/html").map(|html| html.replace(TABLE, "<table>").replace(FACTS, "<div>")),
            text("text/plain").unwrap(),
        )
    }

    #[test]
    fn arrays_with_one_or_two_axes_are_tables() {
        let on = crate::device();
        let (html, text) = shown(&crate::array(&[[1.0, 2.5], [f64::NAN, -0.125]]));
        let facts = format!("shape (2, 2), dtype f64, on {on}");
        assert_eq!(
            html.unwrap().replace('\u{a0}', "_"),
            format!("<table><tr><td>1.___<td>2.5__<tr><td>nan<td>-0.125</table><div>{facts}</div>")
        );
        assert_eq!(text, format!("[[ 1.     2.5  ]\n [   nan -0.125]]\n{facts}"));
        let (html, _) = shown(&crate::array(&[crate::Complex::new(1.0, 2.0)]));
        let facts = format!("shape (1,), dtype Complex&lt;f64&gt;, on {on}");
        assert_eq!(html.unwrap(), format!("<table><tr><td>1.+2.i</table><div>{facts}</div>"));
        for shape in [&[][..], &[2, 2, 2], &[0], &[3, 0]] {
            assert_eq!(shown(&crate::zeros::<f32>(shape)).0, None, "{shape:?}");
        }
    }

    #[test]
    fn the_middle_of_large_arrays_is_left_out() {
        let (html, _) = shown(&crate::arange(10_000).reshape((100, 100)));
        let html = html.unwrap();
        let rows: Vec<&str> = html.split("<tr>").skip(1).map(|row| row.split("</table>").next().unwrap()).collect();
        expect![[r#"
            <td>0<td>1<td>2<td>⋯<td>97<td>98<td>99
            <td>100<td>101<td>102<td>⋯<td>197<td>198<td>199
            <td>200<td>201<td>202<td>⋯<td>297<td>298<td>299
            <td>⋮<td>⋮<td>⋮<td>⋱<td>⋮<td>⋮<td>⋮
            <td>9700<td>9701<td>9702<td>⋯<td>9797<td>9798<td>9799
            <td>9800<td>9801<td>9802<td>⋯<td>9897<td>9898<td>9899
            <td>9900<td>9901<td>9902<td>⋯<td>9997<td>9998<td>9999"#]]
        .assert_eq(&rows.join("\n"));
    }

    #[test]
    fn tables_are_short() {
        // Many digits, but so few elements that the text has them all.
        let numbers = crate::linspace(-0.1, 0.1, 1000).astype::<crate::Complex<f64>>() * crate::Complex::new(1.0, 1.0);
        for shape in [(1, 1000), (1000, 1), (40, 25)] {
            let (html, text) = shown(&numbers.reshape(shape));
            assert!(text.len() > LONGEST && !text.contains("..."), "{} characters", text.len());
            let html = html.unwrap();
            assert!(html.len() < 3000 && html.contains(['⋯', '⋮']), "{html}");
        }
        let (html, _) = shown(&crate::arange(1000).reshape((40, 25)));
        assert!(!html.unwrap().contains(['⋯', '⋮']));
    }
}
