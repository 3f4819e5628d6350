//! Texts that a notebook links to, such as a glossary. They become sections at the end of its page, so that the links lead somewhere
//! wherever the page is.

use super::escape::escaped;
use super::links::Places;
use super::markdown::{self, Origin, Shared};
use super::rewrite::{resolved, rewritten};
use std::path::{Path, PathBuf};

/// A longer text stays a file of its own.
const LONGEST: u64 = 1 << 18;

/// The path of the text in or below the folder to which an address leads, and the heading that the address names.
pub fn text_at<'a>(places: &Places<'_>, address: &'a str) -> Option<(PathBuf, &'a str)> {
    let (_, heading) = address.split_once('#').unwrap_or((address, ""));
    let path = places.below(address)?;
    let is_text = path.extension().is_some_and(|end| end == "md");
    let length = std::fs::metadata(places.folder.join(&path)).ok()?.len();
    (is_text && length <= LONGEST).then_some((path, heading))
}

/// The identifier of a text's section, or of a heading in it, in the page.
pub fn anchor(path: &Path, heading: &str) -> String {
    let name = path.to_string_lossy().replace(char::is_whitespace, "-");
    if heading.is_empty() { name } else { format!("{name}:{heading}") }
}

/// The name that links to a heading of a text have, as on GitHub.
pub fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The sections of the texts that were linked to.
pub fn sections(folder: &Path, shared: &mut Shared) -> String {
    let mut html = String::new();
    let texts = shared.texts.clone();
    for path in &texts {
        let Ok(text) = std::fs::read_to_string(folder.join(path)) else { continue };
        let text = rewritten(&text, &|address| link(address, path, folder, &texts));
        let name = anchor(path, "");
        let beside = folder.join(path.parent().unwrap_or(Path::new("")));
        let places = Places { folder: &beside, attachments: None };
        let origin = Origin { places, cell: &name, is_output: false, text: Some(path) };
        let words = markdown::to_html(&text, origin, shared);
        html += &format!(
            "<section class=\"cell linked\" id=\"{}\">\n<div class=\"words\">\n{words}</div>\n</section>\n",
            escaped(&name)
        );
    }
    html
}

/// The address that a link of such a text gets. None if it leads to a file, which is not in the page.
fn link(address: &str, path: &Path, folder: &Path, texts: &[PathBuf]) -> Option<String> {
    if let Some(heading) = address.strip_prefix('#') {
        return Some(format!("#{}", anchor(path, heading)));
    }
    if address.contains(':') {
        return Some(address.to_owned());
    }
    let from_folder = resolved(&path.to_string_lossy(), address)?;
    let (other, heading) = text_at(&Places { folder, attachments: None }, &from_folder)?;
    texts.contains(&other).then(|| format!("#{}", anchor(&other, heading)))
}
