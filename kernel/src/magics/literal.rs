//! Text as a string literal of Rust.

/// The literal of a text. Line ends stay line ends, so that no line of a cell moves.
pub fn literal(text: &str) -> String {
    let mut code = String::with_capacity(text.len() + 2);
    code.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => code.extend(['\\', character]),
            '\n' => code.push('\n'),
            // The compiler refuses some of them: characters that change the direction of text.
            _ if character.is_control() || is_invisible(character) => code.extend(character.escape_unicode()),
            _ => code.push(character),
        }
    }
    code.push('"');
    code
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
