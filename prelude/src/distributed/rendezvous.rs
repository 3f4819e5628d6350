//! How processes find each other: rank 0 listens, the others say where they are, and all get the list.
//!
//! A message is the length of a text of JSON, and the text. When all ranks have come, each connects with each lower one, and keeps
//! the connection with rank 0.

use super::environment::Place;
use crate::error::{Error, Result};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const NAME: &str = "Communicator::from_env";
/// What ranks of one version say first.
const GREETING: &str = "warpcell distributed 1";
/// How long a connection has to say who it is. Whatever else connects is left alone.
const HELLO: Duration = Duration::from_secs(5);
/// Longer messages are of somebody else.
const LONGEST: u32 = 1 << 26;
/// How often who waits looks around.
const SLICE: Duration = Duration::from_millis(20);

/// What a rank says to rank 0.
#[derive(Serialize, Deserialize)]
struct Hello {
    greeting: String,
    job: String,
    rank: usize,
    size: usize,
    /// Where it listens.
    port: u16,
    host: String,
}

/// Where a rank is to be reached.
#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    address: IpAddr,
    port: u16,
    host: String,
}

/// What rank 0 answers: the list of all ranks and the word by which they know each other, or what is wrong.
type Answer = std::result::Result<(Vec<Entry>, u64), Refusal>;

/// Why there will be no communicator.
#[derive(Clone, Serialize, Deserialize)]
enum Refusal {
    /// A rank has not come.
    Missing { rank: usize, reason: String },
    /// The environment is wrong.
    Environment(String),
}

impl Refusal {
    fn error(self) -> Error {
        match self {
            Refusal::Missing { rank, reason } => Error::RankFailed { operation: NAME, rank, reason },
            Refusal::Environment(reason) => Error::argument(NAME, reason),
        }
    }
}

/// What a rank says to a lower one.
#[derive(Serialize, Deserialize)]
struct Introduction {
    word: u64,
    rank: usize,
}

/// The connections with all other ranks, and the hosts of all.
pub(super) struct Met {
    pub streams: Vec<Option<TcpStream>>,
    pub hosts: Vec<String>,
}

/// Meets the other ranks, within a time.
pub(super) fn meet(place: &Place, timeout: Duration) -> Result<Met> {
    let until = Until { deadline: Instant::now() + timeout, timeout };
    if place.size == 1 {
        return Ok(Met { streams: vec![None], hosts: vec![host_name()] });
    }
    if place.rank == 0 { lead(place, &until) } else { join(place, &until) }
}

/// When the time is up.
struct Until {
    deadline: Instant,
    timeout: Duration,
}

