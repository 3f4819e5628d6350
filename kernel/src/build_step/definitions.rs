//! A hash of the notebook's definitions that determine the layout of a type. It changes when one of them changes.
//!
//! A type that is redefined in a later cell has the same `TypeId` as the old one. So the variable store also compares
//! this hash. It covers the text of every definition that the type refers to through fields, arguments and aliases. It
//! does not cover text that does not change a layout: comments, visibility, `derive`, documentation, bodies of methods
//! in traits. Names that are not defined in the notebook (the standard library, the prelude) add nothing.

use crate::syntax::{declared_name, identifiers, list_has, name_of, parse, plain, words};
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode, SyntaxToken, WalkEvent};
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Attributes that change nothing of a type's layout.
const HARMLESS: &str = "allow default deny deprecated derive doc expect forbid must_use non_exhaustive serde warn";

/// How many imports are followed for one path: they may lead in a circle.
const MOST_IMPORTS: usize = 256;

/// The definitions of a notebook.
pub struct Definitions {
    modules: Vec<Module>,
    /// Crates that the user added: their names in code, and what identifies the files that were built.
    crates: HashMap<String, String>,
}

#[derive(Default)]
struct Module {
    parent: Option<usize>,
    modules: HashMap<String, usize>,
    items: HashMap<String, Vec<SyntaxNode>>,
    /// What `use` binds, with the path that it stands for.
    imports: HashMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    /// The whole text, if macros may define more in it than is seen here.
    opaque: Option<SyntaxNode>,
}

/// The target of a path.
enum Target {
    Item { module: usize, node: SyntaxNode },
    Crate(String),
}

/// Whether a text can define types at all.
pub fn may_define_types(items: &str) -> bool {
    words(items).any(|word| ["struct", "enum", "union", "type", "trait", "mod"].contains(&word))
}

impl Definitions {
    /// Reads the items of a crate. `crates` are the crates that the user added: their names in code, with the identity
    /// of the built files.
    pub fn read(items: &str, crates: &[(String, String)]) -> Definitions {
        let mut definitions =
            Definitions { modules: vec![Module::default()], crates: crates.iter().cloned().collect() };
        definitions.add_items(0, parse(items).tree().items());
        definitions
    }

    /// The hash of a type as it is written at the root of the crate. It is 0 if the type names nothing of the notebook.
    pub fn hash(&self, type_name: &str) -> u64 {
        let file = parse(&format!("type T = {type_name};"));
        let mut walk = Walk { definitions: self, seen: HashSet::new(), hasher: DefaultHasher::new(), empty: true };
        walk.follow(0, &file.syntax_node(), &[]);
        if walk.empty { 0 } else { walk.hasher.finish().max(1) }
    }

    fn add_items(&mut self, module: usize, items: impl Iterator<Item = ast::Item>) {
        for item in items {
            match &item {
                ast::Item::Module(inner) => {
                    let Some(name) = name_of(inner) else { continue };
                    let index = self.modules.len();
                    self.modules.push(Module { parent: Some(module), ..Module::default() });
                    self.modules[module].modules.insert(name, index);
                    if let Some(list) = inner.item_list() {
                        self.add_items(index, list.items());
                        if list.syntax().children().any(|child| ast::MacroCall::can_cast(child.kind())) {
                            self.modules[index].opaque = Some(list.syntax().clone());
                        }
                    }
                }
                ast::Item::Use(import) => {
                    if let Some(tree) = import.use_tree() {
                        self.add_import(module, &[], &tree);
                    }
                }
                ast::Item::ExternCrate(external) => {
                    let renamed = external.rename().and_then(|rename| name_of(&rename));
                    if let (Some(name), Some(renamed)) = (external.name_ref(), renamed) {
                        self.modules[module].imports.insert(renamed, vec![plain(name.text()).to_owned()]);
                    }
                }
                // Found through the types that they are for.
                ast::Item::Impl(_) => self.add(module, "impl", item.syntax()),
                _ => {
                    if let Some(name) = declared_name(item.syntax()) {
                        self.add(module, &name, item.syntax());
                    }
                }
            }
        }
    }

