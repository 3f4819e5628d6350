//! Signatures, malformed frames, the heartbeat, and both transports.

use crate::frontend::{Client, Frontend, Kernel};
use jupyter_protocol::Transport;
use jupyter_zmq_client::create_client_heartbeat_connection;
use serde_json::json;
use zeromq::{SocketRecv, SocketSend};

const HEADER: &[u8] =
    br#"{"msg_id":"x","username":"u","session":"s","date":"","msg_type":"execute_request","version":"5.3"}"#;

#[test]
fn badly_signed_messages_are_dropped() {
    let mut frontend = Frontend::start();
    let content = br#"{"code":"print never"}"#;
    for signature in [&b"0123456789abcdef"[..], b"", b"not hexadecimal", &[b'0'; 64], &[0xff; 64]] {
        frontend.client.send_frames(&[b"<IDS|MSG>", signature, HEADER, b"{}", b"{}", content]);
    }
    frontend.run_quietly("", 1);
}

#[test]
fn malformed_messages_are_dropped() {
    let mut frontend = Frontend::start();
    frontend.client.send_frames(&[b"no delimiter"]);
    frontend.client.send_frames(&[b""]);
    frontend.client.send_frames(&[b"<IDS|MSG>"]);
    frontend.client.send_frames(&[b"<IDS|MSG>", b""]);
    frontend.client.send_frames(&[b"<IDS|MSG>", b"", b"{}"]);
    // Signed, but not what the protocol says.
    frontend.request("execute_request", json!({ "code": 3 }));
    frontend.request("history_request", json!({ "hist_access_type": "everything" }));
    frontend.run_quietly("", 1);
}

#[test]
fn oversized_messages_are_answered() {
    let mut frontend = Frontend::start();
    let id = frontend.request("comm_msg", json!({ "comm_id": "c", "data": "x".repeat(40 << 20) }));
    frontend.busy(&id);
    frontend.idle(&id);
    let reply = frontend.ask("is_complete_request", json!({ "code": "x".repeat(4 << 20) }));
    assert_eq!(reply["status"], "complete");
    frontend.run_quietly("", 1);
}

#[test]
fn the_heartbeat_is_an_echo() {
    let frontend = Frontend::start();
    let info = frontend.kernel.info.clone();
    frontend.client.block_on(async {
        let mut heartbeat = create_client_heartbeat_connection(&info).await.unwrap();
        for beat in [&b"ping"[..], b"", &[0, 255, 1], &[7; 100_000]] {
            heartbeat.socket.send(beat.to_vec().into()).await.unwrap();
            let echo = heartbeat.socket.recv().await.unwrap().into_vec();
            assert_eq!(echo, [beat]);
        }
    });
}

#[test]
fn a_conversation_over_ipc() {
    let mut frontend = Frontend::start_with(Transport::IPC, |_| {});
    let id = frontend.execute("print é");
    frontend.begins(&id, "print é", 1);
    frontend.stream(&id, "stdout", "é\n");
    frontend.ends_well(&id, 1);
    frontend.shut_down();
}

#[test]
fn a_kernel_takes_over_the_sockets_of_one_that_was_killed() {
    let mut killed = Kernel::start(Transport::IPC, |_| {});
    drop(Client::connect(&killed.info));
    killed.process.kill().unwrap();
    killed.process.wait().unwrap();
    let directory = &killed.directory;
    let arguments: Vec<_> = std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(arguments.len(), 6, "five sockets and the connection file: {arguments:?}");
    let file = arguments.iter().find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    let info = killed.info.clone();
    let mut again = std::process::Command::new(env!("CARGO_BIN_EXE_warpcell"))
        .args(["kernel", "--evaluator", "echo", "--connection-file"])
        .arg(file)
        .spawn()
        .unwrap();
    drop(Client::connect(&info));
    again.kill().unwrap();
    again.wait().unwrap();
}

#[test]
fn large_cells_and_unsigned_connections() {
    let mut frontend = Frontend::start();
    let code = format!("print {}", "é".repeat(500_000));
    let id = frontend.execute(&code);
    frontend.begins(&id, &code, 1);
    frontend.stream(&id, "stdout", &format!("{}\n", "é".repeat(500_000)));
    frontend.ends_well(&id, 1);
}