impl Until {
    /// Waits a little. Fails if the cell was interrupted; `false` if the time is up.
    fn wait(&self) -> Result<bool> {
        if crate::cell::interrupted() {
            return Err(Error::Interrupted);
        }
        std::thread::sleep(SLICE.min(self.left()));
        Ok(!self.left().is_zero())
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    fn seconds(&self) -> f64 {
        self.timeout.as_secs_f64()
    }
}

/// Whether an address means this host only.
fn is_loopback(address: &str) -> bool {
    address == "localhost" || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Listens, on this host only if all ranks are there.
fn listen(place: &Place, port: u16, is_v6: bool) -> io::Result<TcpListener> {
    let address: IpAddr = match (is_loopback(&place.address), is_v6) {
        (true, false) => Ipv4Addr::LOCALHOST.into(),
        (true, true) => Ipv6Addr::LOCALHOST.into(),
        (false, false) => Ipv4Addr::UNSPECIFIED.into(),
        (false, true) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let listener = TcpListener::bind((address, port))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// What rank 0 does.
fn lead(place: &Place, until: &Until) -> Result<Met> {
    let is_v6 = (place.address.as_str(), place.port).to_socket_addrs().is_ok_and(|mut found| {
        let first = found.next();
        first.is_some_and(|address| address.is_ipv6()) && !found.any(|address| address.is_ipv4())
    });
    let listener = loop {
        match listen(place, place.port, is_v6) {
            Ok(listener) => break listener,
            // An earlier job may be about to end.
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && until.timeout - until.left() < HELLO => {
                until.wait()?;
            }
            Err(error) => {
                let reason = format!(
                    "rank 0 cannot listen at MASTER_PORT {}: {error}; set another port on all ranks: MASTER_PORT={}",
                    place.port,
                    if place.port < 65000 { place.port + 1 } else { 29500 }
                );
                return Err(Error::argument(NAME, reason));
            }
        }
    };
    let mut come: Vec<Option<(TcpStream, Entry)>> = (0..place.size).map(|_| None).collect();
    let (found, is_found) = mpsc::channel();
    let refusal = loop {
        while let Ok((stream, peer)) = listener.accept() {
            let found = found.clone();
            // A thread that is not there is one that has not come.
            let _ = std::thread::Builder::new().name("warpcell-hello".into()).spawn(move || {
                if let Some(hello) = greeted::<Hello>(&stream).filter(|hello| hello.greeting == GREETING) {
                    let _ = found.send((stream, peer, hello));
                }
            });
        }
        let mut refusal = None;
        while let Ok((stream, peer, hello)) = is_found.try_recv() {
            if let Some(reason) = unfit(place, &hello, &come) {
                let refused = Refusal::Environment(reason);
                let _ = say(&stream, &Answer::Err(refused.clone()));
                if hello.job == place.job {
                    refusal = Some(refused);
                }
                continue;
            }
            let entry = Entry { address: peer.ip().to_canonical(), port: hello.port, host: hello.host };
            come[hello.rank] = Some((stream, entry));
        }
        if refusal.is_some() || come.iter().skip(1).all(Option::is_some) {
            break refusal;
        }
        if !until.wait()? {
            let missing: Vec<usize> = (1..place.size).filter(|&rank| come[rank].is_none()).collect();
            let others = if missing.len() > 1 { format!(" (nor have {:?})", &missing[1..]) } else { String::new() };
            let reason = format!(
                "has not come to {}:{} within {} s{others}; look at its output, let it have the same MASTER_ADDR and MASTER_PORT, or give \
                 it more time: {}=600",
                place.address,
                place.port,
                until.seconds(),
                super::world::TIMEOUT_VARIABLE
            );
            break Some(Refusal::Missing { rank: missing[0], reason });
        }
    };
    let own = Entry { address: Ipv4Addr::LOCALHOST.into(), port: 0, host: host_name() };
    let answer = match &refusal {
        Some(refusal) => Answer::Err(refusal.clone()),
        None => {
            let entry =
                |come: &Option<(TcpStream, Entry)>| come.as_ref().map_or(own.clone(), |(_, entry)| entry.clone());
            Answer::Ok((come.iter().map(entry).collect(), word()))
        }
    };
    let mut streams = Vec::with_capacity(place.size);
    for (rank, come) in come.into_iter().enumerate() {
        let told = come.as_ref().map_or(Ok(()), |(stream, _)| say(stream, &answer));
        if let (Err(error), None) = (told, &refusal) {
            return Err(gone(rank, &error));
        }
        streams.push(come.map(|(stream, _)| stream));
    }
    match answer {
        Answer::Ok((entries, _)) => Ok(Met { streams, hosts: entries.into_iter().map(|entry| entry.host).collect() }),
        Answer::Err(refusal) => Err(refusal.error()),
    }
}

/// What is wrong with a process that has come.
fn unfit(place: &Place, hello: &Hello, come: &[Option<(TcpStream, Entry)>]) -> Option<String> {
    let [rank, size] = place.variables;
    let port = place.port;
    if hello.job != place.job {
        return Some(format!(
            "MASTER_PORT {port} is that of another job ({:?}, not {:?}); set another port for this one on all ranks: MASTER_PORT={}",
            place.job,
            hello.job,
            port.wrapping_add(1).max(1024)
        ));
    }
    if hello.size != place.size {
        return Some(format!(
            "{size} is {} for rank {}, but {} for rank 0; set the same for all: {size}={}",
            hello.size, hello.rank, place.size, place.size
        ));
    }
    match come.get(hello.rank) {
        Some(None) if hello.rank > 0 => None,
        _ => Some(format!(
            "two processes have the rank {} in {rank}, the second one on {}; give each its own, from 0 to {}",
            hello.rank,
            hello.host,
            place.size - 1
        )),
    }
}

/// What the others do.
fn join(place: &Place, until: &Until) -> Result<Met> {
    let leader = loop {
        match connect(place, until) {
            Ok(stream) => break stream,
            Err(error) => {
                if !until.wait()? {
                    let reason = format!(
                        "does not listen at {}:{} within {} s ({error}); look at its output, let all ranks have the same MASTER_ADDR and \
                         MASTER_PORT, or give it more time: {}=600",
                        place.address,
                        place.port,
                        until.seconds(),
                        super::world::TIMEOUT_VARIABLE
                    );
                    return Err(Error::RankFailed { operation: NAME, rank: 0, reason });
                }
            }
        }
    };
    let reach = leader.peer_addr().map_err(|error| gone(0, &error))?.ip();
    let listener = listen(place, 0, reach.is_ipv6()).and_then(|listener| Ok((listener.local_addr()?.port(), listener)));
    let (port, listener) = listener.map_err(|error| {
        Error::argument(NAME, format!("this rank cannot listen: {error}; free some ports or files"))
    })?;
    let hello = Hello {
        greeting: GREETING.to_owned(),
        job: place.job.clone(),
        rank: place.rank,
        size: place.size,
        port,
        host: host_name(),
    };
    say(&leader, &hello).map_err(|error| gone(0, &error))?;
    // Rank 0 answers when the time is up, if not before.
    let answer_by = Until { deadline: until.deadline + HELLO, timeout: until.timeout };
    let answer: Answer = hear(&leader, &answer_by)?.map_err(|error| gone(0, &error))?;
    let (entries, word) = answer.map_err(Refusal::error)?;
    let mut streams: Vec<Option<TcpStream>> = (0..place.size).map(|_| None).collect();
    streams[0] = Some(leader);
    // What is in the listeners' queues is connected: so nobody waits for a rank that waits for it.
    for (rank, entry) in entries.iter().enumerate().take(place.rank).skip(1) {
        // Rank 0 has seen it on its own host.
        let address = if entry.address.is_loopback() { reach } else { entry.address };
        let stream = TcpStream::connect_timeout(&SocketAddr::new(address, entry.port), HELLO.max(until.left()));
        let stream = stream.and_then(|stream| say(&stream, &Introduction { word, rank: place.rank }).map(|()| stream));
        streams[rank] = Some(stream.map_err(|error| gone(rank, &error))?);
    }
    while let Some(missing) = (place.rank + 1..place.size).find(|&rank| streams[rank].is_none()) {
        if let Ok((stream, _)) = listener.accept() {
            let introduction = greeted::<Introduction>(&stream).filter(|introduction| introduction.word == word);
            if let Some(Introduction { rank, .. }) = introduction.filter(|introduction| introduction.rank < place.size)
            {
                streams[rank] = Some(stream);
            }
        } else if !answer_by.wait()? {
            let reason = format!(
                "has not connected within {} s; look at its output, and at firewalls between the hosts",
                until.seconds()
            );
            return Err(Error::RankFailed { operation: NAME, rank: missing, reason });
        }
    }
    Ok(Met { streams, hosts: entries.into_iter().map(|entry| entry.host).collect() })
}

fn connect(place: &Place, until: &Until) -> io::Result<TcpStream> {
    let mut last = io::Error::other("the name has no address");
    for address in (place.address.as_str(), place.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, until.left().clamp(SLICE, HELLO)) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn gone(rank: usize, error: &io::Error) -> Error {
    let reason = format!("has gone while the ranks met ({error}); look at its output, and start again");
    Error::RankFailed { operation: NAME, rank, reason }
}

/// A number that nobody else knows.
fn word() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    RandomState::new().hash_one((time, std::process::id()))
}

fn host_name() -> String {
    let mut bytes = [0u8; 256];
    // SAFETY: the buffer is as long as it says, and one byte more ends it.
    unsafe { libc::gethostname(bytes.as_mut_ptr().cast(), bytes.len() - 1) };
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(0);
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn say(mut stream: &TcpStream, message: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_vec(message)?;
    stream.set_nonblocking(false)?;
    stream.set_write_timeout(Some(HELLO))?;
    stream.write_all(&(text.len() as u32).to_be_bytes())?;
    stream.write_all(&text)
}

/// The first message of a connection, if it comes soon and is one.
fn greeted<T: DeserializeOwned>(stream: &TcpStream) -> Option<T> {
    let until = Until { deadline: Instant::now() + HELLO, timeout: HELLO };
    hear(stream, &until).ok()?.ok()
}

/// Waits for a message. Fails at once if the cell was interrupted.
fn hear<T: DeserializeOwned>(stream: &TcpStream, until: &Until) -> Result<io::Result<T>> {
    let mut length = [0; 4];
    if let Err(error) = fill(stream, &mut length, until)? {
        return Ok(Err(error));
    }
    let length = u32::from_be_bytes(length);
    if length > LONGEST {
        return Ok(Err(io::Error::other("it speaks another language")));
    }
    let mut text = vec![0; length as usize];
    if let Err(error) = fill(stream, &mut text, until)? {
        return Ok(Err(error));
    }
    Ok(serde_json::from_slice(&text).map_err(io::Error::other))
}

fn fill(mut stream: &TcpStream, mut target: &mut [u8], until: &Until) -> Result<io::Result<()>> {
    if let Err(error) = stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(Some(SLICE))) {
        return Ok(Err(error));
    }
    while !target.is_empty() {
        match stream.read(target) {
            Ok(0) => return Ok(Err(io::ErrorKind::UnexpectedEof.into())),
            Ok(count) => target = &mut target[count..],
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                if crate::cell::interrupted() {
                    return Err(Error::Interrupted);
                }
                if until.left().is_zero() {
                    return Ok(Err(error));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Ok(()))
}
