//! Formulas of a page: TeX becomes MathML, which browsers show without a script.

use super::escape::escaped;
use math_core::{LatexToMathML, MathDisplay};
use std::borrow::Cow;

/// The longest formula that is set. The parser calls itself, so a formula that never ends must not reach it.
const LONGEST: usize = 10_000;
/// The most levels of brackets and commands inside each other.
const DEEPEST: usize = 100;

/// The stack of the thread that sets formulas: the parser needs some kilobytes for each of its calls, and a thread has 2 MB.
const STACK: usize = 64 << 20;

/// Runs what sets formulas, with room for the parser's calls.
pub fn with_room<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run);
        let thread = thread.expect("a thread can be started");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// The formulas of one page, with the numbers of its equations.
#[derive(Default)]
pub struct Formulas {
    converter: LatexToMathML,
}

impl Formulas {
    /// A formula in a line of text.
    pub fn inline(&mut self, tex: &str) -> String {
        self.set(tex, MathDisplay::Inline)
            .unwrap_or_else(|| format!("<code class=\"tex\">{}</code>", escaped(tex.trim())))
    }

    /// A formula of its own.
    pub fn display(&mut self, tex: &str) -> String {
        let set = self.set(tex, MathDisplay::Block);
        let html = set.unwrap_or_else(|| format!("<code class=\"tex\">{}</code>", escaped(tex.trim())));
        format!("<span class=\"formula\">{html}</span>")
    }

    /// An output in TeX, with or without the signs around it.
    pub fn output(&mut self, latex: &str) -> String {
        let latex = latex.trim();
        for (opening, closing) in [("$$", "$$"), ("\\[", "\\]"), ("$", "$")] {
            let inside = latex.strip_prefix(opening).and_then(|rest| rest.strip_suffix(closing));
            if let Some(inside) = inside.filter(|inside| !inside.contains('$')) {
                return if opening == "$" { self.inline(inside) } else { self.display(inside) };
            }
        }
        self.display(latex)
    }

    fn set(&mut self, tex: &str, display: MathDisplay) -> Option<String> {
        if tex.len() > LONGEST || depth(tex) > DEEPEST {
            return None;
        }
        let set = self.converter.convert_with_global_state(tex, display).ok()?.mathml;
        is_mathml(&set).then_some(set)
    }
}

/// The elements of a formula.
const ELEMENTS: [&str; 32] = [
    "annotation",
    "code",
    "maction",
    "math",
    "menclose",
    "merror",
    "mfrac",
    "mi",
    "mmultiscripts",
    "mn",
    "mo",
    "mover",
    "mpadded",
    "mphantom",
    "mprescripts",
    "mroot",
    "mrow",
    "ms",
    "mspace",
    "msqrt",
    "mstyle",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
    "semantics",
    "span",
];

/// Whether HTML is one formula and nothing else. The crate does not escape all that it takes from a formula, such as the names of
/// operators, so a formula could end its element or begin a script.
fn is_mathml(html: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        // Outside of the element there is nothing.
        if open.is_empty() && (at > 0 || rest.len() < html.len()) {
            return false;
        }
        rest = &rest[at + 1..];
        let is_end = rest.starts_with('/');
        rest = rest.strip_prefix('/').unwrap_or(rest);
        let name = &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len())];
        rest = &rest[name.len()..];
        if !ELEMENTS.contains(&name) || (open.is_empty() && name != "math") {
            return false;
        }
        while let Some((attribute, after)) = rest.strip_prefix(' ').and_then(|rest| rest.split_once("=\"")) {
            let Some((value, after)) = after.split_once('"') else { return false };
            let is_plain = attribute.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            let is_harmless = !attribute.starts_with("on") && !["href", "src"].contains(&attribute);
            if !is_plain || !is_harmless || value.contains(['<', '>']) || value.contains("url") {
                return false;
            }
            rest = after;
        }
        let is_alone = rest.starts_with('/');
        let Some(after) = rest.strip_prefix('/').unwrap_or(rest).strip_prefix('>') else { return false };
        rest = after;
        if is_end && open.pop() != Some(name) {
            return false;
        }
        if !is_end && !is_alone {
            open.push(name);
        }
    }
    open.is_empty() && rest.is_empty() && !html.is_empty()
}

/// An upper bound of how deep the parts of a formula are inside each other. A command without braces takes the next one as its
/// argument, so each in a row counts.
fn depth(tex: &str) -> usize {
    let (mut depth, mut deepest, mut commands) = (0_usize, 0, 0);
    let mut letters = tex.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            '\\' | '^' | '_' => commands += 1,
            _ => {}
        }
        if letter == '\\' {
            // The command's name, or an escaped sign.
            letters.next();
            while letters.peek().is_some_and(char::is_ascii_alphabetic) {
                letters.next();
            }
        } else if !matches!(letter, '^' | '_') && !letter.is_whitespace() {
            commands = 0;
        }
        deepest = deepest.max(depth + commands);
    }
    deepest
}

