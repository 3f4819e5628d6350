//! What items are known by: the names that they declare, and what implementations are of and for. Also what goes into an item of its own, so
//! that a later one can replace it.

use super::items::{Glob, Key};
use super::tokens::names;
use crate::syntax::{declared_name, imported, parse};
use ra_ap_syntax::ast::{self, AstNode, HasGenericParams, HasModuleItem, HasVisibility};
use ra_ap_syntax::{NodeOrToken, SyntaxNode};
use std::collections::{BTreeMap, BTreeSet};

/// The name of an item with which the kernel keeps the implementations behind it.
pub fn attaching_name(text: &str) -> Option<Key> {
    let item = parse(text).tree().items().next()?;
    let attaches = !matches!(item, ast::Item::Impl(_) | ast::Item::Use(_) | ast::Item::MacroRules(_));
    declared_name(item.syntax()).filter(|_| attaches)
}

/// Whether a key is a name, and not the head of an implementation or another text.
pub fn is_name(key: &str) -> bool {
    key.chars().all(crate::syntax::is_word)
}

/// The keys of an item, and the type that it implements something for.
pub fn keys_of(item: &ast::Item) -> (Vec<Key>, Option<String>) {
    match item {
        ast::Item::Impl(block) => {
            let of = block.self_ty().and_then(|of| names(&of.syntax().text().to_string()).into_iter().next());
            let head = head_of(block);
            // Several implementations of a type stand beside one another, with different functions.
            let parts = block.assoc_item_list().into_iter().flat_map(|list| list.assoc_items());
            let parts = parts.filter(|_| block.trait_().is_none()).filter_map(|part| declared_name(part.syntax()));
            let keys: Vec<Key> = parts.map(|name| format!("{head} :: {name}")).collect();
            (if keys.is_empty() { vec![head] } else { keys }, of)
        }
        ast::Item::Use(_) => {
            let names = imported(item.syntax());
            let text: Vec<String> = item.syntax().text().to_string().split_whitespace().map(str::to_owned).collect();
            (if names.is_empty() { vec![text.join(" ")] } else { names }, None)
        }
        other => match declared_name(other.syntax()) {
            Some(name) => (vec![name], None),
            None => (vec![other.syntax().text().to_string()], None),
        },
    }
}

/// What an implementation is of and for. Its parameters have numbers: their names and bounds do not make it another one.
fn head_of(block: &ast::Impl) -> Key {
    let parameters = block.generic_param_list().into_iter().flat_map(|list| list.generic_params());
    let parameters: Vec<String> = parameters
        .filter_map(|parameter| match parameter {
            ast::GenericParam::LifetimeParam(parameter) => Some(parameter.lifetime()?.text().to_string()),
            parameter => declared_name(parameter.syntax()),
        })
        .collect();
    let mut used: Vec<String> = Vec::new();
    let mut words = |part: &SyntaxNode| {
        let tokens = part.descendants_with_tokens().filter_map(NodeOrToken::into_token);
        // Numbered as they are used.
        let mut word = |text: &str| {
            if !parameters.iter().any(|parameter| parameter == text) {
                return text.to_owned();
            }
            let number = used.iter().position(|parameter| parameter == text).unwrap_or_else(|| {
                used.push(text.to_owned());
                used.len() - 1
            });
            format!("#{number}")
        };
        let words = tokens.filter(|token| !token.kind().is_trivia()).map(|token| word(token.text()));
        words.collect::<Vec<_>>().join(" ")
    };
    let parts = [block.trait_(), block.self_ty()].map(|part| part.map(|part| words(part.syntax())));
    match parts {
        [Some(of), Some(of_type)] => format!("impl {of} for {of_type}"),
        [None, of_type] | [of_type, None] => format!("impl {}", of_type.unwrap_or_default()),
    }
}

