//! What the pages have about a question: a name of NumPy, CuPy, SciPy or of ours, or words.
//!
//! The kernel has this file too, for `np.percentile?`. So it needs the standard library only.

use super::expressions::{
    Name, NamePlace, ROOTS, behind_roots, heads, is_same, mentions, names, subjects, uses_arrays, with_references,
    words_of_path,
};
use super::page::{CHEAT_SHEET, NAMES, Page, Row, SCIPY, code, only_code};
use super::words::{names_of_distribution, names_of_words};
use std::collections::HashSet;

/// More rows are not shown: a page that is longer is not read.
const MOST: usize = 12;

/// Of each name that words mean, so many.
const MOST_OF_EACH: usize = 3;

/// How many changes lead from one word to the other.
pub type Distance = fn(&str, &str) -> usize;

/// An answer.
#[derive(Default)]
pub struct Found {
    pub question: String,
    /// Whether the rows are those of names that the question means.
    pub is_meant: bool,
    /// Whether the pages have the question as a name. Otherwise the rows have its words.
    pub is_name: bool,
    /// Their expressions and ours, in Markdown.
    pub rows: Vec<(String, String)>,
    /// The number of rows that were left out.
    pub more: usize,
    /// Whether the rows use the arrays `a`, `b`, `i` and `mask`.
    pub has_arrays: bool,
    /// Calls with all keywords.
    pub calls: Vec<String>,
    /// NumPy's arguments that are not here, in Markdown, with the name.
    pub arguments: Vec<(String, String)>,
    /// Names that are absent, and why.
    pub absent: Vec<(String, String)>,
    /// Names like the one in question. If there is neither a row nor a reason, they are all names of a module.
    pub others: Vec<String>,
}

/// A name that is asked for.
struct Asked<'a> {
    path: Vec<&'a str>,
    /// Of an array: `a.argmax`.
    is_method: bool,
    /// One of ours: `gpu::percentile`.
    is_ours: bool,
}

/// Looks in the pages.
pub fn look_up(question: &str, distance: Distance) -> Found {
    let (names, scipy, sheet) = (Page::read(NAMES, false), Page::read(SCIPY, true), Page::read(CHEAT_SHEET, true));
    look_up_in(&[&names, &scipy, &sheet], question, distance)
}