    fn add(&mut self, module: usize, name: &str, node: &SyntaxNode) {
        self.modules[module].items.entry(name.to_owned()).or_default().push(node.clone());
    }

    fn add_import(&mut self, module: usize, prefix: &[String], tree: &ast::UseTree) {
        let mut path = prefix.to_vec();
        path.extend(tree.path().map(|path| segments(&path)).unwrap_or_default());
        if let Some(list) = tree.use_tree_list() {
            for inner in list.use_trees() {
                self.add_import(module, &path, &inner);
            }
        } else if tree.star_token().is_some() {
            self.modules[module].globs.push(path);
        } else {
            if path.last().is_some_and(|last| last == "self") {
                path.pop();
            }
            let renamed = tree.rename().and_then(|rename| name_of(&rename));
            if let Some(name) = renamed.or_else(|| path.last().cloned()) {
                self.modules[module].imports.insert(name, path);
            }
        }
    }

    /// Finds the targets of a path. At most `imports` more imports are followed.
    fn resolve(&self, module: usize, path: &[String], imports: &mut usize, found: &mut Vec<Target>) {
        let Some((first, rest)) = path.split_first() else { return };
        let here = &self.modules[module];
        match first.as_str() {
            "crate" => return self.resolve(0, rest, imports, found),
            "self" => return self.resolve(module, rest, imports, found),
            "super" => return self.resolve(here.parent.unwrap_or(0), rest, imports, found),
            _ => {}
        }
        let before = found.len();
        let item = |node: &SyntaxNode| Target::Item { module, node: node.clone() };
        found.extend(here.items.get(first).into_iter().flatten().map(item));
        if let (true, Some(name)) = (found.len() > before, rest.last()) {
            // `Type::SIZE`.
            self.associated(name, found);
        }
        if let Some(&inner) = here.modules.get(first).filter(|_| !rest.is_empty()) {
            self.resolve(inner, rest, imports, found);
        }
        if found.len() > before || *imports == 0 {
            return;
        }
        *imports -= 1;
        // A path such as `use a::a` would lead to itself.
        if let Some(target) = here.imports.get(first).filter(|target| target.as_slice() != [first.as_str()]) {
            let target: Vec<String> = target.iter().chain(rest).cloned().collect();
            return self.resolve(module, &target, imports, found);
        }
        if let Some(identity) = self.crates.get(first) {
            found.push(Target::Crate(identity.clone()));
            return;
        }
        for glob in &here.globs {
            let target: Vec<String> = glob.iter().chain(path).cloned().collect();
            self.resolve(module, &target, imports, found);
        }
        if let (true, Some(node)) = (found.len() == before, &here.opaque) {
            found.push(item(node));
        }
    }

    /// What implementations associate with types under this name.
    fn associated(&self, name: &str, found: &mut Vec<Target>) {
        let before = found.len();
        for (module, content) in self.modules.iter().enumerate() {
            let implementations = content.items.get("impl").into_iter().flatten();
            let items = implementations
                .flat_map(SyntaxNode::children)
                .filter_map(ast::AssocItemList::cast)
                .flat_map(|list| list.assoc_items())
                .map(|item| item.syntax().clone())
                .filter(|item| declared_name(item).is_some_and(|found| found == name));
            found.extend(items.map(|node| Target::Item { module, node }));
        }
        // evcxr writes the items in no particular order.
        found[before..].sort_by_key(|target| match target {
            Target::Item { node, .. } => node.text().to_string(),
            Target::Crate(identity) => identity.clone(),
        });
    }
}

/// A walk from one type through all that it is made of.
struct Walk<'a> {
    definitions: &'a Definitions,
    seen: HashSet<SyntaxNode>,
    hasher: DefaultHasher,
    empty: bool,
}

