//! The content of an input that a server has. While the server gives no answer it waits; then it reads on from where
//! it stopped.
//!
//! Its mapper has got a part by then, so what follows must be of the same file: one that has changed meanwhile is an
//! error. Must not depend on what the content means.

use std::io::{self, Read};

use super::task::Tasks;
use howdah_host::attempt::Retry;
use howdah_host::found;
use howdah_host::located::Located;

pub(super) struct ServerFile<'a> {
    place: &'a Located,
    /// Its length, and when it was last changed.
    state: (u64, Option<i64>),
    tasks: &'a Tasks,
    /// How many bytes were read.
    position: u64,
    content: Option<Box<dyn Read + Send>>,
}

impl<'a> ServerFile<'a> {
    /// Nothing is asked yet.
    pub(super) fn of(place: &'a Located, state: (u64, Option<i64>), tasks: &'a Tasks) -> Self {
        Self { place, state, tasks, position: 0, content: None }
    }

    fn read_once(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let content = if let Some(content) = &mut self.content {
            content
        } else {
            if self.place.file_state()? != Some(self.state) {
                return Err(io::Error::other("it has changed since the job began"));
            }
            self.content.insert(self.place.open(self.position)?)
        };
        let read = content.read(buffer)?;
        if read == 0 && !buffer.is_empty() && self.position != self.state.0 {
            // A connection that ended too early, or another file by now: the next look tells.
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the file ended too early"));
        }
        self.position += read as u64;
        Ok(read)
    }
}

impl Read for ServerFile<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut retry = None;
        loop {
            match self.read_once(buffer) {
                Err(error) if found::may_pass(&error) => {
                    self.content = None;
                    let retry = retry.get_or_insert_with(|| Retry::new(self.tasks.folder()));
                    self.tasks.check_now_and_then(0)?;
                    if !retry.allows(&error) {
                        return Err(error);
                    }
                    retry.wait(&format!("{}: {error}", self.place.shown()));
                }
                read => return read,
            }
        }
    }
}
