//! evcxr's `:commands` above the code of a cell: commands that must not reach evcxr unchanged, and settings that the
//! build step must know.
//!
//! evcxr does not check the values of most settings. After a wrong value every cell fails, even after `:clear`. Other
//! commands choose a compiler or a linker. Here the installation chooses them, but notebooks that were written for
//! evcxr_jupyter may contain such commands.

use crate::magics::Expansion;
use std::ops::Range;

/// What becomes of a command.
#[derive(Debug, PartialEq, Eq)]
enum CommandVerdict {
    /// evcxr does it.
    Pass,
    /// It has no effect here, and a text says so.
    NoEffect(String),
    /// It is wrong.
    Refused(String),
}

/// What becomes of a command with an argument.
fn judge(name: &str, argument: &str) -> CommandVerdict {
    match name {
        ":opt" => optimisation(argument),
        ":time_passes" => CommandVerdict::Refused(
            "`:time_passes` needs a nightly compiler; `%celltime` shows the parts of the last cell's time".to_owned(),
        ),
        ":linker" => is_chosen(argument, &["system", "lld"], "linker", "by the lld that comes with Rust"),
        ":codegen_backend" => is_chosen(argument, &["llvm"], "codegen backend", "by the compiler's own, LLVM"),
        ":toolchain" => {
            let whose = "by the compiler that Warpcell was installed with (`warpcell doctor` names it)";
            is_chosen(argument, &[], "toolchain", whose)
        }
        ":env" | ":build_env" => environment(name, argument),
        _ => CommandVerdict::Pass,
    }
}

/// The levels that evcxr writes into a manifest unchanged.
const LEVELS: [&str; 4] = ["0", "1", "2", "3"];

fn optimisation(level: &str) -> CommandVerdict {
    if level.is_empty() || LEVELS.contains(&level) {
        return CommandVerdict::Pass;
    }
    CommandVerdict::Refused(format!("`:opt` takes a level from 0 to 3, but got `{level}`: `:opt 2`"))
}

fn is_chosen(choice: &str, same: &[&str], what: &str, whose: &str) -> CommandVerdict {
    if choice.is_empty() || same.contains(&choice) {
        return CommandVerdict::Pass;
    }
    CommandVerdict::NoEffect(format!("{what}: `{choice}` has no effect, cells are built {whose}\n"))
}

/// Prefixes of the variables by which the kernel's processes find each other.
const OWN_VARIABLES: [&str; 2] = ["WARPCELL_", "EVCXR_"];

fn environment(command: &str, setting: &str) -> CommandVerdict {
    let Some((name, value)) = setting.split_once('=').filter(|(name, _)| !name.trim().is_empty()) else {
        return CommandVerdict::Refused(format!(
            "`{command}` takes a name and a value, but got `{setting}`: `{command} NAME=value`"
        ));
    };
    if setting.contains('\0') {
        return CommandVerdict::Refused(format!(
            "`{command}`: names and values cannot contain NUL: `{command} NAME=value`"
        ));
    }
    if OWN_VARIABLES.iter().any(|start| name.starts_with(start)) {
        return CommandVerdict::Refused(format!(
            "`{command}`: the kernel uses {name} itself; set it before the kernel starts, or for the cells only: `%env {name}={value}`"
        ));
    }
    CommandVerdict::Pass
}

/// The commands of a cell: the range of each, its name and its argument. evcxr takes commands only above any code.
pub fn commands(code: &str) -> impl Iterator<Item = (Range<usize>, &str, &str)> {
    let mut at = 0;
    let lines = code.split_inclusive('\n').map(move |line| {
        at += line.len();
        (at - line.len(), line.trim_end_matches(['\n', '\r']))
    });
    lines.take_while(|(_, line)| is_above_code(line)).filter(|(_, line)| is_command(line)).map(|(start, line)| {
        let (name, argument) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        (start..start + line.len(), name, argument.trim())
    })
}

/// Whether a line may stand above commands.
pub fn is_above_code(line: &str) -> bool {
    line.starts_with('!') || is_command(line) || is_blank(line)
}

/// Whether a line has nothing for evcxr.
pub fn is_blank(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with("//")
}

fn is_command(line: &str) -> bool {
    line.trim_start_matches(' ').starts_with(':')
}

/// Whether a cell has a command, such as `:clear`.
pub fn has(code: &str, name: &str) -> bool {
    commands(code).any(|(_, command, _)| command == name)
}

/// Whether a cell has a command.
pub fn has_any(code: &str) -> bool {
    commands(code).next().is_some()
}

/// Whether there is more than commands in a cell.
pub fn has_code(code: &str) -> bool {
    !code.lines().all(is_above_code)
}

