//! What a program lacks of cells that fail on purpose, which are left out: the notebook keeps what they do before they fail.

use super::cells::{Cells, Part};
use super::tokens::{names, names_in_formats};
use crate::build_step::{Binding, bindings};
use crate::notebook::{FAILS, Finding, has_tag};
use crate::syntax::{identifiers, statements};
use nbformat::v4::Notebook;
use ra_ap_syntax::ast::{self, AstNode, BinaryOp};
use std::collections::{BTreeMap, BTreeSet};

/// The variables that such cells change and later cells read.
pub fn changes(notebook: &Notebook, cells: &Cells) -> Vec<Finding> {
    // Whether each variable is mutable.
    let mut variables: BTreeMap<String, bool> = BTreeMap::new();
    // The cells that have changed variables, by the variables.
    let mut changed: BTreeMap<String, usize> = BTreeMap::new();
    let mut found: BTreeMap<usize, BTreeMap<String, usize>> = BTreeMap::new();
    for cell in &cells.cells {
        match &cell.part {
            Part::LeftOut { code, .. } if notebook.cells.get(cell.index).is_some_and(|cell| has_tag(cell, FAILS)) => {
                let is_mutable = |name: &String| variables.get(name) == Some(&true);
                let all = changed_in(code).into_iter().filter(is_mutable);
                changed.extend(all.map(|name| (name, cell.index)));
            }
            Part::Code(code) => {
                if code.clears {
                    variables.clear();
                    changed.clear();
                }
                let read = names(&code.statements).into_iter().chain(names_in_formats(&code.statements));
                for name in read.filter(|name| !code.replaces.contains(name)) {
                    if let Some(by) = changed.remove(&name) {
                        found.entry(by).or_default().insert(name, cell.index);
                    }
                }
                let statements = statements(&code.statements);
                let bound: Vec<Binding> = statements.iter().flat_map(|(_, node)| bindings(node)).collect();
                for name in &code.variables {
                    changed.remove(name);
                    let is_mutable = bound.iter().any(|binding| binding.name == *name && binding.is_mutable);
                    variables.insert(name.clone(), is_mutable);
                }
            }
            Part::LeftOut { .. } | Part::Text(_) => {}
        }
    }
    let finding = |(cell, read): (usize, BTreeMap<String, usize>)| {
        let read = read.iter().map(|(name, reader)| format!("`{name}`, which cell {} reads", reader + 1));
        let list = read.collect::<Vec<_>>().join("; ");
        let text = format!(
            "it fails on purpose, so the program is without it; in the notebook it may change {list}. Move what must happen to a cell of its own"
        );
        Finding { cell, text }
    };
    found.into_iter().map(finding).collect()
}

/// The names that code may give other values.
fn changed_in(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for node in statements(code).into_iter().flat_map(|(_, node)| node.descendants()) {
        let target = if let Some(expression) = ast::BinExpr::cast(node.clone()) {
            expression.lhs().filter(|_| matches!(expression.op_kind(), Some(BinaryOp::Assignment { .. })))
        } else if let Some(call) = ast::MethodCallExpr::cast(node.clone()) {
            call.receiver()
        } else {
            ast::RefExpr::cast(node).filter(|reference| reference.mut_token().is_some()).and_then(|of| of.expr())
        };
        found.extend(target.iter().flat_map(|target| identifiers(target.syntax())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::{cells, tests::notebook};
    use super::*;
    use serde_json::json;

    #[test]
    fn what_later_cells_read_of_cells_that_fail_is_said() {
        let fails = || json!({"metadata": {"tags": ["raises-exception"]}});
        for (code, then, expected) in [
            ("t += 10; panic!()", "t", Some("`t`, which cell 3 reads")),
            ("t = f(t)?;", "println!(\"{t}\");", Some("`t`, which cell 3 reads")),
            ("v.push(1); v[9]", "v.len() + t", Some("`v`, which cell 3 reads")),
            ("v[0] = 1; t += 1; panic!()", "(t, v)", Some("`t`, which cell 3 reads; `v`, which cell 3 reads")),
            ("g(&mut v); panic!()", "v", Some("`v`, which cell 3 reads")),
            ("t += 10; panic!()", "1", None),
            ("t += 10; panic!()", "let t = 5; t", None),
            ("let u = t; panic!()", "t", None),
            ("k.len(); panic!()", "k", None),
            ("let t: i32 = \"a\";", "t", None),
        ] {
            let text = "let mut t = 1;\nlet mut v = vec![1];\nlet k = vec![1];";
            let notebook =
                notebook("rust", &[("code", text, json!({})), ("code", code, fails()), ("code", then, json!({}))]);
            let found = changes(&notebook, &cells::read(&notebook));
            assert_eq!(found.len(), usize::from(expected.is_some()), "{code} {then}");
            for (finding, expected) in found.iter().zip(expected) {
                assert!(finding.cell == 1 && finding.text.contains(expected), "{}", finding.text);
            }
        }
    }
}
