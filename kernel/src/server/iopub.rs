//! The iopub channel: a queue that takes everything at once, and a task that hands it to the subscribers.

use super::event::Event;
use super::subscribers::Subscribers;
use crate::evaluator::{Output, OutputSink, StreamName};
use crate::widgets::{CommMessage, Comms};
use crate::wire::Parent;
use crate::wire::iopub::Publication;
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// Takes publications from any thread; never waits for a subscriber.
#[derive(Clone)]
pub struct Publisher {
    queue: mpsc::UnboundedSender<QueuedPublication>,
}

enum QueuedPublication {
    Publish { publication: Publication, parent: Option<Parent> },
    Close,
}

impl Publisher {
    /// Starts the task that empties the queue.
    pub fn start(subscribers: Subscribers) -> (Self, JoinHandle<()>) {
        let (queue, queued) = mpsc::unbounded_channel();
        (Self { queue }, tokio::spawn(run(subscribers, Backlog { queued, held: None })))
    }

    /// Publishes something that belongs to a request.
    pub fn publish(&self, publication: Publication, parent: &Parent) {
        self.publish_under(publication, Some(parent.clone()));
    }

    /// Ends the task once everything before this is handed on.
    pub async fn close(&self, task: JoinHandle<()>) {
        let _ = self.queue.send(QueuedPublication::Close);
        let _ = task.await;
    }

    fn publish_under(&self, publication: Publication, parent: Option<Parent>) {
        // The task ends only when the kernel does.
        let _ = self.queue.send(QueuedPublication::Publish { publication, parent });
    }
}

/// Knows which cell an output belongs to.
#[derive(Clone)]
pub struct CellOutputs {
    publisher: Publisher,
    events: mpsc::UnboundedSender<Event>,
    cell: Arc<Mutex<Option<PublishedCell>>>,
    comms: Arc<Mutex<Comms>>,
}

struct PublishedCell {
    parent: Parent,
    count: usize,
    silent: bool,
    result: Option<String>,
    /// How many columns the last line of progress had, in a terminal.
    progress_width: usize,
    /// Whether it has shown anything.
    has_shown: bool,
    /// What is shown as that which it waits for.
    waits_for: Option<String>,
}

impl CellOutputs {
    /// No cell has run yet.
    pub fn new(publisher: Publisher, events: mpsc::UnboundedSender<Event>) -> Self {
        Self { publisher, events, cell: Arc::default(), comms: Arc::default() }
    }

    /// From now on, outputs belong to this request. They still do when it is answered: threads may live on.
    pub fn begin(&self, parent: Parent, count: usize, silent: bool) {
        let mut cell = self.cell();
        if let Some(before) = cell.as_mut() {
            before.go_on(&self.publisher);
        }
        *cell = Some(PublishedCell {
            parent,
            count,
            silent,
            result: None,
            progress_width: 0,
            has_shown: false,
            waits_for: None,
        });
    }

    /// Shows what the cell waits for, in one line, if it has shown nothing yet. The line is removed before the first output of the cell:
    /// by clearing its outputs, which are its own only in notebooks.
    pub fn wait_for(&self, what: &str) {
        if let Some(cell) = self.cell().as_mut() {
            cell.wait_for(what, &self.publisher);
        }
    }

    /// Removes this line, if it is what is shown.
    pub fn no_longer_for(&self, what: &str) {
        if let Some(cell) = self.cell().as_mut().filter(|cell| cell.waits_for.as_deref() == Some(what)) {
            cell.go_on(&self.publisher);
        }
    }

    /// Removes the line that says what the cell waits for.
    pub fn go_on(&self) {
        if let Some(cell) = self.cell().as_mut() {
            cell.go_on(&self.publisher);
        }
    }

    /// The result of the last cell, as text.
    pub fn take_result(&self) -> Option<String> {
        self.cell().as_mut()?.result.take()
    }

    /// The evaluator's sink for outputs.
    pub fn sink(&self) -> OutputSink {
        let this = self.clone();
        Arc::new(move |output| this.publish(output))
    }

    fn publish(&self, output: Output) {
        if let Output::Waiting { what } = output {
            return what.map_or_else(|| self.go_on(), |what| self.wait_for(&what));
        }
        if let Output::Input { .. } = output {
            self.go_on();
            // The loop knows whom to ask; it ends only when the kernel does.
            let _ = self.events.send(Event::Asked(output));
            return;
        }
        let mut cell = self.cell();
        if let Output::InteractionClosed { id, but } = output {
            let messages = match id {
                Some(id) => self.comms().close(&id),
                None => self.comms().end(but.as_deref()),
            };
            return self.publish_comms(messages, cell.as_ref().map(|cell| &cell.parent));
        }
        let Some(cell) = cell.as_mut() else {
            return self.publisher.publish_under(Publication::Output { output, count: 0 }, None);
        };
        if let Output::Result { data, .. } = &output {
            if cell.silent {
                return;
            }
            cell.result = data.get("text/plain").and_then(|text| text.as_str()).map(str::to_owned);
        }
        cell.go_on(&self.publisher);
        cell.has_shown = true;
        let output = match output {
            Output::Interaction { interaction, outputs } => {
                let (messages, display) = self.comms().show(&interaction, outputs, cell.parent.cell_id());
                self.publish_comms(messages, Some(&cell.parent));
                display
            }
            Output::Progress { data, done, .. } if cell.parent.is_from_terminal() => cell.progress_line(&data, done),
            Output::Stream { name, text } if cell.progress_width > 0 => cell.text_over_progress(name, &text),
            other => other,
        };
        self.publisher.publish(Publication::Output { output, count: cell.count }, &cell.parent);
    }

