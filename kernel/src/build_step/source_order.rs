//! The order of the notebook's items and variables in a cell crate. evcxr keeps them in hash maps, so each session writes them in another
//! order. Here they get one order, so that a cell that was compiled before is found again. Definitions of macros come first: the language
//! wants them before their uses.

use super::compiler_message::{is_cell_source, with_objects};
use super::names::end_of_items;
use crate::syntax::{attribute, declared_name, line_start, parse};
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem};
use ra_ap_syntax::{NodeOrToken, SyntaxKind};
use serde_json::Value;
use std::borrow::Cow;
use std::ops::Range;

/// What evcxr adds to the items: after the first `?` of a session, and in code for the analysis.
const OWN: [&str; 2] = ["EvcxrUserCodeError", "evcxr_variable_store"];

/// A source with its items and variables in order, on as many lines as before.
pub struct OrderedSource {
    pub text: String,
    /// For each line, from 1, its number in evcxr's source.
    lines: Vec<usize>,
}

impl OrderedSource {
    /// Orders a source that evcxr wrote. If the items do not begin on lines of their own, they stay as they are.
    pub fn of(written: &str) -> OrderedSource {
        let whole = || (written.to_owned(), (1..=written.lines().count()).collect());
        let (text, mut lines) = with_ordered_items(written).unwrap_or_else(whole);
        let text = with_ordered_variables(&text, &mut lines).unwrap_or(text);
        let text = with_ordered_arguments(&text, &mut lines).unwrap_or(text);
        OrderedSource { text, lines }
    }

    /// Messages about the source, with the lines of evcxr's.
    pub fn in_lines_of_evcxr<'a>(&self, messages: &'a str) -> Cow<'a, str> {
        if self.lines.iter().enumerate().all(|(index, &line)| line == index + 1) {
            return Cow::Borrowed(messages);
        }
        Cow::Owned(with_objects(messages, |fields| {
            if !fields.get("file_name").and_then(Value::as_str).is_some_and(is_cell_source) {
                return;
            }
            for name in ["line_start", "line_end"] {
                let line = fields.get(name).and_then(Value::as_u64).and_then(|line| usize::try_from(line).ok());
                if let Some(&before) = line.and_then(|line| self.lines.get(line.checked_sub(1)?)) {
                    fields.insert(name.to_owned(), before.into());
                }
            }
        }))
    }
}

/// The source with its items in order, and the numbers that its lines had before.
fn with_ordered_items(written: &str) -> Option<(String, Vec<usize>)> {
    let items_text = &written[..end_of_items(written)? + 1];
    // evcxr's own come last, and other modules look for them there.
    let is_own = |item: &ast::Item| declared_name(item.syntax()).is_some_and(|name| OWN.contains(&&*name));
    let mut items: Vec<ast::Item> = parse(items_text).tree().items().collect();
    let own = items.iter().position(is_own);
    let items_text = match own {
        Some(own) => &items_text[..first_line(items_text, &items[own])?],
        None => items_text,
    };
    items.truncate(own.unwrap_or(items.len()));
    let mut starts = Vec::with_capacity(items.len() + 1);
    for item in &items {
        starts.push(first_line(items_text, item)?);
    }
    let first = *starts.first()?;
    starts.push(items_text.len());
    let mut blocks: Vec<(u8, usize, &str, usize)> = Vec::with_capacity(items.len());
    let mut line = 1 + items_text[..first].matches('\n').count();
    for (item, range) in items.iter().zip(starts.windows(2)) {
        // Two on one line would have the same start.
        let text = items_text.get(range[0]..range[1]).filter(|text| text.ends_with('\n'))?;
        let rank = rank(item);
        blocks.push((rank, if rank == 3 { line } else { 0 }, text, line));
        line += text.matches('\n').count();
    }
    blocks.sort_unstable();
    let mut source = items_text[..first].to_owned();
    let mut lines: Vec<usize> = (1..=source.matches('\n').count()).collect();
    for (.., text, line) in blocks {
        source.push_str(text);
        lines.extend(line..line + text.matches('\n').count());
    }
    source.push_str(&written[items_text.len()..]);
    lines.extend(lines.len() + 1..=written.lines().count());
    Some((source, lines))
}