/// Markdown with each formula of several lines on one line, as `$$…$$`. Otherwise a line of a formula that begins with a minus
/// would be a list. `\begin{align}` needs no signs around it in a notebook.
pub fn on_one_line(markdown: &str) -> Cow<'_, str> {
    if !markdown.contains(['$', '\\']) {
        return Cow::Borrowed(markdown);
    }
    let mut text = String::with_capacity(markdown.len());
    let mut rest = markdown;
    let mut is_row = false;
    let mut ends = markdown.match_indices("\\end{").map(|(at, _)| at).peekable();
    // The next place where an environment could end that begins here.
    let mut next_end = |place: usize| {
        while ends.next_if(|end| *end < place).is_some() {}
        ends.peek().copied().filter(|end| end - place < LONGEST)
    };
    while !rest.is_empty() {
        if text.is_empty() || text.ends_with('\n') {
            let fenced = fenced_length(rest);
            text.push_str(&rest[..fenced]);
            rest = &rest[fenced..];
            is_row = rest.trim_start().starts_with('|');
        }
        let plain = rest.find(['`', '\\', '$', '\n']).unwrap_or(rest.len());
        text.push_str(&rest[..plain]);
        rest = &rest[plain..];
        let Some(sign) = rest.chars().next() else { break };
        let length = match sign {
            '`' => code_length(rest),
            '\\' => match next_end(markdown.len() - rest.len()).and_then(|_| environment_length(rest)) {
                Some(length) => {
                    write_formula(&mut text, &rest[..length]);
                    rest = &rest[length..];
                    continue;
                }
                None => 1 + rest[1..].chars().next().filter(|next| *next != '\n').map_or(0, char::len_utf8),
            },
            '$' if rest.starts_with("$$") => match beginning(&rest[2..]).find("$$") {
                // In a quotation each line has its sign, which is not a part of the formula.
                Some(length) if !rest[2..2 + length].contains("\n>") => {
                    write_formula(&mut text, &rest[2..2 + length]);
                    rest = &rest[2 + length + 2..];
                    continue;
                }
                _ => 2,
            },
            '$' => match inline_length(rest) {
                Some(length) if is_row => {
                    // A bar would end the column.
                    let formula = rest[..length - 1].replace("\\|", "\\Vert ").replace('|', "\\vert ");
                    text.push_str(formula.trim_end());
                    text.push_str(if formula.ends_with(' ') { "{}$" } else { "$" });
                    rest = &rest[length..];
                    continue;
                }
                found => found.unwrap_or(1),
            },
            _ => 1,
        };
        text.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Cow::Owned(text)
}

fn write_formula(text: &mut String, tex: &str) {
    text.push_str("$$");
    for (index, line) in tex.lines().enumerate() {
        let comment =
            line.match_indices('%').find(|(at, _)| !line[..*at].ends_with('\\')).map_or(line.len(), |(at, _)| at);
        if index > 0 {
            text.push(' ');
        }
        text.push_str(line[..comment].trim());
    }
    text.push_str("$$");
}

/// The length of the code between fences that begins here; 0 if none does.
fn fenced_length(text: &str) -> usize {
    let bare = |line: &'_ str| line.trim_start_matches([' ', '\t', '>', '-', '*']).trim_end().to_owned();
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next() else { return 0 };
    let opening = bare(first);
    let Some(sign) = opening.chars().next().filter(|sign| matches!(sign, '`' | '~')) else { return 0 };
    let count = opening.chars().take_while(|c| *c == sign).count();
    if count < 3 || (sign == '`' && opening[count..].contains('`')) {
        return 0;
    }
    let mut length = first.len();
    for line in lines {
        length += line.len();
        let closing = bare(line);
        if closing.len() >= count && closing.chars().all(|c| c == sign) {
            break;
        }
    }
    length
}

/// The length of the code between backticks that begins here, or of the backticks.
fn code_length(text: &str) -> usize {
    let count = text.chars().take_while(|c| *c == '`').count();
    let paragraph = beginning(text);
    let paragraph = &paragraph[..paragraph.find("\n\n").unwrap_or(paragraph.len())];
    let mut at = count.min(paragraph.len());
    while let Some(found) = paragraph[at..].find('`') {
        let start = at + found;
        let length = paragraph[start..].chars().take_while(|c| *c == '`').count();
        at = start + length;
        if length == count {
            return at;
        }
    }
    count
}