/// Removes the commands that have no effect here, and returns the notes that are shown instead. No line moves.
///
/// # Errors
/// What is wrong with a command.
pub fn prepare(expansion: &mut Expansion) -> Result<Vec<String>, String> {
    let mut notes = Vec::new();
    let mut gone = Vec::new();
    for (place, name, argument) in commands(&expansion.code) {
        match judge(name, argument) {
            CommandVerdict::Pass => {}
            CommandVerdict::Refused(reason) => return Err(reason),
            CommandVerdict::NoEffect(text) => {
                notes.push(text);
                gone.push(place);
            }
        }
    }
    notes.extend(floored_quotients(&expansion.code));
    for place in gone {
        let blank = " ".repeat(place.len());
        expansion.code.replace_range(place, &blank);
    }
    Ok(notes)
}

/// Notes about lines such as `a // 2`, where Python divides and Rust has a comment.
fn floored_quotients(code: &str) -> Vec<String> {
    let quotients = code.lines().enumerate().filter_map(|(index, line)| {
        let (value, comment) = line.split_once("//")?;
        let divisor = comment.trim();
        let is_number = !divisor.is_empty() && divisor.chars().all(|digit| digit.is_ascii_digit() || digit == '.');
        let is_value = value.trim_end().ends_with(|last: char| last.is_alphanumeric() || last == ')' || last == ']');
        let value = value.trim().rsplit('=').next().unwrap_or_default().trim();
        // A minus belongs to what is divided.
        let is_digit = |character: char| character.is_ascii_digit();
        let of_integers = match value.strip_prefix('-') {
            Some(number) if number.chars().all(is_digit) => format!("({value}_i32).div_euclid({divisor})"),
            Some(_) => format!("({value}).div_euclid({divisor})"),
            None => format!("{value} / {divisor}"),
        };
        let value = if value.starts_with('-') { format!("({value})") } else { value.to_owned() };
        (is_number && is_value && !value.contains('"')).then(|| {
            format!(
                "note: line {}: `//` begins a comment in Rust; a floored quotient is `{value}.floor_divide({divisor})` of an array, \
                 and `{of_integers}` of integers\n",
                index + 1
            )
        })
    });
    quotients.collect()
}

/// What commands have set that the build step must know.
#[derive(Debug, Default)]
pub struct Settings {
    /// A format other than evcxr's usual one.
    has_format: bool,
    /// Whether the types of values are shown.
    shows_types: bool,
}

impl Settings {
    /// Records the settings that the commands of a finished cell have made.
    pub fn learn(&mut self, code: &str) {
        for (_, name, argument) in commands(code) {
            match name {
                ":fmt" => self.has_format = !matches!(argument, "" | "{:?}"),
                ":types" => self.shows_types = !self.shows_types,
                _ => {}
            }
        }
    }

    /// Whether evcxr itself must show values, because of `:fmt` or `:types`.
    pub fn show_by_evcxr(&self) -> bool {
        self.has_format || self.shows_types
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prepared(code: &str) -> Result<(String, Vec<String>), String> {
        let mut expansion = Expansion::default();
        expansion.code.push_str(code);
        let notes = prepare(&mut expansion)?;
        Ok((expansion.code, notes))
    }

    #[test]
    fn wrong_settings_do_not_reach_evcxr() {
        for code in [
            ":opt 99",
            ":opt fast",
            ":opt s",
            "  :opt -1",
            "// first\n\n!ls\n:opt 2x\n1",
            ":time_passes",
            ":env",
            ":env =",
            ":env =1",
            ":env A",
            ":env A=\0",
            ":build_env =1",
            ":env WARPCELL_SESSION=/",
            ":build_env EVCXR_TMPDIR=/",
        ] {
            assert!(prepared(code).is_err(), "{code}");
        }
        for code in [
            "",
            "1",
            ":opt",
            ":opt 3",
            ":linker lld",
            ":linker",
            ":env PATH=/",
            ":env A=",
            "let s = \"\n:opt 99\n\";",
            ":nothing x",
            ":vars",
        ] {
            assert_eq!(prepared(code), Ok((code.to_owned(), vec![])));
        }
    }

    #[test]
    fn what_has_no_effect_becomes_a_text() {
        let (code, notes) = prepared("// a\n:linker mold\n:dep x\n:toolchain nightly\n1").unwrap();
        assert_eq!(code, "// a\n            \n:dep x\n                  \n1");
        assert_eq!(notes.len(), 2);
        assert!(notes[0].starts_with("linker: `mold` has no effect"), "{notes:?}");
    }

    #[test]
    fn commands_stand_above_code_only() {
        assert!(has("// x\n\n  :clear\n1", ":clear") && has(":opt 2\n:clear", ":clear"));
        assert!(!has_code("// x\n\n:vars") && has_code(":vars\n1"));
        assert!(!has("let s = \"\n:clear\n\";", ":clear") && !has(":clearly", ":clear"));
    }

    #[test]
    fn settings_follow_the_commands() {
        let mut settings = Settings::default();
        let mut after = |code: &str| {
            settings.learn(code);
            settings.show_by_evcxr()
        };
        assert!(!after(":fmt {:?}\n1") && after(":fmt {:#?}") && !after(":fmt") && after(":types") && !after(":types"));
    }
}
