//! What a text of a notebook names: pictures become a part of the page, notebooks become their pages.

use super::escape::escape;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// The kinds of pictures that are put into a page, by the ends of their names.
const PICTURES: [(&str, &str); 6] = [
    ("gif", "image/gif"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("webp", "image/webp"),
];

/// Where the names of one cell are looked for.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    pub folder: &'a Path,
    /// The files that are in the cell itself.
    pub attachments: Option<&'a Value>,
}

impl Places<'_> {
    /// The address of a picture: with its contents, if it is in the folder or in the cell.
    pub fn picture(&self, address: &str) -> Option<String> {
        if let Some(name) = address.strip_prefix("attachment:") {
            let kinds = self.attachments?.get(decoded(name))?.as_object()?;
            return kinds.iter().find_map(|(kind, data)| Some(data_address(kind, data.as_str()?)));
        }
        let path = self.file(address)?;
        Some(data_address(kind_of(&path)?, &BASE64.encode(std::fs::read(&path).ok()?)))
    }

    /// The path of a picture that is in the folder or below it, from the folder on.
    pub fn picture_below(&self, address: &str) -> Option<PathBuf> {
        self.below(address).filter(|path| kind_of(path).is_some())
    }

    /// The path of a file that is in the folder or below it, from the folder on.
    pub fn below(&self, address: &str) -> Option<PathBuf> {
        let path = self.file(address)?;
        let path = path.strip_prefix(self.folder).ok()?;
        path.components().all(|part| matches!(part, Component::Normal(_))).then(|| path.to_owned())
    }

    /// The address of the page of a notebook that is in the folder.
    pub fn page(&self, address: &str) -> Option<String> {
        let (name, heading) = address.split_at(address.find('#').unwrap_or(address.len()));
        let stem = name.strip_suffix(".ipynb")?;
        let stem_of_name = stem.trim_start_matches("./");
        (!stem_of_name.contains('/') && self.file(name)?.is_file()).then(|| format!("{stem}.html{heading}"))
    }

    /// Raw HTML with the addresses of its pictures and notebooks changed in the same way.
    pub fn html(&self, html: &str) -> String {
        let mut changed = String::with_capacity(html.len());
        let mut rest = html;
        while let Some(at) = rest.find('<') {
            changed.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            let name = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len())];
            let wanted = match name.to_ascii_lowercase().as_str() {
                "img" | "source" => "src",
                "a" => "href",
                _ => continue,
            };
            changed.push_str(name);
            rest = self.attributes(&rest[name.len()..], wanted, &mut changed);
        }
        changed + rest
    }

    /// Copies the attributes of a tag, with the address in `wanted` changed. Gives what is behind them.
    fn attributes<'h>(&self, html: &'h str, wanted: &str, changed: &mut String) -> &'h str {
        let mut rest = html;
        while !rest.is_empty() && !rest.starts_with('>') {
            let length = rest.find(|c: char| !(c.is_whitespace() || c == '/')).unwrap_or(rest.len());
            let name = rest[length..]
                .find(|c: char| c.is_whitespace() || matches!(c, '=' | '>' | '/'))
                .unwrap_or(rest.len() - length);
            // A sign where a name could be.
            let step = if length + name == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { length + name };
            let is_wanted = rest[length..length + name].eq_ignore_ascii_case(wanted);
            changed.push_str(&rest[..step]);
            rest = &rest[step..];
            let Some(behind) = rest.trim_start().strip_prefix('=').map(str::trim_start) else { continue };
            let (value, after) = match behind.chars().next() {
                Some(quote @ ('"' | '\'')) => match behind[1..].split_once(quote) {
                    Some(parts) => parts,
                    // It has no end, so it is not a tag.
                    None => break,
                },
                _ => behind.split_at(behind.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(behind.len())),
            };
            let address = value.replace("&amp;", "&");
            let new = if wanted == "src" { self.picture(&address) } else { self.page(&address) };
            match new.filter(|_| is_wanted) {
                Some(new) => {
                    changed.push_str("=\"");
                    escape(changed, &new);
                    changed.push('"');
                }
                None => changed.push_str(&rest[..rest.len() - after.len()]),
            }
            rest = after;
        }
        rest
    }

    /// The file of a relative address without a scheme.
    fn file(&self, address: &str) -> Option<PathBuf> {
        let name = &address[..address.find(['?', '#']).unwrap_or(address.len())];
        let is_elsewhere = name.is_empty() || name.starts_with('/') || name.contains(':') || name.contains('\0');
        let path = self.folder.join(decoded(name));
        (!is_elsewhere && !decoded(name).starts_with('/') && path.is_file()).then_some(path)
    }
}

