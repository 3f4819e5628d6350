//! Lines that reach the running cell at once, while evcxr keeps what this process prints until it has ended.

use crate::frames::Frame;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// The socket in the session's directory on which the kernel takes such lines.
pub const SOCKET_NAME: &str = "build.socket";

/// A way to the running cell.
pub struct Progress {
    kernel: Option<UnixStream>,
}

impl Progress {
    /// Opens it; without a kernel that listens, lines go nowhere.
    pub fn connect(session: &Path) -> Progress {
        Progress { kernel: UnixStream::connect(session.join(SOCKET_NAME)).ok() }
    }

    /// Shows a line.
    pub fn line(&mut self, text: &str) {
        let frame = Frame::Text { stderr: true, text: format!("{text}\n") };
        let Ok(frame) = serde_json::to_string(&frame) else { return };
        if let Some(kernel) = &mut self.kernel
            && writeln!(kernel, "{frame}").is_err()
        {
            self.kernel = None;
        }
    }
}

impl Drop for Progress {
    /// Waits until the kernel has taken all lines: the cell must not end before they are shown.
    fn drop(&mut self) {
        if let Some(kernel) = &mut self.kernel
            && kernel.shutdown(Shutdown::Write).is_ok()
        {
            // The kernel closes its end behind the last line.
            let _ = kernel.read(&mut [0]);
        }
    }
}