/// The source with the lines in order that check the variables, that take them from the store, and that put them back. Changes the
/// numbers of the lines in the same way.
fn with_ordered_variables(source: &str, numbers: &mut [usize]) -> Option<String> {
    const BEGIN: &str = "{let mut vars_ok = true;\n";
    const STORE: &str = "evcxr_variable_store";
    const END_OF_CLOSURE: &str = "})) {";
    let is_check = |line: &&str| line.starts_with("vars_ok &= evcxr_variable_store.");
    let is_taken = |line: &&str| line.starts_with("let ") && line.contains(" = evcxr_variable_store.");
    let is_put = |line: &&str| line.starts_with("evcxr_variable_store.");
    let mut lines: Vec<&str> = source.split_inclusive('\n').collect();
    let items = source[..end_of_items(source)?].matches('\n').count();
    let begin = items + lines[items..].iter().position(|line| *line == BEGIN)?;
    let checks = begin + 1..begin + 1 + lines[begin + 1..].iter().take_while(|line| is_check(line)).count();
    let first = checks.end + 1;
    let taken = first..first + lines.get(first..)?.iter().take_while(|line| is_taken(line)).count();
    // The last lines, behind the user's code, return the store.
    let end = lines.iter().rposition(|line| line.trim_end() == STORE)?;
    let put = end - lines.get(taken.end..end)?.iter().rev().take_while(|line| is_put(line)).count()..end;
    // New variables are put at the end of the closure that has the user's code.
    let closure = lines[taken.end..put.start].iter().rposition(|line| line.trim_end() == END_OF_CLOSURE);
    let new = closure.map(|end| {
        let end = taken.end + end;
        end - lines[taken.end..end].iter().rev().take_while(|line| is_put(line)).count()..end
    });
    for range in [checks, taken, put].into_iter().chain(new) {
        order(&mut lines, numbers, range)?;
    }
    Some(lines.concat())
}

/// The code for the analysis with the arguments of its function in order, which are the variables, and the statements that store them.
/// Changes the numbers of the lines in the same way.
fn with_ordered_arguments(source: &str, numbers: &mut [usize]) -> Option<String> {
    let begin = source.rfind("\nasync fn evcxr_analysis_wrapper(\n")?;
    let mut lines: Vec<&str> = source.split_inclusive('\n').collect();
    let first = source[..=begin].matches('\n').count() + 1;
    let is_argument = |line: &&str| line.ends_with(",\n");
    let arguments = first..first + lines.get(first..)?.iter().take_while(|line| is_argument(line)).count();
    let is_put = |line: &&str| line.starts_with("evcxr_variable_store(") && line.trim_end().ends_with(");");
    let end = lines.iter().rposition(is_put)? + 1;
    let put = end - lines.get(arguments.end..end)?.iter().rev().take_while(|line| is_put(line)).count()..end;
    for range in [arguments, put] {
        order(&mut lines, numbers, range)?;
    }
    Some(lines.concat())
}

/// Orders some lines, and their numbers with them.
fn order(lines: &mut [&str], numbers: &mut [usize], range: Range<usize>) -> Option<()> {
    let mut ordered: Vec<(&str, usize)> =
        lines[range.clone()].iter().copied().zip(numbers.get(range.clone())?.iter().copied()).collect();
    ordered.sort_unstable();
    for (index, (line, number)) in range.zip(ordered) {
        (lines[index], numbers[index]) = (line, number);
    }
    Some(())
}

/// What decides about an item's place: definitions of macros, modules that give macros, everything else. The parser counts a comment
/// behind an item to the next one.
fn rank(item: &ast::Item) -> u8 {
    match item {
        ast::Item::MacroRules(_) | ast::Item::MacroDef(_) => 0,
        ast::Item::Module(module) if attribute(module, &["macro_use"]).is_some() => 1,
        ast::Item::ExternCrate(external) if attribute(external, &["macro_use"]).is_some() => 1,
        // Of these the last counts.
        ast::Item::ExternBlock(_) | ast::Item::MacroCall(_) => 3,
        _ => 2,
    }
}