/// Looks in these pages: in the later ones only if the earlier ones do not have the name.
pub fn look_up_in(pages: &[&Page<'_>], question: &str, distance: Distance) -> Found {
    let question = question.trim().trim_end_matches(['?', '!', ';']).trim_end();
    let mut found = Found { question: question.to_owned(), ..Found::default() };
    let known = known_names(pages);
    if let Some(names) =
        names_of_distribution(behind_roots(&words_of_path(question.split('(').next().unwrap_or(question))))
    {
        found.add_meant(pages, names);
        return found;
    }
    if let Some(asked) = asked(question, &known) {
        found.add_name(pages, &asked);
        let other_names = others(&known, &asked);
        // `np.fft` is the module, `fft` the function.
        let is_module = question.contains('.') && !names_of_module(&known, &asked.path).is_empty();
        if !(found.is_name || asked.is_ours || is_module) {
            // The module was left out, or is another one.
            for other in other_names.iter().map(String::as_str).chain(asked.path.last().copied()) {
                let words = words_of_path(other);
                found.add_name(pages, &Asked { path: behind_roots(&words).to_vec(), ..asked });
            }
        } else {
            found.others = other_names;
        }
        if !found.is_name && !asked.is_ours {
            found.others = names_of_module(&known, &asked.path);
            found.is_name = !found.others.is_empty();
        }
        if !found.is_name {
            found.others = nearest(&known, asked.path.last().copied().unwrap_or_default(), distance);
        }
    }
    // `np.average` is one name, and `average` may mean others, too.
    if !(found.is_name && question.contains(['.', ':', '(']))
        && let Some(names) = names_of_words(question)
    {
        found.add_meant(pages, names);
    }
    if !(found.is_name || found.is_meant) {
        found.add_words(pages);
    }
    found
}

/// Whether a path, in its words, is one that is asked for.
type PathTest<'a> = &'a dyn Fn(&[&str]) -> bool;

impl Found {
    /// Takes in these rows, as many as are shown.
    fn show<'a>(&mut self, rows: impl Iterator<Item = &'a Row<'a>>) {
        for row in rows {
            let theirs = row.theirs.clone();
            let ours = if row.is_typed { row.ours.clone() } else { with_references(&row.ours) };
            let is_shown = self.rows.iter().any(|shown| shown.0 == theirs && shown.1 == ours);
            if !is_shown && self.rows.len() < MOST {
                self.has_arrays |= !row.is_typed && code(&theirs).any(uses_arrays);
                self.rows.push((theirs, ours));
            } else if !is_shown {
                self.more += 1;
            }
        }
    }

    /// What the pages have about a name.
    fn add_name(&mut self, pages: &[&Page<'_>], asked: &Asked<'_>) {
        for page in pages {
            let own = names_with_rows(page);
            let mut rows: Vec<_> = page.rows.iter().filter_map(|row| Some((asked.fit(row, &own)?, row))).collect();
            // A row that only uses the name is shown if there is no other.
            let best = rows.iter().map(|((kind, _), _)| *kind).min();
            rows.retain(|((kind, _), _)| Some(*kind) == best);
            // What has few names and is short is simple.
            let functions = |row: &Row<'_>| {
                code(&row.theirs).flat_map(names).filter(|name| name.place == NamePlace::Module).count()
            };
            rows.sort_by_key(|((_, (rank, other)), row)| {
                (*rank, row.is_typed, functions(row), *other, row.theirs.len())
            });
            self.show(rows.into_iter().map(|(_, row)| row));
            let ours = self.ours().unwrap_or_default();
            let ours = words_of_path(&ours);
            // `np.lib.stride_tricks.sliding_window_view` has no modules here, and `np.concat` another name.
            let tests: [PathTest<'_>; 3] = [&|path| path == asked.path, &|path| asked.path.ends_with(path), &|path| {
                ours.first() == Some(&"gpu") && path == behind_roots(&ours)
            }];
            let of_calls = tests.iter().map(|test| {
                let calls = page.calls.iter().filter(|call| {
                    let path = words_of_path(call.split('!').next().unwrap_or_default());
                    test(behind_roots(&path))
                });
                calls.map(|call| (*call).to_owned()).collect::<Vec<_>>()
            });
            let of_calls = of_calls.into_iter().find(|calls| !calls.is_empty());
            add(&mut self.calls, of_calls.unwrap_or_default());
            let is_asked = |name: &str| {
                let path = words_of_path(name);
                let path = behind_roots(&path);
                path == asked.path || asked.is_method && path.last() == asked.path.last() && path.len() == 1
            };
            let of_name = |rows: &[(&str, &str)]| -> Vec<(String, String)> {
                let rows = rows.iter().filter(|(name, _)| !asked.is_ours && is_asked(name));
                rows.map(|(name, words)| ((*name).to_owned(), (*words).to_owned())).collect()
            };
            add(&mut self.arguments, of_name(&page.arguments));
            add(&mut self.absent, of_name(&page.absent));
            self.is_name = !(self.rows.is_empty() && self.absent.is_empty());
            if self.is_name {
                break;
            }
        }
    }

    /// What the pages have about names that the question means.
    fn add_meant(&mut self, pages: &[&Page<'_>], names: &str) {
        for name in names.split(' ') {
            let words = words_of_path(name);
            let is_method = words.first() == Some(&"a");
            let path = if is_method { words[1..].to_vec() } else { behind_roots(&words).to_vec() };
            let mut one = Found::default();
            one.add_name(pages, &Asked { path, is_method, is_ours: false });
            self.has_arrays |= one.has_arrays;
            let new: Vec<_> = one.rows.into_iter().filter(|row| !self.rows.contains(row)).take(MOST_OF_EACH).collect();
            self.rows.extend(new);
            add(&mut self.calls, one.calls);
        }
        self.is_meant = !(self.is_name || self.rows.is_empty());
        if self.is_meant {
            self.others.clear();
        }
    }

    /// Our function, as `gpu::percentile`, or our method, as `.argmax`: the first under the name in question, or else what the
    /// first row has.
    pub fn ours(&self) -> Option<String> {
        let last = words_of_path(self.question.split('(').next()?).last().copied()?;
        let code: Vec<&str> = self.rows.iter().filter_map(|(_, ours)| only_code(ours)).collect();
        let is_named = |name: &Name<'_>| is_same(name.last(), last);
        let named = code.iter().flat_map(|ours| heads(ours)).find(is_named);
        let named = named.or_else(|| code.iter().flat_map(|ours| names(ours)).find(is_named));
        let of_row = || {
            heads(code.first()?)
                .into_iter()
                .min_by_key(|head| (head.place != NamePlace::Module, head.place != NamePlace::Result))
        };
        let Name { path, place, .. } = named.or_else(of_row)?;
        Some(if place == NamePlace::Module {
            format!("gpu::{}", path.join("::"))
        } else {
            format!(".{}", path.join("."))
        })
    }

    /// Rows and names with all words of the question.
    fn add_words(&mut self, pages: &[&Page<'_>]) {
        let plain = |text: &str| text.to_lowercase().replace(['_', '`'], " ");
        let question = plain(&self.question);
        let words: Vec<&str> = question.split_whitespace().collect();
        if words.is_empty() {
            return;
        }
        let has_all = |text: &str| {
            let text = plain(text);
            words.iter().all(|word| text.contains(word))
        };
        let rows = || pages.iter().flat_map(|page| &page.rows);
        // A name says more than the rest of a row, and the row more than its topic.
        let tests: [&dyn Fn(&Row<'_>) -> bool; 3] = [
            &|row| code(&row.theirs).any(|theirs| subjects(theirs, &row.ours).iter().any(|name| has_all(name.text))),
            &|row| has_all(&format!("{} {}", row.theirs, row.ours)),
            &|row| has_all(&format!("{} {} {}", row.theirs, row.ours, row.topic)),
        ];
        if let Some(test) = tests.iter().find(|test| rows().any(test)) {
            self.show(rows().filter(|row| test(row)));
        }
        let absent =
            pages.iter().flat_map(|page| &page.absent).filter(|(name, reason)| has_all(&format!("{name} {reason}")));
        self.absent.extend(absent.map(|(name, reason)| ((*name).to_owned(), (*reason).to_owned())));
    }
}

/// Adds what is not there yet.
fn add<T: PartialEq>(list: &mut Vec<T>, more: impl IntoIterator<Item = T>) {
    for one in more {
        if !list.contains(&one) {
            list.push(one);
        }
    }
}

impl Asked<'_> {
    /// How well a row fits: whether it only uses the name, then how the name stands there, and whether ours has another name.
    /// `own` are the names that rows are about.
    fn fit(&self, row: &Row<'_>, own: &HashSet<String>) -> Option<(bool, (u8, bool))> {
        let ours: String = code(&row.ours).collect::<Vec<_>>().join("; ");
        if self.is_ours {
            let is_asked = |name: &Name<'_>| name.place == NamePlace::Module && name.path == self.path;
            let only_uses = !heads(&ours).iter().any(is_asked);
            return names(&ours).iter().any(is_asked).then_some((only_uses, (0, false)));
        }
        let last = self.path.last()?;
        let of_span = |theirs: &str| {
            let mut subjects = subjects(theirs, &ours);
            // `np.sort(np.roots(b))` is there for `np.roots`, if no other row is.
            let is_only_here = |name: &Name<'_>| {
                name.place == NamePlace::Module && name.is_called && !own.contains(&name.path.join("."))
            };
            if names(theirs).iter().any(is_only_here) {
                subjects = names(theirs);
                subjects.retain(is_only_here);
            }
            let of_name = |name: Name<'_>| {
                let is_path = name.path == self.path;
                let is_member = self.path.len() == 1 && name.last() == *last;
                let rank = match name.place {
                    NamePlace::Module if is_path => u8::from(self.is_method),
                    NamePlace::Variable if is_member => u8::from(!self.is_method),
                    NamePlace::Alone if is_path => 2,
                    NamePlace::Result if is_member => 3,
                    _ => return None,
                };
                let only_uses = rank == 3 || !subjects.iter().any(|subject| subject.path == name.path);
                Some((only_uses, (rank, !mentions(&ours, last))))
            };
            names(theirs).into_iter().filter_map(of_name).min()
        };
        code(&row.theirs).filter_map(of_span).min()
    }
}

