//! The kernel's end of the supervisor's socket. It receives the supervisor's frames and turns them into outputs of the
//! running cell.

use crate::controls::{Call, Interaction, Order};
use crate::evaluator::origins::Origins;
use crate::evaluator::{Output, OutputSink, StreamName};
use crate::frames::Frame;
use crate::local_socket;
use crate::output_contract::Message;
use crate::printing::errln;
use crate::process_group;
use crate::profile::Profile;
use crate::profiling::{self, Shown};
use crate::supervisor::{OPEN_DEVICE, ORDER, WAIT_FOR_DEVICE};
use crate::widgets;
use anyhow::Result;
use serde_json::Map;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a supervisor may take to send its reports.
const PATIENCE: Duration = Duration::from_secs(10);

/// Translates a place in compiled code into a line of the running cell.
pub type LocatePanic = Box<dyn Fn(&str) -> String + Send>;

/// The state of the cell process and of the running cell.
#[derive(Default)]
pub struct LinkState {
    sink: Option<OutputSink>,
    place: Option<LocatePanic>,
    /// How many cells have begun.
    begun: u64,
    supervisor: Option<UnixStream>,
    /// How many supervisors have connected, and how many of their connections have ended.
    connected: u64,
    disconnected: u64,
    pongs: u64,
    /// The supervisor that was connected when the current cell began.
    current: u64,
    /// How the last cell process ended.
    last_exit: Option<String>,
    /// The cell process's number, while it lives.
    pub cell_process: Option<i32>,
    /// Whether a compiled cell is running.
    pub running: bool,
    /// Whether a compiled cell has run since the current cell began.
    pub has_run: bool,
    /// Whether the cell process waits for an answer of the user. A thread of an earlier cell may have asked. So neither
    /// the end nor the beginning of a cell changes this.
    pub asks: bool,
    /// The outputs of the call of an interaction's closure that is going on.
    call: Option<RunningCall>,
    /// The cells of the interactions that can be called.
    pub origins: Origins,
    /// The interaction in whose call the last cell process ended.
    died_in: Option<String>,
    /// When the compiled cell that runs was handed to the cell process.
    began: Option<Instant>,
    /// The events of the current cell.
    pub events: Events,
}

/// A call of an interaction's closure that is going on.
struct RunningCall {
    /// What is called.
    interaction: Interacting,
    outputs: Vec<Output>,
    /// Whether it has come to its end, and nobody has taken the outputs yet.
    is_over: bool,
}

/// Which call it is.
enum Interacting {
    /// The first one, by a cell.
    First(Interaction),
    /// Another one, of the interaction with this identity.
    Again(String),
}

/// How a call of an interaction's closure ended.
pub struct CallEnded {
    /// What it has shown.
    pub outputs: Vec<Output>,
    /// What happened meanwhile.
    pub events: Events,
    /// How the cell process ended, if it did.
    pub exit: Option<String>,
}

/// The variables that a cell has stored after it failed.
#[derive(Clone, Debug, Default)]
pub struct StoredSinceFailure {
    /// Variables with new values.
    pub new: Vec<String>,
    /// Variables with their old values.
    pub kept: Vec<String>,
    /// Types of new variables, if they differ from the types at the end of the cell.
    pub types: Vec<(String, String)>,
}

/// The events while a cell ran, besides outputs.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// A panic of the thread that runs cells.
    pub panic: Option<Panic>,
    /// Whether an interrupt stopped the cell, and where, if the place is known.
    pub interrupted: Option<Option<String>>,
    /// The error with which `?` ended the cell.
    pub user_error: Option<String>,
    /// The variables that the cell has stored since it failed, and those whose new values are lost.
    pub stored: StoredSinceFailure,
    pub lost: Vec<String>,
    /// Why the compiled cell could not be loaded.
    pub load_failed: Option<String>,
    /// The interactions that the cell has shown, and that can be called.
    pub interactions: Vec<String>,
    /// How many profiles of `%prun` were shown.
    pub profiles: u32,
    /// How long the compiled code was in the cell process: its loading and its run.
    pub ran: Duration,
    /// How long the loading took.
    pub loading: Duration,
}

impl Events {
    /// Whether the cell has failed in a way that evcxr does not know about.
    pub fn is_failure(&self) -> bool {
        self.panic.is_some() || self.interrupted.is_some() || self.user_error.is_some() || self.load_failed.is_some()
    }
}

