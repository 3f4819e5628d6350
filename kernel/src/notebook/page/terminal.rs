//! Text that was written for a terminal, as HTML: colours become spans, and of a line that was written over, the last state
//! remains. Movements to other lines are left out, since a notebook's output only grows.

use super::escape::escape;
use std::fmt::Write as _;

/// A colour of text or of its background.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Colour {
    #[default]
    Usual,
    /// One of the 16 with a name, which follow the page's light or dark.
    Named(u8),
    Rgb(u8, u8, u8),
}

/// How letters look.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Look {
    ink: Colour,
    ground: Colour,
    /// The bits are the indices in [`MANNERS`].
    manners: u8,
    reversed: bool,
}

/// The classes of what is not a colour, and the parameters that set and end it.
const MANNERS: [(&str, u16, u16); 5] = [
    ("ansi-bold", 1, 22),
    ("ansi-faint", 2, 22),
    ("ansi-italic", 3, 23),
    ("ansi-underline", 4, 24),
    ("ansi-strike", 9, 29),
];

/// A text of a terminal as HTML for a `<pre>`.
pub fn html(text: &str) -> String {
    let mut writer = Writer { html: String::with_capacity(text.len() + text.len() / 8), open: Look::default() };
    let mut look = Look::default();
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            if look != writer.open {
                writer.close();
            }
            writer.html.push('\n');
        }
        let line = line.trim_end_matches('\r');
        if line.bytes().any(|byte| matches!(byte, b'\r' | 8)) {
            for (letter, its) in last_state(line, &mut look) {
                writer.write(letter.encode_utf8(&mut [0; 4]), its);
            }
        } else {
            for piece in pieces(line) {
                match piece {
                    Piece::Text(text) => writer.write(text, look),
                    Piece::Look(parameters) => look.change(parameters),
                    Piece::Erase(_) => {}
                }
            }
        }
    }
    writer.close();
    writer.html
}

/// The letters of a line after everything that went back in it.
fn last_state(line: &str, look: &mut Look) -> Vec<(char, Look)> {
    let mut letters: Vec<(char, Look)> = Vec::new();
    let mut column = 0;
    for piece in pieces(line) {
        match piece {
            Piece::Look(parameters) => look.change(parameters),
            Piece::Erase("" | "0") => letters.truncate(column),
            Piece::Erase("1") => letters.iter_mut().take(column).for_each(|letter| *letter = (' ', Look::default())),
            Piece::Erase(_) => letters.iter_mut().for_each(|letter| *letter = (' ', Look::default())),
            Piece::Text(text) => {
                for letter in text.chars() {
                    match letter {
                        '\r' => column = 0,
                        '\u{8}' => column = column.saturating_sub(1),
                        letter => {
                            // After an erasure the column may be behind the end.
                            if letters.len() <= column {
                                letters.resize(column + 1, (' ', Look::default()));
                            }
                            letters[column] = (letter, *look);
                            column += 1;
                        }
                    }
                }
            }
        }
    }
    letters
}

