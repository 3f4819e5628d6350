//! A Jupyter front end that states what it expects next, and fails on anything else.
//!
//! Every message that the kernel sends must be expected by the test: [`Frontend`] checks on drop that none is left.
//! Waits end with the message; [`DEADLINE`] is only there to end a test that has failed.

use jupyter_protocol::{ConnectionInfo, JupyterMessage, Transport, UnknownMessage};
use jupyter_zmq_client::{
    ClientControlConnection, ClientIoPubConnection, ClientShellConnection, ClientStdinConnection, Connection,
    RawMessage, create_client_control_connection, create_client_iopub_connection,
    create_client_shell_connection_with_identity, create_client_stdin_connection_with_identity,
    peer_identity_for_session,
};
use serde_json::{Value, json};
use std::ffi::CString;
use std::future::Future;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use zeromq::{SocketRecv, SocketSend};

/// How long a test waits for anything before it fails.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// Which channel a request is sent on.
#[derive(Clone, Copy)]
pub enum Channel {
    Shell,
    Control,
    Stdin,
}

/// A running kernel, and the connections of one client.
pub struct Frontend {
    pub kernel: Kernel,
    pub client: Client,
    ended: bool,
}

/// The kernel's process.
pub struct Kernel {
    pub info: ConnectionInfo,
    pub process: Child,
    pub directory: tempfile::TempDir,
}

/// The connections of one client.
pub struct Client {
    runtime: Runtime,
    session: String,
    shell: ClientShellConnection,
    control: ClientControlConnection,
    stdin: ClientStdinConnection,
    iopub: Option<ClientIoPubConnection>,
}

/// A message as it came in.
#[derive(Debug)]
pub struct Received {
    pub message_type: String,
    pub parent: String,
    pub content: Value,
}

impl Frontend {
    /// Starts a kernel on local ports.
    #[track_caller]
    pub fn start() -> Self {
        Self::start_with(Transport::TCP, |_| {})
    }

    /// Starts a kernel with a changed command.
    #[track_caller]
    pub fn start_with(transport: Transport, change: impl FnOnce(&mut Command)) -> Self {
        let kernel = Kernel::start(transport, change);
        let client = Client::connect(&kernel.info);
        Self { kernel, client, ended: false }
    }

    /// Sends code to run; returns the identity of the request.
    pub fn execute(&mut self, code: &str) -> String {
        self.execute_with(json!({ "code": code }))
    }

    /// Sends an `execute_request` with the given content.
    pub fn execute_with(&mut self, content: Value) -> String {
        self.client.send(Channel::Shell, "execute_request", content)
    }

    /// Sends a cell of a notebook.
    pub fn execute_in_notebook(&mut self, code: &str) -> String {
        let metadata = json!({ "cellId": "cell" });
        self.client.send_with(Channel::Shell, "execute_request", json!({ "code": code }), metadata)
    }

    /// Sends a request on the shell channel.
    pub fn request(&mut self, message_type: &str, content: Value) -> String {
        self.client.send(Channel::Shell, message_type, content)
    }

    /// A request on the shell channel whose reply is expected between busy and idle. Returns the reply's content.
    #[track_caller]
    pub fn ask(&mut self, message_type: &str, content: Value) -> Value {
        let id = self.request(message_type, content);
        self.busy(&id);
        let reply = self.client.reply(Channel::Shell, &message_type.replace("_request", "_reply"), &id);
        self.idle(&id);
        reply
    }

    /// The same while a cell runs, after which that cell is busy still.
    #[track_caller]
    pub fn ask_while_running(&mut self, message_type: &str, running: &str) -> Value {
        let reply = self.ask(message_type, json!({ "code": "a b", "cursor_pos": 1, "hist_access_type": "tail" }));
        self.busy(running);
        reply
    }

    /// A cell whose only traces are its input and a good reply.
    #[track_caller]
    pub fn run_quietly(&mut self, code: &str, count: usize) {
        let id = self.execute(code);
        self.begins(&id, code, count);
        self.ends_well(&id, count);
    }

    /// Busy, and the input of a cell.
    #[track_caller]
    pub fn begins(&mut self, id: &str, code: &str, count: usize) {
        self.busy(id);
        self.client.published("execute_input", id, json!({ "code": code, "execution_count": count }));
    }

