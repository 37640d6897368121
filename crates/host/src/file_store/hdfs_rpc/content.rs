//! The contents of files, in parts of which each has its own time limit. Must not depend on paths, beyond passing them
//! on.

use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::Arc;

use hdfs_native::WriteOptions;
use hdfs_native::file::FileReader;

use super::super::hdfs::first_part;
use super::super::store_path::StorePath;
use super::super::{Existing, StoreError};
use super::calls::Calls;
use super::name_nodes::{Does, NameNodes};
use crate::found;

/// The bytes of a part.
const PART_LENGTH: usize = 1 << 20;

impl NameNodes {
    /// The content of an open file.
    pub(super) fn content(&self, server: &str, file: FileReader) -> Box<dyn Read + Send> {
        let buffer = vec![0; file.file_length().min(PART_LENGTH)];
        let (server, calls) = (server.to_owned(), Arc::clone(&self.calls));
        Box::new(Content { file: Some(file), server, calls, buffer, unread: 0..0, failed: None })
    }

    /// Writes a file where it will stay; what fails can leave half of it.
    pub(super) fn write(
        &self,
        path: &StorePath,
        content: &mut dyn Read,
        mode: u32,
        existing: Existing,
    ) -> io::Result<()> {
        let options = WriteOptions::default().permission(mode).overwrite(existing == Existing::Replace);
        let path = path.clone();
        let created = self.ask(Does::Change, async move |client| client.create(path.as_str(), &options).await);
        let (server, mut file) = created.map_err(|error| match error.kind() {
            // Both are about another client that writes or deletes the same file.
            ErrorKind::AlreadyExists if existing == Existing::Replace => StoreError::unclear(error.to_string()),
            _ if found::is_absence(&error) => StoreError::unclear(error.to_string()),
            _ => error,
        })?;
        let mut buffer = vec![0; PART_LENGTH];
        loop {
            let length = first_part(content, &mut buffer).map_err(|error| {
                StoreError::unknown(format!("what should be written to {server} cannot be read: {error}"))
            })?;
            if length == 0 {
                return self.calls.go_on(server, async move || Box::pin(file.close()).await);
            }
            let part = buffer[..length].to_vec().into();
            file = self.calls.go_on(server, async move || Box::pin(file.write_bytes(part)).await.map(|_| file))?;
        }
    }
}

/// A content that arrives; its errors are those of a store.
struct Content {
    /// `None` after a part that failed.
    file: Option<FileReader>,
    server: String,
    calls: Arc<Calls>,
    buffer: Vec<u8>,
    /// What of the buffer was not read yet.
    unread: Range<usize>,
    /// Why no more can be read: the client has gone past the part that failed.
    failed: Option<String>,
}

impl Content {
    fn fill(&mut self) -> io::Result<usize> {
        let file = self.file.take();
        let mut file = file.ok_or_else(|| StoreError::unknown("an earlier part could not be read"))?;
        let mut buffer = std::mem::take(&mut self.buffer);
        let next = async move || file.read_into(&mut buffer).await.map(|length| (file, buffer, length));
        let (file, buffer, length) = self.calls.go_on(&self.server, next)?;
        (self.file, self.buffer) = (Some(file), buffer);
        Ok(length)
    }
}

impl Read for Content {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some(why) = &self.failed {
            return Err(StoreError::unknown(why));
        }
        if self.unread.is_empty() {
            let filled = self.fill();
            self.failed = filled.as_ref().err().map(ToString::to_string);
            self.unread = 0..filled?;
        }
        let length = self.unread.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.buffer[self.unread.start..][..length]);
        self.unread.start += length;
        Ok(length)
    }
}
