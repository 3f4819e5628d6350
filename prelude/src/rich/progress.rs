//! [`progress()`]: a bar that shows how far a loop is.

use super::{MimeBundle, escaped, new_id};
use crate::number::general;
use crate::output;
use crate::setters::setters;
use std::fmt;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// A bar is drawn at most so often.
const INTERVAL: Duration = Duration::from_millis(100);
/// How many characters a bar of text has.
const COLUMNS: usize = 24;
/// How much the last interval counts for the rate that is shown, against those before it.
const SMOOTHING: f64 = 0.3;

/// Goes through the items and shows how far it is: a bar, the items done and their number, the time taken and left, and
/// the items a second.
///
/// `items`: whatever a `for` loop takes. Their number is what the iterator knows of it, or what [`Progress::total`] says;
/// without it there is no time left and no percentage.
///
/// In a notebook the bar moves where it stands, ten times a second at most; in a terminal it is one line on standard
/// error. It stops with the loop, also with one that `break`, `?` or a panic ends.
///
/// ```
/// use warpcell as gpu; // in a notebook, this is done already
///
/// let mut sum = 0;
/// for number in gpu::progress(1..=100) {
///     sum += number;
/// }
/// assert_eq!(sum, 5050);
///
/// let words = ["a", "b"];
/// let longest = gpu::progress(words.iter().filter(|word| word.len() == 1)).label("words").total(2).count();
/// assert_eq!(longest, 2);
/// ```
pub fn progress<I: IntoIterator>(items: I) -> Progress<I::IntoIter> {
    let items = items.into_iter();
    let total = match items.size_hint() {
        (least, Some(most)) if least == most => Some(most as u64),
        _ => None,
    };
    Progress { items, bar: Bar::new(total) }
}

/// An iterator that shows how far it is. See [`progress()`].
pub struct Progress<I> {
    items: I,
    bar: Bar,
}

impl<I> Progress<I> {
    setters! {
        /// Writes a text before the bar.
        ///
        /// ```
        /// for _ in warpcell::progress(0..3).label("epochs") {}
        /// ```
        pub fn label(label: impl Into<String>) => bar.label = label.into();

        /// Sets the number of items, where the iterator does not know it.
        ///
        /// ```
        /// let mut left = 3;
        /// for _ in warpcell::progress(std::iter::from_fn(|| { left -= 1; (left > 0).then_some(left) })).total(2) {}
        /// ```
        pub fn total(total: u64) => bar.total = Some(total);
    }
}

impl<I: Iterator> Iterator for Progress<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        crate::cell::check();
        self.bar.step();
        let item = self.items.next();
        if item.is_none() {
            self.bar.finish();
        }
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

impl<I> fmt::Debug for Progress<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.bar.line(Instant::now()))
    }
}

/// What does not depend on the items.
struct Bar {
    label: String,
    total: Option<u64>,
    done: u64,
    /// The loop, from its first step to its end.
    begun: Option<Drawn>,
    finished: bool,
}

/// What is known of a bar that has been drawn.
struct Drawn {
    start: Instant,
    id: String,
    last: Instant,
    last_done: u64,
    /// Items a second, of late.
    rate: Option<f64>,
}

impl Bar {
    fn new(total: Option<u64>) -> Bar {
        Bar { label: String::new(), total, done: 0, begun: None, finished: false }
    }

    /// The loop asks for its next item: the one before is done.
    fn step(&mut self) {
        let now = Instant::now();
        if self.begun.is_none() {
            self.begun = Some(Drawn { start: now, id: new_id(), last: now, last_done: 0, rate: None });
            self.show(now, false);
        } else if !self.finished && self.advance(now) {
            self.show(now, true);
        }
    }

    /// Counts an item; whether the bar is to be drawn.
    fn advance(&mut self, now: Instant) -> bool {
        self.done += 1;
        let Some(drawn) = &mut self.begun else { return false };
        let interval = now - drawn.last;
        if interval < INTERVAL {
            return false;
        }
        let recent = (self.done - drawn.last_done) as f64 / interval.as_secs_f64();
        drawn.rate = Some(drawn.rate.map_or(recent, |rate| rate + SMOOTHING * (recent - rate)));
        (drawn.last, drawn.last_done) = (now, self.done);
        true
    }

    fn finish(&mut self) {
        if self.begun.is_some() && !self.finished {
            self.finished = true;
            self.show(Instant::now(), true);
        }
    }

