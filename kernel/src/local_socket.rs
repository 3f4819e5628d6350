//! Sockets in the session's directory. An address has at most 107 bytes, but the path of a directory may be longer,
//! such as the TMPDIR of a job. So the directory is addressed through its descriptor.

use anyhow::Context;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Listens at a path, in a thread of this name that takes one connection after another.
pub fn listen(path: &Path, name: &str, mut take: impl FnMut(UnixStream) + Send + 'static) -> anyhow::Result<()> {
    let listener = bind(path).with_context(|| format!("{} cannot be opened", path.display()))?;
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || listener.incoming().flatten().for_each(&mut take))?;
    Ok(())
}

fn bind(path: &Path) -> Result<UnixListener> {
    by_descriptor(path, UnixListener::bind)
}

/// Connects to who listens at a path.
pub fn connect(path: &Path) -> Result<UnixStream> {
    by_descriptor(path, UnixStream::connect)
}

fn by_descriptor<T>(path: &Path, call: impl FnOnce(PathBuf) -> Result<T>) -> Result<T> {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(Error::new(ErrorKind::InvalidInput, format!("{} is not the path of a socket", path.display())));
    };
    let directory = File::open(directory)?;
    call(Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()).join(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn a_path_may_be_long() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("a long name ".repeat(12)).join("ein längerer Name ".repeat(10));
        std::fs::create_dir_all(&directory).unwrap();
        let path = directory.join("socket");
        assert!(UnixListener::bind(&path).is_err(), "the system would take it as it is");
        let listener = bind(&path).unwrap();
        let mut client = connect(&path).unwrap();
        client.write_all(b"word").unwrap();
        drop(client);
        let mut said = String::new();
        listener.accept().unwrap().0.read_to_string(&mut said).unwrap();
        assert_eq!(said, "word");
        assert!(path.exists(), "where it was meant to be");
        assert_eq!(connect(&directory.join("nobody")).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
