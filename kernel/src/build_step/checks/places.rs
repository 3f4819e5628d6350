//! The places of the checks for an interrupt: wherever the notebook's code may run for ever.
//!
//! These are the bodies of loops, functions that may call themselves (also through other functions), iterators without
//! an end, closures that an iterator of unknown length calls for each element, and statements that sleep. Code of the
//! notebook's own macros is included. Other functions, and iterators with an end, have no check, so that the compiler
//! can use vector instructions for them.

use crate::syntax::{is_over_arrays, list_has, parse, range_of, words};
use ra_ap_syntax::ast::{self, AstNode, HasArgList, HasLoopBody, HasName};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode};
use std::collections::HashSet;

/// A text, and the position where it is inserted.
pub type Insertion = (usize, &'static str);

/// A statement, for the head of a block.
pub const CHECK: &str = " ::warpcell::cell::check();";
/// Makes an iterator check for each of its elements.
pub const EACH_ELEMENT: &str = ".inspect(|_| ::warpcell::cell::check())";
/// The texts around an expression that is computed for each element.
pub const BEFORE_ELEMENT: &str = "{::warpcell::cell::check(); ";
pub const AFTER_ELEMENT: &str = " /* ::warpcell::cell::check */ }";

/// The texts around the name of a variable that the code of `interact!` calls. The macro takes what is called by a plain name to be
/// a function, of which it needs no copy, and what stands in brackets to be a variable.
pub const CALLED: &str = "(/* ::warpcell::cell::called */ ";
pub const END_OF_CALLED: &str = " /* ::warpcell::cell::called */)";

/// The names of functions that sleep. An interrupt wakes them.
const SLEEPS: [&str; 3] = ["sleep", "park", "park_timeout"];

/// The macro whose argument is a closure.
const FUSE: &str = "fuse";
/// The macro with code behind an arrow.
const INTERACT: &str = "interact";
/// Macros whose arguments are expressions, of which they do not show the text. evcxr writes the last expression of a cell into one
/// of them.
const OF_EXPRESSIONS: &str = "format print println eprint eprintln write writeln vec";

/// What the arguments of macros are parsed behind. No code calls this name: a function that calls itself has a check.
const ARGUMENT: &str = "fn __warpcell_argument() { ";

/// Functions of `std::iter` that make iterators without an end.
const ENDLESS: [&str; 4] = ["from_fn", "repeat", "repeat_with", "successors"];
/// The method that does.
const CYCLE: &str = "cycle";

/// Methods of iterators that take all elements, directly or through the iterator that they return.
const ASKS_ON: &str = "all any chain collect count cmp enumerate eq filter filter_map find find_map flat_map flatten fold \
    for_each fuse inspect last map map_while max max_by_key min min_by_key peekable position product reduce scan skip \
    skip_while step_by sum take_while try_for_each";
/// Methods that end an iterator, or ask for one element.
const ENDS: [&str; 4] = ["next", "nth", "take", "zip"];
/// Methods that call a closure for each element.
const FOR_EACH: [&str; 2] = ["for_each", "try_for_each"];

/// The insertions for a file, in order.
pub fn places(source: &str) -> Vec<Insertion> {
    let file = parse(source).syntax_node();
    let mut places = in_code_and_macros(&file, &HashSet::new());
    if source.contains("macro_rules") {
        places.extend(in_macros(&file));
    }
    places.sort_unstable_by_key(|(at, _)| *at);
    places
}

/// The insertions for code outside of macros.
fn in_code(file: &SyntaxNode) -> Vec<Insertion> {
    let endless = Endless::of(file);
    let mut places: Vec<Insertion> = recursive(file);
    for node in file.descendants() {
        if let Some(at) = at_loop_or_sleep(&node) {
            places.push((at, CHECK));
        } else if let Some(call) = ast::MethodCallExpr::cast(node) {
            places.extend(endless.in_call(&call));
        }
    }
    places
}

/// The insertions for code, and for the arguments of macros in it that are code. `around` are variables from around it.
fn in_code_and_macros(file: &SyntaxNode, around: &HashSet<String>) -> Vec<Insertion> {
    let mut places = in_code(file);
    let calls = file.descendants().filter_map(ast::MacroCall::cast);
    places.extend(calls.flat_map(|call| in_known_macros(call, around)));
    places
}

/// The insertions for code in the brackets of a macro. The text begins at `start`.
fn in_text(text: &str, start: usize, around: &HashSet<String>) -> Vec<Insertion> {
    within([ARGUMENT, text, " }"], start, around)
}

/// The insertions for a text that is code between two others.
fn within([before, text, after]: [&str; 3], start: usize, around: &HashSet<String>) -> Vec<Insertion> {
    let file = parse(&format!("{before}{text}{after}")).syntax_node();
    let places = in_code_and_macros(&file, around).into_iter();
    places.map(|(place, text)| (place + start - before.len(), text)).collect()
}

/// The insertions for the argument of `fuse!`, for the code of `interact!`, and for the arguments of `format!` and its like.
fn in_known_macros(call: ast::MacroCall, around: &HashSet<String>) -> Vec<Insertion> {
    let (name, tree) = (name_of(&call), call.token_tree());
    let Some((text, start)) = inside(tree.clone()) else { return Vec::new() };
    match name.as_deref() {
        Some(FUSE) => in_text(&text, start, around),
        // Before the arrow stand the controls.
        Some(INTERACT) => match tree.and_then(|tree| end_of_arrow(&tree)) {
            Some(code) => {
                let text = &text[code - start..];
                let variables = &bound_before(call.syntax()) | around;
                let mut places = in_text(text, code, &variables);
                places.extend(called_variables(text, code, &variables));
                places
            }
            None => Vec::new(),
        },
        // As the elements of an array, in which there may be a `;` too.
        Some(name) if list_has(OF_EXPRESSIONS, name) && !runs_elsewhere(call.syntax()) => {
            let variables = &bound_before(call.syntax()) | around;
            within([&format!("{ARGUMENT}["), &text, "\n]; }"], start, &variables)
        }
        _ => Vec::new(),
    }
}

/// The names that `let` binds before a place, in all blocks around it. Nobody needs a function's parameter behind the macro.
fn bound_before(place: &SyntaxNode) -> HashSet<String> {
    let start = place.text_range().start();
    let binds = |node: &SyntaxNode| {
        let is_before = node.text_range().end() <= start;
        is_before && ast::LetStmt::can_cast(node.kind())
    };
    let statements = place.ancestors().flat_map(|around| around.children()).filter(binds);
    let patterns = statements.flat_map(|statement| statement.descendants().filter_map(ast::IdentPat::cast));
    patterns.filter_map(|pattern| Some(pattern.name()?.text().to_string())).collect()
}

/// The insertions around the names of variables that are called in the code of `interact!`, which begins at `start`.
fn called_variables(text: &str, start: usize, variables: &HashSet<String>) -> Vec<Insertion> {
    let file = parse(&format!("{ARGUMENT}{text} }}")).syntax_node();
    let called = file.descendants().filter_map(ast::CallExpr::cast).filter_map(|call| match call.expr()? {
        ast::Expr::PathExpr(path) => Some(path.syntax().clone()),
        _ => None,
    });
    let mut places: Vec<Insertion> = called
        .filter(|path| variables.contains(&path.text().to_string()))
        .map(|path| range_of(&path))
        .flat_map(|range| [(range.start, CALLED), (range.end, END_OF_CALLED)])
        .map(|(place, text)| (place + start - ARGUMENT.len(), text))
        .collect();
    for call in file.descendants().filter_map(ast::MacroCall::cast) {
        if name_of(&call).is_some_and(|name| list_has(OF_EXPRESSIONS, &name))
            && let Some((arguments, at)) = inside(call.token_tree())
        {
            places.extend(called_variables(&format!("[{arguments}\n];"), at + start - ARGUMENT.len() - 1, variables));
        }
    }
    places
}

/// Where the first arrow of a macro's argument ends. One in quotes is a part of a token, and one in brackets of another tree.
fn end_of_arrow(tree: &ast::TokenTree) -> Option<usize> {
    let mut before = None;
    for token in tree.syntax().children_with_tokens().filter_map(NodeOrToken::into_token) {
        match (before, token.kind()) {
            (_, SyntaxKind::FAT_ARROW) | (Some(SyntaxKind::EQ), SyntaxKind::R_ANGLE) => {
                return Some(token.text_range().end().into());
            }
            (_, kind) => before = Some(kind),
        }
    }
    None
}

/// The name of a macro that is called.
fn name_of(call: &ast::MacroCall) -> Option<String> {
    Some(call.path()?.segment()?.name_ref()?.text().to_string())
}

/// The text in brackets, and its start.
fn inside(tree: Option<ast::TokenTree>) -> Option<(String, usize)> {
    let tree = tree?;
    let text = tree.syntax().text().to_string();
    Some((text.get(1..text.len() - 1)?.to_owned(), range_of(tree.syntax()).start + 1))
}

/// The insertions for the notebook's own macros and for their arguments.
fn in_macros(file: &SyntaxNode) -> Vec<Insertion> {
    let mut places = Vec::new();
    let mut passes_on = HashSet::new();
    for rules in file.descendants().filter_map(ast::MacroRules::cast) {
        let Some((name, tree)) = rules.name().zip(rules.token_tree()) else { continue };
        let trees = tree.syntax().children().filter_map(ast::TokenTree::cast);
        for body in trees.filter(is_behind_arrow) {
            // A metavariable looks like a name with this replacement. No place moves.
            let Some((text, start)) = inside(Some(body)) else { continue };
            places.extend(in_text(&text.replace('$', "_"), start, &HashSet::new()));
        }
        let text = tree.syntax().text().to_string();
        let words: HashSet<&str> = words(&text).collect();
        let name = name.text();
        // A macro that takes its tokens apart, or shows them, gets its arguments unchanged.
        let takes_apart = words.contains("tt") && words.contains(name);
        if !takes_apart && !words.contains("stringify") {
            passes_on.insert(name.to_string());
        }
    }
    for call in file.descendants().filter_map(ast::MacroCall::cast) {
        if name_of(&call).is_some_and(|name| passes_on.contains(&name))
            && !runs_elsewhere(call.syntax())
            && let Some((text, start)) = inside(call.token_tree())
        {
            places.extend(in_text(&text, start, &HashSet::new()));
        }
    }
    places
}

/// Whether brackets in a macro's rules contain the output of a rule.
fn is_behind_arrow(tree: &ast::TokenTree) -> bool {
    let before =
        std::iter::successors(tree.syntax().prev_sibling_or_token(), |element| element.prev_sibling_or_token());
    let last = before.filter_map(|element| element.into_token()).find(|token| !token.kind().is_trivia());
    last.is_some_and(|token| token.text().ends_with('>'))
}

/// The position of the check, if the node is a loop or sleeps.
fn at_loop_or_sleep(node: &SyntaxNode) -> Option<usize> {
    let body = match node.kind() {
        SyntaxKind::EXPR_STMT if sleeps(node) && !runs_elsewhere(node) => {
            return Some(range_of(node).end);
        }
        SyntaxKind::LOOP_EXPR => ast::LoopExpr::cast(node.clone())?.loop_body(),
        SyntaxKind::WHILE_EXPR => ast::WhileExpr::cast(node.clone())?.loop_body(),
        SyntaxKind::FOR_EXPR => ast::ForExpr::cast(node.clone())?.loop_body(),
        _ => None,
    }?;
    // Short loops of a fixed length become vector instructions in functions that run over arrays.
    if runs_elsewhere(node) || (is_short(node) && is_over_arrays(node)) {
        return None;
    }
    at_head(&body)
}

/// The position behind the brace of a block.
fn at_head(block: &ast::BlockExpr) -> Option<usize> {
    let brace = block.stmt_list()?.l_curly_token()?;
    // Attributes of the body must come first in it.
    let mut following = std::iter::successors(brace.next_token(), |token| token.next_token());
    let first = following.find(|token| !token.kind().is_trivia())?;
    (first.kind() != SyntaxKind::POUND).then(|| brace.text_range().end().into())
}

/// Whether a statement is a call of a function that sleeps.
fn sleeps(statement: &SyntaxNode) -> bool {
    let call = statement.first_child().and_then(ast::CallExpr::cast);
    let ends_with = |call: ast::CallExpr| {
        call.expr().map(|path| SLEEPS.iter().any(|name| path.syntax().text().to_string().ends_with(name)))
    };
    // Without the semicolon it is the value of its block.
    call.and_then(ends_with) == Some(true) && statement.text().to_string().ends_with(';')
}

/// The heads of functions that may run for ever without a loop: functions that may call themselves, and `next` of
/// iterators that never return `None`.
fn recursive(file: &SyntaxNode) -> Vec<Insertion> {
    let functions: Vec<Function> = file.descendants().filter_map(ast::Fn::cast).filter_map(Function::of).collect();
    let calls: Vec<Vec<usize>> = functions.iter().map(|function| function.calls(&functions)).collect();
    let comes_back = |start: usize| {
        let mut open = calls[start].clone();
        let mut seen = HashSet::new();
        while let Some(next) = open.pop() {
            if next == start {
                return true;
            }
            if seen.insert(next) {
                open.extend(&calls[next]);
            }
        }
        false
    };
    let heads = functions.iter().enumerate().filter(|(index, Function { node, .. })| {
        (comes_back(*index) || is_endless_next(node)) && !runs_elsewhere(node.syntax())
    });
    heads.filter_map(|(_, function)| Some((at_head(&function.body)?, CHECK))).collect()
}

/// A function of the notebook.
struct Function {
    node: ast::Fn,
    name: String,
    body: ast::BlockExpr,
    /// The type or trait whose function it is.
    owner: Option<String>,
}

impl Function {
    fn of(node: ast::Fn) -> Option<Function> {
        if is_entry(&node) {
            return None;
        }
        let around = node.syntax().parent().and_then(|list| list.parent());
        let owner = around.and_then(|around| match ast::Impl::cast(around.clone()) {
            Some(implementation) => last_name(implementation.self_ty()?.syntax()),
            None => Some(ast::Trait::cast(around)?.name()?.text().to_string()),
        });
        Some(Function { name: node.name()?.text().to_string(), body: node.body()?, owner, node })
    }

    /// The functions that this function calls or passes on, judged by their names.
    fn calls(&self, functions: &[Function]) -> Vec<usize> {
        let tokens = self.body.syntax().descendants_with_tokens().filter_map(|element| element.into_token());
        let names = tokens.filter(|token| token.kind() == SyntaxKind::IDENT);
        let named = |name: &str| -> Vec<usize> {
            functions.iter().enumerate().filter(|(_, of)| of.name == name).map(|(index, _)| index).collect()
        };
        let called = names.flat_map(|token| {
            let mut candidates = named(token.text());
            let around = token.parent().and_then(|name| name.parent()).filter(|_| !candidates.is_empty());
            match around.as_ref().map(SyntaxNode::kind) {
                // A field's.
                Some(SyntaxKind::FIELD_EXPR | SyntaxKind::RECORD_EXPR_FIELD) => candidates.clear(),
                Some(SyntaxKind::METHOD_CALL_EXPR) => candidates.retain(|index| {
                    let candidate = &functions[*index];
                    // `fn len(&self) -> usize { self.items.len() }` is another type's: it could never end.
                    candidate.owner.is_some() && (candidate.node != self.node || may_branch(self.body.syntax()))
                }),
                Some(SyntaxKind::PATH_SEGMENT) => {
                    let path = around.and_then(|segment| ast::Path::cast(segment.parent()?));
                    let before = path.and_then(|path| path.qualifier()).and_then(|before| last_name(before.syntax()));
                    let owner = match before.as_deref() {
                        Some("Self") => self.owner.clone(),
                        Some(before) => Some(before.to_owned()).filter(|_| before.starts_with(char::is_uppercase)),
                        None => None,
                    };
                    candidates.retain(|index| functions[*index].owner == owner);
                }
                // In a macro.
                _ => {}
            }
            candidates
        });
        called.collect()
    }
}

/// The last name of a path, outside of angle brackets.
fn last_name(path: &SyntaxNode) -> Option<String> {
    let segments = path.descendants().filter_map(ast::PathSegment::cast);
    let own = segments
        .filter(|segment| !segment.syntax().ancestors().any(|around| ast::GenericArgList::can_cast(around.kind())));
    Some(own.last()?.name_ref()?.text().to_string())
}

/// Whether code may go one way or another.
fn may_branch(code: &SyntaxNode) -> bool {
    code.descendants_with_tokens().any(|element| {
        matches!(
            element.kind(),
            SyntaxKind::IF_EXPR
                | SyntaxKind::MATCH_EXPR
                | SyntaxKind::TRY_EXPR
                | SyntaxKind::LET_ELSE
                | SyntaxKind::CLOSURE_EXPR
                | SyntaxKind::WHILE_EXPR
                | SyntaxKind::FOR_EXPR
                | SyntaxKind::LOOP_EXPR
                | SyntaxKind::AMP2
                | SyntaxKind::PIPE2
        )
    })
}

/// Whether a function is the `next` of an iterator without an end.
fn is_endless_next(function: &ast::Fn) -> bool {
    let is_next = function.name().is_some_and(|name| name.text() == "next");
    let of_iterator = || {
        let implementation = function.syntax().ancestors().find_map(ast::Impl::cast)?;
        Some(implementation.trait_()?.syntax().text().to_string().ends_with("Iterator"))
    };
    let says_none = || {
        let mut elements = function.syntax().descendants_with_tokens();
        elements.any(|element| {
            element.kind() == SyntaxKind::TRY_EXPR || element.into_token().is_some_and(|token| token.text() == "None")
        })
    };
    is_next && of_iterator() == Some(true) && !says_none()
}

/// What makes iterators without an end here.
struct Endless {
    /// Names of functions that can be called without `iter::` before them.
    imported: HashSet<String>,
    /// Whether the notebook has a method named `cycle`.
    own_cycle: bool,
}

impl Endless {
    fn of(file: &SyntaxNode) -> Endless {
        let is_call =
            |node: &SyntaxNode| ast::MethodCallExpr::can_cast(node.kind()) || ast::CallExpr::can_cast(node.kind());
        if !file.descendants().any(|node| is_call(&node)) {
            return Endless { imported: HashSet::new(), own_cycle: false };
        }
        let uses = file.descendants().filter_map(ast::Use::cast).map(|one| one.syntax().text().to_string());
        let of_iterators: Vec<String> = uses.filter(|text| text.contains("iter::")).collect();
        let is_imported = |name: &&str| {
            of_iterators.iter().any(|text| words(text).any(|word| word == *name) || text.contains("iter::*"))
        };
        let mut functions = file.descendants().filter_map(ast::Fn::cast).filter_map(|function| function.name());
        Endless {
            imported: ENDLESS.into_iter().filter(is_imported).map(str::to_owned).collect(),
            own_cycle: functions.any(|name| name.text() == CYCLE),
        }
    }

    /// The insertions for a method call.
    fn in_call(&self, call: &ast::MethodCallExpr) -> Vec<Insertion> {
        let Some((receiver, method)) = call.receiver().zip(call.name_ref()) else { return Vec::new() };
        if self.makes(&receiver) {
            if list_has(ASKS_ON, method.text()) && !is_ended(call) && !runs_elsewhere(call.syntax()) {
                return vec![(range_of(receiver.syntax()).end, EACH_ELEMENT)];
            }
        } else if FOR_EACH.contains(&method.text())
            && matches!(receiver, ast::Expr::PathExpr(_) | ast::Expr::FieldExpr(_) | ast::Expr::CallExpr(_))
            && !runs_elsewhere(call.syntax())
        {
            let closures = call.arg_list().into_iter().flat_map(|arguments| arguments.args());
            return closures.filter_map(closure_body).flat_map(|body| in_body(&body)).collect();
        }
        Vec::new()
    }

    /// Whether an expression is an iterator without an end, judged by its text.
    fn makes(&self, expression: &ast::Expr) -> bool {
        match expression {
            ast::Expr::ParenExpr(inner) => inner.expr().is_some_and(|inner| self.makes(&inner)),
            ast::Expr::RangeExpr(range) => {
                let text = range.syntax().text().to_string();
                range.syntax().children().count() == 1 && text.trim_end().ends_with("..")
            }
            ast::Expr::CallExpr(call) => {
                let Some(ast::Expr::PathExpr(path)) = call.expr() else { return false };
                let path: String = path.syntax().text().to_string().split_whitespace().collect();
                let path = path.split("::<").next().unwrap_or_default();
                match path.rsplit_once("::") {
                    Some((module, name)) => ENDLESS.contains(&name) && (module == "iter" || module.ends_with("::iter")),
                    None => self.imported.contains(path),
                }
            }
            ast::Expr::MethodCallExpr(call) => {
                let is_cycle = call.name_ref().is_some_and(|name| name.text() == CYCLE);
                is_cycle
                    && !self.own_cycle
                    && call.arg_list().is_some_and(|arguments| arguments.args().next().is_none())
            }
            _ => false,
        }
    }
}

/// Whether a chain of calls ends, or a `for` loop runs over it.
fn is_ended(first: &ast::MethodCallExpr) -> bool {
    let mut call = first.clone();
    loop {
        if call.name_ref().is_some_and(|name| ENDS.contains(&name.text())) {
            return true;
        }
        let Some(around) = call.syntax().parent() else { return false };
        if ast::ForExpr::can_cast(around.kind()) {
            return true;
        }
        match ast::MethodCallExpr::cast(around) {
            Some(next) if next.receiver().is_some_and(|receiver| receiver.syntax() == call.syntax()) => call = next,
            _ => return false,
        }
    }
}

fn closure_body(argument: ast::Expr) -> Option<ast::Expr> {
    match argument {
        ast::Expr::ClosureExpr(closure) => closure.body(),
        _ => None,
    }
}

/// The insertions for the body of a closure.
fn in_body(body: &ast::Expr) -> Vec<Insertion> {
    let range = range_of(body.syntax());
    match body {
        ast::Expr::BlockExpr(block) => at_head(block).map(|at| (at, CHECK)).into_iter().collect(),
        _ => vec![(range.start, BEFORE_ELEMENT), (range.end, AFTER_ELEMENT)],
    }
}

/// Whether this code may run at compile time, or where nothing may unwind.
fn runs_elsewhere(code: &SyntaxNode) -> bool {
    code.ancestors().any(|around| keeps_elsewhere(&around))
}

/// Whether code in this node may do so.
fn keeps_elsewhere(node: &SyntaxNode) -> bool {
    match node.kind() {
        SyntaxKind::CONST
        | SyntaxKind::STATIC
        | SyntaxKind::CONST_ARG
        | SyntaxKind::ARRAY_TYPE
        | SyntaxKind::VARIANT => true,
        SyntaxKind::BLOCK_EXPR => ast::BlockExpr::cast(node.clone()).is_some_and(|block| block.const_token().is_some()),
        SyntaxKind::FN => ast::Fn::cast(node.clone()).is_some_and(|function| {
            function.const_token().is_some() || function.abi().is_some_and(|_| !is_entry(&function))
        }),
        _ => false,
    }
}

/// Whether a loop is over a range of numbers that stand there: `for i in 0..16`.
fn is_short(node: &SyntaxNode) -> bool {
    let Some(ast::Expr::RangeExpr(range)) = ast::ForExpr::cast(node.clone()).and_then(|node| node.iterable()) else {
        return false;
    };
    let is_short = |bound: SyntaxNode| {
        let text = bound.text().to_string().replace('_', "");
        bound.kind() == SyntaxKind::LITERAL && text.chars().take_while(char::is_ascii_digit).count() <= 4
    };
    range.syntax().children().count() == 2 && range.syntax().children().all(is_short)
}

/// Whether this is the function that evcxr calls. It contains the cell's statements.
fn is_entry(function: &ast::Fn) -> bool {
    function.name().is_some_and(|name| name.text().starts_with("run_user_code_"))
}
