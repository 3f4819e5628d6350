//! The supervisor is the process that evcxr starts as its runtime. It starts the cell process, passes evcxr's commands
//! on, and splits the cell's output into text, messages and control lines. It survives a crash of the cell process, so
//! the last output is never lost.
//!
//! It is one loop over `poll`: commands from evcxr, the two output streams of the cell, the kernel's socket, and the
//! end of the cell process. Its reports wait for a moment in the [`Outbox`], which also limits how much a cell may
//! show.

mod limits;
mod outbox;

pub use limits::{Dropped, dropped};

use crate::cell_process::{self, COMMANDS};
use crate::environment::{self, CELL_PROCESS, FUNCTIONS, INTERRUPT, MARKER, SOCKET};
use crate::frames::Frame;
use crate::local_socket;
use crate::output_contract::{Message, Piece, Splitter, new_marker};
use crate::printing::errln;
use crate::process_group;
use outbox::Outbox;
use std::fs::File;
use std::io::{ErrorKind, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

/// The bytes by which the kernel asks for these commands of the cell process. Any other byte asks for an answer.
pub const OPEN_DEVICE: u8 = b'd';
pub const WAIT_FOR_DEVICE: u8 = b'w';
/// The byte before an order for the cell process, which is a line of JSON ([`Order`](crate::controls::Order)).
pub const ORDER: u8 = b'o';

/// Runs until the cell process has ended or evcxr has closed the commands. Returns the exit status.
pub fn run() -> i32 {
    match Supervisor::start() {
        Ok(mut supervisor) => supervisor.serve(),
        Err(error) => {
            errln!("the cell process could not be started: {error}");
            1
        }
    }
}

struct Supervisor {
    cell: Child,
    /// The source of evcxr's commands.
    evcxr: File,
    commands: PipeWriter,
    output: File,
    errors: File,
    /// Becomes readable when the cell process has ended.
    exited: File,
    kernel: UnixStream,
    outbox: Outbox,
    splitter: Splitter,
    output_text: Utf8Decoder,
    errors_text: Utf8Decoder,
    command_line: Vec<u8>,
    /// The beginning of an order of the kernel.
    order: Option<Vec<u8>>,
}

impl Supervisor {
    fn start() -> std::io::Result<Supervisor> {
        let socket = std::env::var_os(SOCKET)
            .ok_or_else(|| std::io::Error::other("the kernel's socket is not named in the environment"))?;
        let session = std::env::var_os(environment::SESSION)
            .ok_or_else(|| std::io::Error::other("the session's directory is not named in the environment"))?;
        let kernel = local_socket::connect(Path::new(&socket))?;
        let marker = new_marker();
        let (command_reader, command_writer) = std::io::pipe()?;
        let mut command = Command::new(std::env::current_exe()?);
        environment::restore_user(&mut command);
        command
            .env(CELL_PROCESS, "1")
            .env(MARKER, &marker)
            .env(FUNCTIONS, environment::functions_listing(Path::new(&session)))
            .env(INTERRUPT, environment::interrupt_word(Path::new(&session)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let reader = command_reader.as_raw_fd();
        // SAFETY: between fork and exec only these system calls run; all are safe in a forked child.
        unsafe {
            command.pre_exec(move || {
                if reader == COMMANDS {
                    libc::fcntl(reader, libc::F_SETFD, 0);
                } else if libc::dup2(reader, COMMANDS) < 0 {
                    return Err(std::io::Error::last_os_error());
                }
                // The cell process must not outlive its supervisor.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                // A crash of the user's code needs no core file.
                let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
                libc::setrlimit(libc::RLIMIT_CORE, &none);
                Ok(())
            });
        }
        let mut cell = command.spawn()?;
        drop(command_reader);
        let taken = || std::io::Error::other("a pipe of the cell process is missing");
        let output = File::from(OwnedFd::from(cell.stdout.take().ok_or_else(taken)?));
        let errors = File::from(OwnedFd::from(cell.stderr.take().ok_or_else(taken)?));
        for descriptor in [output.as_raw_fd(), errors.as_raw_fd()] {
            set_nonblocking(descriptor)?;
        }
        // SAFETY: the system call takes a process number of a child that has not been waited for.
        let exited = unsafe { libc::syscall(libc::SYS_pidfd_open, cell.id() as libc::pid_t, 0) };
        if exited < 0 {
            return Err(std::io::Error::last_os_error());
        }
        let mut supervisor = Supervisor {
            // SAFETY: this process reads its standard input here only.
            evcxr: File::from(unsafe { OwnedFd::from_raw_fd(libc::STDIN_FILENO) }),
            commands: command_writer,
            output,
            errors,
            // SAFETY: the descriptor was just opened and belongs to nothing else.
            exited: File::from(unsafe { OwnedFd::from_raw_fd(exited as RawFd) }),
            kernel,
            outbox: Outbox::new(),
            splitter: Splitter::new(&marker),
            output_text: Utf8Decoder::default(),
            errors_text: Utf8Decoder::default(),
            command_line: Vec::new(),
            order: None,
            cell,
        };
        let pid = supervisor.cell.id();
        supervisor.report(Frame::Started { pid });
        Ok(supervisor)
    }

    fn serve(&mut self) -> i32 {
        let (mut output_open, mut errors_open) = (true, true);
        loop {
            let watched = [
                (libc::STDIN_FILENO, true),
                (self.output.as_raw_fd(), output_open),
                (self.errors.as_raw_fd(), errors_open),
                (self.kernel.as_raw_fd(), true),
                (self.exited.as_raw_fd(), true),
            ];
            // A negative descriptor is ignored by `poll`.
            let mut polled = watched.map(|(descriptor, open)| libc::pollfd {
                fd: if open { descriptor } else { -1 },
                events: libc::POLLIN,
                revents: 0,
            });
            // Rounded up: a wait that ends too early would be followed by others of no time at all.
            let patience = match self.outbox.patience(Instant::now()) {
                Some(patience) => patience.as_micros().div_ceil(1000) as libc::c_int,
                None => -1,
            };
            // SAFETY: the array lives during the call and its length is given.
            if unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, patience) } < 0 {
                if std::io::Error::last_os_error().kind() == ErrorKind::Interrupted {
                    continue;
                }
                return self.end();
            }
            let ready = polled.map(|entry| entry.revents != 0);
            if ready[1] {
                output_open = self.drain(false);
            }
            if ready[2] {
                errors_open = self.drain(true);
            }
            if ready[4] {
                return self.end();
            }
            // What the kernel asks for before a cell is passed on before the cell.
            if (ready[3] && !self.answer_kernel()) || (ready[0] && !self.forward_commands()) {
                // The kernel is gone: so must be everything that it started.
                self.end_group();
                let _ = self.cell.wait();
                return 0;
            }
            self.send_what_is_due();
        }
    }

    /// Passes evcxr's commands on. Returns false when there will be no more.
    fn forward_commands(&mut self) -> bool {
        let mut buffer = [0; 4096];
        match self.evcxr.read(&mut buffer) {
            Ok(0) | Err(_) => false,
            Ok(length) => {
                self.command_line.extend_from_slice(&buffer[..length]);
                while let Some(end) = self.command_line.iter().position(|&byte| byte == b'\n') {
                    let line: Vec<u8> = self.command_line.drain(..=end).collect();
                    self.outbox.begin_cell();
                    self.report(Frame::Running);
                    // If the cell process is gone, its end is reported in the next round.
                    let _ = self.commands.write_all(&line);
                }
                true
            }
        }
    }

    /// Does what each byte from the kernel asks for; false when it has closed the socket.
    fn answer_kernel(&mut self) -> bool {
        let mut buffer = [0; 64];
        match self.kernel.read(&mut buffer) {
            Ok(0) | Err(_) => false,
            Ok(length) => {
                for byte in &buffer[..length] {
                    if let Some(order) = &mut self.order {
                        order.push(*byte);
                        if *byte == b'\n' {
                            self.pass_order();
                        }
                        continue;
                    }
                    let command = match *byte {
                        ORDER => {
                            self.order = Some(Vec::new());
                            continue;
                        }
                        OPEN_DEVICE => cell_process::OPEN_DEVICE,
                        WAIT_FOR_DEVICE => cell_process::WAIT_FOR_DEVICE,
                        _ => {
                            self.report(Frame::Pong);
                            continue;
                        }
                    };
                    let _ = writeln!(self.commands, "{command}");
                }
                true
            }
        }
    }

    /// Passes an order of the kernel on. What a call may show is counted anew.
    fn pass_order(&mut self) {
        let line = self.order.take().unwrap_or_default();
        self.outbox.begin_cell();
        // If the cell process is gone, its end is reported in the next round.
        let _ = self.commands.write_all(cell_process::ORDER.as_bytes());
        let _ = self.commands.write_all(&line);
    }

    /// Reports the cell's standard output, or its standard error. Returns false at the end of the stream.
    fn drain(&mut self, is_error: bool) -> bool {
        let mut buffer = [0; 65536];
        while let Some(bytes) = read_some(if is_error { &mut self.errors } else { &mut self.output }, &mut buffer) {
            if bytes.is_empty() {
                return false;
            }
            if is_error {
                let text = self.errors_text.decode(bytes);
                self.outbox.text(true, text);
            } else {
                let pieces = self.splitter.feed(bytes);
                self.handle(pieces);
            }
            self.send_what_is_due();
        }
        true
    }

    fn handle(&mut self, pieces: Vec<Piece>) {
        for piece in pieces {
            match piece {
                Piece::Text(bytes) => {
                    let text = self.output_text.decode(&bytes);
                    self.outbox.text(false, text);
                }
                Piece::Message(Message::Control { line }) => say_to_evcxr(&line),
                Piece::Message(Message::End) => {
                    self.take_the_rest();
                    self.report(Frame::EndOfCell);
                    say_to_evcxr("EVCXR_EXECUTION_COMPLETE");
                }
                Piece::Message(message @ Message::Called { .. }) => {
                    self.take_the_rest();
                    self.report(Frame::Message { message });
                }
                Piece::Message(message) => self.outbox.message(message),
            }
        }
    }

    /// Takes what is left of the output of a cell, or of a call.
    fn take_the_rest(&mut self) {
        self.drain(true);
        let (output, errors) = (self.output_text.end(), self.errors_text.end());
        self.outbox.text(false, output);
        self.outbox.text(true, errors);
        self.outbox.say_what_was_dropped();
    }

    /// Ends the cell process and all processes that it has started.
    fn end_group(&self) {
        process_group::signal(self.cell.id() as libc::pid_t, libc::SIGKILL);
    }

    /// Reports the last output and how the cell process ended.
    fn end(&mut self) -> i32 {
        self.drain(false);
        self.drain(true);
        let pieces = self.splitter.finish();
        self.handle(pieces);
        self.outbox.say_what_was_dropped();
        let status = match self.cell.wait() {
            Ok(status) => describe(status),
            Err(error) => format!("unknown status: {error}"),
        };
        self.report(Frame::Exited { status });
        0
    }

    /// Reports something at once, after all earlier output.
    fn report(&mut self, frame: Frame) {
        self.outbox.push(frame);
        self.send();
    }

    fn send_what_is_due(&mut self) {
        if self.outbox.patience(Instant::now()).is_some_and(|patience| patience.is_zero()) {
            self.send();
        }
    }

    fn send(&mut self) {
        let mut lines = Vec::new();
        for frame in self.outbox.take(Instant::now()) {
            serde_json::to_writer(&mut lines, &frame)
                .unwrap_or_else(|error| unreachable!("a frame is plain data: {error}"));
            lines.push(b'\n');
        }
        // If the kernel is gone, its closed socket ends the loop.
        let _ = self.kernel.write_all(&lines);
    }
}

/// The bytes that can be read without waiting. Empty at the end. `None` if more may come.
fn read_some<'a>(file: &mut File, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    loop {
        match file.read(buffer) {
            Ok(length) => return Some(&buffer[..length]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
            Err(_) => return Some(&[]),
        }
    }
}

