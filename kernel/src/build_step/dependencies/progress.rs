//! Lines and a progress bar that appear in the running cell at once. evcxr holds back the output of this process until
//! its end.

use crate::frames::Frame;
use crate::local_socket;
use crate::output_contract::Message;
use serde_json::{Map, Value};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// The socket in the session's directory on which the kernel takes such lines.
pub const SOCKET_NAME: &str = "build.socket";

/// How many characters a bar of text has.
const COLUMNS: usize = 24;

/// A way to the running cell.
pub struct Progress {
    kernel: Option<UnixStream>,
    /// The bar, once there is one: its identity, and how far it is.
    bar: Option<(String, BarState)>,
}

/// How far a build is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BarState {
    /// How many steps are done.
    pub done: u64,
    /// How many there are.
    pub total: u64,
    /// The crate that is being compiled.
    pub now: String,
}

impl Progress {
    /// Opens it; without a kernel that listens, lines go nowhere.
    pub fn connect(session: &Path) -> Progress {
        Progress { kernel: local_socket::connect(&session.join(SOCKET_NAME)).ok(), bar: None }
    }

    /// Shows a line.
    pub fn line(&mut self, text: &str) {
        self.send(&Frame::Text { stderr: true, text: format!("{text}\n") });
    }

    /// Shows how far the build is.
    pub fn built(&mut self, built: BarState) {
        let (id, update) = match &self.bar {
            Some((_, old)) if *old == built => return,
            Some((id, _)) => (id.clone(), true),
            None => (format!("build-{}", uuid::Uuid::new_v4().simple()), false),
        };
        self.send(&bar_frame(&id, update, &built, None));
        self.bar = Some((id, built));
    }

    /// Ends the bar, if there is one.
    pub fn build_ended(&mut self, well: bool) {
        let Some((id, mut built)) = self.bar.take() else { return };
        built.now.clear();
        if well {
            built.done = built.total;
        }
        self.send(&bar_frame(&id, true, &built, Some(well)));
    }

    fn send(&mut self, frame: &Frame) {
        let Ok(frame) = serde_json::to_string(frame) else { return };
        if let Some(kernel) = &mut self.kernel
            && writeln!(kernel, "{frame}").is_err()
        {
            self.kernel = None;
        }
    }
}

/// The bar as HTML and as a line. Its colour says how the build ended.
fn bar_frame(id: &str, update: bool, built: &BarState, ended: Option<bool>) -> Frame {
    let BarState { done, total, now } = built;
    let share = *done as f64 / (*total).max(1) as f64;
    let word = match ended {
        None => "Building crates",
        Some(true) => "Crates built",
        Some(false) => "Crates not built",
    };
    let color = match ended {
        None => "#1e88e5",
        Some(true) => "#43a047",
        Some(false) => "#e53935",
    };
    let filled = ((share * COLUMNS as f64) as usize).min(COLUMNS);
    let bar = format!("{}{}", "█".repeat(filled), " ".repeat(COLUMNS - filled));
    let text = format!("{word}: {:3.0}%|{bar}| {done}/{total} {now}", 100.0 * share);
    let html = format!(
        "<div style=\"display:flex;align-items:center;gap:0.7em\"><span>{word}</span>\
         <progress max={total} value={done} style=\"width:20em;accent-color:{color}\"></progress>\
         <span style=\"font-variant-numeric:tabular-nums\">{done}/{total} {}</span></div>",
        now.replace('&', "&amp;").replace('<', "&lt;")
    );
    let data = Map::from_iter([
        ("text/plain".to_owned(), Value::from(text.trim_end())),
        ("text/html".to_owned(), Value::from(html)),
    ]);
    let message = Message::Progress { data, id: id.to_owned(), update, done: ended.is_some() };
    Frame::Message { message }
}

impl Drop for Progress {
    /// Waits until the kernel has taken all lines: the cell must not end before they are shown.
    fn drop(&mut self) {
        if let Some(kernel) = &mut self.kernel
            && kernel.shutdown(Shutdown::Write).is_ok()
        {
            // The kernel closes its end after the last line.
            let _ = kernel.read(&mut [0]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_bar_is_shown_once_and_then_updated() {
        let session = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(session.path().join(SOCKET_NAME)).unwrap();
        let mut progress = Progress::connect(session.path());
        let (kernel, _) = listener.accept().unwrap();
        let step = |done: u64, now: &str| BarState { done, total: 4, now: now.to_owned() };
        progress.build_ended(true); // of none
        for built in [step(1, "a<b"), step(1, "a<b"), step(3, "c")] {
            progress.built(built);
        }
        progress.build_ended(true);
        progress.kernel.take().unwrap().shutdown(Shutdown::Write).unwrap();
        let frames: Vec<(String, String, bool, bool)> = BufReader::new(kernel)
            .lines()
            .map(|line| match serde_json::from_str(&line.unwrap()).unwrap() {
                Frame::Message { message: Message::Progress { data, update, done, .. } } => {
                    let content = |name: &str| data[name].as_str().unwrap().to_owned();
                    (content("text/plain"), content("text/html"), update, done)
                }
                other => panic!("no progress: {other:?}"),
            })
            .collect();
        let texts: Vec<&str> = frames.iter().map(|(text, ..)| text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "Building crates:  25%|██████                  | 1/4 a<b",
                "Building crates:  75%|██████████████████      | 3/4 c",
                "Crates built: 100%|████████████████████████| 4/4",
            ]
        );
        assert!(frames[0].1.contains("max=4 value=1") && frames[0].1.contains("a&lt;b"));
        let states: Vec<(bool, bool)> = frames.iter().map(|&(_, _, update, done)| (update, done)).collect();
        assert_eq!(states, [(false, false), (true, false), (true, true)]);
    }
}
