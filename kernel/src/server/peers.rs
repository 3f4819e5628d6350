//! Finds the user at the other end of a connection on this machine.
//!
//! A client of iopub gets all outputs of cells. The protocol signs messages, but does not authenticate clients. Over
//! TCP every user of the machine could connect. Linux knows which user owns a local connection. Only these users are
//! allowed: this user, the owner of the connection file (who wrote the key) and root.

use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// How often the system's list is read, which is not taken at one moment.
const ATTEMPTS: usize = 3;

/// Who may connect.
#[derive(Clone, Debug)]
pub struct Allowed(Vec<u32>);

impl Allowed {
    /// For the kernel of this connection file.
    pub fn of(connection_file: &Path) -> Allowed {
        // SAFETY: the call has no preconditions.
        let own = unsafe { libc::geteuid() };
        let server = std::fs::metadata(connection_file).map(|file| file.uid());
        Allowed([0, own].into_iter().chain(server).collect())
    }

    /// The user of a connection from `peer` to `local`, if it must be refused. If the system does not know the user,
    /// the connection is allowed: it comes from another machine, or the system has no such list.
    pub fn refuses(&self, local: SocketAddr, peer: SocketAddr) -> Option<u32> {
        if !peer.ip().is_loopback() {
            return None;
        }
        let list = if peer.is_ipv4() { "/proc/self/net/tcp" } else { "/proc/self/net/tcp6" };
        let owner = (0..ATTEMPTS).find_map(|_| owner_in(&std::fs::read_to_string(list).ok()?, peer, local));
        owner.filter(|owner| !self.0.contains(owner))
    }
}

/// The user whose socket has this address and is connected to the other one, in Linux's list of sockets.
fn owner_in(list: &str, address: SocketAddr, connected: SocketAddr) -> Option<u32> {
    let (address, connected) = (written(address), written(connected));
    list.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let is_it = fields.next()? == address && fields.next()? == connected;
        // After the two addresses: state, queues, timer, retransmissions, user.
        if is_it { fields.nth(4)?.parse().ok() } else { None }
    })
}

/// An address as the list has it: words of 32 bits in the machine's order.
fn written(address: SocketAddr) -> String {
    let octets = match address {
        SocketAddr::V4(address) => address.ip().octets().to_vec(),
        SocketAddr::V6(address) => address.ip().octets().to_vec(),
    };
    let words = octets.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
    let words: String = words.map(|word| format!("{word:08X}")).collect();
    format!("{words}:{:04X}", address.port())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    const LIST: &str =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 30 10 -1
   2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 3 1 0 20 4 30 10 -1
";

    #[test]
    #[cfg(target_endian = "little")]
    fn the_owner_of_the_clients_end_is_found() {
        let (client, server): (SocketAddr, SocketAddr) =
            ("127.0.0.1:50000".parse().unwrap(), "127.0.0.1:8080".parse().unwrap());
        assert_eq!(owner_in(LIST, client, server), Some(1001));
        assert_eq!(owner_in(LIST, server, client), Some(1000));
        assert_eq!(owner_in(LIST, client, client), None);
        assert_eq!(written("[::1]:80".parse().unwrap()), "00000000000000000000000001000000:0050");
    }

    #[test]
    fn own_connections_are_allowed_and_those_of_others_are_not() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            // A machine may have no IPv6.
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (server, peer) = listener.accept().unwrap();
            let local = server.local_addr().unwrap();
            assert_eq!(Allowed::of(Path::new("/nonexistent")).refuses(local, peer), None);
            // SAFETY: the call has no preconditions.
            assert_eq!(Allowed(vec![]).refuses(local, peer), Some(unsafe { libc::geteuid() }));
            drop(client);
        }
    }
}