fn say_to_evcxr(line: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

/// An exit status in words that a user can look up.
fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => {
            let name = match signal {
                libc::SIGSEGV => "SIGSEGV, an access to invalid memory",
                libc::SIGABRT => "SIGABRT, the program aborted",
                libc::SIGILL => "SIGILL, an illegal instruction",
                libc::SIGBUS => "SIGBUS, a bad memory access",
                libc::SIGFPE => "SIGFPE, an arithmetic error",
                libc::SIGKILL => "SIGKILL, ended from outside, perhaps because memory ran out",
                libc::SIGTERM => "SIGTERM, ended from outside",
                _ => return format!("signal {signal}"),
            };
            format!("signal {signal} ({name})")
        }
        (None, None) => "unknown status".to_owned(),
    }
}

fn set_nonblocking(descriptor: RawFd) -> std::io::Result<()> {
    // SAFETY: the descriptor is open; the flags are read and written back with one more.
    let result = unsafe {
        let flags = libc::fcntl(descriptor, libc::F_GETFL);
        libc::fcntl(descriptor, libc::F_SETFL, flags | libc::O_NONBLOCK)
    };
    if result < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}

/// Turns bytes into text; a character that is cut at the end of one read is completed by the next.
#[derive(Default)]
struct Utf8Decoder {
    held: Vec<u8>,
}