/// The beginning of an item's first line. A comment on the line of the item before it belongs to that.
fn first_line(text: &str, item: &ast::Item) -> Option<usize> {
    let tokens = item.syntax().descendants_with_tokens().filter_map(NodeOrToken::into_token);
    for token in tokens {
        let start = usize::from(token.text_range().start());
        match (own_line(text, start), token.kind()) {
            (_, SyntaxKind::WHITESPACE) => {}
            (Some(line), _) => return Some(line),
            (None, SyntaxKind::COMMENT) if !token.text().contains('\n') => {}
            (None, _) => return None,
        }
    }
    None
}

/// The beginning of the line on which something starts, if nothing is before it.
fn own_line(text: &str, start: usize) -> Option<usize> {
    let line = line_start(text, start);
    text[line..start].trim().is_empty().then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEHIND: &str = "mod evcxr_internal_runtime {\n}\nfn code() {}\n";

    fn source(items: &[&str]) -> String {
        format!("#![allow(dead_code)]\n\n{}{BEHIND}", items.concat())
    }

    #[test]
    fn all_orders_become_one() {
        let items = [
            "use a::B;\n",
            "#[x]\nstruct B;\nimpl B {}\n\n",
            "fn f() {\n    1\n}\n",
            "macro_rules! m {\n    () => {};\n}\n",
        ];
        let one = OrderedSource::of(&source(&items)).text;
        assert!(one.starts_with("#![allow(dead_code)]\n\nmacro_rules! m {"), "{one}");
        assert!(one.ends_with(BEHIND) && one.lines().count() == source(&items).lines().count(), "{one}");
        for turn in 1..items.len() {
            let mut turned = items;
            turned.rotate_left(turn);
            assert_eq!(OrderedSource::of(&source(&turned)).text, one);
        }
        assert_eq!(OrderedSource::of(&one).text, one);
    }

    #[test]
    fn a_comment_behind_an_item_is_its_own() {
        let items =
            ["const N: u8 = 10; // points\n", "/// Text.\n#[inline]\nfn f() {}\n", "// Before.\nconst A: u8 = 1;\n"];
        let expected = source(&[items[2], items[1], items[0]]);
        assert_eq!(OrderedSource::of(&source(&items)).text, expected);
        assert_eq!(OrderedSource::of(&source(&[items[1], items[0], items[2]])).text, expected);
    }

    #[test]
    fn what_gives_macros_comes_before_what_uses_them() {
        let items = [
            "#[inline]\nfn f() { sq!(1) }\n",
            "unsafe extern \"C\" { safe fn abs(x: i32) -> i32; }\n",
            "#[macro_use]\nmod m { macro_rules! sq { ($x:expr) => { $x } } }\n",
            "unsafe extern \"C\" { fn abs(x: i32) -> i32; }\n",
            "macro_rules! z { () => {} }\n",
        ];
        let expected = source(&[items[4], items[2], items[0], items[1], items[3]]);
        assert_eq!(
            OrderedSource::of(&source(&items)).text,
            expected,
            "blocks whose last declaration counts keep their order"
        );
    }

    #[test]
    fn what_evcxr_adds_stays_last() {
        let own = "#[derive(Debug)]\nstruct EvcxrUserCodeError {}\nimpl<T> From<T> for EvcxrUserCodeError {}\n";
        let text = source(&["use z::Z;\n", "fn a() {}\n", own]);
        assert_eq!(OrderedSource::of(&text).text, source(&["fn a() {}\n", "use z::Z;\n", own]));
    }

    #[test]
    fn messages_get_the_lines_of_evcxr() {
        let ordered = OrderedSource::of(&source(&["fn g() {\n}\n", "fn f() {\n}\n"]));
        assert_eq!(ordered.text, source(&["fn f() {\n}\n", "fn g() {\n}\n"]));
        let message = |line: usize| {
            format!(r#"{{"spans":[{{"file_name":"/s/build/lib.rs","line_end":{line},"line_start":{line}}}]}}"#) + "\n"
        };
        for (line, before) in [(1, 1), (3, 5), (4, 6), (5, 3), (6, 4), (7, 7), (9, 9)] {
            assert_eq!(ordered.in_lines_of_evcxr(&message(line)), message(before));
        }
        let other = r#"{"spans":[{"file_name":"/other.rs","line_end":3,"line_start":3}]}"#.to_owned() + "\n";
        assert_eq!(ordered.in_lines_of_evcxr(&other), other);
    }

    #[test]
    fn what_has_no_lines_of_its_own_stays() {
        for items in [&["fn f() {} fn g() {}\n", "fn a() {}\n"][..], &[]] {
            assert_eq!(OrderedSource::of(&source(items)).text, source(items));
        }
        assert_eq!(OrderedSource::of("fn f() {}").text, "fn f() {}");
    }

    #[test]
    fn variables_get_one_order() {
        let written = |names: &[&str], code: &str| {
            let lines = |form: &dyn Fn(&str) -> String| names.iter().map(|name| form(name)).collect::<String>();
            let checks =
                lines(&|name| format!("vars_ok &= evcxr_variable_store.check_variable::<T>(stringify!({name}));\n"));
            let taken =
                lines(&|name| format!("let {name} = evcxr_variable_store.take_variable::<T>(stringify!({name}));\n"));
            let put = lines(&|name| format!("evcxr_variable_store.put_variable::<T>(stringify!({name}), {name});\n"));
            let head = "fn g() {}\nmod evcxr_internal_runtime {\n}\npub extern \"C\" fn run_user_code_3(\n{let mut vars_ok = true;\n";
            format!(
                "{head}{checks}if !vars_ok {{return evcxr_variable_store;}}}}\n{taken}{code}\n{put}evcxr_variable_store\n}}\n"
            )
        };
        // Lines of the user that look the same stay.
        let code = "match f(\nlet z = evcxr_variable_store.a();\nlet y = evcxr_variable_store.b();\n}";
        let one = OrderedSource::of(&written(&["a", "b", "c"], code));
        assert_eq!(one.text, written(&["a", "b", "c"], code));
        let turned = OrderedSource::of(&written(&["c", "a", "b"], code));
        assert_eq!(turned.text, one.text);
        let moved: Vec<usize> = (6..=8).chain(10..=12).chain(17..=19).map(|line| turned.lines[line - 1]).collect();
        assert_eq!(moved, [7, 8, 6, 11, 12, 10, 18, 19, 17]);
        assert_ne!(OrderedSource::of(&written(&["a", "b"], code)).text, one.text);
    }

    #[test]
    fn new_variables_get_one_order() {
        let written = |names: &[&str]| {
            let put: String =
                names.iter().map(|name| format!("evcxr_variable_store.put_variable::<T>({name});\n")).collect();
            let head =
                "fn g() {}\npub extern \"C\" fn run_user_code_3(\n{let mut vars_ok = true;\nif !vars_ok {return 1;}}\n";
            format!(
                "{head}catch(||{{\nlet (a, b) = (1, 2);\n{put}}})) {{ \n  Ok(_) => {{}}\n}}\nevcxr_variable_store\n}}\n"
            )
        };
        let source = written(&["b", "a"]).replace("\npub extern", "\n#[unsafe(no_mangle)]\npub extern");
        let expected = written(&["a", "b"]).replace("\npub extern", "\n#[unsafe(no_mangle)]\npub extern");
        assert_eq!(OrderedSource::of(&source).text, expected);
    }

    #[test]
    fn code_for_the_analysis_gets_one_order() {
        let written = |items: [&str; 2], names: [&str; 2]| {
            let arguments: String = names.iter().map(|name| format!("{name}: T,\n")).collect();
            let put: String = names.iter().map(|name| format!("evcxr_variable_store({name});\n")).collect();
            format!(
                "{}{}fn evcxr_variable_store<T: 'static>(_: T) {{}}\n#[allow(unused_variables)]\nasync fn evcxr_analysis_wrapper(\n\
                 {arguments}) -> Result<(), EvcxrUserCodeError> {{\nf(\nb,\na,\n);\n{put}Ok(())\n}}\n",
                items[0], items[1]
            )
        };
        let items = ["fn a() {}\n", "struct T;\n"];
        let one = OrderedSource::of(&written(items, ["a", "b"]));
        assert_eq!(one.text, written(items, ["a", "b"]));
        let turned = OrderedSource::of(&written([items[1], items[0]], ["b", "a"]));
        assert_eq!(turned.text, one.text);
        assert_eq!(turned.lines, [2, 1, 3, 4, 5, 7, 6, 8, 9, 10, 11, 12, 14, 13, 15, 16]);
    }
}
