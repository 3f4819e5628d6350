//! Parameters of a notebook, as papermill has them: `warpcell run NOTEBOOK -p NAME VALUE`.
//!
//! The cell with the tag `parameters` gives their names, types and defaults. Behind it a cell with the tag `injected-parameters` is
//! put, which sets those that are given. It takes the place of one that is there already.

use super::{has_tag, source};
use crate::syntax;
use anyhow::{Context, Result, bail};
use nbformat::v4::{Cell, CellId, CellMetadata, Notebook};
use ra_ap_syntax::SyntaxNode;
use ra_ap_syntax::ast::{self, AstNode, LiteralKind};

/// The tag of the cell with the defaults.
const DEFAULTS: &str = "parameters";
/// The tag of the cell with the values, which is its identifier too.
const GIVEN: &str = "injected-parameters";

/// A parameter as the notebook declares it.
#[derive(Debug)]
struct Parameter {
    name: String,
    /// The words before the name: `let`, `let mut` or `const`.
    keywords: &'static str,
    /// The type, if it is written.
    annotation: Option<String>,
    kind: Kind,
    /// The statement as it stands.
    declaration: String,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    /// With its type, such as `u64`; it is empty where the default says none.
    Integer(String),
    Float(String),
    Bool,
    Char,
    /// A `&str`.
    Text,
    /// A `String`.
    OwnedText,
    /// The value is an expression in Rust.
    Expression,
}

/// Sets parameters. An error names the parameter, and nothing is changed.
pub fn set(notebook: &mut Notebook, given: &[(String, String)]) -> Result<()> {
    if given.is_empty() {
        return Ok(());
    }
    let is_code = |cell: &Cell| matches!(cell, Cell::Code { .. });
    let Some(at) = notebook.cells.iter().position(|cell| is_code(cell) && has_tag(cell, DEFAULTS)) else {
        bail!(
            "the notebook has no cell with the tag `{DEFAULTS}`. Give this tag to the cell that declares the parameters, such as \
             `let n = 1000;`. In JupyterLab the property inspector, at the right, has a cell's tags"
        );
    };
    let parameters = declared(&source(&notebook.cells[at]));
    let mut lines = vec!["// Parameters\n".to_owned()];
    for (name, value) in given {
        let Some(parameter) = parameters.iter().rfind(|parameter| parameter.name == *name) else {
            let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
            bail!("the notebook has no parameter `{name}`; its parameters are: {}", names.join(", "));
        };
        lines.push(parameter.assigned(value).with_context(|| format!("the parameter `{name}`"))? + "\n");
    }
    if let Some(last) = lines.last_mut() {
        last.truncate(last.len() - 1);
    }
    notebook.cells.retain(|cell| !has_tag(cell, GIVEN));
    let Some(at) = notebook.cells.iter().position(|cell| is_code(cell) && has_tag(cell, DEFAULTS)) else {
        return Ok(());
    };
    let is_taken = notebook.cells.iter().any(|cell| cell.id().as_str() == GIVEN);
    let own = CellId::new(GIVEN).ok().filter(|_| !is_taken);
    let cell = Cell::Code {
        id: own.unwrap_or_else(|| uuid::Uuid::new_v4().into()),
        metadata: CellMetadata { tags: Some(vec![GIVEN.to_owned()]), ..CellMetadata::default() },
        execution_count: None,
        source: lines,
        outputs: Vec::new(),
    };
    notebook.cells.insert(at + 1, cell);
    Ok(())
}

/// The parameters that a cell declares.
fn declared(code: &str) -> Vec<Parameter> {
    syntax::statements(code).iter().filter_map(|(_, node)| Parameter::of(node)).collect()
}

impl Parameter {
    fn of(node: &SyntaxNode) -> Option<Self> {
        let (name, keywords, annotation, value) = if let Some(statement) = ast::LetStmt::cast(node.clone()) {
            let Some(ast::Pat::IdentPat(pattern)) = statement.pat() else { return None };
            let keywords = if pattern.mut_token().is_some() { "let mut" } else { "let" };
            (syntax::name_of(&pattern)?, keywords, statement.ty(), statement.initializer()?)
        } else {
            let constant = ast::Const::cast(node.clone())?;
            (syntax::name_of(&constant)?, "const", constant.ty(), constant.body()?)
        };
        let annotation = annotation.map(|annotation| annotation.syntax().text().to_string());
        let kind = match &annotation {
            Some(annotation) => Kind::of_type(annotation),
            None => Kind::of_value(&value),
        };
        Some(Self { name, keywords, annotation, kind, declaration: node.text().to_string() })
    }