/// The length of `\begin{…}…\end{…}` at the start.
fn environment_length(text: &str) -> Option<usize> {
    let text = beginning(text);
    let name = text.strip_prefix("\\begin{")?.split_once('}')?.0;
    let end = format!("\\end{{{name}}}");
    Some(text.find(&end)? + end.len())
}

/// As much of a text as a formula may be long. Where many begin and none ends, the rest of the text is not read for each.
fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// The length of `$…$` at the start.
fn inline_length(text: &str) -> Option<usize> {
    let end = 1 + beginning(text)[1..].find('$')?;
    let inside = &text[1..end];
    (!inside.is_empty() && !inside.contains("\n\n") && inside.trim() == inside && !inside.ends_with('\\'))
        .then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn formulas_become_mathml_and_others_stay_tex() {
        let mut formulas = Formulas::default();
        expect![[r#"<math><mfrac><mn>1</mn><mi>σ</mi></mfrac></math>"#]]
            .assert_eq(&formulas.inline("\\frac{1}{\\sigma}"));
        expect![[r#"<code class="tex">\nonsense{&lt;b&gt;}</code>"#]].assert_eq(&formulas.inline("\\nonsense{<b>}"));
        assert!(formulas.display("\\begin{align} a &= b \\\\ c &= d \\end{align}").contains("<mtable"));
        for output in ["$\\displaystyle x^2$", "$$x^2$$", "\\[ x^2 \\]", "x^2", "\\begin{equation}x^2\\end{equation}"] {
            assert!(formulas.output(output).contains("<msup>"), "{output}");
        }
    }

    #[test]
    fn hostile_formulas_stay_text() {
        with_room(hostile_formulas);
    }

    fn hostile_formulas() {
        let mut formulas = Formulas::default();
        for tex in [
            "\\text{</math><script>}",
            "</math><script>",
            "\\mathrm{<script>}",
            "\\color{\"><script>}x",
            "\\href{javascript:a}{x}",
            "\\operatorname{<script>}",
            "\\begin{<script>}\\end{<script>}",
            "\\tag{<script>} x",
            "\\label{<script>} \\ref{<script>}",
            "\\unicode{<script>}",
            "&<script>",
        ] {
            let html = formulas.display(tex);
            assert!(!html.contains("<script") && !html.contains("href="), "{html}");
            assert_eq!(html.matches("</math>").count(), html.matches("<math").count(), "{html}");
        }
        for tex in [
            "{".repeat(20_000),
            "\\sqrt".repeat(1_500),
            "\\left(".repeat(1_000),
            "a^".repeat(4_000),
            "\\begin{matrix}".repeat(300),
            "\\hat ".repeat(1_000),
            "x'".repeat(4_000),
            "\\big".repeat(1_000),
        ] {
            assert!(formulas.inline(&tex).len() >= 9);
        }
    }

    #[test]
    fn a_formula_is_one_element() {
        for html in ["<math><mi class=\"a\">x</mi><mspace width=\"1em\"/></math>", "<math display=\"block\"></math>"] {
            assert!(is_mathml(html), "{html}");
        }
        for html in [
            "",
            "x",
            "<math>",
            "<math></math>x",
            "<math></math><math></math>",
            "x<math></math>",
            "<mi>x</mi>",
            "<math><mi></math></mi>",
            "<math><script></script></math>",
            "<math onload=\"a\"></math>",
            "<math><mi href=\"a\">x</mi></math>",
            "<math x>",
            "<math x=y></math>",
            "<math><mo><!--</mo></math>",
            "<math><mi style=\"a:url(b)\"></mi></math>",
            "<math><mi class=\"a></mi></math>",
        ] {
            assert!(!is_mathml(html), "{html}");
        }
    }

    #[test]
    fn a_formula_of_several_lines_is_put_on_one() {
        let cases = [
            ("a\n$$\nx\n- y % why\n= 50\\% z\n$$\nb", "a\n$$ x - y = 50\\% z$$\nb"),
            ("\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}", "$$\\begin{align} a &= b \\\\ c &= d \\end{align}$$"),
            (
                "`$$\n$$` \\$$x$ and $5\n```\n$$\n- a\n$$\n```\n$$\n- b$$",
                "`$$\n$$` \\$$x$ and $5\n```\n$$\n- a\n$$\n```\n$$ - b$$",
            ),
            ("> $$\n> x\n> $$", "> $$\n> x\n> $$"),
            ("| $|x|$ | $\\|y\\|_2$ |\n$|z|$", "| $\\vert x\\vert{}$ | $\\Vert y\\Vert _2$ |\n$|z|$"),
            ("$$ open\n\\begin{a} `open\n```\n", "$$ open\n\\begin{a} `open\n```\n"),
            ("é\\é\\", "é\\é\\"),
        ];
        for (markdown, expected) in cases {
            assert_eq!(on_one_line(markdown), expected);
        }
    }
}
