//! What the pages about NumPy's and SciPy's names say: the rows of their tables, the calls with keywords, and the names that are absent.
//!
//! The kernel has this file too, for `np.percentile?`. So it needs the standard library only.

/// The page with all names; prelude/tests/integration/names.rs writes it.
pub const NAMES: &str = include_str!("../../NUMPY.md");
/// The page with the names of SciPy's modules; prelude/tests/integration/names/scipy.rs writes it.
pub const SCIPY: &str = include_str!("../../SCIPY.md");
/// The page with what else differs, such as devices and streams.
pub const CHEAT_SHEET: &str = include_str!("../../../lessons/cheat-sheet.md");

/// The sections of the first page that are not tables of expressions.
const CALLS: &str = "Optional arguments";
const ARGUMENTS: &str = "Arguments that differ";
const ABSENT: &str = "Absent";
const COUNTS: &str = "Counts";
/// The section of the cheat sheet whose lines do not compile.
const REFUSED: &str = "Found before it runs";

/// A row of a table, or a point of a list, in Markdown.
#[derive(Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// The section that it is in.
    pub topic: &'a str,
    pub theirs: String,
    pub ours: String,
    /// Whether ours is as it is typed. In the tables of the page of names, arrays are references.
    pub is_typed: bool,
}

/// What a page has.
#[derive(Default)]
pub struct Page<'a> {
    pub rows: Vec<Row<'a>>,
    /// Calls with all keywords: `gpu::percentile!(a, q, axis = …, keepdims = …)`.
    pub calls: Vec<&'a str>,
    /// Names, and the arguments that they do not have here.
    pub arguments: Vec<(&'a str, &'a str)>,
    /// Names, and why they are absent.
    pub absent: Vec<(&'a str, &'a str)>,
}

impl<'a> Page<'a> {
    /// `is_typed`: whether the tables have our lines as they are typed.
    pub fn read(text: &'a str, is_typed: bool) -> Page<'a> {
        let mut page = Page::default();
        let mut topic = "";
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            if let Some(title) = line.strip_prefix("## ") {
                topic = title;
            }
            match topic {
                "" | COUNTS | REFUSED => {}
                CALLS if line.starts_with("gpu::") => page.calls.push(line),
                CALLS => {}
                ARGUMENTS => page.arguments.extend(of_name(line)),
                ABSENT => page.absent.extend(of_name(line)),
                _ if line.starts_with("| `") => {
                    // Within code, a bar is written with a backslash.
                    let line = line.replace("\\|", "\u{1}");
                    let mut cells = line.split('|').skip(1).map(|cell| cell.trim().replace('\u{1}', "|"));
                    if let (Some(theirs), Some(ours)) = (cells.next(), cells.next()) {
                        page.rows.push(Row { topic, theirs, ours, is_typed });
                    }
                }
                _ => {
                    let Some(first) = line.strip_prefix("- ") else { continue };
                    let mut point = first.to_owned();
                    while let Some(more) = lines.next_if(|line| line.starts_with("  ")) {
                        point = point + " " + more.trim();
                    }
                    if let Some((theirs, ours)) = around_colon(&point) {
                        page.rows.push(Row { topic, theirs: theirs.to_owned(), ours: ours.to_owned(), is_typed: true });
                    }
                }
            }
        }
        page
    }
}

/// A row that begins with a name: `| np.name | words |`.
fn of_name(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix("| np.").or_else(|| line.strip_prefix("| scipy."))?;
    line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")
}

/// The parts before and behind the first colon that is not in code.
fn around_colon(text: &str) -> Option<(&str, &str)> {
    let is_in_code = |at: usize| text[..at].matches('`').count() % 2 == 1;
    let (at, colon) = text.match_indices(": ").find(|(at, _)| !is_in_code(*at))?;
    Some((&text[..at], &text[at + colon.len()..]))
}

/// The pieces of code in Markdown.
pub fn code(markdown: &str) -> impl Iterator<Item = &str> {
    markdown.split('`').skip(1).step_by(2)
}

/// The code of a cell that is nothing else.
pub fn only_code(markdown: &str) -> Option<&str> {
    let inner = markdown.strip_prefix('`')?.strip_suffix('`')?;
    (!inner.contains('`')).then_some(inner)
}