/// The names in modules that rows of a page are about.
fn names_with_rows(page: &Page<'_>) -> HashSet<String> {
    let mut own = HashSet::new();
    for row in &page.rows {
        let ours = code(&row.ours).collect::<Vec<_>>().join("; ");
        let subjects = code(&row.theirs).flat_map(|theirs| subjects(theirs, &ours));
        own.extend(subjects.filter(|name| name.place == NamePlace::Module).map(|name| name.path.join(".")));
    }
    own
}

/// The names that the pages have, with their modules, such as `np.linalg.svd`.
fn known_names(pages: &[&Page<'_>]) -> Vec<String> {
    // `np.sort` and `cp.sort` are one name.
    let (mut known, mut paths) = (Vec::new(), HashSet::new());
    for page in pages {
        let of_rows = page.rows.iter().flat_map(|row| code(&row.theirs)).flat_map(names);
        let of_rows = of_rows.filter(|name| name.place == NamePlace::Module).map(|name| name.text);
        for name in of_rows.chain(page.absent.iter().map(|(name, _)| *name)) {
            let path = words_of_path(name);
            if paths.insert(behind_roots(&path).join(".")) {
                known.push(name.to_owned());
            }
        }
    }
    known
}

/// The name that a question is, if it is one.
fn asked<'a>(question: &'a str, known: &[String]) -> Option<Asked<'a>> {
    // `np.sort(a)` asks for `np.sort`.
    let name = question.split('(').next()?.trim_end_matches('!');
    let words = words_of_path(name);
    let is_word = |word: &&str| {
        let mut characters = word.chars();
        let is_letter = |character: char| character.is_ascii_alphabetic() || character == '_';
        characters.next().is_some_and(is_letter)
            && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
    };
    if words.is_empty() || !words.iter().all(is_word) {
        return None;
    }
    let is_ours = words.len() > 1 && words[0] == "gpu";
    let path = behind_roots(&words);
    let (last, module) = path.split_last()?;
    let has_module = |name: &String| {
        let words = words_of_path(name);
        behind_roots(&words).starts_with(module)
    };
    if is_ours || module.is_empty() || known.iter().any(has_module) {
        return Some(Asked { path: path.to_vec(), is_method: false, is_ours });
    }
    // The word in front is a variable, or a module that there is not.
    Some(Asked { path: vec![last], is_method: !ROOTS.contains(&words[0]), is_ours })
}