    fn show(&self, now: Instant, update: bool) {
        let Some(drawn) = &self.begun else { return };
        if output::in_kernel() {
            let bundle = MimeBundle::new().text(self.line(now)).html(self.html(now));
            output::progress(&bundle.into_data(), &drawn.id, update, self.finished);
        } else {
            self.write(&mut std::io::stderr().lock(), std::io::stderr().is_terminal(), now);
        }
    }

    /// In a program: a line that the next one overwrites; in a file only the last one.
    fn write(&self, stderr: &mut dyn Write, is_terminal: bool, now: Instant) {
        // A closed standard error must not end the user's program.
        let _ = match (is_terminal, self.finished) {
            (true, false) => write!(stderr, "\r{}\x1b[K", self.line(now)),
            (true, true) => writeln!(stderr, "\r{}\x1b[K", self.line(now)),
            (false, true) => writeln!(stderr, "{}", self.line(now)),
            (false, false) => Ok(()),
        };
    }

    /// The share that is done, from 0 to 1.
    fn share(&self) -> Option<f64> {
        match self.total {
            Some(0) => Some(1.0),
            Some(total) => Some((self.done as f64 / total as f64).min(1.0)),
            None => None,
        }
    }

    /// Items, times and rate.
    fn facts(&self, now: Instant) -> String {
        let counted = match self.total {
            Some(total) => format!("{}/{total}", self.done),
            None => self.done.to_string(),
        };
        let Some(drawn) = &self.begun else { return counted };
        let elapsed = (now - drawn.start).as_secs_f64();
        let average = (self.done > 0 && elapsed > 0.0).then(|| self.done as f64 / elapsed);
        let rate = if self.finished { average } else { drawn.rate.or(average) };
        let left = match (self.total, rate) {
            (Some(total), Some(rate)) if !self.finished && total > self.done => {
                format!("<{}", clock((total - self.done) as f64 / rate))
            }
            _ => String::new(),
        };
        let rate = rate.map_or_else(String::new, |rate| format!(", {}", per_second(rate)));
        format!("{counted} [{}{left}{rate}]", clock(elapsed))
    }

    /// The bar as a line of text.
    fn line(&self, now: Instant) -> String {
        let label = if self.label.is_empty() { String::new() } else { format!("{}: ", self.label) };
        let facts = self.facts(now);
        match self.share() {
            Some(share) => format!("{label}{:3.0}%|{}| {facts}", (100.0 * share).floor(), blocks(share)),
            None => format!("{label}{facts}"),
        }
    }

    /// The bar as HTML. Its colour says whether all is done, and whether the loop ended before.
    fn html(&self, now: Instant) -> String {
        let (value, percent) = match self.share() {
            Some(share) => (format!(" max=1 value={share:.4}"), format!("{:.0}% ", (100.0 * share).floor())),
            // Without a number the bar only shows that something happens.
            None if self.finished => (" max=1 value=1".to_owned(), String::new()),
            None => (String::new(), String::new()),
        };
        let color = match (self.finished, self.share()) {
            (false, _) => "#1e88e5",
            (true, Some(share)) if share < 1.0 => "#e53935",
            (true, _) => "#43a047",
        };
        format!(
            "<div style=\"display:flex;align-items:center;gap:0.7em\"><span>{}</span>\
             <progress{value} style=\"width:20em;accent-color:{color}\"></progress>\
             <span style=\"font-variant-numeric:tabular-nums\">{percent}{}</span></div>",
            escaped(&self.label),
            escaped(&self.facts(now)),
        )
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.finish();
    }
}