/// A panic as the prelude's hook saw it.
#[derive(Clone, Debug)]
pub struct Panic {
    /// Its message.
    pub message: String,
    /// File, line and column.
    pub location: String,
    /// The user's functions on the stack, innermost first.
    pub backtrace: Vec<String>,
}

/// Shared by the evaluator, the interrupt handle and the reading threads.
#[derive(Default)]
pub struct SupervisorLink {
    state: Mutex<LinkState>,
    changed: Condvar,
}

impl SupervisorLink {
    /// Listens on a socket for supervisors.
    pub fn listen(self: &Arc<Self>, path: &Path) -> Result<()> {
        let link = Arc::clone(self);
        local_socket::listen(path, "supervisors", move |connection| link.serve(connection))
    }

    /// Listens on a socket for the build step, whose frames are shown in the running cell; it waits for the end of its
    /// connection.
    pub fn listen_to_builds(self: &Arc<Self>, path: &Path) -> Result<()> {
        let link = Arc::clone(self);
        local_socket::listen(path, "builds", move |connection| link.take_all(connection, "build step"))
    }

    /// The state, locked.
    pub fn state(&self) -> MutexGuard<'_, LinkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a cell. Its outputs go to `sink`. `place` translates the places of panics that do not end the cell.
    pub fn begin(&self, sink: OutputSink, place: LocatePanic) {
        let mut state = self.state();
        state.place = Some(place);
        state.begun += 1;
        state.events = Events::default();
        state.has_run = false;
        state.current = state.connected;
        state.sink = Some(sink);
    }

    /// Lets the cell process open its device while the cell that needs it is compiled, or else wait until it is open.
    pub fn prepare_device(&self, is_used: bool) {
        if let Some(stream) = self.state().supervisor.as_mut() {
            // Without a supervisor the cell opens the device itself.
            let _ = stream.write_all(&[if is_used { OPEN_DEVICE } else { WAIT_FOR_DEVICE }]);
        }
    }

    /// Has the cell process call a closure, and waits for its end. `None` if there is no cell process.
    ///
    /// `sink` gets what is shown meanwhile in outputs of the notebook.
    pub fn call(&self, sink: OutputSink, call: &Call) -> Option<CallEnded> {
        let mut state = self.state();
        let supervisor = state.connected;
        let interaction = Interacting::Again(call.id.clone());
        state.call = Some(RunningCall { interaction, outputs: Vec::new(), is_over: false });
        state.begun += 1;
        state.current = supervisor;
        (state.running, state.has_run) = (true, true);
        let before = (std::mem::take(&mut state.events), state.sink.replace(sink));
        let is_sent = state.send(&Order::Call(call.clone()));
        let goes_on = |state: &mut LinkState| {
            is_sent && state.call.as_ref().is_some_and(|call| !call.is_over) && state.disconnected < supervisor
        };
        let mut state = self.changed.wait_while(state, goes_on).unwrap_or_else(PoisonError::into_inner);
        let outputs = state.call.take().map(|call| call.outputs).unwrap_or_default();
        let exit = (state.disconnected >= supervisor).then(|| state.last_exit.take().unwrap_or_default());
        state.running = false;
        let (events, sink) = before;
        state.sink = sink;
        let events = std::mem::replace(&mut state.events, events);
        is_sent.then_some(CallEnded { outputs, events, exit })
    }

    /// Has the cell process drop a closure.
    pub fn forget(&self, interaction: &str) {
        let mut state = self.state();
        state.forget(interaction);
        // Without a cell process it is gone already.
        state.send(&Order::Forget(interaction.to_owned()));
    }

    /// Waits until all output of the cell is in the sink. Returns the events.
    pub fn settle(&self) -> Events {
        let mut state = self.state();
        let target = state.pongs + 1;
        let supervisor = state.connected;
        let asked = state.supervisor.as_mut().is_some_and(|stream| stream.write_all(b"?").is_ok());
        // Either the supervisor answers after all its reports, or its connection ends after them.
        let waits = |state: &mut LinkState| asked && state.pongs < target && state.disconnected < supervisor;
        self.wait_while(state, PATIENCE, waits).events.clone()
    }

    /// Waits until the supervisor of a cell process that has ended has reported everything; says how it ended.
    pub fn settle_exit(&self) -> Option<String> {
        self.wait_while(self.state(), PATIENCE, |state| state.disconnected < state.current).last_exit.take()
    }