/// Names with the same last word.
fn others(known: &[String], asked: &Asked<'_>) -> Vec<String> {
    let is_other = |name: &&String| {
        let words = words_of_path(name);
        let path = behind_roots(&words);
        path.last() == asked.path.last() && path != asked.path
    };
    known.iter().filter(is_other).cloned().collect()
}

/// The names in a module.
fn names_of_module(known: &[String], module: &[&str]) -> Vec<String> {
    let is_in_module = |name: &&String| {
        let words = words_of_path(name);
        let path = behind_roots(&words);
        path.len() > module.len() && path.starts_with(module)
    };
    let mut names: Vec<String> = known.iter().filter(is_in_module).cloned().collect();
    names.sort();
    names
}

/// The names that are most like this word.
fn nearest(known: &[String], word: &str, distance: Distance) -> Vec<String> {
    let word = word.to_lowercase();
    let mut near: Vec<(usize, &String)> = known
        .iter()
        .filter_map(|name| {
            let last = words_of_path(name).last().copied().unwrap_or_default().to_lowercase();
            let is_part = word.len() > 3 && last.contains(&word) || last.len() > word.len() / 2 && word.contains(&last);
            let changes = distance(&last, &word);
            (is_part || changes <= word.len().div_ceil(3).min(3)).then_some((changes, name))
        })
        .collect();
    near.sort();
    near.into_iter().take(6).map(|(_, name)| name.clone()).collect()
}
