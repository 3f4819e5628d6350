//! How many assistants wait for questions that nobody has asked yet.
//!
//! An assistant takes some 200 MiB. Where thirty students share a host, most of them never ask for a completion, so only a few kernels
//! of a user on one machine have an assistant ahead of the first question. Each holds one of the places here while its assistant runs.
//! A place is an address of Linux's abstract sockets, which the system frees when the process that holds it ends, however it ends.

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// One place. It is free again when this is dropped.
#[derive(Debug)]
pub struct Place {
    _address: UnixDatagram,
}

/// A free place among those of this name, if there is one.
fn take_of(name: &str, places: usize) -> Option<Place> {
    (0..places).find_map(|number| {
        let address = SocketAddr::from_abstract_name(format!("{name}-{number}")).ok()?;
        // It fails if somebody has it.
        UnixDatagram::bind_addr(&address).ok().map(|address| Place { _address: address })
    })
}

/// A free place among the user's on this machine, if there is one.
pub fn take(places: usize) -> Option<Place> {
    // SAFETY: this call always succeeds.
    let user = unsafe { libc::getuid() };
    take_of(&format!("warpcell-assistant-{user}"), places)
}

#[cfg(test)]
mod tests {
    use super::take_of;

    #[test]
    fn there_are_so_many_places_and_they_are_free_again() {
        let name = format!("warpcell-test-{}", std::process::id());
        assert!(take_of(&name, 0).is_none());
        let first = take_of(&name, 2);
        let second = take_of(&name, 2);
        assert!(first.is_some() && second.is_some());
        assert!(take_of(&name, 2).is_none());
        drop(first);
        let again = take_of(&name, 2);
        assert!(again.is_some() && take_of(&name, 2).is_none());
    }
}
