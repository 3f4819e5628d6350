//! Advice that is true in a notebook but not in a program: for variables that cannot be kept for later cells, for
//! values that are moved or borrowed, and for errors without help from the compiler.

use crate::build_step::is_meant_by_patterns;
use crate::evaluator::{CellError, elements};
use crate::syntax::{is_word, statements, words};
use ra_ap_syntax::ast::{self, AstNode};

/// Why a variable cannot be kept for later cells, and what to do instead.
#[derive(Debug, PartialEq, Eq)]
pub struct NotKept {
    /// Why.
    pub reason: String,
    /// Ways out.
    pub advice: Vec<String>,
}

/// Explains evcxr's message about a variable that it cannot keep. `None` for other messages.
pub fn not_kept(message: &str) -> Option<NotKept> {
    let name = message.split('`').nth(1)?;
    let iterator = format!(
        "box a value whose type has no name: `let {name}: Box<dyn Iterator<Item = i32>> = Box::new(…);`, or `.collect()` it"
    );
    let (reason, own) = if message.contains("is a closure") {
        (
            format!("the variable `{name}` is a closure: its type has no name that later cells could use"),
            vec![
                format!("write a function if it uses no variables: `fn {name}(x: i32) -> i32 {{ … }}`"),
                format!("box it: `let {name}: Box<dyn Fn(i32) -> i32> = Box::new(move |x| …);`"),
                format!(
                    "for `gpu::map`, write `let {name} = gpu::fuse!(|x: f64| …);`, or a function with `#[vectorize]` before it"
                ),
            ],
        )
    } else if message.contains("contains a reference with a non-static lifetime") {
        (
            format!("the variable `{name}` holds a reference, which cannot be kept for later cells"),
            vec![
                format!("own the value: `let {name} = ….clone();`, `.to_owned()`, `.to_vec()`, `.collect::<Vec<_>>()`"),
                "share it: put the value into an `Rc` or `Arc` and clone that".to_owned(),
            ],
        )
    } else if without_type(message).is_some() {
        (
            format!("the type of the variable `{name}` is not known, so later cells could not use it"),
            vec![format!("write the type: `let {name}: Vec<i32> = …`"), iterator],
        )
    } else if message.contains("which cannot be persisted") {
        let type_name = message.split('`').nth(3).unwrap_or_default();
        (
            format!("the variable `{name}` has the type `{type_name}`, which cannot be kept for later cells"),
            vec![iterator],
        )
    } else {
        return None;
    };
    let mut advice = own;
    advice.push(format!("or use `{name}` in this cell only: put the code that needs it in braces `{{ … }}`"));
    Some(NotKept { reason, advice })
}

/// The variable whose type rust-analyzer could not find, if a message of evcxr says this.
pub fn without_type(message: &str) -> Option<&str> {
    message.strip_prefix("Couldn't automatically determine type of variable `")?.split('`').next()
}

/// The error for a message of evcxr about a variable that it cannot keep; `None` for other messages.
pub fn error_for(message: &str) -> Option<CellError> {
    let NotKept { reason, advice } = not_kept(message)?;
    let mut traceback = vec![format!("\u{1b}[1;31merror\u{1b}[0m\u{1b}[1m: {reason}\u{1b}[0m")];
    traceback.push(as_list(&advice));
    Some(CellError { name: "CompileError".to_owned(), value: reason, traceback })
}

/// The advice as the user reads it below an error.
pub fn as_list(advice: &[String]) -> String {
    let mut text = "\u{1b}[1;36min a notebook\u{1b}[0m:".to_owned();
    match advice {
        [one] => text += &format!(" {one}"),
        many => text.extend(many.iter().map(|one| format!("\n  - {one}"))),
    }
    text
}