/// A part of a line.
enum Piece<'a> {
    Text(&'a str),
    /// The parameters of a change of colours.
    Look(&'a str),
    /// The parameter of an erasure in the line.
    Erase(&'a str),
}

/// The parts of a line, without control sequences that have no meaning here.
fn pieces(line: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = line;
    std::iter::from_fn(move || {
        while !rest.is_empty() {
            match rest.find('\u{1b}') {
                Some(0) => {
                    let (piece, after) = sequence(&rest[1..]);
                    rest = after;
                    if piece.is_some() {
                        return piece;
                    }
                }
                found => {
                    let (text, after) = rest.split_at(found.unwrap_or(rest.len()));
                    rest = after;
                    return Some(Piece::Text(text));
                }
            }
        }
        None
    })
}

/// What the sequence behind an escape character means, and the text behind the sequence.
fn sequence(text: &str) -> (Option<Piece<'_>>, &str) {
    let mut letters = text.chars();
    match letters.next() {
        Some('[') => {
            let body = letters.as_str();
            let Some(end) = body.find(|c: char| !matches!(c, ' '..='?')) else { return (None, "") };
            let (parameters, rest) = body.split_at(end);
            // What is not a final character does not belong to the sequence.
            match rest.chars().next() {
                Some('m') => (Some(Piece::Look(parameters)), &rest[1..]),
                Some('K') => (Some(Piece::Erase(parameters)), &rest[1..]),
                Some('@'..='~') => (None, &rest[1..]),
                _ => (None, rest),
            }
        }
        // Titles, links and other texts for the terminal, up to the bell or the next escape.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            let body = letters.as_str();
            match body.find(['\u{7}', '\u{1b}']) {
                Some(end) => (None, body[end..].trim_start_matches('\u{7}').trim_start_matches("\u{1b}\\")),
                None => (None, ""),
            }
        }
        Some(' '..='/') => {
            (None, letters.as_str().trim_start_matches(|c| matches!(c, ' '..='/')).get(1..).unwrap_or(""))
        }
        Some('0'..='~') => (None, letters.as_str()),
        _ => (None, text),
    }
}

impl Look {
    fn change(&mut self, parameters: &str) {
        let mut numbers =
            parameters.split([';', ':']).map(|number| if number.is_empty() { Ok(0) } else { number.parse::<u16>() });
        while let Some(number) = numbers.next() {
            let Ok(number) = number else { continue };
            for (bit, (_, sets, ends)) in MANNERS.into_iter().enumerate() {
                if number == sets {
                    self.manners |= 1 << bit;
                } else if number == ends {
                    self.manners &= !(1 << bit);
                }
            }
            match number {
                0 => *self = Look::default(),
                7 => self.reversed = true,
                27 => self.reversed = false,
                30..=37 => self.ink = named(number - 30),
                38 => self.ink = of_many(&mut numbers).unwrap_or(self.ink),
                39 => self.ink = Colour::Usual,
                40..=47 => self.ground = named(number - 40),
                48 => self.ground = of_many(&mut numbers).unwrap_or(self.ground),
                49 => self.ground = Colour::Usual,
                90..=97 => self.ink = named(number - 90 + 8),
                100..=107 => self.ground = named(number - 100 + 8),
                _ => {}
            }
        }
    }
}

fn named(number: u16) -> Colour {
    u8::try_from(number).map_or(Colour::Usual, Colour::Named)
}

/// The colour whose parameters follow 38 or 48.
fn of_many<E>(numbers: &mut impl Iterator<Item = Result<u16, E>>) -> Option<Colour> {
    let mut next = || numbers.next()?.ok().and_then(|number| u8::try_from(number).ok());
    match next()? {
        2 => Some(Colour::Rgb(next()?, next()?, next()?)),
        5 => Some(match next()? {
            number @ 0..16 => Colour::Named(number),
            number @ 16..232 => {
                let level = |value: u8| if value == 0 { 0 } else { 55 + 40 * value };
                let number = number - 16;
                Colour::Rgb(level(number / 36), level(number / 6 % 6), level(number % 6))
            }
            number => {
                let grey = 8 + 10 * (number - 232);
                Colour::Rgb(grey, grey, grey)
            }
        }),
        _ => None,
    }
}

/// HTML with at most one span open.
struct Writer {
    html: String,
    open: Look,
}

impl Writer {
    fn write(&mut self, text: &str, look: Look) {
        if look != self.open {
            self.close();
            self.open(look);
        }
        escape(&mut self.html, text);
    }

    fn close(&mut self) {
        if self.open != Look::default() {
            self.html += "</span>";
            self.open = Look::default();
        }
    }

    fn open(&mut self, look: Look) {
        if look == Look::default() {
            return;
        }
        self.open = look;
        let (mut classes, mut style) = (String::new(), String::new());
        for (bit, (class, ..)) in MANNERS.into_iter().enumerate() {
            if look.manners & 1 << bit != 0 {
                classes += class;
                classes.push(' ');
            }
        }
        let (ink, ground) = if look.reversed { (look.ground, look.ink) } else { (look.ink, look.ground) };
        for (colour, class, property) in [(ink, "ansi", "color"), (ground, "ansi-on", "background")] {
            // Writing to a string does not fail.
            let _ = match colour {
                Colour::Usual if look.reversed => write!(classes, "{class}-reversed "),
                Colour::Usual => Ok(()),
                Colour::Named(number) => write!(classes, "{class}-{number} "),
                Colour::Rgb(red, green, blue) => write!(style, "{property}:#{red:02x}{green:02x}{blue:02x};"),
            };
        }
        self.html += "<span";
        for (name, value) in [("class", classes.trim_end()), ("style", style.trim_end_matches(';'))] {
            if !value.is_empty() {
                let _ = write!(self.html, " {name}=\"{value}\"");
            }
        }
        self.html.push('>');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        expected.assert_eq(&html(text));
    }

    #[test]
    fn colours_become_spans() {
        check("\u{1b}[31merror\u{1b}[0m: a < b", expect![[r#"<span class="ansi-1">error</span>: a &lt; b"#]]);
        check(
            "\u{1b}[1;38;5;12mblue\u{1b}[22m on",
            expect![[r#"<span class="ansi-bold ansi-12">blue</span><span class="ansi-12"> on</span>"#]],
        );
        check(
            "\u{1b}[38;5;208mo\u{1b}[48;2;1;2;3mn\u{1b}[m.",
            expect![[
                r#"<span style="color:#ff8700">o</span><span style="color:#ff8700;background:#010203">n</span>."#
            ]],
        );
        check(
            "\u{1b}[7mturned\u{1b}[31m red",
            expect![[
                r#"<span class="ansi-reversed ansi-on-reversed">turned</span><span class="ansi-reversed ansi-on-1"> red</span>"#
            ]],
        );
        check(
            "\u{1b}[32mtwo\nlines",
            expect![[r#"
            <span class="ansi-2">two
            lines</span>"#]],
        );
    }

    #[test]
    fn a_line_that_is_written_over_shows_its_last_state() {
        check(
            "10 %\r50 %\r100 %\ndone\r\n",
            expect![[r#"
            100 %
            done
        "#]],
        );
        check("a long line\rshort", expect!["shortg line"]);
        check("a long line\r\u{1b}[Kshort", expect!["short"]);
        check("a long line\r\u{1b}[2K\u{1b}[32mok", expect![[r#"<span class="ansi-2">ok</span>         "#]]);
        check("ab\u{8}c\r\u{1b}[31mx", expect![[r#"<span class="ansi-1">x</span>c"#]]);
    }

    #[test]
    fn other_sequences_are_left_out() {
        check("\u{1b}]8;;https://a\u{1b}\\link\u{1b}]8;;\u{7}.", expect!["link."]);
        check("\u{1b}[?25l\u{1b}[2Aup\u{1b}(B\u{1b}=", expect!["up"]);
        check("\u{1b}[31", expect![""]);
        check("\u{1b}[3é\u{1b}é\u{1b}", expect!["éé"]);
        check("\u{1b}[99999999;38;9;3m\u{1b}[38;5mx", expect![[r#"<span class="ansi-italic">x</span>"#]]);
    }
}
