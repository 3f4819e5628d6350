//! Binding the channels, reading requests, sending replies.

use super::event::{Channel, Event};
use super::heartbeat;
use super::iopub::Publisher;
use super::log::log;
use super::peers::Allowed;
use super::seen_messages::Seen;
use super::subscribers::{self, Subscribers};
use crate::wire::Incoming;
use anyhow::{Context, anyhow};
use jupyter_protocol::{ConnectionInfo, JupyterMessage, Transport};
use jupyter_zmq_client::{
    RawMessage, RouterRecvConnection, RouterSendConnection, create_kernel_control_connection,
    create_kernel_heartbeat_connection, create_kernel_shell_connection, create_kernel_stdin_connection,
};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;
use zeromq::{SocketRecv, ZmqError};

/// The separator between the identities and the signature of a message.
const DELIMITER: &[u8] = b"<IDS|MSG>";

/// The bound channels. Dropping them closes them.
pub struct Sockets {
    /// Takes publications.
    pub publisher: Publisher,
    iopub: JoinHandle<()>,
    shell: RouterSendConnection,
    control: RouterSendConnection,
    subscribers: Subscribers,
    stdin: RouterSendConnection,
    readers: [JoinHandle<()>; 5],
}

/// Binds the five channels and starts to read.
pub async fn bind(
    connection: &ConnectionInfo,
    allowed: Allowed,
    events: UnboundedSender<Event>,
) -> anyhow::Result<Sockets> {
    if connection.transport == Transport::IPC {
        remove_stale_files(connection)?;
    }
    let session = uuid::Uuid::new_v4().to_string();
    let session = session.as_str();
    let tcp = |port| (connection.transport == Transport::TCP).then_some(port);
    let heartbeat = bound("heartbeat", tcp(connection.hb_port), create_kernel_heartbeat_connection(connection).await)?;
    let (subscribers, accepting) =
        bound("iopub", tcp(connection.iopub_port), subscribers::bind(connection, allowed, session).await)?;
    let stdin = bound("stdin", tcp(connection.stdin_port), create_kernel_stdin_connection(connection, session).await)?;
    let control =
        bound("control", tcp(connection.control_port), create_kernel_control_connection(connection, session).await)?;
    let shell = bound("shell", tcp(connection.shell_port), create_kernel_shell_connection(connection, session).await)?;
    let (shell, shell_reader) = shell.split();
    let (control, control_reader) = control.split();
    let (stdin, stdin_reader) = stdin.split();
    let seen = Arc::<Mutex<Seen>>::default();
    let read = |channel, connection| tokio::spawn(read(channel, connection, Arc::clone(&seen), events.clone()));
    let (publisher, iopub) = Publisher::start(subscribers.clone());
    let readers = [
        accepting,
        tokio::spawn(heartbeat::run(heartbeat)),
        read(Channel::Control, control_reader),
        read(Channel::Stdin, stdin_reader),
        read(Channel::Shell, shell_reader),
    ];
    Ok(Sockets { publisher, iopub, subscribers, shell, control, stdin, readers })
}

impl Sockets {
    /// Sends a reply. If the client has left or does not read, only the reply is lost.
    pub async fn reply(&mut self, channel: Channel, message: JupyterMessage) {
        let connection = match channel {
            Channel::Shell => &mut self.shell,
            Channel::Control => &mut self.control,
            Channel::Stdin => &mut self.stdin,
        };
        // This waits only if the library's queue for the client, of 100,000 messages, is full.
        match tokio::time::timeout(Duration::from_secs(1), connection.send(message)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => log(format_args!("reply not sent: {error}")),
            Err(_) => log(format_args!("reply not sent: the client does not read")),
        }
    }

    /// Writes the queued messages of iopub and closes all channels.
    pub async fn close(self, deadline: Duration) {
        for reader in self.readers {
            reader.abort();
        }
        self.publisher.close(self.iopub).await;
        self.subscribers.close(deadline).await;
    }
}

/// Passes on messages that are signed, new and readable, and drops the others.
async fn read(
    channel: Channel,
    mut connection: RouterRecvConnection,
    seen: Arc<Mutex<Seen>>,
    events: UnboundedSender<Event>,
) {
    loop {
        let frames = match connection.socket.recv().await {
            Ok(frames) => frames,
            Err(ZmqError::NoMessage) => return,
            Err(error) => {
                log(format_args!("{channel:?}: {error}"));
                continue;
            }
        };
        let signature = frames.iter().skip_while(|frame| frame[..] != *DELIMITER).nth(1).cloned();
        let raw = match RawMessage::from_multipart(frames, &connection.mac) {
            Ok(raw) => raw,
            Err(error) => {
                log(format_args!("{channel:?}: message dropped: wrong signature or framing: {error}"));
                continue;
            }
        };
        let is_new = |signature| seen.lock().unwrap_or_else(PoisonError::into_inner).is_new(&signature);
        if !signature.is_some_and(is_new) {
            log(format_args!("{channel:?}: message dropped: it was received before"));
            continue;
        }
        match Incoming::from_parts(raw.zmq_identities, &raw.jparts) {
            Ok(incoming) => {
                if events.send(Event::Message { channel, incoming }).is_err() {
                    return;
                }
            }
            Err(error) => log(format_args!("{channel:?}: message dropped: {error}")),
        }
    }
}

/// The channel, or why it cannot be bound; `port` is that of TCP. Jupyter chooses a port that is free, but does not hold it until
/// the kernel has bound it, and restarts the kernel with the same ports.
fn bound<T, E: Into<anyhow::Error>>(channel: &str, port: Option<u16>, result: Result<T, E>) -> anyhow::Result<T> {
    result.map_err(|error| {
        let error = error.into();
        let in_use = |cause: &io::Error| cause.kind() == io::ErrorKind::AddrInUse;
        match port {
            Some(port) if error.chain().any(|cause| cause.downcast_ref().is_some_and(in_use)) => anyhow!(
                "another program uses the port {port}, which Jupyter has chosen for {channel}. Start a new kernel. Where many people \
                 share a machine, let Jupyter use Unix sockets: c.KernelManager.transport = \"ipc\""
            ),
            _ => error.context(format!("cannot bind {channel}")),
        }
    })
}

/// A kernel that was killed leaves its socket files, on which the next one could not bind.
fn remove_stale_files(connection: &ConnectionInfo) -> anyhow::Result<()> {
    for url in [
        connection.shell_url(),
        connection.control_url(),
        connection.iopub_url(),
        connection.stdin_url(),
        connection.hb_url(),
    ] {
        let path = url.trim_start_matches("ipc://");
        match std::fs::symlink_metadata(path) {
            Ok(file) if file.file_type().is_socket() => {
                std::fs::remove_file(path).with_context(|| format!("cannot remove the old socket {path}"))?;
            }
            _ => {}
        }
    }
    Ok(())
}
