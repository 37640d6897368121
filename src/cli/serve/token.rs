//! The word that a client sends to be allowed to change something.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use ring::digest::{Digest, SHA256, digest};

use howdah_host::{account, files, metadata, ownership};
use howdah_words::error::{Error, ErrorCode, Result};

/// The shortest token, in characters.
const SHORTEST: usize = 16;
/// The largest file of a token, in bytes.
const LARGEST: u64 = 4096;

/// A token; only its digest is kept, so that it is in no message.
#[derive(Clone, Debug)]
pub(super) struct Token(Digest);

impl Token {
    /// Reads the token in a file that only its owner can read: root or the user of this process.
    ///
    /// # Errors
    /// H0196 for a token that is too short or that other users can read, write or exchange, H0110 for a file that
    /// cannot be read.
    pub(super) fn read(file: &Path) -> Result<Self> {
        ownership::check_path(file, None, ErrorCode::H0196)?;
        let text = files::read_text(file, LARGEST)?;
        let refuse =
            |why: String, help: String| Err(Error::with(ErrorCode::H0196, &[&file.display(), &why]).help(help));
        let Some(found) = metadata::of(file).known()? else {
            return refuse("it is gone".to_owned(), "write the file again".to_owned());
        };
        if found.uid() != 0 && found.uid() != account::own_uid() {
            let why = format!("it belongs to the user with the number {}, who can change it", found.uid());
            return refuse(why, format!("chown {} {}", account::own_uid(), file.display()));
        }
        let mode = found.mode() & 0o777;
        if mode & 0o077 != 0 {
            return refuse(format!("other users can read it (mode {mode:o})"), format!("chmod 600 {}", file.display()));
        }
        let token = text.trim();
        if token.len() < SHORTEST || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            let why = format!("a token has at least {SHORTEST} characters, without blanks");
            return refuse(why, format!("head -c 24 /dev/urandom | base64 > {}", file.display()));
        }
        Ok(Self::of(token))
    }

    fn of(token: &str) -> Self {
        Self(digest(&SHA256, token.as_bytes()))
    }

    /// Returns whether the header `Authorization` has this token. Digests are compared, so that the time that it takes
    /// says nothing of the token.
    pub(super) fn is_in(&self, header: Option<&str>) -> bool {
        let Some((scheme, given)) = header.and_then(|header| header.split_once(' ')) else { return false };
        scheme.eq_ignore_ascii_case("bearer") && Self::of(given.trim()).0.as_ref() == self.0.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_compared_as_a_whole() {
        let token = Token::of("0123456789abcdef");
        for (header, expect) in [
            (Some("Bearer 0123456789abcdef"), true),
            (Some("bearer  0123456789abcdef "), true),
            (Some("Bearer 0123456789abcde"), false),
            (Some("Basic 0123456789abcdef"), false),
            (Some("0123456789abcdef"), false),
            (Some(""), false),
            (None, false),
        ] {
            assert_eq!(token.is_in(header), expect, "{header:?}");
        }
        assert!(!format!("{token:?}").contains("0123456789abcdef"));
    }
}
