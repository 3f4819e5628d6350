//! The options of `%timeit`, parsed as IPython parses them, and their form in Rust.

/// What `%timeit` was asked to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    loops: Option<u64>,
    repeat: Option<u64>,
    precision: Option<u64>,
    cpu: bool,
    quiet: bool,
    /// `-o`: the result is the value.
    pub output: bool,
    /// `-v`: the variable that gets the result.
    pub variable: Option<String>,
}

impl Options {
    /// Parses the options at the start of `arguments`. Returns them and the byte at which the statement begins.
    pub fn parse(arguments: &str) -> Result<(Options, usize), String> {
        let mut options = Options::default();
        let mut at = skip_blanks(arguments, 0);
        // Only the first line has options: a statement may go on below.
        let line_end = arguments.find('\n').unwrap_or(arguments.len());
        while arguments[at..].starts_with('-') {
            let word_end = word_end(arguments, at, line_end);
            let word = &arguments[at..word_end];
            at = skip_blanks(arguments, word_end);
            if word == "--" {
                break;
            }
            let letters = &word[1..];
            if letters.is_empty() {
                return Err("there is no option `-`; write `--` before a statement that starts with a minus".into());
            }
            for (index, letter) in letters.char_indices() {
                match letter {
                    't' => options.cpu = false,
                    'c' => options.cpu = true,
                    'q' => options.quiet = true,
                    'o' => options.output = true,
                    'n' | 'r' | 'p' | 'v' => {
                        let attached = &letters[index + 1..];
                        let value = if attached.is_empty() {
                            let end = self::word_end(arguments, at, line_end);
                            let value = &arguments[at..end];
                            at = skip_blanks(arguments, end);
                            value
                        } else {
                            attached
                        };
                        options.set(letter, value)?;
                        break;
                    }
                    other => {
                        return Err(format!(
                            "there is no option `-{other}`; write `--` before a statement that starts with a minus"
                        ));
                    }
                }
            }
        }
        Ok((options, at))
    }

    fn set(&mut self, letter: char, value: &str) -> Result<(), String> {
        if value.is_empty() {
            return Err(format!("`-{letter}` needs a value"));
        }
        if letter == 'v' {
            let starts_well = value.starts_with(|c: char| c.is_alphabetic() || c == '_') && value != "_";
            if !starts_well || !value.chars().all(crate::syntax::is_word) {
                return Err(format!("`-v` needs the name of a variable, not `{value}`"));
            }
            self.variable = Some(value.to_string());
            return Ok(());
        }
        let least = if letter == 'r' { 1 } else { 0 };
        let most = if letter == 'p' { 100 } else { u64::MAX };
        let number = value.replace('_', "").parse::<u64>().ok().filter(|number| (least..=most).contains(number));
        let Some(number) = number else {
            let range = match letter {
                'r' => "a whole number from 1",
                'p' => "a whole number up to 100",
                _ => "a whole number",
            };
            return Err(format!("`-{letter}` needs {range}, not `{value}`"));
        };
        match letter {
            // As in IPython, zero stands for the automatic choice.
            'n' => self.loops = Some(number).filter(|&loops| loops > 0),
            'r' => self.repeat = Some(number),
            _ => self.precision = Some(number),
        }
        Ok(())
    }

    /// The options as an expression of the prelude's type.
    pub fn to_rust(&self) -> String {
        let mut code = "warpcell::timing::TimeitOptions::new()".to_string();
        for (name, value) in [("loops", self.loops), ("repeat", self.repeat), ("precision", self.precision)] {
            if let Some(value) = value {
                code += &format!(".{name}({value})");
            }
        }
        for (name, set) in [("cpu_time", self.cpu), ("quiet", self.quiet)] {
            if set {
                code += &format!(".{name}()");
            }
        }
        code
    }
}

/// Where the blanks end that begin at `from`.
pub(super) fn skip_blanks(text: &str, from: usize) -> usize {
    from + text[from..].find(|c| c != ' ' && c != '\t').unwrap_or(text.len() - from)
}

/// Where the word ends that begins at `from`.
pub(super) fn word_end(text: &str, from: usize, line_end: usize) -> usize {
    from.max(line_end).min(from + text[from..].find(char::is_whitespace).unwrap_or(text.len() - from))
}
