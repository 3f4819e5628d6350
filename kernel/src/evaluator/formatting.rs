//! A cell in the form that rustfmt gives it.

use crate::environment;
use crate::magics;
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

/// What stands around the code for rustfmt, which takes whole files.
const OPEN: &str = "fn main() {";
/// What stands for a line that is not Rust.
const MARK: &str = "//~ line of the cell ";

/// The code as rustfmt writes it. Lines with magics and commands stay as they are.
pub fn formatted(code: &str, rustfmt: &Path, directory: &Path) -> Result<String, String> {
    let lines = magics::lines_of_magics(code);
    let mut marked = String::new();
    let mut end = 0;
    for (number, line) in lines.iter().enumerate() {
        marked.push_str(&code[end..line.start]);
        marked.push_str(&format!("{MARK}{number}"));
        end = line.end;
    }
    marked.push_str(&code[end..]);
    let text = run(&format!("{OPEN}\n{marked}\n}}\n"), rustfmt, directory)?;
    Ok(restored(&inside(&text), &lines, code))
}

fn run(text: &str, rustfmt: &Path, directory: &Path) -> Result<String, String> {
    let missing = |error: std::io::Error| {
        format!("rustfmt cannot be started ({error}); get it with `rustup component add rustfmt`")
    };
    let mut command = Command::new(rustfmt);
    environment::restore_user(&mut command);
    command.args(["--edition", "2024", "--emit", "stdout"]).current_dir(directory);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(missing)?;
    let mut input = child.stdin.take().expect("it is piped");
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().map_err(missing)?;
    // What could not be written is said by the error below.
    let _ = writer.join();
    if output.status.success() {
        return String::from_utf8(output.stdout).map_err(|error| format!("rustfmt wrote no text: {error}"));
    }
    Err(problem(&String::from_utf8_lossy(&output.stderr)))
}

/// The first error of rustfmt, with the line of the cell.
fn problem(said: &str) -> String {
    let message = said.lines().find_map(|line| line.strip_prefix("error: ")).unwrap_or("it cannot be parsed");
    let place = said.lines().find_map(|line| line.trim_start().strip_prefix("--> <stdin>:"));
    let line = place.and_then(|place| place.split(':').next()?.parse::<usize>().ok());
    // The function begins on a line of its own.
    let line = line.map(|line| format!("line {}: ", line.saturating_sub(1).max(1))).unwrap_or_default();
    format!("{line}{message}; `%check` on the first line of the cell shows more")
}

/// The body of the function, without its indentation. Lines within strings have none.
fn inside(text: &str) -> String {
    let body = text.trim_end().strip_prefix(OPEN).and_then(|rest| rest.strip_suffix('}')).unwrap_or(text);
    let body = body.strip_prefix('\n').unwrap_or(body);
    let strings = magics::quoted(body);
    let mut result = String::with_capacity(body.len());
    let mut start = 0;
    for line in body.split_inclusive('\n') {
        let is_in_string = strings.iter().any(|string: &Range<usize>| string.start < start && start < string.end);
        let indentation = if line.starts_with('\t') { "\t" } else { "    " };
        result.push_str(if is_in_string { line } else { line.strip_prefix(indentation).unwrap_or(line) });
        start += line.len();
    }
    result.trim_end().to_owned()
}

/// The text with the lines of the cell in place of their marks.
fn restored(text: &str, lines: &[Range<usize>], code: &str) -> String {
    let restore = |line: &str| {
        let number = line.trim_start().strip_prefix(MARK).and_then(|number| number.trim_end().parse::<usize>().ok());
        number.and_then(|number| lines.get(number)).map(|range| code[range.clone()].to_owned())
    };
    let restored: Vec<String> = text.lines().map(|line| restore(line).unwrap_or_else(|| line.to_owned())).collect();
    restored.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(code: &str) -> Result<String, String> {
        let sysroot = Command::new("rustc").args(["--print", "sysroot"]).output().unwrap().stdout;
        let rustfmt = Path::new(String::from_utf8(sysroot).unwrap().trim()).join("bin/rustfmt");
        formatted(code, &rustfmt, tempfile::tempdir().unwrap().path())
    }

    #[test]
    fn statements_and_items_are_formatted() {
        let cell = "\nlet  v=vec![ 1,2 ];\nfn  f(x:i32)->i32{x+1}\n\n\n\n// what is shown\nf(v[0])";
        let wanted = "let v = vec![1, 2];\nfn f(x: i32) -> i32 {\n    x + 1\n}\n\n// what is shown\nf(v[0])";
        assert_eq!(format(cell).unwrap(), wanted);
        assert_eq!(format(wanted).unwrap(), wanted);
        assert_eq!(format("// nothing\n").unwrap(), "// nothing");
    }

    #[test]
    fn texts_keep_their_lines() {
        let cell = "let t=\"a\n    b\n  c\";\nlet r=r#\"\n    x\n\"#;";
        assert_eq!(format(cell).unwrap(), "let t = \"a\n    b\n  c\";\nlet r = r#\"\n    x\n\"#;");
    }

    #[test]
    fn lines_that_are_not_rust_stay() {
        let cell = ":dep  itertools\n!ls   -l\n%timeit  f( 1,\n   2 )\nlet  a=1;\n  %time  g( a )\na?\n";
        let wanted = ":dep  itertools\n!ls   -l\n%timeit  f( 1,\n   2 )\nlet a = 1;\n  %time  g( a )\na?";
        assert_eq!(format(cell).unwrap(), wanted);
    }

    #[test]
    fn errors_have_the_lines_of_the_cell() {
        let problem = format("\nlet a = 1;\nlet b = ;").unwrap_err();
        assert!(problem.starts_with("line 3: expected expression") && problem.ends_with("shows more"), "{problem}");
        let missing = formatted("1", Path::new("/nowhere/rustfmt"), Path::new("/")).unwrap_err();
        assert!(missing.contains("get it with `rustup component add rustfmt`"), "{missing}");
    }
}
