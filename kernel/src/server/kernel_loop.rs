//! The state of the kernel's loop: the queued cells, the running cell, and the history.

use super::event::{Answer, Channel, Event, LaneName, Ready};
use super::history::History;
use super::iopub::CellOutputs;
use super::lane::{self, Job, Language, Task};
use super::log::log;
use super::sockets::Sockets;
use crate::completeness;
use crate::evaluator::{Called, CellError, InputAnswer, InterruptHandle, Outcome, Output};
use crate::widgets::Reaction;
use crate::wire::iopub::Publication;
use crate::wire::reply::{Executed, Reply};
use crate::wire::request::{
    AtCursor, CommClose, CommInfo, CommMessage, CommOpen, Execute, InputReply, IsComplete, Request,
};
use crate::wire::{Incoming, Parent};
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// How long an interrupted cell may take to end before the user has an answer all the same. The analysis of a cell
/// cannot be cancelled.
const PATIENCE: Duration = Duration::from_secs(1);
/// What the first cell waits for while the evaluator starts.
const STARTING: &str = "Waiting for the session to start: the compiler, and the process that runs cells.";

/// The state of the kernel's loop.
pub struct KernelLoop {
    sockets: Sockets,
    events: UnboundedSender<Event>,
    outputs: CellOutputs,
    evaluator: Lane,
    assistant: Option<Lane>,
    banner: String,
    count: usize,
    /// How many cells and calls have been handed to the evaluator; each has its number.
    cells: u64,
    history: History,
    /// Whether a client has been asked for a line and has not answered.
    asking: bool,
    /// The message of a comm that is being handled: clients have heard `busy` for it.
    answering: Option<String>,
    /// The interactions whose closures are to be called when no cell runs or waits, each with the last message that asked for
    /// it. The values are those of that time.
    due: VecDeque<Due>,
    /// How it is told what the first cell waits for.
    first: FirstCell,
}

/// The first cell of a session takes longer than others, so it says what it waits for.
enum FirstCell {
    /// There is none yet. It may take so long before it says something.
    Awaited(Duration),
    /// It is there, and has not ended. It is looked at again after the time; the text is the last that it was given.
    Watched(Duration, Option<&'static str>),
    /// It has ended.
    Ended,
}

/// An interaction whose closure is to be called.
struct Due {
    interaction: String,
    channel: Channel,
    parent: Parent,
}

/// An evaluator, seen from the loop.
struct Lane {
    jobs: Option<mpsc::Sender<Job>>,
    state: LaneState,
    running: Option<Pending>,
    /// Whether the evaluator still works on a cell that was interrupted and answered.
    abandoned: bool,
    queue: VecDeque<Pending>,
}

enum LaneState {
    Starting,
    Ready(Arc<dyn InterruptHandle>),
    Failed(CellError),
}

/// A request that waits for an evaluator, or is in its hands.
struct Pending {
    channel: Channel,
    parent: Parent,
    task: Task,
    /// Whether clients have heard of it already.
    begun: bool,
}

impl Pending {
    fn new(channel: Channel, parent: Parent, task: Task) -> Pending {
        Pending { channel, parent, task, begun: false }
    }
}

impl KernelLoop {
    /// Starts the evaluators; they report to `events` when they are ready.
    pub fn new(language: Language, sockets: Sockets, events: UnboundedSender<Event>) -> Self {
        let outputs = CellOutputs::new(sockets.publisher.clone(), events.clone());
        let start = |name, factory| {
            let jobs = lane::start(name, factory, outputs.sink(), events.clone());
            let (jobs, state) = match jobs {
                Ok(jobs) => (Some(jobs), LaneState::Starting),
                Err(error) => (None, LaneState::Failed(thread_error(&error))),
            };
            Lane { jobs, state, running: None, abandoned: false, queue: VecDeque::new() }
        };
        let evaluator = start(LaneName::Evaluator, language.evaluator);
        let assistant = language.assistant.map(|factory| start(LaneName::Assistant, factory));
        let first = FirstCell::Awaited(language.patience);
        let banner = format!("Warpcell {}: GPU notebooks in Rust", env!("CARGO_PKG_VERSION"));
        let history = History::default();
        Self {
            sockets,
            events,
            outputs,
            evaluator,
            assistant,
            banner,
            count: 0,
            cells: 0,
            history,
            asking: false,
            answering: None,
            due: VecDeque::new(),
            first,
        }
    }