/// Advice about an error of the compiler, by its code and message.
pub fn advice(code: &str, message: &str) -> Vec<String> {
    let name = message.split('`').nth(1).filter(|name| name.chars().all(is_word));
    let name = name.unwrap_or("x");
    let in_braces = "a borrow in a variable of the cell lasts to the end of the cell: put it, and the code that uses it, in braces \
                     `{ … }`";
    match code {
        "E0384" | "E0596" => vec![format!("make an existing variable mutable with `let mut {name} = {name};`")],
        "E0382" => vec![format!("the value was moved away; use `&{name}` where you pass it, or `{name}.clone()`")],
        "E0507" => vec![format!("the value is only borrowed there; use `&{name}`, `{name}.clone()` or `std::mem::take`")],
        "E0505" => vec![in_braces.to_owned(), format!("or move a copy: `{name}.clone()`")],
        "E0499" | "E0502" | "E0506" => vec![in_braces.to_owned()],
        "E0373" => {
            let name = message.split('`').nth(1).unwrap_or(name);
            vec![format!(
                "the closure may outlive the cell: clone what it needs first, `let mine = {name}.clone();`, and write \
                 `move ||` (or use `std::thread::scope`, which waits for its threads)"
            )]
        }
        "E0277" if message.starts_with("the trait bound `dyn Fn") && message.ends_with(": Clone` is not satisfied") => {
            let closure = message.split(['`', ':']).nth(1).unwrap_or("dyn Fn()");
            vec![format!(
                "a boxed closure cannot be copied, and `interact!` keeps a copy of each variable that its code uses; an `Rc` can: \
                 `let f: std::rc::Rc<{closure}> = std::rc::Rc::new(|x| …);`"
            )]
        }
        "E0597" | "E0716" => vec![
            "a variable that later cells can use must own what it holds; put the code in braces `{ … }`, or clone the value"
                .to_owned(),
        ],
        "E0368" | "E0369" | "E0600" if uncomputed(message) == Some("bool") => vec![
            "arrays of bool have `&a & &b`, `&a | &b`, `&a ^ &b` and `!&a`; to count or add them, convert the array first, such \
             as `a.astype::<i64>()`"
                .to_owned(),
        ],
        "E0599" => match uncomputed(message).filter(|_| !message.starts_with("no ")) {
            Some(element) => vec![format!(
                "arrays of {element} do not have this method; convert the array first, such as `a.astype::<f32>()`"
            )],
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Advice about a variable of the notebook that a function does not see.
pub fn of_unseen_variable(
    code: &str,
    message: &str,
    cell: &str,
    type_of: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let name = message.strip_prefix("cannot find value `")?.split('`').next()?;
    let type_name = type_of(name).filter(|_| code == "E0425")?;
    let way = match (type_name.contains("DeviceArray<"), cell.contains("#[")) {
        (true, true) => {
            format!("compute the number from `{name}` in the cell, and give the function a parameter for it")
        }
        (true, false) => format!("give it the parameter `{name}: &{type_name}`"),
        (false, _) => format!("give it the parameter `{name}: {type_name}`"),
    };
    Some(format!("a function does not see the variables of the notebook: {way}"))
}

/// Advice where a line gives a variable the name of an item that a pattern means: of an error, its code and what it says of parts of the
/// code, and the texts of the notebook's items by name.
pub fn of_item_in_pattern(
    code: &str,
    labels: &[&str],
    line: &str,
    source: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    match code {
        "E0005" | "E0530" => {}
        "E0308" if labels.iter().any(|label| label.contains(" is interpreted as ")) => {}
        _ => return None,
    }
    let is_meant = |name: &&str| {
        let items = source(name).map(|text| statements(&text)).unwrap_or_default();
        items.into_iter().filter_map(|(_, node)| ast::Item::cast(node)).any(|item| is_meant_by_patterns(&item, name))
    };
    let of_loop = line.split_once(" in ").filter(|_| line.trim_start().starts_with("for "));
    let (pattern, behind) = of_loop.or_else(|| line.split_once('=')).unwrap_or((line, ""));
    let parameters = behind.split('|').nth(1).unwrap_or_default();
    let is_struct = |name: &&str| pattern.contains(&format!("{name}("));
    let name = words(pattern).chain(words(parameters)).find(|name| !is_struct(name) && is_meant(name))?;
    let lower = name.to_lowercase();
    let other = if lower == name { format!("my_{name}") } else { lower };
    Some(format!(
        "`{name}` is an item of an earlier cell, and a pattern with its name means the item; give the variable another name, here and \
         where the cell uses it, such as `{other}`"
    ))
}

/// The element type in a message about a device array, if not all operations compute in this type. The compiler
/// gives advice if a function needs numbers, but not for operators and methods.
fn uncomputed(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("DeviceArray<")?;
    let (element, _) = rest.split_once('>')?;
    let element = element.rsplit("::").next().unwrap_or(element);
    elements::is_limited(element).then_some(element)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closures_are_named_with_what_to_do() {
        let error = error_for(
            "The variable `f` is a closure, which cannot be persisted.\nYou can however persist closures if you box \
             them. e.g.:\nlet f: Box<dyn Fn()> = …",
        );
        let text = error.unwrap().traceback.join("\n");
        assert!(text.contains("`f` is a closure") && text.contains("let f: Box<dyn Fn(i32) -> i32>"), "{text}");
        assert!(text.contains("for `gpu::map`, write `let f = gpu::fuse!(|x: f64| …);`"), "{text}");
        assert!(!text.contains("evcxr"), "{text}");
    }

    #[test]
    fn variables_that_cannot_be_kept_are_named() {
        let reason = |message| not_kept(message).unwrap().reason;
        assert_eq!(
            reason("The variable `v` has type `impl Iterator` which cannot be persisted.\nYou might …"),
            "the variable `v` has the type `impl Iterator`, which cannot be kept for later cells"
        );
        assert_eq!(
            reason("The variable `r` contains a reference with a non-static lifetime so\ncan't be persisted. You …"),
            "the variable `r` holds a reference, which cannot be kept for later cells"
        );
        let error = error_for("Couldn't automatically determine type of variable `w`.\nPlease give …");
        assert!(error.unwrap().traceback.join("\n").contains("let w: Vec<i32> = …"));
    }

    #[test]
    fn other_messages_are_left_alone() {
        assert_eq!(error_for("Looks like you're missing a semicolon"), None);
        assert_eq!(error_for("no `main` found"), None);
    }

    #[test]
    fn names_of_items_are_not_for_variables() {
        let source = |name: &str| (name == "N" || name == "unit").then(|| format!("const {name}: u8 = 1;"));
        let of = |code, label: &str, line| of_item_in_pattern(code, &[label], line, &source);
        assert!(of("E0005", "", "let (a, N) = (1, 2);").unwrap().ends_with("such as `n`"));
        assert!(of("E0530", "", "let mut unit = 1;").unwrap().ends_with("such as `my_unit`"));
        assert!(of("E0308", "`N` is interpreted as a constant, not a new binding", "let N = true;").is_some());
        assert_eq!(of("E0308", "expected `bool`, found `u8`", "let x: bool = N;"), None);
        assert!(of("E0005", "", "for N in 0..3 {}").is_some());
        assert!(of("E0005", "", "let twice = |N: u8| 2;").is_some());
        for line in ["let Some(x) = Some(1);", "let Some(x) = v.get(N);", "let N(x, y) = p;"] {
            assert_eq!(of("E0005", "", line), None, "{line}");
        }
    }

    #[test]
    fn advice_names_the_variable() {
        assert_eq!(
            advice("E0382", "borrow of moved value: `list`"),
            ["the value was moved away; use `&list` where you pass it, or `list.clone()`"]
        );
        assert!(advice("E0382", "use of moved value: `a.b`")[0].contains("`x.clone()`"), "only names are put in");
        assert!(advice("E0505", "cannot move out of `v` because it is borrowed")[1].contains("`v.clone()`"));
        assert_eq!(advice("E0308", "mismatched types"), [""; 0]);
        let closure = advice("E0277", "the trait bound `dyn Fn(f64) -> f64: Clone` is not satisfied");
        assert!(closure[0].contains("`let f: std::rc::Rc<dyn Fn(f64) -> f64> = "), "{closure:?}");
    }

    #[test]
    fn advice_names_the_elements_that_are_not_computed_with() {
        let converted = |element| {
            [format!(
                "arrays of {element} do not have this method; convert the array first, such as `a.astype::<f32>()`"
            )]
        };
        let sum = "cannot add `&DeviceArray<bool>` to `&DeviceArray<bool>`";
        assert!(advice("E0369", sum)[0].contains("`&a | &b`"));
        assert_eq!(advice("E0369", "cannot add `f32` to `&DeviceArray<u16>`"), [""; 0]);
        let exp = "the method `exp` exists for struct `DeviceArray<u16>`, but its trait bounds were not satisfied";
        assert_eq!(advice("E0599", exp), converted("u16"));
        assert_eq!(advice("E0599", "no method named `maxx` found for struct `DeviceArray<u16>`"), [""; 0]);
        assert_eq!(advice("E0369", "cannot add `String` to `DeviceArray<f32>`"), [""; 0]);
    }
}