    /// Shows a text in the cell if what runs now still runs after a while.
    pub fn say_if_it_still_runs(&self, after: Duration, text: &str) {
        let state = self.state();
        let cell = state.begun;
        let runs = |state: &mut LinkState| state.running && state.begun == cell;
        let mut state = self.wait_while(state, after, runs);
        if let (true, Some(sink)) = (runs(&mut state), state.sink.clone()) {
            sink(Output::Stream { name: StreamName::Stderr, text: text.to_owned() });
        }
    }

    /// Waits until a condition ends, or for some time.
    fn wait_while<'a>(
        &'a self,
        state: MutexGuard<'a, LinkState>,
        time: Duration,
        waits: impl FnMut(&mut LinkState) -> bool,
    ) -> MutexGuard<'a, LinkState> {
        self.changed.wait_timeout_while(state, time, waits).unwrap_or_else(PoisonError::into_inner).0
    }

    fn serve(self: &Arc<Self>, connection: UnixStream) {
        let Ok(reader) = connection.try_clone() else { return };
        {
            let mut state = self.state();
            state.supervisor = Some(connection);
            state.connected += 1;
        }
        let link = Arc::clone(self);
        let spawned = std::thread::Builder::new().name("reports".to_owned()).spawn(move || {
            link.take_all(reader, "supervisor");
            link.state().disconnected += 1;
            link.changed.notify_all();
        });
        if let Err(error) = spawned {
            errln!("no thread for a supervisor: {error}");
        }
    }

    /// Takes the frames of a connection until its end.
    fn take_all(&self, connection: UnixStream, sender: &str) {
        for line in BufReader::new(connection).lines().map_while(Result::ok) {
            match serde_json::from_str(&line) {
                Ok(frame) => self.take(frame),
                Err(error) => errln!("a report of the {sender} cannot be read: {error}"),
            }
        }
    }

    fn take(&self, frame: Frame) {
        let mut outputs = Vec::new();
        let mut state = self.state();
        match frame {
            Frame::Started { pid } => {
                state.cell_process = i32::try_from(pid).ok();
                // A process that was ended with its supervisor has reported nothing.
                outputs = state.end_interactions();
            }
            Frame::Running => {
                state.running = true;
                state.has_run = true;
                state.began = Some(Instant::now());
                outputs.push(Output::Waiting { what: None });
            }
            Frame::EndOfCell => {
                state.running = false;
                if let Some(began) = state.began.take() {
                    state.events.ran += began.elapsed();
                }
            }
            Frame::Pong => state.pongs += 1,
            Frame::Exited { status } => {
                state.cell_process = None;
                (state.running, state.asks) = (false, false);
                state.last_exit = Some(status);
                outputs = state.end_interactions();
            }
            Frame::Text { stderr, text } => {
                let name = if stderr { StreamName::Stderr } else { StreamName::Stdout };
                outputs = state.show(Output::Stream { name, text });
            }
            Frame::Message { message } => outputs = state.take_message(message),
        }
        if let Some(sink) = state.sink.clone() {
            // Under the lock, so that outputs of two threads keep the order of their reports.
            outputs.into_iter().for_each(|output| sink(output));
        }
        drop(state);
        self.changed.notify_all();
    }
}

/// Sends a signal to a cell process and to all processes that it has started.
pub fn signal(process: Option<i32>, signal: i32) {
    if let Some(process) = process {
        // It lives: its supervisor has reported its start and not its end.
        process_group::signal(process, signal);
        if signal == libc::SIGINT {
            // One that is stopped would not notice.
            process_group::signal(process, libc::SIGCONT);
        }
    }
}

impl LinkState {
    /// Sends an order to the cell process; whether there is one.
    fn send(&mut self, order: &Order) -> bool {
        let text = serde_json::to_string(order).unwrap_or_else(|error| unreachable!("an order is plain data: {error}"));
        let line = format!("{}{text}\n", char::from(ORDER));
        self.cell_process.is_some()
            && self.supervisor.as_mut().is_some_and(|stream| stream.write_all(line.as_bytes()).is_ok())
    }

    /// An output's way: to the call that is going on, unless it replaces something that is elsewhere in the notebook, or
    /// into the sink.
    fn show(&mut self, output: Output) -> Vec<Output> {
        let Some(call) = self.call.as_mut().filter(|call| !call.is_over) else { return vec![output] };
        let is_update = matches!(&output, Output::Display { update: true, .. });
        if matches!(output, Output::Input { .. }) || (is_update && !widgets::replaced_in(&mut call.outputs, &output)) {
            return vec![output];
        }
        if !is_update {
            call.outputs.push(output);
        }
        Vec::new()
    }