impl Utf8Decoder {
    fn decode(&mut self, bytes: &[u8]) -> String {
        self.held.extend_from_slice(bytes);
        let end = self.held.utf8_chunks().last().map_or(&[][..], |last| last.invalid());
        // Without a length the error is a character that may yet be completed.
        let is_cut = std::str::from_utf8(end).is_err_and(|error| error.error_len().is_none());
        let complete = self.held.len() - if is_cut { end.len() } else { 0 };
        let text = String::from_utf8_lossy(&self.held[..complete]).into_owned();
        self.held.drain(..complete);
        text
    }

    /// The text for the bytes that are held at the end of a cell. Nothing completes them.
    fn end(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.held)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_cut_between_reads_are_put_together() {
        let mut decoder = Utf8Decoder::default();
        let text = "µs – 😀";
        let decoded: String = text.as_bytes().chunks(1).map(|byte| decoder.decode(byte)).collect();
        assert_eq!(decoded, text);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced_and_do_not_block_the_rest() {
        let mut decoder = Utf8Decoder::default();
        assert_eq!(decoder.decode(b"a\xffb\xc3"), "a\u{fffd}b");
        assert_eq!(decoder.decode(b"\xa4c"), "äc");
        assert_eq!(decoder.decode(b"d\xc3"), "d");
        assert_eq!((decoder.end(), decoder.end()), ("\u{fffd}".to_owned(), String::new()));
        assert_eq!(decoder.decode(b"\xa4e"), "\u{fffd}e");
    }
}