    /// A good reply, and idle.
    #[track_caller]
    pub fn ends_well(&mut self, id: &str, count: usize) {
        let reply = self.client.reply(Channel::Shell, "execute_reply", id);
        let expected = json!({ "status": "ok", "execution_count": count, "payload": [], "user_expressions": {} });
        assert_eq!(reply, expected);
        self.idle(id);
    }

    /// The error on iopub and in the reply, and idle.
    #[track_caller]
    pub fn ends_badly(&mut self, id: &str, count: usize, name: &str, value: &str) {
        let traceback = json!([format!("{name}: {value}")]);
        self.client.published("error", id, json!({ "ename": name, "evalue": value, "traceback": traceback }));
        let reply = self.client.reply(Channel::Shell, "execute_reply", id);
        let expected = json!({
            "status": "error", "execution_count": count, "payload": [], "user_expressions": {},
            "ename": name, "evalue": value, "traceback": traceback,
        });
        assert_eq!(reply, expected);
        self.idle(id);
    }

    /// A cell that was queued behind one that failed.
    #[track_caller]
    pub fn is_aborted(&mut self, id: &str) {
        self.busy(id);
        let reply = self.client.reply(Channel::Shell, "execute_reply", id);
        assert_eq!(reply["status"], "aborted");
        self.idle(id);
    }

    #[track_caller]
    pub fn busy(&mut self, id: &str) {
        self.client.published("status", id, json!({ "execution_state": "busy" }));
    }

    #[track_caller]
    pub fn idle(&mut self, id: &str) {
        self.client.published("status", id, json!({ "execution_state": "idle" }));
    }

    #[track_caller]
    pub fn stream(&mut self, id: &str, name: &str, text: &str) {
        self.client.streamed(id, name, text);
    }

    /// Sends an interrupt and expects its reply; `running` is the cell that it meets.
    #[track_caller]
    pub fn interrupt(&mut self, running: Option<&str>) {
        let id = self.client.send(Channel::Control, "interrupt_request", json!({}));
        self.busy(&id);
        let reply = self.client.reply(Channel::Control, "interrupt_reply", &id);
        assert_eq!(reply, json!({ "status": "ok" }));
        self.idle(&id);
        if let Some(running) = running {
            self.busy(running);
        }
    }

    /// Checks that nothing was left unread, shuts the kernel down and checks the rest of the conversation.
    #[track_caller]
    pub fn shut_down(mut self) {
        self.finish();
    }

    /// The end of a kernel that ends by itself.
    #[track_caller]
    pub fn exits(&mut self) -> ExitStatus {
        self.ended = true;
        self.kernel.wait()
    }

    #[track_caller]
    fn finish(&mut self) {
        if self.ended {
            return;
        }
        self.ended = true;
        // An unread reply or publication would come before the answers to these.
        self.ask("kernel_info_request", json!({}));
        let id = self.client.send(Channel::Control, "shutdown_request", json!({ "restart": false }));
        self.busy(&id);
        let expected = json!({ "status": "ok", "restart": false });
        assert_eq!(self.client.reply(Channel::Control, "shutdown_reply", &id), expected);
        self.client.published("shutdown_reply", &id, expected);
        self.idle(&id);
        assert!(self.kernel.wait().success());
        assert!(self.client.has_no_question(), "a question of the kernel was not read");
    }
}

impl Drop for Frontend {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.finish();
        }
    }
}

/// Ports for a kernel. They are below those that the system gives to whoever asks for any port (from 32768 on), so nothing takes one of
/// them before the kernel does. Each is given once.
fn free_ports() -> [u16; 5] {
    static GIVEN: AtomicU16 = AtomicU16::new(0);
    const COUNT: u32 = 20_000;
    let first = std::process::id().wrapping_mul(61);
    let next = || 10_000 + (first.wrapping_add(GIVEN.fetch_add(1, Ordering::Relaxed).into()) % COUNT) as u16;
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    std::array::from_fn(|_| std::iter::repeat_with(next).take(COUNT as usize).find(is_free).expect("a free port"))
}

