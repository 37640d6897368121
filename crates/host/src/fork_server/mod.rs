//! Forks many processes of howdah from one small process, so that the cost of a program start is paid once.
//!
//! A new program costs the kernel several times what a fork of a small process costs: the file is mapped, its libraries
//! are found and bound, its pages are loaded one by one. The fork server is a process with one thread, no database, no
//! lock and only the standard files. It has a child for each folder that is written to its standard input, whose number
//! is the answer, and ends with the input. Its children are independent processes and outlive it. Must not depend on
//! what they do.
//!
//! One child is always forked in advance: it waits for the next folder itself, so no other process has to be woken
//! before the work begins. It has none of another child's state, and it ends with the fork server. Where the machine
//! refuses it, the next child is forked as it is needed. When it dies the fork server ends too, because a folder may
//! have died with it: the client starts another one.
//!
//! What the two say to each other is in `connection`.

mod client;
mod connection;
mod server;

use std::path::PathBuf;

use rustix::process::Pid;

pub use self::client::ForkServer;
use self::connection::Ends;
pub use self::server::serve;

/// The first character of an answer that is an error message.
const REFUSAL: char = '!';

/// A folder that was requested, in the child that works on it.
pub struct Requested {
    pub folder: PathBuf,
    pub reader: Reader,
}

/// The process that waits for the result of this one: the client of its parent, as that was before the fork. So it is
/// right also when that one ends at once.
#[derive(Debug)]
pub struct Reader {
    parent: Pid,
    ends: Option<Ends>,
}

impl Reader {
    /// Returns whether it is still there.
    pub fn is_there(&self) -> bool {
        rustix::process::getppid() == Some(self.parent)
    }

    /// Tells it that the result is there, and does not wait for it. It sees the end of this process in any case, but
    /// the kernel needs longer for that end than it needs to read the result.
    pub fn tell(&self) {
        self.ends.iter().for_each(Ends::tell);
    }
}