/// A bar in eighths of characters.
fn blocks(share: f64) -> String {
    let eighths = (share * (8 * COLUMNS) as f64) as usize;
    let mut text = "█".repeat(eighths / 8);
    text.push_str(["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]);
    format!("{text:<COLUMNS$}")
}

/// A time as `mm:ss` or `h:mm:ss`.
fn clock(seconds: f64) -> String {
    // More than a year says nothing, and infinity has no digits.
    if seconds > 3e7 {
        return "?".to_owned();
    }
    let seconds = seconds.round() as u64;
    match seconds / 3600 {
        0 => format!("{:02}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// A rate, or the time for one item if that is over a second.
fn per_second(rate: f64) -> String {
    if rate >= 1.0 || rate == 0.0 {
        format!("{}/s", general(rate, 3))
    } else {
        format!("{} s each", general(1.0 / rate, 3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A bar after so many items, one each so many seconds, and the time at which it is looked at.
    fn bar(total: Option<u64>, items: u64, seconds: f64) -> (Bar, Instant) {
        let start = Instant::now();
        let mut bar = Bar::new(total);
        bar.begun = Some(Drawn { start, id: String::new(), last: start, last_done: 0, rate: None });
        let at = |item: u64| start + Duration::from_secs_f64(item as f64 * seconds);
        for item in 1..=items {
            bar.advance(at(item));
        }
        (bar, at(items))
    }

    #[test]
    fn lines_tell_items_times_and_rate() {
        let line = |total, items, seconds| {
            let (bar, now) = bar(total, items, seconds);
            bar.line(now)
        };
        assert_eq!(line(Some(4), 0, 1.0), "  0%|                        | 0/4 [00:00]");
        assert_eq!(line(Some(4), 1, 2.0), " 25%|██████                  | 1/4 [00:02<00:06, 2 s each]");
        assert_eq!(line(Some(1000), 999, 0.125), " 99%|███████████████████████▉| 999/1000 [02:05<00:00, 8/s]");
        assert_eq!(line(Some(2), 3, 3600.0), "100%|████████████████████████| 3/2 [3:00:00, 3.6e+03 s each]");
        assert_eq!(line(None, 50, 0.02), "50 [00:01, 50/s]");
        assert_eq!(line(Some(0), 0, 1.0), "100%|████████████████████████| 0/0 [00:00]");
    }

    #[test]
    fn a_bar_is_drawn_ten_times_a_second_at_most() {
        let (mut bar, start) = bar(Some(1_000_000), 0, 1.0);
        let draws = (1..=10_000u32).filter(|&item| bar.advance(start + Duration::from_millis(1) * item)).count();
        assert_eq!(draws, 100);
        assert_eq!(bar.done, 10_000);
    }

    #[test]
    fn the_rate_follows_the_last_seconds() {
        let (mut bar, mut now) = bar(Some(1000), 100, 1.0);
        for _ in 0..20 {
            now += Duration::from_millis(100);
            bar.advance(now);
        }
        let rate = bar.begun.as_ref().unwrap().rate.unwrap();
        assert!((9.9..=10.0).contains(&rate), "{rate}, not that of the slow beginning");
    }

    #[test]
    fn html_is_escaped_and_coloured_by_the_end() {
        let (mut bar, now) = bar(Some(4), 1, 1.0);
        bar.label = "a<b".to_owned();
        let html = bar.html(now);
        assert!(html.contains("<span>a&lt;b</span>") && html.contains("max=1 value=0.2500"), "{html}");
        assert!(html.contains("25% 1/4 [00:01&lt;00:03, 1/s]") && html.contains("#1e88e5"), "{html}");
        bar.finished = true;
        assert!(bar.html(now).contains("#e53935"), "ended before all was done");
        bar.done = 4;
        assert!(bar.html(now).contains("#43a047"));
        let (mut endless, now) = super::tests::bar(None, 1, 1.0);
        assert!(endless.html(now).contains("<progress style"));
        endless.finished = true;
        assert!(endless.html(now).contains("max=1 value=1 "));
    }

    #[test]
    fn in_a_terminal_lines_overwrite_one_another_and_in_a_file_the_last_one_stays() {
        let written = |is_terminal| {
            let (mut bar, now) = bar(None, 1, 1.0);
            let mut text = Vec::new();
            bar.write(&mut text, is_terminal, now);
            bar.finished = true;
            bar.write(&mut text, is_terminal, now);
            String::from_utf8(text).unwrap()
        };
        assert_eq!(written(true), "\r1 [00:01, 1/s]\x1b[K\r1 [00:01, 1/s]\x1b[K\n");
        assert_eq!(written(false), "1 [00:01, 1/s]\n");
    }

    #[test]
    fn items_pass_and_the_number_is_known_where_it_is_exact() {
        assert_eq!(progress(vec![1, 2, 3]).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(progress(0..3).bar.total, Some(3));
        assert_eq!(progress((0..3).filter(|_| true)).bar.total, None);
        assert_eq!(progress(0..).bar.total, None);
        let mut all = progress(0..3);
        assert_eq!((all.by_ref().take(2).count(), all.bar.done), (2, 1), "the second item is not done yet");
        assert_eq!((all.by_ref().count(), all.bar.done, all.bar.finished), (1, 3, true));
        assert_eq!((all.next(), all.bar.done), (None, 3), "an iterator at its end counts no more");
    }
}