    /// The outputs for what `%prun` has sampled.
    fn show_profile(&mut self, profile: &Profile) -> Vec<Output> {
        self.events.profiles += 1;
        let place = |location: &str| self.place.as_ref().map_or_else(|| location.to_owned(), |place| place(location));
        let Shown { text, warning, picture } = profiling::shown(profile, &place);
        let stream = |name, text: String| (!text.is_empty()).then_some(Output::Stream { name, text });
        let picture = picture.map(|picture| {
            let data = [("image/svg+xml", picture), ("text/plain", "Flame graph (an SVG)".to_owned())];
            let data = data.map(|(mime_type, text)| (mime_type.to_owned(), text.into())).into_iter().collect();
            Output::Display { data, metadata: Map::new(), display_id: None, update: false }
        });
        let outputs = [stream(StreamName::Stdout, text), picture, stream(StreamName::Stderr, warning)];
        outputs.into_iter().flatten().flat_map(|output| self.show(output)).collect()
    }

    /// A call has come to its end. The first one of an interaction gives its outputs with the interaction, or alone if it
    /// has unwound.
    fn end_call(&mut self, unwound: bool) -> Vec<Output> {
        match self.call.take() {
            Some(RunningCall { interaction: Interacting::First(_), outputs, .. }) if unwound => outputs,
            Some(RunningCall { interaction: Interacting::First(interaction), outputs, .. }) => {
                self.events.interactions.push(interaction.id.clone());
                vec![Output::Interaction { interaction, outputs }]
            }
            Some(call) => {
                self.call = Some(RunningCall { is_over: true, ..call });
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    /// Nobody can call an interaction any more.
    fn forget(&mut self, interaction: &str) {
        self.origins.forget(interaction);
        self.events.interactions.retain(|shown| shown != interaction);
    }

    /// The cell process has ended, and all closures with it.
    fn end_interactions(&mut self) -> Vec<Output> {
        self.origins.clear();
        self.events.interactions.clear();
        let called = match &self.call {
            Some(RunningCall { interaction: Interacting::Again(id), .. }) => Some(id.clone()),
            _ => None,
        };
        let mut outputs = if called.is_some() { Vec::new() } else { self.end_call(true) };
        // The one that was being called keeps its error when the next process begins.
        self.died_in = called.or_else(|| self.died_in.take());
        outputs.push(Output::InteractionClosed { id: None, but: self.died_in.clone() });
        outputs
    }

    fn take_message(&mut self, message: Message) -> Vec<Output> {
        match message {
            Message::Display { data, id, update } => {
                return self.show(Output::Display { data, metadata: Map::new(), display_id: id, update });
            }
            Message::Progress { data, id, update, done } => {
                return self.show(Output::Progress { data, id, update, done });
            }
            Message::ClearOutput { wait } => return self.show(Output::Clear { wait }),
            Message::Waiting { what } => return vec![Output::Waiting { what }],
            Message::Result { data } => return self.show(Output::Result { data, metadata: Map::new() }),
            Message::Interaction { interaction } => {
                let interaction = Interacting::First(interaction);
                self.call = Some(RunningCall { interaction, outputs: Vec::new(), is_over: false });
            }
            Message::Called { unwound } => return self.end_call(unwound),
            Message::InteractionClosed { id } => {
                self.forget(&id);
                return vec![Output::InteractionClosed { id: Some(id), but: None }];
            }
            Message::Panic { message, location, cell_thread: true, backtrace } => {
                self.events.panic = Some(Panic { message, location, backtrace })
            }
            Message::Panic { message, location, cell_thread: false, .. } => {
                let place = self.place.as_ref().map_or_else(|| location.clone(), |place| place(&location));
                let text = format!("panic: {message}\n  at {place}\n");
                return self.show(Output::Stream { name: StreamName::Stderr, text });
            }
            Message::Profile { profile } => return self.show_profile(&profile),
            Message::Interrupted { location } => self.events.interrupted = Some(location),
            Message::UserError { message } => self.events.user_error = Some(message),
            Message::Stored { names, kept, types, lost } => {
                (self.events.stored, self.events.lost) = (StoredSinceFailure { new: names, kept, types }, lost)
            }
            Message::LoadFailed { message } => self.events.load_failed = Some(message),
            Message::Input { prompt, password } => {
                self.asks = true;
                return vec![Output::Input { prompt, password }];
            }
            Message::Loaded { microseconds } => self.events.loading += Duration::from_micros(microseconds),
            // The supervisor keeps these for itself.
            Message::Control { .. } | Message::OutputLimit { .. } | Message::End => {}
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a link gives for frames, in words.
    fn outputs(link: &SupervisorLink, frames: Vec<Frame>) -> Vec<Output> {
        let given = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&given);
        let sink: OutputSink = Arc::new(move |output| kept.lock().unwrap().push(output));
        link.begin(sink, Box::new(str::to_owned));
        frames.into_iter().for_each(|frame| link.take(frame));
        std::mem::take(&mut *given.lock().unwrap())
    }

    fn text(text: &str) -> Frame {
        Frame::Text { stderr: false, text: text.to_owned() }
    }

    fn stream(text: &str) -> Output {
        Output::Stream { name: StreamName::Stdout, text: text.to_owned() }
    }

    #[test]
    fn outputs_of_a_first_call_go_with_its_controls() {
        let interaction = Interaction { id: "a".to_owned(), rows: Vec::new() };
        let begin = || Frame::Message { message: Message::Interaction { interaction: interaction.clone() } };
        let end = |unwound| Frame::Message { message: Message::Called { unwound } };
        let link = SupervisorLink::default();
        let shown = outputs(&link, vec![text("1"), begin(), text("2"), end(false), text("3")]);
        let expected = Output::Interaction { interaction: interaction.clone(), outputs: vec![stream("2")] };
        assert_eq!(shown, [stream("1"), expected, stream("3")]);
        assert_eq!(link.state().events.interactions, ["a"]);
        // A call that has unwound, or ended the process, has outputs but no controls.
        assert_eq!(outputs(&link, vec![begin(), text("2"), end(true)]), [stream("2")]);
        let died = outputs(&link, vec![begin(), text("2"), Frame::Exited { status: String::new() }]);
        assert_eq!(died, [stream("2"), Output::InteractionClosed { id: None, but: None }]);
        assert!(link.state().events.interactions.is_empty());
    }

    #[test]
    fn the_cell_of_an_interaction_is_kept_while_it_can_be_called() {
        let interaction = Interaction { id: "a".to_owned(), rows: Vec::new() };
        let frame = |message| Frame::Message { message };
        let show = || {
            vec![
                frame(Message::Interaction { interaction: interaction.clone() }),
                frame(Message::Called { unwound: false }),
            ]
        };
        let link = SupervisorLink::default();
        let shown = || link.state().events.interactions.clone();
        outputs(&link, show());
        assert_eq!(shown(), ["a"]);
        // A client closes it, or the program does, or the process ends.
        link.forget("a");
        assert!(shown().is_empty());
        let endings =
            [frame(Message::InteractionClosed { id: "a".to_owned() }), Frame::Exited { status: String::new() }];
        for ending in endings {
            outputs(&link, show().into_iter().chain([ending]).collect());
            assert!(shown().is_empty());
        }
    }

    #[test]
    fn a_new_process_has_no_interactions() {
        let closed = |but: Option<&str>| Output::InteractionClosed { id: None, but: but.map(str::to_owned) };
        let link = SupervisorLink::default();
        assert_eq!(outputs(&link, vec![Frame::Started { pid: 1 }]), [closed(None)]);
        let interaction = Interacting::Again("a".to_owned());
        link.state().call = Some(RunningCall { interaction, outputs: Vec::new(), is_over: false });
        assert_eq!(outputs(&link, vec![Frame::Exited { status: String::new() }]), [closed(Some("a"))]);
        link.state().call = None;
        assert_eq!(
            outputs(&link, vec![Frame::Started { pid: 2 }]),
            [closed(Some("a"))],
            "its error is yet to be shown"
        );
    }

    /// A thread may ask just before its cell ends, and wait for the answer when the next cell has begun.
    #[test]
    fn a_question_stays_until_it_is_answered_or_the_process_ends() {
        let link = SupervisorLink::default();
        let asked = Message::Input { prompt: String::new(), password: false };
        link.take(Frame::Message { message: asked });
        link.take(Frame::EndOfCell);
        link.begin(Arc::new(|_| {}), Box::new(str::to_owned));
        assert!(link.state().asks);
        link.take(Frame::Exited { status: String::new() });
        assert!(!link.state().asks, "nobody waits any more");
    }
}
