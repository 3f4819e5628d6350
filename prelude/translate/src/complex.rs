//! Complex numbers as they are written: `Complex<f32>`, `Complex32`, `Complex::new(…)`.

use crate::scalars::{Scalar, complex_of, is_element, part_of, scalar_named};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{GenericArgument, Path, PathArguments, Type};

/// A path that begins with a type of complex numbers.
pub(crate) struct ComplexPath {
    /// The type of the parts, if it is written.
    pub(crate) part: Option<Scalar>,
    /// The name behind the type: `new` of `Complex::new`.
    pub(crate) name: Option<String>,
}

/// Reads `Complex`, `Complex<f32>` or `Complex32` and what stands behind it. Before it may stand the name of the crate that has the type,
/// or that of our library.
pub(crate) fn complex_path(path: &Path) -> Option<ComplexPath> {
    let mut segments = path.segments.iter().peekable();
    while segments
        .next_if(|segment| ["gpu", "warpcell", "num_complex"].iter().any(|name| segment.ident == name))
        .is_some()
    {}
    let of = segments.next()?;
    let part = match (of.ident.to_string().as_str(), &of.arguments) {
        ("Complex", PathArguments::None) => None,
        ("Complex", PathArguments::AngleBracketed(given)) if given.args.len() == 1 => match given.args.first()? {
            GenericArgument::Type(Type::Infer(_)) => None,
            GenericArgument::Type(Type::Path(path)) => {
                let part = scalar_named(&path.path.get_ident()?.to_string())?;
                complex_of(part)?;
                Some(part)
            }
            _ => return None,
        },
        (name, PathArguments::None) => Some(part_of(scalar_named(name)?)?),
        _ => return None,
    };
    let name = segments.next().map(|segment| segment.ident.to_string());
    segments.next().is_none().then_some(ComplexPath { part, name })
}

/// The name of the crate's type.
pub(crate) const COMPLEX: &str = "Complex";

/// Whether `Complex` is a struct of the user's in some code: it stands where a type does, without the type of its parts.
pub(crate) fn has_own_complex(code: TokenStream) -> bool {
    let trees: Vec<TokenTree> = code.into_iter().collect();
    let is = |at: Option<usize>, signs: &[char]| match at.and_then(|at| trees.get(at)) {
        Some(TokenTree::Punct(punct)) => signs.contains(&punct.as_char()),
        _ => false,
    };
    trees.iter().enumerate().any(|(at, tree)| match tree {
        TokenTree::Group(group) => has_own_complex(group.stream()),
        // `-> Complex {`, `z: Complex`, `&Complex`, `View<Complex>`; not `gpu::Complex`, and not the value `&Complex { re, im }`.
        TokenTree::Ident(ident) if ident == COMPLEX && !is(Some(at + 1), &['<', ':']) => {
            let (before, more) = (at.checked_sub(1), at.checked_sub(2));
            let fields = match trees.get(at + 1) {
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
                _ => None,
            };
            let is_value = fields.is_some();
            let is_result = is(before, &['>']) && is(more, &['-']);
            let is_in_path = is(before, &[':']) && is(more, &[':']);
            let is_type = is_result || is(before, &[':', '&', '<']) && !is_in_path && !is_value;
            is_type || !is_result && fields.is_some_and(has_other_fields)
        }
        _ => false,
    })
}

/// Whether the fields of a struct are others than those of complex numbers.
fn has_other_fields(fields: TokenStream) -> bool {
    let mut begins = true;
    fields.into_iter().any(|tree| {
        let is_first =
            std::mem::replace(&mut begins, matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == ','));
        is_first && matches!(&tree, TokenTree::Ident(name) if name != "re" && name != "im")
    })
}

/// The scalar that a path names: `f32`, and of complex numbers also `Complex<f32>`.
pub fn scalar_of_path(path: &Path) -> Option<Scalar> {
    match complex_path(path) {
        Some(ComplexPath { part, name: None }) => complex_of(part?),
        Some(_) => None,
        None => scalar_named(&path.get_ident()?.to_string()),
    }
}

/// The same, if arrays have elements of it.
pub fn element_of_path(path: &Path) -> Option<Scalar> {
    scalar_of_path(path).filter(|&scalar| is_element(scalar))
}
