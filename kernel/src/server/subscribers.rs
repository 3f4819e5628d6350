//! The clients of the iopub channel. Each has its own queue and socket.
//!
//! One XPUB socket for all clients would write to them one after another and wait for each. A client that does not read
//! would delay the others. A PUB socket has queues, but does not report subscriptions (the protocol requires a welcome)
//! or empty queues (the last messages of a kernel would be lost). So every connection gets its own XPUB socket, behind
//! a private local socket that passes the bytes.

use super::log::log;
use super::peers::Allowed;
use crate::private;
use crate::wire::iopub::Publication;
use anyhow::Context;
use jupyter_protocol::{ConnectionInfo, JupyterMessage, Transport};
use jupyter_zmq_client::{Connection, KernelIoPubXPubConnection, SubscriptionEvent};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use zeromq::{Socket, SocketEvent, XPubSocket};

/// How much memory a client may use that does not read. Then it is disconnected.
const BACKLOG_LIMIT: usize = 512 << 20;

/// The connected clients.
#[derive(Clone, Default)]
pub struct Subscribers(Arc<Mutex<List>>);

#[derive(Default)]
struct List {
    subscribers: Vec<Subscriber>,
    tasks: JoinSet<()>,
}

struct Subscriber {
    queue: mpsc::UnboundedSender<QueuedMessage>,
    backlog: Arc<AtomicUsize>,
    task: tokio::task::AbortHandle,
}

struct QueuedMessage {
    message: Arc<JupyterMessage>,
    size: usize,
}

/// The data with which a subscriber's socket signs its messages.
struct Signature {
    key: String,
    session: String,
}

/// Binds the channel and accepts clients until the task is aborted.
pub async fn bind(
    connection: &ConnectionInfo,
    allowed: Allowed,
    session: &str,
) -> anyhow::Result<(Subscribers, JoinHandle<()>)> {
    let subscribers = Subscribers::default();
    let accepted = subscribers.clone();
    let signature = Arc::new(Signature { key: connection.key.clone(), session: session.to_owned() });
    let task = match connection.transport {
        Transport::TCP => {
            let ip = if connection.ip == "*" { "0.0.0.0" } else { &connection.ip };
            let listener = TcpListener::bind((ip, connection.iopub_port)).await?;
            tokio::spawn(async move {
                loop {
                    match listener.accept().await {
                        Ok((stream, peer)) => {
                            let local = stream.local_addr();
                            if let Some(user) = local.ok().and_then(|local| allowed.refuses(local, peer)) {
                                log(format_args!("iopub: a connection of another user (uid {user}) is refused"));
                                continue;
                            }
                            let _ = stream.set_nodelay(true);
                            accepted.add(stream, Arc::clone(&signature));
                        }
                        Err(error) => not_accepted(&error).await,
                    }
                }
            })
        }
        Transport::IPC => {
            let path = PathBuf::from(connection.iopub_url().trim_start_matches("ipc://"));
            let listener = UnixListener::bind(&path)?;
            let file = tempfile::TempPath::try_from_path(path)?;
            tokio::spawn(async move {
                let _file = file;
                loop {
                    match listener.accept().await {
                        Ok((stream, _)) => accepted.add(stream, Arc::clone(&signature)),
                        Err(error) => not_accepted(&error).await,
                    }
                }
            })
        }
    };
    Ok((subscribers, task))
}

async fn not_accepted(error: &std::io::Error) {
    log(format_args!("iopub: connection not accepted: {error}"));
    // Most likely no descriptors are left; that passes, or it does not, but never by asking faster.
    tokio::time::sleep(Duration::from_millis(100)).await;
}

impl Subscribers {
    /// Queues a message for all.
    pub fn send(&self, message: JupyterMessage, size: usize) {
        let message = Arc::new(message);
        self.list().subscribers.retain(|subscriber| {
            if subscriber.backlog.fetch_add(size, Ordering::Relaxed) > BACKLOG_LIMIT {
                log(format_args!("iopub: a client does not read; it is disconnected"));
                subscriber.task.abort();
                return false;
            }
            subscriber.queue.send(QueuedMessage { message: Arc::clone(&message), size }).is_ok()
        });
    }

    /// Waits until everything is written and all clients are disconnected.
    pub async fn close(&self, deadline: Duration) {
        let List { subscribers, mut tasks } = std::mem::take(&mut *self.list());
        // Without senders the queues end.
        drop(subscribers);
        let written = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(deadline, written).await.is_err() {
            log(format_args!("iopub: a client does not read; its last messages are lost"));
        }
    }

