//! What the client of a fork server and its children tell each other, through the socket that is the fork server's
//! standard input: folders in one direction, in the other the numbers of children whose result is there.
//!
//! Such a number is a hint: the client looks at the folder earlier than at the end of the process. It is not sent when
//! there is no room for it.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::net::{RecvFlags, SendFlags, recv, send};

/// A request: the length of the folder's path, then the path. An empty path requests only that exited children are
/// reaped.
pub(super) fn request(folder: &Path) -> Vec<u8> {
    let path = folder.as_os_str().as_bytes();
    let length = u32::try_from(path.len()).expect("a path has fewer bytes than there are numbers");
    [&length.to_ne_bytes(), path].concat()
}

/// Reads one request and nothing after it, because the next one is another process's; `None` at the end.
pub(super) fn next_request() -> io::Result<Option<PathBuf>> {
    let mut length = [0; 4];
    match Requests.read_exact(&mut length) {
        // A client that ends without reading all ends resets the connection.
        Err(error) if matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) => {
            return Ok(None);
        }
        read => read?,
    }
    let mut folder = vec![0; usize::try_from(u32::from_ne_bytes(length)).map_err(io::Error::other)?];
    Requests.read_exact(&mut folder)?;
    Ok(Some(OsString::from_vec(folder).into()))
}

/// Standard input without the buffer that the standard library puts before it.
struct Requests;

impl Read for Requests {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(rustix::stdio::stdin(), buffer)?)
    }
}

/// The bytes of a number.
const NUMBER: usize = size_of::<u32>();
/// How many numbers are read at once.
const AT_ONCE: usize = 64;

/// The side of the children.
#[derive(Debug)]
pub(super) struct Ends(OwnedFd);

impl Ends {
    /// Keeps the connection of this process's standard input; `None` when the machine has no descriptor for it.
    pub(super) fn of_input() -> Option<Self> {
        rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), FIRST_FREE).ok().map(Self)
    }

    /// Sends the number of this process, if that is possible at once.
    pub(super) fn tell(&self) {
        let _ = send(&self.0, &std::process::id().to_ne_bytes(), SendFlags::DONTWAIT);
    }
}

/// The first descriptor after the standard files.
const FIRST_FREE: i32 = 3;

/// Returns the numbers that have arrived at the client, without waiting; `None` when the other side is closed.
pub(super) fn arrived(client: BorrowedFd<'_>) -> Option<Vec<u32>> {
    let mut arrived = Vec::new();
    let mut buffer = [0; NUMBER * AT_ONCE];
    loop {
        let read = match recv(client.as_fd(), &mut buffer, RecvFlags::DONTWAIT) {
            Ok((0, _)) => return None,
            Ok((read, _)) => read,
            Err(_) => return Some(arrived),
        };
        arrived.extend(buffer[..read].as_chunks().0.iter().map(|bytes| u32::from_ne_bytes(*bytes)));
    }
}
