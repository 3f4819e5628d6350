//! A kernel of this program and one client of it, which executes cells as Jupyter's clients do.
//!
//! The kernel leads a process group of its own, so that Ctrl-C reaches the client only: it interrupts the cell, and the
//! notebook is written with what ran.

use anyhow::{Context, Result, anyhow, bail};
use jupyter_protocol::{
    ConnectionInfo, ExecuteRequest, ExecutionState, InterruptRequest, JupyterMessage, JupyterMessageContent,
    ReplyStatus, ShutdownRequest, Transport,
};
use jupyter_zmq_client::{
    ClientControlConnection, Connection, DealerSendConnection, RuntimeError, create_client_control_connection,
    create_client_iopub_connection, create_client_shell_connection_with_identity, peer_identity_for_session,
};
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::runtime::Runtime;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until, timeout};
use zeromq::SocketRecv;

/// How long a cell may take to end after an interrupt, and a kernel after it was told to.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a kernel may take to say its first word.
const START: Duration = Duration::from_secs(60);

/// The path of a socket has at most 107 bytes. Where the folder for temporary files has a long name, `/tmp` is taken.
const LONGEST_FOLDER: usize = 60;

/// How a cell ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// With a reply, good or bad.
    Replied { count: usize, failed: bool },
    /// It took too long, and was interrupted.
    TimedOut,
    /// By this signal, such as that of Ctrl-C.
    Interrupted { signal: i32 },
    /// The kernel's process ended.
    Died(ExitStatus),
}

impl End {
    /// The signal that ended it.
    pub fn signal(&self) -> Option<i32> {
        if let End::Interrupted { signal } = self { Some(*signal) } else { None }
    }
}

/// The signals that end this program in order: that of Ctrl-C, and that by which batch systems and containers end programs.
struct Stops {
    interrupt: Signal,
    terminate: Signal,
}

impl Stops {
    fn listen() -> Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// The next one.
    async fn next(&mut self) -> i32 {
        tokio::select! {
            _ = self.interrupt.recv() => libc::SIGINT,
            _ = self.terminate.recv() => libc::SIGTERM,
        }
    }
}

/// A running kernel.
pub struct Session {
    runtime: Runtime,
    connections: Connections,
    _folder: TempDir,
}

struct Connections {
    kernel: Child,
    shell: DealerSendConnection,
    control: ClientControlConnection,
    /// What comes on the channels iopub and shell, in the order in which each sends it.
    messages: UnboundedReceiver<JupyterMessage>,
    stops: Stops,
}

impl Session {
    /// Starts a kernel whose cells run in this folder.
    pub fn start(folder: &Path) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let sockets = if std::env::temp_dir().as_os_str().len() <= LONGEST_FOLDER {
            tempfile::tempdir()
        } else {
            tempfile::tempdir_in("/tmp")
        };
        let sockets = sockets.context("the kernel needs a folder for its sockets")?;
        let info = ConnectionInfo {
            ip: sockets.path().join("kernel").to_str().context("the temporary folder's name is not UTF-8")?.to_owned(),
            transport: Transport::IPC,
            shell_port: 1,
            iopub_port: 2,
            stdin_port: 3,
            control_port: 4,
            hb_port: 5,
            key: uuid::Uuid::new_v4().to_string(),
            signature_scheme: "hmac-sha256".into(),
            kernel_name: None,
        };
        let file = sockets.path().join("connection.json");
        crate::files::replace(&file, serde_json::to_string(&info)?)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["kernel", "--connection-file"]).arg(&file);
        command.current_dir(folder).env("JPY_PARENT_PID", std::process::id().to_string());
        command.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0).kill_on_drop(true);
        let connections = runtime.block_on(async {
            // From here on Ctrl-C ends this program in order.
            let stops = Stops::listen()?;
            let kernel = command.spawn().context("the kernel cannot be started")?;
            Connections::open(&info, kernel, stops).await
        })?;
        Ok(Self { runtime, connections, _folder: sockets })
    }

    /// Executes a cell. `take` gets what it publishes. `limit` is how long it may take.
    pub fn execute(
        &mut self,
        code: &str,
        limit: Option<Duration>,
        take: &mut dyn FnMut(JupyterMessageContent),
    ) -> Result<End> {
        let request = ExecuteRequest { allow_stdin: false, ..ExecuteRequest::new(code.to_owned()) };
        self.runtime.block_on(self.connections.execute(request, limit, take))
    }

    /// Executes code that is not a cell: it does not count.
    pub fn ask(&mut self, code: &str, take: &mut dyn FnMut(JupyterMessageContent)) -> Result<End> {
        let request =
            ExecuteRequest { allow_stdin: false, store_history: false, ..ExecuteRequest::new(code.to_owned()) };
        self.runtime.block_on(self.connections.execute(request, Some(6 * PATIENCE), take))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.runtime.block_on(self.connections.close());
    }
}