/// The type or module from which a `use` brings all names, by its own name.
pub fn glob_of(text: &str) -> Option<(Key, Glob)> {
    let Some(ast::Item::Use(item)) = parse(text).tree().items().next() else { return None };
    let tree = item.use_tree().filter(|tree| tree.star_token().is_some())?;
    let path = tree.path()?.syntax().text().to_string();
    let root = path.trim_start_matches("self::").trim_start_matches("crate::").to_owned();
    is_name(&root).then(|| (root, Glob { is_public: item.visibility().is_some(), names: Vec::new() }))
}

/// The names that a `*` brings: the variants of an enum, the public items of a module.
pub fn names_within(text: &str) -> Vec<Key> {
    match parse(text).tree().items().next() {
        Some(ast::Item::Enum(item)) => {
            let variants = item.variant_list().into_iter().flat_map(|list| list.variants());
            variants.filter_map(|variant| declared_name(variant.syntax())).collect()
        }
        Some(ast::Item::Module(item)) => {
            let items = item.item_list().into_iter().flat_map(|list| list.items());
            items
                .filter(|item| has_visibility(item.syntax()))
                .flat_map(|item| keys_of(&item).0)
                .filter(|key| is_name(key))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The names that several items declare.
pub fn repeated_names<'a>(items: impl Iterator<Item = &'a String>) -> BTreeSet<String> {
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for text in items {
        let Some(node) = parse(text).tree().items().next() else { continue };
        for key in keys_of(&node).0 {
            texts.entry(key).or_default().insert(text.split_whitespace().collect());
        }
    }
    texts.into_iter().filter(|(_, texts)| texts.len() > 1).map(|(key, _)| key).collect()
}

/// A `use` of several names, or an implementation of several functions, as one of each, if another item declares one of them.
pub fn singles(text: &str, repeated: &BTreeSet<String>) -> Vec<String> {
    let whole = vec![text.to_owned()];
    let item = match parse(text).tree().items().next() {
        Some(ast::Item::Use(item)) => item,
        Some(ast::Item::Impl(block)) => return parts_of(&block, text, repeated).unwrap_or(whole),
        _ => return whole,
    };
    let names = imported(item.syntax());
    if names.len() < 2 || !names.iter().any(|name| repeated.contains(name)) {
        return whole;
    }
    let mut found = Vec::new();
    if let Some(tree) = item.use_tree() {
        spread(&tree, "", &mut found);
    }
    let before = if item.visibility().is_some() { "pub use" } else { "use" };
    found.into_iter().map(|path| format!("{before} {path};")).collect()
}

/// An implementation of a type with each of its parts in a block of its own, if another item declares one of them.
fn parts_of(block: &ast::Impl, text: &str, repeated: &BTreeSet<String>) -> Option<Vec<String>> {
    let (keys, _) = keys_of(&ast::Item::Impl(block.clone()));
    let list = block.assoc_item_list()?;
    if block.trait_().is_some() || keys.len() < 2 || !keys.iter().any(|key| repeated.contains(key)) {
        return None;
    }
    let head = &text[..usize::from(list.syntax().text_range().start())];
    Some(list.assoc_items().map(|part| format!("{head}{{ {} }}", part.syntax().text())).collect())
}

fn spread(tree: &ast::UseTree, before: &str, found: &mut Vec<String>) {
    let path = tree.path().map(|path| path.syntax().text().to_string());
    let whole = match (&path, before) {
        (Some(path), "") => path.clone(),
        (Some(path), before) => format!("{before}::{path}"),
        (None, before) => before.to_owned(),
    };
    match tree.use_tree_list() {
        Some(list) => list.use_trees().for_each(|tree| spread(&tree, &whole, found)),
        None => {
            let rename = tree.rename().map(|rename| format!(" {}", rename.syntax().text())).unwrap_or_default();
            let star = if tree.star_token().is_some() { "::*" } else { "" };
            found.push(format!("{}{star}{rename}", whole.strip_suffix("::self").unwrap_or(&whole)));
        }
    }
}

/// Whether an item or a part of it says who can name it.
pub fn has_visibility(node: &SyntaxNode) -> bool {
    node.children().any(|child| ast::Visibility::can_cast(child.kind()))
}
