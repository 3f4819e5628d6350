//! Reports that wait for the kernel. Text is sent at once if nothing was sent recently. Otherwise it is collected for a
//! short time, because a loop that prints makes a hundred thousand pieces a second. Outputs that a later update or
//! clearing removes at once are not sent.

use super::limits::{OutputLimits, size_of_content};
use crate::frames::Frame;
use crate::output_contract::Message;
use std::time::{Duration, Instant};

/// How long output is collected.
const INTERVAL: Duration = Duration::from_millis(25);
/// Pictures that replace one another pass at this many bytes a second: above a million, Jupyter's server drops messages.
const REPLACED_PER_SECOND: f64 = 500_000.0;
/// More than this does not wait.
const MOST: usize = 256 << 10;

/// Frames on their way to the kernel.
pub struct Outbox {
    limits: OutputLimits,
    pending: Vec<Frame>,
    /// About how many bytes `pending` has.
    size: usize,
    /// When the pending reports may be sent.
    due: Instant,
}

impl Outbox {
    /// With the limits of the environment.
    pub fn new() -> Outbox {
        Outbox { limits: OutputLimits::from_environment(), pending: Vec::new(), size: 0, due: Instant::now() }
    }

    /// A new cell begins.
    pub fn begin_cell(&mut self) {
        self.say_what_was_dropped();
        self.limits.begin_cell();
    }

    /// Reports at the end of a cell how much of its output was dropped.
    pub fn say_what_was_dropped(&mut self) {
        if let Some(note) = self.limits.note() {
            self.append(true, note);
        }
    }

    /// Takes text of the user, as much of it as may be shown.
    pub fn text(&mut self, stderr: bool, mut text: String) {
        let note = self.limits.cut(&mut text);
        self.append(stderr, text);
        if let Some(note) = note {
            self.append(true, note);
        }
    }

    /// Takes a message for the kernel.
    pub fn message(&mut self, message: Message) {
        match &message {
            Message::OutputLimit { bytes } => return self.limits.set(*bytes),
            Message::Display { data, update, .. } | Message::Progress { data, update, .. }
                if !self.limits.admit(data, *update) =>
            {
                return;
            }
            Message::Display { id: Some(id), update: true, .. } | Message::Progress { id, update: true, .. } => {
                let id = id.clone();
                self.forget(|old| is_update_of(old, &id));
            }
            Message::ClearOutput { .. } => {
                self.limits.cleared();
                self.forget(is_cleared);
            }
            _ => {}
        }
        self.push(Frame::Message { message });
    }

    /// Adds any other frame.
    pub fn push(&mut self, frame: Frame) {
        self.size += size(&frame);
        self.pending.push(frame);
    }

    /// How long the pending reports can wait. `None` if there are none.
    pub fn patience(&self, now: Instant) -> Option<Duration> {
        match (self.pending.is_empty(), self.size > MOST) {
            (true, _) => None,
            (false, true) => Some(Duration::ZERO),
            (false, false) => Some(self.due.saturating_duration_since(now)),
        }
    }

    /// Removes the pending reports and returns them.
    pub fn take(&mut self, now: Instant) -> Vec<Frame> {
        let frames = std::mem::take(&mut self.pending);
        self.size = 0;
        let replaced: usize = frames.iter().filter(|frame| is_replaced(frame)).map(size).sum();
        self.due = now + INTERVAL.max(Duration::from_secs_f64(replaced as f64 / REPLACED_PER_SECOND));
        frames
    }

    fn append(&mut self, stderr: bool, text: String) {
        if text.is_empty() {
            return;
        }
        match self.pending.last_mut() {
            Some(Frame::Text { stderr: same, text: last }) if *same == stderr => {
                self.size += text.len();
                last.push_str(&text);
            }
            _ => self.push(Frame::Text { stderr, text }),
        }
    }

    /// Takes back what need not be sent.
    fn forget(&mut self, is_void: impl Fn(&Frame) -> bool) {
        self.pending.retain(|frame| !is_void(frame));
        self.size = self.pending.iter().map(size).sum();
    }
}

/// Whether a later update of the same display undoes this.
fn is_update_of(frame: &Frame, wanted: &str) -> bool {
    let Frame::Message { message } = frame else { return false };
    match message {
        Message::Display { id: Some(id), update: true, .. } => id == wanted,
        Message::Progress { id, update: true, done: false, .. } => id == wanted,
        _ => false,
    }
}

