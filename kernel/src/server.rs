//! The kernel process: five sockets, one loop, and the evaluators on their own threads.
//!
//! ```text
//! shell, control ──> Event ──> KernelLoop ──> Lane (evaluator thread)
//! signals, parent ─>    ^         │            │ outputs go directly to iopub, so that much
//!                       └─────────┼────────────┤ text cannot delay an interrupt
//!                                 v            v
//!                     replies, iopub (own tasks, a queue for each client)
//! ```
//!
//! Nothing in the loop waits for a client or for a cell. The server knows the language only as
//! [`Evaluator`](crate::evaluator::Evaluator).

mod event;
mod heartbeat;
mod history;
mod iopub;
mod kernel_loop;
mod lane;
mod log;
mod peers;
mod seen_messages;
mod sockets;
mod subscribers;
mod watch;

use anyhow::{Context, bail};
use jupyter_protocol::ConnectionInfo;
use kernel_loop::KernelLoop;
use peers::Allowed;
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc;

pub use lane::{Factory, Language};

/// How long a client that does not read may delay the end of the kernel.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Serves the clients of one connection file until a shutdown.
pub fn serve(connection_file: &Path, language: Language) -> anyhow::Result<()> {
    let connection = read_connection(connection_file)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let allowed = Allowed::of(connection_file);
    let result = runtime.block_on(serve_connection(&connection, allowed, language));
    // Whatever is still blocked (a cell that cannot be stopped) must not keep the process.
    runtime.shutdown_background();
    result
}

fn read_connection(path: &Path) -> anyhow::Result<ConnectionInfo> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read the connection file {}", path.display()))?;
    let connection: ConnectionInfo =
        serde_json::from_str(&text).with_context(|| format!("{} is not a Jupyter connection file", path.display()))?;
    if !connection.key.is_empty() && connection.signature_scheme != "hmac-sha256" {
        bail!("signature scheme {} is not supported, only hmac-sha256", connection.signature_scheme);
    }
    Ok(connection)
}

async fn serve_connection(connection: &ConnectionInfo, allowed: Allowed, language: Language) -> anyhow::Result<()> {
    let (events, mut incoming) = mpsc::unbounded_channel();
    // Signals first: one that arrives from here on is an event and not the end.
    watch::signals(events.clone())?;
    watch::parent(events.clone());
    let sockets = sockets::bind(connection, allowed, events.clone()).await?;
    let mut session = KernelLoop::new(language, sockets, events);
    while let Some(event) = incoming.recv().await {
        if session.handle(event).await.is_break() {
            break;
        }
    }
    session.close(LAST_WORDS).await;
    drop(incoming);
    // The library queues replies for its own tasks. They end when the queues are written.
    let drained = async {
        let metrics = tokio::runtime::Handle::current().metrics();
        while metrics.num_alive_tasks() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let _ = tokio::time::timeout(LAST_WORDS, drained).await;
    Ok(())
}