    /// Publishes messages of comms; `parent` is what has led to them.
    pub fn publish_comms(&self, messages: Vec<CommMessage>, parent: Option<&Parent>) {
        for message in messages {
            self.publisher.publish_under(Publication::Comm(message), parent.cloned());
        }
    }

    /// The open comms.
    pub fn comms(&self) -> MutexGuard<'_, Comms> {
        // A thread that panicked while it held this has at worst left a model with an old state.
        self.comms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cell(&self) -> MutexGuard<'_, Option<PublishedCell>> {
        // A thread that panicked while it held this has at worst left an old parent.
        self.cell.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PublishedCell {
    fn wait_for(&mut self, what: &str, publisher: &Publisher) {
        let is_of_notebook = self.parent.cell_id().is_some();
        if !is_of_notebook || self.silent || self.has_shown || self.waits_for.as_deref() == Some(what) {
            return;
        }
        self.go_on(publisher);
        let output = Output::Stream { name: StreamName::Stdout, text: format!("{what}\n") };
        self.waits_for = Some(what.to_owned());
        publisher.publish(Publication::Output { output, count: self.count }, &self.parent);
    }

    fn go_on(&mut self, publisher: &Publisher) {
        if self.waits_for.take().is_none() {
            return;
        }
        let output = Output::Clear { wait: false };
        publisher.publish(Publication::Output { output, count: self.count }, &self.parent);
    }

    /// Progress in a terminal: a line that each one after it overwrites, the last one excepted.
    fn progress_line(&mut self, data: &Map<String, Value>, done: bool) -> Output {
        let line = data.get("text/plain").and_then(Value::as_str).unwrap_or_default();
        let (end, width) = if done { ("\n", 0) } else { ("", line.chars().count()) };
        let text = format!("\r{line:<old$}{end}", old = self.progress_width);
        self.progress_width = width;
        Output::Stream { name: StreamName::Stderr, text }
    }

    /// Text in a terminal after a line of progress. It replaces the line. The next line of progress follows it.
    fn text_over_progress(&mut self, name: StreamName, text: &str) -> Output {
        let text = format!("\r{:old$}\r{text}", "", old = self.progress_width);
        self.progress_width = 0;
        Output::Stream { name, text }
    }
}

async fn run(subscribers: Subscribers, mut backlog: Backlog) {
    while let Some((publication, parent)) = backlog.next().await {
        let size = publication.size();
        subscribers.send(publication.into_message(parent.as_ref()), size);
    }
}

/// The queue, with neighbouring pieces of text joined: a loop that prints makes thousands.
struct Backlog {
    queued: mpsc::UnboundedReceiver<QueuedPublication>,
    held: Option<QueuedPublication>,
}

impl Backlog {
    /// Beyond this a piece of text is sent, so that a flood shows up while it lasts.
    const TEXT_LIMIT: usize = 64 << 10;

    async fn next(&mut self) -> Option<(Publication, Option<Parent>)> {
        let first = match self.held.take() {
            Some(held) => held,
            None => self.queued.recv().await?,
        };
        let QueuedPublication::Publish { mut publication, parent } = first else { return None };
        while let Ok(next) = self.queued.try_recv() {
            if let Some(unjoined) = join(&mut publication, parent.as_ref(), next) {
                self.held = Some(unjoined);
                break;
            }
        }
        Some((publication, parent))
    }
}

/// Appends text to text of the same stream and cell, or returns it.
fn join(first: &mut Publication, first_parent: Option<&Parent>, next: QueuedPublication) -> Option<QueuedPublication> {
    if let Publication::Output { output: Output::Stream { name, text }, .. } = first
        && let QueuedPublication::Publish {
            publication: Publication::Output { output: Output::Stream { name: next_name, text: next_text }, .. },
            parent,
        } = &next
        && name == next_name
        && parent.as_ref().map(Parent::id) == first_parent.map(Parent::id)
        && text.len() + next_text.len() <= Backlog::TEXT_LIMIT
    {
        text.push_str(next_text);
        return None;
    }
    Some(next)
}