    /// Handles one event. `Break` means that the kernel must end.
    pub async fn handle(&mut self, event: Event) -> ControlFlow<()> {
        match event {
            Event::Message { channel, incoming } => return self.message(channel, incoming).await,
            Event::Started { lane, outcome } => self.started(lane, outcome).await,
            Event::Answered { lane, answer } => return self.answered(lane, answer).await,
            Event::Asked(question) => self.ask(question).await,
            Event::Interrupt => self.interrupt().await,
            Event::Overdue { cell } => self.overdue(cell).await,
            Event::Slow => self.say_what_is_waited_for(),
            Event::Terminate { reason } => {
                log(format_args!("ending: {reason}"));
                self.end(false, None).await;
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    /// Writes the queued messages and closes the channels.
    pub async fn close(self, deadline: Duration) {
        self.sockets.close(deadline).await;
    }

    async fn message(&mut self, channel: Channel, incoming: Incoming) -> ControlFlow<()> {
        let Incoming { parent, message_type, content } = incoming;
        let request = match Request::read(&message_type, content) {
            Ok(request) => request,
            Err(error) => {
                log(format_args!("{channel:?}: {message_type} dropped: {error}"));
                return ControlFlow::Continue(());
            }
        };
        if channel == Channel::Stdin {
            self.take_input(request);
            return ControlFlow::Continue(());
        }
        let reply = match request {
            Request::Execute(execute) => {
                self.evaluator.queue.push_back(Pending::new(channel, parent, Task::Execute(execute)));
                self.watch_the_first_cell();
                self.start_next(LaneName::Evaluator).await;
                return ControlFlow::Continue(());
            }
            Request::Complete(at) => return self.assist(channel, parent, Task::Complete(at)).await,
            Request::Inspect(at) => return self.assist(channel, parent, Task::Inspect(at)).await,
            Request::IsComplete(code) if self.helper().1.is_idle() => {
                return self.assist(channel, parent, Task::IsComplete(code)).await;
            }
            // A console asks this at every Enter; it must not wait for a cell.
            Request::IsComplete(IsComplete { code }) => Some(Reply::IsComplete(completeness::is_complete(&code))),
            Request::KernelInfo => Some(Reply::KernelInfo { banner: self.banner.clone() }),
            Request::History(request) => Some(Reply::History(self.history.select(&request))),
            Request::CommInfo(CommInfo { target_name }) => {
                Some(Reply::CommInfo(self.outputs.comms().info(target_name.as_deref())))
            }
            Request::CommOpen(CommOpen { comm_id, target_name }) => {
                let reaction = self.outputs.comms().opened(&comm_id, &target_name);
                return self.react(channel, parent, reaction).await;
            }
            Request::CommMessage(CommMessage { comm_id, data }) => {
                let reaction = self.outputs.comms().received(&comm_id, &data);
                return self.react(channel, parent, reaction).await;
            }
            Request::CommClose(CommClose { comm_id }) => {
                let reaction = self.outputs.comms().closed(&comm_id);
                return self.react(channel, parent, reaction).await;
            }
            Request::Interrupt => {
                self.busy(&parent);
                self.sockets.reply(channel, parent.reply(Reply::Interrupt.into_content())).await;
                self.idle(&parent);
                self.interrupt().await;
                return ControlFlow::Continue(());
            }
            Request::Shutdown(shutdown) => {
                self.busy(&parent);
                self.end(shutdown.restart, Some((channel, &parent))).await;
                return ControlFlow::Break(());
            }
            Request::InputReply(_) | Request::Other => None,
        };
        self.busy(&parent);
        if let Some(reply) = reply {
            self.sockets.reply(channel, parent.reply(reply.into_content())).await;
        }
        self.idle(&parent);
        ControlFlow::Continue(())
    }

    /// Publishes what a message of a comm leads to. If that is a call which can begin at once, the message is answered by
    /// the call: so a client that waits for the answer before it sends the next value sends no more values than are shown.
    async fn react(&mut self, channel: Channel, parent: Parent, reaction: Reaction) -> ControlFlow<()> {
        self.busy(&parent);
        let Reaction { messages, call, forgotten } = reaction;
        self.outputs.publish_comms(messages, Some(&parent));
        self.forget(forgotten);
        if let Some(interaction) = call {
            self.due.retain(|due| due.interaction != interaction);
            self.due.push_back(Due { interaction, channel, parent: parent.clone() });
            self.answering = Some(parent.id().to_owned());
            self.start_next(LaneName::Evaluator).await;
            self.answering = None;
        }
        let has_begun = self.evaluator.running.as_ref().is_some_and(|running| running.parent.id() == parent.id());
        if !has_begun {
            self.idle(&parent);
        }
        ControlFlow::Continue(())
    }

    /// Has closures dropped that nobody can call any more.
    fn forget(&self, interactions: Vec<String>) {
        if let Some(handle) = self.evaluator.handle() {
            interactions.iter().for_each(|interaction| handle.forget(interaction));
        }
    }

    /// Puts the next call into the queue, if no cell waits there.
    fn queue_call(&mut self) {
        while self.evaluator.queue.is_empty()
            && let Some(Due { interaction, channel, parent }) = self.due.pop_front()
        {
            let call = self.outputs.comms().call(&interaction);
            let pending = call.map(|call| Pending::new(channel, parent, Task::Call(call)));
            self.evaluator.queue.extend(pending);
        }
    }

    /// Asks the client that has sent the running cell for a line.
    async fn ask(&mut self, question: Output) {
        let refused = match &self.evaluator.running {
            Some(Pending { task: Task::Execute(execute), parent, .. }) if execute.allow_stdin => {
                let content = Publication::Output { output: question, count: 0 }.into_content();
                self.sockets.reply(Channel::Stdin, parent.reply(content)).await;
                self.asking = true;
                return;
            }
            Some(Pending { task: Task::Call(_), .. }) => "controls call closures while no cell runs",
            Some(_) => {
                "the client that runs this cell does not take input (`allow_stdin` is false, as with nbclient \
                        and papermill)"
            }
            None => "no cell runs, so there is no client to ask",
        };
        self.refuse(refused);
    }

    /// Says why a question of a cell gets no answer.
    fn refuse(&self, why: &str) {
        let reason = format!("{why}; write the value into the code, or read it from a file or from the environment");
        self.answer(InputAnswer::Refused { reason });
    }

    /// Handles a message of a client on the stdin channel.
    fn take_input(&mut self, request: Request) {
        match request {
            Request::InputReply(InputReply { value }) if std::mem::take(&mut self.asking) => {
                self.answer(InputAnswer::Value { value });
            }
            _ => log(format_args!("Stdin: message dropped: it answers no question")),
        }
    }

    fn answer(&self, answer: InputAnswer) {
        if let Some(handle) = self.evaluator.handle() {
            tokio::task::spawn_blocking(move || handle.answer(answer));
        }
    }

    async fn assist(&mut self, channel: Channel, parent: Parent, task: Task) -> ControlFlow<()> {
        let (name, _) = self.helper();
        self.lane(name).queue.push_back(Pending::new(channel, parent, task));
        self.start_next(name).await;
        ControlFlow::Continue(())
    }

    async fn started(&mut self, name: LaneName, outcome: Result<Ready, CellError>) {
        let state = match outcome {
            Ok(Ready { handle, banner }) => {
                if name == LaneName::Evaluator {
                    self.banner = banner;
                }
                LaneState::Ready(handle)
            }
            Err(error) => LaneState::Failed(error),
        };
        self.lane(name).state = state;
        self.start_next(name).await;
    }

    /// Hands the next request to an evaluator that has nothing to do.
    async fn start_next(&mut self, name: LaneName) {
        loop {
            let lane = self.lane(name);
            if lane.running.is_some() || matches!(lane.state, LaneState::Starting) {
                return;
            }
            if lane.abandoned {
                // Cells wait. Help with writing cells is useful at once or not at all.
                let Some(index) = lane.queue.iter().position(|pending| !pending.task.is_cell()) else { return };
                let Some(pending) = lane.queue.remove(index) else { return };
                self.busy(&pending.parent);
                let answer = pending.task.failed(interrupted());
                self.finish(pending, answer).await;
                continue;
            }
            if name == LaneName::Evaluator {
                self.queue_call();
            }
            let Some(mut pending) = self.lane(name).queue.pop_front() else { return };
            self.cells += u64::from(pending.task.runs_code());
            let job = (self.cells, pending.task.clone());
            self.begin(&mut pending);
            let lane = self.lane(name);
            let error = match (&lane.state, &lane.jobs) {
                (LaneState::Ready(_), Some(jobs)) if jobs.send(job).is_ok() => {
                    lane.running = Some(pending);
                    return;
                }
                (LaneState::Failed(error), _) => error.clone(),
                _ => thread_error(&"it has ended"),
            };
            let answer = pending.task.failed(error);
            self.finish(pending, answer).await;
        }
    }

    /// Clients hear that a request is worked on. Outputs belong to it if it is a cell.
    fn begin(&mut self, pending: &mut Pending) {
        if std::mem::replace(&mut pending.begun, true) {
            return;
        }
        // Each message makes a client work, and a slider sends many.
        if self.answering.as_deref() != Some(pending.parent.id()) {
            self.busy(&pending.parent);
        }
        if let Task::Execute(execute) = &pending.task {
            self.close_earlier(&pending.parent);
            self.announce(execute, &pending.parent);
            self.outputs.begin(pending.parent.clone(), self.count, execute.silent);
        }
    }

    /// Looks at the first cell after a while.
    fn watch_the_first_cell(&mut self) {
        if let FirstCell::Awaited(patience) = self.first {
            self.first = FirstCell::Watched(patience, None);
            self.later(patience, Event::Slow);
        }
    }

    /// Wakes the loop by an event after some time.
    fn later(&self, time: Duration, event: Event) {
        let events = self.events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(time).await;
            // The kernel may have ended.
            let _ = events.send(event);
        });
    }

    /// Says what the first cell waits for, unless its code runs, and looks at it again later.
    fn say_what_is_waited_for(&mut self) {
        let FirstCell::Watched(patience, told) = self.first else { return };
        let what = match &self.evaluator.state {
            LaneState::Starting => {
                if let Some(mut pending) = self.evaluator.queue.pop_front() {
                    self.begin(&mut pending);
                    self.evaluator.queue.push_front(pending);
                }
                Some(STARTING)
            }
            LaneState::Ready(handle) if self.evaluator.running.is_some() => handle.waits_for(self.cells),
            LaneState::Ready(_) | LaneState::Failed(_) => None,
        };
        match (what, told) {
            (Some(what), _) => self.outputs.wait_for(what),
            (None, Some(told)) => self.outputs.no_longer_for(told),
            (None, None) => {}
        }
        self.first = FirstCell::Watched(patience, what);
        self.later(patience, Event::Slow);
    }

    /// Closes the interactions that an earlier run of a cell has shown: its outputs are removed now.
    fn close_earlier(&self, parent: &Parent) {
        let Some(cell) = parent.cell_id() else { return };
        let Reaction { messages, forgotten, .. } = self.outputs.comms().close_of_cell(cell);
        self.outputs.publish_comms(messages, Some(parent));
        self.forget(forgotten);
    }

    /// Counts a cell and shows its input.
    fn announce(&mut self, execute: &Execute, parent: &Parent) {
        if execute.store_history && !execute.silent {
            self.count += 1;
            self.history.push(self.count, &execute.code);
        }
        if !execute.silent {
            let input = Publication::Input { code: execute.code.clone(), count: self.count };
            self.sockets.publisher.publish(input, parent);
        }
    }

    async fn answered(&mut self, name: LaneName, answer: Answer) -> ControlFlow<()> {
        self.lane(name).abandoned = false;
        if let Some(pending) = self.lane(name).running.take() {
            let quits = matches!(&answer, Answer::Executed(Ok(Outcome { quits: true, .. })));
            self.finish(pending, answer).await;
            if quits {
                self.end(false, None).await;
                return ControlFlow::Break(());
            }
        }
        self.start_next(name).await;
        ControlFlow::Continue(())
    }

    /// Answers a request whose work is done. After a failed cell it also answers the cells queued behind it.
    async fn finish(&mut self, pending: Pending, answer: Answer) {
        let Pending { channel, parent, task, .. } = pending;
        let (mut abort, mut quits) = (false, false);
        let reply = match (answer, task) {
            (Answer::Executed(result), Task::Execute(execute)) => {
                self.outputs.go_on();
                self.first = FirstCell::Ended;
                if std::mem::take(&mut self.asking) {
                    // Front ends remove the field with the cell's end.
                    self.refuse("the cell ended before the user answered");
                }
                let output = self.outputs.take_result();
                if execute.store_history && !execute.silent {
                    self.history.set_output(output);
                }
                let result = match result {
                    Ok(outcome) => {
                        quits = outcome.quits;
                        Executed::Done(outcome)
                    }
                    Err(error) => {
                        abort = execute.stop_on_error && !execute.silent;
                        self.sockets.publisher.publish(Publication::Error(error.clone()), &parent);
                        Executed::Failed(error)
                    }
                };
                let expressions = execute.user_expressions.keys().cloned().collect();
                Some(Reply::Execute { count: self.count, result, expressions })
            }
            (Answer::Called(Called { outputs, error, is_gone }), Task::Call(call)) => {
                let messages = self.outputs.comms().called(&call.id, outputs, error, is_gone);
                self.outputs.publish_comms(messages, Some(&parent));
                None
            }
            (Answer::Completed(completions), Task::Complete(AtCursor { code, .. })) => {
                Some(Reply::Complete { code, completions })
            }
            (Answer::Inspected(data), Task::Inspect(_)) => Some(Reply::Inspect(data)),
            (Answer::Completeness(completeness), Task::IsComplete(_)) => Some(Reply::IsComplete(completeness)),
            _ => None,
        };
        if let Some(reply) = reply {
            self.sockets.reply(channel, parent.reply(reply.into_content())).await;
        }
        if quits {
            self.sockets.publisher.publish(Publication::Shutdown { restart: false }, &parent);
        }
        self.idle(&parent);
        if abort {
            self.abort_queued().await;
        }
    }

    /// Answers the queued cells, and nothing else, without running them.
    async fn abort_queued(&mut self) {
        let queue = std::mem::take(&mut self.evaluator.queue).into_iter();
        let (cells, others): (VecDeque<_>, VecDeque<_>) = queue.partition(|pending| pending.task.is_cell());
        self.evaluator.queue = others;
        for pending in cells {
            self.busy(&pending.parent);
            self.answer_aborted(&pending).await;
        }
    }

    async fn answer_aborted(&mut self, pending: &Pending) {
        let reply = Reply::Execute { count: self.count, result: Executed::Aborted, expressions: vec![] };
        self.sockets.reply(pending.channel, pending.parent.reply(reply.into_content())).await;
        self.idle(&pending.parent);
    }

    async fn interrupt(&mut self) {
        if let (Some(running), LaneState::Ready(handle)) = (&self.evaluator.running, &self.evaluator.state)
            && running.task.runs_code()
        {
            if let Task::Call(call) = &running.task {
                // Otherwise the next call would begin at once.
                let messages = self.outputs.comms().stop_counting(&call.id);
                self.outputs.publish_comms(messages, Some(&running.parent));
                self.due.retain(|due| due.interaction != call.id);
            }
            let (handle, cell) = (Arc::clone(handle), self.cells);
            // It may take its time, to escalate from asking to killing.
            tokio::task::spawn_blocking(move || handle.interrupt(cell));
            self.later(PATIENCE, Event::Overdue { cell });
        } else if let Some(index) = self.evaluator.queue.iter().position(|pending| pending.task.is_cell())
            && let Some(pending) = self.evaluator.queue.remove(index)
        {
            // The evaluator still starts, or has other work to finish. So the first cell can be removed from the queue.
            if !pending.begun {
                self.busy(&pending.parent);
                if let Task::Execute(execute) = &pending.task {
                    self.announce(execute, &pending.parent);
                }
            }
            let answer = pending.task.failed(interrupted());
            self.finish(pending, answer).await;
        }
    }

    /// Answers an interrupted cell that has not ended by now, if none of its code has run. The evaluator finishes its
    /// work without effect. The next cell waits for it.
    async fn overdue(&mut self, cell: u64) {
        let LaneState::Ready(handle) = &self.evaluator.state else { return };
        if cell != self.cells || !handle.has_not_run(cell) {
            return;
        }
        if let Some(pending) = self.evaluator.running.take_if(|running| running.task.is_cell()) {
            self.evaluator.abandoned = true;
            let answer = pending.task.failed(interrupted());
            self.finish(pending, answer).await;
            self.start_next(LaneName::Evaluator).await;
        }
    }

    /// The last acts: no child process survives, every request has its answer.
    async fn end(&mut self, restart: bool, request: Option<(Channel, &Parent)>) {
        let lanes = [Some(&self.evaluator), self.assistant.as_ref()];
        for handle in lanes.into_iter().flatten().filter_map(Lane::handle) {
            let kill = tokio::task::spawn_blocking(move || handle.kill());
            if tokio::time::timeout(Duration::from_secs(2), kill).await.is_err() {
                log(format_args!("child processes could not be ended in time"));
            }
        }
        if let Some(running) = self.evaluator.running.take()
            && running.task.is_cell()
        {
            self.answer_aborted(&running).await;
        }
        self.abort_queued().await;
        if let Some((channel, parent)) = request {
            self.sockets.reply(channel, parent.reply(Reply::Shutdown { restart }.into_content())).await;
            self.sockets.publisher.publish(Publication::Shutdown { restart }, parent);
            self.idle(parent);
        }
    }

    fn busy(&self, parent: &Parent) {
        self.sockets.publisher.publish(Publication::Busy, parent);
    }

    fn idle(&self, parent: &Parent) {
        self.sockets.publisher.publish(Publication::Idle, parent);
        // Front ends and the server take the last status as the status of the kernel, and a server may end a kernel
        // that it believes idle. So after an answer during a cell, the status is `busy` again.
        if let Some(running) = &self.evaluator.running
            && running.parent.id() != parent.id()
        {
            self.sockets.publisher.publish(Publication::Busy, &running.parent);
        }
    }

    fn lane(&mut self, name: LaneName) -> &mut Lane {
        match (name, &mut self.assistant) {
            (LaneName::Assistant, Some(assistant)) => assistant,
            _ => &mut self.evaluator,
        }
    }

    /// The evaluator that helps to write code, which never waits for a cell.
    fn helper(&self) -> (LaneName, &Lane) {
        match &self.assistant {
            Some(assistant) => (LaneName::Assistant, assistant),
            None => (LaneName::Evaluator, &self.evaluator),
        }
    }
}

impl Lane {
    fn is_idle(&self) -> bool {
        matches!(self.state, LaneState::Ready(_)) && self.running.is_none() && !self.abandoned && self.queue.is_empty()
    }

    fn handle(&self) -> Option<Arc<dyn InterruptHandle>> {
        match &self.state {
            LaneState::Ready(handle) => Some(Arc::clone(handle)),
            LaneState::Starting | LaneState::Failed(_) => None,
        }
    }
}

fn interrupted() -> CellError {
    let value = "interrupted before the cell had begun to run".to_owned();
    CellError { name: "Interrupted".into(), traceback: vec![format!("Interrupted: {value}")], value }
}

fn thread_error(error: &dyn std::fmt::Display) -> CellError {
    let value = format!("no thread for the evaluator: {error}");
    CellError { name: "KernelError".into(), traceback: vec![value.clone()], value }
}