impl Kernel {
    /// Writes a connection file and starts the binary with it.
    #[track_caller]
    pub fn start(transport: Transport, change: impl FnOnce(&mut Command)) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let (ip, ports) = match transport {
            Transport::TCP => ("127.0.0.1".to_owned(), free_ports()),
            Transport::IPC => (path(directory.path().join("kernel-ipc")), [1, 2, 3, 4, 5]),
        };
        let info = ConnectionInfo {
            ip,
            transport,
            shell_port: ports[0],
            iopub_port: ports[1],
            stdin_port: ports[2],
            control_port: ports[3],
            hb_port: ports[4],
            key: "a key".into(),
            signature_scheme: "hmac-sha256".into(),
            kernel_name: None,
        };
        let file = directory.path().join("connection file é.json");
        std::fs::write(&file, serde_json::to_string(&info).expect("JSON")).expect("a connection file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpcell"));
        command.args(["kernel", "--connection-file"]).arg(&file);
        command.env_remove("JPY_PARENT_PID").stdin(Stdio::null());
        change(&mut command);
        if !command.get_args().any(|argument| argument == "--evaluator") {
            command.args(["--evaluator", "echo"]);
        }
        let process = command.spawn().expect("the kernel starts");
        Self { info, process, directory }
    }

    /// The exit status, when the process ends.
    #[track_caller]
    pub fn wait(&mut self) -> ExitStatus {
        let mut status = None;
        self.wait_until(|kernel| {
            status = kernel.process.try_wait().expect("the process is ours");
            status.is_some()
        });
        status.expect("just seen")
    }

    /// Waits for something that sends no message.
    #[track_caller]
    pub fn wait_until(&mut self, mut condition: impl FnMut(&mut Self) -> bool) {
        let start = Instant::now();
        while !condition(self) {
            assert!(start.elapsed() < DEADLINE, "the condition does not come true");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// How many files and sockets the kernel has open.
    #[track_caller]
    pub fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.process.id())).expect("the kernel runs").count()
    }

    /// A pipe with a name, in the kernel's directory.
    #[track_caller]
    pub fn pipe(&self) -> PathBuf {
        let pipe = self.directory.path().join("pipe");
        let name = CString::new(pipe.to_str().expect("UTF-8")).expect("no zero byte");
        // SAFETY: the name ends in a zero byte and lives until the call returns.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        pipe
    }

    pub fn signal(&self, signal: libc::c_int) {
        let pid = libc::pid_t::try_from(self.process.id()).expect("a pid");
        // SAFETY: the process is our child and has not been waited for, so the number still means it.
        assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Client {
    /// Connects and waits for the welcome on iopub, after which nothing is lost.
    #[track_caller]
    pub fn connect(info: &ConnectionInfo) -> Self {
        let mut client = Self::connect_without_iopub(info);
        let subscribed = within_deadline(create_client_iopub_connection(info, "", &client.session));
        client.iopub = Some(client.runtime.block_on(subscribed).expect("a connection to the kernel"));
        let welcome = client.next_published();
        assert_eq!(welcome.message_type, "iopub_welcome");
        assert_eq!(welcome.content, json!({ "subscription": "" }));
        client
    }

    /// Connects all channels but iopub.
    #[track_caller]
    pub fn connect_without_iopub(info: &ConnectionInfo) -> Self {
        let runtime = runtime();
        let session = uuid::Uuid::new_v4().to_string();
        // The kernel asks the client that sent the cell, which it knows by this.
        let identity = || peer_identity_for_session(&session).expect("an identity");
        let connected = runtime.block_on(within_deadline(async {
            (
                create_client_shell_connection_with_identity(info, &session, identity()).await,
                create_client_control_connection(info, &session).await,
                create_client_stdin_connection_with_identity(info, &session, identity()).await,
            )
        }));
        let (Ok(shell), Ok(control), Ok(stdin)) = connected else { panic!("no connection to the kernel") };
        Self { runtime, session, shell, control, stdin, iopub: None }
    }

    /// Sends a request; returns its identity.
    #[track_caller]
    pub fn send(&mut self, channel: Channel, message_type: &str, content: Value) -> String {
        self.send_with(channel, message_type, content, json!({}))
    }

    /// The same, with metadata.
    #[track_caller]
    pub fn send_with(&mut self, channel: Channel, message_type: &str, content: Value, metadata: Value) -> String {
        let content = UnknownMessage { msg_type: message_type.to_owned(), content };
        let message = JupyterMessage { metadata, ..JupyterMessage::from(content) };
        let id = message.header.msg_id.clone();
        let sent = match channel {
            Channel::Shell => self.runtime.block_on(self.shell.send(message)),
            Channel::Control => self.runtime.block_on(self.control.send(message)),
            Channel::Stdin => self.runtime.block_on(self.stdin.send(message)),
        };
        sent.expect("sent");
        id
    }

    /// Sends frames as they are.
    #[track_caller]
    pub fn send_frames(&mut self, frames: &[&[u8]]) {
        let frames: Vec<bytes::Bytes> = frames.iter().map(|frame| bytes::Bytes::copy_from_slice(frame)).collect();
        let message = zeromq::ZmqMessage::try_from(frames).expect("not empty");
        self.runtime.block_on(self.shell.socket.send(message)).expect("sent");
    }

    /// The content of the next reply, which must be of this type and answer this request.
    #[track_caller]
    pub fn reply(&mut self, channel: Channel, message_type: &str, id: &str) -> Value {
        let received = match channel {
            Channel::Shell => self.runtime.block_on(receive(&mut self.shell)),
            Channel::Control => self.runtime.block_on(receive(&mut self.control)),
            Channel::Stdin => self.runtime.block_on(receive(&mut self.stdin)),
        };
        expect(received, message_type, id).content
    }

    /// The next publication, which must be this.
    #[track_caller]
    pub fn published(&mut self, message_type: &str, id: &str, content: Value) {
        let received = self.next_published();
        assert_eq!(expect(received, message_type, id).content, content);
    }

    /// The next publications must be this text on a stream; how it is cut does not matter.
    #[track_caller]
    pub fn streamed(&mut self, id: &str, name: &str, text: &str) {
        let mut seen = String::new();
        while seen.len() < text.len() {
            let received = self.next_published();
            let content = expect(received, "stream", id).content;
            assert_eq!(content["name"], name);
            seen.push_str(content["text"].as_str().expect("text"));
        }
        assert!(seen == text, "{} bytes of other text than expected: {:.200}", seen.len(), seen);
    }

    /// The next publication, whatever it is.
    #[track_caller]
    pub fn next_published(&mut self) -> Received {
        self.runtime.block_on(receive(self.iopub.as_mut().expect("subscribed")))
    }

    /// Whether nothing is unread on the stdin channel; for kernels that have ended, since nothing marks a channel's end.
    pub fn has_no_question(&mut self) -> bool {
        let received = async { tokio::time::timeout(Duration::from_millis(20), self.stdin.socket.recv()).await };
        !matches!(self.runtime.block_on(received), Ok(Ok(_)))
    }

    /// Runs something of the test's own on the client's runtime, with the deadline.
    #[track_caller]
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(within_deadline(future))
    }
}

#[track_caller]
fn expect(received: Received, message_type: &str, id: &str) -> Received {
    assert_eq!(received.message_type, message_type, "unexpected {received:?}");
    assert_eq!(received.parent, id, "belongs to another request: {received:?}");
    received
}

/// The next message, its signature checked.
async fn receive<S: SocketRecv>(connection: &mut Connection<S>) -> Received {
    let frames = within_deadline(connection.socket.recv()).await.expect("a message");
    let raw = RawMessage::from_multipart(frames, &connection.mac).expect("a signed message");
    let json = |index: usize| serde_json::from_slice::<Value>(&raw.jparts[index]).expect("JSON");
    let header = json(0);
    assert_eq!(header["version"], "5.5");
    assert!(json(2).is_object());
    Received {
        message_type: header["msg_type"].as_str().expect("a type").to_owned(),
        parent: json(1)["msg_id"].as_str().unwrap_or_default().to_owned(),
        content: json(3),
    }
}

async fn within_deadline<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future).await.expect("nothing came within the deadline")
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

fn path(path: PathBuf) -> String {
    path.into_os_string().into_string().expect("UTF-8")
}