    /// The statement that gives the parameter a value.
    fn assigned(&self, value: &str) -> Result<String> {
        let annotation = self.annotation.iter().map(|annotation| format!(": {annotation}")).collect::<String>();
        let value = match self.kind.written(value, annotation.is_empty()) {
            Ok(value) => value,
            Err(wanted) => bail!("{value:?} is not {wanted}; the notebook declares `{}`", self.declaration),
        };
        Ok(format!("{} {}{annotation} = {value};", self.keywords, self.name))
    }
}

impl Kind {
    fn of_type(annotation: &str) -> Self {
        match annotation.trim() {
            "f32" | "f64" => Self::Float(annotation.trim().to_owned()),
            "bool" => Self::Bool,
            "char" => Self::Char,
            "&str" | "&'static str" => Self::Text,
            "String" => Self::OwnedText,
            "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => {
                Self::Integer(annotation.trim().to_owned())
            }
            _ => Self::Expression,
        }
    }

    fn of_value(value: &ast::Expr) -> Self {
        match value {
            ast::Expr::Literal(literal) => match literal.kind() {
                LiteralKind::IntNumber(number) => match number.suffix() {
                    Some(suffix) if suffix.starts_with('f') => Self::Float(suffix.to_owned()),
                    suffix => Self::Integer(suffix.unwrap_or_default().to_owned()),
                },
                LiteralKind::FloatNumber(number) => Self::Float(number.suffix().unwrap_or_default().to_owned()),
                LiteralKind::Bool(_) => Self::Bool,
                LiteralKind::Char(_) => Self::Char,
                LiteralKind::String(_) => Self::Text,
                _ => Self::Expression,
            },
            ast::Expr::PrefixExpr(negative) => {
                negative.expr().map_or(Self::Expression, |value| match Self::of_value(&value) {
                    kind @ (Self::Integer(_) | Self::Float(_)) => kind,
                    _ => Self::Expression,
                })
            }
            ast::Expr::MethodCallExpr(call) => {
                let is_text = call.receiver().is_some_and(|receiver| Self::of_value(&receiver) == Self::Text);
                let name = call.name_ref().map(|name| name.text().to_string()).unwrap_or_default();
                let makes = ["to_string", "to_owned", "into"].contains(&name.as_str());
                if is_text && makes { Self::OwnedText } else { Self::Expression }
            }
            ast::Expr::CallExpr(call) => {
                let function = call.expr().map(|function| function.syntax().text().to_string()).unwrap_or_default();
                if function == "String::from" { Self::OwnedText } else { Self::Expression }
            }
            _ => Self::Expression,
        }
    }

    /// A value of the command line in Rust, or what it should be. A number ends with its type where the statement does not say it.
    fn written(&self, value: &str, with_type: bool) -> Result<String, &'static str> {
        let suffix = |name: &str| if with_type { name.to_owned() } else { String::new() };
        match self {
            Self::Integer(name) => {
                let number: Result<i128, _> = value.trim().replace('_', "").parse();
                number.map(|number| format!("{number}{}", suffix(name))).map_err(|_| "an integer")
            }
            Self::Float(name) => {
                let number: f64 = value.trim().replace('_', "").parse().map_err(|_| "a number")?;
                if number.is_finite() {
                    return Ok(format!("{number:?}{}", suffix(name)));
                }
                let place = if name.is_empty() { "f64" } else { name };
                let constant = if number.is_nan() {
                    "NAN"
                } else if number > 0.0 {
                    "INFINITY"
                } else {
                    "NEG_INFINITY"
                };
                Ok(format!("{place}::{constant}"))
            }
            Self::Bool => match value.trim() {
                "true" | "True" => Ok("true".to_owned()),
                "false" | "False" => Ok("false".to_owned()),
                _ => Err("`true` or `false`"),
            },
            Self::Char => match value.chars().collect::<Vec<_>>()[..] {
                [one] => Ok(format!("{one:?}")),
                _ => Err("one character"),
            },
            Self::Text => Ok(format!("{value:?}")),
            Self::OwnedText => Ok(format!("String::from({value:?})")),
            Self::Expression => {
                let file = syntax::parse(&format!("const VALUE: () = {value};"));
                if file.errors().is_empty() { Ok(value.trim().to_owned()) } else { Err("an expression in Rust") }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notebook::tests::notebook;
    use serde_json::json;

    const CODE: &str = "let n = 1000;\nlet count: usize = 3;\nlet k = 5u64;\nlet sigma = 0.5f32;\nlet rate: f64 = 1e-3;\nlet scale = -2.0;\n\
        let mut deep = false;\nlet letter = 'a';\nlet name = \"x\";\nlet path = String::from(\"a\");\nlet label = \"a\".to_owned();\n\
        let sizes = vec![1, 2];\nconst ROWS: i64 = 4;\nlet half: Option<f32> = None;";

    fn set_one(name: &str, value: &str) -> Result<String> {
        let mut notebook = notebook(&[
            ("first", CODE, json!({ "tags": ["parameters"] }), json!([])),
            ("last", "n", json!({}), json!([])),
        ]);
        set(&mut notebook, &[(name.to_owned(), value.to_owned())])?;
        assert_eq!(notebook.cells.iter().map(|cell| cell.id().as_str()).collect::<Vec<_>>(), ["first", GIVEN, "last"]);
        Ok(source(&notebook.cells[1]).strip_prefix("// Parameters\n").unwrap().to_owned())
    }

    #[test]
    fn values_have_the_types_of_the_defaults() {
        let cases = [
            ("n", "2_000", "let n = 2000;"),
            ("n", "-5", "let n = -5;"),
            ("count", "7", "let count: usize = 7;"),
            ("k", "6", "let k = 6u64;"),
            ("sigma", "2", "let sigma = 2.0f32;"),
            ("rate", ".25", "let rate: f64 = 0.25;"),
            ("rate", "inf", "let rate: f64 = f64::INFINITY;"),
            ("sigma", "-inf", "let sigma = f32::NEG_INFINITY;"),
            ("scale", "1e9", "let scale = 1000000000.0;"),
            ("deep", "True", "let mut deep = true;"),
            ("letter", "'", "let letter = '\\'';"),
            ("name", " a \"b\" ", "let name = \" a \\\"b\\\" \";"),
            ("path", "a/b", "let path = String::from(\"a/b\");"),
            ("label", "b", "let label = String::from(\"b\");"),
            ("sizes", "vec![3; 4]", "let sizes = vec![3; 4];"),
            ("ROWS", "8", "const ROWS: i64 = 8;"),
            ("half", "Some(0.5)", "let half: Option<f32> = Some(0.5);"),
        ];
        for (name, value, expected) in cases {
            assert_eq!(set_one(name, value).unwrap(), expected);
        }
    }

    #[test]
    fn wrong_values_are_said_with_the_declaration() {
        let cases = [
            ("n", "2.5", "the parameter `n`: \"2.5\" is not an integer; the notebook declares `let n = 1000;`"),
            (
                "deep",
                "yes",
                "the parameter `deep`: \"yes\" is not `true` or `false`; the notebook declares `let mut deep = false;`",
            ),
            (
                "letter",
                "ab",
                "the parameter `letter`: \"ab\" is not one character; the notebook declares `let letter = 'a';`",
            ),
            (
                "sizes",
                "vec![",
                "the parameter `sizes`: \"vec![\" is not an expression in Rust; the notebook declares `let sizes = vec![1, 2];`",
            ),
        ];
        for (name, value, expected) in cases {
            assert_eq!(format!("{:#}", set_one(name, value).unwrap_err()), expected);
        }
        let unknown = set_one("m", "1").unwrap_err().to_string();
        assert!(
            unknown.starts_with("the notebook has no parameter `m`; its parameters are: n, count, k,"),
            "{unknown}"
        );
    }

    #[test]
    fn a_cell_with_values_takes_the_place_of_an_older_one() {
        let mut notebook = notebook(&[
            ("old", "let n = 3;", json!({ "tags": ["injected-parameters"] }), json!([])),
            ("first", "let n = 1;\nlet m = 2;", json!({ "tags": ["parameters"] }), json!([])),
        ]);
        set(&mut notebook, &[("m".into(), "7".into()), ("n".into(), "8".into())]).unwrap();
        let codes: Vec<String> = notebook.cells.iter().map(source).collect();
        assert_eq!(codes, ["let n = 1;\nlet m = 2;", "// Parameters\nlet m = 7;\nlet n = 8;"]);
    }

    #[test]
    fn without_the_tag_an_error_says_how_to_set_it() {
        let mut notebook = notebook(&[("first", "let n = 1;", json!({}), json!([]))]);
        let error = set(&mut notebook, &[("n".into(), "7".into())]).unwrap_err().to_string();
        assert!(error.contains("no cell with the tag `parameters`") && error.contains("property inspector"), "{error}");
    }
}