    fn add<S: AsyncRead + AsyncWrite + Send + 'static>(&self, stream: S, signature: Arc<Signature>) {
        let (queue, queued) = mpsc::unbounded_channel();
        let backlog = Arc::<AtomicUsize>::default();
        let sent = Arc::clone(&backlog);
        let mut list = self.list();
        // Finished tasks are forgotten here, so that reconnecting clients do not add up.
        while list.tasks.try_join_next().is_some() {}
        let task = list.tasks.spawn(async move {
            if let Err(error) = serve(stream, queued, &sent, &signature).await {
                log(format_args!("iopub: a client cannot be served: {error:#}"));
            }
        });
        list.subscribers.push(Subscriber { queue, backlog, task });
    }

    fn list(&self) -> std::sync::MutexGuard<'_, List> {
        // Nothing that can panic happens between two steps of a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves one client until it leaves, or until the queue has ended and everything is written.
async fn serve<S: AsyncRead + AsyncWrite>(
    stream: S,
    queued: mpsc::UnboundedReceiver<QueuedMessage>,
    backlog: &AtomicUsize,
    signature: &Signature,
) -> anyhow::Result<()> {
    let mut socket = XPubSocket::new();
    let mut monitor = socket.monitor();
    let local = private_connection(&mut socket).await?;
    let mut connection = Connection::new(socket, &signature.key, &signature.session);
    let relay = relay(stream, local);
    tokio::pin!(relay);
    tokio::select! {
        () = &mut relay => return Ok(()),
        () = publish(&mut connection, queued, backlog) => {}
    }
    // Closes our end of the local connection. Bytes that were written to it still pass.
    let backend = connection.socket.backend();
    while let Ok(event) = monitor.try_recv() {
        if let SocketEvent::Accepted(_, peer) = event {
            backend.peer_disconnected(&peer);
        }
    }
    relay.await;
    Ok(())
}

async fn publish(
    connection: &mut KernelIoPubXPubConnection,
    mut queued: mpsc::UnboundedReceiver<QueuedMessage>,
    backlog: &AtomicUsize,
) {
    loop {
        let message = tokio::select! {
            // A subscription comes before the next message, because its client may wait for the message.
            biased;
            subscription = connection.recv_subscription() => match subscription {
                Ok(SubscriptionEvent::Subscribe(topic)) => Publication::Welcome { topic }.into_message(None),
                Ok(SubscriptionEvent::Unsubscribe(_)) => continue,
                Err(error) => {
                    log(format_args!("iopub: a client sends an invalid message: {error}"));
                    continue;
                }
            },
            next = queued.recv() => match next {
                Some(QueuedMessage { message, size }) => {
                    backlog.fetch_sub(size, Ordering::Relaxed);
                    Arc::unwrap_or_clone(message)
                }
                None => return,
            },
        };
        if let Err(error) = connection.send(message).await {
            log(format_args!("iopub: {error}"));
        }
    }
}

/// Connects to a socket that no other user can reach.
async fn private_connection(socket: &mut XPubSocket) -> anyhow::Result<UnixStream> {
    // A socket's path has at most 107 bytes, so a long TMPDIR may not do.
    match private_connection_in(socket, &std::env::temp_dir()).await {
        Ok(connection) => Ok(connection),
        Err(_) => private_connection_in(socket, Path::new("/tmp")).await,
    }
}

async fn private_connection_in(socket: &mut XPubSocket, directory: &Path) -> anyhow::Result<UnixStream> {
    // Readable for this user alone, and gone with its socket at the end of this function.
    let directory = private::temporary(directory, "warpcell-iopub-").context("no directory")?;
    let path = directory.path().join("iopub");
    let listener = std::os::unix::net::UnixListener::bind(&path).context("no local socket")?;
    socket.bind_listener(listener).await?;
    Ok(UnixStream::connect(&path).await?)
}

/// Passes bytes in both directions until the client leaves, or until there are no more bytes for it.
async fn relay<S: AsyncRead + AsyncWrite>(client: S, local: UnixStream) {
    let (mut from_client, mut to_client) = tokio::io::split(client);
    let (mut from_kernel, mut to_kernel) = local.into_split();
    tokio::select! {
        _ = tokio::io::copy(&mut from_client, &mut to_kernel) => {}
        _ = tokio::io::copy(&mut from_kernel, &mut to_client) => { let _ = to_client.shutdown().await; }
    }
}
