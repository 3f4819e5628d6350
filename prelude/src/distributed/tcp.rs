//! Letters between processes: a connection for each pair, and a thread for each that reads.
//!
//! A frame has a head of 22 bytes: what it is, the group, the kind and number of the call, the length of what follows. Numbers are
//! in the order of the network; elements are as they lie in memory. All ranks are little-endian, or all are big-endian.

use super::mailbox::{Delivered, Fault, Kind, Letter, Mailbox, Tag};
use super::world::Post;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const HEAD: usize = 22;
/// How long a write waits before it is asked whether to give up.
const SLICE: Duration = Duration::from_millis(50);
/// How long the network may lose everything before the other host counts as gone, in seconds.
const LOST: libc::c_int = 20;

/// The connections of a rank.
pub(super) struct Tcp {
    peers: Vec<Option<Arc<Peer>>>,
}

struct Peer {
    /// `None` inside when a frame could not be written whole: nothing can follow it.
    writer: Mutex<Option<TcpStream>>,
}

impl Tcp {
    /// Takes the connections, and reads from them to the mailbox.
    pub fn new(rank: usize, streams: Vec<Option<TcpStream>>, mailbox: &Arc<Mailbox>) -> io::Result<Tcp> {
        let mut peers = Vec::with_capacity(streams.len());
        for (from, stream) in streams.into_iter().enumerate() {
            let Some(stream) = stream.filter(|_| from != rank) else {
                peers.push(None);
                continue;
            };
            prepare(&stream)?;
            let reader = stream.try_clone()?;
            let peer = Arc::new(Peer { writer: Mutex::new(Some(stream)) });
            let (mailbox, answers) = (mailbox.clone(), peer.clone());
            let name = format!("warpcell-rank-{from}");
            std::thread::Builder::new().name(name).spawn(move || read_all(from, reader, &mailbox, &answers))?;
            peers.push(Some(peer));
        }
        Ok(Tcp { peers })
    }
}

impl Drop for Tcp {
    fn drop(&mut self) {
        for peer in self.peers.iter().flatten() {
            if let Some(stream) = &*peer.writer.lock().unwrap_or_else(PoisonError::into_inner) {
                // The thread that reads ends when the other rank is done, too.
                let _ = stream.shutdown(Shutdown::Write);
            }
        }
    }
}

impl Post for Tcp {
    fn name(&self) -> &'static str {
        "TCP"
    }

    fn is_local(&self) -> bool {
        false
    }

    fn bring(&self, to: usize, letter: Letter, may_wait: &dyn Fn() -> Delivered) -> Delivered {
        self.peers[to].as_ref().map_or(Ok(()), |peer| peer.write(to, &letter, may_wait))
    }
}

impl Peer {
    fn write(&self, to: usize, letter: &Letter, may_wait: &dyn Fn() -> Delivered) -> Delivered {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(stream) = &*writer else { return may_wait() };
        let text;
        let (head, body): ([u8; HEAD], &[u8]) = match letter {
            Letter::Data { group, tag, bytes } => (head(0, *group, tag.kind.code(), tag.number, bytes.len()), bytes),
            Letter::Farewell => (head(1, 0, 0, 0, 0), &[]),
            Letter::Failed(fault) => {
                text = serde_json::to_vec(fault).expect("text and numbers");
                (head(2, 0, 0, 0, text.len()), &text)
            }
            Letter::Ask => (head(3, 0, 0, 0, 0), &[]),
            Letter::Answer(activity) => {
                text = serde_json::to_vec(activity).expect("text and numbers");
                (head(4, 0, 0, 0, text.len()), &text)
            }
        };
        let done = put(stream, &head, may_wait).and_then(|()| put(stream, body, may_wait));
        done.map_err(|stopped| {
            *writer = None;
            match stopped {
                Stopped::Fault(fault) => fault,
                Stopped::Lost(error) => {
                    let reason = format!(
                        "cannot be sent to ({error}): it was killed or has crashed; look at its output, and start again"
                    );
                    Fault::Rank { rank: to, reason }
                }
            }
        })
    }
}

enum Stopped {
    Fault(Fault),
    Lost(io::Error),
}

fn put(mut stream: &TcpStream, mut bytes: &[u8], may_wait: &dyn Fn() -> Delivered) -> std::result::Result<(), Stopped> {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(0) => return Err(Stopped::Lost(io::ErrorKind::WriteZero.into())),
            Ok(count) => bytes = &bytes[count..],
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                may_wait().map_err(Stopped::Fault)?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Stopped::Lost(error)),
        }
    }
    Ok(())
}

fn head(what: u8, group: u64, kind: u8, number: u32, length: usize) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[0] = what;
    head[1..9].copy_from_slice(&group.to_be_bytes());
    head[9] = kind;
    head[10..14].copy_from_slice(&number.to_be_bytes());
    head[14..].copy_from_slice(&(length as u64).to_be_bytes());
    head
}

/// Reads letters until there are no more.
fn read_all(from: usize, mut stream: TcpStream, mailbox: &Mailbox, peer: &Peer) {
    let why = loop {
        match read_one(&mut stream) {
            Ok(Some(letter)) => {
                if let Some(answer) = mailbox.deliver(from, letter) {
                    let _ = peer.write(from, &answer, &|| Err(Fault::Interrupted { rank: from }));
                }
            }
            Ok(None) => break "its connection has ended".to_owned(),
            Err(error) => break error.to_string(),
        }
    };
    mailbox.lose(from, &why);
}

fn read_one(stream: &mut TcpStream) -> io::Result<Option<Letter>> {
    let mut head = [0; HEAD];
    match stream.read_exact(&mut head) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let number =
        |from: usize, to: usize| head[from..to].iter().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
    let strange = || io::Error::other("it speaks another language");
    let length = usize::try_from(number(14, HEAD)).map_err(|_| strange())?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length).map_err(io::Error::other)?;
    stream.take(length as u64).read_to_end(&mut bytes)?;
    if bytes.len() < length {
        return Ok(None);
    }
    Ok(Some(match head[0] {
        0 => {
            let kind = Kind::of_code(head[9]).ok_or_else(strange)?;
            Letter::Data { group: number(1, 9), tag: Tag { kind, number: number(10, 14) as u32 }, bytes }
        }
        1 => Letter::Farewell,
        2 => Letter::Failed(serde_json::from_slice(&bytes)?),
        3 => Letter::Ask,
        4 => Letter::Answer(serde_json::from_slice(&bytes)?),
        _ => return Err(strange()),
    }))
}

/// Letters leave at once, writes can be given up, and a host that is gone is noticed.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(None)?;
    stream.set_write_timeout(Some(SLICE))?;
    let options = [
        (libc::SOL_SOCKET, libc::SO_KEEPALIVE, 1),
        (libc::IPPROTO_TCP, libc::TCP_KEEPIDLE, LOST / 4),
        (libc::IPPROTO_TCP, libc::TCP_KEEPINTVL, LOST / 4),
        (libc::IPPROTO_TCP, libc::TCP_KEEPCNT, 3),
        (libc::IPPROTO_TCP, libc::TCP_USER_TIMEOUT, LOST * 1000),
    ];
    for (level, name, value) in options {
        let size = size_of_val(&value) as libc::socklen_t;
        // SAFETY: the descriptor is open, and the value is as long as it says.
        let status = unsafe { libc::setsockopt(stream.as_raw_fd(), level, name, (&raw const value).cast(), size) };
        if status != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}