/// Whether a later clearing undoes this.
fn is_cleared(frame: &Frame) -> bool {
    match frame {
        Frame::Text { .. } => true,
        Frame::Message { message } => {
            matches!(message, Message::Display { update: false, .. } | Message::ClearOutput { .. })
        }
        _ => false,
    }
}

/// Whether this is what programs send again and again.
fn is_replaced(frame: &Frame) -> bool {
    matches!(frame, Frame::Message { message: Message::Display { id: Some(_), .. } | Message::Progress { .. } })
}

fn size(frame: &Frame) -> usize {
    const AROUND: usize = 100;
    AROUND
        + match frame {
            Frame::Text { text, .. } => text.len(),
            Frame::Message { message: Message::Display { data, .. } | Message::Progress { data, .. } } => {
                data.values().map(size_of_content).sum::<u64>() as usize
            }
            _ => 0,
        }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, Value};

    fn display(text: &str, id: &str, update: bool) -> Message {
        let data = Map::from_iter([("text/plain".to_owned(), Value::from(text))]);
        Message::Display { data, id: Some(id.to_owned()), update }
    }

    fn message(message: Message) -> Frame {
        Frame::Message { message }
    }

    fn text(text: &str) -> Frame {
        Frame::Text { stderr: false, text: text.to_owned() }
    }

    #[test]
    fn text_is_sent_at_once_and_then_collected() {
        let mut outbox = Outbox::new();
        let now = Instant::now();
        assert_eq!(outbox.patience(now), None);
        outbox.text(false, "a".to_owned());
        assert_eq!(outbox.patience(now), Some(Duration::ZERO));
        assert_eq!(outbox.take(now), [text("a")]);
        for _ in 0..1000 {
            outbox.text(false, "b".to_owned());
        }
        outbox.text(true, "c".to_owned());
        assert_eq!(outbox.patience(now), Some(INTERVAL));
        assert_eq!(outbox.patience(now + INTERVAL), Some(Duration::ZERO));
        let error = Frame::Text { stderr: true, text: "c".to_owned() };
        assert_eq!(outbox.take(now), [text(&"b".repeat(1000)), error]);
        outbox.text(false, "d".repeat(MOST));
        assert_eq!(outbox.patience(now), Some(Duration::ZERO), "much does not wait");
    }

    #[test]
    fn of_several_updates_the_last_one_is_sent() {
        let mut outbox = Outbox::new();
        outbox.message(display("0", "a", false));
        for step in 0..10 {
            outbox.message(display(&step.to_string(), "a", true));
            outbox.message(display(&step.to_string(), "b", true));
        }
        let expected = [display("0", "a", false), display("9", "a", true), display("9", "b", true)].map(message);
        assert_eq!(outbox.take(Instant::now()), expected);
    }

    #[test]
    fn what_would_be_cleared_at_once_is_not_sent() {
        let mut outbox = Outbox::new();
        for step in 0..10 {
            outbox.message(Message::ClearOutput { wait: true });
            outbox.text(false, step.to_string());
            outbox.message(display(&step.to_string(), "a", false));
        }
        let clear = message(Message::ClearOutput { wait: true });
        assert_eq!(outbox.take(Instant::now()), [clear, text("9"), message(display("9", "a", false))]);
    }

    #[test]
    fn large_updates_pass_more_rarely() {
        let mut outbox = Outbox::new();
        let now = Instant::now();
        outbox.message(display(&"x".repeat(100_000), "a", true));
        outbox.take(now);
        outbox.message(display("y", "a", true));
        assert!(outbox.patience(now).unwrap() > Duration::from_millis(199));
    }

    #[test]
    fn a_limit_is_set_by_the_cell() {
        let mut outbox = Outbox::new();
        outbox.message(Message::OutputLimit { bytes: 3 });
        outbox.text(false, "12345".to_owned());
        outbox.begin_cell();
        let said: Vec<String> = outbox
            .take(Instant::now())
            .into_iter()
            .map(|frame| match frame {
                Frame::Text { text, .. } => text,
                other => panic!("not text: {other:?}"),
            })
            .collect();
        assert_eq!(said.len(), 2);
        assert!(said[0] == "123" && said[1].contains("not shown") && said[1].contains("2 bytes of text dropped"));
    }
}
