//! Files beside a notebook that its cells name, such as `data/measured.csv`. They are copied into the project, where the program finds them
//! by the same names.

use super::cells::{Cells, ProgramCell};
use super::tokens::tokens;
use crate::files;
use anyhow::{Context, Result};
use ra_ap_parser::SyntaxKind;
use ra_ap_syntax::ast::{self, AstToken};
use ra_ap_syntax::{NodeOrToken, SyntaxToken};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The largest file that is copied, in bytes.
const LARGEST: u64 = 8 << 20;

/// The files that the cells name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Data {
    /// Those that are copied: the path in the project, and the file.
    copied: BTreeMap<PathBuf, PathBuf>,
    /// Those that are too large, and their sizes.
    large: BTreeMap<PathBuf, u64>,
}

impl Data {
    /// The files in or below the notebook's folder that texts in the cells name.
    pub fn of(cells: &Cells, folder: &Path) -> Data {
        let mut data = Data::default();
        let codes = cells.cells.iter().filter_map(ProgramCell::code);
        for text in codes.flat_map(|code| code.items.iter().chain([&code.statements])).flat_map(|text| texts(text)) {
            let path = Path::new(&text);
            let is_below = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            // The compiler reads such a file beside the source of the program.
            let file = folder.join(path);
            let Some(found) = std::fs::metadata(&file).ok().filter(|found| is_below && found.is_file()) else {
                continue;
            };
            let name: PathBuf = path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
            match found.len() {
                size if size > LARGEST => drop(data.large.insert(name, size)),
                _ => drop(data.copied.insert(name, file)),
            }
        }
        data
    }

    /// Copies the files into a project. What is there already is not replaced.
    pub fn copy(&self, project: &Path) -> Result<()> {
        for (name, file) in &self.copied {
            let place = project.join(name);
            if place.exists() {
                continue;
            }
            place.parent().map(files::create_folder).transpose()?;
            std::fs::copy(file, &place).with_context(|| format!("{} cannot be copied", file.display()))?;
        }
        Ok(())
    }

    /// What is said of them.
    pub fn line(&self) -> String {
        let list = |names: &mut dyn Iterator<Item = String>| names.collect::<Vec<_>>().join(", ");
        let copied = list(&mut self.copied.keys().map(|name| name.display().to_string()));
        let size = |(name, bytes): (&PathBuf, &u64)| format!("{} ({} MB)", name.display(), bytes / 1_000_000);
        let large = list(&mut self.large.iter().map(size));
        let mut line = String::new();
        if !copied.is_empty() {
            line += &format!("\nCopied files that the cells name: {copied}.");
        }
        if !large.is_empty() {
            line +=
                &format!("\nToo large to be copied: {large}. Copy them into this folder before you run the program.");
        }
        line
    }
}

/// The texts in code.
fn texts(code: &str) -> Vec<String> {
    let strings = tokens(code).into_iter().filter(|(kind, _)| *kind == SyntaxKind::STRING);
    strings.filter_map(|(_, text)| value_of(text)).collect()
}

/// The value of a literal.
fn value_of(literal: &str) -> Option<String> {
    let file = crate::syntax::parse(&format!("const A: &str = {literal};")).syntax_node();
    let mut tokens = file.descendants_with_tokens().filter_map(NodeOrToken::into_token);
    let text = tokens.find_map(|token: SyntaxToken| ast::String::cast(token))?;
    Some(text.value().ok()?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::super::{cells, tests::notebook};
    use super::*;
    use serde_json::json;

    #[test]
    fn files_that_texts_name_are_copied() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, size: usize| {
            let file = folder.path().join("notes").join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, vec![b'1'; size]).unwrap();
        };
        for name in ["data/a.csv", "b c.txt", "d.csv", "unused.csv", "data/r.csv", "main.rs"] {
            write(name, 3);
        }
        write("big.bin", usize::try_from(LARGEST).unwrap() + 1);
        std::fs::write(folder.path().join("above.csv"), "1").unwrap();
        let code = "fn read() -> Table { table(r\"data/r.csv\") }\nlet a = gpu::loadtxt(\"./data/a.csv\");\nlet b = [\"b\\u{20}c.txt\", \"../above.csv\", \
                    \"data\", \"no.csv\", \"big.bin\"];\nprintln!(\"{}\", len(\"d.csv\")); // \"unused.csv\"";
        let found = cells::read(&notebook("rust", &[("code", code, json!({}))]));
        let data = Data::of(&found, &folder.path().join("notes"));
        let names: Vec<&Path> = data.copied.keys().map(PathBuf::as_path).collect();
        assert_eq!(names, ["b c.txt", "d.csv", "data/a.csv", "data/r.csv"].map(Path::new));
        assert_eq!(
            data.line(),
            "\nCopied files that the cells name: b c.txt, d.csv, data/a.csv, data/r.csv.\nToo large to be copied: big.bin (8 MB). Copy them \
             into this folder before you run the program."
        );
        let project = folder.path().join("project");
        std::fs::create_dir_all(&project).unwrap();
        std::fs::write(project.join("d.csv"), "of the project").unwrap();
        data.copy(&project).unwrap();
        assert_eq!(std::fs::read(project.join("data/a.csv")).unwrap(), b"111");
        assert_eq!(std::fs::read_to_string(project.join("d.csv")).unwrap(), "of the project");
        assert_eq!(Data::of(&found, folder.path()).line(), "");
    }
}
