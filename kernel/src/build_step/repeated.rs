//! Declarations of foreign functions and statics that a notebook repeats, because a cell with an `extern` block may run
//! again. evcxr keeps each such block, since a block has no name. Here the last declaration of a name counts, as it
//! does with other items.

use super::names::items_before_runtime;
use crate::syntax::{blank, declared_name, parse, range_of};
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem};
use std::borrow::Cow;
use std::collections::HashSet;

/// The source without the earlier ones of repeated declarations; no line moves.
pub fn without_repeated(source: &str) -> Cow<'_, str> {
    if source.matches("extern ").count() < 2 {
        return Cow::Borrowed(source);
    }
    let blocks: Vec<ast::ExternItemList> = parse(items_before_runtime(source))
        .tree()
        .items()
        .filter_map(|item| match item {
            ast::Item::ExternBlock(block) => block.extern_item_list(),
            _ => None,
        })
        .collect();
    let mut seen = HashSet::new();
    let mut result = source.to_owned();
    // From the back, so that places stay right.
    for block in blocks.iter().rev() {
        let declarations: Vec<ast::ExternItem> = block.extern_items().collect();
        for declaration in declarations.iter().rev() {
            let Some(name) = declared_name(declaration.syntax()) else { continue };
            if !seen.insert(name) {
                let range = range_of(declaration.syntax());
                let blank = blank(&result[range.clone()]);
                result.replace_range(range, &blank);
            }
        }
    }
    Cow::Owned(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_declaration_counts() {
        let source = "unsafe extern \"C\" {\n    fn abs(x: i32)\n        -> i32;\n    fn sin(x: f64) -> f64;\n}\nextern crate alloc;\n\
                      unsafe extern \"C\" { safe fn abs(x: i32) -> i32; }\n";
        let expected = "unsafe extern \"C\" {\n                  \n               \n    fn sin(x: f64) -> f64;\n}\nextern crate alloc;\n\
                        unsafe extern \"C\" { safe fn abs(x: i32) -> i32; }\n";
        assert_eq!(without_repeated(source), expected);
    }

    #[test]
    fn other_sources_are_left_alone() {
        for source in ["", "extern \"C\" fn f() {}\nextern \"C\" fn g() {}", "unsafe extern \"C\" { fn a(); fn b(); }"]
        {
            assert_eq!(without_repeated(source), source);
        }
    }
}