impl Connections {
    async fn open(info: &ConnectionInfo, mut kernel: Child, mut stops: Stops) -> Result<Self> {
        let session = uuid::Uuid::new_v4().to_string();
        let (sender, messages) = unbounded_channel();
        let connected = async {
            let identity = peer_identity_for_session(&session)?;
            let (shell, replies) =
                create_client_shell_connection_with_identity(info, &session, identity).await?.split();
            let control = create_client_control_connection(info, &session).await?;
            let mut iopub = create_client_iopub_connection(info, "", &session).await?;
            // With the welcome the subscription holds: nothing is lost from here on.
            while !matches!(iopub.read().await?.content, JupyterMessageContent::IoPubWelcome(_)) {}
            tokio::spawn(forward(iopub, sender.clone()));
            tokio::spawn(forward(replies, sender));
            Ok::<_, RuntimeError>((shell, control))
        };
        let (shell, control) = tokio::select! {
            connected = timeout(START, connected) => connected
                .with_context(|| format!("the kernel said nothing for {} s", START.as_secs()))?
                .map_err(|error| anyhow!("the kernel cannot be reached: {error}"))?,
            _ = stops.next() => bail!("interrupted before the first cell"),
            status = kernel.wait() => bail!("the kernel ended as it started ({}); `warpcell doctor` tells more", status?),
        };
        Ok(Self { kernel, shell, control, messages, stops })
    }

    async fn execute(
        &mut self,
        request: ExecuteRequest,
        limit: Option<Duration>,
        take: &mut dyn FnMut(JupyterMessageContent),
    ) -> Result<End> {
        let request = JupyterMessage::from(request);
        let id = request.header.msg_id.clone();
        self.shell.send(request).await.map_err(|error| anyhow!("the cell cannot be sent: {error}"))?;
        let (mut reply, mut idle) = (None, false);
        // Why the cell is being interrupted.
        let mut stopping: Option<End> = None;
        // A limit beyond all times is none.
        let mut deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        loop {
            if idle && let Some((count, failed)) = reply {
                return Ok(stopping.unwrap_or(End::Replied { count, failed }));
            }
            tokio::select! {
                // What the kernel has sent counts before its end.
                biased;
                message = self.messages.recv() => {
                    let Some(message) = message else {
                        return Ok(End::Died(self.kernel.wait().await?));
                    };
                    let own = message.parent_header.as_ref().is_some_and(|header| header.msg_id == id);
                    match message.content {
                        JupyterMessageContent::ExecuteReply(answer) if own => {
                            reply = Some((answer.execution_count.value(), answer.status != ReplyStatus::Ok));
                        }
                        JupyterMessageContent::Status(status) if own => idle = status.execution_state == ExecutionState::Idle,
                        // A display that an earlier cell has shown may change at any time.
                        content @ JupyterMessageContent::UpdateDisplayData(_) => take(content),
                        content if own => take(content),
                        _ => {}
                    }
                }
                status = self.kernel.wait() => return Ok(End::Died(status?)),
                signal = self.stops.next() => {
                    if stopping.is_some() {
                        return Ok(End::Interrupted { signal });
                    }
                    self.interrupt().await?;
                    (stopping, deadline) = (Some(End::Interrupted { signal }), Some(Instant::now() + PATIENCE));
                }
                () = sleep_until(deadline.unwrap_or_else(Instant::now)), if deadline.is_some() => {
                    if let Some(end) = stopping {
                        return Ok(end);
                    }
                    self.interrupt().await?;
                    (stopping, deadline) = (Some(End::TimedOut), Some(Instant::now() + PATIENCE));
                }
            }
        }
    }

    async fn interrupt(&mut self) -> Result<()> {
        let sent = self.control.send(InterruptRequest {}.into()).await;
        sent.map_err(|error| anyhow!("the cell cannot be interrupted: {error}"))
    }

    /// Ends the kernel. If it does not end by itself, it is killed with all that it has started.
    async fn close(&mut self) {
        let Some(leader) = self.kernel.id() else { return };
        let asked = self.control.send(ShutdownRequest { restart: false }.into()).await;
        if asked.is_err() || timeout(PATIENCE, self.kernel.wait()).await.is_err() {
            if let Ok(leader) = libc::pid_t::try_from(leader) {
                crate::process_group::signal(leader, libc::SIGKILL);
            }
            let _ = self.kernel.wait().await;
        }
    }
}

/// Passes on what a channel brings, until the kernel ends. What is not understood is left out.
async fn forward<S: SocketRecv>(mut connection: Connection<S>, messages: UnboundedSender<JupyterMessage>) {
    loop {
        match connection.read().await {
            Ok(message) => {
                if messages.send(message).is_err() {
                    return;
                }
            }
            Err(RuntimeError::ZmqError(_)) => return,
            Err(_) => {}
        }
    }
}
