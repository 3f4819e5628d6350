//! Several subscribers, slow ones, floods.

use crate::frontend::{Client, Frontend};
use jupyter_zmq_client::create_client_iopub_connection;

#[test]
fn two_clients_see_the_same() {
    let mut frontend = Frontend::start();
    let mut other = Client::connect(&frontend.kernel.info);
    let id = frontend.execute("print both");
    frontend.begins(&id, "print both", 1);
    frontend.stream(&id, "stdout", "both\n");
    frontend.ends_well(&id, 1);
    for expected in ["status", "execute_input", "stream", "status"] {
        let received = other.next_published();
        assert_eq!((received.message_type.as_str(), received.parent), (expected, id.clone()));
    }
}

#[test]
fn a_flood_arrives_whole() {
    let mut frontend = Frontend::start();
    let code = "flood 3000000";
    let id = frontend.execute(code);
    frontend.begins(&id, code, 1);
    let text = format!("{}\n", "x".repeat(999)).repeat(3000);
    frontend.stream(&id, "stdout", &text);
    frontend.ends_well(&id, 1);
}

#[test]
fn a_subscriber_that_does_not_read_holds_nobody_up() {
    let mut frontend = Frontend::start();
    // Never polled again, so what it is sent fills the buffers of its connection.
    let info = frontend.kernel.info.clone();
    let stalled = frontend.client.block_on(create_client_iopub_connection(&info, "", "stalled")).unwrap();
    let code = "flood 30000000";
    let id = frontend.execute(code);
    frontend.begins(&id, code, 1);
    let text = format!("{}\n", "x".repeat(999)).repeat(30_000);
    frontend.stream(&id, "stdout", &text);
    frontend.ends_well(&id, 1);
    frontend.run_quietly("", 2);
    drop(stalled);
}

#[test]
fn a_subscriber_that_leaves_holds_nobody_up() {
    let mut frontend = Frontend::start();
    let before = frontend.kernel.descriptors();
    for _ in 0..20 {
        drop(Client::connect(&frontend.kernel.info));
    }
    frontend.kernel.wait_until(|kernel| kernel.descriptors() == before);
    let code = "flood 3000000";
    let id = frontend.execute(code);
    frontend.begins(&id, code, 1);
    drop(Client::connect(&frontend.kernel.info));
    let text = format!("{}\n", "x".repeat(999)).repeat(3000);
    frontend.stream(&id, "stdout", &text);
    frontend.ends_well(&id, 1);
}
