//! CUDA C text as words and signs: without comments, directives, and what stands behind `#if 0`.

use std::collections::HashMap;

/// A text in pieces, and the names that it, or an option, has given to other pieces.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    /// Words (names, keywords, numbers), signs of one character, `::`, and strings with their quotes.
    pub all: Vec<String>,
    /// What `#define name …` has put for names without parameters.
    pub macros: HashMap<String, Vec<String>>,
}

/// Takes a text apart.
pub(super) fn tokens(source: &str) -> Tokens {
    let mut found = Tokens::default();
    let mut rest = Reader { rest: source, is_line_start: true };
    // How many `#if` stand open inside one that is left out.
    let mut left_out: usize = 0;
    while let Some(piece) = rest.next_piece() {
        match piece {
            Piece::Directive(line) => {
                let words = split(&line);
                let word = words.get(1).map_or("", String::as_str);
                match word {
                    "if" | "ifdef" | "ifndef" if left_out > 0 => left_out += 1,
                    "if" if words.get(2).is_some_and(|value| value == "0") && words.len() == 3 => left_out = 1,
                    "endif" => left_out = left_out.saturating_sub(1),
                    "else" | "elif" if left_out == 1 => left_out = 0,
                    "define" if left_out == 0 => define(&line, &words[2..], &mut found.macros),
                    _ => {}
                }
            }
            Piece::Token(token) if left_out == 0 => found.all.push(token.to_owned()),
            Piece::Token(_) => {}
        }
    }
    found
}

/// The pieces of a text without directives.
pub(super) fn split(text: &str) -> Vec<String> {
    let mut reader = Reader { rest: text, is_line_start: false };
    let mut all = Vec::new();
    while let Some(piece) = reader.next_piece() {
        if let Piece::Token(token) = piece {
            all.push(token.to_owned());
        }
    }
    all
}

fn define(line: &str, words: &[String], macros: &mut HashMap<String, Vec<String>>) {
    let Some((name, value)) = words.split_first() else { return };
    // `#define name(…)`: a bracket right behind the name makes it a macro with parameters.
    let behind = line.find(name.as_str()).map_or("", |at| &line[at + name.len()..]);
    if !behind.starts_with('(') {
        macros.insert(name.clone(), value.to_vec());
    }
}

enum Piece<'a> {
    /// A line that begins with `#`, with the lines that continue it.
    Directive(String),
    Token(&'a str),
}

struct Reader<'a> {
    rest: &'a str,
    /// Whether only blanks stand before `rest` in its line.
    is_line_start: bool,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    fn next_piece(&mut self) -> Option<Piece<'a>> {
        loop {
            let first = self.rest.chars().next()?;
            if first == '\n' {
                self.is_line_start = true;
                self.take(1);
            } else if first.is_whitespace() || first == '\\' {
                self.take(first.len_utf8());
            } else if self.rest.starts_with("//") {
                self.line();
            } else if self.rest.starts_with("/*") {
                let end = self.rest[2..].find("*/").map_or(self.rest.len(), |at| at + 4);
                self.take(end);
            } else if first == '#' && self.is_line_start {
                return Some(Piece::Directive(self.line()));
            } else {
                self.is_line_start = false;
                return Some(Piece::Token(self.token(first)));
            }
        }
    }

    /// The rest of the line, and of those that it continues on by a backslash, without comments.
    fn line(&mut self) -> String {
        let mut end = 0;
        let bytes = self.rest.as_bytes();
        while end < bytes.len() && (bytes[end] != b'\n' || self.rest[..end].trim_end_matches('\r').ends_with('\\')) {
            end += 1;
        }
        let line = self.take(end);
        let mut kept = line.replace("\\\n", " ").replace("\\\r\n", " ");
        while let Some(start) = kept.find("/*") {
            let end = kept[start + 2..].find("*/").map_or(kept.len(), |at| start + at + 4);
            kept.replace_range(start..end, " ");
        }
        match kept.find("//") {
            Some(at) if !kept[..at].contains('"') => kept[..at].to_owned(),
            _ => kept,
        }
    }

    fn token(&mut self, first: char) -> &'a str {
        let is_word = |c: char| c == '_' || c.is_alphanumeric();
        if self.rest.starts_with("R\"")
            && let Some(open) = self.rest.find('(')
        {
            let end = format!("){}\"", &self.rest[2..open]);
            let length = self.rest[open..].find(&end).map_or(self.rest.len(), |at| open + at + end.len());
            return self.take(length);
        }
        if first == '"' || first == '\'' {
            let mut is_escaped = false;
            for (at, c) in self.rest.char_indices().skip(1) {
                if c == first && !is_escaped {
                    return self.take(at + 1);
                }
                is_escaped = c == '\\' && !is_escaped;
            }
            return self.take(self.rest.len());
        }
        if is_word(first) {
            // In a number, `'` stands between digits.
            let is_number = first.is_ascii_digit();
            let goes_on = |c: char| is_word(c) || is_number && (c == '.' || c == '\'');
            let length = self.rest.find(|c: char| !goes_on(c)).unwrap_or(self.rest.len());
            return self.take(length);
        }
        if self.rest.starts_with("::") {
            return self.take(2);
        }
        self.take(first.len_utf8())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_directives_are_told_apart() {
        let source = "// a /* b\nint x = 1'000; /* c // \n d */ char *s = \"e \\\" // f\"; char q = '\"';\n\
                      auto r = R\"x(g \" )y\" h)x\";\n  # pragma once \\\n  more\n a::b /**/ c";
        let all = tokens(source).all;
        let expected =
            "int|x|=|1'000|;|char|*|s|=|\"e \\\" // f\"|;|char|q|=|'\"'|;|auto|r|=|R\"x(g \" )y\" h)x\"|;|a|::|b|c";
        assert_eq!(all.join("|"), expected);
        assert_eq!(tokens("/* open").all.len() + tokens("\"open").all.len() + tokens("").all.len(), 1);
    }

    #[test]
    fn what_is_left_out_and_defined() {
        let source = "#define REAL float // of all\n#define F(x) x\n#define WIDE unsigned \\\n long\n\
                      #if 0\n#if A\nold\n#endif\n#define REAL double\ndead\n#else\nlive\n#endif\n#if 1\nalso\n#endif";
        let found = tokens(source);
        assert_eq!(found.all, ["live", "also"]);
        assert_eq!(found.macros["REAL"], ["float"]);
        assert_eq!(found.macros["WIDE"], ["unsigned", "long"]);
        assert!(!found.macros.contains_key("F"));
    }
}
