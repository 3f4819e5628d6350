//! The heartbeat channel. It returns every message.

use super::log::log;
use jupyter_zmq_client::KernelHeartbeatConnection;
use zeromq::{SocketRecv, SocketSend, ZmqError};

/// Echoes for as long as the kernel lives.
///
/// The library's own `single_heartbeat` answers "pong", whatever was sent; the protocol asks for an echo.
pub async fn run(mut connection: KernelHeartbeatConnection) {
    loop {
        match connection.socket.recv().await {
            Ok(message) => {
                if let Err(error) = connection.socket.send(message).await {
                    log(format_args!("heartbeat not answered: {error}"));
                }
            }
            Err(ZmqError::NoMessage) => return,
            Err(error) => log(format_args!("heartbeat not understood: {error}")),
        }
    }
}
