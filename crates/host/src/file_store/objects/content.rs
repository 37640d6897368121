//! The contents of objects: read in parts, and written so that an object appears whole or not at all.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;

use object_store::{Error, GetOptions, GetRange, PutMode, PutMultipartOptions, PutOptions, PutPayload};

use super::super::store_path::StorePath;
use super::super::{Existing, StoreError};
use super::bucket::Bucket;
use super::{answer, key};

/// The bytes of a part; what is shorter is written with one request.
const PART_LENGTH: usize = 8 << 20;

/// An object that is being read. Each part is of the same version, or the read fails.
pub(super) struct Content {
    pub(super) bucket: Arc<Bucket>,
    pub(super) path: StorePath,
    pub(super) length: u64,
    pub(super) read: u64,
    pub(super) version: Option<String>,
    pub(super) part: io::Cursor<Vec<u8>>,
}

impl Content {
    fn next_part(&mut self) -> io::Result<Vec<u8>> {
        let changed = || StoreError::unknown(format!("[{}] has changed meanwhile", self.path.as_str()));
        let end = self.length.min(self.read + PART_LENGTH as u64);
        let range = Some(GetRange::Bounded(self.read..end));
        let options = GetOptions { range, if_match: self.version.clone(), ..GetOptions::default() };
        let key = key::addressed(key::of_file(&self.path))?;
        let client = self.bucket.client();
        let answer = self.bucket.try_ask(async {
            let answer = client.get_opts(&key, options).await?;
            let (size, version) = (answer.meta.size, answer.meta.e_tag.clone());
            Ok((size, version, answer.bytes().await?))
        })?;
        let (size, version, bytes) = match answer {
            Err(Error::NotFound { .. } | Error::Precondition { .. }) => return Err(changed()),
            Err(error) => return Err(answer::meaning(self.bucket.server(), &error)),
            Ok(answer) => answer,
        };
        if size != self.length || bytes.len() as u64 != end - self.read {
            return Err(changed());
        }
        self.version = version;
        self.read = end;
        Ok(bytes.into())
    }
}

impl Read for Content {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.part.read(buffer)?;
        if read > 0 || buffer.is_empty() || self.read == self.length {
            return Ok(read);
        }
        self.part = io::Cursor::new(self.next_part()?);
        self.part.read(buffer)
    }
}

impl Bucket {
    /// Writes an object. With [`Existing::Keep`] the caller has looked before: a server that knows no condition of a
    /// write does not look again.
    pub(super) fn put(&self, path: &StorePath, content: &mut dyn Read, existing: Existing) -> io::Result<()> {
        let mut part = next(content)?;
        if part.len() == PART_LENGTH {
            return self.put_parts(path, part, content, existing);
        }
        let key = key::addressed(key::of_file(path))?;
        let mut put = |mode: PutMode| {
            let payload = PutPayload::from(std::mem::take(&mut part));
            let kept = payload.clone();
            let done = self.try_ask(self.client().put_opts(&key, payload, PutOptions { mode, ..Default::default() }));
            part = kept.into_iter().flatten().collect();
            done
        };
        let mut done = put(if existing == Existing::Keep { PutMode::Create } else { PutMode::Overwrite })?;
        if existing == Existing::Keep && done.as_ref().is_err_and(answer::is_not_known) {
            done = put(PutMode::Overwrite)?;
        }
        match done {
            Ok(_) => Ok(()),
            Err(Error::AlreadyExists { .. }) if existing == Existing::Keep => {
                let text = format!("[{}] exists", path.as_str());
                Err(StoreError::refused(ErrorKind::AlreadyExists, text))
            }
            Err(error) => Err(answer::meaning(self.server(), &error)),
        }
    }

    /// Writes a long content in parts, which become an object at the end.
    fn put_parts(
        &self,
        path: &StorePath,
        mut part: Vec<u8>,
        content: &mut dyn Read,
        existing: Existing,
    ) -> io::Result<()> {
        let key = key::addressed(key::of_file(path))?;
        let mut upload = self.ask(self.client().put_multipart_opts(&key, PutMultipartOptions::default()))?;
        let mut write = || {
            while !part.is_empty() {
                self.ask(upload.put_part(PutPayload::from(std::mem::take(&mut part))))?;
                part = next(content)?;
            }
            if existing == Existing::Keep && self.entry(path)?.is_some() {
                return Err(StoreError::refused(ErrorKind::AlreadyExists, format!("[{}] exists", path.as_str())));
            }
            self.ask(upload.complete()).map(drop)
        };
        let written = write();
        if written.is_err() {
            // The write has failed whatever becomes of its parts.
            let _ = self.ask(upload.abort());
        }
        written
    }
}

/// The next part of a content; shorter at its end only.
fn next(content: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut part = Vec::new();
    content.take(PART_LENGTH as u64).read_to_end(&mut part)?;
    Ok(part)
}