impl Walk<'_> {
    /// Follows the paths inside a node. `own` are the names that the node itself binds.
    fn follow(&mut self, module: usize, node: &SyntaxNode, own: &[String]) {
        for inner in relevant_nodes(node) {
            let path = match (ast::Path::cast(inner.clone()), ast::MacroCall::cast(inner)) {
                (Some(path), _) if path.parent_path().is_none() => path,
                (_, Some(call)) => {
                    self.follow_tokens(module, &call);
                    continue;
                }
                _ => continue,
            };
            let path = segments(&path);
            let mut found = Vec::new();
            match path.as_slice() {
                // `T::Output`, `<T as Trait>::Output`.
                [first, .., last] if first.is_empty() || own.contains(first) => {
                    self.definitions.associated(last, &mut found);
                }
                [first] if own.contains(first) => {}
                path => self.definitions.resolve(module, path, &mut MOST_IMPORTS.clone(), &mut found),
            }
            found.into_iter().for_each(|target| self.take(target));
        }
    }

    /// The arguments of a macro have no structure, so each name in them may be defined in the notebook.
    fn follow_tokens(&mut self, module: usize, call: &ast::MacroCall) {
        for name in call.token_tree().iter().flat_map(|tree| identifiers(tree.syntax())) {
            let mut found = Vec::new();
            self.definitions.resolve(module, &[name], &mut MOST_IMPORTS.clone(), &mut found);
            found.into_iter().for_each(|target| self.take(target));
        }
    }

    fn take(&mut self, target: Target) {
        self.empty = false;
        match target {
            Target::Crate(identity) => identity.hash(&mut self.hasher),
            Target::Item { module, node } => {
                if !self.seen.insert(node.clone()) {
                    return;
                }
                for token in relevant_tokens(&node) {
                    token.text().hash(&mut self.hasher);
                }
                let mut own = vec!["Self".to_owned()];
                if let Some(parameters) = node.children().find_map(ast::GenericParamList::cast) {
                    own.extend(parameters.generic_params().filter_map(|parameter| match parameter {
                        ast::GenericParam::TypeParam(parameter) => name_of(&parameter),
                        ast::GenericParam::ConstParam(parameter) => name_of(&parameter),
                        ast::GenericParam::LifetimeParam(_) => None,
                    }));
                }
                self.follow(module, &node, &own);
            }
        }
    }
}

/// Whether a node says nothing about a layout.
fn is_irrelevant(node: &SyntaxNode) -> bool {
    match node.kind() {
        SyntaxKind::VISIBILITY => true,
        SyntaxKind::ATTR => {
            let path = ast::Attr::cast(node.clone()).and_then(|attribute| attribute.path());
            path.and_then(|path| segments(&path).first().cloned()).is_some_and(|name| list_has(HARMLESS, &name))
        }
        // The body of a trait's method.
        SyntaxKind::BLOCK_EXPR => node
            .parent()
            .filter(|parent| parent.kind() == SyntaxKind::FN)
            .and_then(|function| function.parent()?.parent())
            .is_some_and(|owner| owner.kind() == SyntaxKind::TRAIT),
        _ => false,
    }
}

fn relevant_nodes(node: &SyntaxNode) -> Vec<SyntaxNode> {
    let mut nodes = Vec::new();
    let mut walk = node.preorder();
    while let Some(event) = walk.next() {
        match event {
            WalkEvent::Enter(node) if is_irrelevant(&node) => walk.skip_subtree(),
            WalkEvent::Enter(node) => nodes.push(node),
            WalkEvent::Leave(_) => {}
        }
    }
    nodes
}

fn relevant_tokens(node: &SyntaxNode) -> Vec<SyntaxToken> {
    let mut tokens = Vec::new();
    let mut walk = node.preorder_with_tokens();
    while let Some(event) = walk.next() {
        match event {
            WalkEvent::Enter(NodeOrToken::Node(node)) if is_irrelevant(&node) => walk.skip_subtree(),
            WalkEvent::Enter(NodeOrToken::Token(token)) if !token.kind().is_trivia() => tokens.push(token),
            _ => {}
        }
    }
    tokens
}

/// The names of a path, from the left; a part such as `<T as Trait>` has none.
fn segments(path: &ast::Path) -> Vec<String> {
    path.segments()
        .map(|segment| segment.name_ref().map_or_else(String::new, |name| plain(name.text()).to_owned()))
        .collect()
}

#[cfg(test)]
mod tests;