/// The kind of the picture in a file, by the end of its name.
fn kind_of(path: &Path) -> Option<&'static str> {
    let end = path.extension()?.to_str()?.to_ascii_lowercase();
    PICTURES.into_iter().find(|(extension, _)| *extension == end).map(|(_, kind)| kind)
}

/// The address of data. What is not base64 is left out, so that it is an address in any case.
pub fn data_address(kind: &str, base64: &str) -> String {
    let is_base64 = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let kind: String =
        kind.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '+' | '-' | '.')).collect();
    let mut address = format!("data:{kind};base64,");
    address.reserve(base64.len());
    address.extend(base64.chars().filter(is_base64));
    address
}

/// The address of a drawing as a picture, in which no script runs.
pub fn drawing_address(svg: &str) -> String {
    data_address("image/svg+xml", &BASE64.encode(svg))
}

/// An address without `%20` and the like.
fn decoded(address: &str) -> String {
    let mut bytes = Vec::with_capacity(address.len());
    let mut rest = address.as_bytes();
    while let [first, after @ ..] = rest {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pictures_and_notebooks_of_the_folder_are_found_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("pictures")).unwrap();
        std::fs::write(folder.path().join("pictures/a b.PNG"), "png").unwrap();
        std::fs::write(folder.path().join("secret.txt"), "text").unwrap();
        std::fs::write(folder.path().join("other.ipynb"), "").unwrap();
        let attachments = json!({ "x.png": { "image/png": "QUJD\n\"><script>" } });
        let places = Places { folder: folder.path(), attachments: Some(&attachments) };
        assert_eq!(places.picture("pictures/a%20b.PNG").as_deref(), Some("data:image/png;base64,cG5n"));
        assert_eq!(places.picture("attachment:x.png").as_deref(), Some("data:image/png;base64,QUJDscript"));
        assert_eq!(places.picture_below("./pictures/a%20b.PNG"), Some(PathBuf::from("pictures/a b.PNG")));
        for address in ["pictures/none.png", "secret.txt", "attachment:x.png", "pictures/../pictures/a%20b.PNG"] {
            assert_eq!(places.picture_below(address), None, "{address}");
        }
        let absolute = folder.path().join("pictures/a b.PNG");
        for address in [
            "",
            "pictures/none.png",
            "secret.txt",
            "https://a/b.png",
            "attachment:y.png",
            "%2Fetc%2Fx.png",
            absolute.to_str().unwrap(),
        ] {
            assert_eq!(places.picture(address), None, "{address}");
        }
        assert_eq!(places.page("other.ipynb#A-heading").as_deref(), Some("other.html#A-heading"));
        for address in ["none.ipynb", "https://a/other.ipynb", "other.txt", "pictures/../other.ipynb", "#other.ipynb"] {
            assert_eq!(places.page(address), None, "{address}");
        }
        let html = "<p title='<'><IMG alt=\"a > b\" src='pictures/a%20b.PNG' width=3/><a href=other.ipynb>x</a> 1 < 2 <img src=\"none.png\"><img src=\"";
        assert_eq!(
            places.html(html),
            "<p title='<'><IMG alt=\"a > b\" src=\"data:image/png;base64,cG5n\" width=3/><a href=\"other.html\">x</a> 1 < 2 <img src=\"none.png\"><img src=\""
        );
    }

    #[test]
    fn any_html_is_copied() {
        let places = Places { folder: Path::new("/nowhere"), attachments: None };
        for html in [
            "<",
            "<a",
            "<a =",
            "<a ==\"\">",
            "<img src",
            "<img src=",
            "<img src='>",
            "<a\u{a0}é='é'é>",
            "<a/ / href =\n x >",
            "<a'\"=>'",
        ] {
            assert_eq!(places.html(html), html);
        }
    }
}
